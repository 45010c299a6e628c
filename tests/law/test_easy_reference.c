/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/law/test_easy_reference.c - the engine against the plain definition of FIFO and EASY, on random small worlds.
 *
 * The reference looks at every node, every job and every moment afresh and keeps no index. It must start every job at the same microsecond
 * on the same node. Times are small whole seconds, so that ties are common; one job in four may outrun its estimate. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "data/base/rng.h"
#include "sim/engine/engine.h"
#include <stdlib.h>
#include <string.h>

#define MOST_NODES 24
#define MOST_JOBS  160

struct job {
    int64_t submit, run, estimate, start, end; // start -1: has not started
    int gpus, k, first;                        // k nodes
    bool active, holds[MOST_NODES];
};
struct world {
    int nodes, gpus, jobs; // gpus: of a node
    bool easy, shortest, blocking;
    int placement; // 0 pack, 1 spread, 2 first_fit
    struct job job[MOST_JOBS];
    int free[MOST_NODES];
    int64_t now;
};

static int share(const struct world *w, const struct job *j) { return j->k > 1 ? w->gpus : j->gpus; } // of a node, as held
static bool waits(const struct world *w, const struct job *j) { return j->start < 0 && j->submit <= w->now; }
static int64_t expected(const struct world *w, const struct job *j) // a job that outran its estimate: now
{
    return j->start + j->estimate > w->now ? j->start + j->estimate : w->now;
}

// Nodes with room for the head at time t if all lasts as expected.
static int ready_nodes(const struct world *w, const struct job *head, int64_t t)
{
    int count = 0;
    for (int n = 0; n < w->nodes; n++) {
        int free = w->gpus;
        for (int i = 0; i < w->jobs; i++)
            if (w->job[i].holds[n] && expected(w, &w->job[i]) > t) free -= share(w, &w->job[i]);
        count += free >= share(w, head);
    }
    return count;
}

static int64_t promise(const struct world *w, const struct job *head)
{
    int64_t best = INT64_MAX;
    for (int i = 0; i < w->jobs; i++) {
        if (!w->job[i].active) continue;
        const int64_t t = expected(w, &w->job[i]);
        if (t < best && ready_nodes(w, head, t) >= head->k) best = t;
    }
    return best;
}

static void hold(struct world *w, struct job *j, int n, int sign)
{
    w->free[n] -= sign * share(w, j);
    j->holds[n] = sign > 0;
}

static void release(struct world *w, struct job *j)
{
    for (int n = 0; n < w->nodes; n++)
        if (j->holds[n]) hold(w, j, n, -1);
    j->active = false;
}

// The job holds its nodes; it stays there if that does not delay the head.
static bool keep(struct world *w, struct job *j, const struct job *head, int64_t t)
{
    j->start = w->now;
    j->end = w->now + j->run;
    j->active = true;
    if (!head || j->start + j->estimate <= t || ready_nodes(w, head, t) >= head->k) return true;
    release(w, j);
    j->start = -1;
    return false;
}

static bool try_node(struct world *w, struct job *j, int n, const struct job *head, int64_t t)
{
    if (w->free[n] < j->gpus) return false;
    hold(w, j, n, 1);
    j->first = n;
    return keep(w, j, head, t);
}

static bool try_many(struct world *w, struct job *j, const struct job *head, int64_t t)
{
    int got = 0;
    for (int n = 0; n < w->nodes; n++) got += w->free[n] == w->gpus;
    if (got < j->k) return false;
    got = 0;
    for (int n = 0; n < w->nodes && got < j->k; n++) {
        if (w->free[n] != w->gpus) continue;
        if (got++ == 0) j->first = n;
        hold(w, j, n, 1);
    }
    return keep(w, j, head, t);
}

static bool start(struct world *w, struct job *j, const struct job *head, int64_t t)
{
    if (j->k > 1) return try_many(w, j, head, t);
    for (int step = 0; step <= w->gpus; step++) {
        const int f = w->placement == 1 ? w->gpus - step : step;
        for (int n = 0; n < w->nodes; n++)
            if ((w->placement == 2 ? step == 0 : w->free[n] == f) && try_node(w, j, n, head, t)) return true;
    }
    return false;
}

static struct job *next_waiting(struct world *w, const struct job *after, bool shortest)
{
    struct job *best = NULL;
    for (int i = 0; i < w->jobs; i++) {
        struct job *j = &w->job[i];
        if (!waits(w, j)) continue;
        if (after && (shortest ? j->estimate < after->estimate || (j->estimate == after->estimate && j <= after) : j <= after)) continue;
        if (!best || (shortest && j->estimate < best->estimate)) best = j;
    }
    return best;
}

static void pass(struct world *w)
{
    const bool heads_by_length = w->shortest && !w->easy;
    struct job *j = next_waiting(w, NULL, heads_by_length);
    if (!w->easy && !w->blocking) {
        for (; j; j = next_waiting(w, j, heads_by_length)) start(w, j, NULL, 0);
        return;
    }
    while (j && start(w, j, NULL, 0)) j = next_waiting(w, NULL, heads_by_length);
    if (!j || !w->easy) return;
    const struct job *head = j;
    const int64_t t = promise(w, head);
    for (j = next_waiting(w, NULL, w->shortest); j; j = next_waiting(w, j, w->shortest))
        if (j != head) start(w, j, head, t);
}

