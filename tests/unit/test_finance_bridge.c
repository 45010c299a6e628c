/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_finance_bridge.c - the bridge between two bills, and the cost of leaving. */
#include "tests/unit/finance_case.h"
#include "models/finance/bridge.h"
#include "models/finance/leave.h"

static int64_t total(struct rr_bridge x) { return x.price.micro + x.volume.micro + x.mix.micro + x.added.micro + x.dropped.micro; }

static void the_five_parts(void **state)
{
    (void)state;
    /* GPU-hours: 100 at $10 and 300 at $4 become 240 at $9 and 360 at $4.50; storage in another unit; a line that goes, one that comes, a fee. */
    const struct rr_bridge_line line[] = {
        {1, 100, 240, {1000000000}, {2160000000}},
        {1, 300, 360, {1200000000}, {1620000000}},
        {2, 50, 100, {25000000}, {50000000}},
        {1, 70, 0, {210000000}, {0}},
        {1, 0, 30, {0}, {99000000}},
        {3, 0, 0, {15000000}, {40000000}},
    };
    struct rr_bridge part[LEN(line)], sum;
    assert_int_equal(rr_bridge(line, LEN(line), part, &sum), RR_OK);
    /* Q grows from 400 to 600, by a half: volume 500 and 600; prices -1 x 240 and 0.5 x 360; mix 10 x (240 - 150) and 4 x (360 - 450). */
    assert_int_equal(part[0].volume.micro, 500000000);
    assert_int_equal(part[0].price.micro, -240000000);
    assert_int_equal(part[0].mix.micro, 900000000);
    assert_int_equal(part[1].volume.micro, 600000000);
    assert_int_equal(part[1].price.micro, 180000000);
    assert_int_equal(part[1].mix.micro, -360000000);
    assert_int_equal(part[2].volume.micro, 25000000);
    assert_int_equal(part[2].mix.micro, 0);
    assert_int_equal(part[3].dropped.micro, -210000000);
    assert_int_equal(part[4].added.micro, 99000000);
    assert_int_equal(part[5].price.micro, 25000000);
    assert_int_equal(sum.volume.micro, 1125000000);
    assert_int_equal(sum.price.micro, -35000000);
    assert_int_equal(sum.mix.micro, 540000000);
    assert_int_equal(total(sum), INT64_C(2160000000) + 1620000000 + 50000000 + 99000000 + 40000000 - 1000000000 - 1200000000 - 25000000 -
                                     210000000 - 15000000);
}

static void every_bridge_adds_up(void **state)
{
    (void)state;
    uint64_t x = 88172645463325252; // xorshift
    struct rr_bridge_line line[7];
    struct rr_bridge part[7], sum;
    for (int k = 0; k < 3000; k++) {
        int64_t whole = 0;
        for (int i = 0; i < 7; i++) {
            x ^= x << 13, x ^= x >> 7, x ^= x << 17;
            line[i] = (struct rr_bridge_line){(int)(x % 3), (int64_t)(x >> 8) % 1000, (int64_t)(x >> 20) % 1000, MONEY((int64_t)(x >> 25)),
                                              MONEY((int64_t)(x >> 28))};
            if (x % 5 == 0) line[i].quantity_a = 0;
            if (x % 7 == 0) line[i].quantity_b = 0;
        }
        assert_int_equal(rr_bridge(line, 7, part, &sum), RR_OK);
        for (int i = 0; i < 7; i++) {
            assert_int_equal(total(part[i]), line[i].amount_b.micro - line[i].amount_a.micro);
            whole += total(part[i]);
        }
        assert_int_equal(total(sum), whole);
    }
}

static void bridges_refused(void **state)
{
    (void)state;
    struct rr_bridge sum;
    const struct rr_bridge_line negative = {1, -1, 2, {5}, {5}}, wide = {1, 1, INT64_MAX, {INT64_MAX}, {5}};
    assert_int_equal(rr_bridge(&negative, 1, NULL, &sum), RR_EINPUT);
    assert_string_equal(rr_reason(), "a bridge has a negative quantity");
    assert_int_equal(rr_bridge(&wide, 1, NULL, &sum), RR_EINPUT);
    assert_int_equal(rr_bridge(NULL, 0, NULL, &sum), RR_OK);
    assert_int_equal(total(sum), 0);
}

static void leaving_costs_penalties_and_book_less_resale(void **state)
{
    (void)state;
    const struct rr_obligation owed[] = {{100, {7000000}, 1}, {200, {5000000}, 0.385}, {300, {3000001}, 0.5}, {300, {4000000}, 0}};
    const struct rr_holding held[] = {{{9000000}, {4000000}}, {{1000000}, {2500000}}};
    struct rr_leave x;
    assert_int_equal(rr_leave_at(200, owed, LEN(owed), held, LEN(held), &x), RR_OK); // a payment due that day is still owed
    assert_int_equal(x.owed.micro, 12000001);
    assert_int_equal(x.penalties.micro, 1925000 + 1500000); // half-even
    assert_int_equal(x.book.micro, 10000000);
    assert_int_equal(x.resale.micro, 6500000);
    assert_int_equal(x.cost.micro, 6925000);
    assert_int_equal(rr_leave_at(301, owed, LEN(owed), &held[1], 1, &x), RR_OK);
    assert_int_equal(x.cost.micro, -1500000);
    const struct rr_obligation odd = {5, {1}, 1.5};
    assert_int_equal(rr_leave_at(0, &odd, 1, NULL, 0, &x), RR_EINPUT);
    assert_string_equal(rr_reason(), "a share of 1.5 of a payment as penalty is not within 0 and 1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_five_parts),
        cmocka_unit_test(every_bridge_adds_up),
        cmocka_unit_test(bridges_refused),
        cmocka_unit_test(leaving_costs_penalties_and_book_less_resale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
