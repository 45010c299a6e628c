/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/price/contract.c - agreements about the whole bill: least spends, volume discounts, ends before time, and egress that comes with them.
 *
 * It settles after everything else, contracts in their order, and counts the charges of some types (`of`) in the period that they stand on the
 * bill in. In each period:
 *
 *   volume    a share off what is spent in the period so far, by tiers, each calendar month;
 *   egress    transfer is taken off, up to a share of each month's other spend;
 *   minimum   what is missing to it at the end of the period is paid then (take or pay: a share of that), in one line in its last month.
 *             Minimums may ramp up by date. A shortfall is spend for contracts behind this one.
 *
 * A period that still runs at the horizon is settled there for its part of the minimum by time; the rest is after_horizon. A contract that ends
 * before its time owes `end_fee` of what its minimums still come to. */
#include "models/price/around.h"
#include "models/price/path.h"
#include "models/price/term.h"
#include <math.h>
#include <string.h>

struct contract {
    uint64_t given;
    struct rr_term term;
    struct rr_duration period, ends;
    struct rr_amount minimum;
    const struct rr_price_map *ramp;
    double take_or_pay, egress, end_fee;
    const struct rr_tiers *volume;
    const char *of;
    /* resolved */
    struct rr_term periods;
    int64_t end_us; /* of the last period; RR_NEVER: it renews */
    int64_t *limit; /* of volume */
    struct rr_money least;
    int64_t *ramp_us;
    struct rr_money *ramp_least;
};
enum { P_TERM, P_PERIOD, P_MINIMUM, P_RAMP, P_ENDS, P_END_FEE };

static const struct rr_param rows[] = {
    [P_TERM] = {.name = "term",
                .type = RR_P_DURATION,
                .offset = offsetof(struct contract, term.length),
                .unit = "",
                .help = "length of the contract, whole months, such as \"3 years\"",
                .flags = RR_PF_REQUIRED},
    [P_PERIOD] = {.name = "period",
                  .type = RR_P_DURATION,
                  .offset = offsetof(struct contract, period),
                  .unit = "",
                  .help = "what a minimum and a volume are counted over, whole months that divide the term; absent: the term"},
    [P_MINIMUM] =
        {.name = "minimum", .type = RR_P_MONEY, .offset = offsetof(struct contract, minimum), .unit = "a period", .help = "least spend"},
    [P_RAMP] = {.name = "ramp",
                .type = RR_P_PRICES,
                .offset = offsetof(struct contract, ramp),
                .unit = "a period",
                .help = "other minimums of periods that start on or after a date: {\"2027-01-01\": \"$200,000\"}"},
    [P_ENDS] = {.name = "ends",
                .type = RR_P_DURATION,
                .offset = offsetof(struct contract, ends),
                .unit = "",
                .help = "it is given up so long after the scenario's start, before its term is over"},
    [P_END_FEE] = {.name = "end_fee",
                   .type = RR_P_SHARE,
                   .offset = offsetof(struct contract, end_fee),
                   .unit = "share",
                   .def = "1",
                   .least = 0,
                   .most = 1,
                   .help = "share of the minimums still to come that is due then"},
    {.name = "take_or_pay",
     .type = RR_P_SHARE,
     .offset = offsetof(struct contract, take_or_pay),
     .unit = "share",
     .def = "1",
     .least = 0,
     .most = 1,
     .help = "share of what is missing to the minimum that is paid"},
    {.name = "volume",
     .type = RR_P_TIERS,
     .offset = offsetof(struct contract, volume),
     .unit = "",
     .help = "shares off the spend of a period, marginal: [{\"up_to\": \"$100,000\", \"share\": 0}, {\"share\": \"5 %\"}]"},
    {.name = "egress_allowance",
     .type = RR_P_SHARE,
     .offset = offsetof(struct contract, egress),
     .unit = "share",
     .least = 0,
     .most = 1,
     .help = "transfer is free up to this share of the month's other spend"},
    {.name = "of",
     .type = RR_P_TEXT,
     .offset = offsetof(struct contract, of),
     .unit = "",
     .help = "types of charges that count as spend, such as \"on_demand, storage\"; absent: all but owned machines and support"},
    {.name = "from",
     .type = RR_P_DURATION,
     .offset = offsetof(struct contract, term.from),
     .unit = "",
     .def = "\"0 s\"",
     .help = "start after the scenario's start"},
    {.name = "renew",
     .type = RR_P_BOOL,
     .offset = offsetof(struct contract, term.renew),
     .unit = "",
     .def = "true",
     .help = "a new term follows each"},
};

