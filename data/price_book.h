/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/price_book.h - a price book: dated prices of one's own, by provider, product, instance, region, zone and plan.
 *
 * A book is a CSV (data/README.md has its columns); importers (data/price_import.h) make one of foreign catalogs. Rows that differ in their
 * date alone are one price over time, a path: each holds from its date until the next. A row without a price ends the offer.
 * What names no region holds in all, what names no zone in the whole region. */
#ifndef RR_DATA_PRICE_BOOK_H
#define RR_DATA_PRICE_BOOK_H
#include "data/base/vec.h"
#include "data/catalog.h"

enum rr_book_unit {
    RR_BOOK_INSTANCE_HOUR,
    RR_BOOK_GPU_HOUR,
    RR_BOOK_GPU_SECOND,
    RR_BOOK_REQUEST,
    RR_BOOK_MTOKEN,
    RR_BOOK_GB_MONTH,
    RR_BOOK_GB,
    RR_BOOK_UNITS
};
extern const char *const rr_book_units[]; /* "instance-hour", ...; NULL-terminated */
extern const char *const rr_book_plans[]; /* "on_demand", "spot", ...; NULL-terminated */

/* Texts are interned in their book: equal texts have equal addresses. "" = not said; region and zone "" = any. */
struct rr_book_row {
    const char *provider; /* "aws" */
    const char *product;  /* "compute" where the book says nothing; what else is sold: "storage", "egress", "host", "accelerator" */
    const char *instance; /* "aws/p5.48xlarge", with the provider in front; "" for what is no machine */
    const char *gpu;      /* our id where the name is known ("h100-80gb-sxm"), else as the source has it */
    const char *region, *zone, *plan, *term, *payment, *source, *note;
    int64_t nano;             /* per `unit`, exactly as printed; RR_BOOK_NO_PRICE: not offered from here on */
    struct rr_money upfront;  /* per instance, at the start of the term */
    int64_t valid_us;         /* from when the price holds: microseconds since 1970 */
    int32_t gpus_milli, line; /* GPUs of an instance in thousandths, 0 = not said; line of the file */
    enum rr_book_unit unit;
    char currency[4];
};
#define RR_BOOK_NO_PRICE INT64_C(-1)
/* A row without a price ends the offer; one that is paid up front has none by the hour. */
static inline bool rr_book_offers(const struct rr_book_row *r) { return r->nano > 0 || r->upfront.micro > 0; }

struct rr_book_series { /* one key but for the date: rows order[first .. first + n), by date */
    const char *region, *zone;
    uint32_t first, n;
};
struct rr_book_group { /* the same without region and zone: series[first .. first + n), in the order of the file */
    const char *product, *instance, *plan, *term, *payment;
    uint32_t first, n;
};
struct rr_book_index; /* texts and groups by hash */
struct rr_price_book {
    const char *path;
    char sha256[65]; /* "" when it was not read from one file */
    struct rr_book_row *row;
    const struct rr_book_series *series;
    const struct rr_book_group *group;
    const uint32_t *order;
    size_t n, n_series, n_groups;
    struct rr_book_index *index;
    size_t repeated; /* rows that say again what another row says */
};

/* Reads a book into `a`: 250,000 rows in less than a second. GPU names become our ids by the catalog (may be NULL). Errors: RR_EINPUT
 * "PATH:LINE: ..." for an unknown column or word, a price that is 0 or negative or has more than 9 decimals, a date or source that
 * is missing; two prices or two currencies of one key at one date (rr_book_conflicts). */
RR_CHECKED enum rr_status rr_book_read(const char *path, const struct rr_catalog *c, struct rr_arena *a, struct rr_price_book *ret);
/* The same, but conflicts between rows are left for the lints. */
RR_CHECKED enum rr_status rr_book_read_raw(const char *path, const struct rr_catalog *c, struct rr_arena *a, struct rr_price_book *ret);
/* Several books as one; of two prices of one key and date the last one counts. Lines stay those of the own files. */
void rr_book_merge(const struct rr_price_book *const *book, size_t n, struct rr_arena *a, struct rr_price_book *ret);
/* The shipped facts as a book. */
void rr_book_of_facts(const struct rr_catalog *c, struct rr_arena *a, struct rr_price_book *ret);
/* Two prices of one key and date, or two currencies in one key: RR_EINPUT naming both lines; RR_OK when there are none. */
RR_CHECKED enum rr_status rr_book_conflicts(const struct rr_price_book *b);
void rr_book_write(struct rr_buf *out, const struct rr_price_book *b); /* as CSV, in the order of the rows */

/* A price as somebody asks for it. Texts need not be interned. */
struct rr_book_query {
    const char *provider; /* NULL: any; an instance has its provider in front */
    const char *product;  /* NULL: "compute" */
    const char *instance; /* "" for what is no machine */
    const char *region;   /* "": any, when all regions agree. "us-east-1/use1-az4" names the zone as well */
    const char *plan, *term, *payment;
    int64_t at_us; /* microseconds since 1970; RR_NEVER: the latest */
};
/* The row that holds then: of region and zone, else of the region, else of any region. Without a zone the zones of the region must agree.
 * *ret is NULL when the book has nothing; *ret_early (may be NULL) is true when the first price begins after at_us: it is taken all the same.
 * RR_EINPUT: zones or regions differ, the zone is unknown, or it is no longer offered. */
