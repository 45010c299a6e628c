/* SPDX-License-Identifier: MIT
 * data/base/tz.c - a small reader of TZif (RFC 9636) and of the POSIX rule in its footer. */
#include "data/base/tz.h"
#include "data/base/time.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define FOLDER     "/usr/share/zoneinfo"
#define MOST_BYTES (1u << 20)
#define DAY_S      INT64_C(86400)
#define HEADER     44
#define BAD(what)  rr_fail(RR_EINPUT, "time zone %s: not a TZif file: %s", name, what)

/* ---- the footer's rule ---- */

// "CET" or "<+03>", three characters or more.
static bool skip_name(const char **s)
{
    const char *at = *s;
    if (*at == '<') {
        at = strchr(at, '>');
        if (!at) return false;
        *s = at + 1;
        return true;
    }
    while ((*at >= 'A' && *at <= 'Z') || (*at >= 'a' && *at <= 'z')) at++;
    const bool ok = at - *s >= 3;
    *s = at;
    return ok;
}

static bool read_number(const char **s, int most, int *ret)
{
    int v = 0;
    const char *at = *s;
    while (*at >= '0' && *at <= '9' && v <= most) v = v * 10 + (*at++ - '0');
    if (at == *s || v > most) return false;
    *s = at;
    *ret = v;
    return true;
}

// "[+-]hh[:mm[:ss]]" in seconds.
static bool read_time(const char **s, int32_t *ret)
{
    const int sign = **s == '-' ? -1 : 1;
    int h = 0, m = 0, sec = 0;
    if (**s == '+' || **s == '-') (*s)++;
    if (!read_number(s, 167, &h)) return false;
    if (**s == ':' && (++*s, !read_number(s, 59, &m))) return false;
    if (**s == ':' && (++*s, !read_number(s, 59, &sec))) return false;
    *ret = sign * (h * 3600 + m * 60 + sec);
    return true;
}

static bool skip(const char **s, char c)
{
    if (**s != c) return false;
    ++*s;
    return true;
}

static bool read_day(const char **s, struct rr_zone_day *d)
{
    *d = (struct rr_zone_day){.kind = RR_ZONE_ZERO, .time_s = 7200};
    if (skip(s, 'M')) {
        d->kind = RR_ZONE_MONTH;
        if (!read_number(s, 12, &d->month) || !skip(s, '.') || !read_number(s, 5, &d->week) || !skip(s, '.') || !read_number(s, 6, &d->day))
            return false;
        if (d->month < 1 || d->week < 1) return false;
    } else {
        if (skip(s, 'J')) d->kind = RR_ZONE_JULIAN;
        if (!read_number(s, 365, &d->day) || (d->kind == RR_ZONE_JULIAN && d->day == 0)) return false;
    }
    return !skip(s, '/') || read_time(s, &d->time_s);
}

// "CET-1CEST,M3.5.0,M10.5.0/3": hours west of UTC count positive there.
static bool read_rule(const char *s, struct rr_zone *z)
{
    int32_t west;
    if (!skip_name(&s) || !read_time(&s, &west)) return false;
    z->has_rule = true;
    z->standard_s = -west;
    if (!*s) return true;
    z->has_dst = true;
    z->dst_s = z->standard_s + 3600;
    if (!skip_name(&s)) return false;
    if (*s != ',') {
        if (!read_time(&s, &west)) return false;
        z->dst_s = -west;
    }
    return skip(&s, ',') && read_day(&s, &z->start) && skip(&s, ',') && read_day(&s, &z->end) && !*s;
}

/* ---- the file ---- */

static int64_t big_endian(const unsigned char *p, int bytes)
{
    uint64_t v = p[0] & 0x80u ? ~UINT64_C(0) : 0;
    for (int i = 0; i < bytes; i++) v = v << 8 | p[i];
    return (int64_t)v;
}

struct counts {
    size_t ut, standard, leap, time, type, chars;
};

static bool read_header(const unsigned char *p, const unsigned char *end, struct counts *c)
{
    if (end - p < HEADER || memcmp(p, "TZif", 4) != 0) return false;
    size_t *const to[] = {&c->ut, &c->standard, &c->leap, &c->time, &c->type, &c->chars};
    for (int i = 0; i < 6; i++) {
        const int64_t n = big_endian(p + 20 + 4 * i, 4);
        if (n < 0 || n > MOST_BYTES) return false;
        *to[i] = (size_t)n;
    }
    return true;
}

