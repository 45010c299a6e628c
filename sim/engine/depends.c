/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/engine/depends.c - who waits for whom: a list of followers for each job, and how many each still waits for. */
#include "sim/engine/depends.h"
#include "data/names.h"
#include <string.h>

#define DEAD UINT32_MAX /* one before it did not finish well */

struct rr_depends {
    uint32_t *unmet;           // [n]
    uint32_t *first, *follows; // followers of job i: follows[first[i] .. first[i + 1] - 1]
    RR_VEC(uint32_t) over;     // whose followers are still to be told
};
struct edge {
    uint32_t before, after;
};
typedef RR_VEC(struct edge) edges;

/* Ids by a hash table of open addresses: job + 1, 0 = free. */
struct ids {
    const struct rr_trace *t;
    uint32_t *slot;
    size_t n_slots;
};

static size_t id_slot(const struct ids *x, const char *id, size_t n)
{
    size_t i = rr_hash(id, n) & (x->n_slots - 1);
    for (char buf[24]; x->slot[i]; i = (i + 1) & (x->n_slots - 1)) {
        const char *have = rr_trace_id(x->t, x->slot[i] - 1, buf);
        if (strlen(have) == n && memcmp(have, id, n) == 0) break;
    }
    return i;
}

static void ids_init(struct ids *x, const struct rr_trace *t)
{
    *x = (struct ids){.t = t, .n_slots = 1024};
    while (x->n_slots < 2 * t->n + 2) x->n_slots *= 2;
    x->slot = memset(rr_xrealloc(NULL, x->n_slots, sizeof *x->slot), 0, x->n_slots * sizeof *x->slot);
    char buf[24];
    for (size_t i = 0; i < t->n; i++) {
        const char *id = rr_trace_id(t, i, buf);
        x->slot[id_slot(x, id, strlen(id))] = (uint32_t)i + 1;
    }
}

/* "17:18" or "17;18", perhaps "afterok:17". */
static enum rr_status edges_of(const struct ids *x, uint32_t job, edges *to)
{
    const char *text = x->t->after_text + x->t->after_at[job];
    char buf[24];
    for (const char *p = text; *p; p += *p != '\0') {
        const size_t n = strcspn(p, ":;, ");
        const char *id = p;
        p += n;
        if (n == 0 || (id == text && n == 7 && memcmp(id, "afterok", 7) == 0)) {
            if (!*p) break;
            continue;
        }
        const uint32_t before = x->slot[id_slot(x, id, n)];
        if (before == 0)
            return rr_fail(RR_EINPUT, "%s: job %s depends on \"%.*s\", which is no job that is replayed",
                           x->t->path ? x->t->path : "the trace", rr_trace_id(x->t, job, buf), n < 60 ? (int)n : 60, id);
        const struct edge e = {before - 1, job};
        rr_vec_push(to, e);
        if (!*p) break;
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
    for (size_t k = 0; k < e->n; k++) d->follows[next[e->at[k].before]++] = e->at[k].after;
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
    struct ids ids;
    edges e = {0};
    ids_init(&ids, t);
    enum rr_status st = RR_OK;
    for (size_t i = 0; i < t->n && st == RR_OK; i++) st = edges_of(&ids, (uint32_t)i, &e);
    if (st == RR_OK) {
        d->unmet = zeroed(t->n + 1, sizeof *d->unmet);
        d->first = zeroed(t->n + 2, sizeof *d->first);
        d->follows = zeroed(e.n + 1, sizeof *d->follows);
        gather(d, &e, t->n);
        st = check_circles(d, t);
    }
    free(ids.slot);
    rr_vec_done(&e);
    return st;
}

void rr_depends_done(struct rr_sim *s)
{
    if (!s->depends) return;
    free(s->depends->unmet);
    free(s->depends->first);
    free(s->depends->follows);
    rr_vec_done(&s->depends->over);
    free(s->depends);
    s->depends = NULL;
}

static void kill_it(struct rr_sim *s, uint32_t job)
{
    s->outcome[job].state = RR_JOB_KILLED;
    s->outcome[job].reason = RR_WHY_DEPENDENCY;
}

bool rr_depends_ready(struct rr_sim *s, uint32_t job)
{
    const uint32_t unmet = s->depends->unmet[job];
    if (unmet == 0) return true;
    if (unmet == DEAD) {
        kill_it(s, job);
        rr_depends_over(s, job);
    } else {
        s->outcome[job].state = RR_JOB_WAITING;
    }
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
    } else if (--d->unmet[job] == 0 && is_here) {
        rr_sim_requeue(s, job, rr_ask_of(&s->asks, job));
    }
}

void rr_depends_over(struct rr_sim *s, uint32_t job)
{
    struct rr_depends *d = s->depends;
    rr_vec_push(&d->over, job);
    while (d->over.n > 0) {
        const uint32_t done = d->over.at[--d->over.n];
        const bool well = s->outcome[done].state == RR_JOB_FINISHED;
        for (uint32_t k = d->first[done]; k < d->first[done + 1]; k++) tell(s, d->follows[k], well);
    }
}
