/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/policy/srsf.c - shortest remaining service first: remaining time x GPUs (Tiresias' term; Muri's SRSF).
 *
 * As srtf, with the remaining time by the estimate times the GPUs asked for; a job without GPUs goes before all with some. Ranks of running jobs
 * fall at the pace of their GPUs, so their order changes with time: the trees hold upper bounds, which are put right when a search meets
 * them; O(log) a decision plus what is put right, each at most once a search. */
#include "sim/policy/ranked.h"

struct params {
    struct rr_ranked_params common; // first
};
static const struct rr_param params[] = {RR_RANKED_MAX_WAIT, RR_RANKED_MIGRATE};

static int64_t service(const struct rr_sim *s, uint32_t job, int64_t us)
{
    const rr_i128 v = (rr_i128)us * s->trace->gpus_milli[job] / 1000;
    return v >= RR_NEVER ? RR_NEVER : (int64_t)v;
}

static int64_t waits(void *state, struct rr_sim *s, uint32_t job)
{
    (void)state;
    return service(s, job, rr_sim_estimate(s, job));
}

static int64_t runs(void *state, struct rr_sim *s, uint32_t slot)
{
    (void)state;
    const struct rr_slot *r = &s->slot.at[slot];
    return service(s, r->job, r->expected_us == RR_NEVER ? RR_NEVER : r->expected_us > s->now_us ? r->expected_us - s->now_us : 0);
}

static void srsf_init(void *state, struct rr_sim *s)
{
    const struct params *p = s->how->policy_params;
    const struct rr_rank_rules rules = {.waits = waits,
                                        .runs = runs,
                                        .preempts = true,
                                        .falls = true,
                                        .max_wait_us = p ? p->common.max_wait_us : 0,
                                        .migrate = p ? p->common.migrate : 0};
    rr_ranked_init(state, s, rules, NULL);
}

const struct rr_policy rr_policy_srsf = {.kind = {.name = "srsf",
                                                  .summary = "shortest remaining time x GPUs first, interrupting larger ones",
                                                  .params = params,
                                                  .n_params = sizeof params / sizeof *params,
                                                  .params_size = sizeof(struct params)},
                                         .preempts = true,
                                         .reads = RR_READS_ESTIMATE,
                                         .state_size = sizeof(struct rr_ranked),
                                         .init = srsf_init,
                                         .ended = rr_ranked_ended,
                                         RR_RANKED_HOOKS};
