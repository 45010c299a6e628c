/* SPDX-License-Identifier: GPL-3.0-or-later
 * reports/figure_training.c - planned training runs: the step and a GPU's memory as stacked bars, time against GPUs, products under the roof.
 *
 * Each is drawn from a sheet (data/sheet.h) that the study wrote. */
#include "reports/draw.h"
#include "reports/show.h"
#include <math.h>
#include <string.h>

enum { BAR = 38, LEGEND = 20, BOTTOM = 62, MOST_BARS = 16, MOST_PARTS = 32, OTHER = RR_COLOURS - 1, HEIGHT = 400, LEFT = 84, RIGHT = 40 };

static const struct rr_sheet *sheet_of(const struct rr_store *s, const char *name)
{
    for (size_t i = 0; i < s->n_sheets; i++)
        if (strcmp(s->sheet[i].name, name) == 0 && s->sheet[i].n_rows > 0) return &s->sheet[i];
    return NULL;
}

static const struct rr_sheet_cell *at(const struct rr_sheet *x, size_t row, size_t column) { return &x->cell[row * x->n_columns + column]; }

static double number(const struct rr_sheet *x, size_t row, size_t column)
{
    const double v = at(x, row, column)->number;
    return isnan(v) ? 0 : v;
}

/* ---- stacked bars: column 0 is a bar's name, the others its parts ---- */

struct bars {
    const struct rr_sheet *x;
    size_t n; /* bars */
    int colour[MOST_PARTS];
    double most;
};

/* The seven largest parts have colours, the rest is grey. */
static void colour_parts(struct bars *p)
{
    double sum[MOST_PARTS] = {0};
    int next = 0;
    for (size_t k = 1; k < p->x->n_columns && k < MOST_PARTS; k++)
        for (size_t i = 0; i < p->n; i++) sum[k] += number(p->x, i, k);
    for (size_t k = 1; k < p->x->n_columns && k < MOST_PARTS; k++) {
        int larger = 0;
        for (size_t j = 1; j < p->x->n_columns && j < MOST_PARTS; j++) larger += sum[j] > sum[k] || (sum[j] == sum[k] && j < k);
        p->colour[k] = larger < OTHER && sum[k] > 0 ? next++ : OTHER;
    }
}

static double sum_of(const struct bars *p, size_t bar, int colour)
{
    double sum = 0;
    for (size_t k = 1; k < p->x->n_columns && k < MOST_PARTS; k++)
        if (p->colour[k] == colour) sum += number(p->x, bar, k);
    return sum;
}

static double legend(struct rr_drawing *d, const struct bars *p)
{
    const char *text[RR_COLOURS], *of[RR_COLOURS];
    size_t n = 0;
    double rest = 0;
    for (size_t k = 1; k < p->x->n_columns && k < MOST_PARTS; k++) {
        if (p->colour[k] == OTHER) continue;
        text[n] = p->x->head[k].title;
        of[n++] = rr_colour[p->colour[k]];
    }
    for (size_t i = 0; i < p->n; i++) rest += sum_of(p, i, OTHER);
    if (rest > 0) {
        text[n] = "other";
        of[n++] = rr_colour[OTHER];
    }
    return rr_draw_legend(d, 16, LEGEND, d->width - 16, text, of, n);
}

// Bars from the top down: bar i lies at y = n - i.
static void put_bars(struct rr_drawing *d, const struct bars *p)
{
    for (int c = 0; c < RR_COLOURS; c++) {
        for (size_t i = 0; i < p->n; i++) {
            const double v = sum_of(p, i, c), y = (double)(p->n - i);
            double from = 0;
            for (int k = 0; k < c; k++) from += sum_of(p, i, k);
            rr_draw_point(d, (double[]){from + v / 2, y, from, from + v, y - 0.36, y + 0.36}, 6);
        }
        rr_draw_block(d);
    }
    rr_buf_puts(&d->script, "plot ");
    for (int c = 0; c < RR_COLOURS; c++)
        rr_buf_putf(&d->script, "%s'%s.dat' index %d using 1:2:3:4:5:6 with boxxyerror fc rgb \"%s\" fs solid 1 noborder notitle",
                    c ? ", " : "", d->name, c, rr_colour[c]);
    rr_buf_puts(&d->script, "\n");
}

static void put_names(struct rr_drawing *d, const struct bars *p, double left, double top, double area)
{
    for (size_t i = 0; i < p->n; i++) {
        double total = 0;
        for (int c = 0; c < RR_COLOURS; c++) total += sum_of(p, i, c);
        rr_draw_text(d, left - 10, top + area * ((double)i + 0.6) / ((double)p->n + 0.2), "right", "#1b1f24",
                     rr_draw_short(d->arena, at(p->x, i, 0)->text ? at(p->x, i, 0)->text : "", rr_draw_is_narrow(d) ? 12 : 26));
        rr_buf_puts(&d->script, "set label ");
        rr_draw_quoted(d, rr_show_number(d->arena, total));
        rr_buf_putf(&d->script, " at first %.9g,%zu left offset character 0.6,0 textcolor rgb \"#1b1f24\" front\n", total, p->n - i);
    }
}

