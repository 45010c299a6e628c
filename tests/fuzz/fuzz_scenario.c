/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/fuzz/fuzz_scenario.c - a scenario of any bytes is checked or refused in one line; what is taken can be printed and priced. */
#include "models/price/price.h"
#include "sim/engine/engine.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void one_line(void)
{
    if (*rr_reason() == '\0' || strchr(rr_reason(), '\n')) abort();
}

static void use(struct rr_scenario_set *set, const struct rr_registry *reg, const struct rr_catalog *catalog)
{
    for (size_t i = 0; i < set->n_variants; i++) {
        struct rr_scenario *s = set->variant[i];
        struct rr_buf b = {0};
        s->notes.arena = set->arena;
        if (rr_price_resolve(s, catalog, set->arena, &s->notes) != RR_OK) one_line();
        rr_scenario_print(&b, s, reg);
        rr_buf_done(&b);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static struct rr_catalog catalog; // the same facts for every input
    static struct rr_arena *facts;
    if (!facts) {
        facts = rr_arena_create();
        const char *dir;
        if (rr_data_dir(facts, &dir) != RR_OK || rr_catalog_load(dir, facts, &catalog) != RR_OK) abort();
    }
    const struct rr_registry reg = {.plans = rr_price_plans,
                                    .policies = rr_policies,
                                    .placements = rr_placements,
                                    .importers = rr_importers,
                                    .autoscalers = rr_autoscalers};
    const struct rr_scenario_options opt = {.seed = -1, .reps = -1, .any_path = true};
    struct rr_scenario_set *set = NULL;
    char path[64];
    const int fd = memfd_create("scenario", 0);
    if (fd < 0 || write(fd, data, n) != (ssize_t)n) abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (rr_scenario_load(path, &opt, &reg, &catalog, &set) == RR_OK)
        use(set, &reg, &catalog);
    else
        one_line();
    rr_scenario_set_free(set);
    close(fd);
    return 0;
}
