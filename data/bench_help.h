/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/bench_help.h - what several formats of data/samples.h need: lines, cells, the number of ranks behind two bandwidths. */
#ifndef RR_DATA_BENCH_HELP_H
#define RR_DATA_BENCH_HELP_H
#include "data/samples.h"

/* The next line of a text without its end (LF or CRLF); false at the end. *at starts at 0. */
bool rr_bench_line(const char *text, size_t n, size_t *at, struct rr_slice *ret);
bool rr_bench_has(struct rr_slice s, const char *word); /* somewhere in it */
/* Splits at blanks into cell[most]; returns how many there are (more than `most` are counted, not kept). */
size_t rr_bench_cells(struct rr_slice s, struct rr_slice *cell, size_t most);
/* Some line holds `a` and, when b is not NULL, `b`. */
bool rr_bench_text_has(const char *text, size_t n, const char *a, const char *b);

/* The operation in a program's or file's name: "all_reduce_perf", "run_alltoall.log"; "" = none. Spellings such as allreduce are known. */
const char *rr_bench_op_word(const char *name);
const char *rr_bench_op_of_path(const char *path); /* of the last part alone */
double rr_bench_type_bytes(const char *type);      /* 0 = not known */

/* "1048576", "64K", "1.5 GiB", "8 MB": K, M, G, T alone are 1024 upwards, as nccl-tests takes them, as are KiB ...; kB ... are 1000 upwards. False: no whole
 * number of bytes. */
bool rr_bench_bytes(struct rr_slice s, int64_t *ret);

/* Ranks such that bus = factor * algorithm bandwidth over all rows: intervals from what printing rounds off, intersected. */
struct rr_rank_range {
    double least, most;
    bool any;
};
void rr_rank_range_add(struct rr_rank_range *r, const char *op, double bytes, double us, double us_half, double bus, double bus_half);
/* The one number inside; of several the one multiple of 8 (then *guessed); 0 = cannot be told. */
int32_t rr_rank_range_ranks(const struct rr_rank_range *r, bool *guessed);
double rr_bench_half_unit(struct rr_slice number); /* half of the last digit printed: "27.37" -> 0.005 */

/* Notes each printed rate that does not follow from size and time by more than 1 %. Where more than half of them do not, one thing is wrong for all (a unit,
 * the operation, the number of ranks) and the file is refused. */
RR_CHECKED enum rr_status rr_bench_check_rates(struct rr_sample_sink *s);

/* What the title of nvbandwidth's matrices says: "memcpy CE CPU(row) <- GPU(column) bandwidth (GB/s)". False when it leaves something open. */
struct rr_bench_title {
    bool latency;    /* in ns, else a bandwidth in GB/s */
    bool row_is_cpu; /* else a GPU, as the column is */
    bool to_row;     /* the column's GPU sends */
};
bool rr_bench_title(struct rr_slice s, struct rr_bench_title *ret);

/* import/bench_nccl.c: rccl-tests prints the same tables. */
RR_CHECKED enum rr_status rr_bench_read_nccl(const struct rr_bench_text *t, struct rr_sample_sink *sink);
/* A JSON text without its positions' file: line of a node. */
int64_t rr_bench_json_line(const struct rr_json *j, const cJSON *node, struct rr_arena *a);
#endif
