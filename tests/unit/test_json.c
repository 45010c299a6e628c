/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_json.c - positions, the exact text of numbers, pointers, merge patches, and every refusal. */
#include "data/base/json.h"
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static struct rr_json *json;
static struct rr_arena *arena;

static int setup(void **state)
{
    (void)state;
    json = rr_json_create();
    arena = rr_arena_create();
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    rr_json_free(json);
    rr_arena_free(arena);
    return 0;
}

static cJSON *parsed(const char *text)
{
    cJSON *root = NULL;
    const enum rr_status st = rr_json_parse(json, "t.json", text, false, &root);
    if (st != RR_OK) fail_msg("%s", rr_reason());
    return root;
}

static void refused(const char *text, const char *reason)
{
    cJSON *root = NULL;
    assert_int_equal(rr_json_parse(json, "t.json", text, false, &root), RR_EINPUT);
    assert_null(root);
    if (!strstr(rr_reason(), reason)) fail_msg("\"%s\" has no \"%s\"", rr_reason(), reason);
}

static void every_node_knows_its_place(void **state)
{
    (void)state;
    cJSON *r = parsed(
        "// first\n{ \"a\": 1.50, /* \xc3\xa9\n x \xe2\x82\xac */ \"b\": [true,\n  {\"c~/d\": -2e-3}],\n\t\"\xc3\xa9\": \"//no\" }\n");
    assert_string_equal(rr_json_where(json, r, arena), "t.json:2:1");
    assert_string_equal(rr_json_where(json, rr_json_at(r, "/a"), arena), "t.json:2:8");
    assert_string_equal(rr_json_where_key(json, rr_json_at(r, "/a"), arena), "t.json:2:3");
    assert_string_equal(rr_json_where_key(json, rr_json_at(r, "/b"), arena), "t.json:3:9"); // one column a character
    assert_string_equal(rr_json_where(json, rr_json_at(r, "/b/0"), arena), "t.json:3:15");
    assert_string_equal(rr_json_where_key(json, rr_json_at(r, "/b/0"), arena), "t.json:3:15");
    assert_string_equal(rr_json_where(json, rr_json_at(r, "/b/1/c~0~1d"), arena), "t.json:4:12");
    assert_string_equal(rr_json_where(json, rr_json_at(r, "/\xc3\xa9"), arena), "t.json:5:7");
    assert_string_equal(rr_json_at(r, "/\xc3\xa9")->valuestring, "//no");
    cJSON *made = cJSON_CreateNull();
    assert_string_equal(rr_json_where(json, made, arena), "");
    cJSON_Delete(made);
    cJSON_Delete(r);
}

static void numbers_keep_their_text_through_a_copy(void **state)
{
    (void)state;
    cJSON *r = parsed("[0.10, {\"1\": 123456789012345678901234567890}, \"7 \\\" 8\", -0, 1E+2, [], 3]");
    cJSON *d = cJSON_Duplicate(r, true);
    cJSON_Delete(r);
    static const char *const at[] = {"/0", "/1/1", "/3", "/4", "/6"};
    static const char *const text[] = {"0.10", "123456789012345678901234567890", "-0", "1E+2", "3"};
    for (size_t i = 0; i < 5; i++) {
        const struct rr_slice s = rr_json_number(rr_json_at(d, at[i]));
        assert_int_equal(s.n, strlen(text[i]));
        assert_memory_equal(s.at, text[i], s.n);
    }
    assert_string_equal(rr_json_where(json, rr_json_at(d, "/6"), arena), "t.json:1:71");
    cJSON_Delete(d);
}

