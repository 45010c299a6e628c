/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/bench/bench_bill.c - billing 1,000,000 leases over three years, under plan sets that look at them in different ways.
 *
 *     bench_bill [LEASES]
 *
 * Each is run five times, the best counts; the ratio is to a bare loop that adds lengths rounded up to seconds at one price. Goal: under 1 s for
 * 1,000,000 leases on one core. */
#include "data/base/rng.h"
#include "models/price/price.h"
#include "tests/bench/bare.h"
#include <string.h>

enum { TIMES = 5, POOLS = 2, NODES = 4096 };
#define HORIZON (1096 * RR_D)

struct entry {
    const char *type, *params;
};
struct set {
    const char *name;
    struct entry pool[POOLS], commitment[3], charge[4]; /* ends with an empty type */
};
static const struct set sets[] = {
    {"on demand", {{"on_demand", "{\"rate\": \"$55.04/h\"}"}, {"on_demand", "{\"rate\": \"$32.77/h\"}"}}, {{0}}, {{0}}},
    {"paths and tiers",
     {{"on_demand", "{\"rate\": \"$55.04/h\", \"change_per_year\": \"-30 %\"}"},
      {"on_demand", "{\"rate\": \"$32.77/h\", \"tiers\": [{\"up_to\": 5000, \"share\": 0}, {\"share\": \"10 %\"}]}"}},
     {{0}},
     {{0}}},
    {"sustained use",
     {{"on_demand", "{\"rate\": \"$55.04/h\", \"sustained\": [{\"up_to\": \"25 %\", \"share\": 0}, {\"share\": \"30 %\"}]}"},
      {"serverless", "{\"rate\": \"$0.00125/gpu/s\", \"of\": \"held\"}"}},
     {{0}},
     {{0}}},
    {"all together",
     {{"on_demand", "{\"rate\": \"$55.04/h\", \"steps\": {\"2026-07-01\": \"$50/h\", \"2027-07-01\": \"$45/h\"}}"},
      {"on_demand", "{\"rate\": \"$32.77/h\", \"increment\": \"1 h\"}"}},
     {{"reserved", "{\"instance\": \"aws/a\", \"count\": 40, \"term\": \"1 year\", \"rate\": \"$35/h\"}"},
      {"savings_plan", "{\"commit\": \"$2,000/h\", \"term\": \"3 years\", \"discount\": \"30 %\"}"},
      {"contract", "{\"term\": \"3 years\", \"period\": \"1 year\", \"minimum\": \"$5M\"}"}},
     {{"storage", "{\"size\": \"500 TB\", \"per_gpu_hour\": \"1 GB\", \"rate\": \"$0.023/GB/month\"}"},
      {"transfer", "{\"per_month\": \"90 TB\", \"rate\": \"$0.09/GB\"}"},
      {"support", "{\"share\": \"3 %\"}"},
      {0}}},
};

struct total {
    struct rr_sink sink; /* first */
    int64_t billed;
};
static enum rr_status add(struct rr_sink *sink, const struct rr_charge *c)
{
    ((struct total *)(void *)sink)->billed += c->billed.micro;
    return RR_OK;
}

struct world {
    struct rr_arena *arena;
    struct rr_json *json;
    struct rr_catalog catalog;
    struct rr_scenario s;
    struct rr_pool pool[POOLS];
    struct rr_node_shape shape;
    struct rr_commitment commitment[3], charge[4];
    struct rr_notes notes;
};

static enum rr_status plan_read(struct world *w, const struct entry *e, const struct rr_kind **kind, void **params)
{
    const struct rr_param_ctx ctx = {.json = w->json, .arena = w->arena, .base = "."};
    cJSON *object = NULL;
    *kind = rr_kind_find(rr_price_plans, e->type);
    *params = rr_alloc(w->arena, 1, (*kind)->params_size);
    enum rr_status st = rr_json_parse(w->json, e->type, e->params, false, &object);
    if (st == RR_OK) st = rr_params_read(&ctx, (*kind)->params, (*kind)->n_params, object, "", NULL, *params);
    cJSON_Delete(object);
    return st;
}

static enum rr_status entries_read(struct world *w, const struct entry *e, size_t most, struct rr_commitment *into, size_t *n)
{
    for (; *n < most && e[*n].type; (*n)++) {
        into[*n].name = into[*n].pointer = e[*n].type;
        RR_TRY(plan_read(w, &e[*n], &into[*n].plan, &into[*n].params));
    }
    return RR_OK;
}

