/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_engine.c - whole replays small enough to work out by hand: order at one instant, ends, horizon, leases, elastic pools. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "sim/engine/engine.h"
#include <math.h>
#include <string.h>

#define MOST 32
struct job {
    int64_t submit_s, run_s;
    int32_t milli;
};
static struct rr_trace trace;
static int64_t submit_us[MOST], run_us[MOST], estimate_us[MOST], limit_us[MOST];
static int32_t gpus_milli[MOST], cpus_milli[MOST];
static uint8_t states[MOST];
static struct rr_scenario scenario;
static struct rr_pool pools[3];
static const struct rr_node_shape eight = {.gpus = 8, .gpu = "", .name = ""}, one = {.gpus = 1, .gpu = "", .name = ""},
                                  cpus = {.gpus = 2, .cpus_milli = 4000, .gpu = "", .name = ""};
static struct rr_world world;

static void jobs(const struct job *j, size_t n)
{
    trace = (struct rr_trace){.n = n, .submit_us = submit_us, .run_us = run_us, .gpus_milli = gpus_milli};
    for (size_t i = 0; i < n; i++) {
        submit_us[i] = j[i].submit_s * RR_S;
        run_us[i] = j[i].run_s == RR_NEVER ? RR_NEVER : j[i].run_s * RR_S;
        gpus_milli[i] = j[i].milli;
    }
    world = (struct rr_world){.scenario = &scenario, .trace = &trace, .horizon_us = RR_NEVER, .timeline_bins = 100};
}

static void pool(size_t i, const struct rr_node_shape *shape, int64_t min, int64_t max)
{
    if (i == 0)
        scenario = (struct rr_scenario){
            .pool = pools,
            .scheduler = {.policy = rr_kind_find(rr_policies, "fifo"), .placement = rr_kind_find(rr_placements, "pack"), .blocking = true}};
    pools[i] = (struct rr_pool){.name = "p",
                                .pointer = "/pools/p",
                                .shape = shape,
                                .n_shapes = 1,
                                .nodes_min = min,
                                .nodes_max = max,
                                .gpu = "",
                                .idle_timeout_us = RR_MIN};
    scenario.n_pools = i + 1;
}

static struct rr_replay run(void)
{
    struct rr_replay r;
    if (rr_engine_run(&world, &r) != RR_OK) fail_msg("%s", rr_reason());
    if (rr_replay_check_jobs(&world, &r, NULL) != RR_OK || rr_replay_check_time(&world, &r, NULL) != RR_OK) fail_msg("%s", rr_reason());
    return r;
}

#define starts(r, i, s) assert_int_equal((r).outcome[i].start_us, (s)*RR_S)
#define ends(r, i, s)   assert_int_equal((r).outcome[i].end_us, (s)*RR_S)
#define gpu_s(x)        ((int64_t)((x) / (1000 * (rr_i128)RR_S)))

static void an_end_comes_before_an_arrival(void **state)
{
    (void)state;
    pool(0, &one, 1, 1);
    jobs((struct job[]){{0, 10, 1000}, {10, 7, 1000}, {10, 0, 1000}, {10, 3, 1000}}, 4);
    struct rr_replay r = run();
    starts(r, 0, 0);
    starts(r, 1, 10); // the node is free again at 10
    starts(r, 2, 17); // zero duration is valid: in and out within one instant
    ends(r, 2, 17);
    starts(r, 3, 17);
    assert_int_equal(r.end_us, 20 * RR_S);
    assert_int_equal(r.queue_max, 2);
    assert_int_equal(gpu_s(r.pool[0].used), 20);
    assert_int_equal(gpu_s(r.pool[0].idle), 0);
    rr_replay_done(&r);
}

static void blocking_or_not(void **state)
{
    (void)state;
    for (int blocking = 0; blocking < 2; blocking++) {
        pool(0, &eight, 1, 1);
        scenario.scheduler.blocking = blocking;
        jobs((struct job[]){{0, 100, 5000}, {1, 100, 4000}, {2, 5, 3000}}, 3);
        struct rr_replay r = run();
        starts(r, 1, 100);
        starts(r, 2, blocking ? 100 : 2);
        rr_replay_done(&r);
    }
}