/* ---- at load ---- */

static enum rr_status resolve_ramp(struct contract *ct, const struct rr_scenario *s, struct rr_arena *arena)
{
    const size_t n = ct->ramp ? ct->ramp->n : 0;
    ct->ramp_us = RR_NEWS(arena, int64_t, n + 1);
    ct->ramp_least = RR_NEWS(arena, struct rr_money, n + 1);
    for (size_t i = 0; i < n; i++) {
        const struct rr_price_entry *e = &ct->ramp->entry[i];
        const enum rr_status st = rr_date_parse(rr_slice(e->key, strlen(e->key)), &ct->ramp_us[i]);
        if (st != RR_OK) return rr_fail_in(st, "\"ramp\"");
        ct->ramp_us[i] -= s->clock.start_us;
        if (e->kind != RR_ENTRY_MONEY) return rr_fail(RR_EINPUT, "\"ramp\": \"%s\" has an amount, such as \"$200,000\"", e->key);
        if (i > 0 && ct->ramp_us[i] <= ct->ramp_us[i - 1]) return rr_fail(RR_EINPUT, "\"ramp\": dates must ascend: \"%s\"", e->key);
        RR_TRY(rr_scenario_money(s, e->money, &ct->ramp_least[i]));
    }
    return RR_OK;
}

static enum rr_status resolve_end(struct contract *ct, const struct rr_scenario *s)
{
    int64_t ends, over;
    ct->end_us = RR_NEVER;
    RR_TRY(rr_term_start(&ct->term, &s->clock, 1, &over));
    if (!ct->term.renew) ct->end_us = over;
    if (!rr_given(ct, P_ENDS)) {
        if (rr_given(ct, P_END_FEE)) return rr_fail(RR_EINPUT, "\"end_fee\" goes with \"ends\"");
        return RR_OK;
    }
    RR_TRY(rr_time_add(&s->clock, 0, ct->ends, &ends));
    if (ct->ends.months < 0 || ct->ends.us < 0 || ends <= 0) return rr_fail(RR_EINPUT, "\"ends\" lies before the start");
    if (ct->end_us != RR_NEVER && ends >= ct->end_us) return rr_fail(RR_EINPUT, "\"ends\" lies behind the end of the term");
    return RR_OK;
}

static enum rr_status contract_resolve(void *params, const struct rr_scenario *s, const struct rr_pool *pool, const char *pointer,
                                       const struct rr_catalog *catalog, struct rr_arena *arena, struct rr_notes *notes)
{
    struct contract *ct = params;
    (void)pool, (void)pointer, (void)catalog, (void)notes;
    if (!rr_given(ct, P_PERIOD)) ct->period = ct->term.length;
    RR_TRY(rr_term_check(&ct->term, s));
    if (ct->term.length.us != 0 || ct->period.us != 0 || ct->period.months < 1 || ct->term.length.months % ct->period.months != 0)
        return rr_fail(RR_EINPUT, "\"term\" and \"period\" are whole months, and periods divide the term: \"3 years\" and \"1 year\"");
    ct->periods = (struct rr_term){.length = ct->period, .from = ct->term.from, .renew = true};
    RR_TRY(resolve_ramp(ct, s, arena));
    RR_TRY(resolve_end(ct, s));
    RR_TRY(rr_types_check(ct->of));
    if (ct->volume != NULL) {
        const enum rr_status st = rr_money_limits(s, ct->volume, arena, &ct->limit);
        if (st != RR_OK) return rr_fail_in(st, "\"volume\"");
    }
    if (ct->minimum.money.micro < 0) return rr_fail(RR_EINPUT, "\"minimum\" is negative");
    return rr_given(ct, P_MINIMUM) ? rr_scenario_money(s, ct->minimum, &ct->least) : RR_OK;
}

