/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_depends.c - jobs that depend on others, worked out by hand on two GPUs. */
#include "tests/trace_help.h"
#include "sim/engine/engine.h"

static const struct rr_node_shape two = {.gpus = 2, .gpu = "", .name = ""};
static struct rr_replay r;

static enum rr_status try_trace(const struct rr_trace *t, const char *policy, int64_t horizon_us)
{
    static struct rr_pool pool;
    pool = (struct rr_pool){
        .name = "p", .pointer = "/pools/p", .region = "", .gpu = "", .shape = &two, .n_shapes = 1, .nodes_min = 1, .nodes_max = 1};
    const struct rr_scenario s = {
        .pool = &pool, .n_pools = 1, .scheduler = {.policy = rr_kind_find(rr_policies, policy), .blocking = true}};
    const struct rr_world w = {.scenario = &s, .trace = t, .horizon_us = horizon_us};
    const enum rr_status st = rr_engine_run(&w, &r);
    if (st != RR_OK) return st;
    if (rr_replay_check_jobs(&w, &r, NULL) != RR_OK || rr_replay_check_time(&w, &r, NULL) != RR_OK) fail_msg("%s", rr_reason());
    return st;
}
static void run_trace(const struct rr_trace *t, const char *policy, int64_t horizon_us)
{
    if (try_trace(t, policy, horizon_us) != RR_OK) fail_msg("%s", rr_reason());
}
static enum rr_status try_run(const char *rows, const char *policy, int64_t horizon_us)
{
    must_read(file_of("d.csv", rr_strf(arena, "job_id,submit_s,duration_s,gpus,status,depends_on\n%s", rows)), "csv");
    return try_trace(&trace, policy, horizon_us);
}
static void run(const char *rows, const char *policy, int64_t horizon_us)
{
    if (try_run(rows, policy, horizon_us) != RR_OK) fail_msg("%s", rr_reason());
}
#define starts(i, s) assert_int_equal(r.outcome[i].start_us, (s)*RR_S)
#define is(i, what, why)                            \
    do {                                            \
        assert_int_equal(r.outcome[i].state, what); \
        assert_int_equal(r.outcome[i].reason, why); \
    } while (0)

static void a_job_waits_for_those_before_it(void **state)
{
    (void)state;
    static const char *const policies[] = {"fifo", "sjf", "easy_backfill", "srtf", "conservative_backfill", "priority", "las"};
    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
        // b is there from 1 and could run beside a; it runs after a, d after both b and c, at the instant when the later of them ends
        run("a,0,10,1,,\nb,1,5,1,,a\nc,2,6,1,,\nd,3,4,2,,b:c\n", policies[i], RR_NEVER);
        starts(0, 0);
        starts(1, 10);
        starts(2, 2);
        starts(3, 15);
        assert_int_equal(r.outcome[3].end_us, 19 * RR_S);
        rr_replay_done(&r);
    }
    // a job behind one that is held is not held back by it; one whose forerunners are done does not wait; ids may come later in the file
    run("a,0,10,2,,z\nb,0,3,2,,\nc,5,1,2,,\nd,6,1,2,,afterok:b\nz,7,2,2,,c;d\n", "fifo", RR_NEVER);
    starts(1, 0);
    starts(2, 5);
    starts(3, 6);
    starts(4, 7);
    starts(0, 9);
    rr_replay_done(&r);
}

static void what_did_not_finish_kills_what_follows(void **state)
{
    (void)state;
    run("a,0,10,1,failed,\nb,1,5,1,,a\nc,2,6,1,,b\nd,20,4,2,,c\ne,21,4,2,,\nbig,22,1,3,,\ng,23,1,1,,big\nh,24,,1,never_started,\n"
        "i,25,1,1,,h:e\n",
        "fifo", RR_NEVER);
    is(0, RR_JOB_FAILED, RR_WHY_TRACE_FAILED);
    is(1, RR_JOB_KILLED, RR_WHY_DEPENDENCY);
    is(2, RR_JOB_KILLED, RR_WHY_DEPENDENCY);
    is(3, RR_JOB_KILLED, RR_WHY_DEPENDENCY); // was not there yet when c was killed
    is(4, RR_JOB_FINISHED, RR_WHY_NONE);
    is(5, RR_JOB_REJECTED, RR_WHY_TOO_LARGE);
    is(6, RR_JOB_KILLED, RR_WHY_DEPENDENCY);
    is(8, RR_JOB_KILLED, RR_WHY_DEPENDENCY);
    assert_true(r.outcome[1].start_us == RR_NEVER);
    rr_replay_done(&r);
}

