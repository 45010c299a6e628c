/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/policy/sjf.c - shortest job first, by estimate, without interruption.
 *
 * `"blocking": true` (the default): a shortest job that does not fit holds up all behind it; `false`: whatever fits is started, shortest
 * first. O(asks + log jobs) a decision (ranked.h). */
#include "sim/policy/ranked.h"

struct params {
    struct rr_ranked_params common; // first
};
static const struct rr_param params[] = {
    RR_RANKED_MAX_WAIT,
};

static int64_t waits(void *state, struct rr_sim *s, uint32_t job)
{
    (void)state;
    return rr_sim_estimate(s, job);
}

static void sjf_init(void *state, struct rr_sim *s)
{
    const struct params *p = s->how->policy_params;
    rr_ranked_init(
        state, s, (struct rr_rank_rules){.waits = waits, .blocking = s->how->blocking, .max_wait_us = p ? p->common.max_wait_us : 0}, NULL);
}

const struct rr_policy rr_policy_sjf = {.kind = {.name = "sjf",
                                                 .summary = "shortest estimate first",
                                                 .params = params,
                                                 .n_params = sizeof params / sizeof *params,
                                                 .params_size = sizeof(struct params)},
                                        .reads = RR_READS_BLOCKING | RR_READS_ESTIMATE,
                                        .state_size = sizeof(struct rr_ranked),
                                        .init = sjf_init,
                                        RR_RANKED_HOOKS};
