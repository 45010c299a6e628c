/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_focus.c - decimals and times of FOCUS, the check, and the bill that a run writes. */
#include "data/focus.h"
#include "reports/focus.h"
#include "tests/unit/price_case.h"
#include "tests/unit/test_dir.h"
#include "data/base/csv.h"
#include "data/store.h"
#include <math.h>
#include <stdio.h>

static void make_file(const char *name, const char *text)
{
    FILE *f = fopen(in_dir(name), "wb");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

/* ---- numbers and times ---- */

static const char *decimal(const char *text)
{
    static struct rr_buf b;
    rr_i128 v;
    b.n = 0;
    if (!text) {
        rr_buf_done(&b);
        return NULL;
    }
    if (rr_focus_decimal(rr_slice(text, strlen(text)), &v) != RR_OK) return NULL;
    rr_buf_focus(&b, v);
    return rr_buf_text(&b);
}

static void decimals_are_exact(void **state)
{
    (void)state;
    static const char *const same[] = {"0",
                                       "1",
                                       "-12.345",
                                       "20.390905751190033",
                                       "0.000000000000001",
                                       "-0.5",
                                       "99999999999999999999999",
                                       "123456789012345678.123456789012345"};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) assert_string_equal(decimal(same[i]), same[i]);
    assert_string_equal(decimal("0.00000080000"), "0.0000008");
    assert_string_equal(decimal("1.5E8"), "150000000");
    assert_string_equal(decimal("35.2E-7"), "0.00000352");
    assert_string_equal(decimal("-2.5e-3"), "-0.0025");
    assert_string_equal(decimal("0.0000000000000005"), "0"); // half-even
    assert_string_equal(decimal("0.0000000000000015"), "0.000000000000002");
    assert_string_equal(decimal("0.00000000000000149"), "0.000000000000001");
    assert_string_equal(decimal("1E-90"), "0");
    assert_string_equal(decimal(" 7 "), "7");
    static const char *const wrong[] = {"", "-", ".", "1.5e+08", "$10", "1,000", "+1", "1.2.3", "0x1", "inf", "1e", "1E99", "1 2", "NULL"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (decimal(wrong[i])) fail_msg("%s is no decimal", wrong[i]);
    decimal(NULL);
}

static int64_t epoch(const char *text, bool strict)
{
    int64_t us = -1;
    return rr_focus_time(rr_slice(text, strlen(text)), strict, &us) == RR_OK ? us / 1000000 : -1;
}

static void times_are_utc(void **state)
{
    (void)state;
    assert_int_equal(epoch("2024-09-18T22:00:00Z", true), 1726696800);
    assert_int_equal(epoch("2024-09-18 22:00:00", false), 1726696800);
    assert_int_equal(epoch("2024-09-18", false), 1726617600);
    assert_int_equal(epoch("2024-09-18 22:00:00", true), -1);
    assert_int_equal(epoch("2024-09-18", true), -1);
    assert_int_equal(epoch("2023-02-01T30:00:00Z", false), -1); // as in the specification's own examples
    assert_int_equal(epoch("5/1/25", false), -1);
}

/* ---- the check ---- */

static const char head[] =
    "BilledCost,BillingAccountId,BillingAccountName,BillingCurrency,BillingPeriodEnd,BillingPeriodStart,ChargeCategory,ChargeClass,"
    "ChargeDescription,ChargePeriodEnd,ChargePeriodStart,ContractedCost,EffectiveCost,InvoiceIssuerName,ListCost,PricingQuantity,"
    "PricingUnit,"
    "ProviderName,PublisherName,ServiceCategory,ServiceName,ChargeFrequency,CommitmentDiscountId,CommitmentDiscountStatus,ConsumedQuantity,"
    "ConsumedUnit,ContractedUnitPrice,ListUnitPrice,PricingCategory,ResourceId,SkuId,SkuPriceId,Tags\n";

/* A row that is right, with some cells replaced: "NAME=value". */
static void row_of(struct rr_buf *b, const char *const *change, size_t n)
{
    static const char *const right[] = {"1.385",
                                        "a",
                                        "n",
                                        "USD",
                                        "2026-02-01T00:00:00Z",
                                        "2026-01-01T00:00:00Z",
                                        "Usage",
                                        "",
                                        "d",
                                        "2026-01-01T02:00:00Z",
                                        "2026-01-01T01:00:00Z",
                                        "1.385",
                                        "1.385",
                                        "i",
                                        "2.77",
                                        "2",
                                        "Hours",
                                        "p",
                                        "p",
                                        "Compute",
                                        "s",
                                        "Usage-Based",
                                        "",
                                        "",
                                        "2",
                                        "Hours",
                                        "0.6925",
                                        "1.385",
                                        "Standard",
                                        "m",
                                        "k",
                                        "kp",
                                        "\"{\"\"a\"\": 1}\""};
    const char *at = head;
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        const size_t len = strcspn(at, ",\n");
        const char *cell = right[i];
        for (size_t k = 0; k < n; k++)
            if (strncmp(change[k], at, len) == 0 && change[k][len] == '=') cell = change[k] + len + 1;
        rr_buf_putf(b, "%s%s", i ? "," : "", cell);
        at += len + 1;
    }
    rr_buf_puts(b, "\n");
}

