/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/engine/check.c - laws 1 and 2, worked out again from outcomes and leases alone. */
#include "sim/engine/engine.h"

enum rr_status rr_replay_check_jobs(const struct rr_world *w, const struct rr_replay *r, struct rr_buf *detail)
{
    long long n[RR_JOB_REJECTED + 1] = {0}, submitted = 0;
    for (size_t i = 0; i < r->n_jobs; i++) {
        const struct rr_outcome *o = &r->outcome[i];
        const bool came = w->trace->submit_us[i] < w->horizon_us;
        const bool started = o->start_us != RR_NEVER, ended = o->end_us != RR_NEVER;
        if (o->state > RR_JOB_REJECTED || came == (o->state == RR_JOB_NOT_SUBMITTED))
            return rr_fail(RR_EINTERNAL, "law 1: job %zu is %s, submitted at %lld us, horizon %lld us", i,
                           rr_job_state_text((enum rr_job_state)o->state), (long long)w->trace->submit_us[i], (long long)w->horizon_us);
        const bool may_run = o->state != RR_JOB_NOT_SUBMITTED && (o->state != RR_JOB_WAITING || r->attempt) && o->state != RR_JOB_REJECTED;
        const bool must_end = o->state == RR_JOB_FINISHED || o->state == RR_JOB_FAILED;
        if ((started && !may_run) || (ended && !started) || (must_end && !ended) || (o->state == RR_JOB_RUNNING && (!started || ended)) ||
            (started && o->start_us < w->trace->submit_us[i]) || (ended && (o->end_us < o->start_us || o->end_us > r->end_us)))
            return rr_fail(RR_EINTERNAL, "law 1: job %zu is %s, submitted at %lld us, started at %lld us, ended at %lld us", i,
                           rr_job_state_text((enum rr_job_state)o->state), (long long)w->trace->submit_us[i], (long long)o->start_us,
                           (long long)o->end_us);
        n[o->state]++;
        submitted += came;
    }
    const long long sum =
        n[RR_JOB_FINISHED] + n[RR_JOB_FAILED] + n[RR_JOB_KILLED] + n[RR_JOB_REJECTED] + n[RR_JOB_WAITING] + n[RR_JOB_RUNNING];
    if (detail)
        rr_buf_putf(detail, "%lld submitted = %lld finished + %lld failed + %lld killed + %lld rejected + %lld waiting + %lld running",
                    submitted, n[RR_JOB_FINISHED], n[RR_JOB_FAILED], n[RR_JOB_KILLED], n[RR_JOB_REJECTED], n[RR_JOB_WAITING],
                    n[RR_JOB_RUNNING]);
    if (submitted != sum) return rr_fail(RR_EINTERNAL, "law 1: %lld jobs submitted, %lld accounted for", submitted, sum);
    return RR_OK;
}

static double hours(rr_i128 milli_us) { return (double)milli_us / (1000.0 * (double)RR_H); }

struct sums {
    rr_i128 held, starting, down, leased, used, lost;
};

// In the pool's unit, GPUs or slices of them; a lease's own use, kept in GPUs, is cut to a whole number.
static enum rr_status sum_leases(const struct rr_replay *r, size_t pool, int64_t slices, struct sums *sum)
{
    for (size_t i = r->pool_lease[pool]; i < r->pool_lease[pool + 1]; i++) {
        const struct rr_lease *l = &r->lease[i];
        const rr_i128 milli = 1000 * (rr_i128)r->node_gpus[l->node];
        if (l->start_us > l->ready_us || l->ready_us > l->end_us || l->end_us > r->end_us || l->used_milli_us < 0 || l->down_milli_us < 0 ||
            (rr_i128)l->used_milli_us + l->down_milli_us > milli * (l->end_us - l->ready_us))
            return rr_fail(RR_EINTERNAL, "law 2: lease %zu of node %u: %lld us used of %d GPUs held from %lld to %lld us, ready at %lld us",
                           i, l->node, (long long)l->used_milli_us, (int)r->node_gpus[l->node], (long long)l->start_us,
                           (long long)l->end_us, (long long)l->ready_us);
        sum->held += slices * milli * (l->end_us - l->start_us);
        sum->starting += slices * milli * (l->ready_us - l->start_us);
        sum->leased += slices * (rr_i128)l->used_milli_us;
        sum->down += slices * (rr_i128)l->down_milli_us;
    }
    return RR_OK;
}

