/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/sheet.c - making a sheet cell by cell. */
#include "data/sheet.h"
#include <assert.h>
#include <math.h>
#include <string.h>

const char *const rr_sheet_units[RR_SHEET_UNITS] = {"text",    "money", "money per GPU-hour", "share", "number", "months", "GPU-hours",
                                                    "seconds", "bytes"};

struct rr_sheet_maker rr_sheet_begin(struct rr_arena *a, const char *name, const char *title, const char *note)
{
    return (struct rr_sheet_maker){.arena = a,
                                   .sheet = {.name = rr_strdup(a, name), .title = rr_strdup(a, title), .note = rr_strdup(a, note)}};
}

void rr_sheet_column(struct rr_sheet_maker *m, const char *title, enum rr_sheet_unit unit)
{
    assert(m->sheet.n_rows == 0);
    rr_vec_push(&m->head, ((struct rr_sheet_head){rr_strdup(m->arena, title), unit}));
}

static void fill_up(struct rr_sheet_maker *m)
{
    while (m->cell.n < m->sheet.n_rows * m->head.n) rr_vec_push(&m->cell, ((struct rr_sheet_cell){NAN, NULL}));
}

void rr_sheet_row(struct rr_sheet_maker *m)
{
    fill_up(m);
    m->sheet.n_rows++;
}

static void put(struct rr_sheet_maker *m, struct rr_sheet_cell c)
{
    assert(m->cell.n < m->sheet.n_rows * m->head.n);
    rr_vec_push(&m->cell, c);
}

void rr_sheet_number(struct rr_sheet_maker *m, double v) { put(m, (struct rr_sheet_cell){v, NULL}); }

void rr_sheet_text(struct rr_sheet_maker *m, const char *text) { put(m, (struct rr_sheet_cell){NAN, rr_strdup(m->arena, text)}); }

struct rr_sheet rr_sheet_end(struct rr_sheet_maker *m)
{
    fill_up(m);
    struct rr_sheet s = m->sheet;
    struct rr_sheet_head *head = RR_NEWS(m->arena, struct rr_sheet_head, m->head.n + 1);
    struct rr_sheet_cell *cell = RR_NEWS(m->arena, struct rr_sheet_cell, m->cell.n + 1);
    if (m->head.n) memcpy(head, m->head.at, m->head.n * sizeof *head);
    if (m->cell.n) memcpy(cell, m->cell.at, m->cell.n * sizeof *cell);
    s.head = head;
    s.cell = cell;
    s.n_columns = m->head.n;
    rr_vec_done(&m->head);
    rr_vec_done(&m->cell);
    return s;
}
