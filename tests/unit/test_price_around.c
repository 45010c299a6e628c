/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_price_around.c - what is paid around machines: storage, backup, transfer, services, support. */
#include "tests/unit/price_case.h"

#define USD INT64_C(1000000)
#define GB  INT64_C(1000000000)
#define TB  (1000 * GB)

static struct price_case *world(const char *start, int64_t days) { return case_bare(start, days * RR_D); }

/* A month is a month, whether it has 672, 696, 720 or 744 hours; part of one goes by its hours. */
static void a_month_costs_a_month(void **state)
{
    (void)state;
    static const struct {
        const char *start;
        int days;
    } month[] = {{"2026-02-01", 28}, {"2028-02-01", 29}, {"2026-04-01", 30}, {"2026-01-01", 31}};
    for (size_t i = 0; i < 4; i++) {
        struct price_case *x = world(month[i].start, month[i].days);
        case_around(x, "storage", "data", "{\"size\": \"500 TB\", \"rate\": \"$0.023/GB/month\"}");
        case_bill(x);
        assert_int_equal(x->charge.n, 1);
        assert_int_equal(x->charge.at[0].billed.micro, 11500 * USD);
        assert_true(x->charge.at[0].quantity == 500000);
        x->s.horizon_us = 7 * RR_D;
        case_bill(x);
        assert_int_equal(x->charge.at[0].billed.micro, (11500 * USD * 7 + month[i].days / 2) / month[i].days);
        case_free(x);
    }
}

/* S3's first tiers; the edge is 50 TB kept for the whole month, to the byte. A GiB is not a GB. */
static void storage_tiers_are_marginal(void **state)
{
    (void)state;
    static const struct {
        const char *size;
        int64_t want;
    } at[] = {{"50 TB", 1150 * USD},
              {"49999999999999 B", 1150 * USD}, // a byte less is 0.000023 micro-units
              {"50000000000001 B", 1150 * USD},
              {"49999999956521 B", 1150 * USD - 1}, // 43,479 bytes less: a micro-unit
              {"50000000045455 B", 1150 * USD + 1}, // 45,455 bytes more at $0.022
              {"600 TB", 1150 * USD + 9900 * USD + 2100 * USD},
              {"1 GiB", 24696}}; // 1.073741824 x $0.023 = 24,696.06 micro-units
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        struct price_case *x = world("2026-03-01", 31);
        case_around(
            x, "storage", "data",
            rr_strf(
                x->arena,
                "{\"size\": \"%s\", \"tiers\": [{\"up_to\": \"50 TB\", \"rate\": \"$0.023/GB/month\"}, {\"up_to\": \"500 TB\", \"rate\": "
                "\"$0.022/GB/month\"}, {\"rate\": \"$0.021/GB/month\"}]}",
                at[i].size));
        case_bill(x);
        assert_int_equal(case_sum(x, NULL).billed, at[i].want);
        case_free(x);
    }
}

/* 100 TB, 10 TB more each month, and 20 % a year on the 100: in month 6 100 x 1.2^0.5 + 60. Throughput beside it. */
static void storage_grows(void **state)
{
    (void)state;
    struct price_case *x = world("2026-01-01", 212);
    case_around(x, "storage", "data",
                "{\"size\": \"100 TB\", \"grows\": \"10 TB\", \"growth_per_year\": \"20 %\", \"rate\": \"$0.02/GB/month\","
                " \"throughput\": \"2 GB/s\", \"throughput_rate\": \"$0.04\"}");
    case_bill(x);
    assert_int_equal(x->charge.n, 14);
    assert_int_equal(x->charge.at[0].billed.micro, 2000 * USD);
    assert_int_equal(x->charge.at[1].billed.micro, 80 * USD);
    assert_int_equal(x->charge.at[12].billed.micro, 3390890230); // (109.5445115010332 + 60) TB x $20
    case_free(x);
}

