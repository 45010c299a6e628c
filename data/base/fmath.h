/* SPDX-License-Identifier: MIT
 * data/base/fmath.h - exp, log, pow that give the same bits on every processor.
 *
 * libm picks its kernels by CPU (FMA or not), so its last bit differs between machines. Everything on a path to an event
 * or a charge uses these: + - * / sqrt in a fixed order, compiled with -ffp-contract=off. The greatest error found against 80-bit libm
 * over a dense sweep is stated at each definition and checked by tests/unit/test_fmath.c. */
#ifndef RR_BASE_FMATH_H
#define RR_BASE_FMATH_H

double rr_exp(double x);           /* e^x; overflow gives +inf, underflow goes through subnormals to 0, NaN stays NaN; error < 1 ulp */
double rr_log(double x);           /* natural; x = 0 -> -inf, x < 0 -> NaN; error < 1 ulp */
double rr_log1p(double x);         /* ln(1 + x), small x right */
double rr_pow(double x, double y); /* x >= 0, or y whole; error < 2 ulp for results in the normal range */
double rr_sin_2pi(double turns);   /* sin(2 pi turns), for daily profiles; error < 1.1 ulp, whole turns taken off exactly */
double rr_cos_2pi(double turns);
#endif
