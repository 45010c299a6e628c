/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/validation/test_facts.c - the shipped facts against the public tables that they were taken from.
 *
 * Reads RACKRATE_SHARED (default ../shared); skipped without it. */
#include "data/base/csv.h"
#include "data/catalog.h"
#include <ctype.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct rr_arena *arena;
static struct rr_catalog catalog;

static int setup(void **state)
{
    const char *dir;
    (void)state;
    arena = rr_arena_create();
    return rr_data_dir(arena, &dir) == RR_OK && rr_catalog_load(dir, arena, &catalog) == RR_OK ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    rr_arena_free(arena);
    return 0;
}

/* A public table, by column name. */
struct public_table {
    struct rr_csv *csv;
    struct rr_csv_row row;
    const char *name[32];
    size_t n;
};

static void table_open_at(struct public_table *t, const char *folder, const char *file)
{
    const char *shared = getenv("RACKRATE_SHARED");
    const char *path = rr_strf(arena, "%s/%s/%s", shared ? shared : "../shared", folder, file);
    *t = (struct public_table){0};
    if (access(path, R_OK) != 0) skip();
    if (rr_csv_open(path, (struct rr_csv_options){0}, &t->csv) != RR_OK) fail_msg("%s", rr_reason());
    assert_int_equal(rr_csv_next(t->csv, &t->row), RR_OK);
    for (; t->n < t->row.n && t->n < 32; t->n++) t->name[t->n] = rr_strndup(arena, t->row.cell[t->n].at, t->row.cell[t->n].n);
}

static void table_open(struct public_table *t, const char *file) { table_open_at(t, "facts", file); }

static bool is_instance(const char *id, const struct rr_instance **ret)
{
    for (size_t i = 0; i < catalog.n_instances; i++)
        if (strcmp(catalog.instance[i].id, id) == 0) return *ret = &catalog.instance[i], true;
    return false;
}

static bool table_next(struct public_table *t)
{
    if (rr_csv_next(t->csv, &t->row) != RR_OK) fail_msg("%s", rr_reason());
    if (t->row.n == 0) rr_csv_close(t->csv);
    return t->row.n > 0;
}

static struct rr_slice cell(const struct public_table *t, const char *name)
{
    for (size_t i = 0; i < t->n && i < t->row.n; i++)
        if (strcmp(t->name[i], name) == 0) return rr_trim(t->row.cell[i]);
    fail_msg("no column %s", name);
    return rr_slice("", 0);
}

static const char *text(const struct public_table *t, const char *name)
{
    const struct rr_slice s = cell(t, name);
    return rr_strndup(arena, s.at, s.n);
}

/* Both empty, or the same number times `factor`. */
static void same(const struct public_table *t, const char *column, double factor, double ours, const char *what)
{
    const struct rr_slice s = cell(t, column);
    double theirs = 0;
    if (s.n > 0 && rr_text_double(s, &theirs) != RR_OK) fail_msg("%s: %s", what, rr_reason());
    if (fabs(theirs * factor - ours) > 1e-9 * fabs(ours)) fail_msg("%s: %s is %g, ours %g", what, column, theirs * factor, ours);
}

static void gpus_are_as_published(void **state)
{
    struct public_table t;
    size_t n = 0;
    (void)state;
    table_open(&t, "accelerators.csv");
    while (table_next(&t)) {
        const char *name = text(&t, "name");
        const struct rr_gpu *g;
        if (rr_catalog_gpu(&catalog, name, &g) != RR_OK) continue;
        same(&t, "memory_gb", 1, g->memory_gib, name);
        same(&t, "power_w", 1, g->power_w, name);
        same(&t, "bf16_tflops", 1, g->bf16_tflops, name);
        same(&t, "fp16_tflops", 1, g->fp16_tflops, name);
        same(&t, "fp32_tflops", 1, g->fp32_tflops, name);
        same(&t, "memory_bw_gbs", 1, g->memory_gb_s, name);
        same(&t, "link_gbs_bidir", 0.5, g->link_gb_s, name);
        n++;
    }
    assert_int_equal(n, catalog.n_gpus);
}

static void causes_of_failures_are_as_published(void **state)
{
    struct public_table t;
    size_t n = 0;
    double sum = 0;
    (void)state;
    table_open(&t, "failure_causes.csv");
    for (; table_next(&t); n++) {
        const char *cause = text(&t, "cause");
        size_t i = 0;
        while (i < catalog.n_failure_causes && strcmp(catalog.failure_cause[i].cause, cause) != 0) i++;
        if (i == catalog.n_failure_causes) fail_msg("no cause %s", cause);
        same(&t, "count", 1, catalog.failure_cause[i].count, cause);
        sum += catalog.failure_cause[i].count;
    }
    assert_int_equal(n, catalog.n_failure_causes);
    assert_true(sum == 419 && catalog.failure_rate[0].failures == sum); // of the row llama-3.1-405b
}

static bool has_price(const char *instance, const char *plan, const char *date, int64_t nano)
{
    for (size_t i = 0; i < catalog.n_prices; i++) {
        const struct rr_price_row *p = &catalog.price[i];
        if (strcmp(p->instance, instance) == 0 && strcmp(p->plan, plan) == 0 && strcmp(p->fact.date, date) == 0 &&
            p->rate.rate.nano == nano)
            return true;
    }
    return false;
}