static void shortest_first(void **state)
{
    (void)state;
    pool(0, &one, 1, 1);
    scenario.scheduler.order = 1;
    jobs((struct job[]){{0, 10, 1000}, {1, 30, 1000}, {2, 20, 1000}, {3, 20, 1000}}, 4);
    struct rr_replay r = run();
    starts(r, 2, 10);
    starts(r, 3, 30);
    starts(r, 1, 50);
    rr_replay_done(&r);
}

static void how_jobs_end(void **state)
{
    (void)state;
    pool(0, &eight, 1, 1);
    jobs((struct job[]){{0, 10, 1000}, {0, 10, 1000}, {0, 10, 1000}, {0, 10, 1000}, {0, RR_NEVER, 1000}, {0, 10, 1000}, {0, 10, 9000}}, 7);
    static const uint8_t s[] = {RR_TRACE_OK,          RR_TRACE_FAILED, RR_TRACE_KILLED, RR_TRACE_NEVER_STARTED,
                                RR_TRACE_NEVER_ENDED, RR_TRACE_OK,     RR_TRACE_OK};
    memcpy(states, s, sizeof s);
    memset(limit_us, 0, sizeof limit_us);
    limit_us[5] = 7 * RR_S;
    trace.state = states;
    trace.limit_us = limit_us;
    world.horizon_us = 25 * RR_S;
    struct rr_replay r = run();
    static const struct {
        uint8_t state, reason;
        int64_t end_s;
    } want[] = {{RR_JOB_FINISHED, RR_WHY_NONE, 10},       {RR_JOB_FAILED, RR_WHY_TRACE_FAILED, 10},
                {RR_JOB_KILLED, RR_WHY_TRACE_KILLED, 10}, {RR_JOB_KILLED, RR_WHY_NEVER_STARTED, -1},
                {RR_JOB_RUNNING, RR_WHY_HORIZON, -1},     {RR_JOB_KILLED, RR_WHY_LIMIT, 7},
                {RR_JOB_REJECTED, RR_WHY_TOO_LARGE, -1}};
    for (int i = 0; i < 7; i++) {
        assert_int_equal(r.outcome[i].state, want[i].state);
        assert_int_equal(r.outcome[i].reason, want[i].reason);
        assert_int_equal(r.outcome[i].end_us, want[i].end_s < 0 ? RR_NEVER : want[i].end_s * RR_S);
    }
    assert_int_equal(gpu_s(r.pool[0].used), 10 + 10 + 10 + 25 + 7); // what runs at the horizon has used its time
    assert_int_equal(gpu_s(r.pool[0].held), 8 * 25);
    assert_int_equal(r.lease[0].used_milli_us, 62 * 1000 * RR_S);
    rr_replay_done(&r);
}

static void overrun_kills(void **state)
{
    (void)state;
    pool(0, &one, 1, 1);
    scenario.scheduler.overrun = 1;
    jobs((struct job[]){{0, 10, 1000}, {0, 10, 1000}}, 2);
    estimate_us[0] = 4 * RR_S;
    estimate_us[1] = 10 * RR_S;
    trace.estimate_us = estimate_us;
    struct rr_replay r = run();
    ends(r, 0, 4);
    assert_int_equal(r.outcome[0].state, RR_JOB_KILLED);
    assert_int_equal(r.outcome[0].reason, RR_WHY_LIMIT);
    ends(r, 1, 14);
    assert_int_equal(r.outcome[1].state, RR_JOB_FINISHED);
    rr_replay_done(&r);
}

