/* SPDX-License-Identifier: MIT
 * data/base/units_text.c - quantities back to text, in a form that units.c reads. */
#include "data/base/time.h"
#include <math.h>

static uint64_t size_of(int64_t v) { return v < 0 ? 0 - (uint64_t)v : (uint64_t)v; }

void rr_buf_time(struct rr_buf *b, int64_t us)
{
    static const struct {
        uint64_t us;
        const char *name;
    } parts[] = {{RR_D, "d"}, {RR_H, "h"}, {RR_MIN, "min"}, {RR_S, "s"}, {RR_MS, "ms"}, {1, "us"}};
    uint64_t left = size_of(us);
    const char *gap = us < 0 ? "-" : "";
    if (us == 0) rr_buf_puts(b, "0 s");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (left < parts[i].us) continue;
        rr_buf_putf(b, "%s%llu %s", gap, (unsigned long long)(left / parts[i].us), parts[i].name);
        left %= parts[i].us;
        gap = " ";
    }
}

void rr_buf_duration(struct rr_buf *b, struct rr_duration d)
{
    const bool years = d.months % 12 == 0;
    const int64_t n = years ? d.months / 12 : d.months;
    if (d.months) rr_buf_putf(b, "%lld %s%s", (long long)n, years ? "year" : "month", n == 1 ? "" : "s");
    if (d.months && d.us) rr_buf_puts(b, " ");
    if (d.us || !d.months) rr_buf_time(b, d.us);
}

/* Three digits, in the largest unit that makes at least 1. */
void rr_buf_time_short(struct rr_buf *b, int64_t us)
{
    static const struct {
        double us;
        const char *name;
    } parts[] = {{86400e6, "d"}, {3600e6, "h"}, {60e6, "min"}, {1e6, "s"}, {1e3, "ms"}, {1, "us"}};
    const double size = (double)size_of(us);
    size_t i = 0;
    if (us == 0) {
        rr_buf_puts(b, "0 s");
        return;
    }
    while (i + 1 < sizeof parts / sizeof *parts && size < parts[i].us) i++;
    const double v = size / parts[i].us;
    const int places = i == 5 || v >= 99.95 ? 0 : 1;
    const int64_t tenths = (int64_t)floor(v * (places ? 10 : 1) + 0.5);
    rr_buf_puts(b, us < 0 ? "-" : "");
    if (places && tenths % 10)
        rr_buf_putf(b, "%lld.%lld %s", (long long)(tenths / 10), (long long)(tenths % 10), parts[i].name);
    else
        rr_buf_putf(b, "%lld %s", (long long)(places ? tenths / 10 : tenths), parts[i].name);
}

/* The largest unit, binary or decimal, of which it is a whole number: exact. */
void rr_buf_bytes(struct rr_buf *b, int64_t bytes)
{
    static const struct {
        uint64_t bytes;
        const char *name;
    } parts[] = {{UINT64_C(1) << 50, "PiB"},
                 {UINT64_C(1000000000000000), "PB"},
                 {UINT64_C(1) << 40, "TiB"},
                 {UINT64_C(1000000000000), "TB"},
                 {UINT64_C(1) << 30, "GiB"},
                 {UINT64_C(1000000000), "GB"},
                 {UINT64_C(1) << 20, "MiB"},
                 {1000000, "MB"},
                 {1024, "KiB"},
                 {1000, "kB"},
                 {1, "B"}};
    const uint64_t size = size_of(bytes);
    size_t i = 0;
    while (size == 0 ? parts[i].bytes > 1 : size % parts[i].bytes != 0) i++;
    rr_buf_putf(b, "%s%llu %s", bytes < 0 ? "-" : "", (unsigned long long)(size / parts[i].bytes), parts[i].name);
}
