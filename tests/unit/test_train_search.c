/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_train_search.c - the search against a plain walk over all layouts, and the time to train against closed forms. */
#include "models/checkpoint.h"
#include "models/train/search.h"
#include "models/train/ttt.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* cmocka 1.1.7 compares floats alone. */
static void assert_near(double a, double b, double off)
{
    if (!(fabs(a - b) <= off)) fail_msg("%.17g is not %.17g +- %g", a, b, off);
}

static const struct rr_arch small = {
    .name = "small", .layers = 12, .hidden = 1536, .heads = 12, .kv_heads = 12, .ffn = 6144, .vocab = 50304, .seq = 2048};
static const struct rr_machine eight = {.id = "eight",
                                        .family = "x",
                                        .gpus_per_node = 8,
                                        .sms = 108,
                                        .fp32_tflops = 19.5,
                                        .bf16_tflops = 312,
                                        .memory_gib = 40,
                                        .memory_gb_s = 1555,
                                        .link_gb_s = 300,
                                        .net_gb_s = 25,
                                        .power_w = 400};

static struct rr_search question(const struct rr_coefs *c)
{
    return (struct rr_search){.arch = &small,
                              .machine = &eight,
                              .coefs = c,
                              .base = {.gpus = 8, .etp = 0, .global_batch = 48, .seq = 2048, .precision = RR_BF16, .flash = true}};
}

static void sizes_are_divisors(void **state)
{
    (void)state;
    struct rr_coefs c;
    rr_coefs_default(&c);
    struct rr_search s = question(&c);
    rr_search_axes(&s);
    assert_int_equal(s.tp.n, 4);           // 1 2 4 8
    assert_int_equal(s.vpp.n, 6);          // 1 2 3 4 6 12
    assert_int_equal(s.micro_batch.n, 10); // 1 2 3 4 6 8 12 16 24 48
    assert_int_equal(s.zero.n, 4);
    // tp x pp x cp x dp = 2^3 in C(6, 3) = 20 ways, times vpp, micro batches, zero, recompute
    assert_int_equal(rr_search_size(&s), 20 * 6 * 10 * 4 * 3);
    rr_search_widen(&s);
    assert_int_equal(rr_search_size(&s), 20 * 6 * 10 * 4 * 3); // axes that are there stay
    s = question(&c);
    rr_search_widen(&s);
    assert_int_equal(rr_search_size(&s), 20 * 6 * 10 * 4 * 3 * 8);
}

static void data_parallel_ranks_can_be_held(void **state)
{
    (void)state;
    struct rr_coefs c;
    struct rr_search_result r;
    struct rr_buf b = {0};
    rr_coefs_default(&c);
    struct rr_search s = question(&c);
    s.dp = 2;
    rr_search_axes(&s);
    assert_int_equal(rr_search_size(&s), 6 * 6 * 10 * 4 * 3); // tp x pp x cp = 2^2 in C(4, 2) = 6 ways
    rr_search_run(&s, &r);
    assert_int_equal(r.tried, rr_search_size(&s));
    assert_true(r.n > 0);
    for (int32_t i = 0; i < r.n; i++) assert_int_equal(r.best[i].layout.dp, 2);
    s.dp = 3;
    rr_search_run(&s, &r);
    assert_int_equal(r.tried, 0);
    rr_search_say_world(&b, &s);
    assert_string_equal(rr_buf_text(&b), "layout: dp 3 does not divide 8 GPUs");
    s.dp = 4, s.tp.n = s.pp.n = s.cp.n = 1, s.tp.at[0] = 4, s.pp.at[0] = s.cp.at[0] = 1;
    rr_search_run(&s, &r);
    assert_int_equal(r.tried, 0);
    b.n = 0;
    rr_search_say_world(&b, &s);
    assert_string_equal(rr_buf_text(&b), "layout: tp 4 x pp 1 x cp 1 x dp 4 are 16 GPUs, not 8");
    rr_buf_done(&b);
}

