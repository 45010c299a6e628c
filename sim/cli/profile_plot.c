/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/cli/profile_plot.c - a profile drawn by gnuplot: time and bus bandwidth against size with their band, and the roofline. */
#include "data/bench_help.h"
#include "data/outfile.h"
#include "sim/cli/gnuplot.h"
#include "sim/cli/profile.h"
#include <math.h>
#include <string.h>

enum { MOST_CURVES = 8 };
static const char *const colours[MOST_CURVES] = {"#1f5fa8", "#c2571a", "#2e7d4f", "#8a3d8f", "#7a6a12", "#0f7c86", "#a8324a", "#555555"};

/* ---- axes ---- */

struct range {
    double least, most; /* 0 = nothing yet */
};

static void reach(struct range *r, double v)
{
    if (!(v > 0) || !isfinite(v)) return;
    if (r->least <= 0 || v < r->least) r->least = v;
    if (v > r->most) r->most = v;
}

/* Bytes: powers of two with their units, about eight of them. */
static void put_bytes_axis(struct rr_buf *b, struct range r)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    const int low = (int)floor(log2(r.least)), high = (int)ceil(log2(r.most));
    const int step = high - low > 24 ? 5 : high - low > 12 ? 3 : high - low > 5 ? 2 : 1;
    rr_buf_putf(b, "set xrange [%.9g:%.9g]\nset xtics rotate by -35 (", r.least / 1.2, r.most * 1.2);
    for (int i = step * (low / step), n = 0; i <= high + step; i += step)
        if (i >= 0 && i < 60) rr_buf_putf(b, "%s\"%d %s\" %.0f", n++ ? ", " : "", 1 << (i % 10), units[i / 10], ldexp(1, i));
    rr_buf_puts(b, ")\n");
}

/* Times: 1, 10, 100 of each unit; 2 and 5 too where the range is narrow. */
static void put_time_axis(struct rr_buf *b, struct range r)
{
    static const char *const units[] = {"us", "ms", "s"};
    static const int steps[] = {1, 2, 5};
    const int low = (int)floor(log10(r.least)), high = (int)ceil(log10(r.most));
    rr_buf_putf(b, "set yrange [%.9g:%.9g]\nset ytics (", r.least / 1.3, r.most * 1.3);
    for (int i = low, n = 0; i <= high; i++)
        for (int k = 0; k < (high - low > 2 ? 1 : 3); k++) {
            const int u = i < 3 ? 0 : i < 6 ? 1 : 2;
            rr_buf_putf(b, "%s\"%.10g %s\" %.9g", n++ ? ", " : "", steps[k] * pow(10, i - 3 * u), units[u], steps[k] * pow(10, i));
        }
    rr_buf_puts(b, ")\n");
}

/* ---- collectives ---- */

enum { BEYOND = 4 }; /* times the smallest and the largest size: how far a curve is drawn outside of its log */

/* The curve carried on past both ends of its log: two lines with a gap. */
static void put_beyond(struct rr_buf *b, const struct rr_curve *c, size_t i, struct range *x, struct range *y)
{
    const double factor = rr_bus_factor(c->op, c->ranks), ends[] = {c->knot[0].bytes / BEYOND, c->knot[c->n_knots - 1].bytes};
    rr_buf_putf(b, "$beyond%zu << EOD\n", i);
    for (int end = 0; end < 2; end++) {
        for (int k = 0; k <= 20; k++) {
            bool outside;
            const double at = ends[end] * pow(BEYOND, k / 20.0), us = rr_curve_us(c, at, &outside);
            rr_buf_putf(b, "%.9g %.9g %.9g\n", at, us, factor * at / us / 1e3);
            reach(x, at), reach(y, us);
        }
        rr_buf_puts(b, end == 0 ? "\n" : "EOD\n");
    }
}

static void put_measured(struct rr_buf *b, const struct rr_curve *c, size_t i, struct range *y)
{
    rr_buf_putf(b, "$seen%zu << EOD\n", i);
    for (size_t k = 0; k < c->n_points; k++) {
        const struct rr_measured *m = &c->point[k];
        rr_buf_putf(b, "%.9g %.9g %.9g\n", m->bytes, m->us, rr_bus_factor(c->op, c->ranks) * m->bytes / m->us / 1e3);
        reach(y, m->us);
    }
    rr_buf_puts(b, "EOD\n");
}

