/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/train/judge.h - how well predictions fit measurements, set by set. */
#ifndef RR_MODELS_TRAIN_JUDGE_H
#define RR_MODELS_TRAIN_JUDGE_H
#include "data/base/arena.h"
#include <stdbool.h>
#include <stdint.h>

struct rr_judged { /* one row: a measured and a predicted value in the same unit, both > 0 */
    double measured, predicted;
    uint64_t group; /* rows with equal groups are layouts of one task, to be ranked against each other */
};
struct rr_judgement {
    size_t n;
    double mape, median, worst, bias; /* shares; of |predicted / measured - 1|, bias of the signed one; NaN when n = 0 */
    double tau;       /* Kendall's tau-b of the layouts in a group, mean over groups of at least 3; NaN when there are none */
    double regret;    /* of a group's layout with the best prediction: how much slower it is than the fastest; median over groups */
    double best_bias; /* signed error of that layout's prediction, mean over groups */
    size_t groups;
};
void rr_train_judge(const struct rr_judged *row, size_t n, struct rr_arena *a, struct rr_judgement *ret);
/* Leave-one-out: cost[i] times the geometric mean of the other rows' measured / cost. ret[i] = NaN when it is alone. */
void rr_judge_constant(const double *measured, const double *cost, size_t n, double *ret);
#endif
