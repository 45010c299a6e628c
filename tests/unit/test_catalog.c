/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_catalog.c - the shipped facts load and say what their sources say; every bad row is refused with file and line. */
#include "data/catalog.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define GPUS_HEAD                                                                                                             \
    "id,aliases,vendor,arch,memory_gib,idle_w,power_w,bf16_tflops,fp16_tflops,fp32_tflops,memory_gb_s,link_gb_s,source,date," \
    "note\n"
#define HARDWARE_HEAD "id,gpu,gpus,vcpus,memory_gib,currency,price,idle_w,power_w,source,date,note\n"
#define INSTANCE_HEAD "id,gpu,gpus,vcpus,memory_gib,source,date,note\n"
#define PRICE_HEAD    "instance,region,plan,term,payment,currency,rate_per_hour,upfront,source,date,note\n"
#define DEFAULT_HEAD  "plan,parameter,value,source,date,note\n"
#define RATE_HEAD     "id,gpu,gpus,days,failures,gpu_hours,least,most,source,date,note\n"
#define RATE_ROW      "sys,g1,13,17,3,1768,1700,1801,a page,2025,\n" /* 13 x 17 x 24 / 3 */
#define CAUSE_HEAD    "id,cause,kind,count,source,date,note\n"
#define SPOT_HEAD     "instance,region,bucket,share,saving,source,date,note\n"
#define GPU_ROW       "g1,G-ONE|gone,Acme,X,37,11,353,,,,,,a page,2025,\n"
#define INSTANCE_ROW  "acme/x.2,G-one,2,7,13,a page,2025-03,\n"
#define PRICE_ROW     "acme/x.2,east,on_demand,,,USD,2.385,,a page,2025-03,\n"

struct fixture {
    struct rr_arena *arena;
    char dir[64];
};

static void put(const struct fixture *f, const char *file, const char *text)
{
    FILE *out = fopen(rr_strf(f->arena, "%s/facts/%s", f->dir, file), "w");
    assert_non_null(out);
    assert_true(fputs(text, out) >= 0);
    assert_int_equal(fclose(out), 0);
}

static int setup(void **state)
{
    static struct fixture f;
    f = (struct fixture){.arena = rr_arena_create(), .dir = "/tmp/rr_catalog_XXXXXX"};
    if (mkdtemp(f.dir) == NULL || mkdir(rr_strf(f.arena, "%s/facts", f.dir), 0700) != 0) return -1;
    put(&f, "gpus.csv", GPUS_HEAD GPU_ROW);
    put(&f, "hardware.csv", HARDWARE_HEAD "box,g1,2,,,USD,7301.25,71,809,a page,2025,\n");
    put(&f, "instances.csv", INSTANCE_HEAD INSTANCE_ROW);
    put(&f, "prices.csv", PRICE_HEAD PRICE_ROW);
    put(&f, "plan_defaults.csv", DEFAULT_HEAD "owned,pue,1.37,a page,2024,\n");
    put(&f, "failure_rates.csv", RATE_HEAD RATE_ROW);
    put(&f, "failure_causes.csv", CAUSE_HEAD "sys,a fan,node,2.5,a page,2025,\n");
    put(&f, "spot.csv", SPOT_HEAD "acme/x.2,east,5-10 %,0.075,0.61,a page,2025-06,\n");
    *state = &f;
    return 0;
}

static int teardown(void **state)
{
    const struct fixture *f = *state;
    static const char *const files[] = {"gpus.csv",          "hardware.csv",      "instances.csv",      "prices.csv",
                                        "plan_defaults.csv", "failure_rates.csv", "failure_causes.csv", "spot.csv"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) unlink(rr_strf(f->arena, "%s/facts/%s", f->dir, files[i]));
    rmdir(rr_strf(f->arena, "%s/facts", f->dir));
    rmdir(f->dir);
    rr_arena_free(f->arena);
    return 0;
}

