/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_text.c - numbers, escapes, suggestions, file names. The reference for numbers is strtod and 128-bit arithmetic. */
#include "data/base/text.h"
#include "data/base/rng.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct rr_slice slice(const char *s) { return rr_slice(s, strlen(s)); }

static void slices_are_compared_and_trimmed(void **state)
{
    (void)state;
    assert_true(rr_slice_is(slice("gpus"), "gpus"));
    assert_false(rr_slice_is(slice("gpu"), "gpus"));
    assert_false(rr_slice_is(slice("GPUS"), "gpus"));
    assert_true(rr_slice_is((struct rr_slice){NULL, 0}, ""));
    assert_true(rr_slice_is_nocase(slice("GpUs"), "gPuS"));
    assert_false(rr_slice_is_nocase(slice("gpus"), "gpus2"));
    assert_false(rr_slice_is_nocase(slice("gpus2"), "gpus"));
    assert_true(rr_slice_is(rr_trim(slice(" \t a b \t")), "a b"));
    assert_int_equal(rr_trim(slice(" \t ")).n, 0);
}

static void integers_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t value;
    } good[] = {{"0", 0},
                {"-0", 0},
                {"8", 8},
                {"007", 7},
                {"-2385", -2385},
                {"1e3", 1000},
                {"2.50e2", 250},
                {"3.000", 3},
                {"17.", 17},
                {"123456789012345678", 123456789012345678},
                {"9223372036854775807", INT64_MAX},
                {"-9223372036854775808", INT64_MIN},
                {"00000000000000000000000000000000000000000000000042", 42},
                {"92233720368547758070000000000e-10", INT64_MAX},
                {"0e999999999999", 0}};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        int64_t v = 1;
        assert_int_equal(rr_text_i64(slice(good[i].text), &v), RR_OK);
        if (v != good[i].value) fail_msg("%s read as %" PRId64, good[i].text, v);
    }
    static const struct {
        const char *text, *why;
    } bad[] = {{"", "empty"},
               {"-", "not a number"},
               {".", "not a number"},
               {"abc", "not a number"},
               {"+5", "not a number"},
               {"5 ", "not a number"},
               {" 5", "not a number"},
               {"0x10", "not a number"},
               {"nan", "not a number"},
               {"inf", "not a number"},
               {"1e", "not a number"},
               {"1e+", "not a number"},
               {"1.2.3", "not a number"},
               {"1,000", "not a number"},
               {"--5", "not a number"},
               {"9223372036854775808", "too large"},
               {"-9223372036854775809", "too large"},
               {"1e300", "too large"},
               {"1e19", "too large"},
               {"2.5", "whole number"},
               {"1e-3", "whole number"},
               {"1e-300", "whole number"},
               {"0.00000000000000000000000000000000000000000000000001", "whole number"},
               {"1.00000000000000000000000000000000000000000000000001", "whole number"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        int64_t v = -77;
        assert_int_equal(rr_text_i64(slice(bad[i].text), &v), RR_EINPUT);
        if (!strstr(rr_reason(), bad[i].why)) fail_msg("%s: %s", bad[i].text, rr_reason());
        assert_int_equal(v, -77); // written on success alone
    }
}

static void scaled_numbers_are_exact(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int digits;
        int64_t value;
    } good[] = {{"2.385", 6, 2385000},
                {"-2.385", 6, -2385000},
                {"0.000097", 9, 97000},
                {"1e-3", 6, 1000},
                {"1.5e3", 6, 1500000000},
                {"0.0000005", 6, 0}, // half to even
                {"0.0000015", 6, 2},
                {"0.0000025", 6, 2},
                {"-0.0000015", 6, -2},
                {"0.00000250000000000000000000000000000000000000001", 6, 3}, // just above the half
                {"0.0000004999999999999999999999999999999999", 6, 0},
                {"9223372036854.775807", 6, INT64_MAX},
                {"1234567890123456789.5", 0, 1234567890123456790},
                {"123456789012345678.5", 0, 123456789012345678},
                {"1e-400", 6, 0},
                {".5", 3, 500}};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        int64_t v = 1;
        assert_int_equal(rr_text_scaled(slice(good[i].text), good[i].digits, &v), RR_OK);
        if (v != good[i].value) fail_msg("%s read as %" PRId64, good[i].text, v);
    }
    int64_t v = -77;
    assert_int_equal(rr_text_scaled(slice("9223372036854.775808"), 6, &v), RR_EINPUT);
    assert_int_equal(rr_text_scaled(slice("1e300"), 6, &v), RR_EINPUT);
    assert_int_equal(rr_text_scaled(slice("NaN"), 6, &v), RR_EINPUT);
    assert_int_equal(rr_text_scaled(slice(""), 6, &v), RR_EINPUT);
    assert_int_equal(v, -77);
}

