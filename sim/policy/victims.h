/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/policy/victims.h - which running jobs give way to one that goes before them.
 *
 * Each running job has a rank, a number; the larger it is, the sooner the job gives way. A job may interrupt those alone whose rank is above its
 * own. On one node those of largest rank go first, until there is room, and then the ones that turn out not to be in the way stay; of all
 * nodes the one is taken where the least of these ranks is largest (ties: the lowest number), of all pools the first that can. A job of several nodes
 * takes nodes one by one, each time the one whose least rank is largest. Nothing is interrupted unless all of the room is found: no job ever
 * holds a part of what it needs.
 *
 * Cost: a tree over the nodes of a pool holds, for each number of GPUs g, the largest rank at which a node can free g. In a plain pool (whole
 * GPUs alone are counted) a search is O(log nodes) and a start or an end of a job O(G log nodes) with G GPUs a node, for each of its nodes. Where
 * CPUs, memory or shares of GPUs are counted too, every node with a job of large enough rank is looked at: whether it has room depends on
 * what those jobs hold. */
#ifndef RR_SIM_VICTIMS_H
#define RR_SIM_VICTIMS_H
#include "sim/engine/sim.h"

/* The rank of the job in this slot, now. */
typedef int64_t (*rr_rank_fn)(void *ctx, struct rr_sim *s, uint32_t slot);

struct rr_victim {
    int64_t rank;
    uint32_t job, slot;
    int32_t whole; /* GPUs that its end would free */
    bool stays;
};
struct rr_victims {
    rr_rank_fn rank;
    void *ctx;
    bool spares; /* jobs that have started at this instant */
    bool falls;  /* ranks fall while jobs run: what the tree holds are upper bounds, put right when they matter */
    struct rr_victim_tree {
        uint32_t cap; /* leaves, a power of two; 0: no job has run here yet */
        uint32_t lanes;
        int64_t *most; /* [2 cap][lanes] */
    } * tree;          /* [n_pools] */
    size_t n_pools;
    RR_VEC(struct rr_victim) on; /* scratch: the jobs on one node, those to go first in front */
    RR_VEC(uint32_t) gone;       /* scratch: those to interrupt */
    RR_VEC(uint64_t) hidden;     /* pool << 32 | node: closed nodes, to be looked at again */
};
void rr_victims_init(struct rr_victims *v, const struct rr_sim *s, rr_rank_fn rank, void *ctx, bool falls);
void rr_victims_done(struct rr_victims *v);
/* The job has started, ended or changed its rank: look at its nodes again. In `started` and `ended` of the policy. */
void rr_victims_touch(struct rr_victims *v, struct rr_sim *s, uint32_t job);
/* Interrupt jobs of a rank larger than `above` so that a job of this ask, for which there is no room, fits, in a pool that is not held
 * up ([n_pools]; NULL: none is). False: it cannot be; nothing has happened. */
bool rr_victims_make_room(struct rr_victims *v, struct rr_sim *s, uint32_t ask, int64_t above, const bool *held_up);
#endif
