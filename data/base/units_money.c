/* SPDX-License-Identifier: MIT
 * data/base/units_money.c - amounts and list prices: "$1.2M", "EUR 3.20/h", "$200/kW/month". */
#include "data/base/units.h"
#include "data/base/units_read.h"
#include <string.h>

#define SHOWN(s) (int)((s).n < 60 ? (s).n : 60), (s).at ? (s).at : ""

static bool starts(struct rr_slice s, const char *with)
{
    const size_t n = strlen(with);
    return s.n >= n && memcmp(s.at, with, n) == 0;
}

static struct rr_slice after(struct rr_slice s, size_t n) { return rr_slice(s.at + n, s.n - n); }

static bool code_of(struct rr_slice s)
{
    for (size_t i = 0; i < 3; i++)
        if (i >= s.n || s.at[i] < 'A' || s.at[i] > 'Z') return false;
    return s.n == 3 || s.at[3] == ' ' || s.at[3] == '\t' || s.at[3] == '-' || (s.at[3] >= '0' && s.at[3] <= '9');
}

/* A sign or a code in front of the amount; false when there is none. */
static bool take_currency(struct rr_slice *s, char currency[4])
{
    static const struct {
        const char *sign, *code;
    } signs[] = {{"$", "USD"}, {"\xc2\xa5", "CNY"}, {"\xef\xbf\xa5", "CNY"}, {"\xe2\x82\xac", "EUR"}, {"\xc2\xa3", "GBP"}};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        if (!starts(*s, signs[i].sign)) continue;
        memcpy(currency, signs[i].code, 4);
        *s = rr_trim(after(*s, strlen(signs[i].sign)));
        return true;
    }
    if (!code_of(*s)) return false;
    memcpy(currency, s->at, 3);
    currency[3] = '\0';
    *s = rr_trim(after(*s, 3));
    return true;
}

/* "1,234,567.89" into `plain`: a comma stands before every third digit of the whole part, or nowhere. */
static bool without_commas(struct rr_slice number, char plain[64], size_t *n)
{
    size_t group = 0, commas = 0;
    bool whole = true;
    *n = 0;
    for (size_t i = 0; i < number.n; i++) {
        const char c = number.at[i];
        if (c == ',') {
            if (!whole || group == 0 || group > 3 || (commas && group != 3)) return false;
            commas++;
            group = 0;
            continue;
        }
        if (whole && (c < '0' || c > '9')) {
            if (commas && group != 3) return false;
            whole = false;
        }
        group++;
        if (*n == 63) return false;
        plain[(*n)++] = c;
    }
    return !(whole && commas && group != 3);
}

static uint64_t take_suffix(struct rr_slice *s)
{
    const char c = s->n ? s->at[0] : '\0';
    const uint64_t by = c == 'k' ? 1000 : c == 'M' ? 1000000 : c == 'B' ? 1000000000 : 0;
    if (by == 0) return 1;
    *s = after(*s, 1);
    return by;
}

/* The amount in front of s in units of 1/scale; what follows it stays in *s. */
static enum rr_status take_amount(struct rr_slice whole, struct rr_slice *s, uint64_t scale, int64_t *ret, char currency[4])
{
    char plain[64], code[4] = "";
    size_t n;
    bool exact, negative = false;
    struct rr_slice rest = rr_trim(*s);
    if (starts(rest, "-")) negative = true, rest = rr_trim(after(rest, 1));
    bool known = take_currency(&rest, code);
    if (!negative && known && starts(rest, "-")) negative = true, rest = after(rest, 1);
    const size_t digits = rr_units_number(rest);
    if (digits == 0) return rr_fail(RR_EINPUT, "\"%.*s\" is not an amount of money: write \"$1,250\" or \"EUR 3.20\"", SHOWN(whole));
    if (!without_commas(rr_slice(rest.at, digits), plain, &n))
        return rr_fail(RR_EINPUT, "\"%.*s\": a comma parts groups of three digits and the point the decimals, such as \"$1,234.50\"",
                       SHOWN(whole));
    rest = after(rest, digits);
    const uint64_t by = take_suffix(&rest);
    if (!known) {
        const struct rr_slice behind = rr_trim(rest), slash = rr_slice(behind.at, behind.n < 3 ? behind.n : 3);
        if ((known = code_of(slash))) {
            memcpy(code, slash.at, 3);
            rest = after(behind, 3);
        }
    }
    if (!known)
        return rr_fail(RR_EINPUT, "\"%.*s\" has no currency: write \"$%.*s\", or a code such as \"EUR %.*s\"", SHOWN(whole), (int)digits,
                       plain, (int)digits, plain);
    int64_t v;
    RR_TRY(rr_text_times(rr_slice(plain, n), scale * by, &v, &exact));
    if (!exact) return rr_fail(RR_EINPUT, "\"%.*s\" is finer than 1/%llu of the currency unit", SHOWN(whole), (unsigned long long)scale);
    *ret = negative ? -v : v;
    *s = rest;
    memcpy(currency, code, 4);
    return RR_OK;
}

enum rr_status rr_unit_money(struct rr_slice s, struct rr_money *ret, char currency[4])
{
    struct rr_slice rest = s;
    int64_t micro;
    char code[4];
    RR_TRY(take_amount(s, &rest, 1000000, &micro, code));
    rest = rr_trim(rest);
    if (starts(rest, "/")) return rr_fail(RR_EINPUT, "\"%.*s\" is a rate where an amount is wanted, such as \"$1,250\"", SHOWN(s));
    if (rest.n) return rr_fail(RR_EINPUT, "\"%.*s\" goes on after the amount: write \"$1,250\" or \"EUR 3.20\"", SHOWN(s));
    ret->micro = micro;
    memcpy(currency, code, 4);
    return RR_OK;
}

