/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/validation/test_openb.c - Alibaba's GPU-sharing trace of 2023 on its own fleet: shared devices, CPUs and memory all count.
 *
 * The counts are facts about the files (openb_pod_list_default.csv, openb_node_list_all_node.csv): 8,152 pods, 897 of them never scheduled,
 * 51,471 GPU-hours of work in the others; 1,523 nodes with 6,212 GPUs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "sim/engine/engine.h"
#include <stdlib.h>
#include <unistd.h>

static struct rr_arena *arena;
static struct rr_notes notes;
static struct rr_trace trace;
static struct rr_fleet_file fleet;

static int load(void **state)
{
    (void)state;
    const char *shared = getenv("RACKRATE_SHARED");
    arena = rr_arena_create();
    notes = (struct rr_notes){.arena = arena};
    const char *dir = rr_strf(arena, "%s/traces/alibaba-gpu-v2023", shared ? shared : "../shared");
    if (access(dir, R_OK)) return 0; // the tests skip
    const struct rr_import_options opt = {.format = "auto", .max_rejected = 0.01};
    enum rr_status st = rr_trace_read(rr_strf(arena, "%s/openb_pod_list_default.csv.gz", dir), &opt, arena, &notes, &trace);
    if (st == RR_OK) st = rr_fleet_read(rr_strf(arena, "%s/openb_node_list_all_node.csv", dir), "auto", arena, &fleet);
    if (st != RR_OK) print_error("%s\n", rr_reason());
    return st;
}

static int unload(void **state)
{
    (void)state;
    rr_trace_done(&trace);
    rr_notes_done(&notes);
    rr_arena_free(arena);
    return 0;
}

static int64_t gpu_hours(rr_i128 milli_us) { return (int64_t)((milli_us + 500 * (rr_i128)RR_H) / (1000 * (rr_i128)RR_H)); } // rounded

static void replay(const char *policy, const char *placement, bool blocking)
{
    struct rr_pool pool = {.name = "openb",
                           .pointer = "/pools/openb",
                           .shape = fleet.node,
                           .n_shapes = fleet.n,
                           .nodes_min = (int64_t)fleet.n,
                           .nodes_max = (int64_t)fleet.n,
                           .gpu = ""};
    struct rr_scenario sc = {.pool = &pool,
                             .n_pools = 1,
                             .scheduler = {.policy = rr_kind_find(rr_policies, policy),
                                           .placement = rr_kind_find(rr_placements, placement),
                                           .blocking = blocking}};
    const struct rr_world w = {.scenario = &sc, .trace = &trace, .horizon_us = 150 * RR_D, .timeline_bins = 2000};
    struct rr_replay r;
    if (rr_engine_run(&w, &r) != RR_OK) fail_msg("%s", rr_reason());
    struct rr_buf b = {0};
    if (rr_replay_check_jobs(&w, &r, &b) != RR_OK) fail_msg("%s", rr_reason());
    rr_buf_puts(&b, "; ");
    if (rr_replay_check_time(&w, &r, &b) != RR_OK) fail_msg("%s", rr_reason());
    print_message("%s %s: %s\n", policy, placement, rr_buf_text(&b));
    rr_buf_done(&b);
    size_t n[RR_JOB_REJECTED + 1] = {0}, never = 0;
    for (size_t i = 0; i < r.n_jobs; i++) {
        n[r.outcome[i].state]++;
        never += r.outcome[i].reason == RR_WHY_NEVER_STARTED;
    }
    assert_int_equal(n[RR_JOB_NOT_SUBMITTED], 0);
    assert_int_equal(n[RR_JOB_REJECTED], 0);
    assert_int_equal(never, 897);
    int64_t gpus = 0;
    for (size_t i = 0; i < r.n_nodes; i++) gpus += r.node_gpus[i];
    assert_int_equal(r.n_nodes, 1523);
    assert_int_equal(gpus, 6212);
    assert_int_equal(gpu_hours(r.pool[0].used), 51471); // every started pod ran to its end
    rr_replay_done(&r);
}

static void counts(void **state)
{
    (void)state;
    if (trace.n == 0) skip();
    rr_i128 work = 0;
    size_t never = 0;
    assert_int_equal(trace.n, 8152);
    for (size_t i = 0; i < trace.n; i++) {
        const uint8_t s = trace.state ? trace.state[i] : RR_TRACE_OK;
        never += s == RR_TRACE_NEVER_STARTED;
        if (s == RR_TRACE_OK || s == RR_TRACE_FAILED) work += (rr_i128)trace.gpus_milli[i] * trace.run_us[i];
    }
    assert_int_equal(never, 897);
    assert_int_equal(gpu_hours(work), 51471);
}

static void fifo_pack(void **state)
{
    (void)state;
    if (trace.n == 0) skip();
    replay("fifo", "pack", true);
}
static void fifo_spread(void **state)
{
    (void)state;
    if (trace.n == 0) skip();
    replay("fifo", "spread", false);
}
static void easy_pack(void **state)
{
    (void)state;
    if (trace.n == 0) skip();
    replay("easy_backfill", "pack", true);
}
static void easy_first_fit(void **state)
{
    (void)state;
    if (trace.n == 0) skip();
    replay("easy_backfill", "first_fit", true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(counts), cmocka_unit_test(fifo_pack), cmocka_unit_test(fifo_spread),
                                       cmocka_unit_test(easy_pack), cmocka_unit_test(easy_first_fit)};
    return cmocka_run_group_tests(tests, load, unload);
}
