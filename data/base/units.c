/* SPDX-License-Identifier: MIT
 * data/base/units.c - quantities from text: one table of units, one reader of "NUMBER UNIT", one way to refuse.
 *
 * (Money and rates: units_money.c; back to text: units_text.c.) */
#include "data/base/units.h"
#include "data/base/time.h"
#include "data/base/units_read.h"
#include <string.h>

enum dimension { TIME, MONTHS, SIZE, BITS, BANDWIDTH, COMPUTE, POWER, ENERGY, FREQUENCY, DIMENSIONS };

static const struct {
    const char *a, *such_as; /* "is A, where B is wanted, such as C" */
} dimension[DIMENSIONS] = {
    [TIME] = {"a time", "5 min"},
    [MONTHS] = {"a duration", "36 months"},
    [SIZE] = {"a size", "80 GiB"},
    [BITS] = {"a number of bits", "400 Gb"},
    [BANDWIDTH] = {"a bandwidth", "400 Gb/s"},
    [COMPUTE] = {"a compute rate", "989 TFLOP/s"},
    [POWER] = {"a power", "10.2 kW"},
    [ENERGY] = {"an energy", "5 kWh"},
    [FREQUENCY] = {"a frequency", "0.5/s"},
};

/* Factors to microseconds, months, bytes, bits, bytes/s, FLOP/s, W, J, and the seconds of a frequency. All are exact in double. */
static const struct unit {
    const char *name;
    enum dimension dim;
    double factor;
} units[] = {
    {"us", TIME, 1},
    {"µs", TIME, 1},
    {"ms", TIME, 1e3},
    {"s", TIME, 1e6},
    {"second", TIME, 1e6},
    {"seconds", TIME, 1e6},
    {"min", TIME, 60e6},
    {"minute", TIME, 60e6},
    {"minutes", TIME, 60e6},
    {"h", TIME, 3600e6},
    {"hour", TIME, 3600e6},
    {"hours", TIME, 3600e6},
    {"d", TIME, 86400e6},
    {"day", TIME, 86400e6},
    {"days", TIME, 86400e6},
    {"week", TIME, 604800e6},
    {"weeks", TIME, 604800e6},
    {"month", MONTHS, 1},
    {"months", MONTHS, 1},
    {"year", MONTHS, 12},
    {"years", MONTHS, 12},
    {"B", SIZE, 1},
    {"kB", SIZE, 1e3},
    {"MB", SIZE, 1e6},
    {"GB", SIZE, 1e9},
    {"TB", SIZE, 1e12},
    {"PB", SIZE, 1e15},
    {"KiB", SIZE, 1024},
    {"MiB", SIZE, 1048576},
    {"GiB", SIZE, 1073741824},
    {"TiB", SIZE, 1099511627776},
    {"PiB", SIZE, 1125899906842624},
    {"b", BITS, 1},
    {"kb", BITS, 1e3},
    {"Mb", BITS, 1e6},
    {"Gb", BITS, 1e9},
    {"Tb", BITS, 1e12},
    {"b/s", BANDWIDTH, 0.125},
    {"kb/s", BANDWIDTH, 125},
    {"Mb/s", BANDWIDTH, 125e3},
    {"Gb/s", BANDWIDTH, 125e6},
    {"Tb/s", BANDWIDTH, 125e9},
    {"B/s", BANDWIDTH, 1},
    {"kB/s", BANDWIDTH, 1e3},
    {"MB/s", BANDWIDTH, 1e6},
    {"GB/s", BANDWIDTH, 1e9},
    {"TB/s", BANDWIDTH, 1e12},
    {"KiB/s", BANDWIDTH, 1024},
    {"MiB/s", BANDWIDTH, 1048576},
    {"GiB/s", BANDWIDTH, 1073741824},
    {"TiB/s", BANDWIDTH, 1099511627776},
    {"GFLOP/s", COMPUTE, 1e9},
    {"TFLOP/s", COMPUTE, 1e12},
    {"PFLOP/s", COMPUTE, 1e15},
    {"EFLOP/s", COMPUTE, 1e18},
    {"W", POWER, 1},
    {"kW", POWER, 1e3},
    {"MW", POWER, 1e6},
    {"J", ENERGY, 1},
    {"kJ", ENERGY, 1e3},
    {"MJ", ENERGY, 1e6},
    {"Wh", ENERGY, 3600},
    {"kWh", ENERGY, 3600e3},
    {"MWh", ENERGY, 3600e6},
    {"/s", FREQUENCY, 1},
    {"/min", FREQUENCY, 60},
    {"/h", FREQUENCY, 3600},
    {"/hour", FREQUENCY, 3600},
    {"/day", FREQUENCY, 86400},
    {"/d", FREQUENCY, 86400},
    {"/week", FREQUENCY, 604800},
};
#define UNITS (sizeof units / sizeof *units)

