/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/engine/arrays.c - places taken in each array, and its held tasks in a heap by their order in the trace: O(log held) a task, O(1) when they
 * come in that order, as they do where none depends on another. */
#include "sim/engine/arrays.h"
#include <string.h>

struct array {
    uint32_t out;          // in the policy's hands, or running
    RR_VEC(uint32_t) held; // binary heap, the least job first
};
struct rr_arrays {
    struct array *of; // [trace->n_arrays]
};

void rr_arrays_init(struct rr_sim *s)
{
    const struct rr_trace *t = s->trace;
    if (!t->array_id) return;
    s->arrays = rr_xrealloc(NULL, 1, sizeof *s->arrays);
    s->arrays->of = memset(rr_xrealloc(NULL, t->n_arrays, sizeof *s->arrays->of), 0, t->n_arrays * sizeof *s->arrays->of);
}

void rr_arrays_done(struct rr_sim *s)
{
    if (!s->arrays) return;
    for (size_t a = 0; a < s->trace->n_arrays; a++) rr_vec_done(&s->arrays->of[a].held);
    free(s->arrays->of);
    free(s->arrays);
    s->arrays = NULL;
}

static void hold(struct array *x, uint32_t job)
{
    rr_vec_push(&x->held, job);
    uint32_t *h = x->held.at;
    size_t i = x->held.n - 1;
    for (; i > 0 && h[(i - 1) / 2] > job; i = (i - 1) / 2) h[i] = h[(i - 1) / 2];
    h[i] = job;
}

static uint32_t first_held(struct array *x)
{
    uint32_t *h = x->held.at;
    const uint32_t first = h[0], last = h[--x->held.n];
    size_t i = 0, n = x->held.n;
    for (size_t child = 1; child < n; child = 2 * i + 1) {
        if (child + 1 < n && h[child + 1] < h[child]) child++;
        if (h[child] > last) break;
        h[i] = h[child];
        i = child;
    }
    h[i] = last;
    return first;
}

bool rr_arrays_admit(struct rr_sim *s, uint32_t job)
{
    const uint32_t a = s->trace->array_id[job];
    const int32_t limit = s->trace->array_limit[a];
    if (limit == 0) return true;
    struct array *x = &s->arrays->of[a];
    if (x->out == (uint32_t)limit) {
        hold(x, job);
        return false;
    }
    x->out++;
    return true;
}

void rr_arrays_over(struct rr_sim *s, uint32_t job)
{
    const uint32_t a = s->trace->array_id[job];
    struct array *x = &s->arrays->of[a];
    if (s->trace->array_limit[a] == 0) return;
    x->out--;
    if (x->held.n == 0) return;
    x->out++;
    const uint32_t next = first_held(x);
    rr_sim_requeue(s, next, rr_ask_of(&s->asks, next));
}
