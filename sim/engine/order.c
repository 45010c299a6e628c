/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/engine/order.c - in which order pools are tried, and which of them a job may use yet.
 *
 * Pools come in the order of the scenario or, with `"pool_order": "cheapest"`, by what a GPU costs an hour at the time: the plan's quote for a
 * node over its GPUs, ties in the order of the scenario. A plan without a quote has been paid for already (owned), so its pools come first.
 * A pool with `spill_after` takes a job only after it has waited so long; what is true of the job of an ask that has waited longest is taken
 * for the ask as a whole where no job is named. */
#include "models/price/price.h"
#include "sim/autoscale/autoscale.h"

static enum rr_status quote(const struct rr_sim *s, size_t pool, int64_t *ret_nano)
{
    const struct rr_pool *p = &s->world->scenario->pool[pool];
    const struct rr_price_plan *plan = (const struct rr_price_plan *)(const void *)p->plan;
    *ret_nano = 0;
    if (!plan || !plan->quote) return RR_OK;
    const enum rr_status st = plan->quote(p->plan_params, s->now_us, ret_nano);
    return st == RR_OK ? RR_OK : rr_fail_in(st, "%s/plan: \"pool_order\": \"cheapest\"", p->pointer);
}

static int64_t gpus(const struct rr_sim *s, size_t pool)
{
    const int32_t n = rr_node_kind_of(&s->pool[pool], 0)->gpus;
    return n > 0 ? n : 1;
}

// Insertion, so that equals stay as they were in the scenario.
enum rr_status rr_order_now(struct rr_sim *s)
{
    struct rr_order *o = s->order;
    for (size_t i = 0; i < s->n_pools; i++) {
        RR_TRY(quote(s, i, &o[i].nano));
        size_t k = i;
        for (; k > 0 && (rr_i128)o[o[k - 1].pool].nano * gpus(s, i) > (rr_i128)o[i].nano * gpus(s, o[k - 1].pool); k--)
            o[k].pool = o[k - 1].pool;
        o[k].pool = i;
    }
    return RR_OK;
}

enum rr_status rr_order_init(struct rr_sim *s)
{
    const struct rr_scenario *sc = s->world->scenario;
    for (size_t i = 0; i < s->n_pools; i++) s->any_spill |= sc->pool[i].spill_after_us > 0;
    if (s->any_spill) rr_waits_init(s);
    if (!sc->cheapest_first) return RR_OK;
    s->order = memset(rr_xrealloc(NULL, s->n_pools, sizeof *s->order), 0, s->n_pools * sizeof *s->order);
    return rr_order_now(s);
}

bool rr_order_spilled(struct rr_sim *s, size_t pool, uint32_t job)
{
    const int64_t after = s->world->scenario->pool[pool].spill_after_us;
    return after == 0 || s->now_us - s->waits->since_us[job] >= after;
}

bool rr_order_ask_spilled(struct rr_sim *s, size_t pool, uint32_t ask)
{
    const int64_t after = s->world->scenario->pool[pool].spill_after_us;
    return after == 0 || s->now_us - rr_waits_since(s, ask) >= after;
}
