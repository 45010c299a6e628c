/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/price_import.h - readers of foreign price lists: each makes rows of a price book.
 *
 * A reader is one constant in one file, data/import/prices_NAME.c, and one row in data/import/prices_list.h. It fills a struct rr_book_row
 * with texts of rr_price_text() and calls rr_price_add(), or rr_price_leave() for what is no price: a blank is not zero, a 0 is
 * no price, and what is left out is counted by reason with the first line of each. What cannot be understood is an error with its line. */
#ifndef RR_DATA_PRICE_IMPORT_H
#define RR_DATA_PRICE_IMPORT_H
#include "data/names.h"
#include "data/price_book.h"

struct rr_price_option { /* --set KEY=VALUE: what the file itself does not say; --column OURS=THEIRS */
    const char *key, *value;
};
struct rr_price_options {
    const char *format; /* NULL or "auto": the surest */
    const struct rr_price_option *set, *column;
    size_t n_set, n_columns;
    const struct rr_book_discount *discount; /* taken off at once */
    size_t n_discounts;
};
struct rr_price_left { /* rows that are no prices */
    const char *reason;
    size_t n;
    int64_t first_line;
};
struct rr_price_import {
    const char *path, *format;
    const struct rr_price_options *opt;
    const struct rr_catalog *catalog; /* may be NULL */
    struct rr_arena *arena;
    struct rr_names names;
    RR_VEC(struct rr_book_row) row;
    RR_VEC(const char *) gpu; /* [names] our id of a GPU's name, NULL: not looked up yet */
    RR_VEC(struct rr_price_left) left, kept;
    size_t read;      /* rows of the file, header not counted */
    size_t collapsed; /* zone rows that became one of the region */
    char sha256[65];
};
struct rr_price_reader {
    const char *name, *summary;
    int (*sniff)(const char *head, size_t n); /* 0 = no .. 100 = certain, by the first bytes */
    RR_CHECKED enum rr_status (*read)(struct rr_price_import *in);
    const char *keys; /* what --set may say, separated by blanks */
};
#define X(name) extern const struct rr_price_reader rr_price_reader_##name;
#include "data/import/prices_list.h"
#undef X
extern const struct rr_price_reader *const rr_price_readers[]; /* NULL-terminated */

/* What a call has read. */
struct rr_price_imported {
    const char *format;
    size_t rows;                             /* of the file */
    const struct rr_price_left *left, *kept; /* left out; kept, but odd */
    size_t n_left, n_kept, collapsed;
};
/* One foreign file as a book in `a`; told (may be NULL) gets the counts. Identical rows are kept once; of rows that differ in the price
 * alone the last one counts, and the number of them is in book->repeated. Discounts are taken off. */
RR_CHECKED enum rr_status rr_price_import(const char *path, const struct rr_price_options *opt, const struct rr_catalog *c,
                                          struct rr_arena *a, struct rr_price_book *ret, struct rr_price_imported *told);

/* ---- for readers ---- */

const char *rr_price_text(struct rr_price_import *in, struct rr_slice s); /* interned; "" when empty */
const char *rr_price_word(struct rr_price_import *in, const char *s);
const char *rr_price_id(struct rr_price_import *in, const char *provider, struct rr_slice instance); /* "aws/p5.48xlarge" */
/* The value of --set KEY=, or `otherwise`. */
const char *rr_price_set(const struct rr_price_import *in, const char *key, const char *otherwise);
/* Of --set valid_from=, else a date in the path (".../v5-2023-07-10/..."); RR_EINPUT that asks for it. */
RR_CHECKED enum rr_status rr_price_date(const struct rr_price_import *in, int64_t *ret_us);
/* --set provider=, else the file's name up to the first "." or "_": "aws_gpu.csv" is aws. */
const char *rr_price_provider(struct rr_price_import *in);
/* Takes the row; checks its words, turns the GPU's name into our id. RR_EINPUT "PATH:LINE: ...". */
RR_CHECKED enum rr_status rr_price_add(struct rr_price_import *in, const struct rr_book_row *row);
void rr_price_leave(struct rr_price_import *in, int64_t line, const char *reason); /* reason: a constant */
void rr_price_keep(struct rr_price_import *in, int64_t line, const char *reason);  /* the same for a row that is taken, but odd */
/* on_demand rows of all zones of a region that agree become one row of the region: catalogs repeat a region's price zone by zone. */
void rr_price_collapse(struct rr_price_import *in);
/* A price as printed into nanos; "" is RR_BOOK_NO_PRICE. RR_EINPUT "PATH:LINE: ..." for a negative one and for what is no number; digits past
 * the ninth decimal are rounded half-even unless `exact`, when they are refused. */
RR_CHECKED enum rr_status rr_price_nano(const struct rr_price_import *in, int64_t line, struct rr_slice s, bool exact, int64_t *ret);
/* "2026-01-01", with a time, "2026-01" or "2026" (their first instant). */
RR_CHECKED enum rr_status rr_price_when(struct rr_slice s, int64_t *ret_us);

/* Rows to groups, series and order; takes the rows over into the arena. */
void rr_price_index(struct rr_price_import *in, struct rr_price_book *ret);
enum rr_status rr_price_fail(const struct rr_price_import *in, int64_t line, const char *fmt, ...) RR_PRINTF(3, 4);
#endif
