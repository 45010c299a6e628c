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
    near(c.latency_us.value, 17.3, 1e-9);
    near(c.bus_gb_s.value, 1.875 * 4096 / line(4096) / 1e3, 1e-6); // at the largest size, not the slope beyond it
    near(c.half_bytes.value, 17.3 / 2.385e-3, 1e-6);               // alpha = beta x: half of the rate
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
    const double truth = 1.875 * (1 << 20) / line(1 << 20) / 1e3;
    assert_true(c.bus_gb_s.p05 < truth && c.bus_gb_s.p95 > truth);
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

static double from_a_mebibyte(double x) { return 20 + 1e-5 * x; }

/* The log begins at 1 MiB, where a message takes 30.486 us; one without bytes takes 20. */
static void latency_is_the_intercept(void **state)
{
    (void)state;
    const struct rr_curve c = fit(from_a_mebibyte, 1 << 20, 1 << 30, 2, 0);
    struct rr_regime r[RR_MOST_REGIMES];
    near(c.latency_us.value, 20, 1e-6);
    assert_int_equal(rr_curve_regimes(&c, r), 1);
    near(r[0].alpha_us, 20, 1e-6);
    near(r[0].beta_us, 1e-5, 1e-9);
    near(r[0].to, 1 << 30, 1e-9);
    assert_true(r[0].off_pct < 1e-6);
}

/* At 512 MiB the same line takes 5388.7 us, of which 20 are no more than a guess. */
static void a_log_of_large_messages_has_no_latency(void **state)
{
    (void)state;
    const struct rr_curve c = fit(from_a_mebibyte, 512 << 20, 8e9, 2, 0);
    assert_true(c.latency_us.value == 0);
    near(c.knot[0].us.value, 20 + 5368.70912, 1e-6);
}

/* Three protocols: 12 us + 1/3 us a KiB, from 32 KiB on 30 us + 1/60 us a KiB, from 16 MiB on 120 us + 1/400 us a KiB: each has 6 sizes or more. */
static double protocols(double x)
{
    const double k = x / 1024;
    return k < 32 ? 12 + k / 3 : k < 16384 ? 30 + k / 60 : 262 + k / 400;
}

static void few_regimes_tell_many_break_points(void **state)
{
    (void)state;
    const struct rr_curve c = fit(protocols, 64, 8e9, 2, 0.01);
    struct rr_regime r[RR_MOST_REGIMES];
    const size_t n = rr_curve_regimes(&c, r);
    assert_true(n >= 3 && n <= 4);
    near(r[0].alpha_us, 12, 0.05);
    near(r[n - 1].beta_us * 1024, 1.0 / 400, 0.03);
    for (size_t i = 0; i < n; i++) assert_true(r[i].off_pct <= 10 && r[i].alpha_us >= 0 && r[i].beta_us >= 0);
    for (size_t i = 1; i < n; i++) assert_true(r[i].from == r[i - 1].to);
}

/* Times that jump by 8 % up and down at every size: nothing is an outlier, and no curve may follow them down. */
static double sawtooth(double x)
{
    int power;
    frexp(x, &power);
    return (25 + 1e-9 * x) * (power % 2 ? 1.04 : 0.96);
}

static void no_curve_falls(void **state)
{
    (void)state;
    double (*const times[])(double) = {sawtooth, protocols, step, line};
    for (size_t t = 0; t < sizeof times / sizeof *times; t++)
        for (int noise = 0; noise < 4; noise++) {
            const struct rr_curve c = fit(times[t], 8, 2e9, 2, 0.03 * noise);
            bool outside;
            double last = 0;
            for (double x = 0.5; x < 1e12; x *= 1.13) {
                const double us = rr_curve_us(&c, x, &outside);
                if (us < last) fail_msg("%zu, noise %d: %g us at %g, less than %g before", t, noise, us, x, last);
                last = us;
            }
            assert_true(last > rr_curve_us(&c, 1e11, &outside)); // and no bandwidth is without end
            for (size_t d = 0; d < c.n_draws; d++)
                for (size_t k = 1; k < c.n_knots; k++) assert_true(c.draw[d * c.n_knots + k] >= c.draw[d * c.n_knots + k - 1]);
        }
}

static void measured_medians_are_kept(void **state)
{
    (void)state;
    struct rr_point p[300];
    struct rr_curve c;
    size_t n = 0;
    for (int i = 0; i < 100; i++)
        for (int k = 0; k < 3; k++) p[n] = (struct rr_point){1024.0 * (i + 1), 10 + i + 0.25 * k * k, false, (int64_t)n, false}, n++;
    rr_curve_fit(p, n, 1, &careful, arena, &c);
    assert_true(c.n_points > 40 && c.n_points <= 64); // of 100; the first few sizes are further apart than a step of the logarithm
    near(c.point[0].bytes, 1024, 1e-12);
    near(c.point[c.n_points - 1].bytes, 102400, 1e-12);
    for (size_t i = 0; i < c.n_points; i++) near(c.point[i].us, 9.25 + c.point[i].bytes / 1024, 1e-12); // the middle of 10, 10.25 and 11
    rr_curve_fit(p, 60, 1, &careful, arena, &c);
    assert_int_equal(c.n_points, 20);
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
    refuses(HEAD "\"collectives\": [{\"op\": \"all_reduce\", \"source\": \"s\", \"knots\": [{\"bytes\": 8, \"us\": 3}, {\"bytes\": 16, "
                 "\"us\": 2.9}]}]}",
            "us falls from 3 to 2.9");
    refuses(HEAD "\"collectives\": [{\"op\": \"all_reduce\", \"source\": \"s\", \"knots\": [{\"bytes\": 8, \"us\": 3}, {\"bytes\": 16, "
                 "\"us\": 4}], \"draws\": [[3, 3], [3, 2]]}]}",
            "never fall from knot to knot");
    refuses(HEAD "\"collectives\": [{\"op\": \"all_reduce\", \"source\": \"s\", \"knots\": [{\"bytes\": 8, \"us\": 3}], "
                 "\"points\": [[8, 3], [8, 4]]}]}",
            "a point is [bytes, us]");
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
        cmocka_unit_test(latency_is_the_intercept),
        cmocka_unit_test(a_log_of_large_messages_has_no_latency),
        cmocka_unit_test(few_regimes_tell_many_break_points),
        cmocka_unit_test(no_curve_falls),
        cmocka_unit_test(measured_medians_are_kept),
        cmocka_unit_test(one_size_alone),
        cmocka_unit_test(a_roofline_is_found_again),
        cmocka_unit_test(written_and_read_it_is_the_same),
        cmocka_unit_test(worlds_are_drawn_from_the_error_bars),
        cmocka_unit_test(wrong_profiles),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