static void refused(const struct fixture *f, const char *file, const char *text, const char *where, const char *why)
{
    struct rr_catalog c;
    put(f, file, text);
    assert_int_equal(rr_catalog_load(f->dir, f->arena, &c), RR_EINPUT);
    if (strstr(rr_reason(), where) == NULL || strstr(rr_reason(), why) == NULL)
        fail_msg("\"%s\" lacks \"%s\" or \"%s\"", rr_reason(), where, why);
}

static void a_small_catalog_is_read_exactly(void **state)
{
    const struct fixture *f = *state;
    struct rr_catalog c;
    assert_int_equal(rr_catalog_load(f->dir, f->arena, &c), RR_OK);
    assert_int_equal(c.hardware[0].price.money.micro, 7301250000);
    assert_string_equal(c.hardware[0].price.currency, "USD");
    assert_int_equal(c.price[0].rate.rate.nano, 2385000000);
    assert_int_equal(c.price[0].rate.rate.per, RR_PER_NODE);
    assert_int_equal(c.price[0].rate.rate.time, RR_HOUR);
    assert_int_equal(c.instance[0].cpus_milli, 7000);
    assert_int_equal(c.instance[0].memory_mib, 13 * 1024);
    assert_string_equal(c.instance[0].gpu, "g1"); // written as an alias in another case
    assert_true(c.gpu[0].bf16_tflops == 0);       // an empty cell is "not known"
    assert_int_equal(c.gpu[0].fact.line, 2);
    assert_string_equal(rr_fact_text(f->arena, &c.price[0].fact), "a page, 2025-03 (data/facts/prices.csv:2)");
}

static void bad_gpus_are_refused(void **state)
{
    const struct fixture *f = *state;
    refused(f, "gpus.csv", "", "gpus.csv:1", "empty");
    refused(f, "gpus.csv", "id,aliases\n", "gpus.csv:1", "\"vendor\" is missing");
    refused(f, "gpus.csv", "idle,id" GPUS_HEAD, "gpus.csv:1", "\"id\" is missing");
    refused(f, "gpus.csv", "powerw," GPUS_HEAD, "gpus.csv:1", "\"powerw\" is not known");
    refused(f, "gpus.csv", GPUS_HEAD GPU_ROW "g1,,Acme,X,37,,,,,,,,a page,2025,\n", "gpus.csv:3", "already used on line 2");
    refused(f, "gpus.csv", GPUS_HEAD GPU_ROW "g2,GONE,Acme,X,37,,,,,,,,a page,2025,\n", "gpus.csv:3", "alias \"GONE\"");
    refused(f, "gpus.csv", GPUS_HEAD "g1,,Acme,X,0,,,,,,,,a page,2025,\n", "gpus.csv:2", "not above 0");
    refused(f, "gpus.csv", GPUS_HEAD "g1,,Acme,X,many,,,,,,,,a page,2025,\n", "gpus.csv:2", "memory_gib");
    refused(f, "gpus.csv", GPUS_HEAD "g1,,Acme,X,3,,,,,,,,,2025,\n", "gpus.csv:2", "no source");
    refused(f, "gpus.csv", GPUS_HEAD "g1,,Acme,X,3,,,,,,,,a page,,\n", "gpus.csv:2", "date");
    refused(f, "gpus.csv", GPUS_HEAD "g1,,Acme,X,3,,,,,,,,a page,2023Q3,\n", "gpus.csv:2", "2023Q3");
    refused(f, "gpus.csv", GPUS_HEAD "g1,,Acme,X,3\n", "gpus.csv:2", "5 cells");
    refused(f, "gpus.csv", GPUS_HEAD "g1,,Acme,X,3,353,353,,,,,,a page,2025,\n", "gpus.csv:2", "idle_w");
}

