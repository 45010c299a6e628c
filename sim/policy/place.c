/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/policy/place.c - what placements with a choice of their own share: the least cost, and chance among equals. */
#include "sim/policy/placement.h"
#include <assert.h>

void rr_place_rng(const struct rr_fleet_pool *p, uint32_t job, struct rr_rng *ret)
{
    rr_rng_init(ret, p->placing->seed, p->placing->replication, RR_RNG_PLACEMENT, job);
}

// Nodes by the order of the groups, then by id; `best` are the ones with the least cost so far.
struct least {
    const struct rr_seek *seek;
    rr_place_cost *cost;
    bool alone;
    int64_t best;
    uint64_t count;
    uint64_t pick; // of these: the one wanted, counted down in the second walk
    uint32_t node;
};

static bool allowed(const struct least *l, uint32_t node) { return !l->seek->allow || l->seek->allow(l->seek->ctx, node); }

static void count(struct least *l, int64_t cost, uint64_t nodes)
{
    if (l->count > 0 && cost > l->best) return;
    if (l->count == 0 || cost < l->best) l->count = 0;
    l->best = cost;
    l->count += nodes;
}

static int64_t cost_of(const struct least *l, const struct rr_fleet_pool *p, const struct rr_group *g, uint32_t node)
{
    return l->cost ? l->cost(p, g, node, l->seek->need) : 0;
}

static void count_group(struct least *l, const struct rr_fleet_pool *p, struct rr_group *g)
{
    if (!l->alone && !l->seek->allow) {
        count(l, cost_of(l, p, g, rr_nodeset_lowest(&g->set)), g->set.count);
        return;
    }
    for (uint32_t n = rr_nodeset_next(&g->set, 0); n != RR_NO_NODE; n = rr_nodeset_next(&g->set, n + 1))
        if (allowed(l, n)) count(l, cost_of(l, p, g, n), 1);
}

// True when the node wanted is in this group.
static bool pick_group(struct least *l, const struct rr_fleet_pool *p, struct rr_group *g)
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

uint32_t rr_place_least(struct rr_fleet_pool *p, const struct rr_seek *seek, rr_place_cost *cost, bool alone)
{
    struct least l = {.seek = seek, .cost = cost, .alone = alone};
    for (size_t i = 0; i < p->order.n; i++) {
        struct rr_group *g = &p->group.at[p->order.at[i]];
        if (rr_group_could_hold(p, g, seek->need)) count_group(&l, p, g);
    }
    if (l.count == 0) return RR_NO_NODE;
    struct rr_rng rng;
    rr_place_rng(p, seek->job, &rng);
    l.pick = rr_rng_below(&rng, l.count);
    for (size_t i = 0; i < p->order.n; i++) {
        struct rr_group *g = &p->group.at[p->order.at[i]];
        if (rr_group_could_hold(p, g, seek->need) && pick_group(&l, p, g)) return l.node;
    }
    assert(!"the node was counted");
    return RR_NO_NODE;
}

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