/* Size, time and its band, bus bandwidth and its band, along the curve and at its break points; then what was not fitted. */
static void put_curve(struct rr_buf *b, const struct rr_curve *c, size_t i, struct range *x, struct range *y)
{
    const double low = c->knot[0].bytes, high = c->knot[c->n_knots - 1].bytes, band = 1 + c->band_pct / 100;
    const double factor = rr_bus_factor(c->op, c->ranks);
    rr_buf_putf(b, "$curve%zu << EOD\n", i);
    for (int k = 0; k <= 200; k++) {
        bool outside;
        const double at = low * pow(high / low, k / 200.0), us = rr_curve_us(c, at, &outside), rate = factor * at / us / 1e3;
        rr_buf_putf(b, "%.9g %.9g %.9g %.9g %.9g %.9g %.9g\n", at, us, us / band, us * band, rate, rate / band, rate * band);
        reach(x, at), reach(y, us);
    }
    rr_buf_putf(b, "EOD\n$knot%zu << EOD\n", i);
    for (size_t k = 0; k < c->n_knots; k++) {
        const struct rr_value v = c->knot[k].us;
        const double rate = factor * c->knot[k].bytes / 1e3;
        rr_buf_putf(b, "%.9g %.9g %.9g %.9g %.9g %.9g %.9g\n", c->knot[k].bytes, v.value, v.p05, v.p95, rate / v.value, rate / v.p95,
                    rate / v.p05);
        reach(y, v.p05), reach(y, v.p95);
    }
    rr_buf_putf(b, "EOD\n$out%zu << EOD\n", i);
    for (size_t k = 0; k < c->n_outliers; k++) {
        const struct rr_outlier *o = &c->outlier[k];
        rr_buf_putf(b, "%.9g %.9g %.9g\n", o->bytes, o->us, factor * o->bytes / o->us / 1e3);
        reach(y, o->us);
    }
    rr_buf_puts(b, "EOD\n");
    if (c->n_knots > 1) put_beyond(b, c, i, x, y);
    put_measured(b, c, i, y);
}

static bool put_points(struct rr_buf *b, const struct rr_profile *p, const struct rr_samples *s, struct range *x, struct range *y)
{
    bool any = false;
    for (size_t i = 0; s && i < s->n; i++) {
        const struct rr_sample *r = &s->at[i];
        if (r->kind != RR_SAMPLE_COLLECTIVE || r->bytes <= 0 || r->us <= 0 || !rr_profile_curve(p, r->op, r->ranks, r->nodes)) continue;
        if (!any) rr_buf_puts(b, "$points << EOD\n");
        any = true;
        rr_buf_putf(b, "%.9g %.9g %.9g\n", (double)r->bytes, r->us, rr_bus_factor(r->op, r->ranks) * (double)r->bytes / r->us / 1e3);
        reach(x, (double)r->bytes), reach(y, r->us);
    }
    if (any) rr_buf_puts(b, "EOD\n");
    return any;
}

static const char *title(const struct rr_curve *c, struct rr_arena *a)
{
    const char *nodes = c->nodes > 0 ? rr_strf(a, " on %d node%s", (int)c->nodes, c->nodes > 1 ? "s" : "") : "";
    return rr_strf(a, "%s, %d GPUs%s%s%s", c->op, (int)c->ranks, nodes, *c->algorithm ? ", " : "", c->algorithm);
}

/* ---- one panel, from the back to the front; `at` is the column of the value, its band behind it ---- */

struct panel {
    const struct rr_profile *p;
    size_t n; /* curves */
    int at;
    bool rate, others; /* bandwidth instead of time; the points of another log too */
};

/* The curve belongs there and has a line. */
static bool shown(const struct panel *w, size_t i) { return !w->rate || rr_bus_factor(w->p->curve[i].op, w->p->curve[i].ranks) > 0; }
static bool has_line(const struct panel *w, size_t i) { return shown(w, i) && w->p->curve[i].n_knots > 1; }

/* Error bars are drawn as vectors: gnuplot's own clear a disc of background round each point, and what lies behind it is lost. */
#define BARS "vectors heads size graph 0.004,90 lw 1"

