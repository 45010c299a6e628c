/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/profile_read.c - a profile read and checked: every key known, every number in order, every fault with its place. */
#include "data/profile.h"
#include "data/base/json.h"
#include "data/samples.h"
#include <math.h>
#include <string.h>

struct reader {
    struct rr_json *json;
    struct rr_arena *a;
    const struct rr_profile *p; /* for its sources, once they are read */
};

static enum rr_status wrong(const struct reader *r, const cJSON *node, const char *what)
{
    return rr_json_fail(RR_EINPUT, r->json, node, "", "%s%s%s", node->string ? node->string : "", node->string ? ": " : "", what);
}

/* Every member of `o` is one of words[], NULL-terminated. */
static enum rr_status known(const struct reader *r, const cJSON *o, const char *const *words)
{
    const cJSON *m;
    size_t n = 0;
    while (words[n]) n++;
    if (!cJSON_IsObject(o)) return wrong(r, o, "must be an object");
    cJSON_ArrayForEach(m, o)
    {
        size_t i = 0;
        while (i < n && strcmp(m->string, words[i]) != 0) i++;
        if (i == n)
            return rr_json_fail_key(RR_EINPUT, r->json, m, "", "unknown key \"%s\"%s", m->string,
                                    rr_did_you_mean(r->a, m->string, words, n));
    }
    return RR_OK;
}

static enum rr_status text(const struct reader *r, const cJSON *o, const char *key, bool must, const char **ret)
{
    const cJSON *m = rr_json_member(o, key);
    *ret = "";
    if (!m) return must ? rr_json_fail(RR_EINPUT, r->json, o, "", "\"%s\" is missing", key) : RR_OK;
    if (!cJSON_IsString(m)) return wrong(r, m, "must be a text");
    *ret = rr_strdup(r->a, m->valuestring);
    return RR_OK;
}

/* A number of at least `least`; `otherwise` when it is missing, an error when that is NaN. */
static enum rr_status number(const struct reader *r, const cJSON *o, const char *key, double least, double otherwise, double *ret)
{
    const cJSON *m = rr_json_member(o, key);
    *ret = otherwise;
    if (!m) return isnan(otherwise) ? rr_json_fail(RR_EINPUT, r->json, o, "", "\"%s\" is missing", key) : RR_OK;
    if (!cJSON_IsNumber(m) || !isfinite(m->valuedouble)) return wrong(r, m, "must be a number");
    if (m->valuedouble < least) return rr_json_fail(RR_EINPUT, r->json, m, "", "%s: %g is below %g", key, m->valuedouble, least);
    *ret = m->valuedouble;
    return RR_OK;
}

static enum rr_status whole(const struct reader *r, const cJSON *o, const char *key, int32_t *ret)
{
    double v;
    RR_TRY(number(r, o, key, 0, 0, &v));
    if (v != floor(v) || v > 1e9) return wrong(r, rr_json_member(o, key), "must be a whole number");
    *ret = (int32_t)v;
    return RR_OK;
}

bool rr_profile_date(const char *text)
{
    static const char form[] = "dddd-dd-dd";
    size_t n = strlen(text);
    if (n == 0) return true;
    if (n > 10 && (text[10] == 'T' || text[10] == ' ') && text[11 + strspn(text + 11, "0123456789:.+-Z")] == '\0') n = 10; // a time of day
    if (n != 4 && n != 7 && n != 10) return false;
    for (size_t i = 0; i < n; i++)
        if (form[i] == 'd' ? !(text[i] >= '0' && text[i] <= '9') : text[i] != form[i]) return false;
    const int month = n >= 7 ? (text[5] - '0') * 10 + text[6] - '0' : 1, day = n == 10 ? (text[8] - '0') * 10 + text[9] - '0' : 1;
    return month >= 1 && month <= 12 && day >= 1 && day <= 31;
}

static enum rr_status date(const struct reader *r, const cJSON *o, const char *key, const char **ret)
{
    RR_TRY(text(r, o, key, false, ret));
    return rr_profile_date(*ret) ? RR_OK : wrong(r, rr_json_member(o, key), "must be a date such as 2026-01-31, 2026-01 or 2026");
}

static enum rr_status yes(const struct reader *r, const cJSON *o, const char *key, bool otherwise, bool *ret)
{
    const cJSON *m = rr_json_member(o, key);
    *ret = otherwise;
    if (!m) return RR_OK;
    if (!cJSON_IsBool(m)) return wrong(r, m, "must be true or false");
    *ret = cJSON_IsTrue(m);
    return RR_OK;
}

