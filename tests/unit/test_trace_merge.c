/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_trace_merge.c - scaling, repeating, generating and merging workloads. */
#include "tests/trace_help.h"
#include <math.h>

static struct rr_trace merged;
static size_t left_out;

static int setup(void **state)
{
    left_out = 999;
    return help_setup(state);
}
static int teardown(void **state)
{
    rr_trace_done(&merged);
    return help_teardown(state);
}

static struct rr_trace read_text(const char *text)
{
    must_read(file_of("t.csv", text), "csv");
    const struct rr_trace t = trace;
    trace = (struct rr_trace){0};
    return t;
}
static struct rr_trace_use use_of(const struct rr_trace *t, const char *name)
{
    return (struct rr_trace_use){.trace = t, .load_scale = 1, .time_scale = 1, .until_us = RR_NEVER, .class_name = name};
}
static enum rr_status merge(const struct rr_trace_use *use, size_t n)
{
    rr_trace_done(&merged);
    return rr_trace_merge(use, n, arena, &merged, &left_out);
}
static void must_merge(const struct rr_trace_use *use, size_t n)
{
    if (merge(use, n) != RR_OK) fail_msg("%s", rr_reason());
}
static const char *id(size_t i)
{
    static char buf[24];
    return rr_trace_id(&merged, i, buf);
}

static void one_trace_is_borrowed(void **state)
{
    (void)state;
    struct rr_trace t = read_text("submit_s,duration_s,gpus,estimate_s\n3,10,1,20\n5,20,2,20\n9,30,4,40\n");
    struct rr_trace_use u = use_of(&t, "prod");
    must_merge(&u, 1);
    assert_ptr_equal(merged.lender, &t);
    assert_ptr_equal(merged.run_us, t.run_us);
    assert_int_equal(merged.n, 3);
    assert_int_equal(left_out, 0);
    assert_int_equal(merged.submit_us[0], 3 * RR_S);
    assert_int_equal(merged.n_classes, 1);
    assert_string_equal(merged.class_name[0], "prod");
    assert_true(merged.has_estimates);

    // Cut: the row at the very end of the horizon is left out.
    u.until_us = 9 * RR_S;
    must_merge(&u, 1);
    assert_int_equal(merged.n, 2);
    assert_int_equal(left_out, 1);

    // Gaps are divided (6 s / 1.6 = 3.75 s), times multiplied (10 s x 0.35 = 3.5 s), and the trace stays as it was.
    u.until_us = RR_NEVER;
    u.load_scale = 1.6;
    u.time_scale = 0.35;
    must_merge(&u, 1);
    assert_int_equal(merged.submit_us[0], 3 * RR_S);
    assert_int_equal(merged.submit_us[2], 6750000);
    assert_int_equal(merged.run_us[0], 3500000);
    assert_int_equal(merged.estimate_us[2], 14 * RR_S);
    assert_ptr_equal(merged.gpus_milli, t.gpus_milli);
    assert_int_equal(t.run_us[0], 10 * RR_S);
    rr_trace_done(&merged);
    rr_trace_done(&t);
}

static void classes_are_named(void **state)
{
    (void)state;
    struct rr_trace t = read_text("submit_s,duration_s,gpus,class\n0,1,1,train\n1,1,1,\n2,1,1,prod\n3,1,1,train\n");
    struct rr_trace_use u = use_of(&t, "other");
    must_merge(&u, 1);
    static const char *const want[] = {"train", "other", "prod", "train"};
    for (size_t i = 0; i < 4; i++) assert_string_equal(merged.class_name[merged.class_id[i]], want[i]);
    u = use_of(&t, "prod"); // a class of the workload's own name
    must_merge(&u, 1);
    assert_int_equal(merged.class_id[1], merged.class_id[2]);
    assert_string_equal(merged.class_name[merged.class_id[1]], "prod");
    rr_trace_done(&merged);

    struct rr_trace plain = read_text("submit_s,duration_s,gpus\n0,1,1\n");
    const struct rr_trace_use two[] = {use_of(&plain, "web"), use_of(&t, "batch")};
    must_merge(two, 2);
    assert_int_equal(merged.n, 5);
    static const char *const both[] = {"web", "train", "batch", "prod", "train"};
    for (size_t i = 0; i < 5; i++) assert_string_equal(merged.class_name[merged.class_id[i]], both[i]);
    rr_trace_done(&plain);
    rr_trace_done(&t);
}

