/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/price/owned_month.c - what owned machines cost by the month: room, maintenance, staff, software, insurance; inflation.
 *
 * A price a month for part of a month goes by time; a year is 12 of its months. Colocation pays for the full-load power or what was
 * committed, drawn or not. Counts in whole steps (racks, people) follow the nodes in service at each time. */
#include "models/price/owned.h"
#include "data/base/fmath.h"
#include "models/finance/share.h"
#include <math.h>
#include <string.h>

static int64_t milli(double w) { return llround(w * 1000); }
static int64_t steps(int64_t n, int64_t each) { return (n + each - 1) / each; }

/* ---- at load ---- */

static enum rr_status check_racks(const struct rr_owned *o)
{
    if (o->colocate.per != RR_PER_RACK || o->rack_nodes > 0) return RR_OK;
    return rr_fail(RR_EINPUT, "\"colocation\" per rack needs \"nodes_per_rack\"");
}

static enum rr_status take_committed(struct rr_owned *o)
{
    if (!rr_given(o, RR_OWN_COMMITTED)) return RR_OK;
    if (o->colocate.per != RR_PER_KW) return rr_fail(RR_EINPUT, "\"committed_power\" goes with \"colocation\" per kW");
    if (milli(o->committed_w) < o->rack_mw * o->nodes)
        return rr_fail(RR_EINPUT, "\"committed_power\" of %g kW is below the %g kW that the machines can draw", o->committed_w / 1e3,
                       (double)o->rack_mw * (double)o->nodes / 1e6);
    return RR_OK;
}

static enum rr_status take_colocation(struct rr_owned *o, const struct rr_owned_load *l)
{
    struct rr_slice text;
    const bool given = rr_given(o, RR_OWN_COLOCATION);
    if (!given) {
        RR_TRY(rr_owned_fallback(l, "colocation", "colocation", &text));
        RR_TRY(rr_unit_rate(text, &o->colocation.rate, o->colocation.currency));
    }
    RR_TRY(rr_scenario_rate(l->s, o->colocation, &o->colocate));
    const enum rr_per per = o->colocate.per;
    if ((per != RR_PER_KW && per != RR_PER_NODE && per != RR_PER_RACK && per != RR_PER_ONCE) || o->colocate.time != RR_MONTH ||
        o->colocate.nano < 0)
        return rr_fail(RR_EINPUT,
                       "\"colocation\" must be a rate per month for a kW, a rack, a node or the pool, such as \"$195/kW/month\"");
    if (given && o->colocate.nano > 0 && !rr_given(o, RR_OWN_INCLUDES))
        return rr_fail(RR_EINPUT, "\"includes_power\" is missing: does the colocation price include the electricity? true or false");
    if (!given && rr_given(o, RR_OWN_INCLUDES)) return rr_fail(RR_EINPUT, "\"includes_power\" says what \"colocation\" includes: give it");
    RR_TRY(check_racks(o));
    return take_committed(o);
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
    const bool people = rr_given(o, RR_OWN_PEOPLE) || rr_given(o, RR_OWN_PERSON_NODES);
    if (!rr_given(o, RR_OWN_STAFF)) {
        if (people) return rr_fail(RR_EINPUT, "\"people\" needs \"staff\", such as \"$150,000/person/year\"");
        rr_note(l->notes, RR_NOTE_WARNING, rr_strf(l->arena, "%s/staff", l->pointer), "",
                "no staff is counted: public figures differ 19-fold, so there is no default; give \"staff\"");
        return RR_OK;
    }
    RR_TRY(rr_scenario_rate(l->s, o->staff, rate));
    const bool person = rate->per == RR_PER_PERSON;
    if (rate->time != RR_YEAR || (rate->per != RR_PER_NODE && rate->per != RR_PER_ONCE && !person) || rate->nano < 0)
        return rr_fail(RR_EINPUT, "\"staff\" must be a rate per year for the pool, a node or a person, such as \"$150,000/person/year\"");
    if (person != people)
        return rr_fail(RR_EINPUT, "\"people\" or \"nodes_per_person\" goes with \"staff\" per person, such as \"$150,000/person/year\"");
    if (rr_given(o, RR_OWN_PEOPLE) && rr_given(o, RR_OWN_PERSON_NODES))
        return rr_fail(RR_EINPUT, "give \"people\" or \"nodes_per_person\", not both");
    return RR_OK;
}

