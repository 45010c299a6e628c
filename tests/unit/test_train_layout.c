/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_train_layout.c - each reason why a layout is not possible, with its numbers; stages of all kinds. */
#include "tests/unit/train_case.h"

static const char *why(const char *name, const char *gpu, struct rr_layout l)
{
    struct rr_buf b = {0};
    const struct rr_arch *a = model(name);
    const struct rr_machine *m = machine(gpu);
    const enum rr_layout_fault fault = rr_layout_check(a, m, &l);
    if (fault == RR_FAULT_OK) return "legal";
    rr_layout_say(&b, a, m, &l, fault);
    const char *text = rr_strdup(arena, rr_buf_text(&b));
    rr_buf_done(&b);
    return text;
}

static void each_fault_says_its_numbers(void **state)
{
    (void)state;
    const struct rr_layout good = {.gpus = 64,
                                   .tp = 4,
                                   .pp = 4,
                                   .vpp = 5,
                                   .dp = 2,
                                   .ep = 1,
                                   .cp = 2,
                                   .micro_batch = 1,
                                   .global_batch = 128,
                                   .seq = 8192,
                                   .precision = RR_FP8,
                                   .sequence_parallel = true,
                                   .flash = true};
    struct rr_layout l = good;
    assert_string_equal(why("llama-3-70b", "h100", l), "legal");
    l.gpus = 65;
    assert_string_equal(why("llama-3-70b", "h100", l), "world: tp 4 x pp 4 x dp 2 x cp 2 = 64 GPUs, not 65");
    l = good, l.tp = 3, l.gpus = 48;
    assert_string_equal(why("llama-3-70b", "h100", l), "heads: 64 do not divide by tp 3");
    l = good, l.vpp = 6;
    assert_string_equal(why("llama-3-70b", "h100", l), "layers: 80 do not divide by pp 4 x vpp 6");
    l = good, l.pp = 3, l.vpp = 1, l.gpus = 48;
    assert_string_equal(why("llama-3-70b", "h100", l), "layers: 80 layers on 3 stages");
    l = good, l.micro_batch = 5;
    assert_string_equal(why("llama-3-70b", "h100", l), "batch: 128 sequences do not divide by micro batch 5 x dp 2");
    l = good, l.global_batch = 12;
    assert_string_equal(why("llama-3-70b", "h100", l),
                        "interleave: with vpp 5 micro batches come in multiples of pp 4; batch 12 / (micro batch 1 x dp 2) are 6");
    l = good, l.pp = 1, l.gpus = 16;
    assert_string_equal(why("llama-3-70b", "h100", l), "interleave: vpp 5 with pp 1: there is no pipeline to interleave");
    l = good, l.seq = 8190;
    assert_string_equal(why("llama-3-70b", "h100", l), "sequence: 8190 tokens do not divide by 2 x cp 2");
    l.seq = 8196; // / 2 = 4098
    l.cp = 2;
    assert_string_equal(why("llama-3-70b", "h100", l), "sequence: 8196 tokens / cp 2 do not divide by tp 4, as sequence parallel needs");
    l = good, l.recompute_layers = 7;
    assert_string_equal(why("llama-3-70b", "h100", l), "recompute: 7 layers a stage go with recompute full, not none");
    l.recompute = RR_RECOMPUTE_FULL, l.recompute_layers = 21;
    assert_string_equal(why("llama-3-70b", "h100", l), "recompute: 21 layers a stage, but 80 on 4 stages are at most 20");
    l.recompute_layers = 20;
    assert_string_equal(why("llama-3-70b", "h100", l), "legal");
    l = good, l.ends = 2;
    assert_string_equal(why("llama-3-70b", "h100", l), "layers: 80 and 2 for the ends do not divide by pp 4 x vpp 5");
    l = good, l.ep = 2;
    assert_string_equal(why("llama-3-70b", "h100", l), "experts: ep 2, but llama-3-70b has no experts");
    l = good, l.tp = 1, l.dp = 8;
    assert_string_equal(why("llama-3-70b", "h100", l), "sequence parallel: with tp 1 there is nothing to split over");
    l = good, l.zero = 3;
    assert_string_equal(why("llama-3-70b", "h100", l), "zero: stage 3 with dp 2 x cp 2 and pp 4: stages 2 and 3 go with pp 1");
    l = good, l.dp = 1, l.cp = 1, l.gpus = 16, l.zero = 1;
    assert_string_equal(why("llama-3-70b", "h100", l), "zero: stage 1 with dp 1 x cp 1 and pp 4: nothing to shard over");
    assert_string_equal(why("llama-3-70b", "a100", good), "precision: hgx-a100-80 has no fp8 rate");
    l = good, l.dp = 0;
    assert_non_null(strstr(why("llama-3-70b", "h100", l), "must be at least 1"));
}

static void faults_of_experts(void **state)
{
    (void)state;
    struct rr_layout l = {.gpus = 64,
                          .tp = 1,
                          .pp = 1,
                          .vpp = 1,
                          .dp = 64,
                          .ep = 3,
                          .cp = 1,
                          .micro_batch = 1,
                          .global_batch = 128,
                          .seq = 4096,
                          .precision = RR_BF16};
    assert_string_equal(why("mixtral-8x7b", "h100", l), "experts: 8 do not divide by ep 3");
    l.ep = 8, l.dp = 12, l.gpus = 12, l.global_batch = 24;
    assert_string_equal(why("mixtral-8x7b", "h100", l), "experts: dp 12 x cp 1 does not divide by ep 8");
    l.ep = 4;
    assert_string_equal(why("mixtral-8x7b", "h100", l), "legal");
}

