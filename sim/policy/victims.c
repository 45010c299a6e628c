/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/policy/victims.c - trees of ranks over nodes, and the choice among them. */
#include "sim/policy/victims.h"
#include <assert.h>

#define NONE INT64_MIN // the rank of what never gives way

void rr_victims_init(struct rr_victims *v, const struct rr_sim *s, rr_rank_fn rank, void *ctx, bool falls)
{
    *v = (struct rr_victims){.rank = rank, .ctx = ctx, .falls = falls, .n_pools = s->n_pools};
    v->tree = memset(rr_xrealloc(NULL, s->n_pools, sizeof *v->tree), 0, s->n_pools * sizeof *v->tree);
    // plain: lane g - 1 for g GPUs; else the largest and the least rank on the node
    for (size_t i = 0; i < s->n_pools; i++)
        v->tree[i].lanes = s->pool[i].plain ? (uint32_t)(s->pool[i].max_gpus + !s->pool[i].max_gpus) : 2;
}

void rr_victims_done(struct rr_victims *v)
{
    for (size_t i = 0; i < v->n_pools && v->tree; i++) free(v->tree[i].most);
    free(v->tree);
    rr_vec_done(&v->on);
    rr_vec_done(&v->gone);
    rr_vec_done(&v->hidden);
    v->tree = NULL;
}

// --- the tree ---

static int64_t *lanes_of(const struct rr_victim_tree *t, uint32_t k) { return t->most + (size_t)k * t->lanes; }

static void put_leaf(struct rr_victim_tree *t, uint32_t node, const int64_t *lane)
{
    const uint32_t n = t->lanes;
    uint32_t k = t->cap + node;
    memcpy(lanes_of(t, k), lane, n * sizeof *lane);
    for (k /= 2; k > 0; k /= 2) {
        const int64_t *a = lanes_of(t, 2 * k), *b = a + n;
        int64_t *to = lanes_of(t, k), changed = 0;
        for (uint32_t i = 0; i < n; i++) {
            const int64_t most = a[i] > b[i] ? a[i] : b[i];
            changed |= to[i] ^ most;
            to[i] = most;
        }
        if (!changed) return;
    }
}

static void widen(struct rr_victim_tree *t, uint32_t n_nodes)
{
    uint32_t cap = 1;
    while (cap < n_nodes) cap *= 2;
    int64_t *most = rr_xrealloc(NULL, 2 * (size_t)cap * t->lanes, sizeof *most), *old = t->most;
    for (size_t i = 0; i < 2 * (size_t)cap * t->lanes; i++) most[i] = NONE;
    if (old) memcpy(most + (size_t)cap * t->lanes, old + (size_t)t->cap * t->lanes, (size_t)t->cap * t->lanes * sizeof *most);
    free(old);
    t->most = most;
    t->cap = cap;
    for (uint32_t k = cap - 1; k > 0 && old; k--)
        for (uint32_t i = 0; i < t->lanes; i++) {
            const int64_t a = lanes_of(t, 2 * k)[i], b = lanes_of(t, 2 * k + 1)[i];
            lanes_of(t, k)[i] = a > b ? a : b;
        }
}

// --- one node ---

static int64_t rank_of(const struct rr_victims *v, struct rr_sim *s, uint32_t slot)
{
    const struct rr_slot *r = &s->slot.at[slot];
    if ((v->spares && r->start_us == s->now_us) || !rr_sim_interruptible(s, r->job)) return NONE;
    return v->rank(v->ctx, s, slot);
}

// GPUs that the job's end would free on one of its nodes.
static int32_t frees(const struct rr_fleet_pool *p, const struct rr_need *n) { return n->nodes > 1 ? p->max_gpus : n->whole; }

static bool goes_first(const struct rr_victim *a, const struct rr_victim *b)
{
    return a->rank != b->rank ? a->rank > b->rank : a->job > b->job;
}

