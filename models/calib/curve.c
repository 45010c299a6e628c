/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/calib/curve.c - regimes found, break points placed, values refitted; what is left out, drawn anew, and how well it predicts. */
#include "data/base/fmath.h"
#include "models/calib/curve.h"
#include <gsl/gsl_multifit_nlinear.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FOLDS = 48, CHOICE_FOLDS = 16, MOST_POINTS = 64 };

struct rule {    /* how regimes are told apart */
    double cost; /* of a further one, in squared relative error */
};
struct regime {
    size_t from, to; /* sizes [from, to) */
    double alpha, beta;
};

static int by_bytes(const void *a, const void *b)
{
    const struct rr_point *x = a, *y = b;
    if (x->bytes != y->bytes) return x->bytes < y->bytes ? -1 : 1;
    return x->line != y->line ? (x->line < y->line ? -1 : 1) : (int)x->in_place - (int)y->in_place;
}

static struct rr_sizes sizes_of(const struct rr_point *p, size_t n, struct rr_arena *a)
{
    struct rr_sizes s = {.x = RR_NEWS(a, double, n + 1), .first = RR_NEWS(a, size_t, n + 1)};
    for (size_t i = 0; i < n; i++)
        if (i == 0 || p[i].bytes != p[i - 1].bytes) s.x[s.n] = p[i].bytes, s.first[s.n++] = i;
    s.first[s.n] = n;
    return s;
}

/* ---- regimes ---- */

struct sums {
    double w, x, y, xx, xy, n;
};

static struct sums sums_less(struct sums a, struct sums b)
{
    return (struct sums){a.w - b.w, a.x - b.x, a.y - b.y, a.xx - b.xx, a.xy - b.xy, a.n - b.n};
}

/* The line of relative least squares, beta >= 0; returns the sum of squared relative residuals. */
static double line_of(struct sums s, size_t sizes, double *alpha, double *beta)
{
    const double d = s.w * s.xx - s.x * s.x;
    *beta = sizes > 1 && d > 1e-12 * s.w * s.xx ? (s.w * s.xy - s.x * s.y) / d : 0;
    if (*beta < 0) *beta = 0;
    *alpha = (s.y - *beta * s.x) / s.w;
    const double rss = s.n - 2 * *alpha * s.y - 2 * *beta * s.xy + *alpha * *alpha * s.w + 2 * *alpha * *beta * s.x + *beta * *beta * s.xx;
    return rss > 0 ? rss : 0;
}

/* Sums up to each size over the points that are no outliers. */
static struct sums *sum_up(const struct rr_point *p, const struct rr_sizes *s, struct rr_arena *a)
{
    struct sums *sum = RR_NEWS(a, struct sums, s->n + 1);
    for (size_t i = 0; i < s->n; i++) {
        sum[i + 1] = sum[i];
        for (size_t k = s->first[i]; k < s->first[i + 1]; k++) {
            if (p[k].outlier) continue;
            const double w = 1 / (p[k].us * p[k].us), x = p[k].bytes;
            sum[i + 1].w += w, sum[i + 1].x += w * x, sum[i + 1].y += w * p[k].us, sum[i + 1].n += 1;
            sum[i + 1].xx += w * x * x, sum[i + 1].xy += w * x * p[k].us;
        }
    }
    return sum;
}

/* Sizes that are not left out and have a time that is no outlier; their sums side by side in sum[1 ..]. */
static size_t kept_sizes(const struct rr_point *p, const struct rr_sizes *s, const bool *left_out, struct rr_arena *a, size_t *keep,
                         struct sums *sum)
{
    const struct sums *whole = sum_up(p, s, a);
    size_t m = 0;
    for (size_t i = 0; i < s->n; i++) {
        const struct sums one = sums_less(whole[i + 1], whole[i]);
        if ((left_out && left_out[i]) || one.n < 0.5) continue;
        keep[m] = i;
        sum[m + 1] =
            (struct sums){sum[m].w + one.w, sum[m].x + one.x, sum[m].y + one.y, sum[m].xx + one.xx, sum[m].xy + one.xy, sum[m].n + one.n};
        m++;
    }
    return m;
}