static void the_horizon_cuts(void **state)
{
    (void)state;
    pool(0, &one, 1, 1);
    jobs((struct job[]){{0, 20, 1000}, {1, 30, 1000}, {2, 5, 1000}, {40, 5, 1000}, {41, 5, 1000}}, 5);
    world.horizon_us = 40 * RR_S;
    struct rr_replay r = run();
    static const uint8_t want[] = {RR_JOB_FINISHED, RR_JOB_RUNNING, RR_JOB_WAITING, RR_JOB_NOT_SUBMITTED, RR_JOB_NOT_SUBMITTED};
    for (int i = 0; i < 5; i++) assert_int_equal(r.outcome[i].state, want[i]);
    assert_int_equal(r.outcome[2].reason, RR_WHY_HORIZON);
    assert_int_equal(r.end_us, 40 * RR_S);
    assert_int_equal(r.lease[0].end_us, 40 * RR_S);
    rr_replay_done(&r);
    world.horizon_us = 20 * RR_S; // an end at the horizon is inside
    r = run();
    assert_int_equal(r.outcome[0].state, RR_JOB_FINISHED);
    assert_int_equal(r.outcome[1].state, RR_JOB_WAITING);
    rr_replay_done(&r);
}

static void used_time_is_spread_over_the_nodes(void **state)
{
    (void)state;
    pool(0, &eight, 3, 3);
    jobs((struct job[]){{0, 10, 13000}}, 1); // 7 + 6 on two nodes
    struct rr_replay r = run();
    assert_int_equal(r.n_leases, 3);
    assert_int_equal(r.lease[0].used_milli_us, 70 * 1000 * RR_S);
    assert_int_equal(r.lease[1].used_milli_us, 60 * 1000 * RR_S);
    assert_int_equal(r.lease[2].used_milli_us, 0);
    assert_int_equal(gpu_s(r.pool[0].used), 130);
    assert_int_equal(gpu_s(r.pool[0].idle), 110);
    rr_replay_done(&r);
}

static void an_elastic_pool_grows_boots_and_shrinks(void **state)
{
    (void)state;
    pool(0, &eight, 0, 4);
    pools[0].boot_us = 5 * RR_MIN;
    pools[0].idle_timeout_us = 10 * RR_MIN;
    jobs((struct job[]){{60, 600, 8000}, {60, 1200, 16000}, {120, 60, 4000}}, 3);
    world.horizon_us = 2 * RR_H;
    struct rr_replay r = run();
    starts(r, 0, 360); // asked for at 60, ready 300 s later
    starts(r, 1, 360);
    starts(r, 2, 420); // the fourth node, asked for at 120
    assert_int_equal(r.n_leases, 4);
    static const int64_t lease[][3] = {{60, 360, 1560}, {60, 360, 2160}, {60, 360, 2160}, {120, 420, 1080}};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(r.lease[i].node, i);
        assert_int_equal(r.lease[i].start_us, lease[i][0] * RR_S);
        assert_int_equal(r.lease[i].ready_us, lease[i][1] * RR_S);
        assert_int_equal(r.lease[i].end_us, lease[i][2] * RR_S); // ten minutes after the last job's end
    }
    assert_int_equal(gpu_s(r.pool[0].starting), 4 * 8 * 300);
    assert_int_equal(gpu_s(r.pool[0].used), 8 * 600 + 16 * 1200 + 4 * 60);
    assert_int_equal(r.pool[0].nodes_peak, 4);
    assert_int_equal(r.pool[0].nodes_started, 4);
    rr_replay_done(&r);
}

static void min_is_held_and_max_is_not_passed(void **state)
{
    (void)state;
    pool(0, &one, 1, 2);
    pools[0].boot_us = 10 * RR_S;
    jobs((struct job[]){{5, 100, 1000}, {5, 100, 1000}, {5, 100, 1000}, {5, 100, 1000}, {5, 3, 3000}}, 5);
    world.horizon_us = 1000 * RR_S;
    struct rr_replay r = run();
    starts(r, 0, 5);
    starts(r, 1, 15);
    starts(r, 2, 105);
    starts(r, 3, 115);
    assert_int_equal(r.outcome[4].state, RR_JOB_REJECTED); // three nodes can never be
    assert_int_equal(r.n_leases, 2);
    assert_int_equal(r.lease[0].start_us, 0);
    assert_int_equal(r.lease[0].end_us, 1000 * RR_S);
    assert_int_equal(r.lease[1].start_us, 5 * RR_S);
    assert_int_equal(r.lease[1].end_us, (215 + 60) * RR_S);
    rr_replay_done(&r);
}

