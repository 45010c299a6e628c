/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/validation/calib_logs.h - the public logs of collectives, what each holds, and how to read one; for the tests that need them.
 *
 * Counts: a script of its own counted rows, sizes, times and their sums with regular expressions (2026-12-01). */
#ifndef RR_TESTS_CALIB_LOGS_H
#define RR_TESTS_CALIB_LOGS_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "data/samples.h"
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

enum { LOGS = sizeof logs / sizeof *logs };

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

static struct rr_samples read_log(const char *name, struct rr_arena *a)
{
    const char *path = rr_strf(a, "%s/%s", folder, name);
    struct rr_samples s;
    const struct rr_sample_options opt = {.max_refused = 0.2};
    if (rr_samples_read(&path, 1, &opt, a, &s) != RR_OK) fail_msg("%s", rr_reason());
    return s;
}
#endif
