/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_price_owned_life.c - how owned machines are written off, sold, kept, borrowed for and leased. */
#include "tests/unit/price_case.h"
#include <math.h>
#include <stdio.h>

#define USD  INT64_C(1000000)
#define BARE "\"max_power\": \"1 kW\", \"idle_power\": \"1 kW\", \"electricity\": \"$0/kWh\", \"colocation\": \"$0/month\""

static struct price_case *world(const char *start, int64_t horizon_us, int64_t nodes, const char *params)
{
    struct price_case *x = case_new(start, horizon_us);
    struct rr_pool *pool = case_pool(x, NULL, "owned", params);
    pool->nodes_min = pool->nodes_max = nodes;
    return x;
}

static int64_t left(const struct price_case *x, int64_t at_us)
{
    struct rr_money value;
    assert_int_equal(rr_bill_terminal(&x->billing, at_us, &value), RR_OK);
    return value.micro;
}

/* Effective cost of a line in a calendar year. */
static int64_t in_year(const struct price_case *x, const char *line, int year)
{
    int64_t sum = 0;
    for (size_t i = 0; i < x->charge.n; i++) {
        const struct rr_charge *c = &x->charge.at[i];
        if (strcmp(c->line, line) == 0 && rr_civil_of(x->s.clock.start_us + c->from_us).year == year) sum += c->effective.micro;
    }
    return sum;
}

/* Published: MACRS, 5 years; all of 400,000 although a residual is given; the half year of 2031 is written off in the books' sixth year. */
static void macrs_goes_by_tax_years(void **state)
{
    (void)state;
    static const double percent[] = {20, 32, 19.2, 11.52, 11.52, 5.76};
    struct price_case *x = world("2026-05-01", 365 * RR_D, 1,
                                 "{\"price\": \"$400,000\", \"life\": \"5 years\", \"depreciation\": \"macrs\", \"maintenance\": 0,"
                                 " \"at_end\": \"extend\", " BARE "}");
    x->s.horizon_us = case_at(x, "2032-01-01");
    case_bill(x);
    for (int k = 0; k < 6; k++) assert_int_equal(in_year(x, "depreciation", 2026 + k), (int64_t)llround(percent[k] * 4000 * 1e6));
    assert_int_equal(case_sum(x, "depreciation").billed, 400000 * USD);
    assert_int_equal(left(x, case_at(x, "2027-01-01")), 320000 * USD);
    assert_int_equal(left(x, x->s.horizon_us), 0);
    case_free(x);
}

/* Published: SYD(30, 7, 10, 1) = 4.1818...; DDB(1000000, 100000, 6) with its last year at the salvage. */
static void years_of_syd_and_double_declining(void **state)
{
    (void)state;
    struct price_case *x = world("2026-01-01", 365 * RR_D, 1,
                                 "{\"price\": \"$30\", \"residual\": 0.233333333, \"life\": \"10 years\", \"maintenance\": 0,"
                                 " \"depreciation\": \"sum_of_years\", " BARE "}");
    case_bill(x);
    assert_true(llabs(case_sum(x, "depreciation").effective - 4181818) <= 1);
    case_free(x);

    static const double ddb[] = {333333.3333, 222222.2222, 148148.1481, 98765.4321, 65843.6214, 31687.2428};
    x = world("2026-01-01", 365 * RR_D, 1,
              "{\"price\": \"$1,000,000\", \"residual\": 0.1, \"life\": \"6 years\", \"maintenance\": 0, \"depreciation\": \"declining\","
              " " BARE "}");
    x->s.horizon_us = case_at(x, "2032-01-01");
    case_bill(x);
    for (int k = 0; k < 6; k++) assert_true(fabs((double)in_year(x, "depreciation", 2026 + k) / 1e6 - ddb[k]) < 1e-3);
    case_free(x);
}

/* In service on 10 March; 48 months of 1,000 from April on: none in March, and the books end with March 2030. */
static void a_first_period_may_begin_with_the_next_month(void **state)
{
    (void)state;
    struct price_case *x = world("2026-03-10", 31 * RR_D, 1,
                                 "{\"price\": \"$48,000\", \"residual\": 0, \"life\": \"4 years\", \"maintenance\": 0,"
                                 " \"first_period\": \"next_month\", " BARE "}");
    x->s.horizon_us = case_at(x, "2026-04-01");
    case_bill(x);
    assert_int_equal(case_sum(x, "depreciation").effective, 0);
    assert_int_equal(case_sum(x, "depreciation").billed, 48000 * USD);
    x->s.horizon_us = case_at(x, "2027-04-01");
    case_bill(x);
    assert_true(llabs(case_sum(x, "depreciation").effective - 48000 * USD * 365 / 1461) <= 1);
    case_free(x);

    x = world("2026-01-01", 365 * RR_D, 1,
              "{\"price\": \"$40,000\", \"residual\": 0.1, \"life\": \"4 years\", \"maintenance\": 0, \"bonus\": \"40 %\", " BARE "}");
    case_bill(x); // 36,000: 14,400 at once, and 365 of 1,461 days of 21,600
    assert_true(llabs(case_sum(x, "depreciation").effective - (14400 * USD + 21600 * USD * 365 / 1461)) <= 1);
    assert_true(llabs(x->charge.at[0].effective.micro - (14400 * USD + 21600 * USD * 31 / 1461)) <= 1);
    case_free(x);
}

