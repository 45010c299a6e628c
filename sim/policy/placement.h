/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/policy/placement.h - which of the nodes with room a job takes: one constant in one file, sim/policy/placement_NAME.c, and one row in
 * sim/policy/placement_list.h.
 *
 * A placement ranks rooms; the least rank goes first, ties to the lowest node id. The rank may depend on the room alone, so that it is worked out
 * once a distinct room and not once a job. */
#ifndef RR_SIM_PLACEMENT_H
#define RR_SIM_PLACEMENT_H
#include "data/param.h"
#include "sim/engine/fleet.h"

struct rr_placement {
    struct rr_kind kind; /* first */
    int64_t (*rank)(const struct rr_room *room);
};
#define X(name) extern const struct rr_placement rr_placement_##name;
#include "sim/policy/placement_list.h"
#undef X
#endif
