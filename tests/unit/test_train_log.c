/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_train_log.c - logs as trainers print them (tests/data/train_logs): each says a step of 4.772 s in its own words. */
#include "data/base/text.h"
#include "data/train_log.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void assert_near(double a, double b, double off)
{
    if (!(fabs(a - b) <= off)) fail_msg("%.17g is not %.17g +- %g", a, b, off);
}

static struct rr_train_log sample(const char *name)
{
    char path[256];
    struct rr_train_log log;
    snprintf(path, sizeof path, "tests/data/train_logs/%s", name);
    if (rr_train_log_read(path, &log) != RR_OK) fail_msg("%s", rr_reason());
    return log;
}

static void every_trainer_is_read(void **state)
{
    (void)state;
    static const struct {
        const char *file, *format;
        size_t steps, warmup;
        double batch, memory;
    } want[] = {
        {"megatron.log", "megatron", 14, 2, 512, 45678.25 * 1048576},
        {"megatron_seconds.log", "megatron", 6, 2, 2048, 0},
        {"deepspeed_pipe.log", "deepspeed", 4, 1, 0, 0},
        {"nemo1.log", "nemo", 6, 2, 0, 0}, // two of eight drawings are the same step
        {"nemo2.log", "nemo", 6, 2, 512, 53930270720.0},
        {"bridge.log", "megatron bridge", 6, 2, 0, 0},
        {"composer.log", "composer", 6, 2, 512, 44.6420e9}, // the batch from the two rates
        {"huggingface.log", "huggingface", 1, 0, 512, 0},
        {"mlperf.log", "mlperf", 6, 2, 512, 0},
        {"bar.log", "progress bar", 6, 2, 0, 0},
        {"trainer_state.json", "huggingface", 1, 0, 512, 0},
        {"wandb.csv", "csv", 6, 2, 0, 0},
        {"wandb_history.csv", "csv", 6, 2, 0, 0},
        {"metrics.csv", "csv", 4, 1, 512, 41.5e9},
    };
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        const struct rr_train_log log = sample(want[i].file);
        if (strcmp(log.format, want[i].format) != 0 || fabs(log.step_s - 4.772) > 1e-6 || log.steps != want[i].steps ||
            log.warmup != want[i].warmup || log.global_batch != want[i].batch || fabs(log.memory_bytes - want[i].memory) > 1)
            fail_msg("%s: %s, %zu steps (%zu), %.9g s, batch %g, memory %.9g", want[i].file, log.format, log.steps, log.warmup, log.step_s,
                     log.global_batch, log.memory_bytes);
    }
}

static void rates_are_read_where_there_are_no_times(void **state)
{
    (void)state;
    struct rr_train_log log = sample("deepspeed.log");
    assert_near(log.samples_s, 512 / 4.772, 1e-6);
    assert_true(log.step_s == 0 && log.global_batch == 512 && log.steps == 5);
    assert_near(log.memory_bytes, 63.31 * 1073741824, 1);
    log = sample("torchtitan.log"); // of four ranks, in colour
    assert_near(log.tokens_s_per_gpu, 1002, 1e-9);
    assert_true(log.steps == 6 && log.warmup == 2);
    assert_near(log.memory_bytes, 66.91 * 1073741824, 1);
    log = sample("torchtitan_wps.log");
    assert_near(log.tokens_s_per_gpu, 1002, 1e-9);
}

/* Of 14 steps 2 are warm-up and the one behind the evaluation is left out; 9.871 s is far from 4.772, and stays. */
static void pauses_and_outliers_are_told_apart(void **state)
{
    (void)state;
    const struct rr_train_log log = sample("megatron.log");
    assert_int_equal(log.beside, 1);
    assert_int_equal(log.outliers, 1);
}

static enum rr_status read_as(const char *suffix, const char *text, struct rr_train_log *log)
{
    char path[] = "/tmp/rackrate-log-XXXXXX.json";
    snprintf(path + strlen("/tmp/rackrate-log-XXXXXX"), 6, "%s", suffix);
    const int fd = mkstemps(path, (int)strlen(suffix));
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
    const enum rr_status st = rr_train_log_read(path, log);
    unlink(path);
    return st;
}

static void columns_say_their_unit(void **state)
{
    (void)state;
    struct rr_train_log log;
    assert_int_equal(read_as(".csv", "step,iteration time [ms],Peak memory (GiB)\n1,4772,7.5\n", &log), RR_OK);
    assert_near(log.step_s, 4.772, 1e-12);
    assert_near(log.memory_bytes, 7.5 * 1073741824, 1);
    assert_int_equal(read_as(".csv", "train/steps_per_second\n0.2\n\nNaN\n0.25\n", &log), RR_OK);
    assert_true(log.steps == 2);
    assert_near(log.step_s, 4.5, 1e-12);
    assert_int_equal(read_as(".csv", "tokens_per_s_per_gpu\n\"1002.5\"\n", &log), RR_OK);
    assert_near(log.tokens_s_per_gpu, 1002.5, 1e-12);
}