/* The same by another way: every number up to the GPUs, no divisors, and the played step of all. */
static double plain_best(const struct rr_search *s, int64_t *fit)
{
    double best = INFINITY;
    for (int32_t tp = 1; tp <= 8; tp++)
        for (int32_t pp = 1; pp <= 8; pp++)
            for (int32_t cp = 1; cp <= 8; cp++)
                for (int32_t vpp = 1; vpp <= 12; vpp++)
                    for (int32_t mb = 1; mb <= 48; mb++)
                        for (int32_t zero = 0; zero < 4; zero++)
                            for (int r = 0; r < RR_RECOMPUTE_N; r++) {
                                struct rr_layout l = s->base;
                                struct rr_memory m;
                                struct rr_step step;
                                l.tp = tp, l.pp = pp, l.cp = cp, l.vpp = vpp, l.micro_batch = mb, l.zero = zero, l.ep = 1;
                                l.dp = 8 / (tp * pp * cp);
                                l.recompute = (enum rr_recompute)r;
                                if (l.dp < 1 || 48 % mb || 12 % vpp || rr_layout_check(s->arch, s->machine, &l) != RR_FAULT_OK) continue;
                                rr_memory_peak(s->arch, s->coefs, &l, &m);
                                if (m.total_bytes > s->usable_bytes) continue;
                                ++*fit;
                                rr_step_time(s->arch, s->machine, s->coefs, &l, false, &step);
                                if (step.total_s < best) best = step.total_s;
                            }
    return best;
}

static void the_best_is_that_of_a_plain_walk(void **state)
{
    (void)state;
    struct rr_coefs c;
    struct rr_search_result r, again;
    struct rr_step step;
    int64_t fit = 0, all = 0;
    rr_coefs_default(&c);
    struct rr_search s = question(&c);
    rr_search_axes(&s);
    s.usable_bytes = 9.317e9; // some fit, some do not
    rr_search_run(&s, &r);
    const double best = plain_best(&s, &fit);
    assert_int_equal(r.tried, rr_search_size(&s));
    assert_int_equal(r.fit, fit);
    assert_true(r.fault[RR_FAULT_MEMORY] > 0 && r.fit > 0);
    for (int i = 0; i < RR_FAULT_N; i++) all += r.fault[i];
    assert_int_equal(all, r.tried);
    double found = INFINITY; // the kept ones are sorted by their played time
    for (int32_t i = 0; i < r.n; i++) {
        rr_step_time(&small, &eight, &c, &r.best[i].layout, false, &step);
        if (step.total_s < found) found = step.total_s;
        if (i) assert_true(r.best[i].step_s >= r.best[i - 1].step_s);
    }
    assert_near(found, best, 1e-12);
    rr_search_run(&s, &again);
    assert_memory_equal(&again.best[0].layout, &r.best[0].layout, sizeof r.best[0].layout);
}

static bool one_world(const struct rr_layout *a, const struct rr_layout *b)
{
    return a->tp == b->tp && a->pp == b->pp && a->cp == b->cp && a->ep == b->ep;
}

/* 20 worlds: no second of any before each of those that fit has its first; a variant is there only where it is smaller. */
static void the_kept_ones_differ(void **state)
{
    (void)state;
    struct rr_coefs c;
    struct rr_search_result r;
    rr_coefs_default(&c);
    struct rr_search s = question(&c);
    rr_search_widen(&s);
    s.usable_bytes = 9.317e9;
    rr_search_run(&s, &r);
    assert_int_equal(r.n, RR_SEARCH_KEEP);
    for (int32_t i = 0; i < r.n; i++)
        for (int32_t k = 0; k < i; k++) assert_false(one_world(&r.best[i].layout, &r.best[k].layout));
    s.tp.at[0] = 2, s.pp.at[0] = s.cp.at[0] = 1, s.tp.n = s.pp.n = s.cp.n = 1; // one world: its variants
    rr_search_run(&s, &r);
    assert_true(r.n > 1);
    for (int32_t i = 0; i < r.n; i++)
        for (int32_t k = 0; k < i; k++) {
            const struct rr_layout *a = &r.best[i].layout, *b = &r.best[k].layout;
            if (a->vpp == b->vpp && a->zero == b->zero && a->micro_batch == b->micro_batch)
                assert_true(r.best[i].memory_bytes < r.best[k].memory_bytes);
            assert_true(a->recompute != RR_RECOMPUTE_SELECTIVE); // flash attention has nothing that it would save
        }
}