static void bad_hardware_and_instances_are_refused(void **state)
{
    const struct fixture *f = *state;
    refused(f, "hardware.csv", HARDWARE_HEAD "box,g11,2,,,,,,,a page,2025,\n", "hardware.csv:2", "did you mean \"g1\"");
    refused(f, "hardware.csv", HARDWARE_HEAD "box,g1,2,,,USD,0,,,a page,2025,\n", "hardware.csv:2", "no price");
    refused(f, "hardware.csv", HARDWARE_HEAD "box,g1,2,,,,7,,,a page,2025,\n", "hardware.csv:2", "currency");
    refused(f, "hardware.csv", HARDWARE_HEAD "box,g1,2,,,usd,7,,,a page,2025,\n", "hardware.csv:2", "usd");
    refused(f, "hardware.csv", HARDWARE_HEAD "box,g1,2.5,,,,,,,a page,2025,\n", "hardware.csv:2", "gpus");
    put(f, "hardware.csv", HARDWARE_HEAD);
    refused(f, "instances.csv", INSTANCE_HEAD INSTANCE_ROW INSTANCE_ROW, "instances.csv:3", "already used on line 2");
}

static void bad_prices_are_refused(void **state)
{
    const struct fixture *f = *state;
    refused(f, "prices.csv", PRICE_HEAD "acme/x.3,east,on_demand,,,USD,2,,p,2025,\n", "prices.csv:2", "did you mean \"acme/x.2\"");
    refused(f, "prices.csv", PRICE_HEAD "acme/x.2,east,on_demand,,,USD,0,,p,2025,\n", "prices.csv:2", "0 is no price");
    refused(f, "prices.csv", PRICE_HEAD "acme/x.2,east,on_demand,,,USD,-1,,p,2025,\n", "prices.csv:2", "-1 is no price");
    refused(f, "prices.csv", PRICE_HEAD "acme/x.2,east,on_demand,,,USD,,,p,2025,\n", "prices.csv:2", "no price");
    refused(f, "prices.csv", PRICE_HEAD "acme/x.2,east,lease,,,USD,2,,p,2025,\n", "prices.csv:2", "lease");
    refused(f, "prices.csv", PRICE_HEAD "acme/x.2,east,on_demand,1 year,,USD,2,,p,2025,\n", "prices.csv:2", "term");
    refused(f, "prices.csv", PRICE_HEAD "acme/x.2,east,reserved,,,USD,2,,p,2025,\n", "prices.csv:2", "term");
    refused(f, "prices.csv", PRICE_HEAD "acme/x.2,east,reserved,1 year,now,USD,2,,p,2025,\n", "prices.csv:2", "payment");
    refused(f, "prices.csv", PRICE_HEAD "acme/x.2,east,reserved,1 year,all_upfront,USD,2,,p,2025,\n", "prices.csv:2", "upfront price");
    refused(f, "prices.csv", PRICE_HEAD PRICE_ROW PRICE_ROW, "prices.csv:3", "already given on line 2");
    refused(f, "prices.csv", PRICE_HEAD PRICE_ROW "acme/x.2,east,reserved,1 year,,USD,2.386,,p,2025,\n", "prices.csv:3",
            "dearer than on demand on line 2");
    /* 20,915 / 8766 h = 2.3859 > 2.385 */
    refused(f, "prices.csv", PRICE_HEAD PRICE_ROW "acme/x.2,east,reserved,1 year,all_upfront,USD,,20915,p,2025,\n", "prices.csv:3",
            "dearer");
    struct rr_catalog c;
    put(f, "prices.csv", PRICE_HEAD PRICE_ROW "acme/x.2,east,reserved,1 year,,USD,2.386,,p,2025,says why\n");
    assert_int_equal(rr_catalog_load(f->dir, f->arena, &c), RR_OK);
    put(f, "prices.csv", PRICE_HEAD PRICE_ROW "acme/x.2,east,reserved,1 year,all_upfront,USD,,20900,p,2025,\n");
    assert_int_equal(rr_catalog_load(f->dir, f->arena, &c), RR_OK);
}

