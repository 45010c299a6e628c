/* SPDX-License-Identifier: MIT
 * data/base/time.c - civil dates, calendar steps, month and hour grids.
 *
 * The two day algorithms count years from 1 March of year 0 in eras of 400 years (146,097 days), so that the leap day comes
 * last: Howard Hinnant, "chrono-compatible low-level date algorithms", days_from_civil and civil_from_days. */
#include "data/base/time.h"
#include <assert.h>
#include <stdio.h>

static int64_t floor_div(int64_t a, int64_t b) // b > 0
{
    return a / b - (a % b < 0);
}

static int64_t floor_mod(int64_t a, int64_t b) // b > 0
{
    const int64_t r = a % b;
    return r < 0 ? r + b : r;
}

int64_t rr_days_from_civil(int64_t year, int month, int day)
{
    const int64_t y = year - (month <= 2);
    const int64_t era = floor_div(y, 400);
    const int64_t year_of_era = y - era * 400;                                // [0, 399]
    const int64_t day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1; // [0, 365], from 1 March
    return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719468;
}

struct rr_civil rr_civil_of(int64_t epoch_us)
{
    const int64_t days = floor_div(epoch_us, RR_D), z = days + 719468;
    const int64_t us = floor_mod(epoch_us, RR_D);
    const int64_t era = floor_div(z, 146097), doe = z - era * 146097;
    const int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
    const int64_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    const int mp = (int)((5 * doy + 2) / 153), month = mp < 10 ? mp + 3 : mp - 9;
    return (struct rr_civil){.year = yoe + era * 400 + (month <= 2),
                             .month = month,
                             .day = (int)(doy - (153 * mp + 2) / 5 + 1),
                             .hour = (int)(us / RR_H),
                             .minute = (int)(us / RR_MIN % 60),
                             .second = (int)(us / RR_S % 60),
                             .us = (int)(us % RR_S)};
}

int64_t rr_epoch_of(struct rr_civil c)
{
    const int64_t seconds = ((int64_t)c.hour * 60 + c.minute) * 60 + c.second;
    return rr_days_from_civil(c.year, c.month, c.day) * RR_D + seconds * RR_S + c.us;
}

