/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/study/finance_returns.c - each alternative as an investment against the baseline: net present value, rates of return, payback; levelised cost;
 * where owned capacity breaks even with rent; tax.
 *
 * Flow i is what the baseline pays less what the alternative pays at the start of month i, money left at the horizon in the last one: the project's own
 * flows, before loans. Monthly rates are (1 + yearly)^(1/12) - 1. */
#include "models/finance/breakeven.h"
#include "models/finance/depreciation.h"
#include "models/finance/irr.h"
#include "models/finance/tax.h"
#include "data/base/fmath.h"
#include "sim/study/finance.h"
#include <math.h>
#include <string.h>

/* What an alternative pays: flow[0 .. n], n months. */
struct flows {
    size_t n;
    double *paid;      /* [n + 1] billed, money left taken off the last one; financing apart */
    double *gpu_hours; /* [n + 1] used in the month before */
};

static size_t month_of(const struct rr_clock *c, int64_t t_us, size_t n)
{
    const double months = rr_months(c, t_us);
    const size_t k = months > 0 ? (size_t)(months + 1e-9) : 0;
    return k < n ? k : n;
}

static void flows_of(const struct rr_finance_view *v, const struct rr_books *b, size_t n, struct flows *ret)
{
    const struct rr_clock *clock = &b->billing->scenario->clock;
    *ret = (struct flows){n, RR_NEWS(v->arena, double, n + 1), RR_NEWS(v->arena, double, n + 1)};
    for (size_t i = 0; i < b->ledger->charge.n; i++) {
        const struct rr_charge *c = &b->ledger->charge.at[i];
        if (c->due_us <= b->billing->horizon_us && !rr_is_financing(c))
            ret->paid[month_of(clock, c->due_us, n)] += rr_money_double(c->billed);
    }
    ret->paid[n] -= b->metric[RR_M_VALUE_TERMINAL];
    for (size_t k = 0; k < b->alt->n_months; k++) {
        const size_t at = month_of(clock, b->alt->month[k].to_us, n);
        ret->gpu_hours[at] += b->alt->month[k].used_gpu_hours;
    }
}

/* A cell has room for the word before the reason: "never: the sum of the flows is negative". */
static void put_why(struct rr_sheet_maker *m, const char *why)
{
    const char *colon = strchr(why, ':');
    rr_sheet_text(m, colon ? rr_strndup(m->arena, why, (size_t)(colon - why)) : why);
}

static void put_answer(struct rr_sheet_maker *m, struct rr_answer x)
{
    if (x.why)
        put_why(m, x.why);
    else
        rr_sheet_number(m, x.value);
}

static void put_irr(struct rr_sheet_maker *m, struct rr_arena *a, const double *flow, size_t n)
{
    const struct rr_irr x = rr_irr(flow, n);
    if (x.n == 0)
        rr_sheet_text(m, x.why);
    else if (x.n == 1)
        rr_sheet_number(m, rr_pow(1 + x.rate, 12) - 1);
    else
        rr_sheet_text(m, rr_strf(a, "%zu rates solve it, %.1f %% the nearest to 0: rank by NPV", x.n, 100 * (rr_pow(1 + x.rate, 12) - 1)));
}

static void put_mirr(struct rr_sheet_maker *m, const struct rr_finance *f, const double *flow, size_t n)
{
    struct rr_answer x = rr_mirr(flow, n, rr_month_rate(f->finance_rate), rr_month_rate(f->reinvest_rate));
    if (!x.why) x.value = rr_pow(1 + x.value, 12) - 1;
    put_answer(m, x);
}

