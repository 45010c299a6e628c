/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/policy/deadline.c - moves jobs with a deadline between spot, on-demand machines and the queue. */
#include "sim/policy/deadline.h"
#include <assert.h>

const struct rr_param rr_deadline_rows[3] = {
    {.name = "deadline",
     .type = RR_P_TIME,
     .offset = RR_DEADLINE_ROW(deadline_us),
     .unit = "time",
     .least = 1,
     .most = 3660.0 * (double)RR_D,
     .help = "from a job's submit to when it must have ended; absent: the trace's own"},
    {.name = "change_over",
     .type = RR_P_TIME,
     .offset = RR_DEADLINE_ROW(change_us),
     .unit = "time",
     .least = 0,
     .most = 31.0 * (double)RR_D,
     .help = "what a move is thought to cost a job; absent: what it does, start and restore of its checkpoint, and the pool's boot"},
    {.name = "decide_every",
     .type = RR_P_TIME,
     .offset = RR_DEADLINE_ROW(step_us),
     .unit = "time",
     .def = "\"10 min\"",
     .least = (double)RR_S,
     .most = (double)RR_D,
     .help = "from one decision to the next, counted from the job's submit",
     .source = "ticks of the Can't Be Late traces, 2022"},
};

// What is believed of moves and what they cost are two keys: that the former is far above the latter is hardly meant.
static void warn_change(struct rr_deadline *d, struct rr_sim *s)
{
    if (!rr_given(&d->p, 1) || s->trace->n == 0) return;
    const struct rr_checkpoint *c = rr_sim_checkpoint(s, 0);
    const int64_t cost = c->start_us + c->restore_us + s->books[d->on_demand].boot_us;
    if (cost < d->p.change_us / 2)
        rr_sim_warn(
            s, "/scheduler/change_over",
            "moves are planned as if each cost %.4g min, but cost %.4g min here: \"start\" and \"restore\" of \"checkpoint\" and the "
            "\"boot\" of the pool",
            (double)d->p.change_us / 6e7, (double)cost / 6e7);
}

void rr_deadline_init(struct rr_deadline *d, struct rr_sim *s,
                      enum rr_place (*place)(struct rr_deadline *, struct rr_sim *, struct rr_dated *, bool))
{
    d->place = place;
    d->net = 2;
    d->p = (struct rr_deadline_params){.step_us = 10 * RR_MIN};
    if (s->how->policy_params) d->p = *(const struct rr_deadline_params *)s->how->policy_params;
    d->spot = d->on_demand = SIZE_MAX;
    d->wake_us = -1;
    for (size_t i = s->n_pools; i-- > 0;) *(s->world->scenario->pool[i].reclaimable ? &d->spot : &d->on_demand) = i;
    if (d->spot == SIZE_MAX || d->on_demand == SIZE_MAX)
        s->failed =
            rr_fail(RR_EINPUT, "/scheduler/policy: \"%s\" needs a pool with the plan \"spot\" and one without", s->policy->kind.name);
    for (uint32_t j = 0; j < s->trace->n && s->failed == RR_OK; j++) {
        char id[24];
        if (rr_deadline_of(d, s, j) == RR_NEVER)
            s->failed = rr_fail(RR_EINPUT,
                                "/scheduler/policy: job %s has no deadline: give \"deadline\" in \"scheduler\", or deadline_s in the trace",
                                rr_trace_id(s->trace, j, id));
    }
    if (s->failed == RR_OK) warn_change(d, s);
}

void rr_deadline_done(void *state)
{
    struct rr_deadline *d = state;
    for (size_t i = 0; i < d->job.n; i++) free(d->job.at[i].plan);
    rr_vec_done(&d->job);
}

// --- what is known of a job ---

static size_t find(const struct rr_deadline *d, uint32_t job)
{
    size_t i = 0;
    while (i < d->job.n && d->job.at[i].job != job) i++;
    return i;
}

int64_t rr_deadline_of(const struct rr_deadline *d, const struct rr_sim *s, uint32_t job)
{
    if (d->p.deadline_us > 0) return d->p.deadline_us;
    return s->trace->deadline_us ? s->trace->deadline_us[job] : RR_NEVER;
}

int64_t rr_deadline_left(const struct rr_sim *s, const struct rr_dated *j) { return rr_sim_remaining_us(s, j->job); }

