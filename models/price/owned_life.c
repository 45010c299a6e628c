/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/price/owned_life.c - lives of owned machines: purchase, what the books write off, resale, replacement.
 *
 * Cash is the price when they come and the resale when they go; effective is what the books write off, and at the sale the rest of the book
 * value less what it brings (a loss, or a gain below 0). Cumulative rounding: any cut of a life adds up to the micro-unit. */
#include "data/base/fmath.h"
#include "models/finance/share.h"
#include "models/price/owned.h"
#include <stdlib.h>
#include <string.h>

/* ---- at load ---- */

/* The facts' resale share at the first age that is not below the life, else at the oldest. */
static enum rr_status residual_of(const struct rr_owned_load *l, struct rr_duration life, double *ret)
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
    RR_TRY(rr_owned_fallback(l, key ? key : "residual", "residual", &text));
    return rr_unit_share(text, ret);
}

static struct rr_slice text_of(const char *s) { return rr_slice(s, strlen(s)); }

static enum rr_status check_resale(const struct rr_owned *o, const struct rr_owned_load *l)
{
    int64_t before = 0, at;
    if (o->resale && o->resale_change != 0) return rr_fail(RR_EINPUT, "give \"resale\" or \"resale_change_per_year\", not both");
    for (size_t i = 0; o->resale && i < o->resale->n; i++) {
        const struct rr_price_entry *e = &o->resale->entry[i];
        struct rr_duration age;
        const enum rr_status st = rr_unit_duration(text_of(e->key), &age);
        if (st != RR_OK) return rr_fail_in(st, "\"resale\": an age is expected, such as {\"2 years\": \"37.5 %%\"}");
        if (e->kind != RR_ENTRY_SHARE)
            return rr_fail(RR_EINPUT, "\"resale\": a share of the price is expected at \"%s\", such as \"37.5 %%\"", e->key);
        RR_TRY(rr_time_add(&l->s->clock, 0, age, &at));
        if (at <= before)
            return rr_fail(RR_EINPUT, "\"resale\": \"%s\" is not above the age before: ages must ascend from above 0", e->key);
        before = at;
    }
    return RR_OK;
}

/* Resale share at `at_us` of what came at in_us: by the points of age, straight between them. */
static enum rr_status share_by_age(const struct rr_price_map *m, const struct rr_clock *c, int64_t in_us, int64_t at_us, double *ret)
{
    int64_t before_us = in_us, us = 0;
    double before = 1;
    for (size_t i = 0; i < m->n; i++) {
        struct rr_duration age;
        RR_TRY(rr_unit_duration(text_of(m->entry[i].key), &age));
        RR_TRY(rr_time_add(c, in_us, age, &us));
        if (at_us < us) {
            *ret = before + (m->entry[i].share - before) * (double)(at_us - before_us) / (double)(us - before_us);
            return RR_OK;
        }
        before_us = us;
        before = m->entry[i].share;
    }
    *ret = before;
    return RR_OK;
}

static bool has_path(const struct rr_owned *o) { return o->resale || o->resale_change != 0; }

/* Years of 365.25 days. */
static double power_of_years(double change, int64_t us) { return rr_pow(1 + change, (double)us / (double)RR_YEAR_US); }

static enum rr_status resale_share(const struct rr_owned *o, const struct rr_clock *c, int64_t in_us, int64_t at_us, double *ret)
{
    if (o->resale) return share_by_age(o->resale, c, in_us, at_us, ret);
    *ret = power_of_years(o->resale_change, at_us - in_us);
    return *ret <= 1e6 ? RR_OK : rr_fail(RR_EINPUT, "\"resale_change_per_year\": the resale price passes all bounds");
}

static enum rr_status take_residual(struct rr_owned *o, const struct rr_owned_load *l, int64_t end_us)
{
    if (rr_given(o, RR_OWN_RESIDUAL)) return RR_OK;
    if (o->depreciation == RR_WRITE_MACRS || o->lease) return RR_OK; // nothing stays in the books
    if (!has_path(o)) return residual_of(l, o->life, &o->residual);
    RR_TRY(resale_share(o, &l->s->clock, o->first_us, end_us, &o->residual));
    if (o->residual > 1) o->residual = 1; // the books never write up
    return RR_OK;
}

