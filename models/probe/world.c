/* SPDX-License-Identifier: MIT
 * models/probe/world.c - the processes of mpirun or srun: who they are, and how they meet at a file before NCCL, which would wait for ever.
 *
 * Every rank but 0 writes FILE.RANK: a nonce of this run, what it is about to do and on which GPU. When all files are there, rank 0 writes FILE: a roll
 * call with its own nonce and theirs. A rank that finds its nonce answers in its file; so files of an earlier run, which nobody answers for, are
 * outlived. When all have answered rank 0 compares what they are about to do and writes FILE anew: NCCL's id, or why not. Files are written aside and renamed: nobody reads half of one. */
#include "models/probe/probe.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int number(const char *const *names, int otherwise)
{
    for (; *names; names++) {
        const char *text = getenv(*names);
        int64_t v;
        if (text && rr_text_i64(rr_slice(text, strlen(text)), &v) == RR_OK && v >= 0 && v < 1 << 20) return (int)v;
    }
    return otherwise;
}

/* A batch script of Slurm has SLURM_NTASKS too, although it is one process: srun is believed only where many processes are meant. */
void rr_probe_world_find(struct rr_arena *a, bool many, struct rr_probe_world *ret)
{
    static const char *const rank[] = {"OMPI_COMM_WORLD_RANK", "MV2_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID", NULL};
    static const char *const size[] = {"OMPI_COMM_WORLD_SIZE", "MV2_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS", NULL};
    static const char *const mpi[] = {"OMPI_COMM_WORLD_SIZE", "MV2_COMM_WORLD_SIZE", "PMI_SIZE", NULL};
    static const char *const local[] = {"OMPI_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID",
                                        NULL};
    static const char *const beside[] = {"OMPI_COMM_WORLD_LOCAL_SIZE", "MV2_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS",
                                         "SLURM_NTASKS_PER_NODE", NULL};
    static const char *const job[] = {"RACKRATE_PROBE_JOB", "PMIX_NAMESPACE", "SLURM_JOB_ID", "PMI_JOBID", NULL};
    *ret = (struct rr_probe_world){.rank = number(rank, 0), .size = number(size, 1), .local = number(local, 0), .job = ""};
    ret->beside = number(beside, 0);
    if (!many && number(mpi, 0) == 0) ret->size = 1;
    if (ret->size < 1 || ret->rank >= ret->size) *ret = (struct rr_probe_world){.size = 1, .job = ""};
    if (ret->size == 1) ret->rank = ret->local = ret->beside = 0;
    for (size_t i = 0; job[i] && !*ret->job; i++) ret->job = getenv(job[i]) ? rr_strdup(a, getenv(job[i])) : "";
}

int rr_probe_per_node(const struct rr_probe *p)
{
    if (p->world.size == 1) return p->n_devices;
    const int n = p->world.beside > 0 ? p->world.beside : p->n_devices;
    return n < p->world.size ? n : p->world.size;
}
int rr_probe_nodes(const struct rr_probe *p)
{
    return p->world.size == 1 ? 1 : (p->world.size + rr_probe_per_node(p) - 1) / rr_probe_per_node(p);
}

/* ---- the files ---- */

enum { NONCE = 33, HEX = 2 * RR_ID_BYTES + 1, WHY = 256, ROLL_CALL = -1 };

struct hello {
    char nonce[NONCE], joined[NONCE]; /* joined: the nonce of the rank 0 whose roll call was answered, or "-" */
    int size;
    uint64_t plan;
    char node[64], bus[64], host[65];
    double free_bytes;
};
struct notice { /* what rank 0 says */
    char nonce[NONCE], id[HEX], why[WHY];
    int status, beside; /* status: ROLL_CALL, RR_OK with the id, or what it ends with */
    double free_bytes;
};

static const char *meeting_place(const struct rr_probe *p)
{
    return *p->world.job ? rr_strf(p->arena, "%s.%s", p->opt.id_file, rr_file_name(p->arena, p->world.job)) : p->opt.id_file;
}
static const char *place_of(const struct rr_probe *p, const char *path, int rank) { return rr_strf(p->arena, "%s.%d", path, rank); }

