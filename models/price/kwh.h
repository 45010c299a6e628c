/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/price/kwh.h - electricity prices by hour of the day, day of the week and season, on the clock of the site.
 *
 *     "timezone": "America/Chicago",
 *     "tariff": [{"months": "Jun-Sep", "days": "Mon-Fri", "from": "14:00", "to": "20:00", "rate": "$0.21/kWh"}, {"rate": "$0.06/kWh"}]
 *
 * Of several windows the first one holds; every minute of the week in every month must have one. Times are those of the clock on the wall:
 * the day on which it is set back has 25 hours, the one on which it is set forward 23. */
#ifndef RR_MODELS_PRICE_KWH_H
#define RR_MODELS_PRICE_KWH_H
#include "data/base/tz.h"
#include "data/week.h"
#include "models/price/usage.h"

extern const struct rr_param_table rr_kwh_rows;
struct rr_kwh {
    const struct rr_zone *zone;
    size_t n; /* rates */
    int64_t *nano;
    struct rr_week month[12]; /* windows of a month; their `nodes` is the index of the rate */
};
/* `zone` NULL: UTC. RR_EINPUT naming the first hour that no window covers. */
RR_CHECKED enum rr_status rr_kwh_make(const struct rr_records *windows, const struct rr_zone *zone, const struct rr_scenario *s,
                                      struct rr_arena *a, struct rr_kwh *ret);
/* The rate that holds at an instant, and until when at least (> epoch_us). */
size_t rr_kwh_at(const struct rr_kwh *t, int64_t epoch_us, int64_t *until_us);
#endif
