/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_autoscale.c - autoscalers, by hand: when nodes are asked for and when they leave. */
#include "tests/unit/elastic_case.h"

static struct rr_node_shape sixteen = {.gpus = 16, .gpu = "", .name = ""};

// --- utilization ---

// One node of 8 GPUs, full from 0 on, and a second job that waits: the first look with a whole window behind it is at 600 s, and sees 100 %.
static void busy_nodes_make_it_grow(void **state)
{
    (void)state;
    struct rr_pool *p = pool(0, &eight, 1, 3);
    p->boot_us = 90 * RR_S;
    scaled(p, "utilization", "{\"cooldown\": \"1 h\"}");
    jobs((struct job[]){{0, 1000, 8}, {1, 100, 8}}, 2);
    struct rr_replay r = run();
    assert_int_equal(r.n_leases, 2);
    lease(&r, 0, 0, 0, 1000);
    lease(&r, 1, 600, 690, 1000); // the end is that of the replay
    starts(r, 1, 690);
    rr_replay_done(&r);
}

// 7 of 8 GPUs are 87.5 %; 6 of 8 are 75 %, which is not above 80 %. Nobody waits.
static void it_is_the_share_that_counts(void **state)
{
    (void)state;
    for (int gpus = 6; gpus <= 7; gpus++) {
        struct rr_pool *p = pool(0, &eight, 1, 3);
        scaled(p, "utilization", "{\"window\": \"5 min\", \"cooldown\": \"1 h\"}");
        jobs((struct job[]){{0, 2000, gpus}}, 1);
        struct rr_replay r = run();
        assert_int_equal(r.n_leases, gpus == 7 ? 2 : 1);
        if (gpus == 7) lease(&r, 1, 300, 300, 2000);
        rr_replay_done(&r);
    }
}

// The mean over the window, not what is now: 8 GPUs busy from 240 s on are 60 / 300 at 300 s, 120 / 360 ..., and above 80 % of the last 300 s
// first at 540 s, when the window is [240, 540].
static void the_window_is_averaged(void **state)
{
    (void)state;
    struct rr_pool *p = pool(0, &eight, 1, 3);
    scaled(p, "utilization", "{\"window\": \"5 min\", \"low\": 0}");
    jobs((struct job[]){{240, 2000, 8}}, 1);
    struct rr_replay r = run();
    lease(&r, 1, 540, 540, 2240); // 480 s: 240 of 300 s are 80 %, no more. Afterwards 8 of 16 GPUs: 50 %
    rr_replay_done(&r);
}

// Two nodes of 16 GPUs, 8 busy on each: 50 %, below 80 %. The 16-GPU gang fits nowhere, and the pool grows when it has waited longer than 10 min.
static void a_gang_that_does_not_fit_makes_it_grow(void **state)
{
    (void)state;
    struct rr_pool *p = pool(0, &sixteen, 2, 4);
    p->boot_us = 90 * RR_S;
    scaled(p, "utilization", "{}");
    scenario.scheduler.placement = rr_kind_find(rr_placements, "spread");
    jobs((struct job[]){{0, 20000, 8}, {0, 20000, 8}, {30, 3000, 16}}, 3);
    struct rr_replay r = run();
    lease(&r, 2, 660, 750, 20000); // looks at 600 (waited 570 s) and 660 (630 s)
    starts(r, 2, 750);
    rr_replay_done(&r);
}

// The same on 8-GPU nodes, where the gang needs two whole ones: it grows by what the gang lacks.
static void it_grows_by_what_the_gang_lacks(void **state)
{
    (void)state;
    struct rr_pool *p = pool(0, &eight, 2, 8);
    scaled(p, "utilization", "{}");
    scenario.scheduler.placement = rr_kind_find(rr_placements, "spread");
    jobs((struct job[]){{0, 20000, 4}, {0, 20000, 4}, {30, 3000, 24}}, 3);
    struct rr_replay r = run();
    assert_int_equal(r.pool[0].nodes_peak, 5);
    starts(r, 2, 660);
    rr_replay_done(&r);
}

// From nothing there is no share to read: what waits makes it grow.
static void from_no_node_at_all(void **state)
{
    (void)state;
    struct rr_pool *p = pool(0, &eight, 0, 4);
    p->boot_us = 60 * RR_S;
    scaled(p, "utilization", "{\"window\": \"2 min\"}");
    jobs((struct job[]){{0, 100, 8}}, 1);
    struct rr_replay r = run();
    lease(&r, 0, 180, 240, 340); // longer than 120 s: the look at 180 s
    rr_replay_done(&r);
}

