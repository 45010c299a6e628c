/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_failures.c - failures worked out by hand: what hangs, what is lost, what is down, who is back when. */
#include "tests/failure_case.h"

#define gpu_s(x) ((int64_t)((x) / (1000 * (rr_i128)RR_S)))
#define TRACE(...)                                                  \
    static const struct rr_fail_event trace_rows[] = {__VA_ARGS__}; \
    fail_case.failures.event = trace_rows;                          \
    fail_case.failures.n_events = sizeof trace_rows / sizeof *trace_rows
#define AT(s, n, d, c)                                                        \
    {                                                                         \
        .at_us = (s)*RR_S, .node = (n), .duration_us = (d)*RR_S, .cause = (c) \
    }

static void detect(int64_t s) { fail_case.failures.detect_us = fail_fixed(s * RR_S); }

static void attempt(const struct rr_replay *r, size_t i, uint32_t job, int64_t from_s, int64_t to_s, int64_t lost_s, int64_t overhead_s)
{
    assert_true(i < r->n_attempts);
    const struct rr_attempt *a = &r->attempt[i];
    assert_int_equal(a->job, job);
    assert_int_equal(a->start_us, from_s * RR_S);
    assert_int_equal(a->end_us, to_s * RR_S);
    assert_int_equal(a->lost_us, lost_s * RR_S);
    assert_int_equal(a->overhead_us, overhead_s * RR_S);
}

/* start 5 s, then 300 s of work and 20 s of writing again and again. Of 1000 s until the failure: 5 + 3 x 320 + 35. Found out at 1100, back at 1500.
 * Then 5 + 30 to restart and 1100 s of work with three writes: 1195 s. */
static void a_job_hangs_restarts_and_goes_on_from_its_checkpoint(void **state)
{
    (void)state;
    fail_world(1);
    fail_job(0, 2000 * RR_S, 8);
    fail_case.scenario.checkpoint = (struct rr_checkpoint){
        .rule = RR_INTERVAL_FIXED, .interval_us = 300 * RR_S, .write_us = 20 * RR_S, .restore_us = 30 * RR_S, .start_us = 5 * RR_S};
    detect(100);
    TRACE(AT(1000, 0, 500, RR_CAUSE_GPU));
    struct rr_replay r = fail_run();
    attempt(&r, 0, 0, 0, 1100, 200, 65);
    assert_int_equal(r.attempt[0].reason, RR_WHY_GPU_FAILURE);
    attempt(&r, 1, 0, 1500, 2695, 95, 95);
    const struct rr_pool_time *t = &r.pool[0];
    assert_int_equal(gpu_s(t->held), 8 * 2695);
    assert_int_equal(gpu_s(t->used), 8 * 2000);
    assert_int_equal(gpu_s(t->lost), 8 * 295);
    assert_int_equal(gpu_s(t->down), 8 * 400);
    assert_int_equal(gpu_s(t->idle), 0);
    assert_int_equal(gpu_s(t->lost_to[RR_WHY_GPU_FAILURE]), 8 * (35 + 100)); // work since the checkpoint, and the hang
    assert_int_equal(gpu_s(t->lost_to[RR_WHY_CHECKPOINT]), 8 * 120);
    assert_int_equal(gpu_s(t->lost_to[RR_WHY_RESTART]), 8 * 40);
    assert_int_equal(t->nodes_lost[RR_WHY_GPU_FAILURE], 1);
    rr_replay_done(&r);
}

/* From the failure at 400 on no job starts on the node: five of its GPUs are down until it is found out at 450, all of them until 650. */
static void nothing_starts_on_a_node_that_has_failed(void **state)
{
    (void)state;
    fail_world(1);
    fail_job(0, 1000 * RR_S, 3);
    fail_job(410 * RR_S, 100 * RR_S, 2);
    detect(50);
    TRACE(AT(400, 0, 250, RR_CAUSE_NODE));
    struct rr_replay r = fail_run();
    attempt(&r, 0, 0, 0, 450, 450, 0);
    attempt(&r, 1, 1, 650, 750, 0, 0);
    attempt(&r, 2, 0, 650, 1650, 0, 0);
    assert_int_equal(gpu_s(r.pool[0].down), 5 * 50 + 8 * 200);
    assert_int_equal(gpu_s(r.pool[0].lost), 3 * 450);
    rr_replay_done(&r);
}

/* A job that would have ended during the hang has not. */
static void a_hung_job_does_not_end(void **state)
{
    (void)state;
    fail_world(1);
    fail_job(0, 90 * RR_S, 8);
    detect(30);
    TRACE(AT(80, 0, 30, RR_CAUSE_NODE));
    struct rr_replay r = fail_run();
    attempt(&r, 0, 0, 0, 110, 110, 0);
    attempt(&r, 1, 0, 110, 200, 0, 0);
    rr_replay_done(&r);
}

