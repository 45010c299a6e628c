/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_price_owned.c - bought machines: straight line, renewal, power, monthly lines, and the facts behind defaults. */
#include "tests/unit/price_case.h"
#include <math.h>

#define USD INT64_C(1000000)
/* Everything that a test does not look at, at nothing. */
#define BARE \
    "\"max_power\": \"1 kW\", \"idle_power\": \"1 kW\", \"electricity\": \"$0/kWh\", \"colocation\": \"$0/month\", \"maintenance\": 0"

static struct price_case *world(const char *start, int64_t horizon_us, int64_t nodes, const char *params)
{
    struct price_case *x = case_new(start, horizon_us);
    struct rr_pool *pool = case_pool(x, NULL, "owned", params);
    pool->nodes_min = pool->nodes_max = nodes;
    return x;
}

static int64_t book(const struct price_case *x, int64_t at_us)
{
    struct rr_money value;
    assert_int_equal(rr_bill_terminal(&x->billing, at_us, &value), RR_OK);
    return value.micro;
}

/* SLN(30000, 7500, 10) = 2250 a year: ten years of 365 days, seen for one. */
static void straight_line_is_sln(void **state)
{
    (void)state;
    struct price_case *x =
        world("2026-01-01", 365 * RR_D, 1, "{\"price\": \"$30,000\", \"residual\": \"25 %\", \"life\": \"3650 days\", " BARE "}");
    case_bill(x);
    const struct case_sum sum = case_sum(x, NULL);
    assert_int_equal(sum.effective, 2250 * USD);
    assert_int_equal(sum.billed, 30000 * USD);
    assert_int_equal(book(x, 365 * RR_D), 27750 * USD);
    assert_int_equal(book(x, 0), 30000 * USD);
    assert_int_equal(book(x, 3650 * RR_D), 7500 * USD);
    assert_int_equal(sum.n, 12);
    assert_int_equal(x->charge.at[0].effective.micro, 191095890); // 22,500 x 31 / 3650 = 191.0958904...
    assert_int_equal(x->charge.at[0].due_us, 0);
    case_free(x);
}

static void life_by_the_calendar(void **state)
{
    (void)state;
    /* 4 years from 29 February 2028 end on 29 February 2032: 1,461 days. */
    struct price_case *x =
        world("2028-02-29", 1461 * RR_D, 3, "{\"price\": \"$335,001.01\", \"residual\": 0.1, \"life\": \"4 years\", " BARE "}");
    case_bill(x);
    const struct case_sum sum = case_sum(x, NULL);
    assert_int_equal(sum.billed, 3 * 335001010000);
    assert_int_equal(book(x, x->s.horizon_us), 3 * 33500101000);
    assert_int_equal(sum.billed - book(x, x->s.horizon_us), sum.effective);
    case_free(x);
}

static void machines_are_bought_anew_at_the_end_of_life(void **state)
{
    (void)state;
    /* 2026 and 2027 have 365 days, 2028 has 366; the horizon is 1 July 2028, day 182 of 366. */
    struct price_case *x =
        world("2026-01-01", (730 + 182) * RR_D, 2, "{\"price\": \"$1,830\", \"residual\": 0.2, \"life\": \"1 year\", " BARE "}");
    case_bill(x);
    assert_int_equal(case_sum(x, "depreciation").billed, 3 * 2 * 1830 * USD);
    assert_int_equal(case_sum(x, "resale").billed, -2 * 2 * 366 * USD);
    assert_int_equal(case_sum(x, NULL).effective, 2 * (2 * 1464 + 728) * USD); // 1,464 x 182 / 366 = 728
    assert_int_equal(book(x, x->s.horizon_us), 2 * (1830 - 728) * USD);
    assert_int_equal(book(x, 730 * RR_D), 2 * 366 * USD); // sold and bought at that instant: not yet
    assert_int_equal(case_notes(x, RR_NOTE_ASSUMED, "bought anew at the same price"), 1);
    case_free(x);
}

