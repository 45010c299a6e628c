/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/elastic_case.h - small worlds with elastic pools, put together by hand. */
#ifndef RR_TESTS_ELASTIC_CASE_H
#define RR_TESTS_ELASTIC_CASE_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "data/base/json.h"
#include "sim/autoscale/autoscale.h"
#include <string.h>

#define MOST 4096
struct job {
    int64_t submit_s, run_s;
    int32_t gpus;
};
static struct rr_trace trace;
static int64_t submit_us[MOST], run_us[MOST];
static int32_t gpus_milli[MOST];
static struct rr_scenario scenario;
static struct rr_pool pools[3];
static struct rr_node_shape eight = {.gpus = 8, .gpu = "", .name = ""};
static struct rr_world world;
static struct rr_arena *arena;

static inline int setup(void **state)
{
    (void)state;
    arena = rr_arena_create();
    return 0;
}

static inline int teardown(void **state)
{
    (void)state;
    rr_arena_free(arena);
    return 0;
}

static inline void jobs(const struct job *j, size_t n)
{
    assert_true(n <= MOST);
    trace = (struct rr_trace){.n = n, .submit_us = submit_us, .run_us = run_us, .gpus_milli = gpus_milli};
    for (size_t i = 0; i < n; i++) {
        submit_us[i] = j[i].submit_s * RR_S;
        run_us[i] = j[i].run_s * RR_S;
        gpus_milli[i] = 1000 * j[i].gpus;
    }
    world = (struct rr_world){.scenario = &scenario, .trace = &trace, .horizon_us = RR_NEVER};
}

static inline struct rr_pool *pool(size_t i, const struct rr_node_shape *shape, int64_t min, int64_t max)
{
    if (i == 0)
        scenario = (struct rr_scenario){
            .pool = pools, .scheduler = {.policy = rr_kind_find(rr_policies, "fifo"), .placement = rr_kind_find(rr_placements, "pack")}};
    pools[i] =
        (struct rr_pool){.name = "p", .pointer = "/pools/p", .shape = shape, .n_shapes = 1, .nodes_min = min, .nodes_max = max, .gpu = ""};
    scenario.n_pools = i + 1;
    return &pools[i];
}

// {"low": 0.3, ...}: the rows of the autoscaler as a scenario would give them.
static inline void scaled(struct rr_pool *p, const char *policy, const char *rows)
{
    struct rr_json *json = rr_json_create();
    cJSON *object = NULL;
    const struct rr_kind *k = rr_kind_find(rr_autoscalers, policy);
    assert_non_null(k);
    if (rr_json_parse(json, "test", rows, false, &object) != RR_OK) fail_msg("%s", rr_reason());
    p->autoscale = (struct rr_autoscale){.policy = k, .pointer = "/autoscale", .params = rr_alloc(arena, 1, k->params_size + 8)};
    const struct rr_param_ctx ctx = {.json = json, .arena = arena, .base = "."};
    if (rr_params_read(&ctx, k->params, k->n_params, object, "/autoscale", NULL, p->autoscale.params) != RR_OK) fail_msg("%s", rr_reason());
    cJSON_Delete(object);
    rr_json_free(json);
}

static inline struct rr_replay run(void)
{
    struct rr_replay r;
    if (rr_engine_run(&world, &r) != RR_OK) fail_msg("%s", rr_reason());
    if (rr_replay_check_jobs(&world, &r, NULL) != RR_OK || rr_replay_check_time(&world, &r, NULL) != RR_OK) fail_msg("%s", rr_reason());
    return r;
}

#define starts(r, i, s) assert_int_equal((r).outcome[i].start_us, (s)*RR_S)

// Lease i of the pool, in order of its request: seconds.
static inline void lease(const struct rr_replay *r, size_t i, int64_t start_s, int64_t ready_s, int64_t end_s)
{
    assert_true(i < r->n_leases);
    if (r->lease[i].start_us != start_s * RR_S || r->lease[i].ready_us != ready_s * RR_S || r->lease[i].end_us != end_s * RR_S)
        fail_msg("lease %zu: %g, %g, %g s", i, (double)r->lease[i].start_us / 1e6, (double)r->lease[i].ready_us / 1e6,
                 (double)r->lease[i].end_us / 1e6);
}

#endif