static size_t body_bytes(const struct counts *c, size_t word)
{
    return c->time * word + c->time + c->type * 6 + c->chars + c->leap * (word + 4) + c->standard + c->ut;
}

static bool read_body(const unsigned char *p, const struct counts *c, int word, struct rr_arena *a, struct rr_zone *z)
{
    const unsigned char *index = p + c->time * (size_t)word, *type = index + c->time;
    int64_t *at = RR_NEWS(a, int64_t, c->time + 1);
    int32_t *offset = RR_NEWS(a, int32_t, c->time + 1);
    offset[0] = (int32_t)big_endian(type, 4); // the first type is that of the time before
    for (size_t i = 0; i < c->time; i++) {
        at[i] = big_endian(p + i * (size_t)word, word);
        if (index[i] >= c->type || (i > 0 && at[i] <= at[i - 1])) return false;
        offset[i + 1] = (int32_t)big_endian(type + 6 * (size_t)index[i], 4);
    }
    for (size_t i = 0; i <= c->time; i++)
        if (offset[i] <= -7 * DAY_S || offset[i] >= 7 * DAY_S) return false;
    z->n = c->time;
    z->at_s = at;
    z->offset_s = offset;
    return true;
}

enum rr_status rr_zone_parse(const char *name, const unsigned char *bytes, size_t n, struct rr_arena *a, const struct rr_zone **ret)
{
    const unsigned char *p = bytes, *end = bytes + n;
    struct rr_zone *z = RR_NEW(a, struct rr_zone);
    struct counts c;
    z->name = rr_strdup(a, name);
    if (!read_header(p, end, &c)) return BAD("no header");
    int word = 4;
    if (p[4] >= '2') { // the same again with 64 bits, behind
        if (body_bytes(&c, 4) > (size_t)(end - p) - HEADER) return BAD("it is cut off");
        p += HEADER + body_bytes(&c, 4);
        word = 8;
        if (!read_header(p, end, &c)) return BAD("no second header");
    }
    p += HEADER;
    if (body_bytes(&c, (size_t)word) > (size_t)(end - p)) return BAD("it is cut off");
    if (c.leap > 0) return rr_fail(RR_EINPUT, "time zone %s counts leap seconds; take the one of the same name without \"right/\"", name);
    if (c.type == 0 || !read_body(p, &c, word, a, z)) return BAD("its transitions are not in order");
    *ret = z;
    p += body_bytes(&c, (size_t)word);
    if (word == 4) return RR_OK;
    if (end - p < 2 || p[0] != '\n' || end[-1] != '\n') return BAD("no footer");
    const char *rule = rr_strndup(a, (const char *)p + 1, (size_t)(end - p) - 2);
    if (*rule && !read_rule(rule, z)) return rr_fail(RR_EINPUT, "time zone %s: its rule \"%.64s\" is not understood", name, rule);
    return RR_OK;
}

static bool is_name(const char *s)
{
    if (!*s || *s == '/' || strlen(s) > 64 || strstr(s, "..")) return false;
    for (; *s; s++)
        if (!(*s >= 'A' && *s <= 'Z') && !(*s >= 'a' && *s <= 'z') && !(*s >= '0' && *s <= '9') && !strchr("/_+-", *s)) return false;
    return true;
}

static enum rr_status no_zone(const char *name)
{
    struct stat st;
    if (stat(FOLDER, &st) != 0) return rr_fail(RR_EMISSING, "no time zones in " FOLDER "; install the package tzdata, or use \"UTC\"");
    return rr_fail(RR_EINPUT, "no time zone \"%.64s\" in " FOLDER "; such as \"Europe/Berlin\" or \"UTC\" is expected", name);
}

