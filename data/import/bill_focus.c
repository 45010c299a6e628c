/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/import/bill_focus.c - exports in the columns of FOCUS 1.0, 1.1 and 1.2, real ones included.
 *
 * Real files write NULL or nothing, times without T and Z, words in another case ("Usage-based"), and leave mandatory costs out: what is not
 * said stays unknown. Unknown columns are passed over. */
#include "data/bill.h"

static const char *const charges[] = {"Usage", "Purchase", "Tax", "Credit", "Adjustment", NULL};
static const char *const pricings[] = {"Standard", "Dynamic", "Committed", "Other", NULL};
static const char *const states[] = {"Used", "Unused", NULL};

static enum rr_status put_right(struct rr_bill_row *row, enum rr_bill_field k, const char *const *words, bool needed)
{
    const char *word = rr_bill_word(row->text[k], words);
    if (!word && (needed || *row->text[k]))
        return rr_fail(RR_EINPUT, "%s \"%.40s\" is none of %s, %s, ...", rr_bill_field_name[k], row->text[k], words[0], words[1]);
    row->text[k] = word ? word : "";
    return RR_OK;
}

static enum rr_status focus_fix(struct rr_bill_row *row)
{
    RR_TRY(put_right(row, RR_BILL_charge, charges, true));
    RR_TRY(put_right(row, RR_BILL_pricing, pricings, false));
    RR_TRY(put_right(row, RR_BILL_status, states, false));
    const char *instance = rr_bill_member(row->text[RR_BILL_details], "InstanceType", row->arena);
    const char *gpus = rr_bill_member(row->text[RR_BILL_details], "GpuCount", row->arena);
    if (*instance) row->text[RR_BILL_instance] = instance;
    if (*gpus) row->text[RR_BILL_gpus] = gpus;
    return RR_OK;
}

const struct rr_bill_format rr_bill_focus = {
    .name = "focus",
    .summary = "exports in FOCUS 1.0, 1.1 and 1.2",
    .source = "FinOps Foundation, FOCUS_Spec v1.0, v1.1, v1.2",
    .tell = {"ChargePeriodStart", "ChargeCategory", "BilledCost|EffectiveCost"},
    .column = {[RR_BILL_from] = {"ChargePeriodStart"},
               [RR_BILL_to] = {"ChargePeriodEnd"},
               [RR_BILL_account] = {"BillingAccountId"},
               [RR_BILL_provider] = {"ProviderName", "ServiceProviderName"},
               [RR_BILL_service] = {"ServiceName"},
               [RR_BILL_category] = {"ServiceCategory"},
               [RR_BILL_region] = {"RegionId", "Region"},
               [RR_BILL_instance] = {"x_InstanceType"},
               [RR_BILL_gpus] = {"x_GpuCount"},
               [RR_BILL_sku] = {"SkuId"},
               [RR_BILL_resource] = {"ResourceId"},
               [RR_BILL_charge] = {"ChargeCategory"},
               [RR_BILL_pricing] = {"PricingCategory"},
               [RR_BILL_commitment] = {"CommitmentDiscountId"},
               [RR_BILL_status] = {"CommitmentDiscountStatus"},
               [RR_BILL_quantity] = {"ConsumedQuantity", "PricingQuantity"},
               [RR_BILL_unit] = {"ConsumedUnit", "PricingUnit"},
               [RR_BILL_list] = {"ListCost"},
               [RR_BILL_contracted] = {"ContractedCost"},
               [RR_BILL_effective] = {"EffectiveCost"},
               [RR_BILL_billed] = {"BilledCost"},
               [RR_BILL_currency] = {"BillingCurrency"},
               [RR_BILL_details] = {"SkuPriceDetails"},
               [RR_BILL_usage] = {"ResourceType"}},
    .fix = focus_fix,
};
