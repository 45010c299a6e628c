/* SPDX-License-Identifier: GPL-3.0-or-later
 * reports/timeline.c - timeline.csv: GPUs and queue over time in at most 2,000 bins an alternative. */
#include "reports/csv.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_BINS = 2000, CURVES = 4 };
static const char *const curve[CURVES] = {"used_gpus", "held_gpus", "queue_jobs", "queue_gpus"};

// Bins k .. k + width - 1 of a curve as one: the mean of the means (bins are equally long), the least, the greatest.
static void put_bin(struct rr_cells *c, const struct rr_series *r, size_t k, size_t width)
{
    if (!r || k >= r->n) {
        for (int i = 0; i < 3; i++) rr_out_text(c, NULL);
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
    rr_out_double(c, least);
    rr_out_double(c, most);
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
        rr_out_text(c, rr_buf_text(&date));
        for (int i = 0; i < CURVES; i++) put_bin(c, r[i], k, width);
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
    rr_out_text(&c, "from");
    for (int i = 0; i < CURVES; i++)
        for (int k = 0; k < 3; k++) {
            static const char *const what[] = {"mean", "min", "max"};
            char name[32];
            snprintf(name, sizeof name, "%s_%s", curve[i], what[k]);
            rr_out_text(&c, name);
        }
    rr_out_row(&c);
    for (size_t i = 0; i < s->n_alternatives; i++) put_alternative(&c, s, &s->alternative[i]);
    return RR_OK;
}
