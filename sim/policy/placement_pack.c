/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/policy/placement_pack.c - the fullest node with room: keeps whole nodes free.
 *
 * The fullest node that has room (best fit): large gaps stay whole for large jobs. CPU-only jobs go to nodes without free GPUs first. */
#include "sim/policy/placement.h"

static int64_t rank(const struct rr_room *room) { return room->free_milli; }

const struct rr_placement rr_placement_pack = {.kind = {.name = "pack", .summary = "the fullest node with room: keeps whole nodes free"},
                                               .rank = rank};
