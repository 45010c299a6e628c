/* SPDX-License-Identifier: MIT
 * models/probe/points.c - the work behind each measurement: buffers, random data, what is queued. */
#include "models/probe/layer.h"
#include "models/probe/probe.h"
#include <stdlib.h>
#include <string.h>

static int64_t whole(int64_t n, int64_t unit) { return (n + unit - 1) / unit * unit; }

static enum rr_status random_buffer(struct rr_probe *p, enum rr_probe_type type, int64_t n, uint32_t seed, void **ret)
{
    RR_TRY(rr_probe_buffer(p, RR_OWN_DEVICE, (size_t)n * rr_probe_type_bytes(type), ret));
    return rr_probe_launch(p, RR_KERNEL_FILL, &(struct rr_kernel_args){.out = *ret, .n = n, .seed = seed, .type = type});
}

/* How many sets of `bytes` are turned over so that none is found in the second-level cache again. */
static int sets_of(const struct rr_probe *p, double bytes)
{
    const double n = 3 * (double)p->device.l2_bytes / bytes;
    return n <= 1 ? 1 : n > 1e5 ? 100000 : (int)n + 1;
}

/* ---- kernels ---- */

struct stream_work {
    enum rr_probe_kernel kernel;
    struct rr_kernel_args args;
    int sets;
    int64_t stride; // bytes
};

static const void *moved(const void *at, int64_t by) { return at ? (const char *)at + by : NULL; }
static enum rr_status stream_once(struct rr_probe *p, void *ctx, int turn)
{
    const struct stream_work *w = ctx;
    struct rr_kernel_args g = w->args;
    const int64_t by = w->stride * (turn % w->sets);
    if (w->kernel != RR_KERNEL_ADAM) { // its state is large and of three types: it never fits the cache
        g.a = moved(g.a, by), g.b = moved(g.b, by);
        if (w->kernel != RR_KERNEL_READ) g.out = (char *)g.out + by;
    }
    return rr_probe_launch(p, w->kernel, &g);
}

static enum rr_status adam_buffers(struct rr_probe *p, struct rr_kernel_args *g)
{
    void *grad, *copy;
    RR_TRY(random_buffer(p, RR_PROBE_FP32, g->n, 1, &g->out));
    RR_TRY(rr_probe_buffer(p, RR_OWN_DEVICE, (size_t)g->n * 8, &g->state));
    RR_TRY(rr_probe_launch(p, RR_KERNEL_WRITE, &(struct rr_kernel_args){.out = g->state, .n = 2 * g->n}));
    RR_TRY(random_buffer(p, RR_PROBE_BF16, g->n, 2, &grad));
    RR_TRY(rr_probe_buffer(p, RR_OWN_DEVICE, (size_t)g->n * 2, &copy));
    g->a = grad, g->b = copy, g->s = 1e-4f;
    return RR_OK;
}

/* n elements of fp32 or bf16 in and out. */
static enum rr_status stream_buffers(struct rr_probe *p, struct stream_work *w, enum rr_probe_type type)
{
    const int64_t stride = whole(w->args.n * (int64_t)rr_probe_type_bytes(type), 256);
    const int64_t elements = stride / (int64_t)rr_probe_type_bytes(type) * w->sets;
    void *a = NULL, *b = NULL;
    w->stride = stride;
    if (w->kernel != RR_KERNEL_READ)
        RR_TRY(random_buffer(p, type, elements, 1, &w->args.out));
    else
        RR_TRY(rr_probe_buffer(p, RR_OWN_DEVICE, RR_READ_SUMS * sizeof(float), &w->args.out));
    if (w->kernel != RR_KERNEL_WRITE) RR_TRY(random_buffer(p, type, elements, 2, &a));
    if (rr_probe_kernel_bytes[w->kernel] == (type == RR_PROBE_FP32 ? 12 : 6)) RR_TRY(random_buffer(p, type, elements, 3, &b));
    w->args.a = a, w->args.b = b;
    return RR_OK;
}

