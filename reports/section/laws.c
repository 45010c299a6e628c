/* SPDX-License-Identifier: GPL-3.0-or-later
 * reports/section/laws.c - the books balance, or not. */
#include "reports/doc.h"
#include <string.h>

static const char *title_of(const char *law)
{
    static const char *const title[][2] = {
        {"jobs", "1 Jobs"}, {"gpu_time", "2 GPU time"}, {"money", "3 Money"}, {"payer", "4 One payer"}, {"named", "5 Nothing silent"}};
    for (size_t i = 0; i < sizeof title / sizeof *title; i++)
        if (strcmp(law, title[i][0]) == 0) return title[i][1];
    return law;
}

static void fill(const struct rr_store *s, struct rr_doc *d)
{
    size_t n = 0, held = 0;
    for (size_t i = 0; i < s->n_alternatives; i++)
        for (size_t k = 0; k < s->alternative[i].n_laws; k++) {
            n++;
            held += s->alternative[i].law[k].holds;
        }
    if (n == 0) return;
    rr_doc_heading(d, 2, "The books");
    rr_doc_para(d, "%zu of %zu checks hold.", held, n);
    struct rr_table *t = rr_doc_table(d, "The laws of the replay and of the bill, checked to the microsecond and the millionth.");
    t->fold = held == n;
    rr_table_column(t, "Alternative", false);
    rr_table_column(t, "Law", false);
    rr_table_column(t, "Holds", false);
    rr_table_column(t, "Numbers", false);
    for (size_t i = 0; i < s->n_alternatives; i++)
        for (size_t k = 0; k < s->alternative[i].n_laws; k++) {
            const struct rr_law_result *l = &s->alternative[i].law[k];
            rr_table_row(t);
            rr_table_cell(t, s->alternative[i].name);
            rr_table_cell(t, title_of(l->law));
            rr_table_cell(t, l->holds ? "yes" : "no");
            rr_table_mark(t, l->holds ? RR_MARK_GOOD : RR_MARK_BAD);
            rr_table_cell(t, l->detail);
        }
}

const struct rr_section rr_section_laws = {"laws", fill};
