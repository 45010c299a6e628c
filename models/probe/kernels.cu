/* SPDX-License-Identifier: MIT
 * models/probe/kernels.cu - streams over memory, element-wise and row-wise kernels of a transformer layer, an empty one.
 *
 * fp32 streams move 16 bytes a thread and step, four steps in flight; bf16 kernels 8 bytes, or a block a row. What is bound by memory need not be clever
 * beyond that. */
#include "models/probe/kernels.cuh"
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

namespace
{
constexpr int THREADS = 256;

__device__ int64_t first() { return (int64_t)blockIdx.x * blockDim.x + threadIdx.x; }
__device__ int64_t step() { return (int64_t)gridDim.x * blockDim.x; }

__global__ void empty() {}

__device__ uint32_t mix(uint32_t x)
{
    x = (x ^ (x >> 16)) * 0x7feb352du;
    x = (x ^ (x >> 15)) * 0x846ca68bu;
    return x ^ (x >> 16);
}
__device__ float random_value(uint32_t mixed_seed, int64_t i, bool exact)
{
    const uint32_t x = mix((uint32_t)i ^ mixed_seed);
    return exact ? (float)((int)(x >> 28) - 8) / 8.0f : (float)(x >> 8) / 8388608.0f - 1.0f;
}

template <typename T> __global__ void fill(T *out, int64_t n, uint32_t seed, bool exact)
{
    const uint32_t mixed = mix(seed);
    for (int64_t i = first(); i < n; i += step()) out[i] = T(random_value(mixed, i, exact));
}

__global__ void copy(float4 *__restrict__ out, const float4 *__restrict__ a, int64_t n)
{
#pragma unroll 4
    for (int64_t i = first(); i < n; i += step()) out[i] = a[i];
}
__global__ void triad(float4 *__restrict__ out, const float4 *__restrict__ a, const float4 *__restrict__ b, float s, int64_t n)
{
#pragma unroll 4
    for (int64_t i = first(); i < n; i += step()) {
        const float4 x = a[i], y = b[i];
        out[i] = make_float4(x.x + s * y.x, x.y + s * y.y, x.z + s * y.z, x.w + s * y.w);
    }
}
__global__ void write(float4 *out, float s, int64_t n)
{
    for (int64_t i = first(); i < n; i += step()) out[i] = make_float4(s, s, s, s);
}

/* Sum over the block; every thread gets it. */
__device__ float block_sum(float v)
{
    __shared__ float part[32];
    for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(0xffffffffu, v, d);
    __syncthreads();
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < (int)(blockDim.x / 32); i++) sum += part[i];
    return sum;
}
__device__ float block_most(float v)
{
    __shared__ float part[32];
    for (int d = 16; d > 0; d /= 2) v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, d));
    __syncthreads();
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
    __syncthreads();
    float most = part[0];
    for (int i = 1; i < (int)(blockDim.x / 32); i++) most = fmaxf(most, part[i]);
    return most;
}