static void put_back(struct rr_buf *b, const struct panel *w)
{
    for (size_t i = 0; i < w->n; i++)
        if (has_line(w, i))
            rr_buf_putf(b, "$curve%zu using 1:%d:%d with filledcurves fs transparent solid 0.15 noborder lc rgb '%s' notitle, ", i,
                        w->at + 1, w->at + 2, colours[i]);
    for (size_t i = 0; i < w->n; i++)
        if (shown(w, i))
            rr_buf_putf(b,
                        "$knot%zu using 1:%d:(0):($%d - $%d) with " BARS " lc rgb '%s' notitle, "
                        "$knot%zu using 1:%d with points pt %d ps %s lc rgb '%s' notitle, ",
                        i, w->at + 1, w->at + 2, w->at + 1, colours[i], i, w->at, has_line(w, i) ? 1 : 7, has_line(w, i) ? "0.4" : "0.5",
                        colours[i]);
}

static void put_front(struct rr_buf *b, const struct panel *w)
{
    const int single = w->rate ? 3 : 2;
    for (size_t i = 0; i < w->n; i++)
        if (has_line(w, i))
            rr_buf_putf(b,
                        "$beyond%zu using 1:%d with lines lw 1.5 dt 3 lc rgb '%s' notitle, "
                        "$curve%zu using 1:%d with lines lw 2 lc rgb '%s' notitle, ",
                        i, single, colours[i], i, w->at, colours[i]);
    for (size_t i = 0; i < w->n; i++) {
        if (!shown(w, i)) continue;
        if (w->p->curve[i].n_points > 1)
            rr_buf_putf(b, "$seen%zu using 1:%d with points pt 6 ps 0.45 lc rgb '%s' notitle, ", i, single, colours[i]);
        if (w->p->curve[i].n_outliers)
            rr_buf_putf(b, "$out%zu using 1:%d with points pt 2 ps 0.7 lc rgb '%s' notitle, ", i, single, colours[i]);
    }
    if (w->others) rr_buf_putf(b, "$points using 1:%d with points pt 4 ps 0.7 lc rgb '#000000' notitle, ", single);
}

/* The curves in their order, then what the marks mean. */
static void put_key(struct rr_buf *b, const struct panel *w, struct rr_arena *a)
{
    bool beyond = false, seen = false, out = false;
    for (size_t i = 0; i < w->n; i++) {
        const struct rr_curve *c = &w->p->curve[i];
        rr_buf_putf(
            b, c->n_knots > 1 ? "keyentry with lines lw 2 lc rgb '%s' title \"" : "keyentry with points pt 7 ps 0.5 lc rgb '%s' title \"",
            colours[i]);
        rr_buf_gnuplot(b, title(c, a));
        rr_buf_puts(b, "\", ");
        beyond |= c->n_knots > 1, seen |= c->n_points > 1, out |= c->n_outliers > 0;
    }
    if (beyond) rr_buf_puts(b, "keyentry with lines lw 1.5 dt 3 lc rgb '#555555' title 'beyond the log', ");
    if (seen) rr_buf_puts(b, "keyentry with points pt 6 ps 0.45 lc rgb '#555555' title 'measured (median of a size)', ");
    if (out) rr_buf_puts(b, "keyentry with points pt 2 ps 0.7 lc rgb '#555555' title 'outliers, not fitted', ");
    if (w->others) rr_buf_puts(b, "keyentry with points pt 4 ps 0.7 lc rgb '#000000' title 'the other log', ");
}

/* The names stand under the first panel alone. */
static void put_panel(struct rr_buf *b, const struct panel *w, struct rr_arena *a)
{
    rr_buf_puts(b, "plot ");
    put_back(b, w);
    put_front(b, w);
    if (!w->rate) put_key(b, w, a);
    rr_buf_puts(b, "NaN notitle\n");
}

/* Curves of one size each, such as a table of one message on more and more nodes: against the number of GPUs. */
static bool one_size_each(const struct rr_profile *p)
{
    for (size_t i = 0; i < p->n_curves; i++)
        if (p->curve[i].n_knots > 1 || p->curve[i].ranks <= 0 || p->curve[i].knot[0].bytes != p->curve[0].knot[0].bytes) return false;
    return p->n_curves > 1;
}