enum rr_place rr_deadline_now(const struct rr_sim *s, const struct rr_deadline *d, const struct rr_dated *j)
{
    const uint32_t slot = rr_sim_slot_of(s, j->job);
    if (slot == RR_NO_SLOT) return RR_PLACE_NONE;
    return s->slot.at[slot].pool == d->spot ? RR_PLACE_SPOT : RR_PLACE_ON_DEMAND;
}

int64_t rr_deadline_change(const struct rr_deadline *d, const struct rr_sim *s, uint32_t job)
{
    if (rr_given(&d->p, 1)) return d->p.change_us;
    const struct rr_checkpoint *c = rr_sim_checkpoint(s, job);
    return c->start_us + c->restore_us + s->books[d->on_demand].boot_us;
}

static bool has_room(struct rr_sim *s, size_t pool, const struct rr_dated *j)
{
    const struct rr_need *n = rr_need_of(&s->asks, j->ask, pool);
    return n->nodes > 0 && rr_fleet_find(&s->pool[pool], n) != RR_NO_NODE;
}

// Has spot machines, or could have them, those that boot included.
static bool spot_for(const struct rr_deadline *d, struct rr_sim *s, const struct rr_dated *j)
{
    const struct rr_need *n = rr_need_of(&s->asks, j->ask, d->spot);
    const struct rr_books *b = &s->books[d->spot];
    if (n->nodes == 0) return false;
    if (rr_deadline_now(s, d, j) == RR_PLACE_SPOT || has_room(s, d->spot, j)) return true;
    return b->elastic && b->limit - (b->held - b->starting) >= n->nodes;
}

// --- deciding ---

static enum rr_place decide(struct rr_deadline *d, struct rr_sim *s, struct rr_dated *j)
{
    const int64_t left = rr_deadline_left(s, j), time = j->due_us - s->now_us;
    if (time - left < d->net * rr_deadline_change(d, s, j->job)) j->committed = true;
    if (j->committed || rr_need_of(&s->asks, j->ask, d->spot)->nodes == 0) return RR_PLACE_ON_DEMAND;
    const enum rr_place place = d->place(d, s, j, spot_for(d, s, j));
    return rr_need_of(&s->asks, j->ask, d->on_demand)->nodes == 0 && place == RR_PLACE_ON_DEMAND ? RR_PLACE_NONE : place;
}

static size_t pool_of(const struct rr_deadline *d, enum rr_place place) { return place == RR_PLACE_SPOT ? d->spot : d->on_demand; }

// Nodes of the pool that are wanted beyond those at hand: for jobs that should be there and are not.
static int64_t wanted(const struct rr_deadline *d, struct rr_sim *s, enum rr_place place)
{
    int64_t n = 0;
    for (size_t i = 0; i < d->job.n; i++) {
        const struct rr_dated *j = &d->job.at[i];
        if (j->want == place && rr_deadline_now(s, d, j) != place && !has_room(s, pool_of(d, place), j))
            n += rr_need_of(&s->asks, j->ask, pool_of(d, place))->nodes;
    }
    return n - s->books[pool_of(d, place)].starting;
}

static void wake(struct rr_deadline *d, struct rr_sim *s, int64_t at_us)
{
    if (d->wake_us > s->now_us && d->wake_us <= at_us) return;
    d->wake_us = at_us;
    rr_sim_wake(s, at_us);
}

// On-demand nodes come for those who shall be there alone; the engine does not grow that pool for those who wait for spot.
static void request(struct rr_deadline *d, struct rr_sim *s, enum rr_place place)
{
    const size_t pool = pool_of(d, place);
    bool any = false;
    if (place == RR_PLACE_ON_DEMAND) rr_sim_limit(s, pool, RR_NEVER);
    for (int64_t n = wanted(d, s, place); n > 0; n--) {
        if (rr_sim_node_request(s, pool) == RR_NO_NODE) break;
        any = true;
    }
    if (place == RR_PLACE_ON_DEMAND) rr_sim_limit(s, pool, s->books[pool].held);
    if (any) rr_sim_wake(s, rr_add_us(s->now_us, s->books[pool].boot_us));
}

