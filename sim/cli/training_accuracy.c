/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/cli/training_accuracy.c - errors of the training model as a table of facts, and predicted against measured as a picture. */
#include "sim/cli/training_accuracy.h"
#include "data/outfile.h"
#include "sim/cli/gnuplot.h"
#include <math.h>
#include <string.h>

/* ---- the table ---- */

static void put_row(struct rr_buf *b, const struct rr_train_accuracy *x)
{
    const double in[] = {x->mape, x->median_error, x->mean, x->p10, x->p50, x->p90};
    const double out[] = {x->left_out_mape, x->left_out_median_error, x->left_out_p10, x->left_out_p50, x->left_out_p90};
    rr_buf_csv(b, x->set);
    rr_buf_putf(b, ",%s,%s,%s,%d", x->measure, x->framework, x->family, x->rows);
    for (size_t i = 0; i < sizeof in / sizeof *in; i++) rr_buf_putf(b, ",%.4g", in[i]);
    rr_buf_putf(b, ",%d", x->left_out);
    for (size_t i = 0; i < sizeof out / sizeof *out; i++) rr_buf_putf(b, x->left_out ? ",%.4g" : ",", out[i]);
    rr_buf_puts(b, ",make validate-training,2026,\n");
}

enum rr_status rr_accuracy_write(const char *path, const struct rr_residual *row, size_t n, struct rr_arena *a)
{
    struct rr_train_accuracy *x;
    struct rr_outfile *o = NULL;
    struct rr_buf b = {0};
    size_t m;
    rr_accuracy_make(row, n, a, &x, &m);
    rr_buf_puts(&b, "set,measure,framework,family,rows,mape,median_error,mean,p10,p50,p90,left_out,left_out_mape,left_out_median_error,"
                    "left_out_p10,left_out_p50,left_out_p90,source,date,note\n");
    for (size_t i = 0; i < m; i++) put_row(&b, &x[i]);
    enum rr_status st = rr_outfile_open(path, &o);
    if (st == RR_OK) rr_outfile_put(o, rr_buf_text(&b), b.n), st = rr_outfile_finish(o);
    if (st == RR_OK) st = rr_outfile_publish(o);
    rr_outfile_free(o);
    rr_buf_done(&b);
    return st;
}

/* ---- the picture: a panel for each set ---- */

enum { ACROSS = 4, PANEL = 300, COLOURS = 8 };
static const char *const colour[COLOURS] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7a6a12", "#8a3d8f"};

struct picture {
    const char *name, *measure, *unit; /* of the file, of the rows */
    double scale;                      /* of the unit */
    const struct rr_residual *row;
    size_t n;
    const struct rr_train_accuracy *set; /* those with framework "" are wholes */
    size_t n_sets;
};

static bool is_panel(const struct picture *p, size_t i) { return strcmp(p->set[i].measure, p->measure) == 0 && !*p->set[i].framework; }

/* 1, 2, 5 times powers of ten; powers of ten alone where there would be too many. */
static void put_tics(struct rr_buf *b, const char *axis, double from, double to)
{
    static const double step[] = {1, 2, 5};
    const int steps = to / from < 40 ? 3 : 1;
    bool any = false;
    rr_buf_putf(b, "set %stics (", axis);
    for (int e = -9; e < 12; e++)
        for (int k = 0; k < steps; k++) {
            const double v = step[k] * pow(10, e);
            if (v < from || v > to) continue;
            rr_buf_putf(b, "%s'%g' %g", any ? ", " : "", v, v);
            any = true;
        }
    rr_buf_puts(b, ")\n");
}

static void put_axes(struct rr_buf *b, const struct picture *p, double least, double most)
{
    least /= 1.3, most *= 1.3;
    rr_buf_putf(b, "set xlabel 'measured, %s'\nset ylabel 'predicted, %s'\nset xrange [%.6g:%.6g]\nset yrange [%.6g:%.6g]\n", p->unit,
                p->unit, least, most, least, most);
    put_tics(b, "x", least, most);
    put_tics(b, "y", least, most);
    rr_buf_puts(b, "plot x with lines lc rgb '#1b1f24' notitle, 1.1*x with lines dt 2 lc rgb '#8a929c' notitle, "
                   "x/1.1 with lines dt 2 lc rgb '#8a929c' notitle");
}

