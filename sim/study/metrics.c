/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/study/metrics.c - one replay and its bill as the numbers of results.json (DESIGN.md sections 4 and 6). */
#include "data/base/sort.h"
#include "models/finance/finance.h"
#include "sim/study/finance.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static double seconds(int64_t us) { return (double)us / 1e6; }
static double gpu_hours(rr_i128 milli_us) { return (double)milli_us / (1000.0 * (double)RR_H); }

rr_i128 rr_job_work(const struct rr_run *r, size_t i)
{
    const struct rr_outcome *o = &r->replay.outcome[i];
    if (o->start_us == RR_NEVER) return 0;
    if (r->replay.held_us) return (rr_i128)r->jobs.gpus_milli[i] * r->replay.held_us[i];
    const int64_t end = o->end_us < r->replay.end_us ? o->end_us : r->replay.end_us;
    return end > o->start_us ? (rr_i128)r->jobs.gpus_milli[i] * (end - o->start_us) : 0;
}

struct sample { /* of one kind of time, in microseconds */
    int64_t *us;
    size_t n;
};

/* Sorted quantiles of type 7 on integer microseconds. */
static double quantile_s(const struct sample *s, double q)
{
    if (!s->n) return NAN;
    const double at = q * (double)(s->n - 1);
    const size_t i = (size_t)at;
    const double low = seconds(s->us[i]);
    if (i + 1 >= s->n) return low;
    return low + (at - (double)i) * (seconds(s->us[i + 1]) - low);
}

static double mean_s(const struct sample *s)
{
    rr_i128 sum = 0;
    for (size_t i = 0; i < s->n; i++) sum += s->us[i];
    return s->n ? (double)sum / (double)s->n / 1e6 : NAN;
}

static void put_times(double *m, enum rr_metric mean, enum rr_metric p50, enum rr_metric p95, enum rr_metric p99, enum rr_metric most,
                      struct sample *s)
{
    rr_sort_i64(s->us, s->n);
    m[mean] = mean_s(s);
    m[p50] = quantile_s(s, 0.50);
    m[p95] = quantile_s(s, 0.95);
    m[p99] = quantile_s(s, 0.99);
    m[most] = s->n ? seconds(s->us[s->n - 1]) : NAN;
}

/* Jobs that had not ended by their deadline; null when no job has one. */
static double missed(const struct rr_run *r)
{
    size_t n = 0;
    if (!r->jobs.deadline_us) return NAN;
    for (size_t i = 0; i < r->replay.n_jobs; i++) {
        const struct rr_outcome *o = &r->replay.outcome[i];
        const int64_t within = r->jobs.deadline_us[i];
        if (o->state == RR_JOB_NOT_SUBMITTED || within == RR_NEVER) continue;
        const int64_t end = o->end_us < r->replay.end_us ? o->end_us : r->replay.end_us;
        n += end - r->jobs.submit_us[i] > within || (o->state == RR_JOB_REJECTED);
    }
    return (double)n;
}

static void put_counts(const struct rr_run *r, double *m)
{
    size_t n[RR_JOB_REJECTED + 1] = {0}, submitted = 0, restarts = 0;
    for (size_t i = 0; i < r->replay.n_jobs; i++) {
        const struct rr_outcome *o = &r->replay.outcome[i];
        n[o->state]++;
        submitted += o->state != RR_JOB_NOT_SUBMITTED;
        if (o->attempts > 1) restarts += o->attempts - 1u;
    }
    m[RR_M_JOBS_SUBMITTED] = (double)submitted;
    m[RR_M_JOBS_FINISHED] = (double)n[RR_JOB_FINISHED];
    m[RR_M_JOBS_FAILED] = (double)n[RR_JOB_FAILED];
    m[RR_M_JOBS_KILLED] = (double)n[RR_JOB_KILLED];
    m[RR_M_JOBS_REJECTED] = (double)n[RR_JOB_REJECTED];
    m[RR_M_JOBS_WAITING] = (double)n[RR_JOB_WAITING];
    m[RR_M_JOBS_RUNNING] = (double)n[RR_JOB_RUNNING];
    m[RR_M_RESTARTS] = (double)restarts;
    m[RR_M_DEADLINE_MISSED] = missed(r);
    m[RR_M_QUEUE_MAX] = (double)r->replay.queue_max;
}

