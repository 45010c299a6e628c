/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_calib.c - fits against closed forms: lines, kinks, outliers, roofs; profiles written, read, drawn and refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "models/calib/calib.h"
#include "tests/unit/test_dir.h"
#include <math.h>

static struct rr_arena *arena;
static int setup(void **state)
{
    arena = rr_arena_create();
    return test_dir_make(state);
}
static int teardown(void **state)
{
    rr_arena_free(arena);
    return test_dir_remove(state);
}
static void near(double a, double b, double rel)
{
    if (!(fabs(a - b) <= rel * fabs(b))) fail_msg("%.12g is not %.12g", a, b);
}
static const struct rr_fit_options careful = {.draws = 60, .loo = true, .seed = 3};

static struct rr_curve fit(double (*us)(double), double from, double to, double step, double noise)
{
    struct rr_point *p = RR_NEWS(arena, struct rr_point, 4000);
    struct rr_curve c;
    struct rr_rng rng;
    size_t n = 0;
    rr_rng_init(&rng, 5, 0, RR_RNG_TEST, 1);
    for (double x = from; x <= to; x *= step)
        for (int half = 0; half < 2; half++, n++)
            p[n] = (struct rr_point){x, us(x) * (1 + noise * rr_rng_normal(&rng)), half, (int64_t)n, false};
    rr_curve_fit(p, n, 1.875, &careful, arena, &c);
    return c;
}

static double line(double x) { return 17.3 + 2.385e-3 * x; }
static double kink(double x) { return x < 1e6 ? 21.7 + 3e-6 * x : 14.7 + 1e-5 * x; }    /* meet at 1e6 */
static double step(double x) { return x < 3e5 ? 9.1 + 2.2e-5 * x : 31.0 + 1.1e-5 * x; } /* a jump up at 3e5 */

static void a_line_is_exact_between_and_beyond(void **state)
{
    (void)state;
    bool outside;
    const struct rr_curve c = fit(line, 1, 4096, 4, 0);
    near(rr_curve_us(&c, 6, &outside), 17.3 + 6 * 2.385e-3, 1e-9);
    assert_false(outside);
    for (double x = 1; x <= 4096; x += 97) near(rr_curve_us(&c, x, &outside), line(x), 1e-9);
    near(rr_curve_us(&c, 9000, &outside), line(9000), 1e-9);
    assert_true(outside);
    near(c.latency_us.value, line(1), 1e-9);
    near(c.bus_gb_s.value, 1.875 / 2.385e-3 / 1e3, 1e-6);
    near(c.half_bytes.value, 17.3 / 2.385e-3, 1e-6); // alpha = beta x: half of the rate
    assert_int_equal(c.n_knots, 2);
}

static void a_kink_is_found_where_the_lines_meet(void **state)
{
    (void)state;
    const struct rr_curve c = fit(kink, 1000, 1e9, 3.1, 0);
    bool outside, found = false;
    for (size_t i = 0; i < c.n_knots; i++) found |= fabs(c.knot[i].bytes / 1e6 - 1) < 0.01;
    assert_true(found);
    for (double x = 1500; x < 9e8; x *= 1.7) near(rr_curve_us(&c, x, &outside), kink(x), 1e-4);
}

static void a_step_is_bridged_between_its_sizes(void **state)
{
    (void)state;
    const struct rr_curve c = fit(step, 1000, 1e9, 2, 0.005);
    bool outside;
    near(rr_curve_us(&c, 1.3e5, &outside), step(1.3e5), 0.02);
    near(rr_curve_us(&c, 3e7, &outside), step(3e7), 0.02);
    assert_true(c.loo_median_pct < 2);
    assert_true(c.n_draws == 60);
}

static void error_bars_hold_the_truth(void **state)
{
    (void)state;
    const struct rr_curve c = fit(line, 8, 1 << 20, 2, 0.02);
    assert_true(c.knot[0].us.p05 <= c.knot[0].us.value && c.knot[0].us.value <= c.knot[0].us.p95);
    assert_true(c.bus_gb_s.p05 < 1.875 / 2.385 && c.bus_gb_s.p95 > 1.875 / 2.385);
    assert_true(c.band_pct > 1 && c.band_pct < 6); // 1.64 sd of 2 %, about
}

