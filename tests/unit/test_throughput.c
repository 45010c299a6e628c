/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_throughput.c - the table of throughputs, and what it and distance do to run times. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "data/throughput.h"
#include "sim/engine/engine.h"
#include "sim/engine/speed.h"
#include "tests/unit/test_dir.h"

static struct rr_arena *arena;
static const struct rr_gpu gpus[] = {{.id = "v100-32gb-sxm", .aliases = "V100M32|v100-32"}};
static const struct rr_catalog catalog = {.gpu = gpus, .n_gpus = 1};

static enum rr_status read_text(const char *text, struct rr_throughput *ret)
{
    const char *path = in_dir("t.csv");
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    return rr_throughput_read(path, &catalog, arena, ret);
}

static void rows_and_the_star(void **state)
{
    (void)state;
    struct rr_throughput t;
    assert_int_equal(
        read_text("# steps a second\ngpu,class,throughput,note\nV100M32,bert,2.385,x\nk80, bert ,0.53,y\nk80,*,1.7,z\nv100-32,*,7,\n", &t),
        RR_OK);
    assert_int_equal(t.n, 4);
    assert_true(rr_throughput_of(&t, "bert", "v100-32gb-sxm") == 2.385);
    assert_true(rr_throughput_of(&t, "bert", "k80") == 0.53);
    assert_true(rr_throughput_of(&t, "other", "k80") == 1.7);
    assert_true(rr_throughput_of(&t, "", "V100M32") == 7);
    assert_true(rr_throughput_of(&t, "bert", "t4") == 0);
    assert_true(rr_throughput_has_gpu(&t, "v100-32") && !rr_throughput_has_gpu(&t, "t4"));
    assert_int_equal(read_text("class,gpu,throughput\nbert,k80,1\n*,t4,2\n", &t), RR_OK);
    assert_true(rr_throughput_of(&t, "bert", "t4") == 0); // a class with rows of its own does not use the star's
}

static void mistakes_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"", "the table of throughputs is empty"},
        {"class,gpu\na,b\n", "t.csv:1: no column \"throughput\""},
        {"class,gpu,throughput\n", "no row below the header"},
        {"class,gpu,throughput\na,b,0\n", "t.csv:2: throughput \"0\"; a number above 0"},
        {"class,gpu,throughput\na,b,fast\n", "t.csv:2: throughput \"fast\""},
        {"class,gpu,throughput\na,b\n", "t.csv:2: no throughput in this row"},
        {"class,gpu,throughput\n,b,1\n", "t.csv:2: the class is empty"},
        {"class,gpu,throughput\na,V100M32,1\na,v100-32,2\n", "t.csv:3: class a on v100-32gb-sxm stands already on line 2"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rr_throughput t;
        assert_int_equal(read_text(cases[i].text, &t), RR_EINPUT);
        if (!strstr(rr_reason(), cases[i].says)) fail_msg("%s: %s", cases[i].says, rr_reason());
    }
}

// --- run times ---

#define JOBS 5
static int64_t submit_us[JOBS], run_us[JOBS];
static int32_t milli[JOBS];
static uint16_t class_id[JOBS];
static const char *const class_name[] = {"", "bert"};
static struct rr_trace trace;
static struct rr_scenario sc;
static struct rr_pool pools[2];
static const struct rr_node_shape mixed[] = {{.gpus = 2, .gpu = "v100-32gb-sxm", .name = ""}, {.gpus = 2, .gpu = "k80", .name = ""}};
static const struct rr_node_shape one = {.gpus = 2, .gpu = "", .name = ""};

static void jobs(size_t n, const int32_t *m, const uint16_t *k)
{
    trace = (struct rr_trace){.n = n,
                              .submit_us = submit_us,
                              .run_us = run_us,
                              .gpus_milli = milli,
                              .class_id = class_id,
                              .class_name = class_name,
                              .n_classes = 2};
    for (size_t i = 0; i < n; i++) {
        run_us[i] = 100 * RR_S;
        milli[i] = m[i];
        class_id[i] = k[i];
    }
}

static void pool(const struct rr_node_shape *shape, size_t n_shapes, int64_t nodes)
{
    pools[0] = (struct rr_pool){
        .name = "p", .pointer = "/pools/p", .shape = shape, .n_shapes = n_shapes, .nodes_min = nodes, .nodes_max = nodes, .gpu = "k80"};
    sc = (struct rr_scenario){
        .pool = pools,
        .n_pools = 1,
        .scheduler = {.policy = rr_kind_find(rr_policies, "easy_backfill"), .placement = rr_kind_find(rr_placements, "first_fit")}};
}

static enum rr_status run(struct rr_replay *r)
{
    const struct rr_world w = {.scenario = &sc, .trace = &trace, .horizon_us = RR_NEVER};
    RR_TRY(rr_engine_run(&w, r));
    RR_TRY(rr_replay_check_jobs(&w, r, NULL));
    return rr_replay_check_time(&w, r, NULL);
}

