/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/validation/test_calibration.c - public logs of collectives: counted exactly, and curves from every other size against the sizes between.
 *
 * Counts: a script of its own counted rows, sizes, times and their sums with regular expressions (2026-12-01). A log takes part in the second test when
 * it has 12 sizes and its name does not call it noisy; trained on the 1st, 3rd, 5th, ... size. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "models/calib/calib.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct log {
    const char *name;
    size_t rows, sizes, times;
    double us;     /* sum of the times */
    double bytes;  /* sum over the rows */
    int32_t ranks; /* by the file's name */
} logs[] = {
    {"nccl-tests/a100-40g_1x8_all_gather_oldfmt.txt", 34, 30, 68, 137552.26, 17179869152, 8},
    {"nccl-tests/a100-40g_1x8_all_reduce_oldfmt.txt", 34, 33, 68, 260423.84, 17179869180, 8},
    {"nccl-tests/a100-40g_1x8_alltoall_oldfmt.txt", 34, 30, 68, 138852.10, 17179869152, 8},
    {"nccl-tests/a100-40g_1x8_broadcast_oldfmt.txt", 34, 33, 68, 150759.78, 17179869180, 8},
    {"nccl-tests/a100-40g_1x8_reduce_oldfmt.txt", 34, 33, 68, 152822.15, 17179869180, 8},
    {"nccl-tests/a100-40g_1x8_reduce_scatter_oldfmt.txt", 34, 30, 68, 134473.48, 17179869152, 8},
    {"nccl-tests/a100-40g_2x8_ib-sharp_all_reduce_oldfmt_collnet-info.txt", 29, 29, 58, 159824.74, 4294967288, 16},
    {"nccl-tests/a100-40g_2x8_oci-roce_all_reduce.txt", 31, 31, 62, 285523.91, 17179869176, 16},
    {"nccl-tests/a100-40g_2x8_oci-roce_all_reduce_v2.17.9_ranks-elided.txt", 4, 4, 8, 320196.90, 16106127360, 16},
    {"nccl-tests/a100-80g_2x8_efa_all_reduce_srun-label.txt", 29, 29, 58, 225765.10, 4294967288, 16},
    {"nccl-tests/dgxa100_2x8_hdr200x8_all_reduce_oldfmt.txt", 30, 30, 60, 177743.77, 8589934584, 16},
    {"nccl-tests/dgxa100_4x8_ib_all_reduce_oldfmt_errorcol.txt", 13, 13, 26, 181572.30, 8588886016, 32},
    {"nccl-tests/gb10_2x1_200g_all_reduce_v2.20.0_truncated.txt", 4, 4, 8, 337.54, 122880, 2},
    {"nccl-tests/gb200-nvl72_18x4_all_reduce_headless.txt", 5, 5, 10, 81279.80, 16642998272, 72},
    {"nccl-tests/gb200_36x4_two-racks_all_reduce_headless.txt", 6, 6, 12, 173458.80, 33822867456, 144},
    {"nccl-tests/h100-80g_1x8_all_reduce.txt", 32, 32, 64, 253381.79, 34359738360, 8},
    {"nccl-tests/h100-80g_2x8_efa_all_reduce_mpi-tag_elided.txt", 32, 32, 64, 281159.95, 34359738360, 16},
    {"nccl-tests/h100-80g_2x8_efa_all_reduce_srun-label.txt", 32, 32, 64, 278058.18, 34359738360, 16},
    {"nccl-tests/h100-80g_2x8_gcp-a3high-tcpx_all_gather_nocheck.txt", 10, 10, 20, 40226.20, 1072693248, 16},
    {"nccl-tests/h100-80g_2x8_gcp-a3mega_all_gather_newfmt.txt", 31, 27, 62, 176544.56, 17179868928, 16},
    {"nccl-tests/h100-80g_2x8_gcp-tcpxo_all_reduce.txt", 31, 31, 62, 212471.80, 17179869176, 16},
    {"nccl-tests/h100-80g_2x8_gcp-tcpxo_all_reduce_markdown-damaged.txt", 31, 31, 62, 212471.80, 17179869176, 16},
    {"nccl-tests/h200_2x8_roce_all_reduce_tail_newfmt.txt", 22, 22, 44, 270692.57, 34359730176, 16},
    {"nccl-tests/mi300x_2x8_oci-roce_all_reduce_rccl.txt", 5, 5, 10, 349720.50, 33285996544, 16},
    {"nccl-tests/rtx5090_2x1-shared_tcp_all_reduce_mpi-tag_stderr_v2.18.0.txt", 8, 8, 16, 255446.47, 267386880, 2},
    {"nccl-tests/t4_2x1_efa_all_reduce_mpi-tag_nccl-info.txt", 31, 30, 62, 1384007.69, 2147483644, 2},
    {"nccl-tests/unknown_24ranks_all_reduce_rank-prefix-midline.txt", 10, 10, 20, 797885.50, 1072693248, 24},
    {"nccl-tests/unknown_2x1_efa_all_reduce_mpi-tag.txt", 31, 30, 62, 1533190.13, 2147483644, 2},
    {"nccl-tests/v100-32g_2x8_100g-roce-sriov_all_reduce_oldfmt_noisy.txt", 29, 29, 58, 721345.59, 4294967288, 16},
    {"nccl-tests/v100_16x16_all_reduce_oldfmt_nocheck_headless.txt", 6, 6, 12, 122888.20, 2113929216, 256},
    {"nccl-lut/a100_1x2_all_reduce_vtrain_lut.csv", 1024, 1024, 2048, 5748309.09, 550292684800, 2},
    {"nccl-lut/a100_1x3_all_reduce_vtrain_lut.csv", 1024, 1024, 2048, 7066828.25, 550292684800, 3},
    {"nccl-lut/a100_1x4_all_reduce_vtrain_lut.csv", 1024, 1024, 2048, 7604483.18, 550292684800, 4},
    {"nccl-lut/a100_1x5_all_reduce_vtrain_lut.csv", 1024, 1024, 2048, 7981498.07, 550292684800, 5},
    {"nccl-lut/a100_1x6_all_reduce_vtrain_lut.csv", 1024, 1024, 2048, 8246937.81, 550292684800, 6},
    {"nccl-lut/a100_1x7_all_reduce_vtrain_lut.csv", 1024, 1024, 2048, 8424585.11, 550292684800, 7},
    {"nccl-lut/a100_1x8_all_reduce_vtrain_lut.csv", 1024, 1024, 2048, 8577931.26, 550292684800, 8},
    {"nccl-lut/v100_1x2_all_reduce_vtrain_lut.csv", 1024, 1024, 2048, 48809380.51, 550292684800, 2},
    {"nccl-lut/v100_1x3_all_reduce_vtrain_lut.csv", 1024, 1024, 2048, 32532446.68, 550292684800, 3},
    {"nccl-lut/v100_1x4_all_reduce_vtrain_lut.csv", 1024, 1024, 2048, 19382875.19, 550292684800, 4},
    {"nccl-lut/v100_1x5_all_reduce_vtrain_lut.csv", 1024, 1024, 2048, 47473695.69, 550292684800, 5},
    {"nccl-lut/v100_1x6_all_reduce_vtrain_lut.csv", 1024, 1024, 2048, 40133443.77, 550292684800, 6},
    {"nccl-lut/v100_1x7_all_reduce_vtrain_lut.csv", 1024, 1024, 2048, 21734689.92, 550292684800, 7},
    {"nccl-lut/v100_1x8_all_reduce_vtrain_lut.csv", 1024, 1024, 2048, 14379171.83, 550292684800, 8},
};
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

