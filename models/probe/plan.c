/* SPDX-License-Identifier: MIT
 * models/probe/plan.c - what is measured, the most valuable first, and about how long it takes. */
#include "models/probe/layer.h"
#include "models/probe/probe.h"
#include <inttypes.h>
#include <string.h>

/* A nominal machine, bytes and FLOPs a microsecond: it orders and cuts the plan and enters no result. */
#define NOMINAL_MEMORY  1.5e6
#define NOMINAL_PCIE    2e4
#define NOMINAL_PAGED   5e3
#define NOMINAL_NETWORK 5e4
#define NOMINAL_DISK    1e3
static const double nominal_flops[RR_PROBE_TYPE_N] = {2e7, 4e7, 2e8, 4e8, 4e8, 8e8};

struct builder {
    struct rr_arena *arena;
    struct rr_probe_point *at;
    size_t n;
    const char *only;
    bool gap; // nothing of this kind was asked for
};
enum { MOST_POINTS = 2048 };

static bool asked(const char *only, const char *kind)
{
    if (!only) return true;
    const size_t n = strlen(kind);
    for (const char *at = only; *at != '\0';) {
        const size_t word = strcspn(at, ",");
        if (word == n && memcmp(at, kind, n) == 0) return true;
        at += word + (at[word] == ',');
    }
    return false;
}

/* Setting up and warming up 20 ms, then 60 ms of repeats or eight times one. */
static void add(struct builder *b, struct rr_probe_point p, double once_us)
{
    if (!asked(b->only, p.kind) || b->n == MOST_POINTS) return;
    p.once_us = once_us;
    p.cost_us = 2e4 + (8 * once_us > 6e4 ? 8 * once_us : 6e4);
    b->at[b->n++] = p;
}

static void add_memory(struct builder *b)
{
    static const enum rr_probe_kernel ops[] = {RR_KERNEL_COPY, RR_KERNEL_TRIAD, RR_KERNEL_READ, RR_KERNEL_WRITE};
    for (int e = 20; e <= 32; e++)
        for (size_t i = 0; i < 4; i++) {
            const int64_t bytes = (int64_t)1 << e;
            const int tier = e == 31 ? 0 : e == 27 || e == 29 ? 1 : i == 0 ? 2 : 3;
            add(b,
                (struct rr_probe_point){
                    .kind = "memory", .op = rr_probe_kernel_name[ops[i]], .kernel = ops[i], .bytes = bytes, .tier = tier},
                (double)bytes / NOMINAL_MEMORY);
        }
}

/* Products of transformer layers (output features, tokens, input features): hidden sizes 2048 to 12288 with 4 h or 3.5 h feed-forward, shards of
 * tensor parallelism, few tokens as in decoding, and squares. */
static const struct {
    int64_t m, n, k;
    int tier;
} shapes[] = {
    {8192, 8192, 8192, 0},    {4096, 4096, 4096, 0},   {12288, 4096, 4096, 1}, {16384, 4096, 4096, 1}, {4096, 4096, 16384, 1},
    {2048, 2048, 2048, 1},    {1024, 1024, 1024, 1},   {8192, 4096, 8192, 1},  {28672, 4096, 8192, 1}, {8192, 4096, 28672, 1},
    {512, 512, 512, 2},       {2048, 8192, 2048, 2},   {8192, 8192, 2048, 2},  {2048, 8192, 8192, 2},  {5120, 4096, 5120, 2},
    {4096, 512, 4096, 2},     {4096, 64, 4096, 2},     {8192, 16, 8192, 2},    {14336, 2048, 4096, 2}, {4096, 2048, 14336, 2},
    {12288, 2048, 12288, 2},  {49152, 2048, 12288, 3}, {3584, 4096, 8192, 3},  {1024, 4096, 8192, 3},  {8192, 4096, 1024, 3},
    {32000, 4096, 4096, 3},   {4096, 16384, 4096, 3},  {256, 256, 256, 3},     {2048, 131072, 128, 1}, {128, 131072, 2048, 1},
    {16384, 16384, 16384, 3},
};

