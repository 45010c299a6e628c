/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/policy/place.c - what placements with a choice of their own share: the least cost, and chance among equals. */
#include "sim/policy/placement.h"
#include <assert.h>

void rr_place_rng(const struct rr_fleet_pool *p, uint32_t job, struct rr_rng *ret)
{
    rr_rng_init(ret, p->placing->seed, p->placing->replication, RR_RNG_PLACEMENT, job);
}

// --- the least cost ---

struct least {
    const struct rr_seek *seek;
    rr_place_cost *cost;
    bool alone;
    int64_t best;   // least cost so far
    uint64_t count; // nodes that have it
    uint32_t node;  // the lowest of them
    uint64_t pick;  // which of them is wanted, in the order of the groups, then by id; counted down
};

static bool allowed(const struct least *l, uint32_t node) { return !l->seek->allow || l->seek->allow(l->seek->ctx, node); }

static int64_t cost_of(const struct least *l, const struct rr_fleet_pool *p, const struct rr_group *g, uint32_t node)
{
    return l->cost ? l->cost(p, g, node, l->seek->need) : 0;
}

static void note(struct least *l, int64_t cost, uint32_t lowest, uint64_t nodes)
{
    if (l->count > 0 && cost > l->best) return;
    if (l->count == 0 || cost < l->best) {
        l->count = 0;
        l->node = lowest;
    }
    l->best = cost;
    l->count += nodes;
    if (lowest < l->node) l->node = lowest;
}

static void note_group(struct least *l, const struct rr_fleet_pool *p, struct rr_group *g)
{
    if (!l->alone && !l->seek->allow) {
        const uint32_t lowest = rr_nodeset_lowest(&g->set);
        note(l, cost_of(l, p, g, lowest), lowest, g->set.count);
        return;
    }
    for (uint32_t n = rr_nodeset_next(&g->set, 0); n != RR_NO_NODE; n = rr_nodeset_next(&g->set, n + 1))
        if (allowed(l, n)) note(l, cost_of(l, p, g, n), n, 1);
}

// True when the node wanted is in this group.
static bool pick_in_group(struct least *l, const struct rr_fleet_pool *p, struct rr_group *g)
{
    if (!l->alone && cost_of(l, p, g, rr_nodeset_lowest(&g->set)) != l->best) return false;
    if (!l->alone && !l->seek->allow) {
        if (l->pick >= g->set.count) {
            l->pick -= g->set.count;
            return false;
        }
        l->node = rr_nodeset_at(&g->set, (uint32_t)l->pick);
        return true;
    }
    for (uint32_t n = rr_nodeset_next(&g->set, 0); n != RR_NO_NODE; n = rr_nodeset_next(&g->set, n + 1)) {
        if (!allowed(l, n) || (l->alone && cost_of(l, p, g, n) != l->best) || l->pick-- > 0) continue;
        l->node = n;
        return true;
    }
    return false;
}

uint32_t rr_place_least(struct rr_fleet_pool *p, const struct rr_seek *seek, rr_place_cost *cost, bool alone, struct rr_rng *rng)
{
    struct least l = {.seek = seek, .cost = cost, .alone = alone, .node = RR_NO_NODE};
    for (size_t i = 0; i < p->order.n; i++) {
        struct rr_group *g = &p->group.at[p->order.at[i]];
        if (rr_group_could_hold(p, g, seek->need)) note_group(&l, p, g);
    }
    if (!rng || l.count == 0) return l.node;
    l.pick = rr_rng_below(rng, l.count);
    for (size_t i = 0; i < p->order.n; i++) {
        struct rr_group *g = &p->group.at[p->order.at[i]];
        if (rr_group_could_hold(p, g, seek->need) && pick_in_group(&l, p, g)) break;
    }
    return l.node;
}

// --- chance ---

// Floyd's way would need a set; the free nodes are listed anyhow, so the first ones of a shuffle are taken.
uint32_t rr_place_any(struct rr_fleet_pool *p, const struct rr_seek *seek, struct rr_rng *rng)
{
    const uint32_t nodes = (uint32_t)seek->need->nodes;
    p->chosen.n = 0;
    for (size_t i = 0; i < p->order.n; i++) {
        const struct rr_group *g = &p->group.at[p->order.at[i]];
        if (!rr_group_could_hold(p, g, seek->need)) continue;
        for (uint32_t n = rr_nodeset_next(&g->set, 0); n != RR_NO_NODE; n = rr_nodeset_next(&g->set, n + 1)) rr_vec_push(&p->chosen, n);
    }
    for (uint32_t i = 0; i < nodes; i++) {
        const size_t j = i + rr_rng_below(rng, p->chosen.n - i);
        const uint32_t node = p->chosen.at[j];
        p->chosen.at[j] = p->chosen.at[i];
        p->chosen.at[i] = node;
    }
    p->chosen.n = nodes;
    return p->chosen.at[0];
}
