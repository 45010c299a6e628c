/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/price/owned_energy.c - what owned machines draw, and what it costs.
 *
 * Power of a node = idle + (max - idle) x share of its GPUs in use, times PUE; or by "load_curve", at the mean load of the machines in
 * service. Where the hour matters (tariff, curve, demand charge) load is taken by clock hour (UTC), even within it; else by month. What jobs
 * held is exact; where only leases are known a lease's load is spread evenly over it. The demand charge is for the hour with the highest
 * mean power of each month. */
#include "models/price/owned.h"
#include <math.h>
#include <string.h>

#define KWH_MW_US (1e6 * 3.6e9) /* milliwatt-microseconds in a kWh: exact as a double and as an integer */
#define PARTS     INT64_C(1000000000)

static int64_t milli(double w) { return llround(w * 1000); }

/* ---- at load ---- */

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
    if (o->curve) {
        if (rr_given(o, RR_OWN_IDLE)) return rr_fail(RR_EINPUT, "give \"idle_power\" or \"load_curve\", not both");
        return RR_OK;
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

/* {"0 %": "30 %", "50 %": "80 %", "100 %": "100 %"}: load to share of max_power. */
static enum rr_status take_curve(struct rr_owned *o, const struct rr_owned_load *l)
{
    if (!o->curve) return RR_OK;
    const size_t n = o->curve->n;
    o->load_parts = RR_NEWS(l->arena, int64_t, n);
    o->power_parts = RR_NEWS(l->arena, int64_t, n);
    for (size_t i = 0; i < n; i++) {
        const struct rr_price_entry *e = &o->curve->entry[i];
        double load = 0;
        if (!strchr(e->key, '%') || rr_unit_share(rr_slice(e->key, strlen(e->key)), &load) != RR_OK || e->kind != RR_ENTRY_SHARE)
            return rr_fail(
                RR_EINPUT,
                "\"load_curve\": shares of max_power by load are expected, such as {\"0 %%\": \"30 %%\", \"100 %%\": \"100 %%\"}");
        o->load_parts[i] = llround(load * (double)PARTS);
        o->power_parts[i] = llround(e->share * (double)PARTS);
        if (i > 0 && o->load_parts[i] <= o->load_parts[i - 1])
            return rr_fail(RR_EINPUT, "\"load_curve\": \"%s\" is not above the load before: loads must ascend", e->key);
    }
    if (o->load_parts[0] != 0 || o->load_parts[n - 1] != PARTS)
        return rr_fail(RR_EINPUT, "\"load_curve\" must go from \"0 %%\" to \"100 %%\" of load");
    return RR_OK;
}

static enum rr_status take_pue(struct rr_owned *o, const struct rr_owned_load *l)
{
    const struct rr_finance *f = &l->s->finance;
    struct rr_slice text;
    if (rr_given(o, RR_OWN_COOLING) && rr_given(o, RR_OWN_PUE)) return rr_fail(RR_EINPUT, "give \"cooling\" or \"pue\", not both");
    if (rr_given(o, RR_OWN_PUE)) return RR_OK;
    if (!rr_given(o, RR_OWN_COOLING) && f->pue > 0) {
        o->pue = f->pue;
        return RR_OK;
    }
    RR_TRY(rr_owned_fallback(l, rr_given(o, RR_OWN_COOLING) && o->cooling == RR_OWNED_LIQUID ? "pue@liquid" : "pue", "pue", &text));
    return rr_text_double(text, &o->pue);
}

static enum rr_status take_price_of_energy(struct rr_owned *o, const struct rr_owned_load *l)
{
    const struct rr_finance *f = &l->s->finance;
    struct rr_slice text;
    struct rr_rate rate;
    if (o->zone && !o->tariff) return rr_fail(RR_EINPUT, "\"timezone\" is the clock of a \"tariff\": there is none");
    if (o->tariff) {
        if (rr_given(o, RR_OWN_ELECTRICITY)) return rr_fail(RR_EINPUT, "give \"electricity\" or \"tariff\", not both");
        if (!o->zone) return rr_fail(RR_EINPUT, "\"tariff\" needs the site's \"timezone\", such as \"America/Chicago\" or \"UTC\"");
        o->by_hour = true;
        return rr_kwh_make(o->tariff, o->zone, l->s, l->arena, &o->rates);
    }
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

static enum rr_status take_demand(struct rr_owned *o, const struct rr_owned_load *l)
{
    struct rr_rate rate = {0};
    if (!rr_given(o, RR_OWN_DEMAND)) return RR_OK;
    RR_TRY(rr_scenario_rate(l->s, o->demand, &rate));
    if (rate.per != RR_PER_KW || rate.time != RR_MONTH || rate.nano < 0)
        return rr_fail(RR_EINPUT, "\"demand_charge\" must be per kW and month, such as \"$15/kW/month\"");
    o->demand_nano = rate.nano;
    return RR_OK;
}

enum rr_status rr_owned_take_energy(struct rr_owned *o, const struct rr_owned_load *l)
{
    const bool given = rr_given(o, RR_OWN_ELECTRICITY) || o->tariff || rr_given(o, RR_OWN_DEMAND);
    RR_TRY(take_pue(o, l));
    o->idle_mw = milli(o->idle_w * o->pue);
    o->span_mw = milli(o->max_w * o->pue) - o->idle_mw;
    o->rack_mw = milli(o->max_w);
    RR_TRY(take_curve(o, l));
    if (rr_given(o, RR_OWN_INCLUDES) && o->includes_power) {
        if (given)
            return rr_fail(RR_EINPUT,
                           "the colocation price includes power: \"electricity\", \"tariff\" and \"demand_charge\" would pay for it twice");
        return RR_OK;
    }
    RR_TRY(take_price_of_energy(o, l));
    RR_TRY(take_demand(o, l));
    o->by_hour |= o->demand_nano > 0 || o->curve;
    return RR_OK;
}

bool rr_owned_hours(const void *params)
{
    const struct rr_owned *o = params;
    return o->by_hour || o->curve;
}

/* ---- load by month ---- */

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

/* load[i] of the leases, in node-milli-microseconds: their use spread evenly over them. */
static void load_of_leases(const struct rr_billing *b, size_t pool, const struct rr_month_part *part, size_t n, rr_i128 *load)
{
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

/* By calendar month of the horizon. */
static void load_of_months(const struct rr_billing *b, size_t pool, const struct rr_month_part *part, size_t n, rr_i128 *load)
{
    const int32_t alike = b->used_month ? alike_gpus(b, pool) : 0;
    if (alike == 0) load_of_leases(b, pool, part, n, load);
    for (size_t i = 0; i < n && alike > 0; i++) load[i] = b->used_month[pool][i] / alike;
}

/* By clock hour of the horizon. */
static enum rr_status load_of_hours(const struct rr_billing *b, size_t pool, struct rr_month_part **hour, size_t *n, rr_i128 **load)
{
    const int64_t grid = rr_hour_start(&b->scenario->clock, 0);
    const int32_t alike = b->used_hour ? alike_gpus(b, pool) : 0;
    *n = (size_t)((b->horizon_us - grid + RR_H - 1) / RR_H);
    *hour = RR_NEWS(b->arena, struct rr_month_part, *n + 1);
    *load = RR_NEWS(b->arena, rr_i128, *n + 1);
    for (size_t h = 0; h < *n; h++) {
        const int64_t from = grid + (int64_t)h * RR_H, to = from + RR_H;
        (*hour)[h] = (struct rr_month_part){from > 0 ? from : 0, to < b->horizon_us ? to : b->horizon_us};
        if (alike > 0 && h < b->n_used_hours) (*load)[h] = b->used_hour[pool][h] / alike;
    }
    if (alike == 0) load_of_leases(b, pool, *hour, *n, *load);
    return RR_OK;
}

/* ---- energy ---- */

/* Share of max_power at a load, both in PARTS. */
static int64_t curve_at(const struct rr_owned *o, int64_t load)
{
    size_t i = 1;
    while (i + 1 < o->curve->n && o->load_parts[i] < load) i++;
    const int64_t span = o->load_parts[i] - o->load_parts[i - 1];
    return o->power_parts[i - 1] + (int64_t)((rr_i128)(o->power_parts[i] - o->power_parts[i - 1]) * (load - o->load_parts[i - 1]) / span);
}

/* With PUE, in milliwatt-microseconds, of machines that are in service for node_us in all, with that much load. */
static rr_i128 energy_of(const struct rr_owned *o, rr_i128 node_us, rr_i128 load)
{
    if (!o->curve) return (rr_i128)o->idle_mw * node_us + (rr_i128)o->span_mw * load / 1000;
    if (node_us == 0) return 0;
    const rr_i128 share = load * (PARTS / 1000) / node_us;
    return (rr_i128)(o->idle_mw + o->span_mw) * node_us * curve_at(o, share > PARTS ? PARTS : (int64_t)share) / PARTS;
}

/* Energy of all that is in service, by month or by hour; the caller's arrays. */
struct drawn {
    struct rr_month_part *part;
    size_t n;
    rr_i128 *energy;
};
static enum rr_status draw(const struct rr_owned *o, const struct rr_billing *b, size_t pool, const struct rr_owned_lot *lot, size_t n_lots,
                           struct drawn *d)
{
    if (rr_owned_hours(o)) {
        RR_TRY(load_of_hours(b, pool, &d->part, &d->n, &d->energy));
    } else {
        RR_TRY(rr_month_parts(&b->scenario->clock, 0, b->horizon_us, b->arena, &d->part, &d->n));
        d->energy = RR_NEWS(b->arena, rr_i128, d->n + 1);
        load_of_months(b, pool, d->part, d->n, d->energy);
    }
    for (size_t i = 0; i < d->n; i++)
        d->energy[i] = energy_of(o, rr_owned_node_us(lot, n_lots, d->part[i].from_us, d->part[i].to_us), d->energy[i]);
    return RR_OK;
}

double rr_owned_energy_kwh(const void *params, const struct rr_billing *b, size_t pool)
{
    struct rr_owned_lot *lot;
    struct drawn d;
    size_t n;
    rr_i128 sum = 0;
    if (rr_owned_lots(params, b->scenario, b->replication, b->horizon_us, b->arena, &lot, &n) != RR_OK) return 0; // billing has said why
    if (draw(params, b, pool, lot, n, &d) != RR_OK) return 0;
    for (size_t i = 0; i < d.n; i++) sum += d.energy[i];
    return (double)sum / KWH_MW_US;
}

/* ---- the bill ---- */

static enum rr_status emit_energy(const struct rr_owned_bill *x, struct rr_month_part month, rr_i128 energy, int64_t nano)
{
    struct rr_money amount;
    RR_TRY(rr_owned_inflate(x, "energy", month.from_us, &nano));
    RR_TRY(rr_money_charge(nano, energy, (int64_t)KWH_MW_US, &amount));
    if (amount.micro == 0) return RR_OK;
    return rr_owned_emit(x, month, "energy", "kWh", (double)energy / KWH_MW_US, (struct rr_rate){nano, RR_PER_KWH, RR_EVER}, amount);
}

static enum rr_status emit_demand(const struct rr_owned_bill *x, struct rr_month_part month, rr_i128 peak_mw)
{
    const struct rr_clock *c = &x->b->scenario->clock;
    int64_t nano = x->o->demand_nano, first, next;
    struct rr_money amount;
    RR_TRY(rr_owned_inflate(x, "demand", month.from_us, &nano));
    RR_TRY(rr_month_start(c, month.from_us, &first));
    RR_TRY(rr_month_next(c, month.from_us, &next));
    const rr_i128 quantity = peak_mw * (month.to_us - month.from_us), per = (rr_i128)1000000 * (next - first);
    RR_TRY(rr_charge_wide(nano, quantity, per, &amount));
    if (amount.micro == 0) return RR_OK;
    return rr_owned_emit(x, month, "demand", "kW-month", (double)quantity / (double)per, (struct rr_rate){nano, RR_PER_KW, RR_MONTH},
                         amount);
}

/* An hour's energy by the rates that hold in it, by time; the last rate takes what division left. */
static void split_hour(const struct rr_owned_bill *x, struct rr_month_part hour, rr_i128 energy, rr_i128 *by_rate)
{
    const int64_t start = x->b->scenario->clock.start_us;
    rr_i128 left = energy;
    for (int64_t at = hour.from_us, until; at < hour.to_us; at = until) {
        const size_t rate = rr_kwh_at(&x->o->rates, start + at, &until);
        until -= start;
        if (until > hour.to_us) until = hour.to_us;
        const rr_i128 part = until == hour.to_us ? left : energy * (until - at) / (hour.to_us - hour.from_us);
        by_rate[rate] += part;
        left -= part;
    }
}

static enum rr_status bill_month(const struct rr_owned_bill *x, struct rr_month_part month, const struct drawn *d, size_t *at)
{
    const struct rr_owned *o = x->o;
    const size_t n = o->tariff ? o->rates.n : 1;
    rr_i128 *sum = RR_NEWS(x->b->arena, rr_i128, n), peak_mw = 0;
    for (; *at < d->n && d->part[*at].from_us < month.to_us; ++*at) { // hours and months end together
        const rr_i128 mw = d->energy[*at] / (d->part[*at].to_us - d->part[*at].from_us);
        if (o->tariff)
            split_hour(x, d->part[*at], d->energy[*at], sum);
        else
            sum[0] += d->energy[*at];
        if (mw > peak_mw) peak_mw = mw;
    }
    for (size_t i = 0; i < n; i++) RR_TRY(emit_energy(x, month, sum[i], o->tariff ? o->rates.nano[i] : o->energy_nano));
    return o->demand_nano > 0 ? emit_demand(x, month, peak_mw) : RR_OK;
}

enum rr_status rr_owned_bill_energy(const struct rr_owned_bill *x, size_t pool, const struct rr_month_part *month, size_t n)
{
    struct rr_owned_bill power = *x;
    struct drawn d;
    size_t at = 0;
    power.c.energy = true;
    if (x->o->includes_power && rr_given(x->o, RR_OWN_INCLUDES)) return RR_OK;
    RR_TRY(draw(x->o, x->b, pool, x->lot, x->n_lots, &d));
    for (size_t i = 0; i < n; i++) RR_TRY(bill_month(&power, month[i], &d, &at));
    return RR_OK;
}
