/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_depends.c - jobs that depend on others, worked out by hand on two GPUs. */
#include "tests/trace_help.h"
#include "sim/engine/engine.h"

static const struct rr_node_shape two = {.gpus = 2, .gpu = "", .name = ""};
static struct rr_replay r;

static enum rr_status try_run(const char *rows, const char *policy, int64_t horizon_us)
{
    must_read(file_of("d.csv", rr_strf(arena, "job_id,submit_s,duration_s,gpus,status,depends_on\n%s", rows)), "csv");
    static struct rr_pool pool;
    pool = (struct rr_pool){
        .name = "p", .pointer = "/pools/p", .region = "", .gpu = "", .shape = &two, .n_shapes = 1, .nodes_min = 1, .nodes_max = 1};
    const struct rr_scenario s = {
        .pool = &pool, .n_pools = 1, .scheduler = {.policy = rr_kind_find(rr_policies, policy), .blocking = true}};
    const struct rr_world w = {.scenario = &s, .trace = &trace, .horizon_us = horizon_us};
    const enum rr_status st = rr_engine_run(&w, &r);
    if (st != RR_OK) return st;
    if (rr_replay_check_jobs(&w, &r, NULL) != RR_OK || rr_replay_check_time(&w, &r, NULL) != RR_OK) fail_msg("%s", rr_reason());
    return st;
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
    must_read(file_of("m.csv", "job_id,submit_s,duration_s,gpus,depends_on\na,0,1,1,\nb,0,1,1,a\n"), "csv");
    const struct rr_trace_use use[2] = {{.trace = &trace, .load_scale = 1, .time_scale = 1, .until_us = RR_NEVER, .class_name = "w"},
                                        {.trace = &trace, .load_scale = 1, .time_scale = 1, .until_us = RR_NEVER, .class_name = "v"}};
    struct rr_trace merged;
    size_t left;
    refused_for(rr_trace_merge(use, 2, arena, &merged, &left),
                "workload \"w\": jobs that depend on each other can be neither repeated nor mixed");
}

#define T(f) cmocka_unit_test_setup_teardown(f, help_setup, help_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {T(a_job_waits_for_those_before_it), T(what_did_not_finish_kills_what_follows),
                                       T(at_the_horizon_it_waits), T(a_long_chain), T(what_is_refused)};
    return cmocka_run_group_tests(tests, help_start, help_end);
}
