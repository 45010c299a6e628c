/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/calib/gemm.c - matrix products: a roofline with an overhead and a depth, and what is left over carried between shapes. */
#include "data/base/fmath.h"
#include "models/calib/curve.h"
#include <gsl/gsl_multifit_nlinear.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RATE, OVERHEAD, BANDWIDTH, DEPTH, PARAMS, FOLDS = 24 };

struct problem {
    const struct rr_gemm_sample *s;
    const bool *out; /* [n] left out; may be NULL */
    size_t n;
    double bytes;
};

/* us of the roofline; v in TFLOP/s, us, GB/s, elements. */
static double roofline(const double v[PARAMS], double m, double n, double k, double bytes)
{
    const double compute = 2 * m * n * (k + v[DEPTH]) / v[RATE] / 1e6;
    const double memory = (m * k + k * n + m * n) * bytes / v[BANDWIDTH] / 1e3;
    return v[OVERHEAD] + (compute > memory ? compute : memory);
}

static int residuals(const gsl_vector *x, void *data, gsl_vector *f)
{
    const struct problem *q = data;
    double v[PARAMS];
    for (int i = 0; i < PARAMS; i++) v[i] = rr_exp(gsl_vector_get(x, (size_t)i));
    for (size_t i = 0; i < q->n; i++) {
        const struct rr_gemm_sample *s = &q->s[i];
        gsl_vector_set(f, i, rr_log(roofline(v, s->m, s->n, s->k, q->bytes) / s->us));
    }
    return GSL_SUCCESS;
}

static void start_values(const struct problem *q, gsl_vector *x)
{
    double rate = 1e-3, least = INFINITY, bandwidth = 1e-3;
    for (size_t i = 0; i < q->n; i++) {
        const struct rr_gemm_sample *s = &q->s[i];
        if (q->out && q->out[i]) continue;
        rate = fmax(rate, 2 * s->m * s->n * s->k / s->us / 1e6);
        bandwidth = fmax(bandwidth, (s->m * s->k + s->k * s->n + s->m * s->n) * q->bytes / s->us / 1e3);
        least = fmin(least, s->us);
    }
    gsl_vector_set(x, RATE, rr_log(rate)), gsl_vector_set(x, OVERHEAD, rr_log(least / 2));
    gsl_vector_set(x, BANDWIDTH, rr_log(bandwidth)), gsl_vector_set(x, DEPTH, rr_log(64));
}

/* Robust: Huber's weights at twice the median residual, four rounds. False when the shapes are too few. */
static bool solve(const struct problem *q, double v[PARAMS])
{
    size_t used = 0;
    for (size_t i = 0; i < q->n; i++) used += !q->out || !q->out[i];
    gsl_vector *x = gsl_vector_alloc(PARAMS), *w = gsl_vector_alloc(q->n), *f = gsl_vector_alloc(q->n);
    start_values(q, x);
    double *size = rr_xrealloc(NULL, q->n, sizeof *size);
    gsl_multifit_nlinear_fdf fdf = {.f = residuals, .n = q->n, .p = PARAMS, .params = (void *)(uintptr_t)q};
    gsl_multifit_nlinear_parameters par = gsl_multifit_nlinear_default_parameters();
    gsl_multifit_nlinear_workspace *ws = used > PARAMS ? gsl_multifit_nlinear_alloc(gsl_multifit_nlinear_trust, &par, q->n, PARAMS) : NULL;
    for (int round = 0, info; round < 4 && ws; round++) {
        size_t n = 0;
        residuals(x, (void *)(uintptr_t)q, f);
        for (size_t i = 0; i < q->n; i++)
            if (!q->out || !q->out[i]) size[n++] = fabs(gsl_vector_get(f, i));
        const double knee = 2 * fmax(rr_quantile_of(size, n, 0.5), 1e-3);
        for (size_t i = 0; i < q->n; i++) {
            const double z = fabs(gsl_vector_get(f, i)) / knee;
            gsl_vector_set(w, i, q->out && q->out[i] ? 1e-12 : round > 0 && z > 1 ? 1 / z : 1);
        }
        gsl_multifit_nlinear_winit(x, w, &fdf, ws);
        gsl_multifit_nlinear_driver(100, 1e-9, 1e-9, 0, NULL, NULL, &info, ws);
        gsl_vector_memcpy(x, gsl_multifit_nlinear_position(ws));
    }
    for (int i = 0; i < PARAMS; i++) {
        const double y = gsl_vector_get(x, (size_t)i);
        v[i] = isfinite(y) && fabs(y) < 60 ? rr_exp(y) : i == DEPTH ? 1 : 1e-3;
    }
    if (ws) gsl_multifit_nlinear_free(ws);
    gsl_vector_free(x), gsl_vector_free(w), gsl_vector_free(f);
    free(size);
    return used > PARAMS;
}

/* log(measured / roofline) at a shape, from the measured shapes by inverse squared distance. */
static double left_over(const double v[PARAMS], const struct rr_gemm_sample *s, const bool *out, size_t n, double bytes, double m,
                        double nn, double k)
{
    double sum = 0, weight = 0;
    for (size_t i = 0; i < n; i++) {
        if (out && out[i]) continue;
        const double dm = rr_log(s[i].m / m), dn = rr_log(s[i].n / nn), dk = rr_log(s[i].k / k), d = dm * dm + dn * dn + dk * dk;
        const double w = 1 / (d * d + 1e-9);
        sum += w * rr_log(s[i].us / roofline(v, s[i].m, s[i].n, s[i].k, bytes));
        weight += w;
    }
    return weight > 0 ? sum / weight : 0;
}