static void refuses(const char *suffix, const char *text, const char *why)
{
    struct rr_train_log log;
    assert_int_equal(read_as(suffix, text, &log), RR_EINPUT);
    if (!strstr(rr_reason(), why)) fail_msg("\"%s\" is not in: %s", why, rr_reason());
}

static void what_says_nothing_is_refused(void **state)
{
    (void)state;
    refuses("", "", "no step times in 0 lines; looked for \"elapsed time per iteration (ms):\"");
    refuses(".log", "loss 3\nloss 2\n", "no step times in 2 lines");
    refuses(".log", "a\n iteration 1/ 5 | elapsed time per iteration (ms): n/a | lm loss\n",
            ":2: \"elapsed time per iteration (ms)\" without a number");
    refuses(".log", "elapsed time per iteration (ms): 0.0\n", "no step times");
    refuses(".log", "Validation DataLoader 0: 100%|##| 5/5 [00:10<00:00, 2.1s/it]\n", "no step times"); // no training step
    refuses(".csv", "step_time\n5\n", ":1: the column \"step_time\" has no unit in its name; such as step_time_s");
    refuses(".csv", "memory,step_time_s\n5,4\n", "such as memory_gb");
    refuses(".csv", "a - step_time_s,b - step_time_s\n5,4\n", "two columns say the same");
    refuses(".csv", "step_time_s\n5\nfive\n", ":3: step_time_s");
    refuses(".csv", "loss\n5\n", "no step times in 2 lines");
    refuses(".json", "{\"log_history\": [{\"loss\": 2.1, \"step\": 5}]}", "no step times");
    refuses(".json", "{\"log_history\": ", "1");
}

#define STEP(ms) " | elapsed time per iteration (ms): " ms " | global batch size: 512 |\n"

/* A number is taken whole or its line is named: what is left of a damaged one is none. */
static void damaged_numbers_are_refused_by_line(void **state)
{
    (void)state;
    static const char *const damaged[] = {"43x2.4", "43.2.4", "43,2.4", "4312.4x", "43?2.4", "-12.5", "0.0", "nan", "1e-4-3"};
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++) {
        char text[512];
        snprintf(text, sizeof text, STEP("4312.4") "loss\n iteration 2/ 5 | elapsed time per iteration (ms): %s | lm\n" STEP("4313"),
                 damaged[i]);
        refuses(".log", text, ":3: \"elapsed time per iteration (ms)\"");
        refuses(".log", text, damaged[i]);
    }
    refuses(".log", STEP("4312.4") "global batch size: 5x12\n", ":2: \"global batch size\" with a damaged number: \"5x12\"");
    refuses(".log", "step: 1 memory: 45.1x2GiB(57.00%) tps: 1,002\n", ":1: \"memory\" with a damaged number: \"45.1x2GiB(57.00%)\"");
    refuses(".log", "steps: 1 CurrSamplesPerSec=107.3\nCurrSamplesPerSec=0\n",
            ":2: \"CurrSamplesPerSec\" is more than 0 in each step, not \"0\"");
    refuses(".csv", "step_time_s\n4.7\n0\n", ":3: step_time_s: 0; more than 0 is expected");
    refuses(".csv", "step_time_s\n0\n", ":2: step_time_s: 0; more than 0 is expected");
    refuses(".csv", "step_time_s\n4.7\n-4.7\n", ":3: step_time_s: -4.7; more than 0");
}

static void a_file_that_was_cut_ends_before_its_last_number(void **state)
{
    (void)state;
    struct rr_train_log log;
    assert_int_equal(read_as(".log", STEP("4312") STEP("4312") STEP("4312") "elapsed time per iteration (ms): 43", &log), RR_OK);
    assert_true(log.steps == 3);
    assert_near(log.step_s, 4.312, 1e-12);
    assert_int_equal(read_as(".log", STEP("4312") "elapsed time per iteration (ms):", &log), RR_OK);
}

/* 0.1 of 4 s is the median distance of 3.8, 3.9, 4, 4.1, 4.2 from their median; 9 and 8 are warm-up. */
static void the_spread_of_steps_is_told(void **state)
{
    (void)state;
    struct rr_train_log log;
    assert_int_equal(read_as(".csv", "step_time_s\n9\n8\n3.8\n4.2\n4.1\n3.9\n4\n", &log), RR_OK);
    assert_near(log.step_s, 4, 1e-12);
    assert_true(log.used == 5 && log.warmup == 2 && !log.average);
    assert_near(log.spread, 1.4826 * 0.1 / 4, 1e-9);
    assert_true(sample("trainer_state.json").average && sample("huggingface.log").average);
}

