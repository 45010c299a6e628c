/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_price_path.c - prices that change, discounts by use, and where a plan is sold. */
#include "tests/unit/price_case.h"

#define USD INT64_C(1000000)

static struct price_case *january(const char *plan)
{
    struct price_case *x = case_bare("2026-01-01", 31 * RR_D);
    case_pool(x, NULL, "on_demand", plan);
    return x;
}

/* 1.5 h at 8 x $2 and 3.25 h at 8 x $1.80. */
static void a_change_inside_a_lease_cuts_it(void **state)
{
    (void)state;
    struct price_case *x =
        january("{\"rate\": \"$2/gpu/h\", \"steps\": {\"2026-01-10\": \"$1.80/gpu/h\", \"2026-01-20T07:00:00Z\": \"$20/h\"}}");
    case_lease(x, case_at(x, "2026-01-09T22:30:00Z"), case_at(x, "2026-01-10T03:15:00Z"));
    case_bill(x);
    assert_int_equal(x->charge.n, 2);
    assert_int_equal(x->charge.at[0].billed.micro, 24 * USD);
    assert_int_equal(x->charge.at[1].billed.micro, 46800000);
    assert_true(x->charge.at[1].rate.nano == INT64_C(14400000000));
    case_lease(x, case_at(x, "2026-01-20T06:59:00Z"), case_at(x, "2026-01-20T07:02:00Z"));
    case_bill(x);
    assert_int_equal(case_sum(x, NULL).billed, 24 * USD + 46800000 + 240000 + 2 * 20 * USD / 60 + 1); // 666,666.67 rounded up
    case_free(x);
}

/* -30 % a year by months: after 6 months the root of 0.7, after 12 months 0.7. $10 an hour, one hour each. */
static void a_price_falls_month_by_month(void **state)
{
    (void)state;
    struct price_case *x = case_bare("2026-01-01", 730 * RR_D);
    case_pool(x, NULL, "on_demand", "{\"rate\": \"$10/h\", \"change_per_year\": \"-30 %\"}");
    static const char *const at[] = {"2026-01-31T12:00:00Z", "2026-07-01", "2027-01-01", "2027-12-31"};
    static const int64_t want[] = {10000000, 8366600, 7000000, 5047828}; // 10 x 0.7^(k/12), k = 0, 6, 12, 23
    for (size_t i = 0; i < 4; i++) {
        const int64_t from = case_at(x, at[i]);
        case_lease(x, from, from + RR_H);
    }
    case_bill(x);
    assert_int_equal(x->charge.n, 4);
    for (size_t i = 0; i < 4; i++) assert_int_equal(x->charge.at[i].billed.micro, want[i]);
    case_free(x);
}

/* Rising, once a year; an odd start lies on the clock hour. */
static void a_price_rises_year_by_year(void **state)
{
    (void)state;
    struct price_case *x = case_bare("2026-01-01T07:13:11Z", 800 * RR_D);
    case_pool(x, NULL, "on_demand", "{\"rate\": \"$10/h\", \"change_per_year\": \"+40 %\", \"change_every\": \"1 year\"}");
    const int64_t year = case_at(x, "2027-01-01T07:00:00Z");
    case_lease(x, year - RR_H, year + 2 * RR_H);
    case_bill(x);
    assert_int_equal(case_sum(x, NULL).billed, (10 + 28) * USD);
    case_free(x);
}

/* Compute Engine's N1: each quarter of the month 20 % cheaper than the one before, 30 % off for the whole month. */
#define N1                                                                                                                                \
    "\"sustained\": [{\"up_to\": \"25 %\", \"share\": 0}, {\"up_to\": \"50 %\", \"share\": 0.2}, {\"up_to\": \"75 %\", \"share\": 0.4}, " \
    "{\"share\": 0.6}]"

static void sustained_use_follows_the_month(void **state)
{
    (void)state;
    static const struct {
        int hours, percent_off;
    } use[] = {{186, 0}, {372, 10}, {558, 20}, {744, 30}};
    for (size_t i = 0; i < 4; i++) {
        struct price_case *x = january("{\"rate\": \"$1/h\", " N1 "}");
        case_lease(x, 0, use[i].hours * RR_H);
        case_bill(x);
        assert_int_equal(case_sum(x, NULL).billed, use[i].hours * USD * (100 - use[i].percent_off) / 100);
        assert_int_equal(x->charge.n, i + 1);
        case_free(x);
    }
}

/* Two machines after each other are one that ran on; two at once are two. February has 672 hours. */
static void sustained_use_stacks_machines(void **state)
{
    (void)state;
    struct price_case *x = case_bare("2026-02-01", 28 * RR_D);
    case_pool(x, NULL, "on_demand", "{\"rate\": \"$1/h\", " N1 "}");
    case_lease(x, 0, 14 * RR_D);
    case_lease(x, 14 * RR_D, 28 * RR_D);
    case_bill(x);
    assert_int_equal(case_sum(x, NULL).billed, 672 * USD * 70 / 100);
    x->n_leases = 0;
    case_lease(x, 0, 14 * RR_D);
    case_lease(x, 0, 14 * RR_D);
    case_bill(x);
    assert_int_equal(case_sum(x, NULL).billed, 672 * USD * 90 / 100);
    case_free(x);
}

