/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_price_serverless.c - GPUs by the second of a call, minimums, cold starts and warm nodes. */
#include "tests/unit/price_case.h"

#define USD INT64_C(1000000)

static struct price_case *pool(const char *start, int64_t horizon_us, const char *plan)
{
    struct price_case *x = case_bare(start, horizon_us);
    case_pool(x, NULL, "serverless", plan);
    return x;
}

/* Two GPUs for 2.4 s at a started second, half a GPU for 0.7 s at its least of 5 s: 6 and 2.5 GPU-seconds, two calls. */
static void calls_are_rounded_up(void **state)
{
    (void)state;
    struct price_case *x =
        pool("2026-01-01", RR_D, "{\"rate\": \"$0.00125/gpu/s\", \"minimum\": \"2500 ms\", \"per_call\": \"$0.0002/call\"}");
    case_lease(x, 0, RR_MIN);
    x->call = (struct rr_call[]){{.start_us = 10 * RR_S, .end_us = 12400 * RR_MS, .gpus_milli = 2000},
                                 {.start_us = 20 * RR_S, .end_us = 20700 * RR_MS, .gpus_milli = 500}};
    x->n_calls = 2;
    case_bill(x);
    assert_int_equal(case_sum(x, "compute").billed, 7250 * 125 / 100); // 3 s x 2 + 2.5 s x 0.5
    assert_int_equal(case_sum(x, "calls").billed, 400);
    assert_int_equal(case_sum(x, "idle").n, 0);
    case_free(x);
}

/* A node of 8 GPUs held for an hour of which calls used half an hour of 4 GPUs: 2 GPU-hours, 6 idle at a quarter of the price. A rate per node is the
 * same for all its GPUs. */
static void idle_time_has_its_own_price(void **state)
{
    (void)state;
    static const char *const plan[] = {"{\"rate\": \"$4/gpu/h\", \"idle_rate\": \"$1/gpu/h\"}",
                                       "{\"rate\": \"$32/h\", \"idle_rate\": \"$8/h\"}"};
    for (size_t i = 0; i < 2; i++) {
        struct price_case *x = pool("2026-01-01", RR_D, plan[i]);
        case_lease(x, 0, RR_H);
        x->call = (struct rr_call[]){{.start_us = 5 * RR_MIN, .end_us = 35 * RR_MIN, .gpus_milli = 4000}};
        x->n_calls = 1;
        case_bill(x);
        assert_int_equal(case_sum(x, "compute").billed, 8 * USD);
        assert_int_equal(case_sum(x, "idle").billed, 6 * USD);
        case_free(x);
    }
}

static void held_time_is_paid_whatever_runs(void **state)
{
    (void)state;
    struct price_case *x = pool("2026-01-01", RR_D, "{\"rate\": \"$0.001/gpu/s\", \"of\": \"held\", \"increment\": \"1 min\"}");
    case_lease(x, 0, 90 * RR_S);
    case_bill(x); // no call is looked at
    assert_int_equal(case_sum(x, NULL).billed, 120 * 8 * 1000);
    case_free(x);
}

/* Over midnight of a month; the last increment belongs to the month that it starts in; behind the horizon it is still paid. */
static void time_lies_in_its_months(void **state)
{
    (void)state;
    struct price_case *x = pool("2026-01-31T23:00:00Z", 2 * RR_H, "{\"rate\": \"$3.60/gpu/h\", \"increment\": \"10 min\"}");
    case_lease(x, 0, 2 * RR_H);
    x->call = (struct rr_call[]){{.start_us = 30 * RR_MIN, .end_us = 65 * RR_MIN, .gpus_milli = 1000},
                                 {.start_us = 115 * RR_MIN, .end_us = 125 * RR_MIN, .gpus_milli = 1000}};
    x->n_calls = 2;
    case_bill(x);
    assert_int_equal(x->charge.n, 2);
    assert_int_equal(x->charge.at[0].billed.micro, 1800000);
    assert_int_equal(x->charge.at[1].billed.micro, 600000 + 600000); // 5 + 5 min, and 5 + 5 behind
    assert_int_equal(x->charge.at[1].after_horizon.micro, 300000);
    case_free(x);
}

/* Warm nodes without a call: a line of 0 says so. */
static void nothing_used_is_still_told(void **state)
{
    (void)state;
    struct price_case *x = pool(NULL, RR_D, "{\"rate\": \"$3.60/gpu/h\"}");
    case_lease(x, 0, RR_D);
    x->call = (struct rr_call[]){{0}};
    case_bill(x);
    assert_int_equal(x->charge.n, 1);
    assert_int_equal(x->charge.at[0].billed.micro, 0);
    x->call = NULL;
    case_refused_bill(x, "do not know their calls");
    case_free(x);
}

static void what_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *plan, *why;
    } bad[] = {
        {"{\"rate\": \"$3/call\"}", "per node or GPU and hour"},
        {"{\"rate\": \"$3/gpu/h\", \"per_call\": \"$1/h\"}", "a price for each call"},
        {"{\"rate\": \"$3/gpu/h\", \"per_call\": \"$-1/call\"}", "a price for each call"},
        {"{\"rate\": \"$3/gpu/h\", \"of\": \"held\", \"idle_rate\": \"$1/gpu/h\"}", "held time has one rate"},
        {"{\"rate\": \"$3/gpu/h\", \"sold_in\": \"us-west-2\"}", "it is sold in us-west-2"},
        {"{\"rate\": \"EUR 3/gpu/h\"}", "no rate for EUR"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct price_case *x = pool("2026-01-01", RR_D, bad[i].plan);
        case_refused(x, bad[i].why);
        case_free(x);
    }
    struct price_case *x = pool("2026-01-01", RR_D, "{\"rate\": \"$3/h\"}");
    x->shape[0].gpus = 0;
    case_refused(x, "these nodes have none");
    case_free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_are_rounded_up),
        cmocka_unit_test(idle_time_has_its_own_price),
        cmocka_unit_test(held_time_is_paid_whatever_runs),
        cmocka_unit_test(time_lies_in_its_months),
        cmocka_unit_test(nothing_used_is_still_told),
        cmocka_unit_test(what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