// What nobody uses on demand goes back at once, while a job waits too.
static void release(const struct rr_deadline *d, struct rr_sim *s)
{
    const size_t pool = d->on_demand;
    if (!s->books[pool].elastic || s->books[pool].held <= s->books[pool].min) return;
    for (size_t i = 0; i < d->job.n; i++)
        if (d->job.at[i].want == RR_PLACE_ON_DEMAND && rr_deadline_now(s, d, &d->job.at[i]) != RR_PLACE_ON_DEMAND) return;
    for (uint32_t node = s->pool[pool].n_nodes; node-- > (uint32_t)s->books[pool].min;)
        if (rr_sim_node_is_held(s, pool, node) && !rr_sim_node_boots(s, pool, node) && !rr_sim_node_is_closed(s, pool, node) &&
            s->pool[pool].node[node].jobs == 0)
            rr_sim_node_release(s, pool, node);
    rr_sim_limit(s, pool, s->books[pool].held);
}

// Jobs leave where they should not be, once their new place is ready; those that wait are started in `pass`.
static void move(struct rr_deadline *d, struct rr_sim *s)
{
    for (size_t i = 0; i < d->job.n; i++) {
        struct rr_dated *j = &d->job.at[i];
        const enum rr_place now = rr_deadline_now(s, d, j);
        if (now == RR_PLACE_NONE || now == j->want) continue;
        if (j->want == RR_PLACE_NONE || has_room(s, pool_of(d, j->want), j)) rr_sim_preempt(s, j->job, RR_WHY_MOVED);
    }
}

static void next_wake(struct rr_deadline *d, struct rr_sim *s)
{
    int64_t at = RR_NEVER;
    for (size_t i = 0; i < d->job.n; i++) {
        const struct rr_dated *j = &d->job.at[i];
        const int64_t tick = s->now_us + d->p.step_us - (s->now_us - j->submit_us) % d->p.step_us;
        if (!j->committed && tick < at) at = tick;
        const int64_t spare = j->due_us - s->now_us - rr_deadline_left(s, j) - d->net * rr_deadline_change(d, s, j->job);
        if (j->waits && !j->committed && spare >= 0 && s->now_us + spare + 1 < at) at = s->now_us + spare + 1;
    }
    if (at != RR_NEVER) wake(d, s, at);
}

static void act(struct rr_deadline *d, struct rr_sim *s)
{
    for (size_t i = 0; i < d->job.n; i++) d->job.at[i].want = decide(d, s, &d->job.at[i]);
    move(d, s);
    request(d, s, RR_PLACE_SPOT);
    request(d, s, RR_PLACE_ON_DEMAND);
    next_wake(d, s);
}

// --- hooks ---

void rr_deadline_submit(void *state, struct rr_sim *s, uint32_t job, uint32_t ask)
{
    struct rr_deadline *d = state;
    const size_t i = find(d, job);
    if (s->failed != RR_OK) return;
    if (i == d->job.n) {
        const int64_t submit = s->trace->submit_us[job];
        const struct rr_dated j = {.job = job,
                                   .ask = ask,
                                   .submit_us = submit,
                                   .due_us = rr_add_us(submit, rr_deadline_of(d, s, job)),
                                   .work_us = rr_sim_work_us(s, job)};
        rr_vec_push(&d->job, j);
    }
    d->job.at[i].waits = true;
}

void rr_deadline_pass(void *state, struct rr_sim *s)
{
    struct rr_deadline *d = state;
    if (s->failed != RR_OK) return;
    act(d, s);
    for (size_t i = 0; i < d->job.n; i++) {
        struct rr_dated *j = &d->job.at[i];
        if (j->waits && j->want != RR_PLACE_NONE && rr_sim_start_in(s, j->job, j->ask, pool_of(d, j->want))) j->waits = false;
    }
    release(d, s);
}

void rr_deadline_ended(void *state, struct rr_sim *s, uint32_t job)
{
    struct rr_deadline *d = state;
    const size_t i = find(d, job);
    assert(i < d->job.n);
    if (s->outcome[job].state == RR_JOB_RUNNING) return; // interrupted: `submit` follows
    free(d->job.at[i].plan);
    d->job.at[i] = d->job.at[--d->job.n];
}

void rr_deadline_timer(void *state, struct rr_sim *s)
{
    struct rr_deadline *d = state;
    if (s->failed != RR_OK) return;
    act(d, s);
    if (s->level.queue == 0) release(d, s); // else in the pass that follows
}

void rr_deadline_capacity(void *state, struct rr_sim *s, size_t pool)
{
    struct rr_deadline *d = state;
    if (pool == d->spot && d->job.n > 0) rr_sim_wake(s, s->now_us);
}
