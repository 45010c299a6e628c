/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/price/owned_month.c - what owned machines cost by the month: room, maintenance, staff.
 *
 * A price a month for part of a month goes by time; a year is 12 of its months. Colocation pays for the full-load power, drawn or not. */
#include "models/price/owned.h"
#include <math.h>

static int64_t milli(double w) { return llround(w * 1000); }

static enum rr_status take_colocation(struct rr_owned *o, const struct rr_owned_load *l)
{
    struct rr_slice text;
    if (!rr_given(o, RR_OWN_COLOCATION)) {
        RR_TRY(rr_owned_fallback(l, "colocation", "colocation", &text));
        RR_TRY(rr_unit_rate(text, &o->colocation.rate, o->colocation.currency));
    }
    RR_TRY(rr_scenario_rate(l->s, o->colocation, &o->colocate));
    const enum rr_per per = o->colocate.per;
    if ((per != RR_PER_KW && per != RR_PER_NODE && per != RR_PER_ONCE) || o->colocate.time != RR_MONTH || o->colocate.nano < 0)
        return rr_fail(RR_EINPUT, "\"colocation\" must be a rate per month for a kW, a node or the pool, such as \"$195/kW/month\"");
    return RR_OK;
}

static enum rr_status take_maintenance(struct rr_owned *o, const struct rr_owned_load *l)
{
    struct rr_slice text;
    int64_t rest, price_nano;
    if (!rr_given(o, RR_OWN_MAINTENANCE)) {
        RR_TRY(rr_owned_fallback(l, "maintenance", "maintenance", &text));
        RR_TRY(rr_unit_share(text, &o->maintenance));
    }
    if (__builtin_mul_overflow(o->cost.micro, 1000, &price_nano)) return rr_fail(RR_EINPUT, "\"price\" is out of range");
    RR_TRY(rr_rate_less(price_nano, o->maintenance, &rest));
    o->maintain_nano = o->maintain_more_nano = price_nano - rest;
    if (!rr_given(o, RR_OWN_EXTENDED_MAINTENANCE)) return RR_OK;
    RR_TRY(rr_rate_less(price_nano, o->extended_maintenance, &rest));
    o->maintain_more_nano = price_nano - rest;
    return RR_OK;
}

static enum rr_status take_staff(struct rr_owned *o, const struct rr_owned_load *l)
{
    struct rr_rate *rate = &o->staff_rate;
    if (!rr_given(o, RR_OWN_STAFF)) {
        if (rr_given(o, RR_OWN_PEOPLE)) return rr_fail(RR_EINPUT, "\"people\" needs \"staff\", such as \"$150,000/person/year\"");
        rr_note(l->notes, RR_NOTE_WARNING, rr_strf(l->arena, "%s/staff", l->pointer), "",
                "no staff is counted: public figures differ 19-fold, so there is no default; give \"staff\"");
        return RR_OK;
    }
    RR_TRY(rr_scenario_rate(l->s, o->staff, rate));
    const bool person = rate->per == RR_PER_PERSON;
    if (rate->time != RR_YEAR || (rate->per != RR_PER_NODE && rate->per != RR_PER_ONCE && !person) || rate->nano < 0)
        return rr_fail(RR_EINPUT, "\"staff\" must be a rate per year for the pool, a node or a person, such as \"$150,000/person/year\"");
    if (person != rr_given(o, RR_OWN_PEOPLE))
        return rr_fail(RR_EINPUT, "\"people\" goes with \"staff\" per person, such as \"$150,000/person/year\"");
    o->staff_milli = person ? milli(o->people) : rate->per == RR_PER_NODE ? o->nodes * 1000 : 1000;
    return RR_OK;
}

enum rr_status rr_owned_take_months(struct rr_owned *o, const struct rr_owned_load *l)
{
    RR_TRY(take_colocation(o, l));
    RR_TRY(take_maintenance(o, l));
    return take_staff(o, l);
}

/* ---- the bill ---- */

/* A price a month for an amount of thousandths x microseconds: its share of the part's calendar month; `months` 12 for a price a year. */
static enum rr_status monthly(const struct rr_owned_bill *x, struct rr_month_part part, const char *line, const char *unit,
                              struct rr_rate rate, rr_i128 milli_us, int64_t months)
{
    int64_t first, next;
    struct rr_money amount;
    if (rate.nano == 0 || milli_us == 0) return RR_OK;
    RR_TRY(rr_month_start(&x->b->scenario->clock, part.from_us, &first));
    RR_TRY(rr_month_next(&x->b->scenario->clock, part.from_us, &next));
    const rr_i128 per = (rr_i128)1000 * months * (next - first);
    RR_TRY(rr_charge_wide(rate.nano, milli_us, per, &amount));
    return rr_owned_emit(x, part, line, unit, (double)milli_us / (double)per, rate, amount);
}

static const char *unit_of(struct rr_rate rate, const char *each, const char *node, const char *pool)
{
    return rate.per == RR_PER_NODE ? node : rate.per == RR_PER_ONCE ? pool : each;
}

/* Nodes in service, in thousandths x microseconds: all of them, and those past their life. */
static void count_nodes(const struct rr_owned_bill *x, struct rr_month_part part, rr_i128 *all, rr_i128 *old)
{
    *all = *old = 0;
    for (size_t i = 0; i < x->n_lots; i++) {
        const struct rr_owned_lot *lot = &x->lot[i];
        const int64_t from = lot->life_end_us > part.from_us ? lot->life_end_us : part.from_us;
        *all += 1000 * rr_owned_node_us(lot, 1, part.from_us, part.to_us);
        if (from < part.to_us) *old += 1000 * rr_owned_node_us(lot, 1, from, part.to_us);
    }
}

enum rr_status rr_owned_bill_month(const struct rr_owned_bill *x, struct rr_month_part part)
{
    const struct rr_owned *o = x->o;
    const struct rr_rate young = {o->maintain_nano, RR_PER_NODE, RR_YEAR}, past = {o->maintain_more_nano, RR_PER_NODE, RR_YEAR};
    const int64_t us = part.to_us - part.from_us;
    rr_i128 nodes, old;
    count_nodes(x, part, &nodes, &old);
    /* Whole watts are thousandths of a kW. */
    const rr_i128 room = o->colocate.per == RR_PER_KW     ? (rr_i128)((o->rack_mw * o->nodes + 500) / 1000) * us
                         : o->colocate.per == RR_PER_NODE ? nodes
                                                          : (rr_i128)1000 * us;
    RR_TRY(monthly(x, part, "colocation", unit_of(o->colocate, "kW-month", "node-month", "month"), o->colocate, room, 1));
    RR_TRY(monthly(x, part, "maintenance", "node-year", young, nodes - old, 12));
    RR_TRY(monthly(x, part, "maintenance", "node-year", past, old, 12));
    return monthly(x, part, "staff", unit_of(o->staff_rate, "person-year", "node-year", "year"), o->staff_rate,
                   (rr_i128)o->staff_milli * us, 12);
}
