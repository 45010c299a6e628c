/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/engine/elastic.c - nodes come and go: leases, boots, idle timeouts, and what autoscalers want.
 *
 * Static pools hold their nodes from 0 to the end, elastic ones nodes 0 .. min - 1 (those that arrive by a schedule: none of their own).
 * Where a pool goes by the queue an idle node is released idle_timeout after its last job, but not while a job waits that could run in the
 * pool: the wait may be for this very node and others. Where an autoscaler wants a number, the pool follows after the pass (follow). Nodes 0 .. min - 1 are never let go. */
#include "sim/autoscale/autoscale.h"
#include <assert.h>

void rr_node_touch(struct rr_sim *s, size_t pool, uint32_t node)
{
    struct rr_closed *c = rr_fleet_closed(&s->pool[pool], node);
    if (!c) return;
    s->lease.at[s->pool[pool].node[node].lease].down_milli_us += c->free_milli * (s->now_us - c->since_us);
    c->since_us = s->now_us;
}

static void hold(struct rr_sim *s, size_t pool, uint32_t node, int64_t ready_us)
{
    struct rr_books *b = &s->books[pool];
    struct rr_node *d = &s->pool[pool].node[node];
    const int64_t milli = INT64_C(1000) * rr_node_kind_of(&s->pool[pool], node)->gpus / s->pool[pool].slices;
    d->lease = (uint32_t)s->lease.n;
    d->used_milli_us = 0;
    const struct rr_lease l = {.start_us = s->now_us, .ready_us = ready_us, .end_us = RR_NEVER, .node = node, .pool = (uint16_t)pool};
    rr_vec_push(&s->lease, l);
    s->level.held_milli += milli;
    b->time.nodes_started++;
    if (++b->held > b->time.nodes_peak) b->time.nodes_peak = b->held;
    rr_supply_tell(s, pool, node, RR_TOLD_HELD);
}

void rr_sim_node_release(struct rr_sim *s, size_t pool, uint32_t node)
{
    struct rr_books *b = &s->books[pool];
    struct rr_fleet_pool *p = &s->pool[pool];
    assert(b->elastic);
    rr_books_touch(s, pool);
    if (rr_sim_node_boots(s, pool, node)) {
        rr_elastic_unboot(s, pool, node);
    } else {
        rr_node_touch(s, pool, node);
        rr_fleet_remove(p, node);
    }
    struct rr_lease *l = &s->lease.at[p->node[node].lease];
    l->end_us = s->now_us;
    l->used_milli_us = p->node[node].used_milli_us;
    s->level.held_milli -= INT64_C(1000) * rr_node_kind_of(p, node)->gpus / p->slices;
    b->idle.at[node].since_us = RR_NEVER;
    b->held--;
    rr_nodeset_add(&b->off, node);
    rr_supply_tell(s, pool, node, RR_TOLD_RELEASED);
}

static void cover_nodes(struct rr_sim *s, size_t pool, uint32_t n_nodes)
{
    struct rr_books *b = &s->books[pool];
    struct rr_fleet_pool *p = &s->pool[pool];
    const uint32_t had = p->n_nodes;
    if (n_nodes <= had) return;
    rr_fleet_grow(p, n_nodes);
    if (!b->elastic) return;
    rr_nodeset_grow(&b->off, p->cap_nodes);
    rr_vec_reserve(&b->idle, n_nodes);
    for (uint32_t i = had; i < n_nodes; i++) {
        b->idle.at[i] = (struct idle){.since_us = RR_NEVER};
        rr_nodeset_add(&b->off, i);
    }
    b->idle.n = n_nodes;
}

static const struct rr_autoscaler *scaler_of(const struct rr_pool *p)
{
    return p->autoscale.policy ? (const struct rr_autoscaler *)(const void *)p->autoscale.policy : &rr_autoscaler_queue;
}

// A fixed number of spot nodes, or of nodes that are bought in steps, comes and goes too.
static bool is_elastic(const struct rr_pool *p) { return p->nodes_max > p->nodes_min || p->reclaimable || p->arrives; }

bool rr_elastic_drains(const struct rr_scenario *sc)
{
    for (size_t i = 0; i < sc->n_pools; i++) {
        const struct rr_autoscaler *a = scaler_of(&sc->pool[i]);
        if (is_elastic(&sc->pool[i]) && a->drains && a->drains(sc->pool[i].autoscale.params)) return true;
    }
    return false;
}

