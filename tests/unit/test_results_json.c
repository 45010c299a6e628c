/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_results_json.c - results.json: its shape, what undefined looks like, and its size. */
#include "data/base/json.h"
#include "tests/unit/sample_store.h"
#include "tests/unit/test_dir.h"
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

static cJSON *written(const struct rr_store *s, struct rr_buf *b)
{
    rr_store_json(s, b);
    cJSON *root = cJSON_Parse(rr_buf_text(b));
    assert_non_null(root);
    return root;
}

static const char *text_at(cJSON *root, const char *pointer)
{
    const cJSON *v = rr_json_at(root, pointer);
    if (!cJSON_IsString(v)) fail_msg("%s is no text", pointer);
    return v->valuestring;
}

static double number_at(cJSON *root, const char *pointer)
{
    const cJSON *v = rr_json_at(root, pointer);
    if (!cJSON_IsNumber(v)) fail_msg("%s is no number", pointer);
    return v->valuedouble;
}

static void null_at(cJSON *root, const char *pointer)
{
    if (!cJSON_IsNull(rr_json_at(root, pointer))) fail_msg("%s is not null", pointer);
}

static void the_document_has_the_shape_of_the_design(void **state)
{
    (void)state;
    struct sample p;
    struct rr_buf b = {0};
    sample_open(&p, 100);
    cJSON *r = written(&p.store, &b);
    assert_string_equal(text_at(r, "/schema"), "rackrate.results/1");
    assert_string_equal(text_at(r, "/start"), "2026-01-01");
    assert_true(number_at(r, "/horizon_s") == 94694400);
    assert_true(number_at(r, "/seed") == 42);
    assert_string_equal(text_at(r, "/inputs/1/path"), "trace.csv");
    assert_string_equal(text_at(r, "/verdict/best"), "own");
    assert_string_equal(text_at(r, "/verdict/criterion"), "npv.cost");
    assert_string_equal(text_at(r, "/alternatives/2/name"), "rent");
    assert_true(number_at(r, "/alternatives/0/metrics/cost.total/n") == 100);
    const struct rr_stat *t = &p.store.alternative[0].metric[RR_M_COST_TOTAL];
    assert_true(number_at(r, "/alternatives/0/metrics/cost.total/mean") == t->mean);
    assert_true(number_at(r, "/alternatives/0/metrics/cost.total/p90") == t->p90);
    assert_true(number_at(r, "/alternatives/0/metrics/cost.total/ci95") == t->ci95);
    null_at(r, "/alternatives/0/metrics/deadline.missed/mean");
    assert_int_equal(cJSON_GetArraySize(rr_json_at(r, "/alternatives/0/metrics")), RR_METRICS);
    assert_int_equal(cJSON_GetArraySize(rr_json_at(r, "/alternatives/0/monthly")), SAMPLE_MONTHS);
    assert_string_equal(text_at(r, "/alternatives/0/monthly/35/month"), "2028-12");
    assert_string_equal(text_at(r, "/alternatives/1/laws/2/law"), "money");
    assert_true(number_at(r, "/pairs/0/diff/mean") == -1368992.21);
    assert_true(number_at(r, "/pairs/0/prob_a_cheaper") == 0.97);
    assert_string_equal(text_at(r, "/gates/1/result"), "fail");
    null_at(r, "/gates/1/value");
    assert_string_equal(text_at(r, "/warnings/0"), "the backlog still grows at the horizon: waits are censored");
    cJSON_Delete(r);
    rr_buf_done(&b);
    sample_close(&p);
}

static void what_was_lost_and_waited_for_is_told(void **state)
{
    (void)state;
    struct sample p;
    struct rr_buf b = {0};
    sample_open(&p, 1);
    sample_interrupt(&p);
    cJSON *r = written(&p.store, &b);
    assert_string_equal(text_at(r, "/alternatives/0/losses/0/reason"), "node failure");
    assert_true(number_at(r, "/alternatives/0/losses/0/attempts") == 1);
    assert_true(number_at(r, "/alternatives/0/losses/1/gpu_hours") == 0.0088888);
    assert_string_equal(text_at(r, "/alternatives/0/waited_for/0/bound"), "limit");
    assert_true(number_at(r, "/alternatives/0/waited_for/1/gpu_hours") == 6.5);
    assert_int_equal(cJSON_GetArraySize(rr_json_at(r, "/alternatives/1/losses")), 0); // nothing was: empty, not absent
    assert_int_equal(cJSON_GetArraySize(rr_json_at(r, "/alternatives/1/waited_for")), 0);
    cJSON_Delete(r);
    rr_buf_done(&b);
    sample_close(&p);
}

/* Months are exact decimals of the integers, not doubles. */
static void money_of_a_month_is_exact(void **state)
{
    (void)state;
    struct sample p;
    struct rr_buf b = {0};
    sample_open(&p, 1);
    struct rr_month_row month = {"2026-01", 0, 1, {9007199254740993}, {-1}, 1.5, 2.5};
    p.alternative[0].month = &month;
    p.alternative[0].n_months = 1;
    rr_store_json(&p.store, &b);
    assert_non_null(strstr(rr_buf_text(&b), "\"effective\": 9007199254.740993, \"billed\": -0.000001,"));
    rr_buf_done(&b);
    sample_close(&p);
}

