/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_attempt.c - what an interruption leaves of an attempt, worked out by hand; small worlds with lost nodes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "sim/engine/attempt.h"
#include "sim/supply/supply.h"
#include <stdlib.h>

static void is(const struct rr_course *c, int64_t at, int64_t kept, int64_t work, int64_t restart, int64_t checkpoint)
{
    const struct rr_progress p = rr_course_at(c, at);
    if (p.kept_us != kept || p.work_us != work || p.restart_us != restart || p.checkpoint_us != checkpoint)
        fail_msg("at %lld: kept %lld, work %lld, restart %lld, checkpoint %lld; expected %lld, %lld, %lld, %lld", (long long)at,
                 (long long)p.kept_us, (long long)p.work_us, (long long)p.restart_us, (long long)p.checkpoint_us, (long long)kept,
                 (long long)work, (long long)restart, (long long)checkpoint);
}

// owed 2, start 7, then work 10, write 3, work 10, write 3, work 9: 44 in all.
static void phases(void **state)
{
    (void)state;
    const struct rr_course c = {.owed_us = 2, .start_us = 7, .work_us = 29, .interval_us = 10, .write_us = 3, .speed_ppm = 1000000};
    assert_int_equal(rr_course_us(&c), 44);
    is(&c, 0, 0, 0, 0, 0);
    is(&c, 1, 0, 0, 0, 1); // paying for an old write
    is(&c, 2, 0, 0, 0, 2);
    is(&c, 5, 0, 0, 3, 2);    // starting
    is(&c, 9, 0, 0, 7, 2);    // about to work
    is(&c, 18, 0, 9, 7, 2);   // before the first write
    is(&c, 19, 0, 10, 7, 2);  // at it
    is(&c, 21, 0, 10, 7, 2);  // within it: not kept
    is(&c, 22, 10, 10, 7, 5); // just done
    is(&c, 31, 10, 19, 7, 5);
    is(&c, 34, 10, 20, 7, 5);
    is(&c, 35, 20, 20, 7, 8);
    is(&c, 43, 20, 28, 7, 8);
    is(&c, 44, 20, 29, 7, 8); // the end: no write
}

static void no_write_at_the_very_end(void **state)
{
    (void)state;
    struct rr_course c = {.work_us = 30, .interval_us = 10, .write_us = 3, .speed_ppm = 1000000};
    assert_int_equal(rr_course_us(&c), 36); // two writes, not three
    is(&c, 36, 20, 30, 0, 6);
    c.work_us = 10;
    assert_int_equal(rr_course_us(&c), 10);
    c.work_us = 0;
    assert_int_equal(rr_course_us(&c), 0);
    c.interval_us = RR_NEVER;
    c.work_us = 1000000;
    assert_int_equal(rr_course_us(&c), 1000000);
    is(&c, 999999, 0, 999999, 0, 0);
    c.work_us = RR_NEVER;
    assert_true(rr_course_us(&c) == RR_NEVER);
    c.interval_us = 10;
    is(&c, 100, 70, 79, 0, 21);
}

static void speeds_are_exact(void **state)
{
    (void)state;
    assert_int_equal(rr_course_wall(1000, 2500000), 400);
    assert_int_equal(rr_course_wall(1001, 2500000), 401); // rounded up
    assert_int_equal(rr_course_wall(1000, 333000), 3004);
    assert_int_equal(rr_course_wall(INT64_C(1) << 62, 1), RR_NEVER);
    assert_true(rr_course_wall(RR_NEVER, 2500000) == RR_NEVER);
    assert_int_equal(rr_course_work(401, 2500000), 1002);
    assert_int_equal(rr_course_work(3004, 333000), 1000);
    for (int64_t w = 0; w < 5000; w += 37)
        for (int32_t v = 1; v < 5000000; v += 131071) assert_true(rr_course_work(rr_course_wall(w, v), v) >= w); // never short at the end
}

// --- small worlds: times in seconds ---

struct act {
    int64_t at_s;
    enum { LOSE, DRAIN, BACK } what;
    uint32_t node;
    int64_t notice_s;
    enum rr_reason why;
};
static const struct act *script;
static size_t n_script;
static uint32_t told_drained;
static const struct rr_supply scripted;
static double mtbf_us;

