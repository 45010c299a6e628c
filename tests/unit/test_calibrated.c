/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_calibrated.c - profiles into coefficients against hand-computed ratios, worlds against closed forms, and what is refused. */
#include "data/profile_set.h"
#include "models/train/ttt.h"
#include "tests/unit/test_dir.h"
#include "tests/unit/train_case.h"

static const char *data_dir;
static struct rr_coefs coefs;
static struct rr_notes notes;
static int begin(void **state)
{
    load_facts(state);
    if (rr_data_dir(arena, &data_dir) != RR_OK) fail_msg("%s", rr_reason());
    return test_dir_make(state);
}
static int end(void **state)
{
    rr_notes_done(&notes);
    forget_facts(state);
    return test_dir_remove(state);
}

/* ---- profiles made here ---- */

static const char *profile_file(const char *name, const char *gpu, int nodes, const char *rest)
{
    char *text = NULL;
    const char *path = in_dir(name);
    if (asprintf(&text,
                 "{\"schema\": \"rackrate.profile/1\", \"name\": \"%s\", \"date\": \"2026-11-07\", \"measured\": true,\n"
                 "\"hardware\": {\"gpu\": \"%s\", \"gpus_per_node\": 8, \"nodes\": %d},\n"
                 "\"sources\": [{\"name\": \"log-1\", \"text\": \"a probe of ours\", \"file\": \"p.json\"}]%s}\n",
                 name, gpu, nodes, rest) < 0)
        fail();
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    free(text);
    return rr_strdup(arena, path);
}
static struct rr_profile_set set_of(const char *a, const char *b)
{
    const char *const name[] = {a, b};
    struct rr_profile_set s;
    if (rr_profile_set_read(data_dir, name, b ? 2 : 1, arena, &s) != RR_OK) fail_msg("%s", rr_reason());
    s.seed = 7;
    return s;
}

static enum rr_status try_gpus(const struct rr_profile_set *s, const char *on, const char *framework, int64_t gpus, struct rr_calibrated *k)
{
    const struct rr_machine *m = machine(on);
    const char *note;
    rr_notes_done(&notes);
    notes = (struct rr_notes){.arena = arena};
    if (rr_coefs_find(&facts, arena, framework, m->family, &coefs, &note) != RR_OK) fail_msg("%s", rr_reason());
    return rr_calibrate(s, m, framework, gpus, arena, &notes, &coefs, k);
}
static struct rr_calibrated calibrate(const struct rr_profile_set *s, const char *on, const char *framework, int64_t gpus)
{
    struct rr_calibrated k;
    if (try_gpus(s, on, framework, gpus, &k) != RR_OK) fail_msg("%s", rr_reason());
    return k;
}
static const struct rr_calibrated_row *row_of(const struct rr_calibrated *k, enum rr_coef coef)
{
    for (size_t i = 0; i < k->n; i++)
        if (k->row[i].coef == coef) return &k->row[i];
    return NULL;
}
static bool told(const char *text)
{
    for (size_t i = 0; i < notes.list.n; i++)
        if (strstr(notes.list.at[i].text, text)) return true;
    return false;
}
static double shipped(const char *framework, const char *family, enum rr_coef at)
{
    struct rr_coefs c;
    const char *note;
    assert_int_equal(rr_coefs_find(&facts, arena, framework, family, &c, &note), RR_OK);
    return c.v[at];
}

#define PRODUCT(type, more, peak, low, high)                                                      \
    ", \"gemm\": [{\"type\": \"" type "\", \"source\": \"log-1\", " more "\"peak_tflops\": " peak \
    ", \"rate_tflops\": {\"value\": 700, \"p05\": " low ", \"p95\": " high                        \
    "}, \"overhead_us\": 3, \"bytes_gb_s\": 2800, \"depth\": 150, \"spread_pct\": 2}]"
#define GEMM(peak, low, high) PRODUCT("bf16", "", peak, low, high)

/* ---- values ---- */

