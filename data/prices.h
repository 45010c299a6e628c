/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/prices.h - prices in steps and by name: the fields of RR_P_TIERS and RR_P_PRICES rows.
 *
 *     "tiers": [{"up_to": "10 TB", "rate": "$0.09/GB"}, {"up_to": "50 TB", "rate": "$0.085/GB"}, {"rate": "$0.07/GB"}]
 *     "tiers": [{"up_to": "$10,000", "share": "10 %"}, {"share": "7 %"}]
 *     "steps": {"2026-07-01": "$1.8/gpu/h", "2027-01-01": "$1.5/gpu/h"}
 *     "rates": {"aws/p5": "30 %", "aws/p4d.24xlarge": "$19.22/h"}
 *
 * Tiers are marginal: each price holds for what lies between its own limit and the one before. Limits ascend and are all of one kind; the last tier has
 * none. Each tier has a rate, or a share: of the amount, or taken off the rate, as the row says. */
#ifndef RR_DATA_PRICES_H
#define RR_DATA_PRICES_H
#include "data/param.h"

enum rr_tier_by { RR_TIER_OPEN, RR_TIER_NUMBER, RR_TIER_BYTES, RR_TIER_SHARE, RR_TIER_MONEY };
struct rr_tier {
    enum rr_tier_by by; /* RR_TIER_OPEN: no limit */
    int64_t up_to;      /* bytes; micro-units of the currency; millionths of a number; billionths of the whole */
    char currency[4];   /* of the limit */
    bool has_rate;      /* else a share */
    struct rr_price rate;
    double share;
};
struct rr_tiers {
    const cJSON *json; /* first: as written */
    enum rr_tier_by by;
    bool has_rates;
    size_t n; /* >= 1 */
    struct rr_tier *tier;
};

enum rr_entry_kind { RR_ENTRY_RATE, RR_ENTRY_SHARE, RR_ENTRY_MONEY };
struct rr_price_entry {
    const char *key;
    enum rr_entry_kind kind;
    struct rr_price rate;
    struct rr_amount money;
    double share;
};
struct rr_price_map {
    const cJSON *json; /* first: as written */
    size_t n;
    struct rr_price_entry *entry; /* in file order */
};
#endif
