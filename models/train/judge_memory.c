/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/train/judge_memory.c - errors of memory, false fits and false alarms, rows left out. */
#include "models/train/judge_memory.h"
#include "data/names.h"
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <string.h>

#define FOLDS    5
#define FEW_ROWS 10

const double rr_memory_bin_to[RR_MEMORY_BINS] = {0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.25, INFINITY};

static int bin_of(double full)
{
    int i = 0;
    while (i < RR_MEMORY_BINS - 1 && full >= rr_memory_bin_to[i]) i++;
    return i;
}

static void count(const struct rr_memory_row *r, struct rr_memory_judgement *ret)
{
    const double full = r->needed_bytes / r->usable_bytes;
    const bool fits = full <= 1;
    if (r->oom == RR_OOM_NO) ret->ran++, ret->refused += !fits, ret->bin_ran[bin_of(full)]++;
    if (r->oom == RR_OOM_YES) ret->ooms++, ret->false_fits += fits;
    if (r->oom == RR_OOM_OR_CRASHED) ret->crashed++, ret->bin_crashed[bin_of(full)]++;
}

static double median_of(double *v, size_t n)
{
    if (n == 0) return NAN;
    gsl_sort(v, 1, n);
    return gsl_stats_median_from_sorted_data(v, 1, n);
}

void rr_memory_judge(const struct rr_memory_row *row, size_t n, struct rr_arena *a, struct rr_memory_judgement *ret)
{
    double *error = RR_NEWS(a, double, n + 1), *out = RR_NEWS(a, double, n + 1), *model = RR_NEWS(a, double, n + 1);
    double sum = 0, bias = 0;
    size_t n_out = 0, n_model = 0, near5 = 0, near10 = 0;
    *ret = (struct rr_memory_judgement){.worst = NAN, .mean = NAN, .bias = NAN, .within_5 = NAN, .within_10 = NAN};
    for (size_t i = 0; i < n; i++) {
        const struct rr_memory_row *r = &row[i];
        count(r, ret);
        if (r->measured_bytes <= 0) continue;
        const double e = r->predicted_bytes / r->measured_bytes - 1, size = fabs(e);
        error[ret->n++] = size;
        sum += size, bias += e;
        near5 += size <= 0.05, near10 += size <= 0.1;
        if (!isnan(r->left_out_bytes)) out[n_out++] = fabs(r->left_out_bytes / r->measured_bytes - 1);
        if (!isnan(r->model_bytes)) model[n_model++] = fabs(r->model_bytes / r->measured_bytes - 1);
    }
    ret->median = median_of(error, ret->n);
    ret->left_out = median_of(out, n_out);
    ret->by_model = median_of(model, n_model);
    if (ret->n == 0) return;
    const double rows = (double)ret->n;
    ret->mean = sum / rows, ret->bias = bias / rows, ret->worst = error[ret->n - 1];
    ret->within_5 = (double)near5 / rows, ret->within_10 = (double)near10 / rows;
}

/* ---- rows left out ---- */

static bool measured(const struct rr_published *p) { return !p->reason && p->row->table == RR_TRAIN_MEMORY && p->measured_bytes > 0; }

/* A row falls by what it is: copies of it fall together. */
static size_t seeded_fold(const struct rr_published *p)
{
    const double key[] = {p->measured_bytes, p->layout.gpus, p->layout.tp, p->layout.pp, p->layout.micro_batch, p->arch.layers};
    return rr_hash((const char *)key, sizeof key) % FOLDS;
}

/* fold[n] of each row, and how many there are. */
static size_t folds_of(const struct rr_published *run, size_t n, size_t *fold)
{
    size_t most = FOLDS;
    for (size_t i = 0; i < n; i++) {
        size_t rows = 0, before = 0;
        for (size_t k = 0; k < n; k++)
            if (measured(&run[k]) && run[k].set == run[i].set) rows++, before += k < i;
        fold[i] = rows < FEW_ROWS ? before : seeded_fold(&run[i]);
        if (measured(&run[i]) && fold[i] >= most) most = fold[i] + 1;
    }
    return most;
}

/* The same, a fold for each model of a set. */
static size_t models_of(const struct rr_published *run, size_t n, size_t *fold)
{
    size_t most = 0;
    for (size_t i = 0; i < n; i++) {
        size_t next = 0, k = 0;
        for (; k < i; k++) {
            if (run[k].set != run[i].set) continue;
            if (strcmp(run[k].row->model, run[i].row->model) == 0) break;
            if (fold[k] >= next) next = fold[k] + 1;
        }
        fold[i] = k < i ? fold[k] : next;
        if (fold[i] >= most) most = fold[i] + 1;
    }
    return most;
}

/* Rows of a set from which fold k takes nothing need no fit. */
static bool touched(const struct rr_published *run, size_t n, const size_t *fold, size_t k, const struct rr_train_set *set)
{
    for (size_t i = 0; i < n; i++)
        if (measured(&run[i]) && run[i].set == set && fold[i] == k) return true;
    return false;
}

static enum rr_status leave(struct rr_published *run, size_t n, const size_t *fold, size_t k, struct rr_arena *a, double *ret)
{
    bool *use = RR_NEWS(a, bool, n + 1), any = false;
    struct rr_fit_result *fit = RR_NEW(a, struct rr_fit_result);
    const struct rr_train_set *last = NULL;
    bool last_touched = false;
    for (size_t i = 0; i < n; i++) {
        if (!measured(&run[i])) continue;
        if (run[i].set != last) last = run[i].set, last_touched = touched(run, n, fold, k, last);
        use[i] = last_touched && fold[i] != k;
        any |= last_touched;
    }
    if (!any) return RR_OK;
    RR_TRY(rr_fit_memory(run, n, use, a, fit));
    for (size_t i = 0; i < n; i++) {
        const struct rr_coefs *c = measured(&run[i]) && fold[i] == k ? rr_fit_of(fit, &run[i]) : NULL;
        struct rr_memory m;
        if (!c) continue;
        rr_published_memory(&run[i], c, &m);
        ret[i] = m.total_bytes;
    }
    return RR_OK;
}

enum rr_status rr_memory_leave_out(struct rr_published *run, size_t n, struct rr_arena *a, double *left_out, double *by_model)
{
    size_t *fold = RR_NEWS(a, size_t, n + 1), *model = RR_NEWS(a, size_t, n + 1);
    const size_t n_folds = folds_of(run, n, fold), n_models = models_of(run, n, model);
    for (size_t i = 0; i < n; i++) left_out[i] = by_model[i] = NAN;
    for (size_t k = 0; k < n_folds; k++) RR_TRY(leave(run, n, fold, k, a, left_out));
    for (size_t k = 0; k < n_models; k++) RR_TRY(leave(run, n, model, k, a, by_model));
    return RR_OK;
}