struct word {
    const char *name;
    int value;
};
static const struct word per_words[] = {
    {"node", RR_PER_NODE}, {"gpu", RR_PER_GPU},       {"kWh", RR_PER_KWH},   {"kW", RR_PER_KW},         {"GB", RR_PER_GB},
    {"rack", RR_PER_RACK}, {"person", RR_PER_PERSON}, {"call", RR_PER_CALL}, {"Mtoken", RR_PER_MTOKEN},
};
static const struct word time_words[] = {
    {"s", RR_SECOND}, {"min", RR_MINUTE}, {"h", RR_HOUR},      {"hour", RR_HOUR},
    {"day", RR_DAY},  {"d", RR_DAY},      {"month", RR_MONTH}, {"year", RR_YEAR},
};
#define COUNT(a) (sizeof(a) / sizeof *(a))

static int word_of(struct rr_slice s, const struct word *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (rr_slice_is(s, words[i].name)) return words[i].value;
    return -1;
}

static const char *nearest_of(struct rr_slice s)
{
    for (size_t i = 0; i < COUNT(per_words); i++)
        if (rr_slice_is_nocase(s, per_words[i].name)) return per_words[i].name;
    for (size_t i = 0; i < COUNT(time_words); i++)
        if (rr_slice_is_nocase(s, time_words[i].name)) return time_words[i].name;
    return NULL;
}

static enum rr_status refuse_per(struct rr_slice whole, struct rr_slice word)
{
    const char *near = nearest_of(word);
    if (rr_slice_is(word, "m")) return rr_fail(RR_EINPUT, "\"%.*s\": /m is ambiguous, write /min or /month", SHOWN(whole));
    if (near) return rr_fail(RR_EINPUT, "\"%.*s\": no unit /%.*s, did you mean /%s?", SHOWN(whole), SHOWN(word), near);
    return rr_fail(RR_EINPUT,
                   "\"%.*s\": no unit /%.*s; a rate is such as \"$2.10/gpu/h\", \"$20/h\" (a node), \"$0.08/kWh\", \"$200/kW/month\"",
                   SHOWN(whole), SHOWN(word));
}

/* "/gpu/h", "/kWh", "/h": at most one thing and then at most one time. */
static enum rr_status take_per(struct rr_slice whole, struct rr_slice s, struct rr_rate *ret)
{
    int per = -1, time = -1;
    while (s.n) {
        size_t n = 1;
        while (n < s.n && s.at[n] != '/') n++;
        const struct rr_slice word = rr_trim(rr_slice(s.at + 1, n - 1));
        const int p = word_of(word, per_words, COUNT(per_words)), t = word_of(word, time_words, COUNT(time_words));
        if (s.at[0] != '/' || (p < 0 && t < 0)) return refuse_per(whole, s.at[0] == '/' ? word : s);
        if (time >= 0 || (p >= 0 && per >= 0))
            return rr_fail(RR_EINPUT, "\"%.*s\": write what it is for, then the time, each once, such as \"$2.10/gpu/h\"", SHOWN(whole));
        if (p >= 0)
            per = p;
        else
            time = t;
        s = after(s, n);
    }
    ret->time = time < 0 ? RR_EVER : (enum rr_per_time)time;
    ret->per = per >= 0 ? (enum rr_per)per : ret->time <= RR_HOUR ? RR_PER_NODE : RR_PER_ONCE;
    return RR_OK;
}

enum rr_status rr_unit_rate(struct rr_slice s, struct rr_rate *ret, char currency[4])
{
    struct rr_slice rest = s;
    struct rr_rate r;
    char code[4];
    RR_TRY(take_amount(s, &rest, 1000000000, &r.nano, code));
    rest = rr_trim(rest);
    if (rest.n == 0)
        return rr_fail(RR_EINPUT,
                       "\"%.*s\" is an amount where a rate is wanted: write what it is per, such as \"%.*s/h\" (a node) or \"%.*s/gpu/h\"",
                       SHOWN(s), SHOWN(rr_trim(s)), SHOWN(rr_trim(s)));
    RR_TRY(take_per(s, rest, &r));
    *ret = r;
    memcpy(currency, code, 4);
    return RR_OK;
}

static const char *text_of(int value, const struct word *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (words[i].value == value) return words[i].name;
    return NULL;
}

/* Two decimals at least, more where the rate has them. */
void rr_buf_rate(struct rr_buf *b, struct rr_rate r, const char *currency)
{
    int places = 9;
    const uint64_t size = r.nano < 0 ? 0 - (uint64_t)r.nano : (uint64_t)r.nano;
    uint64_t rest = size % 1000000000;
    for (; places > 2 && rest % 10 == 0; places--) rest /= 10;
    struct rr_buf whole = {0};
    rr_buf_money(&whole, (struct rr_money){(int64_t)(size / 1000000000) * 1000000}, currency, 0);
    rr_buf_putf(b, "%s%s.%0*llu", r.nano < 0 ? "-" : "", rr_buf_text(&whole), places, (unsigned long long)rest);
    rr_buf_done(&whole);
    const char *per = text_of((int)r.per, per_words, COUNT(per_words)), *time = text_of((int)r.time, time_words, COUNT(time_words));
    const bool bare = r.per == RR_PER_NODE && r.time >= RR_SECOND && r.time <= RR_HOUR;
    if (per && !bare) rr_buf_putf(b, "/%s", per);
    if (time) rr_buf_putf(b, "/%s", time);
}
