/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/finance/root.h - one root of a function of one variable, by GSL's Brent solver. */
#ifndef RR_MODELS_FINANCE_ROOT_H
#define RR_MODELS_FINANCE_ROOT_H

/* f(lo) and f(hi) differ in sign. Stops when the bracket is no wider than `close` (and a few ulps). */
double rr_root(double (*f)(double x, void *ctx), void *ctx, double lo, double hi, double close);
#endif
