/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/law/test_interrupt.c - what must hold however jobs are interrupted: nodes lost, drained, released and back at random, a policy that
 * preempts at random, checkpoints of all kinds, in random small worlds.
 *
 * The laws of DESIGN.md 1 and 2; no job is lost or runs twice at once; the work kept over all attempts of a finished job is its run time; no
 * node ever serves more than it has; nothing runs on a node that is down; the same world gives the same bytes on two threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "data/base/rng.h"
#include "sim/engine/attempt.h"
#include "sim/supply/supply.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define JOBS  80
#define POOLS 2

struct shaken {
    struct rr_trace trace;
    struct rr_scenario scenario;
    struct rr_pool pool[POOLS];
    struct rr_node_shape shape[POOLS];
    struct rr_class class[2];
    bool may_use[POOLS];
    int64_t submit[JOBS], run[JOBS], estimate[JOBS];
    int32_t milli[JOBS];
    uint16_t class_id[JOBS];
    int64_t horizon_us;
    int seed;
};

static int draw(struct rr_rng *g, int n) { return (int)rr_rng_below(g, (uint64_t)n); }

// --- a supplier that takes and gives nodes at random ---

struct shaker {
    struct rr_rng rng;
    int left; // losses to come
};
static const struct rr_supply shaking;

static enum rr_status shaker_init(void *state, struct rr_sim *s)
{
    struct shaker *k = state;
    rr_rng_init(&k->rng, 77, 0, RR_RNG_TEST, (uint64_t)s->world->scenario->seed);
    k->left = draw(&k->rng, 40);
    for (int i = 0; i < k->left; i++)
        rr_supply_at(s, &shaking, draw(&k->rng, 4000) * RR_S / 2, draw(&k->rng, 2) ? RR_EV_FAILURE : RR_EV_PRICE, 0);
    return RR_OK;
}

// data: 0 something happens, else (pool, node) + 1 is to be back.
static void hit(struct shaker *k, struct rr_sim *s, size_t pool, uint32_t node)
{
    static const enum rr_reason why[] = {RR_WHY_NODE_FAILURE, RR_WHY_RECLAIMED, RR_WHY_MAINTENANCE, RR_WHY_PRICE};
    const int64_t back = s->now_us + draw(&k->rng, 300) * RR_S;
    const uint64_t name = ((uint64_t)pool << 32 | node) + 1;
    if (draw(&k->rng, 4) == 0) {
        if (!rr_sim_node_is_closed(s, pool, node)) {
            rr_sim_node_drain(s, pool, node);
            rr_supply_at(s, &shaking, back, RR_EV_READY, name);
        }
        return;
    }
    const bool was_closed = rr_sim_node_is_closed(s, pool, node), release = s->books[pool].elastic && draw(&k->rng, 2);
    rr_sim_node_lost(s, pool, node, why[draw(&k->rng, 4)], draw(&k->rng, 3) * 40 * RR_S, release ? RR_FATE_RELEASED : RR_FATE_DOWN);
    if (!release && !was_closed) rr_supply_at(s, &shaking, back, RR_EV_READY, name);
}

static void shaker_event(void *state, struct rr_sim *s, enum rr_event_kind kind, uint64_t data)
{
    struct shaker *k = state;
    (void)kind;
    if (data > 0) {
        const size_t pool = (size_t)((data - 1) >> 32);
        const uint32_t node = (uint32_t)(data - 1);
        if (rr_sim_node_is_held(s, pool, node) && rr_sim_node_is_closed(s, pool, node)) rr_sim_node_back(s, pool, node);
        return;
    }
    const size_t pool = (size_t)draw(&k->rng, (int)s->n_pools);
    if (s->pool[pool].n_nodes == 0) return;
    const uint32_t node = (uint32_t)draw(&k->rng, (int)s->pool[pool].n_nodes);
    if (draw(&k->rng, 8) == 0) rr_sim_limit(s, pool, draw(&k->rng, 8));
    if (rr_sim_node_is_held(s, pool, node)) hit(k, s, pool, node);
}

static const struct rr_supply shaking = {.name = "shaker", .state_size = sizeof(struct shaker), .init = shaker_init, .event = shaker_event};

// --- a policy that preempts at random, and looks at everything it may look at ---

struct fickle {
    struct rr_rng rng;
    RR_VEC(uint32_t) job;
    RR_VEC(uint32_t) ask;
    size_t started, ended;
};

