/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_price_savings_plan.c - money promised by the hour: what it covers first, what it pays, and the examples of FOCUS. */
#include "tests/unit/price_case.h"

#define USD INT64_C(1000000)
#define P5  "aws/p5.48xlarge"
#define P4D "aws/p4d.24xlarge"

static struct price_case *world(const char *start, int64_t horizon_us, const char *rate)
{
    struct price_case *x = case_new(start, horizon_us);
    case_pool(x, P5, "on_demand", rr_strf(x->arena, "{\"rate\": \"%s\", \"minimum\": \"0 s\", \"increment\": \"1 us\"}", rate));
    return x;
}

/* Effective cost of the covers with this pool (-1: unused): the shares of the commitment's charges, summed over months. */
static double share_of(const struct price_case *x, const char *name, int pool)
{
    double sum = 0;
    for (size_t i = 0; i < x->cover.n; i++) {
        const struct rr_cover *c = &x->cover.at[i];
        double all = 0, effective = 0;
        if (strcmp(c->commitment, name) != 0 || c->pool != pool) continue;
        for (size_t k = 0; k < x->cover.n; k++)
            if (strcmp(x->cover.at[k].commitment, name) == 0 && x->cover.at[k].from_us == c->from_us) all += (double)x->cover.at[k].part;
        for (size_t k = 0; k < x->charge.n; k++)
            if (x->charge.at[k].commitment != NULL && strcmp(x->charge.at[k].commitment, name) == 0 &&
                x->charge.at[k].from_us >= c->from_us && x->charge.at[k].to_us <= c->to_us)
                effective += rr_money_double(x->charge.at[k].effective);
        sum += effective * (double)c->part / all;
    }
    return sum;
}

static void near(double got, double want)
{
    if (got < want - 1e-6 || got > want + 1e-6) fail_msg("%.9g is not %.9g", got, want);
}

/* FOCUS 1.2, the tables of purchase scenarios 1-3 and usage scenarios 1-4: $1.00 an hour for the 8,760 hours of 2023, seen in its first hour. On
 * demand one hour costs $2.50, under the plan $1.25: used 1.00 is 0.8 h, 0.75 is 0.6 h, 1.50 is 0.8 h and 0.2 h at $2.50. */
static void the_examples_of_focus(void **state)
{
    (void)state;
    static const struct {
        const char *payment;
        int64_t billed; /* in the first hour */
    } way[] = {{"all_upfront", 8760 * USD}, {"no_upfront", 1 * USD}, {"partial_upfront", 4380 * USD + USD / 2}};
    static const struct {
        int64_t used_us;
        double used, unused, standard;
    } hour[] = {{48 * RR_MIN, 1, 0, 0}, {0, 0, 1, 0}, {36 * RR_MIN, 0.75, 0.25, 0}, {60 * RR_MIN, 1, 0, 0.5}};
    for (size_t w = 0; w < 3; w++) {
        for (size_t k = 0; k < 4; k++) {
            struct price_case *x = world("2023-01-01", RR_H, "$2.50/h");
            if (hour[k].used_us > 0) case_lease(x, 0, hour[k].used_us);
            case_commitment(
                x, "savings_plan", "sp",
                rr_strf(x->arena, "{\"commit\": \"$1/h\", \"term\": \"1 year\", \"payment\": \"%s\", \"rates\": {\"aws/p5\": \"$1.25/h\"}}",
                        way[w].payment));
            case_bill(x);
            assert_int_equal(case_type(x, "savings_plan", true), way[w].billed);
            assert_int_equal(case_type(x, "savings_plan", false), 1 * USD);
            assert_int_equal(case_sum(x, "commitment").after, 8759 * USD); // a term beyond the horizon shows its rest
            near(share_of(x, "sp", 0), hour[k].used);
            near(share_of(x, "sp", -1), hour[k].unused);
            near((double)case_type(x, "on_demand", true) / 1e6, hour[k].standard);
            near((double)case_type(x, "on_demand", false) / 1e6, hour[k].standard);
            case_free(x);
        }
    }
}

/* Of two zones of a region and another region it covers the zones: $2 an hour buy 1 h + 1 h at half of $2. */
static void a_region_covers_its_zones(void **state)
{
    (void)state;
    static const char *const region[] = {"us-east-1/use1-az1", "us-west-2", "us-east-1/use1-az6"};
    struct price_case *x = case_new("2026-01-01", RR_H);
    for (size_t i = 0; i < 3; i++) {
        case_pool(x, P5, "on_demand", "{\"rate\": \"$2/h\", \"minimum\": \"0 s\"}");
        x->pool[i].region = region[i];
        case_lease(x, 0, RR_H);
    }
    case_commitment(x, "savings_plan", "sp", "{\"commit\": \"$2/h\", \"term\": \"1 year\", \"discount\": 0.5, \"region\": \"us-east-1\"}");
    case_bill(x);
    assert_int_equal(case_type(x, "on_demand", true), 2 * USD);
    near(share_of(x, "sp", 0), 1);
    near(share_of(x, "sp", 2), 1);
    case_free(x);
}

