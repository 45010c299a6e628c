/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_spot_supply.c - spot machines in a replay: who is taken when and why, by hand and over random markets. */
#include "models/price/spot.h"
#include "sim/engine/engine.h"
#include "sim/engine/sim.h"
#include "tests/unit/price_case.h"
#include "tests/unit/test_dir.h"
#include <math.h>

#define JOBS 64
/* A market and the jobs on it, times in seconds. Nodes of 8 GPUs; each job takes `gpus`. */
struct play {
    struct price_case *x;
    int64_t submit[JOBS], run[JOBS];
    int32_t milli[JOBS];
    struct rr_trace trace;
    struct rr_replay r;
};

static const char *put(const char *name, const char *text)
{
    const char *path = in_dir(name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
    return path;
}

static struct play *play_new(const char *plan, int64_t min, int64_t max)
{
    struct play *p = calloc(1, sizeof *p);
    p->x = case_new(NULL, RR_D);
    struct rr_pool *pool = case_pool(p->x, NULL, "spot", plan);
    pool->reclaimable = true;
    pool->nodes_min = min;
    pool->nodes_max = max;
    p->x->s.seed = 11;
    return p;
}

static void job(struct play *p, int64_t submit_s, int64_t run_s, int32_t gpus)
{
    const size_t i = p->trace.n++;
    assert_true(i < JOBS);
    p->submit[i] = submit_s * RR_S;
    p->run[i] = run_s * RR_S;
    p->milli[i] = gpus * 1000;
}

static void play(struct play *p, int64_t horizon_us, uint32_t replication)
{
    struct rr_buf detail = {0};
    if (case_resolve(p->x) != RR_OK) fail_msg("%s", rr_reason());
    p->trace.submit_us = p->submit;
    p->trace.run_us = p->run;
    p->trace.gpus_milli = p->milli;
    const struct rr_world w = {.scenario = &p->x->s, .trace = &p->trace, .replication = replication, .horizon_us = horizon_us};
    if (rr_engine_run(&w, &p->r) != RR_OK) fail_msg("%s", rr_reason());
    if (rr_replay_check_jobs(&w, &p->r, &detail) != RR_OK || rr_replay_check_time(&w, &p->r, &detail) != RR_OK) fail_msg("%s", rr_reason());
    rr_buf_done(&detail);
}

static void play_free(struct play *p)
{
    rr_replay_done(&p->r);
    case_free(p->x);
    free(p);
}

/* Nodes of the spot pool held just before t_s. */
static int64_t held_before(const struct play *p, int64_t t_s)
{
    int64_t n = 0;
    for (size_t i = 0; i < p->r.n_leases; i++)
        n += p->r.lease[i].pool == 0 && p->r.lease[i].start_us < t_s * RR_S && p->r.lease[i].end_us >= t_s * RR_S;
    return n;
}

static const char *series(const char *more)
{
    static char text[1024];
    snprintf(text, sizeof text, "{\"price\": \"$1/h\", \"availability\": \"%s\"%s}",
             put("n.csv", "time,nodes\n0,4\n7200,2\n10800,4\n20000,0\n24000,3\n900000,\n"), more);
    return text;
}

static void capacity_is_taken_and_given(void **state)
{
    (void)state;
    struct play *p = play_new(series(""), 0, 8);
    for (int i = 0; i < 5; i++) job(p, 0, 100000, 8);
    play(p, 30000 * RR_S, 0);
    assert_int_equal(p->r.pool[0].nodes_lost[RR_WHY_RECLAIMED], 2 + 4);
    assert_int_equal(p->r.pool[0].events_of[RR_WHY_RECLAIMED], 2);
    assert_int_equal(p->r.pool[0].nodes_lost[RR_WHY_PRICE], 0);
    assert_int_equal(p->r.n_leases, 4 + 2 + 3);
    static const int64_t at[][2] = {{1, 4},     {7200, 4},  {7201, 2},  {10800, 2}, {10801, 4},
                                    {20000, 4}, {20001, 0}, {24000, 0}, {24001, 3}, {30000, 3}};
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) assert_int_equal(held_before(p, at[i][0]), at[i][1]);
    size_t taken = 0;
    for (size_t i = 0; i < p->r.n_leases; i++) taken += p->r.lease[i].why == RR_WHY_RECLAIMED;
    assert_int_equal(taken, 6);
    play_free(p);
}

