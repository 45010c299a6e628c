/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_commit.c - the level of commitments: the newsvendor rule, and all choices tried one by one. */
#include "data/base/rng.h"
#include "models/commit/commit.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

#define assert_near(a, b, most) assert_true(fabs((a) - (b)) <= (most) + 1e-12)

/* Instances wanted in each hour of a day: 147 node-hours. */
static const double day[24] = {2, 2, 2, 3, 5, 8, 10, 12, 12, 10, 8, 6, 6, 7, 9, 10, 9, 7, 5, 4, 3, 3, 2, 2};

static void the_newsvendor_rule(void **state)
{
    (void)state;
    static const struct {
        double p, r, units, cost;
    } row[] = {{10, 6, 5, 1210}, {10, 4, 7, 922}, {10, 7, 3, 1304}, {98.32, 53.95, 5, 11291.68}, {98.32, 77.43, 3, 13440.56}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct rr_arena *a = rr_arena_create();
        const struct rr_commit_offer offer = {0, 0, 24, row[i].r};
        const struct rr_commit_problem p = {24, 1, 1, day, &row[i].p, &offer, NULL};
        struct rr_commit_answer answer;
        assert_int_equal(rr_commit_best(&p, a, &answer), RR_OK);
        assert_near(answer.units[0], row[i].units, 0);
        assert_near(answer.cost.total, row[i].cost, 1e-6);
        assert_near(answer.cost.wanted, 147, 1e-9);
        assert_near(answer.bound, answer.cost.total, 1e-6);
        rr_arena_free(a);
    }
}

/* Two years, two terms: a unit for both years must beat one bought when it is needed. Demand 3 in the first half, 7 in the second. */
static void terms_that_cover_different_hours(void **state)
{
    (void)state;
    double demand[20], on_demand = 10;
    for (int t = 0; t < 20; t++) demand[t] = t < 10 ? 3 : 7;
    const struct rr_commit_offer offer[] = {{0, 0, 20, 5}, {0, 0, 10, 7}, {0, 10, 20, 7}};
    const struct rr_commit_problem p = {20, 1, 3, demand, &on_demand, offer, NULL};
    struct rr_arena *a = rr_arena_create();
    struct rr_commit_answer answer;
    assert_int_equal(rr_commit_best(&p, a, &answer), RR_OK);
    assert_near(answer.units[0], 3, 0); // 4 more over both years: 5 x 20 = 100 each, over the second alone 7 x 10 = 70
    assert_near(answer.units[1], 0, 0);
    assert_near(answer.units[2], 4, 0);
    assert_near(answer.cost.total, 3 * 100 + 4 * 70, 1e-9);
    rr_arena_free(a);
}

/* A plan alone, one type: the level is where the share of hours that use it passes the plan's rate over on demand. Demand 1..10, one hour each,
 * plan 4.2 against 10: a dollar is worth 10 / 4.2 in each hour that still has use for it, so use it while more than 42 % of the hours do. */
static void a_savings_plan_alone(void **state)
{
    (void)state;
    double demand[10], on_demand = 10, savings = 4.2;
    for (int t = 0; t < 10; t++) demand[t] = t + 1;
    const struct rr_commit_problem p = {10, 1, 0, demand, &on_demand, NULL, &savings};
    struct rr_arena *a = rr_arena_create();
    struct rr_commit_answer answer;
    assert_int_equal(rr_commit_best(&p, a, &answer), RR_OK);
    assert_near(answer.commit, 6 * 4.2, 1e-9); // 5 of 10 hours want more than 5 units, 4 more than 6
    assert_near(answer.cost.total, 10 * 6 * 4.2 + 10 * (1 + 2 + 3 + 4), 1e-9);
    assert_near(answer.cost.savings_used, 4.2 * (1 + 2 + 3 + 4 + 5 + 6 * 5), 1e-9);
    rr_arena_free(a);
}

/* The dearest against its plan rate is served first: 12/8 before 10/8, whatever the order of the types. */
static void the_plan_serves_the_highest_discount_first(void **state)
{
    (void)state;
    const double demand[] = {1, 1}, on_demand[] = {10, 12}, savings[] = {8, 8};
    const struct rr_commit_problem p = {1, 2, 0, demand, on_demand, NULL, savings};
    struct rr_arena *a = rr_arena_create();
    struct rr_commit_cost c;
    rr_commit_cost(&p, NULL, 6, 1, a, &c); // three quarters of the second
    assert_near(c.on_demand, 10 + 3, 1e-12);
    rr_commit_cost(&p, NULL, 12, 1, a, &c);
    assert_near(c.on_demand, 5, 1e-12);
    assert_near(c.total, 17, 1e-12);
    rr_commit_cost(&p, NULL, 12, 0.5, a, &c); // half the demand: 8 of 12 are used
    assert_near(c.on_demand, 0, 1e-12);
    assert_near(c.savings_used, 8, 1e-12);
    rr_arena_free(a);
}

