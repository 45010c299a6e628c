/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/fuzz/fuzz_profile.c - a profile of any bytes: read, written and read again to the same text, asked and drawn; or one line of reason. */
#include "data/profile.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static enum rr_status read_bytes(const void *data, size_t n, struct rr_arena *a, struct rr_profile *p)
{
    char path[64];
    const int fd = memfd_create("profile", 0);
    if (fd < 0 || write(fd, data, n) != (ssize_t)n) abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    const enum rr_status st = rr_profile_read(path, a, p);
    close(fd);
    return st;
}

static void ask(const struct rr_profile *p, struct rr_arena *a)
{
    struct rr_rng rng;
    struct rr_profile world;
    bool outside;
    rr_rng_init(&rng, 1, 0, RR_RNG_TEST, 0);
    rr_profile_sample(p, &rng, a, &world);
    for (size_t i = 0; i < p->n_curves; i++)
        for (double x = 1; x < 1e12; x *= 37)
            if (!(rr_curve_us(&p->curve[i], x, &outside) > 0) || !(rr_curve_us(&world.curve[i], x, &outside) > 0)) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct rr_arena *a = rr_arena_create();
    struct rr_profile p, q;
    struct rr_buf b = {0};
    if (read_bytes(data, n, a, &p) == RR_OK) {
        ask(&p, a);
        rr_profile_json(&b, &p);
        if (read_bytes(rr_buf_text(&b), b.n, a, &q) == RR_OK &&
            (q.n_curves != p.n_curves || q.n_rates != p.n_rates || q.n_peaks != p.n_peaks))
            abort();
    } else if (*rr_reason() == '\0' || strchr(rr_reason(), '\n')) {
        abort();
    }
    rr_buf_done(&b);
    rr_arena_free(a);
    return 0;
}