static const char *why_of(const struct rr_arch *a, const struct rr_layout *l, bool note)
{
    struct rr_buf b = {0};
    const struct rr_machine *m = machine("h100");
    const enum rr_layout_fault fault = rr_layout_check(a, m, l);
    if (note)
        rr_layout_notes(&b, a, m, l);
    else if (fault != RR_FAULT_OK)
        rr_layout_say(&b, a, m, l, fault);
    const char *text = rr_strdup(arena, rr_buf_text(&b));
    rr_buf_done(&b);
    return text;
}

static void faults_of_shapes(void **state)
{
    (void)state;
    struct rr_arch a = *model("llama-3-70b");
    struct rr_layout l = layout_of(64, 4, 1, 1, 64);
    a.heads = a.kv_heads = 60;
    assert_string_equal(why_of(&a, &l, false), "heads: a hidden size of 8192 does not divide by 60 heads");
    a.head_dim = 128;
    assert_string_equal(why_of(&a, &l, false), "");
    a.kv_heads = 6;
    assert_string_equal(why_of(&a, &l, false), "kv heads: 6 and tp 4 do not divide");
    a.kv_heads = 2;
    assert_string_equal(why_of(&a, &l, true), "kv heads: 2 for tp 4: each is held by 2 ranks\n");
    a.kv_heads = 60, a.ffn = 28674;
    assert_string_equal(why_of(&a, &l, false), "MLP: a width of 28674 does not divide by tp 4");
    a = *model("mixtral-8x7b"), a.expert_ffn = 14338;
    assert_string_equal(why_of(&a, &l, false), "MLP: a width of 14338 does not divide by tp 4");
}

// Megatron's padding: 50257 words at tp 4 are 50688 = 99 x 512.
static void what_is_legal_has_notes(void **state)
{
    (void)state;
    struct rr_arch a = *model("llama-3-70b");
    struct rr_layout l = layout_of(64, 4, 1, 1, 64);
    assert_string_equal(why_of(&a, &l, true), "");
    a.vocab = 50257;
    assert_string_equal(why_of(&a, &l, true), "vocabulary: 50257 words do not divide by tp 4: padded to 50688, a multiple of 128 x tp\n");
    l = layout_of(64, 16, 1, 1, 64), a.vocab = 131072, a.kv_heads = 64;
    assert_string_equal(why_of(&a, &l, true), "tp 16 spans 2 nodes of 8 GPUs: its collectives go through the network at every layer\n");
    assert_string_equal(why_of(&a, &l, false), "");
}

static void every_layer_is_on_one_stage(void **state)
{
    (void)state;
    const struct rr_arch *const archs[] = {model("llama-3-70b"), model("bloom-176b"), model("deepseek-v3")};
    for (int i = 0; i < 3; i++)
        for (int32_t pp = 1; pp <= 24; pp++)
            for (int kind = 0; kind < 4; kind++) {
                struct rr_layout l = layout_of(8 * pp, 8, pp, 1, 8);
                l.balanced = kind == 1, l.ends = kind >= 2 && pp > 1 ? kind : 0;
                int32_t next = 0, heads = 0;
                for (int32_t s = 0; s < pp; s++) {
                    const struct rr_stage at = rr_layout_stage(archs[i], &l, s);
                    if (at.count > 0) assert_int_equal(at.first, next);
                    next += at.count;
                    heads += at.head;
                }
                assert_int_equal(next, archs[i]->layers);
                assert_int_equal(heads, 1);
            }
}

// BLOOM-176B: 70 layers and two ends on 12 stages, six each (bigscience chronicles).
static void ends_that_count_as_layers(void **state)
{
    (void)state;
    struct rr_layout l = layout_of(96, 8, 12, 1, 8);
    l.ends = 2;
    assert_int_equal(rr_layout_stage(model("bloom-176b"), &l, 0).count, 5);
    assert_int_equal(rr_layout_stage(model("bloom-176b"), &l, 5).count, 6);
    assert_int_equal(rr_layout_stage(model("bloom-176b"), &l, 11).count, 5);
    l = layout_of(128, 8, 16, 1, 8), l.ends = 3; // DeepSeek-V3: 61 layers on 16 stages
    assert_int_equal(rr_layout_stage(model("deepseek-v3"), &l, 0).count, 3);
    assert_int_equal(rr_layout_stage(model("deepseek-v3"), &l, 8).count, 4);
    assert_int_equal(rr_layout_stage(model("deepseek-v3"), &l, 15).count, 2);
    assert_string_equal(why("llama-3.1-405b", "h100", layout_of(128, 8, 16, 1, 8)), "layers: 126 layers on 16 stages");
}

static void words(void **state)
{
    (void)state;
    enum rr_precision p;
    enum rr_recompute r;
    assert_int_equal(rr_precision_parse("amp_bf16", &p), RR_OK);
    assert_int_equal(p, RR_BF16);
    assert_int_equal(rr_precision_parse("mxfp9", &p), RR_EINPUT);
    assert_string_equal(rr_reason(), "unknown precision \"mxfp9\", did you mean \"mxfp8\"?");
    assert_int_equal(rr_recompute_parse("selectiv", &r), RR_EINPUT);
    assert_string_equal(rr_reason(), "unknown recompute \"selectiv\", did you mean \"selective\"?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_fault_says_its_numbers),
        cmocka_unit_test(faults_of_experts),
        cmocka_unit_test(faults_of_shapes),
        cmocka_unit_test(what_is_legal_has_notes),
        cmocka_unit_test(every_layer_is_on_one_stage),
        cmocka_unit_test(ends_that_count_as_layers),
        cmocka_unit_test(words),
    };
    return cmocka_run_group_tests(tests, load_facts, forget_facts);
}