/* Month from which it has cost no more than the baseline, cash as it is billed. */
static void put_break_even(struct rr_sheet_maker *m, struct rr_arena *a, const struct flows *x, const struct flows *base)
{
    struct rr_money *p = RR_NEWS(a, struct rr_money, x->n + 1), *q = RR_NEWS(a, struct rr_money, x->n + 1);
    int crossings;
    for (size_t k = 0; k <= x->n; k++) {
        p[k].micro = (int64_t)llround(x->paid[k] * 1e6);
        q[k].micro = (int64_t)llround(base->paid[k] * 1e6);
    }
    const struct rr_break_even at = rr_break_even_month(p, q, x->n + 1, &crossings);
    if (at.state == RR_BREAK_EVEN_AT)
        rr_sheet_number(m, at.at);
    else
        rr_sheet_text(m, at.state == RR_BREAK_EVEN_ALWAYS ? "from the start" : "never");
}

static void put_against(struct rr_sheet_maker *m, struct rr_arena *a, const struct rr_finance *f, const struct flows *x,
                        const struct flows *base)
{
    double *saved = RR_NEWS(a, double, x->n + 1);
    for (size_t k = 0; k <= x->n; k++) saved[k] = base->paid[k] - x->paid[k];
    const double rate = rr_month_rate(f->discount_rate);
    rr_sheet_number(m, f->has_discount_rate ? rr_npv(rate, saved, x->n + 1) : NAN);
    put_irr(m, a, saved, x->n + 1);
    if (f->has_discount_rate)
        put_mirr(m, f, saved, x->n + 1);
    else
        rr_sheet_number(m, NAN);
    put_answer(m, rr_payback(saved, x->n + 1));
    if (f->has_discount_rate)
        put_answer(m, rr_payback_discounted(rate, saved, x->n + 1));
    else
        rr_sheet_number(m, NAN);
    put_break_even(m, a, x, base);
}

static void put_row(const struct rr_finance_view *v, struct rr_sheet_maker *m, size_t i, const struct flows *f, size_t base)
{
    const struct rr_books *b = &v->book[i];
    const struct rr_finance *finance = &b->billing->scenario->finance;
    rr_sheet_row(m);
    rr_sheet_text(m, b->alt->name);
    rr_sheet_number(m, b->metric[RR_M_COST_TOTAL]);
    rr_sheet_number(m, b->metric[RR_M_CASH_TOTAL]);
    rr_sheet_number(m, b->metric[RR_M_VALUE_TERMINAL]);
    rr_sheet_number(m, b->metric[RR_M_NPV_COST]);
    const struct rr_answer level =
        rr_levelised_flows(finance->has_discount_rate ? rr_month_rate(finance->discount_rate) : 0, f[i].paid, f[i].gpu_hours, f[i].n + 1);
    put_answer(m, level);
    if (i != base && base < v->n && !v->book[base].alt->unpriced) put_against(m, v->arena, finance, &f[i], &f[base]);
}

/* What NPV prefers need not pay back first: said where they disagree. */
static const char *disagreement(const struct rr_finance_view *v, const struct flows *f, size_t base)
{
    size_t npv = v->n, fast = v->n;
    double least = INFINITY, soonest = INFINITY, of_npv = INFINITY; /* months of payback */
    for (size_t i = 0; i < v->n && base < v->n; i++) {
        if (i == base || v->book[i].alt->unpriced || !v->book[i].alt->same_work) continue;
        double *saved = RR_NEWS(v->arena, double, f[i].n + 1);
        for (size_t k = 0; k <= f[i].n; k++) saved[k] = f[base].paid[k] - f[i].paid[k];
        const struct rr_answer back = rr_payback(saved, f[i].n + 1);
        if (v->book[i].metric[RR_M_NPV_COST] < least) {
            least = v->book[npv = i].metric[RR_M_NPV_COST];
            of_npv = back.why ? INFINITY : back.value;
        }
        if (!back.why && back.value < soonest) {
            soonest = back.value;
            fast = i;
        }
    }
    if (npv == v->n || fast == v->n || of_npv <= soonest) return "";
    return rr_strf(v->arena, " NPV and payback disagree: %s has the lower NPV of cost, %s pays back sooner.", v->book[npv].alt->name,
                   v->book[fast].alt->name);
}

