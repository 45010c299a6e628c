/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_spot_model.c - the course of a market: moments of the price model, hits, series moved and repeated; plans to a deadline. */
#include "data/base/fmath.h"
#include "models/deadline.h"
#include "models/spot.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void near(double x, double want, double within)
{
    if (!(fabs(x - want) <= within)) fail_msg("%g; %g +- %g is expected", x, want, within);
}

static struct rr_spot_terms ou_terms(double half_life_steps)
{
    return (struct rr_spot_terms){.price = RR_PRICE_OU,
                                  .ou = {.log_mean = rr_log(1.37e9),
                                         .log_sd = 0.21,
                                         .keep = rr_pow(0.5, 1 / half_life_steps),
                                         .step_us = 7 * RR_MIN,
                                         .least_nano = 1,
                                         .most_nano = INT64_MAX / 2},
                                  .stream = rr_spot_stream("cheap")};
}

/* Mean, variance and lag-1 correlation of the logarithm against the closed form. The variance of a mean of n values of an AR(1) is about
 * sd^2 / n x (1 + f) / (1 - f). */
static void prices_have_the_stated_moments(void **state)
{
    (void)state;
    const struct rr_spot_terms t = ou_terms(5);
    struct rr_spot_prices p;
    enum { N = 200000 };
    double sum = 0, sum2 = 0, lag = 0, before = 0;
    rr_spot_prices_init(&p, &t, 17, 3);
    for (int i = 0; i < N; i++) {
        int64_t at, nano;
        assert_true(rr_spot_prices_next(&p, &at, &nano));
        assert_int_equal(at, i * 7 * RR_MIN);
        const double x = log((double)nano) - t.ou.log_mean;
        sum += x;
        sum2 += x * x;
        lag += x * before;
        before = x;
    }
    const double f = t.ou.keep, sd = t.ou.log_sd, spread = sqrt((1 + f) / (1 - f) / N);
    near(sum / N, 0, 4 * sd * spread);
    near(sum2 / N, sd * sd, 4 * sd * sd * sqrt(2 * (1 + f * f) / (1 - f * f) / N));
    near(lag / sum2, f, 4 * sqrt((1 - f * f) / N));
}

/* Over replications: the first price is drawn from the long run, and after k steps a share f^k of its deviation is left. */
static void prices_start_in_the_long_run(void **state)
{
    (void)state;
    const struct rr_spot_terms t = ou_terms(3);
    enum { N = 20000 };
    double first2 = 0, cross = 0, third2 = 0;
    for (uint32_t r = 0; r < N; r++) {
        struct rr_spot_prices p;
        double x[4];
        rr_spot_prices_init(&p, &t, 5, r);
        for (int k = 0; k < 4; k++) {
            int64_t at, nano;
            assert_true(rr_spot_prices_next(&p, &at, &nano));
            x[k] = log((double)nano) - t.ou.log_mean;
        }
        first2 += x[0] * x[0];
        third2 += x[3] * x[3];
        cross += x[0] * x[3];
    }
    const double var = t.ou.log_sd * t.ou.log_sd;
    near(first2 / N, var, 4 * var * sqrt(2.0 / N));
    near(third2 / N, var, 4 * var * sqrt(2.0 / N));
    near(cross / N, var / 2, 4 * var * sqrt(1.25 / N)); // f^3 = 1/2
}

static void prices_are_a_function_of_their_key(void **state)
{
    (void)state;
    const struct rr_spot_terms t = ou_terms(5);
    struct rr_spot_terms other = t;
    other.stream = rr_spot_stream("cheaper");
    struct rr_spot_prices a, b, c, d;
    int64_t at, x, y, differ = 0, other_pool = 0;
    rr_spot_prices_init(&a, &t, 9, 1);
    rr_spot_prices_init(&b, &t, 9, 1);
    rr_spot_prices_init(&c, &t, 9, 2);
    rr_spot_prices_init(&d, &other, 9, 1);
    for (int i = 0; i < 100; i++) {
        assert_true(rr_spot_prices_next(&a, &at, &x) && rr_spot_prices_next(&b, &at, &y));
        assert_int_equal(x, y);
        assert_true(rr_spot_prices_next(&c, &at, &y));
        differ += x != y;
        assert_true(rr_spot_prices_next(&d, &at, &y));
        other_pool += x != y;
    }
    assert_true(differ > 95 && other_pool > 95);
}

static void prices_stay_within_their_limits(void **state)
{
    (void)state;
    struct rr_spot_terms t = ou_terms(5);
    struct rr_spot_prices p;
    int64_t at, nano, low = 0, high = 0;
    t.ou.least_nano = 1300000000;
    t.ou.most_nano = 1500000000;
    rr_spot_prices_init(&p, &t, 1, 0);
    for (int i = 0; i < 5000; i++) {
        assert_true(rr_spot_prices_next(&p, &at, &nano));
        assert_true(nano >= t.ou.least_nano && nano <= t.ou.most_nano);
        low += nano == t.ou.least_nano;
        high += nano == t.ou.most_nano;
    }
    assert_true(low > 1000 && high > 1000);
}

