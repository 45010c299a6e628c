/* SPDX-License-Identifier: GPL-3.0-or-later
 * reports/figure_gpus.c - GPUs held and used over time, a panel an alternative. */
#include "reports/csv.h"
#include "reports/draw.h"
#include "reports/show.h"
#include <math.h>

enum { PANELS = 4, PANEL = 128, GAP = 34, TOP = 34, BOTTOM = 60, LEFT = 78, RIGHT = 44, BINS = 320 };

struct bin {
    double x, mean, min, max;
};

/* Bins k .. k + width - 1 as one; a curve without a band is its own. */
static struct bin bin_of(const struct rr_series *r, size_t k, size_t width)
{
    const size_t end = k + width < r->n ? k + width : r->n;
    struct bin b = {r->x[k], 0, INFINITY, -INFINITY};
    for (size_t i = k; i < end; i++) {
        b.mean += r->mean[i];
        b.min = fmin(b.min, r->min ? r->min[i] : r->mean[i]);
        b.max = fmax(b.max, r->max ? r->max[i] : r->mean[i]);
    }
    b.mean /= (double)(end - k);
    return b;
}

static double put_curve(struct rr_drawing *d, const struct rr_series *r, double until)
{
    const size_t width = (r->n + BINS - 1) / BINS;
    double most = 0;
    struct bin b = {0};
    for (size_t k = 0; k < r->n; k += width) {
        b = bin_of(r, k, width);
        rr_draw_point(d, (double[]){b.x, b.mean, b.min, b.max}, 4);
        most = fmax(most, b.max);
    }
    if (until > b.x) rr_draw_point(d, (double[]){until, b.mean, b.min, b.max}, 4);
    rr_draw_block(d);
    return most;
}

struct panel {
    const char *name;
    const struct rr_series *used, *held;
};

static size_t collect(struct rr_drawing *d, struct panel *panel, double *until)
{
    size_t n = 0;
    for (size_t i = 0; i < d->n && n < PANELS; i++) {
        const struct rr_alternative *a = &d->s->alternative[d->chosen[i]];
        const struct rr_series *used = rr_series_find(a, "used_gpus"), *held = rr_series_find(a, "held_gpus");
        if (!used || !held || used->n < 2 || held->n < 2) continue;
        panel[n++] = (struct panel){rr_draw_short(d->arena, rr_show_name(d->s, d->arena, d->chosen[i]), 60), used, held};
        const double bin = used->x[1] - used->x[0];
        *until = fmax(*until, used->x[used->n - 1] + bin);
    }
    return n;
}

static void draw_panel(struct rr_drawing *d, const struct panel *p, size_t i, size_t n, double until)
{
    const double top = TOP + (double)i * (PANEL + GAP), end = fmin(until, p->used->x[p->used->n - 1] * 2 - p->used->x[p->used->n - 2]);
    double most = fmax(1, put_curve(d, p->held, end));
    most = fmax(most, put_curve(d, p->used, end));
    const int held = d->blocks - 2, used = d->blocks - 1;
    rr_buf_puts(&d->script, "unset label\nunset object\n");
    rr_draw_area(d, LEFT, RIGHT, (int)top, d->height - (int)top - PANEL);
    rr_draw_time_axis(d, 0, until, i + 1 == n);
    if (i + 1 < n) rr_buf_puts(&d->script, "unset xlabel\n");
    rr_draw_text(d, LEFT, top - 12, "left", "#1b1f24", p->name);
    if (i == 0)
        rr_draw_legend(d, RR_DRAW_WIDTH - RIGHT - 150, top - 12, RR_DRAW_WIDTH, (const char *const[]){"held", "in use"},
                       (const char *const[]){rr_colour[1], rr_colour[0]}, 2);
    rr_buf_putf(&d->script, "set yrange [0:%.9g]\nset ytics %.9g\nset ylabel \"GPUs\" textcolor rgb \"#5b6470\" offset 0.5,0\n",
                most * 1.08, rr_draw_step(most * 1.08, 4));
    const int block[] = {held, used};
    for (int k = 0; k < 2; k++)
        rr_buf_putf(&d->script,
                    "%s'%s.dat' index %d using 1:3:4 with filledcurves fc rgb \"%s\" fs transparent solid %s noborder notitle, "
                    "'' index %d using 1:2 with lines lw %s lc rgb \"%s\" notitle",
                    k ? ", " : "plot ", d->name, block[k], rr_colour[1 - k], k ? "0.24" : "0.16", block[k], k ? "1.4" : "1.8",
                    rr_colour[1 - k]);
    rr_buf_puts(&d->script, "\n");
}

bool rr_figure_gpus(struct rr_drawing *d, struct rr_figure *f)
{
    struct panel panel[PANELS];
    double until = 0;
    const size_t n = collect(d, panel, &until);
    if (n == 0) return false;
    rr_draw_begin(d, (int)(TOP + n * PANEL + (n - 1) * GAP + BOTTOM));
    rr_buf_puts(&d->script, "set multiplot\n");
    for (size_t i = 0; i < n; i++) draw_panel(d, &panel[i], i, n, until);
    rr_buf_puts(&d->script, "unset multiplot\n");
    f->title = "GPUs held and in use";
    f->caption =
        "Mean (line) and least to most (band) in each time bin, replication 1. Between the two curves GPUs are idle, starting or down.";
    f->alt = "Line charts of GPUs held and in use over time, one panel an alternative; timeline.csv has the numbers";
    return true;
}