/* GPUs, bus bandwidth and its 5 to 95 % of one operation. */
static void put_by_ranks(struct rr_buf *b, const struct rr_profile *p, const char *op, size_t series)
{
    rr_buf_putf(b, "$op%zu << EOD\n", series);
    for (size_t i = 0; i < p->n_curves; i++) {
        const struct rr_curve *c = &p->curve[i];
        const double rate = rr_bus_factor(c->op, c->ranks) * c->knot[0].bytes / 1e3;
        const struct rr_value v = c->knot[0].us;
        if (strcmp(c->op, op) == 0) rr_buf_putf(b, "%d %.9g %.9g %.9g\n", (int)c->ranks, rate / v.value, rate / v.p95, rate / v.p05);
    }
    rr_buf_puts(b, "EOD\n");
}

/* A tick at each number of GPUs, and room on both sides. */
static void put_ranks_axis(struct rr_buf *b, const struct rr_profile *p)
{
    struct range x = {0};
    rr_buf_puts(b, "set xtics (");
    for (size_t i = 0; i < p->n_curves; i++) {
        reach(&x, p->curve[i].ranks);
        rr_buf_putf(b, "%s%d", i ? ", " : "", (int)p->curve[i].ranks);
    }
    rr_buf_putf(b, ")\nset xrange [%.9g:%.9g]\n", x.least / 1.3, x.most * 1.3);
}

/* The operations of the curves, each once. */
static size_t list_ops(const struct rr_profile *p, const char *op[MOST_CURVES])
{
    size_t n = 0;
    for (size_t i = 0; i < p->n_curves && n < MOST_CURVES; i++) {
        size_t k = 0;
        while (k < n && strcmp(op[k], p->curve[i].op) != 0) k++;
        if (k == n) op[n++] = p->curve[i].op;
    }
    return n;
}

/* Error bars side by side, those in the middle on their tick. */
static void put_ops(struct rr_buf *b, const char *const *op, size_t n)
{
    rr_buf_puts(b, "plot ");
    for (size_t i = 0; i < n; i++) {
        const double aside = pow(1.04, (double)i - (double)(n - 1) / 2);
        rr_buf_putf(b,
                    "$op%zu using ($1 * %.4f):2 with lines lw 1 lc rgb '%s' notitle, "
                    "$op%zu using ($1 * %.4f):3:(0):($4 - $3) with " BARS " lc rgb '%s' notitle, "
                    "$op%zu using ($1 * %.4f):2 with points pt 7 ps 0.7 lc rgb '%s' title \"",
                    i, aside, colours[i], i, aside, colours[i], i, aside, colours[i]);
        rr_buf_gnuplot(b, op[i]);
        rr_buf_puts(b, "\", ");
    }
    rr_buf_puts(b, "NaN notitle\n");
}

static enum rr_status draw_by_ranks(const struct rr_profile *p, const char *dir, struct rr_arena *a)
{
    struct rr_buf b = {0};
    const char *op[MOST_CURVES];
    const size_t n = list_ops(p, op);
    for (size_t i = 0; i < n; i++) put_by_ranks(&b, p, op[i], i);
    rr_buf_puts(&b, "set border 3 lc rgb '#888888'\nset tics nomirror\nset logscale x 2\nset yrange [0:*]\nset format y '%g GB/s'\n"
                    "set xlabel 'GPUs'\nset key top right\n");
    put_ranks_axis(&b, p);
    rr_buf_puts(&b, "set title \"");
    rr_buf_gnuplot(&b,
                   rr_strf(a, "%s: bus bandwidth of %.4g MB on more and more GPUs, 5 to 95 %%", p->name, p->curve[0].knot[0].bytes / 1e6));
    rr_buf_puts(&b, "\"\n");
    put_ops(&b, op, n);
    const enum rr_status st = rr_gnuplot(dir, "collectives", 900, 560, &b, a);
    rr_buf_done(&b);
    return st;
}