static struct rr_sheet returns(const struct rr_finance_view *v, const struct flows *f, size_t base)
{
    struct rr_sheet_maker m = rr_sheet_begin(
        v->arena, "finance.returns", "As an investment",
        base < v->n
            ? rr_strf(
                  v->arena,
                  "Against %s: flows are what it saves month by month, before loans and tax, with what is left at the horizon in the last "
                  "one. Rates are effective yearly ones. The first flow is at time 0. Replication 1.%s",
                  v->book[base].alt->name, disagreement(v, f, base))
            : "Replication 1.");
    rr_sheet_column(&m, "Alternative", RR_SHEET_TEXT);
    rr_sheet_column(&m, "Cost", RR_SHEET_MONEY);
    rr_sheet_column(&m, "Cash", RR_SHEET_MONEY);
    rr_sheet_column(&m, "Left at the horizon", RR_SHEET_MONEY);
    rr_sheet_column(&m, "NPV of cost", RR_SHEET_MONEY);
    rr_sheet_column(&m, "Levelised per used GPU-hour", RR_SHEET_RATE);
    if (v->n > 1) {
        rr_sheet_column(&m, "NPV of savings", RR_SHEET_MONEY);
        rr_sheet_column(&m, "IRR", RR_SHEET_SHARE);
        rr_sheet_column(&m, "MIRR", RR_SHEET_SHARE);
        rr_sheet_column(&m, "Payback, months", RR_SHEET_MONTHS);
        rr_sheet_column(&m, "Discounted payback, months", RR_SHEET_MONTHS);
        rr_sheet_column(&m, "Cheaper from month", RR_SHEET_MONTHS);
    }
    for (size_t i = 0; i < v->n; i++)
        if (!v->book[i].alt->unpriced) put_row(v, &m, i, f, base);
    return rr_sheet_end(&m);
}

/* ---- owned and reserved capacity against rent ---- */

/* Cost that does not go away when machines stand idle: all but on demand, spot and serverless. */
static double fixed_cost(const struct rr_books *b)
{
    const double *m = b->metric;
    return m[RR_M_COST_TOTAL] - m[RR_M_COST_ON_DEMAND] - m[RR_M_COST_SPOT] - m[RR_M_COST_SERVERLESS];
}

/* GPU-hours of pools whose number of nodes is fixed. */
static double fixed_gpu_hours(const struct rr_books *b)
{
    double sum = 0;
    for (size_t p = 0; p < b->alt->n_pools; p++)
        if (b->alt->pool[p].nodes_min == b->alt->pool[p].nodes_max) sum += b->alt->pool[p].held;
    return sum;
}

static bool is_rent_alone(const struct rr_books *b)
{
    const double rent = b->metric[RR_M_COST_ON_DEMAND] + b->metric[RR_M_COST_SPOT] + b->metric[RR_M_COST_SERVERLESS];
    return !b->alt->unpriced && rent > 0 && rent >= 0.5 * b->metric[RR_M_COST_TOTAL] && b->metric[RR_M_GPU_HOURS_USED] > 0;
}

/* GPU-hours that rent is paid for: where machines come and go with the work those that are used, where their number is fixed all that are held. */
static double rented_gpu_hours(const struct rr_books *b)
{
    double sum = 0;
    for (size_t p = 0; p < b->alt->n_pools; p++) {
        const struct rr_pool_row *x = &b->alt->pool[p];
        sum += x->nodes_min == x->nodes_max ? x->held : x->used;
    }
    return sum;
}

