/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_price_prepaid.c - machines paid in advance, and blocks of capacity. */
#include "tests/unit/price_case.h"

#define USD INT64_C(1000000)
#define P5  "aws/p5.48xlarge"

/* A month as the calendar has it: 10 January to 10 February; given back on the 20th, it is paid to the 10th of the next. */
static void a_period_that_has_begun_is_paid(void **state)
{
    (void)state;
    struct price_case *x = case_bare("2026-01-01", 90 * RR_D);
    case_pool(x, NULL, "prepaid", "{\"rate\": \"$3,100/node/month\"}");
    const int64_t from = case_at(x, "2026-01-10");
    case_lease(x, from, case_at(x, "2026-01-20"));
    case_lease(x, from, case_at(x, "2026-02-10"));
    case_lease(x, from, case_at(x, "2026-02-10T00:00:01Z"));
    case_bill(x);
    const struct case_sum sum = case_sum(x, NULL);
    assert_int_equal(sum.billed, 4 * 3100 * USD);
    assert_int_equal(sum.effective, sum.billed); // the last period ends on 10 March
    assert_int_equal(sum.after, 0);
    assert_int_equal(x->charge.at[0].due_us, from);
    assert_int_equal(x->charge.at[0].effective.micro, 2200 * USD); // 22 of 31 days in January
    case_free(x);
}

/* A year at once, 20 % cheaper than twelve months; 59 of 365 days lie inside the horizon. */
static void a_year_ahead_is_cheaper(void **state)
{
    (void)state;
    static const char *const plan[] = {"{\"rate\": \"$6,083.34/node/month\", \"period\": \"1 year\", \"discount\": \"20 %\"}",
                                       "{\"rate\": \"$73,000.08/year\", \"period\": \"1 year\", \"discount\": \"20 %\"}",
                                       "{\"rate\": \"$9,125.01/gpu/year\", \"period\": \"1 year\", \"discount\": \"20 %\"}"};
    for (size_t i = 0; i < 3; i++) {
        struct price_case *x = case_bare("2026-01-01", 59 * RR_D);
        case_pool(x, NULL, "prepaid", plan[i]);
        case_lease(x, 0, 59 * RR_D);
        case_bill(x);
        const struct case_sum sum = case_sum(x, NULL);
        assert_int_equal(sum.billed, 58400064000);
        assert_int_equal(sum.effective, 9440010345); // 58,400.064 x 59 / 365 = 9,440.0103452...
        assert_int_equal(sum.after, sum.billed - sum.effective);
        case_free(x);
    }
}

/* By the hour: February has 672 hours, in a leap year 696, January 744, April 720. */
static void hours_of_real_months(void **state)
{
    (void)state;
    static const struct {
        const char *start;
        int64_t hours;
    } month[] = {{"2026-02-01", 672}, {"2028-02-01", 696}, {"2026-01-01", 744}, {"2026-04-01", 720}};
    for (size_t i = 0; i < 4; i++) {
        struct price_case *x = case_bare(month[i].start, month[i].hours * RR_H);
        case_pool(x, NULL, "prepaid", "{\"rate\": \"$0.125/gpu/h\"}");
        case_lease(x, 0, RR_H);
        case_bill(x);
        assert_int_equal(case_sum(x, NULL).billed, month[i].hours * USD);
        case_free(x);
    }
}

static void prepaid_that_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *start, *plan, *why;
    } bad[] = {
        {NULL, "{\"rate\": \"$1/h\"}", "needs a calendar"},
        {"2026-01-01", "{\"rate\": \"$1/h\", \"period\": \"30 days\"}", "whole months"},
        {"2026-01-01", "{\"rate\": \"CNY 1/h\"}", "no rate for CNY"},
        {"2026-01-01", "{\"rate\": \"$-1/h\"}", "negative"},
        {"2026-01-01", "{}", "needs \"rate\""},
        {"2026-01-01", "{\"rate\": \"$1/h\", \"sold_out\": true}", "sold out"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct price_case *x = case_bare(bad[i].start, RR_D);
        case_pool(x, NULL, "prepaid", bad[i].plan);
        case_refused(x, bad[i].why);
        case_free(x);
    }
}

/* ---- capacity blocks ---- */

static struct price_case *block(int64_t horizon_us, const char *rest)
{
    struct price_case *x = case_new("2026-01-01", horizon_us);
    case_pool(x, P5, "on_demand", "{\"rate\": \"$55/h\", \"minimum\": \"0 s\"}");
    case_commitment(x, "capacity_block", "cb",
                    rr_strf(x->arena, "{\"instance\": \"" P5 "\", \"region\": \"us-east-1\", \"count\": 2, %s}", rest));
    return x;
}

