/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/price/owned_loan.c - money that is borrowed for machines, and machines that are leased.
 *
 * A loan pays its share of the price on the day of purchase (line "loan", below 0), and is paid back by the month: principal (line "loan",
 * cash alone) and interest (line "interest", which accrues evenly over its month). What is still owed when the machines are sold is paid
 * back then; at the horizon it stays owed. Rates are nominal a year, a twelfth a month, as contracts have them. A lease is an operating
 * lease: its payments are the whole cost, nothing is written off, and the machines go back. */
#include "models/finance/loan.h"
#include "models/finance/share.h"
#include "models/price/owned.h"
#include "models/price/term.h"

#define MOST_PAYMENTS 600

enum { B_SHARE, B_RATE, B_TERM, B_BALLOON, B_WHEN };
static const char *const when_words[] = {"arrears", "advance", NULL};
#define RATE_ROW                                                                                                                    \
    {                                                                                                                               \
        .name = "rate", .type = RR_P_SHARE, .offset = offsetof(struct rr_owned_borrow, rate), .unit = "nominal a year", .least = 0, \
        .most = 1, .help = "interest; a twelfth of it each month", .flags = RR_PF_REQUIRED                                          \
    }
#define TERM_ROW                                                                                             \
    {                                                                                                        \
        .name = "term", .type = RR_P_DURATION, .offset = offsetof(struct rr_owned_borrow, term), .unit = "", \
        .help = "whole months, a payment each, such as \"36 months\"", .flags = RR_PF_REQUIRED               \
    }
#define WHEN_ROW                                                                                                                   \
    {                                                                                                                              \
        .name = "payments", .type = RR_P_WORD, .offset = offsetof(struct rr_owned_borrow, when), .unit = "", .def = "\"arrears\"", \
        .words = when_words, .help = "at the end of each month, or in advance"                                                     \
    }
static const struct rr_param loan_rows[] = {
    [B_SHARE] = {.name = "share",
                 .type = RR_P_SHARE,
                 .offset = offsetof(struct rr_owned_borrow, share),
                 .unit = "share of the price",
                 .def = "1",
                 .help = "what the loan pays for"},
    [B_RATE] = RATE_ROW,
    [B_TERM] = TERM_ROW,
    [B_BALLOON] = {.name = "balloon",
                   .type = RR_P_SHARE,
                   .offset = offsetof(struct rr_owned_borrow, balloon),
                   .unit = "share of the loan",
                   .def = "0",
                   .help = "still owed at the end of the term, and paid then"},
    [B_WHEN] = WHEN_ROW,
};
static const struct rr_param lease_rows[] = {
    [0] = RATE_ROW,
    [1] = TERM_ROW,
    [2] = {.name = "residual",
           .type = RR_P_SHARE,
           .offset = offsetof(struct rr_owned_borrow, balloon),
           .unit = "share of the price",
           .def = "0",
           .help = "what the lessor reckons the machines to be worth at the end"},
    [3] = WHEN_ROW,
};
const struct rr_param_table rr_owned_loan = {loan_rows, sizeof loan_rows / sizeof *loan_rows, sizeof(struct rr_owned_borrow)};
const struct rr_param_table rr_owned_lease = {lease_rows, sizeof lease_rows / sizeof *lease_rows, sizeof(struct rr_owned_borrow)};

static enum rr_status check(const char *what, const struct rr_owned_borrow *l)
{
    if (l->term.us != 0 || l->term.months < 1 || l->term.months > MOST_PAYMENTS)
        return rr_fail(RR_EINPUT, "\"%s\": \"term\" is 1 to %d whole months, such as \"36 months\"", what, MOST_PAYMENTS);
    return RR_OK;
}

enum rr_status rr_owned_take_loan(struct rr_owned *o, const struct rr_owned_load *l)
{
    (void)l;
    if (o->loan && o->lease) return rr_fail(RR_EINPUT, "give \"loan\" or \"lease\", not both: leased machines are not bought");
    if (o->loan) RR_TRY(check("loan", o->loan->at));
    if (o->lease) RR_TRY(check("lease", o->lease->at));
    return RR_OK;
}

struct schedule {
    const struct rr_owned_bill *x;
    const struct rr_owned_lot *lot;
    struct rr_loan loan;
    struct rr_loan_row *row;
    struct rr_money tail; /* interest of the last month, when paid in advance */
};

static enum rr_status make(const struct rr_owned_bill *x, const struct rr_owned_lot *lot, const struct rr_owned_borrow *how, double share,
                           struct schedule *s)
{
    *s = (struct schedule){.x = x, .lot = lot};
    RR_TRY(rr_money_share(lot->cost, share, &s->loan.principal));
    RR_TRY(rr_money_share(s->loan.principal, how->balloon, &s->loan.residual));
    s->loan.rate = how->rate / 12;
    s->loan.n = (int)how->term.months;
    s->loan.when = (enum rr_when)how->when;
    s->row = RR_NEWS(x->b->arena, struct rr_loan_row, (size_t)s->loan.n);
    return rr_loan_schedule(&s->loan, s->row, &s->tail);
}