/* Least cost of sizes [0, n) by dynamic programming. left_out sizes take no part. Returns how many regimes. */
static size_t find_regimes(const struct rr_point *p, const struct rr_sizes *s, const bool *left_out, struct rule rule, struct rr_arena *a,
                           struct regime **ret)
{
    size_t *keep = RR_NEWS(a, size_t, s->n + 1);
    struct sums *sum = RR_NEWS(a, struct sums, s->n + 1);
    const size_t m = kept_sizes(p, s, left_out, a, keep, sum);
    double *best = RR_NEWS(a, double, m + 1);
    struct regime *back = RR_NEWS(a, struct regime, m + 1);
    for (size_t j = 1; j <= m; j++) {
        best[j] = INFINITY;
        for (size_t i = 0; i < j; i++) {
            double alpha, beta;
            const double rss = line_of(sums_less(sum[j], sum[i]), j - i, &alpha, &beta);
            const double cost = best[i] + rss + rule.cost * (j - i > 1 ? 1 : 0.7);
            if (cost < best[j]) best[j] = cost, back[j] = (struct regime){i, j, alpha, beta};
        }
    }
    size_t n = 0;
    for (size_t j = m; j > 0; j = back[j].from) n++;
    *ret = RR_NEWS(a, struct regime, n + 1);
    size_t k = n;
    for (size_t j = m; j > 0; j = back[j].from) {
        (*ret)[--k] = back[j];
        (*ret)[k].from = keep[back[j].from], (*ret)[k].to = keep[back[j].to - 1] + 1;
    }
    return n;
}

/* ---- break points ---- */

static size_t put_knot(struct rr_knot *k, size_t n, double bytes, double us)
{
    if (n > 0 && bytes <= k[n - 1].bytes * (1 + 1e-9)) return n;
    const double least = n > 0 ? k[n - 1].us.value * 0.05 : 1e-6;
    k[n].bytes = bytes, k[n].us.value = us > least ? us : least;
    return n + 1;
}

/* Where the lines of two regimes meet, if that is between their sizes; else 0. One of them must rest on three sizes; both, where the second is the faster one:
 * there a line carried too far lies above the step between the sizes, while a kink that slows down is bounded by it. */
static double meeting(const struct regime *l, const struct regime *r, const struct rr_sizes *s)
{
    const size_t left = l->to - l->from, right = r->to - r->from, fewer = left < right ? left : right, more = left < right ? right : left;
    if (fewer < 2 || more < 3 || l->beta == r->beta || (l->beta > r->beta && fewer < 3)) return 0;
    const double x = (l->alpha - r->alpha) / (r->beta - l->beta);
    return x >= s->x[l->to - 1] && x <= s->x[r->from] ? x : 0;
}

static size_t place_knots(const struct regime *r, size_t n, const struct rr_sizes *s, struct rr_knot *k)
{
    size_t knots = put_knot(k, 0, s->x[r[0].from], r[0].alpha + r[0].beta * s->x[r[0].from]);
    for (size_t i = 1; i < n; i++) {
        const double x = meeting(&r[i - 1], &r[i], s), end = s->x[r[i - 1].to - 1], start = s->x[r[i].from];
        if (x > 0) {
            knots = put_knot(k, knots, x, r[i].alpha + r[i].beta * x);
            continue;
        }
        knots = put_knot(k, knots, end, r[i - 1].alpha + r[i - 1].beta * end);
        knots = put_knot(k, knots, start, r[i].alpha + r[i].beta * start);
    }
    return put_knot(k, knots, s->x[r[n - 1].to - 1], r[n - 1].alpha + r[n - 1].beta * s->x[r[n - 1].to - 1]);
}

/* Neighbours that fall are pooled to their mean in log time, until none falls: a larger message takes no less time. */
static void never_fall(double *us, size_t n, struct rr_arena *a)
{
    double *level = RR_NEWS(a, double, n + 1);
    size_t *size = RR_NEWS(a, size_t, n + 1), blocks = 0;
    for (size_t i = 0; i < n; i++) {
        level[blocks] = rr_log(us[i]), size[blocks++] = 1;
        for (; blocks > 1 && level[blocks - 2] > level[blocks - 1]; blocks--) {
            const double l = (double)size[blocks - 2], r = (double)size[blocks - 1];
            level[blocks - 2] = (l * level[blocks - 2] + r * level[blocks - 1]) / (l + r);
            size[blocks - 2] += size[blocks - 1];
        }
    }
    for (size_t b = 0, at = 0; b < blocks; at += size[b++])
        for (size_t k = at; size[b] > 1 && k < at + size[b]; k++) us[k] = rr_exp(level[b]);
    for (size_t i = 1; i < n; i++) us[i] = fmax(us[i], us[i - 1]); // what rounding left
}

