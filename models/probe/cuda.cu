/* SPDX-License-Identifier: MIT
 * models/probe/cuda.cu - the table of cuda.h over the real CUDA runtime, 12 and 13. */
#include "models/probe/gemm.cuh"
#include "models/probe/kernels.cuh"
#include <cstdio>
#include <cuda_runtime.h>

#if CUDART_VERSION < 12000
#error "rackrate-probe needs CUDA 12 or 13"
#endif

namespace
{
cudaStream_t stream_of(void *s) { return static_cast<cudaStream_t>(s); }
cudaEvent_t event_of(void *e) { return static_cast<cudaEvent_t>(e); }

/* What a caller may live with must not stay for cudaGetLastError(): libraries look at it. */
int forget(cudaError_t code)
{
    if (code != cudaSuccess) (void)cudaGetLastError();
    return code;
}

int GetDeviceCount(int *ret) { return cudaGetDeviceCount(ret); }
int DriverGetVersion(int *ret) { return cudaDriverGetVersion(ret); }
int RuntimeGetVersion(int *ret) { return cudaRuntimeGetVersion(ret); }
int SetDevice(int device) { return cudaSetDevice(device); }

int GetDeviceProperties(int device, struct rr_cuda_device *ret)
{
    cudaDeviceProp p;
    if (const int code = cudaGetDeviceProperties(&p, device)) return code;
    *ret = {};
    (void)std::snprintf(ret->name, sizeof ret->name, "%s", p.name);
    ret->memory_bytes = (int64_t)p.totalGlobalMem, ret->l2_bytes = p.l2CacheSize;
    ret->major = p.major, ret->minor = p.minor, ret->sms = p.multiProcessorCount;
    return cudaDeviceGetPCIBusId(ret->bus, sizeof ret->bus, device);
}

int MemGetInfo(size_t *is_free, size_t *total) { return cudaMemGetInfo(is_free, total); }
int DeviceCanAccessPeer(int *ret, int device, int peer) { return cudaDeviceCanAccessPeer(ret, device, peer); }
int DeviceEnablePeerAccess(int peer)
{
    const cudaError_t code = cudaDeviceEnablePeerAccess(peer, 0);
    return forget(code) == cudaErrorPeerAccessAlreadyEnabled ? 0 : code;
}
int Malloc(void **ret, size_t bytes) { return forget(cudaMalloc(ret, bytes)); }
int Free(void *p) { return cudaFree(p); }
int MallocHost(void **ret, size_t bytes) { return forget(cudaMallocHost(ret, bytes)); }
int FreeHost(void *p) { return cudaFreeHost(p); }
int MemcpyAsync(void *to, const void *from, size_t bytes, int kind, void *s)
{
    return cudaMemcpyAsync(to, from, bytes, static_cast<cudaMemcpyKind>(kind), stream_of(s));
}
int MemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t bytes, void *s)
{
    return cudaMemcpyPeerAsync(to, to_device, from, from_device, bytes, stream_of(s));
}
int StreamCreate(void **ret)
{
    cudaStream_t s = nullptr;
    const int code = cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    *ret = s;
    return code;
}
int StreamDestroy(void *s) { return cudaStreamDestroy(stream_of(s)); }
int StreamSynchronize(void *s) { return cudaStreamSynchronize(stream_of(s)); }
int EventCreate(void **ret)
{
    cudaEvent_t e = nullptr;
    const int code = cudaEventCreate(&e);
    *ret = e;
    return code;
}
int EventDestroy(void *e) { return cudaEventDestroy(event_of(e)); }
int EventRecord(void *e, void *s) { return cudaEventRecord(event_of(e), stream_of(s)); }
int EventQuery(void *e) { return forget(cudaEventQuery(event_of(e))); }
int EventElapsedTime(float *ms, void *start, void *stop) { return cudaEventElapsedTime(ms, event_of(start), event_of(stop)); }
int Launch(enum rr_probe_kernel k, const struct rr_kernel_args *args, void *s) { return rr_kernel_launch(k, args, stream_of(s)); }
const char *GetErrorString(int code) { return cudaGetErrorString(static_cast<cudaError_t>(code)); }

static_assert((int)cudaErrorNotReady == (int)RR_CUDA_NOT_READY && (int)cudaMemcpyHostToDevice == (int)RR_CUDA_H2D &&
                  (int)cudaMemcpyDeviceToHost == (int)RR_CUDA_D2H && (int)cudaMemcpyDeviceToDevice == (int)RR_CUDA_D2D,
              "cuda.h holds the runtime's numbers");
} // namespace

extern const struct rr_cuda rr_cuda_real = {
    GetDeviceCount,
    DriverGetVersion,
    RuntimeGetVersion,
    SetDevice,
    GetDeviceProperties,
    MemGetInfo,
    DeviceCanAccessPeer,
    DeviceEnablePeerAccess,
    Malloc,
    Free,
    MallocHost,
    FreeHost,
    MemcpyAsync,
    MemcpyPeerAsync,
    StreamCreate,
    StreamDestroy,
    StreamSynchronize,
    EventCreate,
    EventDestroy,
    EventRecord,
    EventQuery,
    EventElapsedTime,
    Launch,
    rr_gemm_open,
    rr_gemm_create,
    rr_gemm_run,
    rr_gemm_destroy,
    GetErrorString,
};