static void put_pair(struct rr_sheet_maker *m, const struct rr_books *own, const struct rr_books *rent)
{
    const double hours = fixed_gpu_hours(own), cost = fixed_cost(own);
    const double price = rent->metric[RR_M_COST_TOTAL] / rented_gpu_hours(rent), use = own->metric[RR_M_GPU_HOURS_USED] / hours;
    struct rr_buf b = {0};
    rr_sheet_row(m);
    rr_sheet_text(m, own->alt->name);
    rr_sheet_text(m, rent->alt->name);
    rr_sheet_number(m, price);
    rr_sheet_number(m, use);
    rr_buf_break_even_use(&b, rr_break_even_use(cost, hours, price));
    rr_sheet_text(m, rr_buf_text(&b));
    rr_buf_done(&b);
    const struct rr_break_even at = rr_break_even_price(cost, hours, use > 1 ? 1 : use);
    if (at.state == RR_BREAK_EVEN_AT)
        rr_sheet_number(m, at.at);
    else
        rr_sheet_text(m, "never");
}

static void break_even(const struct rr_finance_view *v, struct rr_sheets *out)
{
    struct rr_sheet_maker m = rr_sheet_begin(
        v->arena, "finance.break_even", "Where fixed capacity breaks even with rent",
        "The share of its hours that fixed capacity must be used to cost no more than renting the used hours alone, at what the "
        "other alternative pays for a GPU-hour: for one that is used where its machines come and go with the work, for one that is "
        "held where their number is fixed. And the rent of a used hour at which both cost the same at the use that was simulated.");
    rr_sheet_column(&m, "Fixed capacity", RR_SHEET_TEXT);
    rr_sheet_column(&m, "Rent", RR_SHEET_TEXT);
    rr_sheet_column(&m, "Rent per GPU-hour", RR_SHEET_RATE);
    rr_sheet_column(&m, "Used share", RR_SHEET_SHARE);
    rr_sheet_column(&m, "Break-even use", RR_SHEET_TEXT);
    rr_sheet_column(&m, "Break-even rent", RR_SHEET_RATE);
    for (size_t i = 0; i < v->n; i++)
        for (size_t k = 0; k < v->n; k++) {
            const struct rr_books *own = &v->book[i], *rent = &v->book[k];
            if (i == k || own->alt->unpriced || !is_rent_alone(rent) || is_rent_alone(own) || fixed_gpu_hours(own) <= 0) continue;
            put_pair(&m, own, rent);
        }
    const struct rr_sheet sheet = rr_sheet_end(&m);
    if (sheet.n_rows) rr_vec_push(&out->list, sheet);
}

/* ---- tax ---- */

struct year {
    struct rr_money income, write_off; /* income: costs are negative */
};

static size_t fiscal_year_of(const struct rr_scenario *s, int64_t t_us)
{
    return (month_of(&s->clock, t_us, SIZE_MAX - 12) + (size_t)rr_fiscal_months(s, 0)) / 12;
}

static enum rr_status write_off(const struct rr_scenario *s, const struct rr_charge *c, struct year *year, size_t n)
{
    static const int life[] = {[RR_TAX_MACRS_3] = 3, [RR_TAX_MACRS_5] = 5, [RR_TAX_MACRS_7] = 7};
    const int rule = s->finance.tax->depreciation;
    const size_t at = fiscal_year_of(s, c->from_us);
    if (rule == RR_TAX_BOOK) return rr_money_add(&year[at < n ? at : n - 1].write_off, c->effective);
    if (rule == RR_TAX_AT_ONCE) return rr_money_add(&year[at < n ? at : n - 1].write_off, c->billed);
    for (int k = 1; c->billed.micro != 0 && k <= life[rule] + 1; k++) {
        const size_t in = at + (size_t)k - 1;
        const struct rr_money part = {llround((double)c->billed.micro * rr_macrs_exact(life[rule], k))};
        if (in < n) RR_TRY(rr_money_add(&year[in].write_off, part));
    }
    return RR_OK;
}

static enum rr_status taxable(const struct rr_books *b, struct year *year, size_t n)
{
    const struct rr_scenario *s = b->billing->scenario;
    for (size_t i = 0; i < b->ledger->charge.n; i++) {
        const struct rr_charge *c = &b->ledger->charge.at[i];
        const size_t at = fiscal_year_of(s, c->from_us);
        if (rr_is_capex(c)) {
            RR_TRY(write_off(s, c, year, n));
        } else {
            const struct rr_money cost = {-(strcmp(c->line, "resale") == 0 ? c->billed.micro : c->effective.micro)};
            RR_TRY(rr_money_add(&year[at < n ? at : n - 1].income, cost));
        }
    }
    return RR_OK;
}

