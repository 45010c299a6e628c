/* SPDX-License-Identifier: GPL-3.0-or-later
 * reports/section/limits.c - service limits and gates. */
#include "reports/doc.h"
#include "reports/show.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void service(const struct rr_store *s, struct rr_doc *d)
{
    struct rr_table *t =
        rr_doc_table(d, "Only alternatives that finish the same work (within 0.1 %) and meet the service limits are ranked.");
    rr_table_column(t, "Alternative", false);
    rr_table_column(t, "Same work", false);
    rr_table_column(t, "Service limits", false);
    for (size_t i = 0; i < s->n_alternatives; i++) {
        const struct rr_alternative *a = &s->alternative[i];
        rr_table_row(t);
        rr_table_cell(t, a->name);
        rr_table_cell(t, a->same_work ? "yes" : "no");
        rr_table_mark(t, a->same_work ? RR_MARK_GOOD : RR_MARK_BAD);
        rr_table_cell(t, a->meets_service ? "met" : a->service_detail && *a->service_detail ? a->service_detail : "missed");
        rr_table_mark(t, a->meets_service ? RR_MARK_GOOD : RR_MARK_BAD);
    }
}

// "1.00" is no other value than "1"; "4.2 h" and "$5" compare as texts.
static bool looks_same(const char *a, const char *b)
{
    char *end_a, *end_b;
    const double x = strtod(a, &end_a), y = strtod(b, &end_b);
    return end_a != a && end_b != b && !*end_a && !*end_b ? x == y : strcmp(a, b) == 0;
}

// In as many digits as tell the value from the limit.
static const char *gate_value(struct rr_arena *a, const struct rr_gate_result *g, const char *currency)
{
    const enum rr_metric_unit unit = rr_metric_info[g->metric].unit;
    const char *limit = rr_show_metric(a, unit, g->limit, currency), *value = rr_show_metric(a, unit, g->value, currency);
    if (isnan(g->value) || g->value == g->limit || !looks_same(limit, value)) return value;
    for (int digits = 3; digits < 17; digits++) {
        value = rr_strf(a, "%.*g", digits, g->value);
        if (strcmp(value, rr_strf(a, "%.*g", digits, g->limit)) != 0) break;
    }
    return unit == RR_U_SECONDS ? rr_strf(a, "%s s", value) : unit <= RR_U_MONEY_PER_JOB ? rr_strf(a, "%s %s", value, currency) : value;
}

static void gates(const struct rr_store *s, struct rr_doc *d)
{
    static const char *const title[] = {"Gate", "Alternative", "Metric", "Limit", "Value", "Result"};
    struct rr_table *t = rr_doc_table(d, "Gates of the scenario; one that is not defined fails.");
    for (size_t i = 0; i < sizeof title / sizeof *title; i++) rr_table_column(t, title[i], i == 3 || i == 4);
    for (size_t i = 0; i < s->n_gates; i++) {
        const struct rr_gate_result *g = &s->gate[i];
        const enum rr_metric_unit unit = rr_metric_info[g->metric].unit;
        rr_table_row(t);
        rr_table_cell(t, g->name);
        rr_table_cell(t, g->alternative);
        rr_table_cellf(t, "%s, %s", rr_metric_info[g->metric].name, g->stat);
        rr_table_cellf(t, "%s %s", g->is_max ? "at most" : "at least", rr_show_metric(d->arena, unit, g->limit, s->currency));
        rr_table_cell(t, gate_value(d->arena, g, s->currency));
        rr_table_cell(t, g->result);
        rr_table_mark(t, strcmp(g->result, "pass") == 0 ? RR_MARK_GOOD : strcmp(g->result, "fail") == 0 ? RR_MARK_BAD : RR_MARK_NONE);
    }
}

static void fill(const struct rr_store *s, struct rr_doc *d)
{
    const bool many = s->n_alternatives > 1;
    const bool missed = s->n_alternatives == 1 && !s->alternative[0].meets_service;
    if (!many && !missed && s->n_gates == 0) return;
    rr_doc_heading(d, 2, "Limits and gates");
    if (many || missed) service(s, d);
    if (s->n_gates) gates(s, d);
}

const struct rr_section rr_section_limits = {"limits", fill};
