/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/calib/fit.c - samples sorted into curves, surfaces, rates and latencies, each fitted. */
#include "data/base/vec.h"
#include "data/bench_help.h"
#include "models/calib/calib.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct fit {
    const struct rr_samples *s;
    const struct rr_fit_options *opt;
    struct rr_arena *a;
    bool *done; /* [s->n] */
    RR_VEC(struct rr_curve) curve;
    RR_VEC(struct rr_gemm) gemm;
    RR_VEC(struct rr_device_rate) rate;
    RR_VEC(struct rr_latency) latency;
};

/* Sources are named log-1, log-2, ... in the order of the files. */
static const char *source_name(const struct fit *f, int32_t file) { return rr_strf(f->a, "log-%d", (int)file + 1); }

static int by_double(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static struct rr_value spread_of(double *v, size_t n)
{
    qsort(v, n, sizeof *v, by_double);
    const double mid = n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
    if (n < 3) return (struct rr_value){mid, fmin(v[0], mid), fmax(v[n - 1], mid)};
    const size_t low = (size_t)(0.05 * (double)(n - 1)), high = (size_t)ceil(0.95 * (double)(n - 1));
    return (struct rr_value){mid, v[low], v[high]};
}

static bool alike(const struct rr_sample *a, const struct rr_sample *b)
{
    return a->kind == b->kind && strcmp(a->op, b->op) == 0 && strcmp(a->algorithm, b->algorithm) == 0 &&
           strcmp(a->protocol, b->protocol) == 0 && a->ranks == b->ranks && a->nodes == b->nodes &&
           (a->kind == RR_SAMPLE_COLLECTIVE || strcmp(a->type, b->type) == 0);
}

/* The samples that are alike with the i-th, which are done with then; heap. */
static size_t *gather(struct fit *f, size_t i, size_t *n)
{
    size_t *at = rr_xrealloc(NULL, f->s->n + 1, sizeof *at);
    *n = 0;
    for (size_t k = i; k < f->s->n; k++) {
        if (f->done[k] || !alike(&f->s->at[i], &f->s->at[k])) continue;
        f->done[k] = true;
        at[(*n)++] = k;
    }
    return at;
}

static void fit_collective(struct fit *f, size_t i)
{
    size_t n, used = 0;
    const struct rr_sample *first = &f->s->at[i];
    size_t *at = gather(f, i, &n);
    struct rr_point *p = RR_NEWS(f->a, struct rr_point, n + 1);
    for (size_t k = 0; k < n; k++) {
        const struct rr_sample *s = &f->s->at[at[k]];
        if (s->bytes > 0 && s->us > 0) p[used++] = (struct rr_point){(double)s->bytes, s->us, s->in_place, s->line, false};
    }
    free(at);
    if (used == 0) return;
    struct rr_curve c;
    rr_curve_fit(p, used, rr_bus_factor(first->op, first->ranks), f->opt, f->a, &c);
    c.op = first->op, c.algorithm = first->algorithm, c.protocol = first->protocol;
    c.ranks = first->ranks, c.nodes = first->nodes, c.source = source_name(f, first->file);
    if (c.rows == 1 && first->p05_gb_s > 0 && first->p95_gb_s > 0 && used == 1) { // a spread that the source gives
        struct rr_knot *k = RR_NEW(f->a, struct rr_knot);
        const double per_gb_s = c.knot[0].us.value * first->bus_gb_s;
        *k = (struct rr_knot){c.knot[0].bytes, {c.knot[0].us.value, per_gb_s / first->p95_gb_s, per_gb_s / first->p05_gb_s}};
        c.knot = k;
        c.bus_gb_s = (struct rr_value){first->bus_gb_s, first->p05_gb_s, first->p95_gb_s};
    }
    rr_vec_push(&f->curve, c);
}

static void fit_gemm(struct fit *f, size_t i)
{
    size_t n;
    const struct rr_sample *first = &f->s->at[i];
    size_t *at = gather(f, i, &n);
    struct rr_gemm_sample *p = RR_NEWS(f->a, struct rr_gemm_sample, n + 1);
    for (size_t k = 0; k < n; k++) {
        const struct rr_sample *s = &f->s->at[at[k]];
        p[k] = (struct rr_gemm_sample){(double)s->m, (double)s->n, (double)s->k, s->us};
    }
    free(at);
    struct rr_gemm g;
    const double bytes = rr_bench_type_bytes(first->type);
    rr_gemm_fit(p, n, bytes > 0 ? bytes : 2, f->opt, f->a, &g);
    g.type = first->type, g.source = source_name(f, first->file);
    rr_vec_push(&f->gemm, g);
}

/* A rate is that of the largest sizes: those of half the largest or more. Repeats count one by one. */
static void fit_rate(struct fit *f, size_t i)
{
    size_t n, k = 0;
    const struct rr_sample *first = &f->s->at[i];
    size_t *at = gather(f, i, &n);
    int64_t most = 0;
    for (size_t q = 0; q < n; q++)
        if (f->s->at[at[q]].bytes > most) most = f->s->at[at[q]].bytes;
    RR_VEC(double) gb_s = {0};
    RR_VEC(double) tflops = {0};
    for (size_t q = 0; q < n; q++) {
        const struct rr_sample *s = &f->s->at[at[q]];
        if (s->bytes * 2 < most) continue;
        for (k = 0; k < s->n_all; k++) {
            if (s->bytes > 0) rr_vec_push(&gb_s, (double)s->bytes / s->all[k] / 1e3);
            if (s->flops > 0) rr_vec_push(&tflops, s->flops / s->all[k] / 1e6);
        }
        if (s->n_all == 0 && s->gb_s > 0) rr_vec_push(&gb_s, s->gb_s);
        if (s->n_all == 0 && s->flops > 0 && s->us > 0) rr_vec_push(&tflops, s->flops / s->us / 1e6);
    }
    struct rr_device_rate r = {
        .kind = rr_sample_kind_name[first->kind], .op = first->op, .type = first->type, .bytes = (double)most, .measured = true};
    r.source = source_name(f, first->file);
    if (gb_s.n) r.gb_s = spread_of(gb_s.at, gb_s.n);
    if (tflops.n) r.tflops = spread_of(tflops.at, tflops.n);
    if (gb_s.n || tflops.n) rr_vec_push(&f->rate, r);
    rr_vec_done(&gb_s);
    rr_vec_done(&tflops);
    free(at);
}

static void fit_latency(struct fit *f, size_t i)
{
    size_t n;
    const struct rr_sample *first = &f->s->at[i];
    size_t *at = gather(f, i, &n);
    RR_VEC(double) us = {0};
    for (size_t q = 0; q < n; q++) {
        const struct rr_sample *s = &f->s->at[at[q]];
        for (size_t k = 0; k < s->n_all; k++) rr_vec_push(&us, s->all[k]);
        if (s->n_all == 0 && s->us > 0) rr_vec_push(&us, s->us);
    }
    if (us.n) {
        const char *op = first->kind == RR_SAMPLE_LAUNCH ? rr_strf(f->a, "launch %s", first->op) : first->op;
        rr_vec_push(&f->latency, ((struct rr_latency){op, source_name(f, first->file), spread_of(us.at, us.n), true}));
    }
    rr_vec_done(&us);
    free(at);
}

static void fit_one(struct fit *f, size_t i)
{
    const struct rr_sample *s = &f->s->at[i];
    switch (s->kind) {
    case RR_SAMPLE_COLLECTIVE: fit_collective(f, i); break;
    case RR_SAMPLE_GEMM: fit_gemm(f, i); break;
    case RR_SAMPLE_LAUNCH:
    case RR_SAMPLE_STEP: fit_latency(f, i); break;
    case RR_SAMPLE_TRANSFER:
        if (s->bytes == 0 && s->gb_s == 0)
            fit_latency(f, i);
        else
            fit_rate(f, i);
        break;
    default: fit_rate(f, i); break;
    }
}

static void name_machine(const struct rr_samples *s, struct rr_profile *p, struct rr_arena *a)
{
    const struct rr_machine_info *m = &s->machine;
    struct rr_profile_source *src = RR_NEWS(a, struct rr_profile_source, s->n_files + 1);
    for (size_t i = 0; i < s->n_files; i++) {
        const struct rr_sample_file *f = &s->file[i];
        const char *slash = strrchr(f->path, '/');
        src[i] = (struct rr_profile_source){rr_strf(a, "log-%zu", i + 1), *f->tool ? f->tool : f->format, slash ? slash + 1 : f->path,
                                            f->sha256, f->date};
    }
    p->source = src, p->n_sources = s->n_files;
    p->gpu = "", p->device = m->gpu, p->network = m->network, p->driver = m->driver, p->cuda = m->cuda, p->nccl = m->nccl,
    p->host = m->host;
    p->gpus_per_node = m->gpus_per_node, p->nodes = m->nodes;
    p->note = *m->topology ? rr_strf(a, "joined as %s", m->topology) : "";
}

#define KEEP(list, type, member, count)                             \
    do {                                                            \
        type *to = RR_NEWS(a, type, f.list.n + 1);                  \
        if (f.list.n) memcpy(to, f.list.at, f.list.n * sizeof *to); \
        p.member = to, p.count = f.list.n;                          \
        rr_vec_done(&f.list);                                       \
    } while (0)

enum rr_status rr_profile_fit(const struct rr_samples *s, const struct rr_fit_options *opt, struct rr_arena *a, struct rr_profile *ret)
{
    struct fit f = {.s = s, .opt = opt, .a = a, .done = RR_NEWS(a, bool, s->n + 1)};
    struct rr_profile p = {.path = "", .name = "", .date = "", .measured = true};
    for (size_t i = 0; i < s->n; i++)
        if (!f.done[i]) fit_one(&f, i);
    name_machine(s, &p, a);
    KEEP(curve, struct rr_curve, curve, n_curves);
    KEEP(gemm, struct rr_gemm, gemm, n_gemms);
    KEEP(rate, struct rr_device_rate, rate, n_rates);
    KEEP(latency, struct rr_latency, latency, n_latencies);
    if (p.n_curves + p.n_gemms + p.n_rates + p.n_latencies == 0)
        return rr_fail(RR_EINPUT, "nothing can be fitted: the files hold no time of a size above 0");
    *ret = p;
    return RR_OK;
}
