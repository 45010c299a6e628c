/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/store.h - a finished run, as reports read it. In memory first; results.db (SQLite) and results.json are its files.
 *
 * Replication 1 of each alternative keeps its jobs, leases, charges and time series; the metrics are over all replications. */
#ifndef RR_DATA_STORE_H
#define RR_DATA_STORE_H
#include "data/metric.h"
#include "data/notes.h"
#include "data/record.h"
#include "data/sheet.h"
#include "data/trace.h"

struct rr_input_file {
    const char *path, *sha256; /* path as the scenario names it */
};
struct rr_law_result {
    const char *law; /* "jobs", "gpu_time", "money", "payer", "named" */
    bool holds;
    const char *detail; /* one line with the numbers */
};
struct rr_month_row {
    const char *month; /* "2026-03", "all" without a start */
    int64_t from_us, to_us;
    struct rr_money effective, billed;
    double used_gpu_hours, held_gpu_hours;
};
struct rr_cost_line {                            /* sums of charges by what they are for, replication 1 */
    const char *type, *line, *pool, *commitment; /* pool / commitment "" = none */
    struct rr_money billed, effective, after_horizon;
    double quantity;
    const char *unit;
    struct rr_rate rate;
};
struct rr_class_row { /* by job class: jobs, GPU time, and the cost shown back (idle shared by GPU time used) */
    const char *name;
    int64_t jobs, finished;
    double used_gpu_hours;
    struct rr_money effective, billed;
    double wait_mean_s;
};
struct rr_pool_row {
    const char *name, *what, *plan;                /* "hgx-h100-8", "owned" */
    int64_t nodes_min, nodes_max, nodes_peak;      /* max INT64_MAX = unlimited */
    double held, used, lost, idle, starting, down; /* GPU-hours */
    struct rr_money effective, billed;
};
struct rr_loss_row { /* replication 1: what interrupted jobs or cost them time, by reason */
    const char *reason;
    int64_t attempts;      /* interrupted for it */
    int64_t nodes, events; /* nodes lost for it, and at how many instants */
    double gpu_hours;      /* lost */
};
struct rr_bound_row {            /* replication 1: what jobs waited for */
    const char *bound;           /* the word for it: "policy", "quota", "place", "starting", "refused", "limit", "type", "gpus" */
    const char *what;            /* the same in a few more */
    double job_hours, gpu_hours; /* of waiting */
};
struct rr_bar { /* of the Gantt plot of a small run: GPUs of one node held by an attempt */
    const char *job_id, *class_name;
    uint32_t node;         /* global id */
    double from_gpu, gpus; /* which of the node's GPUs */
    int64_t start_us, end_us;
    bool interrupted;
};
/* A curve for a plot or timeline.csv: "used_gpus", "lost_gpus", "idle_gpus", "starting_gpus" and "down_gpus", together "held_gpus"; "allocated_gpus":
 * used and lost; "queue_jobs", "queue_gpus", "cost_effective", "cost_billed", "wait_cdf". */
struct rr_series {
    const char *name;
    const char *x_unit, *y_unit;
    size_t n;
    double *x, *mean, *min, *max; /* min and max NULL = no band */
};
struct rr_alternative {
    const char *name;        /* variant name */
    const char *alternative; /* without the sweep point */
    struct rr_stat metric[RR_METRICS];
    bool unpriced;
    bool meets_service, same_work; /* the verdict's conditions, replications' mean */
    const char *service_detail;    /* "wait.p95 5.2 h > 4 h" or "" */
    const struct rr_month_row *month;
    size_t n_months;
    const struct rr_cost_line *line;
    size_t n_lines;
    const struct rr_class_row *class_row;
    size_t n_classes;
    const struct rr_pool_row *pool;
    size_t n_pools;
    const struct rr_law_result *law;
    size_t n_laws;
    const struct rr_note *note; /* assumptions, warnings, data counts of this alternative */
    size_t n_notes;
    const struct rr_series *series;
    size_t n_series;
    const struct rr_loss_row *loss; /* none: nothing was interrupted or lost */
    size_t n_losses;
    const struct rr_bound_row *bound; /* those that held for some time */
    size_t n_bounds;
    const struct rr_bar *bar; /* of at most RR_BAR_NODES nodes; none when the run is too large for a plot */
    size_t n_bars;
    int64_t end_us; /* of replication 1 */
    int64_t not_submitted;
    /* Replication 1; NULL after loading from results.json, and jobs are then read from the database. */
    const struct rr_trace *trace;
    const struct rr_outcome *outcome;
    const struct rr_attempt *attempt; /* NULL: none was kept, for nothing could interrupt a job */
    size_t n_attempts;
    const struct rr_lease *lease;
    size_t n_leases;
    const struct rr_charge *charge;
    size_t n_charges;
    const char *const *node_name; /* by global node id, or NULL */
    const struct rr_cover *cover; /* what became of commitments */
    size_t n_covers;
    /* What the leases are priced by again: the document of replication 1, checked, its uncertain inputs as they were drawn (NULL: not kept);
     * GPUs by global node id, as far as leases reach; GPU time that jobs held, [pool][n_used_months] milli-GPU-microseconds. */
    const char *document;
    const int32_t *node_gpus;
    const __int128 *const *used_month;
    size_t n_used_months;
};
enum { RR_BAR_NODES = 64, RR_BAR_JOBS = 2000 };
struct rr_pair {
    const char *a, *b;
    int metric;
    struct rr_stat diff;   /* a - b, common random numbers */
    double prob_a_cheaper; /* share of replications; NaN with one */
};
struct rr_gate_result {
    const char *name, *alternative, *stat, *result; /* "pass", "fail", "inconclusive", "waived" */
    int metric;
    bool is_max;
    double limit, value; /* value NaN = null: fails */
};
struct rr_store {
    const char *schema; /* "rackrate.results/1" */
    const char *name, *version, *currency, *scenario_path;
    int64_t seed, replications;
    bool anchored;
    int64_t start_us; /* epoch */
    double horizon_s; /* NaN = the last job's end of each alternative */
    const char *baseline;
    const char *verdict;       /* the answer in one sentence */
    const char *criterion;     /* "npv.cost" or "cost.total" or "" without a verdict */
    const char *best;          /* variant name or "" */
    const char *const *varied; /* what varied over replications */
    size_t n_varied;
    const char *const *headline; /* warnings that belong beside the verdict */
    size_t n_headline;
    const struct rr_input_file *input;
    size_t n_inputs;
    const struct rr_alternative *alternative;
    size_t n_alternatives;
    const struct rr_pair *pair;
    size_t n_pairs;
    const struct rr_gate_result *gate;
    size_t n_gates;
    const struct rr_note *note; /* of the scenario as a whole */
    size_t n_notes;
    const struct rr_sheet *sheet; /* findings in rows and columns: finance, what would change the verdict */
    size_t n_sheets;
    bool
        summary_only; /* read from results.json: no pools, classes, cost lines, curves, bars, jobs, leases and charges, and of the notes the warnings */
};

