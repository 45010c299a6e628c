/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_finance_rates.c - present values, rates of return and annuities against published figures.
 *
 * formulajs: test/financial.js at af0f0b41 (MIT); numpy-financial: its own tests; the rest from spreadsheet manuals or worked out from the
 * textbook formula elsewhere. */
#include "tests/unit/finance_case.h"
#include "models/finance/annuity.h"
#include "models/finance/irr.h"

#define ARRAY(...) ((const double[]){__VA_ARGS__})
#define FLOWS(...) ARRAY(__VA_ARGS__), LEN(ARRAY(__VA_ARGS__))

static void spreadsheet_npv_has_its_own_name(void **state)
{
    (void)state;
    NEAR(rr_npv_spreadsheet(0.10, FLOWS(-10000, 2000, 4000, 8000)), 1031.3503176012546, 1e-13);
    NEAR(rr_npv(0.10, FLOWS(-10000, 2000, 4000, 8000)), 1134.4853493613801, 1e-13);
    NEAR(rr_npv_spreadsheet(0.12, FLOWS(12000, 15000, 18000, 21000, 24000)), 62448.362521940246, 1e-13);
    NEAR(rr_npv(0.08, FLOWS(-40000, 5000, 8000, 12000, 30000)), 3065.2226681795255, 1e-13);
}

static int64_t day(int year, int month, int d) { return rr_days_from_civil(year, month, d) * RR_D; }

static void dated_flows(void **state)
{
    (void)state;
    const double flow[] = {-10000, 2750, 4250, 3250, 2750};
    const int64_t at[] = {day(2008, 1, 1), day(2008, 3, 1), day(2008, 10, 30), day(2009, 2, 15), day(2009, 4, 1)};
    NEAR(rr_xnpv(0.09, flow, at, 5), 2086.647602031535, 1e-13);
    const struct rr_irr x = rr_xirr(flow, at, 5);
    assert_int_equal(x.n, 1);
    NEAR(x.rate, 0.373362533518831, 1e-13);
    /* Any order, and a flow in two parts on its day. */
    const double mixed[] = {2750, -10000, 3250, 2000, 2750, 2250};
    const int64_t dates[] = {at[4], at[0], at[3], at[2], at[1], at[2]};
    NEAR(rr_xirr(mixed, dates, 6).rate, x.rate, 1e-13);
    assert_true(fabs(rr_xnpv(x.rate, flow, at, 5)) < 1e-8);
}

/* Two published figures stop before the root: formulajs has 0.13918184162670671 and -0.33923419058193316, each 6e-11 off by 40-digit
 * arithmetic. */
static void single_rates(void **state)
{
    (void)state;
    static const struct {
        double flow[8];
        size_t n;
        double rate, within;
    } row[] = {
        {{-75000, 12000, 15000, 18000, 21000, 24000}, 6, 0.05715142887178459, 1e-15},
        {{-4500, 3045, 2371}, 3, 0.1391818416876, 5e-14},
        {{-100, 39, 59, 55, 20}, 5, 0.280948421159961, 5e-16},
        {{-100, 0, 0, 74}, 4, -0.095495830349, 5e-13},
        {{-150000, 15000, 25000, 35000, 45000, 60000}, 6, 0.0524, 5e-5},
        {{-1678.87, 771.96, 1814.05, 3520.30, 3552.95, 3584.99, 4789.91, -1}, 8, 1.004265, 5e-6},
        {{-9765000, -24338874, -3354506, 814300, 1595562, 1975118, 1688159, 391944}, 8, -0.33923419051909065, 1e-15},
    };
    for (size_t i = 0; i < LEN(row); i++) {
        const struct rr_irr x = rr_irr(row[i].flow, row[i].n);
        assert_null(x.why);
        if (!(fabs(x.rate - row[i].rate) <= row[i].within)) fail_msg("row %zu: %.17g, %.17g expected", i, x.rate, row[i].rate);
        if (x.sign_changes == 1) assert_int_equal(x.n, 1);
    }
}