/* What jobs leave behind stays for two months: 8 GPUs for 10 h in January and 20 h in February, 1 TB a GPU-hour. */
static void jobs_leave_data_behind(void **state)
{
    (void)state;
    struct price_case *x = world("2026-01-01", 120);
    case_pool(x, NULL, "on_demand", "{\"rate\": \"$1/h\"}");
    case_lease(x, 0, 10 * RR_H);
    x->lease[0].used_milli_us = 8000 * 10 * RR_H;
    case_lease(x, 31 * RR_D, 31 * RR_D + 20 * RR_H);
    x->lease[1].used_milli_us = 8000 * 20 * RR_H;
    case_around(x, "storage", "data", "{\"per_gpu_hour\": \"1 TB\", \"keep_months\": 2, \"rate\": \"$0.01/GB/month\"}");
    case_bill(x);
    static const int64_t tb[] = {80, 240, 160};
    assert_int_equal(case_sum(x, "data").n, 3); // nothing is left in April
    for (size_t i = 0, k = 0; i < x->charge.n; i++)
        if (strcmp(x->charge.at[i].line, "data") == 0) assert_int_equal(x->charge.at[i].billed.micro, tb[k++] * 10 * USD);
    case_free(x);
}

/* 10 TB, 1 % a day kept for 30 days, 59 days: 10 x (59 + 0.01 x (0 + 1 + ... + 29 + 29 x 30)) TB-days, in months of 31 and 28. */
static void backup_keeps_the_changes(void **state)
{
    (void)state;
    struct price_case *x = world("2026-01-01", 59);
    case_around(x, "backup", "copy",
                "{\"size\": \"10 TB\", \"change_per_day\": \"1 %\", \"rate\": \"$0.05/GB/month\", \"copy_rate\": \"$0.02/GB\"}");
    case_bill(x);
    const int64_t january = 500 * USD * 3100 / 3100 + 500 * USD * 465 / 3100; // 0 + 1 + ... + 30 = 465
    assert_int_equal(x->charge.at[0].billed.micro, january);
    assert_int_equal(x->charge.at[1].billed.micro, 200 * USD + 30 * 2 * USD); // the whole, and 30 days of 100 GB
    assert_int_equal(x->charge.at[2].billed.micro, 500 * USD * 130 / 100);
    assert_int_equal(x->charge.at[3].billed.micro, 28 * 2 * USD);
    assert_string_equal(x->charge.at[0].type, "storage");
    case_free(x);
}

/* AWS's egress tiers of facts common to all price pages: $0.09 to 10 TB, $0.085 to 50 TB, $0.07 to 150 TB, $0.05 above; 100 GB free. Each month
 * starts anew. */
#define EGRESS                                                                                                                        \
    "\"tiers\": [{\"up_to\": \"10 TB\", \"rate\": \"$0.09/GB\"}, {\"up_to\": \"50 TB\", \"rate\": \"$0.085/GB\"}, {\"up_to\": \"150 " \
    "TB\", "                                                                                                                          \
    "\"rate\": \"$0.07/GB\"}, {\"rate\": \"$0.05/GB\"}]"

static void transfer_tiers_start_anew_each_month(void **state)
{
    (void)state;
    static const struct {
        const char *per_month;
        int64_t want;
    } at[] = {{"100 GB", 0},
              {"101 GB", 90000},
              {"10100 GB", 900 * USD},
              {"10099999999999 B", 900 * USD},
              {"10100000000001 B", 900 * USD},
              {"10100000011765 B", 900 * USD + 1}, // 11,765 bytes at $0.085 are a micro-unit
              {"10099999988888 B", 900 * USD - 1}, // 11,112 bytes at $0.09
              {"200100 GB", 900 * USD + 3400 * USD + 7000 * USD + 2500 * USD}};
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        struct price_case *x = world("2026-01-01", 90);
        case_around(x, "transfer", "out",
                    rr_strf(x->arena, "{\"per_month\": \"%s\", \"allowance\": \"100 GB\", " EGRESS "}", at[i].per_month));
        case_bill(x);
        assert_int_equal(case_sum(x, "egress").billed, 3 * at[i].want);
        case_free(x);
    }
}

