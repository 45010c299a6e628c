/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_price_reserved.c - commitments: coverage hour by hour, terms, the three ways to pay, and what is refused. */
#include "tests/unit/price_case.h"
#include <stdio.h>

#define USD INT64_C(1000000)
#define P5  "aws/p5.48xlarge"

static struct price_case *world(const char *start, int64_t horizon_us, const char *rate)
{
    struct price_case *x = case_new(start, horizon_us);
    char plan[128];
    snprintf(plan, sizeof plan, "{\"rate\": \"%s\", \"minimum\": \"0 s\"}", rate);
    case_pool(x, P5, "on_demand", plan);
    return x;
}

static void commit(struct price_case *x, int count, const char *rest)
{
    char text[512];
    snprintf(text, sizeof text, "{\"instance\": \"" P5 "\", \"region\": \"us-east-1\", \"count\": %d, %s}", count, rest);
    case_commit(x, "ri", text);
}

static int64_t by_type(const struct price_case *x, const char *type)
{
    int64_t sum = 0;
    for (size_t i = 0; i < x->charge.n; i++)
        if (strcmp(x->charge.at[i].type, type) == 0) sum += x->charge.at[i].effective.micro;
    return sum;
}

/* What is paid at the start of a term: its lines are due before the time that they pay for is over. */
static struct case_sum upfront(const struct price_case *x)
{
    struct case_sum sum = {0};
    for (size_t i = 0; i < x->charge.n; i++) {
        const struct rr_charge *c = &x->charge.at[i];
        if (strcmp(c->line, "reservation") != 0 || c->due_us >= c->to_us) continue;
        sum.billed += c->billed.micro;
        sum.effective += c->effective.micro;
    }
    return sum;
}

static void half_used_costs_the_same(void **state)
{
    (void)state;
    int64_t cost[3];
    for (int used = 0; used < 3; used++) { // none, half, all of January's hours
        struct price_case *x = world("2026-01-01", 31 * RR_D, "$9/h");
        if (used > 0) case_lease(x, 0, 31 * RR_D * used / 2);
        commit(x, 1, "\"term\": \"1 year\", \"rate\": \"$6/h\"");
        case_bill(x);
        cost[used] = by_type(x, "reserved");
        assert_int_equal(by_type(x, "on_demand"), 0);
        assert_true(x->billing.usage[0].covered == 31 * RR_D * used / 2);
        case_free(x);
    }
    assert_int_equal(cost[0], 744 * 6 * USD);
    assert_int_equal(cost[1], cost[0]);
    assert_int_equal(cost[2], cost[0]);
}

static void two_half_hours_fill_one(void **state)
{
    (void)state;
    struct price_case *x = world("2026-01-01", RR_D, "$9/h");
    case_lease(x, 5 * RR_H, 5 * RR_H + 30 * RR_MIN); // one after the other
    case_lease(x, 5 * RR_H + 30 * RR_MIN, 6 * RR_H);
    case_lease(x, 7 * RR_H, 7 * RR_H + 30 * RR_MIN); // at the same time
    case_lease(x, 7 * RR_H, 7 * RR_H + 30 * RR_MIN);
    commit(x, 1, "\"term\": \"1 year\", \"rate\": \"$6/h\"");
    case_bill(x);
    assert_int_equal(by_type(x, "on_demand"), 0);
    assert_true(x->billing.usage[0].covered == 2 * RR_H);
    /* Across the hour it does not carry over: 8:45 to 9:15 twice fills 30 of 60 minutes of each hour, a third one 15 more. */
    for (int i = 0; i < 5; i++) case_lease(x, 8 * RR_H + 45 * RR_MIN, 9 * RR_H + 15 * RR_MIN);
    case_bill(x);
    assert_int_equal(by_type(x, "on_demand"), 9 * USD / 2); // 5 x 15 - 60 = 15 minutes of each
    case_free(x);
}

