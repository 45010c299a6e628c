/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/focus.h - bills in the words of FOCUS (FinOps Open Cost and Usage Specification) 1.0, 1.1 and 1.2.
 *
 * Restated from the specification's column pages (FinOps Foundation, FOCUS_Spec tags v1.0, v1.1, v1.2, CC BY 4.0). Null is an empty cell;
 * readers also take the word NULL. Costs are plain decimals: no exponent, no separators, no sign but "-". */
#ifndef RR_DATA_FOCUS_H
#define RR_DATA_FOCUS_H
#include "data/base/money.h"
#include "data/base/text.h"

#define RR_FOCUS_VERSION "1.2"

/* X(name, type, level in 1.0 / 1.1 / 1.2, null): M mandatory, R recommended, C conditional, - not there. Null: NEVER; PRICED not on usage and
 * purchases; MAY. */
#define RR_FOCUS_TABLE                                       \
    X(BilledCost, DECIMAL, "MMM", NEVER)                     \
    X(BillingAccountId, TEXT, "MMM", NEVER)                  \
    X(BillingAccountName, TEXT, "MMM", MAY)                  \
    X(BillingCurrency, CURRENCY, "MMM", NEVER)               \
    X(BillingPeriodEnd, TIME, "MMM", NEVER)                  \
    X(BillingPeriodStart, TIME, "MMM", NEVER)                \
    X(ChargeCategory, TEXT, "MMM", NEVER)                    \
    X(ChargeClass, TEXT, "MMM", MAY)                         \
    X(ChargeDescription, TEXT, "MMM", MAY)                   \
    X(ChargePeriodEnd, TIME, "MMM", NEVER)                   \
    X(ChargePeriodStart, TIME, "MMM", NEVER)                 \
    X(ContractedCost, DECIMAL, "MMM", NEVER)                 \
    X(EffectiveCost, DECIMAL, "MMM", NEVER)                  \
    X(InvoiceIssuerName, TEXT, "MMM", NEVER)                 \
    X(ListCost, DECIMAL, "MMM", NEVER)                       \
    X(PricingQuantity, DECIMAL, "MMM", PRICED)               \
    X(PricingUnit, TEXT, "MMM", MAY)                         \
    X(ProviderName, TEXT, "MMM", NEVER)                      \
    X(PublisherName, TEXT, "MMM", NEVER)                     \
    X(ServiceCategory, TEXT, "MMM", NEVER)                   \
    X(ServiceName, TEXT, "MMM", NEVER)                       \
    X(AvailabilityZone, TEXT, "RRR", MAY)                    \
    X(ChargeFrequency, TEXT, "RRR", NEVER)                   \
    X(InvoiceId, TEXT, "--R", MAY)                           \
    X(ServiceSubcategory, TEXT, "-RR", NEVER)                \
    X(BillingAccountType, TEXT, "--C", NEVER)                \
    X(CapacityReservationId, TEXT, "-CC", MAY)               \
    X(CapacityReservationStatus, TEXT, "-CC", MAY)           \
    X(CommitmentDiscountCategory, TEXT, "CCC", MAY)          \
    X(CommitmentDiscountId, TEXT, "CCC", MAY)                \
    X(CommitmentDiscountName, TEXT, "CCC", MAY)              \
    X(CommitmentDiscountQuantity, DECIMAL, "-CC", MAY)       \
    X(CommitmentDiscountStatus, TEXT, "CCC", MAY)            \
    X(CommitmentDiscountType, TEXT, "CCC", MAY)              \
    X(CommitmentDiscountUnit, TEXT, "-CC", MAY)              \
    X(ConsumedQuantity, DECIMAL, "CCC", MAY)                 \
    X(ConsumedUnit, TEXT, "CCC", MAY)                        \
    X(ContractedUnitPrice, PRICE, "CCC", PRICED)             \
    X(ListUnitPrice, PRICE, "CCC", PRICED)                   \
    X(PricingCategory, TEXT, "CCC", PRICED)                  \
    X(PricingCurrency, CURRENCY, "--C", NEVER)               \
    X(PricingCurrencyContractedUnitPrice, PRICE, "--C", MAY) \
    X(PricingCurrencyEffectiveCost, DECIMAL, "--C", MAY)     \
    X(PricingCurrencyListUnitPrice, PRICE, "--C", MAY)       \
    X(RegionId, TEXT, "CCC", MAY)                            \
    X(RegionName, TEXT, "CCC", MAY)                          \
    X(ResourceId, TEXT, "CCC", MAY)                          \
    X(ResourceName, TEXT, "CCC", MAY)                        \
    X(ResourceType, TEXT, "CCC", MAY)                        \
    X(SkuId, TEXT, "CCC", PRICED)                            \
    X(SkuMeter, TEXT, "-CC", MAY)                            \
    X(SkuPriceDetails, JSON, "-CC", MAY)                     \
    X(SkuPriceId, TEXT, "CCC", PRICED)                       \
    X(SubAccountId, TEXT, "CCC", MAY)                        \
    X(SubAccountName, TEXT, "CCC", MAY)                      \
    X(SubAccountType, TEXT, "--C", MAY)                      \
    X(Tags, JSON, "CCC", MAY)

