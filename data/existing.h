/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/existing.h - what is there already: owned servers and running commitments, from a CSV.
 *
 *     kind,name,date,cost,currency,life,book_value,kw,ends,recurring_per_hour,source,instance,region,count
 *     server,rack 1,2024-03-01,670000,USD,5 years,,20.4,,,asset register
 *     commitment,ri-0a1b,2025-06-01,61320,USD,,,,2026-06-01,7.2,aws describe-reserved-instances,aws/p4d.24xlarge,us-east-1,2
 *
 * Each row is a total: of all its servers, of all units of a commitment. A server has a date and a `cost` with a `life`, or a `book_value` at the
 * scenario's start that is written off until the end of the life; `kw` is what it draws. A commitment runs from `date` to `ends`; `cost` is what was paid
 * at its start, `recurring_per_hour` what is still paid; with an `instance` and a `count` it covers so many nodes of the pools of that instance (and region, when one is
 * given) in each hour until it ends. Columns may stand in any order; unknown ones are refused. */
#ifndef RR_DATA_EXISTING_H
#define RR_DATA_EXISTING_H
#include "data/base/arena.h"
#include "data/param.h"

struct rr_existing_row {
    const char *name;
    bool commitment;             /* else a server */
    int64_t date_us, ends_us;    /* since 1970; ends_us 0: none */
    struct rr_duration life;     /* 0: not given */
    struct rr_amount cost, book; /* paid at `date`; book value at the scenario's start */
    bool has_cost, has_book;
    double kw;
    struct rr_price recurring;     /* an hour; nano 0: none */
    const char *instance, *region; /* that a commitment covers; "" = none, any */
    int64_t count;                 /* nodes that it covers */
    int64_t line;
};
struct rr_existing {
    const char *path;
    char sha256[65];
    const struct rr_existing_row *row;
    size_t n;
};
/* RR_EINPUT "PATH:LINE: ..." for a bad cell, a server without a way to write it off, a commitment without an end. */
RR_CHECKED enum rr_status rr_existing_read(const char *path, struct rr_arena *a, struct rr_existing *ret);

/* `aws ec2 describe-reserved-instances` and `aws savingsplans describe-savings-plans`, as JSON, told apart by what they hold: one row a running
 * commitment, appended to `b` (the header too when it is empty). Left out: those that are not active. RR_EINPUT naming the file and the place. */
struct rr_commitments_found {
    size_t n, left_out;
};
RR_CHECKED enum rr_status rr_commitments_import(const char *path, struct rr_arena *a, struct rr_buf *b, struct rr_commitments_found *ret);
#endif
