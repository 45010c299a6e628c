/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/study/capacity.h - the smallest pools that still meet the scenario's `service` limits.
 *
 * A count is good when the service limits are met and no more jobs are rejected than on pools of any size. The same seed and so the same
 * arrivals for every count (common random numbers). The search brackets (doubling, then bisection), so it takes for granted that more nodes are
 * not worse; what it prints is checked: the answer is good and one node below is not. */
#ifndef RR_SIM_CAPACITY_H
#define RR_SIM_CAPACITY_H
#include "data/catalog.h"
#include "data/scenario.h"

struct rr_capacity_options {
    const char *alternative;  /* NULL: the only one */
    const char *const *pools; /* [n_pools] names of static pools; the first is made as small as the others allow. n_pools >= 1 */
    size_t n_pools;           /* at most 2: for two, the cheapest mix by cost.total */
    int64_t most;             /* nodes of a pool at most, > 0 */
    int threads;
    void (*progress)(void *ctx, size_t tried); /* or NULL */
    void *ctx;
};
struct rr_capacity_point {
    int64_t nodes[2];
    bool good;
    const char *detail;                       /* what breaks; "" when good */
    double cost, wait_p95_s, allocated_share; /* NaN = not defined */
};
struct rr_capacity {
    struct rr_capacity_point best,
        below;                       /* below: one node of the first pool less (the second kept); nodes -1 when there is no smaller one */
    struct rr_capacity_point *tried; /* [n_tried] by nodes */
    size_t n_tried;
};
/* Changes the pools of the set's variant. All memory in set->arena. RR_EINPUT: no service limits, no such pool or alternative, a pool that is not
 * static, or `most` nodes are not enough (the reason says what breaks there). */
RR_CHECKED enum rr_status rr_capacity_find(struct rr_scenario_set *set, const struct rr_catalog *catalog,
                                           const struct rr_capacity_options *opt, struct rr_capacity *ret);
#endif
