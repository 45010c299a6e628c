/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/validation/test_cant_be_late.c - "Can't Be Late" (NSDI'24, Table 3): a job of 48 h with a deadline of 60 h on spot machines.
 *
 * The published means over 8 traces x 300 start points: on-demand hours of Greedy 30.8, of Uniform Progress 25.1, of Omniscient 20.7. The
 * start points are not those of the paper: 300 windows a trace that others drew come with the traces, and all start points are tried too. */
#include "data/base/csv.h"
#include "tests/validation/published.h"
#include <string.h>

enum { GREEDY, UNIFORM, OMNISCIENT, POLICIES, TRACES = 8, TICKS = 3895, DEADLINE_TICKS = 360 };
#define TICK (10 * RR_MIN)
static const char *const trace_names[TRACES] = {"us-west-2a_k80_1", "us-west-2a_k80_8", "us-west-2a_v100_1", "us-west-2a_v100_8",
                                                "us-west-2b_k80_1", "us-west-2b_k80_8", "us-west-2b_v100_1", "us-west-2b_v100_8"};
static const char *const policy_names[POLICIES] = {"deadline_greedy", "deadline_uniform", "deadline_omniscient"};

static const char text[] =
    "{\"rackrate\": 1, \"workload\": {\"w\": {\"generate\": {\"count\": 1, \"arrival\": {\"poisson\": {\"rate\": \"1/s\"}}, \"duration\": "
    "\"48 h\", \"gpus\": 1}}},\n"
    "\"checkpoint\": {\"interval\": \"1 s\", \"write\": \"0 s\", \"start\": \"12 min\"},\n"
    "\"scheduler\": {\"policy\": \"deadline_greedy\", \"deadline\": \"60 h\", \"change_over\": \"12 min\"},\n"
    "\"pools\": {\"spot\": {\"gpus_per_node\": 1, \"nodes\": {\"max\": 1}, \"idle_timeout\": \"0 s\", \"plan\": {\"type\": \"spot\", "
    "\"price\": "
    "\"$0.9731/h\", \"notice\": \"0 s\", \"availability\": \"%s\"}},\n"
    "\"od\": {\"gpus_per_node\": 1, \"nodes\": {\"max\": 1}, \"idle_timeout\": \"0 s\", \"plan\": {\"type\": \"on_demand\", \"rate\": "
    "\"$3.06/h\"}}},\n"
    "\"alternatives\": {\"greedy\": {}, \"uniform\": {\"scheduler\": {\"policy\": \"deadline_uniform\"}},\n"
    "\"omniscient\": {\"scheduler\": {\"policy\": \"deadline_omniscient\"}}}}\n";

static struct rr_scenario_set *load(const char *shared, const char *trace, struct rr_arena *a)
{
    char file[] = "/tmp/rr_cant_be_late_XXXXXX", path[512];
    const struct rr_registry reg = {
        .plans = rr_price_plans, .policies = rr_policies, .placements = rr_placements, .importers = rr_importers};
    struct rr_scenario_set *set;
    struct rr_notes notes = {.arena = a};
    const int fd = mkstemp(file);
    assert_true(fd >= 0);
    snprintf(path, sizeof path, "%s/traces/skypilot-spot/availability__1-node__aws-10-26-2022__%s.json.gz", shared, trace);
    char *full = realpath(path, NULL);
    assert_non_null(full);
    assert_true(dprintf(fd, text, full) > 0);
    close(fd);
    free(full);
    const enum rr_status st =
        rr_scenario_load(file, &(struct rr_scenario_options){.seed = -1, .reps = -1}, &reg, &(struct rr_catalog){0}, &set);
    unlink(file);
    if (st != RR_OK) fail_msg("%s", rr_reason());
    for (size_t v = 0; v < set->n_variants; v++)
        if (rr_price_resolve(set->variant[v], &(struct rr_catalog){0}, a, &notes) != RR_OK) fail_msg("%s", rr_reason());
    rr_notes_done(&notes);
    return set;
}

/* On-demand hours of the job that is submitted at this tick. */
static double on_demand_hours(const struct rr_scenario *s, int64_t tick)
{
    int64_t submit = tick * TICK, run = 48 * RR_H;
    int32_t gpus = 1000;
    const struct rr_trace jobs = {.n = 1, .submit_us = &submit, .run_us = &run, .gpus_milli = &gpus};
    const struct rr_world w = {.scenario = s, .trace = &jobs, .horizon_us = RR_NEVER};
    struct rr_replay r;
    struct rr_buf detail = {0};
    if (rr_engine_run(&w, &r) != RR_OK) fail_msg("%s", rr_reason());
    assert_int_equal(r.outcome[0].state, RR_JOB_FINISHED);
    assert_true(r.outcome[0].end_us - submit <= 60 * RR_H);
    if (rr_replay_check_jobs(&w, &r, &detail) != RR_OK || rr_replay_check_time(&w, &r, &detail) != RR_OK) fail_msg("%s", rr_reason());
    const double hours = (double)r.pool[1].held / 1000 / (double)RR_H;
    rr_buf_done(&detail);
    rr_replay_done(&r);
    return hours;
}

struct mean {
    double sum;
    int64_t n;
};

static const char *shared_dir(void)
{
    const char *dir = getenv("RACKRATE_SHARED");
    if (!dir) dir = "../shared";
    return access(dir, R_OK) == 0 ? dir : NULL;
}

static void table(const char *what, const struct mean *m)
{
    static const double published[POLICIES] = {30.8, 25.1, 20.7};
    const double greedy = m[GREEDY].sum / (double)m[GREEDY].n, uniform = m[UNIFORM].sum / (double)m[UNIFORM].n,
                 best = m[OMNISCIENT].sum / (double)m[OMNISCIENT].n;
    bool good = true;
    for (int p = 0; p < POLICIES; p++) {
        char row[96];
        snprintf(row, sizeof row, "Can't Be Late, %s, %s (h)", policy_names[p], what);
        good &= published_points(row, published[p], m[p].sum / (double)m[p].n, p == OMNISCIENT ? -1 : 2.5);
    }
    assert_true(good && greedy > uniform && uniform > best);
}

static void try_start(const struct rr_scenario_set *set, int64_t tick, struct mean *m)
{
    double hours[POLICIES];
    for (int p = 0; p < POLICIES; p++) {
        hours[p] = on_demand_hours(set->variant[p], tick);
        m[p].sum += hours[p];
        m[p].n++;
    }
    assert_true(hours[OMNISCIENT] <= hours[GREEDY] + 0.5 &&
                hours[OMNISCIENT] <= hours[UNIFORM] + 0.5); // a step and a change-over of the grid
}

/* Every `stride`-th start point of which the whole 60 h lie in the trace. */
static void all_starts(void **state)
{
    const char *shared = shared_dir();
    struct mean m[POLICIES] = {0};
    const int64_t stride = getenv("RACKRATE_LONG") ? 1 : 71;
    (void)state;
    if (!shared) skip();
    for (int t = 0; t < TRACES; t++) {
        struct rr_arena *a = rr_arena_create();
        struct rr_scenario_set *set = load(shared, trace_names[t], a);
        for (int64_t tick = 0; tick + DEADLINE_TICKS <= TICKS; tick += stride) try_start(set, tick, m);
        rr_scenario_set_free(set);
        rr_arena_free(a);
    }
    table(stride == 1 ? "all starts" : "each 71st start", m);
}

/* The 300 windows a trace that come with the traces. */
static void the_windows(void **state)
{
    const char *shared = shared_dir();
    char path[512];
    struct rr_csv *csv;
    struct rr_csv_row row;
    struct mean m[POLICIES] = {0};
    const int64_t stride = getenv("RACKRATE_LONG") ? 1 : 6;
    struct rr_scenario_set *set = NULL;
    struct rr_arena *a = NULL;
    const char *of = "";
    (void)state;
    if (!shared) skip();
    snprintf(path, sizeof path, "%s/traces/skypilot-spot/cant_be_late_windows.csv", shared);
    assert_int_equal(rr_csv_open(path, (struct rr_csv_options){0}, &csv), RR_OK);
    assert_int_equal(rr_csv_next(csv, &row), RR_OK);
    for (int64_t i = 0;; i++) {
        int64_t tick;
        assert_int_equal(rr_csv_next(csv, &row), RR_OK);
        if (row.n == 0) break;
        if (i % stride != 0) continue;
        assert_int_equal(rr_text_i64(row.cell[2], &tick), RR_OK);
        if (!rr_slice_is(row.cell[0], of)) {
            rr_scenario_set_free(set);
            rr_arena_free(a);
            a = rr_arena_create();
            of = NULL;
            for (int t = 0; t < TRACES; t++)
                if (rr_slice_is(row.cell[0], trace_names[t])) of = trace_names[t];
            assert_non_null(of);
            set = load(shared, of, a);
        }
        try_start(set, tick, m);
    }
    rr_scenario_set_free(set);
    rr_arena_free(a);
    rr_csv_close(csv);
    table(stride == 1 ? "300 windows" : "50 windows", m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_starts), cmocka_unit_test(the_windows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
