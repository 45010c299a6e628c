/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/validation/test_calibration.c - the public logs of benchmarks, counted exactly: rows, sizes, times, and what they add up to. */
#include "tests/validation/calib_logs.h"
#include <math.h>
#include <regex.h>
#include <stdio.h>

/* Matrices of nvbandwidth: rows, values, and the sum of what was printed. */
static const struct matrix {
    const char *name;
    size_t rows, values;
    double sum; /* GB/s, and ns / 1000 */
} matrices[] = {
    {"nvbandwidth/a100-40g_x1_h2d-sm_v0.8.txt", 1, 1, 25.13},
    {"nvbandwidth/a10_x1_h2d_v0.5.txt", 1, 1, 25.17},
    {"nvbandwidth/a6000_x6_d2d-read_v0.8_elided.txt", 6, 30, 715.53},
    {"nvbandwidth/gh200_x1_v0.6_waived_edited-testdata.txt", 16, 21, 5828.44 + 0.77258},
    {"nvbandwidth/h100-80g_x8_p2p_h2d_latency_v0.10.0.txt", 26, 184, 22126.64 + 22258.35 + 441.72 + 442.87 + 46.28784},
    {"nvbandwidth/nvlink5-unnamed_x7_v0.10.0_read1-read2-total.txt", 39, 238,
     389.15 + 399.86 + 359.96 + 340.60 + 32140.19 + 32521.50 + 31945.78 + 31924.12 + 63869.90},
    {"nvbandwidth/readme-sample_x8_d2d-write_h2d_nosum.txt", 10, 72, 0},
};

