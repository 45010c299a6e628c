/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/policy/placement.h - which of the nodes with room a job takes: one constant in one file, sim/policy/placement_NAME.c, and one row in
 * sim/policy/placement_list.h.
 *
 * A placement ranks rooms; the least rank goes first, ties to the lowest node id. The rank depends on the room alone, so that it is worked out
 * once a distinct room and not once a job: this is the fast way, and enough for pack, spread and first_fit. A placement that must know the job, the
 * devices, the switches or chance has `choose` as well: it names one of the nodes with room, and may name the devices there
 * (p->chosen_devices) or all nodes of a larger job (p->chosen). Its rank is then only the order in which a look for any room goes. */
#ifndef RR_SIM_PLACEMENT_H
#define RR_SIM_PLACEMENT_H
#include "data/base/rng.h"
#include "data/param.h"
#include "sim/engine/asks.h"
#include "sim/engine/fleet.h"

/* Shared by the pools of one replay. */
struct rr_placing {
    uint64_t seed;
    uint32_t replication;
    const struct rr_trace *trace;
    struct rr_asks *asks;
    const void *params; /* struct of the placement's rows */
    void *state;        /* [state_size], zeroed before init */
};
struct rr_placement {
    struct rr_kind kind; /* first */
    int64_t (*rank)(const struct rr_room *room);
    /* NULL, or the choice: a node among those that could hold the need (rr_group_could_hold) and that `allow` accepts; RR_NO_NODE when and only
     * when there is none. Of a need of several nodes as many are free. */
    uint32_t (*choose)(struct rr_fleet_pool *p, const struct rr_seek *seek);
    size_t state_size;
    void (*init)(struct rr_placing *pl); /* NULL: nothing to do */
    void (*done)(void *state);
};
#define X(name) extern const struct rr_placement rr_placement_##name;
#include "sim/policy/placement_list.h"
#undef X

/* What it would cost to start the need on this node: least first. */
typedef int64_t rr_place_cost(const struct rr_fleet_pool *p, const struct rr_group *g, uint32_t node, const struct rr_need *n);
/* The choice of most placements: of the nodes with room those with the least cost (NULL: all alike), of these one by chance, each as likely as the
 * others, or the lowest id when `rng` is NULL. `alone`: nodes with the same room may differ in cost and each is looked at; else one of each
 * distinct room speaks for all. */
uint32_t rr_place_least(struct rr_fleet_pool *p, const struct rr_seek *seek, rr_place_cost *cost, bool alone, struct rr_rng *rng);
/* The stream of a job, (seed, replication, RR_RNG_PLACEMENT, job), from its beginning: drawn anew at each of its starts. */
void rr_place_rng(const struct rr_fleet_pool *p, uint32_t job, struct rr_rng *ret);
/* For a job of several nodes: that many of the wholly free ones by chance, into p->chosen; returns the first. */
uint32_t rr_place_any(struct rr_fleet_pool *p, const struct rr_seek *seek, struct rr_rng *rng);
/* Free share of a device, milli. */
static inline uint16_t *rr_place_device(const struct rr_fleet_pool *p, uint32_t node)
{
    return p->device + (size_t)node * (size_t)p->max_gpus;
}
#endif
