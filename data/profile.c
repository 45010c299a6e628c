/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/profile.c - profiles asked, drawn and written; data/profile_read.c reads them. */
#include "data/profile.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- asked ---- */

const struct rr_curve *rr_profile_curve(const struct rr_profile *p, const char *op, int32_t ranks, int32_t nodes)
{
    const struct rr_curve *best = NULL;
    double least = INFINITY;
    for (size_t i = 0; i < p->n_curves; i++) {
        const struct rr_curve *c = &p->curve[i];
        if (strcmp(c->op, op) != 0) continue;
        const double off = fabs((double)c->ranks - ranks) + (nodes > 0 && c->nodes > 0 && c->nodes != nodes ? 1e6 : 0);
        if (off < least) least = off, best = c;
    }
    return best;
}

double rr_curve_us(const struct rr_curve *c, double bytes, bool *outside)
{
    const struct rr_knot *k = c->knot;
    const size_t n = c->n_knots;
    size_t i = 0;
    *outside = bytes < k[0].bytes || bytes > k[n - 1].bytes;
    if (n == 1) return k[0].us.value * (bytes > k[0].bytes ? bytes / k[0].bytes : 1);
    while (i + 2 < n && bytes > k[i + 1].bytes) i++;
    double slope = (k[i + 1].us.value - k[i].us.value) / (k[i + 1].bytes - k[i].bytes);
    if (slope <= 0 && bytes > k[n - 1].bytes) i++, slope = k[i].us.value / k[i].bytes; // no rate without end: the last one reached
    const double us = k[i].us.value + slope * (bytes - k[i].bytes);
    const double least = (bytes < k[0].bytes ? 0.5 : 0.05) * k[i].us.value; // no line reaches zero time
    return us > least ? us : least;
}

/* ---- drawn ---- */

/* A split normal: half of the mass on each side of the value, 5 % beyond each bar. */
static struct rr_value draw(struct rr_value v, double z)
{
    const double side = z < 0 ? v.value - v.p05 : v.p95 - v.value;
    double x = v.value + z * side / 1.6448536269514722;
    if (v.value > 0 && x < v.value / 20) x = v.value / 20;
    return (struct rr_value){x, x, x};
}

static void draw_curve(const struct rr_curve *from, struct rr_rng *rng, struct rr_arena *a, struct rr_curve *c)
{
    struct rr_knot *k = RR_NEWS(a, struct rr_knot, from->n_knots + 1);
    const double z = rr_rng_normal(rng); // without draws: the whole curve moves together
    const size_t row = from->n_draws ? (size_t)rr_rng_below(rng, from->n_draws) : 0;
    *c = *from;
    for (size_t i = 0; i < from->n_knots; i++) {
        k[i] = from->knot[i];
        if (from->n_draws)
            k[i].us.value = from->draw[row * from->n_knots + i];
        else
            k[i].us = draw(from->knot[i].us, z);
        k[i].us.p05 = k[i].us.p95 = k[i].us.value;
    }
    c->knot = k, c->n_draws = 0;
    if (from->latency_us.value > 0) c->latency_us.value *= k[0].us.value / from->knot[0].us.value;
    c->latency_us.p05 = c->latency_us.p95 = c->latency_us.value;
    if (from->n_knots > 0)
        c->bus_gb_s.value *= from->knot[from->n_knots - 1].us.value / k[from->n_knots - 1].us.value; // at the largest size
    c->bus_gb_s.p05 = c->bus_gb_s.p95 = c->bus_gb_s.value;
    c->half_bytes.p05 = c->half_bytes.p95 = c->half_bytes.value;
}

