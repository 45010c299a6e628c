/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_judge.c - the verdict's rules on made-up numbers: same work, service, criterion, terms, gates. */
#include "sim/study/parts.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

struct fixture {
    struct rr_arena *arena;
    struct rr_scenario variant[3], *list[3];
    struct rr_scenario_set set;
    struct rr_alternative alt[3];
    struct rr_store store;
    double value[3][RR_METRICS];
    const double *values[3];
};
static const char *const name[] = {"own", "rent", "mix"};

static void put(struct fixture *f, size_t i, int metric, double v)
{
    f->value[i][metric] = v;
    rr_stat_of(&v, 1, &f->alt[i].metric[metric]);
}

static void fixture(struct fixture *f, size_t n)
{
    *f = (struct fixture){.arena = rr_arena_create()};
    for (size_t i = 0; i < n; i++) {
        f->variant[i] = (struct rr_scenario){
            .variant = name[i], .alternative = name[i], .currency = "USD", .has_horizon = true, .horizon = {.months = 36}};
        f->list[i] = &f->variant[i];
        f->alt[i].name = f->alt[i].alternative = name[i];
        f->values[i] = f->value[i];
        for (int m = 0; m < RR_METRICS; m++) put(f, i, m, NAN);
        put(f, i, RR_M_WORK_FINISHED_SHARE, 0.9871);
        put(f, i, RR_M_COST_TOTAL, 1000 + 250.0 * (double)i);
        put(f, i, RR_M_WAIT_P95, 3600);
    }
    f->set = (struct rr_scenario_set){.variant = f->list, .n_variants = n};
    f->store = (struct rr_store){
        .currency = "USD", .baseline = "rent", .horizon_s = (double)RR_YEAR_US * 3 / 1e6, .alternative = f->alt, .n_alternatives = n};
}

static void judge(struct fixture *f) { assert_int_equal(rr_judge(&f->set, f->arena, f->values, 1, &f->store), RR_OK); }

static void has(const char *text, const char *part)
{
    if (!strstr(text, part)) fail_msg("\"%s\" does not contain \"%s\"", text, part);
}

static void the_cheapest_of_the_same_work_wins(void **state)
{
    (void)state;
    struct fixture f;
    fixture(&f, 3);
    judge(&f);
    assert_string_equal(f.store.best, "own");
    assert_string_equal(f.store.criterion, "cost.total");
    has(f.store.verdict, "Over 3 years, own is cheapest by cost.total: $1,000, 20.0 % below rent ($1,250); all finish the same work");
    rr_arena_free(f.arena);
}

static void equal_costs_are_equal(void **state)
{
    (void)state;
    struct fixture f;
    fixture(&f, 3);
    put(&f, 1, RR_M_COST_TOTAL, 1000);
    judge(&f);
    has(f.store.verdict, "own and rent cost the same by cost.total: $1,000; all finish");
    rr_arena_free(f.arena);
}

static void what_chance_may_explain_is_said(void **state)
{
    (void)state;
    struct fixture f;
    fixture(&f, 2);
    f.alt[0].metric[RR_M_COST_TOTAL].ci95 = 120;
    f.alt[1].metric[RR_M_COST_TOTAL].ci95 = 129;
    judge(&f);
    assert_null(strstr(f.store.verdict, "confidence")); // 250 apart
    f.alt[1].metric[RR_M_COST_TOTAL].ci95 = 131;
    judge(&f);
    has(f.store.verdict, "below rent ($1,250), a difference inside their confidence intervals");
    rr_arena_free(f.arena);
}

static void the_horizon_reads_as_it_was_written(void **state)
{
    (void)state;
    static const struct {
        struct rr_duration span;
        const char *text;
    } cases[] = {{{0, RR_D}, "Over 1 day, "},
                 {{0, 45 * RR_D}, "Over 45 days, "},
                 {{2, 0}, "Over 2 months, "},
                 {{12, 0}, "Over 1 year, "},
                 {{0, 36 * RR_H}, "Over 1 d 12 h, "}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fixture f;
        fixture(&f, 2);
        f.variant[0].horizon = cases[i].span;
        judge(&f);
        has(f.store.verdict, cases[i].text);
        rr_arena_free(f.arena);
    }
}

static void npv_is_the_criterion_when_all_have_it(void **state)
{
    (void)state;
    struct fixture f;
    fixture(&f, 3);
    for (size_t i = 0; i < 3; i++) put(&f, i, RR_M_NPV_COST, 900 - 100.0 * (double)i);
    judge(&f);
    assert_string_equal(f.store.best, "mix");
    assert_string_equal(f.store.criterion, "npv.cost");
    rr_arena_free(f.arena);
}

static void less_work_is_out_of_the_ranking(void **state)
{
    (void)state;
    struct fixture f;
    fixture(&f, 3);
    put(&f, 0, RR_M_WORK_FINISHED_SHARE, 0.9871 * 0.88);
    judge(&f);
    assert_string_equal(f.store.best, "rent");
    has(f.store.verdict, "own is cheaper, but finishes 12.0 % less");
    put(&f, 0, RR_M_WORK_FINISHED_SHARE, 0.9871 * 0.9991); // within 0.1 %
    judge(&f);
    assert_string_equal(f.store.best, "own");
    rr_arena_free(f.arena);
}

