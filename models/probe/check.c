/* SPDX-License-Identifier: MIT
 * models/probe/check.c - every kernel and every product once, small, against the reference on the host.
 *
 * Inputs are the 16 values k / 8 that every type holds exactly. Tolerances: products and sums of them are exact in fp32 at these sizes, so only the
 * rounding of the result counts: half a place of the type; kernels with functions in fp32 get a place of bf16 (2^-7) of the larger of 1 and the value. */
#include "models/probe/probe.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 128, ELEMENTS = 32 * WIDTH };

struct host_side { /* the same buffers on the host; `got` is what the device wrote */
    void *out, *a, *b, *state, *got;
};

static void *host(size_t bytes)
{
    void *p = rr_xrealloc(NULL, bytes, 1);
    memset(p, 0, bytes);
    return p;
}
static void host_free(struct host_side *h)
{
    free(h->out), free(h->a), free(h->b), free(h->state), free(h->got);
    *h = (struct host_side){0};
}

static enum rr_status copy(struct rr_probe *p, void *to, const void *from, size_t bytes, int kind)
{
    RR_CU(p, MemcpyAsync, to, from, bytes, kind, p->stream);
    RR_CU(p, StreamSynchronize, p->stream);
    return RR_OK;
}

/* A buffer of the reference's random values on both sides. */
static enum rr_status pair(struct rr_probe *p, enum rr_probe_type type, int64_t n, uint32_t seed, void **on_host, void **on_device)
{
    const size_t bytes = (size_t)n * rr_probe_type_bytes(type);
    *on_host = host(bytes);
    rr_reference_kernel(RR_KERNEL_FILL, &(struct rr_kernel_args){.out = *on_host, .n = n, .seed = seed, .s = 1, .type = type});
    RR_TRY(rr_probe_buffer(p, RR_OWN_DEVICE, bytes, on_device));
    return copy(p, *on_device, *on_host, bytes, RR_CUDA_H2D);
}

static bool near(enum rr_probe_type type, const void *want, const void *got, int64_t n, double tolerance)
{
    for (int64_t i = 0; i < n; i++) {
        const double w = rr_reference_get(type, want, i), g = rr_reference_get(type, got, i);
        if (!(fabs(w - g) <= tolerance * fmax(1, fabs(w)))) return false;
    }
    return true;
}

static bool sums_agree(const float *want, const float *got)
{
    double w = 0, g = 0;
    for (int i = 0; i < RR_READ_SUMS; i++) w += (double)want[i], g += (double)got[i];
    return fabs(w - g) <= 1e-6 * ELEMENTS;
}

static bool is_fp32(enum rr_probe_kernel k) { return k <= RR_KERNEL_WRITE || k == RR_KERNEL_ADAM; }

static enum rr_status one_kernel(struct rr_probe *p, enum rr_probe_kernel k, struct host_side *h, bool *same)
{
    const enum rr_probe_type type = is_fp32(k) ? RR_PROBE_FP32 : RR_PROBE_BF16, in = k == RR_KERNEL_ADAM ? RR_PROBE_BF16 : type;
    struct rr_kernel_args g = {.n = ELEMENTS, .width = WIDTH, .s = 0.5f, .seed = 11, .type = type};
    void *a, *b, *state;
    const size_t bytes = ELEMENTS * rr_probe_type_bytes(type);
    RR_TRY(pair(p, type, ELEMENTS, 3, &h->out, &g.out));
    RR_TRY(pair(p, in, ELEMENTS, 5, &h->a, &a));
    RR_TRY(pair(p, in, ELEMENTS, 7, &h->b, &b));
    RR_TRY(pair(p, RR_PROBE_FP32, 2 * (int64_t)ELEMENTS, 9, &h->state, &state));
    for (int64_t i = ELEMENTS; i < 2 * (int64_t)ELEMENTS; i++) ((float *)h->state)[i] = 0.25f; // second moments are not negative
    RR_TRY(copy(p, state, h->state, 2 * ELEMENTS * sizeof(float), RR_CUDA_H2D));
    g.a = a, g.b = b, g.state = state;
    RR_TRY(rr_probe_launch(p, k, &g));
    h->got = host(bytes);
    RR_TRY(copy(p, h->got, g.out, bytes, RR_CUDA_D2H));
    struct rr_kernel_args r = g;
    r.out = h->out, r.a = h->a, r.b = h->b, r.state = h->state;
    rr_reference_kernel(k, &r);
    *same = k == RR_KERNEL_READ ? sums_agree(h->out, h->got) : near(type, h->out, h->got, ELEMENTS, is_fp32(k) ? 1e-6 : 0.0079);
    return RR_OK;
}

/* FILL must give the reference's values in every type, in both ways. */
static enum rr_status one_fill(struct rr_probe *p, enum rr_probe_type type, bool exact, struct host_side *h, bool *same)
{
    struct rr_kernel_args g = {.n = ELEMENTS, .s = exact ? 1 : 0, .seed = 13, .type = type};
    const size_t bytes = ELEMENTS * rr_probe_type_bytes(type);
    RR_TRY(rr_probe_buffer(p, RR_OWN_DEVICE, bytes, &g.out));
    RR_TRY(rr_probe_launch(p, RR_KERNEL_FILL, &g));
    h->got = host(bytes), h->out = host(bytes);
    RR_TRY(copy(p, h->got, g.out, bytes, RR_CUDA_D2H));
    g.out = h->out;
    rr_reference_kernel(RR_KERNEL_FILL, &g);
    *same = near(type, h->out, h->got, ELEMENTS, 0);
    return RR_OK;
}

