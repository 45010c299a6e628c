/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_deadline.c - the deadline policies on markets that can be worked out by hand, with boots and several jobs; what they refuse. */
#include "models/price/spot.h"
#include "sim/engine/sim.h"
#include "sim/policy/deadline.h"
#include "tests/unit/price_case.h"
#include "tests/unit/test_dir.h"

/* Spot nodes as in the series, 4 nodes on demand at most; jobs of a node each. Times in minutes. */
struct run {
    struct price_case *x;
    struct rr_deadline_params p;
    int64_t submit[8], length[8], due[8];
    int32_t milli[8];
    struct rr_trace trace;
    struct rr_replay r;
};

static struct run *run_new(const struct rr_policy *policy, const char *nodes, int64_t boot_min)
{
    struct run *u = calloc(1, sizeof *u);
    u->x = case_new(NULL, RR_D);
    const char *path = in_dir("n.csv");
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f, "time,nodes\n%s", nodes);
    fclose(f);
    struct rr_pool *spot =
        case_pool(u->x, NULL, "spot", rr_strf(u->x->arena, "{\"price\": \"$1/h\", \"notice\": \"0 s\", \"availability\": \"%s\"}", path));
    struct rr_pool *sure = case_pool(u->x, NULL, "on_demand", "{\"rate\": \"$3/h\"}");
    spot->reclaimable = true;
    spot->nodes_max = sure->nodes_max = 4;
    spot->boot_us = sure->boot_us = boot_min * RR_MIN;
    u->x->s.checkpoint = (struct rr_checkpoint){.rule = RR_INTERVAL_FIXED, .interval_us = RR_S, .start_us = 5 * RR_MIN};
    u->p = (struct rr_deadline_params){.given = 3, .deadline_us = 10 * RR_H, .change_us = 5 * RR_MIN, .step_us = 10 * RR_MIN};
    u->x->s.scheduler.policy = &policy->kind;
    u->x->s.scheduler.policy_params = &u->p;
    return u;
}

static void job(struct run *u, int64_t submit_min, int64_t length_min)
{
    const size_t i = u->trace.n++;
    u->submit[i] = submit_min * RR_MIN;
    u->length[i] = length_min * RR_MIN;
    u->milli[i] = 8000;
    u->due[i] = RR_NEVER;
}

static enum rr_status go(struct run *u)
{
    struct rr_buf detail = {0};
    if (case_resolve(u->x) != RR_OK) fail_msg("%s", rr_reason());
    u->trace.submit_us = u->submit;
    u->trace.run_us = u->length;
    u->trace.gpus_milli = u->milli;
    u->trace.deadline_us = u->due;
    const struct rr_world w = {.scenario = &u->x->s, .trace = &u->trace, .horizon_us = RR_NEVER};
    const enum rr_status st = rr_engine_run(&w, &u->r);
    if (st != RR_OK) return st;
    if (rr_replay_check_jobs(&w, &u->r, &detail) != RR_OK || rr_replay_check_time(&w, &u->r, &detail) != RR_OK) fail_msg("%s", rr_reason());
    rr_buf_done(&detail);
    return RR_OK;
}

static void run_free(struct run *u)
{
    rr_replay_done(&u->r);
    case_free(u->x);
    free(u);
}

static void went(struct run *u)
{
    if (go(u) != RR_OK) fail_msg("%s", rr_reason());
}

static int64_t minutes(int64_t us) { return us / RR_MIN; }
static int64_t on_demand_min(const struct run *u) { return (int64_t)(u->r.pool[1].held / 8000 / RR_MIN); }

/* 300 minutes of work until 600. Spot from 0 to 105, then none. Greedy: 5 + 100 done; waits while 600 - t - 200 >= 10, until 390 and a moment;
 * then 5 + 200 on demand. */
static void greedy_waits_for_the_net(void **state)
{
    (void)state;
    struct run *u = run_new(&rr_policy_deadline_greedy, "0,1\n6300,0\n90000,\n", 0);
    job(u, 0, 300);
    went(u);
    assert_int_equal(minutes(u->r.outcome[0].end_us), 595);
    assert_int_equal(on_demand_min(u), 205);
    assert_int_equal(u->r.outcome[0].attempts, 2);
    run_free(u);
}

/* The line is t / 2. Spot ends at 105 with 100 done: below the line from 200 on; decisions at tens: 210, on demand until the progress is that of
 * the line two change-overs ahead: 100 + (x - 5) >= (210 + x + 10) / 2, x = 30 at the decision at 240; and so on. */
