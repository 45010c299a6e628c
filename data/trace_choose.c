/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/trace_choose.c - some of a trace's jobs. */
#include "data/trace.h"
#include "data/where.h"
#include <stdio.h>
#include <string.h>

// Numbers are written out: a job's number is its place, which changes.
static void write_ids(struct rr_trace *t)
{
    char buf[24];
    size_t n = 0;
    if (t->id_at) return;
    t->id_at = rr_xrealloc(NULL, t->n, sizeof *t->id_at);
    t->id_text = rr_xrealloc(NULL, t->n * 11, 1); // "4294967295" and a NUL
    for (size_t i = 0; i < t->n; i++) {
        const size_t len = (size_t)snprintf(buf, sizeof buf, "%zu", i + 1) + 1;
        memcpy(t->id_text + n, buf, len);
        t->id_at[i] = (uint32_t)n;
        n += len;
    }
}

enum rr_status rr_trace_choose(struct rr_trace *t, const struct rr_where *w)
{
    uint8_t *chosen = rr_xrealloc(NULL, t->n + 1, 1);
    size_t n = 0, censored = 0;
    for (size_t i = 0; i < t->n; i++) n += chosen[i] = rr_where_holds(w, t, i);
    if (n > 0 && n < t->n) {
        write_ids(t);
#define KEEP(col)                                      \
    for (size_t i = 0, k = 0; t->col && i < t->n; i++) \
        if (chosen[i]) t->col[k++] = t->col[i];
        RR_TRACE_COLUMNS(KEEP)
#undef KEEP
    }
    free(chosen);
    if (n == 0) return rr_fail(RR_EINPUT, "no job of %s is chosen", t->path);
    t->not_chosen += t->n - n;
    t->n = n;
    for (size_t i = 0; t->state && i < n; i++) censored += t->state[i] == RR_TRACE_NEVER_STARTED || t->state[i] == RR_TRACE_NEVER_ENDED;
    t->censored = censored;
    return RR_OK;
}
