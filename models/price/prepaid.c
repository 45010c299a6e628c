/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/price/prepaid.c - machines paid by the month or year in advance, as the Chinese clouds sell them (subscription, baonian baoyue).
 *
 * Each lease pays whole periods, each at its start, for as long as it runs: a period that has begun is paid in full, and what is left of it when the
 * machine is given back is lost. Cost accrues evenly over the period. No commitment covers such machines. A price by the hour or day goes
 * by the real length of each period, one by the month or year by calendar months. */
#include "models/price/path.h"
#include "models/price/term.h"

struct prepaid {
    uint64_t given;
    struct rr_price rate;
    struct rr_duration period;
    double discount;
    struct rr_sold sold;
    /* resolved, per node */
    int64_t nano;      /* an hour, or a month with by_month */
    int64_t list_nano; /* the same before the discount */
    bool by_month, per_gpu;
};
enum { P_RATE };

static const struct rr_param rows[] = {
    [P_RATE] = {.name = "rate",
                .type = RR_P_RATE,
                .offset = offsetof(struct prepaid, rate),
                .unit = "per node or GPU, and month, year, day or hour",
                .help = "list price, such as \"¥20,000/node/month\"; absent: the facts' on-demand rate of the pool's instance and region",
                .source = "data/facts/prices.csv"},
    {.name = "period",
     .type = RR_P_DURATION,
     .offset = offsetof(struct prepaid, period),
     .unit = "",
     .def = "\"1 month\"",
     .help = "what is paid at once: whole months, such as \"1 month\" or \"1 year\""},
    {.name = "discount",
     .type = RR_P_SHARE,
     .offset = offsetof(struct prepaid, discount),
     .unit = "share",
     .def = "0",
     .least = 0,
     .most = 1,
     .help = "share off the rate for paying ahead, such as \"20 %\" for a year"},
    RR_SOLD_ROWS(struct prepaid, sold),
};

/* ---- at load ---- */

static enum rr_status from_facts(struct prepaid *pp, const struct rr_pool *pool, const char *pointer, const struct rr_catalog *catalog,
                                 struct rr_arena *arena, struct rr_notes *notes)
{
    const struct rr_price_row *row;
    if (pool->instance_id == NULL)
        return rr_fail(RR_EINPUT, "prepaid needs \"rate\", or a pool that names an \"instance\" whose price is in the facts");
    const enum rr_status st = rr_catalog_price(catalog, pool->instance_id, pool->region ? pool->region : "", "on_demand", "", "", &row);
    if (st != RR_OK) return rr_fail_in(st, "no \"rate\" is given");
    rr_note(notes, RR_NOTE_ASSUMED, pointer, rr_fact_text(arena, &row->fact),
            "prepaid at the on-demand rate of %s in %s, less the discount", row->instance, row->region);
    pp->rate = row->rate;
    return RR_OK;
}

static enum rr_status prepaid_resolve(void *params, const struct rr_scenario *s, const struct rr_pool *pool, const char *pointer,
                                      const struct rr_catalog *catalog, struct rr_arena *arena, struct rr_notes *notes)
{
    struct prepaid *pp = params;
    struct rr_rate rate;
    RR_TRY(rr_sold_check(&pp->sold, pool->region));
    if (!s->clock.anchored) return rr_fail(RR_EINPUT, "prepaid needs a calendar: give the scenario a \"start\", such as \"2026-01-01\"");
    if (pp->period.us != 0 || pp->period.months < 1)
        return rr_fail(RR_EINPUT, "\"period\" is whole months, such as \"1 month\" or \"1 year\"");
    if (!rr_given(pp, P_RATE)) RR_TRY(from_facts(pp, pool, pointer, catalog, arena, notes));
    RR_TRY(rr_scenario_rate(s, pp->rate, &rate));
    if (rate.per == RR_PER_ONCE) rate.per = RR_PER_NODE; // "/month" alone
    const int64_t gpus = rr_pool_gpus(pool);
    pp->per_gpu = rate.per == RR_PER_GPU && gpus < 0;
    if (pp->per_gpu) rate.per = RR_PER_NODE;
    pp->by_month = rate.time == RR_MONTH || rate.time == RR_YEAR;
    const bool by_year = rate.time == RR_YEAR;
    if (pp->by_month) rate.time = RR_HOUR; // its nano is made per node in the same way
    RR_TRY(rr_rate_node_hour(rate, gpus, &pp->list_nano));
    if (by_year) RR_TRY(rr_round_div(pp->list_nano, 12, &pp->list_nano));
    RR_TRY(rr_rate_less(pp->list_nano, pp->discount, &pp->nano));
    if (pp->nano == 0) rr_note(notes, RR_NOTE_WARNING, pointer, "", "the rate is 0: these machines cost nothing");
    return RR_OK;
}

