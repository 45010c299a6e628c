/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/base/rng_gsl.h - an rr_rng stream as a gsl_rng, for GSL's other distributions (never in the innermost loop). */
#ifndef RR_BASE_RNG_GSL_H
#define RR_BASE_RNG_GSL_H
#include "data/base/rng.h"
#include <gsl/gsl_rng.h>

extern const gsl_rng_type *const rr_gsl_philox;
/* A gsl_rng on the stream of these four; gsl_rng_free() it. gsl_rng_set(g, s) restarts it at entity s. */
gsl_rng *rr_gsl_rng(uint64_t seed, uint32_t replication, enum rr_purpose purpose, uint64_t entity);
#endif