static void the_latest_row_of_a_region_wins(void **state)
{
    const struct fixture *f = *state;
    struct rr_catalog c;
    const struct rr_price_row *p;
    put(f, "prices.csv",
        PRICE_HEAD PRICE_ROW "acme/x.2,east,on_demand,,,USD,1.931,,p,2025-11,\n"
                             "acme/x.2,east,on_demand,,,USD,2.001,,p,2024,\n"
                             "acme/x.2,east,reserved,1 year,,USD,1.7,,p,2025,\n"
                             "acme/x.2,east,reserved,1 year,no_upfront,USD,1.8,,p,2025,\n");
    assert_int_equal(rr_catalog_load(f->dir, f->arena, &c), RR_OK);
    assert_int_equal(rr_catalog_price(&c, "acme/x.2", "east", "on_demand", "", "", &p), RR_OK);
    assert_int_equal(p->rate.rate.nano, 1931000000);
    assert_int_equal(rr_catalog_price(&c, "acme/x.2", "", "on_demand", "", "", &p), RR_OK);
    assert_int_equal(p->rate.rate.nano, 1931000000);
    assert_int_equal(rr_catalog_price(&c, "acme/x.2", "east", "reserved", "1 year", "no_upfront", &p), RR_OK);
    assert_int_equal(p->rate.rate.nano, 1800000000);
    assert_int_equal(rr_catalog_price(&c, "acme/x.2", "east", "reserved", "1 year", "all_upfront", &p), RR_OK);
    assert_int_equal(p->rate.rate.nano, 1700000000); // the row that does not say how it is paid
    assert_int_equal(rr_catalog_price(&c, "acme/x.2", "east", "reserved", "3 years", "", &p), RR_EINPUT);
    assert_non_null(strstr(rr_reason(), "east on_demand, east reserved 1 year, east reserved 1 year no_upfront"));
    assert_int_equal(rr_catalog_price(&c, "acme/x.2", "west", "on_demand", "", "", &p), RR_EINPUT);
    assert_int_equal(rr_catalog_price(&c, "acme/x.9", "west", "on_demand", "", "", &p), RR_EINPUT);
}

static void regions_that_differ_must_be_named(void **state)
{
    const struct fixture *f = *state;
    struct rr_catalog c;
    const struct rr_price_row *p;
    put(f, "prices.csv", PRICE_HEAD PRICE_ROW "acme/x.2,west,on_demand,,,USD,2.386,,p,2025-03,\n");
    assert_int_equal(rr_catalog_load(f->dir, f->arena, &c), RR_OK);
    assert_int_equal(rr_catalog_price(&c, "acme/x.2", "", "on_demand", "", "", &p), RR_EINPUT);
    assert_non_null(strstr(rr_reason(), "region"));
    put(f, "prices.csv", PRICE_HEAD PRICE_ROW "acme/x.2,west,on_demand,,,USD,2.385,,p,2025-03,\n");
    assert_int_equal(rr_catalog_load(f->dir, f->arena, &c), RR_OK);
    assert_int_equal(rr_catalog_price(&c, "acme/x.2", "", "on_demand", "", "", &p), RR_OK);
    put(f, "prices.csv", PRICE_HEAD "acme/x.2,all,on_demand,,,USD,2.385,,p,2025-03,\n");
    assert_int_equal(rr_catalog_load(f->dir, f->arena, &c), RR_OK);
    assert_int_equal(rr_catalog_price(&c, "acme/x.2", "mars-1", "on_demand", "", "", &p), RR_OK);
}