static void uniform_follows_the_line(void **state)
{
    (void)state;
    struct run *u = run_new(&rr_policy_deadline_uniform, "0,1\n6300,0\n90000,\n", 0);
    job(u, 0, 300);
    went(u);
    assert_true(u->r.outcome[0].end_us <= 10 * RR_H);
    size_t first = 0;
    while (first < u->r.n_leases && u->r.lease[first].pool == 0) first++;
    assert_int_equal(minutes(u->r.lease[first].start_us), 210);
    assert_int_equal(minutes(u->r.lease[first].end_us), 240);
    assert_true(on_demand_min(u) > 205);
    run_free(u);
}

/* Spot comes again from 300 to 480: one who knows waits for it. 100 done by then, 175 more, and 25 + 5 on demand, in steps of 10. */
static void omniscient_knows(void **state)
{
    (void)state;
    struct run *u = run_new(&rr_policy_deadline_omniscient, "0,1\n6300,0\n18000,1\n28800,0\n90000,\n", 0);
    job(u, 0, 300);
    went(u);
    assert_true(u->r.outcome[0].end_us <= 10 * RR_H);
    assert_true(on_demand_min(u) >= 30 && on_demand_min(u) <= 40);
    run_free(u);
}

/* On demand since there is no spot; when it comes, the node boots for 3 minutes while the job goes on where it is. */
static void a_move_waits_for_the_boot(void **state)
{
    (void)state;
    struct run *u = run_new(&rr_policy_deadline_uniform, "0,0\n6000,1\n90000,\n", 3);
    job(u, 0, 500); // behind the line until 158: x - 8 < (x + 10) 500 / 560
    u->p.deadline_us = 560 * RR_MIN;
    went(u);
    assert_int_equal(u->r.pool_lease[1], 1);
    assert_int_equal(minutes(u->r.lease[0].start_us), 100);
    assert_int_equal(minutes(u->r.lease[0].ready_us), 103);
    assert_int_equal(minutes(u->r.lease[1].end_us), 103); // what is on demand goes back at the move
    assert_int_equal(u->r.outcome[0].attempts, 2);
    assert_int_equal(u->r.outcome[0].pool, 0);
    run_free(u);
}

static void several_jobs_take_turns(void **state)
{
    (void)state;
    struct run *u = run_new(&rr_policy_deadline_greedy, "0,2\n90000,\n", 0);
    for (int i = 0; i < 3; i++) job(u, i, 250);
    went(u);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(u->r.outcome[i].state, RR_JOB_FINISHED);
        assert_true(u->r.outcome[i].end_us - u->submit[i] <= 10 * RR_H);
    }
    assert_int_equal(on_demand_min(u), 0); // the third waits for its turn, before the net
    assert_int_equal(minutes(u->r.outcome[2].start_us), 255);
    run_free(u);
}

static void the_traces_own_deadline(void **state)
{
    (void)state;
    struct run *u = run_new(&rr_policy_deadline_greedy, "0,0\n90000,\n", 0);
    u->p.given = 2;
    u->p.deadline_us = 0;
    job(u, 7, 100);
    u->due[0] = 150 * RR_MIN;
    went(u);
    assert_int_equal(minutes(u->r.outcome[0].start_us), 7 + 40); // 150 - 100 - 10, and a moment
    run_free(u);
}

static void refused(struct run *u, const char *why)
{
    job(u, 0, 100);
    assert_int_equal(go(u), RR_EINPUT);
    if (!strstr(rr_reason(), why)) fail_msg("\"%s\" lacks \"%s\"", rr_reason(), why);
    run_free(u);
}

static void what_is_refused(void **state)
{
    (void)state;
    struct run *u = run_new(&rr_policy_deadline_greedy, "0,1\n90000,\n", 0);
    u->x->pool[0].reclaimable = false;
    refused(u, "needs a pool with the plan \"spot\" and one without");
    u = run_new(&rr_policy_deadline_greedy, "0,1\n90000,\n", 0);
    u->p.deadline_us = 0;
    refused(u, "job 1 has no deadline");
    u = run_new(&rr_policy_deadline_omniscient, "0,1\n90000,\n", 0);
    u->p.step_us = RR_S;
    refused(u, "at most 4096 decisions");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(greedy_waits_for_the_net),  cmocka_unit_test(uniform_follows_the_line), cmocka_unit_test(omniscient_knows),
        cmocka_unit_test(a_move_waits_for_the_boot), cmocka_unit_test(several_jobs_take_turns),  cmocka_unit_test(the_traces_own_deadline),
        cmocka_unit_test(what_is_refused),
    };
    return cmocka_run_group_tests(tests, test_dir_make, test_dir_remove);
}
