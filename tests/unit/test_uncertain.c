/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_uncertain.c - quantiles against GSL, the copula against its correlations, and what the section refuses. */
#include "data/uncertain.h"
#include "data/base/fmath.h"
#include "tests/unit/scenario_fake.h"
#include <gsl/gsl_cdf.h>
#include <math.h>

static void phi_is_that_of_gsl(void **state)
{
    (void)state;
    for (double z = -9.37; z < 9.5; z += 0.0713) {
        const double p = gsl_cdf_ugaussian_P(z);
        assert_true(fabs(rr_phi(z) - p) < 1e-15 + 1e-14 * p || fabs(rr_phi(z) - p) < 1e-8 * p); // far out to 8 digits
        assert_true(fabs(rr_phi(z) - p) < 2e-15);
    }
}

static void near(double a, double b) { assert_true(fabs(a - b) <= 1e-11 * (1 + fabs(b))); }

static void quantiles_turn_back_their_distributions(void **state)
{
    (void)state;
    for (double z = -3.7; z < 3.8; z += 0.37) {
        const double u = gsl_cdf_ugaussian_P(z), v = gsl_cdf_ugaussian_Q(z);
        near(rr_dist_at(&(struct rr_dist){.kind = RR_DIST_UNIFORM, .a = 3, .b = 7.5}, z), gsl_cdf_flat_Pinv(u, 3, 7.5));
        near(rr_dist_at(&(struct rr_dist){.kind = RR_DIST_NORMAL, .a = 3, .b = 0.7}, z), 3 + 0.7 * z);
        near(rr_dist_at(&(struct rr_dist){.kind = RR_DIST_LOGNORMAL, .a = 3, .b = 0.7}, z), 3 * exp(0.7 * z));
        near(rr_dist_at(&(struct rr_dist){.kind = RR_DIST_EXPONENTIAL, .a = 3}, z), gsl_cdf_exponential_Qinv(v, 3));
        near(rr_dist_at(&(struct rr_dist){.kind = RR_DIST_WEIBULL, .a = 3, .b = 0.7}, z), gsl_cdf_weibull_Qinv(v, 3, 0.7));
        const double t = rr_dist_at(&(struct rr_dist){.kind = RR_DIST_TRIANGULAR, .a = 6, .b = 8, .c = 14}, z);
        near(t <= 8 ? (t - 6) * (t - 6) / (8 * 2) : 1 - (14 - t) * (14 - t) / (8 * 6), u); // its cdf
    }
}

static void a_factor_times_itself_is_the_matrix(void **state)
{
    (void)state;
    double m[9] = {1, 0.6, -0.3, 0.6, 1, 0.2, -0.3, 0.2, 1}, l[9];
    memcpy(l, m, sizeof l);
    assert_true(rr_cholesky(l, 3));
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double sum = 0;
            for (int k = 0; k < 3; k++) sum += l[i * 3 + k] * l[j * 3 + k];
            near(sum, m[i * 3 + j]);
        }
    double impossible[9] = {1, 0.9, 0.9, 0.9, 1, -0.9, 0.9, -0.9, 1};
    assert_false(rr_cholesky(impossible, 3));
}

#define HEAD                                                                                                                              \
    "{\"rackrate\": 1, \"seed\": 11, \"horizon\": \"9 days\", \"replications\": 4, \"workload\": {\"w\": {\"generate\": {\"count\": 17, " \
    "\"arrival\": {\"poisson\": {\"rate\": \"3/h\"}}, \"duration\": \"1 h\"}}},"                                                          \
    "\"pools\": {\"p\": {\"gpus_per_node\": 8, \"nodes\": 3, \"plan\": {\"type\": \"unpriced\"}}},"                                       \
    "\"finance\": {\"pue\": 1.3, \"electricity\": \"$0.08/kWh\"},"

static const char pair[] =
    HEAD "\"uncertainty\": {"
         "\"power\": {\"path\": \"/finance/electricity\", \"normal\": {\"mean\": \"$0.080/kWh\", \"sd\": \"$0.007/kWh\"}},"
         "\"pue\": {\"path\": \"/finance/pue\", \"uniform\": [1.1, 1.6], \"correlation\": {\"power\": 0.6}},"
         "\"nodes\": {\"path\": \"/pools/p/nodes\", \"triangular\": [2, 3, 9], \"whole\": true},"
         "\"who\": {\"path\": \"/scheduler/policy\", \"choice\": {\"fifo\": 3, \"easy_backfill\": 1}}}}";

