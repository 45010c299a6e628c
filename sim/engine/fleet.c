/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/engine/fleet.c - the groups of a pool: which room, which nodes, in which order they are tried. */
#include "sim/engine/fleet.h"
#include "sim/policy/placement.h"
#include <assert.h>
#include <strings.h>

#define MOST_NODES   (INT64_C(1) << 24)
#define MOST_SLICES  1000000
#define MOST_DEVICES 64 // of a node whose devices are shared: bits of a word

// --- the kinds of node ---

// A job names its GPU as the node does, or by any other name that the facts have for it.
static uint64_t types_of(const char *gpu, const struct rr_gpu *known, const struct rr_trace *t)
{
    if (!gpu || !*gpu) return ~UINT64_C(0);
    uint64_t types = 0;
    for (size_t i = 0; i < t->n_gpu_types && i < 64; i++)
        if (strcasecmp(gpu, t->gpu_type_name[i]) == 0 || (known && rr_gpu_fits(known, t->gpu_type_name[i]))) types |= UINT64_C(1) << i;
    return types;
}

static uint32_t kind_index(struct rr_fleet_pool *p, struct rr_node_kind k)
{
    for (uint32_t i = 0; i < p->kind.n; i++) {
        const struct rr_node_kind *o = &p->kind.at[i];
        if (o->gpus == k.gpus && o->cpus_milli == k.cpus_milli && o->memory_mib == k.memory_mib && o->gpu_types == k.gpu_types &&
            (!k.gpu || strcmp(o->gpu, k.gpu) == 0))
            return i;
    }
    k.empty = (struct rr_room){.whole = k.gpus,
                               .free_milli = k.gpus * 1000,
                               .cpus_milli = k.cpus_milli ? k.cpus_milli : INT32_MAX, // not counted: never short
                               .memory_mib = k.memory_mib ? k.memory_mib : INT32_MAX,
                               .kind = (uint32_t)p->kind.n};
    rr_vec_push(&p->kind, k);
    return (uint32_t)p->kind.n - 1;
}

static enum rr_status read_kinds(struct rr_fleet_pool *p, const struct rr_pool *from, const struct rr_trace *t, struct rr_demand d)
{
    if (from->n_shapes > 1) p->kind_of = rr_xrealloc(NULL, from->n_shapes, sizeof *p->kind_of);
    for (size_t i = 0; i < from->n_shapes; i++) {
        const struct rr_node_shape *s = &from->shape[i];
        if (s->gpus < 0 || s->gpus > MOST_SLICES / p->slices || (d.shares && s->gpus * p->slices > MOST_DEVICES))
            return rr_fail(RR_EINPUT, "%s: a node of %d GPUs%s: at most %d on a node whose GPUs are shared by jobs", from->pointer,
                           (int)s->gpus * p->slices, from->slice ? " (slices)" : "", MOST_DEVICES);
        const char *gpu = from->slice ? from->slice : s->gpu && *s->gpu ? s->gpu : from->gpu ? from->gpu : "";
        const struct rr_node_kind k = {.gpus = s->gpus * p->slices,
                                       .cpus_milli = d.cpus ? s->cpus_milli : 0,
                                       .memory_mib = d.memory ? s->memory_mib : 0,
                                       .gpu_types = types_of(gpu, from->slice ? NULL : s->known, t),
                                       .gpu = d.speeds ? gpu : NULL};
        const uint32_t index = kind_index(p, k);
        if (p->kind_of) p->kind_of[i] = index;
        if (k.gpus > p->max_gpus) p->max_gpus = k.gpus;
    }
    if (p->kind.n == 1) {
        free(p->kind_of);
        p->kind_of = NULL;
    }
    return RR_OK;
}

// --- groups ---

static struct rr_nodeset new_set(struct rr_fleet_pool *p)
{
    struct rr_nodeset s = {0};
    if (p->spare_set.n) s = p->spare_set.at[--p->spare_set.n];
    rr_nodeset_grow(&s, p->cap_nodes);
    return s;
}

