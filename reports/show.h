/* SPDX-License-Identifier: GPL-3.0-or-later
 * reports/show.h - numbers as people read them; what is undefined is an en dash. */
#ifndef RR_REPORTS_SHOW_H
#define RR_REPORTS_SHOW_H
#include "data/store.h"

#define RR_SHOW_NONE "\xe2\x80\x93"
/* $1,234,568 from 1,000 on, else $12.35; below 0.10 four decimals. Allocated in `a`. */
const char *rr_show_money(struct rr_arena *a, struct rr_money m, const char *currency);
const char *rr_show_amount(struct rr_arena *a, double v, const char *currency); /* the same for a statistic in currency units */
const char *rr_show_half(struct rr_arena *a, double half, double mean,
                         const char *currency);            /* an interval's half width, in the digits of its mean */
const char *rr_show_number(struct rr_arena *a, double v);  /* 1,234,568; 12.3; 0.0123 */
const char *rr_show_count(struct rr_arena *a, int64_t n);  /* "unlimited" for INT64_MAX */
const char *rr_show_share(struct rr_arena *a, double v);   /* 93.2 % */
const char *rr_show_seconds(struct rr_arena *a, double s); /* 4.2 h */
const char *rr_show_time(struct rr_arena *a, double s);    /* three digits: 62.1 ms, 9.69 s, 28.4 min, 86.9 d */
const char *rr_show_bytes(struct rr_arena *a, double v);   /* three digits: 76.6 GB */
const char *rr_show_metric(struct rr_arena *a, enum rr_metric_unit unit, double v, const char *currency);
/* "owned" -> "owned", "on_demand" -> "on-demand": a word of the scenario in prose. */
const char *rr_show_word(struct rr_arena *a, const char *word);
const char *rr_show_span(struct rr_arena *a, double seconds); /* "3 years", "4 weeks", "5.5 days" */
/* The alternatives that a table or plot with room for `most` shows: best, baseline, then the next by the criterion; in file order. */
size_t rr_show_chosen(const struct rr_store *s, size_t most, bool priced_only, size_t *ret /* [most] */);
/* Where room is short: "mix[/pools/own/nodes=4]" is "mix, nodes=4", without "mix, " when all variants are of one alternative; the whole name when two
 * would look the same. */
const char *rr_show_name(const struct rr_store *s, struct rr_arena *a, size_t i);
/* The headline's warnings; "NAME: TEXT" with the same text for several alternatives is one line. Returns how many, lines in *ret. */
size_t rr_show_headline(const struct rr_store *s, struct rr_arena *a, const char *const **ret);
#endif
