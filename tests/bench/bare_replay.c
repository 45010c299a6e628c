/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/bench/bare_replay.c - the bare reference loops: what replaying costs with nothing around it. Included by bench_engine.c.
 *
 * No records but the start times, no leases, no checks, no estimates that differ from run times; written apart from the engine and for speed
 * alone. A machine's noise hits both, so that the ratio to these loops says more than seconds. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct bare_job {
    int64_t submit, run;
    int32_t gpus;
};
struct bare_end {
    int64_t at;
    uint32_t first, gpus; // first node of a gang, or the node
};
struct bare_heap {
    struct bare_end *at;
    size_t n;
};

static void bare_push(struct bare_heap *h, struct bare_end x)
{
    size_t i = h->n++;
    for (; i > 0 && h->at[(i - 1) / 4].at > x.at; i = (i - 1) / 4) h->at[i] = h->at[(i - 1) / 4];
    h->at[i] = x;
}

static struct bare_end bare_pop(struct bare_heap *h)
{
    const struct bare_end top = h->at[0], x = h->at[--h->n];
    size_t i = 0;
    for (size_t c = 1; c < h->n; c = 4 * i + 1) {
        size_t m = c;
        for (size_t k = c + 1; k < c + 4 && k < h->n; k++)
            if (h->at[k].at < h->at[m].at) m = k;
        if (h->at[m].at >= x.at) break;
        h->at[i] = h->at[m];
        i = m;
    }
    h->at[i] = x;
    return top;
}

// FIFO on nodes of 8: best fit by a bitmap of nodes for each number of free GPUs, wholly free nodes for gangs.
struct bare_fleet {
    uint64_t *set[9];
    uint32_t n_words, count[9];
    uint8_t *free;
    uint32_t *next;
};

static void bare_put(struct bare_fleet *f, uint32_t node, uint8_t free)
{
    f->free[node] = free;
    f->set[free][node / 64] |= UINT64_C(1) << node % 64;
    f->count[free]++;
}

static void bare_out(struct bare_fleet *f, uint32_t node)
{
    f->set[f->free[node]][node / 64] &= ~(UINT64_C(1) << node % 64);
    f->count[f->free[node]]--;
}

static uint32_t bare_lowest(const struct bare_fleet *f, int free)
{
    uint32_t w = 0;
    while (!f->set[free][w]) w++;
    return w * 64 + (uint32_t)__builtin_ctzll(f->set[free][w]);
}

static int bare_start(struct bare_fleet *f, const struct bare_job *j, uint32_t *first)
{
    if (j->gpus <= 8) {
        for (int free = j->gpus; free <= 8; free++) {
            if (!f->count[free]) continue;
            *first = bare_lowest(f, free);
            bare_out(f, *first);
            bare_put(f, *first, (uint8_t)(free - j->gpus));
            return 1;
        }
        return 0;
    }
    const uint32_t k = (uint32_t)(j->gpus + 7) / 8;
    if (f->count[8] < k) return 0;
    uint32_t last = UINT32_MAX;
    for (uint32_t i = 0; i < k; i++) {
        const uint32_t node = bare_lowest(f, 8);
        bare_out(f, node);
        bare_put(f, node, 0);
        f->next[node] = last;
        last = node;
    }
    *first = last;
    return 1;
}

static void bare_end(struct bare_fleet *f, const struct bare_end *e)
{
    if (e->gpus <= 8) {
        const uint8_t free = (uint8_t)(f->free[e->first] + e->gpus);
        bare_out(f, e->first);
        bare_put(f, e->first, free);
        return;
    }
    for (uint32_t node = e->first; node != UINT32_MAX; node = f->next[node]) {
        bare_out(f, node);
        bare_put(f, node, 8);
    }
}

static int64_t bare_fifo(const struct bare_job *job, size_t n, uint32_t nodes, int64_t *start)
{
    struct bare_fleet f = {.n_words = nodes / 64 + 1, .free = calloc(nodes, 1), .next = calloc(nodes, sizeof *f.next)};
    for (int i = 0; i <= 8; i++) f.set[i] = calloc(f.n_words, sizeof(uint64_t));
    for (uint32_t i = 0; i < nodes; i++) bare_put(&f, i, 8);
    struct bare_heap h = {.at = malloc((nodes * 8 + 1) * sizeof *h.at)};
    int64_t now = 0;
    for (size_t next = 0, head = 0; head < n || h.n;) {
        const int64_t end = h.n ? h.at[0].at : INT64_MAX, come = next < n ? job[next].submit : INT64_MAX;
        now = end <= come ? end : come;
        while (h.n && h.at[0].at == now) {
            const struct bare_end e = bare_pop(&h);
            bare_end(&f, &e);
        }
        while (next < n && job[next].submit == now) next++;
        uint32_t first = 0;
        for (; head < next && bare_start(&f, &job[head], &first); head++) {
            start[head] = now;
            bare_push(&h, (struct bare_end){now + job[head].run, first, (uint32_t)job[head].gpus});
        }
    }
    for (int i = 0; i <= 8; i++) free(f.set[i]);
    free(f.free);
    free(f.next);
    free(h.at);
    return now;
}

// EASY on one counted pool: what runs in one array sorted by end, the queue as a FIFO of run times for each size with blocks of 64 and their minima.
#define BARE_SIZES 7
struct bare_line {
    uint32_t *job;
    int64_t *run, *least; // INT64_MAX: gone; least of each block
    uint32_t first, n, cap;
};
struct bare_easy {
    struct bare_line line[BARE_SIZES];
    struct bare_end *due; // sorted by end, descending
    size_t n_due;
    int64_t free, extra, shadow;
};