/* ---- bill ---- */

static enum rr_status price_of(const struct prepaid *pp, int64_t weight, int64_t t0, int64_t t1, struct rr_money *ret)
{
    if (pp->by_month) return rr_charge_wide(pp->nano, (rr_i128)weight * pp->period.months, 1, ret);
    return rr_charge_wide(pp->nano, (rr_i128)weight * (t1 - t0), RR_H, ret);
}

/* All periods of `weight` nodes (or GPUs) that were taken together and given back together. */
static enum rr_status bill_group(const struct prepaid *pp, const struct rr_billing *b, size_t pool, int64_t start_us, int64_t end_us,
                                 int64_t weight, struct rr_sink *sink)
{
    const struct rr_clock *clock = &b->scenario->clock;
    const enum rr_per_time time = pp->by_month ? RR_MONTH : RR_HOUR;
    const struct rr_charge c = {.type = rr_price_prepaid.kind.name,
                                .line = "subscription",
                                .pricing = RR_PRICING_COMMITTED,
                                .rate = {pp->nano, pp->per_gpu ? RR_PER_GPU : RR_PER_NODE, time},
                                .list_nano = pp->list_nano,
                                .pool = (int)pool,
                                .unit = pp->per_gpu ? "GPU-hour" : "node-hour"};
    for (int64_t k = 0;; k++) {
        int64_t t0, t1;
        struct rr_money whole;
        RR_TRY(rr_time_add(clock, start_us, (struct rr_duration){k * pp->period.months, 0}, &t0));
        if (t0 >= end_us) return RR_OK;
        RR_TRY(rr_time_add(clock, start_us, (struct rr_duration){(k + 1) * pp->period.months, 0}, &t1));
        RR_TRY(price_of(pp, weight, t0, t1, &whole));
        RR_TRY(rr_accrue(whole, t0, t0, t1, c, (double)weight, b, sink));
    }
}

static int64_t end_of(const struct rr_billing *b, const struct rr_lease *l)
{
    return l->end_us < b->horizon_us ? l->end_us : b->horizon_us;
}

static enum rr_status prepaid_bill(const void *params, const struct rr_billing *b, size_t pool, struct rr_sink *sink)
{
    const struct prepaid *pp = params;
    const size_t n = b->pool_lease[pool + 1];
    for (size_t i = b->pool_lease[pool]; i < n;) {
        const int64_t start = b->lease[i].start_us, end = end_of(b, &b->lease[i]);
        int64_t weight = 0;
        for (; i < n && b->lease[i].start_us == start && end_of(b, &b->lease[i]) == end; i++)
            weight += pp->per_gpu ? b->node_gpus[b->lease[i].node] : 1;
        if (start < end) RR_TRY(bill_group(pp, b, pool, start, end, weight, sink));
    }
    return RR_OK;
}

const struct rr_price_plan rr_price_prepaid = {
    .kind = {.name = "prepaid",
             .summary = "machines paid by the month or year in advance; a period that has begun is paid in full",
             .params = rows,
             .n_params = sizeof rows / sizeof *rows,
             .params_size = sizeof(struct prepaid),
             .use = RR_USE_POOL},
    .resolve = prepaid_resolve,
    .bill = prepaid_bill,
};
