/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/finance/writeoff.c - depreciation in exact money by date.
 *
 * Every kind is a course of cumulative amounts at the ends of its years, straight in between by time. */
#include "models/finance/depreciation.h"
#include "models/finance/share.h"
#include <math.h>

#define MOST_YEARS 100

struct course {
    int n; /* years, >= 1 */
    int64_t edge[MOST_YEARS + 3], sum[MOST_YEARS + 3];
    struct rr_money at_once; /* on the first day */
};

static enum rr_status check(const struct rr_depreciation *d, const struct rr_clock *c)
{
    const int64_t m = d->life.months;
    const bool by_year = d->kind == RR_WRITE_DECLINING || d->kind == RR_WRITE_SUM_OF_YEARS || d->kind == RR_WRITE_MACRS;
    if (d->salvage.micro < 0 || d->salvage.micro > d->price.micro)
        return rr_fail(RR_EINPUT, "what is left at the end of a life must be within 0 and the price");
    if (m < 0 || d->life.us < 0 || (m == 0 && d->life.us == 0)) return rr_fail(RR_EINPUT, "a life must be longer than 0");
    if (!(d->bonus >= 0 && d->bonus <= 1)) return rr_fail(RR_EINPUT, "a bonus of %g is not within 0 and 1", d->bonus);
    if (!c->anchored && (by_year || m > 0 || d->from != RR_FROM_DAY))
        return rr_fail(RR_EINPUT, "depreciation by months needs a calendar: give the scenario a \"start\", such as \"2026-01-01\"");
    if (by_year && (d->life.us != 0 || m > 12 * MOST_YEARS))
        return rr_fail(RR_EINPUT, "a life that is written off by years must be in months or years, at most %d years", MOST_YEARS);
    if (d->kind == RR_WRITE_SUM_OF_YEARS && m % 12 != 0) return rr_fail(RR_EINPUT, "sum-of-years depreciation needs a life of whole years");
    if (d->kind == RR_WRITE_MACRS && m != 36 && m != 60 && m != 84)
        return rr_fail(RR_EINPUT, "MACRS has classes of 3, 5 and 7 years, not of %lld months", (long long)m);
    if (d->kind == RR_WRITE_DECLINING && !(d->factor >= 0 && d->factor <= 100))
        return rr_fail(RR_EINPUT, "a declining balance's factor of %g is not within 0 and 100", d->factor);
    if (d->fiscal_month < 0 || d->fiscal_month > 12) return rr_fail(RR_EINPUT, "a tax year cannot start in month %d", d->fiscal_month);
    return RR_OK;
}

static enum rr_status first_day(const struct rr_depreciation *d, const struct rr_clock *c, int64_t *ret)
{
    *ret = d->in_service_us;
    if (d->from == RR_FROM_MONTH) return rr_month_start(c, d->in_service_us, ret);
    if (d->from == RR_FROM_NEXT_MONTH) return rr_month_next(c, d->in_service_us, ret);
    return RR_OK;
}

/* Years of 12 months from the first day; the last one may be shorter. */
static enum rr_status life_years(const struct rr_depreciation *d, const struct rr_clock *c, struct course *x)
{
    x->n = (int)((d->life.months + 11) / 12);
    for (int k = 1; k <= x->n; k++) {
        const int64_t months = k < x->n ? INT64_C(12) * k : d->life.months;
        RR_TRY(rr_time_add(c, x->edge[0], (struct rr_duration){.months = months}, &x->edge[k]));
    }
    return RR_OK;
}

/* From the first day to the end of its tax year, then tax years. */
static enum rr_status tax_years(const struct rr_depreciation *d, const struct rr_clock *c, struct course *x)
{
    const int first = d->fiscal_month ? d->fiscal_month : 1;
    struct rr_civil next = rr_civil_of(c->start_us + x->edge[0]);
    next = (struct rr_civil){.year = next.year + (next.month >= first), .month = first, .day = 1};
    x->n = (int)(d->life.months / 12) + 1;
    for (int k = 1; k <= x->n; k++, next.year++) x->edge[k] = rr_epoch_of(next) - c->start_us;
    return RR_OK;
}

static int64_t macrs_sum(int64_t whole, int life, int years)
{
    struct rr_money part = {0};
    int64_t parts = 0;
    for (int k = 1; k <= years; k++) parts += llround(rr_macrs(life, k) * 1e4);
    part = rr_money_upto((struct rr_money){whole}, parts, 10000);
    return part.micro;
}

