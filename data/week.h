/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/week.h - numbers that hold at certain times of the week: the fields of RR_P_WEEK and RR_P_ZONE rows.
 *
 *     [{"days": "Mon-Fri", "from": "09:00", "to": "18:00", "nodes": 8}, {"days": "Sat,Sun", "nodes": 2}]
 *
 * Days: names of three letters, ranges and lists of them; all when absent. Without times the whole day; a `to` at or before `from` lies on the
 * following day. Of several windows the first one holds. Times are those of a clock on the wall: seconds since Monday 00:00. */
#ifndef RR_DATA_WEEK_H
#define RR_DATA_WEEK_H
#include "data/base/json.h"

#define RR_WEEK_S INT64_C(604800)

struct rr_week_window {
    unsigned days;        /* bit 0 is Monday */
    int32_t from_s, to_s; /* of the day, 0 .. 86400 */
    int64_t nodes;
};
struct rr_week {
    const cJSON *json; /* first: as written */
    size_t n;
    struct rr_week_window *window;
};
/* What holds at week_s, 0 <= week_s < RR_WEEK_S; `otherwise` outside all windows. */
int64_t rr_week_at(const struct rr_week *w, int64_t week_s, int64_t otherwise);
/* The text forms above, all days and the whole day for NULL; `nodes` is left alone. RR_EINPUT with what would be right. */
RR_CHECKED enum rr_status rr_week_window_read(const char *days, const char *from, const char *to, struct rr_week_window *w);
/* Seconds until a window begins or ends next, > 0. */
int64_t rr_week_until(const struct rr_week *w, int64_t week_s);
#endif
