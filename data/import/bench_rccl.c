/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/import/bench_rccl.c - what AMD's rccl-tests prints: the tables of nccl-tests under a banner of its own. */
#include "data/bench_help.h"

static int sniff(const char *text, size_t n) { return rr_bench_text_has(text, n, "rccl-tests: Version", NULL) ? 95 : 0; }

const struct rr_bench_format rr_bench_rccl = {
    .name = "rccl-tests",
    .summary = "what rccl-tests prints on AMD GPUs",
    .source = "ROCm/rccl-tests",
    .sniff = sniff,
    .read = rr_bench_read_nccl,
};
