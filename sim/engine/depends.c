/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/engine/depends.c - who waits for whom: a list of followers for each job, and how many each still waits for. */
#include "sim/engine/depends.h"
#include "data/trace_after.h"
#include <string.h>

#define DEAD UINT32_MAX /* one before it did not finish well */

struct rr_depends {
    uint32_t *unmet;           // [n]
    uint32_t *first, *follows; // followers of job i: follows[first[i] .. first[i + 1] - 1]
    bool *any;                 // beside follows: it need not have finished well
    int64_t *from_us;          // [n] with think times: not to start before
    RR_VEC(uint32_t) over;     // whose followers are still to be told
    RR_VEC(uint32_t) hopeless; // who wait for one that never comes
};
struct edge {
    uint32_t before, after;
    bool any;
};
typedef RR_VEC(struct edge) edges;

/* A forerunner that comes after the horizon, or after the end of a repetition that the horizon cuts, never ends. */
static bool comes_later(const struct rr_trace *t, uint32_t found) { return t->after_exact ? found == RR_NO_JOB : found != RR_NO_JOB; }

static enum rr_status edges_of(struct rr_depends *d, const struct rr_trace *t, const struct rr_trace_ids *ids, uint32_t job, edges *to)
{
    for (struct rr_after a = rr_after_of(t, job); rr_after_next(&a);) {
        const uint32_t before = rr_trace_ids_find(ids, a.id);
        if (before < t->n) {
            const struct edge e = {before, job, a.any};
            rr_vec_push(to, e);
        } else if (comes_later(t, before)) {
            rr_vec_push(&d->hopeless, job);
        } else {
            return rr_after_unknown(t, job, a.id);
        }
    }
    return RR_OK;
}

static void gather(struct rr_depends *d, const edges *e, size_t n)
{
    for (size_t k = 0; k < e->n; k++) {
        d->unmet[e->at[k].after]++;
        d->first[e->at[k].before + 1]++;
    }
    for (size_t i = 0; i < n; i++) d->first[i + 1] += d->first[i];
    uint32_t *next = rr_xrealloc(NULL, n + 1, sizeof *next);
    memcpy(next, d->first, (n + 1) * sizeof *next);
    for (size_t k = 0; k < e->n; k++) {
        const uint32_t at = next[e->at[k].before]++;
        d->follows[at] = e->at[k].after;
        d->any[at] = e->at[k].any;
    }
    free(next);
}

/* Take away jobs that wait for nobody, until none is left (Kahn); what is left waits in a circle, or behind one. */
static enum rr_status check_circles(const struct rr_depends *d, const struct rr_trace *t)
{
    uint32_t *unmet = rr_xrealloc(NULL, t->n + 1, sizeof *unmet), *todo = rr_xrealloc(NULL, t->n + 1, sizeof *todo), stuck = 0;
    memcpy(unmet, d->unmet, t->n * sizeof *unmet);
    size_t n = 0, done = 0;
    for (size_t i = 0; i < t->n; i++)
        if (unmet[i] == 0) todo[n++] = (uint32_t)i;
    for (; done < n; done++)
        for (uint32_t k = d->first[todo[done]]; k < d->first[todo[done] + 1]; k++)
            if (--unmet[d->follows[k]] == 0) todo[n++] = d->follows[k];
    while (n < t->n && unmet[stuck] == 0) stuck++;
    free(unmet);
    free(todo);
    char buf[24];
    if (n == t->n) return RR_OK;
    return rr_fail(RR_EINPUT, "%s: jobs depend on each other in a circle, such as job %s", t->path ? t->path : "the trace",
                   rr_trace_id(t, stuck, buf));
}

static void *zeroed(size_t n, size_t size) { return memset(rr_xrealloc(NULL, n, size), 0, n * size); }

