/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/fuzz/fuzz_train_log.c - the readers of training logs on any bytes: steps with one positive time or rate, or one line of reason.
 *
 * The first byte picks the reader, which goes by the name's ending. */
#include "data/train_log.h"
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static bool sane(double v) { return v >= 0 && isfinite(v); }

static void check(const struct rr_train_log *l)
{
    if (l->steps == 0 || l->warmup + l->beside + l->outliers > l->steps || !l->format) abort();
    if (!sane(l->step_s) || !sane(l->samples_s) || !sane(l->tokens_s_per_gpu) || !sane(l->global_batch) || !sane(l->memory_bytes)) abort();
    if (l->used == 0 || l->used > l->steps || !sane(l->spread)) abort();
    if ((l->step_s > 0) + (l->samples_s > 0) + (l->tokens_s_per_gpu > 0) != 1) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static const char *const ending[] = {".log", ".csv", ".json"};
    char name[64], file[64];
    struct rr_train_log log;
    if (n == 0) return 0;
    const uint8_t pick = *data++;
    const int fd = memfd_create("log", 0);
    if (fd < 0 || write(fd, data, n - 1) != (ssize_t)(n - 1)) abort();
    snprintf(file, sizeof file, "/proc/self/fd/%d", fd);
    snprintf(name, sizeof name, "/tmp/fuzz-train-log-%d%s", (int)getpid(), ending[pick % 3]);
    if (symlink(file, name) != 0) abort();
    if (rr_train_log_read(name, &log) == RR_OK)
        check(&log);
    else if (*rr_reason() == '\0' || strchr(rr_reason(), '\n'))
        abort();
    unlink(name);
    close(fd);
    return 0;
}
