/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/train/search.h - every layout of a training run on one kind of GPU: which ones fit, the fastest, and why the others are none.
 *
 * Layouts are tried in a fixed order, so that equal step times are decided by it and the same question has the same answer. Allocates nothing;
 * a layout costs one to two microseconds: legality first, then the memory of the first stage, of all stages, and last the step. */
#ifndef RR_MODELS_TRAIN_SEARCH_H
#define RR_MODELS_TRAIN_SEARCH_H
#include "models/train/memory.h"
#include "models/train/step.h"

#define RR_AXIS_MOST   256 /* no number up to 1,048,576 has more than 240 divisors */
#define RR_SEARCH_KEEP 16
#define RR_AXIS_WHERE  (-1) /* of sequence_parallel: where tp > 1 */

struct rr_axis { /* values that one size of a layout takes, ascending; n = 0: rr_search_axes() fills in all that could be legal */
    int32_t at[RR_AXIS_MOST];
    int32_t n;
};
struct rr_search {
    const struct rr_arch *arch;
    const struct rr_machine *machine;
    const struct rr_coefs *coefs;
    struct rr_layout base; /* gpus, global_batch, seq and the flags that no axis has */
    struct rr_axis tp, pp, vpp, cp, ep, micro_batch, zero, recompute, precision, sequence_parallel, tp_overlap, dp_overlap;
    int32_t dp;          /* only layouts with so many; 0 = any */
    bool ends_given;     /* base.ends as it is, not only where the layers do not divide */
    double usable_bytes; /* 0 = what the machine has */
    bool some_layers;    /* where full recompute fits, as few layers as need it: that is never slower */
};
struct rr_candidate {
    struct rr_layout layout;
    double step_s;
    double memory_bytes; /* of the fullest stage */
};
struct rr_search_result {
    struct rr_candidate best[RR_SEARCH_KEEP]; /* fastest first; one of each tp, pp, cp, ep before a second of any */
    int32_t n;
    int64_t tried, fit;
    int64_t fault[RR_FAULT_N];            /* layouts by what is wrong with them first; [RR_FAULT_OK] = fit */
    struct rr_candidate like[RR_FAULT_N]; /* one of them each: the first tried; of those that do not fit, the one that lacks least */
};

/* Axes that are empty take every value that could be legal: divisors of the GPUs (tp, pp, cp), of the layers (vpp), of the experts (ep), of the
 * batch up to 64 (micro_batch), all of zero and recompute; precision, flags: those of base. */
void rr_search_axes(struct rr_search *s);
/* The same, and both values of each flag: all that the model can tell apart. */
void rr_search_widen(struct rr_search *s);
int64_t rr_search_size(const struct rr_search *s); /* layouts that rr_search_run() will try */
void rr_search_run(const struct rr_search *s, struct rr_search_result *ret);
/* "layouts that do not fit: 91.2 of 80 GB; the nearest: tp 8 ..." for fault != OK with result->fault[fault] > 0. */
void rr_search_say(struct rr_buf *b, const struct rr_search *s, const struct rr_search_result *r, enum rr_layout_fault fault);

/* Why no split of the GPUs is among the axes: result->tried = 0. */
void rr_search_say_world(struct rr_buf *b, const struct rr_search *s);

/* ---- what the answer hangs on ---- */

struct rr_lever { /* one coefficient, moved by `spread` to either side within its bounds */
    enum rr_coef coef;
    double slower, faster; /* step time over that with the coefficient as it is, >= 1 and <= 1 */
    bool changes_best;     /* another of the kept layouts would be the fastest */
};
/* Coefficients by how far they move the best layout's step, most first; ret[n]. The number of those that move it at all. */
size_t rr_search_levers(const struct rr_search *s, const struct rr_search_result *r, double spread, struct rr_lever *ret, size_t n);
#endif
