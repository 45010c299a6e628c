/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_price_owned_steps.c - machines that are bought in steps: days, payments, what is there when, and what it costs meanwhile. */
#include "tests/unit/price_case.h"
#include <math.h>
#include <stdio.h>

#define USD INT64_C(1000000)
#define BARE                                                                                                                         \
    "\"price\": \"$12,000\", \"residual\": 0, \"maintenance\": 0.1, \"max_power\": \"1 kW\", \"idle_power\": \"1 kW\", \"pue\": 1, " \
    "\"electricity\": \"$0/kWh\""
#define ROOM "\"colocation\": \"$0/month\""

static struct price_case *world(const char *start, const char *end, int64_t nodes, const char *params)
{
    struct price_case *x = case_new(start, RR_D);
    struct rr_pool *pool = case_pool(x, NULL, "owned", params);
    pool->nodes_min = pool->nodes_max = nodes;
    x->s.horizon_us = case_at(x, end);
    return x;
}

static int64_t cash(const struct price_case *x, const char *date)
{
    int64_t sum = 0;
    for (size_t i = 0; i < x->charge.n; i++)
        if (strcmp(x->charge.at[i].line, "depreciation") == 0 && x->charge.at[i].due_us == case_at(x, date))
            sum += x->charge.at[i].billed.micro;
    return sum;
}

static int64_t left(const struct price_case *x, const char *date)
{
    struct rr_money value;
    assert_int_equal(rr_bill_terminal(&x->billing, case_at(x, date), &value), RR_OK);
    return value.micro;
}

#define PARTS "\"payments\": {\"order\": \"30 %\", \"delivery\": \"60 %\", \"acceptance\": \"10 %\"}"

/* 2 at the start, in service on 1 March (order 1 January, 45 days, 14 days); 3 ordered on 1 July, there at once. A life of 365 days. */
static void each_step_is_paid_in_parts(void **state)
{
    (void)state;
    struct price_case *x = world("2026-01-01", "2026-11-01", 5,
                                 "{" BARE ", " ROOM ", \"life\": \"365 days\", " PARTS ", \"steps\": [{\"nodes\": 2, \"lead\": \"45 d\","
                                 " \"burn_in\": \"14 d\"}, {\"nodes\": 3, \"order\": \"2026-07-01\"}]}");
    case_bill(x);
    assert_int_equal(cash(x, "2026-01-01"), 7200 * USD);
    assert_int_equal(cash(x, "2026-02-15"), 14400 * USD);
    assert_int_equal(cash(x, "2026-03-01"), 2400 * USD);
    assert_int_equal(cash(x, "2026-07-01"), 36000 * USD);
    assert_int_equal(case_sum(x, "depreciation").billed, 60000 * USD);
    /* 245 days of 24,000/365, 123 of 36,000/365. */
    assert_true(llabs(case_sum(x, "depreciation").effective - (24000 * USD * 245 + 36000 * USD * 123) / 365) <= 1);
    assert_int_equal(case_sum(x, "depreciation").billed - left(x, "2026-11-01"), case_sum(x, "depreciation").effective);
    assert_int_equal(left(x, "2026-02-01"), 7200 * USD); // paid ahead
    assert_int_equal(left(x, "2026-03-01"), 21600 * USD);
    /* Maintenance from in service on: 8 months of 2, 4 of 3, 100 a node and month. */
    assert_int_equal(case_sum(x, "maintenance").billed, (8 * 200 + 4 * 300) * USD);
    assert_true(fabs(case_sum(x, "energy").quantity) < 1e-9); // at no price
    assert_true(fabs(rr_price_owned.energy_kwh(x->pool[0].plan_params, &x->billing, 0) - 24 * (245 * 2 + 123 * 3)) < 1e-9);
    case_free(x);

    /* The horizon ends between order and delivery: 30 % is paid, nothing is written off, all of it is value. */
    x = world("2026-01-01", "2026-02-01", 2,
              "{" BARE ", " ROOM ", \"life\": \"365 days\", " PARTS ", \"steps\": [{\"nodes\": 2, \"lead\": \"45 d\"}]}");
    case_bill(x);
    assert_int_equal(case_sum(x, NULL).billed, 7200 * USD);
    assert_int_equal(case_sum(x, NULL).effective, 0);
    assert_int_equal(left(x, "2026-02-01"), 7200 * USD);
    case_free(x);
}