#define LIFE3 "{\"price\": \"$9,000\", \"life\": \"3 years\", \"maintenance\": 0, " BARE

/* Half way between 1 year (60 %) and 3 years (20 %) it is 40 %; with a residual of 0 in the books the sale is all gain. */
static void resale_follows_the_path_of_prices(void **state)
{
    (void)state;
    struct price_case *x =
        world("2026-01-01", 1461 * RR_D, 2, LIFE3 ", \"residual\": 0, \"resale\": {\"1 year\": \"60 %\", \"3 years\": \"20 %\"}}");
    case_bill(x);
    assert_int_equal(case_sum(x, "resale").billed, -3600 * USD);
    assert_int_equal(case_sum(x, "resale").effective, -3600 * USD);
    assert_int_equal(case_sum(x, "depreciation").billed, 36000 * USD);
    assert_int_equal(left(x, case_at(x, "2027-01-01")), 10800 * USD);
    assert_true(llabs(left(x, case_at(x, "2028-01-01")) - (10800 * USD - 7200 * USD * 365 / 731)) <= 18); // 2028 is a leap year
    assert_true(llabs(left(x, case_at(x, "2026-07-02")) - (18000 * USD - 7200 * USD * 182 / 365)) <= 18);
    case_free(x);

    /* Without a residual the books aim at what the sale will bring: neither gain nor loss. */
    x = world("2026-01-01", 1461 * RR_D, 2, LIFE3 ", \"resale\": {\"1 year\": \"60 %\", \"3 years\": \"20 %\"}}");
    case_bill(x);
    assert_int_equal(case_sum(x, "resale").effective, 0);
    assert_int_equal(case_sum(x, "resale").billed, -3600 * USD);
    case_free(x);

    /* A third less each year of 365.25 days: sold after 1,096 days for 9,000 x (2/3)^(1096/365.25). */
    x = world("2026-01-01", 1461 * RR_D, 1, LIFE3 ", \"residual\": 0, \"resale_change_per_year\": -0.3333333333333333}");
    case_bill(x);
    assert_true(fabs((double)-case_sum(x, "resale").billed / 1e6 - 9000 * pow(2.0 / 3, 1096 / 365.25)) < 1e-4);
    case_free(x);
}

/* MACRS of 3 years: when sold after 3, the last 7.41 % are still in the books, and are lost or pay for the gain. */
static void what_the_books_still_have_is_lost_at_the_sale(void **state)
{
    (void)state;
    struct price_case *x = world("2026-01-01", 1461 * RR_D, 1, LIFE3 ", \"depreciation\": \"macrs\", \"resale\": {\"3 years\": \"5 %\"}}");
    case_bill(x);
    const int64_t book = 9000 * USD * 741 / 10000;
    assert_int_equal(case_sum(x, "resale").billed, -450 * USD);
    assert_int_equal(case_sum(x, "resale").effective, book - 450 * USD);
    assert_int_equal(in_year(x, "depreciation", 2029), 9000 * USD * 3333 / 10000); // of the new one
    case_free(x);
}

/* Past their life of a year machines cost 15 % instead of 10 %; after two more they are sold for nothing and replaced, a tenth cheaper a year. */
static void machines_may_be_kept(void **state)
{
    (void)state;
    const char *common = "{\"price\": \"$12,000\", \"residual\": 0, \"life\": \"1 year\", \"maintenance\": 0.1,"
                         " \"extended_maintenance\": 0.15, \"at_end\": \"extend\"";
    char text[600];
    snprintf(text, sizeof text, "%s, " BARE "}", common);
    struct price_case *x = world("2025-01-01", 730 * RR_D, 1, text);
    case_bill(x);
    assert_int_equal(case_sum(x, "depreciation").billed, 12000 * USD);
    assert_int_equal(case_sum(x, "depreciation").effective, 12000 * USD);
    assert_int_equal(in_year(x, "maintenance", 2025), 1200 * USD);
    assert_int_equal(in_year(x, "maintenance", 2026), 1800 * USD);
    case_free(x);

    snprintf(text, sizeof text, "%s, \"extended_life\": \"2 years\", \"price_change_per_year\": \"-10 %%\", " BARE "}", common);
    x = world("2025-01-01", (3 * 365 + 31) * RR_D, 1, text); // 1,095 days later
    case_bill(x);
    assert_true(fabs((double)case_sum(x, "depreciation").billed / 1e6 - 12000 * (1 + pow(0.9, 1095 / 365.25))) < 1e-4);
    assert_int_equal(in_year(x, "maintenance", 2027), 1800 * USD);
    assert_int_equal(in_year(x, "maintenance", 2028), 100 * USD);
    case_free(x);
}

