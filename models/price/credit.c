/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/price/credit.c - money that was given: it pays for bills until it is used up or expires.
 *
 * It settles after contracts and credits that stand before it, month by month, against what is still to be paid of the charges that it is for; what is left
 * when it expires is lost. Its lines are negative and part of cost.contract. */
#include "models/price/around.h"
#include <math.h>
#include <string.h>

struct credit {
    uint64_t given;
    struct rr_amount amount;
    struct rr_duration from, expires;
    double share;
    const char *of;
    /* resolved */
    struct rr_money whole;
    int64_t from_us, to_us;
};
enum { P_AMOUNT, P_FROM, P_EXPIRES };

static const struct rr_param rows[] = {
    [P_AMOUNT] = {.name = "amount",
                  .type = RR_P_MONEY,
                  .offset = offsetof(struct credit, amount),
                  .unit = "",
                  .help = "what was given, such as \"$25,000\"",
                  .flags = RR_PF_REQUIRED},
    [P_FROM] = {.name = "from",
                .type = RR_P_DURATION,
                .offset = offsetof(struct credit, from),
                .unit = "",
                .def = "\"0 s\"",
                .help = "usable from so long after the scenario's start on"},
    [P_EXPIRES] = {.name = "expires",
                   .type = RR_P_DURATION,
                   .offset = offsetof(struct credit, expires),
                   .unit = "",
                   .help = "usable until so long after the scenario's start; absent: it does not expire"},
    {.name = "share",
     .type = RR_P_SHARE,
     .offset = offsetof(struct credit, share),
     .unit = "share",
     .def = "1",
     .least = 0,
     .most = 1,
     .help = "most that it pays of a month's bill"},
    {.name = "of",
     .type = RR_P_TEXT,
     .offset = offsetof(struct credit, of),
     .unit = "",
     .help = "types of charges that it pays for, such as \"on_demand, spot\"; absent: all but owned machines and support"},
};

static enum rr_status credit_resolve(void *params, const struct rr_scenario *s, const struct rr_pool *pool, const char *pointer,
                                     const struct rr_catalog *catalog, struct rr_arena *arena, struct rr_notes *notes)
{
    struct credit *cr = params;
    (void)pool, (void)pointer, (void)catalog, (void)arena, (void)notes;
    RR_TRY(rr_around_check(s));
    RR_TRY(rr_types_check(cr->of));
    if (cr->amount.money.micro <= 0) return rr_fail(RR_EINPUT, "\"amount\" must be above 0");
    RR_TRY(rr_scenario_money(s, cr->amount, &cr->whole));
    RR_TRY(rr_time_add(&s->clock, 0, cr->from, &cr->from_us));
    cr->to_us = RR_NEVER;
    if (rr_given(cr, P_EXPIRES)) RR_TRY(rr_time_add(&s->clock, 0, cr->expires, &cr->to_us));
    return cr->to_us > cr->from_us ? RR_OK : rr_fail(RR_EINPUT, "it expires before it is usable");
}

/* Credits of the same kind that stand before this one have paid already. */
static bool pays_for(const struct credit *cr, const struct rr_charge *c)
{
    const int64_t at = rr_bill_time(c);
    const bool credit = strcmp(c->type, rr_price_contract.kind.name) == 0 && c->billed.micro < 0;
    return at >= cr->from_us && at < cr->to_us && (credit || rr_counts(c, cr->of));
}

static enum rr_status credit_settle(const void *params, const struct rr_billing *b, size_t commitment, struct rr_sink *sink)
{
    const struct credit *cr = params;
    struct rr_months m;
    int64_t left = cr->whole.micro;
    RR_TRY(rr_months_of(b, &m));
    struct rr_money *bill = RR_NEWS(b->arena, struct rr_money, m.n);
    for (size_t k = 0; m.n > 0 && k < b->n_charges; k++)
        if (pays_for(cr, &b->charge[k])) RR_TRY(rr_money_add(&bill[rr_months_at(&m, rr_bill_time(&b->charge[k]))], b->charge[k].billed));
    for (size_t i = 0; i < m.n && left > 0; i++) {
        struct rr_charge c = rr_month_charge(&m, i, rr_price_contract.kind.name, "credit", "credit");
        int64_t pays;
        RR_TRY(rr_round_div((rr_i128)bill[i].micro * llround(cr->share * 1e9), 1000000000, &pays));
        if (pays > left) pays = left;
        if (pays <= 0) continue;
        c.commitment = b->scenario->commitment[commitment].name;
        c.billed.micro = c.effective.micro = -pays;
        left -= pays;
        RR_TRY(sink->emit(sink, &c));
    }
    return RR_OK;
}

const struct rr_price_plan rr_price_credit = {
    .kind = {.name = "credit",
             .summary = "money that was given: pays for bills until it is used up or expires",
             .params = rows,
             .n_params = sizeof rows / sizeof *rows,
             .params_size = sizeof(struct credit),
             .use = RR_USE_COMMITMENT},
    .resolve = credit_resolve,
    .settle = credit_settle,
};
