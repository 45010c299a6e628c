/* SPDX-License-Identifier: MIT
 * models/probe/run.c - opening the device, then the plan point by point until the budget is used. */
#include "models/probe/probe.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { MOST_LINES = 16 };

/* No driver, no device, a driver too old for the runtime: a missing part, not a failure. */
static enum rr_status count_devices(struct rr_probe *p)
{
    const int code = p->cu->GetDeviceCount(&p->n_devices);
    if (code != 0) return rr_fail(RR_EMISSING, "no CUDA device: cudaGetDeviceCount: %s (%d)", p->cu->GetErrorString(code), code);
    if (p->n_devices < 1) return rr_fail(RR_EMISSING, "no CUDA device: cudaGetDeviceCount counts none");
    return RR_OK;
}

static enum rr_status describe_topology(struct rr_probe *p)
{
    struct rr_buf b = {0};
    enum rr_status st = RR_OK;
    for (int i = 0; i < p->n_devices; i++) {
        struct rr_cuda_device d;
        RR_GO(rr_probe_check_call(p, p->cu->GetDeviceProperties(i, &d), "cudaGetDeviceProperties", __FILE__, __LINE__));
        rr_buf_putf(&b, "%sGPU%d %s %s, peers:", i ? "; " : "", i, d.name, d.bus);
        for (int j = 0; j < p->n_devices; j++) {
            int yes = 0;
            if (j == i) continue;
            RR_GO(rr_probe_check_call(p, p->cu->DeviceCanAccessPeer(&yes, i, j), "cudaDeviceCanAccessPeer", __FILE__, __LINE__));
            if (yes) rr_buf_putf(&b, " %d", j);
        }
    }
    p->topology = rr_strdup(p->arena, rr_buf_text(&b));
out:
    rr_buf_done(&b);
    return st;
}

static enum rr_status open_device(struct rr_probe *p)
{
    RR_TRY(count_devices(p));
    p->first = p->world.size > 1 ? p->world.local % p->n_devices : 0;
    RR_CU(p, DriverGetVersion, &p->driver);
    RR_CU(p, RuntimeGetVersion, &p->runtime);
    RR_CU(p, SetDevice, p->first);
    RR_CU(p, GetDeviceProperties, p->first, &p->device);
    RR_TRY(describe_topology(p));
    RR_TRY(rr_probe_buffer(p, RR_OWN_STREAM, 0, &p->stream));
    for (int i = 0; i <= RR_REPEATS; i++) RR_TRY(rr_probe_buffer(p, RR_OWN_EVENT, 0, &p->event[i]));
    return RR_OK;
}

static enum rr_status open_parts(struct rr_probe *p)
{
    const char *why = p->cu->GemmOpen();
    p->gemm_there = why == NULL;
    if (why) rr_probe_skip(p, "gemm", "%s", why);
    p->nvml = rr_nvml_open(p);
    RR_TRY(rr_nccl_skip(p, rr_nccl_open(p)));
    if (!p->nccl && p->world.size > 1)
        return rr_fail(RR_EMISSING, "%d processes, but NCCL cannot be opened: %s", p->world.size,
                       p->skipped.n ? p->skipped.at[p->skipped.n - 1].why : "");
    return RR_OK;
}

/* A measurement that cannot be had costs itself alone, if the device is well. Of many processes each would wait for the others: there it ends the run. */
static enum rr_status after_failure(struct rr_probe *p, const struct rr_probe_point *pt, enum rr_status st)
{
    const bool disk = strcmp(pt->kind, "storage") == 0;
    if (p->world.size > 1) return st;
    st = rr_nccl_skip(p, st);
    if (st == RR_OK) return st;
    if (!disk && !rr_probe_may_skip(p)) return st;
    if (p->failed++ < MOST_LINES) rr_probe_skip(p, pt->kind, "%s: %s", rr_probe_point_text(pt, p->arena), rr_reason());
    p->code = 0;
    RR_CU(p, SetDevice, p->first);
    return RR_OK;
}

static enum rr_status measure(struct rr_probe *p, const struct rr_probe_point *pt, bool *done)
{
    struct rr_probe_result r = {.point = *pt, .nodes = 1};
    const size_t mark = p->own.n;
    const enum rr_status st = rr_probe_point(p, pt, &r, done);
    if (st != RR_OK) {
        *done = false;
        RR_TRY(after_failure(p, pt, st));
    }
    RR_CU(p, StreamSynchronize, p->stream);
    RR_TRY(rr_probe_release(p, mark));
    if (*done) rr_vec_push(&p->results, r);
    return RR_OK;
}