/* 100 hours at $10, 50 more at $9, the rest at $7.50; each month begins anew. */
static void volume_tiers_are_marginal(void **state)
{
    (void)state;
    static const struct {
        int64_t us, want;
    } use[] = {{100 * RR_H, 1000 * USD}, {100 * RR_H - 3600, 1000 * USD - 10},  {100 * RR_H + 3600, 1000 * USD + 9},
               {150 * RR_H, 1450 * USD}, {150 * RR_H + 36000, 1450 * USD + 75}, {200 * RR_H, 1825 * USD}};
    for (size_t i = 0; i < sizeof use / sizeof *use; i++) {
        struct price_case *x = case_bare("2026-01-01", 59 * RR_D);
        case_pool(x, NULL, "on_demand",
                  "{\"rate\": \"$10/h\", \"increment\": \"1 us\", \"tiers\": [{\"up_to\": 100, \"share\": 0}, {\"up_to\": 150, \"share\": "
                  "\"10 %\"},"
                  " {\"share\": \"25 %\"}]}");
        case_lease(x, 0, use[i].us);
        case_lease(x, 31 * RR_D, 31 * RR_D + use[i].us);
        case_bill(x);
        assert_int_equal(case_sum(x, NULL).billed, 2 * use[i].want);
        case_free(x);
    }
    /* The same limits are GPU-hours at a rate per GPU: 8 a node-hour. */
    struct price_case *x = january("{\"rate\": \"$1.25/gpu/h\", \"tiers\": [{\"up_to\": 800, \"share\": 0}, {\"share\": \"10 %\"}]}");
    case_lease(x, 0, 150 * RR_H);
    case_bill(x);
    assert_int_equal(case_sum(x, NULL).billed, 1450 * USD);
    case_free(x);
}

static void only_what_commitments_leave_counts(void **state)
{
    (void)state;
    struct price_case *x = january("{\"rate\": \"$10/h\", \"tiers\": [{\"up_to\": 100, \"share\": 0}, {\"share\": \"50 %\"}]}");
    x->pool[0].instance_id = "aws/p5.48xlarge";
    x->instance = (struct rr_instance){.id = "aws/p5.48xlarge", .gpus = 8};
    x->catalog.instance = &x->instance, x->catalog.n_instances = 1;
    for (int i = 0; i < 2; i++) case_lease(x, 0, 110 * RR_H);
    case_commit(x, "ri",
                "{\"instance\": \"aws/p5.48xlarge\", \"region\": \"us-east-1\", \"count\": 1, \"term\": \"1 year\", \"rate\": \"$1/h\"}");
    case_bill(x);
    assert_int_equal(case_sum(x, "compute").billed, 1050 * USD);
    case_free(x);
}

/* What was started before the horizon is paid in full, at the last hour's price. */
static void the_last_unit_is_behind_the_horizon(void **state)
{
    (void)state;
    struct price_case *x = january("{\"rate\": \"$10/h\", \"increment\": \"1 h\", \"steps\": {\"2026-01-31T23:00:00Z\": \"$7/h\"}}");
    case_lease(x, 31 * RR_D - 90 * RR_MIN, 31 * RR_D);
    case_bill(x);
    const struct case_sum sum = case_sum(x, NULL);
    assert_int_equal(sum.billed, 5 * USD + 7 * USD + 3500000);
    assert_int_equal(sum.after, 3500000);
    case_free(x);
}

