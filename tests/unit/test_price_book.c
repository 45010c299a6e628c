/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_price_book.c - looking prices up in books: region, zone and date, paths, discounts, lints; against a plain search. */
#include "data/price_book.h"
#include "data/price_import.h"
#include "data/scenario.h"
#include "tests/unit/test_dir.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define HEAD "provider,product,instance,gpu,gpu_count,unit,region,zone,plan,term,payment,currency,price,upfront,valid_from,source,note\n"

static struct rr_arena *arena;

static const char *put(const char *name, const char *text)
{
    const char *path = in_dir(name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
    return path;
}

static struct rr_price_book book_of(const char *text)
{
    struct rr_price_book b;
    if (rr_book_read(put("book.csv", text), NULL, arena, &b) != RR_OK) fail_msg("%s", rr_reason());
    return b;
}

static int64_t day(const char *s)
{
    int64_t us;
    assert_int_equal(rr_price_when(rr_slice(s, strlen(s)), &us), RR_OK);
    return us;
}

static struct rr_book_query query(const char *instance, const char *region, int64_t at_us)
{
    return (struct rr_book_query){.instance = instance, .region = region, .plan = "on_demand", .term = "", .payment = "", .at_us = at_us};
}

/* Line of the row that answers; 0: none. */
static int line_of(const struct rr_price_book *b, struct rr_book_query q)
{
    const struct rr_book_row *r;
    if (rr_book_find(b, &q, &r, NULL) != RR_OK) fail_msg("%s", rr_reason());
    return r ? (int)r->line : 0;
}

static void fails_with(enum rr_status st, const char *why)
{
    assert_int_equal(st, RR_EINPUT);
    if (!strstr(rr_reason(), why)) fail_msg("\"%s\" lacks \"%s\"", rr_reason(), why);
}

static void zone_then_region_then_any(void **state)
{
    (void)state;
    const struct rr_price_book b = book_of(HEAD "acme,,x,G,4,GPU-hour,east,e1,,,,USD,2.385,,2025-03-01,q,\n"
                                                "acme,,x,G,4,GPU-hour,east,,,,,USD,2.771,,2025-03-01,q,\n"
                                                "acme,,x,G,4,GPU-hour,any,,,,,USD,3.193,,2025-03-01,q,\n"
                                                "acme,,y,G,4,GPU-hour,east,e1,,,,USD,1.17,,2025-03-01,q,\n"
                                                "acme,,y,G,4,GPU-hour,east,e2,,,,USD,1.17,,2025-03-01,q,\n"
                                                "acme,,y,G,4,GPU-hour,west,w1,,,,USD,1.93,,2025-03-01,q,\n");
    const struct rr_book_row *r;
    assert_int_equal(line_of(&b, query("acme/x", "east/e1", RR_NEVER)), 2);
    assert_int_equal(line_of(&b, query("acme/x", "east", RR_NEVER)), 3);
    assert_int_equal(line_of(&b, query("acme/x", "north", RR_NEVER)), 4);
    assert_int_equal(line_of(&b, query("acme/z", "east", RR_NEVER)), 0);
    assert_int_equal(line_of(&b, query("acme/y", "north", RR_NEVER)), 0);
    assert_true(line_of(&b, query("acme/y", "east", RR_NEVER)) == 5); // both zones agree
    struct rr_book_query q = query("acme/y", "", RR_NEVER);
    fails_with(rr_book_find(&b, &q, &r, NULL), "depends on the region (east on line 5, west on line 7");
    q = query("acme/x", "", RR_NEVER);
    fails_with(rr_book_find(&b, &q, &r, NULL), "depends on the");
    q = query("acme/x", "east/e7", RR_NEVER);
    fails_with(rr_book_find(&b, &q, &r, NULL), "zone \"e7\" of east is not known for acme/x; there is: e1");
}

static void the_latest_that_has_begun(void **state)
{
    (void)state;
    const struct rr_price_book b = book_of(HEAD "acme,,x,G,4,GPU-hour,east,,,,,USD,2.5,,2025-06-01,q,\n"
                                                "acme,,x,G,4,GPU-hour,east,,,,,USD,2.25,,2025-03-01,q,\n" // not in order
                                                "acme,,x,G,4,GPU-hour,east,,,,,USD,2.75,,2025-06-01T12:00:00Z,q,\n"
                                                "acme,,x,G,4,GPU-hour,east,,,,,USD,,,2025-09-01,q,\n");
    bool early;
    const struct rr_book_row *r;
    assert_int_equal(line_of(&b, query("acme/x", "east", day("2025-05-31"))), 3);
    assert_int_equal(line_of(&b, query("acme/x", "east", day("2025-06-01"))), 2);
    assert_int_equal(line_of(&b, query("acme/x", "east", day("2025-06-02"))), 4);
    struct rr_book_query q = query("acme/x", "east", day("2025-09-01"));
    fails_with(rr_book_find(&b, &q, &r, NULL), "book.csv:5: acme/x is not offered on_demand in east from 2025-09-01 on");
    q.at_us = day("2024-01-01"); // before the first: taken, but told
    assert_int_equal(rr_book_find(&b, &q, &r, &early), RR_OK);
    assert_true(early && r->line == 3);
    int64_t *at;
    size_t n;
    rr_book_changes(&b, &q, day("2025-03-01"), day("2025-09-01"), arena, &at, &n);
    assert_int_equal(n, 2);
    assert_int_equal(at[0], day("2025-06-01"));
    assert_int_equal(at[1], day("2025-06-01") + 12 * RR_H);
}

/* The price that holds, by a plain walk over the rows in file order. */
static const struct rr_book_row *plainly(const struct rr_price_book *b, const char *instance, const char *region, const char *zone,
                                         int64_t at)
{
    const struct rr_book_row *best = NULL;
    for (int step = 0; step < 3 && !best; step++)
        for (size_t i = 0; i < b->n; i++) {
            const struct rr_book_row *r = &b->row[i];
            const char *want_region = step < 2 ? region : "", *want_zone = step < 1 ? zone : "";
            if (strcmp(r->instance, instance) != 0 || strcmp(r->region, want_region) != 0 || strcmp(r->zone, want_zone) != 0) continue;
            if (r->valid_us <= at && (!best || r->valid_us > best->valid_us)) best = r;
        }
    return best;
}

static void random_books_answer_as_a_plain_search_does(void **state)
{
    (void)state;
    uint64_t x = 88172645463325252u;
    struct rr_buf text = {0};
    rr_buf_puts(&text, HEAD);
    for (int i = 0; i < 4000; i++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        const int instance = (int)(x % 23), region = (int)(x / 23 % 4), zone = (int)(x / 92 % 3), month = (int)(x / 276 % 12);
        const char *place = region == 0 ? "," : zone == 0 ? rr_strf(arena, "r%d,", region) : rr_strf(arena, "r%d,z%d", region, zone);
        rr_buf_putf(&text, "acme,,m%d,G,4,GPU-hour,%s,,,,USD,%d.%d,,%d-%02d-%02d,q,\n", instance, place, 1 + i, i % 10 + 1,
                    2020 + (int)(x / 3312 % 5), month + 1, (int)(x / 16560 % 28) + 1);
    }
    struct rr_price_book b;
    assert_int_equal(rr_book_read_raw(put("book.csv", rr_buf_text(&text)), NULL, arena, &b), RR_OK);
    rr_buf_done(&text);
    size_t asked = 0, found = 0;
    for (int instance = 0; instance < 24; instance++)
        for (int region = 1; region < 4; region++)
            for (int zone = 1; zone < 3; zone++)
                for (int year = 2020; year < 2026; year++) {
                    const char *id = rr_strf(arena, "acme/m%d", instance), *r = rr_strf(arena, "r%d", region),
                               *z = rr_strf(arena, "z%d", zone);
                    const int64_t at = day(rr_strf(arena, "%d-06-17", year));
                    const struct rr_book_row *want = plainly(&b, id, r, z, at), *is;
                    const struct rr_book_query q = query(id, rr_strf(arena, "%s/%s", r, z), at);
                    bool early;
                    assert_int_equal(rr_book_find(&b, &q, &is, &early), RR_OK);
                    asked++;
                    if (!want) {
                        assert_true(is == NULL || early);
                        continue;
                    }
                    found++;
                    assert_false(early);
                    assert_true(is->region == want->region && is->zone == want->zone && is->valid_us == want->valid_us);
                }
    assert_true(asked == 864 && found > 600);
}

/* ---- as a catalog ---- */

static const struct rr_instance machine[] = {
    {.id = "acme/x", .gpu = "g", .gpus = 4, .fact = {"a page", "2025", "data/facts/instances.csv", 7, ""}}};
static const struct rr_price_row listed[] = {{.instance = "acme/x",
                                              .region = "west",
                                              .plan = "on_demand",
                                              .term = "",
                                              .payment = "",
                                              .rate = {{9540000000, RR_PER_NODE, RR_HOUR}, "USD"},
                                              .fact = {"a page", "2025", "data/facts/prices.csv", 9, ""}}};
static struct rr_catalog facts = {.instance = machine, .n_instances = 1, .price = listed, .n_prices = 1};

struct shelf {
    struct rr_shelf_book book;
    const struct rr_shelf_book *list[1];
    struct rr_scenario scenario;
    struct rr_catalog catalog;
};

static struct shelf *shelf_of(const char *text, const char *start)
{
    struct shelf *s = RR_NEW(arena, struct shelf);
    s->book.book = book_of(text);
    s->list[0] = &s->book;
    s->scenario = (struct rr_scenario){.currency = "USD", .book = s->list, .n_books = 1, .clock = {start != NULL, start ? day(start) : 0}};
    rr_catalog_with_books(&facts, &s->scenario, arena, &s->catalog);
    return s;
}

static void books_come_before_the_facts(void **state)
{
    (void)state;
    struct shelf *s = shelf_of(HEAD "acme,,x,G,4,GPU-second,east,,,,,USD,0.000625,,2025-03-01,quote 3,\n"
                                    "acme,,x,G,4,instance-hour,east,,reserved,12 months,,USD,7.5,,2025-03-01,quote 4,\n"
                                    "acme,,x,G,4,instance-hour,east,,reserved,3 years,all_upfront,USD,,131071.5,2025-03-01,quote 5,\n"
                                    "own,,rig,H,2,instance-hour,,,,,,USD,3.75,,2025-03-01,quote 6,\n",
                               "2026-01-01");
    const struct rr_price_row *p;
    const struct rr_instance *x;
    assert_int_equal(rr_catalog_price(&s->catalog, "acme/x", "east", "on_demand", "", "", &p), RR_OK);
    assert_true(p->rate.rate.nano == 625000 && p->rate.rate.per == RR_PER_GPU && p->rate.rate.time == RR_SECOND);
    assert_string_equal(p->fact.source, "quote 3");
    assert_string_equal(p->fact.date, "2025-03-01");
    assert_int_equal(rr_catalog_price(&s->catalog, "acme/x", "west", "on_demand", "", "", &p), RR_OK); // the facts
    assert_int_equal(p->fact.line, 9);
    assert_int_equal(rr_catalog_price(&s->catalog, "acme/x", "west/w1", "on_demand", "", "", &p), RR_OK); // they know no zones
    assert_int_equal(rr_catalog_price(&s->catalog, "acme/x", "east", "reserved", "1 year", "no_upfront", &p), RR_OK);
    assert_int_equal(p->rate.rate.nano, 7500000000); // a row without a payment form answers for any
    assert_int_equal(rr_catalog_price(&s->catalog, "acme/x", "east", "reserved", "3 years", "all_upfront", &p), RR_OK);
    assert_true(p->rate.rate.nano == 0 && p->upfront.money.micro == 131071500000);
    assert_int_equal(rr_catalog_instance(&s->catalog, "own/rig", &x), RR_OK);
    assert_true(x->gpus == 2 && strcmp(x->gpu, "H") == 0);
    fails_with(rr_catalog_price(&s->catalog, "acme/x", "north", "on_demand", "", "", &p), "no on_demand price for acme/x in north");
    fails_with(rr_catalog_instance(&s->catalog, "own/rib", &x), "\"own/rib\" is not in the table of instances");
}

static void a_path_of_prices(void **state)
{
    (void)state;
    static const char text[] = HEAD "acme,,x,G,4,GPU-hour,east,,,,,USD,2.5,,2025-11-01,q,\n"
                                    "acme,,x,G,4,GPU-hour,east,,,,,USD,2.25,,2026-01-11,q,\n"
                                    "acme,,x,G,4,GPU-hour,east,,,,,USD,2.25,,2026-02-01,said again,\n"
                                    "acme,,x,G,4,GPU-hour,east,,,,,USD,3.125,,2026-03-01,q,\n";
    struct shelf *s = shelf_of(text, "2026-01-01");
    struct rr_price_step *step;
    struct rr_book_query q = query("acme/x", "east", 0);
    size_t n;
    assert_int_equal(rr_catalog_price_steps(&s->catalog, &q, 365 * RR_D, arena, &step, &n), RR_OK);
    assert_int_equal(n, 3);
    assert_true(step[0].from_us == 0 && step[0].row->rate.rate.nano == 2500000000);
    assert_true(step[1].from_us == 10 * RR_D && step[1].row->rate.rate.nano == 2250000000);
    assert_true(step[2].from_us == 59 * RR_D && step[2].row->rate.rate.nano == 3125000000);
    assert_int_equal(rr_catalog_price_steps(&s->catalog, &q, 59 * RR_D, arena, &step, &n), RR_OK);
    assert_int_equal(n, 2); // the horizon is not in it
    q.region = "west";
    assert_int_equal(rr_catalog_price_steps(&s->catalog, &q, 365 * RR_D, arena, &step, &n), RR_OK);
    assert_true(n == 1 && step[0].row->fact.line == 9); // the facts: one price
    s = shelf_of(text, NULL);
    q.region = "east";
    assert_int_equal(rr_catalog_price_steps(&s->catalog, &q, 365 * RR_D, arena, &step, &n), RR_OK);
    assert_true(n == 1 && step[0].row->rate.rate.nano == 3125000000); // without a calendar the latest
    s = shelf_of(HEAD "acme,,x,G,4,GPU-hour,east,,,,,USD,2.5,,2025-11-01,q,\n"
                      "acme,,x,G,4,GPU-hour,east,,,,,USD,,,2026-05-01,gone,\n",
                 "2026-01-01");
    fails_with(rr_catalog_price_steps(&s->catalog, &q, 365 * RR_D, arena, &step, &n), "book.csv:3: acme/x is not offered on_demand");
    s = shelf_of(HEAD "acme,,x,G,4,GPU-hour,east,,,,,USD,2.5,,2026-04-01,q,\n", "2026-01-01");
    assert_int_equal(rr_catalog_price_steps(&s->catalog, &q, 365 * RR_D, arena, &step, &n), RR_OK);
    assert_int_equal(n, 1);
    assert_string_equal(step[0].row->fact.date, "2026-04-01 (after the start)");
}

static void zones_that_part_ways(void **state)
{
    (void)state;
    struct shelf *s = shelf_of(HEAD "acme,,x,G,4,GPU-hour,east,e1,,,,USD,2.5,,2025-11-01,q,\n"
                                    "acme,,x,G,4,GPU-hour,east,e2,,,,USD,2.5,,2025-12-01,q,\n"
                                    "acme,,x,G,4,GPU-hour,east,e2,,,,USD,2.75,,2026-03-01,q,\n",
                               "2026-01-01");
    struct rr_price_step *step;
    struct rr_book_query q = query("acme/x", "east", 0);
    size_t n;
    assert_int_equal(rr_catalog_price_steps(&s->catalog, &q, 30 * RR_D, arena, &step, &n), RR_OK);
    assert_int_equal(n, 1);
    fails_with(rr_catalog_price_steps(&s->catalog, &q, 300 * RR_D, arena, &step, &n), "depends on the zone");
    q.region = "east/e2";
    assert_int_equal(rr_catalog_price_steps(&s->catalog, &q, 300 * RR_D, arena, &step, &n), RR_OK);
    assert_int_equal(n, 2);
}

static void discounts_are_exact_and_spare_spot(void **state)
{
    (void)state;
    static const struct rr_book_discount off[] = {{"acme/*", 500000000}, {"acme/x*", 123456789}};
    struct shelf *s = shelf_of(HEAD "acme,,x,G,4,instance-hour,east,,,,,USD,98.32,,2025-11-01,q,\n"
                                    "acme,,x,G,4,instance-hour,east,,spot,,,USD,19.2531,,2025-11-01,q,\n"
                                    "acme,,y,G,4,instance-hour,east,,reserved,1 year,partial_upfront,USD,7.3,1001.001,2025-11-01,q,\n",
                               "2026-01-01");
    const struct rr_price_row *p;
    s->book.discount = off;
    s->book.n_discounts = 2;
    assert_int_equal(rr_catalog_price(&s->catalog, "acme/x", "east", "on_demand", "", "", &p), RR_OK);
    assert_int_equal(p->rate.rate.nano, 86181728506); // 98.32 x 0.876543211 = 86.18172850552
    assert_string_equal(p->fact.source, "q, less 12.3456789 % (acme/x*)");
    assert_int_equal(rr_catalog_price(&s->catalog, "acme/x", "east", "spot", "", "", &p), RR_OK);
    assert_int_equal(p->rate.rate.nano, 19253100000);
    assert_int_equal(rr_catalog_price(&s->catalog, "acme/y", "east", "reserved", "1 year", "partial_upfront", &p), RR_OK);
    assert_true(p->rate.rate.nano == 3650000000 && p->upfront.money.micro == 500500500);
}

static void what_is_no_machine_is_found_by_product(void **state)
{
    (void)state;
    const struct rr_price_book b = book_of(HEAD "aws,storage,,,,GB-month,us-east-1,,,,,USD,0.023,,2026-01-01,q,\n"
                                                "oci,storage,,,,GB-month,,,,,,USD,0.0255,,2026-01-01,q,\n"
                                                "aws,egress,,,,GB,,,,,,USD,0.09,,2026-01-01,q,\n"
                                                "acme,tokens,,,,million-tokens,,,serverless,,,USD,0.4,,2026-01-01,q,\n");
    struct rr_book_query q = {.provider = "aws",
                              .product = "storage",
                              .instance = "",
                              .region = "us-east-1",
                              .plan = "on_demand",
                              .term = "",
                              .payment = "",
                              .at_us = RR_NEVER};
    assert_int_equal(line_of(&b, q), 2);
    q.provider = "oci";
    assert_int_equal(line_of(&b, q), 3);
    q.provider = "aws";
    q.product = "egress";
    assert_int_equal(line_of(&b, q), 4);
    assert_int_equal(line_of(&b, query("", "us-east-1", RR_NEVER)), 0); // no "compute"
}

static void writing_and_reading_again_changes_nothing(void **state)
{
    (void)state;
    static const char text[] =
        HEAD "acme,compute,acme/x,g,0.167,instance-hour,east,e1,on_demand,,,USD,0.000000001,,2025-03-01,\"a, \"\"b\"\"\",\n"
             "acme,compute,acme/x,g,16,instance-hour,,,reserved,3 years,partial_upfront,CNY,123456.789,1000000.5,2025-03-01T01:02:03Z,q,n\n"
             "acme,compute,acme/x,g,16,instance-hour,west,,on_demand,,,CNY,,,2025-03-01,q,gone\n";
    const struct rr_price_book b = book_of(text);
    struct rr_buf out = {0};
    rr_book_write(&out, &b);
    assert_string_equal(rr_buf_text(&out), text);
    rr_buf_done(&out);
}

static void lints_by_kind(void **state)
{
    (void)state;
    struct rr_price_book b;
    struct rr_lint *lint;
    size_t n;
    const char *text = HEAD "acme,,x,G,4,instance-hour,east,,,,,USD,8,,2025-03-01,q,\n"
                            "acme,,x,G,4,instance-hour,east,,spot,,,USD,8.00008,,2025-03-01,within rounding,\n"
                            "acme,,x,G,4,instance-hour,west,,,,,USD,9,,2025-03-01,q,\n"
                            "acme,,x,G,4,instance-hour,west,,spot,,,USD,9.0001,,2025-03-01,q,\n"
                            "acme,,x,G,4,instance-hour,west,,reserved,1 year,no_upfront,USD,9.5,,2025-03-01,q,\n"
                            "acme,,x,G,4,instance-hour,west,,reserved,1 year,all_upfront,USD,,78894,2025-03-01,9 an hour,\n"
                            "acme,,y,G,8,GPU-hour,west,,,,,USD,17,,2025-03-01,q,\n"
                            "acme,,z,G,1,GPU-hour,west,,,,,USD,2,,2025-03-01,q,\n"
                            "acme,,x,G,4,GPU-hour,west,,,,,USD,2,,2025-04-01,q,\n"
                            "acme,,x,G,4,GPU-hour,west,,,,,EUR,2,,2025-05-01,q,\n";
    assert_int_equal(rr_book_read_raw(put("book.csv", text), NULL, arena, &b), RR_OK);
    rr_book_lint(&b, NULL, arena, &lint, &n);
    static const struct {
        int line;
        enum rr_lint_kind kind;
    } want[] = {{5, RR_LINT_SPOT_DEAR}, {6, RR_LINT_RESERVED_DEAR}, {8, RR_LINT_UNIT}, {10, RR_LINT_UNIT}, {11, RR_LINT_TWO_CURRENCIES}};
    for (size_t i = 0; i < n; i++)
        if (i >= sizeof want / sizeof *want || lint[i].row->line != want[i].line || lint[i].kind != want[i].kind)
            fail_msg("%d: %s: %s", (int)lint[i].row->line, rr_lint_names[lint[i].kind], lint[i].text);
    assert_int_equal(n, sizeof want / sizeof *want);
    fails_with(rr_book_conflicts(&b), "book.csv:11: in EUR, but the same price stands in USD on line 10");
}

static int setup(void **state)
{
    arena = rr_arena_create();
    return test_dir_make(state);
}

static int teardown(void **state)
{
    rr_arena_free(arena);
    return test_dir_remove(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zone_then_region_then_any),
        cmocka_unit_test(the_latest_that_has_begun),
        cmocka_unit_test(random_books_answer_as_a_plain_search_does),
        cmocka_unit_test(books_come_before_the_facts),
        cmocka_unit_test(a_path_of_prices),
        cmocka_unit_test(zones_that_part_ways),
        cmocka_unit_test(discounts_are_exact_and_spare_spot),
        cmocka_unit_test(what_is_no_machine_is_found_by_product),
        cmocka_unit_test(writing_and_reading_again_changes_nothing),
        cmocka_unit_test(lints_by_kind),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
