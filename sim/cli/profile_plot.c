/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/cli/profile_plot.c - a profile drawn by gnuplot: time against size with its band, and the roofline. */
#include "data/outfile.h"
#include "sim/cli/gnuplot.h"
#include "sim/cli/profile.h"
#include <math.h>
#include <string.h>

enum { MOST_CURVES = 8 };

static void put_curve(struct rr_buf *b, const struct rr_curve *c, size_t i)
{
    const double low = c->knot[0].bytes, high = c->knot[c->n_knots - 1].bytes, band = 1 + c->band_pct / 100;
    rr_buf_putf(b, "$curve%zu << EOD\n", i);
    for (int k = 0; k <= 200; k++) {
        bool outside;
        const double x = low * pow(high / low, k / 200.0), us = rr_curve_us(c, x, &outside);
        rr_buf_putf(b, "%.9g %.9g %.9g %.9g\n", x, us, us / band, us * band);
    }
    rr_buf_putf(b, "EOD\n$knot%zu << EOD\n", i);
    for (size_t k = 0; k < c->n_knots; k++)
        rr_buf_putf(b, "%.9g %.9g %.9g %.9g\n", c->knot[k].bytes, c->knot[k].us.value, c->knot[k].us.p05, c->knot[k].us.p95);
    rr_buf_puts(b, "EOD\n");
}

static bool put_points(struct rr_buf *b, const struct rr_profile *p, const struct rr_samples *s)
{
    bool any = false;
    for (size_t i = 0; s && i < s->n; i++) {
        const struct rr_sample *r = &s->at[i];
        if (r->kind != RR_SAMPLE_COLLECTIVE || r->bytes <= 0 || r->us <= 0 || !rr_profile_curve(p, r->op, r->ranks, r->nodes)) continue;
        if (!any) rr_buf_puts(b, "$points << EOD\n");
        any = true;
        rr_buf_putf(b, "%.9g %.9g\n", (double)r->bytes, r->us);
    }
    if (any) rr_buf_puts(b, "EOD\n");
    return any;
}

static enum rr_status draw_collectives(const struct rr_profile *p, const struct rr_samples *s, const char *dir, struct rr_arena *a)
{
    static const char *const colour[MOST_CURVES] = {"#1f5fa8", "#c2571a", "#2e7d4f", "#8a3d8f", "#7a6a12", "#0f7c86", "#a8324a", "#555555"};
    const size_t n = p->n_curves < MOST_CURVES ? p->n_curves : MOST_CURVES;
    struct rr_buf b = {0};
    if (n == 0) return RR_OK;
    for (size_t i = 0; i < n; i++) put_curve(&b, &p->curve[i], i);
    const bool points = put_points(&b, p, s);
    rr_buf_puts(&b, "set logscale xy\nset key left top\nset xlabel 'bytes'\nset ylabel 'microseconds'\nset title \"");
    rr_buf_gnuplot(&b, p->name);
    rr_buf_puts(&b, ": time of collectives; line: fit, shade: 90 % of single measurements, marks: break points with 5 to 95 %\"\nplot ");
    for (size_t i = 0; i < n; i++) {
        const struct rr_curve *c = &p->curve[i];
        rr_buf_putf(&b, "%s$curve%zu using 1:3:4 with filledcurves fs transparent solid 0.15 noborder lc rgb '%s' notitle, ", i ? ", " : "",
                    i, colour[i]);
        rr_buf_putf(&b, "$curve%zu using 1:2 with lines lw 2 lc rgb '%s' title \"", i, colour[i]);
        rr_buf_gnuplot(&b, rr_strf(a, "%s, %d GPUs%s%s", c->op, (int)c->ranks, *c->algorithm ? ", " : "", c->algorithm));
        rr_buf_putf(&b, "\", $knot%zu using 1:2:3:4 with yerrorbars pt 7 ps 0.5 lc rgb '%s' notitle", i, colour[i]);
    }
    if (points) rr_buf_puts(&b, ", $points using 1:2 with points pt 6 ps 0.7 lc rgb '#000000' title 'measured'");
    rr_buf_puts(&b, "\n");
    const enum rr_status st = rr_gnuplot(dir, "collectives", 900, 560, &b, a);
    rr_buf_done(&b);
    return st;
}

/* The best memory rate and arithmetic rate: measured where they are, else of the datasheet. */
static void roof(const struct rr_profile *p, double *tflops, double *gb_s, bool *measured)
{
    *tflops = *gb_s = 0;
    *measured = true;
    for (size_t i = 0; i < p->n_gemms; i++) *tflops = fmax(*tflops, p->gemm[i].peak_tflops.value);
    for (size_t i = 0; i < p->n_rates; i++)
        if (strcmp(p->rate[i].kind, "memory") == 0) *gb_s = fmax(*gb_s, p->rate[i].gb_s.value);
    for (size_t i = 0; i < p->n_peaks; i++) {
        const bool memory = strcmp(p->peak[i].what, "memory") == 0, bf16 = strcmp(p->peak[i].what, "bf16") == 0;
        if (memory && *gb_s <= 0) *gb_s = p->peak[i].value, *measured = false;
        if (bf16 && *tflops <= 0) *tflops = p->peak[i].value, *measured = false;
    }
}

static enum rr_status draw_roofline(const struct rr_profile *p, const char *dir, struct rr_arena *a)
{
    double tflops, gb_s;
    bool measured;
    struct rr_buf b = {0};
    roof(p, &tflops, &gb_s, &measured);
    if (!(tflops > 0) || !(gb_s > 0)) return RR_OK;
    size_t points = 0;
    for (size_t g = 0; g < p->n_gemms; g++)
        for (size_t i = 0; i < p->gemm[g].n_points; i++) {
            const struct rr_gemm_point *q = &p->gemm[g].point[i];
            if (points++ == 0) rr_buf_puts(&b, "$points << EOD\n");
            const double flops = 2 * q->m * q->n * q->k, bytes = 2 * (q->m * q->k + q->k * q->n + q->m * q->n);
            rr_buf_putf(&b, "%.9g %.9g\n", flops / bytes, flops / q->us.value / 1e6);
        }
    if (points) rr_buf_puts(&b, "EOD\n");
    rr_buf_puts(&b,
                "set logscale xy\nset key left top\nset xlabel 'FLOP a byte'\nset ylabel 'TFLOP/s'\nset xrange [0.1:10000]\nset title \"");
    rr_buf_gnuplot(&b, p->name);
    rr_buf_putf(
        &b, ": roofline (%s)\"\nplot (x * %.9g < %.9g ? x * %.9g : %.9g) with lines lw 2 lc rgb '#1f5fa8' title '%.4g GB/s, %.4g TFLOP/s'",
        measured ? "measured" : "datasheet, not measured", gb_s / 1e3, tflops, gb_s / 1e3, tflops, gb_s, tflops);
    rr_buf_puts(&b, points ? ", $points using 1:2 with points pt 7 ps 0.6 lc rgb '#c2571a' title 'matrix products'\n" : "\n");
    const enum rr_status st = rr_gnuplot(dir, "roofline", 900, 560, &b, a);
    rr_buf_done(&b);
    return st;
}

enum rr_status rr_profile_plots(const struct rr_profile *p, const struct rr_samples *s, const char *dir, struct rr_arena *a)
{
    RR_TRY(rr_make_dirs(dir));
    RR_TRY(draw_collectives(p, s, dir, a));
    return draw_roofline(p, dir, a);
}
