/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/train/table.c - networks that are no transformers, by table: FLOPs, bytes and parameters of a sample (data/facts/models.csv).
 *
 * A convolution's products run at the rate of large products; what is normalised and activated in between moves at memory bandwidth, one after the
 * other. The backward pass does and moves twice as much. Each layer has its share. ResNet-50 on an A100 at 16 bits: 8.18 GFLOP and 170 MB a sample
 * forward; 3 x 8.18e9 / (312e12 x 0.75) + 3 x 170e6 / (2039e9 x 0.75) = 0.44 ms a sample. */
#include "models/train/layer.h"

void rr_layer_table(const struct rr_place *p, struct rr_layer *ret)
{
    const struct rr_arch *a = p->a;
    const bool wide = p->l->precision == RR_FP32 || p->l->precision == RR_TF32; // activations of 4 bytes; 8-bit products leave them at 2
    const double share = (double)p->l->micro_batch / a->layers;
    const double gemm_s = share * a->sample_gflop * 1e9 / p->product_f_s,
                 memory_s = share * a->sample_mb * 1e6 * (wide ? 2 : 1) / p->memory_b_s;
    const double kernels_s = 3e-6 * p->c->v[RR_COEF_KERNEL_US]; // convolution, normalisation, activation
    *ret = (struct rr_layer){.forward = {.gemm_s = gemm_s + kernels_s, .memory_s = memory_s},
                             .backward = {.gemm_s = 2 * gemm_s + kernels_s, .memory_s = 2 * memory_s}};
}
