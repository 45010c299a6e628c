/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/cuda_standin.h - a stand-in for the CUDA runtime, NCCL and NVML, on host memory, for the tests of rackrate-probe's host side.
 *
 * IT MEASURES NOTHING: "kernels" are the host references, and event times come from a counter that each queued call moves on by step_us. Any call can
 * be made to fail (fail_at), once or with all that come after (sticky, as a lost context is), a kernel to give a wrong result (wrong), a library or one
 * of its functions to be missing. What was allocated and not given back is counted (live). Processes that share `meeting` run collectives together. */
#ifndef RR_TESTS_CUDA_STANDIN_H
#define RR_TESTS_CUDA_STANDIN_H
#include "models/probe/probe.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    int devices, count_code, major;
    int calls, fail_at; /* the fail_at-th call returns fail_code; 0: none */
    int fail_code;      /* 719, launch failure; of cublasLt: negative */
    bool sticky;
    const char *only;   /* count the calls alone whose names start so; NULL: all */
    const char *failed; /* its name */
    int polls;
    int64_t step_us;
    bool lazy; /* kernels and products do nothing: their check fails, which costs nothing else */
    int live, libraries;
    int wrong; /* a rr_probe_kernel; RR_KERNEL_GEMM: products; -1: none */
    const char *no_gemm, *no_library, *no_symbol;
    int64_t clock_us;
    size_t free_bytes, most_bytes; /* most_bytes: a larger piece is not to be had; 0: any is */
    bool peers;
    int nccl_ranks, nccl_wrong, groups;
} sham;

static void sham_reset(void)
{
    memset(&sham, 0, sizeof sham);
    sham.devices = 1, sham.major = 9, sham.fail_code = 719, sham.step_us = 10, sham.wrong = -1, sham.free_bytes = (size_t)64 << 20,
    sham.peers = true;
}

static int sham_call(const char *name)
{
    if (sham.only && strncmp(name, sham.only, strlen(sham.only)) != 0) return 0;
    if (++sham.calls < sham.fail_at || sham.fail_at == 0 || (sham.calls > sham.fail_at && !sham.sticky)) return 0;
    if (!sham.failed) sham.failed = name;
    return sham.fail_code;
}
#define SHAM(name)                                \
    do {                                          \
        const int code_ = sham_call("cuda" name); \
        if (code_ != 0) return code_;             \
    } while (0)

