/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_policies.c - what policies promise, by hand: the guard against starvation, gangs without deadlock, rounds, noisy estimates, deadlines,
 * classes that are not interruptible, moves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "data/base/sort.h"
#include "sim/engine/engine.h"
#include "sim/policy/ranked.h"
#include "sim/engine/attempt.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST 2000
static int64_t submit[MOST], run[MOST], estimate[MOST], deadline[MOST];
static int32_t milli[MOST], priority[MOST];
static struct rr_trace trace;
static struct rr_scenario sc;
static struct rr_pool pool;
static struct rr_node_shape shape;
static struct {
    struct rr_ranked_params common;
    bool preempt;
} params;
static struct rr_replay r;

static void begin(const char *policy, int nodes, int gpus)
{
    memset(&params, 0, sizeof params);
    shape = (struct rr_node_shape){.gpus = gpus, .gpu = "", .name = ""};
    pool = (struct rr_pool){
        .name = "p", .pointer = "/pools/p", .shape = &shape, .n_shapes = 1, .nodes_min = nodes, .nodes_max = nodes, .gpu = ""};
    sc = (struct rr_scenario){.pool = &pool,
                              .n_pools = 1,
                              .scheduler = {.policy = rr_kind_find(rr_policies, policy), .policy_params = &params, .blocking = true}};
    assert_non_null(sc.scheduler.policy);
    trace = (struct rr_trace){.submit_us = submit, .run_us = run, .gpus_milli = milli};
}

static void job(int64_t submit_s, int64_t run_s, int gpus)
{
    submit[trace.n] = submit_s * RR_S;
    run[trace.n] = run_s * RR_S;
    deadline[trace.n] = RR_NEVER;
    priority[trace.n] = 0;
    milli[trace.n++] = gpus * 1000;
}

static void replay(void)
{
    const struct rr_world w = {.scenario = &sc, .trace = &trace, .horizon_us = RR_NEVER};
    if (rr_engine_run(&w, &r) != RR_OK) fail_msg("%s", rr_reason());
    if (rr_replay_check_jobs(&w, &r, NULL) != RR_OK || rr_replay_check_time(&w, &r, NULL) != RR_OK) fail_msg("%s", rr_reason());
}

static void ran(size_t i, int64_t start_s, int64_t end_s, int attempts)
{
    assert_int_equal(r.outcome[i].start_us, start_s * RR_S);
    assert_int_equal(r.outcome[i].end_us, end_s * RR_S);
    assert_int_equal(r.outcome[i].attempts, attempts);
}

/* A job of 1,000 s against an endless line of 10-s jobs, one each 10 s: without a guard it never gets on under srtf. */
static void the_guard_ends_starvation(void **state)
{
    (void)state;
    for (int guard = 0; guard < 2; guard++) {
        begin("srtf", 1, 1);
        params.common.max_wait_us = guard ? 95 * RR_S : 0;
        job(0, 10, 1);
        job(1, 1000, 1);
        for (int i = 1; i < 150; i++) job(10 * i, 10, 1);
        replay();
        if (guard) {
            ran(1, 96, 1096, 1); // waits 95 s, then goes first and undisturbed, though 10-s jobs wait
        } else {
            assert_true(r.outcome[1].start_us > 1400 * RR_S);
        }
        rr_replay_done(&r);
    }
}

/* All waits together count: a job that was interrupted again and again is not the youngest each time. */
static void the_guard_adds_waits_up(void **state)
{
    (void)state;
    begin("priority", 1, 1);
    params.preempt = true;
    params.common.max_wait_us = 25 * RR_S;
    trace.priority = priority;
    job(0, 100, 1);
    for (int i = 0; i < 6; i++) {
        job(10 + 20 * i, 10, 1); // runs 10 s of every 20 s
        priority[trace.n - 1] = 1;
    }
    replay();
    // waits 10-20, 30-40, 50-55: then 25 s are full; what runs has a higher priority but gives way, and those that come later wait
    assert_int_equal(r.outcome[0].attempts, 4);
    assert_int_equal(r.outcome[0].end_us, (55 + 100 - 30) * RR_S);
    rr_replay_done(&r);
}

/* Two gangs of two nodes on three nodes, and a third job: whoever held one node and waited for another could wait for ever. */
static void gangs_do_not_deadlock(void **state)
{
    (void)state;
    static const char *const policies[] = {"fifo",     "sjf", "srtf",       "srsf",          "las",
                                           "priority", "edf", "fair_share", "easy_backfill", "conservative_backfill"};
    for (size_t p = 0; p < sizeof policies / sizeof *policies; p++) {
        begin(policies[p], 3, 8);
        if (strcmp(policies[p], "conservative_backfill") == 0 || strcmp(policies[p], "fair_share") == 0) sc.scheduler.policy_params = NULL;
        if (strcmp(policies[p], "las") == 0) sc.scheduler.policy_params = NULL;
        job(0, 50, 16);
        job(0, 50, 16);
        job(1, 50, 24);
        job(2, 50, 16);
        replay();
        for (size_t i = 0; i < 4; i++) assert_int_equal(r.outcome[i].state, RR_JOB_FINISHED);
        // never are more than the three nodes held, and never a part of a gang: each attempt has all its nodes from start to end
        for (size_t i = 0; i < 4; i++)
            for (size_t k = 0; k < i; k++)
                if (r.n_attempts == 0)
                    assert_true(r.outcome[i].start_us >= r.outcome[k].end_us || r.outcome[k].start_us >= r.outcome[i].end_us);
        for (size_t i = 0; i < r.n_attempts; i++) {
            assert_int_equal(r.attempt[i].nodes, r.attempt[i].gpus_milli / 8000);
            for (size_t k = 0; k < i; k++)
                assert_true(r.attempt[i].start_us >= r.attempt[k].end_us || r.attempt[k].start_us >= r.attempt[i].end_us);
        }
        rr_replay_done(&r);
    }
}

