/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/engine/start.c - a job starts and ends: room, books, outcome. */
#include "data/base/fmath.h"
#include "data/base/rng.h"
#include "sim/engine/arrays.h"
#include "sim/engine/attempt.h"
#include "sim/engine/depends.h"
#include <assert.h>

_Static_assert(sizeof(struct rr_slot) == 48, "a slot is three quarters of a cache line");

uint32_t rr_slot_new(struct rr_sim *s)
{
    if (s->free_slot != UINT32_MAX) {
        const uint32_t slot = s->free_slot;
        s->free_slot = s->slot.at[slot].node;
        return slot;
    }
    rr_vec_push(&s->slot, (struct rr_slot){0});
    return (uint32_t)s->slot.n - 1;
}

void rr_slot_free(struct rr_sim *s, uint32_t slot)
{
    s->slot.at[slot].node = s->free_slot;
    s->slot.at[slot].sequence = 0;
    s->free_slot = slot;
}

void rr_sim_push(struct rr_sim *s, int64_t at_us, enum rr_event_kind kind, uint32_t slot)
{
    s->slot.at[slot].sequence = (uint32_t)rr_events_push(&s->events, at_us, kind, slot);
}

// --- times ---

static int64_t user_estimate(const struct rr_trace *t, uint32_t job)
{
    return t->estimate_us && t->estimate_us[job] >= 0 ? t->estimate_us[job] : t->run_us[job];
}

// The trace's, or that of the job's class if it is shorter.
static inline int64_t limit(const struct rr_sim *s, uint32_t job)
{
    const struct rr_trace *t = s->trace;
    const int64_t own = t->limit_us && t->limit_us[job] > 0 ? t->limit_us[job] : RR_NEVER;
    const struct rr_class *c = s->class_of ? rr_sim_class(s, job) : NULL;
    return c && c->limit_us > 0 && c->limit_us < own ? c->limit_us : own;
}

static int64_t times_factor(int64_t us, double factor)
{
    const double v = (double)us * factor + 0.5;
    return us == RR_NEVER || v >= 9e18 ? RR_NEVER : (int64_t)v;
}

// Lognormal with median 1: the same for the job whatever else is drawn.
static double noise(const struct rr_sim *s, uint32_t job)
{
    struct rr_rng r;
    rr_rng_init(&r, (uint64_t)s->world->scenario->seed, s->world->replication, RR_RNG_ESTIMATE, job);
    return rr_exp(s->how->estimate_factor * rr_rng_normal(&r));
}

// Of the whole job, at reference speed.
static int64_t estimate(const struct rr_sim *s, uint32_t job)
{
    const struct rr_trace *t = s->trace;
    int64_t us;
    switch (s->how->estimate) {
    case RR_ESTIMATE_EXACT: us = t->run_us[job]; break;
    case RR_ESTIMATE_FACTOR: us = times_factor(t->run_us[job], s->how->estimate_factor); break;
    case RR_ESTIMATE_NOISE: us = times_factor(t->run_us[job], noise(s, job)); break;
    default: us = user_estimate(t, job);
    }
    const int64_t most = limit(s, job); // no one expects more than the limit
    return us < most ? us : most;
}

int64_t rr_sim_estimate(const struct rr_sim *s, uint32_t job)
{
    return s->attempts ? rr_attempt_estimate(s, job, estimate(s, job)) : estimate(s, job);
}

// All the work of the job, at reference speed, and what becomes of it then.
static inline int64_t duration(const struct rr_sim *s, uint32_t job, uint8_t *end_state, uint8_t *end_reason)
{
    static const struct {
        uint8_t state, reason;
    } end[] = {[RR_TRACE_OK] = {RR_JOB_FINISHED, RR_WHY_NONE},
               [RR_TRACE_FAILED] = {RR_JOB_FAILED, RR_WHY_TRACE_FAILED},
               [RR_TRACE_KILLED] = {RR_JOB_KILLED, RR_WHY_TRACE_KILLED},
               [RR_TRACE_NEVER_STARTED] = {RR_JOB_KILLED, RR_WHY_NEVER_STARTED},
               [RR_TRACE_NEVER_ENDED] = {RR_JOB_FINISHED, RR_WHY_NONE}};
    const struct rr_trace *t = s->trace;
    const uint8_t state = t->state ? t->state[job] : RR_TRACE_OK;
    *end_state = end[state].state;
    *end_reason = end[state].reason;
    int64_t most = limit(s, job);
    if (s->how->overrun && estimate(s, job) < most) most = estimate(s, job);
    if (t->run_us[job] <= most) return t->run_us[job];
    *end_state = RR_JOB_KILLED;
    *end_reason = RR_WHY_LIMIT;
    return most;
}

