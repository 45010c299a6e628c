/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/policy/deadline_omniscient.c - knows where spot machines will be had, and uses the least on-demand time: a bound for the others.
 *
 * The plan is made at submit (models/deadline.h) on the steps of the decisions; a step counts as available when spot can be had throughout. It
 * knows one job alone: of several that compete for spot machines, those that find none fall back to the safety net. */
#include "models/price/spot.h"
#include "sim/policy/deadline.h"
#include <string.h>

struct span { /* [from, to) in which spot can be had by `nodes` nodes */
    bool *spot;
    const struct rr_dated *j;
    int64_t step_us, nodes;
};

// No spot in [from_us, to_us).
static void mark(const struct span *x, int64_t from_us, int64_t to_us)
{
    if (to_us <= x->j->submit_us || from_us >= x->j->due_us) return;
    if (from_us < x->j->submit_us) from_us = x->j->submit_us;
    if (to_us > x->j->due_us) to_us = x->j->due_us;
    const size_t first = (size_t)((from_us - x->j->submit_us) / x->step_us);
    const size_t last = (size_t)((to_us - x->j->submit_us + x->step_us - 1) / x->step_us);
    memset(x->spot + first, 0, last - first);
}

static void mark_scarce(const struct span *x, const struct rr_spot_terms *t)
{
    struct rr_spot_nodes walk;
    int64_t at = 0, nodes = 0, next, after;
    rr_spot_nodes_init(&walk, t);
    bool more = rr_spot_nodes_next(&walk, &at, &nodes);
    while (more && at < x->j->due_us) {
        more = rr_spot_nodes_next(&walk, &next, &after);
        if (nodes < x->nodes) mark(x, at, more ? next : RR_NEVER);
        at = next;
        nodes = after;
    }
}

static void mark_dear(const struct span *x, const struct rr_spot_terms *t, const struct rr_world *w)
{
    struct rr_spot_prices walk;
    int64_t at = 0, nano = 0, next, after;
    rr_spot_prices_init(&walk, t, (uint64_t)w->scenario->seed, w->replication);
    bool more = rr_spot_prices_next(&walk, &at, &nano);
    while (more && at < x->j->due_us) {
        more = rr_spot_prices_next(&walk, &next, &after);
        if (nano > t->max_nano) mark(x, at, more ? next : RR_NEVER);
        at = next;
        nano = after;
    }
}

static size_t steps(const struct rr_deadline *d, int64_t us) { return (size_t)((us + d->p.step_us - 1) / d->p.step_us); }

static void make_plan(struct rr_deadline *d, struct rr_sim *s, struct rr_dated *j)
{
    const struct rr_spot_terms *t = rr_spot_terms_of(&s->world->scenario->pool[d->spot]);
    const int64_t whole = j->due_us - j->submit_us;
    const size_t n = steps(d, whole);
    struct span x = {.spot = rr_xrealloc(NULL, n, 1), .j = j, .step_us = d->p.step_us};
    x.nodes = rr_need_of(&s->asks, j->ask, d->spot)->nodes;
    memset(x.spot, 1, n);
    if (t->availability == RR_NODES_SERIES) mark_scarce(&x, t);
    if (t->max_nano != RR_NEVER) mark_dear(&x, t, s->world);
    j->plan = rr_xrealloc(NULL, n, 1);
    j->n_plan = n;
    const struct rr_deadline_job job = {.work_us = j->work_us,
                                        .due_us = whole,
                                        .step_us = d->p.step_us,
                                        .change_us = rr_deadline_change(d, s, j->job),
                                        .spot = x.spot,
                                        .n_steps = n};
    (void)rr_deadline_plan(&job, j->plan);
    free(x.spot);
}

static enum rr_place omniscient(struct rr_deadline *d, struct rr_sim *s, struct rr_dated *j, bool spot)
{
    if (!j->plan) make_plan(d, s, j);
    const size_t k = (size_t)((s->now_us - j->submit_us) / d->p.step_us);
    if (k >= j->n_plan) return RR_PLACE_ON_DEMAND;
    return j->plan[k] == RR_PLACE_SPOT && !spot ? RR_PLACE_NONE : j->plan[k];
}

static void omniscient_init(void *state, struct rr_sim *s)
{
    struct rr_deadline *d = state;
    rr_deadline_init(d, s, omniscient);
    d->net = 0;
    if (s->failed != RR_OK) return;
    const struct rr_spot_terms *t = rr_spot_terms_of(&s->world->scenario->pool[d->spot]);
    bool knows = t && t->availability != RR_NODES_HITS;
    for (uint32_t j = 0; j < s->trace->n && knows; j++) knows = steps(d, rr_deadline_of(d, s, j)) <= RR_DEADLINE_STEPS;
    if (!knows)
        s->failed = rr_fail(RR_EINPUT,
                            "/scheduler/policy: \"deadline_omniscient\" needs an \"availability\" that is a series, and at most %d "
                            "decisions until the deadline",
                            RR_DEADLINE_STEPS);
}

const struct rr_policy rr_policy_deadline_omniscient = {
    RR_DEADLINE_POLICY("deadline_omniscient", "the least on-demand time, knowing where spot will be had: a bound"),
    .init = omniscient_init};
