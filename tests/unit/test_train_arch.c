/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_train_arch.c - parameters against published counts, FLOPs against published formulas. */
#include "tests/unit/train_case.h"

// Counts of the published checkpoints (Hugging Face model cards, papers), where they are exact to the last parameter.
static void published_counts(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double total;
    } exact[] = {{"llama-2-7b", 6738415616},   {"llama-2-13b", 13015864320},     {"llama-2-70b", 68976648192},  {"llama-3-8b", 8030261248},
                 {"llama-3-70b", 70553706496}, {"llama-3.1-405b", 405853388800}, {"mixtral-8x7b", 46702792704}, {"gpt2-xl", 1557611200}};
    for (size_t i = 0; i < sizeof exact / sizeof *exact; i++) near(rr_arch_params(model(exact[i].name)).total, exact[i].total, 1e-15);
}

// Rounded as the papers print them: total and active, 10^9.
static void published_totals_of_mixtures(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double total, active, within;
    } row[] = {{"deepseek-v3", 671, 37, 0.02},     {"mixtral-8x7b", 46.7, 12.9, 0.01},     {"mixtral-8x22b", 141, 39, 0.01},
               {"qwen3-30b-a3b", 30.5, 3.3, 0.02}, {"qwen3-235b-a22b", 235, 22, 0.01},     {"kimi-k2", 1026, 32.9, 0.02},
               {"deepseek-v2", 236, 21, 0.02},     {"nemotron-3-super", 120.7, 12.7, 0.02}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const struct rr_params p = rr_arch_params(model(row[i].name));
        near(p.total / 1e9, row[i].total, row[i].within);
        near(p.active / 1e9, row[i].active, row[i].within);
    }
}

// Narayanan et al. 2021, equation 2: 12 l h^2 (1 + 13 / (12 h) + (V + s) / (12 l h)); it leaves out the last norm, 2 h.
static void the_formula_for_gpt(void **state)
{
    (void)state;
    const struct rr_arch *a = model("gpt3-175b");
    const double l = 96, h = 12288, v = 51200, s = 2048;
    near(rr_arch_params(a).total, 12 * l * h * h * (1 + 13 / (12 * h) + (v + s) / (12 * l * h)) + 2 * h, 1e-14);
}

// Equation 3 of the same: 96 B s l h^2 (1 + s / (6 h) + V / (16 l h)) with full recompute counts the head's forward pass three times, as we do; the
// model FLOPs of Korthikanti et al. 2022 are 72 B s l h^2 (1 + s / (6 h) + V / (12 l h)).
static void flops_by_the_published_rules(void **state)
{
    (void)state;
    const struct rr_arch *a = model("gpt3-175b");
    const double l = 96, h = 12288, v = 51200, s = 2048;
    near(rr_arch_flops(a, s, RR_FLOP_MODEL_FULL), 72 * s * l * h * h * (1 + s / (6 * h) + v / (12 * l * h)), 1e-14);
    near(rr_arch_flops(a, s, RR_FLOP_HARDWARE), 96 * s * l * h * h * (1 + s / (6 * h) + v / (16 * l * h)), 0.003);
    near(rr_arch_flops(a, s, RR_FLOP_6N), 6 * rr_arch_params(a).total * s, 1e-14);
    near(rr_arch_flops(a, s, RR_FLOP_MODEL_FULL) - rr_arch_flops(a, s, RR_FLOP_MODEL_CAUSAL), 6 * s * s * l * h, 1e-9);
}

// FLOPs of whole runs by 6 N a token, as their papers print them: GPT-3 (arXiv 2005.14165, appendix D), Llama 3 (2407.21783); BERT's parameters (1810.04805).
static void published_runs(void **state)
{
    (void)state;
    near(rr_arch_flops(model("gpt3-175b"), 2048, RR_FLOP_6N) / 2048 * 300e9, 3.14e23, 0.01);
    near(rr_arch_flops(model("llama-3.1-405b"), 8192, RR_FLOP_6N) / 8192 * 15.6e12, 3.8e25, 0.01);
    near(rr_arch_params(model("bert-large")).total, 340e6, 0.02);
}

static void adapters_need_no_gradients_of_frozen_weights(void **state)
{
    (void)state;
    struct rr_arch a = *model("llama-2-70b");
    const double full = rr_arch_flops(&a, 8192, RR_FLOP_MODEL_FULL);
    a.lora_rank = 16;
    near(rr_arch_flops(&a, 8192, RR_FLOP_MODEL_FULL), full * 2 / 3, 1e-14);
    const double trained = rr_arch_params(&a).trained;
    assert_true(trained < 0.005 * rr_arch_params(&a).total && trained > 1e8);
}

static void networks_by_table(void **state)
{
    (void)state;
    const struct rr_arch *a = model("ResNet-50");
    near(rr_arch_params(a).total, 25557000, 1e-12);
    near(rr_arch_flops(a, 1, RR_FLOP_MODEL_FULL), 3 * 8.18e9, 1e-12);
}

static void a_window_shortens_attention(void **state)
{
    (void)state;
    struct rr_arch a = *model("gpt-oss-120b");
    const double with = rr_arch_flops(&a, 8192, RR_FLOP_MODEL_FULL);
    a.window_layers = 0;
    near(rr_arch_flops(&a, 8192, RR_FLOP_MODEL_FULL) - with, 3 * 4.0 * 64 * 64 * 18 * (8192 - 128.0) * 8192, 1e-9);
}

static void unknown_names_get_the_nearest(void **state)
{
    (void)state;
    const struct rr_arch *a;
    const struct rr_machine *m;
    assert_int_equal(rr_train_facts_arch(&facts, arena, "llama-3-7ob", &a), RR_EINPUT);
    assert_non_null(strstr(rr_reason(), "did you mean \"llama-3-70b\"?"));
    assert_int_equal(rr_train_facts_machine(&facts, arena, "hgx-h10", &m), RR_EINPUT);
    assert_non_null(strstr(rr_reason(), "did you mean \"hgx-h100\"?"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_counts),
        cmocka_unit_test(published_totals_of_mixtures),
        cmocka_unit_test(the_formula_for_gpt),
        cmocka_unit_test(flops_by_the_published_rules),
        cmocka_unit_test(published_runs),
        cmocka_unit_test(adapters_need_no_gradients_of_frozen_weights),
        cmocka_unit_test(networks_by_table),
        cmocka_unit_test(a_window_shortens_attention),
        cmocka_unit_test(unknown_names_get_the_nearest),
    };
    return cmocka_run_group_tests(tests, load_facts, forget_facts);
}