static enum rr_status value(const struct reader *r, const cJSON *o, const char *key, bool must, struct rr_value *ret)
{
    static const char *const words[] = {"value", "p05", "p95", NULL};
    const cJSON *m = rr_json_member(o, key);
    *ret = (struct rr_value){0};
    if (!m) return must ? rr_json_fail(RR_EINPUT, r->json, o, "", "\"%s\" is missing", key) : RR_OK;
    if (cJSON_IsNumber(m)) {
        RR_TRY(number(r, o, key, 0, NAN, &ret->value));
        ret->p05 = ret->p95 = ret->value;
        return RR_OK;
    }
    RR_TRY(known(r, m, words));
    RR_TRY(number(r, m, "value", 0, NAN, &ret->value));
    RR_TRY(number(r, m, "p05", 0, ret->value, &ret->p05));
    RR_TRY(number(r, m, "p95", 0, ret->value, &ret->p95));
    if (ret->p05 > ret->value || ret->value > ret->p95) return wrong(r, m, "p05 <= value <= p95 does not hold");
    return RR_OK;
}

static enum rr_status source(const struct reader *r, const cJSON *o, const char **ret)
{
    RR_TRY(text(r, o, "source", true, ret));
    for (size_t i = 0; i < r->p->n_sources; i++)
        if (strcmp(r->p->source[i].name, *ret) == 0) return RR_OK;
    return wrong(r, rr_json_member(o, "source"), "is no name in \"sources\"");
}

/* A list's length; its member `key` may be missing. */
static enum rr_status list(const struct reader *r, const cJSON *o, const char *key, const cJSON **ret, size_t *n)
{
    *ret = rr_json_member(o, key);
    *n = 0;
    if (!*ret) return RR_OK;
    if (!cJSON_IsArray(*ret)) return wrong(r, *ret, "must be a list");
    *n = (size_t)cJSON_GetArraySize(*ret);
    return RR_OK;
}

/* ---- curves ---- */

static enum rr_status read_knots(const struct reader *r, const cJSON *o, struct rr_curve *c)
{
    static const char *const words[] = {"bytes", "us", NULL};
    const cJSON *all, *m;
    size_t i = 0;
    RR_TRY(list(r, o, "knots", &all, &c->n_knots));
    if (c->n_knots == 0) return rr_json_fail(RR_EINPUT, r->json, o, "", "\"knots\" is missing");
    struct rr_knot *k = RR_NEWS(r->a, struct rr_knot, c->n_knots);
    cJSON_ArrayForEach(m, all)
    {
        RR_TRY(known(r, m, words));
        RR_TRY(number(r, m, "bytes", 1, NAN, &k[i].bytes));
        RR_TRY(value(r, m, "us", true, &k[i].us));
        if (!(k[i].us.value > 0)) return rr_json_fail(RR_EINPUT, r->json, m, "", "us must be above 0");
        if (i > 0 && k[i].bytes <= k[i - 1].bytes) return rr_json_fail(RR_EINPUT, r->json, m, "", "bytes must rise from knot to knot");
        if (i > 0 && k[i].us.value < k[i - 1].us.value)
            return rr_json_fail(RR_EINPUT, r->json, m, "", "us falls from %g to %g: a larger message takes no less time", k[i - 1].us.value,
                                k[i].us.value);
        i++;
    }
    c->knot = k;
    return RR_OK;
}

static enum rr_status read_draws(const struct reader *r, const cJSON *o, struct rr_curve *c)
{
    const cJSON *all, *row, *m;
    RR_TRY(list(r, o, "draws", &all, &c->n_draws));
    double *at = RR_NEWS(r->a, double, c->n_draws * c->n_knots + 1);
    size_t i = 0;
    cJSON_ArrayForEach(row, all)
    {
        if (!cJSON_IsArray(row) || (size_t)cJSON_GetArraySize(row) != c->n_knots)
            return rr_json_fail(RR_EINPUT, r->json, row, "", "a draw has one time for each knot, %zu", c->n_knots);
        cJSON_ArrayForEach(m, row)
        {
            if (!cJSON_IsNumber(m) || !(m->valuedouble > 0)) return wrong(r, m, "a draw's times are numbers above 0");
            at[i++] = m->valuedouble;
            if (i % c->n_knots != 1 % c->n_knots && at[i - 1] < at[i - 2])
                return wrong(r, m, "a draw's times never fall from knot to knot: a larger message takes no less time");
        }
    }
    c->draw = at;
    return RR_OK;
}