// The jobs on the node into v->on; in a plain pool those that hold nothing are in nobody's way.
static void look_at(struct rr_victims *v, struct rr_sim *s, size_t pool, uint32_t node)
{
    const struct rr_fleet_pool *p = &s->pool[pool];
    v->on.n = 0;
    for (uint32_t slot = rr_sim_first_on(s, pool, node); slot != RR_NO_SLOT; slot = rr_sim_next_on(s, slot)) {
        const struct rr_slot *r = &s->slot.at[slot];
        const int32_t whole = frees(p, rr_need_of(&s->asks, r->ask, pool));
        if (p->plain && whole == 0) continue;
        const struct rr_victim x = {.rank = rank_of(v, s, slot), .job = r->job, .slot = slot, .whole = whole};
        rr_vec_push(&v->on, x);
        size_t i = v->on.n - 1;
        for (; i > 0 && goes_first(&x, &v->on.at[i - 1]); i--) v->on.at[i] = v->on.at[i - 1];
        v->on.at[i] = x;
    }
}

static void fill_lanes(const struct rr_victims *v, const struct rr_fleet_pool *p, int64_t *lane, uint32_t n_lanes)
{
    if (!p->plain) {
        lane[0] = v->on.n ? v->on.at[0].rank : NONE;
        lane[1] = v->on.n ? v->on.at[v->on.n - 1].rank : NONE;
        return;
    }
    int32_t held = 0;
    for (size_t i = 0; i < v->on.n; i++) held += v->on.at[i].whole;
    uint32_t g = 0;
    for (; g < n_lanes && (int32_t)g < p->max_gpus - held; g++) lane[g] = NONE; // free: nobody has to go
    for (size_t i = 0; i < v->on.n; i++)
        for (int32_t k = 0; k < v->on.at[i].whole && g < n_lanes; k++) lane[g++] = v->on.at[i].rank;
    for (; g < n_lanes; g++) lane[g] = NONE;
}

static void touch_node(struct rr_victims *v, struct rr_sim *s, size_t pool, uint32_t node)
{
    struct rr_victim_tree *t = &v->tree[pool];
    int64_t lane[64];
    assert(t->lanes <= 64);
    if (node >= t->cap) widen(t, s->pool[pool].cap_nodes > node ? s->pool[pool].cap_nodes : node + 1);
    look_at(v, s, pool, node);
    fill_lanes(v, &s->pool[pool], lane, t->lanes);
    put_leaf(t, node, lane);
}

void rr_victims_touch(struct rr_victims *v, struct rr_sim *s, uint32_t job)
{
    const struct rr_outcome *o = &s->outcome[job];
    const struct rr_fleet_pool *p = &s->pool[o->pool];
    const uint32_t first = o->node - s->node_base[o->pool];
    const struct rr_need *n = rr_need_of(&s->asks, rr_ask_of(&s->asks, job), o->pool);
    if (n->nodes == 1) {
        touch_node(v, s, o->pool, first);
        return;
    }
    for (uint32_t node = first; node != RR_NO_NODE; node = p->node[node].next) touch_node(v, s, o->pool, node);
}

// A closed node is nobody's room: out of the tree, until the next search.
static bool hide_closed(struct rr_victims *v, struct rr_sim *s, size_t pool, uint32_t node)
{
    struct rr_victim_tree *t = &v->tree[pool];
    if (s->pool[pool].node[node].group != RR_NO_GROUP) return false;
    int64_t lane[64];
    for (uint32_t i = 0; i < t->lanes; i++) lane[i] = NONE;
    put_leaf(t, node, lane);
    rr_vec_push(&v->hidden, (uint64_t)pool << 32 | node);
    return true;
}

static void show_hidden(struct rr_victims *v, struct rr_sim *s)
{
    for (size_t i = 0; i < v->hidden.n; i++) touch_node(v, s, (size_t)(v->hidden.at[i] >> 32), (uint32_t)v->hidden.at[i]);
    v->hidden.n = 0;
}

// The leaf is as it is now; false: it was not, and has been put right.
static bool is_right(struct rr_victims *v, struct rr_sim *s, size_t pool, uint32_t node, uint32_t lane)
{
    if (hide_closed(v, s, pool, node)) return false;
    if (!v->falls) return true;
    const struct rr_victim_tree *t = &v->tree[pool];
    const int64_t was = lanes_of(t, t->cap + node)[lane];
    touch_node(v, s, pool, node);
    return lanes_of(t, t->cap + node)[lane] == was;
}

