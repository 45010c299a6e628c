/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/price/price.c - the set of plans, and the four steps of a bill. */
#include "models/price/price.h"
#include "data/price_book.h"
#include "data/base/vec.h"

static const struct rr_kind *const kinds[] = {
#define X(name) &rr_price_##name.kind,
#include "models/price/list.h"
#undef X
};
const struct rr_kinds rr_price_plans = {kinds, sizeof kinds / sizeof *kinds};

/* A kind of this set is the first member of its plan. */
static const struct rr_price_plan *plan_of(const struct rr_kind *kind) { return (const struct rr_price_plan *)(const void *)kind; }

enum rr_status rr_month_parts(const struct rr_clock *c, int64_t from_us, int64_t to_us, struct rr_arena *a, struct rr_month_part **ret,
                              size_t *n)
{
    size_t cap = 8, k = 0;
    struct rr_month_part *part = RR_NEWS(a, struct rr_month_part, cap);
    for (int64_t at = from_us; at < to_us; k++) {
        int64_t next = to_us;
        if (c->anchored) RR_TRY(rr_month_next(c, at, &next));
        if (next > to_us) next = to_us;
        if (k == cap) {
            struct rr_month_part *more = RR_NEWS(a, struct rr_month_part, cap * 2);
            for (size_t i = 0; i < k; i++) more[i] = part[i];
            part = more;
            cap *= 2;
        }
        part[k] = (struct rr_month_part){at, next};
        at = next;
    }
    *ret = part;
    *n = k;
    return RR_OK;
}

/* ---- at load ---- */

static enum rr_status resolve(const struct rr_scenario *s, const struct rr_kind *kind, void *params, const struct rr_pool *pool,
                              const char *pointer, const struct rr_catalog *catalog, struct rr_arena *arena, struct rr_notes *notes)
{
    const struct rr_price_plan *plan = plan_of(kind);
    if (plan->resolve == NULL) return RR_OK;
    const enum rr_status st = plan->resolve(params, s, pool, pointer, catalog, arena, notes);
    if (st == RR_OK) return RR_OK;
    const cJSON *node = s->document != NULL ? rr_json_at((cJSON *)(uintptr_t)s->document, pointer) : NULL;
    const char *where = node != NULL && s->json != NULL ? rr_json_where(s->json, node, arena) : "";
    return rr_fail_in(st, "%s%s%s", where, *where ? ": " : "", pointer);
}

enum rr_status rr_price_resolve(struct rr_scenario *s, const struct rr_catalog *catalog, struct rr_arena *arena, struct rr_notes *notes)
{
    struct rr_catalog priced;
    rr_catalog_with_books(catalog, s, arena, &priced);
    for (size_t p = 0; p < s->n_pools; p++) {
        struct rr_pool *pool = &s->pool[p];
        const char *pointer = rr_strf(arena, "%s/plan", pool->pointer);
        if (pool->plan == NULL) continue;
        RR_TRY(resolve(s, pool->plan, pool->plan_params, pool, pointer, &priced, arena, notes));
        pool->arrives = plan_of(pool->plan)->arrives != NULL && plan_of(pool->plan)->arrives(pool->plan_params);
    }
    for (size_t i = 0; i < s->n_commitments; i++) {
        struct rr_commitment *c = &s->commitment[i];
        if (c->plan != NULL) RR_TRY(resolve(s, c->plan, c->params, NULL, c->pointer, &priced, arena, notes));
    }
    for (size_t i = 0; i < s->n_charges; i++) {
        struct rr_commitment *c = &s->charge[i];
        RR_TRY(resolve(s, c->plan, c->params, NULL, c->pointer, &priced, arena, notes));
    }
    return RR_OK;
}

/* ---- the bill ---- */

/* Passes charges on, and keeps them where plans may look at them. */
struct tap {
    struct rr_sink sink; /* first */
    struct rr_sink *to;
    struct rr_billing *b;
    RR_VEC(struct rr_charge) kept;
};

static enum rr_status tap_emit(struct rr_sink *sink, const struct rr_charge *c)
{
    struct tap *t = (struct tap *)sink;
    RR_TRY(t->to->emit(t->to, c));
    rr_vec_push(&t->kept, *c);
    t->b->charge = t->kept.at;
    t->b->n_charges = t->kept.n;
    return RR_OK;
}

static enum rr_status tap_cover(struct rr_sink *sink, const struct rr_cover *c)
{
    struct rr_sink *to = ((struct tap *)sink)->to;
    return to->cover ? to->cover(to, c) : RR_OK;
}