void rr_profile_sample(const struct rr_profile *p, struct rr_rng *rng, struct rr_arena *a, struct rr_profile *ret)
{
    struct rr_curve *c = RR_NEWS(a, struct rr_curve, p->n_curves + 1);
    struct rr_gemm *g = RR_NEWS(a, struct rr_gemm, p->n_gemms + 1);
    struct rr_device_rate *r = RR_NEWS(a, struct rr_device_rate, p->n_rates + 1);
    struct rr_latency *l = RR_NEWS(a, struct rr_latency, p->n_latencies + 1);
    for (size_t i = 0; i < p->n_curves; i++) draw_curve(&p->curve[i], rng, a, &c[i]);
    for (size_t i = 0; i < p->n_gemms; i++) {
        g[i] = p->gemm[i];
        g[i].rate_tflops = draw(g[i].rate_tflops, rr_rng_normal(rng));
        g[i].peak_tflops = draw(g[i].peak_tflops, rr_rng_normal(rng));
        g[i].overhead_us = draw(g[i].overhead_us, rr_rng_normal(rng));
        g[i].gb_s = draw(g[i].gb_s, rr_rng_normal(rng));
        g[i].depth = draw(g[i].depth, rr_rng_normal(rng));
    }
    for (size_t i = 0; i < p->n_rates; i++) {
        r[i] = p->rate[i];
        const double z = rr_rng_normal(rng);
        r[i].gb_s = draw(r[i].gb_s, z), r[i].tflops = draw(r[i].tflops, z);
    }
    for (size_t i = 0; i < p->n_latencies; i++) {
        l[i] = p->latency[i];
        l[i].us = draw(l[i].us, rr_rng_normal(rng));
    }
    *ret = *p;
    ret->curve = c, ret->gemm = g, ret->rate = r, ret->latency = l;
}

/* ---- written ---- */

/* Six digits: more than any measurement has. */
static void put_double(struct rr_buf *b, double v)
{
    char text[64];
    double rounded;
    snprintf(text, sizeof text, "%.6g", v);
    if (rr_text_double(rr_slice(text, strlen(text)), &rounded) != RR_OK) rounded = 0;
    rr_buf_double(b, rounded);
}

static void put_value(struct rr_buf *b, const char *key, struct rr_value v)
{
    rr_buf_putf(b, "\"%s\": ", key);
    if (v.p05 == v.value && v.p95 == v.value) {
        put_double(b, v.value);
        return;
    }
    rr_buf_puts(b, "{\"value\": ");
    put_double(b, v.value);
    rr_buf_puts(b, ", \"p05\": ");
    put_double(b, v.p05);
    rr_buf_puts(b, ", \"p95\": ");
    put_double(b, v.p95);
    rr_buf_puts(b, "}");
}

static void put_text(struct rr_buf *b, const char *before, const char *key, const char *text)
{
    if (!text || !*text) return;
    rr_buf_putf(b, "%s\"%s\": ", before, key);
    rr_buf_json(b, text);
}

static void put_number(struct rr_buf *b, const char *key, double v)
{
    rr_buf_putf(b, ", \"%s\": ", key);
    put_double(b, v);
}

static void put_exact(struct rr_buf *b, const char *key, double v)
{
    rr_buf_putf(b, ", \"%s\": ", key);
    rr_buf_double(b, v);
}

