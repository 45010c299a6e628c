/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/autoscale/utilization.c - two thresholds: grow above `high`, shrink below `low`.
 *
 * Read is allocated over ready GPUs, averaged over `window` (meter.h), once `every`. It also grows when a job that does not fit has waited
 * longer than the window: half-used nodes never pass the threshold, though a gang that needs whole ones waits for ever. It then grows by what that
 * job lacks, if that is more than a step. It never shrinks while a job waits that could run here. After a change nothing is done for `cooldown`, and
 * while nodes that were asked for have been refused it asks for no more. */
#include "sim/autoscale/meter.h"

struct params {
    uint64_t given;
    double low, high;
    int64_t window_us, cooldown_us, every_us, step;
    bool drain;
};
static const struct rr_param rows[] = {
    {.name = "low",
     .type = RR_P_SHARE,
     .offset = offsetof(struct params, low),
     .def = "0.3",
     .help = "shrink below this share of GPUs in use",
     .source = "guide: cases, autoscaling at 30 % and 80 %"},
    {.name = "high",
     .type = RR_P_SHARE,
     .offset = offsetof(struct params, high),
     .def = "0.8",
     .help = "grow above this share of GPUs in use",
     .source = "guide: cases, autoscaling at 30 % and 80 %"},
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
    {.name = "step",
     .type = RR_P_INT,
     .offset = offsetof(struct params, step),
     .def = "1",
     .least = 1,
     .most = 1e7,
     .help = "nodes more or less at a time"},
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
    struct state *u = state;
    u->p = params;
    if (u->p->low >= u->p->high)
        return rr_fail(RR_EINPUT, "%s/low: %g is not below \"high\", which is %g", s->world->scenario->pool[pool].autoscale.pointer,
                       u->p->low, u->p->high);
    rr_meter_init(&u->meter, u->p->window_us, u->p->every_us);
    rr_sim_want(s, pool, 0);
    rr_sim_look_at(s, pool, 0);
    return RR_OK;
}

// Nodes more (or less) than now.
static int64_t change(struct state *u, struct rr_sim *s, size_t pool)
{
    struct rr_utilization is;
    const bool known = rr_meter_read(&u->meter, s, pool, &is) && is.ready > 0;
    uint32_t ask;
    int64_t since_us;
    if (s->now_us < u->cool_us || rr_sim_staying(s, pool) < s->books[pool].want) return 0;
    if (rr_sim_longest_wait(s, pool, &ask, &since_us) && s->now_us - since_us > u->p->window_us) {
        const int64_t missing = rr_sim_missing(s, pool, ask);
        if (missing > 0) return missing > u->p->step ? missing : u->p->step;
    }
    if (known && is.allocated > u->p->high * is.ready) return u->p->step;
    if (known && is.allocated < u->p->low * is.ready && s->books[pool].waiting == 0) return -u->p->step;
    return 0;
}

static void look(void *state, struct rr_sim *s, size_t pool)
{
    struct state *u = state;
    const int64_t want = s->books[pool].want;
    rr_sim_want(s, pool, want + change(u, s, pool));
    if (s->books[pool].want != want) u->cool_us = rr_add_us(s->now_us, u->p->cooldown_us);
    rr_sim_look_at(s, pool, rr_add_us(s->now_us, u->p->every_us));
}

static void done(void *state) { rr_meter_done(&((struct state *)state)->meter); }

const struct rr_autoscaler rr_autoscaler_utilization = {
    .kind = {.name = "utilization",
             .summary = "grow above a share of GPUs in use, shrink below another (30 % and 80 %)",
             .params = rows,
             .n_params = sizeof rows / sizeof *rows,
             .params_size = sizeof(struct params)},
    .sees_waits = true,
    .drains = drains,
    .state_size = sizeof(struct state),
    .init = init,
    .look = look,
    .done = done};