enum rr_status rr_elastic_init(struct rr_sim *s)
{
    for (size_t i = 0; i < s->n_pools; i++) {
        const struct rr_pool *from = &s->world->scenario->pool[i];
        struct rr_books *b = &s->books[i];
        *b = (struct rr_books){.min = from->nodes_min,
                               .max = from->nodes_max,
                               .limit = from->nodes_max,
                               .boot_us = from->boot_us,
                               .retry_us = from->retry_us > 0 ? from->retry_us : 5 * RR_MIN,
                               .spill_us = -1,
                               .idle_timeout_us = from->idle_timeout_us,
                               .want = -1,
                               .elastic = is_elastic(from)};
        if (from->nodes_max < from->nodes_min)
            return rr_fail(RR_EINPUT, "%s/nodes: max %lld is below min %lld", from->pointer, (long long)b->max, (long long)b->min);
        if (b->elastic && from->n_shapes != 1)
            return rr_fail(RR_EINPUT, "%s/nodes: nodes from a file are all held; min and max must be their number", from->pointer);
        s->any_elastic |= b->elastic;
        if (b->elastic) b->scaler = scaler_of(from);
        cover_nodes(s, i, (uint32_t)b->min);
        for (uint32_t n = 0; n < (uint32_t)b->min && !from->arrives; n++) { // else their supplier asks for them
            if (b->elastic) rr_nodeset_remove(&b->off, n);
            if (b->elastic) b->idle.at[n].imaged = true;
            hold(s, i, n, s->now_us);
            rr_fleet_ready(&s->pool[i], n);
        }
    }
    return RR_OK;
}

// --- growth ---

enum rr_status rr_elastic_start(struct rr_sim *s)
{
    for (size_t i = 0; i < s->n_pools; i++) {
        struct rr_books *b = &s->books[i];
        const struct rr_autoscale *from = &s->world->scenario->pool[i].autoscale;
        if (!b->elastic || b->scaler->by_demand) continue;
        if (b->scaler->sees_waits && !s->waits) rr_waits_init(s);
        b->want = b->min;
        b->drains = b->scaler->drains && b->scaler->drains(from->params);
        b->scaler_state = memset(rr_xrealloc(NULL, 1, b->scaler->state_size), 0, b->scaler->state_size);
        RR_TRY(b->scaler->init(b->scaler_state, from->params, s, i));
    }
    return RR_OK;
}

void rr_elastic_done(struct rr_sim *s)
{
    for (size_t i = 0; s->books && i < s->n_pools; i++) {
        struct rr_books *b = &s->books[i];
        if (b->scaler_state && b->scaler->done) b->scaler->done(b->scaler_state);
        free(b->scaler_state);
    }
    rr_waits_done(s);
}

// What the k-th request in the pool meets: drawn in this order, whatever is varied.
static void request_rng(const struct rr_sim *s, size_t pool, uint32_t k, struct rr_rng *ret)
{
    rr_rng_init(ret, (uint64_t)s->world->scenario->seed, s->world->replication, RR_RNG_BOOT, (uint64_t)pool << 32 | k);
}

// Refused by chance or above the quota: the pool is not asked again before retry_us have passed.
static bool is_refused(struct rr_sim *s, size_t pool, struct rr_rng *rng)
{
    struct rr_books *b = &s->books[pool];
    const struct rr_pool *from = &s->world->scenario->pool[pool];
    const bool unlucky = from->refuse > 0 && rr_rng_uniform(rng) < from->refuse;
    if (!unlucky && (from->quota == 0 || b->held < from->quota)) return false;
    b->time.refused++;
    b->retry_at_us = rr_add_us(s->now_us, b->retry_us);
    rr_elastic_wake(s, pool, b->retry_at_us);
    return true;
}

static int64_t boot_us(const struct rr_sim *s, size_t pool, uint32_t node, struct rr_rng *rng)
{
    const struct rr_pool *from = &s->world->scenario->pool[pool];
    int64_t us = s->books[pool].boot_us;
    if (from->boot.kind != RR_DIST_CONSTANT) {
        const double v = rr_dist_draw(&from->boot, rng);
        us = v <= 0 ? 0 : v >= 9e18 ? RR_NEVER : (int64_t)(v + 0.5);
    }
    return s->books[pool].idle.at[node].imaged && from->image_stays ? us : rr_add_us(us, from->image_us);
}

