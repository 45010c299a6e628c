/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_param.c - every type of row: taken, shown again, refused with what would be right. */
#include "data/param.h"
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

struct all {
    uint64_t given;
    bool yes;
    int64_t whole, time_us, date_us, bytes;
    double real, share, power_w, rate_per_s;
    const char *text, *path;
    int word;
    struct rr_duration term;
    struct rr_amount money;
    struct rr_price price;
    struct rr_dist run_us, gpus;
    const cJSON *object;
};
#define AT(field) offsetof(struct all, field)
static const char *const words[] = {"arrival", "shortest", NULL};
static const struct rr_param rows[] = {
    {.name = "yes", .type = RR_P_BOOL, .offset = AT(yes), .def = "true", .help = "a switch"},
    {.name = "whole", .type = RR_P_INT, .offset = AT(whole), .def = "7", .least = -2, .most = 900, .help = "a count", .unit = "nodes"},
    {.name = "real", .type = RR_P_REAL, .offset = AT(real), .def = "1.25", .least = 1, .most = 5, .help = "a factor"},
    {.name = "share", .type = RR_P_SHARE, .offset = AT(share), .help = "a share"},
    {.name = "text", .type = RR_P_TEXT, .offset = AT(text), .def = "\"none\"", .help = "a text"},
    {.name = "path", .type = RR_P_PATH, .offset = AT(path), .help = "a file"},
    {.name = "word", .type = RR_P_WORD, .offset = AT(word), .def = "\"shortest\"", .words = words, .help = "an order"},
    {.name = "time", .type = RR_P_TIME, .offset = AT(time_us), .def = "\"5 min\"", .least = 0, .most = 3600e6, .help = "a time"},
    {.name = "term", .type = RR_P_DURATION, .offset = AT(term), .help = "a term"},
    {.name = "date", .type = RR_P_DATE, .offset = AT(date_us), .help = "a date"},
    {.name = "money", .type = RR_P_MONEY, .offset = AT(money), .least = 0, .most = 1e9, .help = "a price"},
    {.name = "price", .type = RR_P_RATE, .offset = AT(price), .help = "a rate"},
    {.name = "bytes", .type = RR_P_BYTES, .offset = AT(bytes), .help = "a size"},
    {.name = "power", .type = RR_P_POWER, .offset = AT(power_w), .help = "a power"},
    {.name = "rate", .type = RR_P_FREQUENCY, .offset = AT(rate_per_s), .help = "a frequency"},
    {.name = "run", .type = RR_P_DIST_TIME, .offset = AT(run_us), .least = 0, .most = 9e17, .help = "a run time"},
    {.name = "gpus", .type = RR_P_DIST_REAL, .offset = AT(gpus), .def = "1", .least = 0, .most = 64, .help = "GPUs"},
    {.name = "object", .type = RR_P_OBJECT, .offset = AT(object), .help = "more"},
    {.name = "grow", .type = RR_P_OBJECT, .help = "growth", .flags = RR_PF_LATER},
};
#define N_ROWS (sizeof rows / sizeof *rows)
static const struct rr_param needed[] = {
    {.name = "count", .type = RR_P_INT, .offset = AT(whole), .help = "how many, such as 4", .flags = RR_PF_REQUIRED},
};

static struct rr_json *json;
static struct rr_arena *arena;

static int setup(void **state)
{
    (void)state;
    json = rr_json_create();
    arena = rr_arena_create();
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    rr_json_free(json);
    rr_arena_free(arena);
    return 0;
}

static cJSON *kept; // the tree of the last read: texts of OBJECT rows live in it
static enum rr_status read_table(const struct rr_param *table, size_t n, const char *text, const char *const *skip, struct all *a)
{
    const struct rr_param_ctx ctx = {.json = json, .arena = arena, .base = "some/where"};
    memset(a, 0, sizeof *a);
    cJSON_Delete(kept);
    kept = NULL;
    if (rr_json_parse(json, "t.json", text, false, &kept) != RR_OK) fail_msg("%s", rr_reason());
    return rr_params_read(&ctx, table, n, kept, "/p~1q", skip, a);
}

static struct all taken(const char *text)
{
    struct all a;
    if (read_table(rows, N_ROWS, text, NULL, &a) != RR_OK) fail_msg("%s: %s", text, rr_reason());
    return a;
}

