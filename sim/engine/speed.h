/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/engine/speed.h - how fast jobs run where they are put, against the reference that their run times were measured on.
 *
 * Speed of a job = throughput of its class on the GPU / throughput on the reference GPU, of the slowest of its nodes, over the slowdown for nodes far
 * apart. Jobs without GPUs run at reference speed. In millionths, rounded to the nearest, at least 1. */
#ifndef RR_SIM_SPEED_H
#define RR_SIM_SPEED_H
#include "data/scenario.h"
#include "sim/engine/fleet.h"

#define RR_SPEED_REFERENCE 1000000

struct rr_speeds {
    const struct rr_spread *spread; /* factor[] all 1 when not given */
    struct rr_spread none;
    const struct rr_fleet_pool *pool;
    size_t n_pools, n_classes; /* n_classes 0: no table of throughputs */
    uint32_t *kind_base;       /* [n_pools + 1] */
    int32_t *ppm;              /* [class][kind_base[pool] + kind]; 0: no row */
};
/* The speed class of a job: its class in the trace, 0 where classes do not matter. */
static inline uint16_t rr_speeds_class(const struct rr_speeds *s, const struct rr_trace *t, uint32_t job)
{
    return s && s->n_classes && t->class_id && t->gpus_milli[job] ? t->class_id[job] : 0;
}
/* What a job of this need runs at in the pool at least, on any of the nodes that could hold it. */
int32_t rr_speeds_slowest(const struct rr_speeds *s, size_t pool, uint16_t speed_class, const struct rr_need *n);
#endif
