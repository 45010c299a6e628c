/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_metrics.c - the numbers of results.json from four jobs that a person can work out on paper. */
#include "models/finance/finance.h"
#include "sim/study/parts.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* submit 0, 10, 20, 30, 40 s; run 100, 5, 60, 30, 7 s; the fourth still runs at the horizon of 200 s, the fifth never fits. */
static int64_t submit[] = {0, 10 * RR_S, 20 * RR_S, 30 * RR_S, 40 * RR_S};
static int64_t run_us[] = {100 * RR_S, 5 * RR_S, 60 * RR_S, 30 * RR_S, 7 * RR_S};
static int32_t gpus[] = {8000, 1000, 2000, 4000, 64000};
static struct rr_outcome outcome[] = {
    {.start_us = 0, .end_us = 100 * RR_S, .attempts = 1, .state = RR_JOB_FINISHED},
    {.start_us = 13 * RR_S, .end_us = 18 * RR_S, .attempts = 1, .state = RR_JOB_FINISHED},
    {.start_us = 100 * RR_S, .end_us = 160 * RR_S, .attempts = 2, .state = RR_JOB_FAILED},
    {.start_us = 190 * RR_S, .end_us = RR_NEVER, .attempts = 1, .state = RR_JOB_RUNNING},
    {.start_us = RR_NEVER, .end_us = RR_NEVER, .state = RR_JOB_REJECTED},
};
static struct rr_pool_time pool_time = {.held = (rr_i128)16000 * 200 * RR_S,
                                        .used = (rr_i128)(8000 * 100 + 1000 * 5 + 2000 * 60 + 4000 * 10) * RR_S,
                                        .idle = (rr_i128)(16000 * 200 - 965000) * RR_S,
                                        .nodes_peak = 2};

static struct rr_run sample(void)
{
    return (struct rr_run){.jobs = {.n = 5, .submit_us = submit, .run_us = run_us, .gpus_milli = gpus},
                           .replay = {.end_us = 200 * RR_S, .n_jobs = 5, .outcome = outcome, .pool = &pool_time, .queue_max = 3}};
}

static void measure(int64_t warmup_us, double *m)
{
    struct rr_pool pool = {.name = "p"};
    const struct rr_scenario s = {.n_pools = 1, .pool = &pool, .warmup_us = warmup_us};
    struct rr_run run = sample();
    struct rr_arena *a = rr_arena_create();
    rr_metrics_replay(&s, &run, a, m);
    rr_arena_free(a);
}

#define NEAR(a, b) assert_true(fabs((a) - (b)) <= 1e-12 * fabs(b) + 1e-15)

static void jobs_and_times(void **state)
{
    (void)state;
    double m[RR_METRICS];
    measure(0, m);
    NEAR(m[RR_M_JOBS_SUBMITTED], 5.0);
    NEAR(m[RR_M_JOBS_FINISHED], 2.0);
    NEAR(m[RR_M_JOBS_FAILED], 1.0);
    NEAR(m[RR_M_JOBS_RUNNING], 1.0);
    NEAR(m[RR_M_JOBS_REJECTED], 1.0);
    NEAR(m[RR_M_RESTARTS], 1.0);
    NEAR(m[RR_M_WAIT_MEAN], (0 + 3 + 80 + 160) / 4.0); // over started jobs, running included
    NEAR(m[RR_M_WAIT_P50], 41.5);                      // between 3 and 80, type 7
    NEAR(m[RR_M_WAIT_P95], 80 + 0.85 * 80);            // position 2.85 of 0..3
    NEAR(m[RR_M_WAIT_MAX], 160.0);
    NEAR(m[RR_M_JCT_MEAN], (100 + 8 + 140) / 3.0);
    NEAR(m[RR_M_BSLD_MEAN], (1 + 1 + 140 / 60.0) / 3); // 8 s over max(5, 10) is below 1
    NEAR(m[RR_M_MAKESPAN], 160.0);
    NEAR(m[RR_M_QUEUE_MAX], 3.0);
    NEAR(m[RR_M_NODES_PEAK], 2.0);
}

static void gpu_time_and_work(void **state)
{
    (void)state;
    double m[RR_METRICS];
    measure(0, m);
    NEAR(m[RR_M_GPU_HOURS_HELD], 16 * 200 / 3600.0);
    NEAR(m[RR_M_GPU_HOURS_USED], 965 / 3600.0);
    NEAR(m[RR_M_GPU_ALLOCATED_SHARE], 965 / 3200.0);
    NEAR(m[RR_M_WORK_FINISHED_SHARE], (8 * 100 + 5 + 120) / (800.0 + 5 + 120 + 120 + 64 * 7));
    assert_true(isnan(m[RR_M_COST_TOTAL])); // money comes later
}