static void several_rates_are_all_found(void **state)
{
    (void)state;
    struct rr_irr x = rr_irr(FLOWS(-100, 100, 0, -7));
    assert_int_equal(x.n, 2);
    /* 7 x^3 - 100 x + 100 = 0 with x = 1 / (1 + rate), by Viete's cosine. */
    const double angle = acos(-1.5 * sqrt(0.21)) / 3, size = 2 * sqrt(100.0 / 21);
    NEAR(x.root[0], 1 / (size * cos(angle)) - 1, 1e-13); // -0.67889
    NEAR(x.root[1], 1 / (size * cos(angle + 4 * acos(-1) / 3)) - 1, 1e-13);
    DIGITS(x.root[1], -0.0833, 4);
    DIGITS(x.rate, -0.0833, 4);
    for (int zeros = 0; zeros <= 3; zeros++) {
        x = rr_irr((const double[]){-5, 10.5, 1, -8, 1, 0, 0, 0}, 5 + (size_t)zeros);
        assert_int_equal(x.n, 3);
        assert_int_equal(x.sign_changes, 3);
        DIGITS(x.root[0], -0.870, 3);
        DIGITS(x.root[1], 0.0886, 4);
        DIGITS(x.root[2], 0.710, 3);
        DIGITS(x.rate, 0.0886, 4);
    }
    /* The last of these flows adds a second rate, far off. */
    x = rr_irr(FLOWS(-1678.87, 771.96, 1814.05, 3520.30, 3552.95, 3584.99, 4789.91, -1));
    assert_int_equal(x.n, 2);
    assert_true(x.rate >= 1.00426 && x.rate < 1.00427); // published without its last digits
    assert_true(fabs(rr_npv(x.rate, FLOWS(-1678.87, 771.96, 1814.05, 3520.30, 3552.95, 3584.99, 4789.91, -1))) < 1e-9);
    assert_true(x.root[0] < -0.99);
}

/* Product of (x (1 + r_k) - 1) over k in x = 1 / (1 + rate): its rates are the r_k. */
static size_t with_rates(const double *rate, size_t n, double *flow)
{
    flow[0] = 1;
    for (size_t k = 0; k < n; k++) {
        flow[k + 1] = 0;
        for (size_t i = k + 1; i-- > 0;) {
            flow[i + 1] += flow[i] * (1 + rate[k]);
            flow[i] = -flow[i];
        }
    }
    return n + 1;
}

static void made_rates_come_back(void **state)
{
    (void)state;
    const double rate[] = {-0.62, -0.31, 0.03, 0.07, 0.4, 1.9};
    double flow[7];
    struct rr_irr x = rr_irr(flow, with_rates(rate, 6, flow));
    assert_int_equal(x.n, 6);
    assert_int_equal(x.sign_changes, 6);
    for (size_t i = 0; i < 6; i++) assert_true(fabs(x.root[i] - rate[i]) < 1e-9);
    assert_true(fabs(x.rate - 0.03) < 1e-9);
    /* (x 1.25 - 1)^2: it touches 0 and does not cross. */
    x = rr_irr(FLOWS(1, -2.5, 1.5625));
    assert_int_equal(x.n, 1);
    NEAR(x.rate, 0.25, 1e-7);
    /* A pair 1e-4 apart. */
    x = rr_irr(flow, with_rates(ARRAY(0.2, 0.2001), 2, flow));
    assert_int_equal(x.n, 2);
    NEAR(x.root[0], 0.2, 1e-8);
    NEAR(x.root[1], 0.2001, 1e-8);
}

