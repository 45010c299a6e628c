/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/validation/test_muri.c - preemptive policies on 64 GPUs against published simulations and against a real cluster.
 *
 * Simulated: Philly virtual clusters of Muri (SIGCOMM 2022; Rivendile/Muri, simulator/draw_fig9-10.py holds the numbers behind the figures) on 8
 * nodes of 8 GPUs. Average JCT of SRTF and SRSF within 6 %. That simulator lays all jobs anew at each event and takes the time of a start from every
 * running job then, whether it moved or not; ours lays them anew too ("migrate": "always") and charges those that move, so it is faster. Tiresias-L is
 * shown beside: theirs counts GPUs without nodes, sends waiting jobs behind running ones of their queue, and has other thresholds.
 *
 * Measured: the 400-job testbed of the same paper on 64 V100 (cluster_exp/results/SRTF), replayed with each job's measured run time
 * (real_executed_time): average JCT and makespan within 3 %. Restarts are inside the measured times. */
#include "tests/validation/published.h"

// Seconds to start, by number of GPUs 1, 2, 4, 8, 16, 32.
static const struct {
    const char *model;
    int start[6];
} models[] = {
    {"vgg16", {7, 7, 8, 9, 9, 10}},     {"vgg19", {7, 7, 8, 9, 10, 10}},
    {"resnet18", {4, 5, 5, 7, 7, 7}},   {"shufflenet_v2_x1_0", {4, 4, 5, 5, 7, 8}},
    {"bert", {10, 10, 10, 10, 10, 10}}, {"gpt2", {10, 10, 10, 10, 10, 10}},
    {"a2c", {38, 39, 39, 46, 46, 46}},  {"dqn", {5, 5, 6, 6, 8, 8}},
};

static void put_classes(struct rr_buf *b)
{
    rr_buf_puts(b, "\"classes\": {");
    for (size_t m = 0; m < sizeof models / sizeof *models; m++)
        for (int k = 0; k < 6; k++)
            rr_buf_putf(b, "%s\"%s-%d\": {\"where\": \"class == '%s' and gpus == %d\", \"checkpoint\": {\"start\": \"%d s\"}}",
                        m + k ? ", " : "", models[m].model, 1 << k, models[m].model, 1 << k, models[m].start[k]);
    rr_buf_puts(b, "},");
}

static void simulate(const char *path, const char *columns, const char *scheduler, bool starts, double metric[RR_METRICS])
{
    struct rr_buf b = {0};
    rr_buf_putf(
        &b, "{\"rackrate\": 1, \"name\": \"muri\", \"workload\": {\"philly\": {\"trace\": \"%s\", \"format\": \"csv\", \"columns\": %s}},",
        path, columns);
    if (starts) put_classes(&b);
    rr_buf_putf(&b, "\"pools\": {\"v100\": {\"gpus_per_node\": 8, \"nodes\": 8, \"plan\": {\"type\": \"unpriced\"}}}, \"scheduler\": %s}",
                scheduler);
    published_run(rr_buf_text(&b), metric);
    rr_buf_done(&b);
}

static void simulated(const char *trace, const char *policy, double jct, double p99, double makespan, double within)
{
    static const char columns[] = "{\"submit_s\": {\"name\": \"submit_time\", \"unit\": \"ms\"}, \"duration_s\": {\"name\": \"duration\", "
                                  "\"unit\": \"ms\"}, \"gpus\": \"num_gpu\", \"class\": \"model_name\"}";
    struct rr_arena *a = rr_arena_create();
    const char *path = published_data(a, rr_strf(a, "traces/muri/%s.csv", trace));
    double m[RR_METRICS];
    simulate(path, columns,
             rr_strf(a, "{\"policy\": \"%s\", \"placement\": \"first_fit\", \"estimate\": \"exact\", \"migrate\": \"always\"}", policy),
             true, m);
    const bool good = published_row(rr_strf(a, "Muri %s, %s, average JCT (s)", trace, policy), jct, m[RR_M_JCT_MEAN], within);
    if (p99 > 0) published_row(rr_strf(a, "Muri %s, %s, 99th percentile of JCT (s)", trace, policy), p99, m[RR_M_JCT_P99], -1);
    published_row(rr_strf(a, "Muri %s, %s, makespan (s)", trace, policy), makespan, m[RR_M_MAKESPAN], -1);
    rr_arena_free(a);
    assert_true(good);
}

static void trace1(void **state)
{
    (void)state;
    simulated("trace1", "srtf", 1370603, 16647148, 26045466, 0.06);
    simulated("trace1", "srsf", 980141, 15529914, 26065759, 0.06);
    simulated("trace1", "las", 3330371, 0, 23556410, -1);
}

static void trace3(void **state)
{
    (void)state;
    simulated("trace3", "srtf", 193082, 4538891, 8174135, 0.06);
    simulated("trace3", "srsf", 185022, 4189699, 8174135, 0.06);
    simulated("trace3", "las", 347213, 0, 8174226, -1);
}

static void testbed(void **state)
{
    (void)state;
    static const char columns[] = "{\"submit_s\": \"submit_time\", \"duration_s\": \"real_executed_time\", \"gpus\": \"num_gpu\"}";
    struct rr_arena *a = rr_arena_create();
    const char *path = published_data(a, "traces/muri/testbed_results/SRTF_job.csv");
    double m[RR_METRICS];
    simulate(path, columns, "{\"policy\": \"srtf\", \"placement\": \"first_fit\", \"estimate\": \"exact\"}", false, m);
    bool good = published_row("Muri testbed (measured), srtf, average JCT (s)", 249140.176953, m[RR_M_JCT_MEAN], 0.03);
    good &= published_row("Muri testbed (measured), srtf, makespan (s)", 4156633.262890, m[RR_M_MAKESPAN], 0.03);
    published_row("Muri testbed (measured), srtf, 99th percentile of JCT (s)", 2723588.792933, m[RR_M_JCT_P99], -1);
    published_row("Muri testbed (measured), srtf, starts in all", 3388, 400 + m[RR_M_RESTARTS], -1);
    path = published_data(a, "traces/muri/testbed_cluster_trace.csv");
    simulate(path,
             "{\"submit_s\": {\"name\": \"submit_time\", \"unit\": \"ms\"}, \"duration_s\": {\"name\": \"duration\", \"unit\": \"ms\"}, "
             "\"gpus\": \"num_gpu\", \"class\": \"model_name\"}",
             "{\"policy\": \"srtf\", \"placement\": \"first_fit\", \"estimate\": \"exact\", \"round\": \"30 min\"}", true, m);
    published_row("Muri testbed, nominal run times, 30 min rounds, JCT (s)", 249140.176953, m[RR_M_JCT_MEAN], -1);
    published_row("Muri testbed, nominal run times, 30 min rounds, makespan", 4156633.262890, m[RR_M_MAKESPAN], -1);
    path = published_data(a, "traces/muri/testbed_results/tiresias_job.csv");
    simulate(path, columns, "{\"policy\": \"las\", \"placement\": \"first_fit\"}", false, m);
    published_row("Muri testbed (measured), tiresias, average JCT (s)", 336533.171665, m[RR_M_JCT_MEAN], -1);
    published_row("Muri testbed (measured), tiresias, makespan (s)", 3959796.871355, m[RR_M_MAKESPAN], -1);
    rr_arena_free(a);
    assert_true(good);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(trace1), cmocka_unit_test(trace3), cmocka_unit_test(testbed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
