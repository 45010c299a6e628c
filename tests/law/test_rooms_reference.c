/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/law/test_rooms_reference.c - the engine against the plain definition where everything counts: shared devices, CPUs, memory, GPU types,
 * unlike nodes, two pools.
 *
 * As test_easy_reference.c, with rooms of several dimensions. The reference keeps each device's free share and each node's jobs, and works
 * out the room at a later time by giving back what is expected to end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "data/base/rng.h"
#include "sim/engine/engine.h"
#include <stdlib.h>
#include <string.h>

#define POOLS 2
#define NODES 8 // a pool, at most
#define JOBS  120
#define DEVS  4

struct node {
    int gpus, cpus, memory, type; // as it is when empty; cpus or memory 0: not counted
    int device[DEVS], free_cpus, free_memory;
};
struct job {
    int64_t submit, run, estimate, start, end;
    int milli, cpus, memory, types; // types: bits, 0 = any
    int pool;                       // that it runs in
    bool active, holds[NODES], rejected;
    int device[NODES][DEVS]; // taken of each node held
    int first;
};
struct world {
    int pools, nodes[POOLS], jobs, placement;
    bool easy, blocking;
    struct node node[POOLS][NODES];
    struct job job[JOBS];
    bool held_up[POOLS]; // fifo: a job that comes before waits for it
    int64_t now;
};
struct need {
    int k, whole, part, cpus, memory; // k 0: can never run there
};

static bool type_fits(const struct node *n, const struct job *j) { return !j->types || (j->types >> n->type & 1); }

static int count_whole(const struct node *n)
{
    int whole = 0;
    for (int d = 0; d < n->gpus; d++) whole += n->device[d] == 1000;
    return whole;
}

static int free_milli(const struct node *n)
{
    int sum = 0;
    for (int d = 0; d < n->gpus; d++) sum += n->device[d];
    return sum;
}

static struct node emptied(struct node n)
{
    for (int d = 0; d < n.gpus; d++) n.device[d] = 1000;
    n.free_cpus = n.cpus;
    n.free_memory = n.memory;
    return n;
}

static bool is_empty(const struct node *n)
{
    return free_milli(n) == n->gpus * 1000 && n->free_cpus == n->cpus && n->free_memory == n->memory;
}

static bool has_room(const struct node *n, const struct job *j, const struct need *q)
{
    bool share = q->part == 0;
    for (int d = 0; d < n->gpus; d++) share |= n->device[d] >= q->part;
    return type_fits(n, j) && share && count_whole(n) >= q->whole && (!n->cpus || n->free_cpus >= q->cpus) &&
           (!n->memory || n->free_memory >= q->memory) && (q->k == 1 || is_empty(n));
}

static struct need need_in(const struct world *w, int pool, const struct job *j)
{
    int most = 0, fit = 0;
    for (int i = 0; i < w->nodes[pool]; i++)
        if (type_fits(&w->node[pool][i], j) && w->node[pool][i].gpus > most) most = w->node[pool][i].gpus;
    const int whole = j->milli / 1000;
    if (j->milli > 0 && most == 0) return (struct need){0};
    struct need q = {.k = whole > most ? (whole + most - 1) / most : 1, .part = j->milli % 1000};
    q.whole = (whole + q.k - 1) / q.k;
    q.cpus = (j->cpus + q.k - 1) / q.k;
    q.memory = (j->memory + q.k - 1) / q.k;
    for (int i = 0; i < w->nodes[pool]; i++) {
        const struct node e = emptied(w->node[pool][i]);
        fit += has_room(&e, j, &q);
    }
    return fit >= q.k ? q : (struct need){0};
}

// Take room on a node; what was taken of its devices goes to dev[].
static void take(struct node *n, const struct need *q, int dev[DEVS])
{
    memset(dev, 0, DEVS * sizeof *dev);
    if (q->k > 1) { // held as a whole
        memset(n->device, 0, sizeof n->device);
        n->free_cpus = n->free_memory = 0;
        return;
    }
    int best = -1, left = q->whole;
    for (int d = 0; d < n->gpus; d++) {
        if (q->part && n->device[d] >= q->part && (best < 0 || n->device[d] < n->device[best])) best = d;
        if (left > 0 && n->device[d] == 1000) dev[d] = 1000, left--;
    }
    if (q->part) dev[best] = q->part;
    for (int d = 0; d < n->gpus; d++) n->device[d] -= dev[d];
    if (n->cpus) n->free_cpus -= q->cpus;
    if (n->memory) n->free_memory -= q->memory;
}

