/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_price_edges.c - where bills go wrong: units, months, starts and prices that are not there, over all plans that rent. */
#include "tests/unit/price_case.h"

#define USD INT64_C(1000000)
#define P5  "aws/p5.48xlarge"

/* $2 a GPU is $16 for a node of eight, never $2: on every plan. */
static void a_price_per_gpu_is_eight_of_a_node(void **state)
{
    (void)state;
    static const struct {
        const char *plan, *per_gpu, *per_node;
    } pair[] = {{"on_demand", "{\"rate\": \"$2/gpu/h\"}", "{\"rate\": \"$16/h\"}"},
                {"on_demand", "{\"rate\": \"$0.04/gpu/min\"}", "{\"rate\": \"$0.32/min\"}"},
                {"prepaid", "{\"rate\": \"$1,500/gpu/month\"}", "{\"rate\": \"$12,000/node/month\"}"},
                {"serverless", "{\"rate\": \"$0.001/gpu/s\", \"of\": \"held\"}", "{\"rate\": \"$0.008/s\", \"of\": \"held\"}"},
                {"spot", "{\"price\": \"$2/gpu/h\", \"availability\": {\"hazard\": \"<5 %\"}}",
                 "{\"price\": \"$16/h\", \"availability\": {\"hazard\": \"<5 %\"}}"}};
    for (size_t i = 0; i < sizeof pair / sizeof *pair; i++) {
        int64_t billed[2];
        for (int k = 0; k < 2; k++) {
            struct price_case *x = case_new("2026-01-01", 10 * RR_D);
            case_pool(x, P5, pair[i].plan, k ? pair[i].per_node : pair[i].per_gpu);
            case_lease(x, 7 * RR_H, 30 * RR_H);
            case_bill(x);
            billed[k] = case_sum(x, NULL).billed;
            case_free(x);
        }
        assert_true(billed[0] > 0);
        assert_int_equal(billed[0], billed[1]);
    }
}

/* 59 min 59 s from 10:30: by the second, by the minute, by the hour of the lease, and by the hours on the clock (two of them). */
static void increments_and_minimums(void **state)
{
    (void)state;
    static const struct {
        const char *plan;
        int64_t seconds;
    } at[] = {{"{\"rate\": \"$36/h\"}", 3599},
              {"{\"rate\": \"$36/h\", \"increment\": \"1 min\"}", 3600},
              {"{\"rate\": \"$36/h\", \"increment\": \"1 h\"}", 3600},
              {"{\"rate\": \"$36/h\", \"increment\": \"1 h\", \"hours\": \"clock\"}", 7200},
              {"{\"rate\": \"$36/h\", \"minimum\": \"2 h\"}", 7200}};
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        struct price_case *x = case_bare("2026-01-01", RR_D);
        case_pool(x, NULL, "on_demand", at[i].plan);
        case_lease(x, 10 * RR_H + 30 * RR_MIN, 10 * RR_H + 30 * RR_MIN + 3599 * RR_S);
        case_bill(x);
        assert_int_equal(case_sum(x, NULL).billed, at[i].seconds * 10000);
        /* Each start pays its own minimum: three starts of 20 s are three minutes. */
        x->n_leases = 0;
        for (int k = 0; k < 3; k++) case_lease(x, k * RR_H, k * RR_H + 20 * RR_S);
        case_bill(x);
        if (i == 0) assert_int_equal(case_sum(x, NULL).billed, 3 * 60 * 10000);
        case_free(x);
    }
}

/* A whole month at $1 an hour is the hours of that month. */
static void months_have_their_own_hours(void **state)
{
    (void)state;
    static const struct {
        const char *start;
        int64_t hours;
    } month[] = {{"2026-01-01", 744}, {"2026-02-01", 672}, {"2028-02-01", 696}, {"2026-06-01", 720}, {"2100-02-01", 672}};
    for (size_t i = 0; i < sizeof month / sizeof *month; i++) {
        struct price_case *x = case_new(month[i].start, 31 * RR_D);
        case_pool(x, P5, "on_demand", "{\"rate\": \"$1/h\"}");
        case_lease(x, 0, 31 * RR_D);
        case_commit(x, "ri",
                    "{\"instance\": \"" P5
                    "\", \"region\": \"us-east-1\", \"count\": 1, \"term\": \"1 month\", \"rate\": \"$0.50/h\", \"renew\": false}");
        case_bill(x);
        assert_int_equal(case_type(x, "reserved", true), month[i].hours * USD / 2);
        assert_int_equal(case_type(x, "on_demand", true), (744 - month[i].hours) * USD);
        case_free(x);
    }
}

