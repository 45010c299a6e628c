/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/fuzz/fuzz_units.c - quantities, numbers and dates from any text; what was read is read again from what is printed. */
#include "data/base/time.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void require(bool ok)
{
    if (!ok) abort();
}

static void duration_again(struct rr_duration d)
{
    struct rr_buf b = {0};
    struct rr_duration again;
    rr_buf_duration(&b, d);
    require(rr_unit_duration(rr_slice(rr_buf_text(&b), b.n), &again) == RR_OK);
    require(again.months == d.months && again.us == d.us);
    rr_buf_done(&b);
}

static void rate_again(struct rr_rate r, const char *currency)
{
    struct rr_buf b = {0};
    struct rr_rate again;
    char again_currency[4];
    rr_buf_rate(&b, r, currency);
    require(rr_unit_rate(rr_slice(rr_buf_text(&b), b.n), &again, again_currency) == RR_OK);
    require(again.nano == r.nano && again.per == r.per && again.time == r.time && strcmp(again_currency, currency) == 0);
    rr_buf_done(&b);
}

static void double_again(double v)
{
    char text[RR_DOUBLE_MAX];
    double again;
    rr_double_text(v, text);
    require(rr_text_double(rr_slice(text, strlen(text)), &again) == RR_OK && again == v);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    const struct rr_slice s = rr_slice((const char *)data, n);
    struct rr_duration d;
    struct rr_rate r;
    struct rr_money m;
    char currency[4];
    double v;
    int64_t i;
    if (rr_unit_duration(s, &d) == RR_OK) duration_again(d);
    if (rr_unit_rate(s, &r, currency) == RR_OK) rate_again(r, currency);
    if (rr_text_double(s, &v) == RR_OK) double_again(v);
    (void)!rr_unit_money(s, &m, currency);
    (void)!rr_unit_bytes(s, &i);
    (void)!rr_unit_bandwidth(s, &v);
    (void)!rr_unit_power(s, &v);
    (void)!rr_unit_energy(s, &v);
    (void)!rr_unit_share(s, &v);
    (void)!rr_unit_frequency(s, &v);
    (void)!rr_text_i64(s, &i);
    (void)!rr_text_scaled(s, 9, &i);
    (void)!rr_date_parse(s, &i);
    return 0;
}
