/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_fleet.c - where jobs are placed: packing, shared devices, CPUs and memory, many nodes, types, what can never fit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "data/base/rng.h"
#include "sim/engine/asks.h"
#include "sim/policy/placement.h"
#include <string.h>

#define MOST 64
static int32_t gpus_milli[MOST], nodes[MOST], cpus_milli[MOST], memory_mib[MOST];
static uint64_t gpu_types[MOST];
static const char *const type_names[] = {"a100-80gb-sxm", "h100-80gb-sxm", "v100-32gb-sxm"};
static struct rr_trace trace = {.gpus_milli = gpus_milli,
                                .nodes = nodes,
                                .cpus_milli = cpus_milli,
                                .memory_mib = memory_mib,
                                .gpu_types = gpu_types,
                                .gpu_type_name = type_names,
                                .n_gpu_types = 3};

struct fixture {
    struct rr_fleet_pool fleet;
    struct rr_asks asks;
    struct rr_pool pool;
};

static void up(struct fixture *f, const struct rr_node_shape *shape, size_t n_shapes, int64_t n, struct rr_demand d,
               const struct rr_placement *p)
{
    *f = (struct fixture){
        .pool = {.name = "p", .pointer = "/pools/p", .shape = shape, .n_shapes = n_shapes, .nodes_min = n, .nodes_max = n, .gpu = ""}};
    memset(gpus_milli, 0, sizeof gpus_milli);
    memset(nodes, 0, sizeof nodes);
    memset(cpus_milli, 0, sizeof cpus_milli);
    memset(memory_mib, 0, sizeof memory_mib);
    memset(gpu_types, 0, sizeof gpu_types);
    assert_int_equal(rr_fleet_init(&f->fleet, &f->pool, &trace, d, p), RR_OK);
    rr_fleet_grow(&f->fleet, (uint32_t)n);
    for (uint32_t i = 0; i < (uint32_t)n; i++) rr_fleet_ready(&f->fleet, i);
    rr_asks_init(&f->asks, &trace, &f->pool, &f->fleet, 1);
}

static void down(struct fixture *f)
{
    rr_asks_done(&f->asks);
    rr_fleet_done(&f->fleet);
}

static const struct rr_need *need(struct fixture *f, uint32_t job) { return rr_need_of(&f->asks, rr_ask_of(&f->asks, job), 0); }
static enum rr_reason why(struct fixture *f, uint32_t job)
{
    const uint32_t ask = rr_ask_of(&f->asks, job);
    return f->asks.ask.at[ask].why;
}

// Place job i; the node that it got, or RR_NO_NODE.
static uint32_t put(struct fixture *f, uint32_t job, uint64_t *devices)
{
    const struct rr_need *n = need(f, job);
    const uint32_t node = rr_fleet_find(&f->fleet, n);
    if (node != RR_NO_NODE) rr_fleet_take(&f->fleet, node, n, devices);
    return node;
}

static void three_placements(void **state)
{
    (void)state;
    static const struct rr_node_shape shape = {.gpus = 8, .gpu = "", .name = ""};
    static const struct {
        const struct rr_placement *p;
        uint32_t node[4]; // of jobs of 3, 5, 2 and 3 GPUs on three nodes
    } cases[] = {{&rr_placement_pack, {0, 0, 1, 1}}, {&rr_placement_spread, {0, 1, 2, 2}}, {&rr_placement_first_fit, {0, 0, 1, 1}}};
    for (size_t k = 0; k < 3; k++) {
        struct fixture f;
        uint64_t d;
        up(&f, &shape, 1, 3, (struct rr_demand){0}, cases[k].p);
        static const int32_t g[] = {3, 5, 2, 3};
        for (uint32_t i = 0; i < 4; i++) {
            gpus_milli[i] = g[i] * 1000;
            assert_int_equal(put(&f, i, &d), cases[k].node[i]);
        }
        assert_int_equal(f.fleet.free_milli, 11000);
        down(&f);
    }
}

static void pack_takes_the_fullest_and_first_fit_the_lowest(void **state)
{
    (void)state;
    static const struct rr_node_shape shape = {.gpus = 8, .gpu = "", .name = ""};
    static const struct rr_placement *const p[] = {&rr_placement_pack, &rr_placement_first_fit, &rr_placement_spread};
    static const uint32_t node[] = {1, 0, 2};
    for (size_t k = 0; k < 3; k++) {
        struct fixture f;
        uint64_t d;
        up(&f, &shape, 1, 3, (struct rr_demand){0}, p[k]);
        gpus_milli[0] = 4000;
        gpus_milli[1] = 6000;
        gpus_milli[2] = 2000;
        rr_fleet_take(&f.fleet, 0, need(&f, 0), &d); // free: 4, 2, 8
        rr_fleet_take(&f.fleet, 1, need(&f, 1), &d);
        assert_int_equal(put(&f, 2, &d), node[k]);
        down(&f);
    }
}

