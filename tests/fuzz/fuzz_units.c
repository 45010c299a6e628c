/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/fuzz/fuzz_units.c - any bytes through every reader of numbers, quantities and dates.
 *
 * Nothing may crash; what is refused has a reason; what is taken and printed reads back as the same value. */
#include "data/base/time.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static enum rr_status judged(enum rr_status st)
{
    assert(st == RR_OK || (st == RR_EINPUT && rr_reason()[0] != '\0'));
    return st;
}

static struct rr_slice text_of(const struct rr_buf *b) { return rr_slice(rr_buf_text(b), b->n); }

static void numbers(struct rr_slice s)
{
    int64_t i, scaled;
    double d, back;
    char text[RR_DOUBLE_MAX];
    const bool whole = judged(rr_text_i64(s, &i)) == RR_OK;
    const bool fits = judged(rr_text_scaled(s, 6, &scaled)) == RR_OK;
    assert(!whole || !fits || scaled == i * 1000000);
    if (judged(rr_text_times(s, 86400, &scaled, NULL)) == RR_OK && whole) assert(scaled == i * 86400);
    if (judged(rr_text_double(s, &d)) != RR_OK) return;
    rr_double_text(d, text);
    assert(rr_text_double(rr_slice(text, strlen(text)), &back) == RR_OK && back == d);
}

static void times(struct rr_slice s)
{
    struct rr_duration d, again;
    struct rr_buf b = {0};
    int64_t us;
    if (judged(rr_unit_duration(s, &d)) == RR_OK) {
        rr_buf_duration(&b, d);
        assert(rr_unit_duration(text_of(&b), &again) == RR_OK && again.months == d.months && again.us == d.us);
    }
    rr_buf_done(&b);
    if (judged(rr_unit_time(s, &us)) == RR_OK) rr_buf_time_short(&b, us);
    rr_buf_done(&b);
    if (judged(rr_date_parse(s, &us)) != RR_OK) return;
    int64_t back;
    rr_buf_date(&b, us);
    if (us >= rr_days_from_civil(0, 1, 1) * RR_D && us < rr_days_from_civil(10000, 1, 1) * RR_D) // a zone may leave the four-digit years
        assert(rr_date_parse(text_of(&b), &back) == RR_OK && back == us);
    rr_buf_done(&b);
}

static void amounts(struct rr_slice s)
{
    struct rr_money m;
    struct rr_rate r, again;
    struct rr_buf b = {0};
    char currency[4], same[4];
    if (judged(rr_unit_money(s, &m, currency)) == RR_OK) {
        int64_t micro;
        rr_buf_money(&b, m, currency, 6);
        rr_buf_done(&b);
        rr_buf_money_plain(&b, m);
        assert(rr_text_scaled(text_of(&b), 6, &micro) == RR_OK && micro == m.micro);
        rr_buf_done(&b);
    }
    if (judged(rr_unit_rate(s, &r, currency)) != RR_OK) return;
    rr_buf_rate(&b, r, currency);
    assert(rr_unit_rate(text_of(&b), &again, same) == RR_OK);
    assert(again.nano == r.nano && again.per == r.per && again.time == r.time && strcmp(same, currency) == 0);
    rr_buf_done(&b);
}

static void quantities(struct rr_slice s)
{
    static enum rr_status (*const physical[])(struct rr_slice, double *) = {
        rr_unit_bandwidth, rr_unit_flops, rr_unit_power, rr_unit_energy, rr_unit_share, rr_unit_ratio, rr_unit_frequency};
    double d;
    int64_t bytes, back;
    for (size_t i = 0; i < sizeof physical / sizeof *physical; i++)
        if (judged(physical[i](s, &d)) == RR_OK) assert(isfinite(d) && d >= 0);
    if (judged(rr_unit_bytes(s, &bytes)) != RR_OK) return;
    struct rr_buf b = {0};
    rr_buf_bytes(&b, bytes);
    assert(rr_unit_bytes(text_of(&b), &back) == RR_OK && back == bytes);
    rr_buf_done(&b);
}

static void escapes(const char *text)
{
    static void (*const escape[])(struct rr_buf *, const char *) = {rr_buf_html, rr_buf_json, rr_buf_csv, rr_buf_markdown, rr_buf_gnuplot};
    static const char *const never[] = {"<>'\n", "\n\r\t", "\n\r", "\n\r", "`\n\r"};
    struct rr_buf b = {0};
    for (size_t i = 0; i < sizeof escape / sizeof *escape; i++) {
        escape[i](&b, text);
        assert(strpbrk(rr_buf_text(&b), never[i]) == NULL);
        rr_buf_done(&b);
    }
    struct rr_arena *a = rr_arena_create();
    const char *name = rr_file_name(a, text);
    assert(name[0] != '\0' && name[0] != '.' && strchr(name, '/') == NULL);
    rr_arena_free(a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    char *bytes = rr_xrealloc(NULL, n, 1); // exactly n, so that a read past the slice is seen
    if (n) memcpy(bytes, data, n);
    const struct rr_slice s = rr_slice(bytes, n);
    numbers(s);
    times(s);
    amounts(s);
    quantities(s);
    struct rr_arena *a = rr_arena_create();
    escapes(rr_strndup(a, bytes, n));
    rr_arena_free(a);
    free(bytes);
    return 0;
}
