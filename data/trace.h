/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/trace.h - a workload as a compact struct of arrays, and the importers that make one.
 *
 * An importer is one constant in one file, data/import/NAME.c, and one row in data/import/list.h. */
#ifndef RR_DATA_TRACE_H
#define RR_DATA_TRACE_H
#include "data/base/csv.h"
#include "data/base/time.h"
#include "data/notes.h"
#include "data/param.h"

/* What the trace says became of a job. The replay gives every started job its recorded run time, whatever its end was. */
enum rr_trace_state {
    RR_TRACE_OK,
    RR_TRACE_FAILED,        /* ran, then failed: state `failed` when it ends in the replay too */
    RR_TRACE_KILLED,        /* ran, then was cancelled or hit its limit: `killed` */
    RR_TRACE_NEVER_STARTED, /* censored: counted as submitted and killed, never placed, no invented time */
    RR_TRACE_NEVER_ENDED,   /* censored: run_us = RR_NEVER, runs to the horizon */
};

/* n jobs, sorted by submit time (stable). Columns a trace lacks are NULL; what NULL means stands beside. */
struct rr_trace {
    size_t n;
    int64_t *submit_us;   /* from the scenario's start */
    int64_t *run_us;      /* > = 0, or RR_NEVER */
    int64_t *estimate_us; /* NULL: the run time */
    int64_t *limit_us;    /* NULL: none */
    int64_t *deadline_us; /* to be ended by, from its submit; RR_NEVER: none; NULL: no job has one */
    int64_t *waited_us;   /* recorded start, from its submit; RR_NEVER: not recorded; NULL: of no job. The replay does not read it */
    int32_t *gpus_milli;  /* GPUs in total x 1000; 0 = CPU only; below 1000 a share of one device; above, whole (x 1000) */
    int32_t *nodes;       /* NULL or 0: as placement says */
    int32_t *cpus_milli;  /* NULL: 0 */
    int32_t *memory_mib;  /* host memory; NULL: 0 */
    uint64_t *gpu_types;  /* NULL or 0: any; else bit i = gpu_type_name[i] is acceptable */
    int32_t *priority;    /* beside that of its class; larger goes first; NULL: 0 */
    uint8_t *state;       /* enum rr_trace_state; NULL: RR_TRACE_OK */
    uint16_t *class_id;   /* NULL: class 0 */
    uint32_t *user_id, *account_id; /* NULL: 0 = unknown */
    uint32_t *after_at;             /* offset in after_text of the ids that must finish first (data/trace_after.h); NULL: of no job */
    char *after_text;
    bool after_exact;     /* they are ids of a merged trace */
    int64_t *think_us;    /* from the end of the last job that it depends on to its own start, at least; NULL: 0 */
    uint32_t *array_id;   /* array that it is a task of; NULL or 0: of none that is limited */
    int32_t *array_limit; /* [n_arrays] of the tasks of each array at most so many run at once; 0 = no limit; in the arena */
    size_t n_arrays;      /* array 0 is none */
    uint32_t *id_at;      /* offset of the NUL-terminated id in id_text; NULL: the id is the number i + 1 */
    char *id_text;
    const char *const *class_name, *const *user_name, *const *account_name,
                                                          *const *gpu_type_name; /* [n_...]; index 0 is "" for the first three */
    size_t n_classes, n_users, n_accounts, n_gpu_types;
    bool absolute;                   /* submit_us are epoch times not yet moved to the start (import only) */
    bool has_estimates;              /* false: estimates are the run times, said in the report */
    size_t rows, rejected, censored; /* rows read; malformed and left out; kept without a start or an end */
    size_t not_chosen;               /* rows that rr_trace_choose left out */
    const char *path, *format;
    char sha256[65];
    const struct rr_trace *lender; /* NULL, or the trace that some columns belong to: it must outlive this one */
};
/* What to do for each array of n, in the order of the struct. */
#define RR_TRACE_COLUMNS(C) \
    C(submit_us)            \
    C(run_us)               \
    C(estimate_us)          \
    C(limit_us)             \
    C(deadline_us)          \
    C(waited_us)            \
    C(gpus_milli)           \
    C(nodes)                \
    C(cpus_milli)           \
    C(memory_mib) C(gpu_types) C(priority) C(state) C(class_id) C(user_id) C(account_id) C(id_at) C(after_at) C(think_us) C(array_id)

/* All columns in one heap block each; rr_trace_done frees those that are not the lender's and takes a zeroed struct. Names live in the `arena`
 * given at import. */
