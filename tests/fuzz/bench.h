/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/fuzz/bench.h - a reader of measured times on any bytes: samples in range, or one line of reason. */
#ifndef RR_TESTS_FUZZ_BENCH_H
#define RR_TESTS_FUZZ_BENCH_H
#include "data/samples.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void bench_check(const struct rr_samples *s)
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

/* `format`: a name of data/import/bench_list.h, or "auto". */
static inline int bench_read(const char *format, const uint8_t *data, size_t n)
{
    char path[64];
    const int fd = memfd_create("bench", 0);
    if (fd < 0 || write(fd, data, n) != (ssize_t)n) abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    const struct rr_sample_options opt = {.format = format, .op = "all_gather", .max_refused = 0.9};
    struct rr_arena *a = rr_arena_create();
    struct rr_samples s;
    const char *p = path;
    if (rr_samples_read(&p, 1, &opt, a, &s) == RR_OK)
        bench_check(&s);
    else if (*rr_reason() == '\0' || strchr(rr_reason(), '\n'))
        abort();
    rr_arena_free(a);
    close(fd);
    return 0;
}
#endif
