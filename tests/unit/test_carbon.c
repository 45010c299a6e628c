/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_carbon.c - grams by hand. */
#include "tests/unit/finance_case.h"
#include "models/carbon.h"

static void an_hour_of_a_node(void **state)
{
    (void)state;
    DIGITS(rr_carbon_embodied_g(1e6, 1, 4 * 8760, 8.0 / 8), 28.5388, 4); // 1,000 kg over four years
    DIGITS(rr_carbon_embodied_g(1e6, 1, 4 * 8766, 8.0 / 8), 28.519, 3);  // of 365.25 days
    NEAR(rr_carbon_embodied_g(1e6, 2, 4 * 8760, 3.0 / 8), 1e6 * 2 * 3 / (8 * 4 * 8760.0), 1e-15);
    NEAR(rr_carbon_operational_g(3.43, 396.25), 1359.1375, 1e-15); // AWS us-east-1, average of 2024
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(an_hour_of_a_node)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
