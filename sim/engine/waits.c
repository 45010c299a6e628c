/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/engine/waits.c - since when jobs wait, by ask: for autoscalers that grow when one has waited too long, and for pools that take no others.
 *
 * Jobs of one ask come in the order in which they began to wait; those that have started, or wait anew, are dropped when they come up, so a job
 * costs O(1) over all. */
#include "sim/autoscale/autoscale.h"

struct waiter {
    uint32_t job;
    int64_t since_us;
};
struct line { // of one ask
    RR_VEC(struct waiter) at;
    size_t first;
};
struct rr_wait_lines {
    RR_VEC(struct line) line; // by ask
};

void rr_waits_init(struct rr_sim *s)
{
    if (s->waits) return;
    s->waits = memset(rr_xrealloc(NULL, 1, sizeof *s->waits), 0, sizeof *s->waits);
    s->waits->since_us = rr_xrealloc(NULL, s->trace->n + 1, sizeof *s->waits->since_us);
    s->waits->lines = memset(rr_xrealloc(NULL, 1, sizeof *s->waits->lines), 0, sizeof *s->waits->lines);
}

void rr_waits_done(struct rr_sim *s)
{
    if (!s->waits) return;
    struct rr_wait_lines *w = s->waits->lines;
    for (size_t i = 0; i < w->line.n; i++) rr_vec_done(&w->line.at[i].at);
    rr_vec_done(&w->line);
    free(w);
    free(s->waits->since_us);
    free(s->waits);
    s->waits = NULL;
}

static bool is_current(const struct rr_sim *s, const struct waiter *w)
{
    return rr_sim_waits(s, w->job) && s->waits->since_us[w->job] == w->since_us;
}

// A pass at the time from which the job may use another pool.
static void wake_when_it_may(struct rr_sim *s, uint32_t ask)
{
    for (size_t i = 0; i < s->n_pools; i++) {
        const int64_t after = s->world->scenario->pool[i].spill_after_us;
        struct rr_books *b = &s->books[i];
        if (after == 0 || rr_need_of(&s->asks, ask, i)->nodes == 0 || b->spill_us == s->now_us) continue;
        b->spill_us = s->now_us; // one for all that come at this instant
        rr_elastic_wake(s, i, rr_add_us(s->now_us, after));
    }
}

void rr_waits_enter(struct rr_sim *s, uint32_t job, uint32_t ask)
{
    struct rr_wait_lines *w = s->waits->lines;
    while (w->line.n <= ask) rr_vec_push(&w->line, (struct line){0});
    struct line *l = &w->line.at[ask];
    if (l->first * 2 > l->at.n + 64) {
        l->at.n -= l->first;
        memmove(l->at.at, l->at.at + l->first, l->at.n * sizeof *l->at.at);
        l->first = 0;
    }
    s->waits->since_us[job] = s->now_us;
    rr_vec_push(&l->at, ((struct waiter){job, s->now_us}));
    if (s->any_spill) wake_when_it_may(s, ask);
}

static const struct waiter *first_of(const struct rr_sim *s, uint32_t ask)
{
    struct rr_wait_lines *w = s->waits->lines;
    if (ask >= w->line.n) return NULL;
    struct line *l = &w->line.at[ask];
    while (l->first < l->at.n && !is_current(s, &l->at.at[l->first])) l->first++;
    return l->first < l->at.n ? &l->at.at[l->first] : NULL;
}

int64_t rr_waits_since(const struct rr_sim *s, uint32_t ask)
{
    const struct waiter *w = first_of(s, ask);
    return w ? w->since_us : s->now_us;
}

int64_t rr_waits_count(const struct rr_sim *s, uint32_t ask, int64_t least_us)
{
    if (!first_of(s, ask)) return 0;
    const struct line *l = &s->waits->lines->line.at[ask];
    int64_t n = 0;
    for (size_t i = l->first; i < l->at.n && s->now_us - l->at.at[i].since_us >= least_us; i++) n += is_current(s, &l->at.at[i]);
    return n;
}

bool rr_sim_longest_wait(struct rr_sim *s, size_t pool, uint32_t *ask, int64_t *since_us)
{
    *since_us = RR_NEVER;
    uint32_t job = UINT32_MAX;
    for (size_t i = 0; i < s->asks.busy.n; i++) {
        const uint32_t a = s->asks.busy.at[i];
        if (rr_need_of(&s->asks, a, pool)->nodes == 0 || !rr_sim_ask_may(s, pool, a)) continue;
        const struct waiter *w = first_of(s, a);
        if (!w || w->since_us > *since_us || (w->since_us == *since_us && w->job > job) || rr_sim_fits(s, a)) continue;
        *ask = a;
        *since_us = w->since_us;
        job = w->job;
    }
    return *since_us != RR_NEVER;
}
