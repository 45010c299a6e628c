/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/study/training_curves.c - a planned run on fewer and more GPUs, and its products under the roof. */
#include "models/train/arch.h"
#include "models/train/layer.h"
#include "sim/study/training_parts.h"
#include <math.h>
#include <string.h>

enum { MOST_LAYOUTS = 4000000 };

/* ---- scaling ---- */

/* The first pool that has the run's GPU. */
static const struct rr_pool *pool_of(const struct rr_told_run *r)
{
    const struct rr_scenario *s = r->scenario;
    for (size_t i = 0; i < s->n_pools; i++)
        if (s->pool[i].gpu && strcmp(s->pool[i].gpu, r->size.machine.gpu) == 0) return &s->pool[i];
    return NULL;
}

/* As its pool is paid, where that needs no more than the pool's own plan. */
static const char *plan_of(struct rr_telling *t, const struct rr_pool *p)
{
    char *text = p && p->plan_json ? cJSON_PrintUnformatted(p->plan_json) : NULL;
    const char *plan = rr_strdup(t->a, text ? text : "on_demand");
    cJSON_free(text);
    return plan;
}

/* Rows of the layout's parameters that say how it is computed, not how it is spread: sequence_parallel, tp_overlap, dp_overlap, flash. */
#define FLAGS (UINT64_C(15) << 8)

/* The run with its sizes free and its flags as they are given. */
static void free_sizes(struct rr_arena *a, struct rr_training_run *t)
{
    if (!t->layout) return;
    const struct rr_training_layout *is = t->layout->at;
    struct rr_training_layout *l = RR_NEW(a, struct rr_training_layout);
    struct rr_records *only = RR_NEW(a, struct rr_records);
    *l = (struct rr_training_layout){.given = is->given & FLAGS,
                                     .zero = -1,
                                     .recompute = -1,
                                     .sequence_parallel = is->sequence_parallel,
                                     .tp_overlap = is->tp_overlap,
                                     .dp_overlap = is->dp_overlap,
                                     .flash = is->flash};
    *only = (struct rr_records){.word = -1, .n = 1, .at = l};
    t->layout = only;
}

static const struct rr_sizing_point *point_of(const struct rr_sizing *s, int64_t gpus)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->at[i].training.gpus == gpus) return &s->at[i];
    return NULL;
}

/* The quicker of the layout as it is given and of what the search finds: an axis may lack what is given (a micro batch above 64, ZeRO-3). */
static const struct rr_sizing_point *better(const struct rr_sizing *given, const struct rr_sizing *searched, int64_t gpus)
{
    const struct rr_sizing_point *p = point_of(given, gpus), *q = point_of(searched, gpus);
    if (!p || !q) return p ? p : q;
    if (!p->answer || !q->answer) return p->answer ? p : q;
    return rr_sizing_time_s(q) < rr_sizing_time_s(p) ? q : p;
}

static void put_points(struct rr_sheet_maker *m, struct rr_arena *a, const struct rr_sizing *given, const struct rr_sizing *searched)
{
    double less = NAN;         // cost of the row above
    for (int64_t last = 0;;) { // by number
        int64_t gpus = INT64_MAX;
        for (size_t i = 0; i < given->n; i++)
            if (given->at[i].training.gpus > last && given->at[i].training.gpus < gpus) gpus = given->at[i].training.gpus;
        if (gpus == INT64_MAX) break;
        const struct rr_sizing_point *p = better(given, searched, last = gpus);
        rr_sheet_row(m);
        rr_sheet_number(m, (double)gpus);
        rr_sheet_number(m, p->answer ? rr_sizing_time_s(p) : NAN);
        rr_sheet_number(m, p->answer ? rr_sizing_p90_s(p) : NAN);
        rr_sheet_number(m, p->answer ? p->answer->step.mfu / p->size.scale : NAN);
        rr_sheet_number(m, rr_sizing_cost(p));
        rr_sheet_number(m, rr_sizing_cost(p) - less);
        rr_sheet_text(m, p->answer ? rr_tell_layout(a, &p->answer->found.best[0].layout) : p->reason);
        if (p->answer) less = rr_sizing_cost(p);
    }
}

