/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/finance/newsvendor.h - how much to reserve when demand varies.
 *
 * The k-th unit is worth reserving while the share of hours with demand of k or more is above reserved / on-demand price. The same rule for a
 * distribution: order up to the quantile shortage / (shortage + holding) (Arrow, Harris, Marschak, "Optimal inventory policy", Econometrica 19,
 * 1951). Reserved and on-demand prices in exact rates; the textbook forms in doubles. */
#ifndef RR_MODELS_FINANCE_NEWSVENDOR_H
#define RR_MODELS_FINANCE_NEWSVENDOR_H
#include "data/base/arena.h"
#include "data/base/money.h"
#include <stddef.h>

struct rr_reserve {
    int64_t units; /* reserved all hours */
    struct rr_money cost, all_on_demand;
};
/* demand[hours] >= 0 units; prices in nano-units per unit and hour, > 0. The least count on a tie. RR_EINPUT: overflow. */
RR_CHECKED enum rr_status rr_reserve_best(const int64_t *demand, size_t hours, int64_t reserved_nano, int64_t on_demand_nano,
                                          struct rr_reserve *ret);
/* The cost of `units` reserved over this demand; all_on_demand as well. */
RR_CHECKED enum rr_status rr_reserve_cost(const int64_t *demand, size_t hours, int64_t reserved_nano, int64_t on_demand_nano, int64_t units,
                                          struct rr_reserve *ret);

struct rr_order {
    double units, cost; /* cost expected, of both kinds */
};
/* holding: cost of a unit too many; shortage: of one too few; both > 0. sd > 0. */
struct rr_order rr_newsvendor_normal(double mean, double sd, double holding, double shortage);
double rr_newsvendor_normal_cost(double units, double mean, double sd, double holding, double shortage);
struct rr_order rr_newsvendor_poisson(double mean, double holding, double shortage); /* whole units, mean > 0 */
double rr_newsvendor_poisson_cost(int64_t units, double mean, double holding, double shortage);
/* Bought at `buy`, sold at `sell`, the rest at `salvage` < buy < sell, normal demand: cost is here the expected profit. */
struct rr_order rr_newsvendor_profit(double mean, double sd, double sell, double buy, double salvage);
#endif