/* How much slower than the nominal machine this one is, by kind and type, seen at times long enough to say so. */
struct pace {
    struct {
        const char *kind;
        enum rr_probe_type type;
        double factor;
    } at[64];
    size_t n;
};

static double *pace_of(struct pace *c, const struct rr_probe_point *pt)
{
    size_t i = 0;
    while (i < c->n && (strcmp(c->at[i].kind, pt->kind) != 0 || c->at[i].type != pt->type)) i++;
    if (i == c->n) {
        if (c->n + 1 < sizeof c->at / sizeof *c->at) c->n++;
        c->at[i].kind = pt->kind, c->at[i].type = pt->type, c->at[i].factor = 1;
    }
    return &c->at[i].factor;
}

static void learn_pace(struct pace *c, const struct rr_probe_result *r)
{
    const double us = r->us[r->n_us - 1];
    if (us > 1000 && r->point.once_us > 0) *pace_of(c, &r->point) = us > r->point.once_us ? us / r->point.once_us : 1;
}

static double cost_here(struct pace *c, const struct rr_probe_point *pt) { return pt->cost_us + 8 * pt->once_us * (*pace_of(c, pt) - 1); }

/* Many processes keep in step: the plan alone decides, and only what all of them do together is measured. One process looks at the clock. */
static enum rr_status run_plan(struct rr_probe *p)
{
    const double start = rr_probe_now_us(), budget = p->opt.budget_s * 1e6;
    size_t late = 0, unfit = 0;
    struct pace pace = {.n = 0};
    for (size_t i = 0; i < p->plan.n; i++) {
        const struct rr_probe_point *pt = &p->plan.at[i];
        const double elapsed = rr_probe_now_us() - start;
        bool done = false;
        if (p->world.size > 1 && (!pt->picked || strcmp(pt->kind, "collective") != 0)) continue;
        if (p->world.size == 1 && budget > 0 && (elapsed + cost_here(&pace, pt) > budget)) {
            late++;
            continue;
        }
        if (p->opt.most > 0 && p->results.n == p->opt.most) break;
        const char *text = rr_probe_point_text(pt, p->arena);
        if (p->opt.alive) p->opt.alive(text, 600);
        if (p->opt.progress) p->opt.progress(i, p->plan.n, text);
        RR_TRY(measure(p, pt, &done));
        unfit += !done;
        if (done) learn_pace(&pace, &p->results.at[p->results.n - 1]);
    }
    if (late > 0) rr_probe_skip(p, "budget", "%zu measurements of less value did not fit in %g s", late, p->opt.budget_s);
    if (p->failed > MOST_LINES) rr_probe_skip(p, "points", "%zu more failed", p->failed - MOST_LINES);
    unfit -= p->failed < unfit ? p->failed : unfit;
    if (unfit > 0) rr_probe_skip(p, "points", "%zu measurements were left out: no memory, library, peer access or type for them", unfit);
    return RR_OK;
}

/* Before anything is measured, not when its turn comes. */
static enum rr_status check_folder(const char *name, const char *dir)
{
    if (!dir || access(dir, W_OK | X_OK) == 0) return RR_OK;
    return rr_fail(RR_EIO, "%s %s: %s", name, dir, strerror(errno));
}

enum rr_status rr_probe_run(struct rr_probe *p)
{
    RR_TRY(rr_probe_plan(&p->opt, 1, 1, p->arena, &p->plan)); // wrong words are seen without a device too
    RR_TRY(check_folder("--disk", p->opt.disk));
    RR_TRY(check_folder("--network", p->opt.network));
    if (p->opt.alive) p->opt.alive("opening the device", 300);
    RR_TRY(open_device(p));
    RR_TRY(rr_probe_plan(&p->opt, p->opt.gpus > 0 && p->opt.gpus < p->n_devices ? p->opt.gpus : p->n_devices, p->world.size, p->arena,
                         &p->plan));
    RR_TRY(open_parts(p));
    if (p->opt.alive) p->opt.alive("the check of the kernels", 300);
    RR_TRY(rr_probe_check(p));
    if (p->nccl) RR_TRY(rr_nccl_skip(p, rr_nccl_check(p)));
    return p->opt.check_only ? RR_OK : run_plan(p);
}