static void draws_have_the_correlation_that_was_asked_for(void **state)
{
    (void)state;
    struct rr_scenario_set *s = NULL;
    if (fake_load(pair, NULL, &s) != RR_OK) fail_msg("%s", rr_reason());
    enum { N = 20000 };
    double z[4], xy = 0, xx = 0, yy = 0, xw = 0;
    for (uint32_t r = 0; r < N; r++) {
        rr_uncertain_draw(s->uncertainty, 11, r, z);
        xy += z[0] * z[1], xx += z[0] * z[0], yy += z[1] * z[1], xw += z[0] * z[2];
    }
    assert_true(fabs(xy / sqrt(xx * yy) - 0.6) < 4 * (1 - 0.36) / sqrt(N)); // standard error of a correlation
    assert_true(fabs(xw / N) < 4 / sqrt(N));
    assert_true(fabs(xx / N - 1) < 4 * sqrt(2.0 / N) && fabs(yy / N - 1) < 4 * sqrt(2.0 / N));
    rr_scenario_set_free(s);
}

static void a_sample_is_the_scenario_with_its_values(void **state)
{
    (void)state;
    struct rr_scenario_set *s = NULL;
    if (fake_load(pair, NULL, &s) != RR_OK) fail_msg("%s", rr_reason());
    int easy = 0;
    for (uint32_t r = 0; r < 300; r++) {
        struct rr_arena *a = rr_arena_create();
        struct rr_sample x = {0};
        double z[4];
        rr_uncertain_draw(s->uncertainty, 11, r, z);
        if (rr_sample_make(s, s->variant[0], r, a, &x) != RR_OK) fail_msg("%s", rr_reason());
        assert_true(fabs((double)x.scenario->finance.electricity.rate.nano / 1e9 - (0.08 + 0.007 * z[0])) <= 0.5000001e-7); // 7 decimals
        near(x.scenario->finance.pue, 1.1 + 0.5 * gsl_cdf_ugaussian_P(z[1]));
        assert_in_range(x.scenario->pool[0].nodes_min, 2, 9);
        assert_int_equal(x.scenario->pool[0].nodes_min, x.scenario->pool[0].nodes_max);
        easy += strcmp(x.scenario->scheduler.policy_name, "easy_backfill") == 0;
        assert_int_equal(s->variant[0]->pool[0].nodes_min, 3); // untouched
        rr_sample_done(&x);
        rr_arena_free(a);
    }
    assert_true(abs(easy - 75) < 4 * 7.5);
    rr_scenario_set_free(s);
}

static void refused(const char *section, const char *reason)
{
    char text[4096];
    struct rr_scenario_set *s = NULL;
    snprintf(text, sizeof text, HEAD "%s}", section);
    assert_int_equal(fake_load(text, NULL, &s), RR_EINPUT);
    if (!strstr(rr_reason(), reason)) fail_msg("\"%s\" is not in: %s", reason, rr_reason());
}

