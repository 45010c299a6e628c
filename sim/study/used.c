/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/study/used.c - what jobs held, for bills: GPU time by pool and calendar month, and each call; exactly: from attempts where they are kept,
 * else from outcomes. */
#include "sim/study/parts.h"
#include "models/price/price.h"

struct calendar {
    const struct rr_month_part *part;
    size_t n;
};

static size_t month_at(const struct calendar *c, int64_t t_us)
{
    size_t low = 0, high = c->n;
    while (high - low > 1) {
        const size_t mid = (low + high) / 2;
        if (c->part[mid].from_us <= t_us)
            low = mid;
        else
            high = mid;
    }
    return low;
}

/* [from, to), cut at the horizon; `slices` of what milli counts make a GPU. */
static void spread(const struct calendar *c, rr_i128 *sum, int64_t from, int64_t to, int64_t milli, int64_t slices)
{
    const int64_t end = c->part[c->n - 1].to_us;
    if (to > end) to = end;
    for (size_t i = month_at(c, from); i < c->n && from < to; i++) {
        const int64_t until = c->part[i].to_us < to ? c->part[i].to_us : to;
        sum[i] += (rr_i128)milli * (until - from) / slices;
        from = until;
    }
}

enum rr_status rr_used_by_month(const struct rr_scenario *s, const struct rr_run *run, struct rr_arena *arena, const rr_i128 *const **ret)
{
    const struct rr_replay *r = &run->replay;
    struct rr_month_part *part;
    struct calendar c = {0};
    RR_TRY(rr_month_parts(&s->clock, 0, r->end_us > 0 ? r->end_us : 1, arena, &part, &c.n));
    c.part = part;
    const rr_i128 **used = RR_NEWS(arena, const rr_i128 *, s->n_pools);
    rr_i128 *all = RR_NEWS(arena, rr_i128, s->n_pools * c.n);
    for (size_t p = 0; p < s->n_pools; p++) used[p] = all + p * c.n;
    for (size_t i = 0; r->attempt && i < r->n_attempts; i++) {
        const struct rr_attempt *a = &r->attempt[i];
        spread(&c, all + a->pool * c.n, a->start_us, a->end_us, a->gpus_milli, rr_pool_slices(&s->pool[a->pool]));
    }
    for (size_t i = 0; !r->attempt && i < r->n_jobs; i++) {
        const struct rr_outcome *o = &r->outcome[i];
        if (o->start_us == RR_NEVER) continue;
        spread(&c, all + o->pool * c.n, o->start_us, o->end_us, run->jobs.gpus_milli[i], rr_pool_slices(&s->pool[o->pool]));
    }
    *ret = used;
    return RR_OK;
}

bool rr_needs_hours(const struct rr_scenario *s)
{
    for (size_t p = 0; p < s->n_pools; p++) {
        const struct rr_price_plan *plan = (const struct rr_price_plan *)s->pool[p].plan;
        if (plan && plan->hours && plan->hours(s->pool[p].plan_params)) return true;
    }
    return false;
}

/* Hours of the grid, as differences: an interval costs O(1) however long it is. */
struct hours {
    int64_t grid_us, end_us;
    rr_i128 *part, *change; /* [n] what is not a whole hour; by how much the level of whole hours changes */
    size_t n;
};

static void spread_hours(const struct hours *h, int64_t from, int64_t to, int64_t milli, int64_t slices)
{
    if (to > h->end_us) to = h->end_us;
    if (from >= to) return;
    const size_t first = (size_t)((from - h->grid_us) / RR_H), last = (size_t)((to - h->grid_us) / RR_H);
    const int64_t into = (from - h->grid_us) % RR_H, out = (to - h->grid_us) % RR_H;
    h->change[first] += milli * RR_H / slices; // [first, last) as whole hours, then what is too much and too little
    h->change[last] -= milli * RR_H / slices;
    h->part[first] -= (rr_i128)milli * into / slices;
    h->part[last] += (rr_i128)milli * out / slices;
}

