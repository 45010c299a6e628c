/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/train/layer.h - how long one layer works on one micro batch on one GPU, operator by operator. */
#ifndef RR_MODELS_TRAIN_LAYER_H
#define RR_MODELS_TRAIN_LAYER_H
#include "models/train/network.h"
#include "models/train/layout.h"

/* Seconds of one pass through one layer. */
struct rr_pass {
    double gemm_s, attention_s, memory_s;
    double tp_s, cp_s, ep_s; /* communication that is not hidden */
    double host_s;           /* the host's time to launch it all */
};
struct rr_layer {
    struct rr_pass forward, backward;
};

/* Groups and rates that all layers of a layout share. */
struct rr_place {
    const struct rr_arch *a;
    const struct rr_machine *m;
    const struct rr_coefs *c;
    const struct rr_layout *l;
    double tokens;      /* of a micro batch on a rank */
    double memory_b_s;  /* memory bandwidth that kernels reach, bytes/s */
    double peak16_f_s;  /* FLOP/s of 16-bit products */
    double wide_f_s;    /* peak of products that are not narrow: in 16 bits, or 32 where the layout has no mixed precision */
    double element;     /* bytes of what is not narrow: 2, or 4 */
    double product_f_s; /* FLOP/s that large products reach in the layout's precision */
    struct rr_group tp, cp, ep, dp;
};
void rr_place_make(const struct rr_arch *a, const struct rr_machine *m, const struct rr_coefs *c, const struct rr_layout *l,
                   struct rr_place *ret);
/* A product of m x k by k x n in the layout's precision (narrow = true) or in 16 bits, s. */
double rr_gemm_s(const struct rr_place *p, double m, double n, double k, bool narrow);

void rr_layer_attention(const struct rr_place *p, struct rr_layer *ret); /* attention block with its norm and projections */
void rr_layer_mlp(const struct rr_place *p, struct rr_layer *ret);       /* dense MLP block */
void rr_layer_moe(const struct rr_place *p, struct rr_layer *ret);       /* experts, with the all-to-all */
void rr_layer_mamba(const struct rr_place *p, struct rr_layer *ret);
void rr_layer_table(const struct rr_place *p,
                    struct rr_layer *ret); /* a layer of a network by table (sample_gflop > 0), in CUDA graphs: no host time */
/* The vocabulary projection and the loss, on the last stage. */
void rr_layer_logits(const struct rr_place *p, struct rr_layer *ret);

/* A smooth maximum: what overlaps takes as long as the longer one, a little more where both are alike. */
double rr_longer(double a, double b);
#endif
