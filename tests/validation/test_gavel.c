/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/validation/test_gavel.c - Gavel's measured throughputs and job lists (OSDI'20): a job takes its steps over the throughput of its type and
 * size on the GPU it got.
 *
 * simulation_throughputs.json holds steps a second of 83 types x sizes on K80, P100 and V100 each, minimize_makespan.trace 100 jobs by type, steps and
 * size. Our table is made of the former (class = type and size), run times are those on a V100; on a pool of another GPU every job must take steps /
 * throughput there, to the millionth that speeds are kept in. */
#include "data/base/json.h"
#include "sim/engine/engine.h"
#include "tests/trace_help.h"
#include <math.h>

#define MOST 200
static const char *const gpu[] = {"k80", "p100", "v100"};
static cJSON *table;
static struct rr_throughput throughput;
static double steps[MOST];
static int64_t submit_us[MOST], run_us[MOST];
static int32_t milli[MOST];
static uint16_t class_id[MOST];
static const char *class_name[MOST];

static double rate(const char *on, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(table, on), key), "null")
        ->valuedouble;
}

static void make_table(void)
{
    struct rr_input *in;
    char *text = NULL;
    size_t n;
    if (rr_input_open(shared("traces/gavel/simulation_throughputs.json.gz"), &in) != RR_OK || rr_input_all(in, 1 << 24, &text, &n) != RR_OK)
        fail_msg("%s", rr_reason());
    rr_input_close(in);
    table = cJSON_Parse(text);
    free(text);
    assert_non_null(table);
    struct rr_buf b = {0};
    size_t rows = 0;
    rr_buf_puts(&b, "class,gpu,throughput\n");
    for (int g = 0; g < 3; g++)
        for (const cJSON *x = cJSON_GetObjectItemCaseSensitive(table, gpu[g])->child; x; x = x->next) {
            if (rate(gpu[g], x->string) == 0) continue; // does not fit on it
            rows++;
            rr_buf_csv(&b, x->string);
            rr_buf_putf(&b, ",%s,", gpu[g]);
            rr_buf_double(&b, rate(gpu[g], x->string));
            rr_buf_puts(&b, "\n");
        }
    assert_in_range(rows, 3 * 83 - 12, 3 * 83);
    if (rr_throughput_read(file_of("gavel.csv", rr_buf_text(&b)), NULL, arena, &throughput) != RR_OK) fail_msg("%s", rr_reason());
    rr_buf_done(&b);
}

// Tab separated: type, command, directory, step argument, needs data, steps, GPUs, ...
static size_t read_jobs(void)
{
    struct rr_csv *csv;
    struct rr_csv_row row;
    size_t n = 0;
    class_name[0] = "";
    if (rr_csv_open(shared("traces/gavel/physical_cluster/minimize_makespan.trace"), (struct rr_csv_options){.separator = '\t'}, &csv) !=
        RR_OK)
        fail_msg("%s", rr_reason());
    while (rr_csv_next(csv, &row) == RR_OK && row.n > 0) {
        assert_int_equal(row.n, 10);
        int64_t count, gpus;
        assert_int_equal(rr_text_i64(row.cell[5], &count), RR_OK);
        assert_int_equal(rr_text_i64(row.cell[6], &gpus), RR_OK);
        class_name[n + 1] = rr_strf(arena, "('%.*s', %d)", (int)row.cell[0].n, row.cell[0].at, (int)gpus);
        class_id[n] = (uint16_t)(n + 1);
        steps[n] = (double)count;
        milli[n] = (int32_t)gpus * 1000;
        submit_us[n] = 0;
        run_us[n] = (int64_t)(steps[n] / rate("v100", class_name[n + 1]) * 1e6 + 0.5);
        n += rate("k80", class_name[n + 1]) > 0;
    }
    rr_csv_close(csv);
    return n;
}

static void jobs_take_their_steps_over_the_throughput(void **state)
{
    (void)state;
    make_table();
    const size_t n = read_jobs();
    assert_in_range(n, 90, 100);
    const struct rr_trace t = {.n = n,
                               .submit_us = submit_us,
                               .run_us = run_us,
                               .gpus_milli = milli,
                               .class_id = class_id,
                               .class_name = class_name,
                               .n_classes = n + 1};
    static const struct rr_node_shape eight = {.gpus = 8, .gpu = "", .name = ""};
    for (int g = 0; g < 3; g++) {
        struct rr_pool pool = {
            .name = "p", .pointer = "/pools/p", .shape = &eight, .n_shapes = 1, .nodes_min = 100, .nodes_max = 100, .gpu = gpu[g]};
        struct rr_scenario sc = {
            .pool = &pool,
            .n_pools = 1,
            .throughput = &throughput,
            .reference_gpu = "v100",
            .scheduler = {.policy = rr_kind_find(rr_policies, "fifo"), .placement = rr_kind_find(rr_placements, "pack")}};
        const struct rr_world w = {.scenario = &sc, .trace = &t, .horizon_us = RR_NEVER};
        struct rr_replay r;
        if (rr_engine_run(&w, &r) != RR_OK || rr_replay_check_time(&w, &r, NULL) != RR_OK) fail_msg("%s", rr_reason());
        double sum = 0, worst = 0;
        for (size_t i = 0; i < n; i++) {
            const double want = steps[i] / rate(gpu[g], class_name[i + 1]) * 1e6,
                         is = (double)(r.outcome[i].end_us - r.outcome[i].start_us);
            const double slow = rate(gpu[g], class_name[i + 1]) / rate("v100", class_name[i + 1]);
            assert_true(fabs(is / want - 1) < 0.6e-6 / slow);
            worst = fmax(worst, fabs(is / want - 1));
            sum += is / 3.6e9;
        }
        print_message("%s: %.1f h of run time in %zu jobs, worst difference from steps / throughput %.1e\n", gpu[g], sum, n, worst);
        rr_replay_done(&r);
    }
    cJSON_Delete(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(jobs_take_their_steps_over_the_throughput, help_setup, help_teardown)};
    return cmocka_run_group_tests(tests, help_start, help_end);
}
