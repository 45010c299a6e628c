/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_trace_swf.c - the Standard Workload Format as defined and as found in the wild. */
#include "tests/trace_help.h"

/* job submit wait run alloc cpu mem req reqtime reqmem status user group exe queue part prev think */
static void fields(void **state)
{
    (void)state;
    must_read(file_of("t.swf", "; Version: 2\n; MaxProcs: 100\n;\n"
                               "  1   10  5  61 16 -1 -1 32 43200 -1  1   6   2 -1 -1  1 -1 -1\n"
                               "  2   20 -1   0  8 -1 -1 -1    -1 -1  0  -1  -1 -1 -1  1 -1 -1\n"
                               "  7   30 -1 100  8 -1 -1  0     0 -1  5   6   2 -1 -1  1 -1 -1\n"),
              "auto");
    assert_string_equal(trace.format, "swf");
    assert_int_equal(trace.n, 3);
    assert_int_equal(trace.submit_us[0], 10 * RR_S); // relative: as written
    assert_int_equal(trace.run_us[0], 61 * RR_S);
    assert_int_equal(trace.gpus_milli[0], 32000); // requested
    assert_int_equal(trace.gpus_milli[1], 8000);  // allocated
    assert_int_equal(trace.gpus_milli[2], 8000);
    assert_int_equal(trace.estimate_us[0], 43200 * RR_S);
    assert_int_equal(trace.estimate_us[1], 0); // its run time
    assert_int_equal(trace.estimate_us[2], 100 * RR_S);
    assert_null(trace.limit_us);
    const uint8_t want[] = {RR_TRACE_OK, RR_TRACE_FAILED, RR_TRACE_KILLED};
    assert_memory_equal(trace.state, want, 3);
    assert_string_equal(trace.user_name[trace.user_id[0]], "6");
    assert_int_equal(trace.user_id[1], 0);
    char buf[24];
    assert_string_equal(rr_trace_id(&trace, 2, buf), "7");
    assert_true(noted("one processor"));
}

static void preceding_jobs(void **state)
{
    (void)state;
    const char *path = file_of("t.swf", "1 0 0 60 4 -1 -1 4 90 -1 1 1 1 1 1 1 -1 -1\n2 70 0 60 4 -1 -1 4 90 -1 0 1 1 1 1 1 1 7.5\n"
                                        "5 80 0 60 4 -1 -1 4 90 -1 1 1 1 1 1 1 2 -1\n");
    must_read(path, "swf");
    assert_null(trace.after_at);
    assert_null(trace.think_us);
    assert_true(noted("2 jobs name a preceding job (field 17): not taken; \"dependencies\": true takes it"));
    rr_trace_done(&trace);
    struct rr_import_options opt = {.format = "auto", .max_rejected = 0.01, .dependencies = true};
    if (rr_trace_read(path, &opt, arena, &notes, &trace) != RR_OK) fail_msg("%s", rr_reason());
    assert_true(noted("2 jobs start only after the end of their preceding job"));
    assert_int_equal(trace.after_at[0], 0);
    assert_string_equal(trace.after_text + trace.after_at[1], "afterany:1");
    assert_string_equal(trace.after_text + trace.after_at[2], "afterany:2");
    const int64_t think_us[] = {0, 7500000, 0};
    assert_memory_equal(trace.think_us, think_us, sizeof think_us);
    rr_trace_done(&trace);
    refused_for(rr_trace_read(file_of("b.swf", "1 0 0 60 4 -1 -1 4 90 -1 1 1 1 1 1 1 x -1\n"), &opt, arena, &notes, &trace),
                "b.swf:1: the preceding job (field 17) is no whole number");
    refused_for(rr_trace_read(file_of("c.csv", "job_id,submit_s,duration_s,gpus\n1,0,1,1\n"), &opt, arena, &notes, &trace),
                "c.csv: \"dependencies\" is for logs|not for format csv, whose column depends_on is always taken");
}

static void odd_forms(void **state)
{
    (void)state;
    // Tabs, a line of column names, two columns more, CRLF.
    must_read(file_of("t.swf",
                      "id\tsubmit\twait\truntime\tcpus\ta\tb\tcpusreq\twalltime\tc\tstatus\tuser\tgroup\td\te\tf\tg\th\tDAG\tTask\r\n"
                      "1\t20\t0\t1200\t1\t-1\t3\t1\t1200\t3\t1\t1\t1\t1\t1\t1\t-1\t0\tDAG-1\t1\r\n"),
              "auto");
    assert_int_equal(trace.n, 1);
    assert_int_equal(trace.rejected, 0);
    assert_int_equal(trace.run_us[0], 1200 * RR_S);
    // No header, another name: told by the 18 numbers.
    must_read(file_of("t.log", "1 0 0 7.25 4 -1 -1 4 9 -1 1 1 1 1 1 1 -1 -1\n"), "auto");
    assert_string_equal(trace.format, "swf");
    assert_int_equal(trace.run_us[0], 7250000);
    // Cancelled while waiting: kept as never started, size known or not.
    must_read(file_of("t.swf", "1 0 9 0 -1 -1 -1 4 9 -1 5 1 1 1 1 1 -1 -1\n2 0 9 -1 -1 -1 -1 -1 9 -1 5 1 1 1 1 1 -1 -1\n"), "auto");
    assert_int_equal(trace.n, 2);
    assert_int_equal(trace.censored, 2);
    assert_int_equal(trace.gpus_milli[0], 4000);
    assert_int_equal(trace.gpus_milli[1], 0);
    assert_int_equal(trace.run_us[1], 0);
}

