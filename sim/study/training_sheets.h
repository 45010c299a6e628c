/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/study/training_sheets.h - planned training runs as findings of a study. */
#ifndef RR_SIM_STUDY_TRAINING_SHEETS_H
#define RR_SIM_STUDY_TRAINING_SHEETS_H
#include "data/scenario.h"
#include "data/store.h"

/* Sheets about planned runs, behind those that the store has: training.runs, .layouts, .step, .memory, .scaling and .roofline. Nothing where no
 * scenario of the set has any. */
RR_CHECKED enum rr_status rr_tell_training(const struct rr_scenario_set *set, struct rr_arena *a, struct rr_store *store);
#endif
