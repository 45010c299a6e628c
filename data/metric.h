/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/metric.h - the metrics of results.json, one row each. A new metric is a new name, never a new meaning for an old one. */
#ifndef RR_DATA_METRIC_H
#define RR_DATA_METRIC_H

enum rr_metric_unit {
    RR_U_MONEY,
    RR_U_MONEY_PER_GPU_HOUR,
    RR_U_MONEY_PER_MONTH,
    RR_U_MONEY_PER_JOB,
    RR_U_SECONDS,
    RR_U_GPU_HOURS,
    RR_U_COUNT,
    RR_U_RATIO,
    RR_U_KWH,
    RR_U_KG
};

/* M(ID, name, unit, help) */
#define RR_METRIC_TABLE(M)                                                                                                               \
    M(COST_TOTAL, "cost.total", RR_U_MONEY, "effective cost inside the horizon, all plans and lines")                                    \
    M(COST_ON_DEMAND, "cost.on_demand", RR_U_MONEY, "effective cost of on-demand leases not covered by a commitment")                    \
    M(COST_RESERVED, "cost.reserved", RR_U_MONEY, "effective cost of reserved capacity, used or not")                                    \
    M(COST_SAVINGS_PLAN, "cost.savings_plan", RR_U_MONEY, "effective cost of savings plans, used or not")                                \
    M(COST_SPOT, "cost.spot", RR_U_MONEY, "effective cost of spot leases")                                                               \
    M(COST_SERVERLESS, "cost.serverless", RR_U_MONEY, "effective cost of serverless calls")                                              \
    M(COST_OWNED, "cost.owned", RR_U_MONEY, "depreciation, power, colocation, maintenance and staff of owned machines")                  \
    M(COST_STORAGE, "cost.storage", RR_U_MONEY, "effective cost of storage")                                                             \
    M(COST_TRANSFER, "cost.transfer", RR_U_MONEY, "effective cost of data transfer")                                                     \
    M(COST_SUPPORT, "cost.support", RR_U_MONEY, "effective cost of support plans")                                                       \
    M(COST_SERVICES, "cost.services", RR_U_MONEY, "effective cost of other services: addresses, keys, licences, requests")               \
    M(COST_PREPAID, "cost.prepaid", RR_U_MONEY, "effective cost of machines paid by the month or year in advance")                       \
    M(COST_CAPACITY_BLOCK, "cost.capacity_block", RR_U_MONEY, "effective cost of capacity blocks, used or not")                          \
    M(COST_CONTRACT, "cost.contract", RR_U_MONEY, "contract terms and credits: shortfalls to minimum spends, discounts (negative)")      \
    M(COST_EXISTING, "cost.existing", RR_U_MONEY, "what is there already: write-off of sunk cost, commitments still paid, power")        \
    M(COST_ENERGY, "cost.energy", RR_U_MONEY, "of which energy (inside cost.owned)")                                                     \
    M(COST_AFTER_HORIZON, "cost.after_horizon", RR_U_MONEY, "prepaid or committed cost that falls behind the horizon, beside the total") \
    M(COST_WAITING, "cost.waiting", RR_U_MONEY, "cost of waiting by class, beside the total")                                            \
    M(COST_PER_GPU_HOUR_USED, "cost.per_gpu_hour_used", RR_U_MONEY_PER_GPU_HOUR, "cost.total over GPU-hours used by jobs")               \
    M(COST_PER_MONTH, "cost.per_month", RR_U_MONEY_PER_MONTH, "cost.total over the months of the horizon")                               \
    M(COST_PER_JOB_FINISHED, "cost.per_job_finished", RR_U_MONEY_PER_JOB, "cost.total over jobs finished")                               \
    M(CASH_TOTAL, "cash.total", RR_U_MONEY, "billed cash inside the horizon")                                                            \
    M(NPV_COST, "npv.cost", RR_U_MONEY, "net present cost: billed cash and terminal value discounted to the start")                      \
    M(VALUE_TERMINAL, "value.terminal", RR_U_MONEY,                                                                                      \
      "value left at the horizon: book value of owned machines, and the unused rest of prepaid terms")                                   \
    M(WORK_FINISHED_SHARE, "work.finished_share", RR_U_RATIO,                                                                            \
      "GPU time of finished, failed and killed jobs' runs over the GPU time submitted")                                                  \
    M(JOBS_SUBMITTED, "jobs.submitted", RR_U_COUNT, "jobs that arrived inside the horizon")                                              \
    M(JOBS_FINISHED, "jobs.finished", RR_U_COUNT, "jobs that ended well")                                                                \
    M(JOBS_FAILED, "jobs.failed", RR_U_COUNT, "jobs that ran and failed, as in the trace")                                               \
    M(JOBS_KILLED, "jobs.killed", RR_U_COUNT, "jobs ended by a limit or a user, or never started in the trace")                          \
    M(JOBS_REJECTED, "jobs.rejected", RR_U_COUNT, "jobs that can never fit")                                                             \
    M(JOBS_WAITING, "jobs.waiting", RR_U_COUNT, "jobs still waiting at the horizon")                                                     \
    M(JOBS_RUNNING, "jobs.running", RR_U_COUNT, "jobs still running at the horizon")                                                     \
    M(WAIT_MEAN, "wait.mean", RR_U_SECONDS, "submit to first start, mean over started jobs")                                             \
    M(WAIT_P50, "wait.p50", RR_U_SECONDS, "median wait (quantile type 7)")                                                               \
    M(WAIT_P95, "wait.p95", RR_U_SECONDS, "95 % of started jobs waited at most this")                                                    \
    M(WAIT_P99, "wait.p99", RR_U_SECONDS, "99 % of started jobs waited at most this")                                                    \
    M(WAIT_MAX, "wait.max", RR_U_SECONDS, "longest wait of a started job")                                                               \
    M(JCT_MEAN, "jct.mean", RR_U_SECONDS, "submit to last end, mean over finished, failed and killed jobs that ran")                     \
    M(JCT_P50, "jct.p50", RR_U_SECONDS, "median job completion time")                                                                    \
    M(JCT_P95, "jct.p95", RR_U_SECONDS, "95th percentile of job completion time")                                                        \
    M(JCT_P99, "jct.p99", RR_U_SECONDS, "99th percentile of job completion time")                                                        \
    M(JCT_MAX, "jct.max", RR_U_SECONDS, "longest job completion time")                                                                   \
    M(BSLD_MEAN, "bsld.mean", RR_U_RATIO, "bounded slowdown: mean of max(1, JCT / max(run, 10 s))")                                      \
    M(MAKESPAN, "makespan", RR_U_SECONDS, "first submit to last end")                                                                    \
    M(GPU_HOURS_HELD, "gpu_hours.held", RR_U_GPU_HOURS, "GPU time held: used + lost + idle + starting + down")                           \
    M(GPU_HOURS_USED, "gpu_hours.used", RR_U_GPU_HOURS, "GPU time that jobs used")                                                       \
    M(GPU_HOURS_LOST, "gpu_hours.lost", RR_U_GPU_HOURS, "GPU time thrown away, in checkpoints or restarts")                              \
    M(GPU_HOURS_LOST_CHECKPOINT, "gpu_hours.lost_checkpoint", RR_U_GPU_HOURS, "of the lost: writing checkpoints")                        \
    M(GPU_HOURS_LOST_RESTART, "gpu_hours.lost_restart", RR_U_GPU_HOURS, "of the lost: starting and restoring")                           \
    M(GPU_HOURS_LOST_PREEMPTED, "gpu_hours.lost_preempted", RR_U_GPU_HOURS, "of the lost: thrown away when the scheduler interrupted")   \
    M(GPU_HOURS_LOST_FAILURE, "gpu_hours.lost_failure", RR_U_GPU_HOURS, "of the lost: thrown away by failures")                          \
    M(GPU_HOURS_LOST_SPOT, "gpu_hours.lost_spot", RR_U_GPU_HOURS, "of the lost: thrown away when spot nodes went")                       \
    M(GPU_HOURS_LOST_OTHER, "gpu_hours.lost_other", RR_U_GPU_HOURS, "of the lost: thrown away by maintenance, drains and the horizon")   \
    M(GPU_HOURS_IDLE, "gpu_hours.idle", RR_U_GPU_HOURS, "GPU time ready but unallocated")                                                \
    M(GPU_HOURS_STARTING, "gpu_hours.starting", RR_U_GPU_HOURS, "GPU time booting")                                                      \
    M(GPU_HOURS_DOWN, "gpu_hours.down", RR_U_GPU_HOURS, "GPU time in repair or drained")                                                 \
    M(GPU_ALLOCATED_SHARE, "gpu.allocated_share", RR_U_RATIO, "used + lost over held GPU time")                                          \
    M(QUEUE_MAX, "queue.max", RR_U_COUNT, "most jobs waiting at once")                                                                   \
    M(NODES_PEAK, "nodes.peak", RR_U_COUNT, "most nodes held at once")                                                                   \
    M(SPOT_INTERRUPTIONS, "spot.interruptions", RR_U_COUNT, "spot nodes taken back")                                                     \
    M(SPOT_RECLAIMED, "spot.reclaimed", RR_U_COUNT, "spot nodes that the provider took back")                                            \
    M(SPOT_PRICED_OUT, "spot.priced_out", RR_U_COUNT, "spot nodes given up above max_price")                                             \
    M(NODES_FAILURES, "nodes.failures", RR_U_COUNT, "node failures")                                                                     \
    M(PREEMPTIONS, "preemptions", RR_U_COUNT, "attempts that the scheduler interrupted, for another job or to move it")                  \
    M(RESTARTS, "restarts", RR_U_COUNT, "attempts beyond the first")                                                                     \
    M(ENERGY_KWH, "energy.kwh", RR_U_KWH, "energy of owned machines, PUE included")                                                      \
    M(CARBON_KGCO2E, "carbon.kgco2e", RR_U_KG, "operational carbon")                                                                     \
    M(DEADLINE_MISSED, "deadline.missed", RR_U_COUNT, "jobs that had not ended by their deadline")

enum rr_metric {
#define RR_METRIC_ENUM(id, name, unit, help) RR_M_##id,
    RR_METRIC_TABLE(RR_METRIC_ENUM)
#undef RR_METRIC_ENUM
        RR_METRICS
};
struct rr_metric_info {
    const char *name;
    enum rr_metric_unit unit;
    const char *help;
};
extern const struct rr_metric_info rr_metric_info[RR_METRICS];
int rr_metric_find(const char *name); /* -1 when absent */

/* One metric over replications. A spread over one replication, and what is undefined, is NaN (null in JSON). */
struct rr_stat {
    int n;
    double mean, stddev, ci95, min, p10, p50, p90, max; /* ci95: half width (Student t) */
};
/* values[n] in replication order; any NaN makes all NaN. Quantiles type 7, NaN when nothing varies or n = 1 (p50 then too). */
void rr_stat_of(const double *values, int n, struct rr_stat *ret);
/* Type-7 quantile of sorted[n], n >= 1, q in [0, 1]. */
double rr_quantile(const double *sorted, long n, double q);
double rr_stat_get(const struct rr_stat *s, const char *stat); /* "mean", "p90", ...; NaN for an unknown word */
extern const char *const rr_stat_names[];                      /* NULL-terminated */
#endif
