/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/price/owned_energy.c - what owned machines draw, and what it costs.
 *
 * Power of a node = idle + (max - idle) x share of its GPUs in use, times PUE. A lease carries only the total GPU time used in it, so
 * that this load is spread evenly over the lease. */
#include "models/price/owned.h"
#include <math.h>

static int64_t milli(double w) { return llround(w * 1000); }

enum rr_status rr_owned_take_power(struct rr_owned *o, const struct rr_owned_load *l)
{
    const struct rr_hardware *h = l->pool->hardware;
    struct rr_slice text;
    double share;
    if (!rr_given(o, RR_OWN_MAX)) {
        if (h == NULL || h->power_w == 0)
            return rr_fail(RR_EINPUT, "no power of a node: give \"max_power\" and \"idle_power\", such as \"10.2 kW\"%s%s",
                           h ? "; the facts have none for " : "", h ? h->id : "");
        o->max_w = h->power_w;
        rr_owned_assume(l, "max_power", rr_strf(l->arena, "%g W for one %s", o->max_w, h->id), &h->fact,
                        rr_given(o, RR_OWN_PRICE) ? h->fact.note : "");
    }
    if (!rr_given(o, RR_OWN_IDLE) && h != NULL && h->idle_w > 0 && !rr_given(o, RR_OWN_MAX)) {
        o->idle_w = h->idle_w;
        rr_owned_assume(l, "idle_power", rr_strf(l->arena, "%g W for one %s", o->idle_w, h->id), &h->fact, "");
    } else if (!rr_given(o, RR_OWN_IDLE)) {
        RR_TRY(rr_owned_fallback(l, "idle_share", "idle_power", &text));
        RR_TRY(rr_unit_share(text, &share));
        o->idle_w = round(o->max_w * share * 1000) / 1000;
    }
    if (o->idle_w > o->max_w) return rr_fail(RR_EINPUT, "\"idle_power\" is above \"max_power\"");
    return RR_OK;
}

enum rr_status rr_owned_take_energy(struct rr_owned *o, const struct rr_owned_load *l)
{
    const struct rr_finance *f = &l->s->finance;
    struct rr_slice text;
    struct rr_rate rate;
    if (!rr_given(o, RR_OWN_PUE) && f->pue > 0) {
        o->pue = f->pue;
    } else if (!rr_given(o, RR_OWN_PUE)) {
        RR_TRY(rr_owned_fallback(l, "pue", "pue", &text));
        RR_TRY(rr_text_double(text, &o->pue));
    }
    o->idle_mw = milli(o->idle_w * o->pue);
    o->span_mw = milli(o->max_w * o->pue) - o->idle_mw;
    o->rack_mw = milli(o->max_w);
    if (!rr_given(o, RR_OWN_ELECTRICITY) && f->electricity.currency[0] != '\0') {
        o->electricity = f->electricity;
    } else if (!rr_given(o, RR_OWN_ELECTRICITY)) {
        RR_TRY(rr_owned_fallback(l, "electricity", "electricity", &text));
        RR_TRY(rr_unit_rate(text, &o->electricity.rate, o->electricity.currency));
    }
    RR_TRY(rr_scenario_rate(l->s, o->electricity, &rate));
    if (rate.per != RR_PER_KWH || rate.time != RR_EVER || rate.nano < 0)
        return rr_fail(RR_EINPUT, "\"electricity\" must be per kWh, such as \"$0.08/kWh\"");
    o->energy_nano = rate.nano;
    return RR_OK;
}

#define KWH_MW_US (1e6 * 3.6e9) /* milliwatt-microseconds in a kWh: exact as a double and as an integer */

/* GPU time used in a lease up to `at`, spread evenly over it. */
static rr_i128 used_upto(const struct rr_lease *l, int64_t at_us)
{
    if (at_us >= l->end_us) return l->used_milli_us;
    return at_us <= l->start_us ? 0 : (rr_i128)l->used_milli_us * (at_us - l->start_us) / (l->end_us - l->start_us);
}

/* GPUs of each node of the pool, when all leases' nodes have as many; 0 otherwise. */
static int32_t alike_gpus(const struct rr_billing *b, size_t pool)
{
    const size_t from = b->pool_lease[pool], to = b->pool_lease[pool + 1];
    for (size_t k = from; k < to; k++)
        if (b->node_gpus[b->lease[k].node] != b->node_gpus[b->lease[from].node]) return 0;
    return from < to ? b->node_gpus[b->lease[from].node] : 0;
}

void rr_owned_load_of(const struct rr_billing *b, size_t pool, const struct rr_month_part *part, size_t n, rr_i128 *load)
{
    const int32_t alike = b->used_month ? alike_gpus(b, pool) : 0;
    if (alike > 0) { // exact by month; `part` is the horizon's months
        for (size_t i = 0; i < n; i++) load[i] = b->used_month[pool][i] / alike;
        return;
    }
    for (size_t k = b->pool_lease[pool]; k < b->pool_lease[pool + 1]; k++) {
        const struct rr_lease *l = &b->lease[k];
        const int32_t gpus = b->node_gpus[l->node];
        for (size_t i = 0; i < n && gpus > 0; i++) {
            if (part[i].to_us <= l->start_us) continue;
            if (part[i].from_us >= l->end_us) break;
            load[i] += (used_upto(l, part[i].to_us) - used_upto(l, part[i].from_us)) / gpus;
        }
    }
}

/* Energy of a part with PUE, in milliwatt-microseconds. */
static rr_i128 energy_of(const struct rr_owned *o, const struct rr_owned_lot *lot, size_t n, struct rr_month_part part, rr_i128 load)
{
    return (rr_i128)o->idle_mw * rr_owned_node_us(lot, n, part.from_us, part.to_us) + (rr_i128)o->span_mw * load / 1000;
}

double rr_owned_energy_kwh(const void *params, const struct rr_billing *b, size_t pool)
{
    const struct rr_owned *o = params;
    struct rr_month_part *part;
    struct rr_owned_lot *lot;
    size_t n, n_lots;
    if (rr_month_parts(&b->scenario->clock, 0, b->horizon_us, b->arena, &part, &n) != RR_OK) return 0; // billing has said why
    if (rr_owned_lots(o, b->scenario, b->horizon_us, b->arena, &lot, &n_lots) != RR_OK) return 0;
    rr_i128 *load = RR_NEWS(b->arena, rr_i128, n + 1), sum = 0;
    rr_owned_load_of(b, pool, part, n, load);
    for (size_t i = 0; i < n; i++) sum += energy_of(o, lot, n_lots, part[i], load[i]);
    return (double)sum / KWH_MW_US;
}

enum rr_status rr_owned_bill_energy(const struct rr_owned_bill *x, struct rr_month_part part, rr_i128 load)
{
    const struct rr_owned *o = x->o;
    const rr_i128 energy = energy_of(o, x->lot, x->n_lots, part, load);
    struct rr_owned_bill power = *x;
    struct rr_money amount;
    power.c.energy = true;
    RR_TRY(rr_money_charge(o->energy_nano, energy, (int64_t)KWH_MW_US, &amount));
    if (amount.micro == 0) return RR_OK;
    return rr_owned_emit(&power, part, "energy", "kWh", (double)energy / KWH_MW_US, (struct rr_rate){o->energy_nano, RR_PER_KWH, RR_EVER},
                         amount);
}
