/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/autoscale/meter.c - a ring of readings, one a look. */
#include "sim/autoscale/meter.h"

void rr_meter_init(struct rr_meter *m, int64_t window_us, int64_t every_us)
{
    *m = (struct rr_meter){.n = (size_t)((window_us + every_us - 1) / every_us) + 1};
    m->at = rr_xrealloc(NULL, m->n, sizeof *m->at);
}

void rr_meter_done(struct rr_meter *m) { free(m->at); }

static struct rr_reading_us now(struct rr_sim *s, size_t pool)
{
    rr_books_touch(s, pool);
    const rr_i128 ready = s->books[pool].ready_node_us * 1000 * rr_node_kind_of(&s->pool[pool], 0)->gpus;
    return (struct rr_reading_us){.at_us = s->now_us, .allocated = ready - s->books[pool].time.idle, .ready = ready};
}

bool rr_meter_read(struct rr_meter *m, struct rr_sim *s, size_t pool, struct rr_utilization *ret)
{
    const struct rr_reading_us x = now(s, pool);
    m->at[m->next] = x;
    m->next = (m->next + 1) % m->n;
    m->full |= m->next == 0;
    if (!m->full) return false;
    const struct rr_reading_us *old = &m->at[m->next]; // the oldest is the one to be overwritten next
    const double us = 1000 * (double)(x.at_us - old->at_us);
    *ret = (struct rr_utilization){.allocated = (double)(x.allocated - old->allocated) / us, .ready = (double)(x.ready - old->ready) / us};
    return true;
}
