/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_dist.c - each distribution against its cdf (Kolmogorov-Smirnov) and its closed-form mean and variance. */
#include "data/dist.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gsl/gsl_cdf.h>

#include <cmocka.h>

#define N 200000

static const struct rr_dist constant = {.kind = RR_DIST_CONSTANT, .a = 2.385};
static const struct rr_dist exponential = {.kind = RR_DIST_EXPONENTIAL, .a = 7200.7};
static const struct rr_dist lognormal = {.kind = RR_DIST_LOGNORMAL, .a = 341.3, .b = 1.3};
static const struct rr_dist weibull = {.kind = RR_DIST_WEIBULL, .a = 17.3, .b = 0.71};
static const struct rr_dist uniform = {.kind = RR_DIST_UNIFORM, .a = -3.1, .b = 11.7};
static const struct rr_dist triangular = {.kind = RR_DIST_TRIANGULAR, .a = 0.06, .b = 0.08, .c = 0.14};
static const struct rr_dist normal = {.kind = RR_DIST_NORMAL, .a = -5.3, .b = 2.9};
static const double gpus[] = {1, 2, 8, 64}, upto[] = {0.55, 0.7, 0.95, 1};
static const struct rr_dist choice = {.kind = RR_DIST_CHOICE, .n = 4, .value = gpus, .upto = upto};

static double cdf_exponential(double x) { return gsl_cdf_exponential_P(x, 7200.7); }
static double cdf_lognormal(double x) { return gsl_cdf_lognormal_P(x, log(341.3), 1.3); }
static double cdf_weibull(double x) { return gsl_cdf_weibull_P(x, 17.3, 0.71); }
static double cdf_uniform(double x) { return gsl_cdf_flat_P(x, -3.1, 11.7); }
static double cdf_normal(double x) { return gsl_cdf_gaussian_P(x + 5.3, 2.9); }
static double cdf_triangular(double x)
{
    if (x < 0.08) return (x - 0.06) * (x - 0.06) / (0.08 * 0.02);
    return 1 - (0.14 - x) * (0.14 - x) / (0.08 * 0.06);
}

