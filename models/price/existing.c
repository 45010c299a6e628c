/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/price/existing.c - what is there already ("existing": FILE): sunk cost is written off and never billed, what still must be paid is.
 *
 * The same in every alternative. Servers are written off in a straight line, and draw their power to the horizon; they bring no machines by
 * themselves: a pool with an owned plan that was "bought" before the start does. What was paid for commitments accrues over their term
 * ("depreciation" too), what recurs is billed by the month; both end with the term, and what lies behind the horizon is shown. No part of it is
 * value at the horizon. */
#include "data/existing.h"
#include "models/finance/depreciation.h"
#include "models/price/around.h"
#include "models/price/term.h"
#include <math.h>
#include <string.h>

struct existing {
    uint64_t given;
    const char *file;
    double pue;
    struct rr_price electricity;
    /* resolved */
    struct rr_existing read;
    int64_t energy_nano; /* per kWh */
    struct asset {
        int64_t from_us, to_us; /* written off, or committed */
        struct rr_money sunk;
        int64_t hourly_nano;
        int64_t mw; /* with PUE */
    } * asset;      /* [read.n] */
};
enum { P_FILE, P_PUE, P_ELECTRICITY };
static const struct rr_param rows[] = {
    [P_FILE] = {.name = "file",
                .type = RR_P_PATH,
                .offset = offsetof(struct existing, file),
                .help = "CSV of servers and commitments, relative to the scenario",
                .flags = RR_PF_REQUIRED},
    [P_PUE] = {.name = "pue",
               .type = RR_P_REAL,
               .offset = offsetof(struct existing, pue),
               .unit = "",
               .least = 1,
               .most = 10,
               .help = "of the servers' site; absent: /finance/pue, then the facts",
               .source = "/finance/pue, data/facts/plan_defaults.csv"},
    [P_ELECTRICITY] = {.name = "electricity",
                       .type = RR_P_RATE,
                       .offset = offsetof(struct existing, electricity),
                       .unit = "per kWh",
                       .most = 1e10,
                       .help = "of the servers' site; absent: /finance/electricity, then the facts",
                       .source = "/finance/electricity, data/facts/plan_defaults.csv"},
};

struct load {
    const struct rr_scenario *s;
    const char *pointer;
    const struct rr_catalog *catalog;
    struct rr_arena *arena;
    struct rr_notes *notes;
};

static enum rr_status fallback(const struct load *l, const char *key, struct rr_slice *ret)
{
    const struct rr_default *d = rr_catalog_default(l->catalog, "owned", key);
    if (d == NULL) return rr_fail(RR_EINPUT, "\"%s\" is not given, and the facts have no default for it", key);
    rr_note(l->notes, RR_NOTE_ASSUMED, rr_strf(l->arena, "%s/%s", l->pointer, key), rr_fact_text(l->arena, &d->fact), "%s is %s", key,
            d->value);
    *ret = rr_slice(d->value, strlen(d->value));
    return RR_OK;
}

static enum rr_status take_energy(struct existing *x, const struct load *l)
{
    const struct rr_finance *f = &l->s->finance;
    struct rr_slice text;
    struct rr_rate rate;
    if (!rr_given(x, P_PUE)) x->pue = f->pue;
    if (x->pue == 0) {
        RR_TRY(fallback(l, "pue", &text));
        RR_TRY(rr_text_double(text, &x->pue));
    }
    if (!rr_given(x, P_ELECTRICITY)) x->electricity = f->electricity;
    if (x->electricity.currency[0] == '\0') {
        RR_TRY(fallback(l, "electricity", &text));
        RR_TRY(rr_unit_rate(text, &x->electricity.rate, x->electricity.currency));
    }
    RR_TRY(rr_scenario_rate(l->s, x->electricity, &rate));
    if (rate.per != RR_PER_KWH || rate.time != RR_EVER || rate.nano < 0)
        return rr_fail(RR_EINPUT, "\"electricity\" must be per kWh, such as \"$0.08/kWh\"");
    x->energy_nano = rate.nano;
    return RR_OK;
}

