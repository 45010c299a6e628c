/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/train/layer.c - the operators of a transformer layer.
 *
 * A matrix product fills whole waves of tiles over the processors and starts each tile anew: 2 (m n + lost waves) (k + depth) at the rate of
 * large products, but not faster than memory brings its operands. What is no product moves bytes at memory bandwidth. */
#include "models/train/layer.h"
#include "models/train/arch.h"
#include <math.h>

#define TILE (128.0 * 256.0) /* elements of C that one processor computes at a time (CUTLASS, cuBLAS on large products) */

double rr_longer(double a, double b)
{
    const double x = a * a, y = b * b;
    return sqrt(sqrt(x * x + y * y));
}

static double rate_of(const struct rr_machine *m, const struct rr_coefs *c, enum rr_precision p)
{
    const double peak = rr_machine_peak_flops(m, p);
    if (p == RR_FP8) return peak * c->v[RR_COEF_GEMM8_EFF];
    if (p == RR_MXFP8) return peak * c->v[RR_COEF_GEMMX_EFF];
    if (p == RR_NVFP4) return peak * c->v[RR_COEF_GEMM4_EFF];
    return peak * c->v[RR_COEF_GEMM_EFF];
}

void rr_place_make(const struct rr_arch *a, const struct rr_machine *m, const struct rr_coefs *c, const struct rr_layout *l,
                   struct rr_place *ret)
{
    *ret = (struct rr_place){.a = a, .m = m, .c = c, .l = l};
    ret->tokens = (double)l->micro_batch * l->seq / l->cp;
    ret->memory_b_s = m->memory_gb_s * 1e9 * c->v[RR_COEF_MEM_EFF];
    ret->peak16_f_s = m->bf16_tflops * 1e12;
    const bool single = l->precision == RR_FP32 || l->precision == RR_TF32;
    ret->wide_f_s = single ? rr_machine_peak_flops(m, l->precision) : ret->peak16_f_s;
    ret->element = single ? 4 : 2;
    ret->product_f_s = rate_of(m, c, l->precision);
    ret->tp = rr_group_make(m, l->tp, 1);
    ret->cp = rr_group_make(m, l->cp, l->tp);
    ret->ep = rr_group_make(m, l->ep, l->tp);
    ret->dp = rr_group_make(m, l->dp * l->cp, l->tp);
}

static bool narrow_products(const struct rr_place *p)
{
    return p->l->precision == RR_FP8 || p->l->precision == RR_MXFP8 || p->l->precision == RR_NVFP4;
}

double rr_gemm_s(const struct rr_place *p, double m, double n, double k, bool narrow)
{
    narrow = narrow && narrow_products(p);
    const double rate = narrow ? p->product_f_s : p->wide_f_s * p->c->v[RR_COEF_GEMM_EFF];
    const double lost = p->c->v[RR_COEF_GEMM_TAIL] * p->m->sms * TILE;
    const double full = m * n + (lost < m * n ? lost : m * n); // few tiles: the product is split along k instead
    const bool odd = fmod(n, 64) != 0 || fmod(k, 64) != 0;     // rows of less than whole 128-byte lines
    const double work = 2 * full * (k + p->c->v[RR_COEF_GEMM_DEPTH]) / rate * (odd ? 1 + p->c->v[RR_COEF_GEMM_ALIGN] : 1);
    const double bytes = (narrow ? 1 : p->element) * (m * k + k * n) + p->element * m * n;
    return rr_longer(work, bytes / p->memory_b_s) + 1e-6 * p->c->v[RR_COEF_KERNEL_US];
}

/* Casting `elements` from 16 to 8 bits, twice: as they are and transposed. */
static double cast_s(const struct rr_place *p, double elements) { return narrow_products(p) ? 4 * elements / p->memory_b_s : 0; }

/* A weight of k x n: forward, and in the backward pass the gradients of input and weight. */
static void product(const struct rr_place *p, double m, double n, double k, bool narrow, struct rr_layer *ret)
{
    ret->forward.gemm_s += rr_gemm_s(p, m, n, k, narrow);
    ret->backward.gemm_s += rr_gemm_s(p, m, k, n, narrow);
    if (!p->a->lora_rank) ret->backward.gemm_s += rr_gemm_s(p, k, n, m, narrow);
    if (!narrow) return;
    ret->forward.memory_s += cast_s(p, m * k);
    ret->backward.memory_s += cast_s(p, m * n);
}

