/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/price/on_demand.c - pay for machines while they are held.
 *
 * A lease of length d is billed for d rounded up to whole increments, at least the minimum; units are counted from its start, or lie on
 * the clock. A started unit belongs to the month it starts in, and is paid in full even where it ends behind the horizon: that part is
 * cost.after_horizon. Commitments take their hours out first; each month's rest is one charge line for each price in it, rounded once, due
 * at the month's end.
 *
 * A price may change at whole hours (path.h): an hour is paid at its own price, so that a change inside a lease cuts it exactly. Discounts
 * by use look at what commitments left, and start anew each month:
 *
 *   tiers       the pool's node-hours (GPU-hours at a rate per GPU) of the month so far: marginal;
 *   sustained   the share of the month that each node is used. Nodes are stacked: the k-th one is in use while at least k are held, so that
 *               machines that follow each other count as one that ran on. */
#include "data/price_book.h"
#include "models/price/path.h"
#include <assert.h>

enum { HOURS_LEASE, HOURS_CLOCK };
static const char *const hours_words[] = {"lease", "clock", NULL};

struct on_demand {
    uint64_t given;
    struct rr_price rate;
    double discount;
    int64_t increment_us, minimum_us;
    int hours;
    struct rr_path_terms path_terms;
    const struct rr_tiers *tiers, *sustained;
    struct rr_sold sold;
    /* resolved */
    struct rr_price_path path; /* nano per node-hour (GPU-hour with per_gpu), discount taken off */
    bool per_gpu;              /* nodes of different sizes at a rate per GPU */
    int64_t gpus;              /* of each node, when they are alike */
    int64_t tier_unit;         /* node-microseconds in a unit of the tiers' limits: an hour of a node, or of a GPU */
};
enum { P_RATE, P_DISCOUNT, P_INCREMENT, P_MINIMUM, P_HOURS, P_STEPS, P_CHANGE };

static const struct rr_param rows[] = {
    [P_RATE] = {.name = "rate",
                .type = RR_P_RATE,
                .offset = offsetof(struct on_demand, rate),
                .unit = "per node or GPU, and hour",
                .most = 1e10,
                .help = "list price; absent: the facts' latest row of the pool's instance and region",
                .source = "data/facts/prices.csv"},
    [P_DISCOUNT] = {.name = "discount",
                    .type = RR_P_SHARE,
                    .offset = offsetof(struct on_demand, discount),
                    .unit = "share",
                    .def = "0",
                    .least = 0,
                    .most = 1,
                    .help = "share taken off the rate"},
    [P_INCREMENT] = {.name = "increment",
                     .type = RR_P_TIME,
                     .offset = offsetof(struct on_demand, increment_us),
                     .unit = "time",
                     .def = "\"1 s\"",
                     .least = 1,
                     .most = 31.0 * (double)RR_D,
                     .help = "billing increment: a started one is paid in full",
                     .source = "per-second billing of the large clouds"},
    [P_MINIMUM] = {.name = "minimum",
                   .type = RR_P_TIME,
                   .offset = offsetof(struct on_demand, minimum_us),
                   .unit = "time",
                   .def = "\"60 s\"",
                   .least = 0,
                   .most = 31.0 * (double)RR_D,
                   .help = "least time billed for a lease",
                   .source = "60 s minimum of the large clouds"},
    [P_HOURS] = {.name = "hours",
                 .type = RR_P_WORD,
                 .offset = offsetof(struct on_demand, hours),
                 .unit = "",
                 .def = "\"lease\"",
                 .help = "increments are counted from the start of the lease, or lie on the clock",
                 .words = hours_words},
    RR_PATH_ROWS(struct on_demand, path_terms),
    {.name = "tiers",
     .type = RR_P_TIERS,
     .offset = offsetof(struct on_demand, tiers),
     .unit = "",
     .help = "share off the rate by the pool's hours in a calendar month, of nodes, or of GPUs at a rate per GPU; marginal"},
    {.name = "sustained",
     .type = RR_P_TIERS,
     .offset = offsetof(struct on_demand, sustained),
     .unit = "",
     .help = "share off the rate by the share of the month that a node is used, such as [{\"up_to\": \"25 %\", \"share\": 0}, ...]"},
    RR_SOLD_ROWS(struct on_demand, sold),
};

/* ---- at load ---- */

