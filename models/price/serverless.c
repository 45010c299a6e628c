/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/price/serverless.c - GPUs paid by the second: while a call runs on them, or while they are held; and by the call.
 *
 * A call is a job's GPUs from a start to its end or an interruption. With "of": "used" each call is paid for its length, rounded up to whole increments, at
 * least the minimum; the rest of the time that nodes are held (cold starts, which are the pool's boot; idling until its timeout; nodes kept warm, which are its
 * nodes.min) costs "idle_rate", or nothing. With "held" leases are paid so, whatever runs on them. Time belongs to the months it lies in,
 * what the last increment adds to the month in which it starts. */
#include "models/price/path.h"

enum { OF_USED, OF_HELD };
static const char *const of_words[] = {"used", "held", NULL};

struct serverless {
    uint64_t given;
    struct rr_price rate, idle_rate, per_call;
    int of;
    int64_t increment_us, minimum_us;
    struct rr_sold sold;
    /* resolved: nano per node-hour of `gpus` GPUs, and per call */
    int64_t nano, idle_nano, call_nano, gpus;
};
enum { P_RATE, P_IDLE_RATE, P_PER_CALL };

static const struct rr_param rows[] = {
    [P_RATE] = {.name = "rate",
                .type = RR_P_RATE,
                .offset = offsetof(struct serverless, rate),
                .unit = "per node or GPU, and time",
                .help = "such as \"$0.00125/gpu/s\"",
                .flags = RR_PF_REQUIRED},
    [P_IDLE_RATE] = {.name = "idle_rate",
                     .type = RR_P_RATE,
                     .offset = offsetof(struct serverless, idle_rate),
                     .unit = "per node or GPU, and time",
                     .help = "for time that nodes are held and no call uses: cold starts, idling, nodes kept warm; absent: free"},
    [P_PER_CALL] = {.name = "per_call",
                    .type = RR_P_RATE,
                    .offset = offsetof(struct serverless, per_call),
                    .unit = "per call",
                    .help = "on top, such as \"$0.0002/call\""},
    {.name = "of",
     .type = RR_P_WORD,
     .offset = offsetof(struct serverless, of),
     .unit = "",
     .def = "\"used\"",
     .help = "what \"rate\" is paid for: the time of calls, or all the time that nodes are held",
     .words = of_words},
    {.name = "increment",
     .type = RR_P_TIME,
     .offset = offsetof(struct serverless, increment_us),
     .unit = "time",
     .def = "\"1 s\"",
     .least = 1,
     .most = (double)RR_D,
     .help = "billing increment: a started one is paid in full"},
    {.name = "minimum",
     .type = RR_P_TIME,
     .offset = offsetof(struct serverless, minimum_us),
     .unit = "time",
     .def = "\"0 s\"",
     .least = 0,
     .most = (double)RR_D,
     .help = "least time billed for a call, or a lease"},
    RR_SOLD_ROWS(struct serverless, sold),
};

/* ---- at load ---- */

static enum rr_status rate_of(const struct rr_scenario *s, struct rr_price price, int64_t gpus, int64_t *ret)
{
    struct rr_rate rate;
    RR_TRY(rr_scenario_rate(s, price, &rate));
    if (gpus < 0 && rate.per != RR_PER_GPU)
        return rr_fail(RR_EINPUT, "nodes of different sizes need a rate per GPU, such as \"$0.00125/gpu/s\"");
    return rr_rate_node_hour(rate, gpus < 0 ? 1 : gpus, ret);
}