static void pools_are_covered_in_order(void **state)
{
    (void)state;
    struct price_case *x = world("2026-01-01", RR_D, "$9/h");
    case_lease(x, 0, 2 * RR_H);
    case_pool(x, P5, "on_demand", "{\"rate\": \"$7/h\", \"minimum\": \"0 s\"}");
    case_lease(x, RR_H, 3 * RR_H);
    struct rr_pool *other = case_pool(x, P5, "on_demand", "{\"rate\": \"$5/h\", \"minimum\": \"0 s\"}");
    other->region = "us-west-2";
    case_lease(x, 0, 3 * RR_H);
    commit(x, 1, "\"term\": \"1 year\", \"rate\": \"$6/h\"");
    case_bill(x);
    assert_true(x->billing.usage[0].covered == 2 * RR_H);
    assert_true(x->billing.usage[1].covered == RR_H);
    assert_true(x->billing.usage[2].covered == 0);
    assert_int_equal(by_type(x, "on_demand"), (7 + 15) * USD);
    assert_int_equal(x->charge.at[0].pool, -1); // over several pools
    assert_string_equal(x->charge.at[0].commitment, "ri");
    case_free(x);
}

/* A region covers its zones, and not the region whose name begins alike; a zone covers itself. */
static void a_region_covers_its_zones(void **state)
{
    (void)state;
    static const struct {
        const char *committed, *pool;
        bool covered;
    } way[] = {{"us-east-1", "us-east-1/use1-az4", true},
               {"us-east-1", "us-east-10", false},
               {"us-east-1/use1-az4", "us-east-1", false},
               {"us-east-1/use1-az4", "us-east-1/use1-az4", true},
               {"us-east-1/use1-az4", "us-east-1/use1-az5", false}};
    for (size_t i = 0; i < sizeof way / sizeof *way; i++) {
        struct price_case *x = world("2026-01-01", RR_D, "$9/h");
        x->pool[0].region = way[i].pool;
        case_lease(x, 0, 3 * RR_H);
        case_commit(x, "ri",
                    rr_strf(x->arena,
                            "{\"instance\": \"" P5 "\", \"region\": \"%s\", \"count\": 1, \"term\": \"1 year\", \"rate\": \"$6/h\"}",
                            way[i].committed));
        case_bill(x);
        assert_int_equal(by_type(x, "on_demand"), way[i].covered ? 0 : 27 * USD);
        case_free(x);
    }
}

/* 3 nodes at $2 an hour for the 8,760 hours of 2026: $52,560, of which January is 744/8760. */
static void three_ways_to_pay_one_price(void **state)
{
    (void)state;
    static const struct {
        const char *payment;
        int64_t first; /* billed at the start */
    } way[] = {{"no_upfront", 0}, {"partial_upfront", 26280 * USD}, {"all_upfront", 52560 * USD}};
    for (size_t i = 0; i < 3; i++) {
        struct price_case *x = world("2026-01-01", 365 * RR_D, "$9/h");
        commit(x, 3, rr_strf(x->arena, "\"term\": \"1 year\", \"rate\": \"$2/h\", \"payment\": \"%s\"", way[i].payment));
        case_bill(x);
        const struct case_sum sum = case_sum(x, NULL);
        assert_int_equal(sum.billed, 52560 * USD);
        assert_int_equal(sum.effective, 52560 * USD);
        assert_int_equal(sum.after, 0);
        assert_int_equal(upfront(x).billed, way[i].first);
        int64_t january = 0, at_start = 0;
        for (size_t k = 0; k < x->charge.n; k++) {
            const struct rr_charge *c = &x->charge.at[k];
            if (c->from_us == 0) january += c->effective.micro;
            if (c->due_us == 0) at_start += c->billed.micro;
        }
        assert_int_equal(january, 744 * 3 * 2 * USD);
        assert_int_equal(at_start, way[i].first);
        case_free(x);
    }
}

