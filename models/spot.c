/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/spot.c - prices, capacity and reclaims of a spot market as they come. */
#include "models/spot.h"
#include "data/base/fmath.h"
#include <assert.h>
#include <math.h>

/* Streams of one pool: its 32 bits, then what for. */
enum { STREAM_PRICE, STREAM_HITS, STREAM_PICK };

uint32_t rr_spot_stream(const char *pool_name)
{
    uint32_t h = UINT32_C(0x811c9dc5); // FNV-1a
    for (const char *c = pool_name; *c; c++) h = (h ^ (unsigned char)*c) * UINT32_C(0x01000193);
    return h;
}

static void stream_init(struct rr_rng *rng, const struct rr_spot_terms *t, uint64_t seed, uint32_t replication, uint64_t what)
{
    rr_rng_init(rng, seed, replication, RR_RNG_SPOT, (uint64_t)t->stream << 16 | (what & 0xffff));
}

/* ---- a series, moved and repeated ---- */

/* The change after (base, i) of a series, in the scenario's time; false at its end. */
static bool series_next(const struct rr_spot_series *s, int64_t from_us, bool repeat, bool *begun, int64_t *base_us, size_t *i,
                        int64_t *at_us, int64_t *value)
{
    if (!*begun) { // the value at time 0
        int64_t t = from_us;
        *begun = true;
        *base_us = -from_us;
        if (repeat && s->end_us > 0 && t >= s->end_us) {
            *base_us += t / s->end_us * s->end_us;
            t %= s->end_us;
        }
        for (*i = 0; *i < s->n && s->at_us[*i] <= t; ++*i) continue;
        *at_us = 0;
        *value = s->value[*i > 0 ? *i - 1 : 0];
        if (*i == 0) *i = 1; // before the series: its first value holds until its second
        return true;
    }
    if (*i == s->n) {
        if (!repeat || s->end_us <= 0 || *base_us > RR_NEVER / 2) return false;
        *base_us += s->end_us;
        *i = 0;
    }
    *at_us = *base_us + s->at_us[*i];
    *value = s->value[(*i)++];
    return true;
}

/* ---- prices ---- */

void rr_spot_prices_init(struct rr_spot_prices *p, const struct rr_spot_terms *t, uint64_t seed, uint32_t replication)
{
    *p = (struct rr_spot_prices){.terms = t};
    if (t->price == RR_PRICE_OU) stream_init(&p->rng, t, seed, replication, STREAM_PRICE);
}

static int64_t ou_price(const struct rr_spot_ou *o, double x)
{
    const double v = rr_exp(x);
    if (v >= (double)o->most_nano) return o->most_nano;
    return v <= (double)o->least_nano ? o->least_nano : (int64_t)(v + 0.5);
}

static bool ou_next(struct rr_spot_prices *p, int64_t *at_us, int64_t *nano)
{
    const struct rr_spot_ou *o = &p->terms->ou;
    const double z = rr_rng_normal(&p->rng);
    if (!p->begun)
        p->x = o->log_mean + o->log_sd * z;
    else
        p->x = o->log_mean + o->keep * (p->x - o->log_mean) + o->log_sd * sqrt(1 - o->keep * o->keep) * z;
    if (p->begun && p->at_us > RR_NEVER - o->step_us) return false;
    p->at_us = p->begun ? p->at_us + o->step_us : 0;
    p->begun = true;
    *at_us = p->at_us;
    *nano = ou_price(o, p->x);
    return true;
}

bool rr_spot_prices_next(struct rr_spot_prices *p, int64_t *at_us, int64_t *nano)
{
    const struct rr_spot_terms *t = p->terms;
    if (t->price == RR_PRICE_OU) return ou_next(p, at_us, nano);
    if (t->price == RR_PRICE_SERIES)
        return series_next(&t->prices, t->prices_from_us, t->prices_repeat, &p->begun, &p->base_us, &p->i, at_us, nano);
    if (p->begun) return false;
    p->begun = true;
    *at_us = 0;
    *nano = t->nano;
    return true;
}

/* ---- capacity ---- */

void rr_spot_nodes_init(struct rr_spot_nodes *n, const struct rr_spot_terms *t) { *n = (struct rr_spot_nodes){.terms = t}; }

bool rr_spot_nodes_next(struct rr_spot_nodes *n, int64_t *at_us, int64_t *nodes)
{
    const struct rr_spot_terms *t = n->terms;
    assert(t->availability == RR_NODES_SERIES);
    return series_next(&t->nodes, t->nodes_from_us, t->nodes_repeat, &n->begun, &n->base_us, &n->i, at_us, nodes);
}

/* ---- hits ---- */

double rr_spot_hazard(double monthly_share) { return -rr_log1p(-monthly_share) / (double)RR_SPOT_MONTH_US; }

double rr_spot_batch_cut(double mean, int64_t n)
{
    // sum over k = 1 .. n of P(B >= k) = (1 - (1 - 1/mean)^n) mean
    return mean <= 1 ? 1 : mean * (1 - rr_pow(1 - 1 / mean, (double)n));
}

