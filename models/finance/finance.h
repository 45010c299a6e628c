/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/finance/finance.h - time value of money. t = 0 is the first flow (unlike the spreadsheet NPV). */
#ifndef RR_MODELS_FINANCE_H
#define RR_MODELS_FINANCE_H
#include "data/base/time.h"
#include <stddef.h>

/* Sum of flow[i] / (1 + rate)^i, currency units. */
double rr_npv(double rate, const double *flow, size_t n);
/* Calendar months in [0, t), with the fraction of the last one; by 365.25-day years when not anchored. t_us >= 0. */
double rr_months(const struct rr_clock *c, int64_t t_us);
/* (1 + rate)^-(months between 0 and t), months counted by the calendar with the fraction of the last one, / 12; by 365.25-day years
 * when not anchored. rate > -1. */
double rr_discount(const struct rr_clock *c, double rate, int64_t t_us);
#endif
