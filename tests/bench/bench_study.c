/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/bench/bench_study.c - what a sampled world costs, and how replications scale over two threads.
 *
 * 1,000 replications (REPS=n for another number) of 10,000 jobs on 60 nodes with a sampled price and demand; wall clock, so run it on a quiet
 * machine. Wanted: a sample in under 0.5 ms, two threads at least 1.8 times as fast as one. */
#include "data/uncertain.h"
#include "models/price/price.h"
#include "sim/engine/engine.h"
#include "sim/study/study.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static struct rr_registry registry;

static double cpu_s(void) // of all threads
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static const char scenario[] =
    "{\"rackrate\": 1, \"start\": \"2026-01-05\", \"horizon\": \"4 weeks\", \"seed\": 3,"
    "\"workload\": {\"w\": {\"generate\": {\"count\": 10000, \"arrival\": {\"poisson\": {\"rate\": \"15/h\"}},"
    "\"duration\": {\"lognormal\": {\"median\": \"1 h\", \"sigma\": 1.3}}, \"gpus\": {\"choice\": {\"1\": 0.6, \"8\": 0.3, \"16\": "
    "0.1}}}}},"
    "\"pools\": {\"p\": {\"gpus_per_node\": 8, \"nodes\": 60, \"plan\": {\"type\": \"on_demand\", \"rate\": \"$20/h\"}}},"
    "\"uncertainty\": {\"price\": {\"path\": \"/pools/p/plan/rate\", \"lognormal\": {\"median\": \"$20/h\", \"sigma\": 0.2}},"
    "\"demand\": {\"path\": \"/workload/w/load_scale\", \"triangular\": [0.8, 1, 1.2]}}}";

static struct rr_scenario_set *load(int reps)
{
    char path[] = "/tmp/bench-study-XXXXXX";
    const int fd = mkstemp(path);
    struct rr_scenario_set *set = NULL;
    static const struct rr_catalog none = {0};
    const struct rr_scenario_options opt = {.seed = -1, .reps = reps};
    if (fd < 0 || write(fd, scenario, sizeof scenario - 1) != (ssize_t)sizeof scenario - 1 || close(fd) != 0) return NULL;
    if (rr_scenario_load(path, &opt, &registry, &none, &set) != RR_OK ||
        rr_price_resolve(set->variant[0], &none, set->arena, &set->variant[0]->notes) != RR_OK)
        fprintf(stderr, "%s\n", rr_reason());
    unlink(path);
    return set;
}

static int time_samples(const struct rr_scenario_set *set)
{
    enum { N = 1000 };
    struct rr_arena *a = rr_arena_create();
    const double t = now_s();
    for (uint32_t r = 0; r < N; r++) {
        struct rr_sample s = {0};
        if (rr_sample_make(set, set->variant[0], r, a, &s) != RR_OK ||
            rr_price_resolve(s.scenario, set->catalog, a, &s.scenario->notes) != RR_OK)
            return fprintf(stderr, "%s\n", rr_reason()), 1;
        rr_sample_done(&s);
        rr_arena_reset(a);
    }
    printf("a sampled world: %.3f ms\n", (now_s() - t) * 1e3 / N);
    rr_arena_free(a);
    return 0;
}

static int time_threads(const struct rr_scenario_set *set, int threads, double *ret_s)
{
    struct rr_study *study = NULL;
    const double t = now_s(), cpu = cpu_s();
    if (rr_study_run(set, &(struct rr_study_options){.threads = threads}, &study) != RR_OK) return fprintf(stderr, "%s\n", rr_reason()), 1;
    *ret_s = now_s() - t;
    printf("%d replications of 10,000 jobs on %d thread%s: %.2f s, %.2f s of CPU time\n", (int)set->variant[0]->replications, threads,
           threads > 1 ? "s" : "", *ret_s, cpu_s() - cpu);
    rr_study_free(study);
    return 0;
}

int main(void)
{
    double one = 0, two = 0;
    registry =
        (struct rr_registry){.plans = rr_price_plans, .policies = rr_policies, .placements = rr_placements, .importers = rr_importers};
    struct rr_scenario_set *set = load(getenv("REPS") ? atoi(getenv("REPS")) : 1000);
    if (!set || time_samples(set) || time_threads(set, 1, &one) || time_threads(set, 2, &two)) return 1;
    printf("two threads: %.2f times as fast\n", one / two);
    rr_scenario_set_free(set);
    return 0;
}
