/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_trace_alibaba.c - pod lists of the GPU-sharing trace of 2023. */
#include "tests/trace_help.h"
#include <math.h>

#define HEAD "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time\n"

static void fields(void **state)
{
    (void)state;
    must_read(file_of("pods.csv", HEAD "p-0,12000,16384,1,460,,LS,Running,10,71,12\n"
                                       "p-1,6000,12288,8,1000,V100M16|V100M32,BE,Failed,11,111,11\n"
                                       "p-2,8000,30517,0,0,,BE,Pending,12,99,\n"
                                       "p-3,8000,30517,2,1000,T4,BE,Running,13,,14\n"),
              "auto");
    assert_string_equal(trace.format, "alibaba-gpu-2023");
    assert_int_equal(trace.n, 4);
    assert_int_equal(trace.submit_us[0], 10 * RR_S);
    assert_int_equal(trace.run_us[0], 59 * RR_S);
    assert_int_equal(trace.run_us[2], 0);
    assert_int_equal(trace.run_us[3], RR_NEVER);
    const int32_t gpus[] = {460, 8000, 0, 2000}, cpus[] = {12000, 6000, 8000, 8000}, memory[] = {16384, 12288, 30517, 30517};
    assert_memory_equal(trace.gpus_milli, gpus, sizeof gpus);
    assert_memory_equal(trace.cpus_milli, cpus, sizeof cpus);
    assert_memory_equal(trace.memory_mib, memory, sizeof memory);
    const uint8_t want[] = {RR_TRACE_OK, RR_TRACE_FAILED, RR_TRACE_NEVER_STARTED, RR_TRACE_NEVER_ENDED};
    assert_memory_equal(trace.state, want, sizeof want);
    assert_int_equal(trace.censored, 2);
    assert_int_equal(trace.gpu_types[0], 0);
    assert_int_equal(trace.gpu_types[1], 3);
    assert_int_equal(trace.gpu_types[3], 4);
    assert_string_equal(trace.gpu_type_name[2], "T4");
    assert_string_equal(trace.class_name[trace.class_id[0]], "LS");
    char buf[24];
    assert_string_equal(rr_trace_id(&trace, 3, buf), "p-3");
}

static void what_is_refused(void **state)
{
    (void)state;
    refused_for(try_read(file_of("pods.csv", "name,cpu_milli,memory_mib,num_gpu,gpu_milli\np,1,1,1,1000\n"), "auto", 0.01),
                "pods.csv:1: this pod list has no times|cannot be replayed");
    refused_for(
        try_read(file_of("pods.csv", "name,cpu_milli,num_gpu,gpu_milli,creation_time,deletion_time,scheduled_time\n"), "auto", 0.01),
        "pods.csv:1: no column \"memory_mib\"");
    refused_for(try_read(file_of("pods.csv", ""), "alibaba-gpu-2023", 0.01), "pods.csv: the file is empty");
    static const char *const rows[][2] = {
        {"q,1000,1,1,1000,,LS,Running,10,9,12", "pods.csv:3: deletion_time is before scheduled_time: \"9\""},
        {"q,x,1,1,1000,,LS,Running,10,20,12", "pods.csv:3: cpu_milli is no whole number: \"x\""},
        {"q,1000,,1,1000,,LS,Running,10,20,12", "pods.csv:3: memory_mib is no whole number"},
        {"q,1000,1,-1,1000,,LS,Running,10,20,12", "pods.csv:3: num_gpu is no number of GPUs: \"-1\""},
        {"q,1000,1,1,1001,,LS,Running,10,20,12", "pods.csv:3: gpu_milli is not within 0 .. 1000: \"1001\""},
        {"q,1000,1,1,1000,,LS,Running,NaN,20,12", "pods.csv:3: creation_time is no number of seconds: \"NaN\""},
        {"q,1000,1,1,1000,,LS,Running,,20,12", "pods.csv:3: the submit time is missing"},
        {"q,1000,1,1,1000,,LS,Running,10,1e300,12", "pods.csv:3: deletion_time is no number"},
        {"q,1000,1,1", "pods.csv:3: not as many cells as the header"},
        {"p,1000,1,1,1000,,LS,Running,10,20,12", "pods.csv:3: job id \"p\" was already used on line 2"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        refused_for(
            try_read(file_of("pods.csv", rr_strf(arena, HEAD "p,1000,1,1,1000,,LS,Running,10,20,12\n%s\n", rows[i][0])), "auto", 0.01),
            rows[i][1]);
}

/* Figures of the collection's README. */
static void public_lists(void **state)
{
    (void)state;
    must_read(shared("traces/alibaba-gpu-v2023/openb_pod_list_default.csv.gz"), "auto");
    assert_string_equal(trace.format, "alibaba-gpu-2023");
    assert_int_equal(trace.n, 8152);
    assert_int_equal(trace.rejected, 0);
    assert_int_equal(trace.censored, 897);
    assert_int_equal(lround(gpu_hours(&trace)), 51471);
    assert_int_equal(trace.submit_us[0], 0);
    assert_int_equal(trace.submit_us[trace.n - 1], 12901761 * RR_S);
    size_t share = 0, none = 0, eight = 0, failed = 0;
    for (size_t i = 0; i < trace.n; i++) {
        share += trace.gpus_milli[i] > 0 && trace.gpus_milli[i] < 1000;
        none += trace.gpus_milli[i] == 0;
        eight += trace.gpus_milli[i] == 8000;
        failed += trace.state[i] == RR_TRACE_FAILED;
    }
    assert_int_equal(share, 3078);
    assert_int_equal(none, 1088);
    assert_int_equal(eight, 44);
    assert_int_equal(failed, 1870);
    assert_null(trace.gpu_types); // empty in every row

    static const struct {
        const char *name;
        size_t n;
    } lists[] = {{"cpu050", 7439}, {"cpu200", 8832}, {"gpushare40", 8152}, {"gpushare100", 8152}, {"gpuspec05", 8152}, {"gpuspec33", 8152}};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        must_read(shared(rr_strf(arena, "traces/alibaba-gpu-v2023/openb_pod_list_%s.csv.gz", lists[i].name)), "auto");
        assert_int_equal(trace.n, lists[i].n);
        assert_int_equal(trace.rejected, 0);
        assert_int_equal(trace.gpu_types != NULL, strncmp(lists[i].name, "gpuspec", 7) == 0);
    }
    refused_for(try_read(shared("traces/alibaba-gpu-v2023/openb_pod_list_multigpu20.csv.gz"), "auto", 0.01), "no times");
}

#define T(f) cmocka_unit_test_setup_teardown(f, help_setup, help_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {T(fields), T(what_is_refused), T(public_lists)};
    return cmocka_run_group_tests(tests, help_start, help_end);
}