static enum rr_status check_fills(struct rr_probe *p)
{
    bool all = true;
    for (int t = 0; t < RR_PROBE_TYPE_N; t++)
        for (int exact = 0; exact < 2; exact++) {
            struct host_side h = {0};
            bool same = false;
            const enum rr_status st = one_fill(p, (enum rr_probe_type)t, exact, &h, &same);
            host_free(&h);
            RR_TRY(st);
            all = all && same;
        }
    p->kernel_check[RR_KERNEL_FILL] = all ? "ok" : "failed";
    return RR_OK;
}

static double type_tolerance(enum rr_probe_type type)
{
    static const double place[RR_PROBE_TYPE_N] = {1e-12, 1e-6, 1e-6, 1.0 / 1024, 1.0 / 128, 1.0 / 128};
    return place[type];
}

static enum rr_status one_product(struct rr_probe *p, const struct rr_gemm_shape *s, struct host_side *h, bool *same)
{
    const enum rr_probe_type out = rr_probe_result_type(s->type);
    const int64_t n = s->batch * s->m * s->n;
    void *a, *b, *d, *gemm;
    RR_TRY(pair(p, s->type, s->batch * s->m * s->k, 17, &h->a, &a));
    RR_TRY(pair(p, s->type, s->batch * s->n * s->k, 19, &h->b, &b));
    RR_TRY(pair(p, out, n, 23, &h->out, &d));
    RR_TRY(rr_probe_gemm(p, s, &gemm));
    RR_TRY(rr_probe_check_call(p, p->cu->GemmRun(gemm, a, b, d, p->stream), "cublasLtMatmul", __FILE__, __LINE__));
    h->got = host((size_t)n * rr_probe_type_bytes(out));
    RR_TRY(copy(p, h->got, d, (size_t)n * rr_probe_type_bytes(out), RR_CUDA_D2H));
    rr_reference_gemm(s, h->a, h->b, h->out);
    *same = near(out, h->out, h->got, n, type_tolerance(s->type));
    return RR_OK;
}

/* Single, and batched but for fp8, which nothing here batches. A product that the library cannot do is skipped with its line. */
static enum rr_status check_type(struct rr_probe *p, enum rr_probe_type t)
{
    const struct rr_gemm_shape shapes[] = {{t, 32, 48, 64, 1}, {t, 16, 32, 48, 3}};
    bool all = true;
    for (int i = 0; i < (t == RR_PROBE_FP8 ? 1 : 2); i++) {
        struct host_side h = {0};
        bool same = false;
        const enum rr_status st = one_product(p, &shapes[i], &h, &same);
        host_free(&h);
        if (st != RR_OK && rr_probe_may_skip(p)) {
            rr_probe_skip(p, "gemm", "%s: %s", rr_probe_type_name[t], rr_reason());
            return RR_OK;
        }
        RR_TRY(st);
        all = all && same;
    }
    p->gemm_check[t] = all ? "ok" : "failed";
    return RR_OK;
}

/* fp8 wants compute capability 8.9, bf16 and tf32 8.0. */
static enum rr_status check_products(struct rr_probe *p)
{
    for (int t = 0; t < RR_PROBE_TYPE_N; t++) {
        if (t == RR_PROBE_FP8 && p->device.major * 10 + p->device.minor < 89) {
            rr_probe_skip(p, "gemm fp8", "%s has no fp8 (it needs compute capability 8.9)", p->device.name);
            continue;
        }
        if ((t == RR_PROBE_BF16 || t == RR_PROBE_TF32) && p->device.major < 8) {
            rr_probe_skip(p, t == RR_PROBE_BF16 ? "gemm bf16" : "gemm tf32", "%s has none (it needs compute capability 8.0)",
                          p->device.name);
            continue;
        }
        RR_TRY(check_type(p, (enum rr_probe_type)t));
    }
    return RR_OK;
}

enum rr_status rr_probe_check(struct rr_probe *p)
{
    const size_t mark = p->own.n;
    RR_TRY(check_fills(p));
    for (int k = RR_KERNEL_COPY; k < RR_KERNEL_N; k++) {
        struct host_side h = {0};
        bool same = false;
        const enum rr_status st = one_kernel(p, (enum rr_probe_kernel)k, &h, &same);
        host_free(&h);
        RR_TRY(st);
        p->kernel_check[k] = same ? "ok" : "failed";
    }
    if (p->gemm_there) RR_TRY(check_products(p));
    return rr_probe_release(p, mark);
}

const char *rr_probe_wrong(const struct rr_probe *p)
{
    struct rr_buf b = {0};
    for (int k = 0; k < RR_KERNEL_N; k++)
        if (p->kernel_check[k] && strcmp(p->kernel_check[k], "failed") == 0)
            rr_buf_putf(&b, "%s%s", b.n ? ", " : "", rr_probe_kernel_name[k]);
    for (int t = 0; t < RR_PROBE_TYPE_N; t++)
        if (p->gemm_check[t] && strcmp(p->gemm_check[t], "failed") == 0)
            rr_buf_putf(&b, "%sgemm %s", b.n ? ", " : "", rr_probe_type_name[t]);
    const char *names = b.n ? rr_strdup(p->arena, rr_buf_text(&b)) : NULL;
    rr_buf_done(&b);
    return names;
}