static bool room_is(const struct rr_room *a, const struct rr_room *b)
{
    return a->whole == b->whole && a->part == b->part && a->free_milli == b->free_milli && a->cpus_milli == b->cpus_milli &&
           a->memory_mib == b->memory_mib && a->kind == b->kind;
}

static uint64_t room_hash(const struct rr_room *r)
{
    uint64_t h = (uint64_t)(uint32_t)r->whole << 32 | (uint32_t)r->part;
    h = (h ^ ((uint64_t)(uint32_t)r->cpus_milli << 32 | (uint32_t)r->memory_mib)) * UINT64_C(0x9E3779B97F4A7C15);
    h ^= h >> 29;
    h = (h ^ ((uint64_t)r->kind << 32 | (uint32_t)r->free_milli)) * UINT64_C(0xBF58476D1CE4E5B9);
    return h ^ h >> 32;
}

static struct rr_group make_group(const struct rr_fleet_pool *p, const struct rr_room *r)
{
    const struct rr_room empty = rr_room_empty(p, r->kind);
    return (struct rr_group){.room = *r, .rank = p->placement->rank(r), .empty_nodes = room_is(r, &empty)};
}

static void table_put(struct rr_fleet_pool *p, uint32_t g)
{
    uint32_t at = (uint32_t)room_hash(&p->group.at[g].room) & (p->table_cap - 1);
    while (p->table[at]) at = (at + 1) & (p->table_cap - 1);
    p->table[at] = g + 1;
    p->n_table++;
}

// Forget the groups without nodes when they are the greater part, else double: the table follows the rooms that exist, not all that ever were.
static void rebuild_table(struct rr_fleet_pool *p)
{
    const bool purge = p->n_empty > p->n_table / 2;
    if (!purge) p->table_cap = p->table_cap ? p->table_cap * 2 : 64;
    uint32_t *old = p->table;
    const uint32_t n = (uint32_t)p->group.n;
    p->table = memset(rr_xrealloc(NULL, p->table_cap, sizeof *p->table), 0, p->table_cap * sizeof *p->table);
    free(old);
    bool *unused = memset(rr_xrealloc(NULL, n + 1, sizeof *unused), 0, (n + 1) * sizeof *unused);
    for (size_t i = 0; i < p->spare.n; i++) unused[p->spare.at[i]] = true;
    p->n_table = 0;
    for (uint32_t g = 0; g < n; g++) {
        if (unused[g]) continue;
        if (purge && !p->group.at[g].listed)
            rr_vec_push(&p->spare, g);
        else
            table_put(p, g);
    }
    if (purge) p->n_empty = 0;
    free(unused);
}

static uint32_t group_of(struct rr_fleet_pool *p, const struct rr_room *r)
{
    if (p->plain) return (uint32_t)r->whole;
    if (p->n_table * 2 >= p->table_cap) rebuild_table(p);
    for (uint32_t at = (uint32_t)room_hash(r) & (p->table_cap - 1); p->table[at]; at = (at + 1) & (p->table_cap - 1))
        if (room_is(&p->group.at[p->table[at] - 1].room, r)) return p->table[at] - 1;
    uint32_t g = (uint32_t)p->group.n;
    if (p->spare.n)
        p->group.at[g = p->spare.at[--p->spare.n]] = make_group(p, r);
    else
        rr_vec_push(&p->group, make_group(p, r));
    p->n_empty++;
    table_put(p, g);
    return g;
}

