/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/study/ledger.c - collects charges, and checks the laws of money on them. */
#include "sim/study/parts.h"
#include <inttypes.h>
#include <string.h>

static enum rr_status keep(struct rr_sink *sink, const struct rr_charge *c)
{
    struct rr_ledger *l = (struct rr_ledger *)sink;
    RR_TRY(rr_money_add(&l->billed, c->billed));
    RR_TRY(rr_money_add(&l->effective, c->effective));
    RR_TRY(rr_money_add(&l->after_horizon, c->after_horizon));
    rr_vec_push(&l->charge, *c);
    return RR_OK;
}

static enum rr_status keep_cover(struct rr_sink *sink, const struct rr_cover *c)
{
    rr_vec_push(&((struct rr_ledger *)sink)->cover, *c);
    return RR_OK;
}

void rr_ledger_init(struct rr_ledger *l) { *l = (struct rr_ledger){.sink = {keep, keep_cover}}; }

void rr_ledger_done(struct rr_ledger *l)
{
    rr_vec_done(&l->charge);
    rr_vec_done(&l->cover);
}

void rr_run_done(struct rr_run *r)
{
    rr_trace_done(&r->jobs);
    rr_replay_done(&r->replay);
    rr_notes_done(&r->notes);
    *r = (struct rr_run){0};
}

/* Totals by one key of the charges, made in one pass and compared with the ledger's own. */
struct tally {
    const char *by;
    size_t n, cap;
    int64_t *key;
    struct rr_money *billed, *effective;
};

static enum rr_status tally_add(struct tally *t, struct rr_arena *a, int64_t key, const struct rr_charge *c)
{
    size_t i = 0;
    while (i < t->n && t->key[i] != key) i++;
    if (i == t->n && t->n == t->cap) {
        const size_t cap = t->cap ? 2 * t->cap : 64;
        int64_t *k = RR_NEWS(a, int64_t, cap);
        struct rr_money *b = RR_NEWS(a, struct rr_money, cap), *e = RR_NEWS(a, struct rr_money, cap);
        if (t->n) {
            memcpy(k, t->key, t->n * sizeof *k);
            memcpy(b, t->billed, t->n * sizeof *b);
            memcpy(e, t->effective, t->n * sizeof *e);
        }
        *t = (struct tally){t->by, t->n, cap, k, b, e};
    }
    if (i == t->n) t->key[t->n++] = key;
    RR_TRY(rr_money_add(&t->billed[i], c->billed));
    return rr_money_add(&t->effective[i], c->effective);
}

static enum rr_status tally_equals(const struct tally *t, const struct rr_ledger *l)
{
    rr_i128 billed = 0, effective = 0;
    for (size_t i = 0; i < t->n; i++) {
        billed += t->billed[i].micro;
        effective += t->effective[i].micro;
    }
    if (billed != l->billed.micro || effective != l->effective.micro)
        return rr_fail(RR_EINTERNAL,
                       "law 3 (money) is broken: by %s the charges come to %" PRId64 " billed and %" PRId64
                       " effective micro-units, in total to %" PRId64 " and %" PRId64,
                       t->by, (int64_t)billed, (int64_t)effective, l->billed.micro, l->effective.micro);
    return RR_OK;
}

/* Names of plan types are few and static: the first letters tell them apart as a key. */
static int64_t type_key(const char *type)
{
    uint64_t h = 14695981039346656037u;
    for (; *type; type++) h = (h ^ (unsigned char)*type) * 1099511628211u;
    return (int64_t)h;
}

enum rr_status rr_check_money(const struct rr_billing *b, const struct rr_ledger *l, struct rr_buf *detail)
{
    struct tally pool = {.by = "pool"}, plan = {.by = "plan"}, month = {.by = "month"};
    for (size_t i = 0; i < l->charge.n; i++) {
        const struct rr_charge *c = &l->charge.at[i];
        int64_t start = 0, next = RR_NEVER; // without a calendar all is one month
        if (b->scenario->clock.anchored) {
            RR_TRY(rr_month_start(&b->scenario->clock, c->from_us, &start));
            RR_TRY(rr_month_next(&b->scenario->clock, c->from_us, &next));
        }
        if (c->to_us > next) return rr_fail(RR_EINTERNAL, "law 3 (money) is broken: a \"%s\" charge runs over a month end", c->line);
        RR_TRY(tally_add(&pool, b->arena, c->pool, c));
        RR_TRY(tally_add(&plan, b->arena, type_key(c->type), c));
        RR_TRY(tally_add(&month, b->arena, start, c));
    }
    RR_TRY(tally_equals(&pool, l));
    RR_TRY(tally_equals(&plan, l));
    RR_TRY(tally_equals(&month, l));
    rr_buf_putf(detail, "%zu charges by %zu pools, %zu plans, %zu months and by job class all come to ", l->charge.n, pool.n, plan.n,
                month.n);
    rr_buf_money(detail, l->effective, b->scenario->currency, 6);
    rr_buf_puts(detail, " effective, ");
    rr_buf_money(detail, l->billed, b->scenario->currency, 6);
    rr_buf_puts(detail, " billed");
    return RR_OK;
}