static void knots_never_fall(struct rr_knot *k, size_t n, struct rr_arena *a)
{
    double *us = RR_NEWS(a, double, n + 1);
    for (size_t i = 0; i < n; i++) us[i] = k[i].us.value;
    never_fall(us, n, a);
    for (size_t i = 0; i < n; i++) k[i].us.value = us[i];
}

static struct rr_curve quick_fit(const struct rr_point *p, const struct rr_sizes *s, const bool *left_out, struct rule rule,
                                 struct rr_arena *a)
{
    struct regime *r;
    const size_t n = find_regimes(p, s, left_out, rule, a, &r);
    struct rr_knot *k = RR_NEWS(a, struct rr_knot, 2 * n + 2);
    if (n == 0) return (struct rr_curve){.knot = k}; // everything was left out
    const size_t knots = place_knots(r, n, s, k);
    knots_never_fall(k, knots, a);
    return (struct rr_curve){.n_knots = knots, .knot = k};
}

/* ---- refit: log time at the break points ---- */

struct problem {
    const struct rr_point *p;
    size_t n;            /* points */
    const size_t *seg;   /* [n] break point to the left of each point */
    const double *share; /* [n] how far it is towards the next one */
    size_t knots;
};

static double predict(const struct problem *q, const gsl_vector *v, size_t i, double *left, double *right)
{
    const size_t s = q->seg[i];
    *left = (1 - q->share[i]) * rr_exp(gsl_vector_get(v, s));
    *right = q->share[i] > 0 ? q->share[i] * rr_exp(gsl_vector_get(v, s + 1)) : 0;
    return *left + *right;
}

static int residuals(const gsl_vector *v, void *data, gsl_vector *f)
{
    const struct problem *q = data;
    double l, r;
    for (size_t i = 0; i < q->n; i++) gsl_vector_set(f, i, rr_log(predict(q, v, i, &l, &r)) - rr_log(q->p[i].us));
    return GSL_SUCCESS;
}

static int slopes(const gsl_vector *v, void *data, gsl_matrix *j)
{
    const struct problem *q = data;
    double l, r;
    gsl_matrix_set_zero(j);
    for (size_t i = 0; i < q->n; i++) {
        const double t = predict(q, v, i, &l, &r);
        gsl_matrix_set(j, i, q->seg[i], l / t);
        if (r > 0) gsl_matrix_set(j, i, q->seg[i] + 1, r / t);
    }
    return GSL_SUCCESS;
}

/* Huber's weights from the residuals of the last round; outliers weigh nothing. */
static void weigh(const struct problem *q, const gsl_vector *f, double noise, bool first, gsl_vector *w)
{
    for (size_t i = 0; i < q->n; i++) {
        const double z = first ? 0 : fabs(gsl_vector_get(f, i)) / (2 * noise);
        gsl_vector_set(w, i, q->p[i].outlier ? 1e-12 : z > 1 ? 1 / z : 1);
    }
}

static void refit(const struct rr_point *p, size_t n, struct rr_curve *c, struct rr_knot *knot, double noise, struct rr_arena *a)
{
    size_t *seg = RR_NEWS(a, size_t, n + 1);
    double *share = RR_NEWS(a, double, n + 1);
    if (n < c->n_knots || c->n_knots < 2) return;
    for (size_t i = 0; i < n; i++) {
        while (seg[i] + 2 < c->n_knots && p[i].bytes > knot[seg[i] + 1].bytes) seg[i]++;
        share[i] = (p[i].bytes - knot[seg[i]].bytes) / (knot[seg[i] + 1].bytes - knot[seg[i]].bytes);
    }
    struct problem q = {p, n, seg, share, c->n_knots};
    gsl_multifit_nlinear_fdf fdf = {.f = residuals, .df = slopes, .n = n, .p = c->n_knots, .params = &q};
    gsl_multifit_nlinear_parameters par = gsl_multifit_nlinear_default_parameters();
    par.solver = gsl_multifit_nlinear_solver_cholesky;
    gsl_multifit_nlinear_workspace *w = gsl_multifit_nlinear_alloc(gsl_multifit_nlinear_trust, &par, n, c->n_knots);
    gsl_vector *v = gsl_vector_alloc(c->n_knots), *weight = gsl_vector_alloc(n);
    for (size_t k = 0; k < c->n_knots; k++) gsl_vector_set(v, k, rr_log(knot[k].us.value));
    int info, rc = GSL_SUCCESS;
    for (int round = 0; round < 4 && rc != GSL_EFAILED; round++) {
        weigh(&q, gsl_multifit_nlinear_residual(w), noise, round == 0, weight);
        gsl_multifit_nlinear_winit(v, weight, &fdf, w);
        rc = gsl_multifit_nlinear_driver(30, 1e-10, 1e-10, 0, NULL, NULL, &info, w);
        gsl_vector_memcpy(v, gsl_multifit_nlinear_position(w));
        residuals(v, &q, gsl_multifit_nlinear_residual(w)); // unweighted, for the next round
    }
    for (size_t k = 0; k < c->n_knots; k++)
        if (isfinite(gsl_vector_get(v, k))) knot[k].us.value = rr_exp(gsl_vector_get(v, k));
    gsl_vector_free(v), gsl_vector_free(weight);
    gsl_multifit_nlinear_free(w);
    knots_never_fall(knot, c->n_knots, a);
}