static void in_rounds(void **state)
{
    (void)state;
    begin("fifo", 1, 1);
    sc.scheduler.round_us = 6 * RR_MIN;
    job(0, 100, 1);
    job(10, 100, 1);
    job(720, 30, 1);
    replay();
    ran(0, 0, 100, 1);
    ran(1, 360, 460, 1);
    ran(2, 720, 750, 1);
    rr_replay_done(&r);
}

/* exp(sigma x normal): the logarithm of estimate over run time has mean 0 and deviation sigma; it is the job's own. */
static void noisy_estimates(void **state)
{
    (void)state;
    begin("sjf", 1, 1);
    sc.scheduler.estimate = RR_ESTIMATE_NOISE;
    sc.scheduler.estimate_factor = 0.3;
    sc.seed = 7;
    for (int i = 0; i < MOST; i++) job(i, 1000, 1);
    const struct rr_world w = {.scenario = &sc, .trace = &trace, .horizon_us = RR_NEVER};
    struct rr_sim s = {.world = &w, .trace = &trace, .how = &sc.scheduler};
    double sum = 0, squares = 0;
    for (uint32_t i = 0; i < MOST; i++) {
        const double x = log((double)rr_sim_estimate(&s, i) / 1e9);
        assert_int_equal(rr_sim_estimate(&s, i), rr_sim_estimate(&s, i));
        sum += x;
        squares += x * x;
    }
    assert_true(fabs(sum / MOST) < 4 * 0.3 / sqrt(MOST));
    assert_true(fabs(sqrt(squares / MOST) - 0.3) < 0.02);
    struct rr_scenario none = sc;
    none.scheduler.estimate_factor = 0;
    s.how = &none.scheduler;
    assert_int_equal(rr_sim_estimate(&s, 3), 1000 * RR_S);
}

/* At 10 the job due at 100 takes the machine from the one due at 300; the one without a deadline comes last. */
static void earliest_deadline(void **state)
{
    (void)state;
    begin("edf", 1, 1);
    params.preempt = true;
    trace.deadline_us = deadline;
    job(0, 50, 1);
    job(5, 20, 1);
    job(10, 30, 1);
    deadline[0] = 300 * RR_S;
    deadline[2] = 90 * RR_S;
    replay();
    ran(0, 0, 80, 2);
    ran(1, 80, 100, 1);
    ran(2, 10, 40, 1);
    rr_replay_done(&r);
}

static void not_interruptible(void **state)
{
    (void)state;
    begin("srtf", 1, 1);
    struct rr_class fixed = {.name = "fixed", .pointer = "/classes/fixed"};
    static uint16_t class_id[2] = {1, 0};
    static const char *const names[] = {"", "fixed"};
    sc.classes = &fixed;
    sc.n_classes = 1;
    trace.class_id = class_id;
    trace.class_name = names;
    trace.n_classes = 2;
    job(0, 100, 1);
    job(10, 5, 1);
    replay();
    ran(0, 0, 100, 1);
    ran(1, 100, 105, 1);
    rr_replay_done(&r);
}

/* Two nodes of two GPUs. At 20 s one job of one GPU is left on each: a job of two GPUs finds no node, though two GPUs are free, and being longer it may not
 * interrupt; but one of the two can move to the other's node. */
static void a_move_makes_room(void **state)
{
    (void)state;
    for (int migrate = RR_MIGRATE_NEVER; migrate <= RR_MIGRATE_ALWAYS; migrate++) {
        begin("srtf", 2, 2);
        params.common.migrate = migrate;
        job(0, 10, 1); // node 0, with
        job(0, 60, 1); // this one
        job(1, 11, 1); // node 1, with
        job(1, 62, 1); // this one
        job(20, 100, 2);
        estimate[0] = estimate[1] = estimate[2] = estimate[3] = 60 * RR_S; // so that they start in trace order
        estimate[4] = 100 * RR_S;
        trace.estimate_us = estimate;
        replay();
        const bool moves = migrate != RR_MIGRATE_NEVER;
        ran(4, moves ? 20 : 60, moves ? 120 : 160, 1);
        ran(1, 0, 60, 1);
        ran(3, 1, 63, moves ? 2 : 1);
        if (moves) assert_int_equal(r.attempt[2].reason, RR_WHY_MOVED);
        rr_replay_done(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_guard_ends_starvation), cmocka_unit_test(the_guard_adds_waits_up),
                                       cmocka_unit_test(gangs_do_not_deadlock),     cmocka_unit_test(in_rounds),
                                       cmocka_unit_test(noisy_estimates),           cmocka_unit_test(earliest_deadline),
                                       cmocka_unit_test(not_interruptible),         cmocka_unit_test(a_move_makes_room)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
