/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/supply/supply.h - what gives and takes nodes: spot markets, failures and repairs, maintenance.
 *
 * A supplier is one constant in one file, sim/supply/NAME.c, and one row in sim/supply/list.h. It puts events of its own into the replay
 * (rr_supply_at) and acts on nodes when they come (rr_sim_node_lost and its kin in sim/engine/sim.h). Its random numbers are its own:
 * rr_rng_init(&rng, seed, replication, PURPOSE, pool << 32 | node), so that what one node meets does not depend on what others do. */
#ifndef RR_SIM_SUPPLY_H
#define RR_SIM_SUPPLY_H
#include "sim/engine/sim.h"

struct rr_supply {
    const char *name;
    bool (*wanted)(const struct rr_world *w); /* the scenario asks for it; NULL: always (a test's own) */
    size_t state_size;                        /* zeroed before init */
    /* After pools, leases and policy are there, at time 0; may set sim->node_mtbf_us[pool] and make events. Errors stop the run. */
    enum rr_status (*init)(void *state, struct rr_sim *sim);
    void (*event)(void *state, struct rr_sim *sim, enum rr_event_kind kind, uint64_t data); /* one of its own */
    void (*done)(void *state);
    /* Each may be NULL. */
    void (*drained)(void *state, struct rr_sim *sim, size_t pool, uint32_t node); /* the last job on a drained node has ended */
    void (*held)(void *state, struct rr_sim *sim, size_t pool, uint32_t node);    /* a lease begins (the first ones are before init) */
    void (*ready)(void *state, struct rr_sim *sim, size_t pool, uint32_t node);   /* it has booted */
    void (*released)(void *state, struct rr_sim *sim, size_t pool, uint32_t node);
};
#define X(name) extern const struct rr_supply rr_supply_##name;
#include "sim/supply/list.h"
#undef X

struct rr_supply_event { /* names a pending event; zero: none */
    uint32_t slot;
    uint32_t sequence;
};
/* An event at at_us (>= now): RR_EV_READY, RR_EV_FAILURE, RR_EV_PRICE or RR_EV_TIMER, its place among others at one instant. */
struct rr_supply_event rr_supply_at(struct rr_sim *s, const struct rr_supply *self, int64_t at_us, enum rr_event_kind kind, uint64_t data);
void rr_supply_cancel(struct rr_sim *s, struct rr_supply_event *e); /* one that is past or none is left alone; *e becomes none */
#endif
