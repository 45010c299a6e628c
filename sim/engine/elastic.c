/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/engine/elastic.c - nodes come and go: leases, boots, idle timeouts, and how many nodes the queue needs.
 *
 * Static pools hold their nodes from 0 to the end, elastic ones nodes 0 .. min - 1. Growth looks at the whole queue: the asks, largest first,
 * are laid over the room of ready nodes, then of booting ones; what is left over is laid on new nodes, as far as `max` allows. An idle node is
 * released idle_timeout after its last job, but not while a job waits that could run in the pool: the wait may be for this very node and others. */
#include "sim/engine/sim.h"
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

enum rr_status rr_elastic_init(struct rr_sim *s)
{
    for (size_t i = 0; i < s->n_pools; i++) {
        const struct rr_pool *from = &s->world->scenario->pool[i];
        struct rr_books *b = &s->books[i];
        *b = (struct rr_books){.min = from->nodes_min,
                               .max = from->nodes_max,
                               .limit = from->nodes_max,
                               .boot_us = from->boot_us,
                               .idle_timeout_us = from->idle_timeout_us,
                               .elastic = from->nodes_max > from->nodes_min ||
                                          from->reclaimable}; // a fixed number of spot nodes comes and goes too
        if (from->nodes_max < from->nodes_min)
            return rr_fail(RR_EINPUT, "%s/nodes: max %lld is below min %lld", from->pointer, (long long)b->max, (long long)b->min);
        if (b->elastic && from->n_shapes != 1)
            return rr_fail(RR_EINPUT, "%s/nodes: nodes from a file are all held; min and max must be their number", from->pointer);
        s->any_elastic |= b->elastic;
        cover_nodes(s, i, (uint32_t)b->min);
        for (uint32_t n = 0; n < (uint32_t)b->min; n++) {
            if (b->elastic) rr_nodeset_remove(&b->off, n);
            hold(s, i, n, s->now_us);
            rr_fleet_ready(&s->pool[i], n);
        }
    }
    return RR_OK;
}

// --- growth ---

struct bin { // `count` nodes with this room
    struct rr_room room;
    int64_t count;
    bool empty;
};
struct plan {
    RR_VEC(struct bin) bin;
    RR_VEC(uint32_t) ask; // that wait, largest first
    RR_VEC(int64_t) left; // [ask.n] jobs without a place yet
};

// How many jobs of this need one node with this room takes; shares of devices are counted low, but never 0 when one fits.
static int64_t per_node(const struct rr_fleet_pool *p, const struct bin *b, const struct rr_need *n)
{
    if (!rr_room_fits(p, &b->room, n)) return 0;
    int64_t k = INT32_MAX;
    if (n->whole) k = b->room.whole / n->whole;
    if (n->part) k = (int64_t)b->room.whole * (1000 / n->part) + b->room.part / n->part;
    if (n->cpus_milli && b->room.cpus_milli != INT32_MAX && b->room.cpus_milli / n->cpus_milli < k) k = b->room.cpus_milli / n->cpus_milli;
    if (n->memory_mib && b->room.memory_mib != INT32_MAX && b->room.memory_mib / n->memory_mib < k) k = b->room.memory_mib / n->memory_mib;
    return k > 0 ? k : 1;
}

static struct rr_room room_less(const struct bin *b, const struct rr_need *n, int64_t jobs)
{
    struct rr_room r = b->room;
    r.whole -= (int32_t)(n->whole * jobs);
    if (n->part && r.part >= n->part * jobs) {
        r.part -= (int32_t)(n->part * jobs);
    } else if (n->part) {
        const int64_t a_device = 1000 / n->part;
        r.whole -= (int32_t)((jobs + a_device - 1) / a_device);
        if (r.whole < 0) r.whole = 0;
        r.part = 0;
    }
    if (r.cpus_milli != INT32_MAX) r.cpus_milli -= (int32_t)(n->cpus_milli * jobs);
    if (r.memory_mib != INT32_MAX) r.memory_mib -= (int32_t)(n->memory_mib * jobs);
    return r;
}

