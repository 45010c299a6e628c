/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/price/reserved.c - a number of nodes promised for a term, paid for whether they are used or not.
 *
 * A billing overlay: in each clock hour it covers up to `count` node-hours of all pools of its instance and region, in pool order, so
 * that two half hours fill one. Terms follow each other without a gap while `renew`. Prices, per node:
 *
 *   upfront and rate   as a price list has them: one amount at the start of the term, and so much an hour of the term, billed monthly;
 *   rate, or discount  alone: the effective price an hour; `payment` says when: monthly, all at the start, or half and half.
 *
 * Effective cost accrues evenly over the hours of the term. The hours of a running term that lie behind the horizon are after_horizon,
 * already paid or still to pay. */
#include "models/price/usage.h"
#include <string.h>

enum { NO_UPFRONT, PARTIAL_UPFRONT, ALL_UPFRONT };
static const char *const payment_words[] = {"no_upfront", "partial_upfront", "all_upfront", NULL};

struct reserved {
    uint64_t given;
    const char *instance, *region;
    int64_t count;
    struct rr_duration term, from;
    int payment;
    struct rr_price rate;
    struct rr_amount upfront;
    double discount;
    bool renew;
    /* resolved, per node */
    int64_t hourly_nano;         /* billed monthly */
    int64_t prepaid_nano;        /* an hour of the term, billed at its start */
    struct rr_money upfront_sum; /* billed at the start of the term */
};
enum { P_INSTANCE, P_REGION, P_COUNT, P_TERM, P_PAYMENT, P_RATE, P_UPFRONT, P_DISCOUNT, P_FROM, P_RENEW };

static const struct rr_param rows[] = {
    [P_INSTANCE] = {.name = "instance",
                    .type = RR_P_TEXT,
                    .offset = offsetof(struct reserved, instance),
                    .unit = "",
                    .help = "the instance that is reserved, as pools name it",
                    .flags = RR_PF_REQUIRED},
    [P_REGION] = {.name = "region",
                  .type = RR_P_TEXT,
                  .offset = offsetof(struct reserved, region),
                  .unit = "",
                  .def = "\"\"",
                  .help = "region of the pools that it covers, as they name it"},
    [P_COUNT] = {.name = "count",
                 .type = RR_P_INT,
                 .offset = offsetof(struct reserved, count),
                 .unit = "nodes",
                 .least = 1,
                 .most = 1e6,
                 .help = "how many nodes are reserved",
                 .flags = RR_PF_REQUIRED},
    [P_TERM] = {.name = "term",
                .type = RR_P_DURATION,
                .offset = offsetof(struct reserved, term),
                .unit = "",
                .help = "length of one term, such as \"1 year\" or \"3 years\"",
                .flags = RR_PF_REQUIRED},
    [P_PAYMENT] = {.name = "payment",
                   .type = RR_P_WORD,
                   .offset = offsetof(struct reserved, payment),
                   .unit = "",
                   .def = "\"no_upfront\"",
                   .help = "monthly, half and half, or all at the start of the term",
                   .words = payment_words},
    [P_RATE] =
        {.name = "rate",
         .type = RR_P_RATE,
         .offset = offsetof(struct reserved, rate),
         .unit = "per node or GPU, and hour",
         .most = 1e10,
         .help = "beside \"upfront\": billed monthly, used or not; alone: the effective rate, paid as \"payment\" says; absent: the facts",
         .source = "data/facts/prices.csv"},
    [P_UPFRONT] = {.name = "upfront",
                   .type = RR_P_MONEY,
                   .offset = offsetof(struct reserved, upfront),
                   .unit = "per node and term",
                   .help = "paid at the start of each term",
                   .source = "data/facts/prices.csv"},
    [P_DISCOUNT] = {.name = "discount",
                    .type = RR_P_SHARE,
                    .offset = offsetof(struct reserved, discount),
                    .unit = "share",
                    .least = 0,
                    .most = 1,
                    .help = "in place of \"rate\": share off the facts' on-demand rate"},
    [P_FROM] = {.name = "from",
                .type = RR_P_DURATION,
                .offset = offsetof(struct reserved, from),
                .unit = "",
                .def = "\"0 s\"",
                .help = "start of the first term after the scenario's start"},
    [P_RENEW] = {.name = "renew",
                 .type = RR_P_BOOL,
                 .offset = offsetof(struct reserved, renew),
                 .unit = "",
                 .def = "true",
                 .help = "a new term follows each"},
};

/* ---- at load ---- */

