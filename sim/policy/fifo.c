/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/policy/fifo.c - first in line, first on the machines.
 *
 * `"blocking": true` (the default): a job that does not fit holds up the pools that it could run in: those behind it start in others, or not at all.
 * `false`: whatever fits is started, in order.
 * `"order": "shortest"` lines the jobs up by their estimate (SJF). */
#include "sim/policy/queue.h"

struct fifo {
    struct rr_queue queue;
    RR_VEC(struct rr_queued) fresh; /* submitted at this instant */
    uint64_t freed;                 /* sim->freed at the last full look: since then nothing that waited can start */
    bool blocking;
    bool *held_up; /* [n_pools] blocking, of several pools: those that a job waits for that comes before; NULL else */
};

static void fifo_init(void *state, struct rr_sim *s)
{
    struct fifo *f = state;
    f->blocking = s->how->blocking;
    f->freed = UINT64_MAX;
    const bool shortest = s->how->order == 1;
    if (f->blocking && s->n_pools > 1) f->held_up = rr_xrealloc(NULL, s->n_pools, sizeof *f->held_up);
    rr_queue_init(&f->queue, shortest, f->blocking && !f->held_up ? RR_LINES_NONE : shortest ? RR_LINES_SHORTEST : RR_LINES_ARRIVAL);
}

static void fifo_done(void *state)
{
    struct fifo *f = state;
    rr_queue_done(&f->queue);
    rr_vec_done(&f->fresh);
    free(f->held_up);
}

static void fifo_submit(void *state, struct rr_sim *s, uint32_t job, uint32_t ask)
{
    struct fifo *f = state;
    const struct rr_queued x = {.estimate_us = f->queue.shortest ? rr_sim_estimate(s, job) : 0, .job = job, .ask = ask};
    rr_vec_reserve(&f->fresh, f->fresh.n + 1);
    rr_queued_insert(f->fresh.at, f->fresh.n++, x);
}

static void start_heads(struct fifo *f, struct rr_sim *s)
{
    struct rr_queued x;
    while (rr_queue_head(&f->queue, s, &x) && rr_sim_start(s, x.job, x.ask)) rr_queue_drop_head(&f->queue);
}

static int64_t any_that_fits(struct rr_sim *s, uint32_t ask) { return rr_sim_fits(s, ask) ? RR_NEVER : -1; }

static void blocking_pass(struct fifo *f, struct rr_sim *s)
{
    struct rr_queued x;
    size_t i = 0;
    if (!rr_queue_head(&f->queue, s, &x) && !f->queue.shortest) // nobody waits: no need to queue up
        while (i < f->fresh.n && rr_sim_start(s, f->fresh.at[i].job, f->fresh.at[i].ask)) i++;
    const bool same = f->freed == s->freed && rr_queue_head(&f->queue, s, &x);
    bool first = false;
    for (; i < f->fresh.n; i++) {
        first |= same && rr_queued_before(f->queue.shortest, f->fresh.at[i], x);
        rr_queue_push(&f->queue, s, f->fresh.at[i]);
    }
    if (!same || first) start_heads(f, s);
}

static void open_pass(struct fifo *f, struct rr_sim *s)
{
    for (size_t i = 0; i < f->fresh.n; i++) rr_queue_push(&f->queue, s, f->fresh.at[i]);
    if (f->freed != s->freed) {
        rr_queue_scan(&f->queue, s, s->asks.busy.at, s->asks.busy.n, any_that_fits, rr_sim_start);
        return;
    }
    uint32_t *asks = rr_xrealloc(NULL, f->fresh.n, sizeof *asks);
    const size_t n = rr_queue_asks(f->fresh.at, f->fresh.n, asks);
    rr_queue_scan(&f->queue, s, asks, n, any_that_fits, rr_sim_start);
    free(asks);
}

static int64_t any(struct rr_sim *s, uint32_t ask)
{
    (void)s;
    (void)ask;
    return RR_NEVER;
}

static bool start_in_turn(struct rr_sim *s, uint32_t job, uint32_t ask)
{
    struct fifo *f = s->policy_state;
    if (rr_sim_start_beside(s, job, ask, f->held_up)) return true;
    rr_sim_hold_up(s, ask, f->held_up);
    return false;
}

// Several pools: the first of each ask in order, O(asks) a pass.
static void pools_pass(struct fifo *f, struct rr_sim *s)
{
    for (size_t i = 0; i < f->fresh.n; i++) rr_queue_push(&f->queue, s, f->fresh.at[i]);
    memset(f->held_up, 0, s->n_pools * sizeof *f->held_up);
    rr_queue_scan(&f->queue, s, s->asks.busy.at, s->asks.busy.n, any, start_in_turn);
}

static void fifo_pass(void *state, struct rr_sim *s)
{
    struct fifo *f = state;
    (f->held_up ? pools_pass : f->blocking ? blocking_pass : open_pass)(f, s);
    f->freed = s->freed;
    f->fresh.n = 0;
}

const struct rr_policy rr_policy_fifo = {.kind = {.name = "fifo", .summary = "in order of arrival (or shortest first)"},
                                         .reads = RR_READS_ORDER | RR_READS_BLOCKING,
                                         .state_size = sizeof(struct fifo),
                                         .init = fifo_init,
                                         .done = fifo_done,
                                         .submit = fifo_submit,
                                         .pass = fifo_pass};
