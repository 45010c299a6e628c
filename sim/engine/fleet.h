/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/engine/fleet.h - pools of nodes, and where on them a job finds room.
 *
 * Nodes with equal room (whole devices free, CPUs, memory ...) are alike to every job, so a pool keeps its ready nodes in groups: one
 * `struct rr_group` a distinct room, with the set of its nodes. Finding a node is a walk over the groups in the order of the placement's
 * rank, then the lowest node id; a placement that looks closer (sim/policy/placement.h) chooses among them itself. A plain pool (nodes alike, whole devices alone counted) has gpus + 1 groups, indexed by the devices
 * free; any other finds its groups by hash. A job of several nodes takes wholly free ones and holds them exclusively. */
#ifndef RR_SIM_FLEET_H
#define RR_SIM_FLEET_H
#include "data/base/money.h"
#include "data/base/vec.h"
#include "data/scenario.h"
#include "data/trace.h"
#include "sim/engine/nodeset.h"
#include <stdbool.h>
#include <stdint.h>

struct rr_placement;

/* What a node has left. */
struct rr_room {
    int32_t whole;      /* devices wholly free */
    int32_t part;       /* largest free share of a device in partial use, milli; 0 = none */
    int32_t free_milli; /* of all devices */
    int32_t cpus_milli, memory_mib;
    uint32_t kind; /* index of the node's rr_node_kind */
};
/* Nodes that are alike when empty. cpus_milli or memory_mib 0 = not counted on it. */
struct rr_node_kind {
    int32_t gpus, cpus_milli, memory_mib;
    uint64_t gpu_types; /* of the trace's names, those it answers to; all ones when it says no type */
    const char *gpu;    /* its type, "" = not said; with rr_demand.speeds, else NULL */
    struct rr_room empty;
};
/* What a kind of request takes on the nodes of one pool. */
struct rr_need {
    int32_t nodes;    /* 0: can never run in this pool */
    int32_t milli;    /* GPUs in total */
    int32_t whole;    /* devices a node, at most */
    int32_t n_fuller; /* the first n_fuller nodes take `whole`, the others one less; 0 = all take `whole` */
    int32_t part;     /* milli of one device, with whole = 0 */
    int32_t cpus_milli, memory_mib;
    int32_t slowest_ppm; /* speed there at least, in millionths of the reference */
    uint64_t gpu_types;  /* 0 = any */
};
struct rr_group {
    struct rr_room room;
    int64_t rank;     /* the placement's: least first */
    bool empty_nodes; /* its nodes are wholly free */
    bool listed;      /* in pool->order */
    struct rr_nodeset set;
};

#define RR_NO_GROUP UINT32_MAX
struct rr_node {
    uint32_t group; /* RR_NO_GROUP: not ready */
    uint32_t jobs;  /* on it now */
    uint32_t next;  /* next node of the same multi-node job, RR_NO_NODE at its end */
    uint32_t lease; /* index of its lease */
    int64_t used_milli_us;
};
/* A node that is held but takes no jobs: down, or drained while its last ones go on. In no group; `group` is RR_NO_GROUP. */
struct rr_closed {
    uint32_t node;
    struct rr_room room; /* what it would have to give */
    int32_t free_milli;  /* devices without a job: nobody can use them */
    int64_t since_us;    /* its lease's down_milli_us is up to date until here */
};
struct rr_fleet_pool {
    uint32_t n_nodes; /* nodes that ever were: 0 .. n_nodes - 1, ids within the pool */
    uint32_t cap_nodes;
    struct rr_node *node;
    uint32_t *kind_of; /* [n_nodes], NULL when all are of kind 0 */
    RR_VEC(struct rr_node_kind) kind;
    RR_VEC(struct rr_group) group;
    RR_VEC(uint32_t) order; /* groups by rank, then number: all of a plain pool, the ones with nodes otherwise */
    RR_VEC(uint32_t) spare; /* group numbers not in use */
    RR_VEC(struct rr_nodeset) spare_set;
    uint32_t *table; /* open addressing, group number + 1 */
    uint32_t table_cap, n_table, n_empty;
    bool plain;
    int32_t max_gpus;
    uint16_t *device; /* [cap_nodes * max_gpus] free milli; NULL unless the trace shares devices */
    const struct rr_placement *placement;
    struct rr_placing *placing;    /* what the placement knows beside the rooms; NULL for one that ranks alone */
    uint32_t index;                /* of this pool */
    int32_t slices;                /* that make one GPU, 1 where GPUs are not cut: in a pool of slices, "device" and "GPU" mean a slice */
    int64_t taken_milli;           /* in use by jobs */
    bool by_name;                  /* of slices: for jobs without GPUs and those that name the slice */
    uint32_t per_switch, per_rack; /* nodes of a switch, of a rack, in the order of their ids; 0 = all of them */
    int64_t free_milli;            /* on ready nodes */
    /* What the placement chose, until the next look: the devices on a job's one node (0: as rr_room_take does), or the nodes of a larger job. */
    uint64_t chosen_devices;
    RR_VEC(uint32_t) chosen;
    RR_VEC(struct rr_closed) closed;
    int64_t closed_milli; /* sum of free_milli over `closed` */
};

