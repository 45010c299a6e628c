/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_finance_breakeven.c - payback, levelised cost, break-even and where verdicts flip. */
#include "tests/unit/finance_case.h"
#include "models/finance/annuity.h"
#include "models/finance/breakeven.h"

#define ARRAY(...) ((const double[]){__VA_ARGS__})
#define FLOWS(...) ARRAY(__VA_ARGS__), LEN(ARRAY(__VA_ARGS__))

static void payback_has_fractions_and_never(void **state)
{
    (void)state;
    NEAR(rr_payback(FLOWS(-1000, 400, 400, 400)).value, 2.5, 1e-15);
    /* 1000 - 400 / 1.1 - 400 / 1.21 = 305.785...; the third is worth 300.526: not enough, a fourth 273.205 is. */
    assert_string_equal(rr_payback_discounted(0.1, FLOWS(-1000, 400, 400, 400)).why, "never: the sum of the flows is negative");
    const double left = 1000 - 400 / 1.1 - 400 / 1.21 - 400 / 1.331;
    NEAR(rr_payback_discounted(0.1, FLOWS(-1000, 400, 400, 400, 400)).value, 3 + left / (400 / 1.4641), 1e-13);
    NEAR(rr_payback(FLOWS(-100, 150, -80, 60)).value, 2.5, 1e-15); // paid back for good, not at 2 / 3
    assert_true(rr_payback(FLOWS(100, -30)).value == 0 && rr_payback(FLOWS(100, -30)).why == NULL);
    assert_non_null(rr_payback(FLOWS(-100, 200, -101)).why);
}

static const struct rr_levelised node = {.price = 400000, .yearly = 60000, .rate = 0.08, .years = 4, .gpu_hours = 8 * 8760};

static void levelised_cost_of_reference(void **state)
{
    (void)state;
    NEAR(rr_levelised_yearly(&node), 180768.32178161567, 1e-14);
    NEAR(rr_levelised_gpu_hour(&node, 1).value, 2.579456646427164, 1e-14);
    NEAR(rr_levelised_gpu_hour(&node, 0.7).value, 3.6849380663245226, 1e-14);
    struct rr_levelised x = node;
    x.rate = 0;
    NEAR(rr_levelised_gpu_hour(&x, 0.7).value, 3.2615786040443573, 1e-14);
    x = node;
    x.residual = 80000;
    NEAR(rr_levelised_gpu_hour(&x, 0.7).value, 3.323031992524719, 1e-14);
    /* The same from its flows. */
    const double cost[] = {400000, 60000, 60000, 60000, 60000 - 80000}, hours[] = {0, 49056, 49056, 49056, 49056};
    NEAR(rr_levelised_flows(0.08, cost, hours, 5).value, 3.323031992524719, 1e-14);
    assert_string_equal(rr_levelised_gpu_hour(&node, 0).why, "no GPU-hour is used");
    assert_string_equal(rr_levelised_flows(0.08, cost, hours, 1).why, "no GPU-hour is used");
}

static const char *text(struct rr_break_even x)
{
    static char line[80];
    struct rr_buf b = {0};
    rr_buf_break_even_use(&b, x);
    strncpy(line, rr_buf_text(&b), sizeof line - 1);
    rr_buf_done(&b);
    return line;
}

static void never_is_an_answer(void **state)
{
    (void)state;
    const double yearly = rr_levelised_yearly(&node);
    struct rr_break_even x = rr_break_even_use(yearly, node.gpu_hours, 4);
    assert_int_equal(x.state, RR_BREAK_EVEN_AT);
    NEAR(x.at, 0.644864161606791, 1e-14);
    assert_string_equal(text(x), "64.5 %");
    x = rr_break_even_use(yearly, node.gpu_hours, 2.5);
    assert_int_equal(x.state, RR_BREAK_EVEN_NEVER);
    DIGITS(x.at, 1.0318, 4);
    assert_string_equal(text(x), "never (would need 103.2 % utilisation)");
    assert_string_equal(text(rr_break_even_use(yearly, node.gpu_hours, 0.485)), "never (would need 532 % utilisation)");
    assert_string_equal(text(rr_break_even_use(yearly, node.gpu_hours, 0)), "never");
    assert_string_equal(text(rr_break_even_use(yearly, 0, 4)), "never");
    assert_string_equal(text(rr_break_even_use(0, node.gpu_hours, 4)), "always");
    x = rr_break_even_price(yearly, node.gpu_hours, 0.7);
    assert_int_equal(x.state, RR_BREAK_EVEN_AT);
    NEAR(x.at, 3.6849380663245226, 1e-14);
    assert_int_equal(rr_break_even_price(yearly, node.gpu_hours, 0).state, RR_BREAK_EVEN_NEVER);
    assert_int_equal(rr_break_even_price(-1, node.gpu_hours, 0.5).state, RR_BREAK_EVEN_ALWAYS);
}