/* `bytes` of 16-bit elements. */
static void moved(const struct rr_place *p, double bytes, struct rr_layer *ret)
{
    const double s = bytes * p->element / 2 / p->memory_b_s;
    ret->forward.memory_s += s;
    ret->backward.memory_s += 2 * s;
}

/* A block's two collectives over tp: before and after, or one all-reduce; the bytes are the same. */
static void tensor_parallel(const struct rr_place *p, struct rr_layer *ret)
{
    if (p->l->tp == 1) return;
    const double shown = p->l->tp_overlap ? p->c->v[RR_COEF_TP_SHOWN] : 1;
    const double t = rr_all_reduce_s(p->m, p->c, &p->tp, p->tokens * p->a->hidden * p->element) * shown;
    ret->forward.tp_s += t;
    ret->backward.tp_s += t;
}

/* Norm, residual and dropout of a block: half of mem_passes. */
static void residual(const struct rr_place *p, struct rr_layer *ret)
{
    const double split = p->l->sequence_parallel ? p->l->tp : 1;
    moved(p, p->c->v[RR_COEF_MEM_PASSES] / 2 * 2 * p->tokens * p->a->hidden / split, ret);
}

static void host(const struct rr_place *p, double share, struct rr_layer *ret)
{
    const double us = share * (p->c->v[RR_COEF_LAUNCH_US] + (p->l->tp > 1 ? p->c->v[RR_COEF_LAUNCH_TP_US] : 0));
    ret->forward.host_s += 1e-6 * us;
    ret->backward.host_s += 1e-6 * us * p->c->v[RR_COEF_LAUNCH_BACK];
}

/* ---- attention ---- */

/* Scores and weighted values over `reach` tokens of context. `width` is that of queries and values together, of one head. */
static void scores(const struct rr_place *p, double heads, double width, double reach, double share, struct rr_layer *ret)
{
    const bool causal = !p->a->encoder && p->l->flash; // attention that writes its scores computes all of them
    const double flops = 2 * p->tokens * reach * heads * width * (causal ? 0.5 : 1);
    const bool odd = rr_arch_head_dim(p->a) % 8 != 0;
    const double wide = width / (width + p->c->v[RR_COEF_ATTN_SOFTMAX]);
    const double rate = p->wide_f_s * p->c->v[RR_COEF_ATTN_EFF] * wide / (odd ? 1 + p->c->v[RR_COEF_ATTN_ALIGN] : 1);
    ret->forward.attention_s += share * flops / rate;
    ret->backward.attention_s += share * (p->l->flash ? 2.5 : 2) * flops / rate;
    if (p->l->flash) return;
    const double bytes = p->tokens * reach * heads * p->c->v[RR_COEF_ATTN_BYTES] * p->element / 2;
    ret->forward.attention_s += share * bytes / p->memory_b_s;
    ret->backward.attention_s += share * 1.5 * bytes / p->memory_b_s;
}

static void all_scores(const struct rr_place *p, double width, struct rr_layer *ret)
{
    const struct rr_arch *a = p->a;
    const double heads = (double)a->heads / p->l->tp, seq = p->l->seq;
    const double near = a->window > 0 && a->window < seq ? (double)a->window_layers / rr_arch_attention_layers(a) : 0;
    scores(p, heads, width, seq, 1 - near, ret);
    if (near > 0) scores(p, heads, width, 2.0 * a->window, near, ret); // a window moves on: no half of it is masked
}

static void projections(const struct rr_place *p, struct rr_layer *ret)
{
    const struct rr_arch *a = p->a;
    const double t = p->tokens, h = a->hidden, tp = p->l->tp, d = rr_arch_head_dim(a);
    if (a->kv_lora == 0) {
        const double wide = d * (a->heads + 2.0 * a->kv_heads) / tp;
        product(p, t, wide, h, true, ret);
        product(p, t, h, d * a->heads / tp, true, ret);
        moved(p, 4 * 2 * t * wide / 2, ret); // rotary embedding and layout of heads
        return;
    }
    const double q = (double)a->heads * (a->nope_dim + a->rope_dim) / tp, kv = (double)a->heads * (a->nope_dim + a->v_dim) / tp;
    if (a->q_lora) product(p, t, a->q_lora, h, true, ret);
    product(p, t, q, a->q_lora ? a->q_lora : h, true, ret);
    product(p, t, a->kv_lora + a->rope_dim, h, true, ret);
    product(p, t, kv, a->kv_lora, true, ret);
    product(p, t, h, (double)a->heads * a->v_dim / tp, true, ret);
    moved(p, 6 * 2 * t * (q + kv) / 2, ret);
}