/* 8 GPUs, 1 kW idle to 5 kW; half of the GPUs for half of January: share 1/4, 2 kW, 744 h, PUE 1.25 = 1,860 kWh. */
static void power_is_idle_and_load(void **state)
{
    (void)state;
    const char *params = "{\"price\": \"$0\", \"residual\": 0, \"life\": \"4 years\", \"max_power\": \"5 kW\", \"idle_power\": \"1 kW\","
                         " \"pue\": 1.25, \"electricity\": \"$0.08/kWh\", \"colocation\": \"$0/kW/month\", \"maintenance\": 0}";
    struct price_case *x = world("2026-01-01", 31 * RR_D, 1, params);
    case_lease(x, 0, 31 * RR_D);
    x->lease[0].used_milli_us = 4000 * 31 * RR_D / 2;
    case_bill(x);
    assert_int_equal(case_sum(x, "energy").billed, 148800000);
    assert_true(case_sum(x, "energy").quantity == 1860);
    assert_true(x->charge.at[x->charge.n - 1].energy);
    assert_true(fabs(rr_price_owned.energy_kwh(x->pool[0].plan_params, &x->billing, 0) - 1860) < 1e-9);
    case_free(x);

    /* Two nodes, February and March; one used fully in a lease over both: its load lies evenly on the lease. */
    x = world("2026-02-01", 59 * RR_D, 2, params);
    case_lease(x, 0, 59 * RR_D);
    x->lease[0].used_milli_us = 8000 * 59 * RR_D;
    case_lease(x, 0, 59 * RR_D);
    case_bill(x);
    const double february = 28 * 24 * 6 * 1.25, march = 31 * 24 * 6 * 1.25; // 5 kW + 1 kW
    double got[2] = {0};
    for (size_t i = 0, n = 0; i < x->charge.n; i++)
        if (x->charge.at[i].energy) got[n++] = x->charge.at[i].quantity;
    assert_true(got[0] == february && got[1] == march);
    case_free(x);
}

static void monthly_lines(void **state)
{
    (void)state;
    /* 1 January to 15 February (half of 28 days) is 1.5 months. */
    struct price_case *x =
        world("2026-01-01", 45 * RR_D, 3,
              "{\"price\": \"$335,000\", \"residual\": 1, \"life\": \"4 years\", \"max_power\": \"5 kW\", \"idle_power\": \"1 kW\","
              " \"electricity\": \"$0/kWh\", \"colocation\": \"$195.94/kW/month\", \"includes_power\": false, \"maintenance\": \"10 %\","
              " \"staff\": \"$150,000/person/year\", \"people\": 0.5}");
    case_bill(x);
    assert_int_equal(case_sum(x, "colocation").billed, 4408650000);    // 195.94 x 15 kW x 1.5
    assert_int_equal(case_sum(x, "maintenance").billed, 12562500000);  // 33,500 x 3 / 12 x 1.5
    assert_int_equal(case_sum(x, "staff").billed, 9375000000);         // 75,000 / 12 x 1.5
    assert_true(fabs(case_sum(x, "staff").quantity - 0.0625) < 1e-12); // person-years
    assert_int_equal(case_sum(x, "depreciation").effective, 0);
    assert_int_equal(book(x, x->s.horizon_us), 3 * 335000 * USD);
    case_free(x);

    x = world("2026-01-01", 31 * RR_D, 3,
              "{\"price\": \"$1\", \"residual\": 0, \"life\": \"4 years\", \"max_power\": \"5 kW\", \"electricity\": \"$0/kWh\","
              " \"colocation\": \"$2,950/node/month\", \"includes_power\": false, \"maintenance\": 0, \"staff\": \"$120,000/year\"}");
    case_bill(x);
    assert_int_equal(case_sum(x, "colocation").billed, 8850 * USD);
    assert_int_equal(case_sum(x, "staff").billed, 10000 * USD);
    case_free(x);
}

