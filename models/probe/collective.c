/* SPDX-License-Identifier: MIT
 * models/probe/collective.c - NCCL, opened at run time, with prototypes of our own (NVIDIA, NCCL 2.27 documentation, "API").
 *
 * One process drives all GPUs of a node; under mpirun or srun each process drives one, and the unique id goes through a file that all can read
 * (--id-file, world.c) or through NCCL_COMM_ID=HOST:PORT, which NCCL itself reads. Sizes are those of nccl-tests: a rank's whole buffer, of all_gather the gathered one. */
#include "models/probe/probe.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RANKS = 16, NCCL_FLOAT = 7, NCCL_SUM = 0, CHECKED = 1024, NCCL_FAILED = 1 << 20 };
struct nccl_id {
    unsigned char bytes[RR_ID_BYTES];
};
typedef void *comm;

struct rr_nccl {
    void *library;
    int (*version)(int *);
    int (*id)(struct nccl_id *);
    int (*init_rank)(comm *, int ranks, struct nccl_id id, int rank);
    int (*init_all)(comm *, int n, const int *devices);
    int (*destroy)(comm);
    int (*abort)(comm); /* NULL before 2.4 */
    int (*all_reduce)(const void *, void *, size_t, int, int, comm, void *);
    int (*all_gather)(const void *, void *, size_t, int, comm, void *);
    int (*reduce_scatter)(const void *, void *, size_t, int, int, comm, void *);
    int (*broadcast)(const void *, void *, size_t, int, int, comm, void *);
    int (*send)(const void *, size_t, int, int, comm, void *);
    int (*recv)(void *, size_t, int, int, comm, void *);
    int (*group_start)(void);
    int (*group_end)(void);
    const char *(*error)(int);

    comm comms[MOST_RANKS];
    void *streams[MOST_RANKS]; /* of the local ranks; [0] is p->stream */
    int n, ranks, base;        /* local ranks, all ranks, the first local one's number */
};

static enum rr_status check_nccl(struct rr_probe *p, int code, const char *call, int line)
{
    if (code == 0) return RR_OK;
    p->code = NCCL_FAILED;
    return rr_fail(RR_EIO, "%s: %s (%d) (%s:%d)", call, p->nccl->error(code), code, __FILE__, line);
}
#define NCCL(p, member, call, ...) RR_TRY(check_nccl((p), (p)->nccl->member(__VA_ARGS__), "nccl" call, __LINE__))

static bool find_all(const struct rr_probe *p, struct rr_nccl *c)
{
    const struct {
        const char *name;
        void *to;
    } calls[] = {{"ncclGetVersion", &c->version},
                 {"ncclGetUniqueId", &c->id},
                 {"ncclCommInitRank", &c->init_rank},
                 {"ncclCommInitAll", &c->init_all},
                 {"ncclCommDestroy", &c->destroy},
                 {"ncclAllReduce", &c->all_reduce},
                 {"ncclAllGather", &c->all_gather},
                 {"ncclReduceScatter", &c->reduce_scatter},
                 {"ncclBroadcast", &c->broadcast},
                 {"ncclSend", &c->send},
                 {"ncclRecv", &c->recv},
                 {"ncclGroupStart", &c->group_start},
                 {"ncclGroupEnd", &c->group_end},
                 {"ncclGetErrorString", &c->error}};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        void *symbol = p->ld->symbol(c->library, calls[i].name);
        if (!symbol) return false;
        memcpy(calls[i].to, &symbol, sizeof symbol);
    }
    void *abort = p->ld->symbol(c->library, "ncclCommAbort");
    memcpy(&c->abort, &abort, sizeof abort);
    return true;
}

/* ---- many processes ---- */

