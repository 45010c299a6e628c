/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/policy/deadline.h - jobs with a deadline on spot and on-demand machines: what the policies deadline_* share ("Can't Be Late", NSDI'24).
 *
 * The spot pool is the first that may be reclaimed, the on-demand pool the first that may not; each job uses whole nodes. A policy says where a
 * job should be (enum rr_place) at each step, whenever a job starts or ends and whenever the spot pool's capacity changes; the rest is here:
 * nodes are asked for and given back, a job moves when its new place is ready. Who waits holds nothing. For few jobs: O(jobs alive) a step.
 *
 * Safety net of all of them: once the time to the deadline less the work left is below twice the change-over, the job goes on demand and stays. */
#ifndef RR_SIM_DEADLINE_H
#define RR_SIM_DEADLINE_H
#include "models/deadline.h"
#include "sim/engine/sim.h"

struct rr_deadline_params {
    uint64_t given;
    int64_t deadline_us, change_us, step_us;
};
#define RR_DEADLINE_ROW(member) offsetof(struct rr_deadline_params, member)
extern const struct rr_param rr_deadline_rows[3];

struct rr_dated { /* a job that is alive */
    uint32_t job, ask;
    int64_t submit_us, due_us, work_us; /* by the clock; work in all */
    bool waits, committed;              /* the safety net has it */
    enum rr_place want;
    unsigned char *plan; /* of the omniscient policy, [n_plan] */
    size_t n_plan;
};
struct rr_deadline {
    struct rr_deadline_params p;
    /* Where the job should be; it is not committed. `spot`: it is on spot machines or could have them now. */
    enum rr_place (*place)(struct rr_deadline *d, struct rr_sim *s, struct rr_dated *j, bool spot);
    int64_t net;            /* change-overs of the safety net: 2; 0 for one who needs none */
    size_t spot, on_demand; /* pools */
    RR_VEC(struct rr_dated) job;
    int64_t wake_us; /* the next one that was asked for */
};
void rr_deadline_init(struct rr_deadline *d, struct rr_sim *s,
                      enum rr_place (*place)(struct rr_deadline *, struct rr_sim *, struct rr_dated *, bool));
int64_t rr_deadline_of(const struct rr_deadline *d, const struct rr_sim *s, uint32_t job); /* from its submit; RR_NEVER: it has none */
enum rr_place rr_deadline_now(const struct rr_sim *s, const struct rr_deadline *d, const struct rr_dated *j); /* where it is */
int64_t rr_deadline_left(const struct rr_sim *s, const struct rr_dated *j);                                   /* work left */
int64_t rr_deadline_change(const struct rr_deadline *d, const struct rr_sim *s, uint32_t job);                /* the change-over */
void rr_deadline_done(void *state);
void rr_deadline_submit(void *state, struct rr_sim *s, uint32_t job, uint32_t ask);
void rr_deadline_pass(void *state, struct rr_sim *s);
void rr_deadline_ended(void *state, struct rr_sim *s, uint32_t job);
void rr_deadline_timer(void *state, struct rr_sim *s);
void rr_deadline_capacity(void *state, struct rr_sim *s, size_t pool);
#define RR_DEADLINE_POLICY(word, text)                                                                                                    \
    .kind = {.name = word, .summary = text, .params = rr_deadline_rows, .n_params = 3, .params_size = sizeof(struct rr_deadline_params)}, \
    .reads = RR_READS_BOOT, .preempts = true, .state_size = sizeof(struct rr_deadline), .done = rr_deadline_done,                         \
    .submit = rr_deadline_submit, .pass = rr_deadline_pass, .ended = rr_deadline_ended, .timer = rr_deadline_timer,                       \
    .capacity = rr_deadline_capacity
#endif