static void rates_change_by_a_ratio_and_latencies_by_a_difference(void **state)
{
    (void)state;
    const char *p =
        profile_file("probe", "h100-80gb-sxm", 1,
                     GEMM("715.05", "700", "700") ", \"rates\": [{\"kind\": \"memory\", \"op\": \"copy\", \"source\": \"log-1\", "
                                                  "\"bytes\": 2147483648, \"gb_s\": 2713.5}], "
                                                  "\"latencies\": [{\"op\": \"launch empty\", \"source\": \"log-1\", \"us\": 4.25}]");
    const struct rr_profile_set s = set_of(p, NULL);
    const struct rr_calibrated k = calibrate(&s, "h100-sxm", "nemo", 8);
    near(coefs.v[RR_COEF_GEMM_EFF], shipped("nemo", "h100", RR_COEF_GEMM_EFF) * 715.05 / 794.5, 1e-12); // 0.9 of the search over shapes
    near(coefs.v[RR_COEF_MEM_EFF], shipped("nemo", "h100", RR_COEF_MEM_EFF) * 2713.5 / (0.9 * 3350), 1e-12); // nine tenths of nine tenths
    near(coefs.v[RR_COEF_KERNEL_US], shipped("nemo", "h100", RR_COEF_KERNEL_US) + 1.25, 1e-12);
    near(coefs.v[RR_COEF_LINK_EFF], shipped("nemo", "h100", RR_COEF_LINK_EFF), 1e-15); // not measured
    assert_int_equal(k.n, 3);
    assert_string_equal(row_of(&k, RR_COEF_GEMM_EFF)->source, "products in bf16, log-1: a probe of ours, p.json");
    char want[80];
    snprintf(want, sizeof want, "gemm_eff %.4g -> %.4g of peak", shipped("nemo", "h100", RR_COEF_GEMM_EFF), coefs.v[RR_COEF_GEMM_EFF]);
    assert_true(told(want));
}

static void a_latency_is_never_below_zero(void **state)
{
    (void)state;
    const char *p =
        profile_file("quick", "h100-80gb-sxm", 1, ", \"latencies\": [{\"op\": \"launch empty\", \"source\": \"log-1\", \"us\": 0.5}]");
    const struct rr_profile_set s = set_of(p, NULL);
    calibrate(&s, "h100-sxm", "nanotron", 8); // 2.888 + 0.5 - 3
    near(coefs.v[RR_COEF_KERNEL_US], shipped("nanotron", "h100", RR_COEF_KERNEL_US) - 2.5, 1e-12);
    const char *q =
        profile_file("quicker", "a100-80gb-sxm", 1, ", \"latencies\": [{\"op\": \"launch empty\", \"source\": \"log-1\", \"us\": 0.001}]");
    const struct rr_profile_set t = set_of(q, NULL);
    facts.coef = NULL, facts.n_coefs = 0; // defaults: kernel_us is 3
    rr_coefs_default(&coefs);
    struct rr_calibrated k;
    coefs.v[RR_COEF_KERNEL_US] = 1;
    rr_notes_done(&notes);
    notes = (struct rr_notes){.arena = arena};
    assert_int_equal(rr_calibrate(&t, machine("a100"), "x", 8, arena, &notes, &coefs, &k), RR_OK);
    near(coefs.v[RR_COEF_KERNEL_US], 0, 0);
}

static void without_a_reference_the_rate_takes_the_coefficients_place(void **state)
{
    (void)state;
    const char *p = profile_file("volta", "v100-32gb-sxm", 1, PRODUCT("fp16", "", "93.75", "700", "700"));
    struct rr_profile_set s = set_of(p, NULL);
    calibrate(&s, "dgx-2-v100", "megatron-2020", 8);
    near(coefs.v[RR_COEF_GEMM_EFF], 0.75, 1e-12); // of 125
}

static void its_own_reference_changes_nothing(void **state)
{
    (void)state;
    const struct rr_profile_set s = set_of("h100-node", "h100-efa-cluster");
    const struct rr_calibrated k = calibrate(&s, "h100-sxm", "nanotron", 512);
    struct rr_coefs was;
    const char *note;
    assert_int_equal(rr_coefs_find(&facts, arena, "nanotron", "h100", &was, &note), RR_OK);
    for (int i = 0; i < RR_COEF_N; i++) near(coefs.v[i], was.v[i], 1e-12);
    assert_non_null(row_of(&k, RR_COEF_LINK_EFF));
    assert_string_equal(row_of(&k, RR_COEF_LINK_EFF)->profile->name, "h100-node"); // of one node: before the cluster's
    assert_non_null(row_of(&k, RR_COEF_NET_DECAY));
    near(k.beyond, 0, 0);
}

