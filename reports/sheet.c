/* SPDX-License-Identifier: GPL-3.0-or-later
 * reports/sheet.c - a sheet of the study as a table. */
#include "reports/doc.h"
#include "reports/show.h"
#include <math.h>

enum { LONG = 26 }; // rows from which a table is closed at first

static const char *shown(const struct rr_store *s, struct rr_arena *a, enum rr_sheet_unit unit, double v)
{
    switch (unit) {
    case RR_SHEET_MONEY: return rr_show_amount(a, v, s->currency);
    case RR_SHEET_RATE: return rr_show_metric(a, RR_U_MONEY_PER_GPU_HOUR, v, s->currency);
    case RR_SHEET_SHARE: return rr_show_share(a, v);
    case RR_SHEET_SECONDS: return rr_show_time(a, v);
    case RR_SHEET_BYTES: return rr_show_bytes(a, v);
    default: return rr_show_number(a, v);
    }
}

static void cell(const struct rr_store *s, struct rr_table *t, enum rr_sheet_unit unit, const struct rr_sheet_cell *c)
{
    if (c->text)
        rr_table_cell(t, c->text);
    else
        rr_table_cell(t, isnan(c->number) ? RR_SHOW_NONE : shown(s, t->arena, unit, c->number));
}

void rr_doc_sheet(struct rr_doc *d, const struct rr_store *s, const struct rr_sheet *x)
{
    rr_doc_heading(d, 3, x->title);
    struct rr_table *t = rr_doc_table(d, x->note);
    t->fold = x->n_rows >= LONG;
    for (size_t k = 0; k < x->n_columns; k++) rr_table_column(t, x->head[k].title, x->head[k].unit != RR_SHEET_TEXT);
    for (size_t i = 0; i < x->n_rows; i++) {
        rr_table_row(t);
        for (size_t k = 0; k < x->n_columns; k++) cell(s, t, x->head[k].unit, &x->cell[i * x->n_columns + k]);
    }
}
