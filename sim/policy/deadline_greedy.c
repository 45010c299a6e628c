/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/policy/deadline_greedy.c - on spot whenever there is some, else wait, until the safety net. */
#include "sim/policy/deadline.h"

static enum rr_place greedy(struct rr_deadline *d, struct rr_sim *s, struct rr_dated *j, bool spot)
{
    (void)d;
    (void)s;
    (void)j;
    return spot ? RR_PLACE_SPOT : RR_PLACE_NONE;
}

static void greedy_init(void *state, struct rr_sim *s) { rr_deadline_init(state, s, greedy); }

const struct rr_policy rr_policy_deadline_greedy = {
    RR_DEADLINE_POLICY("deadline_greedy", "spot when there is some, on demand when the deadline is near"), .init = greedy_init};