/* 300 GB/s on 2 nodes and a tenth less with each doubling, at 256 MB: t = bytes x 2 (n - 1) / n / busbw. */
static const char *network_profile(void)
{
    static char text[2000];
    strcpy(text, ", \"collectives\": [");
    for (int nodes = 2, i = 0; nodes <= 16; nodes *= 2, i++) {
        const double n = 8.0 * nodes, bus = 300e9 * pow(0.9, i);
        char one[300];
        snprintf(one, sizeof one,
                 "%s{\"op\": \"all_reduce\", \"ranks\": %d, \"nodes\": %d, \"source\": \"log-1\", \"rows\": 1, \"samples\": 1, "
                 "\"latency_us\": 1, "
                 "\"bus_gb_s\": 1, \"half_bytes\": 1, \"knots\": [{\"bytes\": 256000000, \"us\": %.9g}]}",
                 i ? ", " : "", 8 * nodes, nodes, 1e6 * 256e6 * 2 * (n - 1) / n / bus);
        strcat(text, one);
    }
    strcat(text, "]");
    return profile_file("fabric", "h100-80gb-sxm", 16, text);
}

static void a_network_is_a_power_of_its_nodes(void **state)
{
    (void)state;
    const struct rr_profile_set s = set_of(network_profile(), NULL);
    const struct rr_calibrated k = calibrate(&s, "h100-sxm", "nemo", 64);
    near(row_of(&k, RR_COEF_NET_EFF)->measured, 300, 1e-6);
    near(coefs.v[RR_COEF_NET_DECAY], -log2(0.9), 1e-6);
    const double reference = row_of(&k, RR_COEF_NET_EFF)->reference; // h100-efa at 256 MB
    assert_true(reference > 320 && reference < 380);
    near(coefs.v[RR_COEF_NET_EFF], shipped("nemo", "h100", RR_COEF_NET_EFF) * 300 / reference, 1e-6);
    near(k.beyond, 0, 0);
}

/* ---- what is not measured, or not of this machine ---- */

static void a_datasheet_is_no_measurement(void **state)
{
    (void)state;
    const struct rr_profile_set s = set_of("h200-datasheet", NULL);
    const struct rr_calibrated k = calibrate(&s, "h200-sxm", "nemo", 8);
    assert_int_equal(k.n, 0);
    assert_true(k.used[0]);
    assert_true(told("from a datasheet, not measured"));
    const char *p = profile_file("part", "h100-80gb-sxm", 1, PRODUCT("bf16", "\"measured\": false, ", "989.4", "700", "700"));
    const struct rr_profile_set t = set_of(p, NULL);
    assert_int_equal(calibrate(&t, "h100-sxm", "nemo", 8).n, 0);
    assert_true(told("measured nothing that a step"));
}

static void another_machine_is_passed_over(void **state)
{
    (void)state;
    const struct rr_profile_set s = set_of("h100-node", NULL);
    const struct rr_calibrated k = calibrate(&s, "a100", "megatron", 8);
    assert_int_equal(k.n, 0);
    assert_false(k.used[0]);
}

static void two_of_one_kind_are_refused(void **state)
{
    (void)state;
    const char *p = profile_file("first", "h100-80gb-sxm", 1, GEMM("700", "700", "700")),
               *q = profile_file("second", "h100-80gb-sxm", 1, GEMM("710", "700", "700"));
    const struct rr_profile_set s = set_of(p, q);
    struct rr_calibrated k;
    assert_int_equal(try_gpus(&s, "h100-sxm", "nemo", 8, &k), RR_EINPUT);
    assert_string_equal(rr_reason(), "profiles first and second both measured gemm of hgx-h100: give one of them");
    const char *const twice[] = {p, p};
    struct rr_profile_set t;
    assert_int_equal(rr_profile_set_read(data_dir, twice, 2, arena, &t), RR_EINPUT);
    assert_non_null(strstr(rr_reason(), "is named twice"));
}

