/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_scenario_failures.c - "failures" of a scenario: every value in its field, what is shown and what decides, and each mistake. */
#include "tests/unit/scenario_fake.h"

#define TRACE_HEAD "time_s,pool,node,duration_s,cause\n"

static int setup(void **state)
{
    if (fake_setup(state) != 0) return -1;
    fake_file("jobs.csv", "job_id,submit_s,duration_s,gpus\na,0,10,1\n");
    fake_file("nodes.csv", TRACE_HEAD "31.25,own,2,600,gpu\n7,own,0,90.5,\n");
    return 0;
}

#define FAILS(f) FAKE(", \"failures\": " f)

static const char full[] =
    "{\"node\": {\"weibull\": {\"scale\": \"900 h\", \"shape\": 0.7}}, \"gpu_mtbf\": \"8000 h\", \"network_mtbf\": "
    "\"900 d\", \"causes\": {\"gpu\": 3, \"network\": 1}, \"detect\": \"7 min\", \"spares\": 2, \"pools\": [\"own\"],"
    " \"repair\": {\"minutes\": \"20 min\", \"days\": {\"lognormal\": {\"median\": \"2 d\", \"sigma\": 1}}, \"share\": \"25 %\"},"
    " \"domains\": {\"rack\": {\"mtbf\": \"500 d\", \"nodes\": 4, \"repair\": \"2 h\"}, \"power\": {\"mtbf\": \"9000 d\", "
    "\"nodes\": 64}}, \"trace\": \"nodes.csv\","
    " \"maintenance\": {\"m\": {\"every\": \"30 d\", \"length\": \"4 h\", \"notice\": \"1 h\", \"at_once\": 2}}}";

static void every_value_lands_in_its_field(void **state)
{
    (void)state;
    char text[2048];
    snprintf(text, sizeof text, "{\"rackrate\": 1, " FAKE_WORK ", " FAKE_POOL ", \"failures\": %s}", full);
    struct rr_scenario_set *set = fake_loaded(text, &(struct rr_scenario_options){.seed = -1, .reps = -1});
    const struct rr_failures *f = set->variant[0]->failures;
    assert_non_null(f);
    assert_true(f->has_node && f->node_us.kind == RR_DIST_WEIBULL && f->node_us.a == 900.0 * 3600e6 && f->node_us.b == 0.7);
    assert_int_equal(f->gpu_mtbf_us, 8000 * RR_H);
    assert_int_equal(f->node_mtbf_us, 0);
    assert_true(f->has_causes && f->causes_upto[RR_CAUSE_NODE] == 0 && f->causes_upto[RR_CAUSE_GPU] == 0.75);
    assert_true(f->causes_upto[RR_CAUSE_NETWORK] == 1 && f->causes_upto[RR_CAUSE_SOFTWARE] == 1);
    assert_true(f->detect_us.a == 7 * 60e6 && f->spares == 2 && f->pool[0]);
    assert_true(f->repair.minutes_us.a == 20 * 60e6 && f->repair.days_us.kind == RR_DIST_LOGNORMAL && f->repair.share == 0.25);
    assert_int_equal(f->domain[RR_DOMAIN_SWITCH].mtbf_us, 0);
    assert_int_equal(f->domain[RR_DOMAIN_RACK].nodes, 4);
    assert_true(f->domain[RR_DOMAIN_RACK].has_repair && !f->domain[RR_DOMAIN_POWER].has_repair);
    assert_int_equal(f->n_maintenance, 1);
    assert_int_equal(f->maintenance[0].first_us, 30 * RR_D);
    assert_int_equal(f->maintenance[0].notice_us, RR_H);
    assert_int_equal(f->maintenance[0].at_once, 2);
    assert_int_equal(f->n_events, 2); // by time
    assert_int_equal(f->event[0].at_us, 7 * RR_S);
    assert_int_equal(f->event[0].cause, RR_CAUSE_NODE);
    assert_int_equal(f->event[0].duration_us, 90500000);
    assert_int_equal(f->event[1].at_us, 31250000);
    assert_int_equal(f->event[1].node, 2);
    assert_int_equal(f->event[1].cause, RR_CAUSE_GPU);
    assert_int_equal(strlen(f->trace_sha256), 64);
    struct rr_buf b = {0};
    rr_scenario_print(&b, set->variant[0], &fake_registry);
    static const char *const shown[] = {"/failures/node ",
                                        "/failures/detect ",
                                        "/failures/causes ",
                                        "gpu 0.75, network 0.25",
                                        "/failures/repair/days ",
                                        "/failures/domains/rack/mtbf ",
                                        "/failures/maintenance/m/first "};
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        if (!strstr(rr_buf_text(&b), shown[i])) fail_msg("no %s in: %s", shown[i], rr_buf_text(&b));
    rr_buf_done(&b);
    rr_scenario_set_free(set);
}