/* The horizon takes 59 days of the term: 1,416 hours; the rest of the year is after_horizon, paid or not. */
static void the_rest_of_a_term_is_after_the_horizon(void **state)
{
    (void)state;
    static const char *const payment[] = {"no_upfront", "partial_upfront", "all_upfront"};
    const int64_t billed[] = {1416 * 6 * USD, (26280 + 1416 * 3) * USD, 52560 * USD};
    for (size_t i = 0; i < 3; i++) {
        struct price_case *x = world("2026-01-01", 59 * RR_D, "$9/h");
        commit(x, 3, rr_strf(x->arena, "\"term\": \"1 year\", \"rate\": \"$2/h\", \"payment\": \"%s\"", payment[i]));
        case_bill(x);
        const struct case_sum sum = case_sum(x, NULL);
        assert_int_equal(sum.effective, 1416 * 6 * USD);
        assert_int_equal(sum.after, (8760 - 1416) * 6 * USD);
        assert_int_equal(sum.billed, billed[i]);
        case_free(x);
    }
}

static void terms_renew_unless_told_otherwise(void **state)
{
    (void)state;
    /* 2027 and 2029 have 8,760 hours, 2028 has 8,784. */
    struct price_case *x = world("2027-01-01", (365 + 366 + 365) * RR_D, "$9/h");
    commit(x, 1, "\"term\": \"1 year\", \"rate\": \"$1/h\", \"payment\": \"all_upfront\"");
    case_bill(x);
    int64_t paid[3] = {0};
    for (size_t i = 0, n = 0; i < x->charge.n; i++)
        if (x->charge.at[i].billed.micro > 0) paid[n++] = x->charge.at[i].billed.micro;
    assert_int_equal(paid[0], 8760 * USD);
    assert_int_equal(paid[1], 8784 * USD);
    assert_int_equal(paid[2], 8760 * USD);
    case_free(x);

    x = world("2027-01-01", 3 * 365 * RR_D, "$9/h");
    case_lease(x, 0, 2 * 365 * RR_D);
    commit(x, 1, "\"term\": \"1 year\", \"rate\": \"$1/h\", \"renew\": false");
    case_bill(x);
    assert_int_equal(by_type(x, "reserved"), 8760 * USD);
    assert_int_equal(by_type(x, "on_demand"), INT64_C(9) * 8760 * USD); // the second year
    case_free(x);
}

static void a_term_may_start_late_and_inside_an_hour(void **state)
{
    (void)state;
    struct price_case *x = world("2026-01-01", 10 * RR_H, "$9/h");
    case_lease(x, 0, 10 * RR_H);
    commit(x, 1, "\"term\": \"1 year\", \"rate\": \"$6/h\", \"from\": \"2 h 30 min\"");
    case_bill(x);
    assert_int_equal(by_type(x, "on_demand"), 9 * USD * 5 / 2);
    assert_int_equal(by_type(x, "reserved"), 6 * USD * 15 / 2);
    case_free(x);
}

/* The worked example of the FOCUS sample data: list 10.00, committed 6.00 an hour, paid upfront for a "year" of 4 hours. */
static void the_focus_example(void **state)
{
    (void)state;
    struct price_case *x = world("2026-01-01", 4 * RR_H, "$10/h");
    case_lease(x, 0, 2 * RR_H);
    case_lease(x, 3 * RR_H, 4 * RR_H);
    commit(x, 1, "\"term\": \"4 h\", \"rate\": \"$6/h\", \"payment\": \"all_upfront\", \"renew\": false");
    case_bill(x);
    const struct case_sum sum = upfront(x);
    assert_int_equal(sum.billed, 24 * USD);
    assert_int_equal(sum.effective, 24 * USD); // 18 used, 6 unused
    assert_true(x->billing.usage[0].covered == 3 * RR_H);
    assert_int_equal(by_type(x, "on_demand"), 0);
    case_free(x);
}