/* Racks of 3: the first step of 2 needs one, the second of 2 one more; staff in steps too. */
static void what_stands_around_grows_by_steps(void **state)
{
    (void)state;
    struct price_case *x = world(
        "2026-01-01", "2026-03-01", 4,
        "{\"price\": \"$12,000\", \"residual\": 0, \"maintenance\": 0, \"max_power\": \"1 kW\", \"life\": \"4 years\", \"nodes_per_rack\": "
        "3,"
        " \"bom\": {\"rack\": {\"price\": \"$5,000\", \"per\": \"rack\"}}, \"colocation\": \"$700/rack/month\", \"includes_power\": true,"
        " \"staff\": \"$120,000/person/year\", \"nodes_per_person\": 3, \"steps\": [{\"nodes\": 2}, {\"nodes\": 2, \"order\": "
        "\"2026-02-01\"}]}");
    case_bill(x);
    assert_int_equal(cash(x, "2026-01-01"), 29000 * USD);
    assert_int_equal(cash(x, "2026-02-01"), 29000 * USD);
    assert_int_equal(case_sum(x, "colocation").billed, 2100 * USD); // 1 rack, then 2
    assert_int_equal(case_sum(x, "staff").billed, 30000 * USD);
    case_free(x);
}

/* The number of nodes over time, as the replay gets it; the draws are those of the bill. */
static void capacity_follows_the_draws(void **state)
{
    (void)state;
    struct price_case *x = world("2026-01-01", "2029-01-01", 7,
                                 "{" BARE ", " ROOM ", \"life\": \"1 year\", \"at_end\": \"sell\", " PARTS ","
                                 " \"steps\": [{\"nodes\": 3}, {\"nodes\": 4, \"lead\": {\"uniform\": [\"30 d\", \"90 d\"]}}]}");
    struct rr_arrival *a;
    size_t n;
    double sum = 0;
    case_bill(x);
    assert_true(x->pool[0].arrives);
    for (uint32_t r = 0; r < 400; r++) {
        assert_int_equal(rr_price_owned.capacity(x->pool[0].plan_params, &x->s, r, x->arena, &a, &n), RR_OK);
        assert_int_equal(n, 4);
        assert_true(a[0].nodes == 3 && a[1].nodes == 7 && a[2].nodes == 4 && a[3].nodes == 0);
        assert_true(a[1].at_us >= 30 * RR_D && a[1].at_us < 90 * RR_D);
        assert_int_equal(a[2].at_us, 365 * RR_D);
        sum += (double)a[1].at_us / (double)RR_D / 400;
    }
    assert_true(fabs(sum - 60) < 3.0 * 17.32 / 20); // mean of 30..90, standard deviation 60 / sqrt(12)
    assert_int_equal(rr_price_owned.capacity(x->pool[0].plan_params, &x->s, 0, x->arena, &a, &n), RR_OK);
    int64_t due = 0;
    for (size_t i = 0; i < x->charge.n; i++)
        if (x->charge.at[i].billed.micro > 4 * 12000 * USD / 2) due = x->charge.at[i].due_us;
    assert_int_equal(due, a[1].at_us);                                     // 60 % and 10 % on the day of delivery
    assert_int_equal(case_sum(x, "depreciation").billed, 7 * 12000 * USD); // sold, not replaced
    case_free(x);

    x = world("2026-01-01", "2029-01-01", 7, "{" BARE ", " ROOM ", \"life\": \"1 year\"}");
    case_bill(x);
    assert_false(x->pool[0].arrives);
    case_free(x);
}

static uint64_t seed = 88172645463325252u;
static int64_t draw(int64_t from, int64_t to) // xorshift, both ends included
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return from + (int64_t)(seed % (uint64_t)(to - from + 1));
}