static enum rr_status read_points(const struct reader *r, const cJSON *o, struct rr_curve *c)
{
    const cJSON *all, *m;
    RR_TRY(list(r, o, "points", &all, &c->n_points));
    struct rr_measured *at = RR_NEWS(r->a, struct rr_measured, c->n_points + 1);
    size_t i = 0;
    cJSON_ArrayForEach(m, all)
    {
        const cJSON *x = cJSON_GetArrayItem(m, 0), *us = cJSON_GetArrayItem(m, 1);
        if (!cJSON_IsArray(m) || cJSON_GetArraySize(m) != 2 || !cJSON_IsNumber(x) || !cJSON_IsNumber(us) || !(x->valuedouble > 0) ||
            !(us->valuedouble > 0) || (i > 0 && x->valuedouble <= at[i - 1].bytes))
            return wrong(r, m, "a point is [bytes, us], both above 0, the bytes rising");
        at[i++] = (struct rr_measured){x->valuedouble, us->valuedouble};
    }
    c->point = at;
    return RR_OK;
}

static enum rr_status read_outliers(const struct reader *r, const cJSON *o, struct rr_curve *c)
{
    static const char *const words[] = {"bytes", "us", "in_place", "line", NULL};
    const cJSON *all, *m;
    RR_TRY(list(r, o, "outliers", &all, &c->n_outliers));
    struct rr_outlier *out = RR_NEWS(r->a, struct rr_outlier, c->n_outliers + 1);
    size_t i = 0;
    cJSON_ArrayForEach(m, all)
    {
        double line;
        RR_TRY(known(r, m, words));
        RR_TRY(number(r, m, "bytes", 0, NAN, &out[i].bytes));
        RR_TRY(number(r, m, "us", 0, NAN, &out[i].us));
        RR_TRY(number(r, m, "line", 0, 0, &line));
        RR_TRY(yes(r, m, "in_place", false, &out[i].in_place));
        out[i++].line = line < 1e15 ? (int64_t)line : 0;
    }
    c->outlier = out;
    return RR_OK;
}

static enum rr_status read_curve(const struct reader *r, const cJSON *o, struct rr_curve *c)
{
    static const char *const words[] = {"op",      "algorithm", "protocol",   "ranks",          "nodes",         "source", "rows",
                                        "samples", "measured",  "latency_us", "bus_gb_s",       "half_bytes",    "knots",  "draws",
                                        "points",  "outliers",  "band_pct",   "loo_median_pct", "loo_worst_pct", NULL};
    double rows, samples;
    RR_TRY(known(r, o, words));
    RR_TRY(text(r, o, "op", true, &c->op));
    RR_TRY(text(r, o, "algorithm", false, &c->algorithm));
    RR_TRY(text(r, o, "protocol", false, &c->protocol));
    RR_TRY(source(r, o, &c->source));
    RR_TRY(whole(r, o, "ranks", &c->ranks));
    if (rr_json_member(o, "ranks") && c->ranks == 0)
        return wrong(r, rr_json_member(o, "ranks"), "must be at least 1 (leave it out where it is not known)");
    RR_TRY(whole(r, o, "nodes", &c->nodes));
    RR_TRY(number(r, o, "rows", 0, 0, &rows));
    RR_TRY(number(r, o, "samples", 0, 0, &samples));
    c->rows = (size_t)fmin(rows, 1e9), c->samples = (size_t)fmin(samples, 1e9);
    RR_TRY(yes(r, o, "measured", true, &c->measured));
    if (rr_bus_factor(c->op, 2) == 0) return wrong(r, rr_json_member(o, "op"), "is no collective operation (all_reduce, all_gather, ...)");
    RR_TRY(read_knots(r, o, c));
    RR_TRY(read_draws(r, o, c));
    RR_TRY(read_points(r, o, c));
    RR_TRY(read_outliers(r, o, c));
    RR_TRY(value(r, o, "latency_us", false, &c->latency_us));
    RR_TRY(value(r, o, "bus_gb_s", false, &c->bus_gb_s));
    RR_TRY(value(r, o, "half_bytes", false, &c->half_bytes));
    RR_TRY(number(r, o, "band_pct", 0, 0, &c->band_pct));
    RR_TRY(number(r, o, "loo_median_pct", 0, 0, &c->loo_median_pct));
    return number(r, o, "loo_worst_pct", 0, 0, &c->loo_worst_pct);
}