static bool draw_bars(struct rr_drawing *d, const char *sheet, const char *label)
{
    struct bars p = {.x = sheet_of(d->s, sheet)};
    if (!p.x) return false;
    p.n = p.x->n_rows < MOST_BARS ? p.x->n_rows : MOST_BARS;
    colour_parts(&p);
    double wide = 40;
    for (size_t i = 0; i < p.n; i++) {
        double total = 0;
        for (int c = 0; c < RR_COLOURS; c++) total += sum_of(&p, i, c);
        p.most = fmax(p.most, total);
        wide = fmax(wide, rr_draw_text_width(
                              rr_draw_short(d->arena, at(p.x, i, 0)->text ? at(p.x, i, 0)->text : "", rr_draw_is_narrow(d) ? 12 : 26)));
    }
    if (!(p.most > 0)) return false;
    struct rr_drawing trial = {.s = d->s, .arena = d->arena, .width = d->width, .height = 100}; // measures the legend
    const int rows = (int)((legend(&trial, &p) - LEGEND) / 22 + 0.5);
    rr_buf_done(&trial.script);
    const double left = wide + 26, area = BAR * (double)p.n + 10, top = LEGEND + 22 * rows,
                 most = (rr_draw_is_narrow(d) ? 1.3 : 1.1) * p.most;
    rr_draw_begin(d, (int)(top + area + BOTTOM));
    legend(d, &p);
    rr_draw_area(d, (int)left, 24, (int)top, BOTTOM);
    rr_buf_putf(&d->script,
                "set border 1 lc rgb \"#5b6470\"\nunset ytics\nset grid noytics xtics lc rgb \"#e3e7eb\" lt 1 lw 1\n"
                "set xrange [0:%.9g]\nset yrange [0.4:%zu.6]\n",
                most, p.n);
    rr_draw_tics(d, "x", 0, most, rr_draw_is_narrow(d) ? 4 : 9);
    rr_buf_puts(&d->script, "set xlabel ");
    rr_draw_quoted(d, label);
    rr_buf_puts(&d->script, " textcolor rgb \"#5b6470\" offset 0,0.5\n");
    put_names(d, &p, left, top, area);
    put_bars(d, &p);
    return true;
}

bool rr_figure_step(struct rr_drawing *d, struct rr_figure *f)
{
    if (!draw_bars(d, "training.step", "predicted step (s)")) return false;
    f->title = "What a training step is made of";
    f->caption = "Predicted, on the slowest pipeline stage.";
    f->alt = "Stacked bars of the terms of a training step; the table below has the numbers";
    return true;
}

bool rr_figure_memory(struct rr_drawing *d, struct rr_figure *f)
{
    if (!draw_bars(d, "training.memory", "predicted memory of a GPU (GB)")) return false;
    f->title = "What a GPU's memory holds";
    f->caption = sheet_of(d->s, "training.memory")->note;
    f->alt = "Stacked bars of the terms of a GPU's memory, one a pipeline stage; the table below has the numbers";
    return true;
}

/* ---- curves ---- */

static void axes(struct rr_drawing *d, const char *x, const char *y)
{
    rr_buf_puts(&d->script, "set grid xtics ytics lc rgb \"#e3e7eb\" lt 1 lw 1\nset xlabel ");
    rr_draw_quoted(d, x);
    rr_buf_puts(&d->script, " textcolor rgb \"#5b6470\" offset 0,0.5\nset ylabel ");
    rr_draw_quoted(d, y);
    rr_buf_puts(&d->script, " textcolor rgb \"#5b6470\" offset 0.5,0\n");
}

