/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/study/finance_periods.c - cash beside cost: by month, by quarter and by fiscal year; at each quarter's end what is still owed, what the books
 * hold, and what leaving would cost. */
#include "models/finance/leave.h"
#include "sim/study/finance.h"
#include <math.h>
#include <string.h>

struct period {
    struct rr_money cash, capex, cost, depreciation, interest;
    double used_gpu_hours;
};

/* Calendar months of the horizon, the same for all variants: edge[n + 1]. */
struct grid {
    size_t n;
    const struct rr_month_part *month;
};

static enum rr_status grid_of(const struct rr_finance_view *v, struct grid *ret)
{
    const struct rr_billing *longest = v->book[0].billing;
    struct rr_month_part *part;
    for (size_t i = 1; i < v->n; i++)
        if (v->book[i].billing->horizon_us > longest->horizon_us) longest = v->book[i].billing;
    RR_TRY(rr_month_parts(&longest->scenario->clock, 0, longest->horizon_us, v->arena, &part, &ret->n));
    ret->month = part;
    return RR_OK;
}

static size_t month_at(const struct grid *g, int64_t t_us)
{
    size_t low = 0, high = g->n;
    while (high - low > 1) {
        const size_t mid = (low + high) / 2;
        if (g->month[mid].from_us <= t_us)
            low = mid;
        else
            high = mid;
    }
    return low;
}

static enum rr_status add_charges(const struct rr_books *b, const struct grid *g, struct period *p)
{
    for (size_t i = 0; i < b->ledger->charge.n; i++) {
        const struct rr_charge *c = &b->ledger->charge.at[i];
        struct period *at = &p[month_at(g, c->from_us)];
        RR_TRY(rr_money_add(&at->cash, c->billed));
        RR_TRY(rr_money_add(&at->cost, c->effective));
        if (rr_is_capex(c)) {
            RR_TRY(rr_money_add(&at->capex, c->billed));
            RR_TRY(rr_money_add(&at->depreciation, c->effective));
        }
        if (c->line && strcmp(c->line, "interest") == 0) RR_TRY(rr_money_add(&at->interest, c->effective));
    }
    for (size_t k = 0; k < b->alt->n_months; k++)
        p[month_at(g, b->alt->month[k].from_us)].used_gpu_hours += b->alt->month[k].used_gpu_hours;
    return RR_OK;
}

/* ---- the end of a quarter ---- */

struct standing {
    double owed, book, leaving; /* currency units; leaving NaN: not known */
};

/* Everything billed as if the horizon were `at_us`: what is after it and not paid for is owed. */
static enum rr_status stand_at(const struct rr_books *book, int64_t at_us, struct standing *ret)
{
    const struct rr_finance *f = &book->billing->scenario->finance;
    struct rr_arena *scratch = rr_arena_create();
    struct rr_billing b = *book->billing;
    struct rr_ledger l;
    struct rr_money book_value = {0};
    rr_i128 prepaid = 0, after = 0;
    b.arena = scratch;
    b.horizon_us = at_us;
    rr_ledger_init(&l);
    enum rr_status st = rr_bill(&b, &l.sink);
    if (st == RR_OK) st = rr_bill_terminal(&b, at_us, &book_value);
    for (size_t i = 0; i < l.charge.n; i++) {
        const struct rr_charge *c = &l.charge.at[i];
        if (rr_is_capex(c) || strcmp(c->line, "resale") == 0) continue; // paid for: the rest of it is book value, or sunk
        after += c->after_horizon.micro;
        prepaid += c->billed.micro - c->effective.micro;
    }
    rr_ledger_done(&l);
    rr_arena_free(scratch);
    const double owed = fmax(0, (double)(after - prepaid) / 1e6), value = rr_money_double(book_value);
    const double resale = value > 0 ? value * f->exit_resale : 0;
    *ret = (struct standing){owed, value, owed * f->exit_penalty + value - resale};
    return st;
}

/* ---- sheets ---- */

/* First month of the period of `months` months that month i lies in. */
static size_t period_start(const struct rr_scenario *s, const struct grid *g, size_t i, int months)
{
    const int into = rr_fiscal_months(s, g->month[i].from_us) % months;
    return (size_t)into > i ? 0 : i - (size_t)into;
}

static const char *period_name(const struct rr_scenario *s, struct rr_arena *a, const struct grid *g, size_t from, size_t to)
{
    char first[16], last[16];
    rr_month_name(&s->clock, g->month[from].from_us, first);
    rr_month_name(&s->clock, g->month[to - 1].from_us, last);
    return to - from == 1 ? rr_strdup(a, first) : rr_strf(a, "%s to %s", first, last);
}

static void add_period(struct period *sum, const struct period *x)
{
    sum->cash.micro += x->cash.micro; // parts of a total that fits
    sum->capex.micro += x->capex.micro;
    sum->cost.micro += x->cost.micro;
    sum->depreciation.micro += x->depreciation.micro;
    sum->interest.micro += x->interest.micro;
    sum->used_gpu_hours += x->used_gpu_hours;
}

