/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/engine/sim.h - a replay while it runs: what policies see, and the verbs they have.
 *
 * A scheduling policy is one constant in one file, sim/policy/NAME.c, and one row in sim/policy/list.h. It is told of each job (`submit`)
 * and once an instant, after all that happened then, asked to act (`pass`). It acts through rr_sim_start and its kin, in `pass` alone; the
 * other hooks take note.
 *
 * Jobs can be interrupted by a policy (rr_sim_preempt; it says `preempts`) or by a supplier (sim/supply/supply.h: spot, failures). An
 * interrupted job waits again: `ended`, then `submit` are called for it, so that jobs then come out of trace order; what it asks for (`ask`)
 * stays the same, and rr_sim_estimate speaks of what is left of it. */
#ifndef RR_SIM_SIM_H
#define RR_SIM_SIM_H
#include "sim/engine/asks.h"
#include "sim/engine/engine.h"
#include "sim/engine/events.h"
#include "sim/engine/expected.h"
#include "sim/engine/series.h"
#include "sim/policy/placement.h"

struct rr_sim;
struct rr_depends;
struct rr_arrays;
struct rr_attempts;
struct rr_autoscaler;
struct rr_supply;
/* What of the scenario a policy goes by: the rest is told to do nothing when it is given (sim/engine/warn.c). */
enum {
    RR_READS_ORDER = 1,
    RR_READS_BLOCKING = 2,
    RR_READS_ESTIMATE = 4,
    RR_READS_PRIORITY = 8, /* of classes and jobs */
    RR_READS_DEADLINE = 16,
    RR_READS_BOOT = 32, /* of pools that always hold the same nodes */
};
struct rr_policy {
    struct rr_kind kind; /* first */
    unsigned reads;      /* RR_READS_* */
    bool expects;        /* reserves: running jobs are kept in order of expected end */
    bool preempts;       /* may interrupt: attempts are tracked, as rr_sim_preempt, rr_sim_running and rr_sim_attained_us need */
    size_t state_size;   /* of its state, zeroed before init */
    void (*init)(void *state, struct rr_sim *sim);
    void (*done)(void *state);
    void (*submit)(void *state, struct rr_sim *sim, uint32_t job, uint32_t ask); /* the job waits from now on, again if interrupted */
    void (*pass)(void *state, struct rr_sim *sim);                               /* only while jobs wait */
    /* Each may be NULL. */
    int64_t (*depth)(const void *params);                           /* jobs in line that it looks at, others not; NULL: all */
    void (*started)(void *state, struct rr_sim *sim, uint32_t job); /* an attempt begins */
    void (*ended)(void *state, struct rr_sim *sim, uint32_t job); /* it is over: the job ended, or (its `submit` follows) was interrupted */
    void (*timer)(void *state, struct rr_sim *sim); /* the time of a rr_sim_wake has come; a pass follows if jobs wait. May preempt */
    void (*kept_back)(const void *state, const struct rr_sim *sim,
                      double *by_ask);                              /* [asks] += jobs that wait for a quota of their tenant */
    void (*capacity)(void *state, struct rr_sim *sim, size_t pool); /* how many nodes the pool may hold has changed; takes note, or wakes */
};
#define X(name) extern const struct rr_policy rr_policy_##name;
#include "sim/policy/list.h"
#undef X

enum rr_live { RR_LIVE_JOB, RR_LIVE_BOOT, RR_LIVE_TIMER, RR_LIVE_WAKE, RR_LIVE_SUPPLY, RR_LIVE_LOOK, RR_LIVE_THINK };
#define RR_NO_SLOT UINT32_MAX
/* Something live that an event points to by its slot: a running job, a node that boots, a node's idle timer, a policy's timer, a supplier's
 * event, a look of an autoscaler, a job that may start once it has thought. */
struct rr_slot {
    int64_t start_us, expected_us; /* end by the estimate, where the policy expects or preempts; of a boot: request, ready */
    uint64_t devices;
    uint32_t job, ask;
    uint32_t node; /* first node, within the pool; while free: the next free slot */
    uint16_t pool;
    uint8_t live;          /* enum rr_live */
    uint8_t state, reason; /* of the job at its end */
    uint32_t sequence;     /* of its event, the low 32 bits: another event that names this slot is stale; 0 = none */
};

