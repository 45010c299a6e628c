/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/focus.c - the columns of FOCUS, and its numbers and times. */
#include "data/focus.h"
#include "data/base/time.h"
#include <string.h>

static const char *const charge_words[] = {"Usage", "Purchase", "Tax", "Credit", "Adjustment", NULL};
static const char *const class_words[] = {"Correction", NULL};
static const char *const frequency_words[] = {"One-Time", "Recurring", "Usage-Based", NULL};
static const char *const status_words[] = {"Used", "Unused", NULL};
static const char *const discount_words[] = {"Spend", "Usage", NULL};
static const char *const pricing_words[] = {"Standard", "Dynamic", "Committed", "Other", NULL};
static const char *const service_words[] = {"AI and Machine Learning",
                                            "Analytics",
                                            "Business Applications",
                                            "Compute",
                                            "Databases",
                                            "Developer Tools",
                                            "Multicloud",
                                            "Identity",
                                            "Integration",
                                            "Internet of Things",
                                            "Management and Governance",
                                            "Media",
                                            "Migration",
                                            "Mobile",
                                            "Networking",
                                            "Security",
                                            "Storage",
                                            "Web",
                                            "Other",
                                            NULL};

const struct rr_focus_info rr_focus_info[RR_FOCUS_COLUMNS] = {
#define X(name, type, level, null) [RR_FOCUS_##name] = {#name, RR_FOCUS_##type, level, RR_FOCUS_##null},
    RR_FOCUS_TABLE
#undef X
};

const char *const *rr_focus_words(enum rr_focus_column c)
{
    switch (c) {
    case RR_FOCUS_ChargeCategory: return charge_words;
    case RR_FOCUS_ChargeClass: return class_words;
    case RR_FOCUS_ChargeFrequency: return frequency_words;
    case RR_FOCUS_CapacityReservationStatus:
    case RR_FOCUS_CommitmentDiscountStatus: return status_words;
    case RR_FOCUS_CommitmentDiscountCategory: return discount_words;
    case RR_FOCUS_PricingCategory: return pricing_words;
    case RR_FOCUS_ServiceCategory: return service_words;
    default: return NULL;
    }
}

/* ---- numbers ---- */

/* A decimal text taken apart: digits, and how many of them stand behind the point (negative: zeros to add). */
struct digits {
    bool negative;
    rr_i128 value;
    int behind;
    bool more; /* digits that did not fit any more were not all 0 */
    bool any;
};

static void digit(struct digits *d, int v, bool fraction)
{
    d->any = true;
    if (d->value > (rr_i128)1 << 120) { // far past 10^23 units: only the place counts
        d->more |= v != 0;
        d->behind -= !fraction;
        return;
    }
    d->value = d->value * 10 + v;
    d->behind += fraction;
}

/* The exponent behind "e" or "E"; a "+" is not allowed. */
static bool exponent(struct rr_slice s, int *ret)
{
    int64_t v;
    if (s.n > 0 && s.at[0] == '+') return false;
    if (rr_text_i64(s, &v) != RR_OK || v < -100 || v > 100) return false;
    *ret = (int)v;
    return true;
}

static bool take_apart(struct rr_slice s, struct digits *d)
{
    size_t i = 0;
    bool fraction = false;
    if (i < s.n && s.at[i] == '-') d->negative = true, i++;
    for (; i < s.n; i++) {
        const char c = s.at[i];
        if (c >= '0' && c <= '9') {
            digit(d, c - '0', fraction);
        } else if (c == '.' && !fraction) {
            fraction = true;
        } else if ((c == 'e' || c == 'E') && d->any) {
            int e;
            if (!exponent(rr_slice(s.at + i + 1, s.n - i - 1), &e)) return false;
            d->behind -= e;
            return true;
        } else {
            return false;
        }
    }
    return d->any;
}

enum rr_status rr_focus_decimal(struct rr_slice s, rr_i128 *ret)
{
    struct digits d = {0};
    const struct rr_slice t = rr_trim(s);
    if (!take_apart(t, &d))
        return rr_fail(RR_EINPUT, "\"%.*s\" is no plain decimal, such as -12.345 (no currency sign, no separators)",
                       (int)(t.n < 40 ? t.n : 40), t.at);
    rr_i128 v = d.value;
    for (; d.behind < RR_FOCUS_DIGITS; d.behind++)
        if (__builtin_mul_overflow(v, (rr_i128)10, &v))
            return rr_fail(RR_EINPUT, "\"%.*s\" is out of range", (int)(t.n < 40 ? t.n : 40), t.at);
    rr_i128 cut = 1;
    for (; d.behind > RR_FOCUS_DIGITS && cut < (rr_i128)1 << 120; d.behind--) cut *= 10;
    if (cut > 1) {
        const rr_i128 rest = v % cut, half = cut / 2;
        v /= cut;
        if (d.behind > RR_FOCUS_DIGITS)
            v = 0; // below any digit that is kept
        else if (rest > half || (rest == half && (d.more || v % 2 != 0)))
            v++;
    }
    *ret = d.negative ? -v : v;
    return RR_OK;
}

void rr_buf_focus(struct rr_buf *b, rr_i128 v)
{
    char text[64];
    size_t at = sizeof text, end = at;
    unsigned __int128 u = v < 0 ? -(unsigned __int128)v : (unsigned __int128)v;
    for (int i = 0; u > 0 || i <= RR_FOCUS_DIGITS; i++, u /= 10) {
        if (i == RR_FOCUS_DIGITS) text[--at] = '.';
        text[--at] = (char)('0' + (int)(u % 10));
    }
    while (text[end - 1] == '0') end--;
    if (text[end - 1] == '.') end--;
    if (v < 0) rr_buf_puts(b, "-");
    rr_buf_put(b, text + at, end - at);
}

double rr_focus_double(rr_i128 v) { return (double)v / (double)RR_FOCUS_UNIT; }

/* ---- times ---- */

static bool digits_at(struct rr_slice s, const char *form)
{
    if (s.n != strlen(form)) return false;
    for (size_t i = 0; i < s.n; i++)
        if (form[i] == '0' ? s.at[i] < '0' || s.at[i] > '9' : s.at[i] != form[i]) return false;
    return true;
}

enum rr_status rr_focus_time(struct rr_slice s, bool strict, int64_t *ret_us)
{
    char text[24];
    const struct rr_slice t = rr_trim(s);
    if (digits_at(t, "0000-00-00T00:00:00Z") || (!strict && t.n < 40 && !digits_at(t, "0000-00-00 00:00:00"))) {
        if (rr_date_parse(t, ret_us) == RR_OK) return RR_OK;
    } else if (!strict && digits_at(t, "0000-00-00 00:00:00")) {
        memcpy(text, t.at, t.n);
        text[10] = 'T';
        text[t.n] = 'Z';
        if (rr_date_parse(rr_slice(text, t.n + 1), ret_us) == RR_OK) return RR_OK;
    }
    return rr_fail(RR_EINPUT, "\"%.*s\" is no time such as 2024-09-18T22:00:00Z", (int)(t.n < 40 ? t.n : 40), t.at);
}

bool rr_focus_is_null(struct rr_slice s)
{
    const struct rr_slice t = rr_trim(s);
    return t.n == 0 || rr_slice_is_nocase(t, "null");
}
