/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/week.c - which window of the week holds. */
#include "data/week.h"

#define DAY_S 86400

static bool holds(const struct rr_week_window *w, int64_t week_s)
{
    const int64_t day = week_s / DAY_S, s = week_s % DAY_S, before = (day + 6) % 7;
    const bool today = w->days >> day & 1u, yesterday = w->days >> before & 1u;
    if (w->from_s < w->to_s) return today && s >= w->from_s && s < w->to_s;
    return (today && s >= w->from_s) || (yesterday && s < w->to_s);
}

int64_t rr_week_at(const struct rr_week *w, int64_t week_s, int64_t otherwise)
{
    for (size_t i = 0; i < w->n; i++)
        if (holds(&w->window[i], week_s)) return w->window[i].nodes;
    return otherwise;
}

// Until it is `s` on the clock again.
static int64_t until(int64_t week_s, int32_t s) { return DAY_S - ((week_s - s) % DAY_S + DAY_S) % DAY_S; }

int64_t rr_week_until(const struct rr_week *w, int64_t week_s)
{
    int64_t least = DAY_S;
    for (size_t i = 0; i < w->n; i++) {
        const int64_t from = until(week_s, w->window[i].from_s), to = until(week_s, w->window[i].to_s);
        if (from < least) least = from;
        if (to < least) least = to;
    }
    return least;
}
