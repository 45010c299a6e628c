/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/price/capacity_block.c - machines for a fixed window in the future, paid in full when it is bought.
 *
 * A billing overlay like `reserved`, for one window alone: there it covers up to `count` node-hours an hour of the pools of its instance and region;
 * what is not used is lost, and usage outside is paid by the pool's plan. It adds no machines: the pool says how many it may hold, and
 * when (a scheduled autoscaler, quotas). */
#include "models/price/path.h"
#include "models/price/term.h"

struct capacity_block {
    uint64_t given;
    const char *instance, *region;
    int64_t count;
    int64_t start_epoch_us;
    struct rr_duration term, from, bought;
    struct rr_price rate;
    struct rr_amount upfront;
    struct rr_sold sold;
    /* resolved */
    struct rr_term window;
    int64_t bought_us, nano;
    struct rr_money upfront_sum; /* per node */
};
enum { P_INSTANCE, P_REGION, P_COUNT, P_START, P_FROM, P_TERM, P_BOUGHT, P_RATE, P_UPFRONT };

static const struct rr_param rows[] = {
    [P_INSTANCE] = {.name = "instance",
                    .type = RR_P_TEXT,
                    .offset = offsetof(struct capacity_block, instance),
                    .unit = "",
                    .help = "the instance, as pools name it",
                    .flags = RR_PF_REQUIRED},
    [P_REGION] = {.name = "region",
                  .type = RR_P_TEXT,
                  .offset = offsetof(struct capacity_block, region),
                  .unit = "",
                  .def = "\"\"",
                  .help = "region of the pools that it covers, as they name it; a region covers its zones"},
    [P_COUNT] = {.name = "count",
                 .type = RR_P_INT,
                 .offset = offsetof(struct capacity_block, count),
                 .unit = "nodes",
                 .least = 1,
                 .most = 1e6,
                 .help = "how many nodes",
                 .flags = RR_PF_REQUIRED},
    [P_START] = {.name = "start",
                 .type = RR_P_DATE,
                 .offset = offsetof(struct capacity_block, start_epoch_us),
                 .unit = "",
                 .help = "when the window begins, a date; or give \"from\""},
    [P_FROM] = {.name = "from",
                .type = RR_P_DURATION,
                .offset = offsetof(struct capacity_block, from),
                .unit = "",
                .help = "when the window begins, after the scenario's start"},
    [P_TERM] = {.name = "term",
                .type = RR_P_DURATION,
                .offset = offsetof(struct capacity_block, term),
                .unit = "",
                .help = "length of the window, such as \"14 days\"",
                .flags = RR_PF_REQUIRED},
    [P_BOUGHT] = {.name = "bought",
                  .type = RR_P_DURATION,
                  .offset = offsetof(struct capacity_block, bought),
                  .unit = "",
                  .def = "\"0 s\"",
                  .help = "when it is paid, after the scenario's start"},
    [P_RATE] = {.name = "rate",
                .type = RR_P_RATE,
                .offset = offsetof(struct capacity_block, rate),
                .unit = "per node or GPU, and hour",
                .help = "price of each hour of the window, used or not; or give \"upfront\""},
    [P_UPFRONT] = {.name = "upfront",
                   .type = RR_P_MONEY,
                   .offset = offsetof(struct capacity_block, upfront),
                   .unit = "per node",
                   .help = "price of the whole window"},
    RR_SOLD_ROWS(struct capacity_block, sold),
};

static enum rr_status window_of(struct capacity_block *cb, const struct rr_scenario *s)
{
    if (rr_given(cb, P_START) == rr_given(cb, P_FROM))
        return rr_fail(RR_EINPUT, "give \"start\", a date, or \"from\", a time after the scenario's start");
    cb->window = (struct rr_term){.length = cb->term, .from = cb->from};
    if (rr_given(cb, P_START)) cb->window.from.us = cb->start_epoch_us - s->clock.start_us;
    RR_TRY(rr_term_check(&cb->window, s));
    return rr_time_add(&s->clock, 0, cb->bought, &cb->bought_us);
}