static struct rr_depreciation books(const struct rr_owned *o, const struct rr_owned_lot *lot)
{
    return (struct rr_depreciation){.kind = (enum rr_depreciation_kind)o->depreciation,
                                    .from = (enum rr_depreciation_from)o->first_period,
                                    .price = lot->cost,
                                    .salvage = lot->left,
                                    .life = o->life,
                                    .in_service_us = lot->in_us,
                                    .factor = o->factor,
                                    .bonus = o->bonus};
}

static enum rr_status check_at_end(const struct rr_owned *o)
{
    const bool extend = o->at_end == RR_OWNED_EXTEND;
    if (!extend && rr_given(o, RR_OWN_EXTENDED)) return rr_fail(RR_EINPUT, "\"extended_life\" needs \"at_end\": \"extend\"");
    if (!extend && rr_given(o, RR_OWN_EXTENDED_MAINTENANCE))
        return rr_fail(RR_EINPUT, "\"extended_maintenance\" needs \"at_end\": \"extend\"");
    if (extend && o->lease) return rr_fail(RR_EINPUT, "a leased machine goes back at the end of its term: it cannot be extended");
    return RR_OK;
}

static enum rr_status take_bought(struct rr_owned *o, const struct rr_owned_load *l)
{
    if (!rr_given(o, RR_OWN_BOUGHT)) return RR_OK;
    o->first_us = o->bought_us - l->s->clock.start_us;
    o->sunk = true;
    if (o->first_us > 0) return rr_fail(RR_EINPUT, "\"bought\" is a date before the scenario's start");
    if (o->loan || o->lease) return rr_fail(RR_EINPUT, "\"bought\" machines are paid: a loan or lease of theirs stands in \"existing\"");
    return RR_OK;
}

static enum rr_status life_of(struct rr_owned *o, const struct rr_owned_load *l)
{
    struct rr_slice text;
    if (o->lease) {
        const struct rr_owned_borrow *lease = o->lease->at;
        if (rr_given(o, RR_OWN_LIFE)) return rr_fail(RR_EINPUT, "a leased machine has no \"life\" but its term");
        o->life = lease->term;
    } else if (!rr_given(o, RR_OWN_LIFE)) {
        RR_TRY(rr_owned_fallback(l, "life", "life", &text));
        RR_TRY(rr_unit_duration(text, &o->life));
    }
    return RR_OK;
}

enum rr_status rr_owned_take_life(struct rr_owned *o, const struct rr_owned_load *l)
{
    int64_t end;
    struct rr_money written;
    RR_TRY(take_bought(o, l));
    RR_TRY(life_of(o, l));
    RR_TRY(rr_time_add(&l->s->clock, o->first_us, o->life, &end));
    if (end - o->first_us < RR_D) return rr_fail(RR_EINPUT, "\"life\" must be at least a day, such as \"5 years\"");
    RR_TRY(check_at_end(o));
    RR_TRY(check_resale(o, l));
    RR_TRY(take_residual(o, l, end));
    struct rr_owned_lot lot = {.in_us = o->first_us, .cost = o->cost};
    RR_TRY(rr_money_share(o->cost, o->residual, &lot.left));
    const struct rr_depreciation d = books(o, &lot);
    RR_TRY(rr_depreciation_upto(&d, &l->s->clock, end, &written)); // refuses terms that do not go together
    if (o->at_end == RR_OWNED_REPLACE && l->s->has_horizon && end < l->s->horizon_us)
        rr_note(l->notes, RR_NOTE_ASSUMED, rr_strf(l->arena, "%s/%s", l->pointer, o->lease ? "lease" : "life"), "",
                o->lease               ? "at the end of the term the machines are given back, and new ones leased at the same price"
                : o->price_change != 0 ? "at the end of their life the machines are sold and bought anew"
                : has_path(o)          ? "at the end of their life the machines are sold and bought anew at the same price"
                              : "at the end of their life the machines are sold at the residual value and bought anew at the same price");
    return RR_OK;
}

/* ---- lots ---- */