static void what_is_refused(void **state)
{
    (void)state;
    static const char good[] = "1 0 0 7 4 -1 -1 4 9 -1 1 1 1 1 1 1 -1 -1\n";
    static const char *const rows[][2] = {
        {"2 0 0 -1 4 -1 -1 4 9 -1 -1 1 1 1 1 1 -1 -1", "t.swf:2: unknown run time (field 4 is negative): \"-1\""},
        {"2 0 0 7 0 -1 -1 -1 9 -1 1 1 1 1 1 1 -1 -1", "t.swf:2: unknown number of processors"},
        {"2 0 0 7 4 -1 -1 4 9 -1 1", "t.swf:2: fewer than 18 fields"},
        {"2 x 0 7 4 -1 -1 4 9 -1 1 1 1 1 1 1 -1 -1", "t.swf:2: the submit time (field 2) is no number: \"x\""},
        {"2 0 0 nan 4 -1 -1 4 9 -1 1 1 1 1 1 1 -1 -1", "t.swf:2: the run time (field 4) is no number: \"nan\""},
        {"2 0 0 7 4 -1 -1 abc 9 -1 1 1 1 1 1 1 -1 -1", "t.swf:2: the requested processors (field 8)"},
        {"2 0 0 7 4 -1 -1 4 9 -1 1.5 1 1 1 1 1 -1 -1", "t.swf:2: the status (field 11)"},
        {"2 -9 0 7 4 -1 -1 4 9 -1 1 1 1 1 1 1 -1 -1", "t.swf:2: the submit time is negative"},
        {"1 0 0 7 4 -1 -1 4 9 -1 1 1 1 1 1 1 -1 -1", "t.swf:2: job id \"1\" was already used on line 1"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        refused_for(try_read(file_of("t.swf", rr_strf(arena, "%s%s\n", good, rows[i][0])), "swf", 0.01), rows[i][1]);
    refused_for(try_read(file_of("t.swf", "; MaxProcs: 9\n"), "auto", 0.01), "t.swf: no jobs");
}

/* Counts as in the README of the collection; GPU-hours there are counted by allocated processors, here by requested ones. */
static void public_logs(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t rows, rejected, censored;
        double days;
    } logs[] = {
        {"KTH-SP2-1996-2.1-cln.swf.gz", 28476, 1, 0, 332.9},
        {"KTH-SP2_filtered_sc15.swf.gz", 28481, 0, 0, 339.9},
        {"LLNL-Atlas-2006-2.1-cln.swf.gz", 43778, 38, 4550, 193.0},
        {"CEA-curie_sample_30k.swf.gz", 29998, 0, 0, 23.2},
        {"hpc2n_first3000.swf.gz", 3170, 25, 0, 57.3},
        {"alea_dag_extended.swf", 12, 0, 0, 0},
        {"lublin_256.swf.gz", 10000, 0, 0, 89.2},
        {"NASA-iPSC-1993-3_head.swf", 228, 0, 0, 0.4},
        {"accasim_sample_headerless.swf", 25, 0, 0, 38.5},
    };
    for (size_t i = 0; i < sizeof logs / sizeof *logs; i++) {
        must_read(shared(rr_strf(arena, "traces/swf/%s", logs[i].name)), "auto");
        assert_string_equal(trace.format, "swf");
        assert_int_equal(trace.rows, logs[i].rows);
        assert_int_equal(trace.rejected, logs[i].rejected);
        assert_int_equal(trace.censored, logs[i].censored);
        assert_int_equal(trace.n, logs[i].rows - logs[i].rejected);
        const double days = (double)(trace.submit_us[trace.n - 1] - trace.submit_us[0]) / (double)RR_D;
        assert_true(days > logs[i].days - 0.06 && days < logs[i].days + 0.06);
    }
}

static void kth_keeps_run_times_and_estimates(void **state)
{
    (void)state;
    must_read(shared("traces/swf/KTH-SP2_filtered_sc15.swf.gz"), "auto");
    size_t failed = 0, longer = 0, most = 0;
    for (size_t i = 0; i < trace.n; i++) {
        failed += trace.state[i] == RR_TRACE_FAILED;
        longer += trace.run_us[i] > trace.estimate_us[i];
        if ((size_t)trace.gpus_milli[i] > most) most = (size_t)trace.gpus_milli[i];
    }
    assert_int_equal(failed, 7946);
    assert_int_equal(longer, 0); // cut to the requested time by its makers
    assert_int_equal(most, 100000);
    assert_true(trace.has_estimates);
}

#define T(f) cmocka_unit_test_setup_teardown(f, help_setup, help_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {T(fields),          T(preceding_jobs), T(odd_forms),
                                       T(what_is_refused), T(public_logs),    T(kth_keeps_run_times_and_estimates)};
    return cmocka_run_group_tests(tests, help_start, help_end);
}
