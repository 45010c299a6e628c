/* SPDX-License-Identifier: GPL-3.0-or-later
 * reports/section/answer.c - the answer in one sentence, what may change it, and the alternatives side by side. */
#include "reports/doc.h"
#include "reports/show.h"
#include <math.h>
#include <string.h>

enum { MOST_COLUMNS = 4, MOST_ROWS = 60 }; // more alternatives than columns: they become rows

static const struct {
    int metric;
    const char *title;
    bool share, if_any; /* if_any: told where it is not 0 throughout */
} key[] = {
    {RR_M_COST_TOTAL, "Effective cost", false, false},
    {RR_M_NPV_COST, "Net present cost", false, false},
    {RR_M_CASH_TOTAL, "Cash paid", false, false},
    {RR_M_COST_PER_GPU_HOUR_USED, "Cost per GPU-hour used", false, false},
    {RR_M_COST_WAITING, "Cost of waiting, beside it", false, true},
    {RR_M_WAIT_P50, "Wait, median", false, false},
    {RR_M_WAIT_P95, "Wait, 95th percentile", false, false},
    {RR_M_DEADLINE_MISSED, "Deadlines missed", false, true},
    {RR_M_WORK_FINISHED_SHARE, "Work finished", true, false},
    {RR_M_GPU_ALLOCATED_SHARE, "GPU time allocated", true, false},
    {RR_M_GPU_HOURS_LOST, "GPU-hours lost", false, true},
    {RR_M_NODES_FAILURES, "Nodes that failed", false, true},
    {RR_M_SPOT_INTERRUPTIONS, "Spot nodes taken back", false, true},
    {RR_M_PREEMPTIONS, "Preemptions", false, true},
};
enum { KEYS = sizeof key / sizeof *key };

static bool is_best(const struct rr_store *s, const struct rr_alternative *a)
{
    return s->best && *s->best && strcmp(s->best, a->name) == 0;
}

static void value_cell(struct rr_table *t, const struct rr_store *s, const struct rr_alternative *a, int k)
{
    const struct rr_stat *v = &a->metric[key[k].metric];
    const enum rr_metric_unit unit = rr_metric_info[key[k].metric].unit;
    const char *mean = key[k].share ? rr_show_share(t->arena, v->mean) : rr_show_metric(t->arena, unit, v->mean, s->currency);
    if (v->n > 1 && v->ci95 > 0) {
        const char *half = key[k].share                 ? rr_show_share(t->arena, v->ci95)
                           : unit <= RR_U_MONEY_PER_JOB ? rr_show_half(t->arena, v->ci95, v->mean, s->currency)
                                                        : rr_show_metric(t->arena, unit, v->ci95, s->currency);
        rr_table_cellf(t, "%s \xc2\xb1 %s", mean, half);
    } else {
        rr_table_cell(t, mean);
    }
    if (is_best(s, a)) rr_table_mark(t, RR_MARK_BEST);
}

static const struct rr_alternative *best_of(const struct rr_store *s)
{
    for (size_t i = 0; i < s->n_alternatives; i++)
        if (is_best(s, &s->alternative[i])) return &s->alternative[i];
    return NULL;
}

// "cheapest", "+18.2 %", or why it takes no part.
static void rank_cell(struct rr_table *t, const struct rr_store *s, const struct rr_alternative *a)
{
    const struct rr_alternative *best = best_of(s);
    const int metric = s->criterion ? rr_metric_find(s->criterion) : -1;
    if (a->unpriced)
        rr_table_cell(t, "not priced");
    else if (!a->same_work)
        rr_table_cell(t, "finishes less work");
    else if (!a->meets_service)
        rr_table_cell(t, "misses the service limits");
    else if (!best || metric < 0)
        rr_table_cell(t, RR_SHOW_NONE);
    else if (best == a)
        rr_table_cell(t, "cheapest");
    else
        rr_table_cellf(t, "%+.1f %%", 100 * (a->metric[metric].mean / best->metric[metric].mean - 1));
    const bool out = a->unpriced || !a->same_work || !a->meets_service;
    rr_table_mark(t, best == a ? RR_MARK_BEST : out ? RR_MARK_BAD : RR_MARK_NONE);
}

static bool is_told(const struct rr_store *s, int k)
{
    for (size_t i = 0; i < s->n_alternatives; i++) {
        const double v = s->alternative[i].metric[key[k].metric].mean;
        if (!isnan(v) && (v > 0 || v < 0 || !key[k].if_any)) return true;
    }
    return false;
}

