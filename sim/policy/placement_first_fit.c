/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/policy/placement_first_fit.c - the lowest numbered node with room.
 *
 * The lowest numbered node with room, however full. */
#include "sim/policy/placement.h"

static int64_t rank(const struct rr_room *room)
{
    (void)room;
    return 0;
}

const struct rr_placement rr_placement_first_fit = {.kind = {.name = "first_fit", .summary = "the lowest numbered node with room"},
                                                    .rank = rank};