// What was lost, by whose doing; a pool of slices counts sevenths.
static void losses_by_cause(void **state)
{
    (void)state;
    static const struct rr_attempt attempt[] = {{.reason = RR_WHY_PREEMPTED}, {.reason = RR_WHY_MOVED}, {.reason = RR_WHY_RECLAIMED}, {0}};
    struct rr_pool_time time[2] = {{.lost = 3600, .nodes_peak = 1}, {.lost = 7 * 3600}};
    struct rr_pool pool[2] = {{.name = "p"}, {.name = "mig", .slice = "1g.5gb", .slices = 7}};
    const struct rr_scenario s = {.n_pools = 2, .pool = pool};
    struct rr_run run = sample();
    struct rr_arena *a = rr_arena_create();
    double m[RR_METRICS];
    const int64_t hour = 1000 * RR_H;
    for (int k = 0; k < RR_WHYS; k++) time[0].lost_to[k] = 0;
    time[0].lost_to[RR_WHY_CHECKPOINT] = 3 * hour;
    time[0].lost_to[RR_WHY_RESTART] = 5 * hour;
    time[0].lost_to[RR_WHY_PREEMPTED] = 7 * hour;
    time[0].lost_to[RR_WHY_MOVED] = 11 * hour;
    time[0].lost_to[RR_WHY_GPU_FAILURE] = 13 * hour;
    time[0].lost_to[RR_WHY_NETWORK_FAILURE] = 17 * hour;
    time[0].lost_to[RR_WHY_PRICE] = 19 * hour;
    time[0].lost_to[RR_WHY_MAINTENANCE] = 23 * hour;
    time[1].lost_to[RR_WHY_RECLAIMED] = 7 * 29 * hour;
    time[0].nodes_lost[RR_WHY_PRICE] = 2;
    time[1].nodes_lost[RR_WHY_RECLAIMED] = 3;
    time[0].nodes_lost[RR_WHY_GPU_FAILURE] = 4;
    time[1].nodes_lost[RR_WHY_POWER_FAILURE] = 5;
    run.replay.pool = time;
    run.replay.attempt = (struct rr_attempt *)(uintptr_t)attempt;
    run.replay.n_attempts = 4;
    rr_metrics_replay(&s, &run, a, m);
    NEAR(m[RR_M_GPU_HOURS_LOST_CHECKPOINT], 3.0);
    NEAR(m[RR_M_GPU_HOURS_LOST_RESTART], 5.0);
    NEAR(m[RR_M_GPU_HOURS_LOST_PREEMPTED], 18.0);
    NEAR(m[RR_M_GPU_HOURS_LOST_FAILURE], 30.0);
    NEAR(m[RR_M_GPU_HOURS_LOST_SPOT], 19.0 + 29);
    NEAR(m[RR_M_GPU_HOURS_LOST_OTHER], 23.0);
    NEAR(m[RR_M_SPOT_PRICED_OUT], 2.0);
    NEAR(m[RR_M_SPOT_RECLAIMED], 3.0);
    NEAR(m[RR_M_SPOT_INTERRUPTIONS], 5.0);
    NEAR(m[RR_M_NODES_FAILURES], 9.0);
    NEAR(m[RR_M_PREEMPTIONS], 2.0);
    rr_arena_free(a);
}

static void warmup_is_left_out_of_waits_alone(void **state)
{
    (void)state;
    double m[RR_METRICS];
    measure(15 * RR_S, m);
    NEAR(m[RR_M_WAIT_MEAN], (80 + 160) / 2.0);
    NEAR(m[RR_M_JCT_MEAN], 140.0);
    NEAR(m[RR_M_JOBS_SUBMITTED], 5.0);
    NEAR(m[RR_M_GPU_HOURS_USED], 965 / 3600.0);
    measure(1000 * RR_S, m);
    assert_true(isnan(m[RR_M_WAIT_MEAN]) && isnan(m[RR_M_WAIT_P99]) && isnan(m[RR_M_BSLD_MEAN])); // nothing left: null, not 0
}

static void months_follow_the_calendar(void **state)
{
    (void)state;
    const struct rr_clock c = {true, rr_days_from_civil(2024, 1, 31) * RR_D}, none = {0};
    NEAR(rr_months(&c, 29 * RR_D), 1.0);                 // 31 January + 1 month = 29 February 2024
    NEAR(rr_months(&c, (29 + 31 + 15) * RR_D), 2.5);     // 31 March + 15 of the 30 days to 30 April
    NEAR(rr_months(&c, (366 + 365 + 365) * RR_D), 36.0); // 31 January 2027
    NEAR(rr_months(&none, RR_YEAR_US / 4), 3.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(jobs_and_times), cmocka_unit_test(gpu_time_and_work),
                                       cmocka_unit_test(losses_by_cause), cmocka_unit_test(warmup_is_left_out_of_waits_alone),
                                       cmocka_unit_test(months_follow_the_calendar)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