static void transfer_follows_the_work(void **state)
{
    (void)state;
    struct price_case *x = world("2026-01-01", 31);
    case_pool(x, NULL, "on_demand", "{\"rate\": \"$1/h\"}");
    case_lease(x, 0, 10 * RR_H);
    x->lease[0].used_milli_us = 8000 * 10 * RR_H;
    case_around(x, "transfer", "sync",
                "{\"kind\": \"inter_region\", \"per_gpu_hour\": \"5 GB\", \"per_job\": \"7 GB\", \"rate\": \"$0.02/GB\"}");
    x->call = (struct rr_call[]){{.end_us = RR_H, .finished = true}, {.end_us = 2 * RR_H}, {.end_us = 3 * RR_H, .finished = true}};
    x->n_calls = 3;
    case_bill(x);
    assert_int_equal(case_sum(x, "inter_region").billed, (400 + 14) * 20000);
    x->call = NULL;
    case_refused_bill(x, "the jobs are not known");
    case_free(x);
}

/* Two addresses at $0.005 an hour, three keys at $1 a month, 25 million calls of which 20,000 are free. */
static void services_by_time_and_by_unit(void **state)
{
    (void)state;
    struct price_case *x = world("2026-01-01", 59);
    case_around(x, "services", "addresses", "{\"count\": 2, \"rate\": \"$0.005/h\", \"unit\": \"address\"}");
    case_around(x, "services", "keys", "{\"count\": 3, \"rate\": \"$1/month\"}");
    case_around(x, "services", "calls",
                "{\"per_month\": 25000000, \"tiers\": [{\"up_to\": 20000, \"rate\": \"$0/call\"}, {\"rate\": \"$0.000003/call\"}]}");
    case_bill(x);
    assert_int_equal(case_sum(x, "addresses").billed, 2 * (744 + 672) * 5000);
    assert_int_equal(case_sum(x, "keys").billed, 6 * USD);
    assert_int_equal(case_sum(x, "calls").billed, 2 * 24980000 * 3);
    assert_string_equal(x->charge.at[0].unit, "address");
    case_free(x);
    /* A yearly price is a twelfth in each month. */
    x = world("2026-01-01", 59);
    case_around(x, "services", "licence", "{\"rate\": \"$1,200/year\", \"count\": 2.5}");
    case_bill(x);
    assert_int_equal(x->charge.at[0].billed.micro, 250 * USD);
    assert_int_equal(x->charge.at[1].billed.micro, 250 * USD);
    case_free(x);
}

/* Business support: 10 % to $10,000, 7 % to $80,000, 5 % to $250,000, 3 % above, at least $100. */
#define BUSINESS                                                                                                                        \
    "{\"minimum\": \"$100\", \"tiers\": [{\"up_to\": \"$10,000\", \"share\": \"10 %\"}, {\"up_to\": \"$80,000\", \"share\": \"7 %\"}, " \
    "{\"up_to\": \"$250,000\", \"share\": \"5 %\"}, {\"share\": \"3 %\"}]}"

static void support_is_a_share_of_the_bill(void **state)
{
    (void)state;
    static const struct {
        int64_t bill, want;
    } at[] = {{0, 100}, {900, 100}, {1100, 110}, {10000, 1000}, {85000, 1000 + 4900 + 250}, {300000, 1000 + 4900 + 8500 + 1500}};
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        struct price_case *x = world("2026-01-01", 31);
        case_around(x, "services", "bill", rr_strf(x->arena, "{\"rate\": \"$%lld/month\"}", (long long)at[i].bill));
        case_around(x, "support", "help", BUSINESS);
        case_bill(x);
        assert_int_equal(case_sum(x, "support").billed, at[i].want * USD);
        case_free(x);
    }
}

/* Owned machines do not count; what is paid upfront counts when it is paid, or as it accrues. */
static void what_support_counts(void **state)
{
    (void)state;
    struct price_case *x = case_new("2026-01-01", 59 * RR_D);
    case_pool(x, "aws/p5.48xlarge", "on_demand", "{\"rate\": \"$10/h\"}");
    case_lease(x, 0, RR_H);
    case_lease(x, 0, RR_H);
    case_commit(
        x, "ri",
        "{\"instance\": \"aws/p5.48xlarge\", \"region\": \"us-east-1\", \"count\": 1, \"term\": \"1 year\", \"upfront\": \"$36,500\","
        " \"payment\": \"all_upfront\"}");
    case_around(x, "support", "billed", "{\"share\": \"10 %\"}");
    case_around(x, "support", "accrued", "{\"share\": \"10 %\", \"on\": \"effective\"}");
    case_around(x, "support", "rest", "{\"share\": \"10 %\", \"of\": \"on_demand, spot\"}");
    case_bill(x);
    int64_t support[4] = {0};
    size_t n = 0;
    for (size_t i = 0; i < x->charge.n; i++)
        if (strcmp(x->charge.at[i].type, "support") == 0) support[n++] = x->charge.at[i].billed.micro;
    assert_int_equal(n, 4);
    assert_int_equal(support[0], 3651 * USD);
    assert_int_equal(support[1], 311 * USD); // 31 days of $100 and the hour
    assert_int_equal(support[2], 280 * USD);
    assert_int_equal(support[3], USD);
    case_free(x);
}