static struct rr_focus_report check(struct rr_arena *a, const char *text)
{
    struct rr_focus_report r;
    make_file("f.csv", text);
    if (rr_focus_check(in_dir("f.csv"), "1.2", a, &r) != RR_OK) fail_msg("%s", rr_reason());
    return r;
}

static void each_rule_is_looked_after(void **state)
{
    (void)state;
    static const struct {
        const char *change[3];
        const char *column, *why; /* column NULL: the row is right */
    } rule[] = {
        {{NULL}, NULL, NULL},
        {{"BilledCost=$1.385"}, "BilledCost", "no plain decimal"},
        {{"BilledCost=1.385e+00"}, "BilledCost", "no plain decimal"},
        {{"BilledCost="}, "BilledCost", "null is not allowed"},
        {{"BillingCurrency=usd"}, "BillingCurrency", "no code"},
        {{"ChargePeriodStart=2026-01-01 01:00:00"}, "ChargePeriodStart", "no time"},
        {{"ChargePeriodEnd=2026-01-01T01:00:00Z"}, "ChargePeriodEnd", "not behind"},
        {{"ChargePeriodStart=2026-02-01T00:00:00Z", "ChargePeriodEnd=2026-02-01T01:00:00Z"}, "ChargePeriodStart", "outside the billing"},
        {{"BillingPeriodEnd=2025-12-01T00:00:00Z"}, "BillingPeriodEnd", "not behind"},
        {{"ChargeFrequency=Usage-based"}, "ChargeFrequency", "not allowed"},
        {{"ServiceCategory=Computing"}, "ServiceCategory", "not allowed"},
        {{"ListCost=2.7701"}, "ListCost", "ListUnitPrice x PricingQuantity"},
        {{"ListCost=2.770000001"}, NULL, NULL},
        {{"ListCost=9", "ChargeClass=Correction"}, NULL, NULL},
        {{"ContractedUnitPrice=0.7"}, "ContractedCost", "ContractedUnitPrice x PricingQuantity"},
        {{"ListUnitPrice=-1.385"}, "ListUnitPrice", "negative"},
        {{"PricingQuantity="}, "PricingQuantity", "not allowed on usage"},
        {{"PricingUnit="}, "PricingUnit", "if and only if PricingQuantity"},
        {{"ConsumedUnit="}, "ConsumedUnit", "if and only if ConsumedQuantity"},
        {{"SkuId="}, "SkuId", "not allowed on usage"},
        {{"Tags=x"}, "Tags", "no JSON object"},
        {{"Tags=\"{\"\"a\"\": [1]}\""}, "Tags", "not flat"},
        {{"Tags=\"{\"\"a\"\": 1, \"\"a\"\": 2}\""}, "Tags", "twice"},
        {{"CommitmentDiscountId=c"}, "CommitmentDiscountStatus", "with a CommitmentDiscountId"},
        {{"CommitmentDiscountStatus=Used"}, "CommitmentDiscountStatus", "without a CommitmentDiscountId"},
        {{"CommitmentDiscountId=c", "CommitmentDiscountStatus=Unused", "ConsumedUnit=\",ConsumedQuantity=\""},
         "ConsumedQuantity",
         "unused"},
        {{"ChargeCategory=Purchase"}, "ChargeFrequency", "not Usage-Based"},
        {{"ChargeCategory=Tax"}, "PricingQuantity", "null on taxes"},
    };
    struct rr_arena *a = rr_arena_create();
    for (size_t i = 0; i < sizeof rule / sizeof *rule; i++) {
        struct rr_buf b = {0};
        size_t n = 0;
        while (n < 3 && rule[i].change[n]) n++;
        rr_buf_puts(&b, head);
        row_of(&b, rule[i].change, n);
        const struct rr_focus_report r = check(a, rr_buf_text(&b));
        bool found = !rule[i].column && r.found == 0;
        for (size_t k = 0; rule[i].column && k < r.n; k++)
            found |= strcmp(r.finding[k].column, rule[i].column) == 0 && strstr(r.finding[k].text, rule[i].why) && r.finding[k].line == 2;
        if (!found)
            fail_msg("rule %zu (%s): %zu findings, the first \"%s\"", i, rule[i].column ? rule[i].column : "", r.found,
                     r.n ? r.finding[0].text : "");
        rr_buf_done(&b);
    }
    rr_arena_free(a);
}

