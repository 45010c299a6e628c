/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/test_bill.c - bills of clouds in one form, and the demand that is in them. */
#include "data/bill.h"
#include "data/demand.h"
#include "data/base/time.h"
#include "tests/unit/test_dir.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

struct read {
    struct rr_arena *arena;
    struct rr_buf csv; /* our form */
    struct rr_bill_report report;
    enum rr_status st;
};

static enum rr_status keep(void *ctx, const struct rr_bill_row *row)
{
    rr_bill_put(ctx, row);
    return RR_OK;
}

static void make_file(const char *name, const char *text, size_t n)
{
    FILE *f = fopen(in_dir(name), "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, n, f), n);
    fclose(f);
}

static struct read read_text(const char *text, double most, const cJSON *columns)
{
    struct read r = {.arena = rr_arena_create()};
    const struct rr_bill_options opt = {.max_rejected = most, .columns = columns};
    make_file("bill.csv", text, strlen(text));
    const char *path = rr_strdup(r.arena, in_dir("bill.csv"));
    r.st = rr_bill_read(&path, 1, &opt, r.arena, keep, &r.csv, &r.report);
    return r;
}

static void done(struct read *r)
{
    rr_buf_done(&r->csv);
    rr_arena_free(r->arena);
}

static void reads_as(const char *text, const char *format, const char *want)
{
    struct read r = read_text(text, 0, NULL);
    if (r.st != RR_OK) fail_msg("%s", rr_reason());
    assert_string_equal(r.report.format, format);
    assert_string_equal(rr_buf_text(&r.csv), want);
    done(&r);
}

static void refused(const char *text, double most, const char *why)
{
    struct read r = read_text(text, most, NULL);
    assert_int_equal(r.st, RR_EINPUT);
    if (!strstr(rr_reason(), why)) fail_msg("\"%s\" lacks \"%s\"", rr_reason(), why);
    done(&r);
}

/* ---- FOCUS ---- */

#define FOCUS                                                                                                               \
    "ChargePeriodStart,ChargePeriodEnd,ChargeCategory,ServiceCategory,ServiceName,BilledCost,EffectiveCost,ContractedCost," \
    "BillingCurrency,ConsumedQuantity,ConsumedUnit,SkuPriceDetails,RegionId,Mystery\n"

static void focus_as_it_really_comes(void **state)
{
    (void)state;
    /* no T and Z, NULL and nothing, another case, blank lines, unknown columns, negative costs */
    reads_as(
        FOCUS
        "2024-09-18 22:00:00,2024-09-18 23:00:00,usage,Compute,EC2,1.250,NULL,null,USD,2,Hours,\"{\"\"InstanceType\"\": \"\"g5.xlarge\"\", "
        "\"\"GpuCount\"\": 1}\",us-west-2,x\n\n\n"
        "2024-09-18T23:00:00Z,2024-09-19T00:00:00Z,Credit,Other,Credits,-0.70000,-0.7,,USD,,,,,\n",
        "focus",
        "2024-09-18T22:00:00Z,2024-09-18T23:00:00Z,,,EC2,Compute,us-west-2,g5.xlarge,1,,,Usage,,,,2,Hours,,,1.25,1.25,USD\n"
        "2024-09-18T23:00:00Z,2024-09-19T00:00:00Z,,,Credits,Other,,,,,,Credit,,,,,,,,-0.7,-0.7,USD\n");
}

static void bad_rows_are_named_and_counted(void **state)
{
    (void)state;
    static const char text[] = FOCUS "2023-01-01T00:00:00Z,2023-02-01T30:00:00Z,Usage,Compute,s,1,1,1,USD,,,,,\n"
                                     "2023-01-01T00:00:00Z,2023-01-01T01:00:00Z,Usage,Compute,s,\"$10,000.00 \",1,1,USD,,,,,\n"
                                     "2023-01-01T02:00:00Z,2023-01-01T01:00:00Z,Usage,Compute,s,1,1,1,USD,,,,,\n"
                                     "2023-01-01T00:00:00Z,2023-01-01T01:00:00Z,Usages,Compute,s,1,1,1,USD,,,,,\n"
                                     "2023-01-01T00:00:00Z,2023-01-01T01:00:00Z,Usage,Compute,s,,,1,USD,,,,,\n"
                                     "2023-01-01T00:00:00Z,2023-01-01T01:00:00Z,Usage,Compute,s,2.385,2.385,1,USD,,,,,\n";
    static const char *const why[] = {":2: ",
                                      "is no time",
                                      ":3: ",
                                      "billed: \"$10,000.00\" is no plain decimal",
                                      ":4: ends before it starts",
                                      ":5: charge \"Usages\"",
                                      ":6: has no cost"};
    struct read r = read_text(text, 0.9, NULL);
    assert_int_equal(r.st, RR_OK);
    assert_int_equal(r.report.rows, 6);
    assert_int_equal(r.report.rejected, 5);
    assert_int_equal(r.report.n_first, 5);
    struct rr_buf all = {0};
    for (size_t i = 0; i < 5; i++) rr_buf_putf(&all, "%s\n", r.report.first[i]);
    for (size_t i = 0; i < sizeof why / sizeof *why; i++)
        if (!strstr(rr_buf_text(&all), why[i])) fail_msg("%s lacks %s", rr_buf_text(&all), why[i]);
    assert_true(r.report.billed == (rr_i128)2385 * (RR_FOCUS_UNIT / 1000));
    rr_buf_done(&all);
    done(&r);
    refused(text, 0.8, "5 of 6 rows are damaged, more than 80 % (--max-rejected); the first: ");
}

static void what_is_no_bill(void **state)
{
    (void)state;
    refused("", 0, "is empty");
    refused("job_id,submit_s\n1,2\n", 0, ":1: the header is of no known format of bills");
    refused(FOCUS "2023-01-01T00:00:00Z,,Usage,,,1,1,,USD,,,,,\n2023-01-01T00:00:00Z,,Usage,,,1,1,,EUR,,,,,\n", 0,
            ":3: currency EUR, but USD before it");
    struct read r = {.arena = rr_arena_create()};
    const struct rr_bill_options opt = {.format = "fokus"};
    make_file("p.parquet", "PAR1\0\0\0\0PAR1", 12);
    const char *path = rr_strdup(r.arena, in_dir("p.parquet"));
    assert_int_equal(rr_bill_read(&path, 1, &opt, r.arena, keep, &r.csv, &r.report), RR_EINPUT);
    assert_non_null(strstr(rr_reason(), "is a Parquet file"));
    assert_non_null(strstr(rr_reason(), "duckdb -c \"COPY (FROM '"));
    make_file("b.csv", FOCUS, strlen(FOCUS));
    path = rr_strdup(r.arena, in_dir("b.csv"));
    assert_int_equal(rr_bill_read(&path, 1, &opt, r.arena, keep, &r.csv, &r.report), RR_EUSAGE);
    assert_non_null(strstr(rr_reason(), "did you mean \"focus\""));
    path = rr_strdup(r.arena, in_dir("none.csv"));
    assert_int_equal(rr_bill_read(&path, 1, &opt, r.arena, keep, &r.csv, &r.report), RR_EIO);
    done(&r);
}

/* ---- AWS ---- */

/* Amortised: covered usage at the plan's price, of the fees the unused part, of negation nothing: 2.10 used + 0.90 unused = the 3.00 committed. */
static void aws_cur_is_amortised(void **state)
{
    (void)state;
    reads_as(
        "lineItem/UsageStartDate,lineItem/UsageEndDate,lineItem/LineItemType,lineItem/ProductCode,lineItem/UsageType,lineItem/UsageAmount,"
        "lineItem/UnblendedCost,lineItem/CurrencyCode,pricing/unit,pricing/term,pricing/publicOnDemandCost,product/region,"
        "savingsPlan/SavingsPlanARN,savingsPlan/SavingsPlanEffectiveCost,savingsPlan/TotalCommitmentToDate,savingsPlan/UsedCommitment,"
        "reservation/ReservationARN,reservation/EffectiveCost,reservation/UnusedRecurringFee,"
        "reservation/UnusedAmortizedUpfrontFeeForBillingPeriod\n"
        "2026-01-01T00:00:00Z,2026-01-01T01:00:00Z,SavingsPlanCoveredUsage,AmazonEC2,BoxUsage:p5.48xlarge,1,3.5,USD,Hrs,OnDemand,3.5,us-"
        "east-1,sp,"
        "2.10,,,,,,\n"
        "2026-01-01T00:00:00Z,2026-01-01T01:00:00Z,SavingsPlanNegation,AmazonEC2,BoxUsage:p5.48xlarge,1,-3.5,USD,,,,us-east-1,sp,,,,,,,\n"
        "2026-01-01T00:00:00Z,2026-01-01T01:00:00Z,SavingsPlanRecurringFee,ComputeSavingsPlans,fee,1,3.00,USD,,,,,sp,,3.00,2.10,,,,\n"
        "2026-01-01T00:00:00Z,2026-01-01T01:00:00Z,DiscountedUsage,AmazonEC2,BoxUsage:g5.xlarge,1,0,USD,Hrs,Reserved,1.006,us-east-1,,,,,"
        "ri,0.6,,\n"
        "2026-01-01T00:00:00Z,2026-02-01T00:00:00Z,RIFee,AmazonEC2,HeavyUsage:g5.xlarge,744,100,USD,Hrs,Reserved,,us-east-1,,,,,ri,,12.5,7."
        "25\n"
        "2026-01-01T00:00:00Z,2026-01-01T01:00:00Z,Usage,AmazonEC2,SpotUsage:g5.xlarge,1,0.4,USD,Hrs,,,us-east-1,,,,,,,,\n"
        "2026-01-01T00:00:00Z,2026-01-01T01:00:00Z,Usage,AmazonEC2,NatGateway-Hours,1,0.045,USD,Hrs,OnDemand,0.045,us-east-1,,,,,,,,\n",
        "aws-cur",
        "2026-01-01T00:00:00Z,2026-01-01T01:00:00Z,,AWS,Amazon Elastic Compute "
        "Cloud,Compute,us-east-1,p5.48xlarge,,,,Usage,Committed,sp,Used,1,"
        "Hours,3.5,,2.1,3.5,USD\n"
        "2026-01-01T00:00:00Z,2026-01-01T01:00:00Z,,AWS,Amazon Elastic Compute "
        "Cloud,Compute,us-east-1,p5.48xlarge,,,,Adjustment,Committed,sp,,1,,,,"
        "0,-3.5,USD\n"
        "2026-01-01T00:00:00Z,2026-01-01T01:00:00Z,,AWS,ComputeSavingsPlans,,,,,,,Purchase,Standard,sp,,1,,,,0.9,3,USD\n"
        "2026-01-01T00:00:00Z,2026-01-01T01:00:00Z,,AWS,Amazon Elastic Compute "
        "Cloud,Compute,us-east-1,g5.xlarge,,,,Usage,Committed,ri,Used,1,Hours,"
        "1.006,,0.6,0,USD\n"
        "2026-01-01T00:00:00Z,2026-02-01T00:00:00Z,,AWS,Amazon Elastic Compute "
        "Cloud,Compute,us-east-1,g5.xlarge,,,,Purchase,Standard,ri,,744,"
        "Meter-Hours,,,19.75,100,USD\n"
        "2026-01-01T00:00:00Z,2026-01-01T01:00:00Z,,AWS,Amazon Elastic Compute "
        "Cloud,Compute,us-east-1,g5.xlarge,,,,Usage,Dynamic,,,1,Hours,,,0.4,"
        "0.4,USD\n"
        "2026-01-01T00:00:00Z,2026-01-01T01:00:00Z,,AWS,Amazon Elastic Compute "
        "Cloud,Compute,us-east-1,,,,,Usage,Standard,,,1,Meter-Hours,0.045,,"
        "0.045,0.045,USD\n");
    refused("line_item_usage_start_date,line_item_line_item_type,line_item_unblended_cost\n2026-01-01T00:00:00Z,Usage2,1\n", 0,
            "line item type \"Usage2\" is not known");
}

/* ---- Azure, Alibaba Cloud, own columns ---- */

static void azure_is_by_the_day(void **state)
{
    (void)state;
    reads_as("Date,MeterCategory,MeterId,Quantity,UnitOfMeasure,CostInBillingCurrency,BillingCurrency,ResourceLocation,ChargeType,"
             "PricingModel,AdditionalInfo\n"
             "09/18/2024,Virtual Machines,m1,0.24,100 Hours,235.9,USD,eastus,Usage,OnDemand,\"{\"\"ServiceType\"\": "
             "\"\"Standard_ND96isr_H100_v5\"\"}\"\n"
             "9/8/2024,Virtual Machines,m2,3,1 Hour,0,USD,eastus,UnusedReservation,Reservation,\n",
             "azure",
             "2024-09-18T00:00:00Z,2024-09-19T00:00:00Z,,Microsoft,Virtual "
             "Machines,Compute,eastus,Standard_ND96isr_H100_v5,,m1,,Usage,Standard,,,24,Hours,,,"
             "235.9,235.9,USD\n"
             "2024-09-08T00:00:00Z,2024-09-09T00:00:00Z,,Microsoft,Virtual "
             "Machines,Compute,eastus,,,m2,,Usage,Committed,,Unused,3,Hours,,,0,0,USD\n");
    refused("Date,MeterCategory,UnitOfMeasure,Cost\n13/13/2024,a,1 Hour,1\n", 0, "is no date such as 09/18/2024");
}

static void aliyun_is_in_beijing(void **state)
{
    (void)state;
    reads_as("ProductCode,ProductName,InstanceID,InstanceSpec,Region,UsageStartTime,UsageEndTime,ServicePeriod,ServicePeriodUnit,"
             "PretaxGrossAmount,"
             "PretaxAmount,Currency,Item,SubscriptionType\n"
             "ecs,ECS,i-1,ecs.gn7i-c8g1.2xlarge,cn-hangzhou,2024-09-18 08:00:00,2024-09-18 "
             "09:00:00,3600,Second,10,8.5,CNY,PayAsYouGoBill,PayAsYouGo\n"
             "ecs,ECS,i-2,ecs.gn6v-c8g1.2xlarge,cn-hangzhou,2024-09-01 00:00:00,2024-10-01 "
             "00:00:00,1,Month,8000,6400,CNY,SubscriptionOrder,Subscription\n",
             "aliyun",
             "2024-09-18T00:00:00Z,2024-09-18T01:00:00Z,,Alibaba Cloud,Elastic Compute "
             "Service,Compute,cn-hangzhou,ecs.gn7i-c8g1.2xlarge,,,i-1,Usage,Standard,,,"
             "1,Hours,10,8.5,8.5,8.5,CNY\n"
             "2024-08-31T16:00:00Z,2024-09-30T16:00:00Z,,Alibaba Cloud,Elastic Compute "
             "Service,Compute,cn-hangzhou,ecs.gn6v-c8g1.2xlarge,,,i-2,Purchase,"
             "Standard,,,1,Month,8000,6400,6400,6400,CNY\n");
    /* the console's names */
    struct read r = read_text("\xe4\xba\xa7\xe5\x93\x81"
                              "Code,\xe5\xae\x9e\xe4\xbe\x8bID,\xe8\xb4\xa6\xe5\x8d\x95\xe6\x97\xa5\xe6\x9c\x9f,"
                              "\xe5\xba\x94\xe4\xbb\x98\xe9\x87\x91\xe9\xa2\x9d\necs,i,2024-09-18,1.5\n",
                              0, NULL);
    assert_int_equal(r.st, RR_OK);
    assert_string_equal(r.report.format, "aliyun");
    done(&r);
}

static void columns_of_ones_own(void **state)
{
    (void)state;
    cJSON *map = cJSON_Parse("{\"day\": \"When\", \"billed\": \"Cost (USD)\", \"service\": \"What\"}");
    struct read r = read_text("When,What,Cost (USD)\n2024-09-18,GPU box,12.5\n", 0, map);
    if (r.st != RR_OK) fail_msg("%s", rr_reason());
    assert_string_equal(r.report.format, "columns");
    assert_string_equal(rr_buf_text(&r.csv), "2024-09-18T00:00:00Z,2024-09-19T00:00:00Z,,,GPU box,,,,,,,Usage,,,,,,,,12.5,12.5,\n");
    done(&r);
    r = read_text("When,What,Cost\n2024-09-18,GPU box,12.5\n", 0, map);
    assert_int_equal(r.st, RR_EINPUT);
    assert_non_null(strstr(rr_reason(), "no column \"Cost (USD)\""));
    done(&r);
    cJSON_Delete(map);
    map = cJSON_Parse("{\"biled\": \"Cost\"}");
    r = read_text("When,What,Cost\n2024-09-18,GPU box,12.5\n", 0, map);
    assert_int_equal(r.st, RR_EINPUT);
    assert_non_null(strstr(rr_reason(), "did you mean \"billed\""));
    done(&r);
    cJSON_Delete(map);
}

static void our_own_form_comes_back(void **state)
{
    (void)state;
    struct rr_buf b = {0};
    rr_bill_header(&b);
    rr_buf_puts(&b, "2024-09-18T22:00:00Z,2024-09-18T23:00:00Z,a,AWS,EC2,Compute,us-west-2,g5.xlarge,1,sku,i-1,Usage,Committed,ri,Used,2.5,"
                    "Hours,3,2.75,1.25,0,USD\n");
    const char *row = strchr(rr_buf_text(&b), '\n') + 1;
    reads_as(rr_buf_text(&b), "rackrate", row);
    rr_buf_done(&b);
}

/* The public sample: real rows, read without a loss. */
static void the_public_sample(void **state)
{
    (void)state;
    struct read r = {.arena = rr_arena_create()};
    const struct rr_bill_options opt = {0};
    const char *shared = getenv("RACKRATE_SHARED");
    const char *path = rr_strf(r.arena, "%s/catalogs/focus/focus_sample_v1.0.csv", shared ? shared : "../shared");
    FILE *f = fopen(path, "r");
    if (!f) {
        done(&r);
        skip();
    }
    fclose(f);
    r.st = rr_bill_read(&path, 1, &opt, r.arena, keep, &r.csv, &r.report);
    if (r.st != RR_OK) fail_msg("%s", rr_reason());
    assert_int_equal(r.report.rows, 1000);
    assert_int_equal(r.report.rejected, 0);
    assert_int_equal(r.report.no_contracted, 7);
    assert_true(fabs(rr_focus_double(r.report.billed) - 20.52022672899003) < 1e-13);
    assert_true(fabs(rr_focus_double(r.report.list) - 20.390905751190033) < 1e-13);
    done(&r);
}

/* ---- demand ---- */

static void hours_are_added_up(void **state)
{
    (void)state;
    struct rr_demand_sum *d = rr_demand_begin();
    struct rr_arena *a = rr_arena_create();
    struct rr_demand x, y;
    const int64_t t = INT64_C(1726617600) * RR_S; // 2024-09-18
    assert_int_equal(rr_demand_finish(d, a, &x), RR_EINPUT);
    assert_int_equal(rr_demand_add(d, "p5", "b", t + 2 * RR_H, t + 3 * RR_H, 2.385), RR_OK);
    assert_int_equal(rr_demand_add(d, "p5", "b", t + 2 * RR_H + RR_H / 2, t + 3 * RR_H, 0.5), RR_OK);
    assert_int_equal(rr_demand_add(d, "g5", "a", t, t + 4 * RR_H, 6), RR_OK);            // spread: 1.5 an hour
    assert_int_equal(rr_demand_add(d, "p5", "b", t + RR_H / 2, t + 2 * RR_H, 3), RR_OK); // a third in the first hour
    assert_int_equal(rr_demand_finish(d, a, &x), RR_OK);
    assert_int_equal(x.n, 2);
    assert_int_equal(x.n_hours, 4);
    assert_int_equal(x.spread, 2);
    assert_true(x.start_us == t);
    assert_string_equal(x.series[0].instance, "g5");
    const double want[] = {1, 2, 2.885, 0};
    for (int h = 0; h < 4; h++) assert_true(x.series[0].nodes[h] == 1.5 && fabs(x.series[1].nodes[h] - want[h]) < 1e-12);
    struct rr_buf b = {0};
    rr_demand_csv(&x, &b);
    make_file("d.csv", rr_buf_text(&b), b.n);
    assert_int_equal(rr_demand_read(in_dir("d.csv"), a, &y), RR_OK);
    assert_int_equal(y.n_hours, 4);
    for (int h = 0; h < 4; h++) assert_true(fabs(y.series[1].nodes[h] - want[h]) < 1e-9);
    assert_int_equal(rr_demand_add(d, "p5", "b", t - 200 * 8766 * RR_H, t, 1), RR_EINPUT);
    rr_buf_done(&b);
    rr_demand_free(d);
    rr_arena_free(a);
}

static void demand_files_are_checked(void **state)
{
    (void)state;
    static const struct {
        const char *text, *why;
    } x[] = {{"hour,instance,nodes\n2024-09-18T00:30:00Z,p5,1\n", ":2: \"hour\" is no full hour"},
             {"hour,instance,nodes\n2024-09-18T00:00:00Z,p5,-1\n", ":2: \"nodes\" is negative"},
             {"hour,instance,nodes\n2024-09-18T00:00:00Z,,1\n", ":2: \"instance\" is empty"},
             {"hour,instance,nodes\nmonday,p5,1\n", ":2: \"monday\" is no time"},
             {"hour,nodes\n2024-09-18T00:00:00Z,1\n", "hour,instance,region,nodes are expected"},
             {"hour,instance,nodes\n", "no demand"}};
    struct rr_arena *a = rr_arena_create();
    struct rr_demand d;
    for (size_t i = 0; i < sizeof x / sizeof *x; i++) {
        make_file("d.csv", x[i].text, strlen(x[i].text));
        assert_int_equal(rr_demand_read(in_dir("d.csv"), a, &d), RR_EINPUT);
        if (!strstr(rr_reason(), x[i].why)) fail_msg("\"%s\" lacks \"%s\"", rr_reason(), x[i].why);
    }
    rr_arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(focus_as_it_really_comes), cmocka_unit_test(bad_rows_are_named_and_counted),
        cmocka_unit_test(what_is_no_bill),          cmocka_unit_test(aws_cur_is_amortised),
        cmocka_unit_test(azure_is_by_the_day),      cmocka_unit_test(aliyun_is_in_beijing),
        cmocka_unit_test(columns_of_ones_own),      cmocka_unit_test(our_own_form_comes_back),
        cmocka_unit_test(the_public_sample),        cmocka_unit_test(hours_are_added_up),
        cmocka_unit_test(demand_files_are_checked),
    };
    return cmocka_run_group_tests(tests, test_dir_make, test_dir_remove);
}
