/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/train/memory.c - memory of a rank.
 *
 * Activations follow Korthikanti et al. 2022 (equations 1 to 6): of 34 s b h a layer, 10 lie outside what tensor parallelism splits unless
 * sequence parallelism splits them too; attention that writes its scores adds 5 a s / h; full recompute keeps a layer's input, 2 s b h. The first
 * stages of a pipeline hold those of several micro batches. */
#include "models/train/memory.h"
#include "models/train/arch.h"
#include <math.h>
#include <string.h>

#define GIB 1073741824.0

const char *const rr_memory_name[RR_MEMORY_N] = {
#define X(id, name, help) name,
    RR_MEMORY_TABLE(X)
#undef X
};
const char *const rr_memory_help[RR_MEMORY_N] = {
#define X(id, name, help) help,
    RR_MEMORY_TABLE(X)
#undef X
};

double rr_memory_usable_bytes(const struct rr_machine *m) { return m->memory_gib * GIB * 0.985; }

/* Micro batches whose activations a stage holds at once: 1F1B warms up with one for each stage behind it; interleaving adds chunks. */
static double in_flight(const struct rr_layout *l, int32_t stage)
{
    const double n = rr_layout_micro_batches(l) > 0 ? rr_layout_micro_batches(l) : 1;
    double held = l->pp - stage;
    if (l->vpp > 1) held = (2.0 * (l->pp - stage - 1) + (l->vpp - 1.0) * l->pp + 1) / l->vpp;
    return l->global_batch > 0 && held > n ? n : held;
}

/* No mixed precision: everything has 32 bits. */
static bool in_single(const struct rr_layout *l) { return l->precision == RR_FP32 || l->precision == RR_TF32; }

/* Tokens of a micro batch on a rank. */
static double tokens_of(const struct rr_layout *l) { return (double)l->micro_batch * l->seq / l->cp; }

/* 16-bit elements of q, k and v that a token has, over 3 h: fewer with shared kv heads, more with latent attention, whose compressed ones are kept too. */
static double attention_wide(const struct rr_arch *a)
{
    const double d = rr_arch_head_dim(a);
    if (a->kv_lora == 0) return d * (a->heads + 2.0 * a->kv_heads);
    return a->heads * (2.0 * (a->nope_dim + a->rope_dim) + a->v_dim) + 2.0 * (a->q_lora + a->kv_lora);
}

/* What one layer keeps of one micro batch, without recompute. */
static double layer_bytes(const struct rr_arch *a, const struct rr_coefs *c, const struct rr_layout *l)
{
    const double t = tokens_of(l), tp = l->tp, h = a->hidden;
    const double wide = rr_arch_moe_layers(a) ? (double)a->top_k * a->expert_ffn + a->shared_ffn : a->ffn;
    const double masks = a->gated ? 2 : 0; // of dropout, which gated models are trained without
    const double outside = l->sequence_parallel ? tp : 1, kept = c->v[RR_COEF_ACT_BYTES] - masks;
    const double apart = kept < 10 - masks ? kept : 10 - masks; // norms, residuals, dropout
    const double inner = (kept - apart) * h + 2 * attention_wide(a) - 6 * h;
    double bytes = t * (h * apart / outside + (inner > 0 ? inner : 0) / tp);
    bytes += t * wide * c->v[RR_COEF_ACT_FFN_BYTES] * (a->gated ? 1.5 : 1) / tp;
    if (l->recompute == RR_RECOMPUTE_SELECTIVE) bytes *= c->v[RR_COEF_ACT_SELECT];
    if (!l->flash && l->recompute != RR_RECOMPUTE_SELECTIVE) bytes += 5 * t * l->seq * a->heads / tp;
    return in_single(l) ? 2 * bytes : bytes;
}

/* Layers of a stage that are recomputed: all, or the first so many (Megatron's block method). */
static double recomputed(const struct rr_layout *l, const struct rr_stage *s)
{
    if (l->recompute != RR_RECOMPUTE_FULL) return 0;
    return l->recompute_layers > 0 && l->recompute_layers < s->count ? l->recompute_layers : s->count;
}

