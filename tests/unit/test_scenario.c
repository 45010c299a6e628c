/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_scenario.c - documents that are right: the contract's sample, alternatives, sweeps, --set, --values, what shares a replay. */
#include "tests/unit/scenario_fake.h"

static int setup(void **state)
{
    if (fake_setup(state) != 0) return -1;
    fake_file("jobs.csv", "job_id,submit_s,duration_s,gpus\na,0,10,1\n");
    return 0;
}

/* DESIGN.md section 6, its places for more filled in. */
static const char sample[] =
    "{ \"rackrate\": 1, \"name\": \"buy-vs-rent\", \"start\": \"2026-01-01\", \"horizon\": \"3 years\", \"currency\": \"USD\",\n"
    "  \"fx\": {\"EUR\": {\"rate\": 1.08, \"date\": \"2026-01-02\", \"source\": \"ECB\"}},\n"
    "  \"seed\": 1, \"replications\": 100, \"warmup\": \"0 s\", \"baseline\": \"rent\",\n"
    "  \"workload\": { \"prod\": { \"trace\": \"jobs.csv\", \"format\": \"auto\", \"where\": \"gpus >= 1\", \"load_scale\": 1.0, "
    "\"time_scale\": 1.0,\n"
    "                          \"repeat\": true, \"grow\": \"jobs\", \"growth_per_year\": 0.3, \"reference_gpu\": \"a100-80gb-sxm\" },\n"
    "                \"synth\": { \"generate\": {\"count\": 100, \"arrival\": {\"poisson\": {\"rate\": \"0.5/s\"}}, \"duration\": "
    "{\"exponential\": {\"mean\": \"2 h\"}}, \"gpus\": {\"choice\": {\"1\": 0.6, \"8\": 0.4}}} },\n"
    "                \"llm\": { \"training\": {\"gpus\": 64, \"model\": \"llama-2-70b\", \"gpu\": \"a100-80gb-sxm\", \"tokens\": \"15T\"} "
    "}, "
    "\"chat\": { \"serving\": {} } },\n"
    "  \"classes\": { \"pretrain\": { \"where\": \"gpus >= 64\", \"interruptible\": true, \"checkpoint\": {}, \"pools\": [\"own\"] } },\n"
    "  \"prices\": [\"PATH\"], \"profiles\": [\"PATH\"],\n"
    "  \"pools\": { \"own\":   { \"hardware\": \"hgx-h100-8\", \"nodes\": 8, \"plan\": { \"type\": \"owned\" } },\n"
    "             \"burst\": { \"instance\": \"aws/p5.48xlarge\", \"region\": \"us-east-1\", \"nodes\": { \"min\": 0, \"max\": 32 },\n"
    "                        \"boot\": \"5 min\", \"idle_timeout\": \"10 min\", \"plan\": { \"type\": \"on_demand\" } },\n"
    "             \"cheap\": { \"instance\": \"aws/p5.48xlarge\", \"region\": \"us-east-1\", \"nodes\": { \"max\": 16 }, \"plan\": { "
    "\"type\": "
    "\"spot\" } } },\n"
    "  \"commitments\": { \"ri\": { \"type\": \"reserved\", \"count\": 4, \"term\": \"1 year\" },\n"
    "                   \"sp\": { \"type\": \"dedicated\", \"commit\": \"$100/h\", \"term\": \"3 years\" } },\n"
    "  \"scheduler\": { \"policy\": \"easy_backfill\", \"placement\": \"pack\", \"estimate\": \"user\", \"order\": \"arrival\" },\n"
    "  \"autoscale\": { \"policy\": \"utilization\", \"low\": 0.30, \"high\": 0.80, \"window\": \"10 min\", \"cooldown\": \"5 min\" },\n"
    "  \"checkpoint\": { \"interval\": \"young_daly\", \"write\": \"60 s\", \"restore\": \"2 min\" },\n"
    "  \"failures\": { \"node_mtbf\": \"6000 h\", \"repair\": {}, \"detect\": \"10 min\" },\n"
    "  \"service\": { \"wait.p95\": \"<= 4 h\" }, \"existing\": \"PATH\",\n"
    "  \"finance\": { \"discount_rate\": 0.08, \"tax\": { \"rate\": 0.21 }, \"electricity\": \"$0.08/kWh\", \"pue\": 1.3, "
    "\"fiscal_year_start\": \"01-01\" "
    "},\n"
    "  \"uncertainty\": { \"power price\": { \"path\": \"/finance/electricity\", \"triangular\": "
    "[\"$0.06/kWh\",\"$0.08/kWh\",\"$0.14/kWh\"] } },\n"
    "  \"alternatives\": { \"buy\": {}, \"rent\": {}, \"nothing\": {} },\n"
    "  \"sweep\": { \"/pools/own/nodes\": [2, 4, 8, 16] },\n"
    "  \"gates\": { \"budget\": { \"alternative\": \"buy\", \"metric\": \"cost.total\", \"stat\": \"p90\", \"max\": \"$1.2M\" } } }\n";