/* What was drawn from a model is fitted back to it. */
static void a_fit_finds_the_model(void **state)
{
    (void)state;
    const struct rr_spot_terms t = ou_terms(20);
    enum { N = 100000 };
    int64_t *at = calloc(N, sizeof *at), *value = calloc(N, sizeof *value);
    struct rr_spot_prices p;
    rr_spot_prices_init(&p, &t, 23, 0);
    for (size_t i = 0; i < N; i++) assert_true(rr_spot_prices_next(&p, &at[i], &value[i]));
    const struct rr_spot_series s = {
        .of = RR_SPOT_PRICES, .n = N, .at_us = at, .value = value, .end_us = at[N - 1], .path = "drawn", .currency = "USD"};
    struct rr_spot_ou o;
    assert_int_equal(rr_spot_ou_fit(&s, 7 * RR_MIN, &o), RR_OK);
    const double f = t.ou.keep;
    near(o.keep, f, 4 * sqrt((1 - f * f) / N));
    near(o.log_mean, t.ou.log_mean, 4 * t.ou.log_sd * sqrt((1 + f) / (1 - f) / N));
    near(o.log_sd, t.ou.log_sd, 0.06 * t.ou.log_sd);
    assert_int_equal(rr_spot_ou_fit(&s, 14 * RR_MIN, &o), RR_OK); // every second price: f^2
    near(o.keep, f * f, 0.01);
    near(o.log_sd, t.ou.log_sd, 0.06 * t.ou.log_sd);
    free(at);
    free(value);
}

static void what_cannot_be_fitted(void **state)
{
    (void)state;
    int64_t at[40], value[40];
    struct rr_spot_ou o;
    for (int i = 0; i < 40; i++) at[i] = i * RR_H;
    struct rr_spot_series s = {.of = RR_SPOT_PRICES, .n = 7, .at_us = at, .value = value, .end_us = at[39], .path = "p"};
    for (int i = 0; i < 40; i++) value[i] = 1000 + i % 2;
    assert_int_equal(rr_spot_ou_fit(&s, RR_H, &o), RR_EINPUT); // too few
    s.n = 40;
    assert_int_equal(rr_spot_ou_fit(&s, RR_H, &o), RR_EINPUT); // up and down: f < 0
    assert_non_null(strstr(rr_reason(), "jumps at every step"));
    for (int i = 0; i < 40; i++) value[i] = (int64_t)(1e6 * exp(0.3 * pow(1.1, i)));
    assert_int_equal(rr_spot_ou_fit(&s, RR_H, &o), RR_EINPUT); // it grows for ever
    assert_int_equal(rr_spot_ou_fit(&s, 30 * RR_D, &o), RR_EINPUT);
}

/* ---- hits ---- */

static void a_node_is_hit_with_its_hazard(void **state)
{
    (void)state;
    near(rr_spot_hazard(0.075) * (double)RR_SPOT_MONTH_US, 0.0779615, 1e-6);
    near(rr_spot_batch_cut(2.1, 1), 1, 1e-12);
    near(rr_spot_batch_cut(2.1, 3), 1 + 11.0 / 21 + 121.0 / 441, 1e-12);
    near(rr_spot_batch_cut(2.1, 1000), 2.1, 1e-9);
    const struct rr_spot_terms t = {.availability = RR_NODES_HITS,
                                    .hazard_per_us = rr_spot_hazard(0.25),
                                    .batch = 2.1,
                                    .back_us = {.kind = RR_DIST_CONSTANT, .a = (double)RR_MIN},
                                    .pool_nodes = 13,
                                    .stream = 7};
    struct rr_spot_hits h;
    struct rr_spot_hit x = {0};
    int64_t of[13] = {0}, hits = 0, nodes = 0;
    rr_spot_hits_init(&h, &t, 3, 1);
    for (; hits < 60000; hits++) {
        const int64_t before = x.at_us;
        assert_true(rr_spot_hits_next(&h, &x) && x.at_us >= before && x.count >= 1 && x.count <= 13 && x.back_us == RR_MIN);
        for (int64_t i = 0; i < x.count; i++) of[(x.first + i) % 13]++;
        nodes += x.count;
    }
    near((double)nodes / (double)hits, rr_spot_batch_cut(2.1, 13), 4 * 1.6 / sqrt(60000));
    for (int i = 0; i < 13; i++) { // a Poisson count each
        const double mean = t.hazard_per_us * (double)x.at_us;
        near((double)of[i], mean, 4.5 * sqrt(mean));
    }
}

static void no_hazard_no_hits(void **state)
{
    (void)state;
    const struct rr_spot_terms t = {.availability = RR_NODES_HITS, .batch = 2, .pool_nodes = 4};
    struct rr_spot_hits h;
    struct rr_spot_hit x;
    rr_spot_hits_init(&h, &t, 1, 1);
    assert_false(rr_spot_hits_next(&h, &x));
}

/* ---- series ---- */

