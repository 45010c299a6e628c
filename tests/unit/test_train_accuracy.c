/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_train_accuracy.c - ratios of predicted to measured, summed up: expected values by hand. */
#include "models/train/accuracy.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const struct rr_residual row[] = {
    {"first", "step time", "nemo", "h100", 10, 12, 7},      // 1.2, left out 0.7
    {"second", "step time", "mcore", "a100", 4, 3, NAN},    // 0.75
    {"first", "step time", "bridge", "h100", 8, 7.2, 8.4},  // 0.9, 1.05
    {"first", "memory", "nemo", "h100", 3e9, 3.3e9, NAN},   // 1.1
    {"first", "step time", "nemo", "h100", 20, 20, 26},     // 1.0, 1.3
    {"first", "step time", "bridge", "h100", 2, 2.2, NAN},  // 1.1
    {"first", "step time", "nemo", "gb200", 5, 6.5, 5.625}, // 1.3, 1.125
};

static const struct rr_train_accuracy *find(const struct rr_train_accuracy *x, size_t n, const char *set, const char *measure,
                                            const char *framework, const char *family)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(x[i].set, set) == 0 && strcmp(x[i].measure, measure) == 0 && strcmp(x[i].framework, framework) == 0 &&
            strcmp(x[i].family, family) == 0)
            return &x[i];
    fail_msg("no row of %s %s %s/%s", set, measure, framework, family);
    return NULL;
}

static void sets_as_a_whole_and_by_profile(void **state)
{
    (void)state;
    struct rr_arena *a = rr_arena_create();
    struct rr_train_accuracy *x;
    size_t n;
    rr_accuracy_make(row, sizeof row / sizeof *row, a, &x, &n);
    assert_int_equal(n, 3 + 5); // first by nemo/h100, bridge/h100, nemo/gb200; second; first's memory
    assert_string_equal(x[0].set, "first");
    const struct rr_train_accuracy *all = find(x, n, "first", "step time", "", "");
    assert_int_equal(all->rows, 5);
    assert_float_equal(all->mape, (0.2 + 0.1 + 0 + 0.1 + 0.3) / 5, 1e-12);
    assert_float_equal(all->median_error, 0.1, 1e-12);
    assert_float_equal(all->mean, (1.2 + 0.9 + 1 + 1.1 + 1.3) / 5, 1e-12);
    assert_float_equal(all->p10, 0.94, 1e-12); // type 7: four tenths of the way from 0.9 to 1.0
    assert_float_equal(all->p50, 1.1, 1e-12);
    assert_float_equal(all->p90, 1.26, 1e-12);
    assert_int_equal(all->left_out, 4);
    assert_float_equal(all->left_out_mape, (0.3 + 0.05 + 0.3 + 0.125) / 4, 1e-12);
    assert_float_equal(all->left_out_median_error, (0.125 + 0.3) / 2, 1e-12);
    assert_float_equal(all->left_out_p50, (1.05 + 1.125) / 2, 1e-12);
    const struct rr_train_accuracy *nemo = find(x, n, "first", "step time", "nemo", "h100");
    assert_int_equal(nemo->rows, 2);
    assert_float_equal(nemo->mean, 1.1, 1e-12);
    const struct rr_train_accuracy *memory = find(x, n, "first", "memory", "", "");
    assert_int_equal(memory->rows, 1);
    assert_int_equal(memory->left_out, 0);
    assert_float_equal(memory->p90, 1.1, 1e-12);
    assert_float_equal(find(x, n, "second", "step time", "mcore", "a100")->mape, 0.25, 1e-12);
    rr_arena_free(a);
}

static void no_rows(void **state)
{
    (void)state;
    struct rr_arena *a = rr_arena_create();
    struct rr_train_accuracy *x;
    size_t n = 7;
    rr_accuracy_make(row, 0, a, &x, &n);
    assert_int_equal(n, 0);
    rr_arena_free(a);
}

static void doubt_of_rows_left_out(void **state)
{
    (void)state;
    // P10 to P90 of e^(2.5631 sd): a tenth on one, a fifth on the other; the bad layouts of a set with a fastest quarter do not count
    static const struct rr_train_accuracy table[] = {
        {.set = "a", .measure = "step time", .framework = "", .family = "", .left_out = 30, .left_out_p10 = 0.9, .left_out_p90 = 1.162935},
        {.set = "a",
         .measure = "step time",
         .framework = "nemo",
         .family = "h100",
         .left_out = 30,
         .left_out_p10 = 0.9,
         .left_out_p90 = 1.162935},
        {.set = "b", .measure = "step time", .framework = "", .family = "", .left_out = 10, .left_out_p10 = 1, .left_out_p90 = 1.669657},
        {.set = "b, fastest quarter",
         .measure = "step time",
         .framework = "",
         .family = "",
         .left_out = 10,
         .left_out_p10 = 1,
         .left_out_p90 = 1.669657},
        {.set = "b, fastest quarter",
         .measure = "step time",
         .framework = "few",
         .family = "h100",
         .left_out = 7,
         .left_out_p10 = 1,
         .left_out_p90 = 3},
        {.set = "a", .measure = "memory", .framework = "nemo", .family = "h100", .left_out = 900, .left_out_p10 = 0.1, .left_out_p90 = 9}};
    const struct rr_train_facts f = {.accuracy = table, .n_accuracies = sizeof table / sizeof *table};
    int32_t rows;
    assert_float_equal(rr_accuracy_doubt(&f, "nemo", "h100", &rows), 0.1, 1e-6);
    assert_int_equal(rows, 30);
    assert_float_equal(rr_accuracy_doubt(&f, "few", "h100", &rows), sqrt((30 * 0.01 + 10 * 0.04) / 40), 1e-6); // all sets
    assert_int_equal(rows, 40);
    const struct rr_train_facts none = {0};
    assert_float_equal(rr_accuracy_doubt(&none, "nemo", "h100", &rows), 0, 0);
    assert_int_equal(rows, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sets_as_a_whole_and_by_profile), cmocka_unit_test(no_rows),
                                       cmocka_unit_test(doubt_of_rows_left_out)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
