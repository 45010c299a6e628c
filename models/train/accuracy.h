/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/train/accuracy.h - predicted against measured, summed up by set, framework and GPU family: the rows of data/facts/train_accuracy.csv. */
#ifndef RR_MODELS_TRAIN_ACCURACY_H
#define RR_MODELS_TRAIN_ACCURACY_H
#include "data/train_facts.h"

struct rr_residual { /* of one row */
    const char *set, *measure, *framework, *family;
    double measured, predicted; /* one unit, > 0 */
    double
        left_out; /* predicted by a fit that did not see the row: step times without its group, memory without its fifth; NaN = not cross-validated */
};
/* Each set and measure as a whole (framework and family ""), then by framework and family where there is more than one; in the order of the rows.
 * Quantiles type 7. The facts (source, date) are left to the caller. Memory in `a`. */
void rr_accuracy_make(const struct rr_residual *row, size_t n, struct rr_arena *a, struct rr_train_accuracy **ret, size_t *ret_n);
/* How far predictions of a framework on a family lie from measurements that no fit saw, as the standard deviation of a logarithm whose P10 and P90 are those of
 * the rows. Where it has under 10 of them, those of all frameworks. 0: the table has no rows left out. *ret_rows: how many it rests on. */
double rr_accuracy_doubt(const struct rr_train_facts *f, const char *framework, const char *family, int32_t *ret_rows);
#endif
