/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_probe.c - rackrate-probe's host side against a stand-in for CUDA, NCCL and NVML: plan, budget, JSON, missing parts, failing calls.
 *
 * No time here was measured: tests/unit/cuda_standin.h says what the stand-in does. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include "data/base/json.h"
#include "data/samples.h"
#include "models/probe/layer.h"
#include "tests/unit/cuda_standin.h"
#include <math.h>
#include <stdio.h>
#include <unistd.h>

struct outcome {
    enum rr_status st;
    char reason[RR_REASON_MAX], wrong[256];
    struct rr_buf json;
    size_t results;
    int checked_us; // how many times are 10 us a call
};

static void go(const struct rr_probe_options *opt, struct outcome *o)
{
    struct rr_arena *a = rr_arena_create();
    struct rr_probe p;
    *o = (struct outcome){.st = RR_OK};
    rr_probe_init(&p, &rr_cuda_sham, &rr_loader_sham, opt, a);
    o->st = rr_probe_run(&p);
    if (o->st != RR_OK) (void)snprintf(o->reason, sizeof o->reason, "%s", rr_reason());
    const char *wrong = rr_probe_wrong(&p);
    (void)snprintf(o->wrong, sizeof o->wrong, "%s", wrong ? wrong : "");
    if (o->st == RR_OK) rr_probe_json(&p, "2026-07-01T00:00:00Z", &o->json);
    o->results = p.results.n;
    for (size_t i = 0; i < p.results.n; i++)
        if (strcmp(p.results.at[i].point.kind, "memory") == 0 || strcmp(p.results.at[i].point.kind, "gemm") == 0)
            for (int k = 0; k < p.results.at[i].n_us; k++) o->checked_us += fabs(p.results.at[i].us[k] - 10) < 1e-3;
    rr_probe_done(&p);
    rr_arena_free(a);
    assert_int_equal(sham.live, 0);
    assert_int_equal(sham.libraries, 0);
}

#define HAS(text, part)                                                                        \
    do {                                                                                       \
        if (!strstr((text), (part))) fail_msg("\"%s\" is not in \"%.3000s\"", (part), (text)); \
    } while (0)

/* ---- plan ---- */

static void the_plan_takes_the_most_valuable_first(void **state)
{
    (void)state;
    struct rr_arena *a = rr_arena_create();
    struct rr_probe_plan all, some;
    assert_int_equal(rr_probe_plan(&(struct rr_probe_options){0}, 8, 1, a, &all), RR_OK);
    assert_int_equal(all.picked, all.n);
    assert_int_equal(rr_probe_plan(&(struct rr_probe_options){.budget_s = 7.3}, 8, 1, a, &some), RR_OK);
    assert_true(some.picked > 10 && some.picked < all.n && some.cost_us <= 7.3e6);
    int tier = 0;
    double cost = 0;
    for (size_t i = 0; i < some.n; i++) {
        assert_true(some.at[i].tier >= tier);
        tier = some.at[i].tier;
        cost += some.at[i].picked ? some.at[i].cost_us : 0;
    }
    assert_true(fabs(cost - some.cost_us) < 1);
    for (size_t i = 0; i < 3; i++) assert_true(some.at[i].picked);
    rr_arena_free(a);
}

static size_t count(const struct rr_probe_plan *p, const char *kind, const char *op, int ranks)
{
    size_t n = 0;
    for (size_t i = 0; i < p->n; i++)
        n += strcmp(p->at[i].kind, kind) == 0 && (!op || strcmp(p->at[i].op, op) == 0) && (ranks < 0 || p->at[i].ranks == ranks);
    return n;
}

