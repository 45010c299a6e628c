/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/train/fit.h - coefficients from measured step times, by nonlinear least squares (GSL).
 *
 * The residual of a row is ln(predicted / measured), flattened beyond a tenth so that a few odd rows do not rule. Each coefficient is drawn towards
 * where it starts (its default, or a related profile's value), as one that lies a factor e off costs as much as a row that is `prior` off: what the rows do
 * not tell stays where it was. A profile that is like another is held to it the closer the fewer rows it has. Bounds hold by a logistic change of variable. */
#ifndef RR_MODELS_TRAIN_FIT_H
#define RR_MODELS_TRAIN_FIT_H
#include "models/train/published.h"

struct rr_fit_row {
    struct rr_published *run; /* borrowed; chosen layouts are written into it */
    double weight;            /* > 0 */
};
struct rr_fit {
    struct rr_fit_row *row;
    size_t n;
    const bool *fixed; /* [RR_COEF_N] which coefficients may not move; NULL = none */
    bool memory;       /* the rows' peak memory instead of their time */
    double prior;      /* residual that a coefficient a factor e off its start costs */
    int most_rounds;
    const struct rr_coefs *warm; /* begin here alone; NULL: from the start and from the defaults, and the better end counts */
};
/* Improves *c, which is the start. RR_EINTERNAL when GSL fails. */
RR_CHECKED enum rr_status rr_fit_coefs(const struct rr_fit *f, struct rr_coefs *c);

/* All profiles, each starting from the one that it is like: data/facts/train_coefficients.csv is what this gives. */
struct rr_fit_profile {
    const char *profile, *like; /* "nemo/b200" starts from "nemo/h100"; "" = from the defaults */
    size_t rows, memory_rows;   /* that it was fitted to; 0 = it is as its like */
    struct rr_coefs coefs;
};
#define RR_FIT_PROFILES 64
struct rr_fit_result {
    struct rr_fit_profile at[RR_FIT_PROFILES];
    size_t n;
};
/* use[i] = false leaves a row out (cross-validation); NULL = all. Rows that cannot be predicted are left out by themselves. warm: where to begin, for
 * speed (what a coefficient is drawn to is the same); NULL = nowhere. */
RR_CHECKED enum rr_status rr_fit_all(struct rr_published *run, size_t n, const bool *use, const struct rr_fit_result *warm,
                                     struct rr_arena *a, struct rr_fit_result *ret);
/* Is the value one that is given and that no row has moved? */
bool rr_fit_gives(const char *profile, enum rr_coef coef, double value);
/* Where the coefficients of memory come from that a profile has without rows of its own ("mosaicml/llm-foundry: ..."); NULL = from its like. */
const char *rr_fit_given(const char *profile);
/* The coefficients of memory alone; those of time are the defaults. */
RR_CHECKED enum rr_status rr_fit_memory(struct rr_published *run, size_t n, const bool *use, struct rr_arena *a, struct rr_fit_result *ret);
/* How rows are left out: fifths of them (one at a time where a profile has under 10), whole groups of model, GPUs and precision, whole models. */
enum rr_leave { RR_LEAVE_FIFTH, RR_LEAVE_GROUP, RR_LEAVE_MODEL, RR_LEAVE_N };
/* ret[n]: step times as a fit that did not see the row gives them, s; NaN for rows that cannot be predicted. A fifth of a profile's groups is left out at a time.
 * Only the row's own profile is fitted anew: those that it borrows from have none of its rows. */
RR_CHECKED enum rr_status rr_fit_left_out(struct rr_published *run, size_t n, enum rr_leave leave, const struct rr_fit_result *shipped,
                                          struct rr_arena *a, double *ret);
/* The profiles as they are shipped. */
RR_CHECKED enum rr_status rr_fit_shipped(const struct rr_train_facts *f, struct rr_arena *a, struct rr_fit_result *ret);
/* The coefficients that a run's framework and family have in the result; NULL when there are none. */
const struct rr_coefs *rr_fit_of(const struct rr_fit_result *r, const struct rr_published *run);
/* Is the row among the fastest quarter of its set's rows of the same model and number of GPUs? */
void rr_fastest_quarter(const struct rr_published *run, size_t n, bool *ret);
#endif