/* ---- how well it predicts, and how far it may be off ---- */

/* |log(predicted / measured)| of each time that is no outlier, its size left out, in miss[]; returns how many. */
static size_t leave_out(const struct rr_point *p, const struct rr_sizes *s, struct rule rule, size_t most, double *miss)
{
    const size_t folds = s->n < most ? s->n : most;
    size_t n = 0;
    for (size_t f = 0; f < folds && s->n > 2; f++) {
        struct rr_arena *a = rr_arena_create();
        bool *out = RR_NEWS(a, bool, s->n + 1), outside;
        for (size_t i = f; i < s->n; i += folds) out[i] = true;
        const struct rr_curve without = quick_fit(p, s, out, rule, a);
        for (size_t i = f; i < s->n && without.n_knots > 0; i += folds)
            for (size_t k = s->first[i]; k < s->first[i + 1]; k++)
                if (!p[k].outlier) miss[n++] = fabs(rr_log(rr_curve_us(&without, p[k].bytes, &outside) / p[k].us));
        rr_arena_free(a);
    }
    return n;
}

static void judge(const struct rr_point *p, const struct rr_sizes *s, struct rule rule, struct rr_curve *c)
{
    struct rr_arena *scratch = rr_arena_create();
    double *miss = RR_NEWS(scratch, double, s->first[s->n] + 1);
    const size_t n = leave_out(p, s, rule, FOLDS, miss);
    c->band_pct = 100 * rr_quantile_of(miss, n, 0.9);
    c->loo_median_pct = 100 * rr_quantile_of(miss, n, 0.5);
    c->loo_worst_pct = n ? 100 * miss[n - 1] : 0;
    rr_arena_free(scratch);
}

/* The price of a regime that this log itself wants: the highest one, unless a lower one predicts sizes that are left out better by a twentieth, in the sum
 * of their errors. */
static struct rule choose(const struct rr_point *p, const struct rr_sizes *s, double noise)
{
    static const double price[] = {12, 6, 3, 1.5};
    struct rr_arena *scratch = rr_arena_create();
    double *miss = RR_NEWS(scratch, double, s->first[s->n] + 1), least = INFINITY;
    struct rule best = {price[0] * noise * noise};
    for (size_t i = 0; i < sizeof price / sizeof *price; i++) {
        const struct rule r = {price[i] * noise * noise};
        const size_t n = leave_out(p, s, r, CHOICE_FOLDS, miss);
        double sum = 0;
        for (size_t k = 0; k < n; k++) sum += miss[k];
        if (sum < least * 0.95) least = sum, best = r;
    }
    rr_arena_free(scratch);
    return best;
}

static double slope_of(const struct rr_curve *c)
{
    if (c->n_knots < 2) return c->knot[0].us.value / c->knot[0].bytes;
    const struct rr_knot *k = &c->knot[c->n_knots - 2];
    return k[1].us.value > k[0].us.value ? (k[1].us.value - k[0].us.value) / (k[1].bytes - k[0].bytes) : k[1].us.value / k[1].bytes;
}

/* Of a message without bytes: alpha of the first regime; 0 where that is less than half of the time of the smallest size, which then says little of it. */
static double latency_of(const struct rr_curve *c)
{
    struct rr_regime r[RR_MOST_REGIMES];
    return rr_curve_regimes(c, r) > 0 && r[0].alpha_us >= 0.5 * c->knot[0].us.value ? r[0].alpha_us : 0;
}