static enum rr_status join_world(struct rr_probe *p)
{
    struct nccl_id id = {{0}};
    const bool by_address = !p->opt.id_file && getenv("NCCL_COMM_ID");
    if (!p->opt.id_file && !by_address)
        return rr_fail(RR_EUSAGE, "%d processes need --id-file FILE on a folder that all of them see, or NCCL_COMM_ID=HOST:PORT",
                       p->world.size);
    if (p->world.rank == 0 || by_address) NCCL(p, id, "GetUniqueId", &id);
    if (p->opt.alive) p->opt.alive("the other processes", (unsigned)p->opt.wait_s + 60);
    if (!by_address) RR_TRY(rr_probe_meet(p, id.bytes));
    if (p->opt.alive) p->opt.alive("ncclCommInitRank", 300);
    const int code = p->nccl->init_rank(&p->nccl->comms[0], p->world.size, id, p->world.rank);
    if (!by_address && p->world.rank == 0) rr_probe_met(p);
    RR_TRY(check_nccl(p, code, "ncclCommInitRank", __LINE__));
    p->nccl->n = 1, p->nccl->ranks = p->world.size, p->nccl->base = p->world.rank;
    p->nccl->streams[0] = p->stream;
    return RR_OK;
}

/* ---- ranks of this process ---- */

static enum rr_status leave(struct rr_probe *p)
{
    while (p->nccl->n > 0) NCCL(p, destroy, "CommDestroy", p->nccl->comms[--p->nccl->n]);
    return RR_OK;
}

static enum rr_status join_local(struct rr_probe *p, int ranks)
{
    int devices[MOST_RANKS];
    if (p->world.size > 1 || p->nccl->n == ranks) return RR_OK;
    RR_TRY(leave(p));
    for (int i = 0; i < ranks; i++) devices[i] = i;
    NCCL(p, init_all, "CommInitAll", p->nccl->comms, ranks, devices);
    p->nccl->n = p->nccl->ranks = ranks, p->nccl->base = 0, p->nccl->streams[0] = p->stream;
    for (int i = 1; i < ranks; i++) {
        if (p->nccl->streams[i]) continue;
        RR_CU(p, SetDevice, i);
        RR_TRY(rr_probe_buffer(p, RR_OWN_STREAM, 0, &p->nccl->streams[i]));
    }
    RR_CU(p, SetDevice, 0);
    return RR_OK;
}

/* Streams of all ranks that may come are made first: what is made later is given back after its measurement. */
static enum rr_status make_streams(struct rr_probe *p)
{
    for (int i = 1; p->world.size == 1 && i < p->n_devices && i < MOST_RANKS; i++) {
        RR_CU(p, SetDevice, i);
        RR_TRY(rr_probe_buffer(p, RR_OWN_STREAM, 0, &p->nccl->streams[i]));
    }
    RR_CU(p, SetDevice, p->first);
    return RR_OK;
}

enum rr_status rr_nccl_open(struct rr_probe *p)
{
    struct rr_nccl c = {.library = p->ld->open("libnccl.so.2")};
    if (!c.library) {
        rr_probe_skip(p, "nccl", "libnccl.so.2 cannot be opened: no collectives");
        return RR_OK;
    }
    if (!find_all(p, &c)) {
        rr_probe_skip(p, "nccl", "libnccl.so.2 lacks a function: no collectives");
        p->ld->close(c.library);
        return RR_OK;
    }
    p->nccl = RR_NEW(p->arena, struct rr_nccl);
    *p->nccl = c;
    NCCL(p, version, "GetVersion", &p->nccl_version);
    RR_TRY(make_streams(p));
    if (p->world.size > 1) return join_world(p);
    if (p->n_devices == 1) rr_probe_skip(p, "collective", "one GPU: NCCL is checked with one rank, nothing is timed");
    return RR_OK;
}

void rr_nccl_close(struct rr_probe *p)
{
    if (!p->nccl) return;
    while (p->nccl->n > 0) (void)p->nccl->destroy(p->nccl->comms[--p->nccl->n]);
    p->ld->close(p->nccl->library);
    p->nccl = NULL;
}

void rr_nccl_abort(struct rr_probe *p)
{
    if (!p->nccl) return;
    int (*end)(comm) = p->nccl->abort ? p->nccl->abort : p->nccl->destroy;
    while (p->nccl->n > 0) (void)end(p->nccl->comms[--p->nccl->n]);
    rr_nccl_close(p);
}

/* In one process the rest can be measured without NCCL; of many, each would wait for the others. */
enum rr_status rr_nccl_skip(struct rr_probe *p, enum rr_status st)
{
    if (st == RR_OK || p->code != NCCL_FAILED || p->world.size > 1) return st;
    rr_probe_skip(p, "collective", "%s", rr_reason());
    rr_nccl_abort(p);
    p->code = 0;
    return RR_OK;
}

