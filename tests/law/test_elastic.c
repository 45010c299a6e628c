/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/law/test_elastic.c - what must hold of elastic pools in any world: every job that can run runs, nodes stay between min and max, a boot
 * takes its time, a node is held no longer than it is of use, and the same world gives the same bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "data/base/rng.h"
#include "sim/engine/engine.h"
#include <stdlib.h>
#include <string.h>

#define JOBS  150
#define POOLS 3

struct elastic {
    struct rr_trace trace;
    struct rr_scenario scenario;
    struct rr_pool pool[POOLS];
    struct rr_node_shape shape[POOLS];
    int64_t submit[JOBS], run[JOBS], estimate[JOBS];
    int32_t milli[JOBS], cpus[JOBS];
};

static int draw(struct rr_rng *g, int n) { return (int)rr_rng_below(g, (uint64_t)n); }

static void random_pool(struct elastic *w, int i, struct rr_rng *g)
{
    static const int64_t boots[] = {0, 7 * RR_S, RR_MIN, 5 * RR_MIN}, timeouts[] = {0, RR_S, 30 * RR_S, 10 * RR_MIN, RR_NEVER};
    w->shape[i] = (struct rr_node_shape){.gpus = 1 + draw(g, 8), .cpus_milli = draw(g, 2) ? 16000 : 0, .gpu = "", .name = ""};
    const int64_t min = draw(g, 3), max = draw(g, 4) ? min + draw(g, 6) : INT64_MAX;
    w->pool[i] = (struct rr_pool){.name = "p",
                                  .pointer = "/pools/p",
                                  .shape = &w->shape[i],
                                  .n_shapes = 1,
                                  .nodes_min = min,
                                  .nodes_max = max,
                                  .gpu = "",
                                  .boot_us = boots[draw(g, 4)],
                                  .idle_timeout_us = timeouts[draw(g, 5)]};
}

static void random_elastic(struct elastic *w, int seed)
{
    struct rr_rng g;
    rr_rng_init(&g, 31, 0, RR_RNG_TEST, (uint64_t)seed);
    memset(w, 0, sizeof *w);
    const size_t n = 10 + (size_t)draw(&g, JOBS - 10);
    const int pools = 1 + draw(&g, POOLS), gap = 1 + draw(&g, 100);
    const bool shares = draw(&g, 2), cpus = draw(&g, 2);
    for (int i = 0; i < pools; i++) random_pool(w, i, &g);
    int64_t at = 0;
    for (size_t i = 0; i < n; i++) {
        at += draw(&g, gap);
        w->submit[i] = at * RR_S;
        w->run[i] = draw(&g, 600) * RR_S;
        w->estimate[i] = draw(&g, 3) ? w->run[i] + draw(&g, 300) * RR_S : draw(&g, 300) * RR_S;
        w->milli[i] = shares && draw(&g, 2) ? 100 * (1 + draw(&g, 9)) : 1000 * draw(&g, draw(&g, 3) ? 9 : 33);
        w->cpus[i] = cpus ? 1000 * draw(&g, 10) : 0;
    }
    w->trace = (struct rr_trace){
        .n = n, .submit_us = w->submit, .run_us = w->run, .estimate_us = w->estimate, .gpus_milli = w->milli, .cpus_milli = w->cpus};
    w->scenario = (struct rr_scenario){.pool = w->pool,
                                       .n_pools = (size_t)pools,
                                       .scheduler = {.policy = rr_kind_find(rr_policies, draw(&g, 2) ? "fifo" : "easy_backfill"),
                                                     .placement = rr_kind_find(rr_placements, draw(&g, 2) ? "pack" : "spread"),
                                                     .order = draw(&g, 3) == 0,
                                                     .blocking = draw(&g, 2)}};
}

static void jobs_run(const struct elastic *w, const struct rr_replay *r, int seed)
{
    for (size_t i = 0; i < w->trace.n; i++) {
        const struct rr_outcome *o = &r->outcome[i];
        if (o->state != RR_JOB_FINISHED && o->state != RR_JOB_REJECTED)
            fail_msg("seed %d: job %zu of %d milli is %s", seed, i, (int)w->milli[i], rr_job_state_text((enum rr_job_state)o->state));
        if (o->state == RR_JOB_FINISHED) assert_int_equal(o->end_us - o->start_us, w->run[i]);
    }
}

