/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/study/study.h - from a scenario set to a store: variants x replications, billing, statistics, laws, gates, verdict. */
#ifndef RR_SIM_STUDY_H
#define RR_SIM_STUDY_H
#include "data/scenario.h"
#include "data/store.h"

struct rr_study;
struct rr_study_options {
    int threads;                                          /* >= 1; the bytes do not depend on it */
    bool keep_jobs;                                       /* replication 1's jobs, leases, timeline: for every file but results.json */
    bool findings;                                        /* sheets of finance, and what would change the verdict: many bills made anew */
    void (*progress)(void *ctx, size_t done, size_t all); /* or NULL; called from one thread at a time */
    void *ctx;
};
/* Everything that rr_store points to lives in the study until rr_study_free(). A broken law is RR_EINTERNAL. */
RR_CHECKED enum rr_status rr_study_run(const struct rr_scenario_set *set, const struct rr_study_options *opt, struct rr_study **ret);
/* What a run would refuse before its first event, and what it would note of the scenario: traces are read, the first replication's jobs put
 * together, the engine set up; nothing is replayed. Notes of variants go to theirs, those of traces to `notes`. */
RR_CHECKED enum rr_status rr_study_check(struct rr_scenario_set *set, struct rr_notes *notes);
const struct rr_store *rr_study_store(const struct rr_study *s);
void rr_study_free(struct rr_study *s); /* takes NULL */
#endif
