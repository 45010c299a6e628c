/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_price_contract.c - agreements that look at the whole bill, and credits. */
#include "tests/unit/price_case.h"

#define USD INT64_C(1000000)

/* The spend of each calendar month as hours at $12. */
static struct price_case *spending(const char *start, int64_t days, const int *hours, size_t n)
{
    struct price_case *x = case_bare(start, days * RR_D);
    case_pool(x, NULL, "on_demand", "{\"rate\": \"$12/h\"}");
    int64_t at = 0;
    for (size_t i = 0; i < n; i++) {
        if (hours[i] > 0) case_lease(x, at, at + hours[i] * RR_H);
        assert_int_equal(rr_month_next(&x->s.clock, at, &at), RR_OK);
    }
    return x;
}

/* Of one line, in the month that starts so many months after the start. */
static int64_t in_month(const struct price_case *x, const char *line, int64_t month)
{
    int64_t from, sum = 0;
    assert_int_equal(rr_time_add(&x->s.clock, 0, (struct rr_duration){month, 0}, &from), RR_OK);
    for (size_t i = 0; i < x->charge.n; i++)
        if (x->charge.at[i].from_us == from && (line == NULL || strcmp(x->charge.at[i].line, line) == 0))
            sum += x->charge.at[i].billed.micro;
    return sum;
}

/* FOCUS 1.2, the tables saas_spend_agreements_b1 and b2: $1,200 a year from April 2025 on, used 4, 10 and 5 hours at $12 in the first three months. */
static const int saas[] = {4, 10, 5};

static void what_is_missing_is_due_at_the_end(void **state)
{
    (void)state;
    struct price_case *x = spending("2025-04-01", 365, saas, 3);
    case_commitment(x, "contract", "c", "{\"term\": \"1 year\", \"minimum\": \"$1,200\"}");
    case_bill(x);
    assert_int_equal(case_sum(x, "compute").billed, (48 + 120 + 60) * USD);
    assert_int_equal(case_sum(x, "shortfall").billed, 972 * USD);
    assert_int_equal(in_month(x, "shortfall", 11), 972 * USD);
    assert_int_equal(x->charge.at[x->charge.n - 1].due_us, 365 * RR_D);
    assert_string_equal(x->charge.at[x->charge.n - 1].type, "contract");
    case_free(x);
}

/* With a minimum of $60 a month as well: $12 in April, nothing in May and June, $60 from July on; in March both come to $480. */
static void a_minimum_a_month_and_one_a_year(void **state)
{
    (void)state;
    struct price_case *x = spending("2025-04-01", 365, saas, 3);
    case_commitment(x, "contract", "month", "{\"term\": \"1 year\", \"period\": \"1 month\", \"minimum\": \"$60\"}");
    case_commitment(x, "contract", "year", "{\"term\": \"1 year\", \"minimum\": \"$1,200\"}");
    case_bill(x);
    static const int64_t want[] = {12, 0, 0, 60, 60, 60, 60, 60, 60, 60, 60, 480};
    for (int i = 0; i < 12; i++) assert_int_equal(in_month(x, "shortfall", i), want[i] * USD);
    assert_int_equal(case_sum(x, NULL).billed, 1200 * USD);
    case_free(x);
}

/* Take or pay 80 %; enough spend owes nothing; more is not paid back. */
static void a_share_of_what_is_missing(void **state)
{
    (void)state;
    static const struct {
        int hours;
        int64_t pays;
    } at[] = {{40, 416}, {100, 0}, {0, 800}, {84, 0}};
    for (size_t i = 0; i < 4; i++) {
        struct price_case *x = spending("2026-01-01", 31, &at[i].hours, 1);
        case_commitment(x, "contract", "c", "{\"term\": \"1 month\", \"minimum\": \"$1,000\", \"take_or_pay\": \"80 %\"}");
        case_bill(x);
        assert_int_equal(case_sum(x, "shortfall").billed, at[i].pays * USD);
        case_free(x);
    }
}

/* $100 a month, from March on $300; a year as three years of months. */
static void minimums_ramp_up(void **state)
{
    (void)state;
    const int hours[] = {5, 5, 5, 30};
    struct price_case *x = spending("2026-01-01", 120, hours, 4);
    case_commitment(
        x, "contract", "c",
        "{\"term\": \"1 year\", \"period\": \"1 month\", \"minimum\": \"$100\", \"ramp\": {\"2026-03-01\": \"$300\"}, \"renew\": false}");
    case_bill(x);
    static const int64_t want[] = {40, 40, 240, 0};
    for (int i = 0; i < 4; i++) assert_int_equal(in_month(x, "shortfall", i), want[i] * USD);
    case_free(x);
}

