/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/cli/size_market.c - price books and currencies of `rackrate size`: --prices, --currency, --fx, --budget; of a scenario its own. */
#include "data/price_book.h"
#include "data/base/units.h"
#include "sim/cli/size.h"
#include <ctype.h>
#include <string.h>

#define MOST_REGIONS 4096 /* that a wrong name is compared with */

static bool is_currency(const char *s)
{
    return strlen(s) == 3 && isupper((unsigned char)s[0]) && isupper((unsigned char)s[1]) && isupper((unsigned char)s[2]);
}

/* "USD=7.25@2026-01-02": what one unit is worth in the currency that is counted in, and when. */
static enum rr_status read_fx(const char *text, const char *currency, struct rr_arena *a, struct rr_fx *ret)
{
    static const char right[] = "CODE=RATE@DATE is expected, such as USD=7.25@2026-01-02";
    const char *equals = strchr(text, '='), *date = strchr(text, '@');
    int64_t day;
    if (!equals || !date || date < equals) return rr_fail(RR_EUSAGE, "--fx: \"%s\": %s", text, right);
    const char *code = rr_strndup(a, text, (size_t)(equals - text));
    const struct rr_slice rate = rr_slice(equals + 1, (size_t)(date - equals - 1));
    if (!is_currency(code) || strcmp(code, currency) == 0)
        return rr_fail(RR_EUSAGE, "--fx: \"%s\": a code of three capital letters other than %s is expected", text, currency);
    if (rr_text_scaled(rr_trim(rate), 9, &ret->rate_nano) != RR_OK || ret->rate_nano <= 0)
        return rr_fail(RR_EUSAGE, "--fx: \"%s\": %s", text, right);
    if (rr_date_parse(rr_slice(date + 1, strlen(date + 1)), &day) != RR_OK) return rr_fail(RR_EUSAGE, "--fx: %s", rr_reason());
    memcpy(ret->from, code, 4);
    ret->date = rr_strdup(a, date + 1);
    ret->source = "--fx";
    return RR_OK;
}

static enum rr_status read_rates(const struct rr_command *c, const struct rr_args *a, struct rr_spend_market *m)
{
    const size_t at = rr_option_index(c, "fx");
    struct rr_fx *fx = RR_NEWS(a->arena, struct rr_fx, a->n_values[at] + m->n_fx + 1);
    size_t n = 0;
    for (; n < a->n_values[at]; n++) RR_TRY(read_fx(a->value[at][n], m->currency, a->arena, &fx[n]));
    for (size_t i = 0; i < m->n_fx; i++) fx[n++] = m->fx[i]; // of the scenario, behind those given
    m->fx = fx, m->n_fx = n;
    return RR_OK;
}

static enum rr_status read_books(const struct rr_command *c, const struct rr_args *a, const struct rr_catalog *catalog,
                                 struct rr_spend_market *m)
{
    const size_t at = rr_option_index(c, "prices"), n = a->n_values[at];
    const struct rr_shelf_book **book = RR_NEWS(a->arena, const struct rr_shelf_book *, n + m->n_books + 1);
    for (size_t i = 0; i < n; i++) {
        struct rr_shelf_book *b = RR_NEW(a->arena, struct rr_shelf_book);
        RR_TRY(rr_book_read(a->value[at][i], catalog, a->arena, &b->book));
        book[i] = b;
    }
    for (size_t i = 0; i < m->n_books; i++) book[n + i] = m->book[i];
    m->book = book, m->n_books += n;
    return RR_OK;
}

enum rr_status rr_size_market(const struct rr_command *c, const struct rr_args *a, struct rr_size_question *q)
{
    struct rr_spend_market *m = &q->market;
    const char *currency = rr_arg(c, a, "currency", NULL);
    if (currency && !is_currency(currency)) return rr_fail(RR_EUSAGE, "--currency: \"%s\": a code such as CNY is expected", currency);
    if (currency && m->currency && strcmp(currency, m->currency) != 0)
        return rr_fail(RR_EUSAGE, "--currency beside a scenario: it counts in %s", m->currency);
    if (currency) m->currency = currency;
    if (!m->currency) m->currency = "USD";
    RR_TRY(read_rates(c, a, m));
    return read_books(c, a, &q->catalog, m);
}

static bool is_in(const char *region, const char *wanted)
{
    const size_t n = strlen(wanted);
    return strncmp(region, wanted, n) == 0 && (region[n] == '\0' || region[n] == '/');
}

enum rr_status rr_size_check_region(const struct rr_size_question *q, const char *region, struct rr_arena *a)
{
    const char **word = RR_NEWS(a, const char *, MOST_REGIONS);
    const struct rr_spend_market *m = &q->market;
    size_t n = 0;
    if (!*region) return RR_OK;
    for (size_t i = 0; i < q->catalog.n_prices; i++) {
        const char *known = q->catalog.price[i].region;
        if (is_in(known, region)) return RR_OK;
        if (n < MOST_REGIONS && (n == 0 || strcmp(word[n - 1], known) != 0)) word[n++] = known;
    }
    for (size_t i = 0; i < m->n_books; i++)
        for (size_t k = 0; k < m->book[i]->book.n_series; k++) {
            const struct rr_book_series *s = &m->book[i]->book.series[k];
            if (is_in(*s->zone ? rr_strf(a, "%s/%s", s->region, s->zone) : s->region, region)) return RR_OK;
        }
    return rr_fail(RR_EINPUT, "--region: no price is of a region \"%s\"%s (rackrate list prices)", region,
                   rr_did_you_mean(a, region, word, n));
}

enum rr_status rr_size_money(const struct rr_size_question *q, const char *option, const char *text, double *ret)
{
    const struct rr_scenario counted = {
        .currency = q->market.currency, .fx = (struct rr_fx *)(uintptr_t)q->market.fx, .n_fx = q->market.n_fx};
    struct rr_amount amount;
    struct rr_money m;
    if (rr_unit_money(rr_slice(text, strlen(text)), &amount.money, amount.currency) != RR_OK)
        return rr_fail(RR_EUSAGE, "--%s: %s", option, rr_reason());
    if (rr_scenario_money(&counted, amount, &m) != RR_OK)
        return rr_fail(RR_EUSAGE, "--%s: %s is in %s, and nothing says what that is in %s: --fx %s=RATE@DATE", option, text,
                       amount.currency, counted.currency, amount.currency);
    *ret = rr_money_double(m);
    return RR_OK;
}
