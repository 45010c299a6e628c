/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/policy/queue.c - lines of waiting jobs by ask, and the scan over them. */
#include "sim/policy/queue.h"
#include <assert.h>

#define RR_GONE RR_NEVER

void rr_queue_init(struct rr_queue *q, bool shortest, enum rr_lines lines) { *q = (struct rr_queue){.shortest = shortest, .lines = lines}; }

void rr_queue_done(struct rr_queue *q)
{
    for (size_t i = 0; i < q->line.n; i++) {
        free(q->line.at[i].job);
        free(q->line.at[i].tree);
        rr_vec_done(&q->line.at[i].heap);
    }
    rr_vec_done(&q->line);
    rr_vec_done(&q->all);
    rr_vec_done(&q->candidate);
}

static bool by_length(const struct rr_queue *q) { return q->lines == RR_LINES_SHORTEST; }

// An entry of a heap that still says how things are: a job that has come again with another estimate has a newer one.
static bool is_current(const struct rr_sim *s, struct rr_queued x)
{
    return rr_sim_waits(s, x.job) && (!s->attempts || x.estimate_us == rr_sim_estimate(s, x.job));
}

// --- binary heaps ---

static void sink(bool shortest, struct rr_queued *at, size_t n, size_t i)
{
    const struct rr_queued x = at[i];
    for (size_t c = 2 * i + 1; c < n; c = 2 * i + 1) {
        if (c + 1 < n && rr_queued_before(shortest, at[c + 1], at[c])) c++;
        if (!rr_queued_before(shortest, at[c], x)) break;
        at[i] = at[c];
        i = c;
    }
    at[i] = x;
}

static void rise(bool shortest, struct rr_queued *at, size_t i)
{
    const struct rr_queued x = at[i];
    for (; i > 0 && rr_queued_before(shortest, x, at[(i - 1) / 2]); i = (i - 1) / 2) at[i] = at[(i - 1) / 2];
    at[i] = x;
}

#define heap_push(shortest, v, x)              \
    do {                                       \
        rr_vec_push((v), (x));                 \
        rise((shortest), (v)->at, (v)->n - 1); \
    } while (0)
#define heap_pop(shortest, v)                             \
    do {                                                  \
        (v)->at[0] = (v)->at[--(v)->n];                   \
        if ((v)->n) sink((shortest), (v)->at, (v)->n, 0); \
    } while (0)

// --- lines ---

static void set_leaf(struct rr_line *l, uint32_t i, int64_t us)
{
    uint32_t k = l->cap + i;
    l->tree[k] = us;
    for (k /= 2; k > 0; k /= 2) {
        const int64_t least = l->tree[2 * k] < l->tree[2 * k + 1] ? l->tree[2 * k] : l->tree[2 * k + 1];
        if (l->tree[k] == least) break;
        l->tree[k] = least;
    }
}

// Close the gaps; twice the room if more than half of it is in use.
static void rebuild(struct rr_line *l)
{
    const uint32_t cap = l->alive * 2 >= l->cap ? (l->cap ? l->cap * 2 : 16) : l->cap;
    int64_t *tree = rr_xrealloc(NULL, 2 * (size_t)cap, sizeof *tree);
    for (uint32_t i = 0; i < 2 * cap; i++) tree[i] = RR_GONE;
    if (cap != l->cap) l->job = rr_xrealloc(l->job, cap, sizeof *l->job);
    uint32_t n = 0;
    for (uint32_t i = l->first; i < l->n; i++) {
        if (l->tree[l->cap + i] == RR_GONE) continue;
        l->job[n] = l->job[i];
        tree[cap + n++] = l->tree[l->cap + i];
    }
    for (uint32_t k = cap - 1; k > 0; k--) tree[k] = tree[2 * k] < tree[2 * k + 1] ? tree[2 * k] : tree[2 * k + 1];
    free(l->tree);
    l->tree = tree;
    l->cap = cap;
    l->first = 0;
    l->n = n;
}

