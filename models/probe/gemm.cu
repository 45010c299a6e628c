/* SPDX-License-Identifier: MIT
 * models/probe/gemm.cu - matrix products by cublasLt (NVIDIA, cuBLAS 12 and 13 documentation, "Using the cuBLASLt API").
 *
 * The library is opened at run time: a machine without it measures the rest. The heuristic's first algorithm is taken, with 64 MiB of workspace. */
#include "models/probe/gemm.cuh"
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <new>

#if __has_include(<cublasLt.h>)
#include <cublasLt.h>

namespace
{
constexpr size_t WORKSPACE = (size_t)64 << 20;

#define LT_CALLS(X)                     \
    X(cublasLtCreate)                   \
    X(cublasLtDestroy)                  \
    X(cublasLtMatmul)                   \
    X(cublasLtMatmulAlgoGetHeuristic)   \
    X(cublasLtMatmulDescCreate)         \
    X(cublasLtMatmulDescDestroy)        \
    X(cublasLtMatmulDescSetAttribute)   \
    X(cublasLtMatrixLayoutCreate)       \
    X(cublasLtMatrixLayoutDestroy)      \
    X(cublasLtMatrixLayoutSetAttribute) \
    X(cublasLtMatmulPreferenceCreate)   \
    X(cublasLtMatmulPreferenceDestroy)  \
    X(cublasLtMatmulPreferenceSetAttribute)

struct library {
    void *at;
#define X(name) decltype(&name) f_##name;
    LT_CALLS(X)
#undef X
} lt;

struct gemm {
    cublasLtHandle_t handle;
    cublasLtMatmulDesc_t op;
    cublasLtMatrixLayout_t a, b, d;
    cublasLtMatmulAlgo_t algo;
    void *workspace, *scale; // scale: 1.0f on the device, of fp8
    bool fp64;
};

cudaDataType_t data_type(enum rr_probe_type t)
{
    switch (t) {
    case RR_PROBE_FP64: return CUDA_R_64F;
    case RR_PROBE_FP16: return CUDA_R_16F;
    case RR_PROBE_BF16: return CUDA_R_16BF;
    case RR_PROBE_FP8: return CUDA_R_8F_E4M3;
    default: return CUDA_R_32F;
    }
}

cublasComputeType_t compute_type(enum rr_probe_type t)
{
    if (t == RR_PROBE_FP64) return CUBLAS_COMPUTE_64F;
    return t == RR_PROBE_TF32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
}

int layout(cublasLtMatrixLayout_t *ret, cudaDataType_t type, int64_t rows, int64_t columns, int32_t batch)
{
    const int64_t stride = rows * columns;
    if (const int code = lt.f_cublasLtMatrixLayoutCreate(ret, type, (uint64_t)rows, (uint64_t)columns, rows)) return code;
    if (batch == 1) return 0;
    if (const int code = lt.f_cublasLtMatrixLayoutSetAttribute(*ret, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batch, sizeof batch)) return code;
    return lt.f_cublasLtMatrixLayoutSetAttribute(*ret, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride, sizeof stride);
}

int describe(gemm *g, const struct rr_gemm_shape *s)
{
    const cublasOperation_t transposed = CUBLAS_OP_T;
    const cudaDataType_t type = data_type(s->type), result = s->type == RR_PROBE_FP8 ? CUDA_R_16BF : type;
    if (const int code = lt.f_cublasLtMatmulDescCreate(&g->op, compute_type(s->type), g->fp64 ? CUDA_R_64F : CUDA_R_32F)) return code;
    if (const int code = lt.f_cublasLtMatmulDescSetAttribute(g->op, CUBLASLT_MATMUL_DESC_TRANSA, &transposed, sizeof transposed))
        return code;
    if (g->scale) {
        if (const int code = lt.f_cublasLtMatmulDescSetAttribute(g->op, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, &g->scale, sizeof g->scale))
            return code;
        if (const int code = lt.f_cublasLtMatmulDescSetAttribute(g->op, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, &g->scale, sizeof g->scale))
            return code;
    }
    if (const int code = layout(&g->a, type, s->k, s->m, s->batch)) return code;
    if (const int code = layout(&g->b, type, s->k, s->n, s->batch)) return code;
    return layout(&g->d, result, s->m, s->n, s->batch);
}

int choose(gemm *g)
{
    cublasLtMatmulPreference_t preference;
    cublasLtMatmulHeuristicResult_t found;
    const size_t workspace = WORKSPACE;
    int n = 0;
    if (const int code = lt.f_cublasLtMatmulPreferenceCreate(&preference)) return code;
    int code =
        lt.f_cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace, sizeof workspace);
    if (code == 0) code = lt.f_cublasLtMatmulAlgoGetHeuristic(g->handle, g->op, g->a, g->b, g->d, g->d, preference, 1, &found, &n);
    (void)lt.f_cublasLtMatmulPreferenceDestroy(preference);
    if (code != 0) return code;
    if (n < 1) return CUBLAS_STATUS_NOT_SUPPORTED;
    g->algo = found.algo;
    return 0;
}
} // namespace