// Lay up to `jobs` one-node jobs on bin i; what they leave of the nodes becomes bins of its own. Returns how many found a place.
static int64_t lay(const struct rr_fleet_pool *p, struct plan *plan, size_t i, const struct rr_need *n, int64_t jobs)
{
    const struct bin b = plan->bin.at[i];
    const int64_t k = b.count > 0 ? per_node(p, &b, n) : 0;
    if (k == 0) return 0;
    const int64_t fit = jobs / k < b.count ? jobs : b.count * k;
    const int64_t full = fit / k, rest = fit % k;
    plan->bin.at[i].count -= full + (rest > 0);
    if (full) rr_vec_push(&plan->bin, ((struct bin){.room = room_less(&b, n, k), .count = full}));
    if (rest) rr_vec_push(&plan->bin, ((struct bin){.room = room_less(&b, n, rest), .count = 1}));
    return fit;
}

// Take up to `nodes` wholly free nodes out of the bins; with `dry`, only count them.
static int64_t take_empty(const struct rr_fleet_pool *p, struct plan *plan, const struct rr_need *n, int64_t nodes, bool dry)
{
    int64_t got = 0;
    for (size_t i = 0; i < plan->bin.n && got < nodes; i++) {
        struct bin *b = &plan->bin.at[i];
        if (!b->empty || !rr_room_fits(p, &b->room, n)) continue;
        const int64_t k = b->count < nodes - got ? b->count : nodes - got;
        if (!dry) b->count -= k;
        got += k;
    }
    return got;
}

// Find places for `jobs` jobs of this need; returns how many new nodes that takes, at most `most`.
static int64_t place_multi(const struct rr_fleet_pool *p, struct plan *plan, const struct rr_need *n, int64_t *jobs, int64_t most)
{
    const int64_t want = *jobs * n->nodes, have = take_empty(p, plan, n, want, true);
    const int64_t more = want - have < most ? want - have : most;
    if (more > 0) rr_vec_push(&plan->bin, ((struct bin){rr_room_empty(p, 0), more, true}));
    const int64_t placed = (have + more) / n->nodes;
    take_empty(p, plan, n, placed * n->nodes, false);
    *jobs -= placed;
    return more;
}

static int64_t place_single(const struct rr_fleet_pool *p, struct plan *plan, const struct rr_need *n, int64_t *jobs, int64_t most)
{
    const size_t old = plan->bin.n;
    for (size_t i = 0; i<old && * jobs> 0; i++) *jobs -= lay(p, plan, i, n, *jobs);
    if (*jobs == 0 || most == 0) return 0;
    const struct bin fresh = {rr_room_empty(p, 0), most, true};
    const int64_t k = per_node(p, &fresh, n), nodes = (*jobs + k - 1) / k;
    const int64_t more = nodes < most ? nodes : most;
    rr_vec_push(&plan->bin, ((struct bin){fresh.room, more, true}));
    *jobs -= lay(p, plan, plan->bin.n - 1, n, *jobs);
    return more;
}

static int compare_asks(const void *a, const void *b, void *ctx)
{
    const struct rr_asks *asks = ctx;
    const uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    const struct rr_ask *x = &asks->ask.at[i], *y = &asks->ask.at[j];
    if (x->gpus_milli != y->gpus_milli) return x->gpus_milli > y->gpus_milli ? -1 : 1;
    if (x->cpus_milli != y->cpus_milli) return x->cpus_milli > y->cpus_milli ? -1 : 1;
    return i < j ? -1 : i > j;
}

static void plan_init(struct rr_sim *s, struct plan *plan)
{
    for (size_t i = 0; i < s->asks.busy.n; i++) rr_vec_push(&plan->ask, s->asks.busy.at[i]);
    qsort_r(plan->ask.at, plan->ask.n, sizeof *plan->ask.at, compare_asks, &s->asks);
    for (size_t i = 0; i < plan->ask.n; i++) rr_vec_push(&plan->left, (int64_t)s->asks.ask.at[plan->ask.at[i]].waiting);
}

// The rooms that the pool has or will have without asking for more.
static void plan_bins(const struct rr_sim *s, size_t pool, struct plan *plan)
{
    const struct rr_fleet_pool *p = &s->pool[pool];
    plan->bin.n = 0;
    for (size_t i = 0; i < p->order.n; i++) {
        const struct rr_group *g = &p->group.at[p->order.at[i]];
        if (g->set.count) rr_vec_push(&plan->bin, ((struct bin){g->room, g->set.count, g->empty_nodes}));
    }
    if (s->books[pool].starting) rr_vec_push(&plan->bin, ((struct bin){rr_room_empty(p, 0), s->books[pool].starting, true}));
}