static void wrong_references(void **state)
{
    (void)state;
    static const struct {
        const char *row, *want;
    } bad[] = {
        {"h100,gem,,1,us,x,2026,", "profile_references.csv:2: unknown quantity \"gem\""},
        {"h100,gemm,,,us,x,2026,", "profile_references.csv:2: either a profile or a value is expected"},
        {"h100,links,nowhere,,,x,2026,", "profile_references.csv:2: "},
    };
    mkdir(in_dir("facts"), 0777);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        FILE *f = fopen(in_dir("facts/profile_references.csv"), "w");
        fprintf(f, "of,what,profile,value,unit,source,date,note\n%s\n", bad[i].row);
        fclose(f);
        const char *const name[] = {profile_file("any", "h100-80gb-sxm", 1, GEMM("700", "700", "700"))};
        struct rr_profile_set s;
        assert_int_not_equal(rr_profile_set_read(test_dir, name, 1, arena, &s), RR_OK);
        if (!strstr(rr_reason(), bad[i].want)) fail_msg("%s", rr_reason());
    }
}

/* ---- worlds ---- */

static const struct rr_ttt_plan plan = {.samples = 1e6, .reruns = 1, .pue = 1};

/* Products alone: 8 GPUs, wide layers, nothing else that takes long. */
static void bound_by_products(struct rr_arch *a, struct rr_machine *m, struct rr_coefs *c, struct rr_layout *l)
{
    *a = (struct rr_arch){
        .name = "wide", .layers = 4, .hidden = 16384, .heads = 128, .kv_heads = 128, .ffn = 65536, .vocab = 1024, .seq = 4096};
    *m = *machine("h100-sxm");
    m->memory_gb_s = m->link_gb_s = m->net_gb_s = 1e9;
    l[0] = layout_of(8, 1, 1, 4, 32);
    l->seq = 4096, l->flash = true;
    c->v[RR_COEF_STEP_MS] = c->v[RR_COEF_MICRO_MS] = c->v[RR_COEF_LAUNCH_US] = c->v[RR_COEF_KERNEL_US] = c->v[RR_COEF_LINK_US] = 0;
    c->v[RR_COEF_ATTN_EFF] = rr_coef_info[RR_COEF_ATTN_EFF].most;
}
static struct rr_ttt_band band_of(const struct rr_calibrated *k, bool still, uint64_t seed)
{
    struct rr_arch a;
    struct rr_machine m;
    struct rr_layout l;
    struct rr_coefs c = coefs;
    struct rr_step s;
    struct rr_ttt_band b;
    const struct rr_ttt_doubt d = {.profile = k, .still = still};
    bound_by_products(&a, &m, &c, &l);
    rr_step_time(&a, &m, &c, &l, false, &s);
    assert_true(s.term_s[RR_STEP_GEMM] > 0.8 * s.total_s);
    rr_ttt_band(&plan, &d, &a, &m, &c, &l, s.total_s, seed, &b);
    return b;
}
static double step_with(double factor)
{
    struct rr_arch a;
    struct rr_machine m;
    struct rr_layout l;
    struct rr_coefs c = coefs;
    struct rr_step s;
    bound_by_products(&a, &m, &c, &l);
    c.v[RR_COEF_GEMM_EFF] *= factor;
    rr_step_time(&a, &m, &c, &l, false, &s);
    return s.total_s;
}

static void bars_of_no_width_give_no_spread(void **state)
{
    (void)state;
    const struct rr_profile_set s = set_of(profile_file("sure", "h100-80gb-sxm", 1, GEMM("700", "700", "700")), NULL);
    const struct rr_calibrated k = calibrate(&s, "h100-sxm", "nemo", 8);
    const struct rr_ttt_band b = band_of(&k, false, 3);
    near(b.step_p10_s, step_with(1), 1e-12);
    near(b.step_p90_s, step_with(1), 1e-12);
    near(row_of(&k, RR_COEF_GEMM_EFF)->p05, row_of(&k, RR_COEF_GEMM_EFF)->p95, 0);
}

/* +- 10 % between 5 and 95 % is a standard deviation of 10 / 1.6449 %; 1.2816 of them lie below P90. */
static void bars_of_a_tenth_are_those_of_the_step(void **state)
{
    (void)state;
    const struct rr_profile_set s = set_of(profile_file("tenth", "h100-80gb-sxm", 1, GEMM("700", "630", "770")), NULL);
    const struct rr_calibrated k = calibrate(&s, "h100-sxm", "nemo", 8);
    const double off = 0.1 * 1.2815515655446004 / 1.6448536269514722;
    const struct rr_ttt_band b = band_of(&k, false, 3), still = band_of(&k, true, 3);
    near(b.step_p10_s, step_with(1 + off), 0.015);
    near(b.step_p50_s, step_with(1), 0.01);
    near(b.step_p90_s, step_with(1 - off), 0.015);
    near(row_of(&k, RR_COEF_GEMM_EFF)->p05, 0.9 * coefs.v[RR_COEF_GEMM_EFF], 0.015);
    near(row_of(&k, RR_COEF_GEMM_EFF)->p95, 1.1 * coefs.v[RR_COEF_GEMM_EFF], 0.015);
    near(still.step_p90_s, step_with(1), 1e-12); // the replay draws the worlds
}

