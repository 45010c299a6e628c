/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/finance/breakeven.c - crossings, and their absence. */
#include "models/finance/breakeven.h"
#include "data/base/arena.h"
#include "data/base/fmath.h"
#include "models/finance/annuity.h"
#include "models/finance/root.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>

struct rr_answer rr_payback(const double *flow, size_t n) { return rr_payback_discounted(0, flow, n); }

struct rr_answer rr_payback_discounted(double rate, const double *flow, size_t n)
{
    assert(rate > -1);
    double sum = 0, at = 0, factor = 1;
    for (size_t i = 0; i < n; i++, factor /= 1 + rate) {
        const double before = sum;
        sum += flow[i] * factor;
        if (before < 0 && sum >= 0) at = (double)i - sum / (sum - before);
    }
    if (sum < 0) return (struct rr_answer){.why = "never: the sum of the flows is negative"};
    return (struct rr_answer){.value = at};
}

double rr_levelised_yearly(const struct rr_levelised *x)
{
    assert(x->years > 0 && x->rate > -1);
    const double price = x->price - x->residual * rr_pow(1 + x->rate, -x->years);
    return price * rr_recovery_factor(x->rate, x->years) + x->yearly;
}

struct rr_answer rr_levelised_gpu_hour(const struct rr_levelised *x, double use)
{
    if (!(use > 0 && x->gpu_hours > 0)) return (struct rr_answer){.why = "no GPU-hour is used"};
    return (struct rr_answer){.value = rr_levelised_yearly(x) / x->gpu_hours / use};
}

struct rr_answer rr_levelised_flows(double rate, const double *cost, const double *gpu_hours, size_t n)
{
    const double hours = rr_npv(rate, gpu_hours, n);
    if (!(hours > 0)) return (struct rr_answer){.why = "no GPU-hour is used"};
    return (struct rr_answer){.value = rr_npv(rate, cost, n) / hours};
}

struct rr_break_even rr_break_even_use(double yearly_cost, double gpu_hours, double rent_per_gpu_hour)
{
    struct rr_break_even x = {.state = RR_BREAK_EVEN_AT};
    if (yearly_cost <= 0) {
        x.state = RR_BREAK_EVEN_ALWAYS;
    } else if (gpu_hours <= 0 || rent_per_gpu_hour <= 0) {
        x.state = RR_BREAK_EVEN_NEVER;
    } else {
        x.at = yearly_cost / gpu_hours / rent_per_gpu_hour;
        if (x.at > 1) x.state = RR_BREAK_EVEN_NEVER;
    }
    return x;
}

struct rr_break_even rr_break_even_price(double yearly_cost, double gpu_hours, double use)
{
    if (yearly_cost <= 0) return (struct rr_break_even){.state = RR_BREAK_EVEN_ALWAYS};
    if (!(gpu_hours > 0 && use > 0)) return (struct rr_break_even){.state = RR_BREAK_EVEN_NEVER};
    return (struct rr_break_even){.state = RR_BREAK_EVEN_AT, .at = yearly_cost / gpu_hours / use};
}

void rr_buf_break_even_use(struct rr_buf *b, struct rr_break_even x)
{
    if (x.state == RR_BREAK_EVEN_AT) {
        rr_buf_putf(b, "%.1f %%", x.at * 100);
    } else if (x.state == RR_BREAK_EVEN_ALWAYS) {
        rr_buf_puts(b, "always");
    } else if (x.at > 0) {
        rr_buf_putf(b, "never (would need %.*f %% utilisation)", x.at < 1.1 ? 1 : 0, x.at * 100);
    } else {
        rr_buf_puts(b, "never");
    }
}

struct rr_break_even rr_break_even_month(const struct rr_money *a, const struct rr_money *b, size_t n, int *crossings)
{
    rr_i128 lead = 0; // of b: positive while a costs more
    struct rr_break_even x = {.state = RR_BREAK_EVEN_ALWAYS};
    int sign = 0;
    *crossings = 0;
    for (size_t i = 0; i < n; i++) {
        const rr_i128 before = lead;
        lead += (rr_i128)a[i].micro - b[i].micro;
        const int now = (lead > 0) - (lead < 0);
        if (now != 0 && sign != 0 && now != sign) ++*crossings;
        if (now != 0) sign = now;
        if (before > 0 && lead <= 0) {
            x.state = RR_BREAK_EVEN_AT;
            x.at = (double)i + (double)before / (double)(before - lead);
        }
    }
    if (lead > 0) x = (struct rr_break_even){.state = RR_BREAK_EVEN_NEVER};
    return x;
}

/* ---- where a verdict flips ---- */

struct search {
    const struct rr_flip_search *s;
    enum rr_status st; /* the first error */
};

static double evaluate(double x, void *ctx)
{
    struct search *e = ctx;
    double y = 0;
    if (e->st == RR_OK) e->st = e->s->difference(e->s->ctx, x, &y);
    return y;
}

static void take(struct rr_flip *f, const struct rr_flip_search *s, double at)
{
    if (f->n == 0 || fabs(at - s->now) < fabs(f->at - s->now)) {
        f->at = at;
        f->below = at < s->now;
    }
    f->n++;
}

static double grid(const struct rr_flip_search *s, int i)
{
    return i == s->points - 1 ? s->hi : s->lo + (s->hi - s->lo) * i / (s->points - 1);
}

enum rr_status rr_flip_find(const struct rr_flip_search *s, struct rr_flip *ret)
{
    assert(s->lo < s->hi && s->lo <= s->now && s->now <= s->hi && s->points >= 2);
    struct search e = {.s = s};
    struct rr_flip f = {.now = evaluate(s->now, &e)};
    double from = 0, last = 0; // the last point whose difference was not 0; `last` 0: none yet
    for (int i = 0; i < s->points && e.st == RR_OK; i++) {
        const double x = grid(s, i), y = evaluate(x, &e);
        if (last * y < 0) take(&f, s, rr_root(evaluate, &e, from, x, (s->close > 0 ? s->close : 1e-9) * (s->hi - s->lo)));
        if (y != 0) from = x, last = y;
    }
    RR_TRY(e.st);
    *ret = f;
    return RR_OK;
}
