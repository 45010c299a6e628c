/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/policy/edf.c - earliest deadline first (Liu and Layland 1973), interrupting jobs with a later one or none.
 *
 * The deadline is the trace's (`deadline_s`); jobs without one come last, in order of arrival. A deadline that cannot be met any more, or has
 * passed, still ranks: metric deadline.missed counts it. `"preempt": false` lets running jobs run. A job that
 * finds no room is passed over. Cost as in ranked.h and victims.h: O(log) a decision. */
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
     .def = "true",
     .help = "interrupt jobs of lower rank",
     .flags = RR_PF_DECIDES},
};

static int64_t rank(const struct rr_sim *s, uint32_t job)
{
    const struct rr_trace *t = s->trace;
    if (!t->deadline_us || t->deadline_us[job] == RR_NEVER) return RR_NEVER;
    return t->deadline_us[job] < 0 ? t->submit_us[job] + t->deadline_us[job] : rr_add_us(t->submit_us[job], t->deadline_us[job]);
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

static void edf_init(void *state, struct rr_sim *s)
{
    const struct params *p = s->how->policy_params, plain = {.preempt = true};
    if (!p) p = &plain;
    const struct rr_rank_rules rules = {.waits = waits,
                                        .runs = runs,
                                        .preempts = p->preempt,
                                        .max_wait_us = p->common.max_wait_us,
                                        .migrate = p->preempt ? p->common.migrate : 0};
    rr_ranked_init(state, s, rules, NULL);
}

const struct rr_policy rr_policy_edf = {.kind = {.name = "edf",
                                                 .summary = "earliest deadline first, interrupting later ones",
                                                 .params = params,
                                                 .n_params = sizeof params / sizeof *params,
                                                 .params_size = sizeof(struct params)},
                                        .preempts = true,
                                        .reads = RR_READS_DEADLINE,
                                        .state_size = sizeof(struct rr_ranked),
                                        .init = edf_init,
                                        .ended = rr_ranked_ended,
                                        RR_RANKED_HOOKS};
