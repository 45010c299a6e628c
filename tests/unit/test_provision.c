/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_provision.c - how nodes come and go, by hand: boots that vary, images, refusals, quotas, whole hours, spilling over, price. */
#include "models/price/price.h"
#include "tests/unit/elastic_case.h"

#include <math.h>
#include <stdlib.h>

static void policy(const char *name, bool blocking)
{
    scenario.scheduler.policy = rr_kind_find(rr_policies, name);
    assert_non_null(scenario.scheduler.policy);
    scenario.scheduler.blocking = blocking;
}

// One job a node, one node a job.
static void far_apart(size_t n, int64_t gap_s)
{
    struct job *j = calloc(n, sizeof *j);
    for (size_t i = 0; i < n; i++) j[i] = (struct job){(int64_t)i * gap_s, 1, 8};
    jobs(j, n);
    free(j);
}

static struct rr_node_shape sixteen = {.gpus = 16, .gpu = "", .name = ""};

// --- boots ---

static void boots_vary_as_they_are_said_to(void **state)
{
    (void)state;
    const size_t n = 4000;
    struct rr_pool *p = pool(0, &eight, 0, 9);
    p->boot = (struct rr_dist){.kind = RR_DIST_EXPONENTIAL, .a = 200 * RR_S};
    far_apart(n, 100000);
    struct rr_replay r = run();
    assert_int_equal(r.n_leases, n);
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += (double)(r.lease[i].ready_us - r.lease[i].start_us) / 1e6;
    if (fabs(sum / (double)n - 200) > 4 * 200 / sqrt((double)n)) fail_msg("mean %g s", sum / (double)n);
    const int64_t third = r.lease[2].ready_us - r.lease[2].start_us;
    rr_replay_done(&r);
    far_apart(3, 90000); // what the third request meets does not depend on when it is made
    r = run();
    assert_int_equal(r.lease[2].ready_us - r.lease[2].start_us, third);
    rr_replay_done(&r);
    p->boot = (struct rr_dist){.kind = RR_DIST_NORMAL, .a = RR_S, .b = 10 * RR_S}; // often below 0: that is no time at all
    far_apart(100, 1000);
    r = run();
    size_t none = 0;
    for (size_t i = 0; i < 100; i++) none += r.lease[i].ready_us == r.lease[i].start_us;
    assert_true(none > 20 && none < 80);
    rr_replay_done(&r);
}

// A boot of 30 s and an image of 10 s; with `stays` the node has it when it is held again.
static void images_are_pulled(void **state)
{
    (void)state;
    for (int stays = 0; stays < 2; stays++) {
        struct rr_pool *p = pool(0, &eight, 0, 2);
        p->boot_us = 30 * RR_S;
        p->image_us = 10 * RR_S;
        p->image_stays = stays;
        jobs((struct job[]){{0, 5, 8}, {100, 50, 8}, {101, 5, 8}}, 3);
        struct rr_replay r = run();
        lease(&r, 0, 0, 40, 45);
        lease(&r, 1, 100, stays ? 130 : 140, stays ? 180 : 190);
        lease(&r, 2, 101, 141, 146); // another node, which has never had it
        rr_replay_done(&r);
    }
}

// --- refusals ---

static void a_pool_that_refuses_is_asked_again_later(void **state)
{
    (void)state;
    struct rr_pool *p = pool(0, &eight, 0, 2);
    p->refuse = 1;
    p->retry_us = 5 * RR_MIN;
    jobs((struct job[]){{0, 5, 8}}, 1);
    world.horizon_us = RR_H;
    struct rr_replay r = run();
    assert_int_equal(r.n_leases, 0);
    assert_int_equal(r.pool[0].refused, 12); // at 0, 300, ... 3300 s
    assert_int_equal(r.outcome[0].state, RR_JOB_WAITING);
    rr_replay_done(&r);
}

static void and_another_is_taken_in_its_place(void **state)
{
    (void)state;
    pool(0, &eight, 0, 2)->refuse = 1;
    pool(1, &eight, 0, 2)->boot_us = 7 * RR_S;
    jobs((struct job[]){{0, 5, 8}, {0, 5, 8}, {0, 5, 16}}, 3);
    struct rr_replay r = run();
    starts(r, 0, 7);
    starts(r, 1, 7);
    starts(r, 2, 12);
    assert_int_equal(r.outcome[0].pool, 1);
    assert_int_equal(r.pool[0].refused, 1);
    rr_replay_done(&r);
}