/* Smallest size that reaches half of the last regime's rate. */
static double half_size(const struct rr_curve *c)
{
    const double slope = slope_of(c);
    double low = rr_log(c->knot[0].bytes) - 3, high = rr_log(c->knot[c->n_knots - 1].bytes) + 7;
    bool outside;
    if (!(slope > 0)) return 0;
    for (int i = 0; i < 60; i++) {
        const double mid = (low + high) / 2, x = rr_exp(mid);
        if (rr_curve_us(c, x, &outside) > 2 * slope * x)
            low = mid;
        else
            high = mid;
    }
    return rr_exp(high);
}

/* The time of the largest size. */
static double last_us(const struct rr_curve *c)
{
    bool outside;
    return rr_curve_us(c, c->point[c->n_points - 1].bytes, &outside);
}

static void spread(double *v, size_t n, struct rr_value *ret)
{
    ret->p05 = ret->p95 = ret->value;
    if (n < 5) return;
    ret->p05 = fmin(rr_quantile_of(v, n, 0.05), ret->value);
    ret->p95 = fmax(rr_quantile_of(v, n, 0.95), ret->value);
}

/* Residual bootstrap: the curve with residuals drawn anew, regimes found again each time. */
static void bootstrap(const struct rr_point *p, const struct rr_sizes *s, const struct rr_fit_options *o, struct rule rule,
                      struct rr_arena *a, struct rr_curve *c, struct rr_knot *knot)
{
    const size_t n = s->first[s->n], draws = s->n > 1 ? o->draws : 0;
    double *res = RR_NEWS(a, double, n + 1), *at = RR_NEWS(a, double, draws * c->n_knots + 1), *v = RR_NEWS(a, double, 3 * draws + 1);
    struct rr_rng rng;
    size_t good = 0, used = 0, told = 0;
    bool outside;
    rr_rng_init(&rng, o->seed, 0, RR_RNG_RESAMPLE, n);
    for (size_t i = 0; i < n; i++)
        if (!p[i].outlier) res[good++] = rr_log(p[i].us / rr_curve_us(c, p[i].bytes, &outside));
    const double wider = good > c->n_knots + 1 ? sqrt((double)good / (double)(good - c->n_knots)) : 1;
    for (size_t d = 0; d < draws && good > 2; d++, used++) {
        struct rr_arena *scratch = rr_arena_create();
        struct rr_point *q = RR_NEWS(scratch, struct rr_point, n + 1);
        for (size_t i = 0; i < n; i++) {
            q[i] = p[i];
            q[i].us = rr_curve_us(c, p[i].bytes, &outside) * rr_exp(wider * res[rr_rng_below(&rng, good)]);
        }
        struct rr_curve again = quick_fit(q, s, NULL, rule, scratch);
        again.point = c->point, again.n_points = c->n_points;
        for (size_t k = 0; k < c->n_knots; k++) at[d * c->n_knots + k] = rr_curve_us(&again, knot[k].bytes, &outside);
        never_fall(at + d * c->n_knots, c->n_knots, scratch);
        v[d] = c->bus_gb_s.value * last_us(c) / last_us(&again);
        v[draws + d] = half_size(&again);
        const double latency = c->latency_us.value > 0 ? latency_of(&again) : 0;
        if (latency > 0) v[2 * draws + told++] = latency;
        rr_arena_free(scratch);
    }
    c->draw = at, c->n_draws = used;
    double *column = RR_NEWS(a, double, used + 1);
    for (size_t k = 0; k < c->n_knots; k++) {
        for (size_t d = 0; d < used; d++) column[d] = at[d * c->n_knots + k];
        spread(column, used, &knot[k].us);
    }
    spread(v, used, &c->bus_gb_s);
    spread(v + draws, used, &c->half_bytes);
    spread(v + 2 * draws, told, &c->latency_us);
}

/* The bar of the bandwidth holds what was measured at the largest size, too. */
static void cover_measured(struct rr_curve *c, double factor)
{
    const struct rr_measured *last = &c->point[c->n_points - 1];
    const double measured = factor * last->bytes / last->us / 1e3;
    c->bus_gb_s.p05 = fmin(c->bus_gb_s.p05, measured);
    c->bus_gb_s.p95 = fmax(c->bus_gb_s.p95, measured);
}

