/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/checkpoint.c - checkpoint intervals in closed form. */
#include "models/checkpoint.h"
#include "data/base/fmath.h"
#include <assert.h>
#include <math.h>

double rr_checkpoint_young(double M, double C) { return sqrt(2 * M * C); }

double rr_checkpoint_daly(double M, double C)
{
    if (C >= 2 * M) return M;
    const double q = C / (2 * M);
    return sqrt(2 * C * M) * (1 + sqrt(q) / 3 + q / 9) - C;
}

// With u = w / M the optimum solves -ln(1 - u) - u = a, a = C / M. The left side is convex, so that Newton from the right comes down to it without
// fail. For small a its two terms cancel; there u = q - q^2/3 + q^3/36 with q = sqrt(2 a) is right to a relative q^4.
static double best_share(double a)
{
    const double q = sqrt(2 * a);
    if (a < 1e-8) return q - q * q / 3 + q * q * q / 36;
    double u = fmin(q, 1 - rr_exp(-a - 1));  // both are at or above the root
    for (int i = 0; i < 100 && u < 1; i++) { // 1: nearer than a double can tell
        const double step = (-rr_log1p(-u) - u - a) * (1 - u) / u;
        u -= step;
        if (fabs(step) <= 1e-16 * u) break;
    }
    return u;
}

double rr_checkpoint_best(double M, double C)
{
    assert(M > 0 && C >= 0);
    return M * best_share(C / M);
}

double rr_checkpoint_slowdown(double w, double M, double C, double R, double D)
{
    return (M + D) * rr_exp(R / M) * (rr_exp((w + C) / M) - 1) / w;
}