static void several_nodes_are_held_whole(void **state)
{
    (void)state;
    static const struct rr_node_shape shape = {.gpus = 8, .gpu = "", .name = ""};
    struct fixture f;
    uint64_t d;
    up(&f, &shape, 1, 4, (struct rr_demand){0}, &rr_placement_pack);
    gpus_milli[0] = 1000;
    gpus_milli[1] = 19000; // 3 nodes: 7 + 6 + 6
    gpus_milli[2] = 1000;
    gpus_milli[3] = 25000;
    assert_int_equal(need(&f, 1)->nodes, 3);
    assert_int_equal(rr_need_whole(need(&f, 1), 0), 7);
    assert_int_equal(rr_need_whole(need(&f, 1), 1), 6);
    assert_int_equal(rr_need_whole(need(&f, 1), 2), 6);
    assert_int_equal(put(&f, 0, &d), 0);
    assert_int_equal(put(&f, 3, &d), RR_NO_NODE); // needs 4 wholly free ones
    assert_int_equal(put(&f, 1, &d), 1);
    assert_int_equal(f.fleet.node[1].next, 2);
    assert_int_equal(f.fleet.node[2].next, 3);
    assert_int_equal(f.fleet.node[3].next, RR_NO_NODE);
    assert_int_equal(f.fleet.free_milli, 12000); // 32 - 1 - 19: what the job does not use is idle, though nobody gets it
    assert_int_equal(put(&f, 2, &d), 0);
    rr_fleet_give(&f.fleet, 1, need(&f, 1), 0);
    assert_int_equal(rr_fleet_count_empty(&f.fleet, need(&f, 1)), 3);
    down(&f);
}

static void shares_of_devices(void **state)
{
    (void)state;
    static const struct rr_node_shape shape = {.gpus = 2, .gpu = "", .name = ""};
    struct fixture f;
    uint64_t d0, d1, d2, d3, d4;
    up(&f, &shape, 1, 1, (struct rr_demand){.shares = true}, &rr_placement_pack);
    static const int32_t g[] = {460, 600, 540, 1000, 400};
    memcpy(gpus_milli, g, sizeof g);
    assert_int_equal(put(&f, 0, &d0), 0);
    assert_int_equal(d0, 1);
    assert_int_equal(put(&f, 1, &d1), 0); // 600 does not fit beside 460
    assert_int_equal(d1, 2);
    assert_int_equal(put(&f, 3, &d3), RR_NO_NODE); // 940 free, but no whole device
    assert_int_equal(put(&f, 2, &d2), 0);
    assert_int_equal(d2, 1);
    assert_int_equal(put(&f, 4, &d4), 0);
    assert_int_equal(d4, 2);
    assert_int_equal(f.fleet.free_milli, 0);
    rr_fleet_give(&f.fleet, 0, need(&f, 0), d0);
    rr_fleet_give(&f.fleet, 0, need(&f, 2), d2);
    assert_int_equal(put(&f, 3, &d3), 0);
    assert_int_equal(d3, 1);
    down(&f);
}

static void processors_and_memory(void **state)
{
    (void)state;
    static const struct rr_node_shape shape[] = {{.gpus = 0, .cpus_milli = 32000, .memory_mib = 262144, .gpu = "", .name = ""},
                                                 {.gpus = 8, .cpus_milli = 64000, .memory_mib = 524288, .gpu = "", .name = ""},
                                                 {.gpus = 4, .cpus_milli = 0, .memory_mib = 0, .gpu = "", .name = ""}}; // not counted
    struct fixture f;
    uint64_t d;
    up(&f, shape, 3, 3, (struct rr_demand){.cpus = true, .memory = true}, &rr_placement_pack);
    cpus_milli[0] = 20000; // CPU-only: to the node without GPUs
    cpus_milli[1] = 20000; // the next does not fit beside it and goes where CPUs are not counted: fewer GPUs are free there
    gpus_milli[2] = 5000;  // only node 1 has five
    cpus_milli[2] = 50000;
    gpus_milli[3] = 1000; // fits by GPUs on node 1, not by CPUs: node 2
    cpus_milli[3] = 15000;
    memory_mib[4] = 262145; // CPU-only with more memory than node 0 has
    assert_int_equal(put(&f, 0, &d), 0);
    assert_int_equal(put(&f, 1, &d), 2);
    assert_int_equal(put(&f, 2, &d), 1);
    assert_int_equal(put(&f, 3, &d), 2);
    assert_int_equal(put(&f, 4, &d), 1); // 3 GPUs free on each: the lower id
    down(&f);
}

