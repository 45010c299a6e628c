/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/price/around.c - months, flows and tariffs of what is paid around machines. */
#include "models/price/around.h"
#include "data/base/fmath.h"
#include "models/price/path.h"
#include <math.h>
#include <string.h>

/* ---- months ---- */

enum rr_status rr_around_check(const struct rr_scenario *s)
{
    if (s->clock.anchored) return RR_OK;
    return rr_fail(RR_EINPUT, "months need a calendar: give the scenario a \"start\", such as \"2026-01-01\"");
}

size_t rr_months_at(const struct rr_months *m, int64_t t_us)
{
    size_t low = 0, high = m->n;
    while (high - low > 1) {
        const size_t mid = (low + high) / 2;
        if (m->part[mid].from_us <= t_us)
            low = mid;
        else
            high = mid;
    }
    return low;
}

/* A lease's use, spread evenly over it, where the months are not known. */
static void add_lease(struct rr_months *m, const struct rr_lease *l, int64_t horizon_us)
{
    const int64_t end = l->end_us < horizon_us ? l->end_us : horizon_us;
    if (end <= l->start_us) return;
    for (size_t i = rr_months_at(m, l->start_us); i < m->n && m->part[i].from_us < end; i++) {
        const int64_t from = m->part[i].from_us > l->start_us ? m->part[i].from_us : l->start_us;
        const int64_t to = m->part[i].to_us < end ? m->part[i].to_us : end;
        m->gpu_milli_us[i] += (rr_i128)l->used_milli_us * (to - from) / (end - l->start_us);
    }
}

static void add_use(struct rr_months *m, const struct rr_billing *b)
{
    const size_t n_pools = b->scenario->n_pools;
    for (size_t p = 0; b->used_month != NULL && p < n_pools; p++)
        for (size_t i = 0; i < m->n; i++) m->gpu_milli_us[i] += b->used_month[p][i];
    for (size_t i = 0; b->used_month == NULL && n_pools > 0 && i < b->pool_lease[n_pools]; i++) add_lease(m, &b->lease[i], b->horizon_us);
}

enum rr_status rr_months_of(const struct rr_billing *b, struct rr_months *ret)
{
    struct rr_months m = {0};
    struct rr_month_part *part;
    RR_TRY(rr_month_parts(&b->scenario->clock, 0, b->horizon_us, b->arena, &part, &m.n));
    m.part = part;
    m.length_us = RR_NEWS(b->arena, int64_t, m.n);
    m.gpu_milli_us = RR_NEWS(b->arena, rr_i128, m.n);
    for (size_t i = 0; i < m.n; i++) {
        int64_t from, to;
        RR_TRY(rr_month_start(&b->scenario->clock, part[i].from_us, &from));
        RR_TRY(rr_month_next(&b->scenario->clock, part[i].from_us, &to));
        m.length_us[i] = to - from;
    }
    if (m.n > 0) add_use(&m, b);
    if (b->call != NULL && m.n > 0) {
        m.jobs = RR_NEWS(b->arena, int64_t, m.n);
        for (size_t i = 0; i < b->n_calls; i++)
            if (b->call[i].finished && b->call[i].end_us <= b->horizon_us)
                m.jobs[rr_months_at(&m, b->call[i].end_us > 0 ? b->call[i].end_us - 1 : 0)]++;
    }
    *ret = m;
    return RR_OK;
}

/* ---- flows ---- */

int64_t rr_grown(int64_t x, double change_per_year, size_t month)
{
    if (change_per_year == 0 || month == 0) return x;
    const double v = (double)x * rr_pow(1 + change_per_year, (double)month / 12);
    return v < 9e18 ? llround(v) : INT64_MAX;
}

enum rr_status rr_flow_month(const struct rr_flow *f, const struct rr_months *m, size_t i, rr_i128 *ret)
{
    int64_t by_time = 0, by_gpu = 0;
    const int64_t a_month = rr_grown(f->per_month, f->change_per_year, i);
    if (f->per_job != 0 && m->jobs == NULL)
        return rr_fail(RR_EINPUT, "\"per_job\": the jobs are not known here; stored leases cannot be priced by the job again");
    RR_TRY(rr_round_div((rr_i128)a_month * (m->part[i].to_us - m->part[i].from_us), m->length_us[i], &by_time));
    rr_i128 product;
    if (__builtin_mul_overflow((rr_i128)f->per_gpu_hour, m->gpu_milli_us[i], &product))
        return rr_fail(RR_EINPUT, "\"per_gpu_hour\": the quantity does not fit");
    RR_TRY(rr_round_div(product, (rr_i128)1000 * RR_H, &by_gpu));
    *ret = (rr_i128)by_time + by_gpu + (f->per_job != 0 ? (rr_i128)f->per_job * m->jobs[i] : 0);
    return RR_OK;
}

/* ---- tariffs ---- */

static enum rr_status put_rate(const struct rr_scenario *s, struct rr_price price, const char *example, struct rr_tariff *t)
{
    struct rr_rate rate;
    RR_TRY(rr_scenario_rate(s, price, &rate));
    if (rate.per != t->per || rate.time != t->time) return rr_fail(RR_EINPUT, "the rate must be like \"%s\"", example);
    if (rate.nano < 0) return rr_fail(RR_EINPUT, "the rate is negative");
    t->nano[t->n++] = rate.nano;
    return RR_OK;
}