enum rr_status rr_zone_load(const char *name, struct rr_arena *a, const struct rr_zone **ret)
{
    if (strcmp(name, "UTC") == 0) {
        struct rr_zone *z = RR_NEW(a, struct rr_zone);
        z->name = "UTC";
        z->offset_s = RR_NEW(a, int32_t);
        *ret = z;
        return RR_OK;
    }
    const char *path = rr_strf(a, FOLDER "/%.64s", name);
    struct stat st;
    if (!is_name(name) || stat(path, &st) != 0 || !S_ISREG(st.st_mode)) return no_zone(name);
    FILE *f = fopen(path, "rb");
    if (!f) return rr_fail(RR_EIO, "%s: %s", path, strerror(errno));
    unsigned char *bytes = RR_NEWS(a, unsigned char, MOST_BYTES);
    const size_t n = fread(bytes, 1, MOST_BYTES, f);
    const bool failed = ferror(f) != 0;
    fclose(f);
    if (failed) return rr_fail(RR_EIO, "%s: could not be read", path);
    return rr_zone_parse(name, bytes, n, a, ret);
}

/* ---- asking ---- */

// Days since 1970 of the rule's day in this year.
static int64_t day_of(const struct rr_zone_day *d, int64_t year)
{
    const int64_t first = rr_days_from_civil(year, 1, 1);
    const bool leap = rr_days_from_civil(year + 1, 1, 1) - first == 366;
    if (d->kind == RR_ZONE_ZERO) return first + d->day;
    if (d->kind == RR_ZONE_JULIAN) return first + d->day - 1 + (leap && d->day >= 60);
    const int64_t month = rr_days_from_civil(year, d->month, 1);
    const int64_t after = d->month == 12 ? rr_days_from_civil(year + 1, 1, 1) : rr_days_from_civil(year, d->month + 1, 1);
    const int64_t weekday = ((month + 4) % 7 + 7) % 7; // Sunday 0; 1970-01-01 was a Thursday
    int64_t day = month + (d->day - weekday + 7) % 7 + 7 * (d->week - 1);
    while (day >= after) day -= 7;
    return day;
}

struct change {
    int64_t at_s;
    int32_t offset_s;
};

// The rule's changes in this year, in order.
static void changes_of(const struct rr_zone *z, int64_t year, struct change c[2])
{
    const struct change start = {day_of(&z->start, year) * DAY_S + z->start.time_s - z->standard_s, z->dst_s};
    const struct change end = {day_of(&z->end, year) * DAY_S + z->end.time_s - z->dst_s, z->standard_s};
    c[0] = start.at_s < end.at_s ? start : end;
    c[1] = start.at_s < end.at_s ? end : start;
}

static int64_t year_of(int64_t epoch_s) { return rr_civil_of(epoch_s * RR_S).year; }

static int32_t rule_offset(const struct rr_zone *z, int64_t epoch_s)
{
    if (!z->has_dst) return z->standard_s;
    int32_t offset = z->standard_s;
    const int64_t year = year_of(epoch_s);
    for (int64_t y = year - 1; y <= year + 1; y++) {
        struct change c[2];
        changes_of(z, y, c);
        for (int i = 0; i < 2; i++)
            if (c[i].at_s <= epoch_s) offset = c[i].offset_s;
    }
    return offset;
}

static int64_t rule_next(const struct rr_zone *z, int64_t epoch_s)
{
    if (!z->has_dst) return INT64_MAX;
    for (int64_t y = year_of(epoch_s) - 1;; y++) {
        struct change c[2];
        changes_of(z, y, c);
        for (int i = 0; i < 2; i++)
            if (c[i].at_s > epoch_s) return c[i].at_s;
    }
}

// Transitions at or before.
static size_t passed(const struct rr_zone *z, int64_t epoch_s)
{
    size_t low = 0, high = z->n;
    while (low < high) {
        const size_t mid = low + (high - low) / 2;
        if (z->at_s[mid] <= epoch_s)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

int32_t rr_zone_offset(const struct rr_zone *z, int64_t epoch_s)
{
    const size_t k = passed(z, epoch_s);
    return k == z->n && z->has_rule ? rule_offset(z, epoch_s) : z->offset_s[k];
}

int64_t rr_zone_next(const struct rr_zone *z, int64_t epoch_s)
{
    const size_t k = passed(z, epoch_s);
    if (k < z->n) return z->at_s[k];
    return z->has_rule ? rule_next(z, epoch_s) : INT64_MAX;
}
