/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/policy/placement_random.c - any node with room, each as likely; a share goes to any device with room.
 *
 * The yardstick of the packing studies (Weng et al., ATC'23, "Random"). Costs a look at each distinct room. */
#include "sim/policy/placement.h"

static int64_t rank(const struct rr_room *room) { return -(int64_t)room->free_milli; }

// The share's device; devices stay as rr_room_take would choose when only some nodes are allowed: those were looked at with that choice.
static void choose_device(struct rr_fleet_pool *p, uint32_t node, const struct rr_need *n, struct rr_rng *rng)
{
    const uint16_t *device = rr_place_device(p, node);
    uint32_t fits[64], count = 0;
    for (int32_t d = 0; d < rr_node_kind_of(p, node)->gpus; d++)
        if (device[d] >= n->part) fits[count++] = (uint32_t)d;
    p->chosen_devices = UINT64_C(1) << fits[rr_rng_below(rng, count)];
}

static uint32_t choose(struct rr_fleet_pool *p, const struct rr_seek *seek)
{
    struct rr_rng rng;
    rr_place_rng(p, seek->job, &rng);
    if (seek->need->nodes > 1) return rr_place_any(p, seek, &rng);
    const uint32_t node = rr_place_least(p, seek, NULL, false, &rng);
    if (node != RR_NO_NODE && seek->need->part && p->device && !seek->allow) choose_device(p, node, seek->need, &rng);
    return node;
}

const struct rr_placement rr_placement_random = {
    .kind = {.name = "random", .summary = "any node with room, each as likely; any device of it"}, .rank = rank, .choose = choose};
