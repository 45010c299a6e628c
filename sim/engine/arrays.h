/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/engine/arrays.h - of the tasks of a job array at most so many at once (Slurm's --array=0-99%N).
 *
 * A task beyond the limit waits (its wait counts from its submit), but the policy does not see it until one of those before it has ended for
 * good; one that was interrupted keeps its place. Of the tasks that are held the first in the trace goes first. What a task depends on comes before:
 * until that has ended it takes no place. Tasks that are rejected or killed before they start take none. Traces without a limit have no such state. */
#ifndef RR_SIM_ARRAYS_H
#define RR_SIM_ARRAYS_H
#include "sim/engine/sim.h"

void rr_arrays_init(struct rr_sim *s);
void rr_arrays_done(struct rr_sim *s);
/* May the job be given to the policy now? It takes a place then, else it is held. */
bool rr_arrays_admit(struct rr_sim *s, uint32_t job);
/* The job, which was admitted, has come to its end: the next one of its array is given to the policy. */
void rr_arrays_over(struct rr_sim *s, uint32_t job);
#endif
