/* SPDX-License-Identifier: GPL-3.0-or-later
 * reports/figure_queue.c - GPUs that waiting jobs ask for over time, a line an alternative. */
#include "reports/csv.h"
#include "reports/draw.h"
#include "reports/show.h"
#include <math.h>

enum { HEIGHT = 300, LEFT = 84, RIGHT = 44, BOTTOM = 60, BINS = 240 };

struct curve {
    const struct rr_series *r;
    int colour;
};

// Days or weeks where that gives enough of them, as in figure_gpus.c.
static size_t width_of(const struct rr_series *r)
{
    const double bin = r->x[1] - r->x[0], whole[] = {86400, 7 * 86400.};
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
        const double n = floor(whole[i] / bin + 0.5);
        if (n >= 1 && fabs(n * bin - whole[i]) < 1e-6 * bin && (double)r->n / n >= 40 && (double)r->n / n <= BINS) return (size_t)n;
    }
    return (r->n + BINS - 1) / BINS;
}

// Two points a bin: a step. Returns the greatest.
static double put_curve(struct rr_drawing *d, const struct rr_series *r)
{
    const size_t width = width_of(r);
    const double bin = r->x[1] - r->x[0];
    double most = 0;
    for (size_t k = 0; k < r->n; k += width) {
        const size_t end = k + width < r->n ? k + width : r->n;
        double mean = 0;
        for (size_t i = k; i < end; i++) mean += r->mean[i] / (double)(end - k);
        rr_draw_point(d, (double[]){r->x[k], mean}, 2);
        rr_draw_point(d, (double[]){r->x[end - 1] + bin, mean}, 2);
        most = fmax(most, mean);
    }
    rr_draw_block(d);
    return most;
}

bool rr_figure_queue(struct rr_drawing *d, struct rr_figure *f)
{
    struct curve curve[RR_CURVES];
    const char *name[RR_CURVES], *colour[RR_CURVES], *dash[RR_CURVES];
    size_t n = 0;
    double most = 0, until = 0;
    for (size_t i = 0; i < d->n; i++) {
        const struct rr_series *r = rr_series_find(&d->s->alternative[d->chosen[i]], "queue_gpus");
        if (!r || r->n < 2) continue;
        curve[n] = (struct curve){r, (int)i};
        name[n] = rr_draw_short(d->arena, rr_show_name(d->s, d->arena, d->chosen[i]), 40);
        colour[n] = rr_colour[i];
        dash[n++] = rr_dash[i];
        most = fmax(most, put_curve(d, r));
        until = fmax(until, r->x[r->n - 1] + r->x[1] - r->x[0]);
    }
    if (n == 0 || most <= 0) return false;
    rr_draw_begin(d, HEIGHT);
    const double top = rr_draw_lines_legend(d, LEFT, 20, d->width - RIGHT, name, colour, dash, n) - 4;
    rr_draw_area(d, LEFT, RIGHT, (int)top, BOTTOM);
    rr_draw_time_axis(d, 0, until, true);
    rr_buf_putf(&d->script, "set yrange [0:%.9g]\nset ylabel \"GPUs asked for\" textcolor rgb \"#5b6470\" offset 0.5,0\n", most * 1.08);
    rr_draw_tics(d, "y", 0, most * 1.08, 5);
    rr_buf_puts(&d->script, "plot ");
    for (size_t i = 0; i < n; i++)
        rr_buf_putf(&d->script, "%s'%s.dat' index %zu using 1:2 with lines lw 2 dt %s lc rgb \"%s\" notitle", i ? ", " : "", d->name, i,
                    rr_dash[curve[i].colour], rr_colour[curve[i].colour]);
    rr_buf_puts(&d->script, "\n");
    f->title = "The queue";
    f->caption = "GPUs that waiting jobs ask for, mean in each time bin, replication 1; timeline.csv has least and most, and the jobs.";
    f->alt = "Line chart of the GPUs that waiting jobs ask for over time, one line an alternative; timeline.csv has the numbers";
    return true;
}