/* Bought on 1 July 2025, written off over 2 years of 365 days to 1 July 2027: sunk, but 181 days of 2026 H1 and so on are a cost. */
static void what_is_there_already_is_sunk(void **state)
{
    (void)state;
    struct price_case *x = world("2026-01-01", 730 * RR_D, 3,
                                 "{\"price\": \"$7,300\", \"residual\": 0.1, \"life\": \"2 years\", \"maintenance\": 0,"
                                 " \"bought\": \"2025-07-01\", " BARE "}");
    case_bill(x);
    assert_int_equal(in_year(x, "depreciation", 2026), 3 * 9 * 365 * USD);
    assert_int_equal(case_sum(x, "depreciation").billed, 3 * 7300 * USD); // the new ones, on 1 July 2027
    assert_int_equal(case_sum(x, "resale").billed, -3 * 730 * USD);
    assert_int_equal(left(x, 0), 3 * (7300 - 9 * 184) * USD);
    case_free(x);
}

/* Published: 100,000 over 36 months at 8 %/12 is 3133.636546143113 a month. */
static void a_loan_pays_and_is_paid_back(void **state)
{
    (void)state;
    struct price_case *x = world("2026-01-01", 1461 * RR_D, 1,
                                 "{\"price\": \"$125,000\", \"residual\": 0, \"life\": \"4 years\", \"maintenance\": 0,"
                                 " \"loan\": {\"share\": \"80 %\", \"rate\": \"8 %\", \"term\": \"36 months\"}, " BARE "}");
    case_bill(x);
    int64_t due[37] = {0};
    for (size_t i = 0; i < x->charge.n; i++) {
        const struct rr_charge *c = &x->charge.at[i];
        if (strcmp(c->line, "loan") != 0 && strcmp(c->line, "interest") != 0) continue;
        struct rr_civil at = rr_civil_of(x->s.clock.start_us + c->due_us);
        assert_int_equal(at.day, 1);
        due[(at.year - 2026) * 12 + at.month - 1] += c->billed.micro;
    }
    assert_int_equal(due[0], -100000 * USD);
    for (int k = 1; k < 36; k++) assert_int_equal(due[k], 3133636546);
    assert_true(llabs(due[36] - 3133636546) < 50); // what rounding left
    assert_int_equal(case_sum(x, "loan").billed, 0);
    assert_int_equal(case_sum(x, "loan").effective, 0);
    assert_int_equal(case_sum(x, "interest").effective, case_sum(x, "interest").billed);
    assert_true(fabs((double)case_sum(x, "interest").billed / 1e6 - (36 * 3133.636546143113 - 100000)) < 1e-4);
    assert_int_equal(case_sum(x, "depreciation").billed, 125000 * USD);

    /* A horizon of 18 months: half of the payments, the rest stays owed; its interest is shown. */
    x->s.horizon_us = case_at(x, "2027-07-01");
    case_bill(x);
    const struct case_sum interest = case_sum(x, "interest");
    assert_int_equal(interest.n, 18);
    /* CUMPRINC by the annuity: what is left after 18 payments is worth 18 payments. */
    const double owed = 3133.636546143113 * (1 - pow(1 + 0.08 / 12, -18)) / (0.08 / 12);
    assert_true(fabs((double)-case_sum(x, "loan").billed / 1e6 - owed) < 1e-4);
    case_free(x);

    /* Sold after two years, with a balloon of half: all that is owed is paid back then. */
    x = world("2026-01-01", 1461 * RR_D, 1,
              "{\"price\": \"$100,000\", \"residual\": 0, \"life\": \"700 days\", \"maintenance\": 0,"
              " \"loan\": {\"rate\": 0.09, \"term\": \"60 months\", \"balloon\": 0.5, \"payments\": \"advance\"}, " BARE "}");
    x->s.horizon_us = case_at(x, "2028-01-01"); // day 730
    case_bill(x);
    assert_true(case_sum(x, "loan").billed < 0); // of the second one, 30 days old
    assert_true(llabs(case_sum(x, "loan").billed) < 100000 * USD);
    case_free(x);
}

