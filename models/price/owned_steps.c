/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/price/owned_steps.c - machines that are bought in steps: order, lead time, burn-in, payments; how many are there when.
 *
 * A step's lead time is drawn from a stream of its own (pool, step, replication), so that the replay and the bill see the same day, and
 * alternatives the same luck. */
#include "data/base/rng.h"
#include "models/finance/share.h"
#include "models/price/owned.h"
#include <math.h>
#include <string.h>

enum { S_NODES, S_ORDER, S_LEAD, S_BURN_IN };
static const struct rr_param rows[] = {
    [S_NODES] = {.name = "nodes",
                 .type = RR_P_INT,
                 .offset = offsetof(struct rr_owned_step, nodes),
                 .least = 1,
                 .most = 1e7,
                 .help = "nodes of this step",
                 .flags = RR_PF_REQUIRED},
    [S_ORDER] = {.name = "order",
                 .type = RR_P_DATE,
                 .offset = offsetof(struct rr_owned_step, order_us),
                 .unit = "UTC",
                 .help = "when it is ordered; the scenario's start when absent"},
    [S_LEAD] = {.name = "lead",
                .type = RR_P_DIST_TIME,
                .offset = offsetof(struct rr_owned_step, lead),
                .def = "\"0 s\"",
                .least = 0,
                .most = 9e17,
                .help = "from order to delivery, such as \"12 weeks\" or a distribution"},
    [S_BURN_IN] = {.name = "burn_in",
                   .type = RR_P_TIME,
                   .offset = offsetof(struct rr_owned_step, burn_in_us),
                   .def = "\"0 s\"",
                   .least = 0,
                   .most = 9e17,
                   .help = "from delivery to acceptance, when it is in service"},
};
const struct rr_param_table rr_owned_step_rows = {rows, sizeof rows / sizeof *rows, sizeof(struct rr_owned_step)};

static const char *const payment_words[RR_OWNED_PAYMENTS] = {"order", "delivery", "acceptance"};

/* ---- at load ---- */

static enum rr_status take_payments(struct rr_owned *o)
{
    double sum = 0, part[RR_OWNED_PAYMENTS] = {0};
    for (size_t i = 0; o->payments && i < o->payments->n; i++) {
        const struct rr_price_entry *e = &o->payments->entry[i];
        int k = 0;
        while (k < RR_OWNED_PAYMENTS && strcmp(payment_words[k], e->key) != 0) k++;
        if (k == RR_OWNED_PAYMENTS || e->kind != RR_ENTRY_SHARE)
            return rr_fail(RR_EINPUT, "\"payments\": shares of order, delivery and acceptance are expected, such as {\"order\": \"30 %%\", "
                                      "\"delivery\": \"60 %%\", \"acceptance\": \"10 %%\"}");
        part[k] = e->share;
        sum += e->share;
    }
    if (o->payments && fabs(sum - 1) > 1e-9) return rr_fail(RR_EINPUT, "\"payments\" come to %.6g %%, not to 100 %%", sum * 100);
    if (!o->payments) part[RR_OWNED_PAYMENTS - 1] = 1;
    for (int k = 0; k < RR_OWNED_PAYMENTS; k++) o->paid_upto[k] = (k ? o->paid_upto[k - 1] : 0) + part[k];
    return RR_OK;
}

static enum rr_status check_bridge(const struct rr_owned *o, const struct rr_owned_load *l)
{
    if (!o->bridge) return RR_OK;
    if (!o->steps) return rr_fail(RR_EINPUT, "\"bridge\" stands in for machines of \"steps\": there are none");
    for (size_t i = 0; i < l->s->n_pools; i++) {
        const struct rr_pool *p = &l->s->pool[i];
        if (p == l->pool || strcmp(p->name, o->bridge) != 0) continue;
        if (p->nodes_min == 0 && p->nodes_max > 0) return RR_OK;
        return rr_fail(RR_EINPUT,
                       "\"bridge\": the pool \"%s\" must be able to grow from nothing, such as \"nodes\": {\"min\": 0, \"max\": 8}",
                       o->bridge);
    }
    return rr_fail(RR_EINPUT, "\"bridge\": there is no other pool \"%s\"", o->bridge);
}

enum rr_status rr_owned_take_steps(struct rr_owned *o, const struct rr_owned_load *l)
{
    int64_t sum = 0;
    o->stream = 2166136261u;
    for (const char *c = l->pool->name; *c; c++) o->stream = (o->stream ^ (unsigned char)*c) * 16777619u;
    RR_TRY(take_payments(o));
    RR_TRY(check_bridge(o, l));
    if (!o->steps) return o->payments ? rr_fail(RR_EINPUT, "\"payments\" are of \"steps\": there are none") : RR_OK;
    if (rr_given(o, RR_OWN_BOUGHT)) return rr_fail(RR_EINPUT, "\"bought\" machines are there: they have no \"steps\"");
    for (size_t i = 0; i < o->steps->n; i++) {
        struct rr_owned_step *step = (struct rr_owned_step *)o->steps->at + i;
        if (!rr_given(step, S_ORDER)) step->order_us = l->s->clock.start_us;
        if (step->order_us < l->s->clock.start_us)
            return rr_fail(RR_EINPUT, "\"steps\": step %zu is ordered before the scenario's start", i + 1);
        sum += step->nodes;
    }
    if (sum == o->nodes) return RR_OK;
    return rr_fail(RR_EINPUT, "\"steps\" bring %lld nodes, the pool has %lld", (long long)sum, (long long)o->nodes);
}

