/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/price/owned.c - machines that are bought: depreciation, power, colocation, maintenance, staff.
 *
 * A fixed number of nodes is bought at time 0, and again at the end of each life that the horizon reaches; the old ones are then sold at
 * the residual value. Cash is the purchase (and the sale), effective cost the straight line from price to residual, by time; what is not
 * yet written off at the horizon is value.terminal. All other lines are monthly, due at the month's end; a year is 12 of its months.
 *
 * Power of a node = idle + (max - idle) x share of its GPUs in use, times PUE. A lease carries only the total GPU time used in it, so
 * that this load is spread evenly over the lease. Colocation pays for the full-load power, drawn or not. */
#include "models/price/usage.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct owned {
    uint64_t given;
    struct rr_amount price;
    struct rr_duration life;
    double residual, idle_w, max_w, pue, maintenance, people;
    struct rr_price electricity, colocation, staff;
    /* resolved, in the scenario's currency, per node */
    struct rr_money cost, left; /* purchase price and residual value */
    int64_t nodes;
    int64_t idle_mw, span_mw, rack_mw; /* milliwatts: idle and max - idle with PUE, max without */
    int64_t energy_nano;               /* per kWh */
    struct rr_rate colocate;           /* per kW, node or pool, and month */
    int64_t maintain_nano;             /* per node and year */
    struct rr_rate staff_rate;         /* per pool, node or person, and year */
    int64_t staff_milli;               /* thousandths of nodes, posts or the pool */
};
enum { P_PRICE, P_LIFE, P_RESIDUAL, P_IDLE, P_MAX, P_PUE, P_ELECTRICITY, P_COLOCATION, P_MAINTENANCE, P_STAFF, P_PEOPLE };

#define FACTS "data/facts/plan_defaults.csv"
static const struct rr_param rows[] = {
    [P_PRICE] = {.name = "price",
                 .type = RR_P_MONEY,
                 .offset = offsetof(struct owned, price),
                 .unit = "per node",
                 .help = "purchase price; absent: the facts' price of the pool's hardware",
                 .source = "data/facts/hardware.csv"},
    [P_LIFE] = {.name = "life",
                .type = RR_P_DURATION,
                .offset = offsetof(struct owned, life),
                .unit = "",
                .help = "useful life: written off in a straight line, then bought anew",
                .source = FACTS},
    [P_RESIDUAL] = {.name = "residual",
                    .type = RR_P_SHARE,
                    .offset = offsetof(struct owned, residual),
                    .unit = "share of the price",
                    .least = 0,
                    .most = 1,
                    .help = "what the old machine brings at the end of its life; absent: the facts' share at that age",
                    .source = FACTS},
    [P_IDLE] = {.name = "idle_power",
                .type = RR_P_POWER,
                .offset = offsetof(struct owned, idle_w),
                .unit = "W per node",
                .least = 0,
                .most = 1e7,
                .help = "power of a node without work; absent: the facts, or their share of max_power",
                .source = "data/facts/hardware.csv"},
    [P_MAX] = {.name = "max_power",
               .type = RR_P_POWER,
               .offset = offsetof(struct owned, max_w),
               .unit = "W per node",
               .least = 0,
               .most = 1e7,
               .help = "power of a node whose GPUs are all in use; absent: the facts",
               .source = "data/facts/hardware.csv"},
    [P_PUE] = {.name = "pue",
               .type = RR_P_REAL,
               .offset = offsetof(struct owned, pue),
               .unit = "",
               .least = 1,
               .most = 10,
               .help = "energy of the whole site over that of the machines; absent: /finance/pue, then the facts",
               .source = "/finance/pue, " FACTS},
    [P_ELECTRICITY] = {.name = "electricity",
                       .type = RR_P_RATE,
                       .offset = offsetof(struct owned, electricity),
                       .unit = "per kWh",
                       .most = 1e10,
                       .help = "price of energy; absent: /finance/electricity, then the facts",
                       .source = "/finance/electricity, " FACTS},
    [P_COLOCATION] = {.name = "colocation",
                      .type = RR_P_RATE,
                      .offset = offsetof(struct owned, colocation),
                      .unit = "per kW, node or pool, and month",
                      .most = 1e10,
                      .help = "room, cooling and committed power (kW: of max_power); \"$0/kW/month\" when there is none to pay",
                      .source = FACTS},
    [P_MAINTENANCE] = {.name = "maintenance",
                       .type = RR_P_SHARE,
                       .offset = offsetof(struct owned, maintenance),
                       .unit = "share of the price per year",
                       .least = 0,
                       .most = 1,
                       .help = "support and spare parts",
                       .source = FACTS},
    [P_STAFF] = {.name = "staff",
                 .type = RR_P_RATE,
                 .offset = offsetof(struct owned, staff),
                 .unit = "per node, person or pool, and year",
                 .most = 1e10,
                 .help = "people who run the machines; public figures differ too much for a default, so none are counted when absent"},
    [P_PEOPLE] = {.name = "people",
                  .type = RR_P_REAL,
                  .offset = offsetof(struct owned, people),
                  .unit = "full-time posts for the pool",
                  .least = 0,
                  .most = 1e6,
                  .help = "how many people a \"staff\" rate per person pays for"},
};