static void put_period(struct rr_sheet_maker *m, const char *name, const char *who, const struct period *p)
{
    rr_sheet_row(m);
    rr_sheet_text(m, name);
    rr_sheet_text(m, who);
    const struct rr_money before = {p->cost.micro - p->depreciation.micro - p->interest.micro};
    const struct rr_money money[] = {p->cash, p->capex, p->cost, p->depreciation, p->interest, before};
    for (size_t k = 0; k < sizeof money / sizeof *money; k++) rr_sheet_number(m, rr_money_double(money[k]));
    rr_sheet_number(m, p->used_gpu_hours > 0 ? rr_money_double(p->cost) / p->used_gpu_hours : NAN);
}

static struct rr_sheet_maker begin(const struct rr_finance_view *v, const char *name, const char *title)
{
    struct rr_sheet_maker m = rr_sheet_begin(
        v->arena, name, title,
        "Cash is what is billed; cost is accrued over what it pays for (the profit and loss account); before depreciation and interest it "
        "is what lowers EBITDA. Replication 1.");
    rr_sheet_column(&m, "Period", RR_SHEET_TEXT);
    rr_sheet_column(&m, "Alternative", RR_SHEET_TEXT);
    static const char *const money[] = {"Cash", "of which purchases", "Cost", "of which depreciation", "of which interest", "Before both"};
    for (size_t k = 0; k < sizeof money / sizeof *money; k++) rr_sheet_column(&m, money[k], RR_SHEET_MONEY);
    rr_sheet_column(&m, "Cost per used GPU-hour", RR_SHEET_RATE);
    return m;
}

static enum rr_status put_standing(const struct rr_finance_view *v, struct rr_sheet_maker *m, const struct rr_books *b, int64_t at_us)
{
    struct standing s = {0, 0, 0};
    if (!v->again) s = (struct standing){NAN, NAN, NAN};
    if (v->again && at_us <= b->billing->horizon_us) RR_TRY(stand_at(b, at_us, &s));
    rr_sheet_number(m, s.owed);
    rr_sheet_number(m, s.book);
    rr_sheet_number(m, s.leaving);
    return RR_OK;
}

static enum rr_status put_periods(const struct rr_finance_view *v, const struct grid *g, struct period *const *p, int months,
                                  struct rr_sheet_maker *m)
{
    const struct rr_scenario *s = v->book[0].billing->scenario;
    for (size_t from = 0, to; from < g->n; from = to) {
        for (to = from + 1; to < g->n && period_start(s, g, to, months) <= from;) to++;
        const char *name = period_name(s, v->arena, g, from, to);
        for (size_t i = 0; i < v->n; i++) {
            if (v->book[i].alt->unpriced) continue;
            struct period sum = {0};
            for (size_t k = from; k < to; k++) add_period(&sum, &p[i][k]);
            put_period(m, name, v->book[i].alt->name, &sum);
            if (months == 3) RR_TRY(put_standing(v, m, &v->book[i], g->month[to - 1].to_us));
        }
    }
    return RR_OK;
}

static enum rr_status sheet_of(const struct rr_finance_view *v, const struct grid *g, struct period *const *p, int months, const char *name,
                               const char *title, struct rr_sheets *out)
{
    struct rr_sheet_maker m = begin(v, name, title);
    if (months == 3) {
        rr_sheet_column(&m, "Owed at its end", RR_SHEET_MONEY);
        rr_sheet_column(&m, "Book value", RR_SHEET_MONEY);
        rr_sheet_column(&m, "Cost of leaving", RR_SHEET_MONEY);
    }
    const enum rr_status st = put_periods(v, g, p, months, &m);
    const struct rr_sheet sheet = rr_sheet_end(&m);
    rr_vec_push(&out->list, sheet);
    return st;
}

enum rr_status rr_finance_periods(const struct rr_finance_view *v, struct rr_sheets *out)
{
    struct grid g;
    if (!v->book[0].billing->scenario->clock.anchored) return RR_OK; // no calendar
    RR_TRY(grid_of(v, &g));
    if (g.n < 2) return RR_OK;
    struct period **p = RR_NEWS(v->arena, struct period *, v->n);
    for (size_t i = 0; i < v->n; i++) {
        p[i] = RR_NEWS(v->arena, struct period, g.n);
        RR_TRY(add_charges(&v->book[i], &g, p[i]));
    }
    if (g.n > 12) RR_TRY(sheet_of(v, &g, p, 12, "finance.years", "By fiscal year", out));
    if (g.n > 3) RR_TRY(sheet_of(v, &g, p, 3, "finance.quarters", "By quarter", out));
    return sheet_of(v, &g, p, 1, "finance.months", "By month", out);
}
