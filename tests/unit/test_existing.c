/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_existing.c - servers and commitments that are there already: read, billed, and imported from what AWS prints. */
#include "data/existing.h"
#include "tests/unit/price_case.h"
#include "tests/unit/test_dir.h"
#include <math.h>
#include <stdio.h>

#define USD  INT64_C(1000000)
#define HEAD "kind,name,date,cost,currency,life,book_value,kw,ends,recurring_per_hour\n"

static void put(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static struct price_case *world(const char *start, const char *end, const char *csv)
{
    struct price_case *x = case_new(start, RR_D);
    put("existing.csv", csv);
    x->s.horizon_us = case_at(x, end);
    case_around(x, "existing", "existing", "{\"file\": \"existing.csv\", \"pue\": 1.25, \"electricity\": \"$0.08/kWh\"}");
    return x;
}

/* 1,461 days from 2024 to 2028: 146,100 is 100 a day. A book value of 73,000 on 2026-01-01 with 2 years left is 100 a day too. */
static void sunk_cost_is_written_off_and_not_billed(void **state)
{
    (void)state;
    struct price_case *x = world("2026-01-01", "2027-01-01",
                                 HEAD "server,rack,2024-01-01,146100,USD,4 years,,8,,\n"
                                      "server,old,2020-01-01,999999,USD,8 years,73000,,,\n"
                                      "server,done,2019-01-01,500,USD,3 years,,2,,\n");
    case_bill(x);
    assert_int_equal(case_sum(x, "depreciation").billed, 0);
    assert_int_equal(case_sum(x, "depreciation").effective, (36500 + 36500) * USD);
    assert_true(case_sum(x, "energy").quantity == 8760 * 10 * 1.25);
    assert_int_equal(case_sum(x, "energy").billed, 8760 * USD); // 109,500 kWh at 8 ct
    assert_int_equal(case_sum(x, NULL).after, 0);
    case_free(x);
}

/* $61,320 paid for a year of 8,760 h from 1 July: 7 an hour; and 2.5 an hour still to pay. Half a year of it lies in the horizon, or a part. */
static void commitments_still_cost_what_recurs(void **state)
{
    (void)state;
    const char *csv = HEAD "commitment,ri,2025-07-01,61320,USD,,,,2026-07-01,2.5\n";
    struct price_case *x = world("2026-01-01", "2027-01-01", csv);
    case_bill(x);
    assert_int_equal(case_sum(x, "depreciation").effective, 7 * 24 * 181 * USD);
    assert_int_equal(case_sum(x, "depreciation").billed, 0);
    assert_int_equal(case_sum(x, "recurring").billed, 25 * 24 * 181 * USD / 10);
    assert_int_equal(case_sum(x, "recurring").n, 6);
    assert_int_equal(case_sum(x, NULL).after, 0);
    case_free(x);

    x = world("2026-01-01", "2026-04-01", csv);
    case_bill(x);
    assert_int_equal(case_sum(x, "recurring").after, 25 * 24 * 91 * USD / 10);
    assert_int_equal(case_sum(x, "depreciation").after, 7 * 24 * 91 * USD);
    case_free(x);
}

static void refuse(const char *csv, const char *why)
{
    struct price_case *x = world("2026-01-01", "2027-01-01", csv);
    case_refused(x, why);
    case_free(x);
}

static void bad_rows_are_refused_with_their_line(void **state)
{
    (void)state;
    refuse(HEAD "server,a,2024-01-01,1,USD,4 years,,,,\nserfer,b,2024-01-01,1,USD,4 years,,,,\n", "existing.csv:3: kind \"serfer\"");
    refuse(HEAD "server,a,2024-01-01,1,USD,,,,,\n", "existing.csv:2: the server \"a\" has no \"life\"");
    refuse(HEAD "server,a,2024-01-01,,USD,4 years,,,,\n", "no \"cost\" and no \"book_value\"");
    refuse(HEAD "server,a,2024-13-01,1,USD,4 years,,,,\n", "existing.csv:2: ");
    refuse(HEAD "server,a,2024-01-01,-1,USD,4 years,,,,\n", "\"cost\" is negative");
    refuse(HEAD "server,a,2024-01-01,1,,4 years,,,,\n", "has no currency");
    refuse(HEAD "server,a,2024-01-01,1,EUR,4 years,,,,\n", "existing.csv:2: ");
    refuse(HEAD "server,a,2026-01-02,1,USD,4 years,,,,\n", "it is not there yet");
    refuse(HEAD "server,a,2020-01-01,1,USD,4 years,5,,,\n", "its life has ended");
    refuse(HEAD "server,a,2020-01-01,1,USD,4 years,,much,,\n", "a power in kW");
    refuse(HEAD "server,a,2020-01-01,1,USD,4 years,,,2027-01-01,\n", "are a commitment's");
    refuse(HEAD "commitment,a,2025-01-01,1,USD,,,,,\n", "has no end");
    refuse(HEAD "commitment,a,2025-01-01,1,USD,,,,2025-01-01,\n", "ends before it begins");
    refuse(HEAD "commitment,a,2025-01-01,1,USD,1 year,,,2026-01-01,\n", "are a server's");
    refuse(HEAD "commitment,a,2026-02-01,1,USD,,,,2027-01-01,\n", "begins after the scenario's start");
    refuse("kind,name,date,watts\n", "existing.csv:1: unknown column \"watts\"");
    refuse("kind,name\n", "the column \"date\" is missing");
}

static struct rr_arena *arena;

static int setup(void **state)
{
    arena = rr_arena_create();
    return test_dir_make(state) == 0 ? chdir(test_dir) : -1;
}

static int teardown(void **state)
{
    rr_arena_free(arena);
    return chdir("/") == 0 ? test_dir_remove(state) : -1;
}

static enum rr_status import(const char *json, struct rr_buf *b, struct rr_commitments_found *found)
{
    put("aws.json", json);
    *found = (struct rr_commitments_found){0};
    return rr_commitments_import("aws.json", arena, b, found);
}

/* Forms as in the API references; figures of our own. 3 instances at $1.25 a year upfront and $0.05 + $0.013 an hour each. */
static void what_aws_prints_becomes_rows(void **state)
{
    (void)state;
    static const char reserved[] =
        "{\"ReservedInstances\": [{\"ReservedInstancesId\": \"ri-1\", \"InstanceType\": \"p5.48xlarge\", \"InstanceCount\": 3,"
        " \"Start\": \"2025-06-01T00:00:00.571000+00:00\", \"End\": \"2026-06-01T02:00:00+02:00\", \"Duration\": 31536000, \"State\": "
        "\"active\","
        " \"CurrencyCode\": \"USD\", \"FixedPrice\": 1.25, \"UsagePrice\": 0.013, \"OfferingType\": \"Partial Upfront\","
        " \"RecurringCharges\": [{\"Amount\": 0.05, \"Frequency\": \"Hourly\"}]}, {\"State\": \"retired\"}]}";
    static const char plans[] =
        "{\"savingsPlans\": [{\"savingsPlanId\": \"sp-2\", \"state\": \"active\", \"start\": \"2025-01-01T00:00:00.000Z\","
        " \"end\": \"2028-01-01T00:00:00.000Z\", \"currency\": \"USD\", \"commitment\": \"12.5\", \"upfrontPaymentAmount\": \"0.0\","
        " \"recurringPaymentAmount\": \"12.50000000\"}]}";
    struct rr_commitments_found found;
    struct rr_buf b = {0};
    struct rr_existing e;
    assert_int_equal(import(reserved, &b, &found), RR_OK);
    assert_true(found.n == 1 && found.left_out == 1);
    assert_int_equal(import(plans, &b, &found), RR_OK);
    assert_string_equal(
        rr_buf_text(&b),
        "kind,name,date,ends,cost,currency,recurring_per_hour,source,instance,region,count\n"
        "commitment,3 x p5.48xlarge ri-1,2025-06-01,2026-06-01,3.75,USD,0.189,aws ec2 describe-reserved-instances,aws/p5.48xlarge,,3\n"
        "commitment,savings plan sp-2,2025-01-01,2028-01-01,0,USD,12.5,aws savingsplans describe-savings-plans,,,\n");
    put("existing.csv", rr_buf_text(&b));
    assert_int_equal(rr_existing_read("existing.csv", arena, &e), RR_OK);
    assert_true(e.n == 2 && e.row[0].recurring.rate.nano == 189000000 && e.row[0].cost.money.micro == 3750000);
    rr_buf_done(&b);
}

static void what_is_not_from_aws_is_refused(void **state)
{
    (void)state;
    static const char *const bad[][2] = {
        {"{\"Reservations\": []}", "describe-reserved-instances"},
        {"{\"ReservedInstances\": [{\"State\": \"active\"}]}", "\"ReservedInstancesId\" is missing"},
        {"{\"ReservedInstances\": [{\"State\": \"active\", \"ReservedInstancesId\": \"r\", \"InstanceType\": \"t\", \"InstanceCount\": "
         "0}]}",
         "is no count"},
        {"{\"savingsPlans\": [{\"state\": \"active\", \"savingsPlanId\": \"s\", \"start\": \"soon\"}]}", "\"soon\" is no date"},
        {"{\"savingsPlans\": [{\"state\": \"active\", \"savingsPlanId\": \"s\", \"start\": \"2025-01-01\", \"end\": \"2026-01-01\", "
         "\"currency\":"
         " \"USD\", \"upfrontPaymentAmount\": \"-1\"}]}",
         "is no amount"},
        {"{\"savingsPlans\": [", "aws.json"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct rr_commitments_found found;
        struct rr_buf b = {0};
        assert_int_equal(import(bad[i][0], &b, &found), RR_EINPUT);
        if (!strstr(rr_reason(), bad[i][1])) fail_msg("\"%s\" lacks \"%s\"", rr_reason(), bad[i][1]);
        rr_buf_done(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sunk_cost_is_written_off_and_not_billed), cmocka_unit_test(commitments_still_cost_what_recurs),
        cmocka_unit_test(bad_rows_are_refused_with_their_line),    cmocka_unit_test(what_aws_prints_becomes_rows),
        cmocka_unit_test(what_is_not_from_aws_is_refused),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