static int sham_GetDeviceCount(int *ret)
{
    SHAM("GetDeviceCount");
    *ret = sham.devices;
    return sham.count_code;
}
static int sham_version(int *ret)
{
    SHAM("GetVersion");
    *ret = 12080;
    return 0;
}
static int sham_SetDevice(int device)
{
    SHAM("SetDevice");
    return device >= 0 && device < sham.devices ? 0 : 101;
}
static int sham_GetDeviceProperties(int device, struct rr_cuda_device *ret)
{
    SHAM("GetDeviceProperties");
    *ret = (struct rr_cuda_device){.name = "stand-in \"device\"", .bus = "0000:00:00.0", .memory_bytes = (int64_t)sham.free_bytes};
    (void)snprintf(ret->bus, sizeof ret->bus, "0000:%02x:00.0", (unsigned)device);
    ret->l2_bytes = 4096, ret->major = sham.major, ret->minor = 0, ret->sms = 3;
    return 0;
}
static int sham_MemGetInfo(size_t *is_free, size_t *total)
{
    SHAM("MemGetInfo");
    *is_free = *total = sham.free_bytes;
    return 0;
}
static int sham_CanAccessPeer(int *ret, int device, int peer)
{
    SHAM("DeviceCanAccessPeer");
    *ret = sham.peers && device != peer;
    return 0;
}
static int sham_EnablePeer(int peer)
{
    SHAM("DeviceEnablePeerAccess");
    return peer > 0 ? 0 : 101;
}
static int sham_make(void **ret, size_t bytes)
{
    *ret = calloc(1, bytes ? bytes : 8);
    if (!*ret) return 2;
    sham.live++;
    return 0;
}
static int sham_drop(void *p)
{
    if (p) sham.live--;
    free(p);
    return 0;
}
static int sham_Malloc(void **ret, size_t bytes)
{
    SHAM("Malloc");
    if (sham.most_bytes > 0 && bytes > sham.most_bytes) return 2;
    return sham_make(ret, bytes < 1 << 20 ? bytes : 1 << 20); // what is larger is timed only, never touched
}
static int sham_MallocHost(void **ret, size_t bytes)
{
    SHAM("MallocHost");
    return sham_make(ret, bytes);
}
static int sham_StreamCreate(void **ret)
{
    SHAM("StreamCreate");
    return sham_make(ret, 8);
}
static int sham_EventCreate(void **ret)
{
    SHAM("EventCreate");
    return sham_make(ret, sizeof(int64_t));
}
/* What is given back is given back, also when the call then says that something went wrong before: as the runtime has it. */
static int sham_Free(void *p)
{
    (void)sham_drop(p);
    return sham_call("giving back");
}
static int sham_Memcpy(void *to, const void *from, size_t bytes, int kind, void *stream)
{
    SHAM("MemcpyAsync");
    if (!stream || kind < 1 || kind > 3) return 1;
    if (bytes <= 1 << 20) memmove(to, from, bytes);
    sham.clock_us += sham.step_us;
    return 0;
}
static int sham_MemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t bytes, void *stream)
{
    SHAM("MemcpyPeerAsync");
    if (!stream || to_device == from_device) return 1;
    if (bytes <= 1 << 20) memmove(to, from, bytes);
    sham.clock_us += sham.step_us;
    return 0;
}
static int sham_Synchronize(void *stream)
{
    SHAM("StreamSynchronize");
    return stream ? 0 : 1;
}
static int sham_EventRecord(void *event, void *stream)
{
    SHAM("EventRecord");
    if (!stream) return 1;
    memcpy(event, &sham.clock_us, sizeof sham.clock_us);
    return 0;
}
static int sham_EventQuery(void *event)
{
    SHAM("EventQuery");
    sham.polls++;
    return event && (sham.lazy ? sham.polls == 1 : sham.polls % 2 == 1) ? RR_CUDA_NOT_READY : 0;
}
static int sham_Elapsed(float *ms, void *start, void *stop)
{
    int64_t a, b;
    SHAM("EventElapsedTime");
    memcpy(&a, start, sizeof a), memcpy(&b, stop, sizeof b);
    *ms = (float)(b - a) / 1000.0f;
    return 0;
}
static int sham_Launch(enum rr_probe_kernel k, const struct rr_kernel_args *args, void *stream)
{
    SHAM("Launch");
    if (!stream) return 1;
    sham.clock_us += sham.step_us;
    if (sham.lazy || args->n > 8192) return 0; // too slow on the host; timed only
    rr_reference_kernel(k, args);
    if ((int)k == sham.wrong && args->n > 0) ((unsigned char *)args->out)[args->n / 2 | 3] ^= 0x40;
    return 0;
}
static const char *sham_GemmOpen(void) { return sham.no_gemm; }
static int sham_GemmCreate(const struct rr_gemm_shape *shape, void **ret)
{
    SHAM("GemmCreate");
    const int code = sham_make(ret, sizeof *shape);
    if (code == 0) memcpy(*ret, shape, sizeof *shape);
    return code;
}
static int sham_GemmRun(void *gemm, const void *a, const void *b, void *d, void *stream)
{
    const struct rr_gemm_shape *s = gemm;
    SHAM("GemmRun");
    if (!stream) return 1;
    sham.clock_us += sham.step_us;
    if (sham.lazy || s->m * s->n * s->k > 1 << 17) return 0;
    rr_reference_gemm(s, a, b, d);
    if (sham.wrong == RR_KERNEL_GEMM) ((unsigned char *)d)[1] ^= 0x40;
    return 0;
}
static const char *sham_error(int code) { return code == sham.fail_code ? "made to fail" : "stand-in error"; }

static const struct rr_cuda rr_cuda_sham = {
    sham_GetDeviceCount, sham_version,       sham_version,     sham_SetDevice,  sham_GetDeviceProperties,
    sham_MemGetInfo,     sham_CanAccessPeer, sham_EnablePeer,  sham_Malloc,     sham_Free,
    sham_MallocHost,     sham_Free,          sham_Memcpy,      sham_MemcpyPeer, sham_StreamCreate,
    sham_Free,           sham_Synchronize,   sham_EventCreate, sham_Free,       sham_EventRecord,
    sham_EventQuery,     sham_Elapsed,       sham_Launch,      sham_GemmOpen,   sham_GemmCreate,
    sham_GemmRun,        sham_Free,          sham_error,
};

/* ---- NCCL: the ranks' calls are kept until the group ends, then done by hand ---- */

struct sham_id {
    char bytes[128];
};
static struct {
    const void *in;
    void *out;
    size_t n;
    int op, peer, rank; /* op: r, g, s, b, S(end), R(eceive) */
} sham_queue[1024];
static int sham_queued, sham_comm_rank[16];

/* The small collectives of processes: each publishes what it sends, all wait, each takes what it needs, all wait. */
enum { MEETING_RANKS = 4, MEETING_CALLS = 8, MEETING_FLOATS = 4096 };
struct meeting {
    pthread_barrier_t barrier;
    struct {
        int op, peer;
        float data[MEETING_FLOATS];
    } call[MEETING_RANKS][MEETING_CALLS];
    int calls[MEETING_RANKS];
};
static struct meeting *meeting; /* in shared memory; NULL: one process */

