/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/checkpoint.h - how often to save, when failures are exponential with mean time M between those that hit the job.
 *
 * All times in one unit, of the caller's choice. C: writing a checkpoint; R: restoring; D: down before that. Sources: Young, "A first order
 * approximation to the optimum checkpoint interval", CACM 17(9), 1974; Daly, "A higher order estimate of the optimum checkpoint interval for
 * restart dumps", FGCS 22, 2006. */
#ifndef RR_MODELS_CHECKPOINT_H
#define RR_MODELS_CHECKPOINT_H

/* Work between two checkpoints. M > 0, C >= 0. */
double rr_checkpoint_young(double M, double C); /* sqrt(2 M C) */
double rr_checkpoint_daly(double M, double C);  /* Daly's higher order; M when C >= 2 M */
double rr_checkpoint_best(double M, double C);  /* the least of rr_checkpoint_slowdown: M (1 + W(-e^(-1 - C/M))) */
/* Expected wall time over work with w of work between checkpoints: (M + D) e^(R/M) (e^((w + C)/M) - 1) / w; inf when out of range. */
double rr_checkpoint_slowdown(double w, double M, double C, double R, double D);
/* The exponent (w + C + R) / M past which a plan in effect never ends: e^x tries an interval. */
#define RR_CHECKPOINT_HOPELESS 9.210340371976184 /* ln 1e4 */
#endif