static void refused(const char *text, const char *reason)
{
    struct all a;
    assert_int_equal(read_table(rows, N_ROWS, text, NULL, &a), RR_EINPUT);
    if (!strstr(rr_reason(), reason)) fail_msg("%s: \"%s\" has no \"%s\"", text, rr_reason(), reason);
    if (strncmp(rr_reason(), "t.json:1:", 9) != 0 || !strstr(rr_reason(), ": /p~1q")) fail_msg("no place: %s", rr_reason());
}

static void shown(const struct all *a, const char *name, const char *want)
{
    for (size_t i = 0; i < N_ROWS; i++) {
        if (strcmp(rows[i].name, name) != 0) continue;
        struct rr_buf b = {0};
        rr_param_text(&b, &rows[i], a);
        assert_string_equal(rr_buf_text(&b), want);
        rr_buf_done(&b);
    }
}

static void defaults_fill_in_without_being_given(void **state)
{
    (void)state;
    struct all a;
    memset(&a, 0, sizeof a);
    const struct rr_param_ctx ctx = {.json = json, .arena = arena, .base = ""};
    assert_int_equal(rr_params_read(&ctx, rows, N_ROWS, NULL, "/p", NULL, &a), RR_OK);
    assert_true(a.given == 0 && a.yes && a.whole == 7 && a.real == 1.25 && a.word == 1 && a.time_us == 300000000);
    assert_string_equal(a.text, "none");
    assert_true(a.gpus.kind == RR_DIST_CONSTANT && a.gpus.a == 1);
    assert_null(a.path);
    assert_true(rr_param_is_zero(&rows[5], &a) && !rr_param_is_zero(&rows[1], &a));
}

static void every_type_is_read(void **state)
{
    (void)state;
    struct all a =
        taken("{\"yes\": false, \"whole\": -2, \"real\": 2.385, \"share\": \"30 %\", \"text\": \"\\u00e9\", \"path\": \"x.csv\","
              "\"word\": \"arrival\", \"time\": \"7 min\", \"term\": \"3 years\", \"date\": \"2024-02-29\", \"money\": \"$400,000\","
              "\"price\": \"$2.10/gpu/h\", \"bytes\": \"80 GiB\", \"power\": \"10.2 kW\", \"rate\": \"0.5/s\","
              "\"object\": {\"k\": 1}}");
    assert_true(!a.yes && a.whole == -2 && a.real == 2.385 && a.share == 0.3 && a.word == 0 && a.time_us == 420000000);
    assert_string_equal(a.path, "some/where/x.csv");
    assert_true(a.term.months == 36 && a.term.us == 0 && a.date_us == INT64_C(1709164800000000));
    assert_true(a.money.money.micro == INT64_C(400000000000) && strcmp(a.money.currency, "USD") == 0);
    assert_true(a.price.rate.nano == 2100000000 && a.price.rate.per == RR_PER_GPU && a.price.rate.time == RR_HOUR);
    assert_true(a.bytes == INT64_C(85899345920) && a.power_w == 10200 && a.rate_per_s == 0.5);
    assert_true(cJSON_IsObject(a.object));
    assert_true(rr_given(&a, 0) && rr_given(&a, 14) && !rr_given(&a, 15) && rr_given(&a, 17));
    shown(&a, "yes", "false");
    shown(&a, "whole", "-2");
    shown(&a, "share", "0.3");
    shown(&a, "word", "arrival");
    shown(&a, "time", "7 min");
    shown(&a, "term", "3 years");
    shown(&a, "date", "2024-02-29");
    shown(&a, "money", "USD 400000");
    shown(&a, "price", "$2.10/gpu/h");
    shown(&a, "bytes", "80 GiB");
    shown(&a, "power", "10200 W");
    shown(&a, "rate", "0.5/s");
    shown(&a, "object", "{\"k\":1}");
    a = taken("{\"path\": \"/abs/x\", \"share\": 0.07, \"whole\": 1e2}");
    assert_string_equal(a.path, "/abs/x");
    assert_true(a.share == 0.07 && a.whole == 100);
}

static void a_value_may_carry_its_source(void **state)
{
    (void)state;
    const struct all a = taken("{\"time\": {\"value\": \"9 min\", \"source\": \"ops\", \"owner\": \"Li\", \"as_of\": \"2026-01\"}}");
    assert_true(a.time_us == 540000000);
    assert_string_equal(rr_param_source(rr_json_member(kept, "time"), arena), "ops, Li, 2026-01");
    assert_string_equal(rr_param_source(kept, arena), "");
    refused("{\"time\": {\"value\": \"9 min\", \"sauce\": \"ops\"}}", "/p~1q/time: a value with its source has the keys");
    refused("{\"time\": {\"value\": \"9 min\", \"owner\": 3}}", "\"owner\" is a text");
    refused("{\"time\": {\"value\": {\"value\": \"9 min\"}}}", "inside another");
    refused("{\"time\": {\"value\": 9}}", "9 has no unit");
}

