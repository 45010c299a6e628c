/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_finance_depreciation.c - yearly amounts against spreadsheets and the IRS; money by month that adds up exactly. */
#include "tests/unit/finance_case.h"
#include "models/finance/depreciation.h"

static void spreadsheet_formulas(void **state)
{
    (void)state;
    NEAR(rr_straight_line(30000, 7500, 10), 2250, 1e-15);
    NEAR(rr_sum_of_years(30, 7, 10, 1), 4.181818181818182, 1e-15);
    double sum = 0;
    for (int k = 0; k <= 11; k++) sum += rr_sum_of_years(30, 7, 10, k);
    NEAR(sum, 23, 1e-14);
}

static void fixed_declining(void **state)
{
    (void)state;
    const double whole[] = {319000, 217239, 147939.759, 100746.975879, 68608.690573599, 46722.518280620934};
    const double half[] = {159500, 268119.5, 182589.3795, 124343.3674395, 84677.8332262995, 57665.60442710997};
    for (int k = 1; k <= 6; k++) {
        NEAR(rr_fixed_declining(1000000, 100000, 6, k, 12), whole[k - 1], 1e-13);
        NEAR(rr_fixed_declining(1000000, 100000, 6, k, 6), half[k - 1], 1e-13);
    }
    assert_true(rr_fixed_declining(1000000, 100000, 6, 7, 12) == 0);
    /* The six months left: 0.319 / 2 of what 0.8405 x 0.681^5 leaves. */
    NEAR(rr_fixed_declining(1000000, 100000, 6, 7, 6), 1e6 * 0.8405 * pow(0.681, 5) * 0.319 / 2, 1e-13);
}

static void declining(void **state)
{
    (void)state;
    const double twice[] = {333333.3333, 222222.2222, 148148.1481, 98765.4321, 65843.6214, 31687.2428};
    const double slower[] = {250000, 187500, 140625, 105468.75, 79101.5625, 59326.171875};
    for (int k = 1; k <= 6; k++) {
        DIGITS(rr_declining(1000000, 100000, 6, k, 2, false), twice[k - 1], 4);
        NEAR(rr_declining(1000000, 100000, 6, k, 1.5, false), slower[k - 1], 1e-15);
    }
    /* 2 / 5 of 1000 with a switch: 400, 240, 144, then 216 in two equal parts, which beats 86.4. */
    const double line[] = {400, 240, 144, 108, 108};
    for (int k = 1; k <= 5; k++) NEAR(rr_declining(1000, 0, 5, k, 2, true), line[k - 1], 1e-14);
    assert_true(rr_declining(1000, 0, 5, 6, 2, true) == 0 && rr_declining(1000, 0, 5, 0, 2, true) == 0);
}

static void macrs(void **state)
{
    (void)state;
    static const struct {
        int life;
        double irs[8], exact[8];
    } row[] = {{3, {33.33, 44.45, 14.81, 7.41}, {33.33, 44.44, 14.81, 7.41}},
               {5, {20, 32, 19.2, 11.52, 11.52, 5.76}, {20, 32, 19.2, 11.52, 11.52, 5.76}},
               {7, {14.29, 24.49, 17.49, 12.49, 8.93, 8.92, 8.93, 4.46}, {14.29, 24.49, 17.49, 12.49, 8.92, 8.92, 8.92, 4.46}}};
    for (size_t i = 0; i < LEN(row); i++) {
        double printed = 0, exact = 0;
        for (int k = 0; k <= row[i].life + 2; k++) {
            const bool inside = k >= 1 && k <= row[i].life + 1;
            NEAR(rr_macrs(row[i].life, k) * 100, inside ? row[i].irs[k - 1] : 0, 1e-14);
            DIGITS(rr_macrs_exact(row[i].life, k) * 100, inside ? row[i].exact[k - 1] : 0, 2);
            printed += rr_macrs(row[i].life, k);
            exact += rr_macrs_exact(row[i].life, k);
        }
        NEAR(printed, 1, 1e-14);
        NEAR(exact, 1, 1e-14);
    }
}

/* ---- money by date ---- */

static struct rr_clock anchored(int year, int month, int day)
{
    return (struct rr_clock){true, rr_days_from_civil(year, month, day) * RR_D};
}

static int64_t on(const struct rr_clock *c, int year, int month, int day)
{
    return rr_days_from_civil(year, month, day) * RR_D - c->start_us;
}

