/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_price_import.c - readers of price lists: small files by hand, mistakes, and the public catalogs' own counts and prices. */
#include "data/base/csv.h"
#include "data/price_import.h"
#include "tests/unit/test_dir.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct rr_arena *arena;
static struct rr_catalog facts;

static const char *put(const char *name, const char *text)
{
    const char *path = in_dir(name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
    return path;
}

static const struct rr_price_option jan[] = {{"provider", "acme"}, {"valid_from", "2026-01-01"}};
static const struct rr_price_options of_jan = {.set = jan, .n_set = 2};

static struct rr_price_book read_with(const char *path, const struct rr_price_options *opt, struct rr_price_imported *told)
{
    struct rr_price_book b;
    if (rr_price_import(path, opt, &facts, arena, &b, told) != RR_OK) fail_msg("%s", rr_reason());
    return b;
}

static void refused_with(const char *path, const struct rr_price_options *opt, const char *why)
{
    struct rr_price_book b;
    assert_int_not_equal(rr_price_import(path, opt, &facts, arena, &b, NULL), RR_OK);
    if (!strstr(rr_reason(), why)) fail_msg("\"%s\" lacks \"%s\"", rr_reason(), why);
}

static size_t count_of(const struct rr_price_left *list, size_t n, const char *reason)
{
    for (size_t i = 0; i < n; i++)
        if (strstr(list[i].reason, reason)) return list[i].n;
    return 0;
}

static size_t plan_rows(const struct rr_price_book *b, const char *plan)
{
    size_t n = 0;
    for (size_t i = 0; i < b->n; i++) n += strcmp(b->row[i].plan, plan) == 0;
    return n;
}

/* The price in nanos; 0: none. */
static int64_t price(const struct rr_price_book *b, const char *instance, const char *region, const char *plan)
{
    const struct rr_book_row *r;
    const struct rr_book_query q = {.instance = instance, .region = region, .plan = plan, .term = "", .payment = "", .at_us = RR_NEVER};
    if (rr_book_find(b, &q, &r, NULL) != RR_OK) fail_msg("%s", rr_reason());
    return r ? r->nano : 0;
}

/* ---- by hand ---- */

#define SKY "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,SpotPrice,Region,AvailabilityZone\n"

static void zones_that_agree_stand_once(void **state)
{
    (void)state;
    struct rr_price_imported t;
    const struct rr_price_book b = read_with(put("sky.csv", SKY "m,H100,8.0,1,1,23.85,7.1,east,e1\n"
                                                                "m,H100,8.0,1,1,23.850,7.3,east,e2\n"
                                                                "m,H100,8.0,1,1,25.1,,west,w1\n"
                                                                "m,H100,8.0,1,1,25.2,0,west,w2\n"
                                                                "m,H100,8.0,1,1,25.2,0,west,w2\n"
                                                                "k,K,1,1,1,,,west,w2\n"),
                                             &of_jan, &t);
    assert_int_equal(t.rows, 6);
    assert_int_equal(t.collapsed, 1);
    assert_int_equal(b.repeated, 1);
    assert_int_equal(plan_rows(&b, "on_demand"), 3);
    assert_int_equal(plan_rows(&b, "spot"), 2);
    assert_int_equal(count_of(t.left, t.n_left, "a price of 0"), 2);
    assert_int_equal(count_of(t.left, t.n_left, "no on-demand offer"), 1);
    assert_int_equal(count_of(t.left, t.n_left, "no spot offer"), 2);
    assert_int_equal(price(&b, "acme/m", "east/e2", "on_demand"), 23850000000);
    assert_int_equal(price(&b, "acme/m", "west/w2", "on_demand"), 25200000000);
    assert_int_equal(price(&b, "acme/m", "east/e2", "spot"), 7300000000);
    assert_string_equal(b.row[0].gpu, "h100-80gb-sxm");
}

static void catalogs_with_mistakes(void **state)
{
    (void)state;
    refused_with(put("sky.csv", SKY "m,H100,8,1,1,-1,,east,e1\n"), &of_jan, "sky.csv:2: the price -1 is negative");
    refused_with(put("sky.csv", SKY "m,H100,8,1,1,n/a,,east,e1\n"), &of_jan, "sky.csv:2: \"n/a\" is no price");
    refused_with(put("sky.csv", SKY "m,H100,x,1,1,1,,east,e1\n"), &of_jan, "sky.csv:2: AcceleratorCount \"x\"");
    refused_with(put("sky.csv", SKY ",,,1,1,1,,east,e1\n"), &of_jan, "sky.csv:2: neither InstanceType nor AcceleratorName");
    refused_with(put("sky.csv", "InstanceType,AcceleratorName,SpotPrice,Price\n"), &of_jan, "column \"AcceleratorCount\" is missing");
    refused_with(put("sky.csv", SKY), NULL, "of which day are these prices");
    refused_with(put("nothing.csv", ""), &of_jan, "no price list that is known here");
    refused_with(in_dir("no-such"), &of_jan, "no-such");
    static const struct rr_price_option wrong[] = {{"providr", "acme"}};
    refused_with(put("sky.csv", SKY), &(struct rr_price_options){.set = wrong, .n_set = 1},
                 "a skypilot file takes provider valid_from source");
    refused_with(put("sky.csv", SKY), &(struct rr_price_options){.format = "skypilt"}, "did you mean \"skypilot\"");
}

static void a_log_of_changes(void **state)
{
    (void)state;
    struct rr_price_imported t;
    const struct rr_price_book b = read_with(
        put("aws.csv", "observed_at,instance_type,accelerator,accelerator_count,zone_or_region,ondemand_usd_per_hour,spot_usd_per_hour\n"
                       "2022-12-02T18:19:26Z,p3.2xlarge,V100,1,apne1-az4,4.194,1.2582\n"
                       "2022-12-03T18:19:26Z,p3.2xlarge,V100,1,apne1-az4,4.194,1.2601\n"
                       "2022-12-04T18:19:26Z,p3.2xlarge,V100,1,apne1-az4,,\n"
                       "2022-12-02T18:19:26Z,p3.2xlarge,V100,1,use1-atl2-az1,3.06,3.07\n"),
        NULL, &t);
    const struct rr_book_row *r;
    struct rr_book_query q = {
        .instance = "aws/p3.2xlarge", .region = "ap-northeast-1/apne1-az4", .plan = "spot", .term = "", .payment = "", .at_us = RR_NEVER};
    assert_int_equal(count_of(t.left, t.n_left, "on demand as before"), 1);
    assert_int_equal(count_of(t.kept, t.n_kept, "spot above on demand"), 1);
    assert_int_equal(rr_book_find(&b, &q, &r, NULL), RR_EINPUT);
    assert_non_null(strstr(rr_reason(), "is not offered spot in ap-northeast-1/apne1-az4 from 2022-12-04T18:19:26Z on"));
    q.at_us = rr_days_from_civil(2022, 12, 4) * RR_D;
    assert_int_equal(rr_book_find(&b, &q, &r, NULL), RR_OK);
    assert_int_equal(r->nano, 1260100000);
    assert_int_equal(price(&b, "aws/p3.2xlarge", "us-east-1", "spot"), 3070000000);
    refused_with(put("aws.csv", "unix_ts,instance_type,accelerator,count,region,az_id,ondemand_usd_h,spot_usd_h\nx,p,V100,1,r,z,1,1\n"),
                 NULL, "aws.csv:2: unix_ts \"x\" is no number of seconds");
}

static void a_history_of_aws(void **state)
{
    (void)state;
    const struct rr_price_book b = read_with(
        put("h.json",
            "{\"SpotPriceHistory\": ["
            "{\"AvailabilityZone\": \"us-west-2-lax-1a\", \"InstanceType\": \"p3.2xlarge\", \"ProductDescription\": \"Linux/UNIX\", "
            "\"SpotPrice\": \"1.102\", \"Timestamp\": \"2020-02-20T22:54:57.000Z\"},"
            "{\"AvailabilityZone\": \"us-west-2-lax-1a\", \"InstanceType\": \"p3.2xlarge\", \"ProductDescription\": \"Windows\", "
            "\"SpotPrice\": \"1.302\", \"Timestamp\": \"2020-02-20T21:54:57.000Z\"},"
            "{\"AvailabilityZone\": \"us-west-2-lax-1a\", \"InstanceType\": \"p3.2xlarge\", \"ProductDescription\": \"Linux/UNIX\", "
            "\"SpotPrice\": \"1.098\", \"Timestamp\": \"2020-02-19T22:54:57.000Z\"}]}"),
        NULL, NULL);
    assert_int_equal(b.n, 2);
    assert_int_equal(price(&b, "aws/p3.2xlarge", "us-west-2", "spot"), 1102000000);
    assert_string_equal(b.row[0].gpu, "v100-16gb-sxm");
    assert_int_equal(read_with(put("h.json", "{\"SpotPriceHistory\": []}"), NULL, NULL).n, 0);
    refused_with(put("h.json", "{\"SpotPriceHistory\": [{\"AvailabilityZone\": \"z\", \"InstanceType\": \"p\", \"ProductDescription\": "
                               "\"Linux/UNIX\", \"SpotPrice\": \"0\", \"Timestamp\": \"2020-02-20T22:54:57.000Z\"}]}"),
                 NULL, "\"SpotPrice\" is no price");
}

static void a_machine_of_its_parts(void **state)
{
    (void)state;
    static const struct rr_price_option set[] = {{"instance", "rig"}, {"vcpus", "96"},     {"memory_gb", "1024"},
                                                 {"gpus", "8"},       {"currency", "CNY"}, {"valid_from", "2026-02-03"}};
    const struct rr_price_options opt = {.set = set, .n_set = 6};
    static const char text[] = "Region,Zone,AcceleratorName,PricePerVCPU,PricePerMemoryGB,PricePerAccelerator\n"
                               ",,H100,0.031611,0.004237,2.385\n"
                               "lab,a,H100,0.02,,3\n";
    const struct rr_price_book b = read_with(put("own.csv", text), &opt, NULL);
    assert_int_equal(price(&b, "own/rig", "hall", "on_demand"), 26453344000); // 96 x .031611 + 1024 x .004237 + 8 x 2.385
    assert_int_equal(price(&b, "own/rig", "lab/a", "on_demand"), 25920000000);
    assert_string_equal(b.row[0].currency, "CNY");
    refused_with(put("own.csv", text), &of_jan, "which machine?");
}

/* ---- the public data ---- */

static const char *shared(const char *name)
{
    const char *root = getenv("RACKRATE_SHARED");
    const char *path = rr_strf(arena, "%s/catalogs/skypilot/%s", root ? root : "../shared", name);
    return access(path, R_OK) == 0 ? path : NULL;
}

/* Counted by a script of its own over the files: rows; offers on demand, once a region where its zones agree; spot offers by zone. */
static void public_counts(void **state)
{
    (void)state;
    static const struct {
        const char *file;
        size_t rows, on_demand, spot, dear;
    } files[] = {
        {"v5-2023-07-10/aws.csv.gz", 25809, 8603, 25419, 0},
        {"v5-2023-07-10/aws_gpu.csv", 1466, 564, 1416, 0},
        {"v5-2023-07-10/azure.csv", 5537, 5513, 5244, 0},
        {"v5-2023-07-10/ibm.csv", 54, 18, 0, 0},
        {"v5-2023-07-10/lambda.csv", 169, 169, 0, 0},
        {"v5-2023-07-10/oci.csv", 1025, 825, 574, 0},
        {"v5-2023-07-10/scp.csv", 443, 443, 0, 0},
        {"v8-2026/aws_p_family.csv", 157, 61, 126, 0},
        {"v8-2026/nebius_gpu.csv", 21, 21, 8, 0},
        {"v8-2026/verda.csv", 25, 20, 19, 0},
        {"v8-2026/gcp_gpu_excerpt.csv", 169, 153, 155, 10}, // of the 12 of its README two are 700, no price
    };
    static const struct rr_price_option set[] = {{"valid_from", "2026-01-01"}};
    const struct rr_price_options opt = {.set = set, .n_set = 1};
    if (!shared(files[0].file)) skip();
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct rr_price_imported t;
        const struct rr_price_book b = read_with(shared(files[i].file), strstr(files[i].file, "v8") ? &opt : NULL, &t);
        const size_t dear = count_of(t.kept, t.n_kept, "spot above on demand");
        if (t.rows != files[i].rows || plan_rows(&b, "on_demand") != files[i].on_demand || plan_rows(&b, "spot") != files[i].spot ||
            (files[i].dear && dear != files[i].dear))
            fail_msg("%s: %zu %zu %zu %zu", files[i].file, t.rows, plan_rows(&b, "on_demand"), plan_rows(&b, "spot"), dear);
    }
}