/* What hangs at the end has used what it did and lost the rest. */
static void the_end_finds_a_job_that_hangs(void **state)
{
    (void)state;
    fail_world(1);
    fail_job(0, 900 * RR_S, 8);
    fail_case.world.horizon_us = 100 * RR_S;
    detect(50);
    TRACE(AT(70, 0, 60, RR_CAUSE_NODE));
    struct rr_replay r = fail_run();
    attempt(&r, 0, 0, 0, 100, 30, 0);
    assert_int_equal(gpu_s(r.pool[0].used), 8 * 70);
    rr_replay_done(&r);
}

/* 20 GPUs on three nodes of four: one lost node ends the gang, the two others are free at once, a fourth takes its place. */
static void a_lost_node_takes_the_gang(void **state)
{
    (void)state;
    fail_world(4);
    fail_job(0, 1000 * RR_S, 20);
    fail_job(0, 70 * RR_S, 8);
    detect(10);
    TRACE(AT(100, 1, 5000, RR_CAUSE_NETWORK));
    struct rr_replay r = fail_run();
    attempt(&r, 0, 1, 0, 70, 0, 0);
    attempt(&r, 1, 0, 0, 110, 110, 0);
    attempt(&r, 2, 0, 110, 1110, 0, 0);
    assert_int_equal(r.attempt[1].reason, RR_WHY_NETWORK_FAILURE);
    assert_int_equal(gpu_s(r.pool[0].down), 8 * 1000 + 10); // of 7 + 7 + 6 GPUs: one of node 1 has no job
    rr_replay_done(&r);
}

/* Two nodes work, the third is aside: it takes the place of the one that fails, which is the spare when it is repaired. */
static void a_spare_takes_the_place(void **state)
{
    (void)state;
    for (int64_t spares = 0; spares <= 1; spares++) {
        fail_world(2 + spares);
        fail_job(0, 1000 * RR_S, 16);
        fail_case.failures.spares = spares;
        detect(10);
        TRACE(AT(100, 0, 300, RR_CAUSE_NODE), AT(500, 1, 100, RR_CAUSE_NODE));
        struct rr_replay r = fail_run();
        attempt(&r, 0, 0, 0, 110, 110, 0);
        attempt(&r, 1, 0, spares ? 110 : 400, 510, spares ? 400 : 110, 0);
        attempt(&r, 2, 0, spares ? 510 : 600, spares ? 1510 : 1600, 0, 0);
        // with the spare one node of three is always out of service; without one, node 0 or 1 while it is repaired
        assert_int_equal(gpu_s(r.pool[0].down), spares ? 8 * 1510 : 8 * (290 + 90));
        rr_replay_done(&r);
    }
}

static void software_needs_no_repair(void **state)
{
    (void)state;
    fail_world(1);
    fail_job(0, 100 * RR_S, 8);
    detect(7);
    fail_case.failures.repair.minutes_us = fail_fixed(RR_D);
    fail_case.failures.node_us = fail_fixed(60 * RR_S);
    fail_case.failures.has_node = true;
    fail_case.failures.has_causes = true; // software alone
    fail_case.failures.causes_upto[RR_CAUSE_SOFTWARE] = 1;
    fail_case.scenario.checkpoint = (struct rr_checkpoint){.rule = RR_INTERVAL_FIXED, .interval_us = 50 * RR_S};
    struct rr_replay r = fail_run();
    attempt(&r, 0, 0, 0, 67, 17, 0);
    attempt(&r, 1, 0, 67, 117, 0, 0);
    assert_int_equal(r.attempt[0].reason, RR_WHY_SOFTWARE_FAILURE);
    assert_int_equal(gpu_s(r.pool[0].down), 0);
    rr_replay_done(&r);
}

/* Every 1000 s one node after the other for 100 s, 60 s of notice: a job of 920 s started at 0 ends before the first; node 1's notice is at 1040. */
static void maintenance_drains_and_interrupts(void **state)
{
    (void)state;
    static struct rr_maintenance m = {
        .name = "m", .first_us = 1000 * RR_S, .every_us = 1000 * RR_S, .length_us = 100 * RR_S, .notice_us = 60 * RR_S, .at_once = 1};
    fail_world(2);
    fail_job(0, 920 * RR_S, 8);
    fail_job(0, 1300 * RR_S, 8);
    fail_job(945 * RR_S, 10 * RR_S, 8); // both nodes are closed or busy from 940 on: node 0 is back at 1100
    fail_case.failures.maintenance = &m;
    fail_case.failures.n_maintenance = 1;
    fail_case.scenario.checkpoint = (struct rr_checkpoint){.write_us = 20 * RR_S, .on_notice = true};
    struct rr_replay r = fail_run();
    attempt(&r, 0, 0, 0, 920, 0, 0);
    attempt(&r, 1, 1, 0, 1100, 20, 20); // it knew: 1080 s of work are saved, the write took 20 s
    assert_int_equal(r.attempt[1].reason, RR_WHY_MAINTENANCE);
    attempt(&r, 2, 2, 1200, 1210, 0, 0); // behind the job that came first
    attempt(&r, 3, 1, 1100, 1320, 0, 0); // on node 0, 220 s are left
    // node 0: drained without a job from 940, back at 1100; node 1: drained at 1040 with a job on all its GPUs, down 1100 .. 1200
    assert_int_equal(gpu_s(r.pool[0].down), 8 * (160 + 100));
    assert_int_equal(r.pool[0].nodes_lost[RR_WHY_MAINTENANCE], 2);
    rr_replay_done(&r);
}

