/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_finance.c - present values against published figures. */
#include "models/finance/finance.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void near(double got, double want)
{
    if (fabs(got - want) > 1e-12 * fabs(want)) fail_msg("%.17g is not %.17g", got, want);
}

/* The spreadsheet NPV discounts the first flow by one period (formulajs test/financial.js); ours starts at t = 0: times 1 + rate. */
static void npv_starts_at_zero(void **state)
{
    (void)state;
    near(rr_npv(0.10, (double[]){-10000, 2000, 4000, 8000}, 4), 1031.3503176012546 * 1.1);
    near(rr_npv(0.12, (double[]){12000, 15000, 18000, 21000, 24000}, 5), 62448.362521940246 * 1.12);
    near(rr_npv(0.08, (double[]){-40000, 5000, 8000, 12000, 30000}, 5), 3065.2226681795255); // numpy-financial
    near(rr_npv(0, (double[]){-3, 5, 7}, 3), 9);
    near(rr_npv(-0.5, (double[]){1, 1}, 2), 3);
    assert_true(rr_npv(0.1, NULL, 0) == 0);
}

static int64_t at(const struct rr_clock *c, const char *date)
{
    int64_t epoch = 0;
    assert_int_equal(rr_date_parse(rr_slice(date, strlen(date)), &epoch), RR_OK);
    return epoch - c->start_us;
}

static void discount_counts_calendar_months(void **state)
{
    (void)state;
    struct rr_clock c = {.anchored = true};
    c.start_us = at(&c, "2028-01-31"); // a leap year, and a day that February lacks
    near(rr_discount(&c, 0.08, 0), 1);
    near(rr_discount(&c, 0.08, at(&c, "2029-01-31")), 1 / 1.08);
    near(rr_discount(&c, 0.08, at(&c, "2031-01-31")), 1 / (1.08 * 1.08 * 1.08));
    near(rr_discount(&c, 0.08, at(&c, "2028-02-29")), pow(1.08, -1.0 / 12));             // the month's last day
    near(rr_discount(&c, 0.08, at(&c, "2028-03-15")), pow(1.08, -(1 + 15.0 / 31) / 12)); // 15 of the 31 days to 31 March
    near(rr_discount(&c, 0, at(&c, "2040-07-01")), 1);
    near(rr_discount(&c, -0.25, at(&c, "2030-01-31")), 1 / 0.5625);
}

static void without_a_calendar_a_year_has_8766_hours(void **state)
{
    (void)state;
    const struct rr_clock c = {0};
    near(rr_discount(&c, 0.08, 8766 * RR_H), 1 / 1.08);
    near(rr_discount(&c, 0.21, 4383 * RR_H), 1 / 1.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(npv_starts_at_zero),
        cmocka_unit_test(discount_counts_calendar_months),
        cmocka_unit_test(without_a_calendar_a_year_has_8766_hours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