static void merged_in_order(void **state)
{
    (void)state;
    struct rr_trace a = read_text("job_id,submit_s,duration_s,gpus,user,gpu_type,status\nx,0,1,1,ann,T4,ok\ny,5,2,1,bob,A10|T4,failed\n");
    struct rr_trace b =
        read_text("submit_s,duration_s,gpus,user,gpu_type,estimate_s,time_limit_s\n0,3,1,bob,A10,30,60\n4,4,1,,,,\n5,5,1,cy,V100,,\n");
    const struct rr_trace_use use[] = {use_of(&a, "A"), use_of(&b, "B")};
    must_merge(use, 2);
    assert_null(merged.lender);
    static const char *const ids[] = {"A/x", "B/1", "B/2", "A/y", "B/3"};
    static const char *const users[] = {"ann", "bob", "", "bob", "cy"};
    const int64_t run[] = {1, 3, 4, 2, 5}, estimate[] = {1, 30, 4, 2, 5};
    assert_int_equal(merged.n, 5);
    for (size_t i = 0; i < 5; i++) {
        assert_string_equal(id(i), ids[i]);
        assert_string_equal(merged.user_name[merged.user_id[i]], users[i]);
        assert_int_equal(merged.run_us[i], run[i] * RR_S);
        assert_int_equal(merged.estimate_us[i], estimate[i] * RR_S);
        assert_int_equal(merged.limit_us[i], i == 1 ? 60 * RR_S : RR_NEVER);
        assert_int_equal(merged.state[i], i == 3 ? RR_TRACE_FAILED : RR_TRACE_OK);
    }
    assert_string_equal(merged.gpu_type_name[0], "T4");
    assert_string_equal(merged.gpu_type_name[1], "A10");
    const uint64_t types[] = {1, 2, 0, 3, 4};
    assert_memory_equal(merged.gpu_types, types, sizeof types);
    assert_int_equal(merged.rows, 5);
    rr_trace_done(&a);
    rr_trace_done(&b);
}

static void repeated_by_weeks(void **state)
{
    (void)state;
    // A span of 8.5 days: a period of two weeks.
    struct rr_trace t = read_text("submit_s,duration_s,gpus\n1000,1,1\n2000,2,2\n735400,3,4\n");
    struct rr_trace_use u = use_of(&t, "w");
    u.repeat = true;
    u.until_us = 4 * RR_WEEK + 2000 * RR_S; // two repetitions, and of the third the first row
    must_merge(&u, 1);
    assert_int_equal(merged.n, 7);
    assert_int_equal(left_out, 0);
    assert_int_equal(merged.submit_us[3], 2 * RR_WEEK + 1000 * RR_S);
    assert_int_equal(merged.submit_us[6], 4 * RR_WEEK + 1000 * RR_S);
    assert_int_equal(merged.gpus_milli[5], 4000);
    assert_string_equal(id(6), "7");
    u.until_us = 2000 * RR_S; // within the first pass
    must_merge(&u, 1);
    assert_int_equal(merged.n, 1);
    assert_int_equal(left_out, 2);
    rr_trace_done(&t);

    // Exactly a week is a week; ids get the number of the repetition.
    t = read_text("job_id,submit_s,duration_s,gpus\na,0,1,1\nb,604800,2,2\n");
    u = use_of(&t, "w");
    u.repeat = true;
    u.until_us = 2 * RR_WEEK;
    must_merge(&u, 1);
    static const char *const ids[] = {"a", "b", "a#2"};
    assert_int_equal(merged.n, 3);
    for (size_t i = 0; i < 3; i++) assert_string_equal(id(i), ids[i]);
    assert_int_equal(merged.submit_us[1], merged.submit_us[2]);
    rr_trace_done(&t);

    // One instant: a period of one week.
    t = read_text("submit_s,duration_s,gpus\n5,1,1\n");
    u = use_of(&t, "w");
    u.repeat = true;
    u.until_us = 3 * RR_WEEK;
    must_merge(&u, 1);
    assert_int_equal(merged.n, 3);
    assert_int_equal(merged.submit_us[2], 2 * RR_WEEK + 5 * RR_S);
    rr_trace_done(&t);
}

static const struct rr_generate poisson = {
    .count = 20000,
    .gap_us = {.kind = RR_DIST_EXPONENTIAL, .a = 2.5e6},
    .duration_us = {.kind = RR_DIST_LOGNORMAL, .a = 600e6, .b = 1.5},
    .gpus = {.kind = RR_DIST_CHOICE, .n = 3, .value = (const double[]){0.25, 1, 8}, .upto = (const double[]){0.2, 0.7, 1}}};