static void outliers_are_named_not_fitted(void **state)
{
    (void)state;
    struct rr_point p[40];
    struct rr_curve c;
    size_t n = 0;
    bool outside;
    for (double x = 64; x < 64 << 18; x *= 2) p[n] = (struct rr_point){x, line(x), false, (int64_t)n, false}, n++;
    p[1].us *= 3;
    p[12].us *= 1.5;
    rr_curve_fit(p, n, 1, &careful, arena, &c);
    assert_int_equal(c.n_outliers, 2);
    assert_int_equal(c.outlier[0].line, 1);
    assert_int_equal(c.outlier[1].line, 12);
    near(rr_curve_us(&c, p[1].bytes, &outside), line(p[1].bytes), 0.02);
}

static void one_size_alone(void **state)
{
    (void)state;
    struct rr_point p[1] = {{4096, 31.5, false, 9, false}};
    struct rr_curve c;
    bool outside;
    rr_curve_fit(p, 1, 1, &careful, arena, &c);
    assert_int_equal(c.n_knots, 1);
    near(rr_curve_us(&c, 4096, &outside), 31.5, 1e-12);
    assert_false(outside);
    near(rr_curve_us(&c, 8192, &outside), 63, 1e-12); // at its rate
    assert_true(outside);
}

static double roof(double m, double n, double k) /* 400 TFLOP/s, 2000 GB/s of 2-byte elements, 4.5 us */
{
    return 4.5 + fmax(2 * m * n * (k + 180) / 400e6, 2 * (m * k + k * n + m * n) / 2000e3);
}

static void a_roofline_is_found_again(void **state)
{
    (void)state;
    struct rr_gemm_sample s[64];
    struct rr_gemm g;
    size_t n = 0;
    bool outside;
    for (double m = 32; m <= 8192; m *= 4)
        for (double k = 512; k <= 8192; k *= 2)
            for (double w = 2048; w <= 8192; w *= 4) s[n++] = (struct rr_gemm_sample){m, w, k, roof(m, w, k)};
    rr_gemm_fit(s, n, 2, &careful, arena, &g);
    near(g.rate_tflops.value, 400, 0.02);
    near(g.gb_s.value, 2000, 0.05);
    near(g.overhead_us.value, 4.5, 0.1);
    near(rr_gemm_us(&g, 8192, 8192, 8192, 2, &outside), roof(8192, 8192, 8192), 1e-3); // measured
    assert_false(outside);
    near(rr_gemm_us(&g, 4096, 4096, 3072, 2, &outside), roof(4096, 4096, 3072), 0.05);
    near(rr_gemm_us(&g, 16384, 8192, 8192, 2, &outside), roof(16384, 8192, 8192), 0.05);
    assert_true(outside);
    assert_true(g.loo_median_pct < 5);
}

/* ---- the file ---- */

static struct rr_profile made(void)
{
    static struct rr_curve c;
    static struct rr_profile_source src = {"log-1", "made up", "x.txt", "", "2026"};
    c = fit(kink, 1000, 1e9, 2, 0.02);
    c.op = "all_reduce", c.ranks = 16, c.nodes = 2, c.source = "log-1";
    static struct rr_device_rate r = {
        .kind = "memory", .op = "copy", .type = "", .source = "log-1", .gb_s = {2900, 2800, 3000}, .measured = true};
    static struct rr_latency l = {"launch empty", "log-1", {2.31, 2.2, 2.9}, true};
    return (struct rr_profile){.name = "made",
                               .date = "2026",
                               .note = "",
                               .measured = true,
                               .gpu = "",
                               .device = "X1",
                               .network = "",
                               .driver = "",
                               .cuda = "",
                               .nccl = "",
                               .host = "",
                               .source = &src,
                               .n_sources = 1,
                               .curve = &c,
                               .n_curves = 1,
                               .rate = &r,
                               .n_rates = 1,
                               .latency = &l,
                               .n_latencies = 1};
}

static const char *write_text(const char *text)
{
    const char *path = in_dir("p.json");
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    return path;
}

static void written_and_read_it_is_the_same(void **state)
{
    (void)state;
    const struct rr_profile p = made();
    struct rr_profile q;
    struct rr_buf b = {0}, again = {0};
    bool outside;
    rr_profile_json(&b, &p);
    if (rr_profile_read(write_text(rr_buf_text(&b)), arena, &q) != RR_OK) fail_msg("%s", rr_reason());
    rr_profile_json(&again, &q);
    assert_string_equal(rr_buf_text(&b), rr_buf_text(&again));
    near(rr_curve_us(&q.curve[0], 5e6, &outside), rr_curve_us(&p.curve[0], 5e6, &outside), 1e-4);
    assert_ptr_equal(rr_profile_curve(&q, "all_reduce", 12, 0), &q.curve[0]);
    assert_null(rr_profile_curve(&q, "alltoall", 16, 2));
    rr_buf_done(&b);
    rr_buf_done(&again);
}

