/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/price/term.c - terms and their payments.
 *
 * Effective cost accrues evenly over the hours of the term. The hours of a running term that lie behind the horizon are after_horizon,
 * already paid or still to pay. */
#include "models/price/term.h"
#include "models/price/path.h"
#include <assert.h>
#include <string.h>

const char *const rr_payment_words[] = {"no_upfront", "partial_upfront", "all_upfront", NULL};

enum rr_status rr_term_start(const struct rr_term *t, const struct rr_clock *c, int64_t k, int64_t *ret_us)
{
    return rr_time_add(c, 0, (struct rr_duration){t->from.months + k * t->length.months, t->from.us + k * t->length.us}, ret_us);
}

enum rr_status rr_term_check(const struct rr_term *t, const struct rr_scenario *s)
{
    int64_t second;
    if (!s->clock.anchored)
        return rr_fail(RR_EINPUT, "a commitment needs a calendar: give the scenario a \"start\", such as \"2026-01-01\"");
    if (t->length.months < 0 || t->length.us < 0 || (t->length.months == 0 && t->length.us < RR_H))
        return rr_fail(RR_EINPUT, "\"term\" must be at least an hour, such as \"1 year\"");
    if (t->from.months < 0 || t->from.us < 0) return rr_fail(RR_EINPUT, "\"from\" lies before the start");
    return rr_term_start(t, &s->clock, 1, &second); // the date fits
}

/* ---- what it covers ---- */

enum rr_status rr_term_span(const struct rr_term *t, const struct rr_billing *b, struct rr_term_span *ret)
{
    int64_t end;
    RR_TRY(rr_term_start(t, &b->scenario->clock, 0, &ret->from_us));
    RR_TRY(rr_term_start(t, &b->scenario->clock, 1, &end));
    ret->beyond = ret->from_us < b->horizon_us && (t->renew || end > b->horizon_us);
    ret->to_us = t->renew || end > b->horizon_us ? b->horizon_us : end;
    return RR_OK;
}

int64_t rr_term_hour(const struct rr_term_span *a, const struct rr_usage *u, size_t h)
{
    if (h + 1 == u->n_hours) return a->beyond ? RR_H : 0;
    const int64_t hour = u->grid_us + (int64_t)h * RR_H;
    const int64_t from = a->from_us > hour ? a->from_us : hour, to = a->to_us < hour + RR_H ? a->to_us : hour + RR_H;
    return to > from ? to - from : 0;
}

enum rr_status rr_covering_begin(const struct rr_billing *b, const struct rr_term_span *a, const size_t *pool, size_t n,
                                 struct rr_covering *ret)
{
    struct rr_covering c = {.pool = pool, .n = n};
    struct rr_month_part *month = NULL;
    if (a->from_us < a->to_us) RR_TRY(rr_month_parts(&b->scenario->clock, a->from_us, a->to_us, b->arena, &month, &c.n_months));
    c.month = month;
    c.taken_us = RR_NEWS(b->arena, int64_t, c.n_months * n + 1);
    c.part = RR_NEWS(b->arena, rr_i128, c.n_months * n + 1);
    *ret = c;
    return RR_OK;
}

void rr_covering_take(struct rr_covering *c, const struct rr_billing *b, size_t h, size_t i, int64_t take_us, rr_i128 part)
{
    struct rr_usage *u = &b->usage[c->pool[i]];
    assert(take_us <= u->node_us[h]);
    u->node_us[h] -= take_us;
    u->covered += take_us;
    if (h + 1 == u->n_hours || c->n_months == 0) return; // behind the horizon nothing accrues
    while (c->now + 1 < c->n_months && c->month[c->now].to_us <= u->grid_us + (int64_t)h * RR_H) c->now++;
    c->taken_us[c->now * c->n + i] += take_us;
    c->part[c->now * c->n + i] += part;
}

