/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/price/reserved.c - a number of nodes promised for a term, paid for whether they are used or not.
 *
 * A billing overlay: in each clock hour it covers up to `count` node-hours of all pools of its instance and region, in pool order, so
 * that two half hours fill one. Terms follow each other without a gap while `renew`. Prices, per node:
 *
 *   upfront and rate   as a price list has them: one amount at the start of the term, and so much an hour of the term, billed monthly;
 *   rate, or discount  alone: the effective price an hour; `payment` says when: monthly, all at the start, or half and half.
 *
 * Effective cost accrues evenly over the hours of the term. The hours of a running term that lie behind the horizon are after_horizon,
 * already paid or still to pay. */
#include "models/price/path.h"
#include "models/price/term.h"
#include <string.h>

struct reserved {
    uint64_t given;
    const char *instance, *region;
    int64_t count;
    struct rr_term term;
    int payment;
    struct rr_price rate;
    struct rr_amount upfront;
    double discount;
    struct rr_sold sold;
    struct rr_term_price pay; /* resolved, per node */
};
enum { P_INSTANCE, P_REGION, P_COUNT, P_TERM, P_PAYMENT, P_RATE, P_UPFRONT, P_DISCOUNT, P_FROM, P_RENEW };

static const struct rr_param rows[] = {
    [P_INSTANCE] = {.name = "instance",
                    .type = RR_P_TEXT,
                    .offset = offsetof(struct reserved, instance),
                    .unit = "",
                    .help = "the instance that is reserved, as pools name it",
                    .flags = RR_PF_REQUIRED},
    [P_REGION] = {.name = "region",
                  .type = RR_P_TEXT,
                  .offset = offsetof(struct reserved, region),
                  .unit = "",
                  .def = "\"\"",
                  .help = "region of the pools that it covers, as they name it; a region covers its zones"},
    [P_COUNT] = {.name = "count",
                 .type = RR_P_INT,
                 .offset = offsetof(struct reserved, count),
                 .unit = "nodes",
                 .least = 1,
                 .most = 1e6,
                 .help = "how many nodes are reserved",
                 .flags = RR_PF_REQUIRED},
    [P_TERM] = {.name = "term",
                .type = RR_P_DURATION,
                .offset = offsetof(struct reserved, term.length),
                .unit = "",
                .help = "length of one term, such as \"1 year\" or \"3 years\"",
                .flags = RR_PF_REQUIRED},
    [P_PAYMENT] = {.name = "payment",
                   .type = RR_P_WORD,
                   .offset = offsetof(struct reserved, payment),
                   .unit = "",
                   .def = "\"no_upfront\"",
                   .help = "monthly, half and half, or all at the start of the term",
                   .words = rr_payment_words},
    [P_RATE] =
        {.name = "rate",
         .type = RR_P_RATE,
         .offset = offsetof(struct reserved, rate),
         .unit = "per node or GPU, and hour",
         .most = 1e10,
         .help = "beside \"upfront\": billed monthly, used or not; alone: the effective rate, paid as \"payment\" says; absent: the facts",
         .source = "data/facts/prices.csv"},
    [P_UPFRONT] = {.name = "upfront",
                   .type = RR_P_MONEY,
                   .offset = offsetof(struct reserved, upfront),
                   .unit = "per node and term",
                   .help = "paid at the start of each term",
                   .source = "data/facts/prices.csv"},
    [P_DISCOUNT] = {.name = "discount",
                    .type = RR_P_SHARE,
                    .offset = offsetof(struct reserved, discount),
                    .unit = "share",
                    .least = 0,
                    .most = 1,
                    .help = "in place of \"rate\": share off the facts' on-demand rate"},
    [P_FROM] = {.name = "from",
                .type = RR_P_DURATION,
                .offset = offsetof(struct reserved, term.from),
                .unit = "",
                .def = "\"0 s\"",
                .help = "start of the first term after the scenario's start"},
    [P_RENEW] = {.name = "renew",
                 .type = RR_P_BOOL,
                 .offset = offsetof(struct reserved, term.renew),
                 .unit = "",
                 .def = "true",
                 .help = "a new term follows each"},
    RR_SOLD_ROWS(struct reserved, sold),
};

/* ---- at load ---- */

