/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/price/usage.h - what plans share: adding leases up by clock hour, exact rates, facts used as defaults. */
#ifndef RR_MODELS_PRICE_USAGE_H
#define RR_MODELS_PRICE_USAGE_H
#include "models/price/price.h"

/* Adds intervals up by clock hour. Whole hours are kept as differences, so that an interval costs O(1) however long it is. */
struct rr_meter {
    struct rr_usage *usage;
    int64_t horizon_us;
    int64_t *full; /* [n_hours] change of the weight that fills hour h and all after it */
    const struct rr_month_part *month;
    size_t n_months;
};
RR_CHECKED enum rr_status rr_meter_begin(const struct rr_billing *b, struct rr_usage *usage, struct rr_meter *ret);
/* `weight` nodes (or GPUs) over [from_us, to_us), grid_us <= from_us <= to_us; what lies behind the horizon goes to the last hour. */
void rr_meter_add(struct rr_meter *m, int64_t from_us, int64_t to_us, int64_t weight);
/* The same amount of time, all of it in the hour before `month_end_us`, except for the part behind the horizon. */
void rr_meter_add_before(struct rr_meter *m, int64_t month_end_us, int64_t from_us, int64_t to_us, int64_t weight);
void rr_meter_end(struct rr_meter *m);

/* nano x (1 - share), rounded once to a nano-unit. 0 <= share <= 1. */
RR_CHECKED enum rr_status rr_rate_less(int64_t nano, double share, int64_t *ret);
/* Microseconds in a rate's unit of time; 0 for months, years and none, which have no fixed length. */
int64_t rr_per_time_us(enum rr_per_time t);
/* GPUs of each node of the pool; -1 when they differ. */
int64_t rr_pool_gpus(const struct rr_pool *pool);
/* Node of a rate per node or GPU, and time with a fixed length, as nano per node-hour; `gpus` per node. RR_EINPUT with what would be right. */
RR_CHECKED enum rr_status rr_rate_node_hour(struct rr_rate rate, int64_t gpus, int64_t *ret_nano);
/* nano x quantity / per, all in 128 bits, rounded once. */
RR_CHECKED enum rr_status rr_charge_wide(int64_t nano, rr_i128 quantity, rr_i128 per, struct rr_money *ret);
#endif