/* Whose doing an interruption is, or what GPU time went to. */
static enum rr_metric lost_to(enum rr_reason why)
{
    switch (why) {
    case RR_WHY_CHECKPOINT: return RR_M_GPU_HOURS_LOST_CHECKPOINT;
    case RR_WHY_RESTART: return RR_M_GPU_HOURS_LOST_RESTART;
    case RR_WHY_PREEMPTED:
    case RR_WHY_MOVED: return RR_M_GPU_HOURS_LOST_PREEMPTED;
    case RR_WHY_NODE_FAILURE:
    case RR_WHY_GPU_FAILURE:
    case RR_WHY_NETWORK_FAILURE:
    case RR_WHY_POWER_FAILURE:
    case RR_WHY_SOFTWARE_FAILURE: return RR_M_GPU_HOURS_LOST_FAILURE;
    case RR_WHY_RECLAIMED:
    case RR_WHY_PRICE: return RR_M_GPU_HOURS_LOST_SPOT;
    default: return RR_M_GPU_HOURS_LOST_OTHER;
    }
}

/* Nodes that were lost, to the market and to failures; attempts that the scheduler interrupted. */
static void put_interruptions(const struct rr_scenario *s, const struct rr_run *r, double *m)
{
    int64_t nodes[RR_WHYS] = {0}, failed = 0, preempted = 0;
    for (size_t p = 0; p < s->n_pools; p++)
        for (int k = 0; k < RR_WHYS; k++) {
            nodes[k] += r->replay.pool[p].nodes_lost[k];
            if (lost_to((enum rr_reason)k) == RR_M_GPU_HOURS_LOST_FAILURE) failed += r->replay.pool[p].nodes_lost[k];
        }
    for (size_t i = 0; i < r->replay.n_attempts; i++)
        preempted += lost_to((enum rr_reason)r->replay.attempt[i].reason) == RR_M_GPU_HOURS_LOST_PREEMPTED;
    m[RR_M_SPOT_RECLAIMED] = (double)nodes[RR_WHY_RECLAIMED];
    m[RR_M_SPOT_PRICED_OUT] = (double)nodes[RR_WHY_PRICE];
    m[RR_M_SPOT_INTERRUPTIONS] = (double)(nodes[RR_WHY_RECLAIMED] + nodes[RR_WHY_PRICE]);
    m[RR_M_NODES_FAILURES] = (double)failed;
    m[RR_M_PREEMPTIONS] = (double)preempted;
}

/* The parts of the lost GPU time: they add up to it. */
static void put_losses(const struct rr_scenario *s, const struct rr_run *r, double *m)
{
    rr_i128 part[RR_METRICS] = {0};
    for (size_t p = 0; p < s->n_pools; p++)
        for (int k = 0; k < RR_WHYS; k++) part[lost_to((enum rr_reason)k)] += r->replay.pool[p].lost_to[k] / rr_pool_slices(&s->pool[p]);
    for (int k = RR_M_GPU_HOURS_LOST_CHECKPOINT; k <= RR_M_GPU_HOURS_LOST_OTHER; k++) m[k] = gpu_hours(part[k]);
}

static bool has_ended(const struct rr_outcome *o)
{
    return (o->state == RR_JOB_FINISHED || o->state == RR_JOB_FAILED || o->state == RR_JOB_KILLED) && o->start_us != RR_NEVER;
}