static void declining_sums(const struct rr_depreciation *d, struct course *x, int64_t price, int64_t salvage)
{
    const double life = (double)d->life.months / 12, rate = (d->factor > 0 ? d->factor : 2) / life, end = (double)salvage;
    double book = (double)price;
    for (int k = 0; k + 1 < x->n; k++) {
        const double line = (book - end) / (life - k);
        book -= fmin(fmax(book * rate, line), book - end);
        x->sum[k + 1] = price - llround(book);
    }
    x->sum[x->n] = price - salvage;
}

static enum rr_status lay_out(const struct rr_depreciation *d, const struct rr_clock *c, struct course *x)
{
    const bool macrs = d->kind == RR_WRITE_MACRS;
    const int64_t salvage = macrs ? 0 : d->salvage.micro, years = d->life.months / 12;
    *x = (struct course){.n = 1};
    RR_TRY(check(d, c));
    RR_TRY(first_day(d, c, &x->edge[0]));
    RR_TRY(rr_money_share((struct rr_money){d->price.micro - salvage}, d->kind == RR_WRITE_AT_ONCE ? 1 : d->bonus, &x->at_once));
    const int64_t price = d->price.micro - x->at_once.micro, rest = price - salvage;
    switch (d->kind) {
    case RR_WRITE_STRAIGHT:
    case RR_WRITE_AT_ONCE: x->sum[1] = rest; return rr_time_add(c, x->edge[0], d->life, &x->edge[1]);
    case RR_WRITE_DECLINING:
        RR_TRY(life_years(d, c, x));
        declining_sums(d, x, price, salvage);
        return RR_OK;
    case RR_WRITE_SUM_OF_YEARS:
        RR_TRY(life_years(d, c, x));
        for (int64_t k = 1; k <= years; k++)
            x->sum[k] = rr_money_upto((struct rr_money){rest}, k * (2 * years - k + 1), years * (years + 1)).micro;
        return RR_OK;
    case RR_WRITE_MACRS:
        RR_TRY(tax_years(d, c, x));
        for (int k = 1; k <= x->n; k++) x->sum[k] = macrs_sum(rest, (int)years, k);
        return RR_OK;
    }
    return RR_OK;
}

static struct rr_money upto(const struct course *x, int64_t at_us)
{
    struct rr_money sum = {at_us > x->edge[0] ? x->at_once.micro : 0};
    for (int k = 1; k <= x->n && at_us > x->edge[k - 1]; k++) {
        const int64_t until = at_us < x->edge[k] ? at_us : x->edge[k];
        const struct rr_money year = {x->sum[k] - x->sum[k - 1]};
        sum.micro += rr_money_upto(year, until - x->edge[k - 1], x->edge[k] - x->edge[k - 1]).micro;
    }
    return sum;
}

enum rr_status rr_depreciation_upto(const struct rr_depreciation *d, const struct rr_clock *c, int64_t at_us, struct rr_money *ret)
{
    struct course x;
    RR_TRY(lay_out(d, c, &x));
    *ret = upto(&x, at_us);
    return RR_OK;
}

enum rr_status rr_depreciation_end(const struct rr_depreciation *d, const struct rr_clock *c, int64_t *ret_us)
{
    struct course x;
    RR_TRY(lay_out(d, c, &x));
    *ret_us = x.edge[x.n];
    return RR_OK;
}

enum rr_status rr_depreciation_months(const struct rr_depreciation *d, const struct rr_clock *c, struct rr_arena *arena,
                                      struct rr_month_amount **ret, size_t *n)
{
    struct course x;
    RR_TRY(lay_out(d, c, &x));
    const int64_t end = x.edge[x.n];
    const size_t most = (size_t)((end - x.edge[0]) / (28 * RR_D)) + 2;
    struct rr_month_amount *m = RR_NEWS(arena, struct rr_month_amount, most);
    size_t k = 0;
    for (int64_t from = x.edge[0], to; from < end; from = to) {
        RR_TRY(rr_month_next(c, from, &to));
        if (to > end) to = end;
        m[k++] = (struct rr_month_amount){from, to, {upto(&x, to).micro - upto(&x, from).micro}};
    }
    *ret = m;
    *n = k;
    return RR_OK;
}
