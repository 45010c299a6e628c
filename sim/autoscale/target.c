/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/autoscale/target.c - target tracking: as many nodes as bring the share of GPUs in use to `target`.
 *
 * The GPUs that were in use over the window (meter.h), divided by the target, are the GPUs that the pool should have; nodes that still boot
 * count as held, so that it does not ask twice. It acts only when the share is off by more than the tolerance, as the horizontal autoscaler of
 * Kubernetes does. A job that does not fit makes it grow as it does `utilization`, and it does not shrink while a job waits that could run here. */
#include "sim/autoscale/meter.h"

struct params {
    uint64_t given;
    double target, tolerance;
    int64_t window_us, cooldown_us, every_us;
    bool drain;
};
static const struct rr_param rows[] = {
    {.name = "target",
     .type = RR_P_SHARE,
     .offset = offsetof(struct params, target),
     .def = "0.6",
     .least = 0.01,
     .most = 1,
     .help = "share of GPUs in use that it steers to"},
    {.name = "tolerance",
     .type = RR_P_SHARE,
     .offset = offsetof(struct params, tolerance),
     .def = "0.1",
     .help = "nothing is done while the share is within this part of the target",
     .source = "Kubernetes, --horizontal-pod-autoscaler-tolerance"},
    {.name = "window",
     .type = RR_P_TIME,
     .offset = offsetof(struct params, window_us),
     .def = "\"10 min\"",
     .least = 1e6,
     .most = 3e13,
     .help = "time that the share is averaged over, and how long a job that does not fit waits before the pool grows for it"},
    {.name = "cooldown",
     .type = RR_P_TIME,
     .offset = offsetof(struct params, cooldown_us),
     .def = "\"5 min\"",
     .least = 0,
     .most = 3e13,
     .help = "nothing is done for so long after a change"},
    {.name = "every",
     .type = RR_P_TIME,
     .offset = offsetof(struct params, every_us),
     .def = "\"1 min\"",
     .least = 1e6,
     .most = 3e13,
     .help = "how often it looks"},
    {.name = "drain",
     .type = RR_P_BOOL,
     .offset = offsetof(struct params, drain),
     .def = "true",
     .help = "shrink by nodes with jobs too: they take no more and leave when the last has ended"},
};

struct state {
    const struct params *p;
    struct rr_meter meter;
    int64_t cool_us; /* nothing is done before */
};

static bool drains(const void *params) { return ((const struct params *)params)->drain; }

static enum rr_status init(void *state, const void *params, struct rr_sim *s, size_t pool)
{
    struct state *t = state;
    t->p = params;
    rr_meter_init(&t->meter, t->p->window_us, t->p->every_us);
    rr_sim_look_at(s, pool, 0);
    return RR_OK;
}

static int64_t nodes_for(const struct state *t, struct rr_sim *s, size_t pool, double allocated)
{
    const double nodes = allocated / t->p->target / rr_node_kind_of(&s->pool[pool], 0)->gpus;
    const int64_t whole = (int64_t)nodes;
    return whole + ((double)whole < nodes);
}

// The nodes that there should be.
static int64_t wanted(struct state *t, struct rr_sim *s, size_t pool)
{
    struct rr_utilization is;
    const int64_t want = s->books[pool].want;
    const bool known = rr_meter_read(&t->meter, s, pool, &is) && is.ready > 0;
    uint32_t ask;
    int64_t since_us;
    if (s->now_us < t->cool_us || rr_sim_staying(s, pool) < want) return want;
    if (rr_sim_longest_wait(s, pool, &ask, &since_us) && s->now_us - since_us > t->p->window_us) {
        const int64_t missing = rr_sim_missing(s, pool, ask);
        if (missing > 0) return want + missing;
    }
    if (!known) return want;
    const int64_t n = nodes_for(t, s, pool, is.allocated);
    const double share = is.allocated / is.ready, off = t->p->tolerance * t->p->target;
    if (share > t->p->target + off && n > want) return n;
    if (share < t->p->target - off && n < want && s->books[pool].waiting == 0) return n;
    return want;
}

static void look(void *state, struct rr_sim *s, size_t pool)
{
    struct state *t = state;
    const int64_t want = s->books[pool].want;
    rr_sim_want(s, pool, wanted(t, s, pool));
    if (s->books[pool].want != want) t->cool_us = rr_add_us(s->now_us, t->p->cooldown_us);
    rr_sim_look_at(s, pool, rr_add_us(s->now_us, t->p->every_us));
}

static void done(void *state) { rr_meter_done(&((struct state *)state)->meter); }

const struct rr_autoscaler rr_autoscaler_target = {.kind = {.name = "target",
                                                            .summary = "as many nodes as keep the share of GPUs in use at a target",
                                                            .params = rows,
                                                            .n_params = sizeof rows / sizeof *rows,
                                                            .params_size = sizeof(struct params)},
                                                   .sees_waits = true,
                                                   .drains = drains,
                                                   .state_size = sizeof(struct state),
                                                   .init = init,
                                                   .look = look,
                                                   .done = done};