static void put_curve(struct rr_buf *b, const struct rr_curve *c)
{
    rr_buf_puts(b, "    { ");
    put_text(b, "", "op", c->op);
    put_text(b, ", ", "algorithm", c->algorithm);
    put_text(b, ", ", "protocol", c->protocol);
    if (c->ranks > 0) put_exact(b, "ranks", c->ranks);
    put_exact(b, "nodes", c->nodes);
    put_text(b, ", ", "source", c->source);
    put_exact(b, "rows", (double)c->rows);
    put_exact(b, "samples", (double)c->samples);
    if (!c->measured) rr_buf_puts(b, ", \"measured\": false");
    rr_buf_puts(b, ",\n      ");
    if (c->latency_us.value > 0) put_value(b, "latency_us", c->latency_us), rr_buf_puts(b, ", ");
    put_value(b, "bus_gb_s", c->bus_gb_s);
    rr_buf_puts(b, ",\n      ");
    put_value(b, "half_bytes", c->half_bytes);
    put_number(b, "band_pct", c->band_pct);
    put_number(b, "loo_median_pct", c->loo_median_pct);
    put_number(b, "loo_worst_pct", c->loo_worst_pct);
    rr_buf_puts(b, ",\n      \"knots\": [");
    for (size_t i = 0; i < c->n_knots; i++) {
        rr_buf_puts(b, i ? ",\n        {\"bytes\": " : "\n        {\"bytes\": ");
        rr_buf_double(b, c->knot[i].bytes);
        rr_buf_puts(b, ", ");
        put_value(b, "us", c->knot[i].us);
        rr_buf_puts(b, "}");
    }
    rr_buf_puts(b, "]");
    for (size_t i = 0; i < c->n_draws * c->n_knots; i++) {
        if (i == 0)
            rr_buf_puts(b, ",\n      \"draws\": [\n        [");
        else
            rr_buf_puts(b, i % c->n_knots ? ", " : "],\n        [");
        put_double(b, c->draw[i]);
    }
    if (c->n_draws) rr_buf_puts(b, "]]");
    for (size_t i = 0; i < c->n_points; i++) {
        rr_buf_puts(b, i == 0 ? ",\n      \"points\": [" : i % 8 ? ", " : ",\n        ");
        rr_buf_puts(b, "[");
        rr_buf_double(b, c->point[i].bytes);
        rr_buf_puts(b, ", ");
        put_double(b, c->point[i].us);
        rr_buf_puts(b, i + 1 == c->n_points ? "]]" : "]");
    }
    for (size_t i = 0; i < c->n_outliers; i++) {
        rr_buf_puts(b, i ? ", {\"bytes\": " : ",\n      \"outliers\": [{\"bytes\": ");
        rr_buf_double(b, c->outlier[i].bytes);
        put_number(b, "us", c->outlier[i].us);
        rr_buf_putf(b, ", \"in_place\": %s, \"line\": %lld}", c->outlier[i].in_place ? "true" : "false", (long long)c->outlier[i].line);
    }
    rr_buf_puts(b, c->n_outliers ? "] }" : " }");
}

static void put_gemm(struct rr_buf *b, const struct rr_gemm *g)
{
    rr_buf_puts(b, "    { ");
    put_text(b, "", "type", g->type);
    put_text(b, ", ", "source", g->source);
    if (!g->measured) rr_buf_puts(b, ", \"measured\": false");
    rr_buf_puts(b, ", ");
    put_value(b, "peak_tflops", g->peak_tflops);
    rr_buf_puts(b, ",\n      ");
    put_value(b, "rate_tflops", g->rate_tflops);
    rr_buf_puts(b, ", ");
    put_value(b, "overhead_us", g->overhead_us);
    rr_buf_puts(b, ", ");
    put_value(b, "bytes_gb_s", g->gb_s);
    rr_buf_puts(b, ", ");
    put_value(b, "depth", g->depth);
    put_number(b, "spread_pct", g->spread_pct);
    put_number(b, "loo_median_pct", g->loo_median_pct);
    put_number(b, "loo_worst_pct", g->loo_worst_pct);
    for (size_t i = 0; i < g->n_points; i++) {
        rr_buf_puts(b, i ? ",\n        {\"m\": " : ",\n      \"points\": [\n        {\"m\": ");
        rr_buf_double(b, g->point[i].m);
        put_exact(b, "n", g->point[i].n);
        put_exact(b, "k", g->point[i].k);
        rr_buf_puts(b, ", ");
        put_value(b, "us", g->point[i].us);
        rr_buf_puts(b, "}");
    }
    rr_buf_puts(b, g->n_points ? "] }" : " }");
}

static void put_rate(struct rr_buf *b, const struct rr_device_rate *r)
{
    rr_buf_puts(b, "    {");
    put_text(b, "", "kind", r->kind);
    put_text(b, ", ", "op", r->op);
    put_text(b, ", ", "type", r->type);
    put_text(b, ", ", "source", r->source);
    if (!r->measured) rr_buf_puts(b, ", \"measured\": false");
    if (r->bytes > 0) put_exact(b, "bytes", r->bytes);
    if (r->gb_s.value > 0) rr_buf_puts(b, ", "), put_value(b, "gb_s", r->gb_s);
    if (r->tflops.value > 0) rr_buf_puts(b, ", "), put_value(b, "tflops", r->tflops);
    rr_buf_puts(b, "}");
}

