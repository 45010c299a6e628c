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

/* ---- stacked bars ---- */

/* Of a sheet whose rows are bars and columns parts (turned: the other way round); behind the parts, totals and the like that are not drawn. */
struct bars {
    const struct rr_sheet *x;
    bool turned;
    size_t n, parts; /* bars, parts */
    double unit;     /* the sheet's amounts in one of the axis */
    double limit;    /* where a line is drawn, in the axis' unit; 0 = none */
    bool shares;     /* bars of 100 %, each with what it is the whole of behind it */
    int colour[MOST_PARTS];
    double most;
};

static double raw(const struct bars *p, size_t bar, size_t part)
{
    return p->turned ? number(p->x, part, bar + 1) : number(p->x, bar, part + 1);
}

static double whole(const struct bars *p, size_t bar)
{
    double sum = 0;
    for (size_t k = 0; k < p->parts; k++) sum += raw(p, bar, k);
    return sum;
}

static double amount(const struct bars *p, size_t bar, size_t part)
{
    return raw(p, bar, part) / (p->shares ? fmax(whole(p, bar), 1e-12) / 100 : p->unit);
}

static const char *bar_name(const struct bars *p, size_t bar)
{
    const char *text = p->turned ? p->x->head[bar + 1].title : at(p->x, bar, 0)->text;
    return text ? text : "";
}

static const char *part_name(const struct bars *p, size_t part)
{
    const char *text = p->turned ? at(p->x, part, 0)->text : p->x->head[part + 1].title;
    return text ? text : "";
}

/* The seven largest parts have colours, the rest is grey. */
static void colour_parts(struct bars *p)
{
    double sum[MOST_PARTS] = {0};
    int next = 0;
    for (size_t k = 0; k < p->parts; k++)
        for (size_t i = 0; i < p->n; i++) sum[k] += amount(p, i, k);
    for (size_t k = 0; k < p->parts; k++) {
        int larger = 0;
        for (size_t j = 0; j < p->parts; j++) larger += sum[j] > sum[k] || (sum[j] == sum[k] && j < k);
        p->colour[k] = larger < OTHER && sum[k] > 0 ? next++ : OTHER;
    }
}

static double sum_of(const struct bars *p, size_t bar, int colour)
{
    double sum = 0;
    for (size_t k = 0; k < p->parts; k++)
        if (p->colour[k] == colour) sum += amount(p, bar, k);
    return sum;
}

static double total_of(const struct bars *p, size_t bar)
{
    double total = 0;
    for (int c = 0; c < RR_COLOURS; c++) total += sum_of(p, bar, c);
    return total;
}

