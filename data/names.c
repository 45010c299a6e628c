/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/names.c - open addressing with linear probing, at most half full. */
#include "data/names.h"
#include <string.h>

/* Multiply and fold, eight bytes at a time: the step of wyhash (Wang Yi), with its first two constants. */
uint64_t rr_hash(const char *s, size_t n)
{
    uint64_t h = n * 0xa0761d6478bd642fu;
    while (n > 0) {
        uint64_t word = 0;
        const size_t k = n < 8 ? n : 8;
        for (size_t i = 0; i < k; i++) word |= (uint64_t)(unsigned char)s[i] << (8 * i);
        const unsigned __int128 m = (unsigned __int128)(h ^ word) * 0xe7037ed1a0b428dbu;
        h = (uint64_t)m ^ (uint64_t)(m >> 64) ^ 0xa0761d6478bd642fu;
        s += k;
        n -= k;
    }
    return h ^ (h >> 32);
}

static size_t find_slot(const struct rr_names *s, struct rr_slice name)
{
    size_t i = rr_hash(name.at, name.n) & (s->n_slots - 1);
    while (s->slot[i] && !rr_slice_is(name, s->list.at[s->slot[i] - 1])) i = (i + 1) & (s->n_slots - 1);
    return i;
}

static void widen(struct rr_names *s)
{
    s->n_slots = s->n_slots ? s->n_slots * 2 : 16;
    s->slot = rr_xrealloc(s->slot, s->n_slots, sizeof *s->slot);
    memset(s->slot, 0, s->n_slots * sizeof *s->slot);
    for (size_t i = 0; i < s->list.n; i++) s->slot[find_slot(s, rr_slice(s->list.at[i], strlen(s->list.at[i])))] = (uint32_t)i + 1;
}

uint32_t rr_names_add(struct rr_names *s, struct rr_slice name)
{
    const char *nul = name.n ? memchr(name.at, '\0', name.n) : NULL;
    if (nul) name.n = (size_t)(nul - name.at); // a name is a C string
    if (2 * (s->list.n + 1) > s->n_slots) widen(s);
    const size_t i = find_slot(s, name);
    if (!s->slot[i]) {
        const char *copy = rr_strndup(s->arena, name.n ? name.at : "", name.n);
        rr_vec_push(&s->list, copy);
        s->slot[i] = (uint32_t)s->list.n;
    }
    return s->slot[i] - 1;
}

uint32_t rr_names_find(const struct rr_names *s, struct rr_slice name)
{
    if (s->n_slots == 0 || (name.n && memchr(name.at, '\0', name.n))) return RR_NO_NAME;
    const uint32_t slot = s->slot[find_slot(s, name)];
    return slot ? slot - 1 : RR_NO_NAME;
}

const char *const *rr_names_array(const struct rr_names *s)
{
    if (s->list.n == 0) return NULL;
    const char **copy = RR_NEWS(s->arena, const char *, s->list.n);
    memcpy(copy, s->list.at, s->list.n * sizeof *copy);
    return copy;
}

void rr_names_done(struct rr_names *s)
{
    rr_vec_done(&s->list);
    free(s->slot);
    *s = (struct rr_names){0};
}