static void activations(const struct rr_arch *a, const struct rr_coefs *c, const struct rr_layout *l, const struct rr_stage *s,
                        struct rr_memory *ret)
{
    const double t = tokens_of(l), each = layer_bytes(a, c, l), held = in_flight(l, ret->stage), element = in_single(l) ? 4 : 2;
    const double again = recomputed(l, s), input = element * t * a->hidden / (l->sequence_parallel ? l->tp : 1);
    ret->term_bytes[RR_MEMORY_ACTIVATIONS] = held * (again * input + (s->count - again) * each);
    ret->term_bytes[RR_MEMORY_WORKSPACE] = (again > 0 ? each : 0) + (s->count > 0 ? c->v[RR_COEF_WORK_LAYERS] * each : 0);
    if (l->tp > 1) ret->term_bytes[RR_MEMORY_WORKSPACE] += c->v[RR_COEF_WORK_BYTES] * element / 2 * t * a->hidden;
    // tokens sent to experts and what comes back: inputs and outputs of the experts' products are kept for each copy
    if (rr_arch_moe_layers(a)) {
        const double share = (double)rr_arch_moe_layers(a) / a->layers, copies = 2 * element * t * a->top_k * a->hidden / l->tp;
        ret->term_bytes[RR_MEMORY_EXPERTS] = copies * (held * (s->count - again) * share + 1);
    }
}

static void logits(const struct rr_arch *a, const struct rr_coefs *c, const struct rr_layout *l, struct rr_memory *ret)
{
    const double t = tokens_of(l);
    ret->term_bytes[RR_MEMORY_LOGITS] = t * a->vocab * c->v[RR_COEF_LOGIT_BYTES] / l->tp;
    if (l->tp > 1) ret->term_bytes[RR_MEMORY_LOGITS] += t * a->hidden * c->v[RR_COEF_HEAD_BYTES];
}

/* Blocks that the first micro batch left behind and that later ones cannot use. */
static double fragments(const struct rr_coefs *c, const struct rr_layout *l, const struct rr_memory *m)
{
    const double n = l->global_batch > 0 && rr_layout_micro_batches(l) > 0 ? rr_layout_micro_batches(l) : 1;
    const double moving = m->term_bytes[RR_MEMORY_ACTIVATIONS] + m->term_bytes[RR_MEMORY_EXPERTS] + m->term_bytes[RR_MEMORY_WORKSPACE] +
                          m->term_bytes[RR_MEMORY_LOGITS];
    return c->v[RR_COEF_MEM_FRAG] * (1 - 1 / n) * moving;
}

static void states(const struct rr_arch *a, const struct rr_coefs *c, const struct rr_layout *l, const struct rr_stage *s,
                   struct rr_memory *ret)
{
    const struct rr_params n = rr_arch_params(a);
    const double share = (double)s->count / a->layers, etp = l->etp ? l->etp : l->tp;
    const double all_expert = rr_arch_moe_layers(a) * a->experts * n.expert;
    const double ends = (ret->stage == 0 ? n.embedding : 0) + (s->head ? (a->tied ? (ret->stage > 0 ? n.embedding : 0) : n.output) : 0);
    const double shared = ((n.layers - all_expert) * share + ends) / l->tp, expert = all_expert * share / etp / l->ep;
    const double ranks = l->shard > 0 ? l->shard : (double)l->dp * l->cp, expert_ranks = ranks / l->ep > 1 ? ranks / l->ep : 1;
    const double whole = shared + expert, divided = shared / ranks + expert / expert_ranks;
    const bool single = in_single(l); // 4 bytes of weights and of gradients, two moments and no master weights
    const double param = single ? 8 : c->v[RR_COEF_MEM_PARAM] + (l->grads32 ? 4 : 0), state = c->v[RR_COEF_MEM_STATE] - (single ? 4 : 0);
    const double weight = single ? 4 : 2;
    const double trained = a->lora_rank ? n.trained / n.total : 1;
    ret->term_bytes[RR_MEMORY_WEIGHTS] = weight * (l->zero >= 3 ? divided : whole);
    ret->term_bytes[RR_MEMORY_GRADIENTS] = (param - weight) * trained * (l->zero >= 2 ? divided : whole);
    ret->term_bytes[RR_MEMORY_OPTIMIZER] = state * trained * (l->zero >= 1 ? divided : whole);
    if (l->zero >= 3 && l->pp > 1)
        ret->term_bytes[RR_MEMORY_BUFFERS] =
            (weight + 4 * trained) * whole; // a pipeline gathers once a step, sums in 32 bits and reduces at its end
    else if (l->zero >= 3)
        ret->term_bytes[RR_MEMORY_BUFFERS] = c->v[RR_COEF_GATHER_LAYERS] * 2 * (s->count > 0 ? shared / s->count : 0);
    if (l->zero == 0 && (double)l->dp * l->cp > 1) ret->term_bytes[RR_MEMORY_BUFFERS] += c->v[RR_COEF_MEM_BUCKET] * trained * whole;
}