/* What people write that means two things, or the wrong one, and what would be right. */
static const struct {
    const char *name, *why, *first, *second;
} ambiguous[] = {
    {"m", "is ambiguous", "min", "months"},
    {"M", "is ambiguous", "months", "MB"},
    {"mo", "is not a unit", "months", NULL},
    {"y", "is not a unit", "years", NULL},
    {"yr", "is not a unit", "years", NULL},
    {"w", "is not a unit", "weeks", NULL},
    {"sec", "is not a unit", "s", NULL},
    {"hr", "is not a unit", "h", NULL},
    {"hrs", "is not a unit", "h", NULL},
    {"mins", "is not a unit", "min", NULL},
    {"k", "is ambiguous", "kB", "KiB"},
    {"K", "is ambiguous", "kB", "KiB"},
    {"KB", "is ambiguous", "kB", "KiB"},
    {"G", "is ambiguous", "GB", "GiB"},
    {"T", "is ambiguous", "TB", "TiB"},
    {"P", "is ambiguous", "PB", "PiB"},
    {"kbps", "is not a unit", "kb/s", "kB/s"},
    {"Mbps", "is not a unit", "Mb/s", "MB/s"},
    {"Gbps", "is not a unit", "Gb/s", "GB/s"},
    {"Tbps", "is not a unit", "Tb/s", "TB/s"},
    {"GBps", "is not a unit", "GB/s", NULL},
    {"Gbit/s", "is not a unit", "Gb/s", NULL},
    {"mW", "is a thousandth of a watt", "MW", "W"},
    {"TFLOPS", "is ambiguous", "TFLOP/s", NULL},
    {"TFLOPs", "is ambiguous", "TFLOP/s", NULL},
    {"PFLOPS", "is ambiguous", "PFLOP/s", NULL},
    {"GFLOPS", "is ambiguous", "GFLOP/s", NULL},
    {"/m", "is ambiguous", "/min", NULL},
};

static const struct unit *unit_of(struct rr_slice name, bool nocase)
{
    for (size_t i = 0; i < UNITS; i++)
        if (nocase ? rr_slice_is_nocase(name, units[i].name) : rr_slice_is(name, units[i].name)) return &units[i];
    return NULL;
}

#define SHOWN(s) (int)((s).n < 60 ? (s).n : 60), (s).at ? (s).at : ""

/* The number in front, without a sign but with an exponent: how many bytes of s. "2e3" is a number, "2 EB" and "2eB" are not. */
size_t rr_units_number(struct rr_slice s)
{
    size_t i = 0;
    while (i < s.n && ((s.at[i] >= '0' && s.at[i] <= '9') || s.at[i] == '.' || s.at[i] == ',')) i++;
    if (i == 0 || i == s.n || (s.at[i] != 'e' && s.at[i] != 'E')) return i;
    size_t e = i + 1;
    if (e < s.n && (s.at[e] == '-' || s.at[e] == '+')) e++;
    if (e == s.n || s.at[e] < '0' || s.at[e] > '9') return i;
    while (e < s.n && s.at[e] >= '0' && s.at[e] <= '9') e++;
    return e;
}

