/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_tz.c - time zones: transitions and rules by published dates, and against the C library's own reader. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "data/base/time.h"
#include "data/base/tz.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static struct rr_arena *arena;

static const struct rr_zone *zone(const char *name)
{
    const struct rr_zone *z = NULL;
    const enum rr_status st = rr_zone_load(name, arena, &z);
    if (st == RR_EMISSING) skip();
    if (st != RR_OK) fail_msg("%s", rr_reason());
    return z;
}

static int64_t utc(const char *text)
{
    int64_t us = 0;
    if (rr_date_parse(rr_slice(text, strlen(text)), &us) != RR_OK) fail_msg("%s", rr_reason());
    return us / RR_S;
}

// Directive 2000/84/EC: the last Sundays of March and October at 01:00 UTC.
static void summer_time_in_berlin(void **state)
{
    (void)state;
    const struct rr_zone *z = zone("Europe/Berlin");
    assert_int_equal(rr_zone_offset(z, utc("2026-03-29T00:59:59Z")), 3600);
    assert_int_equal(rr_zone_offset(z, utc("2026-03-29T01:00:00Z")), 7200);
    assert_int_equal(rr_zone_offset(z, utc("2026-10-25T00:59:59Z")), 7200);
    assert_int_equal(rr_zone_offset(z, utc("2026-10-25T01:00:00Z")), 3600);
    assert_int_equal(rr_zone_next(z, utc("2026-01-01")), utc("2026-03-29T01:00:00Z"));
    assert_int_equal(rr_zone_next(z, utc("2026-03-29T01:00:00Z")), utc("2026-10-25T01:00:00Z"));
    // the day of 25 October 2026 in Berlin has 25 hours, that of 29 March 23
    assert_int_equal((utc("2026-10-26T00:00:00Z") - 3600) - (utc("2026-10-25T00:00:00Z") - 7200), 25 * 3600);
    // behind the last transition of any file: the rule of the footer
    assert_int_equal(rr_zone_offset(z, utc("2061-03-27T00:59:59Z")), 3600); // Sunday
    assert_int_equal(rr_zone_offset(z, utc("2061-03-27T01:00:00Z")), 7200);
    assert_int_equal(rr_zone_next(z, utc("2061-12-31T23:30:00Z")), utc("2062-03-26T01:00:00Z"));
}

static void other_zones(void **state)
{
    (void)state;
    const struct rr_zone *ny = zone("America/New_York"), *india = zone("Asia/Kolkata"), *sydney = zone("Australia/Sydney");
    assert_int_equal(rr_zone_offset(ny, utc("2026-03-08T06:59:59Z")), -5 * 3600); // second Sunday of March, 02:00 local
    assert_int_equal(rr_zone_offset(ny, utc("2026-03-08T07:00:00Z")), -4 * 3600);
    assert_int_equal(rr_zone_offset(india, utc("2026-07-01")), 5 * 3600 + 1800);
    assert_true(rr_zone_next(india, utc("2026-07-01")) == INT64_MAX);
    assert_int_equal(rr_zone_offset(sydney, utc("2050-01-15")), 11 * 3600); // summer over the new year
    assert_int_equal(rr_zone_offset(sydney, utc("2050-07-15")), 10 * 3600);
    const struct rr_zone *u = zone("UTC");
    assert_int_equal(rr_zone_offset(u, utc("2026-07-01")), 0);
    assert_true(rr_zone_next(u, 0) == INT64_MAX);
}

// The C library reads the same files with a reader of its own.
static void as_the_c_library_has_it(void **state)
{
    (void)state;
    static const char *const names[] = {"Europe/Berlin",     "America/New_York",  "Asia/Kolkata", "Australia/Lord_Howe",
                                        "America/Sao_Paulo", "Africa/Casablanca", "Asia/Tehran",  "Europe/Dublin",
                                        "Pacific/Apia",      "Asia/Gaza"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        const struct rr_zone *z = zone(names[k]);
        setenv("TZ", names[k], 1);
        tzset();
        for (int64_t t = utc("1975-01-01"); t < utc("2110-01-01"); t += 40003) {
            const time_t at = (time_t)t;
            struct tm tm;
            localtime_r(&at, &tm);
            if (tm.tm_gmtoff != rr_zone_offset(z, t)) fail_msg("%s at %lld: %ld", names[k], (long long)t, tm.tm_gmtoff);
        }
    }
    unsetenv("TZ");
    tzset();
}

static void names_and_files_that_are_wrong(void **state)
{
    (void)state;
    static const char *const wrong[] = {"Europe/Berln",        "",        "../../../etc/passwd", "/etc/passwd", "Europe",
                                        "Europe/Ber\xc3\xbcn", "zone.tab"};
    zone("Europe/Berlin");
    const struct rr_zone *z = NULL;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) assert_int_equal(rr_zone_load(wrong[i], arena, &z), RR_EINPUT);
    static unsigned char bytes[1 << 16];
    FILE *f = fopen("/usr/share/zoneinfo/Europe/Berlin", "rb");
    assert_non_null(f);
    const size_t n = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    assert_int_equal(rr_zone_parse("Berlin", bytes, n, arena, &z), RR_OK);
    for (size_t cut = 0; cut < n; cut++) { // behind a heap block of its own, so that the sanitizer sees a read too far
        unsigned char *copy = malloc(cut + 1);
        memcpy(copy, bytes, cut);
        assert_int_equal(rr_zone_parse("Berlin", copy, cut, arena, &z), RR_EINPUT);
        free(copy);
    }
    bytes[n - 2] = '?'; // "...M10.5.0/?"
    assert_int_equal(rr_zone_parse("Berlin", bytes, n, arena, &z), RR_EINPUT);
}

static int setup(void **state) { return (void)state, arena = rr_arena_create(), 0; }
static int teardown(void **state) { return (void)state, rr_arena_free(arena), 0; }

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(summer_time_in_berlin),
        cmocka_unit_test(other_zones),
        cmocka_unit_test(as_the_c_library_has_it),
        cmocka_unit_test(names_and_files_that_are_wrong),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
