/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/train/pipeline.h - how long a pipeline takes: the schedule played stage by stage, and its closed form. */
#ifndef RR_MODELS_TRAIN_PIPELINE_H
#define RR_MODELS_TRAIN_PIPELINE_H
#include <stdint.h>

#define RR_PIPELINE_MOST 4096 /* stages x chunks */

struct rr_pipeline {
    int32_t stages, chunks; /* chunks a stage, 1 = plain 1F1B, above: interleaved as Megatron does it */
    int64_t micro_batches;  /* of interleaving: a multiple of stages */
    const double
        *forward_s; /* [stages * chunks] of one micro batch, in the order in which it passes: chunk c of stage s is [c * stages + s] */
    const double *backward_s; /* likewise */
    double send_s;            /* from a stage to the next, either way; not hidden */
};
/* The time from the first forward to the last backward pass, by playing 1F1B (Narayanan et al. 2021, figure 4). O(stages x chunks x micro batches). */
double rr_pipeline_play(const struct rr_pipeline *p);
/* The same at once: fill + slowest stage x micro batches. Exact where stages are even, else within a few per cent (tests/unit/test_pipeline.c). */
double rr_pipeline_closed(const struct rr_pipeline *p);
#endif
