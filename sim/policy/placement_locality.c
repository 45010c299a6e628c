/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/policy/placement_locality.c - the nodes of a job close together: fewest racks, then fewest switches.
 *
 * A pool says how many nodes share a switch and a rack (nodes_per_switch, nodes_per_rack), in the order of their ids. A job of several nodes
 * goes into one rack if one has room: that with the fewest switches needed, then the fewest free nodes; else it fills racks, those with most
 * free nodes first, the last one the tightest that takes the rest. Within a rack switches are filled in the same way. A job of one node goes
 * where `pack` would put it, but to the switch with the fewest free nodes: whole switches stay free. A start costs a look at
 * each node with room or wholly free, that of a larger job also a sort of the switches that have one. */
#include "sim/policy/placement.h"

struct place { // a switch or a rack with free nodes
    uint32_t id, free;
    uint32_t from; // where its nodes, or its switches, begin
};
struct locality {
    RR_VEC(uint32_t) node; // wholly free ones that would do, by id
    RR_VEC(struct place) leaf;
    RR_VEC(struct place) rack;
    RR_VEC(struct place) todo;
    RR_VEC(uint32_t) around; // by switch: wholly free nodes
};

static int by_id(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static int most_first(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    if (x->free != y->free) return x->free > y->free ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

static void list_free(struct locality *l, const struct rr_fleet_pool *p, const struct rr_need *n)
{
    l->node.n = 0;
    for (size_t i = 0; i < p->order.n; i++) {
        const struct rr_group *g = &p->group.at[p->order.at[i]];
        if (!rr_group_could_hold(p, g, n)) continue;
        for (uint32_t d = rr_nodeset_next(&g->set, 0); d != RR_NO_NODE; d = rr_nodeset_next(&g->set, d + 1)) rr_vec_push(&l->node, d);
    }
    qsort(l->node.at, l->node.n, sizeof *l->node.at, by_id);
}

static uint32_t rack_of(const struct rr_fleet_pool *p, uint32_t node) { return p->per_rack ? node / p->per_rack : 0; }
// Where there are no switches, a rack is one; a switch is in the rack of its nodes, whatever the numbers.
static uint32_t leaf_of(const struct rr_fleet_pool *p, uint32_t node) { return p->per_switch ? node / p->per_switch : rack_of(p, node); }

static void list_places(struct locality *l, const struct rr_fleet_pool *p)
{
    l->leaf.n = l->rack.n = 0;
    for (uint32_t i = 0; i < l->node.n; i++) {
        const uint32_t node = l->node.at[i], rack = rack_of(p, node), leaf = leaf_of(p, node);
        const bool other_rack = l->rack.n == 0 || l->rack.at[l->rack.n - 1].id != rack;
        if (other_rack || l->leaf.at[l->leaf.n - 1].id != leaf) {
            const struct place x = {leaf, 0, i};
            rr_vec_push(&l->leaf, x);
        }
        if (other_rack) {
            const struct place x = {rack, 0, (uint32_t)l->leaf.n - 1};
            rr_vec_push(&l->rack, x);
        }
        l->leaf.at[l->leaf.n - 1].free++;
        l->rack.at[l->rack.n - 1].free++;
    }
}

// Of the places left in x[n], most free first: the tightest that takes all of `want`, else the first.
static size_t tightest(const struct place *x, size_t n, uint32_t want)
{
    size_t best = 0;
    for (size_t i = 0; i < n && x[i].free >= want; i++)
        if (x[i].free < x[best].free) best = i;
    return best;
}

// Take up to `want` nodes of the rack's switches into p->chosen.
static void fill_rack(struct locality *l, struct rr_fleet_pool *p, const struct place *rack, uint32_t want)
{
    l->todo.n = 0;
    for (uint32_t i = rack->from, left = rack->free; left > 0; left -= l->leaf.at[i++].free) rr_vec_push(&l->todo, l->leaf.at[i]);
    qsort(l->todo.at, l->todo.n, sizeof *l->todo.at, most_first);
    for (size_t at = 0; want > 0; at++) {
        const size_t i = at + tightest(l->todo.at + at, l->todo.n - at, want);
        const struct place x = l->todo.at[i];
        l->todo.at[i] = l->todo.at[at];
        for (uint32_t k = 0; k < x.free && want > 0; k++, want--) rr_vec_push(&p->chosen, l->node.at[x.from + k]);
    }
}

// Switches of the rack that `want` nodes need.
static uint32_t switches_for(struct locality *l, const struct place *rack, uint32_t want)
{
    l->todo.n = 0;
    for (uint32_t i = rack->from, left = rack->free; left > 0; left -= l->leaf.at[i++].free) rr_vec_push(&l->todo, l->leaf.at[i]);
    qsort(l->todo.at, l->todo.n, sizeof *l->todo.at, most_first);
    uint32_t count = 0;
    for (; want > 0; count++) want -= l->todo.at[count].free < want ? l->todo.at[count].free : want;
    return count;
}

static const struct place *one_rack(struct locality *l, uint32_t want)
{
    const struct place *best = NULL;
    uint32_t switches = 0;
    for (size_t i = 0; i < l->rack.n; i++) {
        const struct place *r = &l->rack.at[i];
        if (r->free < want) continue;
        const uint32_t s = switches_for(l, r, want);
        if (best && (s > switches || (s == switches && r->free >= best->free))) continue;
        best = r;
        switches = s;
    }
    return best;
}

static uint32_t choose_many(struct locality *l, struct rr_fleet_pool *p, const struct rr_need *n)
{
    uint32_t want = (uint32_t)n->nodes;
    list_free(l, p, n);
    list_places(l, p);
    const struct place *rack = one_rack(l, want);
    if (rack) {
        fill_rack(l, p, rack, want);
        return p->chosen.at[0];
    }
    qsort(l->rack.at, l->rack.n, sizeof *l->rack.at, most_first);
    for (size_t at = 0; want > 0; at++) {
        const size_t i = at + tightest(l->rack.at + at, l->rack.n - at, want);
        const struct place x = l->rack.at[i];
        l->rack.at[i] = l->rack.at[at];
        fill_rack(l, p, &x, x.free < want ? x.free : want);
        want -= x.free < want ? x.free : want;
    }
    return p->chosen.at[0];
}

// Wholly free nodes by switch.
static void count_around(struct locality *l, const struct rr_fleet_pool *p)
{
    l->around.n = 0;
    rr_vec_reserve(&l->around, (size_t)leaf_of(p, p->n_nodes) + 1);
    l->around.n = (size_t)leaf_of(p, p->n_nodes) + 1;
    memset(l->around.at, 0, l->around.n * sizeof *l->around.at);
    for (size_t i = 0; i < p->order.n; i++) {
        const struct rr_group *g = &p->group.at[p->order.at[i]];
        if (!g->empty_nodes) continue;
        for (uint32_t d = rr_nodeset_next(&g->set, 0); d != RR_NO_NODE; d = rr_nodeset_next(&g->set, d + 1)) l->around.at[leaf_of(p, d)]++;
    }
}

static uint32_t choose_one(struct locality *l, struct rr_fleet_pool *p, const struct rr_seek *seek)
{
    uint32_t best = RR_NO_NODE, least = 0;
    int64_t rank = 0;
    count_around(l, p);
    for (size_t i = 0; i < p->order.n; i++) {
        const struct rr_group *g = &p->group.at[p->order.at[i]];
        if (best != RR_NO_NODE && g->rank != rank) break;
        if (!rr_group_could_hold(p, g, seek->need)) continue;
        for (uint32_t d = rr_nodeset_next(&g->set, 0); d != RR_NO_NODE; d = rr_nodeset_next(&g->set, d + 1)) {
            const uint32_t around = l->around.at[leaf_of(p, d)];
            if (best != RR_NO_NODE && (around > least || (around == least && d > best))) continue;
            if (seek->allow && !seek->allow(seek->ctx, d)) continue;
            best = d;
            least = around;
            rank = g->rank;
        }
    }
    return best;
}

static int64_t rank(const struct rr_room *room) { return room->free_milli; }

static uint32_t choose(struct rr_fleet_pool *p, const struct rr_seek *seek)
{
    struct locality *l = p->placing->state;
    return seek->need->nodes > 1 ? choose_many(l, p, seek->need) : choose_one(l, p, seek);
}

static void locality_done(void *state)
{
    struct locality *l = state;
    rr_vec_done(&l->node);
    rr_vec_done(&l->leaf);
    rr_vec_done(&l->rack);
    rr_vec_done(&l->todo);
    rr_vec_done(&l->around);
}

const struct rr_placement rr_placement_locality = {
    .kind = {.name = "locality", .summary = "the nodes of a job on the fewest racks, then switches"},
    .rank = rank,
    .choose = choose,
    .state_size = sizeof(struct locality),
    .done = locality_done};