enum rr_focus_column {
#define X(name, type, level, null) RR_FOCUS_##name,
    RR_FOCUS_TABLE
#undef X
        RR_FOCUS_COLUMNS
};
enum rr_focus_type { RR_FOCUS_TEXT, RR_FOCUS_DECIMAL, RR_FOCUS_PRICE, RR_FOCUS_TIME, RR_FOCUS_CURRENCY, RR_FOCUS_JSON };
enum rr_focus_null { RR_FOCUS_NEVER, RR_FOCUS_PRICED, RR_FOCUS_MAY };
struct rr_focus_info {
    const char *name;
    enum rr_focus_type type; /* PRICE: a decimal that is not negative */
    const char *level;       /* "MMM" */
    enum rr_focus_null null;
};
extern const struct rr_focus_info rr_focus_info[RR_FOCUS_COLUMNS];
const char *const *rr_focus_words(enum rr_focus_column c); /* the values allowed, NULL-terminated; NULL = any */

/* A decimal as an exact integer of 10^-15 units: 15 digits behind the point, 23 before it. */
enum { RR_FOCUS_DIGITS = 15 };
#define RR_FOCUS_UNIT INT64_C(1000000000000000)
/* "-12.345", "1.5E8", "35.2E-7"; RR_EINPUT for anything else: signs of money, separators, "+". What lies behind 15 digits is rounded half-even. */
RR_CHECKED enum rr_status rr_focus_decimal(struct rr_slice s, rr_i128 *ret);
void rr_buf_focus(struct rr_buf *b, rr_i128 v); /* as few digits as needed */
double rr_focus_double(rr_i128 v);
/* "2024-09-18T22:00:00Z" alone when `strict`; else also "2024-09-18 22:00:00" and dates, taken as UTC. Epoch in microseconds. */
RR_CHECKED enum rr_status rr_focus_time(struct rr_slice s, bool strict, int64_t *ret_us);
bool rr_focus_is_null(struct rr_slice s); /* nothing, or the word NULL */

/* What a file does not keep to. */
struct rr_focus_finding {
    int64_t line; /* 0: of the whole file */
    const char *column, *text;
};
struct rr_focus_report {
    const char *path;
    size_t rows;
    size_t found;                           /* findings in all */
    size_t bad_rows;                        /* rows with one or more */
    const struct rr_focus_finding *finding; /* the first of them, in order of line */
    size_t n;
    rr_i128 list, contracted, effective, billed; /* sums of what could be read */
};
/* Every row by the rules of `version` ("1.0", "1.1" or "1.2"): presence, type, form, null, allowed values, price x quantity = cost, periods, and per
 * commitment used + unused = purchased where the file covers its term. Reads the file as a stream. RR_EINPUT when it is no CSV with such a header. */
RR_CHECKED enum rr_status rr_focus_check(const char *path, const char *version, struct rr_arena *arena, struct rr_focus_report *ret);
#endif