static void series_are_moved_and_repeated(void **state)
{
    (void)state;
    static const int64_t at[] = {0, 10, 25}, value[] = {3, 0, 5};
    struct rr_spot_terms t = {.availability = RR_NODES_SERIES,
                              .nodes = {.of = RR_SPOT_NODES, .n = 3, .at_us = at, .value = value, .end_us = 40},
                              .nodes_from_us = 12};
    struct rr_spot_nodes n;
    int64_t when, nodes;
    rr_spot_nodes_init(&n, &t);
    assert_true(rr_spot_nodes_next(&n, &when, &nodes) && when == 0 && nodes == 0);
    assert_true(rr_spot_nodes_next(&n, &when, &nodes) && when == 13 && nodes == 5);
    assert_false(rr_spot_nodes_next(&n, &when, &nodes));
    t.nodes_repeat = true;
    t.nodes_from_us = 92; // 12 of the third round
    rr_spot_nodes_init(&n, &t);
    static const int64_t want[][2] = {{0, 0}, {13, 5}, {28, 3}, {38, 0}, {53, 5}, {68, 3}};
    for (size_t i = 0; i < 6; i++) {
        assert_true(rr_spot_nodes_next(&n, &when, &nodes));
        assert_int_equal(when, want[i][0]);
        assert_int_equal(nodes, want[i][1]);
    }
    t.nodes_repeat = false;
    t.nodes_from_us = -7; // the scenario starts before the series
    rr_spot_nodes_init(&n, &t);
    assert_true(rr_spot_nodes_next(&n, &when, &nodes) && when == 0 && nodes == 3);
    assert_true(rr_spot_nodes_next(&n, &when, &nodes) && when == 17 && nodes == 0);
}

/* ---- deadlines ---- */

/* All plans, one by one: the least on-demand steps with which the work is done. */
static int64_t by_trying(const struct rr_deadline_job *j, size_t k, enum rr_place at, int64_t begun, int64_t work, int64_t used)
{
    if (k == j->n_steps) return work >= j->work_us ? used : INT64_MAX;
    int64_t best = INT64_MAX;
    for (enum rr_place p = RR_PLACE_NONE; p <= RR_PLACE_ON_DEMAND; p++) {
        if (p == RR_PLACE_SPOT && !j->spot[k]) continue;
        const int64_t from = (int64_t)k * j->step_us, to = from + j->step_us < j->due_us ? from + j->step_us : j->due_us;
        const int64_t start = p == at ? begun : from, ready = start + j->change_us;
        const int64_t done = p == RR_PLACE_NONE || ready >= to ? 0 : to - (ready > from ? ready : from);
        const int64_t v = by_trying(j, k + 1, p, start, work + done, used + (p == RR_PLACE_ON_DEMAND));
        if (v < best) best = v;
    }
    return best;
}

static void plans_are_the_best(void **state)
{
    (void)state;
    struct rr_rng r;
    rr_rng_init(&r, 1, 1, RR_RNG_TEST, 1);
    for (int i = 0; i < 300; i++) {
        bool spot[9];
        unsigned char place[9];
        struct rr_deadline_job j = {.spot = spot, .step_us = 10, .change_us = (int64_t)rr_rng_below(&r, 25)};
        j.n_steps = 1 + rr_rng_below(&r, 9);
        j.due_us = (int64_t)j.n_steps * 10 - (int64_t)rr_rng_below(&r, 10);
        j.work_us = 1 + (int64_t)rr_rng_below(&r, (uint64_t)j.due_us);
        for (size_t k = 0; k < j.n_steps; k++) spot[k] = rr_rng_below(&r, 2);
        const int64_t want = by_trying(&j, 0, RR_PLACE_NONE, 0, 0, 0), got = rr_deadline_plan(&j, place);
        assert_int_equal(got, want == INT64_MAX ? -1 : want);
        int64_t used = 0, work = 0, begun = 0;
        for (size_t k = 0; k < j.n_steps && got >= 0; k++) { // and what it says adds up to the work
            assert_true(place[k] != RR_PLACE_SPOT || spot[k]);
            if (k == 0 || place[k] != place[k - 1]) begun = (int64_t)k * 10;
            const int64_t from = (int64_t)k * 10, to = from + 10 < j.due_us ? from + 10 : j.due_us, ready = begun + j.change_us;
            used += place[k] == RR_PLACE_ON_DEMAND;
            if (place[k] != RR_PLACE_NONE && ready < to) work += to - (ready > from ? ready : from);
        }
        if (got >= 0) assert_true(used == got && work >= j.work_us);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prices_have_the_stated_moments),
        cmocka_unit_test(prices_start_in_the_long_run),
        cmocka_unit_test(prices_are_a_function_of_their_key),
        cmocka_unit_test(prices_stay_within_their_limits),
        cmocka_unit_test(a_fit_finds_the_model),
        cmocka_unit_test(what_cannot_be_fitted),
        cmocka_unit_test(a_node_is_hit_with_its_hazard),
        cmocka_unit_test(no_hazard_no_hits),
        cmocka_unit_test(series_are_moved_and_repeated),
        cmocka_unit_test(plans_are_the_best),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
