/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/names.h - a set of names, each kept once and known by its number: users, accounts, classes, GPU types. */
#ifndef RR_DATA_NAMES_H
#define RR_DATA_NAMES_H
#include "data/base/text.h"
#include "data/base/vec.h"

struct rr_names {
    struct rr_arena *arena; /* names are copied into it */
    RR_VEC(const char *) list;
    uint32_t *slot; /* [n_slots], a power of two: number + 1, 0 = free */
    size_t n_slots;
};
/* {.arena = a} is the empty set. The number of `name`, a new one if it was not there: 0, 1, 2 in order of first use. */
uint32_t rr_names_add(struct rr_names *s, struct rr_slice name);
#define RR_NO_NAME UINT32_MAX
uint32_t rr_names_find(const struct rr_names *s, struct rr_slice name); /* RR_NO_NAME when it is not there */
const char *const *rr_names_array(const struct rr_names *s);            /* [list.n], a copy in the arena; NULL when empty */
void rr_names_done(struct rr_names *s);                                 /* the names stay */

/* 64 bits that depend on every byte, the same on every machine. */
uint64_t rr_hash(const char *s, size_t n);
#endif
