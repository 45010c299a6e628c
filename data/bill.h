/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/bill.h - bills of clouds, whatever their columns: one row at a time, in one form.
 *
 * A format is one constant in one file, data/import/bill_NAME.c, and one row in data/import/bill_list.h: which header holds which field, by
 * preference, and a function for what a map cannot say. The rows that it makes are our own bill CSV (format "rackrate"), whose columns are the
 * fields' names. Amounts are exact decimals (data/focus.h). */
#ifndef RR_DATA_BILL_H
#define RR_DATA_BILL_H
#include "data/base/csv.h"
#include "data/base/json.h"
#include "data/focus.h"

/* X(name, what it is). The first RR_BILL_OURS are the columns of our CSV, in order; the rest are for formats to make those of. */
#define RR_BILL_TABLE                                                   \
    X(from, "start of the charge period (inclusive)")                   \
    X(to, "its end (exclusive)")                                        \
    X(account, "who is billed")                                         \
    X(provider, "AWS, Microsoft, ...")                                  \
    X(service, "Amazon Elastic Compute Cloud, ...")                     \
    X(category, "Compute, Storage, ... in the words of FOCUS")          \
    X(region, "us-east-1")                                              \
    X(instance, "p5.48xlarge")                                          \
    X(gpus, "GPUs of that instance")                                    \
    X(sku, "what the price list calls it")                              \
    X(resource, "the machine, or the commitment")                       \
    X(charge, "Usage, Purchase, Tax, Credit or Adjustment")             \
    X(pricing, "Standard, Dynamic, Committed or Other")                 \
    X(commitment, "the commitment that pays, or that is paid for")      \
    X(status, "Used or Unused, of a commitment")                        \
    X(quantity, "in `unit`")                                            \
    X(unit, "Hours, GB, ...")                                           \
    X(list, "cost at list price")                                       \
    X(contracted, "cost at agreed prices, before commitments")          \
    X(effective, "cost with prepayments spread over what they pay for") \
    X(billed, "cost on the invoice")                                    \
    X(currency, "ISO 4217")                                             \
    X(day, "a day, where there is no period")                           \
    X(type, "the provider's own word for the kind of row")              \
    X(term, "the provider's own word for how it is priced")             \
    X(details, "JSON of the price or the machine")                      \
    X(fee, "unused part of a commitment: recurring")                    \
    X(upfront, "unused part of a commitment: prepaid")                  \
    X(committed, "commitment of the period")                            \
    X(consumed, "of it, used")                                          \
    X(plan, "another commitment: a savings plan beside a reservation")  \
    X(planned, "effective cost under that plan")                        \
    X(usage, "the meter")

enum rr_bill_field {
#define X(name, what) RR_BILL_##name,
    RR_BILL_TABLE
#undef X
        RR_BILL_FIELDS,
    RR_BILL_OURS = RR_BILL_day,
};
extern const char *const rr_bill_field_name[RR_BILL_FIELDS];

/* One row. Texts are borrowed until the next one, never NULL. */
struct rr_bill_row {
    const char *path;
    int64_t line;
    const char *text[RR_BILL_FIELDS]; /* as written, NULL words taken out; those of RR_BILL_OURS put right by the format */
    int64_t from_us, to_us;           /* epoch */
    rr_i128 quantity, list, contracted, effective, billed;
    bool has_quantity, has_list, has_contracted, has_effective, has_billed;
    struct rr_arena *arena; /* for texts of the format's own; emptied after each row */
};

enum { RR_BILL_NAMES = 6, RR_BILL_TELLS = 4 };
struct rr_bill_format {
    const char *name, *summary;
    const char *source;              /* where the columns are described */
    const char *tell[RR_BILL_TELLS]; /* a header that has all of these (case ignored) is of this format; NULL-terminated when fewer */
    const char *provider;            /* of all rows, or NULL */
    int64_t zone_us;                 /* east of UTC of times without a zone */
    bool american;                   /* dates without letters are month/day/year */
    const char *column[RR_BILL_FIELDS][RR_BILL_NAMES]; /* header names by preference, case ignored */
    /* After the map: words, commitments, effective cost. RR_EINPUT rejects the row. NULL: nothing to do. */
    RR_CHECKED enum rr_status (*fix)(struct rr_bill_row *row);
};
#define X(name) extern const struct rr_bill_format rr_bill_##name;
#include "data/import/bill_list.h"
#undef X
extern const struct rr_bill_format *const rr_bill_formats[]; /* NULL-terminated */

struct rr_bill_options {
    const char *format; /* NULL or "auto": told by the header */
    const cJSON *
        columns; /* {"billed": "Cost (USD)", ...} over the format's map; NULL = none. A header of no known format needs from (or day) and billed. */
    double max_rejected; /* share of the rows of a file, past which it is RR_EINPUT */
};
struct rr_bill_report {
    const char *format;
    size_t files, rows, rejected;
    const char *first[5]; /* reasons of the first rejected rows, "FILE:LINE: ..." */
    size_t n_first;
    size_t no_contracted; /* rows without one of the mandatory costs: taken as not known */
    rr_i128 list, contracted, effective, billed;
    const char *currency; /* of all rows */
};
/* Reads the files in order. Blank lines, NULL, "" and either case of words are taken; a row with a damaged number or time is rejected and counted.
 * RR_EINPUT: unknown header, more currencies than one, too many rejected rows, a Parquet file (with the line that converts it). */
RR_CHECKED enum rr_status rr_bill_read(const char *const *path, size_t n, const struct rr_bill_options *opt, struct rr_arena *arena,
                                       enum rr_status (*each)(void *ctx, const struct rr_bill_row *row), void *ctx,
                                       struct rr_bill_report *ret);

void rr_bill_header(struct rr_buf *b);                             /* of our CSV, with its line end */
void rr_bill_put(struct rr_buf *b, const struct rr_bill_row *row); /* one row of it */

/* For formats: the nearest of words[] when case and punctuation are ignored, or NULL. */
const char *rr_bill_word(const char *text, const char *const *words);
/* A member of the JSON object in `text` as text in `a`, "" when there is none. */
const char *rr_bill_member(const char *text, const char *key, struct rr_arena *a);
/* A decimal cell; false and 0 when it is empty or no number. */
bool rr_bill_amount(const char *text, rr_i128 *ret);
#endif
