/* SPDX-License-Identifier: MIT
 * data/base/vec.h - a growing array of any type that owns its heap block.
 *
 *     RR_VEC(struct rr_lease) leases = {0};
 *     rr_vec_push(&leases, lease);
 *     for (size_t i = 0; i < leases.n; i++) use(&leases.at[i]);
 *     rr_vec_done(&leases); */
#ifndef RR_BASE_VEC_H
#define RR_BASE_VEC_H
#include "data/base/arena.h"
#include <stdlib.h>

#define RR_VEC(T)      \
    struct {           \
        T *at;         \
        size_t n, cap; \
    }
#define rr_vec_reserve(v, want)                                                              \
    do {                                                                                     \
        const size_t rr_want_ = (want);                                                      \
        if (rr_want_ > (v)->cap) {                                                           \
            (v)->cap = (v)->cap * 2 > rr_want_ ? (v)->cap * 2 : rr_want_ < 8 ? 8 : rr_want_; \
            (v)->at = rr_xrealloc((v)->at, (v)->cap, sizeof *(v)->at);                       \
        }                                                                                    \
    } while (0)
#define rr_vec_push(v, x)                \
    do {                                 \
        rr_vec_reserve((v), (v)->n + 1); \
        (v)->at[(v)->n++] = (x);         \
    } while (0)
#define rr_vec_done(v)         \
    do {                       \
        free((v)->at);         \
        (v)->at = NULL;        \
        (v)->n = (v)->cap = 0; \
    } while (0)
#endif