static enum rr_status measure_stream(struct rr_probe *p, const struct rr_probe_point *pt, struct rr_probe_result *ret, bool *done)
{
    const int each = rr_probe_kernel_bytes[pt->kernel];
    const bool memory = strcmp(pt->kind, "memory") == 0;
    const int64_t n = memory ? pt->bytes / each / 1024 * 1024 : pt->n;
    struct stream_work w = {.kernel = pt->kernel, .args = {.n = n, .width = 4096, .s = 0.5f}, .sets = sets_of(p, (double)n * each)};
    if ((double)n * each * w.sets > rr_probe_free_bytes(p)) return RR_OK;
    if (pt->kernel == RR_KERNEL_ADAM)
        RR_TRY(adam_buffers(p, &w.args));
    else
        RR_TRY(stream_buffers(p, &w, memory ? RR_PROBE_FP32 : RR_PROBE_BF16));
    RR_TRY(rr_probe_time(p, &(struct rr_probe_work){.once = stream_once, .ctx = &w}, ret));
    ret->point.bytes = n * each;
    ret->check = p->kernel_check[pt->kernel];
    *done = true;
    return RR_OK;
}

/* ---- launches ---- */

static enum rr_status launch_once(struct rr_probe *p, void *ctx, int turn)
{
    (void)turn;
    for (int i = 0; i < *(const int *)ctx; i++) RR_TRY(rr_probe_launch(p, RR_KERNEL_EMPTY, &(struct rr_kernel_args){.n = 0}));
    return RR_OK;
}

/* empty: what each of 1000 launches one behind the other takes; empty_wait: one launch until the host knows that it is over. */
static enum rr_status measure_launch(struct rr_probe *p, const struct rr_probe_point *pt, struct rr_probe_result *ret)
{
    int many = 1000;
    if (strcmp(pt->op, "empty") == 0) {
        RR_TRY(rr_probe_time(p, &(struct rr_probe_work){.once = launch_once, .ctx = &many, .inner = 1, .repeats = RR_REPEATS}, ret));
        for (int i = 0; i < ret->n_us; i++) ret->us[i] /= many;
        return RR_OK;
    }
    many = 1;
    for (int i = -5; i < RR_REPEATS; i++) {
        const double start = rr_probe_now_us();
        RR_TRY(launch_once(p, &many, 0));
        RR_CU(p, StreamSynchronize, p->stream);
        if (i >= 0) ret->us[i] = rr_probe_now_us() - start;
    }
    ret->n_us = RR_REPEATS;
    return RR_OK;
}

/* ---- matrix products ---- */

struct gemm_work {
    void *gemm;
    char *a, *b, *d;
    int64_t a_bytes, b_bytes, d_bytes;
    int sets;
};

static enum rr_status run_gemm(struct rr_probe *p, void *gemm, const void *a, const void *b, void *d)
{
    return rr_probe_check_call(p, p->cu->GemmRun(gemm, a, b, d, p->stream), "cublasLtMatmul", __FILE__, __LINE__);
}

static enum rr_status gemm_once(struct rr_probe *p, void *ctx, int turn)
{
    const struct gemm_work *w = ctx;
    const int64_t i = turn % w->sets;
    return run_gemm(p, w->gemm, w->a + i * w->a_bytes, w->b + i * w->b_bytes, w->d + i * w->d_bytes);
}

static enum rr_status gemm_buffers(struct rr_probe *p, const struct rr_gemm_shape *s, struct gemm_work *w)
{
    const int64_t each = (int64_t)rr_probe_type_bytes(s->type), d_each = (int64_t)rr_probe_type_bytes(rr_probe_result_type(s->type));
    w->a_bytes = whole(s->batch * s->m * s->k * each, 256), w->b_bytes = whole(s->batch * s->n * s->k * each, 256);
    w->d_bytes = whole(s->batch * s->m * s->n * d_each, 256);
    void *a, *b, *d;
    RR_TRY(random_buffer(p, s->type, w->sets * w->a_bytes / each, 1, &a));
    RR_TRY(random_buffer(p, s->type, w->sets * w->b_bytes / each, 2, &b));
    RR_TRY(rr_probe_buffer(p, RR_OWN_DEVICE, (size_t)(w->sets * w->d_bytes), &d));
    w->a = a, w->b = b, w->d = d;
    return RR_OK;
}

