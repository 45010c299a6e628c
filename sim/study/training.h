/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/study/training.h - a planned training run as a job of the replay. */
#ifndef RR_SIM_STUDY_TRAINING_H
#define RR_SIM_STUDY_TRAINING_H
#include "data/train_facts.h"
#include "data/training.h"

/* The registry's `plan_training`: predicts with the shipped facts. RR_EINPUT as rr_size_make() and rr_size_find(). */
RR_CHECKED enum rr_status rr_study_plan_training(const struct rr_training_run *t, const struct rr_catalog *catalog, struct rr_arena *a,
                                                 struct rr_notes *notes, struct rr_training_plan *ret);
#endif
