/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/train/accuracy.c - ratios of predicted to measured by set, framework and family. */
#include "models/train/accuracy.h"
#include "data/base/fmath.h"
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <string.h>

struct spread {
    size_t n;
    double mape, median_error, mean, p10, p50, p90;
};

/* Sorts ratio[n] and uses it up. */
static struct spread spread_of(double *ratio, size_t n)
{
    struct spread s = {.n = n};
    if (n == 0) return s;
    for (size_t i = 0; i < n; i++) s.mean += ratio[i] / (double)n;
    gsl_sort(ratio, 1, n);
    s.p10 = gsl_stats_quantile_from_sorted_data(ratio, 1, n, 0.1);
    s.p50 = gsl_stats_quantile_from_sorted_data(ratio, 1, n, 0.5);
    s.p90 = gsl_stats_quantile_from_sorted_data(ratio, 1, n, 0.9);
    for (size_t i = 0; i < n; i++) {
        ratio[i] = fabs(ratio[i] - 1);
        s.mape += ratio[i] / (double)n;
    }
    gsl_sort(ratio, 1, n);
    s.median_error = gsl_stats_median_from_sorted_data(ratio, 1, n);
    return s;
}

static bool same_set(const struct rr_residual *a, const struct rr_residual *b)
{
    return strcmp(a->set, b->set) == 0 && strcmp(a->measure, b->measure) == 0;
}
static bool same_profile(const struct rr_residual *a, const struct rr_residual *b)
{
    return strcmp(a->framework, b->framework) == 0 && strcmp(a->family, b->family) == 0;
}

/* Rows like `like`, of its framework and family alone when `profile`. */
static struct rr_train_accuracy sum_up(const struct rr_residual *row, size_t n, const struct rr_residual *like, bool profile,
                                       double *scratch)
{
    size_t k = 0;
    for (size_t i = 0; i < n; i++)
        if (same_set(&row[i], like) && (!profile || same_profile(&row[i], like))) scratch[k++] = row[i].predicted / row[i].measured;
    const struct spread in = spread_of(scratch, k);
    k = 0;
    for (size_t i = 0; i < n; i++)
        if (same_set(&row[i], like) && (!profile || same_profile(&row[i], like)) && !isnan(row[i].left_out))
            scratch[k++] = row[i].left_out / row[i].measured;
    const struct spread out = spread_of(scratch, k);
    return (struct rr_train_accuracy){.set = like->set,
                                      .measure = like->measure,
                                      .framework = profile ? like->framework : "",
                                      .family = profile ? like->family : "",
                                      .rows = (int32_t)in.n,
                                      .mape = in.mape,
                                      .median_error = in.median_error,
                                      .mean = in.mean,
                                      .p10 = in.p10,
                                      .p50 = in.p50,
                                      .p90 = in.p90,
                                      .left_out = (int32_t)out.n,
                                      .left_out_mape = out.mape,
                                      .left_out_median_error = out.median_error,
                                      .left_out_p10 = out.p10,
                                      .left_out_p50 = out.p50,
                                      .left_out_p90 = out.p90};
}

void rr_accuracy_make(const struct rr_residual *row, size_t n, struct rr_arena *a, struct rr_train_accuracy **ret, size_t *ret_n)
{
    struct rr_train_accuracy *all = RR_NEWS(a, struct rr_train_accuracy, 2 * n + 1);
    double *scratch = RR_NEWS(a, double, n + 1);
    size_t m = 0;
    for (size_t i = 0; i < n; i++) {
        size_t first = 0;
        while (!same_set(&row[first], &row[i])) first++;
        if (first < i) continue; // told with the set's first row
        all[m++] = sum_up(row, n, &row[i], false, scratch);
        for (size_t k = i; k < n; k++) {
            bool told = !same_set(&row[k], &row[i]);
            for (size_t j = i; j < k && !told; j++) told = same_set(&row[j], &row[i]) && same_profile(&row[j], &row[k]);
            if (!told) all[m++] = sum_up(row, n, &row[k], true, scratch);
        }
    }
    *ret = all;
    *ret_n = m;
}

#define DECILES 2.5631 /* from P10 to P90 of a normal distribution, in standard deviations */

/* Of layouts that somebody would choose: a set of many bad ones has a part of its own for them. */
static bool for_choice(const struct rr_train_facts *f, const struct rr_train_accuracy *x)
{
    const size_t n = strlen(x->set);
    if (strcmp(x->measure, "step time") != 0 || x->left_out < 2) return false;
    for (size_t i = 0; i < f->n_accuracies; i++)
        if (strncmp(f->accuracy[i].set, x->set, n) == 0 && strncmp(f->accuracy[i].set + n, ", fastest", 9) == 0) return false;
    return true;
}

double rr_accuracy_doubt(const struct rr_train_facts *f, const char *framework, const char *family, int32_t *ret_rows)
{
    double here = 0, all = 0;
    int32_t rows = 0, any = 0;
    for (size_t i = 0; i < f->n_accuracies; i++) {
        const struct rr_train_accuracy *x = &f->accuracy[i];
        if (!for_choice(f, x)) continue;
        const double sd = rr_log(x->left_out_p90 / x->left_out_p10) / DECILES;
        if (!*x->framework) all += x->left_out * sd * sd, any += x->left_out;
        if (strcmp(x->framework, framework) == 0 && strcmp(x->family, family) == 0) here += x->left_out * sd * sd, rows += x->left_out;
    }
    const bool enough = rows >= 10;
    *ret_rows = enough ? rows : any;
    return *ret_rows > 0 ? sqrt((enough ? here : all) / *ret_rows) : 0;
}
