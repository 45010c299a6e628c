/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/engine/events.c - the event heap, children aligned to cache lines as in LaMarca and Ladner 1996, "The influence of
 * caches on the performance of heaps". */
#include "sim/engine/events.h"
#include "data/base/arena.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define LAST (~(unsigned __int128)0)
#define LINE 64

// Children of i are 4i + 1 .. 4i + 4; with at[1] at the start of a line, each family lies in one.
static void resize(struct rr_events *e, size_t cap)
{
    void *block = rr_xrealloc(NULL, (cap + 5) * sizeof *e->at + 2 * LINE, 1);
    const uintptr_t line = ((uintptr_t)block + LINE - 1) / LINE * LINE;
    unsigned __int128 *at = (unsigned __int128 *)(line + LINE - sizeof *at);
    if (e->n) memcpy(at, e->at, e->n * sizeof *at);
    for (size_t i = e->n; i < cap + 5; i++) at[i] = LAST;
    free(e->block);
    e->block = block;
    e->at = at;
    e->cap = cap;
}

void rr_events_init(struct rr_events *e)
{
    *e = (struct rr_events){0};
    resize(e, 59);
}

void rr_events_done(struct rr_events *e)
{
    free(e->block);
    *e = (struct rr_events){0};
}

static inline struct rr_event unpack(unsigned __int128 x)
{
    const uint64_t low = (uint64_t)x;
    return (struct rr_event){.time_us = (int64_t)(uint64_t)(x >> 64),
                             .sequence = low >> 24 & ((UINT64_C(1) << 36) - 1),
                             .slot = (uint32_t)(low & (RR_EVENT_SLOTS - 1)),
                             .kind = (enum rr_event_kind)(low >> 60)};
}

static inline void insert(struct rr_events *e, unsigned __int128 x)
{
    size_t i = e->n++;
    while (i > 0) {
        const size_t up = (i - 1) / 4;
        if (e->at[up] < x) break;
        e->at[i] = e->at[up];
        i = up;
    }
    e->at[i] = x;
}

uint64_t rr_events_push(struct rr_events *e, int64_t time_us, enum rr_event_kind kind, uint32_t slot)
{
    assert(time_us >= 0 && slot < RR_EVENT_SLOTS);
    if (e->n == e->cap) resize(e, e->cap * 2 + 5);
    if ((uint32_t)++e->sequence == 0) e->sequence++; // its low half is a name too, and 0 is nobody's
    const uint64_t sequence = e->sequence;
    insert(e, (unsigned __int128)(uint64_t)time_us << 64 | (uint64_t)kind << 60 | sequence << 24 | slot);
    return sequence;
}
static inline size_t least_child(const unsigned __int128 *at, size_t first)
{
    const size_t a = first + (at[first + 1] < at[first]);
    const size_t b = first + 2 + (at[first + 3] < at[first + 2]);
    return at[b] < at[a] ? b : a;
}

// The hole at the top sinks to a leaf without a look at the event that will fill it (which came from the bottom and mostly belongs
// there), and that event then rises: the inner loop has no branch that depends on the data.
struct rr_event rr_events_pop(struct rr_events *e)
{
    unsigned __int128 *at = e->at;
    const unsigned __int128 top = at[0], x = at[--e->n];
    at[e->n] = LAST;
    size_t i = 0;
    for (size_t c = 1; c < e->n; c = 4 * i + 1) {
        const size_t m = least_child(at, c);
        at[i] = at[m];
        i = m;
    }
    while (i > 0 && x < at[(i - 1) / 4]) {
        at[i] = at[(i - 1) / 4];
        i = (i - 1) / 4;
    }
    at[i] = e->n ? x : LAST;
    return unpack(top);
}

struct rr_event rr_events_top(const struct rr_events *e) { return unpack(e->at[0]); }

void rr_events_filter(struct rr_events *e, bool (*keep)(void *ctx, struct rr_event x), void *ctx)
{
    unsigned __int128 *old = rr_xrealloc(NULL, e->n, sizeof *old);
    size_t kept = 0;
    for (size_t i = 0; i < e->n; i++)
        if (keep(ctx, unpack(e->at[i]))) old[kept++] = e->at[i];
    for (size_t i = 0; i < e->n; i++) e->at[i] = LAST;
    e->n = 0;
    for (size_t i = 0; i < kept; i++) insert(e, old[i]);
    free(old);
}
