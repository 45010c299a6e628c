/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_train_step.c - collectives in closed form, operators, steps: limits that can be worked out, and laws. */
#include "tests/unit/train_case.h"

/* Everything at its peak, nothing lost: what is left is arithmetic. */
static struct rr_coefs ideal(void)
{
    struct rr_coefs c;
    memset(&c, 0, sizeof c);
    c.v[RR_COEF_GEMM_EFF] = c.v[RR_COEF_GEMM8_EFF] = c.v[RR_COEF_GEMMX_EFF] = c.v[RR_COEF_GEMM4_EFF] = c.v[RR_COEF_ATTN_EFF] = 1;
    c.v[RR_COEF_MEM_EFF] = c.v[RR_COEF_LINK_EFF] = c.v[RR_COEF_NET_EFF] = 1;
    c.v[RR_COEF_EP_IMBALANCE] = c.v[RR_COEF_GATHER_NET] = 1;
    return c;
}

static void rings(void **state)
{
    (void)state;
    const struct rr_machine m = {.gpus_per_node = 8, .link_gb_s = 431, .net_gb_s = 23.7};
    struct rr_coefs c = ideal();
    struct rr_group g = rr_group_make(&m, 8, 1);
    near(rr_all_reduce_s(&m, &c, &g, 1.7e9), 2 * 7.0 / 8 * 1.7 / 431, 1e-13);
    near(rr_all_gather_s(&m, &c, &g, 1.7e9), 7.0 / 8 * 1.7 / 431, 1e-13);
    g = rr_group_make(&m, 32, 1); // four nodes: eight adapters carry the ring
    near(rr_all_reduce_s(&m, &c, &g, 1.7e9), 2 * 31.0 / 32 * 1.7 / (8 * 23.7), 1e-13);
    g = rr_group_make(&m, 4, 8); // one GPU of each of four nodes: one adapter
    near(rr_all_reduce_s(&m, &c, &g, 1.7e9), 2 * 3.0 / 4 * 1.7 / 23.7, 1e-13);
    g = rr_group_make(&m, 3, 5); // five apart: one of a node
    assert_int_equal(g.inside, 1);
    c.v[RR_COEF_LINK_US] = 11, c.v[RR_COEF_NET_US] = 17;
    g = rr_group_make(&m, 16, 2); // four in each of four nodes
    near(rr_all_gather_s(&m, &c, &g, 0), 1e-6 * (11 + 2 * 17), 1e-12);
    g = rr_group_make(&m, 1, 1);
    assert_true(rr_all_reduce_s(&m, &c, &g, 1e9) == 0);
    near(rr_send_s(&m, &c, 8, 2.37e9), 0.1 + 17e-6, 1e-12);
    near(rr_send_s(&m, &c, 4, 4.31e9), 0.01 + 11e-6, 1e-12);
}

static void bandwidth_falls_with_nodes_as_stated(void **state)
{
    (void)state;
    const struct rr_machine m = {.gpus_per_node = 8, .link_gb_s = 1e6, .net_gb_s = 50};
    struct rr_coefs c = ideal();
    c.v[RR_COEF_NET_DECAY] = 0.37;
    const struct rr_group two = rr_group_make(&m, 16, 1), many = rr_group_make(&m, 128, 1);
    near(rr_group_bus_bytes_s(&m, &c, &two), 400e9, 1e-12);
    near(rr_group_bus_bytes_s(&m, &c, &many), 400e9 * pow(8, -0.37), 1e-12);
}

static void a_product_at_peak_and_at_the_memory_wall(void **state)
{
    (void)state;
    struct rr_coefs c = ideal();
    const struct rr_layout l = layout_of(8, 1, 1, 1, 8);
    struct rr_place p;
    rr_place_make(model("llama-3-8b"), machine("h100"), &c, &l, &p);
    near(rr_gemm_s(&p, 32768, 16384, 16384, true), 2.0 * 32768 * 16384 * 16384 / 989.4e12, 1e-4);
    near(rr_gemm_s(&p, 1, 16384, 16384, true), 2.0 * 16384 * 16384 / 3350e9, 0.01);
    c.v[RR_COEF_GEMM_DEPTH] = 200;
    near(rr_gemm_s(&p, 32768, 16384, 800, true), 2.0 * 32768 * 16384 * 1000 / 989.4e12, 0.35);
    c.v[RR_COEF_KERNEL_US] = 7;
    assert_true(rr_gemm_s(&p, 64, 64, 64, true) >= 7e-6);
    const double even = rr_gemm_s(&p, 4096, 4096, 4096, true);
    c.v[RR_COEF_GEMM_ALIGN] = 0.5;
    near(rr_gemm_s(&p, 4096, 4096, 4096, true), even, 1e-15);
    assert_true(rr_gemm_s(&p, 4096, 4100, 4096, true) > 1.4 * even);
}

// Without losses and on one GPU, a step that memory does not bound takes its FLOPs over the peak, causal attention at half.
static void an_ideal_gpu_reaches_its_peak(void **state)
{
    (void)state;
    struct rr_coefs c = ideal();
    struct rr_machine m = *machine("h100");
    struct rr_layout l = layout_of(1, 1, 1, 4, 4);
    struct rr_step s;
    m.memory_gb_s = 1e12;
    const struct rr_arch *a = model("llama-3-8b");
    const double d = 128, t = 4 * 2048.0;
    rr_step_time(a, &m, &c, &l, true, &s);
    const double products = rr_arch_flops(a, 2048, RR_FLOP_MODEL_FULL) * 4 - 3 * 4.0 * t * 2048 * 32 * d * 32;
    const double attention =
        (1 + 2.5) * 2.0 * t * 2048 * 32 * d * 32; // flash attention's backward pass has five products to the forward's two
    near(s.total_s, (products + attention) / 989.4e12, 1e-6);
    near(s.term_s[RR_STEP_ATTENTION], attention / 989.4e12, 1e-9);
}