static size_t order_at(const struct rr_fleet_pool *p, uint32_t g)
{
    const int64_t rank = p->group.at[g].rank;
    size_t low = 0, high = p->order.n;
    while (low < high) {
        const size_t mid = (low + high) / 2;
        const struct rr_group *m = &p->group.at[p->order.at[mid]];
        if (m->rank < rank || (m->rank == rank && p->order.at[mid] < g))
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static void list_group(struct rr_fleet_pool *p, uint32_t g)
{
    const size_t at = order_at(p, g);
    rr_vec_reserve(&p->order, p->order.n + 1);
    memmove(p->order.at + at + 1, p->order.at + at, (p->order.n - at) * sizeof *p->order.at);
    p->order.at[at] = g;
    p->order.n++;
    p->group.at[g].listed = true;
}

static void unlist_group(struct rr_fleet_pool *p, uint32_t g)
{
    const size_t at = order_at(p, g);
    assert(p->order.at[at] == g);
    p->order.n--;
    memmove(p->order.at + at, p->order.at + at + 1, (p->order.n - at) * sizeof *p->order.at);
    p->group.at[g].listed = false;
}

static void join(struct rr_fleet_pool *p, uint32_t node, uint32_t g)
{
    p->node[node].group = g;
    if (!p->plain && !p->group.at[g].listed) {
        p->group.at[g].set = new_set(p);
        list_group(p, g);
        p->n_empty--;
    }
    rr_nodeset_add(&p->group.at[g].set, node);
}

static void leave(struct rr_fleet_pool *p, uint32_t node)
{
    const uint32_t g = p->node[node].group;
    struct rr_group *group = &p->group.at[g];
    rr_nodeset_remove(&group->set, node);
    p->node[node].group = RR_NO_GROUP;
    if (p->plain || group->set.count) return;
    rr_vec_push(&p->spare_set, group->set);
    group->set = (struct rr_nodeset){0};
    unlist_group(p, g);
    p->n_empty++;
}

static void plain_groups(struct rr_fleet_pool *p)
{
    for (int32_t whole = 0; whole <= p->max_gpus; whole++) {
        struct rr_room r = rr_room_empty(p, 0);
        r.whole = whole;
        r.free_milli = whole * 1000;
        rr_vec_push(&p->group, make_group(p, &r));
        list_group(p, (uint32_t)whole);
    }
}

// --- life ---

enum rr_status rr_fleet_init(struct rr_fleet_pool *p, const struct rr_pool *from, const struct rr_trace *t, struct rr_demand d,
                             const struct rr_placement *placement)
{
    *p = (struct rr_fleet_pool){.placement = placement,
                                .slices = (int32_t)rr_pool_slices(from),
                                .by_name = from->slice != NULL,
                                .per_switch = (uint32_t)from->nodes_per_switch,
                                .per_rack = (uint32_t)from->nodes_per_rack};
    if (from->nodes_min < 0 || from->nodes_min > MOST_NODES)
        return rr_fail(RR_EINPUT, "%s/nodes: %lld nodes; 0 to %lld are possible", from->pointer, (long long)from->nodes_min,
                       (long long)MOST_NODES);
    if (from->n_shapes == 0) return rr_fail(RR_EINPUT, "%s: a pool of nodes without a shape", from->pointer);
    RR_TRY(read_kinds(p, from, t, d));
    p->plain = p->kind.n == 1 && !d.shares && !p->kind.at[0].cpus_milli && !p->kind.at[0].memory_mib;
    if (p->plain) plain_groups(p);
    if (d.shares && p->max_gpus > 0) p->device = rr_xrealloc(NULL, 1, 1);
    return RR_OK;
}

void rr_fleet_done(struct rr_fleet_pool *p)
{
    for (size_t g = 0; g < p->group.n; g++) rr_nodeset_done(&p->group.at[g].set);
    for (size_t i = 0; i < p->spare_set.n; i++) rr_nodeset_done(&p->spare_set.at[i]);
    rr_vec_done(&p->group);
    rr_vec_done(&p->kind);
    rr_vec_done(&p->order);
    rr_vec_done(&p->spare);
    rr_vec_done(&p->spare_set);
    rr_vec_done(&p->closed);
    rr_vec_done(&p->chosen);
    free(p->table);
    free(p->node);
    free(p->kind_of);
    free(p->device);
    *p = (struct rr_fleet_pool){0};
}

void rr_fleet_grow(struct rr_fleet_pool *p, uint32_t n_nodes)
{
    if (n_nodes > p->cap_nodes) {
        p->cap_nodes = p->cap_nodes * 2 > n_nodes ? p->cap_nodes * 2 : n_nodes;
        p->node = rr_xrealloc(p->node, p->cap_nodes, sizeof *p->node);
        if (p->device) p->device = rr_xrealloc(p->device, (size_t)p->cap_nodes * (size_t)p->max_gpus, sizeof *p->device);
        for (size_t g = 0; g < p->group.n; g++)
            if (p->plain || p->group.at[g].listed) rr_nodeset_grow(&p->group.at[g].set, p->cap_nodes);
    }
    for (uint32_t i = p->n_nodes; i < n_nodes; i++)
        p->node[i] = (struct rr_node){.group = RR_NO_GROUP, .next = RR_NO_NODE, .lease = UINT32_MAX};
    if (n_nodes > p->n_nodes) p->n_nodes = n_nodes;
}

void rr_fleet_ready(struct rr_fleet_pool *p, uint32_t node)
{
    const uint32_t kind = p->kind_of ? p->kind_of[node] : 0;
    const struct rr_room r = rr_room_empty(p, kind);
    if (p->device)
        for (int32_t d = 0; d < r.whole; d++) p->device[(size_t)node * (size_t)p->max_gpus + (size_t)d] = 1000;
    p->free_milli += r.free_milli;
    join(p, node, group_of(p, &r));
}

struct rr_closed *rr_fleet_closed(struct rr_fleet_pool *p, uint32_t node)
{
    if (p->node[node].group != RR_NO_GROUP) return NULL;
    for (size_t i = 0; i < p->closed.n; i++)
        if (p->closed.at[i].node == node) return &p->closed.at[i];
    return NULL;
}

static void forget_closed(struct rr_fleet_pool *p, struct rr_closed *c)
{
    p->closed_milli -= c->free_milli;
    *c = p->closed.at[--p->closed.n];
}

void rr_fleet_close(struct rr_fleet_pool *p, uint32_t node, int32_t used_milli, int64_t now_us)
{
    const bool ready = p->node[node].group != RR_NO_GROUP;
    struct rr_closed c = {.node = node, .room = rr_room_empty(p, p->kind_of ? p->kind_of[node] : 0), .since_us = now_us};
    c.free_milli = c.room.free_milli - used_milli;
    if (ready) {
        c.room = p->group.at[p->node[node].group].room;
        p->free_milli -= c.free_milli;
        leave(p, node);
    } else if (p->device) {
        for (int32_t d = 0; d < c.room.whole; d++) p->device[(size_t)node * (size_t)p->max_gpus + (size_t)d] = 1000;
    }
    p->closed_milli += c.free_milli;
    rr_vec_push(&p->closed, c);
}

void rr_fleet_open(struct rr_fleet_pool *p, uint32_t node)
{
    struct rr_closed *c = rr_fleet_closed(p, node);
    assert(c);
    p->free_milli += c->free_milli;
    join(p, node, group_of(p, &c->room));
    forget_closed(p, c);
}

void rr_fleet_remove(struct rr_fleet_pool *p, uint32_t node)
{
    assert(p->node[node].jobs == 0);
    if (p->node[node].group == RR_NO_GROUP) {
        forget_closed(p, rr_fleet_closed(p, node));
        return;
    }
    p->free_milli -= p->group.at[p->node[node].group].room.free_milli;
    leave(p, node);
}

// --- finding ---

// In a plain pool a need that fits at all asks for devices alone.
bool rr_group_could_hold(const struct rr_fleet_pool *p, const struct rr_group *g, const struct rr_need *n)
{
    if (p->plain) return g->set.count > 0 && g->room.whole >= (n->nodes > 1 ? p->max_gpus : n->whole);
    return g->set.count > 0 && (n->nodes == 1 || g->empty_nodes) && rr_room_fits(p, &g->room, n);
}

int64_t rr_fleet_count_empty(const struct rr_fleet_pool *p, const struct rr_need *n)
{
    int64_t count = 0;
    if (p->plain) return p->group.at[p->max_gpus].set.count;
    for (size_t i = 0; i < p->order.n; i++) {
        const struct rr_group *g = &p->group.at[p->order.at[i]];
        if (g->empty_nodes && g->set.count && rr_room_fits(p, &g->room, n)) count += g->set.count;
    }
    return count;
}

static uint32_t first_of(struct rr_fleet_pool *p, const struct rr_need *n)
{
    uint32_t best = RR_NO_NODE;
    int64_t rank = 0;
    for (size_t i = 0; i < p->order.n; i++) {
        struct rr_group *g = &p->group.at[p->order.at[i]];
        if (best != RR_NO_NODE && g->rank != rank) break;
        if (!rr_group_could_hold(p, g, n)) continue;
        const uint32_t node = rr_nodeset_lowest(&g->set);
        if (node < best) best = node;
        rank = g->rank;
    }
    return best;
}

static void forget_choice(struct rr_fleet_pool *p)
{
    p->chosen_devices = 0;
    p->chosen.n = 0;
}

uint32_t rr_fleet_find(struct rr_fleet_pool *p, const struct rr_need *n)
{
    forget_choice(p);
    if (n->nodes > 1 && rr_fleet_count_empty(p, n) < n->nodes) return RR_NO_NODE;
    return first_of(p, n);
}

uint32_t rr_fleet_find_where(struct rr_fleet_pool *p, const struct rr_need *n, bool (*allow)(void *ctx, uint32_t node), void *ctx)
{
    forget_choice(p);
    uint32_t best = RR_NO_NODE;
    int64_t rank = 0;
    for (size_t i = 0; i < p->order.n; i++) {
        struct rr_group *g = &p->group.at[p->order.at[i]];
        if (best != RR_NO_NODE && g->rank != rank) break;
        if (!rr_group_could_hold(p, g, n)) continue;
        uint32_t node = rr_nodeset_lowest(&g->set);
        if (g->empty_nodes && !allow(ctx, node)) continue; // what holds for one holds for all
        while (node < best && !allow(ctx, node)) node = rr_nodeset_next(&g->set, node + 1);
        if (node >= best) continue;
        best = node;
        rank = g->rank;
    }
    return best;
}

uint32_t rr_fleet_choose(struct rr_fleet_pool *p, const struct rr_seek *seek)
{
    const struct rr_need *n = seek->need;
    if (!p->placement->choose) return seek->allow ? rr_fleet_find_where(p, n, seek->allow, seek->ctx) : rr_fleet_find(p, n);
    forget_choice(p);
    if (n->nodes > 1 && rr_fleet_count_empty(p, n) < n->nodes) return RR_NO_NODE;
    return p->placement->choose(p, seek);
}

// --- taking and giving ---

static uint16_t *devices_of(struct rr_fleet_pool *p, uint32_t node)
{
    return p->device ? p->device + (size_t)node * (size_t)p->max_gpus : NULL;
}

static void move(struct rr_fleet_pool *p, uint32_t node, const struct rr_room *r)
{
    const uint32_t g = group_of(p, r);
    if (g == p->node[node].group) return;
    leave(p, node);
    join(p, node, g);
}

// The same in a plain pool, where a group's number is the number of free devices.
static void move_plain(struct rr_fleet_pool *p, uint32_t node, uint32_t g)
{
    if (g == p->node[node].group) return;
    rr_nodeset_remove(&p->group.at[p->node[node].group].set, node);
    rr_nodeset_add(&p->group.at[g].set, node);
    p->node[node].group = g;
}

static void take(struct rr_fleet_pool *p, uint32_t node, const struct rr_need *n, uint64_t *devices)
{
    p->node[node].jobs++;
    if (n->nodes > 1) p->node[node].next = RR_NO_NODE; // a job that needs nothing may sit on a node of another's chain
    struct rr_room r = p->group.at[p->node[node].group].room;
    if (p->chosen_devices) {
        *devices = p->chosen_devices;
        rr_room_take_at(p, &r, devices_of(p, node), n, *devices);
    } else {
        rr_room_take(p, &r, devices_of(p, node), n, devices);
    }
    move(p, node, &r);
}

// What the job held of a closed node is not free for others.
static void give_closed(struct rr_fleet_pool *p, uint32_t node, const struct rr_need *n, int32_t share_milli, uint64_t devices)
{
    struct rr_closed *c = rr_fleet_closed(p, node);
    rr_room_give(p, &c->room, devices_of(p, node), n, devices);
    c->free_milli += share_milli;
    p->closed_milli += share_milli;
    p->free_milli -= share_milli;
}

// share_milli: what the job had of the node.
static void give(struct rr_fleet_pool *p, uint32_t node, const struct rr_need *n, int32_t share_milli, uint64_t devices)
{
    p->node[node].jobs--;
    if (p->node[node].group == RR_NO_GROUP) {
        give_closed(p, node, n, share_milli, devices);
        return;
    }
    struct rr_room r = p->group.at[p->node[node].group].room;
    rr_room_give(p, &r, devices_of(p, node), n, devices);
    move(p, node, &r);
}

// The nodes of a larger job are the ones chosen, else the lowest free ones.
static void take_plain(struct rr_fleet_pool *p, uint32_t first, const struct rr_need *n)
{
    const bool listed = p->chosen.n == (size_t)n->nodes;
    p->node[first].jobs++;
    if (n->nodes == 1) {
        move_plain(p, first, p->node[first].group - (uint32_t)n->whole);
        return;
    }
    p->node[first].next = RR_NO_NODE;
    struct rr_nodeset *empty = &p->group.at[p->max_gpus].set;
    move_plain(p, first, 0);
    for (int32_t i = 1; i < n->nodes; i++) {
        const uint32_t node = listed ? p->chosen.at[i] : rr_nodeset_lowest(empty);
        move_plain(p, node, 0);
        p->node[node].jobs++;
        p->node[node].next = RR_NO_NODE;
        p->node[first].next = node;
        first = node;
    }
}

static void give_plain(struct rr_fleet_pool *p, uint32_t first, const struct rr_need *n)
{
    for (uint32_t node = first; node != RR_NO_NODE; node = n->nodes > 1 ? p->node[node].next : RR_NO_NODE) {
        p->node[node].jobs--;
        move_plain(p, node, n->nodes > 1 ? (uint32_t)p->max_gpus : p->node[node].group + (uint32_t)n->whole);
    }
}

void rr_fleet_take(struct rr_fleet_pool *p, uint32_t first, const struct rr_need *n, uint64_t *devices)
{
    p->free_milli -= n->milli;
    if (p->plain) {
        *devices = 0;
        take_plain(p, first, n);
        forget_choice(p);
        return;
    }
    const bool listed = p->chosen.n == (size_t)n->nodes;
    assert(!listed || p->chosen.at[0] == first);
    take(p, first, n, devices);
    uint32_t last = first;
    for (int32_t i = 1; i < n->nodes; i++) {
        const uint32_t node = listed ? p->chosen.at[i] : first_of(p, n);
        take(p, node, n, devices);
        p->node[last].next = node;
        last = node;
    }
    forget_choice(p);
}

void rr_fleet_give(struct rr_fleet_pool *p, uint32_t first, const struct rr_need *n, uint64_t devices)
{
    p->free_milli += n->milli;
    if (p->plain && !p->closed.n) {
        give_plain(p, first, n);
        return;
    }
    int32_t i = 0;
    for (uint32_t node = first; node != RR_NO_NODE; node = n->nodes > 1 ? p->node[node].next : RR_NO_NODE, i++)
        give(p, node, n, n->nodes > 1 ? 1000 * rr_need_whole(n, i) : n->milli, devices);
}
