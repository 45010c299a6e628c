/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/train/step.c - from layers to a step: stages, pipeline, gradients, optimizer. */
#include "models/train/step.h"
#include "models/train/arch.h"
#include "models/train/layer.h"
#include "models/train/pipeline.h"
#include "data/base/fmath.h"
#include <string.h>

const char *const rr_step_name[RR_STEP_N] = {
#define X(id, name, help) name,
    RR_STEP_TABLE(X)
#undef X
};
const char *const rr_step_help[RR_STEP_N] = {
#define X(id, name, help) help,
    RR_STEP_TABLE(X)
#undef X
};

/* Seconds of a forward and backward pass of one micro batch, by term; BUBBLE, OPTIMIZER and the like stay 0. */
struct cost {
    double term_s[RR_STEP_N];
    double forward_s, backward_s;
};

struct model { /* one layer of each kind, the head, what a layout's stages are made of */
    struct rr_place p;
    struct rr_params params;
    struct cost dense, moe, head, micro;
    double gather_dense_s, gather_moe_s, gather_head_s; /* ZeRO-3: bringing the weights together once */
    double reduce_dense_s, reduce_moe_s, reduce_head_s; /* and spreading their gradients */
    double send_s;
};

static double device_s(const struct rr_pass *x) { return x->gemm_s + x->attention_s + x->memory_s + x->tp_s + x->cp_s + x->ep_s; }

static void add_pass(const struct rr_pass *x, double times, struct rr_pass *ret)
{
    ret->gemm_s += times * x->gemm_s;
    ret->attention_s += times * x->attention_s;
    ret->memory_s += times * x->memory_s;
    ret->tp_s += times * x->tp_s;
    ret->cp_s += times * x->cp_s;
    ret->ep_s += times * x->ep_s;
    ret->host_s += times * x->host_s;
}

static void add_layer(const struct rr_layer *x, double times, struct rr_layer *ret)
{
    add_pass(&x->forward, times, &ret->forward);
    add_pass(&x->backward, times, &ret->backward);
}

/* What the backward pass does again. */
static struct rr_pass repeated(const struct rr_place *p, const struct rr_layer *x)
{
    struct rr_pass again = {0};
    if (p->l->recompute == RR_RECOMPUTE_FULL) {
        const double all = p->a->layers, some = p->l->recompute_layers > 0 ? (double)p->l->recompute_layers * p->l->pp / all : 1;
        add_pass(&x->forward, some < 1 ? some : 1, &again);
    }
    if (p->l->recompute == RR_RECOMPUTE_SELECTIVE) {
        add_pass(&x->forward, p->c->v[RR_COEF_SELECT_SHARE], &again);
        if (!p->l->flash) again.attention_s += x->forward.attention_s;
    }
    return again;
}

/* Terms of one layer; where the host is slower than the device, LAUNCH is the rest. */
static void layer_cost(const struct rr_place *p, const struct rr_layer *x, struct cost *ret)
{
    const struct rr_pass *f = &x->forward, *b = &x->backward, again = repeated(p, x);
    const double device_f = device_s(f), device_b = device_s(b) + device_s(&again);
    memset(ret, 0, sizeof *ret);
    ret->forward_s = rr_longer(device_f, f->host_s);
    ret->backward_s = rr_longer(device_b, b->host_s + again.host_s);
    ret->term_s[RR_STEP_GEMM] = f->gemm_s + b->gemm_s;
    ret->term_s[RR_STEP_ATTENTION] = f->attention_s + b->attention_s;
    ret->term_s[RR_STEP_MEMORY] = f->memory_s + b->memory_s;
    ret->term_s[RR_STEP_RECOMPUTE] = again.gemm_s + again.attention_s + again.memory_s;
    ret->term_s[RR_STEP_TP] = f->tp_s + b->tp_s + again.tp_s;
    ret->term_s[RR_STEP_CP] = f->cp_s + b->cp_s + again.cp_s;
    ret->term_s[RR_STEP_EP] = f->ep_s + b->ep_s + again.ep_s;
    ret->term_s[RR_STEP_LAUNCH] = ret->forward_s + ret->backward_s - device_f - device_b;
}