static void the_plan_has_all_that_was_asked_for(void **state)
{
    (void)state;
    struct rr_arena *a = rr_arena_create();
    struct rr_probe_plan p;
    assert_int_equal(rr_probe_plan(&(struct rr_probe_options){.disk = "d", .network = "n"}, 8, 1, a, &p), RR_OK);
    static const char *const ops[] = {"all_reduce", "all_gather", "reduce_scatter", "alltoall", "broadcast", "sendrecv"};
    for (int i = 0; i < 6; i++)
        for (int ranks = 2; ranks <= 8; ranks *= 2) assert_int_equal(count(&p, "collective", ops[i], ranks), 31); // 8 B .. 8 GiB
    static const char *const memory[] = {"copy", "triad", "read", "write"};
    for (int i = 0; i < 4; i++) assert_int_equal(count(&p, "memory", memory[i], -1), 13);
    assert_int_equal(count(&p, "gemm", NULL, -1), 31 * 6);
    assert_int_equal(count(&p, "transfer", "p2p_write", -1), 5 * 7);
    assert_int_equal(count(&p, "storage", "network_read", -1), 3);
    assert_int_equal(count(&p, "step", "layer", -1), 1);
    assert_int_equal(rr_probe_plan(&(struct rr_probe_options){0}, 8, 16, a, &p), RR_OK);
    assert_int_equal(count(&p, "collective", NULL, 16), 6 * 31);
    assert_int_equal(count(&p, "collective", NULL, -1), 6 * 31); // other processes cannot be left out
    assert_int_equal(rr_probe_plan(&(struct rr_probe_options){.only = "gemm,step"}, 8, 1, a, &p), RR_OK);
    assert_int_equal(p.n, 31 * 6 + 1);
    assert_int_equal(rr_probe_plan(&(struct rr_probe_options){.only = "gemm,stop"}, 8, 1, a, &p), RR_EUSAGE);
    HAS(rr_reason(), "\"stop\" is no part; parts: memory, gemm");
    rr_arena_free(a);
}

/* 24 h^2 of products a token and forward pass with 4 h feed-forward, 4 h s of attention; three times that with the backward pass. */
static void the_layer_has_the_textbook_operations(void **state)
{
    (void)state;
    const double h = 4096, s = 2048, tokens = 2 * s;
    assert_true(fabs(rr_layer_flops() / (3 * tokens * (24 * h * h + 4 * h * s)) - 1) < 1e-12);
}

/* ---- runs ---- */

static void the_json_is_what_the_reader_reads(void **state)
{
    (void)state;
    struct outcome o;
    sham_reset();
    sham.devices = 3;
    go(&(struct rr_probe_options){.only = "gemm,memory,collective,kernel", .most = 140, .note = "stand-in; \"not\" measured"}, &o);
    assert_int_equal(o.st, RR_OK);
    assert_int_equal(o.results, 140);
    assert_true(o.checked_us > 100); // each call is 10 us there, whatever the repeats
    HAS(rr_buf_text(&o.json), "stand-in; \\\"not\\\" measured");

    char path[] = "probe-XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0 && write(fd, rr_buf_text(&o.json), o.json.n) == (ssize_t)o.json.n);
    (void)close(fd);
    struct rr_arena *a = rr_arena_create();
    struct rr_samples s;
    const char *paths[] = {path};
    const enum rr_status st = rr_samples_read(paths, 1, &(struct rr_sample_options){0}, a, &s);
    (void)unlink(path);
    if (st != RR_OK) fail_msg("%s", rr_reason());
    assert_int_equal(s.n, 140);
    assert_int_equal(s.n_refused, 0);
    assert_string_equal(s.machine.gpu, "stand-in \"device\"");
    assert_string_equal(s.machine.driver, "570.99");
    assert_string_equal(s.machine.cuda, "12.8");
    assert_string_equal(s.machine.nccl, "2.25.1");
    assert_int_equal(s.machine.gpus_per_node, 3);
    assert_true(s.machine.power_limit_w == 700);
    for (size_t i = 0; i < s.n; i++) {
        assert_true(s.at[i].us > 0 && s.at[i].n_all >= 5);
        assert_true(fabs(s.at[i].power_w - 431.5) < 0.01 && s.at[i].clock_mhz == 1785);
        if (s.at[i].kind == RR_SAMPLE_COLLECTIVE) assert_true(s.at[i].ranks == 3 && s.at[i].bytes >= 8 && s.at[i].nodes == 1);
    }
    rr_arena_free(a);
    rr_buf_done(&o.json);
}

static void no_device_is_a_missing_part(void **state)
{
    (void)state;
    struct outcome o;
    sham_reset();
    sham.devices = 0;
    go(&(struct rr_probe_options){0}, &o);
    assert_int_equal(o.st, RR_EMISSING);
    HAS(o.reason, "no CUDA device");
    sham_reset();
    sham.count_code = 100;
    go(&(struct rr_probe_options){0}, &o);
    assert_int_equal(o.st, RR_EMISSING);
    HAS(o.reason, "cudaGetDeviceCount: stand-in error (100)");
}

