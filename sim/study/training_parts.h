/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/study/training_parts.h - what the sheets about planned runs share. */
#ifndef RR_SIM_STUDY_TRAINING_PARTS_H
#define RR_SIM_STUDY_TRAINING_PARTS_H
#include "data/scenario.h"
#include "data/store.h"
#include "sim/study/sizing.h"

struct rr_told_run { /* a planned run, predicted with the failures of its scenario */
    const struct rr_scenario *scenario;
    const struct rr_workload *workload;
    size_t variant;
    const char *name;
    struct rr_size size;
    struct rr_size_answer answer;
};
struct rr_telling {
    const struct rr_scenario_set *set;
    const struct rr_store *store;
    struct rr_arena *a;
    struct rr_train_facts facts;
    struct rr_notes unheard;
    struct rr_told_run *run; /* [n] the first one stands for all where there is room for one */
    size_t n;
    struct rr_sheet sheet[16];
    size_t n_sheets;
};
void rr_tell_sheet(struct rr_telling *t, struct rr_sheet_maker *m); /* ends it and keeps it when it has rows */
const char *rr_tell_layout(struct rr_arena *a, const struct rr_layout *l);
/* GPU-hours a failure of a node with so many GPUs, infinite when the scenario has none; and the time until it is noticed. */
double rr_tell_failures(const struct rr_scenario *s, const struct rr_machine *m, double *detect_s);

/* training.trust and training.accuracy: how well the coefficients that the runs rest on foretell published measurements. */
void rr_tell_trust(struct rr_telling *t);
/* training.profiles: what was measured of their machines, and what that changed. */
void rr_tell_profiles(struct rr_telling *t);
/* training.scaling: the first run on an eighth to eight times as many GPUs; training.roofline: its products. */
RR_CHECKED enum rr_status rr_tell_scaling(struct rr_telling *t);
void rr_tell_roofline(struct rr_telling *t);
#endif
