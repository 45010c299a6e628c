/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/calib/regime.c - a curve told in a few lines: alpha + beta x by parts, no more of them than ten per cent asks for.
 *
 * The curve that is used follows the log from break point to break point; steps of protocols and channels make many of these. Here as few straight parts
 * as stay within TOLERANCE of it, by dynamic programming over the measured sizes, alpha and beta at least 0. */
#include "data/base/fmath.h"
#include "models/calib/calib.h"
#include <math.h>

enum { PER_OCTAVE = 4, MOST_POINTS = 400 };
#define TOLERANCE 0.10

struct grid {
    size_t n;
    double *x, *us;
};
struct part {
    double alpha, beta, rss;
};

/* The measured sizes, so that regimes end at one of them; between the ends of the curve alone, evenly, where there are fewer than eight. */
static struct grid grid_of(const struct rr_curve *c, struct rr_arena *a)
{
    const double low = c->knot[0].bytes, high = c->knot[c->n_knots - 1].bytes, span = rr_log(high / low);
    const double want = ceil(span / rr_log(2) * PER_OCTAVE) + 1;
    const size_t even = want < 3 ? 3 : want < MOST_POINTS ? (size_t)want : MOST_POINTS, room = even > c->n_points ? even : c->n_points;
    struct grid g = {.x = RR_NEWS(a, double, room), .us = RR_NEWS(a, double, room)};
    bool outside;
    for (size_t i = 0; i < c->n_points; i++)
        if (c->point[i].bytes >= low && c->point[i].bytes <= high) g.x[g.n++] = c->point[i].bytes;
    if (g.n < 8)
        for (g.n = 0; g.n < even; g.n++) g.x[g.n] = low * rr_exp(span * (double)g.n / (double)(even - 1));
    for (size_t i = 0; i < g.n; i++) g.us[i] = rr_curve_us(c, g.x[i], &outside);
    return g;
}

/* The line of relative least squares over points [from, to), neither part of it below 0. */
static struct part line_of(const struct grid *g, size_t from, size_t to)
{
    double w = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (size_t i = from; i < to; i++) {
        const double one = 1 / (g->us[i] * g->us[i]);
        w += one, x += one * g->x[i], y += one * g->us[i], xx += one * g->x[i] * g->x[i], xy += one * g->x[i] * g->us[i];
    }
    const double d = w * xx - x * x;
    struct part p = {.beta = d > 1e-12 * w * xx ? (w * xy - x * y) / d : 0};
    if (p.beta < 0) p.beta = 0;
    p.alpha = (y - p.beta * x) / w;
    if (p.alpha < 0) p.alpha = 0, p.beta = xy / xx;
    for (size_t i = from; i < to; i++) {
        const double off = (p.alpha + p.beta * g->x[i]) / g->us[i] - 1;
        p.rss += off * off;
    }
    return p;
}

static double worst_of(const struct grid *g, const struct rr_regime *r, size_t from, size_t to)
{
    double worst = 0;
    for (size_t i = from; i < to; i++) worst = fmax(worst, fabs((r->alpha_us + r->beta_us * g->x[i]) / g->us[i] - 1));
    return worst;
}

/* back[k][j]: where the last of k parts begins when they end before point j. Parts share the point between them. */
static void divide(const struct grid *g, struct rr_arena *a, size_t *back[RR_MOST_REGIMES + 1])
{
    double *best[RR_MOST_REGIMES + 1];
    struct part *all = RR_NEWS(a, struct part, g->n * (g->n + 1));
    for (size_t i = 0; i + 1 < g->n; i++)
        for (size_t j = i + 2; j <= g->n; j++) all[i * (g->n + 1) + j] = line_of(g, i, j);
    for (size_t k = 1; k <= RR_MOST_REGIMES; k++) {
        best[k] = RR_NEWS(a, double, g->n + 1), back[k] = RR_NEWS(a, size_t, g->n + 1);
        for (size_t j = 0; j <= g->n; j++) {
            best[k][j] = k == 1 && j > 1 ? all[j].rss : INFINITY;
            for (size_t i = 1; k > 1 && i + 2 <= j; i++) {
                const double cost = best[k - 1][i + 1] + all[i * (g->n + 1) + j].rss;
                if (cost < best[k][j]) best[k][j] = cost, back[k][j] = i;
            }
        }
    }
}

size_t rr_curve_regimes(const struct rr_curve *c, struct rr_regime ret[RR_MOST_REGIMES])
{
    struct rr_arena *scratch = rr_arena_create();
    size_t *back[RR_MOST_REGIMES + 1], n = 0;
    if (c->n_knots < 2) {
        rr_arena_free(scratch);
        return 0;
    }
    const struct grid g = grid_of(c, scratch);
    divide(&g, scratch, back);
    for (bool good = false; n < RR_MOST_REGIMES && n + 1 < g.n && !good;) {
        size_t to = g.n;
        n++, good = true;
        for (size_t k = n; k > 0; k--) {
            const size_t from = k > 1 ? back[k][to] : 0;
            const struct part p = line_of(&g, from, to);
            ret[k - 1] = (struct rr_regime){g.x[from], g.x[to - 1], p.alpha, p.beta, 0};
            ret[k - 1].off_pct = 100 * worst_of(&g, &ret[k - 1], from, to);
            good &= ret[k - 1].off_pct <= 100 * TOLERANCE;
            to = from + 1;
        }
    }
    rr_arena_free(scratch);
    return n;
}