/* ---- at load ---- */

struct load { /* where a resolve stands */
    const struct rr_scenario *s;
    const struct rr_pool *pool;
    const char *pointer;
    const struct rr_catalog *catalog;
    struct rr_arena *arena;
    struct rr_notes *notes;
};

/* `remark`: the row's note. */
static void assume(const struct load *l, const char *parameter, const char *value, const struct rr_fact *f, const char *remark)
{
    rr_note(l->notes, RR_NOTE_ASSUMED, rr_strf(l->arena, "%s/%s", l->pointer, parameter), rr_fact_text(l->arena, f), "%s is %s%s%s",
            parameter, value, *remark ? "; " : "", remark);
}

/* The default's text, noted as assumed. */
static enum rr_status fallback(const struct load *l, const char *key, const char *parameter, struct rr_slice *ret)
{
    const struct rr_default *d = rr_catalog_default(l->catalog, "owned", key);
    if (d == NULL) return rr_fail(RR_EINPUT, "\"%s\" is not given, and the facts have no default for it", parameter);
    assume(l, parameter, d->value, &d->fact, d->fact.note);
    *ret = rr_slice(d->value, strlen(d->value));
    return RR_OK;
}

static enum rr_status take_price(struct owned *o, const struct load *l)
{
    const struct rr_hardware *h = l->pool->hardware;
    if (!rr_given(o, P_PRICE)) {
        if (h == NULL || h->price.money.micro == 0)
            return rr_fail(RR_EINPUT, "no purchase price: give \"price\" per node, such as \"$335,000\"%s%s",
                           h ? "; the facts have none for " : "", h ? h->id : "");
        struct rr_buf b = {0};
        rr_buf_money(&b, h->price.money, h->price.currency, 2);
        rr_buf_putf(&b, " for one %s", h->id);
        assume(l, "price", rr_buf_text(&b), &h->fact, h->fact.note);
        rr_buf_done(&b);
        o->price = h->price;
    }
    if (o->price.money.micro < 0) return rr_fail(RR_EINPUT, "\"price\" is negative");
    return rr_scenario_money(l->s, o->price, &o->cost);
}

/* The facts' resale share at the first age that is not below the life, else at the oldest. */
static enum rr_status residual_of(const struct load *l, struct rr_duration life, double *ret)
{
    const char *key = NULL;
    long best = 0, want = (long)life.months + (long)((life.us + 30 * RR_D - 1) / (30 * RR_D));
    for (size_t i = 0; i < l->catalog->n_fallbacks; i++) {
        const struct rr_default *d = &l->catalog->fallback[i];
        if (strcmp(d->plan, "owned") != 0 || strncmp(d->parameter, "residual@", 9) != 0) continue;
        const long age = strtol(d->parameter + 9, NULL, 10);
        if (key != NULL && !(best < want ? age > best : age >= want && age < best)) continue;
        key = d->parameter;
        best = age;
    }
    struct rr_slice text;
    RR_TRY(fallback(l, key ? key : "residual", "residual", &text));
    return rr_unit_share(text, ret);
}