static int64_t newsvendor(const char *p, const char *r, int count)
{
    static const int demand[24] = {2, 2, 2, 3, 5, 8, 10, 12, 12, 10, 8, 6, 6, 7, 9, 10, 9, 7, 5, 4, 3, 3, 2, 2};
    struct price_case *x = world("2026-01-01", RR_D, p);
    for (int h = 0; h < 24; h++)
        for (int i = 0; i < demand[h]; i++) case_lease(x, h * RR_H, (h + 1) * RR_H);
    if (count > 0) commit(x, count, rr_strf(x->arena, "\"term\": \"1 day\", \"rate\": \"%s\"", r));
    case_bill(x);
    const int64_t cost = case_sum(x, NULL).effective;
    case_free(x);
    return cost;
}

/* Costs computed by hand for one day's demand curve; the best count is where one more unit is used in less than r/p of the hours. */
static void the_newsvendor_table(void **state)
{
    (void)state;
    static const struct {
        const char *p, *r;
        int best;
        int64_t cost, all_on_demand;
    } row[] = {
        {"$10/h", "$6/h", 5, 1210000000, 1470000000},          {"$10/h", "$4/h", 7, 922000000, 1470000000},
        {"$10/h", "$7/h", 3, 1304000000, 1470000000},          {"$98.32/h", "$53.95/h", 5, 11291680000, 14453040000},
        {"$98.32/h", "$77.43/h", 3, 13440560000, 14453040000},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        assert_int_equal(newsvendor(row[i].p, row[i].r, row[i].best), row[i].cost);
        assert_int_equal(newsvendor(row[i].p, row[i].r, 0), row[i].all_on_demand);
        assert_true(newsvendor(row[i].p, row[i].r, row[i].best + 1) >= row[i].cost);
        assert_true(newsvendor(row[i].p, row[i].r, row[i].best - 1) >= row[i].cost);
    }
}

static void a_price_list_pair(void **state)
{
    (void)state;
    struct price_case *x = world("2026-01-01", 365 * RR_D, "$9/h");
    commit(x, 2, "\"term\": \"1 year\", \"payment\": \"partial_upfront\", \"upfront\": \"$10,001.37\", \"rate\": \"$0.25/gpu/h\"");
    case_bill(x);
    assert_int_equal(upfront(x).billed, 20002740000);
    assert_int_equal(upfront(x).effective, 20002740000);
    assert_int_equal(case_sum(x, "reservation").billed - upfront(x).billed, 2 * 8760 * 2 * USD);
    assert_true(case_sum(x, "reservation").quantity == 2 * 8760); // node-hours, once
    case_free(x);
}

static void facts_stand_in_with_notes(void **state)
{
    (void)state;
    struct price_case *x = world("2026-01-01", 365 * RR_D, "$9/h");
    commit(x, 1, "\"term\": \"1 year\", \"payment\": \"all_upfront\"");
    case_bill(x);
    assert_int_equal(upfront(x).billed, INT64_C(77430000) * 8760);
    assert_int_equal(case_notes(x, RR_NOTE_ASSUMED, "reserved price of " P5 " in us-east-1 for 1 year is $77.43/h"), 1);
    assert_int_equal(case_notes(x, RR_NOTE_ASSUMED, "does not say how that rate is paid"), 1);
    assert_int_equal(case_notes(x, RR_NOTE_WARNING, "$77.43/h is above the on-demand rate of $55.04/h"), 1);
    case_free(x);

    x = world("2026-01-01", 365 * RR_D, "$9/h");
    commit(x, 1, "\"term\": \"2 years\", \"discount\": \"25 %\"");
    case_bill(x);
    assert_int_equal(case_sum(x, NULL).billed, INT64_C(41280000) * 8760); // 55.04 x 0.75
    assert_int_equal(case_notes(x, RR_NOTE_WARNING, ""), 0);
    case_free(x);
}