/* Whatever the terms: what was billed and is not yet written off is the value at the horizon, to the micro-unit; loans are no cost. */
static void cash_less_value_is_cost_at_any_horizon(void **state)
{
    (void)state;
    static const char *const kind[] = {"straight_line", "declining", "sum_of_years", "macrs", "at_once"};
    static const char *const first[] = {"day", "month", "next_month"};
    static const char *const end[] = {"replace", "extend", "sell"};
    for (int i = 0; i < 400; i++) {
        char text[1200];
        const int64_t one = draw(1, 5), two = draw(1, 5), order = draw(0, 100);
        snprintf(
            text, sizeof text,
            "{\"price\": \"$%lld.%02lld\", \"residual\": %.3f, \"life\": \"3 years\", \"depreciation\": \"%s\", \"first_period\": \"%s\","
            " \"bonus\": %.2f, \"at_end\": \"%s\", \"maintenance\": 0, \"max_power\": \"1 kW\", \"electricity\": \"$0/kWh\", " ROOM ","
            " \"bom\": {\"x\": {\"price\": \"$977.77\", \"of\": 3}, \"y\": {\"share\": 0.07}}, \"loan\": {\"share\": %.2f, \"rate\": "
            "0.0731,"
            " \"term\": \"%lld months\", \"balloon\": %.2f, \"payments\": \"%s\"},"
            " \"payments\": {\"order\": \"%lld %%\", \"delivery\": \"%lld %%\"},"
            " \"steps\": [{\"nodes\": %lld, \"lead\": \"%lld h\", \"burn_in\": \"%lld h\"},"
            " {\"nodes\": %lld, \"lead\": {\"exponential\": {\"mean\": \"90 d\"}}, \"order\": \"2026-0%lld-17T13:00:00Z\"}]}",
            (long long)draw(1, 400000), (long long)draw(0, 99), (double)draw(0, 500) / 1000, kind[draw(0, 4)], first[draw(0, 2)],
            (double)draw(0, 50) / 100, end[draw(0, 2)], (double)draw(0, 100) / 100, (long long)draw(1, 70), (double)draw(0, 100) / 100,
            draw(0, 1) ? "advance" : "arrears", (long long)order, (long long)(100 - order), (long long)one, (long long)draw(0, 5000),
            (long long)draw(0, 500), (long long)two, (long long)draw(1, 9));
        struct price_case *x = world("2026-01-01", "2027-01-01", one + two, text);
        struct rr_money value;
        x->s.horizon_us = draw(1, 8 * 365 * 24) * RR_H + draw(0, 1) * 12345;
        case_bill(x);
        const struct case_sum all = case_sum(x, NULL), loan = case_sum(x, "loan"), interest = case_sum(x, "interest");
        assert_int_equal(rr_bill_terminal(&x->billing, x->s.horizon_us, &value), RR_OK);
        if (all.billed - loan.billed - interest.billed - value.micro != all.effective - interest.effective) fail_msg("%s", text);
        assert_int_equal(loan.effective, 0);
        if (loan.billed > 0) fail_msg("more is paid back than was lent: %s", text);
        case_free(x);
    }
}

static void refuse(const char *params, const char *why)
{
    char text[900];
    snprintf(text, sizeof text, "{" BARE ", " ROOM ", %s}", params);
    struct price_case *x = world("2026-01-01", "2027-01-01", 4, text);
    case_refused(x, why);
    case_free(x);
}

static void steps_that_do_not_add_up_are_refused(void **state)
{
    (void)state;
    refuse("\"steps\": [{\"nodes\": 3}]", "\"steps\" bring 3 nodes, the pool has 4");
    refuse("\"steps\": [{\"nodes\": 4}], \"payments\": {\"order\": \"30 %\", \"delivery\": \"60 %\"}",
           "\"payments\" come to 90 %, not to 100 %");
    refuse("\"steps\": [{\"nodes\": 4}], \"payments\": {\"later\": \"100 %\"}", "order, delivery and acceptance are expected");
    refuse("\"payments\": {\"order\": \"100 %\"}", "there are none");
    refuse("\"steps\": [{\"nodes\": 4, \"order\": \"2025-12-31\"}]", "before the scenario's start");
    refuse("\"steps\": [{\"nodes\": 4}], \"bridge\": \"cloud\"", "there is no other pool \"cloud\"");
    refuse("\"bridge\": \"cloud\"", "there are none");
    refuse("\"steps\": [{\"nodes\": 4}], \"bought\": \"2025-12-31\"", "they have no \"steps\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_step_is_paid_in_parts),           cmocka_unit_test(what_stands_around_grows_by_steps),
        cmocka_unit_test(capacity_follows_the_draws),           cmocka_unit_test(cash_less_value_is_cost_at_any_horizon),
        cmocka_unit_test(steps_that_do_not_add_up_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