RR_CHECKED enum rr_status rr_book_find(const struct rr_price_book *b, const struct rr_book_query *q, const struct rr_book_row **ret,
                                       bool *ret_early);
/* All dates in (from_us, to_us) at which the answer of rr_book_find may change, ascending, each once; in `a`. */
void rr_book_changes(const struct rr_price_book *b, const struct rr_book_query *q, int64_t from_us, int64_t to_us, struct rr_arena *a,
                     int64_t **ret_us, size_t *ret_n);

/* ---- books in front of the shipped facts ---- */

struct rr_book_discount { /* of an agreement, on all plans but spot */
    const char *pattern;  /* "aws/p5*"; the longest pattern that fits holds */
    int64_t share_nano;   /* 0.12 = 120000000; below 1 */
};
/* The one that holds for a row; NULL: none. */
const struct rr_book_discount *rr_book_discount(const struct rr_book_discount *d, size_t n, const struct rr_book_row *row);
/* Off a price (RR_BOOK_NO_PRICE stays) and what is paid up front, each rounded half-even. */
RR_CHECKED enum rr_status rr_book_less(const struct rr_book_discount *d, int64_t *nano, struct rr_money *upfront);
bool rr_book_discount_fits(const struct rr_price_book *b, const char *pattern); /* some instance, on another plan than spot */
struct rr_shelf_book {
    struct rr_price_book book;
    const struct rr_book_discount *discount;
    size_t n_discounts;
};
struct rr_scenario;
/* What rr_catalog_price and rr_catalog_instance look through before the facts. */
struct rr_shelf {
    const struct rr_shelf_book *const *book;
    size_t n;
    int64_t at_us;                      /* the scenario's start; RR_NEVER: without a calendar, the latest price holds */
    const struct rr_scenario *scenario; /* its currency and exchange rates; NULL: not looked at */
    struct rr_arena *arena;             /* rows that are made of books */
};
/* A row of a book as a row of the catalog, with discount, source and place; RR_EINPUT when its unit is none of machines. */
RR_CHECKED enum rr_status rr_shelf_row(const struct rr_catalog *c, const struct rr_shelf_book *b, const struct rr_book_row *row,
                                       const struct rr_price_row **ret);
/* NULL in *ret: no book has it. Called by rr_catalog_price. */
RR_CHECKED enum rr_status rr_shelf_price(const struct rr_catalog *c, const struct rr_book_query *q, const struct rr_price_row **ret);
/* A machine that a book has and the facts have not; NULL in *ret when none has. */
RR_CHECKED enum rr_status rr_shelf_instance(const struct rr_catalog *c, const char *id, const struct rr_instance **ret);

/* A price over time. The first step holds from the beginning; the next ones from their date on. */
struct rr_price_step {
    int64_t from_us;                /* of the scenario's time; the first one 0 */
    const struct rr_price_row *row; /* never NULL: an offer that ends is an error that names the day */
};
/* The steps of a price in [0, until_us) of the scenario's time, in the catalog's books; one step where the shipped facts answer, or
 * without a calendar. Same errors as rr_catalog_price. */
RR_CHECKED enum rr_status rr_catalog_price_steps(const struct rr_catalog *c, const struct rr_book_query *q, int64_t until_us,
                                                 struct rr_arena *a, struct rr_price_step **ret, size_t *ret_n);
/* The catalog with the scenario's books in front; shares all else. */
void rr_catalog_with_books(const struct rr_catalog *c, const struct rr_scenario *s, struct rr_arena *a, struct rr_catalog *ret);

/* ---- lints ---- */

enum rr_lint_kind {
    RR_LINT_TWO_PRICES,     /* one key, one date, two prices */
    RR_LINT_TWO_CURRENCIES, /* within one key */
    RR_LINT_UNIT,           /* looks like a price per GPU under instance-hour, or the other way round */
    RR_LINT_RESERVED_DEAR,  /* reserved above on demand */
    RR_LINT_SPOT_DEAR,      /* spot above on demand */
    RR_LINT_BAND,           /* outside the band of its GPU */
    RR_LINT_REGIONS,        /* one instance costs more than twice as much in another region: two products? */
    RR_LINT_SENTINEL,       /* the same round price for many different things: "no price found"? */
    RR_LINTS
};
struct rr_lint {
    enum rr_lint_kind kind;
    const struct rr_book_row *row, *other; /* other may be NULL */
    const char *text;                      /* one line, without the place */
};
extern const char *const rr_lint_names[]; /* "two-prices", ... */
/* The findings in the order of their lines, at most one of a kind a row. `facts`: the shipped facts as a book, for the bands of
 * GPUs (NULL: the book's own median alone; the book itself: none). */
void rr_book_lint(const struct rr_price_book *b, const struct rr_price_book *facts, struct rr_arena *a, struct rr_lint **ret,
                  size_t *ret_n);
/* Nanos per GPU and hour of a machine's row, what is paid up front spread over the term (a year of 8,766 hours: to compare, never to charge);
 * false when it is no price per time of whole GPUs. */
bool rr_book_gpu_hour(const struct rr_book_row *row, int64_t *ret_nano);
#endif
