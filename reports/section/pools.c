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

enum { HOURS = 6 };
static const char *const hours_title[HOURS] = {"Held", "Used", "Lost", "Idle", "Starting", "Down"};

static double hours_of(const struct rr_pool_row *p, int k)
{
    return (const double[HOURS]){p->held, p->used, p->lost, p->idle, p->starting, p->down}[k];
}

struct shown {
    size_t alternative[MOST], n;
    bool hours[HOURS]; // columns that are not 0 throughout
};

static void row(const struct rr_store *s, struct rr_table *t, const struct shown *w, const struct rr_alternative *a,
                const struct rr_pool_row *p)
{
    rr_table_row(t);
    rr_table_cell(t, rr_show_name(s, t->arena, (size_t)(a - s->alternative)));
    rr_table_cell(t, p->name);
    rr_table_cellf(t, "%s%s%s", p->what, *p->what ? ", " : "", rr_show_word(t->arena, p->plan));
    rr_table_cell(t, nodes_text(t->arena, p));
    for (int k = 0; k < HOURS; k++)
        if (w->hours[k]) hours_cell(t, hours_of(p, k));
    rr_table_cell(t, p->held > 0 ? rr_show_share(t->arena, (p->used + p->lost) / p->held) : RR_SHOW_NONE);
    rr_table_cell(t, a->unpriced ? RR_SHOW_NONE : rr_show_money(t->arena, p->effective, s->currency));
}

static size_t choose(const struct rr_store *s, struct shown *w)
{
    size_t pools = 0;
    *w = (struct shown){.hours = {[0] = true, [1] = true, [3] = true}};
    w->n = rr_show_chosen(s, MOST, false, w->alternative);
    for (size_t i = 0; i < w->n; i++) {
        const struct rr_alternative *a = &s->alternative[w->alternative[i]];
        pools += a->n_pools;
        for (size_t p = 0; p < a->n_pools; p++)
            for (int k = 0; k < HOURS; k++) w->hours[k] |= hours_of(&a->pool[p], k) != 0;
    }
    return pools;
}

static bool any_bars(const struct rr_store *s)
{
    for (size_t i = 0; i < s->n_alternatives; i++)
        if (s->alternative[i].n_bars) return true;
    return false;
}

// From results.json alone: over all pools, means over replications.
static void over_all(const struct rr_store *s, struct rr_doc *d)
{
    size_t chosen[MOST];
    const size_t n = rr_show_chosen(s, MOST, false, chosen);
    if (n == 0) return;
    rr_doc_heading(d, 2, "Where the GPU time went");
    struct rr_table *t = rr_doc_table(d, "GPU-hours over all pools: held = used + lost + idle + starting + down.");
    rr_table_column(t, "Alternative", false);
    for (int k = 0; k < HOURS; k++) rr_table_column(t, hours_title[k], true);
    rr_table_column(t, "Allocated", true);
    for (size_t i = 0; i < n; i++) {
        const struct rr_stat *m = s->alternative[chosen[i]].metric;
        static const int hours[HOURS] = {RR_M_GPU_HOURS_HELD, RR_M_GPU_HOURS_USED,     RR_M_GPU_HOURS_LOST,
                                         RR_M_GPU_HOURS_IDLE, RR_M_GPU_HOURS_STARTING, RR_M_GPU_HOURS_DOWN};
        rr_table_row(t);
        rr_table_cell(t, rr_show_name(s, t->arena, chosen[i]));
        for (int k = 0; k < HOURS; k++) hours_cell(t, m[hours[k]].mean);
        rr_table_cell(t, rr_show_share(t->arena, m[RR_M_GPU_ALLOCATED_SHARE].mean));
    }
}

static void fill(const struct rr_store *s, struct rr_doc *d)
{
    static const char *const title[] = {"Alternative", "Pool", "Hardware, plan", "Nodes"};
    struct shown w;
    if (s->summary_only) {
        over_all(s, d);
        return;
    }
    if (choose(s, &w) == 0) return;
    rr_doc_heading(d, 2, "Where the GPU time went");
    rr_doc_figure(d, "gpus");
    rr_doc_figure(d, "gantt");
    if (d->figures && d->figures->n && !any_bars(s))
        rr_doc_para(d, "A plot node by node is left out: it is drawn of runs with at most %d nodes and %s jobs.", RR_BAR_NODES,
                    rr_show_count(d->arena, RR_BAR_JOBS));
    struct rr_table *t =
        rr_doc_table(d, "GPU-hours by pool, replication 1: held = used + lost + idle + starting + down; what is 0 throughout is left out.");
    for (size_t i = 0; i < sizeof title / sizeof *title; i++) rr_table_column(t, title[i], i > 2);
    for (int k = 0; k < HOURS; k++)
        if (w.hours[k]) rr_table_column(t, hours_title[k], true);
    rr_table_column(t, "Allocated", true);
    rr_table_column(t, "Effective cost", true);
    for (size_t i = 0; i < w.n; i++)
        for (size_t k = 0; k < s->alternative[w.alternative[i]].n_pools; k++)
            row(s, t, &w, &s->alternative[w.alternative[i]], &s->alternative[w.alternative[i]].pool[k]);
    if (w.n < s->n_alternatives) rr_doc_para(d, "The table shows %zu of %zu alternatives.", w.n, s->n_alternatives);
}

const struct rr_section rr_section_pools = {"pools", fill};
