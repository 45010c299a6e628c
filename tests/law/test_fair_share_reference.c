/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/law/test_fair_share_reference.c - fair_share against its plain definition on random small worlds, and its decay against the closed form.
 *
 * Two levels of tenants with weights and quotas, a guard in a part of the worlds. The reference adds up usage over all that ever ran, job by job; without
 * decay the sums are whole numbers, so that both must agree to the microsecond. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "data/base/rng.h"
#include "sim/engine/engine.h"
#include <stdlib.h>
#include <string.h>

#define MOST_JOBS  90
#define MOST_NODES 8

struct job {
    int64_t submit, run, start, end; // start -1: not yet
    int gpus, k, account, user;
    bool holds[MOST_NODES];
};
struct world {
    int nodes, gpus, jobs;
    int weight[3], quota[3], inner_weight[3][3]; // quota 0: none
    int64_t ahead, max_wait, now;
    struct job job[MOST_JOBS];
};
struct params { // as the policy's own
    uint64_t given;
    int tenants, within;
    const cJSON *weights, *quotas;
    int64_t half_life_us, ahead_us, max_wait_us;
};

static bool runs(const struct world *w, const struct job *j) { return j->start >= 0 && j->end > w->now; }
static bool waits(const struct world *w, const struct job *j) { return j->start < 0 && j->submit <= w->now; }

static int room(const struct world *w, int n)
{
    int free = w->gpus;
    for (int i = 0; i < w->jobs; i++)
        if (w->job[i].holds[n] && runs(w, &w->job[i])) free -= w->job[i].k > 1 ? w->gpus : w->job[i].gpus;
    return free;
}

static bool start(struct world *w, struct job *j)
{
    int got = 0, best = -1;
    for (int n = 0; n < w->nodes; n++)
        if (j->k > 1 ? room(w, n) == w->gpus : room(w, n) >= j->gpus) {
            if (best < 0 || room(w, n) < room(w, best)) best = n;
            got++;
        }
    if (got < j->k) return false;
    bool take[MOST_NODES] = {false};
    if (j->k == 1) take[best] = true;
    for (int n = 0, k = j->k; j->k > 1 && n < w->nodes && k > 0; n++)
        if (room(w, n) == w->gpus) take[n] = true, k--;
    memcpy(j->holds, take, sizeof take);
    j->start = w->now;
    j->end = w->now + j->run;
    return true;
}

// Usage and running GPUs of an account, or of a user in it (user >= 0).
static double score(const struct world *w, int account, int user)
{
    int64_t used = 0, running = 0;
    for (int i = 0; i < w->jobs; i++) {
        const struct job *j = &w->job[i];
        if (j->account != account || (user >= 0 && j->user != user) || j->start < 0) continue;
        used += j->gpus * ((j->end < w->now ? j->end : w->now) - j->start);
        if (runs(w, j)) running += j->gpus;
    }
    return (double)(used + running * w->ahead) / (user < 0 ? w->weight[account] : w->inner_weight[account][user]);
}

static int running_gpus(const struct world *w, int account)
{
    int g = 0;
    for (int i = 0; i < w->jobs; i++)
        if (w->job[i].account == account && runs(w, &w->job[i])) g += w->job[i].gpus;
    return g;
}

// x goes before y; both are first in their queues.
static bool before(const struct world *w, const struct job *x, const struct job *y)
{
    const bool late_x = w->max_wait && w->now - x->submit >= w->max_wait, late_y = w->max_wait && w->now - y->submit >= w->max_wait;
    if (late_x != late_y) return late_x;
    if (late_x) return x < y;
    if (x->account != y->account) {
        const double a = score(w, x->account, -1), b = score(w, y->account, -1);
        return a != b ? a < b : x->account < y->account;
    }
    const double a = score(w, x->account, x->user), b = score(w, y->account, y->user);
    return a != b ? a < b : x < y;
}

static void pass(struct world *w)
{
    bool closed[3][3] = {{false}};
    for (;;) {
        struct job *best = NULL;
        for (int a = 0; a < 3; a++)
            for (int u = 0; u < 3; u++) {
                int i = 0;
                while (i < w->jobs && !(waits(w, &w->job[i]) && w->job[i].account == a && w->job[i].user == u)) i++;
                if (closed[a][u] || i == w->jobs) continue;
                if (!best || before(w, &w->job[i], best)) best = &w->job[i];
            }
        if (!best) return;
        const bool may = w->quota[best->account] == 0 || running_gpus(w, best->account) + best->gpus <= w->quota[best->account];
        if (may && start(w, best)) continue;
        if (may && w->max_wait && w->now - best->submit >= w->max_wait) return;
        closed[best->account][best->user] = true;
    }
}