// One split, no recompute does not fit, all of it is more than is needed: the best by trying every number of layers.
static void no_more_layers_are_recomputed_than_need_it(void **state)
{
    (void)state;
    struct rr_coefs c;
    struct rr_search_result r, all;
    rr_coefs_default(&c);
    struct rr_search s = question(&c);
    s.tp.at[0] = 1, s.pp.at[0] = 2, s.cp.at[0] = 1, s.vpp.at[0] = 1, s.micro_batch.at[0] = 4, s.zero.at[0] = 1;
    s.tp.n = s.pp.n = s.cp.n = s.vpp.n = s.micro_batch.n = s.zero.n = 1;
    s.recompute.at[0] = RR_RECOMPUTE_NONE, s.recompute.at[1] = RR_RECOMPUTE_FULL, s.recompute.n = 2;
    rr_search_axes(&s);
    struct rr_memory m_none, m_all;
    s.usable_bytes = 1e12;
    rr_search_run(&s, &all);
    struct rr_layout l = all.best[0].layout;
    l.recompute = RR_RECOMPUTE_NONE;
    rr_memory_peak(&small, &c, &l, &m_none);
    l.recompute = RR_RECOMPUTE_FULL;
    rr_memory_peak(&small, &c, &l, &m_all);
    s.usable_bytes = m_all.total_bytes + 0.417 * (m_none.total_bytes - m_all.total_bytes);
    rr_search_run(&s, &all);
    s.some_layers = true;
    rr_search_run(&s, &r);
    assert_int_equal(all.n, 1);
    assert_int_equal(r.n, 1);
    assert_int_equal(r.tried, 2);
    double best = INFINITY;
    int32_t with = 0;
    for (int32_t n = 1; n <= 6; n++) {
        struct rr_memory m;
        struct rr_step step;
        l.recompute_layers = n;
        rr_memory_peak(&small, &c, &l, &m);
        rr_step_time(&small, &eight, &c, &l, true, &step);
        if (m.total_bytes <= s.usable_bytes && step.total_s < best) best = step.total_s, with = n;
    }
    assert_true(with > 1 && with < 6);
    assert_int_equal(r.best[0].layout.recompute_layers, with);
    assert_near(r.best[0].step_s, best, 1e-12);
    assert_true(r.best[0].step_s < all.best[0].step_s && r.best[0].memory_bytes <= s.usable_bytes);
}

static void each_reason_has_numbers(void **state)
{
    (void)state;
    struct rr_coefs c;
    struct rr_search_result r;
    struct rr_buf b = {0};
    rr_coefs_default(&c);
    struct rr_search s = question(&c);
    s.usable_bytes = 0.5e9;
    rr_search_axes(&s);
    rr_search_run(&s, &r);
    assert_int_equal(r.n, 0); // CUDA alone takes more
    rr_search_say(&b, &s, &r, RR_FAULT_LAYERS);
    assert_non_null(strstr(rr_buf_text(&b), "12"));
    rr_buf_done(&b);
    rr_search_say(&b, &s, &r, RR_FAULT_MEMORY);
    double bytes = 0;
    assert_int_equal(sscanf(rr_buf_text(&b), "does not fit: %lf of 0.5 GB", &bytes), 1);
    assert_true(bytes > 0.5);
    rr_buf_done(&b);
}

static void a_lever_is_what_moves_the_step(void **state)
{
    (void)state;
    struct rr_coefs c;
    struct rr_search_result r;
    struct rr_lever lever[8];
    struct rr_step now, moved;
    rr_coefs_default(&c);
    struct rr_search s = question(&c);
    rr_search_axes(&s);
    rr_search_run(&s, &r);
    const size_t n = rr_search_levers(&s, &r, 0.1, lever, 8);
    assert_true(n >= 3);
    for (size_t i = 1; i < n; i++) assert_true(lever[i - 1].slower - lever[i - 1].faster >= lever[i].slower - lever[i].faster);
    struct rr_coefs d = c;
    d.v[lever[0].coef] *= 0.9;
    rr_step_time(&small, &eight, &c, &r.best[0].layout, false, &now);
    rr_step_time(&small, &eight, &d, &r.best[0].layout, false, &moved);
    const double ratio = moved.total_s / now.total_s;
    assert_true(fabs(ratio - lever[0].slower) < 1e-12 || fabs(ratio - lever[0].faster) < 1e-12);
}

/* ---- time to train ---- */

static const struct rr_layout eight_ways = {.gpus = 8,
                                            .tp = 1,
                                            .pp = 1,
                                            .vpp = 1,
                                            .dp = 8,
                                            .ep = 1,
                                            .cp = 1,
                                            .micro_batch = 2,
                                            .global_batch = 48,
                                            .seq = 2048,
                                            .precision = RR_BF16};

static void steps_alone(void **state)
{
    (void)state;
    struct rr_coefs c;
    struct rr_ttt t;
    rr_coefs_default(&c);
    const struct rr_ttt_plan p = {.samples = 4801, .startup_s = 317, .reruns = 1.25, .node_w = 5100, .pue = 1.3};
    rr_ttt_make(&p, &small, &eight, &c, &eight_ways, 2.385, &t);
    assert_near(t.steps, 101, 0); // 100.02 of them
    assert_near(t.total_s, (317 + 101 * 2.385) * 1.25, 1e-9);
    assert_near(t.gpu_hours, 8 * t.total_s / 3600, 1e-12);
    assert_near(t.kwh, t.total_s / 3600 * 5.1 * 1.3, 1e-9);
}

