/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/train/market.h - a spot market as one run on all of its machines sees it: it goes on only while it has every one.
 *
 * Reclaims that come at random (a share of the machines a month) stop it for as long as it takes to get others; a price above the plan's
 * `max_price`, or a series of capacity below what it needs, stops it until that has passed. The course is that of models/spot.h. */
#ifndef RR_MODELS_TRAIN_MARKET_H
#define RR_MODELS_TRAIN_MARKET_H
#include "data/base/arena.h"
#include "data/base/status.h"
#include "models/spot.h"

/* Mean time from one reclaim that takes any of `nodes` machines to the next, s; 0 = there are none. */
double rr_market_reclaim_s(const struct rr_spot_terms *t, int64_t nodes);
double rr_market_back_s(const struct rr_spot_terms *t); /* mean time until as many are there again */

struct rr_market_hold {
    int64_t from_us, to_us; /* all machines are held */
};
/* The stretches in which work_us of work is done; each after the first one begins with again_us of restoring, whose end may be in a later one.
 * seed and replication: of the prices' course, as in the bill. RR_EINPUT when the market is never good enough for it, or takes more than
 * `most` of them. */
RR_CHECKED enum rr_status rr_market_hold(const struct rr_spot_terms *t, int64_t nodes, uint64_t seed, uint32_t replication, int64_t work_us,
                                         int64_t again_us, size_t most, struct rr_arena *a, struct rr_market_hold **ret, size_t *ret_n);
#endif
