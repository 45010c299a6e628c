/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_trace_csv.c - our own columns, foreign ones through a mapping, and everything that is wrong with a row. */
#include "tests/trace_help.h"

#define HEAD "job_id,submit_s,duration_s,gpus\n"

static void four_columns(void **state)
{
    (void)state;
    must_read(file_of("t.csv", HEAD "1,0,61.5,8\n2,0.000001,3600,0.125\n3,7.25,0,0\n"), "auto");
    assert_string_equal(trace.format, "csv");
    assert_int_equal(trace.n, 3);
    assert_int_equal(trace.rows, 3);
    assert_int_equal(trace.submit_us[1], 1);
    assert_int_equal(trace.submit_us[2], 7250000);
    assert_int_equal(trace.run_us[0], 61500000);
    assert_int_equal(trace.run_us[2], 0);
    assert_int_equal(trace.gpus_milli[0], 8000);
    assert_int_equal(trace.gpus_milli[1], 125);
    assert_null(trace.estimate_us);
    assert_false(trace.has_estimates);
    assert_null(trace.id_at);
    assert_null(trace.state);
    char buf[24];
    assert_string_equal(rr_trace_id(&trace, 2, buf), "3");
    assert_int_equal(rr_trace_bytes(&trace), 3 * 20);
    assert_int_equal(strlen(trace.sha256), 64);
    assert_int_equal(notes.list.n, 0);
}

static void every_column(void **state)
{
    (void)state;
    must_read(
        file_of(
            "t.csv",
            "gpus,job_id,submit_s,duration_s,estimate_s,time_limit_s,nodes,cpus,host_memory_gib,gpu_memory_gib,gpu_type,user,account,class,"
            "status,priority,deadline_s,depends_on\n"
            "2,a,5,10,12.5,100,1,7.5,2.5,80,A100|H100,ann,lab,train,finished,1,9,b\n"
            "4,b,5,20,,,,,,,,,,,,,,\n"
            "1,c,6,30,40,,2,,,,H100,bob,,eval,FAILED,,,\n"
            "1,d,7,30,,,,,,,,ann,lab,train,CANCELLED by 1000,,,\n"
            "1,e,8,,,,,,,,,,,,never_started,,,\n"
            "1,f,9,17,,,,,,,,,,,Running,,,\n"),
        "csv");
    assert_int_equal(trace.n, 6);
    assert_int_equal(trace.estimate_us[0], 12500000);
    assert_int_equal(trace.estimate_us[1], 20000000); // its run time
    assert_int_equal(trace.estimate_us[2], 40000000);
    assert_int_equal(trace.limit_us[0], 100000000);
    assert_int_equal(trace.limit_us[1], RR_NEVER);
    assert_string_equal(trace.after_text + trace.after_at[0], "b");
    assert_string_equal(trace.after_text + trace.after_at[1], "");
    assert_int_equal(trace.nodes[0], 1);
    assert_int_equal(trace.nodes[1], 0);
    assert_int_equal(trace.cpus_milli[0], 7500);
    assert_int_equal(trace.memory_mib[0], 2560);
    assert_int_equal(trace.gpu_types[0], 3);
    assert_int_equal(trace.gpu_types[1], 0);
    assert_int_equal(trace.gpu_types[2], 2);
    assert_string_equal(trace.gpu_type_name[1], "H100");
    assert_string_equal(trace.user_name[trace.user_id[0]], "ann");
    assert_string_equal(trace.user_name[trace.user_id[1]], "");
    assert_int_equal(trace.user_id[0], trace.user_id[3]);
    assert_string_equal(trace.account_name[trace.account_id[3]], "lab");
    assert_string_equal(trace.class_name[trace.class_id[2]], "eval");
    assert_string_equal(trace.class_name[trace.class_id[1]], "");
    const uint8_t want[] = {RR_TRACE_OK, RR_TRACE_OK, RR_TRACE_FAILED, RR_TRACE_KILLED, RR_TRACE_NEVER_STARTED, RR_TRACE_NEVER_ENDED};
    assert_memory_equal(trace.state, want, sizeof want);
    assert_int_equal(trace.run_us[4], 0);
    assert_int_equal(trace.run_us[5], RR_NEVER);
    assert_int_equal(trace.censored, 2);
    char buf[24];
    assert_string_equal(rr_trace_id(&trace, 5, buf), "f");
    assert_int_equal(trace.priority[0], 1);
    assert_int_equal(trace.priority[1], 0);
    assert_int_equal(trace.deadline_us[0], 4000000); // from its submit at 5
    assert_int_equal(trace.deadline_us[1], RR_NEVER);
    assert_true(noted("column \"gpu_memory_gib\" is not used yet"));
    assert_true(noted("1 of 6 jobs never started"));
    assert_true(noted("1 of 6 jobs never ended"));
    assert_true(noted("4 jobs have no estimate"));
}

