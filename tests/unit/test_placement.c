/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_placement.c - each placement on fleets made by hand, and fgd against its definition in doubles on random ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "sim/engine/engine.h"
#include "sim/policy/placement.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_JOBS  400
#define MOST_NODES 64

// --- a fleet with a placement ---

static struct rr_trace trace;
static int64_t submit_us[MOST_JOBS], run_us[MOST_JOBS];
static int32_t gpus_milli[MOST_JOBS], cpus_milli[MOST_JOBS], nodes_of[MOST_JOBS];
static struct rr_node_shape shape[MOST_NODES];
static struct rr_pool from;
static struct rr_fleet_pool fleet;
static struct rr_asks asks;
static struct rr_placing placing;
static const struct rr_placement *rule;

static uint32_t job(int32_t milli, int32_t cpus)
{
    const uint32_t j = (uint32_t)trace.n++;
    submit_us[j] = j;
    run_us[j] = RR_H;
    gpus_milli[j] = milli;
    cpus_milli[j] = cpus;
    return j;
}

static void begin(void)
{
    memset(nodes_of, 0, sizeof nodes_of);
    trace =
        (struct rr_trace){.submit_us = submit_us, .run_us = run_us, .gpus_milli = gpus_milli, .cpus_milli = cpus_milli, .nodes = nodes_of};
    from = (struct rr_pool){.name = "p", .pointer = "/pools/p", .shape = shape, .gpu = ""};
}

static void node(int32_t gpus, int32_t cpus)
{
    shape[from.n_shapes++] = (struct rr_node_shape){.gpus = gpus, .cpus_milli = cpus, .gpu = "", .name = ""};
    from.nodes_min = from.nodes_max = (int64_t)from.n_shapes;
}

static void place_by(const char *name, const void *params)
{
    rule = (const struct rr_placement *)(const void *)rr_kind_find(rr_placements, name);
    assert_non_null(rule);
    struct rr_demand d = {0};
    for (size_t i = 0; i < trace.n; i++) {
        d.shares |= gpus_milli[i] % 1000 != 0;
        d.cpus |= cpus_milli[i] > 0;
    }
    if (rr_fleet_init(&fleet, &from, &trace, d, rule) != RR_OK) fail_msg("%s", rr_reason());
    rr_fleet_grow(&fleet, (uint32_t)from.n_shapes);
    for (uint32_t i = 0; i < from.n_shapes; i++) rr_fleet_ready(&fleet, i);
    rr_asks_init(&asks, &trace, &from, &fleet, 1);
    placing = (struct rr_placing){.seed = 7, .trace = &trace, .asks = &asks, .params = params};
    placing.state = memset(rr_xrealloc(NULL, rule->state_size + 1, 1), 0, rule->state_size + 1);
    fleet.placing = &placing;
    if (rule->init) rule->init(&placing);
}

static void end(void)
{
    if (rule->done) rule->done(placing.state);
    free(placing.state);
    rr_asks_done(&asks);
    rr_fleet_done(&fleet);
}

static const struct rr_need *need(uint32_t j) { return rr_need_of(&asks, rr_ask_of(&asks, j), 0); }
static uint32_t choose(uint32_t j) { return rr_fleet_choose(&fleet, &(struct rr_seek){.need = need(j), .job = j}); }

// Take room on one node, whatever the placement would say: `milli` GPUs and `cpus`.
static void hold(uint32_t n, int32_t milli, int32_t cpus)
{
    const struct rr_need x = {.nodes = 1, .milli = milli, .whole = milli / 1000, .part = milli < 1000 ? milli : 0, .cpus_milli = cpus};
    uint64_t devices;
    fleet.chosen_devices = 0;
    rr_fleet_take(&fleet, n, &x, &devices);
}

static uint64_t take(uint32_t j, uint32_t n)
{
    uint64_t devices;
    rr_fleet_take(&fleet, n, need(j), &devices);
    return devices;
}

// --- random ---

