/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/law/test_conservative_reference.c - conservative_backfill against its plain definition, on random small worlds of whole nodes.
 *
 * The reference plans every waiting job anew at every event, second by second, without a skyline: free nodes are counted for each second of the future. Each
 * job must start at the same microsecond. Estimates may be wrong, and the depth may be short. In worlds without wrong estimates no job may start
 * later than its first promise. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "data/base/rng.h"
#include "sim/engine/engine.h"
#include <stdlib.h>
#include <string.h>

#define MOST_JOBS 60
#define HORIZON   6000

struct job {
    int64_t submit, run, estimate, start, end, promise; // -1: not yet
    int nodes;
};
struct world {
    int nodes, gpus, jobs, depth;
    bool shortest, exact;
    struct job job[MOST_JOBS];
    int64_t now;
};
struct params {
    uint64_t given;
    int64_t depth;
};

static int used[HORIZON]; // nodes in use or planned, in each second

static void book(int64_t from, int64_t to, int nodes)
{
    for (int64_t t = from; t < to && t < HORIZON; t++) used[t] += nodes;
}

static int order_of(const struct world *w, int *order)
{
    int n = 0;
    for (int i = 0; i < w->jobs; i++)
        if (w->job[i].start < 0 && w->job[i].submit <= w->now) order[n++] = i;
    for (int i = 1; w->shortest && i < n; i++)
        for (int k = i; k > 0 && w->job[order[k]].estimate < w->job[order[k - 1]].estimate; k--) {
            const int x = order[k];
            order[k] = order[k - 1];
            order[k - 1] = x;
        }
    return n;
}

static void pass(struct world *w)
{
    int order[MOST_JOBS], planned = 0, now_used = 0;
    const int n = order_of(w, order);
    memset(used, 0, sizeof used);
    for (int i = 0; i < w->jobs; i++) {
        const struct job *j = &w->job[i];
        if (j->start < 0 || j->end <= w->now) continue;
        book(w->now, j->start + j->estimate, j->nodes); // one that is past its estimate: until now
        now_used += j->nodes;
    }
    for (int i = 0; i < n && planned < w->depth; i++) {
        struct job *j = &w->job[order[i]];
        int64_t at = w->now;
        for (int64_t t = at; t < at + j->estimate; t++)
            if (used[t] + j->nodes > w->nodes) at = t + 1;
        book(at, at + j->estimate, j->nodes);
        if (j->promise < 0) j->promise = at;
        if (at > w->now || now_used + j->nodes > w->nodes) {
            planned++;
            continue;
        }
        now_used += j->nodes;
        j->start = w->now;
        j->end = w->now + j->run;
    }
}

static void reference(struct world *w)
{
    for (w->now = 0; w->now != INT64_MAX;) {
        pass(w);
        int64_t next = INT64_MAX;
        for (int i = 0; i < w->jobs; i++) {
            const struct job *j = &w->job[i];
            if (j->submit > w->now && j->submit < next) next = j->submit;
            if (j->start >= 0 && j->end > w->now && j->end < next) next = j->end;
        }
        w->now = next;
    }
}

static void engine(const struct world *w, struct rr_replay *r)
{
    static int64_t submit[MOST_JOBS], run[MOST_JOBS], estimate[MOST_JOBS];
    static int32_t milli[MOST_JOBS];
    for (int i = 0; i < w->jobs; i++) {
        submit[i] = w->job[i].submit * RR_S;
        run[i] = w->job[i].run * RR_S;
        estimate[i] = w->job[i].estimate * RR_S;
        milli[i] = w->job[i].nodes * w->gpus * 1000;
    }
    struct rr_trace t = {.n = (size_t)w->jobs, .submit_us = submit, .run_us = run, .estimate_us = estimate, .gpus_milli = milli};
    struct rr_node_shape shape = {.gpus = w->gpus, .gpu = "", .name = ""};
    struct rr_pool pool = {
        .name = "own", .pointer = "/pools/own", .shape = &shape, .n_shapes = 1, .nodes_min = w->nodes, .nodes_max = w->nodes, .gpu = ""};
    struct params p = {.depth = w->depth};
    struct rr_scenario sc = {
        .pool = &pool,
        .n_pools = 1,
        .scheduler = {.policy = rr_kind_find(rr_policies, "conservative_backfill"), .policy_params = &p, .order = w->shortest}};
    const struct rr_world world = {.scenario = &sc, .trace = &t, .horizon_us = RR_NEVER};
    if (rr_engine_run(&world, r) != RR_OK) fail_msg("%s", rr_reason());
    if (rr_replay_check_jobs(&world, r, NULL) != RR_OK || rr_replay_check_time(&world, r, NULL) != RR_OK) fail_msg("%s", rr_reason());
}

static int draw(struct rr_rng *g, int n) { return (int)rr_rng_below(g, (uint64_t)n); }

static void make(struct world *w, uint64_t seed)
{
    struct rr_rng g;
    rr_rng_init(&g, seed, 0, RR_RNG_TEST, 5);
    *w = (struct world){.nodes = 1 + draw(&g, 10),
                        .gpus = draw(&g, 2) ? 1 : 8,
                        .jobs = 1 + draw(&g, MOST_JOBS),
                        .depth = draw(&g, 3) ? 500 : 1 + draw(&g, 5),
                        .shortest = draw(&g, 3) == 0,
                        .exact = draw(&g, 2)};
    int64_t at = 0;
    for (int i = 0; i < w->jobs; i++) {
        at += draw(&g, 3) ? draw(&g, 10) : 0;
        struct job *j = &w->job[i];
        *j = (struct job){
            .submit = at, .run = 1 + draw(&g, draw(&g, 4) ? 12 : 60), .start = -1, .promise = -1, .nodes = 1 + draw(&g, w->nodes)};
        j->estimate = w->exact || draw(&g, 2) ? j->run : 1 + draw(&g, 40);
    }
}

static void agrees(void **state)
{
    (void)state;
    static struct world w;
    const int worlds = getenv("RACKRATE_LONG") ? 20000 : 1500;
    for (int seed = 1; seed <= worlds; seed++) {
        make(&w, (uint64_t)seed);
        reference(&w);
        struct rr_replay r;
        engine(&w, &r);
        for (int i = 0; i < w.jobs; i++) {
            const struct job *j = &w.job[i];
            if (r.outcome[i].start_us != j->start * RR_S)
                fail_msg("seed %d (%d nodes, depth %d, shortest %d, exact %d), job %d of %d: start %lld; the definition says %lld", seed,
                         w.nodes, w.depth, w.shortest, w.exact, i, w.jobs, (long long)(r.outcome[i].start_us / RR_S), (long long)j->start);
            if (w.exact && !w.shortest) assert_true(j->start <= j->promise);
        }
        rr_replay_done(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(agrees)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
