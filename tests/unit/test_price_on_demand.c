/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_price_on_demand.c - increments, minimums, months and the horizon, in cases that can be done by hand. */
#include "tests/unit/price_case.h"

#define USD INT64_C(1000000)

/* One lease of `length` at $3.60 an hour ($0.001 a second). */
static int64_t cost_of(const char *params, int64_t length)
{
    struct price_case *x = case_new("2026-03-01", 10 * RR_D);
    case_pool(x, NULL, "on_demand", params);
    case_lease(x, RR_D + 17 * RR_S, RR_D + 17 * RR_S + length);
    case_bill(x);
    const struct case_sum sum = case_sum(x, NULL);
    assert_int_equal(sum.billed, sum.effective);
    assert_int_equal(sum.after, 0);
    case_free(x);
    return sum.billed;
}

static void seconds_with_a_minimum(void **state)
{
    (void)state;
    const char *p = "{\"rate\": \"$3.60/h\"}"; // the defaults: 1 s, 60 s
    assert_int_equal(cost_of(p, 61 * RR_S), 61000);
    assert_int_equal(cost_of(p, 59 * RR_S), 60000);
    assert_int_equal(cost_of(p, 60 * RR_S), 60000);
    assert_int_equal(cost_of(p, 60 * RR_S + 1), 61000); // a started second
    assert_int_equal(cost_of(p, 1), 60000);
    assert_int_equal(cost_of(p, 0), 0); // never held
}

static void started_hours_and_minutes(void **state)
{
    (void)state;
    const char *hour = "{\"rate\": \"$3.60/h\", \"increment\": \"1 h\", \"minimum\": \"0 s\"}";
    assert_int_equal(cost_of(hour, 61 * RR_MIN), 2 * 3600000);
    assert_int_equal(cost_of(hour, 60 * RR_MIN), 3600000);
    assert_int_equal(cost_of(hour, 1), 3600000);
    const char *minute = "{\"rate\": \"$3.60/h\", \"increment\": \"1 min\", \"minimum\": \"10 min\"}";
    assert_int_equal(cost_of(minute, 9 * RR_MIN), 600000);
    assert_int_equal(cost_of(minute, 10 * RR_MIN + 1), 660000);
}

static void hours_on_the_clock(void **state)
{
    (void)state;
    const char *clock = "{\"rate\": \"$3.60/h\", \"increment\": \"1 h\", \"minimum\": \"0 s\", \"hours\": \"clock\"}";
    assert_int_equal(cost_of(clock, 59 * RR_MIN), 3600000);      // 0:00:17 to 0:59:17
    assert_int_equal(cost_of(clock, 60 * RR_MIN), 2 * 3600000);  // 0:00:17 to 1:00:17 touches two
    assert_int_equal(cost_of(clock, RR_H - 17 * RR_S), 3600000); // ends on the hour
    assert_int_equal(cost_of(clock, RR_H - 17 * RR_S + 1), 2 * 3600000);
}

static void rates_and_discounts_are_exact(void **state)
{
    (void)state;
    const char *exact = "{\"rate\": \"$0.000097/gpu/s\", \"minimum\": \"0 s\"}"; // 8 GPUs: $0.000776 a second
    assert_int_equal(cost_of(exact, 61 * RR_S), 47336);
    const char *off = "{\"rate\": \"$98.32/h\", \"discount\": \"21 %\", \"minimum\": \"0 s\"}"; // $77.6728
    assert_int_equal(cost_of(off, 10 * RR_H), 776728000);
    assert_int_equal(cost_of("{\"rate\": \"$98.32/h\", \"discount\": 1}", RR_H), 0);
    assert_int_equal(cost_of("{\"rate\": \"$48/node/day\", \"minimum\": \"0 s\"}", 90 * RR_MIN), 3 * USD);
}

/* One lease, quantities and amounts a month. */
static void month_case(const char *start, const char *from, const char *to, const char *params, size_t n, const double *hours)
{
    struct price_case *x = case_new(start, 400 * RR_D);
    case_pool(x, NULL, "on_demand", params);
    case_lease(x, case_at(x, from), case_at(x, to));
    case_bill(x);
    assert_int_equal(x->charge.n, n);
    for (size_t i = 0; i < n; i++) {
        assert_true(x->charge.at[i].quantity == hours[i]);
        assert_int_equal(x->charge.at[i].billed.micro, (int64_t)(hours[i] * 3600000));
        assert_int_equal(x->charge.at[i].due_us, x->charge.at[i].to_us);
    }
    case_free(x);
}