static void a_missing_library_is_skipped_with_a_line(void **state)
{
    (void)state;
    static const struct {
        const char *library, *symbol, *gemm, *line;
    } c[] = {{"nccl", NULL, NULL, "{\"part\": \"nccl\", \"why\": \"libnccl.so.2 cannot be opened"},
             {"nvidia-ml", NULL, NULL, "{\"part\": \"nvml\", \"why\": \"libnvidia-ml.so.1 cannot be opened"},
             {NULL, "ncclReduceScatter", NULL, "\"why\": \"libnccl.so.2 lacks a function"},
             {NULL, "nvmlDeviceGetClockInfo", NULL, "\"why\": \"libnvidia-ml.so.1 lacks a function"},
             {NULL, NULL, "libcublasLt.so.13 cannot be opened", "{\"part\": \"gemm\", \"why\": \"libcublasLt.so.13"}};
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        struct outcome o;
        sham_reset();
        sham.devices = 2, sham.no_library = c[i].library, sham.no_symbol = c[i].symbol, sham.no_gemm = c[i].gemm;
        go(&(struct rr_probe_options){.only = "memory", .most = 3}, &o);
        assert_int_equal(o.st, RR_OK);
        assert_int_equal(o.results, 3);
        HAS(rr_buf_text(&o.json), c[i].line);
        rr_buf_done(&o.json);
    }
}

static void a_wrong_kernel_is_named(void **state)
{
    (void)state;
    for (int k = RR_KERNEL_FILL; k <= RR_KERNEL_GEMM; k++) {
        struct outcome o;
        sham_reset();
        sham.wrong = k;
        go(&(struct rr_probe_options){.check_only = true}, &o);
        assert_int_equal(o.st, RR_OK);
        if (k == RR_KERNEL_GEMM)
            assert_string_equal(o.wrong, "gemm fp64, gemm fp32, gemm tf32, gemm fp16, gemm bf16, gemm fp8");
        else
            assert_string_equal(o.wrong, rr_probe_kernel_name[k]);
        rr_buf_done(&o.json);
    }
}

static void a_wrong_collective_ends_the_run(void **state)
{
    (void)state;
    static const char wrong[] = "rgsbR";
    static const char *const name[] = {"all_reduce", "all_gather", "reduce_scatter", "broadcast", "alltoall"};
    for (int i = 0; i < 5; i++) {
        struct outcome o;
        sham_reset();
        sham.devices = 4, sham.nccl_wrong = (unsigned char)wrong[i];
        go(&(struct rr_probe_options){.check_only = true}, &o);
        assert_int_equal(o.st, RR_EIO);
        HAS(o.reason, name[i]);
        HAS(o.reason, "on 4 ranks");
    }
}

/* ---- whichever call fails ---- */

static void is_json(const struct outcome *o)
{
    struct rr_json *j = rr_json_create();
    cJSON *tree;
    if (rr_json_parse(j, "stand-in", rr_buf_text(&o->json), false, &tree) != RR_OK) fail_msg("%s", rr_reason());
    cJSON_Delete(tree);
    rr_json_free(j);
}

static bool starts(const char *text, const char *with) { return text && strncmp(text, with, strlen(with)) == 0; }

/* What the run must say when the k-th call fails; `checked`: calls until the first measurement, `all`: those of a whole run. */
static void judge(const struct outcome *o, int k, int checked, size_t all)
{
    const char *what = sham.failed ? sham.failed : "";
    const bool asks = starts(what, "cudaMalloc") || starts(what, "cudaGemm") || starts(what, "cudaLaunch"), nccl = starts(what, "nccl");
    const bool soft = sham.fail_code != 719 && (o->st == RR_OK || (asks && k > checked));
    if (o->st == RR_OK) is_json(o);
    if (!*what || starts(what, "nvml") || strcmp(what, "cudaMemGetInfo") == 0) { // what it would have told is left out
        if (o->st != RR_OK) fail_msg("call %d, %s: %d %s", k, what, o->st, o->reason);
        return;
    }
    if (o->st == RR_OK && (strcmp(what, "giving back") == 0 || strcmp(what, "ncclCommDestroy") == 0))
        return; // at the end, when all is there
    if (nccl || soft || (o->st == RR_OK && starts(what, "cudaGemm"))) {
        if (o->st != RR_OK) fail_msg("call %d, %s: %d %s", k, what, o->st, o->reason);
        if (sham.fail_code > 0) HAS(rr_buf_text(&o->json), "made to fail (");
        HAS(rr_buf_text(&o->json), nccl ? "\"part\": \"collective\", \"why\": \"" : "\"why\": \"");
        if (!nccl && k > checked && o->results + 1 < all) fail_msg("call %d, %s: %zu of %zu results", k, what, o->results, all);
        return;
    }
    if (o->st != (k == 1 ? RR_EMISSING : RR_EIO)) fail_msg("call %d, %s: %d %s", k, what, o->st, o->reason);
    if (sham.fail_code > 0) HAS(o->reason, "made to fail (");
    if (k > 1) HAS(o->reason, "(models/probe/");
    assert_null(strchr(o->reason, '\n'));
}

