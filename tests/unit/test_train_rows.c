/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_train_rows.c - published rows as runs: what is read, what is assumed, what is refused; and how predictions are judged. */
#include "models/train/fit.h"
#include "models/train/gpu_name.h"
#include "models/train/judge.h"
#include "tests/unit/test_dir.h"
#include "tests/unit/train_case.h"

#define HEAD                                                                                                                            \
    "source,model,params_b,layers,hidden,heads,kv_heads,ffn_hidden,vocab,seq_len,gpu,gpus,gpus_per_node,tp,pp,vpp,dp,ep,cp,zero_stage," \
    "micro_batch,global_batch,precision,recompute,iter_time_s,tokens_per_s_per_gpu,tflops_per_gpu,mfu,time_to_train_h,notes\n"

static const char *file(const char *text)
{
    static int n;
    const char *path = rr_strf(arena, "%s/rows%d.csv", test_dir, n++);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    return path;
}

static struct rr_published one(const char *row)
{
    struct rr_train_rows rows;
    struct rr_published p;
    if (rr_train_rows_read(file(rr_strf(arena, HEAD "%s\n", row)), arena, &rows) != RR_OK) fail_msg("%s", rr_reason());
    assert_int_equal(rows.n, 1);
    if (rr_published_make(&facts, arena, &rows.at[0], &p) != RR_OK) fail_msg("%s", rr_reason());
    return p;
}

static void a_row_with_everything(void **state)
{
    (void)state;
    const struct rr_published p =
        one("vTrain measured ground truth (multi node),GPT h3072 l30,3.6,30,3072,32,32,12288,,2048,A100-SXM4-80GB,64,8,2,1,1,32,,,,"
            "8,512,fp16,full,3.9752,,,,,note");
    assert_null(p.reason);
    assert_string_equal(p.set->framework, "megatron-ds-multi");
    assert_int_equal(p.arch.vocab, 51200);
    assert_int_equal(p.layout.recompute, RR_RECOMPUTE_FULL);
    assert_int_equal(p.layout.zero, 0);
    near(p.machine.net_gb_s, 12.5, 1e-12);
    near(p.measured_s, 3.9752, 1e-12);
}

static void times_that_follow(void **state)
{
    (void)state;
    near(one("NVIDIA NeMo x,LLAMA3-8B,8,32,4096,32,8,14336,128256,8192,H100-SXM5-80GB,8,8,1,1,,4,,2,,1,128,fp8,,,13554.5,,,,x").measured_s,
         128.0 * 8192 / 13554.5 / 8, 1e-12);
    near(one("Megatron-Core r0,GPT "
             "32B,32,48,7168,56,56,28672,131072,4096,H100-SXM5-80GB,384,8,8,1,,48,,,,,192,bf16,,,,459.6,,,derived_iter_time_s=0.892 (x)")
             .measured_s,
         0.892, 1e-12);
    const struct rr_published p =
        one("NVIDIA NeMo long,LLAMA3-8B,8,32,4096,32,8,14336,128256,8192,H100-SXM5-80GB,8,8,1,1,,8,,1,,1,512,fp8,,,,730,,,x");
    near(p.measured_s, 512 * rr_arch_flops(model("llama-3-8b"), 8192, RR_FLOP_MODEL_FULL) / (730e12 * 8), 1e-12);
}

static void what_cannot_be_predicted_says_why(void **state)
{
    (void)state;
    static const struct {
        const char *row, *reason;
    } no[] = {
        {"NVIDIA NeMo x,LLAMA3-8B,8,32,4096,32,8,14336,128256,8192,H100-SXM5-80GB,8,8,1,1,,4,,2,,1,128,fp8,,,,,,,x",
         "the row prints no step time"},
        {"NVIDIA NeMo x,Unheard-9B,9,,,,,,,8192,H100-SXM5-80GB,8,8,1,1,,4,,2,,1,128,fp8,,2.5,,,,,x",
         "the row prints no shape and the model is not in data/facts/models.csv"},
        {"NVIDIA NeMo x,LLAMA3-8B,8,32,4096,32,8,14336,128256,8192,TPU-v9,8,8,1,1,,4,,2,,1,128,fp8,,2.5,,,,,x", "unknown GPU \"TPU-v9\""},
        {"NVIDIA NeMo x,LLAMA3-8B,8,32,4096,32,8,14336,128256,8192,A100-SXM4-80GB,8,8,1,1,,4,,2,,1,128,fp8,,2.5,,,,,x",
         "hgx-a100-80 has no fp8 rate"},
        {"NVIDIA NeMo x,LLAMA3-8B,8,32,4096,32,8,14336,128256,8192,,8,8,1,1,,4,,2,,1,128,fp8,,2.5,,,,,x", "the row prints no GPU"},
        {"NVIDIA NeMo x,Ours,8,32,4096,32,8,14336,128256,,H100-SXM5-80GB,8,8,1,1,,4,,2,,1,128,fp8,,2.5,,,,,x",
         "the row prints no sequence length"},
        {"NVIDIA NeMo x,LLAMA3-8B,8,32,4096,32,8,14336,128256,8192,H100-SXM5-80GB,8,8,1,1,,4,,2,,1,,fp8,,2.5,,,,,x",
         "the row prints no global batch"},
    };
    for (size_t i = 0; i < sizeof no / sizeof *no; i++) {
        const struct rr_published p = one(no[i].row);
        assert_non_null(p.reason);
        assert_string_equal(p.reason, no[i].reason);
    }
}

