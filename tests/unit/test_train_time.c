/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_train_time.c - failures, spares and reclaims of a training run against simulations and closed forms; markets by hand. */
#include "data/base/rng.h"
#include "models/checkpoint.h"
#include "models/train/market.h"
#include "models/train/ttt.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

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
static const struct rr_layout layout = {.gpus = 8,
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

static void make(const struct rr_ttt_plan *p, struct rr_ttt *ret)
{
    struct rr_coefs c;
    rr_coefs_default(&c);
    rr_ttt_make(p, &small, &eight, &c, &layout, 1, ret);
}

/* ---- the same by playing it ---- */

struct life {
    double M, C, R, D; /* as in models/checkpoint.h */
    double Mr, Dr;     /* reclaims and their pause; Mr 0 = none */
    bool saved;        /* a reclaim loses nothing, but costs C first */
};

/* Wall time of `work` with a checkpoint every w of it: one event after the other. */
static double lived(const struct life *x, double w, double work, struct rr_rng *r)
{
    double wall = 0, done = 0, at = 0; // `at`: work beyond the last checkpoint, C included once it is written
    double fail = x->M * rr_rng_exponential(r), taken = x->Mr > 0 ? x->Mr * rr_rng_exponential(r) : INFINITY;
    double restoring = 0;
    while (done < work) {
        const double segment = fmin(w, work - done) + x->C, need = restoring > 0 ? restoring : segment - at;
        const double next = fmin(fail, taken);
        if (need <= next) { // nothing comes in between
            wall += need, fail -= need, taken -= need;
            if (restoring > 0)
                restoring = 0;
            else
                done += segment - x->C, at = 0;
            continue;
        }
        const bool reclaim = taken < fail;
        wall += next;
        if (restoring <= 0) at += next;
        fail -= next, taken -= next;
        if (reclaim && x->saved) {
            wall += x->C + x->Dr + x->R; // written, away, read again: nothing else happens meanwhile
        } else {
            wall += reclaim ? x->Dr : x->D;
            restoring = x->R, at = 0;
        }
        if (reclaim)
            taken = x->Mr * rr_rng_exponential(r);
        else
            fail = x->M * rr_rng_exponential(r);
    }
    return wall;
}

static double mean_lived(const struct life *x, double w, double work, int n, double *error)
{
    double sum = 0, squares = 0;
    for (int i = 0; i < n; i++) {
        struct rr_rng r;
        rr_rng_init(&r, 17, 0, RR_RNG_INPUT, (uint64_t)i);
        const double v = lived(x, w, work, &r);
        sum += v, squares += v * v;
    }
    *error = sqrt(fmax(0, squares / n - sum / n * (sum / n)) / n);
    return sum / n;
}

static void the_slowdown_is_that_of_a_simulation(void **state)
{
    (void)state;
    static const struct life life[] = {
        {.M = 21600, .C = 60, .R = 100, .D = 123},  // a failure in 6 h
        {.M = 3300, .C = 17, .R = 197, .D = 780},   // in less than an hour
        {.M = 900, .C = 120, .R = 240, .D = 613},   // hardly gets on
        {.M = 86400, .C = 1.5, .R = 31, .D = 14400} // rare, and slow to mend
    };
    for (size_t i = 0; i < sizeof life / sizeof *life; i++) {
        const struct life *x = &life[i];
        const double w = rr_checkpoint_best(x->M, x->C), work = 400 * w;
        double error;
        const double played = mean_lived(x, w, work, 400, &error), formula = work * rr_checkpoint_slowdown(w, x->M, x->C, x->R, x->D);
        assert_near(played, formula, 4 * error);
        assert_true(error < 0.01 * formula);
        // no other interval is better, in the formula; by far others it shows in the play as well
        assert_true(rr_checkpoint_slowdown(w * 1.01, x->M, x->C, x->R, x->D) > formula / work);
        assert_true(rr_checkpoint_slowdown(w / 1.01, x->M, x->C, x->R, x->D) > formula / work);
        assert_true(mean_lived(x, w * 4, work, 400, &error) > played);
        assert_true(mean_lived(x, w / 4, work, 400, &error) > played);
        // Daly's series of it, within 5 % where C is small beside M
        if (x->C < x->M / 50) assert_near(rr_checkpoint_daly(x->M, x->C), w, 0.05 * w);
    }
}

static struct rr_ttt_plan plan(void)
{
    return (struct rr_ttt_plan){.samples = 48e5, // 1e5 steps of a second
                                .reruns = 1,
                                .checkpoint_bytes = 60e9,
                                .storage_b_s = 1e9,
                                .failure_gpu_hours = 48, // 6 h on 8 GPUs
                                .detect_s = 100,
                                .requeue_s = 20,
                                .image_s = 3,
                                .compile_s = 40};
}

static void reclaims_are_those_of_a_simulation(void **state)
{
    (void)state;
    struct rr_ttt alone, with;
    struct rr_ttt_plan p = plan();
    make(&p, &alone);
    p.reclaim_s = 7200, p.reclaim_down_s = 1234;
    for (int saved = 0; saved < 2; saved++) {
        double error;
        p.reclaim_saved = saved != 0;
        make(&p, &with);
        const struct life x = {.M = 21600, .C = 60, .R = 100, .D = 123, .Mr = 7200, .Dr = 1234, .saved = saved != 0};
        const double played = mean_lived(&x, with.interval_s, 1e5, 3000, &error);
        assert_near(played, with.total_s, 4 * error + 0.004 * with.total_s); // the last interval is a short one; a save may be cut short
        assert_true(with.total_s > alone.total_s && with.reclaimed_s > 0 && with.reclaimed_s <= with.lost_s);
        assert_near(with.lost_s - with.reclaimed_s, alone.lost_s, saved ? 1e-6 * alone.lost_s : alone.lost_s);
    }
    p.failure_gpu_hours = 0; // nothing else stops it
    p.reclaim_saved = false;
    make(&p, &with);
    const double w = rr_checkpoint_best(7200, 60);
    assert_near(with.total_s, 1e5 * rr_checkpoint_slowdown(w, 7200, 60, 100, 1234), 1e-4);
    assert_true(with.failures == 0 && with.reclaims > 0);
    assert_near(with.reclaimed_s, with.lost_s, 1e-9);
}

static void spares_are_as_many_as_pay(void **state)
{
    (void)state;
    struct rr_ttt_plan p = plan();
    p.repair_s = 14400;
    p.failure_gpu_hours = 50677, p.failure_least = 7440;
    assert_int_equal(rr_ttt_spares(&p, 8, 8), 0); // one node: a second would double its price
    int32_t last = 0;
    for (int32_t gpus = 256; gpus <= 65536; gpus *= 2) {
        const int32_t n = rr_ttt_spares(&p, gpus, 8);
        const double M = 7440.0 * 3600 / gpus, C = 60, R = 100, w = rr_checkpoint_best(M, C);
        double cost[3];
        for (int k = 0; k < 3; k++) {
            const int32_t s = n + k - 1;
            const double D = 123 + (s < 0 ? 0 : rr_ttt_spare_wait_s(M, 14400, s));
            cost[k] = s < 0 ? INFINITY : ((double)gpus / 8 + s) * rr_checkpoint_slowdown(w, M, C, R, D);
        }
        assert_true(cost[1] <= cost[0] && cost[1] <= cost[2]);
        assert_true(n >= last); // more machines, more of them away at a time
        last = n;
    }
    assert_true(last > 10);
    p.failure_gpu_hours = 0;
    assert_int_equal(rr_ttt_spares(&p, 65536, 8), 0);
}

static void a_band_says_what_it_is_made_of(void **state)
{
    (void)state;
    struct rr_coefs c;
    struct rr_ttt t;
    struct rr_ttt_band b;
    rr_coefs_default(&c);
    struct rr_ttt_plan p = plan();
    p.failure_sd = 0.9;
    const struct rr_ttt_doubt doubt = {.model = 0.1}, sure = {0};
    make(&p, &t);
    rr_ttt_band(&p, &doubt, &small, &eight, &c, &layout, 1, 3, &b);
    assert_true(b.by_step[1] < b.p90_s && b.by_failures[1] < b.p90_s);
    // the step alone: the same shares on top of a step that is 1.2816 x 10 % off; 401 draws
    assert_near(log(b.by_step[1] / t.total_s), 0.128, 0.03);
    p.failure_gpu_hours *= exp(-1.2816 * 0.9);
    make(&p, &t);
    assert_near(log(b.by_failures[1] / t.total_s), 0, 0.03);
    p = plan();
    rr_ttt_band(&p, &sure, &small, &eight, &c, &layout, 1, 3, &b);
    make(&p, &t);
    assert_near(b.by_step[0], t.total_s, 1e-6);
    assert_near(b.by_step[1], t.total_s, 1e-6);
}

/* A failure in a thousand runs is in no quantile: none has a part of one. */
static void what_hardly_happens_does_not_widen_the_band(void **state)
{
    (void)state;
    struct rr_coefs c;
    struct rr_ttt t;
    struct rr_ttt_band b;
    rr_coefs_default(&c);
    struct rr_ttt_plan p = plan();
    const struct rr_ttt_doubt sure = {0};
    p.samples = 48e3, p.failure_gpu_hours = 5e4, p.repair_s = 14400; // 1000 s on 8 GPUs: 0.00004 failures
    make(&p, &t);
    rr_ttt_band(&p, &sure, &small, &eight, &c, &layout, 1, 3, &b);
    assert_true(t.failures < 1e-4 && t.lost_s > 0.1);
    assert_near(b.p90_s, t.total_s - t.lost_s, 1e-6);
    assert_near(b.p10_s, t.total_s - t.lost_s, 1e-6);
    p.samples = 48e5 * 3, p.failure_gpu_hours = 96, p.repair_s = 0; // 7 failures or so: P10 to P90 of them are 4 to 10
    make(&p, &t);
    rr_ttt_band(&p, &sure, &small, &eight, &c, &layout, 1, 3, &b);
    assert_true(t.failures > 6.5 && t.failures < 7.6);
    assert_near((b.p90_s - t.total_s) / t.lost_s, 10.5 / t.failures - 1, 0.15);
    assert_near((b.p10_s - t.total_s) / t.lost_s, 4 / t.failures - 1, 0.16);
}

/* ---- markets ---- */

static const int64_t at_us[] = {0, 50 * RR_S, 60 * RR_S, 200 * RR_S};
static const int64_t nano[] = {7, 13, 7, 7}, nodes[] = {4, 2, 4, 4};

static enum rr_status stretches(const struct rr_spot_terms *t, int64_t work_us, size_t most, struct rr_arena *a, struct rr_market_hold **h,
                                size_t *n)
{
    return rr_market_hold(t, 3, 1, 0, work_us, 5 * RR_S, most, a, h, n);
}

static void work_goes_on_between_high_prices(void **state)
{
    (void)state;
    struct rr_arena *a = rr_arena_create();
    struct rr_market_hold *h;
    size_t n;
    struct rr_spot_terms t = {.price = RR_PRICE_SERIES,
                              .prices = {.of = RR_SPOT_PRICES, .n = 4, .at_us = at_us, .value = nano, .end_us = 200 * RR_S},
                              .prices_repeat = true,
                              .max_nano = 11,
                              .availability = RR_NODES_ALWAYS};
    // 120 s: 50 before the price is up, and 70 after it with 5 to restore
    assert_int_equal(stretches(&t, 120 * RR_S, 9, a, &h, &n), RR_OK);
    assert_int_equal(n, 2);
    assert_true(h[0].from_us == 0 && h[0].to_us == 50 * RR_S && h[1].from_us == 60 * RR_S && h[1].to_us == 135 * RR_S);
    // the same from capacity that 3 nodes need
    struct rr_spot_terms c = {.price = RR_PRICE_CONSTANT,
                              .nano = 7,
                              .max_nano = 11,
                              .availability = RR_NODES_SERIES,
                              .nodes = {.of = RR_SPOT_NODES, .n = 4, .at_us = at_us, .value = nodes, .end_us = 200 * RR_S},
                              .nodes_repeat = true};
    assert_int_equal(stretches(&c, 120 * RR_S, 9, a, &h, &n), RR_OK);
    assert_true(n == 2 && h[1].to_us == 135 * RR_S);
    // 250 s is once around: 50, 140 + 50 less 5, and the rest less 5
    assert_int_equal(stretches(&t, 250 * RR_S, 9, a, &h, &n), RR_OK);
    assert_true(n == 3 && h[1].to_us == 250 * RR_S && h[2].from_us == 260 * RR_S && h[2].to_us == 280 * RR_S);
    assert_int_equal(stretches(&t, 250 * RR_S, 1, a, &h, &n), RR_EINPUT); // more than one of them
    t.prices_repeat = false;
    t.prices.n = 2; // dear for ever
    assert_int_equal(stretches(&t, 120 * RR_S, 9, a, &h, &n), RR_EINPUT);
    assert_non_null(strstr(rr_reason(), "never below"));
    c.nodes_repeat = false, c.nodes.n = 2;
    assert_int_equal(stretches(&c, 120 * RR_S, 9, a, &h, &n), RR_EINPUT);
    assert_non_null(strstr(rr_reason(), "never has 3 machines"));
    assert_int_equal(stretches(&c, 50 * RR_S, 9, a, &h, &n), RR_OK); // done just before
    rr_arena_free(a);
}

static void a_share_a_month_is_a_time_between_reclaims(void **state)
{
    (void)state;
    struct rr_spot_terms t = {.availability = RR_NODES_HITS,
                              .hazard_per_us = rr_spot_hazard(0.25),
                              .batch = 1,
                              .back_us = {.kind = RR_DIST_EXPONENTIAL, .a = 600e6},
                              .pool_nodes = 9};
    assert_near(rr_market_reclaim_s(&t, 16), 730.5 * 3600 / (16 * log(4.0 / 3)), 1e-3);
    assert_near(rr_market_back_s(&t), 600, 1e-9);
    t.availability = RR_NODES_ALWAYS;
    assert_near(rr_market_reclaim_s(&t, 16), 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_slowdown_is_that_of_a_simulation),
        cmocka_unit_test(reclaims_are_those_of_a_simulation),
        cmocka_unit_test(spares_are_as_many_as_pay),
        cmocka_unit_test(a_band_says_what_it_is_made_of),
        cmocka_unit_test(what_hardly_happens_does_not_widen_the_band),
        cmocka_unit_test(work_goes_on_between_high_prices),
        cmocka_unit_test(a_share_a_month_is_a_time_between_reclaims),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
