/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/price/path.c - prices over time, as whole hours of the clock see them. */
#include "models/price/path.h"
#include "data/base/fmath.h"
#include <math.h>
#include <string.h>

#define MOST_MONTHS 1200 /* of a horizon that is not known at load */

static enum rr_status put_rate(const struct rr_scenario *s, struct rr_price price, double discount, bool per_gpu, int64_t gpus,
                               struct rr_price_path *p, size_t i)
{
    struct rr_rate rate;
    RR_TRY(rr_scenario_rate(s, price, &rate));
    if (per_gpu) {
        if (rate.per != RR_PER_GPU) return rr_fail(RR_EINPUT, "\"steps\": a price per node among prices per GPU");
        rate.per = RR_PER_NODE; // what is metered is GPU time
    }
    RR_TRY(rr_rate_node_hour(rate, gpus, &p->list[i]));
    RR_TRY(rr_rate_less(rate.nano, discount, &rate.nano));
    return rr_rate_node_hour(rate, gpus, &p->nano[i]);
}

static enum rr_status step_at(const struct rr_price_entry *e, const struct rr_scenario *s, int64_t *ret)
{
    int64_t epoch;
    if (!s->clock.anchored) return rr_fail(RR_EINPUT, "\"steps\" need a calendar: give the scenario a \"start\", such as \"2026-01-01\"");
    const enum rr_status st = rr_date_parse(rr_slice(e->key, strlen(e->key)), &epoch);
    if (st != RR_OK) return rr_fail_in(st, "\"steps\"");
    if (e->kind != RR_ENTRY_RATE)
        return rr_fail(RR_EINPUT, "\"steps\": the price from \"%s\" on is a rate, such as \"$1.80/gpu/h\"", e->key);
    if (epoch % RR_H != 0) return rr_fail(RR_EINPUT, "\"steps\": \"%s\" is not a whole hour in UTC", e->key);
    *ret = epoch - s->clock.start_us;
    return RR_OK;
}

static enum rr_status by_dates(const struct rr_path_terms *t, double discount, bool per_gpu, int64_t gpus, const struct rr_scenario *s,
                               struct rr_price_path *p)
{
    for (size_t i = 0; i < t->steps->n; i++, p->n++) {
        const struct rr_price_entry *e = &t->steps->entry[i];
        RR_TRY(step_at(e, s, &p->from_us[p->n]));
        if (p->from_us[p->n] <= p->from_us[p->n - 1])
            return rr_fail(RR_EINPUT, "\"steps\": \"%s\" does not lie behind the date before: dates must ascend", e->key);
        const enum rr_status st = put_rate(s, e->rate, discount, per_gpu, gpus, p, p->n);
        if (st != RR_OK) return rr_fail_in(st, "\"steps\": \"%s\"", e->key);
    }
    return RR_OK;
}

/* Step k holds from k periods after the start on, at rate x (1 + change)^(years until then), each from the first rate: no errors add up. */
static enum rr_status by_years(const struct rr_path_terms *t, const struct rr_scenario *s, size_t room, struct rr_price_path *p)
{
    for (; p->n < room; p->n++) {
        const int64_t months = (int64_t)p->n * t->change_every.months;
        int64_t at;
        RR_TRY(rr_time_add(&s->clock, 0, (struct rr_duration){months, 0}, &at));
        if (s->has_horizon && at >= s->horizon_us) return RR_OK;
        p->from_us[p->n] = rr_hour_start(&s->clock, at);
        const double factor = rr_pow(1 + t->change_per_year, (double)months / 12);
        if (!((double)p->list[0] * factor < 9e18) && !s->has_horizon) return RR_OK; // decades on: no run without a horizon lasts as long
        if (!((double)p->list[0] * factor < 9e18))
            return rr_fail(RR_EINPUT, "\"change_per_year\": the price passes all bounds within the horizon");
        p->nano[p->n] = llround((double)p->nano[0] * factor);
        p->list[p->n] = llround((double)p->list[0] * factor);
    }
    return RR_OK;
}

enum rr_status rr_path_make(const struct rr_path_terms *t, struct rr_price rate, double discount, bool per_gpu, int64_t gpus,
                            const struct rr_scenario *s, struct rr_arena *a, struct rr_price_path *ret)
{
    const bool changes = t->change_per_year != 0;
    const size_t room = 1 + (changes ? MOST_MONTHS : t->steps ? t->steps->n : 0);
    struct rr_price_path p = {
        .n = 1, .from_us = RR_NEWS(a, int64_t, room), .nano = RR_NEWS(a, int64_t, room), .list = RR_NEWS(a, int64_t, room)};
    p.from_us[0] = INT64_MIN;
    RR_TRY(put_rate(s, rate, discount, per_gpu, gpus, &p, 0));
    if (changes && t->steps) return rr_fail(RR_EINPUT, "give \"steps\" or \"change_per_year\", not both");
    if (changes && (t->change_every.us != 0 || t->change_every.months < 1))
        return rr_fail(RR_EINPUT, "\"change_every\" is whole months, such as \"1 month\" or \"1 year\"");
    if (changes && !s->clock.anchored)
        return rr_fail(RR_EINPUT, "\"change_per_year\" needs a calendar: give the scenario a \"start\", such as \"2026-01-01\"");
    if (t->steps) RR_TRY(by_dates(t, discount, per_gpu, gpus, s, &p));
    if (changes) RR_TRY(by_years(t, s, room, &p));
    *ret = p;
    return RR_OK;
}

size_t rr_path_step(const struct rr_price_path *p, int64_t t_us)
{
    size_t low = 0, high = p->n; // from_us[low] <= t < from_us[high]
    while (high - low > 1) {
        const size_t mid = low + (high - low) / 2;
        if (p->from_us[mid] <= t_us)
            low = mid;
        else
            high = mid;
    }
    return low;
}

bool rr_list_has(const char *list, const char *word)
{
    for (const char *at = list; *at;) {
        const size_t n = strcspn(at, ",");
        if (rr_slice_is(rr_trim(rr_slice(at, n)), word)) return true;
        at += n + (at[n] == ',');
    }
    return false;
}

static bool holds(struct rr_slice region, const char *place)
{
    return strncmp(place, region.at, region.n) == 0 && (place[region.n] == '\0' || (region.n > 0 && place[region.n] == '/'));
}

bool rr_region_holds(const char *region, const char *place) { return holds(rr_slice(region, strlen(region)), place ? place : ""); }

/* One of the regions of a list "a, b" holds it. */
static bool list_holds(const char *list, const char *place)
{
    for (const char *at = list; *at;) {
        const size_t n = strcspn(at, ",");
        if (holds(rr_trim(rr_slice(at, n)), place)) return true;
        at += n + (at[n] == ',');
    }
    return false;
}

enum rr_status rr_sold_check(const struct rr_sold *sold, const char *region)
{
    if (region == NULL) region = "";
    if (sold->out) return rr_fail(RR_EINPUT, "sold out%s%s: take another region, instance or plan", *region ? " in " : "", region);
    if (sold->in == NULL || list_holds(sold->in, region)) return RR_OK;
    if (*region == '\0') return rr_fail(RR_EINPUT, "it is sold in %s only: give \"region\"", sold->in);
    return rr_fail(RR_EINPUT, "it is not sold in %s; it is sold in %s", region, sold->in);
}
