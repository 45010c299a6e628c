/* SPDX-License-Identifier: MIT
 * data/base/tz.h - time zones by name, from the TZif files of the system (RFC 9636).
 *
 * A zone is what the clock on the wall shows beside UTC, and when that changes: the transitions of the file, and behind the last one the rule in its
 * footer. TZ and the locale are never read; "UTC" needs no file. Seconds are those since 1970-01-01T00:00:00Z, without leap seconds. */
#ifndef RR_BASE_TZ_H
#define RR_BASE_TZ_H
#include "data/base/arena.h"
#include "data/base/status.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A day of the year on which the rule's offset changes, and the local time of that day, -167 h .. 167 h. */
struct rr_zone_day {
    enum { RR_ZONE_MONTH, RR_ZONE_JULIAN, RR_ZONE_ZERO } kind; /* Mm.w.d: week 5 is the last; Jn: 1..365, never 29 February; n: 0..365 */
    int month, week, day;
    int32_t time_s;
};
struct rr_zone {
    const char *name;
    size_t n;                /* transitions */
    const int64_t *at_s;     /* [n] ascending */
    const int32_t *offset_s; /* [n + 1] east of UTC: before the first, from at_s[0] on, ... */
    bool has_rule, has_dst;  /* the footer holds from the last transition on */
    int32_t standard_s, dst_s;
    struct rr_zone_day start, end; /* of daylight saving */
};

/* "Europe/Berlin" from /usr/share/zoneinfo. RR_EINPUT: no such zone, or a broken file; RR_EMISSING: the system has no zones. */
RR_CHECKED enum rr_status rr_zone_load(const char *name, struct rr_arena *a, const struct rr_zone **ret);
/* The same from the bytes of a file. */
RR_CHECKED enum rr_status rr_zone_parse(const char *name, const unsigned char *bytes, size_t n, struct rr_arena *a,
                                        const struct rr_zone **ret);
int32_t rr_zone_offset(const struct rr_zone *z, int64_t epoch_s); /* local time - UTC, seconds */
/* The first change of the offset after epoch_s; INT64_MAX when there is none. The offset may turn out to be the same. */
int64_t rr_zone_next(const struct rr_zone *z, int64_t epoch_s);
#endif
