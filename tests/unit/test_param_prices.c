/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_param_prices.c - rows of changes, tiers and prices by name: what they read, what they refuse, and back to text. */
#include "data/prices.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

struct into {
    uint64_t given;
    double change;
    const struct rr_tiers *tiers;
    const struct rr_price_map *prices;
};
static const struct rr_param rows[] = {
    {.name = "change",
     .type = RR_P_CHANGE,
     .offset = offsetof(struct into, change),
     .unit = "a year",
     .least = -0.99,
     .most = 10,
     .help = "h"},
    {.name = "tiers", .type = RR_P_TIERS, .offset = offsetof(struct into, tiers), .help = "h"},
    {.name = "prices", .type = RR_P_PRICES, .offset = offsetof(struct into, prices), .help = "h"},
};

static struct rr_arena *arena;
static struct rr_json *json;
static cJSON *object;

static enum rr_status parse(const char *text, struct into *ret)
{
    const struct rr_param_ctx ctx = {.json = json, .arena = arena, .base = "."};
    cJSON_Delete(object);
    object = NULL;
    *ret = (struct into){0};
    assert_int_equal(rr_json_parse(json, "s.json", text, false, &object), RR_OK);
    return rr_params_read(&ctx, rows, 3, object, "/p", NULL, ret);
}

static void refused(const char *text, const char *why)
{
    struct into x;
    assert_int_equal(parse(text, &x), RR_EINPUT);
    if (strstr(rr_reason(), why) == NULL) fail_msg("\"%s\" lacks \"%s\"", rr_reason(), why);
    assert_non_null(strstr(rr_reason(), "s.json:1:"));
}

static void changes_have_a_sign(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double want;
    } good[] = {{"-0.3", -0.3}, {"\"-30 %\"", -0.3}, {"\"+40 %\"", 0.4}, {"\"40%\"", 0.4}, {"\"- 12.5 %\"", -0.125},
                {"0", 0},       {"\"130 %\"", 1.3}};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        struct into x;
        char text[64];
        snprintf(text, sizeof text, "{\"change\": %s}", good[i].text);
        assert_int_equal(parse(text, &x), RR_OK);
        assert_true(fabs(x.change - good[i].want) < 1e-15);
    }
    refused("{\"change\": \"-100 %\"}", "at least -0.99");
    refused("{\"change\": 11}", "at most 10");
    refused("{\"change\": \"faster\"}", "a change is expected, such as -0.3 or \"-30 %\"");
    refused("{\"change\": \"--3 %\"}", "a change is expected");
    refused("{\"change\": true}", "a change is expected");
}

static void tiers_of_every_kind(void **state)
{
    (void)state;
    struct into x;
    assert_int_equal(parse("{\"tiers\": [{\"up_to\": \"10 TB\", \"rate\": \"$0.09/GB\"}, {\"up_to\": {\"value\": \"50 TB\", \"source\": "
                           "\"list\"}, \"rate\": "
                           "\"$0.085/GB\"}, {\"rate\": \"EUR 0.07/GB\"}]}",
                           &x),
                     RR_OK);
    assert_true(x.tiers->n == 3 && x.tiers->by == RR_TIER_BYTES && x.tiers->has_rates);
    assert_true(x.tiers->tier[1].up_to == INT64_C(50000000000000) && x.tiers->tier[2].by == RR_TIER_OPEN);
    assert_true(x.tiers->tier[1].rate.rate.nano == 85000000);
    assert_string_equal(x.tiers->tier[2].rate.currency, "EUR");
    assert_int_equal(parse("{\"tiers\": [{\"up_to\": \"$10,000.50\", \"share\": \"10 %\"}, {\"share\": 0.07}]}", &x), RR_OK);
    assert_true(x.tiers->by == RR_TIER_MONEY && x.tiers->tier[0].up_to == 10000500000 && x.tiers->tier[1].share == 0.07);
    assert_int_equal(parse("{\"tiers\": [{\"up_to\": \"62.5 %\", \"share\": 0}, {\"share\": 1}]}", &x), RR_OK);
    assert_true(x.tiers->by == RR_TIER_SHARE && x.tiers->tier[0].up_to == 625000000);
    assert_int_equal(parse("{\"tiers\": [{\"up_to\": 1.5, \"share\": 0}, {\"share\": 1}]}", &x), RR_OK);
    assert_true(x.tiers->by == RR_TIER_NUMBER && x.tiers->tier[0].up_to == 1500000);
    assert_int_equal(parse("{\"tiers\": [{\"share\": 0.2}]}", &x), RR_OK);
    assert_true(x.tiers->by == RR_TIER_OPEN && x.tiers->n == 1);
    refused("{\"tiers\": [{\"up_to\": -5, \"share\": 0}, {\"share\": 1}]}", "above 0");
    refused("{\"tiers\": [{\"up_to\": 1e18, \"share\": 0}, {\"share\": 1}]}", "such as");
    refused("{\"tiers\": [{\"up_to\": \"$10\", \"share\": 0}, {\"up_to\": \"EUR 20\", \"share\": 0}, {\"share\": 1}]}", "another kind");
    refused("{\"tiers\": [{\"up_to\": {\"value\": 5, \"src\": \"x\"}, \"share\": 0}, {\"share\": 1}]}", "source, owner and as_of");
    refused("{\"tiers\": [3]}", "an object");
}