static int bare_size(int32_t gpus) { return 31 - __builtin_clz((unsigned)gpus); } // 1, 2, 4 ... 64

static void bare_run(struct bare_easy *e, struct bare_end x)
{
    size_t low = 0, high = e->n_due;
    while (low < high) {
        const size_t mid = (low + high) / 2;
        if (e->due[mid].at > x.at)
            low = mid + 1;
        else
            high = mid;
    }
    memmove(e->due + low + 1, e->due + low, (e->n_due - low) * sizeof *e->due);
    e->due[low] = x;
    e->n_due++;
    e->free -= x.gpus;
}

static void bare_wait(struct bare_line *l, uint32_t job, int64_t run)
{
    if (l->n == l->cap) {
        l->cap = l->cap ? l->cap * 2 : 1024;
        l->job = realloc(l->job, l->cap * sizeof *l->job);
        l->run = realloc(l->run, l->cap * sizeof *l->run);
        l->least = realloc(l->least, l->cap / 64 * sizeof *l->least);
    }
    if (l->n % 64 == 0) l->least[l->n / 64] = INT64_MAX;
    if (run < l->least[l->n / 64]) l->least[l->n / 64] = run;
    l->job[l->n] = job;
    l->run[l->n++] = run;
}

static void bare_leave(struct bare_line *l, uint32_t i)
{
    l->run[i] = INT64_MAX;
    int64_t least = INT64_MAX;
    for (uint32_t k = i / 64 * 64; k < i / 64 * 64 + 64 && k < l->n; k++) least = l->run[k] < least ? l->run[k] : least;
    l->least[i / 64] = least;
    while (l->first < l->n && l->run[l->first] == INT64_MAX) l->first++;
}

static uint32_t bare_find(const struct bare_line *l, int64_t within)
{
    if (l->first < l->n && l->run[l->first] <= within) return l->first;
    for (uint32_t b = l->first / 64; b * 64 < l->n; b++) {
        if (l->least[b] > within) continue;
        uint32_t i = b * 64;
        while (l->run[i] > within) i++;
        return i;
    }
    return l->n;
}

static void bare_reserve(struct bare_easy *e, int32_t gpus)
{
    int64_t have = e->free;
    size_t i = e->n_due;
    while (have < gpus) {
        have += e->due[--i].gpus;
        e->shadow = e->due[i].at;
    }
    while (i > 0 && e->due[i - 1].at == e->shadow) have += e->due[--i].gpus;
    e->extra = have - gpus;
}

static int bare_may(struct bare_easy *e, const struct bare_job *j, int64_t now)
{
    if (j->gpus > e->free) return 0;
    if (now + j->run <= e->shadow) return 1;
    if (j->gpus > e->extra) return 0;
    e->extra -= j->gpus;
    return 1;
}

static int64_t bare_easy(const struct bare_job *job, size_t n, int64_t gpus, int64_t *start)
{
    struct bare_easy e = {.free = gpus, .due = malloc((size_t)(gpus + 1) * sizeof *e.due)};
    int64_t now = 0, waiting = 0;
    for (size_t next = 0; next < n || e.n_due;) {
        const int64_t end = e.n_due ? e.due[e.n_due - 1].at : INT64_MAX, come = next < n ? job[next].submit : INT64_MAX;
        now = end <= come ? end : come;
        int freed = 0;
        for (; e.n_due && e.due[e.n_due - 1].at == now; freed = 1) e.free += e.due[--e.n_due].gpus;
        while (freed && waiting) {
            uint32_t best[BARE_SIZES], head = UINT32_MAX;
            for (int s = 0; s < BARE_SIZES; s++)
                if (e.line[s].first < e.line[s].n && e.line[s].job[e.line[s].first] < head) head = e.line[s].job[e.line[s].first];
            if (job[head].gpus <= e.free) {
                const int s = bare_size(job[head].gpus);
                bare_leave(&e.line[s], e.line[s].first);
                start[head] = now;
                bare_run(&e, (struct bare_end){now + job[head].run, head, (uint32_t)job[head].gpus});
                waiting--;
                continue;
            }
            bare_reserve(&e, job[head].gpus);
            for (;;) { // backfill in order: the first startable of each size, the earliest of these
                int pick = -1;
                for (int s = 0; s < BARE_SIZES && 1 << s <= e.free; s++) {
                    best[s] = bare_find(&e.line[s], 1 << s <= e.extra ? INT64_MAX - 1 : e.shadow - now);
                    if (best[s] < e.line[s].n && (pick < 0 || e.line[s].job[best[s]] < e.line[pick].job[best[pick]])) pick = s;
                }
                if (pick < 0) break;
                const uint32_t j = e.line[pick].job[best[pick]];
                bare_may(&e, &job[j], now);
                bare_leave(&e.line[pick], best[pick]);
                start[j] = now;
                bare_run(&e, (struct bare_end){now + job[j].run, j, (uint32_t)job[j].gpus});
                waiting--;
            }
            break;
        }
        for (; next < n && job[next].submit == now; next++) {
            if (waiting ? bare_may(&e, &job[next], now) : job[next].gpus <= e.free) {
                start[next] = now;
                bare_run(&e, (struct bare_end){now + job[next].run, (uint32_t)next, (uint32_t)job[next].gpus});
                continue;
            }
            if (!waiting++) bare_reserve(&e, job[next].gpus);
            bare_wait(&e.line[bare_size(job[next].gpus)], (uint32_t)next, job[next].run);
        }
    }
    for (int s = 0; s < BARE_SIZES; s++) {
        free(e.line[s].job);
        free(e.line[s].run);
        free(e.line[s].least);
    }
    free(e.due);
    return now;
}
