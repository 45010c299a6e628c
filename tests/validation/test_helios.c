/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/validation/test_helios.c - FIFO against SJF on 1,867 real jobs of two Helios virtual clusters (Venus, September 2020).
 *
 * Expected: an independent simulation of the same slice with an own queue per virtual cluster of 20 and 2 nodes of 8 GPUs, known run times, no
 * interruption, strict blocking, the fullest node with room: average JCT 16,534.3 s (FIFO) and 6,272.8 s (SJF), within 1 %; without blocking
 * 5,902.4 and 5,892.0 s: whether the first in line holds up the others decides, not the order. Each virtual cluster is replayed alone: a line
 * that holds up all behind it is one line. */
#include "tests/validation/published.h"

static const struct {
    const char *name;
    int nodes, jobs;
} clusters[] = {{"vcvGl", 20, 0}, {"vcvlY", 2, 0}};

/* Sum over both clusters, weighted by their jobs. */
static void replay(const char *scheduler, double *jct, double *wait, double *jobs)
{
    double m[RR_METRICS];
    struct rr_arena *a = rr_arena_create();
    const char *path = published_data(a, "traces/helios/fleetsim_helios_venus_2vc_sept.csv");
    *jct = *wait = *jobs = 0;
    for (size_t i = 0; i < 2; i++) {
        const char *json = rr_strf(
            a,
            "{\"rackrate\": 1, \"name\": \"helios\", \"workload\": {\"venus\": {\"trace\": \"%s\", \"format\": \"csv\", \"columns\": "
            "{\"submit_s\": {\"name\": \"submit_time\", \"unit\": \"us\"}, \"gpus\": \"num_chips\", \"account\": \"tenant\", \"status\": "
            "\"final_status\"}, \"where\": \"account == '%s'\"}}, \"pools\": {\"%s\": {\"gpus_per_node\": 8, \"nodes\": %d, \"plan\": "
            "{\"type\": \"unpriced\"}}}, \"scheduler\": %s}",
            path, clusters[i].name, clusters[i].name, clusters[i].nodes, scheduler);
        published_run(json, m);
        const double n = m[RR_M_JOBS_SUBMITTED];
        *jct += n * m[RR_M_JCT_MEAN];
        *wait += n * m[RR_M_WAIT_MEAN];
        *jobs += n;
    }
    *jct /= *jobs;
    *wait /= *jobs;
    rr_arena_free(a);
}

static void strict(void **state)
{
    (void)state;
    double jct, wait, jobs, fifo;
    replay("{\"policy\": \"fifo\"}", &jct, &wait, &jobs);
    bool good = published_row("Helios Venus slice, jobs", 1867, jobs, 0);
    good &= published_row("Helios Venus slice, fifo, average JCT (s)", 16534.3, jct, 0.01);
    good &= published_row("Helios Venus slice, fifo, average wait (s)", 10883.5, wait, 0.01);
    fifo = jct;
    replay("{\"policy\": \"sjf\", \"estimate\": \"exact\"}", &jct, &wait, &jobs);
    good &= published_row("Helios Venus slice, sjf, average JCT (s)", 6272.8, jct, 0.01);
    good &= published_row("Helios Venus slice, sjf, average wait (s)", 622.0, wait, 0.03);
    good &= published_row("Helios Venus slice, fifo over sjf", 2.636, fifo / jct, 0.01);
    assert_true(good);
}

static void passing(void **state)
{
    (void)state;
    double jct, wait, jobs;
    replay("{\"policy\": \"fifo\", \"blocking\": false}", &jct, &wait, &jobs);
    bool good = published_row("Helios Venus slice, fifo without blocking, JCT (s)", 5902.4, jct, 0.01);
    replay("{\"policy\": \"sjf\", \"blocking\": false, \"estimate\": \"exact\"}", &jct, &wait, &jobs);
    good &= published_row("Helios Venus slice, sjf without blocking, JCT (s)", 5892.0, jct, 0.01);
    assert_true(good);
}

/* Both at once: a class and a pool for each, and a queue of its own, as fair_share gives it to every tenant. */
static void one_scenario(void **state)
{
    (void)state;
    double m[RR_METRICS];
    struct rr_arena *a = rr_arena_create();
    const char *path = published_data(a, "traces/helios/fleetsim_helios_venus_2vc_sept.csv");
    published_run(
        rr_strf(
            a,
            "{\"rackrate\": 1, \"name\": \"helios\", \"workload\": {\"venus\": {\"trace\": \"%s\", \"format\": \"csv\", \"columns\": "
            "{\"submit_s\": {\"name\": \"submit_time\", \"unit\": \"us\"}, \"gpus\": \"num_chips\", \"account\": \"tenant\", \"status\": "
            "\"final_status\"}}}, \"classes\": {\"a\": {\"where\": \"account == 'vcvGl'\", \"pools\": [\"a\"]}, \"b\": {\"where\": "
            "\"account == "
            "'vcvlY'\", \"pools\": [\"b\"]}}, \"pools\": {\"a\": {\"gpus_per_node\": 8, \"nodes\": 20, \"plan\": {\"type\": "
            "\"unpriced\"}}, \"b\": "
            "{\"gpus_per_node\": 8, \"nodes\": 2, \"plan\": {\"type\": \"unpriced\"}}}, \"scheduler\": {\"policy\": \"fair_share\"}}",
            path),
        m);
    const bool good = published_row("Helios Venus slice, fair_share over both clusters, JCT (s)", 16534.3, m[RR_M_JCT_MEAN], 0.01);
    rr_arena_free(a);
    assert_true(good);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(strict), cmocka_unit_test(passing), cmocka_unit_test(one_scenario)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
