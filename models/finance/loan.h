/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/finance/loan.h - the schedule of a loan or a lease in exact money.
 *
 * Level payments, rounded to the micro-unit; interest of each period is rounded once, half-even; the last payment takes up what rounding
 * left. A balloon is a residual that the borrower still pays at the end;
 * a lease's residual stays with the lessor. */
#ifndef RR_MODELS_FINANCE_LOAN_H
#define RR_MODELS_FINANCE_LOAN_H
#include "data/base/money.h"
#include "models/finance/annuity.h"

struct rr_loan {
    struct rr_money principal; /* financed, >= 0 */
    struct rr_money residual;  /* owed at the end of the last period, 0..principal; = principal: interest only */
    double rate;               /* per period (yearly nominal / 12, or rr_month_rate of an effective one), 0 <= rate <= 1 */
    int n;                     /* payments, >= 1 */
    enum rr_when when;
};
struct rr_loan_row {
    struct rr_money payment, interest, principal; /* payment = interest + principal */
    struct rr_money balance;                      /* owed after it */
};
/* row[l->n]. In advance, row 0 is due at t = 0 without interest, and row k at the end of period k with that period's interest; the last
 * period's interest, on what then becomes the residual, is *tail (0 in arrears), and the last balance is residual - tail. The principal
 * parts sum to principal - last balance exactly. RR_EINPUT: terms out of range. */
RR_CHECKED enum rr_status rr_loan_schedule(const struct rr_loan *l, struct rr_loan_row *row, struct rr_money *tail);
#endif
