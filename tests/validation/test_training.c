/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/validation/test_training.c - the training model with its shipped coefficients against published step times and memory.
 *
 * Bars are mean absolute percentage errors (memory: medians). Nothing is fitted here. Beside them stand what the public models Calculon and SimuMax
 * reach on whole sets (facts/TRAINING.md). */
#include "models/train/fit.h"
#include "models/train/judge.h"
#include "tests/validation/published.h"
#include <string.h>

static struct rr_arena *arena;
static struct rr_train_facts facts;
static struct rr_published *run;
static size_t n_runs;

static void load(const char *name)
{
    const char *dir;
    struct rr_train_rows rows;
    arena = rr_arena_create();
    const char *path = published_data(arena, name);
    if (rr_data_dir(arena, &dir) != RR_OK || rr_train_facts_load(dir, arena, &facts) != RR_OK ||
        rr_train_rows_read(path, arena, &rows) != RR_OK)
        fail_msg("%s", rr_reason());
    run = RR_NEWS(arena, struct rr_published, rows.n);
    n_runs = rows.n;
    for (size_t i = 0; i < rows.n; i++)
        if (rr_published_make(&facts, arena, &rows.at[i], &run[i]) != RR_OK) fail_msg("%s", rr_reason());
}

static void coefs_of(const struct rr_published *p, struct rr_coefs *ret)
{
    const char *note;
    if (rr_coefs_find(&facts, arena, p->set->framework, p->machine.family, ret, &note) != RR_OK) fail_msg("%s", rr_reason());
}

/* Rows of a set by its time, or its memory; fast: of the fastest quarter alone. */
static void judge(const char *set, bool memory, const bool *only, struct rr_judgement *ret)
{
    struct rr_judged *row = RR_NEWS(arena, struct rr_judged, n_runs + 1);
    size_t n = 0;
    for (size_t i = 0; i < n_runs; i++) {
        struct rr_published *p = &run[i];
        struct rr_coefs c;
        struct rr_step s;
        struct rr_memory m;
        if (!p->set || strcmp(p->set->name, set) != 0 || p->reason || (only && !only[i])) continue;
        if (memory ? p->measured_bytes <= 0 || p->row->oom == RR_OOM_COMPUTED : p->measured_s <= 0) continue;
        coefs_of(p, &c);
        if (memory)
            rr_published_memory(p, &c, &m);
        else
            rr_published_step(p, &c, &s);
        row[n++] = (struct rr_judged){memory ? p->measured_bytes : p->measured_s, memory ? m.total_bytes : s.total_s, 0};
    }
    rr_train_judge(row, n, arena, ret);
}

static bool bar(const char *what, double reached, double allowed)
{
    print_message("published: %-58s %16s %16.2f %9s    %.4g\n", what, "0", 100 * reached, "", 100 * allowed);
    return reached <= allowed;
}

static void step_times(void **state)
{
    (void)state;
    load("facts/training_validation.csv");
    static const struct {
        const char *set;
        double allowed;
    } row[] = {{"vTrain single node", 0.15},
               {"vTrain multi node", 0.10},
               {"llm-foundry", 0.08},
               {"BLOOM", 0.05},
               {"Megatron tables", 0.05},
               {"Megatron-Core H100", 0.05},
               {"DGX Cloud", 0.12},
               {"Megatron-Bridge", 0.12},
               {"NeMo", 0.12},
               {"torchtitan", 0.12},
               {"MLPerf", 0.10}};
    bool good = true;
    struct rr_judgement j;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        judge(row[i].set, false, NULL, &j);
        assert_true(j.n > 0);
        good &= bar(rr_strf(arena, "step time, %s (%zu rows), mean error %%", row[i].set, j.n), j.mape, row[i].allowed);
    }
    bool *fast = RR_NEWS(arena, bool, n_runs + 1);
    rr_fastest_quarter(run, n_runs, fast);
    judge("Ultra-Scale Playbook", false, fast, &j);
    good &= bar("step time, Playbook, fastest quarter, mean error %", j.mape, 0.15);
    rr_arena_free(arena);
    assert_true(good);
}

static void runs_of_mlperf(void **state)
{
    (void)state;
    load("facts/mlperf_llm_layouts.csv");
    struct rr_judgement j;
    judge("MLPerf", false, NULL, &j);
    const bool good = bar(rr_strf(arena, "step time, MLPerf LLM runs (%zu rows), mean error %%", j.n), j.mape, 0.10);
    rr_arena_free(arena);
    assert_true(good);
}

static void memory(void **state)
{
    (void)state;
    load("facts/memory_validation.csv");
    static const struct {
        const char *set;
        double allowed;
    } row[] = {{"BLOOM", 0.05}, {"Ultra-Scale Playbook", 0.05}, {"torchtitan", 0.05}};
    bool good = true;
    struct rr_judgement j;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        judge(row[i].set, true, NULL, &j);
        assert_true(j.n > 0);
        good &= bar(rr_strf(arena, "memory, %s (%zu rows), median error %%", row[i].set, j.n), j.median, row[i].allowed);
    }
    for (size_t i = 0; i < n_runs; i++) { // what ran out of memory is not said to fit
        struct rr_coefs c;
        struct rr_memory m;
        if (run[i].reason || run[i].row->oom != RR_OOM_YES) continue;
        coefs_of(&run[i], &c);
        rr_published_memory(&run[i], &c, &m);
        assert_true(m.total_bytes > rr_memory_usable_bytes(&run[i].machine));
    }
    rr_arena_free(arena);
    assert_true(good);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(step_times),
        cmocka_unit_test(runs_of_mlperf),
        cmocka_unit_test(memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
