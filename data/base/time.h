/* SPDX-License-Identifier: MIT
 * data/base/time.h - simulated time, and the calendar that it is anchored to.
 *
 * Simulated time is int64 microseconds from the scenario's start. The calendar is proleptic Gregorian, UTC, without leap
 * seconds (days from civil: Howard Hinnant, "chrono-compatible low-level date algorithms"). TZ and the locale are never read. */
#ifndef RR_BASE_TIME_H
#define RR_BASE_TIME_H
#include "data/base/units.h"
#include <stdbool.h>

#define RR_US      INT64_C(1)
#define RR_MS      INT64_C(1000)
#define RR_S       INT64_C(1000000)
#define RR_MIN     (60 * RR_S)
#define RR_H       (3600 * RR_S)
#define RR_D       (24 * RR_H)
#define RR_WEEK    (7 * RR_D)
#define RR_YEAR_US (INT64_C(31557600) * RR_S) /* 365.25 days: rates per year in statistics, never a date */
#define RR_NEVER   INT64_MAX

struct rr_civil {
    int64_t year;
    int month, day, hour, minute, second; /* month 1..12, day 1..31 */
    int us;
};

/* Where 0 lies. A scenario without `start` has no anchor: what needs a calendar is refused with RR_EINPUT. */
struct rr_clock {
    bool anchored;
    int64_t start_us; /* microseconds since 1970-01-01T00:00:00Z */
};

int64_t rr_days_from_civil(int64_t year, int month, int day); /* days since 1970-01-01 */
struct rr_civil rr_civil_of(int64_t epoch_us);
int64_t rr_epoch_of(struct rr_civil c);
/* "2026-01-01", "2026-01-01T08:30:00Z", also with a fraction and "+08:00". RR_EINPUT for 2025-02-29 and for a time without a zone. */
RR_CHECKED enum rr_status rr_date_parse(struct rr_slice s, int64_t *ret_epoch_us);
void rr_buf_date(struct rr_buf *b, int64_t epoch_us); /* "2026-01-01", with "T08:30:00Z" when not midnight */

/* Calendar steps on simulated time. A month from 31 January is the last of February: the day is cut, never carried over, and
 * n months are counted from `t` at once, so that 31 Jan + 2 months is 31 March. */
RR_CHECKED enum rr_status rr_time_add(const struct rr_clock *c, int64_t t_us, struct rr_duration d, int64_t *ret_us);
RR_CHECKED enum rr_status rr_month_start(const struct rr_clock *c, int64_t t_us, int64_t *ret_us); /* start of t's month, <= t */
RR_CHECKED enum rr_status rr_month_next(const struct rr_clock *c, int64_t t_us, int64_t *ret_us);  /* start of the following month, > t */
int64_t rr_hour_start(const struct rr_clock *c,
                      int64_t t_us); /* of t's UTC clock hour (of t's hour from 0 when not anchored); floor, also below 0 */
/* "2026-03" of the month that t lies in; "all" when not anchored. buf of 16. */
char *rr_month_name(const struct rr_clock *c, int64_t t_us, char buf[16]);
#endif
