/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_where.c - expressions over jobs: what they mean and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "data/where.h"
#include <string.h>

static struct rr_arena *arena;
static int64_t submit[] = {0, 1, 2}, run[] = {2 * RR_H, 45 * RR_MIN, RR_NEVER}, estimate[] = {3 * RR_H, -1, 90 * RR_MIN};
static int32_t gpus[] = {250, 8000, 64000}, nodes[] = {0, 1, 8}, cpus[] = {1500, 0, 512000};
static int32_t priority[] = {-3, 0, 7};
static uint16_t class_id[] = {0, 1, 2};
static uint32_t user[] = {1, 0, 2};
static const char *const class_name[] = {"", "train", "big one"}, *const user_name[] = {"", "alice", "it's \"b\\b\""};
static const struct rr_trace trace = {.n = 3,
                                      .submit_us = submit,
                                      .run_us = run,
                                      .estimate_us = estimate,
                                      .gpus_milli = gpus,
                                      .nodes = nodes,
                                      .cpus_milli = cpus,
                                      .priority = priority,
                                      .class_id = class_id,
                                      .user_id = user,
                                      .class_name = class_name,
                                      .user_name = user_name,
                                      .n_classes = 3,
                                      .n_users = 3};

static int setup(void **state)
{
    (void)state;
    arena = rr_arena_create();
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    rr_arena_free(arena);
    return 0;
}

static void meanings(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int jobs; // bit i: job i
    } row[] = {{"gpus >= 64", 4},
               {"gpus == 0.25", 1},
               {"gpus<8", 1},
               {"gpus <= 8", 3},
               {"gpus > 8.0e0", 4},
               {"gpus != 8", 5},
               {"cpus == 1.5", 1},
               {"nodes >= 1 and cpus < 1", 2},
               {"estimate_h == 3", 1},
               {"estimate_h == 0.75", 2}, // no estimate: the run time
               {"estimate_h < 2", 6},
               {"priority == -3 or priority > 0", 5},
               {"user == \"alice\"", 1},
               {"user == 'it\\'s \"b\\\\b\"'", 4},
               {"user == ''", 2},
               {"account == \"\"", 7}, // the trace has none
               {"class == 'big one' or class == \"train\"", 6},
               {"not gpus >= 64", 3},
               {"not not gpus >= 64", 4},
               {"not (gpus >= 64 or user == 'alice')", 2},
               {"gpus == 8 or gpus == 64 and user == 'alice'", 2}, // and binds tighter
               {"(gpus == 8 or gpus == 64) and user != 'alice'", 6},
               {"\tgpus>-1\n", 7},
               {"gpus > 0 and gpus > 1 and gpus > 8", 4}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const struct rr_where *w = NULL;
        if (rr_where_parse(row[i].text, arena, &w) != RR_OK) fail_msg("%s: %s", row[i].text, rr_reason());
        int jobs = 0;
        for (size_t j = 0; j < 3; j++) jobs |= rr_where_holds(w, &trace, j) << j;
        if (jobs != row[i].jobs) fail_msg("%s: jobs %d, %d expected", row[i].text, jobs, row[i].jobs);
    }
}

