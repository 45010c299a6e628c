/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/engine/bound.c - what jobs wait for: a quota, the policy, a place, nodes, capacity, a limit, a type of GPU, or simply GPUs.
 *
 * A look goes over the asks that wait, each in each pool. It is taken when jobs begin to wait and then a few times a bin of the timeline, so
 * that its cost does not grow with the number of jobs; in between everything is taken to stay, and at the end the parts are scaled to the
 * exact sums that the timeline has. */
#include "sim/engine/sim.h"

#define LOOKS_A_BIN 4

const char *rr_bound_word(enum rr_bound b)
{
    static const char *const word[RR_BOUNDS] = {
        [RR_BOUND_QUOTA] = "quota",     [RR_BOUND_POLICY] = "policy", [RR_BOUND_SCATTER] = "place", [RR_BOUND_STARTING] = "starting",
        [RR_BOUND_REFUSED] = "refused", [RR_BOUND_LIMIT] = "limit",   [RR_BOUND_TYPE] = "type",     [RR_BOUND_SIZE] = "gpus"};
    return word[b];
}

const char *rr_bound_text(enum rr_bound b)
{
    static const char *const text[RR_BOUNDS] = {
        [RR_BOUND_QUOTA] = "a quota of its tenant",
        [RR_BOUND_POLICY] = "the scheduler's order: there was room",
        [RR_BOUND_SCATTER] = "a place: GPUs were free, but scattered, or without the CPUs, memory or type",
        [RR_BOUND_STARTING] = "nodes that were starting, or not asked for yet",
        [RR_BOUND_REFUSED] = "capacity: refused, above the provider's quota, or not on the market",
        [RR_BOUND_LIMIT] = "a pool at its limit of nodes",
        [RR_BOUND_TYPE] = "a pool of its own: GPUs were free where it may not run",
        [RR_BOUND_SIZE] = "GPUs: too few were free anywhere",
    };
    return text[b];
}

// What keeps an elastic pool from having more nodes: nothing yet (they boot, or may be asked for), the provider, or its own limit.
static enum rr_bound bound_of_pool(const struct rr_sim *s, size_t pool)
{
    const struct rr_books *b = &s->books[pool];
    const int64_t quota = s->world->scenario->pool[pool].quota;
    if (b->starting > 0) return RR_BOUND_STARTING;
    if (b->held >= b->limit) return b->held < b->max ? RR_BOUND_REFUSED : RR_BOUND_LIMIT;
    return s->now_us < b->retry_at_us || (quota > 0 && b->held >= quota) ? RR_BOUND_REFUSED : RR_BOUND_STARTING;
}

static enum rr_bound bound_of(struct rr_sim *s, uint32_t ask)
{
    bool scatter = false, elsewhere = false;
    enum rr_bound most = RR_BOUND_SIZE; // of its elastic pools, the one that comes first
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
        if (!s->books[i].elastic) continue;
        const enum rr_bound b = bound_of_pool(s, i);
        if (b < most) most = b;
    }
    return scatter ? RR_BOUND_SCATTER : most < RR_BOUND_SIZE ? most : elsewhere ? RR_BOUND_TYPE : RR_BOUND_SIZE;
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

static void count(struct rr_sim *s, enum rr_bound b, double jobs, int32_t gpus_milli)
{
    s->bound_now[b].jobs_us += jobs;
    s->bound_now[b].gpus_us += jobs * gpus_milli / 1000;
}

// By ask, the jobs that a quota keeps back; NULL: the policy has none.
static double *kept_back(struct rr_sim *s)
{
    if (!s->policy->kept_back) return NULL;
    double *by_ask = rr_xrealloc(NULL, s->asks.ask.n + 1, sizeof *by_ask);
    for (size_t i = 0; i < s->asks.ask.n; i++) by_ask[i] = 0;
    s->policy->kept_back(s->policy_state, s, by_ask);
    return by_ask;
}

void rr_bound_look(struct rr_sim *s)
{
    rr_bound_close(s, s->now_us);
    memset(s->bound_now, 0, sizeof s->bound_now);
    double *kept = kept_back(s);
    for (size_t i = 0; i < s->asks.busy.n; i++) {
        const uint32_t ask = s->asks.busy.at[i];
        const struct rr_ask *a = &s->asks.ask.at[ask];
        const double waiting = a->waiting, by_quota = !kept ? 0 : kept[ask] < waiting ? kept[ask] : waiting;
        if (by_quota > 0) count(s, RR_BOUND_QUOTA, by_quota, a->gpus_milli);
        if (by_quota < waiting) count(s, bound_of(s, ask), waiting - by_quota, a->gpus_milli);
    }
    free(kept);
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