static void run_with(const struct rr_probe_options *opt, int k, int code, bool sticky, struct outcome *o)
{
    sham_reset();
    sham.devices = 2, sham.free_bytes = (size_t)64 << 30, sham.step_us = 24000;                                 // long steps: few repeats
    sham.lazy = true, sham.most_bytes = opt->only && strcmp(opt->only, "transfer") == 0 ? (size_t)64 << 20 : 0; // no large copies
    sham.fail_at = k, sham.fail_code = code, sham.sticky = sticky;
    go(opt, o);
}

/* Each call of the opening, the check and each kind of measurement once: as a lost context (719, which stays), as one failure of the same call, and
 * as lack of memory, which costs one measurement. One line with the call and its place, exit 4 (5 for the count of devices), and nothing is kept. */
static void every_call_may_fail(void **state)
{
    (void)state;
    static const struct {
        const char *only;
        size_t most;
        int stride; // of 1000 launches, or 400 equal collectives, one behind the other not each
    } parts[] = {{"memory", 3, 1}, {"gemm", 3, 1},     {"kernel", 9, 1},     {"launch", 2, 997},
                 {"step", 1, 1},   {"transfer", 9, 1}, {"collective", 6, 23}};
    const bool every = getenv("RACKRATE_LONG") != NULL; // each of a check's 744, in all ways
    struct outcome o;
    run_with(&(struct rr_probe_options){.check_only = true}, 0, 719, false, &o);
    assert_int_equal(o.st, RR_OK);
    rr_buf_done(&o.json);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const struct rr_probe_options opt = {.only = parts[i].only, .most = parts[i].most};
        run_with(&(struct rr_probe_options){.check_only = true, .only = parts[i].only}, 0, 719, false, &o);
        int checked = sham.calls;
        rr_buf_done(&o.json);
        run_with(&opt, 0, 719, false, &o);
        assert_int_equal(o.st, RR_OK);
        rr_buf_done(&o.json);
        const int calls = sham.calls;
        const size_t all = o.results;
        assert_true(calls > checked && all > 0);
        checked -= 35; // what is given back at the end
        for (int k = i == 0 ? 1 : checked; k <= calls; k += k < 60                                    ? 1
                                                            : k > checked + 40 && parts[i].stride > 7 ? parts[i].stride
                                                            : every                                   ? 1
                                                                                                      : 7)
            for (int way = 0; way < 3; way++) {
                if (way != 1 && k % 5 != 2 && !every) continue; // the calls repeat
                run_with(&opt, k, way < 2 ? 719 : 2, way == 0, &o);
                if (way == 0 && o.st != RR_OK) // all that follows fails too
                    HAS(o.reason, k == 1 ? "no CUDA device" : "made to fail (719)");
                if (way > 0) judge(&o, k, checked + 35, all);
                if (o.st == RR_OK) rr_buf_done(&o.json);
            }
    }
}

/* A product that the library cannot do on this device is left out with its line; one that breaks the device ends the run. */
static void a_product_that_is_not_supported(void **state)
{
    (void)state;
    const struct rr_probe_options opt = {.check_only = true};
    struct outcome o;
    for (int k = 1; k <= 2 * (5 * 2 + 1); k++) // made and run: five types single and batched, fp8 single
        for (int code = -15; code <= -13; code += 2) {
            sham_reset();
            sham.lazy = true, sham.only = "cudaGemm", sham.fail_at = k, sham.fail_code = code;
            go(&opt, &o);
            assert_non_null(sham.failed);
            assert_int_equal(o.st, code == -15 ? RR_OK : RR_EIO);
            HAS(code == -15 ? rr_buf_text(&o.json) : o.reason, code == -15 ? "cublasLt status 15 (models/probe/" : "cublasLt status 13 (");
            if (o.st == RR_OK) rr_buf_done(&o.json);
        }
}