/* Takes out what is refused as not built yet, one refusal after the other, until the rest is right. */
static void the_sample_of_the_contract_is_read(void **state)
{
    (void)state;
    static const char *const unbuilt[] = {"/workload/prod/grow", "/workload/prod/growth_per_year", "/workload/llm/training",
                                          "/workload/chat/serving", "/commitments/sp/type"};
    static const char *const without[] = {NULL, NULL, "/workload/llm", "/workload/chat", "/commitments/sp"};
    const size_t n = sizeof unbuilt / sizeof *unbuilt;
    char set[18][64];
    const char *sets[18] = {"/prices=null", "/existing=null", "/profiles=null"}; // there are no such files
    struct rr_scenario_options opt = {.set = sets, .n_set = 3, .seed = -1, .reps = -1};
    struct rr_scenario_set *s = NULL;
    while (fake_load(sample, &opt, &s) != RR_OK) {
        const char *at = strstr(rr_reason(), ": /"), *end = strstr(rr_reason(), ": \"");
        if (!at || !strstr(rr_reason(), "is not built yet in rackrate ") || opt.n_set > n + 2) fail_msg("%s", rr_reason());
        size_t i = 0;
        while (i < n && (strlen(unbuilt[i]) != (size_t)(end - at - 2) || strncmp(unbuilt[i], at + 2, strlen(unbuilt[i])) != 0)) i++;
        if (i == n) fail_msg("unexpected: %s", rr_reason());
        snprintf(set[opt.n_set], sizeof set[0], "%s=null", without[i] ? without[i] : unbuilt[i]);
        sets[opt.n_set] = set[opt.n_set];
        opt.n_set++;
    }
    assert_int_equal(opt.n_set, n + 3); // each was refused by its name, none was ignored
    assert_int_equal(s->n_variants, 12);
    assert_string_equal(s->variant[1]->variant, "buy[/pools/own/nodes=4]");
    assert_string_equal(s->variant[1]->alternative, "buy");
    assert_int_equal(s->variant[1]->pool[0].nodes_min, 4);
    assert_string_equal(s->baseline, "rent[/pools/own/nodes=2]");
    rr_scenario_set_free(s);
}