static void few(const struct rr_store *s, struct rr_doc *d, struct rr_table *t)
{
    rr_table_column(t, "", false);
    for (size_t i = 0; i < s->n_alternatives; i++) rr_table_column(t, rr_show_name(s, d->arena, i), true);
    for (int k = 0; k < KEYS; k++) {
        if (!is_told(s, k)) continue;
        rr_table_row(t);
        rr_table_cell(t, key[k].title);
        for (size_t i = 0; i < s->n_alternatives; i++) value_cell(t, s, &s->alternative[i], k);
    }
    if (s->n_alternatives < 2) return;
    rr_table_row(t);
    rr_table_cell(t, "Against the cheapest");
    for (size_t i = 0; i < s->n_alternatives; i++) rank_cell(t, s, &s->alternative[i]);
}

static void many(const struct rr_store *s, struct rr_table *t)
{
    size_t chosen[MOST_ROWS];
    const size_t n = rr_show_chosen(s, MOST_ROWS, false, chosen);
    rr_table_column(t, "Alternative", false);
    for (int k = 0; k < KEYS; k++)
        if (is_told(s, k)) rr_table_column(t, key[k].title, true);
    rr_table_column(t, "Against the cheapest", true);
    for (size_t i = 0; i < n; i++) {
        const struct rr_alternative *a = &s->alternative[chosen[i]];
        rr_table_row(t);
        rr_table_cell(t, a->name);
        if (is_best(s, a)) rr_table_mark(t, RR_MARK_BEST);
        for (int k = 0; k < KEYS; k++)
            if (is_told(s, k)) value_cell(t, s, a, k);
        rank_cell(t, s, a);
    }
}

static void frame(const struct rr_store *s, struct rr_doc *d)
{
    struct rr_buf b = {0};
    if (s->anchored) {
        rr_buf_puts(&b, "From ");
        rr_buf_date(&b, s->start_us);
    }
    if (!isnan(s->horizon_s)) rr_buf_putf(&b, "%s%s", b.n ? ", over " : "Over ", rr_show_span(d->arena, s->horizon_s));
    rr_buf_putf(&b, "%s%lld replication%s, seed %lld; money in %s", b.n ? "; " : "", (long long)s->replications,
                s->replications == 1 ? "" : "s", (long long)s->seed, s->currency);
    rr_doc_para(d, "%s.", rr_buf_text(&b));
    rr_buf_done(&b);
}

// Where the spread comes from stands beside it.
static void spread_from(const struct rr_store *s, struct rr_doc *d)
{
    struct rr_buf b = {0};
    if (s->replications < 2) return;
    for (size_t i = 0; i < s->n_varied; i++) rr_buf_putf(&b, "%s%s", i ? ", " : "", s->varied[i]);
    if (b.n)
        rr_doc_para(d, "Over the %lld replications varied: %s.", (long long)s->replications, rr_buf_text(&b));
    else
        rr_doc_para(d, "Nothing varies over the %lld replications: they are all alike.", (long long)s->replications);
    rr_buf_done(&b);
}

static void fill(const struct rr_store *s, struct rr_doc *d)
{
    rr_doc_heading(d, 1, s->name);
    frame(s, d);
    const size_t n = strlen(s->verdict);
    if (n) rr_doc_lead(d, rr_strf(d->arena, "%s%s", s->verdict, s->verdict[n - 1] == '.' ? "" : "."));
    const char *const *warning;
    const size_t warnings = rr_show_headline(s, d->arena, &warning);
    for (size_t i = 0; i < warnings; i++) rr_doc_warning(d, "%s", warning[i]);
    for (size_t i = 0; i < s->n_alternatives; i++)
        for (size_t k = 0; k < s->alternative[i].n_laws; k++)
            if (!s->alternative[i].law[k].holds)
                rr_doc_warning(d, "%s: the law \"%s\" does not hold: %s", s->alternative[i].name, s->alternative[i].law[k].law,
                               s->alternative[i].law[k].detail);
    const char *spread = s->replications > 1 ? " Mean over replications \xc2\xb1 half the 95 % confidence interval." : "";
    struct rr_table *t = rr_doc_table(
        d, rr_strf(d->arena, "%s.%s", s->n_alternatives > 1 ? "The alternatives side by side" : "The figures that count", spread));
    if (s->n_alternatives <= MOST_COLUMNS)
        few(s, d, t);
    else
        many(s, t);
    spread_from(s, d);
    if (s->n_alternatives > MOST_ROWS)
        rr_doc_para(d, "The table shows %d of %zu alternatives; results.json and results.db have all.", MOST_ROWS, s->n_alternatives);
}

const struct rr_section rr_section_answer = {"answer", fill};
