/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/validation/test_batsim.c - EASY and conservative backfilling on Batsim's medium_late workload (801 jobs, 32 machines):
 * makespan equal to the authors'.
 *
 * Published (oar-team/evalys, the outputs beside the workload): makespan 16,088.51 s, mean wait 9.516 s, maximum wait 316.743 s. The
 * makespan is fixed by the last arrivals and must be equal. The waits are not: the authors do not say which EASY they ran. Ours lets a job
 * that outlasts the reservation take processors that will be spare then (mean wait 8.67 s, maximum 388.7 s: one wide job waits longer
 * though never past its promise); the variant without that rule gives 9.91 s and exactly the published maximum, so theirs lies between the two.
 *
 * Energy: 32 machines of 95 W, idle or not, until the last job ends: 48,909,070.4 J, to the joule's tenth. Ours comes from the bill of machines owned. */
#include "tests/validation/published.h"

static void replay(const char *policy, double mean_wait, double max_wait)
{
    const char *shared = getenv("RACKRATE_SHARED");
    struct rr_arena *arena = rr_arena_create();
    const char *path = rr_strf(arena, "%s/traces/batsim/medium_late.json.gz", shared ? shared : "../shared");
    if (access(path, R_OK)) {
        rr_arena_free(arena);
        skip();
    }
    struct rr_notes notes = {.arena = arena};
    struct rr_trace trace = {0};
    const struct rr_import_options opt = {.format = "batsim", .max_rejected = 0.01};
    if (rr_trace_read(path, &opt, arena, &notes, &trace) != RR_OK) fail_msg("%s", rr_reason());
    assert_int_equal(trace.n, 801);
    struct rr_node_shape shape = {.gpus = 1, .gpu = "", .name = ""};
    struct rr_pool pool = {.name = "m", .pointer = "/pools/m", .shape = &shape, .n_shapes = 1, .nodes_min = 32, .nodes_max = 32, .gpu = ""};
    struct rr_scenario sc = {.pool = &pool, .n_pools = 1, .scheduler = {.policy = rr_kind_find(rr_policies, policy), .blocking = true}};
    const struct rr_world w = {.scenario = &sc, .trace = &trace, .horizon_us = RR_NEVER};
    struct rr_replay r;
    assert_int_equal(rr_engine_run(&w, &r), RR_OK);
    int64_t last = 0, most = 0;
    double wait = 0;
    for (size_t i = 0; i < r.n_jobs; i++) {
        const int64_t waited = r.outcome[i].start_us - trace.submit_us[i];
        if (r.outcome[i].end_us > last) last = r.outcome[i].end_us;
        if (waited > most) most = waited;
        wait += (double)waited / 1e6 / (double)r.n_jobs;
    }
    const double makespan = (double)(last - trace.submit_us[0]) / 1e6;
    const bool good = published_row(rr_strf(arena, "Batsim medium_late, %s, makespan (s)", policy), 16088.51, makespan, 1e-6);
    published_row(rr_strf(arena, "Batsim medium_late, %s, mean wait (s)", policy), mean_wait, wait, -1);
    published_row(rr_strf(arena, "Batsim medium_late, %s, maximum wait (s)", policy), max_wait, (double)most / 1e6, -1);
    assert_true(good);
    assert_int_equal(rr_replay_check_jobs(&w, &r, NULL), RR_OK);
    assert_int_equal(rr_replay_check_time(&w, &r, NULL), RR_OK);
    rr_replay_done(&r);
    rr_trace_done(&trace);
    rr_notes_done(&notes);
    rr_arena_free(arena);
}

static void easy(void **state)
{
    (void)state;
    replay("easy_backfill", 9.516326, 316.742718);
}
static void conservative(void **state)
{
    (void)state;
    replay("conservative_backfill", 9.852251, 319.138649);
}

static void energy(void **state)
{
    (void)state;
    struct rr_arena *arena = rr_arena_create();
    const char *path = published_data(arena, "traces/batsim/medium_late.json.gz");
    double metric[RR_METRICS];
    published_run(
        rr_strf(arena,
                "{\"rackrate\": 1, \"name\": \"energy\", \"start\": \"2026-01-01\","
                " \"workload\": {\"w\": {\"trace\": \"%s\"}},"
                " \"pools\": {\"m\": {\"gpus_per_node\": 1, \"nodes\": 32, \"plan\": {\"type\": \"owned\", \"price\": \"$1\","
                " \"life\": \"5 years\", \"residual\": 0, \"idle_power\": \"95 W\", \"max_power\": \"95 W\", \"pue\": 1,"
                " \"electricity\": \"$0.10/kWh\", \"colocation\": \"$0/kW/month\", \"maintenance\": 0, \"staff\": \"$0/node/year\"}}},"
                " \"scheduler\": {\"policy\": \"easy_backfill\"}}",
                path),
        metric);
    assert_true(published_row("Batsim medium_late, energy of 32 machines (J)", 48909070.4, metric[RR_M_ENERGY_KWH] * 3.6e6, 1e-9));
    rr_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(easy), cmocka_unit_test(conservative), cmocka_unit_test(energy)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
