/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/train_log.h - what a training log says about its steps: how long, how many tokens, how much memory.
 *
 * What Megatron, DeepSpeed, torchtitan, NeMo, Composer, the trainer of Hugging Face and MLPerf's loggers print, and progress bars, with
 * terminal colours and carriage returns and from all ranks at once; trainer_state.json, train_results.json; a CSV, also as Weights & Biases
 * exports it, with a column such as step_time_s, "iteration time (ms)", tokens_per_s_per_gpu or samples_per_s.
 *
 * The first tenth of the steps, at least 2, is warm-up where there are 5 or more, the first one where there are 3 or 4. Steps right after an
 * evaluation or a checkpoint may hold its time. Both are left out, and steps before the batch was what it is at the end; of the rest the median is
 * taken, and those more than half as long again or shorter by a third are counted. Memory is the most that stands there. A number that is damaged
 * ("43x2.4"), a step of no time, and a known word of a step without a number are refused with their line; a number that ends where the file does,
 * without a newline, was cut and is passed over. */
#ifndef RR_DATA_TRAIN_LOG_H
#define RR_DATA_TRAIN_LOG_H
#include "data/base/status.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a trainer's dump of its arguments, or Megatron's line "using world size: 64, data-parallel size: 8, ...", says of the run, each a whole number. */
enum rr_log_size {
    RR_LOG_GPUS,
    RR_LOG_SEQ,
    RR_LOG_LAYERS,
    RR_LOG_HIDDEN,
    RR_LOG_TP,
    RR_LOG_PP,
    RR_LOG_VPP,
    RR_LOG_CP,
    RR_LOG_EP,
    RR_LOG_MICRO_BATCH,
    RR_LOG_DP,
    RR_LOG_SIZES
};
struct rr_train_log {
    const char *format;              /* "megatron" */
    size_t steps;                    /* that were read, >= 1 */
    size_t warmup, beside, outliers; /* of which left out at the start; after evaluations and checkpoints; far from the median */
    size_t smaller;                  /* before these, of another batch: not among them */
    size_t used;                     /* behind the median, >= 1 */
    bool average;                    /* one number of the whole run: its `steps` is 1 */
    double spread;                   /* of one step: 1.4826 times the median distance from the median, over the median */
    double step_s;                   /* 0 = the log has samples or tokens a second instead */
    double samples_s;                /* of all GPUs */
    double tokens_s_per_gpu;
    double global_batch;        /* 0 = it does not say */
    double memory_bytes;        /* 0 = it does not say */
    int64_t size[RR_LOG_SIZES]; /* 0 = it does not say, or says several */
};
/* RR_EINPUT "PATH: ..." when none of these is in it, "PATH:LINE: ..." for what is refused. */
RR_CHECKED enum rr_status rr_train_log_read(const char *path, struct rr_train_log *ret);
#endif