/* The books of one pool, beside its nodes. */
struct rr_books {
    int64_t min, max; /* nodes held */
    int64_t limit;    /* that the pool may hold at present: at most max; a supplier may set it (rr_sim_limit) */
    uint64_t freed;   /* goes up whenever room appears in it */
    int64_t boot_us, idle_timeout_us;
    int64_t retry_us, retry_at_us; /* no node is asked for until then: one was refused */
    uint32_t n_requests;
    int64_t spill_us; /* jobs that began to wait then have a wake at hand */
    bool elastic;
    const struct rr_autoscaler *scaler; /* of an elastic pool */
    void *scaler_state;
    int64_t want;           /* nodes to be held, as its autoscaler says; -1: as many as the queue needs */
    bool drains;            /* shrinking may close nodes with jobs */
    bool unsettled;         /* `want` has changed since the last look at which nodes may go */
    rr_i128 ready_node_us;  /* integral of nodes that take jobs, where `want` is said */
    int64_t held, starting; /* nodes now; starting is part of held */
    int64_t waiting;        /* jobs waiting that could run here (elastic pools alone) */
    int64_t since_us;       /* the integrals below are up to date until here */
    struct rr_pool_time time;
    struct rr_nodeset off;     /* of nodes 0 .. n_nodes - 1, those not held */
    RR_VEC(uint32_t) touched;  /* nodes that may have become idle since the last look */
    RR_VEC(uint32_t) overdue;  /* idle past their timeout while jobs waited */
    RR_VEC(uint32_t) draining; /* closed; released when their last job ends */
    RR_VEC(struct idle {
        int64_t since_us; /* RR_NEVER: not idle */
        bool armed;       /* its timer is in the heap */
        bool imaged;      /* it has pulled its image before */
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

struct rr_order { /* o[k].pool is the k-th to be tried; o[i].nano the quote of pool i, per node and hour */
    size_t pool;
    int64_t nano;
};
struct rr_waits {
    int64_t *since_us;           /* [trace->n] since when it waits, of those that do */
    struct rr_wait_lines *lines; /* waits.c */
};
struct rr_sim {
    const struct rr_world *world;
    const struct rr_trace *trace;
    const struct rr_scheduler *how;
    const struct rr_policy *policy;
    void *policy_state;
    int64_t now_us;
    uint64_t freed; /* goes up whenever room appears: rr_sim_freed */
    size_t n_pools;
    struct rr_fleet_pool *pool;   /* [n_pools] */
    struct rr_books *books;       /* [n_pools] */
    uint32_t *node_base;          /* [n_pools + 1] global id of each pool's node 0 */
    struct rr_expected *expected; /* [n_pools] when the policy expects */
    struct rr_hold hold;
    struct rr_asks asks;
    struct rr_placing placing;
    struct rr_speeds *speeds; /* NULL: all jobs run at reference speed */
    struct rr_events events;
    RR_VEC(struct rr_slot) slot;
    uint32_t free_slot;
    int64_t n_ends, n_boots; /* events of these kinds pending */
    struct rr_outcome *outcome;
    RR_VEC(struct rr_lease) lease;
    struct rr_series series;
    struct rr_series_now level;
    RR_VEC(struct rr_seat) seat;
    bool seats;                                                  /* they are kept */
    struct rr_bound_time bound[RR_BOUNDS], bound_now[RR_BOUNDS]; /* so far; who waits for what since bound_us, x 1 microsecond */
    int64_t bound_us, bound_due_us;                              /* the last look at what jobs wait for, RR_NEVER: none waits; the next */
    int64_t queue_max, n_events;
    bool any_elastic;
    bool any_spill;                        /* a pool has spill_after */
    struct rr_order *order;                /* [n_pools] NULL: as in the scenario */
    struct rr_attempts *attempts;          /* NULL: nothing can interrupt a job or slow it down */
    struct rr_depends *depends;            /* NULL: no job depends on others */
    struct rr_arrays *arrays;              /* NULL: no array has a limit */
    struct rr_waits *waits;                /* NULL: nobody asks how long jobs have waited */
    const struct rr_supply *const *supply; /* [n_supply] those at work */
    void **supply_state;                   /* [n_supply] */
    size_t n_supply;
    int64_t n_wakes, n_supply_events; /* pending */
    int64_t n_thinking;               /* jobs whose think time runs */
    int64_t n_hung;                   /* jobs that hold nodes and do nothing (rr_sim_node_hang) */
    size_t n_stale;                   /* events in the heap that were called off */
    int64_t round_at_us;              /* a pass is due then (scheduler.round), when later than now */
    int64_t moved_us;                 /* when a job started or ended last */
    double *node_mtbf_us;             /* [n_pools] of a node, as the failure supplier says; 0 = never fails, or not said */
    bool *has_memory;                 /* [n_pools] its nodes fail otherwise than exponentially */
    uint16_t *class_of;               /* [trace->n] index into scenario->classes or RR_NO_CLASS; NULL without classes */
    enum rr_status failed;            /* the replay must stop: rr_reason() says why */
    double backlog[2];                /* queue x microseconds in the third and the fourth quarter of the horizon */
};

/* --- what policies ask and do --- */
static inline bool rr_sim_waits(const struct rr_sim *s, uint32_t job) { return s->outcome[job].state == RR_JOB_WAITING; }
/* How long the job is thought to run (scheduler.estimate) if it starts now, microseconds, at most RR_NEVER. After an interruption: what is
 * left of that, with restart and checkpoints. */
int64_t rr_sim_estimate(const struct rr_sim *s, uint32_t job);
/* Start the job now on the first pool with room; false when there is none. */
bool rr_sim_start(struct rr_sim *s, uint32_t job, uint32_t ask);
/* The same, but not on the pools that others wait for: held_up[n_pools], or NULL: none. */
bool rr_sim_start_beside(struct rr_sim *s, uint32_t job, uint32_t ask, const bool *held_up);
/* A job of this ask waits: every pool that it could run in is held up from now on. True: all pools are. */
bool rr_sim_hold_up(struct rr_sim *s, uint32_t ask, bool *held_up);
bool rr_sim_start_in(struct rr_sim *s, uint32_t job, uint32_t ask, size_t pool); /* in this pool */
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
/* Call `timer`, then `pass`, at at_us (>= now). Any number may be pending. */
void rr_sim_wake(struct rr_sim *s, int64_t at_us);

/* --- jobs that run --- */
/* The attempt ends now and the job waits again (`ended`, `submit`). In `pass` alone, by a policy that `preempts`. False, and nothing happens,
 * when the job does not run or is not interruptible. */
bool rr_sim_preempt(struct rr_sim *s, uint32_t job, enum rr_reason why);
bool rr_sim_interruptible(const struct rr_sim *s, uint32_t job); /* by its class */
/* Work left as of now, of the run time or of the estimate, at reference speed without overheads; RR_NEVER for a job that never ends. */
int64_t rr_sim_remaining_us(const struct rr_sim *s, uint32_t job);
int64_t rr_sim_estimate_left_us(const struct rr_sim *s, uint32_t job);
/* GPU time that the job has held so far, over all attempts, in milli-GPU-microseconds. */
rr_i128 rr_sim_attained_us(const struct rr_sim *s, uint32_t job);
/* The slot of a running job (s->slot.at[]: pool, node, start_us), RR_NO_SLOT when it does not run. */
uint32_t rr_sim_slot_of(const struct rr_sim *s, uint32_t job);
/* Slots of the jobs that run: number 0 .. n - 1, in an order that is the same in every run; a start or an end changes it. */
size_t rr_sim_n_running(const struct rr_sim *s);
uint32_t rr_sim_running(const struct rr_sim *s, size_t i);
/* Slots of the jobs on a node: the first one, and the one after it (of one node, then of several); RR_NO_SLOT at the end. */
uint32_t rr_sim_first_on(const struct rr_sim *s, size_t pool, uint32_t node);
uint32_t rr_sim_next_on(const struct rr_sim *s, uint32_t slot);

/* A warning about the scenario at `where`, a pointer; from `init` alone. */
#define rr_sim_warn(s, where, ...)                                                                    \
    do {                                                                                              \
        if ((s)->world->notes) rr_note((s)->world->notes, RR_NOTE_WARNING, (where), "", __VA_ARGS__); \
    } while (0)
void rr_sim_warn_rejected(struct rr_sim *s); /* warn.c: jobs that can never run */
void rr_sim_warn_unused(struct rr_sim *s);   /* warn.c: what is given and nothing looks at */

/* --- what a job is --- */
static inline size_t rr_sim_class_of(const struct rr_sim *s, uint32_t job) { return s->class_of ? s->class_of[job] : RR_NO_CLASS; }
const struct rr_class *rr_sim_class(const struct rr_sim *s, uint32_t job);           /* NULL: none */
int64_t rr_sim_priority(const struct rr_sim *s, uint32_t job);                       /* of its class plus its own; larger goes first */
const struct rr_checkpoint *rr_sim_checkpoint(const struct rr_sim *s, uint32_t job); /* of its class, else the scenario's */
/* Speed of the job on nodes of `pool` from `node` on (chained, taken), in millionths of the reference; > 0. Asked at each start when
 * rr_sim_has_speeds(). sim/engine/speed.c. */
int32_t rr_sim_speed(const struct rr_sim *s, uint32_t job, size_t pool, uint32_t node);
bool rr_sim_has_speeds(const struct rr_sim *s);
void rr_speeds_init(struct rr_sim *s);
void rr_speeds_done(struct rr_sim *s);
/* Every job that could run somewhere has a throughput there and on the reference: RR_EINPUT with the table's path else. */
RR_CHECKED enum rr_status rr_speeds_check(struct rr_sim *s);

/* --- what suppliers and autoscalers do with nodes --- */
enum rr_fate { RR_FATE_DOWN, RR_FATE_RELEASED };
/* The node is lost now: every job with a device on it is interrupted (a gang as a whole). Jobs whose checkpoint is `on_notice` and that were warned
 * notice_us ago (0 = not) keep the work done until then if a checkpoint could be written since. The node, held or booting, is down until
 * rr_sim_node_back, or its lease ends (elastic pools alone). Returns how many jobs were interrupted. */
uint32_t rr_sim_node_lost(struct rr_sim *s, size_t pool, uint32_t node, enum rr_reason why, int64_t notice_us, enum rr_fate fate);
/* Something on the node, held and not booting, fails and nobody knows yet: every job with a device on it does no more (a gang as a whole) but holds
 * its GPUs, lost, until rr_sim_node_lost or a preemption, which saves nothing then. No job starts on the node any more. Returns how many jobs. */
uint32_t rr_sim_node_hang(struct rr_sim *s, size_t pool, uint32_t node);
/* No job starts on the node any more; those on it go on, and rr_supply's `drained` is called when the last has ended. True: there is none. */
bool rr_sim_node_drain(struct rr_sim *s, size_t pool, uint32_t node);
void rr_sim_node_back(struct rr_sim *s, size_t pool, uint32_t node); /* down or drained -> usable */
/* Held, but neither usable nor booting: down or drained. */
bool rr_sim_node_is_closed(const struct rr_sim *s, size_t pool, uint32_t node);
bool rr_sim_node_is_held(const struct rr_sim *s, size_t pool, uint32_t node);
bool rr_sim_node_boots(const struct rr_sim *s, size_t pool, uint32_t node);
/* Elastic pools: ask for a node (it boots; returns it, or RR_NO_NODE at the limit), and end the lease of one without jobs. */
uint32_t rr_sim_node_request(struct rr_sim *s, size_t pool);
void rr_sim_node_release(struct rr_sim *s, size_t pool, uint32_t node);
/* Nodes that the pool may hold from now on (cut to its max): growth stops there; what is held above stays until it is lost or released. */
void rr_sim_limit(struct rr_sim *s, size_t pool, int64_t nodes);

/* --- what jobs wait for --- */
void rr_bound_look(struct rr_sim *s); /* with a timeline: after a pass, while jobs wait */
void rr_bound_close(struct rr_sim *s, int64_t end_us);
void rr_bound_scale(struct rr_sim *s); /* after the last: to the exact sums of the timeline, before it is handed over */

/* --- between the parts of the engine --- */
enum rr_told { RR_TOLD_HELD, RR_TOLD_READY, RR_TOLD_RELEASED, RR_TOLD_DRAINED };
static inline int64_t rr_add_us(int64_t a, int64_t b) { return a > RR_NEVER - b ? RR_NEVER : a + b; } /* a, b >= 0 */
uint32_t rr_slot_new(struct rr_sim *s);
void rr_slot_free(struct rr_sim *s, uint32_t slot);
/* Place the job on nodes from `node` on, which rr_fleet_find named, and start it; returns its slot. */
uint32_t rr_sim_begin(struct rr_sim *s, uint32_t job, uint32_t ask, size_t pool, uint32_t node);
void rr_sim_submit(struct rr_sim *s, uint32_t job);
void rr_sim_admit(struct rr_sim *s, uint32_t job); /* it depends on nobody any more: to the policy, or held by its array's limit */
void rr_sim_end(struct rr_sim *s, uint32_t slot);
void rr_sim_cut(struct rr_sim *s, uint32_t slot, int64_t end_us); /* it still runs at the end: its GPU time until then */
void rr_sim_push(struct rr_sim *s, int64_t at_us, enum rr_event_kind kind, uint32_t slot); /* the slot's event */
void rr_sim_requeue(struct rr_sim *s, uint32_t job, uint32_t ask);                         /* it waits again */
void rr_sim_leave(struct rr_sim *s, uint32_t slot);                                        /* its nodes are free, its slot too */
int64_t rr_sim_work_us(const struct rr_sim *s, uint32_t job); /* all of the job's work: its run time, or the limit that ends it before */
void rr_sim_classify(struct rr_sim *s);                       /* class_of */
/* nodes.c: closed nodes among those of a job that ends. */
void rr_node_touch(struct rr_sim *s, size_t pool, uint32_t node); /* bring a closed node's lease up to now */
void rr_closed_touch(struct rr_sim *s, const struct rr_slot *r, const struct rr_need *n);
void rr_tell_drained(struct rr_sim *s, const struct rr_slot *r);
RR_CHECKED enum rr_status rr_supply_init(struct rr_sim *s);  /* which are wanted */
RR_CHECKED enum rr_status rr_supply_start(struct rr_sim *s); /* their states and first events */
void rr_supply_done(struct rr_sim *s);
void rr_supply_event(struct rr_sim *s, uint32_t slot, enum rr_event_kind kind);
void rr_supply_tell(struct rr_sim *s, size_t pool, uint32_t node, enum rr_told what);
/* Bring the pool's integrals up to now. */
static inline void rr_books_touch(struct rr_sim *s, size_t pool)
{
    struct rr_books *b = &s->books[pool];
    const int64_t dt = s->now_us - b->since_us;
    if (dt == 0) return;
    b->time.idle += (rr_i128)s->pool[pool].free_milli * dt;
    if (s->pool[pool].closed_milli) b->time.down += (rr_i128)s->pool[pool].closed_milli * dt;
    if (b->want >= 0) b->ready_node_us += (rr_i128)(b->held - b->starting - (int64_t)s->pool[pool].closed.n) * dt;
    b->since_us = s->now_us;
}
/* Room has appeared in the pool, or what is expected of it has changed. */
static inline void rr_sim_freed(struct rr_sim *s, size_t pool)
{
    s->freed++;
    s->books[pool].freed++;
}
void rr_hold_done(struct rr_hold *h, size_t n_pools);
/* elastic.c: leases and nodes come and go. */
void rr_elastic_closed(struct rr_sim *s, size_t pool, uint32_t node); /* it takes no more jobs */
void rr_elastic_unboot(struct rr_sim *s, size_t pool, uint32_t node); /* it boots: no more */
enum rr_status rr_elastic_init(struct rr_sim *s);
enum rr_status rr_elastic_start(struct rr_sim *s); /* autoscalers, when all else is there */
void rr_elastic_done(struct rr_sim *s);
bool rr_elastic_drains(const struct rr_scenario *sc); /* does any pool close nodes with jobs? */
void rr_elastic_look(struct rr_sim *s, uint32_t slot);
void rr_elastic_boot_done(struct rr_sim *s, uint32_t slot);
void rr_elastic_timer(struct rr_sim *s, uint32_t slot);
void rr_elastic_busy(struct rr_sim *s, size_t pool, uint32_t node);  /* a job starts on it */
void rr_elastic_freed(struct rr_sim *s, size_t pool, uint32_t node); /* its last job ended */
void rr_elastic_settle(struct rr_sim *s);                            /* after the pass: arm timers, release what is overdue */
void rr_elastic_close(struct rr_sim *s, int64_t end_us);             /* leases end */
/* A look of no autoscaler: policies look again at what waits, for a pool may be used now that could not be before. */
void rr_elastic_wake(struct rr_sim *s, size_t pool, int64_t at_us);
/* order.c */
enum rr_status rr_order_init(struct rr_sim *s);
enum rr_status rr_order_now(struct rr_sim *s);
bool rr_order_spilled(struct rr_sim *s, size_t pool, uint32_t job);
bool rr_order_ask_spilled(struct rr_sim *s, size_t pool, uint32_t ask);
/* The k-th pool to be tried, and whether this job, or one of this ask, may use it yet. */
static inline size_t rr_sim_pool_at(const struct rr_sim *s, size_t k) { return s->order ? s->order[k].pool : k; }
static inline bool rr_sim_may(struct rr_sim *s, size_t pool, uint32_t job) { return !s->any_spill || rr_order_spilled(s, pool, job); }
static inline bool rr_sim_ask_may(struct rr_sim *s, size_t pool, uint32_t ask)
{
    return !s->any_spill || rr_order_ask_spilled(s, pool, ask);
}
/* waits.c: how long jobs have waited, by ask. */
int64_t rr_waits_since(const struct rr_sim *s, uint32_t ask);                   /* of the one that has waited longest; now if none waits */
int64_t rr_waits_count(const struct rr_sim *s, uint32_t ask, int64_t least_us); /* that have waited at least so long; O(their number) */
void rr_waits_init(struct rr_sim *s);
void rr_waits_done(struct rr_sim *s);
void rr_waits_enter(struct rr_sim *s, uint32_t job, uint32_t ask);
#endif