__global__ void read_sums(float *out, const float4 *a, int64_t n)
{
    float sum = 0;
#pragma unroll 4
    for (int64_t i = first(); i < n; i += step()) {
        const float4 x = a[i];
        sum += (x.x + x.y) + (x.z + x.w);
    }
    sum = block_sum(sum);
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

typedef __nv_bfloat16 bf16;
struct __align__(8) bf16x4 { bf16 v[4]; };

constexpr float GELU_A = 0.7978845608028654f, GELU_B = 0.044715f;
struct gelu_of {
    __device__ float operator()(float x, float) const { return 0.5f * x * (1 + tanhf(GELU_A * (x + GELU_B * x * x * x))); }
};
struct gelu_grad_of {
    __device__ float operator()(float dy, float x) const
    {
        const float t = tanhf(GELU_A * (x + GELU_B * x * x * x));
        return dy * (0.5f * (1 + t) + 0.5f * x * (1 - t * t) * GELU_A * (1 + 3 * GELU_B * x * x));
    }
};
struct add_of {
    __device__ float operator()(float x, float y) const { return x + y; }
};

template <typename F> __global__ void each(bf16x4 *out, const bf16x4 *a, const bf16x4 *b, int64_t n)
{
    const F f;
    for (int64_t i = first(); i < n; i += step()) {
        const bf16x4 x = a[i], y = b ? b[i] : x;
        bf16x4 z;
        for (int j = 0; j < 4; j++) z.v[j] = __float2bfloat16(f(__bfloat162float(x.v[j]), __bfloat162float(y.v[j])));
        out[i] = z;
    }
}

__device__ void row_moments(const bf16 *a, int width, float *mean, float *scale)
{
    float sum = 0, square = 0;
    for (int i = threadIdx.x; i < width; i += blockDim.x) sum += __bfloat162float(a[i]);
    *mean = block_sum(sum) / width;
    for (int i = threadIdx.x; i < width; i += blockDim.x) {
        const float d = __bfloat162float(a[i]) - *mean;
        square += d * d;
    }
    *scale = rsqrtf(block_sum(square) / width + 1e-5f);
}

__global__ void layer_norm(bf16 *out, const bf16 *a, int width)
{
    const int64_t row = (int64_t)blockIdx.x * width;
    float mean, scale;
    row_moments(a + row, width, &mean, &scale);
    for (int i = threadIdx.x; i < width; i += blockDim.x) out[row + i] = __float2bfloat16((__bfloat162float(a[row + i]) - mean) * scale);
}

__global__ void norm_grad(bf16 *out, const bf16 *dy, const bf16 *x, int width)
{
    const int64_t row = (int64_t)blockIdx.x * width;
    float mean, scale, sum = 0, dot = 0;
    row_moments(x + row, width, &mean, &scale);
    for (int i = threadIdx.x; i < width; i += blockDim.x) {
        const float d = __bfloat162float(dy[row + i]);
        sum += d;
        dot += d * (__bfloat162float(x[row + i]) - mean) * scale;
    }
    sum = block_sum(sum) / width;
    dot = block_sum(dot) / width;
    for (int i = threadIdx.x; i < width; i += blockDim.x) {
        const float h = (__bfloat162float(x[row + i]) - mean) * scale;
        out[row + i] = __float2bfloat16(scale * (__bfloat162float(dy[row + i]) - sum - h * dot));
    }
}

/* Row r sees its first 1 + r mod width keys. The exponentials are taken twice instead of kept. */
__global__ void softmax(bf16 *out, const bf16 *a, int width)
{
    const int64_t row = (int64_t)blockIdx.x * width;
    const int seen = 1 + (int)(blockIdx.x % (unsigned)width);
    float most = -INFINITY, sum = 0;
    for (int i = threadIdx.x; i < seen; i += blockDim.x) most = fmaxf(most, __bfloat162float(a[row + i]));
    most = block_most(most);
    for (int i = threadIdx.x; i < seen; i += blockDim.x) sum += __expf(__bfloat162float(a[row + i]) - most);
    sum = 1 / block_sum(sum);
    for (int i = threadIdx.x; i < width; i += blockDim.x)
        out[row + i] = __float2bfloat16(i < seen ? __expf(__bfloat162float(a[row + i]) - most) * sum : 0.0f);
}

__global__ void softmax_grad(bf16 *out, const bf16 *dy, const bf16 *y, int width)
{
    const int64_t row = (int64_t)blockIdx.x * width;
    float dot = 0;
    for (int i = threadIdx.x; i < width; i += blockDim.x) dot += __bfloat162float(dy[row + i]) * __bfloat162float(y[row + i]);
    dot = block_sum(dot);
    for (int i = threadIdx.x; i < width; i += blockDim.x)
        out[row + i] = __float2bfloat16(__bfloat162float(y[row + i]) * (__bfloat162float(dy[row + i]) - dot));
}

__global__ void adam(float *w, float *m, float *v, const bf16 *grad, bf16 *low, float rate, int64_t n)
{
    for (int64_t i = first(); i < n; i += step()) {
        const float d = __bfloat162float(grad[i]);
        const float mean = 0.9f * m[i] + 0.1f * d, square = 0.95f * v[i] + 0.05f * d * d;
        const float x = w[i] - rate * mean / (sqrtf(square) + 1e-8f);
        m[i] = mean, v[i] = square, w[i] = x;
        low[i] = __float2bfloat16(x);
    }
}

unsigned blocks(int64_t n)
{
    const int64_t want = (n + THREADS - 1) / THREADS, most = 132 * 32; // several waves on the largest devices
    return (unsigned)(want < 1 ? 1 : want < most ? want : most);
}

/* The status is that of this launch, not what an earlier call left for cudaGetLastError(). */
template <typename... P, typename... A> cudaError_t start(cudaStream_t s, void (*kernel)(P...), unsigned n, A... args)
{
    cudaLaunchConfig_t c = {};
    c.gridDim = dim3(n), c.blockDim = dim3(THREADS), c.stream = s;
    return cudaLaunchKernelEx(&c, kernel, static_cast<P>(args)...);
}

template <typename T> cudaError_t start_fill(const struct rr_kernel_args *g, cudaStream_t s)
{
    return start(s, fill<T>, blocks(g->n), static_cast<T *>(g->out), g->n, g->seed, g->s > 0);
}
cudaError_t launch_fill(const struct rr_kernel_args *g, cudaStream_t s)
{
    switch (g->type) {
    case RR_PROBE_FP64: return start_fill<double>(g, s);
    case RR_PROBE_FP16: return start_fill<__half>(g, s);
    case RR_PROBE_BF16: return start_fill<bf16>(g, s);
    case RR_PROBE_FP8: return start_fill<__nv_fp8_e4m3>(g, s);
    default: return start_fill<float>(g, s);
    }
}

template <typename F> cudaError_t launch_each(const struct rr_kernel_args *g, cudaStream_t s, const void *b)
{
    const int64_t n = g->n / 4;
    return start(s, each<F>, blocks(n), static_cast<bf16x4 *>(g->out), static_cast<const bf16x4 *>(g->a), static_cast<const bf16x4 *>(b),
                 n);
}

cudaError_t launch_rows(enum rr_probe_kernel k, const struct rr_kernel_args *g, cudaStream_t s)
{
    const unsigned rows = (unsigned)(g->n / g->width);
    bf16 *out = static_cast<bf16 *>(g->out);
    const bf16 *a = static_cast<const bf16 *>(g->a), *b = static_cast<const bf16 *>(g->b);
    switch (k) {
    case RR_KERNEL_LAYER_NORM: return start(s, layer_norm, rows, out, a, g->width);
    case RR_KERNEL_NORM_GRAD: return start(s, norm_grad, rows, out, a, b, g->width);
    case RR_KERNEL_SOFTMAX: return start(s, softmax, rows, out, a, g->width);
    default: return start(s, softmax_grad, rows, out, a, b, g->width);
    }
}

cudaError_t launch_adam(const struct rr_kernel_args *g, cudaStream_t s)
{
    float *m = static_cast<float *>(g->state);
    bf16 *low = static_cast<bf16 *>(const_cast<void *>(g->b));
    return start(s, adam, blocks(g->n), static_cast<float *>(g->out), m, m + g->n, static_cast<const bf16 *>(g->a), low, g->s, g->n);
}
} // namespace

