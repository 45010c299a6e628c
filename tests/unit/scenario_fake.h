/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/scenario_fake.h - a small registry, a catalog of one server and one instance, and documents from text. */
#ifndef RR_TESTS_SCENARIO_FAKE_H
#define RR_TESTS_SCENARIO_FAKE_H
#include "data/scenario.h"
#include <setjmp.h>
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

struct fake_plan {
    uint64_t given;
    struct rr_price rate;
    int64_t count, bid_us;
    struct rr_duration term;
};
static const struct rr_param fake_on_demand_rows[] = {
    {.name = "rate", .type = RR_P_RATE, .offset = offsetof(struct fake_plan, rate), .help = "price"},
    {.name = "patience",
     .type = RR_P_TIME,
     .offset = offsetof(struct fake_plan, bid_us),
     .def = "\"1 h\"",
     .help = "decides",
     .flags = RR_PF_DECIDES},
};
static const struct rr_param fake_reserved_rows[] = {
    {.name = "count",
     .type = RR_P_INT,
     .offset = offsetof(struct fake_plan, count),
     .least = 1,
     .most = 1e6,
     .help = "nodes",
     .flags = RR_PF_REQUIRED},
    {.name = "term", .type = RR_P_DURATION, .offset = offsetof(struct fake_plan, term), .def = "\"1 year\"", .help = "term"},
    {.name = "instance", .type = RR_P_OBJECT, .help = "x", .flags = RR_PF_LATER},
};
struct fake_policy {
    uint64_t given;
    int64_t depth;
};
static const struct rr_param fake_easy_rows[] = {
    {.name = "depth",
     .type = RR_P_INT,
     .offset = offsetof(struct fake_policy, depth),
     .def = "100",
     .least = 1,
     .most = 1e6,
     .help = "depth"},
};
struct fake_scaler {
    uint64_t given;
    double low, high;
    int64_t window_us, cooldown_us;
};
static const struct rr_param fake_scaler_rows[] = {
    {.name = "low", .type = RR_P_SHARE, .offset = offsetof(struct fake_scaler, low), .def = "0.2", .help = "low"},
    {.name = "high", .type = RR_P_SHARE, .offset = offsetof(struct fake_scaler, high), .def = "0.9", .help = "high"},
    {.name = "window", .type = RR_P_TIME, .offset = offsetof(struct fake_scaler, window_us), .def = "\"1 min\"", .help = "window"},
    {.name = "cooldown", .type = RR_P_TIME, .offset = offsetof(struct fake_scaler, cooldown_us), .def = "\"1 min\"", .help = "cooldown"},
};
static const struct rr_kind fake_on_demand = {"on_demand", "by use", fake_on_demand_rows, 2, sizeof(struct fake_plan), RR_USE_POOL},
                            fake_owned = {"owned", "bought", NULL, 0, 0, RR_USE_POOL},
                            fake_reserved = {"reserved", "promised", fake_reserved_rows, 3, sizeof(struct fake_plan), RR_USE_COMMITMENT},
                            fake_spot = {"spot", "may be taken back", NULL, 0, 0, RR_USE_POOL | RR_USE_RECLAIMS},
                            fake_fifo = {"fifo", "in order", NULL, 0, 0, 0},
                            fake_easy = {"easy_backfill", "EASY", fake_easy_rows, 1, sizeof(struct fake_policy), 0},
                            fake_pack = {"pack", "pack", NULL, 0, 0, 0}, fake_spread = {"spread", "spread", NULL, 0, 0, 0},
                            fake_queue = {"queue", "by demand", NULL, 0, 0, 0},
                            fake_utilization = {"utilization", "by share", fake_scaler_rows, 4, sizeof(struct fake_scaler), 0},
                            fake_csv = {"csv", "csv", NULL, 0, 0, 0}, fake_swf = {"swf", "swf", NULL, 0, 0, 0};