enum rr_status rr_tell_scaling(struct rr_telling *t)
{
    const struct rr_told_run *r = &t->run[0];
    const struct rr_pool *pool = pool_of(r);
    const char *plan = plan_of(t, pool);
    struct rr_training_run wanted = *(const struct rr_training_run *)r->workload->training->at;
    int64_t count[8];
    size_t n = 0;
    double detect_s;
    if (r->answer.found.tried > MOST_LAYOUTS || wanted.measured || wanted.log) return RR_OK;
    for (int64_t f = 8; f >= 2; f /= 2)
        if (wanted.gpus % f == 0) count[n++] = wanted.gpus / f;
    for (int64_t f = 2; f <= 8; f *= 2) count[n++] = wanted.gpus * f;
    struct rr_sizing_ask ask = {.training = &wanted,
                                .facts = &t->facts,
                                .catalog = t->set->catalog,
                                .count = count,
                                .n_count = n,
                                .plan = &plan,
                                .n_plans = 1,
                                .region = pool ? pool->region : "",
                                .instance = pool ? pool->instance_id : NULL,
                                .market = {.book = r->scenario->book,
                                           .n_books = r->scenario->n_books,
                                           .currency = r->scenario->currency,
                                           .fx = r->scenario->fx,
                                           .n_fx = r->scenario->n_fx},
                                .start_us = r->scenario->start_us,
                                .seed = 1};
    struct rr_sizing given, searched;
    ask.failure_gpu_hours = rr_tell_failures(r->scenario, &r->size.machine, &detect_s);
    ask.detect_s = detect_s;
    RR_TRY(rr_sizing_make(&ask, t->a, &t->unheard, &given));
    searched = given;
    if (wanted.layout) {
        free_sizes(t->a, &wanted);
        RR_TRY(rr_sizing_make(&ask, t->a, &t->unheard, &searched));
    }
    struct rr_sheet_maker m =
        rr_sheet_begin(t->a, "training.scaling", "Fewer and more GPUs",
                       rr_strf(t->a,
                               "%s with the same batch and flags, the best layout for each number (its own among them), failures and "
                               "checkpoints included; cost as "
                               "pool %s is paid, whole nodes for as long as the run takes. Added: over the row above.",
                               r->name, pool ? pool->name : "on demand"));
    rr_sheet_column(&m, "GPUs", RR_SHEET_NUMBER);
    rr_sheet_column(&m, "Time", RR_SHEET_SECONDS);
    rr_sheet_column(&m, "P90", RR_SHEET_SECONDS);
    rr_sheet_column(&m, "MFU", RR_SHEET_SHARE);
    rr_sheet_column(&m, "Cost", RR_SHEET_MONEY);
    rr_sheet_column(&m, "Added", RR_SHEET_MONEY);
    rr_sheet_column(&m, "Layout", RR_SHEET_TEXT);
    put_points(&m, t->a, &given, &searched);
    rr_tell_sheet(t, &m);
    return RR_OK;
}

/* ---- roofline ---- */

static void put_point(struct rr_sheet_maker *s, const struct rr_place *p, const char *name, double flops, double bytes, double seconds)
{
    const double at = flops / bytes, roof = fmin(p->wide_f_s, at * p->m->memory_gb_s * 1e9);
    rr_sheet_row(s);
    rr_sheet_text(s, name);
    rr_sheet_number(s, at);
    rr_sheet_number(s, flops / seconds / 1e12);
    rr_sheet_number(s, roof / 1e12);
    rr_sheet_number(s, flops / seconds / roof);
    rr_sheet_number(s, p->wide_f_s / 1e12);
    rr_sheet_number(s, p->m->memory_gb_s / 1e3);
}

