/* SPDX-License-Identifier: MIT
 * data/base/number.c - decimal numbers to and from text, the same under every locale.
 *
 * A trace is mostly numbers, so each parser tries a plain loop over at most 18 digits first (nothing can overflow) and
 * leaves what is longer or has an exponent to a second, exact way. */
#include "data/base/text.h"
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN(s) (int)((s).n < 40 ? (s).n : 40), (s).at ? (s).at : "", (s).n > 40 ? "..." : ""

static const uint64_t ten_to[20] = {1,
                                    10,
                                    100,
                                    1000,
                                    10000,
                                    100000,
                                    1000000,
                                    10000000,
                                    100000000,
                                    1000000000,
                                    10000000000,
                                    100000000000,
                                    1000000000000,
                                    10000000000000,
                                    100000000000000,
                                    1000000000000000,
                                    10000000000000000,
                                    100000000000000000,
                                    1000000000000000000,
                                    10000000000000000000u};
/* Every power of ten that a double holds exactly. */
static const double exact_ten_to[23] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                        1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

static enum rr_status not_a_number(struct rr_slice s)
{
    if (s.n == 0) return rr_fail(RR_EINPUT, "empty where a number is wanted");
    return rr_fail(RR_EINPUT, "\"%.*s%s\" is not a number", SHOWN(s));
}

/* The common case: [-]digits[.digits] with at most 18 digits in all. */
struct brief {
    uint64_t digits; /* the digits read as one integer */
    int point;       /* how many of them follow the point */
    bool negative;
};

static inline bool brief_of(struct rr_slice s, struct brief *ret)
{
    const char *p = s.at, *end = s.at + s.n;
    struct brief r = {0};
    if (s.n == 0 || s.n > 18) return false;
    if (*p == '-') r.negative = true, p++;
    const char *first = p;
    unsigned c = 0;
    while (p < end && (c = (unsigned)(*p - '0')) < 10) r.digits = r.digits * 10 + c, p++;
    if (p == first) return false;
    if (p < end && *p == '.') {
        const char *dot = p++;
        while (p < end && (c = (unsigned)(*p - '0')) < 10) r.digits = r.digits * 10 + c, p++;
        r.point = (int)(p - dot - 1);
    }
    *ret = r;
    return p == end;
}

/* Any decimal number: digits x 10^ten, and whether non-zero digits behind the 38th were left out. */
struct decimal {
    unsigned __int128 digits; /* < 2^128; < 10^38 as read */
    int64_t ten;
    bool negative, more;
};

static bool exponent_of(const char *p, const char *end, int64_t *ret)
{
    bool negative = false;
    if (p < end && (*p == '-' || *p == '+')) negative = *p++ == '-';
    if (p == end) return false;
    int64_t e = 0;
    for (; p < end; p++) {
        if (*p < '0' || *p > '9') return false;
        if (e < 1000000000) e = e * 10 + (*p - '0'); // far past every limit already
    }
    *ret = negative ? -e : e;
    return true;
}

static bool decimal_of(struct rr_slice s, struct decimal *ret)
{
    const char *p = s.at, *end = s.at + s.n;
    struct decimal r = {0};
    bool point = false, any = false;
    int kept = 0;
    if (p < end && *p == '-') r.negative = true, p++;
    for (; p < end && ((*p >= '0' && *p <= '9') || (*p == '.' && !point)); p++) {
        if (*p == '.') {
            point = true;
            continue;
        }
        any = true;
        if (kept < 38) {
            r.digits = r.digits * 10 + (unsigned)(*p - '0');
            kept += r.digits != 0;
            r.ten -= point;
        } else {
            r.more |= *p != '0';
            r.ten += !point;
        }
    }
    if (!any) return false;
    int64_t e = 0;
    if (p < end && (*p == 'e' || *p == 'E')) {
        if (!exponent_of(p + 1, end, &e)) return false;
        p = end;
    }
    r.ten += e;
    *ret = r;
    return p == end;
}

static unsigned __int128 wide_ten_to(int n) // n <= 38
{
    return n < 20 ? ten_to[n] : (unsigned __int128)ten_to[19] * ten_to[n - 19];
}

/* Half-even to a whole number; false when it is past int64. *exact tells whether nothing was rounded off. */
static bool whole_of(const struct decimal *d, int64_t *ret, bool *exact)
{
    unsigned __int128 q = d->digits;
    const unsigned __int128 limit = (unsigned __int128)INT64_MAX + d->negative;
    *exact = !d->more;
    if (q == 0) {
        *ret = 0;
        return true;
    }
    if (d->ten > 18) return false;
    if (d->ten >= 0) {
        if (q > limit) return false;
        q *= ten_to[d->ten];
    } else if (d->ten < -38) { // below 0.35
        q = 0;
        *exact = false;
    } else {
        const unsigned __int128 by = wide_ten_to((int)-d->ten), rest = q % by, half = by / 2;
        q /= by;
        *exact = *exact && rest == 0;
        q += rest > half || (rest == half && (d->more || (q & 1)));
    }
    if (q > limit) return false;
    *ret = (int64_t)(d->negative ? 0 - (uint64_t)q : (uint64_t)q);
    return true;
}