static double legend(struct rr_drawing *d, const struct bars *p)
{
    const char *text[RR_COLOURS], *of[RR_COLOURS];
    size_t n = 0;
    double rest = 0;
    for (size_t k = 0; k < p->parts; k++) {
        if (p->colour[k] == OTHER) continue;
        text[n] = part_name(p, k);
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
    if (p->limit > 0) {
        rr_draw_point(d, (double[]){p->limit, 0.4}, 2);
        rr_draw_point(d, (double[]){p->limit, (double)p->n + 0.6}, 2);
        rr_draw_block(d);
    }
    rr_buf_puts(&d->script, "plot ");
    for (int c = 0; c < RR_COLOURS; c++)
        rr_buf_putf(&d->script, "%s'%s.dat' index %d using 1:2:3:4:5:6 with boxxyerror fc rgb \"%s\" fs solid 1 noborder notitle",
                    c ? ", " : "", d->name, c, rr_colour[c]);
    if (p->limit > 0)
        rr_buf_putf(&d->script, ", '%s.dat' index %d using 1:2 with lines lw 2 dt 2 lc rgb \"#1b1f24\" notitle", d->name, RR_COLOURS);
    rr_buf_puts(&d->script, "\n");
}

static const char *short_name(struct rr_drawing *d, const struct bars *p, size_t bar)
{
    return rr_draw_short(d->arena, bar_name(p, bar), rr_draw_is_narrow(d) ? 20 : 40);
}

static const char *three_digits(struct rr_arena *a, double v) { return rr_strf(a, "%.*f", v >= 99.95 ? 0 : v >= 9.995 ? 1 : 2, v); }

/* most: the axis' end. A total that the line at the limit would cross stands behind it. */
static void put_names(struct rr_drawing *d, const struct bars *p, double left, double top, double area, double most)
{
    const double label = 50 * most / (d->width - left - 24);
    for (size_t i = 0; i < p->n; i++) {
        const double total = total_of(p, i);
        rr_draw_text(d, left - 10, top + area * ((double)i + 0.6) / ((double)p->n + 0.2), "right", "#1b1f24", short_name(d, p, i));
        rr_buf_puts(&d->script, "set label ");
        rr_draw_quoted(d, p->shares ? rr_show_time(d->arena, whole(p, i)) : three_digits(d->arena, total));
        rr_buf_putf(&d->script, " at first %.9g,%zu left offset character 0.6,0 textcolor rgb \"#1b1f24\" front\n",
                    p->limit > total && p->limit < total + label ? p->limit : total, p->n - i);
    }
}

static bool draw_bars(struct rr_drawing *d, struct bars *p, const char *label)
{
    p->n = p->n < MOST_BARS ? p->n : MOST_BARS;
    p->parts = p->parts < MOST_PARTS ? p->parts : MOST_PARTS;
    colour_parts(p);
    double wide = 40;
    for (size_t i = 0; i < p->n; i++) {
        p->most = fmax(p->most, fmax(total_of(p, i), p->limit));
        wide = fmax(wide, rr_draw_text_width(short_name(d, p, i)));
    }
    if (!(p->most > 0)) return false;
    struct rr_drawing trial = {.s = d->s, .arena = d->arena, .width = d->width, .height = 100}; // measures the legend
    const int rows = (int)((legend(&trial, p) - LEGEND) / 22 + 0.5);
    rr_buf_done(&trial.script);
    const double left = wide + 26, area = BAR * (double)p->n + 10, top = LEGEND + 22 * rows,
                 most = (rr_draw_is_narrow(d) ? 1.3
                         : p->shares          ? 1.15
                                              : 1.1) *
                        p->most;
    rr_draw_begin(d, (int)(top + area + BOTTOM));
    legend(d, p);
    rr_draw_area(d, (int)left, 24, (int)top, BOTTOM);
    rr_buf_putf(&d->script,
                "set border 1 lc rgb \"#5b6470\"\nunset ytics\nset grid noytics xtics lc rgb \"#e3e7eb\" lt 1 lw 1\n"
                "set xrange [0:%.9g]\nset yrange [0.4:%zu.6]\n",
                most, p->n);
    rr_draw_tics(d, "x", 0, p->shares ? 100 : most, rr_draw_is_narrow(d) ? 4 : 9);
    rr_buf_puts(&d->script, "set xlabel ");
    rr_draw_quoted(d, label);
    rr_buf_puts(&d->script, " textcolor rgb \"#5b6470\" offset 0,0.5\n");
    put_names(d, p, left, top, area, most);
    put_bars(d, p);
    return true;
}

/* Steps of different numbers are steps of different batches, whose seconds do not compare. */
static bool other_batches(const struct rr_store *s)
{
    const struct rr_sheet *x = sheet_of(s, "training.runs");
    for (size_t i = 1; x && x->n_columns > 5 && i < x->n_rows; i++)
        if (fabs(number(x, i, 5) / number(x, 0, 5) - 1) > 0.01) return true;
    return false;
}

bool rr_figure_step(struct rr_drawing *d, struct rr_figure *f)
{
    const struct rr_sheet *x = sheet_of(d->s, "training.step");
    if (!x) return false;
    struct bars p = {.x = x, .turned = true, .n = x->n_columns - 1, .parts = x->n_rows - 1, .unit = 1, .shares = other_batches(d->s)};
    double most = 0;
    for (size_t i = 0; i < p.n; i++) most = fmax(most, number(x, x->n_rows - 1, i + 1));
    if (most < 1) p.unit = 1e-3;
    if (!draw_bars(d, &p, p.shares ? "share of the predicted step (%)" : most < 1 ? "predicted step (ms)" : "predicted step (s)"))
        return false;
    f->title = "What a training step is made of";
    f->caption = p.shares ? "Predicted, on the slowest pipeline stage. The steps are of different batches: each is 100 %, and takes what "
                            "stands behind it."
                          : "Predicted, on the slowest pipeline stage.";
    f->alt = "Stacked bars of the terms of a training step; the table below has the numbers";
    return true;
}

bool rr_figure_memory(struct rr_drawing *d, struct rr_figure *f)
{
    const struct rr_sheet *x = sheet_of(d->s, "training.memory");
    if (!x || x->n_columns < 4) return false;
    struct bars p = {.x = x, .n = x->n_rows, .parts = x->n_columns - 3, .unit = 1e9};
    const double share = number(x, 0, x->n_columns - 1);
    if (share > 0) p.limit = number(x, 0, x->n_columns - 2) / 1e9 / share;
    if (!draw_bars(d, &p, "predicted memory of a GPU (GB); dashed: all it has")) return false;
    f->title = "What a GPU's memory holds";
    f->caption = x->note;
    f->alt = "Stacked bars of the terms of a GPU's memory, one a pipeline stage; the table below has the numbers";
    return true;
}

/* ---- curves, on logarithmic axes ---- */

static void axes(struct rr_drawing *d, const char *x, const char *y)
{
    rr_buf_puts(&d->script, "set logscale xy\nset grid xtics ytics lc rgb \"#e3e7eb\" lt 1 lw 1\nset xlabel ");
    rr_draw_quoted(d, x);
    rr_buf_puts(&d->script, " textcolor rgb \"#5b6470\" offset 0,0.5\nset ylabel ");
    rr_draw_quoted(d, y);
    rr_buf_puts(&d->script, " textcolor rgb \"#5b6470\" offset 0.5,0\n");
}

/* 1, 2 and 5 times powers of ten; fewer of them where they would be close. */
static void log_tics(struct rr_drawing *d, const char *axis, double from, double to)
{
    static const double step[] = {1, 2, 5};
    const double decades = log10(to / from);
    bool any = false;
    rr_buf_putf(&d->script, "set %srange [%.9g:%.9g]\nset %stics (", axis, from, to, axis);
    for (int e = (int)floor(log10(from)); e <= log10(to); e++)
        for (int k = 0; k < 3; k++) {
            const double v = step[k] * pow(10, e);
            if (v < from || v > to || (k && decades > 3) || (k == 2 && decades > 2)) continue;
            rr_buf_putf(&d->script, "%s", any ? ", " : "");
            rr_draw_quoted(d, rr_show_number(d->arena, v));
            rr_buf_putf(&d->script, " %.9g", v);
            any = true;
        }
    rr_buf_puts(&d->script, ")\n");
}

/* A square of a few pixels around (x, y): svg.c takes no marks. */
static void square(struct rr_drawing *d, double x, double y, double x_decades, double y_decades, double top)
{
    const double wide = pow(10, 5 * x_decades / (d->width - LEFT - RIGHT)), tall = pow(10, 5 * y_decades / (HEIGHT - top - BOTTOM));
    rr_draw_point(d, (double[]){x, y, x / wide, x * wide, y / tall, y * tall}, 6);
}

static bool drawn(const struct rr_sheet *x, size_t row, size_t column)
{
    const double v = at(x, row, column)->number;
    return isfinite(v) && v > 0;
}

struct scaling {
    const struct rr_sheet *x;
    double unit, least, most, work; /* seconds of the axis' unit; of the times drawn; GPU-seconds of the smallest number */
    size_t n;
};

static void look(struct scaling *c)
{
    for (size_t i = 0; i < c->x->n_rows; i++) {
        if (!drawn(c->x, i, 1)) continue;
        const double gpus = number(c->x, i, 0), took = number(c->x, i, 1);
        if (c->n++ == 0) c->work = took * gpus, c->least = took;
        c->least = fmin(c->least, fmin(took, c->work / gpus));
        c->most = fmax(c->most, drawn(c->x, i, 2) ? fmax(took, number(c->x, i, 2)) : took);
    }
}

static void put_curve(struct rr_drawing *d, const struct scaling *c, size_t column)
{
    for (size_t i = 0; i < c->x->n_rows; i++) {
        const double gpus = number(c->x, i, 0);
        if (drawn(c->x, i, 1) && (column == 3 || drawn(c->x, i, column)))
            rr_draw_point(d, (double[]){gpus, (column == 3 ? c->work / gpus : number(c->x, i, column)) / c->unit}, 2);
    }
    rr_draw_block(d);
}

static void count_tics(struct rr_drawing *d, const struct rr_sheet *x)
{
    bool any = false;
    rr_buf_putf(&d->script, "set xrange [%.9g:%.9g]\nset xtics (", number(x, 0, 0) / 1.2, number(x, x->n_rows - 1, 0) * 1.2);
    for (size_t i = 0; i < x->n_rows; i++) {
        rr_buf_puts(&d->script, any ? ", " : "");
        rr_draw_quoted(d, rr_show_number(d->arena, number(x, i, 0)));
        rr_buf_putf(&d->script, " %.0f", number(x, i, 0));
        any = true;
    }
    rr_buf_puts(&d->script, ")\n");
}

/* Time by GPUs as predicted, with P90, and as it would be if twice the GPUs took half the time. */
bool rr_figure_scaling(struct rr_drawing *d, struct rr_figure *f)
{
    static const char *const name[] = {"predicted", "P90", "half the time for twice the GPUs"};
    static const struct {
        const char *name;
        double s;
    } units[] = {{"days", 86400}, {"hours", 3600}, {"minutes", 60}, {"seconds", 1}};
    struct scaling c = {.x = sheet_of(d->s, "training.scaling")};
    size_t u = 0;
    if (!c.x) return false;
    look(&c);
    if (c.n < 2) return false;
    while (u < 3 && sqrt(c.least * c.most) < 2 * units[u].s) u++;
    c.unit = units[u].s;
    rr_draw_begin(d, HEIGHT);
    const double top = rr_draw_lines_legend(d, LEFT, 20, d->width - RIGHT, name, rr_colour, rr_dash, 3) - 4;
    rr_draw_area(d, LEFT, RIGHT, (int)top, BOTTOM);
    axes(d, "GPUs", units[u].name);
    log_tics(d, "y", c.least / c.unit / 1.4, c.most / c.unit * 1.4);
    count_tics(d, c.x);
    for (size_t k = 1; k <= 3; k++) put_curve(d, &c, k);
    rr_buf_puts(&d->script, "plot ");
    for (int k = 0; k < 3; k++)
        rr_buf_putf(&d->script, "%s'%s.dat' index %d using 1:2 with lines lw 2.6 dt %s lc rgb \"%s\" notitle", k ? ", " : "", d->name, k,
                    rr_dash[k], rr_colour[k]);
    rr_buf_puts(&d->script, "\n");
    f->title = "What more GPUs bring";
    f->caption = c.x->note;
    f->alt = "Time to train by number of GPUs, both logarithmic; the table below has the numbers and costs";
    return true;
}

/* The roof, and where the products lie under it. Columns: name, FLOP a byte, reached, roof, share, peak, TB/s. */
bool rr_figure_roofline(struct rr_drawing *d, struct rr_figure *f)
{
    const struct rr_sheet *x = sheet_of(d->s, "training.roofline");
    double least_x = INFINITY, most_x = 0, least_y = INFINITY;
    const char *text[RR_CURVES];
    size_t n = 0;
    if (!x || x->n_columns < 7) return false;
    const double peak = number(x, 0, 5), slope = number(x, 0, 6); // TFLOP/s; TB/s: TFLOP/s for each FLOP a byte
    if (!(peak > 0) || !(slope > 0)) return false;
    for (size_t i = 0; i < x->n_rows && n < RR_CURVES; i++, n++) {
        least_x = fmin(least_x, number(x, i, 1)), most_x = fmax(most_x, number(x, i, 1));
        least_y = fmin(least_y, number(x, i, 2));
        text[n] = at(x, i, 0)->text ? at(x, i, 0)->text : "";
    }
    if (!(least_x > 0) || !(least_y > 0)) return false;
    const double ridge = peak / slope, left = fmin(least_x, ridge) / 3, right = fmax(most_x, ridge) * 2.5,
                 low = fmin(least_y, slope * left) / 1.3, high = 1.6 * peak;
    rr_draw_begin(d, HEIGHT);
    const double top = rr_draw_legend(d, 16, LEGEND, d->width - 16, text, rr_colour, n) - 2;
    rr_draw_area(d, LEFT, RIGHT, (int)top, BOTTOM);
    axes(d, "FLOP for each byte of memory traffic", "TFLOP/s of a GPU");
    log_tics(d, "x", left, right);
    log_tics(d, "y", low, high);
    rr_draw_point(d, (double[]){left, slope * left}, 2);
    rr_draw_point(d, (double[]){ridge, peak}, 2);
    rr_draw_point(d, (double[]){right, peak}, 2);
    rr_draw_block(d);
    for (size_t i = 0; i < n; i++) {
        square(d, number(x, i, 1), number(x, i, 2), log10(right / left), log10(high / low), top);
        rr_draw_block(d);
    }
    rr_buf_putf(&d->script, "set label ");
    rr_draw_quoted(d, rr_strf(d->arena, "peak %s TFLOP/s", rr_show_number(d->arena, peak)));
    rr_buf_putf(&d->script, " at first %.9g,%.9g right offset character -1,0.6 textcolor rgb \"#5b6470\"\nset label ", right, peak);
    rr_draw_quoted(d, rr_strf(d->arena, "memory %s TB/s", rr_show_number(d->arena, slope)));
    const double middle = sqrt(left * ridge);
    rr_buf_putf(&d->script, " at first %.9g,%.9g left offset character 1,-0.6 textcolor rgb \"#5b6470\"\n", middle, slope * middle);
    rr_buf_putf(&d->script, "plot '%s.dat' index 0 using 1:2 with lines lw 2 lc rgb \"#5b6470\" notitle", d->name);
    for (size_t i = 0; i < n; i++)
        rr_buf_putf(&d->script, ", '%s.dat' index %zu using 1:2:3:4:5:6 with boxxyerror fc rgb \"%s\" fs solid 1 noborder notitle", d->name,
                    i + 1, rr_colour[i]);
    rr_buf_puts(&d->script, "\n");
    f->title = "Under the roofline";
    f->caption = x->note;
    f->alt = "FLOPs a byte and reached rate below the least of peak and bandwidth, both logarithmic; the table below has the numbers";
    return true;
}
