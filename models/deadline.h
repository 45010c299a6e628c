/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/deadline.h - the least on-demand time with which a job meets its deadline, when it is known where spot machines will be had.
 *
 * Time goes in steps; in each the job is on spot (where `spot` says so), on demand, or waits. Each start on either costs `change_us` before
 * work goes on; nothing else is lost. Exact on the grid of steps, by dynamic programming over (step, where and since when, on-demand steps so
 * far): more progress is never worse, so the most is kept for each. Steps^2 x (2 x ceil(change / step) + 3) in time and bytes. */
#ifndef RR_MODELS_DEADLINE_H
#define RR_MODELS_DEADLINE_H
#include "data/base/arena.h"
#include "data/base/time.h"
#include <stdbool.h>

enum rr_place { RR_PLACE_NONE, RR_PLACE_SPOT, RR_PLACE_ON_DEMAND };
struct rr_deadline_job {
    int64_t work_us, due_us; /* due from its first step on; > 0 */
    int64_t step_us, change_us;
    const bool *spot; /* [n_steps] */
    size_t n_steps;   /* ceil(due_us / step_us), at most RR_DEADLINE_STEPS */
};
#define RR_DEADLINE_STEPS 4096
/* place[n_steps]: where the job is in each step. Returns the on-demand steps; -1 when no plan meets the deadline: then it is on demand all the time. */
int64_t rr_deadline_plan(const struct rr_deadline_job *job, unsigned char *place);
#endif