static void what_is_no_json_is_refused_with_its_place(void **state)
{
    (void)state;
    refused("", "t.json:1:1: empty");
    refused(" // only\n", "empty");
    refused("{\"a\": 1,\n \"b\": {\"c\": 2, \"d\": 3,\n \"\\u0063\": 4}}", "t.json:3:2: /b/c: this key was already used at 2:8");
    refused("{\"a\":1,\"b\":2,\"a\":3,\"b\":4}", "t.json:1:14: /a: this key was already used at 1:2");
    refused("{\"a\": [1, 2,]}", "t.json:1:12: /a/1: a comma before ]; remove it");
    refused("{\"a\": 1,}", "a comma before }");
    refused("{\"a\": 1, /* x }", "t.json:1:10: /a: this comment is never closed");
    refused("{\"a\": \"x\n\"}", "t.json:1:7: /a: this text is never closed");
    refused("{\"a\": \"x", "never closed");
    refused("{\"a\": \"x\ty\"}", "t.json:1:9: /a: control character 0x09");
    refused("{\"a\": \"\xff\"}", "t.json:1:8: byte 0xff is not UTF-8");
    refused("\"\xc0\x80\"", "byte 0xc0");
    refused("\"\xed\xa0\x80\"", "byte 0xed"); // a surrogate
    refused("\"\xf4\x90\x80\x80\"", "byte 0xf4");
    refused("{} {}", "t.json:1:4: the document is over");
    refused("{\"a\" 1}", "a colon was expected");
    refused("{a: 1}", "a key in double quotes");
    refused("{\"a\": 5 min}", "t.json:1:9: /a: a comma or } was expected; a quantity with its unit takes double quotes");
    refused("{\"a\": 5min}", "a quantity with its unit is written as text");
    refused("{\"a\": 05}", "no leading zeros");
    refused("{\"a\": +5}", "starts with a digit or -");
    refused("{\"a\": .5}", "starts with a digit or -");
    refused("{\"a\": 5.}", "a digit must stand on both sides");
    refused("{\"a\": 1.2.3}", "two points");
    refused("{\"a\": 1e999}", "t.json:1:7: 1e999 is too large");
    refused("{\"a\": NaN}", "NaN is no JSON value");
    refused("{\"a\": True}", "True is no JSON value");
    refused("{\"a\": 'x'}", "not single ones");
    refused("{\"a\": ,}", "a value is missing before this comma");
    refused("{\"a\":", "ends where a value was expected");
    refused("[1, 2", "t.json:1:1: /1: this [ is never closed");
    refused("[1, ", "this [ is never closed");
    refused("[1 2]", "a comma or ] was expected");
    refused("\"\\x\"", "unknown escape");
    refused("\"\\u12g4\"", "four hexadecimal");
    refused("\"\\u0000\"", "\\u0000 may not");
    refused("\"\\ud800x\"", "without its second half");
    refused("\"\\udc00\"", "without its first half");
    refused("1234567890123456789012345678901234567890123456789012345678901", "a number of 61 characters");
}

static void nesting_ends_at_200(void **state)
{
    (void)state;
    char text[405] = {0};
    memset(text, '[', 200);
    memset(text + 200, ']', 200);
    cJSON_Delete(parsed(text));
    memset(text, '[', 201);
    memset(text + 201, ']', 201);
    refused(text, "t.json:1:201: ");
    refused(text, "more than 200 levels");
}

static void escapes_and_surrogates_decode(void **state)
{
    (void)state;
    cJSON *r = parsed("\xef\xbb\xbf[\"\\ud83d\\ude00\\u20ac\\n\\/\", {\"\\u00e9\": 1}]");
    assert_string_equal(rr_json_at(r, "/0")->valuestring, "\xf0\x9f\x98\x80\xe2\x82\xac\n/");
    assert_string_equal(rr_json_where(json, rr_json_at(r, "/1/\xc3\xa9"), arena), "t.json:1:39");
    cJSON_Delete(r);
}

static void a_file_is_read_and_a_missing_one_is_eio(void **state)
{
    (void)state;
    char path[] = "/tmp/test_jsonXXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "{\n\"a\":1}", 8), 8);
    close(fd);
    cJSON *r = NULL;
    assert_int_equal(rr_json_read(json, path, &r), RR_OK);
    assert_string_equal(rr_json_where(json, rr_json_at(r, "/a"), arena), rr_strf(arena, "%s:2:5", path));
    cJSON_Delete(r);
    unlink(path);
    assert_int_equal(rr_json_read(json, path, &r), RR_EIO);
}

static void too_large_a_document_is_refused(void **state)
{
    (void)state;
    const size_t n = ((size_t)16 << 20) + 1;
    char *text = rr_xrealloc(NULL, n + 1, 1);
    memset(text, ' ', n);
    text[n] = '\0';
    refused(text, "at most 16 MiB");
    free(text);
}