static void bad_files(void **state)
{
    (void)state;
    static const struct {
        const char *text, *reason;
    } bad[] = {
        {"", ":1: the file is empty"},
        {"a,b\n1,2\n", "no table of training measurements"},
        {"tokens_per_s_per_gpu,tp\n1,2\n", ":1: column \"pp\" is missing"},
        {"peak_mem_gb,tp,pp,model,gpu\n1,2\n", ":1: column \"seq_len\" is missing"},
        {HEAD "x,y\n", ":2: 2 cells, the header has 30"},
        {HEAD "s,m,8,32,4096,32,8,14336,1,8192,g,8,8,-1,1,,4,,2,,1,128,fp8,,2.5,,,,,x\n", ":2: column \"tp\": -1 is no count from 1 on"},
        {HEAD "s,m,8,32,4096,32,8,14336,1,8192,g,8,8,1,1,,4,,2,7,1,128,fp8,,2.5,,,,,x\n",
         ":2: column \"zero_stage\": 7 is no ZeRO stage, 0 to 3"},
        {HEAD "s,m,8,32,4096,32,8,14336,1,8192,g,8,8,1,1,,4,,2,,1,128,fp8,,-2.5,,,,,x\n", ":2: column \"iter_time_s\": -2.5 is below 0"},
        {HEAD "s,m,eight,32,4096,32,8,14336,1,8192,g,8,8,1,1,,4,,2,,1,128,fp8,,2.5,,,,,x\n", ":2: column \"params_b\": "},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct rr_train_rows rows;
        assert_int_equal(rr_train_rows_read(file(bad[i].text), arena, &rows), RR_EINPUT);
        if (!strstr(rr_reason(), bad[i].reason)) fail_msg("%s, expected %s", rr_reason(), bad[i].reason);
    }
}

// Nobody's set: as the framework with most published runs on the GPU that splits a model in every way.
static void an_unknown_set_is_predicted(void **state)
{
    (void)state;
    static const struct {
        const char *gpu, *framework, *machine;
    } on[] = {{"H100-SXM5-80GB", "nemo", "hgx-h100"}, {"A100-SXM4-80GB", "megatron", "hgx-a100-80"}};
    for (size_t i = 0; i < sizeof on / sizeof *on; i++) {
        const struct rr_published p =
            one(rr_strf(arena, "Somebody,LLAMA3-8B,8,32,4096,32,8,14336,128256,8192,%s,8,8,1,1,,4,,2,,1,128,bf16,,2.5,,,,,x", on[i].gpu));
        const char *family[] = {p.machine.family};
        assert_null(p.reason);
        assert_true(p.other);
        assert_string_equal(p.set->name, "other: Somebody");
        assert_string_equal(p.set->framework, rr_coefs_usual(&facts, &p.arch, family, 1));
        assert_true(rr_coefs_runs(&facts, p.set->framework, p.machine.family) > 0);
        assert_string_equal(p.machine.id, on[i].machine);
        assert_true(p.layout.flash);
    }
    assert_false(one("NVIDIA NeMo x,LLAMA3-8B,8,32,4096,32,8,14336,128256,8192,h100,8,8,1,1,,4,,2,,1,128,fp8,,2.5,,,,,x").other);
}

static void spellings_of_a_gpu(void **state)
{
    (void)state;
    static const struct {
        const char *word, *id; /* NULL: nothing, or more than one */
    } gpu[] = {{"B200-SXM", "hgx-b200"},
               {"NVIDIA B200 (SXM6, 180 GB)", "hgx-b200"},
               {"B200 SXM 192GB", "hgx-b200"},
               {"nvidia h100 80GB sxm5", "hgx-h100"},
               {"HGX H100", "hgx-h100"},
               {"H100 PCIe 80 GB", "h100-pcie"},
               {"SXM4 A100 40GB", "hgx-a100-40"},
               {"A100_80GB_SXM_400W", "hgx-a100-80"},
               {"AMD Instinct MI300X", "mi300x"},
               {"H10", NULL},
               {"80GB", NULL},
               {"SXM", NULL},
               {"", NULL}};
    for (size_t i = 0; i < sizeof gpu / sizeof *gpu; i++) {
        const struct rr_machine *m = rr_gpu_name_machine(&facts, arena, gpu[i].word);
        if (!m != !gpu[i].id || (m && strcmp(m->id, gpu[i].id) != 0)) fail_msg("%s: %s", gpu[i].word, m ? m->id : "none");
    }
}

