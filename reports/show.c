/* SPDX-License-Identifier: GPL-3.0-or-later
 * reports/show.c - numbers as people read them. */
#include "reports/show.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *kept(struct rr_arena *a, struct rr_buf *b)
{
    const char *s = rr_strdup(a, rr_buf_text(b));
    rr_buf_done(b);
    return s;
}

const char *rr_show_money(struct rr_arena *a, struct rr_money m, const char *currency)
{
    struct rr_buf b = {0};
    const double v = fabs(rr_money_double(m));
    rr_buf_money(&b, m, currency ? currency : "", v >= 1000 || m.micro == 0 ? 0 : v >= 0.1 ? 2 : 4);
    return kept(a, &b);
}

const char *rr_show_amount(struct rr_arena *a, double v, const char *currency)
{
    if (isnan(v)) return RR_SHOW_NONE;
    if (fabs(v) > 9e12) return rr_strf(a, "%s %.4g", currency ? currency : "", v); // past int64 micro-units
    return rr_show_money(a, (struct rr_money){llround(v * 1e6)}, currency);
}

const char *rr_show_half(struct rr_arena *a, double half, double mean, const char *currency)
{
    if (isnan(half) || fabs(mean) > 9e12 || half > 9e12) return rr_show_amount(a, half, currency);
    struct rr_buf b = {0};
    rr_buf_money(&b, (struct rr_money){llround(half * 1e6)}, currency ? currency : "", fabs(mean) >= 1000 ? 0 : fabs(mean) >= 0.1 ? 2 : 4);
    return kept(a, &b);
}

static void grouped(struct rr_buf *b, uint64_t n)
{
    char text[32];
    const int len = snprintf(text, sizeof text, "%llu", (unsigned long long)n);
    for (int i = 0; i < len; i++) {
        if (i && (len - i) % 3 == 0) rr_buf_puts(b, ",");
        rr_buf_put(b, &text[i], 1);
    }
}

const char *rr_show_number(struct rr_arena *a, double v)
{
    if (isnan(v)) return RR_SHOW_NONE;
    const double size = fabs(v);
    if (size > 9e15) return rr_strf(a, "%.4g", v);
    if (size < 1e-12) return "0";
    const int places = size >= 99.95 || size == floor(size) ? 0 : size >= 9.995 ? 1 : size >= 0.0995 ? 2 : 4;
    if (!places) {
        struct rr_buf b = {0};
        if (v < 0) rr_buf_puts(&b, "-");
        grouped(&b, (uint64_t)llround(size));
        return kept(a, &b);
    }
    return rr_strf(a, "%.*f", places, v);
}

const char *rr_show_count(struct rr_arena *a, int64_t n) { return n == INT64_MAX ? "unlimited" : rr_show_number(a, (double)n); }

const char *rr_show_share(struct rr_arena *a, double v)
{
    if (isnan(v)) return RR_SHOW_NONE;
    const double pct = 100 * v;
    return rr_strf(a, "%.*f %%", pct == 0 || pct == 100 ? 0 : fabs(pct - 100) < 0.05 ? 2 : fabs(pct) >= 0.1 ? 1 : 3, pct);
}

const char *rr_show_seconds(struct rr_arena *a, double s)
{
    if (isnan(s)) return RR_SHOW_NONE;
    if (fabs(s) > 9e12) return rr_strf(a, "%.4g s", s);
    struct rr_buf b = {0};
    rr_buf_time_short(&b, llround(s * 1e6));
    return kept(a, &b);
}

/* v in the largest unit that it reaches, with three digits; the first unit is the smallest. */
static const char *scaled(struct rr_arena *a, double v, const char *const *unit, const double *size, size_t n)
{
    size_t i = 0;
    if (isnan(v)) return RR_SHOW_NONE;
    if (isinf(v)) return v > 0 ? "never" : RR_SHOW_NONE;
    while (i + 1 < n && fabs(v) >= 0.9995 * size[i + 1]) i++;
    const double x = v / size[i];
    return rr_strf(a, "%.*f %s", x == 0 || fabs(x) >= 99.95 ? 0 : fabs(x) >= 9.995 ? 1 : 2, x, unit[i]);
}

