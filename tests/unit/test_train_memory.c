/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_train_memory.c - memory against the formulas of Korthikanti et al. 2022 and of ZeRO, and laws. */
#include "tests/unit/train_case.h"

static struct rr_coefs plain;

static void of(const char *name, struct rr_layout l, int32_t stage, struct rr_memory *ret)
{
    rr_coefs_default(&plain);
    rr_memory_stage(model(name), &plain, &l, stage, ret);
}

// Korthikanti et al. 2022, equations 2, 4, 5 and 6: bytes of a layer, times s b h: 10 + 24/t + 5as/(ht); 34/t + 5as/(ht); 34/t; 2.
static void activations_of_a_layer(void **state)
{
    (void)state;
    const double s = 2048, b = 3, h = 12288, a = 96, t = 8, l = 96;
    struct rr_layout lay = layout_of(8, 8, 1, 3, 3);
    struct rr_memory m;
    lay.flash = false;
    of("gpt3-175b", lay, 0, &m);
    near(m.term_bytes[RR_MEMORY_ACTIVATIONS], l * s * b * h * (10 + 24 / t + 5 * a * s / (h * t)), 1e-12);
    lay.sequence_parallel = true;
    of("gpt3-175b", lay, 0, &m);
    near(m.term_bytes[RR_MEMORY_ACTIVATIONS], l * s * b * h * (34 / t + 5 * a * s / (h * t)), 1e-12);
    lay.recompute = RR_RECOMPUTE_SELECTIVE;
    of("gpt3-175b", lay, 0, &m);
    near(m.term_bytes[RR_MEMORY_ACTIVATIONS], l * s * b * h * 34 / t, 1e-12);
    lay.recompute = RR_RECOMPUTE_FULL, lay.sequence_parallel = false;
    of("gpt3-175b", lay, 0, &m);
    near(m.term_bytes[RR_MEMORY_ACTIVATIONS], l * s * b * h * 2, 1e-12);
}

// Rajbhandari et al. 2020: 16 bytes a parameter and mixed precision with Adam; ours keeps gradients in 32 bits: 18.
static void states_and_zero(void **state)
{
    (void)state;
    const double n = rr_arch_params(model("llama-3-8b")).total;
    static const double want[4][3] = {{2, 4, 12}, {2, 4, 12.0 / 64}, {2, 4.0 / 64, 12.0 / 64}, {2.0 / 64, 4.0 / 64, 12.0 / 64}};
    for (int32_t z = 0; z < 4; z++) {
        struct rr_layout l = layout_of(64, 1, 1, 1, 64);
        struct rr_memory m;
        l.zero = z;
        of("llama-3-8b", l, 0, &m);
        near(m.term_bytes[RR_MEMORY_WEIGHTS], n * want[z][0], 1e-5);
        near(m.term_bytes[RR_MEMORY_GRADIENTS], n * want[z][1], 1e-5);
        near(m.term_bytes[RR_MEMORY_OPTIMIZER], n * want[z][2], 1e-5);
    }
}

// Korthikanti et al. 2022, figure 1: weights, gradients and optimizer of 22 B on 8 GPUs are 45.5625 GiB; activations with selective recompute 9.5625.
static void the_published_figure(void **state)
{
    (void)state;
    struct rr_arch a = *model("gpt3-175b");
    a.layers = 48, a.hidden = 6144, a.heads = a.kv_heads = 64, a.ffn = 24576;
    struct rr_layout l = layout_of(8, 8, 1, 4, 4);
    struct rr_memory m;
    l.flash = false, l.sequence_parallel = true, l.recompute = RR_RECOMPUTE_SELECTIVE;
    rr_coefs_default(&plain);
    rr_memory_stage(&a, &plain, &l, 0, &m);
    const double gib = 1073741824.0;
    near((m.term_bytes[RR_MEMORY_WEIGHTS] + m.term_bytes[RR_MEMORY_GRADIENTS] + m.term_bytes[RR_MEMORY_OPTIMIZER]) / gib, 45.5625, 0.03);
    near(m.term_bytes[RR_MEMORY_ACTIVATIONS] / gib, 9.5625, 0.03);
}

static void terms_add_up_and_the_first_stage_holds_most_activations(void **state)
{
    (void)state;
    struct rr_memory m, peak;
    const struct rr_layout l = layout_of(64, 4, 8, 2, 64);
    double last = INFINITY;
    rr_coefs_default(&plain);
    rr_memory_peak(model("llama-3-70b"), &plain, &l, &peak);
    for (int32_t s = 0; s < 8; s++) {
        of("llama-3-70b", l, s, &m);
        double sum = 0;
        for (int i = 0; i < RR_MEMORY_N; i++) sum += m.term_bytes[i];
        near(m.total_bytes, sum, 1e-14);
        assert_true(m.term_bytes[RR_MEMORY_ACTIVATIONS] < last);
        assert_true(m.total_bytes <= peak.total_bytes);
        last = m.term_bytes[RR_MEMORY_ACTIVATIONS];
    }
}

// Interleaving holds (1 + (p - 1) / (p m)) times what plain 1F1B does on the first stage (Korthikanti et al. 2022, section 4.2.3).
static void interleaving_holds_more(void **state)
{
    (void)state;
    struct rr_layout l = layout_of(64, 8, 8, 1, 64);
    struct rr_memory plain_1f1b, mixed;
    of("llama-3-70b", l, 0, &plain_1f1b);
    l.vpp = 5;
    of("llama-3-70b", l, 0, &mixed);
    near(mixed.term_bytes[RR_MEMORY_ACTIVATIONS] / plain_1f1b.term_bytes[RR_MEMORY_ACTIVATIONS], 1 + 7.0 / (8 * 5), 0.01);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(activations_of_a_layer),  cmocka_unit_test(states_and_zero),
        cmocka_unit_test(the_published_figure),    cmocka_unit_test(terms_add_up_and_the_first_stage_holds_most_activations),
        cmocka_unit_test(interleaving_holds_more),
    };
    return cmocka_run_group_tests(tests, load_facts, forget_facts);
}