/* ---- work ---- */

struct collective_work {
    const char *op;
    size_t bytes;
    void *in[MOST_RANKS], *out[MOST_RANKS];
};

static enum rr_status one_rank(struct rr_probe *p, const struct collective_work *w, int i)
{
    const struct rr_nccl *c = p->nccl;
    const size_t all = w->bytes / sizeof(float), share = all / (size_t)c->ranks;
    const int me = c->base + i, next = (me + 1) % c->ranks, last = (me + c->ranks - 1) % c->ranks;
    void *s = c->streams[i];
    const void *in = w->in[i];
    void *out = w->out[i];
    if (strcmp(w->op, "all_reduce") == 0) NCCL(p, all_reduce, "AllReduce", in, out, all, NCCL_FLOAT, NCCL_SUM, c->comms[i], s);
    if (strcmp(w->op, "all_gather") == 0) NCCL(p, all_gather, "AllGather", in, out, share, NCCL_FLOAT, c->comms[i], s);
    if (strcmp(w->op, "reduce_scatter") == 0)
        NCCL(p, reduce_scatter, "ReduceScatter", in, out, share, NCCL_FLOAT, NCCL_SUM, c->comms[i], s);
    if (strcmp(w->op, "broadcast") == 0) NCCL(p, broadcast, "Broadcast", in, out, all, NCCL_FLOAT, 0, c->comms[i], s);
    if (strcmp(w->op, "sendrecv") == 0) {
        NCCL(p, send, "Send", in, all, NCCL_FLOAT, next, c->comms[i], s);
        NCCL(p, recv, "Recv", out, all, NCCL_FLOAT, last, c->comms[i], s);
    }
    for (int peer = 0; strcmp(w->op, "alltoall") == 0 && peer < c->ranks; peer++) {
        NCCL(p, send, "Send", (const float *)in + share * (size_t)peer, share, NCCL_FLOAT, peer, c->comms[i], s);
        NCCL(p, recv, "Recv", (float *)out + share * (size_t)peer, share, NCCL_FLOAT, peer, c->comms[i], s);
    }
    return RR_OK;
}

static enum rr_status collective_once(struct rr_probe *p, void *ctx, int turn)
{
    (void)turn;
    enum rr_status st = RR_OK;
    NCCL(p, group_start, "GroupStart");
    for (int i = 0; i < p->nccl->n && st == RR_OK; i++) st = one_rank(p, ctx, i);
    if (st != RR_OK) { // an open group would swallow what comes later
        (void)p->nccl->group_end();
        return st;
    }
    NCCL(p, group_end, "GroupEnd");
    return RR_OK;
}

static enum rr_status collective_buffers(struct rr_probe *p, struct collective_work *w)
{
    for (int i = 0; i < p->nccl->n; i++) {
        RR_CU(p, SetDevice, p->first + i);
        RR_TRY(rr_probe_buffer(p, RR_OWN_DEVICE, w->bytes, &w->in[i]));
        RR_TRY(rr_probe_buffer(p, RR_OWN_DEVICE, w->bytes, &w->out[i]));
    }
    RR_CU(p, SetDevice, p->first);
    return RR_OK;
}

static enum rr_status wait_all(struct rr_probe *p)
{
    for (int i = 0; i < p->nccl->n; i++) RR_CU(p, StreamSynchronize, p->nccl->streams[i]);
    return RR_OK;
}

/* Element e of rank r holds r + 1 + e mod 7. What element e of rank r's result must be: */
static double wanted(const char *op, int ranks, int r, size_t e, size_t share)
{
    const double sum = ranks * (ranks + 1) / 2.0;
    if (strcmp(op, "all_reduce") == 0) return sum + ranks * (double)(e % 7);
    if (strcmp(op, "all_gather") == 0) return (double)(int64_t)(e / share + 1 + e % share % 7);
    if (strcmp(op, "reduce_scatter") == 0) return sum + ranks * (double)((e + share * (size_t)r) % 7);
    if (strcmp(op, "broadcast") == 0) return 1 + (double)(e % 7);
    if (strcmp(op, "sendrecv") == 0) return (r + ranks - 1) % ranks + 1 + (double)(e % 7);
    return (double)(int64_t)(e / share + 1 + (e % share + share * (size_t)r) % 7); // alltoall
}