void rr_memory_stage(const struct rr_arch *a, const struct rr_coefs *c, const struct rr_layout *l, int32_t stage, struct rr_memory *ret)
{
    const struct rr_stage s = rr_layout_stage(a, l, stage);
    memset(ret, 0, sizeof *ret);
    ret->stage = stage;
    if (a->params_m > 0) {
        ret->term_bytes[RR_MEMORY_WEIGHTS] = 2 * a->params_m * 1e6;
        ret->term_bytes[RR_MEMORY_GRADIENTS] = (c->v[RR_COEF_MEM_PARAM] - 2) * a->params_m * 1e6;
        ret->term_bytes[RR_MEMORY_OPTIMIZER] = c->v[RR_COEF_MEM_STATE] * a->params_m * 1e6;
        ret->term_bytes[RR_MEMORY_ACTIVATIONS] =
            l->micro_batch * a->sample_mb * 1e6 / (in_single(l) ? 1 : 2); // half of what is moved is kept
    } else {
        states(a, c, l, &s, ret);
        activations(a, c, l, &s, ret);
        if (s.head) logits(a, c, l, ret);
        if (l->pp > 1) ret->term_bytes[RR_MEMORY_BUFFERS] += 4 * 2 * tokens_of(l) * a->hidden / (l->sequence_parallel ? l->tp : 1);
        ret->term_bytes[RR_MEMORY_FRAGMENTS] = fragments(c, l, ret);
    }
    ret->term_bytes[RR_MEMORY_WORKSPACE] += c->v[RR_COEF_MEM_REST] * GIB;
    for (int i = 0; i < RR_MEMORY_N; i++)
        if (!rr_memory_is_state(i)) ret->term_bytes[i] *= c->v[RR_COEF_MEM_SCALE];
    ret->term_bytes[RR_MEMORY_CONTEXT] = c->v[RR_COEF_MEM_CONTEXT] * GIB;
    for (int i = 0; i < RR_MEMORY_N; i++) ret->total_bytes += ret->term_bytes[i];
}

void rr_memory_peak(const struct rr_arch *a, const struct rr_coefs *c, const struct rr_layout *l, struct rr_memory *ret)
{
    struct rr_memory m;
    rr_memory_stage(a, c, l, 0, ret);
    for (int32_t s = 1; s < l->pp; s++) {
        rr_memory_stage(a, c, l, s, &m);
        if (m.total_bytes > ret->total_bytes) *ret = m;
    }
}

static double stage_bytes(const struct rr_arch *a, const struct rr_coefs *c, struct rr_layout l, int32_t stage, int32_t layers)
{
    struct rr_memory m;
    l.recompute = RR_RECOMPUTE_FULL, l.recompute_layers = layers;
    rr_memory_stage(a, c, &l, stage, &m);
    return m.total_bytes;
}

int32_t rr_memory_recompute_least(const struct rr_arch *a, const struct rr_coefs *c, const struct rr_layout *l, double usable_bytes)
{
    int32_t least = 1;
    for (int32_t s = 0; s < l->pp; s++) {
        const int32_t count = rr_layout_stage(a, l, s).count;
        const double all = stage_bytes(a, c, *l, s, 0);
        if (all > usable_bytes) return 0;
        if (count <= least) continue;
        const double one = stage_bytes(a, c, *l, s, 1), each = (one - all) / (count - 1);
        if (one <= usable_bytes || each <= 0) continue;
        int32_t need = 1 + (int32_t)ceil((one - usable_bytes) / each);
        if (need < count && one - (need - 1) * each > usable_bytes) need++; // rounding
        if (need > count) need = count;
        if (need > least) least = need;
    }
    return least;
}