static struct rr_arena *arena;
static const char *folder;

static int setup(void **state)
{
    const char *dir = getenv("RACKRATE_SHARED");
    (void)state;
    arena = rr_arena_create();
    folder = rr_strf(arena, "%s/calibration", dir ? dir : "../shared");
    return 0;
}
static int teardown(void **state)
{
    (void)state;
    rr_arena_free(arena);
    return 0;
}
static void need_data(void)
{
    if (access(folder, R_OK) != 0) skip();
}

static struct rr_samples read_log(const char *name)
{
    const char *path = rr_strf(arena, "%s/%s", folder, name);
    struct rr_samples s;
    const struct rr_sample_options opt = {.max_refused = 0.2};
    if (rr_samples_read(&path, 1, &opt, arena, &s) != RR_OK) fail_msg("%s", rr_reason());
    return s;
}

static int by_i64(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void every_log_is_counted_exactly(void **state)
{
    (void)state;
    need_data();
    for (size_t i = 0; i < sizeof logs / sizeof *logs; i++) {
        const struct rr_samples s = read_log(logs[i].name);
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

static void every_matrix_is_counted_exactly(void **state)
{
    (void)state;
    need_data();
    for (size_t i = 0; i < sizeof matrices / sizeof *matrices; i++) {
        const struct rr_samples s = read_log(matrices[i].name);
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

/* ---- prediction ---- */

static int by_bytes(const void *a, const void *b)
{
    const struct rr_point *x = a, *y = b;
    if (x->bytes != y->bytes) return x->bytes < y->bytes ? -1 : 1;
    return (int)x->in_place - (int)y->in_place;
}
static int by_double(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

struct covered {
    size_t in, of;
};

static void predict_between(const struct log *l, struct covered *cover)
{
    const struct rr_samples s = read_log(l->name);
    struct rr_point *all = RR_NEWS(arena, struct rr_point, s.n), *odd = RR_NEWS(arena, struct rr_point, s.n);
    double *miss = RR_NEWS(arena, double, s.n);
    size_t n = 0, train = 0, sizes = 0, judged = 0, flagged = 0, in = 0, of = 0;
    const double factor = rr_bus_factor(s.at[0].op, s.at[0].ranks);
    const struct rr_fit_options plain = {.seed = 7}, opt = {.loo = true, .seed = 7};
    struct rr_curve whole, c;
    char outliers[400] = "";
    for (size_t k = 0; k < s.n; k++)
        if (s.at[k].bytes > 0) all[n++] = (struct rr_point){(double)s.at[k].bytes, s.at[k].us, s.at[k].in_place, s.at[k].line, false};
    qsort(all, n, sizeof *all, by_bytes);
    bool *test = RR_NEWS(arena, bool, n);
    for (size_t k = 0; k < n; k++) {
        sizes += k == 0 || all[k].bytes != all[k - 1].bytes;
        test[k] = sizes % 2 == 0;
        if (!test[k]) odd[train++] = all[k];
    }
    if (sizes < 12) return;
    rr_curve_fit(all, n, factor, &plain, arena, &whole); // flags outliers in all[], which stays in order
    rr_curve_fit(odd, train, factor, &opt, arena, &c);
    const double band = rr_curve_band(&c);
    for (size_t k = 0; k < n; k++) {
        bool outside;
        if (!test[k]) continue;
        const double off = rr_curve_us(&c, all[k].bytes, &outside) / all[k].us;
        in += fabs(log(off)) <= band, of++;
        if (!all[k].outlier) miss[judged++] = 100 * fabs(off - 1);
        if (all[k].outlier && flagged++ < 8) {
            char one[48];
            snprintf(one, sizeof one, " %.0f:%.0f%%", all[k].bytes, 100 * (off - 1));
            strncat(outliers, one, sizeof outliers - strlen(outliers) - 1);
        }
    }
    qsort(miss, judged, sizeof *miss, by_double);
    const double median = miss[judged / 2], worst = miss[judged - 1];
    cover->in += in, cover->of += of;
    char what[80];
    const char *slash = strchr(l->name, '/') + 1;
    snprintf(what, sizeof what, "%.44s median %%", slash);
    print_message("published: %-58s %16.6f %16.6f %+9.3f    %s\n", what, 0.0, median, median, "5");
    snprintf(what, sizeof what, "%.44s worst %%", slash);
    print_message("published: %-58s %16.6f %16.6f %+9.3f    %s\n", what, 0.0, worst, worst, "20");
    print_message("%s: %zu sizes, %zu break points, median %.1f %%, worst %.1f %%, band %.1f %% holds %zu of %zu, %zu outliers%s\n", slash,
                  sizes, c.n_knots, median, worst, 100 * band, in, of, flagged, outliers);
    if (median > 5 || worst > 20) fail_msg("%s: median %.2f %%, worst %.2f %%", l->name, median, worst);
}

static void curves_predict_the_sizes_between(void **state)
{
    (void)state;
    need_data();
    struct covered tables = {0}, all = {0};
    for (size_t i = 0; i < sizeof logs / sizeof *logs; i++) {
        struct covered one = {0};
        if (strstr(logs[i].name, "noisy")) continue;
        predict_between(&logs[i], &one);
        all.in += one.in, all.of += one.of;
        if (strstr(logs[i].name, "nccl-tests")) tables.in += one.in, tables.of += one.of;
    }
    const double share = 100.0 * (double)all.in / (double)all.of, share_tables = 100.0 * (double)tables.in / (double)tables.of;
    print_message("published: %-58s %16.6f %16.6f %+9.3f    %s\n", "90 % band: sizes of all logs inside, %", 90.0, share, share - 90,
                  "80 .. 97");
    print_message("published: %-58s %16.6f %16.6f %+9.3f    %s\n", "90 % band: of nccl-tests alone, %", 90.0, share_tables,
                  share_tables - 90, "80 .. 97");
    assert_true(share >= 80 && share <= 97);
    assert_true(share_tables >= 80 && share_tables <= 97);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_log_is_counted_exactly),
        cmocka_unit_test(every_matrix_is_counted_exactly),
        cmocka_unit_test(curves_predict_the_sizes_between),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