static enum rr_status world_make(struct world *w, const struct set *set)
{
    w->shape.gpus = 8;
    w->s = (struct rr_scenario){.currency = "USD",
                                .horizon_us = HORIZON,
                                .has_horizon = true,
                                .pool = w->pool,
                                .n_pools = POOLS,
                                .commitment = w->commitment,
                                .charge = w->charge,
                                .clock = {true, INT64_C(1767225600) * RR_S}};
    for (size_t p = 0; p < POOLS; p++) {
        w->pool[p] = (struct rr_pool){
            .name = p ? "b" : "a", .pointer = "", .region = "", .instance_id = p ? "aws/b" : "aws/a", .shape = &w->shape, .n_shapes = 1};
        RR_TRY(plan_read(w, &set->pool[p], &w->pool[p].plan, &w->pool[p].plan_params));
    }
    RR_TRY(entries_read(w, set->commitment, 3, w->commitment, &w->s.n_commitments));
    RR_TRY(entries_read(w, set->charge, 4, w->charge, &w->s.n_charges));
    return rr_price_resolve(&w->s, &w->catalog, w->arena, &w->notes);
}

struct leases {
    struct rr_lease *lease;
    size_t pool_lease[POOLS + 1];
    int32_t gpus[NODES];
};

static enum rr_status bill(struct world *w, const struct leases *l, int64_t *sum)
{
    struct rr_arena *scratch = rr_arena_create();
    struct total t = {{add, NULL}, 0};
    struct rr_billing b = {
        .scenario = &w->s, .horizon_us = HORIZON, .lease = l->lease, .pool_lease = l->pool_lease, .node_gpus = l->gpus, .arena = scratch};
    b.call = (struct rr_call[]){{0}};
    const enum rr_status st = rr_bill(&b, &t.sink);
    *sum = t.billed;
    rr_arena_free(scratch);
    return st;
}

/* Starts over the three years in order, three hours long in the mean. */
static void leases_make(struct leases *l, size_t n)
{
    struct rr_rng r;
    rr_rng_init(&r, 1, 0, RR_RNG_TEST, 0);
    l->lease = rr_xrealloc(NULL, n, sizeof *l->lease);
    for (size_t p = 0; p < POOLS; p++) {
        const size_t first = n * p / POOLS, end = n * (p + 1) / POOLS;
        l->pool_lease[p] = first;
        for (size_t i = first; i < end; i++) {
            const int64_t start = (int64_t)((double)(i - first) / (double)(end - first) * (double)(HORIZON - RR_D));
            const int64_t stop = start + (int64_t)(3.0 * (double)RR_H * rr_rng_exponential(&r));
            l->lease[i] = (struct rr_lease){.start_us = start,
                                            .ready_us = start,
                                            .end_us = stop,
                                            .used_milli_us = stop - start,
                                            .node = (uint32_t)(i % NODES),
                                            .pool = (uint16_t)p};
        }
    }
    l->pool_lease[POOLS] = n;
    for (size_t i = 0; i < NODES; i++) l->gpus[i] = 8;
}

static double bare_best(const struct leases *l, int64_t *sum)
{
    double best = 1e9;
    for (int k = 0; k < TIMES; k++) {
        const double from = bare_now();
        int64_t seconds = 0;
        for (size_t i = 0; i < l->pool_lease[POOLS]; i++) seconds += (l->lease[i].end_us - l->lease[i].start_us + RR_S - 1) / RR_S;
        const double took = bare_now() - from;
        if (took < best) best = took;
        *sum = seconds * 15289;
    }
    return best;
}

static enum rr_status run_set(const struct set *set, const struct leases *l, double yardstick)
{
    struct world w = {.arena = rr_arena_create(), .json = rr_json_create()};
    w.notes.arena = w.arena;
    double best = 1e9;
    int64_t sum = 0;
    enum rr_status st = world_make(&w, set);
    for (int k = 0; k < TIMES && st == RR_OK; k++) {
        const double from = bare_now();
        st = bill(&w, l, &sum);
        const double took = bare_now() - from;
        if (took < best) best = took;
    }
    if (st != RR_OK)
        fprintf(stderr, "bench_bill: %s\n", rr_reason());
    else
        printf("%-16s %9.1f %9.1f %9.2f %14.0f\n", set->name, best * 1e3, best * 1e9 / (double)l->pool_lease[POOLS], best / yardstick,
               (double)sum / 1e6);
    rr_notes_done(&w.notes);
    rr_json_free(w.json);
    rr_arena_free(w.arena);
    return st;
}

int main(int argc, char **argv)
{
    const long n = argc > 1 ? strtol(argv[1], NULL, 10) : 1000000;
    struct leases l = {0};
    int worst = 0;
    int64_t sum = 0;
    if (n < 1) return 2;
    leases_make(&l, (size_t)n);
    const double yardstick = bare_best(&l, &sum);
    printf("%ld leases, bare loop %.1f ms\n%-16s %9s %9s %9s %14s\n", n, yardstick * 1e3, "", "ms", "ns/lease", "x bare", "billed, USD");
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) worst = rr_status_worse(worst, (int)run_set(&sets[i], &l, yardstick));
    free(l.lease);
    return sum > 0 ? worst : 70;
}