static enum rr_status refuse_unit(struct rr_slice whole, struct rr_slice number, struct rr_slice name, enum dimension want)
{
    const struct unit *u = unit_of(name, false);
    if (name.n == 0)
        return rr_fail(RR_EINPUT, "\"%.*s\" has no unit: write %s, such as \"%s\"", SHOWN(whole), dimension[want].a,
                       dimension[want].such_as);
    if (u && u->dim == MONTHS && want == TIME)
        return rr_fail(RR_EINPUT, "\"%.*s\" has no fixed length: write days or hours, such as \"30 days\"", SHOWN(whole));
    if (u)
        return rr_fail(RR_EINPUT, "\"%.*s\" is %s where %s is wanted, such as \"%s\"", SHOWN(whole), dimension[u->dim].a, dimension[want].a,
                       dimension[want].such_as);
    for (size_t i = 0; i < sizeof ambiguous / sizeof *ambiguous; i++) {
        if (!rr_slice_is(name, ambiguous[i].name)) continue;
        const char *second = ambiguous[i].second;
        if (second)
            return rr_fail(RR_EINPUT, "\"%.*s\": %.*s %s, write \"%.*s %s\" or \"%.*s %s\"", SHOWN(whole), SHOWN(name), ambiguous[i].why,
                           SHOWN(number), ambiguous[i].first, SHOWN(number), second);
        return rr_fail(RR_EINPUT, "\"%.*s\": %.*s %s, write \"%.*s%s%s\"", SHOWN(whole), SHOWN(name), ambiguous[i].why, SHOWN(number),
                       ambiguous[i].first[0] == '/' ? "" : " ", ambiguous[i].first);
    }
    u = unit_of(name, true);
    if (u) return rr_fail(RR_EINPUT, "\"%.*s\": no unit %.*s, did you mean %s?", SHOWN(whole), SHOWN(name), u->name);
    return rr_fail(RR_EINPUT, "\"%.*s\" is not %s: write a number and a unit, such as \"%s\"", SHOWN(whole), dimension[want].a,
                   dimension[want].such_as);
}

/* "NUMBER UNIT" from the front of s up to the next blank after the unit; *s is moved on. */
static enum rr_status take(struct rr_slice whole, struct rr_slice *s, enum dimension want, struct rr_slice *number, const struct unit **ret)
{
    *s = rr_trim(*s);
    if (s->n && s->at[0] == '-')
        return rr_fail(RR_EINPUT, "\"%.*s\" is negative: write %s, such as \"%s\"", SHOWN(whole), dimension[want].a,
                       dimension[want].such_as);
    const size_t digits = rr_units_number(*s);
    *number = rr_slice(s->at, digits);
    if (digits == 0)
        return rr_fail(RR_EINPUT, "\"%.*s\" is not %s: write a number and a unit, such as \"%s\"", SHOWN(whole), dimension[want].a,
                       dimension[want].such_as);
    if (memchr(s->at, ',', digits))
        return rr_fail(RR_EINPUT, "\"%.*s\" has a comma in its number: write 1500.5, without separators", SHOWN(whole));
    struct rr_slice rest = rr_trim(rr_slice(s->at + digits, s->n - digits));
    size_t n = 0;
    while (n < rest.n && rest.at[n] != ' ' && rest.at[n] != '\t' && (n == 0 || rest.at[n] < '0' || rest.at[n] > '9')) n++;
    const struct rr_slice name = rr_slice(rest.at, n);
    *ret = unit_of(name, false);
    if (!*ret || ((*ret)->dim != want && !(want == MONTHS && (*ret)->dim == TIME))) return refuse_unit(whole, *number, name, want);
    *s = rr_slice(rest.at + n, rest.n - n);
    return RR_OK;
}

static enum rr_status one(struct rr_slice whole, enum dimension want, struct rr_slice *number, const struct unit **ret)
{
    struct rr_slice s = whole;
    RR_TRY(take(whole, &s, want, number, ret));
    if (rr_trim(s).n)
        return rr_fail(RR_EINPUT, "\"%.*s\" goes on after its unit: write one number and one unit, such as \"%s\"", SHOWN(whole),
                       dimension[want].such_as);
    return RR_OK;
}

/* Physics is double: the number times the factor. */
static enum rr_status physical(struct rr_slice whole, enum dimension want, double *ret)
{
    struct rr_slice number;
    const struct unit *u;
    double v;
    RR_TRY(one(whole, want, &number, &u));
    RR_TRY(rr_text_double(number, &v));
    v = want == FREQUENCY ? v / u->factor : v * u->factor; // a frequency's factor is its seconds
    if (v - v != 0) return rr_fail(RR_EINPUT, "\"%.*s\" is too large", SHOWN(whole));
    *ret = v;
    return RR_OK;
}

