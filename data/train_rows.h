/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/train_rows.h - published training measurements: one row a configuration, from the tables of times, of memory and of MLPerf runs.
 *
 * Which table it is, the header says. A cell that is empty is 0 here (zero_stage: -1), a text that is not there "". */
#ifndef RR_DATA_TRAIN_ROWS_H
#define RR_DATA_TRAIN_ROWS_H
#include "data/base/text.h"
#include <stdint.h>

enum rr_train_table { RR_TRAIN_TIMES, RR_TRAIN_MEMORY, RR_TRAIN_MLPERF };
enum rr_train_oom { RR_OOM_UNKNOWN, RR_OOM_NO, RR_OOM_YES, RR_OOM_OR_CRASHED, RR_OOM_COMPUTED };

struct rr_train_row {
    enum rr_train_table table;
    const char *source, *model, *gpu, *precision, *recompute, *notes;
    double params_b;
    int32_t layers, hidden, heads, kv_heads, ffn_hidden, vocab, seq_len;
    int32_t gpus, gpus_per_node, tp, pp, vpp, dp, ep, cp, zero_stage, micro_batch, global_batch;
    double iter_time_s; /* one optimizer step: as printed, else as it follows from what is printed; 0 = neither */
    bool derived;       /* it follows */
    double tokens_per_s_gpu, tflops_gpu, mfu, time_to_train_h;
    double peak_mem_gb; /* in the source's unit */
    enum rr_train_oom oom;
    double samples_to_target, evaluations, evaluation_s, minutes; /* MLPerf */
    uint64_t print;                                               /* of all its cells that a column here has: equal rows have equal ones */
    const char *path;
    int64_t line;
};
struct rr_train_rows {
    const struct rr_train_row *at;
    size_t n;
};
/* Appends nothing: reads one file. RR_EINPUT "PATH:LINE: ..." for a column that is missing, a cell that is no number or out of range. */
RR_CHECKED enum rr_status rr_train_rows_read(const char *path, struct rr_arena *a, struct rr_train_rows *ret);
/* The number behind "KEY" in the notes ("local batch 16" with "local batch "), or `otherwise`. */
double rr_train_note(const struct rr_train_row *r, const char *key, double otherwise);
bool rr_train_noted(const struct rr_train_row *r, const char *words); /* they stand in the notes */
#endif
