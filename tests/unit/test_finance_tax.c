/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_finance_tax.c - tax on profit, carried losses, VAT and the tax shield. */
#include "tests/unit/finance_case.h"
#include "models/finance/depreciation.h"
#include "models/finance/tax.h"

#define N 6

static void shields_of_reference(void **state)
{
    (void)state;
    double macrs[6], line[5];
    for (int k = 0; k < 6; k++) macrs[k] = 400000 * rr_macrs(5, k + 1);
    for (int k = 0; k < 5; k++) line[k] = rr_straight_line(400000, 0, 5);
    NEAR(rr_tax_shield(0.21, 0.08, macrs, 6), 68151.36651174894, 1e-14);
    NEAR(rr_tax_shield(0.21, 0.08, line, 5), 67077.52862291182, 1e-14);
    NEAR(rr_tax_shield(0.21, 0.08, (const double[]){400000}, 1), 77777.77777777777, 1e-14);
}

static void losses_save_tax_only_beside_profit(void **state)
{
    (void)state;
    const struct rr_money income[N] = {{-1000000}, {300000}, {900000}, {500000}, {-200000}, {100000}};
    const struct rr_money written[N] = {{100000}, {100000}, {100000}, {100000}, {0}, {0}};
    struct rr_tax t = {.rate = 0.21, .taxable_profit = true};
    struct rr_money tax[N], carried;
    assert_int_equal(rr_tax_flows(&t, income, written, N, tax, &carried), RR_OK);
    const int64_t beside[] = {-231000, 42000, 168000, 84000, -42000, 21000};
    for (int i = 0; i < N; i++) assert_int_equal(tax[i].micro, beside[i]);
    assert_int_equal(carried.micro, 0);
    t.taxable_profit = false; // 1.1 lost, 0.2 and 0.8 earned against it, 0.1 is left over to 0.4
    assert_int_equal(rr_tax_flows(&t, income, written, N, tax, &carried), RR_OK);
    const int64_t alone[] = {0, 0, 0, 63000, 0, 0};
    for (int i = 0; i < N; i++) assert_int_equal(tax[i].micro, alone[i]);
    assert_int_equal(carried.micro, 100000);
    assert_int_equal(rr_tax_flows(&t, income, NULL, 1, tax, &carried), RR_OK);
    assert_int_equal(carried.micro, 1000000);
}

static void vat_comes_back_later_or_never(void **state)
{
    (void)state;
    const struct rr_money cost[] = {{1000000}, {0}, {2385000}};
    struct rr_tax t = {.vat = 0.13, .vat_recovered = 0.75, .vat_lag = 1};
    struct rr_money vat[3], later, kept;
    assert_int_equal(rr_vat_flows(&t, cost, 3, vat, &later), RR_OK);
    assert_int_equal(vat[0].micro, 130000);
    assert_int_equal(vat[1].micro, -97500);
    assert_int_equal(vat[2].micro, 310050);
    assert_int_equal(later.micro, 232538); // 232,537.5 half-even
    assert_int_equal(rr_vat_kept(&t, cost[0], &kept), RR_OK);
    assert_int_equal(kept.micro, 1032500);
    t.vat_lag = 0;
    assert_int_equal(rr_vat_flows(&t, cost, 3, vat, &later), RR_OK);
    assert_int_equal(vat[0].micro, 32500);
    assert_int_equal(later.micro, 0);
    t.vat_lag = 99;
    assert_int_equal(rr_vat_flows(&t, cost, 3, vat, &later), RR_OK);
    assert_int_equal(later.micro, 97500 + 232538);
    t.vat_recovered = 0;
    assert_int_equal(rr_vat_kept(&t, cost[2], &kept), RR_OK);
    assert_int_equal(kept.micro, 2695050);
}

static void shares_out_of_range(void **state)
{
    (void)state;
    struct rr_money one[] = {{INT64_MIN + 2}}, written[] = {{5}}, tax[1], sum;
    const struct rr_tax over = {.rate = 1.2}, vat = {.vat = -0.1}, back = {.vat = 0.1, .vat_recovered = 1.1}, fine = {.rate = 0.2};
    assert_int_equal(rr_tax_flows(&over, one, NULL, 1, tax, &sum), RR_EINPUT);
    assert_string_equal(rr_reason(), "a tax rate of 1.2 is not within 0 and 1");
    assert_int_equal(rr_vat_kept(&vat, one[0], &sum), RR_EINPUT);
    assert_string_equal(rr_reason(), "a VAT rate of -0.1 is not within 0 and 1");
    assert_int_equal(rr_vat_flows(&back, one, 1, tax, &sum), RR_EINPUT);
    assert_string_equal(rr_reason(), "a recoverable share of VAT of 1.1 is not within 0 and 1");
    assert_int_equal(rr_tax_flows(&fine, one, written, 1, tax, &sum), RR_EINPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shields_of_reference),
        cmocka_unit_test(losses_save_tax_only_beside_profit),
        cmocka_unit_test(vat_comes_back_later_or_never),
        cmocka_unit_test(shares_out_of_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