/* What the README beside the catalogs says. */
static void public_prices(void **state)
{
    (void)state;
    static const struct rr_price_option set[] = {{"valid_from", "2026-01-01"}};
    const struct rr_price_options opt = {.set = set, .n_set = 1};
    if (!shared("v8-2026/gcp_gpu_excerpt.csv")) skip();
    struct rr_price_imported t;
    struct rr_price_book b = read_with(shared("v8-2026/gcp_gpu_excerpt.csv"), &opt, &t);
    assert_int_equal(price(&b, "gcp/a2-highgpu-1g", "us-central1/us-central1-a", "on_demand"), 3673390000); // 0.73948 + 2.93391
    assert_int_equal(price(&b, "gcp/tpu-v5p-8192", "us-east5", "on_demand") / 4096, 4200000000);            // 4.20 a chip
    assert_int_equal(count_of(t.left, t.n_left, "700"), 14);
    for (size_t i = 0; i < b.n; i++) assert_int_not_equal(b.row[i].nano, 700000000000);
    const struct rr_book_query q = {.product = "accelerator",
                                    .instance = "gcp/H100:1",
                                    .region = "us-central1",
                                    .plan = "on_demand",
                                    .term = "",
                                    .payment = "",
                                    .at_us = RR_NEVER};
    const struct rr_book_row *r;
    assert_int_equal(rr_book_find(&b, &q, &r, NULL), RR_OK);
    assert_int_equal(r->nano, 4200760000);
    b = read_with(shared("v5-2023-07-10/gcp.csv"), NULL, NULL);
    assert_int_equal(price(&b, "gcp/a2-megagpu-16g", "us-central1", "on_demand"), 55739510000);
    assert_int_equal(price(&b, "gcp/a2-ultragpu-8g", "us-central1/us-central1-a", "on_demand"), 40221620000);
    b = read_with(shared("v8-2026/aws_p_family.csv"), &opt, NULL);
    assert_int_equal(price(&b, "aws/p5e.48xlarge", "us-east-2", "on_demand"), 0); // blank: capacity blocks alone
    assert_int_equal(price(&b, "aws/p5.48xlarge", "us-east-1", "on_demand"), 55040000000);
    assert_int_equal(price(&b, "aws/p3.8xlarge", "eu-west-2/euw2-az2", "spot"), price(&b, "aws/p3.8xlarge", "eu-west-2", "on_demand"));
}

