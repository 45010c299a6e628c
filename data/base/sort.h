/* SPDX-License-Identifier: MIT
 * data/base/sort.h - sorting of plain int64 keys, for quantiles over many jobs. */
#ifndef RR_BASE_SORT_H
#define RR_BASE_SORT_H
#include <stddef.h>
#include <stdint.h>

/* Ascending, in place; O(n) (radix) with a scratch block of n keys above 64 keys. */
void rr_sort_i64(int64_t *key, size_t n);
#endif
