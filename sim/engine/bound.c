/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/engine/bound.c - what jobs wait for: the policy, a place, nodes, a limit, a type of GPU, or simply GPUs.
 *
 * A look goes over the asks that wait, each in each pool. It is taken when jobs begin to wait and then a few times a bin of the timeline, so
 * that its cost does not grow with the number of jobs; in between everything is taken to stay, and at the end the parts are scaled to the
 * exact sums that the timeline has. */
#include "sim/engine/sim.h"

#define LOOKS_A_BIN 4

const char *rr_bound_text(enum rr_bound b)
{
    static const char *const text[RR_BOUNDS] = {
        [RR_BOUND_POLICY] = "the scheduler's order: there was room",
        [RR_BOUND_SCATTER] = "a place: enough GPUs were free, but scattered, or without the CPUs, memory or type",
        [RR_BOUND_STARTING] = "nodes that were starting, or not asked for yet",
        [RR_BOUND_LIMIT] = "a pool at its limit of nodes",
        [RR_BOUND_TYPE] = "a pool of its own: GPUs were free where it may not run",
        [RR_BOUND_SIZE] = "GPUs: too few were free anywhere",
    };
    return text[b];
}

static bool may_grow(const struct rr_books *b) { return b->elastic && (b->starting > 0 || b->held < b->limit); }

static enum rr_bound bound_of(struct rr_sim *s, uint32_t ask)
{
    bool scatter = false, grows = false, limit = false, elsewhere = false;
    for (size_t i = 0; i < s->n_pools; i++) {
        const struct rr_need *n = rr_need_of(&s->asks, ask, i);
        struct rr_fleet_pool *p = &s->pool[i];
        if (n->nodes == 0) {
            elsewhere |= s->asks.ask.at[ask].gpus_milli > 0 && p->free_milli >= s->asks.ask.at[ask].gpus_milli;
            continue;
        }
        if (p->free_milli >= n->milli) {
            if (rr_fleet_find(p, n) != RR_NO_NODE) return RR_BOUND_POLICY;
            scatter |= n->milli > 0;
        }
        grows |= may_grow(&s->books[i]);
        limit |= s->books[i].elastic;
    }
    return scatter ? RR_BOUND_SCATTER : grows ? RR_BOUND_STARTING : limit ? RR_BOUND_LIMIT : elsewhere ? RR_BOUND_TYPE : RR_BOUND_SIZE;
}

void rr_bound_close(struct rr_sim *s, int64_t end_us)
{
    if (s->bound_us == RR_NEVER) return;
    const double dt = (double)(end_us - s->bound_us);
    for (int k = 0; k < RR_BOUNDS; k++) {
        s->bound[k].jobs_us += s->bound_now[k].jobs_us * dt;
        s->bound[k].gpus_us += s->bound_now[k].gpus_us * dt;
    }
    s->bound_us = RR_NEVER;
}

void rr_bound_look(struct rr_sim *s)
{
    rr_bound_close(s, s->now_us);
    memset(s->bound_now, 0, sizeof s->bound_now);
    for (size_t i = 0; i < s->asks.busy.n; i++) {
        const struct rr_ask *a = &s->asks.ask.at[s->asks.busy.at[i]];
        struct rr_bound_time *to = &s->bound_now[bound_of(s, s->asks.busy.at[i])];
        to->jobs_us += a->waiting;
        to->gpus_us += (double)a->waiting * a->gpus_milli / 1000;
    }
    s->bound_us = s->now_us;
    s->bound_due_us = rr_add_us(s->now_us, s->series.bin_us / LOOKS_A_BIN);
}

static double factor(double exact, double sum) { return sum > 0 ? exact / sum : 0; }

void rr_bound_scale(struct rr_sim *s)
{
    struct rr_bound_time sum = {0}, exact = {0};
    for (int64_t i = 0; i < s->series.cap; i++) {
        exact.jobs_us += s->series.bin[i].queue;
        exact.gpus_us += s->series.bin[i].queue_milli / 1000;
    }
    for (int k = 0; k < RR_BOUNDS; k++) {
        sum.jobs_us += s->bound[k].jobs_us;
        sum.gpus_us += s->bound[k].gpus_us;
    }
    for (int k = 0; k < RR_BOUNDS; k++) {
        s->bound[k].jobs_us *= factor(exact.jobs_us, sum.jobs_us);
        s->bound[k].gpus_us *= factor(exact.gpus_us, sum.gpus_us);
    }
}