static void evaluations_and_checkpoints_add(void **state)
{
    (void)state;
    struct rr_coefs c;
    struct rr_ttt t;
    rr_coefs_default(&c);
    const struct rr_ttt_plan p = {.samples = 48000,
                                  .reruns = 1,
                                  .eval_every = 300,
                                  .eval_samples = 96,
                                  .eval_s = 7,
                                  .checkpoint_bytes = 70e9,
                                  .storage_b_s = 1e9,
                                  .interval_s = 500};
    rr_ttt_make(&p, &small, &eight, &c, &eight_ways, 3, &t);
    const double eval = 3 * (7 + 2 * 3.0 / 3); // after 300, 600 and 900 of 1000 steps
    assert_near(t.eval_s, eval, 1e-9);
    assert_near(t.checkpoint_s, (3000 + eval) / 500 * 70, 1e-9);
    assert_near(t.total_s, 3000 + eval + t.checkpoint_s, 1e-9);
    assert_near(t.lost_s, 0, 0);
}

static void failures_follow_daly(void **state)
{
    (void)state;
    struct rr_coefs c;
    struct rr_ttt t;
    rr_coefs_default(&c);
    struct rr_ttt_plan p = {.samples = 48e5,
                            .reruns = 1,
                            .checkpoint_bytes = 60e9,
                            .storage_b_s = 1e9,
                            .failure_gpu_hours = 48,
                            .detect_s = 100,
                            .requeue_s = 20,
                            .image_s = 3,
                            .compile_s = 40};
    rr_ttt_make(&p, &small, &eight, &c, &eight_ways, 1, &t);
    const double M = 48 * 3600 / 8.0, C = 60, R = 100, D = 123;
    const double w = rr_checkpoint_best(M, C);
    assert_near(t.mtbf_s, M, 1e-9);
    assert_near(t.interval_s, w, 1e-9);
    assert_near(t.total_s, 1e5 * (M + D) * exp(R / M) * (exp((w + C) / M) - 1) / w, 1e-4);
    assert_near(w, sqrt(2 * C * M), 0.03 * w); // Young is near where C is small beside M
    p.host_b_s = 7.5e9;                        // a second instead of a minute, and no more often than it can be written
    rr_ttt_make(&p, &small, &eight, &c, &eight_ways, 1, &t);
    assert_near(t.stall_s, 1, 1e-12);
    assert_true(t.interval_s >= 60);
    p.failure_gpu_hours = 0.03; // 13.5 s between failures, restoring takes 100 s
    rr_ttt_make(&p, &small, &eight, &c, &eight_ways, 1, &t);
    assert_true(t.hopeless && isinf(t.total_s));
}

static void spares_wait_for_repair(void **state)
{
    (void)state;
    assert_near(rr_ttt_spare_wait_s(1000, 2500, 0), 2500, 1e-9);
    // Poisson with mean 2.5: P(N >= 2) = 1 - 3.5 e^-2.5, a third of the repair until one of three is back
    assert_near(rr_ttt_spare_wait_s(1000, 2500, 2), (1 - 3.5 * exp(-2.5)) * 2500 / 3, 1e-9);
    assert_true(rr_ttt_spare_wait_s(1000, 2500, 20) < 1e-6);
}

static void a_growing_batch_takes_more_steps(void **state)
{
    (void)state;
    struct rr_coefs c;
    struct rr_ttt t;
    struct rr_step s;
    rr_coefs_default(&c);
    const struct rr_ttt_plan p = {.samples = 480000, .reruns = 1, .warmup_batch = 16, .warmup_samples = 48000};
    rr_step_time(&small, &eight, &c, &eight_ways, false, &s);
    rr_ttt_make(&p, &small, &eight, &c, &eight_ways, s.total_s, &t);
    // 16 levels from 17 to 47, to the nearest of 16, 32, 48: 4, 8 and 4 of them
    const double steps = 3000 * (4 / 16.0 + 8 / 32.0 + 4 / 48.0);
    assert_near(t.warmup_steps, ceil(steps - 1e-9), 1);
    assert_near(t.steps, t.warmup_steps + 9000, 0);
    assert_true(t.train_s < t.steps * s.total_s); // smaller batches are quicker
}

