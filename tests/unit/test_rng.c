/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_rng.c - Philox against the published vectors; the draws against moments, GSL's cdfs and their own formulas.
 *
 * Seeds are fixed, so a test passes or fails for ever; limits are quantiles at 1e-4 or wider. */
#include "data/base/fmath.h"
#include "data/base/rng_gsl.h"
#include "data/base/rng_tables.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <Random123/philox.h>

#include <cmocka.h>

#define N 400000

static struct rr_rng stream(uint64_t entity)
{
    struct rr_rng r;
    rr_rng_init(&r, 24, 0, RR_RNG_TEST, entity);
    return r;
}

/* Random123's kat_vectors, philox4x32 with 10 rounds. Key and counter are set as our streams lay them out. */
static void published_vectors(void **state)
{
    (void)state;
    static const struct {
        uint32_t ctr[4], key[2], out[4];
    } kat[] = {
        {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}, {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}, {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (size_t i = 0; i < sizeof kat / sizeof *kat; i++) {
        const philox4x32_ctr_t ctr = {{kat[i].ctr[0], kat[i].ctr[1], kat[i].ctr[2], kat[i].ctr[3]}};
        const philox4x32_key_t key = {{kat[i].key[0], kat[i].key[1]}};
        const philox4x32_ctr_t out = philox4x32(ctr, key);
        for (int k = 0; k < 4; k++) assert_int_equal(out.v[k], kat[i].out[k]);
    }
    // the same through a stream: seed = key, block = ctr[0], entity and purpose = ctr[1..2], replication = ctr[3]
    struct rr_rng r;
    rr_rng_init(&r, 0, 0, (enum rr_purpose)0, 0);
    for (int k = 0; k < 4; k++) assert_int_equal(rr_rng_u32(&r), kat[0].out[k]);
    rr_rng_init(&r, UINT64_C(0x299f31d0a4093822), 0x03707344, (enum rr_purpose)0x1319, UINT64_C(0x8a2e85a308d3));
    r.ctr[0] = 0x243f6a88;
    for (int k = 0; k < 4; k++) assert_int_equal(rr_rng_u32(&r), kat[2].out[k]);
}

static void words_run_through_blocks(void **state)
{
    (void)state;
    struct rr_rng a = stream(5), b = stream(5);
    for (uint32_t block = 0; block < 100; block++) {
        const philox4x32_ctr_t ctr = {{block, 5, (uint32_t)RR_RNG_TEST << 16, 0}};
        const philox4x32_key_t key = {{24, 0}};
        const philox4x32_ctr_t out = philox4x32(ctr, key);
        for (int k = 0; k < 4; k++) assert_int_equal(rr_rng_u32(&a), out.v[k]);
    }
    for (int i = 0; i < 10; i++) {
        struct rr_rng c = b;
        const uint64_t low = rr_rng_u32(&c), high = rr_rng_u32(&c);
        assert_true(rr_rng_u64(&b) == (low | high << 32));
    }
}

static void streams_differ_in_every_key(void **state)
{
    (void)state;
    struct rr_rng r[6];
    uint64_t first[6];
    rr_rng_init(&r[0], 1, 0, RR_RNG_ARRIVAL, 0);
    rr_rng_init(&r[1], 2, 0, RR_RNG_ARRIVAL, 0);
    rr_rng_init(&r[2], 1, 1, RR_RNG_ARRIVAL, 0);
    rr_rng_init(&r[3], 1, 0, RR_RNG_DURATION, 0);
    rr_rng_init(&r[4], 1, 0, RR_RNG_ARRIVAL, 1);
    rr_rng_init(&r[5], 1, 0, RR_RNG_ARRIVAL, UINT64_C(1) << 32);
    for (int i = 0; i < 6; i++) first[i] = rr_rng_u64(&r[i]);
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < i; k++) assert_true(first[i] != first[k]);
}

static int by_value(const void *x, const void *y)
{
    const double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

static double exponential_cdf(double x) { return -expm1(-x); }
static double uniform_cdf(double x) { return x; }
static double uniform_draw(struct rr_rng *r) { return rr_rng_uniform(r); }

/* Kolmogorov-Smirnov: sqrt(N) D is above 2.23 once in 10,000 (2 exp(-2 x^2)). */
static void check_law(double (*draw)(struct rr_rng *), double (*cdf)(double), uint64_t entity)
{
    static double v[N];
    struct rr_rng r = stream(entity);
    for (int i = 0; i < N; i++) v[i] = draw(&r);
    qsort(v, N, sizeof *v, by_value);
    double worst = 0;
    for (int i = 0; i < N; i++) {
        const double f = cdf(v[i]);
        worst = fmax(worst, fmax(f - (double)i / N, (double)(i + 1) / N - f));
    }
    if (!(worst * sqrt(N) < 2.23)) fail_msg("sqrt(N) D = %g", worst * sqrt(N));
}

static void draws_follow_their_laws(void **state)
{
    (void)state;
    check_law(uniform_draw, uniform_cdf, 11);
    check_law(rr_rng_exponential, exponential_cdf, 12);
    check_law(rr_rng_normal, gsl_cdf_ugaussian_P, 13);
}

/* Mean of x^k over N draws within 4.5 standard errors of `want`; the error from E x^2k = `square`. */
static void check_moment(double (*draw)(struct rr_rng *), int k, double want, double square)
{
    struct rr_rng r = stream(20 + (uint64_t)k);
    double sum = 0;
    for (int i = 0; i < N; i++) sum += pow(draw(&r), k);
    const double error = (sum / N - want) / sqrt((square - want * want) / N);
    if (!(fabs(error) < 4.5)) fail_msg("moment %d is %g standard errors off", k, error);
}

static void moments_are_right(void **state)
{
    (void)state;
    check_moment(uniform_draw, 1, 0.5, 1.0 / 3);
    check_moment(uniform_draw, 2, 1.0 / 3, 1.0 / 5);
    check_moment(rr_rng_exponential, 1, 1, 2);
    check_moment(rr_rng_exponential, 2, 2, 24);
    check_moment(rr_rng_exponential, 3, 6, 720);
    check_moment(rr_rng_normal, 1, 0, 1);
    check_moment(rr_rng_normal, 2, 1, 3);
    check_moment(rr_rng_normal, 3, 0, 15);
    check_moment(rr_rng_normal, 4, 3, 105);
}

/* The far tails come through other code: counts beyond the last layer within 4.5 standard errors. */
static void tails_are_right(void **state)
{
    (void)state;
    struct rr_rng r = stream(30);
    const int n = 5000000;
    int far_exponential = 0, far_normal = 0, very_far = 0;
    for (int i = 0; i < n; i++) {
        far_exponential += rr_rng_exponential(&r) > EXPONENTIAL_EDGE;
        const double x = fabs(rr_rng_normal(&r));
        far_normal += x > NORMAL_EDGE;
        very_far += x > NORMAL_EDGE + 0.25;
    }
    const double e = n * exp(-EXPONENTIAL_EDGE), z = 2 * n * gsl_cdf_ugaussian_Q(NORMAL_EDGE),
                 zz = 2 * n * gsl_cdf_ugaussian_Q(NORMAL_EDGE + 0.25);
    assert_true(fabs(far_exponential - e) < 4.5 * sqrt(e));
    assert_true(fabs(far_normal - z) < 4.5 * sqrt(z));
    assert_true(fabs(very_far - zz) < 4.5 * sqrt(zz));
}

static void uniform_never_reaches_its_ends(void **state)
{
    (void)state;
    struct rr_rng r = stream(31);
    for (int i = 0; i < 4; i++) r.out[i] = 0;
    r.left = 4;
    assert_true(rr_rng_uniform(&r) == 0x1p-53);
    for (int i = 0; i < 4; i++) r.out[i] = UINT32_MAX;
    r.left = 4;
    assert_true(rr_rng_uniform(&r) == 1 - 0x1p-53);
}

/* Chi-square over the cells of below(n), 1e-4 quantiles from GSL. */
static void below_is_fair(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {2, 3, 7, 10, 1000};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const uint64_t n = sizes[s];
        struct rr_rng r = stream(40 + s);
        int count[1000] = {0};
        for (int i = 0; i < N; i++) {
            const uint64_t v = rr_rng_below(&r, n);
            assert_true(v < n);
            count[v]++;
        }
        double chi2 = 0;
        const double want = (double)N / (double)n;
        for (uint64_t k = 0; k < n; k++) chi2 += (count[k] - want) * (count[k] - want) / want;
        assert_true(chi2 < gsl_cdf_chisq_Qinv(1e-4, (double)n - 1));
        assert_true(chi2 > gsl_cdf_chisq_Pinv(1e-4, (double)n - 1));
    }
    struct rr_rng r = stream(50);
    assert_int_equal(rr_rng_below(&r, 1), 0);
    // 3 x 2^62: a plain modulus would give the lowest third twice as often as the others
    const uint64_t n = UINT64_C(3) << 62, third = UINT64_C(1) << 62;
    int low = 0;
    for (int i = 0; i < 90000; i++) low += rr_rng_below(&r, n) < third;
    assert_true(abs(low - 30000) < 4.5 * sqrt(90000 * 2.0 / 9));
}

/* The largest x[1] for which 256 layers of equal area close at the top, by bisection in 80 bits. */
static long double solved_edge(long double (*f)(long double), long double (*inverse)(long double), long double (*tail)(long double))
{
    long double low = 3, high = 9;
    for (int step = 0; step < 70; step++) {
        const long double r = (low + high) / 2, area = r * f(r) + tail(r);
        long double x = r;
        int i = 2;
        for (; i < 256 && area / x + f(x) < 1; i++) x = inverse(area / x + f(x));
        if (i < 256 || area / x + f(x) > 1)
            low = r; // the layers are too thick
        else
            high = r;
    }
    return low;
}

static void check_tables(long double (*f)(long double), long double (*inverse)(long double), long double (*tail)(long double), double edge,
                         const double *width, const uint64_t *inside)
{
    const long double r = solved_edge(f, inverse, tail), area = r * f(r) + tail(r);
    assert_true(fabsl(r - edge) < 1e-15L);
    long double x[257];
    x[0] = area / f(r);
    x[1] = r;
    for (int i = 2; i < 256; i++) x[i] = inverse(area / x[i - 1] + f(x[i - 1]));
    x[256] = 0;
    for (int i = 0; i < 256; i++) {
        assert_true(fabsl(width[i] * 0x1p53L - x[i]) < 2e-15L);
        assert_true(fabsl((long double)inside[i] - x[i + 1] / x[i] * 0x1p53L) < 64); // in 2^53
    }
}

static long double f_exponential(long double x) { return expl(-x); }
static long double inverse_exponential(long double y) { return -logl(y); }
static long double f_normal(long double x) { return expl(-x * x / 2); }
static long double inverse_normal(long double y) { return sqrtl(-2 * logl(y)); }
static long double tail_normal(long double r) { return sqrtl(atanl(1) * 2) * erfcl(r / sqrtl(2)); }

static void layers_have_equal_area(void **state)
{
    (void)state;
    check_tables(f_exponential, inverse_exponential, f_exponential, EXPONENTIAL_EDGE, exponential_width, exponential_inside);
    check_tables(f_normal, inverse_normal, tail_normal, NORMAL_EDGE, normal_width, normal_inside);
}

static void gsl_draws_from_the_same_stream(void **state)
{
    (void)state;
    gsl_rng *g = rr_gsl_rng(24, 0, RR_RNG_TEST, 60);
    struct rr_rng r = stream(60);
    assert_string_equal(gsl_rng_name(g), "rr_philox4x32");
    assert_true(gsl_rng_min(g) == 0 && gsl_rng_max(g) == 0xffffffff);
    for (int i = 0; i < 1000; i++) assert_true(gsl_rng_get(g) == rr_rng_u32(&r));
    for (int i = 0; i < 1000; i++) assert_true(gsl_rng_uniform(g) == rr_rng_uniform(&r));
    gsl_rng *copy = gsl_rng_clone(g);
    assert_true(gsl_rng_get(copy) == gsl_rng_get(g));
    gsl_rng_free(copy);
    gsl_rng_set(g, 61); // entity 61 of the same seed, replication and purpose
    r = stream(61);
    for (int i = 0; i < 100; i++) assert_true(gsl_rng_get(g) == rr_rng_u32(&r));
    // gamma(shape 2.385, scale 1.7): mean within 4.5 standard errors
    double sum = 0;
    for (int i = 0; i < N; i++) sum += gsl_ran_gamma(g, 2.385, 1.7);
    assert_true(fabs(sum / N - 2.385 * 1.7) < 4.5 * 1.7 * sqrt(2.385 / N));
    gsl_rng_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_vectors),
        cmocka_unit_test(words_run_through_blocks),
        cmocka_unit_test(streams_differ_in_every_key),
        cmocka_unit_test(draws_follow_their_laws),
        cmocka_unit_test(moments_are_right),
        cmocka_unit_test(tails_are_right),
        cmocka_unit_test(uniform_never_reaches_its_ends),
        cmocka_unit_test(below_is_fair),
        cmocka_unit_test(layers_have_equal_area),
        cmocka_unit_test(gsl_draws_from_the_same_stream),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
