/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/finance/share.h - a share of an amount, rounded once. */
#ifndef RR_MODELS_FINANCE_SHARE_H
#define RR_MODELS_FINANCE_SHARE_H
#include "data/base/money.h"
#include <math.h>

#define RR_SHARE_PARTS INT64_C(1000000000)

/* m x share, the share taken to nine decimals; |share| <= 9e9. RR_EINPUT on overflow. */
RR_CHECKED static inline enum rr_status rr_money_share(struct rr_money m, double share, struct rr_money *ret)
{
    return rr_round_div((rr_i128)m.micro * llround(share * (double)RR_SHARE_PARTS), RR_SHARE_PARTS, &ret->micro);
}
#endif
