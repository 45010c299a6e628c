/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/price/spot.h - the market of a pool whose plan is "spot", for those who act on it: suppliers of nodes and deadline policies. */
#ifndef RR_MODELS_PRICE_SPOT_H
#define RR_MODELS_PRICE_SPOT_H
#include "data/scenario.h"
#include "models/spot.h"

/* After rr_price_resolve; NULL when the pool has another plan. */
const struct rr_spot_terms *rr_spot_terms_of(const struct rr_pool *pool);
#endif
