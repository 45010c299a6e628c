/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_checkpoint.c - checkpoint intervals against values worked out elsewhere with many digits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "models/checkpoint.h"
#include <math.h>

static void near(double got, double want, double relative)
{
    if (!(fabs(got - want) <= relative * fabs(want))) fail_msg("%.17g, %.17g expected", got, want);
}

static void published_intervals(void **state)
{
    (void)state;
    static const struct {
        double M, C, R, D, young, daly, best, at_young, at_best; // daly 0: not given
    } row[] = {{86400, 300, 300, 0, 7200, 7001.388889, 7001.404400, 1.0920000702570978, 1.0919654281169193},
               {86400, 600, 600, 120, 10182.337649, 0, 9786.328188, 1.1372735363001238, 1.1371720260654345},
               {18000, 300, 300, 60, 3286.335345, 0, 3089.453125, 1.231984388328921, 1.2315793968374071}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const double young = rr_checkpoint_young(row[i].M, row[i].C), best = rr_checkpoint_best(row[i].M, row[i].C);
        near(young, row[i].young, 1e-9);
        if (row[i].daly > 0) near(rr_checkpoint_daly(row[i].M, row[i].C), row[i].daly, 1e-9);
        near(best, row[i].best, 1e-9);
        near(rr_checkpoint_slowdown(young, row[i].M, row[i].C, row[i].R, row[i].D), row[i].at_young, 1e-12);
        near(rr_checkpoint_slowdown(best, row[i].M, row[i].C, row[i].R, row[i].D), row[i].at_best, 1e-12);
    }
}

// Mean time between failures of a job: a node's over the nodes it holds. At Young's interval half of the loss is writing, half redoing.
static void more_nodes_save_more_often(void **state)
{
    (void)state;
    near(rr_checkpoint_young(50000.0 / 128, 0.1), sqrt(2 * 390.625 * 0.1), 1e-14);
    near(sqrt(2 * 300.0 / 86400), 0.0833, 5e-4);
    near(300 / rr_checkpoint_young(86400, 300) + rr_checkpoint_young(86400, 300) / (2 * 86400), sqrt(2 * 300.0 / 86400), 1e-14);
    near(rr_checkpoint_young(50000.0 / 2048, 0.1), sqrt(2 * 24.4140625 * 0.1), 1e-14);
    near(rr_checkpoint_young(50000.0 / 16384, 0.1), sqrt(2 * 3.0517578125 * 0.1), 1e-14);
}

// The optimum solves (1 - u) e^u = e^-a with u = w / M, a = C / M.
static void the_best_is_the_root(void **state)
{
    (void)state;
    for (double a = 1e-15; a < 400; a *= 1.7) {
        const double u = rr_checkpoint_best(1, a);
        assert_true(u > 0 && u <= 1);
        if (a >= 1e-8) {
            const long double lhs = -log1pl(-(long double)u) - (long double)u;
            if (u < 0.999) assert_true(fabsl(lhs - (long double)a) <= 1e-9L * (long double)a);
        } else {
            near(u, sqrt(2 * a), 1e-3); // Young's, when writes are short
        }
    }
}

static void nothing_near_it_is_better(void **state)
{
    (void)state;
    for (double C = 1; C < 1e5; C *= 3.1) {
        const double M = 7777, best = rr_checkpoint_best(M, C), at = rr_checkpoint_slowdown(best, M, C, 11, 5);
        assert_true(at < rr_checkpoint_slowdown(best * 1.01, M, C, 11, 5));
        assert_true(at < rr_checkpoint_slowdown(best * 0.99, M, C, 11, 5));
    }
}

static void daly_ends_at_twice_the_time_between_failures(void **state)
{
    (void)state;
    near(rr_checkpoint_daly(100, 250), 100, 0);
    near(rr_checkpoint_daly(100, 200), 100, 0);
    assert_true(rr_checkpoint_daly(100, 199) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_intervals),
        cmocka_unit_test(more_nodes_save_more_often),
        cmocka_unit_test(the_best_is_the_root),
        cmocka_unit_test(nothing_near_it_is_better),
        cmocka_unit_test(daly_ends_at_twice_the_time_between_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