uint32_t rr_sim_node_request(struct rr_sim *s, size_t pool)
{
    struct rr_books *b = &s->books[pool];
    if (!b->elastic || b->held >= b->limit || s->now_us < b->retry_at_us) return RR_NO_NODE;
    struct rr_rng rng;
    request_rng(s, pool, b->n_requests++, &rng);
    if (is_refused(s, pool, &rng)) return RR_NO_NODE;
    if (b->off.count == 0) cover_nodes(s, pool, s->pool[pool].n_nodes + 1);
    const uint32_t node = rr_nodeset_lowest(&b->off);
    rr_nodeset_remove(&b->off, node);
    const int64_t ready = rr_add_us(s->now_us, boot_us(s, pool, node, &rng));
    hold(s, pool, node, ready);
    b->starting++;
    const uint32_t slot = rr_slot_new(s);
    s->slot.at[slot] =
        (struct rr_slot){.start_us = s->now_us, .expected_us = ready, .node = node, .pool = (uint16_t)pool, .live = RR_LIVE_BOOT};
    rr_sim_push(s, ready, RR_EV_READY, slot);
    s->n_boots++;
    if (s->expected) rr_expected_add(&s->expected[pool], ready, slot);
    rr_sim_freed(s, pool); // what is expected has changed
    return node;
}

void rr_elastic_boot_done(struct rr_sim *s, uint32_t slot)
{
    const struct rr_slot r = s->slot.at[slot];
    rr_books_touch(s, r.pool);
    rr_fleet_ready(&s->pool[r.pool], r.node);
    s->books[r.pool].idle.at[r.node].imaged = true;
    s->books[r.pool].starting--;
    s->n_boots--;
    if (s->expected) rr_expected_remove(&s->expected[r.pool], r.expected_us, slot);
    rr_slot_free(s, slot);
    rr_sim_freed(s, r.pool);
    rr_elastic_freed(s, r.pool, r.node);
    rr_supply_tell(s, r.pool, r.node, RR_TOLD_READY);
}

void rr_elastic_unboot(struct rr_sim *s, size_t pool, uint32_t node)
{
    uint32_t slot = 0;
    while (s->slot.at[slot].sequence == 0 || s->slot.at[slot].live != RR_LIVE_BOOT || s->slot.at[slot].pool != pool ||
           s->slot.at[slot].node != node)
        slot++;
    rr_books_touch(s, pool);
    s->books[pool].starting--;
    s->n_boots--;
    s->n_stale++;
    s->lease.at[s->pool[pool].node[node].lease].ready_us = s->now_us;
    if (s->expected) rr_expected_remove(&s->expected[pool], s->slot.at[slot].expected_us, slot);
    rr_slot_free(s, slot);
    rr_sim_freed(s, pool);
}

// --- idle nodes ---

void rr_elastic_closed(struct rr_sim *s, size_t pool, uint32_t node)
{
    if (s->books[pool].elastic) s->books[pool].idle.at[node].since_us = RR_NEVER;
}

void rr_elastic_busy(struct rr_sim *s, size_t pool, uint32_t node) { s->books[pool].idle.at[node].since_us = RR_NEVER; }

void rr_elastic_freed(struct rr_sim *s, size_t pool, uint32_t node)
{
    struct rr_books *b = &s->books[pool];
    const struct rr_node *d = &s->pool[pool].node[node];
    if (d->jobs > 0 || node < b->min || d->group == RR_NO_GROUP) return;
    if (b->want >= 0) {
        b->unsettled = true;
        return;
    }
    b->idle.at[node].since_us = s->now_us;
    rr_vec_push(&b->touched, node);
}

// When an idle node goes, from now on: after its timeout, and with idle_align at the next whole one of its lease, which is paid for until then.
static int64_t leaves_at(const struct rr_sim *s, size_t pool, uint32_t node)
{
    const struct rr_books *b = &s->books[pool];
    const int64_t align = s->world->scenario->pool[pool].idle_align_us, due = rr_add_us(b->idle.at[node].since_us, b->idle_timeout_us);
    const int64_t at = due > s->now_us ? due : s->now_us;
    if (align == 0 || at == RR_NEVER) return at;
    const int64_t start = s->lease.at[s->pool[pool].node[node].lease].start_us, over = (at - start) % align;
    return over ? rr_add_us(at, align - over) : at;
}

