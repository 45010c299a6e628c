/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_arrays.c - job arrays with a limit, worked out by hand on 8 GPUs. */
#include "tests/trace_help.h"
#include "sim/engine/engine.h"

static const struct rr_node_shape eight = {.gpus = 8, .gpu = "", .name = ""};
static struct rr_replay r;

static void replay(const struct rr_trace *t, const char *policy, int64_t horizon_us)
{
    static struct rr_pool pool;
    pool = (struct rr_pool){
        .name = "p", .pointer = "/pools/p", .region = "", .gpu = "", .shape = &eight, .n_shapes = 1, .nodes_min = 1, .nodes_max = 1};
    const struct rr_scenario s = {
        .pool = &pool, .n_pools = 1, .scheduler = {.policy = rr_kind_find(rr_policies, policy), .blocking = true}};
    const struct rr_world w = {.scenario = &s, .trace = t, .horizon_us = horizon_us};
    if (rr_engine_run(&w, &r) != RR_OK) fail_msg("%s", rr_reason());
    if (rr_replay_check_jobs(&w, &r, NULL) != RR_OK || rr_replay_check_time(&w, &r, NULL) != RR_OK) fail_msg("%s", rr_reason());
}
#define HEADER "job_id,submit_s,duration_s,gpus,status,depends_on,array,array_limit\n"
static void run(const char *rows, const char *policy, int64_t horizon_us)
{
    must_read(file_of("a.csv", rr_strf(arena, HEADER "%s", rows)), "csv");
    replay(&trace, policy, horizon_us);
}
#define starts(i, s) assert_int_equal(r.outcome[i].start_us, (s)*RR_S)

static const char *tasks(int n, int run_s, int limit)
{
    struct rr_buf b = {0};
    for (int i = 0; i < n; i++) rr_buf_putf(&b, i ? "x%d,0,%d,1,,,x,\n" : "x%d,0,%d,1,,,x,%d\n", i, run_s, limit);
    const char *rows = rr_strdup(arena, rr_buf_text(&b));
    rr_buf_done(&b);
    return rows;
}

// n tasks of one length, at most k at once, room for all: ceil(n / k) lengths, the i-th one begins with length i / k.
static void tasks_go_by_the_limit(void **state)
{
    (void)state;
    static const int case_of[][3] = {{7, 9000, 3}, {8, 61, 8}, {8, 61, 7}, {5, 17, 1}, {6, 13, 900}};
    for (size_t p = 0; p < rr_policies.n; p++) {
        if (strncmp(rr_policies.at[p]->name, "deadline_", 9) == 0) continue; // they need a deadline
        for (size_t k = 0; k < sizeof case_of / sizeof *case_of; k++) {
            const int n = case_of[k][0], s = case_of[k][1], limit = case_of[k][2];
            run(tasks(n, s, limit), rr_policies.at[p]->name, RR_NEVER);
            for (int i = 0; i < n; i++) starts(i, (int64_t)(i / limit) * s);
            assert_int_equal(r.end_us, (int64_t)((n + limit - 1) / limit) * s * RR_S); // 7 of 2.5 h, 3 at once: 7.5 h
            rr_replay_done(&r);
        }
    }
}

static void each_array_has_its_own(void **state)
{
    (void)state;
    // x one at a time, y two; z has no limit; the job behind is held back by none of them
    run("a,0,10,1,,,x,1\nb,0,5,1,,,y,2\nc,0,7,1,,,z,\nd,0,3,1,,,x,1\ne,0,4,1,,,y,\nf,0,6,1,,,y,2\ng,0,2,1,,,z,\nh,0,1,1,,,,\n", "fifo",
        RR_NEVER);
    static const int want[] = {0, 0, 0, 10, 0, 4, 0, 0};
    for (int i = 0; i < 8; i++) starts(i, want[i]);
    rr_replay_done(&r);
}

static void a_place_is_freed_by_any_end(void **state)
{
    (void)state;
    // too large, never started: no place taken; failed and killed ones give it back
    run("a,0,5,9,,,x,1\nb,0,,1,never_started,,x,\nc,0,5,1,failed,,x,\nd,0,6,1,killed,,x,\ne,1,2,1,,,x,\n", "fifo", RR_NEVER);
    starts(2, 0);
    starts(3, 5);
    starts(4, 11);
    rr_replay_done(&r);
}

static void what_it_depends_on_comes_first(void **state)
{
    (void)state;
    // x1 waits for z until 10 and takes no place; then it is before x3, which was held earlier
    run("z,0,10,1,,,,\nx1,0,5,1,,z,x,1\nx2,1,20,1,,,x,\nx3,2,7,1,,,x,\n", "fifo", RR_NEVER);
    starts(2, 1);
    starts(1, 21);
    starts(3, 26);
    rr_replay_done(&r);
    // of 4 tasks, each behind the one before, two may run: one does
    run("a,0,3,1,,,x,2\nb,0,3,1,,a,x,\nc,0,3,1,,b,x,\nd,0,3,1,,c,x,\n", "fifo", RR_NEVER);
    starts(3, 9);
    rr_replay_done(&r);
    // x2 is killed with z while x1 has the only place: x3 is next
    run("z,0,4,1,failed,,,\nx1,0,10,1,,,x,1\nx2,1,5,1,,z,x,\nx3,2,7,1,,,x,\n", "fifo", RR_NEVER);
    assert_int_equal(r.outcome[2].reason, RR_WHY_DEPENDENCY);
    starts(3, 10);
    rr_replay_done(&r);
}

