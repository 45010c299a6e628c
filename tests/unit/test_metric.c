/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_metric.c - the table of metrics and statistics over replications, against published and hand-made figures. */
#include "data/metric.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <string.h>

#include <cmocka.h>

static void close_to(double got, double want)
{
    if (!(fabs(got - want) <= 1e-9 * fabs(want))) fail_msg("%.17g, not %.17g", got, want);
}

static void names_are_found_and_differ(void **state)
{
    (void)state;
    for (int i = 0; i < RR_METRICS; i++) {
        assert_int_equal(rr_metric_find(rr_metric_info[i].name), i);
        assert_true(strlen(rr_metric_info[i].help) > 0);
    }
    assert_int_equal(rr_metric_find("cost.total"), RR_M_COST_TOTAL);
    assert_int_equal(rr_metric_info[RR_M_WAIT_P95].unit, RR_U_SECONDS);
    assert_int_equal(rr_metric_find("cost"), -1);
    assert_int_equal(rr_metric_find(""), -1);
}

/* Hyndman and Fan's type 7 is what R's quantile() and NumPy's percentile() do by default: quantile(c(1, 2, 4, 8), 0.9) is 6.8. */
static void quantiles_are_type_7(void **state)
{
    (void)state;
    const double four[] = {1, 2, 4, 8}, one[] = {2.385};
    close_to(rr_quantile(four, 4, 0.9), 6.8);
    close_to(rr_quantile(four, 4, 0.5), 3);
    close_to(rr_quantile(four, 4, 0.1), 1.3);
    assert_true(rr_quantile(four, 4, 0) == 1);
    assert_true(rr_quantile(four, 4, 1) == 8);
    assert_true(rr_quantile(one, 1, 0.37) == 2.385);
    double hundred[100];
    for (int i = 0; i < 100; i++) hundred[i] = i + 1;
    close_to(rr_quantile(hundred, 100, 0.1), 10.9); // nearest rank would say 10, 50 and 90
    close_to(rr_quantile(hundred, 100, 0.5), 50.5);
    close_to(rr_quantile(hundred, 100, 0.9), 90.1);
}

static void spreads_over_replications(void **state)
{
    (void)state;
    // mean 7 and variance 32/7 by hand; t(0.975, 7) = 2.364624251 (any table of Student's t)
    const double v[] = {9, 4, 7, 5, 9, 8, 10, 4};
    struct rr_stat s;
    rr_stat_of(v, 8, &s);
    assert_int_equal(s.n, 8);
    close_to(s.mean, 7);
    close_to(s.stddev, sqrt(40.0 / 7));
    close_to(s.ci95, 2.3646242515927844 * sqrt(40.0 / 7) / sqrt(8));
    assert_true(s.min == 4 && s.max == 10);
    close_to(s.p50, 7.5);
    close_to(s.p10, 4);
    close_to(s.p90, 9.3);
    // two values: t(0.975, 1) = 12.7062047
    rr_stat_of((const double[]){1, 4}, 2, &s);
    close_to(s.mean, 2.5);
    close_to(s.ci95, 12.706204736432095 * 3 / sqrt(2) / sqrt(2));
}

static void large_values_keep_their_spread(void **state)
{
    (void)state;
    const double v[] = {1e15 + 1, 1e15 + 2, 1e15 + 4};
    struct rr_stat s;
    rr_stat_of(v, 3, &s);
    close_to(s.stddev, sqrt(7.0 / 3));
}

static void what_is_undefined_is_nan(void **state)
{
    (void)state;
    struct rr_stat s;
    rr_stat_of((const double[]){2.385}, 1, &s);
    assert_true(s.mean == 2.385 && s.min == 2.385 && s.max == 2.385);
    assert_true(isnan(s.stddev) && isnan(s.ci95) && isnan(s.p10) && isnan(s.p50) && isnan(s.p90));
    rr_stat_of((const double[]){0.1, 0.1, 0.1}, 3, &s); // nothing varies
    assert_true(s.mean == 0.1 && s.stddev == 0 && s.ci95 == 0);
    assert_true(isnan(s.p50) && isnan(s.p90));
    rr_stat_of((const double[]){1, NAN, 3}, 3, &s);
    assert_true(isnan(s.mean) && isnan(s.min) && isnan(s.max) && isnan(s.stddev));
    assert_int_equal(s.n, 3);
    rr_stat_of(NULL, 0, &s);
    assert_true(isnan(s.mean));
}

static void statistics_have_names(void **state)
{
    (void)state;
    const struct rr_stat s = {.n = 2, .mean = 1, .stddev = 2, .ci95 = 3, .min = 4, .p10 = 5, .p50 = 6, .p90 = 7, .max = 8};
    int n = 0;
    for (; rr_stat_names[n]; n++) assert_true(rr_stat_get(&s, rr_stat_names[n]) == n + 1);
    assert_int_equal(n, 8);
    assert_true(isnan(rr_stat_get(&s, "p91")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_found_and_differ), cmocka_unit_test(quantiles_are_type_7),
        cmocka_unit_test(spreads_over_replications),  cmocka_unit_test(large_values_keep_their_spread),
        cmocka_unit_test(what_is_undefined_is_nan),   cmocka_unit_test(statistics_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
