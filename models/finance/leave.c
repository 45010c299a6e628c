/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/finance/leave.c - obligations and exit cost. */
#include "models/finance/leave.h"
#include "models/finance/share.h"

enum rr_status rr_leave_at(int64_t at_us, const struct rr_obligation *o, size_t n_obligations, const struct rr_holding *h,
                           size_t n_holdings, struct rr_leave *ret)
{
    struct rr_leave x = {0};
    struct rr_money penalty;
    for (size_t i = 0; i < n_obligations; i++) {
        if (o[i].due_us < at_us) continue;
        if (!(o[i].penalty >= 0 && o[i].penalty <= 1))
            return rr_fail(RR_EINPUT, "a share of %g of a payment as penalty is not within 0 and 1", o[i].penalty);
        RR_TRY(rr_money_add(&x.owed, o[i].amount));
        RR_TRY(rr_money_share(o[i].amount, o[i].penalty, &penalty));
        RR_TRY(rr_money_add(&x.penalties, penalty));
    }
    for (size_t i = 0; i < n_holdings; i++) {
        RR_TRY(rr_money_add(&x.book, h[i].book));
        RR_TRY(rr_money_add(&x.resale, h[i].resale));
    }
    x.cost = x.penalties;
    RR_TRY(rr_money_add(&x.cost, x.book));
    RR_TRY(rr_money_add(&x.cost, (struct rr_money){-x.resale.micro}));
    *ret = x;
    return RR_OK;
}