/* Start of term k. Counted from 0 at once, so that 31 January + 1 month + 1 month is 31 March. */
static enum rr_status term_start(const struct reserved *r, const struct rr_clock *c, int64_t k, int64_t *ret_us)
{
    return rr_time_add(c, 0, (struct rr_duration){r->from.months + k * r->term.months, r->from.us + k * r->term.us}, ret_us);
}

static void note_price(struct rr_notes *notes, const char *pointer, struct rr_arena *arena, const struct rr_price_row *row,
                       const char *payment)
{
    struct rr_buf b = {0};
    rr_buf_rate(&b, row->rate.rate, row->rate.currency);
    if (row->upfront.money.micro > 0) {
        rr_buf_puts(&b, " and ");
        rr_buf_money(&b, row->upfront.money, row->upfront.currency, 2);
        rr_buf_puts(&b, " upfront");
    }
    rr_note(notes, RR_NOTE_ASSUMED, pointer, rr_fact_text(arena, &row->fact), "%s price of %s in %s%s%s%s%s is %s", row->plan,
            row->instance, row->region, *row->term ? " for " : "", row->term, *row->payment ? ", " : "", row->payment, rr_buf_text(&b));
    rr_buf_done(&b);
    if (strcmp(row->plan, "reserved") == 0 && *row->payment == '\0')
        rr_note(notes, RR_NOTE_ASSUMED, pointer, rr_fact_text(arena, &row->fact),
                "the source does not say how that rate is paid: taken as the effective rate, %s", payment);
}

/* The effective rate an hour, paid as `payment` says. */
static void pay_effective(struct reserved *r, int64_t nano)
{
    r->prepaid_nano = r->payment == ALL_UPFRONT ? nano : r->payment == PARTIAL_UPFRONT ? nano / 2 : 0;
    r->hourly_nano = nano - r->prepaid_nano;
}