static double gemm_bytes(const struct rr_gemm_shape *s)
{
    const double d = (double)rr_probe_type_bytes(rr_probe_result_type(s->type)), each = (double)rr_probe_type_bytes(s->type);
    return s->batch * (each * ((double)s->m * (double)s->k + (double)s->n * (double)s->k) + d * (double)s->m * (double)s->n);
}

static enum rr_status measure_gemm(struct rr_probe *p, const struct rr_probe_point *pt, struct rr_probe_result *ret, bool *done)
{
    const struct rr_gemm_shape s = {pt->type, pt->m, pt->n, pt->k, 1};
    struct gemm_work w = {.sets = sets_of(p, gemm_bytes(&s))};
    if (!p->gemm_there || !p->gemm_check[pt->type] || gemm_bytes(&s) * w.sets > rr_probe_free_bytes(p)) return RR_OK;
    RR_TRY(gemm_buffers(p, &s, &w));
    RR_TRY(rr_probe_gemm(p, &s, &w.gemm));
    RR_TRY(rr_probe_time(p, &(struct rr_probe_work){.once = gemm_once, .ctx = &w}, ret));
    ret->check = p->gemm_check[pt->type];
    *done = true;
    return RR_OK;
}

/* ---- attention: scores, softmax, weighted values ---- */

struct attention_work {
    struct gemm_work scores, values;
    int64_t elements;
    int32_t width;
};

static enum rr_status attention_once(struct rr_probe *p, void *ctx, int turn)
{
    const struct attention_work *w = ctx;
    (void)turn;
    RR_TRY(run_gemm(p, w->scores.gemm, w->scores.a, w->scores.b, w->scores.d));
    RR_TRY(rr_probe_launch(p, RR_KERNEL_SOFTMAX,
                           &(struct rr_kernel_args){.out = w->scores.d, .a = w->scores.d, .n = w->elements, .width = w->width}));
    return run_gemm(p, w->values.gemm, w->values.a, w->scores.d, w->values.d);
}

static enum rr_status measure_attention(struct rr_probe *p, const struct rr_probe_point *pt, struct rr_probe_result *ret, bool *done)
{
    const struct rr_gemm_shape scores = {RR_PROBE_BF16, pt->n, pt->n, pt->k, (int32_t)pt->m};
    const struct rr_gemm_shape values = {RR_PROBE_BF16, pt->k, pt->n, pt->n, (int32_t)pt->m};
    struct attention_work w = {.scores = {.sets = 1}, .values = {.sets = 1}, .elements = pt->m * pt->n * pt->n, .width = (int32_t)pt->n};
    if (!p->gemm_there || !p->gemm_check[RR_PROBE_BF16] || gemm_bytes(&scores) + gemm_bytes(&values) > rr_probe_free_bytes(p)) return RR_OK;
    RR_TRY(gemm_buffers(p, &scores, &w.scores));
    RR_TRY(gemm_buffers(p, &values, &w.values));
    RR_TRY(rr_probe_gemm(p, &scores, &w.scores.gemm));
    RR_TRY(rr_probe_gemm(p, &values, &w.values.gemm));
    RR_TRY(rr_probe_time(p, &(struct rr_probe_work){.once = attention_once, .ctx = &w}, ret));
    ret->flops = 4.0 * (double)w.elements * (double)pt->k;
    ret->point.bytes = (int64_t)(gemm_bytes(&scores) + gemm_bytes(&values) + 4.0 * (double)w.elements);
    const char *a = p->gemm_check[RR_PROBE_BF16], *b = p->kernel_check[RR_KERNEL_SOFTMAX];
    ret->check = strcmp(a, "ok") == 0 ? b : a;
    *done = true;
    return RR_OK;
}