static void fickle_init(void *state, struct rr_sim *s)
{
    struct fickle *f = state;
    rr_rng_init(&f->rng, 78, 0, RR_RNG_TEST, (uint64_t)s->world->scenario->seed);
}

static void fickle_done(void *state)
{
    struct fickle *f = state;
    rr_vec_done(&f->job);
    rr_vec_done(&f->ask);
}

static void fickle_submit(void *state, struct rr_sim *s, uint32_t job, uint32_t ask)
{
    struct fickle *f = state;
    assert_true(rr_sim_waits(s, job) && rr_sim_slot_of(s, job) == RR_NO_SLOT);
    for (size_t i = 0; i < f->job.n; i++) assert_true(f->job.at[i] != job);
    rr_vec_push(&f->job, job);
    rr_vec_push(&f->ask, ask);
}

static void look_round(struct rr_sim *s)
{
    rr_i128 milli = 0;
    for (size_t i = 0; i < rr_sim_n_running(s); i++) {
        const uint32_t slot = rr_sim_running(s, i), job = s->slot.at[slot].job;
        const size_t pool = s->slot.at[slot].pool;
        assert_true(rr_sim_slot_of(s, job) == slot && s->outcome[job].state == RR_JOB_RUNNING);
        const int64_t left = rr_sim_remaining_us(s, job);
        assert_true(left >= 0 && left <= s->trace->run_us[job] && rr_sim_attained_us(s, job) >= 0);
        bool found = false;
        for (uint32_t k = rr_sim_first_on(s, pool, s->slot.at[slot].node); k != RR_NO_SLOT; k = rr_sim_next_on(s, k)) found |= k == slot;
        assert_true(found);
        milli += s->trace->gpus_milli[job];
    }
    assert_true(milli == s->level.used_milli);
}

static void fickle_pass(void *state, struct rr_sim *s)
{
    struct fickle *f = state;
    look_round(s);
    while (rr_sim_n_running(s) > 0 && draw(&f->rng, 3) == 0) {
        const uint32_t job = s->slot.at[rr_sim_running(s, (size_t)draw(&f->rng, (int)rr_sim_n_running(s)))].job;
        const bool may = rr_sim_interruptible(s, job);
        assert_int_equal(rr_sim_preempt(s, job, draw(&f->rng, 2) ? RR_WHY_PREEMPTED : RR_WHY_MOVED), may);
        if (!may) break;
    }
    for (size_t i = f->job.n; i-- > 0;) {
        if (!rr_sim_start(s, f->job.at[i], f->ask.at[i])) continue;
        f->job.at[i] = f->job.at[--f->job.n];
        f->ask.at[i] = f->ask.at[--f->ask.n];
    }
    if (draw(&f->rng, 3) == 0) rr_sim_wake(s, s->now_us + draw(&f->rng, 60) * RR_S + 1);
}

static void fickle_started(void *state, struct rr_sim *s, uint32_t job)
{
    ((struct fickle *)state)->started++;
    assert_int_equal(s->outcome[job].state, RR_JOB_RUNNING);
}

static void fickle_ended(void *state, struct rr_sim *s, uint32_t job)
{
    struct fickle *f = state;
    f->ended++;
    assert_true(f->ended <= f->started && rr_sim_slot_of(s, job) == RR_NO_SLOT);
}

static void fickle_timer(void *state, struct rr_sim *s)
{
    (void)state;
    look_round(s);
}

static const struct rr_policy fickle = {.kind = {.name = "fickle", .summary = "preempts at random"},
                                        .preempts = true,
                                        .state_size = sizeof(struct fickle),
                                        .init = fickle_init,
                                        .done = fickle_done,
                                        .submit = fickle_submit,
                                        .pass = fickle_pass,
                                        .started = fickle_started,
                                        .ended = fickle_ended,
                                        .timer = fickle_timer};

// --- random worlds ---

static struct rr_checkpoint random_checkpoint(struct rr_rng *g)
{
    return (struct rr_checkpoint){.rule = draw(g, 3) ? RR_INTERVAL_FIXED : RR_INTERVAL_NONE,
                                  .interval_us = (1 + draw(g, 200)) * RR_S,
                                  .write_us = draw(g, 30) * RR_S,
                                  .restore_us = draw(g, 20) * RR_S,
                                  .start_us = draw(g, 2) * 5 * RR_S,
                                  .on_preempt = draw(g, 2),
                                  .on_notice = draw(g, 2)};
}