void rr_spot_hits_init(struct rr_spot_hits *h, const struct rr_spot_terms *t, uint64_t seed, uint32_t replication)
{
    *h = (struct rr_spot_hits){.terms = t};
    stream_init(&h->rng, t, seed, replication, STREAM_HITS);
    h->mean_us = t->hazard_per_us > 0 && t->pool_nodes > 0
                     ? rr_spot_batch_cut(t->batch, t->pool_nodes) / (t->hazard_per_us * (double)t->pool_nodes)
                     : 0;
}

static int64_t geometric(struct rr_rng *rng, double mean, int64_t most)
{
    const double u = rr_rng_uniform(rng);
    if (mean <= 1) return 1;
    const double k = floor(rr_log(u) / rr_log1p(-1 / mean)) + 1;
    return k >= (double)most ? most : (int64_t)k;
}

bool rr_spot_hits_next(struct rr_spot_hits *h, struct rr_spot_hit *ret)
{
    const struct rr_spot_terms *t = h->terms;
    if (!(h->mean_us > 0)) return false;
    const double gap = h->mean_us * rr_rng_exponential(&h->rng) + 0.5;
    if (gap > 4e18 || h->at_us > INT64_MAX / 4) return false;
    h->at_us += (int64_t)gap;
    const double back = rr_dist_draw(&t->back_us, &h->rng);
    *ret = (struct rr_spot_hit){.at_us = h->at_us,
                                .first = (int64_t)rr_rng_below(&h->rng, (uint64_t)t->pool_nodes),
                                .count = geometric(&h->rng, t->batch, t->pool_nodes),
                                .back_us = back < 0      ? 0
                                           : back > 1e18 ? (int64_t)1e18
                                                         : (int64_t)back};
    return true;
}

void rr_spot_pick_init(struct rr_rng *rng, const struct rr_spot_terms *t, uint64_t seed, uint32_t replication, uint64_t event)
{
    stream_init(rng, t, seed, replication, STREAM_PICK + event % (0xffff - STREAM_PICK));
}

/* ---- fit ---- */

struct sums { // of pairs (x, y) of neighbours
    double n, x, y, xx, xy, yy;
};

static enum rr_status no_fit(const struct rr_spot_series *s, const char *why)
{
    return rr_fail(RR_EINPUT, "%s: no model can be fitted: %s; give \"mean\", \"sd\" and \"half_life\" yourself", s->path, why);
}

/* Least squares y = a + f x: mean a / (1 - f), variance of the rest / (1 - f^2). */
static enum rr_status solve(const struct rr_spot_series *s, const struct sums *q, struct rr_spot_ou *o)
{
    const double sxx = q->xx - q->x * q->x / q->n, sxy = q->xy - q->x * q->y / q->n, syy = q->yy - q->y * q->y / q->n;
    if (!(sxx > 0)) return no_fit(s, "the price does not change");
    const double f = sxy / sxx;
    if (!(f > 0) || f >= 1) return no_fit(s, f >= 1 ? "the price does not return to a mean" : "the price jumps at every step");
    double rest = (syy - f * sxy) / (q->n - 2);
    if (rest < 0) rest = 0;
    o->keep = f;
    o->log_mean = (q->y / q->n - f * q->x / q->n) / (1 - f);
    o->log_sd = sqrt(rest / (1 - f * f));
    return RR_OK;
}

enum rr_status rr_spot_ou_fit(const struct rr_spot_series *s, int64_t step_us, struct rr_spot_ou *ret)
{
    struct rr_spot_ou o = {.step_us = step_us, .least_nano = s->value[0], .most_nano = s->value[0]};
    assert(s->of == RR_SPOT_PRICES && step_us > 0);
    if (s->n < 8) return no_fit(s, "fewer than 8 price changes");
    if (s->end_us / step_us > 50000000) return no_fit(s, "more than 50,000,000 steps");
    for (size_t i = 1; i < s->n; i++) {
        if (s->value[i] < o.least_nano) o.least_nano = s->value[i];
        if (s->value[i] > o.most_nano) o.most_nano = s->value[i];
    }
    const double centre = rr_log((double)s->value[0]); // numbers near 0: sums of squares keep their digits
    struct sums q = {0};
    size_t k = 0;
    double x = 0; // at time 0
    for (int64_t t = step_us; t <= s->end_us; t += step_us) {
        while (k + 1 < s->n && s->at_us[k + 1] <= t) k++;
        const double y = rr_log((double)s->value[k]) - centre;
        q = (struct sums){q.n + 1, q.x + x, q.y + y, q.xx + x * x, q.xy + x * y, q.yy + y * y};
        x = y;
    }
    if (q.n < 8) return no_fit(s, "fewer than 8 steps");
    RR_TRY(solve(s, &q, &o));
    o.log_mean += centre;
    *ret = o;
    return RR_OK;
}
