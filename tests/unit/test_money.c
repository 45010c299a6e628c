/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_money.c - the one rounding, charges, shares. Figures by hand, or by long division in another form. */
#include "data/base/money.h"
#include "data/base/rng.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <inttypes.h>
#include <string.h>

#include <cmocka.h>

#define HOUR_US INT64_C(3600000000)

static int64_t rounded(rr_i128 n, rr_i128 d)
{
    int64_t v = -77;
    assert_int_equal(rr_round_div(n, d, &v), RR_OK);
    return v;
}

static void halves_go_to_even(void **state)
{
    (void)state;
    static const int64_t twice[] = {-5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 7};
    static const int64_t want[] = {-2, -2, -2, -1, 0, 0, 0, 1, 2, 2, 2, 4};
    for (size_t i = 0; i < sizeof twice / sizeof *twice; i++) assert_int_equal(rounded(twice[i], 2), want[i]);
    assert_int_equal(rounded(10, 3), 3);
    assert_int_equal(rounded(11, 3), 4);
    assert_int_equal(rounded(-11, 3), -4);
    assert_int_equal(rounded(7, 7), 1);
    assert_int_equal(rounded(INT64_MAX, 1), INT64_MAX);
    assert_int_equal(rounded(INT64_MIN, 1), INT64_MIN);
    const rr_i128 huge = (rr_i128)INT64_MAX << 62; // a divisor whose double does not fit
    assert_int_equal(rounded(huge, huge), 1);
    assert_int_equal(rounded(huge / 2, huge), 0);
    assert_int_equal(rounded(huge / 2 + 1, huge), 1);
}

static void what_does_not_fit_is_refused(void **state)
{
    (void)state;
    int64_t v = -77;
    assert_int_equal(rr_round_div((rr_i128)INT64_MAX + 1, 1, &v), RR_EINPUT);
    assert_int_equal(rr_round_div((rr_i128)INT64_MAX * 2 + 1, 2, &v), RR_EINPUT); // rounds up past the end
    assert_int_equal(rr_round_div((rr_i128)INT64_MIN - 1, 1, &v), RR_EINPUT);
    assert_int_equal(v, -77);
    struct rr_money m = {-77};
    assert_int_equal(rr_money_charge(INT64_MAX, (rr_i128)1 << 90, HOUR_US, &m), RR_EINPUT);
    assert_int_equal(rr_money_charge(INT64_MAX, (rr_i128)1 << 60, HOUR_US, &m), RR_EINPUT);
    assert_int_equal(m.micro, -77);
    m.micro = INT64_MAX - 1;
    assert_int_equal(rr_money_add(&m, (struct rr_money){2}), RR_EINPUT);
    assert_int_equal(m.micro, INT64_MAX - 1);
    assert_int_equal(rr_money_add(&m, (struct rr_money){1}), RR_OK);
    assert_int_equal(m.micro, INT64_MAX);
}

static void a_charge_is_rounded_once(void **state)
{
    (void)state;
    struct rr_money m;
    // $2.385 an hour for 7 nodes and 61 s: 2.385 x 7 x 61 / 3600 = 0.2828875 exactly, half a micro-unit, to even
    assert_int_equal(rr_money_charge(2385000000, (rr_i128)7 * 61 * 1000000, HOUR_US, &m), RR_OK);
    assert_int_equal(m.micro, 282888);
    // $0.000097 a GPU-second, 1,000 GPU-seconds: $0.097
    assert_int_equal(rr_money_charge(97000, 1000, 1, &m), RR_OK);
    assert_int_equal(m.micro, 97000);
    // 500 nano: half a micro-unit goes to even, 1,500 too
    assert_int_equal(rr_money_charge(500, 1, 1, &m), RR_OK);
    assert_int_equal(m.micro, 0);
    assert_int_equal(rr_money_charge(1500, 1, 1, &m), RR_OK);
    assert_int_equal(m.micro, 2);
    assert_int_equal(rr_money_charge(-1500, 1, 1, &m), RR_OK);
    assert_int_equal(m.micro, -2);
    // ten thousand nodes for ten years at $98.32 an hour: 98.32 x 1e4 x 87,660 h = $86,187,312,000
    assert_int_equal(rr_money_charge(98320000000, (rr_i128)10000 * 87660 * HOUR_US, HOUR_US, &m), RR_OK);
    assert_int_equal(m.micro, INT64_C(86187312000) * 1000000);
}