enum rr_status rr_covering_tell(const struct rr_covering *c, const struct rr_billing *b, const char *name, rr_i128 part_hour,
                                double unit_hour, const char *unit, int64_t scale, struct rr_sink *sink)
{
    for (size_t m = 0; m < c->n_months; m++) {
        struct rr_cover x = {.commitment = name, .from_us = c->month[m].from_us, .to_us = c->month[m].to_us, .unit = "node-hour"};
        const rr_i128 all = part_hour * (x.to_us - x.from_us) / RR_H;
        rr_i128 left = all;
        for (size_t i = 0; i < c->n; i++) {
            x.pool = (int)c->pool[i];
            x.part = (int64_t)(c->part[m * c->n + i] / scale);
            x.quantity = (double)c->taken_us[m * c->n + i] / (double)RR_H;
            left -= c->part[m * c->n + i];
            RR_TRY(rr_cover(b, sink, x));
        }
        x.pool = -1;
        x.part = left > 0 ? (int64_t)(left / scale) : 0;
        x.unit = unit;
        x.quantity = all > 0 ? unit_hour * (double)(x.to_us - x.from_us) / (double)RR_H * ((double)left / (double)all) : 0;
        RR_TRY(rr_cover(b, sink, x));
    }
    return RR_OK;
}

/* ---- what it costs ---- */

void rr_term_pay(struct rr_term_price *p, int payment, int64_t nano)
{
    p->prepaid_nano = payment == RR_ALL_UPFRONT ? nano : payment == RR_PARTIAL_UPFRONT ? nano / 2 : 0;
    p->hourly_nano = nano - p->prepaid_nano;
}

enum rr_status rr_accrue(struct rr_money whole, int64_t due_us, int64_t t0, int64_t t1, struct rr_charge c, double quantity_hour,
                         const struct rr_billing *b, struct rr_sink *sink)
{
    struct rr_month_part *part;
    size_t n;
    RR_TRY(rr_month_parts(&b->scenario->clock, t0, t1 < b->horizon_us ? t1 : b->horizon_us, b->arena, &part, &n));
    for (size_t i = 0; i < n; i++) {
        const struct rr_money upto = rr_money_upto(whole, part[i].to_us - t0, t1 - t0);
        c.from_us = part[i].from_us;
        c.to_us = part[i].to_us;
        c.due_us = due_us;
        c.until_us = i == 0 ? t1 : 0;
        c.billed.micro = i == 0 ? whole.micro : 0;
        c.until_us = i == 0 ? t1 : 0;
        c.effective.micro = upto.micro - rr_money_upto(whole, part[i].from_us - t0, t1 - t0).micro;
        c.after_horizon.micro = i + 1 == n ? whole.micro - upto.micro : 0;
        c.quantity = quantity_hour * (double)(part[i].to_us - part[i].from_us) / (double)RR_H;
        RR_TRY(sink->emit(sink, &c));
    }
    return RR_OK;
}

/* The prepaid part of a term: cash at its start, accrued evenly over it. */
static enum rr_status charge_upfront(const struct rr_term_price *p, const struct rr_charge *c, int64_t t0, int64_t t1,
                                     const struct rr_billing *b, struct rr_sink *sink)
{
    struct rr_money whole, sum = {0};
    RR_TRY(rr_money_charge(p->prepaid_nano, (rr_i128)p->count * (t1 - t0), RR_H, &whole));
    RR_TRY(rr_round_div((rr_i128)p->upfront_sum.micro * p->count, 1, &sum.micro));
    RR_TRY(rr_money_add(&whole, sum));
    if (whole.micro == 0) return RR_OK;
    return rr_accrue(whole, t0, t0, t1, *c, p->hourly_nano == 0 ? (double)p->count : 0, b, sink); // quantities once
}

/* The hourly part: each month at its end. What the running term still costs behind the horizon stands on its last line. */
static enum rr_status charge_hourly(const struct rr_term_price *p, struct rr_charge c, int64_t t0, int64_t t1, const struct rr_billing *b,
                                    struct rr_sink *sink)
{
    struct rr_month_part *part;
    size_t n;
    if (p->hourly_nano == 0) return RR_OK;
    RR_TRY(rr_month_parts(&b->scenario->clock, t0, t1 < b->horizon_us ? t1 : b->horizon_us, b->arena, &part, &n));
    c.rate = (struct rr_rate){p->hourly_nano, RR_PER_NODE, RR_HOUR};
    for (size_t i = 0; i < n; i++) {
        const int64_t us = part[i].to_us - part[i].from_us;
        c.from_us = part[i].from_us;
        c.to_us = c.due_us = part[i].to_us;
        RR_TRY(rr_money_charge(p->hourly_nano, (rr_i128)p->count * us, RR_H, &c.billed));
        c.effective = c.billed;
        if (i + 1 == n) RR_TRY(rr_money_charge(p->hourly_nano, (rr_i128)p->count * (t1 - part[i].to_us), RR_H, &c.after_horizon));
        c.quantity = (double)p->count * (double)us / (double)RR_H;
        RR_TRY(sink->emit(sink, &c));
    }
    return RR_OK;
}

