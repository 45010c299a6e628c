/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/trace_help.h - what the tests of readers share: files that last one test, reading them, the reason of a refusal. */
#ifndef RR_TESTS_TRACE_HELP_H
#define RR_TESTS_TRACE_HELP_H
#include "data/trace.h"
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static char help_dir[] = "/tmp/rackrate-test-XXXXXX";
static struct rr_arena *arena;
static struct rr_notes notes;
static struct rr_trace trace; /* of the last read */

static inline int help_start(void **state)
{
    (void)state;
    return mkdtemp(help_dir) ? 0 : -1;
}
static inline int help_end(void **state)
{
    (void)state;
    char cmd[128];
    snprintf(cmd, sizeof cmd, "rm -rf '%s'", help_dir);
    return system(cmd);
}
static inline int help_setup(void **state)
{
    (void)state;
    arena = rr_arena_create();
    notes = (struct rr_notes){.arena = arena};
    return 0;
}
static inline int help_teardown(void **state)
{
    (void)state;
    rr_trace_done(&trace);
    rr_notes_done(&notes);
    rr_arena_free(arena);
    return 0;
}

static inline const char *file_of_bytes(const char *name, const void *bytes, size_t n)
{
    const char *path = rr_strf(arena, "%s/%s", help_dir, name);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
    return path;
}
static inline const char *file_of(const char *name, const char *text) { return file_of_bytes(name, text, strlen(text)); }

/* A file of the public data, or the test is skipped. */
static inline const char *shared(const char *name)
{
    const char *dir = getenv("RACKRATE_SHARED");
    const char *path = rr_strf(arena, "%s/%s", dir ? dir : "../shared", name);
    if (access(path, R_OK) != 0) skip();
    return path;
}

static inline enum rr_status try_read(const char *path, const char *format, double max_rejected)
{
    rr_trace_done(&trace);
    const struct rr_import_options opt = {.format = format, .max_rejected = max_rejected};
    return rr_trace_read(path, &opt, arena, &notes, &trace);
}
static inline void must_read(const char *path, const char *format)
{
    if (try_read(path, format, 0.01) != RR_OK) fail_msg("%s", rr_reason());
}
/* The read fails with RR_EINPUT, and every one of the `|`-separated pieces is in the reason. */
static inline void refused_for(enum rr_status st, const char *pieces)
{
    assert_int_equal(st, RR_EINPUT);
    char *copy = rr_strdup(arena, pieces), *save = NULL;
    for (const char *p = strtok_r(copy, "|", &save); p; p = strtok_r(NULL, "|", &save))
        if (!strstr(rr_reason(), p)) fail_msg("\"%s\" is not in: %s", p, rr_reason());
}
static inline bool noted(const char *piece)
{
    for (size_t i = 0; i < notes.list.n; i++)
        if (strstr(notes.list.at[i].text, piece)) return true;
    return false;
}
/* GPU-hours of the jobs that started and ended. */
static inline double gpu_hours(const struct rr_trace *t)
{
    rr_i128 sum = 0;
    for (size_t i = 0; i < t->n; i++)
        if (t->run_us[i] != RR_NEVER) sum += (rr_i128)t->run_us[i] * t->gpus_milli[i];
    return (double)sum / 3.6e12;
}
#endif