static enum rr_status take_life(struct owned *o, const struct load *l)
{
    struct rr_slice text;
    int64_t left, end;
    if (!rr_given(o, P_LIFE)) {
        RR_TRY(fallback(l, "life", "life", &text));
        RR_TRY(rr_unit_duration(text, &o->life));
    }
    RR_TRY(rr_time_add(&l->s->clock, 0, o->life, &end));
    if (end < RR_D) return rr_fail(RR_EINPUT, "\"life\" must be at least a day, such as \"5 years\"");
    if (!rr_given(o, P_RESIDUAL)) RR_TRY(residual_of(l, o->life, &o->residual));
    RR_TRY(rr_rate_less(o->cost.micro, o->residual, &left)); // the part that is written off
    o->left.micro = o->cost.micro - left;
    if (l->s->has_horizon && end < l->s->horizon_us)
        rr_note(l->notes, RR_NOTE_ASSUMED, rr_strf(l->arena, "%s/life", l->pointer), "",
                "at the end of their life the machines are sold at the residual value and bought anew at the same price");
    return RR_OK;
}

static int64_t milli(double w) { return llround(w * 1000); }

static enum rr_status take_power(struct owned *o, const struct load *l)
{
    const struct rr_hardware *h = l->pool->hardware;
    struct rr_slice text;
    double share;
    if (!rr_given(o, P_MAX)) {
        if (h == NULL || h->power_w == 0)
            return rr_fail(RR_EINPUT, "no power of a node: give \"max_power\" and \"idle_power\", such as \"10.2 kW\"%s%s",
                           h ? "; the facts have none for " : "", h ? h->id : "");
        o->max_w = h->power_w;
        assume(l, "max_power", rr_strf(l->arena, "%g W for one %s", o->max_w, h->id), &h->fact, rr_given(o, P_PRICE) ? h->fact.note : "");
    }
    if (!rr_given(o, P_IDLE) && h != NULL && h->idle_w > 0 && !rr_given(o, P_MAX)) {
        o->idle_w = h->idle_w;
        assume(l, "idle_power", rr_strf(l->arena, "%g W for one %s", o->idle_w, h->id), &h->fact, "");
    } else if (!rr_given(o, P_IDLE)) {
        RR_TRY(fallback(l, "idle_share", "idle_power", &text));
        RR_TRY(rr_unit_share(text, &share));
        o->idle_w = round(o->max_w * share * 1000) / 1000;
    }
    if (o->idle_w > o->max_w) return rr_fail(RR_EINPUT, "\"idle_power\" is above \"max_power\"");
    return RR_OK;
}

static enum rr_status take_energy(struct owned *o, const struct load *l)
{
    const struct rr_finance *f = &l->s->finance;
    struct rr_slice text;
    struct rr_rate rate;
    if (!rr_given(o, P_PUE) && f->pue > 0) {
        o->pue = f->pue;
    } else if (!rr_given(o, P_PUE)) {
        RR_TRY(fallback(l, "pue", "pue", &text));
        RR_TRY(rr_text_double(text, &o->pue));
    }
    o->idle_mw = milli(o->idle_w * o->pue);
    o->span_mw = milli(o->max_w * o->pue) - o->idle_mw;
    o->rack_mw = milli(o->max_w);
    if (!rr_given(o, P_ELECTRICITY) && f->electricity.currency[0] != '\0') {
        o->electricity = f->electricity;
    } else if (!rr_given(o, P_ELECTRICITY)) {
        RR_TRY(fallback(l, "electricity", "electricity", &text));
        RR_TRY(rr_unit_rate(text, &o->electricity.rate, o->electricity.currency));
    }
    RR_TRY(rr_scenario_rate(l->s, o->electricity, &rate));
    if (rate.per != RR_PER_KWH || rate.time != RR_EVER || rate.nano < 0)
        return rr_fail(RR_EINPUT, "\"electricity\" must be per kWh, such as \"$0.08/kWh\"");
    o->energy_nano = rate.nano;
    return RR_OK;
}

static enum rr_status take_colocation(struct owned *o, const struct load *l)
{
    struct rr_slice text;
    if (!rr_given(o, P_COLOCATION)) {
        RR_TRY(fallback(l, "colocation", "colocation", &text));
        RR_TRY(rr_unit_rate(text, &o->colocation.rate, o->colocation.currency));
    }
    RR_TRY(rr_scenario_rate(l->s, o->colocation, &o->colocate));
    const enum rr_per per = o->colocate.per;
    if ((per != RR_PER_KW && per != RR_PER_NODE && per != RR_PER_ONCE) || o->colocate.time != RR_MONTH || o->colocate.nano < 0)
        return rr_fail(RR_EINPUT, "\"colocation\" must be a rate per month for a kW, a node or the pool, such as \"$195/kW/month\"");
    return RR_OK;
}

