/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/train/market.c - stretches of a spot market. */
#include "models/train/market.h"
#include "data/base/time.h"
#include "data/base/vec.h"
#include <string.h>

#define LONGEST_US (1000 * RR_YEAR_US)

double rr_market_reclaim_s(const struct rr_spot_terms *t, int64_t nodes)
{
    struct rr_spot_terms own = *t;
    struct rr_spot_hits hits;
    if (t->availability != RR_NODES_HITS) return 0;
    own.pool_nodes = nodes;
    rr_spot_hits_init(&hits, &own, 0, 0);
    return hits.mean_us / 1e6;
}

double rr_market_back_s(const struct rr_spot_terms *t) { return rr_dist_mean(&t->back_us) / 1e6; }

/* ---- stretches ---- */

struct course { /* of prices and capacity together */
    const struct rr_spot_terms *t;
    int64_t need;
    struct rr_spot_prices prices;
    struct rr_spot_nodes nodes;
    int64_t nano, count;              /* now */
    int64_t next_nano, next_count;    /* from then on */
    int64_t price_at_us, count_at_us; /* RR_NEVER: no more */
};

static void next_price(struct course *c)
{
    if (!rr_spot_prices_next(&c->prices, &c->price_at_us, &c->next_nano)) c->price_at_us = RR_NEVER;
}

static void next_count(struct course *c)
{
    if (c->t->availability != RR_NODES_SERIES || !rr_spot_nodes_next(&c->nodes, &c->count_at_us, &c->next_count)) c->count_at_us = RR_NEVER;
}

static void course_init(struct course *c, const struct rr_spot_terms *t, int64_t need, uint64_t seed, uint32_t replication)
{
    *c = (struct course){.t = t, .need = need, .count = need};
    rr_spot_prices_init(&c->prices, t, seed, replication);
    rr_spot_nodes_init(&c->nodes, t);
    next_price(c);
    next_count(c);
}

/* Takes what changes at now_us; the time of the next change. */
static int64_t step(struct course *c, int64_t now_us)
{
    while (c->price_at_us <= now_us) {
        c->nano = c->next_nano;
        next_price(c);
    }
    while (c->count_at_us <= now_us) {
        c->count = c->next_count;
        next_count(c);
    }
    return c->price_at_us < c->count_at_us ? c->price_at_us : c->count_at_us;
}

static bool is_open(const struct course *c) { return c->nano <= c->t->max_nano && c->count >= c->need; }

static enum rr_status never(const struct course *c, int64_t left_us)
{
    if (c->count < c->need)
        return rr_fail(RR_EINPUT, "the market never has %lld machines for long enough: %.3g h of work are left", (long long)c->need,
                       (double)left_us / 3.6e9);
    return rr_fail(RR_EINPUT, "the price is never below \"max_price\" for long enough: %.3g h of work are left", (double)left_us / 3.6e9);
}

struct stretches {
    RR_VEC(struct rr_market_hold) list;
    int64_t left_us; /* of work, and of the restoring before it */
};

/* From from_us the machines can be held until to_us; false: nothing is left to do. */
static bool hold(struct stretches *s, int64_t from_us, int64_t to_us)
{
    struct rr_market_hold h = {from_us, to_us};
    const bool ends = to_us - from_us >= s->left_us;
    if (ends) h.to_us = from_us + s->left_us;
    s->left_us -= h.to_us - h.from_us;
    if (s->list.n > 0 && s->list.at[s->list.n - 1].to_us == from_us)
        s->list.at[s->list.n - 1].to_us = h.to_us;
    else
        rr_vec_push(&s->list, h);
    return !ends;
}

static enum rr_status walk(struct course *c, int64_t again_us, size_t most, struct stretches *s)
{
    bool was_open = true; // at the start there is nothing to restore
    for (int64_t now = 0; now < LONGEST_US;) {
        const int64_t until = step(c, now);
        const bool open = is_open(c);
        if (open && !was_open) s->left_us += s->list.n > 0 ? again_us : 0;
        if (open && !hold(s, now, until < LONGEST_US ? until : LONGEST_US)) return RR_OK;
        if (s->list.n > most) return rr_fail(RR_EINPUT, "the market stops the run more than %zu times", most);
        was_open = open;
        now = until;
    }
    return never(c, s->left_us);
}

enum rr_status rr_market_hold(const struct rr_spot_terms *t, int64_t nodes, uint64_t seed, uint32_t replication, int64_t work_us,
                              int64_t again_us, size_t most, struct rr_arena *a, struct rr_market_hold **ret, size_t *ret_n)
{
    struct course c;
    struct stretches s = {.left_us = work_us};
    course_init(&c, t, nodes, seed, replication);
    const enum rr_status st = walk(&c, again_us, most, &s);
    if (st == RR_OK) {
        *ret = RR_NEWS(a, struct rr_market_hold, s.list.n);
        memcpy(*ret, s.list.at, s.list.n * sizeof **ret);
        *ret_n = s.list.n;
    }
    rr_vec_done(&s.list);
    return st;
}