static void refusals(void **state)
{
    (void)state;
    static const struct {
        const char *text, *reason;
    } row[] = {{"", "column 1: an expression is expected"},
               {"  ", "column 3: an expression is expected"},
               {"gpsu > 1", "column 1: \"gpsu\" is no field of a job; did you mean \"gpus\"?"},
               {"gpus > 1 and xylophone == 2", "column 14: \"xylophone\" is no field of a job; known: gpus, nodes"},
               {"gpus = 1", "column 6: \"=\" compares nothing; write \"==\""},
               {"gpus", "column 5: a comparison is expected"},
               {"gpus >", "column 7: a number is expected"},
               {"gpus > 'a'", "column 8: a number is expected"},
               {"gpus > 1x", "column 8: this is no number"},
               {"user > 'a'", "column 6: texts are compared by == and != alone"},
               {"user == alice", "column 9: a text in quotes is expected"},
               {"user == \"alice", "column 9: this text has no closing quote"},
               {"(gpus > 1", "column 1: this parenthesis is never closed"},
               {"gpus > 1)", "column 9: this parenthesis was never opened"},
               {"(gpus > 1 gpus", "column 11: \"and\", \"or\" or \")\" is expected"},
               {"gpus > 1 nodes > 2", "column 10: \"and\" or \"or\" is expected"},
               {"gpus > 1 && nodes > 2", "column 10: write \"and\", \"or\" or \"not\""},
               {"gpus > 1 and", "column 13: a field of a job is expected"},
               {"not", "column 4: a field of a job is expected"},
               {"gpus > 1 # x", "column 10: this character has no meaning here"}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const struct rr_where *w = NULL;
        assert_int_equal(rr_where_parse(row[i].text, arena, &w), RR_EINPUT);
        if (strncmp(rr_reason(), row[i].reason, strlen(row[i].reason)) != 0) fail_msg("%s: %s", row[i].text, rr_reason());
    }
}

static void depth_is_bounded(void **state)
{
    (void)state;
    struct rr_buf b = {0};
    const struct rr_where *w = NULL;
    for (int i = 0; i < 5000; i++) rr_buf_puts(&b, "(");
    assert_int_equal(rr_where_parse(rr_buf_text(&b), arena, &w), RR_EINPUT);
    assert_non_null(strstr(rr_reason(), "too many levels"));
    b.n = 0;
    for (int i = 0; i < 5000; i++) rr_buf_puts(&b, "not ");
    assert_int_equal(rr_where_parse(rr_buf_text(&b), arena, &w), RR_EINPUT);
    b.n = 0;
    for (int i = 0; i < 2000; i++) rr_buf_puts(&b, "gpus > 1 and ");
    rr_buf_puts(&b, "gpus > 1");
    assert_int_equal(rr_where_parse(rr_buf_text(&b), arena, &w), RR_OK);
    assert_true(!rr_where_holds(w, &trace, 0) && rr_where_holds(w, &trace, 1));
    rr_buf_done(&b);
}

static int32_t *copy(const int32_t *from) { return memcpy(rr_xrealloc(NULL, 3, sizeof *from), from, 3 * sizeof *from); }

static void a_choice_keeps_ids_and_order(void **state)
{
    (void)state;
    struct rr_trace t = {
        .n = 3, .rows = 3, .path = "jobs.csv", .gpus_milli = copy(gpus), .submit_us = rr_xrealloc(NULL, 3, sizeof *submit)};
    memcpy(t.submit_us, submit, sizeof submit);
    const struct rr_where *w = NULL;
    char buf[24];
    assert_int_equal(rr_where_parse("gpus >= 1", arena, &w), RR_OK);
    assert_int_equal(rr_trace_choose(&t, w), RR_OK);
    assert_true(t.n == 2 && t.not_chosen == 1 && t.gpus_milli[0] == 8000 && t.submit_us[1] == 2);
    assert_string_equal(rr_trace_id(&t, 0, buf), "2");
    assert_string_equal(rr_trace_id(&t, 1, buf), "3");
    assert_int_equal(rr_where_parse("gpus == 64", arena, &w), RR_OK);
    assert_int_equal(rr_trace_choose(&t, w), RR_OK);
    assert_true(t.n == 1 && t.not_chosen == 2);
    assert_string_equal(rr_trace_id(&t, 0, buf), "3");
    assert_int_equal(rr_where_parse("gpus == 65", arena, &w), RR_OK);
    assert_int_equal(rr_trace_choose(&t, w), RR_EINPUT);
    assert_string_equal(rr_reason(), "no job of jobs.csv is chosen");
    rr_trace_done(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(meanings), cmocka_unit_test(refusals), cmocka_unit_test(depth_is_bounded),
                                       cmocka_unit_test(a_choice_keeps_ids_and_order)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