/* ---- settle ---- */

struct settling {
    const struct contract *ct;
    const struct rr_billing *b;
    struct rr_sink *sink;
    const char *name;
    struct rr_months m;
    struct rr_money *spend, *transfer; /* [months] that count; of them, transfer */
};

static struct rr_money least_at(const struct contract *ct, int64_t t_us)
{
    struct rr_money least = ct->least;
    for (size_t i = 0; ct->ramp && i < ct->ramp->n; i++)
        if (ct->ramp_us[i] <= t_us) least = ct->ramp_least[i];
    return least;
}

static enum rr_status emit(const struct settling *x, size_t month, const char *line, int64_t due_us, int64_t micro, int64_t after)
{
    struct rr_charge c = rr_month_charge(&x->m, month, rr_price_contract.kind.name, line, "contract");
    if (micro == 0 && after == 0) return RR_OK;
    c.commitment = x->name;
    c.due_us = due_us;
    c.billed.micro = c.effective.micro = micro;
    c.after_horizon.micro = after;
    return x->sink->emit(x->sink, &c);
}

/* What counts, by the months that it stands on the bill in, of [from, to). */
static enum rr_status count_spend(struct settling *x, int64_t from, int64_t to)
{
    for (size_t i = 0; i < x->m.n; i++) x->spend[i] = x->transfer[i] = (struct rr_money){0};
    for (size_t k = 0; k < x->b->n_charges; k++) {
        const struct rr_charge *c = &x->b->charge[k];
        const int64_t at = rr_bill_time(c);
        if (at < from || at >= to || !rr_counts(c, x->ct->of)) continue;
        const size_t i = rr_months_at(&x->m, at);
        RR_TRY(rr_money_add(&x->spend[i], c->billed));
        if (strcmp(c->type, "transfer") == 0) RR_TRY(rr_money_add(&x->transfer[i], c->billed));
    }
    return RR_OK;
}

/* Discounts of one month; *so_far is the period's spend before it, and after it; returned: what they take off. */
static enum rr_status discount_month(const struct settling *x, size_t i, int64_t *so_far, int64_t *ret)
{
    const struct contract *ct = x->ct;
    const int64_t spent = x->spend[i].micro, moved = x->transfer[i].micro;
    int64_t off = 0, free = 0;
    if (ct->volume != NULL && spent > 0)
        RR_TRY(rr_round_div(rr_shares_of(ct->volume, ct->limit, *so_far, *so_far + spent), 1000000000, &off));
    if (spent > moved) RR_TRY(rr_round_div((rr_i128)(spent - moved) * llround(ct->egress * 1e9), 1000000000, &free));
    if (free > moved) free = moved;
    *so_far += spent > 0 ? spent : 0;
    *ret = off + free;
    RR_TRY(emit(x, i, "volume discount", x->m.part[i].to_us, -off, 0));
    return emit(x, i, "egress allowance", x->m.part[i].to_us, -free, 0);
}

static int64_t take_or_pay(const struct contract *ct, int64_t missing)
{
    int64_t pays = 0;
    if (missing <= 0 || rr_round_div((rr_i128)missing * llround(ct->take_or_pay * 1e9), 1000000000, &pays) != RR_OK) return 0;
    return pays;
}