enum rr_status rr_depends_init(struct rr_sim *s)
{
    const struct rr_trace *t = s->trace;
    if (!t->after_at) return RR_OK;
    struct rr_depends *d = s->depends = zeroed(1, sizeof *d);
    struct rr_trace_ids ids;
    edges e = {0};
    rr_trace_ids_init(&ids, t->lender ? t->lender : t); // with those behind the horizon
    enum rr_status st = RR_OK;
    for (size_t i = 0; i < t->n && st == RR_OK; i++) st = edges_of(d, t, &ids, (uint32_t)i, &e);
    if (st == RR_OK) {
        d->unmet = zeroed(t->n + 1, sizeof *d->unmet);
        d->first = zeroed(t->n + 2, sizeof *d->first);
        d->follows = zeroed(e.n + 1, sizeof *d->follows);
        d->any = zeroed(e.n + 1, sizeof *d->any);
        if (t->think_us) d->from_us = zeroed(t->n + 1, sizeof *d->from_us);
        gather(d, &e, t->n);
        st = check_circles(d, t);
        for (size_t k = 0; k < d->hopeless.n; k++) d->unmet[d->hopeless.at[k]]++;
    }
    rr_trace_ids_done(&ids);
    rr_vec_done(&e);
    return st;
}

void rr_depends_done(struct rr_sim *s)
{
    struct rr_depends *d = s->depends;
    if (!d) return;
    free(d->unmet);
    free(d->first);
    free(d->follows);
    free(d->any);
    free(d->from_us);
    rr_vec_done(&d->over);
    rr_vec_done(&d->hopeless);
    free(d);
    s->depends = NULL;
}

static void kill_it(struct rr_sim *s, uint32_t job)
{
    s->outcome[job].state = RR_JOB_KILLED;
    s->outcome[job].reason = RR_WHY_DEPENDENCY;
}

// It thinks first, or goes on to what else may hold it.
static void free_it(struct rr_sim *s, uint32_t job)
{
    const int64_t *from_us = s->depends->from_us;
    if (!from_us || from_us[job] <= s->now_us) {
        rr_sim_admit(s, job);
        return;
    }
    const uint32_t slot = rr_slot_new(s);
    s->slot.at[slot] = (struct rr_slot){.job = job, .live = RR_LIVE_THINK};
    rr_sim_push(s, from_us[job], RR_EV_TIMER, slot);
    s->n_thinking++;
}

void rr_depends_thought(struct rr_sim *s, uint32_t slot)
{
    const uint32_t job = s->slot.at[slot].job;
    rr_slot_free(s, slot);
    s->n_thinking--;
    rr_sim_admit(s, job);
}

bool rr_depends_ready(struct rr_sim *s, uint32_t job)
{
    const struct rr_depends *d = s->depends;
    const uint32_t unmet = d->unmet[job];
    if (unmet == 0 && !(d->from_us && d->from_us[job] > s->now_us)) return true;
    if (unmet == DEAD) {
        kill_it(s, job);
        rr_depends_over(s, job);
        return false;
    }
    s->outcome[job].state = RR_JOB_WAITING;
    if (unmet == 0) free_it(s, job);
    return false;
}

static void tell(struct rr_sim *s, uint32_t job, bool well)
{
    struct rr_depends *d = s->depends;
    const bool is_here = rr_sim_waits(s, job);
    if (d->unmet[job] == DEAD) return;
    if (!well) {
        d->unmet[job] = DEAD;
        if (!is_here) return; // when it comes
        kill_it(s, job);
        rr_vec_push(&d->over, job);
    } else if (--d->unmet[job] == 0) {
        if (d->from_us) d->from_us[job] = rr_add_us(s->now_us, s->trace->think_us[job]);
        if (is_here) free_it(s, job);
    }
}

void rr_depends_over(struct rr_sim *s, uint32_t job)
{
    struct rr_depends *d = s->depends;
    rr_vec_push(&d->over, job);
    while (d->over.n > 0) {
        const uint32_t done = d->over.at[--d->over.n];
        const bool well = s->outcome[done].state == RR_JOB_FINISHED;
        for (uint32_t k = d->first[done]; k < d->first[done + 1]; k++) tell(s, d->follows[k], well || d->any[k]);
    }
}
