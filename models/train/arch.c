/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/train/arch.c - parameters and FLOPs of an architecture. */
#include "models/train/arch.h"

const char *const rr_flop_rule_name[RR_FLOP_RULE_N] = {
    [RR_FLOP_MODEL_FULL] = "model FLOPs, attention counted in full",
    [RR_FLOP_MODEL_CAUSAL] = "model FLOPs, causal attention",
    [RR_FLOP_6N] = "6 N a token",
    [RR_FLOP_HARDWARE] = "hardware FLOPs with full recompute",
};

int32_t rr_arch_head_dim(const struct rr_arch *a) { return a->head_dim ? a->head_dim : a->heads ? a->hidden / a->heads : 0; }

int32_t rr_arch_attention_layers(const struct rr_arch *a)
{
    return a->attention_layers || a->mamba_layers || a->ffn_layers ? a->attention_layers : a->layers;
}

static int32_t feed_layers(const struct rr_arch *a)
{
    return a->attention_layers || a->mamba_layers || a->ffn_layers ? a->ffn_layers : a->layers;
}

int32_t rr_arch_moe_layers(const struct rr_arch *a) { return a->experts ? feed_layers(a) - a->dense_layers : 0; }
int32_t rr_arch_mlp_layers(const struct rr_arch *a) { return feed_layers(a) - rr_arch_moe_layers(a); }

/* Projections of one attention layer: what matrix products read, without norms and biases. */
static double attention_matrices(const struct rr_arch *a)
{
    const double h = a->hidden, d = rr_arch_head_dim(a);
    if (a->kv_lora == 0) return h * d * (2.0 * a->heads + 2.0 * a->kv_heads);
    const double q_wide = (double)a->heads * (a->nope_dim + a->rope_dim), q = a->q_lora ? a->q_lora * (h + q_wide) : h * q_wide;
    return q + h * (a->kv_lora + a->rope_dim) + (double)a->kv_lora * a->heads * (a->nope_dim + a->v_dim) + (double)a->heads * a->v_dim * h;
}

static double mamba_matrices(const struct rr_arch *a)
{
    const double head = 64; // Mamba-2's heads are 64 wide in all published models
    return a->hidden * (2.0 * a->mamba_inner + 2.0 * a->mamba_groups * a->mamba_state + a->mamba_inner / head) +
           (double)a->mamba_inner * a->hidden;
}

static double expert_wide(const struct rr_arch *a) { return a->latent ? a->latent : a->hidden; }

/* What one token's forward pass multiplies with, over all layers and the head. */
static double active_matrices(const struct rr_arch *a)
{
    const double gates = a->gated ? 3 : 2, moe = rr_arch_moe_layers(a);
    double n = rr_arch_attention_layers(a) * attention_matrices(a) + a->mamba_layers * mamba_matrices(a);
    n += rr_arch_mlp_layers(a) * gates * a->hidden * a->ffn;
    n += moe * (gates * (a->top_k * expert_wide(a) * a->expert_ffn + (double)a->hidden * a->shared_ffn) + (double)a->hidden * a->experts);
    n += moe * (a->latent ? 2.0 * a->hidden * a->latent : 0);
    return n + (double)a->hidden * a->vocab;
}

struct rr_params rr_arch_params(const struct rr_arch *a)
{
    const double h = a->hidden, gates = a->gated ? 3 : 2;
    const bool biased = !a->gated && a->experts == 0 && a->mamba_layers == 0;
    struct rr_params p = {0};
    if (a->params_m > 0) {
        p.total = p.active = p.trained = p.layers = a->params_m * 1e6;
        return p;
    }
    p.attention = attention_matrices(a) + (a->kv_lora ? a->q_lora + a->kv_lora : 0) + (biased ? 4 * h + 2 * h : h);
    p.mlp = gates * h * a->ffn + (biased ? a->ffn + h + 2 * h : h);
    p.expert = gates * expert_wide(a) * a->expert_ffn;
    p.moe = a->experts * p.expert + gates * h * a->shared_ffn + h * a->experts + h + (a->latent ? 2.0 * h * a->latent : 0);
    p.mamba = a->mamba_layers ? mamba_matrices(a) + 4.0 * (a->mamba_inner + 2.0 * a->mamba_groups * a->mamba_state) + h : 0;
    p.embedding = h * ((double)a->vocab + a->positions);
    p.output = a->tied ? 0 : h * a->vocab;
    p.layers = rr_arch_attention_layers(a) * p.attention + rr_arch_mlp_layers(a) * p.mlp + rr_arch_moe_layers(a) * p.moe +
               a->mamba_layers * p.mamba;
    p.total = p.layers + p.embedding + p.output + (biased ? 2 * h : h);
    p.active = p.total - rr_arch_moe_layers(a) * (a->experts - a->top_k) * p.expert;
    p.trained = p.total;
    if (a->lora_rank) {
        // adapters on the four projections of attention and on the MLP's matrices
        const double d = rr_arch_head_dim(a), r = a->lora_rank;
        p.trained = a->layers * r * (h + d * (a->heads + 2.0 * a->kv_heads) + d * a->heads + h + h + (gates - 1) * a->ffn + a->ffn + h);
    }
    return p;
}

double rr_arch_flops(const struct rr_arch *a, double seq, enum rr_flop_rule rule)
{
    if (a->sample_gflop > 0) return (rule == RR_FLOP_HARDWARE ? 4 : 3) * a->sample_gflop * 1e9;
    if (rule == RR_FLOP_6N) return 6 * rr_arch_params(a).active * seq;
    const double head = a->kv_lora ? (a->nope_dim + a->rope_dim + a->v_dim) / 2.0 : rr_arch_head_dim(a);
    const double wide = a->window > 0 && a->window < seq ? a->window : seq;
    const double full = rr_arch_attention_layers(a) - a->window_layers;
    double scores = 4.0 * a->heads * head * (full * seq + a->window_layers * wide);
    if (rule == RR_FLOP_MODEL_CAUSAL && !a->encoder) scores /= 2;
    const double forward = seq * (2 * active_matrices(a) + scores);
    if (a->lora_rank) return (rule == RR_FLOP_HARDWARE ? 3 : 2) * forward; // no gradient of frozen weights
    return (rule == RR_FLOP_HARDWARE ? 4 : 3) * forward;
}
