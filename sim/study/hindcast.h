/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/study/hindcast.h - a recorded trace replayed on the fleet that it came from: simulated against recorded waits and use.
 *
 * Rules (policy, estimate, order, blocking) are chosen on the first half of the jobs, replayed alone, and tested on the second: the whole trace is
 * replayed under the chosen rules and the jobs of its second half are compared. The error of a trial is the mean over jobs of
 * |ln((simulated + 60 s) / (recorded + 60 s))| of the mean waits of the job's size and week: e to its power is the factor by which a group's mean
 * wait is off. Single jobs are not compared: one job moved changes those behind it. */
#ifndef RR_SIM_HINDCAST_H
#define RR_SIM_HINDCAST_H
#include "data/scenario.h"

struct rr_hindcast_options {
    const struct rr_kind *policy;                         /* NULL: those of the grid */
    const struct rr_kind *placement;                      /* NULL: the first of its list */
    void (*progress)(void *ctx, size_t done, size_t all); /* or NULL */
    void *ctx;
};
struct rr_hindcast_trial {
    const char *policy, *rules; /* "easy_backfill", "order arrival, estimate exact" */
    double error;               /* on the first half */
    double wait_mean_s;         /* of its jobs, simulated */
};
/* Jobs that are alike. Waits are of jobs with a recorded start that started in the replay too; NaN when there are none. */
struct rr_hindcast_group {
    const char *name;
    size_t jobs;
    double recorded_mean_s, simulated_mean_s, recorded_p95_s, simulated_p95_s;
    double recorded_used, simulated_used; /* a week: GPUs in use over the fleet's; else: share of all GPU time used */
};
struct rr_hindcast_groups {
    struct rr_hindcast_group *at;
    size_t n;
};
struct rr_hindcast {
    size_t jobs, first_half; /* jobs with a recorded start, and how many of them are in the first half */
    double fleet_gpus;
    struct rr_hindcast_trial *trial; /* [n_trials] best first */
    size_t n_trials;
    double error;                                /* of the chosen rules on the second half */
    struct rr_hindcast_group all[2];             /* first half, second half; used: GPUs in use over the fleet's */
    struct rr_hindcast_groups size, class, week; /* size and class: of the second half; week: of all, from the first submit */
    const char *class_word;                      /* "class", "account" or "user": what `class` goes by */
    const char *const *cause;                    /* [n_causes] what sets the two apart, a sentence each */
    size_t n_causes;
};
/* `pool` is the fleet: name, shapes and nodes set, nothing else needed. All memory in `arena`. RR_EINPUT: "PATH: no recorded start ...", or fewer
 * than two jobs with one. */
RR_CHECKED enum rr_status rr_hindcast_run(const struct rr_trace *t, const struct rr_pool *pool, const struct rr_hindcast_options *opt,
                                          struct rr_arena *arena, struct rr_hindcast *ret);

/* What a schedule, recorded or simulated, shows. start_us [n], RR_NEVER: not; run times are the trace's. hindcast_causes.c. */
struct rr_schedule_facts {
    double wait_job_us;        /* all waiting of jobs with GPUs */
    double wait_free_job_us;   /* of it, while as many GPUs as the job asks for were free */
    int64_t peak_milli;        /* most GPUs in use at once, in thousandths */
    size_t started, overtaken; /* jobs; those that a job of the same size, submitted later, started before */
};
void rr_schedule_look(const struct rr_trace *t, const int64_t *start_us, int64_t fleet_milli, struct rr_schedule_facts *ret);
/* The sentences. */
void rr_hindcast_causes(const struct rr_trace *t, const int64_t *recorded_us, const int64_t *simulated_us, size_t rejected,
                        int64_t fleet_milli, struct rr_arena *arena, struct rr_hindcast *h);
#endif