static void add_cost(const struct cost *x, double times, struct cost *ret)
{
    for (int i = 0; i < RR_STEP_N; i++) ret->term_s[i] += times * x->term_s[i];
    ret->forward_s += times * x->forward_s;
    ret->backward_s += times * x->backward_s;
}

/* The mean layer of a hybrid, or the one kind that there is. */
static void layer_kinds(struct model *m)
{
    const struct rr_arch *a = m->p.a;
    const bool hybrid = a->attention_layers || a->mamba_layers || a->ffn_layers;
    const double attention = hybrid ? (double)a->attention_layers / a->layers : 1, feed = hybrid ? (double)a->ffn_layers / a->layers : 1;
    struct rr_layer x, dense = {0}, moe = {0};
    if (a->sample_gflop > 0) {
        rr_layer_table(&m->p, &dense);
        layer_cost(&m->p, &dense, &m->dense);
        return;
    }
    rr_layer_attention(&m->p, &x);
    add_layer(&x, attention, &dense);
    if (a->mamba_layers) {
        rr_layer_mamba(&m->p, &x);
        add_layer(&x, (double)a->mamba_layers / a->layers, &dense);
    }
    moe = dense;
    if (a->experts) {
        rr_layer_moe(&m->p, &x);
        add_layer(&x, feed, &moe);
    }
    if (a->ffn) {
        rr_layer_mlp(&m->p, &x);
        add_layer(&x, feed, &dense);
    }
    layer_cost(&m->p, &dense, &m->dense);
    layer_cost(&m->p, &moe, &m->moe);
}

static void head_cost(struct model *m)
{
    struct rr_layer x;
    rr_layer_logits(&m->p, &x);
    layer_cost(&m->p, &x, &m->head);
    for (int i = 0; i < RR_STEP_N; i++)
        if (i != RR_STEP_LOGITS && i != RR_STEP_TP) m->head.term_s[RR_STEP_LOGITS] += m->head.term_s[i], m->head.term_s[i] = 0;
    m->micro.forward_s = 0.3e-3 * m->p.c->v[RR_COEF_MICRO_MS];
    m->micro.backward_s = 0.7e-3 * m->p.c->v[RR_COEF_MICRO_MS];
    m->micro.term_s[RR_STEP_LAUNCH] = 1e-3 * m->p.c->v[RR_COEF_MICRO_MS];
}

/* ---- parameters of a rank and what moves them ---- */

struct weights { /* counts on one rank of a stage, divided by tp and ep */
    double shared, expert;
};

static struct weights stage_weights(const struct model *m, int32_t stage)
{
    const struct rr_arch *a = m->p.a;
    const struct rr_layout *l = m->p.l;
    const struct rr_params *n = &m->params;
    if (a->params_m > 0) return (struct weights){n->total / l->tp, 0};
    if (a->lora_rank) return (struct weights){n->trained / l->tp / l->pp, 0};
    const struct rr_stage s = rr_layout_stage(a, l, stage);
    const double share = (double)s.count / a->layers, etp = l->etp ? l->etp : l->tp;
    const double all_expert = rr_arch_moe_layers(a) * a->experts * n->expert;
    struct weights w = {(n->layers - all_expert) * share / l->tp, all_expert * share / etp / l->ep};
    if (stage == 0) w.shared += n->embedding / l->tp;
    if (s.head) w.shared += (a->tied ? (stage > 0 ? n->embedding : 0) : n->output) / l->tp;
    return w;
}

static struct rr_group replicas(const struct rr_place *p, int32_t divided)
{
    const int32_t size = p->l->dp * p->l->cp / divided;
    return rr_group_make(p->m, size > 0 ? size : 1, p->l->tp * divided);
}

struct sync { /* of a step: gradients summed, updated weights gathered, s */
    double reduce_s, gather_s;
};

