/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/cli/plan.h - the two questions of `rackrate plan`. */
#ifndef RR_SIM_CLI_PLAN_H
#define RR_SIM_CLI_PLAN_H
#include "data/scenario.h"
#include "sim/cli/cli.h"

/* plan_commitments.c: prints what to commit to. */
RR_CHECKED enum rr_status rr_cli_plan_commitments(const struct rr_args *a, const struct rr_scenario_options *load,
                                                  const struct rr_catalog *catalog, int threads);
#endif
