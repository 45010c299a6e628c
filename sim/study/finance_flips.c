/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/study/finance_flips.c - which inputs the verdict hangs on: for the strongest, the value at which the best and the second best change places; and
 * the same question for the course of rents.
 *
 * Every figure is a bill made anew over the leases of replication 1: what the machines did stays as it was. Inputs that the engine's course depends on
 * (RR_PF_DECIDES) are left out, for another value would have made other leases. */
#include "models/finance/breakeven.h"
#include "data/base/fmath.h"
#include "data/price_book.h"
#include "sim/study/finance.h"
#include "sim/study/inputs.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { STRONGEST = 10, POINTS = 9 };

struct search {
    const struct rr_finance_view *v;
    const struct rr_books *best, *second;
    int criterion;
    struct rr_inputs in;
    const struct rr_input_row *at; /* being searched */
};

/* ---- turning it ---- */

/* Criterion of the best less that of the second with the input at x; both see the same value. */
static enum rr_status difference(void *ctx, double x, double *ret)
{
    const struct search *s = ctx;
    double m[RR_METRICS], of[2];
    const struct rr_books *book[] = {s->best, s->second};
    cJSON *node = rr_input_node(s->at->row, s->at->params, x);
    const struct rr_edit edit = {s->at->pointer, node};
    enum rr_status st = RR_OK;
    for (size_t i = 0; i < 2 && st == RR_OK; i++) {
        st = rr_rebill(s->v->set, book[i], &edit, 1, m);
        of[i] = m[s->criterion];
    }
    cJSON_Delete(node);
    if (st == RR_OK) *ret = of[0] - of[1];
    return st;
}

/* False where the document takes no such value: some rows exclude each other. */
static bool swing_of(struct search *s, struct rr_input_row *x)
{
    double low, high, down, up;
    rr_input_ends(x, &down, &up);
    s->at = x;
    if (difference(s, down, &low) != RR_OK || difference(s, up, &high) != RR_OK) return false;
    x->swing = fabs(high - low);
    return isfinite(x->swing);
}

static int strongest_first(const void *a, const void *b)
{
    const struct rr_input_row *x = a, *y = b;
    if (x->swing != y->swing) return x->swing < y->swing ? 1 : -1;
    return strcmp(x->pointer, y->pointer);
}

/* Three digits are enough for a place where a verdict flips. */
static double rounded(double x)
{
    if (x == 0) return 0;
    const double unit = rr_pow(10, floor((rr_log(fabs(x)) / rr_log(10))) - 2);
    return round(x / unit) * unit;
}

static void put_flip(struct search *s, struct rr_sheet_maker *m, const struct rr_input_row *x)
{
    struct rr_arena *a = s->v->arena;
    const double now = rr_input_value(x->row, x->params);
    struct rr_flip_search search = {
        .difference = difference, .ctx = s, .lo = now * 0.1, .hi = now * 4, .now = now, .points = POINTS, .close = 1e-4};
    struct rr_flip flip;
    if (x->row->type == RR_P_SHARE || x->row->type == RR_P_REAL) {
        if (x->row->least < x->row->most) {
            search.lo = fmax(search.lo, x->row->least);
            search.hi = fmin(search.hi, x->row->most);
        }
        if (x->row->type == RR_P_SHARE && search.hi > 1 && now <= 1) search.hi = 1;
    }
    if (x->row->type == RR_P_DURATION) search.lo = fmax(1, search.lo);
    s->at = x;
    rr_sheet_row(m);
    rr_sheet_text(m, x->pointer);
    rr_sheet_text(m, rr_input_shown(a, x, now));
    rr_sheet_number(m, x->swing);
    if (search.lo >= search.hi || now < search.lo || now > search.hi) {
        rr_sheet_text(m, "its range leaves no room");
        return;
    }
    if (rr_flip_find(&search, &flip) != RR_OK)
        rr_sheet_text(m, "not found: some values of it are refused");
    else if (flip.n == 0)
        rr_sheet_text(
            m, rr_strf(a, "never between %s and %s", rr_input_shown(a, x, rounded(search.lo)), rr_input_shown(a, x, rounded(search.hi))));
    else
        rr_sheet_text(m, rr_strf(a, "%s %s%s", flip.below ? "below" : "above", rr_input_shown(a, x, rounded(flip.at)),
                                 flip.n > 1 ? ", and again further off" : ""));
}