static enum rr_status take_software(struct rr_owned *o, const struct rr_owned_load *l)
{
    if (!rr_given(o, RR_OWN_SOFTWARE)) return RR_OK;
    RR_TRY(rr_scenario_rate(l->s, o->software, &o->licence));
    const struct rr_rate r = o->licence;
    if ((r.time != RR_YEAR && r.time != RR_MONTH) || (r.per != RR_PER_GPU && r.per != RR_PER_NODE && r.per != RR_PER_ONCE) || r.nano < 0)
        return rr_fail(RR_EINPUT,
                       "\"software\" must be a rate per year or month for a GPU, a node or the pool, such as \"$4,500/gpu/year\"");
    if (r.per == RR_PER_GPU && o->node_gpus < 0)
        return rr_fail(RR_EINPUT,
                       "\"software\" per GPU: the pool's nodes have different numbers of GPUs; give a price per year for the pool");
    return RR_OK;
}

static const char *const inflatable[] = {"energy", "demand", "colocation", "maintenance", "staff", "software", "insurance", NULL};

static enum rr_status take_inflation(struct rr_owned *o)
{
    if (rr_given(o, RR_OWN_INFLATION) != rr_given(o, RR_OWN_INFLATES))
        return rr_fail(RR_EINPUT, "\"inflation\" and \"inflates\" go together, such as \"3 %%\" and \"staff, maintenance\"");
    for (const char *at = o->inflates ? o->inflates : ""; *at;) {
        const size_t n = strcspn(at, ",");
        const struct rr_slice word = rr_trim(rr_slice(at, n));
        size_t i = 0;
        while (inflatable[i] && !rr_slice_is(word, inflatable[i])) i++;
        if (!inflatable[i])
            return rr_fail(RR_EINPUT,
                           "\"inflates\": \"%.*s\" is no such line; energy, demand, colocation, maintenance, staff, software or "
                           "insurance is expected",
                           (int)word.n, word.at);
        at += n + (at[n] == ',');
    }
    return RR_OK;
}

enum rr_status rr_owned_take_months(struct rr_owned *o, const struct rr_owned_load *l)
{
    RR_TRY(take_colocation(o, l));
    RR_TRY(take_maintenance(o, l));
    RR_TRY(take_staff(o, l));
    RR_TRY(take_software(o, l));
    return take_inflation(o);
}

/* ---- the bill ---- */

/* Whole years since the scenario's start that have passed at t. */
static enum rr_status years_at(const struct rr_clock *c, int64_t t_us, int64_t *ret)
{
    int64_t k = t_us / (366 * RR_D), next;
    for (;; k++) {
        RR_TRY(rr_time_add(c, 0, (struct rr_duration){.months = 12 * (k + 1)}, &next));
        if (next > t_us) break;
    }
    *ret = k;
    return RR_OK;
}

enum rr_status rr_owned_inflate(const struct rr_owned_bill *x, const char *line, int64_t t_us, int64_t *nano)
{
    int64_t years;
    if (!x->o->inflates || !rr_list_has(x->o->inflates, line)) return RR_OK;
    RR_TRY(years_at(&x->b->scenario->clock, t_us, &years));
    const double v = (double)*nano * rr_pow(1 + x->o->inflation, (double)years);
    if (!(fabs(v) < 9e18)) return rr_fail(RR_EINPUT, "\"inflation\": a price passes all bounds within the horizon");
    if (years > 0) *nano = llround(v);
    return RR_OK;
}

