/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/cell.h - a cell as a number, fast where it is plain digits and one point; text.h decides all other cases. */
#ifndef RR_DATA_CELL_H
#define RR_DATA_CELL_H
#include "data/base/text.h"
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* The trimmed cell as a decimal x 10^digits (0..6), exact; as rr_text_scaled(), without its reason. RR_CELL_SLACK bytes from the cell's
 * first byte on must be readable: those of csv.h are. */
#define RR_CELL_SLACK 24
static inline bool rr_cell_scaled(struct rr_slice cell, int digits, int64_t *ret);
/* The same for a number that must be whole, where "1.5" is none. */
static inline bool rr_cell_whole(struct rr_slice cell, int64_t *ret);
/* round(value x factor). For sizes, where a double is good enough. */
bool rr_cell_times(struct rr_slice cell, double factor, int64_t *ret);

bool rr_cell_scaled_slow(struct rr_slice cell, int digits, int64_t *ret);
bool rr_cell_whole_slow(struct rr_slice cell, int64_t *ret);
extern const int64_t rr_cell_ten_to[7];

/* Eight digits in memory order, as values 0..9 in the bytes of a little-endian word, to the number: pairs, fours, eight (Lemire,
 * "Quickly parsing eight digits", 2018). */
static inline int64_t rr_cell_eight(uint64_t w)
{
    w = w * 10 + (w >> 8);
    return (int64_t)(((w & 0x000000ff000000ff) * 0x000f424000000064 + ((w >> 16) & 0x000000ff000000ff) * 0x0000271000000001) >> 32);
}

static inline uint64_t rr_cell_load(const char *p)
{
    uint64_t w;
    memcpy(&w, p, sizeof w);
    return w - 0x3030303030303030; // wrong in bytes that are no digits; those are shifted out
}

/* 1 to 8 digits, then perhaps a point and 1 to `digits` digits; false: not so, ask the slow one. */
__attribute__((always_inline)) static inline bool rr_cell_quick(struct rr_slice cell, int digits, int64_t *ret)
{
#ifdef __SSE2__
    const char *const p = cell.at;
    if (cell.n - 1 >= 15) return false; // 1 .. 15 bytes
    const __m128i x = _mm_loadu_si128((const __m128i *)(const void *)p);
    const __m128i digit = _mm_cmplt_epi8(_mm_add_epi8(x, _mm_set1_epi8((char)(128 - '0'))), _mm_set1_epi8(-128 + 10));
    const uint32_t end = 1u << cell.n, other = ~(uint32_t)_mm_movemask_epi8(digit) & (end - 1);
    const unsigned whole = (unsigned)__builtin_ctz(other | end);
    if (whole - 1 >= 8) return false;
    const int64_t v = rr_cell_eight(rr_cell_load(p) << (64 - 8 * whole)) * rr_cell_ten_to[digits];
    if (other == 0) {
        *ret = v;
        return true;
    }
    const unsigned fraction = (unsigned)cell.n - whole - 1;
    if (other & (other - 1) || p[whole] != '.' || fraction - 1 >= (unsigned)digits) return false;
    *ret = v + rr_cell_eight(rr_cell_load(p + whole + 1) << (64 - 8 * fraction)) * rr_cell_ten_to[(unsigned)digits - fraction];
    return true;
#else
    (void)cell, (void)digits, (void)ret;
    return false;
#endif
}

static inline bool rr_cell_scaled(struct rr_slice cell, int digits, int64_t *ret)
{
    return rr_cell_quick(cell, digits, ret) || rr_cell_scaled_slow(cell, digits, ret);
}
static inline bool rr_cell_whole(struct rr_slice cell, int64_t *ret)
{
    return rr_cell_quick(cell, 0, ret) || rr_cell_whole_slow(cell, ret);
}
#endif