static void random_is_even_over_nodes_and_devices(void **state)
{
    (void)state;
    begin();
    for (int i = 0; i < 300; i++) job(i % 2 ? 400 : 1000, 0);
    for (int i = 0; i < 5; i++) node(2, 0);
    place_by("random", NULL);
    hold(1, 2000, 0); // full
    hold(3, 500, 0);  // device 0 has 500 left
    int by_node[5] = {0}, by_device[2] = {0}, same = 0;
    for (uint32_t r = 0; r < 40; r++) {
        placing.replication = r;
        for (uint32_t j = 0; j < trace.n; j++) {
            const uint32_t n = choose(j);
            assert_true(n < 5 && n != 1);
            by_node[n]++;
            if (n == 3 && gpus_milli[j] == 400) by_device[__builtin_ctzll(fleet.chosen_devices)]++;
            same += choose(j) == n;
        }
    }
    assert_int_equal(same, 12000); // a job's draw is its own
    for (int n = 0; n < 5; n++)
        if (n != 1) assert_in_range(by_node[n], 3000 - 190, 3000 + 190); // 4 standard deviations
    assert_in_range(by_device[0], by_device[1] - 155, by_device[1] + 155);
    end();
}

static void random_takes_any_nodes_for_a_gang(void **state)
{
    (void)state;
    begin();
    for (int i = 0; i < 200; i++) job(6000, 0); // 3 nodes of 2
    for (int i = 0; i < 6; i++) node(2, 0);
    place_by("random", NULL);
    hold(2, 1000, 0);
    int by_node[6] = {0};
    for (uint32_t j = 0; j < 200; j++) {
        const uint32_t first = choose(j);
        take(j, first);
        int n = 0;
        for (uint32_t d = first; d != RR_NO_NODE; d = fleet.node[d].next, n++) by_node[d]++;
        assert_int_equal(n, 3);
        rr_fleet_give(&fleet, first, need(j), 0);
    }
    assert_int_equal(by_node[2], 0);
    for (int n = 0; n < 6; n++)
        if (n != 2) assert_in_range(by_node[n], 92, 148); // 3 of 5 in 200: mean 120, sd 6.9
    end();
}

// --- best_fit ---

static void best_fit_counts_cpus_and_gpus(void **state)
{
    (void)state;
    begin();
    const uint32_t j = job(1000, 8000);
    node(8, 128000); // left over: 120 of 128 CPUs, 7 of 8 GPUs: 90.6 -> 91 hundredths
    node(4, 128000); // 120 and 3: 65.6 -> 66
    node(8, 32000);  // 24 and 7: 53.1 -> 54
    place_by("best_fit", NULL);
    assert_int_equal(choose(j), 2);
    hold(1, 2000, 96000); // now 24 and 1: 15.6 -> 16
    assert_int_equal(choose(j), 1);
    hold(2, 0, 22000); // 2 CPUs and 7 GPUs: 44.5 -> 45
    assert_int_equal(choose(j), 1);
    hold(1, 1000, 22000); // has 10 CPUs, 1 GPU: 2 and 0: 0.8 -> 1
    assert_int_equal(choose(j), 1);
    end();
}

static void best_fit_draws_among_equal_hundredths(void **state)
{
    (void)state;
    begin();
    for (int i = 0; i < 200; i++) job(500, 1000);
    node(1, 64000); // 63.0 CPUs, 0.5 GPU: 27.73 -> 28
    node(1, 63900); // 62.9: 27.70 -> 28
    node(1, 66500); // 65.5: 28.71 -> 29
    place_by("best_fit", NULL);
    int by_node[3] = {0};
    for (uint32_t j = 0; j < 200; j++) by_node[choose(j)]++;
    assert_int_equal(by_node[2], 0);
    assert_in_range(by_node[0], 72, 128); // sd 7.1
    end();
}

// --- fgd ---

struct grain {
    uint64_t given;
    double gpus;
};