/* What shows of keys and values that are passed around while attention works: no more is hidden than attention lasts. */
static double beside_attention(const struct rr_place *p, double passed_s, double attention_s)
{
    const double shown = p->c->v[RR_COEF_CP_SHOWN] * passed_s, rest = passed_s - attention_s;
    return rest > shown ? rest : shown;
}

static void context_parallel(const struct rr_place *p, struct rr_layer *ret)
{
    const struct rr_arch *a = p->a;
    if (p->l->cp == 1) return;
    const double kv = a->kv_lora ? (double)a->heads * (a->nope_dim + a->rope_dim + a->v_dim) : 2.0 * a->kv_heads * rr_arch_head_dim(a);
    const double tp = a->kv_lora || p->l->tp <= a->kv_heads ? p->l->tp : a->kv_heads;
    const double whole = (double)p->l->micro_batch * p->l->seq * kv * 2 / tp;
    const double t = rr_all_gather_s(p->m, p->c, &p->cp, whole);
    ret->forward.cp_s += beside_attention(p, t, ret->forward.attention_s);
    ret->backward.cp_s += beside_attention(p, 2 * t, ret->backward.attention_s);
}

void rr_layer_attention(const struct rr_place *p, struct rr_layer *ret)
{
    const struct rr_arch *a = p->a;
    *ret = (struct rr_layer){0};
    projections(p, ret);
    all_scores(p, a->kv_lora ? a->nope_dim + a->rope_dim + a->v_dim : 2.0 * rr_arch_head_dim(a), ret);
    residual(p, ret);
    tensor_parallel(p, ret);
    context_parallel(p, ret);
    host(p, 0.6, ret);
}

/* ---- MLP, experts, Mamba, logits ---- */

void rr_layer_mlp(const struct rr_place *p, struct rr_layer *ret)
{
    const struct rr_arch *a = p->a;
    const double t = p->tokens, up = (a->gated ? 2.0 : 1.0) * a->ffn / p->l->tp, down = (double)a->ffn / p->l->tp;
    *ret = (struct rr_layer){0};
    product(p, t, up, a->hidden, true, ret);
    product(p, t, a->hidden, down, true, ret);
    moved(p, 2 * t * (up + down), ret);
    residual(p, ret);
    tensor_parallel(p, ret);
    host(p, 0.4, ret);
}

/* Tokens spread evenly over experts (forced balance); a rank's local experts each get rows x top_k / experts. */
static void experts(const struct rr_place *p, struct rr_layer *ret)
{
    const struct rr_arch *a = p->a;
    const double etp = p->l->etp ? p->l->etp : p->l->tp, wide = a->latent ? a->latent : a->hidden;
    const double local = (double)a->experts / p->l->ep, rows = p->tokens * a->top_k * (p->l->ep > 1 ? p->c->v[RR_COEF_EP_IMBALANCE] : 1);
    const double each = rows / local * (etp < p->l->tp ? etp / p->l->tp : 1);
    struct rr_layer one = {0};
    product(p, each, (a->gated ? 2.0 : 1.0) * a->expert_ffn / etp, wide, true, &one);
    product(p, each, wide, a->expert_ffn / etp, true, &one);
    ret->forward.gemm_s += local * one.forward.gemm_s;
    ret->backward.gemm_s += local * one.backward.gemm_s;
    ret->forward.memory_s += local * one.forward.memory_s;
    ret->backward.memory_s += local * one.backward.memory_s;
    const double kept = each * local;
    moved(p, 2 * kept * (a->gated ? 3.0 : 2.0) * a->expert_ffn / etp, ret);
    moved(p, 2 * kept * wide * 6, ret); // permute, pad and back
}

/* Of `places`, how many a token is sent to: its top_k experts may share one, and it goes there once (DeepEP, HybridEP). */
static double reached(double places, int32_t top_k)
{
    double missed = 1;
    for (int32_t i = 0; i < top_k; i++) missed *= 1 - 1 / places;
    return places * (1 - missed);
}

