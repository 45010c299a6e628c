/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_trace_batsim.c - Batsim workloads with delay profiles. */
#include "tests/trace_help.h"

static void fields(void **state)
{
    (void)state;
    must_read(file_of("w.json",
                      "{\"nb_res\": 32, \"jobs\": [\n"
                      "  {\"id\": 424242, \"profile\": \"long\", \"res\": 8, \"subtime\": 10.25, \"walltime\": 100},\n"
                      "  {\"id\": \"w0!2\", \"profile\": 7, \"res\": 1, \"subtime\": 0.0000012, \"walltime\": -1}],\n"
                      " \"profiles\": {\"long\": {\"type\": \"delay\", \"delay\": 20.05}, \"7\": {\"type\": \"delay\", \"delay\": 3e2}}}"),
              "auto");
    assert_string_equal(trace.format, "batsim");
    assert_int_equal(trace.n, 2);
    assert_int_equal(trace.submit_us[0], 1); // sorted; 1.2 us
    assert_int_equal(trace.submit_us[1], 10250000);
    assert_int_equal(trace.run_us[0], 300 * RR_S);
    assert_int_equal(trace.run_us[1], 20050000);
    assert_int_equal(trace.gpus_milli[1], 8000);
    assert_int_equal(trace.estimate_us[1], 100 * RR_S);
    assert_int_equal(trace.limit_us[1], 100 * RR_S);
    assert_int_equal(trace.estimate_us[0], 300 * RR_S);
    assert_int_equal(trace.limit_us[0], RR_NEVER);
    char buf[24];
    assert_string_equal(rr_trace_id(&trace, 0, buf), "w0!2");
    assert_string_equal(rr_trace_id(&trace, 1, buf), "424242");
}

static const char *workload(const char *job, const char *type)
{
    return rr_strf(arena,
                   "{\"jobs\": [{\"id\": 1, \"profile\": \"a\", \"res\": 1, \"subtime\": 0},\n%s],\n"
                   "\"profiles\": {\"a\": {\"type\": \"delay\", \"delay\": 5},\n\"b\": {\"type\": \"%s\", \"delay\": -5}}}",
                   job, type);
}

static void what_is_refused(void **state)
{
    (void)state;
    static const char *const jobs[][2] = {
        {"{\"id\": 2, \"profile\": \"c\", \"res\": 1, \"subtime\": 0}", "w.json:2: the profile is not among the profiles: \"c\""},
        {"{\"id\": 2, \"res\": 1, \"subtime\": 0}", "w.json:2: the profile is not among the profiles"},
        {"{\"id\": 2, \"profile\": \"b\", \"res\": 1, \"subtime\": 0}", "w.json:2: the run time is negative"},
        {"{\"id\": 2, \"profile\": \"a\", \"res\": \"x\", \"subtime\": 0}", "w.json:2: res is no number of machines: \"x\""},
        {"{\"id\": 2, \"profile\": \"a\", \"res\": 1}", "w.json:2: subtime is no number of seconds"},
        {"{\"id\": 2, \"profile\": \"a\", \"res\": 1, \"subtime\": 1e300}", "w.json:2: subtime is no number of seconds: \"1e300\""},
        {"{\"id\": 2, \"profile\": \"a\", \"res\": 1, \"subtime\": 0, \"walltime\": true}", "w.json:2: walltime is no number"},
        {"{\"profile\": \"a\", \"res\": 1, \"subtime\": 0}", "w.json:2: the id is missing"},
        {"{\"id\": 1, \"profile\": \"a\", \"res\": 1, \"subtime\": 0}", "w.json:2: job id \"1\" was already used on line 1"},
        {"5", "w.json:2: subtime is no number"},
    };
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++)
        refused_for(try_read(file_of("w.json", workload(jobs[i][0], "delay")), "auto", 0.01), jobs[i][1]);
    refused_for(try_read(file_of("w.json", workload(jobs[0][0], "msg_par_hg")), "auto", 0.01),
                "w.json:4:6: profile \"b\" is of type \"msg_par_hg\"; only \"delay\" has a run time");
    refused_for(try_read(file_of("w.json", "{\"jobs\": 3}"), "auto", 0.01), "w.json:1:1: no Batsim workload");
    refused_for(try_read(file_of("w.json", "{\"jobs\": [], \"profiles\": {}}"), "auto", 0.01), "w.json: no jobs");
    refused_for(try_read(file_of("w.json", "{\"jobs\": [,], \"profiles\": {}}"), "auto", 0.01), "w.json:1:");
    refused_for(try_read(file_of_bytes("w.json", "{\"jobs\"\0}", 9), "auto", 0.01), "w.json: is no text");
    refused_for(try_read(file_of("w.json", "{}"), "auto", 0.01), "w.json:1:1: no Batsim workload");
}

static void public_workloads(void **state)
{
    (void)state;
    must_read(shared("traces/batsim/medium_late.json.gz"), "auto");
    assert_string_equal(trace.format, "batsim");
    assert_int_equal(trace.n, 801);
    assert_int_equal(trace.rejected, 0);
    char buf[24];
    size_t found = 0;
    for (size_t i = 0; i < trace.n; i++) found += strcmp(rr_trace_id(&trace, i, buf), "424242") == 0;
    assert_int_equal(found, 1);
    must_read(shared("traces/batsim/example_workload_hpc_seed1_jobs250.json"), "auto");
    assert_int_equal(trace.n, 250);
}

#define T(f) cmocka_unit_test_setup_teardown(f, help_setup, help_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {T(fields), T(what_is_refused), T(public_workloads)};
    return cmocka_run_group_tests(tests, help_start, help_end);
}