static void defaults_come_from_the_facts_and_are_noted(void **state)
{
    (void)state;
    struct price_case *x = world("2026-01-01", 365 * RR_D, 2, "{}");
    assert_int_equal(rr_catalog_hardware(&x->catalog, "hgx-h100-8", &x->pool[0].hardware), RR_OK);
    case_bill(x);
    assert_int_equal(case_sum(x, "depreciation").billed, 670000 * USD);
    assert_int_equal(book(x, 1826 * RR_D), 83750 * USD); // 5 years, 12.5 %
    static const char *const noted[] = {"price is $335,000.00 for one hgx-h100-8",
                                        "life is 5 years",
                                        "residual is 12.5 %",
                                        "max_power is 10200 W for one hgx-h100-8",
                                        "idle_power is 14.2 %",
                                        "pue is 1.56",
                                        "electricity is $0.10/kWh",
                                        "colocation is $195.94/kW/month",
                                        "maintenance is 10 %"};
    for (size_t i = 0; i < sizeof noted / sizeof *noted; i++)
        if (case_notes(x, RR_NOTE_ASSUMED, noted[i]) != 1) fail_msg("\"%s\" is not noted", noted[i]);
    for (size_t i = 0; i < x->notes.list.n; i++)
        if (x->notes.list.at[i].kind == RR_NOTE_ASSUMED) assert_non_null(strstr(x->notes.list.at[i].source, "data/facts/"));
    assert_int_equal(case_notes(x, RR_NOTE_WARNING, "no staff is counted"), 1);
    case_free(x);

    x = world("2026-01-01", 365 * RR_D, 1, "{\"life\": \"30 months\"}");
    assert_int_equal(rr_catalog_hardware(&x->catalog, "hgx-a100-8", &x->pool[0].hardware), RR_OK);
    x->s.finance.pue = 1.3;
    x->s.finance.electricity = (struct rr_price){{80000000, RR_PER_KWH, RR_EVER}, "USD"};
    case_bill(x);
    assert_int_equal(case_notes(x, RR_NOTE_ASSUMED, "residual is 30 %"), 1); // at the next age, 36 months
    assert_int_equal(case_notes(x, RR_NOTE_ASSUMED, "idle_power is 744.8 W"), 1);
    assert_int_equal(case_notes(x, RR_NOTE_ASSUMED, "pue is"), 0);
    assert_int_equal(case_notes(x, RR_NOTE_ASSUMED, "electricity is"), 0);
    /* 0.7448 kW idle, 8,760 h, PUE 1.3, 8 ct: 678.5426... in 12 lines. */
    assert_true(llabs(case_sum(x, "energy").billed - 678542592) <= 12);
    case_free(x);
}

static void refuse(const char *params, int64_t least, int64_t most, const char *start, const char *why)
{
    struct price_case *x = world(start, RR_D, most, params);
    x->pool[0].nodes_min = least;
    case_refused(x, why);
    assert_non_null(strstr(rr_reason(), "/pools/pool0/plan: "));
    case_free(x);
}

static void what_cannot_be_priced_is_refused(void **state)
{
    (void)state;
    const char *start = "2026-01-01";
    refuse("{}", 1, 1, start, "give \"price\" per node");
    refuse("{\"price\": \"$1\"}", 1, 1, start, "give \"max_power\"");
    refuse("{\"price\": \"$1\"}", 1, 2, start, "fixed number of nodes");
    refuse("{\"price\": \"$1\"}", 1, 1, NULL, "give the scenario a \"start\"");
    refuse("{\"price\": \"$1\", \"life\": \"1 h\"}", 1, 1, start, "at least a day");
    refuse("{\"price\": \"$1\", \"max_power\": \"1 kW\", \"idle_power\": \"2 kW\"}", 1, 1, start, "above \"max_power\"");
    refuse("{\"price\": \"$1\", \"max_power\": \"1 kW\", \"electricity\": \"$1/h\"}", 1, 1, start, "per kWh");
    refuse("{\"price\": \"$1\", \"max_power\": \"1 kW\", \"colocation\": \"$1/kWh\"}", 1, 1, start, "per month");
    refuse("{\"price\": \"$1\", \"max_power\": \"1 kW\", \"staff\": \"$1/node/month\"}", 1, 1, start, "per year");
    refuse("{\"price\": \"$1\", \"max_power\": \"1 kW\", \"staff\": \"$1/person/year\"}", 1, 1, start, "\"people\"");
    refuse("{\"price\": \"$1\", \"max_power\": \"1 kW\", \"people\": 2}", 1, 1, start, "needs \"staff\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(straight_line_is_sln),
        cmocka_unit_test(life_by_the_calendar),
        cmocka_unit_test(machines_are_bought_anew_at_the_end_of_life),
        cmocka_unit_test(power_is_idle_and_load),
        cmocka_unit_test(monthly_lines),
        cmocka_unit_test(defaults_come_from_the_facts_and_are_noted),
        cmocka_unit_test(what_cannot_be_priced_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