/* What is left of t seconds of communication beside the products of a pass. */
static double not_hidden_s(const struct rr_pass *x, double t)
{
    const double work = x->gemm_s + x->memory_s;
    return rr_longer(work, t) - work;
}

/* Between nodes a token travels once a node, then over the fast links to its experts there. */
static void expert_parallel(const struct rr_place *p, struct rr_layer *ret)
{
    const struct rr_arch *a = p->a;
    const double wait = p->l->drop_tokens ? 0 : 1e-6 * p->c->v[RR_COEF_MOE_SYNC_US];
    ret->forward.ep_s += wait;
    ret->backward.ep_s += wait;
    if (p->l->ep == 1) return;
    const double wide = a->latent ? a->latent : a->hidden, ranks = p->ep.size, nodes = ranks / p->ep.inside;
    const double one = p->tokens * wide * 2 / p->l->tp * p->c->v[RR_COEF_EP_IMBALANCE];
    const double near = one * reached(ranks, a->top_k) * (p->ep.inside - 1) / p->ep.inside,
                 far = one * reached(nodes, a->top_k) * (nodes - 1) / nodes;
    const double t = 2 * rr_all_to_all_s(p->m, p->c, &p->ep, near, far) * p->c->v[RR_COEF_EP_SHOWN];
    const bool beside = p->l->ep_overlap && nodes > 1;
    ret->forward.ep_s += beside ? not_hidden_s(&ret->forward, t) : t;
    ret->backward.ep_s += beside ? not_hidden_s(&ret->backward, t) : t;
}

void rr_layer_moe(const struct rr_place *p, struct rr_layer *ret)
{
    const struct rr_arch *a = p->a;
    *ret = (struct rr_layer){0};
    product(p, p->tokens, a->experts, a->hidden, false, ret);
    experts(p, ret);
    expert_parallel(p, ret);
    if (a->latent) {
        product(p, p->tokens, a->latent, a->hidden, true, ret);
        product(p, p->tokens, a->hidden, a->latent, true, ret);
    }
    if (a->shared_ffn) {
        product(p, p->tokens, (a->gated ? 2.0 : 1.0) * a->shared_ffn / p->l->tp, a->hidden, true, ret);
        product(p, p->tokens, a->hidden, (double)a->shared_ffn / p->l->tp, true, ret);
    }
    residual(p, ret);
    tensor_parallel(p, ret);
    host(p, 1.2, ret);
}

/* Mamba-2: projections, a short convolution, the scan in blocks (as products of 64 x 128 state) and the gate. */
void rr_layer_mamba(const struct rr_place *p, struct rr_layer *ret)
{
    const struct rr_arch *a = p->a;
    const double t = p->tokens, tp = p->l->tp, inner = a->mamba_inner / tp, state = 2.0 * a->mamba_groups * a->mamba_state / tp;
    *ret = (struct rr_layer){0};
    product(p, t, 2 * inner + state + inner / 64, a->hidden, true, ret);
    product(p, t, a->hidden, inner, true, ret);
    const double scan = t * inner * (4.0 * a->mamba_state + 2 * 256) / (p->wide_f_s * p->c->v[RR_COEF_ATTN_EFF]);
    ret->forward.attention_s += scan;
    ret->backward.attention_s += 2.5 * scan;
    moved(p, 2 * t * (8 * inner + 4 * state), ret);
    residual(p, ret);
    tensor_parallel(p, ret);
    host(p, 0.8, ret);
}

void rr_layer_logits(const struct rr_place *p, struct rr_layer *ret)
{
    const double t = p->tokens, v = (double)p->a->vocab / p->l->tp;
    *ret = (struct rr_layer){0};
    product(p, t, v, p->a->hidden, false, ret);
    ret->forward.memory_s += t * v * 10 / p->memory_b_s; // 32-bit softmax: read 2, write 4, read 4
    ret->backward.memory_s += t * v * 8 / p->memory_b_s;
    if (p->l->tp > 1) {
        const double x =
            rr_all_reduce_s(p->m, p->c, &p->tp, t * p->a->hidden * 2) / 2; // its input's gradient; the input was gathered before
        ret->forward.tp_s += x;
        ret->backward.tp_s += x;
    }
}