enum rr_status rr_tariff_make(const struct rr_scenario *s, const struct rr_price *rate, const struct rr_tiers *tiers, enum rr_tier_by by,
                              enum rr_per per, enum rr_per_time time, const char *example, struct rr_arena *a, struct rr_tariff *ret)
{
    const size_t room = tiers != NULL ? tiers->n : 1;
    struct rr_tariff t = {.limit = RR_NEWS(a, int64_t, room), .nano = RR_NEWS(a, int64_t, room), .per = per, .time = time};
    if (rate != NULL && tiers != NULL) return rr_fail(RR_EINPUT, "give \"rate\" or \"tiers\", not both");
    if (rate == NULL && tiers == NULL) return rr_fail(RR_EINPUT, "no price is given: \"rate\", such as \"%s\", or \"tiers\"", example);
    if (rate != NULL) RR_TRY(put_rate(s, *rate, example, &t));
    if (tiers != NULL && !tiers->has_rates) return rr_fail(RR_EINPUT, "\"tiers\": each has a \"rate\", such as \"%s\"", example);
    if (tiers != NULL && tiers->by != by && tiers->by != RR_TIER_OPEN)
        return rr_fail(RR_EINPUT, "\"tiers\": limits are %s",
                       by == RR_TIER_BYTES ? "sizes, such as \"10 TB\"" : "numbers, such as 1000000");
    for (size_t i = 0; tiers != NULL && i < tiers->n; i++) {
        t.limit[t.n] = tiers->tier[i].up_to;
        const enum rr_status st = put_rate(s, tiers->tier[i].rate, example, &t);
        if (st != RR_OK) return rr_fail_in(st, "\"tiers\": %zu", i);
    }
    *ret = t;
    return RR_OK;
}

enum rr_status rr_tariff_charge(const struct rr_tariff *t, rr_i128 quantity, int64_t scale, rr_i128 unit_of, struct rr_charge c,
                                struct rr_sink *sink)
{
    rr_i128 below = 0;
    for (size_t k = 0; k < t->n && below < quantity; k++) {
        const rr_i128 limit = k + 1 < t->n ? (rr_i128)t->limit[k] * scale : quantity;
        const rr_i128 upto = limit < quantity ? limit : quantity;
        RR_TRY(rr_charge_wide(t->nano[k], upto - below, unit_of, &c.billed));
        c.effective = c.billed;
        c.quantity = (double)(upto - below) / (double)unit_of;
        c.rate = (struct rr_rate){t->nano[k], t->per, t->time};
        RR_TRY(sink->emit(sink, &c));
        below = upto;
    }
    return RR_OK;
}

struct rr_charge rr_month_charge(const struct rr_months *m, size_t i, const char *type, const char *line, const char *unit)
{
    return (struct rr_charge){.type = type,
                              .line = line,
                              .pool = -1,
                              .unit = unit,
                              .from_us = m->part[i].from_us,
                              .to_us = m->part[i].to_us,
                              .due_us = m->part[i].to_us};
}

/* ---- bills over the bill ---- */

bool rr_counts(const struct rr_charge *c, const char *types)
{
    if (types != NULL) return rr_list_has(types, c->type);
    return strcmp(c->type, "owned") != 0 && strcmp(c->type, "support") != 0 && strcmp(c->line, "credit") != 0;
}

int64_t rr_bill_time(const struct rr_charge *c) { return c->due_us < c->from_us ? c->due_us : c->from_us; }

enum rr_status rr_types_check(const char *types)
{
    if (types == NULL) return RR_OK;
    for (const char *at = types; *at;) {
        char word[64];
        const size_t n = strcspn(at, ",");
        const struct rr_slice s = rr_trim(rr_slice(at, n));
        if (s.n >= sizeof word) return rr_fail(RR_EINPUT, "\"of\": \"%.32s...\" is no type of a charge", s.at);
        memcpy(word, s.at, s.n);
        word[s.n] = '\0';
        const bool made = strcmp(word, "contract") == 0; // by contracts and credits
        if (!made && rr_kind_find(rr_price_plans, word) == NULL)
            return rr_fail(RR_EINPUT, "\"of\": \"%s\" is no type of a charge; types are plans by name, such as \"on_demand, spot\"", word);
        at += n + (at[n] == ',');
    }
    return RR_OK;
}

rr_i128 rr_shares_of(const struct rr_tiers *t, const int64_t *limit, int64_t from, int64_t to)
{
    rr_i128 sum = 0;
    for (size_t k = 0; k < t->n; k++) {
        const int64_t low = k > 0 && limit[k - 1] > from ? limit[k - 1] : from;
        const int64_t high = k + 1 < t->n && limit[k] < to ? limit[k] : to;
        if (high > low) sum += (rr_i128)(high - low) * llround(t->tier[k].share * 1e9);
    }
    return sum;
}

enum rr_status rr_money_limits(const struct rr_scenario *s, const struct rr_tiers *t, struct rr_arena *a, int64_t **ret)
{
    int64_t *limit = RR_NEWS(a, int64_t, t->n);
    if (t->has_rates) return rr_fail(RR_EINPUT, "tiers of money have a \"share\", such as \"10 %%\"");
    if (t->by != RR_TIER_MONEY && t->by != RR_TIER_OPEN) return rr_fail(RR_EINPUT, "limits are amounts, such as \"$10,000\"");
    for (size_t i = 0; i + 1 < t->n; i++) {
        struct rr_amount amount = {.money = {t->tier[i].up_to}};
        struct rr_money m;
        memcpy(amount.currency, t->tier[i].currency, sizeof amount.currency);
        RR_TRY(rr_scenario_money(s, amount, &m));
        limit[i] = m.micro;
    }
    *ret = limit;
    return RR_OK;
}