static int64_t upto(const struct rr_depreciation *d, const struct rr_clock *c, int64_t at_us)
{
    struct rr_money sum;
    assert_int_equal(rr_depreciation_upto(d, c, at_us, &sum), RR_OK);
    return sum.micro;
}

static void straight_goes_by_time(void **state)
{
    (void)state;
    const struct rr_clock c = anchored(2027, 3, 17);
    struct rr_depreciation d = {.price = {335000000007}, .salvage = {33500000000}, .life = {.months = 48}, .in_service_us = 5 * RR_D};
    const int64_t from = on(&c, 2027, 3, 22), to = on(&c, 2031, 3, 22), base = 301500000007; // 1461 days, one of them a 29 February
    assert_int_equal(upto(&d, &c, from), 0);
    assert_int_equal(upto(&d, &c, to), base);
    assert_int_equal(upto(&d, &c, to + RR_D), base);
    assert_int_equal(upto(&d, &c, from + 487 * RR_D), base / 3); // a third of the days
    d.from = RR_FROM_MONTH;
    assert_int_equal(upto(&d, &c, on(&c, 2027, 3, 1)), 0);
    assert_int_equal(upto(&d, &c, on(&c, 2027, 3, 1) + 487 * RR_D), base / 3);
    d.from = RR_FROM_NEXT_MONTH;
    assert_int_equal(upto(&d, &c, on(&c, 2027, 4, 1)), 0);
    assert_int_equal(upto(&d, &c, on(&c, 2031, 4, 1)), base);
    d.bonus = 0.4;
    assert_int_equal(upto(&d, &c, on(&c, 2027, 4, 1) + 1), 120600000003); // 40 %, half-even
    assert_int_equal(upto(&d, &c, on(&c, 2031, 4, 1)), base);
}

static void years_have_their_formulas(void **state)
{
    (void)state;
    const struct rr_clock c = anchored(2026, 1, 1);
    struct rr_depreciation d = {.kind = RR_WRITE_SUM_OF_YEARS, .price = {30000000}, .salvage = {7000000}, .life = {.months = 120}};
    assert_int_equal(upto(&d, &c, on(&c, 2027, 1, 1)), 4181818); // 4.181818181818182
    d = (struct rr_depreciation){.kind = RR_WRITE_DECLINING, .price = {1000000000}, .life = {.months = 60}};
    const int64_t sum[] = {0, 400000000, 640000000, 784000000, 892000000, 1000000000};
    for (int k = 0; k <= 5; k++) assert_int_equal(upto(&d, &c, on(&c, 2026 + k, 1, 1)), sum[k]);
    assert_int_equal(upto(&d, &c, on(&c, 2026, 1, 1) + 73 * RR_D), 80000000); // a fifth of the first year
    d.life.months = 54;                                                       // half a year at the end
    assert_int_equal(upto(&d, &c, on(&c, 2027, 1, 1)), 444444444);            // 2 / 4.5
    assert_int_equal(upto(&d, &c, on(&c, 2030, 7, 1)), 1000000000);
}

static void macrs_goes_by_tax_years(void **state)
{
    (void)state;
    const struct rr_clock c = anchored(2026, 9, 12);
    struct rr_depreciation d = {.kind = RR_WRITE_MACRS, .price = {400000000000}, .salvage = {80000000000}, .life = {.months = 60}};
    const int64_t shares[] = {0, 2000, 5200, 7120, 8272, 9424, 10000};
    for (int k = 0; k <= 6; k++) assert_int_equal(upto(&d, &c, k ? on(&c, 2026 + k, 1, 1) : 0), 40000000 * shares[k]);
    d.fiscal_month = 10; // the first tax year has 19 days, and half a year's amount
    assert_int_equal(upto(&d, &c, on(&c, 2026, 10, 1)), 80000000000);
    assert_int_equal(upto(&d, &c, on(&c, 2031, 10, 1)), 400000000000);
    d.bonus = 0.6;
    assert_int_equal(upto(&d, &c, on(&c, 2026, 10, 1)), 240000000000 + 32000000000);
    assert_int_equal(upto(&d, &c, on(&c, 2032, 1, 1)), 400000000000);
}