static void types_of_gpus(void **state)
{
    (void)state;
    static const struct rr_node_shape shape[] = {{.gpus = 8, .gpu = "a100-80gb-sxm", .name = ""},
                                                 {.gpus = 4, .gpu = "h100-80gb-sxm", .name = ""}};
    struct fixture f;
    uint64_t d;
    up(&f, shape, 2, 2, (struct rr_demand){0}, &rr_placement_pack);
    for (int i = 0; i < 4; i++) gpus_milli[i] = 1000;
    gpu_types[1] = 1;     // a100
    gpu_types[2] = 1 | 2; // either
    gpu_types[3] = 4;     // v100: nobody has it
    assert_int_equal(put(&f, 0, &d), 1);
    assert_int_equal(put(&f, 1, &d), 0);
    assert_int_equal(put(&f, 2, &d), 1);
    assert_int_equal(why(&f, 3), RR_WHY_NO_GPU_TYPE);
    gpus_milli[4] = 5000;
    gpu_types[4] = 2; // five H100 would take two such nodes: there is one
    assert_int_equal(why(&f, 4), RR_WHY_TOO_LARGE);
    down(&f);
}

// The trace's word for a GPU is another name of it, or stands for a family of which it is one.
static void types_by_other_names(void **state)
{
    (void)state;
    static const struct rr_gpu small = {.id = "a100-40gb-sxm", .aliases = "A100-SXM4-40GB|gold"},
                               large = {.id = "a100-80gb-sxm", .aliases = ""};
    static const struct rr_node_shape shape[] = {{.gpus = 8, .gpu = "a100-40gb-sxm", .name = "", .known = &small},
                                                 {.gpus = 8, .gpu = "a100-80gb-sxm", .name = "", .known = &large}};
    static const struct {
        const char *word;
        uint64_t here; // bit i: node i may run it
    } c[] = {{"a100-40gb-sxm", 1}, {"A100-40GB-SXM", 1}, {"GOLD", 1}, {"a100", 3}, {"A100-80GB", 2}, {"a10", 0}, {"a100-", 0}, {"", 0}};
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        const struct rr_trace one = {.n_gpu_types = 1, .gpu_type_name = &c[i].word};
        struct rr_fleet_pool p;
        const struct rr_pool from = {.name = "p", .pointer = "/pools/p", .shape = shape, .n_shapes = 2, .nodes_min = 2, .nodes_max = 2};
        assert_int_equal(rr_fleet_init(&p, &from, &one, (struct rr_demand){.speeds = true}, &rr_placement_pack), RR_OK);
        assert_int_equal(p.kind.n, 2);
        assert_int_equal(p.kind.at[0].gpu_types | p.kind.at[1].gpu_types << 1, c[i].here);
        rr_fleet_done(&p);
    }
}

static void what_can_never_fit(void **state)
{
    (void)state;
    static const struct rr_node_shape shape[] = {{.gpus = 8, .cpus_milli = 16000, .memory_mib = 1024, .gpu = "", .name = ""},
                                                 {.gpus = 1, .cpus_milli = 64000, .memory_mib = 8192, .gpu = "", .name = ""}};
    struct fixture f;
    up(&f, shape, 2, 2, (struct rr_demand){.cpus = true, .memory = true, .shares = true}, &rr_placement_pack);
    gpus_milli[0] = 17000; // three nodes of 8, there is one
    gpus_milli[1] = 1000;
    cpus_milli[1] = 64001;
    gpus_milli[2] = 1000;
    memory_mib[2] = 8193;
    gpus_milli[3] = 2000; // two GPUs and 20 CPUs: each somewhere, never together
    cpus_milli[3] = 20000;
    gpus_milli[4] = 1500; // neither a share of one device nor whole devices
    gpus_milli[5] = 8000; // fits
    cpus_milli[5] = 16000;
    static const enum rr_reason reason[] = {RR_WHY_TOO_LARGE, RR_WHY_NO_CPU,    RR_WHY_NO_MEMORY,
                                            RR_WHY_NO_DEVICE, RR_WHY_NO_DEVICE, RR_WHY_NONE};
    for (uint32_t i = 0; i < 6; i++) assert_int_equal(why(&f, i), reason[i]);
    down(&f);
}

