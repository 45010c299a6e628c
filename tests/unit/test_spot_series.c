/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_spot_series.c - readers of spot series: small files by hand, mistakes, and the public data's own counts. */
#include "data/spot.h"
#include "tests/unit/test_dir.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

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

static struct rr_spot_series read_with(struct rr_spot_file file, enum rr_spot_of of)
{
    struct rr_spot_series s;
    if (rr_spot_read(&file, of, arena, &s) != RR_OK) fail_msg("%s", rr_reason());
    assert_true(s.n > 0 && s.at_us[0] == 0);
    for (size_t i = 1; i < s.n; i++) assert_true(s.at_us[i] > s.at_us[i - 1] && s.value[i] != s.value[i - 1]);
    return s;
}

static void refused_with(struct rr_spot_file file, enum rr_spot_of of, const char *text, const char *why)
{
    struct rr_spot_series s;
    file.path = put("bad", text);
    assert_int_equal(rr_spot_read(&file, of, arena, &s), RR_EINPUT);
    if (!strstr(rr_reason(), why)) fail_msg("\"%s\" lacks \"%s\"", rr_reason(), why);
}

static void refused(enum rr_spot_of of, const char *text, const char *why) { refused_with((struct rr_spot_file){0}, of, text, why); }

#define ENTRY(zone, type, price, time)                                                                                             \
    "{\"AvailabilityZone\": \"" zone "\", \"InstanceType\": \"" type "\", \"ProductDescription\": \"Linux/UNIX\", \"SpotPrice\": " \
    "\"" price "\", \"Timestamp\": \"" time "\"}"
#define HISTORY(entries) "{\"NextToken\": \"\", \"SpotPriceHistory\": [" entries "]}"

static void aws_is_newest_first(void **state)
{
    (void)state;
    const char *path = put("aws.json", HISTORY(ENTRY("x-1a", "p3.2xlarge", "1.3709", "2020-02-20T10:00:00.500Z") "," //
                                               ENTRY("x-1b", "p3.2xlarge", "9.0", "2020-02-19T10:00:00.000Z") ","    //
                                               ENTRY("x-1a", "p3.2xlarge", "1.2", "2020-02-09T10:00:00.000Z") ","    //
                                               ENTRY("x-1a", "p3.2xlarge", "1.1", "2020-02-09T10:00:00.000Z") ","    //
                                               ENTRY("x-1a", "p3.2xlarge", "1.0", "2020-02-08T10:00:00.000Z")));
    const struct rr_spot_series s = read_with((struct rr_spot_file){.path = path, .zone = "x-1a"}, RR_SPOT_PRICES);
    assert_int_equal(s.rows, 4);
    assert_int_equal(s.n, 3); // of two at one time the newer stands first in the file
    assert_int_equal(s.value[1], 1200000000);
    assert_int_equal(s.at_us[1], RR_D);
    assert_int_equal(s.at_us[2], 12 * RR_D + RR_S / 2);
    assert_int_equal(s.value[2], 1370900000);
    assert_true(s.absolute && s.epoch_us == INT64_C(1581156000) * RR_S); // 2020-02-08T10:00:00Z
    assert_int_equal(s.gaps, 1);                                         // 11 days
    assert_int_equal(s.longest_gap_us, 11 * RR_D + RR_S / 2);
    assert_string_equal(s.instance, "p3.2xlarge");
    assert_int_equal(rr_spot_at(&s, -5), 1000000000);
    assert_int_equal(rr_spot_at(&s, RR_D - 1), 1000000000);
    assert_int_equal(rr_spot_at(&s, RR_D), 1200000000);
    assert_int_equal(rr_spot_at(&s, RR_YEAR_US), 1370900000);
}

