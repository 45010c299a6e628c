/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/train/arch.h - how many parameters and FLOPs a model has, by named rules. */
#ifndef RR_MODELS_TRAIN_ARCH_H
#define RR_MODELS_TRAIN_ARCH_H
#include "data/train_facts.h"

struct rr_params {    /* counts, not bytes */
    double attention; /* of one layer with attention, norms included */
    double mlp;       /* of one dense MLP layer */
    double moe;       /* of one layer with experts: all experts, shared ones, router */
    double expert;    /* of one expert */
    double mamba;     /* of one Mamba layer */
    double embedding; /* input table and learned positions */
    double output;    /* output head; 0 when tied */
    double total;     /* all layers, embeddings, final norm */
    double active;    /* what one token passes through, embeddings included */
    double trained;   /* total, or the adapters of LoRA */
    double layers;    /* of all layers together: total - embedding - output - final norm */
};
struct rr_params rr_arch_params(const struct rr_arch *a);

enum rr_flop_rule {
    RR_FLOP_MODEL_FULL, /* 3 x forward, attention as if not causal: Korthikanti et al. 2022; NeMo, Megatron-Core and llm-foundry print it */
    RR_FLOP_MODEL_CAUSAL, /* 3 x forward, half of the attention square */
    RR_FLOP_6N,           /* 6 FLOPs a parameter and token, no attention (Kaplan et al. 2020) */
    RR_FLOP_HARDWARE,     /* forward counted twice, 4/3 of the model's: full recompute (Narayanan et al. 2021, equation 3) */
    RR_FLOP_RULE_N
};
extern const char *const rr_flop_rule_name[RR_FLOP_RULE_N];
/* FLOPs of one sequence of `seq` tokens, forward and backward. */
double rr_arch_flops(const struct rr_arch *a, double seq, enum rr_flop_rule rule);

int32_t rr_arch_head_dim(const struct rr_arch *a);
int32_t rr_arch_attention_layers(const struct rr_arch *a); /* with attention */
int32_t rr_arch_moe_layers(const struct rr_arch *a);       /* with experts */
int32_t rr_arch_mlp_layers(const struct rr_arch *a);       /* with a dense MLP */
#endif
