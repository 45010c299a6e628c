/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/cuda_host/cuda_bf16.h - the small types of CUDA, rounded to nearest even, for kernels.cu on the host. */
#ifndef RR_TESTS_CUDA_HOST_TYPES_H
#define RR_TESTS_CUDA_HOST_TYPES_H
#include <cstdint>
#include <cstring>
extern "C" {
#include "models/probe/cuda.h"
void rr_reference_set(enum rr_probe_type type, void *at, int64_t i, double v);
}

struct __nv_bfloat16 {
    uint16_t bits;
    __nv_bfloat16() = default;
    explicit __nv_bfloat16(float v)
    {
        uint32_t u;
        std::memcpy(&u, &v, sizeof u);
        bits = (uint16_t)((u + 0x7fff + (u >> 16 & 1)) >> 16);
    }
};
inline __nv_bfloat16 __float2bfloat16(float v) { return __nv_bfloat16(v); }
inline float __bfloat162float(__nv_bfloat16 v)
{
    const uint32_t u = (uint32_t)v.bits << 16;
    float f;
    std::memcpy(&f, &u, sizeof f);
    return f;
}
struct __half {
    uint16_t bits;
    explicit __half(float v) { rr_reference_set(RR_PROBE_FP16, &bits, 0, (double)v); }
};
struct __nv_fp8_e4m3 {
    uint8_t bits;
    explicit __nv_fp8_e4m3(float v) { rr_reference_set(RR_PROBE_FP8, &bits, 0, (double)v); }
};
#endif
