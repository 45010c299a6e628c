/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/fuzz/fuzz_bench_auto.c - any bytes read by the format that takes them for its own. */
#include "tests/fuzz/bench.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) { return bench_read("auto", data, n); }