// Lay the jobs that are left on the pool's nodes; returns how many new ones they need.
static int64_t plan_pool(struct rr_sim *s, size_t pool, struct plan *plan)
{
    const struct rr_fleet_pool *p = &s->pool[pool];
    const struct rr_books *b = &s->books[pool];
    const int64_t most = b->elastic && b->held < b->limit ? b->limit - b->held : 0;
    int64_t asked = 0;
    plan_bins(s, pool, plan);
    for (size_t a = 0; a < plan->ask.n; a++) {
        const struct rr_need *n = rr_need_of(&s->asks, plan->ask.at[a], pool);
        if (n->nodes == 0 || plan->left.at[a] == 0) continue;
        asked += (n->nodes > 1 ? place_multi : place_single)(p, plan, n, &plan->left.at[a], most - asked);
    }
    return asked;
}

uint32_t rr_sim_node_request(struct rr_sim *s, size_t pool)
{
    struct rr_books *b = &s->books[pool];
    if (!b->elastic || b->held >= b->limit) return RR_NO_NODE;
    if (b->off.count == 0) cover_nodes(s, pool, s->pool[pool].n_nodes + 1);
    const uint32_t node = rr_nodeset_lowest(&b->off);
    rr_nodeset_remove(&b->off, node);
    const int64_t ready = rr_add_us(s->now_us, b->boot_us);
    hold(s, pool, node, ready);
    b->starting++;
    const uint32_t slot = rr_slot_new(s);
    s->slot.at[slot] =
        (struct rr_slot){.start_us = s->now_us, .expected_us = ready, .node = node, .pool = (uint16_t)pool, .live = RR_LIVE_BOOT};
    rr_sim_push(s, ready, RR_EV_READY, slot);
    s->n_boots++;
    if (s->expected) rr_expected_add(&s->expected[pool], ready, slot);
    s->freed++; // what is expected has changed
    return node;
}

static bool can_grow(const struct rr_sim *s)
{
    for (size_t i = 0; i < s->n_pools; i++)
        if (s->books[i].elastic && s->books[i].waiting > 0 && s->books[i].held < s->books[i].limit) return true;
    return false;
}

void rr_sim_grow(struct rr_sim *s)
{
    if (!s->any_elastic || s->level.queue == 0 || !can_grow(s)) return;
    struct plan plan = {0};
    plan_init(s, &plan);
    for (size_t i = 0; i < s->n_pools; i++)
        for (int64_t n = plan_pool(s, i, &plan); n > 0; n--) rr_sim_node_request(s, i);
    rr_vec_done(&plan.bin);
    rr_vec_done(&plan.ask);
    rr_vec_done(&plan.left);
}

void rr_elastic_boot_done(struct rr_sim *s, uint32_t slot)
{
    const struct rr_slot r = s->slot.at[slot];
    rr_books_touch(s, r.pool);
    rr_fleet_ready(&s->pool[r.pool], r.node);
    s->books[r.pool].starting--;
    s->n_boots--;
    if (s->expected) rr_expected_remove(&s->expected[r.pool], r.expected_us, slot);
    rr_slot_free(s, slot);
    s->freed++;
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
    s->freed++;
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
    b->idle.at[node].since_us = s->now_us;
    rr_vec_push(&b->touched, node);
}

static void arm(struct rr_sim *s, size_t pool, uint32_t node)
{
    struct idle *i = &s->books[pool].idle.at[node];
    if (i->since_us == RR_NEVER || i->armed) return;
    const int64_t at = rr_add_us(i->since_us, s->books[pool].idle_timeout_us);
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
    if (rr_add_us(since, b->idle_timeout_us) > s->now_us)
        arm(s, r.pool, r.node); // it was busy in between
    else if (b->waiting > 0)
        rr_vec_push(&b->overdue, r.node);
    else
        rr_sim_node_release(s, r.pool, r.node);
}

static void settle(struct rr_sim *s, size_t pool)
{
    struct rr_books *b = &s->books[pool];
    for (size_t i = 0; i < b->touched.n; i++) arm(s, pool, b->touched.at[i]);
    b->touched.n = 0;
    if (b->waiting > 0) return;
    for (size_t i = 0; i < b->overdue.n; i++) {
        const struct idle *d = &b->idle.at[b->overdue.at[i]];
        if (d->since_us == RR_NEVER || d->armed) continue;
        if (rr_add_us(d->since_us, b->idle_timeout_us) <= s->now_us)
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