// The first place of [from, n) whose job is `job` or later; jobs are in order, those that have started too.
static uint32_t line_place(const struct rr_line *l, uint32_t from, uint32_t job)
{
    uint32_t low = from, high = l->n;
    while (low < high) {
        const uint32_t mid = low + (high - low) / 2;
        if (l->job[mid] < job)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

// Among jobs that came later: where it was if it still has a place there, else by moving them.
static void line_add_again(struct rr_line *l, struct rr_queued x)
{
    uint32_t at = line_place(l, 0, x.job);
    if (at < l->n && l->job[at] == x.job) {
        l->alive += l->tree[l->cap + at] == RR_GONE;
        set_leaf(l, at, x.estimate_us < RR_GONE ? x.estimate_us : RR_GONE - 1);
        if (at < l->first) l->first = at;
        return;
    }
    rebuild(l);
    at = line_place(l, 0, x.job);
    for (uint32_t i = l->n++; i > at; i--) {
        l->job[i] = l->job[i - 1];
        set_leaf(l, i, l->tree[l->cap + i - 1]);
    }
    l->job[at] = x.job;
    set_leaf(l, at, x.estimate_us < RR_GONE ? x.estimate_us : RR_GONE - 1);
    l->alive++;
}

static void line_add(struct rr_line *l, struct rr_queued x)
{
    if (l->n > 0 && x.job <= l->job[l->n - 1]) {
        line_add_again(l, x);
        return;
    }
    if (l->n == l->cap) rebuild(l);
    l->job[l->n] = x.job;
    set_leaf(l, l->n, x.estimate_us < RR_GONE ? x.estimate_us : RR_GONE - 1);
    l->n++;
    l->alive++;
}

static void line_remove(struct rr_line *l, uint32_t i)
{
    set_leaf(l, i, RR_GONE);
    if (--l->alive == 0)
        l->first = l->n = 0;
    else
        while (l->tree[l->cap + l->first] == RR_GONE) l->first++;
}

// Position of the first job with an estimate of at most `within`; l->n when there is none.
static uint32_t line_find(const struct rr_line *l, int64_t within)
{
    if (l->alive == 0) return l->n;
    if (within >= l->tree[l->cap + l->first]) return l->first;
    if (l->tree[1] > within) return l->n;
    uint32_t k = 1;
    while (k < l->cap) k = l->tree[2 * k] <= within ? 2 * k : 2 * k + 1;
    return k - l->cap;
}

static struct rr_line *line_of(struct rr_queue *q, uint32_t ask)
{
    while (q->line.n <= ask) rr_vec_push(&q->line, (struct rr_line){0});
    return &q->line.at[ask];
}

// The first job of the ask, in order, that `within` lets start; its place in *at.
static bool first_within(struct rr_queue *q, const struct rr_sim *s, uint32_t ask, int64_t within, struct rr_queued *ret, uint32_t *at)
{
    struct rr_line *l = line_of(q, ask);
    if (within < 0) return false;
    if (by_length(q)) {
        while (l->heap.n && !is_current(s, l->heap.at[0])) heap_pop(true, &l->heap);
        if (l->heap.n == 0 || l->heap.at[0].estimate_us > within) return false;
        *ret = l->heap.at[0];
        return true;
    }
    *at = line_find(l, within == RR_NEVER ? RR_GONE - 1 : within);
    if (*at == l->n) return false;
    *ret = (struct rr_queued){.estimate_us = l->tree[l->cap + *at], .job = l->job[*at], .ask = ask};
    return true;
}

// --- the queue ---

// Forget those of x[from, n) that have started; returns how many are left, at the start of x.
static size_t keep_waiting(const struct rr_sim *s, struct rr_queued *x, size_t from, size_t n, bool heap)
{
    size_t kept = 0;
    for (size_t i = from; i < n; i++)
        if (heap ? is_current(s, x[i]) : rr_sim_waits(s, x[i].job)) x[kept++] = x[i];
    for (size_t i = kept / 2; heap && i-- > 0;) sink(true, x, kept, i);
    return kept;
}

void rr_queued_insert(struct rr_queued *x, size_t n, struct rr_queued in)
{
    for (; n > 0 && x[n - 1].job > in.job; n--) x[n] = x[n - 1];
    x[n] = in;
}

// Among jobs that came later; it may have left its entry behind.
static void again(struct rr_queue *q, struct rr_queued x)
{
    for (size_t low = q->head, high = q->all.n; low < high;) {
        const size_t mid = low + (high - low) / 2;
        if (q->all.at[mid].job == x.job) return;
        if (q->all.at[mid].job < x.job)
            low = mid + 1;
        else
            high = mid;
    }
    if (q->head > 0 && x.job < q->all.at[q->head].job) {
        q->all.at[--q->head] = x;
        return;
    }
    rr_vec_reserve(&q->all, q->all.n + 1);
    rr_queued_insert(q->all.at + q->head, q->all.n++ - q->head, x);
}

void rr_queue_push(struct rr_queue *q, const struct rr_sim *s, struct rr_queued x)
{
    if (q->all.n - q->head > 2 * (size_t)s->level.queue + 1024) {
        q->all.n = keep_waiting(s, q->all.at, q->head, q->all.n, q->shortest);
        q->head = 0;
    }
    if (q->shortest)
        heap_push(true, &q->all, x);
    else if (q->all.n > q->head && x.job <= q->all.at[q->all.n - 1].job)
        again(q, x);
    else
        rr_vec_push(&q->all, x);
    if (!q->lines) return;
    struct rr_line *l = line_of(q, x.ask);
    if (by_length(q) && l->heap.n > 2 * (size_t)s->asks.ask.at[x.ask].waiting + 64)
        l->heap.n = keep_waiting(s, l->heap.at, 0, l->heap.n, true);
    if (by_length(q))
        heap_push(true, &l->heap, x);
    else
        line_add(l, x);
}

bool rr_queue_head(struct rr_queue *q, const struct rr_sim *s, struct rr_queued *ret)
{
    if (q->shortest) {
        while (q->all.n && !is_current(s, q->all.at[0])) heap_pop(true, &q->all);
    } else {
        while (q->head < q->all.n && !rr_sim_waits(s, q->all.at[q->head].job)) q->head++;
        if (q->head * 2 > q->all.n) {
            q->all.n -= q->head;
            memmove(q->all.at, q->all.at + q->head, q->all.n * sizeof *q->all.at);
            q->head = 0;
        }
    }
    if (q->head == q->all.n) return false;
    *ret = q->all.at[q->head];
    return true;
}

void rr_queue_drop_head(struct rr_queue *q)
{
    const uint32_t ask = q->all.at[q->head].ask;
    if (q->shortest) {
        heap_pop(true, &q->all);
        return;
    }
    q->head++;
    if (q->lines == RR_LINES_ARRIVAL) line_remove(line_of(q, ask), q->line.at[ask].first);
}

// --- the scan ---

size_t rr_queue_asks(const struct rr_queued *x, size_t n, uint32_t *ret)
{
    size_t found = 0;
    for (size_t i = 0; i < n; i++) {
        size_t k = 0;
        while (k < found && ret[k] != x[i].ask) k++;
        if (k == found) ret[found++] = x[i].ask;
    }
    return found;
}

static void consider(struct rr_queue *q, struct rr_sim *s, uint32_t ask, int64_t within)
{
    struct rr_queued x;
    uint32_t at;
    if (first_within(q, s, ask, within, &x, &at)) heap_push(by_length(q), &q->candidate, x);
}

void rr_queue_scan(struct rr_queue *q, struct rr_sim *s, const uint32_t *asks, size_t n, int64_t (*within)(struct rr_sim *s, uint32_t ask),
                   bool (*start)(struct rr_sim *s, uint32_t job, uint32_t ask))
{
    assert(q->lines);
    q->candidate.n = 0;
    for (size_t i = 0; i < n; i++) consider(q, s, asks[i], within(s, asks[i]));
    while (q->candidate.n) {
        const struct rr_queued c = q->candidate.at[0];
        heap_pop(by_length(q), &q->candidate);
        struct rr_queued x;
        uint32_t at = 0;
        if (!first_within(q, s, c.ask, within(s, c.ask), &x, &at)) continue;
        if (x.job != c.job) { // room has shrunk since it was found: its turn comes later
            heap_push(by_length(q), &q->candidate, x);
            continue;
        }
        if (!start(s, c.job, c.ask)) continue;
        if (!by_length(q)) line_remove(line_of(q, c.ask), at);
        consider(q, s, c.ask, within(s, c.ask));
    }
}
