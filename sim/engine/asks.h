/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/engine/asks.h - the distinct requests of a trace: jobs that ask for the same are alike to every scheduler.
 *
 * What an ask needs in each pool, and whether it can run at all, is worked out once. */
#ifndef RR_SIM_ASKS_H
#define RR_SIM_ASKS_H
#include "data/record.h"
#include "sim/engine/fleet.h"

struct rr_speeds;
struct rr_ask {
    int32_t gpus_milli, nodes, cpus_milli, memory_mib; /* as in the trace */
    uint64_t gpu_types;
    uint16_t of_class;      /* index of the class that limits its pools, or RR_NO_CLASS */
    uint16_t accepted;      /* which pools accept it: index of rr_asks.accepting; 0 without "accepts" */
    uint16_t speed_class;   /* of the trace's classes, when jobs of different classes differ in speed; else 0 */
    enum rr_reason why;     /* it can never run: why */
    uint32_t waiting;       /* jobs that wait now */
    uint32_t waiting_index; /* its place in rr_asks.busy, while waiting > 0 */
};
struct rr_asks {
    RR_VEC(struct rr_ask) ask;
    RR_VEC(struct rr_need) need; /* [ask][pool] */
    RR_VEC(uint32_t) busy;       /* asks with jobs waiting, in no order that anything depends on */
    uint32_t *table;             /* open addressing, ask + 1 */
    uint32_t table_cap;
    size_t n_pools;
    const struct rr_fleet_pool *pool;
    const struct rr_pool *from;
    const struct rr_trace *trace;
    const struct rr_class *classes; /* with class_of [jobs]; NULL without classes */
    const uint16_t *class_of;
    uint16_t *accepted_of;          /* [jobs]; NULL: every pool accepts every job */
    RR_VEC(const bool *) accepting; /* [set][pool] */
    const struct rr_speeds *speeds; /* NULL: all jobs run at reference speed */
};
void rr_asks_init(struct rr_asks *a, const struct rr_trace *t, const struct rr_pool *from, const struct rr_fleet_pool *pool,
                  size_t n_pools);
void rr_asks_done(struct rr_asks *a);
uint32_t rr_ask_of(struct rr_asks *a, uint32_t job);
static inline const struct rr_need *rr_need_of(const struct rr_asks *a, uint32_t ask, size_t pool)
{
    return &a->need.at[ask * a->n_pools + pool];
}
#endif
