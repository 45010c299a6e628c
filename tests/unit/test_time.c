/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_time.c - the calendar against known dates, gmtime and day counting; month and hour grids. */
#include "data/base/time.h"
#include "data/base/rng.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

static struct rr_slice slice(const char *s) { return rr_slice(s, strlen(s)); }

static int64_t at(const char *date)
{
    int64_t us = 0;
    if (rr_date_parse(slice(date), &us) != RR_OK) fail_msg("%s", rr_reason());
    return us;
}

static struct rr_clock from(const char *date) { return (struct rr_clock){.anchored = true, .start_us = at(date)}; }

/* "date" of the simulated time t; the caller's buffer. */
static const char *date_of(const struct rr_clock *c, int64_t t, char text[40])
{
    struct rr_buf b = {0};
    rr_buf_date(&b, c->start_us + t);
    assert_true(b.n < 40);
    memcpy(text, rr_buf_text(&b), b.n + 1);
    rr_buf_done(&b);
    return text;
}

static void known_days(void **state)
{
    (void)state;
    assert_int_equal(rr_days_from_civil(1970, 1, 1), 0);
    assert_int_equal(rr_days_from_civil(1969, 12, 31), -1);
    assert_int_equal(rr_days_from_civil(2000, 3, 1), 11017);
    assert_int_equal(rr_days_from_civil(2026, 1, 1), 20454);
    assert_int_equal(rr_days_from_civil(0, 3, 1), -719468);                                // Hinnant's own figure
    assert_int_equal(rr_days_from_civil(1900, 3, 1) - rr_days_from_civil(1900, 2, 28), 1); // no leap year
    assert_int_equal(rr_days_from_civil(2000, 3, 1) - rr_days_from_civil(2000, 2, 28), 2);
    assert_int_equal(rr_days_from_civil(2024, 3, 1) - rr_days_from_civil(2024, 2, 28), 2);
    assert_int_equal(rr_days_from_civil(2026, 3, 1) - rr_days_from_civil(2026, 2, 28), 1);
    assert_int_equal(rr_days_from_civil(2401, 1, 1) - rr_days_from_civil(2001, 1, 1), 146097);
    assert_int_equal(at("2001-09-09T01:46:40Z"), INT64_C(1000000000000000)); // the billennium
    assert_int_equal(at("2038-01-19T03:14:07Z"), INT64_C(2147483647000000));
}

static void civil_is_gmtime(void **state)
{
    (void)state;
    struct rr_rng r;
    rr_rng_init(&r, 22, 0, RR_RNG_TEST, 0);
    for (int i = 0; i < 100000; i++) {
        const int64_t seconds = (int64_t)rr_rng_below(&r, 2 * INT64_C(4000000000000)) - INT64_C(4000000000000); // 125,000 years each way
        const struct rr_civil c = rr_civil_of(seconds * RR_S + 7);
        const time_t t = (time_t)seconds;
        struct tm tm;
        assert_non_null(gmtime_r(&t, &tm));
        assert_int_equal(c.year, tm.tm_year + INT64_C(1900));
        assert_int_equal(c.month, tm.tm_mon + 1);
        assert_int_equal(c.day, tm.tm_mday);
        assert_int_equal(c.hour, tm.tm_hour);
        assert_int_equal(c.minute, tm.tm_min);
        assert_int_equal(c.second, tm.tm_sec);
        assert_int_equal(c.us, 7);
        assert_int_equal(rr_epoch_of(c), seconds * RR_S + 7);
    }
    const int64_t ends[] = {INT64_MIN, INT64_MAX, -1, 0};
    for (int i = 0; i < 4; i++) {
        const struct rr_civil c = rr_civil_of(ends[i]);
        assert_true(c.month >= 1 && c.month <= 12 && c.day >= 1 && c.day <= 31 && c.hour >= 0 && c.hour < 24 && c.us >= 0);
    }
}