/* The price passes the limit at 3,600 s: notice, gone at 3,720 s. It is the limit itself from 7,000 s on: that keeps. */
static void the_price_is_another_cause(void **state)
{
    (void)state;
    char plan[512];
    snprintf(plan, sizeof plan, "{\"price\": \"%s\", \"max_price\": \"$1.2/h\", \"availability\": {\"monthly\": 0.0000001}}",
             put("p.csv", "time,price\n0,1.2\n3600,1.200000001\n5000,1.1\n7000,1.2\n90000,\n"));
    struct play *p = play_new(plan, 0, 3);
    for (int i = 0; i < 3; i++) job(p, 0, 100000, 8);
    play(p, 30000 * RR_S, 0);
    assert_int_equal(p->r.pool[0].nodes_lost[RR_WHY_PRICE], 3);
    assert_int_equal(p->r.pool[0].nodes_lost[RR_WHY_RECLAIMED], 0);
    assert_int_equal(held_before(p, 3720), 3);
    assert_int_equal(held_before(p, 3721), 0);
    assert_int_equal(held_before(p, 5000), 0);
    assert_int_equal(held_before(p, 5001), 3);
    assert_int_equal(held_before(p, 30000), 3);
    play_free(p);
}

static void a_start_above_the_limit_holds_nothing(void **state)
{
    (void)state;
    char plan[512];
    snprintf(plan, sizeof plan, "{\"price\": \"%s\", \"max_price\": \"$1/h\", \"availability\": {\"monthly\": 0.0000001}}",
             put("p.csv", "time,price\n0,1.2\n3600,0.9\n90000,\n"));
    struct play *p = play_new(plan, 3, 3);
    job(p, 0, 1000, 8);
    play(p, 30000 * RR_S, 0);
    assert_int_equal(p->r.pool[0].nodes_lost[RR_WHY_PRICE], 0);
    assert_int_equal(held_before(p, 3600), 0);
    assert_int_equal(held_before(p, 3601), 3); // min: without a job too
    assert_int_equal(p->r.outcome[0].start_us, 3600 * RR_S);
    play_free(p);
}

/* Notice at 7,080 s, gone at 7,200 s; a job that ends in between gives its node back then, and none starts there. */
static void a_node_under_notice_is_drained(void **state)
{
    (void)state;
    char plan[512];
    snprintf(plan, sizeof plan, "{\"price\": \"$1/h\", \"availability\": \"%s\"}", put("n.csv", "time,nodes\n0,1\n7200,0\n90000,\n"));
    struct play *p = play_new(plan, 0, 1);
    job(p, 0, 7100, 8);
    job(p, 10, 5, 8);
    play(p, 30000 * RR_S, 0);
    assert_int_equal(p->r.outcome[0].state, RR_JOB_FINISHED);
    assert_int_equal(p->r.outcome[1].state, RR_JOB_WAITING);
    assert_int_equal(p->r.n_leases, 1);
    assert_int_equal(p->r.lease[0].end_us, 7100 * RR_S);
    assert_int_equal(p->r.lease[0].why, RR_WHY_RECLAIMED);
    assert_int_equal(p->r.pool[0].nodes_lost[RR_WHY_RECLAIMED], 1);
    play_free(p);
}