static void one_replication_has_the_same_shape_with_null_spreads(void **state)
{
    (void)state;
    struct sample p;
    struct rr_buf b = {0};
    sample_open(&p, 1);
    p.store.anchored = false;
    p.store.horizon_s = NAN;
    cJSON *r = written(&p.store, &b);
    null_at(r, "/start");
    null_at(r, "/horizon_s");
    assert_true(number_at(r, "/alternatives/0/metrics/wait.p95/mean") == 9211);
    null_at(r, "/alternatives/0/metrics/wait.p95/stddev");
    null_at(r, "/alternatives/0/metrics/wait.p95/p90");
    cJSON_Delete(r);
    rr_buf_done(&b);
    sample_close(&p);
}

/* python3-jsonschema is the second opinion; without it the test is skipped. */
static void check_schema(const struct rr_store *s)
{
    struct rr_buf b = {0};
    rr_store_json(s, &b);
    FILE *f = fopen(in_dir("results.json"), "wb");
    assert_non_null(f);
    fwrite(rr_buf_text(&b), 1, b.n, f);
    fclose(f);
    rr_buf_done(&b);
    char command[1024];
    snprintf(command, sizeof command,
             "python3 -c \"import "
             "json,jsonschema,sys\njsonschema.Draft7Validator.check_schema(json.load(open('data/schema/results.schema.json')))\n"
             "jsonschema.validate(json.load(open('%s')), json.load(open('data/schema/results.schema.json')))\" >&2",
             in_dir("results.json"));
    assert_int_equal(system(command), 0);
}

static void the_schema_takes_it(void **state)
{
    (void)state;
    if (system("python3 -c 'import jsonschema' 2>/dev/null") != 0) skip();
    struct sample p;
    sample_open(&p, 100);
    sample_interrupt(&p);
    check_schema(&p.store);
    sample_make_hostile(&p);
    check_schema(&p.store);
    sample_close(&p);
    sample_open(&p, 1);
    p.store.anchored = false;
    p.store.criterion = p.store.best = "";
    check_schema(&p.store);
    sample_close(&p);
}

static enum rr_status read_text(const char *text, struct rr_arena *a, struct rr_store *ret)
{
    FILE *f = fopen(in_dir("read.json"), "wb");
    assert_non_null(f);
    fwrite(text, 1, strlen(text), f);
    fclose(f);
    return rr_store_read_json(in_dir("read.json"), a, ret);
}

static void comes_back_as_it_was(const struct rr_store *s)
{
    struct rr_arena *a = rr_arena_create();
    struct rr_buf b = {0}, again = {0};
    struct rr_store read;
    rr_store_json(s, &b);
    if (read_text(rr_buf_text(&b), a, &read) != RR_OK) fail_msg("%s", rr_reason());
    assert_true(read.summary_only);
    rr_store_json(&read, &again);
    assert_string_equal(rr_buf_text(&b), rr_buf_text(&again));
    rr_buf_done(&b);
    rr_buf_done(&again);
    rr_arena_free(a);
}

static void what_is_read_is_written_again(void **state)
{
    (void)state;
    struct sample p;
    sample_open(&p, 100);
    sample_interrupt(&p);
    comes_back_as_it_was(&p.store);
    sample_make_hostile(&p);
    comes_back_as_it_was(&p.store);
    sample_close(&p);
    sample_open(&p, 1);
    p.store.anchored = false;
    p.store.horizon_s = NAN;
    struct rr_month_row month = {"2026-01", 0, 1, {9007199254740993}, {-1}, 1.5, NAN};
    p.alternative[0].month = &month;
    p.alternative[0].n_months = 1;
    struct rr_sheet_maker m = rr_sheet_begin(p.arena, "finance.rents", "If rents move", "by hand");
    rr_sheet_column(&m, "rent", RR_SHEET_TEXT);
    rr_sheet_column(&m, "buy", RR_SHEET_MONEY);
    rr_sheet_row(&m);
    rr_sheet_text(&m, "flat");
    rr_sheet_number(&m, 1234567.5);
    const struct rr_sheet sheet = rr_sheet_end(&m);
    p.store.sheet = &sheet;
    p.store.n_sheets = 1;
    comes_back_as_it_was(&p.store);
    sample_close(&p);
}

