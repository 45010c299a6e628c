/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/price/price.h - what it costs to hold machines: plans and commitments.
 *
 * A plan is one constant in one file, models/price/NAME.c, and one row in models/price/list.h. Pure functions: no clock, no I/O, no
 * global. A plan bills ALL leases of its scope in time order, because pooled reserved hours, savings plans, tiers and minimum
 * spends cannot be billed lease by lease. Billing an alternative goes in four steps (rr_bill):
 *
 *   1 meter: each pool's plan turns the pool's leases into billable node-time on the grid of clock hours (increments and
 *            minimums included). A plan that no commitment may cover (owned, spot) has no meter.
 *   2 cover: each commitment, in file order, takes covered node-time out of the hours and charges for itself, used or not.
 *   3 bill:  each pool's plan charges what is left in the hours (on_demand), or looks at the leases themselves (owned). Then the entries
 *            of "charges" (storage, transfer, support) in file order, which see what was charged before them.
 *   4 settle: commitments that look at the whole bill (minimum spend, volume discounts, credits), in file order.
 *
 * Every charge has `billed` (cash, when due) and `effective` (accrued over the interval it pays for), lies within one calendar
 * month and is rounded once. */
#ifndef RR_MODELS_PRICE_H
#define RR_MODELS_PRICE_H
#include "data/catalog.h"
#include "data/param.h"
#include "data/record.h"
#include "data/scenario.h"

/* Billable node-microseconds of one pool per clock hour: hour h covers [grid_us + h hours, + 1 hour), cut to the horizon; the last one,
 * n_hours - 1, is what is paid for behind the horizon (a unit that was started before it). int64 is enough: an hour of 2.5 million
 * nodes is 9e15. Where a rate is per GPU and the nodes differ in size, it is GPU-microseconds and no commitment covers them. */
struct rr_usage {
    int64_t grid_us; /* start of hour 0: rr_hour_start(0), <= 0 */
    size_t n_hours;
    int64_t *node_us;         /* [n_hours] what is left to pay on demand; NULL = the plan has no meter */
    bool per_gpu;             /* GPU-microseconds, see above */
    rr_i128 metered, covered; /* totals, for law 4 */
};

/* GPUs held by a job from a start to its end or an interruption: a call, where calls are priced. */
struct rr_call {
    int64_t start_us, end_us;
    int64_t gpus_milli;
    uint16_t pool;
    bool finished; /* the job has finished well with it */
};

/* One alternative's leases after one replay. All arrays borrowed. */
struct rr_billing {
    const struct rr_scenario *scenario;
    int64_t horizon_us;           /* the replay's end */
    uint32_t replication;         /* with the scenario's seed: the course of prices that the replay saw */
    const struct rr_lease *lease; /* sorted by pool, then start, then node */
    const size_t *pool_lease;     /* [n_pools + 1]: leases of pool p are [pool_lease[p], pool_lease[p + 1]) */
    const int32_t *node_gpus;     /* GPUs of node `id`, by global node id */
    struct rr_arena *arena;       /* scratch of this billing */
    /* [pool][calendar month of [0, horizon)] GPU time that jobs held, milli-GPU-microseconds; NULL: a lease's is taken as spread evenly over it. */
    const rr_i128 *const *used_month;
    /* The same by clock hour, from rr_hour_start(0) on, [pool][used_hours]; NULL: no plan asks for it (`hours`), or not known. */
    const rr_i128 *const *used_hour;
    size_t n_used_hours;
    /* In no order; for plans with `calls`. NULL: not known, as with leases that were stored. */
    const struct rr_call *call;
    size_t n_calls;
    struct rr_usage *usage; /* [n_pools] */
    /* What was charged so far, in order of emission; for entries of "charges" and for `settle`. */
    const struct rr_charge *charge;
    size_t n_charges;
};

/* Where charges go. `emit` copies; returns RR_EINPUT when a total would overflow. */
struct rr_sink {
    enum rr_status (*emit)(struct rr_sink *sink, const struct rr_charge *charge);
    /* What became of a commitment; copies. NULL: nobody asks. Plans call rr_cover(). */
    enum rr_status (*cover)(struct rr_sink *sink, const struct rr_cover *cover);
};

/* From at_us on a pool has so many nodes. */
struct rr_arrival {
    int64_t at_us, nodes;
};