double rr_gemm_us(const struct rr_gemm *g, double m, double n, double k, double bytes, bool *outside)
{
    const double v[PARAMS] = {g->rate_tflops.value, g->overhead_us.value, g->gb_s.value, g->depth.value};
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {0, 0, 0};
    struct rr_gemm_sample *s = rr_xrealloc(NULL, g->n_points + 1, sizeof *s);
    for (size_t i = 0; i < g->n_points; i++) {
        const struct rr_gemm_point *p = &g->point[i];
        s[i] = (struct rr_gemm_sample){p->m, p->n, p->k, p->us.value};
        const double at[3] = {p->m, p->n, p->k};
        for (int d = 0; d < 3; d++) low[d] = fmin(low[d], at[d]), high[d] = fmax(high[d], at[d]);
    }
    *outside = m < low[0] || m > high[0] || n < low[1] || n > high[1] || k < low[2] || k > high[2];
    const double us = roofline(v, m, n, k, bytes) * rr_exp(left_over(v, s, NULL, g->n_points, bytes, m, n, k));
    free(s);
    return us;
}

static void leave_out(const struct problem *whole, struct rr_gemm *g)
{
    const size_t folds = whole->n < FOLDS ? whole->n : FOLDS;
    bool *out = rr_xrealloc(NULL, whole->n, sizeof *out);
    double *miss = rr_xrealloc(NULL, whole->n, sizeof *miss), v[PARAMS];
    size_t n = 0;
    for (size_t f = 0; f < folds; f++) {
        for (size_t i = 0; i < whole->n; i++) out[i] = i % folds == f;
        const struct problem q = {whole->s, out, whole->n, whole->bytes};
        if (!solve(&q, v)) continue;
        for (size_t i = f; i < whole->n; i += folds) {
            const struct rr_gemm_sample *s = &whole->s[i];
            const double rest = left_over(v, whole->s, out, whole->n, whole->bytes, s->m, s->n, s->k);
            miss[n++] = fabs(rr_log(roofline(v, s->m, s->n, s->k, whole->bytes) * rr_exp(rest) / s->us));
        }
    }
    g->spread_pct = 100 * rr_quantile_of(miss, n, 0.9);
    g->loo_median_pct = 100 * rr_quantile_of(miss, n, 0.5);
    g->loo_worst_pct = n ? 100 * miss[n - 1] : 0;
    free(out), free(miss);
}

/* Shapes drawn with replacement. */
static void bootstrap(const struct problem *whole, const struct rr_fit_options *o, double *const value[PARAMS], struct rr_value *to[PARAMS])
{
    struct rr_gemm_sample *s = rr_xrealloc(NULL, whole->n + 1, sizeof *s);
    double v[PARAMS];
    size_t n = 0;
    struct rr_rng rng;
    rr_rng_init(&rng, o->seed, 0, RR_RNG_RESAMPLE, whole->n);
    for (size_t d = 0; d < o->draws; d++) {
        for (size_t i = 0; i < whole->n; i++) s[i] = whole->s[rr_rng_below(&rng, whole->n)];
        const struct problem q = {s, NULL, whole->n, whole->bytes};
        if (!solve(&q, v)) break;
        for (int i = 0; i < PARAMS; i++) value[i][n] = v[i];
        n++;
    }
    for (int i = 0; i < PARAMS && n >= 5; i++) {
        to[i]->p05 = fmin(rr_quantile_of(value[i], n, 0.05), to[i]->value);
        to[i]->p95 = fmax(rr_quantile_of(value[i], n, 0.95), to[i]->value);
    }
    free(s);
}

void rr_gemm_fit(const struct rr_gemm_sample *s, size_t n, double bytes, const struct rr_fit_options *opt, struct rr_arena *a,
                 struct rr_gemm *ret)
{
    const struct problem q = {s, NULL, n, bytes};
    struct rr_gemm g = {.type = "", .source = "", .n_points = n, .measured = true};
    struct rr_value *to[PARAMS] = {&g.rate_tflops, &g.overhead_us, &g.gb_s, &g.depth};
    struct rr_gemm_point *p = RR_NEWS(a, struct rr_gemm_point, n + 1);
    double v[PARAMS], *value[PARAMS], peak = 0;
    solve(&q, v);
    for (int i = 0; i < PARAMS; i++) {
        *to[i] = (struct rr_value){v[i], v[i], v[i]};
        value[i] = RR_NEWS(a, double, opt->draws + 1);
    }
    for (size_t i = 0; i < n; i++) {
        p[i] = (struct rr_gemm_point){s[i].m, s[i].n, s[i].k, {s[i].us, s[i].us, s[i].us}};
        peak = fmax(peak, 2 * s[i].m * s[i].n * s[i].k / s[i].us / 1e6);
    }
    g.peak_tflops = (struct rr_value){peak, peak, peak};
    g.point = p;
    if (opt->loo) leave_out(&q, &g);
    if (opt->draws) bootstrap(&q, opt, value, to);
    *ret = g;
}