static int by_value(const void *x, const void *y)
{
    const double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

static double drawn[N];

static void draw(const struct rr_dist *d, uint64_t entity)
{
    struct rr_rng r;
    rr_rng_init(&r, 25, 0, RR_RNG_TEST, entity);
    for (int i = 0; i < N; i++) drawn[i] = rr_dist_draw(d, &r);
}

/* sqrt(N) D is above 2.23 once in 10,000; the mean within 4.5 standard errors of the closed form. */
static void check(const struct rr_dist *d, double (*cdf)(double), double variance, uint64_t entity)
{
    double sum = 0, worst = 0;
    draw(d, entity);
    for (int i = 0; i < N; i++) sum += drawn[i];
    const double off = (sum / N - rr_dist_mean(d)) / sqrt(variance / N);
    if (!(fabs(off) < 4.5)) fail_msg("the mean is %g standard errors off", off);
    qsort(drawn, N, sizeof *drawn, by_value);
    for (int i = 0; i < N; i++) worst = fmax(worst, fmax(cdf(drawn[i]) - (double)i / N, (double)(i + 1) / N - cdf(drawn[i])));
    if (!(worst * sqrt(N) < 2.23)) fail_msg("sqrt(N) D = %g", worst * sqrt(N));
}

static void draws_follow_their_laws(void **state)
{
    (void)state;
    const double g1 = tgamma(1 + 1 / 0.71), g2 = tgamma(1 + 2 / 0.71);
    check(&exponential, cdf_exponential, 7200.7 * 7200.7, 1);
    check(&lognormal, cdf_lognormal, 341.3 * 341.3 * exp(1.3 * 1.3) * expm1(1.3 * 1.3), 2);
    check(&weibull, cdf_weibull, 17.3 * 17.3 * (g2 - g1 * g1), 3);
    check(&uniform, cdf_uniform, 14.8 * 14.8 / 12, 4);
    check(&triangular, cdf_triangular, (0.06 * 0.06 + 0.08 * 0.08 + 0.14 * 0.14 - 0.06 * 0.08 - 0.06 * 0.14 - 0.08 * 0.14) / 18, 5);
    check(&normal, cdf_normal, 2.9 * 2.9, 6);
}

static void close_to(double got, double want)
{
    if (!(fabs(got - want) <= 1e-12 * fabs(want))) fail_msg("%.17g, not %.17g", got, want);
}

static void means_are_closed_forms(void **state)
{
    (void)state;
    close_to(rr_dist_mean(&constant), 2.385);
    close_to(rr_dist_mean(&exponential), 7200.7);
    close_to(rr_dist_mean(&lognormal), 341.3 * exp(0.845));
    close_to(rr_dist_mean(&weibull), 17.3 * tgamma(1 + 1 / 0.71));
    close_to(rr_dist_mean(&uniform), 4.3);
    close_to(rr_dist_mean(&triangular), 0.28 / 3);
    close_to(rr_dist_mean(&normal), -5.3);
    close_to(rr_dist_mean(&choice), 0.55 * 1 + 0.15 * 2 + 0.25 * 8 + 0.05 * 64);
}

/* Gamma(1 + n) = n!, Gamma(1.5) = sqrt(pi) / 2, and libm's tgamma between. */
static void weibull_means_are_factorials(void **state)
{
    (void)state;
    struct rr_dist d = {.kind = RR_DIST_WEIBULL, .a = 1, .b = 0.2};
    close_to(rr_dist_mean(&d), 120);
    d.b = 2;
    close_to(rr_dist_mean(&d), sqrt(acos(-1)) / 2);
    for (int i = 6; i < 40000; i += 1 + i / 13) {
        d.b = i / 1000.0;
        close_to(rr_dist_mean(&d), tgamma(1 + 1000.0 / i));
    }
}

static void a_constant_draws_nothing(void **state)
{
    (void)state;
    struct rr_rng r, before;
    rr_rng_init(&r, 25, 0, RR_RNG_TEST, 7);
    before = r;
    assert_true(rr_dist_draw(&constant, &r) == 2.385);
    assert_memory_equal(&r, &before, sizeof r);
}

static void choices_have_their_shares(void **state)
{
    (void)state;
    int count[4] = {0};
    draw(&choice, 8);
    for (int i = 0; i < N; i++)
        for (int k = 0; k < 4; k++) count[k] += drawn[i] == gpus[k];
    const double share[] = {0.55, 0.15, 0.25, 0.05};
    int all = 0;
    for (int k = 0; k < 4; k++) {
        all += count[k];
        assert_true(fabs(count[k] - N * share[k]) < 4.5 * sqrt(N * share[k] * (1 - share[k])));
    }
    assert_int_equal(all, N);
}

static void degenerate_shapes_stay_inside(void **state)
{
    (void)state;
    static const struct rr_dist left = {.kind = RR_DIST_TRIANGULAR, .a = 1, .b = 1, .c = 3},
                                right = {.kind = RR_DIST_TRIANGULAR, .a = 1, .b = 3, .c = 3},
                                point = {.kind = RR_DIST_TRIANGULAR, .a = 2, .b = 2, .c = 2};
    struct rr_rng r;
    rr_rng_init(&r, 25, 0, RR_RNG_TEST, 9);
    for (int i = 0; i < 1000; i++) {
        const double l = rr_dist_draw(&left, &r), m = rr_dist_draw(&right, &r);
        assert_true(l >= 1 && l <= 3 && m >= 1 && m <= 3);
        assert_true(rr_dist_draw(&point, &r) == 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(draws_follow_their_laws),      cmocka_unit_test(means_are_closed_forms),
        cmocka_unit_test(weibull_means_are_factorials), cmocka_unit_test(a_constant_draws_nothing),
        cmocka_unit_test(choices_have_their_shares),    cmocka_unit_test(degenerate_shapes_stay_inside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
