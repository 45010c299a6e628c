/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/samples.h - measured times of GPU machines, whoever measured them: logs of benchmark tools, tables, rackrate-probe.
 *
 * A format is one constant in one file, data/import/bench_NAME.c, and one row in data/import/bench_list.h; it looks at a whole text, adds a
 * sample for each row that it understands, and refuses the others by line. models/calib/ fits profiles (data/profile.h) from them.
 *
 * The JSON form, which rackrate-probe writes ("us" is one time or all repeats; what is not known is left out; unknown keys are errors):
 *
 *     { "schema": "rackrate.samples/1", "tool": "rackrate-probe 0.1.0", "date": "2026-12-01T12:00:00Z", "note": "",
 *       "hardware": { "gpu": "NVIDIA H200", "gpus_per_node": 1, "nodes": 1, "network": "", "driver": "570.86", "cuda": "12.8",
 *                     "nccl": "2.25.1", "host": "name of the processor", "memory_gib": 140.1, "sms": 132, "power_limit_w": 700 },
 *       "topology": "what nvidia-smi topo -m says, or the like",
 *       "skipped": [ {"part": "nccl", "why": "libnccl.so.2 cannot be opened"} ],
 *       "samples": [
 *         { "kind": "collective", "op": "all_reduce", "ranks": 8, "nodes": 1, "type": "float", "bytes": 1048576, "in_place": false,
 *           "algorithm": "ring", "protocol": "simple", "us": [27.4, 27.3, 30.1] },
 *         { "kind": "gemm",     "type": "bf16", "m": 8192, "n": 8192, "k": 8192, "us": [1531.2, 1530.8] },
 *         { "kind": "memory",   "op": "copy", "bytes": 2147483648, "us": [..] },
 *         { "kind": "transfer", "op": "h2d_pinned", "from": -1, "to": 0, "bytes": 67108864, "us": [..] },
 *         { "kind": "kernel",   "op": "attention", "type": "bf16", "flops": 1.1e12, "bytes": 268435456, "us": [..] },
 *         { "kind": "launch",   "op": "empty", "us": [2.31] },
 *         { "kind": "storage",  "op": "disk_read", "bytes": 1073741824, "us": [..] },
 *         { "kind": "step",     "op": "layer", "type": "bf16", "flops": 2.2e12, "bytes": 0, "us": [..], "predicted_us": 5100 } ] }
 *
 * `rackrate import profiles` writes the same, with the logs in "sources": [ {"file": "log.txt", "sha256": ".."} ], and where a sample stood: "line": 33, and
 * with several logs "log": 2, the second of them. Read back, these are the sample's line and log again.
 *
 * Any sample may carry "power_w", "clock_mhz" and "check": "ok" (a result that was compared with a reference) or "failed" (refused). `bytes` of
 * a collective is the size of nccl-tests: the whole buffer of a rank, of all-gather the gathered one. Memory counts what is read and written. */
#ifndef RR_DATA_SAMPLES_H
#define RR_DATA_SAMPLES_H
#include "data/base/json.h"
#include "data/base/text.h"

/* id, name, what its op names */
#define RR_SAMPLE_KINDS(X)                                                                                            \
    X(COLLECTIVE, "collective", "all_reduce, all_gather, reduce_scatter, alltoall, broadcast, reduce, sendrecv, ...") \
    X(GEMM, "gemm", "")                                                                                               \
    X(MEMORY, "memory", "copy, triad, read, write")                                                                   \
    X(TRANSFER, "transfer", "h2d_pinned, d2h_pinned, h2d_pageable, d2h_pageable, p2p_read, p2p_write, ...")           \
    X(KERNEL, "kernel", "attention, gelu, layer_norm, ...")                                                           \
    X(LAUNCH, "launch", "empty: a kernel that does nothing")                                                          \
    X(STORAGE, "storage", "disk_read, network_read")                                                                  \
    X(STEP, "step", "layer: one training step of a transformer layer")
enum rr_sample_kind {
#define X(id, name, ops) RR_SAMPLE_##id,
    RR_SAMPLE_KINDS(X)
#undef X
        RR_SAMPLE_KIND_N,
};
extern const char *const rr_sample_kind_name[RR_SAMPLE_KIND_N];