static void what_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *plan, *why;
    } bad[] = {
        {"{\"rate\": \"$2/h\", \"steps\": {\"2026-07-01\": \"$1/h\", \"2026-02-01\": \"$1/h\"}}", "dates must ascend"},
        {"{\"rate\": \"$2/h\", \"steps\": {\"2026-07-01T00:30:00Z\": \"$1/h\"}}", "not a whole hour"},
        {"{\"rate\": \"$2/h\", \"steps\": {\"soon\": \"$1/h\"}}", "steps"},
        {"{\"rate\": \"$2/h\", \"steps\": {\"2026-07-01\": \"30 %\"}}", "is a rate"},
        {"{\"rate\": \"$2/h\", \"steps\": {\"2026-07-01\": \"EUR 1/h\"}}", "no rate for EUR"},
        {"{\"rate\": \"$2/h\", \"steps\": {\"2026-07-01\": \"$1/h\"}, \"change_per_year\": 0.1}", "not both"},
        {"{\"rate\": \"$2/h\", \"change_per_year\": 0.1, \"change_every\": \"30 days\"}", "whole months"},
        {"{\"rate\": \"$2/h\", \"tiers\": [{\"up_to\": 10, \"rate\": \"$1/h\"}, {\"rate\": \"$2/h\"}]}", "taken off the rate"},
        {"{\"rate\": \"$2/h\", \"tiers\": [{\"up_to\": \"10 TB\", \"share\": 0}, {\"share\": 0.1}]}", "limits are hours"},
        {"{\"rate\": \"$2/h\", \"sustained\": [{\"up_to\": 10, \"share\": 0}, {\"share\": 0.1}]}", "shares of the month"},
        {"{\"rate\": \"$2/h\", \"sustained\": [{\"share\": 0}], \"tiers\": [{\"share\": 0}]}", "not both"},
        {"{\"rate\": \"$2/h\", \"sold_in\": \"us-west-2, eu-north-1\"}", "it is sold in us-west-2, eu-north-1"},
        {"{\"rate\": \"$2/h\", \"sold_out\": true}", "sold out in us-east-1"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct price_case *x = january(bad[i].plan);
        case_refused(x, bad[i].why);
        case_free(x);
    }
    struct price_case *x = january("{\"rate\": \"$2/h\", \"sold_in\": \"us-west-2,us-east-1\"}");
    case_bill(x);
    case_free(x);
    x = january("{\"rate\": \"$2/h\", \"sold_in\": \"us-west-2, us-east-1\"}");
    x->pool[0].region = "us-east-1/use1-az4"; // a region's zones are in it
    case_bill(x);
    x->pool[0].region = "us-east-10";
    case_refused(x, "not sold in us-east-10");
    case_free(x);
    x = case_bare(NULL, RR_D);
    case_pool(x, NULL, "on_demand", "{\"rate\": \"$2/h\", \"change_per_year\": -0.3}");
    case_refused(x, "needs a calendar");
    case_free(x);
}

/* Tiers are checked where they are read. */
static void tiers_that_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *tiers, *why;
    } bad[] = {
        {"[{\"up_to\": 100, \"share\": 0}, {\"up_to\": 100, \"share\": 0.1}, {\"share\": 0.2}]", "limits must ascend"},
        {"[{\"up_to\": 100, \"share\": 0}, {\"up_to\": 50, \"share\": 0.1}, {\"share\": 0.2}]", "50 is not above"},
        {"[{\"up_to\": 100, \"share\": 0}]", "the last tier has no \"up_to\""},
        {"[{\"share\": 0}, {\"share\": 0.1}]", "\"up_to\" is missing"},
        {"[{\"up_to\": 100, \"share\": \"120 %\"}, {\"share\": 0}]", "more than the whole"},
        {"[{\"up_to\": 100, \"share\": 1.2}, {\"share\": 0}]", "at most 1"},
        {"[{\"up_to\": 100, \"rate\": \"$-1/h\"}, {\"rate\": \"$1/h\"}]", "negative"},
        {"[{\"up_to\": 100, \"rate\": \"$1/h\"}, {\"share\": 0}]", "all have a"},
        {"[{\"up_to\": 100}, {\"share\": 0}]", "a \"rate\" or a \"share\""},
        {"[{\"up_to\": 100, \"share\": 0}, {\"up_to\": \"2 TB\", \"share\": 0}, {\"share\": 0}]", "another kind"},
        {"[{\"up_to\": 0, \"share\": 0}, {\"share\": 0}]", "above 0"},
        {"[{\"up_to\": \"lots\", \"share\": 0}, {\"share\": 0}]", "such as \"10 TB\""},
        {"[{\"upto\": 3, \"share\": 0}, {\"share\": 0}]", "did you mean \"up_to\"?"},
        {"[]", "a list of tiers"},
        {"3", "a list of tiers"},
    };
    const struct rr_kind *kind = rr_kind_find(rr_price_plans, "on_demand");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct price_case *x = case_bare("2026-01-01", RR_D);
        cJSON *object = NULL;
        const struct rr_param_ctx ctx = {.json = x->json, .arena = x->arena, .base = "."};
        const char *text = rr_strf(x->arena, "{\"rate\": \"$1/h\",\n \"tiers\": %s}", bad[i].tiers);
        assert_int_equal(rr_json_parse(x->json, "test.json", text, false, &object), RR_OK);
        void *params = rr_alloc(x->arena, 1, kind->params_size);
        assert_int_equal(rr_params_read(&ctx, kind->params, kind->n_params, object, "/plan", NULL, params), RR_EINPUT);
        if (strstr(rr_reason(), bad[i].why) == NULL) fail_msg("\"%s\" lacks \"%s\"", rr_reason(), bad[i].why);
        if (strstr(rr_reason(), "test.json:2:") == NULL) fail_msg("\"%s\" has no position", rr_reason());
        cJSON_Delete(object);
        case_free(x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_change_inside_a_lease_cuts_it),
        cmocka_unit_test(a_price_falls_month_by_month),
        cmocka_unit_test(a_price_rises_year_by_year),
        cmocka_unit_test(sustained_use_follows_the_month),
        cmocka_unit_test(sustained_use_stacks_machines),
        cmocka_unit_test(volume_tiers_are_marginal),
        cmocka_unit_test(only_what_commitments_leave_counts),
        cmocka_unit_test(the_last_unit_is_behind_the_horizon),
        cmocka_unit_test(what_is_refused),
        cmocka_unit_test(tiers_that_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
