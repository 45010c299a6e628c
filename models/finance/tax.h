/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/finance/tax.h - tax on profit and value-added tax, over flows of equal periods.
 *
 * Both alternatives are taxed, or neither: a pre-tax rent must not meet an after-tax purchase. Exact money; each period's tax is rounded
 * once. A rate is a share (0.21), taken to nine decimals. */
#ifndef RR_MODELS_FINANCE_TAX_H
#define RR_MODELS_FINANCE_TAX_H
#include "data/base/money.h"
#include <stdbool.h>

struct rr_tax {
    double rate; /* of profit, 0..1 */
    bool
        taxable_profit; /* the firm earns more than this loses: a loss saves tax at once. Else it is carried forward until there is profit */
    double vat;         /* rate on what is bought, 0..1 */
    double vat_recovered; /* share of it that comes back, 0..1 */
    size_t vat_lag;       /* periods until it does */
};
/* tax[i] to pay for period i on income[i] - depreciation[i] (income negative where cost exceeds it; a resale enters as proceeds in income and
 * its tax book value in depreciation). Negative: tax saved, only with taxable_profit. *carried: the loss left at the end. RR_EINPUT: overflow,
 * rate out of range. `depreciation` may be NULL. */
RR_CHECKED enum rr_status rr_tax_flows(const struct rr_tax *t, const struct rr_money *income, const struct rr_money *depreciation, size_t n,
                                       struct rr_money *tax, struct rr_money *carried);
/* vat[i]: VAT paid in period i on cost[i] >= 0 less what comes back in it. *due_later: what comes back after the last period. */
RR_CHECKED enum rr_status rr_vat_flows(const struct rr_tax *t, const struct rr_money *cost, size_t n, struct rr_money *vat,
                                       struct rr_money *due_later);
/* cost with the VAT that never comes back. */
RR_CHECKED enum rr_status rr_vat_kept(const struct rr_tax *t, struct rr_money cost, struct rr_money *ret);
/* Present value of the tax that depreciation saves: sum of rate x depreciation[k] / (1 + discount)^(k + 1), at the end of each period. */
double rr_tax_shield(double rate, double discount, const double *depreciation, size_t n);
#endif