/* A log in which the times of one size differ by more than a tenth, in the median, is noisier than the 2 % that regimes are told apart by. */
static double noise_of(const struct rr_point *p, const struct rr_sizes *s, double noise, struct rr_arena *a)
{
    double *range = RR_NEWS(a, double, s->n + 1);
    size_t n = 0;
    for (size_t i = 0; i < s->n; i++) {
        double low = INFINITY, high = 0;
        for (size_t k = s->first[i]; k < s->first[i + 1]; k++) low = fmin(low, p[k].us), high = fmax(high, p[k].us);
        if (s->first[i + 1] - s->first[i] > 1) range[n++] = rr_log(high / low);
    }
    const double usual = n > 3 ? rr_quantile_of(range, n, 0.5) : 0;
    return usual > 0.1 && usual > noise ? usual : noise;
}

/* Which sizes to keep: all, or of more than 64 the first and the last and those next to even steps of the logarithm; returns how many. */
static size_t pick_sizes(const struct rr_sizes *s, size_t pick[MOST_POINTS])
{
    const double low = s->x[0], span = rr_log(s->x[s->n - 1] / low);
    size_t n = 0, next = 0;
    for (size_t i = 0; i < MOST_POINTS && next < s->n; i++) {
        const double at = low * rr_exp(span * (double)i / (MOST_POINTS - 1)) * (1 - 1e-9);
        if (s->n > MOST_POINTS)
            while (next + 1 < s->n && s->x[next] < at) next++;
        pick[n++] = next++;
    }
    return n;
}

/* The median of each size that is kept; outliers count, since they were measured. */
static void keep_points(const struct rr_point *p, const struct rr_sizes *s, struct rr_arena *a, struct rr_curve *c)
{
    size_t pick[MOST_POINTS];
    const size_t n = pick_sizes(s, pick);
    struct rr_measured *at = RR_NEWS(a, struct rr_measured, n + 1);
    double *us = RR_NEWS(a, double, s->first[s->n] + 1);
    for (size_t i = 0; i < n; i++) {
        const size_t k = pick[i], many = s->first[k + 1] - s->first[k];
        for (size_t q = 0; q < many; q++) us[q] = p[s->first[k] + q].us;
        at[i] = (struct rr_measured){s->x[k], rr_quantile_of(us, many, 0.5)};
    }
    c->point = at, c->n_points = n;
}

void rr_curve_fit(struct rr_point *point, size_t n, double factor, const struct rr_fit_options *given, struct rr_arena *a,
                  struct rr_curve *ret)
{
    struct rr_fit_options own = *given;
    const struct rr_fit_options *opt = &own;
    qsort(point, n, sizeof *point, by_bytes);
    const struct rr_sizes s = sizes_of(point, n, a);
    own.noise = noise_of(point, &s, own.noise > 0 ? own.noise : 0.02, a);
    rr_curve_outliers(point, &s, opt, a);
    const struct rule rule = opt->penalty > 0 ? (struct rule){opt->penalty * opt->noise * opt->noise} : choose(point, &s, opt->noise);
    struct rr_curve c = quick_fit(point, &s, NULL, rule, a);
    struct rr_knot *knot = RR_NEWS(a, struct rr_knot, c.n_knots + 1);
    memcpy(knot, c.knot, c.n_knots * sizeof *knot);
    refit(point, n, &c, knot, opt->noise, a);
    c.knot = knot;
    for (size_t k = 0; k < c.n_knots; k++) knot[k].us.p05 = knot[k].us.p95 = knot[k].us.value;
    c.op = c.algorithm = c.protocol = c.source = "";
    c.rows = s.n, c.samples = n, c.measured = true;
    c.half_bytes.value = c.half_bytes.p05 = c.half_bytes.p95 = half_size(&c);
    keep_points(point, &s, a, &c);
    c.bus_gb_s.value = c.bus_gb_s.p05 = c.bus_gb_s.p95 = factor * s.x[s.n - 1] / last_us(&c) / 1e3;
    c.latency_us.value = c.latency_us.p05 = c.latency_us.p95 = latency_of(&c);
    if (opt->loo) judge(point, &s, rule, &c);
    if (opt->draws) bootstrap(point, &s, opt, rule, a, &c, knot), cover_measured(&c, factor);
    struct rr_outlier *out = RR_NEWS(a, struct rr_outlier, n + 1);
    for (size_t i = 0; i < n; i++)
        if (point[i].outlier) out[c.n_outliers++] = (struct rr_outlier){point[i].bytes, point[i].us, point[i].in_place, point[i].line};
    c.outlier = out;
    *ret = c;
}

double rr_curve_band(const struct rr_curve *c) { return c->band_pct / 100; }
