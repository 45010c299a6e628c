/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/cli/profile_plot.c - a profile drawn by gnuplot: time against size with its band, and the roofline; started without a shell. */
#include "data/outfile.h"
#include "sim/cli/profile.h"
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_CURVES = 8 };

static enum rr_status run_gnuplot(const char *script, struct rr_arena *a)
{
    char *argv[] = {"gnuplot", "-d", rr_strdup(a, script), NULL};
    const char *path = getenv("PATH");
    char *env[] = {rr_strf(a, "PATH=%s", path ? path : "/usr/bin:/bin"), "LC_ALL=C", "TZ=UTC", "HOME=/nonexistent", NULL};
    posix_spawn_file_actions_t act;
    pid_t pid;
    int status = 0, rc = posix_spawn_file_actions_init(&act);
    if (!rc) rc = posix_spawn_file_actions_addopen(&act, 0, "/dev/null", O_RDONLY, 0);
    if (!rc) rc = posix_spawn_file_actions_addopen(&act, 2, "/dev/null", O_WRONLY, 0);
    if (!rc) rc = posix_spawnp(&pid, "gnuplot", &act, NULL, argv, env);
    posix_spawn_file_actions_destroy(&act);
    if (rc == ENOENT) return rr_fail(RR_EMISSING, "gnuplot is not installed: plots need the package gnuplot-nox");
    if (rc) return rr_fail(RR_EIO, "gnuplot: %s", strerror(rc));
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? RR_OK : rr_fail(RR_EIO, "gnuplot failed on %s", script);
}

/* The script beside the picture for the time that gnuplot runs. */
static enum rr_status draw(const char *dir, const char *name, const struct rr_buf *body, struct rr_arena *a)
{
    const char *script = rr_strf(a, "%s/%s.gp", dir, name);
    struct rr_buf b = {0};
    struct rr_outfile *o = NULL;
    rr_buf_puts(&b, "set terminal svg size 900,560 noenhanced font 'sans,13' background '#ffffff'\nset output \"");
    rr_buf_gnuplot(&b, rr_strf(a, "%s/%s.svg", dir, name));
    rr_buf_puts(&b, "\"\nset grid lc rgb '#dddddd'\nset logscale xy\nset key left top\n");
    rr_buf_put(&b, rr_buf_text(body), body->n);
    rr_buf_puts(&b, "unset output\n");
    enum rr_status st = rr_outfile_open(script, &o);
    if (st == RR_OK) {
        rr_outfile_put(o, rr_buf_text(&b), b.n);
        st = rr_outfile_finish(o);
        if (st == RR_OK) st = rr_outfile_publish(o);
        rr_outfile_free(o);
    }
    if (st == RR_OK) st = run_gnuplot(script, a);
    unlink(script);
    rr_buf_done(&b);
    return st;
}

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
    rr_buf_puts(&b, "set xlabel 'bytes'\nset ylabel 'microseconds'\nset title \"");
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
    const enum rr_status st = draw(dir, "collectives", &b, a);
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
    rr_buf_puts(&b, "set xlabel 'FLOP a byte'\nset ylabel 'TFLOP/s'\nset xrange [0.1:10000]\nset title \"");
    rr_buf_gnuplot(&b, p->name);
    rr_buf_putf(
        &b, ": roofline (%s)\"\nplot (x * %.9g < %.9g ? x * %.9g : %.9g) with lines lw 2 lc rgb '#1f5fa8' title '%.4g GB/s, %.4g TFLOP/s'",
        measured ? "measured" : "datasheet, not measured", gb_s / 1e3, tflops, gb_s / 1e3, tflops, gb_s, tflops);
    rr_buf_puts(&b, points ? ", $points using 1:2 with points pt 7 ps 0.6 lc rgb '#c2571a' title 'matrix products'\n" : "\n");
    const enum rr_status st = draw(dir, "roofline", &b, a);
    rr_buf_done(&b);
    return st;
}

enum rr_status rr_profile_plots(const struct rr_profile *p, const struct rr_samples *s, const char *dir, struct rr_arena *a)
{
    RR_TRY(rr_make_dirs(dir));
    RR_TRY(draw_collectives(p, s, dir, a));
    return draw_roofline(p, dir, a);
}