static void bare_text_is_a_string(void **state)
{
    (void)state;
    cJSON *r = NULL;
    assert_int_equal(rr_json_parse(json, "--set /a", "5 min", true, &r), RR_OK);
    assert_string_equal(r->valuestring, "5 min");
    assert_string_equal(rr_json_where(json, r, arena), "--set /a:1:1");
    cJSON_Delete(r);
    assert_int_equal(rr_json_parse(json, "--set /a", "2.50", true, &r), RR_OK);
    assert_true(cJSON_IsNumber(r));
    cJSON_Delete(r);
    assert_int_equal(rr_json_parse(json, "--set /a", "", true, &r), RR_OK);
    assert_string_equal(r->valuestring, "");
    cJSON_Delete(r);
    assert_int_equal(rr_json_parse(json, "--set /a", "{\"min\" 1}", true, &r), RR_EINPUT);
    assert_int_equal(rr_json_parse(json, "--set /a", "\"x", true, &r), RR_EINPUT);
}

static void pointers_follow_rfc_6901(void **state)
{
    (void)state;
    cJSON *r =
        parsed("{\"foo\": [\"bar\", \"baz\"], \"\": 0, \"a/b\": 1, \"c%d\": 2, \" \": 7, \"m~n\": 8, \"Foo\": 9}"); // RFC 6901 section 5
    assert_ptr_equal(rr_json_at(r, ""), r);
    assert_string_equal(rr_json_at(r, "/foo/0")->valuestring, "bar");
    assert_true(rr_json_at(r, "/")->valuedouble == 0);
    assert_true(rr_json_at(r, "/a~1b")->valuedouble == 1);
    assert_true(rr_json_at(r, "/c%d")->valuedouble == 2);
    assert_true(rr_json_at(r, "/ ")->valuedouble == 7);
    assert_true(rr_json_at(r, "/m~0n")->valuedouble == 8);
    assert_true(rr_json_at(r, "/Foo")->valuedouble == 9);
    assert_null(rr_json_at(r, "/FOO"));
    assert_null(rr_json_at(r, "/foo/2"));
    assert_null(rr_json_at(r, "/foo/01"));
    assert_null(rr_json_at(r, "/foo/0/x"));
    assert_null(rr_json_at(r, "foo"));
    cJSON_Delete(r);
}

static enum rr_status set(cJSON *root, const char *pointer, bool make, const char *text)
{
    return rr_json_set(root, pointer, make, parsed(text));
}

static void set_replaces_adds_removes_and_says_what_is_missing(void **state)
{
    (void)state;
    cJSON *r = parsed("{\"pools\": {\"own\": {\"nodes\": 8}, \"z\": 1}, \"list\": [1, 2]}");
    assert_int_equal(set(r, "/pools/own/nodes", false, "4"), RR_OK);
    assert_int_equal(set(r, "/pools/own/x~1y", false, "5"), RR_OK);
    assert_int_equal(set(r, "/list/1", false, "7"), RR_OK);
    assert_int_equal(set(r, "/list/-", false, "9"), RR_OK);
    assert_int_equal(set(r, "/finance/tax/rate", true, "0.5"), RR_OK);
    assert_int_equal(set(r, "/pools/z", false, "null"), RR_OK);
    char *text = cJSON_PrintUnformatted(r);
    assert_string_equal(text, "{\"pools\":{\"own\":{\"nodes\":4,\"x/y\":5}},\"list\":[1,7,9],\"finance\":{\"tax\":{\"rate\":0.5}}}");
    cJSON_free(text);
    assert_int_equal(set(r, "/pools/onw/nodes", false, "4"), RR_EINPUT);
    assert_string_equal(rr_reason(), "/pools/onw/nodes: there is no \"onw\"; did you mean \"own\"?");
    assert_int_equal(set(r, "/list/8", false, "4"), RR_EINPUT);
    assert_int_equal(set(r, "/list/8/x", true, "4"), RR_EINPUT);
    assert_int_equal(set(r, "/pools/own/nodes/min", true, "4"), RR_EINPUT);
    assert_non_null(strstr(rr_reason(), "neither an object nor an array"));
    char deep[403] = "";
    for (int i = 0; i < 201; i++) strcat(deep, "/a");
    assert_int_equal(set(r, deep, true, "4"), RR_EINPUT);
    assert_non_null(strstr(rr_reason(), "more than 200 levels"));
    assert_int_equal(set(r, "/made/here", true, "4"), RR_OK); // what is made has the value's place
    assert_string_equal(rr_json_where(json, rr_json_at(r, "/made"), arena), "t.json:1:1");
    assert_int_equal(set(r, "pools", true, "4"), RR_EINPUT);
    assert_int_equal(set(r, "", true, "4"), RR_EINPUT);
    cJSON_Delete(r);
}