static void at_the_horizon_it_waits(void **state)
{
    (void)state;
    run("a,0,10,1,,\nb,1,5,1,,a\n", "fifo", 7 * RR_S);
    is(0, RR_JOB_RUNNING, RR_WHY_HORIZON);
    is(1, RR_JOB_WAITING, RR_WHY_HORIZON);
    rr_replay_done(&r);
}

static void a_long_chain(void **state)
{
    (void)state;
    struct rr_buf b = {0};
    for (int i = 0; i < 5000; i++) rr_buf_putf(&b, i ? "j%d,0,1,1,,j%d\n" : "j%d,0,1,1,,\n", i, i - 1);
    run(rr_buf_text(&b), "fifo", RR_NEVER);
    starts(4999, 4999);
    rr_replay_done(&r);
    rr_buf_done(&b);
}

static void what_is_refused(void **state)
{
    (void)state;
    refused_for(try_run("a,0,10,1,,x7\n", "fifo", RR_NEVER), "d.csv: job a depends on \"x7\", which is no job that is replayed");
    refused_for(try_run("a,0,10,1,,a\n", "fifo", RR_NEVER), "in a circle, such as job a");
    refused_for(try_run("a,0,10,1,,\nb,0,1,1,,a:c\nc,1,1,1,,b\n", "fifo", RR_NEVER), "in a circle, such as job b");
    must_read(file_of("m.csv", "job_id,submit_s,duration_s,gpus,depends_on\na,0,1,1,\nb,0,1,1,x7\n"), "csv");
    struct rr_trace_use use = {.trace = &trace, .load_scale = 1, .time_scale = 1, .until_us = 20 * RR_D, .repeat = true, .class_name = "w"};
    struct rr_trace merged;
    size_t left;
    refused_for(rr_trace_merge(&use, 1, arena, &merged, &left), "m.csv: job b depends on \"x7\", which is no job that is replayed");
    use.repeat = false;
    use.resample = true;
    refused_for(rr_trace_merge(&use, 1, arena, &merged, &left), "workload \"w\": jobs that depend on each other cannot be resampled");
}

static void it_takes_its_place_in_the_trace(void **state)
{
    (void)state;
    static const char *const policies[] = {"fifo", "easy_backfill", "conservative_backfill", "priority", "edf", "fair_share"};
    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
        // at 10 b, which waited for a, goes before c, which was in line from 2 on; d before e
        run("a,0,10,1,,\nb,1,5,2,,a\nc,2,7,2,,\nd,3,9,2,,c\ne,4,3,2,,\n", policies[i], RR_NEVER);
        starts(1, 10);
        starts(2, 15);
        starts(3, 22);
        starts(4, 31);
        rr_replay_done(&r);
    }
}

static void afterany_takes_any_end(void **state)
{
    (void)state;
    run("a,0,10,1,failed,\nb,1,5,1,,afterany:a\nc,2,5,1,,afterok:a\nd,3,4,1,,afterany:c\ne,3,4,2,,\nbig,4,1,3,,\nf,5,1,1,,afterany:big;"
        "afterok:e\n"
        "g,6,1,1,,afterok:e;afterany:a\n",
        "fifo", RR_NEVER);
    is(2, RR_JOB_KILLED, RR_WHY_DEPENDENCY);
    starts(1, 10); // in trace order before e
    starts(3, 10); // c was killed at 10
    starts(4, 15);
    starts(6, 19);
    starts(7, 19);
    rr_replay_done(&r);
}

static void thinking_comes_after_the_last_end(void **state)
{
    (void)state;
    must_read(file_of("t.csv", "job_id,submit_s,duration_s,gpus,depends_on,think_s\n"
                               "a,0,10,1,,5\n"       // depends on nobody: does not think
                               "b,1,4,1,a,7.5\n"     // 10 + 7.5
                               "c,2,3,1,a:b,0\n"     // 21.5
                               "d,30,2,1,b,3\n"      // over long before it comes
                               "e,31,2,1,c,10\n"     // 24.5 + 10
                               "f,40,2,1,a:e,1000\n" // 36.5 + 1000: nothing else keeps the replay going
                      ),
              "csv");
    run_trace(&trace, "fifo", RR_NEVER);
    static const int64_t want_ms[] = {0, 17500, 21500, 30000, 34500, 1036500};
    for (int i = 0; i < 6; i++) assert_int_equal(r.outcome[i].start_us, want_ms[i] * 1000);
    rr_replay_done(&r);
    run_trace(&trace, "easy_backfill", 100 * RR_S);
    is(5, RR_JOB_WAITING, RR_WHY_HORIZON);
    rr_replay_done(&r);
}

