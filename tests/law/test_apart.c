/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/law/test_apart.c - pools that share no job are clusters of their own, under every policy.
 *
 * Two pools of different GPUs, each job asking for one of them: what becomes of the jobs of one pool must be the same, to the microsecond, as when
 * they and their pool are alone. A policy whose first job, or whose guard against starvation, holds up the whole line breaks it. Of tenants only
 * those that use one pool are apart: the account of a job is its pool. Left out is
 * conservative_backfill, which plans the jobs of both pools anew when something changes in one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "data/base/rng.h"
#include "sim/engine/sim.h"
#include <stdlib.h>
#include <string.h>

#define JOBS 60

static const char *const policies[] = {"fifo", "sjf", "priority", "edf", "srtf", "srsf", "las", "fair_share", "easy_backfill"};

struct job {
    int64_t submit, run, deadline, priority;
    int gpus, pool;
};
struct world {
    int nodes[2], gpus[2], jobs;
    bool blocking, preempt;
    int order;
    int64_t max_wait;
    struct job job[JOBS];
};

static int draw(struct rr_rng *g, int n) { return (int)rr_rng_below(g, (uint64_t)n); }

static void make(struct world *w, uint64_t seed)
{
    struct rr_rng g;
    rr_rng_init(&g, seed, 0, RR_RNG_TEST, 78);
    *w = (struct world){.jobs = 2 + draw(&g, JOBS - 2),
                        .blocking = draw(&g, 3) > 0,
                        .preempt = draw(&g, 2),
                        .order = draw(&g, 3) == 0,
                        .max_wait = draw(&g, 2) ? 0 : 5 + draw(&g, 60)};
    for (int p = 0; p < 2; p++) w->nodes[p] = 1 + draw(&g, 4), w->gpus[p] = 1 + draw(&g, 8);
    int64_t at = 0;
    for (int i = 0; i < w->jobs; i++) {
        at += draw(&g, 3) ? draw(&g, 5) : 0;
        struct job *j = &w->job[i];
        *j = (struct job){.submit = at, .run = 1 + draw(&g, draw(&g, 4) ? 12 : 60), .pool = draw(&g, 2)};
        j->gpus = 1 + draw(&g, draw(&g, 3) ? w->gpus[j->pool] : w->gpus[j->pool] * w->nodes[j->pool]);
        j->deadline = 1 + draw(&g, 90);
        j->priority = draw(&g, 4);
    }
}

static const struct rr_param *row_of(const struct rr_kind *k, const char *name)
{
    for (size_t i = 0; i < k->n_params; i++)
        if (strcmp(k->params[i].name, name) == 0) return &k->params[i];
    return NULL;
}

// Defaults as the scenario reader would fill them, and the guard and `preempt` of the world where the policy has them.
static void *params_of(const struct world *w, const struct rr_kind *k, void *room)
{
    static const struct {
        const char *name;
        int64_t value;
    } times[] = {{"half_life", 7 * RR_D}, {"ahead", RR_MIN}, {"threshold", 100 * RR_S}};
    if (k->n_params == 0) return NULL;
    const struct rr_param *guard = row_of(k, "max_wait"), *preempt = row_of(k, "preempt"), *depth = row_of(k, "depth");
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        if (row_of(k, times[i].name)) *(int64_t *)(void *)((char *)room + row_of(k, times[i].name)->offset) = times[i].value;
    if (guard) *(int64_t *)(void *)((char *)room + guard->offset) = w->max_wait * RR_S;
    if (depth) *(int64_t *)(void *)((char *)room + depth->offset) = 1000;
    if (preempt) *(bool *)((char *)room + preempt->offset) = w->preempt;
    return room;
}