static enum rr_status price_of(struct capacity_block *cb, const struct rr_scenario *s, const char *pointer,
                               const struct rr_catalog *catalog, struct rr_arena *arena, struct rr_notes *notes)
{
    const struct rr_price_row *row;
    if (rr_given(cb, P_RATE) && rr_given(cb, P_UPFRONT)) return rr_fail(RR_EINPUT, "give \"rate\" or \"upfront\", not both");
    if (rr_given(cb, P_UPFRONT)) {
        if (cb->upfront.money.micro < 0) return rr_fail(RR_EINPUT, "\"upfront\" is negative");
        return rr_scenario_money(s, cb->upfront, &cb->upfront_sum);
    }
    if (!rr_given(cb, P_RATE)) {
        const enum rr_status st = rr_catalog_price(catalog, cb->instance, cb->region, "capacity_block", "", "", &row);
        if (st != RR_OK) return rr_fail_in(st, "no \"rate\" or \"upfront\" is given");
        rr_note(notes, RR_NOTE_ASSUMED, pointer, rr_fact_text(arena, &row->fact), "capacity block price of %s", row->instance);
        cb->rate = row->rate;
    }
    return rr_instance_rate(s, cb->rate, catalog, cb->instance, &cb->nano);
}

static enum rr_status capacity_block_resolve(void *params, const struct rr_scenario *s, const struct rr_pool *pool, const char *pointer,
                                             const struct rr_catalog *catalog, struct rr_arena *arena, struct rr_notes *notes)
{
    struct capacity_block *cb = params;
    int64_t begin;
    (void)pool;
    RR_TRY(rr_sold_check(&cb->sold, cb->region));
    RR_TRY(window_of(cb, s));
    RR_TRY(rr_term_start(&cb->window, &s->clock, 0, &begin));
    if (cb->bought_us > begin) return rr_fail(RR_EINPUT, "\"bought\" lies behind the beginning of the window");
    RR_TRY(price_of(cb, s, pointer, catalog, arena, notes));
    if (cb->nano == 0 && cb->upfront_sum.micro == 0)
        rr_note(notes, RR_NOTE_WARNING, pointer, "", "the price is 0: this block costs nothing");
    rr_covers_warn(s, cb->instance, cb->region, pointer, notes);
    if (s->has_horizon && begin >= s->horizon_us) rr_note(notes, RR_NOTE_WARNING, pointer, "", "the window begins behind the horizon");
    return RR_OK;
}

/* Paid inside the horizon for a window behind it: all of it is still to come. */
static enum rr_status only_paid(struct rr_money whole, int64_t bought_us, struct rr_charge c, const struct rr_billing *b,
                                struct rr_sink *sink)
{
    int64_t next;
    RR_TRY(rr_month_next(&b->scenario->clock, bought_us, &next));
    c.from_us = c.due_us = bought_us;
    c.to_us = next < b->horizon_us ? next : b->horizon_us;
    c.billed = c.after_horizon = whole;
    return sink->emit(sink, &c);
}

static enum rr_status capacity_block_cover(const void *params, const struct rr_billing *b, size_t commitment, struct rr_sink *sink)
{
    const struct capacity_block *cb = params;
    struct rr_charge c = {.type = rr_price_capacity_block.kind.name,
                          .line = "capacity block",
                          .commitment = b->scenario->commitment[commitment].name,
                          .unit = "node-hour",
                          .pricing = RR_PRICING_COMMITTED};
    struct rr_money whole, sum;
    int64_t t0, t1;
    RR_TRY(rr_cover_nodes(&cb->window, cb->instance, cb->region, cb->count, b, c.commitment, &c.pool, sink));
    RR_TRY(rr_term_start(&cb->window, &b->scenario->clock, 0, &t0));
    RR_TRY(rr_term_start(&cb->window, &b->scenario->clock, 1, &t1));
    RR_TRY(rr_money_charge(cb->nano, (rr_i128)cb->count * (t1 - t0), RR_H, &whole));
    RR_TRY(rr_round_div((rr_i128)cb->upfront_sum.micro * cb->count, 1, &sum.micro));
    RR_TRY(rr_money_add(&whole, sum));
    if (cb->nano > 0) c.rate = (struct rr_rate){cb->nano, RR_PER_NODE, RR_HOUR};
    if (cb->bought_us >= b->horizon_us) return RR_OK;
    if (t0 >= b->horizon_us) return only_paid(whole, cb->bought_us, c, b, sink);
    return rr_accrue(whole, cb->bought_us, t0, t1, c, (double)cb->count, b, sink);
}

const struct rr_price_plan rr_price_capacity_block = {
    .kind = {.name = "capacity_block",
             .summary = "nodes for a fixed window in the future, paid when bought; covers pools hour by hour inside it",
             .params = rows,
             .n_params = sizeof rows / sizeof *rows,
             .params_size = sizeof(struct capacity_block),
             .use = RR_USE_COMMITMENT},
    .resolve = capacity_block_resolve,
    .cover = capacity_block_cover,
};