/* The rows of a set as block $setK; widens the range. */
static void put_block(struct rr_buf *b, const struct picture *p, size_t set, size_t k, double *least, double *most)
{
    rr_buf_putf(b, "$set%zu << EOD\n", k);
    for (size_t i = 0; i < p->n; i++) {
        const struct rr_residual *r = &p->row[i];
        if (strcmp(r->set, p->set[set].set) != 0 || strcmp(r->measure, p->measure) != 0) continue;
        rr_buf_putf(b, "%.6g %.6g\n", r->measured / p->scale, r->predicted / p->scale);
        *least = fmin(*least, fmin(r->measured, r->predicted) / p->scale);
        *most = fmax(*most, fmax(r->measured, r->predicted) / p->scale);
    }
    rr_buf_puts(b, "EOD\n");
}

static void put_points(struct rr_buf *b, size_t k)
{
    rr_buf_putf(b, ", $set%zu with points pt 7 ps 0.4 lc rgb '%s' notitle", k, colour[k % COLOURS]);
}

static void put_panels(struct rr_buf *b, const struct picture *p)
{
    double least = INFINITY, most = 0;
    size_t n = 0;
    struct rr_buf each = {0};
    for (size_t i = 0; i < p->n_sets; i++) {
        const struct rr_train_accuracy *x = &p->set[i];
        double from = INFINITY, to = 0;
        if (!is_panel(p, i)) continue;
        put_block(b, p, i, n, &from, &to);
        least = fmin(least, from), most = fmax(most, to);
        rr_buf_puts(&each, "set title \"");
        rr_buf_gnuplot(&each, x->set);
        rr_buf_putf(&each, "\\n%d row%s, mean error %.1f %%", x->rows, x->rows == 1 ? "" : "s", 100 * x->mape);
        if (x->left_out > 0) rr_buf_putf(&each, ", left out %.1f %%", 100 * x->left_out_mape);
        rr_buf_puts(&each, "\"\n");
        put_axes(&each, p, from, to);
        put_points(&each, n++);
        rr_buf_puts(&each, "\n");
    }
    rr_buf_puts(b, "set title 'all of them, each in its colour'\n");
    put_axes(b, p, least, most);
    for (size_t k = 0; k < n; k++) put_points(b, k);
    rr_buf_puts(b, "\n");
    rr_buf_put(b, rr_buf_text(&each), each.n);
    rr_buf_done(&each);
}

static enum rr_status plot_measure(const char *dir, const struct picture *p, struct rr_arena *a)
{
    struct rr_buf b = {0};
    int panels = 1;
    for (size_t i = 0; i < p->n_sets; i++) panels += is_panel(p, i);
    if (panels == 1) return RR_OK;
    const int across = panels < ACROSS ? panels : ACROSS, down = (panels + across - 1) / across;
    rr_buf_putf(&b,
                "set logscale xy\nunset key\nset size square\nset samples 2\nset tics font ',10'\nset title font ',12'\n"
                "set multiplot layout %d,%d title \"Predicted against measured: %s. Dashed: 10 %% off\"\n",
                down, across, p->measure);
    put_panels(&b, p);
    rr_buf_puts(&b, "unset multiplot\n");
    const enum rr_status st = rr_gnuplot(dir, p->name, across * PANEL, down * PANEL + 40, &b, a);
    rr_buf_done(&b);
    return st;
}

enum rr_status rr_accuracy_plot(const char *dir, const struct rr_residual *row, size_t n, struct rr_arena *a)
{
    struct rr_train_accuracy *x;
    size_t m;
    rr_accuracy_make(row, n, a, &x, &m);
    const struct picture picture[] = {{"step-time", "step time", "s", 1, row, n, x, m},
                                      {"time-to-train", "time to train", "min", 60, row, n, x, m},
                                      {"memory", "memory", "GB", 1e9, row, n, x, m}};
    RR_TRY(rr_make_dirs(dir));
    for (size_t i = 0; i < sizeof picture / sizeof *picture; i++) RR_TRY(plot_measure(dir, &picture[i], a));
    return RR_OK;
}