static void aws_mistakes(void **state)
{
    (void)state;
    refused(RR_SPOT_PRICES, HISTORY(""), "no prices");
    refused(RR_SPOT_PRICES, "{\"SpotPriceHistory\": 3}", "no list");
    refused(RR_SPOT_PRICES, "{\"SpotPriceHistory\": [3]}", "an entry {...}");
    refused(RR_SPOT_PRICES, HISTORY(ENTRY("a", "p", "1.1", "2020-02-09T10:00:00.000Z") "," ENTRY("b", "p", "1", "2020-02-09T10:00:00Z")),
            "say which with \"zone\"");
    refused(RR_SPOT_PRICES, HISTORY(ENTRY("a", "p", "1.1", "2020-02-09T10:00:00.000Z") "," ENTRY("a", "q", "1", "2020-02-09T10:00:00Z")),
            "say which with \"instance\"");
    refused_with((struct rr_spot_file){.zone = "c"}, RR_SPOT_PRICES, HISTORY(ENTRY("a", "p", "1.1", "2020-02-09T10:00:00Z")),
                 "no price of zone \"c\"");
    refused(RR_SPOT_PRICES, HISTORY(ENTRY("a", "p", "$1.1", "2020-02-09T10:00:00Z")), "bad:1:");
    refused(RR_SPOT_PRICES, HISTORY(ENTRY("a", "p", "$1.1", "2020-02-09T10:00:00Z")), "SpotPrice");
    refused(RR_SPOT_PRICES, HISTORY(ENTRY("a", "p", "0", "2020-02-09T10:00:00Z")), "not above 0");
    refused(RR_SPOT_PRICES, HISTORY(ENTRY("a", "p", "1.1", "yesterday")), "Timestamp");
    refused(RR_SPOT_NODES, HISTORY(ENTRY("a", "p", "1.1", "2020-02-09T10:00:00Z")), "has prices, not nodes");
    refused(RR_SPOT_PRICES, "{\"SpotPriceHistory\": [", "bad:1:");
}

static void skypilot_ticks(void **state)
{
    (void)state;
    const char *path = put("sky.json", "{\"metadata\": {\"gap_seconds\": 195.5}, \"data\": [0, 0, 3, 3, 16, 1]}");
    struct rr_spot_series s = read_with((struct rr_spot_file){.path = path}, RR_SPOT_NODES);
    assert_int_equal(s.rows, 6);
    assert_int_equal(s.n, 4);
    assert_int_equal(s.at_us[2], 4 * 195500 * RR_MS);
    assert_int_equal(s.value[2], 16);
    assert_int_equal(s.end_us, 6 * 195500 * RR_MS); // the last tick holds for its length
    s = read_with((struct rr_spot_file){.path = path, .gap_us = RR_MIN, .times = 7}, RR_SPOT_NODES);
    assert_int_equal(s.at_us[3], 5 * RR_MIN);
    assert_int_equal(s.value[1], 21);
    refused(RR_SPOT_NODES, "{\"metadata\": {\"gap_seconds\": 0}, \"data\": [1]}", "gap_seconds");
    refused(RR_SPOT_NODES, "{\"metadata\": {\"gap_seconds\": 3}, \"data\": [1.5]}", "a number of instances");
    refused(RR_SPOT_NODES, "{\"metadata\": {\"gap_seconds\": 3}, \"data\": [-1]}", "a number of instances");
    refused(RR_SPOT_NODES, "{\"metadata\": {\"gap_seconds\": 3}}", "a list of numbers");
    refused(RR_SPOT_NODES, "{\"metadata\": {\"gap_seconds\": 3}, \"data\": []}", "no node counts");
    refused(RR_SPOT_PRICES, "{\"metadata\": {\"gap_seconds\": 3}, \"data\": [1]}", "has nodes, not prices");
}

