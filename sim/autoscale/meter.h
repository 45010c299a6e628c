/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/autoscale/meter.h - GPUs allocated and GPUs ready in a pool, averaged over a window that ends now.
 *
 * Both are exact integrals, read at the times of the looks; a window that is no multiple of the looks' distance is as much longer. Ready GPUs are those of
 * nodes that have booted and take jobs; allocated ones those of them that jobs hold. */
#ifndef RR_SIM_AUTOSCALE_METER_H
#define RR_SIM_AUTOSCALE_METER_H
#include "sim/autoscale/autoscale.h"

struct rr_meter {
    struct rr_reading_us {
        int64_t at_us;
        rr_i128 allocated, ready; /* integrals from 0 on, milli-GPU-microseconds */
    } * at;                       /* [n] a ring */
    size_t n, next;
    bool full; /* a whole window has passed */
};
struct rr_utilization {
    double allocated, ready; /* GPUs, means over the window; ready 0: nothing was */
};
void rr_meter_init(struct rr_meter *m, int64_t window_us, int64_t every_us);
void rr_meter_done(struct rr_meter *m);
/* Read it now, once a look. False until a whole window has passed. */
bool rr_meter_read(struct rr_meter *m, struct rr_sim *s, size_t pool, struct rr_utilization *ret);
#endif
