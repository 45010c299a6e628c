/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/price/usage.c - leases added up by clock hour, and small exact helpers. */
#include "models/price/usage.h"
#include <assert.h>
#include <math.h>

enum rr_status rr_meter_begin(const struct rr_billing *b, struct rr_usage *usage, struct rr_meter *ret)
{
    struct rr_meter m = {.usage = usage, .horizon_us = b->horizon_us};
    struct rr_month_part *month;
    usage->grid_us = rr_hour_start(&b->scenario->clock, 0);
    usage->n_hours = (size_t)((b->horizon_us - usage->grid_us + RR_H - 1) / RR_H) + 1; // and the one behind the horizon
    usage->node_us = RR_NEWS(b->arena, int64_t, usage->n_hours);
    m.full = RR_NEWS(b->arena, int64_t, usage->n_hours);
    RR_TRY(rr_month_parts(&b->scenario->clock, 0, b->horizon_us, b->arena, &month, &m.n_months));
    m.month = month;
    *ret = m;
    return RR_OK;
}

void rr_meter_add(struct rr_meter *m, int64_t from_us, int64_t to_us, int64_t weight)
{
    struct rr_usage *u = m->usage;
    assert(u->grid_us <= from_us && from_us <= to_us && weight >= 0);
    u->metered += (rr_i128)(to_us - from_us) * weight;
    if (to_us > m->horizon_us) {
        const int64_t behind = from_us > m->horizon_us ? from_us : m->horizon_us;
        u->node_us[u->n_hours - 1] += (to_us - behind) * weight;
        if (from_us >= m->horizon_us) return;
        to_us = m->horizon_us;
    }
    const int64_t first = (from_us - u->grid_us) / RR_H, last = (to_us - u->grid_us) / RR_H;
    if (first == last) {
        u->node_us[first] += (to_us - from_us) * weight;
        return;
    }
    u->node_us[first] += (u->grid_us + (first + 1) * RR_H - from_us) * weight;
    m->full[first + 1] += weight;
    m->full[last] -= weight;
    u->node_us[last] += (to_us - u->grid_us - last * RR_H) * weight; // 0 when to_us is a full hour
}

void rr_meter_add_before(struct rr_meter *m, int64_t month_end_us, int64_t from_us, int64_t to_us, int64_t weight)
{
    struct rr_usage *u = m->usage;
    const int64_t inside = to_us < m->horizon_us ? to_us : m->horizon_us;
    if (inside > from_us) {
        u->node_us[(month_end_us - 1 - u->grid_us) / RR_H] += (inside - from_us) * weight;
        u->metered += (rr_i128)(inside - from_us) * weight;
        from_us = inside;
    }
    if (to_us > from_us) rr_meter_add(m, from_us, to_us, weight);
}

void rr_meter_end(struct rr_meter *m)
{
    int64_t weight = 0;
    for (size_t h = 0; h < m->usage->n_hours; h++) {
        weight += m->full[h];
        m->usage->node_us[h] += weight * RR_H;
    }
    assert(weight == 0);
}

#define SHARE_DIGITS INT64_C(1000000000)

enum rr_status rr_rate_less(int64_t nano, double share, int64_t *ret)
{
    return rr_round_div((rr_i128)nano * (SHARE_DIGITS - llround(share * (double)SHARE_DIGITS)), SHARE_DIGITS, ret);
}

int64_t rr_per_time_us(enum rr_per_time t)
{
    switch (t) {
    case RR_SECOND: return RR_S;
    case RR_MINUTE: return RR_MIN;
    case RR_HOUR: return RR_H;
    case RR_DAY: return RR_D;
    case RR_EVER:
    case RR_MONTH:
    case RR_YEAR: break;
    }
    return 0;
}

int64_t rr_pool_gpus(const struct rr_pool *pool)
{
    if (pool->n_shapes == 0) {
        if (pool->instance != NULL) return pool->instance->gpus;
        return pool->hardware != NULL ? pool->hardware->gpus : pool->gpus_per_node;
    }
    for (size_t i = 1; i < pool->n_shapes; i++)
        if (pool->shape[i].gpus != pool->shape[0].gpus) return -1;
    return pool->shape[0].gpus;
}

enum rr_status rr_rate_node_hour(struct rr_rate rate, int64_t gpus, int64_t *ret_nano)
{
    const int64_t per_us = rr_per_time_us(rate.time);
    if (per_us == 0 || (rate.per != RR_PER_NODE && rate.per != RR_PER_GPU))
        return rr_fail(RR_EINPUT, "the rate must be per node or GPU and hour, such as \"$98.32/h\", \"$2.10/gpu/h\" or \"$48/node/day\"");
    if (rate.nano < 0) return rr_fail(RR_EINPUT, "the rate is negative");
    if (rate.per == RR_PER_GPU && gpus <= 0) return rr_fail(RR_EINPUT, "a rate per GPU needs nodes that all have the same number of GPUs");
    return rr_round_div((rr_i128)rate.nano * (rate.per == RR_PER_GPU ? gpus : 1) * RR_H, per_us, ret_nano);
}

enum rr_status rr_charge_wide(int64_t nano, rr_i128 quantity, rr_i128 per, struct rr_money *ret)
{
    rr_i128 n, d;
    if (__builtin_mul_overflow((rr_i128)nano, quantity, &n) || __builtin_mul_overflow(per, (rr_i128)1000, &d))
        return rr_fail(RR_EINPUT, "a charge does not fit: rate times quantity is past 128 bits");
    return rr_round_div(n, d, &ret->micro);
}
