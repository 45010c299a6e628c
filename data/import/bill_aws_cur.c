/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/import/bill_aws_cur.c - AWS Cost and Usage Reports as CSV, with the column names of CUR ("lineItem/UsageAmount") and CUR 2.0
 * ("line_item_usage_amount").
 *
 * Billed is the unblended cost. Effective is what AWS calls amortised: of usage that a plan or reservation covers its effective cost, of
 * their fees the unused part, and nothing of the negation rows and of prepayments (AWS, "Understanding your amortized ..." and the CUR data
 * dictionary, columns savings_plan_savings_plan_effective_cost, reservation_effective_cost, reservation_unused_*). */
#include "data/bill.h"
#include <string.h>

static const struct {
    const char *type, *charge, *pricing, *status;
} types[] = {{"Usage", "Usage", "Standard", ""},
             {"DiscountedUsage", "Usage", "Committed", "Used"},
             {"SavingsPlanCoveredUsage", "Usage", "Committed", "Used"},
             {"SavingsPlanNegation", "Adjustment", "Committed", ""},
             {"SavingsPlanRecurringFee", "Purchase", "Standard", ""},
             {"SavingsPlanUpfrontFee", "Purchase", "Standard", ""},
             {"RIFee", "Purchase", "Standard", ""},
             {"Fee", "Purchase", "Standard", ""},
             {"Tax", "Tax", "", ""},
             {"Credit", "Credit", "", ""},
             {"Refund", "Credit", "", ""},
             {"EdpDiscount", "Credit", "", ""},
             {"PrivateRateDiscount", "Credit", "", ""},
             {"BundledDiscount", "Credit", "", ""}};

static void take_effective(struct rr_bill_row *row)
{
    const char *type = row->text[RR_BILL_type];
    rr_i128 a, b;
    row->effective = row->billed;
    if (strcmp(type, "SavingsPlanCoveredUsage") == 0) {
        if (rr_bill_amount(row->text[RR_BILL_planned], &a)) row->effective = a;
    } else if (strcmp(type, "DiscountedUsage") == 0) {
        if (rr_bill_amount(row->text[RR_BILL_effective], &a)) row->effective = a;
    } else if (strcmp(type, "SavingsPlanRecurringFee") == 0) {
        rr_bill_amount(row->text[RR_BILL_committed], &a);
        rr_bill_amount(row->text[RR_BILL_consumed], &b);
        row->effective = a - b;
    } else if (strcmp(type, "RIFee") == 0) {
        rr_bill_amount(row->text[RR_BILL_fee], &a);
        rr_bill_amount(row->text[RR_BILL_upfront], &b);
        row->effective = a + b;
    } else if (strcmp(type, "SavingsPlanNegation") == 0 || strcmp(type, "SavingsPlanUpfrontFee") == 0 ||
               (strcmp(type, "Fee") == 0 && *row->text[RR_BILL_commitment])) {
        row->effective = 0;
    }
    row->has_effective = true;
}

/* "BoxUsage:p5.48xlarge", "USW2-SpotUsage:p3.2xlarge": machine hours. */
static bool is_machine(const char *usage)
{
    return strstr(usage, "BoxUsage") || strstr(usage, "SpotUsage") || strstr(usage, "DedicatedUsage") || strstr(usage, "HeavyUsage");
}

static enum rr_status cur_fix(struct rr_bill_row *row)
{
    const char *type = row->text[RR_BILL_type], *usage = row->text[RR_BILL_usage];
    size_t i = 0;
    while (i < sizeof types / sizeof *types && strcmp(types[i].type, type) != 0) i++;
    if (i == sizeof types / sizeof *types)
        return rr_fail(RR_EINPUT, "line item type \"%.40s\" is not known (Usage, DiscountedUsage, RIFee, SavingsPlanCoveredUsage, ...)",
                       type);
    row->text[RR_BILL_charge] = types[i].charge;
    row->text[RR_BILL_pricing] = types[i].pricing;
    row->text[RR_BILL_status] = types[i].status;
    if (strcmp(row->text[RR_BILL_term], "Spot") == 0 || strstr(usage, "SpotUsage")) row->text[RR_BILL_pricing] = "Dynamic";
    if (!*row->text[RR_BILL_commitment]) row->text[RR_BILL_commitment] = row->text[RR_BILL_plan];
    const char *colon = strchr(usage, ':');
    if (!*row->text[RR_BILL_instance] && is_machine(usage) && colon) row->text[RR_BILL_instance] = colon + 1;
    if (strcmp(row->text[RR_BILL_service], "AmazonEC2") == 0) {
        row->text[RR_BILL_service] = "Amazon Elastic Compute Cloud";
        row->text[RR_BILL_category] = "Compute";
    }
    if (is_machine(usage) && strcmp(row->text[RR_BILL_charge], "Usage") == 0)
        row->text[RR_BILL_unit] = "Hours";
    else if (strcmp(row->text[RR_BILL_unit], "Hrs") == 0)
        row->text[RR_BILL_unit] = "Meter-Hours"; // of gateways, addresses and the like: no machine
    take_effective(row);
    return RR_OK;
}