static void a_term_that_is_covered_must_add_up(void **state)
{
    (void)state;
    static const char *const purchase[] = {"ChargeCategory=Purchase",
                                           "ChargeFrequency=One-Time",
                                           "CommitmentDiscountId=c",
                                           "BilledCost=24",
                                           "EffectiveCost=0",
                                           "PricingQuantity=1",
                                           "ListUnitPrice=24",
                                           "ListCost=24",
                                           "ContractedUnitPrice=24",
                                           "ContractedCost=24",
                                           "ConsumedQuantity=",
                                           "ConsumedUnit=",
                                           "ChargePeriodStart=2026-01-01T00:00:00Z",
                                           "ChargePeriodEnd=2026-01-01T02:00:00Z"};
    static const char *const used[] = {"CommitmentDiscountId=c",
                                       "CommitmentDiscountStatus=Used",
                                       "BilledCost=0",
                                       "EffectiveCost=12",
                                       "PricingCategory=Committed",
                                       "ChargePeriodStart=2026-01-01T00:00:00Z",
                                       "ChargePeriodEnd=2026-01-01T01:00:00Z"};
    static const char *const unused[] = {"CommitmentDiscountId=c",
                                         "CommitmentDiscountStatus=Unused",
                                         "ResourceId=c",
                                         "BilledCost=0",
                                         "EffectiveCost=11.5",
                                         "PricingCategory=Committed",
                                         "ConsumedQuantity=",
                                         "ConsumedUnit=",
                                         "ChargePeriodStart=2026-01-01T01:00:00Z",
                                         "ChargePeriodEnd=2026-01-01T02:00:00Z"};
    struct rr_arena *a = rr_arena_create();
    struct rr_buf b = {0};
    rr_buf_puts(&b, head);
    row_of(&b, purchase, sizeof purchase / sizeof *purchase);
    row_of(&b, used, sizeof used / sizeof *used);
    struct rr_focus_report r = check(a, rr_buf_text(&b));
    assert_int_equal(r.found, 0); // only half of the term is there
    row_of(&b, unused, sizeof unused / sizeof *unused);
    r = check(a, rr_buf_text(&b));
    assert_int_equal(r.found, 1);
    assert_non_null(strstr(r.finding[0].text, "come to 23.5 over its term, purchased for 24"));
    rr_buf_done(&b);
    rr_arena_free(a);
}

