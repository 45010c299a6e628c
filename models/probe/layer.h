/* SPDX-License-Identifier: MIT
 * models/probe/layer.h - one training step of one transformer layer as a list of work: what the probe runs and a profile predicts.
 *
 * Hidden size 4096, 32 heads of 128, feed-forward 16384, 2 sequences of 2048 tokens, bf16 with fp32 Adam. Attention is unfused (two batched products and
 * a softmax): a fused kernel is faster. All products are A'B; each runs at its shape on random data, not on the result of the one before. */
#ifndef RR_MODELS_PROBE_LAYER_H
#define RR_MODELS_PROBE_LAYER_H
#include "models/probe/cuda.h"

enum { RR_LAYER_HIDDEN = 4096, RR_LAYER_FFN = 16384, RR_LAYER_HEADS = 32, RR_LAYER_SEQ = 2048, RR_LAYER_BATCH = 2 };

struct rr_layer_op {
    enum rr_probe_kernel kernel; /* RR_KERNEL_GEMM: the shape; else n elements in rows of width */
    int64_t m, n, k;
    int32_t batch, width;
    double bytes; /* read and written */
};
extern const struct rr_layer_op rr_layer_ops[];
extern const size_t rr_layer_n;
double rr_layer_flops(void); /* of the products */
#endif