static enum rr_status put_file(const char *path, const struct rr_buf *b)
{
    char aside[4096];
    if (snprintf(aside, sizeof aside, "%s.new", path) >= (int)sizeof aside) return rr_fail(RR_EIO, "%s: the name is too long", path);
    FILE *f = fopen(aside, "wb");
    if (!f) return rr_fail(RR_EIO, "%s: %s", aside, strerror(errno));
    const bool written = fwrite(rr_buf_text(b), 1, b->n, f) == b->n;
    if (fclose(f) != 0 || !written || rename(aside, path) != 0) return rr_fail(RR_EIO, "%s: %s", path, strerror(errno));
    return RR_OK;
}

static enum rr_status put_hello(const char *path, const struct hello *h)
{
    struct rr_buf b = {0};
    rr_buf_putf(&b, "rackrate-probe hello 1\n%s %s %d %016" PRIx64 " %s %s %.0f %s\n", h->nonce, h->joined, h->size, h->plan, h->node,
                h->bus, h->free_bytes, h->host);
    const enum rr_status st = put_file(path, &b);
    rr_buf_done(&b);
    return st;
}

static bool get_hello(const char *path, struct hello *h)
{
    FILE *f = fopen(path, "rb");
    const int n = f ? fscanf(f, "rackrate-probe hello 1 %32s %32s %d %" SCNx64 " %63s %63s %lf %64s", h->nonce, h->joined, &h->size,
                             &h->plan, h->node, h->bus, &h->free_bytes, h->host)
                    : 0;
    if (f) (void)fclose(f);
    return n == 8;
}

static enum rr_status put_notice(const char *path, const struct notice *n, const struct hello *all, int size)
{
    struct rr_buf b = {0};
    rr_buf_putf(&b, "rackrate-probe id 1\n%s %s %d %d %.0f\n%s\n", n->nonce, n->id, n->status, n->beside, n->free_bytes, n->why);
    for (int r = 1; r < size; r++) rr_buf_putf(&b, "%s\n", *all[r].nonce ? all[r].nonce : "-");
    const enum rr_status st = put_file(path, &b);
    rr_buf_done(&b);
    return st;
}

/* Only what is meant for this nonce. */
static bool get_notice(const char *path, const char *nonce, struct notice *n)
{
    FILE *f = fopen(path, "rb");
    char word[NONCE];
    bool mine = false;
    if (!f) return false;
    const bool whole = fscanf(f, "rackrate-probe id 1 %32s %256s %d %d %lf\n%255[^\n]\n", n->nonce, n->id, &n->status, &n->beside,
                              &n->free_bytes, n->why) == 6;
    while (whole && fscanf(f, "%32s", word) == 1) mine = mine || strcmp(word, nonce) == 0;
    (void)fclose(f);
    return mine;
}

/* ---- what a process says of itself ---- */

static void fill_random(char nonce[NONCE])
{
    uint64_t v[2] = {(uint64_t)rr_probe_now_us(), (uint64_t)getpid()};
    FILE *f = fopen("/dev/urandom", "rb");
    if (f) {
        if (fread(v, sizeof v, 1, f) != 1) v[1] += 1;
        (void)fclose(f);
    }
    (void)snprintf(nonce, NONCE, "%016" PRIx64 "%016" PRIx64, v[0], v[1]);
}

/* One word that tells a node from others: containers may share a host's name, never the kernel's boot. */
static void fill_node(char node[64])
{
    FILE *f = fopen("/proc/sys/kernel/random/boot_id", "r");
    if (!f || fscanf(f, "%63s", node) != 1) (void)snprintf(node, 64, "-");
    if (f) (void)fclose(f);
}