int64_t rr_sim_work_us(const struct rr_sim *s, uint32_t job)
{
    uint8_t state, reason;
    return duration(s, job, &state, &reason);
}

int64_t rr_sim_remaining_us(const struct rr_sim *s, uint32_t job)
{
    const int64_t work = rr_sim_work_us(s, job);
    return s->attempts ? rr_attempt_left(s, job, work) : work;
}

int64_t rr_sim_estimate_left_us(const struct rr_sim *s, uint32_t job)
{
    return s->attempts ? rr_attempt_left(s, job, estimate(s, job)) : estimate(s, job);
}

// --- start and end ---

static void leave_queue(struct rr_sim *s, uint32_t ask)
{
    struct rr_ask *q = &s->asks.ask.at[ask];
    s->level.queue--;
    s->level.queue_milli -= q->gpus_milli;
    if (--q->waiting == 0) {
        const uint32_t last = s->asks.busy.at[--s->asks.busy.n];
        s->asks.busy.at[q->waiting_index] = last;
        s->asks.ask.at[last].waiting_index = q->waiting_index;
    }
    if (!s->any_elastic) return;
    for (size_t i = 0; i < s->n_pools; i++)
        if (s->books[i].elastic && rr_need_of(&s->asks, ask, i)->nodes) s->books[i].waiting--;
}

static void use_nodes(struct rr_sim *s, size_t pool, uint32_t first, int64_t nodes)
{
    if (!s->books[pool].elastic) return;
    for (uint32_t n = first; nodes > 0; n = s->pool[pool].node[n].next, nodes--) rr_elastic_busy(s, pool, n);
}

// GPUs in use change; of slices the sum is cut to whole milli-GPUs, not each part of it.
static void use_gpus(struct rr_sim *s, struct rr_fleet_pool *p, int64_t milli)
{
    const int64_t before = p->slices == 1 ? 0 : p->taken_milli / p->slices;
    p->taken_milli += milli;
    s->level.used_milli += p->slices == 1 ? milli : p->taken_milli / p->slices - before;
}

static void note_seats(struct rr_sim *s, uint32_t job, size_t pool, uint32_t first, int64_t nodes)
{
    for (uint32_t n = first; nodes > 0 && s->seats; n = s->pool[pool].node[n].next, nodes--) {
        rr_vec_push(&s->seat, ((struct rr_seat){job, n, (uint16_t)pool, s->outcome[job].attempts}));
        s->seats = n < RR_SEAT_NODES && s->seat.n <= RR_SEATS;
    }
}

uint32_t rr_sim_begin(struct rr_sim *s, uint32_t job, uint32_t ask, size_t pool, uint32_t node)
{
    const struct rr_need *n = rr_need_of(&s->asks, ask, pool);
    const uint32_t slot = rr_slot_new(s);
    struct rr_slot *r = &s->slot.at[slot];
    *r = (struct rr_slot){.start_us = s->now_us, .job = job, .ask = ask, .node = node, .pool = (uint16_t)pool, .live = RR_LIVE_JOB};
    rr_books_touch(s, pool);
    rr_fleet_take(&s->pool[pool], node, n, &r->devices);
    use_nodes(s, pool, node, n->nodes);
    int64_t takes = duration(s, job, &r->state, &r->reason);
    if (s->attempts) takes = rr_attempt_begin(s, slot, takes);
    const int64_t end = rr_add_us(s->now_us, takes);
    if (end != RR_NEVER) {
        rr_sim_push(s, end, RR_EV_END, slot);
        s->n_ends++;
    }
    if (s->policy->expects || s->policy->preempts) {
        const int64_t us = estimate(s, job);
        r->expected_us = rr_add_us(s->now_us, s->attempts ? rr_attempt_expected(s, slot, us) : us);
        if (s->expected) rr_expected_add(&s->expected[pool], r->expected_us, slot);
    }
    struct rr_outcome *o = &s->outcome[job];
    if (o->attempts == 0) o->start_us = s->now_us;
    o->node = s->node_base[pool] + node;
    o->pool = (uint16_t)pool;
    if (o->attempts < UINT16_MAX) o->attempts++;
    o->state = RR_JOB_RUNNING;
    if (s->seats) note_seats(s, job, pool, node, n->nodes);
    use_gpus(s, &s->pool[pool], n->milli);
    s->moved_us = s->now_us;
    leave_queue(s, ask);
    if (s->policy->started) s->policy->started(s->policy_state, s, job);
    return slot;
}