/* The log again, row by row: what the book says of each machine and zone at some times is the last price seen before. */
static void public_history(void **state)
{
    (void)state;
    static const int64_t at_s[] = {1670005166, 1673000000, 1679999999, 1688999999};
    const char *path = shared("history/aws_gpu_spot_small.csv");
    if (!path) skip();
    static const struct rr_price_option set[] = {{"provider", "aws"}};
    const struct rr_price_book b = read_with(path, &(struct rr_price_options){.set = set, .n_set = 1}, NULL);
    size_t asked = 0;
    for (size_t k = 0; k < sizeof at_s / sizeof *at_s; k++) {
        struct rr_csv *csv;
        struct rr_csv_row row;
        struct rr_names keys = {.arena = arena};
        RR_VEC(int64_t) last = {0}; /* spot nanos by machine and zone; -1: none */
        assert_int_equal(rr_csv_open(path, (struct rr_csv_options){0}, &csv), RR_OK);
        assert_int_equal(rr_csv_next(csv, &row), RR_OK);
        while (rr_csv_next(csv, &row) == RR_OK && row.n > 0) {
            int64_t t, nano = -1;
            assert_int_equal(rr_text_i64(row.cell[0], &t), RR_OK);
            if (t > at_s[k]) break;
            const char *key = rr_strf(arena, "aws/%.*s|%.*s/%.*s", (int)row.cell[1].n, row.cell[1].at, (int)row.cell[4].n, row.cell[4].at,
                                      (int)row.cell[5].n, row.cell[5].at);
            if (row.cell[7].n) assert_int_equal(rr_text_scaled(row.cell[7], 9, &nano), RR_OK);
            const uint32_t i = rr_names_add(&keys, rr_slice(key, strlen(key)));
            while (last.n <= i) rr_vec_push(&last, -1);
            last.at[i] = nano;
        }
        rr_csv_close(csv);
        for (size_t i = 0; i < last.n; i++) {
            const char *key = keys.list.at[i], *bar = strchr(key, '|');
            const struct rr_book_query q = {.instance = rr_strndup(arena, key, (size_t)(bar - key)),
                                            .region = bar + 1,
                                            .plan = "spot",
                                            .term = "",
                                            .payment = "",
                                            .at_us = at_s[k] * RR_S};
            const struct rr_book_row *r;
            const enum rr_status st = rr_book_find(&b, &q, &r, NULL);
            asked++;
            if (last.at[i] < 0)
                assert_true(st == RR_EINPUT || r == NULL || r->valid_us > q.at_us);
            else if (st != RR_OK || !r || r->nano != last.at[i])
                fail_msg("%s: %lld", key, (long long)last.at[i]);
        }
        rr_vec_done(&last);
        rr_names_done(&keys);
    }
    assert_true(asked > 400);
}

static int setup(void **state)
{
    const char *dir;
    arena = rr_arena_create();
    if (rr_data_dir(arena, &dir) != RR_OK || rr_catalog_load(dir, arena, &facts) != RR_OK) return -1;
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
        cmocka_unit_test(zones_that_agree_stand_once),
        cmocka_unit_test(catalogs_with_mistakes),
        cmocka_unit_test(a_log_of_changes),
        cmocka_unit_test(a_history_of_aws),
        cmocka_unit_test(a_machine_of_its_parts),
        cmocka_unit_test(public_counts),
        cmocka_unit_test(public_prices),
        cmocka_unit_test(public_history),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