/* A server: from its date at cost, or from the scenario's start at book value, to the end of its life. */
static enum rr_status take_server(const struct existing *x, const struct rr_existing_row *e, const struct rr_scenario *s, struct asset *a)
{
    a->from_us = e->date_us - s->clock.start_us;
    if (a->from_us > 0) return rr_fail(RR_EINPUT, "the server \"%s\" comes after the scenario's start: it is not there yet", e->name);
    RR_TRY(rr_time_add(&s->clock, a->from_us, e->life, &a->to_us));
    RR_TRY(rr_scenario_money(s, e->has_book ? e->book : e->cost, &a->sunk));
    if (e->has_book && a->sunk.micro > 0 && a->to_us <= 0)
        return rr_fail(RR_EINPUT, "the server \"%s\" has a book value, but its life has ended before the scenario's start", e->name);
    if (e->has_book) a->from_us = 0;
    a->mw = llround(e->kw * 1e6 * x->pue);
    return RR_OK;
}

static enum rr_status take_row(const struct existing *x, const struct rr_existing_row *e, const struct rr_scenario *s, struct asset *a)
{
    struct rr_rate rate = {0};
    if (!e->commitment) return take_server(x, e, s, a);
    a->from_us = e->date_us - s->clock.start_us;
    a->to_us = e->ends_us - s->clock.start_us;
    if (a->from_us > 0)
        return rr_fail(RR_EINPUT, "the commitment \"%s\" begins after the scenario's start: it stands in \"commitments\"", e->name);
    if (e->has_cost) RR_TRY(rr_scenario_money(s, e->cost, &a->sunk));
    if (e->recurring.rate.nano > 0) RR_TRY(rr_scenario_rate(s, e->recurring, &rate));
    a->hourly_nano = rate.nano;
    return RR_OK;
}

static enum rr_status existing_resolve(void *params, const struct rr_scenario *s, const struct rr_pool *pool, const char *pointer,
                                       const struct rr_catalog *catalog, struct rr_arena *arena, struct rr_notes *notes)
{
    struct existing *x = params;
    const struct load l = {s, pointer, catalog, arena, notes};
    bool draws = false;
    (void)pool;
    RR_TRY(rr_around_check(s));
    RR_TRY(rr_existing_read(x->file, arena, &x->read));
    for (size_t i = 0; i < x->read.n; i++) draws |= x->read.row[i].kw > 0;
    if (draws) RR_TRY(take_energy(x, &l));
    x->asset = RR_NEWS(arena, struct asset, x->read.n + 1);
    for (size_t i = 0; i < x->read.n; i++) {
        const enum rr_status st = take_row(x, &x->read.row[i], s, &x->asset[i]);
        const struct rr_existing_row *e = &x->read.row[i];
        if (st != RR_OK) return rr_fail_in(st, "%s:%lld", x->read.path, (long long)e->line);
        if (e->commitment && e->count == 0 && x->asset[i].to_us > 0)
            rr_note(notes, RR_NOTE_WARNING, pointer, "",
                    "the commitment \"%s\" is paid for and covers nothing: give its \"instance\" and \"count\"", e->name);
    }
    return RR_OK;
}

/* ---- what running commitments cover ---- */

/* Pools of its instance; without a region all of them. */
static size_t pools_of(const struct rr_existing_row *e, const struct rr_billing *b, size_t *pool)
{
    size_t n = 0;
    for (size_t p = 0; p < b->scenario->n_pools; p++) {
        const struct rr_pool *x = &b->scenario->pool[p];
        const bool there = x->instance_id != NULL && strcmp(x->instance_id, e->instance) == 0;
        if (there && (*e->region == '\0' || rr_covers_pool(x, e->instance, e->region)) && b->usage[p].node_us != NULL &&
            !b->usage[p].per_gpu)
            pool[n++] = p;
    }
    return n;
}

/* `count` nodes an hour until it ends, the pools in their order. What it costs is billed below, used or not. */
static enum rr_status cover_row(const struct rr_existing_row *e, int64_t to_us, const struct rr_billing *b)
{
    size_t *pool = RR_NEWS(b->arena, size_t, b->scenario->n_pools + 1);
    const size_t n = pools_of(e, b, pool);
    const struct rr_term_span span = {0, to_us < b->horizon_us ? to_us : b->horizon_us, to_us > b->horizon_us};
    struct rr_covering c;
    RR_TRY(rr_covering_begin(b, &span, pool, n, &c));
    const struct rr_usage *grid = n > 0 ? &b->usage[pool[0]] : NULL;
    for (size_t h = 0; grid != NULL && h < grid->n_hours; h++) {
        int64_t left = e->count * rr_term_hour(&span, grid, h);
        for (size_t i = 0; i < n && left > 0; i++) {
            const int64_t used = b->usage[pool[i]].node_us[h], take = used < left ? used : left;
            rr_covering_take(&c, b, h, i, take, take);
            left -= take;
        }
    }
    return RR_OK;
}