static void shares_of_time_add_up(void **state)
{
    (void)state;
    const struct rr_money whole = {1000003};
    const int64_t at[] = {0, 744, 744 + 672, 2160};
    int64_t sum = 0;
    for (int i = 0; i < 3; i++) sum += rr_money_upto(whole, at[i + 1], 2160).micro - rr_money_upto(whole, at[i], 2160).micro;
    assert_int_equal(sum, whole.micro);
    assert_int_equal(rr_money_upto(whole, 744, 2160).micro, 344445); // 344,445.477...
    assert_int_equal(rr_money_upto((struct rr_money){-1000003}, 744, 2160).micro, -344445);
    assert_int_equal(rr_money_upto((struct rr_money){INT64_MAX}, INT64_MAX, INT64_MAX).micro, INT64_MAX);
    assert_int_equal(rr_money_upto((struct rr_money){INT64_MIN}, INT64_MAX, INT64_MAX).micro, INT64_MIN);
}

static void a_split_loses_nothing(void **state)
{
    (void)state;
    struct rr_money part[3];
    const rr_i128 thirds[] = {1, 1, 1};
    rr_money_split((struct rr_money){100}, thirds, 3, part); // 33.3 each: the first gets the odd one
    assert_int_equal(part[0].micro, 34);
    assert_int_equal(part[1].micro, 33);
    assert_int_equal(part[2].micro, 33);
    rr_money_split((struct rr_money){-100}, thirds, 3, part);
    assert_int_equal(part[0].micro, -34);
    const rr_i128 uneven[] = {0, 5, 2}; // 71.43 and 28.57
    rr_money_split((struct rr_money){100}, uneven, 3, part);
    assert_int_equal(part[0].micro, 0);
    assert_int_equal(part[1].micro, 71);
    assert_int_equal(part[2].micro, 29);
    rr_money_split((struct rr_money){INT64_MIN}, uneven + 2, 1, part);
    assert_int_equal(part[0].micro, INT64_MIN);
}

static void splits_by_large_weights_add_up(void **state)
{
    (void)state;
    struct rr_rng r;
    rr_rng_init(&r, 21, 0, RR_RNG_TEST, 0);
    for (int round = 0; round < 2000; round++) {
        rr_i128 weight[11];
        struct rr_money part[11];
        const struct rr_money whole = {(int64_t)rr_rng_u64(&r) >> rr_rng_below(&r, 60)};
        rr_i128 total = 0;
        for (int i = 0; i < 11; i++) total += weight[i] = (rr_i128)rr_rng_u64(&r) << rr_rng_below(&r, 55);
        rr_money_split(whole, weight, 11, part);
        rr_i128 sum = 0;
        for (int i = 0; i < 11; i++) {
            sum += part[i].micro;
            const long double exact = (long double)whole.micro * ((long double)weight[i] / (long double)total);
            const long double off = (long double)part[i].micro - exact;
            assert_true(off > -1.01L && off < 1.01L); // less than one unit from its share
        }
        assert_true(sum == whole.micro);
    }
}

static void check_money(int64_t micro, const char *currency, int digits, const char *want)
{
    struct rr_buf b = {0};
    rr_buf_money(&b, (struct rr_money){micro}, currency, digits);
    assert_string_equal(rr_buf_text(&b), want);
    rr_buf_done(&b);
}

static void check_plain(int64_t micro, const char *want)
{
    struct rr_buf b = {0};
    rr_buf_money_plain(&b, (struct rr_money){micro});
    assert_string_equal(rr_buf_text(&b), want);
    rr_buf_done(&b);
}

static void amounts_are_printed(void **state)
{
    (void)state;
    check_money(1234567891000, "USD", 2, "$1,234,567.89");
    check_money(12500000, "CNY", 2, "¥12.50");
    check_money(3200000, "EUR", 2, "EUR 3.20");
    check_money(-3200000, "EUR", 1, "-EUR 3.2");
    check_money(2500000, "USD", 0, "$2"); // half to even
    check_money(3500000, "USD", 0, "$4");
    check_money(-4999, "USD", 2, "$0.00"); // no minus before zero
    check_money(999999999, "USD", 2, "$1,000.00");
    check_money(97, "USD", 6, "$0.000097");
    check_money(INT64_MIN, "USD", 6, "-$9,223,372,036,854.775808");
    check_money(1000000, "", 2, "1.00");
    check_plain(1234567891000, "1234567.891");
    check_plain(0, "0");
    check_plain(-1, "-0.000001");
    check_plain(5000000, "5");
    check_plain(INT64_MIN, "-9223372036854.775808");
    assert_true(rr_money_double((struct rr_money){2385000}) == 2.385);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(halves_go_to_even),        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(a_charge_is_rounded_once), cmocka_unit_test(shares_of_time_add_up),
        cmocka_unit_test(a_split_loses_nothing),    cmocka_unit_test(splits_by_large_weights_add_up),
        cmocka_unit_test(amounts_are_printed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
