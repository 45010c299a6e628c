/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/cli/registry.c - the open sets of this program, handed down to the scenario reader, and the shipped facts. */
#include "sim/cli/cli.h"
#include "data/trace.h"
#include "models/price/price.h"
#include "sim/autoscale/autoscale.h"
#include "sim/engine/sim.h"
#include "sim/policy/placement.h"
#include "sim/study/training.h"

#define SET(array)                            \
    {                                         \
        array, sizeof array / sizeof *(array) \
    }

static const struct rr_kind *const plans[] = {
#define X(name) &rr_price_##name.kind,
#include "models/price/list.h"
#undef X
};
static const struct rr_kind *const policies[] = {
#define X(name) &rr_policy_##name.kind,
#include "sim/policy/list.h"
#undef X
};
static const struct rr_kind *const placements[] = {
#define X(name) &rr_placement_##name.kind,
#include "sim/policy/placement_list.h"
#undef X
};
static const struct rr_kind *const importers[] = {
#define X(name) &rr_import_##name.kind,
#include "data/import/list.h"
#undef X
};

static const struct rr_kind *const autoscalers[] = {
#define X(name) &rr_autoscaler_##name.kind,
#include "sim/autoscale/list.h"
#undef X
};

const struct rr_registry rr_registry = {.plans = SET(plans),
                                        .policies = SET(policies),
                                        .placements = SET(placements),
                                        .importers = SET(importers),
                                        .autoscalers = SET(autoscalers),
                                        .plan_training = rr_study_plan_training};

enum rr_status rr_cli_catalog(struct rr_arena *a, struct rr_catalog *ret)
{
    const char *dir;
    RR_TRY(rr_data_dir(a, &dir));
    return rr_catalog_load(dir, a, ret);
}
