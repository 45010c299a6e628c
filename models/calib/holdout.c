/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/calib/holdout.c - how well a curve from every other size predicts the sizes between.
 *
 * What it need not answer for is named by rr_curve_flag from the times that the fit saw and from the repeats of the size itself, never from the prediction. */
#include "data/base/fmath.h"
#include "models/calib/curve.h"
#include <math.h>
#include <stdlib.h>

static int by_bytes(const void *a, const void *b)
{
    const struct rr_point *x = a, *y = b;
    if (x->bytes != y->bytes) return x->bytes < y->bytes ? -1 : 1;
    return x->line != y->line ? (x->line < y->line ? -1 : 1) : (int)x->in_place - (int)y->in_place;
}

static void compare(const struct rr_curve *c, struct rr_point *rest, size_t n, struct rr_arena *a, struct rr_held_out *h)
{
    double *off = RR_NEWS(a, double, n + 1);
    h->miss_pct = RR_NEWS(a, double, n + 1);
    for (size_t k = 0; k < n; k++) {
        bool outside;
        const double ratio = rr_curve_us(c, rest[k].bytes, &outside) / rest[k].us;
        if (outside) continue;
        off[k] = ratio;
        h->times++, h->inside += fabs(rr_log(ratio)) <= rr_curve_band(c);
        if (rest[k].outlier)
            h->flagged++;
        else
            h->miss_pct[h->judged++] = 100 * fabs(ratio - 1);
    }
    h->median_pct = rr_quantile_of(h->miss_pct, h->judged, 0.5); // sorts
    h->worst_pct = h->judged ? h->miss_pct[h->judged - 1] : 0;
    h->knots = c->n_knots, h->band_pct = c->band_pct;
    h->rest = rest, h->off = off, h->n_rest = n;
}

void rr_curve_hold_out(struct rr_point *p, size_t n, double factor, const struct rr_fit_options *given, bool turned, struct rr_arena *a,
                       struct rr_held_out *ret)
{
    struct rr_point *seen = RR_NEWS(a, struct rr_point, n + 1), *rest = RR_NEWS(a, struct rr_point, n + 1);
    struct rr_fit_options opt = *given;
    struct rr_held_out h = {0};
    struct rr_curve c;
    size_t n_seen = 0, n_rest = 0;
    qsort(p, n, sizeof *p, by_bytes);
    for (size_t k = 0; k < n; k++) {
        h.sizes += k == 0 || p[k].bytes != p[k - 1].bytes;
        if (h.sizes % 2 == (turned ? 0 : 1))
            seen[n_seen++] = p[k];
        else
            rest[n_rest++] = p[k];
    }
    if (h.sizes >= 3 && n_seen > 0) {
        opt.loo = true, opt.draws = 0;
        rr_curve_fit(seen, n_seen, factor, &opt, a, &c);
        rr_curve_flag(seen, n_seen, rest, n_rest);
        compare(&c, rest, n_rest, a, &h);
    }
    *ret = h;
}