static void add_gemm(struct builder *b)
{
    static const int later[RR_PROBE_TYPE_N] = {2, 2, 1, 1, 0, 1}; // bf16 is what transformers are trained in
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int t = 0; t < RR_PROBE_TYPE_N; t++) {
            const double flops = 2.0 * (double)shapes[i].m * (double)shapes[i].n * (double)shapes[i].k;
            struct rr_probe_point p = {.kind = "gemm", .op = "", .typed = true, .type = (enum rr_probe_type)t, .kernel = RR_KERNEL_GEMM};
            p.m = shapes[i].m, p.n = shapes[i].n, p.k = shapes[i].k, p.tier = shapes[i].tier + later[t];
            add(b, p, flops / nominal_flops[t]);
        }
}

static void add_kernels(struct builder *b)
{
    for (int k = RR_KERNEL_GELU; k < RR_KERNEL_N; k++)
        for (int e = 22; e <= 28; e += 3) {
            const double elements = (double)((int64_t)1 << e);
            struct rr_probe_point p = {.kind = "kernel", .op = rr_probe_kernel_name[k], .typed = true, .type = RR_PROBE_BF16};
            p.kernel = (enum rr_probe_kernel)k, p.n = (int64_t)1 << e, p.tier = e == 25 ? 1 : 2;
            p.bytes = rr_probe_kernel_bytes[k] * p.n;
            add(b, p, elements * rr_probe_kernel_bytes[k] / NOMINAL_MEMORY);
        }
    for (int64_t seq = 1024; seq <= 8192; seq *= 2) { // batched maps of one layer: m heads x sequences, n tokens, k a head's width
        struct rr_probe_point p = {.kind = "kernel", .op = "attention", .typed = true, .type = RR_PROBE_BF16, .m = 32, .n = seq, .k = 128};
        p.kernel = RR_KERNEL_GEMM, p.tier = seq == 2048 ? 1 : 2;
        add(b, p,
            4.0 * (double)(p.m * seq) * (double)seq * 128 / nominal_flops[RR_PROBE_BF16] +
                (double)(p.m * seq) * (double)seq * 8 / NOMINAL_MEMORY);
    }
}

static void add_transfer(struct builder *b, const char *op, int from, int to, double rate, int tier)
{
    for (int e = 12; e <= 28; e += 4) {
        const int64_t bytes = (int64_t)1 << e;
        add(b, (struct rr_probe_point){.kind = "transfer", .op = op, .bytes = bytes, .from = from, .to = to, .tier = tier + (e != 28)},
            (double)bytes / rate);
    }
}

static void add_transfers(struct builder *b, int gpus)
{
    add_transfer(b, "h2d_pinned", -1, 0, NOMINAL_PCIE, 1);
    add_transfer(b, "d2h_pinned", 0, -1, NOMINAL_PCIE, 1);
    add_transfer(b, "h2d_pageable", -1, 0, NOMINAL_PAGED, 2);
    add_transfer(b, "d2h_pageable", 0, -1, NOMINAL_PAGED, 2);
    for (int j = 1; j < gpus && j < 16; j++) {
        add_transfer(b, "p2p_write", 0, j, NOMINAL_NETWORK, j == 1 ? 1 : 3);
        add_transfer(b, "p2p_read", j, 0, NOMINAL_NETWORK, j == 1 ? 2 : 3);
    }
}

/* 8 B to 8 GiB. The whole system first; then halves of it, on one node alone: other processes could not be left out. */
static void add_collectives(struct builder *b, int gpus, int processes)
{
    static const char *const ops[] = {"all_reduce", "all_gather", "reduce_scatter", "alltoall", "broadcast", "sendrecv"};
    const int all = processes > 1 ? processes : gpus;
    for (int ranks = all; ranks >= 2; ranks = processes > 1 ? 0 : ranks / 2)
        for (size_t o = 0; o < sizeof ops / sizeof *ops; o++)
            for (int e = 3; e <= 33; e++) {
                const int64_t bytes = (int64_t)1 << e;
                const int tier = (o == 0 && ranks == all ? 0 : 1) + (e % 3 == 0 ? 0 : 1) + (ranks == all ? 0 : 1);
                add(b, (struct rr_probe_point){.kind = "collective", .op = ops[o], .bytes = bytes, .ranks = ranks, .tier = tier},
                    20 + (double)bytes / NOMINAL_NETWORK);
            }
}

