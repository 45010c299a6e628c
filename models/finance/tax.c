/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/finance/tax.c - tax period by period. */
#include "models/finance/tax.h"
#include "models/finance/share.h"
#include <assert.h>

static enum rr_status share_ok(const char *what, double x)
{
    if (x >= 0 && x <= 1) return RR_OK;
    return rr_fail(RR_EINPUT, "%s of %g is not within 0 and 1", what, x);
}

enum rr_status rr_tax_flows(const struct rr_tax *t, const struct rr_money *income, const struct rr_money *depreciation, size_t n,
                            struct rr_money *tax, struct rr_money *carried)
{
    struct rr_money loss = {0}, profit;
    RR_TRY(share_ok("a tax rate", t->rate));
    for (size_t i = 0; i < n; i++) {
        profit = income[i];
        if (depreciation) RR_TRY(rr_money_add(&profit, (struct rr_money){-depreciation[i].micro}));
        if (!t->taxable_profit) {
            RR_TRY(rr_money_add(&profit, (struct rr_money){-loss.micro}));
            loss.micro = profit.micro < 0 ? -profit.micro : 0;
            if (profit.micro < 0) profit.micro = 0;
        }
        RR_TRY(rr_money_share(profit, t->rate, &tax[i]));
    }
    *carried = loss;
    return RR_OK;
}

/* VAT on `cost`, and how much of it comes back. */
static enum rr_status vat_on(const struct rr_tax *t, struct rr_money cost, struct rr_money *paid, struct rr_money *back)
{
    RR_TRY(share_ok("a VAT rate", t->vat));
    RR_TRY(share_ok("a recoverable share of VAT", t->vat_recovered));
    RR_TRY(rr_money_share(cost, t->vat, paid));
    return rr_money_share(*paid, t->vat_recovered, back);
}

enum rr_status rr_vat_flows(const struct rr_tax *t, const struct rr_money *cost, size_t n, struct rr_money *vat, struct rr_money *due_later)
{
    struct rr_money later = {0}, paid, back;
    for (size_t i = 0; i < n; i++) vat[i].micro = 0;
    for (size_t i = 0; i < n; i++) {
        RR_TRY(vat_on(t, cost[i], &paid, &back));
        RR_TRY(rr_money_add(&vat[i], paid));
        if (t->vat_lag < n - i)
            RR_TRY(rr_money_add(&vat[i + t->vat_lag], (struct rr_money){-back.micro}));
        else
            RR_TRY(rr_money_add(&later, back));
    }
    *due_later = later;
    return RR_OK;
}

enum rr_status rr_vat_kept(const struct rr_tax *t, struct rr_money cost, struct rr_money *ret)
{
    struct rr_money paid, back, sum = cost;
    RR_TRY(vat_on(t, cost, &paid, &back));
    RR_TRY(rr_money_add(&sum, (struct rr_money){paid.micro - back.micro}));
    *ret = sum;
    return RR_OK;
}

double rr_tax_shield(double rate, double discount, const double *depreciation, size_t n)
{
    assert(discount > -1);
    double sum = 0;
    for (size_t k = n; k-- > 0;) sum = (sum + depreciation[k]) / (1 + discount);
    return rate * sum;
}
