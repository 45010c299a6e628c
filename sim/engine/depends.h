/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/engine/depends.h - jobs that may start only after others have finished well (Slurm's afterok), or have ended (afterany).
 *
 * A job with unfinished ones before it is submitted, and waits from then on (its wait counts from its submit), but the policy does not see it until
 * the last of them has finished. When one of them fails, is killed or rejected, the job is killed with RR_WHY_DEPENDENCY, and so on along the
 * chain; with afterany it may start all the same. A think time runs from the end of the last of them. Who waits for a job that comes after the
 * horizon waits until then. Traces without depends_on have no such state. */
#ifndef RR_SIM_DEPENDS_H
#define RR_SIM_DEPENDS_H
#include "sim/engine/sim.h"

/* RR_EINPUT: an id that is no job's, or jobs that wait for each other in a circle. */
RR_CHECKED enum rr_status rr_depends_init(struct rr_sim *s);
void rr_depends_done(struct rr_sim *s);
/* At the job's submit: may it be given to the policy now? When not, its state is set. */
bool rr_depends_ready(struct rr_sim *s, uint32_t job);
/* The job in this slot has thought long enough. */
void rr_depends_thought(struct rr_sim *s, uint32_t slot);
/* The job has come to its end, as its outcome says. */
void rr_depends_over(struct rr_sim *s, uint32_t job);
#endif
