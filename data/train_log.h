/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/train_log.h - what a training log says about its steps: how long, how many tokens, how much memory.
 *
 * Megatron, DeepSpeed, torchtitan and NeMo as they print to the terminal; trainer_state.json of Hugging Face; a CSV with one of the columns
 * step_time_s, tokens_per_s_per_gpu, samples_per_s, and memory_gb. Medians over all steps but the first; memory is the most that stands there. */
#ifndef RR_DATA_TRAIN_LOG_H
#define RR_DATA_TRAIN_LOG_H
#include "data/base/status.h"
#include <stddef.h>

struct rr_train_log {
    const char *format; /* "megatron" */
    size_t steps;       /* that were read, >= 1 */
    double step_s;      /* 0 = the log has samples or tokens a second instead */
    double samples_s;   /* of all GPUs */
    double tokens_s_per_gpu;
    double global_batch; /* 0 = it does not say */
    double memory_bytes; /* 0 = it does not say */
};
/* RR_EINPUT "PATH: ..." when none of these is in it. */
RR_CHECKED enum rr_status rr_train_log_read(const char *path, struct rr_train_log *ret);
#endif