static void what_is_wrong_is_said_with_what_is_right(void **state)
{
    (void)state;
    refused("{\"tmie\": \"5 min\"}", "/p~1q/tmie: unknown key \"tmie\"; did you mean \"time\"?");
    refused("{\"zzzzzz\": 1}", "unknown key \"zzzzzz\"; known here: yes, whole");
    refused("{\"Time\": \"5 min\"}", "unknown key \"Time\"");
    refused("{\"grow\": {}}", "/p~1q/grow: \"grow\" is not built yet in rackrate ");
    refused("{\"yes\": \"true\"}", "\"true\" given; true or false, without quotes, is expected");
    refused("{\"yes\": null}", "null given");
    refused("{\"whole\": 8.5}", "8.5 given; a whole number is expected");
    refused("{\"whole\": \"8\"}", "\"8\" given; a whole number is expected");
    refused("{\"whole\": -3}", "-3 given; at least -2 nodes is expected");
    refused("{\"whole\": 901}", "901 given; at most 900 nodes is expected");
    refused("{\"whole\": 1e300}", "a whole number is expected");
    refused("{\"real\": 0.5}", "0.5 given; at least 1 is expected");
    refused("{\"real\": \"2\"}", "a number is expected");
    refused("{\"share\": 1.3}", "1.3 given; at most 1 is expected");
    refused("{\"share\": -0.1}", "at least 0");
    refused("{\"share\": \"130 %\"}", "130 %");
    refused("{\"share\": true}", "a share is expected, such as 0.3 or \"30 %\"");
    refused("{\"text\": 5}", "a text in double quotes is expected");
    refused("{\"path\": \"\"}", "an empty file name");
    refused("{\"word\": \"shortes\"}", "\"shortes\" given; arrival or shortest is expected, did you mean \"shortest\"?");
    refused("{\"word\": [1]}", "a list given; a word");
    refused("{\"time\": 300}", "300 has no unit; a time with its unit is expected, such as \"5 min\"");
    refused("{\"time\": \"5 m\"}", "min");
    refused("{\"time\": \"61 min\"}", "at most 1 h");
    refused("{\"time\": \"3 months\"}", "month");
    refused("{\"time\": {\"exponential\": {\"mean\": \"1 h\"}}}", "an object given");
    refused("{\"term\": 36}", "such as \"36 months\"");
    refused("{\"date\": \"2025-02-29\"}", "2025-02-29");
    refused("{\"date\": 2025}", "2025 given; a date is expected");
    refused("{\"money\": 400000}", "400000 has no unit; an amount with its currency is expected, such as \"$400,000\"");
    refused("{\"money\": \"400000\"}", "400000");
    refused("{\"money\": \"$-5\"}", "/p~1q/money");
    refused("{\"price\": \"$5\"}", "/p~1q/price");
    refused("{\"price\": 5}", "such as \"$2.10/gpu/h\"");
    refused("{\"bytes\": \"80 Gb\"}", "Gb");
    refused("{\"power\": \"10 kWh\"}", "kWh");
    refused("{\"rate\": \"0.5\"}", "/p~1q/rate");
    refused("{\"object\": [1]}", "a list given; an object {...} is expected");
}

static void missing_and_misplaced_objects(void **state)
{
    (void)state;
    struct all a;
    assert_int_equal(read_table(needed, 1, "{}", NULL, &a), RR_EINPUT);
    assert_string_equal(rr_reason(), "t.json:1:1: /p~1q: \"count\" is missing: how many, such as 4");
    assert_int_equal(read_table(needed, 1, "[]", NULL, &a), RR_EINPUT);
    assert_string_equal(rr_reason(), "t.json:1:1: /p~1q: a list given; an object {...} is expected");
    static const char *const skip[] = {"later", NULL};
    assert_int_equal(read_table(needed, 1, "{\"count\": 3, \"later\": []}", skip, &a), RR_OK);
    assert_int_equal(read_table(needed, 1, "{\"count\": 3, \"lateer\": []}", skip, &a), RR_EINPUT);
    assert_non_null(strstr(rr_reason(), "did you mean \"later\"?"));
    assert_int_equal(read_table(NULL, 0, "{\"x\": 3}", NULL, &a), RR_EINPUT);
    assert_non_null(strstr(rr_reason(), "there are no keys here"));
}

