/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/spot.h - the course of a spot market: pure functions of (terms, seed, replication), so that engine and bill see the same one.
 *
 * Prices: constant, a series, or an Ornstein-Uhlenbeck process on the logarithm of the price, drawn exactly at multiples of a step
 * (Uhlenbeck and Ornstein, Phys. Rev. 36, 1930; the discrete form is AR(1)):
 *     x' = m + f (x - m) + s sqrt(1 - f^2) z,   f = 2^(-step / half-life), z normal, price = e^x, cut to [least, most]
 * with mean m and standard deviation s of x in the long run; the first x is drawn from it.
 *
 * Reclaims: a series of the nodes that can be held, or hits. Of N nodes that the pool may hold, blocks of consecutive ones are hit together:
 * block sizes are geometric with mean `batch`, their first node is uniform, and they come as a Poisson process such that each node is hit with
 * hazard -ln(1 - share) a month of 730.5 h. So reclaims come in bulk, and what hits a node does not depend on how many are held. */
#ifndef RR_MODELS_SPOT_H
#define RR_MODELS_SPOT_H
#include "data/spot_feed.h"

#define RR_SPOT_MONTH_US (INT64_C(2629800) * RR_S) /* 730.5 h */

struct rr_spot_ou {
    double log_mean, log_sd; /* of the logarithm of nano-units per node-hour */
    double keep;             /* f: what is left of a deviation after a step, in [0, 1) */
    int64_t step_us, least_nano, most_nano;
};
enum rr_spot_prices_kind { RR_PRICE_CONSTANT, RR_PRICE_SERIES, RR_PRICE_OU };
enum rr_spot_nodes_kind { RR_NODES_ALWAYS, RR_NODES_SERIES, RR_NODES_HITS };

/* A market as the plan has resolved it. */
struct rr_spot_terms {
    enum rr_spot_prices_kind price;
    int64_t nano; /* constant; per node-hour */
    struct rr_spot_series prices;
    int64_t prices_from_us; /* time 0 of the scenario in the series */
    bool prices_repeat;
    struct rr_spot_ou ou;
    enum rr_spot_nodes_kind availability;
    struct rr_spot_series nodes;
    int64_t nodes_from_us;
    bool nodes_repeat;
    double hazard_per_us, batch; /* of one node; mean of a batch */
    struct rr_dist back_us;
    int64_t pool_nodes; /* N */
    int64_t max_nano;   /* leave above this price; RR_NEVER: at no price */
    int64_t notice_us;
    uint32_t stream; /* random numbers: of the pool, by its name, so that alternatives share them */
};
uint32_t rr_spot_stream(const char *pool_name);

/* Prices from time 0 on, one change after the other. */
struct rr_spot_prices {
    const struct rr_spot_terms *terms;
    struct rr_rng rng;
    double x;
    int64_t at_us, base_us; /* next change; start of the current round of the series */
    size_t i;
    bool begun;
};
void rr_spot_prices_init(struct rr_spot_prices *p, const struct rr_spot_terms *t, uint64_t seed, uint32_t replication);
/* The price that holds from *at_us on; the first is at 0. False: the last one holds for ever. Two in a row may be equal. */
bool rr_spot_prices_next(struct rr_spot_prices *p, int64_t *at_us, int64_t *nano);
/* Nodes that can be held (RR_NODES_SERIES), in the same way. */
struct rr_spot_nodes {
    const struct rr_spot_terms *terms;
    int64_t base_us;
    size_t i;
    bool begun;
};
void rr_spot_nodes_init(struct rr_spot_nodes *n, const struct rr_spot_terms *t);
bool rr_spot_nodes_next(struct rr_spot_nodes *n, int64_t *at_us, int64_t *nodes);
/* Hits (RR_NODES_HITS): at at_us notice is given to nodes first, first + 1, ... (`count`, modulo N); as many can be had again back_us after they
 * are gone. */
struct rr_spot_hits {
    const struct rr_spot_terms *terms;
    struct rr_rng rng;
    double mean_us; /* between hits */
    int64_t at_us;
};
struct rr_spot_hit {
    int64_t at_us, first, count, back_us;
};
void rr_spot_hits_init(struct rr_spot_hits *h, const struct rr_spot_terms *t, uint64_t seed, uint32_t replication);
bool rr_spot_hits_next(struct rr_spot_hits *h, struct rr_spot_hit *ret); /* false: none before RR_NEVER */
/* Random numbers that pick k nodes to lose at the event-th reduction of the pool. */
void rr_spot_pick_init(struct rr_rng *rng, const struct rr_spot_terms *t, uint64_t seed, uint32_t replication, uint64_t event);

/* Mean of min(B, n) for B geometric on 1, 2, ... with this mean. */
double rr_spot_batch_cut(double mean, int64_t n);
double rr_spot_hazard(double monthly_share); /* per microsecond */
/* AR(1) by least squares on the logarithms of the series at multiples of step_us, each from the price that holds then. RR_EINPUT: fewer than 8
 * different prices, or no return to a mean (f outside (0, 1)). Cut to the least and the greatest price seen. */
RR_CHECKED enum rr_status rr_spot_ou_fit(const struct rr_spot_series *prices, int64_t step_us, struct rr_spot_ou *ret);
#endif
