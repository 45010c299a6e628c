/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/engine/series.c - bins of the timeline. */
#include "sim/engine/series.h"
#include <string.h>

static const struct rr_bin empty = {.used_min = INT64_MAX, .held_min = INT64_MAX, .queue_min = INT64_MAX, .queue_milli_min = INT64_MAX};

// The least width from a ladder that people read easily, >= least_us.
static int64_t nice_width(int64_t least_us)
{
    static const int64_t ladder[] = {RR_MS,       10 * RR_MS, 100 * RR_MS, RR_S,       2 * RR_S,   5 * RR_S,    10 * RR_S,
                                     15 * RR_S,   30 * RR_S,  RR_MIN,      2 * RR_MIN, 5 * RR_MIN, 10 * RR_MIN, 15 * RR_MIN,
                                     30 * RR_MIN, RR_H,       2 * RR_H,    3 * RR_H,   6 * RR_H,   12 * RR_H,   RR_D,
                                     2 * RR_D,    RR_WEEK,    2 * RR_WEEK, 4 * RR_WEEK};
    for (size_t i = 0; i < sizeof ladder / sizeof *ladder; i++)
        if (ladder[i] >= least_us) return ladder[i];
    return (least_us + 4 * RR_WEEK - 1) / (4 * RR_WEEK) * (4 * RR_WEEK);
}

void rr_series_init(struct rr_series *s, int64_t bins, int64_t horizon_us)
{
    *s = (struct rr_series){.cap = bins};
    if (bins <= 0) return;
    if (horizon_us == RR_NEVER) s->cap = (bins + 1) / 2 * 2; // pairs are merged
    s->bin_us = horizon_us == RR_NEVER ? RR_S : nice_width((horizon_us + bins - 1) / bins);
    s->bin = rr_xrealloc(NULL, (size_t)s->cap, sizeof *s->bin);
    for (int64_t i = 0; i < s->cap; i++) s->bin[i] = empty;
}

static void merge(struct rr_bin *a, const struct rr_bin *b)
{
    a->used += b->used;
    a->held += b->held;
    a->queue += b->queue;
    a->queue_milli += b->queue_milli;
    a->starting += b->starting;
    a->down += b->down;
    if (b->used_min < a->used_min) a->used_min = b->used_min;
    if (b->used_max > a->used_max) a->used_max = b->used_max;
    if (b->held_min < a->held_min) a->held_min = b->held_min;
    if (b->held_max > a->held_max) a->held_max = b->held_max;
    if (b->queue_min < a->queue_min) a->queue_min = b->queue_min;
    if (b->queue_max > a->queue_max) a->queue_max = b->queue_max;
    if (b->queue_milli_min < a->queue_milli_min) a->queue_milli_min = b->queue_milli_min;
    if (b->queue_milli_max > a->queue_milli_max) a->queue_milli_max = b->queue_milli_max;
}

static void widen(struct rr_series *s)
{
    for (int64_t i = 0; i < s->cap / 2; i++) {
        struct rr_bin b = s->bin[2 * i];
        merge(&b, &s->bin[2 * i + 1]);
        s->bin[i] = b;
    }
    for (int64_t i = s->cap / 2; i < s->cap; i++) s->bin[i] = empty;
    s->bin_us *= 2;
}

static inline void least(int64_t *x, int64_t v)
{
    if (v < *x) *x = v;
}

static inline void most(int64_t *x, int64_t v)
{
    if (v > *x) *x = v;
}

static inline void add(struct rr_bin *b, const struct rr_series_now *v, double dt)
{
    b->used += (double)v->used_milli * dt;
    b->held += (double)v->held_milli * dt;
    least(&b->used_min, v->used_milli);
    most(&b->used_max, v->used_milli);
    least(&b->held_min, v->held_milli);
    most(&b->held_max, v->held_milli);
    least(&b->queue_min, v->queue);
    least(&b->queue_milli_min, v->queue_milli);
    if (v->starting_milli) b->starting += (double)v->starting_milli * dt;
    if (v->down_milli) b->down += (double)v->down_milli * dt;
    if (v->queue == 0) return;
    b->queue += (double)v->queue * dt;
    b->queue_milli += (double)v->queue_milli * dt;
    most(&b->queue_max, v->queue);
    most(&b->queue_milli_max, v->queue_milli);
}

void rr_series_advance_(struct rr_series *s, int64_t to_us, const struct rr_series_now *v)
{
    if (to_us <= s->edge_us) { // mostly: inside the bin of the last advance
        add(&s->bin[s->at], v, (double)(to_us - s->last_us));
        s->last_us = to_us;
        return;
    }
    while ((to_us - 1) / s->bin_us >= s->cap) widen(s);
    while (s->last_us < to_us) {
        s->at = s->last_us / s->bin_us;
        s->edge_us = (s->at + 1) * s->bin_us;
        const int64_t until = s->edge_us < to_us ? s->edge_us : to_us;
        add(&s->bin[s->at], v, (double)(until - s->last_us));
        s->last_us = until;
    }
}

static double *column(size_t n) { return rr_xrealloc(NULL, n ? n : 1, sizeof(double)); }

static void put(struct rr_timeline *t, size_t i, const struct rr_bin *b, double width_us)
{
    t->used_mean[i] = b->used / width_us / 1000;
    t->held_mean[i] = b->held / width_us / 1000;
    t->queue_mean[i] = b->queue / width_us;
    t->queue_gpus_mean[i] = b->queue_milli / width_us / 1000;
    t->used_min[i] = (double)b->used_min / 1000;
    t->used_max[i] = (double)b->used_max / 1000;
    t->held_min[i] = (double)b->held_min / 1000;
    t->held_max[i] = (double)b->held_max / 1000;
    t->queue_min[i] = (double)b->queue_min;
    t->queue_max[i] = (double)b->queue_max;
    t->queue_gpus_min[i] = (double)b->queue_milli_min / 1000;
    t->queue_gpus_max[i] = (double)b->queue_milli_max / 1000;
    t->starting_mean[i] = b->starting / width_us / 1000;
    t->down_mean[i] = b->down / width_us / 1000;
}

enum { COLUMNS = 14 };
static void columns_of(struct rr_timeline *t, double **ret[COLUMNS])
{
    double **const all[COLUMNS] = {&t->used_mean,      &t->held_mean,      &t->queue_mean,    &t->queue_gpus_mean, &t->used_min,
                                   &t->used_max,       &t->held_min,       &t->held_max,      &t->queue_min,       &t->queue_max,
                                   &t->queue_gpus_min, &t->queue_gpus_max, &t->starting_mean, &t->down_mean};
    memcpy(ret, all, sizeof all);
}

void rr_series_finish(struct rr_series *s, int64_t end_us, struct rr_timeline *t)
{
    *t = (struct rr_timeline){0};
    if (!s->bin) return;
    t->bin_us = s->bin_us;
    t->n = (size_t)((end_us + s->bin_us - 1) / s->bin_us);
    double **all[COLUMNS];
    columns_of(t, all);
    for (size_t i = 0; i < COLUMNS; i++) *all[i] = column(t->n);
    for (size_t i = 0; i < t->n; i++) put(t, i, &s->bin[i], rr_timeline_width_us(t, i, end_us));
    free(s->bin);
    s->bin = NULL;
}

void rr_timeline_done(struct rr_timeline *t)
{
    double **all[COLUMNS];
    columns_of(t, all);
    for (size_t i = 0; i < COLUMNS; i++) free(*all[i]);
    *t = (struct rr_timeline){0};
}