static void an_interrupted_task_keeps_its_place(void **state)
{
    (void)state;
    // c takes all 8 GPUs from a at 5; b, held since 1, starts when a has ended: 5 s + 10 s of c + the other 95 s
    run("a,0,100,1,,,x,1\nb,1,100,1,,,x,\nc,5,10,8,,,,\n", "srtf", RR_NEVER);
    assert_int_equal(r.outcome[0].attempts, 2);
    assert_int_equal(r.outcome[0].end_us, 110 * RR_S);
    starts(2, 5);
    starts(1, 110);
    rr_replay_done(&r);
}

static void at_the_horizon_it_waits(void **state)
{
    (void)state;
    run(tasks(7, 9000, 3), "easy_backfill", 10000 * RR_S);
    for (int i = 0; i < 7; i++) {
        assert_int_equal(r.outcome[i].state, i < 3 ? RR_JOB_FINISHED : i < 6 ? RR_JOB_RUNNING : RR_JOB_WAITING);
        assert_int_equal(r.outcome[i].reason, i < 3 ? RR_WHY_NONE : RR_WHY_HORIZON);
    }
    assert_int_equal(r.queue_max, 0); // nothing is ever in the policy's hands that does not start at once
    rr_replay_done(&r);
}

static void many_in_any_order(void **state)
{
    (void)state;
    // 900 tasks behind as many gates, which open one by one from the last to the first while the first task to be freed runs: then in order
    struct rr_buf b = {0};
    const int n = 900;
    for (int i = 0; i < n; i++) rr_buf_putf(&b, "g%d,0,%d,0.005,,,,\n", i, n - i);
    for (int i = 0; i < n; i++) rr_buf_putf(&b, "t%d,0,2000,1,,g%d,x,1\n", i, i);
    run(rr_buf_text(&b), "fifo", RR_NEVER);
    starts(n + n - 1, 1);
    for (int i = 0; i < n - 1; i++) starts(n + i, 2001 + i * 2000);
    rr_replay_done(&r);
    rr_buf_done(&b);
}

static void copies_keep_to_themselves(void **state)
{
    (void)state;
    must_read(file_of("a.csv", HEADER "a,0,432000,1,,,x,1\nb,0,432000,1,,,x,\n"), "csv"); // 5 days each
    struct rr_trace merged;
    size_t later;
    struct rr_trace_use use[2] = {
        {.trace = &trace, .load_scale = 1, .time_scale = 1, .until_us = 14 * RR_D, .repeat = true, .class_name = "v"},
        {.trace = &trace, .load_scale = 1, .time_scale = 1, .until_us = 14 * RR_D, .class_name = "w"}};
    if (rr_trace_merge(use, 2, arena, &merged, &later) != RR_OK) fail_msg("%s", rr_reason());
    assert_int_equal(merged.n, 6);
    replay(&merged, "fifo", RR_NEVER);
    static const int day[] = {0, 5, 0, 5, 7, 12}; // v/a v/b w/a w/b v/a#2 v/b#2
    for (int i = 0; i < 6; i++) starts(i, (int64_t)day[i] * 86400);
    rr_replay_done(&r);
    rr_trace_done(&merged);
    if (rr_trace_merge(&use[1], 1, arena, &merged, &later) != RR_OK) fail_msg("%s", rr_reason()); // columns are borrowed
    replay(&merged, "fifo", RR_NEVER);
    starts(1, 432000);
    rr_replay_done(&r);
    rr_trace_done(&merged);
}

static enum rr_status try_rows(const char *rows) { return try_read(file_of("a.csv", rr_strf(arena, HEADER "%s", rows)), "csv", 0.01); }

static void what_is_refused(void **state)
{
    (void)state;
    refused_for(try_rows("a,0,5,1,,,x,3\nb,0,5,1,,,y,4\nc,0,5,1,,,x,\nd,0,5,1,,,x,4\n"),
                "a.csv:5: array \"x\" has the array_limit 4 here and 3 on line 2");
    refused_for(try_rows("a,0,5,1,,,x,0\n"), "a.csv:2: the array_limit is not 1 or more");
    refused_for(try_rows("a,0,5,1,,,x,-2\n"), "a.csv:2: the array_limit is not 1 or more");
    refused_for(try_rows("a,0,5,1,,,,2\n"), "a.csv:2: an array_limit without an array");
    refused_for(try_rows("a,0,5,1,,,x,1.5\n"), "a.csv:2: array_limit is no whole number: \"1.5\"");
}

static void without_limits_nothing_is_kept(void **state)
{
    (void)state;
    must_read(file_of("a.csv", HEADER "a,0,5,1,,,x,\nb,0,5,1,,,x,\n"), "csv");
    assert_null(trace.array_id);
    assert_int_equal(trace.n_arrays, 0);
}

#define T(f) cmocka_unit_test_setup_teardown(f, help_setup, help_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {T(tasks_go_by_the_limit),
                                       T(each_array_has_its_own),
                                       T(a_place_is_freed_by_any_end),
                                       T(what_it_depends_on_comes_first),
                                       T(an_interrupted_task_keeps_its_place),
                                       T(at_the_horizon_it_waits),
                                       T(many_in_any_order),
                                       T(copies_keep_to_themselves),
                                       T(what_is_refused),
                                       T(without_limits_nothing_is_kept)};
    return cmocka_run_group_tests(tests, help_start, help_end);
}