// It grows by two at 600 s. At 1200 s the window [600, 1200] has 400 s of 8 GPUs, 100 s of 16 and 400 s of one: 5200 / 14400 = 36 %; at 1260 s
// 340 x 8 + 40 x 16 + 460 = 3820: 26.5 %, below 30 %. The idle node leaves at once, the one with a job when that has ended at 3800 s; the job
// of 1300 s goes to the first node.
static void shrinking(bool drain, int64_t last_s)
{
    struct rr_pool *p = pool(0, &eight, 1, 3);
    scaled(p, "utilization", drain ? "{\"step\": 2}" : "{\"step\": 2, \"drain\": false}");
    jobs((struct job[]){{0, 1000, 8}, {1, 100, 8}, {1, 100, 8}, {800, 3000, 1}, {1300, 10000, 1}}, 5);
    struct rr_replay r = run();
    assert_int_equal(r.n_leases, 3);
    lease(&r, 0, 0, 0, 11300);
    lease(&r, 1, 600, 600, last_s);
    lease(&r, 2, 600, 600, 1260);
    assert_int_equal(r.outcome[4].node, drain ? 0 : 1);
    rr_replay_done(&r);
}

static void a_node_with_a_job_is_drained(void **state)
{
    (void)state;
    shrinking(true, 3800);
}

// Without draining it stays as long as it gets jobs.
static void or_stays_while_it_is_used(void **state)
{
    (void)state;
    shrinking(false, 11300);
}

// 1 of 16 GPUs is busy from 700 s on, but a gang of 16 waits for it to end.
static void nothing_leaves_while_a_job_waits(void **state)
{
    (void)state;
    struct rr_pool *p = pool(0, &eight, 1, 2);
    scaled(p, "utilization", "{\"cooldown\": \"1 min\"}");
    jobs((struct job[]){{0, 700, 8}, {1, 9000, 1}, {2, 100, 16}, {9900, 1, 1}}, 4);
    struct rr_replay r = run();
    starts(r, 1, 600); // on the second node, which came then
    starts(r, 2, 9600);
    lease(&r, 1, 600, 600, 9700); // 6 % busy for two hours; at 9660 s the gang runs, and its node is the one to leave
    rr_replay_done(&r);
}

// --- target ---

// 8 GPUs busy, then 16; half of the GPUs should be. Looks at 600 s: 8 of 8, 8 / 0.5 are two nodes; 900 s, window [300, 900]: 10.67 of 12, three
// nodes; 1200 s: 14.67 of 20, four; 1500 s: 16 of 28, 57 %, for which four are right.
static void steering_to_a_share(void **state)
{
    (void)state;
    struct rr_pool *p = pool(0, &eight, 1, 9);
    scaled(p, "target", "{\"target\": 0.5}");
    jobs((struct job[]){{0, 5000, 8}, {700, 4300, 8}}, 2);
    struct rr_replay r = run();
    assert_int_equal(r.n_leases, 4);
    lease(&r, 1, 600, 600, 5000);
    lease(&r, 2, 900, 900, 5000);
    lease(&r, 3, 1200, 1200, 5000);
    rr_replay_done(&r);
}

// From 2000 s on nothing runs: at 2400 s 200 of 600 s are busy, 8 x 200 / 600 = 2.67 of 16 GPUs, off 0.5 by far, and one node is enough. At 2280 s
// 8 x 320 / 600 = 4.27, more than one node at half; at 2340 s 3.47 of 16: one.
static void and_back(void **state)
{
    (void)state;
    struct rr_pool *p = pool(0, &eight, 1, 9);
    scaled(p, "target", "{\"target\": 0.5}");
    jobs((struct job[]){{0, 2000, 8}, {3000, 1, 1}}, 2);
    struct rr_replay r = run();
    assert_int_equal(r.n_leases, 2);
    lease(&r, 1, 600, 600, 2340);
    rr_replay_done(&r);
}

// --- schedule ---

static void start_on(int64_t year, int month, int day)
{
    scenario.clock = (struct rr_clock){true, rr_days_from_civil(year, month, day) * RR_D};
}