static void strongest(struct search *s, struct rr_sheets *out)
{
    const char *metric = rr_metric_info[s->criterion].name;
    struct rr_sheet_maker m =
        rr_sheet_begin(s->v->arena, "finance.flips", "What would change the verdict",
                       rr_strf(s->v->arena,
                               "Between %s and %s by %s: how much a change of the input from 90 to 110 %% moves their difference, and the "
                               "value at which they change "
                               "places. The leases of replication 1, priced again; what the machines did is held fixed.",
                               s->best->alt->name, s->second->alt->name, metric));
    rr_sheet_column(&m, "Input", RR_SHEET_TEXT);
    rr_sheet_column(&m, "Now", RR_SHEET_TEXT);
    rr_sheet_column(&m, "Swing", RR_SHEET_MONEY);
    rr_sheet_column(&m, "The verdict flips", RR_SHEET_TEXT);
    size_t n = 0;
    struct rr_input_row *input = s->in.at;
    for (size_t i = 0; i < s->in.n; i++)
        if (swing_of(s, &input[i]) && input[i].swing > 0) input[n++] = input[i];
    qsort(input, n, sizeof *input, strongest_first);
    for (size_t i = 0; i < n && i < STRONGEST; i++) put_flip(s, &m, &input[i]);
    const struct rr_sheet sheet = rr_sheet_end(&m);
    if (sheet.n_rows) rr_vec_push(&out->list, sheet);
}

/* ---- the course of rents ---- */

/* A plan whose rate may change over the years. */
static bool is_rent(const struct rr_pool *pool)
{
    bool has = false;
    for (size_t i = 0; pool->plan && i < pool->plan->n_params; i++) has |= strcmp(pool->plan->params[i].name, "change_per_year") == 0;
    return has;
}

/* Its plan has dated steps of the scenario's own, or a book dates the price that it takes. *ret_book: the latter. */
static bool is_dated(const struct rr_finance_view *v, const struct rr_scenario *s, const struct rr_pool *pool, bool *ret_book)
{
    const cJSON *plan = rr_json_at(s->document, rr_strf(v->arena, "%s/plan", pool->pointer));
    const struct rr_book_query q = {
        .instance = pool->instance_id, .region = pool->region ? pool->region : "", .plan = "on_demand", .term = "", .payment = ""};
    struct rr_price_step *step;
    struct rr_catalog priced;
    size_t n = 0;
    *ret_book = false;
    if (rr_json_member(plan, "steps")) return true;
    if (rr_json_member(plan, "rate") || !pool->instance_id) return false;
    rr_catalog_with_books(v->set->catalog, s, v->arena, &priced);
    if (rr_catalog_price_steps(&priced, &q, s->has_horizon ? s->horizon_us : RR_NEVER, v->arena, &step, &n) != RR_OK) return false;
    return *ret_book = n > 1;
}

static bool has_dated(const struct rr_finance_view *v, const struct rr_books *b)
{
    const struct rr_scenario *s = b->billing->scenario;
    bool any = false, of_book;
    for (size_t p = 0; p < s->n_pools; p++) any |= is_rent(&s->pool[p]) && is_dated(v, s, &s->pool[p], &of_book);
    return any;
}

/* By a change of so much a year, or as the dated prices say (NAN). */
static enum rr_status under_rent(const struct rr_finance_view *v, const struct rr_books *b, double a_year, double *m)
{
    const struct rr_scenario *s = b->billing->scenario;
    struct rr_edit *edit = RR_NEWS(v->arena, struct rr_edit, 2 * s->n_pools + 1);
    cJSON *rate = rr_number_node(a_year), *none = cJSON_CreateNull();
    size_t n = 0;
    bool of_book;
    for (size_t p = 0; p < s->n_pools; p++) {
        if (!is_rent(&s->pool[p])) continue;
        const bool dated = is_dated(v, s, &s->pool[p], &of_book);
        const char *plan = rr_strf(v->arena, "%s/plan", s->pool[p].pointer);
        if (!isnan(a_year) && dated && !of_book) edit[n++] = (struct rr_edit){rr_pointer_join(v->arena, plan, "steps"), none};
        if (!isnan(a_year)) edit[n++] = (struct rr_edit){rr_pointer_join(v->arena, plan, "change_per_year"), rate};
        if (isnan(a_year) && of_book) edit[n++] = (struct rr_edit){rr_pointer_join(v->arena, plan, "change_per_year"), none};
    }
    const enum rr_status st = rr_rebill(v->set, b, edit, n, m);
    cJSON_Delete(rate);
    cJSON_Delete(none);
    return st;
}