static void header_and_version(void **state)
{
    (void)state;
    struct rr_arena *a = rr_arena_create();
    struct rr_focus_report r;
    make_file("h.csv", "BilledCost,x_Mine,Foreign,BilledCost\n1,2,3,4\n");
    assert_int_equal(rr_focus_check(in_dir("h.csv"), "1.2", a, &r), RR_OK);
    size_t missing = 0, foreign = 0, twice = 0;
    for (size_t i = 0; i < r.n; i++) {
        missing += strstr(r.finding[i].text, "is missing") != NULL;
        foreign += strcmp(r.finding[i].column, "Foreign") == 0;
        twice += strstr(r.finding[i].text, "twice in the header") != NULL;
    }
    assert_int_equal(missing, 20); // 21 are mandatory
    assert_int_equal(foreign, 1);
    assert_int_equal(twice, 1);
    assert_int_equal(rr_focus_check(in_dir("h.csv"), "1.3", a, &r), RR_EUSAGE);
    make_file("n.csv", "job_id,submit_s\n1,2\n");
    assert_int_equal(rr_focus_check(in_dir("n.csv"), "1.2", a, &r), RR_EINPUT);
    make_file("e.csv", "");
    assert_int_equal(rr_focus_check(in_dir("e.csv"), "1.2", a, &r), RR_EINPUT);
    assert_int_equal(rr_focus_check(in_dir("none.csv"), "1.2", a, &r), RR_EIO);
    rr_arena_free(a);
}

/* ---- public files ---- */

static const char *public_file(struct rr_arena *a, const char *name)
{
    const char *shared = getenv("RACKRATE_SHARED");
    const char *path = rr_strf(a, "%s/catalogs/focus/%s", shared ? shared : "../shared", name);
    FILE *f = fopen(path, "r");
    if (f) fclose(f);
    return f ? path : NULL;
}

/* Exactly, and as a sum of doubles in row order has it: 20.390905751190033, 20.52022672899003, 14.976514185860003, 14.976260393259999. */
static void the_sums_of_the_sample(void **state)
{
    (void)state;
    struct rr_arena *a = rr_arena_create();
    struct rr_focus_report r;
    const char *path = public_file(a, "focus_sample_v1.0.csv");
    if (!path) {
        rr_arena_free(a);
        skip();
    }
    assert_int_equal(rr_focus_check(path, "1.0", a, &r), RR_OK);
    assert_int_equal(r.rows, 1000);
    const double want[] = {20.390905751190033, 20.52022672899003, 14.976514185860003, 14.976260393259999};
    const rr_i128 is[] = {r.list, r.billed, r.effective, r.contracted};
    static const char *const exact[] = {"20.39090575119", "20.52022672899", "14.97651418586", "14.97626039326"};
    for (int i = 0; i < 4; i++) {
        struct rr_buf b = {0};
        rr_buf_focus(&b, is[i]);
        assert_string_equal(rr_buf_text(&b), exact[i]);
        assert_true(fabs(rr_focus_double(is[i]) - want[i]) < 1e-13);
        rr_buf_done(&b);
    }
    rr_arena_free(a);
}

/* The defects of the specification's own examples: an impossible time, a machine as the resource of an unused commitment. */
static void the_examples_of_the_specification(void **state)
{
    (void)state;
    static const struct {
        const char *file, *column, *why;
    } x[] = {{"commitment_discount_purchase_scenario_3.csv", "ChargePeriodEnd", "2023-02-01T30:00:00Z"},
             {"zero_percent_utilization_without_commitment_discount_flexibility.csv", "ResourceId", "must be CommitmentDiscountId"},
             {"zero_percent_utilization_without_commitment_discount_flexibility.csv", "ConsumedQuantity", "must be null on an unused"}};
    struct rr_arena *a = rr_arena_create();
    for (size_t i = 0; i < 3; i++) {
        struct rr_focus_report r;
        bool found = false;
        const char *path = public_file(a, rr_strf(a, "spec_examples_v1.2/%s", x[i].file));
        if (!path) {
            rr_arena_free(a);
            skip();
        }
        assert_int_equal(rr_focus_check(path, "1.2", a, &r), RR_OK);
        for (size_t k = 0; k < r.n; k++) found |= strcmp(r.finding[k].column, x[i].column) == 0 && strstr(r.finding[k].text, x[i].why);
        if (!found) fail_msg("%s: %s is not found", x[i].file, x[i].why);
    }
    rr_arena_free(a);
}