static void leases_are_cut_at_month_ends(void **state)
{
    (void)state;
    const char *s = "{\"rate\": \"$3.60/h\", \"minimum\": \"0 s\"}";
    month_case("2026-01-01", "2026-01-31T22:30:00Z", "2026-02-01T03:15:00Z", s, 2, (double[]){1.5, 3.25});
    month_case("2026-01-01", "2026-02-28T22:00:00Z", "2026-03-01T01:00:00Z", s, 2, (double[]){2, 1});
    month_case("2028-01-01", "2028-02-28T22:00:00Z", "2028-03-01T01:00:00Z", s, 2, (double[]){26, 1}); // over 29 February
    month_case("2026-01-01", "2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z", s, 12,
               (double[]){744, 672, 744, 720, 744, 720, 744, 744, 720, 744, 720, 744});
    month_case("2028-01-01", "2028-02-01T00:00:00Z", "2028-03-01T00:00:00Z", s, 1, (double[]){696});
}

static void a_started_unit_belongs_to_its_month(void **state)
{
    (void)state;
    const char *hour = "{\"rate\": \"$3.60/h\", \"increment\": \"1 h\", \"minimum\": \"0 s\"}";
    /* Units start at 23:30 and 0:30. */
    month_case("2026-01-01", "2026-01-31T23:30:00Z", "2026-02-01T00:31:00Z", hour, 2, (double[]){1, 1});
    month_case("2026-01-01", "2026-01-31T23:30:00Z", "2026-02-01T00:29:00Z", hour, 1, (double[]){1});
    month_case("2026-01-01", "2026-01-31T23:30:00Z", "2026-01-31T23:31:00Z", hour, 1, (double[]){1});
    /* 10 s before midnight, billed for the minimum of 36 s: all of it January's. */
    const char *least = "{\"rate\": \"$3.60/h\", \"increment\": \"1 s\", \"minimum\": \"36 s\"}";
    month_case("2026-01-01", "2026-01-31T23:59:50Z", "2026-01-31T23:59:55Z", least, 1, (double[]){0.01});
    /* Half of the seconds are February's when they are used there. */
    month_case("2026-01-01", "2026-01-31T23:59:42Z", "2026-02-01T00:00:18Z", least, 2, (double[]){0.005, 0.005});
}

static void a_unit_behind_the_horizon_is_paid_and_shown(void **state)
{
    (void)state;
    struct price_case *x = case_new("2026-03-01", 10 * RR_H + 20 * RR_MIN);
    case_pool(x, NULL, "on_demand", "{\"rate\": \"$3.60/h\", \"increment\": \"1 h\"}");
    case_lease(x, 8 * RR_H, 10 * RR_H + 20 * RR_MIN); // closed by the horizon: 2:20 held, 3 hours started
    case_bill(x);
    const struct case_sum sum = case_sum(x, NULL);
    assert_int_equal(sum.billed, 3 * 3600000);
    assert_int_equal(sum.effective, 140 * 60000);
    assert_int_equal(sum.after, 40 * 60000);
    assert_int_equal(x->charge.at[0].to_us, x->s.horizon_us);
    case_free(x);
}

static void without_a_calendar_there_is_one_line(void **state)
{
    (void)state;
    struct price_case *x = case_new(NULL, 100 * RR_D);
    case_pool(x, NULL, "on_demand", "{\"rate\": \"$2.385/h\"}");
    case_lease(x, 0, 100 * RR_D);
    case_lease(x, 3 * RR_H, 5 * RR_H);
    case_bill(x);
    assert_int_equal(x->charge.n, 1);
    assert_int_equal(x->charge.at[0].billed.micro, INT64_C(2402) * 2385000);
    assert_int_equal(x->billing.usage[0].node_us[3], 2 * RR_H);
    assert_int_equal(x->billing.usage[0].node_us[5], RR_H);
    case_free(x);
}

static void usage_lies_on_clock_hours(void **state)
{
    (void)state;
    struct price_case *x = case_new("2026-03-01T00:45:00Z", 3 * RR_H);
    case_pool(x, NULL, "on_demand", "{\"rate\": \"$1/h\", \"minimum\": \"0 s\"}");
    case_lease(x, 0, 20 * RR_MIN); // 0:45 to 1:05
    case_bill(x);
    const struct rr_usage *u = &x->billing.usage[0];
    assert_int_equal(u->grid_us, -45 * RR_MIN);
    assert_int_equal(u->n_hours, 5); // 0:45, 1:00, 2:00, 3:00 to 3:45, and what lies behind
    assert_int_equal(u->node_us[0], 15 * RR_MIN);
    assert_int_equal(u->node_us[1], 5 * RR_MIN);
    case_free(x);
}