/* Write results.db under its temporary name (`path` is final; written beside, synced, renamed). RR_EIO with SQLite's or the system's reason. */
RR_CHECKED enum rr_status rr_store_save(const struct rr_store *s, const char *path);
/* Read a results.db: everything but trace/outcome arrays, which stay in the database (rr_store_jobs). All memory in `arena`. RR_EINPUT when it is no
 * results.db of a known schema. */
RR_CHECKED enum rr_status rr_store_load(const char *path, struct rr_arena *arena, struct rr_store *ret);

/* Read a results.json, which holds less: summary_only is set, and rr_store_json writes the same bytes again. RR_EINPUT with line and column. */
RR_CHECKED enum rr_status rr_store_read_json(const char *path, struct rr_arena *arena, struct rr_store *ret);

/* One job as jobs.csv shows it. */
struct rr_job_view {
    const char *id, *user, *account, *class_name, *pool, *reason, *status, *alternative;
    int64_t gpus_milli;
    int64_t submit_us, start_us, end_us, wait_us, jct_us; /* RR_NEVER = none */
    int64_t run_us;                                       /* what the job needs, as in the trace; RR_NEVER = not known */
    int64_t lost_us;
    int64_t attempts, replication;
};
/* Each submitted job of replication 1 of every alternative, alternatives in order, jobs in submit order; from memory or, for a loaded store, from
 * `db_path`. Texts are borrowed until `each` returns. Alternatives without jobs in either place are passed over. */
RR_CHECKED enum rr_status rr_store_jobs(const struct rr_store *s, const char *db_path,
                                        enum rr_status (*each)(void *ctx, const struct rr_job_view *job), void *ctx);

/* One attempt as attempts.csv shows it. */
struct rr_attempt_view {
    const char *job_id, *pool, *reason, *alternative;
    int64_t attempt;     /* of its job, from 1 */
    int64_t node, nodes; /* first node, global id, and how many */
    int64_t gpus_milli;  /* in total */
    int64_t start_us, end_us;
    __int128 used_milli_us, lost_milli_us; /* GPU time: held = used + lost */
};
/* Each attempt of replication 1 of every alternative, in order of end; from memory or, for a loaded store, from `db_path`. */
RR_CHECKED enum rr_status rr_store_attempts(const struct rr_store *s, const char *db_path,
                                            enum rr_status (*each)(void *ctx, const struct rr_attempt_view *attempt), void *ctx);
bool rr_store_has_attempts(const struct rr_store *s);

/* Name of pool `i` of an alternative, "" when there is none. */
const char *rr_store_pool_name(const struct rr_alternative *a, int64_t i);

/* The text of data/schema/store.sql, as results.db is made by. */
extern const char rr_store_sql[];

/* results.json, at most RR_RESULTS_MOST bytes, the shape of data/schema/results.schema.json. A study too large for it keeps less of its sweep
 * points, and the "warnings" say what was left out. */
#define RR_RESULTS_MOST 200000
void rr_store_json(const struct rr_store *s, struct rr_buf *b);
#endif