static uint64_t hash_of_plan(const struct rr_probe *p)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325); // FNV-1a
    struct rr_arena *a = rr_arena_create();
    for (size_t i = 0; i < p->plan.n; i++)
        for (const char *c = p->plan.at[i].picked ? rr_probe_point_text(&p->plan.at[i], a) : ""; *c; c++)
            h = (h ^ (uint64_t)(unsigned char)*c) * UINT64_C(0x100000001b3);
    for (const char *c = RR_VERSION; *c; c++) h = (h ^ (uint64_t)(unsigned char)*c) * UINT64_C(0x100000001b3);
    rr_arena_free(a);
    return (h ^ p->opt.most ^ (uint64_t)p->opt.check_only << 63) * UINT64_C(0x100000001b3);
}

static void word(char *to, size_t room, const char *text) // one, and never none
{
    (void)snprintf(to, room, "%s", *text ? text : "-");
    for (; *to; to++)
        if ((unsigned char)*to <= ' ') *to = '_';
}

static void describe(struct rr_probe *p, struct hello *h)
{
    char host[65] = "";
    *h = (struct hello){.joined = "-", .size = p->world.size, .plan = hash_of_plan(p), .free_bytes = rr_probe_free_bytes(p)};
    fill_random(h->nonce);
    fill_node(h->node);
    (void)gethostname(host, sizeof host - 1);
    word(h->host, sizeof h->host, host);
    word(h->bus, sizeof h->bus, p->device.bus);
}

/* ---- the meeting ---- */

static enum rr_status compare(const struct hello *all, int r)
{
    const struct hello *h = &all[r];
    if (h->size != all[0].size) return rr_fail(RR_EUSAGE, "rank %d counts %d processes, rank 0 %d", r, h->size, all[0].size);
    if (h->plan != all[0].plan)
        return rr_fail(RR_EUSAGE, "rank %d has another plan than rank 0: give all the same --budget, --only, --points and program", r);
    for (int q = 0; q < r; q++)
        if (*all[q].nonce && strcmp(all[q].node, h->node) == 0 && strcmp(all[q].bus, h->bus) == 0)
            return rr_fail(RR_EUSAGE, "ranks %d and %d would share GPU %s of %s: start one process a GPU", q, r, h->bus, h->host);
    return RR_OK;
}

/* Looks at all files once. `came`: how many are there; `joined`: how many have answered this run's roll call. */
static void look(const struct rr_probe *p, const char *path, struct hello *all, int *came, int *joined, bool *changed)
{
    *came = *joined = 1, *changed = false;
    for (int r = 1; r < p->world.size; r++) {
        struct hello h;
        if (!get_hello(place_of(p, path, r), &h)) continue;
        *changed = *changed || strcmp(h.nonce, all[r].nonce) != 0;
        all[r] = h;
        ++*came;
        *joined += strcmp(h.joined, all[0].nonce) == 0;
    }
}

/* Those who did not come; when all came, those who did not answer. */
static enum rr_status absent(const struct rr_probe *p, const char *path, const struct hello *all, bool all_came)
{
    struct rr_buf b = {0};
    for (int r = 1; r < p->world.size; r++)
        if (all_came ? strcmp(all[r].joined, all[0].nonce) != 0 : !*all[r].nonce) rr_buf_putf(&b, "%s%d", b.n ? ", " : "", r);
    const enum rr_status st = rr_fail(RR_EIO, "of %d processes rank %.100s did not come in %g s (all must see %s)", p->world.size,
                                      rr_buf_text(&b), p->opt.wait_s, path);
    rr_buf_done(&b);
    return st;
}

/* Rank 0 says why it ends, and gives those who came a moment to read it. */
static enum rr_status call_off(const struct rr_probe *p, const char *path, struct notice *n, const struct hello *all, enum rr_status st)
{
    (void)snprintf(n->why, sizeof n->why, "%s", rr_reason());
    n->status = (int)st;
    if (put_notice(path, n, all, p->world.size) == RR_OK)
        for (int tries = 0, here = 1; tries < 100 && here > 0; tries++) {
            (void)usleep(20000);
            here = 0;
            for (int r = 1; r < p->world.size; r++) {
                struct hello h;
                here += *all[r].nonce && get_hello(place_of(p, path, r), &h) && strcmp(h.nonce, all[r].nonce) == 0;
            }
        }
    (void)unlink(path);
    return rr_fail(st, "%s", n->why);
}

