/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/spot_feed.h - where a spot pool's price or capacity comes from: the field of a RR_P_SPOT_PRICES or RR_P_SPOT_NODES row.
 *
 *     "price": "$1.2/h"                                               a constant
 *     "price": "FILE"   or {"file": "FILE", "zone": "us-east-1a"}     a series
 *     "price": {"model": {"mean": "$1.1/h", "sd": 0.08, "half_life": "2 days"}}      a model with these parameters
 *     "price": {"file": "FILE", "zone": "us-east-1a", "model": {}}    a model fitted to a series
 *     "availability": "FILE" or {"file": "FILE", "gap": "10 min"}     a series
 *     "availability": {"hazard": "5-10 %", "batch": 2.1}              a model */
#ifndef RR_DATA_SPOT_FEED_H
#define RR_DATA_SPOT_FEED_H
#include "data/param.h"
#include "data/spot.h"

enum rr_spot_feed_kind { RR_FEED_NONE, RR_FEED_RATE, RR_FEED_SERIES, RR_FEED_MODEL };

struct rr_spot_ou_rows { /* models/spot.h says what they mean */
    uint64_t given;
    struct rr_price mean, least, most;
    double sd;
    int64_t half_life_us, step_us;
    const char *evidence;
};
struct rr_spot_hazard_rows {
    uint64_t given;
    int bucket;
    double monthly, batch;
    struct rr_dist back_us;
    const char *evidence;
};
enum { RR_OU_MEAN, RR_OU_SD, RR_OU_HALF_LIFE, RR_OU_STEP, RR_OU_LEAST, RR_OU_MOST, RR_OU_EVIDENCE };
enum { RR_HAZARD_BUCKET, RR_HAZARD_MONTHLY, RR_HAZARD_BATCH, RR_HAZARD_BACK, RR_HAZARD_EVIDENCE };
/* Share of nodes taken back in a month that stands for each word of "hazard". */
extern const double rr_spot_bucket_share[];

struct rr_spot_feed {
    const cJSON *json; /* as written */
    enum rr_spot_feed_kind kind;
    struct rr_price rate;
    struct rr_spot_file file;     /* with a path: `series` was read from it */
    struct rr_spot_series series; /* n 0: there is none, or files are not looked at */
    struct rr_spot_ou_rows ou;
    struct rr_spot_hazard_rows hazard;
};
/* {"anyOf": ...} of the two forms. The caller owns the tree. */
cJSON *rr_spot_feed_schema(enum rr_spot_of of);
#endif