static void long_and_odd_texts_stay_one_line(void **state)
{
    (void)state;
    char text[400] = "{\"time\": \"";
    for (int i = 0; i < 100; i++) strcat(text, "\xc3\xa9");
    strcat(text, "\"}");
    refused(text, "/p~1q/time");
    refused("{\"word\": \"a\\u000ab\"}", "\"a?b\" given");
    const cJSON node = {.type = cJSON_String, .valuestring = text + 10};
    const char *cut = rr_param_shown(&node, arena);
    assert_int_equal(strlen(cut), 1 + 60 + 3 + 1);
}

static void distributions_are_read_and_shown(void **state)
{
    (void)state;
    static const struct {
        const char *text, *shown;
        enum rr_dist_kind kind;
        double a, b, c;
    } cases[] = {
        {"\"2 h\"", "2 h", RR_DIST_CONSTANT, 7200e6, 0, 0},
        {"{\"exponential\": {\"mean\": \"2 h\"}}", NULL, RR_DIST_EXPONENTIAL, 7200e6, 0, 0},
        {"{\"lognormal\": {\"median\": \"1 h\", \"sigma\": 1.3}}", NULL, RR_DIST_LOGNORMAL, 3600e6, 1.3, 0},
        {"{\"weibull\": {\"scale\": \"3 min\", \"shape\": 0.7}}", NULL, RR_DIST_WEIBULL, 180e6, 0.7, 0},
        {"{\"normal\": {\"mean\": \"1 h\", \"sd\": \"10 min\"}}", NULL, RR_DIST_NORMAL, 3600e6, 600e6, 0},
        {"{\"uniform\": [\"1 s\", \"2 s\"]}", NULL, RR_DIST_UNIFORM, 1e6, 2e6, 0},
        {"{\"triangular\": [\"1 s\", \"2 s\", \"5 s\"]}", NULL, RR_DIST_TRIANGULAR, 1e6, 2e6, 5e6},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct all a = taken(rr_strf(arena, "{\"run\": %s}", cases[i].text));
        assert_true(a.run_us.kind == cases[i].kind && a.run_us.a == cases[i].a && a.run_us.b == cases[i].b && a.run_us.c == cases[i].c);
        shown(&a, "run", cases[i].shown ? cases[i].shown : cases[i].text);
    }
    const struct all a = taken("{\"gpus\": {\"choice\": {\"1\": 3, \"0.5\": 0, \"8\": 1, \"4\": 0}}}"); // weights need not add up to 1
    assert_true(a.gpus.kind == RR_DIST_CHOICE && a.gpus.n == 4 && a.gpus.value[1] == 0.5 && a.gpus.value[2] == 8);
    assert_true(a.gpus.upto[0] == 0.75 && a.gpus.upto[1] == 0.75 && a.gpus.upto[2] == 1 && a.gpus.upto[3] == 1);
    shown(&a, "gpus", "{\"choice\": {\"1\": 0.75, \"0.5\": 0, \"8\": 0.25, \"4\": 0}}");
    const struct all t = taken("{\"run\": {\"choice\": {\"1 h\": 0.6, \"30 min\": 0.4}}}");
    assert_true(t.run_us.value[0] == 3600e6 && t.run_us.value[1] == 1800e6);
    shown(&t, "run", "{\"choice\": {\"1 h\": 0.6, \"30 min\": 0.4}}");
}