/* Present values of the tax that an alternative saves and of the VAT it keeps. */
static enum rr_status tax_of(const struct rr_finance_view *v, const struct rr_books *b, const struct flows *f, double *saved, double *vat)
{
    const struct rr_scenario *s = b->billing->scenario;
    const struct rr_tax_rules *rules = s->finance.tax;
    const struct rr_tax t = {.rate = rules->rate,
                             .taxable_profit = rules->taxable_profit,
                             .vat = rules->vat,
                             .vat_recovered = rules->vat_recovered,
                             .vat_lag = (size_t)rules->vat_lag_months};
    const size_t n = fiscal_year_of(s, b->billing->horizon_us > 0 ? b->billing->horizon_us - 1 : 0) + 1;
    struct year *year = RR_NEWS(v->arena, struct year, n);
    struct rr_money *income = RR_NEWS(v->arena, struct rr_money, n), *off = RR_NEWS(v->arena, struct rr_money, n),
                    *tax = RR_NEWS(v->arena, struct rr_money, n), carried;
    RR_TRY(taxable(b, year, n));
    for (size_t k = 0; k < n; k++) {
        income[k] = year[k].income;
        off[k] = year[k].write_off;
    }
    RR_TRY(rr_tax_flows(&t, income, off, n, tax, &carried));
    *saved = 0;
    for (size_t k = 0; k < n; k++) { // due at the end of the fiscal year, at the horizon at the latest
        int64_t end_us = b->billing->horizon_us;
        for (size_t j = 0; j < b->alt->n_months; j++)
            if (fiscal_year_of(s, b->alt->month[j].from_us) == k) end_us = b->alt->month[j].to_us;
        *saved -= rr_money_double(tax[k]) * rr_discount(&s->clock, s->finance.discount_rate, end_us);
    }
    struct rr_money *cost = RR_NEWS(v->arena, struct rr_money, f->n + 1), *flow = RR_NEWS(v->arena, struct rr_money, f->n + 1), later;
    for (size_t i = 0; i < b->ledger->charge.n; i++) {
        const struct rr_charge *c = &b->ledger->charge.at[i];
        if (c->billed.micro > 0 && strcmp(c->line, "staff") != 0 && !rr_is_financing(c))
            RR_TRY(rr_money_add(&cost[month_of(&s->clock, c->due_us, f->n)], c->billed));
    }
    RR_TRY(rr_vat_flows(&t, cost, f->n + 1, flow, &later));
    *vat = 0;
    const double rate = rr_month_rate(s->finance.discount_rate);
    for (size_t k = 0; k <= f->n; k++) *vat += rr_money_double(flow[k]) / rr_pow(1 + rate, (double)k);
    *vat -= rr_money_double(later) / rr_pow(1 + rate, (double)f->n);
    return RR_OK;
}