static void prices_by_name(void **state)
{
    (void)state;
    struct into x;
    assert_int_equal(
        parse("{\"prices\": {\"aws/p5\": \"30 %\", \"b\": {\"value\": \"$60/gpu/h\", \"source\": \"offer\"}, \"2026-07-01\": \"\xc2\xa5"
              "5,000\"}}",
              &x),
        RR_OK);
    assert_int_equal(x.prices->n, 3);
    assert_true(x.prices->entry[0].kind == RR_ENTRY_SHARE && x.prices->entry[0].share == 0.3);
    assert_true(x.prices->entry[1].kind == RR_ENTRY_RATE && x.prices->entry[1].rate.rate.per == RR_PER_GPU);
    assert_true(x.prices->entry[2].kind == RR_ENTRY_MONEY && x.prices->entry[2].money.money.micro == 5000000000);
    assert_string_equal(x.prices->entry[2].money.currency, "CNY");
    assert_string_equal(x.prices->entry[2].key, "2026-07-01");
    refused("{\"prices\": {}}", "by each name");
    refused("{\"prices\": {\"a\": 5}}", "in double quotes");
    refused("{\"prices\": {\"a\": \"5/h\"}}", "has no currency");
    refused("{\"prices\": {\"a\": \"120 %\"}}", "more than the whole");
    refused("{\"prices\": {\"a\": \"$-5/h\"}}", "not negative");
    refused("{\"prices\": {\"a\": {\"value\": \"$5/h\", \"who\": \"me\"}}}", "source, owner and as_of");
    refused("{\"prices\": [\"$5/h\"]}", "by each name");
}

static void as_text_and_schema(void **state)
{
    (void)state;
    struct into x;
    static const char *const text[] = {"-0.3", "[{\"up_to\":5,\"share\":0},{\"share\":0.5}]", "{\"a\":\"$5/h\"}"};
    assert_int_equal(
        parse("{\"change\": \"-30 %\", \"tiers\": [{\"up_to\": 5, \"share\": 0}, {\"share\": 0.5}], \"prices\": {\"a\": \"$5/h\"}}", &x),
        RR_OK);
    for (size_t i = 0; i < 3; i++) {
        struct rr_buf b = {0};
        rr_param_text(&b, &rows[i], &x);
        assert_string_equal(rr_buf_text(&b), text[i]);
        rr_buf_done(&b);
        assert_false(rr_param_is_zero(&rows[i], &x));
        assert_true(rr_param_is_zero(&rows[i], &(struct into){0}));
    }
    cJSON *schema = rr_params_schema(rows, 3);
    char *printed = cJSON_PrintUnformatted(schema);
    assert_non_null(strstr(printed, "\"up_to\""));
    assert_non_null(strstr(printed, "\"minProperties\":1"));
    assert_non_null(strstr(printed, "\"minimum\":-0.99"));
    cJSON_free(printed);
    cJSON_Delete(schema);
}

static int begin(void **state)
{
    (void)state;
    arena = rr_arena_create();
    json = rr_json_create();
    return 0;
}

static int end(void **state)
{
    (void)state;
    cJSON_Delete(object);
    rr_json_free(json);
    rr_arena_free(arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changes_have_a_sign),
        cmocka_unit_test(tiers_of_every_kind),
        cmocka_unit_test(prices_by_name),
        cmocka_unit_test(as_text_and_schema),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
