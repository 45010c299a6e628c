/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/bench/bench_commit.c - what to commit to, for a year of 20 machine types by the hour: the goal is 5 s on one core.
 *
 *     bench_commit [TYPES]
 *
 * Days and weeks with noise; each type with offers for the whole year and for its first half, with and without a savings plan over all. */
#include "data/base/rng.h"
#include "models/commit/commit.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { HOURS = 8760, MOST = 100 };

static double demand[HOURS * MOST], on_demand[MOST], savings[MOST];
static struct rr_commit_offer offer[2 * MOST];

static void make(size_t types)
{
    const double day = 2 * acos(-1) / 24;
    struct rr_rng r;
    rr_rng_init(&r, 3, 1, RR_RNG_TEST, 0);
    for (size_t i = 0; i < types; i++) {
        const double mean = 2 + 30 * rr_rng_uniform(&r);
        on_demand[i] = 5 + 90 * rr_rng_uniform(&r);
        savings[i] = on_demand[i] * (0.5 + 0.3 * rr_rng_uniform(&r));
        for (size_t k = 0; k < 2; k++)
            offer[2 * i + k] = (struct rr_commit_offer){i, 0, k ? HOURS / 2 : HOURS, on_demand[i] * (0.45 + 0.3 * rr_rng_uniform(&r))};
        for (size_t t = 0; t < HOURS; t++) {
            const double x = mean * (1 + 0.5 * sin(day * (double)t) + 0.3 * sin(day / 7 * (double)t) + 0.3 * rr_rng_normal(&r));
            demand[t * types + i] = x > 0 ? x : 0;
        }
    }
}

int main(int argc, char **argv)
{
    size_t types = argc > 1 ? strtoul(argv[1], NULL, 10) : 20;
    if (types < 1 || types > MOST) types = 20;
    make(types);
    for (int plan = 0; plan < 2; plan++) {
        const struct rr_commit_problem p = {HOURS, types, 2 * types, demand, on_demand, offer, plan ? savings : NULL};
        struct rr_arena *a = rr_arena_create();
        struct rr_commit_answer best;
        const clock_t start = clock();
        if (rr_commit_best(&p, a, &best) != RR_OK) {
            fprintf(stderr, "%s\n", rr_reason());
            return 1;
        }
        printf("commitments, %d hours x %zu types, %s a savings plan: %.2f s CPU, %d rounds, %.1e of the cost from the bound\n", HOURS,
               types, plan ? "with" : "without", (double)(clock() - start) / CLOCKS_PER_SEC, best.rounds,
               (best.cost.total - best.bound) / best.cost.total);
        rr_arena_free(a);
    }
    return 0;
}
