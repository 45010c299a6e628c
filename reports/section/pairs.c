/* SPDX-License-Identifier: GPL-3.0-or-later
 * reports/section/pairs.c - differences, with the same random numbers on both sides. */
#include "reports/doc.h"
#include "reports/show.h"
#include <math.h>

enum { MOST_ROWS = 100 };

static void row(const struct rr_store *s, struct rr_table *t, const struct rr_pair *p)
{
    const enum rr_metric_unit unit = rr_metric_info[p->metric].unit;
    rr_table_row(t);
    rr_table_cellf(t, "%s less %s", p->a, p->b);
    rr_table_cell(t, rr_metric_info[p->metric].name);
    rr_table_cell(t, rr_show_metric(t->arena, unit, p->diff.mean, s->currency));
    const double v[] = {p->diff.ci95, p->diff.p10, p->diff.p50, p->diff.p90};
    for (size_t i = 0; s->replications > 1 && i < sizeof v / sizeof *v; i++)
        rr_table_cell(t, rr_show_metric(t->arena, unit, v[i], s->currency));
    if (s->replications > 1) rr_table_cell(t, rr_show_share(t->arena, p->prob_a_cheaper));
}

static void fill(const struct rr_store *s, struct rr_doc *d)
{
    static const char *const title[] = {"Difference", "Metric", "Mean", "\xc2\xb1 95 %", "10 %", "Median", "90 %", "First is cheaper"};
    if (s->n_pairs == 0) return;
    rr_doc_heading(d, 2, "Against the baseline");
    struct rr_table *t = rr_doc_table(d, "First less second, replication by replication; negative: the first is cheaper.");
    for (size_t i = 0; i < sizeof title / sizeof *title; i++)
        if (i < 3 || s->replications > 1) rr_table_column(t, title[i], i > 1);
    for (size_t i = 0; i < s->n_pairs && i < MOST_ROWS; i++) row(s, t, &s->pair[i]);
    if (s->n_pairs > MOST_ROWS) rr_doc_para(d, "The table shows %d of %zu pairs.", MOST_ROWS, s->n_pairs);
}

const struct rr_section rr_section_pairs = {"pairs", fill};