/* A year of $1,200 seen for 73 of 365 days: $240 of it by time, less the spend; what the rest still asks for is behind the horizon. */
static void a_running_period_is_settled_by_time(void **state)
{
    (void)state;
    const int hours[] = {5, 5, 5};
    struct price_case *x = spending("2026-01-01", 73, hours, 3);
    case_commitment(x, "contract", "c", "{\"term\": \"1 year\", \"minimum\": \"$1,200\"}");
    case_bill(x);
    const struct case_sum sum = case_sum(x, "shortfall");
    assert_int_equal(sum.billed, 60 * USD);
    assert_int_equal(sum.effective, 60 * USD);
    assert_int_equal(sum.after, 960 * USD);
    case_free(x);
}

/* 5 % above $600 and 10 % above $1,200, over a quarter: January $480, February $480, March $480. */
static void volume_discounts_are_marginal(void **state)
{
    (void)state;
    const int hours[] = {40, 40, 40, 40};
    struct price_case *x = spending("2026-01-01", 120, hours, 4);
    case_commitment(x, "contract", "c",
                    "{\"term\": \"1 year\", \"period\": \"3 months\", \"volume\": [{\"up_to\": \"$600\", \"share\": 0}, {\"up_to\": "
                    "\"$1,200\", \"share\": \"5 %\"},"
                    " {\"share\": \"10 %\"}]}");
    case_bill(x);
    static const int64_t want[] = {0, 18, 12 + 24, 0}; // a new quarter begins in April
    for (int i = 0; i < 4; i++) assert_int_equal(in_month(x, "volume discount", i), -want[i] * USD);
    case_free(x);
}

/* Transfer is free up to 15 % of the month's other spend: $72 of $480. */
static void egress_comes_with_the_spend(void **state)
{
    (void)state;
    static const struct {
        const char *volume;
        int64_t off;
    } at[] = {{"500 GB", 45}, {"800 GB", 72}, {"2000 GB", 72}};
    const int hours = 40;
    for (size_t i = 0; i < 3; i++) {
        struct price_case *x = spending("2026-01-01", 31, &hours, 1);
        case_around(x, "transfer", "out", rr_strf(x->arena, "{\"per_month\": \"%s\", \"rate\": \"$0.09/GB\"}", at[i].volume));
        case_commitment(x, "contract", "c", "{\"term\": \"1 year\", \"egress_allowance\": \"15 %\"}");
        case_bill(x);
        assert_int_equal(case_sum(x, "egress allowance").billed, -at[i].off * USD);
        case_free(x);
    }
}

/* Two years of $1,200 each, given up after a year and 73 days: the first year is met; the second owes $240 less its spend, and half of $960. */
static void ending_early_has_its_fee(void **state)
{
    (void)state;
    int hours[14] = {0};
    hours[0] = 100, hours[12] = 5;
    struct price_case *x = spending("2026-01-01", 600, hours, 14);
    case_commitment(x, "contract", "c",
                    "{\"term\": \"2 years\", \"period\": \"1 year\", \"minimum\": \"$1,200\", \"renew\": false, \"ends\": \"438 days\", "
                    "\"end_fee\": \"50 %\"}");
    case_bill(x);
    assert_int_equal(case_sum(x, "shortfall").billed, 180 * USD);
    assert_int_equal(case_sum(x, "end fee").billed, 480 * USD);
    assert_int_equal(in_month(x, "end fee", 14), 480 * USD);
    case_free(x);
}

/* Support is not spend; other types count only where they are named. */
static void what_counts_as_spend(void **state)
{
    (void)state;
    const int hours = 40;
    struct price_case *x = spending("2026-01-01", 31, &hours, 1);
    case_around(x, "services", "s", "{\"rate\": \"$100/month\"}");
    case_around(x, "support", "help", "{\"share\": \"10 %\"}");
    case_commitment(x, "contract", "all", "{\"term\": \"1 month\", \"minimum\": \"$600\"}");
    case_commitment(x, "contract", "services", "{\"term\": \"1 month\", \"minimum\": \"$600\", \"of\": \"services\"}");
    case_bill(x);
    assert_int_equal(x->charge.at[x->charge.n - 2].billed.micro, 20 * USD);
    assert_int_equal(x->charge.at[x->charge.n - 1].billed.micro, 500 * USD);
    case_free(x);
}