static void random_pools(struct shaken *w, struct rr_rng *g)
{
    const int pools = 1 + draw(g, POOLS);
    for (int i = 0; i < pools; i++) {
        w->shape[i] = (struct rr_node_shape){.gpus = 1 + draw(g, 8), .gpu = "", .name = ""};
        const int64_t min = 1 + draw(g, 4), max = draw(g, 2) ? min : min + 1 + draw(g, 6);
        w->pool[i] = (struct rr_pool){.name = "p",
                                      .pointer = "/pools/p",
                                      .shape = &w->shape[i],
                                      .n_shapes = 1,
                                      .nodes_min = min,
                                      .nodes_max = max,
                                      .gpu = "",
                                      .reclaimable = draw(g, 2),
                                      .boot_us = draw(g, 3) * 20 * RR_S,
                                      .idle_timeout_us = draw(g, 3) * 30 * RR_S};
    }
    w->scenario.pool = w->pool;
    w->scenario.n_pools = (size_t)pools;
}

static void random_classes(struct shaken *w, struct rr_rng *g)
{
    static const char *const names[] = {"a", "b", "c"};
    w->trace.class_id = w->class_id;
    w->trace.class_name = names;
    w->trace.n_classes = 3;
    for (int i = 0; i < 2; i++)
        w->class[i] =
            (struct rr_class){.name = names[i], .pointer = "/classes/x", .interruptible = draw(g, 2), .checkpoint = random_checkpoint(g)};
    w->may_use[draw(g, (int)w->scenario.n_pools)] = true;
    if (draw(g, 2)) w->class[0].may_use = w->may_use;
    w->scenario.classes = w->class;
    w->scenario.n_classes = 2;
}

static void random_shaken(struct shaken *w, int seed)
{
    static const char *const policies[] = {"fifo", "easy_backfill"};
    struct rr_rng g;
    rr_rng_init(&g, 79, 0, RR_RNG_TEST, (uint64_t)seed);
    memset(w, 0, sizeof *w);
    w->seed = seed;
    const size_t n = 5 + (size_t)draw(&g, JOBS - 5);
    const int gap = 1 + draw(&g, 60), shares = draw(&g, 3) == 0;
    int64_t at = 0;
    for (size_t i = 0; i < n; i++) {
        at += draw(&g, gap);
        w->submit[i] = at * RR_S;
        w->run[i] = draw(&g, 600) * RR_S;
        w->estimate[i] = draw(&g, 3) ? w->run[i] + draw(&g, 300) * RR_S : draw(&g, 300) * RR_S;
        w->milli[i] = shares && draw(&g, 2) ? 100 * (1 + draw(&g, 9)) : 1000 * draw(&g, draw(&g, 3) ? 5 : 20);
        w->class_id[i] = (uint16_t)draw(&g, 3);
    }
    w->trace = (struct rr_trace){.n = n, .submit_us = w->submit, .run_us = w->run, .estimate_us = w->estimate, .gpus_milli = w->milli};
    random_pools(w, &g);
    const int policy = draw(&g, 4);
    w->scenario.seed = seed;
    w->scenario.checkpoint = random_checkpoint(&g);
    w->scenario.scheduler = (struct rr_scheduler){.policy = policy >= 2 ? &fickle.kind : rr_kind_find(rr_policies, policies[policy]),
                                                  .placement = rr_kind_find(rr_placements, draw(&g, 2) ? "pack" : "spread"),
                                                  .order = draw(&g, 3) == 0,
                                                  .blocking = draw(&g, 2)};
    if (draw(&g, 2)) random_classes(w, &g);
    w->horizon_us = draw(&g, 2) ? RR_NEVER : (200 + draw(&g, 3000)) * RR_S;
}

// --- what must hold ---