static void terms_add_up(const struct rr_step *s)
{
    double sum = 0;
    for (int i = 0; i < RR_STEP_N; i++) {
        assert_true(s->term_s[i] >= -1e-9);
        sum += s->term_s[i];
    }
    near(s->total_s, sum, 1e-12);
}

static void laws(void **state)
{
    (void)state;
    static const struct {
        const char *model, *gpu;
        struct rr_layout l;
    } row[] = {
        {"llama-3-70b",
         "h100",
         {64, 4, 4, 5, 2, 1, 2, .micro_batch = 1, .global_batch = 128, .seq = 8192, .precision = RR_FP8, .flash = true}},
        {"deepseek-v3",
         "b200",
         {256, 1, 16, 1, 16, 8, 1, .micro_batch = 1, .global_batch = 512, .seq = 4096, .precision = RR_MXFP8, .flash = true}},
        {"gpt3-175b",
         "a100",
         {512, 8, 8, 1, 8, 1, 1, .micro_batch = 2, .global_batch = 512, .seq = 2048, .precision = RR_FP16, .recompute = RR_RECOMPUTE_FULL}},
        {"llama-3-8b",
         "h100",
         {16, 1, 1, 1, 16, 1, 1, .zero = 3, .micro_batch = 2, .global_batch = 64, .seq = 4096, .precision = RR_BF16, .flash = true}},
        {"nemotron-3-nano",
         "gb300",
         {8, 1, 1, 1, 8, 8, 1, .zero = 1, .micro_batch = 4, .global_batch = 64, .seq = 8192, .precision = RR_MXFP8, .flash = true}},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct rr_coefs c;
        struct rr_step s, more, closed;
        struct rr_layout l = row[i].l;
        struct rr_machine m = *machine(row[i].gpu);
        const struct rr_arch *a = model(row[i].model);
        rr_coefs_default(&c);
        rr_step_time(a, &m, &c, &l, true, &s);
        terms_add_up(&s);
        rr_step_time(a, &m, &c, &l, false, &closed);
        near(closed.total_s, s.total_s, 0.05);
        near(s.tokens_per_s_per_gpu, (double)l.global_batch * l.seq / l.gpus / s.total_s, 1e-12);
        assert_true(s.mfu > 0.02 && s.mfu < 1.5);
        l.global_batch *= 2; // twice the work takes longer, but not twice as long
        rr_step_time(a, &m, &c, &l, true, &more);
        assert_true(more.total_s > s.total_s && more.total_s < 2 * s.total_s);
        l = row[i].l;
        m.link_gb_s /= 3, m.net_gb_s /= 3; // no network is faster for being slower
        rr_step_time(a, &m, &c, &l, true, &more);
        assert_true(more.total_s >= s.total_s);
        m = *machine(row[i].gpu);
        m.memory_gb_s /= 2;
        rr_step_time(a, &m, &c, &l, true, &more);
        assert_true(more.total_s > s.total_s);
        if (l.recompute == RR_RECOMPUTE_NONE) {
            m = *machine(row[i].gpu);
            l.recompute = RR_RECOMPUTE_FULL;
            rr_step_time(a, &m, &c, &l, true, &more);
            assert_true(more.total_s > s.total_s);
            assert_true(more.term_s[RR_STEP_RECOMPUTE] > 0 && s.term_s[RR_STEP_RECOMPUTE] == 0);
        }
    }
}

static void coefficients_are_checked(void **state)
{
    (void)state;
    struct rr_coefs c;
    const char *note;
    assert_int_equal(rr_coefs_find(&facts, arena, "nemo", "h100", &c, &note), RR_OK);
    assert_string_equal(note, "");
    assert_int_equal(rr_coefs_find(&facts, arena, "nanotron", "a100", &c, &note), RR_OK);
    assert_string_equal(note, "no coefficients for nanotron on a100: those of nanotron/h100 are used");
    assert_int_equal(rr_coefs_find(&facts, arena, "nemmo", "h100", &c, &note), RR_EINPUT);
    assert_non_null(strstr(rr_reason(), "did you mean \"nemo\"?"));
    struct rr_coef_row bad = {
        .profile = "x/y", .coefficient = "gemm_eff", .value = 1.7, .unit = "of peak", .fact = {.path = "f.csv", .line = 3}};
    const struct rr_train_facts own = {.coef = &bad, .n_coefs = 1};
    assert_int_equal(rr_coefs_find(&own, arena, "x", "y", &c, &note), RR_EINPUT);
    assert_string_equal(rr_reason(), "f.csv:3: gemm_eff of 1.7 is outside 0.3 .. 0.93 of peak");
    bad.value = 0.7, bad.unit = "ms";
    assert_int_equal(rr_coefs_find(&own, arena, "x", "y", &c, &note), RR_EINPUT);
    assert_string_equal(rr_reason(), "f.csv:3: the unit of gemm_eff is \"of peak\", not \"ms\"");
    bad.coefficient = "gem_eff";
    assert_int_equal(rr_coefs_find(&own, arena, "x", "y", &c, &note), RR_EINPUT);
    assert_string_equal(rr_reason(), "f.csv:3: unknown coefficient \"gem_eff\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rings),
        cmocka_unit_test(bandwidth_falls_with_nodes_as_stated),
        cmocka_unit_test(a_product_at_peak_and_at_the_memory_wall),
        cmocka_unit_test(an_ideal_gpu_reaches_its_peak),
        cmocka_unit_test(laws),
        cmocka_unit_test(coefficients_are_checked),
    };
    return cmocka_run_group_tests(tests, load_facts, forget_facts);
}
