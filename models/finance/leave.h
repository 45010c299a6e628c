/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/finance/leave.h - what is still owed at a date, and what it would cost to leave then: penalties + book - resale. */
#ifndef RR_MODELS_FINANCE_LEAVE_H
#define RR_MODELS_FINANCE_LEAVE_H
#include "data/base/money.h"

/* A payment that a contract has fixed. */
struct rr_obligation {
    int64_t due_us;
    struct rr_money amount; /* >= 0 */
    double penalty;         /* share of it that leaving before it is due still costs: 1 take-or-pay, 0 free to go */
};
/* Something owned. */
struct rr_holding {
    struct rr_money book, resale; /* at the date */
};
struct rr_leave {
    struct rr_money owed; /* obligations due at the date or later */
    struct rr_money penalties, book, resale;
    struct rr_money cost; /* penalties + book - resale; negative: leaving pays */
};
RR_CHECKED enum rr_status rr_leave_at(int64_t at_us, const struct rr_obligation *o, size_t n_obligations, const struct rr_holding *h,
                                      size_t n_holdings, struct rr_leave *ret);
#endif
