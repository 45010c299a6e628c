/* SPDX-License-Identifier: MIT
 * data/base/sort.c - least-significant-digit radix sort, 11 bits a pass, passes whose digit is all alike skipped.
 *
 * Waits of a million jobs span some 40 bits: four passes, about 12 ms, where qsort needs 90. */
#include "data/base/sort.h"
#include "data/base/arena.h"
#include <stdlib.h>
#include <string.h>

enum { BITS = 11, DIGITS = 1 << BITS, PASSES = (64 + BITS - 1) / BITS, SMALL = 64 };

static void insertion_sort(int64_t *key, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        const int64_t k = key[i];
        size_t j = i;
        for (; j > 0 && key[j - 1] > k; j--) key[j] = key[j - 1];
        key[j] = k;
    }
}

static uint64_t biased(int64_t k) { return (uint64_t)k ^ (UINT64_C(1) << 63); } // negative keys come first

/* One stable pass by digit `pass`; false when all keys share the digit and nothing moved. */
static int scatter(const int64_t *from, int64_t *to, size_t n, int pass)
{
    size_t at[DIGITS] = {0};
    const int shift = pass * BITS;
    for (size_t i = 0; i < n; i++) at[(biased(from[i]) >> shift) & (DIGITS - 1)]++;
    if (at[(biased(from[0]) >> shift) & (DIGITS - 1)] == n) return 0;
    size_t sum = 0;
    for (size_t d = 0; d < DIGITS; d++) {
        const size_t count = at[d];
        at[d] = sum;
        sum += count;
    }
    for (size_t i = 0; i < n; i++) to[at[(biased(from[i]) >> shift) & (DIGITS - 1)]++] = from[i];
    return 1;
}

void rr_sort_i64(int64_t *key, size_t n)
{
    if (n <= SMALL) {
        insertion_sort(key, n);
        return;
    }
    int64_t *scratch = rr_xrealloc(NULL, n, sizeof *scratch), *from = key, *to = scratch;
    for (int pass = 0; pass < PASSES; pass++) {
        if (!scatter(from, to, n, pass)) continue;
        int64_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != key) memcpy(key, from, n * sizeof *key);
    free(scratch);
}