const struct rr_bill_format rr_bill_aws_cur = {
    .name = "aws-cur",
    .summary = "AWS Cost and Usage Report (CUR and CUR 2.0) as CSV",
    .source = "AWS, Cost and Usage Report data dictionary",
    .tell = {"lineItem/UsageStartDate|line_item_usage_start_date", "lineItem/LineItemType|line_item_line_item_type",
             "lineItem/UnblendedCost|line_item_unblended_cost"},
    .provider = "AWS",
    .column = {[RR_BILL_from] = {"lineItem/UsageStartDate", "line_item_usage_start_date"},
               [RR_BILL_to] = {"lineItem/UsageEndDate", "line_item_usage_end_date"},
               [RR_BILL_account] = {"lineItem/UsageAccountId", "line_item_usage_account_id", "bill/PayerAccountId",
                                    "bill_payer_account_id"},
               [RR_BILL_service] = {"lineItem/ProductCode", "line_item_product_code"},
               [RR_BILL_region] = {"product/region", "product_region_code", "product/regionCode", "product_region"},
               [RR_BILL_instance] = {"product/instanceType", "product_instance_type"},
               [RR_BILL_gpus] = {"product/gpu", "product_gpu"},
               [RR_BILL_sku] = {"product/sku", "product_sku"},
               [RR_BILL_resource] = {"lineItem/ResourceId", "line_item_resource_id"},
               [RR_BILL_commitment] = {"reservation/ReservationARN", "reservation_reservation_a_r_n", "reservation_reservation_arn"},
               [RR_BILL_quantity] = {"lineItem/UsageAmount", "line_item_usage_amount"},
               [RR_BILL_unit] = {"pricing/unit", "pricing_unit"},
               [RR_BILL_list] = {"pricing/publicOnDemandCost", "pricing_public_on_demand_cost"},
               [RR_BILL_effective] = {"reservation/EffectiveCost", "reservation_effective_cost"},
               [RR_BILL_billed] = {"lineItem/UnblendedCost", "line_item_unblended_cost"},
               [RR_BILL_currency] = {"lineItem/CurrencyCode", "line_item_currency_code"},
               [RR_BILL_type] = {"lineItem/LineItemType", "line_item_line_item_type"},
               [RR_BILL_term] = {"pricing/term", "pricing_term"},
               [RR_BILL_fee] = {"reservation/UnusedRecurringFee", "reservation_unused_recurring_fee"},
               [RR_BILL_upfront] = {"reservation/UnusedAmortizedUpfrontFeeForBillingPeriod",
                                    "reservation_unused_amortized_upfront_fee_for_billing_period"},
               [RR_BILL_committed] = {"savingsPlan/TotalCommitmentToDate", "savings_plan_total_commitment_to_date"},
               [RR_BILL_consumed] = {"savingsPlan/UsedCommitment", "savings_plan_used_commitment"},
               [RR_BILL_plan] = {"savingsPlan/SavingsPlanARN", "savings_plan_savings_plan_a_r_n", "savings_plan_savings_plan_arn"},
               [RR_BILL_planned] = {"savingsPlan/SavingsPlanEffectiveCost", "savings_plan_savings_plan_effective_cost"},
               [RR_BILL_usage] = {"lineItem/UsageType", "line_item_usage_type"}},
    .fix = cur_fix,
};