static void mistakes_are_named(void **state)
{
    (void)state;
#define ONE(rest) "\"uncertainty\": {\"x\": {" rest "}}"
    refused(ONE("\"uniform\": [1, 2]"), "/uncertainty/x: \"path\" is missing");
    refused(ONE("\"path\": \"/finance/pue\""), "a distribution is missing");
    refused(ONE("\"path\": \"finance/pue\", \"uniform\": [1, 2]"), "a JSON pointer is expected");
    refused(ONE("\"path\": \"/seed\", \"uniform\": [1, 2]"), "\"seed\" is the same for the whole study");
    refused(ONE("\"path\": \"/horizon\", \"uniform\": [\"1 d\", \"2 d\"]"), "\"horizon\" is the same for the whole study");
    refused(ONE("\"path\": \"/workload/w/trace\", \"choice\": {\"a.csv\": 1}"), "may vary; its trace is read once");
    refused(ONE("\"path\": \"/pools/q/nodes\", \"choice\": {\"1\": 1}"), "there is no \"q\"");
    refused(ONE("\"path\": \"/finance/puee\", \"uniform\": [1, 2]"), "did you mean \"pue\"");
    refused(ONE("\"path\": \"/finance/pue\", \"uniform\": [2, 1]"), "must not fall");
    refused(ONE("\"path\": \"/finance/pue\", \"uniform\": [1, 2], \"normal\": {\"mean\": 1, \"sd\": 1}"), "a second distribution");
    refused(ONE("\"path\": \"/finance/electricity\", \"uniform\": [\"$0.1/kWh\", \"$0.2/h\"]"), "has another unit");
    refused(ONE("\"path\": \"/finance/electricity\", \"uniform\": [\"$0.1/kWh\", 0.2]"), "has another unit");
    refused(ONE("\"path\": \"/finance/electricity\", \"uniform\": [\"1 h 30 min\", \"2 h 30 min\"]"), "one number and its unit");
    refused(ONE("\"path\": \"/finance/pue\", \"uniform\": [7, 9]"), "/uncertainty/x: 8, its median: /finance/pue");
    refused(ONE("\"path\": \"/pools/p/nodes\", \"uniform\": [2, 5]"), "a whole number");
    refused(ONE("\"path\": \"/finance/pue\", \"uniform\": [1, 2], \"correlation\": {\"y\": 0.5}"), "no uncertain input \"y\"");
    refused(ONE("\"path\": \"/finance/pue\", \"uniform\": [1, 2], \"correlation\": {\"x\": 0.5}"), "an input and itself");
    refused("\"uncertainty\": {\"x\": {\"path\": \"/finance/pue\", \"uniform\": [1, 2]}, \"y\": {\"path\": \"/finance/pue\", \"uniform\": "
            "[1, 2]}}",
            "\"x\" varies /finance/pue already");
    refused("\"uncertainty\": {\"x\": {\"path\": \"/finance/pue\", \"uniform\": [1, 2], \"correlation\": {\"y\": 0.9, \"z\": 0.9}},"
            "\"y\": {\"path\": \"/workload/w/load_scale\", \"uniform\": [1, 2], \"correlation\": {\"z\": -0.9}},"
            "\"z\": {\"path\": \"/workload/w/time_scale\", \"uniform\": [1, 2]}}",
            "not positive definite");
    refused(ONE("\"path\": \"/finance/pue\", \"uniform\": [1, 2]") ", \"sweep\": {\"/finance/pue\": [1.2, 1.4]}", "is swept as well");
    refused("\"until\": {\"metric\": \"cost.totl\", \"half_width\": \"1 %\"}", "did you mean \"cost.total\"");
    refused("\"until\": {\"metric\": \"cost.total\", \"half_width\": 0}", "at least");
    refused("\"until\": {\"metric\": \"cost.total\", \"half_width\": 0.1, \"alternative\": \"buy\"}", "there is no alternative \"buy\"");
}

static void a_value_outside_its_limits_names_world_and_input(void **state)
{
    (void)state;
    struct rr_scenario_set *s = NULL;
    static const char text[] = HEAD "\"uncertainty\": {\"cooling\": {\"path\": \"/finance/pue\", \"normal\": {\"mean\": 1.1, \"sd\": 1}}}}";
    if (fake_load(text, NULL, &s) != RR_OK) fail_msg("%s", rr_reason());
    struct rr_arena *a = rr_arena_create();
    enum rr_status st = RR_OK;
    for (uint32_t r = 0; r < 50 && st == RR_OK; r++) {
        struct rr_sample x = {0};
        st = rr_sample_make(s, s->variant[0], r, a, &x);
        rr_sample_done(&x);
    }
    assert_int_equal(st, RR_EINPUT);
    assert_non_null(strstr(rr_reason(), "/uncertainty/cooling: "));
    assert_non_null(strstr(rr_reason(), " in replication "));
    assert_non_null(strstr(rr_reason(), "/finance/pue: "));
    rr_arena_free(a);
    rr_scenario_set_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(phi_is_that_of_gsl),
        cmocka_unit_test(quantiles_turn_back_their_distributions),
        cmocka_unit_test(a_factor_times_itself_is_the_matrix),
        cmocka_unit_test(draws_have_the_correlation_that_was_asked_for),
        cmocka_unit_test(a_sample_is_the_scenario_with_its_values),
        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(a_value_outside_its_limits_names_world_and_input),
    };
    return cmocka_run_group_tests(tests, fake_setup, fake_teardown);
}