static enum rr_status taxes(const struct rr_finance_view *v, const struct flows *f, struct rr_sheets *out)
{
    const struct rr_finance *finance = &v->book[0].billing->scenario->finance;
    if (!finance->tax) return RR_OK;
    if (!finance->has_discount_rate) return rr_fail(RR_EINPUT, "/finance/tax needs a \"discount_rate\": tax moves money in time");
    struct rr_sheet_maker m =
        rr_sheet_begin(v->arena, "finance.tax", "After tax",
                       "Present values. Tax is due at the end of each fiscal year on what the alternative costs, its purchases "
                       "written off as \"tax\" says; VAT is paid with the bill and comes back later, as far as it does.");
    rr_sheet_column(&m, "Alternative", RR_SHEET_TEXT);
    static const char *const column[] = {"NPV of cost before tax", "Tax saved", "VAT not recovered", "NPV of cost after tax"};
    for (size_t k = 0; k < 4; k++) rr_sheet_column(&m, column[k], RR_SHEET_MONEY);
    enum rr_status st = RR_OK;
    for (size_t i = 0; i < v->n && st == RR_OK; i++) {
        const struct rr_books *b = &v->book[i];
        double saved = 0, vat = 0;
        if (b->alt->unpriced) continue;
        st = tax_of(v, b, &f[i], &saved, &vat);
        rr_sheet_row(&m);
        rr_sheet_text(&m, b->alt->name);
        const double npv = b->metric[RR_M_NPV_COST], value[] = {npv, saved, vat, npv - saved + vat};
        for (size_t k = 0; k < 4 && st == RR_OK; k++) rr_sheet_number(&m, value[k]);
    }
    const struct rr_sheet sheet = rr_sheet_end(&m);
    if (st == RR_OK) rr_vec_push(&out->list, sheet);
    return st;
}

/* The same totals in every currency of the scenario. */
static void currencies(const struct rr_finance_view *v, struct rr_sheets *out)
{
    const struct rr_scenario *s = v->book[0].billing->scenario;
    if (s->n_fx == 0) return;
    struct rr_sheet_maker m =
        rr_sheet_begin(v->arena, "finance.currencies", "In other currencies",
                       "At the scenario's dated rates, the same for the whole horizon: no forecast of exchange rates.");
    rr_sheet_column(&m, "Alternative", RR_SHEET_TEXT);
    rr_sheet_column(&m, "Currency", RR_SHEET_TEXT);
    rr_sheet_column(&m, rr_strf(v->arena, "1 of it in %s", s->currency), RR_SHEET_NUMBER);
    rr_sheet_column(&m, "Rate of", RR_SHEET_TEXT);
    static const char *const column[] = {"Cost", "Cash", "NPV of cost"};
    static const int metric[] = {RR_M_COST_TOTAL, RR_M_CASH_TOTAL, RR_M_NPV_COST};
    for (size_t k = 0; k < 3; k++) rr_sheet_column(&m, column[k], RR_SHEET_NUMBER);
    for (size_t i = 0; i < v->n; i++)
        for (size_t k = 0; k <= s->n_fx && !v->book[i].alt->unpriced; k++) {
            const double rate = k < s->n_fx ? (double)s->fx[k].rate_nano / 1e9 : 1;
            rr_sheet_row(&m);
            rr_sheet_text(&m, v->book[i].alt->name);
            rr_sheet_text(&m, k < s->n_fx ? s->fx[k].from : s->currency);
            rr_sheet_number(&m, rate);
            rr_sheet_text(&m, k < s->n_fx ? s->fx[k].date : "");
            for (size_t j = 0; j < 3; j++) rr_sheet_number(&m, v->book[i].metric[metric[j]] / rate);
        }
    const struct rr_sheet sheet = rr_sheet_end(&m);
    if (sheet.n_rows) rr_vec_push(&out->list, sheet);
}

enum rr_status rr_finance_returns(const struct rr_finance_view *v, struct rr_sheets *out)
{
    size_t n = 0;
    for (size_t i = 0; i < v->n; i++) {
        const size_t months = (size_t)ceil(rr_months(&v->book[i].billing->scenario->clock, v->book[i].billing->horizon_us) - 1e-9);
        if (months > n) n = months;
    }
    if (n < 1 || n > 12000) return RR_OK;
    struct flows *f = RR_NEWS(v->arena, struct flows, v->n);
    for (size_t i = 0; i < v->n; i++) flows_of(v, &v->book[i], n, &f[i]);
    const struct rr_sheet sheet = returns(v, f, rr_finance_base(v));
    if (sheet.n_rows) rr_vec_push(&out->list, sheet);
    break_even(v, out);
    currencies(v, out);
    return taxes(v, f, out);
}