static void worlds_are_drawn_from_the_error_bars(void **state)
{
    (void)state;
    const struct rr_profile p = made();
    double sum = 0, sum_us = 0;
    bool outside;
    int low = 0, high = 0, same = 0;
    enum { WORLDS = 2000 };
    for (uint32_t i = 0; i < WORLDS; i++) {
        struct rr_arena *a = rr_arena_create();
        struct rr_rng rng, twin;
        struct rr_profile w, v;
        rr_rng_init(&rng, 11, i, RR_RNG_INPUT, 0);
        rr_rng_init(&twin, 11, i, RR_RNG_INPUT, 0);
        rr_profile_sample(&p, &rng, a, &w);
        rr_profile_sample(&p, &twin, a, &v);
        same += w.rate[0].gb_s.value == v.rate[0].gb_s.value && w.curve[0].knot[0].us.value == v.curve[0].knot[0].us.value;
        low += w.rate[0].gb_s.value<2800, high += w.rate[0].gb_s.value> 3000;
        sum += w.rate[0].gb_s.value;
        sum_us += rr_curve_us(&w.curve[0], 5e6, &outside);
        rr_arena_free(a);
    }
    assert_int_equal(same, WORLDS);
    near(sum / WORLDS, 2900, 0.005);
    assert_in_range(low, 60, 145); // 5 %: 100, four standard deviations
    assert_in_range(high, 60, 145);
    near(sum_us / WORLDS, kink(5e6), 0.03);
}

static void refuses(const char *text, const char *why)
{
    struct rr_profile p;
    assert_int_equal(rr_profile_read(write_text(text), arena, &p), RR_EINPUT);
    if (!strstr(rr_reason(), why)) fail_msg("\"%s\" does not say \"%s\"", rr_reason(), why);
}

#define HEAD "{\"schema\": \"rackrate.profile/1\", \"name\": \"x\", \"hardware\": {\"gpu\": \"\"}, \"sources\": [{\"name\": \"s\"}],\n"
static void wrong_profiles(void **state)
{
    (void)state;
    refuses("{\"schema\": \"rackrate.profile/2\"}", "must be \"rackrate.profile/1\"");
    refuses("{\"schema\": \"rackrate.profile/1\", \"name\": \"x\", \"hardware\": {\"gpu\": \"\"}}", "\"sources\" is missing");
    refuses(HEAD "\"colective\": []}", "unknown key \"colective\"");
    refuses(HEAD "\"collectives\": [{\"op\": \"all_reduce\", \"source\": \"t\"}]}", "is no name in \"sources\"");
    refuses(HEAD "\"collectives\": [{\"op\": \"dance\", \"source\": \"s\"}]}", "is no collective operation");
    refuses(HEAD "\"collectives\": [{\"op\": \"all_reduce\", \"source\": \"s\"}]}", "\"knots\" is missing");
    refuses(HEAD "\"collectives\": [{\"op\": \"all_reduce\", \"source\": \"s\", \"knots\": [{\"bytes\": 8, \"us\": 3}, {\"bytes\": 8, "
                 "\"us\": 4}]}]}",
            "bytes must rise");
    refuses(HEAD
            "\"collectives\": [{\"op\": \"all_reduce\", \"source\": \"s\", \"knots\": [{\"bytes\": 8, \"us\": 3}], \"draws\": [[1, 2]]}]}",
            "one time for each knot");
    refuses(HEAD "\"latencies\": [{\"op\": \"x\", \"source\": \"s\", \"us\": {\"value\": 3, \"p05\": 4, \"p95\": 5}}]}",
            "p05 <= value <= p95");
    refuses(HEAD "\"rates\": [{\"kind\": \"memory\", \"op\": \"x\", \"source\": \"s\"}]}", "a rate needs gb_s or tflops");
    refuses(HEAD "\"peaks\": [{\"what\": \"bf16\", \"unit\": \"TFLOP/s\", \"source\": \"s\", \"value\": -1}]}", "p.json:2:");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_is_exact_between_and_beyond),
        cmocka_unit_test(a_kink_is_found_where_the_lines_meet),
        cmocka_unit_test(a_step_is_bridged_between_its_sizes),
        cmocka_unit_test(error_bars_hold_the_truth),
        cmocka_unit_test(outliers_are_named_not_fitted),
        cmocka_unit_test(one_size_alone),
        cmocka_unit_test(a_roofline_is_found_again),
        cmocka_unit_test(written_and_read_it_is_the_same),
        cmocka_unit_test(worlds_are_drawn_from_the_error_bars),
        cmocka_unit_test(wrong_profiles),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
