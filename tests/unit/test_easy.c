/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_easy.c - EASY by hand: what may pass the first job that waits, and what may not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "sim/engine/engine.h"

#define MOST 16
struct job {
    int64_t submit_s, run_s, estimate_s;
    int32_t gpus;
    int64_t start_s;
    uint32_t node;
};
static const struct rr_node_shape one = {.gpus = 1, .gpu = "", .name = ""}, eight = {.gpus = 8, .gpu = "", .name = ""};
static struct rr_pool pool;
static struct rr_scenario scenario;

static void setup(const struct rr_node_shape *shape, int64_t min, int64_t max)
{
    pool =
        (struct rr_pool){.name = "p", .pointer = "/pools/p", .shape = shape, .n_shapes = 1, .nodes_min = min, .nodes_max = max, .gpu = ""};
    scenario = (struct rr_scenario){.pool = &pool,
                                    .n_pools = 1,
                                    .scheduler = {.policy = rr_kind_find(rr_policies, "easy_backfill"),
                                                  .placement = rr_kind_find(rr_placements, "pack"),
                                                  .blocking = true}};
}

static void check(const struct job *j, size_t n)
{
    int64_t submit[MOST], run[MOST], estimate[MOST];
    int32_t milli[MOST];
    for (size_t i = 0; i < n; i++) {
        submit[i] = j[i].submit_s * RR_S;
        run[i] = j[i].run_s * RR_S;
        estimate[i] = j[i].estimate_s * RR_S;
        milli[i] = j[i].gpus * 1000;
    }
    const struct rr_trace t = {.n = n, .submit_us = submit, .run_us = run, .estimate_us = estimate, .gpus_milli = milli};
    const struct rr_world w = {.scenario = &scenario, .trace = &t, .horizon_us = RR_NEVER};
    struct rr_replay r;
    if (rr_engine_run(&w, &r) != RR_OK) fail_msg("%s", rr_reason());
    for (size_t i = 0; i < n; i++)
        if (r.outcome[i].start_us != j[i].start_s * RR_S || r.outcome[i].node != j[i].node)
            fail_msg("job %zu starts at %lld us on node %u, not at %lld s on node %u", i, (long long)r.outcome[i].start_us,
                     r.outcome[i].node, (long long)j[i].start_s, j[i].node);
    rr_replay_done(&r);
}
#define CHECK(...) check((const struct job[]){__VA_ARGS__}, sizeof(const struct job[]){__VA_ARGS__} / sizeof(struct job))

static void short_or_spare_jobs_pass(void **state)
{
    (void)state;
    setup(&one, 10, 10);
    CHECK({0, 100, 100, 6, 0, 0},   // until 100
          {1, 50, 50, 8, 100, 0},   // promised nodes at 100, two are spare then
          {2, 200, 200, 1, 2, 6},   // long, takes one spare
          {3, 97, 97, 1, 3, 7},     // ends at 100: delays nothing
          {4, 200, 200, 1, 4, 8},   // the other spare
          {5, 200, 200, 1, 150, 0}, // no spare left, and it would run past 100
          {6, 94, 94, 1, 6, 9});
}

static void an_early_end_moves_the_promise(void **state)
{
    (void)state;
    setup(&one, 4, 4);
    CHECK({0, 10, 100, 3, 0, 0}, // said 100, took 10
          {1, 20, 20, 4, 10, 0}, {2, 5, 99, 1, 30, 0} /* 2 + 99 > 100 */);
}

static void a_job_that_outruns_its_estimate_is_expected_now(void **state)
{
    (void)state;
    setup(&one, 2, 2);
    CHECK({0, 100, 10, 1, 0, 0}, {1, 10, 10, 2, 100, 0}, // promised for 10, which passes
          {2, 8, 8, 1, 2, 1},                            // until 10
          {50, 1, 1, 1, 110, 0} /* any time at all would delay a job that is expected now */, {60, 0, 0, 1, 60, 1} /* none does not */);
}