static void no_rate_is_no_number(void **state)
{
    (void)state;
    const struct rr_irr x[] = {rr_irr(FLOWS(1, 2, 3)), rr_irr(FLOWS(-1, -2, -3)), rr_irr(FLOWS(0, 0)), rr_irr(NULL, 0),
                               rr_irr(FLOWS(10, -12, 10))};
    const char *why[] = {"no flow is a cost", "no flow is income", "there are no flows", "there are no flows",
                         "no rate makes the present value 0"};
    for (size_t i = 0; i < LEN(x); i++) {
        assert_int_equal(x[i].n, 0);
        assert_string_equal(x[i].why, why[i]);
        assert_true(x[i].rate == 0);
    }
    assert_int_equal(x[4].sign_changes, 2);
}

static void long_monthly_flows(void **state)
{
    (void)state;
    double flow[361] = {-100000};
    for (int i = 1; i <= 360; i++) flow[i] = -rr_annuity_payment(0.10 / 12, 360, 100000, 0, RR_ARREARS);
    NEAR(rr_irr(flow, 361).rate, 0.10 / 12, 1e-12);
    flow[360] = -40000; // taking it down: two rates
    const struct rr_irr x = rr_irr(flow, 361);
    assert_int_equal(x.n, 2);
    for (size_t i = 0; i < 2; i++) assert_true(fabs(rr_npv(x.root[i], flow, 361)) < 1e-5 * (x.root[i] < 0 ? 1e9 : 1));
    assert_true(x.rate == x.root[1]);
}

static void modified_rates(void **state)
{
    (void)state;
    NEAR(rr_mirr(FLOWS(-75000, 12000, 15000, 18000, 21000, 24000), 0.10, 0.12).value, 0.07971710360838036, 1e-13);
    DIGITS(rr_mirr(FLOWS(-4500, -800, 800, 800, 600, 600, 800, 800, 700, 3000), 0.08, 0.055).value, 0.0666, 4);
    DIGITS(rr_mirr(FLOWS(-120000, 39000, 30000, 21000, 37000, 46000), 0.10, 0.12).value, 0.126094, 6);
    assert_string_equal(rr_mirr(FLOWS(1, 2), 0.1, 0.1).why, "no flow is a cost");
    assert_string_equal(rr_mirr(FLOWS(-1, -2), 0.1, 0.1).why, "no flow is income");
}

/* The published digits end at 5e-14: -129.08116086799092 to all of them by 50-digit arithmetic. */
static void payments(void **state)
{
    (void)state;
    NEAR(rr_annuity_payment(0.10 / 12, 24, 100000, 0, RR_ARREARS), -4614.49263375167, 1e-13);
    NEAR(rr_annuity_payment(0.06 / 12, 216, 0, 50000, RR_ARREARS), -129.0811608679973, 1e-13);
    NEAR(rr_annuity_payment(0.075 / 12, 180, 200000, 0, RR_ARREARS), -1854.0247200054619, 1e-13);
    NEAR(rr_annuity_payment(0.10 / 12, 24, 100000, 1000000, RR_ARREARS), -42426.08563793503, 1e-13);
    NEAR(rr_annuity_payment(0.10 / 12, 24, 100000, 1000000, RR_ADVANCE), -42075.45683100995, 1e-13);
    NEAR(rr_annuity_payment(0.08 / 12, 36, 100000, 0, RR_ARREARS), -3133.636546143113, 1e-13);
    NEAR(rr_annuity_payment(0.08 / 12, 36, 100000, -20000, RR_ARREARS), -2640.2425702478236, 1e-13);
    NEAR(rr_annuity_payment(0.08 / 12, 36, 100000, -20000, RR_ADVANCE), -2622.757520113732, 1e-13);
    NEAR(rr_annuity_payment(0, 24, 100000, -4000, RR_ARREARS), -4000, 1e-15);
    NEAR(rr_annuity_payment(1e-9, 24, 100000, 0, RR_ARREARS), -100000.0 / 24 * (1 + 12.5e-9), 1e-13); // first order in the rate
}