static void times_a_factor_tells_whether_it_is_exact(void **state)
{
    (void)state;
    int64_t v = -77;
    bool exact;
    assert_int_equal(rr_text_times(slice("1.5"), 3600, &v, &exact), RR_OK);
    assert_int_equal(v, 5400);
    assert_true(exact);
    assert_int_equal(rr_text_times(slice("0.1"), 7, &v, &exact), RR_OK); // 0.7
    assert_int_equal(v, 1);
    assert_false(exact);
    assert_int_equal(rr_text_times(slice("0.3333333333333333333333333333333333333333"), 3, &v, NULL), RR_EINPUT);
    assert_int_equal(rr_text_times(slice("9e18"), 2, &v, NULL), RR_EINPUT);
    assert_int_equal(rr_text_times(slice("x"), 2, &v, NULL), RR_EINPUT);
    assert_int_equal(v, 1);
}

/* A decimal text with `digits` digits and the point anywhere, perhaps with an exponent. */
static void some_number(struct rr_rng *r, char text[80])
{
    const int digits = 1 + (int)rr_rng_below(r, 22), point = (int)rr_rng_below(r, (uint64_t)digits + 1);
    char *p = text;
    if (rr_rng_below(r, 3) == 0) *p++ = '-';
    for (int i = 0; i < digits; i++) {
        if (i == point) *p++ = '.';
        *p++ = (char)('0' + rr_rng_below(r, 10));
    }
    *p = '\0';
    if (rr_rng_below(r, 2)) sprintf(p, "e%d", (int)rr_rng_below(r, 80) - 40);
}

static void doubles_are_those_of_strtod(void **state)
{
    (void)state;
    struct rr_rng r;
    char text[80];
    rr_rng_init(&r, 20, 0, RR_RNG_TEST, 1);
    for (int i = 0; i < 200000; i++) {
        double v = NAN;
        some_number(&r, text);
        assert_int_equal(rr_text_double(slice(text), &v), RR_OK);
        const double want = strtod(text, NULL);
        if (v != want || !signbit(v) != !signbit(want)) fail_msg("%s read as %.17g", text, v);
    }
    double v;
    assert_int_equal(rr_text_double(slice("1e300"), &v), RR_OK);
    assert_true(v == 1e300);
    assert_int_equal(rr_text_double(slice("4.9406564584124654e-324"), &v), RR_OK);
    assert_true(v == 0x1p-1074);
    static const char *const bad[] = {"", "1e999", "-1e999", "nan", "inf", "0x1p3", "+1", "1 ", "1e", "e5", "-", "1_000"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) assert_int_equal(rr_text_double(slice(bad[i]), &v), RR_EINPUT);
    char many[2001] = "0.";
    memset(many + 2, '3', 1998);
    assert_int_equal(rr_text_double(slice(many), &v), RR_OK);
    assert_true(v == 1.0 / 3);
}

static void a_number_is_read_from_the_slice_alone(void **state)
{
    (void)state;
    int64_t i;
    double d;
    assert_int_equal(rr_text_i64(rr_slice("1234", 2), &i), RR_OK);
    assert_int_equal(i, 12);
    assert_int_equal(rr_text_double(rr_slice("0.12345678901234567890123", 20), &d), RR_OK);
    assert_true(d == 0.123456789012345678);
}

