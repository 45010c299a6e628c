/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/calib/calib.h - profiles from measured times: curves of collectives, surfaces of matrix products, rates, all with error bars.
 *
 * A collective's time is piecewise alpha + beta x over its size x: an algorithm or protocol of the library is one regime. The regimes are found by
 * dynamic programming over the sizes (relative least squares, a price for each further regime: the highest one unless the log's own sizes, left out
 * in turn, are predicted better with a lower one). The break point between two is where their lines meet when that lies between the sizes, else the
 * step between the last size of one and the first of the other is bridged. The values at the break points are then refitted together by GSL's robust
 * non-linear least squares on log time. A larger message takes no less time and moves no slower: what breaks this by more than 10 % (time) or 5 %
 * (rate), against the nearest monotone curve, is an outlier and not fitted; what is left of smaller falls is pooled, so that no curve, fitted or drawn,
 * ever falls. Latency is the intercept of the first regime (rr_curve_regimes) where the log begins low enough to show it. tests/validation/test_holdout.c chooses the constants on half of the
 * public logs and judges on the other. */
#ifndef RR_MODELS_CALIB_H
#define RR_MODELS_CALIB_H
#include "data/profile.h"
#include "data/samples.h"

struct rr_fit_options {
    double noise;                  /* relative noise of a time; 0 = 0.02 */
    double penalty;                /* price of a regime in squared noise; 0 = 12, or of 6, 3 and 1.5 what predicts sizes left out better */
    double time_slack, rate_slack; /* past which a time is an outlier; 0 = 0.10 and 0.05 */
    size_t draws;                  /* bootstrap curves; 0 = none */
    bool loo;                      /* leave each size out: band and errors */
    uint64_t seed;
};

struct rr_point { /* one measured time */
    double bytes, us;
    bool in_place;
    int64_t line;
    bool outlier; /* out */
};

/* Fits points [n] (sorted here by size; bytes > 0, us > 0, n >= 1) of one operation. `factor` is busbw over algbw (0: not known, then bus_gb_s is 0).
 * Everything that `ret` holds is in `a`; its names are left empty. */
void rr_curve_fit(struct rr_point *point, size_t n, double factor, const struct rr_fit_options *opt, struct rr_arena *a,
                  struct rr_curve *ret);
/* Sets `outlier` on each of point[n], times that a fit of seen[n_seen] did not have, which it need not answer for; what the fit would predict is not asked.
 * They are times of one size that differ by more than 10 % (in-place and out-of-place, repeats), and times that break one of the two laws against
 * those of seen[] that are no outliers: less time than a smaller message by more than 10 %, more than a larger one by more than 10 %, or a rate
 * more than 5 % below that of a smaller one. Both ascending by size. */
void rr_curve_flag(const struct rr_point *seen, size_t n_seen, struct rr_point *point, size_t n);
/* A curve fitted from every other size against the sizes between. */
struct rr_held_out {
    size_t sizes, knots;
    size_t times, inside;   /* of sizes between those seen, flagged or not; of these inside the band of 90 % */
    size_t judged, flagged; /* without what rr_curve_flag names; what it names */
    double *miss_pct;       /* [judged] ascending: how far off each is */
    double median_pct, worst_pct, band_pct;
    const struct rr_point *rest; /* [n_rest] what was not seen, outliers marked */
    const double *off;           /* [n_rest] predicted over measured; 0 = outside of what was seen */
    size_t n_rest;
};
/* Sees the 1st, 3rd, ... size of points [n] (sorted here), or with `turned` the 2nd, 4th, ...; times 0 when fewer than three sizes are there. */
void rr_curve_hold_out(struct rr_point *point, size_t n, double factor, const struct rr_fit_options *opt, bool turned, struct rr_arena *a,
                       struct rr_held_out *ret);
/* Half width, as a share, within which 90 % of single measurements lie. */
double rr_curve_band(const struct rr_curve *c);

enum { RR_MOST_REGIMES = 6 };
struct rr_regime {   /* part of a curve: alpha + beta x */
    double from, to; /* bytes */
    double alpha_us, beta_us;
    double off_pct; /* most that the curve is off this line */
};
/* The curve in as few straight parts as stay within 10 % of it (at most RR_MOST_REGIMES; then off_pct says more), alpha and beta at least 0; for people.
 * What predicts is the curve. Returns how many; 0 for a curve of one size. */
size_t rr_curve_regimes(const struct rr_curve *c, struct rr_regime ret[RR_MOST_REGIMES]);

struct rr_gemm_sample {
    double m, n, k, us;
};
/* us = overhead + max(2 m n (k + depth) / rate, bytes / bandwidth), fitted on log time; then what is left at the measured shapes is carried to others
 * by inverse distance in log m, n, k. `bytes` an element. */
void rr_gemm_fit(const struct rr_gemm_sample *s, size_t n, double bytes, const struct rr_fit_options *opt, struct rr_arena *a,
                 struct rr_gemm *ret);
/* *outside: beyond the shapes that were measured. */
double rr_gemm_us(const struct rr_gemm *g, double m, double n, double k, double bytes, bool *outside);

/* The whole: collectives by operation, algorithm, protocol, ranks and nodes; products by type; rates and latencies by what they are. RR_EINPUT when
 * nothing in the samples can be fitted. */
RR_CHECKED enum rr_status rr_profile_fit(const struct rr_samples *s, const struct rr_fit_options *opt, struct rr_arena *a,
                                         struct rr_profile *ret);
#endif
