/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/engine/nodeset.h - a set of node numbers as a two-level bitmap: add, remove, lowest and next in a few instructions.
 *
 * 64 nodes a word, 64 words a summary bit. The scan of the summary starts at a floor that only sinks when a lower node comes in, so that
 * the lowest of a million nodes is found as fast as that of a hundred. */
#ifndef RR_SIM_NODESET_H
#define RR_SIM_NODESET_H
#include "data/base/arena.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define RR_NO_NODE UINT32_MAX

struct rr_nodeset {
    uint64_t *word, *sum;
    uint32_t n_words; /* a multiple of 64 */
    uint32_t count;
    uint32_t floor; /* no summary word below it has a bit */
};

/* Room for nodes 0 .. n - 1; members stay. */
static inline void rr_nodeset_grow(struct rr_nodeset *s, uint32_t n)
{
    const uint32_t words = (n / 64 + 64) / 64 * 64;
    if (words <= s->n_words) return;
    s->word = rr_xrealloc(s->word, words, sizeof *s->word);
    s->sum = rr_xrealloc(s->sum, words / 64, sizeof *s->sum);
    memset(s->word + s->n_words, 0, (words - s->n_words) * sizeof *s->word);
    memset(s->sum + s->n_words / 64, 0, (words - s->n_words) / 64 * sizeof *s->sum);
    s->n_words = words;
}

static inline void rr_nodeset_done(struct rr_nodeset *s)
{
    free(s->word);
    free(s->sum);
    *s = (struct rr_nodeset){0};
}

static inline void rr_nodeset_add(struct rr_nodeset *s, uint32_t id)
{
    s->word[id >> 6] |= UINT64_C(1) << (id & 63);
    s->sum[id >> 12] |= UINT64_C(1) << (id >> 6 & 63);
    if (id >> 12 < s->floor) s->floor = id >> 12;
    s->count++;
}

static inline void rr_nodeset_remove(struct rr_nodeset *s, uint32_t id)
{
    s->word[id >> 6] &= ~(UINT64_C(1) << (id & 63));
    if (!s->word[id >> 6]) s->sum[id >> 12] &= ~(UINT64_C(1) << (id >> 6 & 63));
    s->count--;
}

/* The lowest member; the set must not be empty. */
static inline uint32_t rr_nodeset_lowest(struct rr_nodeset *s)
{
    while (!s->sum[s->floor]) s->floor++;
    const uint32_t w = s->floor << 6 | (uint32_t)__builtin_ctzll(s->sum[s->floor]);
    return w << 6 | (uint32_t)__builtin_ctzll(s->word[w]);
}

/* The lowest member >= from, or RR_NO_NODE. */
static inline uint32_t rr_nodeset_next(const struct rr_nodeset *s, uint32_t from)
{
    uint32_t w = from >> 6;
    if (w >= s->n_words) return RR_NO_NODE;
    const uint64_t here = s->word[w] & ~UINT64_C(0) << (from & 63);
    if (here) return w << 6 | (uint32_t)__builtin_ctzll(here);
    if (++w >= s->n_words) return RR_NO_NODE;
    uint64_t up = s->sum[w >> 6] & ~UINT64_C(0) << (w & 63);
    for (uint32_t i = w >> 6; !up;) {
        if (++i >= s->n_words / 64) return RR_NO_NODE;
        up = s->sum[i];
        w = i << 6;
    }
    w = (w & ~63u) | (uint32_t)__builtin_ctzll(up);
    return w << 6 | (uint32_t)__builtin_ctzll(s->word[w]);
}

/* The k-th member in ascending order, k < count; a look at each 64 nodes. */
static inline uint32_t rr_nodeset_at(const struct rr_nodeset *s, uint32_t k)
{
    uint32_t w = 0;
    for (;; w++) {
        const uint32_t here = (uint32_t)__builtin_popcountll(s->word[w]);
        if (k < here) break;
        k -= here;
    }
    uint64_t bits = s->word[w];
    for (; k > 0; k--) bits &= bits - 1;
    return w << 6 | (uint32_t)__builtin_ctzll(bits);
}
#endif