void rr_spans_by_hour(const struct rr_scenario *s, const struct rr_span *span, size_t n_spans, int64_t end_us, struct rr_arena *arena,
                      struct rr_billing *b)
{
    const int64_t grid = rr_hour_start(&s->clock, 0);
    const size_t n = (size_t)((end_us - grid) / RR_H) + 1;
    const rr_i128 **used = RR_NEWS(arena, const rr_i128 *, s->n_pools);
    struct hours *h = RR_NEWS(arena, struct hours, s->n_pools);
    for (size_t p = 0; p < s->n_pools; p++) h[p] = (struct hours){grid, end_us, RR_NEWS(arena, rr_i128, n), RR_NEWS(arena, rr_i128, n), n};
    for (size_t i = 0; i < n_spans; i++)
        spread_hours(&h[span[i].pool], span[i].from_us, span[i].to_us, span[i].gpus_milli, rr_pool_slices(&s->pool[span[i].pool]));
    for (size_t p = 0; p < s->n_pools; p++) {
        rr_i128 level = 0;
        for (size_t i = 0; i < n; i++) h[p].part[i] += level += h[p].change[i];
        used[p] = h[p].part;
    }
    b->used_hour = used;
    b->n_used_hours = n;
}

void rr_used_by_hour(const struct rr_scenario *s, const struct rr_run *run, struct rr_arena *arena, struct rr_billing *b)
{
    const struct rr_replay *r = &run->replay;
    size_t n = 0;
    if (!rr_needs_hours(s)) return;
    struct rr_span *span = RR_NEWS(arena, struct rr_span, r->attempt ? r->n_attempts : r->n_jobs);
    for (size_t i = 0; r->attempt && i < r->n_attempts; i++) {
        const struct rr_attempt *a = &r->attempt[i];
        span[n++] = (struct rr_span){a->start_us, a->end_us, a->gpus_milli, a->pool};
    }
    for (size_t i = 0; !r->attempt && i < r->n_jobs; i++) {
        const struct rr_outcome *o = &r->outcome[i];
        if (o->start_us != RR_NEVER) span[n++] = (struct rr_span){o->start_us, o->end_us, run->jobs.gpus_milli[i], o->pool};
    }
    rr_spans_by_hour(s, span, n, r->end_us, arena, b);
}

bool rr_needs_calls(const struct rr_scenario *s)
{
    bool any = false;
    for (size_t p = 0; p < s->n_pools; p++) any |= s->pool[p].plan && ((const struct rr_price_plan *)s->pool[p].plan)->calls;
    for (size_t i = 0; i < s->n_charges; i++) any |= ((const struct rr_price_plan *)s->charge[i].plan)->calls;
    return any;
}

static struct rr_call call_of(const struct rr_scenario *s, const struct rr_outcome *o, int64_t from, int64_t to, int64_t milli,
                              uint16_t pool, bool last)
{
    const int64_t slices = rr_pool_slices(&s->pool[pool]);
    return (struct rr_call){from, to, (milli + slices / 2) / slices, pool, last && o->state == RR_JOB_FINISHED};
}

void rr_calls_of(const struct rr_scenario *s, const struct rr_run *run, struct rr_arena *arena, struct rr_billing *b)
{
    const struct rr_replay *r = &run->replay;
    if (!rr_needs_calls(s)) return;
    struct rr_call *call = RR_NEWS(arena, struct rr_call, r->attempt ? r->n_attempts : r->n_jobs);
    for (size_t i = 0; r->attempt && i < r->n_attempts; i++) {
        const struct rr_attempt *a = &r->attempt[i];
        const bool last = a->reason != RR_WHY_HORIZON && !rr_why_interrupts((enum rr_reason)a->reason);
        call[b->n_calls++] = call_of(s, &r->outcome[a->job], a->start_us, a->end_us, a->gpus_milli, a->pool, last);
    }
    for (size_t i = 0; !r->attempt && i < r->n_jobs; i++) {
        const struct rr_outcome *o = &r->outcome[i];
        if (o->start_us == RR_NEVER) continue;
        const int64_t end = o->end_us < r->end_us ? o->end_us : r->end_us;
        call[b->n_calls++] = call_of(s, o, o->start_us, end, run->jobs.gpus_milli[i], o->pool, true);
    }
    b->call = call;
}
