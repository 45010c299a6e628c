/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/price/kwh.c - which price of electricity holds, by the clock on the wall. */
#include "models/price/kwh.h"
#include <string.h>

struct window {
    uint64_t given;
    const char *days, *from, *to, *months;
    struct rr_price rate;
};
static const struct rr_param rows[] = {
    {.name = "days",
     .type = RR_P_TEXT,
     .offset = offsetof(struct window, days),
     .help = "days it begins on, such as \"Mon-Fri\"; all when absent"},
    {.name = "from",
     .type = RR_P_TEXT,
     .offset = offsetof(struct window, from),
     .def = "\"00:00\"",
     .help = "when it begins, on the site's clock"},
    {.name = "to",
     .type = RR_P_TEXT,
     .offset = offsetof(struct window, to),
     .def = "\"24:00\"",
     .help = "when it ends; at or before \"from\": on the next day"},
    {.name = "months",
     .type = RR_P_TEXT,
     .offset = offsetof(struct window, months),
     .help = "season, such as \"Jun-Sep\" or \"Nov-Feb,Jul\"; all when absent"},
    {.name = "rate",
     .type = RR_P_RATE,
     .offset = offsetof(struct window, rate),
     .unit = "per kWh",
     .help = "price of energy in it",
     .flags = RR_PF_REQUIRED},
};
const struct rr_param_table rr_kwh_rows = {rows, sizeof rows / sizeof *rows, sizeof(struct window)};

static const char month_names[] = "JanFebMarAprMayJunJulAugSepOctNovDec", day_names[] = "MonTueWedThuFriSatSun";

static int month_of(const char *s)
{
    for (int i = 0; i < 12; i++)
        if (strncmp(s, month_names + 3 * i, 3) == 0) return i;
    return -1;
}

/* "Jun-Sep", "Nov-Feb,Jul" into 12 bits. */
static bool read_months(const char *s, unsigned *ret)
{
    for (*ret = 0;; s++) {
        const int from = month_of(s);
        int to = from;
        if (from < 0) return false;
        s += 3;
        if (*s == '-') {
            to = month_of(s + 1);
            if (to < 0) return false;
            s += 4;
        }
        *ret |= 1u << to;
        for (int i = from; i != to; i = (i + 1) % 12) *ret |= 1u << i;
        if (!*s) return true;
        if (*s != ',') return false;
        if (s[1] == ' ') s++;
    }
}

static enum rr_status put_window(const struct window *w, size_t i, const struct rr_scenario *s, struct rr_kwh *t)
{
    struct rr_week_window week = {.nodes = (int64_t)i};
    unsigned months = 0xfff;
    struct rr_rate rate;
    RR_TRY(rr_week_window_read(w->days, w->from, w->to, &week));
    if (w->months && !read_months(w->months, &months))
        return rr_fail(RR_EINPUT, "\"months\": \"%.32s\" given; months are expected, such as \"Jun-Sep\"", w->months);
    RR_TRY(rr_scenario_rate(s, w->rate, &rate));
    if (rate.per != RR_PER_KWH || rate.time != RR_EVER || rate.nano < 0)
        return rr_fail(RR_EINPUT, "\"rate\" must be per kWh, such as \"$0.08/kWh\"");
    t->nano[i] = rate.nano;
    for (int m = 0; m < 12; m++)
        if (months >> m & 1u) t->month[m].window[t->month[m].n++] = week;
    return RR_OK;
}

static enum rr_status check_covered(const struct rr_kwh *t)
{
    for (int m = 0; m < 12; m++)
        for (int64_t at = 0; at < RR_WEEK_S; at += rr_week_until(&t->month[m], at))
            if (rr_week_at(&t->month[m], at, -1) < 0)
                return rr_fail(RR_EINPUT,
                               "no window holds on %.3s at %02d:%02d in %.3s: end with one that has a rate alone, for all other hours",
                               day_names + 3 * (at / 86400), (int)(at % 86400 / 3600), (int)(at % 3600 / 60), month_names + 3 * m);
    return RR_OK;
}

enum rr_status rr_kwh_make(const struct rr_records *windows, const struct rr_zone *zone, const struct rr_scenario *s, struct rr_arena *a,
                           struct rr_kwh *ret)
{
    struct rr_kwh t = {.zone = zone, .n = windows->n, .nano = RR_NEWS(a, int64_t, windows->n)};
    for (int m = 0; m < 12; m++) t.month[m].window = RR_NEWS(a, struct rr_week_window, windows->n);
    for (size_t i = 0; i < windows->n; i++) {
        const enum rr_status st = put_window((const struct window *)windows->at + i, i, s, &t);
        if (st != RR_OK) return rr_fail_in(st, "\"tariff\", window %zu", i + 1);
    }
    const enum rr_status st = check_covered(&t);
    if (st != RR_OK) return rr_fail_in(st, "\"tariff\"");
    *ret = t;
    return RR_OK;
}

static int64_t floor_s(int64_t us) { return us >= 0 ? us / RR_S : -((-us + RR_S - 1) / RR_S); }

size_t rr_kwh_at(const struct rr_kwh *t, int64_t epoch_us, int64_t *until_us)
{
    const int64_t now = floor_s(epoch_us), offset = t->zone ? rr_zone_offset(t->zone, now) : 0, local = now + offset;
    const struct rr_civil c = rr_civil_of(local * RR_S);
    const int64_t day = rr_days_from_civil(c.year, c.month, c.day), week_s = ((day + 3) % 7 + 7) % 7 * 86400 + (local - day * 86400);
    const struct rr_week *week = &t->month[c.month - 1];
    const int64_t month_end = rr_days_from_civil(c.year + c.month / 12, c.month % 12 + 1, 1) * 86400 - offset;
    int64_t until = now + rr_week_until(week, week_s);
    if (month_end < until) until = month_end;
    if (t->zone && rr_zone_next(t->zone, now) < until) until = rr_zone_next(t->zone, now);
    *until_us = until * RR_S;
    return (size_t)rr_week_at(week, week_s, 0);
}
