/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/study/series.c - the curves of replication 1: GPUs and queue over time, cumulative cost, distribution of waits. */
#include "data/base/sort.h"
#include "sim/study/parts.h"
#include <string.h>

enum { COST_POINTS = 240, CDF_POINTS = 200, SERIES = 12 };

static double *copy(struct rr_arena *a, const double *v, size_t n)
{
    if (!v) return NULL;
    double *d = RR_NEWS(a, double, n);
    if (n) memcpy(d, v, n * sizeof *d);
    return d;
}

static struct rr_series from_timeline(const struct rr_telling *t, const char *name, const char *unit, const double *mean, const double *min,
                                      const double *max)
{
    const struct rr_timeline *tl = &t->run->replay.timeline;
    struct rr_series s = {.name = name, .x_unit = "s", .y_unit = unit, .n = tl->n, .x = RR_NEWS(t->arena, double, tl->n)};
    for (size_t i = 0; i < tl->n; i++) s.x[i] = (double)tl->bin_us * (double)i / 1e6;
    s.mean = copy(t->arena, mean, tl->n);
    s.min = copy(t->arena, min, tl->n);
    s.max = copy(t->arena, max, tl->n);
    return s;
}

/* A charge accrues evenly over the interval it pays for; points at i / n of the horizon. */
static double accrued(const struct rr_charge *c, double at_us)
{
    const double from = (double)c->from_us, to = (double)c->to_us;
    if (at_us <= from) return to > from || at_us < from ? 0 : rr_money_double(c->effective);
    return at_us >= to ? rr_money_double(c->effective) : rr_money_double(c->effective) * (at_us - from) / (to - from);
}

static struct rr_series cost_curve(const struct rr_telling *t, bool effective)
{
    const size_t n = COST_POINTS + 1;
    struct rr_series s = {.name = effective ? "cost_effective" : "cost_billed", .x_unit = "s", .y_unit = t->scenario->currency, .n = n};
    s.x = RR_NEWS(t->arena, double, n);
    s.mean = RR_NEWS(t->arena, double, n);
    for (size_t i = 0; i < n; i++) {
        const double at_us = (double)t->billing->horizon_us * (double)i / COST_POINTS;
        s.x[i] = at_us / 1e6;
        for (size_t k = 0; k < t->ledger->charge.n; k++) {
            const struct rr_charge *c = &t->ledger->charge.at[k];
            if (effective)
                s.mean[i] += accrued(c, at_us);
            else if ((double)c->due_us <= at_us)
                s.mean[i] += rr_money_double(c->billed);
        }
    }
    return s;
}

/* Waits of started jobs submitted after the warm-up at evenly spaced shares, the least and the longest included. */
static struct rr_series wait_cdf(const struct rr_telling *t)
{
    const struct rr_replay *r = &t->run->replay;
    int64_t *wait = RR_NEWS(t->arena, int64_t, r->n_jobs);
    size_t n = 0;
    for (size_t i = 0; i < r->n_jobs; i++) {
        const int64_t submit = t->run->jobs.submit_us[i];
        if (r->outcome[i].start_us != RR_NEVER && submit >= t->scenario->warmup_us) wait[n++] = r->outcome[i].start_us - submit;
    }
    rr_sort_i64(wait, n);
    const size_t points = n < CDF_POINTS ? n : CDF_POINTS;
    struct rr_series s = {.name = "wait_cdf", .x_unit = "s", .y_unit = "share of started jobs", .n = points};
    s.x = RR_NEWS(t->arena, double, points);
    s.mean = RR_NEWS(t->arena, double, points);
    for (size_t i = 0; i < points; i++) {
        const size_t k = points > 1 ? i * (n - 1) / (points - 1) : 0;
        s.x[i] = (double)wait[k] / 1e6;
        s.mean[i] = (double)(k + 1) / (double)n;
    }
    return s;
}

static bool any(const double *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (v[i] > 0) return true;
    return false;
}

// GPU time `gpus_us`, laid evenly over [from, to), into the bins.
static void spread(const struct rr_timeline *tl, double *sum, double gpus_us, int64_t from, int64_t to)
{
    if (to <= from) return;
    const double gpus = gpus_us / (double)(to - from);
    for (int64_t i = from / tl->bin_us; from < to && i < (int64_t)tl->n; i++) {
        const int64_t edge = (i + 1) * tl->bin_us < to ? (i + 1) * tl->bin_us : to;
        sum[i] += gpus * (double)(edge - from);
        from = edge;
    }
}