bool rr_sim_start(struct rr_sim *s, uint32_t job, uint32_t ask) { return rr_sim_start_beside(s, job, ask, NULL); }

bool rr_sim_start_beside(struct rr_sim *s, uint32_t job, uint32_t ask, const bool *held_up)
{
    for (size_t k = 0; k < s->n_pools; k++) {
        const size_t i = rr_sim_pool_at(s, k);
        const struct rr_need *n = rr_need_of(&s->asks, ask, i);
        if (n->nodes == 0 || (held_up && held_up[i]) || !rr_sim_may(s, i, job)) continue;
        const uint32_t node = rr_fleet_choose(&s->pool[i], &(struct rr_seek){.need = n, .job = job});
        if (node == RR_NO_NODE) continue;
        rr_sim_begin(s, job, ask, i, node);
        return true;
    }
    return false;
}

bool rr_sim_hold_up(struct rr_sim *s, uint32_t ask, bool *held_up)
{
    bool all = true;
    for (size_t i = 0; i < s->n_pools; i++) {
        held_up[i] |= rr_need_of(&s->asks, ask, i)->nodes > 0;
        all &= held_up[i];
    }
    return all;
}

bool rr_sim_start_in(struct rr_sim *s, uint32_t job, uint32_t ask, size_t pool)
{
    const struct rr_need *n = rr_need_of(&s->asks, ask, pool);
    const uint32_t node = n->nodes ? rr_fleet_choose(&s->pool[pool], &(struct rr_seek){.need = n, .job = job}) : RR_NO_NODE;
    if (node == RR_NO_NODE) return false;
    rr_sim_begin(s, job, ask, pool, node);
    return true;
}

bool rr_sim_fits(struct rr_sim *s, uint32_t ask)
{
    for (size_t i = 0; i < s->n_pools; i++) {
        const struct rr_need *n = rr_need_of(&s->asks, ask, i);
        if (n->nodes && rr_sim_ask_may(s, i, ask) && rr_fleet_find(&s->pool[i], n) != RR_NO_NODE) return true;
    }
    return false;
}

// All the held GPU time of an attempt until end_us into its pool's books, as used, and into its nodes' leases.
static void book(struct rr_sim *s, const struct rr_slot *r, const struct rr_need *n, int64_t end_us)
{
    struct rr_fleet_pool *p = &s->pool[r->pool];
    const int64_t took = end_us - r->start_us;
    s->books[r->pool].time.used += (rr_i128)n->milli * took;
    if (n->nodes == 1) {
        p->node[r->node].used_milli_us += n->milli * took;
        return;
    }
    int32_t i = 0;
    for (uint32_t node = r->node; node != RR_NO_NODE; node = p->node[node].next, i++)
        p->node[node].used_milli_us += INT64_C(1000) * rr_need_whole(n, i) * took;
}