/* Over the whole term: used + unused = purchased, whatever way it is paid. */
static void a_term_is_used_or_lost(void **state)
{
    (void)state;
    static const char *const payment[] = {"all_upfront", "no_upfront", "partial_upfront"};
    for (size_t w = 0; w < 3; w++) {
        struct price_case *x = world("2023-01-01", 365 * RR_D, "$2.50/h");
        case_lease(x, 17 * RR_D, 200 * RR_D); // 183 days = 4,392 h at $1.25, of which $1 an hour is covered
        case_commitment(x, "savings_plan", "sp",
                        rr_strf(x->arena,
                                "{\"commit\": \"$1/h\", \"term\": \"1 year\", \"payment\": \"%s\", \"rates\": {\"aws/p5\": \"50 %%\"}}",
                                payment[w]));
        case_bill(x);
        assert_int_equal(case_type(x, "savings_plan", true), 8760 * USD);
        assert_int_equal(case_type(x, "savings_plan", false), 8760 * USD);
        near(share_of(x, "sp", 0), 4392);
        near(share_of(x, "sp", -1), 8760 - 4392);
        assert_int_equal(case_type(x, "on_demand", true), 4392 * USD / 2); // 0.2 h at $2.50
        case_free(x);
    }
}

/* facts/FOCUS.md, section 7: 8 GPUs at list 10.00, contracted 9.00, committed 6.00, all upfront for a "year" of four hours; two machines in hour 2, none in
 * hour 4. */
static void the_worked_example(void **state)
{
    (void)state;
    struct price_case *x = case_new("2026-01-01", 4 * RR_H);
    case_pool(x, P5, "on_demand", "{\"rate\": \"$10/h\", \"discount\": \"10 %\"}");
    case_lease(x, 0, 3 * RR_H);
    case_lease(x, RR_H, 2 * RR_H);
    case_commit(x, "ri",
                "{\"instance\": \"" P5 "\", \"region\": \"us-east-1\", \"count\": 1, \"term\": \"4 h\", \"rate\": \"$6/h\","
                " \"payment\": \"all_upfront\", \"renew\": false}");
    case_bill(x);
    assert_int_equal(case_type(x, "reserved", true), 24 * USD);
    assert_int_equal(case_type(x, "reserved", false), 24 * USD);
    assert_int_equal(case_type(x, "on_demand", true), 9 * USD);
    assert_int_equal(case_sum(x, NULL).effective, 33 * USD);
    assert_int_equal(case_sum(x, NULL).billed, 33 * USD);
    near(share_of(x, "ri", 0), 18);
    near(share_of(x, "ri", -1), 6);
    double listed = 0; // of what was used: covered, and on demand
    for (size_t i = 0; i < x->cover.n; i++)
        if (x->cover.at[i].pool >= 0) listed += x->cover.at[i].quantity * (double)x->cover.at[i].list_nano / 1e9;
    for (size_t i = 0; i < x->charge.n; i++)
        if (strcmp(x->charge.at[i].line, "compute") == 0) listed += x->charge.at[i].quantity * (double)x->charge.at[i].list_nano / 1e9;
    near(listed, 40);
    case_free(x);
}

/* $30 an hour: p4d saves 60 %, p5 30 %, so p4d goes first: $8 of 1 h at $20 list; then p5 at $70: 22/70 h. */
static void the_largest_saving_goes_first(void **state)
{
    (void)state;
    struct price_case *x = world("2026-01-01", RR_D, "$100/h");
    case_lease(x, 5 * RR_H, 6 * RR_H);
    case_pool(x, P4D, "on_demand", "{\"rate\": \"$20/h\", \"minimum\": \"0 s\"}");
    case_lease(x, 5 * RR_H, 6 * RR_H);
    case_commitment(x, "savings_plan", "sp",
                    "{\"commit\": \"$30/h\", \"term\": \"1 year\", \"rates\": {\"" P4D
                    "\": \"60 %\", \"aws\": \"99 %\"}, \"discount\": \"30 %\"}");
    case_bill(x);
    assert_true(x->billing.usage[1].covered == RR_H);
    assert_true(x->billing.usage[0].covered == RR_H * 22 / 70);
    near((double)case_type(x, "on_demand", true) / 1e6, 100.0 * 48 / 70);
    near(share_of(x, "sp", 1), 8);
    near(share_of(x, "sp", 0), 22);
    near(share_of(x, "sp", -1), 23 * 30);
    assert_int_equal(case_notes(x, RR_NOTE_WARNING, "no pool is of \"aws\""), 1);
    assert_int_equal(x->charge.at[0].pool, -1);
    case_free(x);
}

