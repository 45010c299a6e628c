/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/engine/attempt.h - what is remembered about jobs that can be interrupted: work kept, attempts made, who runs where.
 *
 * One attempt: [write owed from a preemption, start, restore if anything was kept] [work tau, write C] [work tau, write C] ... [rest].
 * An interruption keeps the work of the completed pairs; a preemption that saves keeps all of it, and the GPUs are free at once: the write that
 * this costs is owed, and paid in front of the next attempt; what of it an interruption cuts off, in front of the one after. Times on the wall are int64 microseconds; work at reference speed is wall time x
 * speed / 1,000,000, rounded down. Side arrays, so that a replay without any of this pays nothing. */
#ifndef RR_SIM_ATTEMPT_H
#define RR_SIM_ATTEMPT_H
#include "sim/engine/sim.h"

/* How an attempt goes, on the wall. */
struct rr_course {
    int64_t owed_us, start_us; /* overhead in front: a write that is owed; start and restore */
    int64_t work_us;           /* to the job's end; RR_NEVER */
    int64_t interval_us;       /* of work before each write; RR_NEVER: no checkpoints */
    int64_t write_us;
    int32_t speed_ppm;
};
/* What has become of the first elapsed_us of it. */
struct rr_progress {
    int64_t kept_us, work_us;          /* work saved in completed checkpoints, and done in all */
    int64_t restart_us, checkpoint_us; /* overheads: start and restore, and completed or owed writes */
};
int64_t rr_course_us(const struct rr_course *c); /* all of it, RR_NEVER without an end */
struct rr_progress rr_course_at(const struct rr_course *c, int64_t elapsed_us);
int64_t rr_course_wall(int64_t work_us, int32_t speed_ppm); /* work at reference speed on the wall, rounded up */
int64_t rr_course_work(int64_t wall_us, int32_t speed_ppm); /* and back, rounded down */

struct rr_running { /* beside a job's slot */
    struct rr_course course;
    uint32_t next, before; /* of those on the same node, for jobs of one node */
    uint32_t index;        /* in `running` */
    int64_t hung_us;       /* elapsed when it hung; RR_NEVER: it works */
};
struct rr_attempts {
    RR_VEC(struct rr_attempt) past;
    RR_VEC(struct rr_running) of; /* by slot */
    RR_VEC(uint32_t) running;
    uint32_t *slot_of;                    /* [n] of jobs */
    int64_t *kept_us, *held_us, *owed_us; /* [n] work kept at reference speed; wall time of past attempts; a write that is owed */
    struct rr_on_node {
        uint32_t *first, *gang; /* of the jobs of one node; the job of several nodes */
        uint32_t n;
    } * on;             /* [n_pools] slots by node */
    size_t losing_pool; /* the node that rr_sim_node_lost is about */
    uint32_t losing_node;
    int64_t lost_at_us[RR_WHYS]; /* when a node was lost last, by reason */
};
void rr_attempts_init(struct rr_sim *s);
void rr_attempts_done(struct rr_sim *s);
/* The job in this slot begins: returns how long it takes, `work_us` being all its work at reference speed. */
int64_t rr_attempt_begin(struct rr_sim *s, uint32_t slot, int64_t work_us);
void rr_attempt_end(struct rr_sim *s, uint32_t slot);                 /* it comes to its end */
void rr_attempt_cut(struct rr_sim *s, uint32_t slot, int64_t end_us); /* the replay does */
/* The attempt in this slot is interrupted now; the job waits again. warned_us: how long ago notice was given, 0 = not. */
void rr_attempt_interrupt(struct rr_sim *s, uint32_t slot, enum rr_reason why, int64_t warned_us);
void rr_attempt_hang(struct rr_sim *s, uint32_t slot); /* it does no more from now on, but stays until it is interrupted */
/* Of `us` of the job, all of it at reference speed (its run time, or the estimate): what is left now; how long the attempt in this slot takes with
 * what was left; how long one that starts now would. */
int64_t rr_attempt_left(const struct rr_sim *s, uint32_t job, int64_t us);
int64_t rr_attempt_expected(const struct rr_sim *s, uint32_t slot, int64_t us);
int64_t rr_attempt_estimate(const struct rr_sim *s, uint32_t job, int64_t us);
#endif