static void unused_commitments_are_named(void **state)
{
    (void)state;
    struct price_case *x = world("2026-01-01", RR_D, "$9/h");
    x->pool[0].region = "us-west-2";
    case_lease(x, 0, RR_D);
    commit(x, 1, "\"term\": \"1 year\", \"rate\": \"$6/h\", \"from\": \"1 month\"");
    case_bill(x);
    assert_int_equal(case_notes(x, RR_NOTE_WARNING, "no pool uses " P5 " in us-east-1"), 1);
    assert_int_equal(case_notes(x, RR_NOTE_WARNING, "starts behind the horizon"), 1);
    assert_int_equal(by_type(x, "reserved"), 0);
    assert_int_equal(by_type(x, "on_demand"), 24 * 9 * USD);
    case_free(x);
}

static void a_started_unit_behind_the_horizon_is_covered(void **state)
{
    (void)state;
    struct price_case *x = case_new("2026-01-01", 90 * RR_MIN);
    case_pool(x, P5, "on_demand", "{\"rate\": \"$9/h\", \"increment\": \"1 h\"}");
    case_lease(x, 0, 90 * RR_MIN);
    commit(x, 1, "\"term\": \"1 year\", \"rate\": \"$6/h\"");
    case_bill(x);
    assert_int_equal(by_type(x, "on_demand"), 0);
    assert_true(x->billing.usage[0].covered == 2 * RR_H);
    case_free(x);
}

static void refuse(const char *rest, const char *why)
{
    struct price_case *x = world("2026-01-01", RR_D, "$9/h");
    commit(x, 1, rest);
    case_refused(x, why);
    assert_non_null(strstr(rr_reason(), "/commitments/ri: "));
    case_free(x);
}

static void what_makes_no_sense_is_refused(void **state)
{
    (void)state;
    refuse("\"term\": \"2 years\"", "1 year and 3 years");
    refuse("\"term\": \"0 s\", \"rate\": \"$1/h\"", "at least an hour");
    refuse("\"term\": \"1 year\", \"rate\": \"$1/h\", \"discount\": 0.1", "not both");
    refuse("\"term\": \"1 year\", \"upfront\": \"$1\"", "no_upfront");
    refuse("\"term\": \"1 year\", \"upfront\": \"$1\", \"rate\": \"$1/h\", \"payment\": \"all_upfront\"", "partial_upfront");
    refuse("\"term\": \"1 year\", \"upfront\": \"$1\", \"payment\": \"partial_upfront\"", "needs \"rate\"");
    refuse("\"term\": \"1 year\", \"rate\": \"$1/month\"", "per node or GPU and hour");
}

static void there_must_be_a_calendar_and_a_price(void **state)
{
    (void)state;
    struct price_case *x = case_new(NULL, RR_D);
    commit(x, 1, "\"term\": \"1 year\", \"rate\": \"$1/h\"");
    case_refused(x, "give the scenario a \"start\"");
    case_free(x);
    x = case_new("2026-01-01", RR_D);
    case_commit(x, "ri", "{\"instance\": \"lambda/gpu_1x_h100_pcie\", \"count\": 1, \"term\": \"1 year\"}");
    case_refused(x, "no reserved price for lambda/gpu_1x_h100_pcie, 1 year, no_upfront; there is: all on_demand");
    case_free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(half_used_costs_the_same),
        cmocka_unit_test(two_half_hours_fill_one),
        cmocka_unit_test(pools_are_covered_in_order),
        cmocka_unit_test(a_region_covers_its_zones),
        cmocka_unit_test(three_ways_to_pay_one_price),
        cmocka_unit_test(the_rest_of_a_term_is_after_the_horizon),
        cmocka_unit_test(terms_renew_unless_told_otherwise),
        cmocka_unit_test(a_term_may_start_late_and_inside_an_hour),
        cmocka_unit_test(the_focus_example),
        cmocka_unit_test(the_newsvendor_table),
        cmocka_unit_test(a_price_list_pair),
        cmocka_unit_test(facts_stand_in_with_notes),
        cmocka_unit_test(unused_commitments_are_named),
        cmocka_unit_test(a_started_unit_behind_the_horizon_is_covered),
        cmocka_unit_test(what_makes_no_sense_is_refused),
        cmocka_unit_test(there_must_be_a_calendar_and_a_price),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