static int nccl_call(const char *name) { return sham_call(name); }
static int nccl_version(int *ret)
{
    *ret = 22501;
    return nccl_call("ncclGetVersion");
}
static int nccl_id(struct sham_id *id)
{
    memset(id, 'i', sizeof *id);
    return nccl_call("ncclGetUniqueId");
}
static int nccl_init_rank(void **comm, int ranks, struct sham_id id, int rank)
{
    const int code = nccl_call("ncclCommInitRank");
    if (code != 0 || id.bytes[5] != 'i') return code ? code : 4;
    sham.nccl_ranks = ranks, sham_comm_rank[0] = rank, sham.live++;
    if (meeting) (void)pthread_barrier_wait(&meeting->barrier); // it returns when all are there
    *comm = &sham_comm_rank[0];
    return 0;
}
static int nccl_init_all(void **comm, int n, const int *devices)
{
    const int code = nccl_call("ncclCommInitAll");
    if (code != 0) return code;
    sham.nccl_ranks = n;
    for (int i = 0; i < n; i++) sham_comm_rank[i] = devices[i], comm[i] = &sham_comm_rank[i], sham.live++;
    return 0;
}
static int nccl_abort(void *comm)
{
    sham.live--;
    return comm ? 0 : 4;
}
static int nccl_destroy(void *comm)
{
    sham.live--;
    return comm ? nccl_call("ncclCommDestroy") : 4;
}
static bool sham_bad_group; /* a call of it failed: its end fails too, and nothing is done */
static int nccl_put(const void *in, void *out, size_t n, int op, int peer, void *comm)
{
    const int code = nccl_call("nccl operation");
    sham_bad_group = sham_bad_group || code != 0;
    if (code != 0) return code;
    sham_queue[sham_queued].in = in, sham_queue[sham_queued].out = out, sham_queue[sham_queued].n = n, sham_queue[sham_queued].op = op;
    sham_queue[sham_queued].peer = peer, sham_queue[sham_queued++].rank = *(int *)comm;
    return 0;
}
static int nccl_reduce(const void *i, void *o, size_t n, int t, int s, void *c, void *u)
{
    return t == 7 && s == 0 && u ? nccl_put(i, o, n, 'r', 0, c) : 4;
}
static int nccl_scatter(const void *i, void *o, size_t n, int t, int s, void *c, void *u)
{
    return t == 7 && s == 0 && u ? nccl_put(i, o, n, 's', 0, c) : 4;
}
static int nccl_gather(const void *i, void *o, size_t n, int t, void *c, void *u) { return t == 7 && u ? nccl_put(i, o, n, 'g', 0, c) : 4; }
static int nccl_broadcast(const void *i, void *o, size_t n, int t, int root, void *c, void *u)
{
    return t == 7 && u ? nccl_put(i, o, n, 'b', root, c) : 4;
}
static int nccl_send(const void *i, size_t n, int t, int peer, void *c, void *u)
{
    return t == 7 && u ? nccl_put(i, NULL, n, 'S', peer, c) : 4;
}
static int nccl_recv(void *o, size_t n, int t, int peer, void *c, void *u) { return t == 7 && u ? nccl_put(NULL, o, n, 'R', peer, c) : 4; }
static int nccl_start(void)
{
    sham_queued = 0, sham_bad_group = false;
    return nccl_call("ncclGroupStart");
}

