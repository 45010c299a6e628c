/* SPDX-License-Identifier: MIT
 * data/base/money.c - 128-bit charges and the one rounding. */
#include "data/base/money.h"
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NANO_PER_MICRO 1000

enum rr_status rr_round_div(rr_i128 n, rr_i128 d, int64_t *ret)
{
    assert(d > 0);
    rr_i128 q = n / d; // towards zero
    const rr_i128 rest = n % d < 0 ? -(n % d) : n % d;
    const rr_i128 short_of = d - rest; // compares rest with d / 2 without doubling it
    if (rest > short_of || (rest == short_of && q % 2 != 0)) q += n < 0 ? -1 : 1;
    if (q < INT64_MIN || q > INT64_MAX) return rr_fail(RR_EINPUT, "an amount does not fit: it is past 9.2 trillion currency units");
    *ret = (int64_t)q;
    return RR_OK;
}

enum rr_status rr_money_charge(int64_t nano, rr_i128 quantity, int64_t per, struct rr_money *ret)
{
    assert(per > 0);
    rr_i128 product;
    if (__builtin_mul_overflow((rr_i128)nano, quantity, &product))
        return rr_fail(RR_EINPUT, "a charge does not fit: rate times quantity is past 128 bits");
    return rr_round_div(product, (rr_i128)per * NANO_PER_MICRO, &ret->micro);
}

enum rr_status rr_money_add(struct rr_money *sum, struct rr_money x)
{
    int64_t micro;
    if (__builtin_add_overflow(sum->micro, x.micro, &micro))
        return rr_fail(RR_EINPUT, "a sum of money does not fit: it is past 9.2 trillion currency units");
    sum->micro = micro;
    return RR_OK;
}

struct rr_money rr_money_upto(struct rr_money whole, int64_t at, int64_t span)
{
    assert(span > 0 && at >= 0 && at <= span);
    struct rr_money part = {0};
    const enum rr_status st = rr_round_div((rr_i128)whole.micro * at, span, &part.micro);
    assert(st == RR_OK); // |part| <= |whole|
    (void)st;
    return part;
}

/* |value| x weight / total, in 192 bits when it must be: quotient and remainder of part i of the split. */
static void share_of(uint64_t value, unsigned __int128 weight, unsigned __int128 total, uint64_t *q, unsigned __int128 *rest)
{
    unsigned __int128 quotient = 0, r = 0;
    for (int bit = 63; bit >= 0; bit--) { // Horner in base 2: r stays below total <= 2^127
        r = 2 * r + ((value >> bit) & 1 ? weight : 0);
        quotient *= 2;
        while (r >= total) r -= total, quotient++;
    }
    *q = (uint64_t)quotient;
    *rest = r;
}

struct share {
    unsigned __int128 rest;
    size_t index;
    uint64_t units;
};

static int by_rest(const void *x, const void *y)
{
    const struct share *a = x, *b = y;
    if (a->rest != b->rest) return a->rest < b->rest ? 1 : -1;
    return a->index < b->index ? -1 : 1;
}

void rr_money_split(struct rr_money whole, const rr_i128 *weights, size_t n, struct rr_money *parts)
{
    unsigned __int128 total = 0;
    for (size_t i = 0; i < n; i++) {
        assert(weights[i] >= 0);
        total += (unsigned __int128)weights[i];
    }
    assert(total > 0 && total >> 125 == 0); // share_of needs 3 x total
    const bool negative = whole.micro < 0;
    const uint64_t size = negative ? 0 - (uint64_t)whole.micro : (uint64_t)whole.micro;
    uint64_t left = size;
    struct share *share = rr_xrealloc(NULL, n, sizeof *share);
    for (size_t i = 0; i < n; i++) {
        share[i].index = i;
        share_of(size, (unsigned __int128)weights[i], total, &share[i].units, &share[i].rest);
        left -= share[i].units;
    }
    qsort(share, n, sizeof *share, by_rest);
    for (size_t i = 0; i < left; i++) share[i].units++; // left < n: the remainders add up to left x total
    for (size_t i = 0; i < n; i++) parts[share[i].index].micro = (int64_t)(negative ? 0 - share[i].units : share[i].units);
    free(share);
}

double rr_money_double(struct rr_money m) { return (double)m.micro / 1e6; }

static void put_grouped(struct rr_buf *b, uint64_t whole)
{
    char digits[24];
    const int n = snprintf(digits, sizeof digits, "%llu", (unsigned long long)whole);
    for (int i = 0; i < n; i++) {
        if (i && (n - i) % 3 == 0) rr_buf_puts(b, ",");
        rr_buf_put(b, &digits[i], 1);
    }
}

static const char *symbol_of(const char *currency)
{
    if (strcmp(currency, "USD") == 0) return "$";
    return strcmp(currency, "CNY") == 0 ? "\xc2\xa5" : NULL;
}

void rr_buf_money(struct rr_buf *b, struct rr_money m, const char *currency, int digits)
{
    static const int64_t ten_to[] = {1, 10, 100, 1000, 10000, 100000, 1000000};
    assert(digits >= 0 && digits <= 6);
    int64_t units = 0;
    const enum rr_status st = rr_round_div(m.micro, ten_to[6 - digits], &units);
    assert(st == RR_OK);
    (void)st;
    const uint64_t size = units < 0 ? 0 - (uint64_t)units : (uint64_t)units;
    const char *symbol = symbol_of(currency);
    if (units < 0) rr_buf_puts(b, "-");
    if (symbol)
        rr_buf_puts(b, symbol);
    else if (*currency)
        rr_buf_putf(b, "%s ", currency);
    put_grouped(b, size / (uint64_t)ten_to[digits]);
    if (digits) rr_buf_putf(b, ".%0*llu", digits, (unsigned long long)(size % (uint64_t)ten_to[digits]));
}

void rr_buf_money_plain(struct rr_buf *b, struct rr_money m)
{
    const uint64_t size = m.micro < 0 ? 0 - (uint64_t)m.micro : (uint64_t)m.micro;
    uint64_t rest = size % 1000000;
    int places = rest ? 6 : 0;
    for (; places && rest % 10 == 0; places--) rest /= 10;
    rr_buf_putf(b, "%s%llu", m.micro < 0 ? "-" : "", (unsigned long long)(size / 1000000));
    if (places) rr_buf_putf(b, ".%0*llu", places, (unsigned long long)rest);
}
