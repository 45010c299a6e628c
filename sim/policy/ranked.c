/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/policy/ranked.c - the pass of a ranked scheduler, and its guard against starvation. */
#include "sim/policy/ranked.h"
#include "sim/policy/heap.h"
#include <assert.h>

static bool before(const struct rr_ranked_job *a, const struct rr_ranked_job *b)
{
    return a->rank != b->rank ? a->rank < b->rank : a->job < b->job;
}

static bool sooner(const struct rr_ranked_due *a, const struct rr_ranked_due *b)
{
    return a->due_us != b->due_us ? a->due_us < b->due_us : a->job < b->job;
}

RR_HEAP(jobs, struct rr_ranked_job, before)
RR_HEAP(dues, struct rr_ranked_due, sooner)

static int64_t guarded_rank(uint32_t job) { return INT64_MIN + 1 + job; }
static bool is_guarded(int64_t rank) { return rank < RR_RANK_LEAST; }

// --- life ---

// Jobs that the guard has put first are not interrupted.
static int64_t running_rank(void *ctx, struct rr_sim *s, uint32_t slot)
{
    struct rr_ranked *r = ctx;
    if (rr_ranked_is_guarded(r, s->slot.at[slot].job)) return INT64_MIN;
    return r->rules.runs(r->state, s, slot);
}

static int64_t *zeros(size_t n) { return memset(rr_xrealloc(NULL, n + 1, sizeof(int64_t)), 0, (n + 1) * sizeof(int64_t)); }

void rr_ranked_init(struct rr_ranked *r, const struct rr_sim *s, struct rr_rank_rules rules, void *state)
{
    *r = (struct rr_ranked){.rules = rules, .state = state, .wake_us = RR_NEVER, .freed = UINT64_MAX};
    if (rules.preempts) rr_victims_init(&r->victims, s, running_rank, r, rules.falls);
    // where pools or speeds differ, so may the ranks of a job that waits and runs: one that was interrupted could come before the one that it
    // made room for, and so on for ever
    r->victims.spares = rules.preempts && (s->n_pools > 1 || rr_sim_has_speeds(s));
    r->n_pools = s->n_pools;
    if (s->n_pools > 1) r->held_up = memset(rr_xrealloc(NULL, s->n_pools, sizeof *r->held_up), 0, s->n_pools * sizeof *r->held_up);
    if (rules.migrate) rr_ranked_migration_init(r, s);
    if (r->victims.spares || rules.max_wait_us > 0 || rules.migrate) r->rank = zeros(s->trace->n);
    if (rules.max_wait_us == 0) return;
    r->wait_us = zeros(s->trace->n);
    r->since_us = zeros(s->trace->n);
}

void rr_ranked_done(void *ranked)
{
    struct rr_ranked *r = ranked;
    if (r->rules.preempts) rr_victims_done(&r->victims);
    for (size_t i = 0; i < r->ask.n; i++) rr_vec_done(&r->ask.at[i].heap);
    rr_vec_done(&r->ask);
    rr_vec_done(&r->fresh);
    rr_vec_done(&r->candidate);
    rr_vec_done(&r->due);
    rr_vec_done(&r->young);
    rr_vec_done(&r->waiting);
    rr_ranked_migration_done(r, r->n_pools);
    free(r->rank);
    free(r->wait_us);
    free(r->held_up);
    free(r->since_us);
}

// --- entries ---

static bool is_old(const struct rr_ranked *r, const struct rr_sim *s, const struct rr_ranked_job *x)
{
    return r->rank && (!rr_sim_waits(s, x->job) || r->rank[x->job] != x->rank);
}

// The first of an ask's jobs.
static bool first_of(struct rr_ranked *r, const struct rr_sim *s, uint32_t ask, struct rr_ranked_job *ret)
{
    struct rr_ranked_ask *a = &r->ask.at[ask];
    while (a->heap.n && is_old(r, s, &a->heap.at[0])) rr_heap_drop(jobs, &a->heap);
    if (a->heap.n == 0) return false;
    *ret = a->heap.at[0];
    return true;
}

static void consider(struct rr_ranked *r, const struct rr_sim *s, uint32_t ask)
{
    struct rr_ranked_job x;
    if (r->ask.n <= ask || !first_of(r, s, ask, &x) || r->ask.at[ask].candidate == x.job + 1) return;
    r->ask.at[ask].candidate = x.job + 1;
    rr_heap_put(jobs, &r->candidate, x);
}

