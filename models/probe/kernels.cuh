/* SPDX-License-Identifier: MIT
 * models/probe/kernels.cuh - the device's kernels; reference.c says what each must write. */
#ifndef RR_MODELS_PROBE_KERNELS_CUH
#define RR_MODELS_PROBE_KERNELS_CUH
#include "models/probe/cuda.h"
#include <cuda_runtime.h>

cudaError_t rr_kernel_launch(enum rr_probe_kernel k, const struct rr_kernel_args *args, cudaStream_t stream);
#endif