static inline void leave(struct rr_sim *s, uint32_t slot, const struct rr_slot *r)
{
    struct rr_fleet_pool *p = &s->pool[r->pool];
    const struct rr_need *n = rr_need_of(&s->asks, r->ask, r->pool);
    rr_books_touch(s, r->pool);
    if (p->closed.n) rr_closed_touch(s, r, n);
    book(s, r, n, s->now_us);
    rr_fleet_give(p, r->node, n, r->devices);
    if (s->books[r->pool].elastic)
        for (uint32_t node = r->node; node != RR_NO_NODE; node = n->nodes > 1 ? p->node[node].next : RR_NO_NODE)
            rr_elastic_freed(s, r->pool, node);
    if (s->expected) rr_expected_remove(&s->expected[r->pool], r->expected_us, slot);
    use_gpus(s, p, -n->milli);
    s->n_ends -= r->sequence != 0;
    rr_sim_freed(s, r->pool);
    s->moved_us = s->now_us;
    rr_slot_free(s, slot);
}

void rr_sim_leave(struct rr_sim *s, uint32_t slot)
{
    const struct rr_slot r = s->slot.at[slot];
    leave(s, slot, &r);
}

void rr_sim_end(struct rr_sim *s, uint32_t slot)
{
    const struct rr_slot r = s->slot.at[slot];
    struct rr_outcome *o = &s->outcome[r.job];
    if (s->attempts) rr_attempt_end(s, slot);
    leave(s, slot, &r);
    o->end_us = s->now_us;
    o->state = r.state;
    o->reason = r.reason;
    if (s->policy->ended) s->policy->ended(s->policy_state, s, r.job);
    if (s->pool[r.pool].closed.n) rr_tell_drained(s, &r);
    if (s->depends) rr_depends_over(s, r.job);
    if (s->arrays) rr_arrays_over(s, r.job);
}

void rr_sim_cut(struct rr_sim *s, uint32_t slot, int64_t end_us)
{
    const struct rr_slot *r = &s->slot.at[slot];
    book(s, r, rr_need_of(&s->asks, r->ask, r->pool), end_us);
    if (s->attempts) rr_attempt_cut(s, slot, end_us);
    s->outcome[r->job].reason = RR_WHY_HORIZON;
}

// --- submission ---

static inline void enter_queue(struct rr_sim *s, uint32_t ask)
{
    struct rr_ask *q = &s->asks.ask.at[ask];
    s->level.queue++;
    s->level.queue_milli += q->gpus_milli;
    if (q->waiting++ == 0) {
        q->waiting_index = (uint32_t)s->asks.busy.n;
        rr_vec_push(&s->asks.busy, ask);
    }
    if (!s->any_elastic) return;
    for (size_t i = 0; i < s->n_pools; i++)
        if (s->books[i].elastic && rr_need_of(&s->asks, ask, i)->nodes) s->books[i].waiting++;
}

void rr_sim_requeue(struct rr_sim *s, uint32_t job, uint32_t ask)
{
    s->outcome[job].state = RR_JOB_WAITING;
    enter_queue(s, ask);
    if (s->waits) rr_waits_enter(s, job, ask);
    s->policy->submit(s->policy_state, s, job, ask);
}

void rr_sim_admit(struct rr_sim *s, uint32_t job)
{
    if (!s->arrays || rr_arrays_admit(s, job)) rr_sim_requeue(s, job, rr_ask_of(&s->asks, job));
}

void rr_sim_submit(struct rr_sim *s, uint32_t job)
{
    struct rr_outcome *o = &s->outcome[job];
    if (s->trace->state && s->trace->state[job] == RR_TRACE_NEVER_STARTED) {
        o->state = RR_JOB_KILLED;
        o->reason = RR_WHY_NEVER_STARTED;
        if (s->depends) rr_depends_over(s, job);
        return;
    }
    const uint32_t ask = rr_ask_of(&s->asks, job);
    const enum rr_reason why = s->asks.ask.at[ask].why;
    if (why != RR_WHY_NONE) {
        o->state = RR_JOB_REJECTED;
        o->reason = (uint8_t)why;
        if (s->depends) rr_depends_over(s, job);
        return;
    }
    if (s->depends && !rr_depends_ready(s, job)) return;
    o->state = RR_JOB_WAITING;
    if (s->arrays && !rr_arrays_admit(s, job)) return;
    enter_queue(s, ask);
    if (s->waits) rr_waits_enter(s, job, ask);
    s->policy->submit(s->policy_state, s, job, ask);
}