static void sorted_stably(void **state)
{
    (void)state;
    must_read(file_of("t.csv", HEAD "1,30,1,1\n2,10,2,2\n3,30,3,3\n4,10,4,4\n5,0,5,5\n"), "auto");
    const int64_t run[] = {5 * RR_S, 2 * RR_S, 4 * RR_S, 1 * RR_S, 3 * RR_S};
    assert_memory_equal(trace.run_us, run, sizeof run);
    char buf[24];
    for (size_t i = 0; i < 5; i++) assert_int_equal(rr_trace_id(&trace, i, buf)[0] - '0', run[i] / RR_S);
    assert_true(noted("not in submit order"));
}

static void dates_are_moved_to_the_start(void **state)
{
    (void)state;
    must_read(file_of("t.csv", HEAD "1,2026-01-01T08:30:00Z,1,1\n2,2026-01-01T10:00:00+01:00,1,1\n3,2026-01-02,1,1\n"), "auto");
    assert_int_equal(trace.submit_us[0], 0);
    assert_int_equal(trace.submit_us[1], 30 * RR_MIN);
    assert_int_equal(trace.submit_us[2], 15 * RR_H + 30 * RR_MIN);
    assert_false(trace.absolute);
    must_read(file_of("t.csv", HEAD "1,1700000000.5,1,1\n2,1700000002,1,1\n"), "auto");
    assert_int_equal(trace.submit_us[0], 0);
    assert_int_equal(trace.submit_us[1], 1500000);
    assert_true(noted("Unix time"));
    must_read(file_of("t.csv", HEAD "1,5,1,1\n2,6,1,1\n"), "auto");
    assert_int_equal(trace.submit_us[0], 5 * RR_S); // a relative trace keeps its numbers
    refused_for(try_read(file_of("t.csv", HEAD "1,5,1,1\n2,2026-01-02,1,1\n"), "auto", 0.01), "t.csv:3: submit_s|2026-01-02");
    refused_for(try_read(file_of("t.csv", HEAD "1,2026-01-02,1,1\n2,5,1,1\n"), "auto", 0.01), "t.csv:3: submit_s|\"5\"");
    refused_for(try_read(file_of("t.csv", HEAD "1,2026-02-30,1,1\n"), "auto", 0.01), "t.csv:2: submit_s|2026-02-30");
    assert_int_equal(try_read(file_of("t.csv", HEAD "1,x,1,1\n2,2026-01-02,1,1\n"), "auto", 0.5), RR_OK);
}

static enum rr_status mapped(const char *csv, const char *columns)
{
    struct rr_json *json = rr_json_create();
    cJSON *map = NULL;
    assert_int_equal(rr_json_parse(json, "s.json", columns, false, &map), RR_OK);
    const struct rr_import_options opt = {.format = "auto", .columns = map, .json = json, .max_rejected = 0.01};
    rr_trace_done(&trace);
    const enum rr_status st = rr_trace_read(file_of("t.csv", csv), &opt, arena, &notes, &trace);
    cJSON_Delete(map);
    rr_json_free(json);
    return st;
}