/* Waits, completion times, slowdown and makespan; jobs submitted before the warm-up's end are left out of all but the makespan. */
static void put_job_times(const struct rr_scenario *s, const struct rr_run *r, struct rr_arena *arena, double *m)
{
    const size_t n = r->replay.n_jobs;
    struct sample wait = {RR_NEWS(arena, int64_t, n), 0}, jct = {RR_NEWS(arena, int64_t, n), 0};
    double slowdown = 0;
    int64_t first = RR_NEVER, last = INT64_MIN;
    for (size_t i = 0; i < n; i++) {
        const struct rr_outcome *o = &r->replay.outcome[i];
        const int64_t submit = r->jobs.submit_us[i];
        if (o->state == RR_JOB_NOT_SUBMITTED) continue;
        if (submit < first) first = submit;
        const bool ended = has_ended(o);
        if (ended && o->end_us > last) last = o->end_us;
        if (submit < s->warmup_us) continue;
        if (o->start_us != RR_NEVER) wait.us[wait.n++] = o->start_us - submit;
        if (!ended) continue;
        const int64_t took = o->end_us - submit;
        const double run = seconds(r->jobs.run_us[i]), bounded = seconds(took) / (run > 10 ? run : 10);
        jct.us[jct.n++] = took;
        slowdown += bounded > 1 ? bounded : 1;
    }
    m[RR_M_BSLD_MEAN] = jct.n ? slowdown / (double)jct.n : NAN;
    m[RR_M_MAKESPAN] = last >= first ? seconds(last - first) : NAN;
    put_times(m, RR_M_WAIT_MEAN, RR_M_WAIT_P50, RR_M_WAIT_P95, RR_M_WAIT_P99, RR_M_WAIT_MAX, &wait);
    put_times(m, RR_M_JCT_MEAN, RR_M_JCT_P50, RR_M_JCT_P95, RR_M_JCT_P99, RR_M_JCT_MAX, &jct);
}

/* What a job that ended has of its work: all of it, unless a limit cut it short. */
static rr_i128 done_of(const struct rr_run *r, size_t i)
{
    const struct rr_outcome *o = &r->replay.outcome[i];
    if (r->replay.held_us == NULL) return rr_job_work(r, i);
    const int64_t us = o->state == RR_JOB_KILLED ? r->replay.held_us[i] - o->lost_us : r->jobs.run_us[i];
    return (rr_i128)r->jobs.gpus_milli[i] * us;
}

/* Share of the submitted GPU work that was done to its end; by job counts when no job has both GPUs and a known run time. */
static double finished_share(const struct rr_run *r)
{
    rr_i128 submitted = 0, done = 0;
    size_t n_submitted = 0, n_done = 0;
    for (size_t i = 0; i < r->replay.n_jobs; i++) {
        const struct rr_outcome *o = &r->replay.outcome[i];
        const bool never = r->jobs.state && r->jobs.state[i] == RR_TRACE_NEVER_STARTED;
        if (o->state == RR_JOB_NOT_SUBMITTED || never || r->jobs.run_us[i] == RR_NEVER) continue;
        submitted += (rr_i128)r->jobs.gpus_milli[i] * r->jobs.run_us[i];
        n_submitted++;
        if (!has_ended(o)) continue;
        done += done_of(r, i);
        n_done++;
    }
    if (submitted > 0) return (double)done / (double)submitted;
    return n_submitted ? (double)n_done / (double)n_submitted : NAN;
}

static void put_gpu_time(const struct rr_scenario *s, const struct rr_run *r, double *m)
{
    struct rr_pool_time all = {0};
    for (size_t p = 0; p < s->n_pools; p++) {
        const struct rr_pool_time *t = &r->replay.pool[p];
        const int64_t slices = rr_pool_slices(&s->pool[p]);
        all.held += t->held / slices;
        all.used += t->used / slices;
        all.lost += t->lost / slices;
        all.idle += t->idle / slices;
        all.starting += t->starting / slices;
        all.down += t->down / slices;
    }
    m[RR_M_GPU_HOURS_HELD] = gpu_hours(all.held);
    m[RR_M_GPU_HOURS_USED] = gpu_hours(all.used);
    m[RR_M_GPU_HOURS_LOST] = gpu_hours(all.lost);
    m[RR_M_GPU_HOURS_IDLE] = gpu_hours(all.idle);
    m[RR_M_GPU_HOURS_STARTING] = gpu_hours(all.starting);
    m[RR_M_GPU_HOURS_DOWN] = gpu_hours(all.down);
    m[RR_M_GPU_ALLOCATED_SHARE] = all.held > 0 ? (double)(all.used + all.lost) / (double)all.held : NAN;
}

