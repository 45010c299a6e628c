/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/finance/breakeven.h - from when, from where on one way is better: payback, break-even use, price and month, and where a verdict flips.
 *
 * "Never" is a state here, not a number: 103 % use is no answer. Currency units, or exact money where stated. */
#ifndef RR_MODELS_FINANCE_BREAKEVEN_H
#define RR_MODELS_FINANCE_BREAKEVEN_H
#include "data/base/money.h"
#include "models/finance/finance.h"
#include <stdbool.h>

/* Periods until the sum of flow[0..] is no longer negative and stays so to the end; within a period by a straight line. Flow i falls at
 * time i. None: "never" when the last sum is negative. 0 when no sum is ever negative. */
struct rr_answer rr_payback(const double *flow, size_t n);
/* The same with flow i / (1 + rate)^i. */
struct rr_answer rr_payback_discounted(double rate, const double *flow, size_t n);

/* Level cost of machines. */
struct rr_levelised {
    double price, residual; /* paid at 0, got back after `years` */
    double yearly;          /* running cost, end of each year */
    double rate, years;     /* effective yearly rate > -1; years > 0 */
    double gpu_hours;       /* a year's calendar GPU-hours: GPUs x 8,760 */
};
double rr_levelised_yearly(const struct rr_levelised *x); /* (price - residual / (1 + rate)^years) x recovery factor + yearly */
struct rr_answer rr_levelised_gpu_hour(const struct rr_levelised *x,
                                       double use); /* per used GPU-hour at 0 < use <= 1; 1: per calendar GPU-hour */
/* From flows: present value of cost[i] over present value of gpu_hours[i] (both at time i). None without hours. */
struct rr_answer rr_levelised_flows(double rate, const double *cost, const double *gpu_hours, size_t n);

enum rr_break_even_state { RR_BREAK_EVEN_AT, RR_BREAK_EVEN_ALWAYS, RR_BREAK_EVEN_NEVER };
struct rr_break_even {
    enum rr_break_even_state state;
    double at; /* AT: the point. NEVER: what it would need, such as a use of 5.32; 0 when nothing would do. ALWAYS: 0 */
};
/* The share of its hours that owned capacity must be used to cost no more than renting each used one: yearly cost / (hours x rent). */
struct rr_break_even rr_break_even_use(double yearly_cost, double gpu_hours, double rent_per_gpu_hour);
/* The rent per used GPU-hour at which both cost the same at this use; NEVER without use. */
struct rr_break_even rr_break_even_price(double yearly_cost, double gpu_hours, double use);
/* "64.5 %", "always", "never (would need 532 % utilisation)", "never". */
void rr_buf_break_even_use(struct rr_buf *b, struct rr_break_even x);

/* The time, in months from 0, from which the running sum of a[] is no more than that of b[] until the end; entry i falls evenly into
 * month i, so it is a straight line in between. ALWAYS: from the start. *crossings: how often the lead changes. */
struct rr_break_even rr_break_even_month(const struct rr_money *a, const struct rr_money *b, size_t n, int *crossings);

/* Where a verdict flips: the difference between two alternatives as a function of one input. */
struct rr_flip_search {
    enum rr_status (*difference)(void *ctx, double x, double *ret); /* negative: the first alternative is better */
    void *ctx;
    double lo, hi; /* lo < hi: the range of the input that is searched */
    double now;    /* its present value, lo..hi */
    int points;    /* evenly spaced evaluations before the refinement, >= 2; a pair of flips between two of them can be missed */
    double close;  /* width at which an answer is good, relative to hi - lo; 0: 1e-9 */
};
struct rr_flip {
    size_t n;   /* flips found in the range; 0: never */
    double at;  /* the one nearest `now` */
    bool below; /* the verdict is another one below `at` (else above it) */
    double now; /* difference at `now` */
};
/* Errors: those of `difference`, whose reason is kept. */
RR_CHECKED enum rr_status rr_flip_find(const struct rr_flip_search *s, struct rr_flip *ret);
#endif
