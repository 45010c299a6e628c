/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/base/rng_gsl.c - the gsl_rng_type over an rr_rng. */
#include "data/base/rng_gsl.h"
#include <string.h>

/* What gsl_rng_clone() and gsl_rng_memcpy() copy: no pointer in it. */
struct stream {
    struct rr_rng rng;
    uint64_t seed;
    uint32_t replication;
    enum rr_purpose purpose;
};

static void set(void *state, unsigned long entity)
{
    struct stream *s = state;
    rr_rng_init(&s->rng, s->seed, s->replication, s->purpose, entity & UINT64_C(0xffffffffffff));
}

static unsigned long get(void *state) { return rr_rng_u32(&((struct stream *)state)->rng); }
static double get_double(void *state) { return rr_rng_uniform(&((struct stream *)state)->rng); }

static const gsl_rng_type philox = {
    .name = "rr_philox4x32", .max = 0xffffffff, .min = 0, .size = sizeof(struct stream), .set = set, .get = get, .get_double = get_double};
const gsl_rng_type *const rr_gsl_philox = &philox;

gsl_rng *rr_gsl_rng(uint64_t seed, uint32_t replication, enum rr_purpose purpose, uint64_t entity)
{
    gsl_rng *g = gsl_rng_alloc(rr_gsl_philox); // zeroed, then set(GSL_RNG_SEED) on purpose 0
    struct stream *s = g->state;
    s->seed = seed;
    s->replication = replication;
    s->purpose = purpose;
    set(s, (unsigned long)entity);
    return g;
}
