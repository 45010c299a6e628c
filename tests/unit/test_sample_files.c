/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_sample_files.c - a study reads each spot series and failure trace once: when the samples are drawn the files may be gone. */
#include "data/uncertain.h"
#include "models/price/price.h"
#include "sim/cli/registry.c" // the spot plan is one of the program's own
#include "tests/unit/test_dir.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void put(const char *name, const char *text)
{
    FILE *f = fopen(in_dir(name), "wb");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

/* FIRST is the path of the first uncertain input, VALUES its distribution. */
#define SCENARIO(FIRST, VALUES)                                                                                                        \
    "{\"rackrate\": 1, \"seed\": 7, \"horizon\": \"9 days\", \"start\": \"2026-01-01\", \"replications\": 4,"                          \
    " \"workload\": {\"w\": {\"generate\": {\"count\": 17, \"arrival\": {\"poisson\": {\"rate\": \"3/h\"}}, \"duration\": \"1 h\"}}}," \
    " \"pools\": {\"p\": {\"gpus_per_node\": 8, \"nodes\": {\"min\": 0, \"max\": 3}, \"boot\": \"5 min\","                             \
    "   \"plan\": {\"type\": \"spot\", \"price\": \"prices.csv\", \"availability\": {\"file\": \"nodes.csv\"}}}},"                     \
    " \"failures\": {\"trace\": \"failures.csv\", \"node_mtbf\": \"600 h\"},"                                                          \
    " \"alternatives\": {\"a\": {}, \"b\": {\"scheduler\": {\"policy\": \"sjf\"}}},"                                                   \
    " \"uncertainty\": {\"x\": {\"path\": \"" FIRST "\", " VALUES "},"                                                                 \
    "   \"mtbf\": {\"path\": \"/failures/node_mtbf\", \"uniform\": [\"300 h\", \"900 h\"]}}}"

static struct rr_catalog catalog;

static struct rr_scenario_set *loaded(const char *scenario, struct rr_arena *a)
{
    const struct rr_scenario_options opt = {.seed = -1, .reps = -1};
    struct rr_scenario_set *set = NULL;
    put("s.json", scenario);
    put("prices.csv", "time,price\n0,1.3\n7200,2.9\n");
    put("nodes.csv", "time,nodes\n0,3\n9000,1\n");
    put("failures.csv", "time_s,pool,node,duration_s,cause\n3600,p,1,77,node\n");
    if (rr_catalog_load("data", a, &catalog) != RR_OK) fail_msg("%s", rr_reason());
    if (rr_scenario_load(in_dir("s.json"), &opt, &rr_registry, &catalog, &set) != RR_OK) fail_msg("%s", rr_reason());
    return set;
}

static void samples_take_what_was_read(void **state)
{
    (void)state;
    struct rr_arena *a = rr_arena_create();
    struct rr_scenario_set *set = loaded(SCENARIO("/pools/p/boot", "\"uniform\": [\"1 min\", \"9 min\"]"), a);
    static const char *const files[] = {"prices.csv", "nodes.csv", "failures.csv"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) assert_int_equal(unlink(in_dir(files[i])), 0);
    for (uint32_t r = 0; r < 4; r++)
        for (size_t v = 0; v < set->n_variants; v++) {
            struct rr_sample s = {0};
            if (rr_sample_make(set, set->variant[v], r, a, &s) != RR_OK) fail_msg("%s", rr_reason());
            assert_ptr_equal(s.scenario->failures->event, set->variant[v]->failures->event);
            assert_string_equal(s.scenario->failures->trace_sha256, set->variant[v]->failures->trace_sha256);
            assert_int_equal(s.scenario->failures->n_events, 1);
            assert_true(s.scenario->failures->node_mtbf_us != set->variant[v]->failures->node_mtbf_us); // and the rest varies
            rr_sample_done(&s);
        }
    rr_scenario_set_free(set);
    rr_arena_free(a);
}

/* A sample whose pools are others reads for itself. */
static void other_pools_are_checked_anew(void **state)
{
    (void)state;
    struct rr_arena *a = rr_arena_create();
    struct rr_scenario_set *set = loaded(SCENARIO("/pools/p/nodes/max", "\"choice\": {\"3\": 0.5, \"8\": 0.5}"), a);
    bool read_again = false;
    for (uint32_t r = 0; r < 8; r++) {
        struct rr_sample s = {0};
        if (rr_sample_make(set, set->variant[0], r, a, &s) != RR_OK) fail_msg("%s", rr_reason());
        const bool same = s.scenario->pool[0].nodes_max == set->variant[0]->pool[0].nodes_max;
        assert_true(same == (s.scenario->failures->event == set->variant[0]->failures->event));
        read_again |= !same;
        rr_sample_done(&s);
    }
    assert_true(read_again);
    rr_scenario_set_free(set);
    rr_arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(samples_take_what_was_read), cmocka_unit_test(other_pools_are_checked_anew)};
    return cmocka_run_group_tests(tests, test_dir_make, test_dir_remove);
}
