/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/law/test_autoscale.c - what must hold of pools under any autoscaler, with boots that vary, images, refusals, quotas, whole hours and spilling
 * over, under any policy: the laws, nodes between min and max, every job that can run runs, draining interrupts nobody, same bytes again. */
#include "tests/unit/elastic_case.h"
#include "data/base/rng.h"
#include <stdlib.h>

static int draw(struct rr_rng *g, int n) { return (int)rr_rng_below(g, (uint64_t)n); }

static const char *const scalers[][2] = {
    {"queue", "{}"},
    {"utilization", "{}"},
    {"utilization", "{\"window\": \"1 min\", \"cooldown\": \"0 s\", \"every\": \"10 s\", \"step\": 3}"},
    {"utilization", "{\"low\": 0.5, \"high\": 0.6, \"window\": \"95 s\", \"cooldown\": \"30 s\", \"every\": \"20 s\", \"drain\": false}"},
    {"target", "{\"window\": \"2 min\", \"cooldown\": \"1 min\", \"every\": \"30 s\"}"},
    {"target", "{\"target\": 0.9, \"tolerance\": 0, \"window\": \"1 min\", \"cooldown\": \"0 s\", \"every\": \"15 s\", \"drain\": false}"},
    {"schedule",
     "{\"windows\": [{\"from\": \"00:10\", \"to\": \"00:30\", \"nodes\": 6}, {\"from\": \"00:45\", \"to\": \"01:00\", \"nodes\": 2}],"
     " \"otherwise\": 1}"},
    {"schedule", "{\"windows\": [{\"from\": \"00:05\", \"to\": \"00:06\", \"nodes\": 9}], \"otherwise\": 4, \"drain\": false}"},
};
#define N_SCALERS ((int)(sizeof scalers / sizeof *scalers))
static struct rr_autoscale made[N_SCALERS];

static void random_supply(struct rr_pool *p, struct rr_rng *g, bool first)
{
    static const int64_t boots[] = {0, 7 * RR_S, RR_MIN, 5 * RR_MIN}, timeouts[] = {0, RR_S, 30 * RR_S, 10 * RR_MIN};
    p->boot_us = boots[draw(g, 4)];
    if (draw(g, 3) == 0) p->boot = (struct rr_dist){.kind = RR_DIST_EXPONENTIAL, .a = 100 * RR_S};
    p->image_us = draw(g, 2) * 20 * RR_S;
    p->image_stays = draw(g, 2);
    p->refuse = draw(g, 3) == 0 ? 0.4 : 0;
    p->retry_us = (1 + draw(g, 90)) * RR_S;
    p->quota = draw(g, 4) == 0 ? p->nodes_min + 1 + draw(g, 3) : 0;
    p->idle_timeout_us = timeouts[draw(g, 4)];
    p->idle_align_us = draw(g, 3) == 0 ? 10 * RR_MIN : 0;
    p->spill_after_us = !first && draw(g, 2) ? (1 + draw(g, 300)) * RR_S : 0;
}

// True: every job that can run at all has a pool that gives it enough.
static bool random_world(int seed)
{
    static const char *const names[] = {"fifo", "easy_backfill", "sjf", "srtf", "las", "priority"};
    struct rr_rng g;
    rr_rng_init(&g, 77, 0, RR_RNG_TEST, (uint64_t)seed);
    static struct rr_node_shape shape[3];
    const int n_pools = 1 + draw(&g, 3);
    bool enough = true;
    for (int i = 0; i < n_pools; i++) {
        shape[i] = (struct rr_node_shape){.gpus = 1 + draw(&g, 8), .gpu = "", .name = ""};
        const int64_t min = draw(&g, 3);
        struct rr_pool *p = pool((size_t)i, &shape[i], min, min + 1 + draw(&g, 7));
        random_supply(p, &g, i == 0);
        const int k = draw(&g, N_SCALERS);
        p->autoscale = made[k];
        enough &= strcmp(scalers[k][0], "schedule") != 0;
    }
    scenario.seed = seed;
    scenario.clock = (struct rr_clock){true, 0};
    scenario.scheduler.policy = rr_kind_find(rr_policies, names[draw(&g, 6)]);
    scenario.scheduler.policy_params = NULL;
    scenario.scheduler.blocking = draw(&g, 2);
    scenario.scheduler.order = draw(&g, 3) == 0;
    struct job j[80];
    const size_t n = 5 + (size_t)draw(&g, 75);
    int64_t at = 0;
    for (size_t i = 0; i < n; i++) {
        at += draw(&g, 120);
        j[i] = (struct job){at, draw(&g, 900), draw(&g, draw(&g, 3) ? 9 : 33)};
    }
    jobs(j, n);
    return enough;
}