/* One period, cut at the horizon or where the contract is given up. */
static enum rr_status settle_period(struct settling *x, int64_t t0, int64_t t1, int64_t cut)
{
    const int64_t end = t1 < cut ? t1 : cut;
    int64_t so_far = 0, off = 0, sum = 0, due_part;
    RR_TRY(count_spend(x, t0, end));
    for (size_t i = 0; i < x->m.n; i++) {
        RR_TRY(discount_month(x, i, &so_far, &off));
        sum += x->spend[i].micro - off;
    }
    const struct rr_money least = least_at(x->ct, t0);
    RR_TRY(rr_round_div((rr_i128)least.micro * (end - t0), t1 - t0, &due_part));
    const int64_t pays = take_or_pay(x->ct, due_part - sum);
    const int64_t later = end < t1 && cut == x->b->horizon_us ? take_or_pay(x->ct, least.micro - (sum > due_part ? sum : due_part)) : 0;
    return emit(x, rr_months_at(&x->m, end - 1), "shortfall", end, pays, later);
}

/* The share of all minimums that were still to come, when it is given up at `at`. */
static enum rr_status settle_end(const struct settling *x, int64_t at)
{
    const struct rr_clock *clock = &x->b->scenario->clock;
    const struct contract *ct = x->ct;
    rr_i128 rest = 0;
    int64_t fee, t0 = 0, t1 = 0, over = at;
    for (int64_t k = 0; over <= at; k++) RR_TRY(rr_term_start(&ct->term, clock, k + 1, &over));
    for (int64_t k = 0; t1 < over; k++) {
        int64_t left;
        RR_TRY(rr_term_start(&ct->periods, clock, k, &t0));
        RR_TRY(rr_term_start(&ct->periods, clock, k + 1, &t1));
        if (t1 <= at) continue;
        RR_TRY(rr_round_div((rr_i128)least_at(ct, t0).micro * (t1 - (t0 > at ? t0 : at)), t1 - t0, &left));
        rest += left;
    }
    RR_TRY(rr_round_div(rest * llround(ct->end_fee * 1e9), 1000000000, &fee));
    return emit(x, rr_months_at(&x->m, at - 1), "end fee", at, fee, 0);
}

static enum rr_status contract_settle(const void *params, const struct rr_billing *b, size_t commitment, struct rr_sink *sink)
{
    const struct contract *ct = params;
    struct settling x = {.ct = ct, .b = b, .sink = sink, .name = b->scenario->commitment[commitment].name};
    int64_t ends = RR_NEVER;
    RR_TRY(rr_months_of(b, &x.m));
    if (x.m.n == 0) return RR_OK;
    x.spend = RR_NEWS(b->arena, struct rr_money, x.m.n);
    x.transfer = RR_NEWS(b->arena, struct rr_money, x.m.n);
    if (rr_given(ct, P_ENDS)) RR_TRY(rr_time_add(&b->scenario->clock, 0, ct->ends, &ends));
    const int64_t cut = ends < b->horizon_us ? ends : b->horizon_us;
    for (int64_t k = 0;; k++) {
        int64_t t0, t1;
        RR_TRY(rr_term_start(&ct->periods, &b->scenario->clock, k, &t0));
        if (t0 >= cut || t0 >= ct->end_us) break;
        RR_TRY(rr_term_start(&ct->periods, &b->scenario->clock, k + 1, &t1));
        RR_TRY(settle_period(&x, t0, t1, cut));
    }
    return ends <= b->horizon_us ? settle_end(&x, ends) : RR_OK;
}

const struct rr_price_plan rr_price_contract = {
    .kind = {.name = "contract",
             .summary = "least spends (take or pay, ramps), volume discounts, egress allowance, a fee for ending early",
             .params = rows,
             .n_params = sizeof rows / sizeof *rows,
             .params_size = sizeof(struct contract),
             .use = RR_USE_COMMITMENT},
    .resolve = contract_resolve,
    .settle = contract_settle,
};