/* ---- the bill of a run ---- */

/* What the bill of a case looks like, as rows of cells. */
struct bill {
    struct rr_arena *arena;
    size_t n, n_columns;
    const char **cell, **name;
};

static const char *at(const struct bill *b, size_t row, const char *column)
{
    for (size_t i = 0; i < b->n_columns; i++)
        if (strcmp(b->name[i], column) == 0) return b->cell[row * b->n_columns + i];
    fail_msg("no column %s", column);
    return "";
}

static double number(const struct bill *b, size_t row, const char *column)
{
    double v = 0;
    const char *s = at(b, row, column);
    if (*s && rr_text_double(rr_slice(s, strlen(s)), &v) != RR_OK) fail_msg("%s is no number", s);
    return v;
}

static void read_bill(const char *path, struct bill *ret)
{
    struct rr_csv *csv;
    struct rr_csv_row row;
    *ret = (struct bill){.arena = rr_arena_create()};
    assert_int_equal(rr_csv_open(path, (struct rr_csv_options){0}, &csv), RR_OK);
    assert_int_equal(rr_csv_next(csv, &row), RR_OK);
    ret->n_columns = row.n;
    ret->name = RR_NEWS(ret->arena, const char *, row.n);
    ret->cell = RR_NEWS(ret->arena, const char *, row.n * 400);
    for (size_t i = 0; i < row.n; i++) ret->name[i] = rr_strndup(ret->arena, row.cell[i].at, row.cell[i].n);
    for (;;) {
        assert_int_equal(rr_csv_next(csv, &row), RR_OK);
        if (row.n == 0) break;
        assert_int_equal(row.n, ret->n_columns);
        for (size_t i = 0; i < row.n; i++) ret->cell[ret->n * row.n + i] = rr_strndup(ret->arena, row.cell[i].at, row.cell[i].n);
        ret->n++;
    }
    rr_csv_close(csv);
}

struct covers {
    struct price_case *x;
    RR_VEC(struct rr_cover) cover;
} kept;

static enum rr_status keep_cover(struct rr_sink *sink, const struct rr_cover *c)
{
    (void)sink;
    rr_vec_push(&kept.cover, *c);
    return RR_OK;
}

/* Bills the case and writes it; the file passes the check, and its sums are those of the charges. */
static void write_bill(struct price_case *x, struct bill *ret)
{
    static const int32_t gpus[CASE_LEASES] = {8, 8, 8, 8, 8, 8};
    struct rr_outfile *out;
    kept.cover.n = 0;
    x->sink.cover = keep_cover;
    case_bill(x);
    struct rr_pool_row pool[CASE_POOLS] = {0};
    for (size_t i = 0; i < x->s.n_pools; i++)
        pool[i] =
            (struct rr_pool_row){.name = x->pool[i].name,
                                 .plan = x->pool[i].plan->name,
                                 .what = x->pool[i].instance_id ? rr_strf(x->arena, "%s, us-east-1", x->pool[i].instance_id) : "own-8"};
    const struct rr_alternative a = {.name = "base",
                                     .pool = pool,
                                     .n_pools = x->s.n_pools,
                                     .charge = x->charge.at,
                                     .n_charges = x->charge.n,
                                     .cover = kept.cover.at,
                                     .n_covers = kept.cover.n,
                                     .lease = x->lease,
                                     .n_leases = x->n_leases,
                                     .node_gpus = gpus};
    const struct rr_store s = {
        .name = "case", .currency = "USD", .anchored = true, .start_us = x->s.clock.start_us, .alternative = &a, .n_alternatives = 1};
    assert_int_equal(rr_outfile_open(in_dir("bill.csv"), &out), RR_OK);
    if (rr_focus_write(&s, NULL, out) != RR_OK) fail_msg("%s", rr_reason());
    assert_int_equal(rr_outfile_finish(out), RR_OK);
    assert_int_equal(rr_outfile_publish(out), RR_OK);
    rr_outfile_free(out);
    struct rr_focus_report r;
    assert_int_equal(rr_focus_check(in_dir("bill.csv"), "1.2", x->arena, &r), RR_OK);
    if (r.found) fail_msg("line %d: %s: %s", (int)r.finding[0].line, r.finding[0].column, r.finding[0].text);
    const struct case_sum sum = case_sum(x, NULL);
    assert_true(r.billed == (rr_i128)sum.billed * 1000000000);
    assert_true(r.effective == (rr_i128)sum.effective * 1000000000);
    read_bill(in_dir("bill.csv"), ret);
}