static void merged(const struct rr_trace_use *use, size_t n, struct rr_trace *ret)
{
    size_t later;
    if (rr_trace_merge(use, n, arena, ret, &later) != RR_OK) fail_msg("%s", rr_reason());
}

static void copies_depend_on_themselves(void **state)
{
    (void)state;
    // a runs 5 days; b behind it, an hour later, whatever became of it; the last copy of a fails as the others
    must_read(file_of("w.csv",
                      "job_id,submit_s,duration_s,gpus,status,depends_on,think_s\na,0,432000,0.1,failed,,\nb,1,7200,0.1,,afterany:a,3600\n"
                      "c,2,7200,0.1,,a,\nx y,3,60,0.1,,,\n"),
              "csv");
    const struct rr_trace_use use[3] = {
        {.trace = &trace, .load_scale = 1, .time_scale = 1, .until_us = 20 * RR_D, .repeat = true, .class_name = "v"},
        {.trace = &trace, .load_scale = 1, .time_scale = 1, .until_us = 20 * RR_D, .class_name = "a:b,c"},
        {.generate = &(const struct rr_generate){.count = 1,
                                                 .gap_us = {.kind = RR_DIST_CONSTANT, .a = 4e6},
                                                 .duration_us = {.kind = RR_DIST_CONSTANT, .a = 6e7},
                                                 .gpus = {.kind = RR_DIST_CONSTANT, .a = 0.1}},
         .load_scale = 1,
         .time_scale = 1,
         .until_us = 20 * RR_D,
         .class_name = "g"}};
    struct rr_trace t;
    char buf[24];
    merged(use, 3, &t);
    assert_int_equal(t.n, 17);
    run_trace(&t, "fifo", RR_NEVER);
    for (size_t i = 0; i < t.n; i++) {
        const char *id = strrchr(rr_trace_id(&t, i, buf), '/') + 1;
        const int64_t copy_us = t.submit_us[i] / (7 * RR_D) * 7 * RR_D;
        if (*id == 'b') assert_int_equal(r.outcome[i].start_us, copy_us + 5 * RR_D + RR_H);
        if (*id == 'c') is(i, RR_JOB_KILLED, RR_WHY_DEPENDENCY);
        if (*id != 'b' && *id != 'c') assert_int_equal(r.outcome[i].start_us, t.submit_us[i]);
    }
    rr_replay_done(&r);
    rr_trace_done(&t);
}

static void who_waits_for_one_behind_the_horizon_waits(void **state)
{
    (void)state;
    must_read(file_of("h.csv", "job_id,submit_s,duration_s,gpus,depends_on\na,0,1,1,z\nb,5,1,1,\nz,90,1,1,\n"), "csv");
    struct rr_trace_use use = {.trace = &trace, .load_scale = 1, .time_scale = 1, .until_us = 50 * RR_S, .class_name = "w"};
    for (int k = 0; k < 2; k++) { // once passed on, once repeated
        struct rr_trace t;
        use.repeat = k == 1;
        merged(&use, 1, &t);
        assert_int_equal(t.n, 2);
        run_trace(&t, "fifo", 50 * RR_S);
        is(0, RR_JOB_WAITING, RR_WHY_HORIZON);
        is(1, RR_JOB_FINISHED, RR_WHY_NONE);
        rr_replay_done(&r);
        rr_trace_done(&t);
    }
}

#define T(f) cmocka_unit_test_setup_teardown(f, help_setup, help_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {T(a_job_waits_for_those_before_it),
                                       T(what_did_not_finish_kills_what_follows),
                                       T(at_the_horizon_it_waits),
                                       T(a_long_chain),
                                       T(what_is_refused),
                                       T(it_takes_its_place_in_the_trace),
                                       T(afterany_takes_any_end),
                                       T(thinking_comes_after_the_last_end),
                                       T(copies_depend_on_themselves),
                                       T(who_waits_for_one_behind_the_horizon_waits)};
    return cmocka_run_group_tests(tests, help_start, help_end);
}
