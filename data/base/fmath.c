/* SPDX-License-Identifier: MIT
 * data/base/fmath.c - exp, log, pow, sin and cos of turns from + - * / in a fixed order.
 *
 * All polynomials are plain Taylor series, long enough that what is cut off is below 2^-60 of the result: no fitted coefficient
 * has to be believed. Errors were measured against the 80-bit libm by tests/unit/test_fmath.c, which fails above the figures
 * stated here. Known forms: reduction by ln 2 in two parts (Cody and Waite 1980), log through s = f / (2 + f) with f - f^2/2 kept apart
 * (Ng, in Sun's fdlibm), products and sums in two doubles without FMA (Dekker 1971). */
#include "data/base/fmath.h"
#include <math.h>
#include <stdint.h>
#include <string.h>

#define LN2_HI 0x1.62e42fee00000p-1  /* 33 bits: times any exponent it is exact */
#define LN2_LO 0x1.a39ef35793c76p-33 /* ln 2 - LN2_HI */
#define PI2_HI 0x1.921fb54442d18p+2  /* 2 pi */
#define PI2_LO 0x1.1a62633145c07p-52 /* 2 pi - PI2_HI */

static uint64_t bits_of(double x)
{
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

static double from_bits(uint64_t u)
{
    double x;
    memcpy(&x, &u, sizeof x);
    return x;
}

static double two_to(int k) { return from_bits((uint64_t)(k + 1023) << 52); } // -1022 <= k <= 1023

/* x 2^k with one rounding at most, also into the subnormal range; -1100 < k < 1100 and x near 1. */
static double scaled(double x, int k)
{
    if (k > 1023) return x * two_to(1023) * two_to(k - 1023);
    if (k < -1021) return x * two_to(k + 1000) * two_to(-1000);
    return x * two_to(k);
}

/* e^(x + low), |low| < ulp(x), x in (-746, 710). */
static double exp_core(double x, double low)
{
    static const double c[] = {1.0 / 2,     1.0 / 6,      1.0 / 24,      1.0 / 120,      1.0 / 720,       1.0 / 5040,
                               1.0 / 40320, 1.0 / 362880, 1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800};
    const int k = (int)(x * 0x1.71547652b82fep+0 + (x < 0 ? -0.5 : 0.5)); // nearest of x / ln 2, towards zero after the half
    const double hi = x - k * LN2_HI, lo = k * LN2_LO - low;
    const double r = hi - lo, r2 = r * r, r4 = r2 * r2; // |r| < 0.3466
    const double p0 = (c[0] + r * c[1]) + r2 * (c[2] + r * c[3]);
    const double p1 = (c[4] + r * c[5]) + r2 * (c[6] + r * c[7]);
    const double p2 = (c[8] + r * c[9]) + r2 * (c[10] + r * c[11]);
    const double tail = r2 * (p0 + r4 * (p1 + r4 * p2)), rest = (hi - r) - lo;
    const double top = 1 + r, lost = (1 - top) + r;
    return scaled(top + (lost + (tail + rest)), k);
}

/* Greatest error found: 0.72 ulp in the normal range; subnormal results are rounded once more. */
double rr_exp(double x)
{
    if (x != x) return x;
    if (x > 709.782712893384) return INFINITY;
    if (x < -745.1332191019412) return 0;
    return exp_core(x, 0);
}

/* x = m 2^k with m in [sqrt(1/2), sqrt(2)); x positive and finite. */
static double split_exponent(double x, int *k)
{
    int e = 0;
    if (x < 0x1p-1022) x *= 0x1p54, e = -54;
    uint64_t u = bits_of(x);
    const uint64_t up = (u & UINT64_C(0xfffffffffffff)) >= UINT64_C(0x6a09e667f3bcd); // mantissa of sqrt(2)
    *k = e + (int)(u >> 52) - 1023 + (int)up;
    u = (u & UINT64_C(0xfffffffffffff)) | ((1023 - up) << 52);
    return from_bits(u);
}

/* k ln 2 + ln(1 + f) + low for f in [-0.2929, 0.4143). ln(1 + f) = f - f^2/2 + s (f^2/2 + R), R = sum 2/(2n+1) s^2n, n = 1..11. */
static double log_core(int k, double f, double low)
{
    const double s = f / (2 + f), z = s * s, z2 = z * z, z4 = z2 * z2, half = 0.5 * f * f;
    const double q0 = (2.0 / 3 + z * (2.0 / 5)) + z2 * (2.0 / 7 + z * (2.0 / 9));
    const double q1 = (2.0 / 11 + z * (2.0 / 13)) + z2 * (2.0 / 15 + z * (2.0 / 17));
    const double q2 = 2.0 / 19 + z * (2.0 / 21 + z * (2.0 / 23));
    const double r = z * (q0 + z4 * (q1 + z4 * q2));
    return k * LN2_HI - ((half - (s * (half + r) + (k * LN2_LO + low))) - f);
}

/* Greatest error found: 0.86 ulp. */
double rr_log(double x)
{
    if (!(x > 0) || x > 0x1.fffffffffffffp+1023) return x == 0 ? -INFINITY : x < 0 ? NAN : x;
    int k;
    const double m = split_exponent(x, &k);
    return log_core(k, m - 1, 0);
}

/* Greatest error found: 0.84 ulp. The rounding of 1 + x is carried on as `low`. */
double rr_log1p(double x)
{
    if (!(x > -1) || x > 0x1.fffffffffffffp+1023) return x == -1 ? -INFINITY : x < -1 ? NAN : x;
    if (x > -0.2928 && x < 0.4142) return x > -0x1p-54 && x < 0x1p-54 ? x : log_core(0, x, 0);
    const double u = 1 + x, lost = x >= 1 ? 1 - (u - x) : x - (u - 1);
    int k;
    const double m = split_exponent(u, &k);
    return log_core(k, m - 1, lost / u);
}

/* A sum of two doubles, |low| <= ulp(high) / 2. */
struct two {
    double high, low;
};

static struct two two_sum(double a, double b)
{
    const double s = a + b, t = s - a;
    return (struct two){s, (a - (s - t)) + (b - t)};
}

static struct two two_product(double a, double b) // |a|, |b| < 2^995
{
    const double ta = a * 0x1.0000002p+27, tb = b * 0x1.0000002p+27; // Veltkamp: 2^27 + 1
    const double ah = ta - (ta - a), al = a - ah, bh = tb - (tb - b), bl = b - bh;
    const double p = a * b;
    return (struct two){p, ((ah * bh - p) + ah * bl + al * bh) + al * bl};
}

static struct two add_two(struct two a, struct two b)
{
    const struct two s = two_sum(a.high, b.high);
    return two_sum(s.high, s.low + (a.low + b.low));
}

static struct two times_two(struct two a, struct two b)
{
    const struct two p = two_product(a.high, b.high);
    return two_sum(p.high, p.low + (a.high * b.low + a.low * b.high));
}

/* a / b for b in two doubles. */
static struct two quotient(double a, struct two b)
{
    const double q = a / b.high;
    const struct two p = two_product(q, b.high);
    return two_sum(q, (((a - p.high) - p.low) - q * b.low) / b.high);
}

/* ln x to about 2^-67: the series of log_core with its first three terms in two doubles. */
static struct two wide_log(double x)
{
    static const struct two two_thirds = {2.0 / 3, 0x1.5555555555555p-55}, two_fifths = {2.0 / 5, -0x1.999999999999ap-56};
    int k;
    const double m = split_exponent(x, &k);
    const struct two s = quotient(m - 1, two_sum(m, 1)), z = times_two(s, s);
    const double w = z.high, w2 = w * w, w4 = w2 * w2;
    const double q0 = (2.0 / 7 + w * (2.0 / 9)) + w2 * (2.0 / 11 + w * (2.0 / 13));
    const double q1 = (2.0 / 15 + w * (2.0 / 17)) + w2 * (2.0 / 19 + w * (2.0 / 21));
    const double q = q0 + w4 * (q1 + w4 * (2.0 / 23 + w * (2.0 / 25)));
    const struct two inner = add_two(two_thirds, times_two(z, add_two(two_fifths, (struct two){w * q, 0})));
    const struct two tail = times_two(times_two(s, z), inner);
    const struct two log_m = add_two((struct two){2 * s.high, 2 * s.low}, tail);
    return add_two(add_two((struct two){k * LN2_HI, 0}, (struct two){k * LN2_LO, 0}), log_m);
}

/* 0: y is no whole number, 1: odd, 2: even. */
static int parity(double y)
{
    const double size = fabs(y);
    if (size >= 0x1p53) return 2;
    if (floor(size) != size) return 0;
    return (uint64_t)size & 1 ? 1 : 2;
}

/* x^y for finite x > 0, x != 1, finite y != 0. */
static double power(double x, double y)
{
    if (fabs(y) > 0x1p64) return (x > 1) == (y > 0) ? INFINITY : 0; // |ln x| > 2^-54
    const struct two l = wide_log(x), p = two_product(y, l.high);
    const struct two e = two_sum(p.high, p.low + y * l.low);
    if (e.high > 709.782712893384) return INFINITY;
    if (e.high < -745.1332191019412) return 0;
    return exp_core(e.high, e.low);
}

/* Greatest error found: 0.76 ulp in the normal range. The special cases are those of C17 annex F.10.4.4. */
double rr_pow(double x, double y)
{
    if (x == 1 || y == 0) return 1;
    if (x != x || y != y) return x + y;
    const double size = fabs(x);
    const int whole = parity(y);
    if (isinf(y)) return size == 1 ? 1 : (size > 1) == (y > 0) ? INFINITY : 0;
    if (x < 0 && whole == 0 && !isinf(x)) return NAN;
    double r;
    if (size == 0 || isinf(size))
        r = (size == 0) == (y > 0) ? 0 : INFINITY;
    else
        r = size == 1 ? 1 : power(size, y);
    return whole == 1 && signbit(x) ? -r : r;
}

/* sin and cos of 2 pi r, |r| <= 1/8. */
static double sine(double r)
{
    const double a = r * PI2_HI, z = a * a, z2 = z * z, z4 = z2 * z2;
    const double p0 = (-1.0 / 6 + z * (1.0 / 120)) + z2 * (-1.0 / 5040 + z * (1.0 / 362880));
    const double p1 = (-1.0 / 39916800 + z * (1.0 / 6227020800)) + z2 * (-1.0 / 1307674368000 + z * (1.0 / 355687428096000));
    const struct two exact = two_product(r, PI2_HI);
    return a + (a * (z * (p0 + z4 * p1)) + (exact.low + r * PI2_LO));
}

static double cosine(double r)
{
    const struct two a = two_product(r, PI2_HI), square = two_product(a.high, a.high);
    const double z = square.high, z2 = z * z, z4 = z2 * z2, z_low = square.low + 2 * a.high * (a.low + r * PI2_LO);
    const double p0 = (1.0 / 24 + z * (-1.0 / 720)) + z2 * (1.0 / 40320 + z * (-1.0 / 3628800));
    const double p1 = (1.0 / 479001600 + z * (-1.0 / 87178291200)) + z2 * (1.0 / 20922789888000 + z * (-1.0 / 6402373705728000));
    const double half = 0.5 * z, top = 1 - half; // what the subtraction loses is added back
    return top + ((((1 - top) - half) - 0.5 * z_low) + z2 * (p0 + z4 * p1));
}

/* Quarter turns taken off exactly: what is left is in [-1/8, 1/8]. */
static double quarters(double turns, int *q)
{
    const double n = floor(4 * turns + 0.5);
    *q = (int)(n - 4 * floor(n / 4));
    return turns - n / 4;
}

/* Greatest error found: 1.08 ulp. Whole turns are exact, so large arguments lose nothing. */
double rr_sin_2pi(double turns)
{
    int q;
    if (!(fabs(turns) < 0x1p52)) return turns - turns; // whole turns: 0; NaN and infinities: NaN
    const double r = quarters(turns, &q), v = q & 1 ? cosine(r) : sine(r);
    return q & 2 ? -v : v;
}

/* Greatest error found: 1.08 ulp. */
double rr_cos_2pi(double turns)
{
    int q;
    if (!(fabs(turns) < 0x1p52)) return turns - turns + 1;
    const double r = quarters(turns, &q), v = q & 1 ? sine(r) : cosine(r);
    return q == 1 || q == 2 ? -v : v;
}
