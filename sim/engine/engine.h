/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/engine/engine.h - one replay: a job list on a fleet under a policy, from 0 to the horizon.
 *
 * Order at one instant: node ready, job end, failure or reclaim, price change, arrival (trace order), timer; then one scheduling
 * pass (DESIGN.md section 4). Arrivals never enter the heap: the sorted trace is merged at the top. */
#ifndef RR_SIM_ENGINE_H
#define RR_SIM_ENGINE_H
#include "data/record.h"
#include "data/scenario.h"
#include "data/trace.h"

struct rr_supply;
struct rr_world {
    const struct rr_scenario *scenario; /* pools, scheduler */
    const struct rr_trace *trace;       /* the replication's job list (rr_trace_merge) */
    uint32_t replication;
    int64_t horizon_us;     /* RR_NEVER: the last job's end */
    int64_t timeline_bins;  /* at most; 0 = no timeline. 2,000 */
    struct rr_notes *notes; /* what is given and does nothing is told there; NULL: nobody asks */
    /* Suppliers beside those of sim/supply/list.h that the scenario wants. */
    const struct rr_supply *const *supply; /* [n_supply] */
    size_t n_supply;
};

/* In a pool of slices ("mig") the unit is a slice: rr_pool_slices() of them make one GPU. Leases, node_gpus and the timeline are in GPUs.
 * GPU time of one pool, law 2: held = used + lost + idle + starting + down. Milli-GPU-microseconds. */
struct rr_pool_time {
    rr_i128 held, used, lost, idle, starting, down;
    rr_i128 lost_to[RR_WHYS]; /* the parts of `lost`: by the reason of the interruption, RR_WHY_CHECKPOINT, RR_WHY_RESTART */
    int64_t nodes_peak, nodes_started;
    int64_t refused;              /* requests for a node */
    int64_t nodes_lost[RR_WHYS];  /* rr_sim_node_lost, by reason */
    int64_t events_of[RR_WHYS];   /* instants at which at least one node was lost, by reason */
    int64_t interrupted[RR_WHYS]; /* attempts that were interrupted, by reason: failures by cause, preemptions, moves, reclaims, ... */
};
/* Mean, least and most over each bin [i x bin_us, (i + 1) x bin_us). GPUs in milli. */
struct rr_timeline {
    size_t n;
    int64_t bin_us;
    double *used_mean, *held_mean, *queue_mean,
        *queue_gpus_mean; /* [n] in GPUs, GPUs, jobs, GPUs; used: what jobs hold, lost time included */
    double *used_min, *used_max, *held_min, *held_max, *queue_min, *queue_max, *queue_gpus_min, *queue_gpus_max;
    double *starting_mean, *down_mean; /* GPUs */
};
/* How long bin i is, microseconds: the last one ends with the replay. */
static inline double rr_timeline_width_us(const struct rr_timeline *t, size_t i, int64_t end_us)
{
    const int64_t from = (int64_t)i * t->bin_us;
    return (double)(end_us - from < t->bin_us ? end_us - from : t->bin_us);
}
/* What jobs wait for (sim/engine/bound.c), asked of every job that waits: the first that holds. */
enum rr_bound {
    RR_BOUND_QUOTA,    /* a quota of its tenant, whatever is free */
    RR_BOUND_POLICY,   /* there is room now: the policy's order, a reservation or a round holds the job back */
    RR_BOUND_SCATTER,  /* GPUs enough are free in a pool that could run it, but not in one place, or without the CPUs, memory or type */
    RR_BOUND_STARTING, /* too few are free in all of its pools, and one of them may still get nodes: they boot, or nobody asked for them */
    RR_BOUND_REFUSED, /* the same, but nodes were refused and are not asked for yet again, a provider's quota is reached, or a market has no more */
    RR_BOUND_LIMIT, /* too few are free, and one of its pools is elastic and at its limit */
    RR_BOUND_TYPE,  /* the same, but a pool that it may not use has enough */
    RR_BOUND_SIZE,  /* too few are free anywhere */
    RR_BOUNDS,
};
struct rr_bound_time {
    double jobs_us, gpus_us; /* waiting time: jobs x microseconds, GPUs asked for x microseconds */
};
/* A node that an attempt held: kept for small runs alone, with a timeline: at most RR_SEAT_JOBS jobs, nodes and starts below. */
struct rr_seat {
    uint32_t job, node;     /* node: global id */
    uint16_t pool, attempt; /* attempt of the job, from 1 */
};
enum { RR_SEAT_JOBS = 2000, RR_SEAT_NODES = 64, RR_SEATS = 20000 };
struct rr_replay {
    int64_t end_us; /* the horizon, or the last event */
    size_t n_jobs;
    struct rr_outcome *outcome; /* [n_jobs] */
    size_t n_attempts;
    struct rr_attempt *attempt; /* NULL, and the next one too, when nothing could interrupt or slow a job: outcomes tell all */
    int64_t *held_us;           /* [n_jobs] sum over its attempts of end - start */
    uint16_t *class_of;         /* [n_jobs] index into scenario->classes or RR_NO_CLASS; NULL without classes */
    size_t n_leases;
    struct rr_lease *lease; /* sorted by pool, start, node */
    size_t *pool_lease;     /* [n_pools + 1] */
    size_t n_nodes;
    int32_t *node_gpus;        /* [n_nodes] by global node id */
    struct rr_pool_time *pool; /* [n_pools] */
    struct rr_timeline timeline;
    struct rr_seat *seat; /* [n_seats] in order of start; NULL: the run is too large, or there is no timeline */
    size_t n_seats;
    struct rr_bound_time bound[RR_BOUNDS]; /* all waiting inside the replay by what it was for; 0 without a timeline */
    int64_t queue_max;
    int64_t depth;    /* jobs in line that the policy looks at; 0 = all */
    int64_t events;   /* popped, for the benchmark */
    bool queue_grows; /* the backlog still grew at the horizon: waits are censored */
};
/* Runs to the end. The replay owns heap blocks: rr_replay_done(). Deterministic: the same world gives the same bytes.
 * Errors: RR_EINPUT (an elastic pool without max, a static pool of 0 nodes that cannot be funded...), with the pointer. */
RR_CHECKED enum rr_status rr_engine_run(const struct rr_world *w, struct rr_replay *ret);
/* All that rr_engine_run refuses before its first event, and what it notes; nothing is replayed. */
RR_CHECKED enum rr_status rr_engine_check(const struct rr_world *w);
void rr_replay_done(struct rr_replay *r);
const char *rr_bound_word(enum rr_bound b); /* "gpus" */
/* "job a (16 GPUs of h100|a100)", in the buffer. */
const char *rr_job_text(const struct rr_trace *t, size_t job, char buf[200]);
const char *rr_bound_text(enum rr_bound b); /* "GPUs: too few were free anywhere" */
/* Laws 1 and 2 recomputed from outcomes and leases: RR_EINTERNAL with the numbers when broken; `detail` gets the printed line. */
RR_CHECKED enum rr_status rr_replay_check_jobs(const struct rr_world *w, const struct rr_replay *r, struct rr_buf *detail);
RR_CHECKED enum rr_status rr_replay_check_time(const struct rr_world *w, const struct rr_replay *r, struct rr_buf *detail);

extern const struct rr_kinds rr_policies, rr_placements; /* sim/policy/list.h, sim/policy/placement_list.h */
extern const struct rr_kinds rr_autoscalers;             /* sim/autoscale/list.h */
#endif