/* Most leases open at once over all pools; an end and a start at one instant do not overlap. */
static double nodes_peak(const struct rr_scenario *s, const struct rr_run *r, struct rr_arena *arena)
{
    if (s->n_pools == 1) return (double)r->replay.pool[0].nodes_peak;
    const size_t n = r->replay.n_leases;
    int64_t *start = RR_NEWS(arena, int64_t, n), *end = RR_NEWS(arena, int64_t, n);
    for (size_t i = 0; i < n; i++) {
        start[i] = r->replay.lease[i].start_us;
        end[i] = r->replay.lease[i].end_us;
    }
    rr_sort_i64(start, n);
    rr_sort_i64(end, n);
    size_t open = 0, peak = 0;
    for (size_t i = 0, e = 0; i < n; i++) {
        for (; e < n && end[e] <= start[i]; e++) open--;
        if (++open > peak) peak = open;
    }
    return (double)peak;
}

/* Time that a job waited inside the replay, before its first start and between attempts. */
static int64_t waited_us(const struct rr_run *r, size_t i)
{
    const struct rr_outcome *o = &r->replay.outcome[i];
    const bool never = r->jobs.state && r->jobs.state[i] == RR_TRACE_NEVER_STARTED;
    if (o->state == RR_JOB_NOT_SUBMITTED || o->state == RR_JOB_REJECTED || never) return 0;
    const int64_t until = o->end_us < r->replay.end_us ? o->end_us : r->replay.end_us, from = r->jobs.submit_us[i];
    if (r->replay.held_us) return until - from - r->replay.held_us[i];
    return (o->start_us < until ? o->start_us : until) - from;
}

/* Per class one sum in 128 bits and one rounding; null when no class has a cost. */
static double waiting_cost(const struct rr_scenario *s, const struct rr_run *r, struct rr_arena *arena)
{
    rr_i128 *us = RR_NEWS(arena, rr_i128, s->n_classes);
    double total = NAN;
    for (size_t i = 0; r->replay.class_of && i < r->replay.n_jobs; i++)
        if (r->replay.class_of[i] != RR_NO_CLASS) us[r->replay.class_of[i]] += waited_us(r, i);
    for (size_t k = 0; k < s->n_classes; k++) {
        if (s->classes[k].waiting.nano == 0) continue;
        const double hours = (double)us[k] / (double)RR_H;
        total = (isnan(total) ? 0 : total) + nearbyint((double)s->classes[k].waiting.nano / 1e3 * hours) / 1e6;
    }
    return total;
}

void rr_metrics_replay(const struct rr_scenario *s, const struct rr_run *r, struct rr_arena *arena, double *m)
{
    for (int i = 0; i < RR_METRICS; i++) m[i] = NAN;
    put_counts(r, m);
    put_job_times(s, r, arena, m);
    put_gpu_time(s, r, m);
    put_interruptions(s, r, m);
    put_losses(s, r, m);
    m[RR_M_COST_WAITING] = waiting_cost(s, r, arena);
    m[RR_M_WORK_FINISHED_SHARE] = finished_share(r);
    m[RR_M_NODES_PEAK] = nodes_peak(s, r, arena);
}

/* The part of the cost that charges of a type belong to: "cost.TYPE"; -1 = none. */
static int cost_part(const char *type)
{
    char name[64];
    snprintf(name, sizeof name, "cost.%s", type);
    return rr_metric_find(name);
}