static void dates_are_read(void **state)
{
    (void)state;
    assert_int_equal(at("2026-01-01"), 20454 * RR_D);
    assert_int_equal(at("2026-01-01T08:30:00Z"), 20454 * RR_D + 510 * RR_MIN);
    assert_int_equal(at("2026-01-01T08:30:00+08:00"), 20454 * RR_D + 30 * RR_MIN);
    assert_int_equal(at("2026-01-01T00:30:00-05:30"), 20454 * RR_D + 6 * RR_H);
    assert_int_equal(at("2026-01-01 08:30Z"), 20454 * RR_D + 510 * RR_MIN);
    assert_int_equal(at("2026-01-01T08:30:00.0250019Z"), 20454 * RR_D + 510 * RR_MIN + 25001);
    assert_int_equal(at("1969-12-31T23:59:59.999999Z"), -1);
    assert_int_equal(at("2024-02-29"), at("2024-03-01") - RR_D);
    static const struct {
        const char *text, *why;
    } bad[] = {{"2025-02-29", "calendar"},
               {"1900-02-29", "calendar"},
               {"2026-13-01", "calendar"},
               {"2026-00-01", "calendar"},
               {"2026-04-31", "calendar"},
               {"2026-01-00", "calendar"},
               {"2026-1-1", "not a date"},
               {"26-01-01", "not a date"},
               {"2026/01/01", "not a date"},
               {"", "not a date"},
               {"tomorrow", "not a date"},
               {"2026-01-01x", "not a date"},
               {"2026-01-01T24:00:00Z", "time of day"},
               {"2026-01-01T08:60Z", "time of day"},
               {"2026-06-30T23:59:60Z", "time of day"},
               {"2026-01-01T8:30Z", "time of day"},
               {"2026-01-01T08:30:00.Z", "time of day"},
               {"2026-01-01T08:30:00", "no time zone"},
               {"2026-01-01T08:30:00 CET", "no time zone"},
               {"2026-01-01T08:30:00+8", "no time zone"},
               {"2026-01-01T08:30:00+25:00", "no time zone"},
               {"2026-01-01T08:30:00Zulu", "no time zone"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        int64_t us = -77;
        assert_int_equal(rr_date_parse(slice(bad[i].text), &us), RR_EINPUT);
        if (!strstr(rr_reason(), bad[i].why)) fail_msg("%s", rr_reason());
        assert_int_equal(us, -77);
    }
}

static void dates_are_printed(void **state)
{
    (void)state;
    static const char *const dates[] = {"2026-01-01", "2026-01-01T08:30:00Z", "1969-12-31T23:59:59.999999Z", "0000-02-29",
                                        "2024-02-29T00:00:00.25Z"};
    const struct rr_clock epoch = {.anchored = true};
    char text[40];
    for (size_t i = 0; i < sizeof dates / sizeof *dates; i++) assert_string_equal(date_of(&epoch, at(dates[i]), text), dates[i]);
}

static void check_add(const char *start, int64_t months, const char *want)
{
    const struct rr_clock c = from(start);
    int64_t t = -77;
    char text[40];
    assert_int_equal(rr_time_add(&c, 0, (struct rr_duration){months, 0}, &t), RR_OK);
    assert_string_equal(date_of(&c, t, text), want);
}

static void months_cut_the_day(void **state)
{
    (void)state;
    static const char *const ends[] = {"2026-01-31", "2026-02-28", "2026-03-31", "2026-04-30", "2026-05-31", "2026-06-30", "2026-07-31",
                                       "2026-08-31", "2026-09-30", "2026-10-31", "2026-11-30", "2026-12-31", "2027-01-31"};
    for (int n = 0; n <= 12; n++) check_add("2026-01-31", n, ends[n]);
    check_add("2024-01-31", 1, "2024-02-29");
    check_add("2024-02-29", 12, "2025-02-28");
    check_add("2024-02-29", 48, "2028-02-29");
    check_add("2096-02-29", 48, "2100-02-28");
    check_add("2026-01-31", -2, "2025-11-30");
    check_add("2026-03-31", -13, "2025-02-28");
    check_add("1970-01-15T12:00:00Z", -1, "1969-12-15T12:00:00Z");
    check_add("2026-12-15", 1, "2027-01-15");
}

static void durations_are_added(void **state)
{
    (void)state;
    const struct rr_clock c = from("2026-01-31T23:00:00Z"), loose = {0};
    int64_t t = -77;
    char text[40];
    // the months first, then the microseconds: 28 February 23:00, and 2 h
    assert_int_equal(rr_time_add(&c, 0, (struct rr_duration){1, 2 * RR_H}, &t), RR_OK);
    assert_string_equal(date_of(&c, t, text), "2026-03-01T01:00:00Z");
    assert_int_equal(rr_time_add(&loose, 5, (struct rr_duration){0, 7}, &t), RR_OK);
    assert_int_equal(t, 12);
    t = -77;
    assert_int_equal(rr_time_add(&loose, 5, (struct rr_duration){1, 7}, &t), RR_EINPUT);
    assert_non_null(strstr(rr_reason(), "\"start\""));
    assert_int_equal(rr_time_add(&c, RR_NEVER, (struct rr_duration){1, 0}, &t), RR_EINPUT);
    assert_int_equal(rr_time_add(&c, RR_NEVER, (struct rr_duration){0, 1}, &t), RR_EINPUT);
    assert_int_equal(rr_time_add(&c, 0, (struct rr_duration){INT64_MAX, 0}, &t), RR_EINPUT);
    assert_int_equal(rr_time_add(&c, 0, (struct rr_duration){290000 * INT64_C(12), 0}, &t), RR_EINPUT);
    assert_int_equal(t, -77);
}

static void months_are_a_grid(void **state)
{
    (void)state;
    const struct rr_clock c = from("2024-01-15T06:00:00Z");
    int64_t start, next;
    char text[40], name[16];
    static const char *const firsts[] = {"2024-01-01", "2024-02-01", "2024-03-01", "2024-04-01"};
    int64_t t = 0;
    for (int i = 0; i < 3; i++, t = next) {
        assert_int_equal(rr_month_start(&c, t, &start), RR_OK);
        assert_int_equal(rr_month_next(&c, t, &next), RR_OK);
        assert_string_equal(date_of(&c, start, text), firsts[i]);
        assert_string_equal(date_of(&c, next, text), firsts[i + 1]);
        assert_true(start <= t && t < next);
    }
    // the last microsecond of December and the first of January
    const int64_t new_year = at("2025-01-01") - c.start_us;
    assert_string_equal(rr_month_name(&c, new_year - 1, name), "2024-12");
    assert_string_equal(rr_month_name(&c, new_year, name), "2025-01");
    assert_int_equal(rr_month_next(&c, new_year - 1, &next), RR_OK);
    assert_int_equal(next, new_year);
    assert_int_equal(rr_month_next(&c, new_year, &next), RR_OK);
    assert_int_equal(next, new_year + 31 * RR_D);
    const struct rr_clock loose = {0};
    assert_int_equal(rr_month_start(&loose, 0, &start), RR_EINPUT);
    assert_int_equal(rr_month_next(&loose, 0, &start), RR_EINPUT);
    assert_int_equal(rr_month_next(&c, RR_NEVER, &start), RR_EINPUT);
    assert_string_equal(rr_month_name(&loose, 0, name), "all");
    assert_true(strlen(rr_month_name(&c, RR_NEVER, name)) < 16);
}

static void hours_are_clock_hours(void **state)
{
    (void)state;
    const struct rr_clock half = from("2026-01-01T00:30:00Z"), loose = {0}, before = from("1969-12-31T23:59:59.5Z");
    assert_int_equal(rr_hour_start(&half, 0), -30 * RR_MIN);
    assert_int_equal(rr_hour_start(&half, 30 * RR_MIN - 1), -30 * RR_MIN);
    assert_int_equal(rr_hour_start(&half, 30 * RR_MIN), 30 * RR_MIN);
    assert_int_equal(rr_hour_start(&half, -31 * RR_MIN), -90 * RR_MIN);
    assert_int_equal(rr_hour_start(&loose, 0), 0);
    assert_int_equal(rr_hour_start(&loose, RR_H - 1), 0);
    assert_int_equal(rr_hour_start(&loose, RR_H), RR_H);
    assert_int_equal(rr_hour_start(&loose, -1), -RR_H);
    assert_int_equal(rr_hour_start(&before, 0), 500 * RR_MS - RR_H);
    assert_int_equal(rr_hour_start(&before, 500 * RR_MS), 500 * RR_MS);
}

static void the_time_zone_is_not_read(void **state)
{
    (void)state;
    const int64_t utc = at("2026-07-01T08:30:00Z");
    setenv("TZ", "Asia/Shanghai", 1);
    tzset();
    const int64_t there = at("2026-07-01T08:30:00Z");
    const int hour = rr_civil_of(utc).hour;
    unsetenv("TZ");
    tzset();
    assert_int_equal(there, utc);
    assert_int_equal(hour, 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_days),        cmocka_unit_test(civil_is_gmtime),       cmocka_unit_test(dates_are_read),
        cmocka_unit_test(dates_are_printed), cmocka_unit_test(months_cut_the_day),    cmocka_unit_test(durations_are_added),
        cmocka_unit_test(months_are_a_grid), cmocka_unit_test(hours_are_clock_hours), cmocka_unit_test(the_time_zone_is_not_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