static void every_value_lands_in_its_field(void **state)
{
    (void)state;
    struct rr_scenario_set *set = fake_loaded(
        "{\"rackrate\": 1, \"name\": \"n\", \"start\": \"2024-02-01\", \"horizon\": \"1 month\", \"currency\": \"CNY\", \"seed\": 7,"
        " \"replications\": 3, \"warmup\": \"2 d\", \"fx\": {\"USD\": {\"rate\": 7.1534, \"date\": \"2024-01-31\", \"source\": \"PBoC\"}},"
        " \"workload\": {\"a\": {\"trace\": \"jobs.csv\", \"format\": \"swf\", \"load_scale\": 1.5, \"time_scale\": 0.7, \"repeat\": true,"
        "   \"max_rejected\": \"5 %\", \"columns\": {\"gpus\": \"GPU\"}},"
        "  \"b\": {\"generate\": {\"count\": 9, \"arrival\": {\"poisson\": {\"rate\": \"30/min\"}}, \"duration\": \"7 s\", \"gpus\": "
        "0.25}}},"
        " \"pools\": {\"x\": {\"gpus_per_node\": 4, \"cpus\": 96, \"memory\": \"512 GiB\", \"gpu\": \"T4\", \"nodes\": 0,"
        "    \"plan\": {\"type\": \"unpriced\"}},"
        "  \"y\": {\"instance\": \"aws/p5.48xlarge\", \"region\": \"us\", \"nodes\": {\"max\": \"unlimited\"}, \"boot\": \"5 min\","
        "    \"idle_timeout\": \"10 min\", \"plan\": {\"type\": \"on_demand\", \"rate\": \"$31.40/h\"}},"
        "  \"z\": {\"hardware\": \"hgx-h100-8\", \"nodes\": {\"value\": {\"min\": 2, \"max\": 3}, \"source\": \"ops\"}, \"plan\": "
        "{\"type\": "
        "\"owned\"}}},"
        " \"pool_order\": [\"z\", \"x\"], \"commitments\": {\"ri\": {\"type\": \"reserved\", \"count\": 4, \"term\": \"3 years\"}},"
        " \"scheduler\": {\"policy\": \"easy_backfill\", \"depth\": 12, \"placement\": \"spread\", \"estimate\": {\"factor\": 2.5},"
        "   \"order\": \"shortest\", \"blocking\": false, \"overrun\": \"kill\"},"
        " \"service\": {\"wait.p95\": \"<= 4 h\", \"work.finished_share\": \">= 99 %\", \"cost.per_gpu_hour_used\": \"<= $2/gpu/h\"},"
        " \"finance\": {\"discount_rate\": \"8 %\", \"electricity\": \"$0.08/kWh\", \"pue\": 1.3},"
        " \"gates\": {\"g\": {\"metric\": \"cost.total\", \"max\": \"$1.2M\", \"min\": \"\xc2\xa5"
        "5\"}, \"h\": {\"metric\": \"jobs.finished\", "
        "\"stat\": \"p10\", \"min\": 5, \"waived\": \"until May\", \"alternative\": \"base\"}}}",
        NULL);
    assert_int_equal(set->n_variants, 1);
    const struct rr_scenario *s = set->variant[0];
    assert_string_equal(s->variant, "base");
    assert_true(s->has_horizon && s->horizon_us == 29 * RR_D && s->clock.anchored && s->warmup_us == 2 * RR_D);
    assert_true(s->seed == 7 && s->replications == 3 && s->n_workloads == 2 && s->n_pools == 3 && s->n_commitments == 1);
    assert_string_equal(s->workload[0].name, "a");
    assert_string_equal(s->workload[0].pointer, "/workload/a");
    assert_string_equal(s->workload[0].format, "swf");
    assert_non_null(strstr(s->workload[0].trace, "/jobs.csv"));
    assert_true(s->workload[0].load_scale == 1.5 && s->workload[0].time_scale == 0.7 && s->workload[0].max_rejected == 0.05);
    assert_true(s->workload[0].repeat && s->workload[0].columns && !s->workload[0].generates);
    const struct rr_generate *g = &s->workload[1].generate;
    assert_true(s->workload[1].generates && g->count == 9 && g->gap_us.kind == RR_DIST_EXPONENTIAL && g->gap_us.a == 2e6);
    assert_true(g->duration_us.kind == RR_DIST_CONSTANT && g->duration_us.a == 7e6 && g->gpus.a == 0.25);
    const struct rr_pool *z = &s->pool[0], *x = &s->pool[1], *y = &s->pool[2];
    assert_string_equal(z->name, "z");
    assert_true(z->nodes_min == 2 && z->nodes_max == 3 && z->hardware == fake_hardware && z->plan == &fake_owned && z->plan_params);
    assert_string_equal(z->gpu, "h100-80gb-sxm");
    assert_string_equal(x->name, "x");
    assert_true(x->nodes_min == 0 && x->nodes_max == 0 && !x->plan && x->n_shapes == 1);
    assert_true(x->shape->gpus == 4 && x->shape->cpus_milli == 96000 && x->shape->memory_mib == 524288);
    assert_string_equal(x->shape->gpu, "T4");
    assert_string_equal(x->region, "");
    assert_true(y->nodes_min == 0 && y->nodes_max == INT64_MAX && y->boot_us == 5 * RR_MIN && y->idle_timeout_us == 10 * RR_MIN);
    assert_true(y->instance == fake_instance && ((struct fake_plan *)y->plan_params)->rate.rate.nano == INT64_C(31400000000));
    assert_true(((struct fake_plan *)y->plan_params)->bid_us == RR_H); // a default
    const struct fake_plan *ri = s->commitment[0].params;
    assert_true(ri->count == 4 && ri->term.months == 36 && s->commitment[0].plan == &fake_reserved);
    assert_true(s->scheduler.policy == &fake_easy && ((struct fake_policy *)s->scheduler.policy_params)->depth == 12);
    assert_true(s->scheduler.placement == &fake_spread && s->scheduler.estimate == RR_ESTIMATE_FACTOR &&
                s->scheduler.estimate_factor == 2.5);
    assert_true(s->scheduler.order == 1 && !s->scheduler.blocking && s->scheduler.overrun == 1);
    assert_true(s->n_service == 3 && s->service[0].limit == 14400 && !s->service[0].at_least && s->service[1].at_least);
    assert_true(s->service[1].limit == 0.99 && s->service[2].limit == 14.3068);
    assert_string_equal(s->service[0].text, "<= 4 h");
    assert_true(s->finance.has_discount_rate && s->finance.discount_rate == 0.08 && s->finance.pue == 1.3);
    assert_true(s->finance.electricity.rate.nano == 80000000);
    assert_true(set->n_gates == 2 && set->gate[0].has_max && set->gate[0].max == 8584080 && set->gate[0].has_min && set->gate[0].min == 5);
    assert_string_equal(set->gate[0].stat, "mean");
    assert_true(!set->gate[1].has_max && set->gate[1].min == 5);
    assert_string_equal(set->gate[1].waived, "until May");
    struct rr_money m;
    assert_int_equal(rr_scenario_money(s, (struct rr_amount){{2000000}, "USD"}, &m), RR_OK);
    assert_int_equal(m.micro, 14306800);
    assert_int_equal(rr_scenario_money(s, (struct rr_amount){{5}, "CNY"}, &m), RR_OK);
    assert_int_equal(m.micro, 5);
    assert_int_equal(rr_scenario_money(s, (struct rr_amount){{5}, "EUR"}, &m), RR_EINPUT);
    assert_non_null(strstr(rr_reason(), "no rate for EUR in /fx"));
    struct rr_rate r;
    assert_int_equal(rr_scenario_rate(s, (struct rr_price){{1000000000, RR_PER_GPU, RR_HOUR}, "USD"}, &r), RR_OK);
    assert_true(r.nano == INT64_C(7153400000) && r.per == RR_PER_GPU && r.time == RR_HOUR);
    assert_int_equal(strlen(set->sha256), 64);
    rr_scenario_set_free(set);
}