const char *rr_show_time(struct rr_arena *a, double s)
{
    static const char *const unit[] = {"us", "ms", "s", "min", "h", "d"};
    static const double size[] = {1e-6, 1e-3, 1, 60, 3600, 86400};
    return s == 0 ? "0 s" : scaled(a, s, unit, size, 6);
}

const char *rr_show_bytes(struct rr_arena *a, double v)
{
    static const char *const unit[] = {"B", "kB", "MB", "GB", "TB", "PB"};
    static const double size[] = {1, 1e3, 1e6, 1e9, 1e12, 1e15};
    return scaled(a, v, unit, size, 6);
}

const char *rr_show_metric(struct rr_arena *a, enum rr_metric_unit unit, double v, const char *currency)
{
    switch (unit) {
    case RR_U_MONEY:
    case RR_U_MONEY_PER_GPU_HOUR:
    case RR_U_MONEY_PER_MONTH:
    case RR_U_MONEY_PER_JOB: return rr_show_amount(a, v, currency);
    case RR_U_SECONDS: return rr_show_seconds(a, v);
    default: return rr_show_number(a, v);
    }
}

const char *rr_show_word(struct rr_arena *a, const char *word)
{
    char *s = rr_strdup(a, word ? word : "");
    for (char *p = s; *p; p++)
        if (*p == '_') *p = '-';
    return s;
}

const char *rr_show_span(struct rr_arena *a, double s)
{
    if (isnan(s)) return RR_SHOW_NONE;
    const double day = 86400, days = s / day;
    const double years = days / 365.25;
    if (years >= 0.99 && fabs(years - round(years)) < 0.01) return rr_strf(a, "%.0f year%s", round(years), round(years) == 1 ? "" : "s");
    if (years >= 2) return rr_strf(a, "%.1f years", years);
    if (days >= 14 && fabs(days / 7 - round(days / 7)) < 1e-6) return rr_strf(a, "%.0f weeks", days / 7);
    if (days >= 1) return rr_strf(a, days == floor(days) || days >= 100 ? "%.0f day%s" : "%.1f day%s", days, days == 1 ? "" : "s");
    return rr_show_seconds(a, s);
}

static bool is_named(const struct rr_alternative *a, const char *name) { return name && a->name && *name && strcmp(a->name, name) == 0; }

static bool is_taken(const size_t *list, size_t n, size_t i)
{
    for (size_t k = 0; k < n; k++)
        if (list[k] == i) return true;
    return false;
}

/* Lower is taken first: the best and the baseline, then by the criterion; what has none comes last. */
static double standing(const struct rr_store *s, int metric, size_t i)
{
    const struct rr_alternative *a = &s->alternative[i];
    if (is_named(a, s->best) || is_named(a, s->baseline)) return -INFINITY;
    const double v = metric >= 0 ? a->metric[metric].mean : 0;
    return isnan(v) ? INFINITY : v;
}

static int by_order(const void *a, const void *b)
{
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return x < y ? -1 : x > y;
}

size_t rr_show_chosen(const struct rr_store *s, size_t most, bool priced_only, size_t *ret)
{
    const int metric = s->criterion && *s->criterion ? rr_metric_find(s->criterion) : -1;
    size_t n = 0;
    while (n < most) {
        size_t next = s->n_alternatives;
        for (size_t i = 0; i < s->n_alternatives; i++) {
            if ((priced_only && s->alternative[i].unpriced) || is_taken(ret, n, i)) continue;
            if (next == s->n_alternatives || standing(s, metric, i) < standing(s, metric, next)) next = i;
        }
        if (next == s->n_alternatives) break;
        ret[n++] = next;
    }
    qsort(ret, n, sizeof *ret, by_order);
    return n;
}