/* A price a month for an amount of thousandths x microseconds: its share of the part's calendar month; a price a year is a twelfth in each. */
static enum rr_status monthly(const struct rr_owned_bill *x, struct rr_month_part part, const char *line, const char *unit,
                              struct rr_rate rate, rr_i128 milli_us)
{
    const int64_t months = rate.time == RR_YEAR ? 12 : 1;
    int64_t first, next;
    struct rr_money amount;
    if (rate.nano == 0 || milli_us == 0) return RR_OK;
    RR_TRY(rr_owned_inflate(x, line, part.from_us, &rate.nano));
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

/* Amounts of a month in thousandths x microseconds, summed over the times with the same machines in service. */
struct amounts {
    rr_i128 nodes, old, kw, racks, people, pool;
};

static void add_time(const struct rr_owned *o, int64_t nodes, int64_t us, struct amounts *a)
{
    const int64_t kw = rr_given(o, RR_OWN_COMMITTED) ? milli(o->committed_w) : o->rack_mw * nodes;
    a->nodes += (rr_i128)1000 * nodes * us;
    a->kw += (rr_i128)((kw + 500) / 1000) * us; // whole watts are thousandths of a kW
    if (o->rack_nodes > 0) a->racks += (rr_i128)1000 * steps(nodes, o->rack_nodes) * us;
    a->people += rr_given(o, RR_OWN_PERSON_NODES) ? (rr_i128)1000 * steps(nodes, o->nodes_per_person) * us : (rr_i128)milli(o->people) * us;
    a->pool += (rr_i128)1000 * us;
}

/* The next time after `at` that machines come, go or pass their life, at most `to`. */
static int64_t next_edge(const struct rr_owned_bill *x, int64_t at, int64_t to)
{
    for (size_t i = 0; i < x->n_lots; i++) {
        const struct rr_owned_lot *lot = &x->lot[i];
        if (lot->in_us > at && lot->in_us < to) to = lot->in_us;
        if (lot->end_us > at && lot->end_us < to) to = lot->end_us;
    }
    return to;
}

static void add_up(const struct rr_owned_bill *x, struct rr_month_part part, struct amounts *a)
{
    *a = (struct amounts){0};
    for (int64_t at = part.from_us, to; at < part.to_us; at = to) {
        to = next_edge(x, at, part.to_us);
        const int64_t nodes = (int64_t)(rr_owned_node_us(x->lot, x->n_lots, at, to) / (to - at));
        if (nodes > 0) add_time(x->o, nodes, to - at, a);
    }
    for (size_t i = 0; i < x->n_lots; i++) {
        const int64_t from = x->lot[i].life_end_us > part.from_us ? x->lot[i].life_end_us : part.from_us;
        if (from < part.to_us) a->old += 1000 * rr_owned_node_us(&x->lot[i], 1, from, part.to_us);
    }
}

static rr_i128 amount_of(const struct amounts *a, enum rr_per per, int64_t node_gpus)
{
    switch (per) {
    case RR_PER_KW: return a->kw;
    case RR_PER_RACK: return a->racks;
    case RR_PER_NODE: return a->nodes;
    case RR_PER_GPU: return a->nodes * node_gpus;
    case RR_PER_PERSON: return a->people;
    default: return a->pool;
    }
}

/* A share of what was paid for the machines in service, a year. */
static enum rr_status insure(const struct rr_owned_bill *x, struct rr_month_part part)
{
    if (x->o->insurance == 0) return RR_OK;
    for (size_t i = 0; i < x->n_lots; i++) {
        const rr_i128 us = rr_owned_node_us(&x->lot[i], 1, part.from_us, part.to_us);
        struct rr_money year;
        struct rr_rate rate = {.time = RR_YEAR};
        if (us == 0) continue;
        RR_TRY(rr_money_share(x->lot[i].cost, x->o->insurance, &year));
        if (__builtin_mul_overflow(year.micro, 1000, &rate.nano)) return rr_fail(RR_EINPUT, "\"insurance\" is out of range");
        RR_TRY(monthly(x, part, "insurance", "year", rate, 1000 * us / x->lot[i].nodes));
    }
    return RR_OK;
}

enum rr_status rr_owned_bill_month(const struct rr_owned_bill *x, struct rr_month_part part)
{
    const struct rr_owned *o = x->o;
    const struct rr_rate young = {o->maintain_nano, RR_PER_NODE, RR_YEAR}, past = {o->maintain_more_nano, RR_PER_NODE, RR_YEAR};
    const char *room = o->colocate.per == RR_PER_RACK ? "rack-month" : unit_of(o->colocate, "kW-month", "node-month", "month");
    const char *licence = o->licence.time == RR_MONTH ? unit_of(o->licence, "GPU-month", "node-month", "month")
                                                      : unit_of(o->licence, "GPU-year", "node-year", "year");
    struct amounts a;
    add_up(x, part, &a);
    RR_TRY(monthly(x, part, "colocation", room, o->colocate, amount_of(&a, o->colocate.per, 0)));
    RR_TRY(monthly(x, part, "maintenance", "node-year", young, a.nodes - a.old));
    RR_TRY(monthly(x, part, "maintenance", "node-year", past, a.old));
    RR_TRY(monthly(x, part, "staff", unit_of(o->staff_rate, "person-year", "node-year", "year"), o->staff_rate,
                   amount_of(&a, o->staff_rate.per, 0)));
    RR_TRY(monthly(x, part, "software", licence, o->licence, amount_of(&a, o->licence.per, o->node_gpus)));
    return insure(x, part);
}
