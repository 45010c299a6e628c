/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/demand.h - how many machines of which type were in use, hour by hour: what commitments are planned from.
 *
 * As a file: CSV with the columns hour,instance,region,nodes; `hour` is its start in UTC ("2026-01-01T08:00:00Z"), `nodes` the mean over the
 * hour. An hour without a row is 0. */
#ifndef RR_DATA_DEMAND_H
#define RR_DATA_DEMAND_H
#include "data/base/text.h"
#include <stdint.h>

struct rr_demand_series {
    const char *instance, *region;
    const double *nodes; /* [n_hours] */
};
struct rr_demand {
    int64_t start_us; /* epoch of hour 0 */
    size_t n_hours;
    const struct rr_demand_series *series; /* [n] by instance, then region */
    size_t n;
    size_t spread; /* pieces that were longer than an hour and lie spread evenly over it */
};

/* Collects node-hours. */
struct rr_demand_sum;
struct rr_demand_sum *rr_demand_begin(void);
/* `node_hours` of a type, spread evenly over [from_us, to_us), epoch. RR_EINPUT when the span is past 100 years. */
RR_CHECKED enum rr_status rr_demand_add(struct rr_demand_sum *d, const char *instance, const char *region, int64_t from_us, int64_t to_us,
                                        double node_hours);
/* All series over the hours that any of them has. RR_EINPUT when nothing was added. */
RR_CHECKED enum rr_status rr_demand_finish(const struct rr_demand_sum *d, struct rr_arena *arena, struct rr_demand *ret);
void rr_demand_free(struct rr_demand_sum *d); /* takes NULL */

void rr_demand_csv(const struct rr_demand *d, struct rr_buf *b);
/* Rows in any order; the same hour of the same type twice is added. RR_EINPUT "PATH:LINE: ..." */
RR_CHECKED enum rr_status rr_demand_read(const char *path, struct rr_arena *arena, struct rr_demand *ret);
#endif