static void a_published_system_is_the_default(void **state)
{
    (void)state;
    struct rr_scenario_set *set = fake_loaded(FAILS("{\"like\": \"sys\"}"), &(struct rr_scenario_options){.seed = -1, .reps = -1});
    const struct rr_scenario *s = set->variant[0];
    assert_int_equal(s->failures->gpu_mtbf_us, 50677 * RR_H);
    assert_true(s->failures->causes_upto[RR_CAUSE_NODE] == 0 && s->failures->causes_upto[RR_CAUSE_GPU] == 0.625); // 5 of 8
    assert_true(s->failures->detect_us.a == 600e6 && s->failures->repair.minutes_us.a == 3600e6);
    bool told = false;
    for (size_t i = 0; i < s->notes.list.n; i++) told |= strstr(s->notes.list.at[i].text, "one in 50677 GPU-hours") != NULL;
    assert_true(told);
    rr_scenario_set_free(set);
    set = fake_loaded(FAILS("{\"like\": \"sys\", \"node_mtbf\": \"77 h\", \"causes\": {\"power\": 1}}"),
                      &(struct rr_scenario_options){.seed = -1, .reps = -1});
    assert_int_equal(set->variant[0]->failures->gpu_mtbf_us, 0); // what is given wins
    assert_true(set->variant[0]->failures->causes_upto[RR_CAUSE_NETWORK] == 0);
    rr_scenario_set_free(set);
}

/* Alternatives that differ in any of it do not share a replay. */
static void all_of_it_decides(void **state)
{
    (void)state;
    static const char *const patch[] = {"{}",
                                        "{\"node_mtbf\": \"501 h\"}",
                                        "{\"gpu_mtbf\": \"9000 d\"}",
                                        "{\"causes\": {\"node\": 1}}",
                                        "{\"detect\": \"1 min\"}",
                                        "{\"repair\": \"2 h\"}",
                                        "{\"repair\": {\"minutes\": \"1 h\", \"days\": \"2 d\", \"share\": 0.1}}",
                                        "{\"repair\": {\"minutes\": \"1 h\", \"days\": \"2 d\", \"share\": 0.2}}",
                                        "{\"spares\": 1}",
                                        "{\"domains\": {\"switch\": {\"mtbf\": \"300 d\", \"nodes\": 2}}}",
                                        "{\"domains\": {\"switch\": {\"mtbf\": \"300 d\", \"nodes\": 4}}}",
                                        "{\"maintenance\": {\"m\": {\"every\": \"30 d\", \"length\": \"4 h\"}}}",
                                        "{\"trace\": \"nodes.csv\"}"};
    enum { N = sizeof patch / sizeof *patch };
    struct rr_buf b = {0};
    rr_buf_puts(&b, "{\"rackrate\": 1, \"horizon\": \"9 d\", " FAKE_WORK ", " FAKE_POOL
                    ", \"failures\": {\"node_mtbf\": \"500 h\"}, \"alternatives\": {");
    for (int i = 0; i < N; i++) rr_buf_putf(&b, "%s\"a%d\": {\"failures\": %s}", i ? ", " : "", i, patch[i]);
    rr_buf_puts(&b, "}}");
    struct rr_scenario_set *set = fake_loaded(rr_buf_text(&b), &(struct rr_scenario_options){.seed = -1, .reps = -1});
    assert_int_equal(set->n_variants, N);
    for (int i = 0; i < N; i++)
        for (int k = 0; k < i; k++) assert_true(set->variant[i]->decision_hash != set->variant[k]->decision_hash);
    rr_buf_done(&b);
    rr_scenario_set_free(set);
}

