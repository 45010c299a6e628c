/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/param_field.h - one member on its way into a struct; shared by param*.c alone. */
#ifndef RR_DATA_PARAM_FIELD_H
#define RR_DATA_PARAM_FIELD_H
#include "data/param.h"
#include "data/spot.h"

struct rr_field {
    const struct rr_param_ctx *ctx;
    const struct rr_param *row;
    const cJSON *node;   /* unwrapped */
    const char *pointer; /* of the member */
};
enum rr_status rr_field_fail(const struct rr_field *f, const cJSON *at, const char *fmt, ...) RR_PRINTF(3, 4);
/* "SHOWN given; EXPECTED is expected, such as EXAMPLE". */
enum rr_status rr_field_wrong(const struct rr_field *f, const cJSON *at, enum rr_param_type type);
/* v, in the field's unit, against the row's limits. */
RR_CHECKED enum rr_status rr_field_limits(const struct rr_field *f, const cJSON *at, double v);
RR_CHECKED enum rr_status rr_field_read(const struct rr_field *f, void *into);                     /* param_read.c, into the struct */
RR_CHECKED enum rr_status rr_field_dist(const struct rr_field *f, bool time, struct rr_dist *ret); /* param_dist.c */
struct rr_spot_feed;
RR_CHECKED enum rr_status rr_field_spot(const struct rr_field *f, enum rr_spot_of of, struct rr_spot_feed *ret); /* param_spot.c */
struct rr_week;
struct rr_zone;
RR_CHECKED enum rr_status rr_field_week(const struct rr_field *f, const struct rr_week **ret); /* param_week.c */
RR_CHECKED enum rr_status rr_field_zone(const struct rr_field *f, const struct rr_zone **ret);
cJSON *rr_week_schema(void);
struct rr_tiers;
struct rr_price_map;
RR_CHECKED enum rr_status rr_field_tiers(const struct rr_field *f, const struct rr_tiers **ret); /* param_prices.c */
RR_CHECKED enum rr_status rr_field_prices(const struct rr_field *f, const struct rr_price_map **ret);
RR_CHECKED enum rr_status rr_field_change(const struct rr_field *f, double *ret);
cJSON *rr_tiers_schema(void);
cJSON *rr_prices_schema(void);
RR_CHECKED enum rr_status rr_field_records(const struct rr_field *f, const struct rr_records **ret); /* param_records.c */
cJSON *rr_records_schema(const struct rr_param *row);
#endif