static void a_missed_service_limit_is_out_too(void **state)
{
    (void)state;
    struct fixture f;
    fixture(&f, 2);
    struct rr_limit limit = {.metric = RR_M_WAIT_P95, .limit = 4 * 3600, .text = "<= 4 h"};
    f.variant[0].service = f.variant[1].service = &limit;
    f.variant[0].n_service = f.variant[1].n_service = 1;
    put(&f, 0, RR_M_WAIT_P95, 5 * 3600);
    judge(&f);
    assert_string_equal(f.store.best, "rent");
    has(f.store.verdict, "own is cheaper, but misses the service limits (wait.p95 is 5 h, wanted <= 4 h)");
    put(&f, 0, RR_M_WAIT_P95, NAN); // a limit on null is missed
    judge(&f);
    assert_false(f.alt[0].meets_service);
    rr_arena_free(f.arena);
}

static void no_verdict_over_less_than_the_longest_term(void **state)
{
    (void)state;
    struct fixture f;
    fixture(&f, 2);
    struct reserved {
        uint64_t given;
        struct rr_duration term;
    } params = {.term = {36, 0}};
    static const struct rr_param row = {.name = "term", .type = RR_P_DURATION, .offset = offsetof(struct reserved, term)};
    const struct rr_kind plan = {.name = "reserved", .params = &row, .n_params = 1};
    struct rr_commitment c = {.name = "ri", .plan = &plan, .params = &params};
    f.variant[1].commitment = &c;
    f.variant[1].n_commitments = 1;
    judge(&f);
    assert_string_equal(f.store.best, "own"); // 3 years are enough
    f.store.horizon_s /= 3;
    judge(&f);
    assert_string_equal(f.store.best, "");
    has(f.store.verdict, "there is no verdict on commitments: the longest term compared is 3 years");
    rr_arena_free(f.arena);
}

static void unpriced_alternatives_take_no_part(void **state)
{
    (void)state;
    struct fixture f;
    fixture(&f, 3);
    f.alt[0].unpriced = true;
    put(&f, 0, RR_M_COST_TOTAL, NAN);
    judge(&f);
    assert_string_equal(f.store.best, "rent");
    has(f.store.verdict, "these 2 finish the same work; own has no price");
    rr_arena_free(f.arena);
}

static void a_line_on_one_side_only_is_a_warning(void **state)
{
    (void)state;
    struct fixture f;
    fixture(&f, 2);
    const struct rr_cost_line with[] = {{.type = "owned", .line = "energy"}, {.type = "owned", .line = "staff"}},
                              without[] = {{.type = "owned", .line = "energy"}};
    f.alt[0].line = with;
    f.alt[0].n_lines = 2;
    f.alt[1].line = without;
    f.alt[1].n_lines = 1;
    judge(&f);
    assert_int_equal(f.store.n_headline, 1);
    has(f.store.headline[0], "scopes differ: own has a \"staff\" line (owned), rent has none");
    rr_arena_free(f.arena);
}

static void gates_pass_fail_and_fail_on_null(void **state)
{
    (void)state;
    struct fixture f;
    fixture(&f, 2);
    struct rr_gate gate[] = {
        {.name = "budget", .alternative = "own", .stat = "mean", .metric = RR_M_COST_TOTAL, .has_max = true, .max = 1000},
        {.name = "tight", .stat = "mean", .metric = RR_M_COST_TOTAL, .has_max = true, .max = 1249.99},
        {.name = "spread", .alternative = "own", .stat = "p90", .metric = RR_M_COST_TOTAL, .has_max = true, .max = 1e9},
        {.name = "floor",
         .alternative = "rent",
         .stat = "mean",
         .metric = RR_M_WORK_FINISHED_SHARE,
         .has_min = true,
         .min = 0.99,
         .waived = "agreed"},
    };
    f.set.gate = gate;
    f.set.n_gates = 4;
    judge(&f);
    assert_int_equal(f.store.n_gates, 5);
    static const char *const want[] = {"pass", "pass", "fail", "fail", "waived"}; // "tight" is for both
    for (size_t i = 0; i < 5; i++) assert_string_equal(f.store.gate[i].result, want[i]);
    rr_arena_free(f.arena);
}

static void pairs_are_against_the_baseline(void **state)
{
    (void)state;
    struct fixture f;
    fixture(&f, 3);
    judge(&f);
    assert_int_equal(f.store.n_pairs, 2); // own and mix against rent; cost.total alone is defined, wait.mean and npv.cost are not
    assert_string_equal(f.store.pair[0].a, "own");
    assert_string_equal(f.store.pair[0].b, "rent");
    assert_true(f.store.pair[0].diff.mean == -250 && f.store.pair[1].diff.mean == 250);
    rr_arena_free(f.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_cheapest_of_the_same_work_wins),
                                       cmocka_unit_test(npv_is_the_criterion_when_all_have_it),
                                       cmocka_unit_test(equal_costs_are_equal),
                                       cmocka_unit_test(what_chance_may_explain_is_said),
                                       cmocka_unit_test(the_horizon_reads_as_it_was_written),
                                       cmocka_unit_test(less_work_is_out_of_the_ranking),
                                       cmocka_unit_test(a_missed_service_limit_is_out_too),
                                       cmocka_unit_test(no_verdict_over_less_than_the_longest_term),
                                       cmocka_unit_test(unpriced_alternatives_take_no_part),
                                       cmocka_unit_test(a_line_on_one_side_only_is_a_warning),
                                       cmocka_unit_test(gates_pass_fail_and_fail_on_null),
                                       cmocka_unit_test(pairs_are_against_the_baseline)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
