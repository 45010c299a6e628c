/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/sheet.h - a finding in rows and columns, as the study found it and the reports print it.
 *
 *     struct rr_sheet_maker m = rr_sheet_begin(arena, "finance.rents", "If rents move", "...");
 *     rr_sheet_column(&m, "rent", RR_SHEET_TEXT);
 *     rr_sheet_column(&m, "buy", RR_SHEET_MONEY);
 *     rr_sheet_row(&m);
 *     rr_sheet_text(&m, "flat");
 *     rr_sheet_number(&m, 1234567.5);
 *     struct rr_sheet sheet = rr_sheet_end(&m); */
#ifndef RR_DATA_SHEET_H
#define RR_DATA_SHEET_H
#include "data/base/arena.h"
#include "data/base/vec.h"

enum rr_sheet_unit {
    RR_SHEET_TEXT,
    RR_SHEET_MONEY,  /* currency units of the run */
    RR_SHEET_RATE,   /* currency units per GPU-hour */
    RR_SHEET_SHARE,  /* 0.3 is 30 % */
    RR_SHEET_NUMBER, /* of whatever the column says */
    RR_SHEET_MONTHS,
    RR_SHEET_HOURS, /* GPU-hours */
    RR_SHEET_SECONDS,
    RR_SHEET_BYTES,
    RR_SHEET_UNITS
};
extern const char *const rr_sheet_units[RR_SHEET_UNITS]; /* "text", "money", ... */

struct rr_sheet_cell {
    double number;    /* NaN = none */
    const char *text; /* not NULL: stands in place of the number ("never") */
};
struct rr_sheet_head {
    const char *title;
    enum rr_sheet_unit unit;
};
struct rr_sheet {
    const char *name;                 /* "finance.rents": letters, digits, _ and . */
    const char *title;                /* for people */
    const char *note;                 /* how it was found, "" = none */
    const struct rr_sheet_head *head; /* [n_columns] */
    const struct rr_sheet_cell *cell; /* [n_rows * n_columns], by rows */
    size_t n_columns, n_rows;
};

struct rr_sheet_maker {
    struct rr_arena *arena;
    struct rr_sheet sheet;
    RR_VEC(struct rr_sheet_head) head;
    RR_VEC(struct rr_sheet_cell) cell;
};
struct rr_sheet_maker rr_sheet_begin(struct rr_arena *a, const char *name, const char *title, const char *note);
void rr_sheet_column(struct rr_sheet_maker *m, const char *title, enum rr_sheet_unit unit); /* all before the first row */
void rr_sheet_row(struct rr_sheet_maker *m);                                                /* fills the row before it up with nothing */
void rr_sheet_number(struct rr_sheet_maker *m, double v);
void rr_sheet_text(struct rr_sheet_maker *m, const char *text); /* copied */
/* All memory in the arena; the maker is empty afterwards. */
struct rr_sheet rr_sheet_end(struct rr_sheet_maker *m);
#endif
