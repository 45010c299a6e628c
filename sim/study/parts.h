/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/study/parts.h - the pieces of a study, inside sim/study only.
 *
 * A *group* is the variants with equal decision hash: they share each replication's replay and are billed one after the other.
 * Work unit k = (group, replication); its results lie at index k, whatever thread made them. */
#ifndef RR_SIM_STUDY_PARTS_H
#define RR_SIM_STUDY_PARTS_H
#include "models/price/price.h"
#include "sim/engine/engine.h"
#include "sim/study/study.h"

/* One replay and its job list. */
struct rr_run {
    struct rr_trace jobs;
    struct rr_replay replay;
    size_t not_submitted;
    struct rr_notes notes; /* what the engine told of the scenario; of replication 1 */
};
void rr_run_done(struct rr_run *r);

/* The charges of one billing. */
struct rr_ledger {
    struct rr_sink sink; /* first */
    RR_VEC(struct rr_charge) charge;
    RR_VEC(struct rr_cover) cover;
    struct rr_money billed, effective, after_horizon;
};
void rr_ledger_init(struct rr_ledger *l);
void rr_ledger_done(struct rr_ledger *l);

/* What of a job counts as GPU work inside the horizon: gpus x held time; 0 for a job that never ran. */
rr_i128 rr_job_work(const struct rr_run *r, size_t i);

/* m[RR_METRICS] from the replay: jobs, waits, GPU time. Leaves money alone. `arena` is scratch. */
void rr_metrics_replay(const struct rr_scenario *s, const struct rr_run *r, struct rr_arena *arena, double *m);
/* The money metrics, once the replay's are there. NaN for an unpriced alternative. */
RR_CHECKED enum rr_status rr_metrics_money(const struct rr_billing *b, const struct rr_ledger *l, double *m);

/* Law 3: by pool, plan, month and class the same totals, billed and effective; `detail` is the printed line. */
RR_CHECKED enum rr_status rr_check_money(const struct rr_billing *b, const struct rr_ledger *l, struct rr_buf *detail);
/* Law 4, after rr_bill: metered = covered + paid on demand, over all pools. */
RR_CHECKED enum rr_status rr_check_payer(const struct rr_billing *b, struct rr_buf *detail);
/* Law 5: each pool that held machines is charged for or said to be unpriced; rows read = jobs + rejected. */
RR_CHECKED enum rr_status rr_check_named(const struct rr_billing *b, const struct rr_ledger *l, const struct rr_run *r,
                                         const struct rr_trace *const *traces, size_t n_traces, struct rr_buf *detail);

/* used.c: GPU time that jobs held, lost included, [pool][calendar month of the replay] in milli-GPU-microseconds; in `arena`. */
RR_CHECKED enum rr_status rr_used_by_month(const struct rr_scenario *s, const struct rr_run *run, struct rr_arena *arena,
                                           const rr_i128 *const **ret);

/* The same as b->used_hour, when a plan looks at hours. */
void rr_used_by_hour(const struct rr_scenario *s, const struct rr_run *run, struct rr_arena *arena, struct rr_billing *b);
/* The same of stored jobs or attempts: GPUs (of slices, in a pool that is cut into them) that were held. */
struct rr_span {
    int64_t from_us, to_us, gpus_milli;
    uint16_t pool;
};
bool rr_needs_hours(const struct rr_scenario *s);
void rr_spans_by_hour(const struct rr_scenario *s, const struct rr_span *span, size_t n, int64_t end_us, struct rr_arena *arena,
                      struct rr_billing *b);

/* Each time that a job held them as b->call, when a plan looks at that. */
bool rr_needs_calls(const struct rr_scenario *s);
void rr_calls_of(const struct rr_scenario *s, const struct rr_run *run, struct rr_arena *arena, struct rr_billing *b);

/* Rows and curves of replication 1 for the store, all memory in `arena`. */
struct rr_telling {
    struct rr_arena *arena;
    const struct rr_scenario *scenario;
    const struct rr_run *run;
    const struct rr_billing *billing;
    const struct rr_ledger *ledger;
    struct rr_alternative *alt; /* filled in */
};
RR_CHECKED enum rr_status rr_tell_rows(const struct rr_telling *t);   /* months, cost lines, classes, pools */
RR_CHECKED enum rr_status rr_tell_series(const struct rr_telling *t); /* timeline, cost curves, wait CDF */

void rr_tell_bars(const struct rr_telling *t); /* bars.c: of a small run */

/* given.c: RR_NOTE_GIVEN for the money inputs of the variant's own document. */
void rr_note_given(const struct rr_scenario *s, struct rr_notes *notes);

/* Over all variants, once their statistics are there: service limits, same work, verdict, pairs, gates, headline. */
RR_CHECKED enum rr_status rr_judge(const struct rr_scenario_set *set, struct rr_arena *arena, const double *const *values, int n_reps,
                                   struct rr_store *store);
#endif
