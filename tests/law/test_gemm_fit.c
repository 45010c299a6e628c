/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/law/test_gemm_fit.c - matrix products made from a known roofline and noise: over many seeds the fit's intervals hold the truth about as often as
 * they promise, what is left out is predicted within the noise, and shapes outside are told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "data/base/fmath.h"
#include "models/calib/calib.h"
#include "tests/unit/test_dir.h"
#include <math.h>

enum { SEEDS = 100, MOST = 64 };
static const double truth[4] = {412.7, 2385, 4.6, 171}; /* TFLOP/s, GB/s, us, elements */
static const double noise = 0.03;

static double roof(double m, double n, double k)
{
    return truth[2] + fmax(2 * m * n * (k + truth[3]) / truth[0] / 1e6, 2 * (m * k + k * n + m * n) / truth[1] / 1e3);
}

/* Shapes of transformers: few rows (memory), many (arithmetic). */
static size_t shapes(uint64_t seed, struct rr_gemm_sample *s)
{
    static const double m[] = {1, 16, 128, 1024, 4096, 16384}, n[] = {1024, 4096, 12288}, k[] = {1024, 4096, 8192};
    struct rr_rng rng;
    size_t at = 0;
    rr_rng_init(&rng, seed, 0, RR_RNG_TEST, 3);
    for (size_t i = 0; i < 6; i++)
        for (size_t j = 0; j < 3; j++)
            for (size_t q = 0; q < 3; q++)
                s[at++] = (struct rr_gemm_sample){m[i], n[j], k[q], roof(m[i], n[j], k[q]) * rr_exp(noise * rr_rng_normal(&rng))};
    return at;
}

static void intervals_hold_the_truth_as_often_as_they_say(void **state)
{
    (void)state;
    size_t held[4] = {0};
    double off[4] = {0}, loo = 0, spread = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct rr_arena *a = rr_arena_create();
        struct rr_gemm_sample s[MOST];
        struct rr_gemm g;
        const size_t n = shapes(seed, s);
        const struct rr_fit_options opt = {.draws = 40, .loo = seed <= 10, .seed = seed};
        rr_gemm_fit(s, n, 2, &opt, a, &g);
        const struct rr_value v[4] = {g.rate_tflops, g.gb_s, g.overhead_us, g.depth};
        for (int i = 0; i < 4; i++) {
            held[i] += v[i].p05 <= truth[i] && truth[i] <= v[i].p95;
            off[i] += fabs(v[i].value / truth[i] - 1) / SEEDS;
        }
        if (opt.loo) loo += g.loo_median_pct / 10, spread += g.spread_pct / 10;
        rr_arena_free(a);
    }
    static const char *const name[] = {"arithmetic rate", "memory rate", "overhead", "depth"};
    for (int i = 0; i < 4; i++)
        print_message("%s: %zu of %d intervals of 90 %% hold the truth, mean error %.2f %%\n", name[i], held[i], (int)SEEDS, 100 * off[i]);
    print_message("left out: median %.2f %%, 90 %% within %.2f %%\n", loo, spread);
    for (int i = 0; i < 4; i++) assert_in_range(held[i], 78, 98); // 90, four standard deviations of 3
    assert_true(off[0] < 0.02 && off[1] < 0.02 && off[2] < 0.05);
    assert_true(loo > 1 && loo < 4);       // the median of |N(0, 3 %)| is 2 %, and its neighbours' noise comes in
    assert_true(spread > 4 && spread < 8); // 1.64 x 3 % = 4.9 %
}

/* The same through the file that rackrate-probe writes. */
static void through_the_file_of_the_probe(void **state)
{
    (void)state;
    struct rr_arena *a = rr_arena_create();
    struct rr_gemm_sample s[MOST];
    struct rr_samples read;
    struct rr_profile p;
    const size_t n = shapes(7, s);
    const char *path = in_dir("probe.json");
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs("{\"schema\": \"rackrate.samples/1\", \"hardware\": {\"gpu\": \"X1\"}, \"samples\": [\n", f);
    for (size_t i = 0; i < n; i++)
        fprintf(f, "%s{\"kind\": \"gemm\", \"type\": \"bf16\", \"m\": %.0f, \"n\": %.0f, \"k\": %.0f, \"us\": %.6f}", i ? ",\n" : "",
                s[i].m, s[i].n, s[i].k, s[i].us);
    fputs("]}\n", f);
    fclose(f);
    const struct rr_sample_options so = {.max_refused = 0};
    const struct rr_fit_options opt = {.draws = 40, .loo = true, .seed = 1};
    if (rr_samples_read(&path, 1, &so, a, &read) != RR_OK || rr_profile_fit(&read, &opt, a, &p) != RR_OK) fail_msg("%s", rr_reason());
    assert_int_equal(p.n_gemms, 1);
    const struct rr_gemm *g = &p.gemm[0];
    bool outside;
    assert_true(fabs(g->rate_tflops.value / truth[0] - 1) < 0.05);
    assert_true(fabs(rr_gemm_us(g, 2048, 8192, 4096, 2, &outside) / roof(2048, 8192, 4096) - 1) < 0.08);
    assert_false(outside);
    assert_true(fabs(rr_gemm_us(g, 32768, 12288, 8192, 2, &outside) / roof(32768, 12288, 8192) - 1) < 0.08);
    assert_true(outside);
    rr_gemm_us(g, 2048, 8192, 512, 2, &outside);
    assert_true(outside);
    rr_arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals_hold_the_truth_as_often_as_they_say),
        cmocka_unit_test(through_the_file_of_the_probe),
    };
    return cmocka_run_group_tests(tests, test_dir_make, test_dir_remove);
}