static void enter(struct rr_ranked *r, const struct rr_sim *s, struct rr_ranked_job x)
{
    while (r->ask.n <= x.ask) rr_vec_push(&r->ask, (struct rr_ranked_ask){0});
    struct rr_ranked_ask *a = &r->ask.at[x.ask];
    if (r->rank) r->rank[x.job] = x.rank;
    if (r->migration) {
        rr_vec_push(&r->waiting, x);
        r->again = true;
        return;
    }
    rr_heap_put(jobs, &a->heap, x);
    if (r->passing) { // interrupted for another job: it may find room elsewhere, unless one like it, and before it, did not
        if (a->heap.at[0].job == x.job) consider(r, s, x.ask);
    } else if (!a->fresh) {
        a->fresh = true;
        rr_vec_push(&r->fresh, x.ask);
    }
}

// --- the guard ---

static int64_t due_us(const struct rr_ranked *r, uint32_t job)
{
    const int64_t left = r->rules.max_wait_us - r->wait_us[job];
    return rr_add_us(r->since_us[job], left > 0 ? left : 0);
}

static bool is_due(const struct rr_ranked *r, const struct rr_sim *s, const struct rr_ranked_due *d)
{
    return rr_sim_waits(s, d->job) && !is_guarded(r->rank[d->job]) && due_us(r, d->job) == d->due_us;
}

static void set_timer(struct rr_ranked *r, struct rr_sim *s)
{
    while (r->due.n && !is_due(r, s, &r->due.at[0])) rr_heap_drop(dues, &r->due);
    if (r->due.n == 0 || r->due.at[0].due_us >= r->wake_us) return;
    r->wake_us = r->due.at[0].due_us;
    rr_sim_wake(s, r->wake_us > s->now_us ? r->wake_us : s->now_us);
}

static void watch(struct rr_ranked *r, struct rr_sim *s, uint32_t job)
{
    r->since_us[job] = s->now_us;
    if (is_guarded(r->rank[job])) return;
    const struct rr_ranked_due d = {due_us(r, job), job};
    rr_heap_put(dues, &r->due, d);
    set_timer(r, s);
}

void rr_ranked_timer(void *ranked, struct rr_sim *s)
{
    struct rr_ranked *r = ranked;
    if (!r->wait_us || r->wake_us > s->now_us) return;
    r->wake_us = RR_NEVER;
    while (r->due.n && r->due.at[0].due_us <= s->now_us) {
        const struct rr_ranked_due d = r->due.at[0];
        rr_heap_drop(dues, &r->due);
        if (!is_due(r, s, &d)) continue;
        enter(r, s, (struct rr_ranked_job){guarded_rank(d.job), d.job, rr_ask_of(&s->asks, d.job)});
    }
    set_timer(r, s);
}

// --- hooks ---

void rr_ranked_submit(void *ranked, struct rr_sim *s, uint32_t job, uint32_t ask)
{
    struct rr_ranked *r = ranked;
    const bool guarded = rr_ranked_is_guarded(r, job);
    enter(r, s, (struct rr_ranked_job){guarded ? r->rank[job] : r->rules.waits(r->state, s, job), job, ask});
    if (r->wait_us) watch(r, s, job);
}

void rr_ranked_started(void *ranked, struct rr_sim *s, uint32_t job)
{
    struct rr_ranked *r = ranked;
    if (r->wait_us) r->wait_us[job] += s->now_us - r->since_us[job];
    if (!r->rules.preempts || r->migration) return;
    rr_victims_touch(&r->victims, s, job);
    if (r->victims.spares) rr_vec_push(&r->young, job);
}

void rr_ranked_ended(void *ranked, struct rr_sim *s, uint32_t job)
{
    struct rr_ranked *r = ranked;
    if (r->rules.preempts && !r->migration) rr_victims_touch(&r->victims, s, job);
}

void rr_ranked_changed(struct rr_ranked *r, struct rr_sim *s, uint32_t job)
{
    if (!r->migration) rr_victims_touch(&r->victims, s, job);
    r->again = true;
}

// --- the pass ---

