/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/autoscale/autoscale.h - who decides how many nodes an elastic pool holds: one constant in one file, sim/autoscale/NAME.c, and one row in
 * sim/autoscale/list.h.
 *
 * An autoscaler of a pool says how many nodes it wants (rr_sim_want); the engine follows at the end of the instant (sim/engine/elastic.c): it
 * asks for nodes, or lets booting ones go, then idle ones, then, with `drains`, closes those with the fewest jobs and releases each when its
 * last job has ended. It acts in `init` and at times that it sets itself (rr_sim_look_at). With `by_demand` the pool goes by the queue instead:
 * what waiting jobs need is asked for (rr_sim_grow), and a node is released idle_timeout after its last job. */
#ifndef RR_SIM_AUTOSCALE_H
#define RR_SIM_AUTOSCALE_H
#include "sim/engine/sim.h"

struct rr_autoscaler {
    struct rr_kind kind; /* first */
    bool by_demand;      /* the hooks are NULL */
    bool sees_waits;     /* asks for rr_sim_longest_wait */
    bool (*drains)(const void *params);
    size_t state_size; /* of its state in each pool, zeroed before init */
    /* At time 0, when pools, policy and suppliers are there. Errors stop the run. */
    enum rr_status (*init)(void *state, const void *params, struct rr_sim *s, size_t pool);
    void (*look)(void *state, struct rr_sim *s, size_t pool); /* a time that it set has come; a pass follows */
    void (*done)(void *state);                                /* NULL: nothing to do */
};
#define X(name) extern const struct rr_autoscaler rr_autoscaler_##name;
#include "sim/autoscale/list.h"
#undef X

/* Call `look` of the pool's autoscaler at at_us (>= now). */
void rr_sim_look_at(struct rr_sim *s, size_t pool, int64_t at_us);
/* The pool shall hold so many nodes, cut to its min and max, from the end of this instant on. */
void rr_sim_want(struct rr_sim *s, size_t pool, int64_t nodes);
/* Nodes held that are to stay: without those that drain. */
int64_t rr_sim_staying(const struct rr_sim *s, size_t pool);
/* Nodes beyond those held, and booting, that one job of this ask needs to start in the pool; 0 when it could start, or will when they have booted. */
int64_t rr_sim_missing(struct rr_sim *s, size_t pool, uint32_t ask);
/* Among the jobs that could run in the pool and do not fit anywhere now: its ask and since when, of the one that has waited longest. False: there
 * is none. */
bool rr_sim_longest_wait(struct rr_sim *s, size_t pool, uint32_t *ask, int64_t *since_us);
#endif