static const struct {
    const char *text, *pointer, *part;
} cases[] = {
    {FAILS("3"), "/failures", "3 given; an object"},
    {FAILS("{}"), "/failures", "nothing fails; such as \"node_mtbf\": \"6000 h\" or \"like\""},
    {FAILS("{\"mtbf\": \"3 h\"}"), "/failures/mtbf", "unknown key \"mtbf\""},
    {FAILS("{\"node_mtbf\": 6000}"), "/failures/node_mtbf", "6000 has no unit"},
    {FAILS("{\"node_mtbf\": \"0 s\"}"), "/failures/node_mtbf", "0 s\" given; at least 1 s"},
    {FAILS("{\"node_mtbf\": \"5 h\", \"node\": \"5 h\"}"), "/failures", "both \"node\" and \"node_mtbf\""},
    {FAILS("{\"node\": {\"weibul\": {}}}"), "/failures/node", "unknown distribution \"weibul\", did you mean \"weibull\"?"},
    {FAILS("{\"like\": \"sis\"}"), "/failures/like", "no system with a published failure rate, did you mean \"sys\"?"},
    {FAILS("{\"node_mtbf\": \"5 h\", \"causes\": {\"fan\": 1}}"), "/failures/causes/fan", "\"fan\" is no cause; known: node, gpu"},
    {FAILS("{\"node_mtbf\": \"5 h\", \"causes\": {\"gpu\": -1}}"), "/failures/causes/gpu", "-1 given; a share or a count"},
    {FAILS("{\"node_mtbf\": \"5 h\", \"causes\": {\"gpu\": 0}}"), "/failures/causes", "add up to 0"},
    {FAILS("{\"node_mtbf\": \"5 h\", \"causes\": 3}"), "/failures/causes", "3 given"},
    {FAILS("{\"domains\": {\"aisle\": {}}}"), "/failures/domains/aisle", "no domain of failure; known: switch, rack, power"},
    {FAILS("{\"domains\": {\"rack\": {\"mtbf\": \"5 d\"}}}"), "/failures/domains/rack", "\"nodes\" is missing"},
    {FAILS("{\"domains\": {\"rack\": {\"mtbf\": \"5 d\", \"nodes\": 0}}}"), "/failures/domains/rack/nodes", "0 given; at least 1"},
    {FAILS("{\"domains\": {\"rack\": 3}}"), "/failures/domains/rack", "3 given; an object"},
    {FAILS("{\"node_mtbf\": \"5 h\", \"repair\": {\"days\": \"3 d\"}}"), "/failures/repair", "\"days\" without their \"share\""},
    {FAILS("{\"node_mtbf\": \"5 h\", \"repair\": {\"share\": 3}}"), "/failures/repair/share", "3 given; at most 1"},
    {FAILS("{\"node_mtbf\": \"5 h\", \"repair\": 3}"), "/failures/repair", "3 has no unit"},
    {FAILS("{\"node_mtbf\": \"5 h\", \"spares\": 4}"), "/failures/spares", "4 given; fewer than the 4 nodes of pool own"},
    {FAILS("{\"node_mtbf\": \"5 h\", \"spares\": -1}"), "/failures/spares", "-1 given; at least 0"},
    {"{\"rackrate\": 1, " FAKE_WORK
     ", \"pools\": {\"e\": {\"gpus_per_node\": 8, \"nodes\": {\"max\": 3}, \"plan\": {\"type\": \"owned\"}}},"
     " \"failures\": {\"node_mtbf\": \"5 h\", \"spares\": 1}}",
     "/failures/spares", "spares are nodes of static pools, and there is none"},
    {FAILS("{\"node_mtbf\": \"5 h\", \"pools\": []}"), "/failures/pools", "a list of pools is expected"},
    {FAILS("{\"node_mtbf\": \"5 h\", \"pools\": [\"onw\"]}"), "/failures/pools", "\"onw\" is no pool, did you mean \"own\"?"},
    {FAILS("{\"maintenance\": {\"m\": {\"length\": \"5 h\"}}}"), "/failures/maintenance/m", "\"every\" is missing"},
    {FAILS("{\"maintenance\": {\"m\": {\"every\": \"5 h\", \"length\": \"5 h\"}}}"), "/failures/maintenance/m/length",
     "shorter than \"every\""},
    {FAILS("{\"maintenance\": {\"m\": {\"every\": \"5 h\", \"length\": \"1 h\", \"notice\": \"6 h\"}}}"), "/failures/maintenance/m/notice",
     "shorter than \"every\""},
    {FAILS("{\"maintenance\": {\"m\": {\"every\": \"5 h\", \"length\": \"1 h\", \"notice\": \"2 h\", \"first\": \"1 h\"}}}"),
     "/failures/maintenance/m/first", "\"notice\" would be given before the start"},
    {FAILS("{\"trace\": \"nowhere.csv\"}"), "/failures/trace", "nowhere.csv: No such file"},
    {FAILS("{\"trace\": \"jobs.csv\"}"), "/failures/trace", "jobs.csv:1: no column \"time_s\""},
};

