/* SPDX-License-Identifier: MIT
 * models/probe/measure.c - what the probe holds, and how one thing is timed. */
#include "models/probe/probe.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void *open_library(const char *name) { return dlopen(name, RTLD_NOW | RTLD_LOCAL); }
static void *find_symbol(void *library, const char *name) { return dlsym(library, name); }
static void close_library(void *library) { (void)dlclose(library); }
const struct rr_loader rr_loader_real = {open_library, find_symbol, close_library};

enum rr_status rr_probe_check_call(struct rr_probe *p, int code, const char *call, const char *file, int line)
{
    if (code == 0) return RR_OK;
    p->code = code;
    if (code < 0) return rr_fail(RR_EIO, "%s: cublasLt status %d (%s:%d)", call, -code, file, line);
    return rr_fail(RR_EIO, "%s: %s (%d) (%s:%d)", call, p->cu->GetErrorString(code), code, file, line);
}

/* cudaErrorMemoryAllocation, cudaErrorNotSupported; cublasLt: not initialized (so it says when memory is short), allocation failed, invalid value,
 * architecture mismatch, not supported. */
bool rr_probe_may_skip(const struct rr_probe *p)
{
    static const int codes[] = {2, 801, -1, -3, -7, -8, -15};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (p->code == codes[i]) return true;
    return false;
}

void rr_probe_skip(struct rr_probe *p, const char *part, const char *fmt, ...)
{
    char text[512];
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    const struct rr_probe_skip skip = {part, rr_strdup(p->arena, text)};
    rr_vec_push(&p->skipped, skip);
}

