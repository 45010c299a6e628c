/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/train/judge_memory.h - how well predicted memory fits what was measured, what ran and what did not. */
#ifndef RR_MODELS_TRAIN_JUDGE_MEMORY_H
#define RR_MODELS_TRAIN_JUDGE_MEMORY_H
#include "models/train/fit.h"

#define RR_MEMORY_BINS 8
extern const double rr_memory_bin_to[RR_MEMORY_BINS]; /* upper ends of predicted / usable, the last one INFINITY; a bin has its lower end */

struct rr_memory_row {
    double measured_bytes;              /* 0 = the row prints none */
    double predicted_bytes;             /* what the source would have printed */
    double needed_bytes;                /* with all that the machine has to hold */
    double usable_bytes;                /* of the machine */
    double left_out_bytes, model_bytes; /* predicted by a fit without the row's fold, without the row's model; NaN = there was none */
    enum rr_train_oom oom;
};
struct rr_memory_judgement {
    size_t n;                         /* rows that print memory */
    double median, mean, worst, bias; /* shares; of |predicted / measured - 1|, bias of the signed one; NaN when n = 0 */
    double within_5, within_10;       /* share of the n rows */
    double left_out, by_model;        /* medians of rows left out; NaN = none was */
    size_t ran, refused;              /* rows that ran; of them, said not to fit */
    size_t ooms, false_fits;          /* rows that ran out of memory; of them, said to fit */
    size_t crashed;                   /* rows that crashed or ran out of memory: the source does not say which */
    size_t bin_ran[RR_MEMORY_BINS], bin_crashed[RR_MEMORY_BINS]; /* by predicted / usable */
};
void rr_memory_judge(const struct rr_memory_row *row, size_t n, struct rr_arena *a, struct rr_memory_judgement *ret);

/* Fits the coefficients of memory without each of five seeded folds of a set (each row by itself in a set of fewer than ten), and without each model, and
 * predicts what was left out: left_out[n], by_model[n], bytes; NaN for rows that print no memory. */
RR_CHECKED enum rr_status rr_memory_leave_out(struct rr_published *run, size_t n, struct rr_arena *a, double *left_out, double *by_model);
#endif
