/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/train/measured.h - one run of one's own: what was run, how long its step took, and what was predicted for it. */
#ifndef RR_MODELS_TRAIN_MEASURED_H
#define RR_MODELS_TRAIN_MEASURED_H
#include "models/train/size.h"

/* Measured over predicted step, where 98.6 % of the published rows lie with their model left out of the fit (all but the Playbook's slow layouts). */
#define RR_MEASURED_LEAST 0.6
#define RR_MEASURED_MOST  1.7
static inline bool rr_measured_is_far(const struct rr_size_measured *m)
{
    const double scale = m->step_s > 0 ? m->step_s / m->predicted_s : 1;
    return scale < RR_MEASURED_LEAST || scale > RR_MEASURED_MOST;
}
/* t->measured ("tp=8, pp=4, gpus=256, step=4.3 s") and t->log; what these do not tell is as in the plan. s: all but `measured` is made.
 * A run that tells its memory
 * alone has the predicted step. RR_EINPUT for a word that is none, a run without either, a layout that is not legal. */
RR_CHECKED enum rr_status rr_measured_make(const struct rr_training_run *t, const struct rr_size *s, struct rr_arena *a,
                                           struct rr_notes *notes, struct rr_size_measured *ret);
/* Changes the coefficients so that the run's memory is predicted, and says how in *m: a factor on activations, logits and buffers where they are a good part of
 * it, else so much more (or less) on every GPU. m->memory_bytes > 0, m->layout is complete. RR_EINPUT: less than the layout's weights,
 * gradients and optimizer take. */
RR_CHECKED enum rr_status rr_measured_memory(const struct rr_arch *a, struct rr_coefs *c, struct rr_size_measured *m);
#endif