struct load {
    const struct rr_scenario *s;
    const struct rr_pool *pool;
    const char *pointer;
    const struct rr_catalog *catalog;
    struct rr_arena *arena;
    struct rr_notes *notes;
    bool says_how; /* the price changes: the scenario's word holds, not the book's dates */
};

/* What a book knows of later dates, as the scenario would write "steps". A new price holds from the next whole hour on; of two in one hour the
 * last one counts. */
static const struct rr_price_map *later_prices(const struct rr_price_step *step, size_t n, int64_t start_us, struct rr_arena *arena)
{
    struct rr_price_map *m = RR_NEW(arena, struct rr_price_map);
    int64_t before = INT64_MIN;
    m->entry = RR_NEWS(arena, struct rr_price_entry, n);
    for (size_t i = 1; i < n; i++) {
        const int64_t at = start_us + step[i].from_us, hour = at + (RR_H - 1) - (((at + (RR_H - 1)) % RR_H) + RR_H) % RR_H;
        struct rr_buf b = {0};
        rr_buf_date(&b, hour);
        m->n -= m->n > 0 && hour == before;
        m->entry[m->n++] =
            (struct rr_price_entry){.key = rr_strdup(arena, rr_buf_text(&b)), .kind = RR_ENTRY_RATE, .rate = step[i].row->rate};
        rr_buf_done(&b);
        before = hour;
    }
    return m;
}

