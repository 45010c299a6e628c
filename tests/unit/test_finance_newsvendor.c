/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_finance_newsvendor.c - how much to reserve, against sums by hand and stockpyl's tests (0bae176c). */
#include "tests/unit/finance_case.h"
#include "models/finance/newsvendor.h"

static const int64_t curve[] = {2, 2, 2, 3, 5, 8, 10, 12, 12, 10, 8, 6, 6, 7, 9, 10, 9, 7, 5, 4, 3, 3, 2, 2};

#define NANO(cents) ((cents)*INT64_C(10000000))

static void reservations_on_a_demand_curve(void **state)
{
    (void)state;
    static const struct {
        int64_t on_demand, reserved, units, cost, all; // cents
    } row[] = {{1000, 600, 5, 121000, 147000},
               {1000, 400, 7, 92200, 147000},
               {1000, 700, 3, 130400, 147000},
               {9832, 5395, 5, 1129168, 1445304},
               {9832, 7743, 3, 1344056, 1445304}};
    struct rr_reserve r;
    for (size_t i = 0; i < LEN(row); i++) {
        assert_int_equal(rr_reserve_best(curve, LEN(curve), NANO(row[i].reserved), NANO(row[i].on_demand), &r), RR_OK);
        assert_int_equal(r.units, row[i].units);
        assert_int_equal(r.cost.micro, row[i].cost * 10000);
        assert_int_equal(r.all_on_demand.micro, row[i].all * 10000);
    }
}

static void no_other_count_is_better(void **state)
{
    (void)state;
    struct rr_reserve best, r;
    for (int64_t reserved = 1; reserved <= 1100; reserved += 7) {
        assert_int_equal(rr_reserve_best(curve, LEN(curve), NANO(reserved), NANO(1000), &best), RR_OK);
        for (int64_t k = 0; k <= 13; k++) {
            assert_int_equal(rr_reserve_cost(curve, LEN(curve), NANO(reserved), NANO(1000), k, &r), RR_OK);
            assert_true(k < best.units ? r.cost.micro > best.cost.micro : r.cost.micro >= best.cost.micro);
        }
    }
    assert_int_equal(rr_reserve_best(curve, 24, NANO(1), NANO(1000), &r), RR_OK);
    assert_int_equal(r.units, 12);
    assert_int_equal(rr_reserve_best(curve, 24, NANO(1000), NANO(1000), &r), RR_OK); // a tie: none
    assert_int_equal(r.units, 0);
    assert_int_equal(rr_reserve_best(NULL, 0, NANO(1), NANO(2), &r), RR_OK);
    assert_int_equal(r.cost.micro, 0);
    assert_int_equal(rr_reserve_best((const int64_t[]){INT64_MAX}, 1, NANO(1), NANO(2), &r), RR_EINPUT);
}

static void textbook(void **state)
{
    (void)state;
    struct rr_order x = rr_newsvendor_normal(50, 8, 0.18, 0.70);
    NEAR(x.units, 56.60395592743389, 1e-14);
    NEAR(x.cost, 1.9976051931766445, 1e-13);
    NEAR(rr_newsvendor_normal_cost(40, 50, 8, 0.18, 0.70), 7.356131552870386, 1e-13);
    x = rr_newsvendor_poisson(50, 0.18, 0.70);
    NEAR(x.units, 56, 1e-15);
    NEAR(x.cost, 1.797235211809178, 1e-12);
    x = rr_newsvendor_poisson(6, 1, 4);
    NEAR(x.units, 8, 1e-15);
    NEAR(x.cost, 3.5701069457709416, 1e-13);
    x = rr_newsvendor_profit(50, 8, 1, 0.3, 0.12);
    NEAR(x.units, 56.60395592743389, 1e-14);
    NEAR(x.cost, 33.002394806823354, 1e-14);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reservations_on_a_demand_curve),
        cmocka_unit_test(no_other_count_is_better),
        cmocka_unit_test(textbook),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