/* 40 s to write: what was done until the notice is kept. */
static void a_notice_saves_the_work(void **state)
{
    (void)state;
    for (int saves = 0; saves < 2; saves++) {
        char plan[512];
        snprintf(plan, sizeof plan, "{\"price\": \"$1/h\", \"availability\": \"%s\"}",
                 put("n.csv", "time,nodes\n0,1\n7200,0\n8000,1\n90000,\n"));
        struct play *p = play_new(plan, 0, 1);
        p->x->s.checkpoint = (struct rr_checkpoint){.write_us = 40 * RR_S, .on_notice = saves};
        job(p, 0, 10000, 8);
        play(p, 30000 * RR_S, 0);
        assert_int_equal(p->r.outcome[0].end_us, (8000 + (saves ? 10000 - 7080 : 10000)) * RR_S);
        assert_int_equal(p->r.outcome[0].lost_us, (saves ? 120 : 7200) * RR_S);
        play_free(p);
    }
}

/* Capacity that dips for less than the notice: the warning goes to those above the least of the window. */
static void a_dip_shorter_than_the_notice(void **state)
{
    (void)state;
    char plan[512];
    snprintf(plan, sizeof plan, "{\"price\": \"$1/h\", \"availability\": \"%s\"}",
             put("n.csv", "time,nodes\n0,5\n7200,3\n7210,2\n7220,5\n90000,\n"));
    struct play *p = play_new(plan, 0, 5);
    for (int i = 0; i < 5; i++) job(p, 0, 100000, 8);
    play(p, 30000 * RR_S, 0);
    assert_int_equal(held_before(p, 7200), 5);
    assert_int_equal(held_before(p, 7201), 3);
    assert_int_equal(held_before(p, 7211), 2);
    assert_int_equal(held_before(p, 7221), 5);
    assert_int_equal(p->r.pool[0].nodes_lost[RR_WHY_RECLAIMED], 3);
    play_free(p);
}

static void what_spot_does_not_take_goes_on_demand(void **state)
{
    (void)state;
    char plan[512];
    snprintf(plan, sizeof plan, "{\"price\": \"$1/h\", \"availability\": \"%s\"}", put("n.csv", "time,nodes\n0,1\n7200,0\n90000,\n"));
    struct play *p = play_new(plan, 0, 4);
    struct rr_pool *od = case_pool(p->x, NULL, "on_demand", "{\"rate\": \"$3/h\"}");
    struct rr_class c = {.name = "sure", .pointer = "/classes/sure", .interruptible = false};
    const char *names[] = {"", "sure"};
    uint16_t of[JOBS] = {0, 1};
    od->nodes_max = 4;
    p->x->s.classes = &c;
    p->x->s.n_classes = 1;
    p->trace.class_id = of;
    p->trace.class_name = names;
    p->trace.n_classes = 2;
    job(p, 0, 10000, 8);
    job(p, 0, 500, 8); // not interruptible: never on spot, though there is room
    play(p, RR_NEVER, 0);
    assert_int_equal(p->r.outcome[1].pool, 1);
    assert_int_equal(p->r.outcome[1].start_us, 0);
    assert_int_equal(p->r.outcome[0].pool, 1); // its second attempt
    assert_int_equal(p->r.outcome[0].attempts, 2);
    assert_int_equal(p->r.outcome[0].end_us, (7200 + 10000) * RR_S);
    play_free(p);
}

/* Nodes of a fixed fleet are hit with their hazard, in batches, and come back. */
static void hazard_and_batches(void **state)
{
    (void)state;
    struct play *p = play_new(
        "{\"price\": \"$1/h\", \"notice\": \"30 s\", \"availability\": {\"hazard\": \">20 %\", \"batch\": 2.1, \"back\": \"10 min\"}}", 9,
        9);
    const int64_t months = 3000;
    job(p, 0, 60, 8);
    play(p, months * RR_SPOT_MONTH_US, 2);
    const struct rr_pool_time *t = &p->r.pool[0];
    const double node_months = (double)t->held / 8000 / (double)RR_SPOT_MONTH_US, mean = -log(0.75) * node_months;
    assert_true(node_months > 0.999 * 9 * (double)months);
    const double n = (double)t->nodes_lost[RR_WHY_RECLAIMED], events = (double)t->events_of[RR_WHY_RECLAIMED];
    // counts of batches: the variance of the sum is about E[B^2] / E[B] times that of a Poisson count
    if (fabs(n - mean) > 5 * sqrt(3.2 * mean)) fail_msg("%g nodes lost; %g expected", n, mean);
    if (fabs(n / events - rr_spot_batch_cut(2.1, 9)) > 0.12) fail_msg("%g nodes an event", n / events);
    play_free(p);
}

