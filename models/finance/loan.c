/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/finance/loan.c - a schedule row by row.
 *
 * The rate is taken to 15 decimals as an integer, so that interest is the same on every processor. */
#include "models/finance/loan.h"
#include <math.h>

#define PARTS INT64_C(1000000000000000)

static enum rr_status check(const struct rr_loan *l)
{
    if (l->n < 1) return rr_fail(RR_EINPUT, "a loan needs at least one payment, not %d", l->n);
    if (!(l->rate >= 0 && l->rate <= 1)) return rr_fail(RR_EINPUT, "a loan's rate of %g per period is not within 0 and 1", l->rate);
    if (l->principal.micro < 0) return rr_fail(RR_EINPUT, "a loan's principal is negative");
    if (l->residual.micro < 0 || l->residual.micro > l->principal.micro)
        return rr_fail(RR_EINPUT, "a loan's residual is not within 0 and its principal");
    return RR_OK;
}

enum rr_status rr_loan_schedule(const struct rr_loan *l, struct rr_loan_row *row, struct rr_money *tail)
{
    RR_TRY(check(l));
    const int64_t rate = llround(l->rate * (double)PARTS);
    const int64_t level = -llround(rr_annuity_payment(l->rate, l->n, (double)l->principal.micro, -(double)l->residual.micro, l->when));
    struct rr_money owed = l->principal, late = {0};
    if (l->when == RR_ADVANCE) RR_TRY(rr_round_div((rr_i128)l->residual.micro * rate, (rr_i128)PARTS + rate, &late.micro));
    const int64_t left = l->residual.micro - late.micro; // owed after the last payment
    for (int i = 0; i < l->n; i++) {
        struct rr_loan_row *r = &row[i];
        r->interest.micro = 0;
        if (i > 0 || l->when == RR_ARREARS) RR_TRY(rr_round_div((rr_i128)owed.micro * rate, PARTS, &r->interest.micro));
        r->principal.micro = i + 1 < l->n ? level - r->interest.micro : owed.micro - left;
        r->payment = r->interest;
        RR_TRY(rr_money_add(&r->payment, r->principal));
        owed.micro -= r->principal.micro;
        r->balance = owed;
    }
    *tail = late;
    return RR_OK;
}
