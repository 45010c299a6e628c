/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/validation/test_network.c - the shape of a collective's time over its size, against public logs of nccl-tests.
 *
 * Nothing is fitted: the latency is the time of a log's smallest message, the bandwidth that of its largest; between them the model must hold. */
#include "data/samples.h"
#include "models/train/network.h"
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
    const char *name;
    int32_t ranks, nodes;
} logs[] = {
    {"a100-40g_1x8_all_gather_oldfmt", 8, 1},
    {"a100-40g_1x8_all_reduce_oldfmt", 8, 1},
    {"a100-40g_1x8_reduce_scatter_oldfmt", 8, 1},
    {"a100-40g_2x8_ib-sharp_all_reduce_oldfmt_collnet-info", 16, 2},
    {"a100-40g_2x8_oci-roce_all_reduce", 16, 2},
    {"a100-80g_2x8_efa_all_reduce_srun-label", 16, 2},
    {"dgxa100_2x8_hdr200x8_all_reduce_oldfmt", 16, 2},
    {"h100-80g_1x8_all_reduce", 8, 1},
    {"h100-80g_2x8_efa_all_reduce_mpi-tag_elided", 16, 2},
    {"h100-80g_2x8_efa_all_reduce_srun-label", 16, 2},
    {"h100-80g_2x8_gcp-a3mega_all_gather_newfmt", 16, 2},
    {"h100-80g_2x8_gcp-tcpxo_all_reduce", 16, 2},
    {"h200_2x8_roce_all_reduce_tail_newfmt", 16, 2},
    {"t4_2x1_efa_all_reduce_mpi-tag_nccl-info", 2, 2},
    {"unknown_2x1_efa_all_reduce_mpi-tag", 2, 2},
};

struct ends {
    double latency_s, bus_b_s, factor;
};

static struct ends ends_of(const struct rr_samples *s, int32_t ranks)
{
    struct ends e = {0};
    int64_t least = INT64_MAX, most = 0;
    e.factor = rr_bus_factor(s->at[0].op, ranks);
    for (size_t i = 0; i < s->n; i++) {
        if (s->at[i].bytes <= 0 || s->at[i].in_place) continue;
        if (s->at[i].bytes < least) least = s->at[i].bytes, e.latency_s = 1e-6 * s->at[i].us;
        if (s->at[i].bytes > most) most = s->at[i].bytes, e.bus_b_s = e.factor * (double)most / (1e-6 * s->at[i].us);
    }
    return e;
}

/* Mean error of sizes from 64 KiB to 256 MiB: by the model; by a straight line. */
static void errors(const struct rr_samples *s, int32_t ranks, int32_t nodes, double *piped, double *straight)
{
    const struct ends e = ends_of(s, ranks);
    const struct rr_machine m = {
        .gpus_per_node = ranks / nodes, .link_gb_s = 1e-9 * e.bus_b_s, .net_gb_s = 1e-9 * e.bus_b_s * nodes / ranks};
    struct rr_coefs c = {0};
    c.v[RR_COEF_LINK_EFF] = c.v[RR_COEF_NET_EFF] = c.v[RR_COEF_GATHER_NET] = 1;
    c.v[RR_COEF_LINK_US] = 1e6 * e.latency_s;
    const struct rr_group g = rr_group_make(&m, ranks, 1);
    size_t n = 0;
    *piped = *straight = 0;
    for (size_t i = 0; i < s->n; i++) {
        const struct rr_sample *x = &s->at[i];
        if (x->bytes < 65536 || x->bytes > 268435456 || x->in_place) continue;
        const double b = (double)x->bytes, t = 1e-6 * x->us;
        const double p = e.factor > 1                  ? rr_all_reduce_s(&m, &c, &g, b)
                         : ranks == 2 && e.factor == 1 ? rr_all_reduce_s(&m, &c, &g, b)
                                                       : rr_all_gather_s(&m, &c, &g, b);
        *piped += fabs(p / t - 1), n++;
        *straight += fabs((e.latency_s + e.factor * b / e.bus_b_s) / t - 1);
    }
    assert_true(n > 8);
    *piped /= (double)n, *straight /= (double)n;
}

static void between_its_ends_a_collective_is_chunks_in_a_pipe(void **state)
{
    (void)state;
    struct rr_arena *a = rr_arena_create();
    const char *dir = getenv("RACKRATE_SHARED");
    const char *folder = rr_strf(a, "%s/calibration/nccl-tests", dir ? dir : "../shared");
    const size_t n = sizeof logs / sizeof *logs;
    double piped = 0, straight = 0;
    if (access(folder, R_OK) != 0) {
        rr_arena_free(a);
        skip();
    }
    for (size_t i = 0; i < n; i++) {
        const char *path = rr_strf(a, "%s/%s.txt", folder, logs[i].name);
        const char *op = strstr(logs[i].name, "all_gather")       ? "all_gather"
                         : strstr(logs[i].name, "reduce_scatter") ? "reduce_scatter"
                                                                  : "all_reduce";
        const struct rr_sample_options opt = {.max_refused = 0.2, .ranks = logs[i].ranks, .op = op};
        struct rr_samples s;
        double x, y;
        if (rr_samples_read(&path, 1, &opt, a, &s) != RR_OK) fail_msg("%s", rr_reason());
        errors(&s, logs[i].ranks, logs[i].nodes, &x, &y);
        print_message("%-55s %5.1f %% (a straight line: %.1f %%)\n", logs[i].name, 100 * x, 100 * y);
        piped += x / (double)n, straight += y / (double)n;
    }
    print_message("mean %.1f %% (a straight line: %.1f %%)\n", 100 * piped, 100 * straight);
    rr_arena_free(a);
    assert_true(piped < 0.20);
    assert_true(piped < 0.6 * straight);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(between_its_ends_a_collective_is_chunks_in_a_pipe)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
