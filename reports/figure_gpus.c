/* SPDX-License-Identifier: GPL-3.0-or-later
 * reports/figure_gpus.c - what the GPUs held were doing over time: stacked means, a panel an alternative. */
#include "reports/csv.h"
#include "reports/draw.h"
#include "reports/show.h"
#include <math.h>

enum { PANELS = 4, PANEL = 128, GAP = 34, LEGEND = 18, BOTTOM = 60, LEFT = 100, RIGHT = 44, BINS = 320, LEAST_BINS = 40 };

/* From the ground up; what a store does not have, or what is 0 throughout, is left out. */
enum { USED, LOST, IDLE, STARTING, DOWN, PARTS };
static const struct {
    const char *name;
    int colour;
    const char *solid;
} part[PARTS] = {{"in use", 0, "0.75"}, {"lost", 3, "0.9"}, {"idle", 5, "0.35"}, {"starting", 4, "0.8"}, {"down", 7, "0.8"}};

struct panel {
    const char *name;
    const struct rr_series *used, *held, *lost, *starting, *down;
};
struct bin {
    double x, v[PARTS], peak; /* peak: most GPUs held */
};

static double at(const struct rr_series *r, size_t k) { return r && k < r->n ? r->mean[k] : 0; }

// Bins k .. end - 1 as one.
static struct bin bin_of(const struct panel *p, size_t k, size_t end)
{
    struct bin b = {.x = p->used->x[k]};
    const double n = (double)(end - k);
    for (size_t i = k; i < end; i++) {
        const double idle = at(p->held, i) - at(p->used, i) - at(p->lost, i) - at(p->starting, i) - at(p->down, i);
        const double v[PARTS] = {at(p->used, i), at(p->lost, i), fmax(0, idle), at(p->starting, i), at(p->down, i)};
        for (int c = 0; c < PARTS; c++) b.v[c] += v[c] / n;
        b.peak = fmax(b.peak, p->held->max ? p->held->max[i] : at(p->held, i));
    }
    return b;
}

/* Bins drawn as one: days or weeks where that gives a readable number of them, so that the week's rhythm does not beat against the bins. */
static size_t width_of(const struct rr_series *r)
{
    const double bin = r->x[1] - r->x[0], whole[] = {86400, 7 * 86400.};
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
        const double n = floor(whole[i] / bin + 0.5);
        if (n >= 1 && fabs(n * bin - whole[i]) < 1e-6 * bin && (double)r->n / n >= LEAST_BINS && (double)r->n / n <= BINS) return (size_t)n;
    }
    return (r->n + BINS - 1) / BINS;
}

static const char *span_of(struct rr_arena *a, const struct rr_series *r)
{
    const double s = (r->x[1] - r->x[0]) * (double)width_of(r);
    return s == 86400 ? "a day" : s == 7 * 86400. ? "a week" : rr_strf(a, "%s", rr_show_seconds(a, s));
}

static size_t collect(struct rr_drawing *d, struct panel *panel, double *until)
{
    size_t n = 0;
    for (size_t i = 0; i < d->n && n < PANELS; i++) {
        const struct rr_alternative *a = &d->s->alternative[d->chosen[i]];
        const struct rr_series *used = rr_series_find(a, "used_gpus"), *held = rr_series_find(a, "held_gpus");
        if (!used || !held || used->n < 2 || held->n < used->n) continue;
        panel[n++] = (struct panel){.name = rr_draw_short(d->arena, rr_show_name(d->s, d->arena, d->chosen[i]), 40),
                                    .used = used,
                                    .held = held,
                                    .lost = rr_series_find(a, "lost_gpus"),
                                    .starting = rr_series_find(a, "starting_gpus"),
                                    .down = rr_series_find(a, "down_gpus")};
        *until = fmax(*until, used->x[used->n - 1] + used->x[1] - used->x[0]);
    }
    return n;
}