static enum rr_status month_at(const struct schedule *s, int64_t k, int64_t *ret)
{
    return rr_time_add(&s->x->b->scenario->clock, s->lot->in_us, (struct rr_duration){.months = k}, ret);
}

/* Money that changes hands at an instant and is no cost. */
static enum rr_status pay(const struct schedule *s, int64_t due_us, int64_t micro)
{
    const struct rr_billing *b = s->x->b;
    struct rr_charge c = s->x->c;
    if (micro == 0 || due_us > b->horizon_us) return RR_OK;
    c.line = "loan";
    c.due_us = due_us;
    c.from_us = due_us < b->horizon_us ? due_us : due_us - 1;
    RR_TRY(rr_month_next(&b->scenario->clock, c.from_us, &c.to_us));
    if (c.to_us > b->horizon_us) c.to_us = b->horizon_us;
    c.billed.micro = micro;
    c.unit = "loan";
    c.quantity = 0;
    return s->x->sink->emit(s->x->sink, &c);
}

/* A cost that accrues evenly over [t0, t1) and is due at an instant; what is due behind the horizon is not billed. */
static enum rr_status accrue(const struct schedule *s, const char *line, int64_t t0, int64_t t1, int64_t due_us, struct rr_money whole)
{
    const struct rr_billing *b = s->x->b;
    const int64_t end = t1 < b->horizon_us ? t1 : b->horizon_us;
    struct rr_month_part *part;
    struct rr_charge c = s->x->c;
    size_t n;
    if (whole.micro == 0 || t0 >= end) return RR_OK;
    RR_TRY(rr_month_parts(&b->scenario->clock, t0, end, b->arena, &part, &n));
    c.line = line;
    c.unit = "month";
    c.due_us = due_us;
    for (size_t i = 0; i < n; i++) {
        const struct rr_money upto = rr_money_upto(whole, part[i].to_us - t0, t1 - t0);
        c.from_us = part[i].from_us;
        c.to_us = part[i].to_us;
        c.billed.micro = i == 0 && due_us <= b->horizon_us ? whole.micro : 0;
        c.effective.micro = upto.micro - rr_money_upto(whole, part[i].from_us - t0, t1 - t0).micro;
        c.after_horizon.micro = i + 1 == n ? whole.micro - upto.micro : 0;
        c.quantity = (double)(c.to_us - c.from_us) / (double)(t1 - t0);
        RR_TRY(s->x->sink->emit(s->x->sink, &c));
    }
    return RR_OK;
}

/* Interest of month k = 1.. n: of row k - 1 in arrears, of row k in advance. */
static struct rr_money interest_of(const struct schedule *s, int k)
{
    if (s->loan.when == RR_ARREARS) return s->row[k - 1].interest;
    return k < s->loan.n ? s->row[k].interest : s->tail;
}

enum rr_status rr_owned_bill_loan(const struct rr_owned_bill *x, const struct rr_owned_lot *lot)
{
    const struct rr_owned_borrow *how = x->o->loan->at;
    struct schedule s;
    int64_t from = lot->in_us, to;
    RR_TRY(make(x, lot, how, how->share, &s));
    int64_t owed = s.loan.principal.micro;
    RR_TRY(pay(&s, from, -owed));
    for (int k = 0; k <= s.loan.n; k++, from = to) { // k: months since the purchase
        RR_TRY(month_at(&s, k, &to));
        if (to > lot->end_us) { // sold within the month: interest until then
            const struct rr_money part = rr_money_upto(interest_of(&s, k), lot->end_us - from, to - from);
            RR_TRY(accrue(&s, "interest", from, lot->end_us, lot->end_us, part));
            break;
        }
        if (k > 0) RR_TRY(accrue(&s, "interest", from, to, to, interest_of(&s, k)));
        const int row = s.loan.when == RR_ARREARS ? k - 1 : k;
        const int64_t part = row >= 0 && row < s.loan.n ? s.row[row].principal.micro : 0;
        const int64_t rest = k == s.loan.n ? owed - part : 0; // a balloon
        RR_TRY(pay(&s, to, part + rest));
        owed -= part + rest;
    }
    return lot->end_us < x->b->horizon_us ? pay(&s, lot->end_us, owed) : RR_OK;
}

enum rr_status rr_owned_bill_lease(const struct rr_owned_bill *x, const struct rr_owned_lot *lot)
{
    const struct rr_owned_borrow *how = x->o->lease->at;
    struct schedule s;
    int64_t from = lot->in_us, to;
    RR_TRY(make(x, lot, how, 1, &s));
    for (int k = 0; k < s.loan.n; k++, from = to) {
        RR_TRY(month_at(&s, k + 1, &to));
        RR_TRY(accrue(&s, "lease", from, to, how->when == RR_ADVANCE ? from : to, s.row[k].payment));
    }
    return RR_OK;
}