static enum rr_status existing_cover(const void *params, const struct rr_billing *b, size_t entry, struct rr_sink *sink)
{
    const struct existing *x = params;
    (void)entry;
    (void)sink;
    for (size_t i = 0; i < x->read.n; i++)
        if (x->read.row[i].count > 0 && x->asset[i].to_us > 0) RR_TRY(cover_row(&x->read.row[i], x->asset[i].to_us, b));
    return RR_OK;
}

/* ---- the bill ---- */

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

/* Its share of what was paid before. */
static struct rr_money sunk_upto(const struct asset *a, int64_t t)
{
    return rr_money_upto(a->sunk, least(most(t - a->from_us, 0), a->to_us - a->from_us), a->to_us - a->from_us);
}

static enum rr_status bill_month(const struct existing *x, size_t i, struct rr_charge c, int64_t horizon_us, struct rr_sink *sink)
{
    const struct asset *a = &x->asset[i];
    const int64_t from = c.from_us, to = c.to_us, until = least(to, a->to_us), us = until > from ? until - from : 0;
    c.unit = "month";
    c.line = "depreciation";
    c.effective.micro = sunk_upto(a, to).micro - sunk_upto(a, from).micro;
    if (to == horizon_us && a->hourly_nano + (int64_t)x->read.row[i].commitment > 0) // of a commitment that runs on
        c.after_horizon.micro = a->sunk.micro - sunk_upto(a, to).micro;
    if (c.effective.micro != 0 || c.after_horizon.micro != 0) RR_TRY(sink->emit(sink, &c));
    c.after_horizon.micro = 0;
    if (a->hourly_nano > 0 && us > 0) {
        c.line = "recurring";
        c.unit = "hour";
        c.quantity = (double)us / (double)RR_H;
        c.rate = (struct rr_rate){a->hourly_nano, RR_PER_ONCE, RR_HOUR};
        c.pricing = RR_PRICING_COMMITTED;
        RR_TRY(rr_money_charge(a->hourly_nano, us, RR_H, &c.billed));
        c.effective = c.billed;
        if (to == horizon_us && a->to_us > to) RR_TRY(rr_money_charge(a->hourly_nano, a->to_us - to, RR_H, &c.after_horizon));
        RR_TRY(sink->emit(sink, &c));
    }
    return RR_OK;
}

static enum rr_status bill_power(const struct existing *x, struct rr_charge c, struct rr_sink *sink)
{
    rr_i128 mw = 0;
    for (size_t i = 0; i < x->read.n; i++) mw += x->asset[i].mw;
    const rr_i128 energy = mw * (c.to_us - c.from_us);
    RR_TRY(rr_money_charge(x->energy_nano, energy, INT64_C(3600000000000000), &c.billed));
    if (c.billed.micro == 0) return RR_OK;
    c.line = "energy";
    c.energy = true;
    c.unit = "kWh";
    c.quantity = (double)energy / 3.6e15;
    c.rate = (struct rr_rate){x->energy_nano, RR_PER_KWH, RR_EVER};
    c.effective = c.billed;
    return sink->emit(sink, &c);
}

static enum rr_status existing_bill(const void *params, const struct rr_billing *b, size_t entry, struct rr_sink *sink)
{
    const struct existing *x = params;
    struct rr_months m;
    (void)entry;
    RR_TRY(rr_months_of(b, &m));
    for (size_t k = 0; k < m.n; k++) {
        struct rr_charge c = rr_month_charge(&m, k, rr_price_existing.kind.name, "depreciation", "month");
        c.due_us = c.to_us;
        c.pricing = RR_PRICING_OTHER;
        for (size_t i = 0; i < x->read.n; i++) RR_TRY(bill_month(x, i, c, b->horizon_us, sink));
        RR_TRY(bill_power(x, c, sink));
    }
    return RR_OK;
}

static void existing_inputs(const void *params, void (*each)(void *ctx, const char *path, const char *sha256), void *ctx)
{
    const struct existing *x = params;
    if (x->read.path) each(ctx, x->read.path, x->read.sha256);
}

const struct rr_price_plan rr_price_existing = {
    .kind = {.name = "existing",
             .summary = "servers and commitments that are there already: sunk cost, and what still must be paid",
             .params = rows,
             .n_params = sizeof rows / sizeof *rows,
             .params_size = sizeof(struct existing),
             .use = RR_USE_CHARGE},
    .resolve = existing_resolve,
    .cover = existing_cover,
    .bill = existing_bill,
    .inputs = existing_inputs,
};