static void reference(struct world *w)
{
    for (w->now = 0; w->now != INT64_MAX;) {
        pass(w);
        int64_t next = INT64_MAX;
        for (int i = 0; i < w->jobs; i++) {
            const struct job *j = &w->job[i];
            const int64_t at[] = {j->submit, j->start >= 0 ? j->end : 0, w->max_wait && j->start < 0 ? j->submit + w->max_wait : 0};
            for (int k = 0; k < 3; k++)
                if (at[k] > w->now && at[k] < next) next = at[k];
        }
        w->now = next;
    }
}

static const char *const accounts[] = {"a", "b", "c"}, *const users[] = {"x", "y", "z"};

static enum rr_status engine(const struct world *w, int64_t half_life_us, const cJSON *weights, const cJSON *quotas, struct rr_replay *r)
{
    static int64_t submit[MOST_JOBS], run[MOST_JOBS];
    static int32_t milli[MOST_JOBS];
    static uint32_t account[MOST_JOBS], user[MOST_JOBS];
    for (int i = 0; i < w->jobs; i++) {
        submit[i] = w->job[i].submit * RR_S;
        run[i] = w->job[i].run * RR_S;
        milli[i] = w->job[i].gpus * 1000;
        account[i] = (uint32_t)w->job[i].account;
        user[i] = (uint32_t)w->job[i].user;
    }
    struct rr_trace t = {.n = (size_t)w->jobs,
                         .submit_us = submit,
                         .run_us = run,
                         .gpus_milli = milli,
                         .account_id = account,
                         .user_id = user,
                         .account_name = accounts,
                         .user_name = users,
                         .n_accounts = 3,
                         .n_users = 3};
    struct rr_node_shape shape = {.gpus = w->gpus, .gpu = "", .name = ""};
    struct rr_pool pool = {
        .name = "own", .pointer = "/pools/own", .shape = &shape, .n_shapes = 1, .nodes_min = w->nodes, .nodes_max = w->nodes, .gpu = ""};
    struct params p = {.within = 2,
                       .weights = weights,
                       .quotas = quotas,
                       .half_life_us = half_life_us,
                       .ahead_us = w->ahead * RR_S,
                       .max_wait_us = w->max_wait * RR_S};
    struct rr_scenario sc = {.pool = &pool,
                             .n_pools = 1,
                             .scheduler = {.policy = rr_kind_find(rr_policies, "fair_share"),
                                           .policy_params = &p,
                                           .placement = rr_kind_find(rr_placements, "pack"),
                                           .blocking = true}};
    const struct rr_world world = {.scenario = &sc, .trace = &t, .horizon_us = RR_NEVER};
    const enum rr_status st = rr_engine_run(&world, r);
    if (st != RR_OK) return st;
    if (rr_replay_check_jobs(&world, r, NULL) != RR_OK || rr_replay_check_time(&world, r, NULL) != RR_OK) fail_msg("%s", rr_reason());
    return RR_OK;
}

static int draw(struct rr_rng *g, int n) { return (int)rr_rng_below(g, (uint64_t)n); }

static void make(struct world *w, uint64_t seed)
{
    struct rr_rng g;
    rr_rng_init(&g, seed, 0, RR_RNG_TEST, 77);
    *w = (struct world){.nodes = 1 + draw(&g, MOST_NODES),
                        .gpus = 1 + draw(&g, 8),
                        .jobs = 1 + draw(&g, MOST_JOBS),
                        .ahead = draw(&g, 3) * 20,
                        .max_wait = draw(&g, 3) ? 0 : 5 + draw(&g, 80)};
    const int all = w->nodes * w->gpus;
    for (int a = 0; a < 3; a++) {
        w->weight[a] = 1 << draw(&g, 3);
        w->quota[a] = draw(&g, 3) ? 0 : 1 + draw(&g, all);
        for (int u = 0; u < 3; u++) w->inner_weight[a][u] = 1 << draw(&g, 2);
    }
    int64_t at = 0;
    for (int i = 0; i < w->jobs; i++) {
        struct job *j = &w->job[i];
        at += draw(&g, 3) ? draw(&g, 6) : 0;
        *j = (struct job){
            .submit = at, .run = 1 + draw(&g, draw(&g, 4) ? 12 : 50), .start = -1, .account = draw(&g, 3), .user = draw(&g, 3)};
        j->gpus = 1 + draw(&g, draw(&g, 3) ? w->gpus : all);
        if (w->quota[j->account] && j->gpus > w->quota[j->account]) j->gpus = w->quota[j->account];
        j->k = (j->gpus + w->gpus - 1) / w->gpus;
    }
}