static void bad_failures_are_refused(void **state)
{
    const struct fixture *f = *state;
    refused(f, "failure_rates.csv", RATE_HEAD RATE_ROW RATE_ROW, "failure_rates.csv:3", "already used on line 2");
    refused(f, "failure_rates.csv", RATE_HEAD "sys,g1,13,17,3,1768,1769,1801,a page,2025,\n", "failure_rates.csv:2", "not between");
    refused(f, "failure_rates.csv", RATE_HEAD "sys,g1,13,17,3,1700,1600,1801,a page,2025,\n", "failure_rates.csv:2",
            "is 1768, not 1700 GPU-hours");
    put(f, "failure_rates.csv", RATE_HEAD RATE_ROW);
    refused(f, "failure_causes.csv", CAUSE_HEAD "sys,a fan,fan,2,a page,2025,\n", "failure_causes.csv:2", "kind \"fan\" is not node, gpu");
    refused(f, "failure_causes.csv", CAUSE_HEAD "sis,a fan,node,2,a page,2025,\n", "failure_causes.csv:2",
            "\"sis\" is not in failure_rates");
}

/* Figures of the public tables that the shipped rows were taken from. */
static void the_shipped_facts_load(void **state)
{
    const struct fixture *f = *state;
    struct rr_catalog c;
    const char *dir;
    const struct rr_price_row *p;
    const struct rr_hardware *h;
    const struct rr_gpu *g;
    assert_int_equal(rr_data_dir(f->arena, &dir), RR_OK);
    assert_int_equal(rr_catalog_load(dir, f->arena, &c), RR_OK);
    assert_int_equal(rr_catalog_price(&c, "aws/p5.48xlarge", "us-east-1", "on_demand", "", "", &p), RR_OK);
    assert_int_equal(p->rate.rate.nano, 55040000000);
    assert_string_equal(p->fact.date, "2026");
    assert_int_equal(rr_catalog_price(&c, "aws/p5.48xlarge", "us-east-1", "reserved", "1 year", "all_upfront", &p), RR_OK);
    assert_int_equal(p->rate.rate.nano, 77430000000);
    assert_int_equal(rr_catalog_hardware(&c, "hgx-h100-8", &h), RR_OK);
    assert_int_equal(h->price.money.micro, 335000000000);
    assert_int_equal(rr_catalog_hardware(&c, "hgx-h10-8", &h), RR_EINPUT);
    assert_non_null(strstr(rr_reason(), "hgx-h100-8"));
    assert_int_equal(rr_catalog_gpu(&c, "v100m32", &g), RR_OK);
    assert_string_equal(g->id, "v100-32gb-sxm");
    assert_non_null(rr_catalog_default(&c, "owned", "pue"));
    assert_null(rr_catalog_default(&c, "owned", "moon phase"));
    static const char *const ids[] = {"v100-16gb-sxm",
                                      "v100-32gb-sxm",
                                      "a100-40gb-sxm",
                                      "a100-80gb-sxm",
                                      "h100-80gb-sxm",
                                      "h200-141gb-sxm",
                                      "b200-180gb-sxm",
                                      "l4",
                                      "a10",
                                      "t4",
                                      "l40s"};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) assert_int_equal(rr_catalog_gpu(&c, ids[i], &g), RR_OK);
}

static void the_data_folder_is_found_or_named(void **state)
{
    const struct fixture *f = *state;
    const char *dir;
    setenv("RACKRATE_DATA", "/nowhere/at/all", 1);
    assert_int_equal(rr_data_dir(f->arena, &dir), RR_EIO);
    assert_non_null(strstr(rr_reason(), "/nowhere/at/all"));
    setenv("RACKRATE_DATA", f->dir, 1);
    assert_int_equal(rr_data_dir(f->arena, &dir), RR_OK);
    assert_string_equal(dir, f->dir);
    unsetenv("RACKRATE_DATA");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_small_catalog_is_read_exactly, setup, teardown),
        cmocka_unit_test_setup_teardown(bad_gpus_are_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(bad_hardware_and_instances_are_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(bad_prices_are_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(the_latest_row_of_a_region_wins, setup, teardown),
        cmocka_unit_test_setup_teardown(regions_that_differ_must_be_named, setup, teardown),
        cmocka_unit_test_setup_teardown(bad_failures_are_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(the_shipped_facts_load, setup, teardown),
        cmocka_unit_test_setup_teardown(the_data_folder_is_found_or_named, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
