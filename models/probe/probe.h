/* SPDX-License-Identifier: MIT
 * models/probe/probe.h - rackrate-probe: measures a machine's GPUs and writes raw samples (data/samples.h, "rackrate.samples/1").
 *
 *     struct rr_probe p;
 *     rr_probe_init(&p, &rr_cuda_real, &rr_loader_real, &options, arena);
 *     rr_probe_run(&p), rr_probe_json(&p, &buf);
 *     rr_probe_done(&p);
 *
 * program.c is the program; plan.c says what is measured in which order, measure.c how; points.c, collective.c and storage.c hold the work; check.c
 * compares each kernel with the host reference of reference.c. Nothing here changes clocks, power limits or any other setting. Every status is looked
 * at: a call that fails is RR_EIO in one line with the call and FILE:LINE, no device or driver RR_EMISSING. What costs its measurement alone (no
 * memory, no such product on this device, NCCL in one process, a disk) is skipped with that line. */
#ifndef RR_MODELS_PROBE_H
#define RR_MODELS_PROBE_H
#include "data/base/text.h"
#include "data/base/vec.h"
#include "models/probe/cuda.h"

#ifndef RR_VERSION
#define RR_VERSION "0.1.0"
#endif

enum { RR_REPEATS = 30 };

struct rr_loader { /* libraries that are opened at run time: NCCL, NVML */
    void *(*open)(const char *name);
    void *(*symbol)(void *library, const char *name);
    void (*close)(void *library);
};
extern const struct rr_loader rr_loader_real;

struct rr_probe_options {
    double budget_s; /* 0 = everything */
    int gpus;        /* of the plan; 0 = those that are there */
    const char *only;
    const char *disk, *network, *id_file, *note;
    bool check_only;
    double wait_s;                                             /* for the other processes */
    size_t most;                                               /* measurements; 0 = no limit */
    void (*alive)(const char *next, unsigned seconds);         /* or NULL; what follows takes at most that long, or it hangs */
    void (*progress)(size_t done, size_t n, const char *what); /* or NULL */
};

/* One thing to measure. `cost_us` is what it takes on a nominal machine (plan.c): it orders and cuts the plan, and enters no result. */
struct rr_probe_point {
    const char *kind, *op;
    enum rr_probe_type type;
    bool typed;
    int64_t bytes, m, n, k;
    int32_t ranks, from, to, tier;
    enum rr_probe_kernel kernel;
    double once_us, cost_us;
    bool picked;
};
struct rr_probe_plan {
    struct rr_probe_point *at; /* most valuable first */
    size_t n;
    double cost_us; /* of the picked ones */
    size_t picked;
    int gpus; /* of all processes */
};
/* The plan for `gpus` on `ranks` processes (1: one process drives all), cut at the budget. RR_EUSAGE: --only names no part. */
RR_CHECKED enum rr_status rr_probe_plan(const struct rr_probe_options *opt, int gpus, int ranks, struct rr_arena *a,
                                        struct rr_probe_plan *ret);
/* A line for each part, or with `all` for each measurement; then the time beside the budget. */
void rr_probe_plan_text(struct rr_buf *b, const struct rr_probe_plan *plan, double budget_s, bool all);
const char *rr_probe_point_text(const struct rr_probe_point *p, struct rr_arena *a);

struct rr_probe_result {
    struct rr_probe_point point;
    int32_t nodes;
    double flops;
    double us[RR_REPEATS]; /* as measured, in order; outliers stay */
    int n_us;
    double power_w, clock_mhz; /* means over the measurement; 0 = not known */
    const char *check;         /* "ok", "failed" or NULL: not of a kind that is checked */
};
struct rr_probe_skip {
    const char *part, *why;
};

struct rr_probe_own { /* what must be given back, in order of making */
    int what;
    void *p;
};

struct rr_probe_world {            /* the processes of this measurement: one, or those of mpirun or srun */
    int rank, size, local, beside; /* beside: processes on this node, 0 = not said */
    const char *job;
    double free_bytes; /* device memory that every process has; 0: not known */
};

struct rr_probe {
    const struct rr_cuda *cu;
    const struct rr_loader *ld;
    struct rr_probe_options opt;
    struct rr_arena *arena;
    struct rr_cuda_device device; /* the first */
    int n_devices, first;         /* of this process */
    int driver, runtime, nccl_version;
    int code;      /* of the last call that failed */
    size_t failed; /* measurements that a failed call has cost */
    struct rr_probe_world world;
    struct rr_probe_plan plan;
    void *stream, *event[RR_REPEATS + 1];
    RR_VEC(struct rr_probe_own) own;
    RR_VEC(struct rr_probe_result) results;
    RR_VEC(struct rr_probe_skip) skipped;
    const char *kernel_check[RR_KERNEL_N], *gemm_check[RR_PROBE_TYPE_N]; /* NULL, "ok", "failed" */
    bool gemm_there;
    struct rr_nvml *nvml; /* NULL: not there */
    struct rr_nccl *nccl;
    const char *nvml_driver;
    double power_limit_w;
    const char *topology;
};

void rr_probe_init(struct rr_probe *p, const struct rr_cuda *cu, const struct rr_loader *ld, const struct rr_probe_options *opt,
                   struct rr_arena *a);