static enum rr_status script_init(void *state, struct rr_sim *s)
{
    (void)state;
    for (size_t i = 0; i < n_script; i++) rr_supply_at(s, &scripted, script[i].at_s * RR_S, RR_EV_FAILURE, i);
    for (size_t i = 0; i < s->n_pools; i++) s->node_mtbf_us[i] = mtbf_us;
    return RR_OK;
}

static void script_event(void *state, struct rr_sim *s, enum rr_event_kind kind, uint64_t data)
{
    (void)state, (void)kind;
    const struct act *a = &script[data];
    if (a->what == LOSE)
        rr_sim_node_lost(s, 0, a->node, a->why ? a->why : RR_WHY_NODE_FAILURE, a->notice_s * RR_S, RR_FATE_DOWN);
    else if (a->what == DRAIN)
        rr_sim_node_drain(s, 0, a->node);
    else
        rr_sim_node_back(s, 0, a->node);
}

static void script_drained(void *state, struct rr_sim *s, size_t pool, uint32_t node)
{
    (void)state;
    assert_true(rr_sim_node_is_closed(s, pool, node) && rr_sim_first_on(s, pool, node) == RR_NO_SLOT);
    told_drained++;
}

static const struct rr_supply scripted = {.name = "scripted", .init = script_init, .event = script_event, .drained = script_drained};

#define MOST 4
struct small {
    struct rr_trace trace;
    int64_t submit[MOST], run[MOST];
    int32_t milli[MOST];
    struct rr_node_shape shape;
    struct rr_pool pool;
    struct rr_scenario scenario;
    struct rr_world world;
    struct rr_replay replay;
};

static void small(struct small *w, int nodes, int gpus, struct rr_checkpoint checkpoint, const char *policy)
{
    static const struct rr_supply *const list[] = {&scripted};
    *w = (struct small){.shape = {.gpus = gpus, .gpu = "", .name = ""}};
    w->trace = (struct rr_trace){.submit_us = w->submit, .run_us = w->run, .gpus_milli = w->milli};
    w->pool = (struct rr_pool){
        .name = "p", .pointer = "/pools/p", .shape = &w->shape, .n_shapes = 1, .nodes_min = nodes, .nodes_max = nodes, .gpu = ""};
    w->scenario = (struct rr_scenario){.pool = &w->pool, .n_pools = 1, .checkpoint = checkpoint};
    w->scenario.scheduler = (struct rr_scheduler){.policy = rr_kind_find(rr_policies, policy), .blocking = true};
    w->world = (struct rr_world){.scenario = &w->scenario, .trace = &w->trace, .horizon_us = RR_NEVER, .supply = list, .n_supply = 1};
}

static void job(struct small *w, int64_t submit_s, int64_t run_s, int gpus)
{
    w->submit[w->trace.n] = submit_s * RR_S;
    w->run[w->trace.n] = run_s * RR_S;
    w->milli[w->trace.n++] = 1000 * gpus;
}

static void replay(struct small *w, const struct act *acts, size_t n)
{
    script = acts;
    n_script = n;
    told_drained = 0;
    if (rr_engine_run(&w->world, &w->replay) != RR_OK || rr_replay_check_jobs(&w->world, &w->replay, NULL) != RR_OK ||
        rr_replay_check_time(&w->world, &w->replay, NULL) != RR_OK)
        fail_msg("%s", rr_reason());
}

static void attempt_is(const struct small *w, size_t i, uint32_t j, int64_t start_s, int64_t end_s, int64_t lost_s, enum rr_reason why)
{
    assert_true(i < w->replay.n_attempts);
    const struct rr_attempt *a = &w->replay.attempt[i];
    if (a->job != j || a->start_us != start_s * RR_S || a->end_us != end_s * RR_S || a->lost_us != lost_s * RR_S || a->reason != why)
        fail_msg("attempt %zu: job %u from %lld to %lld us, %lld lost, %s", i, a->job, (long long)a->start_us, (long long)a->end_us,
                 (long long)a->lost_us, rr_why_text((enum rr_reason)a->reason));
}