static void give(struct node *n, const struct need *q, const int dev[DEVS])
{
    if (q->k > 1) {
        *n = emptied(*n);
        return;
    }
    for (int d = 0; d < n->gpus; d++) n->device[d] += dev[d];
    if (n->cpus) n->free_cpus += q->cpus;
    if (n->memory) n->free_memory += q->memory;
}

static int64_t expected(const struct world *w, const struct job *j)
{
    return j->start + j->estimate > w->now ? j->start + j->estimate : w->now;
}

static int ready_nodes(const struct world *w, int pool, const struct job *head, int64_t t)
{
    const struct need q = need_in(w, pool, head);
    int count = 0;
    for (int n = 0; n < w->nodes[pool]; n++) {
        struct node then = w->node[pool][n];
        for (int i = 0; i < w->jobs; i++) {
            const struct job *j = &w->job[i];
            if (!j->active || j->pool != pool || !j->holds[n] || expected(w, j) > t) continue;
            const struct need mine = need_in(w, pool, j);
            give(&then, &mine, j->device[n]);
        }
        count += has_room(&then, head, &q);
    }
    return count;
}

static int64_t promise(const struct world *w, const struct job *head, int *pool)
{
    int64_t best = INT64_MAX;
    for (int p = 0; p < w->pools; p++) {
        const struct need q = need_in(w, p, head);
        for (int i = 0; q.k && i < w->jobs; i++) {
            if (!w->job[i].active || w->job[i].pool != p) continue;
            const int64_t t = expected(w, &w->job[i]);
            if (t >= best || ready_nodes(w, p, head, t) < q.k) continue;
            best = t;
            *pool = p;
        }
    }
    return best;
}

static void hold(struct world *w, struct job *j, int pool, int n, const struct need *q)
{
    take(&w->node[pool][n], q, j->device[n]);
    j->holds[n] = true;
}

static void release(struct world *w, struct job *j)
{
    const struct need q = need_in(w, j->pool, j);
    for (int n = 0; n < w->nodes[j->pool]; n++)
        if (j->holds[n]) give(&w->node[j->pool][n], &q, j->device[n]);
    memset(j->holds, 0, sizeof j->holds);
    j->active = false;
}

static void begin(struct world *w, struct job *j, int pool, int first)
{
    j->start = w->now;
    j->end = w->now + j->run;
    j->active = true;
    j->pool = pool;
    j->first = first;
}

// The best node with room, by rank then id, that is after (rank, id) of `after`.
static int best_node(const struct world *w, int pool, const struct job *j, const struct need *q, int after)
{
    int best = -1;
    long key = 0;
    for (int n = 0; n < w->nodes[pool]; n++) {
        const int f = free_milli(&w->node[pool][n]);
        const long mine = (w->placement == 0 ? f : w->placement == 1 ? -f : 0) * 100L + n;
        const int fa = after < 0 ? 0 : free_milli(&w->node[pool][after]);
        const long past = (w->placement == 0 ? fa : w->placement == 1 ? -fa : 0) * 100L + after;
        if (!has_room(&w->node[pool][n], j, q) || (after >= 0 && mine <= past) || (best >= 0 && mine >= key)) continue;
        best = n;
        key = mine;
    }
    return best;
}

static bool start_many(struct world *w, struct job *j, int pool, const struct need *q, const struct job *head, int64_t t)
{
    int free = 0;
    bool promised = false;
    const struct need held = head ? need_in(w, pool, head) : (struct need){0};
    for (int n = 0; n < w->nodes[pool]; n++) {
        if (!has_room(&w->node[pool][n], j, q)) continue;
        free++;
        promised |= head && has_room(&w->node[pool][n], head, &held);
    }
    if (free < q->k || (head && promised && ready_nodes(w, pool, head, t) - held.k < q->k)) return false;
    int first = -1;
    for (int i = 0; i < q->k; i++) {
        const int n = best_node(w, pool, j, q, -1);
        if (i == 0) first = n;
        hold(w, j, pool, n, q);
    }
    begin(w, j, pool, first);
    return true;
}

