/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_hindcast.c - the rules that made a schedule are found again; schedules of a few jobs looked at by hand; recorded starts. */
#include "tests/trace_help.h"
#include "data/base/rng.h"
#include "sim/engine/engine.h"
#include "sim/study/hindcast.h"
#include <math.h>

static const struct rr_node_shape seven = {.gpus = 7, .gpu = "", .name = ""};
static const struct rr_pool fleet = {
    .name = "f", .pointer = "/pools/f", .region = "", .gpu = "", .shape = &seven, .n_shapes = 1, .nodes_min = 1, .nodes_max = 1};

/* Jobs of 1 to 7 GPUs at a load of about 0.75, with estimates up to 5 times their run times. */
static const char *random_trace(size_t n)
{
    struct rr_buf b = {0};
    struct rr_rng r;
    rr_rng_init(&r, 5, 0, RR_RNG_ARRIVAL, 0);
    rr_buf_puts(&b, "job_id,submit_s,duration_s,gpus,estimate_s\n");
    double at = 0;
    for (size_t i = 0; i < n; i++) {
        at += 1500 * rr_rng_uniform(&r);
        const int run = 60 + (int)(1800 * rr_rng_uniform(&r));
        rr_buf_putf(&b, "%zu,%d,%d,%d,%d\n", i + 1, (int)at, run, 1 + (int)(7 * rr_rng_uniform(&r)),
                    run + (int)(4 * run * rr_rng_uniform(&r)));
    }
    const char *path = file_of("random.csv", rr_buf_text(&b));
    rr_buf_done(&b);
    return path;
}

/* `trace` gets the starts that the rules give as its recorded ones. */
static void record(const char *policy, int order, bool blocking)
{
    struct rr_pool pool = fleet;
    const struct rr_scenario s = {
        .pool = &pool, .n_pools = 1, .scheduler = {.policy = rr_kind_find(rr_policies, policy), .order = order, .blocking = blocking}};
    const struct rr_world w = {.scenario = &s, .trace = &trace, .horizon_us = RR_NEVER};
    struct rr_replay r;
    if (rr_engine_run(&w, &r) != RR_OK) fail_msg("%s", rr_reason());
    trace.waited_us = rr_xrealloc(trace.waited_us, trace.n, sizeof *trace.waited_us);
    for (size_t i = 0; i < trace.n; i++) trace.waited_us[i] = r.outcome[i].start_us - trace.submit_us[i];
    rr_replay_done(&r);
}

static struct rr_hindcast hindcast(const struct rr_kind *policy)
{
    struct rr_hindcast h;
    if (rr_hindcast_run(&trace, &fleet, &(struct rr_hindcast_options){.policy = policy}, arena, &h) != RR_OK) fail_msg("%s", rr_reason());
    return h;
}

static void the_rules_that_made_it_are_found(void **state)
{
    (void)state;
    static const struct {
        const char *policy;
        int order;
        bool blocking;
        const char *rules;
    } made[] = {{"fifo", 0, true, "blocking"},
                {"fifo", 0, false, "not blocking"},
                {"easy_backfill", 0, true, "order arrival, estimate user"},
                {"easy_backfill", 1, true, "order shortest, estimate user"},
                {"sjf", 0, true, "estimate user"}};
    must_read(random_trace(2000), "csv");
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
        record(made[i].policy, made[i].order, made[i].blocking);
        const struct rr_hindcast h = hindcast(NULL);
        assert_string_equal(h.trial[0].policy, made[i].policy);
        assert_string_equal(h.trial[0].rules, made[i].rules);
        assert_true(h.error == 0);
        assert_int_equal(h.jobs, 2000);
        assert_int_equal(h.first_half, 1000);
        assert_true(h.all[1].recorded_mean_s == h.all[1].simulated_mean_s && h.all[1].recorded_used == h.all[1].simulated_used);
        double jobs = 0, share = 0;
        for (size_t k = 0; k < h.size.n; k++) jobs += (double)h.size.at[k].jobs, share += h.size.at[k].recorded_used;
        assert_true(jobs == 1000 && fabs(share - 1) < 1e-9);
        for (size_t k = 1; k < h.n_trials; k++) assert_true(h.trial[k].error >= h.trial[k - 1].error);
    }
    const struct rr_hindcast h = hindcast(rr_kind_find(rr_policies, "easy_backfill"));
    assert_int_equal(h.n_trials, 5);
}

/* Two GPUs. Job 1 (2 GPUs) runs 0-10. Job 2 (2 GPUs), there from 1, starts at 21 although all is free from 10 to 15; job 3 (2 GPUs) comes at 2 and
 * runs 15-20; job 4 (1 GPU) comes and starts at 21.5 beyond the fleet. */
static void a_schedule_is_looked_at(void **state)
{
    (void)state;
    int64_t submit[] = {0, 1 * RR_S, 2 * RR_S, 21 * RR_S}, run[] = {10 * RR_S, 4 * RR_S, 5 * RR_S, 1 * RR_S};
    int32_t milli[] = {2000, 2000, 2000, 1000};
    const int64_t start[] = {0, 21 * RR_S, 15 * RR_S, 21 * RR_S + 500000};
    const struct rr_trace t = {.n = 4, .submit_us = submit, .run_us = run, .gpus_milli = milli};
    struct rr_schedule_facts f;
    rr_schedule_look(&t, start, 2000, &f);
    assert_true(f.wait_job_us == (20 + 13 + 0.5) * RR_S);
    assert_true(f.wait_free_job_us == (5 + 5 + 1) * RR_S); // both from 10 to 15, job 2 from 20 to 21
    assert_int_equal(f.peak_milli, 3000);
    assert_int_equal(f.started, 4);
    assert_int_equal(f.overtaken, 1);
}