// --- one node's room in a pool of any kind ---

static bool is_empty_kind(const struct rr_fleet_pool *p, uint32_t node, const struct rr_need *n)
{
    const struct rr_room r = rr_room_empty(p, p->kind_of ? p->kind_of[node] : 0);
    return rr_room_fits(p, &r, n);
}

// Wholly free for the engine: the jobs on it, if any, hold nothing that is counted.
static bool is_free(const struct rr_fleet_pool *p, uint32_t node)
{
    return p->node[node].group != RR_NO_GROUP && p->group.at[p->node[node].group].empty_nodes;
}

// Would there be room without the first `n_gone` jobs of v->on that do not stay?
static bool fits_without(const struct rr_victims *v, const struct rr_sim *s, size_t pool, uint32_t node, const struct rr_need *n,
                         size_t n_gone)
{
    const struct rr_fleet_pool *p = &s->pool[pool];
    struct rr_room r = p->group.at[p->node[node].group].room;
    uint16_t device[64];
    if (p->device) memcpy(device, p->device + (size_t)node * (size_t)p->max_gpus, (size_t)p->max_gpus * sizeof *device);
    for (size_t i = 0; i < n_gone; i++) {
        const struct rr_victim *x = &v->on.at[i];
        if (x->stays) continue;
        if (p->plain)
            r.whole += x->whole;
        else
            rr_room_give(p, &r, p->device ? device : NULL, rr_need_of(&s->asks, s->slot.at[x->slot].ask, pool),
                         s->slot.at[x->slot].devices);
    }
    return p->plain ? r.whole >= n->whole : rr_room_fits(p, &r, n);
}

// How many of v->on, from the front and of a rank above `above`, make room when they go; 0: not enough.
static size_t enough(const struct rr_victims *v, const struct rr_sim *s, size_t pool, uint32_t node, const struct rr_need *n, int64_t above)
{
    for (size_t k = 1; k <= v->on.n && v->on.at[k - 1].rank > above; k++)
        if (fits_without(v, s, pool, node, n, k)) return k;
    return 0;
}

// The first n of v->on that do not stay; each interruption looks at nodes anew.
static void interrupt(struct rr_victims *v, struct rr_sim *s, size_t n)
{
    v->gone.n = 0;
    for (size_t i = 0; i < n; i++)
        if (!v->on.at[i].stays) rr_vec_push(&v->gone, v->on.at[i].job);
    for (size_t i = 0; i < v->gone.n; i++) rr_sim_preempt(s, v->gone.at[i], RR_WHY_PREEMPTED);
}

static void clear_node(struct rr_victims *v, struct rr_sim *s, size_t pool, uint32_t node, const struct rr_need *n, int64_t above)
{
    look_at(v, s, pool, node);
    const size_t k = enough(v, s, pool, node, n, above);
    assert(k > 0);
    for (size_t i = k; i-- > 0;) { // the last one is needed; of the others those stay that turn out not to be in the way
        v->on.at[i].stays = true;
        v->on.at[i].stays = fits_without(v, s, pool, node, n, k);
    }
    interrupt(v, s, k);
}

// --- searches ---

// The node with the largest number in the lane, above `above`, lowest node of equal ones.
static uint32_t top(struct rr_victims *v, struct rr_sim *s, size_t pool, uint32_t lane, int64_t above)
{
    const struct rr_victim_tree *t = &v->tree[pool];
    if (t->cap == 0) return RR_NO_NODE;
    for (;;) {
        const int64_t most = lanes_of(t, 1)[lane];
        if (most <= above) return RR_NO_NODE;
        uint32_t k = 1;
        while (k < t->cap) k = 2 * k + (lanes_of(t, 2 * k)[lane] != most);
        if (is_right(v, s, pool, k - t->cap, lane)) return k - t->cap;
    }
}