static enum rr_status draw_collectives(const struct rr_profile *p, const struct rr_samples *s, const char *dir, struct rr_arena *a)
{
    const size_t n = p->n_curves < MOST_CURVES ? p->n_curves : MOST_CURVES;
    struct rr_buf b = {0};
    struct range x = {0}, y = {0};
    if (n == 0) return RR_OK;
    if (!s && one_size_each(p)) return draw_by_ranks(p, dir, a);
    for (size_t i = 0; i < n; i++) put_curve(&b, &p->curve[i], i, &x, &y);
    const bool points = put_points(&b, p, s, &x, &y);
    rr_buf_puts(&b, "set border 3 lc rgb '#888888'\nset tics nomirror\nset logscale xy\nset xlabel 'message size'\n"
                    "set multiplot title \"");
    rr_buf_gnuplot(&b, p->name);
    if (n < p->n_curves) rr_buf_putf(&b, ", the first %zu of %zu curves", n, p->n_curves);
    rr_buf_puts(&b, "; line: fit; shade: 90 % of single measurements; +: break points, 5 to 95 %\"\n"
                    "set tmargin at screen 0.88\nset bmargin at screen 0.34\n");
    put_bytes_axis(&b, x);
    put_time_axis(&b, y);
    rr_buf_puts(&b, "set title 'time'\nset lmargin at screen 0.08\nset rmargin at screen 0.49\n"
                    "set key at screen 0.04, screen 0.17 left top Left reverse maxrows 3 samplen 2\n");
    put_panel(&b, &(struct panel){.p = p, .n = n, .at = 2, .others = points}, a);
    rr_buf_puts(&b,
                "set title 'bus bandwidth'\nset lmargin at screen 0.58\nset rmargin at screen 0.955\nunset logscale y\nset yrange [0:*]\n"
                "set ytics autofreq\nset format y '%g GB/s'\n");
    put_panel(&b, &(struct panel){.p = p, .n = n, .at = 5, .rate = true, .others = points}, a);
    rr_buf_puts(&b, "unset multiplot\n");
    const enum rr_status st = rr_gnuplot(dir, "collectives", 1240, 620, &b, a);
    rr_buf_done(&b);
    return st;
}

/* ---- the roofline ---- */

static double memory_rate(const struct rr_profile *p, bool *measured)
{
    double gb_s = 0;
    for (size_t i = 0; i < p->n_rates; i++)
        if (strcmp(p->rate[i].kind, "memory") == 0) gb_s = fmax(gb_s, p->rate[i].gb_s.value);
    *measured = gb_s > 0;
    for (size_t i = 0; i < p->n_peaks && !*measured; i++)
        if (strcmp(p->peak[i].what, "memory") == 0) gb_s = p->peak[i].value;
    return gb_s;
}

static void put_roof(struct rr_buf *b, size_t i, const char *what, double tflops, double gb_s, bool measured, struct rr_arena *a)
{
    rr_buf_putf(b, "(x * %.9g < %.9g ? x * %.9g : %.9g) with lines lw 2 dt %d lc rgb '%s' title \"", gb_s / 1e3, tflops, gb_s / 1e3, tflops,
                measured ? 1 : 2, colours[i % MOST_CURVES]);
    rr_buf_gnuplot(b, rr_strf(a, "%s: %.4g TFLOP/s, from %.0f FLOP a byte on%s", what, tflops, tflops * 1e3 / gb_s,
                              measured ? "" : " (datasheet, not measured)"));
    rr_buf_puts(b, "\", ");
}

static size_t put_products(struct rr_buf *b, const struct rr_profile *p, size_t machine)
{
    size_t points = 0;
    for (size_t g = 0; g < p->n_gemms; g++)
        for (size_t i = 0; i < p->gemm[g].n_points; i++) {
            const struct rr_gemm_point *q = &p->gemm[g].point[i];
            const double each = rr_bench_type_bytes(p->gemm[g].type), flops = 2 * q->m * q->n * q->k;
            if (points++ == 0) rr_buf_putf(b, "$points%zu << EOD\n", machine);
            rr_buf_putf(b, "%.9g %.9g\n", flops / ((each > 0 ? each : 2) * (q->m * q->k + q->k * q->n + q->m * q->n)),
                        flops / q->us.value / 1e6);
        }
    if (points) rr_buf_puts(b, "EOD\n");
    return points;
}

/* A roof for each number format: of what was measured, and of the datasheet (the same peak once). *n counts roofs, *most is the highest. */
static void put_roofs(struct rr_buf *b, const struct rr_profile *p, const char *whose, size_t *n, double *most, struct rr_arena *a)
{
    bool measured;
    double last = 0;
    const double gb_s = memory_rate(p, &measured);
    for (size_t i = 0; gb_s > 0 && i < p->n_gemms; i++) {
        const double tflops = p->gemm[i].peak_tflops.value;
        put_roof(b, (*n)++, rr_strf(a, "%s%s", whose, p->gemm[i].type), tflops, gb_s, measured && p->gemm[i].measured, a);
        *most = fmax(*most, tflops);
    }
    for (size_t i = 0; gb_s > 0 && i < p->n_peaks; i++) {
        const struct rr_peak *k = &p->peak[i];
        if (strcmp(k->unit, "TFLOP/s") != 0 || k->value == last) continue;
        const bool two = i + 1 < p->n_peaks && p->peak[i + 1].value == k->value;
        put_roof(b, (*n)++, rr_strf(a, "%s%s%s%s", whose, k->what, two ? ", " : "", two ? p->peak[i + 1].what : ""), k->value, gb_s, false,
                 a);
        last = k->value;
        *most = fmax(*most, last);
    }
}