static void wrong_distributions_are_refused(void **state)
{
    (void)state;
    refused("{\"run\": 5}", "5 has no unit; a time with its unit or a distribution is expected");
    refused("{\"run\": {}}", "a time with its unit or a distribution is expected");
    refused("{\"run\": {\"exponential\": {\"mean\": \"1 h\"}, \"normal\": {}}}", "an object given");
    refused("{\"run\": {\"exponentail\": {\"mean\": \"1 h\"}}}", "unknown distribution \"exponentail\", did you mean \"exponential\"?");
    refused("{\"run\": {\"empirical\": \"x.csv\"}}", "\"empirical\" is not built yet");
    refused("{\"run\": {\"exponential\": {\"mean\": 3}}}", "3 has no unit");
    refused("{\"run\": {\"exponential\": {\"mean\": \"0 s\"}}}", "\"mean\" must be above 0");
    refused("{\"run\": {\"exponential\": {\"man\": \"1 s\"}}}", "\"exponential\" takes {\"mean\": \"2 h\"}");
    refused("{\"run\": {\"exponential\": \"1 h\"}}", "\"exponential\" takes");
    refused("{\"run\": {\"lognormal\": {\"median\": \"1 h\", \"sigma\": -1}}}", "\"sigma\" must be at least 0");
    refused("{\"run\": {\"lognormal\": {\"median\": \"1 h\", \"sigma\": \"1 h\"}}}", "a number is expected");
    refused("{\"run\": {\"weibull\": {\"scale\": \"1 h\", \"shape\": 0}}}", "\"shape\" must be above 0");
    refused("{\"run\": {\"uniform\": [\"2 s\", \"1 s\"]}}", "must not fall");
    refused("{\"run\": {\"uniform\": [\"2 s\"]}}", "\"uniform\" takes [\"1 h\", \"2 h\"]");
    refused("{\"run\": {\"triangular\": [\"1 s\", \"3 s\", \"2 s\"]}}", "must not fall");
    refused("{\"gpus\": {\"choice\": {}}}", "\"choice\" takes values and their weights");
    refused("{\"gpus\": {\"choice\": {\"1\": 0}}}", "the weights of \"choice\" add up to 0");
    refused("{\"gpus\": {\"choice\": {\"1\": -1, \"2\": 3}}}", "a weight must be at least 0");
    refused("{\"gpus\": {\"choice\": {\"one\": 1}}}", "one");
    refused("{\"gpus\": {\"choice\": {\"65\": 1}}}", "at most 64");
    refused("{\"gpus\": {\"uniform\": [1, 65]}}", "65 given; at most 64 is expected");
    refused("{\"gpus\": {\"exponential\": {\"mean\": 65}}}", "at most 64");
    refused("{\"gpus\": \"1\"}", "a number or a distribution is expected");
}

static void kinds_are_found_by_name(void **state)
{
    (void)state;
    static const struct rr_kind a = {.name = "fifo"}, b = {.name = "easy_backfill"};
    static const struct rr_kind *const at[] = {&a, &b};
    assert_ptr_equal(rr_kind_find((struct rr_kinds){at, 2}, "easy_backfill"), &b);
    assert_null(rr_kind_find((struct rr_kinds){at, 2}, "FIFO"));
    assert_null(rr_kind_find((struct rr_kinds){NULL, 0}, "fifo"));
    assert_string_equal(rr_pointer_join(arena, "/a", "b/c~d"), "/a/b~1c~0d");
}

static void the_schema_has_every_row(void **state)
{
    (void)state;
    cJSON *s = rr_params_schema(rows, N_ROWS), *d = rr_param_schema_defs(), *n = rr_params_schema(needed, 1);
    const cJSON *p = rr_json_member(s, "properties");
    assert_int_equal(cJSON_GetArraySize(p), N_ROWS);
    assert_string_equal(rr_json_at(s, "/properties/word/anyOf/0/enum/1")->valuestring, "shortest");
    assert_true(rr_json_at(s, "/properties/whole/anyOf/0/minimum")->valuedouble == -2);
    assert_true(rr_json_at(s, "/properties/share/anyOf/0/anyOf/0/maximum")->valuedouble == 1);
    assert_string_equal(rr_json_at(s, "/properties/time/default")->valuestring, "5 min");
    assert_string_equal(rr_json_at(s, "/properties/whole/description")->valuestring, "a count (nodes)");
    assert_string_equal(rr_json_at(s, "/properties/grow/description")->valuestring, "growth (not built yet)");
    assert_true(cJSON_IsFalse(rr_json_at(s, "/additionalProperties")));
    assert_null(rr_json_at(s, "/required"));
    assert_string_equal(rr_json_at(n, "/required/0")->valuestring, "count");
    assert_non_null(rr_json_at(d, "/sourced/properties/as_of"));
    assert_non_null(rr_json_at(d, "/dist_time/anyOf/1/properties/lognormal"));
    assert_non_null(rr_json_at(d, "/dist_real/anyOf/1/properties/choice"));
    cJSON_Delete(s);
    cJSON_Delete(d);
    cJSON_Delete(n);
    cJSON_Delete(kept);
    kept = NULL;
}