// Take and give at random: groups, rooms and free devices stay those of a plain count.
static void books_stay_true(void **state)
{
    (void)state;
    enum { JOBS = 40 };
    static const struct rr_node_shape shape[] = {{.gpus = 8, .cpus_milli = 48000, .memory_mib = 4096, .gpu = "", .name = ""},
                                                 {.gpus = 2, .cpus_milli = 16000, .memory_mib = 9999, .gpu = "", .name = ""},
                                                 {.gpus = 8, .cpus_milli = 48000, .memory_mib = 4096, .gpu = "", .name = ""},
                                                 {.gpus = 8, .cpus_milli = 48000, .memory_mib = 4096, .gpu = "", .name = ""}};
    struct fixture f;
    struct rr_rng r;
    up(&f, shape, 4, 4, (struct rr_demand){.cpus = true, .memory = true, .shares = true}, &rr_placement_pack);
    rr_rng_init(&r, 3, 0, RR_RNG_TEST, 0);
    for (uint32_t i = 0; i < JOBS; i++) {
        gpus_milli[i] = i % 3 ? (int32_t)rr_rng_below(&r, 1000) : 1000 * (int32_t)rr_rng_below(&r, 17);
        cpus_milli[i] = (int32_t)rr_rng_below(&r, 9) * 777;
        memory_mib[i] = (int32_t)rr_rng_below(&r, 900);
    }
    uint32_t at[JOBS];
    uint64_t devices[JOBS];
    int64_t used = 0;
    for (uint32_t i = 0; i < JOBS; i++) at[i] = RR_NO_NODE;
    for (int step = 0; step < 20000; step++) {
        const uint32_t i = (uint32_t)rr_rng_below(&r, JOBS);
        if (at[i] == RR_NO_NODE) {
            at[i] = put(&f, i, &devices[i]);
            if (at[i] != RR_NO_NODE) used += gpus_milli[i];
        } else {
            rr_fleet_give(&f.fleet, at[i], need(&f, i), devices[i]);
            at[i] = RR_NO_NODE;
            used -= gpus_milli[i];
        }
        assert_int_equal(f.fleet.free_milli, 26000 - used);
        for (uint32_t n = 0; n < 4; n++) {
            const struct rr_group *g = &f.fleet.group.at[f.fleet.node[n].group];
            assert_true(g->room.cpus_milli >= 0 && g->room.memory_mib >= 0 && g->room.whole >= 0);
            if (f.fleet.node[n].jobs == 0) assert_true(g->empty_nodes);
        }
    }
    assert_true(f.fleet.group.n < 2000); // rooms of the past are forgotten
    down(&f);
}

static void pools_that_cannot_be(void **state)
{
    (void)state;
    static const struct rr_node_shape shape = {.gpus = 65, .gpu = "", .name = ""};
    struct rr_pool pool = {.name = "p", .pointer = "/pools/p", .shape = &shape, .n_shapes = 1, .nodes_min = -1, .nodes_max = -1, .gpu = ""};
    struct rr_fleet_pool p;
    assert_int_equal(rr_fleet_init(&p, &pool, &trace, (struct rr_demand){0}, &rr_placement_pack), RR_EINPUT);
    assert_non_null(strstr(rr_reason(), "/pools/p/nodes: -1 nodes"));
    rr_fleet_done(&p);
    pool.nodes_min = pool.nodes_max = 1;
    assert_int_equal(rr_fleet_init(&p, &pool, &trace, (struct rr_demand){.shares = true}, &rr_placement_pack), RR_EINPUT);
    assert_non_null(strstr(rr_reason(), "65 GPUs"));
    rr_fleet_done(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_placements),      cmocka_unit_test(pack_takes_the_fullest_and_first_fit_the_lowest),
        cmocka_unit_test(shares_of_devices),     cmocka_unit_test(several_nodes_are_held_whole),
        cmocka_unit_test(processors_and_memory), cmocka_unit_test(types_of_gpus),
        cmocka_unit_test(types_by_other_names),  cmocka_unit_test(what_can_never_fit),
        cmocka_unit_test(books_stay_true),       cmocka_unit_test(pools_that_cannot_be)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