/* ---- when ---- */

size_t rr_owned_n_steps(const struct rr_owned *o) { return o->steps ? o->steps->n : 1; }

void rr_owned_step_of(const struct rr_owned *o, const struct rr_scenario *s, uint32_t replication, size_t i, struct rr_owned_lot *ret)
{
    *ret = (struct rr_owned_lot){
        .order_us = o->first_us, .delivery_us = o->first_us, .in_us = o->first_us, .nodes = o->nodes, .sunk = o->sunk};
    if (!o->steps) return;
    const struct rr_owned_step *step = (const struct rr_owned_step *)o->steps->at + i;
    double lead = step->lead.a;
    if (step->lead.kind != RR_DIST_CONSTANT) {
        struct rr_rng rng;
        rr_rng_init(&rng, (uint64_t)s->seed, replication, RR_RNG_DELIVERY, (uint64_t)o->stream << 16 | (i & 0xffff));
        lead = rr_dist_draw(&step->lead, &rng);
    }
    lead = lead <= 0 ? 0 : lead >= 9e17 ? 9e17 : lead;
    ret->nodes = step->nodes;
    ret->order_us = step->order_us - s->clock.start_us;
    ret->delivery_us = ret->order_us + llround(lead);
    ret->in_us = ret->delivery_us + step->burn_in_us;
}

bool rr_owned_arrives(const void *params)
{
    const struct rr_owned *o = params;
    return o->steps || o->at_end == RR_OWNED_SELL;
}

const char *rr_owned_bridge(const void *params) { return ((const struct rr_owned *)params)->bridge; }

/* Nodes in service at t; the first time after it that this changes. */
static int64_t nodes_at(const struct rr_owned_lot *lot, size_t n, int64_t t, int64_t *next)
{
    int64_t sum = 0;
    *next = RR_NEVER;
    for (size_t i = 0; i < n; i++) {
        if (lot[i].in_us <= t && lot[i].end_us > t) sum += lot[i].nodes;
        if (lot[i].in_us > t && lot[i].in_us < *next) *next = lot[i].in_us;
        if (lot[i].end_us > t && lot[i].end_us < *next) *next = lot[i].end_us;
    }
    return sum;
}

enum rr_status rr_owned_capacity(const void *params, const struct rr_scenario *s, uint32_t replication, struct rr_arena *a,
                                 struct rr_arrival **ret, size_t *n)
{
    struct rr_owned_lot *lot;
    size_t n_lots, k = 0;
    const int64_t until = s->has_horizon ? s->horizon_us : 200 * RR_YEAR_US;
    RR_TRY(rr_owned_lots(params, s, replication, until, a, &lot, &n_lots));
    struct rr_arrival *all = RR_NEWS(a, struct rr_arrival, 2 * n_lots + 1);
    for (int64_t t = 0, next; t < until; t = next) {
        const int64_t nodes = nodes_at(lot, n_lots, t, &next);
        if (k == 0 || all[k - 1].nodes != nodes) all[k++] = (struct rr_arrival){t, nodes};
    }
    *ret = all;
    *n = k;
    return RR_OK;
}

/* ---- payments ---- */

static int64_t due_at(const struct rr_owned_lot *lot, int k) { return k == 0 ? lot->order_us : k == 1 ? lot->delivery_us : lot->in_us; }

enum rr_status rr_owned_paid(const struct rr_owned *o, const struct rr_owned_lot *lot, int64_t at_us, struct rr_money *ret)
{
    double share = 0;
    for (int k = 0; k < RR_OWNED_PAYMENTS; k++)
        if (due_at(lot, k) < at_us) share = o->paid_upto[k];
    ret->micro = 0;
    return share == 0 || lot->sunk ? RR_OK : rr_money_share(lot->cost, share, ret);
}

/* What is paid before they are in service: cash, and a cost only later. */
enum rr_status rr_owned_bill_payments(const struct rr_owned_bill *x, const struct rr_owned_lot *lot)
{
    struct rr_charge c = x->c;
    struct rr_money before = {0}, upto;
    c.line = "depreciation";
    c.unit = "node-hour";
    c.until_us = lot->life_end_us;
    for (int k = 0; k < RR_OWNED_PAYMENTS; k++) {
        const int64_t due = due_at(lot, k);
        if (lot->sunk || due >= lot->in_us || due >= x->b->horizon_us) return RR_OK;
        RR_TRY(rr_owned_paid(x->o, lot, due + 1, &upto)); // of several on that day all
        c.billed.micro = upto.micro - before.micro;
        before = upto;
        if (c.billed.micro == 0) continue;
        c.from_us = c.due_us = due;
        RR_TRY(rr_month_next(&x->b->scenario->clock, due, &c.to_us));
        if (c.to_us > x->b->horizon_us) c.to_us = x->b->horizon_us;
        RR_TRY(x->sink->emit(x->sink, &c));
    }
    return RR_OK;
}