static enum rr_status take_maintenance(struct owned *o, const struct load *l)
{
    struct rr_slice text;
    int64_t rest, price_nano;
    if (!rr_given(o, P_MAINTENANCE)) {
        RR_TRY(fallback(l, "maintenance", "maintenance", &text));
        RR_TRY(rr_unit_share(text, &o->maintenance));
    }
    if (__builtin_mul_overflow(o->cost.micro, 1000, &price_nano)) return rr_fail(RR_EINPUT, "\"price\" is out of range");
    RR_TRY(rr_rate_less(price_nano, o->maintenance, &rest));
    o->maintain_nano = price_nano - rest;
    return RR_OK;
}

static enum rr_status take_staff(struct owned *o, const struct load *l)
{
    struct rr_rate *rate = &o->staff_rate;
    if (!rr_given(o, P_STAFF)) {
        if (rr_given(o, P_PEOPLE)) return rr_fail(RR_EINPUT, "\"people\" needs \"staff\", such as \"$150,000/person/year\"");
        rr_note(l->notes, RR_NOTE_WARNING, rr_strf(l->arena, "%s/staff", l->pointer), "",
                "no staff is counted: public figures differ 19-fold, so there is no default; give \"staff\"");
        return RR_OK;
    }
    RR_TRY(rr_scenario_rate(l->s, o->staff, rate));
    const bool person = rate->per == RR_PER_PERSON;
    if (rate->time != RR_YEAR || (rate->per != RR_PER_NODE && rate->per != RR_PER_ONCE && !person) || rate->nano < 0)
        return rr_fail(RR_EINPUT, "\"staff\" must be a rate per year for the pool, a node or a person, such as \"$150,000/person/year\"");
    if (person != rr_given(o, P_PEOPLE))
        return rr_fail(RR_EINPUT, "\"people\" goes with \"staff\" per person, such as \"$150,000/person/year\"");
    o->staff_milli = person ? milli(o->people) : rate->per == RR_PER_NODE ? o->nodes * 1000 : 1000;
    return RR_OK;
}

static enum rr_status owned_resolve(void *params, const struct rr_scenario *s, const struct rr_pool *pool, const char *pointer,
                                    const struct rr_catalog *catalog, struct rr_arena *arena, struct rr_notes *notes)
{
    struct owned *o = params;
    const struct load l = {s, pool, pointer, catalog, arena, notes};
    if (!s->clock.anchored)
        return rr_fail(RR_EINPUT, "owned machines need a calendar: give the scenario a \"start\", such as \"2026-01-01\"");
    if (pool->nodes_min != pool->nodes_max || pool->nodes_max < 0)
        return rr_fail(RR_EINPUT, "owned machines need a fixed number of nodes, such as \"nodes\": 8");
    o->nodes = pool->nodes_max;
    RR_TRY(take_price(o, &l));
    RR_TRY(take_life(o, &l));
    RR_TRY(take_power(o, &l));
    RR_TRY(take_energy(o, &l));
    RR_TRY(take_colocation(o, &l));
    RR_TRY(take_maintenance(o, &l));
    return take_staff(o, &l);
}

/* ---- purchase and depreciation ---- */

static enum rr_status life_start(const struct owned *o, const struct rr_clock *c, int64_t k, int64_t *ret_us)
{
    return rr_time_add(c, 0, (struct rr_duration){k * o->life.months, k * o->life.us}, ret_us);
}

static enum rr_status for_all(const struct owned *o, struct rr_money per_node, struct rr_money *ret)
{
    return rr_round_div((rr_i128)per_node.micro * o->nodes, 1, &ret->micro);
}

struct bill {
    const struct owned *o;
    const struct rr_billing *b;
    struct rr_sink *sink;
    struct rr_charge c; /* type, pool and unit set */
};

