/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/train/published.h - a published row as a run that the models can predict.
 *
 * What the row does not print comes from the named model, from the data set's row in data/facts/train_sets.csv, and at last from a choice: the fastest
 * predicted micro batch, chunks or layout, which is what a user of a search would get. No row has constants of its own. */
#ifndef RR_MODELS_TRAIN_PUBLISHED_H
#define RR_MODELS_TRAIN_PUBLISHED_H
#include "data/train_rows.h"
#include "models/train/memory.h"
#include "models/train/step.h"

struct rr_published {
    const struct rr_train_row *row;
    const struct rr_train_set *set;
    struct rr_arch arch;
    struct rr_machine machine;
    struct rr_layout layout;
    double measured_s;                               /* the step, as printed or as it follows; 0 = the row is about memory alone */
    double measured_bytes;                           /* at the peak; 0 = the row prints none */
    const char *reason;                              /* why it cannot be predicted; NULL: it can */
    const char *note;                                /* what was assumed; "" = nothing */
    const char *doubt;                               /* how the row contradicts itself; "" = it does not */
    bool other;                                      /* of no set of train_sets.csv: as the usual framework of its GPU; no fit sees it */
    bool free_micro_batch, free_chunks, free_layout; /* not printed: chosen */
};
/* Never fails on a row that is merely unknown: ret->reason says why. RR_EINPUT for a precision or recompute that is no word. */
RR_CHECKED enum rr_status rr_published_make(const struct rr_train_facts *f, struct rr_arena *a, const struct rr_train_row *row,
                                            struct rr_published *ret);
/* Predicts with `c`; chosen sizes are written into p->layout. */
void rr_published_step(struct rr_published *p, const struct rr_coefs *c, struct rr_step *ret);
/* Does the source print what the allocator holds, without CUDA and NCCL? */
bool rr_published_of_allocator(const struct rr_published *p);
/* Of the rank whose memory the source prints: the first stage's in the Playbook, else the one that holds most. Where it prints any, terms that it does
 * not count are 0: the context of what the allocator holds, fragments and the smaller one of logits and workspace of what is allocated (SimuMax), all but states and activations of what Korthikanti et
 * al. computed. */
void rr_published_memory(const struct rr_published *p, const struct rr_coefs *c, struct rr_memory *ret);
#endif