double rr_probe_now_us(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

/* A tenth stays for the driver and the libraries. */
double rr_probe_free_bytes(struct rr_probe *p)
{
    size_t is_free = 0, total = 0;
    return p->cu->MemGetInfo(&is_free, &total) == 0 ? 0.9 * (double)is_free : 0;
}

static void keep(struct rr_probe *p, int what, void *at)
{
    const struct rr_probe_own own = {what, at};
    rr_vec_push(&p->own, own);
}

enum rr_status rr_probe_buffer(struct rr_probe *p, int what, size_t bytes, void **ret)
{
    if (what == RR_OWN_DEVICE) RR_CU(p, Malloc, ret, bytes);
    if (what == RR_OWN_HOST) RR_CU(p, MallocHost, ret, bytes);
    if (what == RR_OWN_STREAM) RR_CU(p, StreamCreate, ret);
    if (what == RR_OWN_EVENT) RR_CU(p, EventCreate, ret);
    keep(p, what, *ret);
    return RR_OK;
}

enum rr_status rr_probe_gemm(struct rr_probe *p, const struct rr_gemm_shape *shape, void **ret)
{
    RR_TRY(rr_probe_check_call(p, p->cu->GemmCreate(shape, ret), "cublasLtMatmulAlgoGetHeuristic", __FILE__, __LINE__));
    keep(p, RR_OWN_GEMM, *ret);
    return RR_OK;
}

static int give_back(const struct rr_probe *p, const struct rr_probe_own *o)
{
    switch (o->what) {
    case RR_OWN_DEVICE: return p->cu->Free(o->p);
    case RR_OWN_HOST: return p->cu->FreeHost(o->p);
    case RR_OWN_STREAM: return p->cu->StreamDestroy(o->p);
    case RR_OWN_EVENT: return p->cu->EventDestroy(o->p);
    default: return p->cu->GemmDestroy(o->p);
    }
}

enum rr_status rr_probe_release(struct rr_probe *p, size_t mark)
{
    while (p->own.n > mark) {
        const struct rr_probe_own o = p->own.at[--p->own.n];
        RR_TRY(rr_probe_check_call(p, give_back(p, &o), "giving back what was allocated", __FILE__, __LINE__));
    }
    return RR_OK;
}

enum rr_status rr_probe_launch(struct rr_probe *p, enum rr_probe_kernel k, const struct rr_kernel_args *args)
{
    const int code = p->cu->Launch(k, args, p->stream);
    if (code == 0) return RR_OK;
    return rr_probe_check_call(p, code, rr_strf(p->arena, "kernel %s", rr_probe_kernel_name[k]), __FILE__, __LINE__);
}

void rr_probe_init(struct rr_probe *p, const struct rr_cuda *cu, const struct rr_loader *ld, const struct rr_probe_options *opt,
                   struct rr_arena *a)
{
    *p = (struct rr_probe){.cu = cu, .ld = ld, .opt = *opt, .arena = a, .topology = "", .nvml_driver = ""};
    if (p->opt.wait_s <= 0) p->opt.wait_s = 120;
    rr_probe_world_find(a, opt->id_file || getenv("NCCL_COMM_ID"), &p->world);
}

/* What comes back after an error may fail again: that is not looked at. */
void rr_probe_done(struct rr_probe *p)
{
    if (p->code != 0) rr_nccl_abort(p);
    rr_nccl_close(p);
    rr_nvml_close(p);
    while (p->own.n > 0) {
        const struct rr_probe_own o = p->own.at[--p->own.n];
        (void)give_back(p, &o);
    }
    rr_vec_done(&p->own);
    rr_vec_done(&p->results);
    rr_vec_done(&p->skipped);
}

/* ---- timing ---- */

static enum rr_status some(struct rr_probe *p, const struct rr_probe_work *w, int n, int *turn)
{
    for (int i = 0; i < n; i++) RR_TRY(w->once(p, w->ctx, (*turn)++));
    return RR_OK;
}

static enum rr_status between(struct rr_probe *p, int from, int to, double *us)
{
    float ms = 0;
    RR_CU(p, EventElapsedTime, &ms, p->event[from], p->event[to]);
    *us = 1e3 * (double)ms;
    return RR_OK;
}

/* Until the last event has come: power and clock, some hundred times a second. */
static enum rr_status watch(struct rr_probe *p, void *event, struct rr_probe_result *r)
{
    double power = 0, clock = 0;
    int n = 0, code;
    while ((code = p->cu->EventQuery(event)) == RR_CUDA_NOT_READY) {
        double w, mhz;
        if (rr_nvml_sample(p, &w, &mhz)) power += w, clock += mhz, n++;
        (void)usleep(2000);
    }
    RR_TRY(rr_probe_check_call(p, code, "cudaEventQuery", __FILE__, __LINE__));
    r->power_w = n > 0 ? power / n : 0, r->clock_mhz = n > 0 ? clock / n : 0;
    return RR_OK;
}

/* A repeat lasts at least 200 us, all together about 60 ms, in 5 (of more than a second each: 3) to RR_REPEATS repeats. */
static enum rr_status pilot(struct rr_probe *p, const struct rr_probe_work *w, int *turn, int *inner, int *repeats)
{
    double us = 0;
    RR_CU(p, EventRecord, p->event[0], p->stream);
    RR_TRY(some(p, w, 1, turn));
    RR_CU(p, EventRecord, p->event[1], p->stream);
    RR_CU(p, StreamSynchronize, p->stream);
    RR_TRY(between(p, 0, 1, &us));
    const double n = us > 2 ? 200 / us : 100;
    *inner = n < 1 ? 1 : (int)n;
    const double fit = us > 0 ? 60000 / (us * *inner) : RR_REPEATS;
    *repeats = us > 1e6 ? 3 : fit < 5 ? 5 : fit > RR_REPEATS ? RR_REPEATS : (int)fit;
    return RR_OK;
}

enum rr_status rr_probe_time(struct rr_probe *p, const struct rr_probe_work *w, struct rr_probe_result *ret)
{
    int turn = 0, inner = w->inner, repeats = w->repeats;
    RR_TRY(some(p, w, 2, &turn)); // warm-up
    RR_CU(p, StreamSynchronize, p->stream);
    if (inner == 0) RR_TRY(pilot(p, w, &turn, &inner, &repeats));
    RR_CU(p, EventRecord, p->event[0], p->stream);
    for (int r = 0; r < repeats; r++) {
        RR_TRY(some(p, w, inner, &turn));
        RR_CU(p, EventRecord, p->event[r + 1], p->stream);
    }
    RR_TRY(watch(p, p->event[repeats], ret));
    RR_CU(p, StreamSynchronize, p->stream);
    for (int r = 0; r < repeats; r++) {
        RR_TRY(between(p, r, r + 1, &ret->us[r]));
        ret->us[r] /= inner;
    }
    ret->n_us = repeats;
    return RR_OK;
}
