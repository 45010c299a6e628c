/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/policy/srtf.c - shortest remaining time first: whoever is done soonest runs, others are interrupted for it.
 *
 * The remaining time is what is left by the estimate, with what a start and a restore cost when the job waits: a job that runs is not interrupted
 * for one that would not end sooner. A job that has outrun its estimate counts as done at once. A job that finds no room is passed over.
 *
 * Running jobs keep their order (by expected end), so nothing is sorted anew at an event: only at the boundary between those that run and those
 * that wait jobs change places. Cost as in ranked.h and victims.h: O(log) a decision. */
#include "sim/policy/ranked.h"

struct params {
    struct rr_ranked_params common; // first
};
static const struct rr_param params[] = {RR_RANKED_MAX_WAIT, RR_RANKED_MIGRATE};

static int64_t waits(void *state, struct rr_sim *s, uint32_t job)
{
    (void)state;
    return rr_sim_estimate(s, job);
}

static int64_t runs(void *state, struct rr_sim *s, uint32_t slot)
{
    (void)state;
    return s->slot.at[slot].expected_us;
}

static void srtf_init(void *state, struct rr_sim *s)
{
    const struct params *p = s->how->policy_params;
    const struct rr_rank_rules rules = {.waits = waits,
                                        .runs = runs,
                                        .preempts = true,
                                        .counts_from_zero = true,
                                        .max_wait_us = p ? p->common.max_wait_us : 0,
                                        .migrate = p ? p->common.migrate : 0};
    rr_ranked_init(state, s, rules, NULL);
}

const struct rr_policy rr_policy_srtf = {.kind = {.name = "srtf",
                                                  .summary = "shortest remaining time first, interrupting longer ones",
                                                  .params = params,
                                                  .n_params = sizeof params / sizeof *params,
                                                  .params_size = sizeof(struct params)},
                                         .preempts = true,
                                         .reads = RR_READS_ESTIMATE,
                                         .state_size = sizeof(struct rr_ranked),
                                         .init = srtf_init,
                                         .ended = rr_ranked_ended,
                                         RR_RANKED_HOOKS};