static void order_of_backfilling(void **state)
{
    (void)state;
    for (int order = 0; order < 2; order++) {
        setup(&one, 2, 2);
        scenario.scheduler.order = order;
        // The first job frees no room until 10; then one node is free until the second job's 100 and two wait for it
        CHECK({0, 100, 100, 1, 0, 0}, {0, 10, 10, 1, 0, 1}, {1, 10, 10, 2, 100, 0}, {2, 60, 60, 1, order ? 110 : 10, order ? 0 : 1},
              {3, 40, 40, 1, order ? 10 : 110, order ? 1 : 0});
    }
}

static void a_reservation_is_nodes_not_a_sum(void **state)
{
    (void)state;
    setup(&eight, 2, 2);
    CHECK({0, 100, 100, 5, 0, 0}, {0, 200, 200, 5, 0, 1},
          {1, 50, 50, 8, 100, 0},    // node 0 at 100; six GPUs are free in sum, no node has eight
          {2, 300, 300, 2, 2, 1},    // long: not on node 0, though that is the lower id
          {3, 90, 90, 3, 3, 0},      // ends before 100: node 0 may be used until then
          {4, 300, 300, 1, 4, 1},    // the last GPU of node 1
          {5, 300, 300, 1, 150, 0}); // only node 0 is left: after the job that waits for it
}

static void room_that_the_promise_leaves(void **state)
{
    (void)state;
    setup(&eight, 1, 1);
    CHECK({0, 100, 100, 6, 0, 0}, {1, 50, 50, 5, 100, 0}, // five of the eight from 100 on
          {2, 300, 300, 2, 2, 0},                         // 8 - 2 - 5 = 1: does not delay it
          {3, 30, 30, 1, 100, 0});                        // at 100 the last one
}

static void several_nodes_and_one(void **state)
{
    (void)state;
    setup(&eight, 3, 3);
    CHECK({0, 100, 100, 16, 0, 0}, {1, 10, 10, 24, 100, 0}, // all three at 100
          {2, 99, 99, 8, 110, 0},                           // node 2 is free, but until 101
          {3, 97, 97, 8, 3, 2});
}

static void booting_nodes_are_expected(void **state)
{
    (void)state;
    setup(&one, 2, 4);
    pool.boot_us = 50 * RR_S;
    pool.idle_timeout_us = RR_H;
    CHECK({0, 500, 500, 1, 0, 0}, {1, 100, 100, 3, 51, 1}, // two more nodes are asked for at 1, ready at 51
          {2, 40, 40, 1, 2, 1},                            // over at 42
          {3, 60, 60, 1, 151, 1});                         // until 63: would delay it
}

static void estimates(void **state)
{
    (void)state;
    static const struct {
        int mode;
        double factor;
        int64_t third_s;
    } cases[] = {{RR_ESTIMATE_USER, 0, 110}, {RR_ESTIMATE_EXACT, 0, 2}, {RR_ESTIMATE_FACTOR, 2.5, 2}, {RR_ESTIMATE_FACTOR, 1, 2}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        setup(&one, 2, 2);
        scenario.scheduler.estimate = cases[k].mode;
        scenario.scheduler.estimate_factor = cases[k].factor;
        CHECK({0, 100, 100, 1, 0, 0}, {1, 10, 10, 2, 100, 0}, {2, 30, 3000, 1, cases[k].third_s, cases[k].third_s == 2 ? 1u : 0u});
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(short_or_spare_jobs_pass),
                                       cmocka_unit_test(an_early_end_moves_the_promise),
                                       cmocka_unit_test(a_job_that_outruns_its_estimate_is_expected_now),
                                       cmocka_unit_test(order_of_backfilling),
                                       cmocka_unit_test(a_reservation_is_nodes_not_a_sum),
                                       cmocka_unit_test(room_that_the_promise_leaves),
                                       cmocka_unit_test(several_nodes_and_one),
                                       cmocka_unit_test(booting_nodes_are_expected),
                                       cmocka_unit_test(estimates)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