static void the_own_pool_first_then_the_cloud(void **state)
{
    (void)state;
    pool(0, &eight, 1, 1);
    pool(1, &eight, 0, INT64_MAX);
    pool(2, &one, 1, 1);
    jobs((struct job[]){{0, 100, 8000}, {10, 50, 8000}, {20, 50, 24000}, {30, 5, 1000}}, 4);
    struct rr_replay r = run();
    static const uint16_t where[] = {0, 1, 1, 2};
    static const uint32_t node[] = {0, 1, 2, 5}; // ids follow on each other by pool: 0; 1 .. 4, as many as were ever held; 5
    for (int i = 0; i < 4; i++) {
        assert_int_equal(r.outcome[i].pool, where[i]);
        assert_int_equal(r.outcome[i].node, node[i]);
    }
    assert_int_equal(r.n_nodes, 6);
    assert_int_equal(r.node_gpus[0], 8);
    assert_int_equal(r.node_gpus[4], 8);
    assert_int_equal(r.node_gpus[5], 1);
    assert_int_equal(r.pool_lease[1], 1);
    assert_int_equal(r.pool_lease[2], 5);
    assert_int_equal(r.pool_lease[3], 6);
    assert_int_equal(r.lease[5].node, 5);
    rr_replay_done(&r);
}

static void nodes_that_a_large_job_waits_for_are_kept(void **state)
{
    (void)state;
    pool(0, &eight, 0, 2);
    pools[0].boot_us = 100 * RR_S;
    pools[0].idle_timeout_us = 10 * RR_S; // shorter than a boot: the first node would be gone before the second is there
    jobs((struct job[]){{0, 50, 8000}, {140, 30, 16000}}, 2);
    struct rr_replay r = run();
    starts(r, 0, 100);
    starts(r, 1, 240); // the node that is free from 150 on waits for the one asked for at 140
    assert_int_equal(r.n_leases, 2);
    rr_replay_done(&r);
}

static void jobs_without_gpus(void **state)
{
    (void)state;
    pool(0, &cpus, 1, 1);
    jobs((struct job[]){{0, 10, 0}, {0, 10, 0}, {0, 10, 1000}}, 3);
    cpus_milli[0] = 2500;
    cpus_milli[1] = 2500;
    cpus_milli[2] = 1500;
    trace.cpus_milli = cpus_milli;
    struct rr_replay r = run();
    starts(r, 0, 0);
    starts(r, 1, 10);
    starts(r, 2, 10);
    assert_int_equal(gpu_s(r.pool[0].used), 10);
    assert_int_equal(gpu_s(r.pool[0].idle), 2 * 20 - 10);
    rr_replay_done(&r);
}

