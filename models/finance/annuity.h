/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/finance/annuity.h - level payments: what spreadsheets call PMT, PV, FV, IPMT, CUMIPMT, NPER, RATE, EFFECT, NOMINAL and RRI.
 *
 * Their signs: money paid out is negative. `rate` is per period, > -1; `n` counts periods and need not be whole; `when` says whether a
 * payment falls at the end of its period (arrears) or at its beginning (advance). All solve
 *     present (1 + rate)^n + payment (1 + rate [advance]) ((1 + rate)^n - 1) / rate + future = 0. */
#ifndef RR_MODELS_FINANCE_ANNUITY_H
#define RR_MODELS_FINANCE_ANNUITY_H
#include "models/finance/finance.h"

enum rr_when { RR_ARREARS, RR_ADVANCE };

double rr_annuity_payment(double rate, double n, double present, double future, enum rr_when when); /* PMT; n > 0 */
double rr_annuity_present(double rate, double n, double payment, double future, enum rr_when when); /* PV */
double rr_annuity_future(double rate, double n, double payment, double present, enum rr_when when); /* FV */
/* The part of payment k = 1..n that is interest (IPMT), and principal (PPMT). */
double rr_annuity_interest(double rate, int k, int n, double present, double future, enum rr_when when);
double rr_annuity_principal(double rate, int k, int n, double present, double future, enum rr_when when);
/* Their sums over payments first..last, 1 <= first <= last <= n (CUMIPMT, CUMPRINC). */
double rr_annuity_interest_sum(double rate, int n, double present, int first, int last, enum rr_when when);
double rr_annuity_principal_sum(double rate, int n, double present, int first, int last, enum rr_when when);
/* Periods until `present` and the payments have become -future (NPER); none when they never do. */
struct rr_answer rr_annuity_periods(double rate, double payment, double present, double future, enum rr_when when);
/* The rate in (-1, 1e9) nearest 0 that solves it (RATE); none when there is none. */
struct rr_answer rr_annuity_rate(int n, double payment, double present, double future, enum rr_when when);

double rr_effective_rate(double nominal, int times);            /* EFFECT: a nominal yearly rate, compounded `times` >= 1 a year */
double rr_nominal_rate(double effective, int times);            /* NOMINAL, the other way */
double rr_growth_rate(double n, double present, double future); /* RRI: the rate that takes present to future; n, present, future > 0 */
double rr_recovery_factor(double rate, double n);               /* level cost a period of 1 paid at t = 0: rate / (1 - (1 + rate)^-n) */
#endif
