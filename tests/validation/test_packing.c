/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/validation/test_packing.c - how full a cluster of shared GPUs can be packed, against the published table of the FGD study.
 *
 * Weng et al., "Beware of Fragmentation", ATC'23; figures from the results of hkust-adsl/kubernetes-scheduler-simulator @8f3d641: GPU allocation in % of
 * the cluster (Alibaba's openb, 1,213 nodes, 6,212 GPUs) when the arrived demand reaches 100 % and 130 % of it, mean of 10 seeds. Rules: pods of the
 * list, and random copies of them, until what they ask for is 1.3 x the cluster; shuffled; placed one by one; none ever leaves; one that does not
 * fit is dropped. Here each pod is a job that never ends, under `fifo` that does not block: as nothing is ever freed, a job that did not fit when
 * it came waits for ever, which is the same as dropped.
 *
 * Random, BestFit and FGD must be within 0.6 points of the table with 10 seeds (`make validate` sets RACKRATE_TABLE; also RACKRATE_LONG). The quick tier takes fewer seeds, for which the published
 * spread of single seeds (standard deviation up to 0.8) allows more.
 *
 * FGD needs more of the published program than of the paper: their score cuts a logistic function of the growth of fragmentation to
 * 0 ... 100, a step of 0.04 GPUs near zero, and of equal nodes the lowest name is taken. With exact comparison (fragment_grain 0) the default list
 * packs to 94.1 % and 94.3 % instead of 95.2 % and 95.4 %; with chance among equals to 89.9 %. What is left: their steps widen away from zero, and
 * their typical pods come from the list before it is lengthened. */
#include "tests/validation/published.h"
#include "data/base/rng.h"
#include <string.h>

#define LISTS 4
#define RULES 3
static const char *const rule_name[RULES] = {"random", "best_fit", "fgd"};
static const struct {
    const char *name;
    double percent[RULES][2]; // when 100 % and 130 % have arrived
} published[LISTS] = {{"default", {{86.30, 87.47}, {92.86, 93.08}, {95.23, 95.39}}},
                      {"cpu050", {{89.02, 91.24}, {93.56, 93.79}, {95.00, 95.21}}},
                      {"gpushare40", {{84.86, 86.00}, {91.44, 91.69}, {93.96, 94.15}}},
                      {"multigpu20", {{86.92, 88.69}, {93.73, 93.93}, {95.53, 95.65}}}};

struct pod {
    int32_t cpus_milli, memory_mib, gpus_milli;
};
static struct rr_arena *arena;
static struct rr_fleet_file fleet;
static int64_t capacity; // milli-GPUs
static const char *folder;

static int load(void **state)
{
    (void)state;
    const char *shared = getenv("RACKRATE_SHARED");
    arena = rr_arena_create();
    folder = rr_strf(arena, "%s/traces/alibaba-gpu-v2023", shared ? shared : "../shared");
    if (access(folder, R_OK)) return 0; // the tests skip
    if (rr_fleet_read(rr_strf(arena, "%s/openb_node_list_gpu_node.csv", folder), "auto", arena, &fleet) != RR_OK) {
        print_error("%s\n", rr_reason());
        return 1;
    }
    for (size_t i = 0; i < fleet.n; i++) capacity += INT64_C(1000) * fleet.node[i].gpus;
    return 0;
}

static int unload(void **state)
{
    (void)state;
    rr_arena_free(arena);
    return 0;
}

// --- the pods ---

static int32_t number(struct rr_slice cell)
{
    int64_t v = 0;
    if (rr_text_i64(cell, &v) != RR_OK) fail_msg("%s", rr_reason());
    return (int32_t)v;
}

// Read by header: the multigpu lists have only the first five columns, and none of these lists asks for a model.
static size_t read_pods(const char *list, struct pod **ret)
{
    static const char *const column[4] = {"cpu_milli", "memory_mib", "num_gpu", "gpu_milli"};
    struct rr_csv *csv;
    struct rr_csv_row row;
    RR_VEC(struct pod) pods = {0};
    int at[4];
    if (rr_csv_open(rr_strf(arena, "%s/openb_pod_list_%s.csv.gz", folder, list), (struct rr_csv_options){0}, &csv) != RR_OK ||
        rr_csv_next(csv, &row) != RR_OK)
        fail_msg("%s", rr_reason());
    for (int i = 0; i < 4; i++) assert_true((at[i] = rr_csv_find(&row, column[i])) >= 0);
    while (rr_csv_next(csv, &row) == RR_OK && row.n > 0) {
        const int32_t devices = number(row.cell[at[2]]), milli = number(row.cell[at[3]]);
        const struct pod p = {number(row.cell[at[0]]), number(row.cell[at[1]]), devices * milli};
        assert_true(devices <= 1 || milli == 1000);
        rr_vec_push(&pods, p);
    }
    rr_csv_close(csv);
    *ret = pods.at;
    return pods.n;
}

static void swap(struct pod *p, size_t i, size_t j)
{
    const struct pod x = p[i];
    p[i] = p[j];
    p[j] = x;
}

// Lengthened (or cut) to 1.3 x the capacity and shuffled, as columns of a trace.
static void make_trace(const struct pod *pods, size_t n, uint64_t seed, struct rr_trace *ret)
{
    struct rr_rng rng;
    rr_rng_init(&rng, seed, 0, RR_RNG_TEST, 1);
    RR_VEC(struct pod) all = {0};
    int64_t asked = 0;
    for (size_t i = 0; i < n; i++) rr_vec_push(&all, pods[i]);
    for (size_t i = n; i > 1; i--) swap(all.at, i - 1, rr_rng_below(&rng, i)); // if it is cut, by chance
    size_t keep = 0;
    while (keep < n && asked * 10 < capacity * 13) asked += all.at[keep++].gpus_milli;
    all.n = keep;
    while (asked * 10 < capacity * 13) {
        const struct pod p = pods[rr_rng_below(&rng, n)];
        asked += p.gpus_milli;
        rr_vec_push(&all, p);
    }
    for (size_t i = all.n; i > 1; i--) swap(all.at, i - 1, rr_rng_below(&rng, i));
    *ret = (struct rr_trace){.n = all.n,
                             .submit_us = rr_xrealloc(NULL, all.n, sizeof(int64_t)),
                             .run_us = rr_xrealloc(NULL, all.n, sizeof(int64_t)),
                             .gpus_milli = rr_xrealloc(NULL, all.n, sizeof(int32_t)),
                             .cpus_milli = rr_xrealloc(NULL, all.n, sizeof(int32_t)),
                             .memory_mib = rr_xrealloc(NULL, all.n, sizeof(int32_t))};
    for (size_t i = 0; i < all.n; i++) {
        ret->submit_us[i] = (int64_t)i;
        ret->run_us[i] = RR_NEVER;
        ret->gpus_milli[i] = all.at[i].gpus_milli;
        ret->cpus_milli[i] = all.at[i].cpus_milli;
        ret->memory_mib[i] = all.at[i].memory_mib;
    }
    rr_vec_done(&all);
}

// --- one run ---

// Allocated share of the cluster in %, when the demand that has arrived reaches 100 % of it and at the end, 130 %.
static void pack(const struct rr_trace *t, const char *rule, uint64_t seed, double percent[2])
{
    struct rr_pool pool = {.name = "openb",
                           .pointer = "/pools/openb",
                           .shape = fleet.node,
                           .n_shapes = fleet.n,
                           .nodes_min = (int64_t)fleet.n,
                           .nodes_max = (int64_t)fleet.n,
                           .gpu = ""};
    struct rr_scenario sc = {.pool = &pool,
                             .n_pools = 1,
                             .seed = (int64_t)seed,
                             .scheduler = {.policy = rr_kind_find(rr_policies, "fifo"), .placement = rr_kind_find(rr_placements, rule)}};
    assert_non_null(sc.scheduler.placement);
    const struct rr_world w = {.scenario = &sc, .trace = t, .horizon_us = (int64_t)t->n + 1};
    struct rr_replay r;
    if (rr_engine_run(&w, &r) != RR_OK) fail_msg("%s", rr_reason());
    int64_t arrived = 0, placed = 0;
    percent[0] = -1;
    for (size_t i = 0; i < t->n; i++) {
        arrived += t->gpus_milli[i];
        if (r.outcome[i].state == RR_JOB_RUNNING) {
            assert_int_equal(r.outcome[i].start_us, t->submit_us[i]);
            placed += t->gpus_milli[i];
        }
        if (percent[0] < 0 && arrived >= capacity) percent[0] = 100.0 * (double)placed / (double)capacity;
    }
    percent[1] = 100.0 * (double)placed / (double)capacity;
    rr_replay_done(&r);
}

struct spread {
    double sum, squares;
};
static double mean(struct spread s, int n) { return s.sum / n; }
static double sd(struct spread s, int n) { return n > 1 ? sqrt(fmax(0, (s.squares - s.sum * s.sum / n) / (n - 1))) : 0; }

static void check_list(int list, int seeds, double gate)
{
    struct pod *pods;
    const size_t n = read_pods(published[list].name, &pods);
    struct spread s[RULES][2] = {0};
    for (int seed = 1; seed <= seeds; seed++) {
        struct rr_trace t;
        make_trace(pods, n, (uint64_t)seed, &t);
        for (int rule = 0; rule < RULES; rule++) {
            double percent[2];
            pack(&t, rule_name[rule], (uint64_t)seed, percent);
            for (int k = 0; k < 2; k++) {
                s[rule][k].sum += percent[k];
                s[rule][k].squares += percent[k] * percent[k];
            }
        }
        rr_trace_done(&t);
    }
    free(pods);
    for (int rule = 0; rule < RULES; rule++)
        for (int k = 0; k < 2; k++) {
            const double is = mean(s[rule][k], seeds), was = published[list].percent[rule][k];
            char what[64];
            snprintf(what, sizeof what, "openb %s, %s at %s %% (sd %.2f of %d)", published[list].name, rule_name[rule], k ? "130" : "100",
                     sd(s[rule][k], seeds), seeds);
            published_points(what, was, is, gate);
            if (fabs(is - was) > gate)
                fail_msg("%s %s: %.2f %% is more than %.2f points from %.2f %%", published[list].name, rule_name[rule], is, gate, was);
        }
    for (int k = 0; k < 2; k++) { // the order of the study
        assert_true(s[0][k].sum < s[1][k].sum);
        assert_true(s[1][k].sum < s[2][k].sum);
    }
}

static void packing(void **state)
{
    (void)state;
    if (fleet.n == 0) skip();
    assert_int_equal(fleet.n, 1213);
    assert_int_equal(capacity, 6212000);
    const bool all = getenv("RACKRATE_LONG") || getenv("RACKRATE_TABLE");
    for (int list = 0; list < (all ? LISTS : 2); list++) check_list(list, all ? 10 : 3, all ? 0.6 : 1.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(packing)};
    return cmocka_run_group_tests(tests, load, unload);
}
