/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/engine/reserve.c - a reservation on nodes, and what may start without delaying it.
 *
 * The first job that cannot start needs n nodes with room q. If all that runs lasts as long as expected (a job that outran its estimate: until
 * now), nodes gain that room one after another; at_us is when the n-th has it. All nodes that have it by then are candidates, and `spare` is
 * how many there are beyond n. A job that is expected to end by at_us delays nothing. Any other may take room that candidates do not need
 * to stay candidates, and as many candidates as there are spare. So n candidates are always left, though not always the same: jobs are
 * promised nodes and a time, and a node may be exchanged for another that is ready by then. On one-GPU nodes this is EASY's count of
 * processors (Lifka 1995; Mu'alem and Feitelson 2001). */
#include "sim/engine/attempt.h"

void rr_hold_done(struct rr_hold *h, size_t n_pools)
{
    for (size_t i = 0; h->ahead && i < n_pools; i++) {
        free(h->ahead[i].then);
        free(h->ahead[i].device);
    }
    free(h->ahead);
    h->ahead = NULL;
}

// --- the room that a node will have ---

static void cover(struct rr_ahead *a, const struct rr_fleet_pool *p)
{
    if (a->cap >= p->n_nodes) return;
    a->then = rr_xrealloc(a->then, p->cap_nodes, sizeof *a->then);
    for (uint32_t i = a->cap; i < p->cap_nodes; i++) a->then[i].stamp = 0;
    if (p->device) a->device = rr_xrealloc(a->device, (size_t)p->cap_nodes * (size_t)p->max_gpus, sizeof *a->device);
    a->cap = p->cap_nodes;
}

static bool is_closed(const struct rr_fleet_pool *p, uint32_t node) { return p->node[node].group == RR_NO_GROUP; } // of a node with jobs

static struct rr_room room_now(const struct rr_fleet_pool *p, uint32_t node) { return p->group.at[p->node[node].group].room; }

static uint16_t *ahead_device(const struct rr_hold *h, size_t pool, const struct rr_fleet_pool *p, uint32_t node)
{
    return p->device ? h->ahead[pool].device + (size_t)node * (size_t)p->max_gpus : NULL;
}

// Keep the node's present room as its room ahead, unless one is kept already.
static struct rr_room *look_ahead(struct rr_hold *h, size_t pool, const struct rr_fleet_pool *p, uint32_t node)
{
    struct rr_then *t = &h->ahead[pool].then[node];
    if (t->stamp == h->stamp) return &t->room;
    t->stamp = h->stamp;
    t->room = room_now(p, node);
    if (p->device)
        memcpy(ahead_device(h, pool, p, node), p->device + (size_t)node * (size_t)p->max_gpus, (size_t)p->max_gpus * sizeof *p->device);
    return &t->room;
}

static bool is_empty(const struct rr_fleet_pool *p, const struct rr_room *r)
{
    const struct rr_room *e = &p->kind.at[r->kind].empty;
    return r->free_milli == e->free_milli && r->cpus_milli == e->cpus_milli && r->memory_mib == e->memory_mib;
}

static bool could(const struct rr_fleet_pool *p, const struct rr_room *r, const struct rr_need *n)
{
    if (p->plain) return r->whole >= (n->nodes > 1 ? p->max_gpus : n->whole);
    return rr_room_fits(p, r, n) && (n->nodes == 1 || is_empty(p, r));
}

static bool is_candidate(const struct rr_hold *h, size_t pool, const struct rr_fleet_pool *p, const struct rr_need *n, uint32_t node)
{
    const struct rr_then *t = &h->ahead[pool].then[node];
    return could(p, t->stamp == h->stamp ? &t->room : &p->group.at[p->node[node].group].room, n);
}

// --- reserving ---

static bool kind_could(const struct rr_fleet_pool *p, uint32_t node, const struct rr_need *n)
{
    const struct rr_room r = rr_room_empty(p, p->kind_of ? p->kind_of[node] : 0);
    return rr_room_fits(p, &r, n);
}

// Candidates gained when this slot is over.
static int64_t gained(struct rr_sim *s, const struct rr_slot *r, const struct rr_need *n)
{
    const struct rr_fleet_pool *p = &s->pool[r->pool];
    if (r->live == RR_LIVE_BOOT) return kind_could(p, r->node, n);
    const struct rr_need *held = rr_need_of(&s->asks, r->ask, r->pool);
    if (held->nodes > 1 || (p->plain && held->whole == p->max_gpus)) { // held as a whole: nobody asks for these nodes before they are free
        if (!p->kind_of && !p->closed.n) return kind_could(p, r->node, n) ? held->nodes : 0;
        int64_t count = 0;
        for (uint32_t node = r->node; node != RR_NO_NODE; node = held->nodes > 1 ? p->node[node].next : RR_NO_NODE)
            count += !is_closed(p, node) && kind_could(p, node, n);
        return count;
    }
    if (is_closed(p, r->node)) return 0;
    struct rr_room *room = look_ahead(&s->hold, r->pool, p, r->node);
    const bool was = could(p, room, n);
    rr_room_give(p, room, ahead_device(&s->hold, r->pool, p, r->node), held, r->devices);
    return !was && could(p, room, n);
}

// When the pool can keep the promise; RR_NEVER if not by what is expected. *spare is counted at that time, all ends then included.
static int64_t ready_time(struct rr_sim *s, size_t pool, const struct rr_need *n, int64_t *spare)
{
    const struct rr_expected *e = &s->expected[pool];
    int64_t have = n->nodes > 1 ? rr_fleet_count_empty(&s->pool[pool], n) : 0, at_us = RR_NEVER;
    for (size_t b = 0; b < e->block.n; b++) {
        const struct rr_due_block *block = e->block.at[b];
        for (uint32_t i = block->first; i < block->first + block->n; i++) {
            const int64_t t = block->due[i].at_us > s->now_us ? block->due[i].at_us : s->now_us;
            if (at_us != RR_NEVER && t > at_us) goto out;
            if (t == RR_NEVER) goto out;
            have += gained(s, &s->slot.at[block->due[i].run], n);
            if (have >= n->nodes) at_us = t;
        }
    }
out:
    *spare = have - n->nodes;
    return at_us;
}

void rr_sim_reserve(struct rr_sim *s, uint32_t ask)
{
    struct rr_hold *h = &s->hold;
    if (!h->ahead) h->ahead = memset(rr_xrealloc(NULL, s->n_pools, sizeof *h->ahead), 0, s->n_pools * sizeof *h->ahead);
    if (++h->stamp == 0) { // a stamp of the past must not look like one of now
        for (size_t i = 0; i < s->n_pools; i++)
            for (uint32_t k = 0; k < h->ahead[i].cap; k++) h->ahead[i].then[k].stamp = 0;
        h->stamp = 1;
    }
    h->ask = ask;
    h->freed = s->freed;
    h->at_us = RR_NEVER;
    h->pool = 0;
    h->spare = 0;
    for (size_t i = 0; i < s->n_pools; i++) {
        const struct rr_need *n = rr_need_of(&s->asks, ask, i);
        if (n->nodes == 0 || !rr_sim_ask_may(s, i, ask)) continue;
        cover(&h->ahead[i], &s->pool[i]);
        int64_t spare;
        const int64_t at_us = ready_time(s, i, n, &spare);
        if (at_us >= h->at_us) continue;
        h->at_us = at_us;
        h->pool = i;
        h->spare = spare;
    }
}

// --- starting behind it ---

struct behind {
    struct rr_sim *s;
    const struct rr_need *held, *mine;
};

// The node stays a candidate, or is none.
static bool leaves_room(void *ctx, uint32_t node)
{
    const struct behind *b = ctx;
    const size_t pool = b->s->hold.pool;
    const struct rr_fleet_pool *p = &b->s->pool[pool];
    if (!is_candidate(&b->s->hold, pool, p, b->held, node)) return true;
    const struct rr_ahead *a = &b->s->hold.ahead[pool];
    const bool kept = a->then[node].stamp == b->s->hold.stamp;
    struct rr_room now = room_now(p, node), then = kept ? a->then[node].room : now;
    if (p->plain) return then.whole - b->mine->whole >= (b->held->nodes > 1 ? p->max_gpus : b->held->whole);
    uint16_t device_now[64], device_then[64];
    const size_t at = (size_t)node * (size_t)p->max_gpus, bytes = (size_t)p->max_gpus * sizeof *p->device;
    if (p->device) {
        memcpy(device_now, p->device + at, bytes);
        memcpy(device_then, (kept ? a->device : p->device) + at, bytes);
    }
    uint64_t devices;
    rr_room_take(p, &now, p->device ? device_now : NULL, b->mine, &devices);
    rr_room_take_at(p, &then, p->device ? device_then : NULL, b->mine, devices);
    return could(p, &then, b->held);
}

// A wholly free node that `mine` could take is a candidate of the reservation.
static bool empties_are_held(const struct rr_fleet_pool *p, const struct rr_need *held, const struct rr_need *mine)
{
    for (size_t i = 0; i < p->order.n; i++) {
        const struct rr_group *g = &p->group.at[p->order.at[i]];
        if (g->empty_nodes && g->set.count && rr_room_fits(p, &g->room, mine) && could(p, &g->room, held)) return true;
    }
    return false;
}

// A place for a job that will run past the reservation's time; false when any would delay it.
static bool seek_long(struct rr_sim *s, struct behind *b, struct rr_seek *seek)
{
    struct rr_fleet_pool *p = &s->pool[s->hold.pool];
    const struct rr_need *n = seek->need;
    *b = (struct behind){s, rr_need_of(&s->asks, s->hold.ask, s->hold.pool), n};
    if (n->nodes > 1) return s->hold.spare >= n->nodes || !empties_are_held(p, b->held, n);
    if (s->hold.spare > 0) return true;
    seek->allow = leaves_room;
    seek->ctx = b;
    return true;
}

static bool fits_long(struct rr_sim *s, const struct rr_need *n)
{
    struct rr_fleet_pool *p = &s->pool[s->hold.pool];
    struct behind b;
    struct rr_seek seek = {.need = n};
    if (!seek_long(s, &b, &seek)) return false;
    return (seek.allow ? rr_fleet_find_where(p, n, seek.allow, seek.ctx) : rr_fleet_find(p, n)) != RR_NO_NODE;
}

int64_t rr_sim_within(struct rr_sim *s, uint32_t ask)
{
    int64_t within = -1;
    for (size_t i = 0; i < s->n_pools; i++) {
        const struct rr_need *n = rr_need_of(&s->asks, ask, i);
        if (n->nodes == 0 || !rr_sim_ask_may(s, i, ask) || rr_fleet_find(&s->pool[i], n) == RR_NO_NODE) continue;
        if (i != s->hold.pool || s->hold.at_us == RR_NEVER || fits_long(s, n)) return RR_NEVER;
        within = rr_course_work(s->hold.at_us - s->now_us, n->slowest_ppm);
    }
    return within;
}

// Note what the job, about to start on `node`, leaves of the rooms ahead.
static void start_in_hold(struct rr_sim *s, uint32_t job, uint32_t ask, uint32_t node, bool past)
{
    struct rr_hold *h = &s->hold;
    const size_t pool = h->pool;
    const struct rr_fleet_pool *p = &s->pool[pool];
    const struct rr_need *held = rr_need_of(&s->asks, h->ask, pool), *mine = rr_need_of(&s->asks, ask, pool);
    if (p->plain && (mine->nodes > 1 || mine->whole == p->max_gpus)) { // as in gained()
        if (past && kind_could(p, node, held)) h->spare -= mine->nodes;
        rr_sim_begin(s, job, ask, pool, node);
        return;
    }
    if (mine->nodes == 1) {
        struct rr_room *r = look_ahead(h, pool, p, node);
        const bool was = could(p, r, held);
        const uint32_t slot = rr_sim_begin(s, job, ask, pool, node);
        if (past) rr_room_take_at(p, r, ahead_device(h, pool, p, node), mine, s->slot.at[slot].devices);
        h->spare -= was && !could(p, r, held);
        return;
    }
    rr_sim_begin(s, job, ask, pool, node);
    for (uint32_t d = node; d != RR_NO_NODE; d = p->node[d].next) {
        const struct rr_room empty = rr_room_empty(p, p->kind_of ? p->kind_of[d] : 0);
        h->ahead[pool].then[d] = (struct rr_then){h->stamp, past ? room_now(p, d) : empty};
        for (int32_t g = 0; p->device && g < empty.whole; g++) ahead_device(h, pool, p, d)[g] = past ? 0 : 1000;
        h->spare -= past && could(p, &empty, held);
    }
}

bool rr_sim_start_behind(struct rr_sim *s, uint32_t job, uint32_t ask)
{
    const int64_t estimate_us = rr_sim_estimate(s, job);
    for (size_t k = 0; k < s->n_pools; k++) {
        const size_t i = rr_sim_pool_at(s, k);
        const struct rr_need *n = rr_need_of(&s->asks, ask, i);
        if (n->nodes == 0 || !rr_sim_may(s, i, job)) continue;
        const int64_t end_us = rr_add_us(s->now_us, rr_course_wall(estimate_us, n->slowest_ppm));
        const bool held = i == s->hold.pool && s->hold.at_us != RR_NEVER, past = held && end_us > s->hold.at_us;
        struct behind b;
        struct rr_seek seek = {.need = n, .job = job};
        if (past && !seek_long(s, &b, &seek)) continue;
        const uint32_t node = rr_fleet_choose(&s->pool[i], &seek);
        if (node == RR_NO_NODE) continue;
        if (held)
            start_in_hold(s, job, ask, node, past);
        else
            rr_sim_begin(s, job, ask, i, node);
        return true;
    }
    return false;
}