static void note_price(struct rr_notes *notes, const char *pointer, struct rr_arena *arena, const struct rr_price_row *row,
                       const char *payment)
{
    struct rr_buf b = {0};
    rr_buf_rate(&b, row->rate.rate, row->rate.currency);
    if (row->upfront.money.micro > 0) {
        rr_buf_puts(&b, " and ");
        rr_buf_money(&b, row->upfront.money, row->upfront.currency, 2);
        rr_buf_puts(&b, " upfront");
    }
    rr_note(notes, RR_NOTE_ASSUMED, pointer, rr_fact_text(arena, &row->fact), "%s price of %s in %s%s%s%s%s is %s", row->plan,
            row->instance, row->region, *row->term ? " for " : "", row->term, *row->payment ? ", " : "", row->payment, rr_buf_text(&b));
    rr_buf_done(&b);
    if (strcmp(row->plan, "reserved") == 0 && *row->payment == '\0')
        rr_note(notes, RR_NOTE_ASSUMED, pointer, rr_fact_text(arena, &row->fact),
                "the source does not say how that rate is paid: taken as the effective rate, %s", payment);
}

/* A price list's pair: an amount at the start and so much an hour. */
static enum rr_status pay_listed(struct reserved *r, const struct rr_scenario *s, struct rr_amount upfront, int64_t nano)
{
    if (upfront.money.micro < 0) return rr_fail(RR_EINPUT, "\"upfront\" is negative");
    if (r->payment == RR_NO_UPFRONT) return rr_fail(RR_EINPUT, "\"upfront\" does not go with \"payment\": \"no_upfront\"");
    if (r->payment == RR_ALL_UPFRONT && nano != 0)
        return rr_fail(RR_EINPUT, "\"upfront\" and \"rate\" together are \"payment\": \"partial_upfront\"");
    if (r->payment == RR_PARTIAL_UPFRONT && nano == 0) return rr_fail(RR_EINPUT, "\"partial_upfront\" needs \"rate\" beside \"upfront\"");
    r->pay.hourly_nano = nano;
    return rr_scenario_money(s, upfront, &r->pay.upfront_sum);
}

struct load { /* where a resolve stands */
    const struct rr_scenario *s;
    const char *pointer;
    const struct rr_catalog *catalog;
    struct rr_arena *arena;
    struct rr_notes *notes;
};

static enum rr_status price_own(struct reserved *r, const struct load *l)
{
    int64_t nano = 0;
    if (rr_given(r, P_RATE)) RR_TRY(rr_instance_rate(l->s, r->rate, l->catalog, r->instance, &nano));
    if (rr_given(r, P_UPFRONT)) return pay_listed(r, l->s, r->upfront, nano);
    rr_term_pay(&r->pay, r->payment, nano);
    return RR_OK;
}

static enum rr_status price_discount(struct reserved *r, const struct load *l)
{
    const struct rr_price_row *row;
    int64_t nano;
    if (rr_given(r, P_RATE) || rr_given(r, P_UPFRONT))
        return rr_fail(RR_EINPUT, "give \"discount\", or \"rate\" and \"upfront\", not both");
    RR_TRY(rr_catalog_price(l->catalog, r->instance, r->region, "on_demand", "", "", &row));
    note_price(l->notes, l->pointer, l->arena, row, "");
    RR_TRY(rr_instance_rate(l->s, row->rate, l->catalog, r->instance, &nano));
    RR_TRY(rr_rate_less(nano, r->discount, &nano));
    rr_term_pay(&r->pay, r->payment, nano);
    return RR_OK;
}

static enum rr_status price_facts(struct reserved *r, const struct load *l)
{
    const char *term = r->term.length.us != 0 ? "" : r->term.length.months == 12 ? "1 year" : r->term.length.months == 36 ? "3 years" : "";
    const struct rr_price_row *row;
    int64_t nano;
    if (*term == '\0') return rr_fail(RR_EINPUT, "the facts have terms of 1 year and 3 years: give \"rate\", \"upfront\" or \"discount\"");
    const enum rr_status st = rr_catalog_price(l->catalog, r->instance, r->region, "reserved", term, rr_payment_words[r->payment], &row);
    if (st != RR_OK) return rr_fail_in(st, "no \"rate\", \"upfront\" or \"discount\" is given");
    note_price(l->notes, l->pointer, l->arena, row, rr_payment_words[r->payment]);
    r->rate = row->rate;
    r->upfront = row->upfront;
    RR_TRY(rr_instance_rate(l->s, row->rate, l->catalog, r->instance, &nano));
    if (row->upfront.money.micro > 0) return pay_listed(r, l->s, row->upfront, nano);
    rr_term_pay(&r->pay, r->payment, nano);
    return RR_OK;
}

