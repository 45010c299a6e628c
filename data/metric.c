/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/metric.c - the table of metrics and the statistics of one metric over replications. */
#include "data/metric.h"
#include "data/base/arena.h"
#include <assert.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

const struct rr_metric_info rr_metric_info[RR_METRICS] = {
#define ROW(id, name, unit, help) {name, unit, help},
    RR_METRIC_TABLE(ROW)
#undef ROW
};

int rr_metric_find(const char *name)
{
    for (int i = 0; i < RR_METRICS; i++)
        if (strcmp(rr_metric_info[i].name, name) == 0) return i;
    return -1;
}

/* Hyndman and Fan 1996, definition 7: linear between order statistics, position (n - 1) q. */
double rr_quantile(const double *sorted, long n, double q)
{
    assert(n >= 1 && q >= 0 && q <= 1);
    const double at = (double)(n - 1) * q, below = floor(at);
    const long i = (long)below;
    if (i >= n - 1) return sorted[n - 1];
    return sorted[i] + (at - below) * (sorted[i + 1] - sorted[i]);
}

static int by_value(const void *x, const void *y)
{
    const double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

/* Two passes; the second takes out the rounding of the first (Chan, Golub and LeVeque 1983). */
static void moments(const double *values, int n, struct rr_stat *s)
{
    double sum = 0, square = 0, rest = 0;
    for (int i = 0; i < n; i++) sum += values[i];
    s->mean = sum / n;
    for (int i = 0; i < n; i++) {
        const double d = values[i] - s->mean;
        square += d * d;
        rest += d;
    }
    s->mean += rest / n;
    s->stddev = sqrt(fmax(0, square - rest * rest / n) / (n - 1));
    s->ci95 = gsl_cdf_tdist_Pinv(0.975, n - 1) * s->stddev / sqrt(n);
}

void rr_stat_of(const double *values, int n, struct rr_stat *ret)
{
    struct rr_stat s = {n, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    bool defined = n > 0;
    for (int i = 0; i < n; i++) defined = defined && !isnan(values[i]);
    if (defined) {
        double *sorted = rr_xrealloc(NULL, (size_t)n, sizeof *sorted);
        memcpy(sorted, values, (size_t)n * sizeof *sorted);
        qsort(sorted, (size_t)n, sizeof *sorted, by_value);
        s.min = sorted[0];
        s.max = sorted[n - 1];
        if (s.min == s.max) {
            s.mean = s.min; // exactly, whatever n
            s.stddev = s.ci95 = n > 1 ? 0 : NAN;
        } else {
            moments(values, n, &s);
            s.p10 = rr_quantile(sorted, n, 0.1);
            s.p50 = rr_quantile(sorted, n, 0.5);
            s.p90 = rr_quantile(sorted, n, 0.9);
        }
        free(sorted);
    }
    *ret = s;
}

static const struct {
    const char *name;
    size_t offset;
} stats[] = {
    {"mean", offsetof(struct rr_stat, mean)}, {"stddev", offsetof(struct rr_stat, stddev)}, {"ci95", offsetof(struct rr_stat, ci95)},
    {"min", offsetof(struct rr_stat, min)},   {"p10", offsetof(struct rr_stat, p10)},       {"p50", offsetof(struct rr_stat, p50)},
    {"p90", offsetof(struct rr_stat, p90)},   {"max", offsetof(struct rr_stat, max)},
};
const char *const rr_stat_names[] = {"mean", "stddev", "ci95", "min", "p10", "p50", "p90", "max", NULL};

double rr_stat_get(const struct rr_stat *s, const char *stat)
{
    for (size_t i = 0; i < sizeof stats / sizeof *stats; i++)
        if (strcmp(stats[i].name, stat) == 0) return *(const double *)((const char *)s + stats[i].offset);
    return NAN;
}