static enum rr_status serverless_resolve(void *params, const struct rr_scenario *s, const struct rr_pool *pool, const char *pointer,
                                         const struct rr_catalog *catalog, struct rr_arena *arena, struct rr_notes *notes)
{
    struct serverless *sl = params;
    struct rr_rate call;
    (void)catalog, (void)arena;
    RR_TRY(rr_sold_check(&sl->sold, pool->region));
    const int64_t gpus = rr_pool_gpus(pool);
    if (gpus == 0) return rr_fail(RR_EINPUT, "serverless is paid by the GPU: these nodes have none");
    RR_TRY(rate_of(s, sl->rate, gpus, &sl->nano));
    if (rr_given(sl, P_IDLE_RATE) && sl->of == OF_HELD)
        return rr_fail(RR_EINPUT, "\"idle_rate\" goes with \"of\": \"used\": held time has one rate");
    if (rr_given(sl, P_IDLE_RATE)) RR_TRY(rate_of(s, sl->idle_rate, gpus, &sl->idle_nano));
    sl->gpus = gpus < 0 ? 1 : gpus;
    if (sl->nano == 0) rr_note(notes, RR_NOTE_WARNING, pointer, "", "the rate is 0: these machines cost nothing");
    if (!rr_given(sl, P_PER_CALL)) return RR_OK;
    RR_TRY(rr_scenario_rate(s, sl->per_call, &call));
    if (call.per != RR_PER_CALL || call.time != RR_EVER || call.nano < 0)
        return rr_fail(RR_EINPUT, "\"per_call\" is a price for each call, such as \"$0.0002/call\"");
    sl->call_nano = call.nano;
    return RR_OK;
}

/* ---- bill ---- */

struct month { /* milli-GPU-microseconds */
    rr_i128 billed, behind, used, held;
    int64_t calls;
};
struct bill {
    const struct serverless *sl;
    const struct rr_billing *b;
    const struct rr_month_part *part;
    size_t n;
    struct month *month;
};

static size_t month_at(const struct bill *x, int64_t t_us)
{
    size_t low = 0, high = x->n;
    while (high - low > 1) {
        const size_t mid = (low + high) / 2;
        if (x->part[mid].from_us <= t_us)
            low = mid;
        else
            high = mid;
    }
    return low;
}

/* `weight` of real time over [from, to) into one of the sums of the months that it lies in. */
static void add_time(struct bill *x, size_t offset, int64_t from, int64_t to, int64_t weight)
{
    for (size_t i = month_at(x, from); i < x->n && from < to; i++) {
        const int64_t until = x->part[i].to_us < to ? x->part[i].to_us : to;
        *(rr_i128 *)(void *)((char *)&x->month[i] + offset) += (rr_i128)(until - from) * weight;
        from = until;
    }
}

/* The same, rounded up as calls and leases are. */
static void add_billed(struct bill *x, int64_t from, int64_t to, int64_t weight)
{
    const int64_t unit = x->sl->increment_us;
    int64_t length = (to - from + unit - 1) / unit * unit;
    if (length < x->sl->minimum_us) length = x->sl->minimum_us;
    add_time(x, offsetof(struct month, billed), from, to, weight);
    const int64_t rest = length - (to - from), room = x->b->horizon_us - to, inside = rest < room ? rest : room;
    struct month *last = &x->month[month_at(x, to > from ? to - 1 : from)];
    last->billed += (rr_i128)inside * weight;
    last->behind += (rr_i128)(rest - inside) * weight;
}

static enum rr_status add_calls(struct bill *x, size_t pool)
{
    const struct rr_billing *b = x->b;
    if (b->call == NULL)
        return rr_fail(RR_EINPUT, "serverless is paid by the call, and stored leases do not know their calls: run the scenario again");
    for (size_t i = 0; i < b->n_calls; i++) {
        const struct rr_call *c = &b->call[i];
        const int64_t end = c->end_us < b->horizon_us ? c->end_us : b->horizon_us;
        if (c->pool != pool || c->start_us >= b->horizon_us) continue;
        x->month[month_at(x, c->start_us)].calls++;
        add_time(x, offsetof(struct month, used), c->start_us, end, c->gpus_milli);
        if (x->sl->of == OF_USED) add_billed(x, c->start_us, end, c->gpus_milli);
    }
    return RR_OK;
}

static void add_leases(struct bill *x, size_t pool)
{
    const struct rr_billing *b = x->b;
    for (size_t i = b->pool_lease[pool]; i < b->pool_lease[pool + 1]; i++) {
        const struct rr_lease *l = &b->lease[i];
        const int64_t end = l->end_us < b->horizon_us ? l->end_us : b->horizon_us, milli = (int64_t)b->node_gpus[l->node] * 1000;
        if (l->start_us >= end) continue;
        add_time(x, offsetof(struct month, held), l->start_us, end, milli);
        if (x->sl->of == OF_HELD) add_billed(x, l->start_us, end, milli);
    }
}