/* Days by GPUs as predicted, with P90, and as they would be if twice the GPUs took half the time. */
bool rr_figure_scaling(struct rr_drawing *d, struct rr_figure *f)
{
    static const char *const name[] = {"predicted", "P90", "half the time for twice the GPUs"};
    const struct rr_sheet *x = sheet_of(d->s, "training.scaling");
    double least_y = 0, most_y = 0, first = 0;
    size_t n = 0;
    if (!x) return false;
    for (size_t i = 0; i < x->n_rows; i++)
        if (!isnan(at(x, i, 1)->number)) {
            const double ideal = first > 0 ? first / number(x, i, 0) : number(x, i, 1);
            if (first == 0) first = number(x, i, 1) * number(x, i, 0);
            least_y = n ? fmin(least_y, ideal) : ideal;
            most_y = fmax(most_y, number(x, i, 2));
            n++;
        }
    if (n < 2) return false;
    rr_draw_begin(d, HEIGHT);
    const double top = rr_draw_lines_legend(d, LEFT, 20, d->width - RIGHT, name, rr_colour, rr_dash, 3) - 4;
    rr_draw_area(d, LEFT, RIGHT, (int)top, BOTTOM);
    axes(d, "GPUs", "days");
    rr_buf_putf(&d->script, "set logscale xy\nset yrange [%.9g:%.9g]\nset xrange [%.9g:%.9g]\nset xtics (", least_y / 1.5, most_y * 1.5,
                number(x, 0, 0) / 1.2, number(x, x->n_rows - 1, 0) * 1.2);
    for (size_t i = 0, k = 0; i < x->n_rows; i++)
        if (!isnan(at(x, i, 1)->number)) rr_buf_putf(&d->script, "%s\"%.0f\" %.0f", k++ ? ", " : "", number(x, i, 0), number(x, i, 0));
    rr_buf_puts(&d->script, ")\n");
    for (int c = 1; c <= 3; c++) {
        for (size_t i = 0; i < x->n_rows; i++)
            if (!isnan(at(x, i, 1)->number))
                rr_draw_point(d, (double[]){number(x, i, 0), c == 3 ? first / number(x, i, 0) : number(x, i, (size_t)c)}, 2);
        rr_draw_block(d);
    }
    rr_buf_puts(&d->script, "plot ");
    for (int c = 0; c < 3; c++)
        rr_buf_putf(&d->script, "%s'%s.dat' index %d using 1:2 with lines lw 2.6 dt %s lc rgb \"%s\" notitle", c ? ", " : "", d->name, c,
                    rr_dash[c], rr_colour[c]);
    rr_buf_puts(&d->script, "\n");
    f->title = "What more GPUs bring";
    f->caption = x->note;
    f->alt = "Days to train by number of GPUs, both logarithmic; the table below has the numbers and costs";
    return true;
}

/* The roof, and where the products lie under it: squares, for svg.c takes no marks. */
bool rr_figure_roofline(struct rr_drawing *d, struct rr_figure *f)
{
    const struct rr_sheet *x = sheet_of(d->s, "training.roofline");
    double most = 0, peak = 0, slope = 0;
    const char *text[RR_CURVES];
    size_t n = 0;
    if (!x || x->n_columns < 5) return false;
    for (size_t i = 0; i < x->n_rows && n < RR_CURVES; i++, n++) {
        most = fmax(most, number(x, i, 1));
        peak = fmax(peak, number(x, i, 3));
        slope = fmax(slope, number(x, i, 4)); // TB/s: TFLOP/s for each FLOP a byte
        text[n] = at(x, i, 0)->text ? at(x, i, 0)->text : "";
    }
    if (!(most > 0) || !(peak > 0)) return false;
    const double right = 1.1 * most, high = 1.1 * peak;
    rr_draw_begin(d, HEIGHT);
    const double top = rr_draw_legend(d, 16, LEGEND, d->width - 16, text, rr_colour, n) - 2;
    rr_draw_area(d, LEFT, RIGHT, (int)top, BOTTOM);
    axes(d, "FLOP a byte", "TFLOP/s of a GPU");
    rr_buf_putf(&d->script, "set xrange [0:%.9g]\nset yrange [0:%.9g]\n", right, high);
    rr_draw_tics(d, "x", 0, right, rr_draw_is_narrow(d) ? 4 : 9);
    rr_draw_tics(d, "y", 0, high, 6);
    rr_draw_point(d, (double[]){0, 0}, 2);
    if (peak / slope < right) rr_draw_point(d, (double[]){peak / slope, peak}, 2);
    rr_draw_point(d, (double[]){right, fmin(peak, slope * right)}, 2);
    rr_draw_block(d);
    const double wide = 5 * right / (d->width - LEFT - RIGHT), tall = 5 * high / (HEIGHT - top - BOTTOM);
    for (size_t i = 0; i < n; i++) {
        const double a = number(x, i, 1), b = number(x, i, 2);
        rr_draw_point(d, (double[]){a, b, a - wide, a + wide, b - tall, b + tall}, 6);
        rr_draw_block(d);
    }
    rr_buf_putf(&d->script, "plot '%s.dat' index 0 using 1:2 with lines lw 2 lc rgb \"#5b6470\" notitle", d->name);
    for (size_t i = 0; i < n; i++)
        rr_buf_putf(&d->script, ", '%s.dat' index %zu using 1:2:3:4:5:6 with boxxyerror fc rgb \"%s\" fs solid 1 noborder notitle", d->name,
                    i + 1, rr_colour[i]);
    rr_buf_puts(&d->script, "\n");
    f->title = "Products under the roof";
    f->caption = x->note;
    f->alt = "Matrix products by FLOPs a byte and reached rate below the least of peak and bandwidth; the table below has the numbers";
    return true;
}