static void starts_come_from_the_trace(void **state)
{
    (void)state;
    must_read(file_of("s.csv", "submit_s,duration_s,gpus,start_s\n3,2,1,7.25\n4,2,1,\n5,2,1,5\n"), "csv");
    assert_int_equal(trace.waited_us[0], 4250000);
    assert_true(trace.waited_us[1] == RR_NEVER);
    assert_int_equal(trace.waited_us[2], 0);
    must_read(file_of("d.csv", "submit_s,duration_s,gpus,start_s\n2026-01-01T00:00:10Z,2,1,2026-01-01T00:01:00Z\n"), "csv");
    assert_int_equal(trace.waited_us[0], 50 * RR_S);
    must_read(file_of("w.csv", "submit_s,duration_s,gpus,queue\n3,2,1,7.25\n4,2,1,\n5,2,1,0\n"), "csv"); // not ours
    assert_null(trace.waited_us);
    must_read(file_of("w.csv", "submit_s,duration_s,gpus,wait_s\n3,2,1,7.25\n4,2,1,\n5,2,1,0\n"), "csv");
    assert_int_equal(trace.waited_us[0], 7250000);
    assert_true(trace.waited_us[1] == RR_NEVER);
    assert_int_equal(trace.waited_us[2], 0);
    must_read(file_of("w.csv", "submit_s,duration_s,gpus,wait_s,start_s\n3,2,1,9,7.25\n"), "csv"); // as our jobs.csv: the start
    assert_int_equal(trace.waited_us[0], 4250000);
    must_read(file_of("s.swf", "1 100 17 5 2 -1 -1 2 60 -1 1 3 1 1 1 1 -1 -1\n2 101 -1 5 2 -1 -1 2 60 -1 1 3 1 1 1 1 -1 -1\n"), "swf");
    assert_int_equal(trace.waited_us[0], 17 * RR_S);
    assert_true(trace.waited_us[1] == RR_NEVER);
    must_read(file_of("n.csv", "submit_s,duration_s,gpus\n3,2,1\n"), "csv");
    assert_null(trace.waited_us);
    refused_for(try_read(file_of("b.csv", "submit_s,duration_s,gpus,start_s\n3,2,1,2\n"), "csv", 0),
                ":2:|the recorded start is before the submit");
    refused_for(try_read(file_of("b.csv", "submit_s,duration_s,gpus,wait_s\n3,2,1,-1\n"), "csv", 0), ":2:|before the submit");
    refused_for(try_read(file_of("m.csv", "submit_s,duration_s,gpus,start_s\n3,2,1,2026-01-01\n"), "csv", 0), "start_s holds dates");
}

static void what_cannot_be_compared_is_refused(void **state)
{
    (void)state;
    struct rr_hindcast h;
    must_read(file_of("n.csv", "submit_s,duration_s,gpus\n3,2,1\n4,2,1\n"), "csv");
    refused_for(rr_hindcast_run(&trace, &fleet, &(struct rr_hindcast_options){0}, arena, &h), "n.csv|no recorded start|start_s");
    must_read(file_of("h.csv", "submit_s,duration_s,gpus,start_s\n3,2,1,4\n4,2,1,\n"), "csv");
    refused_for(rr_hindcast_run(&trace, &fleet, &(struct rr_hindcast_options){0}, arena, &h), "no recorded start in one half");
}

/* Recorded means as in the archive's own statistics: 15,296 s of KTH-SP2, 5,463 s of the CEA-Curie sample; EASY on the latter waits 381.6 s. */
static void public_logs(void **state)
{
    (void)state;
    static const struct rr_node_shape one = {.gpus = 1, .gpu = "", .name = ""};
    struct rr_pool p = fleet;
    p.shape = &one;
    p.nodes_min = p.nodes_max = 100;
    must_read(shared("traces/swf/KTH-SP2-1996-2.1-cln.swf.gz"), "swf");
    struct rr_hindcast h;
    if (rr_hindcast_run(&trace, &p, &(struct rr_hindcast_options){0}, arena, &h) != RR_OK) fail_msg("%s", rr_reason());
    double n[2] = {(double)h.all[0].jobs, (double)h.all[1].jobs};
    assert_true(fabs((n[0] * h.all[0].recorded_mean_s + n[1] * h.all[1].recorded_mean_s) / (n[0] + n[1]) - 15296) < 1);
    must_read(shared("traces/swf/CEA-curie_sample_30k.swf.gz"), "swf");
    p.nodes_min = p.nodes_max = 93312;
    if (rr_hindcast_run(&trace, &p, &(struct rr_hindcast_options){.policy = rr_kind_find(rr_policies, "fifo")}, arena, &h) != RR_OK)
        fail_msg("%s", rr_reason());
    n[0] = (double)h.all[0].jobs, n[1] = (double)h.all[1].jobs;
    assert_true(fabs((n[0] * h.all[0].recorded_mean_s + n[1] * h.all[1].recorded_mean_s) / (n[0] + n[1]) - 5463) < 1);
}

#define test(f) cmocka_unit_test_setup_teardown(f, help_setup, help_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {test(the_rules_that_made_it_are_found), test(a_schedule_is_looked_at),
                                       test(starts_come_from_the_trace), test(what_cannot_be_compared_is_refused), test(public_logs)};
    return cmocka_run_group_tests(tests, help_start, help_end);
}