/* An attempt starts and restores first; what it throws away is its end; the checkpoints that it writes lie evenly between. */
static double *lost_gpus(const struct rr_telling *t)
{
    const struct rr_replay *r = &t->run->replay;
    const struct rr_timeline *tl = &r->timeline;
    double *mean = RR_NEWS(t->arena, double, tl->n);
    for (size_t i = 0; i < r->n_attempts; i++) {
        const struct rr_attempt *a = &r->attempt[i];
        if (a->lost_us == 0) continue;
        const double gpus = (double)a->gpus_milli / 1000 / (double)rr_pool_slices(&t->scenario->pool[a->pool]);
        const int64_t began = a->start_us + a->restart_us, thrown = a->lost_us - a->overhead_us, cut = a->end_us - thrown;
        spread(tl, mean, gpus * (double)a->restart_us, a->start_us, began);
        spread(tl, mean, gpus * (double)(a->overhead_us - a->restart_us), began < cut ? began : a->start_us, cut);
        spread(tl, mean, gpus * (double)thrown, cut, a->end_us);
    }
    for (size_t i = 0; i < tl->n; i++) mean[i] /= rr_timeline_width_us(tl, i, r->end_us);
    return mean;
}

// In use: what jobs hold, less what is lost of it.
static double *used_gpus(const struct rr_telling *t, const double *lost)
{
    const struct rr_timeline *tl = &t->run->replay.timeline;
    double *mean = copy(t->arena, tl->used_mean, tl->n);
    for (size_t i = 0; i < tl->n; i++) mean[i] = lost[i] < mean[i] ? mean[i] - lost[i] : 0;
    return mean;
}

static double *idle_gpus(const struct rr_telling *t)
{
    const struct rr_timeline *tl = &t->run->replay.timeline;
    double *mean = copy(t->arena, tl->held_mean, tl->n);
    for (size_t i = 0; i < tl->n; i++) {
        mean[i] -= tl->used_mean[i] + tl->starting_mean[i] + tl->down_mean[i];
        if (mean[i] < 1e-9 * tl->held_mean[i]) mean[i] = 0; // the noise of a difference
    }
    return mean;
}

static size_t gpu_curves(const struct rr_telling *t, struct rr_series *s)
{
    const struct rr_timeline *tl = &t->run->replay.timeline;
    const double *lost = t->run->replay.n_attempts ? lost_gpus(t) : NULL;
    size_t n = 0;
    if (lost && any(lost, tl->n)) {
        s[n++] = from_timeline(t, "used_gpus", "GPUs", used_gpus(t, lost), NULL, NULL);
        s[n++] = from_timeline(t, "lost_gpus", "GPUs", lost, NULL, NULL);
    } else {
        s[n++] = from_timeline(t, "used_gpus", "GPUs", tl->used_mean, tl->used_min, tl->used_max);
    }
    s[n++] = from_timeline(t, "idle_gpus", "GPUs", idle_gpus(t), NULL, NULL);
    if (any(tl->starting_mean, tl->n)) s[n++] = from_timeline(t, "starting_gpus", "GPUs", tl->starting_mean, NULL, NULL);
    if (any(tl->down_mean, tl->n)) s[n++] = from_timeline(t, "down_gpus", "GPUs", tl->down_mean, NULL, NULL);
    s[n++] = from_timeline(t, "held_gpus", "GPUs", tl->held_mean, tl->held_min, tl->held_max);
    s[n++] = from_timeline(t, "allocated_gpus", "GPUs", tl->used_mean, tl->used_min, tl->used_max);
    return n;
}

enum rr_status rr_tell_series(const struct rr_telling *t)
{
    const struct rr_replay *r = &t->run->replay;
    const struct rr_timeline *tl = &r->timeline;
    struct rr_series *s = RR_NEWS(t->arena, struct rr_series, SERIES);
    size_t n = 0;
    if (tl->n) {
        n = gpu_curves(t, s);
        s[n++] = from_timeline(t, "queue_jobs", "jobs", tl->queue_mean, tl->queue_min, tl->queue_max);
        s[n++] = from_timeline(t, "queue_gpus", "GPUs", tl->queue_gpus_mean, tl->queue_gpus_min, tl->queue_gpus_max);
    }
    if (!t->alt->unpriced) {
        s[n++] = cost_curve(t, true);
        s[n++] = cost_curve(t, false);
    }
    s[n++] = wait_cdf(t);
    t->alt->attempt = r->attempt;
    t->alt->n_attempts = r->n_attempts;
    t->alt->series = s;
    t->alt->n_series = n;
    return RR_OK;
}