/* Rank r's call of the same kind; of sends and receives the k-th between the two. */
static const float *sham_in(int op, int rank, int peer)
{
    for (int i = 0; meeting && i < meeting->calls[rank]; i++)
        if (meeting->call[rank][i].op == op && meeting->call[rank][i].peer == peer) return meeting->call[rank][i].data;
    for (int i = 0; !meeting && i < sham_queued; i++)
        if (sham_queue[i].op == op && sham_queue[i].rank == rank && sham_queue[i].peer == peer) return sham_queue[i].in;
    return NULL;
}
static void meeting_publish(void)
{
    int n = 0;
    for (int i = 0; i < sham_queued; i++) {
        if (sham_queue[i].op == 'R') continue;
        const int me = sham_queue[i].rank;
        const size_t floats = sham_queue[i].n * (sham_queue[i].op == 's' ? (size_t)sham.nccl_ranks : 1);
        if (n == MEETING_CALLS || me >= MEETING_RANKS || floats > MEETING_FLOATS) abort();
        meeting->call[me][n].op = sham_queue[i].op, meeting->call[me][n].peer = sham_queue[i].peer;
        memcpy(meeting->call[me][n].data, sham_queue[i].in, floats * sizeof(float));
        meeting->calls[me] = ++n;
    }
    (void)pthread_barrier_wait(&meeting->barrier);
}
static void sham_collect(int i)
{
    const size_t n = sham_queue[i].n;
    const int op = sham_queue[i].op, me = sham_queue[i].rank;
    float *out = sham_queue[i].out;
    if (op == 'S') return;
    for (size_t e = 0; e < n; e++) {
        if (op == 'R') out[e] = sham_in('S', sham_queue[i].peer, me)[e];
        if (op == 'b') out[e] = sham_in('b', 0, 0)[e];
        float sum = 0;
        for (int r = 0; r < sham.nccl_ranks; r++) {
            if (op == 'r') sum += sham_in('r', r, 0)[e];
            if (op == 's') sum += sham_in('s', r, 0)[e + n * (size_t)me];
            if (op == 'g') out[e + n * (size_t)r] = sham_in('g', r, 0)[e];
        }
        if (op == 'r' || op == 's') out[e] = sum;
    }
    if (sham.nccl_wrong == op) out[n / 3] += 1;
}
static int nccl_end(void)
{
    const int code = sham_bad_group ? 5 : nccl_call("ncclGroupEnd");
    sham.clock_us += sham.step_us;
    if (code != 0 || ++sham.groups > 6) return code; // the six that are checked
    if (meeting) meeting_publish();
    for (int i = 0; i < sham_queued; i++) sham_collect(i);
    if (meeting) (void)pthread_barrier_wait(&meeting->barrier);
    return code;
}
static const char *nccl_error(int code) { return sham_error(code); }

/* ---- NVML ---- */

static int nvml_ok(void) { return sham_call("nvmlInit or nvmlShutdown"); }
static int nvml_driver(char *text, unsigned n)
{
    if (n > 8) memcpy(text, "570.99", 7);
    return sham_call("nvmlSystemGetDriverVersion");
}
static int nvml_by_bus(const char *bus, void **ret)
{
    *ret = &sham;
    return strcmp(bus, "0000:00:00.0") == 0 ? sham_call("nvmlDeviceGetHandleByPciBusId") : 6;
}
static int nvml_power(void *device, unsigned *mw)
{
    *mw = 431500;
    return device == &sham ? sham_call("nvmlDeviceGetPowerUsage") : 2;
}
static int nvml_limit(void *device, unsigned *mw)
{
    *mw = 700000;
    return device == &sham ? sham_call("nvmlDeviceGetEnforcedPowerLimit") : 2;
}
static int nvml_clock(void *device, int which, unsigned *mhz)
{
    *mhz = 1785;
    return device == &sham && which == 1 ? sham_call("nvmlDeviceGetClockInfo") : 2;
}

static void *sham_open(const char *name)
{
    if (sham.no_library && strstr(name, sham.no_library)) return NULL;
    sham.libraries++;
    return &sham_queue;
}
static void sham_close(void *library)
{
    (void)library;
    sham.libraries--;
}
typedef void (*sham_function)(void);
static void *sham_symbol(void *library, const char *name)
{
    static const struct {
        const char *name;
        sham_function f;
    } all[] = {
#define F(name, f) {name, (sham_function)(f)}
        F("ncclGetVersion", nccl_version),
        F("ncclGetUniqueId", nccl_id),
        F("ncclCommInitRank", nccl_init_rank),
        F("ncclCommInitAll", nccl_init_all),
        F("ncclCommDestroy", nccl_destroy),
        F("ncclCommAbort", nccl_abort),
        F("ncclAllReduce", nccl_reduce),
        F("ncclAllGather", nccl_gather),
        F("ncclReduceScatter", nccl_scatter),
        F("ncclBroadcast", nccl_broadcast),
        F("ncclSend", nccl_send),
        F("ncclRecv", nccl_recv),
        F("ncclGroupStart", nccl_start),
        F("ncclGroupEnd", nccl_end),
        F("ncclGetErrorString", nccl_error),
        F("nvmlInit_v2", nvml_ok),
        F("nvmlShutdown", nvml_ok),
        F("nvmlSystemGetDriverVersion", nvml_driver),
        F("nvmlDeviceGetHandleByPciBusId_v2", nvml_by_bus),
        F("nvmlDeviceGetPowerUsage", nvml_power),
        F("nvmlDeviceGetEnforcedPowerLimit", nvml_limit),
        F("nvmlDeviceGetClockInfo", nvml_clock),
#undef F
    };
    void *ret = NULL;
    (void)library;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i].name, name) == 0 && (!sham.no_symbol || strcmp(sham.no_symbol, name) != 0)) memcpy(&ret, &all[i].f, sizeof ret);
    return ret;
}
static const struct rr_loader rr_loader_sham = {sham_open, sham_symbol, sham_close};
#endif