enum rr_status rr_term_charge(const struct rr_term *t, const struct rr_term_price *p, struct rr_charge c, const struct rr_billing *b,
                              struct rr_sink *sink)
{
    for (int64_t k = 0;; k++) {
        int64_t t0, t1;
        RR_TRY(rr_term_start(t, &b->scenario->clock, k, &t0));
        if (t0 >= b->horizon_us || (k > 0 && !t->renew)) return RR_OK;
        RR_TRY(rr_term_start(t, &b->scenario->clock, k + 1, &t1));
        RR_TRY(charge_upfront(p, &c, t0, t1, b, sink));
        RR_TRY(charge_hourly(p, c, t0, t1, b, sink));
    }
}

/* ---- commitments to nodes of an instance ---- */

bool rr_covers_pool(const struct rr_pool *pool, const char *instance, const char *region)
{
    return pool->instance_id != NULL && strcmp(pool->instance_id, instance) == 0 && rr_region_holds(region, pool->region);
}

void rr_covers_warn(const struct rr_scenario *s, const char *instance, const char *region, const char *pointer, struct rr_notes *notes)
{
    for (size_t p = 0; p < s->n_pools; p++)
        if (rr_covers_pool(&s->pool[p], instance, region)) return;
    rr_note(notes, RR_NOTE_WARNING, pointer, "", "no pool uses %s%s%s: this commitment is paid for and never used", instance,
            *region ? " in " : "", region);
}

/* Of a node: as the facts say, else as the scenario's own pools of that name do. */
static enum rr_status instance_gpus(const struct rr_scenario *s, const struct rr_catalog *catalog, const char *instance, int64_t *ret)
{
    const struct rr_instance *known;
    for (size_t p = 0; p < s->n_pools; p++) {
        const struct rr_pool *pool = &s->pool[p];
        if (!pool->instance_id || pool->instance || strcmp(pool->instance_id, instance) != 0) continue;
        *ret = rr_pool_gpus(pool);
        return RR_OK;
    }
    RR_TRY(rr_catalog_instance(catalog, instance, &known));
    *ret = known->gpus;
    return RR_OK;
}

enum rr_status rr_instance_rate(const struct rr_scenario *s, struct rr_price price, const struct rr_catalog *catalog, const char *instance,
                                int64_t *ret_nano)
{
    struct rr_rate rate;
    RR_TRY(rr_scenario_rate(s, price, &rate));
    int64_t gpus = 0;
    if (rate.per == RR_PER_GPU) {
        RR_TRY(instance_gpus(s, catalog, instance, &gpus));
    }
    return rr_rate_node_hour(rate, gpus, ret_nano);
}

enum rr_status rr_cover_nodes(const struct rr_term *t, const char *instance, const char *region, int64_t count, const struct rr_billing *b,
                              const char *name, int *ret_pool, struct rr_sink *sink)
{
    const struct rr_scenario *s = b->scenario;
    size_t *pool = RR_NEWS(b->arena, size_t, s->n_pools + 1), n = 0;
    struct rr_term_span span;
    struct rr_covering c;
    for (size_t p = 0; p < s->n_pools; p++)
        if (rr_covers_pool(&s->pool[p], instance, region) && b->usage[p].node_us != NULL && !b->usage[p].per_gpu) pool[n++] = p;
    RR_TRY(rr_term_span(t, b, &span));
    RR_TRY(rr_covering_begin(b, &span, pool, n, &c));
    const struct rr_usage *grid = n > 0 ? &b->usage[pool[0]] : NULL;
    for (size_t h = 0; grid != NULL && h < grid->n_hours; h++) {
        int64_t left = count * rr_term_hour(&span, grid, h);
        for (size_t i = 0; i < n && left > 0; i++) {
            const int64_t used = b->usage[pool[i]].node_us[h], take = used < left ? used : left;
            rr_covering_take(&c, b, h, i, take, take);
            left -= take;
        }
    }
    *ret_pool = n == 1 ? (int)pool[0] : -1;
    return rr_covering_tell(&c, b, name, (rr_i128)count * RR_H, (double)count, "node-hour", 1, sink);
}