static enum rr_status charge_time(const struct bill *x, struct rr_charge c, int64_t nano, rr_i128 inside, rr_i128 behind,
                                  struct rr_sink *sink)
{
    const rr_i128 per = (rr_i128)1000 * x->sl->gpus * RR_H;
    RR_TRY(rr_charge_wide(nano, inside + behind, per, &c.billed));
    RR_TRY(rr_charge_wide(nano, inside, per, &c.effective));
    c.after_horizon.micro = c.billed.micro - c.effective.micro;
    c.quantity = (double)(inside + behind) / 1000 / (double)RR_H;
    RR_TRY(rr_round_div(nano, x->sl->gpus, &c.rate.nano));
    c.rate.per = RR_PER_GPU;
    c.rate.time = RR_HOUR;
    return sink->emit(sink, &c);
}

/* A month without anything is left out, unless it is the last one: what was held is never without a line. */
static enum rr_status charge_month(const struct bill *x, size_t i, size_t pool, struct rr_sink *sink)
{
    const struct serverless *sl = x->sl;
    const struct month *m = &x->month[i];
    struct rr_charge c = {.type = rr_price_serverless.kind.name,
                          .line = "compute",
                          .pool = (int)pool,
                          .from_us = x->part[i].from_us,
                          .to_us = x->part[i].to_us,
                          .due_us = x->part[i].to_us,
                          .unit = "GPU-hour"};
    if (m->billed + m->behind > 0 || i + 1 == x->n) RR_TRY(charge_time(x, c, sl->nano, m->billed, m->behind, sink));
    c.line = "idle";
    if (sl->idle_nano > 0 && m->held > m->used) RR_TRY(charge_time(x, c, sl->idle_nano, m->held - m->used, 0, sink));
    if (sl->call_nano == 0 || m->calls == 0) return RR_OK;
    c.line = "calls";
    c.unit = "call";
    c.quantity = (double)m->calls;
    c.rate = (struct rr_rate){sl->call_nano, RR_PER_CALL, RR_EVER};
    RR_TRY(rr_money_charge(sl->call_nano, m->calls, 1, &c.billed));
    c.effective = c.billed;
    return sink->emit(sink, &c);
}

static enum rr_status serverless_bill(const void *params, const struct rr_billing *b, size_t pool, struct rr_sink *sink)
{
    const struct serverless *sl = params;
    struct bill x = {.sl = sl, .b = b};
    struct rr_month_part *part;
    if (b->pool_lease[pool] == b->pool_lease[pool + 1]) return RR_OK;
    RR_TRY(rr_month_parts(&b->scenario->clock, 0, b->horizon_us, b->arena, &part, &x.n));
    if (x.n == 0) return RR_OK;
    x.part = part;
    x.month = RR_NEWS(b->arena, struct month, x.n);
    if (sl->of == OF_USED || sl->call_nano > 0) RR_TRY(add_calls(&x, pool));
    add_leases(&x, pool);
    for (size_t i = 0; i < x.n; i++) RR_TRY(charge_month(&x, i, pool, sink));
    return RR_OK;
}

static enum rr_status serverless_quote(const void *params, int64_t t_us, int64_t *ret_nano)
{
    const struct serverless *sl = params;
    (void)t_us;
    *ret_nano = sl->nano;
    return RR_OK;
}

const struct rr_price_plan rr_price_serverless = {
    .kind = {.name = "serverless",
             .summary = "GPUs by the second of a call, or of holding them, and by the call; cold starts, idling and warm nodes",
             .params = rows,
             .n_params = sizeof rows / sizeof *rows,
             .params_size = sizeof(struct serverless),
             .use = RR_USE_POOL},
    .calls = true,
    .resolve = serverless_resolve,
    .bill = serverless_bill,
    .quote = serverless_quote,
};