static void agrees(void **state)
{
    (void)state;
    static struct world w;
    const int worlds = getenv("RACKRATE_LONG") ? 20000 : 1000;
    for (int seed = 1; seed <= worlds; seed++) {
        make(&w, (uint64_t)seed);
        reference(&w);
        cJSON *weights = cJSON_CreateObject(), *quotas = cJSON_CreateObject();
        for (int a = 0; a < 3; a++) {
            cJSON_AddNumberToObject(weights, accounts[a], w.weight[a]);
            if (w.quota[a]) cJSON_AddNumberToObject(quotas, accounts[a], w.quota[a]);
            for (int u = 0; u < 3; u++) {
                const char key[] = {accounts[a][0], '/', users[u][0], 0};
                cJSON_AddNumberToObject(weights, key, w.inner_weight[a][u]);
            }
        }
        struct rr_replay r;
        if (engine(&w, 0, weights, quotas, &r) != RR_OK) fail_msg("seed %d: %s", seed, rr_reason());
        for (int i = 0; i < w.jobs; i++)
            if (r.outcome[i].start_us != w.job[i].start * RR_S)
                fail_msg("seed %d (%d nodes of %d GPUs, guard %lld), job %d of %d: start %lld; the definition says %lld", seed, w.nodes,
                         w.gpus, (long long)w.max_wait, i, w.jobs, (long long)(r.outcome[i].start_us / RR_S), (long long)w.job[i].start);
        rr_replay_done(&r);
        cJSON_Delete(weights);
        cJSON_Delete(quotas);
    }
}

static void decay_turns_the_order(void **state)
{
    (void)state;
    /* a uses 100 s from 0, b 60 s from 100. At 160: a's usage is (T/ln2)(1 - 2^(-100/T)) 2^(-60/T), b's (T/ln2)(1 - 2^(-60/T)). For T = 40 s: a
     * 57.7 x .8232 x .3536 = 16.8, b 57.7 x .6464 = 37.3: a is next. Without decay a has 100, b 60: b is next. */
    static struct world w;
    w = (struct world){.nodes = 1, .gpus = 1, .jobs = 4};
    w.job[0] = (struct job){.run = 100, .gpus = 1, .account = 0};
    w.job[1] = (struct job){.submit = 1, .run = 60, .gpus = 1, .account = 1};
    w.job[2] = (struct job){.submit = 120, .run = 10, .gpus = 1, .account = 1};
    w.job[3] = (struct job){.submit = 121, .run = 10, .gpus = 1, .account = 0};
    const int64_t half_life[] = {0, 40 * RR_S}, b_starts[] = {160 * RR_S, 170 * RR_S};
    for (int k = 0; k < 2; k++) {
        struct rr_replay r;
        assert_int_equal(engine(&w, half_life[k], NULL, NULL, &r), RR_OK);
        assert_int_equal(r.outcome[1].start_us, 100 * RR_S);
        assert_int_equal(r.outcome[2].start_us, b_starts[k]);
        assert_int_equal(r.outcome[3].start_us, 330 * RR_S - b_starts[k]);
        rr_replay_done(&r);
    }
}

static void refused(const char *weights, const char *quotas, const char *piece)
{
    static struct world w;
    w = (struct world){.nodes = 1, .gpus = 4, .jobs = 1};
    w.job[0] = (struct job){.run = 10, .gpus = 3, .account = 0};
    cJSON *a = cJSON_Parse(weights), *b = cJSON_Parse(quotas);
    struct rr_replay r;
    assert_int_equal(engine(&w, 0, a, b, &r), RR_EINPUT);
    if (!strstr(rr_reason(), piece)) fail_msg("\"%s\" is not in: %s", piece, rr_reason());
    cJSON_Delete(a);
    cJSON_Delete(b);
}

static void wrong_names_and_numbers(void **state)
{
    (void)state;
    refused("{\"d\": 2}", "{}", "no account");
    refused("{\"a\": 0}", "{}", "above 0");
    refused("{\"a/w\": 1}", "{}", "no account");
    refused("{}", "{\"a\": -1}", "0 or more");
    refused("{}", "{\"a/x\": 2}", "quota is 2: it could never start");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(agrees), cmocka_unit_test(decay_turns_the_order),
                                       cmocka_unit_test(wrong_names_and_numbers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