// 0.3 of the requests: 0.3 / 0.7 refusals a node on average, their variance 0.3 / 0.49.
static void as_often_as_said(void **state)
{
    (void)state;
    const size_t n = 3000;
    struct rr_pool *p = pool(0, &eight, 0, 2);
    p->refuse = 0.3;
    p->retry_us = RR_S;
    far_apart(n, 1000);
    struct rr_replay r = run();
    assert_int_equal(r.n_leases, n);
    const double mean = (double)n * 0.3 / 0.7, sd = sqrt((double)n * 0.3 / 0.49);
    if (fabs((double)r.pool[0].refused - mean) > 4 * sd) fail_msg("%lld refused", (long long)r.pool[0].refused);
    rr_replay_done(&r);
}

static void above_the_quota_all_are_refused(void **state)
{
    (void)state;
    struct rr_pool *p = pool(0, &eight, 0, 3);
    p->quota = 1;
    p->retry_us = 5 * RR_MIN;
    jobs((struct job[]){{0, 700, 8}, {0, 10, 8}, {0, 10, 16}}, 3);
    struct rr_replay r = run();
    starts(r, 1, 700); // on the node of the first
    assert_int_equal(r.n_leases, 1);
    assert_int_equal(r.pool[0].refused, 3);                // at 0, 300 and 600 s
    assert_int_equal(r.outcome[2].state, RR_JOB_REJECTED); // two nodes there can never be
    rr_replay_done(&r);
}

// Wanted by a schedule, refused at first: it goes on asking.
static void what_an_autoscaler_wants_is_asked_for_again(void **state)
{
    (void)state;
    struct rr_pool *p = pool(0, &eight, 0, 4);
    p->refuse = 0.9;
    p->retry_us = 10 * RR_S;
    scaled(p, "schedule", "{\"windows\": [{\"days\": \"Mon-Sun\", \"nodes\": 3}]}");
    scenario.clock = (struct rr_clock){true, 0};
    jobs((struct job[]){{0, 5, 8}}, 1);
    world.horizon_us = RR_H;
    struct rr_replay r = run();
    assert_int_equal(r.n_leases, 3);
    assert_true(r.pool[0].refused > 0);
    assert_int_equal(r.lease[0].start_us % (10 * RR_S), 0);
    rr_replay_done(&r);
}

// --- whole hours ---

// Held from 100 s on, of no use from 1000 s, gone 60 s later at the earliest: paid for until 3700 s, and released then. The job that comes at 3000 s
// keeps it until 3650 s, and 60 s more are in the next hour.
static void idle_nodes_stay_as_long_as_they_are_paid(void **state)
{
    (void)state;
    for (int more = 0; more < 2; more++) {
        struct rr_pool *p = pool(0, &eight, 0, 2);
        p->idle_timeout_us = 60 * RR_S;
        p->idle_align_us = RR_H;
        jobs((struct job[]){{100, 900, 8}, {3000, 650, 8}}, more ? 2 : 1);
        world.horizon_us = 9000 * RR_S;
        struct rr_replay r = run();
        assert_int_equal(r.n_leases, 1);
        lease(&r, 0, 100, 100, more ? 7300 : 3700);
        rr_replay_done(&r);
    }
}

// --- spilling over ---

static const struct {
    const char *policy;
    bool blocking;
} all_policies[] = {{"fifo", true}, {"fifo", false}, {"easy_backfill", false}, {"sjf", false}, {"srtf", false}, {"priority", false}};
#define N_POLICIES (sizeof all_policies / sizeof *all_policies)

static void a_job_spills_over_when_it_has_waited(void **state)
{
    (void)state;
    for (size_t k = 0; k < N_POLICIES; k++) {
        pool(0, &eight, 1, 1);
        pool(1, &eight, 1, 1)->spill_after_us = 10 * RR_MIN;
        policy(all_policies[k].policy, all_policies[k].blocking);
        jobs((struct job[]){{0, 1000, 8}, {100, 2000, 8}, {150, 2500, 8}}, 3);
        struct rr_replay r = run();
        starts(r, 0, 0);
        starts(r, 1, 700); // ten minutes after its submit
        assert_int_equal(r.outcome[1].pool, 1);
        starts(r, 2, 1000); // when the first pool is free again
        assert_int_equal(r.outcome[2].pool, 0);
        rr_replay_done(&r);
    }
}

// The pool grows by those alone that have waited.
static void and_the_pool_grows_only_then(void **state)
{
    (void)state;
    for (size_t k = 0; k < N_POLICIES; k++) {
        if (strcmp(all_policies[k].policy, "srtf") == 0) continue; // takes the first job's node
        pool(0, &eight, 1, 1);
        struct rr_pool *p = pool(1, &eight, 0, 4);
        p->spill_after_us = 10 * RR_MIN;
        p->boot_us = 60 * RR_S;
        p->idle_timeout_us = 5 * RR_S;
        policy(all_policies[k].policy, all_policies[k].blocking);
        jobs((struct job[]){{0, 9000, 8}, {100, 2000, 8}, {650, 2500, 8}}, 3);
        struct rr_replay r = run();
        assert_int_equal(r.n_leases, 3);
        lease(&r, 1, 700, 760, 2765);
        lease(&r, 2, 1250, 1310, 3815);
        starts(r, 1, 760);
        starts(r, 2, 1310);
        rr_replay_done(&r);
    }
}