/* One machine, or two in one picture. */
static enum rr_status draw_roofline(const struct rr_profile *const *p, size_t machines, const char *dir, struct rr_arena *a)
{
    struct rr_buf b = {0}, plot = {0};
    size_t roofs = 0;
    double most = 0;
    bool measured;
    for (size_t i = 0; i < machines; i++) {
        const size_t points = put_products(&b, p[i], i);
        put_roofs(&plot, p[i], machines > 1 ? rr_strf(a, "%s: ", p[i]->name) : "", &roofs, &most, a);
        if (points)
            rr_buf_putf(&plot, "$points%zu using 1:2 with points pt %d ps 0.6 lc rgb '#000000' title 'matrix products, measured', ", i,
                        i == 0 ? 7 : 6);
    }
    rr_buf_puts(&b, "set border 3 lc rgb '#888888'\nset tics nomirror\nset logscale xy\nset key bottom right Right samplen 3\n"
                    "set xlabel 'FLOP a byte of memory traffic'\nset ylabel 'TFLOP/s'\nset xrange [0.25:16384]\nset samples 400\n"
                    "set xtics (\"1/4\" 0.25, 1, 4, 16, 64, 256, 1024, 4096, 16384)\n");
    rr_buf_putf(&b, "set yrange [*:%.9g]\nset title \"", 2 * most);
    rr_buf_gnuplot(&b, machines > 1 ? rr_strf(a, "%s and %s", p[0]->name, p[1]->name) : p[0]->name);
    rr_buf_puts(&b, ": roofline");
    const double gb_s = memory_rate(p[0], &measured);
    if (machines == 1) rr_buf_putf(&b, ", memory %.4g GB/s%s", gb_s, measured ? "" : " (datasheet, not measured)");
    rr_buf_puts(&b, "\"\nplot ");
    rr_buf_put(&b, rr_buf_text(&plot), plot.n);
    rr_buf_puts(&b, "NaN notitle\n");
    const enum rr_status st = roofs ? rr_gnuplot(dir, "roofline", 900, 600, &b, a) : RR_OK;
    rr_buf_done(&plot);
    rr_buf_done(&b);
    return st;
}

/* The curves of both that answer each other, in turn; each named by its machine. */
static struct rr_profile side_by_side(const struct rr_profile *p, const struct rr_profile *q, struct rr_arena *a)
{
    struct rr_curve *c = RR_NEWS(a, struct rr_curve, 2 * p->n_curves + 1);
    struct rr_profile both = {.path = "", .name = rr_strf(a, "%s and %s", p->name, q->name), .curve = c};
    for (size_t i = 0; i < p->n_curves; i++) {
        const struct rr_curve *other = rr_profile_curve(q, p->curve[i].op, p->curve[i].ranks, p->curve[i].nodes);
        if (!other) continue;
        for (int k = 0; k < 2; k++) {
            struct rr_curve one = k == 0 ? p->curve[i] : *other;
            one.algorithm = rr_strf(a, "%s%s%s", k == 0 ? p->name : q->name, *one.algorithm ? ", " : "", one.algorithm);
            c[both.n_curves++] = one;
        }
    }
    return both;
}

enum rr_status rr_profile_plots_both(const struct rr_profile *p, const struct rr_profile *q, const char *dir, struct rr_arena *a)
{
    const struct rr_profile *const machines[] = {p, q}, both = side_by_side(p, q, a);
    RR_TRY(rr_make_dirs(dir));
    RR_TRY(draw_collectives(&both, NULL, dir, a));
    return draw_roofline(machines, 2, dir, a);
}

enum rr_status rr_profile_plots(const struct rr_profile *p, const struct rr_samples *s, const char *dir, struct rr_arena *a)
{
    RR_TRY(rr_make_dirs(dir));
    RR_TRY(draw_collectives(p, s, dir, a));
    return draw_roofline(&p, 1, dir, a);
}
