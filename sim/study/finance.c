/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/study/finance.c - all sheets into the store; billing again. */
#include "sim/study/finance.h"
#include <math.h>
#include <string.h>

size_t rr_finance_best(const struct rr_finance_view *v)
{
    for (size_t i = 0; i < v->n; i++)
        if (*v->store->best && strcmp(v->book[i].alt->name, v->store->best) == 0) return i;
    return v->n;
}

size_t rr_finance_base(const struct rr_finance_view *v)
{
    for (size_t i = 0; i < v->n; i++)
        if (strcmp(v->book[i].alt->name, v->store->baseline) == 0) return i;
    return v->n;
}

int rr_finance_criterion(const struct rr_finance_view *v)
{
    const int k = rr_metric_find(v->store->criterion);
    return k >= 0 ? k : RR_M_COST_TOTAL;
}

size_t rr_finance_second(const struct rr_finance_view *v, int criterion)
{
    const size_t best = rr_finance_best(v);
    size_t second = v->n;
    for (size_t i = 0; i < v->n; i++) {
        const struct rr_alternative *a = v->book[i].alt;
        if (i == best || a->unpriced || !a->same_work || !a->meets_service) continue;
        if (second == v->n || a->metric[criterion].mean < v->book[second].alt->metric[criterion].mean) second = i;
    }
    return second;
}

int rr_fiscal_months(const struct rr_scenario *s, int64_t t_us)
{
    return (rr_civil_of(s->clock.start_us + t_us).month - s->finance.fiscal_month + 12) % 12;
}

static enum rr_status bill_again(const struct rr_books *book, const struct rr_scenario *s, struct rr_arena *arena, double *m)
{
    struct rr_billing b = *book->billing;
    struct rr_ledger l;
    b.scenario = s;
    b.arena = arena;
    rr_ledger_init(&l);
    enum rr_status st = rr_bill(&b, &l.sink);
    if (st == RR_OK) st = rr_metrics_money(&b, &l, m);
    rr_ledger_done(&l);
    return st;
}

enum rr_status rr_rebill(const struct rr_scenario_set *set, const struct rr_books *book, const struct rr_edit *edit, size_t n, double *m)
{
    struct rr_arena *arena = rr_arena_create();
    struct rr_sample sample = {0};
    memcpy(m, book->metric, RR_METRICS * sizeof *m);
    enum rr_status st = rr_sample_edit(set, book->billing->scenario, edit, n, arena, &sample);
    if (st == RR_OK) st = rr_price_resolve(sample.scenario, set->catalog, arena, &sample.scenario->notes);
    if (st == RR_OK) st = bill_again(book, sample.scenario, arena, m);
    rr_sample_done(&sample);
    rr_arena_free(arena);
    return st;
}

enum rr_status rr_tell_finance(const struct rr_finance_view *v, struct rr_store *store)
{
    struct rr_sheets out = {0};
    enum rr_status st = rr_finance_returns(v, &out);
    if (st == RR_OK) st = rr_finance_flips(v, &out);
    if (st == RR_OK) st = rr_finance_register(v, &out);
    if (st == RR_OK) st = rr_finance_bridge(v, &out);
    if (st == RR_OK) st = rr_finance_periods(v, &out);
    if (st == RR_OK) st = rr_finance_showback(v, &out);
    struct rr_sheet *kept = RR_NEWS(v->arena, struct rr_sheet, out.list.n + 1);
    if (out.list.n) memcpy(kept, out.list.at, out.list.n * sizeof *kept);
    store->sheet = kept;
    store->n_sheets = st == RR_OK ? out.list.n : 0;
    rr_vec_done(&out.list);
    return st;
}