/* ---- the other parts ---- */

static enum rr_status read_gemm(const struct reader *r, const cJSON *o, struct rr_gemm *g)
{
    static const char *const words[] = {"type",  "source", "measured",   "peak_tflops",    "rate_tflops",   "overhead_us", "bytes_gb_s",
                                        "depth", "points", "spread_pct", "loo_median_pct", "loo_worst_pct", NULL};
    static const char *const of_point[] = {"m", "n", "k", "us", NULL};
    const cJSON *all, *m;
    RR_TRY(known(r, o, words));
    RR_TRY(text(r, o, "type", true, &g->type));
    RR_TRY(source(r, o, &g->source));
    RR_TRY(yes(r, o, "measured", true, &g->measured));
    RR_TRY(value(r, o, "peak_tflops", true, &g->peak_tflops));
    RR_TRY(value(r, o, "rate_tflops", true, &g->rate_tflops));
    RR_TRY(value(r, o, "overhead_us", true, &g->overhead_us));
    RR_TRY(value(r, o, "bytes_gb_s", true, &g->gb_s));
    RR_TRY(value(r, o, "depth", true, &g->depth));
    RR_TRY(number(r, o, "spread_pct", 0, 0, &g->spread_pct));
    RR_TRY(number(r, o, "loo_median_pct", 0, 0, &g->loo_median_pct));
    RR_TRY(number(r, o, "loo_worst_pct", 0, 0, &g->loo_worst_pct));
    if (!(g->rate_tflops.value > 0) || !(g->gb_s.value > 0))
        return rr_json_fail(RR_EINPUT, r->json, o, "", "rate_tflops and bytes_gb_s must be above 0");
    RR_TRY(list(r, o, "points", &all, &g->n_points));
    struct rr_gemm_point *p = RR_NEWS(r->a, struct rr_gemm_point, g->n_points + 1);
    size_t i = 0;
    cJSON_ArrayForEach(m, all)
    {
        RR_TRY(known(r, m, of_point));
        RR_TRY(number(r, m, "m", 1, NAN, &p[i].m));
        RR_TRY(number(r, m, "n", 1, NAN, &p[i].n));
        RR_TRY(number(r, m, "k", 1, NAN, &p[i].k));
        RR_TRY(value(r, m, "us", true, &p[i++].us));
    }
    g->point = p;
    return RR_OK;
}

static enum rr_status read_rate(const struct reader *r, const cJSON *o, struct rr_device_rate *t)
{
    static const char *const words[] = {"kind", "op", "type", "source", "measured", "bytes", "gb_s", "tflops", NULL};
    RR_TRY(known(r, o, words));
    RR_TRY(text(r, o, "kind", true, &t->kind));
    RR_TRY(text(r, o, "op", true, &t->op));
    RR_TRY(text(r, o, "type", false, &t->type));
    RR_TRY(source(r, o, &t->source));
    RR_TRY(yes(r, o, "measured", true, &t->measured));
    RR_TRY(number(r, o, "bytes", 0, 0, &t->bytes));
    RR_TRY(value(r, o, "gb_s", false, &t->gb_s));
    RR_TRY(value(r, o, "tflops", false, &t->tflops));
    if (t->gb_s.value <= 0 && t->tflops.value <= 0) return rr_json_fail(RR_EINPUT, r->json, o, "", "a rate needs gb_s or tflops above 0");
    return RR_OK;
}

static enum rr_status read_latency(const struct reader *r, const cJSON *o, struct rr_latency *l)
{
    static const char *const words[] = {"op", "us", "source", "measured", NULL};
    RR_TRY(known(r, o, words));
    RR_TRY(text(r, o, "op", true, &l->op));
    RR_TRY(source(r, o, &l->source));
    RR_TRY(yes(r, o, "measured", true, &l->measured));
    return value(r, o, "us", true, &l->us);
}

static enum rr_status read_peak(const struct reader *r, const cJSON *o, struct rr_peak *k)
{
    static const char *const words[] = {"what", "unit", "source", "value", NULL};
    RR_TRY(known(r, o, words));
    RR_TRY(text(r, o, "what", true, &k->what));
    RR_TRY(text(r, o, "unit", true, &k->unit));
    RR_TRY(source(r, o, &k->source));
    return number(r, o, "value", 0, NAN, &k->value);
}