static double hours(rr_i128 us) { return (double)us / (double)RR_H; }

/* Node time of a pool inside the horizon. */
static rr_i128 held_us(const struct rr_billing *b, size_t pool)
{
    rr_i128 sum = 0;
    for (size_t i = b->pool_lease[pool]; i < b->pool_lease[pool + 1]; i++) {
        const struct rr_lease *l = &b->lease[i];
        const int64_t end = l->end_us < b->horizon_us ? l->end_us : b->horizon_us;
        if (end > l->start_us) sum += end - l->start_us;
    }
    return sum;
}

struct payers {
    rr_i128 metered, covered, left; /* billable hours: of nodes, or of GPUs where the rate is per GPU */
    rr_i128 whole, unpriced;        /* node time that its pool's plan pays as it is held; that nobody prices */
};

static enum rr_status add_pool(const struct rr_billing *b, size_t p, struct payers *x)
{
    const struct rr_usage *u = &b->usage[p];
    const rr_i128 held = held_us(b, p);
    if (!b->scenario->pool[p].plan)
        x->unpriced += held;
    else if (!u->node_us)
        x->whole += held;
    else if (!u->per_gpu && u->metered < held)
        return rr_fail(RR_EINTERNAL, "law 4 (payer) is broken: pool \"%s\" held %.6f node-hours, %.6f are metered",
                       b->scenario->pool[p].name, hours(held), hours(u->metered));
    x->metered += u->metered;
    x->covered += u->covered;
    for (size_t h = 0; u->node_us && h < u->n_hours; h++) {
        if (u->node_us[h] < 0)
            return rr_fail(RR_EINTERNAL, "law 4 (payer) is broken: pool \"%s\", hour %zu: more covered than used",
                           b->scenario->pool[p].name, h);
        x->left += u->node_us[h];
    }
    return RR_OK;
}

enum rr_status rr_check_payer(const struct rr_billing *b, struct rr_buf *detail)
{
    struct payers x = {0};
    bool per_gpu = false;
    for (size_t p = 0; p < b->scenario->n_pools; p++) {
        RR_TRY(add_pool(b, p, &x));
        per_gpu |= b->usage[p].per_gpu;
    }
    if (x.metered != x.covered + x.left)
        return rr_fail(RR_EINTERNAL, "law 4 (payer) is broken: %.6f hours metered, %.6f covered and %.6f on demand", hours(x.metered),
                       hours(x.covered), hours(x.left));
    rr_buf_putf(detail, "%.3f %s metered = %.3f covered by commitments + %.3f on demand", hours(x.metered),
                per_gpu ? "hours (GPU-hours where the rate is per GPU)" : "node-hours", hours(x.covered), hours(x.left));
    if (x.whole > 0) rr_buf_putf(detail, "; %.3f node-hours held are paid by their pool's own plan", hours(x.whole));
    if (x.unpriced > 0) rr_buf_putf(detail, "; %.3f node-hours held are unpriced", hours(x.unpriced));
    return RR_OK;
}

static bool charged_for(const struct rr_billing *b, const struct rr_ledger *l, size_t pool)
{
    if (b->usage[pool].node_us && b->usage[pool].metered == b->usage[pool].covered) return true; // a commitment pays for all of it
    for (size_t i = 0; i < l->charge.n; i++)
        if (l->charge.at[i].pool == (int)pool) return true;
    return false;
}

enum rr_status rr_check_named(const struct rr_billing *b, const struct rr_ledger *l, const struct rr_run *r,
                              const struct rr_trace *const *traces, size_t n_traces, struct rr_buf *detail)
{
    const struct rr_scenario *s = b->scenario;
    size_t unpriced = 0, rows = 0, rejected = 0, censored = 0, unplaceable = 0;
    for (size_t p = 0; p < s->n_pools; p++) {
        const bool held = held_us(b, p) > 0; // leases that ended at the instant at which they began cost nothing
        unpriced += !s->pool[p].plan;
        if (held && s->pool[p].plan && !charged_for(b, l, p))
            return rr_fail(RR_EINTERNAL, "law 5 (named) is broken: pool \"%s\" held machines that nobody is charged for", s->pool[p].name);
    }
    for (size_t i = 0; i < n_traces; i++) {
        if (!traces[i]) continue; // generated
        rows += traces[i]->rows;
        rejected += traces[i]->rejected;
        censored += traces[i]->censored;
        if (traces[i]->rows != traces[i]->n + traces[i]->rejected + traces[i]->not_chosen)
            return rr_fail(RR_EINTERNAL, "law 5 (named) is broken: %s: %zu rows read, %zu jobs kept, %zu rejected and %zu not chosen",
                           traces[i]->path, traces[i]->rows, traces[i]->n, traces[i]->rejected, traces[i]->not_chosen);
    }
    for (size_t i = 0; i < r->replay.n_jobs; i++) unplaceable += r->replay.outcome[i].state == RR_JOB_REJECTED;
    rr_buf_putf(
        detail,
        "%zu trace rows read, %zu rejected, %zu censored; %zu jobs beyond the horizon, %zu can never fit, %zu unpriced pools: all named",
        rows, rejected, censored, r->not_submitted, unplaceable, unpriced);
    return RR_OK;
}