/* Cost of units with the best level of the plan: it is piecewise linear in the level, so one of its corners is best. */
static double best_level(const struct rr_commit_problem *p, const double *units, struct rr_arena *a)
{
    struct rr_commit_cost c;
    rr_commit_cost(p, units, 0, 1, a, &c);
    double best = c.total;
    for (size_t t = 0; t < p->n_hours;
         t++) { // corners: what is left of each hour through the plan, types one after the other, dearest first
        double level = 0;
        bool done[3] = {false};
        for (size_t k = 0; k < p->n_types; k++) {
            size_t next = 0;
            double most = -1;
            for (size_t i = 0; i < p->n_types; i++)
                if (!done[i] && p->on_demand[i] / p->savings[i] > most) most = p->on_demand[next = i] / p->savings[i];
            done[next] = true;
            level += fmax(0, p->demand[t * p->n_types + next] - units[next]) * p->savings[next];
            rr_commit_cost(p, units, level, 1, a, &c);
            best = fmin(best, c.total);
        }
    }
    return best;
}

static void as_cheap_as_trying_all(void **state)
{
    (void)state;
    enum { HOURS = 13, TYPES = 2 };
    for (uint32_t world = 0; world < 60; world++) {
        struct rr_arena *a = rr_arena_create();
        struct rr_rng rng;
        rr_rng_init(&rng, 71, world, RR_RNG_TEST, 0);
        double demand[HOURS * TYPES], on_demand[TYPES], savings[TYPES];
        struct rr_commit_offer offer[TYPES];
        for (int k = 0; k < HOURS * TYPES; k++) demand[k] = floor(rr_rng_uniform(&rng) * 20) / 4; // quarters of a node too
        for (size_t i = 0; i < TYPES; i++) {
            on_demand[i] = 5 + 10 * rr_rng_uniform(&rng);
            savings[i] = on_demand[i] * (0.4 + 0.55 * rr_rng_uniform(&rng));
            offer[i] = (struct rr_commit_offer){i, 0, HOURS, on_demand[i] * (0.3 + 0.65 * rr_rng_uniform(&rng))};
        }
        const struct rr_commit_problem p = {HOURS, TYPES, TYPES, demand, on_demand, offer, savings};
        struct rr_commit_answer answer;
        assert_int_equal(rr_commit_best(&p, a, &answer), RR_OK);
        double best = INFINITY;
        for (int x = 0; x <= 6; x++)
            for (int y = 0; y <= 6; y++) best = fmin(best, best_level(&p, (double[]){x, y}, a));
        assert_near(answer.cost.total, best, 1e-6);
        assert_true(answer.bound <= best + 1e-6);
        rr_arena_free(a);
    }
}

/* Without a plan the types are solved one by one: the same as each alone, and as a plan that is worth nothing. */
static void types_that_nothing_couples(void **state)
{
    (void)state;
    double demand[48], on_demand[] = {10, 98.32};
    for (int t = 0; t < 24; t++) {
        demand[2 * t] = day[t];
        demand[2 * t + 1] = day[(t + 5) % 24];
    }
    const struct rr_commit_offer offer[] = {{1, 0, 24, 53.95}, {0, 0, 24, 6}};
    struct rr_commit_problem p = {24, 2, 2, demand, on_demand, offer, NULL};
    struct rr_arena *a = rr_arena_create();
    struct rr_commit_answer apart, together;
    assert_int_equal(rr_commit_best(&p, a, &apart), RR_OK);
    assert_near(apart.units[0], 5, 0);
    assert_near(apart.units[1], 5, 0);
    assert_near(apart.cost.total, 11291.68 + 1210, 1e-6);
    const double no_use[] = {10, 98.32}; // rates under the plan are those on demand
    p.savings = no_use;
    assert_int_equal(rr_commit_best(&p, a, &together), RR_OK);
    assert_near(together.cost.total, apart.cost.total, 1e-6);
    assert_near(apart.bound, apart.cost.total, 1e-6);
    rr_arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_newsvendor_rule),    cmocka_unit_test(terms_that_cover_different_hours),
        cmocka_unit_test(a_savings_plan_alone),   cmocka_unit_test(the_plan_serves_the_highest_discount_first),
        cmocka_unit_test(as_cheap_as_trying_all), cmocka_unit_test(types_that_nothing_couples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
