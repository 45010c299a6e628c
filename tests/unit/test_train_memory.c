/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_train_memory.c - memory against the formulas of Korthikanti et al. 2022 and of ZeRO, and laws. */
#include "tests/unit/train_case.h"
#include "models/train/measured.h"

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

// The same of 175 B on 64 GPUs, 8 stages of 3 chunks: 66.8438 GiB with nothing recomputed, 12.3516 with selective recompute and sequence parallelism.
static void the_published_figure_with_a_pipeline(void **state)
{
    (void)state;
    struct rr_layout l = layout_of(64, 8, 8, 1, 64);
    struct rr_memory m;
    l.flash = false, l.vpp = 3;
    of("gpt3-175b", l, 0, &m);
    near(m.term_bytes[RR_MEMORY_ACTIVATIONS] / 1073741824.0, 66.8438, 1e-5);
    l.sequence_parallel = true, l.recompute = RR_RECOMPUTE_SELECTIVE;
    of("gpt3-175b", l, 0, &m);
    near(m.term_bytes[RR_MEMORY_ACTIVATIONS] / 1073741824.0, 12.3516, 1e-5);
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

static struct rr_memory memory_of(const struct rr_arch *a, const struct rr_layout *l, int32_t stage)
{
    struct rr_memory m;
    rr_memory_stage(a, &plain, l, stage, &m);
    return m;
}

// Block recompute of n of L layers: n inputs of 2 s b h, (L - n) layers of 34 s b h / t, and one recomputed layer at work.
static void some_layers_are_recomputed(void **state)
{
    (void)state;
    const struct rr_arch *a = model("gpt3-175b");
    const double sbh = 2048.0 * 1 * 12288, t = 8;
    struct rr_layout l = layout_of(64, 8, 8, 1, 64); // 12 layers a stage; the first holds 8 micro batches
    rr_coefs_default(&plain);
    l.sequence_parallel = true, l.recompute = RR_RECOMPUTE_FULL;
    for (int32_t n = 1; n <= 12; n++) {
        l.recompute_layers = n;
        const struct rr_memory m = memory_of(a, &l, 0);
        near(m.term_bytes[RR_MEMORY_ACTIVATIONS], 8 * (n * 2 * sbh / t + (12 - n) * 34 * sbh / t), 1e-12);
    }
    const struct rr_memory twelve = memory_of(a, &l, 0);
    l.recompute_layers = 0; // all
    const struct rr_memory all = memory_of(a, &l, 0);
    near(twelve.total_bytes, all.total_bytes, 1e-15);
    near(all.term_bytes[RR_MEMORY_WORKSPACE], 2 * 34 * sbh / t + 4 * sbh + 0.2 * 1073741824, 1e-12);
}

// The closed form against trying every number of layers, over odd limits.
static void the_fewest_layers_that_fit(void **state)
{
    (void)state;
    static const char *const name[] = {"gpt3-175b", "llama-3-70b", "mixtral-8x7b"};
    int some = 0;
    rr_coefs_default(&plain);
    plain.v[RR_COEF_MEM_FRAG] = 0.07;
    for (int i = 0; i < 3; i++)
        for (int32_t pp = 1; pp <= 8; pp *= 2)
            for (double usable = 30.3e9; usable < 300e9; usable *= 1.07) {
                struct rr_layout l = layout_of(64, 4, pp, 2, 256), t;
                struct rr_memory m;
                const int32_t got = rr_memory_recompute_least(model(name[i]), &plain, &l, usable), most = model(name[i])->layers / pp;
                int32_t want = 0;
                for (int32_t n = most; n >= 1; n--) {
                    t = l, t.recompute = RR_RECOMPUTE_FULL, t.recompute_layers = n;
                    rr_memory_peak(model(name[i]), &plain, &t, &m);
                    if (m.total_bytes <= usable) want = n;
                }
                if (got != want) fail_msg("%s, pp %d, %.4g bytes: %d layers, %d by trying", name[i], pp, usable, got, want);
                some += got > 1 && got < most;
            }
    assert_true(some > 20);
}

// q, k and v: 6 bytes of 34 with as many kv heads as heads, 2 + 4/8 with an eighth of them; a gated MLP keeps three of its width, not two,
// and nothing is dropped: no masks of a byte each.
static void shared_heads_and_gates(void **state)
{
    (void)state;
    struct rr_arch a = *model("gpt3-175b");
    struct rr_layout l = layout_of(8, 1, 1, 1, 8);
    const double th = 2048.0 * 12288;
    rr_coefs_default(&plain);
    near(memory_of(&a, &l, 0).term_bytes[RR_MEMORY_ACTIVATIONS], 96 * 34 * th, 1e-12);
    a.kv_heads = 12;
    near(memory_of(&a, &l, 0).term_bytes[RR_MEMORY_ACTIVATIONS], 96 * (34 - 3.5) * th, 1e-12);
    a.gated = 1;
    near(memory_of(&a, &l, 0).term_bytes[RR_MEMORY_ACTIVATIONS], 96 * (34 - 3.5 + 8 - 2) * th, 1e-12);
}

// DeepSeek-V3's heads: 128 x (192 + 192 + 128) wide and 2 x (1536 + 512) compressed, instead of 3 x 7168.
static void latent_attention_is_wider(void **state)
{
    (void)state;
    struct rr_arch a = *model("deepseek-v3"), plain_heads;
    struct rr_layout l = layout_of(8, 1, 1, 1, 8);
    rr_coefs_default(&plain);
    plain_heads = a;
    plain_heads.kv_lora = 0, plain_heads.head_dim = 56, plain_heads.kv_heads = plain_heads.heads;
    const double extra =
        memory_of(&a, &l, 0).term_bytes[RR_MEMORY_ACTIVATIONS] - memory_of(&plain_heads, &l, 0).term_bytes[RR_MEMORY_ACTIVATIONS];
    near(extra, a.layers * 2048.0 * 2 * (128 * (192 + 192 + 128) + 2 * (1536 + 512) - 3 * 7168), 1e-12);
}

// Each of the top-k copies of a token goes in and comes out of an expert: 2 x 2 bytes h in each of its layers, and once more in the one at work.
static void copies_for_experts(void **state)
{
    (void)state;
    const struct rr_arch *a = model("mixtral-8x7b");
    struct rr_layout l = layout_of(8, 1, 1, 1, 8);
    rr_coefs_default(&plain);
    near(memory_of(a, &l, 0).term_bytes[RR_MEMORY_EXPERTS], (32 + 1) * 4 * 2048.0 * 2 * 4096, 1e-12);
}

// A pipeline over sharded weights (torchtitan) holds its stage's weights whole, and their gradients in 32 bits until its end.
static void a_pipeline_over_sharded_weights(void **state)
{
    (void)state;
    const struct rr_arch *a = model("llama-3-70b");
    struct rr_layout l = layout_of(64, 4, 2, 1, 64);
    rr_coefs_default(&plain);
    l.zero = 3;
    const struct rr_memory m = memory_of(a, &l, 1);
    const struct rr_params n = rr_arch_params(a);
    near(m.term_bytes[RR_MEMORY_WEIGHTS], 2 * (n.layers / 2 + n.output) / 4 / 8, 1e-12);
    near(m.term_bytes[RR_MEMORY_BUFFERS], 6 * (n.layers / 2 + n.output) / 4 + 8 * 2048.0 * 8192, 1e-12);
}

static void what_later_micro_batches_cannot_use(void **state)
{
    (void)state;
    const struct rr_arch *a = model("llama-3-8b");
    struct rr_layout l = layout_of(8, 1, 1, 2, 16);
    rr_coefs_default(&plain);
    plain.v[RR_COEF_MEM_FRAG] = 0.16;
    assert_true(memory_of(a, &l, 0).term_bytes[RR_MEMORY_FRAGMENTS] <= 0); // one micro batch
    l.global_batch = 64;                                                   // four
    const struct rr_memory m = memory_of(a, &l, 0);
    const double moving =
        m.term_bytes[RR_MEMORY_ACTIVATIONS] + m.term_bytes[RR_MEMORY_LOGITS] + m.term_bytes[RR_MEMORY_WORKSPACE] - 0.2 * 1073741824;
    near(m.term_bytes[RR_MEMORY_FRAGMENTS], 0.16 * 0.75 * moving, 1e-12);
}

// Buckets stand beside gradients where replicas shard nothing.
static void buckets_of_replicas(void **state)
{
    (void)state;
    const struct rr_arch *a = model("llama-3-8b");
    const double n = rr_arch_params(a).total;
    struct rr_layout l = layout_of(8, 1, 1, 1, 8);
    rr_coefs_default(&plain);
    plain.v[RR_COEF_MEM_BUCKET] = 2;
    near(memory_of(a, &l, 0).term_bytes[RR_MEMORY_BUFFERS], 2 * n, 1e-6);
    l.zero = 1;
    assert_true(memory_of(a, &l, 0).term_bytes[RR_MEMORY_BUFFERS] <= 0);
    l.zero = 0, l.gpus = 1, l.dp = 1;
    assert_true(memory_of(a, &l, 0).term_bytes[RR_MEMORY_BUFFERS] <= 0);
}

static double states_of(const struct rr_memory *m)
{
    return m->term_bytes[RR_MEMORY_WEIGHTS] + m->term_bytes[RR_MEMORY_GRADIENTS] + m->term_bytes[RR_MEMORY_OPTIMIZER];
}

static void a_measured_run_scales_what_moves(void **state)
{
    (void)state;
    const struct rr_arch *a = model("llama-3-8b");
    struct rr_size_measured m = {.given = true, .layout = layout_of(8, 2, 1, 2, 64)};
    struct rr_layout other = layout_of(8, 4, 1, 4, 64);
    rr_coefs_default(&plain);
    const struct rr_memory was = memory_of(a, &m.layout, 0), other_was = memory_of(a, &other, 0);
    const double states = states_of(&was), context = was.term_bytes[RR_MEMORY_CONTEXT], moving = was.total_bytes - states - context;
    m.memory_bytes = states + context + 1.317 * moving;
    assert_int_equal(rr_measured_memory(a, &plain, &m), RR_OK);
    near(m.memory_scale, 1.317, 1e-12);
    assert_true(m.memory_offset_bytes <= 0 && m.memory_offset_bytes >= 0);
    near(m.predicted_bytes, was.total_bytes, 1e-12);
    near(m.after_bytes, m.memory_bytes, 1e-12);
    const struct rr_memory now = memory_of(a, &other, 0); // another layout: its states stay
    near(states_of(&now), states_of(&other_was), 1e-15);
    near(now.total_bytes - states_of(&now) - context, 1.317 * (other_was.total_bytes - states_of(&other_was) - context), 1e-12);
}

// What a log's allocator says has no context; what hardly moves, and what would be out of proportion, is so much more on every GPU.
static void a_measured_run_in_other_ways(void **state)
{
    (void)state;
    const struct rr_arch *a = model("llama-3-8b");
    struct rr_size_measured m = {.given = true, .layout = layout_of(8, 2, 1, 4, 64), .of_allocator = true};
    rr_coefs_default(&plain);
    const struct rr_memory was = memory_of(a, &m.layout, 0);
    const double states = states_of(&was), context = was.term_bytes[RR_MEMORY_CONTEXT], moving = was.total_bytes - states - context;
    m.memory_bytes = states + 0.9 * moving;
    assert_int_equal(rr_measured_memory(a, &plain, &m), RR_OK);
    near(m.memory_scale, 0.9, 1e-12);
    near(m.predicted_bytes, states + moving, 1e-12);
    near(m.after_bytes, m.memory_bytes, 1e-12);

    rr_coefs_default(&plain);
    m.of_allocator = false, m.memory_bytes = was.total_bytes + 3.1 * moving;
    assert_int_equal(rr_measured_memory(a, &plain, &m), RR_OK);
    near(m.memory_scale, 1, 1e-15);
    near(m.memory_offset_bytes, 3.1 * moving, 1e-12);
    near(m.after_bytes, m.memory_bytes, 1e-12);
    near(memory_of(a, &m.layout, 0).total_bytes, m.memory_bytes, 1e-12);

    rr_coefs_default(&plain);
    m.memory_bytes = 0.97 * states;
    assert_int_equal(rr_measured_memory(a, &plain, &m), RR_EINPUT);
    assert_non_null(strstr(rr_reason(), "of weights, gradients and optimizer with tp 2 pp 1 dp 4"));
}

// 8 B on 128 GPUs, FSDP with 2 x 8192 tokens (arXiv 2410.06511 table 1, 62 GiB reserved with torch.compile).
static void a_published_run_of_torchtitan(void **state)
{
    (void)state;
    const char *note;
    struct rr_coefs c;
    struct rr_memory m;
    struct rr_layout l = layout_of(128, 1, 1, 2, 256);
    assert_int_equal(rr_coefs_find(&facts, arena, "torchtitan", "h100", &c, &note), RR_OK);
    l.zero = 3, l.seq = 8192, l.recompute = RR_RECOMPUTE_SELECTIVE;
    rr_memory_peak(model("llama-3.1-8b"), &c, &l, &m);
    near((m.total_bytes - m.term_bytes[RR_MEMORY_CONTEXT]) / 1073741824, 62, 0.05);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(activations_of_a_layer),
        cmocka_unit_test(states_and_zero),
        cmocka_unit_test(the_published_figure),
        cmocka_unit_test(the_published_figure_with_a_pipeline),
        cmocka_unit_test(terms_add_up_and_the_first_stage_holds_most_activations),
        cmocka_unit_test(interleaving_holds_more),
        cmocka_unit_test(some_layers_are_recomputed),
        cmocka_unit_test(the_fewest_layers_that_fit),
        cmocka_unit_test(shared_heads_and_gates),
        cmocka_unit_test(latent_attention_is_wider),
        cmocka_unit_test(copies_for_experts),
        cmocka_unit_test(a_pipeline_over_sharded_weights),
        cmocka_unit_test(what_later_micro_batches_cannot_use),
        cmocka_unit_test(buckets_of_replicas),
        cmocka_unit_test(a_measured_run_scales_what_moves),
        cmocka_unit_test(a_measured_run_in_other_ways),
        cmocka_unit_test(a_published_run_of_torchtitan),
    };
    return cmocka_run_group_tests(tests, load_facts, forget_facts);
}