static void add_sync(const struct rr_place *p, double params, int32_t divided, struct sync *ret)
{
    const struct rr_group g = replicas(p, divided);
    const double bytes = params * p->c->v[RR_COEF_GRAD_BYTES];
    if (params <= 0) return;
    if (p->l->zero == 0) {
        ret->reduce_s += rr_all_reduce_s(p->m, p->c, &g, bytes);
        return;
    }
    ret->reduce_s += rr_all_gather_s(p->m, p->c, &g, bytes);
    ret->gather_s += rr_all_gather_s(p->m, p->c, &g, 2 * params);
}

/* ZeRO-3: one layer's weights come together before each pass, its gradients go apart after it. */
static void shard_costs(struct model *m)
{
    const struct rr_place *p = &m->p;
    const struct rr_arch *a = p->a;
    if (p->l->zero < 3) return;
    const int32_t shard = p->l->shard > 0 ? p->l->shard : p->l->dp * p->l->cp;
    const struct rr_group g = rr_group_make(p->m, shard, p->l->tp);
    const double hybrid = a->layers ? m->params.layers / a->layers : 0, tp = p->l->tp;
    const double bytes = p->c->v[RR_COEF_GRAD_BYTES];
    const double dense =
        (a->experts && rr_arch_moe_layers(a) < a->layers && a->mamba_layers == 0) ? m->params.attention + m->params.mlp : hybrid;
    const double moe = a->mamba_layers ? hybrid : m->params.attention + m->params.moe;
    const double ends = m->params.embedding + m->params.output;
    m->gather_dense_s = rr_all_gather_s(p->m, p->c, &g, 2 * dense / tp),
    m->reduce_dense_s = rr_all_gather_s(p->m, p->c, &g, bytes * dense / tp);
    m->gather_moe_s = rr_all_gather_s(p->m, p->c, &g, 2 * moe / tp), m->reduce_moe_s = rr_all_gather_s(p->m, p->c, &g, bytes * moe / tp);
    m->gather_head_s = rr_all_gather_s(p->m, p->c, &g, 2 * ends / tp),
    m->reduce_head_s = rr_all_gather_s(p->m, p->c, &g, bytes * ends / tp);
    if (a->lora_rank) m->reduce_dense_s = m->reduce_moe_s = m->reduce_head_s = 0;
}

/* ---- one stage ---- */

/* What sharded weights add to a pass: hidden behind it as far as it lasts, but for dp_shown of it. */
static double shown_s(const struct rr_place *p, double work_s, double communication_s)
{
    const double shown = p->c->v[RR_COEF_DP_SHOWN];
    return rr_longer(work_s, (1 - shown) * communication_s) - work_s + shown * communication_s;
}

static void stage_cost(const struct model *m, int32_t stage, struct cost *ret)
{
    const struct rr_arch *a = m->p.a;
    const struct rr_stage s = rr_layout_stage(a, m->p.l, stage);
    const int32_t end = s.first + s.count;
    int32_t dense = a->experts == 0 ? s.count : a->dense_layers > s.first ? (end < a->dense_layers ? end : a->dense_layers) - s.first : 0;
    *ret = m->micro;
    add_cost(&m->dense, dense, ret);
    add_cost(&m->moe, s.count - dense, ret);
    if (s.head) add_cost(&m->head, 1, ret);
    const double pp = m->p.l->pp > 1 ? m->send_s * m->p.c->v[RR_COEF_PP_SHOWN] * m->p.l->vpp : 0;
    double extra_f = pp, extra_b = pp;
    ret->term_s[RR_STEP_PP] += 2 * pp;
    if (m->p.l->zero >= 3) {
        const double moe = s.count - dense, ends = m->p.l->pp == 1 ? 1 : (stage == 0 || s.head) ? 0.5 : 0;
        const double gather = dense * m->gather_dense_s + moe * m->gather_moe_s + ends * m->gather_head_s;
        const double reduce = dense * m->reduce_dense_s + moe * m->reduce_moe_s + ends * m->reduce_head_s;
        const double f = shown_s(&m->p, ret->forward_s, gather), b = shown_s(&m->p, ret->backward_s, gather + reduce);
        ret->term_s[RR_STEP_DP] += f + b;
        extra_f += f, extra_b += b;
    }
    ret->forward_s += extra_f;
    ret->backward_s += extra_b;
}