void rr_trace_done(struct rr_trace *t);
const char *rr_trace_id(const struct rr_trace *t, size_t i, char buf[24]);
size_t rr_trace_bytes(const struct rr_trace *t); /* memory held */

#define RR_NOT_GIVEN  INT64_MIN
#define RR_MOST_TIME  (1000 * RR_YEAR_US) /* of every time in a trace */
#define RR_GPU_TYPES  64                  /* most different GPU types in one trace: bits of a word */
#define RR_TRACE_JOBS UINT32_MAX          /* most jobs in one trace, below this number */

/* A row on its way in; columns that the row lacks keep the values of rr_trace_row_empty. */
struct rr_trace_row {
    struct rr_slice id;                                   /* n = 0: none */
    int64_t submit_us, run_us, estimate_us, limit_us;     /* RR_NOT_GIVEN */
    int64_t gpus_milli, nodes, cpus_milli, memory_mib;    /* RR_NOT_GIVEN */
    int64_t deadline_us;                                  /* on the clock of submit_us; RR_NOT_GIVEN */
    int64_t start_us;                                     /* recorded, on the clock of submit_us; RR_NOT_GIVEN */
    int64_t waited_us;                                    /* the importer's own, for start_us */
    int64_t priority;                                     /* RR_NOT_GIVEN */
    struct rr_slice depends_on;                           /* ids between : ; or blanks */
    int64_t think_us, array_limit;                        /* RR_NOT_GIVEN */
    struct rr_slice array;                                /* name of the array that it is a task of */
    struct rr_slice class_name, user, account, gpu_types; /* gpu_types: names separated by | */
    enum rr_trace_state state;
    int64_t line;
};
extern const struct rr_trace_row rr_trace_row_empty;

/* Collects rows, rejects and counts by reason, finds repeated ids, sorts. Rows without an id, and rows whose ids are 1, 2, 3, ...,
 * need no memory for ids; ids that are ascending numbers need no search for repeated ones. */
struct rr_trace_builder;
struct rr_trace_builder *rr_trace_builder_create(const char *path, struct rr_arena *arena, struct rr_notes *notes);
void rr_trace_builder_free(struct rr_trace_builder *b); /* takes NULL */
struct rr_arena *rr_trace_builder_arena(const struct rr_trace_builder *b);
/* Something to tell beside the numbers, with the file's path as its place. */
void rr_trace_tell(struct rr_trace_builder *b, enum rr_note_kind kind, const char *fmt, ...) RR_PRINTF(3, 4);
void rr_trace_set_absolute(struct rr_trace_builder *b); /* submit times are microseconds since 1970 */
/* A good row. Checks ranges (times >= 0 and below 1,000 years, gpus_milli in int32, whole above 1000): a bad one is counted as rejected. */
void rr_trace_add(struct rr_trace_builder *b, const struct rr_trace_row *row);
/* A malformed row: counted by `reason` (a text that lives as long as the builder: "duration_s is negative"); the first line and cell of each
 * reason are kept for the message. */
void rr_trace_reject(struct rr_trace_builder *b, int64_t line, const char *reason, struct rr_slice cell);
/* RR_EINPUT when more than `max_rejected` (share) of the rows were rejected ("PATH:LINE: ... (N of M rows, limit 1 %)"), when no job is left, or
 * an id occurs twice ("PATH:17: job id "a" was already used on line 4"; a repeated id counts as one rejected row when under the limit), or rows of
 * one array give different limits. Notes say what was left out. The builder is empty afterwards. A first submit past 1e9 s (2001) is taken as Unix time: absolute, said in a note. */
RR_CHECKED enum rr_status rr_trace_finish(struct rr_trace_builder *b, double max_rejected, struct rr_trace *ret);

struct rr_import_options {
    const char *format;         /* importer's name or "auto" */
    const cJSON *columns;       /* {"submit_s": "Submit Time", "duration_s": {"name": "t", "unit": "ms"}} or NULL */
    const struct rr_json *json; /* for messages about `columns` */
    double max_rejected;        /* 0.01 */
    bool dependencies;          /* take the log's links between jobs (importer's `links`); columns of ours are always taken */
};
struct rr_importer {
    struct rr_kind kind; /* name, summary */
    const char *licence; /* of the public data it reads, or "" */
    bool links;          /* jobs may name others that come before them, taken on request (options' `dependencies`) */
    /* How sure is this format from the first bytes (at most 64 KiB, decompressed) and the file name? 0 = no .. 100 = certain. */
    int (*sniff)(const char *name, struct rr_slice head);
    RR_CHECKED enum rr_status (*read)(const char *path, const struct rr_import_options *opt, struct rr_trace_builder *b, char sha256[65]);
};
#define X(name) extern const struct rr_importer rr_import_##name;
#include "data/import/list.h"
#undef X
extern const struct rr_kinds rr_importers;

