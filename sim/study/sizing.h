/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/study/sizing.h - a planned training run over kinds and numbers of GPUs: time against cost, and which one to take.
 *
 * The batch stays the same over all numbers of GPUs: strong scaling. */
#ifndef RR_SIM_STUDY_SIZING_H
#define RR_SIM_STUDY_SIZING_H
#include "models/train/size.h"
#include "models/train/spend.h"

#define RR_SIZING_PLANS  6
#define RR_SIZING_POINTS 64

struct rr_sizing_ask {
    const struct rr_training_run *training; /* gpu and gpus of its own are the main point */
    const struct rr_train_facts *facts;
    const struct rr_catalog *catalog;
    const char *const *gpu; /* kinds beside its own [n_gpu] */
    size_t n_gpu;
    const int64_t *count; /* numbers of GPUs beside its own [n_count] */
    size_t n_count;
    const int *precision; /* beside its own [n_precision] */
    size_t n_precision;
    const char *const *plan; /* [n_plans] the first one decides */
    size_t n_plans;
    bool must_price; /* no price under the first plan is an error, not a line */
    const char *region;
    const char *instance;          /* NULL = the cheapest */
    const struct rr_pool *pool;    /* whose plan the first one is: its region and machine are too; NULL = none */
    struct rr_spend_market market; /* price books and currency */
    double failure_gpu_hours;      /* one in so many, for sure; infinite: nothing fails; 0: as the training has it */
    double detect_s;               /* with it */
    int64_t start_us;              /* first day, epoch */
    double deadline_s, budget;     /* 0 = none; in the market's currency */
    uint64_t seed;
    bool wide;
    const struct rr_profile_set *profiles; /* each must be of one of the machines; NULL: none are asked for here */
};
struct rr_sizing_point {
    struct rr_training_run training;
    struct rr_size size;
    struct rr_size_answer *answer; /* NULL: reason says why not */
    const char *reason;
    struct rr_spend spend[RR_SIZING_PLANS];
    const char *unpriced[RR_SIZING_PLANS]; /* why there is no price under the plan; NULL: there is */
    double
        first_there[RR_SIZING_PLANS]; /* of the main point: a GPU-hour under the first plan where plan i is of another provider; else NaN */
    bool pareto;                      /* it has a price, and nothing else is both quicker and cheaper */
    double marginal_cost;             /* cost over that of the next smaller number of the same GPU; NaN: none, or not priced */
    double marginal_s;                /* time saved by it */
};
struct rr_sizing {
    struct rr_sizing_point *at; /* [n]; the main one first, then by GPU and number */
    size_t n;
    int fastest, cheapest, meets_deadline,
        meets_budget; /* indices, -1 = none; the last two, by P90: the cheapest in time, the fastest in money */
    int meets_both;   /* the cheapest in time and in money, where both are asked for */
    int nearest_deadline, nearest_budget, nearest_both; /* the least P90 of time, of cost; the least rr_sizing_over() */
    const struct rr_sizing_point *would_do; /* where none meets what is asked: another number of the first GPU that does; NULL: none */
    int64_t least_tried, most_tried;        /* with it: numbers that were looked at; 0: none were */
    const char **gpus;                      /* that are compared */
    int64_t tried;                          /* layouts over all points */
    double seconds;                         /* not set here */
};
/* The main point must have an answer (its reason is the error); the others may have none. */
RR_CHECKED enum rr_status rr_sizing_make(const struct rr_sizing_ask *ask, struct rr_arena *a, struct rr_notes *notes,
                                         struct rr_sizing *ret);
/* Failures that are known, between the two calls of models/train/size.h: one in so many GPU-hours, infinite: none. */
void rr_sizing_fail(struct rr_size *s, double gpu_hours, double detect_s);
/* Cost under the first plan in the market's currency; NaN when it has no price. */
double rr_sizing_cost(const struct rr_sizing_point *p);
/* Cost under plan i if the run took total_s: what falls into the time of a run is in proportion to it. NaN without a price. */
double rr_sizing_cost_at(const struct rr_sizing_point *p, size_t i, double total_s);
/* Cost under the first plan at the P90 of the time. */
double rr_sizing_cost_p90(const struct rr_sizing_point *p);
/* By what factor its P90 misses the deadline or the budget, the worse of the two: <= 1 meets both; infinite: no price for a budget. */
double rr_sizing_over(const struct rr_sizing_ask *ask, const struct rr_sizing_point *p);
/* Time from start to end under the first plan (longer where a spot market takes machines back), and its P90. */
double rr_sizing_time_s(const struct rr_sizing_point *p);
double rr_sizing_p90_s(const struct rr_sizing_point *p);
#endif
