/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_timeline.c - where in time GPUs are used, lost, idle, starting and down: three attempts worked out on paper. */
#include "sim/study/parts.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* Bins of 10 s up to 35 s, 8 GPUs held, all of them by jobs but for the last 5 s; 1 starting for 4 s, 2 down for 3 s of the last bin. */
static double used[] = {8, 8, 8, 0}, held[] = {8, 8, 8, 8}, none[4], starting[] = {0, 0, 0, 0.8}, down[] = {0, 0, 0, 1.2};
static const struct rr_attempt attempt[] = {
    /* restarts 3 s, works with 2 s of checkpoints between, throws away the last 6 s */
    {.start_us = 0, .end_us = 22 * RR_S, .gpus_milli = 3000, .lost_us = 11 * RR_S, .overhead_us = 5 * RR_S, .restart_us = 3 * RR_S},
    {.start_us = 22 * RR_S, .end_us = 30 * RR_S, .gpus_milli = 3000},
    {.start_us = 0, .end_us = 30 * RR_S, .gpus_milli = 5000, .lost_us = 30 * RR_S}, // keeps nothing
};
static const struct rr_timeline timeline = {.n = 4,
                                            .bin_us = 10 * RR_S,
                                            .used_mean = used,
                                            .held_mean = held,
                                            .queue_mean = none,
                                            .queue_gpus_mean = none,
                                            .used_min = none,
                                            .used_max = used,
                                            .held_min = held,
                                            .held_max = held,
                                            .queue_min = none,
                                            .queue_max = none,
                                            .queue_gpus_min = none,
                                            .queue_gpus_max = none,
                                            .starting_mean = starting,
                                            .down_mean = down};

static void tell(struct rr_arena *arena, size_t n_attempts, struct rr_alternative *ret)
{
    static struct rr_pool pool;
    static struct rr_scenario scenario = {.n_pools = 1, .pool = &pool};
    static struct rr_run run;
    static struct rr_billing billing;
    static struct rr_ledger ledger;
    pool = (struct rr_pool){.name = "p"};
    run = (struct rr_run){.replay = {.end_us = 35 * RR_S, .n_attempts = n_attempts, .timeline = timeline}};
    run.replay.attempt = (struct rr_attempt *)(uintptr_t)attempt;
    *ret = (struct rr_alternative){.unpriced = true};
    const struct rr_telling t = {arena, &scenario, &run, &billing, &ledger, ret};
    assert_int_equal(rr_tell_series(&t), RR_OK);
}

static const struct rr_series *series(const struct rr_alternative *a, const char *name)
{
    for (size_t i = 0; i < a->n_series; i++)
        if (strcmp(a->series[i].name, name) == 0) return &a->series[i];
    return NULL;
}

static void is(const struct rr_alternative *a, const char *name, double v0, double v1, double v2, double v3)
{
    const struct rr_series *s = series(a, name);
    const double want[] = {v0, v1, v2, v3};
    assert_non_null(s);
    for (size_t i = 0; i < 4; i++) assert_true(fabs(s->mean[i] - want[i]) < 1e-12);
}

static void what_is_lost_lies_where_it_was_lost(void **state)
{
    (void)state;
    struct rr_arena *arena = rr_arena_create();
    struct rr_alternative a;
    tell(arena, 3, &a);
    /* 3 GPUs: 3 s of restart, 2 s of checkpoints over 3 .. 16 s (7 of the 13 in the first bin), 4 and 2 s thrown away; 5 GPUs lost throughout */
    is(&a, "lost_gpus", 3 * 0.3 + 3 * 0.2 * 7 / 13 + 5, 3 * 0.2 * 6 / 13 + 3 * 0.4 + 5, 3 * 0.2 + 5, 0);
    is(&a, "used_gpus", 3 - 3 * 0.3 - 3 * 0.2 * 7 / 13, 3 - 3 * 0.2 * 6 / 13 - 3 * 0.4, 3 - 3 * 0.2, 0);
    is(&a, "idle_gpus", 0, 0, 0, 6);
    is(&a, "starting_gpus", 0, 0, 0, 0.8);
    is(&a, "down_gpus", 0, 0, 0, 1.2);
    is(&a, "allocated_gpus", 8, 8, 8, 0);
    assert_null(series(&a, "used_gpus")->max); // the extremes of what jobs hold are known, not of what is kept
    assert_non_null(series(&a, "allocated_gpus")->max);
    rr_arena_free(arena);
}

static void without_attempts_all_that_jobs_hold_is_used(void **state)
{
    (void)state;
    struct rr_arena *arena = rr_arena_create();
    struct rr_alternative a;
    tell(arena, 0, &a);
    is(&a, "used_gpus", 8, 8, 8, 0);
    assert_null(series(&a, "lost_gpus"));
    assert_non_null(series(&a, "used_gpus")->max);
    rr_arena_free(arena);
}

/* The bin that ends with the replay is 5 s long, not 10: what is lost in it weighs twice as much. */
static void the_last_bin_is_as_long_as_it_is(void **state)
{
    (void)state;
    static const struct rr_attempt late = {.start_us = 31 * RR_S, .end_us = 35 * RR_S, .gpus_milli = 1000, .lost_us = 2 * RR_S};
    struct rr_arena *arena = rr_arena_create();
    struct rr_pool pool = {.name = "p"};
    struct rr_scenario scenario = {.n_pools = 1, .pool = &pool};
    struct rr_run run = {.replay = {.end_us = 35 * RR_S, .n_attempts = 1, .timeline = timeline}};
    struct rr_billing billing = {0};
    struct rr_ledger ledger = {0};
    struct rr_alternative a = {.unpriced = true};
    run.replay.attempt = (struct rr_attempt *)(uintptr_t)&late;
    const struct rr_telling t = {arena, &scenario, &run, &billing, &ledger, &a};
    assert_int_equal(rr_tell_series(&t), RR_OK);
    is(&a, "lost_gpus", 0, 0, 0, 1 * 2 / 5.0);
    rr_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_lost_lies_where_it_was_lost),
                                       cmocka_unit_test(without_attempts_all_that_jobs_hold_is_used),
                                       cmocka_unit_test(the_last_bin_is_as_long_as_it_is)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
