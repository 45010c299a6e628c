/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_pipeline.c - the played schedule against bubble formulas and against a schedule worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "models/train/pipeline.h"
#include <math.h>

static double forward[RR_PIPELINE_MOST], backward[RR_PIPELINE_MOST];

static struct rr_pipeline even(int32_t stages, int32_t chunks, int64_t micro, double f, double b)
{
    for (int32_t i = 0; i < stages * chunks; i++) forward[i] = f / chunks, backward[i] = b / chunks;
    return (struct rr_pipeline){stages, chunks, micro, forward, backward, 0};
}

static void near(double got, double want, double relative)
{
    if (!(fabs(got - want) <= relative * fabs(want))) fail_msg("%.17g, %.17g expected", got, want);
}

// Narayanan et al. 2021, section 2.2: (p - 1) (f + b) of bubble, divided by v with interleaving.
static void even_stages_meet_the_bubble_formula(void **state)
{
    (void)state;
    static const int32_t stages[] = {1, 2, 3, 4, 7, 8, 16}, chunks[] = {1, 2, 3, 5};
    for (int i = 0; i < 7; i++)
        for (int k = 0; k < 4; k++)
            for (int groups = 1; groups <= 4; groups++) {
                if (stages[i] == 1 && chunks[k] > 1) continue;
                const int64_t n = (int64_t)groups * stages[i];
                const struct rr_pipeline p = even(stages[i], chunks[k], n, 0.0371, 0.0793);
                const double want = ((double)n + (stages[i] - 1.0) / chunks[k]) * (0.0371 + 0.0793);
                near(rr_pipeline_play(&p), want, 1e-12);
                near(rr_pipeline_closed(&p), want, 1e-12);
            }
}

static void fewer_micro_batches_than_stages(void **state)
{
    (void)state;
    for (int64_t n = 1; n < 9; n++) {
        const struct rr_pipeline p = even(9, 1, n, 1.25, 2.5);
        near(rr_pipeline_play(&p), ((double)n + 8) * 3.75, 1e-12);
    }
}

// Two stages, f = 1 and 2, b = 3 and 1, two micro batches, by hand: F1 0-1 | F1' 1-3 B1' 3-4 | F2 1-2, B1 4-7 | F2' 4-6, B2' 6-7 | B2 7-10.
static void a_schedule_worked_out_by_hand(void **state)
{
    (void)state;
    const double f[] = {1, 2}, b[] = {3, 1};
    struct rr_pipeline p = {2, 1, 2, f, b, 0};
    near(rr_pipeline_play(&p), 10, 1e-12);
    p.send_s = 0.5; // F1' 1.5-3.5, B1' 3.5-4.5, B1 5-8, F2' 4.5-6.5, B2' 6.5-7.5, B2 8-11
    near(rr_pipeline_play(&p), 11, 1e-12);
}

// The closed form is no more than a few per cent off where one stage has more to do, as the one with the vocabulary has.
static void uneven_stages(void **state)
{
    (void)state;
    for (int32_t stages = 2; stages <= 16; stages *= 2)
        for (int slow = 0; slow < 2; slow++) {
            struct rr_pipeline p = even(stages, 1, 8 * stages, 1, 2);
            const int32_t at = slow ? stages - 1 : 0;
            forward[at] = 1.31, backward[at] = 2.62;
            const double played = rr_pipeline_play(&p);
            near(rr_pipeline_closed(&p), played, 0.03);
            assert_true(played >= 8 * stages * 3.93);
        }
}

static void more_work_never_takes_less_time(void **state)
{
    (void)state;
    struct rr_pipeline p = even(4, 2, 12, 1, 2);
    const double before = rr_pipeline_play(&p);
    for (int i = 0; i < 8; i++) {
        const double was = forward[i];
        forward[i] *= 1.17;
        assert_true(rr_pipeline_play(&p) >= before);
        forward[i] = was;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(even_stages_meet_the_bubble_formula), cmocka_unit_test(fewer_micro_batches_than_stages),
        cmocka_unit_test(a_schedule_worked_out_by_hand),       cmocka_unit_test(uneven_stages),
        cmocka_unit_test(more_work_never_takes_less_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
