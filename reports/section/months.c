/* SPDX-License-Identifier: GPL-3.0-or-later
 * reports/section/months.c - cost by year and by month. */
#include "reports/doc.h"
#include "reports/show.h"
#include <string.h>

enum { MOST = 4, FEW_MONTHS = 13, MOST_MONTHS = 600 };

static const struct rr_month_row *month_of(const struct rr_alternative *a, const char *month)
{
    for (size_t i = 0; i < a->n_months; i++)
        if (strcmp(a->month[i].month, month) == 0) return &a->month[i];
    return NULL;
}

// Sum over the months whose name begins with `period`.
static void period_cells(const struct rr_store *s, struct rr_table *t, const struct rr_alternative *a, const char *period)
{
    struct rr_money effective = {0}, billed = {0};
    for (size_t i = 0; i < a->n_months; i++) {
        if (strncmp(a->month[i].month, period, strlen(period)) != 0) continue;
        effective.micro += a->month[i].effective.micro;
        billed.micro += a->month[i].billed.micro;
    }
    rr_table_cell(t, rr_show_money(t->arena, effective, s->currency));
    rr_table_cell(t, rr_show_money(t->arena, billed, s->currency));
}

static struct rr_table *begin(const struct rr_store *s, struct rr_doc *d, const char *first, const char *caption, const size_t *chosen,
                              size_t n)
{
    struct rr_table *t = rr_doc_table(d, caption);
    rr_table_column(t, first, false);
    for (size_t i = 0; i < n; i++) {
        const char *name = rr_show_name(s, d->arena, chosen[i]);
        rr_table_column(t, rr_strf(d->arena, "%s: effective", name), true);
        rr_table_column(t, rr_strf(d->arena, "%s: billed", name), true);
    }
    return t;
}

// The alternative with the most months gives the rows.
static const struct rr_alternative *longest(const struct rr_store *s, const size_t *chosen, size_t n)
{
    const struct rr_alternative *a = &s->alternative[chosen[0]];
    for (size_t i = 1; i < n; i++)
        if (s->alternative[chosen[i]].n_months > a->n_months) a = &s->alternative[chosen[i]];
    return a;
}

static void by_year(const struct rr_store *s, struct rr_doc *d, const struct rr_alternative *rows, const size_t *chosen, size_t n)
{
    struct rr_table *t = begin(s, d, "Year", "Cost by calendar year, replication 1.", chosen, n);
    for (size_t k = 0; k < rows->n_months; k++) {
        const char *dash = strrchr(rows->month[k].month, '-');
        if (!dash) continue;
        const char *year = rr_strndup(d->arena, rows->month[k].month, (size_t)(dash - rows->month[k].month));
        if (k && strncmp(rows->month[k - 1].month, year, strlen(year)) == 0) continue;
        rr_table_row(t);
        rr_table_cell(t, year);
        for (size_t i = 0; i < n; i++) period_cells(s, t, &s->alternative[chosen[i]], year);
    }
}

static void by_month(const struct rr_store *s, struct rr_doc *d, const struct rr_alternative *rows, const size_t *chosen, size_t n)
{
    struct rr_table *t = begin(s, d, "Month", "Cost by month, replication 1.", chosen, n);
    t->fold = rows->n_months > FEW_MONTHS;
    for (size_t k = 0; k < rows->n_months && k < MOST_MONTHS; k++) {
        rr_table_row(t);
        rr_table_cell(t, rows->month[k].month);
        for (size_t i = 0; i < n; i++) {
            const struct rr_month_row *m = month_of(&s->alternative[chosen[i]], rows->month[k].month);
            rr_table_cell(t, m ? rr_show_money(d->arena, m->effective, s->currency) : RR_SHOW_NONE);
            rr_table_cell(t, m ? rr_show_money(d->arena, m->billed, s->currency) : RR_SHOW_NONE);
        }
    }
}

static void fill(const struct rr_store *s, struct rr_doc *d)
{
    size_t chosen[MOST];
    const size_t n = rr_show_chosen(s, MOST, true, chosen);
    const struct rr_alternative *rows = n ? longest(s, chosen, n) : NULL;
    for (size_t i = 0; i < s->n_sheets; i++)
        if (strcmp(s->sheet[i].name, "finance.months") == 0) return; // told under Finance
    if (!rows || rows->n_months < 2) return;
    rr_doc_heading(d, 2, "Over time");
    if (rows->n_months > 12) by_year(s, d, rows, chosen, n);
    by_month(s, d, rows, chosen, n);
}

const struct rr_section rr_section_months = {"months", fill};
