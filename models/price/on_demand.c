/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/price/on_demand.c - pay for machines while they are held.
 *
 * A lease of length d is billed for d rounded up to whole increments, at least the minimum; units are counted from its start, or lie on
 * the clock. A started unit belongs to the month it starts in, and is paid in full even where it ends behind the horizon: that part is
 * cost.after_horizon. Commitments take their hours out first; each month's rest is one charge line, rounded once, due at its end. */
#include "models/price/usage.h"
#include <assert.h>

enum { HOURS_LEASE, HOURS_CLOCK };
static const char *const hours_words[] = {"lease", "clock", NULL};

struct on_demand {
    uint64_t given;
    struct rr_price rate;
    double discount;
    int64_t increment_us, minimum_us;
    int hours;
    /* resolved */
    int64_t nano;      /* per node-hour (GPU-hour with per_gpu), discount taken off */
    int64_t list_nano; /* the same before it */
    bool per_gpu;      /* nodes of different sizes at a rate per GPU */
    int64_t gpus;      /* of each node, when they are alike */
};
enum { P_RATE };

static const struct rr_param rows[] = {
    [P_RATE] = {.name = "rate",
                .type = RR_P_RATE,
                .offset = offsetof(struct on_demand, rate),
                .unit = "per node or GPU, and hour",
                .help = "list price; absent: the facts' latest row of the pool's instance and region",
                .source = "data/facts/prices.csv"},
    {.name = "discount",
     .type = RR_P_SHARE,
     .offset = offsetof(struct on_demand, discount),
     .unit = "share",
     .def = "0",
     .least = 0,
     .most = 1,
     .help = "share taken off the rate"},
    {.name = "increment",
     .type = RR_P_TIME,
     .offset = offsetof(struct on_demand, increment_us),
     .unit = "time",
     .def = "\"1 s\"",
     .least = 1,
     .most = 31.0 * (double)RR_D,
     .help = "billing increment: a started one is paid in full",
     .source = "per-second billing of the large clouds"},
    {.name = "minimum",
     .type = RR_P_TIME,
     .offset = offsetof(struct on_demand, minimum_us),
     .unit = "time",
     .def = "\"60 s\"",
     .least = 0,
     .most = 31.0 * (double)RR_D,
     .help = "least time billed for a lease",
     .source = "60 s minimum of the large clouds"},
    {.name = "hours",
     .type = RR_P_WORD,
     .offset = offsetof(struct on_demand, hours),
     .unit = "",
     .def = "\"lease\"",
     .help = "increments are counted from the start of the lease, or lie on the clock",
     .words = hours_words},
};

/* ---- at load ---- */

static enum rr_status from_facts(const struct rr_pool *pool, const char *pointer, const struct rr_catalog *catalog, struct rr_arena *arena,
                                 struct rr_notes *notes, struct rr_price *ret)
{
    const struct rr_price_row *row;
    if (pool->instance_id == NULL)
        return rr_fail(RR_EINPUT, "on_demand needs \"rate\", or a pool that names an \"instance\" whose price is in the facts");
    const enum rr_status st = rr_catalog_price(catalog, pool->instance_id, pool->region ? pool->region : "", "on_demand", "", "", &row);
    if (st != RR_OK) return rr_fail_in(st, "no \"rate\" is given");
    struct rr_buf b = {0};
    rr_buf_rate(&b, row->rate.rate, row->rate.currency);
    rr_note(notes, RR_NOTE_ASSUMED, pointer, rr_fact_text(arena, &row->fact), "on-demand rate of %s in %s is %s", row->instance,
            row->region, rr_buf_text(&b));
    rr_buf_done(&b);
    *ret = row->rate;
    return RR_OK;
}

/* Nodes without a GPU would cost nothing at a rate per GPU. */
static enum rr_status gpus_check(const struct rr_pool *pool, const char *pointer, struct rr_notes *notes)
{
    size_t without = 0;
    for (size_t i = 0; i < pool->n_shapes; i++) without += pool->shape[i].gpus == 0;
    if (without == pool->n_shapes) return rr_fail(RR_EINPUT, "a rate per GPU on nodes without GPUs: give a rate per node");
    if (without > 0)
        rr_note(notes, RR_NOTE_WARNING, pointer, "", "%zu of %zu nodes have no GPU and cost nothing at a rate per GPU", without,
                pool->n_shapes);
    return RR_OK;
}

static enum rr_status on_demand_resolve(void *params, const struct rr_scenario *s, const struct rr_pool *pool, const char *pointer,
                                        const struct rr_catalog *catalog, struct rr_arena *arena, struct rr_notes *notes)
{
    struct on_demand *od = params;
    struct rr_rate rate;
    if (!rr_given(od, P_RATE)) RR_TRY(from_facts(pool, pointer, catalog, arena, notes, &od->rate));
    RR_TRY(rr_scenario_rate(s, od->rate, &rate));
    od->gpus = rr_pool_gpus(pool);
    od->per_gpu = rate.per == RR_PER_GPU && od->gpus < 0;
    if (od->per_gpu) {
        RR_TRY(gpus_check(pool, pointer, notes));
        rate.per = RR_PER_NODE; // the meter counts GPU time
    }
    RR_TRY(rr_rate_node_hour(rate, od->gpus, &od->list_nano));
    RR_TRY(rr_rate_less(rate.nano, od->discount, &rate.nano));
    RR_TRY(rr_rate_node_hour(rate, od->gpus, &od->nano));
    if (od->nano == 0) rr_note(notes, RR_NOTE_WARNING, pointer, "", "the rate is 0: these machines cost nothing");
    if (od->hours == HOURS_CLOCK && RR_H % od->increment_us != 0)
        return rr_fail(RR_EINPUT, "\"hours\": \"clock\" needs an \"increment\" that divides an hour, such as \"1 h\" or \"1 min\"");
    return RR_OK;
}