/* Over random capacities: never more than there is, nothing is lost but by the market, and the same world gives the same bytes. */
static void random_markets(void **state)
{
    (void)state;
    struct rr_rng rng;
    rr_rng_init(&rng, 3, 0, RR_RNG_TEST, 77);
    for (int k = 0; k < 60; k++) {
        struct rr_buf text = {0};
        int64_t at[40], cap[40], t = 0;
        char plan[512];
        rr_buf_puts(&text, "time,nodes\n");
        for (int i = 0; i < 40; i++) {
            at[i] = t;
            cap[i] = (int64_t)rr_rng_below(&rng, 7);
            rr_buf_putf(&text, "%lld,%lld\n", (long long)t, (long long)cap[i]);
            t += 1 + (int64_t)rr_rng_below(&rng, i % 3 ? 2000 : 150);
        }
        rr_buf_putf(&text, "%lld,\n", (long long)t);
        snprintf(plan, sizeof plan, "{\"price\": \"$1/h\", \"notice\": \"%d s\", \"availability\": \"%s\"}", (int)rr_rng_below(&rng, 200),
                 put("n.csv", rr_buf_text(&text)));
        rr_buf_done(&text);
        const int64_t min = (int64_t)rr_rng_below(&rng, 3), gpus = 1 + (int64_t)rr_rng_below(&rng, 20);
        struct play *p[2];
        for (int twice = 0; twice < 2; twice++) {
            struct rr_rng jobs;
            rr_rng_init(&jobs, 5, (uint32_t)k, RR_RNG_TEST, 1);
            p[twice] = play_new(plan, min, 6);
            p[twice]->x->pool[0].boot_us = (k % 3) * 90 * RR_S;
            p[twice]->x->pool[0].idle_timeout_us = (k % 4) * 100 * RR_S;
            int64_t submit = 0;
            for (int i = 0; i < 30; i++, submit += (int64_t)rr_rng_below(&jobs, 1500))
                job(p[twice], submit, 1 + (int64_t)rr_rng_below(&jobs, 4000), 1 + (int32_t)rr_rng_below(&jobs, (uint64_t)gpus));
            play(p[twice], t * RR_S, (uint32_t)k);
        }
        const struct play *a = p[0];
        for (int i = 0; i < 39; i++) // just before the next change
            if (held_before(a, at[i + 1]) > cap[i])
                fail_msg("market %d: %lld nodes held at %lld s", k, (long long)held_before(a, at[i + 1]), (long long)at[i + 1]);
        for (int why = 0; why < RR_WHYS; why++) assert_true(why == RR_WHY_RECLAIMED || a->r.pool[0].nodes_lost[why] == 0);
        assert_int_equal(a->r.n_leases, p[1]->r.n_leases);
        assert_memory_equal(a->r.outcome, p[1]->r.outcome, a->r.n_jobs * sizeof *a->r.outcome);
        play_free(p[0]);
        play_free(p[1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(capacity_is_taken_and_given),
        cmocka_unit_test(the_price_is_another_cause),
        cmocka_unit_test(a_start_above_the_limit_holds_nothing),
        cmocka_unit_test(a_node_under_notice_is_drained),
        cmocka_unit_test(a_notice_saves_the_work),
        cmocka_unit_test(a_dip_shorter_than_the_notice),
        cmocka_unit_test(what_spot_does_not_take_goes_on_demand),
        cmocka_unit_test(hazard_and_batches),
        cmocka_unit_test(random_markets),
    };
    return cmocka_run_group_tests(tests, test_dir_make, test_dir_remove);
}
