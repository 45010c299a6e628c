/* SPDX-License-Identifier: GPL-3.0-or-later
 * reports/section/interruptions.c - what interrupted jobs, and the GPU time it cost. */
#include "reports/doc.h"
#include "reports/show.h"

enum { MOST = 24 };

static void count_cell(struct rr_table *t, int64_t n)
{
    rr_table_cell(t, n ? rr_show_count(t->arena, n) : RR_SHOW_NONE);
    if (!n) rr_table_mark(t, RR_MARK_MUTED);
}

static void rows(const struct rr_store *s, struct rr_table *t, size_t i)
{
    const struct rr_alternative *a = &s->alternative[i];
    double held = 0;
    for (size_t p = 0; p < a->n_pools; p++) held += a->pool[p].used + a->pool[p].lost;
    for (size_t k = 0; k < a->n_losses; k++) {
        const struct rr_loss_row *l = &a->loss[k];
        rr_table_row(t);
        rr_table_cell(t, rr_show_name(s, t->arena, i));
        rr_table_cell(t, l->reason);
        count_cell(t, l->attempts);
        count_cell(t, l->nodes);
        count_cell(t, l->events);
        rr_table_cell(t, rr_show_number(t->arena, l->gpu_hours));
        rr_table_cell(t, held > 0 ? rr_show_share(t->arena, l->gpu_hours / held) : RR_SHOW_NONE);
    }
}

static void fill(const struct rr_store *s, struct rr_doc *d)
{
    static const char *const title[] = {"Alternative", "Reason",         "Attempts ended",  "Nodes lost",
                                        "Events",      "GPU-hours lost", "Of GPU time held"};
    size_t chosen[MOST], told = 0;
    const size_t n = rr_show_chosen(s, MOST, false, chosen);
    for (size_t i = 0; i < n; i++) told += s->alternative[chosen[i]].n_losses;
    if (told == 0) return;
    rr_doc_heading(d, 2, "Interruptions");
    struct rr_table *t =
        rr_doc_table(d, "By reason, replication 1: attempts that ended early, nodes that were lost and at how many instants, and the "
                        "GPU time that left no kept work.");
    for (size_t i = 0; i < sizeof title / sizeof *title; i++) rr_table_column(t, title[i], i > 1);
    for (size_t i = 0; i < n; i++) rows(s, t, chosen[i]);
    if (n < s->n_alternatives) rr_doc_para(d, "The table shows %zu of %zu alternatives.", n, s->n_alternatives);
}

const struct rr_section rr_section_interruptions = {"interruptions", fill};
