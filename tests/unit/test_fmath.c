/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_fmath.c - exp, log, pow, sin, cos against the 80-bit libm over dense sweeps, and the special cases of C17 annex F. */
#include "data/base/fmath.h"
#include "data/base/rng.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <float.h>
#include <stdbool.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TWO_PI 6.283185307179586476925286766559L
#define NORMAL 0x1p-1022L // below it results have fewer bits: not measured

static struct rr_rng rng;
static int sweep = 60000; // points; make check-long takes 2,000,000

static int setup(void **state)
{
    (void)state;
    if (getenv("RACKRATE_LONG")) sweep = 2000000;
    rr_rng_init(&rng, 23, 0, RR_RNG_TEST, 0);
    return LDBL_MANT_DIG >= 64 ? 0 : -1;
}

static double between(double a, double b) { return a + (b - a) * rr_rng_uniform(&rng); }

/* |got - want| in units of want's last place. */
static long double ulps(double got, long double want)
{
    int e;
    if (fabsl(want) < NORMAL || fabsl(want) > DBL_MAX) return 0;
    frexpl(want, &e);
    return fabsl((long double)got - want) / ldexpl(1, e - DBL_MANT_DIG);
}

/* The greatest error of `got` against `want` over random x in what `x_of` says stays below `limit` ulp. */
#define SWEEP_BELOW(limit, x_of, got, want)                                                               \
    do {                                                                                                  \
        long double worst_ = 0;                                                                           \
        double at_ = 0;                                                                                   \
        for (int i_ = 0; i_ < sweep; i_++) {                                                              \
            const double x = (x_of);                                                                      \
            const long double e_ = ulps((got), (want));                                                   \
            if (!(e_ <= worst_)) worst_ = e_, at_ = x;                                                    \
        }                                                                                                 \
        if (!(worst_ < (limit))) fail_msg("%s: %.3Lf ulp at %.17g, limit %s", #got, worst_, at_, #limit); \
        print_message("  %-16s x = %-44s %.3Lf ulp\n", #got, #x_of, worst_);                              \
    } while (0)

static void exp_is_within_1_ulp(void **state)
{
    (void)state;
    SWEEP_BELOW(0.75L, between(-708, 709.78), rr_exp(x), expl(x));
    SWEEP_BELOW(0.75L, between(-1, 1), rr_exp(x), expl(x));
    SWEEP_BELOW(0.75L, between(-1e-3, 1e-3), rr_exp(x), expl(x));
}

static void log_is_within_1_ulp(void **state)
{
    (void)state;
    SWEEP_BELOW(0.88L, exp(between(-708, 709)), rr_log(x), logl(x));
    SWEEP_BELOW(0.88L, between(0, 4), rr_log(x), logl(x));
    SWEEP_BELOW(0.88L, between(0.999, 1.001), rr_log(x), logl(x));
    SWEEP_BELOW(0.88L, between(0x1p-1074, 0x1p-1022), rr_log(x), logl(x));
    SWEEP_BELOW(0.85L, between(-0.999999, 5), rr_log1p(x), log1pl(x));
    SWEEP_BELOW(0.85L, exp(between(-50, 50)), rr_log1p(x), log1pl(x));
    SWEEP_BELOW(0.85L, -exp(between(-50, -1e-6)), rr_log1p(x), log1pl(x));
}

static void pow_is_within_2_ulp(void **state)
{
    (void)state;
    static const double powers[] = {2, 0.5, -1, 3, 1.0 / 3, -0.7, 17.3, 1e-3, -40};
    for (size_t i = 0; i < sizeof powers / sizeof *powers; i++) {
        const double y = powers[i];
        SWEEP_BELOW(0.78L, between(0, 8), rr_pow(x, y), powl(x, y));
    }
    double y = 0;
    SWEEP_BELOW(0.78L, (y = between(-30, 30), exp(between(-20, 20))), rr_pow(x, y), powl(x, y));
    SWEEP_BELOW(0.78L, (y = between(-1e6, 1e6), between(0.9995, 1.0005)), rr_pow(x, y), powl(x, y));
    SWEEP_BELOW(0.78L, (y = between(-1, 1), between(0x1p-1074, 0x1p-1022)), rr_pow(x, y), powl(x, y));
}

static void sin_and_cos_are_within_2_ulp(void **state)
{
    (void)state;
    SWEEP_BELOW(1.1L, between(-0.125, 0.125), rr_sin_2pi(x), sinl(TWO_PI * x));
    SWEEP_BELOW(1.1L, between(-0.125, 0.125), rr_cos_2pi(x), cosl(TWO_PI * x));
    SWEEP_BELOW(1.1L, between(0.125, 0.375), rr_sin_2pi(x), cosl(TWO_PI * (x - 0.25L)));
    SWEEP_BELOW(1.1L, between(0.375, 0.625), rr_sin_2pi(x), -sinl(TWO_PI * (x - 0.5L)));
    SWEEP_BELOW(1.1L, between(0.625, 0.875), rr_cos_2pi(x), sinl(TWO_PI * (x - 0.75L)));
    SWEEP_BELOW(1.1L, between(1e6, 1e6 + 0.125), rr_sin_2pi(x), sinl(TWO_PI * (x - 1000000)));
    SWEEP_BELOW(1.1L, between(-1e6 - 0.125, -1e6), rr_cos_2pi(x), cosl(TWO_PI * (x + 1000000)));
}

static bool same(double a, double b) { return (isnan(a) && isnan(b)) || (a == b && !signbit(a) == !signbit(b)); }
#define SAME(got, want)                                                         \
    do {                                                                        \
        if (!same((got), (want))) fail_msg("%s is %.17g", #got, (double)(got)); \
    } while (0)

static void special_arguments(void **state)
{
    (void)state;
    SAME(rr_exp(0), 1);
    SAME(rr_exp(-0.0), 1);
    SAME(rr_exp(INFINITY), INFINITY);
    SAME(rr_exp(-INFINITY), 0);
    SAME(rr_exp(NAN), NAN);
    SAME(rr_exp(709.79), INFINITY);
    SAME(rr_exp(709.782712893384), exp(709.782712893384));
    SAME(rr_exp(-745.14), 0);
    SAME(rr_exp(-745.13), 0x1p-1074);
    SAME(rr_exp(1e308), INFINITY);
    SAME(rr_log(1), 0);
    SAME(rr_log(0), -INFINITY);
    SAME(rr_log(-0.0), -INFINITY);
    SAME(rr_log(-1), NAN);
    SAME(rr_log(-INFINITY), NAN);
    SAME(rr_log(INFINITY), INFINITY);
    SAME(rr_log(NAN), NAN);
    SAME(rr_log1p(0), 0);
    SAME(rr_log1p(-0.0), -0.0);
    SAME(rr_log1p(-1), -INFINITY);
    SAME(rr_log1p(-2), NAN);
    SAME(rr_log1p(INFINITY), INFINITY);
    SAME(rr_log1p(NAN), NAN);
    SAME(rr_log1p(1e-300), 1e-300);
    SAME(rr_sin_2pi(0), 0);
    SAME(fabs(rr_sin_2pi(0.5)), 0);
    SAME(rr_sin_2pi(0.25), 1);
    SAME(rr_sin_2pi(-0.25), -1);
    SAME(rr_sin_2pi(1e300), 0);
    SAME(rr_sin_2pi(NAN), NAN);
    SAME(rr_sin_2pi(INFINITY), NAN);
    SAME(rr_cos_2pi(0), 1);
    SAME(rr_cos_2pi(0.5), -1);
    SAME(fabs(rr_cos_2pi(0.75)), 0);
    SAME(rr_cos_2pi(1e300), 1);
    SAME(rr_cos_2pi(INFINITY), NAN);
}

/* All pairs of remarkable numbers: libm follows annex F, and results that are exact or not finite have no rounding to differ in. */
static void pow_follows_annex_f(void **state)
{
    (void)state;
    static const double v[] = {0,      -0.0,       1,       -1,     2,       -2,          3,          -3,  0.5,
                               -0.5,   2.5,        -2.5,    1e300,  -1e300,  INFINITY,    -INFINITY,  NAN, 0x1p-1074,
                               0x1p53, 0x1p53 + 2, -0x1p53, 0x1p70, -0x1p70, 1 + 0x1p-52, 1 - 0x1p-53};
    const size_t n = sizeof v / sizeof *v;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++) {
            const double got = rr_pow(v[i], v[k]), want = pow(v[i], v[k]);
            const bool close = isfinite(want) && want != 0 && fabs(got - want) <= 2 * fabs(want) * 0x1p-52;
            if (!close && !same(got, want)) fail_msg("pow(%.17g, %.17g) is %.17g, not %.17g", v[i], v[k], got, want);
        }
    SAME(rr_pow(2, 10), 1024);
    SAME(rr_pow(2, -1074), 0x1p-1074);
    SAME(rr_pow(2, 1023), 0x1p1023);
    SAME(rr_pow(10, 15), 1e15);
    SAME(rr_pow(-3, 3), -27);
}

/* The bits themselves, what every processor and compiler must give: worked out in 60 digits (mpmath) and rounded. */
static void bits_are_fixed(void **state)
{
    (void)state;
    SAME(rr_exp(1), 0x1.5bf0a8b145769p+1);
    SAME(rr_exp(-2.385), 0x1.79324b39d724p-4);
    SAME(rr_log(10), 0x1.26bb1bbb55516p+1);
    SAME(rr_log(2.385), 0x1.bd07aae981c39p-1);
    SAME(rr_pow(2.385, 1.7), 0x1.187c41b915724p+2);
    SAME(rr_pow(10, -3.3), 0x1.06c4363887513p-11);
    SAME(rr_sin_2pi(0.125), 0x1.6a09e667f3bcdp-1);
    SAME(rr_sin_2pi(0.37), 0x1.753b603d2b816p-1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exp_is_within_1_ulp), cmocka_unit_test(log_is_within_1_ulp),
        cmocka_unit_test(pow_is_within_2_ulp), cmocka_unit_test(sin_and_cos_are_within_2_ulp),
        cmocka_unit_test(special_arguments),   cmocka_unit_test(pow_follows_annex_f),
        cmocka_unit_test(bits_are_fixed),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