/* Megatron's ramp-up: steps of 256 sequences are no steps of 512. */
static void steps_of_a_smaller_batch_are_left_out(void **state)
{
    (void)state;
    struct rr_train_log log;
    char text[4096];
    size_t n = 0;
    for (int i = 1; i <= 12; i++)
        n += (size_t)snprintf(text + n, sizeof text - n,
                              " iteration %d/ 50 | elapsed time per iteration (ms): %d | global batch size: %d |\n", i,
                              i <= 7 ? 2125 : 4250 + i, i <= 7 ? 256 : 512);
    assert_int_equal(read_as(".log", text, &log), RR_OK);
    assert_true(log.smaller == 7 && log.steps == 5 && log.warmup == 2 && log.global_batch == 512);
    assert_near(log.step_s, 4.261, 1e-12); // the middle one of steps 10, 11 and 12
}

static void a_dump_of_arguments_is_the_layout(void **state)
{
    (void)state;
    struct rr_train_log log;
    static const char dump[] =
        "using world size: 1536, data-parallel size: 48\n  tensor_model_parallel_size ................ 8\n"
        "  pipeline_model_parallel_size .............. 4\n  virtual_pipeline_model_parallel_size ...... None\n"
        "  micro_batch_size: 2\n  seq_length=4,096, num_layers=80)\n hidden_size 8192\n hidden_size 1024\n" STEP("4312");
    assert_int_equal(read_as(".log", dump, &log), RR_OK);
    static const int64_t want[RR_LOG_SIZES] = {[RR_LOG_GPUS] = 1536, [RR_LOG_SEQ] = 4096,      [RR_LOG_LAYERS] = 80, [RR_LOG_TP] = 8,
                                               [RR_LOG_PP] = 4,      [RR_LOG_MICRO_BATCH] = 2, [RR_LOG_DP] = 48};
    for (int i = 0; i < RR_LOG_SIZES; i++) assert_int_equal(log.size[i], want[i]); // two hidden sizes are none
}

/* What Megatron prints first, over its versions; "encoder-..." is another model's. */
static void a_line_of_sizes_is_the_layout(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        int64_t gpus, dp, cp, tp, pp;
    } want[] = {
        {"using world size: 96, data-parallel size: 4, context-parallel size: 2, tensor-model-parallel size: 6, pipeline-model-parallel "
         "size: 2 \n",
         96, 4, 2, 6, 2},
        {"using world size: 96, data-parallel-size: 8, tensor-model-parallel size: 4, pipeline-model-parallel size: 3 \n", 96, 8, 0, 4, 3},
        {"using world size: 64, data-parallel size: 8, context-parallel size: 1, hierarchical context-parallel sizes: "
         "Nonetensor-model-parallel size: 4, encoder-tensor-model-parallel size: 0, pipeline-model-parallel size: 2, "
         "encoder-pipeline-model-parallel size: 5\n",
         64, 8, 1, 4, 2},
    };
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        struct rr_train_log log;
        char text[1024];
        snprintf(text, sizeof text, "%s%s%s%s", want[i].line, STEP("4312"), STEP("4312"), STEP("4312"));
        assert_int_equal(read_as(".log", text, &log), RR_OK);
        assert_int_equal(log.size[RR_LOG_GPUS], want[i].gpus);
        assert_int_equal(log.size[RR_LOG_DP], want[i].dp);
        assert_int_equal(log.size[RR_LOG_CP], want[i].cp);
        assert_int_equal(log.size[RR_LOG_TP], want[i].tp);
        assert_int_equal(log.size[RR_LOG_PP], want[i].pp);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_trainer_is_read),
        cmocka_unit_test(rates_are_read_where_there_are_no_times),
        cmocka_unit_test(pauses_and_outliers_are_told_apart),
        cmocka_unit_test(columns_say_their_unit),
        cmocka_unit_test(what_says_nothing_is_refused),
        cmocka_unit_test(damaged_numbers_are_refused_by_line),
        cmocka_unit_test(a_file_that_was_cut_ends_before_its_last_number),
        cmocka_unit_test(the_spread_of_steps_is_told),
        cmocka_unit_test(steps_of_a_smaller_batch_are_left_out),
        cmocka_unit_test(a_dump_of_arguments_is_the_layout),
        cmocka_unit_test(a_line_of_sizes_is_the_layout),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
