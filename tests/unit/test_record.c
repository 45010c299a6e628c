/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_record.c - every job state and every reason has words of its own. */
#include "data/record.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void states_have_words(void **state)
{
    (void)state;
    assert_string_equal(rr_job_state_text(RR_JOB_FINISHED), "finished");
    assert_string_equal(rr_job_state_text(RR_JOB_KILLED), "killed");
    for (int i = 0; i <= RR_JOB_REJECTED; i++)
        for (int k = 0; k < i; k++)
            assert_string_not_equal(rr_job_state_text((enum rr_job_state)i), rr_job_state_text((enum rr_job_state)k));
}

static void reasons_have_words(void **state)
{
    (void)state;
    assert_string_equal(rr_why_text(RR_WHY_NONE), "");
    assert_string_equal(rr_why_text(RR_WHY_TOO_LARGE), "too large for every pool");
    for (int i = 0; i < RR_WHYS; i++)
        for (int k = 0; k < i; k++) assert_string_not_equal(rr_why_text((enum rr_reason)i), rr_why_text((enum rr_reason)k));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(states_have_words), cmocka_unit_test(reasons_have_words)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
