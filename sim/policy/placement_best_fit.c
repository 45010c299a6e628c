/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/policy/placement_best_fit.c - the least CPU and GPU left over, both counted.
 *
 * What a node would have left, as a share of 128 CPUs and of 8 GPUs, half each, cut to whole hundredths: the least left goes first, equals by chance.
 * This is "BestFit" of the packing study (Weng et al., ATC'23), whose score is 100 minus this. `pack` counts GPUs alone, to the milli-GPU, and
 * takes the lowest node id. Costs a look at each distinct room. */
#include "sim/policy/placement.h"

#define ALL_CPUS  INT64_C(128000) // milli; a node that does not count CPUs has none left over
#define ALL_MILLI INT64_C(8000)

static int64_t rank(const struct rr_room *room) { return room->free_milli; }

// Score = floor(100 x (1 - (cpu / 2 / ALL_CPUS + gpu / 2 / ALL_MILLI))) in whole numbers: 100 - ceil(100 x ...).
static int64_t left_over(const struct rr_fleet_pool *p, const struct rr_group *g, uint32_t node, const struct rr_need *n)
{
    (void)node;
    const int64_t cpu = p->kind.at[g->room.kind].cpus_milli ? g->room.cpus_milli - n->cpus_milli : 0;
    const int64_t gpu = g->room.free_milli - (n->part ? n->part : INT64_C(1000) * n->whole);
    const int64_t share = 50 * (cpu * ALL_MILLI + gpu * ALL_CPUS), unit = ALL_CPUS * ALL_MILLI;
    return (share + unit - 1) / unit;
}

static uint32_t choose(struct rr_fleet_pool *p, const struct rr_seek *seek)
{
    if (seek->need->nodes > 1) return rr_fleet_find(p, seek->need); // wholly free nodes as they come: smaller ones first, by id
    struct rr_rng rng;
    rr_place_rng(p, seek->job, &rng);
    return rr_place_least(p, seek, left_over, false, &rng);
}

const struct rr_placement rr_placement_best_fit = {
    .kind = {.name = "best_fit", .summary = "the least CPU and GPU left over, both counted; equals by chance"},
    .rank = rank,
    .choose = choose};
