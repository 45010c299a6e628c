/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/price/around.h - what is paid around machines: quantities by month, fixed or tied to what the simulation did, and their tariffs. */
#ifndef RR_MODELS_PRICE_AROUND_H
#define RR_MODELS_PRICE_AROUND_H
#include "data/prices.h"
#include "models/price/usage.h"

/* Calendar months of [0, horizon), and what happened in them. */
struct rr_months {
    size_t n;
    const struct rr_month_part *part; /* [n] */
    int64_t *length_us;               /* [n] of the whole calendar month: 672, 696, 720 or 744 hours */
    rr_i128 *gpu_milli_us;            /* [n] GPU time that jobs held in all pools */
    int64_t *jobs;                    /* [n] jobs that finished well; NULL where the calls are not known */
};
RR_CHECKED enum rr_status rr_months_of(const struct rr_billing *b, struct rr_months *ret);
/* The month that t lies in; the last one for what lies behind. */
size_t rr_months_at(const struct rr_months *m, int64_t t_us);
/* Refuses a scenario without a calendar. */
RR_CHECKED enum rr_status rr_around_check(const struct rr_scenario *s);

/* A quantity that flows, in any whole unit (bytes; millionths of a call). */
struct rr_flow {
    int64_t per_month, per_gpu_hour, per_job;
    double change_per_year; /* of per_month, a step each month */
};
/* In month i: per_month goes by time where the month is not whole. Rounded once. */
RR_CHECKED enum rr_status rr_flow_month(const struct rr_flow *f, const struct rr_months *m, size_t i, rr_i128 *ret);
/* x (1 + change)^(i / 12), rounded. */
int64_t rr_grown(int64_t x, double change_per_year, size_t month);

/* Rates by tier; one tier for a flat rate. */
struct rr_tariff {
    size_t n;
    int64_t *limit, *nano; /* [n] limit[n - 1] is not used */
    enum rr_per per;
    enum rr_per_time time;
};
/* From a flat rate (NULL: not given) or tiers (NULL: not given), one of which there must be. `example` is a right rate; per and time must be its. */
RR_CHECKED enum rr_status rr_tariff_make(const struct rr_scenario *s, const struct rr_price *rate, const struct rr_tiers *tiers,
                                         enum rr_tier_by by, enum rr_per per, enum rr_per_time time, const char *example,
                                         struct rr_arena *a, struct rr_tariff *ret);
/* One charge a tier for `quantity`, limits times `scale`; `unit_of` of the quantity make the rate's unit. billed = effective, due at c.to_us. */
RR_CHECKED enum rr_status rr_tariff_charge(const struct rr_tariff *t, rr_i128 quantity, int64_t scale, rr_i128 unit_of, struct rr_charge c,
                                           struct rr_sink *sink);
/* A charge of a month with nothing but its interval: type, line, pool -1. */
struct rr_charge rr_month_charge(const struct rr_months *m, size_t i, const char *type, const char *line, const char *unit);

/* Charges that a bill over the bill counts: those of `types` ("on_demand, spot"; NULL: all but owned machines, support and credits). */
bool rr_counts(const struct rr_charge *c, const char *types);
/* When a charge stands on the bill: when it is due, or at the start of what it pays for where that comes first. */
int64_t rr_bill_time(const struct rr_charge *c);
RR_CHECKED enum rr_status rr_types_check(const char *types);
/* Sum over marginal tiers of share x what lies in them of [from, to), times 10^9. Limits in micro-units. */
rr_i128 rr_shares_of(const struct rr_tiers *t, const int64_t *limit, int64_t from, int64_t to);
/* Limits in money as micro-units of the scenario's currency. */
RR_CHECKED enum rr_status rr_money_limits(const struct rr_scenario *s, const struct rr_tiers *t, struct rr_arena *a, int64_t **ret);
#endif
