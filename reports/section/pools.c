/* SPDX-License-Identifier: GPL-3.0-or-later
 * reports/section/pools.c - what each pool held, and where its GPU time went. */
#include "reports/doc.h"
#include "reports/show.h"
#include <math.h>

enum { MOST = 12 };

static const char *nodes_text(struct rr_arena *a, const struct rr_pool_row *p)
{
    if (p->nodes_min == p->nodes_max) return rr_show_count(a, p->nodes_max);
    return rr_strf(a, "%s\xe2\x80\x93%s, peak %s", rr_show_count(a, p->nodes_min), rr_show_count(a, p->nodes_max),
                   rr_show_count(a, p->nodes_peak));
}

static void hours_cell(struct rr_table *t, double v)
{
    rr_table_cell(t, v == 0 ? RR_SHOW_NONE : rr_show_number(t->arena, v >= 100 ? floor(v + 0.5) : v));
    if (v == 0) rr_table_mark(t, RR_MARK_MUTED);
}

static void row(const struct rr_store *s, struct rr_table *t, const struct rr_alternative *a, const struct rr_pool_row *p)
{
    rr_table_row(t);
    rr_table_cell(t, a->name);
    rr_table_cell(t, p->name);
    rr_table_cell(t, p->what);
    rr_table_cell(t, rr_show_word(t->arena, p->plan));
    rr_table_cell(t, nodes_text(t->arena, p));
    const double hours[] = {p->held, p->used, p->lost, p->idle, p->starting, p->down};
    for (size_t i = 0; i < sizeof hours / sizeof *hours; i++) hours_cell(t, hours[i]);
    rr_table_cell(t, p->held > 0 ? rr_show_share(t->arena, (p->used + p->lost) / p->held) : RR_SHOW_NONE);
    rr_table_cell(t, rr_show_money(t->arena, p->effective, s->currency));
}

static void fill(const struct rr_store *s, struct rr_doc *d)
{
    static const char *const title[] = {"Alternative", "Pool", "Hardware", "Plan", "Nodes",     "Held",          "Used",
                                        "Lost",        "Idle", "Starting", "Down", "Allocated", "Effective cost"};
    size_t chosen[MOST];
    const size_t n = rr_show_chosen(s, MOST, false, chosen);
    size_t pools = 0;
    for (size_t i = 0; i < n; i++) pools += s->alternative[chosen[i]].n_pools;
    if (pools == 0) return;
    rr_doc_heading(d, 2, "Where the GPU time went");
    rr_doc_figure(d, "gpus");
    struct rr_table *t = rr_doc_table(d, "GPU-hours by pool: held = used + lost + idle + starting + down. Replication 1.");
    for (size_t i = 0; i < sizeof title / sizeof *title; i++) rr_table_column(t, title[i], i > 3);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < s->alternative[chosen[i]].n_pools; k++)
            row(s, t, &s->alternative[chosen[i]], &s->alternative[chosen[i]].pool[k]);
    if (n < s->n_alternatives) rr_doc_para(d, "The table shows %zu of %zu alternatives.", n, s->n_alternatives);
}

const struct rr_section rr_section_pools = {"pools", fill};