static void our_csv(void **state)
{
    (void)state;
    const char *path = put("p.csv", "zone,time,price\na,0,1.17\nb,0,7\na,3600.25,1.19\na,90,0.5\na,7200,\n");
    struct rr_spot_series s = read_with((struct rr_spot_file){.path = path, .zone = "a", .currency = "EUR"}, RR_SPOT_PRICES);
    assert_int_equal(s.n, 3); // sorted
    assert_int_equal(s.at_us[1], 90 * RR_S);
    assert_int_equal(s.value[1], 500000000);
    assert_int_equal(s.at_us[2], 3600250 * RR_MS);
    assert_int_equal(s.end_us, 7200 * RR_S);
    assert_string_equal(s.currency, "EUR");
    path = put("n.csv", "time,nodes\n2026-01-01T00:00:00Z,4\n2026-01-01T02:30:00Z,0\n");
    s = read_with((struct rr_spot_file){.path = path}, RR_SPOT_NODES);
    assert_true(s.absolute);
    assert_int_equal(s.at_us[1], 150 * RR_MIN);
    assert_int_equal(s.gaps, 1);
    refused(RR_SPOT_PRICES, "time,price\n0,1.1\n1,x\n", "bad:3: price is no number");
    refused(RR_SPOT_PRICES, "time,price\n0,1.1\n2026-01-01T00:00:00Z,1.2\n", "bad:3: seconds and dates");
    refused(RR_SPOT_PRICES, "time,price\nsoon,1.1\n", "bad:2: time is neither");
    refused(RR_SPOT_PRICES, "time,price\n0,-1.1\n", "not above 0");
    refused(RR_SPOT_PRICES, "time,nodes\n0,1\n", "time,price are expected");
    refused(RR_SPOT_NODES, "time,price\n0,1\n", "time,nodes are expected");
    refused(RR_SPOT_NODES, "time,nodes\n0,1.5\n", "bad:2: nodes is no number");
    refused(RR_SPOT_PRICES, "time,price,zone\n0,1,a\n9,1,b\n", "bad:3: several zones");
    refused(RR_SPOT_PRICES, "time,price\n", "no prices");
    refused(RR_SPOT_PRICES, "time,price\n9e11,1\n", "out of range");
    refused(RR_SPOT_PRICES, "hello\n", "no spot series that is known here");
    refused_with((struct rr_spot_file){.format = "aws"}, RR_SPOT_PRICES, "time,price\n0,1\n", "aws-spot-history");
}

static void events_and_counts(void **state)
{
    (void)state;
    const char *path = put("ev.csv", "0,add,n1\n0,add,n2\n60000,remove,n1\n60000,remove,n2\n60000,add,n1\n61500,add,n3\n");
    struct rr_spot_series s = read_with((struct rr_spot_file){.path = path}, RR_SPOT_NODES);
    assert_int_equal(s.rows, 6);
    assert_int_equal(s.n, 3);
    assert_int_equal(s.value[0], 2);
    assert_int_equal(s.at_us[1], 60 * RR_S);
    assert_int_equal(s.value[1], 1);
    assert_int_equal(s.at_us[2], 61500 * RR_MS);
    path = put("co.csv", "0,10\n41093,10\n41093,9\n41885,9\n41885,10\n");
    s = read_with((struct rr_spot_file){.path = path, .unit = RR_SPOT_S}, RR_SPOT_NODES);
    assert_int_equal(s.n, 3);
    assert_int_equal(s.at_us[1], 41093 * RR_S);
    assert_int_equal(s.at_us[2], 41885 * RR_S);
    path = put("gc.txt", "2021-12-11, 11:13:10, 54\n2021-12-11, 11:11:30, 55\n");
    s = read_with((struct rr_spot_file){.path = path}, RR_SPOT_NODES);
    assert_int_equal(s.at_us[1], 100 * RR_S);
    assert_int_equal(s.value[1], 54);
    refused(RR_SPOT_NODES, "0,remove,n1\n", "bad:1: more nodes are removed");
    refused(RR_SPOT_NODES, "0,add,n1\n9,drop,n1\n", "bad:2: \"add\" or \"remove\"");
    refused(RR_SPOT_NODES, "9,add,n1\n0,add,n1\n", "not in order of time");
    refused(RR_SPOT_NODES, "0,add,n1\nx,add,n1\n", "bad:2: milliseconds");
    refused(RR_SPOT_NODES, "0,1\n5,-1\n", "below 0");
    refused(RR_SPOT_NODES, "0,1\n5\n", "bad:2: a time and a number");
    refused(RR_SPOT_NODES, "0,1\n2021-12-11, 11:13:10, 54\n", "bad:2: dates and times");
}

