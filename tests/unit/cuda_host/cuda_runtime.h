/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/cuda_host/cuda_runtime.h - enough of CUDA C++ to run kernels.cu on the host: a stand-in, which measures nothing.
 *
 * Blocks run one after the other; the threads of one are fibers that change over at __syncthreads() and at shuffles. */
#ifndef RR_TESTS_CUDA_HOST_H
#define RR_TESTS_CUDA_HOST_H
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <ucontext.h>
#include <vector>

#define __global__
#define __device__
#define __shared__   static
#define __align__(n) __attribute__((aligned(n)))

typedef int cudaError_t;
typedef void *cudaStream_t;
struct dim3 {
    unsigned x, y, z;
    dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};
struct cudaLaunchConfig_t {
    dim3 gridDim, blockDim;
    size_t dynamicSmemBytes;
    cudaStream_t stream;
};
struct alignas(16) float4 {
    float x, y, z, w;
};
inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
inline float rsqrtf(float x) { return 1 / std::sqrt(x); }
inline float __expf(float x) { return std::exp(x); }

struct fibers {
    static constexpr size_t STACK = 64 << 10;
    std::vector<ucontext_t> at;
    std::vector<char> stacks, over;
    std::vector<float> lane;
    ucontext_t home;
    unsigned now = 0;
    std::function<void()> body;
};
inline fibers fiber;
inline dim3 blockIdx, blockDim, gridDim;
#define threadIdx (dim3(fiber.now))

inline void run_fiber()
{
    fiber.body();
    fiber.over[fiber.now] = 1;
    swapcontext(&fiber.at[fiber.now], &fiber.home);
}
inline void __syncthreads() { swapcontext(&fiber.at[fiber.now], &fiber.home); }
inline float __shfl_xor_sync(unsigned, float v, int d)
{
    const unsigned me = fiber.now;
    fiber.lane[me] = v;
    __syncthreads();
    const float other = fiber.lane[me ^ (unsigned)d];
    __syncthreads();
    return other;
}

inline void run_block(unsigned n)
{
    fiber.at.resize(n), fiber.stacks.resize(n * fibers::STACK), fiber.over.assign(n, 0), fiber.lane.resize(n);
    for (unsigned i = 0; i < n; i++) {
        getcontext(&fiber.at[i]);
        fiber.at[i].uc_stack.ss_sp = &fiber.stacks[i * fibers::STACK], fiber.at[i].uc_stack.ss_size = fibers::STACK;
        fiber.at[i].uc_link = nullptr;
        makecontext(&fiber.at[i], run_fiber, 0);
    }
    for (unsigned left = n; left > 0;)
        for (unsigned i = 0; i < n; i++) {
            if (fiber.over[i]) continue;
            fiber.now = i;
            swapcontext(&fiber.home, &fiber.at[i]);
            left -= fiber.over[i];
        }
}

template <typename... P, typename... A> cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *c, void (*kernel)(P...), A... a)
{
    if (c->gridDim.x == 0 || c->gridDim.x > 0x7fffffffu || c->blockDim.x > 1024) return 9;
    gridDim = c->gridDim, blockDim = c->blockDim;
    fiber.body = [=] { kernel(a...); };
    for (unsigned b = 0; b < c->gridDim.x; b++) {
        blockIdx = dim3(b);
        run_block(c->blockDim.x);
    }
    return 0;
}
#endif
