/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/study/inputs.h - the money inputs of a variant one by one: those of its plans, commitments, charges and finance, given or from the facts. */
#ifndef RR_SIM_INPUTS_H
#define RR_SIM_INPUTS_H
#include "data/scenario.h"

struct rr_input_row {
    const char *pointer;
    const struct rr_param *row;
    const void *params; /* of the variant that it was found in */
    double swing;       /* of a result from 90 % to 110 % of it, absolute */
    bool given;         /* by the scenario; else a default or from the facts */
};
enum { RR_MOST_INPUTS = 200 };
struct rr_inputs {
    struct rr_arena *arena;
    struct rr_input_row at[RR_MOST_INPUTS];
    size_t n;
};
/* Adds what is not there yet. Left out are zeros, terms, and what the engine's course depends on (RR_PF_DECIDES). */
void rr_inputs_add(struct rr_inputs *s, const struct rr_scenario *sc);

double rr_input_value(const struct rr_param *row, const void *params); /* 0 where the row has no such value */
/* The value x as the scenario would write it; NULL where there is no such value. The caller owns the node. */
cJSON *rr_input_node(const struct rr_param *row, const void *params, double x);
const char *rr_input_shown(struct rr_arena *a, const struct rr_input_row *x, double value);
/* 90 and 110 % of it, for what it is worth: its own value where that is out of its range, whole months of a duration. */
void rr_input_ends(const struct rr_input_row *x, double *down, double *up);
bool rr_input_out_of_range(const struct rr_param *row, double x);
cJSON *rr_number_node(double x); /* with its exact text */
#endif