static void gaps_are_told_once(void **state)
{
    (void)state;
    struct rr_notes notes = {.arena = arena};
    const struct rr_spot_file file = {.path = put("g.csv", "time,price\n0,1\n604800,2\n604801,3\n1300000,4\n"), .gap_limit_us = RR_D};
    const struct rr_spot_series s = read_with(file, RR_SPOT_PRICES);
    rr_spot_note(&notes, "/x", &s, &file);
    assert_int_equal(notes.list.n, 1);
    assert_non_null(strstr(notes.list.at[0].text, "2 gaps of more than 1 d, the longest 8"));
    rr_notes_done(&notes);
}

/* ---- the public data ---- */

static const char *shared(const char *rest)
{
    const char *dir = getenv("RACKRATE_SHARED");
    const char *path = rr_strf(arena, "%s/traces/%s", dir ? dir : "../shared", rest);
    return access(path, R_OK) == 0 ? path : NULL;
}

static void public_prices(void **state)
{
    (void)state;
    static const struct {
        const char *zone;
        size_t rows;
        int64_t least, most;
    } zones[] = {
        {"us-east-1b", 249, 932800000, 1156400000}, {"us-east-1d", 235, 918000000, 999400000}, {"us-east-1c", 195, 918000000, 970200000}};
    const char *path = shared("aws-spot-2020/aws_cost/us-east-1__p3.2xlarge.json.gz");
    if (!path) skip();
    for (size_t i = 0; i < 3; i++) {
        const struct rr_spot_series s = read_with((struct rr_spot_file){.path = path, .zone = zones[i].zone}, RR_SPOT_PRICES);
        int64_t least = INT64_MAX, most = 0;
        for (size_t k = 0; k < s.n; k++) {
            if (s.value[k] < least) least = s.value[k];
            if (s.value[k] > most) most = s.value[k];
        }
        assert_int_equal(s.rows, zones[i].rows);
        assert_int_equal(least, zones[i].least);
        assert_int_equal(most, zones[i].most);
        assert_true(s.end_us > 59 * RR_D && s.end_us < 61 * RR_D);
    }
    struct rr_spot_series none;
    path = shared("aws-spot-2020/aws_cost/eu-west-2__p2.xlarge.json.gz");
    assert_int_equal(rr_spot_read(&(struct rr_spot_file){.path = path}, RR_SPOT_PRICES, arena, &none), RR_EINPUT); // empty
}

/* Integral of the nodes until the end, in node-seconds. */
static int64_t node_seconds(const struct rr_spot_series *s, int64_t *most)
{
    int64_t sum = 0;
    *most = 0;
    for (size_t i = 0; i < s->n; i++) {
        sum += s->value[i] * (((i + 1 < s->n ? s->at_us[i + 1] : s->end_us) - s->at_us[i]) / RR_S);
        if (s->value[i] > *most) *most = s->value[i];
    }
    return sum;
}

