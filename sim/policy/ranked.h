/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/policy/ranked.h - list scheduling by a rank: the common part of sjf, srtf, srsf, priority, las and edf.
 *
 * Of the jobs that wait the one of least rank (then first in the trace) is looked at first. It starts where there is room; else, with `preempts`,
 * where running jobs of larger rank can make room (victims.h). One that finds no room is passed over, or, with `blocking`, holds up the pools that
 * it could run in: those behind it start elsewhere or not at all (with `migrate`: not at all). A job starts on all of its GPUs at once or not at all, so gangs cannot block each other by holding parts.
 *
 * Starvation guard: a job that has waited longer than max_wait_us, all its waits together, goes before all others, in trace order; it holds up its
 * pools until it starts, and then it runs undisturbed by the scheduler. Jobs that are not interruptible run on, so what such a job waits
 * beyond is at most what runs at that time, and those that are first by the guard themselves.
 *
 * Jobs of one ask need the same, so only the first of each ask is looked at: a pass costs O(asks x log) to look, O(log jobs) a start. After
 * arrivals alone only the asks of the new jobs are looked at, until one interrupts another: what was passed over before cannot have found room. While a job holds
 * up some of several pools, every pass looks at all asks. */
#ifndef RR_SIM_RANKED_H
#define RR_SIM_RANKED_H
#include "sim/policy/victims.h"

#define RR_RANK_LEAST (INT64_MIN / 2) /* ranks of policies are not below; those of the guard are */

/* May running jobs be moved (migrate.c)? */
enum rr_migrate { RR_MIGRATE_NEVER, RR_MIGRATE_NEEDED, RR_MIGRATE_ALWAYS };
extern const char *const rr_migrate_words[];

struct rr_rank_rules {
    int64_t (*waits)(void *state, struct rr_sim *s, uint32_t job); /* the rank of a job that waits from now on */
    rr_rank_fn runs;                                               /* and of one that runs; NULL without `preempts` */
    bool preempts, blocking;
    bool counts_from_zero; /* ranks are times: `waits` from now on, `runs` from time 0 */
    bool falls;            /* as in victims.h */
    int64_t max_wait_us;   /* 0: no guard */
    int migrate;           /* enum rr_migrate; needs `preempts` */
};
struct rr_ranked_job {
    int64_t rank;
    uint32_t job, ask;
};
struct rr_ranked_ask {
    RR_VEC(struct rr_ranked_job) heap;
    uint32_t candidate; /* job + 1 that stands in `candidate`; 0: none */
    bool fresh;         /* in `fresh` */
};
struct rr_ranked_due {
    int64_t due_us;
    uint32_t job;
};
struct rr_ranked {
    struct rr_rank_rules rules;
    void *state; /* of the policy, for the rules */
    struct rr_victims victims;
    RR_VEC(struct rr_ranked_ask) ask;       /* by ask */
    RR_VEC(uint32_t) fresh;                 /* asks with jobs that came since the last pass */
    RR_VEC(struct rr_ranked_job) candidate; /* heap: the first of each ask to be looked at */
    RR_VEC(struct rr_ranked_due) due;       /* heap: when the guard comes in */
    int64_t *rank;                          /* [trace->n] of jobs, to tell which entries are old; NULL when none can be */
    int64_t *wait_us, *since_us;            /* [trace->n] waited before, waiting since; NULL without a guard */
    RR_VEC(uint32_t) young;                 /* jobs started in the last pass, which are not interrupted in the same (victims.spares) */
    int64_t wake_us;                        /* the timer that is set for the guard */
    uint64_t freed;                         /* sim->freed after the last pass */
    bool again;                             /* look at all, whatever has happened */
    bool passing, blocked;                  /* by `blocker`, which holds up every pool */
    struct rr_ranked_job blocker;
    bool *held_up; /* [n_pools] of several pools, those that a job waits for before whom no other may start there; NULL: one pool */
    bool some_up;  /* one of them is */
    RR_VEC(struct rr_ranked_job) waiting; /* with `migrate`: in place of the heaps */
    struct rr_migration *migration;
    size_t n_pools;
};
void rr_ranked_init(struct rr_ranked *r, const struct rr_sim *s, struct rr_rank_rules rules, void *state);
/* The hooks of a policy whose state begins with a struct rr_ranked. */
void rr_ranked_done(void *ranked);
void rr_ranked_submit(void *ranked, struct rr_sim *s, uint32_t job, uint32_t ask);
void rr_ranked_pass(void *ranked, struct rr_sim *s);
void rr_ranked_started(void *ranked, struct rr_sim *s, uint32_t job);
void rr_ranked_ended(void *ranked, struct rr_sim *s, uint32_t job);
void rr_ranked_timer(void *ranked, struct rr_sim *s);
#define RR_RANKED_HOOKS \
    .done = rr_ranked_done, .submit = rr_ranked_submit, .pass = rr_ranked_pass, .started = rr_ranked_started, .timer = rr_ranked_timer
static inline bool rr_ranked_is_guarded(const struct rr_ranked *r, uint32_t job) { return r->wait_us && r->rank[job] < RR_RANK_LEAST; }
/* migrate.c */
void rr_ranked_migration_init(struct rr_ranked *r, const struct rr_sim *s);
void rr_ranked_migration_done(struct rr_ranked *r, size_t n_pools);
void rr_ranked_migrate(struct rr_ranked *r, struct rr_sim *s);
/* The rank of a running job has changed other than by falling. */
void rr_ranked_changed(struct rr_ranked *r, struct rr_sim *s, uint32_t job);

/* What the parameters of every ranked policy begin with, and the rows for them. `migrate` alone where jobs are interrupted. */
struct rr_ranked_params {
    uint64_t given;
    int64_t max_wait_us;
    int migrate;
};
#define RR_RANKED_MAX_WAIT                                                                                                              \
    {                                                                                                                                   \
        .name = "max_wait", .type = RR_P_TIME, .offset = offsetof(struct rr_ranked_params, max_wait_us), .def = "\"0 s\"", .unit = "s", \
        .help = "a job that has waited longer goes before all others; 0 = never", .flags = RR_PF_DECIDES                                \
    }
#define RR_RANKED_MIGRATE                                                                                                       \
    {                                                                                                                           \
        .name = "migrate", .type = RR_P_WORD, .offset = offsetof(struct rr_ranked_params, migrate), .def = "\"never\"",         \
        .words = rr_migrate_words, .help = "move running jobs: never, when needed to let others in, or lay all anew each time", \
        .flags = RR_PF_DECIDES                                                                                                  \
    }
#endif
