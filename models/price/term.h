/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/price/term.h - promises for a term: when terms run, what they paid for, and how they are paid. */
#ifndef RR_MODELS_PRICE_TERM_H
#define RR_MODELS_PRICE_TERM_H
#include "models/price/usage.h"

enum { RR_NO_UPFRONT, RR_PARTIAL_UPFRONT, RR_ALL_UPFRONT };
extern const char *const rr_payment_words[]; /* "no_upfront", "partial_upfront", "all_upfront", NULL */

/* Terms of `length` from `from` after the scenario's start on, one after the other while `renew`. */
struct rr_term {
    struct rr_duration length, from;
    bool renew;
};
/* Refuses a scenario without a calendar, and terms of less than an hour. */
RR_CHECKED enum rr_status rr_term_check(const struct rr_term *t, const struct rr_scenario *s);
/* Start of term k, counted from 0 at once, so that 31 January + 1 month + 1 month is 31 March. */
RR_CHECKED enum rr_status rr_term_start(const struct rr_term *t, const struct rr_clock *c, int64_t k, int64_t *ret_us);

/* Where the terms run: [from, to), and whether one still runs at the horizon. */
struct rr_term_span {
    int64_t from_us, to_us;
    bool beyond;
};
RR_CHECKED enum rr_status rr_term_span(const struct rr_term *t, const struct rr_billing *b, struct rr_term_span *ret);
/* Microseconds of hour h of the grid that a term runs; behind the horizon, an hour while one still does. */
int64_t rr_term_hour(const struct rr_term_span *a, const struct rr_usage *u, size_t h);

/* What a commitment paid for, by pool and month of its span. */
struct rr_covering {
    const size_t *pool; /* [n] in the order that it covers them */
    size_t n;
    const struct rr_month_part *month; /* [n_months] of the span */
    size_t n_months, now;              /* now: the month of the hour that is looked at */
    int64_t *taken_us;                 /* [n_months][n] node-microseconds */
    rr_i128 *part;                     /* [n_months][n] the measure of struct rr_cover */
};
RR_CHECKED enum rr_status rr_covering_begin(const struct rr_billing *b, const struct rr_term_span *a, const size_t *pool, size_t n,
                                            struct rr_covering *ret);
/* `take_us` of hour h of pool i; `part` in the commitment's measure. The hour's usage gets smaller by it. Hours go forward. */
void rr_covering_take(struct rr_covering *c, const struct rr_billing *b, size_t h, size_t i, int64_t take_us, rr_i128 part);
/* One record a month and pool, and one for what nobody used: `part_hour` is the measure of an hour, `unit_hour` its quantity; parts are divided by
 * `scale` to fit. */
RR_CHECKED enum rr_status rr_covering_tell(const struct rr_covering *c, const struct rr_billing *b, const char *name, rr_i128 part_hour,
                                           double unit_hour, const char *unit, int64_t scale, struct rr_sink *sink);

/* What a term costs: upfront at its start, accrued evenly over its hours; so much an hour, billed monthly. */
struct rr_term_price {
    int64_t hourly_nano;         /* billed monthly */
    int64_t prepaid_nano;        /* an hour of the term, billed at its start */
    struct rr_money upfront_sum; /* billed at the start of the term */
    int64_t count;               /* of all that */
};
/* The effective rate an hour, paid as `payment` says: monthly, all at the start, or half and half. */
void rr_term_pay(struct rr_term_price *p, int payment, int64_t nano);
/* All charges of all terms; `c` is what they have in common. */
RR_CHECKED enum rr_status rr_term_charge(const struct rr_term *t, const struct rr_term_price *p, struct rr_charge c,
                                         const struct rr_billing *b, struct rr_sink *sink);
/* The part [from, to) of a span [t0, t1) that `whole` pays for: [from, to) lies in one month, its share accrues there. */
RR_CHECKED enum rr_status rr_accrue(struct rr_money whole, int64_t due_us, int64_t t0, int64_t t1, struct rr_charge c, double quantity_hour,
                                    const struct rr_billing *b, struct rr_sink *sink);

/* ---- commitments to nodes of an instance ---- */

bool rr_covers_pool(const struct rr_pool *pool, const char *instance, const char *region);
/* A warning when no pool could use it. */
void rr_covers_warn(const struct rr_scenario *s, const char *instance, const char *region, const char *pointer, struct rr_notes *notes);
/* A price per node or GPU of an instance, as nano per node-hour in the scenario's currency. */
RR_CHECKED enum rr_status rr_instance_rate(const struct rr_scenario *s, struct rr_price price, const struct rr_catalog *catalog,
                                           const char *instance, int64_t *ret_nano);
/* Up to `count` node-hours in each hour of the terms, of all pools of that instance and region in their order. *ret_pool: the one pool, or -1. */
RR_CHECKED enum rr_status rr_cover_nodes(const struct rr_term *t, const char *instance, const char *region, int64_t count,
                                         const struct rr_billing *b, const char *name, int *ret_pool, struct rr_sink *sink);
#endif
