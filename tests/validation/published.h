/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/validation/published.h - what the validation tests share: public data or skip, a scenario run as the program runs it, and the lines that
 * `make validate` collects into one table: published, ours, difference, what is allowed. */
#ifndef RR_TESTS_PUBLISHED_H
#define RR_TESTS_PUBLISHED_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "data/metric.h"
#include "data/outfile.h"
#include "models/price/price.h"
#include "sim/engine/engine.h"
#include "sim/study/study.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* A file or folder of the public data, or the test is skipped. */
static inline const char *published_data(struct rr_arena *a, const char *name)
{
    const char *dir = getenv("RACKRATE_SHARED");
    const char *path = rr_strf(a, "%s/%s", dir ? dir : "../shared", name);
    if (access(path, R_OK) != 0) {
        rr_arena_free(a);
        skip();
    }
    return path;
}

/* One line of the table, and the judgement: `within` is the share by which ours may differ; negative: shown beside, not judged. */
static inline bool published_row(const char *what, double published, double ours, double within)
{
    const double off = published != 0 ? ours / published - 1 : ours;
    char allowed[24] = "shown only";
    if (within >= 0) snprintf(allowed, sizeof allowed, "%.4g %%", 100 * within);
    print_message("published: %-58s %16.6f %16.6f %+9.3f %%  %s\n", what, published, ours, 100 * off, allowed);
    return within < 0 || fabs(off) <= within;
}

/* The same in points of a percentage, or any other unit in which the difference itself is judged. */
static inline bool published_points(const char *what, double published, double ours, double within)
{
    char allowed[24] = "shown only";
    if (within >= 0) snprintf(allowed, sizeof allowed, "%.4g", within);
    print_message("published: %-58s %16.6f %16.6f %+9.3f    %s\n", what, published, ours, ours - published, allowed);
    return within < 0 || fabs(ours - published) <= within;
}

#define PUBLISHED_SET(array)                  \
    {                                         \
        array, sizeof array / sizeof *(array) \
    }
/* Runs a scenario document and gives its metrics (means over replications). Paths in it are absolute or relative to where the test runs. */
static inline void published_run(const char *json, double metric[RR_METRICS])
{
    static const struct rr_kind *const plans[] = {
#define X(name) &rr_price_##name.kind,
#include "models/price/list.h"
#undef X
    };
    static const struct rr_kind *const importers[] = {
#define X(name) &rr_import_##name.kind,
#include "data/import/list.h"
#undef X
    };
    const struct rr_registry registry = {
        .plans = PUBLISHED_SET(plans), .policies = rr_policies, .placements = rr_placements, .importers = PUBLISHED_SET(importers)};
    const struct rr_catalog catalog = {0};
    char path[64];
    snprintf(path, sizeof path, "./rackrate-validate-%ld.json", (long)getpid());
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(json, f);
    fclose(f);
    struct rr_scenario_set *set = NULL;
    struct rr_study *study = NULL;
    enum rr_status st = rr_scenario_load(path, NULL, &registry, &catalog, &set);
    unlink(path);
    for (size_t i = 0; st == RR_OK && i < set->n_variants; i++) {
        struct rr_scenario *s = set->variant[i];
        s->notes.arena = set->arena;
        st = rr_price_resolve(s, &catalog, set->arena, &s->notes);
    }
    const struct rr_study_options opt = {.threads = 1};
    if (st == RR_OK) st = rr_study_run(set, &opt, &study);
    if (st != RR_OK) fail_msg("%s", rr_reason());
    for (int m = 0; m < RR_METRICS; m++) metric[m] = rr_study_store(study)->alternative[0].metric[m].mean;
    rr_study_free(study);
    rr_scenario_set_free(set);
}
#endif