static void every_mistake_is_one_clear_line(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rr_scenario_set *s;
        const enum rr_status st = fake_load(cases[i].text, &(struct rr_scenario_options){.seed = -1, .reps = -1}, &s);
        const char *line = st == RR_OK ? "taken" : rr_reason();
        if (st != RR_EINPUT || !strstr(line, cases[i].pointer) || !strstr(line, cases[i].part) || strchr(line, '\n') ||
            strncmp(line, fake_path, strlen(fake_path)) != 0)
            fail_msg("%s\n gave %s", cases[i].text, line);
    }
}

static void every_bad_row_of_a_trace_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *row, *part;
    } rows[] = {{"-1,own,0,5,\n", "nodes.csv:2: time_s is no time in seconds from 0 on: \"-1\""},
                {"1,onw,0,5,\n", "nodes.csv:2: pool is no pool of the scenario: \"onw\", did you mean \"own\"?"},
                {"1,own,4,5,\n", "nodes.csv:2: node is no node of the pool: \"4\"; 0 to 3 are there"},
                {"1,own,0.5,5,\n", "node is no node of the pool: \"0.5\""},
                {"1,own,0,soon,\n", "duration_s is no time in seconds: \"soon\""},
                {"1,own,0,5,fan\n", "cause is not node, gpu, network, power or software: \"fan\""},
                {"1,own,0\n", "nodes.csv:2: 3 cells, the header has 5"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[200];
        snprintf(text, sizeof text, TRACE_HEAD "%s", rows[i].row);
        fake_file("nodes.csv", text);
        struct rr_scenario_set *s;
        assert_int_equal(fake_load(FAILS("{\"trace\": \"nodes.csv\"}"), &(struct rr_scenario_options){.seed = -1, .reps = -1}, &s),
                         RR_EINPUT);
        if (!strstr(rr_reason(), rows[i].part)) fail_msg("\"%s\" lacks \"%s\"", rr_reason(), rows[i].part);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_value_lands_in_its_field),
        cmocka_unit_test(a_published_system_is_the_default),
        cmocka_unit_test(all_of_it_decides),
        cmocka_unit_test(every_mistake_is_one_clear_line),
        cmocka_unit_test(every_bad_row_of_a_trace_is_refused),
    };
    return cmocka_run_group_tests(tests, setup, fake_teardown);
}
