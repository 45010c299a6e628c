/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/policy/priority.c - by priority, in order of arrival within one; `"preempt": true` interrupts jobs of lower priority.
 *
 * The priority of a job is that of its class plus its own in the trace; larger goes first. `"blocking": true` (the default): a first job that does
 * not fit holds up all behind it; `false`: it is passed over. Cost as in ranked.h and victims.h: O(log) a decision. */
#include "sim/policy/ranked.h"

struct params {
    struct rr_ranked_params common; // first
    bool preempt;
};
static const struct rr_param params[] = {
    RR_RANKED_MAX_WAIT,
    RR_RANKED_MIGRATE,
    {.name = "preempt",
     .type = RR_P_BOOL,
     .offset = offsetof(struct params, preempt),
     .def = "false",
     .help = "interrupt jobs of lower priority",
     .flags = RR_PF_DECIDES},
};

static int64_t rank(const struct rr_sim *s, uint32_t job)
{
    const int64_t most = INT64_C(1) << 61, p = rr_sim_priority(s, job);
    return p > most ? -most : p < -most ? most : -p;
}

static int64_t waits(void *state, struct rr_sim *s, uint32_t job)
{
    (void)state;
    return rank(s, job);
}

static int64_t runs(void *state, struct rr_sim *s, uint32_t slot)
{
    (void)state;
    return rank(s, s->slot.at[slot].job);
}

static void priority_init(void *state, struct rr_sim *s)
{
    const struct params *p = s->how->policy_params, plain = {0};
    if (!p) p = &plain;
    const struct rr_rank_rules rules = {.waits = waits,
                                        .runs = runs,
                                        .preempts = p->preempt,
                                        .blocking = s->how->blocking,
                                        .max_wait_us = p->common.max_wait_us,
                                        .migrate = p->preempt ? p->common.migrate : 0};
    rr_ranked_init(state, s, rules, NULL);
}

const struct rr_policy rr_policy_priority = {.kind = {.name = "priority",
                                                      .summary = "by priority of class and job, with or without interruption",
                                                      .params = params,
                                                      .n_params = sizeof params / sizeof *params,
                                                      .params_size = sizeof(struct params)},
                                             .preempts = true,
                                             .reads = RR_READS_BLOCKING | RR_READS_PRIORITY,
                                             .state_size = sizeof(struct rr_ranked),
                                             .init = priority_init,
                                             .ended = rr_ranked_ended,
                                             RR_RANKED_HOOKS};