static void classes_say_what_may_be_done(void **state)
{
    (void)state;
    struct rr_scenario_set *set =
        fake_loaded("{\"rackrate\": 1, \"fx\": {\"CNY\": {\"rate\": 0.14, \"date\": \"2026-01-02\"}},"
                    " \"workload\": {\"w\": {\"trace\": \"jobs.csv\", \"where\": \"gpus <= 8\"}},"
                    " \"pools\": {\"a\": {\"gpus_per_node\": 4, \"nodes\": 1, \"plan\": {\"type\": \"unpriced\"}},"
                    "  \"b\": {\"gpus_per_node\": 4, \"nodes\": 1, \"plan\": {\"type\": \"unpriced\"}}}, \"pool_order\": [\"b\"],"
                    " \"checkpoint\": {\"interval\": \"37 min\", \"write\": \"61 s\", \"restore\": \"2 min\", \"start\": \"7 s\"},"
                    " \"classes\": {\"big\": {\"where\": \"gpus >= 64\", \"interruptible\": false, \"pools\": [\"a\"], \"priority\": 5,"
                    "   \"waiting_cost\": \"\xc2\xa5"
                    "5/h\", \"checkpoint\": {\"interval\": \"daly\", \"on_preempt\": \"lose\", \"on_notice\": false}},"
                    "  \"small\": {}}}",
                    NULL);
    const struct rr_scenario *s = set->variant[0];
    assert_non_null(s->workload[0].where);
    assert_true(s->checkpoint.rule == RR_INTERVAL_FIXED && s->checkpoint.interval_us == 37 * RR_MIN && s->checkpoint.write_us == 61 * RR_S);
    assert_true(s->checkpoint.restore_us == 2 * RR_MIN && s->checkpoint.start_us == 7 * RR_S && s->checkpoint.on_preempt == 0);
    assert_int_equal(s->n_classes, 2);
    const struct rr_class *big = &s->classes[0], *small = &s->classes[1];
    assert_true(big->where && !small->where && !big->interruptible && small->interruptible && big->priority == 5);
    assert_true(!big->may_use[0] && big->may_use[1] && !small->may_use); // pools in the order they are tried
    assert_int_equal(big->waiting.nano, 700000000);
    assert_true(big->checkpoint.rule == RR_INTERVAL_DALY && big->checkpoint.on_preempt == 1 && !big->checkpoint.on_notice);
    assert_true(big->checkpoint.write_us == 61 * RR_S && big->checkpoint.start_us == 7 * RR_S); // the scenario's
    assert_true(small->checkpoint.rule == RR_INTERVAL_FIXED && small->checkpoint.interval_us == 37 * RR_MIN);
    rr_scenario_set_free(set);
}