static const struct rr_kind *const fake_plans[] = {&fake_on_demand, &fake_owned, &fake_reserved, &fake_spot};
static const struct rr_kind *const fake_policies[] = {&fake_fifo, &fake_easy};
static const struct rr_kind *const fake_placements[] = {&fake_pack, &fake_spread};
static const struct rr_kind *const fake_importers[] = {&fake_csv, &fake_swf};
static const struct rr_kind *const fake_autoscalers[] = {&fake_queue, &fake_utilization};
static const struct rr_registry fake_registry = {{fake_plans, 4},     {fake_policies, 2},    {fake_placements, 2},
                                                 {fake_importers, 2}, {fake_autoscalers, 2}, NULL};

static const struct rr_hardware fake_hardware[] = {
    {.id = "hgx-h100-8", .gpu = "h100-80gb-sxm", .gpus = 8, .cpus_milli = 224000, .memory_mib = 2097152}};
static const struct rr_instance fake_instance[] = {
    {.id = "aws/p5.48xlarge", .gpu = "h100-80gb-sxm", .gpus = 8, .cpus_milli = 192000, .memory_mib = 2097152}};
static const struct rr_failure_rate fake_rate[] = {{.id = "sys", .gpu = "g", .gpu_hours = 50677, .least = 7440, .most = 66528}};
static const struct rr_failure_cause fake_cause[] = {{.id = "sys", .cause = "fan", .kind = "gpu", .count = 2},
                                                     {.id = "sys", .cause = "HBM", .kind = "gpu", .count = 3},
                                                     {.id = "sys", .cause = "bug", .kind = "software", .count = 3}};
static const struct rr_catalog fake_catalog = {.failure_rate = fake_rate,
                                               .n_failure_rates = 1,
                                               .failure_cause = fake_cause,
                                               .n_failure_causes = 3,
                                               .hardware = fake_hardware,
                                               .n_hardware = 1,
                                               .instance = fake_instance,
                                               .n_instances = 1};

static char fake_dir[64], fake_path[96];

static inline int fake_setup(void **state)
{
    (void)state;
    strcpy(fake_dir, "/tmp/test_scenarioXXXXXX");
    if (!mkdtemp(fake_dir)) return -1;
    snprintf(fake_path, sizeof fake_path, "%s/s.json", fake_dir);
    return 0;
}

static inline const char *fake_file(const char *name, const char *text)
{
    static char path[160];
    snprintf(path, sizeof path, "%s/%s", fake_dir, name);
    FILE *f = fopen(path, "w");
    if (!f || fputs(text, f) < 0 || fclose(f) != 0) fail_msg("%s", path);
    return path;
}

static inline int fake_teardown(void **state)
{
    (void)state;
    static const char *const names[] = {"s.json", "v.json", "jobs.csv", "nodes.csv", "loop", "odd name.v2.json"};
    char path[160];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", fake_dir, names[i]);
        unlink(path);
    }
    return rmdir(fake_dir);
}

static inline enum rr_status fake_load(const char *text, const struct rr_scenario_options *opt, struct rr_scenario_set **ret)
{
    *ret = NULL;
    return rr_scenario_load(fake_file("s.json", text), opt, &fake_registry, &fake_catalog, ret);
}

static inline struct rr_scenario_set *fake_loaded(const char *text, const struct rr_scenario_options *opt)
{
    struct rr_scenario_set *s = NULL;
    if (fake_load(text, opt, &s) != RR_OK) fail_msg("%s", rr_reason());
    return s;
}

/* A document around what differs: the members of the top, with a workload and a pool. */
#define FAKE_WORK   "\"workload\": {\"w\": {\"trace\": \"jobs.csv\"}}"
#define FAKE_POOL   "\"pools\": {\"own\": {\"hardware\": \"hgx-h100-8\", \"nodes\": 4, \"plan\": {\"type\": \"owned\"}}}"
#define FAKE(extra) "{\"rackrate\": 1, " FAKE_WORK ", " FAKE_POOL extra "}"
#endif