static enum rr_status check_op(struct rr_probe *p, const char *op, int *wrong)
{
    const size_t share = CHECKED, n = share * (size_t)p->nccl->ranks;
    struct collective_work w = {.op = op, .bytes = n * sizeof(float)};
    float *host = RR_NEWS(p->arena, float, n);
    RR_TRY(collective_buffers(p, &w));
    for (int i = 0; i < p->nccl->n; i++) {
        for (size_t e = 0; e < n; e++) host[e] = (float)(p->nccl->base + i + 1 + (int)(e % 7));
        RR_CU(p, MemcpyAsync, w.in[i], host, w.bytes, RR_CUDA_H2D, p->nccl->streams[i]);
        RR_CU(p, StreamSynchronize, p->nccl->streams[i]);
    }
    RR_TRY(collective_once(p, &w, 0));
    RR_TRY(wait_all(p));
    for (int i = 0; i < p->nccl->n; i++) {
        RR_CU(p, MemcpyAsync, host, w.out[i], w.bytes, RR_CUDA_D2H, p->nccl->streams[i]);
        RR_CU(p, StreamSynchronize, p->nccl->streams[i]);
        for (size_t e = 0; e < (strcmp(op, "reduce_scatter") == 0 ? share : n); e++)
            if (fabs((double)host[e] - wanted(op, p->nccl->ranks, p->nccl->base + i, e, share)) > 1e-3) {
                *wrong = 1;
                break;
            }
    }
    return RR_OK;
}

enum rr_status rr_nccl_check(struct rr_probe *p)
{
    static const char *const ops[] = {"all_reduce", "all_gather", "reduce_scatter", "alltoall", "broadcast", "sendrecv"};
    const size_t mark = p->own.n;
    const int most = p->n_devices < MOST_RANKS ? p->n_devices : MOST_RANKS;
    RR_TRY(join_local(p, p->opt.gpus > 0 && p->opt.gpus < most ? p->opt.gpus : most));
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        int wrong = 0;
        RR_TRY(check_op(p, ops[i], &wrong));
        if (wrong) return rr_fail(RR_EIO, "NCCL %s gives a wrong result on %d ranks", ops[i], p->nccl->ranks);
    }
    return rr_probe_release(p, mark);
}

/* Counts are set by the size alone, the same on all ranks. */
enum rr_status rr_nccl_point(struct rr_probe *p, const struct rr_probe_point *pt, struct rr_probe_result *ret, bool *done)
{
    struct collective_work w = {.op = pt->op, .bytes = (size_t)pt->bytes};
    if (!p->nccl || pt->ranks > (p->world.size > 1 ? p->world.size : MOST_RANKS)) return RR_OK;
    const size_t unit = sizeof(float) * (size_t)pt->ranks;
    const bool shared = strcmp(pt->op, "all_reduce") != 0 && strcmp(pt->op, "broadcast") != 0 && strcmp(pt->op, "sendrecv") != 0;
    if (shared) w.bytes = w.bytes / unit * unit;
    const double room = p->world.size > 1 ? p->world.free_bytes : rr_probe_free_bytes(p);
    if (w.bytes == 0 || 2.0 * (double)w.bytes > room) return RR_OK;
    RR_TRY(join_local(p, pt->ranks));
    RR_TRY(collective_buffers(p, &w));
    const int inner = w.bytes <= 1 << 20 ? 20 : w.bytes <= 1 << 26 ? 5 : 1;
    const int repeats = w.bytes <= 1 << 26 ? 20 : 5;
    RR_TRY(rr_probe_time(p, &(struct rr_probe_work){.once = collective_once, .ctx = &w, .inner = inner, .repeats = repeats}, ret));
    RR_TRY(wait_all(p));
    ret->point.bytes = (int64_t)w.bytes;
    ret->nodes = rr_probe_nodes(p);
    ret->check = "ok"; // rr_nccl_check() went before
    *done = true;
    return RR_OK;
}