enum rr_status rr_text_times(struct rr_slice s, uint64_t factor, int64_t *ret, bool *ret_exact)
{
    struct decimal d;
    unsigned __int128 product;
    bool exact;
    if (!decimal_of(s, &d)) return not_a_number(s);
    if ((d.more && factor != 1) || __builtin_mul_overflow(d.digits, (unsigned __int128)factor, &product))
        return rr_fail(RR_EINPUT, "\"%.*s%s\" has too many digits", SHOWN(s));
    d.digits = product;
    if (!whole_of(&d, ret, &exact)) return rr_fail(RR_EINPUT, "\"%.*s%s\" is too large", SHOWN(s));
    if (ret_exact) *ret_exact = exact;
    return RR_OK;
}

enum rr_status rr_text_i64(struct rr_slice s, int64_t *ret)
{
    struct brief b;
    if (brief_of(s, &b) && b.point == 0) {
        *ret = b.negative ? -(int64_t)b.digits : (int64_t)b.digits;
        return RR_OK;
    }
    struct decimal d;
    int64_t v;
    bool exact;
    if (!decimal_of(s, &d)) return not_a_number(s);
    if (!whole_of(&d, &v, &exact)) return rr_fail(RR_EINPUT, "\"%.*s%s\" is too large (at most 9223372036854775807)", SHOWN(s));
    if (!exact) return rr_fail(RR_EINPUT, "\"%.*s%s\" is not a whole number", SHOWN(s));
    *ret = v;
    return RR_OK;
}

enum rr_status rr_text_scaled(struct rr_slice s, int digits, int64_t *ret)
{
    struct brief b;
    if (brief_of(s, &b) && b.point <= digits && digits - b.point < 19) {
        int64_t v;
        if (!__builtin_mul_overflow((int64_t)b.digits, (int64_t)ten_to[digits - b.point], &v)) {
            *ret = b.negative ? -v : v;
            return RR_OK;
        }
    }
    struct decimal d;
    bool exact;
    if (!decimal_of(s, &d)) return not_a_number(s);
    d.ten += digits;
    if (!whole_of(&d, ret, &exact)) return rr_fail(RR_EINPUT, "\"%.*s%s\" is too large", SHOWN(s));
    return RR_OK;
}

/* The C locale, whatever the host program set. glibc keeps it as a static object: nothing is allocated. */
static locale_t c_locale(void) { return newlocale(LC_ALL_MASK, "C", (locale_t)0); }

static double slow_double(struct rr_slice s)
{
    char brief[64];
    char *copy = s.n < sizeof brief ? brief : rr_xrealloc(NULL, s.n + 1, 1);
    memcpy(copy, s.at, s.n);
    copy[s.n] = '\0';
    const double v = strtod_l(copy, NULL, c_locale());
    if (copy != brief) free(copy);
    return v;
}

/* At most 2^53 times or over a power of ten that is exact: one rounding, so the nearest double (Clinger 1990). */
enum rr_status rr_text_double(struct rr_slice s, double *ret)
{
    struct brief b;
    if (brief_of(s, &b) && b.digits <= (UINT64_C(1) << 53)) {
        const double v = (double)b.digits / exact_ten_to[b.point];
        *ret = b.negative ? -v : v;
        return RR_OK;
    }
    struct decimal d;
    if (!decimal_of(s, &d)) return not_a_number(s);
    double v;
    if (!d.more && d.digits <= (UINT64_C(1) << 53) && d.ten >= -22 && d.ten <= 22) {
        v = (double)(uint64_t)d.digits;
        v = d.ten < 0 ? v / exact_ten_to[-d.ten] : v * exact_ten_to[d.ten];
        if (d.negative) v = -v;
    } else {
        v = slow_double(s);
    }
    if (isinf(v)) return rr_fail(RR_EINPUT, "\"%.*s%s\" is too large for a number", SHOWN(s));
    *ret = v;
    return RR_OK;
}

/* Whole micro-units below 10^15 have at most 15 digits, and a 15-digit decimal that reads back right is the only one: the
 * same text as %.15g, ten times faster. Smaller values are left to it for its exponents. */
static bool micro_text(double v, char *buf)
{
    const double size = fabs(v);
    if (!(size >= 1e-4 && size < 1e9)) return false;
    const int64_t micro = (int64_t)(size * 1e6 + 0.5);
    if ((double)micro / 1e6 != size) return false;
    char digits[24];
    char *p = digits + sizeof digits;
    uint64_t whole = (uint64_t)micro / 1000000, rest = (uint64_t)micro % 1000000;
    int places = rest ? 6 : 0;
    for (; places && rest % 10 == 0; places--) rest /= 10;
    for (int i = 0; i < places; i++, rest /= 10) *--p = (char)('0' + rest % 10);
    if (places) *--p = '.';
    do *--p = (char)('0' + whole % 10);
    while (whole /= 10);
    if (v < 0) *--p = '-';
    const size_t n = (size_t)(digits + sizeof digits - p);
    memcpy(buf, p, n);
    buf[n] = '\0';
    return true;
}

char *rr_double_text(double v, char buf[RR_DOUBLE_MAX])
{
    if (micro_text(v, buf)) return buf;
    const locale_t c = c_locale(), before = uselocale(c);
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(buf, RR_DOUBLE_MAX, "%.*g", digits, v);
        if (digits == 17 || isnan(v) || strtod_l(buf, NULL, c) == v) break;
    }
    uselocale(before);
    return buf;
}

void rr_buf_double(struct rr_buf *b, double v)
{
    char text[RR_DOUBLE_MAX];
    rr_buf_puts(b, isfinite(v) ? rr_double_text(v, text) : "null");
}