static void arm(struct rr_sim *s, size_t pool, uint32_t node)
{
    struct idle *i = &s->books[pool].idle.at[node];
    if (i->since_us == RR_NEVER || i->armed) return;
    const int64_t at = leaves_at(s, pool, node);
    if (at == RR_NEVER) return;
    i->armed = true;
    const uint32_t slot = rr_slot_new(s);
    s->slot.at[slot] = (struct rr_slot){.node = node, .pool = (uint16_t)pool, .live = RR_LIVE_TIMER};
    rr_sim_push(s, at, RR_EV_TIMER, slot);
}

void rr_elastic_timer(struct rr_sim *s, uint32_t slot)
{
    const struct rr_slot r = s->slot.at[slot];
    struct rr_books *b = &s->books[r.pool];
    rr_slot_free(s, slot);
    b->idle.at[r.node].armed = false;
    const int64_t since = b->idle.at[r.node].since_us;
    if (since == RR_NEVER) return;
    if (leaves_at(s, r.pool, r.node) > s->now_us)
        arm(s, r.pool, r.node); // it was busy in between
    else if (b->waiting > 0)
        rr_vec_push(&b->overdue, r.node);
    else
        rr_sim_node_release(s, r.pool, r.node);
}

// --- what autoscalers want ---

void rr_sim_look_at(struct rr_sim *s, size_t pool, int64_t at_us)
{
    if (at_us == RR_NEVER) return;
    const uint32_t slot = rr_slot_new(s);
    s->slot.at[slot] = (struct rr_slot){.pool = (uint16_t)pool, .live = RR_LIVE_LOOK};
    rr_sim_push(s, at_us, RR_EV_TIMER, slot);
    s->n_wakes++;
}

void rr_elastic_wake(struct rr_sim *s, size_t pool, int64_t at_us)
{
    if (at_us == RR_NEVER) return;
    const uint32_t slot = rr_slot_new(s);
    s->slot.at[slot] = (struct rr_slot){.pool = (uint16_t)pool, .job = 1, .live = RR_LIVE_LOOK};
    rr_sim_push(s, at_us, RR_EV_TIMER, slot);
    s->n_wakes++;
}

void rr_elastic_look(struct rr_sim *s, uint32_t slot)
{
    const size_t pool = s->slot.at[slot].pool;
    const bool alone = s->slot.at[slot].job == 1;
    rr_slot_free(s, slot);
    s->n_wakes--;
    if (alone) { // policies shall look at all that waits
        rr_sim_freed(s, pool);
        return;
    }
    s->books[pool].scaler->look(s->books[pool].scaler_state, s, pool);
}

void rr_sim_want(struct rr_sim *s, size_t pool, int64_t nodes)
{
    struct rr_books *b = &s->books[pool];
    const int64_t want = nodes < b->min ? b->min : nodes > b->max ? b->max : nodes;
    b->unsettled |= want != b->want;
    b->want = want;
}

int64_t rr_sim_staying(const struct rr_sim *s, size_t pool) { return s->books[pool].held - (int64_t)s->books[pool].draining.n; }

// Let go of the drained nodes that have become free, and forget those that are gone or were opened by others.
static void finish_draining(struct rr_sim *s, size_t pool)
{
    struct rr_books *b = &s->books[pool];
    size_t kept = 0;
    for (size_t i = 0; i < b->draining.n; i++) {
        const uint32_t node = b->draining.at[i];
        if (!rr_sim_node_is_held(s, pool, node) || !rr_sim_node_is_closed(s, pool, node)) continue;
        if (s->pool[pool].node[node].jobs > 0)
            b->draining.at[kept++] = node;
        else
            rr_sim_node_release(s, pool, node);
    }
    b->draining.n = kept;
}