static bool rents(const struct rr_books *b)
{
    const struct rr_scenario *s = b->billing->scenario;
    for (size_t p = 0; p < s->n_pools; p++)
        if (is_rent(&s->pool[p])) return true;
    return false;
}

static void rent_courses(const struct rr_finance_view *v, int criterion, struct rr_sheets *out)
{
    static const struct {
        const char *name;
        double a_year;
    } course[] = {{"as it is", NAN},
                  {"flat", 0},
                  {"falls by 30 % a year", -0.3},
                  {"falls by 15 % a year", -0.15},
                  {"rises by 40 % a year", 0.4},
                  {"forward curve: the prices that are dated", NAN}};
    enum { AS_IT_IS, FORWARD = sizeof course / sizeof *course - 1 };
    bool any = false, forward = false;
    for (size_t i = 0; i < v->n; i++) any |= !v->book[i].alt->unpriced && rents(&v->book[i]);
    for (size_t i = 0; i < v->n; i++) forward |= !v->book[i].alt->unpriced && has_dated(v, &v->book[i]);
    if (!any || v->n < 2 || !v->book[0].billing->scenario->clock.anchored) return;
    struct rr_sheet_maker m = rr_sheet_begin(
        v->arena, "finance.rents", "If rents move",
        rr_strf(
            v->arena,
            "%s when on-demand rates change by so much a year from today%s; everything else as it is, what the machines did held fixed.",
            rr_metric_info[criterion].name, forward ? ", or as the dated prices of the scenario or its books say" : ""));
    rr_sheet_column(&m, "On-demand rates", RR_SHEET_TEXT);
    for (size_t i = 0; i < v->n; i++)
        if (!v->book[i].alt->unpriced) rr_sheet_column(&m, v->book[i].alt->name, RR_SHEET_MONEY);
    rr_sheet_column(&m, "Cheapest", RR_SHEET_TEXT);
    for (size_t k = 0; k < (forward ? FORWARD + 1 : FORWARD); k++) {
        const char *best = "";
        double least = INFINITY, metric[RR_METRICS];
        rr_sheet_row(&m);
        rr_sheet_text(&m, course[k].name);
        for (size_t i = 0; i < v->n; i++) {
            const struct rr_books *b = &v->book[i];
            if (b->alt->unpriced) continue;
            memcpy(metric, b->metric, sizeof metric);
            if (k != AS_IT_IS && rents(b) && under_rent(v, b, course[k].a_year, metric) != RR_OK)
                metric[criterion] = NAN; // a course that leads past all bounds
            rr_sheet_number(&m, metric[criterion]);
            if (b->alt->same_work && b->alt->meets_service && metric[criterion] < least) {
                least = metric[criterion];
                best = b->alt->name;
            }
        }
        rr_sheet_text(&m, best);
    }
    const struct rr_sheet sheet = rr_sheet_end(&m);
    rr_vec_push(&out->list, sheet);
}

enum rr_status rr_finance_flips(const struct rr_finance_view *v, struct rr_sheets *out)
{
    struct search *s = RR_NEW(v->arena, struct search);
    const int criterion = rr_finance_criterion(v);
    const size_t best = rr_finance_best(v), second = rr_finance_second(v, criterion);
    if (!v->again) return RR_OK;
    if (best < v->n && second < v->n) {
        *s = (struct search){.v = v, .best = &v->book[best], .second = &v->book[second], .criterion = criterion, .in.arena = v->arena};
        rr_inputs_add(&s->in, s->best->billing->scenario);
        rr_inputs_add(&s->in, s->second->billing->scenario);
        strongest(s, out);
    }
    rent_courses(v, criterion, out);
    return RR_OK;
}