/* Adds one part of a duration: "3 years", "90 min". */
static enum rr_status add_part(struct rr_slice whole, struct rr_slice number, const struct unit *u, struct rr_duration *d)
{
    int64_t v;
    bool exact;
    int64_t *sum = u->dim == MONTHS ? &d->months : &d->us;
    RR_TRY(rr_text_times(number, (uint64_t)u->factor, &v, &exact));
    if (u->dim == MONTHS && !exact)
        return rr_fail(RR_EINPUT, "\"%.*s\" is not a whole number of months: write days, such as \"45 days\"", SHOWN(whole));
    if (v == 0 && !exact) return rr_fail(RR_EINPUT, "\"%.*s\" is shorter than a microsecond", SHOWN(whole));
    if (__builtin_add_overflow(*sum, v, sum)) return rr_fail(RR_EINPUT, "\"%.*s\" is too long", SHOWN(whole));
    return RR_OK;
}

/* want: TIME takes no months and years, MONTHS takes both. */
static enum rr_status duration_of(struct rr_slice s, enum dimension want, struct rr_duration *ret)
{
    struct rr_slice rest = s, number;
    struct rr_duration d = {0};
    const struct unit *u;
    double before = 0; // size of the part before: parts come in falling order, each once
    do {
        RR_TRY(take(s, &rest, want, &number, &u));
        const double size = u->dim == MONTHS ? u->factor * 1e13 : u->factor;
        if (before != 0 && size >= before)
            return rr_fail(RR_EINPUT, "\"%.*s\": write the larger unit first and each once, such as \"1 h 30 min\"", SHOWN(s));
        before = size;
        RR_TRY(add_part(s, number, u, &d));
    } while (rr_trim(rest).n);
    *ret = d;
    return RR_OK;
}

enum rr_status rr_unit_duration(struct rr_slice s, struct rr_duration *ret) { return duration_of(s, MONTHS, ret); }

enum rr_status rr_unit_time(struct rr_slice s, int64_t *ret_us)
{
    struct rr_duration d;
    RR_TRY(duration_of(s, TIME, &d));
    *ret_us = d.us;
    return RR_OK;
}

enum rr_status rr_unit_bytes(struct rr_slice s, int64_t *ret)
{
    struct rr_slice number;
    const struct unit *u;
    int64_t v;
    bool exact;
    RR_TRY(one(s, SIZE, &number, &u));
    RR_TRY(rr_text_times(number, (uint64_t)u->factor, &v, &exact));
    if (v == 0 && !exact) return rr_fail(RR_EINPUT, "\"%.*s\" is less than a byte", SHOWN(s));
    *ret = v;
    return RR_OK;
}

enum rr_status rr_unit_bandwidth(struct rr_slice s, double *ret_bytes_s) { return physical(s, BANDWIDTH, ret_bytes_s); }
enum rr_status rr_unit_flops(struct rr_slice s, double *ret_flops) { return physical(s, COMPUTE, ret_flops); }
enum rr_status rr_unit_power(struct rr_slice s, double *ret_w) { return physical(s, POWER, ret_w); }
enum rr_status rr_unit_energy(struct rr_slice s, double *ret_j) { return physical(s, ENERGY, ret_j); }
enum rr_status rr_unit_frequency(struct rr_slice s, double *ret_per_s) { return physical(s, FREQUENCY, ret_per_s); }

enum rr_status rr_unit_ratio(struct rr_slice s, double *ret)
{
    struct rr_slice number = rr_trim(s);
    const bool percent = number.n && number.at[number.n - 1] == '%';
    double v;
    if (percent) number = rr_trim(rr_slice(number.at, number.n - 1));
    if (rr_text_double(number, &v) != RR_OK) return rr_fail(RR_EINPUT, "\"%.*s\" is not a share: write \"30 %%\" or \"0.3\"", SHOWN(s));
    if (v < 0) return rr_fail(RR_EINPUT, "\"%.*s\" is negative: a share is from 0 to 1, or \"0 %%\" to \"100 %%\"", SHOWN(s));
    *ret = percent ? v / 100 : v;
    return RR_OK;
}

enum rr_status rr_unit_share(struct rr_slice s, double *ret)
{
    double v;
    RR_TRY(rr_unit_ratio(s, &v));
    if (v > 1) return rr_fail(RR_EINPUT, "\"%.*s\" is more than the whole: a share is from 0 to 1, or \"0 %%\" to \"100 %%\"", SHOWN(s));
    *ret = v;
    return RR_OK;
}