static enum rr_status put_costs(const struct rr_ledger *l, double *m)
{
    struct rr_money part[RR_METRICS] = {{0}}, energy = {0};
    const char *type = NULL; // charges of a type follow each other
    for (int i = 0, k = -1; i < (int)l->charge.n; i++) {
        const struct rr_charge *c = &l->charge.at[i];
        if (c->type != type) k = cost_part(type = c->type);
        if (k < 0) return rr_fail(RR_EINTERNAL, "a charge of type \"%s\" belongs to no cost metric", c->type);
        RR_TRY(rr_money_add(&part[k], c->effective));
        if (c->energy) RR_TRY(rr_money_add(&energy, c->effective));
    }
    for (int k = RR_M_COST_ON_DEMAND; k < RR_M_COST_ENERGY; k++) m[k] = rr_money_double(part[k]);
    m[RR_M_COST_ENERGY] = rr_money_double(energy);
    return RR_OK;
}

/* What is paid but not used up at the horizon: the rest of prepaid terms. An owned machine's rest is its book value. */
static double prepaid_left(const struct rr_billing *b, const struct rr_ledger *l)
{
    rr_i128 left = 0;
    for (size_t i = 0; i < l->charge.n; i++) {
        const struct rr_charge *c = &l->charge.at[i];
        if (c->due_us <= b->horizon_us && strcmp(c->type, "owned") != 0 && strcmp(c->type, "existing") != 0)
            left += c->billed.micro - c->effective.micro;
    }
    return left > 0 ? (double)left / 1e6 : 0;
}

/* Billed cash up to the horizon, and its present value without financing, net of what is left then. */
static void put_cash(const struct rr_billing *b, const struct rr_ledger *l, double book_value, double *m)
{
    const struct rr_scenario *s = b->scenario;
    const double terminal = book_value + prepaid_left(b, l);
    rr_i128 cash = 0;
    double npv = 0;
    for (size_t i = 0; i < l->charge.n; i++) {
        const struct rr_charge *c = &l->charge.at[i];
        if (c->due_us > b->horizon_us) continue;
        cash += c->billed.micro;
        if (!rr_is_financing(c)) npv += rr_money_double(c->billed) * rr_discount(&s->clock, s->finance.discount_rate, c->due_us);
    }
    m[RR_M_CASH_TOTAL] = (double)cash / 1e6;
    m[RR_M_VALUE_TERMINAL] = terminal;
    npv -= terminal * rr_discount(&s->clock, s->finance.discount_rate, b->horizon_us);
    m[RR_M_NPV_COST] = s->finance.has_discount_rate ? npv : NAN;
}

static double energy_kwh(const struct rr_billing *b)
{
    double sum = NAN;
    for (size_t p = 0; p < b->scenario->n_pools; p++) {
        const struct rr_pool *pool = &b->scenario->pool[p];
        const struct rr_price_plan *plan = (const struct rr_price_plan *)pool->plan;
        if (!plan || !plan->energy_kwh) continue;
        sum = (isnan(sum) ? 0 : sum) + plan->energy_kwh(pool->plan_params, b, p);
    }
    return sum;
}

enum rr_status rr_metrics_money(const struct rr_billing *b, const struct rr_ledger *l, double *m)
{
    m[RR_M_ENERGY_KWH] = energy_kwh(b);
    for (size_t p = 0; p < b->scenario->n_pools; p++)
        if (!b->scenario->pool[p].plan) return RR_OK; // unpriced: cost.* stay null

    struct rr_money terminal = {0};
    RR_TRY(rr_bill_terminal(b, b->horizon_us, &terminal));
    RR_TRY(put_costs(l, m));
    put_cash(b, l, rr_money_double(terminal), m);
    const double total = rr_money_double(l->effective), used = m[RR_M_GPU_HOURS_USED],
                 months = rr_months(&b->scenario->clock, b->horizon_us);
    m[RR_M_COST_TOTAL] = total;
    m[RR_M_COST_AFTER_HORIZON] = rr_money_double(l->after_horizon);
    m[RR_M_COST_PER_GPU_HOUR_USED] = used > 0 ? total / used : NAN;
    m[RR_M_COST_PER_MONTH] = months > 0 ? total / months : NAN;
    m[RR_M_COST_PER_JOB_FINISHED] = m[RR_M_JOBS_FINISHED] > 0 ? total / m[RR_M_JOBS_FINISHED] : NAN;
    return RR_OK;
}