static bool start(struct rr_ranked *r, struct rr_sim *s, const struct rr_ranked_job *x)
{
    if (rr_sim_start_beside(s, x->job, x->ask, r->held_up)) return true;
    if (!r->rules.preempts) return false;
    int64_t above = x->rank;
    if (is_guarded(x->rank))
        above = RR_RANK_LEAST;
    else if (r->rules.counts_from_zero)
        above = x->rank > RR_NEVER - s->now_us ? RR_NEVER : x->rank + s->now_us;
    if (!rr_victims_make_room(&r->victims, s, x->ask, above, r->held_up)) return false;
    const bool started = rr_sim_start_beside(s, x->job, x->ask, r->held_up);
    assert(started);
    return started;
}

static void consider_all(struct rr_ranked *r, const struct rr_sim *s)
{
    for (size_t i = 0; i < s->asks.busy.n; i++) consider(r, s, s->asks.busy.at[i]);
}

static void choose(struct rr_ranked *r, struct rr_sim *s, bool all)
{
    if (all) consider_all(r, s);
    for (size_t i = 0; i < r->fresh.n; i++) {
        consider(r, s, r->fresh.at[i]);
        r->ask.at[r->fresh.at[i]].fresh = false;
    }
    r->fresh.n = 0;
    if (r->blocked) consider(r, s, r->blocker.ask);
}

// The candidate that goes first.
static bool next(struct rr_ranked *r, const struct rr_sim *s, struct rr_ranked_job *ret)
{
    while (r->candidate.n) {
        const struct rr_ranked_job c = r->candidate.at[0];
        rr_heap_drop(jobs, &r->candidate);
        if (r->ask.at[c.ask].candidate != c.job + 1) continue; // another one has come before it
        r->ask.at[c.ask].candidate = 0;
        if (first_of(r, s, c.ask, ret) && ret->job == c.job && ret->rank == c.rank) return true;
        consider(r, s, c.ask);
    }
    return false;
}

// x waits: nobody behind it starts where it could run. With every pool held up there is nothing left to look at.
static void hold_up(struct rr_ranked *r, struct rr_sim *s, struct rr_ranked_job x)
{
    if (r->held_up && !rr_sim_hold_up(s, x.ask, r->held_up)) {
        r->some_up = true;
        return;
    }
    for (size_t i = 0; i < r->candidate.n; i++) r->ask.at[r->candidate.at[i].ask].candidate = 0;
    r->candidate.n = 0;
    r->blocked = true;
    r->blocker = x;
}

static void forget_started(struct rr_ranked *r, const struct rr_ranked_job *x)
{
    struct rr_ranked_ask *a = &r->ask.at[x->ask];
    if (a->heap.at[0].job == x->job) {
        rr_heap_drop(jobs, &a->heap);
        return;
    }
    // an interrupted job came before it: one that had not yet paid for its last interruption is nearer to its end than when it ran
    size_t i = 1;
    while (a->heap.at[i].job != x->job || a->heap.at[i].rank != x->rank) i++;
    const struct rr_ranked_job last = a->heap.at[--a->heap.n];
    if (i == a->heap.n) return;
    a->heap.at[i] = last;
    for (size_t k = 1; k < a->heap.n; k++) jobs_rise(a->heap.at, k, a->heap.at[k]);
}

void rr_ranked_pass(void *ranked, struct rr_sim *s)
{
    struct rr_ranked *r = ranked;
    if (r->migration) {
        if (r->again || r->freed != s->freed) rr_ranked_migrate(r, s);
        r->again = false;
        r->freed = s->freed;
        return;
    }
    for (size_t i = 0; i < r->young.n; i++) rr_victims_touch(&r->victims, s, r->young.at[i]);
    r->young.n = 0;
    bool all = r->again || r->some_up || r->freed != s->freed;
    if (r->held_up) memset(r->held_up, 0, r->n_pools * sizeof *r->held_up);
    r->some_up = false;
    const bool was_blocked = r->blocked && !all;
    r->passing = true;
    choose(r, s, all);
    r->blocked = false;
    struct rr_ranked_job x;
    while (next(r, s, &x)) {
        const bool is_blocker = was_blocked && x.job == r->blocker.job && x.rank == r->blocker.rank;
        const uint64_t freed = s->freed;
        if ((is_blocker && freed == r->freed) || !start(r, s, &x)) {
            if (r->rules.blocking || is_guarded(x.rank)) hold_up(r, s, x);
            continue;
        }
        forget_started(r, &x);
        consider(r, s, x.ask);
        if (all || (s->freed == freed && !is_blocker)) continue;
        all = true;
        consider_all(r, s);
    }
    r->passing = r->again = false;
    r->freed = s->freed;
}