/* The rate, and in *terms its later steps, unless the scenario says itself how it changes. */
static enum rr_status from_facts(const struct load *l, struct rr_price *ret, struct rr_path_terms *terms)
{
    const struct rr_pool *pool = l->pool;
    struct rr_price_step *step;
    size_t n = 0;
    if (pool->instance_id == NULL)
        return rr_fail(RR_EINPUT, "on_demand needs \"rate\", or a pool that names an \"instance\" whose price is in the facts");
    const struct rr_book_query q = {
        .instance = pool->instance_id, .region = pool->region ? pool->region : "", .plan = "on_demand", .term = "", .payment = ""};
    const enum rr_status st = rr_catalog_price_steps(l->catalog, &q, l->s->has_horizon ? l->s->horizon_us : RR_NEVER, l->arena, &step, &n);
    if (st != RR_OK) return rr_fail_in(st, "no \"rate\" is given");
    const struct rr_price_row *row = step[0].row;
    const bool changes = n > 1 && !l->says_how;
    struct rr_buf b = {0};
    rr_buf_rate(&b, row->rate.rate, row->rate.currency);
    if (changes) {
        rr_buf_putf(&b, " at the start, and changes %zu time%s, at last to ", n - 1, n == 2 ? "" : "s");
        rr_buf_rate(&b, step[n - 1].row->rate.rate, step[n - 1].row->rate.currency);
        rr_buf_putf(&b, " (line %lld)", (long long)step[n - 1].row->fact.line);
        terms->steps = later_prices(step, n, l->s->clock.start_us, l->arena);
    }
    rr_note(l->notes, RR_NOTE_ASSUMED, l->pointer, rr_fact_text(l->arena, &row->fact), "on-demand rate of %s in %s is %s", row->instance,
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

static enum rr_status tiers_check(struct on_demand *od, const struct rr_scenario *s, enum rr_per per)
{
    const struct rr_tiers *t = od->tiers, *u = od->sustained;
    if (t == NULL && u == NULL) return RR_OK;
    if (t && u) return rr_fail(RR_EINPUT, "give \"tiers\" or \"sustained\", not both");
    if ((t ? t : u)->has_rates) return rr_fail(RR_EINPUT, "tiers of machines have a \"share\", which is taken off the rate");
    if (!s->clock.anchored) return rr_fail(RR_EINPUT, "discounts by month need a calendar: give the scenario a \"start\"");
    if (t && t->by != RR_TIER_NUMBER && t->by != RR_TIER_OPEN)
        return rr_fail(RR_EINPUT, "\"tiers\": limits are hours in a month, such as {\"up_to\": 10000, \"share\": 0}");
    if (u && u->by != RR_TIER_SHARE && u->by != RR_TIER_OPEN)
        return rr_fail(RR_EINPUT, "\"sustained\": limits are shares of the month, such as {\"up_to\": \"25 %%\", \"share\": 0}");
    if (u && od->per_gpu) return rr_fail(RR_EINPUT, "\"sustained\" needs nodes that all have the same number of GPUs");
    od->tier_unit = per == RR_PER_GPU && !od->per_gpu ? od->gpus : 1;
    return RR_OK;
}

static enum rr_status on_demand_resolve(void *params, const struct rr_scenario *s, const struct rr_pool *pool, const char *pointer,
                                        const struct rr_catalog *catalog, struct rr_arena *arena, struct rr_notes *notes)
{
    struct on_demand *od = params;
    RR_TRY(rr_sold_check(&od->sold, pool->region));
    struct rr_path_terms terms = od->path_terms;
    const bool says_how = rr_given(od, P_STEPS) || rr_given(od, P_CHANGE); // a change of 0 is a flat price
    if (!rr_given(od, P_RATE)) RR_TRY(from_facts(&(struct load){s, pool, pointer, catalog, arena, notes, says_how}, &od->rate, &terms));
    const enum rr_per per = od->rate.rate.per;
    od->gpus = rr_pool_gpus(pool);
    od->per_gpu = per == RR_PER_GPU && od->gpus < 0;
    if (od->per_gpu) RR_TRY(gpus_check(pool, pointer, notes));
    RR_TRY(rr_path_make(&terms, od->rate, od->discount, od->per_gpu, od->gpus, s, arena, &od->path));
    RR_TRY(tiers_check(od, s, per));
    if (od->path.nano[0] == 0) rr_note(notes, RR_NOTE_WARNING, pointer, "", "the rate is 0: these machines cost nothing");
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

#define MOST_TIERS 32

/* A month's time by tier, at one price. */
struct lines {
    const struct on_demand *od;
    struct rr_sink *sink;
    struct rr_charge charge; /* what they have in common */
    size_t n_tiers, step;
    const struct rr_tier *tier;
    rr_i128 inside[MOST_TIERS], behind[MOST_TIERS]; /* of the horizon */
    rr_i128 month_limit[MOST_TIERS];                /* of `tiers`, in node-microseconds; of `sustained`, of each node's month */
};

/* One charge a tier that time fell into; at the price of the step. */
static enum rr_status lines_flush(struct lines *l)
{
    for (size_t k = 0; k < l->n_tiers; k++) {
        struct rr_charge c = l->charge;
        const rr_i128 inside = l->inside[k], all = inside + l->behind[k];
        int64_t nano = l->od->path.nano[l->step];
        l->inside[k] = l->behind[k] = 0;
        if (all == 0) continue;
        if (l->tier) RR_TRY(rr_rate_less(nano, l->tier[k].share, &nano));
        c.quantity = (double)all / (double)RR_H;
        c.list_nano = l->od->path.list[l->step];
        c.rate = (struct rr_rate){nano, l->od->per_gpu ? RR_PER_GPU : RR_PER_NODE, RR_HOUR};
        RR_TRY(rr_money_charge(nano, all, RR_H, &c.billed));
        RR_TRY(rr_money_charge(nano, inside, RR_H, &c.effective));
        c.after_horizon.micro = c.billed.micro - c.effective.micro;
        RR_TRY(l->sink->emit(l->sink, &c));
    }
    return RR_OK;
}

/* `time` goes to the tiers that [used, used + time) lies in. */
static void lines_add(struct lines *l, rr_i128 used, rr_i128 time, rr_i128 *into)
{
    for (size_t k = 0; time > 0; k++) {
        const bool open = k + 1 >= l->n_tiers;
        const rr_i128 room = open ? time : l->month_limit[k] - used;
        if (room <= 0) continue;
        const rr_i128 take = room < time ? room : time;
        into[k] += take;
        used += take;
        time -= take;
    }
}

static enum rr_status lines_limits(struct lines *l, int64_t month_us)
{
    for (size_t k = 0; k + 1 < l->n_tiers; k++) {
        int64_t limit;
        if (l->od->tiers)
            RR_TRY(rr_round_div((rr_i128)l->tier[k].up_to * RR_H, (rr_i128)1000000 * l->od->tier_unit, &limit));
        else
            RR_TRY(rr_round_div((rr_i128)l->tier[k].up_to * month_us, 1000000000, &limit));
        l->month_limit[k] = limit;
    }
    return RR_OK;
}

/* Where each node of a stack stands in its month. */
struct stack {
    size_t n;
    int64_t *used_us;
};

/* An hour's time laid on the stack: full hours on the lowest nodes, the rest on the next. */
static void stack_add(struct lines *l, struct stack *s, int64_t time, rr_i128 *into)
{
    for (size_t k = 0; time > 0; k++) {
        const int64_t take = time < RR_H ? time : RR_H;
        assert(k < s->n);
        lines_add(l, s->used_us[k], take, into);
        s->used_us[k] += take;
        time -= take;
    }
}

static enum rr_status stack_begin(struct stack *s, const struct rr_usage *u, struct rr_arena *a)
{
    int64_t most = 0;
    for (size_t h = 0; h < u->n_hours; h++)
        if (u->node_us[h] > most) most = u->node_us[h];
    s->n = (size_t)(most / RR_H) + 1;
    s->used_us = RR_NEWS(a, int64_t, s->n);
    return RR_OK;
}

/* The length of the calendar month that the part lies in, for shares of it. */
static enum rr_status month_length(const struct rr_clock *clock, const struct rr_month_part *part, int64_t *ret)
{
    int64_t from, to;
    if (!clock->anchored) {
        *ret = part->to_us - part->from_us;
        return RR_OK;
    }
    RR_TRY(rr_month_start(clock, part->from_us, &from));
    RR_TRY(rr_month_next(clock, part->from_us, &to));
    *ret = to - from;
    return RR_OK;
}

/* One month, hour by hour from *h on; what was started before the horizon and lies behind it is paid at the last hour's price. */
static enum rr_status bill_month(struct lines *l, const struct rr_usage *u, const struct rr_month_part *part, bool last, struct stack *s,
                                 size_t *h)
{
    rr_i128 used = 0;
    for (; *h + 1 < u->n_hours || last; (*h)++) {
        const bool behind = *h + 1 == u->n_hours;
        const int64_t at = u->grid_us + (int64_t)*h * RR_H, time = *h < u->n_hours ? u->node_us[*h] : 0;
        if (*h == u->n_hours || (!behind && at >= part->to_us)) break;
        const size_t step = behind ? l->step : rr_path_step(&l->od->path, at);
        if (step != l->step) RR_TRY(lines_flush(l));
        l->step = step;
        if (s->used_us)
            stack_add(l, s, time, behind ? l->behind : l->inside);
        else
            lines_add(l, used, time, behind ? l->behind : l->inside);
        used += time;
    }
    return lines_flush(l);
}

static enum rr_status on_demand_bill(const void *params, const struct rr_billing *b, size_t pool, struct rr_sink *sink)
{
    const struct on_demand *od = params;
    const struct rr_usage *u = &b->usage[pool];
    const struct rr_tiers *tiers = od->tiers ? od->tiers : od->sustained;
    struct lines l = {.od = od, .sink = sink, .n_tiers = tiers ? tiers->n : 1, .tier = tiers ? tiers->tier : NULL};
    struct stack s = {0};
    struct rr_month_part *month;
    size_t n, h = 0;
    if (od->sustained) RR_TRY(stack_begin(&s, u, b->arena));
    RR_TRY(rr_month_parts(&b->scenario->clock, 0, b->horizon_us, b->arena, &month, &n));
    for (size_t i = 0; i < n; i++) {
        int64_t length;
        RR_TRY(month_length(&b->scenario->clock, &month[i], &length));
        RR_TRY(lines_limits(&l, length));
        for (size_t k = 0; k < s.n; k++) s.used_us[k] = 0;
        l.charge = (struct rr_charge){.type = rr_price_on_demand.kind.name,
                                      .line = "compute",
                                      .pool = (int)pool,
                                      .from_us = month[i].from_us,
                                      .to_us = month[i].to_us,
                                      .due_us = month[i].to_us,
                                      .unit = od->per_gpu ? "GPU-hour" : "node-hour"};
        RR_TRY(bill_month(&l, u, &month[i], i + 1 == n, &s, &h));
    }
    return RR_OK;
}

static enum rr_status on_demand_quote(const void *params, int64_t t_us, int64_t *ret_nano)
{
    const struct on_demand *od = params;
    if (od->per_gpu) return rr_fail(RR_EINPUT, "nodes of different sizes at a rate per GPU have no one price a node");
    *ret_nano = rr_path_at(&od->path, t_us);
    return RR_OK;
}

static enum rr_status on_demand_list(const void *params, int64_t t_us, int64_t *ret_nano)
{
    const struct on_demand *od = params;
    *ret_nano = od->path.list[rr_path_step(&od->path, t_us)];
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
