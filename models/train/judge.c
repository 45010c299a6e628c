/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/train/judge.c - errors, ranking, regret. */
#include "models/train/judge.h"
#include "data/base/fmath.h"
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>

struct ranked {
    double tau, regret, best_bias;
};

static struct ranked rank_group(const struct rr_judged *row, const size_t *at, size_t n)
{
    double concordant = 0, untied_measured = 0, untied_predicted = 0, fastest = row[at[0]].measured;
    size_t best = at[0];
    for (size_t i = 0; i < n; i++) {
        const struct rr_judged *x = &row[at[i]];
        if (x->measured < fastest) fastest = x->measured;
        if (x->predicted < row[best].predicted) best = at[i];
        for (size_t k = 0; k < i; k++) {
            const double measured = x->measured - row[at[k]].measured, predicted = x->predicted - row[at[k]].predicted;
            const double product = measured * predicted;
            concordant += product > 0 ? 1 : product < 0 ? -1 : 0;
            untied_measured += measured != 0, untied_predicted += predicted != 0;
        }
    }
    const double pairs = sqrt(untied_measured * untied_predicted);
    return (struct ranked){pairs > 0 ? concordant / pairs : 0, row[best].measured / fastest - 1,
                           row[best].predicted / row[best].measured - 1};
}

static void judge_groups(const struct rr_judged *row, size_t n, struct rr_arena *a, struct rr_judgement *ret)
{
    bool *seen = RR_NEWS(a, bool, n + 1);
    size_t *at = RR_NEWS(a, size_t, n + 1);
    double *regret = RR_NEWS(a, double, n + 1), tau = 0, bias = 0;
    for (size_t i = 0; i < n; i++) {
        size_t m = 0;
        for (size_t k = i; !seen[i] && k < n; k++)
            if (row[k].group == row[i].group) at[m++] = k;
        for (size_t k = 0; k < m; k++) seen[at[k]] = true;
        if (m < 3) continue;
        const struct ranked r = rank_group(row, at, m);
        tau += r.tau, bias += r.best_bias;
        regret[ret->groups++] = r.regret;
    }
    if (ret->groups == 0) return;
    gsl_sort(regret, 1, ret->groups);
    ret->tau = tau / (double)ret->groups;
    ret->best_bias = bias / (double)ret->groups;
    ret->regret = gsl_stats_median_from_sorted_data(regret, 1, ret->groups);
}

void rr_train_judge(const struct rr_judged *row, size_t n, struct rr_arena *a, struct rr_judgement *ret)
{
    double *error = RR_NEWS(a, double, n + 1), sum = 0, bias = 0;
    *ret =
        (struct rr_judgement){.n = n, .mape = NAN, .median = NAN, .worst = NAN, .bias = NAN, .tau = NAN, .regret = NAN, .best_bias = NAN};
    if (n == 0) return;
    for (size_t i = 0; i < n; i++) {
        const double e = row[i].predicted / row[i].measured - 1;
        error[i] = fabs(e);
        sum += error[i];
        bias += e;
    }
    gsl_sort(error, 1, n);
    ret->mape = sum / (double)n;
    ret->bias = bias / (double)n;
    ret->median = gsl_stats_median_from_sorted_data(error, 1, n);
    ret->worst = error[n - 1];
    judge_groups(row, n, a, ret);
}

void rr_judge_constant(const double *measured, const double *cost, size_t n, double *ret)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += rr_log(measured[i] / cost[i]);
    for (size_t i = 0; i < n; i++) ret[i] = n > 1 ? cost[i] * rr_exp((sum - rr_log(measured[i] / cost[i])) / (double)(n - 1)) : NAN;
}