static void foreign_headers(void **state)
{
    (void)state;
    static const char csv[] = "Submit Time,dur,n,mem,x\n1500,90.5,300,2000000,q\n";
    if (mapped(csv, "{\"submit_s\": {\"name\": \"Submit Time\", \"unit\": \"ms\"}, \"duration_s\": {\"name\": \"dur\", \"unit\": \"min\"},"
                    "\"gpus\": {\"name\": \"n\", \"unit\": \"%\"}, \"host_memory_gib\": {\"name\": \"mem\", \"unit\": \"KiB\"}}") != RR_OK)
        fail_msg("%s", rr_reason());
    assert_int_equal(trace.submit_us[0], 1500000);
    assert_int_equal(trace.run_us[0], 5430 * RR_S);
    assert_int_equal(trace.gpus_milli[0], 3000);
    assert_int_equal(trace.memory_mib[0], 1953); // 2,000,000 / 1,024 = 1,953.1
    assert_true(noted("columns not used: \"x\""));

    refused_for(mapped(csv, "{\"submit\": \"Submit Time\"}"), "s.json:1:2|\"submit\" is no column of ours|submit_s");
    refused_for(mapped(csv, "{\"submit_s\": \"Submit Tine\"}"),
                "t.csv:1: no column \"Submit Tine\" (for submit_s)|did you mean \"Submit Time\"");
    refused_for(mapped(csv, "{\"submit_s\": 3}"), "s.json:1:14|column \"submit_s\": a name is needed");
    refused_for(mapped(csv, "{\"submit_s\": {\"name\": \"Submit Time\", \"unit\": \"GiB\"}}"),
                "s.json:1:14|no unit \"GiB\"; known: s, us, ms");
    refused_for(mapped(csv, "{\"user\": {\"name\": \"x\", \"unit\": \"s\"}}"), "no unit \"s\"|none");
}

static void headers_that_are_wrong(void **state)
{
    (void)state;
    refused_for(try_read(file_of("t.csv", "job_id,submit,duration_s,gpus\n1,2,3,4\n"), "csv", 0.01),
                "t.csv:1: no column \"submit_s\"|did you mean \"submit\"|columns");
    refused_for(try_read(file_of("t.csv", "job_id,submit_s,duration_s,gpus,gpus\n1,2,3,4,5\n"), "csv", 0.01),
                "t.csv:1|\"gpus\" occurs twice");
    refused_for(try_read(file_of("t.csv", ""), "auto", 0.01), "t.csv: the file is empty");
    refused_for(try_read(file_of("t.csv", ""), "csv", 0.01), "t.csv: the file is empty");
    refused_for(try_read(file_of("t.csv", HEAD), "auto", 0.01), "t.csv: no jobs");
    refused_for(try_read(file_of("t.csv", "a,b\n1,2\n"), "auto", 0.01), "no column \"submit_s\"");
    refused_for(try_read(file_of("t.txt", "hello\n"), "auto", 0.01),
                "t.txt: is no trace in a known format (csv, swf, alibaba-gpu-2023, batsim)");
    refused_for(try_read(file_of("t.csv", HEAD), "swff", 0.01), "unknown trace format \"swff\", did you mean \"swf\"");
    assert_int_equal(try_read("/nowhere.csv", "auto", 0.01), RR_EIO);
    assert_int_equal(try_read(help_dir, "auto", 0.01), RR_EIO);
    refused_for(try_read("/dev/null", "auto", 0.01), "/dev/null: is a stream|csv, swf");
    refused_for(try_read("/dev/null", "csv", 0.01), "/dev/null: the file is empty");
    refused_for(try_read("-", "auto", 0.01), "stdin: is a stream");
}

/* One row of each kind of trouble among too few good ones. */
static void rows_that_are_wrong(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"x,NaN,1,1", "t.csv:3: submit_s is no number of seconds|NaN"},
        {"x,-5,1,1", "t.csv:3: the submit time is negative"},
        {"x,1e300,1,1", "t.csv:3: submit_s"},
        {"x,1e12,1,1", "t.csv:3: the submit time is past 1,000 years"},
        {"x,,1,1", "t.csv:3: the submit time is missing"},
        {"x,5,-61.5,1", "t.csv:3: the run time is negative"},
        {"x,5,1e300,1", "t.csv:3: duration_s is no number|1e300"},
        {"x,5,1e11,1", "t.csv:3: the run time is past 1,000 years"},
        {"x,5,,1", "t.csv:3: the run time is missing"},
        {"x,5,0x10,1", "t.csv:3: duration_s"},
        {"x,5,1,abc", "t.csv:3: gpus is no number such as 8 or 0.5: \"abc\""},
        {"x,5,1,-1", "t.csv:3: the number of GPUs is negative"},
        {"x,5,1,1.5", "t.csv:3: more than one GPU must be a whole number"},
        {"x,5,1,3000000", "t.csv:3: more than 2,147,483 GPUs"},
        {"x,5,1,", "t.csv:3: the number of GPUs is missing"},
        {"x,5,1", "t.csv:3: not as many cells"},
        {"x,5,1,1,7", "t.csv:3: not as many cells"},
        {",5,1,1", "t.csv:3: job_id is empty"},
        {"a,5,1,1", "t.csv:3: job id \"a\" was already used on line 2"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        refused_for(try_read(file_of("t.csv", rr_strf(arena, HEAD "a,1,1,1\n%s\nb,9,1,1\n", rows[i][0])), "auto", 0.01), rows[i][1]);
        assert_non_null(strstr(rr_reason(), "1 of 3 rows are malformed, limit 1 %"));
        // Allowed, it is left out and nothing of the row before is taken over.
        if (try_read(file_of("t.csv", rr_strf(arena, HEAD "a,1,1,1\n%s\nb,9,2,3\n", rows[i][0])), "auto", 0.4) != RR_OK)
            fail_msg("%s: %s", rows[i][0], rr_reason());
        assert_int_equal(trace.n, 2);
        assert_int_equal(trace.rejected, 1);
        assert_int_equal(trace.gpus_milli[1], 3000);
        assert_true(noted("1 of 3 rows left out"));
    }
    refused_for(try_read(file_of("t.csv", HEAD "a,x,1,1\nb,9,1,x\n"), "auto", 1.0), "t.csv:2: |2 of 2 rows");
}

