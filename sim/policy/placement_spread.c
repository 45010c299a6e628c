/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/policy/placement_spread.c - the emptiest node: jobs disturb each other least.
 *
 * The emptiest node: what shares a node shares its power, memory bandwidth and network. Large jobs find fewer whole nodes. */
#include "sim/policy/placement.h"

static int64_t rank(const struct rr_room *room) { return -(int64_t)room->free_milli; }

const struct rr_placement rr_placement_spread = {.kind = {.name = "spread", .summary = "the emptiest node: jobs disturb each other least"},
                                                 .rank = rank};
