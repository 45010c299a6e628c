/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/calib/curve.h - what the files behind rr_curve_fit share. */
#ifndef RR_MODELS_CALIB_CURVE_H
#define RR_MODELS_CALIB_CURVE_H
#include "models/calib/calib.h"

struct rr_sizes { /* points by size */
    double *x;
    size_t *first; /* [n + 1] of the points */
    size_t n;
};

/* Type 7, of v[n] sorted here; 0 when n is 0. */
double rr_quantile_of(double *v, size_t n, double q);
/* Sets `outlier` on each point: what is more than 10 % off the nearest curve that never falls, or moves 5 % slower than the nearest one whose rate never
 * falls; nothing when that is half of the points or more. */
void rr_curve_outliers(struct rr_point *p, const struct rr_sizes *s, const struct rr_fit_options *o, struct rr_arena *a);
#endif