/* Machines at the price of the day they are ordered, and what the bill of materials has around them: the step from the nodes before. */
static enum rr_status price_lot(const struct rr_owned *o, const struct rr_scenario *s, int64_t before, struct rr_owned_lot *lot)
{
    struct rr_money each = o->cost, around, there, kept;
    const int64_t at = lot->order_us > 0 ? lot->order_us : 0;
    RR_TRY(rr_owned_bom(o, s, before + lot->nodes, &around));
    RR_TRY(rr_owned_bom(o, s, before, &there));
    around.micro -= there.micro;
    if (o->price_change != 0 && at > 0) {
        const double factor = power_of_years(o->price_change, at);
        if (!(factor < 1e9)) return rr_fail(RR_EINPUT, "\"price_change_per_year\": the price passes all bounds within the horizon");
        RR_TRY(rr_money_share(o->cost, factor, &each));
        RR_TRY(rr_money_share(around, factor, &around));
    }
    RR_TRY(rr_round_div((rr_i128)each.micro * lot->nodes, 1, &lot->machines.micro));
    lot->cost = lot->machines;
    RR_TRY(rr_money_add(&lot->cost, around));
    RR_TRY(rr_money_share(each, o->residual, &kept));
    return rr_round_div((rr_i128)kept.micro * lot->nodes, 1, &lot->left.micro);
}

/* Lives are counted from the first day at once, so that 31 January + 1 month + 1 month is 31 March. */
static enum rr_status end_lot(const struct rr_owned *o, const struct rr_clock *c, int64_t first_us, int64_t k, struct rr_owned_lot *lot)
{
    const int64_t n = o->at_end == RR_OWNED_REPLACE ? k + 1 : 1;
    const int64_t from = o->at_end == RR_OWNED_REPLACE ? first_us : lot->in_us;
    RR_TRY(rr_time_add(c, from, (struct rr_duration){n * o->life.months, n * o->life.us}, &lot->life_end_us));
    lot->end_us = o->at_end == RR_OWNED_EXTEND ? RR_NEVER : lot->life_end_us;
    if (!rr_given(o, RR_OWN_EXTENDED)) return RR_OK;
    return rr_time_add(c, lot->life_end_us, o->extended, &lot->end_us);
}

struct lots {
    struct rr_arena *arena;
    struct rr_owned_lot *at;
    size_t n, room;
};

static struct rr_owned_lot *push(struct lots *l)
{
    if (l->n == l->room) {
        struct rr_owned_lot *more = RR_NEWS(l->arena, struct rr_owned_lot, l->room * 2);
        memcpy(more, l->at, l->n * sizeof *more);
        l->at = more;
        l->room *= 2;
    }
    return &l->at[l->n++];
}

/* A step and what replaces it; a replacement is there on the day, and paid then. `before`: nodes of the steps before. */
static enum rr_status add_step(const struct rr_owned *o, const struct rr_scenario *s, struct rr_owned_lot lot, int64_t before,
                               int64_t until_us, struct lots *l)
{
    const int64_t first = lot.in_us;
    for (int64_t k = 0; lot.order_us < until_us; k++) {
        RR_TRY(end_lot(o, &s->clock, first, k, &lot));
        RR_TRY(price_lot(o, s, before, &lot));
        *push(l) = lot;
        if (o->at_end == RR_OWNED_SELL || lot.end_us == RR_NEVER) return RR_OK;
        lot.in_us = lot.order_us = lot.delivery_us = lot.end_us;
        lot.sunk = false;
    }
    return RR_OK;
}

enum rr_status rr_owned_lots(const struct rr_owned *o, const struct rr_scenario *s, uint32_t replication, int64_t until_us,
                             struct rr_arena *a, struct rr_owned_lot **ret, size_t *n)
{
    struct lots l = {.arena = a, .at = RR_NEWS(a, struct rr_owned_lot, 4), .room = 4};
    int64_t before = 0;
    for (size_t i = 0; i < rr_owned_n_steps(o); i++) {
        struct rr_owned_lot lot;
        rr_owned_step_of(o, s, replication, i, &lot);
        RR_TRY(add_step(o, s, lot, before, until_us, &l));
        before += lot.nodes;
    }
    *ret = l.at;
    *n = l.n;
    return RR_OK;
}

rr_i128 rr_owned_node_us(const struct rr_owned_lot *lot, size_t n, int64_t from_us, int64_t to_us)
{
    rr_i128 sum = 0;
    for (size_t i = 0; i < n; i++) {
        const int64_t from = lot[i].in_us > from_us ? lot[i].in_us : from_us, to = lot[i].end_us < to_us ? lot[i].end_us : to_us;
        if (from < to) sum += (rr_i128)lot[i].nodes * (to - from);
    }
    return sum;
}