static void rows_that_contradict_themselves(void **state)
{
    (void)state;
    static const struct {
        const char *row, *doubt;
    } x[] = {
        {"NVIDIA NeMo x,LLAMA3-8B,8,32,4096,32,8,14336,128256,8192,H100-SXM5-80GB,8,8,1,1,,4,,2,,1,128,fp8,,2.5,,,,,x", ""},
        {"NVIDIA NeMo x,LLAMA3-8B,8,32,4096,32,8,14336,128256,8192,H100-SXM5-80GB,8,8,2,1,,4,,2,,1,128,fp8,,2.5,,,,,x",
         "tp 2 x pp 1 x dp 4 x cp 2 is 16, not 8 GPUs"},
        {"NVIDIA NeMo x,LLAMA3-8B,8,32,4096,32,8,14336,128256,8192,H100-SXM5-80GB,6,8,3,1,,2,,1,,1,128,fp8,,2.5,,,,,x",
         "32 heads are not divisible by tp 3"},
        {"NVIDIA NeMo x,LLAMA3-8B,8,32,4096,32,8,14336,128256,8192,H100-SXM5-80GB,8,8,1,1,,4,,2,,3,128,fp8,,2.5,,,,,x",
         "a global batch of 128 is not divisible by micro batch 3 x dp 4"},
        {"NVIDIA NeMo x,LLAMA3-8B,8,32,4096,32,8,14336,128256,8192,H100-SXM5-80GB,8,8,1,1,,4,4,2,,1,128,fp8,,2.5,,,52.5,,x",
         "ep 4, but the model is dense; mfu 52.5 is no share: above 1.5"},
    };
    for (size_t i = 0; i < sizeof x / sizeof *x; i++) {
        const struct rr_published p = one(x[i].row);
        assert_null(p.reason);
        assert_string_equal(p.doubt, x[i].doubt);
    }
}

#define FEW "model,gpu,gpus,tp,pp,seq_len,"

static void columns_that_nothing_needs(void **state)
{
    (void)state;
    struct rr_train_rows rows;
    struct rr_published p;
    assert_int_equal(rr_train_rows_read(file(FEW "iter_time_s,global_batch\nLLAMA3-8B,h100,8,1,1,8192,2.5,128\n"), arena, &rows), RR_OK);
    assert_int_equal(rows.at[0].table, RR_TRAIN_TIMES);
    assert_int_equal(rr_published_make(&facts, arena, &rows.at[0], &p), RR_OK);
    assert_null(p.reason);
    assert_string_equal(p.set->name, "other: rows without a source");
    static const struct {
        const char *cells, *reason;
    } memory[] = {{"71.5,", NULL},
                  {",no", NULL},
                  {",yes", NULL},
                  {",crashed or oom", NULL},
                  {",", "the row prints neither its peak nor whether it ran"},
                  {",computed", "the row prints neither its peak nor whether it ran"}};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++) {
        const char *text = rr_strf(arena, FEW "peak_mem_gb,oom\nLLAMA3-8B,h100,8,1,1,8192,%s\n", memory[i].cells);
        assert_int_equal(rr_train_rows_read(file(text), arena, &rows), RR_OK);
        assert_int_equal(rows.at[0].table, RR_TRAIN_MEMORY);
        assert_int_equal(rr_published_make(&facts, arena, &rows.at[0], &p), RR_OK);
        if (!memory[i].reason)
            assert_null(p.reason);
        else
            assert_string_equal(p.reason, memory[i].reason);
    }
}

// What is not printed is chosen: the fastest predicted micro batch is no slower than any that is given.
static void a_free_micro_batch_is_the_fastest(void **state)
{
    (void)state;
    struct rr_coefs c;
    struct rr_step chosen, given;
    rr_coefs_default(&c);
    struct rr_published p = one(
        "Megatron-LM SC21 Table 1,GPT 18.4B,18.4,40,6144,48,48,24576,51200,2048,A100-SXM4-80GB,256,8,8,1,,32,,,,,1024,fp16,full,9.4,,,,,x");
    assert_true(p.free_micro_batch);
    rr_published_step(&p, &c, &chosen);
    for (int32_t mb = 1; mb <= 8; mb *= 2) {
        p.layout.micro_batch = mb;
        rr_step_time(&p.arch, &p.machine, &c, &p.layout, true, &given);
        assert_true(chosen.total_s <= given.total_s * (1 + 1e-12));
    }
}