/* $1,000 pays $480 in January and $480 in February, $40 in March. */
static void a_credit_pays_until_it_is_used_up(void **state)
{
    (void)state;
    const int hours[] = {40, 40, 40};
    struct price_case *x = spending("2026-01-01", 90, hours, 3);
    case_commitment(x, "credit", "gift", "{\"amount\": \"$1,000\"}");
    case_bill(x);
    static const int64_t want[] = {480, 480, 40};
    for (int i = 0; i < 3; i++) assert_int_equal(in_month(x, "credit", i), -want[i] * USD);
    assert_int_equal(case_sum(x, NULL).billed, 440 * USD);
    case_free(x);
}

static void credits_expire_and_follow_each_other(void **state)
{
    (void)state;
    const int hours[] = {40, 40, 40};
    struct price_case *x = spending("2026-01-01", 90, hours, 3);
    case_around(x, "services", "s", "{\"rate\": \"$100/month\"}");
    case_commitment(x, "credit", "half", "{\"amount\": \"$1,000\", \"share\": \"50 %\", \"expires\": \"2 months\", \"of\": \"on_demand\"}");
    case_commitment(x, "credit", "rest", "{\"amount\": \"$5,000\", \"from\": \"1 month\"}");
    case_bill(x);
    assert_int_equal(in_month(x, "credit", 0), -240 * USD);
    assert_int_equal(in_month(x, "credit", 1), -(240 + 340) * USD); // all that is left of February
    assert_int_equal(in_month(x, "credit", 2), -580 * USD);
    assert_int_equal(in_month(x, NULL, 1), 0);
    case_free(x);
}

static void what_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *type, *params, *why;
    } bad[] = {
        {"contract", "{\"term\": \"1 year\", \"period\": \"5 months\"}", "periods divide the term"},
        {"contract", "{\"term\": \"90 days\"}", "whole months"},
        {"contract", "{\"term\": \"1 year\", \"minimum\": \"$-5\"}", "negative"},
        {"contract", "{\"term\": \"1 year\", \"minimum\": \"EUR 5\"}", "no rate for EUR"},
        {"contract", "{\"term\": \"1 year\", \"ramp\": {\"2026-02-01\": \"$5/h\"}}", "has an amount"},
        {"contract", "{\"term\": \"1 year\", \"ramp\": {\"2026-02-01\": \"$5\", \"2026-01-01\": \"$6\"}}", "dates must ascend"},
        {"contract", "{\"term\": \"1 year\", \"ramp\": {\"then\": \"$5\"}}", "ramp"},
        {"contract", "{\"term\": \"1 year\", \"volume\": [{\"up_to\": 5, \"share\": 0}, {\"share\": 0.1}]}", "limits are amounts"},
        {"contract", "{\"term\": \"1 year\", \"of\": \"cloud\"}", "\"cloud\" is no type"},
        {"contract", "{\"term\": \"1 year\", \"renew\": false, \"ends\": \"13 months\"}", "behind the end of the term"},
        {"contract", "{\"term\": \"1 year\", \"end_fee\": 0.5}", "goes with \"ends\""},
        {"credit", "{\"amount\": \"$0\"}", "above 0"},
        {"credit", "{\"amount\": \"$5\", \"from\": \"2 months\", \"expires\": \"1 month\"}", "expires before"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct price_case *x = case_bare("2026-01-01", RR_D);
        case_commitment(x, bad[i].type, "c", bad[i].params);
        case_refused(x, bad[i].why);
        case_free(x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_missing_is_due_at_the_end),
        cmocka_unit_test(a_minimum_a_month_and_one_a_year),
        cmocka_unit_test(a_share_of_what_is_missing),
        cmocka_unit_test(minimums_ramp_up),
        cmocka_unit_test(a_running_period_is_settled_by_time),
        cmocka_unit_test(volume_discounts_are_marginal),
        cmocka_unit_test(egress_comes_with_the_spend),
        cmocka_unit_test(ending_early_has_its_fee),
        cmocka_unit_test(what_counts_as_spend),
        cmocka_unit_test(a_credit_pays_until_it_is_used_up),
        cmocka_unit_test(credits_expire_and_follow_each_other),
        cmocka_unit_test(what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