// A checkpoint's size over the bandwidth is what a write and a restore take, unless they are given.
static void checkpoints_by_size(void **state)
{
    (void)state;
    struct rr_scenario_set *set =
        fake_loaded(FAKE(", \"checkpoint\": {\"size\": \"1.5 TB\", \"bandwidth\": \"160 Gb/s\", \"restore\": \"200 s\"},"
                         " \"classes\": {\"small\": {\"checkpoint\": {\"size\": \"140 GB\"}},"
                         "  \"slow\": {\"checkpoint\": {\"bandwidth\": \"2 GB/s\", \"write\": \"11 s\"}}, \"same\": {}}"),
                    NULL);
    const struct rr_scenario *s = set->variant[0];
    assert_true(s->checkpoint.write_us == 75 * RR_S && s->checkpoint.restore_us == 200 * RR_S); // 1,500 GB at 20 GB/s
    const struct rr_checkpoint *small = &s->classes[0].checkpoint, *slow = &s->classes[1].checkpoint, *same = &s->classes[2].checkpoint;
    assert_true(small->write_us == 7 * RR_S && small->restore_us == 7 * RR_S && rr_dist_mean(&small->restore) == 7e6);
    assert_true(slow->write_us == 11 * RR_S && slow->restore_us == 750 * RR_S);
    assert_true(same->write_us == 75 * RR_S && same->restore_us == 200 * RR_S);
    rr_scenario_set_free(set);
}

static void defaults_of_the_least_scenario(void **state)
{
    (void)state;
    struct rr_scenario_set *set = fake_loaded(FAKE(""), NULL);
    const struct rr_scenario *s = set->variant[0];
    assert_string_equal(set->name, "s");
    assert_string_equal(set->baseline, "base");
    assert_true(!s->has_horizon && s->horizon_us == RR_NEVER && !s->clock.anchored && s->seed == 1 && s->replications == 1);
    assert_string_equal(s->currency, "USD");
    assert_string_equal(s->scheduler.policy_name, "fifo");
    assert_string_equal(s->scheduler.placement_name, "pack");
    assert_true(s->scheduler.blocking && s->scheduler.estimate == RR_ESTIMATE_USER && !s->finance.has_discount_rate);
    assert_true(s->workload[0].max_rejected == 0.01 && s->workload[0].load_scale == 1);
    assert_true(s->n_classes == 0 && s->checkpoint.rule == RR_INTERVAL_NONE && s->checkpoint.on_notice && !s->workload[0].where);
    rr_scenario_set_free(set);
}