#define H 3600
// From Friday, 27 March 2026, 00:00 UTC on: 09:00 in Berlin is 08:00 UTC before and 07:00 UTC after the 29th.
static void office_hours_over_a_change_of_the_clock(void **state)
{
    (void)state;
    struct rr_pool *p = pool(0, &eight, 0, 8);
    scaled(p, "schedule",
           "{\"timezone\": \"Europe/Berlin\", \"windows\": [{\"days\": \"Mon-Fri\", \"from\": \"09:00\", \"to\": \"18:00\", \"nodes\": 3}],"
           " \"otherwise\": 1}");
    start_on(2026, 3, 27);
    jobs((struct job[]){{0, 1, 1}}, 1);
    world.horizon_us = 4 * RR_D;
    struct rr_replay r = run();
    assert_int_equal(r.n_leases, 5);
    lease(&r, 0, 0, 0, 96 * H);
    for (size_t i = 1; i < 3; i++) lease(&r, i, 8 * H, 8 * H, 17 * H);
    for (size_t i = 3; i < 5; i++) lease(&r, i, 79 * H, 79 * H, 88 * H);
    rr_replay_done(&r);
}

// One node on Sundays: 25 October 2026 has 25 hours in Berlin, 29 March 23.
static void sundays_are_not_all_alike(void **state)
{
    (void)state;
    for (int spring = 0; spring < 2; spring++) {
        struct rr_pool *p = pool(0, &eight, 0, 8);
        scaled(p, "schedule", "{\"timezone\": \"Europe/Berlin\", \"windows\": [{\"days\": \"Sun\", \"nodes\": 1}]}");
        start_on(2026, spring ? 3 : 10, spring ? 28 : 24);
        jobs((struct job[]){{0, 1, 1}}, 1);
        world.horizon_us = 4 * RR_D;
        struct rr_replay r = run();
        assert_int_equal(r.n_leases, 1);
        if (spring)
            lease(&r, 0, 23 * H, 23 * H, 46 * H);
        else
            lease(&r, 0, 22 * H, 22 * H, 47 * H);
        rr_replay_done(&r);
    }
}

// From 02:00 to 03:00: two hours long on 25 October, and not at all on 29 March.
static void the_hour_that_comes_twice_or_never(void **state)
{
    (void)state;
    for (int spring = 0; spring < 2; spring++) {
        struct rr_pool *p = pool(0, &eight, 0, 8);
        scaled(
            p, "schedule",
            "{\"timezone\": \"Europe/Berlin\", \"windows\": [{\"days\": \"Sun\", \"from\": \"02:00\", \"to\": \"03:00\", \"nodes\": 2}]}");
        start_on(2026, spring ? 3 : 10, spring ? 28 : 24);
        jobs((struct job[]){{0, 1, 1}}, 1);
        world.horizon_us = 3 * RR_D;
        struct rr_replay r = run();
        assert_int_equal(r.n_leases, spring ? 0 : 2);
        if (!spring) lease(&r, 0, 24 * H, 24 * H, 26 * H);
        rr_replay_done(&r);
    }
}

// A window over midnight belongs to the day that it begins on: Friday 22:00 to Saturday 06:00, UTC.
static void over_midnight(void **state)
{
    (void)state;
    struct rr_pool *p = pool(0, &eight, 0, 8);
    scaled(p, "schedule", "{\"windows\": [{\"days\": \"Fri\", \"from\": \"22:00\", \"to\": \"06:00\", \"nodes\": 1}]}");
    start_on(2026, 7, 2); // Thursday
    jobs((struct job[]){{0, 1, 1}}, 1);
    world.horizon_us = 7 * RR_D;
    struct rr_replay r = run();
    assert_int_equal(r.n_leases, 1);
    lease(&r, 0, 46 * H, 46 * H, 54 * H);
    rr_replay_done(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(busy_nodes_make_it_grow),
        cmocka_unit_test(it_is_the_share_that_counts),
        cmocka_unit_test(the_window_is_averaged),
        cmocka_unit_test(a_gang_that_does_not_fit_makes_it_grow),
        cmocka_unit_test(it_grows_by_what_the_gang_lacks),
        cmocka_unit_test(from_no_node_at_all),
        cmocka_unit_test(a_node_with_a_job_is_drained),
        cmocka_unit_test(or_stays_while_it_is_used),
        cmocka_unit_test(nothing_leaves_while_a_job_waits),
        cmocka_unit_test(steering_to_a_share),
        cmocka_unit_test(and_back),
        cmocka_unit_test(office_hours_over_a_change_of_the_clock),
        cmocka_unit_test(sundays_are_not_all_alike),
        cmocka_unit_test(the_hour_that_comes_twice_or_never),
        cmocka_unit_test(over_midnight),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