/* A product of m x k by k x n. */
static void put_product(struct rr_sheet_maker *s, const struct rr_place *p, const char *name, double m, double n, double k)
{
    put_point(s, p, name, 2 * m * n * k, p->element * (m * k + k * n + m * n), rr_gemm_s(p, m, n, k, false));
}

static void put_products(struct rr_sheet_maker *s, const struct rr_place *p)
{
    const struct rr_arch *a = p->a;
    const struct rr_layout *l = p->l;
    const double d = rr_arch_head_dim(a), h = a->hidden, tp = l->tp, gates = a->gated ? 2 : 1;
    put_product(s, p, "queries, keys, values", p->tokens, d * (a->heads + 2.0 * a->kv_heads) / tp, h);
    put_product(s, p, "attention out", p->tokens, h, d * a->heads / tp);
    if (a->ffn) put_product(s, p, "MLP up", p->tokens, gates * a->ffn / tp, h);
    if (a->ffn) put_product(s, p, "MLP down", p->tokens, h, a->ffn / tp);
    if (a->experts) {
        const double tokens = p->tokens * a->top_k * l->ep / a->experts;
        put_product(s, p, "an expert's up", tokens, gates * a->expert_ffn / tp, h);
        put_product(s, p, "an expert's down", tokens, h, a->expert_ffn / tp);
    }
    if (a->vocab) put_product(s, p, "vocabulary", p->tokens, a->vocab / tp, h);
}

/* A network by table: a sample's forward pass, its products and what is moved between them one after the other. */
static void put_sample(struct rr_sheet_maker *s, const struct rr_place *p)
{
    struct rr_layer layer;
    const double bytes = p->a->sample_mb * 1e6 * (p->l->precision == RR_FP32 || p->l->precision == RR_TF32 ? 2 : 1),
                 samples = p->l->micro_batch;
    rr_layer_table(p, &layer);
    put_point(s, p, "a sample, forward", samples * p->a->sample_gflop * 1e9, samples * bytes,
              p->a->layers * (layer.forward.gemm_s + layer.forward.memory_s));
}

void rr_tell_roofline(struct rr_telling *t)
{
    const struct rr_told_run *r = &t->run[0];
    const struct rr_arch *a = &r->size.arch;
    const struct rr_layout *l = &r->answer.found.best[0].layout;
    struct rr_place p;
    if (a->kv_lora || a->mamba_layers) return; // products of other shapes
    rr_place_make(a, &r->size.machine, &r->size.coefs, l, &p);
    struct rr_sheet_maker m = rr_sheet_begin(
        t->a, "training.roofline", "Under the roofline",
        rr_strf(t->a,
                "%s, %s: FLOPs for each byte of memory traffic, what the model says is reached, and the roof: the least of the dense peak "
                "and of what memory can feed.",
                r->name, a->sample_gflop > 0 ? "the forward pass" : "forward matrix products of one layer on one GPU"));
    rr_sheet_column(&m, a->sample_gflop > 0 ? "What" : "Product", RR_SHEET_TEXT);
    rr_sheet_column(&m, "FLOP a byte", RR_SHEET_NUMBER);
    rr_sheet_column(&m, "Reached, TFLOP/s", RR_SHEET_NUMBER);
    rr_sheet_column(&m, "Roof, TFLOP/s", RR_SHEET_NUMBER);
    rr_sheet_column(&m, "Of the roof", RR_SHEET_SHARE);
    rr_sheet_column(&m, "Peak, TFLOP/s", RR_SHEET_NUMBER);
    rr_sheet_column(&m, "Memory, TB/s", RR_SHEET_NUMBER);
    if (a->sample_gflop > 0)
        put_sample(&m, &p);
    else
        put_products(&m, &p);
    rr_tell_sheet(t, &m);
}