/* Each part spoiled in turn: one line, with its place. */
static void what_is_no_results_json_is_refused(void **state)
{
    (void)state;
    static const char *const spoil[][3] = {
        {"\"rackrate.results/1\"", "\"rackrate.results/2\"",
         "read.json:1:13: /schema: is no results.json of a version that this one reads"},
        {"\"seed\": 42", "\"seed\": 4.2", "a whole number is wanted here"},
        {"\"seed\": 42, ", "", "read.json:1:1: the key \"seed\" is missing here"},
        {"\"start\": \"2026-01-01\"", "\"start\": \"soon\"", "a date or null is wanted here"},
        {"\"meets_service\": true", "\"meets_service\": 1", "true or false is wanted here"},
        {"\"p90\": null", "\"p90\": \"\"", "a number or null is wanted here"},
        {"\"laws\": [", "\"laws\": {}, \"las\": [", "a list is wanted here"},
        {"\"metric\": \"cost.total\"", "\"metric\": \"cost.totl\"", "no metric of this version (rackrate list metrics)"},
        {"{ \"schema\"", "[{ \"schema\"", "read.json:"},
    };
    struct rr_arena *a = rr_arena_create();
    struct sample p;
    struct rr_store read;
    sample_open(&p, 1);
    for (size_t i = 0; i < sizeof spoil / sizeof *spoil; i++) {
        struct rr_buf b = {0}, bad = {0};
        rr_store_json(&p.store, &b);
        const char *at = strstr(rr_buf_text(&b), spoil[i][0]);
        if (!at) fail_msg("there is no %s", spoil[i][0]);
        rr_buf_putf(&bad, "%.*s%s%s", (int)(at - rr_buf_text(&b)), rr_buf_text(&b), spoil[i][1], at + strlen(spoil[i][0]));
        if (read_text(rr_buf_text(&bad), a, &read) != RR_EINPUT) fail_msg("taken: %s", spoil[i][1]);
        if (!strstr(rr_reason(), spoil[i][2])) fail_msg("%s: %s", spoil[i][1], rr_reason());
        rr_buf_done(&b);
        rr_buf_done(&bad);
    }
    assert_int_equal(rr_store_read_json(in_dir("nowhere.json"), a, &read), RR_EIO);
    rr_arena_free(a);
    sample_close(&p);
}

/* Each metric of data/metric.h stands in the schema, and none besides. */
static void the_schema_names_every_metric(void **state)
{
    (void)state;
    char *text = file_text("data/schema/results.schema.json", NULL);
    assert_non_null(text);
    cJSON *r = cJSON_Parse(text);
    assert_non_null(r);
    const cJSON *names = rr_json_at(r, "/properties/alternatives/items/properties/metrics/properties"), *one;
    assert_int_equal(cJSON_GetArraySize(names), RR_METRICS);
    cJSON_ArrayForEach(one, names) assert_true(rr_metric_find(one->string) >= 0);
    assert_int_equal(cJSON_GetArraySize(rr_json_at(r, "/definitions/metric/enum")), RR_METRICS);
    cJSON_Delete(r);
    free(text);
}

static void large(struct sample *p, size_t n, struct rr_store *s)
{
    struct rr_alternative *a = RR_NEWS(p->arena, struct rr_alternative, n);
    for (size_t i = 0; i < n; i++) {
        a[i] = p->alternative[i % 3];
        if (i >= 3) a[i].name = rr_strf(p->arena, "%s[/pools/own/nodes=%zu]", a[i].alternative, i);
    }
    *s = p->store;
    s->alternative = a;
    s->n_alternatives = n;
}

static void a_large_study_stays_below_200_kb(void **state)
{
    (void)state;
    static const size_t sizes[] = {3, 8, 16, 40, 90, 400};
    struct sample p;
    sample_open(&p, 100);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        struct rr_store s;
        struct rr_buf b = {0};
        large(&p, sizes[k], &s);
        cJSON *r = written(&s, &b);
        assert_true(b.n <= RR_RESULTS_MOST);
        const char *last = cJSON_GetArrayItem(rr_json_at(r, "/warnings"), cJSON_GetArraySize(rr_json_at(r, "/warnings")) - 1)->valuestring;
        assert_int_equal(strstr(last, "200 kB") != NULL, sizes[k] > 8);
        assert_int_equal(cJSON_GetArraySize(rr_json_at(r, "/alternatives")), sizes[k] < 100 ? (int)sizes[k] : 3);
        assert_int_equal(cJSON_GetArraySize(rr_json_at(r, "/alternatives/0/metrics")), RR_METRICS); // no sweep point keeps all
        cJSON_Delete(r);
        rr_buf_done(&b);
    }
    sample_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_document_has_the_shape_of_the_design),
        cmocka_unit_test(money_of_a_month_is_exact),
        cmocka_unit_test(what_was_lost_and_waited_for_is_told),
        cmocka_unit_test(what_is_read_is_written_again),
        cmocka_unit_test(what_is_no_results_json_is_refused),
        cmocka_unit_test(one_replication_has_the_same_shape_with_null_spreads),
        cmocka_unit_test(the_schema_takes_it),
        cmocka_unit_test(the_schema_names_every_metric),
        cmocka_unit_test(a_large_study_stays_below_200_kb),
    };
    return cmocka_run_group_tests(tests, test_dir_make, test_dir_remove);
}