/* All 4 nodes of a switch at one instant; the fifth node hangs on another switch. */
static void a_domain_takes_all_its_nodes_at_once(void **state)
{
    (void)state;
    fail_world(5);
    fail_case.failures.domain[RR_DOMAIN_SWITCH] =
        (struct rr_fail_domain){.mtbf_us = 100 * RR_H, .nodes = 4, .repair_us = fail_fixed(RR_H), .has_repair = true};
    fail_case.world.horizon_us = 10000 * RR_H;
    for (int i = 0; i < 5; i++) fail_job(0, RR_NEVER, 8);
    struct rr_replay r = fail_run();
    int64_t of_one = 0, of_four = 0, end_us[5] = {0};
    int n[5] = {0};
    for (size_t i = 0; i < r.n_attempts; i++) {
        const struct rr_attempt *a = &r.attempt[i];
        if (a->reason != RR_WHY_NETWORK_FAILURE) continue;
        size_t same = 0; // attempts that ended then
        for (size_t k = 0; k < r.n_attempts; k++) same += r.attempt[k].end_us == a->end_us;
        assert_true(same == 1 || same == 4);
        (same == 4 ? of_four++ : of_one++);
        n[a->node]++;
        end_us[a->node] = a->end_us;
    }
    assert_true(of_four % 4 == 0 && of_one > 0 && of_four > 0);
    assert_int_equal(n[4], of_one);
    for (int i = 1; i < 4; i++) assert_true(n[i] == n[0] && end_us[i] == end_us[0]);
    assert_int_equal(r.pool[0].nodes_lost[RR_WHY_NETWORK_FAILURE], of_one + of_four);
    assert_int_equal(r.pool[0].events_of[RR_WHY_NETWORK_FAILURE], of_one + of_four / 4);
    rr_replay_done(&r);
}

/* 36 h without a failure when one comes every 3 h: e^12 tries. */
static void a_plan_that_never_ends_is_refused(void **state)
{
    (void)state;
    struct rr_replay r;
    fail_world(2);
    fail_job(0, 36 * RR_H, 16);
    fail_case.failures.node_mtbf_us = 6 * RR_H;
    assert_int_equal(rr_engine_run(&fail_case.world, &r), RR_EINPUT);
    assert_non_null(strstr(rr_reason(), "job 1 on 2 nodes of pool p would in effect never end: it needs 36 h without a failure"));
    assert_null(strchr(rr_reason(), '\n'));
    fail_case.scenario.checkpoint = (struct rr_checkpoint){.rule = RR_INTERVAL_FIXED, .interval_us = RR_H};
    r = fail_run();
    assert_int_equal(r.outcome[0].state, RR_JOB_FINISHED);
    rr_replay_done(&r);
}

/* What one node meets is its own: the same failures with half of the others. */
static void a_node_meets_the_same_in_a_smaller_pool(void **state)
{
    (void)state;
    int64_t end_us[2][4];
    for (int k = 0; k < 2; k++) {
        fail_world(k ? 1 : 8);
        fail_case.failures.node_mtbf_us = 100 * RR_H;
        fail_case.world.horizon_us = 2000 * RR_H;
        for (int i = 0; i < 8; i++) fail_job(0, RR_NEVER, 8);
        struct rr_replay r = fail_run();
        size_t n = 0;
        for (size_t i = 0; i < r.n_attempts && n < 4; i++)
            if (r.attempt[i].node == 0 && r.attempt[i].reason == RR_WHY_NODE_FAILURE) end_us[k][n++] = r.attempt[i].end_us;
        assert_int_equal(n, 4);
        rr_replay_done(&r);
    }
    assert_memory_equal(end_us[0], end_us[1], sizeof end_us[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_job_hangs_restarts_and_goes_on_from_its_checkpoint),
        cmocka_unit_test(nothing_starts_on_a_node_that_has_failed),
        cmocka_unit_test(a_hung_job_does_not_end),
        cmocka_unit_test(the_end_finds_a_job_that_hangs),
        cmocka_unit_test(a_lost_node_takes_the_gang),
        cmocka_unit_test(a_spare_takes_the_place),
        cmocka_unit_test(software_needs_no_repair),
        cmocka_unit_test(maintenance_drains_and_interrupts),
        cmocka_unit_test(a_domain_takes_all_its_nodes_at_once),
        cmocka_unit_test(a_plan_that_never_ends_is_refused),
        cmocka_unit_test(a_node_meets_the_same_in_a_smaller_pool),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