struct rr_sample {
    enum rr_sample_kind kind;
    const char *op;                   /* "all_reduce"; never NULL */
    const char *algorithm, *protocol; /* "ring", "simple"; "" = what the library chose */
    const char *type;                 /* "float", "bf16"; "" = not said */
    int32_t ranks, nodes;             /* 0 = not said */
    int64_t bytes;
    int64_t m, n, k;
    double flops;
    bool in_place;
    int32_t from, to;  /* devices of a transfer; -1 = the host, -2 = not said */
    double us;         /* the median; 0 where the source prints a bandwidth alone */
    const double *all; /* [n_all] every repeat in us, ascending; NULL = one time */
    size_t n_all;
    double gb_s;                             /* printed or computed: bytes over time, 10^9 bytes/s (algbw); 0 = none */
    double bus_gb_s;                         /* as printed, 0 = none */
    double p05_gb_s, p95_gb_s;               /* a spread that the source gives of its own; 0 = none */
    double power_w, clock_mhz, predicted_us; /* 0 = not said */
    int32_t file;                            /* index of rr_samples.file */
    int64_t line;                            /* 1-based; of the log that a "rackrate.samples/1" was made of, where it says so */
    int32_t log;                             /* of the logs that it was made of, 1-based; 0 = not said */
};

struct rr_sample_file {
    const char *path, *format;
    char sha256[65];
    const char *tool, *date; /* "nccl-tests 2.17.9"; "" = not said */
    size_t rows, refused;
    bool complete; /* the tool's closing line is there */
};

struct rr_machine_info { /* what the files say of the machine; "" or 0 = not said */
    const char *gpu, *network, *driver, *cuda, *nccl, *host, *topology;
    int32_t gpus_per_node, nodes, sms;
    double memory_gib, power_limit_w;
};

struct rr_samples {
    struct rr_sample *at;
    size_t n;
    struct rr_sample_file *file;
    size_t n_files;
    struct rr_machine_info machine;
    const char **refused; /* "PATH:LINE: why", every row that was not taken */
    size_t n_refused;
    const char **note; /* what was taken with care: a doubled table, a rate that does not follow from size and time */
    size_t n_notes;
};

struct rr_sample_options { /* what the files do not say, given by the user; "" or 0 = not given */
    const char *format;    /* NULL or "auto": told by the contents */
    const char *op, *gpu, *network;
    int32_t ranks, nodes;
    int32_t gpus_per_node; /* nodes = ranks / gpus_per_node where the file and `nodes` do not say */
    double max_refused;    /* share of a file's rows past which the file is refused as a whole */
};

/* Reads the files in order into `a`. RR_EINPUT: no format knows the file, no row is left, too many are refused, the operation or another fact that
 * the file does not hold is needed: one line with PATH or PATH:LINE. */
RR_CHECKED enum rr_status rr_samples_read(const char *const *path, size_t n, const struct rr_sample_options *opt, struct rr_arena *a,
                                          struct rr_samples *ret);
/* The whole set as "rackrate.samples/1" text. */
void rr_samples_json(struct rr_buf *b, const struct rr_samples *s);

/* Bus over algorithm bandwidth, as nccl-tests defines them: all_reduce 2 (n-1)/n; all_gather, reduce_scatter, alltoall (n-1)/n; else 1. 0 when the
 * operation is unknown or needs ranks that are not given. */
double rr_bus_factor(const char *op, int32_t ranks);

/* ---- for formats ---- */
struct rr_sample_sink;
struct rr_bench_text { /* a file, its lines and what the user said */
    const char *path;
    const char *text;
    size_t n;
    const struct rr_sample_options *opt;
    struct rr_arena *arena;
};
struct rr_bench_format {
    const char *name, *summary, *source;      /* source: where the format is described */
    int (*sniff)(const char *text, size_t n); /* 0 = no .. 100 = sure */
    RR_CHECKED enum rr_status (*read)(const struct rr_bench_text *t, struct rr_sample_sink *sink);
};
#define X(name) extern const struct rr_bench_format rr_bench_##name;
#include "data/import/bench_list.h"
#undef X
extern const struct rr_bench_format *const rr_bench_formats[]; /* NULL-terminated */

/* A sample with everything that may be left out set to "not said". */
struct rr_sample rr_sample_none(enum rr_sample_kind kind);
void rr_sink_add(struct rr_sample_sink *s, const struct rr_sample *row); /* copied; texts borrowed from the arena */
/* Takes back what stands on one line of this file. */
void rr_sink_drop_line(struct rr_sample_sink *s, int64_t line);
void rr_sink_refuse(struct rr_sample_sink *s, int64_t line, const char *fmt, ...) RR_PRINTF(3, 4);
void rr_sink_note(struct rr_sample_sink *s, int64_t line, const char *fmt, ...) RR_PRINTF(3, 4); /* line 0: the whole file */
struct rr_machine_info *rr_sink_machine(struct rr_sample_sink *s);
struct rr_sample_file *rr_sink_file(struct rr_sample_sink *s);
size_t rr_sink_rows(const struct rr_sample_sink *s);               /* of this file so far */
struct rr_sample *rr_sink_row(struct rr_sample_sink *s, size_t i); /* of this file */
#endif
