/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/finance/root.c - Brent's method, wrapped. */
#include "models/finance/root.h"
#include <assert.h>
#include <float.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_roots.h>
#include <math.h>

#define STEPS 300 /* bisection alone takes about 60 */

double rr_root(double (*f)(double x, void *ctx), void *ctx, double lo, double hi, double close)
{
    gsl_function g = {.function = f, .params = ctx};
    gsl_root_fsolver *s = gsl_root_fsolver_alloc(gsl_root_fsolver_brent);
    int st = gsl_root_fsolver_set(s, &g, lo, hi);
    assert(st == GSL_SUCCESS);
    for (int i = 0; i < STEPS && st == GSL_SUCCESS; i++) {
        st = gsl_root_fsolver_iterate(s);
        const double width = gsl_root_fsolver_x_upper(s) - gsl_root_fsolver_x_lower(s);
        if (width <= close + 4 * DBL_EPSILON * fabs(gsl_root_fsolver_root(s))) break;
    }
    const double root = gsl_root_fsolver_root(s);
    gsl_root_fsolver_free(s);
    return root;
}
