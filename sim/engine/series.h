/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/engine/series.h - the timeline while it grows: step functions summed into bins. */
#ifndef RR_SIM_SERIES_H
#define RR_SIM_SERIES_H
#include "sim/engine/engine.h"

struct rr_series_now { /* values that hold since the last advance */
    int64_t used_milli, held_milli, queue, queue_milli;
    int64_t starting_milli, down_milli; /* brought up to date when the series is */
};
struct rr_bin {
    double used, held, queue, queue_milli, starting, down; /* integrals over the bin, value x microseconds */
    int64_t used_min, used_max, held_min, held_max, queue_min, queue_max, queue_milli_min, queue_milli_max;
};
struct rr_series {
    struct rr_bin *bin;
    int64_t cap, bin_us, last_us;
    int64_t at, edge_us; /* the bin of the last advance, and where it ends */
};
/* bins 0 = keep none. With horizon_us = RR_NEVER the bins double in width as time goes on. */
void rr_series_init(struct rr_series *s, int64_t bins, int64_t horizon_us);
void rr_series_advance_(struct rr_series *s, int64_t to_us, const struct rr_series_now *v);
/* `v` held from the last advance until to_us. */
static inline void rr_series_advance(struct rr_series *s, int64_t to_us, const struct rr_series_now *v)
{
    if (s->bin && to_us > s->last_us) rr_series_advance_(s, to_us, v);
}
/* Hands the bins over to `ret` and frees the rest; end_us is the end of the replay. */
void rr_series_finish(struct rr_series *s, int64_t end_us, struct rr_timeline *ret);
void rr_timeline_done(struct rr_timeline *t);
#endif