// How well the node may go: booting before idle, idle before few jobs; -1: it may not. Ties: the highest number goes first.
static int64_t cost_of_leaving(struct rr_sim *s, size_t pool, uint32_t node)
{
    if (!rr_sim_node_is_held(s, pool, node) || rr_sim_node_is_closed(s, pool, node)) return -1;
    if (rr_sim_node_boots(s, pool, node)) return 0;
    const uint32_t jobs = s->pool[pool].node[node].jobs;
    return jobs == 0 ? 1 : s->books[pool].drains ? 1 + (int64_t)jobs : -1;
}

static uint32_t next_to_leave(struct rr_sim *s, size_t pool)
{
    uint32_t best = RR_NO_NODE;
    int64_t least = INT64_MAX;
    for (uint32_t node = s->pool[pool].n_nodes; node-- > (uint32_t)s->books[pool].min && least > 0;) {
        const int64_t cost = cost_of_leaving(s, pool, node);
        if (cost < 0 || cost >= least) continue;
        best = node;
        least = cost;
    }
    return best;
}

static bool shrink(struct rr_sim *s, size_t pool)
{
    const uint32_t node = next_to_leave(s, pool);
    if (node == RR_NO_NODE) return false;
    rr_sim_freed(s, pool); // what was promised on it is void
    if (s->pool[pool].node[node].jobs == 0) {
        rr_sim_node_release(s, pool, node);
    } else {
        rr_sim_node_drain(s, pool, node);
        rr_vec_push(&s->books[pool].draining, node);
    }
    return true;
}

// The nodes drained last are the first to stay.
static bool grow(struct rr_sim *s, size_t pool)
{
    struct rr_books *b = &s->books[pool];
    if (b->draining.n == 0) return rr_sim_node_request(s, pool) != RR_NO_NODE;
    rr_sim_node_back(s, pool, b->draining.at[--b->draining.n]);
    if (s->level.queue > 0) rr_elastic_wake(s, pool, s->now_us); // the pass of this instant is over
    return true;
}

static void follow(struct rr_sim *s, size_t pool)
{
    struct rr_books *b = &s->books[pool];
    if (b->draining.n) finish_draining(s, pool);
    while (rr_sim_staying(s, pool) < b->want && grow(s, pool)) {}
    if (!b->unsettled) return;
    while (rr_sim_staying(s, pool) > b->want && shrink(s, pool)) {}
    b->unsettled = false;
}

static void settle(struct rr_sim *s, size_t pool)
{
    struct rr_books *b = &s->books[pool];
    if (b->want >= 0) {
        follow(s, pool);
        return;
    }
    for (size_t i = 0; i < b->touched.n; i++) arm(s, pool, b->touched.at[i]);
    b->touched.n = 0;
    if (b->waiting > 0) return;
    for (size_t i = 0; i < b->overdue.n; i++) {
        const struct idle *d = &b->idle.at[b->overdue.at[i]];
        if (d->since_us == RR_NEVER || d->armed) continue;
        if (leaves_at(s, pool, b->overdue.at[i]) <= s->now_us)
            rr_sim_node_release(s, pool, b->overdue.at[i]);
        else
            arm(s, pool, b->overdue.at[i]);
    }
    b->overdue.n = 0;
}

void rr_elastic_settle(struct rr_sim *s)
{
    for (size_t i = 0; i < s->n_pools; i++)
        if (s->books[i].elastic) settle(s, i);
}

void rr_elastic_close(struct rr_sim *s, int64_t end_us)
{
    s->now_us = end_us;
    for (size_t i = 0; i < s->n_pools; i++) {
        rr_books_touch(s, i);
        for (size_t k = 0; k < s->pool[i].closed.n; k++) rr_node_touch(s, i, s->pool[i].closed.at[k].node);
    }
    for (size_t i = 0; i < s->lease.n; i++) {
        struct rr_lease *l = &s->lease.at[i];
        const struct rr_fleet_pool *p = &s->pool[l->pool];
        if (l->end_us == RR_NEVER) {
            l->end_us = end_us;
            l->used_milli_us = p->node[l->node].used_milli_us;
        }
        if (l->ready_us > l->end_us) l->ready_us = l->end_us;
        struct rr_pool_time *t = &s->books[l->pool].time;
        const int64_t milli = INT64_C(1000) * rr_node_kind_of(p, l->node)->gpus;
        t->held += (rr_i128)milli * (l->end_us - l->start_us);
        t->starting += (rr_i128)milli * (l->ready_us - l->start_us);
    }
}