/* Published: the same with 20,000 residual, arrears / advance: 2640.2425702478236 / 2622.757520113732 a month. */
static void leased_machines_cost_their_payments(void **state)
{
    (void)state;
    struct price_case *x = world("2026-01-01", 1461 * RR_D, 1,
                                 "{\"price\": \"$100,000\", \"maintenance\": 0,"
                                 " \"lease\": {\"rate\": 0.08, \"term\": \"36 months\", \"residual\": \"20 %\"}, " BARE "}");
    x->s.horizon_us = case_at(x, "2029-01-01");
    case_bill(x);
    assert_int_equal(case_sum(x, NULL).n, 36);
    assert_true(fabs((double)case_sum(x, "lease").billed / 1e6 - 36 * 2640.2425702478236) < 1e-4);
    assert_int_equal(case_sum(x, "lease").billed, case_sum(x, "lease").effective);
    assert_int_equal(x->charge.at[0].due_us, 31 * RR_D);
    assert_int_equal(left(x, 365 * RR_D), 0);
    case_free(x);

    x = world("2026-01-01", 45 * RR_D, 2,
              "{\"price\": \"$100,000\", \"maintenance\": 0,"
              " \"lease\": {\"rate\": 0.08, \"term\": \"36 months\", \"residual\": \"20 %\", \"payments\": \"advance\"}, " BARE "}");
    case_bill(x); // 15 February: half of the second payment is used up
    assert_int_equal(case_sum(x, "lease").billed, 4 * 2622757520);
    assert_true(llabs(case_sum(x, "lease").effective - 3 * 2622757520) <= 2);
    assert_true(llabs(case_sum(x, "lease").after - 2622757520) <= 2);
    assert_int_equal(x->charge.at[0].due_us, 0);
    case_free(x);
}

static void refuse(const char *params, const char *why)
{
    char text[600];
    snprintf(text, sizeof text, "{\"price\": \"$1\", " BARE ", %s}", params);
    struct price_case *x = world("2026-01-01", 400 * RR_D, 1, text);
    case_refused(x, why);
    case_free(x);
}

static void terms_that_do_not_go_together_are_refused(void **state)
{
    (void)state;
    refuse("\"depreciation\": \"macrs\", \"life\": \"4 years\"", "MACRS has classes of 3, 5 and 7 years");
    refuse("\"depreciation\": \"sum_of_years\", \"life\": \"18 months\"", "whole years");
    refuse("\"depreciation\": \"declining\", \"life\": \"500 days\"", "in months or years");
    refuse("\"resale\": {\"2 years\": \"40 %\", \"1 year\": \"60 %\"}", "ages must ascend");
    refuse("\"resale\": {\"soon\": \"40 %\"}", "\"resale\": an age is expected");
    refuse("\"resale\": {\"1 year\": \"$5\"}", "a share of the price is expected");
    refuse("\"resale\": {\"1 year\": \"60 %\"}, \"resale_change_per_year\": -0.1", "not both");
    refuse("\"extended_life\": \"1 year\"", "needs \"at_end\": \"extend\"");
    refuse("\"extended_maintenance\": 0.1", "needs \"at_end\": \"extend\"");
    refuse("\"bought\": \"2026-02-01\"", "a date before the scenario's start");
    refuse("\"loan\": {\"rate\": 0.1, \"term\": \"1 year\"}, \"lease\": {\"rate\": 0.1, \"term\": \"1 year\"}", "not both");
    refuse("\"loan\": {\"rate\": 0.1, \"term\": \"10 days\"}", "whole months");
    refuse("\"lease\": {\"rate\": 0.1, \"term\": \"100 years\"}", "whole months");
    refuse("\"lease\": {\"rate\": 0.1, \"term\": \"1 year\"}, \"life\": \"2 years\"", "no \"life\" but its term");
    refuse("\"lease\": {\"rate\": 0.1, \"term\": \"1 year\"}, \"at_end\": \"extend\"", "cannot be extended");
    refuse("\"bought\": \"2025-02-01\", \"loan\": {\"rate\": 0.1, \"term\": \"1 year\"}", "\"existing\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(macrs_goes_by_tax_years),
        cmocka_unit_test(years_of_syd_and_double_declining),
        cmocka_unit_test(a_first_period_may_begin_with_the_next_month),
        cmocka_unit_test(resale_follows_the_path_of_prices),
        cmocka_unit_test(what_the_books_still_have_is_lost_at_the_sale),
        cmocka_unit_test(machines_may_be_kept),
        cmocka_unit_test(what_is_there_already_is_sunk),
        cmocka_unit_test(a_loan_pays_and_is_paid_back),
        cmocka_unit_test(leased_machines_cost_their_payments),
        cmocka_unit_test(terms_that_do_not_go_together_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