static bool start_one(struct world *w, struct job *j, int pool, const struct need *q, const struct job *head, int64_t t)
{
    for (int n = best_node(w, pool, j, q, -1); n >= 0; n = best_node(w, pool, j, q, n)) {
        hold(w, j, pool, n, q);
        begin(w, j, pool, n);
        if (!head || ready_nodes(w, pool, head, t) >= need_in(w, pool, head).k) return true;
        release(w, j);
        j->start = -1;
    }
    return false;
}

static bool start(struct world *w, struct job *j, const struct job *head, int held_pool, int64_t t)
{
    for (int p = 0; p < w->pools; p++) {
        const struct need q = need_in(w, p, j);
        if (q.k == 0 || w->held_up[p]) continue;
        const struct job *mind = head && p == held_pool && w->now + j->estimate > t ? head : NULL;
        if ((q.k > 1 ? start_many : start_one)(w, j, p, &q, mind, t)) return true;
    }
    return false;
}

static void pass(struct world *w)
{
    const struct job *head = NULL;
    int pool = -1;
    int64_t t = 0;
    memset(w->held_up, 0, sizeof w->held_up);
    for (int i = 0; i < w->jobs; i++) {
        struct job *j = &w->job[i];
        if (j->start >= 0 || j->submit > w->now || j->rejected || start(w, j, head, pool, t)) continue;
        if (head || (!w->easy && !w->blocking)) continue;
        for (int p = 0; p < w->pools && !w->easy; p++) w->held_up[p] |= need_in(w, p, j).k > 0;
        if (!w->easy) continue;
        head = j;
        t = promise(w, head, &pool);
        if (t == INT64_MAX) pool = -1; // nothing that runs makes room for it: nothing delays it
    }
}