static void add_rest(struct builder *b, const struct rr_probe_options *opt)
{
    add(b, (struct rr_probe_point){.kind = "launch", .op = "empty"}, 100);
    add(b, (struct rr_probe_point){.kind = "launch", .op = "empty_wait"}, 100);
    add(b, (struct rr_probe_point){.kind = "step", .op = "layer", .typed = true, .type = RR_PROBE_BF16, .kernel = RR_KERNEL_GEMM},
        rr_layer_flops() / nominal_flops[RR_PROBE_BF16] * 1.5);
    for (int64_t bytes = (int64_t)1 << 20; bytes <= (int64_t)1 << 28; bytes <<= 4) {
        if (opt->disk)
            add(b, (struct rr_probe_point){.kind = "storage", .op = "disk_read", .bytes = bytes, .tier = 1}, (double)bytes / NOMINAL_DISK);
        if (opt->network)
            add(b, (struct rr_probe_point){.kind = "storage", .op = "network_read", .bytes = bytes, .tier = 1},
                (double)bytes / NOMINAL_DISK);
    }
}

/* By tier; within one in the order of making, so that the plan is the same everywhere. */
static void by_tier(struct builder *b)
{
    struct rr_probe_point *sorted = RR_NEWS(b->arena, struct rr_probe_point, b->n + 1);
    size_t n = 0;
    for (int tier = 0; tier < 8; tier++)
        for (size_t i = 0; i < b->n; i++)
            if (b->at[i].tier == tier) sorted[n++] = b->at[i];
    b->at = sorted;
}

#define KINDS "memory, gemm, kernel, launch, transfer, collective, storage, step"
static enum rr_status check_only(const char *only)
{
    for (const char *at = only; at && *at != '\0';) {
        const size_t word = strcspn(at, ",");
        if (word == 0 || !strstr(", " KINDS ",", "memory") || word > 10) return rr_fail(RR_EUSAGE, "--only wants parts of: " KINDS);
        char name[16] = ", ";
        memcpy(name + 2, at, word);
        name[2 + word] = ',';
        if (!strstr(", " KINDS ",", name)) return rr_fail(RR_EUSAGE, "--only \"%.*s\" is no part; parts: " KINDS, (int)word, at);
        at += word + (at[word] == ',');
    }
    return RR_OK;
}

enum rr_status rr_probe_plan(const struct rr_probe_options *opt, int gpus, int ranks, struct rr_arena *a, struct rr_probe_plan *ret)
{
    RR_TRY(check_only(opt->only));
    struct builder b = {.arena = a, .only = opt->only, .at = RR_NEWS(a, struct rr_probe_point, MOST_POINTS)};
    if (ranks == 1) { // of many processes only what they do together: the plan is the same on all, whatever their nodes have
        add_rest(&b, opt);
        add_gemm(&b);
        add_memory(&b);
        add_kernels(&b);
        add_transfers(&b, gpus);
    }
    add_collectives(&b, gpus, ranks);
    by_tier(&b);
    *ret = (struct rr_probe_plan){.at = b.at, .n = b.n, .gpus = ranks > 1 ? ranks : gpus};
    for (size_t i = 0; i < b.n; i++) {
        if (opt->budget_s > 0 && ret->cost_us + b.at[i].cost_us > opt->budget_s * 1e6) continue;
        b.at[i].picked = true;
        ret->cost_us += b.at[i].cost_us;
        ret->picked++;
    }
    return RR_OK;
}

/* ---- the plan in words ---- */

/* Bytes in the largest unit that they are a whole number of. */
static const char *size_text(int64_t bytes, struct rr_arena *a)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    size_t u = 0;
    while (u < 4 && bytes >= 1024 && bytes % 1024 == 0) bytes /= 1024, u++;
    return rr_strf(a, "%" PRId64 " %s", bytes, units[u]);
}

static const char *end_text(int32_t device, struct rr_arena *a) { return device < 0 ? "host" : rr_strf(a, "GPU %d", device); }

