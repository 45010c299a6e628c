/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/price/support.c - a share of each month's bill, with marginal tiers and a least amount, as support plans are sold.
 *
 * It looks at what pools, commitments and the charges before it come to: by default all but owned machines, as billed; what is paid upfront
 * counts in the month that it is paid in. */
#include "models/price/around.h"
#include <math.h>

enum { ON_BILLED, ON_EFFECTIVE };
static const char *const on_words[] = {"billed", "effective", NULL};

struct support {
    uint64_t given;
    double share;
    const struct rr_tiers *tiers;
    struct rr_amount minimum;
    const char *of;
    int on;
    /* resolved */
    int64_t *limit;
    struct rr_money least;
};
enum { P_SHARE, P_TIERS, P_MINIMUM };

static const struct rr_param rows[] = {
    [P_SHARE] = {.name = "share",
                 .type = RR_P_SHARE,
                 .offset = offsetof(struct support, share),
                 .unit = "share",
                 .least = 0,
                 .most = 1,
                 .help = "share of the month's bill"},
    [P_TIERS] = {.name = "tiers",
                 .type = RR_P_TIERS,
                 .offset = offsetof(struct support, tiers),
                 .unit = "",
                 .help = "shares of the month's bill, marginal: [{\"up_to\": \"$10,000\", \"share\": \"10 %\"}, ...]"},
    [P_MINIMUM] = {.name = "minimum",
                   .type = RR_P_MONEY,
                   .offset = offsetof(struct support, minimum),
                   .unit = "a month",
                   .help = "least amount a month; a part of a month goes by time"},
    {.name = "of",
     .type = RR_P_TEXT,
     .offset = offsetof(struct support, of),
     .unit = "",
     .help = "types of charges that count, such as \"on_demand, spot\"; absent: all but owned machines"},
    {.name = "on",
     .type = RR_P_WORD,
     .offset = offsetof(struct support, on),
     .unit = "",
     .def = "\"billed\"",
     .help = "what counts of them: as billed, or as it accrues",
     .words = on_words},
};

static enum rr_status support_resolve(void *params, const struct rr_scenario *s, const struct rr_pool *pool, const char *pointer,
                                      const struct rr_catalog *catalog, struct rr_arena *arena, struct rr_notes *notes)
{
    struct support *sp = params;
    (void)pool, (void)pointer, (void)catalog, (void)notes;
    RR_TRY(rr_around_check(s));
    if (rr_given(sp, P_SHARE) && sp->tiers != NULL) return rr_fail(RR_EINPUT, "give \"share\" or \"tiers\", not both");
    if (!rr_given(sp, P_SHARE) && sp->tiers == NULL && !rr_given(sp, P_MINIMUM))
        return rr_fail(RR_EINPUT, "no price is given: \"share\", such as \"10 %%\", \"tiers\" or \"minimum\"");
    RR_TRY(rr_types_check(sp->of));
    if (sp->tiers != NULL) RR_TRY(rr_money_limits(s, sp->tiers, arena, &sp->limit));
    if (sp->minimum.money.micro < 0) return rr_fail(RR_EINPUT, "\"minimum\" is negative");
    return rr_given(sp, P_MINIMUM) ? rr_scenario_money(s, sp->minimum, &sp->least) : RR_OK;
}

static enum rr_status charge_month(const struct support *sp, const struct rr_months *m, size_t i, struct rr_money bill,
                                   struct rr_sink *sink)
{
    struct rr_charge c = rr_month_charge(m, i, rr_price_support.kind.name, "support", "month");
    rr_i128 shares = (rr_i128)bill.micro * llround(sp->share * 1e9);
    int64_t least;
    if (sp->tiers != NULL) shares = rr_shares_of(sp->tiers, sp->limit, 0, bill.micro);
    RR_TRY(rr_round_div(shares, 1000000000, &c.billed.micro));
    RR_TRY(rr_round_div((rr_i128)sp->least.micro * (c.to_us - c.from_us), m->length_us[i], &least));
    if (c.billed.micro < least) c.billed.micro = least;
    if (c.billed.micro == 0) return RR_OK;
    c.effective = c.billed;
    c.quantity = (double)(c.to_us - c.from_us) / (double)m->length_us[i];
    return sink->emit(sink, &c);
}

static enum rr_status support_bill(const void *params, const struct rr_billing *b, size_t entry, struct rr_sink *sink)
{
    const struct support *sp = params;
    struct rr_months m;
    (void)entry;
    RR_TRY(rr_months_of(b, &m));
    struct rr_money *bill = RR_NEWS(b->arena, struct rr_money, m.n);
    for (size_t k = 0; m.n > 0 && k < b->n_charges; k++) {
        const struct rr_charge *c = &b->charge[k];
        if (!rr_counts(c, sp->of)) continue;
        const bool billed = sp->on == ON_BILLED;
        RR_TRY(rr_money_add(&bill[rr_months_at(&m, billed ? rr_bill_time(c) : c->from_us)], billed ? c->billed : c->effective));
    }
    for (size_t i = 0; i < m.n; i++) {
        if (bill[i].micro < 0) bill[i].micro = 0;
        RR_TRY(charge_month(sp, &m, i, bill[i], sink));
    }
    return RR_OK;
}

const struct rr_price_plan rr_price_support = {
    .kind = {.name = "support",
             .summary = "a share of the month's bill, with tiers and a least amount",
             .params = rows,
             .n_params = sizeof rows / sizeof *rows,
             .params_size = sizeof(struct support),
             .use = RR_USE_CHARGE},
    .resolve = support_resolve,
    .bill = support_bill,
};
