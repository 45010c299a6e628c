/* SPDX-License-Identifier: MIT
 * models/probe/layer.c - the layer's work, in order: forward, backward, optimizer. */
#include "models/probe/layer.h"

#define H    ((int64_t)RR_LAYER_HIDDEN)
#define F    ((int64_t)RR_LAYER_FFN)
#define S    ((int64_t)RR_LAYER_SEQ)
#define T    (S * RR_LAYER_BATCH)
#define MAPS (RR_LAYER_HEADS * RR_LAYER_BATCH) /* attention maps */

enum { HEAD = RR_LAYER_HIDDEN / RR_LAYER_HEADS };

#define PRODUCTS(m, n, k, batch)                                                                                       \
    {                                                                                                                  \
        RR_KERNEL_GEMM, m, n, k, batch, 0, 2.0 * (batch) * ((double)(m) * (n) + (double)(m) * (k) + (double)(n) * (k)) \
    }
#define PRODUCT(m, n, k) PRODUCTS(m, n, k, 1)
#define ROWS(id, rows, width, b)                                                                               \
    {                                                                                                          \
        RR_KERNEL_##id, 0, (rows) * (width), 0, 1, (int32_t)(width), (double)((int64_t)(b) * (rows) * (width)) \
    }
#define BACK(in, out) PRODUCT(in, T, out), PRODUCT(in, out, T) /* gradients of the input and of the weights */

const struct rr_layer_op rr_layer_ops[] = {
    ROWS(LAYER_NORM, T, H, 4),
    PRODUCT(3 * H, T, H),
    PRODUCTS(S, S, HEAD, MAPS),
    ROWS(SOFTMAX, MAPS *S, S, 4),
    PRODUCTS(HEAD, S, S, MAPS),
    PRODUCT(H, T, H),
    ROWS(ADD, T, H, 6),
    ROWS(LAYER_NORM, T, H, 4),
    PRODUCT(F, T, H),
    ROWS(GELU, T, F, 4),
    PRODUCT(H, T, F),
    ROWS(ADD, T, H, 6),

    BACK(F, H),
    ROWS(GELU_GRAD, T, F, 6),
    BACK(H, F),
    ROWS(NORM_GRAD, T, H, 6),
    ROWS(ADD, T, H, 6),
    BACK(H, H),
    PRODUCTS(HEAD, S, S, MAPS),
    PRODUCTS(S, S, HEAD, MAPS),
    ROWS(SOFTMAX_GRAD, MAPS *S, S, 6),
    PRODUCTS(HEAD, S, S, MAPS),
    PRODUCTS(HEAD, S, S, MAPS),
    BACK(H, 3 * H),
    ROWS(NORM_GRAD, T, H, 6),
    ROWS(ADD, T, H, 6),

    ROWS(ADAM, 4 * H + 2 * F, H, 28),
};
const size_t rr_layer_n = sizeof rr_layer_ops / sizeof *rr_layer_ops;

double rr_layer_flops(void)
{
    double sum = 0;
    for (size_t i = 0; i < rr_layer_n; i++)
        if (rr_layer_ops[i].kernel == RR_KERNEL_GEMM)
            sum += 2.0 * rr_layer_ops[i].batch * (double)rr_layer_ops[i].m * (double)rr_layer_ops[i].n * (double)rr_layer_ops[i].k;
    return sum;
}