/* The cases of RFC 7396, appendix A: target, patch, result. */
static void merge_patches_follow_rfc_7396(void **state)
{
    (void)state;
    static const char *const cases[][3] = {
        {"{\"a\":\"b\"}", "{\"a\":\"c\"}", "{\"a\":\"c\"}"},
        {"{\"a\":\"b\"}", "{\"b\":\"c\"}", "{\"a\":\"b\",\"b\":\"c\"}"},
        {"{\"a\":\"b\"}", "{\"a\":null}", "{}"},
        {"{\"a\":\"b\",\"b\":\"c\"}", "{\"a\":null}", "{\"b\":\"c\"}"},
        {"{\"a\":[\"b\"]}", "{\"a\":\"c\"}", "{\"a\":\"c\"}"},
        {"{\"a\":\"c\"}", "{\"a\":[\"b\"]}", "{\"a\":[\"b\"]}"},
        {"{\"a\":{\"b\":\"c\"}}", "{\"a\":{\"b\":\"d\",\"c\":null}}", "{\"a\":{\"b\":\"d\"}}"},
        {"{\"a\":[{\"b\":\"c\"}]}", "{\"a\":[1]}", "{\"a\":[1]}"},
        {"[\"a\",\"b\"]", "[\"c\",\"d\"]", "[\"c\",\"d\"]"},
        {"{\"a\":\"b\"}", "[\"c\"]", "[\"c\"]"},
        {"{\"a\":\"foo\"}", "null", "null"},
        {"{\"a\":\"foo\"}", "\"bar\"", "\"bar\""},
        {"{\"e\":null}", "{\"a\":1}", "{\"e\":null,\"a\":1}"},
        {"[1,2]", "{\"a\":\"b\",\"c\":null}", "{\"a\":\"b\"}"},
        {"{}", "{\"a\":{\"bb\":{\"ccc\":null}}}", "{\"a\":{\"bb\":{}}}"},
        {"{\"x\":1,\"own\":{\"k\":1},\"y\":2}", "{\"own\":{\"k\":2}}", "{\"x\":1,\"own\":{\"k\":2},\"y\":2}"}, // order stays
        {"{\"A\":1}", "{\"a\":2}", "{\"A\":1,\"a\":2}"},                                                       // case counts
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cJSON *target = parsed(cases[i][0]), *patch = parsed(cases[i][1]), *merged = rr_json_merge(target, patch);
        char *text = cJSON_PrintUnformatted(merged);
        assert_string_equal(text, cases[i][2]);
        cJSON_free(text);
        cJSON_Delete(merged);
        cJSON_Delete(patch);
        cJSON_Delete(target);
    }
}

static void a_failure_names_place_pointer_and_reason(void **state)
{
    (void)state;
    cJSON *r = parsed("{\n \"a\": 1}");
    const cJSON *a = rr_json_member(r, "a");
    assert_int_equal(rr_json_fail(RR_EINPUT, json, a, "/a", "too %s", "low"), RR_EINPUT);
    assert_string_equal(rr_reason(), "t.json:2:7: /a: too low");
    assert_int_equal(rr_json_fail_key(RR_EINPUT, json, a, "", "x"), RR_EINPUT);
    assert_string_equal(rr_reason(), "t.json:2:2: x");
    assert_int_equal(rr_json_fail(RR_EINPUT, json, NULL, "/a", "x"), RR_EINPUT);
    assert_string_equal(rr_reason(), "/a: x");
    assert_null(rr_json_member(r, "b"));
    assert_null(rr_json_member(a, "b"));
    assert_null(rr_json_member(NULL, "b"));
    struct rr_buf b = {0};
    rr_json_escape(&b, "a~/b");
    assert_string_equal(rr_buf_text(&b), "a~0~1b");
    rr_buf_done(&b);
    cJSON_Delete(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_node_knows_its_place),
        cmocka_unit_test(numbers_keep_their_text_through_a_copy),
        cmocka_unit_test(what_is_no_json_is_refused_with_its_place),
        cmocka_unit_test(nesting_ends_at_200),
        cmocka_unit_test(escapes_and_surrogates_decode),
        cmocka_unit_test(a_file_is_read_and_a_missing_one_is_eio),
        cmocka_unit_test(too_large_a_document_is_refused),
        cmocka_unit_test(bare_text_is_a_string),
        cmocka_unit_test(pointers_follow_rfc_6901),
        cmocka_unit_test(set_replaces_adds_removes_and_says_what_is_missing),
        cmocka_unit_test(merge_patches_follow_rfc_7396),
        cmocka_unit_test(a_failure_names_place_pointer_and_reason),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