static void reads_of_a_disk(void **state)
{
    (void)state;
    struct outcome o;
    sham_reset();
    go(&(struct rr_probe_options){.only = "storage", .disk = ".", .most = 1}, &o);
    assert_int_equal(o.st, RR_OK);
    assert_int_equal(o.results, 1);
    HAS(rr_buf_text(&o.json), "\"op\": \"disk_read\", \"bytes\": 1048576");
    rr_buf_done(&o.json);
    sham_reset();
    go(&(struct rr_probe_options){.only = "storage", .disk = "/nowhere/at/all", .most = 1}, &o);
    assert_int_equal(o.st, RR_EIO);
    HAS(o.reason, "--disk /nowhere/at/all: No such file");
}

static void many_processes_share_an_id_by_file(void **state)
{
    (void)state;
    struct outcome o;
    (void)setenv("OMPI_COMM_WORLD_RANK", "0", 1);
    (void)setenv("OMPI_COMM_WORLD_SIZE", "6", 1);
    (void)setenv("OMPI_COMM_WORLD_LOCAL_SIZE", "2", 1);
    sham_reset();
    sham.no_library = "nccl";
    go(&(struct rr_probe_options){.id_file = "id"}, &o);
    assert_int_equal(o.st, RR_EMISSING);
    HAS(o.reason, "6 processes, but NCCL cannot be opened");
    sham_reset();
    go(&(struct rr_probe_options){0}, &o);
    assert_int_equal(o.st, RR_EUSAGE);
    HAS(o.reason, "6 processes need --id-file FILE");
    (void)unsetenv("OMPI_COMM_WORLD_RANK");
    (void)unsetenv("OMPI_COMM_WORLD_SIZE");
    (void)unsetenv("OMPI_COMM_WORLD_LOCAL_SIZE");

    (void)setenv("SLURM_NTASKS", "6", 1); // a batch script: one process, whatever comes later
    (void)setenv("SLURM_PROCID", "0", 1);
    sham_reset();
    go(&(struct rr_probe_options){.check_only = true}, &o);
    assert_int_equal(o.st, RR_OK);
    rr_buf_done(&o.json);
    sham_reset();
    sham.no_library = "nccl";
    go(&(struct rr_probe_options){.id_file = "id"}, &o);
    assert_int_equal(o.st, RR_EMISSING);
    (void)unsetenv("SLURM_NTASKS");
    (void)unsetenv("SLURM_PROCID");
}

/* ---- the number formats of the reference: values from IEEE 754 and OCP OFP8 ---- */

static void formats_are_the_standards(void **state)
{
    (void)state;
    static const struct {
        enum rr_probe_type type;
        double v;
        unsigned bits;
    } c[] = {{RR_PROBE_FP16, 1, 0x3c00},          {RR_PROBE_FP16, -2.385, 0xc0c5}, {RR_PROBE_FP16, 65504, 0x7bff},
             {RR_PROBE_FP16, 5.9604645e-8, 1},    {RR_PROBE_BF16, 1, 0x3f80},      {RR_PROBE_BF16, -2.385, 0xc019},
             {RR_PROBE_BF16, 1.00390625, 0x3f80}, // half, to even
             {RR_PROBE_BF16, 1.01171875, 0x3f82}, {RR_PROBE_FP8, 1, 0x38},         {RR_PROBE_FP8, 448, 0x7e},
             {RR_PROBE_FP8, 1e9, 0x7e},           {RR_PROBE_FP8, 0.001953125, 1},  {RR_PROBE_FP8, -0.875, 0xb6}};
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        uint16_t bits = 0;
        rr_reference_set(c[i].type, &bits, 0, c[i].v);
        if (bits != c[i].bits) fail_msg("%s %g: %#x, not %#x", rr_probe_type_name[c[i].type], c[i].v, bits, c[i].bits);
        const double back = rr_reference_get(c[i].type, &bits, 0);
        if (c[i].v < 1e8) assert_true(fabs(back - c[i].v) <= fabs(c[i].v) / 250);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_plan_takes_the_most_valuable_first),
        cmocka_unit_test(the_plan_has_all_that_was_asked_for),
        cmocka_unit_test(the_layer_has_the_textbook_operations),
        cmocka_unit_test(the_json_is_what_the_reader_reads),
        cmocka_unit_test(no_device_is_a_missing_part),
        cmocka_unit_test(a_missing_library_is_skipped_with_a_line),
        cmocka_unit_test(a_wrong_kernel_is_named),
        cmocka_unit_test(a_wrong_collective_ends_the_run),
        cmocka_unit_test(every_call_may_fail),
        cmocka_unit_test(a_product_that_is_not_supported),
        cmocka_unit_test(reads_of_a_disk),
        cmocka_unit_test(many_processes_share_an_id_by_file),
        cmocka_unit_test(formats_are_the_standards),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