// By outcomes alone when no job could be interrupted.
static void sum_outcomes(const struct rr_world *w, const struct rr_replay *r, size_t pool, struct sums *sum)
{
    for (size_t i = 0; i < r->n_jobs; i++) {
        const struct rr_outcome *o = &r->outcome[i];
        if (o->pool != pool || o->start_us == RR_NEVER) continue;
        const int64_t end = o->end_us < r->end_us ? o->end_us : r->end_us;
        sum->used += (rr_i128)w->trace->gpus_milli[i] * (end - o->start_us);
    }
}

static enum rr_status sum_attempts(const struct rr_replay *r, size_t pool, struct sums *sum)
{
    for (size_t i = 0; i < r->n_attempts; i++) {
        const struct rr_attempt *a = &r->attempt[i];
        const int64_t took = a->end_us - a->start_us;
        if (took < 0 || a->end_us > r->end_us || a->overhead_us < 0 || a->lost_us < a->overhead_us || a->lost_us > took)
            return rr_fail(RR_EINTERNAL, "law 2: attempt %zu of job %u from %lld to %lld us lost %lld us, %lld of it overhead", i, a->job,
                           (long long)a->start_us, (long long)a->end_us, (long long)a->lost_us, (long long)a->overhead_us);
        if (a->pool != pool) continue;
        sum->used += (rr_i128)a->gpus_milli * (took - a->lost_us);
        sum->lost += (rr_i128)a->gpus_milli * a->lost_us;
    }
    return RR_OK;
}

static rr_i128 lost_by_reason(const struct rr_pool_time *t)
{
    rr_i128 lost = 0;
    for (size_t i = 0; i < RR_WHYS; i++) lost += t->lost_to[i];
    return lost;
}

// At most `cut` below.
static bool near(rr_i128 sum, rr_i128 of, rr_i128 cut) { return sum <= of && of - sum <= cut; }

enum rr_status rr_replay_check_time(const struct rr_world *w, const struct rr_replay *r, struct rr_buf *detail)
{
    struct rr_pool_time all = {0};
    for (size_t p = 0; p < w->scenario->n_pools; p++) {
        const struct rr_pool_time *t = &r->pool[p];
        const char *name = w->scenario->pool[p].name ? w->scenario->pool[p].name : "?";
        struct sums sum = {0};
        const int64_t slices = rr_pool_slices(&w->scenario->pool[p]);
        const rr_i128 cut = (rr_i128)(slices - 1) * (rr_i128)(r->pool_lease[p + 1] - r->pool_lease[p]);
        RR_TRY(sum_leases(r, p, slices, &sum));
        if (r->attempt)
            RR_TRY(sum_attempts(r, p, &sum));
        else
            sum_outcomes(w, r, p, &sum);
        if (t->held != t->used + t->lost + t->idle + t->starting + t->down)
            return rr_fail(RR_EINTERNAL,
                           "law 2: pool %s held %.6f GPU-hours, used %.6f + lost %.6f + idle %.6f + starting %.6f + down %.6f", name,
                           hours(t->held), hours(t->used), hours(t->lost), hours(t->idle), hours(t->starting), hours(t->down));
        if (sum.held != t->held || sum.starting != t->starting || sum.used != t->used || sum.lost != t->lost ||
            !near(sum.down, t->down, cut) || !near(sum.leased, t->used + t->lost, cut) || lost_by_reason(t) != t->lost)
            return rr_fail(
                RR_EINTERNAL,
                "law 2: pool %s: books say held %.6f, used %.6f, lost %.6f (by reason %.6f), down %.6f; leases held %.6f, used %.6f, "
                "down %.6f; jobs used %.6f, lost %.6f GPU-hours",
                name, hours(t->held), hours(t->used), hours(t->lost), hours(lost_by_reason(t)), hours(t->down), hours(sum.held),
                hours(sum.leased), hours(sum.down), hours(sum.used), hours(sum.lost));
        all.held += t->held / slices;
        all.used += t->used / slices;
        all.lost += t->lost / slices;
        all.idle += t->idle / slices;
        all.starting += t->starting / slices;
        all.down += t->down / slices;
    }
    if (detail)
        rr_buf_putf(detail, "%.3f GPU-hours held = %.3f used + %.3f lost + %.3f idle + %.3f starting + %.3f down", hours(all.held),
                    hours(all.used), hours(all.lost), hours(all.idle), hours(all.starting), hours(all.down));
    return RR_OK;
}
