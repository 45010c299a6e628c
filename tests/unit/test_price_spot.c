/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_price_spot.c - bills of spot machines by hand: prices that change, months, the horizon, the free hour; what is refused. */
#include "models/price/spot.h"
#include "tests/unit/price_case.h"
#include "tests/unit/test_dir.h"

#define USD  INT64_C(1000000)
#define SURE "\"availability\": {\"monthly\": 0.01}"

static const char *put(const char *name, const char *text)
{
    const char *path = in_dir(name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
    return path;
}

/* $3.60 an hour ($0.001 a second) until 6,000 s, $7.20 until 18,000 s, then $1.80. */
static struct price_case *market(const char *start, int64_t horizon_us, const char *more)
{
    struct price_case *x = case_new(start, horizon_us);
    const char *file = put("p.csv", "time,price\n0,3.6\n6000,7.2\n18000,1.8\n864000,\n");
    case_pool(x, NULL, "spot", rr_strf(x->arena, "{\"price\": \"%s\", " SURE "%s}", file, more));
    return x;
}

/* One lease, in microseconds from 1 March; all is inside the horizon. */
static int64_t cost_us(const char *more, int64_t start_us, int64_t end_us, enum rr_reason why)
{
    struct price_case *x = market("2026-03-01", 10 * RR_D, more);
    case_lease(x, start_us, end_us);
    x->lease[0].why = (uint8_t)why;
    case_bill(x);
    const struct case_sum sum = case_sum(x, NULL);
    assert_int_equal(sum.billed, sum.effective);
    assert_int_equal(sum.after, 0);
    assert_string_equal(x->charge.at[0].type, "spot");
    case_free(x);
    return sum.billed;
}
static int64_t cost_s(const char *more, int64_t start_s, int64_t end_s) { return cost_us(more, start_s * RR_S, end_s * RR_S, RR_WHY_NONE); }

static void a_price_changes_inside_a_lease(void **state)
{
    (void)state;
    assert_int_equal(cost_s("", 5000, 7000), 3 * USD);   // 1,000 s at 0.001 and at 0.002
    assert_int_equal(cost_s("", 5000, 20000), 26 * USD); // 1,000 s, 12,000 s and 2,000 s at 0.0005
    assert_int_equal(cost_s("", 6000, 7000), 2 * USD);   // from the very change
    assert_int_equal(cost_s("", 5000, 6000), 1 * USD);   // to the very change
}

static void the_price_at_the_start(void **state)
{
    (void)state;
    const char *p = ", \"bill\": \"start\"";
    assert_int_equal(cost_s(p, 5000, 20000), 15 * USD);
    assert_int_equal(cost_s(p, 6000, 7000), 2 * USD);
    assert_int_equal(cost_s(p, 17999, 19999), 4 * USD);
}

static void units_and_minimum(void **state)
{
    (void)state;
    assert_int_equal(cost_us("", 5990 * RR_S, 5990 * RR_S + 1500000, 0), 110000); // 60 s: 10 at 0.001, 50 at 0.002
    const char *p = ", \"minimum\": \"0 s\"";
    assert_int_equal(cost_us(p, 5998500000, 6000200000, 0), 2500); // 2 s: 1.5 and 0.5
    const char *hour = ", \"increment\": \"1 h\", \"minimum\": \"0 s\"";
    assert_int_equal(cost_s(hour, 5000, 8601), 13400000); // two hours: 1,000 s at 0.001, 6,200 s at 0.002
}

static void the_free_hour(void **state)
{
    (void)state;
    const char *p = ", \"interrupted_first_hour_free\": true";
    assert_int_equal(cost_us(p, 0, RR_H - 1, RR_WHY_RECLAIMED), 0);
    assert_int_equal(cost_us(p, 0, RR_H - 1, RR_WHY_PRICE), 0);
    assert_int_equal(cost_us(p, 0, RR_H, RR_WHY_RECLAIMED), 3600000);
    assert_int_equal(cost_us(p, 0, RR_H - RR_S, RR_WHY_NONE), 3599000); // the user's own release
    assert_int_equal(cost_us(p, 0, RR_H - RR_S, RR_WHY_NODE_FAILURE), 3599000);
    assert_int_equal(cost_us("", 0, RR_H - RR_S, RR_WHY_RECLAIMED), 3599000); // not without the option
    struct price_case *x = market("2026-03-01", 10 * RR_D, p);
    case_lease(x, 0, RR_H / 2);
    case_lease(x, RR_H, 2 * RR_H);
    x->lease[0].why = RR_WHY_RECLAIMED;
    case_bill(x);
    assert_int_equal(x->charge.n, 2);
    assert_true(x->charge.at[1].quantity == 0.5 && x->charge.at[1].billed.micro == 0);
    assert_int_equal(case_sum(x, "compute").billed, 4800000); // 2,400 s at 0.001, 1,200 s at 0.002
    case_free(x);
}

static void months_are_cut(void **state)
{
    (void)state;
    struct price_case *x = market("2026-01-31T22:00:00Z", 10 * RR_D, "");
    case_lease(x, RR_H, 3 * RR_H);
    case_bill(x);
    assert_int_equal(x->charge.n, 2);
    assert_int_equal(x->charge.at[0].billed.micro, 4800000); // 2,400 s at 0.001, 1,200 s at 0.002
    assert_int_equal(x->charge.at[1].billed.micro, 7200000);
    assert_int_equal(x->charge.at[0].to_us, 2 * RR_H);
    case_free(x);
    x = market("2026-01-31T22:00:00Z", 10 * RR_D, ", \"increment\": \"1 h\"");
    case_lease(x, 5400 * RR_S, 11400 * RR_S); // hours from 5,400 s and from 9,000 s; the month ends at 7,200 s
    case_bill(x);
    assert_int_equal(x->charge.at[0].billed.micro, 6600000);
    assert_int_equal(x->charge.at[1].billed.micro, 7200000);
    case_free(x);
    x = market(NULL, 10 * RR_D, ""); // without a calendar: one line
    case_lease(x, 5000 * RR_S, 7000 * RR_S);
    case_bill(x);
    assert_int_equal(x->charge.n, 1);
    case_free(x);
}

static void what_lies_behind_the_horizon(void **state)
{
    (void)state;
    struct price_case *x = market("2026-03-01", 7000 * RR_S, ", \"increment\": \"1 h\"");
    case_lease(x, 5000 * RR_S, 7000 * RR_S);
    case_bill(x);
    const struct case_sum sum = case_sum(x, NULL);
    assert_int_equal(sum.effective, 3 * USD);
    assert_int_equal(sum.after, 3200000); // 1,600 s at 0.002
    assert_int_equal(sum.billed, 6200000);
    case_free(x);
}

static void a_rate_per_gpu_and_another_currency(void **state)
{
    (void)state;
    struct price_case *x = case_new("2026-03-01", RR_D);
    case_pool(x, NULL, "spot", "{\"price\": \"$0.45/gpu/h\", " SURE "}"); // 8 GPUs
    case_lease(x, 0, 1237 * RR_S);
    case_bill(x);
    assert_int_equal(case_sum(x, NULL).billed, 1237000);
    assert_int_equal(x->charge.at[0].rate.nano, 3600000000);
    case_free(x);
    x = case_new("2026-03-01", RR_D);
    struct rr_fx fx = {.from = "EUR", .rate_nano = 1250000000, .date = "2026-01-01", .source = "a bank"};
    x->s.fx = &fx;
    x->s.n_fx = 1;
    const char *file = put("e.csv", "time,price\n0,2.88\n90000,\n");
    case_pool(x, NULL, "spot", rr_strf(x->arena, "{\"price\": {\"file\": \"%s\", \"currency\": \"EUR\"}, " SURE "}", file));
    case_lease(x, 0, 1237 * RR_S);
    case_bill(x);
    assert_int_equal(case_sum(x, NULL).billed, 1237000);
    case_free(x);
}

static void the_facts_price_and_hazard(void **state)
{
    (void)state;
    struct price_case *x = case_new("2026-03-01", RR_D);
    case_pool(x, "aws/p3.2xlarge", "spot", "{}");
    case_lease(x, 0, RR_H);
    case_bill(x);
    assert_int_equal(case_sum(x, NULL).billed, 1128800); // prices.csv, November 2023
    assert_int_equal(case_notes(x, RR_NOTE_ASSUMED, "as seen on one day"), 1);
    assert_int_equal(case_notes(x, RR_NOTE_ASSUMED, "bucket >20 % of the AWS Spot Advisor"), 1);
    assert_int_equal(rr_spot_terms_of(&x->pool[0])->availability, RR_NODES_HITS);
    case_free(x);
    x = case_new("2026-03-01", RR_D);
    case_pool(x, "aws/p3.2xlarge", "spot", "{\"price\": \"$1/h\"}");
    x->pool[0].region = "nowhere";
    assert_int_equal(case_resolve(x), RR_OK);
    assert_int_equal(case_notes(x, RR_NOTE_WARNING, "no machine is taken back"), 1);
    case_free(x);
}

/* The bill goes by the very prices that the model draws for that seed, replication and pool. */
static void a_model_bills_its_own_course(void **state)
{
    (void)state;
    struct price_case *x = case_new("2026-03-01", 5 * RR_D);
    case_pool(x, NULL, "spot",
              "{\"price\": {\"model\": {\"mean\": \"$1.37/h\", \"sd\": 0.3, \"half_life\": \"5 h\", \"evidence\": \"p3 of 2020\"}}, " SURE
              "}");
    case_lease(x, 90 * RR_MIN, 50 * RR_H);
    x->s.seed = 23;
    if (case_resolve(x) != RR_OK) fail_msg("%s", rr_reason());
    assert_int_equal(case_notes(x, RR_NOTE_ASSUMED, "p3 of 2020"), 1);
    int64_t sums[2];
    for (uint32_t rep = 0; rep < 2; rep++) {
        x->charge.n = 0;
        x->billing = (struct rr_billing){.scenario = &x->s,
                                         .horizon_us = x->s.horizon_us,
                                         .replication = rep,
                                         .lease = x->lease,
                                         .pool_lease = x->pool_lease,
                                         .node_gpus = x->node_gpus,
                                         .arena = x->arena};
        if (rr_bill(&x->billing, &x->sink) != RR_OK) fail_msg("%s", rr_reason());
        struct rr_spot_prices p;
        int64_t at, nano;
        rr_i128 half_hours = 0; // nano x half hours
        rr_spot_prices_init(&p, rr_spot_terms_of(&x->pool[0]), 23, rep);
        for (int h = 0; h < 50; h++) {
            assert_true(rr_spot_prices_next(&p, &at, &nano) && at == h * RR_H);
            half_hours += (rr_i128)nano * (h == 0 ? 0 : h == 1 ? 1 : 2);
        }
        sums[rep] = case_sum(x, NULL).billed;
        assert_true(llabs(sums[rep] - (int64_t)(half_hours / 2000)) <= 1);
    }
    assert_true(sums[0] != sums[1]);
    case_free(x);
}

static void a_fitted_model_says_where_it_comes_from(void **state)
{
    (void)state;
    struct rr_buf b = {0};
    rr_buf_puts(&b, "time,price\n");
    for (int i = 0; i < 60; i++)
        rr_buf_putf(&b, "2020-01-%02dT%02d:00:00Z,%d.%02d\n", 1 + i / 24, i % 24, 1, 5 * abs(i % 20 - 10) + i * 37 % 7);
    struct price_case *x = case_new("2026-03-01", RR_D);
    const char *file = put("fit.csv", rr_buf_text(&b));
    rr_buf_done(&b);
    case_pool(x, NULL, "spot", rr_strf(x->arena, "{\"price\": {\"file\": \"%s\", \"model\": {\"half_life\": \"3 h\"}}, " SURE "}", file));
    if (case_resolve(x) != RR_OK) fail_msg("%s", rr_reason());
    assert_int_equal(case_notes(x, RR_NOTE_ASSUMED, "fitted to 60 prices of the file from 2020-01-01 to 2020-01-03"), 1);
    assert_int_equal(case_notes(x, RR_NOTE_ASSUMED, "half-life 3 h"), 1);
    const struct rr_spot_ou *o = &rr_spot_terms_of(&x->pool[0])->ou;
    assert_true(o->least_nano >= 1000000000 && o->most_nano < 3000000000);
    case_free(x);
    b = (struct rr_buf){0};
    rr_buf_puts(&b, "time,price\n"); // a price that drifts away, with some noise
    for (int i = 0; i < 60; i++) rr_buf_putf(&b, "%d,%d.%02d\n", i * 3600, 1 + i / 20, 5 * (i % 20) + i * 37 % 7);
    x = case_new("2026-03-01", RR_D);
    file = put("drift.csv", rr_buf_text(&b));
    rr_buf_done(&b);
    case_pool(x, NULL, "spot", rr_strf(x->arena, "{\"price\": {\"file\": \"%s\", \"model\": {}}, " SURE "}", file));
    if (case_resolve(x) != RR_OK) fail_msg("%s", rr_reason());
    assert_int_equal(case_notes(x, RR_NOTE_WARNING, "little more than a guess"), 1);
    case_free(x);
}

static void quotes(void **state)
{
    (void)state;
    int64_t nano;
    struct price_case *x = market("2026-03-01", 10 * RR_D, "");
    assert_int_equal(case_resolve(x), RR_OK);
    assert_int_equal(rr_price_spot.quote(x->pool[0].plan_params, 5999 * RR_S, &nano), RR_OK);
    assert_int_equal(nano, 3600000000);
    assert_int_equal(rr_price_spot.quote(x->pool[0].plan_params, 6000 * RR_S, &nano), RR_OK);
    assert_int_equal(nano, 7200000000);
    case_free(x);
}

static void series_that_do_not_cover_the_horizon(void **state)
{
    (void)state;
    struct price_case *x = market("2026-03-01", 20 * RR_D, ""); // known for 10 days
    assert_int_equal(case_resolve(x), RR_OK);
    assert_int_equal(case_notes(x, RR_NOTE_WARNING, "the prices end 10 d before the horizon"), 1);
    case_free(x);
    x = case_new("2026-03-01", RR_D);
    const char *file = put("abs.csv", "time,price\n2026-03-01T06:00:00Z,3.6\n2026-03-01T12:00:00Z,7.2\n2026-03-02T12:00:00Z,\n");
    case_pool(x, NULL, "spot", rr_strf(x->arena, "{\"price\": {\"file\": \"%s\", \"align\": \"absolute\"}, " SURE "}", file));
    case_lease(x, 11 * RR_H, 13 * RR_H);
    case_bill(x);
    assert_int_equal(case_sum(x, NULL).billed, 10800000);
    assert_int_equal(case_notes(x, RR_NOTE_WARNING, "the prices begin 6 h after the start"), 1);
    case_free(x);
}

static void refused(const char *params, const char *why)
{
    struct price_case *x = case_new(NULL, RR_D);
    case_pool(x, NULL, "spot", params);
    case_refused(x, why);
    case_free(x);
}

static void what_is_refused(void **state)
{
    (void)state;
    refused("{\"price\": \"$1.2/h\", \"max_price\": \"$1.19/h\", " SURE "}", "could never hold a machine");
    refused("{\"price\": \"$1.2/month\", " SURE "}", "per node or GPU and hour");
    refused("{" SURE "}", "spot needs \"price\"");
    refused("{\"price\": {\"model\": {\"mean\": \"$0/h\", \"sd\": 0.1, \"half_life\": \"1 h\"}}, " SURE "}", "must be above 0");
    refused(
        "{\"price\": {\"model\": {\"mean\": \"$1/h\", \"sd\": 0.1, \"half_life\": \"1 h\", \"least\": \"$2/h\", \"most\": \"$1/h\"}}, " SURE
        "}",
        "at most \"most\"");
    refused("{\"price\": \"EUR 1.2/h\", " SURE "}", "EUR");
    const char *file = put("s.csv", "time,price\n0,3.6\n60,7.2\n");
    char params[512];
    snprintf(params, sizeof params, "{\"price\": {\"file\": \"%s\", \"align\": \"absolute\"}, " SURE "}", file);
    refused(params, "needs a series with dates");
    snprintf(params, sizeof params, "{\"price\": {\"file\": \"%s\", \"from\": \"2 min\"}, " SURE "}", file);
    refused(params, "ends before the scenario starts");
    snprintf(params, sizeof params, "{\"price\": {\"file\": \"%s\", \"model\": {}}, " SURE "}", file);
    refused(params, "fewer than 8 price changes");
    struct price_case *x = case_new(NULL, RR_D);
    case_pool(x, NULL, "spot", "{\"price\": \"$1.2/h\", " SURE "}")->nodes_max = INT64_MAX;
    case_refused(x, "give \"nodes\" a \"max\"");
    case_free(x);
}

/* What the rows themselves refuse, with the place. */
static void misread(const char *params, const char *why)
{
    struct price_case *x = case_bare(NULL, RR_D);
    cJSON *object = NULL;
    void *into = rr_alloc(x->arena, 1, rr_price_spot.kind.params_size);
    const struct rr_param_ctx ctx = {.json = x->json, .arena = x->arena, .base = "."};
    assert_int_equal(rr_json_parse(x->json, "test", params, false, &object), RR_OK);
    assert_int_equal(rr_params_read(&ctx, rr_price_spot.kind.params, rr_price_spot.kind.n_params, object, "/plan", NULL, into), RR_EINPUT);
    if (!strstr(rr_reason(), why) || !strstr(rr_reason(), "test:1:")) fail_msg("\"%s\" lacks \"%s\"", rr_reason(), why);
    cJSON_Delete(object);
    case_free(x);
}

static void what_is_misread(void **state)
{
    (void)state;
    misread("{\"price\": \"$1.2\"}", "/plan/price: ");
    misread("{\"price\": 1.2}", "a price, a file or a model");
    misread("{\"price\": {}}", "\"file\" is missing");
    misread("{\"price\": {\"model\": {\"mean\": \"$1/h\"}}}", "a model needs \"mean\", \"sd\" and \"half_life\"");
    misread("{\"price\": {\"model\": {\"meen\": \"$1/h\"}}}", "did you mean \"mean\"");
    misread("{\"price\": {\"model\": {\"mean\": \"$1/h\", \"sd\": 0.1, \"half_life\": \"1 h\"}, \"zone\": \"a\"}}", "unknown key \"zone\"");
    misread("{\"price\": \"nowhere.csv\"}", "nowhere.csv");
    misread("{\"price\": \"$1/h\", \"availability\": {\"hazard\": \"7 %\"}}", "5-10 %, 10-15 %");
    misread("{\"price\": \"$1/h\", \"availability\": {\"hazard\": \"5-10 %\", \"monthly\": 0.1}}", "one of \"hazard\" and \"monthly\"");
    misread("{\"price\": \"$1/h\", \"availability\": {\"batch\": 2}}", "one of \"hazard\" and \"monthly\"");
    misread("{\"price\": \"$1/h\", \"availability\": {\"hazard\": \"5-10 %\", \"batch\": 0.5}}", "at least 1");
    misread("{\"price\": \"$1/h\", \"availability\": \"\"}", "an empty file name");
    misread("{\"price\": \"$1/h\", \"availability\": 4}", "a file or a model");
    misread("{\"price\": \"$1/h\", \"notice\": 120}", "120 has no unit");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_price_changes_inside_a_lease),
        cmocka_unit_test(the_price_at_the_start),
        cmocka_unit_test(units_and_minimum),
        cmocka_unit_test(the_free_hour),
        cmocka_unit_test(months_are_cut),
        cmocka_unit_test(what_lies_behind_the_horizon),
        cmocka_unit_test(a_rate_per_gpu_and_another_currency),
        cmocka_unit_test(the_facts_price_and_hazard),
        cmocka_unit_test(a_model_bills_its_own_course),
        cmocka_unit_test(a_fitted_model_says_where_it_comes_from),
        cmocka_unit_test(quotes),
        cmocka_unit_test(series_that_do_not_cover_the_horizon),
        cmocka_unit_test(what_is_refused),
        cmocka_unit_test(what_is_misread),
    };
    return cmocka_run_group_tests(tests, test_dir_make, test_dir_remove);
}