static void a_seed_is_a_world(void **state)
{
    (void)state;
    const char *p = profile_file("tenth", "h100-80gb-sxm", 1, GEMM("700", "630", "770"));
    struct rr_profile_set s = set_of(p, NULL), t = set_of(p, NULL);
    const struct rr_calibrated k = calibrate(&s, "h100-sxm", "nemo", 8), same = calibrate(&t, "h100-sxm", "mcore", 512);
    double x[4], y[4];
    for (uint32_t i = 0; i < 20; i++) { // another framework on another number of GPUs is in the same world
        rr_calibrated_world(&k, i, x);
        rr_calibrated_world(&same, i, y);
        near(x[0] / k.row[0].after, y[0] / same.row[0].after, 1e-12);
        near(x[0], k.world[i * k.n], 0);
    }
    rr_calibrated_world(&k, 1, x);
    t.seed = 8;
    rr_calibrated_world(&same, 1, y);
    assert_true(fabs(x[0] / k.row[0].after - y[0] / same.row[0].after) > 1e-6);
}

static void more_nodes_than_were_measured_vary_more(void **state)
{
    (void)state;
    const struct rr_profile_set s = set_of(network_profile(), NULL); // bars of no width; 2 to 16 nodes
    const struct rr_calibrated in = calibrate(&s, "h100-sxm", "nemo", 128), out = calibrate(&s, "h100-sxm", "nemo", 512);
    near(row_of(&in, RR_COEF_NET_EFF)->p05, row_of(&in, RR_COEF_NET_EFF)->p95, 0);
    near(out.beyond, 2, 1e-12);
    assert_true(told("measured collectives over 2 to 16 nodes, the run is on 64: extrapolated"));
    assert_non_null(strstr(out.beyond_text, "profile fabric measured collectives over 2 to 16 nodes, the run is on 64"));
    assert_null(in.beyond_text);
    near(out.beyond_sd, RR_NETWORK_DOUBT, 1e-6); // 0.30 x root 2 is 0.42
    const struct rr_calibrated_row *r = row_of(&out, RR_COEF_NET_EFF);
    near(log(r->after / r->p05), 1.6448536 * RR_NETWORK_DOUBT, 0.12);
    const struct rr_calibrated one = calibrate(&s, "h100-sxm", "nemo", 256), some = calibrate(&s, "h100-sxm", "nemo", 160);
    near(one.beyond_sd, 0.30, 1e-6);                     // one doubling
    near(some.beyond_sd, 0.30 * sqrt(log2(1.25)), 1e-6); // a third of one
}

/* The bars of a network whose two nodes vary by `off` between 5 and 95 %. */
static const char *vague_network(const char *name, double off)
{
    char text[1500];
    snprintf(
        text, sizeof text,
        ", \"collectives\": [{\"op\": \"all_reduce\", \"ranks\": 16, \"nodes\": 2, \"source\": \"log-1\", \"rows\": 1, \"samples\": 1, "
        "\"latency_us\": 1, \"bus_gb_s\": 1, \"half_bytes\": 1, \"knots\": [{\"bytes\": 256000000, \"us\": {\"value\": 2800, "
        "\"p05\": %.9g, \"p95\": %.9g}}]}]",
        2800 * exp(-1.6448536 * off), 2800 * exp(1.6448536 * off));
    return profile_file(name, "h100-80gb-sxm", 2, text);
}

/* Log standard deviation of the bandwidth between the run's nodes over the worlds, from the outer hundredths left out. */
static double width_of(const struct rr_calibrated *k)
{
    const struct rr_calibrated_row *r = row_of(k, RR_COEF_NET_EFF);
    return log(r->p95 / r->p05) / (2 * 1.6448536);
}