static void fgd_keeps_what_the_usual_job_needs(void **state)
{
    (void)state;
    begin();
    const struct grain exact = {0, 0};
    for (int i = 0; i < 9; i++) job(2000, 0); // pairs are usual
    const uint32_t one = job(1000, 0), half = job(500, 0);
    node(4, 0);
    node(3, 0);
    node(2, 0);
    place_by("fgd", &exact);
    hold(0, 2000, 0); // 2, 3, 2 free: from 3 to 2 spoils nothing, from 2 to 1 what is left
    assert_int_equal(choose(one), 1);
    hold(1, 1000, 0); // 2, 2, 2 free
    hold(2, 1000, 0); // 2, 2, 1 free: the single one is lost to pairs already
    assert_int_equal(choose(one), 2);
    assert_int_equal(choose(half), 2);
    end();
}

// The definition, in doubles, on what the fleet says of a node.
static double spoilt(const uint16_t *device, int gpus, int32_t cpus, uint32_t j)
{
    const int milli = gpus_milli[j] < 1000 ? gpus_milli[j] : 1000, want = gpus_milli[j] < 1000 ? 1 : gpus_milli[j] / 1000;
    double total = 0, small = 0;
    int fit = 0;
    for (int d = 0; d < gpus; d++) {
        total += device[d];
        if (device[d] < milli)
            small += device[d];
        else
            fit++;
    }
    return gpus_milli[j] == 0 || fit < want || cpus < cpus_milli[j] ? total : small;
}

static double fragments(const uint16_t *device, int gpus, int32_t cpus, size_t n)
{
    double sum = 0;
    for (uint32_t j = 0; j < n; j++) sum += spoilt(device, gpus, cpus, j);
    return sum;
}

// Least growth over the devices that the job may take.
static double growth(uint32_t node_id, uint32_t j, size_t n)
{
    const int gpus = fleet.kind.at[fleet.kind_of ? fleet.kind_of[node_id] : 0].gpus;
    const int32_t cpus = fleet.group.at[fleet.node[node_id].group].room.cpus_milli;
    uint16_t device[64];
    memcpy(device, fleet.device + (size_t)node_id * (size_t)fleet.max_gpus, sizeof *device * (size_t)gpus);
    const double before = fragments(device, gpus, cpus, n);
    const int32_t left = cpus - cpus_milli[j], part = gpus_milli[j] % 1000;
    double best = HUGE_VAL;
    for (int d = 0; part && d < gpus; d++) {
        if (device[d] < part) continue;
        device[d] = (uint16_t)(device[d] - part);
        best = fmin(best, fragments(device, gpus, left, n));
        device[d] = (uint16_t)(device[d] + part);
    }
    for (int d = 0, k = gpus_milli[j] / 1000; !part && d < gpus && k > 0; d++)
        if (device[d] == 1000) {
            device[d] = 0;
            k--;
        }
    return (part ? best : fragments(device, gpus, left, n)) - before;
}

// All requests are alike often, so that all are typical.
static void fgd_is_its_definition(void **state)
{
    (void)state;
    const struct grain exact = {0, 0};
    struct rr_rng g;
    rr_rng_init(&g, 3, 0, RR_RNG_TEST, 3);
    for (int world = 0; world < 12; world++) {
        begin();
        for (int i = 0; i < 12; i++) {
            static const int32_t milli[] = {0, 250, 460, 500, 810, 1000, 1000, 2000, 4000};
            const int32_t m = milli[rr_rng_below(&g, 9)], c = (int32_t)rr_rng_below(&g, 5) * 3000;
            job(m, c);
            job(m, c);
        }
        const size_t kinds = trace.n;
        for (int i = 0; i < 10; i++) node(1 + (int32_t)rr_rng_below(&g, 8), 16000 + 8000 * (int32_t)rr_rng_below(&g, 6));
        for (int i = 0; i < 150; i++) { // copies of all, so that the mix stays as it is
            const uint32_t like = (uint32_t)(i % (int)kinds);
            job(gpus_milli[like], cpus_milli[like]);
        }
        while (trace.n % kinds) {
            const uint32_t like = (uint32_t)(trace.n % kinds);
            job(gpus_milli[like], cpus_milli[like]);
        }
        place_by("fgd", &exact);
        for (uint32_t j = 0; j < trace.n; j++) {
            const uint32_t n = choose(j);
            double least = HUGE_VAL;
            uint32_t first = RR_NO_NODE;
            for (uint32_t k = 0; k < from.n_shapes; k++) {
                if (!fleet.device || !rr_room_fits(&fleet, &fleet.group.at[fleet.node[k].group].room, need(j)) || !need(j)->nodes) continue;
                const double x = growth(k, j, kinds);
                if (x < least) {
                    least = x;
                    first = k;
                }
            }
            if (fleet.device) assert_int_equal(n, first);
            if (n == RR_NO_NODE) continue;
            const uint64_t devices = take(j, n);
            assert_int_equal(__builtin_popcountll(devices), fleet.device ? (gpus_milli[j] + 999) / 1000 : 0);
        }
        end();
    }
}