static size_t find_row(const struct bill *b, const char *category, const char *pricing, const char *status)
{
    for (size_t i = 0; i < b->n; i++)
        if (strcmp(at(b, i, "ChargeCategory"), category) == 0 && strcmp(at(b, i, "PricingCategory"), pricing) == 0 &&
            strcmp(at(b, i, "CommitmentDiscountStatus"), status) == 0)
            return i;
    fail_msg("no row %s %s %s", category, pricing, status);
    return 0;
}

/* One node at list 10.00, contracted 9.00 and committed 6.00 an hour, all upfront for a "year" of four hours; in the second hour two machines run,
 * in the fourth none. Effective 33 = 24 of the commitment + 9, utilisation 18 / 24. */
static void the_worked_example(void **state)
{
    (void)state;
    struct bill b;
    struct price_case *x = case_bare("2026-01-01", 4 * RR_H);
    case_pool(x, "aws/own.8", "on_demand", "{\"rate\": \"$10.00/h\", \"discount\": 0.1}");
    case_lease(x, 0, 3 * RR_H);
    case_lease(x, RR_H, 2 * RR_H);
    case_commit(x, "ri",
                "{\"instance\": \"aws/own.8\", \"region\": \"us-east-1\", \"count\": 1, \"term\": \"4 h\", \"payment\": \"all_upfront\", "
                "\"rate\": \"$6.00/h\"}");
    write_bill(x, &b);
    assert_int_equal(b.n, 4);
    const size_t bought = find_row(&b, "Purchase", "Standard", ""), rented = find_row(&b, "Usage", "Standard", "");
    const size_t used = find_row(&b, "Usage", "Committed", "Used"), unused = find_row(&b, "Usage", "Committed", "Unused");
    const struct {
        size_t row;
        double billed, effective, list, contracted, quantity;
    } want[] = {{bought, 24, 0, 24, 24, 1}, {rented, 9, 9, 10, 9, 1}, {used, 0, 18, 30, 27, 3}, {unused, 0, 6, 10, 9, 1}};
    for (size_t i = 0; i < 4; i++) {
        assert_true(number(&b, want[i].row, "BilledCost") == want[i].billed);
        assert_true(number(&b, want[i].row, "EffectiveCost") == want[i].effective);
        assert_true(number(&b, want[i].row, "ListCost") == want[i].list);
        assert_true(number(&b, want[i].row, "ContractedCost") == want[i].contracted);
        assert_true(number(&b, want[i].row, "PricingQuantity") == want[i].quantity);
    }
    assert_string_equal(at(&b, bought, "ChargeFrequency"), "One-Time");
    assert_string_equal(at(&b, bought, "ChargePeriodEnd"), "2026-01-01T04:00:00Z");
    assert_true(number(&b, bought, "CommitmentDiscountQuantity") == 4);
    assert_string_equal(at(&b, unused, "ResourceId"), "case/base/ri");
    assert_string_equal(at(&b, unused, "ConsumedQuantity"), "");
    assert_string_equal(at(&b, used, "ResourceId"), "case/base/pool0");
    assert_string_equal(at(&b, used, "ConsumedUnit"), "Hours");
    assert_true(number(&b, used, "x_GpuHours") == 24);
    assert_string_equal(at(&b, used, "SkuPriceDetails"), "{\"InstanceType\": \"own.8\", \"GpuCount\": 8}");
    assert_string_equal(at(&b, used, "ProviderName"), "AWS");
    rr_arena_free(b.arena);
    rr_vec_done(&kept.cover);
    case_free(x);
}