// A pool that is full by itself holds nobody back.
static void short_jobs_pass_by(void **state)
{
    (void)state;
    pool(0, &eight, 1, 1);
    pool(1, &eight, 1, 1)->spill_after_us = 10 * RR_MIN;
    policy("easy_backfill", false);
    jobs((struct job[]){{0, 1000, 7}, {100, 50, 8}, {150, 500, 1}, {160, 5000, 1}}, 4);
    struct rr_replay r = run();
    starts(r, 2, 150); // ends before 1000 s, when the second job is promised the pool
    starts(r, 1, 700);
    starts(r, 3, 700); // the second job has spilled over and is promised nothing any more
    rr_replay_done(&r);
}

// --- cheapest first ---

static enum rr_status rises(const void *params, int64_t t_us, int64_t *ret_nano)
{
    return (void)params, *ret_nano = t_us < 1000 * RR_S ? 10 : 30, RR_OK;
}
static enum rr_status twenty(const void *params, int64_t t_us, int64_t *ret_nano)
{
    return (void)params, (void)t_us, *ret_nano = 20, RR_OK;
}
static enum rr_status thirty(const void *params, int64_t t_us, int64_t *ret_nano)
{
    return (void)params, (void)t_us, *ret_nano = 30, RR_OK;
}
static const struct rr_price_plan rising = {.kind = {.name = "rising"}, .quote = rises},
                                  fixed = {.kind = {.name = "fixed"}, .quote = twenty}, high = {.kind = {.name = "high"}, .quote = thirty},
                                  paid = {.kind = {.name = "paid"}};

static void cheapest_first_at_the_time(void **state)
{
    (void)state;
    pool(0, &eight, 1, 1)->plan = &fixed.kind;
    pool(1, &eight, 1, 1)->plan = &rising.kind;
    scenario.cheapest_first = true;
    jobs((struct job[]){{0, 10, 8}, {1, 10, 8}, {1000, 10, 8}, {2000, 10, 8}}, 4);
    struct rr_replay r = run();
    assert_int_equal(r.outcome[0].pool, 1);
    assert_int_equal(r.outcome[1].pool, 0);
    assert_int_equal(r.outcome[2].pool, 0);
    rr_replay_done(&r);
}

// 30 for 16 GPUs are less than 20 for 8; equals stay in the order of the scenario; what is paid for already costs nothing.
static void by_the_gpu(void **state)
{
    (void)state;
    pool(0, &eight, 1, 1)->plan = &fixed.kind;
    pool(1, &sixteen, 1, 1)->plan = &high.kind;
    pool(2, &eight, 0, 1)->plan = &fixed.kind;
    scenario.cheapest_first = true;
    jobs((struct job[]){{0, 10, 8}, {0, 10, 8}, {0, 10, 8}, {0, 10, 8}}, 4);
    struct rr_replay r = run();
    static const int order[] = {1, 1, 0, 2};
    for (size_t i = 0; i < 4; i++) assert_int_equal(r.outcome[i].pool, order[i]);
    rr_replay_done(&r);
    pools[2].plan = &paid.kind;
    jobs((struct job[]){{0, 10, 8}}, 1);
    r = run();
    assert_int_equal(r.outcome[0].pool, 1); // the ready node before one that must come
    rr_replay_done(&r);
    pools[0].nodes_min = 0;
    pools[1].nodes_min = 0;
    r = run();
    assert_int_equal(r.outcome[0].pool, 2); // growth goes by price too
    rr_replay_done(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boots_vary_as_they_are_said_to),
        cmocka_unit_test(images_are_pulled),
        cmocka_unit_test(a_pool_that_refuses_is_asked_again_later),
        cmocka_unit_test(and_another_is_taken_in_its_place),
        cmocka_unit_test(as_often_as_said),
        cmocka_unit_test(above_the_quota_all_are_refused),
        cmocka_unit_test(what_an_autoscaler_wants_is_asked_for_again),
        cmocka_unit_test(idle_nodes_stay_as_long_as_they_are_paid),
        cmocka_unit_test(a_job_spills_over_when_it_has_waited),
        cmocka_unit_test(and_the_pool_grows_only_then),
        cmocka_unit_test(short_jobs_pass_by),
        cmocka_unit_test(cheapest_first_at_the_time),
        cmocka_unit_test(by_the_gpu),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