static void generated(void **state)
{
    (void)state;
    struct rr_trace_use u = {.generate = &poisson, .seed = 7, .load_scale = 1, .time_scale = 1, .until_us = RR_NEVER, .class_name = "g"};
    must_merge(&u, 1);
    const size_t n = merged.n;
    assert_int_equal(n, 20000);
    assert_null(merged.lender);
    double gap = 0, gap2 = 0, log_run = 0, gpus = 0;
    for (size_t i = 0; i < n; i++) {
        const double g = (double)(merged.submit_us[i] - (i ? merged.submit_us[i - 1] : 0)) * 1e-6;
        assert_true(g >= 0);
        gap += g / (double)n;
        gap2 += g * g / (double)n;
        log_run += log((double)merged.run_us[i] * 1e-6) / (double)n;
        gpus += merged.gpus_milli[i] * 1e-3 / (double)n;
    }
    // Four standard errors: exponential 2.5 / sqrt(n), its square 20^0.5 x 2.5^2 / sqrt(n), log-normal 1.5 / sqrt(n), choice sd 3.26.
    const double root = sqrt((double)n);
    assert_true(fabs(gap - 2.5) < 4 * 2.5 / root);
    assert_true(fabs(gap2 - 12.5) < 4 * 6.25 * sqrt(20) / root);
    assert_true(fabs(log_run - log(600)) < 4 * 1.5 / root);
    assert_true(fabs(gpus - (0.2 * 0.25 + 0.5 * 1 + 0.3 * 8)) < 4 * 3.5 / root);

    // Job i draws the same whatever the count, the horizon or the other workloads are.
    struct rr_trace first = merged;
    merged = (struct rr_trace){0};
    u.until_us = first.submit_us[5000];
    must_merge(&u, 1);
    assert_int_equal(merged.n, 5000);
    assert_int_equal(left_out, 15000);
    assert_memory_equal(merged.run_us, first.run_us, 5000 * sizeof *first.run_us);
    struct rr_trace t = read_text("submit_s,duration_s,gpus\n0,77,1\n");
    struct rr_trace_use two[] = {use_of(&t, "t"), u};
    must_merge(two, 2);
    assert_int_equal(merged.n, 5001);
    assert_string_equal(id(1), "g/1");
    assert_memory_equal(merged.run_us + 1, first.run_us, 5000 * sizeof *first.run_us);
    rr_trace_done(&t);

    // Another stream, replication or seed draws otherwise; scales act on the same draws.
    for (int k = 0; k < 3; k++) {
        struct rr_trace_use other = u;
        if (k == 0) other.stream = 1;
        if (k == 1) other.replication = 1;
        if (k == 2) other.seed = 8;
        must_merge(&other, 1);
        assert_true(merged.run_us[0] != first.run_us[0]);
        assert_true(merged.submit_us[0] != first.submit_us[0]);
    }
    u.until_us = RR_NEVER;
    u.load_scale = 2;
    u.time_scale = 3;
    must_merge(&u, 1);
    assert_true(llabs(merged.submit_us[0] * 2 - first.submit_us[0]) <= 1);
    assert_true(llabs(merged.run_us[9] - first.run_us[9] * 3) <= 2);
    rr_trace_done(&first);
}

static void what_is_refused(void **state)
{
    (void)state;
    struct rr_trace t = read_text("submit_s,duration_s,gpus\n0,1,1\n1000,1,1\n");
    struct rr_trace_use u = use_of(&t, "w");
    u.repeat = true;
    refused_for(merge(&u, 1), "workload \"w\": a repeated workload needs a horizon");
    u = use_of(&t, "w");
    u.load_scale = 0;
    refused_for(merge(&u, 1), "workload \"w\": load_scale and time_scale must be above 0");
    u.load_scale = 1e-12;
    refused_for(merge(&u, 1), "workload \"w\": load_scale 1e-12 makes the trace longer than 1,000 years");
    u = use_of(&t, "w");
    u.time_scale = 1e12;
    refused_for(merge(&u, 1), "workload \"w\": time_scale 1e+12 makes a time longer than 1,000 years");
    struct rr_generate g = poisson;
    u = (struct rr_trace_use){.generate = &g, .load_scale = 1, .time_scale = 1, .until_us = RR_NEVER, .class_name = "g"};
    g.duration_us = (struct rr_dist){.kind = RR_DIST_NORMAL, .a = 1e6, .b = 1e6};
    refused_for(merge(&u, 1), "workload \"g\": the duration drawn for job |below 0");
    g.duration_us = poisson.duration_us;
    g.gap_us = (struct rr_dist){.kind = RR_DIST_CONSTANT, .a = 3e12};
    refused_for(merge(&u, 1), "workload \"g\": job |arrives after 1,000 years");
    g.gap_us = poisson.gap_us;
    g.gpus = (struct rr_dist){.kind = RR_DIST_CONSTANT, .a = 3e6};
    refused_for(merge(&u, 1), "workload \"g\": more than 2,147,483 GPUs");
    rr_trace_done(&t);
}

static void nothing_at_all(void **state)
{
    (void)state;
    must_merge(NULL, 0);
    assert_int_equal(merged.n, 0);
    assert_int_equal(left_out, 0);
    struct rr_trace t = read_text("submit_s,duration_s,gpus\n10,1,1\n");
    struct rr_trace_use u = use_of(&t, "w");
    u.until_us = 5 * RR_S;
    must_merge(&u, 1);
    assert_int_equal(merged.n, 0);
    assert_int_equal(left_out, 1);
    const struct rr_trace_use two[] = {u, u};
    must_merge(two, 2);
    assert_int_equal(merged.n, 0);
    assert_int_equal(left_out, 2);
    rr_trace_done(&t);
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {T(one_trace_is_borrowed), T(classes_are_named), T(merged_in_order),
                                       T(repeated_by_weeks),     T(generated),         T(what_is_refused),
                                       T(nothing_at_all)};
    return cmocka_run_group_tests(tests, help_start, help_end);
}