/* Which resources the trace asks for at all: what nobody asks for is not counted. */
struct rr_demand {
    bool cpus, memory, shares;
    bool speeds; /* the GPU's type matters to how long jobs run */
};
/* No node is ready yet. RR_EINPUT with the pool's pointer: too many nodes or devices. */
RR_CHECKED enum rr_status rr_fleet_init(struct rr_fleet_pool *p, const struct rr_pool *from, const struct rr_trace *t, struct rr_demand d,
                                        const struct rr_placement *placement);
void rr_fleet_done(struct rr_fleet_pool *p);
void rr_fleet_grow(struct rr_fleet_pool *p, uint32_t n_nodes);

static inline const struct rr_node_kind *rr_node_kind_of(const struct rr_fleet_pool *p, uint32_t node)
{
    return &p->kind.at[p->kind_of ? p->kind_of[node] : 0];
}
static inline struct rr_room rr_room_empty(const struct rr_fleet_pool *p, uint32_t kind) { return p->kind.at[kind].empty; }
static inline bool rr_room_fits(const struct rr_fleet_pool *p, const struct rr_room *r, const struct rr_need *n)
{
    if (r->whole < n->whole || r->cpus_milli < n->cpus_milli || r->memory_mib < n->memory_mib) return false;
    if (n->part > r->part && r->whole == 0 && n->part > 0) return false;
    return n->gpu_types == 0 || (p->kind.at[r->kind].gpu_types & n->gpu_types) != 0;
}
/* Nodes become usable (wholly free) or cease to be; the node must have no jobs. */
void rr_fleet_ready(struct rr_fleet_pool *p, uint32_t node);
void rr_fleet_remove(struct rr_fleet_pool *p, uint32_t node);
/* The node takes no more jobs: a ready one, of which `used_milli` are in use by the jobs on it, or one that was not ready yet. And takes them
 * again. */
void rr_fleet_close(struct rr_fleet_pool *p, uint32_t node, int32_t used_milli, int64_t now_us);
void rr_fleet_open(struct rr_fleet_pool *p, uint32_t node);
struct rr_closed *rr_fleet_closed(struct rr_fleet_pool *p, uint32_t node); /* NULL when it is not */

/* The node that the placement takes for a one-node need, or the first of enough wholly free ones; RR_NO_NODE when there is no room. */
uint32_t rr_fleet_find(struct rr_fleet_pool *p, const struct rr_need *n);
/* The same among the nodes that `allow` accepts (one-node needs). */
uint32_t rr_fleet_find_where(struct rr_fleet_pool *p, const struct rr_need *n, bool (*allow)(void *ctx, uint32_t node), void *ctx);
/* A look for a place: the node where this job starts, its first one if it takes several; RR_NO_NODE when there is no room. */
struct rr_seek {
    const struct rr_need *need;
    uint32_t job;
    bool (*allow)(void *ctx, uint32_t node); /* NULL: any node; for needs of one node alone */
    void *ctx;
};
/* As rr_fleet_find and rr_fleet_find_where, but with the placement's own choice, which rr_fleet_take, called next, follows. There is a place
 * when and only when those find one. */
uint32_t rr_fleet_choose(struct rr_fleet_pool *p, const struct rr_seek *seek);
/* How far apart two nodes are. */
static inline enum rr_reach rr_fleet_between(const struct rr_fleet_pool *p, uint32_t a, uint32_t b)
{
    if (a == b) return RR_REACH_NODE;
    if (p->per_rack && a / p->per_rack != b / p->per_rack) return RR_REACH_POOL;
    return p->per_switch && a / p->per_switch != b / p->per_switch ? RR_REACH_RACK : RR_REACH_SWITCH;
}
/* Nodes of group g that the need may start on. */
bool rr_group_could_hold(const struct rr_fleet_pool *p, const struct rr_group *g, const struct rr_need *n);
/* Wholly free nodes that can be one of n's. */
int64_t rr_fleet_count_empty(const struct rr_fleet_pool *p, const struct rr_need *n);

/* Take nodes for the whole job, chained by `next`; `first` is from rr_fleet_find. `devices`: bits of the devices used, in pools with
 * `device`. Give them back. */
void rr_fleet_take(struct rr_fleet_pool *p, uint32_t first, const struct rr_need *n, uint64_t *devices);
void rr_fleet_give(struct rr_fleet_pool *p, uint32_t first, const struct rr_need *n, uint64_t devices);

/* The same on the room of one node alone, for what will be. `device` [max_gpus] or NULL. */
void rr_room_take(const struct rr_fleet_pool *p, struct rr_room *r, uint16_t *device, const struct rr_need *n, uint64_t *devices);
void rr_room_give(const struct rr_fleet_pool *p, struct rr_room *r, uint16_t *device, const struct rr_need *n, uint64_t devices);
/* Take these very devices, which another look at the node has chosen. */
void rr_room_take_at(const struct rr_fleet_pool *p, struct rr_room *r, uint16_t *device, const struct rr_need *n, uint64_t devices);
/* Devices that the job uses on its i-th node. */
static inline int32_t rr_need_whole(const struct rr_need *n, int32_t i) { return n->whole - (n->n_fuller > 0 && i >= n->n_fuller); }
#endif