static enum rr_status host_meeting(struct rr_probe *p, const char *path, const unsigned char id[RR_ID_BYTES])
{
    struct hello *all = RR_NEWS(p->arena, struct hello, (size_t)p->world.size);
    struct notice n = {.why = "-", .status = ROLL_CALL};
    describe(p, &all[0]);
    memcpy(n.nonce, all[0].nonce, sizeof n.nonce);
    for (int i = 0; i < RR_ID_BYTES; i++) (void)snprintf(n.id + 2 * (size_t)i, 3, "%02x", id[i]);
    (void)unlink(path);
    for (const double start = rr_probe_now_us();;) {
        int came, joined;
        bool changed;
        look(p, path, all, &came, &joined, &changed);
        if (joined == p->world.size) break;
        if (rr_probe_now_us() - start > p->opt.wait_s * 1e6) return call_off(p, path, &n, all, absent(p, path, all, came == p->world.size));
        if (came == p->world.size && changed) RR_TRY(put_notice(path, &n, all, p->world.size));
        (void)usleep(10000);
    }
    for (int r = 1; r < p->world.size; r++) {
        const enum rr_status st = compare(all, r);
        if (st != RR_OK) return call_off(p, path, &n, all, st);
    }
    n.status = RR_OK, n.free_bytes = all[0].free_bytes;
    for (int r = 0; r < p->world.size; r++) {
        n.beside += strcmp(all[r].node, all[0].node) == 0;
        n.free_bytes = all[r].free_bytes < n.free_bytes ? all[r].free_bytes : n.free_bytes;
    }
    p->world.beside = n.beside, p->world.free_bytes = n.free_bytes;
    return put_notice(path, &n, all, p->world.size);
}

static enum rr_status join_meeting(struct rr_probe *p, const char *path, unsigned char id[RR_ID_BYTES])
{
    const char *own = place_of(p, path, p->world.rank);
    struct hello h;
    struct notice n = {.status = 0};
    describe(p, &h);
    RR_TRY(put_hello(own, &h));
    for (const double start = rr_probe_now_us();;) {
        const bool mine = get_notice(path, h.nonce, &n);
        if (mine && n.status != ROLL_CALL) break;
        if (mine && strcmp(h.joined, n.nonce) != 0) {
            memcpy(h.joined, n.nonce, sizeof h.joined);
            RR_TRY(put_hello(own, &h));
        }
        if (rr_probe_now_us() - start > (p->opt.wait_s + 3) * 1e6) {
            (void)unlink(own);
            return rr_fail(RR_EIO, "%s: nothing came from rank 0 in %g s (all ranks must see this file)", path, p->opt.wait_s);
        }
        (void)usleep(10000);
    }
    if (n.status != RR_OK) {
        (void)unlink(own);
        return rr_fail(n.status == RR_EUSAGE ? RR_EUSAGE : RR_EIO, "%s", n.why);
    }
    for (int i = 0; i < RR_ID_BYTES; i++) {
        const char two[] = {n.id[2 * i], n.id[2 * i + 1], '\0'};
        id[i] = (unsigned char)strtoul(two, NULL, 16);
    }
    p->world.beside = n.beside, p->world.free_bytes = n.free_bytes;
    return RR_OK;
}

enum rr_status rr_probe_meet(struct rr_probe *p, unsigned char id[RR_ID_BYTES])
{
    const char *path = meeting_place(p);
    return p->world.rank == 0 ? host_meeting(p, path, id) : join_meeting(p, path, id);
}

void rr_probe_met(struct rr_probe *p)
{
    const char *path = meeting_place(p);
    (void)unlink(path);
    for (int r = 1; r < p->world.size; r++) (void)unlink(place_of(p, path, r));
}