/* ---- transfers ---- */

struct copy_work {
    void *to;
    const void *from;
    size_t bytes;
    int kind, to_device, from_device; // kind 0: between devices
};

static enum rr_status copy_once(struct rr_probe *p, void *ctx, int turn)
{
    const struct copy_work *w = ctx;
    (void)turn;
    if (w->kind == 0)
        RR_CU(p, MemcpyPeerAsync, w->to, w->to_device, w->from, w->from_device, w->bytes, p->stream);
    else
        RR_CU(p, MemcpyAsync, w->to, w->from, w->bytes, w->kind, p->stream);
    return RR_OK;
}

static enum rr_status peer_buffers(struct rr_probe *p, const struct rr_probe_point *pt, struct copy_work *w, bool *can)
{
    const int other = pt->from == 0 ? pt->to : pt->from;
    int yes = 0;
    void *here, *there;
    RR_CU(p, DeviceCanAccessPeer, &yes, 0, other);
    *can = yes;
    if (!yes) return RR_OK;
    RR_CU(p, DeviceEnablePeerAccess, other);
    RR_TRY(rr_probe_buffer(p, RR_OWN_DEVICE, w->bytes, &here));
    RR_CU(p, SetDevice, other);
    RR_TRY(rr_probe_buffer(p, RR_OWN_DEVICE, w->bytes, &there));
    RR_CU(p, SetDevice, 0);
    w->kind = 0, w->to_device = pt->to, w->from_device = pt->from;
    w->to = pt->to == 0 ? here : there, w->from = pt->from == 0 ? here : there;
    return RR_OK;
}

/* Pageable memory is touched first, so that page faults are not measured. */
static enum rr_status host_buffers(struct rr_probe *p, const struct rr_probe_point *pt, struct copy_work *w, void **pageable)
{
    void *device, *host;
    RR_TRY(rr_probe_buffer(p, RR_OWN_DEVICE, w->bytes, &device));
    if (strstr(pt->op, "pageable"))
        host = *pageable = rr_xrealloc(NULL, w->bytes, 1);
    else
        RR_TRY(rr_probe_buffer(p, RR_OWN_HOST, w->bytes, &host));
    memset(host, 0x5a, w->bytes);
    w->kind = pt->from < 0 ? RR_CUDA_H2D : RR_CUDA_D2H;
    w->to = pt->from < 0 ? device : host, w->from = pt->from < 0 ? host : device;
    return RR_OK;
}

static enum rr_status measure_transfer(struct rr_probe *p, const struct rr_probe_point *pt, struct rr_probe_result *ret, bool *done)
{
    struct copy_work w = {.bytes = (size_t)pt->bytes};
    void *pageable = NULL;
    bool can = true;
    enum rr_status st = RR_OK;
    if (pt->from >= 0 && pt->to >= 0)
        RR_GO(peer_buffers(p, pt, &w, &can));
    else
        RR_GO(host_buffers(p, pt, &w, &pageable));
    if (!can) goto out;
    RR_GO(rr_probe_time(p, &(struct rr_probe_work){.once = copy_once, .ctx = &w}, ret));
    *done = true;
out:
    if (pageable) (void)p->cu->StreamSynchronize(p->stream);
    free(pageable);
    return st;
}

/* ---- the layer ---- */

struct layer_work {
    void *gemm[64];
    char *pool[3]; // operands are taken one behind the other out of pools much larger than the cache
    int64_t bytes, at[3];
    struct rr_kernel_args adam;
};

static void *take(struct layer_work *w, int pool, int64_t bytes)
{
    if (w->at[pool] + bytes > w->bytes) w->at[pool] = 0;
    void *at = w->pool[pool] + w->at[pool];
    w->at[pool] += whole(bytes, 256);
    return at;
}

