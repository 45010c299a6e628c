/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/price/path.h - a price over time: constant, in dated steps, or changing by so much a year. And where a plan is sold. */
#ifndef RR_MODELS_PRICE_PATH_H
#define RR_MODELS_PRICE_PATH_H
#include "data/prices.h"
#include "models/price/usage.h"

/* Rows that a plan takes over, and what the scenario gave for them. */
struct rr_path_terms {
    const struct rr_price_map *steps; /* by date, on whole hours; or NULL */
    double change_per_year;           /* 0: none */
    struct rr_duration change_every;  /* whole months */
};
#define RR_PATH_ROWS(of, field)                                                                                                      \
    {.name = "steps",                                                                                                                \
     .type = RR_P_PRICES,                                                                                                            \
     .offset = offsetof(of, field.steps),                                                                                            \
     .unit = "per node or GPU, and hour",                                                                                            \
     .help = "the price from each date on, whole hours in UTC; before the first one \"rate\" holds"},                                \
        {.name = "change_per_year",                                                                                                  \
         .type = RR_P_CHANGE,                                                                                                        \
         .offset = offsetof(of, field.change_per_year),                                                                              \
         .unit = "share a year",                                                                                                     \
         .least = -0.99,                                                                                                             \
         .most = 10,                                                                                                                 \
         .help = "the price falls (\"-30 %\") or rises (\"+40 %\") from the scenario's start on, in steps of \"change_every\""},     \
    {                                                                                                                                \
        .name = "change_every", .type = RR_P_DURATION, .offset = offsetof(of, field.change_every), .unit = "", .def = "\"1 month\"", \
        .help = "whole months from one step of \"change_per_year\" to the next"                                                      \
    }

struct rr_price_path {
    size_t n;             /* >= 1 */
    int64_t *from_us;     /* [n] ascending, at starts of clock hours; from_us[0] is INT64_MIN */
    int64_t *nano, *list; /* [n] the discount taken off, and before it */
};
/* nano[0] is the rate as `rate` has it, whose unit all steps must have; per GPU is kept when `per_gpu`, else made per node of `gpus`. */
RR_CHECKED enum rr_status rr_path_make(const struct rr_path_terms *t, struct rr_price rate, double discount, bool per_gpu, int64_t gpus,
                                       const struct rr_scenario *s, struct rr_arena *a, struct rr_price_path *ret);
/* The step that holds at t. */
size_t rr_path_step(const struct rr_price_path *p, int64_t t_us);
static inline int64_t rr_path_at(const struct rr_price_path *p, int64_t t_us) { return p->nano[rr_path_step(p, t_us)]; }

/* Where a plan is sold at all: young hardware is not everywhere. */
struct rr_sold {
    const char *in; /* "us-east-1, eu-west-1"; NULL: everywhere */
    bool out;
};
#define RR_SOLD_ROWS(of, field)                                                                                   \
    {.name = "sold_in",                                                                                           \
     .type = RR_P_TEXT,                                                                                           \
     .offset = offsetof(of, field.in),                                                                            \
     .unit = "",                                                                                                  \
     .help = "regions that it is sold in, parted by commas; anywhere else is an error. Absent: everywhere"},      \
    {                                                                                                             \
        .name = "sold_out", .type = RR_P_BOOL, .offset = offsetof(of, field.out), .unit = "", .def = "false",     \
        .help = "nothing is left to buy: an error, so that an alternative that rests on it is not taken for real" \
    }
/* RR_EINPUT naming where it is sold, unless it is sold in `region`. */
RR_CHECKED enum rr_status rr_sold_check(const struct rr_sold *sold, const char *region);
/* "us-east-1" holds itself and its zones, such as "us-east-1/use1-az4"; a zone holds itself alone, "" what has no region. */
bool rr_region_holds(const char *region, const char *place);
/* The word is one of a list parted by commas. */
bool rr_list_has(const char *list, const char *word);
#endif