const char *rr_probe_point_text(const struct rr_probe_point *p, struct rr_arena *a)
{
    const char *type = p->typed ? rr_probe_type_name[p->type] : "";
    if (strcmp(p->kind, "gemm") == 0) return rr_strf(a, "gemm %s %" PRId64 " x %" PRId64 " x %" PRId64, type, p->m, p->n, p->k);
    if (strcmp(p->op, "attention") == 0) return rr_strf(a, "kernel attention %s, %" PRId64 " maps of %" PRId64, type, p->m, p->n);
    if (p->ranks > 0) return rr_strf(a, "%s %s %s, %d ranks", p->kind, p->op, size_text(p->bytes, a), p->ranks);
    if (p->from != p->to)
        return rr_strf(a, "%s %s %s, %s to %s", p->kind, p->op, size_text(p->bytes, a), end_text(p->from, a), end_text(p->to, a));
    if (p->bytes > 0) return rr_strf(a, "%s %s %s", p->kind, p->op, size_text(p->bytes, a));
    return rr_strf(a, "%s %s", p->kind, p->op);
}

static void put_list(struct rr_buf *b, const struct rr_probe_plan *plan, struct rr_arena *a)
{
    size_t order = 0;
    rr_buf_putf(b, "%6s %9s  %s\n", "order", "about s", "measurement");
    for (size_t i = 0; i < plan->n; i++)
        if (plan->at[i].picked)
            rr_buf_putf(b, "%6zu %9.2f  %s\n", ++order, plan->at[i].cost_us / 1e6, rr_probe_point_text(&plan->at[i], a));
}

struct part {
    size_t picked, n;
    double cost_us;
    const struct rr_probe_point *least, *most; // of those picked, by their work; NULL: none
};

static double work_of(const struct rr_probe_point *p)
{
    return p->bytes > 0 ? (double)p->bytes : (double)p->m * (double)p->n * (double)p->k;
}

static struct part sum_part(const struct rr_probe_plan *plan, const char *kind)
{
    struct part s = {0};
    for (size_t i = 0; i < plan->n; i++) {
        const struct rr_probe_point *p = &plan->at[i];
        if (strcmp(p->kind, kind) != 0) continue;
        s.n++;
        if (!p->picked) continue;
        s.picked++;
        s.cost_us += p->cost_us;
        if (!(work_of(p) > 0) || strcmp(p->op, "attention") == 0) continue;
        if (!s.least || work_of(p) < work_of(s.least)) s.least = p;
        if (!s.most || work_of(p) > work_of(s.most)) s.most = p;
    }
    return s;
}

static const char *work_text(const struct rr_probe_point *p, struct rr_arena *a)
{
    if (p->bytes > 0) return size_text(p->bytes, a);
    return rr_strf(a, "%" PRId64 " x %" PRId64 " x %" PRId64, p->m, p->n, p->k);
}

static void put_parts(struct rr_buf *b, const struct rr_probe_plan *plan, struct rr_arena *a)
{
    static const char *const kinds[] = {"gemm", "memory", "kernel", "launch", "transfer", "collective", "storage", "step"};
    rr_buf_putf(b, "%-11s %13s %9s  %s\n", "part", "measurements", "about s", "sizes");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const struct part s = sum_part(plan, kinds[i]);
        if (s.n == 0) continue;
        rr_buf_putf(b, "%-11s %13s %9.1f", kinds[i], rr_strf(a, "%zu of %zu", s.picked, s.n), s.cost_us / 1e6);
        if (s.least) rr_buf_putf(b, "  %s", work_text(s.least, a));
        if (s.least && work_of(s.most) > work_of(s.least)) rr_buf_putf(b, " to %s", work_text(s.most, a));
        rr_buf_puts(b, "\n");
    }
}

void rr_probe_plan_text(struct rr_buf *b, const struct rr_probe_plan *plan, double budget_s, bool all)
{
    struct rr_arena *a = rr_arena_create();
    double everything = 0;
    for (size_t i = 0; i < plan->n; i++) everything += plan->at[i].cost_us / 1e6;
    if (all)
        put_list(b, plan, a);
    else
        put_parts(b, plan, a);
    rr_buf_putf(b, "%zu of %zu measurements on %d GPU%s, about %.0f s on a nominal machine", plan->picked, plan->n, plan->gpus,
                plan->gpus == 1 ? "" : "s", plan->cost_us / 1e6);
    if (budget_s > 0) rr_buf_putf(b, "; budget %g s", budget_s);
    if (plan->picked < plan->n) rr_buf_putf(b, "; everything: about %.0f s", everything);
    rr_buf_puts(b, all ? "\n" : "\n--all lists them one by one, the most valuable first\n");
    rr_arena_free(a);
}
