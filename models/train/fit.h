/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/train/fit.h - coefficients from measured step times, by nonlinear least squares (GSL).
 *
 * The residual of a row is ln(predicted / measured), flattened beyond a tenth so that a few odd rows do not rule. Each coefficient is drawn towards
 * where it starts (its default, or a related profile's value), as one that lies a factor e off costs as much as a row that is `prior` off: what the rows do
 * not tell stays where it was. Bounds hold by a logistic change of variable. */
#ifndef RR_MODELS_TRAIN_FIT_H
#define RR_MODELS_TRAIN_FIT_H
#include "models/train/published.h"

struct rr_fit_row {
    struct rr_published *run; /* borrowed; chosen layouts are written into it */
    double weight;            /* > 0 */
};
struct rr_fit {
    struct rr_fit_row *row;
    size_t n;
    const bool *free; /* [RR_COEF_N] which coefficients may move; NULL = all */
    double prior;     /* residual that a coefficient a factor e off its start costs */
    int most_rounds;
};
/* Improves *c, which is the start. RR_EINTERNAL when GSL fails. */
RR_CHECKED enum rr_status rr_fit_coefs(const struct rr_fit *f, struct rr_coefs *c);
#endif
