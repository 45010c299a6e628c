/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/trace_after.c - the ids that a job waits for, and a hash table of open addresses from ids to jobs. */
#include "data/trace_after.h"
#include "data/names.h"
#include <string.h>

struct rr_after rr_after_of(const struct rr_trace *t, size_t job)
{
    return (struct rr_after){.at = t->after_text + t->after_at[job], .exact = t->after_exact};
}

static bool next_exact(struct rr_after *a)
{
    if (!*a->at) return false;
    a->any = *a->at++ == '*';
    a->id = rr_slice(a->at, strcspn(a->at, "\n"));
    a->at += a->id.n + (a->at[a->id.n] != '\0');
    return true;
}

bool rr_after_next(struct rr_after *a)
{
    static const char between[] = ":;, ";
    if (a->exact) return next_exact(a);
    for (;;) {
        a->at += strspn(a->at, between);
        a->id = rr_slice(a->at, strcspn(a->at, between));
        a->at += a->id.n;
        const bool ok = rr_slice_is(a->id, "afterok"), any = rr_slice_is(a->id, "afterany");
        if (!(ok || any) || *a->at != ':') return a->id.n > 0;
        a->any = any;
    }
}

static size_t slot_of(const struct rr_trace_ids *x, struct rr_slice id)
{
    size_t i = rr_hash(id.at, id.n) & (x->n_slots - 1);
    for (char buf[24]; x->slot[i]; i = (i + 1) & (x->n_slots - 1))
        if (rr_slice_is(id, rr_trace_id(x->t, x->slot[i] - 1, buf))) break;
    return i;
}

void rr_trace_ids_init(struct rr_trace_ids *x, const struct rr_trace *t)
{
    *x = (struct rr_trace_ids){.t = t, .n_slots = 1024};
    while (x->n_slots < 2 * t->n + 2) x->n_slots *= 2;
    x->slot = memset(rr_xrealloc(NULL, x->n_slots, sizeof *x->slot), 0, x->n_slots * sizeof *x->slot);
    char buf[24];
    for (size_t i = 0; i < t->n; i++) {
        const char *id = rr_trace_id(t, i, buf);
        x->slot[slot_of(x, rr_slice(id, strlen(id)))] = (uint32_t)i + 1;
    }
}

void rr_trace_ids_done(struct rr_trace_ids *x)
{
    free(x->slot);
    x->slot = NULL;
}

uint32_t rr_trace_ids_find(const struct rr_trace_ids *x, struct rr_slice id)
{
    const uint32_t found = x->slot[slot_of(x, id)];
    return found ? found - 1 : RR_NO_JOB;
}

enum rr_status rr_after_unknown(const struct rr_trace *t, size_t job, struct rr_slice id)
{
    char buf[24];
    return rr_fail(RR_EINPUT, "%s: job %s depends on \"%.*s\", which is no job that is replayed",
                   t->path && *t->path ? t->path : "the trace", rr_trace_id(t, job, buf), id.n < 60 ? (int)id.n : 60, id.at);
}

enum rr_status rr_after_check(const struct rr_trace *t)
{
    if (!t->after_at) return RR_OK;
    struct rr_trace_ids ids;
    enum rr_status st = RR_OK;
    rr_trace_ids_init(&ids, t);
    for (size_t i = 0; i < t->n && st == RR_OK; i++)
        for (struct rr_after a = rr_after_of(t, i); st == RR_OK && rr_after_next(&a);)
            if (rr_trace_ids_find(&ids, a.id) == RR_NO_JOB) st = rr_after_unknown(t, i, a.id);
    rr_trace_ids_done(&ids);
    return st;
}
