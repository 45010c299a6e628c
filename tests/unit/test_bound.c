/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_bound.c - what jobs wait for when it is no lack of GPUs: a quota of their tenant, or capacity that is not given. */
#include "tests/unit/elastic_case.h"
#include <math.h>

static cJSON *scheduled_object; // lives as long as its scheduler

static void bound_is(const struct rr_replay *r, enum rr_bound b, double job_s, double gpu_s)
{
    const struct rr_bound_time *t = &r->bound[b];
    if (fabs(t->jobs_us / 1e6 - job_s) > 1e-6 || fabs(t->gpus_us / 1e6 - gpu_s) > 1e-6)
        fail_msg("%s: %g job-s, %g GPU-s", rr_bound_word(b), t->jobs_us / 1e6, t->gpus_us / 1e6);
}

static void scheduled(const char *policy, const char *rows)
{
    struct rr_json *json = rr_json_create();
    cJSON *object = NULL;
    const struct rr_kind *k = rr_kind_find(rr_policies, policy);
    if (rr_json_parse(json, "test", rows, false, &object) != RR_OK) fail_msg("%s", rr_reason());
    scenario.scheduler.policy = k;
    scenario.scheduler.policy_params = rr_alloc(arena, 1, k->params_size + 8);
    const struct rr_param_ctx ctx = {.json = json, .arena = arena, .base = "."};
    if (rr_params_read(&ctx, k->params, k->n_params, object, "/scheduler", NULL, scenario.scheduler.policy_params) != RR_OK)
        fail_msg("%s", rr_reason());
    rr_json_free(json); // the object stays: quotas are read by the policy
    scheduled_object = object;
}

/* Tenant a may have 4 GPUs of the 8 at once: its second job waits for that from 2 to 10 s, its third stands behind from 3 s on. Tenant b's
 * second job waits for GPUs from 4 to 10 s. */
static void a_quota_of_the_tenant(void **state)
{
    (void)state;
    static const char *const names[] = {"a", "b"};
    static uint32_t account[] = {0, 1, 0, 0, 1};
    pool(0, &eight, 1, 1);
    scheduled("fair_share", "{\"tenants\": \"account\", \"quotas\": {\"a\": 4}}");
    jobs((struct job[]){{0, 10, 4}, {0, 30, 2}, {2, 10, 4}, {3, 10, 1}, {4, 10, 3}}, 5);
    trace.account_id = account;
    trace.account_name = names;
    trace.n_accounts = 2;
    world.timeline_bins = 100;
    struct rr_replay r = run();
    starts(r, 2, 10);
    starts(r, 4, 20);
    bound_is(&r, RR_BOUND_QUOTA, 8 + 17, 8 * 4 + 17);
    bound_is(&r, RR_BOUND_SIZE, 16, 48);
    bound_is(&r, RR_BOUND_POLICY, 0, 0);
    rr_replay_done(&r);
    cJSON_Delete(scheduled_object);
}

// One node held, a second one above the provider's quota: refused, as often as it is asked for.
static void capacity_above_a_quota(void **state)
{
    (void)state;
    struct rr_pool *p = pool(0, &eight, 0, 2);
    p->quota = 1;
    jobs((struct job[]){{0, 1000, 8}, {100, 50, 8}}, 2);
    world.timeline_bins = 100;
    struct rr_replay r = run();
    starts(r, 1, 1000);
    bound_is(&r, RR_BOUND_REFUSED, 900, 7200);
    bound_is(&r, RR_BOUND_LIMIT, 0, 0);
    bound_is(&r, RR_BOUND_STARTING, 0, 0);
    rr_replay_done(&r);
}

// Refused for an hour; then, in a luckier world, given and booting for a minute.
static void capacity_that_is_refused(void **state)
{
    (void)state;
    struct rr_pool *p = pool(0, &eight, 0, 2);
    p->refuse = 1;
    p->retry_us = 10 * RR_MIN;
    jobs((struct job[]){{7, 100, 8}}, 1);
    world.timeline_bins = 100;
    world.horizon_us = RR_H;
    struct rr_replay r = run();
    bound_is(&r, RR_BOUND_REFUSED, 3593, 8 * 3593);
    rr_replay_done(&r);

    p->refuse = 0;
    p->boot_us = RR_MIN;
    r = run();
    bound_is(&r, RR_BOUND_STARTING, 60, 480);
    bound_is(&r, RR_BOUND_REFUSED, 0, 0);
    rr_replay_done(&r);
}

static void every_bound_has_a_word_and_a_text(void **state)
{
    (void)state;
    for (int i = 0; i < RR_BOUNDS; i++) {
        assert_true(*rr_bound_word((enum rr_bound)i) && *rr_bound_text((enum rr_bound)i));
        for (int k = 0; k < i; k++) assert_string_not_equal(rr_bound_word((enum rr_bound)i), rr_bound_word((enum rr_bound)k));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_quota_of_the_tenant), cmocka_unit_test(capacity_above_a_quota),
                                       cmocka_unit_test(capacity_that_is_refused), cmocka_unit_test(every_bound_has_a_word_and_a_text)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