// --- locality ---

static void expect_chain(uint32_t j, const char *want)
{
    char is[100] = "";
    const uint32_t first = choose(j);
    if (first == RR_NO_NODE) {
        assert_string_equal("", want);
        return;
    }
    take(j, first);
    bool on[MOST_NODES] = {false};
    for (uint32_t d = first; d != RR_NO_NODE; d = fleet.node[d].next) on[d] = true;
    for (uint32_t d = 0; d < from.n_shapes; d++)
        if (on[d]) snprintf(is + strlen(is), sizeof is - strlen(is), "%s%u", *is ? " " : "", d);
    assert_string_equal(is, want);
}

static void racks(void) // three racks of two switches of three nodes of one GPU
{
    begin();
    from.nodes_per_switch = 3;
    from.nodes_per_rack = 6;
    for (int i = 0; i < 18; i++) node(1, 0);
}

static void locality_fills_the_tightest_switch(void **state)
{
    (void)state;
    racks();
    const uint32_t two = job(2000, 0), three = job(3000, 0), four = job(4000, 0), one = job(1000, 0);
    place_by("locality", NULL);
    hold(1, 1000, 0); // switch 0 has nodes 0 and 2
    expect_chain(two, "0 2");
    expect_chain(three, "3 4 5");      // rack 0 has one full switch left and nothing else
    expect_chain(four, "6 7 8 9");     // a rack of two free switches
    assert_int_equal(choose(one), 10); // two free nodes beside it, the other switches have three
    end();
}

static void locality_spans_racks_when_it_must(void **state)
{
    (void)state;
    racks();
    const uint32_t seven = job(7000, 0), eight = job(8000, 0), two = job(2000, 0);
    place_by("locality", NULL);
    for (uint32_t n = 0; n < 5; n++) hold(n, 1000, 0); // rack 0 has node 5 alone
    hold(6, 1000, 0);                                  // rack 1 has five
    expect_chain(seven, "5 12 13 14 15 16 17");        // all of rack 2, and the tightest place for one more
    expect_chain(two, "7 8");                          // switch 2 has just two
    expect_chain(eight, "");
    end();
}

static void locality_without_a_topology_is_by_id(void **state)
{
    (void)state;
    begin();
    const uint32_t three = job(6000, 0), one = job(1000, 0);
    for (int i = 0; i < 5; i++) node(2, 0);
    place_by("locality", NULL);
    hold(1, 1000, 0);
    assert_int_equal(choose(one), 1); // as pack
    expect_chain(three, "0 2 3");
    end();
}

static void reach(void **state)
{
    (void)state;
    racks();
    job(1000, 0);
    place_by("pack", NULL);
    assert_int_equal(rr_fleet_between(&fleet, 4, 4), RR_REACH_NODE);
    assert_int_equal(rr_fleet_between(&fleet, 3, 5), RR_REACH_SWITCH);
    assert_int_equal(rr_fleet_between(&fleet, 2, 3), RR_REACH_RACK);
    assert_int_equal(rr_fleet_between(&fleet, 5, 6), RR_REACH_POOL);
    fleet.per_rack = 0;
    assert_int_equal(rr_fleet_between(&fleet, 5, 6), RR_REACH_RACK);
    fleet.per_switch = 0;
    assert_int_equal(rr_fleet_between(&fleet, 5, 6), RR_REACH_SWITCH);
    end();
}