// Start 5, then 100 of work and 10 of write in turn; the node fails at 300 and is back at 400.
static void a_failure_keeps_what_was_written(void **state)
{
    (void)state;
    struct small w;
    small(&w, 1, 8,
          (struct rr_checkpoint){
              .rule = RR_INTERVAL_FIXED, .interval_us = 100 * RR_S, .write_us = 10 * RR_S, .restore_us = 20 * RR_S, .start_us = 5 * RR_S},
          "fifo");
    job(&w, 0, 350, 4);
    replay(&w, (const struct act[]){{300, LOSE, 0, 0, 0}, {400, BACK, 0, 0, 0}}, 2);
    // written at 115 and 225; 70 thrown away. Then 25 of start and restore, 150 of work and one write.
    attempt_is(&w, 0, 0, 0, 300, 100, RR_WHY_NODE_FAILURE);
    attempt_is(&w, 1, 0, 400, 585, 35, RR_WHY_NONE);
    const struct rr_outcome *o = &w.replay.outcome[0];
    assert_true(o->start_us == 0 && o->end_us == 585 * RR_S && o->attempts == 2 && o->lost_us == 135 * RR_S && o->state == RR_JOB_FINISHED);
    assert_int_equal(w.replay.held_us[0], 485 * RR_S);
    const struct rr_pool_time *t = &w.replay.pool[0];
    assert_true(t->used == (rr_i128)4000 * 350 * RR_S && t->lost == (rr_i128)4000 * 135 * RR_S);
    assert_true(t->lost_to[RR_WHY_RESTART] == (rr_i128)4000 * 30 * RR_S && t->lost_to[RR_WHY_CHECKPOINT] == (rr_i128)4000 * 30 * RR_S);
    assert_true(t->lost_to[RR_WHY_NODE_FAILURE] == (rr_i128)4000 * 75 * RR_S);
    assert_true(t->down == (rr_i128)8000 * 100 * RR_S && t->idle == (rr_i128)4000 * 485 * RR_S);
    assert_true(t->nodes_lost[RR_WHY_NODE_FAILURE] == 1 && t->events_of[RR_WHY_NODE_FAILURE] == 1);
    assert_true(t->interrupted[RR_WHY_NODE_FAILURE] == 1 && t->interrupted[RR_WHY_PREEMPTED] == 0);
    rr_replay_done(&w.replay);
}

static void without_checkpoints_all_is_lost(void **state)
{
    (void)state;
    struct small w;
    small(&w, 2, 8, (struct rr_checkpoint){0}, "easy_backfill");
    job(&w, 0, 350, 8);
    replay(&w, (const struct act[]){{349, LOSE, 0, 0, 0}}, 1);
    attempt_is(&w, 0, 0, 0, 349, 349, RR_WHY_NODE_FAILURE);
    attempt_is(&w, 1, 0, 349, 699, 0, RR_WHY_NONE); // on the other node, at once
    assert_int_equal(w.replay.attempt[1].node, 1);
    assert_true(w.replay.pool[0].down == (rr_i128)8000 * 350 * RR_S);
    rr_replay_done(&w.replay);
}

// 15 GPUs on two nodes of 8, and a job of one node beside; the gang dies with its second node, the other lives.
static void a_gang_dies_with_one_node(void **state)
{
    (void)state;
    struct small w;
    small(&w, 3, 8, (struct rr_checkpoint){0}, "fifo");
    job(&w, 0, 100, 15);
    job(&w, 0, 200, 3);
    replay(&w, (const struct act[]){{60, LOSE, 1, 0, RR_WHY_POWER_FAILURE}, {80, BACK, 1, 0, 0}}, 2);
    attempt_is(&w, 0, 0, 0, 60, 60, RR_WHY_POWER_FAILURE);
    attempt_is(&w, 1, 0, 80, 180, 0, RR_WHY_NONE);
    attempt_is(&w, 2, 1, 0, 200, 0, RR_WHY_NONE);
    assert_true(w.replay.attempt[0].node == 0 && w.replay.attempt[0].nodes == 2 && w.replay.attempt[0].gpus_milli == 15000);
    rr_replay_done(&w.replay);
}

