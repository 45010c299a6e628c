/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/validation/test_gpuspec.c - pods that name the GPU models they accept, on Alibaba's nodes, which have six models.
 *
 * openb_pod_list_gpuspec33.csv: 8,152 pods, about a third of those with a GPU name one model or several. */
#include "sim/engine/engine.h"
#include "tests/trace_help.h"

static struct rr_fleet_file fleet;

static void load(void)
{
    const struct rr_import_options opt = {.format = "auto", .max_rejected = 0.01};
    const char *pods = shared("traces/alibaba-gpu-v2023/openb_pod_list_gpuspec33.csv.gz");
    if (rr_trace_read(pods, &opt, arena, &notes, &trace) != RR_OK ||
        rr_fleet_read(shared("traces/alibaba-gpu-v2023/openb_node_list_gpu_node.csv"), "auto", arena, &fleet) != RR_OK)
        fail_msg("%s", rr_reason());
    assert_int_equal(trace.n, 8152);
}

static struct rr_replay replay(const char *placement)
{
    struct rr_pool pool = {.name = "openb",
                           .pointer = "/pools/openb",
                           .shape = fleet.node,
                           .n_shapes = fleet.n,
                           .nodes_min = (int64_t)fleet.n,
                           .nodes_max = (int64_t)fleet.n,
                           .gpu = ""};
    struct rr_scenario sc = {
        .pool = &pool,
        .n_pools = 1,
        .seed = 3,
        .scheduler = {.policy = rr_kind_find(rr_policies, "fifo"), .placement = rr_kind_find(rr_placements, placement)}};
    const struct rr_world w = {.scenario = &sc, .trace = &trace, .horizon_us = RR_NEVER};
    struct rr_replay r;
    if (rr_engine_run(&w, &r) != RR_OK || rr_replay_check_jobs(&w, &r, NULL) != RR_OK || rr_replay_check_time(&w, &r, NULL) != RR_OK)
        fail_msg("%s", rr_reason());
    return r;
}

static bool accepts(size_t job, const char *model)
{
    const uint64_t types = trace.gpu_types ? trace.gpu_types[job] : 0;
    if (types == 0) return true;
    for (size_t i = 0; i < trace.n_gpu_types; i++)
        if (types >> i & 1 && strcmp(trace.gpu_type_name[i], model) == 0) return true;
    return false;
}

static void pods_run_on_the_models_they_name(void **state)
{
    (void)state;
    load();
    static const char *const placement[] = {"pack", "random", "best_fit", "fgd"};
    for (size_t p = 0; p < 4; p++) {
        struct rr_replay r = replay(placement[p]);
        size_t named = 0, gpu_pods = 0, started = 0;
        for (size_t i = 0; i < r.n_jobs; i++) {
            gpu_pods += trace.gpus_milli[i] > 0;
            named += trace.gpu_types[i] != 0;
            if (r.outcome[i].start_us == RR_NEVER) continue;
            started++;
            if (!accepts(i, fleet.node[r.outcome[i].node].gpu))
                fail_msg("%s: pod %zu is on a %s", placement[p], i, fleet.node[r.outcome[i].node].gpu);
        }
        assert_in_range(named * 100, gpu_pods * 31, gpu_pods * 35); // as the file's name says
        assert_true(started > 7000);
        rr_replay_done(&r);
    }
}

// On the nodes with a T4 alone, a pod that names other models can never run, and the reason says so.
static void a_model_that_is_not_there_is_the_reason(void **state)
{
    (void)state;
    load();
    size_t n = 0;
    for (size_t i = 0; i < fleet.n; i++)
        if (strcmp(fleet.node[i].gpu, "T4") == 0) fleet.node[n++] = fleet.node[i];
    fleet.n = n;
    assert_true(n > 100);
    struct rr_replay r = replay("best_fit");
    size_t refused = 0;
    for (size_t i = 0; i < r.n_jobs; i++) {
        const struct rr_outcome *o = &r.outcome[i];
        if (o->reason == RR_WHY_NEVER_STARTED) continue; // by the trace
        assert_int_equal(o->reason == RR_WHY_NO_GPU_TYPE, !accepts(i, "T4"));
        refused += o->reason == RR_WHY_NO_GPU_TYPE;
        if (o->reason == RR_WHY_NO_GPU_TYPE) assert_int_equal(o->state, RR_JOB_REJECTED);
    }
    assert_true(refused > 500);
    rr_replay_done(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(pods_run_on_the_models_they_name, help_setup, help_teardown),
                                       cmocka_unit_test_setup_teardown(a_model_that_is_not_there_is_the_reason, help_setup, help_teardown)};
    return cmocka_run_group_tests(tests, help_start, help_end);
}
