/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/record.h - what a replay leaves behind: outcomes of jobs, attempts, leases; and what billing makes of them: charges. */
#ifndef RR_DATA_RECORD_H
#define RR_DATA_RECORD_H
#include "data/base/money.h"
#include "data/base/time.h"
#include <stdint.h>

enum rr_job_state {
    RR_JOB_NOT_SUBMITTED, /* beyond the horizon: not counted as submitted */
    RR_JOB_WAITING,
    RR_JOB_RUNNING,
    RR_JOB_FINISHED,
    RR_JOB_FAILED,
    RR_JOB_KILLED,
    RR_JOB_REJECTED,
};
/* Why a job is in its state; rr_why_text(). */
enum rr_reason {
    RR_WHY_NONE,
    RR_WHY_NEVER_STARTED, /* killed: the trace never started it */
    RR_WHY_LIMIT,         /* killed: ran into its limit */
    RR_WHY_TRACE_KILLED,  /* killed: as in the trace */
    RR_WHY_TRACE_FAILED,  /* failed: as in the trace */
    RR_WHY_TOO_LARGE,     /* rejected: more GPUs than any pool can ever hold */
    RR_WHY_NO_CPU,        /* rejected: no node has the CPUs */
    RR_WHY_NO_MEMORY,     /* rejected: no node has the host memory */
    RR_WHY_NO_GPU_TYPE,   /* rejected: no pool has the GPU type */
    RR_WHY_NO_DEVICE,     /* rejected: no node fits its GPUs, CPUs and memory together */
    RR_WHY_HORIZON,       /* waiting or running at the horizon */
    /* why an attempt was interrupted: the job waits again */
    RR_WHY_PREEMPTED,    /* by the scheduler, for another job */
    RR_WHY_MOVED,        /* by the scheduler, to other nodes */
    RR_WHY_NODE_FAILURE, /* hardware of the node */
    RR_WHY_GPU_FAILURE,
    RR_WHY_NETWORK_FAILURE,
    RR_WHY_POWER_FAILURE,
    RR_WHY_RECLAIMED,   /* spot capacity was taken back */
    RR_WHY_PRICE,       /* the spot price passed max_price */
    RR_WHY_MAINTENANCE, /* planned */
    RR_WHY_DRAINED,     /* the node was released before its time: shrinking, end of a lease */
    /* what GPU time is lost to beside interruptions */
    RR_WHY_CHECKPOINT, /* writing checkpoints */
    RR_WHY_RESTART,    /* starting and restoring */
    /* more reasons for a rejection */
    RR_WHY_CLASS, /* rejected: its class may use no pool that could run it */
    /* more interruptions */
    RR_WHY_SOFTWARE_FAILURE, /* the node needs no repair */
    RR_WHY_ACCEPTS,          /* rejected: no pool that could run it accepts it */
    RR_WHY_DEPENDENCY,       /* killed: a job that it depends on did not finish well */
    RR_WHYS,
};
const char *rr_job_state_text(enum rr_job_state s); /* "finished" */
bool rr_why_interrupts(enum rr_reason r);           /* an attempt: the job waits again */
const char *rr_why_text(enum rr_reason r);          /* "too large for every pool"; "" for RR_WHY_NONE */

struct rr_outcome {           /* of job i of the replayed trace */
    int64_t start_us, end_us; /* first start and last end; RR_NEVER when it did not */
    int64_t lost_us;          /* of its held time, thrown away or overhead */
    uint32_t node;            /* first node of the last attempt, global id */
    uint16_t pool;            /* of the last attempt; UINT16_MAX = none */
    uint16_t attempts;
    uint8_t state, reason; /* enum rr_job_state, enum rr_reason */
};

/* A job's GPUs on nodes from a start to the job's end, an interruption or the end of the replay. GPU time used = gpus_milli x (end_us -
 * start_us - lost_us), lost = gpus_milli x lost_us. In order of end, then of what happened first. */
struct rr_attempt {
    uint32_t job;
    uint32_t node, nodes; /* first node, global id, and how many */
    int32_t gpus_milli;   /* in total */
    uint16_t pool;
    uint8_t reason; /* of the interruption; RR_WHY_HORIZON when it still ran; else the job's: it ended */
    int64_t start_us, end_us;
    int64_t lost_us;     /* wall time that left no kept work: overheads, and work thrown away */
    int64_t overhead_us; /* of lost_us: start, restore, checkpoints that were written */
    int64_t restart_us;  /* of overhead_us: start and restore, before the first work */
};

/* A node held from request (boot included) to release. Leases of one pool are in order of start, then node. */
struct rr_lease {
    int64_t start_us, ready_us, end_us; /* request, usable, release; ready_us <= end_us */
    int64_t used_milli_us;              /* milli-GPU-microseconds that jobs held on it, lost ones included */
    int64_t down_milli_us;              /* those that nobody could use: down, or drained */
    uint32_t node;                      /* global id */
    uint16_t pool;
    uint8_t
        why; /* enum rr_reason: the node was lost for it, and the lease ended then; RR_WHY_NONE: it was released, or is held at the end */
};

/* How a charge was priced, for bills in the words of FOCUS (data/focus.h). */
enum rr_pricing {
    RR_PRICING_STANDARD,  /* a rate agreed before; a purchase */
    RR_PRICING_DYNAMIC,   /* the market's */
    RR_PRICING_COMMITTED, /* what a commitment costs, or usage that one pays for */
    RR_PRICING_OTHER,     /* own machines and what they need */
};

/* One line of a bill. Parts of the cost.* metrics by `type`; `line` says what it is for. */
struct rr_charge {
    const char *type;       /* plan type: "on_demand", "reserved", "owned": metric cost.TYPE */
    const char *line;       /* "compute", "upfront", "depreciation", "energy", "colocation", "maintenance", "staff", ... (static text) */
    const char *commitment; /* name of the commitment, or NULL */
    int pool;               /* index, -1 = none (a commitment over several) */
    bool energy;            /* of which cost.energy */
    int64_t from_us, to_us; /* the interval it pays for (inside one calendar month) */
    int64_t due_us;         /* when `billed` is cash */
    struct rr_money billed, effective;
    struct rr_money after_horizon; /* effective share that falls behind the horizon, beside `effective` */
    double quantity;               /* for people: in `unit` */
    const char *unit;              /* "node-hour", "kWh", "month" */
    struct rr_rate rate;           /* nano 0 = none */
    int64_t list_nano;             /* the list price in the rate's unit, before every discount; 0 = the rate itself */
    enum rr_pricing pricing;
    int64_t until_us; /* a payment at the start of a term or life: its end; 0 = to_us */
};

/* What became of a commitment in (part of) one calendar month: what it paid for in a pool, or (pool -1) what nobody used. The commitment's
 * effective charges that lie in [from_us, to_us) are shared by `part`, any measure that is the same for all records of a commitment in that
 * time: node-microseconds of a reservation, micro-units of a savings plan. Records are no charges: they cost nothing again. */
struct rr_cover {
    const char *commitment;
    int pool; /* -1: unused */
    int64_t from_us, to_us;
    int64_t part;
    double quantity;     /* usage that was paid for, as its pool's plan counts it; unused: as the commitment counts */
    const char *unit;    /* "node-hour" */
    struct rr_rate rate; /* what that usage would have cost without it, before and after the pool's own discounts; nano 0 = not known */
    int64_t list_nano;
};
#endif