/* A year from 29 February ends on 28 February; a year of 2028 has 8,784 hours. */
static void leap_days_are_in_terms(void **state)
{
    (void)state;
    static const struct {
        const char *start;
        int64_t hours;
    } year[] = {{"2026-01-01", 8760}, {"2028-01-01", 8784}, {"2027-03-01", 8784}, {"2028-02-29", 8760}};
    for (size_t i = 0; i < sizeof year / sizeof *year; i++) {
        struct price_case *x = case_new(year[i].start, 400 * RR_D);
        case_pool(x, P5, "on_demand", "{\"rate\": \"$3/h\"}");
        case_commitment(
            x, "savings_plan", "sp",
            "{\"commit\": \"$1/h\", \"term\": \"1 year\", \"discount\": \"10 %\", \"renew\": false, \"payment\": \"all_upfront\"}");
        case_bill(x);
        assert_int_equal(case_sum(x, NULL).billed, year[i].hours * USD);
        case_free(x);
    }
}

/* A machine that the facts know, in a region where they have no price: an error on every plan, never $0. */
static void no_price_in_the_region_is_an_error(void **state)
{
    (void)state;
    static const char *const plan[] = {"on_demand", "prepaid", "spot"};
    for (size_t i = 0; i < 3; i++) {
        struct price_case *x = case_new("2026-01-01", RR_D);
        case_pool(x, P5, plan[i], "{}")->region = "moon-north-1";
        case_refused(x, "moon-north-1");
        case_free(x);
    }
    static const struct {
        const char *type, *params;
    } promise[] = {{"reserved", "{\"instance\": \"" P5 "\", \"region\": \"moon-north-1\", \"count\": 1, \"term\": \"1 year\"}"},
                   {"capacity_block",
                    "{\"instance\": \"" P5 "\", \"region\": \"moon-north-1\", \"count\": 1, \"term\": \"1 day\", \"from\": \"1 h\"}"}};
    for (size_t i = 0; i < 2; i++) {
        struct price_case *x = case_new("2026-01-01", RR_D);
        case_commitment(x, promise[i].type, "c", promise[i].params);
        case_refused(x, "moon-north-1");
        case_free(x);
    }
}

/* Another currency needs its rate, wherever a price stands. */
static void every_price_is_in_a_known_currency(void **state)
{
    (void)state;
    static const struct {
        const char *type, *params;
    } promise[] = {{"savings_plan", "{\"commit\": \"CNY 1/h\", \"term\": \"1 year\", \"discount\": 0.1}"},
                   {"savings_plan", "{\"commit\": \"$1/h\", \"term\": \"1 year\", \"rates\": {\"aws/p5\": \"CNY 5/h\"}}"},
                   {"contract", "{\"term\": \"1 year\", \"volume\": [{\"up_to\": \"CNY 5\", \"share\": 0}, {\"share\": 0.1}]}"},
                   {"contract", "{\"term\": \"1 year\", \"ramp\": {\"2026-02-01\": \"CNY 5\"}}"},
                   {"credit", "{\"amount\": \"CNY 5\"}"}};
    for (size_t i = 0; i < sizeof promise / sizeof *promise; i++) {
        struct price_case *x = case_new("2026-01-01", RR_D);
        case_pool(x, P5, "on_demand", "{\"rate\": \"$3/h\"}");
        case_commitment(x, promise[i].type, "c", promise[i].params);
        case_refused(x, "no rate for CNY");
        case_free(x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_price_per_gpu_is_eight_of_a_node), cmocka_unit_test(increments_and_minimums),
        cmocka_unit_test(months_have_their_own_hours),        cmocka_unit_test(leap_days_are_in_terms),
        cmocka_unit_test(no_price_in_the_region_is_an_error), cmocka_unit_test(every_price_is_in_a_known_currency),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
