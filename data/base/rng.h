/* SPDX-License-Identifier: MIT
 * data/base/rng.h - counter-based random streams: Philox 4x32-10 (Salmon et al., SC'11) from Random123.
 *
 * A stream is keyed by (seed, replication, purpose, entity): what job j draws does not depend on what else was drawn, on
 * threads or on order. Key = seed; counter = {block, entity low, entity high 16 bits | purpose << 16, replication}. */
#ifndef RR_BASE_RNG_H
#define RR_BASE_RNG_H
#include <stdint.h>

enum rr_purpose { /* append only: a number is part of every published result */
                  RR_RNG_ARRIVAL = 1,
                  RR_RNG_DURATION,
                  RR_RNG_GPUS,
                  RR_RNG_CLASS,
                  RR_RNG_PLACEMENT,
                  RR_RNG_BOOT,
                  RR_RNG_FAILURE,
                  RR_RNG_SPOT,
                  RR_RNG_INPUT,
                  RR_RNG_ESTIMATE,
                  RR_RNG_RESAMPLE,
                  RR_RNG_RESTART,
                  RR_RNG_DELIVERY,
                  RR_RNG_PROFILE,
                  RR_RNG_TEST = 255,
};

struct rr_rng {
    uint32_t key[2];
    uint32_t ctr[4];
    uint32_t out[4]; /* the block drawn last */
    int left;        /* words of it not used yet */
};

/* A stream holds 2^34 words; drawing past them is a bug of the caller (assert). */
void rr_rng_init(struct rr_rng *r, uint64_t seed, uint32_t replication, enum rr_purpose purpose, uint64_t entity); /* entity < 2^48 */
uint32_t rr_rng_u32(struct rr_rng *r);
uint64_t rr_rng_u64(struct rr_rng *r);
double rr_rng_uniform(struct rr_rng *r);             /* (0, 1): the centre of one of 2^52 cells, never 0 or 1 */
uint64_t rr_rng_below(struct rr_rng *r, uint64_t n); /* 0 .. n-1 without bias, n > 0 */
double rr_rng_exponential(struct rr_rng *r);         /* mean 1 */
double rr_rng_normal(struct rr_rng *r);              /* mean 0, sd 1 */
#endif