/* Life k: [t0, t1), inside the horizon at its start. */
static enum rr_status charge_life(const struct bill *x, int64_t k, int64_t t0, int64_t t1)
{
    const struct rr_clock *clock = &x->b->scenario->clock;
    struct rr_money cost, left, written_off;
    struct rr_month_part *part;
    struct rr_charge c = x->c;
    size_t n;
    RR_TRY(for_all(x->o, x->o->cost, &cost));
    RR_TRY(for_all(x->o, x->o->left, &left));
    written_off.micro = cost.micro - left.micro;
    RR_TRY(rr_month_parts(clock, t0, t1 < x->b->horizon_us ? t1 : x->b->horizon_us, x->b->arena, &part, &n));
    for (size_t i = 0; i < n; i++) {
        c.from_us = part[i].from_us;
        c.to_us = part[i].to_us;
        c.due_us = t0;
        c.unit = "node-hour";
        c.quantity = (double)x->o->nodes * (double)(c.to_us - c.from_us) / (double)RR_H;
        if (i == 0 && k > 0 && left.micro > 0) {
            c.line = "resale";
            c.billed.micro = -left.micro;
            c.effective.micro = 0;
            RR_TRY(x->sink->emit(x->sink, &c));
        }
        c.line = "depreciation";
        c.billed.micro = i == 0 ? cost.micro : 0;
        c.until_us = i == 0 ? t1 : 0;
        c.effective.micro =
            rr_money_upto(written_off, c.to_us - t0, t1 - t0).micro - rr_money_upto(written_off, c.from_us - t0, t1 - t0).micro;
        RR_TRY(x->sink->emit(x->sink, &c));
    }
    return RR_OK;
}

static enum rr_status charge_lives(const struct bill *x)
{
    for (int64_t k = 0;; k++) {
        int64_t t0, t1;
        RR_TRY(life_start(x->o, &x->b->scenario->clock, k, &t0));
        if (t0 >= x->b->horizon_us) return RR_OK;
        RR_TRY(life_start(x->o, &x->b->scenario->clock, k + 1, &t1));
        RR_TRY(charge_life(x, k, t0, t1));
    }
}

static enum rr_status owned_terminal(const void *params, const struct rr_billing *b, size_t pool, int64_t at_us, struct rr_money *value)
{
    const struct owned *o = params;
    struct rr_money cost, left, book;
    int64_t t0 = 0, t1;
    (void)pool;
    RR_TRY(life_start(o, &b->scenario->clock, 1, &t1));
    for (int64_t k = 1; t1 < at_us; k++) {
        t0 = t1;
        RR_TRY(life_start(o, &b->scenario->clock, k + 1, &t1));
    }
    RR_TRY(for_all(o, o->cost, &cost));
    RR_TRY(for_all(o, o->left, &left));
    book.micro = cost.micro - rr_money_upto((struct rr_money){cost.micro - left.micro}, at_us - t0, t1 - t0).micro;
    return rr_money_add(value, book);
}

/* ---- energy ---- */

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

/* load[i] = sum over nodes of (share of the GPUs in use) x time in part i, in node-milli-microseconds. */
static void add_load(const struct rr_billing *b, size_t pool, const struct rr_month_part *part, size_t n, rr_i128 *load)
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

/* Energy of part i with PUE, in milliwatt-microseconds. */
static rr_i128 energy_of(const struct owned *o, struct rr_month_part part, rr_i128 load)
{
    return (rr_i128)o->idle_mw * o->nodes * (part.to_us - part.from_us) + (rr_i128)o->span_mw * load / 1000;
}

static double owned_energy_kwh(const void *params, const struct rr_billing *b, size_t pool)
{
    const struct owned *o = params;
    struct rr_month_part *part;
    size_t n;
    if (rr_month_parts(&b->scenario->clock, 0, b->horizon_us, b->arena, &part, &n) != RR_OK) return 0; // billing has said why
    rr_i128 *load = RR_NEWS(b->arena, rr_i128, n + 1), sum = 0;
    add_load(b, pool, part, n, load);
    for (size_t i = 0; i < n; i++) sum += energy_of(o, part[i], load[i]);
    return (double)sum / KWH_MW_US;
}

/* ---- monthly lines ---- */