static void judged_by_hand(void **state)
{
    (void)state;
    static const struct rr_judged row[] = {{10, 11, 1}, {20, 18, 1}, {30, 45, 1}, {5, 7, 2}, {6, 6.5, 2}, {9, 6, 2}};
    struct rr_judgement j;
    rr_train_judge(row, 6, arena, &j);
    const double e[] = {0.1, 0.1, 0.5, 0.4, 1.0 / 12, 1.0 / 3};
    near(j.mape, (e[0] + e[1] + e[2] + e[3] + e[4] + e[5]) / 6, 1e-14);
    near(j.bias, (0.1 - 0.1 + 0.5 + 0.4 + 1.0 / 12 - 1.0 / 3) / 6, 1e-14);
    near(j.median, (0.1 + 1.0 / 3) / 2, 1e-14);
    near(j.worst, 0.5, 1e-14);
    near(j.tau, (1 + -1) / 2.0 + 1e-30, 1); // the first group is in order, the second wholly turned round
    assert_true(fabs(j.tau) < 1e-15);
    near(j.regret, (0 + 0.8) / 2, 1e-14); // 9 was chosen for 5
    near(j.best_bias, (0.1 - 1.0 / 3) / 2, 1e-14);
    rr_train_judge(row, 0, arena, &j);
    assert_true(isnan(j.mape) && isnan(j.tau));
}

static void the_constant_model_leaves_its_row_out(void **state)
{
    (void)state;
    const double measured[] = {2, 6, 9}, cost[] = {1, 2, 3};
    double guess[3];
    rr_judge_constant(measured, cost, 3, guess);
    near(guess[0], 3, 1e-14);
    near(guess[1], 2 * sqrt(2 * 3.0), 1e-14);
}

// Times made by the model with known coefficients: the fit finds what they tell of.
static void the_fit_finds_what_made_the_rows(void **state)
{
    (void)state;
    static struct rr_published run[24];
    static struct rr_train_row row[24];
    struct rr_fit_row use[24];
    struct rr_coefs truth, c;
    bool fixed[RR_COEF_N];
    rr_coefs_default(&truth);
    truth.v[RR_COEF_GEMM_EFF] = 0.61, truth.v[RR_COEF_STEP_MS] = 47, truth.v[RR_COEF_LINK_EFF] = 0.52;
    for (int i = 0; i < 24; i++) {
        struct rr_step s;
        run[i] = (struct rr_published){.row = &row[i], .arch = *model(i % 2 ? "llama-2-7b" : "gpt2-xl"), .machine = *machine("h100")};
        run[i].layout = layout_of(8, i % 3 == 0 ? 1 : i % 3 == 1 ? 2 : 4, 1, 1 + i % 4, 96);
        if (i % 2 == 0) run[i].layout.tp = 1, run[i].layout.dp = 8;
        rr_step_time(&run[i].arch, &run[i].machine, &truth, &run[i].layout, true, &s);
        run[i].measured_s = s.total_s;
        use[i] = (struct rr_fit_row){&run[i], 1};
    }
    for (int i = 0; i < RR_COEF_N; i++) fixed[i] = i != RR_COEF_GEMM_EFF && i != RR_COEF_STEP_MS && i != RR_COEF_LINK_EFF;
    rr_coefs_default(&c);
    const struct rr_fit f = {.row = use, .n = 24, .fixed = fixed, .prior = 1e-4, .most_rounds = 60};
    assert_int_equal(rr_fit_coefs(&f, &c), RR_OK);
    near(c.v[RR_COEF_GEMM_EFF], 0.61, 0.01);
    near(c.v[RR_COEF_STEP_MS], 47, 0.02);
    near(c.v[RR_COEF_LINK_EFF], 0.52, 0.02);
}

static int begin(void **state) { return test_dir_make(state) || load_facts(state); }
static int end(void **state) { return forget_facts(state) || test_dir_remove(state); }

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_with_everything),
        cmocka_unit_test(times_that_follow),
        cmocka_unit_test(what_cannot_be_predicted_says_why),
        cmocka_unit_test(bad_files),
        cmocka_unit_test(an_unknown_set_is_predicted),
        cmocka_unit_test(spellings_of_a_gpu),
        cmocka_unit_test(rows_that_contradict_themselves),
        cmocka_unit_test(columns_that_nothing_needs),
        cmocka_unit_test(a_free_micro_batch_is_the_fastest),
        cmocka_unit_test(judged_by_hand),
        cmocka_unit_test(the_constant_model_leaves_its_row_out),
        cmocka_unit_test(the_fit_finds_what_made_the_rows),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