static void ids(void **state)
{
    (void)state;
    char buf[24];
    // Ascending numbers, then a gap, then a repeated one far back: both lines are named.
    struct rr_buf b = {0};
    rr_buf_puts(&b, HEAD);
    for (int i = 1; i <= 3000; i++) rr_buf_putf(&b, "%d,%d,1,1\n", i + (i > 1000), i);
    rr_buf_puts(&b, "17,9999,1,1\n");
    must_read(file_of("t.csv", rr_buf_text(&b)), "auto");
    assert_int_equal(trace.n, 3000);
    assert_string_equal(rr_trace_id(&trace, 999, buf), "1000");
    assert_string_equal(rr_trace_id(&trace, 1000, buf), "1002");
    assert_true(noted("1 of 3001 rows left out: job id used before (first on line 3002)"));
    refused_for(try_read(file_of("t.csv", rr_buf_text(&b)), "auto", 0.0), "t.csv:3002: job id \"17\" was already used on line 18");
    rr_buf_done(&b);
    // "01" is another id than "1"; a line break inside a cell moves the lines.
    must_read(file_of("t.csv", HEAD "1,0,1,1\n01,0,1,1\n0,0,1,1\n\"x\ny\",0,1,1\nz,0,1,1\n"), "auto");
    assert_int_equal(trace.n, 5);
    refused_for(try_read(file_of("t.csv", HEAD "\"x\ny\",0,1,1\nz,0,1,1\nz,0,1,1\n"), "auto", 0.01),
                "t.csv:5: job id \"z\" was already used on line 4");
    // None at all: numbered.
    must_read(file_of("t.csv", "submit_s,duration_s,gpus\n5,1,1\n3,2,1\n"), "auto");
    assert_string_equal(rr_trace_id(&trace, 0, buf), "2");
}

static void a_quoted_megabyte(void **state)
{
    (void)state;
    const size_t mib = 1 << 20;
    char *s = rr_alloc(arena, mib + 200, 1);
    const size_t at = (size_t)sprintf(s, HEAD "1,0,1,1\n2,0,1,\"");
    memset(s + at, 'a', mib);
    strcpy(s + at + mib, "\"\n");
    refused_for(try_read(file_of("t.csv", s), "auto", 0.01), "t.csv:3: gpus is no number|aaaaaaaa...|1 of 2 rows");
    assert_true(strlen(rr_reason()) < 400);
}

static void bytes_per_job(void **state)
{
    (void)state;
    struct rr_buf b = {0};
    rr_buf_puts(&b, HEAD);
    for (int i = 0; i < 50000; i++) rr_buf_putf(&b, "job-%d,%d.25,17.125,8\n", i * 7919 % 50000, i);
    must_read(file_of("t.csv", rr_buf_text(&b)), "auto");
    rr_buf_done(&b);
    assert_int_equal(trace.n, 50000);
    assert_true(rr_trace_bytes(&trace) <= 36 * trace.n);
}

#define T(f) cmocka_unit_test_setup_teardown(f, help_setup, help_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        T(four_columns),      T(every_column),           T(sorted_stably),       T(dates_are_moved_to_the_start),
        T(foreign_headers),   T(headers_that_are_wrong), T(rows_that_are_wrong), T(ids),
        T(a_quoted_megabyte), T(bytes_per_job)};
    return cmocka_run_group_tests(tests, help_start, help_end);
}