/* The specification's usage scenarios 1 to 4: a commitment of $1.00 an hour, of which 1.00, 0, 0.75 and 1.50 are used. */
static void the_usage_scenarios(void **state)
{
    (void)state;
    static const struct {
        int64_t minutes[2];
        double used, unused, rented;
    } x[] = {{{60, 0}, 1, 0, 0}, {{0, 0}, 0, 1, 0}, {{45, 0}, 0.75, 0.25, 0}, {{60, 30}, 1, 0, 0.5}};
    for (size_t i = 0; i < 4; i++) {
        struct bill b;
        struct price_case *c = case_bare("2023-01-01", RR_H);
        double used = 0, unused = 0, rented = 0, billed = 0;
        case_pool(c, "own/one", "on_demand", "{\"rate\": \"$1.00/h\", \"minimum\": \"0 s\"}");
        for (int k = 0; k < 2; k++)
            if (x[i].minutes[k]) case_lease(c, 0, x[i].minutes[k] * RR_MIN);
        case_commit(c, "ri",
                    "{\"instance\": \"own/one\", \"region\": \"us-east-1\", \"count\": 1, \"term\": \"8760 h\", \"rate\": \"$1.00/h\"}");
        write_bill(c, &b);
        for (size_t k = 0; k < b.n; k++) {
            const char *status = at(&b, k, "CommitmentDiscountStatus"), *kind = at(&b, k, "ChargeCategory");
            if (strcmp(status, "Used") == 0) used += number(&b, k, "EffectiveCost");
            if (strcmp(status, "Unused") == 0) unused += number(&b, k, "EffectiveCost");
            if (strcmp(kind, "Usage") == 0 && !*status) rented += number(&b, k, "EffectiveCost");
            if (strcmp(kind, "Purchase") == 0) billed += number(&b, k, "BilledCost");
        }
        assert_true(used == x[i].used && unused == x[i].unused && rented == x[i].rented);
        assert_true(billed == 1);
        rr_arena_free(b.arena);
        rr_vec_done(&kept.cover);
        case_free(c);
    }
}

/* The specification's purchase scenarios 1 to 3, a $1.00/h commitment of the year 2023: $8,760 at once; $1.00 an hour (by the month here); half
 * and half. Whichever way it is paid, used and unused come to $8,760, and a commitment that nobody uses is a loss of all of it. */
static void the_purchase_scenarios(void **state)
{
    (void)state;
    static const struct {
        const char *payment;
        double once, recurring;
    } x[] = {{"all_upfront", 8760, 0}, {"no_upfront", 0, 8760}, {"partial_upfront", 4380, 4380}};
    for (size_t i = 0; i < 6; i++) {
        const bool idle = i >= 3;
        struct bill b;
        struct price_case *c = case_bare("2023-01-01", 365 * RR_D);
        double used = 0, unused = 0, once = 0, recurring = 0;
        case_pool(c, "own/one", "on_demand", "{\"rate\": \"$1.00/h\", \"minimum\": \"0 s\"}");
        if (!idle) case_lease(c, 0, 365 * RR_D);
        case_commit(
            c, "ri",
            rr_strf(c->arena,
                    "{\"instance\": \"own/one\", \"region\": \"us-east-1\", \"count\": 1, \"term\": \"1 year\", \"rate\": \"$1.00/h\", "
                    "\"payment\": \"%s\"}",
                    x[i % 3].payment));
        write_bill(c, &b);
        for (size_t k = 0; k < b.n; k++) {
            const bool is_once = strcmp(at(&b, k, "ChargeFrequency"), "One-Time") == 0;
            if (strcmp(at(&b, k, "ChargeCategory"), "Purchase") == 0) {
                assert_true(number(&b, k, "EffectiveCost") == 0);
                assert_string_equal(at(&b, k, "ResourceId"), at(&b, k, "CommitmentDiscountId"));
                *(is_once ? &once : &recurring) += number(&b, k, "BilledCost");
                if (is_once) assert_string_equal(at(&b, k, "ChargePeriodEnd"), "2024-01-01T00:00:00Z");
            } else {
                assert_true(number(&b, k, "BilledCost") == 0);
                *(strcmp(at(&b, k, "CommitmentDiscountStatus"), "Used") == 0 ? &used : &unused) += number(&b, k, "EffectiveCost");
            }
        }
        assert_true(once == x[i % 3].once && recurring == x[i % 3].recurring);
        assert_true(used == (idle ? 0 : 8760) && unused == (idle ? 8760 : 0));
        rr_arena_free(b.arena);
        rr_vec_done(&kept.cover);
        case_free(c);
    }
}