static void alternatives_are_patches_in_file_order(void **state)
{
    (void)state;
    struct rr_scenario_set *set =
        fake_loaded(FAKE(", \"horizon\": \"90 d\", \"alternatives\": {"
                         "\"rent\": {\"pools\": {\"own\": null, \"cloud\": {\"gpus_per_node\": 8, \"nodes\": {\"max\": 5},"
                         " \"plan\": {\"type\": \"on_demand\"}}}},"
                         "\"more\": {\"pools\": {\"own\": {\"nodes\": 9}}}, \"nothing\": {}}"),
                    NULL);
    assert_int_equal(set->n_variants, 3);
    assert_string_equal(set->variant[0]->variant, "rent");
    assert_int_equal(set->variant[0]->n_pools, 1);
    assert_string_equal(set->variant[0]->pool[0].name, "cloud");
    assert_int_equal(set->variant[1]->pool[0].nodes_min, 9);
    assert_int_equal(set->variant[2]->pool[0].nodes_min, 4);
    assert_string_equal(set->baseline, "rent");
    rr_scenario_set_free(set);
}

static void a_sweep_makes_every_combination(void **state)
{
    (void)state;
    struct rr_scenario_set *set = fake_loaded(
        FAKE(
            ", \"horizon\": \"90 d\", \"baseline\": \"mix\", \"alternatives\": {\"mix\": {}, \"cloud\": {\"pools\": {\"own\": null, \"c\": "
            "{\"gpus_per_node\": 1, \"nodes\": 2, \"plan\": {\"type\": \"owned\"}}}}},"
            "\"sweep\": {\"/pools/own/nodes\": [2, {\"value\": 3, \"source\": \"x\"}], \"/scheduler/policy\": [\"fifo\", "
            "\"easy_backfill\"]}"),
        NULL);
    static const char *const names[] = {"mix[/pools/own/nodes=2,/scheduler/policy=fifo]",
                                        "mix[/pools/own/nodes=2,/scheduler/policy=easy_backfill]",
                                        "mix[/pools/own/nodes=3,/scheduler/policy=fifo]",
                                        "mix[/pools/own/nodes=3,/scheduler/policy=easy_backfill]",
                                        "cloud[/scheduler/policy=fifo]",
                                        "cloud[/scheduler/policy=easy_backfill]"};
    assert_int_equal(set->n_variants, 6);
    for (size_t i = 0; i < 6; i++) assert_string_equal(set->variant[i]->variant, names[i]);
    assert_int_equal(set->variant[3]->pool[0].nodes_max, 3);
    assert_ptr_equal(set->variant[3]->scheduler.policy, &fake_easy);
    assert_string_equal(set->baseline, names[0]);
    rr_scenario_set_free(set);
}

static void set_and_values_come_last(void **state)
{
    (void)state;
    char values[160];
    strcpy(values,
           fake_file("v.json", "{\"pools\": {\"own\": {\"nodes\": 6, \"boot\": \"1 min\"}}, \"gates\": {\"g\": {\"metric\": \"makespan\", "
                               "\"max\": \"9 d\"}}, \"horizon\": \"50 d\"}"));
    const char *const set_list[] = {"/pools/own/boot=2 min", "/pools/c/nodes=7", "/gates/g/max=8 d", "/finance/pue=1.2", "/name=other"};
    const char *const value_list[] = {values};
    const struct rr_scenario_options opt = {.set = set_list, .n_set = 5, .values = value_list, .n_values = 1, .seed = 99, .reps = 4};
    struct rr_scenario_set *set = fake_loaded(
        FAKE(", \"horizon\": \"90 d\", \"alternatives\": {\"a\": {\"pools\": {\"own\": {\"nodes\": 2}}}, \"b\": {\"pools\": {\"c\": "
             "{\"gpus_per_node\": 1, \"nodes\": 2, \"plan\": {\"type\": \"owned\"}}}}}"),
        &opt);
    for (size_t i = 0; i < 2; i++) {
        const struct rr_scenario *s = set->variant[i];
        assert_true(s->pool[0].nodes_min == 6 && s->pool[0].boot_us == 2 * RR_MIN && s->horizon_us == 50 * RR_D);
        assert_true(s->seed == 99 && s->replications == 4 && s->finance.pue == 1.2);
    }
    assert_int_equal(set->variant[0]->n_pools, 1); // there is no /pools/c here, and none is made
    assert_int_equal(set->variant[1]->pool[1].nodes_min, 7);
    assert_true(set->n_gates == 1 && set->gate[0].max == 691200);
    assert_string_equal(set->name, "other");
    rr_scenario_set_free(set);
}

