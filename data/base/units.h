/* SPDX-License-Identifier: MIT
 * data/base/units.h - quantities as people write them: "400 Gb/s", "80 GiB", "36 months", "$2.10/gpu/h".
 *
 * Gb is not GB, GB is not GiB, "/h" is per node and "/gpu/h" per GPU. A number without its unit, a unit of another
 * dimension and an ambiguous one ("80 G", "5 m") are refused with what would be right. Case counts where it changes the
 * meaning (Gb, GB; mW, MW). */
#ifndef RR_BASE_UNITS_H
#define RR_BASE_UNITS_H
#include "data/base/money.h"

/* "5 min", "36 months", "3 years": months only mean something from a date (time.h rr_time_add). */
struct rr_duration {
    int64_t months; /* calendar months; a year is 12 */
    int64_t us;     /* and microseconds on top */
};

/* Each takes the whole slice, with or without a space before the unit, or fails with RR_EINPUT and a reason that names the
 * right form and has no trailing period. Written on success alone. */
RR_CHECKED enum rr_status rr_unit_duration(struct rr_slice s,
                                           struct rr_duration *ret); /* us ms s min h d day(s) week(s) month(s) year(s); "1 h 30 min" */
RR_CHECKED enum rr_status rr_unit_time(struct rr_slice s, int64_t *ret_us);          /* the same, but months and years refused */
RR_CHECKED enum rr_status rr_unit_bytes(struct rr_slice s, int64_t *ret);            /* B kB MB GB TB PB, KiB MiB GiB TiB PiB */
RR_CHECKED enum rr_status rr_unit_bandwidth(struct rr_slice s, double *ret_bytes_s); /* b/s kb/s Mb/s Gb/s Tb/s, B/s .. TB/s, GiB/s */
RR_CHECKED enum rr_status rr_unit_flops(struct rr_slice s, double *ret_flops);       /* GFLOP/s TFLOP/s PFLOP/s */
RR_CHECKED enum rr_status rr_unit_power(struct rr_slice s, double *ret_w);           /* W kW MW */
RR_CHECKED enum rr_status rr_unit_energy(struct rr_slice s, double *ret_j);          /* J Wh kWh MWh */
RR_CHECKED enum rr_status rr_unit_share(struct rr_slice s, double *ret);             /* "30 %" or "0.3"; from 0 to 1 */
RR_CHECKED enum rr_status rr_unit_ratio(struct rr_slice s, double *ret);             /* the same, above 1 as well: "130 %" */
RR_CHECKED enum rr_status rr_unit_frequency(struct rr_slice s, double *ret_per_s);   /* "0.5/s" "30/min" "120/h" "5000/day" */
/* currency: 3 letters and a NUL. "$" is USD, "¥" and "￥" CNY, or a code before or after: "EUR 3.20", "3.20 EUR". Thousands commas and k, M, B
 * ("$1.2M") are understood. An amount without a currency is refused. */
RR_CHECKED enum rr_status rr_unit_money(struct rr_slice s, struct rr_money *ret, char currency[4]);
/* An amount and "/h", "/gpu/h", "/node/month", "/kWh", "/kW/month", "/GB/month", "/GB", "/year", ... A plain amount is refused.
 * Without a thing, "/s", "/min" and "/h" are per node, as clouds bill; "/day", "/month" and "/year" are RR_PER_ONCE: per time alone. */
RR_CHECKED enum rr_status rr_unit_rate(struct rr_slice s, struct rr_rate *ret, char currency[4]);

/* Back to text, for reports and `check --print`; exact where the type is exact. */
void rr_buf_duration(struct rr_buf *b, struct rr_duration d);               /* "36 months", "1 h 30 min" */
void rr_buf_time(struct rr_buf *b, int64_t us);                             /* exact, largest units first: "2 d 3 h", "0 s" */
void rr_buf_time_short(struct rr_buf *b, int64_t us);                       /* for people, about 3 digits: "9.5 s", "4.2 h", "3.1 d" */
void rr_buf_bytes(struct rr_buf *b, int64_t bytes);                         /* "80 GiB" */
void rr_buf_rate(struct rr_buf *b, struct rr_rate r, const char *currency); /* "$2.10/gpu/h" */
#endif