static void what_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *type, *params, *why;
    } bad[] = {
        {"storage", "{\"size\": \"1 TB\"}", "no price is given: \"rate\", such as \"$0.023/GB/month\""},
        {"storage", "{\"size\": \"1 TB\", \"rate\": \"$0.023/GB\"}", "must be like \"$0.023/GB/month\""},
        {"storage", "{\"size\": \"1 TB\", \"rate\": \"$-0.023/GB/month\"}", "negative"},
        {"storage", "{\"size\": \"1 TB\", \"rate\": \"EUR 0.023/GB/month\"}", "no rate for EUR"},
        {"storage", "{\"rate\": \"$0.023/GB/month\", \"throughput\": \"1 GB/s\"}", "together"},
        {"storage", "{\"rate\": \"$0.023/GB/month\", \"throughput\": \"fast\", \"throughput_rate\": \"$1\"}", "fast"},
        {"storage", "{\"rate\": \"$0.02/GB/month\", \"tiers\": [{\"rate\": \"$0.02/GB/month\"}]}", "not both"},
        {"storage", "{\"tiers\": [{\"up_to\": 5, \"rate\": \"$0.02/GB/month\"}, {\"rate\": \"$0.01/GB/month\"}]}", "limits are sizes"},
        {"storage", "{\"tiers\": [{\"share\": 0.1}]}", "each has a \"rate\""},
        {"backup", "{\"size\": \"1 TB\"}", "no price is given"},
        {"backup", "{\"size\": \"1 TB\", \"rate\": \"$0.05/GB/month\", \"copy_rate\": \"$3/GB/month\"}", "like \"$0.02/GB\""},
        {"transfer", "{\"per_month\": \"1 TB\", \"rate\": \"$0.09/h\"}", "must be like \"$0.09/GB\""},
        {"services", "{\"per_month\": 5, \"rate\": \"$1/month\"}", "a rate with a time is for \"count\" things"},
        {"services", "{\"count\": 5, \"rate\": \"$1/call\"}", "need a rate with a time"},
        {"services", "{\"count\": 5}", "\"count\" things need"},
        {"support", "{}", "no price is given"},
        {"support", "{\"share\": 0.1, \"tiers\": [{\"share\": 0.1}]}", "not both"},
        {"support", "{\"tiers\": [{\"up_to\": \"10 TB\", \"share\": 0.1}, {\"share\": 0.2}]}", "limits are amounts"},
        {"support", "{\"share\": 0.1, \"of\": \"on_demnd\"}", "\"on_demnd\" is no type"},
        {"support", "{\"minimum\": \"$-1\"}", "negative"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct price_case *x = world("2026-01-01", 31);
        case_around(x, bad[i].type, "a", bad[i].params);
        case_refused(x, bad[i].why);
        case_free(x);
    }
    struct price_case *x = case_bare(NULL, RR_D);
    case_around(x, "support", "a", "{\"share\": 0.1}");
    case_refused(x, "need a calendar");
    case_free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_month_costs_a_month),
        cmocka_unit_test(storage_tiers_are_marginal),
        cmocka_unit_test(storage_grows),
        cmocka_unit_test(jobs_leave_data_behind),
        cmocka_unit_test(backup_keeps_the_changes),
        cmocka_unit_test(transfer_tiers_start_anew_each_month),
        cmocka_unit_test(transfer_follows_the_work),
        cmocka_unit_test(services_by_time_and_by_unit),
        cmocka_unit_test(support_is_a_share_of_the_bill),
        cmocka_unit_test(what_support_counts),
        cmocka_unit_test(what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