static void instances_and_prices_are_as_published(void **state)
{
    struct public_table t;
    size_t n = 0, prices = 0;
    (void)state;
    table_open(&t, "instances.csv");
    while (table_next(&t)) {
        char *id = rr_strf(arena, "%s/%s", text(&t, "provider"), text(&t, "instance"));
        for (char *p = id; *p != '/'; p++) *p = (char)tolower((unsigned char)*p);
        const struct rr_instance *x;
        int64_t nano;
        if (!is_instance(id, &x)) continue;
        n++;
        same(&t, "gpu_count", 1, x->gpus, id);
        same(&t, "vcpu", 1000, x->cpus_milli, id);
        same(&t, "ram_gib", 1024, x->memory_mib, id);
        static const char *const column[] = {"ondemand_usd_h", "reserved_1y_usd_h"}, *const plan[] = {"on_demand", "reserved"};
        for (size_t k = 0; k < 2; k++) {
            const struct rr_slice price = cell(&t, column[k]);
            if (price.n == 0) continue;
            assert_int_equal(rr_text_scaled(price, 9, &nano), RR_OK);
            if (!has_price(id, plan[k], text(&t, "price_date"), nano)) fail_msg("%s: %s is not among our prices", id, column[k]);
            prices++;
        }
    }
    assert_int_equal(n, 45);
    assert_true(prices > 40);
}

/* What a catalog of a day lists of our instances of a provider: GPUs, vCPUs, memory and prices of that region. */
static size_t as_in_catalog(const char *file, const char *provider, const char *region, const char *date)
{
    struct public_table t;
    size_t n = 0;
    const char *seen = "";
    for (table_open_at(&t, "catalogs/skypilot", file); table_next(&t);) {
        const struct rr_instance *x;
        const char *id = rr_strf(arena, "%s/%s", provider, text(&t, "InstanceType"));
        if (!is_instance(id, &x) || strncmp(x->fact.source, "skypilot", 8) != 0 || strcmp(x->fact.date, date) != 0 || strcmp(seen, id) == 0)
            continue;
        if (strcmp(text(&t, "Region"), region) != 0) continue;
        if (cell(&t, "AcceleratorName").n) same(&t, "AcceleratorCount", 1, x->gpus, id);
        same(&t, "vCPUs", 1000, x->cpus_milli, id);
        same(&t, "MemoryGiB", 1024, x->memory_mib, id);
        seen = id;
        n++;
        int64_t nano;
        if (cell(&t, "AcceleratorName").n == 0 || cell(&t, "Price").n == 0) continue; // GCP's host alone
        assert_int_equal(rr_text_scaled(cell(&t, "Price"), 9, &nano), RR_OK);
        if (!has_price(id, "on_demand", date, nano)) fail_msg("%s: %s is not among our prices", id, text(&t, "Price"));
    }
    return n;
}

static void machines_are_as_in_the_catalogs(void **state)
{
    (void)state;
    assert_int_equal(as_in_catalog("v5-2023-07-10/aws_gpu.csv", "aws", "us-east-1", "2023-07-10"), 7);
    assert_int_equal(as_in_catalog("v5-2023-07-10/azure.csv", "azure", "eastus", "2023-07-10"), 7);
    assert_int_equal(as_in_catalog("v5-2023-07-10/oci.csv", "oci", "us-ashburn-1", "2023-07-10"), 12); // 4 in 3 zones
    assert_int_equal(as_in_catalog("v5-2023-07-10/lambda.csv", "lambda", "us-east-1", "2023-07-10"), 5);
    assert_true(as_in_catalog("v5-2023-07-10/gcp.csv", "gcp", "us-central1", "2023-07-10") >= 5);
    assert_int_equal(as_in_catalog("v8-2026/nebius_gpu.csv", "nebius", "eu-north1", "2026"), 5);
    assert_int_equal(as_in_catalog("v8-2026/verda.csv", "verda", "FIN-03", "2026"), 8);
    assert_true(has_price("gcp/a2-highgpu-8g", "on_demand", "2023-07-10", 29387080000)); // 5.91582 + 23.47126
}

/* Offers of one GPU an hour. */
static void offers_per_gpu_are_as_published(void **state)
{
    struct public_table t;
    size_t n = 0;
    (void)state;
    for (size_t i = 0; i < catalog.n_prices; i++) {
        const struct rr_price_row *p = &catalog.price[i];
        bool found = false;
        if (!strstr(p->fact.source, "tardellirs/gpu-pricing")) continue;
        for (table_open_at(&t, "catalogs/other", "gpu_pricing_offerings_2026-05-24.csv"); table_next(&t);) {
            int64_t nano;
            assert_int_equal(rr_text_scaled(cell(&t, "price_usd_hour"), 9, &nano), RR_OK);
            const char *provider = text(&t, "provider_id");
            found |= nano == p->rate.rate.nano && strncmp(provider, p->instance, strlen(provider)) == 0 &&
                     strcmp(text(&t, "collected_at"), p->fact.date) == 0;
        }
        if (!found) fail_msg("%s is not in the table", p->instance);
        n++;
    }
    assert_true(n > 25);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gpus_are_as_published),
        cmocka_unit_test(causes_of_failures_are_as_published),
        cmocka_unit_test(instances_and_prices_are_as_published),
        cmocka_unit_test(machines_are_as_in_the_catalogs),
        cmocka_unit_test(offers_per_gpu_are_as_published),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
