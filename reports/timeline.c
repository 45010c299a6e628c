/* SPDX-License-Identifier: GPL-3.0-or-later
 * reports/timeline.c - timeline.csv: GPUs and queue over time in at most 2,000 bins an alternative. */
#include "reports/csv.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Those with a least and a greatest value, then means alone: held = used + lost + idle + starting + down in every bin, allocated = used + lost. */
enum { MOST_BINS = 2000, ALLOCATED = 4, BANDS, CURVES = 9 };
static const char *const curve[CURVES] = {"used_gpus", "held_gpus", "queue_jobs",    "queue_gpus", "allocated_gpus",
                                          "lost_gpus", "idle_gpus", "starting_gpus", "down_gpus"};

// Bins k .. k + width - 1 of a curve as one: the mean of the means (bins are equally long), the least, the greatest.
static void put_bin(struct rr_cells *c, const struct rr_series *r, size_t k, size_t width, bool band)
{
    if (!r || k >= r->n) {
        for (int i = 0; i < (band ? 3 : 1); i++) rr_out_text(c, NULL);
        return;
    }
    const size_t end = k + width < r->n ? k + width : r->n;
    double sum = 0, least = INFINITY, most = -INFINITY;
    for (size_t i = k; i < end; i++) {
        sum += r->mean[i];
        if (r->min) least = fmin(least, r->min[i]);
        if (r->max) most = fmax(most, r->max[i]);
    }
    rr_out_double(c, sum / (double)(end - k));
    if (!band) return;
    rr_out_double(c, least);
    rr_out_double(c, most);
}

// Where the bins k .. k + width - 1 end: the last one with the replay.
static double end_of(const struct rr_alternative *a, const struct rr_series *r, size_t k, size_t width)
{
    const double end = (double)a->end_us / 1e6, bin = r->n > 1 ? r->x[1] - r->x[0] : end - r->x[0];
    if (k + width < r->n) return r->x[k + width];
    return end > r->x[r->n - 1] ? end : r->x[r->n - 1] + bin;
}

static void put_alternative(struct rr_cells *c, const struct rr_store *s, const struct rr_alternative *a)
{
    const struct rr_series *r[CURVES];
    const struct rr_series *first = NULL;
    for (int i = 0; i < CURVES; i++) {
        r[i] = rr_series_find(a, curve[i]);
        if (r[i] && (!first || r[i]->n > first->n)) first = r[i];
    }
    if (!first) return;
    const size_t width = (first->n + MOST_BINS - 1) / MOST_BINS;
    for (size_t k = 0; k < first->n; k += width) {
        struct rr_buf date = {0};
        if (s->anchored) rr_buf_date(&date, s->start_us + (int64_t)llround(first->x[k] * 1e6));
        rr_out_text(c, a->name);
        rr_out_scaled(c, 1, 0);
        rr_out_double(c, first->x[k]);
        rr_out_double(c, end_of(a, first, k, width));
        rr_out_text(c, rr_buf_text(&date));
        for (int i = 0; i < CURVES; i++) {
            if (!r[i] && i >= BANDS && r[ALLOCATED])
                rr_out_double(c, 0); // a curve that is 0 throughout is not kept
            else
                put_bin(c, r[i], k, width, i < BANDS);
        }
        rr_out_row(c);
        rr_buf_done(&date);
    }
}

enum rr_status rr_csv_timeline(const struct rr_store *s, const char *db_path, struct rr_outfile *out)
{
    (void)db_path;
    struct rr_cells c = {out, true};
    rr_out_text(&c, "alternative");
    rr_out_text(&c, "replication");
    rr_out_text(&c, "from_s");
    rr_out_text(&c, "to_s");
    rr_out_text(&c, "from");
    for (int i = 0; i < CURVES; i++)
        for (int k = 0; k < (i < BANDS ? 3 : 1); k++) {
            static const char *const what[] = {"mean", "min", "max"};
            char name[32];
            snprintf(name, sizeof name, "%s_%s", curve[i], what[k]);
            rr_out_text(&c, name);
        }
    rr_out_row(&c);
    for (size_t i = 0; i < s->n_alternatives; i++) put_alternative(&c, s, &s->alternative[i]);
    return RR_OK;
}
