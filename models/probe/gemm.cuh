/* SPDX-License-Identifier: MIT
 * models/probe/gemm.cuh - matrix products by cublasLt, opened at run time; the codes are those of rr_cuda. */
#ifndef RR_MODELS_PROBE_GEMM_CUH
#define RR_MODELS_PROBE_GEMM_CUH
#include "models/probe/cuda.h"

const char *rr_gemm_open();
int rr_gemm_create(const struct rr_gemm_shape *shape, void **ret);
int rr_gemm_run(void *gemm, const void *a, const void *b, void *d, void *stream);
int rr_gemm_destroy(void *gemm);
#endif