static bool leap(int64_t year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

static int days_in(int64_t year, int month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return month == 2 && leap(year) ? 29 : days[month - 1];
}

/* Takes exactly n digits from the front. */
static bool take_digits(struct rr_slice *s, size_t n, int *ret)
{
    int v = 0;
    if (s->n < n) return false;
    for (size_t i = 0; i < n; i++) {
        if (s->at[i] < '0' || s->at[i] > '9') return false;
        v = v * 10 + (s->at[i] - '0');
    }
    *s = rr_slice(s->at + n, s->n - n);
    *ret = v;
    return true;
}

static bool take_char(struct rr_slice *s, char c)
{
    if (s->n == 0 || s->at[0] != c) return false;
    *s = rr_slice(s->at + 1, s->n - 1);
    return true;
}

/* ".123456789": microseconds, what is finer is cut off. */
static bool take_fraction(struct rr_slice *s, int *ret_us)
{
    int us = 0, unit = 100000, digit;
    if (!take_char(s, '.')) return true;
    if (!take_digits(s, 1, &digit)) return false;
    do {
        us += digit * unit;
        unit /= 10;
    } while (take_digits(s, 1, &digit));
    *ret_us = us;
    return true;
}

/* "08:30", "08:30:00", "08:30:00.25" */
static bool take_clock(struct rr_slice *s, struct rr_civil *c)
{
    if (!take_digits(s, 2, &c->hour) || !take_char(s, ':') || !take_digits(s, 2, &c->minute)) return false;
    if (take_char(s, ':') && !(take_digits(s, 2, &c->second) && take_fraction(s, &c->us))) return false;
    return c->hour < 24 && c->minute < 60 && c->second < 60;
}

/* "Z", "+08:00", "-0530": minutes east of UTC. */
static bool take_zone(struct rr_slice *s, int *ret_min)
{
    int hours, minutes;
    if (take_char(s, 'Z')) {
        *ret_min = 0;
        return true;
    }
    const bool west = take_char(s, '-');
    if (!west && !take_char(s, '+')) return false;
    if (!take_digits(s, 2, &hours)) return false;
    take_char(s, ':');
    if (!take_digits(s, 2, &minutes) || hours > 23 || minutes > 59) return false;
    *ret_min = (west ? -1 : 1) * (hours * 60 + minutes);
    return true;
}

static enum rr_status bad_date(struct rr_slice s, const char *why)
{
    const int shown = (int)(s.n < 40 ? s.n : 40);
    return rr_fail(RR_EINPUT, "\"%.*s\" %s: write \"2026-01-31\" or \"2026-01-31T08:30:00Z\"", shown, s.at ? s.at : "", why);
}

enum rr_status rr_date_parse(struct rr_slice s, int64_t *ret_epoch_us)
{
    struct rr_slice rest = s;
    struct rr_civil c = {0};
    int year, zone = 0;
    const bool shaped = take_digits(&rest, 4, &year) && take_char(&rest, '-') && take_digits(&rest, 2, &c.month) && take_char(&rest, '-') &&
                        take_digits(&rest, 2, &c.day);
    if (!shaped) return bad_date(s, "is not a date");
    c.year = year;
    if (c.month < 1 || c.month > 12 || c.day < 1 || c.day > days_in(c.year, c.month)) return bad_date(s, "is not in the calendar");
    if (rest.n > 0) {
        if (!take_char(&rest, 'T') && !take_char(&rest, ' ')) return bad_date(s, "is not a date");
        if (!take_clock(&rest, &c)) return bad_date(s, "has no time of day in it");
        if (rest.n == 0) return bad_date(s, "has no time zone");
        if (!take_zone(&rest, &zone) || rest.n > 0) return bad_date(s, "has no time zone that can be read");
    }
    *ret_epoch_us = rr_epoch_of(c) - zone * RR_MIN;
    return RR_OK;
}

void rr_buf_date(struct rr_buf *b, int64_t epoch_us)
{
    const struct rr_civil c = rr_civil_of(epoch_us);
    rr_buf_putf(b, "%04lld-%02d-%02d", (long long)c.year, c.month, c.day);
    if (floor_mod(epoch_us, RR_D) == 0) return;
    rr_buf_putf(b, "T%02d:%02d:%02d", c.hour, c.minute, c.second);
    if (c.us) {
        int us = c.us, places = 6;
        for (; us % 10 == 0; places--) us /= 10;
        rr_buf_putf(b, ".%0*d", places, us);
    }
    rr_buf_puts(b, "Z");
}

static enum rr_status epoch_at(const struct rr_clock *c, int64_t t_us, int64_t *ret)
{
    if (!c->anchored)
        return rr_fail(RR_EINPUT, "months and years need a date to count from: give the scenario a \"start\", such as \"2026-01-01\"");
    if (__builtin_add_overflow(c->start_us, t_us, ret)) return rr_fail(RR_EINPUT, "a date is past the calendar (year 294,000)");
    return RR_OK;
}

/* The epoch time `months` after `epoch`; the day is cut to the length of the month. */
static enum rr_status months_after(int64_t epoch, int64_t months, int64_t *ret)
{
    struct rr_civil c = rr_civil_of(epoch);
    int64_t index;
    if (__builtin_add_overflow(c.year * 12 + c.month - 1, months, &index) || index > 290000 * INT64_C(12) || index < -290000 * INT64_C(12))
        return rr_fail(RR_EINPUT, "%lld months reach past the calendar (year 290,000)", (long long)months);
    c.year = floor_div(index, 12);
    c.month = (int)(index - c.year * 12) + 1;
    if (c.day > days_in(c.year, c.month)) c.day = days_in(c.year, c.month);
    *ret = rr_epoch_of(c);
    return RR_OK;
}

enum rr_status rr_time_add(const struct rr_clock *c, int64_t t_us, struct rr_duration d, int64_t *ret_us)
{
    int64_t t = t_us;
    if (d.months != 0) {
        int64_t epoch;
        RR_TRY(epoch_at(c, t_us, &epoch));
        RR_TRY(months_after(epoch, d.months, &epoch));
        if (__builtin_sub_overflow(epoch, c->start_us, &t))
            return rr_fail(RR_EINPUT, "%lld months reach past the calendar", (long long)d.months);
    }
    if (__builtin_add_overflow(t, d.us, &t)) return rr_fail(RR_EINPUT, "a time is past 292,000 years");
    *ret_us = t;
    return RR_OK;
}

/* Start of the month that lies `months` after t's. */
static enum rr_status month_grid(const struct rr_clock *c, int64_t t_us, int64_t months, int64_t *ret_us)
{
    int64_t epoch;
    RR_TRY(epoch_at(c, t_us, &epoch));
    const struct rr_civil now = rr_civil_of(epoch);
    RR_TRY(months_after(rr_days_from_civil(now.year, now.month, 1) * RR_D, months, &epoch));
    if (__builtin_sub_overflow(epoch, c->start_us, ret_us)) return rr_fail(RR_EINPUT, "a date is past the calendar (year 290,000)");
    return RR_OK;
}

enum rr_status rr_month_start(const struct rr_clock *c, int64_t t_us, int64_t *ret_us) { return month_grid(c, t_us, 0, ret_us); }
enum rr_status rr_month_next(const struct rr_clock *c, int64_t t_us, int64_t *ret_us) { return month_grid(c, t_us, 1, ret_us); }

int64_t rr_hour_start(const struct rr_clock *c, int64_t t_us)
{
    const int64_t offset = c->anchored ? floor_mod(c->start_us, RR_H) : 0; // of 0 into its hour
    return t_us - (floor_mod(t_us, RR_H) + offset) % RR_H;
}

char *rr_month_name(const struct rr_clock *c, int64_t t_us, char buf[16])
{
    int64_t epoch;
    if (!c->anchored) {
        snprintf(buf, 16, "all");
        return buf;
    }
    if (__builtin_add_overflow(c->start_us, t_us, &epoch)) epoch = t_us < 0 ? INT64_MIN / 2 : INT64_MAX;
    const struct rr_civil civil = rr_civil_of(epoch);
    snprintf(buf, 16, "%04d-%02u", (int)civil.year, (unsigned)civil.month % 100);
    return buf;
}
