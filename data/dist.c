/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/dist.c - draws and means. Inverse cdfs where they are closed, so that one uniform makes one value. */
#include "data/dist.h"
#include "data/base/fmath.h"
#include <assert.h>
#include <math.h>

/* Two parabolas that meet at the mode, where the cdf is (b - a) / (c - a). */
static double triangular(const struct rr_dist *d, double u)
{
    const double width = d->c - d->a, left = d->b - d->a, right = d->c - d->b;
    if (width <= 0) return d->a;
    if (u * width < left) return d->a + sqrt(u * width * left);
    return d->c - sqrt((1 - u) * width * right);
}

static double choice(const struct rr_dist *d, double u)
{
    size_t low = 0, high = d->n - 1; // the first value whose cumulative weight is above u; the last one if rounding left none
    while (low < high) {
        const size_t mid = low + (high - low) / 2;
        if (u < d->upto[mid])
            high = mid;
        else
            low = mid + 1;
    }
    return d->value[low];
}

double rr_dist_draw(const struct rr_dist *d, struct rr_rng *r)
{
    switch (d->kind) {
    case RR_DIST_CONSTANT: return d->a;
    case RR_DIST_EXPONENTIAL: return d->a * rr_rng_exponential(r);
    case RR_DIST_LOGNORMAL: return d->a * rr_exp(d->b * rr_rng_normal(r));
    case RR_DIST_WEIBULL: return d->a * rr_pow(rr_rng_exponential(r), 1 / d->b);
    case RR_DIST_UNIFORM: return d->a + (d->b - d->a) * rr_rng_uniform(r);
    case RR_DIST_TRIANGULAR: return triangular(d, rr_rng_uniform(r));
    case RR_DIST_NORMAL: return d->a + d->b * rr_rng_normal(r);
    case RR_DIST_CHOICE: return choice(d, rr_rng_uniform(r));
    }
    assert(0 && "a distribution without a draw");
    return NAN;
}

static double choice_mean(const struct rr_dist *d)
{
    double mean = 0, before = 0;
    for (size_t i = 0; i < d->n; i++) {
        mean += d->value[i] * (d->upto[i] - before);
        before = d->upto[i];
    }
    return mean;
}

/* Gamma(1 + z), z >= 0: Lanczos with Godfrey's nine coefficients for g = 7, relative error below 1e-13. Not GSL's, which goes through libm: its last
 * bit differs between processors. */
static double factorial(double z)
{
    static const double c[] = {676.5203681218851,  -1259.1392167224028,  771.32342877765313,    -176.61502916214059,
                               12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7};
    const double t = z + 7.5, root = rr_pow(t, 0.5 * z + 0.25); // its square alone may overflow
    double sum = 0.99999999999980993;
    for (int i = 0; i < 8; i++) sum += c[i] / (z + i + 1);
    return 2.5066282746310002 * root * rr_exp(-t) * sum * root;
}

double rr_dist_mean(const struct rr_dist *d)
{
    switch (d->kind) {
    case RR_DIST_CONSTANT:
    case RR_DIST_EXPONENTIAL:
    case RR_DIST_NORMAL: return d->a;
    case RR_DIST_LOGNORMAL: return d->a * rr_exp(0.5 * d->b * d->b);
    case RR_DIST_WEIBULL: return d->a * factorial(1 / d->b);
    case RR_DIST_UNIFORM: return 0.5 * d->a + 0.5 * d->b;
    case RR_DIST_TRIANGULAR: return (d->a + d->b + d->c) / 3;
    case RR_DIST_CHOICE: return choice_mean(d);
    }
    assert(0 && "a distribution without a mean");
    return NAN;
}