static void public_events(void **state)
{
    (void)state;
    int64_t most;
    const char *path = shared("bamboo-parcae-spot/bamboo_p3-trace.csv");
    if (!path) skip();
    struct rr_spot_series s = read_with((struct rr_spot_file){.path = path}, RR_SPOT_NODES);
    assert_int_equal(s.rows, 344);
    assert_true((double)node_seconds(&s, &most) / 3600 > 273.05 && (double)node_seconds(&s, &most) / 3600 < 273.15);
    assert_int_equal(most, 32);
    assert_int_equal(s.value[s.n - 1], 10);
    assert_int_equal(s.end_us, 40920 * RR_S); // 11.37 h
    s = read_with((struct rr_spot_file){.path = shared("bamboo-parcae-spot/bamboo_g4dn-trace.csv")}, RR_SPOT_NODES);
    assert_int_equal(s.rows, 153);
    assert_true((double)node_seconds(&s, &most) / 3600 > 135.63 && (double)node_seconds(&s, &most) / 3600 < 135.73);
    assert_int_equal(most, 24);
    assert_int_equal(s.value[s.n - 1], 5);
    // Parcae's step function is Bamboo's p3 events
    const struct rr_spot_series p = read_with((struct rr_spot_file){.path = shared("bamboo-parcae-spot/parcae_p3.csv")}, RR_SPOT_NODES);
    s = read_with((struct rr_spot_file){.path = path}, RR_SPOT_NODES);
    assert_int_equal(p.rows, 344);
    for (int64_t t = 0; t < s.end_us; t += 77 * RR_S) assert_int_equal(rr_spot_at(&p, t), rr_spot_at(&s, t));
    s = read_with((struct rr_spot_file){.path = shared("bamboo-parcae-spot/bamboo_a100x1-east1b.txt")}, RR_SPOT_NODES);
    assert_int_equal(s.rows, 268);
    s = read_with((struct rr_spot_file){.path = shared("bamboo-parcae-spot/bamboo_v100x1-east1c.txt")}, RR_SPOT_NODES);
    assert_int_equal(s.rows, 1477);
    assert_int_equal(s.end_us, 24 * RR_H + 10 * RR_MIN + 13 * RR_S); // 13:07:45 to 13:17:58 on the next day
}

static void public_availability(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t ticks;
        int64_t gap_s, all;
        double share;
    } files[] = {{"availability__1-node__aws-10-26-2022__us-west-2a_k80_1", 3895, 600, 1, .893},
                 {"availability__1-node__aws-10-26-2022__us-west-2b_k80_1", 3895, 600, 1, .117},
                 {"availability__1-node__aws-10-26-2022__us-west-2a_v100_8", 3895, 600, 1, .480},
                 {"availability__1-node__aws-02-15-2023__us-west-2b_v100_1", 20158, 195, 1, .905},
                 {"availability__16-node__aws-08-27-2023__us-east-2b_v100_1", 3247, 300, 16, .456},
                 {"preemption__4-node__aws-08-03-2023__us-east-1f_v100_1", 3664, 300, 4, .304}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        const char *path = shared(rr_strf(arena, "skypilot-spot/%s.json.gz", files[i].name));
        if (!path) skip();
        const struct rr_spot_series s = read_with((struct rr_spot_file){.path = path}, RR_SPOT_NODES);
        size_t up = 0;
        assert_int_equal(s.rows, files[i].ticks);
        assert_int_equal(s.end_us, (int64_t)files[i].ticks * files[i].gap_s * RR_S);
        for (size_t k = 0; k < files[i].ticks; k++) up += rr_spot_at(&s, (int64_t)k * files[i].gap_s * RR_S) == files[i].all;
        const double share = (double)up / (double)files[i].ticks;
        if (share < files[i].share - .0006 || share > files[i].share + .0006) fail_msg("%s: %.4f", files[i].name, share);
    }
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
        cmocka_unit_test(aws_is_newest_first), cmocka_unit_test(aws_mistakes),
        cmocka_unit_test(skypilot_ticks),      cmocka_unit_test(our_csv),
        cmocka_unit_test(events_and_counts),   cmocka_unit_test(gaps_are_told_once),
        cmocka_unit_test(public_prices),       cmocka_unit_test(public_events),
        cmocka_unit_test(public_availability),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
