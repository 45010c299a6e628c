/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/fuzz/fuzz_bench_nvbandwidth.c - data/import/bench_nvbandwidth.c on any bytes. */
#include "tests/fuzz/bench.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) { return bench_read("nvbandwidth", data, n); }