/* Own machines: the purchase is cash of its month, depreciation and the rest are usage; spot is Dynamic. */
static void own_machines_and_spot(void **state)
{
    (void)state;
    struct bill b;
    struct price_case *x = case_bare("2026-01-01", 59 * RR_D);
    struct rr_pool *own = case_pool(
        x, NULL, "owned",
        "{\"price\": \"$289,000.37\", \"life\": \"5 years\", \"residual\": 0.1, \"max_power\": \"10.2 kW\", \"idle_power\": \"2 kW\", "
        "\"pue\": 1.3, \"electricity\": \"$0.0837/kWh\", \"colocation\": \"$195/kW/month\", \"includes_power\": false, \"maintenance\": "
        "0.05}");
    own->nodes_min = own->nodes_max = 1;
    case_lease(x, 0, 59 * RR_D);
    case_pool(x, "aws/own.8", "spot", "{\"price\": \"$3.217/h\", \"minimum\": \"0 s\"}");
    case_lease(x, 5 * RR_H, 5 * RR_H + 1234567890);
    write_bill(x, &b);
    const size_t bought = find_row(&b, "Purchase", "Standard", ""), spot = find_row(&b, "Usage", "Dynamic", "");
    const size_t other = find_row(&b, "Usage", "Other", "");
    assert_true(number(&b, bought, "BilledCost") == 289000.37 && number(&b, bought, "EffectiveCost") == 0);
    assert_string_equal(at(&b, bought, "ChargePeriodEnd"), "2031-01-01T00:00:00Z");
    assert_string_equal(at(&b, bought, "ServiceName"), "Own machines");
    assert_true(number(&b, other, "BilledCost") == 0 && number(&b, other, "EffectiveCost") > 0);
    assert_string_equal(at(&b, other, "PricingUnit"), "Node-Hours");
    assert_string_equal(at(&b, spot, "ServiceName"), "Amazon Elastic Compute Cloud");
    assert_true(number(&b, spot, "ListUnitPrice") == 3.217);
    rr_arena_free(b.arena);
    rr_vec_done(&kept.cover);
    case_free(x);
}

static void without_a_calendar_there_is_no_bill(void **state)
{
    (void)state;
    struct rr_outfile *out;
    const struct rr_store s = {.name = "s", .currency = "USD"};
    assert_int_equal(rr_outfile_open(in_dir("none"), &out), RR_OK);
    assert_int_equal(rr_focus_write(&s, NULL, out), RR_EINPUT);
    assert_non_null(strstr(rr_reason(), "\"start\""));
    rr_outfile_free(out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decimals_are_exact),
        cmocka_unit_test(times_are_utc),
        cmocka_unit_test(each_rule_is_looked_after),
        cmocka_unit_test(a_term_that_is_covered_must_add_up),
        cmocka_unit_test(header_and_version),
        cmocka_unit_test(the_sums_of_the_sample),
        cmocka_unit_test(the_examples_of_the_specification),
        cmocka_unit_test(the_worked_example),
        cmocka_unit_test(the_usage_scenarios),
        cmocka_unit_test(the_purchase_scenarios),
        cmocka_unit_test(own_machines_and_spot),
        cmocka_unit_test(without_a_calendar_there_is_no_bill),
    };
    return cmocka_run_group_tests(tests, test_dir_make, test_dir_remove);
}