static enum rr_status layer_once(struct rr_probe *p, void *ctx, int turn)
{
    struct layer_work *w = ctx;
    (void)turn;
    for (size_t i = 0; i < rr_layer_n; i++) {
        const struct rr_layer_op *o = &rr_layer_ops[i];
        const int64_t rows = 2 * o->n;
        if (o->kernel == RR_KERNEL_GEMM)
            RR_TRY(run_gemm(p, w->gemm[i], take(w, 0, 2 * o->batch * o->m * o->k), take(w, 1, 2 * o->batch * o->n * o->k),
                            take(w, 2, 2 * o->batch * o->m * o->n)));
        else if (o->kernel == RR_KERNEL_ADAM)
            RR_TRY(rr_probe_launch(p, o->kernel, &w->adam));
        else
            RR_TRY(
                rr_probe_launch(p, o->kernel,
                                &(struct rr_kernel_args){
                                    .a = take(w, 0, rows), .b = take(w, 1, rows), .out = take(w, 2, rows), .n = o->n, .width = o->width}));
    }
    return RR_OK;
}

static enum rr_status layer_gemms(struct rr_probe *p, struct layer_work *w)
{
    for (size_t i = 0; i < rr_layer_n; i++) {
        const struct rr_layer_op *o = &rr_layer_ops[i];
        if (o->kernel == RR_KERNEL_ADAM) w->adam.n = o->n;
        if (o->kernel != RR_KERNEL_GEMM) continue;
        RR_TRY(rr_probe_gemm(p, &(struct rr_gemm_shape){RR_PROBE_BF16, o->m, o->n, o->k, o->batch}, &w->gemm[i]));
    }
    return RR_OK;
}

static const char *layer_check(const struct rr_probe *p)
{
    for (size_t i = 0; i < rr_layer_n; i++) {
        const enum rr_probe_kernel k = rr_layer_ops[i].kernel;
        const char *check = k == RR_KERNEL_GEMM ? p->gemm_check[RR_PROBE_BF16] : p->kernel_check[k];
        if (!check || strcmp(check, "ok") != 0) return "failed";
    }
    return "ok";
}

enum rr_status rr_probe_step(struct rr_probe *p, struct rr_probe_result *ret, bool *done)
{
    struct layer_work w = {.bytes = (int64_t)1280 << 20};
    if (!p->gemm_there || !p->gemm_check[RR_PROBE_BF16]) return RR_OK;
    if (12e9 > rr_probe_free_bytes(p)) {
        rr_probe_skip(p, "step", "it needs 12 GB of device memory");
        return RR_OK;
    }
    for (int i = 0; i < 3; i++) {
        void *at;
        RR_TRY(random_buffer(p, RR_PROBE_BF16, w.bytes / 2, (uint32_t)i + 1, &at));
        w.pool[i] = at;
    }
    RR_TRY(layer_gemms(p, &w));
    RR_TRY(adam_buffers(p, &w.adam));
    RR_TRY(rr_probe_time(p, &(struct rr_probe_work){.once = layer_once, .ctx = &w}, ret));
    ret->flops = rr_layer_flops();
    ret->check = layer_check(p);
    *done = true;
    return RR_OK;
}

enum rr_status rr_probe_point(struct rr_probe *p, const struct rr_probe_point *pt, struct rr_probe_result *ret, bool *done)
{
    if (strcmp(pt->kind, "collective") == 0) return rr_nccl_point(p, pt, ret, done);
    if (strcmp(pt->kind, "storage") == 0) return rr_probe_storage(p, pt, ret, done);
    if (strcmp(pt->kind, "step") == 0) return rr_probe_step(p, ret, done);
    if (strcmp(pt->kind, "transfer") == 0) return measure_transfer(p, pt, ret, done);
    if (strcmp(pt->kind, "gemm") == 0) return measure_gemm(p, pt, ret, done);
    if (strcmp(pt->op, "attention") == 0) return measure_attention(p, pt, ret, done);
    if (strcmp(pt->kind, "launch") != 0) return measure_stream(p, pt, ret, done);
    *done = true;
    return measure_launch(p, pt, ret);
}