// "[/pools/own/nodes=4,/x/y=2]" -> "nodes=4, y=2".
static void points_of(struct rr_buf *b, const char *at)
{
    for (bool first = true; *at && *at != ']'; first = false) {
        const size_t n = strcspn(at, ",]"), key = strcspn(at, "=");
        size_t from = key < n ? key : n;
        while (from > 0 && at[from - 1] != '/') from--;
        if (!first) rr_buf_puts(b, ", ");
        rr_buf_put(b, at + from, n - from);
        at += n;
        if (*at == ',') at++;
    }
}

static bool one_alternative(const struct rr_store *s)
{
    for (size_t i = 1; i < s->n_alternatives; i++)
        if (strcmp(s->alternative[i].alternative, s->alternative[0].alternative) != 0) return false;
    return true;
}

static const char *brief(const struct rr_store *s, struct rr_arena *a, size_t i)
{
    const struct rr_alternative *alt = &s->alternative[i];
    const size_t n = strlen(alt->alternative);
    if (strncmp(alt->name, alt->alternative, n) != 0 || strncmp(alt->name + n, "[/", 2) != 0) return alt->name;
    struct rr_buf b = {0};
    if (!one_alternative(s)) rr_buf_putf(&b, "%s, ", alt->alternative);
    points_of(&b, alt->name + n + 1);
    return kept(a, &b);
}

const char *rr_show_name(const struct rr_store *s, struct rr_arena *a, size_t i)
{
    const char *name = brief(s, a, i);
    for (size_t k = 0; k < s->n_alternatives; k++)
        if (k != i && strcmp(brief(s, a, k), name) == 0) return s->alternative[i].name;
    return name;
}

// The text behind "NAME: " and whose it is; SIZE_MAX = of no alternative.
static const char *text_of(const struct rr_store *s, const char *line, size_t *whose)
{
    *whose = SIZE_MAX;
    for (size_t i = 0; i < s->n_alternatives; i++) {
        const size_t n = strlen(s->alternative[i].name);
        if (strncmp(line, s->alternative[i].name, n) == 0 && strncmp(line + n, ": ", 2) == 0) {
            *whose = i;
            return line + n + 2;
        }
    }
    return line;
}

enum { NAMES_TOLD = 3 };
struct warning {
    const char *text;
    size_t whose;
    bool told;
};

/* Warning `from` and all later ones that say the same of another alternative. */
static const char *joined(const struct rr_store *s, struct rr_arena *a, struct warning *w, size_t from)
{
    struct rr_buf b = {0};
    size_t n = 0;
    for (size_t i = from; i < s->n_headline; i++) {
        if (w[i].told || w[i].whose == SIZE_MAX || strcmp(w[i].text, w[from].text) != 0) continue;
        w[i].told = true;
        if (n++ < NAMES_TOLD) rr_buf_putf(&b, "%s%s", n > 1 ? ", " : "", rr_show_name(s, a, w[i].whose));
    }
    if (n == s->n_alternatives && n > 1)
        b.n = 0;
    else if (n > NAMES_TOLD)
        rr_buf_putf(&b, " and %zu more", n - NAMES_TOLD);
    if (b.n) rr_buf_puts(&b, ": ");
    rr_buf_puts(&b, w[from].text);
    return kept(a, &b);
}

size_t rr_show_headline(const struct rr_store *s, struct rr_arena *a, const char *const **ret)
{
    const char **line = RR_NEWS(a, const char *, s->n_headline + 1);
    struct warning *w = RR_NEWS(a, struct warning, s->n_headline + 1);
    size_t n = 0;
    for (size_t i = 0; i < s->n_headline; i++) w[i].text = text_of(s, s->headline[i], &w[i].whose);
    for (size_t i = 0; i < s->n_headline; i++)
        if (!w[i].told) line[n++] = w[i].whose == SIZE_MAX ? w[i].text : joined(s, a, w, i);
    *ret = line;
    return n;
}
