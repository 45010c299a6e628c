/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/policy/deadline_uniform.c - Uniform Progress: on demand while behind the straight line from submit to deadline.
 *
 * Expected progress at t: t x work / deadline. On spot whenever there is some; else on demand when the progress made is below the line, and
 * back to waiting only when it is above where the line will be after two change-overs. */
#include "sim/policy/deadline.h"

static enum rr_place uniform(struct rr_deadline *d, struct rr_sim *s, struct rr_dated *j, bool spot)
{
    if (spot) return RR_PLACE_SPOT;
    const bool there = rr_deadline_now(s, d, j) == RR_PLACE_ON_DEMAND;
    const int64_t done = j->work_us - rr_deadline_left(s, j), whole = j->due_us - j->submit_us;
    const int64_t at = s->now_us - j->submit_us + (there ? 2 * rr_deadline_change(d, s, j->job) : 0);
    const bool behind = (rr_i128)done * whole < (rr_i128)at * j->work_us;
    return behind ? RR_PLACE_ON_DEMAND : RR_PLACE_NONE;
}

static void uniform_init(void *state, struct rr_sim *s) { rr_deadline_init(state, s, uniform); }

const struct rr_policy rr_policy_deadline_uniform = {
    RR_DEADLINE_POLICY("deadline_uniform", "spot when there is some, on demand while behind uniform progress"), .init = uniform_init};