/* ---- the whole step ---- */

static void model_make(const struct rr_arch *a, const struct rr_machine *machine, const struct rr_coefs *c, const struct rr_layout *l,
                       struct model *ret)
{
    memset(ret, 0, sizeof *ret);
    rr_place_make(a, machine, c, l, &ret->p);
    ret->params = rr_arch_params(a);
    layer_kinds(ret);
    head_cost(ret);
    shard_costs(ret);
    if (l->pp > 1)
        ret->send_s = rr_send_s(machine, c, l->tp * l->cp * l->dp, ret->p.tokens * a->hidden * 2 / (l->sequence_parallel ? l->tp : 1));
}

struct played {
    double forward_s[RR_PIPELINE_MOST], backward_s[RR_PIPELINE_MOST];
};

/* Passes of all stages, divided over their chunks; returns the slowest stage and its cost. */
static int32_t fill_stages(const struct model *m, struct played *y, struct cost *slowest)
{
    const struct rr_layout *l = m->p.l;
    int32_t at = 0;
    slowest->forward_s = slowest->backward_s = -1;
    for (int32_t s = 0; s < l->pp; s++) {
        struct cost x;
        stage_cost(m, s, &x);
        for (int32_t k = 0; k < l->vpp; k++) {
            y->forward_s[k * l->pp + s] = x.forward_s / l->vpp;
            y->backward_s[k * l->pp + s] = x.backward_s / l->vpp;
        }
        if (x.forward_s + x.backward_s > slowest->forward_s + slowest->backward_s) *slowest = x, at = s;
    }
    return at;
}

static double pipeline_s(const struct model *m, bool play, struct played *y, int64_t micro_batches)
{
    const struct rr_layout *l = m->p.l;
    const struct rr_pipeline p = {.stages = l->pp,
                                  .chunks = l->vpp,
                                  .micro_batches = micro_batches,
                                  .forward_s = y->forward_s,
                                  .backward_s = y->backward_s,
                                  .send_s = m->send_s};
    const bool long_run = (int64_t)l->pp * l->vpp * micro_batches > 4000000; // filling and draining no longer count
    if (!play || long_run || l->pp == 1 || (l->vpp > 1 && micro_batches % l->pp)) return rr_pipeline_closed(&p);
    return rr_pipeline_play(&p);
}

/* Gradients of the slowest stage, beyond what its last backward pass hides. */
static void gradients(const struct model *m, int32_t stage, double backward_s, struct rr_step *ret)
{
    const struct rr_layout *l = m->p.l;
    if (l->zero >= 3) {
        const int32_t shard = l->shard > 0 ? l->shard : l->dp * l->cp, copies = l->dp * l->cp / shard;
        if (copies < 2) return;
        const struct rr_group g = rr_group_make(m->p.m, copies, l->tp * shard);
        const double all = rr_all_reduce_s(m->p.m, m->p.c, &g, m->params.trained / l->tp / l->pp / shard * m->p.c->v[RR_COEF_GRAD_BYTES]);
        ret->term_s[RR_STEP_DP] += all * m->p.c->v[RR_COEF_DP_SHOWN];
        return;
    }
    const struct weights w = stage_weights(m, stage);
    struct sync all = {0};
    add_sync(&m->p, w.shared, 1, &all);
    add_sync(&m->p, w.expert, l->ep, &all);
    const double hideable = l->dp_overlap ? (1 - m->p.c->v[RR_COEF_DP_SHOWN]) * all.reduce_s : 0;
    ret->term_s[RR_STEP_DP] += all.reduce_s - (hideable < backward_s ? hideable : backward_s);
    ret->term_s[RR_STEP_DP] += all.gather_s * (l->dp_overlap ? m->p.c->v[RR_COEF_GATHER_SHOWN] : 1);
}