static void the_shortest_text_reads_back(void **state)
{
    (void)state;
    static const struct {
        double v;
        const char *text;
    } known[] = {{0, "0"},
                 {0.1, "0.1"},
                 {-2.385, "-2.385"},
                 {1e300, "1e+300"},
                 {1.0 / 3, "0.3333333333333333"},
                 {1e15, "1e+15"},
                 {123456.75, "123456.75"},
                 {1e-5, "1e-05"},
                 {999999999, "999999999"},
                 {0.30000000000000004, "0.30000000000000004"},
                 {5e-324, "4.94065645841247e-324"}};
    char text[RR_DOUBLE_MAX];
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) assert_string_equal(rr_double_text(known[i].v, text), known[i].text);
    struct rr_rng r;
    rr_rng_init(&r, 20, 0, RR_RNG_TEST, 2);
    for (int i = 0; i < 200000; i++) {
        double v;
        const uint64_t bits = rr_rng_u64(&r);
        memcpy(&v, &bits, sizeof v);
        if (i % 2) v = floor(rr_rng_uniform(&r) * 1e12) / 1e6; // what tables of times hold
        if (!isfinite(v)) continue;
        assert_true(strtod(rr_double_text(v, text), NULL) == v);
        char longer[40];
        snprintf(longer, sizeof longer, "%.*g", 15, v);
        if (strtod(longer, NULL) == v) assert_string_equal(text, longer);
    }
}

static void a_locale_changes_nothing(void **state)
{
    (void)state;
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8"};
    const char *set = NULL;
    for (size_t i = 0; i < 3 && !set; i++) set = setlocale(LC_ALL, names[i]);
    if (!set) skip();
    char text[RR_DOUBLE_MAX];
    double v = 0;
    const enum rr_status st = rr_text_double(slice("0.12345678901234567"), &v);
    rr_double_text(0.12345678901234567, text);
    setlocale(LC_ALL, "C");
    assert_int_equal(st, RR_OK);
    assert_true(v == 0.12345678901234567);
    assert_string_equal(text, "0.12345678901234568");
}

static void the_nearest_word_is_suggested(void **state)
{
    (void)state;
    static const char *const words[] = {"horizon", "workload", "pools", "pack", "spread"};
    struct rr_arena *a = rr_arena_create();
    assert_string_equal(rr_nearest("horizn", words, 5), "horizon");    // one missing
    assert_string_equal(rr_nearest("hroizon", words, 5), "horizon");   // two swapped
    assert_string_equal(rr_nearest("Workload", words, 5), "workload"); // case is no edit
    assert_string_equal(rr_nearest("pool", words, 5), "pools");
    assert_null(rr_nearest("xyz", words, 5));
    assert_null(rr_nearest("horizon-of-the-scenario", words, 5));
    assert_null(rr_nearest("", words, 5));
    char huge[200];
    memset(huge, 'h', sizeof huge - 1);
    huge[sizeof huge - 1] = '\0';
    assert_null(rr_nearest(huge, words, 5));
    assert_string_equal(rr_did_you_mean(a, "horizn", words, 5), ", did you mean \"horizon\"?");
    assert_string_equal(rr_did_you_mean(a, "xyz", words, 5), "");
    rr_arena_free(a);
}

static void texts_grow(void **state)
{
    (void)state;
    struct rr_buf b = {0};
    assert_string_equal(rr_buf_text(&b), "");
    for (int i = 0; i < 1000; i++) rr_buf_putf(&b, "%d,", i);
    assert_int_equal(b.n, 10 * 2 + 90 * 3 + 900 * 4);
    assert_int_equal(strlen(rr_buf_text(&b)), b.n);
    rr_buf_put(&b, NULL, 0);
    rr_buf_done(&b);
    assert_null(b.at);
}

static void check_escape(void (*escape)(struct rr_buf *, const char *), const char *in, const char *out)
{
    struct rr_buf b = {0};
    escape(&b, in);
    assert_string_equal(rr_buf_text(&b), out);
    rr_buf_done(&b);
}

#define BAD "\xef\xbf\xbd" // U+FFFD