static void parts_of_payments(void **state)
{
    (void)state;
    NEAR(rr_annuity_interest_sum(0.10 / 12, 360, 100000, 13, 24, RR_ARREARS), -9916.77251395708, 1e-13);
    NEAR(rr_annuity_principal_sum(0.10 / 12, 360, 100000, 13, 24, RR_ARREARS), -614.0863271085149, 1e-12);
    NEAR(rr_annuity_interest(0.10 / 12, 1, 24, 2000, 0, RR_ARREARS), -2000 * 0.10 / 12, 1e-13); // one period on all of it
    assert_true(rr_annuity_interest(0.10 / 12, 1, 24, 2000, 0, RR_ADVANCE) == 0);
    double interest = 0, principal = 0;
    for (int k = 1; k <= 24; k++) {
        interest += rr_annuity_interest(0.10 / 12, k, 24, 2000, 0, RR_ADVANCE);
        principal += rr_annuity_principal(0.10 / 12, k, 24, 2000, 0, RR_ADVANCE);
    }
    NEAR(principal, -2000, 1e-12);
    NEAR(interest + principal, 24 * rr_annuity_payment(0.10 / 12, 24, 2000, 0, RR_ADVANCE), 1e-12);
}

static void the_other_letters(void **state)
{
    (void)state;
    NEAR(rr_annuity_periods(0.07 / 12, -150, 8000, 0, RR_ARREARS).value, 64.07334877066185, 1e-14);
    NEAR(rr_annuity_rate(24, -1000, -10000, 100000, RR_ARREARS).value, 0.06517891177181546, 1e-13);
    NEAR(rr_annuity_future(0.05 / 12, 120, -100, -100, RR_ARREARS), 15692.928894335748, 1e-14);
    NEAR(rr_annuity_present(0.08 / 12, 36, -3133.636546143113, 0, RR_ARREARS), 100000, 1e-13);
    NEAR(rr_annuity_periods(0, -150, 8100, 0, RR_ARREARS).value, 54, 1e-15);
    NEAR(rr_annuity_rate(36, -2622.757520113732, 100000, -20000, RR_ADVANCE).value, 0.08 / 12, 1e-11);
    assert_string_equal(rr_annuity_periods(0.07 / 12, -46, 8000, 0, RR_ARREARS).why,
                        "never: the payments do not get there"); // under the interest
    assert_non_null(rr_annuity_periods(0, 0, 8000, 0, RR_ARREARS).why);
    assert_string_equal(rr_annuity_rate(12, -10, -10, 0, RR_ARREARS).why, "no flow is income");
}

static void rates_of_other_periods(void **state)
{
    (void)state;
    NEAR(rr_effective_rate(0.10, 4), 0.1038128906249998, 1e-14);
    NEAR(rr_nominal_rate(0.10, 4), 0.09645475633778045, 1e-14);
    NEAR(rr_growth_rate(8, 10000, 11000), 0.011985024140399592, 1e-13);
    NEAR(rr_recovery_factor(0.08, 4), 0.3019208044540391, 1e-14);
    NEAR(rr_recovery_factor(0, 4), 0.25, 1e-15);
    NEAR(pow(1 + rr_month_rate(0.08), 12), 1.08, 1e-15);
    NEAR(12 * rr_month_rate(0.10), rr_nominal_rate(0.10, 12), 1e-14);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spreadsheet_npv_has_its_own_name),
        cmocka_unit_test(dated_flows),
        cmocka_unit_test(single_rates),
        cmocka_unit_test(several_rates_are_all_found),
        cmocka_unit_test(made_rates_come_back),
        cmocka_unit_test(no_rate_is_no_number),
        cmocka_unit_test(long_monthly_flows),
        cmocka_unit_test(modified_rates),
        cmocka_unit_test(payments),
        cmocka_unit_test(parts_of_payments),
        cmocka_unit_test(the_other_letters),
        cmocka_unit_test(rates_of_other_periods),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