// The jobs of `only` (2: all) on its pool (on both).
static void run(const struct world *w, const char *policy, int only, struct rr_replay *r)
{
    static int64_t submit[JOBS], length[JOBS], deadline[JOBS];
    static int32_t milli[JOBS];
    static uint64_t types[JOBS], room[32];
    static int32_t priority[JOBS];
    static uint32_t account[JOBS];
    static const char *const gpu[] = {"x", "y"};
    uint32_t n = 0;
    for (int i = 0; i < w->jobs; i++) {
        const struct job *j = &w->job[i];
        if (only < 2 && j->pool != only) continue;
        submit[n] = j->submit * RR_S;
        length[n] = j->run * RR_S;
        deadline[n] = j->deadline * RR_S;
        priority[n] = (int32_t)j->priority;
        milli[n] = j->gpus * 1000;
        types[n] = UINT64_C(1) << j->pool;
        account[n++] = (uint32_t)j->pool;
    }
    const struct rr_trace t = {.n = n,
                               .submit_us = submit,
                               .run_us = length,
                               .gpus_milli = milli,
                               .deadline_us = deadline,
                               .priority = priority,
                               .gpu_types = types,
                               .gpu_type_name = gpu,
                               .n_gpu_types = 2,
                               .account_id = account,
                               .account_name = gpu,
                               .n_accounts = 2};
    struct rr_node_shape shape[2];
    struct rr_pool pool[2];
    for (int p = 0; p < 2; p++) {
        shape[p] = (struct rr_node_shape){.gpus = w->gpus[p], .gpu = gpu[p], .name = ""};
        pool[p] = (struct rr_pool){.name = gpu[p],
                                   .pointer = "/pools/p",
                                   .shape = &shape[p],
                                   .n_shapes = 1,
                                   .nodes_min = w->nodes[p],
                                   .nodes_max = w->nodes[p],
                                   .gpu = gpu[p]};
    }
    const struct rr_kind *k = rr_kind_find(rr_policies, policy);
    memset(room, 0, sizeof room);
    assert_true(k->params_size <= sizeof room);
    struct rr_scenario sc = {.pool = only < 2 ? &pool[only] : pool,
                             .n_pools = only < 2 ? 1 : 2,
                             .scheduler = {.policy = k,
                                           .policy_params = params_of(w, k, room),
                                           .placement = rr_kind_find(rr_placements, "pack"),
                                           .blocking = w->blocking,
                                           .order = w->order}};
    const struct rr_world world = {.scenario = &sc, .trace = &t, .horizon_us = RR_NEVER};
    if (rr_engine_run(&world, r) != RR_OK) fail_msg("%s", rr_reason());
}

static void compare(const struct world *w, const char *policy, uint64_t seed)
{
    struct rr_replay both, alone[2];
    run(w, policy, 2, &both);
    uint32_t n[2] = {0};
    for (int p = 0; p < 2; p++) run(w, policy, p, &alone[p]);
    for (int i = 0; i < w->jobs; i++) {
        const int p = w->job[i].pool;
        const struct rr_outcome *x = &both.outcome[i], *y = &alone[p].outcome[n[p]++];
        if (x->start_us != y->start_us || x->end_us != y->end_us)
            fail_msg("%s, seed %llu (blocking %d, preempt %d, order %d, guard %lld): job %d of pool %d runs from %lld to %lld s, alone "
                     "from %lld to %lld",
                     policy, (unsigned long long)seed, w->blocking, w->preempt, w->order, (long long)w->max_wait, i, p,
                     (long long)x->start_us / RR_S, (long long)x->end_us / RR_S, (long long)y->start_us / RR_S,
                     (long long)y->end_us / RR_S);
    }
    rr_replay_done(&both);
    for (int p = 0; p < 2; p++) rr_replay_done(&alone[p]);
}

static void pools_apart_are_clusters_of_their_own(void **state)
{
    (void)state;
    static struct world w;
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        make(&w, seed);
        for (size_t k = 0; k < sizeof policies / sizeof *policies; k++) compare(&w, policies[k], seed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pools_apart_are_clusters_of_their_own)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
