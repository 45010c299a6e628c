/* SPDX-License-Identifier: GPL-3.0-or-later
 * reports/figure_wait.c - the share of started jobs that waited at most so long. */
#include "reports/csv.h"
#include "reports/draw.h"
#include "reports/show.h"
#include <math.h>

enum { HEIGHT = 420, LEFT = 96, RIGHT = 44, BOTTOM = 62 };
#define LEAST 1.0 /* s: shorter waits are drawn here, on the axis' left end */

struct curve {
    const struct rr_series *r;
    int colour;
};

static void axis(struct rr_drawing *d, double most)
{
    static const struct {
        double s;
        const char *text;
        bool wide; // where there is room alone
    } tic[] = {{1, "\xe2\x89\xa4 1 s", false},
               {10, "10 s", true},
               {60, "1 min", false},
               {600, "10 min", true},
               {3600, "1 h", false},
               {6 * 3600., "6 h", true},
               {86400, "1 d", false},
               {7 * 86400., "1 week", true},
               {30 * 86400., "30 d", false},
               {180 * 86400., "180 d", true},
               {730 * 86400., "2 years", false},
               {3652 * 86400., "10 years", false}};
    rr_buf_puts(&d->script, "set logscale x\nset xtics (");
    for (size_t i = 0; i < sizeof tic / sizeof *tic && (i == 0 || tic[i].s <= most); i++) {
        rr_buf_puts(&d->script, i ? ", " : "");
        rr_draw_quoted(d, tic[i].wide && rr_draw_is_narrow(d) ? "" : tic[i].text);
        rr_buf_putf(&d->script, " %.9g", tic[i].s);
    }
    rr_buf_putf(&d->script,
                ")\nset xrange [%g:%.9g]\nset xlabel \"wait from submit to first start\" textcolor rgb \"#5b6470\" offset 0,0.5\n", LEAST,
                most);
    rr_buf_puts(&d->script, "set yrange [0:100]\nset ytics 20\nset format y \"%g %%\"\nset ylabel \"share of started jobs\" textcolor rgb "
                            "\"#5b6470\" offset 0.5,0\nset grid xtics ytics lc rgb \"#e3e7eb\" lt 1 lw 1\n");
}

static void put_curve(struct rr_drawing *d, const struct rr_series *r, double most)
{
    double share = 0;
    for (size_t k = 0; k < r->n && r->x[k] <= LEAST; k++) share = r->mean[k];
    rr_draw_point(d, (double[]){LEAST, 100 * share}, 2);
    for (size_t k = 0; k < r->n; k++)
        if (r->x[k] > LEAST) rr_draw_point(d, (double[]){r->x[k], 100 * r->mean[k]}, 2);
    rr_draw_point(d, (double[]){most, 100 * r->mean[r->n - 1]}, 2);
    rr_draw_block(d);
}

bool rr_figure_wait(struct rr_drawing *d, struct rr_figure *f)
{
    struct curve curve[RR_CURVES];
    const char *name[RR_CURVES], *colour[RR_CURVES], *dash[RR_CURVES];
    size_t n = 0;
    double most = 10 * LEAST;
    for (size_t i = 0; i < d->n; i++) {
        const struct rr_alternative *a = &d->s->alternative[d->chosen[i]];
        const struct rr_series *r = rr_series_find(a, "wait_cdf");
        if (!r || r->n == 0) continue;
        curve[n] = (struct curve){r, (int)i};
        name[n] = rr_draw_short(d->arena, rr_show_name(d->s, d->arena, d->chosen[i]), 40);
        colour[n] = rr_colour[i];
        dash[n++] = rr_dash[i];
        most = fmax(most, 1.15 * r->x[r->n - 1]);
    }
    if (n == 0) return false;
    rr_draw_begin(d, HEIGHT);
    const double top = rr_draw_lines_legend(d, LEFT, 20, d->width - RIGHT, name, colour, dash, n) - 4;
    rr_draw_area(d, LEFT, RIGHT, (int)top, BOTTOM);
    axis(d, most);
    for (size_t i = 0; i < n; i++) put_curve(d, curve[i].r, most);
    rr_buf_puts(&d->script, "plot "); // where curves are equal, those below show in the gaps of those above
    for (size_t i = 0; i < n; i++)
        rr_buf_putf(&d->script, "%s'%s.dat' index %zu using 1:2 with lines lw 2.6 dt %s lc rgb \"%s\" notitle", i ? ", " : "", d->name, i,
                    rr_dash[curve[i].colour], rr_colour[curve[i].colour]);
    rr_buf_puts(&d->script, "\n");
    f->title = "How long jobs waited";
    f->caption = "Share of started jobs that waited at most so long (logarithmic), replication 1.";
    f->alt = "Distribution of waiting times, one curve an alternative; the table below has the percentiles";
    return true;
}