// Notice 30 before: the work until then is saved if a write (10) fits.
static void a_notice_saves(void **state)
{
    (void)state;
    struct small w;
    const struct rr_checkpoint c = {.write_us = 10 * RR_S, .restore_us = 3 * RR_S, .on_notice = true};
    small(&w, 2, 8, c, "fifo");
    job(&w, 0, 500, 8);
    replay(&w, (const struct act[]){{200, LOSE, 0, 30, RR_WHY_RECLAIMED}}, 1);
    attempt_is(&w, 0, 0, 0, 200, 30, RR_WHY_RECLAIMED); // 170 kept, 10 of the 30 are the write
    assert_int_equal(w.replay.attempt[0].overhead_us, 10 * RR_S);
    attempt_is(&w, 1, 0, 200, 533, 3, RR_WHY_NONE);
    rr_replay_done(&w.replay);

    small(&w, 2, 8, c, "fifo");
    job(&w, 0, 500, 8);
    replay(&w, (const struct act[]){{200, LOSE, 0, 9, RR_WHY_RECLAIMED}}, 1); // too short
    attempt_is(&w, 0, 0, 0, 200, 200, RR_WHY_RECLAIMED);
    rr_replay_done(&w.replay);
}

// Preempted for jobs of 10 s at 50 (a write of 30 is owed), at 70 after 10 of it, at 85 after 5 more: 15 are left, then start 2 and restore 4.
static void an_owed_write_is_paid_in_full(void **state)
{
    (void)state;
    struct small w;
    small(&w, 1, 8, (struct rr_checkpoint){.write_us = 30 * RR_S, .restore_us = 4 * RR_S, .start_us = 2 * RR_S}, "srtf");
    job(&w, 0, 500, 8);
    job(&w, 50, 8, 8); // 10 with its start
    job(&w, 70, 8, 8);
    job(&w, 85, 8, 8);
    replay(&w, NULL, 0);
    attempt_is(&w, 0, 0, 0, 50, 2, RR_WHY_PREEMPTED);
    attempt_is(&w, 1, 1, 50, 60, 2, RR_WHY_NONE);
    attempt_is(&w, 2, 0, 60, 70, 10, RR_WHY_PREEMPTED);
    attempt_is(&w, 3, 2, 70, 80, 2, RR_WHY_NONE);
    attempt_is(&w, 4, 0, 80, 85, 5, RR_WHY_PREEMPTED);
    attempt_is(&w, 5, 3, 85, 95, 2, RR_WHY_NONE);
    attempt_is(&w, 6, 0, 95, 568, 21, RR_WHY_NONE); // 15 + 2 + 4, and 452 of work
    assert_true(w.replay.pool[0].lost_to[RR_WHY_CHECKPOINT] == (rr_i128)8000 * 30 * RR_S);
    assert_int_equal(w.replay.pool[0].interrupted[RR_WHY_PREEMPTED], 3);
    rr_replay_done(&w.replay);
}

// Nothing was kept: no restore. Something was: at every start from then on.
static void only_a_checkpoint_is_restored(void **state)
{
    (void)state;
    struct small w;
    small(&w, 1, 8, (struct rr_checkpoint){.write_us = 30 * RR_S, .restore_us = 40 * RR_S, .start_us = 2 * RR_S, .on_preempt = 1}, "srtf");
    job(&w, 0, 500, 8);
    job(&w, 50, 8, 8);
    replay(&w, NULL, 0);
    attempt_is(&w, 0, 0, 0, 50, 50, RR_WHY_PREEMPTED);
    attempt_is(&w, 2, 0, 60, 562, 2, RR_WHY_NONE);
    rr_replay_done(&w.replay);

    small(&w, 1, 8,
          (struct rr_checkpoint){
              .rule = RR_INTERVAL_FIXED, .interval_us = 100 * RR_S, .write_us = 10 * RR_S, .restore_us = 20 * RR_S, .start_us = 5 * RR_S},
          "fifo");
    job(&w, 0, 190, 8);
    replay(&w, (const struct act[]){{100, LOSE, 0, 0, 0}, {110, BACK, 0, 0, 0}, {230, LOSE, 0, 0, 0}, {240, BACK, 0, 0, 0}}, 4);
    attempt_is(&w, 0, 0, 0, 100, 100, RR_WHY_NODE_FAILURE);  // 95 of work, not written
    attempt_is(&w, 1, 0, 110, 230, 20, RR_WHY_NODE_FAILURE); // 5, 100 kept, 10 of write, 5 more
    attempt_is(&w, 2, 0, 240, 355, 25, RR_WHY_NONE);
    rr_replay_done(&w.replay);
}