static void reference(struct world *w)
{
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

static void engine(const struct world *w, struct rr_replay *r)
{
    static int64_t submit[JOBS], run[JOBS], estimate[JOBS];
    static int32_t milli[JOBS], cpus[JOBS], memory[JOBS];
    static uint64_t types[JOBS];
    static const char *const names[] = {"a100-80gb-sxm", "h100-80gb-sxm", "v100-32gb-sxm"};
    for (int i = 0; i < w->jobs; i++) {
        const struct job *j = &w->job[i];
        submit[i] = j->submit * RR_S;
        run[i] = j->run * RR_S;
        estimate[i] = j->estimate * RR_S;
        milli[i] = j->milli;
        cpus[i] = j->cpus;
        memory[i] = j->memory;
        types[i] = (uint64_t)j->types;
    }
    const struct rr_trace t = {.n = (size_t)w->jobs,
                               .submit_us = submit,
                               .run_us = run,
                               .estimate_us = estimate,
                               .gpus_milli = milli,
                               .cpus_milli = cpus,
                               .memory_mib = memory,
                               .gpu_types = types,
                               .gpu_type_name = names,
                               .n_gpu_types = 3};
    struct rr_node_shape shape[POOLS][NODES];
    struct rr_pool pool[POOLS];
    for (int p = 0; p < w->pools; p++) {
        for (int n = 0; n < w->nodes[p]; n++) {
            const struct node *d = &w->node[p][n];
            shape[p][n] =
                (struct rr_node_shape){.gpus = d->gpus, .cpus_milli = d->cpus, .memory_mib = d->memory, .gpu = names[d->type], .name = ""};
        }
        pool[p] = (struct rr_pool){.name = "p",
                                   .pointer = "/pools/p",
                                   .shape = shape[p],
                                   .n_shapes = (size_t)w->nodes[p],
                                   .nodes_min = w->nodes[p],
                                   .nodes_max = w->nodes[p],
                                   .gpu = ""};
    }
    static const char *const placement[] = {"pack", "spread", "first_fit"};
    struct rr_scenario sc = {.pool = pool,
                             .n_pools = (size_t)w->pools,
                             .scheduler = {.policy = rr_kind_find(rr_policies, w->easy ? "easy_backfill" : "fifo"),
                                           .placement = rr_kind_find(rr_placements, placement[w->placement]),
                                           .blocking = w->blocking}};
    const struct rr_world world = {.scenario = &sc, .trace = &t, .horizon_us = RR_NEVER};
    if (rr_engine_run(&world, r) != RR_OK) fail_msg("%s", rr_reason());
    if (rr_replay_check_jobs(&world, r, NULL) != RR_OK || rr_replay_check_time(&world, r, NULL) != RR_OK) fail_msg("%s", rr_reason());
}

static int draw(struct rr_rng *g, int n) { return (int)rr_rng_below(g, (uint64_t)n); }

static void random_fleet(struct world *w, struct rr_rng *g)
{
    w->pools = 1 + draw(g, POOLS);
    for (int p = 0; p < w->pools; p++) {
        w->nodes[p] = 2 + draw(g, NODES - 1);
        const bool alike = draw(g, 2), cpus = draw(g, 4), memory = draw(g, 2);
        for (int n = 0; n < w->nodes[p]; n++) {
            struct node d = {.gpus = draw(g, DEVS + 1),
                             .cpus = cpus ? 8000 + 4000 * draw(g, 3) : 0,
                             .memory = memory ? 64 + draw(g, 64) : 0,
                             .type = draw(g, 2)};
            if (alike && n > 0) d = w->node[p][0];
            w->node[p][n] = emptied(d);
        }
    }
}

static void random_world(struct world *w, int seed)
{
    struct rr_rng g;
    rr_rng_init(&g, 99, 0, RR_RNG_TEST, (uint64_t)seed);
    *w = (struct world){.jobs = 20 + draw(&g, JOBS - 20), .easy = draw(&g, 3) > 0, .blocking = draw(&g, 2), .placement = draw(&g, 3)};
    random_fleet(w, &g);
    const bool shares = draw(&g, 3), typed = draw(&g, 2);
    const int gap = 1 + draw(&g, 9);
    int64_t at = 0;
    for (int i = 0; i < w->jobs; i++) {
        struct job *j = &w->job[i];
        at += draw(&g, gap);
        *j = (struct job){.submit = at, .run = draw(&g, 30), .start = -1};
        j->estimate = draw(&g, 4) ? j->run + draw(&g, 20) : draw(&g, 30);
        const int what = draw(&g, 8);
        j->milli = what == 0            ? 0
                   : what < 4 && shares ? 100 * (1 + draw(&g, 9))
                   : what == 7          ? 1000 * (1 + draw(&g, 12))
                                        : 1000 * (1 + draw(&g, DEVS));
        j->cpus = draw(&g, 3) ? 500 * draw(&g, 12) : 0;
        j->memory = draw(&g, 3) ? draw(&g, 50) : 0;
        j->types = typed && draw(&g, 3) == 0 ? 1 + draw(&g, 7) : 0;
        j->rejected = true;
        for (int p = 0; p < w->pools; p++) j->rejected &= need_in(w, p, j).k == 0;
    }
}

static void compare(const struct world *w, const struct rr_replay *r, int seed)
{
    for (int i = 0; i < w->jobs; i++) {
        const struct job *j = &w->job[i];
        const struct rr_outcome *o = &r->outcome[i];
        const bool rejected = o->state == RR_JOB_REJECTED;
        const int64_t start = rejected || o->start_us == RR_NEVER ? -1 : o->start_us / RR_S;
        const uint32_t node = (uint32_t)j->first + (j->pool == 1 ? (uint32_t)w->nodes[0] : 0);
        if (rejected != j->rejected || start != j->start || (start >= 0 && (o->pool != j->pool || o->node != node)))
            fail_msg(
                "seed %d, %s%s, placement %d: job %d of %d milli is %s, starts at %lld s on node %u; by definition at %lld s on node %u",
                seed, w->easy ? "easy" : "fifo", w->blocking ? " blocking" : "", w->placement, i, j->milli,
                rr_job_state_text((enum rr_job_state)o->state), (long long)start, o->node, (long long)j->start, node);
    }
}

static void random_rooms(void **state)
{
    (void)state;
    struct world *w = malloc(sizeof *w);
    assert_non_null(w);
    int started = 0, waited = 0, rejected = 0;
    for (int seed = 0; seed < 1000; seed++) {
        struct rr_replay r;
        random_world(w, seed);
        engine(w, &r);
        reference(w);
        compare(w, &r, seed);
        for (int i = 0; i < w->jobs; i++) {
            started += w->job[i].start >= 0;
            waited += w->job[i].start > w->job[i].submit;
            rejected += w->job[i].rejected;
        }
        rr_replay_done(&r);
    }
    free(w);
    print_message("%d jobs started, %d of them waited, %d rejected\n", started, waited, rejected);
    assert_true(waited > 5000 && rejected > 500); // the worlds are full enough to tell a difference
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_rooms)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