static void months_where_the_lead_changes(void **state)
{
    (void)state;
    const struct rr_money buy[] = {{1200}, {100}, {100}, {100}, {100}}, rent[] = {{450}, {450}, {450}, {450}, {450}};
    int crossings;
    struct rr_break_even x = rr_break_even_month(buy, rent, 5, &crossings); // 750, 400, 50, -300, -650
    assert_int_equal(x.state, RR_BREAK_EVEN_AT);
    NEAR(x.at, 3 + 50.0 / 350, 1e-15);
    assert_int_equal(crossings, 1);
    x = rr_break_even_month(rent, buy, 5, &crossings); // cheaper at first, dearer in the end
    assert_int_equal(x.state, RR_BREAK_EVEN_NEVER);
    assert_int_equal(crossings, 1);
    x = rr_break_even_month(buy, rent, 3, &crossings);
    assert_int_equal(x.state, RR_BREAK_EVEN_NEVER);
    assert_int_equal(crossings, 0);
    x = rr_break_even_month(rent, buy, 3, &crossings);
    assert_int_equal(x.state, RR_BREAK_EVEN_ALWAYS);
    const struct rr_money again[] = {{1200}, {100}, {100}, {100}, {800}, {75}}; // 750 400 50 -300 50 -325 with a refresh
    const struct rr_money rent6[] = {{450}, {450}, {450}, {450}, {450}, {450}};
    x = rr_break_even_month(again, rent6, 6, &crossings);
    NEAR(x.at, 5 + 50.0 / 375, 1e-15);
    assert_int_equal(crossings, 3);
}

/* ---- flips ---- */

/* What owning a node for four years costs more than renting 70 % of its hours at $4, by the share that resale brings back. */
static enum rr_status by_resale(void *ctx, double x, double *ret)
{
    struct rr_levelised l = node;
    (void)ctx;
    l.residual = x * l.price;
    l.yearly = 90000;
    *ret = rr_levelised_gpu_hour(&l, 0.7).value - 4;
    return RR_OK;
}

static enum rr_status wave(void *ctx, double x, double *ret)
{
    *ret = (x - 0.2) * (x - 0.5) * (x - 0.9) * *(double *)ctx;
    return RR_OK;
}

static enum rr_status flat(void *ctx, double x, double *ret)
{
    *ret = *(double *)ctx + 0 * x;
    return RR_OK;
}

static enum rr_status breaks(void *ctx, double x, double *ret)
{
    (void)ctx;
    *ret = x - 0.6;
    return x > 0.55 ? rr_fail(RR_EINPUT, "no such price") : RR_OK;
}

static void verdicts_flip(void **state)
{
    (void)state;
    struct rr_flip f;
    struct rr_flip_search s = {by_resale, NULL, 0, 1, 0.25, 9, 0};
    assert_int_equal(rr_flip_find(&s, &f), RR_OK);
    assert_int_equal(f.n, 1);
    /* By hand: (400,000 - R / 1.08^4) x 0.30192... + 90,000 = 4 x 49,056. */
    const double r = (400000 - (4 * 49056 - 90000) / 0.3019208044540391) * pow(1.08, 4);
    assert_true(fabs(f.at - r / 400000) < 1e-8);
    assert_true(f.below && f.now < 0); // owning is better now, and not "below 16 %"
    s.now = 0;
    assert_int_equal(rr_flip_find(&s, &f), RR_OK);
    assert_true(!f.below && f.now > 0);
}

static void several_flips_and_none(void **state)
{
    (void)state;
    double k = -3;
    struct rr_flip f;
    struct rr_flip_search s = {wave, &k, 0, 1, 0.6, 11, 0};
    assert_int_equal(rr_flip_find(&s, &f), RR_OK); // each root lies on a point of the grid
    assert_int_equal(f.n, 3);
    assert_true(fabs(f.at - 0.5) < 1e-8 && f.below);
    s.now = 0.75;
    s.points = 8;
    assert_int_equal(rr_flip_find(&s, &f), RR_OK);
    assert_true(f.n == 3 && fabs(f.at - 0.9) < 1e-8 && !f.below);
    s = (struct rr_flip_search){flat, &k, 0, 1, 0.5, 5, 0};
    assert_int_equal(rr_flip_find(&s, &f), RR_OK);
    assert_int_equal(f.n, 0);
    assert_true(f.now == -3);
    k = 0;
    assert_int_equal(rr_flip_find(&s, &f), RR_OK);
    assert_int_equal(f.n, 0);
    s = (struct rr_flip_search){breaks, NULL, 0, 1, 0.5, 5, 0};
    f.n = 77;
    assert_int_equal(rr_flip_find(&s, &f), RR_EINPUT);
    assert_string_equal(rr_reason(), "no such price");
    assert_int_equal(f.n, 77);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(payback_has_fractions_and_never),
        cmocka_unit_test(levelised_cost_of_reference),
        cmocka_unit_test(never_is_an_answer),
        cmocka_unit_test(months_where_the_lead_changes),
        cmocka_unit_test(verdicts_flip),
        cmocka_unit_test(several_flips_and_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