/* Two nodes for 24 hours from 31 January 12:00 at $31.464: $1,510.272, paid at the start; half accrues in January. Use outside is on demand. */
static void a_block_covers_its_window(void **state)
{
    (void)state;
    struct price_case *x = block(59 * RR_D, "\"start\": \"2026-01-31T12:00:00Z\", \"term\": \"24 h\", \"rate\": \"$3.933/gpu/h\"");
    const int64_t begin = case_at(x, "2026-01-31T12:00:00Z");
    case_lease(x, begin - RR_H, begin + 5 * RR_H);
    case_lease(x, begin + 23 * RR_H, begin + 26 * RR_H);
    case_bill(x);
    assert_int_equal(case_type(x, "capacity_block", true), 1510272000);
    assert_int_equal(case_type(x, "capacity_block", false), 1510272000);
    assert_int_equal(x->charge.at[0].billed.micro, 1510272000);
    assert_int_equal(x->charge.at[0].due_us, 0);
    assert_int_equal(x->charge.at[0].effective.micro, 755136000);
    assert_int_equal(x->charge.at[0].from_us, begin);
    assert_true(x->billing.usage[0].covered == 6 * RR_H);
    assert_int_equal(case_type(x, "on_demand", false), 3 * 55 * USD);
    case_free(x);
}

static void a_block_behind_the_horizon_is_still_paid(void **state)
{
    (void)state;
    struct price_case *x =
        block(20 * RR_D, "\"from\": \"1 month\", \"term\": \"14 days\", \"upfront\": \"$1,000\", \"bought\": \"5 days\"");
    case_bill(x);
    const struct case_sum sum = case_sum(x, "capacity block");
    assert_int_equal(sum.billed, 2000 * USD);
    assert_int_equal(sum.effective, 0);
    assert_int_equal(sum.after, 2000 * USD);
    assert_int_equal(case_notes(x, RR_NOTE_WARNING, "behind the horizon"), 1);
    case_free(x);
}

static void blocks_that_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *rest, *why;
    } bad[] = {
        {"\"term\": \"1 day\", \"rate\": \"$1/h\"", "give \"start\""},
        {"\"term\": \"1 day\", \"rate\": \"$1/h\", \"from\": \"1 day\", \"start\": \"2026-01-02\"", "give \"start\""},
        {"\"term\": \"1 day\", \"rate\": \"$1/h\", \"start\": \"2025-01-02\"", "before the start"},
        {"\"term\": \"1 day\", \"rate\": \"$1/h\", \"from\": \"1 day\", \"bought\": \"2 days\"", "behind the beginning"},
        {"\"term\": \"1 day\", \"rate\": \"$1/h\", \"upfront\": \"$3\", \"from\": \"1 day\"", "not both"},
        {"\"term\": \"1 day\", \"from\": \"1 day\", \"upfront\": \"$-4\"", "negative"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct price_case *x = block(RR_D, bad[i].rest);
        case_refused(x, bad[i].why);
        case_free(x);
    }
}

/* The facts have a price for p5; a machine without a price is never free. */
static void a_block_price_of_the_facts(void **state)
{
    (void)state;
    struct price_case *x = block(3 * RR_D, "\"term\": \"1 day\", \"from\": \"1 day\"");
    case_bill(x);
    const struct rr_price_row *row;
    assert_int_equal(rr_catalog_price(&x->catalog, P5, "us-east-1", "capacity_block", "", "", &row), RR_OK);
    assert_int_equal(case_type(x, "capacity_block", true), row->rate.rate.nano / 1000 * 48);
    assert_int_equal(case_notes(x, RR_NOTE_ASSUMED, "capacity block price"), 1);
    case_free(x);
    x = case_bare("2026-01-01", RR_D);
    case_pool(x, P5, "on_demand", "{\"rate\": \"$55/h\"}");
    case_commitment(x, "capacity_block", "cb", "{\"instance\": \"" P5 "\", \"count\": 2, \"term\": \"1 day\", \"from\": \"1 day\"}");
    case_refused(x, "no \"rate\" or \"upfront\" is given");
    case_free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_period_that_has_begun_is_paid),
        cmocka_unit_test(a_year_ahead_is_cheaper),
        cmocka_unit_test(hours_of_real_months),
        cmocka_unit_test(prepaid_that_is_refused),
        cmocka_unit_test(a_block_covers_its_window),
        cmocka_unit_test(a_block_behind_the_horizon_is_still_paid),
        cmocka_unit_test(blocks_that_are_refused),
        cmocka_unit_test(a_block_price_of_the_facts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