struct item {
    uint64_t given;
    int64_t count;
};
static const struct rr_param item_rows[] = {
    {.name = "count", .type = RR_P_INT, .offset = offsetof(struct item, count), .def = "3", .least = 1, .most = 9, .help = "how many"},
};
static const struct rr_param_table item_table = {item_rows, 1, sizeof(struct item)};
struct nest {
    uint64_t given;
    const struct rr_records *one, *list, *named;
};
static const char *const ready[] = {"standard", NULL};
static const struct rr_param nest_rows[] = {
    {.name = "one", .type = RR_P_RECORD, .offset = offsetof(struct nest, one), .of = &item_table, .help = "one"},
    {.name = "list", .type = RR_P_LIST, .offset = offsetof(struct nest, list), .of = &item_table, .help = "some"},
    {.name = "named", .type = RR_P_NAMED, .offset = offsetof(struct nest, named), .of = &item_table, .words = ready, .help = "by name"},
};

static enum rr_status nested(const char *text, struct nest *into, cJSON **object)
{
    const struct rr_param_ctx ctx = {.json = json, .arena = arena, .base = "."};
    *object = NULL;
    *into = (struct nest){0};
    assert_int_equal(rr_json_parse(json, "test", text, false, object), RR_OK);
    return rr_params_read(&ctx, nest_rows, 3, *object, "/plan", NULL, into);
}

static void tables_within_a_parameter(void **state)
{
    (void)state;
    struct nest n;
    cJSON *object;
    struct rr_buf b = {0};
    assert_int_equal(
        nested("{\"one\": {\"count\": 5}, \"list\": [{}, {\"count\": 2}], \"named\": {\"leaf\": {\"count\": 4}}}", &n, &object), RR_OK);
    assert_int_equal(((const struct item *)n.one->at)->count, 5);
    assert_int_equal(n.list->n, 2);
    assert_int_equal(((const struct item *)n.list->at)[0].count, 3);
    assert_false(rr_given(n.list->at, 0));
    assert_int_equal(((const struct item *)n.list->at)[1].count, 2);
    assert_string_equal(n.named->key[0], "leaf");
    assert_int_equal(n.named->word, -1);
    rr_param_text(&b, &nest_rows[2], &n);
    assert_string_equal(rr_buf_text(&b), "{\"leaf\":{\"count\":4}}");
    rr_buf_done(&b);
    cJSON_Delete(object);
    assert_int_equal(nested("{\"named\": \"standard\"}", &n, &object), RR_OK);
    assert_int_equal(n.named->word, 0);
    assert_int_equal(n.named->n, 0);
    cJSON_Delete(object);

    static const char *const bad[][2] = {
        {"{\"one\": []}", "a list given; an object {...} is expected"},
        {"{\"one\": {\"count\": 10}}", "/plan/one/count: 10 given; at most 9 is expected"},
        {"{\"list\": [{\"count\": 1}, {\"cuont\": 1}]}", "/plan/list/1/cuont: unknown key \"cuont\"; did you mean \"count\"?"},
        {"{\"list\": []}", "a list of objects [{...}] is expected"},
        {"{\"named\": {}}", "an object by each name"},
        {"{\"named\": \"standart\"}", "\"standart\" given"},
        {"{\"list\": \"standard\"}", "a list of objects [{...}] is expected"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(nested(bad[i][0], &n, &object), RR_EINPUT);
        if (!strstr(rr_reason(), bad[i][1])) fail_msg("\"%s\" lacks \"%s\"", rr_reason(), bad[i][1]);
        cJSON_Delete(object);
    }
    cJSON *schema = rr_params_schema(nest_rows, 3);
    char *shown = cJSON_PrintUnformatted(schema);
    assert_non_null(strstr(shown, "{\"enum\":[\"standard\"]}"));
    cJSON_free(shown);
    cJSON_Delete(schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_fill_in_without_being_given),
        cmocka_unit_test(every_type_is_read),
        cmocka_unit_test(a_value_may_carry_its_source),
        cmocka_unit_test(what_is_wrong_is_said_with_what_is_right),
        cmocka_unit_test(missing_and_misplaced_objects),
        cmocka_unit_test(long_and_odd_texts_stay_one_line),
        cmocka_unit_test(distributions_are_read_and_shown),
        cmocka_unit_test(wrong_distributions_are_refused),
        cmocka_unit_test(kinds_are_found_by_name),
        cmocka_unit_test(the_schema_has_every_row),
        cmocka_unit_test(tables_within_a_parameter),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
