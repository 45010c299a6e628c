/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_mig.c - GPUs cut into slices: who may use them, and what they are in GPUs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "sim/engine/engine.h"
#include <string.h>

#define JOBS 8
static int64_t submit_us[JOBS], run_us[JOBS];
static int32_t milli[JOBS];
static uint64_t types[JOBS];
static const char *const type_name[] = {"1g.10gb", "a100-80gb-sxm"};
static struct rr_trace trace;
static struct rr_pool pools[2];
static struct rr_scenario sc;
static const struct rr_node_shape two = {.gpus = 2, .gpu = "a100-80gb-sxm", .name = ""};

enum { ANY = 0, SLICE = 1, WHOLE = 2 };
static void jobs(size_t n, const int32_t *gpus, const uint64_t *type, const int64_t *run_s)
{
    trace = (struct rr_trace){.n = n,
                              .submit_us = submit_us,
                              .run_us = run_us,
                              .gpus_milli = milli,
                              .gpu_types = types,
                              .gpu_type_name = type_name,
                              .n_gpu_types = 2};
    for (size_t i = 0; i < n; i++) {
        milli[i] = gpus[i];
        types[i] = type[i];
        run_us[i] = run_s[i] * RR_S;
    }
}

static void pool(size_t i, int64_t slices, int64_t min, int64_t max)
{
    pools[i] = (struct rr_pool){.name = "p",
                                .pointer = "/pools/p",
                                .shape = &two,
                                .n_shapes = 1,
                                .nodes_min = min,
                                .nodes_max = max,
                                .gpu = "a100-80gb-sxm",
                                .slices = slices,
                                .slice = slices ? "1g.10gb" : NULL,
                                .idle_timeout_us = RR_MIN};
    sc = (struct rr_scenario){.pool = pools,
                              .n_pools = i + 1,
                              .scheduler = {.policy = rr_kind_find(rr_policies, "fifo"), .placement = rr_kind_find(rr_placements, "pack")}};
}

static struct rr_replay run(int64_t horizon_s)
{
    struct rr_replay r;
    const struct rr_world w = {.scenario = &sc, .trace = &trace, .horizon_us = horizon_s * RR_S, .timeline_bins = 4};
    if (rr_engine_run(&w, &r) != RR_OK || rr_replay_check_jobs(&w, &r, NULL) != RR_OK || rr_replay_check_time(&w, &r, NULL) != RR_OK)
        fail_msg("%s", rr_reason());
    return r;
}

static void seven_slices_make_a_gpu(void **state)
{
    (void)state;
    pool(0, 7, 1, 1); // 14 slices
    jobs(5, (int32_t[]){1000, 3000, 11000, 500, 0}, (uint64_t[]){SLICE, SLICE, SLICE, SLICE, ANY}, (int64_t[]){100, 200, 300, 40, 10});
    struct rr_replay r = run(600);
    assert_int_equal(r.node_gpus[0], 2);
    assert_int_equal(r.outcome[0].start_us, 0);
    assert_int_equal(r.outcome[1].start_us, 0);
    assert_int_equal(r.outcome[3].start_us, 0);
    assert_int_equal(r.outcome[4].start_us, 0);
    assert_int_equal(r.outcome[2].start_us, 100 * RR_S); // 14 - 3 free then
    assert_int_equal((int64_t)(r.pool[0].held / RR_S), 14 * 600 * 1000);
    assert_int_equal((int64_t)(r.pool[0].used / RR_S), (1 * 100 + 3 * 200 + 11 * 300 + 20) * 1000); // in slices
    assert_int_equal(r.lease[0].used_milli_us, INT64_C(4020) * 1000 * RR_S / 7);                    // in GPUs
    assert_true(r.timeline.held_max[0] == 2 && r.timeline.used_max[0] == 2);                        // all 14 slices from 100 s on
    rr_replay_done(&r);
}

static void a_slice_is_no_gpu(void **state)
{
    (void)state;
    pool(0, 7, 2, 2);
    jobs(4, (int32_t[]){1000, 1000, 15000, 29000}, (uint64_t[]){ANY, WHOLE, SLICE, SLICE}, (int64_t[]){10, 10, 10, 10});
    struct rr_replay r = run(100);
    assert_int_equal(r.outcome[0].reason, RR_WHY_NO_GPU_TYPE);
    assert_int_equal(r.outcome[1].reason, RR_WHY_NO_GPU_TYPE);
    assert_int_equal(r.outcome[2].state, RR_JOB_FINISHED); // two whole nodes
    assert_int_equal(r.outcome[3].reason, RR_WHY_TOO_LARGE);
    rr_replay_done(&r);
}

static void beside_a_pool_of_whole_gpus(void **state)
{
    (void)state;
    pool(0, 7, 0, 2); // elastic
    pool(1, 0, 1, 1);
    jobs(4, (int32_t[]){2000, 1000, 2000, 1000}, (uint64_t[]){ANY, SLICE, SLICE | WHOLE, WHOLE}, (int64_t[]){50, 50, 50, 50});
    struct rr_replay r = run(200);
    assert_int_equal(r.outcome[0].pool, 1);
    assert_int_equal(r.outcome[1].pool, 0);
    assert_int_equal(r.outcome[2].pool, 0); // takes either; slices come first here
    assert_int_equal(r.outcome[3].pool, 1);
    assert_int_equal(r.outcome[3].start_us, 50 * RR_S);
    assert_int_equal(r.pool[0].nodes_peak, 1);
    assert_int_equal((int64_t)(r.pool[0].used / RR_S), 3 * 50 * 1000);
    rr_replay_done(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(seven_slices_make_a_gpu), cmocka_unit_test(a_slice_is_no_gpu),
                                       cmocka_unit_test(beside_a_pool_of_whole_gpus)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