void rr_probe_done(struct rr_probe *p); /* gives everything back, after an error too */
RR_CHECKED enum rr_status rr_probe_run(struct rr_probe *p);
void rr_probe_json(const struct rr_probe *p, const char *date, struct rr_buf *b);
/* program.c: all of rackrate-probe; the exit code. */
int rr_probe_program(int argc, char **argv, const struct rr_cuda *cu, const struct rr_loader *ld);
const char *rr_probe_wrong(const struct rr_probe *p); /* names of the kernels and products whose result was wrong; NULL: none */

/* ---- for the files of this folder ---- */
RR_CHECKED enum rr_status rr_probe_check_call(struct rr_probe *p, int code, const char *call, const char *file, int line);
bool rr_probe_may_skip(const struct rr_probe *p); /* after a call that failed: the device can go on without what was wanted */
#define RR_CU(p, call, ...) RR_TRY(rr_probe_check_call((p), (p)->cu->call(__VA_ARGS__), "cuda" #call, __FILE__, __LINE__))

void rr_probe_skip(struct rr_probe *p, const char *part, const char *fmt, ...) RR_PRINTF(3, 4);
double rr_probe_now_us(void);
double rr_probe_free_bytes(struct rr_probe *p); /* device memory that may be used; 0 when the device does not say */

enum { RR_OWN_DEVICE, RR_OWN_HOST, RR_OWN_STREAM, RR_OWN_EVENT, RR_OWN_GEMM };
RR_CHECKED enum rr_status rr_probe_buffer(struct rr_probe *p, int what, size_t bytes, void **ret);
RR_CHECKED enum rr_status rr_probe_gemm(struct rr_probe *p, const struct rr_gemm_shape *shape, void **ret);
RR_CHECKED enum rr_status rr_probe_release(struct rr_probe *p, size_t mark); /* down to own.n == mark */
RR_CHECKED enum rr_status rr_probe_launch(struct rr_probe *p, enum rr_probe_kernel k, const struct rr_kernel_args *args);

struct rr_probe_work {
    enum rr_status (*once)(struct rr_probe *p, void *ctx, int turn); /* queues one piece of work on p->stream */
    void *ctx;
    int inner, repeats; /* 0: as many as a pilot says; given: the same on all processes */
};
/* Warms up, runs and times; fills us, n_us, power and clock. */
RR_CHECKED enum rr_status rr_probe_time(struct rr_probe *p, const struct rr_probe_work *w, struct rr_probe_result *ret);

RR_CHECKED enum rr_status rr_probe_check(struct rr_probe *p); /* check.c: every kernel and product against the reference */
RR_CHECKED enum rr_status rr_probe_point(struct rr_probe *p, const struct rr_probe_point *pt, struct rr_probe_result *ret, bool *done);
RR_CHECKED enum rr_status rr_probe_step(struct rr_probe *p, struct rr_probe_result *ret, bool *done);
RR_CHECKED enum rr_status rr_probe_storage(struct rr_probe *p, const struct rr_probe_point *pt, struct rr_probe_result *ret, bool *done);

struct rr_nvml *rr_nvml_open(struct rr_probe *p); /* NULL, with a line in skipped */
void rr_nvml_close(struct rr_probe *p);
bool rr_nvml_sample(const struct rr_probe *p, double *power_w, double *clock_mhz);

enum { RR_ID_BYTES = 128 };
void rr_probe_world_find(struct rr_arena *a, bool many, struct rr_probe_world *ret); /* from the environment of mpirun or srun */
int rr_probe_per_node(const struct rr_probe *p);                                     /* GPUs */
int rr_probe_nodes(const struct rr_probe *p);
/* world.c: all processes wait for each other and agree; rank 0's id comes to all. RR_EUSAGE: they have other plans, or share a GPU; RR_EIO: one did not
 * come. The same line on all of them. */
RR_CHECKED enum rr_status rr_probe_meet(struct rr_probe *p, unsigned char id[RR_ID_BYTES]);
void rr_probe_met(struct rr_probe *p);                      /* rank 0, when all go on: removes the files */
RR_CHECKED enum rr_status rr_nccl_open(struct rr_probe *p); /* p->nccl stays NULL, with a line in skipped, when it is missing */
void rr_nccl_close(struct rr_probe *p);
void rr_nccl_abort(struct rr_probe *p);                                        /* the same after a failure: waits for nobody */
RR_CHECKED enum rr_status rr_nccl_skip(struct rr_probe *p, enum rr_status st); /* turns what NCCL said into a line in skipped */
RR_CHECKED enum rr_status rr_nccl_check(struct rr_probe *p);
RR_CHECKED enum rr_status rr_nccl_point(struct rr_probe *p, const struct rr_probe_point *pt, struct rr_probe_result *ret, bool *done);

/* reference.c: what a kernel should have written, on host memory; the same arguments. */
void rr_reference_kernel(enum rr_probe_kernel k, const struct rr_kernel_args *args);
void rr_reference_gemm(const struct rr_gemm_shape *s, const void *a, const void *b, void *d);
double rr_reference_get(enum rr_probe_type type, const void *at, int64_t i);
void rr_reference_set(enum rr_probe_type type, void *at, int64_t i, double v);
size_t rr_probe_type_bytes(enum rr_probe_type type);
enum rr_probe_type rr_probe_result_type(enum rr_probe_type type); /* of D: fp8 gives bf16 */
extern const char *const rr_probe_type_name[RR_PROBE_TYPE_N];
extern const char *const rr_probe_kernel_name[RR_KERNEL_N];
extern const int rr_probe_kernel_bytes[RR_KERNEL_N];
#endif
