/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/policy/heap.h - a binary heap of any type, in a vector (data/base/vec.h).
 *
 *     static bool sooner(const struct due *a, const struct due *b);
 *     RR_HEAP(dues, struct due, sooner)
 *     rr_heap_put(dues, &v, x);    v.at[0] is the first    rr_heap_drop(dues, &v); */
#ifndef RR_SIM_HEAP_H
#define RR_SIM_HEAP_H
#include "data/base/vec.h"

#define RR_HEAP(name, type, first)                                                             \
    static void name##_rise(type *at, size_t i, type x)                                        \
    {                                                                                          \
        for (; i > 0 && first(&x, &at[(i - 1) / 2]); i = (i - 1) / 2) at[i] = at[(i - 1) / 2]; \
        at[i] = x;                                                                             \
    }                                                                                          \
    static void name##_sink(type *at, size_t n, type x)                                        \
    {                                                                                          \
        size_t i = 0;                                                                          \
        for (size_t c = 1; c < n; c = 2 * i + 1) {                                             \
            if (c + 1 < n && first(&at[c + 1], &at[c])) c++;                                   \
            if (!first(&at[c], &x)) break;                                                     \
            at[i] = at[c];                                                                     \
            i = c;                                                                             \
        }                                                                                      \
        at[i] = x;                                                                             \
    }
#define rr_heap_put(name, v, x)            \
    do {                                   \
        rr_vec_reserve((v), (v)->n + 1);   \
        name##_rise((v)->at, (v)->n, (x)); \
        (v)->n++;                          \
    } while (0)
#define rr_heap_drop(name, v)                                            \
    do {                                                                 \
        if (--(v)->n > 0) name##_sink((v)->at, (v)->n, (v)->at[(v)->n]); \
    } while (0)
#endif