// Cumulative heights, then the peak. Returns the greatest; marks the parts that are there.
static double put_bin(struct rr_drawing *d, const struct bin *b, double x, bool *told)
{
    double row[PARTS + 3] = {x, 0};
    for (int c = 0; c < PARTS; c++) {
        row[c + 2] = row[c + 1] + b->v[c];
        told[c] |= b->v[c] > 0;
    }
    row[PARTS + 2] = b->peak;
    rr_draw_point(d, row, PARTS + 3);
    return fmax(b->peak, row[PARTS + 1]);
}

static double put_panel(struct rr_drawing *d, const struct panel *p, bool *told)
{
    const size_t width = width_of(p->used), n = p->used->n;
    const double end = p->used->x[n - 1] + p->used->x[1] - p->used->x[0];
    double most = 1;
    struct bin b = {0};
    for (size_t k = 0; k < n; k += width) {
        b = bin_of(p, k, k + width < n ? k + width : n);
        most = fmax(most, put_bin(d, &b, b.x, told));
    }
    put_bin(d, &b, end, told);
    rr_draw_block(d);
    return most;
}

static void draw_panel(struct rr_drawing *d, const struct panel *p, double top, double most, double until, int block, bool last)
{
    rr_draw_area(d, LEFT, RIGHT, (int)top, d->height - (int)top - PANEL);
    rr_draw_time_axis(d, 0, until, last);
    if (!last) rr_buf_puts(&d->script, "unset xlabel\n");
    rr_draw_text(d, LEFT, top - 12, "left", "#1b1f24", p->name);
    rr_buf_putf(&d->script, "set yrange [0:%.9g]\nset ylabel \"GPUs\" textcolor rgb \"#5b6470\" offset 0.5,0\n", most * 1.08);
    rr_draw_tics(d, "y", 0, most * 1.08, 4);
    rr_buf_puts(&d->script, "plot ");
    for (int c = 0; c < PARTS; c++)
        rr_buf_putf(&d->script,
                    "'%s.dat' index %d using 1:%d:%d with filledcurves fc rgb \"%s\" fs transparent solid %s noborder notitle, ", d->name,
                    block, c + 2, c + 3, rr_colour[part[c].colour], part[c].solid);
    rr_buf_putf(&d->script,
                "'' index %d using 1:%d with lines lw 1 dt (2,4) lc rgb \"#1b1f24\" notitle\nunset label\nunset object\nunset arrow\n",
                block, PARTS + 3);
}

static double draw_legend(struct rr_drawing *d, const bool *told)
{
    const char *text[PARTS], *colour[PARTS];
    size_t n = 0;
    for (int c = 0; c < PARTS; c++)
        if (told[c]) {
            text[n] = part[c].name;
            colour[n++] = rr_colour[part[c].colour];
        }
    return rr_draw_legend(d, LEFT, LEGEND, d->width - RIGHT, text, colour, n);
}

bool rr_figure_gpus(struct rr_drawing *d, struct rr_figure *f)
{
    struct panel panel[PANELS];
    double until = 0, most[PANELS];
    bool told[PARTS] = {0};
    const size_t n = collect(d, panel, &until);
    if (n == 0) return false;
    for (size_t i = 0; i < n; i++) most[i] = put_panel(d, &panel[i], told);
    struct rr_drawing trial = {.s = d->s, .arena = d->arena, .width = d->width, .height = 100};
    const int top = (int)draw_legend(&trial, told) + 16;
    rr_buf_done(&trial.script);
    rr_draw_begin(d, top + (int)(n * PANEL + (n - 1) * GAP) + BOTTOM);
    rr_buf_puts(&d->script, "set multiplot\n");
    draw_legend(d, told);
    for (size_t i = 0; i < n; i++) draw_panel(d, &panel[i], top + (double)(i * (PANEL + GAP)), most[i], until, (int)i, i + 1 == n);
    rr_buf_puts(&d->script, "unset multiplot\n");
    f->title = "What the GPUs held were doing";
    f->caption = rr_strf(d->arena, "Means over %s, stacked up to all GPUs held; dotted: the most held at any time. Replication 1.",
                         span_of(d->arena, panel[0].used));
    f->alt =
        "Stacked areas of GPUs in use, lost, idle, starting and down over time, one panel an alternative; timeline.csv has the numbers";
    return true;
}