/* Read a trace in any known format; stdin ("-") and pipes need the format's name. Absolute submit times are moved so that the first is 0. */
RR_CHECKED enum rr_status rr_trace_read(const char *path, const struct rr_import_options *opt, struct rr_arena *arena,
                                        struct rr_notes *notes, struct rr_trace *ret);

struct rr_where;
/* Keep the jobs for which `w` holds; jobs keep their ids. The trace owns its columns. RR_EINPUT when none is left. */
RR_CHECKED enum rr_status rr_trace_choose(struct rr_trace *t, const struct rr_where *w);

/* A fleet from a file: node shapes in file order (`"nodes": {"file", "format"}`). */
struct rr_gpu;
struct rr_node_shape {
    int32_t gpus;       /* whole devices */
    int32_t cpus_milli; /* 0 with memory_mib 0: not counted */
    int32_t memory_mib;
    const char *gpu; /* type name as in the file, "" = none or not said */
    const char *name;
    const struct rr_gpu *known; /* that type in the facts, or NULL: for jobs that name it otherwise */
};
struct rr_fleet_file {
    size_t n;
    struct rr_node_shape *node; /* [n], in the arena */
    const char *format;
    char sha256[65];
    size_t left_out;            /* nodes on which no job can start now: down, drained */
    const char *left_out_first; /* "NAME (STATE)" of the first, "" */
};
extern const struct rr_kinds rr_fleet_formats; /* data/import/fleet_list.h */
/* format: "auto", or one of rr_fleet_formats: "csv" (name,gpus,cpus,memory_gib,gpu), "scontrol", ... */
RR_CHECKED enum rr_status rr_fleet_read(const char *path, const char *format, struct rr_arena *arena, struct rr_fleet_file *ret);

/* The job list that one replication replays: workloads merged, scaled, repeated and generated. */
struct rr_generate {
    int64_t count;
    int64_t before_us;                /* from where the first gap counts: -gap for a job at 0 */
    struct rr_dist gap_us;            /* between arrivals, the first one from 0; Poisson: exponential */
    struct rr_dist duration_us, gpus; /* gpus: GPUs in total; above 1 rounded to whole ones, below to thousandths */
    int64_t deadline_us;              /* from a job's submit; 0 = none */
};
struct rr_trace_use {
    const struct rr_trace *trace; /* or NULL with `generate` */
    const struct rr_generate *generate;
    uint64_t seed;
    uint32_t replication;
    uint64_t stream; /* index of the workload: keeps streams apart */
    double load_scale,
        time_scale; /* > 0: gaps between arrivals / load_scale; run times, estimates and limits x time_scale; both rounded to the
                                    * nearest microsecond, halves up */
    bool repeat;    /* again and again until `until_us`: repetition k is moved by k times the span of the submits, rounded up to whole
                                    * weeks (at least one), so that days and weekdays stay in step */
    bool
        resample; /* week k is a whole week of the trace, drawn from (seed, replication, RR_RNG_RESAMPLE, stream x 2^32 + k); weeks count from
                                    * time 0, so that weekdays stay; the last one is whole when jobs come on its last day. Up to `until_us` */
    int64_t until_us;       /* rows submitted at or after are not made (counted in *not_submitted, of the first pass alone when repeated);
                                    * RR_NEVER = all */
    const char *class_name; /* the workload's name: class of its jobs where the trace has none */
};
/* Merges in submit order (ties by workload, then row). Class 0 of the result is a class like others (no "" in front); all else as in rr_trace.
 * Dependencies and arrays stay inside their copy of a workload; a forerunner that comes after until_us never comes.
 * Ids: one workload keeps its own, repetition k > 1 of job "a" is "a#k", numbered jobs are numbered on; of several workloads they are "NAME/ID".
 * Job i of a generated workload draws from the streams (seed, replication, RR_RNG_ARRIVAL | _DURATION | _GPUS, stream x 2^32 + i).
 * The result owns its columns, but with one workload that is not repeated it borrows the unchanged ones (`lender`): that trace must outlive it.
 * Errors: RR_EINPUT, a repeat without an end, a time past 1,000 years, a draw below 0, more than 64 GPU types, an id that
 * is no job's, dependencies in a workload that is resampled. */
RR_CHECKED enum rr_status rr_trace_merge(const struct rr_trace_use *use, size_t n_uses, struct rr_arena *arena, struct rr_trace *ret,
                                         size_t *not_submitted);
#endif