// Jobs that overlap [from, to] on the pool, or wait at that time.
static bool of_use(const struct elastic *w, const struct rr_replay *r, int64_t from, int64_t to)
{
    for (size_t i = 0; i < w->trace.n; i++)
        if (r->outcome[i].state == RR_JOB_FINISHED && w->submit[i] <= to && r->outcome[i].end_us >= from) return true;
    return false;
}

static void leases_hold(const struct elastic *w, const struct rr_replay *r, size_t p, int seed)
{
    const struct rr_pool *pool = &w->pool[p];
    int64_t whole = 0;
    for (size_t i = r->pool_lease[p]; i < r->pool_lease[p + 1]; i++) {
        const struct rr_lease *l = &r->lease[i];
        int64_t held = 0;
        for (size_t k = r->pool_lease[p]; k < r->pool_lease[p + 1]; k++) {
            const struct rr_lease *o = &r->lease[k];
            held += o->start_us <= l->start_us && (o->end_us > l->start_us || k == i);
            if (k != i && o->node == l->node && o->start_us < l->end_us && l->start_us < o->end_us)
                fail_msg("seed %d: node %u is held twice at once", seed, l->node);
        }
        if (held > pool->nodes_max) fail_msg("seed %d: %lld nodes held, max %lld", seed, (long long)held, (long long)pool->nodes_max);
        whole += l->start_us == 0 && l->ready_us == 0 && l->end_us == r->end_us;
        const bool first = l->start_us == 0 && l->ready_us == 0; // held from the beginning: no boot
        if (!first && l->end_us < r->end_us && l->ready_us != l->start_us + pool->boot_us)
            fail_msg("seed %d: a boot of %lld us", seed, (long long)(l->ready_us - l->start_us));
        if (l->end_us < r->end_us && pool->idle_timeout_us == RR_NEVER) fail_msg("seed %d: a node is released that never should", seed);
        if (l->end_us < r->end_us && !of_use(w, r, l->end_us - pool->idle_timeout_us, l->end_us))
            fail_msg("seed %d: node %u is released at %lld us, long after it was of use", seed, l->node, (long long)l->end_us);
    }
    if (whole < pool->nodes_min)
        fail_msg("seed %d: %lld nodes held throughout, min %lld", seed, (long long)whole, (long long)pool->nodes_min);
}

static void laws(const struct rr_world *w, const struct rr_replay *r, int seed)
{
    if (rr_replay_check_jobs(w, r, NULL) != RR_OK || rr_replay_check_time(w, r, NULL) != RR_OK) fail_msg("seed %d: %s", seed, rr_reason());
}

static void any_world(void **state)
{
    (void)state;
    struct elastic *w = malloc(sizeof *w);
    assert_non_null(w);
    size_t leases = 0;
    for (int seed = 0; seed < 1500; seed++) {
        random_elastic(w, seed);
        struct rr_world world = {.scenario = &w->scenario, .trace = &w->trace, .horizon_us = RR_NEVER, .timeline_bins = 50};
        struct rr_replay r, again;
        if (rr_engine_run(&world, &r) != RR_OK || rr_engine_run(&world, &again) != RR_OK) fail_msg("seed %d: %s", seed, rr_reason());
        laws(&world, &r, seed);
        jobs_run(w, &r, seed);
        for (size_t p = 0; p < w->scenario.n_pools; p++) leases_hold(w, &r, p, seed);
        assert_int_equal(r.n_leases, again.n_leases);
        for (size_t i = 0; i < r.n_leases; i++)
            assert_true(r.lease[i].start_us == again.lease[i].start_us && r.lease[i].end_us == again.lease[i].end_us &&
                        r.lease[i].node == again.lease[i].node && r.lease[i].used_milli_us == again.lease[i].used_milli_us);
        leases += r.n_leases;
        rr_replay_done(&r);
        rr_replay_done(&again);
        world.horizon_us = w->submit[w->trace.n / 2] + RR_S; // cut off in the midst of it
        if (rr_engine_run(&world, &r) != RR_OK) fail_msg("seed %d: %s", seed, rr_reason());
        laws(&world, &r, seed);
        rr_replay_done(&r);
    }
    print_message("%zu leases\n", leases);
    free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(any_world)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