enum rr_status rr_owned_book(const struct rr_owned *o, const struct rr_clock *c, const struct rr_owned_lot *lot, int64_t at_us,
                             struct rr_money *ret)
{
    const struct rr_depreciation d = books(o, lot);
    struct rr_money written;
    RR_TRY(rr_depreciation_upto(&d, c, at_us, &written));
    ret->micro = lot->cost.micro - written.micro;
    return RR_OK;
}

enum rr_status rr_owned_worth(const struct rr_owned *o, const struct rr_clock *c, const struct rr_owned_lot *lot, int64_t at_us,
                              struct rr_money *ret)
{
    double share;
    if (has_path(o)) {
        RR_TRY(resale_share(o, c, lot->in_us, at_us, &share));
        return rr_money_share(lot->machines, share, ret);
    }
    *ret = lot->left; // at the end of the life the books are at the residual value, or beyond it by their own rules
    return at_us == lot->end_us ? RR_OK : rr_owned_book(o, c, lot, at_us, ret);
}

/* ---- the bill ---- */

/* What it brings, and what the books still had. */
static enum rr_status sell(const struct rr_owned_bill *x, const struct rr_owned_lot *lot)
{
    const struct rr_clock *clock = &x->b->scenario->clock;
    struct rr_charge c = x->c;
    struct rr_money worth, book;
    if (lot->end_us >= x->b->horizon_us) return RR_OK;
    RR_TRY(rr_owned_worth(x->o, clock, lot, lot->end_us, &worth));
    RR_TRY(rr_owned_book(x->o, clock, lot, lot->end_us, &book));
    if (worth.micro == 0 && book.micro == 0) return RR_OK;
    c.line = "resale";
    c.from_us = c.due_us = lot->end_us;
    RR_TRY(rr_month_next(clock, lot->end_us, &c.to_us));
    if (c.to_us > x->b->horizon_us) c.to_us = x->b->horizon_us;
    c.billed.micro = -worth.micro;
    c.effective.micro = book.micro - worth.micro;
    c.quantity = (double)lot->nodes;
    c.unit = "node";
    return x->sink->emit(x->sink, &c);
}

static enum rr_status write_off(const struct rr_owned_bill *x, const struct rr_owned_lot *lot)
{
    const struct rr_clock *clock = &x->b->scenario->clock;
    const struct rr_depreciation d = books(x->o, lot);
    const int64_t from = lot->in_us > 0 ? lot->in_us : 0, to = lot->end_us < x->b->horizon_us ? lot->end_us : x->b->horizon_us;
    struct rr_money before, after, ahead;
    struct rr_month_part *part;
    struct rr_charge c = x->c;
    size_t n;
    if (from >= to) return RR_OK; // it is not there yet
    RR_TRY(rr_depreciation_upto(&d, clock, from, &before));
    RR_TRY(rr_owned_paid(x->o, lot, lot->in_us, &ahead));
    if (from == lot->in_us) before.micro = 0; // the first day is this lot's own
    RR_TRY(rr_month_parts(clock, from, to, x->b->arena, &part, &n));
    c.line = "depreciation";
    c.unit = "node-hour";
    c.due_us = from;
    for (size_t i = 0; i < n; i++, before = after) {
        RR_TRY(rr_depreciation_upto(&d, clock, part[i].to_us, &after));
        c.from_us = part[i].from_us;
        c.to_us = part[i].to_us;
        c.billed.micro = i == 0 && !lot->sunk ? lot->cost.micro - ahead.micro : 0;
        c.until_us = c.billed.micro != 0 ? lot->life_end_us : 0;
        c.effective.micro = after.micro - before.micro;
        c.quantity = (double)lot->nodes * (double)(c.to_us - c.from_us) / (double)RR_H;
        if (i == 0 || c.effective.micro != 0) RR_TRY(x->sink->emit(x->sink, &c));
    }
    return RR_OK;
}

enum rr_status rr_owned_bill_lots(const struct rr_owned_bill *x)
{
    for (size_t i = 0; i < x->n_lots; i++) {
        const struct rr_owned_lot *lot = &x->lot[i];
        if (x->o->lease) {
            RR_TRY(rr_owned_bill_lease(x, lot));
            continue;
        }
        RR_TRY(rr_owned_bill_payments(x, lot));
        RR_TRY(write_off(x, lot));
        if (x->o->loan && !lot->sunk) RR_TRY(rr_owned_bill_loan(x, lot));
        RR_TRY(sell(x, lot));
    }
    return RR_OK;
}