static void months_add_up(void **state)
{
    (void)state;
    const struct rr_clock c = anchored(2027, 12, 31);
    struct rr_arena *arena = rr_arena_create();
    for (int kind = RR_WRITE_STRAIGHT; kind <= RR_WRITE_AT_ONCE; kind++) {
        for (int from = RR_FROM_DAY; from <= RR_FROM_NEXT_MONTH; from++) {
            const struct rr_depreciation d = {.kind = (enum rr_depreciation_kind)kind,
                                              .from = (enum rr_depreciation_from)from,
                                              .price = {123456789013},
                                              .salvage = {1000000007},
                                              .life = {.months = 36},
                                              .bonus = 0.137,
                                              .in_service_us = 17 * RR_D + 12345};
            struct rr_month_amount *m;
            size_t n;
            int64_t sum = 0, end;
            assert_int_equal(rr_depreciation_months(&d, &c, arena, &m, &n), RR_OK);
            assert_int_equal(rr_depreciation_end(&d, &c, &end), RR_OK);
            for (size_t i = 0; i < n; i++) {
                assert_true(m[i].amount.micro >= 0);
                if (i > 0) assert_int_equal(m[i].from_us, m[i - 1].to_us);
                sum += m[i].amount.micro;
            }
            assert_int_equal(m[n - 1].to_us, end);
            assert_int_equal(sum, kind == RR_WRITE_MACRS ? d.price.micro : d.price.micro - d.salvage.micro);
            assert_int_equal(n, (kind == RR_WRITE_MACRS ? 48 : 36) +
                                    (kind == RR_WRITE_MACRS ? -(from == RR_FROM_NEXT_MONTH) : from == RR_FROM_DAY));
        }
    }
    rr_arena_free(arena);
}

static void without_a_calendar(void **state)
{
    (void)state;
    const struct rr_clock none = {0};
    const struct rr_depreciation d = {.price = {9000000}, .life = {.us = 900 * RR_H}};
    assert_int_equal(upto(&d, &none, 100 * RR_H), 1000000);
}

static void refused(const char *why, struct rr_depreciation d)
{
    const struct rr_clock c = anchored(2026, 1, 1);
    struct rr_money sum;
    assert_int_equal(rr_depreciation_upto(&d, &c, 0, &sum), RR_EINPUT);
    assert_string_equal(rr_reason(), why);
}

static void terms_out_of_range(void **state)
{
    (void)state;
    const struct rr_clock none = {0};
    struct rr_money sum;
    const struct rr_depreciation good = {.price = {10}, .salvage = {3}, .life = {.months = 60}};
    struct rr_depreciation d = good;
    assert_int_equal(rr_depreciation_upto(&d, &none, 0, &sum), RR_EINPUT);
    assert_string_equal(rr_reason(), "depreciation by months needs a calendar: give the scenario a \"start\", such as \"2026-01-01\"");
    d.salvage.micro = 11;
    refused("what is left at the end of a life must be within 0 and the price", d);
    d = good, d.life.months = 0;
    refused("a life must be longer than 0", d);
    d = good, d.bonus = 1.2;
    refused("a bonus of 1.2 is not within 0 and 1", d);
    d = good, d.kind = RR_WRITE_DECLINING, d.life.months = 1201;
    refused("a life that is written off by years must be in months or years, at most 100 years", d);
    d = good, d.kind = RR_WRITE_SUM_OF_YEARS, d.life.months = 61;
    refused("sum-of-years depreciation needs a life of whole years", d);
    d = good, d.kind = RR_WRITE_MACRS, d.life.months = 48;
    refused("MACRS has classes of 3, 5 and 7 years, not of 48 months", d);
    d = good, d.kind = RR_WRITE_DECLINING, d.factor = -1;
    refused("a declining balance's factor of -1 is not within 0 and 100", d);
    d = good, d.kind = RR_WRITE_MACRS, d.fiscal_month = 13;
    refused("a tax year cannot start in month 13", d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spreadsheet_formulas),
        cmocka_unit_test(fixed_declining),
        cmocka_unit_test(declining),
        cmocka_unit_test(macrs),
        cmocka_unit_test(straight_goes_by_time),
        cmocka_unit_test(years_have_their_formulas),
        cmocka_unit_test(macrs_goes_by_tax_years),
        cmocka_unit_test(months_add_up),
        cmocka_unit_test(without_a_calendar),
        cmocka_unit_test(terms_out_of_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
