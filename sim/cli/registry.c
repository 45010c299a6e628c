/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/cli/registry.c - the open sets of this program, handed down to the scenario reader, and the shipped facts. */
#include "sim/cli/cli.h"
#include "data/trace.h"
#include "models/price/price.h"
#include "sim/engine/engine.h"

struct rr_registry rr_registry;

void rr_registry_fill(void)
{
    rr_registry =
        (struct rr_registry){.plans = rr_price_plans, .policies = rr_policies, .placements = rr_placements, .importers = rr_importers};
}

enum rr_status rr_cli_catalog(struct rr_arena *a, struct rr_catalog *ret)
{
    const char *dir;
    RR_TRY(rr_data_dir(a, &dir));
    return rr_catalog_load(dir, a, ret);
}