/* A promise that costs more than the list price: legal, but the user must know. */
static enum rr_status warn_dear(const struct reserved *r, const struct load *l, int64_t term_us)
{
    const struct rr_price_row *row;
    int64_t listed, upfront;
    RR_TRY(rr_round_div((rr_i128)r->pay.upfront_sum.micro * 1000 * RR_H, term_us, &upfront));
    const int64_t effective = r->pay.hourly_nano + r->pay.prepaid_nano + upfront;
    if (effective == 0) rr_note(l->notes, RR_NOTE_WARNING, l->pointer, "", "the price is 0: this commitment costs nothing");
    if (rr_catalog_price(l->catalog, r->instance, r->region, "on_demand", "", "", &row) != RR_OK) return RR_OK;
    if (rr_instance_rate(l->s, row->rate, l->catalog, r->instance, &listed) != RR_OK || effective <= listed) return RR_OK;
    struct rr_buf b = {0};
    rr_buf_rate(&b, (struct rr_rate){effective, RR_PER_NODE, RR_HOUR}, l->s->currency);
    rr_buf_puts(&b, " is above the on-demand rate of ");
    rr_buf_rate(&b, (struct rr_rate){listed, RR_PER_NODE, RR_HOUR}, l->s->currency);
    rr_note(l->notes, RR_NOTE_WARNING, l->pointer, rr_fact_text(l->arena, &row->fact), "the effective rate of %s", rr_buf_text(&b));
    rr_buf_done(&b);
    return RR_OK;
}

static enum rr_status reserved_resolve(void *params, const struct rr_scenario *s, const struct rr_pool *pool, const char *pointer,
                                       const struct rr_catalog *catalog, struct rr_arena *arena, struct rr_notes *notes)
{
    struct reserved *r = params;
    const struct load l = {s, pointer, catalog, arena, notes};
    int64_t first, second;
    (void)pool;
    if (r->region == NULL) r->region = "";
    RR_TRY(rr_sold_check(&r->sold, r->region));
    RR_TRY(rr_term_check(&r->term, s));
    RR_TRY(rr_term_start(&r->term, &s->clock, 0, &first));
    RR_TRY(rr_term_start(&r->term, &s->clock, 1, &second));
    r->pay.count = r->count;
    if (rr_given(r, P_DISCOUNT))
        RR_TRY(price_discount(r, &l));
    else if (rr_given(r, P_RATE) || rr_given(r, P_UPFRONT))
        RR_TRY(price_own(r, &l));
    else
        RR_TRY(price_facts(r, &l));
    rr_covers_warn(s, r->instance, r->region, pointer, notes);
    if (s->has_horizon && first >= s->horizon_us) rr_note(notes, RR_NOTE_WARNING, pointer, "", "the first term starts behind the horizon");
    return warn_dear(r, &l, second - first);
}

/* ---- cover ---- */

static enum rr_status reserved_cover(const void *params, const struct rr_billing *b, size_t commitment, struct rr_sink *sink)
{
    const struct reserved *r = params;
    struct rr_charge c = {.type = rr_price_reserved.kind.name,
                          .line = "reservation",
                          .commitment = b->scenario->commitment[commitment].name,
                          .unit = "node-hour",
                          .pricing = RR_PRICING_COMMITTED};
    RR_TRY(rr_cover_nodes(&r->term, r->instance, r->region, r->count, b, c.commitment, &c.pool, sink));
    return rr_term_charge(&r->term, &r->pay, c, b, sink);
}

const struct rr_price_plan rr_price_reserved = {
    .kind = {.name = "reserved",
             .summary = "nodes promised for a term, paid for used or not; covers pools hour by hour",
             .params = rows,
             .n_params = sizeof rows / sizeof *rows,
             .params_size = sizeof(struct reserved),
             .use = RR_USE_COMMITMENT},
    .resolve = reserved_resolve,
    .cover = reserved_cover,
};