// --- all of them ---

static const struct rr_kind *kind(struct rr_kinds k, size_t i) { return k.at[i]; }

static void same_bytes(const struct rr_replay *a, const struct rr_replay *b)
{
    for (size_t i = 0; i < a->n_jobs; i++) {
        assert_int_equal(a->outcome[i].start_us, b->outcome[i].start_us);
        assert_int_equal(a->outcome[i].node, b->outcome[i].node);
    }
}

// Random worlds under both policies: the laws hold, every job comes to its end, and a second run is the same.
static void every_placement_keeps_the_laws(void **state)
{
    (void)state;
    struct rr_rng g;
    rr_rng_init(&g, 11, 0, RR_RNG_TEST, 5);
    for (int world = 0; world < 10; world++) {
        begin();
        for (int i = 0; i < 4; i++) node(1 + (int32_t)rr_rng_below(&g, 4), world % 2 ? 16000 : 0);
        for (int i = 0; i < 8; i++) node(4, world % 2 ? 16000 : 0);
        from.nodes_per_switch = 2;
        from.nodes_per_rack = 4;
        for (int i = 0; i < 150; i++) {
            static const int32_t milli[] = {0, 300, 500, 700, 1000, 1000, 2000, 4000, 8000, 12000};
            const uint32_t j = job(milli[rr_rng_below(&g, 10)], (int32_t)rr_rng_below(&g, 4) * 1000);
            if (world % 3 == 0 && gpus_milli[j] % 1000) gpus_milli[j] = 1000;
            submit_us[j] = (int64_t)i * RR_MIN;
            run_us[j] = (int64_t)rr_rng_below(&g, 60) * RR_MIN;
        }
        for (size_t p = 0; p < rr_placements.n; p++)
            for (size_t q = 0; q < 2; q++) {
                struct rr_scenario sc = {
                    .pool = &from,
                    .n_pools = 1,
                    .seed = 5,
                    .scheduler = {.policy = rr_kind_find(rr_policies, q ? "easy_backfill" : "fifo"), .placement = kind(rr_placements, p)}};
                const struct rr_world w = {.scenario = &sc, .trace = &trace, .horizon_us = RR_NEVER, .timeline_bins = 10};
                struct rr_replay r, again;
                if (rr_engine_run(&w, &r) != RR_OK || rr_engine_run(&w, &again) != RR_OK) fail_msg("%s", rr_reason());
                if (rr_replay_check_jobs(&w, &r, NULL) != RR_OK || rr_replay_check_time(&w, &r, NULL) != RR_OK)
                    fail_msg("%s: %s", kind(rr_placements, p)->name, rr_reason());
                for (size_t i = 0; i < r.n_jobs; i++) assert_int_equal(r.outcome[i].state, RR_JOB_FINISHED);
                same_bytes(&r, &again);
                rr_replay_done(&r);
                rr_replay_done(&again);
            }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_is_even_over_nodes_and_devices), cmocka_unit_test(random_takes_any_nodes_for_a_gang),
        cmocka_unit_test(best_fit_counts_cpus_and_gpus),         cmocka_unit_test(best_fit_draws_among_equal_hundredths),
        cmocka_unit_test(fgd_keeps_what_the_usual_job_needs),    cmocka_unit_test(fgd_is_its_definition),
        cmocka_unit_test(locality_fills_the_tightest_switch),    cmocka_unit_test(locality_spans_racks_when_it_must),
        cmocka_unit_test(locality_without_a_topology_is_by_id),  cmocka_unit_test(reach),
        cmocka_unit_test(every_placement_keeps_the_laws)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