static void nodes_hold(const struct rr_replay *r, size_t p, int seed)
{
    const int64_t least = pools[p].nodes_min, most = pools[p].quota ? pools[p].quota : pools[p].nodes_max;
    for (size_t i = r->pool_lease[p]; i < r->pool_lease[p + 1]; i++) {
        int64_t begin = 0, end = 0; // held when this lease begins, and when it ends
        for (size_t k = r->pool_lease[p]; k < r->pool_lease[p + 1]; k++) {
            const struct rr_lease *a = &r->lease[i], *b = &r->lease[k];
            begin += b->start_us <= a->start_us && (b->end_us > a->start_us || k == i);
            end += b->start_us <= a->end_us && b->end_us > a->end_us;
            if (k != i && a->node == b->node && a->start_us < b->end_us && b->start_us < a->end_us)
                fail_msg("seed %d: node %u is held twice at once", seed, a->node);
        }
        if (begin > pools[p].nodes_max || (begin > most && r->lease[i].start_us > 0))
            fail_msg("seed %d: %lld nodes", seed, (long long)begin);
        if (end < least && r->lease[i].end_us < r->end_us)
            fail_msg("seed %d: %lld nodes left of %lld", seed, (long long)end, (long long)least);
    }
}

static void jobs_hold(const struct rr_replay *r, bool enough, int seed)
{
    for (size_t i = 0; i < trace.n; i++) {
        const struct rr_outcome *o = &r->outcome[i];
        if (enough && o->state != RR_JOB_FINISHED && o->state != RR_JOB_REJECTED)
            fail_msg("seed %d (%s): job %zu is %s", seed, scenario.scheduler.policy->name, i,
                     rr_job_state_text((enum rr_job_state)o->state));
        if (!((const struct rr_policy *)(const void *)scenario.scheduler.policy)->preempts && o->state == RR_JOB_FINISHED)
            assert_true(o->attempts == 1 && o->end_us - o->start_us == run_us[i] && o->lost_us == 0);
        const int64_t after = o->pool == UINT16_MAX ? 0 : pools[o->pool].spill_after_us;
        if (o->attempts == 1 && o->start_us - submit_us[i] < after) fail_msg("seed %d: job %zu spills over too soon", seed, i);
    }
}

static void any_autoscaler(void **state)
{
    (void)state;
    for (int k = 0; k < N_SCALERS; k++) {
        scaled(pool(0, &eight, 0, 1), scalers[k][0], scalers[k][1]);
        made[k] = pools[0].autoscale;
    }
    size_t leases = 0, refused = 0;
    const int worlds = getenv("RACKRATE_LONG") ? 20000 : 1000;
    for (int seed = 0; seed < worlds; seed++) {
        const bool enough = random_world(seed);
        if (!enough) world.horizon_us = 3 * RR_D;
        struct rr_replay r = run(), again = run();
        jobs_hold(&r, enough, seed);
        for (size_t p = 0; p < scenario.n_pools; p++) nodes_hold(&r, p, seed);
        assert_int_equal(r.n_leases, again.n_leases);
        for (size_t i = 0; i < r.n_leases; i++)
            assert_true(r.lease[i].start_us == again.lease[i].start_us && r.lease[i].end_us == again.lease[i].end_us &&
                        r.lease[i].node == again.lease[i].node && r.lease[i].used_milli_us == again.lease[i].used_milli_us);
        leases += r.n_leases;
        for (size_t p = 0; p < scenario.n_pools; p++) refused += (size_t)r.pool[p].refused;
        rr_replay_done(&r);
        rr_replay_done(&again);
        world.horizon_us = submit_us[trace.n / 2] + RR_S; // cut off in the midst of it
        r = run();
        rr_replay_done(&r);
    }
    print_message("%zu leases, %zu requests refused\n", leases, refused);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(any_autoscaler)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
