/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/uncertain.c - quantiles, the copula, and a variant with sampled values. */
#include "data/uncertain.h"
#include "data/base/fmath.h"
#include "data/scenario_rows.h"
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- normal numbers and quantiles ---- */

// Phi(-x) for x >= 0.
static double upper_tail(double x)
{
    static const double over[] = {3.52624965998911e-02, 0.700383064443688, 6.37396220353165, 33.912866078383,
                                  112.079291497871,     221.213596169931,  220.206867912376};
    static const double under[] = {8.83883476483184e-02, 1.75566716318264, 16.064177579207,  86.7807322029461,
                                   296.564248779674,     637.333633378831, 793.826512519948, 440.413735824752};
    if (x > 37) return 0;
    const double e = rr_exp(-0.5 * x * x);
    if (x >= 7.07106781186547) { // a continued fraction
        double f = x + 0.65;
        for (int k = 4; k >= 1; k--) f = x + k / f;
        return e / f / 2.506628274631;
    }
    double a = over[0], b = under[0];
    for (int i = 1; i < 7; i++) a = a * x + over[i];
    for (int i = 1; i < 8; i++) b = b * x + under[i];
    return e * a / b;
}

double rr_phi(double z) { return z > 0 ? 1 - upper_tail(z) : upper_tail(-z); }

// Two parabolas that meet at the mode; from the nearer end, so that the tails keep their digits.
static double triangular(const struct rr_dist *d, double z)
{
    const double width = d->c - d->a, left = d->b - d->a, right = d->c - d->b, below = rr_phi(z);
    if (width <= 0) return d->a;
    if (below * width < left) return d->a + sqrt(below * width * left);
    return d->c - sqrt(rr_phi(-z) * width * right);
}

static double choice(const struct rr_dist *d, double z)
{
    const double u = rr_phi(z);
    size_t i = 0;
    while (i + 1 < d->n && u >= d->upto[i]) i++;
    return d->value[i];
}

double rr_dist_at(const struct rr_dist *d, double z)
{
    switch (d->kind) {
    case RR_DIST_CONSTANT: return d->a;
    case RR_DIST_EXPONENTIAL: return -d->a * rr_log(rr_phi(-z));
    case RR_DIST_LOGNORMAL: return d->a * rr_exp(d->b * z);
    case RR_DIST_WEIBULL: return d->a * rr_pow(-rr_log(rr_phi(-z)), 1 / d->b);
    case RR_DIST_UNIFORM: return d->a + (d->b - d->a) * rr_phi(z);
    case RR_DIST_TRIANGULAR: return triangular(d, z);
    case RR_DIST_NORMAL: return d->a + d->b * z;
    case RR_DIST_CHOICE: return choice(d, z);
    }
    assert(0 && "a distribution without quantiles");
    return NAN;
}

bool rr_cholesky(double *m, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = m[i * n + j];
            for (size_t k = 0; k < j; k++) sum -= m[i * n + k] * m[j * n + k];
            if (i == j && !(sum > 1e-12)) return false;
            m[i * n + j] = i == j ? sqrt(sum) : sum / m[j * n + j];
            if (i != j) m[j * n + i] = 0;
        }
    return true;
}

void rr_uncertain_draw(const struct rr_uncertainty *u, uint64_t seed, uint32_t replication, double *z)
{
    double e[RR_MOST_UNCERTAIN];
    for (size_t i = 0; i < u->n; i++) {
        struct rr_rng rng;
        rr_rng_init(&rng, seed, replication, RR_RNG_INPUT, i);
        e[i] = rr_rng_normal(&rng);
        z[i] = 0;
        for (size_t k = 0; k <= i; k++) z[i] += u->root[i * u->n + k] * e[k];
    }
}

/* ---- values ---- */

const char *rr_uncertain_value(const struct rr_uncertain *x, double z, struct rr_arena *a)
{
    double v = rr_dist_at(&x->dist, z);
    if (x->choice) return x->choice[(size_t)v];
    if (x->whole) v = floor(v + 0.5);
    char number[RR_DOUBLE_MAX];
    if (!x->text) return x->whole && fabs(v) < 1e15 ? rr_strf(a, "%" PRId64, (int64_t)v) : rr_strdup(a, rr_double_text(v, number));
    return rr_strf(a, "%s%.*f%s", x->before, x->whole ? 0 : x->decimals, v, x->after);
}

static cJSON *value_node(const struct rr_uncertain *x, const char *value)
{
    return x->text ? cJSON_CreateString(value) : rr_json_make_number(value);
}

/* ---- a variant with them ---- */

#define ALL SIZE_MAX

