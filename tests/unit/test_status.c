/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_status.c - reasons of one line, contexts in front, exit codes in their order. */
#include "data/base/status.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <pthread.h>
#include <string.h>

#include <cmocka.h>

static void a_reason_is_one_line(void **state)
{
    (void)state;
    assert_int_equal(rr_fail(RR_EINPUT, "price %s is %d", "a\nb\tc\x7f", -3), RR_EINPUT);
    assert_string_equal(rr_reason(), "price a?b?c? is -3");
    assert_int_equal(rr_fail(RR_EIO, "%s", "é stays"), RR_EIO);
    assert_string_equal(rr_reason(), "é stays");
}

static void a_context_goes_in_front(void **state)
{
    (void)state;
    const enum rr_status st = rr_fail(RR_EINPUT, "bad number");
    assert_int_equal(rr_fail_in(st, "%s:%d", "trace.csv", 17), RR_EINPUT);
    assert_string_equal(rr_reason(), "trace.csv:17: bad number");
    assert_int_equal(rr_fail(RR_EINPUT, "again: %s", rr_reason()), RR_EINPUT); // the old reason as an argument
    assert_string_equal(rr_reason(), "again: trace.csv:17: bad number");
}

static void a_long_reason_is_cut(void **state)
{
    (void)state;
    char huge[3 * RR_REASON_MAX];
    memset(huge, 'x', sizeof huge - 1);
    huge[sizeof huge - 1] = '\0';
    assert_int_equal(rr_fail(RR_EINPUT, "%s", huge), RR_EINPUT);
    assert_int_equal(strlen(rr_reason()), RR_REASON_MAX - 1);
    assert_int_equal(rr_fail_in(RR_EINPUT, "file:%d", 3), RR_EINPUT);
    assert_int_equal(strlen(rr_reason()), RR_REASON_MAX - 1);
    assert_int_equal(strncmp(rr_reason(), "file:3: xxx", 11), 0);
    assert_int_equal(rr_fail_in(RR_EINPUT, "%s", huge), RR_EINPUT);
    assert_int_equal(strlen(rr_reason()), RR_REASON_MAX - 1);
}

static void *elsewhere(void *arg)
{
    *(int *)arg = rr_reason()[0] == '\0' && rr_fail(RR_EIO, "theirs") == RR_EIO;
    return NULL;
}

static void each_thread_has_its_own(void **state)
{
    (void)state;
    pthread_t t;
    int fresh = 0;
    assert_int_equal(rr_fail(RR_EINPUT, "ours"), RR_EINPUT);
    assert_int_equal(pthread_create(&t, NULL, elsewhere, &fresh), 0);
    pthread_join(t, NULL);
    assert_true(fresh);
    assert_string_equal(rr_reason(), "ours");
}

static void the_first_of_70_4_3_2_1_5_wins(void **state)
{
    (void)state;
    static const int order[] = {70, 4, 3, 2, 1, 5, 0};
    for (int i = 0; i < 7; i++)
        for (int k = i; k < 7; k++) {
            assert_int_equal(rr_status_worse(order[i], order[k]), order[i]);
            assert_int_equal(rr_status_worse(order[k], order[i]), order[i]);
        }
}

static enum rr_status forwards(int bad)
{
    RR_TRY(bad ? rr_fail(RR_EIO, "read") : RR_OK);
    return rr_fail(RR_EGATE, "went on");
}

static enum rr_status undoes(int bad, int *undone)
{
    enum rr_status st;
    RR_GO(bad ? rr_fail(RR_EIO, "read") : RR_OK);
    RR_GO(rr_fail(RR_EGATE, "went on"));
out:
    *undone = 1;
    return st;
}

static void errors_are_forwarded(void **state)
{
    (void)state;
    int undone = 0;
    assert_int_equal(forwards(1), RR_EIO);
    assert_int_equal(forwards(0), RR_EGATE);
    assert_int_equal(undoes(1, &undone), RR_EIO);
    assert_int_equal(undone, 1);
    assert_int_equal(undoes(0, &undone), RR_EGATE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reason_is_one_line),    cmocka_unit_test(a_context_goes_in_front),        cmocka_unit_test(a_long_reason_is_cut),
        cmocka_unit_test(each_thread_has_its_own), cmocka_unit_test(the_first_of_70_4_3_2_1_5_wins), cmocka_unit_test(errors_are_forwarded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
