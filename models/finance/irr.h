/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/finance/irr.h - internal rates of return: all of them, or the reason why there is none.
 *
 * Flows that change sign more than once may have several rates; then no single one ranks projects, and NPV at a stated rate must. Roots are
 * found in ln(1 + rate) by GSL's Brent solver. Nothing is missed between -1 and 1e9: by Rolle, between two roots lies one of the derivative,
 * which has a term fewer, and so down to one change of sign, where Descartes' rule leaves exactly one root. */
#ifndef RR_MODELS_FINANCE_IRR_H
#define RR_MODELS_FINANCE_IRR_H
#include "models/finance/finance.h"

#define RR_IRR_ROOTS 16
struct rr_irr {
    size_t n;                  /* distinct real rates in (-1 + 1e-9, 1e9); 0: none. n > 1: warn */
    double root[RR_IRR_ROOTS]; /* [min(n, RR_IRR_ROOTS)], ascending; a double root stands once */
    double rate;      /* the standard answer when n > 0: the root with ln(1 + rate) nearest 0, where solvers that start at 0 end; else 0 */
    int sign_changes; /* of the flows: the most rates that there can be */
    const char *why;  /* n == 0: why there is none; else NULL */
};

/* One flow a period; zeros anywhere are nothing. */
struct rr_irr rr_irr(const double *flow, size_t n);
/* Dated flows, rate a year of 365 days (spreadsheets' XIRR). at_us[n] in any order. */
struct rr_irr rr_xirr(const double *flow, const int64_t *at_us, size_t n);
/* Costs are financed at `finance` a period, income is put in at `reinvest` until the last one. Needs a flow of each sign. */
struct rr_answer rr_mirr(const double *flow, size_t n, double finance, double reinvest);
#endif
