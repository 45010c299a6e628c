/* SPDX-License-Identifier: MIT
 * data/base/rng.c - Philox blocks, and the draws that a simulation makes by the million.
 *
 * Exponential and normal come from ziggurats of 256 layers (Marsaglia and Tsang 2000, with Doornik's 2005 correction: layer and
 * position use different bits of one 64-bit draw). A draw takes one multiplication 98 times in 100; what is left goes through rr_exp and
 * rr_log, so that the bits are the same everywhere. */
#include "data/base/rng.h"
#include "data/base/fmath.h"
#include "data/base/rng_tables.h"
#include <assert.h>
#include <math.h>
#include <Random123/philox.h>

void rr_rng_init(struct rr_rng *r, uint64_t seed, uint32_t replication, enum rr_purpose purpose, uint64_t entity)
{
    assert(entity >> 48 == 0);
    *r = (struct rr_rng){
        .key = {(uint32_t)seed, (uint32_t)(seed >> 32)},
        .ctr = {0, (uint32_t)entity, (uint32_t)(entity >> 32) | (uint32_t)purpose << 16, replication},
    };
}

static void next_block(struct rr_rng *r)
{
    const philox4x32_ctr_t ctr = {{r->ctr[0], r->ctr[1], r->ctr[2], r->ctr[3]}};
    const philox4x32_key_t key = {{r->key[0], r->key[1]}};
    const philox4x32_ctr_t out = philox4x32(ctr, key);
    for (int i = 0; i < 4; i++) r->out[i] = out.v[i];
    r->left = 4;
    r->ctr[0]++;
    assert(r->ctr[0] != 0); // 2^34 words of one stream
}

uint32_t rr_rng_u32(struct rr_rng *r)
{
    if (r->left == 0) next_block(r);
    return r->out[4 - r->left--];
}

/* The earlier word is the low half. */
uint64_t rr_rng_u64(struct rr_rng *r)
{
    const uint64_t low = rr_rng_u32(r);
    return low | (uint64_t)rr_rng_u32(r) << 32;
}

/* Odd multiples of 2^-53: the centres of 2^52 cells, all exact in a double. */
static double open_unit(uint64_t u) { return (double)(int64_t)(u >> 11 | 1) * 0x1p-53; }

double rr_rng_uniform(struct rr_rng *r) { return open_unit(rr_rng_u64(r)); }

/* Lemire 2019: the high half of a 128-bit product; the few low halves that would be favoured are drawn again. */
uint64_t rr_rng_below(struct rr_rng *r, uint64_t n)
{
    assert(n > 0);
    unsigned __int128 m = (unsigned __int128)rr_rng_u64(r) * n;
    if ((uint64_t)m < n) {
        const uint64_t unfair = (0 - n) % n;
        while ((uint64_t)m < unfair) m = (unsigned __int128)rr_rng_u64(r) * n;
    }
    return (uint64_t)(m >> 64);
}

/* Right edge of layer i, exactly as the table has it. */
static double edge(const double *width, unsigned i) { return i == 256 ? 0 : width[i] * 0x1p53; }

double rr_rng_exponential(struct rr_rng *r)
{
    double past = 0; // the tail beyond the last edge is the same law again
    for (;;) {
        const uint64_t u = rr_rng_u64(r), at = u >> 11 | 1;
        const unsigned i = u & 255;
        const double x = (double)(int64_t)at * exponential_width[i];
        if (at < exponential_inside[i]) return past + x;
        if (i == 0) {
            past += EXPONENTIAL_EDGE;
            continue;
        }
        const double low = rr_exp(-edge(exponential_width, i)), high = rr_exp(-edge(exponential_width, i + 1));
        if (low + rr_rng_uniform(r) * (high - low) < rr_exp(-x)) return past + x;
    }
}

/* Marsaglia 1964: beyond the edge e, x = e + a with a ~ Exp(e), taken with probability exp(-a^2 / 2). */
static double normal_tail(struct rr_rng *r)
{
    for (;;) {
        const double a = rr_rng_exponential(r) / NORMAL_EDGE;
        if (2 * rr_rng_exponential(r) > a * a) return NORMAL_EDGE + a;
    }
}

static double bell(double x) { return rr_exp(-0.5 * x * x); }

double rr_rng_normal(struct rr_rng *r)
{
    for (;;) {
        const uint64_t u = rr_rng_u64(r), at = u >> 11 | 1;
        const unsigned i = u & 255;
        const double x = (double)(int64_t)at * normal_width[i], sign = u & 256 ? -1 : 1;
        if (at < normal_inside[i]) return sign * x;
        if (i == 0) return sign * normal_tail(r);
        const double low = bell(edge(normal_width, i)), high = bell(edge(normal_width, i + 1));
        if (low + rr_rng_uniform(r) * (high - low) < bell(x)) return sign * x;
    }
}
