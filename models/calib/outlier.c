/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/calib/outlier.c - times that break a law: a larger message takes no less time and moves no slower. In a fit, against the nearest curve that keeps
 * them; of times that a fit did not see, against those that it saw. */
#include "data/base/fmath.h"
#include "models/calib/curve.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TIME_SLACK 0.10
#define RATE_SLACK 0.05

static int by_double(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double rr_quantile_of(double *v, size_t n, double q)
{
    if (n == 0) return 0;
    qsort(v, n, sizeof *v, by_double);
    const double at = q * (double)(n - 1);
    const size_t i = (size_t)at;
    return i + 1 < n ? v[i] + (at - (double)i) * (v[i + 1] - v[i]) : v[n - 1];
}

/* Pools adjacent sizes until their medians rise (L1 isotonic regression); level[n] of v[n], whose equal sizes are one block from the start. */
static void isotonic(const double *v, const struct rr_sizes *s, struct rr_arena *a, double *level)
{
    size_t *from = RR_NEWS(a, size_t, s->n + 1), blocks = 0;
    double *median = RR_NEWS(a, double, s->n + 1), *copy = RR_NEWS(a, double, s->first[s->n] + 1);
    for (size_t i = 0; i < s->n; i++) {
        size_t start = i;
        double m;
        for (;;) {
            const size_t p = s->first[start], n = s->first[i + 1] - p;
            memcpy(copy, v + p, n * sizeof *copy);
            m = rr_quantile_of(copy, n, 0.5);
            if (blocks == 0 || median[blocks - 1] <= m) break;
            start = from[--blocks];
        }
        from[blocks] = start, median[blocks++] = m;
    }
    for (size_t b = 0; b < blocks; b++)
        for (size_t p = s->first[from[b]]; p < s->first[b + 1 < blocks ? from[b + 1] : s->n]; p++) level[p] = median[b];
}

void rr_curve_outliers(struct rr_point *p, const struct rr_sizes *s, const struct rr_fit_options *o, struct rr_arena *a)
{
    const size_t n = s->first[s->n];
    const double time_slack = o->time_slack > 0 ? o->time_slack : TIME_SLACK, rate_slack = o->rate_slack > 0 ? o->rate_slack : RATE_SLACK;
    double *v = RR_NEWS(a, double, n + 1), *time = RR_NEWS(a, double, n + 1), *rate = RR_NEWS(a, double, n + 1);
    for (size_t i = 0; i < n; i++) v[i] = rr_log(p[i].us);
    isotonic(v, s, a, time);
    for (size_t i = 0; i < n; i++) v[i] = rr_log(p[i].bytes) - rr_log(p[i].us);
    isotonic(v, s, a, rate);
    size_t good = 0;
    for (size_t i = 0; i < n; i++) {
        p[i].outlier = fabs(rr_log(p[i].us) - time[i]) > time_slack || v[i] < rate[i] - rate_slack;
        good += !p[i].outlier;
    }
    if (good * 2 < n) // noise everywhere: then nothing stands out
        for (size_t i = 0; i < n; i++) p[i].outlier = false;
}

/* Mean log time of the points [*at, ...) of one size that are no outliers; false: none is left. Moves *at behind them. */
static bool mean_log(const struct rr_point *p, size_t n, size_t *at, double *bytes, double *us)
{
    size_t good = 0;
    double sum = 0;
    *bytes = p[*at].bytes;
    for (; *at < n && p[*at].bytes == *bytes; (*at)++)
        if (!p[*at].outlier) sum += rr_log(p[*at].us), good++;
    *us = good ? sum / (double)good : 0;
    return good > 0;
}

/* Marks those that differ from another of their size. */
static void flag_repeats(struct rr_point *p, size_t n)
{
    for (size_t i = 0, to; i < n; i = to) {
        double low = p[i].us, high = p[i].us;
        for (to = i; to < n && p[to].bytes == p[i].bytes; to++) low = fmin(low, p[to].us), high = fmax(high, p[to].us);
        for (size_t k = i; k < to; k++) p[k].outlier = high > low * (1 + TIME_SLACK);
    }
}

void rr_curve_flag(const struct rr_point *seen, size_t n_seen, struct rr_point *p, size_t n)
{
    double bytes, us;
    flag_repeats(p, n);
    for (size_t at = 0; at < n_seen;) {
        if (!mean_log(seen, n_seen, &at, &bytes, &us)) continue;
        for (size_t i = 0; i < n; i++) {
            const double t = rr_log(p[i].us) - us, x = rr_log(p[i].bytes / bytes);
            if (p[i].bytes > bytes) p[i].outlier |= t < -TIME_SLACK || x - t < -RATE_SLACK;
            if (p[i].bytes < bytes) p[i].outlier |= t > TIME_SLACK;
        }
    }
}
