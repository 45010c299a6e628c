/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/failure_case.h - a small world whose nodes fail: one pool of 8-GPU nodes, jobs by hand, the laws checked after each run. */
#ifndef RR_TESTS_FAILURE_CASE_H
#define RR_TESTS_FAILURE_CASE_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "sim/engine/engine.h"
#include <string.h>

#define FAIL_JOBS 16
static struct fail_case {
    struct rr_world world;
    struct rr_scenario scenario;
    struct rr_pool pool;
    struct rr_node_shape shape;
    struct rr_failures failures;
    struct rr_trace trace;
    int64_t submit[FAIL_JOBS], run[FAIL_JOBS];
    int32_t milli[FAIL_JOBS];
} fail_case;

static inline struct rr_dist fail_fixed(int64_t us) { return (struct rr_dist){.kind = RR_DIST_CONSTANT, .a = (double)us}; }

/* `nodes` static nodes, nothing fails yet; repair and detection take no time. */
static inline void fail_world(int64_t nodes)
{
    struct fail_case *c = &fail_case;
    memset(c, 0, sizeof *c);
    c->shape = (struct rr_node_shape){.gpus = 8, .gpu = "", .name = ""};
    c->pool = (struct rr_pool){
        .name = "p", .pointer = "/pools/p", .shape = &c->shape, .n_shapes = 1, .nodes_min = nodes, .nodes_max = nodes, .gpu = ""};
    c->failures.detect_us = c->failures.repair.minutes_us = fail_fixed(0);
    c->scenario = (struct rr_scenario){.pool = &c->pool,
                                       .n_pools = 1,
                                       .seed = 11,
                                       .failures = &c->failures,
                                       .scheduler = {.policy = rr_kind_find(rr_policies, "fifo"), .blocking = true}};
    c->trace = (struct rr_trace){.submit_us = c->submit, .run_us = c->run, .gpus_milli = c->milli};
    c->world = (struct rr_world){.scenario = &c->scenario, .trace = &c->trace, .horizon_us = RR_NEVER};
}

static inline void fail_job(int64_t submit_us, int64_t run_us, int gpus)
{
    struct fail_case *c = &fail_case;
    const size_t i = c->trace.n++;
    assert_true(i < FAIL_JOBS);
    c->submit[i] = submit_us;
    c->run[i] = run_us;
    c->milli[i] = 1000 * gpus;
}

static inline struct rr_replay fail_run(void)
{
    struct rr_replay r;
    const struct rr_world *w = &fail_case.world;
    if (rr_engine_run(w, &r) != RR_OK) fail_msg("%s", rr_reason());
    if (rr_replay_check_jobs(w, &r, NULL) != RR_OK || rr_replay_check_time(w, &r, NULL) != RR_OK) fail_msg("%s", rr_reason());
    return r;
}
#endif