static void a_profile_makes_it_no_vaguer_than_none(void **state)
{
    (void)state;
    const struct rr_profile_set sure = set_of(vague_network("sure", 1e-9), NULL), bars = set_of(vague_network("bars", 0.2), NULL),
                                wide = set_of(vague_network("wide", 0.5), NULL);
    for (int64_t gpus = 32; gpus <= 65536; gpus *= 4) { // 4 to 8192 nodes: 1 to 12 doublings beyond two
        const struct rr_calibrated k = calibrate(&sure, "h100-sxm", "nemo", gpus), b = calibrate(&bars, "h100-sxm", "nemo", gpus),
                                   w = calibrate(&wide, "h100-sxm", "nemo", gpus);
        near(k.beyond_sd, RR_NETWORK_DOUBT, 1e-6); // 0.52 a root of a doubling
        near(b.beyond_sd, sqrt(RR_NETWORK_DOUBT * RR_NETWORK_DOUBT - 0.2 * 0.2), 0.1);
        near(w.beyond_sd, 0, 1e-12); // the bars are measured: they stay, and nothing is added
    }
    const struct rr_calibrated k = calibrate(&bars, "h100-sxm", "nemo", 512);
    assert_true(width_of(&k) < 1.1 * RR_NETWORK_DOUBT);
}

static void a_coefficient_stays_within_its_bounds(void **state)
{
    (void)state;
    static const char *const shipped_ones[] = {"h100-efa", "h100-efa-cluster", "h100-tcpx", "h100-tcpxo", "h100-node"};
    for (size_t i = 0; i < sizeof shipped_ones / sizeof *shipped_ones; i++) {
        const struct rr_profile_set s = set_of(shipped_ones[i], NULL);
        for (int64_t gpus = 8; gpus <= 16384; gpus *= 8) {
            const struct rr_calibrated k = calibrate(&s, "h100-sxm", "mcore", gpus);
            for (size_t x = 0; x < RR_CALIBRATED_WORLDS * k.n; x++) {
                const struct rr_coef_info *c = &rr_coef_info[k.row[x % k.n].coef];
                assert_true(k.world[x] >= c->least && k.world[x] <= c->most);
            }
        }
    }
    const struct rr_profile_set s =
        set_of(profile_file("fast", "h100-80gb-sxm", 1, GEMM("1589", "700", "700")), NULL); // twice the reference
    const struct rr_calibrated k = calibrate(&s, "h100-sxm", "nemo", 8);
    near(coefs.v[RR_COEF_GEMM_EFF], rr_coef_info[RR_COEF_GEMM_EFF].most, 0);
    near(row_of(&k, RR_COEF_GEMM_EFF)->held, 2 * shipped("nemo", "h100", RR_COEF_GEMM_EFF), 1e-12);
    assert_true(told("held within 0.3 to 0.93"));
}

static void what_is_its_own_reference_says_so(void **state)
{
    (void)state;
    const struct rr_profile_set s = set_of("h100-efa-cluster", NULL);
    const struct rr_calibrated k = calibrate(&s, "h100-sxm", "nanotron", 512);
    assert_true(rr_calibrated_same(row_of(&k, RR_COEF_NET_EFF)));
    assert_true(told(", as its reference (5 to 95 %"));
    char not [80];
    snprintf(not, sizeof not, "net_eff %.4g ->", row_of(&k, RR_COEF_NET_EFF)->before);
    assert_false(told(not ));
    assert_string_equal(rr_profile_dated(&s.at[0]), "fitted"); // its log says no date
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_change_by_a_ratio_and_latencies_by_a_difference),
        cmocka_unit_test(without_a_reference_the_rate_takes_the_coefficients_place),
        cmocka_unit_test(its_own_reference_changes_nothing),
        cmocka_unit_test(a_network_is_a_power_of_its_nodes),
        cmocka_unit_test(a_datasheet_is_no_measurement),
        cmocka_unit_test(another_machine_is_passed_over),
        cmocka_unit_test(two_of_one_kind_are_refused),
        cmocka_unit_test(wrong_references),
        cmocka_unit_test(bars_of_no_width_give_no_spread),
        cmocka_unit_test(bars_of_a_tenth_are_those_of_the_step),
        cmocka_unit_test(a_seed_is_a_world),
        cmocka_unit_test(more_nodes_than_were_measured_vary_more),
        cmocka_unit_test(a_profile_makes_it_no_vaguer_than_none),
        cmocka_unit_test(a_coefficient_stays_within_its_bounds),
        cmocka_unit_test(what_is_its_own_reference_says_so),
        cmocka_unit_test(a_latency_is_never_below_zero),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
