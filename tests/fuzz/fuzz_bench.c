/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/fuzz/fuzz_bench.c - every reader of measured times on any bytes: samples in range, or one line of reason.
 *
 * The first byte picks the reader, by its place in data/import/bench_list.h; the next value is "auto". */
#include "data/samples.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void check(const struct rr_samples *s)
{
    struct rr_buf b = {0};
    for (size_t i = 0; i < s->n; i++) {
        const struct rr_sample *r = &s->at[i];
        if (r->us < 0 || r->gb_s < 0 || r->bytes < 0 || r->line < 0 || (r->us == 0 && r->gb_s == 0)) abort();
        if (r->file < 0 || (size_t)r->file >= s->n_files) abort();
    }
    rr_samples_json(&b, s);
    rr_buf_done(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    char path[64];
    size_t formats = 0;
    if (n == 0) return 0;
    while (rr_bench_formats[formats]) formats++;
    const size_t pick = *data++ % (formats + 1);
    const int fd = memfd_create("bench", 0);
    if (fd < 0 || write(fd, data, n - 1) != (ssize_t)(n - 1)) abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    const struct rr_sample_options opt = {
        .format = pick < formats ? rr_bench_formats[pick]->name : "auto", .op = "all_gather", .max_refused = 0.9};
    struct rr_arena *a = rr_arena_create();
    struct rr_samples s;
    const char *p = path;
    if (rr_samples_read(&p, 1, &opt, a, &s) == RR_OK)
        check(&s);
    else if (*rr_reason() == '\0' || strchr(rr_reason(), '\n'))
        abort();
    rr_arena_free(a);
    close(fd);
    return 0;
}
