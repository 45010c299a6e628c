/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/engine/sim.h - a replay while it runs: what policies see, and the verbs they have.
 *
 * A scheduling policy is one constant in one file, sim/policy/NAME.c, and one row in sim/policy/list.h. It is told of each job (`submit`)
 * and once an instant, after all that happened then, asked to act (`pass`). It acts through rr_sim_start and its kin. */
#ifndef RR_SIM_SIM_H
#define RR_SIM_SIM_H
#include "sim/engine/asks.h"
#include "sim/engine/engine.h"
#include "sim/engine/events.h"
#include "sim/engine/expected.h"
#include "sim/engine/series.h"

struct rr_sim;
struct rr_policy {
    struct rr_kind kind; /* first */
    bool expects;        /* reserves: running jobs are kept in order of expected end */
    size_t state_size;   /* of its state, zeroed before init */
    void (*init)(void *state, struct rr_sim *sim);
    void (*done)(void *state);
    void (*submit)(void *state, struct rr_sim *sim, uint32_t job, uint32_t ask); /* the job waits from now on; jobs come in trace order */
    void (*pass)(void *state, struct rr_sim *sim);
};
#define X(name) extern const struct rr_policy rr_policy_##name;
#include "sim/policy/list.h"
#undef X

enum rr_live { RR_LIVE_JOB, RR_LIVE_BOOT, RR_LIVE_TIMER };
/* Something live that an event points to by its slot: a running job, a node that boots, a node's idle timer. */
struct rr_slot {
    int64_t start_us, expected_us; /* of a boot: request, ready */
    uint64_t devices;
    uint32_t job, ask;
    uint32_t node; /* first node, within the pool; while free: the next free slot */
    uint16_t pool;
    uint8_t live;          /* enum rr_live */
    uint8_t state, reason; /* of the job at its end */
};

/* The books of one pool, beside its nodes. */
struct rr_books {
    int64_t min, max; /* nodes held */
    int64_t boot_us, idle_timeout_us;
    bool elastic;
    int64_t held, starting; /* nodes now; starting is part of held */
    int64_t waiting;        /* jobs waiting that could run here (elastic pools alone) */
    int64_t since_us;       /* the integrals below are up to date until here */
    struct rr_pool_time time;
    struct rr_nodeset off;    /* of nodes 0 .. n_nodes - 1, those not held */
    RR_VEC(uint32_t) touched; /* nodes that may have become idle since the last look */
    RR_VEC(uint32_t) overdue; /* idle past their timeout while jobs waited */
    RR_VEC(struct idle {
        int64_t since_us; /* RR_NEVER: not idle */
        bool armed;       /* its timer is in the heap */
    })
    idle; /* [n_nodes] */
};

/* The promise made to the first job that cannot start: `nodes` nodes in `pool` by at_us. */
struct rr_hold {
    uint32_t ask;
    size_t pool;
    int64_t at_us;  /* RR_NEVER: nothing that runs will make room for it */
    int64_t spare;  /* nodes that will have room by then beyond the ones it needs */
    uint64_t freed; /* sim->freed when made */
    uint32_t stamp;
    struct rr_ahead { /* one a pool */
        uint32_t cap;
        struct rr_then { /* the room that a node will have at at_us, if `stamp` is the hold's; else the room it has now */
            uint32_t stamp;
            struct rr_room room;
        } * then; /* [cap] */
        uint16_t *device;
    } * ahead;
};

struct rr_sim {
    const struct rr_world *world;
    const struct rr_trace *trace;
    const struct rr_scheduler *how;
    const struct rr_policy *policy;
    void *policy_state;
    int64_t now_us;
    uint64_t freed; /* goes up whenever room appears */
    size_t n_pools;
    struct rr_fleet_pool *pool;   /* [n_pools] */
    struct rr_books *books;       /* [n_pools] */
    uint32_t *node_base;          /* [n_pools + 1] global id of each pool's node 0 */
    struct rr_expected *expected; /* [n_pools] when the policy expects */
    struct rr_hold hold;
    struct rr_asks asks;
    struct rr_events events;
    RR_VEC(struct rr_slot) slot;
    uint32_t free_slot;
    int64_t n_ends, n_boots; /* events of these kinds pending */
    struct rr_outcome *outcome;
    RR_VEC(struct rr_lease) lease;
    struct rr_series series;
    struct rr_series_now level;
    int64_t queue_max, n_events;
    bool any_elastic;
    double backlog[2]; /* queue x microseconds in the third and the fourth quarter of the horizon */
};

/* --- what policies ask and do --- */
static inline bool rr_sim_waits(const struct rr_sim *s, uint32_t job) { return s->outcome[job].state == RR_JOB_WAITING; }
/* How long the job is thought to run (scheduler.estimate), microseconds, at most RR_NEVER. */
int64_t rr_sim_estimate(const struct rr_sim *s, uint32_t job);
/* Start the job now on the first pool with room; false when there is none. */
bool rr_sim_start(struct rr_sim *s, uint32_t job, uint32_t ask);
bool rr_sim_fits(struct rr_sim *s, uint32_t ask);
/* Reserve for a job of this ask, which does not fit now; the reservation holds until room appears or its time passes. */
void rr_sim_reserve(struct rr_sim *s, uint32_t ask);
/* The reservation is still what rr_sim_reserve would make. */
static inline bool rr_sim_reserved(const struct rr_sim *s) { return s->hold.freed == s->freed && s->hold.at_us >= s->now_us; }
/* The longest estimate with which a job of this ask may start now without delaying the reservation: RR_NEVER any, -1 none. */
int64_t rr_sim_within(struct rr_sim *s, uint32_t ask);
/* Start the job if that does not delay the reservation. */
bool rr_sim_start_behind(struct rr_sim *s, uint32_t job, uint32_t ask);
/* Ask elastic pools for the nodes that the queue needs; the engine does so after each pass, a policy may before it reserves. */
void rr_sim_grow(struct rr_sim *s);

/* --- between the parts of the engine --- */
static inline int64_t rr_add_us(int64_t a, int64_t b) { return a > RR_NEVER - b ? RR_NEVER : a + b; } /* a, b >= 0 */
uint32_t rr_slot_new(struct rr_sim *s);
void rr_slot_free(struct rr_sim *s, uint32_t slot);
/* Place the job on nodes from `node` on, which rr_fleet_find named, and start it; returns its slot. */
uint32_t rr_sim_begin(struct rr_sim *s, uint32_t job, uint32_t ask, size_t pool, uint32_t node);
void rr_sim_submit(struct rr_sim *s, uint32_t job);
void rr_sim_end(struct rr_sim *s, uint32_t slot);
void rr_sim_cut(struct rr_sim *s, const struct rr_slot *r, int64_t end_us); /* it still runs at the end: its GPU time until then */
void rr_books_touch(struct rr_sim *s, size_t pool);                         /* bring the pool's integrals up to now */
void rr_hold_done(struct rr_sim *s);
/* elastic.c: leases and nodes come and go. */
enum rr_status rr_elastic_init(struct rr_sim *s);
void rr_elastic_boot_done(struct rr_sim *s, uint32_t slot);
void rr_elastic_timer(struct rr_sim *s, uint32_t slot);
void rr_elastic_busy(struct rr_sim *s, size_t pool, uint32_t node);  /* a job starts on it */
void rr_elastic_freed(struct rr_sim *s, size_t pool, uint32_t node); /* its last job ended */
void rr_elastic_settle(struct rr_sim *s);                            /* after the pass: arm timers, release what is overdue */
void rr_elastic_close(struct rr_sim *s, int64_t end_us);             /* leases end */
#endif
