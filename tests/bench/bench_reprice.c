/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/bench/bench_reprice.c - 1,000,000 stored leases billed again under one book, on one core, loading apart.
 *
 *     bench_reprice [LEASES]
 *
 * Three years of machines that come and go, on demand, with reserved nodes over them. The best of five counts; the goal is 1 s. */
#include "models/price/price.h"
#include "sim/engine/engine.h"
#include "sim/study/reprice.h"
#include "data/base/rng.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { TIMES = 5, NODES = 4000 };

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static const char document[] =
    "{\"rackrate\": 1, \"name\": \"bench\", \"start\": \"2026-01-01\", \"horizon\": \"3 years\","
    "\"workload\": {\"w\": {\"generate\": {\"count\": 1, \"arrival\": {\"poisson\": {\"rate\": \"1/h\"}}, \"duration\": \"1 h\", \"gpus\": "
    "1}}},"
    "\"pools\": {\"cloud\": {\"instance\": \"own/box\", \"gpus_per_node\": 8, \"nodes\": {\"min\": 0, \"max\": 4000},"
    "\"plan\": {\"type\": \"on_demand\", \"rate\": \"$98.32/h\", \"discount\": 0.12}}},"
    "\"commitments\": {\"ri\": {\"type\": \"reserved\", \"instance\": \"own/box\", \"count\": 100, \"term\": \"1 year\", \"rate\": "
    "\"$41.235/h\"}}}";

static int compare(const void *x, const void *y)
{
    const struct rr_lease *a = x, *b = y;
    if (a->start_us != b->start_us) return a->start_us < b->start_us ? -1 : 1;
    return a->node < b->node ? -1 : a->node > b->node;
}

static struct rr_lease *leases(size_t n, int64_t end_us)
{
    struct rr_rng r;
    struct rr_lease *l = calloc(n, sizeof *l);
    rr_rng_init(&r, 1, 0, RR_RNG_TEST, 0);
    for (size_t i = 0; l && i < n; i++) {
        l[i].start_us = (int64_t)(rr_rng_uniform(&r) * (double)(end_us - RR_H));
        l[i].ready_us = l[i].start_us;
        const int64_t stop = l[i].start_us + (int64_t)(4.0 * (double)RR_H * rr_rng_exponential(&r)) + 1;
        l[i].end_us = stop < end_us ? stop : end_us;
        l[i].node = (uint32_t)(i % NODES);
    }
    if (l) qsort(l, n, sizeof *l, compare);
    return l;
}

int main(int argc, char **argv)
{
    const size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000000;
    static const struct rr_registry registry = {.plans = {0}};
    struct rr_registry reg = registry;
    static const struct rr_catalog none = {0};
    static int32_t gpus[NODES];
    const int64_t end_us = 1096 * RR_D; // 2026 to 2028, a leap year
    struct rr_lease *l = leases(n, end_us);
    if (!l) return 1;
    for (int i = 0; i < NODES; i++) gpus[i] = 8;
    reg.plans = rr_price_plans;
    reg.policies = rr_policies;
    reg.placements = rr_placements;
    reg.autoscalers = rr_autoscalers;
    const struct rr_pool_row pool = {.name = "cloud", .what = "own/box", .plan = "on_demand"};
    const struct rr_alternative a = {.name = "base",
                                     .alternative = "base",
                                     .pool = &pool,
                                     .n_pools = 1,
                                     .end_us = end_us,
                                     .lease = l,
                                     .n_leases = n,
                                     .node_gpus = gpus,
                                     .document = document};
    const struct rr_store s = {
        .name = "bench", .currency = "USD", .scenario_path = "bench.json", .seed = 1, .alternative = &a, .n_alternatives = 1};
    double best = 1e9;
    struct rr_repriced priced = {0};
    for (int i = 0; i < TIMES; i++) {
        struct rr_arena *arena = rr_arena_create();
        const double t = now_s();
        if (rr_reprice(&s, 0, &(struct rr_reprice_options){0}, &reg, &none, arena, &priced) != RR_OK)
            return fprintf(stderr, "%s\n", rr_reason()), 1;
        const double took = now_s() - t;
        best = took < best ? took : best;
        rr_arena_free(arena);
    }
    printf("%zu leases over three years priced again: %.3f s (goal: 1 s a million), total %.2f\n", n, best,
           rr_money_double(priced.effective));
    free(l);
    return 0;
}
