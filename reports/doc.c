/* SPDX-License-Identifier: GPL-3.0-or-later
 * reports/doc.c - building the document. */
#include "reports/doc.h"
#include <stdio.h>
#include <string.h>

static const char *formatted(struct rr_arena *a, const char *fmt, va_list ap)
{
    char text[2048];
    vsnprintf(text, sizeof text, fmt, ap);
    return rr_strdup(a, text);
}

static struct rr_block *add(struct rr_doc *d, enum rr_block_kind kind, const char *text)
{
    rr_vec_push(&d->block, ((struct rr_block){.kind = kind, .text = text, .note = ""}));
    return &d->block.at[d->block.n - 1];
}

void rr_doc_done(struct rr_doc *d)
{
    for (size_t i = 0; i < d->block.n; i++) {
        struct rr_table *t = &d->block.at[i].table;
        for (size_t k = 0; k < t->row.n; k++) rr_vec_done(&t->row.at[k].cell);
        rr_vec_done(&t->row);
        rr_vec_done(&t->column);
    }
    rr_vec_done(&d->block);
}

void rr_doc_heading(struct rr_doc *d, int level, const char *text) { add(d, RR_BLOCK_HEADING, rr_strdup(d->arena, text))->level = level; }

void rr_doc_lead(struct rr_doc *d, const char *text) { add(d, RR_BLOCK_LEAD, rr_strdup(d->arena, text)); }

void rr_doc_para(struct rr_doc *d, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    add(d, RR_BLOCK_PARA, formatted(d->arena, fmt, ap));
    va_end(ap);
}

void rr_doc_warning(struct rr_doc *d, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    add(d, RR_BLOCK_WARNING, formatted(d->arena, fmt, ap));
    va_end(ap);
}

void rr_doc_item(struct rr_doc *d, const char *text, const char *note)
{
    struct rr_block *b = add(d, RR_BLOCK_ITEM, rr_strdup(d->arena, text ? text : ""));
    b->note = rr_strdup(d->arena, note ? note : "");
}

void rr_doc_figure(struct rr_doc *d, const char *name)
{
    for (size_t i = 0; d->figures && i < d->figures->n; i++)
        if (strcmp(d->figures->at[i].name, name) == 0) add(d, RR_BLOCK_FIGURE, "")->figure = &d->figures->at[i];
}

struct rr_table *rr_doc_table(struct rr_doc *d, const char *caption)
{
    struct rr_table *t = &add(d, RR_BLOCK_TABLE, "")->table;
    t->arena = d->arena;
    t->caption = rr_strdup(d->arena, caption);
    return t;
}

void rr_table_column(struct rr_table *t, const char *title, bool number)
{
    rr_vec_push(&t->column, ((struct rr_column){rr_strdup(t->arena, title), number}));
}

void rr_table_row(struct rr_table *t) { rr_vec_push(&t->row, (struct rr_row){0}); }

void rr_table_cell(struct rr_table *t, const char *text)
{
    struct rr_row *r = &t->row.at[t->row.n - 1];
    rr_vec_push(&r->cell, ((struct rr_doc_cell){.text = rr_strdup(t->arena, text ? text : "")}));
}

void rr_table_cellf(struct rr_table *t, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    rr_table_cell(t, formatted(t->arena, fmt, ap));
    va_end(ap);
}

static struct rr_doc_cell *last(struct rr_table *t)
{
    struct rr_row *r = &t->row.at[t->row.n - 1];
    return &r->cell.at[r->cell.n - 1];
}

void rr_table_mark(struct rr_table *t, enum rr_mark mark) { last(t)->mark = mark; }

void rr_table_bar(struct rr_table *t, double share) { last(t)->bar = share > 0 && share <= 1 ? share : 0; }

void rr_doc_fill(struct rr_doc *d, const struct rr_store *s)
{
    static const struct rr_section *const all[] = {
#define X(name) &rr_section_##name,
#include "reports/section/list.h"
#undef X
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) all[i]->fill(s, d);
}