/* A price list's pair: an amount at the start and so much an hour. */
static enum rr_status pay_listed(struct reserved *r, const struct rr_scenario *s, struct rr_amount upfront, int64_t nano)
{
    if (upfront.money.micro < 0) return rr_fail(RR_EINPUT, "\"upfront\" is negative");
    if (r->payment == NO_UPFRONT) return rr_fail(RR_EINPUT, "\"upfront\" does not go with \"payment\": \"no_upfront\"");
    if (r->payment == ALL_UPFRONT && nano != 0)
        return rr_fail(RR_EINPUT, "\"upfront\" and \"rate\" together are \"payment\": \"partial_upfront\"");
    if (r->payment == PARTIAL_UPFRONT && nano == 0) return rr_fail(RR_EINPUT, "\"partial_upfront\" needs \"rate\" beside \"upfront\"");
    r->hourly_nano = nano;
    return rr_scenario_money(s, upfront, &r->upfront_sum);
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

static enum rr_status node_rate(const struct rr_scenario *s, const struct rr_price price, const struct rr_catalog *catalog,
                                const char *instance, int64_t *ret_nano)
{
    struct rr_rate rate;
    RR_TRY(rr_scenario_rate(s, price, &rate));
    int64_t gpus = 0;
    if (rate.per == RR_PER_GPU) {
        RR_TRY(instance_gpus(s, catalog, instance, &gpus));
    }
    return rr_rate_node_hour(rate, gpus, ret_nano);
}

struct load { /* where a resolve stands */
    const struct rr_scenario *s;
    const char *pointer;
    const struct rr_catalog *catalog;
    struct rr_arena *arena;
    struct rr_notes *notes;
};

static enum rr_status price_own(struct reserved *r, const struct load *l)
{
    int64_t nano = 0;
    if (rr_given(r, P_RATE)) RR_TRY(node_rate(l->s, r->rate, l->catalog, r->instance, &nano));
    if (rr_given(r, P_UPFRONT)) return pay_listed(r, l->s, r->upfront, nano);
    pay_effective(r, nano);
    return RR_OK;
}

static enum rr_status price_discount(struct reserved *r, const struct load *l)
{
    const struct rr_price_row *row;
    int64_t nano;
    if (rr_given(r, P_RATE) || rr_given(r, P_UPFRONT))
        return rr_fail(RR_EINPUT, "give \"discount\", or \"rate\" and \"upfront\", not both");
    RR_TRY(rr_catalog_price(l->catalog, r->instance, r->region, "on_demand", "", "", &row));
    note_price(l->notes, l->pointer, l->arena, row, "");
    RR_TRY(node_rate(l->s, row->rate, l->catalog, r->instance, &nano));
    RR_TRY(rr_rate_less(nano, r->discount, &nano));
    pay_effective(r, nano);
    return RR_OK;
}

static enum rr_status price_facts(struct reserved *r, const struct load *l)
{
    const char *term = r->term.us != 0 ? "" : r->term.months == 12 ? "1 year" : r->term.months == 36 ? "3 years" : "";
    const struct rr_price_row *row;
    int64_t nano;
    if (*term == '\0') return rr_fail(RR_EINPUT, "the facts have terms of 1 year and 3 years: give \"rate\", \"upfront\" or \"discount\"");
    const enum rr_status st = rr_catalog_price(l->catalog, r->instance, r->region, "reserved", term, payment_words[r->payment], &row);
    if (st != RR_OK) return rr_fail_in(st, "no \"rate\", \"upfront\" or \"discount\" is given");
    note_price(l->notes, l->pointer, l->arena, row, payment_words[r->payment]);
    r->rate = row->rate;
    r->upfront = row->upfront;
    RR_TRY(node_rate(l->s, row->rate, l->catalog, r->instance, &nano));
    if (row->upfront.money.micro > 0) return pay_listed(r, l->s, row->upfront, nano);
    pay_effective(r, nano);
    return RR_OK;
}

static bool covers(const struct reserved *r, const struct rr_pool *pool)
{
    return pool->instance_id != NULL && strcmp(pool->instance_id, r->instance) == 0 &&
           strcmp(pool->region ? pool->region : "", r->region) == 0;
}

static void warn_unused(const struct reserved *r, const struct load *l)
{
    for (size_t p = 0; p < l->s->n_pools; p++)
        if (covers(r, &l->s->pool[p])) return;
    rr_note(l->notes, RR_NOTE_WARNING, l->pointer, "", "no pool uses %s%s%s: this commitment is paid for and never used", r->instance,
            *r->region ? " in " : "", r->region);
}

/* A promise that costs more than the list price: legal, but the user must know. */
static enum rr_status warn_dear(const struct reserved *r, const struct load *l, int64_t term_us)
{
    const struct rr_price_row *row;
    int64_t listed, upfront;
    RR_TRY(rr_round_div((rr_i128)r->upfront_sum.micro * 1000 * RR_H, term_us, &upfront));
    const int64_t effective = r->hourly_nano + r->prepaid_nano + upfront;
    if (effective == 0) rr_note(l->notes, RR_NOTE_WARNING, l->pointer, "", "the price is 0: this commitment costs nothing");
    if (rr_catalog_price(l->catalog, r->instance, r->region, "on_demand", "", "", &row) != RR_OK) return RR_OK;
    if (node_rate(l->s, row->rate, l->catalog, r->instance, &listed) != RR_OK || effective <= listed) return RR_OK;
    struct rr_buf b = {0};
    rr_buf_rate(&b, (struct rr_rate){effective, RR_PER_NODE, RR_HOUR}, l->s->currency);
    rr_buf_puts(&b, " is above the on-demand rate of ");
    rr_buf_rate(&b, (struct rr_rate){listed, RR_PER_NODE, RR_HOUR}, l->s->currency);
    rr_note(l->notes, RR_NOTE_WARNING, l->pointer, rr_fact_text(l->arena, &row->fact), "the effective rate of %s", rr_buf_text(&b));
    rr_buf_done(&b);
    return RR_OK;
}

static enum rr_status reserved_resolve(void *params, const struct rr_scenario *s, const struct rr_pool *pool, const char *pointer,
                                       const struct rr_catalog *catalog, struct rr_arena *arena, struct rr_notes *notes)
{
    struct reserved *r = params;
    const struct load l = {s, pointer, catalog, arena, notes};
    int64_t first, second;
    (void)pool;
    if (r->region == NULL) r->region = "";
    if (!s->clock.anchored)
        return rr_fail(RR_EINPUT, "a commitment needs a calendar: give the scenario a \"start\", such as \"2026-01-01\"");
    if (r->term.months < 0 || r->term.us < 0 || (r->term.months == 0 && r->term.us < RR_H))
        return rr_fail(RR_EINPUT, "\"term\" must be at least an hour, such as \"1 year\"");
    if (r->from.months < 0 || r->from.us < 0) return rr_fail(RR_EINPUT, "\"from\" lies before the start");
    RR_TRY(term_start(r, &s->clock, 0, &first));
    RR_TRY(term_start(r, &s->clock, 1, &second));
    if (rr_given(r, P_DISCOUNT))
        RR_TRY(price_discount(r, &l));
    else if (rr_given(r, P_RATE) || rr_given(r, P_UPFRONT))
        RR_TRY(price_own(r, &l));
    else
        RR_TRY(price_facts(r, &l));
    warn_unused(r, &l);
    if (s->has_horizon && first >= s->horizon_us) rr_note(notes, RR_NOTE_WARNING, pointer, "", "the first term starts behind the horizon");
    return warn_dear(r, &l, second - first);
}

/* ---- cover ---- */

/* Where the terms run: [from, to), and whether one still runs at the horizon. */
struct active {
    int64_t from_us, to_us;
    bool beyond;
};

static enum rr_status active_of(const struct reserved *r, const struct rr_billing *b, struct active *ret)
{
    int64_t end;
    RR_TRY(term_start(r, &b->scenario->clock, 0, &ret->from_us));
    RR_TRY(term_start(r, &b->scenario->clock, 1, &end));
    ret->beyond = ret->from_us < b->horizon_us && (r->renew || end > b->horizon_us);
    ret->to_us = r->renew || end > b->horizon_us ? b->horizon_us : end;
    return RR_OK;
}

/* Node-microseconds promised in hour h of the grid; behind the horizon, an hour while a term still runs. */
static int64_t promised(const struct reserved *r, const struct rr_usage *u, const struct active *a, size_t h)
{
    if (h + 1 == u->n_hours) return a->beyond ? r->count * RR_H : 0;
    const int64_t hour = u->grid_us + (int64_t)h * RR_H;
    const int64_t from = a->from_us > hour ? a->from_us : hour, to = a->to_us < hour + RR_H ? a->to_us : hour + RR_H;
    return to > from ? r->count * (to - from) : 0;
}

/* The pools that it covers, and what of each was covered in the months of its charges. */
struct covering {
    const size_t *pool;
    size_t n;
    const struct rr_month_part *month; /* of the time that the terms run */
    size_t n_months;
    int64_t *taken; /* [n_months][n] node-microseconds */
};

static void cover_pools(const struct reserved *r, const struct rr_billing *b, const struct active *a, struct covering *c)
{
    const size_t n_hours = c->n > 0 ? b->usage[c->pool[0]].n_hours : 0;
    size_t m = 0;
    for (size_t h = 0; h < n_hours; h++) {
        const struct rr_usage *first = &b->usage[c->pool[0]];
        int64_t left = promised(r, first, a, h);
        while (m + 1 < c->n_months && c->month[m].to_us <= first->grid_us + (int64_t)h * RR_H) m++;
        for (size_t i = 0; i < c->n && left > 0; i++) {
            struct rr_usage *u = &b->usage[c->pool[i]];
            const int64_t take = u->node_us[h] < left ? u->node_us[h] : left;
            u->node_us[h] -= take;
            u->covered += take;
            left -= take;
            if (h + 1 < n_hours && c->n_months > 0) c->taken[m * c->n + i] += take; // behind the horizon nothing accrues
        }
    }
}

/* One record a month and pool, and one for what nobody used. */
static enum rr_status tell_cover(const struct reserved *r, const struct rr_billing *b, const struct covering *c, const char *name,
                                 struct rr_sink *sink)
{
    for (size_t m = 0; m < c->n_months; m++) {
        struct rr_cover x = {.commitment = name, .from_us = c->month[m].from_us, .to_us = c->month[m].to_us, .unit = "node-hour"};
        int64_t left = r->count * (x.to_us - x.from_us);
        for (size_t i = 0; i <= c->n; i++) {
            x.pool = i < c->n ? (int)c->pool[i] : -1;
            x.part = i < c->n ? c->taken[m * c->n + i] : left;
            x.quantity = (double)x.part / (double)RR_H;
            left -= x.part;
            RR_TRY(rr_cover(b, sink, x));
        }
    }
    return RR_OK;
}

/* ---- charge ---- */

/* The prepaid part of a term: cash at its start, accrued evenly over it. */
static enum rr_status charge_upfront(const struct reserved *r, struct rr_charge c, int64_t t0, int64_t t1, const struct rr_month_part *part,
                                     size_t n, struct rr_sink *sink)
{
    struct rr_money whole, sum = {0};
    RR_TRY(rr_money_charge(r->prepaid_nano, (rr_i128)r->count * (t1 - t0), RR_H, &whole));
    RR_TRY(rr_round_div((rr_i128)r->upfront_sum.micro * r->count, 1, &sum.micro));
    RR_TRY(rr_money_add(&whole, sum));
    if (whole.micro == 0) return RR_OK;
    for (size_t i = 0; i < n; i++) {
        const struct rr_money upto = rr_money_upto(whole, part[i].to_us - t0, t1 - t0);
        c.from_us = part[i].from_us;
        c.to_us = part[i].to_us;
        c.due_us = t0;
        c.billed.micro = i == 0 ? whole.micro : 0;
        c.effective.micro = upto.micro - rr_money_upto(whole, part[i].from_us - t0, t1 - t0).micro;
        c.after_horizon.micro = i + 1 == n ? whole.micro - upto.micro : 0;
        if (r->hourly_nano == 0) c.quantity = (double)r->count * (double)(part[i].to_us - part[i].from_us) / (double)RR_H; // once
        RR_TRY(sink->emit(sink, &c));
    }
    return RR_OK;
}

/* The hourly part: each month at its end. What the running term still costs behind the horizon stands on its last line. */
static enum rr_status charge_hourly(const struct reserved *r, struct rr_charge c, int64_t t1, const struct rr_month_part *part, size_t n,
                                    struct rr_sink *sink)
{
    if (r->hourly_nano == 0) return RR_OK;
    c.rate = (struct rr_rate){r->hourly_nano, RR_PER_NODE, RR_HOUR};
    for (size_t i = 0; i < n; i++) {
        const int64_t node_us = part[i].to_us - part[i].from_us;
        c.from_us = part[i].from_us;
        c.to_us = c.due_us = part[i].to_us;
        RR_TRY(rr_money_charge(r->hourly_nano, (rr_i128)r->count * node_us, RR_H, &c.billed));
        c.effective = c.billed;
        if (i + 1 == n) RR_TRY(rr_money_charge(r->hourly_nano, (rr_i128)r->count * (t1 - part[i].to_us), RR_H, &c.after_horizon));
        c.quantity = (double)r->count * (double)node_us / (double)RR_H;
        RR_TRY(sink->emit(sink, &c));
    }
    return RR_OK;
}

static enum rr_status reserved_cover(const void *params, const struct rr_billing *b, size_t commitment, struct rr_sink *sink)
{
    const struct reserved *r = params;
    const struct rr_scenario *s = b->scenario;
    size_t *pool = RR_NEWS(b->arena, size_t, s->n_pools + 1), n_pools = 0;
    for (size_t p = 0; p < s->n_pools; p++)
        if (covers(r, &s->pool[p]) && b->usage[p].node_us != NULL && !b->usage[p].per_gpu) pool[n_pools++] = p;
    struct active a;
    struct rr_month_part *months;
    struct covering cover = {.pool = pool, .n = n_pools};
    RR_TRY(active_of(r, b, &a));
    if (a.from_us < a.to_us) RR_TRY(rr_month_parts(&s->clock, a.from_us, a.to_us, b->arena, &months, &cover.n_months));
    if (cover.n_months > 0) cover.month = months;
    cover.taken = RR_NEWS(b->arena, int64_t, cover.n_months * n_pools + 1);
    cover_pools(r, b, &a, &cover);
    RR_TRY(tell_cover(r, b, &cover, s->commitment[commitment].name, sink));