/* Reservations that stand before it take their hours first. */
static void it_comes_after_reservations(void **state)
{
    (void)state;
    struct price_case *x = world("2026-01-01", RR_D, "$10/h");
    for (int i = 0; i < 3; i++) case_lease(x, 0, RR_D);
    case_commit(x, "ri", "{\"instance\": \"" P5 "\", \"region\": \"us-east-1\", \"count\": 1, \"term\": \"1 year\", \"rate\": \"$5/h\"}");
    case_commitment(x, "savings_plan", "sp", "{\"commit\": \"$8/h\", \"term\": \"1 year\", \"discount\": \"20 %\"}");
    case_bill(x);
    assert_true(x->billing.usage[0].covered == 2 * RR_D);
    assert_int_equal(case_type(x, "reserved", false), 120 * USD);
    assert_int_equal(case_type(x, "savings_plan", false), 192 * USD);
    assert_int_equal(case_type(x, "on_demand", false), 240 * USD);
    case_free(x);
}

/* A falling price moves what saves more: at $10 the fixed rate of $6 saves 40 %, at $6.50 8 %. */
static void savings_follow_the_price(void **state)
{
    (void)state;
    struct price_case *x = case_new("2026-01-01", 2 * RR_H);
    case_pool(x, P5, "on_demand", "{\"rate\": \"$10/h\", \"steps\": {\"2026-01-01T01:00:00Z\": \"$6.50/h\"}}");
    case_lease(x, 0, 2 * RR_H);
    case_pool(x, P4D, "on_demand", "{\"rate\": \"$10/h\"}");
    case_lease(x, 0, 2 * RR_H);
    case_commitment(x, "savings_plan", "sp",
                    "{\"commit\": \"$6/h\", \"term\": \"1 year\", \"rates\": {\"" P5 "\": \"$6/h\", \"" P4D "\": \"25 %\"}}");
    case_bill(x);
    assert_true(x->billing.usage[0].covered == RR_H);           // the first hour
    assert_true(x->billing.usage[1].covered == RR_H * 60 / 75); // the second
    case_free(x);
}

/* p5 for 3 years at $53.95 (facts): $107.90 an hour is two machines. */
static void rates_that_nobody_gave_are_the_reserved_ones(void **state)
{
    (void)state;
    struct price_case *x = world("2026-01-01", RR_D, "$98.32/h");
    for (int i = 0; i < 3; i++) case_lease(x, 0, RR_D);
    case_commitment(x, "savings_plan", "sp", "{\"commit\": \"$107.90/h\", \"term\": \"3 years\"}");
    case_bill(x);
    assert_true(x->billing.usage[0].covered == 2 * RR_D);
    assert_int_equal(case_notes(x, RR_NOTE_ASSUMED, "at its reserved price for 3 years"), 1);
    case_free(x);
}

static void what_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *plan, *why;
    } bad[] = {
        {"{\"commit\": \"$1/gpu/h\", \"term\": \"1 year\", \"discount\": 0.2}", "money an hour above 0"},
        {"{\"commit\": \"$0/h\", \"term\": \"1 year\", \"discount\": 0.2}", "money an hour above 0"},
        {"{\"commit\": \"$-3/h\", \"term\": \"1 year\", \"discount\": 0.2}", "money an hour above 0"},
        {"{\"commit\": \"$1/h\", \"term\": \"2 years\"}", "what does it save?"},
        {"{\"commit\": \"$1/h\", \"term\": \"5 min\", \"discount\": 0.2}", "at least an hour"},
        {"{\"commit\": \"EUR 1/h\", \"term\": \"1 year\", \"discount\": 0.2}", "no rate for EUR"},
        {"{\"commit\": \"$1/h\", \"term\": \"1 year\", \"rates\": {\"" P5 "\": \"$5\"}}", "is a rate or a share"},
        {"{\"commit\": \"$1/h\", \"term\": \"1 year\", \"discount\": 0.2, \"region\": \"x\", \"sold_in\": \"us-east-1\"}",
         "sold in us-east-1"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct price_case *x = world("2026-01-01", RR_D, "$10/h");
        case_commitment(x, "savings_plan", "sp", bad[i].plan);
        case_refused(x, bad[i].why);
        case_free(x);
    }
    struct price_case *x = world("2026-01-01", RR_D, "$10/h");
    case_commitment(x, "savings_plan", "sp", "{\"commit\": \"$1/h\", \"term\": \"1 year\", \"discount\": 0.2, \"region\": \"eu-west-1\"}");
    case_bill(x);
    assert_int_equal(case_notes(x, RR_NOTE_WARNING, "no pool is covered"), 1);
    case_free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_examples_of_focus),
        cmocka_unit_test(a_region_covers_its_zones),
        cmocka_unit_test(a_term_is_used_or_lost),
        cmocka_unit_test(the_worked_example),
        cmocka_unit_test(the_largest_saving_goes_first),
        cmocka_unit_test(it_comes_after_reservations),
        cmocka_unit_test(savings_follow_the_price),
        cmocka_unit_test(rates_that_nobody_gave_are_the_reserved_ones),
        cmocka_unit_test(what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