static void put_head(struct rr_buf *b, const struct rr_profile *p)
{
    rr_buf_puts(b, "{ \"schema\": \"rackrate.profile/1\"");
    put_text(b, ", ", "name", p->name);
    put_text(b, ", ", "date", p->date);
    rr_buf_putf(b, ", \"measured\": %s", p->measured ? "true" : "false");
    put_text(b, ",\n  ", "note", p->note);
    rr_buf_puts(b, ",\n  \"hardware\": {\"gpu\": ");
    rr_buf_json(b, p->gpu);
    put_text(b, ", ", "device", p->device);
    put_exact(b, "gpus_per_node", p->gpus_per_node);
    put_exact(b, "nodes", p->nodes);
    put_text(b, ", ", "network", p->network);
    put_text(b, ", ", "driver", p->driver);
    put_text(b, ", ", "cuda", p->cuda);
    put_text(b, ", ", "nccl", p->nccl);
    put_text(b, ", ", "host", p->host);
    rr_buf_puts(b, "},\n  \"sources\": [");
    for (size_t i = 0; i < p->n_sources; i++) {
        rr_buf_puts(b, i ? ",\n    {\"name\": " : "\n    {\"name\": ");
        rr_buf_json(b, p->source[i].name);
        put_text(b, ", ", "text", p->source[i].text);
        put_text(b, ", ", "file", p->source[i].file);
        put_text(b, ", ", "sha256", p->source[i].sha256);
        put_text(b, ", ", "date", p->source[i].date);
        rr_buf_puts(b, "}");
    }
    rr_buf_puts(b, "]");
}

void rr_profile_json(struct rr_buf *b, const struct rr_profile *p)
{
    put_head(b, p);
    for (size_t i = 0; i < p->n_curves; i++) {
        rr_buf_puts(b, i ? ",\n" : ",\n  \"collectives\": [\n");
        put_curve(b, &p->curve[i]);
    }
    if (p->n_curves) rr_buf_puts(b, "]");
    for (size_t i = 0; i < p->n_gemms; i++) {
        rr_buf_puts(b, i ? ",\n" : ",\n  \"gemm\": [\n");
        put_gemm(b, &p->gemm[i]);
    }
    if (p->n_gemms) rr_buf_puts(b, "]");
    for (size_t i = 0; i < p->n_rates; i++) {
        rr_buf_puts(b, i ? ",\n" : ",\n  \"rates\": [\n");
        put_rate(b, &p->rate[i]);
    }
    if (p->n_rates) rr_buf_puts(b, "]");
    for (size_t i = 0; i < p->n_latencies; i++) {
        rr_buf_puts(b, i ? ",\n    {" : ",\n  \"latencies\": [\n    {");
        put_text(b, "", "op", p->latency[i].op);
        put_text(b, ", ", "source", p->latency[i].source);
        rr_buf_puts(b, ", ");
        put_value(b, "us", p->latency[i].us);
        rr_buf_puts(b, "}");
    }
    if (p->n_latencies) rr_buf_puts(b, "]");
    for (size_t i = 0; i < p->n_peaks; i++) {
        rr_buf_puts(b, i ? ",\n    {" : ",\n  \"peaks\": [\n    {");
        put_text(b, "", "what", p->peak[i].what);
        put_text(b, ", ", "unit", p->peak[i].unit);
        put_text(b, ", ", "source", p->peak[i].source);
        put_number(b, "value", p->peak[i].value);
        rr_buf_puts(b, "}");
    }
    rr_buf_puts(b, p->n_peaks ? "] }\n" : " }\n");
}

const char *rr_profile_dated(const struct rr_profile *p)
{
    if (!p->measured) return "as of";
    for (size_t i = 0; i < p->n_sources; i++)
        if (strcmp(p->source[i].date, p->date) == 0) return "measured";
    return "fitted";
}
