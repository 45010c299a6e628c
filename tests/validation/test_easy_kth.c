/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/validation/test_easy_kth.c - EASY backfilling on KTH-SP2 (28,481 jobs, 100 processors) against published results.
 *
 * Published: jad-darrous/predictsim, experiments/data/KTH-SP2/sim_analysis/metrics_complete, of Gaussier et al., "Improving Backfilling by
 * using Machine Learning to predict Running Times", SC'15: mean bounded slowdown, mean flow, maximum flow in seconds. One processor is one
 * one-GPU node, so that the reservation on nodes is EASY's count of processors. Maximum flow must be equal, the means within 1 % (flow)
 * and 3 % (slowdown); they are within 0.02 % and 0.2 %. */
#include "tests/validation/published.h"

#define DIR "/traces/swf/KTH-SP2_filtered_sc15.swf.gz"

struct published {
    const char *what;
    int estimate, order;
    double bsld, mean_flow, max_flow;
};

static struct rr_arena *arena;
static struct rr_trace trace;

static int load(void **state)
{
    (void)state;
    const char *shared = getenv("RACKRATE_SHARED");
    arena = rr_arena_create();
    struct rr_notes notes = {.arena = arena};
    const struct rr_import_options opt = {.format = "swf", .max_rejected = 0.01};
    const char *path = rr_strf(arena, "%s%s", shared ? shared : "../shared", DIR);
    if (access(path, R_OK)) return 0; // the tests skip
    const enum rr_status st = rr_trace_read(path, &opt, arena, &notes, &trace);
    rr_notes_done(&notes);
    if (st != RR_OK) print_error("%s\n", rr_reason());
    return st;
}

static int unload(void **state)
{
    (void)state;
    rr_trace_done(&trace);
    rr_arena_free(arena);
    return 0;
}

static void matches(const struct published *p)
{
    if (trace.n == 0) skip();
    assert_int_equal(trace.n, 28481);
    struct rr_node_shape shape = {.gpus = 1, .gpu = "", .name = ""};
    struct rr_pool pool = {
        .name = "sp2", .pointer = "/pools/sp2", .shape = &shape, .n_shapes = 1, .nodes_min = 100, .nodes_max = 100, .gpu = ""};
    struct rr_scenario sc = {
        .pool = &pool,
        .n_pools = 1,
        .scheduler = {.policy = rr_kind_find(rr_policies, "easy_backfill"), .estimate = p->estimate, .order = p->order, .blocking = true}};
    const struct rr_world w = {.scenario = &sc, .trace = &trace, .horizon_us = RR_NEVER};
    struct rr_replay r;
    assert_int_equal(rr_engine_run(&w, &r), RR_OK);
    double flow = 0, bsld = 0;
    int64_t most = 0;
    for (size_t i = 0; i < r.n_jobs; i++) {
        const int64_t took = r.outcome[i].end_us - trace.submit_us[i];
        const double run = (double)trace.run_us[i] / 1e6, slow = (double)took / 1e6 / (run > 10 ? run : 10);
        flow += (double)took / 1e6;
        bsld += slow > 1 ? slow : 1;
        if (took > most) most = took;
    }
    flow /= (double)r.n_jobs;
    bsld /= (double)r.n_jobs;
    bool good = published_row(rr_strf(arena, "KTH-SP2, %s, mean bounded slowdown", p->what), p->bsld, bsld, 0.03);
    good &= published_row(rr_strf(arena, "KTH-SP2, %s, mean flow (s)", p->what), p->mean_flow, flow, 0.01);
    good &= published_row(rr_strf(arena, "KTH-SP2, %s, maximum flow (s)", p->what), p->max_flow, (double)most / 1e6, 0);
    assert_true(good);
    assert_int_equal(rr_replay_check_jobs(&w, &r, NULL), RR_OK);
    assert_int_equal(rr_replay_check_time(&w, &r, NULL), RR_OK);
    rr_replay_done(&r);
}

static void with_user_estimates(void **state)
{
    (void)state;
    matches(&(struct published){"EASY, user estimate", RR_ESTIMATE_USER, 0, 92.577, 15696.80, 309231});
}
static void clairvoyant(void **state)
{
    (void)state;
    matches(&(struct published){"EASY, real run time", RR_ESTIMATE_EXACT, 0, 71.722, 15187.61, 356843});
}
static void shortest_first(void **state)
{
    (void)state;
    matches(&(struct published){"EASY++ order", RR_ESTIMATE_USER, 1, 69.405, 14764.00, 372238});
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(with_user_estimates), cmocka_unit_test(clairvoyant),
                                       cmocka_unit_test(shortest_first)};
    return cmocka_run_group_tests(tests, load, unload);
}