static void a_timeline_of_means_and_extremes(void **state)
{
    (void)state;
    pool(0, &eight, 1, 1);
    jobs((struct job[]){{1, 3, 4000}, {2, 2, 8000}}, 2);
    world.horizon_us = 8 * RR_S;
    world.timeline_bins = 4;
    struct rr_replay r = run();
    assert_int_equal(r.timeline.n, 4);
    assert_int_equal(r.timeline.bin_us, 2 * RR_S);
    static const double used[] = {2, 4, 8, 0}, most[] = {4, 4, 8, 0}, least[] = {0, 4, 8, 0}, queue[] = {0, 1, 0, 0};
    for (int i = 0; i < 4; i++) {
        assert_true(r.timeline.used_mean[i] == used[i] && r.timeline.used_max[i] == most[i] && r.timeline.used_min[i] == least[i]);
        assert_true(r.timeline.queue_mean[i] == queue[i] && r.timeline.queue_gpus_mean[i] == 8 * queue[i]);
        assert_true(r.timeline.held_mean[i] == 8 && r.timeline.held_min[i] == 8);
        assert_true(r.timeline.queue_min[i] == queue[i] && r.timeline.queue_max[i] == queue[i]);
        assert_true(r.timeline.queue_gpus_min[i] == 8 * queue[i] && r.timeline.queue_gpus_max[i] == 8 * queue[i]);
        assert_true(r.timeline.starting_mean[i] == 0 && r.timeline.down_mean[i] == 0);
    }
    rr_replay_done(&r);
    world.horizon_us = RR_NEVER; // bins double until all fits: 4 s
    world.timeline_bins = 2;
    r = run();
    assert_int_equal(r.end_us, 6 * RR_S);
    assert_int_equal(r.timeline.bin_us, 4 * RR_S);
    assert_int_equal(r.timeline.n, 2);
    assert_true(r.timeline.used_mean[0] == 3 && r.timeline.used_mean[1] == 8);
    rr_replay_done(&r);
}

static void bound_is(const struct rr_replay *r, enum rr_bound b, double job_s, double gpu_s)
{
    const struct rr_bound_time *t = &r->bound[b];
    if (fabs(t->jobs_us / 1e6 - job_s) > 1e-6 || fabs(t->gpus_us / 1e6 - gpu_s) > 1e-6)
        fail_msg("%s: %g job-s, %g GPU-s", rr_bound_text(b), t->jobs_us / 1e6, t->gpus_us / 1e6);
}

static void what_jobs_wait_for(void **state)
{
    (void)state;
    pool(0, &eight, 1, 1);
    jobs((struct job[]){{0, 10, 6000}, {1, 5, 4000}, {2, 3, 2000}}, 3); // the third would fit, but stands behind the second
    struct rr_replay r = run();
    bound_is(&r, RR_BOUND_SIZE, 9, 36);
    bound_is(&r, RR_BOUND_POLICY, 8, 16);
    bound_is(&r, RR_BOUND_SCATTER, 0, 0);
    rr_replay_done(&r);

    pool(0, &eight, 2, 2);
    jobs((struct job[]){{0, 10, 5000}, {0, 10, 5000}, {1, 4, 6000}}, 3); // 3 + 3 free
    r = run();
    bound_is(&r, RR_BOUND_SCATTER, 9, 54);
    bound_is(&r, RR_BOUND_SIZE, 0, 0);
    rr_replay_done(&r);

    pool(0, &eight, 0, 1);
    pools[0].boot_us = 5 * RR_S;
    jobs((struct job[]){{0, 10, 8000}, {6, 4, 3000}}, 2); // boots from 0 to 5 s; then full until 15 s
    r = run();
    bound_is(&r, RR_BOUND_STARTING, 5, 40);
    bound_is(&r, RR_BOUND_LIMIT, 9, 27);
    assert_true(r.timeline.starting_mean[0] == 8 && r.timeline.starting_mean[6] == 0);
    rr_replay_done(&r);
    world.timeline_bins = 0;
    r = run();
    bound_is(&r, RR_BOUND_STARTING, 0, 0);
    assert_null(r.seat);
    rr_replay_done(&r);
}

static void seats_of_a_small_run(void **state)
{
    (void)state;
    pool(0, &eight, 3, 3);
    jobs((struct job[]){{0, 10, 3000}, {0, 4, 16000}, {5, 2, 16000}}, 3); // nodes 0; 1 and 2; 1 and 2
    struct rr_replay r = run();
    static const uint32_t job[] = {0, 1, 1, 2, 2}, node[] = {0, 1, 2, 1, 2};
    assert_int_equal(r.n_seats, 5);
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(r.seat[i].job, job[i]);
        assert_int_equal(r.seat[i].node, node[i]);
        assert_int_equal(r.seat[i].attempt, 1);
    }
    rr_replay_done(&r);
}

