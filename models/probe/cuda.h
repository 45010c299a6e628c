/* SPDX-License-Identifier: MIT
 * models/probe/cuda.h - the few calls of the CUDA runtime and cublasLt that the probe needs, as a table.
 *
 * The host side is plain C that sees the device through this table alone: cuda.cu fills it with the real calls, tests/unit/cuda_standin.h with a
 * small stand-in on host memory. A member is named as the call without "cuda"; 0 is success, other codes are cudaError_t (of Gemm: negative ones
 * are cublasStatus_t with the sign changed). */
#ifndef RR_MODELS_PROBE_CUDA_H
#define RR_MODELS_PROBE_CUDA_H
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

/* id, name, bytes of an element */
#define RR_PROBE_TYPES(X) \
    X(FP64, "fp64", 8)    \
    X(FP32, "fp32", 4)    \
    X(TF32, "tf32", 4)    \
    X(FP16, "fp16", 2)    \
    X(BF16, "bf16", 2)    \
    X(FP8, "fp8", 1)
enum rr_probe_type {
#define X(id, name, bytes) RR_PROBE_##id,
    RR_PROBE_TYPES(X)
#undef X
        RR_PROBE_TYPE_N,
};

/* id, name, bytes moved for an element. FILL is random data of args.type: with `s` > 0 one of 16 values exact in every type, else all bits of the
 * mantissa. COPY .. WRITE are fp32; GELU .. SOFTMAX_GRAD bf16; ADAM holds fp32 weights (out) and two moments (state), bf16 gradients (a) and a bf16
 * copy of the weights (b, written). */
#define RR_PROBE_KERNELS(X)            \
    X(EMPTY, "empty", 0)               \
    X(FILL, "fill", 0)                 \
    X(COPY, "copy", 8)                 \
    X(TRIAD, "triad", 12)              \
    X(READ, "read", 4)                 \
    X(WRITE, "write", 4)               \
    X(GELU, "gelu", 4)                 \
    X(GELU_GRAD, "gelu_grad", 6)       \
    X(ADD, "add", 6)                   \
    X(LAYER_NORM, "layer_norm", 4)     \
    X(NORM_GRAD, "layer_norm_grad", 6) \
    X(SOFTMAX, "softmax", 4)           \
    X(SOFTMAX_GRAD, "softmax_grad", 6) \
    X(ADAM, "adam", 28)
enum rr_probe_kernel {
#define X(id, name, bytes) RR_KERNEL_##id,
    RR_PROBE_KERNELS(X)
#undef X
        RR_KERNEL_N,
    RR_KERNEL_GEMM = RR_KERNEL_N, /* in lists of work: a matrix product */
};

#define RR_READ_SUMS 1024 /* READ writes that many partial sums */

struct rr_kernel_args {
    void *out, *state;
    const void *a, *b;
    int64_t n;     /* elements; a multiple of 4, of rows a multiple of width */
    int32_t width; /* of a row: LAYER_NORM, NORM_GRAD, SOFTMAX (row r sees its first 1 + r mod width), SOFTMAX_GRAD */
    uint32_t seed;
    float s;
    enum rr_probe_type type;
};

/* D (m x n) = A' (A is k x m) B (k x n), column-major, `batch` times one behind the other. Accumulated in fp32 (fp64: fp64); D as A, of fp8 bf16. */
struct rr_gemm_shape {
    enum rr_probe_type type;
    int64_t m, n, k;
    int32_t batch;
};

struct rr_cuda_device {
    char name[256], bus[32];
    int64_t memory_bytes, l2_bytes;
    int32_t major, minor, sms;
};

enum { RR_CUDA_NOT_READY = 600, RR_CUDA_H2D = 1, RR_CUDA_D2H = 2, RR_CUDA_D2D = 3 };

struct rr_cuda {
    int (*GetDeviceCount)(int *ret);
    int (*DriverGetVersion)(int *ret);
    int (*RuntimeGetVersion)(int *ret);
    int (*SetDevice)(int device);
    int (*GetDeviceProperties)(int device, struct rr_cuda_device *ret);
    int (*MemGetInfo)(size_t *free_bytes, size_t *total_bytes);
    int (*DeviceCanAccessPeer)(int *ret, int device, int peer);
    int (*DeviceEnablePeerAccess)(int peer); /* already enabled: 0 */
    int (*Malloc)(void **ret, size_t bytes);
    int (*Free)(void *p);
    int (*MallocHost)(void **ret, size_t bytes);
    int (*FreeHost)(void *p);
    int (*MemcpyAsync)(void *to, const void *from, size_t bytes, int kind, void *stream);
    int (*MemcpyPeerAsync)(void *to, int to_device, const void *from, int from_device, size_t bytes, void *stream);
    int (*StreamCreate)(void **ret);
    int (*StreamDestroy)(void *stream);
    int (*StreamSynchronize)(void *stream);
    int (*EventCreate)(void **ret);
    int (*EventDestroy)(void *event);
    int (*EventRecord)(void *event, void *stream);
    int (*EventQuery)(void *event); /* RR_CUDA_NOT_READY is no error */
    int (*EventElapsedTime)(float *ms, void *start, void *stop);
    int (*Launch)(enum rr_probe_kernel kernel, const struct rr_kernel_args *args, void *stream);
    const char *(*GemmOpen)(void); /* NULL: matrix products can be had; else why not */
    int (*GemmCreate)(const struct rr_gemm_shape *shape, void **ret);
    int (*GemmRun)(void *gemm, const void *a, const void *b, void *d, void *stream);
    int (*GemmDestroy)(void *gemm);
    const char *(*GetErrorString)(int code);
};
extern const struct rr_cuda rr_cuda_real; /* cuda.cu */

#ifdef __cplusplus
}
#endif
#endif