// Calls `take` for the nodes with more than *above in the lane, in order of their numbers, until it says stop; it may raise *above.
static void walk(struct rr_victims *v, struct rr_sim *s, size_t pool, uint32_t lane, int64_t *above,
                 bool (*take)(struct rr_victims *v, struct rr_sim *s, uint32_t node, void *ctx), void *ctx)
{
    const struct rr_victim_tree *t = &v->tree[pool];
    uint32_t stack[64], n = 0;
    if (t->cap) stack[n++] = 1;
    while (n > 0) {
        const uint32_t k = stack[--n];
        if (lanes_of(t, k)[lane] <= *above) continue;
        if (k < t->cap) {
            stack[n++] = 2 * k + 1;
            stack[n++] = 2 * k;
        } else if (is_right(v, s, pool, k - t->cap, lane) || lanes_of(t, k)[lane] > *above) {
            if (!take(v, s, k - t->cap, ctx)) return;
        }
    }
}

struct look {
    size_t pool;
    const struct rr_need *need;
    int64_t above;  // the own rank, and of the best node so far
    uint32_t node;  // the best so far
    int64_t wanted; // nodes still to be found
};

static bool better_node(struct rr_victims *v, struct rr_sim *s, uint32_t node, void *ctx)
{
    struct look *l = ctx;
    look_at(v, s, l->pool, node);
    const size_t k = enough(v, s, l->pool, node, l->need, l->above);
    if (k == 0) return true;
    l->above = v->on.at[k - 1].rank;
    l->node = node;
    return true;
}

static bool count_node(struct rr_victims *v, struct rr_sim *s, uint32_t node, void *ctx)
{
    (void)v;
    struct look *l = ctx;
    l->wanted -= is_empty_kind(&s->pool[l->pool], node, l->need) && !is_free(&s->pool[l->pool], node);
    return l->wanted > 0;
}

static bool best_whole(struct rr_victims *v, struct rr_sim *s, uint32_t node, void *ctx)
{
    struct look *l = ctx;
    const struct rr_victim_tree *t = &v->tree[l->pool];
    if (!is_empty_kind(&s->pool[l->pool], node, l->need) || is_free(&s->pool[l->pool], node)) return true;
    l->above = lanes_of(t, t->cap + node)[t->lanes - 1];
    l->node = node;
    return true;
}

static bool on_one_node(struct rr_victims *v, struct rr_sim *s, size_t pool, const struct rr_need *n, int64_t above)
{
    struct look l = {.pool = pool, .need = n, .above = above, .node = RR_NO_NODE};
    if (s->pool[pool].plain)
        l.node = n->whole > 0 ? top(v, s, pool, (uint32_t)n->whole - 1, above) : RR_NO_NODE;
    else
        walk(v, s, pool, 0, &l.above, better_node, &l);
    if (l.node == RR_NO_NODE) return false;
    clear_node(v, s, pool, l.node, n, above);
    return true;
}

static bool on_many_nodes(struct rr_victims *v, struct rr_sim *s, size_t pool, const struct rr_need *n, int64_t above)
{
    const uint32_t lane = v->tree[pool].lanes - 1;
    struct look l = {.pool = pool, .need = n, .above = above, .wanted = n->nodes - rr_fleet_count_empty(&s->pool[pool], n)};
    if (l.wanted > 0) walk(v, s, pool, lane, &l.above, count_node, &l);
    if (l.wanted > 0) return false;
    while (rr_fleet_find(&s->pool[pool], n) == RR_NO_NODE) {
        l = (struct look){.pool = pool, .need = n, .above = above, .node = RR_NO_NODE};
        if (s->pool[pool].plain)
            l.node = top(v, s, pool, lane, above);
        else
            walk(v, s, pool, lane, &l.above, best_whole, &l);
        assert(l.node != RR_NO_NODE);
        look_at(v, s, pool, l.node);
        interrupt(v, s, v->on.n);
    }
    return true;
}

bool rr_victims_make_room(struct rr_victims *v, struct rr_sim *s, uint32_t ask, int64_t above, const bool *held_up)
{
    if (v->hidden.n) show_hidden(v, s);
    for (size_t i = 0; i < s->n_pools; i++) {
        const struct rr_need *n = rr_need_of(&s->asks, ask, i);
        if (n->nodes == 0 || (held_up && held_up[i]) || s->world->scenario->pool[i].spill_after_us > 0)
            continue; // a job that spills interrupts none
        if ((n->nodes == 1 ? on_one_node : on_many_nodes)(v, s, i, n, above)) return true;
    }
    return false;
}