enum rr_status rr_cover(const struct rr_billing *b, struct rr_sink *sink, struct rr_cover cover)
{
    if (sink->cover == NULL || (cover.part == 0 && cover.quantity <= 0)) return RR_OK;
    const struct rr_pool *pool = cover.pool < 0 ? NULL : &b->scenario->pool[cover.pool];
    const struct rr_price_plan *plan = pool != NULL && pool->plan != NULL ? plan_of(pool->plan) : NULL;
    if (cover.rate.nano == 0 && plan != NULL && plan->quote != NULL && !b->usage[cover.pool].per_gpu) {
        cover.rate = (struct rr_rate){.per = RR_PER_NODE, .time = RR_HOUR};
        RR_TRY(plan->quote(pool->plan_params, cover.from_us, &cover.rate.nano));
        if (plan->list != NULL) RR_TRY(plan->list(pool->plan_params, cover.from_us, &cover.list_nano));
    }
    return sink->cover(sink, &cover);
}

/* Law 4: what was metered is covered or left, in every hour, and nothing is left below zero. */
static enum rr_status payer_check(const struct rr_billing *b, size_t p)
{
    const struct rr_usage *u = &b->usage[p];
    rr_i128 left = 0;
    for (size_t h = 0; u->node_us != NULL && h < u->n_hours; h++) {
        left += u->node_us[h];
        if (u->node_us[h] < 0)
            return rr_fail(RR_EINTERNAL, "law 4 (payer) is broken: pool \"%s\", hour %zu: more covered than used",
                           b->scenario->pool[p].name, h);
    }
    if (left + u->covered != u->metered)
        return rr_fail(RR_EINTERNAL, "law 4 (payer) is broken: pool \"%s\": covered and on demand are not what was metered",
                       b->scenario->pool[p].name);
    return RR_OK;
}

static enum rr_status meter_and_cover(struct rr_billing *b, struct rr_sink *sink)
{
    const struct rr_scenario *s = b->scenario;
    for (size_t p = 0; p < s->n_pools; p++) {
        const struct rr_pool *pool = &s->pool[p];
        if (pool->plan != NULL && plan_of(pool->plan)->meter != NULL)
            RR_TRY(plan_of(pool->plan)->meter(pool->plan_params, b, p, &b->usage[p]));
    }
    for (size_t i = 0; i < s->n_charges; i++) { // what runs already comes first
        const struct rr_commitment *c = &s->charge[i];
        if (plan_of(c->plan)->cover != NULL) RR_TRY(plan_of(c->plan)->cover(c->params, b, i, sink));
    }
    for (size_t i = 0; i < s->n_commitments; i++) {
        const struct rr_commitment *c = &s->commitment[i];
        if (c->plan != NULL && plan_of(c->plan)->cover != NULL) RR_TRY(plan_of(c->plan)->cover(c->params, b, i, sink));
    }
    return RR_OK;
}

static enum rr_status bill_and_settle(struct rr_billing *b, struct rr_sink *sink)
{
    const struct rr_scenario *s = b->scenario;
    for (size_t p = 0; p < s->n_pools; p++) {
        const struct rr_pool *pool = &s->pool[p];
        RR_TRY(payer_check(b, p));
        if (pool->plan != NULL && plan_of(pool->plan)->bill != NULL) RR_TRY(plan_of(pool->plan)->bill(pool->plan_params, b, p, sink));
    }
    for (size_t i = 0; i < s->n_charges; i++) {
        const struct rr_commitment *c = &s->charge[i];
        if (plan_of(c->plan)->bill != NULL) RR_TRY(plan_of(c->plan)->bill(c->params, b, i, sink));
    }
    for (size_t i = 0; i < s->n_commitments; i++) {
        const struct rr_commitment *c = &s->commitment[i];
        if (c->plan != NULL && plan_of(c->plan)->settle != NULL) RR_TRY(plan_of(c->plan)->settle(c->params, b, i, sink));
    }
    return RR_OK;
}

/* Plans that look at the bill so far. */
static bool looks_back(const struct rr_scenario *s)
{
    bool looks = s->n_charges > 0;
    for (size_t i = 0; i < s->n_commitments; i++) looks |= s->commitment[i].plan && plan_of(s->commitment[i].plan)->settle;
    return looks;
}

enum rr_status rr_bill(struct rr_billing *b, struct rr_sink *sink)
{
    struct tap tap = {.sink = {tap_emit, tap_cover}, .to = sink, .b = b};
    struct rr_sink *into = looks_back(b->scenario) ? &tap.sink : sink;
    b->usage = RR_NEWS(b->arena, struct rr_usage, b->scenario->n_pools);
    b->charge = NULL;
    b->n_charges = 0;
    enum rr_status st = meter_and_cover(b, into);
    if (st == RR_OK) st = bill_and_settle(b, into);
    b->charge = NULL;
    b->n_charges = 0;
    rr_vec_done(&tap.kept);
    return st;
}

enum rr_status rr_bill_terminal(const struct rr_billing *b, int64_t at_us, struct rr_money *ret)
{
    struct rr_money sum = {0};
    for (size_t p = 0; p < b->scenario->n_pools; p++) {
        const struct rr_pool *pool = &b->scenario->pool[p];
        if (pool->plan != NULL && plan_of(pool->plan)->terminal != NULL)
            RR_TRY(plan_of(pool->plan)->terminal(pool->plan_params, b, p, at_us, &sum));
    }
    *ret = sum;
    return RR_OK;
}
