/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/finance/finance.h - time value of money. t = 0 is the first flow (unlike the spreadsheet NPV).
 *
 * Flows are currency units, one a period, income positive and cost negative. A rate belongs to the same period (0.08 is 8 % a period); a
 * yearly rate becomes a monthly one by rr_month_rate, never by / 12. Source of the formulas: any finance text; values in tests/unit. */
#ifndef RR_MODELS_FINANCE_H
#define RR_MODELS_FINANCE_H
#include "data/base/time.h"
#include <stddef.h>

/* A number that need not exist. `value` counts only when `why` is NULL and is never NaN; `why` else says in a few words why there is none
 * ("never: the savings do not repay the price"), for a report to print. */
struct rr_answer {
    double value;
    const char *why;
};

/* Sum of flow[i] / (1 + rate)^i, currency units. rate > -1. */
double rr_npv(double rate, const double *flow, size_t n);
/* What a spreadsheet calls NPV: the first flow is one period away, rr_npv / (1 + rate). */
double rr_npv_spreadsheet(double rate, const double *flow, size_t n);
/* Dated flows: sum of flow[i] / (1 + rate)^((at[i] - at[0]) / 365 days), as spreadsheets' XNPV. Any order of dates, before at[0] too. */
double rr_xnpv(double rate, const double *flow, const int64_t *at_us, size_t n);
/* (1 + rate)^(1/12) - 1: the monthly rate of an effective yearly one. rate > -1. */
double rr_month_rate(double yearly);
/* Calendar months in [0, t), with the fraction of the last one; by 365.25-day years when not anchored. t_us >= 0. */
double rr_months(const struct rr_clock *c, int64_t t_us);
/* (1 + rate)^-(months between 0 and t), months counted by the calendar with the fraction of the last one, / 12; by 365.25-day years
 * when not anchored. rate > -1. */
double rr_discount(const struct rr_clock *c, double rate, int64_t t_us);
#endif
