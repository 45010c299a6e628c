/* SPDX-License-Identifier: GPL-3.0-or-later
 * reports/figure_trust.c - predicted / measured of published training runs: from P10 to P90 of each set, drawn from the sheet training.accuracy. */
#include "reports/draw.h"
#include "reports/show.h"
#include <math.h>
#include <string.h>

enum { ROW = 24, TOP = 44, BOTTOM = 62, MOST = 24, P10 = 8, P90 = 10, HERE = 11 };

static const struct rr_sheet *sheet_of(const struct rr_store *s)
{
    for (size_t i = 0; i < s->n_sheets; i++)
        if (strcmp(s->sheet[i].name, "training.accuracy") == 0 && s->sheet[i].n_rows > 0 && s->sheet[i].n_columns > HERE)
            return &s->sheet[i];
    return NULL;
}

static const struct rr_sheet_cell *at(const struct rr_sheet *x, size_t row, size_t column) { return &x->cell[row * x->n_columns + column]; }

static bool is_here(const struct rr_sheet *x, size_t row)
{
    const char *text = at(x, row, HERE)->text;
    return text && *text;
}

static const char *label(struct rr_drawing *d, const struct rr_sheet *x, size_t row)
{
    const char *set = at(x, row, 0)->text, *of = at(x, row, 1)->text;
    const char *text = of && strcmp(of, "memory") == 0 ? rr_strf(d->arena, "%s, memory", set ? set : "") : set ? set : "";
    return rr_draw_short(d->arena, text, rr_draw_is_narrow(d) ? 18 : 40);
}

/* Bars of what a run here rests on, of the others, and marks at the medians. */
static void put_data(struct rr_drawing *d, const struct rr_sheet *x, size_t n, double half)
{
    for (int block = 0; block < 3; block++) {
        for (size_t i = 0; i < n; i++) {
            const double y = (double)(n - i), from = at(x, i, P10)->number, middle = at(x, i, P10 + 1)->number, to = at(x, i, P90)->number;
            const double left = block == 2 ? middle - half : fmin(from, middle - half),
                         right = block == 2 ? middle + half : fmax(to, middle + half);
            if (block < 2 && is_here(x, i) != (block == 0)) continue;
            rr_draw_point(d, (double[]){middle, y, left, right, y - (block == 2 ? 0.36 : 0.2), y + (block == 2 ? 0.36 : 0.2)}, 6);
        }
        if (block < 2) rr_draw_point(d, (double[]){-1, -1, -1, -1, -1, -1}, 6); // no block is empty
        rr_draw_block(d);
    }
    for (int k = 0; k < 3; k++) {
        const double v = k == 0 ? 0.9 : k == 1 ? 1 : 1.1;
        rr_draw_point(d, (double[]){v, 0.4}, 2);
        rr_draw_point(d, (double[]){v, (double)n + 0.6}, 2);
        rr_draw_block(d);
    }
}

bool rr_figure_trust(struct rr_drawing *d, struct rr_figure *f)
{
    const struct rr_sheet *x = sheet_of(d->s);
    double wide = 40, low = 0.8, high = 1.2;
    if (!x) return false;
    const size_t n = x->n_rows < MOST ? x->n_rows : MOST;
    for (size_t i = 0; i < n; i++) {
        wide = fmax(wide, rr_draw_text_width(label(d, x, i)));
        low = fmin(low, at(x, i, P10)->number), high = fmax(high, at(x, i, P90)->number);
    }
    low = floor(10 * low) / 10, high = ceil(10 * high) / 10;
    const char *const text[] = {"of a run here", "others", "median"}, *const colour[] = {rr_colour[0], rr_colour[RR_COLOURS - 1],
                                                                                         "#1b1f24"};
    struct rr_drawing trial = {.s = d->s, .arena = d->arena, .width = d->width, .height = 100};
    const double below = rr_draw_legend(&trial, 16, 20, d->width - 16, text, colour, 3);
    rr_buf_done(&trial.script);
    const double left = wide + 26, area = ROW * (double)n + 10, top = fmax(below, TOP);
    rr_draw_begin(d, (int)(top + area + BOTTOM));
    rr_draw_legend(d, 16, 20, d->width - 16, text, colour, 3);
    rr_draw_area(d, (int)left, 24, (int)top, BOTTOM);
    rr_buf_putf(&d->script,
                "set border 1 lc rgb \"#5b6470\"\nunset ytics\nset grid noytics xtics lc rgb \"#e3e7eb\" lt 1 lw 1\n"
                "set xrange [%.9g:%.9g]\nset yrange [0.4:%zu.6]\n",
                low, high, n);
    rr_draw_tics(d, "x", low, high, rr_draw_is_narrow(d) ? 4 : 9);
    rr_buf_puts(&d->script, "set xlabel ");
    rr_draw_quoted(d, "predicted / measured, P10 to P90; dashed: 10 % off");
    rr_buf_puts(&d->script, " textcolor rgb \"#5b6470\" offset 0,0.5\n");
    for (size_t i = 0; i < n; i++)
        rr_draw_text(d, left - 10, top + area * ((double)i + 0.6) / ((double)n + 0.2), "right", is_here(x, i) ? "#1b1f24" : "#5b6470",
                     label(d, x, i));
    put_data(d, x, n, 1.5 * (high - low) / (d->width - left));
    rr_buf_puts(&d->script, "plot ");
    for (int k = 0; k < 3; k++)
        rr_buf_putf(&d->script, "%s'%s.dat' index %d using 1:2 with lines lw 1.5 dt %s lc rgb \"#5b6470\" notitle", k ? ", " : "", d->name,
                    k + 3, k == 1 ? "1" : "2");
    for (int k = 0; k < 3; k++)
        rr_buf_putf(&d->script, ", '%s.dat' index %d using 1:2:3:4:5:6 with boxxyerror fc rgb \"%s\" fs solid 1 noborder notitle", d->name,
                    k, colour[k]);
    rr_buf_puts(&d->script, "\n");
    f->title = "Predicted against measured";
    f->caption =
        "Published runs as the shipped coefficients foretell them: of ten rows of a set, eight lie in its bar. Rows left out of the fit "
        "where there are any. Above 1 the prediction is too long, or too large.";
    f->alt = "Ranges of predicted over measured by published set; the table below has the numbers";
    return true;
}