static void a_job_takes_as_long_as_its_gpu_is_slow(void **state)
{
    (void)state;
    struct rr_throughput t;
    struct rr_replay r;
    assert_int_equal(read_text("class,gpu,throughput\nbert,v100-32,4\nbert,k80,1\n*,v100-32,10\n*,k80,2.385\n", &t), RR_OK);
    pool(mixed, 2, 2);
    sc.throughput = &t;
    sc.reference_gpu = "V100M32";
    jobs(5, (int32_t[]){2000, 1000, 500, 0, 500}, (uint16_t[]){1, 1, 0, 1, 0}); // node 0, then node 1; CPU-only anywhere
    assert_int_equal(run(&r), RR_OK);
    assert_int_equal(r.outcome[0].end_us, 100 * RR_S);
    assert_int_equal(r.outcome[1].end_us, 400 * RR_S);
    assert_int_equal(r.outcome[2].end_us, 419287212); // 100 s / 0.2385, rounded up
    assert_int_equal(r.outcome[3].end_us, 100 * RR_S);
    rr_replay_done(&r);
    jobs(1, (int32_t[]){4000}, (uint16_t[]){1}); // a gang is as slow as its slowest node
    assert_int_equal(run(&r), RR_OK);
    assert_int_equal(r.outcome[0].end_us, 400 * RR_S);
    rr_replay_done(&r);
}

static void a_missing_row_is_an_error(void **state)
{
    (void)state;
    struct rr_throughput t;
    struct rr_replay r;
    assert_int_equal(read_text("class,gpu,throughput\nbert,v100-32,4\n", &t), RR_OK);
    pool(mixed, 2, 2);
    sc.throughput = &t;
    sc.reference_gpu = "v100-32";
    jobs(1, (int32_t[]){1000}, (uint16_t[]){1});
    assert_int_equal(run(&r), RR_EINPUT);
    assert_non_null(strstr(rr_reason(), "no throughput of class \"bert\" on \"k80\" (/pools/p)"));
    jobs(1, (int32_t[]){1000}, (uint16_t[]){0});
    assert_int_equal(run(&r), RR_EINPUT);
    assert_non_null(strstr(rr_reason(), "(the reference)"));
    jobs(1, (int32_t[]){0}, (uint16_t[]){0}); // no GPU: nothing to know
    assert_int_equal(run(&r), RR_OK);
    rr_replay_done(&r);
}

static void distance_slows(void **state)
{
    (void)state;
    struct rr_replay r;
    pool(&one, 1, 12);
    pools[0].nodes_per_switch = 2;
    pools[0].nodes_per_rack = 4;
    sc.scheduler.placement = rr_kind_find(rr_placements, "locality");
    sc.scheduler.spread = (struct rr_spread){.given = true, .factor = {1, 1.06, 1.25, 1.6}};
    jobs(4, (int32_t[]){2000, 4000, 8000, 10000}, (uint16_t[]){0, 0, 0, 0}); // 1, 2, 4 and 5 nodes
    assert_int_equal(run(&r), RR_OK);
    assert_int_equal(r.outcome[0].end_us, 100 * RR_S);
    assert_in_range(r.outcome[1].end_us, 106 * RR_S - 100, 106 * RR_S + 100); // speeds are in millionths
    assert_int_equal(r.outcome[2].end_us, 125 * RR_S);
    assert_int_equal(r.outcome[3].end_us, 160 * RR_S);
    rr_replay_done(&r);
}

// A backfilled job is judged by how long it takes on the slow pool, not by its run time in the trace.
static void a_reservation_knows_the_speed(void **state)
{
    (void)state;
    struct rr_throughput t;
    struct rr_replay r;
    assert_int_equal(read_text("class,gpu,throughput\n*,v100-32,4\n*,k80,1\n", &t), RR_OK);
    static const struct rr_node_shape slow = {.gpus = 2, .gpu = "k80", .name = ""};
    pool(&slow, 1, 1);
    sc.throughput = &t;
    sc.reference_gpu = "v100-32";
    jobs(4, (int32_t[]){1000, 2000, 1000, 1000}, (uint16_t[]){0, 0, 0, 0});
    run_us[0] = 100 * RR_S; // takes 400 s: the second one is promised the node then
    run_us[2] = 101 * RR_S; // 404 s: too long
    run_us[3] = 99 * RR_S;  // 396 s
    assert_int_equal(run(&r), RR_OK);
    assert_int_equal(r.outcome[1].start_us, 400 * RR_S);
    assert_int_equal(r.outcome[3].start_us, 0);
    assert_int_equal(r.outcome[2].start_us, 800 * RR_S);
    rr_replay_done(&r);
}

static int set_up(void **state)
{
    arena = rr_arena_create();
    return test_dir_make(state);
}
static int tear_down(void **state)
{
    rr_arena_free(arena);
    return test_dir_remove(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_and_the_star),
                                       cmocka_unit_test(mistakes_are_named),
                                       cmocka_unit_test(a_job_takes_as_long_as_its_gpu_is_slow),
                                       cmocka_unit_test(a_missing_row_is_an_error),
                                       cmocka_unit_test(distance_slows),
                                       cmocka_unit_test(a_reservation_knows_the_speed)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