static void what_decides_is_hashed_and_prices_are_not(void **state)
{
    (void)state;
    static const char base[] = "{\"rackrate\": 1, \"horizon\": \"90 d\", " FAKE_WORK
                               ", \"pools\": {\"own\": {\"gpus_per_node\": 8, \"nodes\": 4, \"plan\": {\"type\": "
                               "\"on_demand\", \"rate\": \"$2/h\"}}}, \"alternatives\": {\"base\": {}, \"other\": %s}}";
    static const struct {
        const char *patch;
        bool same;
    } cases[] = {
        {"{\"pools\": {\"own\": {\"plan\": {\"rate\": \"$3/h\"}}}}", true},
        {"{\"pools\": {\"own\": {\"plan\": {\"type\": \"owned\", \"rate\": null}}}}", false}, // its own row that decides is gone
        {"{\"commitments\": {\"ri\": {\"type\": \"reserved\", \"count\": 4}}}", true},
        {"{\"finance\": {\"discount_rate\": 0.08, \"electricity\": \"$0.08/kWh\"}}", true},
        {"{\"service\": {\"wait.p95\": \"<= 4 h\"}}", true},
        {"{\"fx\": {\"EUR\": {\"rate\": 1.1, \"date\": \"2026-01-02\"}}}", true},
        {"{\"pools\": {\"own\": {\"plan\": {\"patience\": \"2 h\"}}}}", false},
        {"{\"pools\": {\"own\": {\"nodes\": 5}}}", false},
        {"{\"pools\": {\"own\": {\"nodes\": {\"min\": 4, \"max\": 5}}}}", false},
        {"{\"pools\": {\"own\": {\"gpus_per_node\": 4}}}", false},
        {"{\"pools\": {\"own\": {\"gpu\": \"T4\"}}}", false},
        {"{\"pools\": {\"own\": {\"cpus\": 4}}}", false},
        {"{\"pools\": {\"own\": {\"boot\": \"1 s\"}}}", false},
        {"{\"workload\": {\"w\": {\"load_scale\": 2}}}", false},
        {"{\"workload\": {\"w\": {\"columns\": {\"gpus\": \"g\"}}}}", false},
        {"{\"scheduler\": {\"policy\": \"easy_backfill\"}}", false},
        {"{\"scheduler\": {\"order\": \"shortest\"}}", false},
        {"{\"scheduler\": {\"estimate\": \"exact\"}}", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1200];
        snprintf(text, sizeof text, base, cases[i].patch);
        struct rr_scenario_set *set = fake_loaded(text, NULL);
        if ((set->variant[0]->decision_hash == set->variant[1]->decision_hash) != cases[i].same) fail_msg("%s", cases[i].patch);
        rr_scenario_set_free(set);
    }
}

static void print_shows_given_default_and_source(void **state)
{
    (void)state;
    struct rr_scenario_set *set = fake_loaded(
        FAKE(
            ", \"horizon\": {\"value\": \"90 d\", \"source\": \"board\", \"as_of\": \"2026-02\"}, \"service\": {\"wait.p95\": \"<= 4 h\"}"),
        NULL);
    struct rr_buf b = {0};
    rr_scenario_print(&b, set->variant[0], &fake_registry);
    static const char *const lines[][5] = {
        {"/horizon", "90 d", "given", "board, 2026-02", ""}, {"/seed", "1", "default", "", ""},
        {"/pools/own/boot", "0 s", "default", "", ""},       {"/pools/own/nodes ", "4", "nodes", "given", ""},
        {"/pools/own/plan/type", "owned", "given", "", ""},  {"/scheduler/policy", "fifo", "default", "", ""},
        {"/scheduler/estimate", "user", "default", "", ""},  {"/service/wait.p95", "<= 4 h", "given", "", ""},
        {"/finance/electricity", "-", "none", "", ""},
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        const char *at = strstr(rr_buf_text(&b), lines[i][0]);
        assert_non_null(at);
        char line[300] = {0};
        memcpy(line, at, strcspn(at, "\n") < 299 ? strcspn(at, "\n") : 299);
        const char *from = line;
        for (size_t k = 0; k < 5 && *lines[i][k]; k++) {
            from = strstr(from, lines[i][k]);
            if (!from) fail_msg("no %s in: %s", lines[i][k], line);
        }
    }
    rr_buf_done(&b);
    rr_scenario_set_free(set);
}