static void reference(struct world *w)
{
    for (int n = 0; n < w->nodes; n++) w->free[n] = w->gpus;
    for (w->now = 0; w->now != INT64_MAX;) {
        for (int i = 0; i < w->jobs; i++)
            if (w->job[i].active && w->job[i].end <= w->now) release(w, &w->job[i]);
        pass(w);
        int64_t next = INT64_MAX;
        for (int i = 0; i < w->jobs; i++) {
            const struct job *j = &w->job[i];
            if (j->submit > w->now && j->submit < next) next = j->submit;
            if (j->active && j->end < next) next = j->end;
        }
        w->now = next;
    }
}

static const struct rr_kind *kind(struct rr_kinds k, const char *name)
{
    const struct rr_kind *found = rr_kind_find(k, name);
    assert_non_null(found);
    return found;
}

static void engine(const struct world *w, struct rr_replay *r)
{
    static int64_t submit[MOST_JOBS], run[MOST_JOBS], estimate[MOST_JOBS];
    static int32_t milli[MOST_JOBS];
    for (int i = 0; i < w->jobs; i++) {
        submit[i] = w->job[i].submit * RR_S;
        run[i] = w->job[i].run * RR_S;
        estimate[i] = w->job[i].estimate * RR_S;
        milli[i] = w->job[i].gpus * 1000;
    }
    struct rr_trace t = {.n = (size_t)w->jobs, .submit_us = submit, .run_us = run, .estimate_us = estimate, .gpus_milli = milli};
    struct rr_node_shape shape = {.gpus = w->gpus, .gpu = "", .name = ""};
    struct rr_pool pool = {
        .name = "own", .pointer = "/pools/own", .shape = &shape, .n_shapes = 1, .nodes_min = w->nodes, .nodes_max = w->nodes, .gpu = ""};
    static const char *const placement[] = {"pack", "spread", "first_fit"};
    struct rr_scenario sc = {.pool = &pool,
                             .n_pools = 1,
                             .scheduler = {.policy = kind(rr_policies, w->easy ? "easy_backfill" : "fifo"),
                                           .placement = kind(rr_placements, placement[w->placement]),
                                           .order = w->shortest,
                                           .blocking = w->blocking}};
    const struct rr_world world = {.scenario = &sc, .trace = &t, .horizon_us = RR_NEVER};
    assert_int_equal(rr_engine_run(&world, r), RR_OK);
    if (rr_replay_check_jobs(&world, r, NULL) != RR_OK || rr_replay_check_time(&world, r, NULL) != RR_OK) fail_msg("%s", rr_reason());
}

static int draw(struct rr_rng *g, int n) { return (int)rr_rng_below(g, (uint64_t)n); }

static void random_world(struct world *w, int seed, int gpus)
{
    struct rr_rng g;
    rr_rng_init(&g, 77, 0, RR_RNG_TEST, (uint64_t)seed);
    *w = (struct world){.gpus = gpus, .nodes = gpus == 1 ? 5 + draw(&g, 19) : 2 + draw(&g, 6), .jobs = 20 + draw(&g, MOST_JOBS - 20)};
    w->easy = draw(&g, 3) > 0;
    w->shortest = draw(&g, 3) == 0;
    w->blocking = draw(&g, 2);
    w->placement = draw(&g, 3);
    int64_t at = 0;
    const int gap = 1 + draw(&g, 9);
    for (int i = 0; i < w->jobs; i++) {
        struct job *j = &w->job[i];
        at += draw(&g, gap);
        *j = (struct job){.submit = at, .run = draw(&g, 30), .start = -1};
        j->estimate = draw(&g, 4) ? j->run + draw(&g, 20) : draw(&g, 30);
        j->gpus = draw(&g, 3) ? 1 + draw(&g, gpus) : 1 + draw(&g, w->nodes * gpus);
        j->k = (j->gpus + gpus - 1) / gpus;
    }
}

static void compare(const struct world *w, const struct rr_replay *r, int seed)
{
    static const char *const placement[] = {"pack", "spread", "first_fit"};
    for (int i = 0; i < w->jobs; i++)
        if (r->outcome[i].start_us != w->job[i].start * RR_S || r->outcome[i].node != (uint32_t)w->job[i].first)
            fail_msg("seed %d, %d GPUs a node, %s%s%s, %s: job %d starts at %lld s on node %u, by definition at %lld s on node %d", seed,
                     w->gpus, w->easy ? "easy" : "fifo", w->shortest ? " shortest" : "", w->blocking ? " blocking" : "",
                     placement[w->placement], i, (long long)(r->outcome[i].start_us / RR_S), r->outcome[i].node, (long long)w->job[i].start,
                     w->job[i].first);
}

static void agree(int gpus, int worlds)
{
    struct world *w = malloc(sizeof *w);
    assert_non_null(w);
    for (int seed = 0; seed < worlds; seed++) {
        struct rr_replay r;
        random_world(w, seed, gpus);
        engine(w, &r);
        reference(w);
        compare(w, &r, seed);
        rr_replay_done(&r);
    }
    free(w);
}

static void one_gpu_nodes(void **state)
{
    (void)state;
    agree(1, 300);
}
static void four_gpu_nodes(void **state)
{
    (void)state;
    agree(4, 300);
}
static void eight_gpu_nodes(void **state)
{
    (void)state;
    agree(8, 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_gpu_nodes), cmocka_unit_test(four_gpu_nodes),
                                       cmocka_unit_test(eight_gpu_nodes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