static enum rr_status read_sources(const struct reader *r, const cJSON *root, struct rr_profile *p)
{
    static const char *const words[] = {"name", "text", "file", "sha256", "date", NULL};
    const cJSON *all, *m;
    RR_TRY(list(r, root, "sources", &all, &p->n_sources));
    if (p->n_sources == 0) return rr_json_fail(RR_EINPUT, r->json, root, "", "\"sources\" is missing: where do the numbers come from?");
    struct rr_profile_source *s = RR_NEWS(r->a, struct rr_profile_source, p->n_sources);
    size_t i = 0;
    cJSON_ArrayForEach(m, all)
    {
        RR_TRY(known(r, m, words));
        RR_TRY(text(r, m, "name", true, &s[i].name));
        RR_TRY(text(r, m, "text", false, &s[i].text));
        RR_TRY(text(r, m, "file", false, &s[i].file));
        RR_TRY(text(r, m, "sha256", false, &s[i].sha256));
        RR_TRY(date(r, m, "date", &s[i++].date));
    }
    p->source = s;
    return RR_OK;
}

static enum rr_status read_hardware(const struct reader *r, const cJSON *root, struct rr_profile *p)
{
    static const char *const words[] = {"gpu", "device", "gpus_per_node", "nodes", "network", "driver", "cuda", "nccl", "host", NULL};
    const cJSON *o = rr_json_member(root, "hardware");
    if (!o) return rr_json_fail(RR_EINPUT, r->json, root, "", "\"hardware\" is missing");
    RR_TRY(known(r, o, words));
    RR_TRY(text(r, o, "gpu", true, &p->gpu));
    RR_TRY(text(r, o, "device", false, &p->device));
    RR_TRY(text(r, o, "network", false, &p->network));
    RR_TRY(text(r, o, "driver", false, &p->driver));
    RR_TRY(text(r, o, "cuda", false, &p->cuda));
    RR_TRY(text(r, o, "nccl", false, &p->nccl));
    RR_TRY(text(r, o, "host", false, &p->host));
    RR_TRY(whole(r, o, "gpus_per_node", &p->gpus_per_node));
    return whole(r, o, "nodes", &p->nodes);
}

#define READ_LIST(key, type, member, count, read_one)                \
    do {                                                             \
        const cJSON *all, *m;                                        \
        size_t i = 0;                                                \
        RR_TRY(list(r, root, key, &all, &p->count));                 \
        type *at = RR_NEWS(r->a, type, p->count + 1);                \
        cJSON_ArrayForEach(m, all) RR_TRY(read_one(r, m, &at[i++])); \
        p->member = at;                                              \
    } while (0)

static enum rr_status read_root(struct reader *r, const cJSON *root, struct rr_profile *p)
{
    static const char *const words[] = {"schema",      "name", "date",  "measured",  "note",  "hardware", "sources",
                                        "collectives", "gemm", "rates", "latencies", "peaks", NULL};
    const char *schema;
    RR_TRY(known(r, root, words));
    RR_TRY(text(r, root, "schema", true, &schema));
    if (strcmp(schema, "rackrate.profile/1") != 0) return wrong(r, rr_json_member(root, "schema"), "must be \"rackrate.profile/1\"");
    RR_TRY(text(r, root, "name", true, &p->name));
    RR_TRY(date(r, root, "date", &p->date));
    RR_TRY(text(r, root, "note", false, &p->note));
    RR_TRY(yes(r, root, "measured", true, &p->measured));
    RR_TRY(read_hardware(r, root, p));
    RR_TRY(read_sources(r, root, p));
    r->p = p;
    READ_LIST("collectives", struct rr_curve, curve, n_curves, read_curve);
    READ_LIST("gemm", struct rr_gemm, gemm, n_gemms, read_gemm);
    READ_LIST("rates", struct rr_device_rate, rate, n_rates, read_rate);
    READ_LIST("latencies", struct rr_latency, latency, n_latencies, read_latency);
    READ_LIST("peaks", struct rr_peak, peak, n_peaks, read_peak);
    return RR_OK;
}

enum rr_status rr_profile_read(const char *path, struct rr_arena *a, struct rr_profile *ret)
{
    struct reader r = {.json = rr_json_create(), .a = a};
    struct rr_profile p = {.path = rr_strdup(a, path)};
    cJSON *root = NULL;
    enum rr_status st = rr_json_read(r.json, path, &root);
    if (st == RR_OK) st = read_root(&r, root, &p);
    if (st == RR_OK) *ret = p;
    cJSON_Delete(root);
    rr_json_free(r.json);
    return st;
}