static void facts_stand_in_with_a_note(void **state)
{
    (void)state;
    struct price_case *x = case_new("2026-03-01", RR_D);
    case_pool(x, "aws/p5.48xlarge", "on_demand", "{}");
    case_lease(x, 0, RR_H);
    case_bill(x);
    assert_int_equal(case_sum(x, NULL).billed, 55040000);
    assert_int_equal(case_notes(x, RR_NOTE_ASSUMED, "on-demand rate of aws/p5.48xlarge in us-east-1 is $55.04/h"), 1);
    case_free(x);
}

static void mixed_nodes_are_paid_by_gpu(void **state)
{
    (void)state;
    struct price_case *x = case_new("2026-03-01", RR_D);
    struct rr_pool *pool = case_pool(x, NULL, "on_demand", "{\"rate\": \"$2.10/gpu/h\", \"minimum\": \"0 s\"}");
    pool->shape = (struct rr_node_shape[]){{.gpus = 8}, {.gpus = 2}, {.gpus = 0}};
    pool->n_shapes = 3;
    x->node_gpus[1] = 2, x->node_gpus[2] = 0;
    for (uint32_t i = 0; i < 3; i++) {
        case_lease(x, 0, 3 * RR_H);
        x->lease[i].node = i;
    }
    case_bill(x);
    assert_int_equal(case_sum(x, NULL).billed, 63 * USD); // 10 GPUs, 3 h
    assert_string_equal(x->charge.at[0].unit, "GPU-hour");
    assert_int_equal(case_notes(x, RR_NOTE_WARNING, "1 of 3 nodes have no GPU"), 1);
    case_free(x);
}

static void refuse(const char *instance, const char *params, const char *why)
{
    struct price_case *x = case_new("2026-03-01", RR_D);
    case_pool(x, instance, "on_demand", params);
    case_refused(x, why);
    assert_non_null(strstr(rr_reason(), "/pools/pool0/plan: "));
    case_free(x);
}

static void what_has_no_price_is_refused(void **state)
{
    (void)state;
    refuse(NULL, "{}", "needs \"rate\"");
    refuse("aws/p5e.48xlarge", "{}", "no on_demand price for aws/p5e.48xlarge");
    refuse("aws/p5.48xlarg", "{}", "did you mean \"aws/p5.48xlarge\"");
    refuse(NULL, "{\"rate\": \"$2/month\"}", "per node or GPU and hour");
    refuse(NULL, "{\"rate\": \"$2/kWh\"}", "per node or GPU and hour");
    refuse(NULL, "{\"rate\": \"$2/h\", \"hours\": \"clock\", \"increment\": \"7 min\"}", "divides an hour");
}

static void no_time_costs_nothing(void **state)
{
    (void)state;
    struct price_case *x = case_new("2026-03-01T00:45:00Z", 0);
    case_pool(x, NULL, "on_demand", "{\"rate\": \"$1/h\"}");
    case_lease(x, 0, 0);
    case_bill(x);
    assert_int_equal(x->charge.n, 0);
    case_free(x);
}

static void overflow_is_an_error(void **state)
{
    (void)state;
    struct price_case *x = case_new("2026-03-01", 3660 * RR_D);
    case_pool(x, NULL, "on_demand", "{\"rate\": \"$9,000,000,000/h\"}");
    for (int i = 0; i < 4000; i++) case_lease(x, 0, 3660 * RR_D);
    assert_int_equal(case_resolve(x), RR_OK);
    x->billing = (struct rr_billing){.scenario = &x->s,
                                     .horizon_us = x->s.horizon_us,
                                     .lease = x->lease,
                                     .pool_lease = x->pool_lease,
                                     .node_gpus = x->node_gpus,
                                     .arena = x->arena};
    assert_int_equal(rr_bill(&x->billing, &x->sink), RR_EINPUT);
    assert_non_null(strstr(rr_reason(), "does not fit"));
    case_free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(seconds_with_a_minimum),
        cmocka_unit_test(started_hours_and_minutes),
        cmocka_unit_test(hours_on_the_clock),
        cmocka_unit_test(rates_and_discounts_are_exact),
        cmocka_unit_test(leases_are_cut_at_month_ends),
        cmocka_unit_test(a_started_unit_belongs_to_its_month),
        cmocka_unit_test(a_unit_behind_the_horizon_is_paid_and_shown),
        cmocka_unit_test(without_a_calendar_there_is_one_line),
        cmocka_unit_test(usage_lies_on_clock_hours),
        cmocka_unit_test(facts_stand_in_with_a_note),
        cmocka_unit_test(mixed_nodes_are_paid_by_gpu),
        cmocka_unit_test(what_has_no_price_is_refused),
        cmocka_unit_test(no_time_costs_nothing),
        cmocka_unit_test(overflow_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