/* Reads the changed document, which becomes the sample's. */
static enum rr_status read_changed(const struct rr_scenario_set *set, const struct rr_scenario *variant, cJSON *document,
                                   struct rr_arena *arena, struct rr_sample *ret)
{
    struct rr_sample s = {.scenario = RR_NEW(arena, struct rr_scenario), .document = document};
    struct rr_reading reading = *set->reading;
    reading.param.arena = arena;
    reading.param.spot_is_shared = true;
    reading.like = variant;
    *s.scenario = (struct rr_scenario){.variant = variant->variant,
                                       .alternative = variant->alternative,
                                       .document = s.document,
                                       .json = variant->json,
                                       .notes.arena = arena};
    const enum rr_status st = rr_scenario_read(&reading, s.document, s.scenario);
    s.scenario->name = variant->name;
    if (st != RR_OK)
        rr_sample_done(&s);
    else
        *ret = s;
    return st;
}

static enum rr_status make(const struct rr_scenario_set *set, const struct rr_scenario *variant, const double *z, size_t only,
                           struct rr_arena *arena, struct rr_sample *ret)
{
    const struct rr_uncertainty *u = set->uncertainty;
    cJSON *document = cJSON_Duplicate(variant->document, true);
    enum rr_status st = RR_OK;
    for (size_t i = 0; i < u->n && st == RR_OK; i++) {
        const struct rr_uncertain *x = &u->input[i];
        if ((only != ALL && i != only) || !rr_pointer_is_for(arena, variant->document, x->path)) continue;
        st = rr_json_set(document, x->path, true, value_node(x, rr_uncertain_value(x, z[i], arena)));
    }
    if (st == RR_OK) return read_changed(set, variant, document, arena, ret);
    cJSON_Delete(document);
    return st;
}

enum rr_status rr_sample_edit(const struct rr_scenario_set *set, const struct rr_scenario *variant, const struct rr_edit *edit, size_t n,
                              struct rr_arena *arena, struct rr_sample *ret)
{
    cJSON *document = cJSON_Duplicate(variant->document, true);
    enum rr_status st = RR_OK;
    for (size_t i = 0; i < n && st == RR_OK; i++)
        if (rr_pointer_is_for(arena, variant->document, edit[i].pointer) &&
            rr_plan_has_row(set->reading->reg, variant->document, edit[i].pointer, arena))
            st = rr_json_set(document, edit[i].pointer, true, cJSON_Duplicate(edit[i].value, true));
    if (st == RR_OK) return read_changed(set, variant, document, arena, ret);
    cJSON_Delete(document);
    return st;
}

void rr_sample_done(struct rr_sample *s)
{
    if (s->scenario) rr_notes_done(&s->scenario->notes);
    cJSON_Delete(s->document);
    *s = (struct rr_sample){0};
}

// Which of the inputs is it, when not all of them together?
static enum rr_status blame(const struct rr_scenario_set *set, const struct rr_scenario *variant, const double *z, const char *when,
                            struct rr_arena *arena)
{
    const struct rr_uncertainty *u = set->uncertainty;
    const char *reason = rr_strdup(arena, rr_reason());
    for (size_t i = 0; i < u->n; i++) {
        struct rr_sample s = {0};
        const enum rr_status st = make(set, variant, z, i, arena, &s);
        rr_sample_done(&s);
        if (st == RR_OK) continue;
        const struct rr_uncertain *x = &u->input[i];
        return rr_fail_in(st, "%s: %s: %s%s", rr_json_where_key(set->json, x->json, arena), x->pointer, rr_uncertain_value(x, z[i], arena),
                          when);
    }
    return rr_fail(RR_EINPUT, "/uncertainty: all inputs together%s: %s", when, reason);
}

enum rr_status rr_sample_make(const struct rr_scenario_set *set, const struct rr_scenario *variant, uint32_t replication,
                              struct rr_arena *arena, struct rr_sample *ret)
{
    double z[RR_MOST_UNCERTAIN];
    rr_uncertain_draw(set->uncertainty, (uint64_t)variant->seed, replication, z);
    if (make(set, variant, z, ALL, arena, ret) == RR_OK) return RR_OK;
    return blame(set, variant, z, rr_strf(arena, " in replication %" PRIu32 " of \"%s\"", replication + 1, variant->variant), arena);
}

enum rr_status rr_uncertainty_try(const struct rr_scenario_set *set, const struct rr_scenario *variant, struct rr_arena *arena)
{
    static const double median[RR_MOST_UNCERTAIN] = {0};
    struct rr_sample s = {0};
    const enum rr_status st = make(set, variant, median, ALL, arena, &s);
    rr_sample_done(&s);
    return st == RR_OK ? RR_OK : blame(set, variant, median, ", its median", arena);
}
