/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/import/bill_azure.c - Azure cost details exports (EA, MCA and pay-as-you-go), actual or amortised.
 *
 * Rows are of a day. An export is of one kind: its cost is taken both as billed and as effective, so an amortised export must not be
 * reconciled by its billed cost. A unit of measure such as "100 Hours" counts hundreds. */
#include "data/bill.h"
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *word, *charge, *status;
} charges[] = {{"Usage", "Usage", ""},
               {"Purchase", "Purchase", ""},
               {"UnusedReservation", "Usage", "Unused"},
               {"Refund", "Credit", ""},
               {"Adjustment", "Adjustment", ""},
               {"UnusedSavingsPlan", "Usage", "Unused"},
               {"Tax", "Tax", ""},
               {"RoundingAdjustment", "Adjustment", ""}};
static const struct {
    const char *word, *pricing;
} pricings[] = {
    {"OnDemand", "Standard"}, {"On Demand", "Standard"}, {"Reservation", "Committed"}, {"SavingsPlan", "Committed"}, {"Spot", "Dynamic"}};

static enum rr_status take_unit(struct rr_bill_row *row)
{
    const char *unit = row->text[RR_BILL_unit];
    char *end;
    const long long n = strtoll(unit, &end, 10);
    if (end == unit) return RR_OK;
    while (*end == ' ') end++;
    const bool hours = strcmp(end, "Hour") == 0 || strcmp(end, "Hours") == 0;
    row->text[RR_BILL_unit] = hours ? "Hours" : *end ? end : unit;
    if (n <= 0 || n > 1000000000) return rr_fail(RR_EINPUT, "unit of measure \"%.40s\" is none", unit);
    if (__builtin_mul_overflow(row->quantity, (rr_i128)n, &row->quantity)) return rr_fail(RR_EINPUT, "quantity is out of range");
    return RR_OK;
}

static enum rr_status azure_fix(struct rr_bill_row *row)
{
    const char *type = row->text[RR_BILL_type], *term = row->text[RR_BILL_term];
    size_t i = 0;
    while (i < sizeof charges / sizeof *charges && strcmp(charges[i].word, type) != 0) i++;
    if (*type && i == sizeof charges / sizeof *charges)
        return rr_fail(RR_EINPUT, "charge type \"%.40s\" is not known (Usage, Purchase, UnusedReservation, Refund, ...)", type);
    row->text[RR_BILL_charge] = *type ? charges[i].charge : "Usage";
    row->text[RR_BILL_status] = *type ? charges[i].status : "";
    for (size_t k = 0; k < sizeof pricings / sizeof *pricings; k++)
        if (strcmp(pricings[k].word, term) == 0) row->text[RR_BILL_pricing] = pricings[k].pricing;
    if (!*row->text[RR_BILL_commitment]) row->text[RR_BILL_commitment] = row->text[RR_BILL_plan];
    const bool committed = strcmp(row->text[RR_BILL_pricing], "Committed") == 0;
    if (committed && !*row->text[RR_BILL_status] && strcmp(row->text[RR_BILL_charge], "Usage") == 0) row->text[RR_BILL_status] = "Used";
    const char *size = rr_bill_member(row->text[RR_BILL_details], "ServiceType", row->arena);
    if (*size) row->text[RR_BILL_instance] = size;
    if (strcmp(row->text[RR_BILL_service], "Virtual Machines") == 0) row->text[RR_BILL_category] = "Compute";
    row->effective = row->billed;
    row->has_effective = row->has_billed;
    row->list = 0; // the price list's price is of a unit, not of the row
    row->has_list = false;
    return take_unit(row);
}

const struct rr_bill_format rr_bill_azure = {
    .name = "azure",
    .summary = "Azure cost details export (EA, MCA, pay-as-you-go)",
    .source = "Microsoft Learn, Understand cost details fields; cost and usage details schema, EA 2024-08-01 and MCA 2023-12-01",
    .tell = {"MeterCategory", "UnitOfMeasure", "CostInBillingCurrency|Cost|PreTaxCost", "Date|UsageDate|UsageDateTime"},
    .provider = "Microsoft",
    .american = true,
    .column = {[RR_BILL_day] = {"Date", "UsageDate", "UsageDateTime"},
               [RR_BILL_account] = {"BillingAccountId", "SubscriptionId", "SubscriptionGuid"},
               [RR_BILL_service] = {"MeterCategory"},
               [RR_BILL_region] = {"ResourceLocation", "ResourceLocationNormalized", "MeterRegion"},
               [RR_BILL_sku] = {"MeterId"},
               [RR_BILL_resource] = {"ResourceId", "InstanceId", "InstanceName"},
               [RR_BILL_commitment] = {"ReservationId"},
               [RR_BILL_quantity] = {"Quantity", "UsageQuantity"},
               [RR_BILL_unit] = {"UnitOfMeasure"},
               [RR_BILL_billed] = {"CostInBillingCurrency", "Cost", "PreTaxCost"},
               [RR_BILL_currency] = {"BillingCurrency", "BillingCurrencyCode", "Currency"},
               [RR_BILL_type] = {"ChargeType"},
               [RR_BILL_term] = {"PricingModel"},
               [RR_BILL_details] = {"AdditionalInfo"},
               [RR_BILL_plan] = {"BenefitId"}},
    .fix = azure_fix,
};