cudaError_t rr_kernel_launch(enum rr_probe_kernel k, const struct rr_kernel_args *g, cudaStream_t s)
{
    const int64_t n = g->n / 4;
    float4 *out = static_cast<float4 *>(g->out);
    const float4 *a = static_cast<const float4 *>(g->a), *b = static_cast<const float4 *>(g->b);
    switch (k) {
    case RR_KERNEL_EMPTY: return start(s, empty, 1);
    case RR_KERNEL_FILL: return launch_fill(g, s);
    case RR_KERNEL_COPY: return start(s, copy, blocks(n), out, a, n);
    case RR_KERNEL_TRIAD: return start(s, triad, blocks(n), out, a, b, g->s, n);
    case RR_KERNEL_READ: return start(s, read_sums, (unsigned)RR_READ_SUMS, static_cast<float *>(g->out), a, n);
    case RR_KERNEL_WRITE: return start(s, write, blocks(n), out, g->s, n);
    case RR_KERNEL_GELU: return launch_each<gelu_of>(g, s, nullptr);
    case RR_KERNEL_GELU_GRAD: return launch_each<gelu_grad_of>(g, s, g->b);
    case RR_KERNEL_ADD: return launch_each<add_of>(g, s, g->b);
    case RR_KERNEL_ADAM: return launch_adam(g, s);
    default: return launch_rows(k, g, s);
    }
}
