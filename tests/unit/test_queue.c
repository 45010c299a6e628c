/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_queue.c - Erlang's formulas against tables (pyworkforce ca489250 where said) and other closed forms. */
#include "tests/unit/finance_case.h"
#include "models/queue.h"

static void erlang_tables(void **state)
{
    (void)state;
    static const struct {
        double load;
        int servers;
        double b, c, length, wait, within; // length: 4 digits in some rows
    } row[] = {{0.5, 1, 0.333333333333, 0.5, 0.5, 1, 1e-11},
               {1.5, 2, 0.310344827586, 0.642857142857, 1.92857142857, 1.28571428571, 1e-11},
               {2.5, 3, 0.282167042889, 0.702247191011, 3.51123595506, 1.40449438202, 1e-11},
               {3.2, 4, 0.228144929958, 0.596432471787, 2.38572988715, 0.745540589734, 1e-11},
               {6.4, 8, 0.144393889853, 0.457644925442, 1.83057970177, 0.286028078401, 1e-11},
               {7.2, 8, 0.190313168664, 0.701532990146, 6.31379691132, 0.876916237683, 1e-11},
               {12.8, 16, 0.0806472128401, 0.30488391293, 1.21953565172, 0.0952762227906, 1e-11},
               {57.6, 64, 0.0431235447399, 0.310663316533, 2.7959698488, 0.0485411432083, 1e-11},
               {460.8, 512, 0.00114312848059, 0.0113148755969, 0.101833880373, 0.000220993664003, 1e-11}, // factorials overflow here
               {10, 14, 0.0568191433865, 0.17413193359505, 0.4353, 0.0435329833988, 1e-4},
               {10, 15, 0.0364969454724, 0.102042367008, 0.2041, 0.0204084734016, 1e-4},
               {6, 10, 0.0431418384104, 0.101299242687, 0.152, 0.0253248106719, 1e-3}};
    for (size_t i = 0; i < LEN(row); i++) {
        NEAR(rr_erlang_b(row[i].load, row[i].servers), row[i].b, 5e-12);
        NEAR(rr_erlang_c(row[i].load, row[i].servers), row[i].c, 5e-12);
        NEAR(rr_queue_wait(row[i].load, row[i].servers), row[i].wait, 5e-12);
        NEAR(rr_queue_length(row[i].load, row[i].servers), row[i].length, row[i].within);
    }
}

static void service_levels_and_sizes(void **state)
{
    (void)state;
    NEAR(rr_queue_within(10, 14, 20.0 / 180), 0.8883500191794669, 1e-13); // pyworkforce
    NEAR(rr_queue_within(10, 15, 20.0 / 180), 0.9414528428690223, 1e-13);
    assert_int_equal(rr_erlang_servers(10, 0.02), 17);
    DIGITS(rr_erlang_b(10, 16), 0.0223, 4);
    DIGITS(rr_erlang_b(10, 17), 0.01295, 5);
    assert_true(isinf(rr_queue_wait(3, 3)) && isinf(rr_queue_length(3, 2)) && isinf(rr_queue_general(1, 1)));
    assert_true(rr_erlang_c(3, 3) == 1 && rr_queue_within(3, 3, 100) == 0 && rr_erlang_b(3, 0) == 1);
}

static void one_server(void **state)
{
    (void)state;
    NEAR(rr_queue_wait(0.8, 1), 4, 1e-14);
    NEAR(rr_queue_general(0.8, 1), 4, 1e-14);
    NEAR(rr_queue_general(0.8, 0), 2, 1e-14);
    NEAR(rr_queue_general(0.8, 4), 10, 1e-14);
}

static void finite_rooms(void **state)
{
    (void)state;
    struct rr_queue_finite x = rr_queue_finite(4, 5, 10);
    NEAR(x.blocking, 0.042485673823785194, 1e-14);
    NEAR(x.in_system, 4.723750091974716, 1e-14);
    NEAR(x.waiting, 0.8936927872698566, 1e-14);
    NEAR(x.time, 1.2333366621361097, 1e-14);
    NEAR(rr_queue_finite(10, 17, 17).blocking, rr_erlang_b(10, 17), 1e-13);
    x = rr_queue_finite(460.8, 512, 4096); // as good as endless
    NEAR(x.waiting, 0.101833880373, 1e-11);
    NEAR(x.in_system, 460.8 + x.waiting, 1e-12);
    x = rr_queue_finite(50, 1, 3000); // always full: a pass in 50
    NEAR(x.blocking, 0.98, 1e-13);
    NEAR(x.in_system, 3000 - 1.0 / 49, 1e-13);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(erlang_tables),
        cmocka_unit_test(service_levels_and_sizes),
        cmocka_unit_test(one_server),
        cmocka_unit_test(finite_rooms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