static void no_job_runs_twice_at_once(const struct shaken *w, const struct rr_replay *r)
{
    int64_t until[JOBS] = {0}, kept[JOBS] = {0}, held[JOBS] = {0}, lost[JOBS] = {0};
    int n[JOBS] = {0};
    for (size_t i = 0; i < r->n_attempts; i++) { // attempts of one job come in order
        const struct rr_attempt *a = &r->attempt[i];
        if (a->start_us < until[a->job] || a->start_us < w->submit[a->job]) fail_msg("seed %d: job %u runs twice at once", w->seed, a->job);
        until[a->job] = a->end_us;
        kept[a->job] += a->end_us - a->start_us - a->lost_us;
        held[a->job] += a->end_us - a->start_us;
        lost[a->job] += a->lost_us;
        n[a->job]++;
        assert_int_equal(a->gpus_milli, w->milli[a->job]);
    }
    for (size_t j = 0; j < w->trace.n; j++) {
        const struct rr_outcome *o = &r->outcome[j];
        if (o->attempts != n[j] || o->lost_us != lost[j] || r->held_us[j] != held[j])
            fail_msg("seed %d: job %zu: attempts do not add up", w->seed, j);
        if (o->state == RR_JOB_FINISHED && kept[j] != w->run[j])
            fail_msg("seed %d: job %zu: %lld us of work kept, it has %lld", w->seed, j, (long long)kept[j], (long long)w->run[j]);
        if (kept[j] > w->run[j]) fail_msg("seed %d: job %zu: more work than it has", w->seed, j);
        if (w->horizon_us == RR_NEVER && o->state != RR_JOB_FINISHED && o->state != RR_JOB_REJECTED && o->state != RR_JOB_WAITING)
            fail_msg("seed %d: job %zu is %s", w->seed, j, rr_job_state_text((enum rr_job_state)o->state));
    }
}

static void classes_hold(const struct shaken *w, const struct rr_replay *r)
{
    for (size_t i = 0; i < r->n_attempts; i++) {
        const struct rr_attempt *a = &r->attempt[i];
        if (!r->class_of || r->class_of[a->job] == RR_NO_CLASS) continue;
        const struct rr_class *c = &w->class[r->class_of[a->job]];
        assert_true(!c->may_use || c->may_use[a->pool]);
        if (!c->interruptible) assert_true(!w->pool[a->pool].reclaimable && a->reason != RR_WHY_PREEMPTED && a->reason != RR_WHY_MOVED);
    }
}

struct twin {
    const struct shaken *w;
    struct rr_replay r;
    enum rr_status st;
    char reason[RR_REASON_MAX];
};

static void *run(void *arg)
{
    static const struct rr_supply *const list[] = {&shaking};
    struct twin *t = arg;
    const struct rr_world world = {.scenario = &t->w->scenario,
                                   .trace = &t->w->trace,
                                   .horizon_us = t->w->horizon_us,
                                   .timeline_bins = 50,
                                   .supply = list,
                                   .n_supply = 1};
    t->st = rr_engine_run(&world, &t->r);
    if (t->st == RR_OK) t->st = rr_replay_check_jobs(&world, &t->r, NULL);
    if (t->st == RR_OK) t->st = rr_replay_check_time(&world, &t->r, NULL);
    strcpy(t->reason, rr_reason());
    return NULL;
}

static void worlds(int from, int to)
{
    size_t interrupted = 0, attempts = 0;
    for (int seed = from; seed < to; seed++) {
        struct shaken w;
        random_shaken(&w, seed);
        struct twin t[2] = {{.w = &w}, {.w = &w}};
        pthread_t other;
        assert_int_equal(pthread_create(&other, NULL, run, &t[1]), 0);
        run(&t[0]);
        pthread_join(other, NULL);
        if (t[0].st != RR_OK) fail_msg("seed %d: %s", seed, t[0].reason);
        const struct rr_replay *r = &t[0].r;
        no_job_runs_twice_at_once(&w, r);
        classes_hold(&w, r);
        assert_true(r->n_attempts == t[1].r.n_attempts && r->n_leases == t[1].r.n_leases && r->events == t[1].r.events);
        assert_memory_equal(r->outcome, t[1].r.outcome, r->n_jobs * sizeof *r->outcome);
        for (size_t i = 0; i < r->n_attempts; i++) {
            const struct rr_attempt *a = &r->attempt[i], *b = &t[1].r.attempt[i];
            assert_true(a->job == b->job && a->node == b->node && a->start_us == b->start_us && a->end_us == b->end_us &&
                        a->lost_us == b->lost_us);
            interrupted += a->reason >= RR_WHY_PREEMPTED;
        }
        attempts += r->n_attempts;
        rr_replay_done(&t[0].r);
        rr_replay_done(&t[1].r);
    }
    print_message("%d worlds: %zu attempts, %zu interrupted\n", to - from, attempts, interrupted);
    assert_true(interrupted > (size_t)(to - from)); // it shakes indeed
}

static void quick(void **state)
{
    (void)state;
    worlds(0, 1000);
}

static void more(void **state)
{
    (void)state;
    if (!getenv("RACKRATE_LONG")) skip();
    worlds(1000, 30000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(quick), cmocka_unit_test(more)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