static void a_band_is_as_wide_as_the_doubt(void **state)
{
    (void)state;
    struct rr_coefs c;
    struct rr_ttt_band b, wide;
    rr_coefs_default(&c);
    const struct rr_ttt_plan p = {.samples = 480000, .reruns = 1};
    const struct rr_ttt_doubt sure = {0}, model = {.model = 0.1};
    rr_ttt_band(&p, &sure, &small, &eight, &c, &eight_ways, 2, 7, &b);
    assert_near(b.p10_s, 20000, 1e-6);
    assert_near(b.p90_s, 20000, 1e-6);
    rr_ttt_band(&p, &model, &small, &eight, &c, &eight_ways, 2, 7, &wide);
    // quantiles of a lognormal, from 401 draws: the 10th percentile has a standard error of 0.017 in its logarithm
    assert_near(log(wide.p90_s / wide.p50_s), 0.128, 0.035);
    assert_near(log(wide.p50_s / 20000), 0, 0.02);
    rr_ttt_band(&p, &model, &small, &eight, &c, &eight_ways, 2, 7, &b);
    assert_memory_equal(&b, &wide, sizeof b);
}

/* ---- precision, networks by table ---- */

static void mixed_precision_is_quicker_and_smaller(void **state)
{
    (void)state;
    struct rr_coefs c;
    struct rr_step half, single;
    struct rr_memory m16, m32;
    rr_coefs_default(&c);
    c.v[RR_COEF_LAUNCH_US] = c.v[RR_COEF_STEP_MS] = c.v[RR_COEF_MICRO_MS] = 0;
    struct rr_layout l = eight_ways;
    l.flash = true;
    rr_step_time(&small, &eight, &c, &l, false, &half);
    rr_memory_peak(&small, &c, &l, &m16);
    l.precision = RR_FP32; // 312 / 19.5 = 16 times slower products, twice the bytes
    rr_step_time(&small, &eight, &c, &l, false, &single);
    rr_memory_peak(&small, &c, &l, &m32);
    const double gemm = single.term_s[RR_STEP_GEMM] / half.term_s[RR_STEP_GEMM];
    assert_true(gemm > 14 && gemm <= 16);
    assert_near(single.term_s[RR_STEP_MEMORY] / half.term_s[RR_STEP_MEMORY], 2, 1e-9);
    assert_near(single.term_s[RR_STEP_ATTENTION] / half.term_s[RR_STEP_ATTENTION], 16, 1e-9);
    assert_near(m32.term_bytes[RR_MEMORY_ACTIVATIONS] / m16.term_bytes[RR_MEMORY_ACTIVATIONS], 2, 1e-9);
    assert_near(m32.term_bytes[RR_MEMORY_WEIGHTS] / m16.term_bytes[RR_MEMORY_WEIGHTS], 2, 1e-9);
}

static void a_table_is_flops_and_bytes(void **state)
{
    (void)state;
    static const struct rr_arch net = {.name = "net", .layers = 50, .sample_gflop = 8, .sample_mb = 100, .params_m = 25};
    struct rr_coefs c;
    struct rr_step s;
    rr_coefs_default(&c);
    c.v[RR_COEF_KERNEL_US] = c.v[RR_COEF_STEP_MS] = c.v[RR_COEF_MICRO_MS] = 0;
    struct rr_layout l = {.gpus = 1,
                          .tp = 1,
                          .pp = 1,
                          .vpp = 1,
                          .dp = 1,
                          .ep = 1,
                          .cp = 1,
                          .micro_batch = 64,
                          .global_batch = 256,
                          .seq = 1,
                          .precision = RR_BF16};
    rr_step_time(&net, &eight, &c, &l, false, &s);
    assert_near(s.term_s[RR_STEP_GEMM], 256 * 3 * 8e9 / (312e12 * 0.75), 1e-9);
    assert_near(s.term_s[RR_STEP_MEMORY], 256 * 3 * 100e6 / (1555e9 * 0.75), 1e-9);
    assert_near(s.model_flops, 256 * 3 * 8e9, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_divisors),
        cmocka_unit_test(data_parallel_ranks_can_be_held),
        cmocka_unit_test(the_best_is_that_of_a_plain_walk),
        cmocka_unit_test(the_kept_ones_differ),
        cmocka_unit_test(no_more_layers_are_recomputed_than_need_it),
        cmocka_unit_test(each_reason_has_numbers),
        cmocka_unit_test(a_lever_is_what_moves_the_step),
        cmocka_unit_test(steps_alone),
        cmocka_unit_test(evaluations_and_checkpoints_add),
        cmocka_unit_test(failures_follow_daly),
        cmocka_unit_test(spares_wait_for_repair),
        cmocka_unit_test(a_growing_batch_takes_more_steps),
        cmocka_unit_test(a_band_is_as_wide_as_the_doubt),
        cmocka_unit_test(mixed_precision_is_quicker_and_smaller),
        cmocka_unit_test(a_table_is_flops_and_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