/* ---- meter ---- */

static int64_t round_up(int64_t t, int64_t unit) { return (t + unit - 1) / unit * unit; }

/* First month that ends after t. */
static size_t month_after(const struct rr_meter *m, int64_t t)
{
    size_t low = 0, high = m->n_months;
    while (low < high) {
        const size_t mid = (low + high) / 2;
        if (m->month[mid].to_us <= t)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* One lease. What its last unit runs beyond a month end is put into the month's last hour: the started unit belongs there. */
static void meter_lease(struct rr_meter *m, const struct on_demand *od, int64_t start_us, int64_t end_us, int64_t weight)
{
    const int64_t unit = od->increment_us;
    if (od->hours == HOURS_CLOCK) start_us -= (start_us - m->usage->grid_us) % unit;
    const int64_t units_end = start_us + round_up(end_us - start_us, unit);
    const int64_t stop = units_end - start_us < od->minimum_us ? start_us + od->minimum_us : units_end;
    int64_t at = start_us;
    for (size_t i = month_after(m, start_us); i + 1 < m->n_months && m->month[i].to_us < stop; i++) {
        const int64_t month_end = m->month[i].to_us;
        if (month_end <= at) continue; // a unit longer than a month
        int64_t unit_end = start_us + round_up(month_end - start_us, unit);
        if (unit_end >= units_end) unit_end = stop; // the minimum tops the last unit up
        rr_meter_add(m, at, month_end, weight);
        rr_meter_add_before(m, month_end, month_end, unit_end, weight);
        at = unit_end;
    }
    if (at < stop) rr_meter_add(m, at, stop, weight);
}

static enum rr_status on_demand_meter(const void *params, const struct rr_billing *b, size_t pool, struct rr_usage *usage)
{
    const struct on_demand *od = params;
    struct rr_meter m;
    usage->per_gpu = od->per_gpu;
    RR_TRY(rr_meter_begin(b, usage, &m));
    for (size_t i = b->pool_lease[pool]; i < b->pool_lease[pool + 1]; i++) {
        const struct rr_lease *l = &b->lease[i];
        const int64_t end = l->end_us < b->horizon_us ? l->end_us : b->horizon_us;
        assert(l->start_us >= 0);
        if (l->start_us < end) meter_lease(&m, od, l->start_us, end, od->per_gpu ? b->node_gpus[l->node] : 1);
    }
    rr_meter_end(&m);
    return RR_OK;
}

/* ---- bill ---- */

static enum rr_status on_demand_bill(const void *params, const struct rr_billing *b, size_t pool, struct rr_sink *sink)
{
    const struct on_demand *od = params;
    const struct rr_usage *u = &b->usage[pool];
    struct rr_month_part *month;
    size_t n, h = 0;
    RR_TRY(rr_month_parts(&b->scenario->clock, 0, b->horizon_us, b->arena, &month, &n));
    for (size_t i = 0; i < n; i++) {
        rr_i128 inside = 0, behind = 0;
        for (; h + 1 < u->n_hours && u->grid_us + (int64_t)h * RR_H < month[i].to_us; h++) inside += u->node_us[h];
        if (i + 1 == n) behind = u->node_us[u->n_hours - 1];
        if (inside + behind == 0) continue;
        struct rr_charge c = {.type = rr_price_on_demand.kind.name,
                              .line = "compute",
                              .pool = (int)pool,
                              .from_us = month[i].from_us,
                              .to_us = month[i].to_us,
                              .due_us = month[i].to_us,
                              .quantity = (double)(inside + behind) / (double)RR_H,
                              .unit = od->per_gpu ? "GPU-hour" : "node-hour",
                              .rate = {od->nano, od->per_gpu ? RR_PER_GPU : RR_PER_NODE, RR_HOUR},
                              .list_nano = od->list_nano};
        RR_TRY(rr_money_charge(od->nano, inside + behind, RR_H, &c.billed));
        RR_TRY(rr_money_charge(od->nano, inside, RR_H, &c.effective));
        c.after_horizon.micro = c.billed.micro - c.effective.micro;
        RR_TRY(sink->emit(sink, &c));
    }
    return RR_OK;
}

static enum rr_status on_demand_quote(const void *params, int64_t t_us, int64_t *ret_nano)
{
    const struct on_demand *od = params;
    (void)t_us;
    if (od->per_gpu) return rr_fail(RR_EINPUT, "nodes of different sizes at a rate per GPU have no one price a node");
    *ret_nano = od->nano;
    return RR_OK;
}

static enum rr_status on_demand_list(const void *params, int64_t t_us, int64_t *ret_nano)
{
    (void)t_us;
    *ret_nano = ((const struct on_demand *)params)->list_nano;
    return RR_OK;
}

const struct rr_price_plan rr_price_on_demand = {
    .kind = {.name = "on_demand",
             .summary = "list price while held, by second, minute or started hour",
             .params = rows,
             .n_params = sizeof rows / sizeof *rows,
             .params_size = sizeof(struct on_demand),
             .use = RR_USE_POOL},
    .resolve = on_demand_resolve,
    .meter = on_demand_meter,
    .bill = on_demand_bill,
    .quote = on_demand_quote,
    .list = on_demand_list,
};