static void a_backlog_that_grows_is_told(void **state)
{
    (void)state;
    struct job j[MOST];
    for (int i = 0; i < MOST; i++) j[i] = (struct job){i, 4, 1000};
    pool(0, &one, 1, 1);
    jobs(j, MOST);
    world.horizon_us = MOST * RR_S;
    struct rr_replay r = run();
    assert_true(r.queue_grows);
    rr_replay_done(&r);
    pool(0, &one, 8, 8);
    r = run();
    assert_false(r.queue_grows);
    rr_replay_done(&r);
}

static void nothing_at_all(void **state)
{
    (void)state;
    pool(0, &one, 1, 1);
    jobs(NULL, 0);
    struct rr_replay r = run();
    assert_int_equal(r.end_us, 0);
    assert_int_equal(r.n_jobs, 0);
    assert_int_equal(r.timeline.n, 0);
    rr_replay_done(&r);
}

static void fleets_that_cannot_be(void **state)
{
    (void)state;
    struct rr_replay r;
    pool(0, &one, 3, 2);
    jobs((struct job[]){{0, 1, 1000}}, 1);
    assert_int_equal(rr_engine_run(&world, &r), RR_EINPUT);
    assert_non_null(strstr(rr_reason(), "/pools/p/nodes: max 2 is below min 3"));
    scenario.n_pools = 0;
    assert_int_equal(rr_engine_run(&world, &r), RR_EINPUT);
}

static void a_broken_law_is_found(void **state)
{
    (void)state;
    pool(0, &one, 1, 1);
    jobs((struct job[]){{0, 10, 1000}, {3, 10, 1000}}, 2);
    struct rr_replay r = run();
    struct rr_buf b = {0};
    assert_int_equal(rr_replay_check_jobs(&world, &r, &b), RR_OK);
    assert_string_equal(rr_buf_text(&b), "2 submitted = 2 finished + 0 failed + 0 killed + 0 rejected + 0 waiting + 0 running");
    r.outcome[1].start_us = 2 * RR_S; // before it came
    assert_int_equal(rr_replay_check_jobs(&world, &r, NULL), RR_EINTERNAL);
    assert_int_equal(rr_replay_check_time(&world, &r, NULL), RR_EINTERNAL);
    r.outcome[1].start_us = 10 * RR_S;
    assert_int_equal(rr_replay_check_time(&world, &r, NULL), RR_OK);
    r.lease[0].used_milli_us++;
    assert_int_equal(rr_replay_check_time(&world, &r, NULL), RR_EINTERNAL);
    r.lease[0].used_milli_us--;
    r.pool[0].idle++;
    assert_int_equal(rr_replay_check_time(&world, &r, NULL), RR_EINTERNAL);
    rr_buf_done(&b);
    rr_replay_done(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_jobs_wait_for),
                                       cmocka_unit_test(seats_of_a_small_run),
                                       cmocka_unit_test(an_end_comes_before_an_arrival),
                                       cmocka_unit_test(blocking_or_not),
                                       cmocka_unit_test(shortest_first),
                                       cmocka_unit_test(how_jobs_end),
                                       cmocka_unit_test(overrun_kills),
                                       cmocka_unit_test(the_horizon_cuts),
                                       cmocka_unit_test(used_time_is_spread_over_the_nodes),
                                       cmocka_unit_test(an_elastic_pool_grows_boots_and_shrinks),
                                       cmocka_unit_test(min_is_held_and_max_is_not_passed),
                                       cmocka_unit_test(the_own_pool_first_then_the_cloud),
                                       cmocka_unit_test(nodes_that_a_large_job_waits_for_are_kept),
                                       cmocka_unit_test(jobs_without_gpus),
                                       cmocka_unit_test(a_timeline_of_means_and_extremes),
                                       cmocka_unit_test(a_backlog_that_grows_is_told),
                                       cmocka_unit_test(nothing_at_all),
                                       cmocka_unit_test(fleets_that_cannot_be),
                                       cmocka_unit_test(a_broken_law_is_found)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