struct rr_price_plan {
    struct rr_kind kind; /* first: name, summary, rows, use */
    /* At load: take what the rows left open from the facts (rate, purchase price, power), note it with source and date, and refuse what
     * cannot be priced with RR_EINPUT (a missing price is never $0). pool is NULL for a commitment. `pointer` is the plan's, for notes;
     * rr_price_resolve puts it before the reason. */
    RR_CHECKED enum rr_status (*resolve)(void *params, const struct rr_scenario *s, const struct rr_pool *pool, const char *pointer,
                                         const struct rr_catalog *catalog, struct rr_arena *arena, struct rr_notes *notes);
    RR_CHECKED enum rr_status (*meter)(const void *params, const struct rr_billing *b, size_t pool,
                                       struct rr_usage *usage); /* NULL: not coverable */
    RR_CHECKED enum rr_status (*cover)(const void *params, const struct rr_billing *b, size_t commitment,
                                       struct rr_sink *sink); /* commitments */
    RR_CHECKED enum rr_status (*bill)(const void *params, const struct rr_billing *b, size_t pool,
                                      struct rr_sink *sink); /* pool plans; entry `pool` of "charges" with RR_USE_CHARGE */
    RR_CHECKED enum rr_status (*settle)(const void *params, const struct rr_billing *b, size_t commitment, struct rr_sink *sink);
    bool calls; /* its bill looks at b->call */
    /* Plans whose nodes are not all there from the start to the end: whether these are such, their number over time as this replication has it
     * (in order, the first at 0), and the pool that stands in for those that are not there yet (or NULL). rr_price_resolve marks the pools. */
    bool (*arrives)(const void *params);
    RR_CHECKED enum rr_status (*capacity)(const void *params, const struct rr_scenario *s, uint32_t replication, struct rr_arena *a,
                                          struct rr_arrival **ret, size_t *n);
    const char *(*bridge)(const void *params);
    /* Its bill looks at b->used_hour; NULL: never. */
    bool (*hours)(const void *params);
    /* Value left at `at_us` (book value), added into *value; NULL = none. */
    RR_CHECKED enum rr_status (*terminal)(const void *params, const struct rr_billing *b, size_t pool, int64_t at_us,
                                          struct rr_money *value);
    /* Energy used, PUE included, in kWh; NULL = not known here. */
    double (*energy_kwh)(const void *params, const struct rr_billing *b, size_t pool);
    /* Each file that the plan has read, for the list of inputs; NULL = none. */
    void (*inputs)(const void *params, void (*each)(void *ctx, const char *path, const char *sha256), void *ctx);
    /* Hourly quote for a node at t, nano per node-hour, for cheapest-first; NULL = none. */
    RR_CHECKED enum rr_status (*quote)(const void *params, int64_t t_us, int64_t *ret_nano);
    /* The same before every discount, for the list column of bills; NULL = the quote. */
    RR_CHECKED enum rr_status (*list)(const void *params, int64_t t_us, int64_t *ret_nano);
};

#define X(name) extern const struct rr_price_plan rr_price_##name;
#include "models/price/list.h"
#undef X
extern const struct rr_kinds rr_price_plans;

/* Fill in all plans of a variant (`resolve` of each pool and commitment), once after rr_scenario_load. */
RR_CHECKED enum rr_status rr_price_resolve(struct rr_scenario *s, const struct rr_catalog *catalog, struct rr_arena *arena,
                                           struct rr_notes *notes);
/* Bill one replay: meters, covers, bills. b->usage is made here in b->arena. Checks law 4 (covered + on demand = metered, coverage within the commitment):
 * RR_EINTERNAL naming pool and hour if it does not hold. */
RR_CHECKED enum rr_status rr_bill(struct rr_billing *b, struct rr_sink *sink);
RR_CHECKED enum rr_status rr_bill_terminal(const struct rr_billing *b, int64_t at_us, struct rr_money *ret);

/* For commitments, once a pool and calendar month, and once with pool -1 for what nobody used: hands the record on, its rate and list
 * price taken from the pool's plan. Does nothing when nobody asks. */
RR_CHECKED enum rr_status rr_cover(const struct rr_billing *b, struct rr_sink *sink, struct rr_cover cover);

/* Shared by plans: call `emit` for each calendar month that [from, to) touches (once for all when the clock is not anchored). */
struct rr_month_part {
    int64_t from_us, to_us;
};
RR_CHECKED enum rr_status rr_month_parts(const struct rr_clock *c, int64_t from_us, int64_t to_us, struct rr_arena *a,
                                         struct rr_month_part **ret, size_t *n);
#endif
