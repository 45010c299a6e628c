/* SPDX-License-Identifier: MIT
 * data/base/money.h - exact amounts, list prices, and the one place where money is rounded.
 *
 * Money is int64 micro-units of its currency; a rate is int64 nano-units per stated unit, so that a list price is kept as
 * printed ($0.000097 per GPU-second is 97,000 nano). A charge is rate x quantity in 128 bits, rounded half-even once a
 * charge line. No amount is ever a double on its way to a charge. */
#ifndef RR_BASE_MONEY_H
#define RR_BASE_MONEY_H
#include "data/base/status.h"
#include "data/base/text.h"
#include <stdint.h>

typedef __int128 rr_i128; /* sums of work and of rate x quantity; the only typedef, since __int128 is no standard name */

struct rr_money {
    int64_t micro; /* millionths of the currency unit, of either sign */
};

/* What a rate is per, beside the time: a node, a GPU, a kilowatt-hour, ... Never guessed: "/h" is per node. */
enum rr_per {
    RR_PER_ONCE, /* a plain amount: no unit but perhaps a time */
    RR_PER_NODE,
    RR_PER_GPU,
    RR_PER_KWH,
    RR_PER_KW, /* per kW and month, of committed power */
    RR_PER_GB,
    RR_PER_RACK,
    RR_PER_PERSON,
    RR_PER_CALL,
    RR_PER_MTOKEN,
};
enum rr_per_time { RR_EVER, RR_SECOND, RR_MINUTE, RR_HOUR, RR_DAY, RR_MONTH, RR_YEAR };

struct rr_rate {
    int64_t nano; /* billionths of the currency unit per unit */
    enum rr_per per;
    enum rr_per_time time;
};

/* round-half-even(n / d) into int64; d > 0. RR_EINPUT when it does not fit. THE rounding function: nothing else rounds money. */
RR_CHECKED enum rr_status rr_round_div(rr_i128 n, rr_i128 d, int64_t *ret);

/* nano x quantity / per -> money, rounded once. `quantity` in any integer unit (say node-microseconds), `per` > 0 how many of them
 * make the rate's unit (3,600,000,000 for an hourly node rate). RR_EINPUT when the product or the result does not fit. */
RR_CHECKED enum rr_status rr_money_charge(int64_t nano, rr_i128 quantity, int64_t per, struct rr_money *ret);
RR_CHECKED enum rr_status rr_money_add(struct rr_money *sum, struct rr_money x); /* RR_EINPUT on overflow; *sum then as before */

/* The part of `whole` that falls in [0, at) of [0, span): round-half-even(whole x at / span). Shares taken as differences of this
 * cumulative value add up to the whole exactly. 0 <= at <= span, span > 0. */
struct rr_money rr_money_upto(struct rr_money whole, int64_t at, int64_t span);

/* Split `whole` by weights[n] >= 0 (not all 0) so that the parts add up exactly (largest remainder, ties to the lowest index). */
void rr_money_split(struct rr_money whole, const rr_i128 *weights, size_t n, struct rr_money *parts);

double rr_money_double(struct rr_money m); /* currency units, for statistics and plots only */

/* "$1,234,567.89" / "¥12.50" / "EUR 3.20": `digits` decimals (0..6), rounded half-even; into `b`. */
void rr_buf_money(struct rr_buf *b, struct rr_money m, const char *currency, int digits);
/* Exact plain decimal, as few decimals as needed, no separators: "1234567.891" (CSV, JSON). */
void rr_buf_money_plain(struct rr_buf *b, struct rr_money m);
#endif
