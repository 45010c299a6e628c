/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_train_memory_judge.c - errors, false fits and margins of memory by hand; a row left out is predicted by the others. */
#include "tests/unit/train_case.h"
#include "models/train/judge_memory.h"

static void judged_by_hand(void **state)
{
    (void)state;
    struct rr_memory_judgement j;
    const struct rr_memory_row row[] = {
        {40e9, 42e9, 43e9, 80e9, 41e9, 50e9, RR_OOM_NO},  // 5 % over, left out 2.5 %, by model 25 %
        {50e9, 40e9, 41e9, 80e9, NAN, 45e9, RR_OOM_NO},   // 20 % under
        {60e9, 64.8e9, 90e9, 80e9, 63e9, NAN, RR_OOM_NO}, // 8 % over, and said not to fit
        {0, 0, 79.9e9, 80e9, NAN, NAN, RR_OOM_YES},       // a false fit
        {0, 0, 80.1e9, 80e9, NAN, NAN, RR_OOM_YES},       //
        {0, 0, 48e9, 80e9, NAN, NAN, RR_OOM_OR_CRASHED},  // exactly 0.6 belongs to the bin that begins there
        {0, 0, 800e9, 80e9, NAN, NAN, RR_OOM_OR_CRASHED}, //
    };
    rr_memory_judge(row, 7, arena, &j);
    assert_int_equal(j.n, 3);
    near(j.median, 0.08, 1e-12);
    near(j.mean, (0.05 + 0.2 + 0.08) / 3, 1e-12);
    near(j.bias, (0.05 - 0.2 + 0.08) / 3, 1e-12);
    near(j.worst, 0.2, 1e-12);
    near(j.left_out, (0.025 + 0.05) / 2, 1e-12);
    near(j.by_model, (0.25 + 0.1) / 2, 1e-12);
    near(j.within_10, 2.0 / 3, 1e-9);
    assert_int_equal(j.ran, 3);
    assert_int_equal(j.refused, 1);
    assert_int_equal(j.ooms, 2);
    assert_int_equal(j.false_fits, 1);
    assert_int_equal(j.crashed, 2);
    assert_int_equal(j.bin_ran[0], 0);
    assert_int_equal(j.bin_ran[1], 2); // 0.5375 and 0.5125
    assert_int_equal(j.bin_ran[6], 1); // 1.125
    assert_int_equal(j.bin_crashed[2], 1);
    assert_int_equal(j.bin_crashed[RR_MEMORY_BINS - 1], 1);
    rr_memory_judge(row, 0, arena, &j);
    assert_true(isnan(j.median) && isnan(j.left_out) && j.n == 0);
}

// Memory that the model itself makes, but for one row that lies 40 % above it: left out, that row does not pull its own prediction up.
static void a_row_left_out_does_not_help_itself(void **state)
{
    (void)state;
    enum { N = 12 };
    static struct rr_published run[N];
    static struct rr_train_row row[N];
    static const struct rr_train_set set = {.name = "made", .framework = "torchtitan", .prefix = "", .model = "", .recompute = ""};
    double left_out[N], by_model[N], truth[N];
    struct rr_coefs c;
    rr_coefs_default(&c);
    c.v[RR_COEF_ACT_BYTES] = 26;
    for (int i = 0; i < N; i++) {
        struct rr_memory m;
        row[i] = (struct rr_train_row){
            .table = RR_TRAIN_MEMORY, .source = "made", .model = i % 2 ? "one" : "two", .notes = "", .oom = RR_OOM_NO};
        run[i] = (struct rr_published){
            .row = &row[i], .set = &set, .arch = *model(i % 2 ? "llama-2-7b" : "llama-3-8b"), .machine = *machine("h100")};
        run[i].layout = layout_of(64, 1 << (i % 3), 1, 1 + i % 4, 256);
        rr_memory_peak(&run[i].arch, &c, &run[i].layout, &m);
        truth[i] = m.total_bytes;
        run[i].measured_bytes = m.total_bytes * (i == 5 ? 1.4 : 1);
    }
    assert_int_equal(rr_memory_leave_out(run, N, arena, left_out, by_model), RR_OK);
    for (int i = 0; i < N; i++) {
        near(left_out[i], truth[i], 0.12);
        assert_true(!isnan(by_model[i]));
    }
    run[5].reason = "unknown";
    assert_int_equal(rr_memory_leave_out(run, 6, arena, left_out, by_model), RR_OK); // fewer than ten: each by itself
    assert_true(isnan(left_out[5]) && isnan(by_model[5]));
    for (int i = 0; i < 5; i++) near(left_out[i], truth[i], 0.2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(judged_by_hand),
        cmocka_unit_test(a_row_left_out_does_not_help_itself),
    };
    return cmocka_run_group_tests(tests, load_facts, forget_facts);
}