static void draining_lets_jobs_end(void **state)
{
    (void)state;
    struct small w;
    small(&w, 1, 8, (struct rr_checkpoint){0}, "fifo");
    job(&w, 0, 100, 3);
    job(&w, 20, 50, 1);
    replay(&w, (const struct act[]){{10, DRAIN, 0, 0, 0}, {130, BACK, 0, 0, 0}}, 2);
    assert_int_equal(told_drained, 1);
    attempt_is(&w, 0, 0, 0, 100, 0, RR_WHY_NONE);
    attempt_is(&w, 1, 1, 130, 180, 0, RR_WHY_NONE);
    assert_true(w.replay.pool[0].down == (rr_i128)(5000 * 90 + 8000 * 30) * RR_S); // 5 free from 10 on, 8 from 100 on
    assert_true(w.replay.lease[0].down_milli_us == (int64_t)(5000 * 90 + 8000 * 30) * RR_S);
    rr_replay_done(&w.replay);
}

// A job interrupted goes back to its place: it was the first.
static void an_interrupted_job_is_first_again(void **state)
{
    (void)state;
    static const char *const policies[] = {"fifo", "easy_backfill"};
    for (int p = 0; p < 2; p++) {
        struct small w;
        small(&w, 1, 8, (struct rr_checkpoint){0}, policies[p]);
        job(&w, 0, 100, 8);
        job(&w, 1, 100, 8);
        job(&w, 2, 100, 8);
        replay(&w, (const struct act[]){{50, LOSE, 0, 0, 0}, {60, BACK, 0, 0, 0}}, 2);
        for (uint32_t j = 0; j < 3; j++) assert_int_equal(w.replay.outcome[j].end_us, (160 + 100 * j) * RR_S);
        rr_replay_done(&w.replay);
    }
}

static void hopeless_plans_are_refused(void **state)
{
    (void)state;
    struct small w;
    small(&w, 4, 8, (struct rr_checkpoint){0}, "fifo");
    job(&w, 0, 4000, 32);
    mtbf_us = 1600.0 * RR_S; // 400 s for four nodes: 4,000 s without a failure
    script = NULL;
    n_script = 0;
    assert_int_equal(rr_engine_run(&w.world, &w.replay), RR_EINPUT);
    assert_string_equal(rr_reason(),
                        "job 1 on 4 nodes of pool p would in effect never end: it needs 1.11 h without a failure, which come every "
                        "0.111 h; give it a shorter \"interval\" in \"checkpoint\"");
    w.scenario.checkpoint = (struct rr_checkpoint){.rule = RR_INTERVAL_DALY, .interval = "daly", .write_us = 2 * RR_S};
    replay(&w, NULL, 0);
    // Daly's interval for M = 400 s, C = 2 s is 38.67778 s
    assert_int_equal(w.replay.attempt[0].overhead_us, 2 * RR_S * (4000 * RR_S / 38677778));
    rr_replay_done(&w.replay);
    mtbf_us = 0;
    assert_int_equal(rr_engine_run(&w.world, &w.replay), RR_EINPUT);
    assert_string_equal(rr_reason(),
                        "/checkpoint/interval: \"daly\" follows from how often nodes fail; add \"failures\", or give a time such as "
                        "\"30 min\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(phases),
                                       cmocka_unit_test(no_write_at_the_very_end),
                                       cmocka_unit_test(speeds_are_exact),
                                       cmocka_unit_test(a_failure_keeps_what_was_written),
                                       cmocka_unit_test(without_checkpoints_all_is_lost),
                                       cmocka_unit_test(a_gang_dies_with_one_node),
                                       cmocka_unit_test(a_notice_saves),
                                       cmocka_unit_test(an_owed_write_is_paid_in_full),
                                       cmocka_unit_test(only_a_checkpoint_is_restored),
                                       cmocka_unit_test(draining_lets_jobs_end),
                                       cmocka_unit_test(an_interrupted_job_is_first_again),
                                       cmocka_unit_test(hopeless_plans_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
