/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/dist.h - a number that may vary: a plain value or one of the distributions of DESIGN.md section 6.
 *
 * Values are doubles in the unit of the parameter's dimension (microseconds for a time, bytes, ...). */
#ifndef RR_DATA_DIST_H
#define RR_DATA_DIST_H
#include "data/base/rng.h"
#include <stddef.h>

enum rr_dist_kind {
    RR_DIST_CONSTANT,
    RR_DIST_EXPONENTIAL,
    RR_DIST_LOGNORMAL,
    RR_DIST_WEIBULL,
    RR_DIST_UNIFORM,
    RR_DIST_TRIANGULAR,
    RR_DIST_NORMAL,
    RR_DIST_CHOICE
};
struct rr_dist {
    enum rr_dist_kind kind;
    double a, b, c; /* constant a; exponential mean a; lognormal median a, sigma b; weibull scale a, shape b; uniform [a, b];
                         * triangular a, mode b, c; normal mean a, sd b */
    size_t n;       /* choice: values[n] with cumulative weights ending at 1 */
    const double *value, *upto;
};
double rr_dist_draw(const struct rr_dist *d, struct rr_rng *r);
double rr_dist_mean(const struct rr_dist *d); /* closed form */
#endif
