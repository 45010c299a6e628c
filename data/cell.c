/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/cell.c - the numbers that rr_cell_quick() leaves: longer ones byte by byte, all else to the general reader. */
#include "data/cell.h"
#include <assert.h>
#include <math.h>

const int64_t rr_cell_ten_to[7] = {1, 10, 100, 1000, 10000, 100000, 1000000};

/* Digits, perhaps a point and at most `digits` digits behind it, 18 figures in all after scaling: cannot overflow. */
static inline bool plain(struct rr_slice s, int digits, int64_t *ret)
{
    const char *p = s.at;
    const char *const end = p + s.n;
    if (s.n == 0 || s.n + (size_t)digits > 18) return false;
    int64_t v = 0;
    while (p < end && (unsigned char)(*p - '0') <= 9) v = v * 10 + (*p++ - '0');
    int scale = digits;
    if (p < end && *p == '.') {
        if (p == s.at || ++p == end) return false;
        while (p < end && (unsigned char)(*p - '0') <= 9) {
            if (--scale < 0) return false;
            v = v * 10 + (*p++ - '0');
        }
    }
    if (p < end) return false;
    *ret = v * rr_cell_ten_to[scale];
    return true;
}

bool rr_cell_scaled_slow(struct rr_slice cell, int digits, int64_t *ret)
{
    assert(digits >= 0 && digits <= 6);
    return plain(cell, digits, ret) || rr_text_scaled(rr_trim(cell), digits, ret) == RR_OK;
}

bool rr_cell_whole_slow(struct rr_slice cell, int64_t *ret) { return plain(cell, 0, ret) || rr_text_i64(rr_trim(cell), ret) == RR_OK; }

bool rr_cell_times(struct rr_slice cell, double factor, int64_t *ret)
{
    double v;
    if (rr_text_double(rr_trim(cell), &v) != RR_OK) return false;
    v = floor(v * factor + 0.5);
    if (!(fabs(v) < 9e18)) return false;
    *ret = (int64_t)v;
    return true;
}