static enum rr_status emit_month(const struct bill *x, struct rr_month_part part, const char *line, const char *unit, double quantity,
                                 struct rr_rate rate, struct rr_money amount)
{
    struct rr_charge c = x->c;
    c.line = line;
    c.unit = unit;
    c.quantity = quantity;
    c.rate = rate;
    c.from_us = part.from_us;
    c.to_us = c.due_us = part.to_us;
    c.billed = c.effective = amount;
    return x->sink->emit(x->sink, &c);
}

/* A price a month for `milli_units` thousandths: the part's share of its calendar month; `months` 12 for a price a year. */
static enum rr_status monthly(const struct bill *x, struct rr_month_part part, const char *line, const char *unit, struct rr_rate rate,
                              int64_t milli_units, int64_t months)
{
    int64_t first, next;
    struct rr_money amount;
    if (rate.nano == 0) return RR_OK;
    RR_TRY(rr_month_start(&x->b->scenario->clock, part.from_us, &first));
    RR_TRY(rr_month_next(&x->b->scenario->clock, part.from_us, &next));
    const rr_i128 quantity = (rr_i128)milli_units * (part.to_us - part.from_us);
    const rr_i128 per = (rr_i128)1000 * months * (next - first);
    RR_TRY(rr_charge_wide(rate.nano, quantity, per, &amount));
    return emit_month(x, part, line, unit, (double)quantity / (double)per, rate, amount);
}

static const char *unit_of(struct rr_rate rate, const char *each, const char *node, const char *pool)
{
    return rate.per == RR_PER_NODE ? node : rate.per == RR_PER_ONCE ? pool : each;
}

static enum rr_status charge_month(const struct bill *x, struct rr_month_part part, rr_i128 load)
{
    const struct owned *o = x->o;
    const rr_i128 energy = energy_of(o, part, load);
    const int64_t nodes = o->nodes * 1000;
    struct bill power = *x;
    struct rr_money amount;
    power.c.energy = true;
    RR_TRY(rr_money_charge(o->energy_nano, energy, (int64_t)KWH_MW_US, &amount));
    if (amount.micro != 0)
        RR_TRY(emit_month(&power, part, "energy", "kWh", (double)energy / KWH_MW_US, (struct rr_rate){o->energy_nano, RR_PER_KWH, RR_EVER},
                          amount));
    /* Whole watts are thousandths of a kW. */
    const int64_t room = o->colocate.per == RR_PER_KW     ? (o->rack_mw * o->nodes + 500) / 1000
                         : o->colocate.per == RR_PER_NODE ? nodes
                                                          : 1000;
    RR_TRY(monthly(x, part, "colocation", unit_of(o->colocate, "kW-month", "node-month", "month"), o->colocate, room, 1));
    RR_TRY(monthly(x, part, "maintenance", "node-year", (struct rr_rate){o->maintain_nano, RR_PER_NODE, RR_YEAR}, nodes, 12));
    return monthly(x, part, "staff", unit_of(o->staff_rate, "person-year", "node-year", "year"), o->staff_rate, o->staff_milli, 12);
}

static enum rr_status owned_bill(const void *params, const struct rr_billing *b, size_t pool, struct rr_sink *sink)
{
    const struct bill x = {params, b, sink, {.type = rr_price_owned.kind.name, .pool = (int)pool, .pricing = RR_PRICING_OTHER}};
    struct rr_month_part *part;
    size_t n;
    RR_TRY(rr_month_parts(&b->scenario->clock, 0, b->horizon_us, b->arena, &part, &n));
    rr_i128 *load = RR_NEWS(b->arena, rr_i128, n + 1);
    add_load(b, pool, part, n, load);
    RR_TRY(charge_lives(&x));
    for (size_t i = 0; i < n; i++) RR_TRY(charge_month(&x, part[i], load[i]));
    return RR_OK;
}

const struct rr_price_plan rr_price_owned = {
    .kind = {.name = "owned",
             .summary = "bought machines: depreciation, power, colocation, maintenance, staff",
             .params = rows,
             .n_params = sizeof rows / sizeof *rows,
             .params_size = sizeof(struct owned),
             .use = RR_USE_POOL},
    .resolve = owned_resolve,
    .bill = owned_bill,
    .terminal = owned_terminal,
    .energy_kwh = owned_energy_kwh,
};