    const struct rr_charge c = {.type = rr_price_reserved.kind.name,
                                .line = "reservation",
                                .commitment = s->commitment[commitment].name,
                                .pool = n_pools == 1 ? (int)pool[0] : -1,
                                .unit = "node-hour",
                                .pricing = RR_PRICING_COMMITTED};
    for (int64_t k = 0;; k++) {
        int64_t t0, t1;
        struct rr_month_part *part;
        size_t n;
        RR_TRY(term_start(r, &s->clock, k, &t0));
        if (t0 >= b->horizon_us || (k > 0 && !r->renew)) return RR_OK;
        RR_TRY(term_start(r, &s->clock, k + 1, &t1));
        RR_TRY(rr_month_parts(&s->clock, t0, t1 < b->horizon_us ? t1 : b->horizon_us, b->arena, &part, &n));
        RR_TRY(charge_upfront(r, c, t0, t1, part, n, sink));
        RR_TRY(charge_hourly(r, c, t1, part, n, sink));
    }
}

const struct rr_price_plan rr_price_reserved = {
    .kind = {.name = "reserved",
             .summary = "nodes promised for a term, paid for used or not; covers pools hour by hour",
             .params = rows,
             .n_params = sizeof rows / sizeof *rows,
             .params_size = sizeof(struct reserved),
             .use = RR_USE_COMMITMENT},
    .resolve = reserved_resolve,
    .cover = reserved_cover,
};