const char *rr_gemm_open()
{
    if (lt.at) return nullptr;
    lt.at = dlopen(CUDART_VERSION >= 13000 ? "libcublasLt.so.13" : "libcublasLt.so.12", RTLD_NOW | RTLD_LOCAL);
    if (!lt.at) return CUDART_VERSION >= 13000 ? "libcublasLt.so.13 cannot be opened" : "libcublasLt.so.12 cannot be opened";
#define X(name)                                                           \
    lt.f_##name = reinterpret_cast<decltype(&name)>(dlsym(lt.at, #name)); \
    if (!lt.f_##name) return "libcublasLt lacks " #name;
    LT_CALLS(X)
#undef X
    return nullptr;
}

int rr_gemm_create(const struct rr_gemm_shape *s, void **ret)
{
    const float one = 1;
    gemm *g = new (std::nothrow) gemm();
    if (!g) return cudaErrorMemoryAllocation;
    g->fp64 = s->type == RR_PROBE_FP64;
    int cuda = cudaMalloc(&g->workspace, WORKSPACE);
    if (cuda == 0 && s->type == RR_PROBE_FP8) cuda = cudaMalloc(&g->scale, sizeof one);
    if (cuda == 0 && g->scale) cuda = cudaMemcpy(g->scale, &one, sizeof one, cudaMemcpyHostToDevice);
    if (cuda == 0 && g->scale)
        cuda = cudaDeviceSynchronize(); // the copy returns before it is over; the probe's stream does not wait for it
    int code = cuda == 0 ? lt.f_cublasLtCreate(&g->handle) : 0;
    if (cuda == 0 && code == 0) code = describe(g, s);
    if (cuda == 0 && code == 0) code = choose(g);
    if (cuda == 0 && code == 0) {
        *ret = g;
        return 0;
    }
    (void)rr_gemm_destroy(g);
    (void)cudaGetLastError();
    return cuda ? cuda : -code;
}

int rr_gemm_run(void *gemm_of, const void *a, const void *b, void *d, void *stream)
{
    const gemm *g = static_cast<gemm *>(gemm_of);
    const float one = 1, zero = 0;
    const double one64 = 1, zero64 = 0;
    const void *alpha = g->fp64 ? (const void *)&one64 : &one, *beta = g->fp64 ? (const void *)&zero64 : &zero;
    return -(int)lt.f_cublasLtMatmul(g->handle, g->op, alpha, a, g->a, b, g->b, beta, d, g->d, d, g->d, &g->algo, g->workspace, WORKSPACE,
                                     static_cast<cudaStream_t>(stream));
}

int rr_gemm_destroy(void *gemm_of)
{
    gemm *g = static_cast<gemm *>(gemm_of);
    int code = 0;
    if (g->d) code |= lt.f_cublasLtMatrixLayoutDestroy(g->d);
    if (g->b) code |= lt.f_cublasLtMatrixLayoutDestroy(g->b);
    if (g->a) code |= lt.f_cublasLtMatrixLayoutDestroy(g->a);
    if (g->op) code |= lt.f_cublasLtMatmulDescDestroy(g->op);
    if (g->handle) code |= lt.f_cublasLtDestroy(g->handle);
    const int scale = g->scale ? cudaFree(g->scale) : 0, workspace = g->workspace ? cudaFree(g->workspace) : 0;
    delete g;
    return code ? -code : scale ? scale : workspace;
}

#else
const char *rr_gemm_open() { return "built without cublasLt.h"; }
int rr_gemm_create(const struct rr_gemm_shape *, void **) { return cudaErrorNotSupported; }
int rr_gemm_run(void *, const void *, const void *, void *, void *) { return cudaErrorNotSupported; }
int rr_gemm_destroy(void *) { return 0; }
#endif
