/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/fuzz/fuzz_spot.c - every reader of spot series on any bytes: a step function in order and in range, or one line of reason. */
#include "data/spot.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void check(const struct rr_spot_series *s)
{
    if (s->n == 0 || s->n > s->rows || s->at_us[0] != 0 || s->end_us < s->at_us[s->n - 1]) abort();
    for (size_t i = 0; i < s->n; i++) {
        if (s->value[i] < (s->of == RR_SPOT_PRICES)) abort();
        if (i > 0 && (s->at_us[i] <= s->at_us[i - 1] || s->value[i] == s->value[i - 1])) abort();
        if (rr_spot_at(s, s->at_us[i]) != s->value[i]) abort();
    }
}

static void read_as(struct rr_spot_file file, enum rr_spot_of of)
{
    struct rr_arena *a = rr_arena_create();
    struct rr_spot_series s;
    if (rr_spot_read(&file, of, a, &s) == RR_OK)
        check(&s);
    else if (*rr_reason() == '\0' || strchr(rr_reason(), '\n'))
        abort();
    rr_arena_free(a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    char path[64];
    if (n == 0) return 0;
    const uint8_t pick = *data++;
    const int fd = memfd_create("series", 0);
    if (fd < 0 || write(fd, data, n - 1) != (ssize_t)(n - 1)) abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    const struct rr_spot_file file = {.path = path,
                                      .unit = pick % 3,
                                      .gap_us = pick & 4 ? 1 + pick : 0,
                                      .times = 1 + (pick & 8),
                                      .zone = pick & 16 ? "a" : NULL,
                                      .gap_limit_us = pick & 32 ? 5 : 0};
    for (int of = RR_SPOT_PRICES; of <= RR_SPOT_NODES; of++) {
        read_as(file, (enum rr_spot_of)of);
        for (size_t i = 0; rr_spot_readers[i]; i++) {
            struct rr_spot_file as = file;
            as.format = rr_spot_readers[i]->name;
            read_as(as, (enum rr_spot_of)of);
        }
    }
    close(fd);
    return 0;
}