static int by_i64(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void every_log_is_counted_exactly(void **state)
{
    (void)state;
    need_data();
    for (size_t i = 0; i < LOGS; i++) {
        const struct rr_samples s = read_log(logs[i].name, arena);
        int64_t *size = RR_NEWS(arena, int64_t, s.n + 1);
        size_t sizes = 0;
        double us = 0, bytes = 0;
        for (size_t k = 0; k < s.n; k++) {
            size[k] = s.at[k].bytes;
            us += s.at[k].us;
            bytes += (double)s.at[k].bytes / 2; // each row has two halves
            if (s.at[k].ranks != logs[i].ranks) fail_msg("%s: %d ranks", logs[i].name, (int)s.at[k].ranks);
            if (!strstr(logs[i].name, s.at[k].op)) fail_msg("%s: operation %s", logs[i].name, s.at[k].op);
        }
        qsort(size, s.n, sizeof *size, by_i64);
        for (size_t k = 0; k < s.n; k++) sizes += k == 0 || size[k] != size[k - 1];
        if (s.file[0].rows != logs[i].rows || sizes != logs[i].sizes || s.n != logs[i].times || fabs(us - logs[i].us) > 0.02 ||
            bytes != logs[i].bytes)
            fail_msg("%s: %zu rows, %zu sizes, %zu times of %.2f us, %.0f bytes", logs[i].name, s.file[0].rows, sizes, s.n, us, bytes);
        assert_int_equal(s.n_refused, strstr(logs[i].name, "midline") ? 1 : 0); // its first row is cut
    }
}

/* A second reader, which knows one pattern and no generation: value by value against the first. */
#define NUMBER "([0-9.]+(e[+-]?[0-9]+)?)"
#define RATES  NUMBER "[ ]+" NUMBER "[ ]+" NUMBER "[ ]+(" NUMBER "|N/A)"
static const char row_pattern[] = "(^|[ :])([0-9]+)[ ]+[0-9]+[ ]+float[ ]+((sum|none)[ ]+)?((-1|0)[ ]+)?" RATES "[ ]+" RATES "[ ]*$";
enum { SIZE = 2, FIRST = 7, HALF = 9 }; /* groups */

static size_t compare(const struct rr_samples *s, size_t at, const char *line, int64_t number, const regex_t *row)
{
    regmatch_t m[FIRST + 2 * HALF + 1];
    if (regexec(row, line, sizeof m / sizeof *m, m, 0) != 0) return at;
    for (int half = 0; half < 2; half++, at++) {
        const char *bytes = line + m[SIZE].rm_so, *rates = line + m[FIRST + half * HALF].rm_so;
        double us, alg, bus;
        if (at >= s->n || sscanf(rates, "%lf %lf %lf", &us, &alg, &bus) != 3) fail_msg("%s:%lld", s->file[0].path, (long long)number);
        const struct rr_sample *r = &s->at[at];
        if (r->line != number || r->bytes != strtoll(bytes, NULL, 10) || r->us != us || r->gb_s != (alg > 0 || us == 0 ? alg : r->gb_s) ||
            r->bus_gb_s != bus || r->in_place != (half == 1))
            fail_msg("%s:%lld: %lld bytes in %g us, %g and %g GB/s", s->file[0].path, (long long)number, (long long)r->bytes, r->us,
                     r->gb_s, r->bus_gb_s);
    }
    return at;
}

static void every_time_is_that_of_a_second_reader(void **state)
{
    (void)state;
    need_data();
    regex_t row;
    size_t times = 0, counted = 0;
    assert_int_equal(regcomp(&row, row_pattern, REG_EXTENDED), 0);
    for (size_t i = 0; i < LOGS; i++) {
        if (!strstr(logs[i].name, "nccl-tests/")) continue;
        const struct rr_samples s = read_log(logs[i].name, arena);
        FILE *f = fopen(rr_strf(arena, "%s/%s", folder, logs[i].name), "r");
        char line[4096];
        size_t at = 0;
        assert_non_null(f);
        for (int64_t number = 1; fgets(line, sizeof line, f); number++) {
            line[strcspn(line, "\r\n")] = '\0';
            for (char *c = line; (c = strstr(c, "[0]"));) memcpy(c, "   ", 3);
            at = compare(&s, at, line, number, &row);
        }
        fclose(f);
        if (at != s.n) fail_msg("%s: %zu times by the second reader, %zu by the first", logs[i].name, at, s.n);
        times += at, counted += logs[i].times;
    }
    regfree(&row);
    assert_int_equal(times, counted);
}

/* 21 rows: 3 operations on 1 to 64 nodes; GB/s as printed, times from 256 x 10^6 bytes and the factor of 8 GPUs a node. */
static void bandwidths_by_nodes(void **state)
{
    (void)state;
    need_data();
    const struct rr_samples s = read_log("h100_collective_bandwidth_by_nodes.csv", arena);
    double sum = 0;
    assert_int_equal(s.n, 21);
    assert_int_equal(s.n_refused, 0);
    for (size_t i = 0; i < s.n; i++) {
        assert_int_equal(s.at[i].ranks, 8 << (i % 7));
        assert_int_equal(s.at[i].nodes, 1 << (i % 7));
        assert_true(s.at[i].bytes == 256000000);
        sum += s.at[i].bus_gb_s;
    }
    assert_true(fabs(s.at[0].us - 256e6 * 1.75 / 435.97e3) < 1e-6); // all_reduce on 8
    assert_true(fabs(sum - 2665.56) < 0.005);
}

static void every_matrix_is_counted_exactly(void **state)
{
    (void)state;
    need_data();
    for (size_t i = 0; i < sizeof matrices / sizeof *matrices; i++) {
        const struct rr_samples s = read_log(matrices[i].name, arena);
        double sum = 0;
        for (size_t k = 0; k < s.n; k++) sum += s.at[k].us + s.at[k].gb_s;
        if (s.file[0].rows != matrices[i].rows || s.n != matrices[i].values || s.n_refused > 0)
            fail_msg("%s: %zu rows, %zu values", matrices[i].name, s.file[0].rows, s.n);
        if (matrices[i].sum > 0 && fabs(sum - matrices[i].sum) > 2e-5 * sum + 0.02) fail_msg("%s: sum %.4f", matrices[i].name, sum);
    }
    const char *path = rr_strf(arena, "%s/nvbandwidth/a100-80g_x8_d2d-read_assert-failure_v0.7.txt", folder);
    const struct rr_sample_options opt = {.max_refused = 0.2};
    struct rr_samples s;
    assert_int_equal(rr_samples_read(&path, 1, &opt, arena, &s), RR_EINPUT);
    assert_non_null(strstr(rr_reason(), ":20: nvbandwidth stopped in device_to_device_memcpy_read_ce instead of measuring"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_log_is_counted_exactly),
        cmocka_unit_test(every_time_is_that_of_a_second_reader),
        cmocka_unit_test(bandwidths_by_nodes),
        cmocka_unit_test(every_matrix_is_counted_exactly),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