static void optimizer(const struct model *m, int32_t stage, struct rr_step *ret)
{
    const struct rr_layout *l = m->p.l;
    const struct weights w = stage_weights(m, stage);
    const double ranks = l->zero ? (l->shard > 0 ? l->shard : l->dp * l->cp) : 1,
                 expert_ranks = l->zero ? (double)l->dp * l->cp / l->ep : 1;
    const double held = w.shared / ranks + w.expert / (expert_ranks > 1 ? expert_ranks : 1);
    ret->term_s[RR_STEP_OPTIMIZER] += held * m->p.c->v[RR_COEF_OPT_BYTES] / m->p.memory_b_s;
}

/* Waits that no bandwidth explains, seen where nanotron ran on a network that others use too: of a step on 64 nodes; of each micro batch in a pipeline
 * on 64 nodes, and on fewer where many micro batches go through a pipeline without sharded optimizer (28 of 35 published rows). Near 0 for frameworks
 * and networks whose rows do not show them; below 64 nodes the first two vanish with the eighth power. */
static double stalls_s(const struct model *m, double nodes)
{
    const struct rr_layout *l = m->p.l;
    const double x = nodes < 64 ? nodes / 64 : 1, x2 = x * x, x4 = x2 * x2, micro = rr_layout_micro_batches(l);
    if (l->pp == 1) return 1e-3 * m->p.c->v[RR_COEF_STALL_MS] * x4 * x4;
    const bool unsharded = l->zero == 0 && l->dp >= 4 && micro >= 16;
    return 1e-3 * m->p.c->v[RR_COEF_PP_STALL_MS] * (unsharded ? 1 : x4 * x4) * (l->pp - 1.0) / l->pp * micro;
}

static void finish(const struct model *m, struct rr_step *ret)
{
    const struct rr_layout *l = m->p.l;
    const double nodes = (double)l->gpus / m->p.m->gpus_per_node;
    double total = 0;
    ret->term_s[RR_STEP_FIXED] += 1e-3 * m->p.c->v[RR_COEF_STEP_MS];
    for (int i = 0; i < RR_STEP_N; i++) total += ret->term_s[i];
    if (nodes > 1)
        ret->term_s[RR_STEP_STRAGGLER] = total * m->p.c->v[RR_COEF_STRAGGLE] * rr_log(nodes) * 1.4426950408889634 + stalls_s(m, nodes);
    ret->total_s = total + ret->term_s[RR_STEP_STRAGGLER];
    ret->model_flops = l->global_batch * rr_arch_flops(m->p.a, l->seq, RR_FLOP_MODEL_FULL);
    ret->mfu = ret->model_flops / (l->gpus * m->p.peak16_f_s * ret->total_s);
    ret->tokens_per_s_per_gpu = (double)l->global_batch * l->seq / l->gpus / ret->total_s;
}

void rr_step_time(const struct rr_arch *a, const struct rr_machine *machine, const struct rr_coefs *c, const struct rr_layout *l, bool play,
                  struct rr_step *ret)
{
    struct model m;
    struct played y;
    struct cost slowest;
    const int64_t n = rr_layout_micro_batches(l) > 0 ? rr_layout_micro_batches(l) : 1;
    memset(ret, 0, sizeof *ret);
    model_make(a, machine, c, l, &m);
    const int32_t at = fill_stages(&m, &y, &slowest);
    for (int i = 0; i < RR_STEP_N; i++) ret->term_s[i] = (double)n * slowest.term_s[i];
    if (l->pp > 1) ret->term_s[RR_STEP_BUBBLE] = pipeline_s(&m, play, &y, n) - (double)n * (slowest.forward_s + slowest.backward_s);
    gradients(&m, at, slowest.backward_s, ret);
    optimizer(&m, at, ret);
    finish(&m, ret);
}