static void a_fleet_from_a_file_has_its_own_shapes(void **state)
{
    (void)state;
    fake_file("nodes.csv", "name,gpus,cpus,memory_gib,gpu\na,8,96,512,T4\nb,2,32,128,P100\n");
    struct rr_scenario_set *set =
        fake_loaded("{\"rackrate\": 1, " FAKE_WORK ", \"pools\": {\"p\": {\"nodes\": {\"file\": \"nodes.csv\", \"format\": "
                    "\"csv\"}, \"plan\": {\"type\": \"unpriced\"}}}}",
                    NULL);
    const struct rr_pool *p = &set->variant[0]->pool[0];
    assert_true(p->nodes_min == 2 && p->nodes_max == 2 && p->n_shapes == 2 && p->shape[1].gpus == 2);
    assert_int_equal(strlen(p->nodes_sha256), 64);
    assert_string_equal(p->nodes_format, "csv");
    rr_scenario_set_free(set);
}

static void the_name_comes_from_the_file(void **state)
{
    (void)state;
    struct rr_scenario_set *set = NULL;
    const char *path = fake_file("odd name.v2.json", FAKE(""));
    assert_int_equal(rr_scenario_load(path, NULL, &fake_registry, &fake_catalog, &set), RR_OK);
    assert_string_equal(set->name, "odd name.v2");
    rr_scenario_set_free(set);
    rr_scenario_set_free(NULL);
}

static void the_schema_knows_the_registry(void **state)
{
    (void)state;
    cJSON *s = rr_scenario_schema(&fake_registry);
    assert_string_equal(rr_json_at(s, "/properties/scheduler/properties/policy/anyOf/0/enum/1")->valuestring, "easy_backfill");
    assert_non_null(rr_json_at(s, "/properties/scheduler/properties/depth"));
    assert_string_equal(rr_json_at(s, "/properties/pools/additionalProperties/properties/plan/anyOf/0/properties/type/const")->valuestring,
                        "on_demand");
    assert_string_equal(rr_json_at(s, "/properties/commitments/additionalProperties/anyOf/0/properties/type/const")->valuestring,
                        "reserved");
    assert_string_equal(rr_json_at(s, "/properties/workload/additionalProperties/properties/format/anyOf/0/enum/0")->valuestring, "auto");
    static const char *const keys[] = {"rackrate",    "name",         "start",    "horizon",    "currency",    "fx",
                                       "seed",        "replications", "warmup",   "baseline",   "workload",    "classes",
                                       "prices",      "profiles",     "pools",    "pool_order", "commitments", "scheduler",
                                       "autoscale",   "checkpoint",   "failures", "service",    "existing",    "finance",
                                       "uncertainty", "alternatives", "sweep",    "gates",      "until"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) assert_non_null(rr_json_member(rr_json_at(s, "/properties"), keys[i]));
    cJSON_Delete(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sample_of_the_contract_is_read),
        cmocka_unit_test(every_value_lands_in_its_field),
        cmocka_unit_test(classes_say_what_may_be_done),
        cmocka_unit_test(checkpoints_by_size),
        cmocka_unit_test(defaults_of_the_least_scenario),
        cmocka_unit_test(alternatives_are_patches_in_file_order),
        cmocka_unit_test(a_sweep_makes_every_combination),
        cmocka_unit_test(set_and_values_come_last),
        cmocka_unit_test(what_decides_is_hashed_and_prices_are_not),
        cmocka_unit_test(print_shows_given_default_and_source),
        cmocka_unit_test(a_fleet_from_a_file_has_its_own_shapes),
        cmocka_unit_test(the_name_comes_from_the_file),
        cmocka_unit_test(the_schema_knows_the_registry),
    };
    return cmocka_run_group_tests(tests, setup, fake_teardown);
}
