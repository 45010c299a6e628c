/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/fuzz/fuzz_trace.c - every trace and fleet reader on any bytes, compressed or not: sorted and in range, or one line of reason. */
#include "data/qos.h"
#include "data/trace.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void check(const struct rr_trace *t)
{
    for (size_t i = 0; i < t->n; i++) {
        if (i > 0 && t->submit_us[i] < t->submit_us[i - 1]) abort();
        if (t->run_us[i] < 0 || t->gpus_milli[i] < 0) abort();
        if (t->class_id && t->class_id[i] >= t->n_classes) abort();
    }
}

static void read_as(const char *path, const char *format)
{
    struct rr_arena *a = rr_arena_create();
    struct rr_notes notes = {.arena = a};
    struct rr_trace trace = {0};
    const struct rr_import_options opt = {.format = format, .max_rejected = 0.5};
    if (rr_trace_read(path, &opt, a, &notes, &trace) == RR_OK)
        check(&trace);
    else if (*rr_reason() == '\0' || strchr(rr_reason(), '\n'))
        abort();
    rr_trace_done(&trace);
    rr_notes_done(&notes);
    rr_arena_free(a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    char path[64];
    const int fd = memfd_create("trace", 0);
    if (fd < 0 || write(fd, data, n) != (ssize_t)n) abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    read_as(path, "auto");
    for (size_t i = 0; i < rr_importers.n; i++) read_as(path, rr_importers.at[i]->name);

    struct rr_arena *a = rr_arena_create();
    struct rr_fleet_file fleet;
    struct rr_qos *qos;
    size_t n_qos;
    (void)!rr_fleet_read(path, "auto", a, &fleet);
    for (size_t i = 0; i < rr_fleet_formats.n; i++) (void)!rr_fleet_read(path, rr_fleet_formats.at[i]->name, a, &fleet);
    (void)!rr_qos_read(path, a, &qos, &n_qos);
    rr_arena_free(a);
    close(fd);
    return 0;
}
