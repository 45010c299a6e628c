/* SPDX-License-Identifier: GPL-3.0-or-later
 * reports/section/classes.c - showback: who used the GPUs, and what that cost. */
#include "reports/doc.h"
#include "reports/show.h"
#include <math.h>

enum { MOST = 6, MOST_ROWS = 200 };

static void row(const struct rr_store *s, struct rr_table *t, const struct rr_alternative *a, const struct rr_class_row *c)
{
    rr_table_row(t);
    rr_table_cell(t, rr_show_name(s, t->arena, (size_t)(a - s->alternative)));
    rr_table_cell(t, c->name && *c->name ? c->name : "(no class)");
    rr_table_cell(t, rr_show_count(t->arena, c->jobs));
    rr_table_cell(t, rr_show_count(t->arena, c->finished));
    rr_table_cell(t, rr_show_number(t->arena, c->used_gpu_hours >= 100 ? floor(c->used_gpu_hours + 0.5) : c->used_gpu_hours));
    rr_table_cell(t, a->unpriced ? RR_SHOW_NONE : rr_show_money(t->arena, c->effective, s->currency));
    rr_table_cell(t, a->unpriced ? RR_SHOW_NONE : rr_show_money(t->arena, c->billed, s->currency));
    const bool priced = !a->unpriced && c->used_gpu_hours > 0;
    rr_table_cell(t, priced ? rr_show_amount(t->arena, rr_money_double(c->effective) / c->used_gpu_hours, s->currency) : RR_SHOW_NONE);
    rr_table_cell(t, rr_show_seconds(t->arena, c->wait_mean_s));
}

static void fill(const struct rr_store *s, struct rr_doc *d)
{
    static const char *const title[] = {"Alternative",       "Class",     "Jobs", "Finished", "GPU-hours used", "Effective cost", "Billed",
                                        "Per GPU-hour used", "Wait, mean"};
    size_t chosen[MOST], rows = 0, most = 0;
    const size_t n = rr_show_chosen(s, MOST, false, chosen);
    for (size_t i = 0; i < n; i++)
        if (s->alternative[chosen[i]].n_classes > most) most = s->alternative[chosen[i]].n_classes;
    if (most == 0) return;
    rr_doc_heading(d, 2, "Who used it");
    struct rr_table *t = rr_doc_table(d, "Showback by job class; idle GPU time is shared by the GPU time used. Replication 1.");
    for (size_t i = 0; i < sizeof title / sizeof *title; i++) rr_table_column(t, title[i], i > 1);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < s->alternative[chosen[i]].n_classes && rows < MOST_ROWS; k++, rows++)
            row(s, t, &s->alternative[chosen[i]], &s->alternative[chosen[i]].class_row[k]);
    if (n < s->n_alternatives) rr_doc_para(d, "The table shows %zu of %zu alternatives.", n, s->n_alternatives);
}

const struct rr_section rr_section_classes = {"classes", fill};