static void escapes_leave_nothing_active(void **state)
{
    (void)state;
    check_escape(rr_buf_html, "<b a=\"1\" c='2'>&\n", "&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp; ");
    check_escape(rr_buf_json, "a\"b\\c\n\x01\x7fé", "\"a\\\"b\\\\c\\u000a\\u0001\\u007fé\"");
    check_escape(rr_buf_markdown, "a|b*c_[x](y)`#<i>\\", "a\\|b\\*c\\_\\[x\\](y)\\`\\#\\<i\\>\\\\");
    check_escape(rr_buf_gnuplot, "a\"b\\c`rm -rf`\nd", "a\\\"b\\\\c'rm -rf' d");
    check_escape(rr_buf_csv, "plain", "plain");
    check_escape(rr_buf_csv, "", "");
    check_escape(rr_buf_csv, "a,b", "\"a,b\"");
    check_escape(rr_buf_csv, "say \"hi\"", "\"say \"\"hi\"\"\"");
    check_escape(rr_buf_csv, "=1+1", "'=1+1");
    check_escape(rr_buf_csv, "@x,y", "\"'@x,y\"");
    check_escape(rr_buf_csv, "-2.385", "-2.385");
    check_escape(rr_buf_csv, "-2+3", "'-2+3");
    check_escape(rr_buf_csv, "+5", "'+5");
    check_escape(rr_buf_csv, "\tx", "' x");
    check_escape(rr_buf_csv, "two\r\nlines", "two  lines");
}

static void bad_utf8_is_replaced(void **state)
{
    (void)state;
    check_escape(rr_buf_html,
                 "\xff"
                 "a",
                 BAD "a");
    check_escape(rr_buf_html, "\xc0\xbc", BAD BAD);                 // an overlong <
    check_escape(rr_buf_html, "\xe0\x80\xbc", BAD BAD BAD);         // the same in three bytes
    check_escape(rr_buf_html, "\xed\xa0\x80", BAD BAD BAD);         // a surrogate
    check_escape(rr_buf_html, "\xf4\x90\x80\x80", BAD BAD BAD BAD); // above U+10FFFF
    check_escape(rr_buf_html, "x\xe2\x82", "x" BAD BAD);            // cut short
    check_escape(rr_buf_html, "\xf0\x9f\x98\x80\xe2\x82\xac", "\xf0\x9f\x98\x80\xe2\x82\xac");
}

static void undefined_numbers_are_null(void **state)
{
    (void)state;
    struct rr_buf b = {0};
    rr_buf_double(&b, NAN);
    rr_buf_puts(&b, ",");
    rr_buf_double(&b, -INFINITY);
    rr_buf_puts(&b, ",");
    rr_buf_double(&b, 2.385);
    assert_string_equal(rr_buf_text(&b), "null,null,2.385");
    rr_buf_done(&b);
}

static void file_names_are_tame(void **state)
{
    (void)state;
    struct rr_arena *a = rr_arena_create();
    assert_string_equal(rr_file_name(a, "buy-vs-rent"), "buy-vs-rent");
    assert_string_equal(rr_file_name(a, "a b/c\\d:e"), "a_b_c_d_e");
    assert_string_equal(rr_file_name(a, "../../etc/passwd"), "_._.._etc_passwd");
    assert_string_equal(rr_file_name(a, ".."), "_.");
    assert_string_equal(rr_file_name(a, "."), "_");
    assert_string_equal(rr_file_name(a, "-rf"), "_rf");
    assert_string_equal(rr_file_name(a, ""), "unnamed");
    char huge[1000];
    memset(huge, 'x', sizeof huge - 1);
    huge[sizeof huge - 1] = '\0';
    assert_int_equal(strlen(rr_file_name(a, huge)), 200);
    rr_arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slices_are_compared_and_trimmed), cmocka_unit_test(integers_are_read),
        cmocka_unit_test(scaled_numbers_are_exact),        cmocka_unit_test(times_a_factor_tells_whether_it_is_exact),
        cmocka_unit_test(doubles_are_those_of_strtod),     cmocka_unit_test(a_number_is_read_from_the_slice_alone),
        cmocka_unit_test(the_shortest_text_reads_back),    cmocka_unit_test(a_locale_changes_nothing),
        cmocka_unit_test(the_nearest_word_is_suggested),   cmocka_unit_test(texts_grow),
        cmocka_unit_test(escapes_leave_nothing_active),    cmocka_unit_test(bad_utf8_is_replaced),
        cmocka_unit_test(undefined_numbers_are_null),      cmocka_unit_test(file_names_are_tame),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
