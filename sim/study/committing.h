/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/study/committing.h - what to commit to, from a demand curve: chosen on its first part, scored on the rest.
 *
 * A strategy is a set of offers that may be taken: one term of reserved machines, a savings plan, or all of them. The choice of each is exact
 * (models/commit/commit.h). Upfront money is spread over the term as an annuity at the discount rate. A term that is longer than the curve is judged by
 * the hours that the curve has: demand is taken to go on alike. */
#ifndef RR_SIM_COMMITTING_H
#define RR_SIM_COMMITTING_H
#include "data/demand.h"
#include "data/scenario.h"
#include "models/commit/commit.h"

/* What may be bought for one machine type. Money per node-hour in `currency`. */
struct rr_commit_type {
    const char *instance, *region;
    double on_demand;           /* > 0 */
    const char *on_demand_from; /* where the price comes from */
    double savings;             /* under the savings plan; 0 = not eligible */
    struct {
        double rate; /* effective; 0 = not offered */
        const char *payment, *from;
    } term[2]; /* 1 year, 3 years */
};
extern const char *const rr_commit_terms[2]; /* "1 year", "3 years" */

struct rr_committing_options {
    double learn;               /* share of the hours that the choice sees, 0 < learn <= 1; 1: nothing is left to score on */
    double discount_rate;       /* effective yearly; 0: upfront money is spread evenly */
    const char *const *savings; /* [n_savings] "30 %" or "aws/p5=35 %": off on demand, under a savings plan */
    size_t n_savings;
};

enum rr_strategy { RR_COMMIT_NONE, RR_COMMIT_1_YEAR, RR_COMMIT_3_YEARS, RR_COMMIT_SAVINGS, RR_COMMIT_ALL, RR_STRATEGIES };
extern const char *const rr_strategy_names[RR_STRATEGIES]; /* "all on demand", "reserved 1 year", ... */

enum { RR_FALLS = 3 };
extern const double rr_falls[RR_FALLS]; /* 0.1, 0.3, 0.5: shares that demand may fall by */

struct rr_commit_strategy {
    bool offered;
    double *units[2];                     /* [n_types] by term */
    double commit;                        /* savings plan, money an hour */
    struct rr_commit_cost learnt, scored; /* over either part of the curve */
    double regret;                        /* scored cost above the best choice with that part known; NaN without one */
    double loss[RR_FALLS];                /* on the first part with less demand: above all on demand then; negative: still a gain */
    int rounds;
};
struct rr_committing {
    const struct rr_commit_type *type; /* [n_types] */
    size_t n_types, n_hours, n_learn;
    struct rr_commit_strategy strategy[RR_STRATEGIES];
    const char *currency;
};

/* Prices of each series: a pool's own on-demand rate (`scenario`, or NULL), else the catalogue's; reserved prices of the catalogue. RR_EINPUT: a series
 * without an on-demand price, prices in several currencies, a savings plan that fits nothing. All memory in `arena`. */
RR_CHECKED enum rr_status rr_commit_types(const struct rr_demand *d, const struct rr_scenario *scenario, const struct rr_catalog *catalog,
                                          const struct rr_committing_options *opt, struct rr_arena *arena, struct rr_committing *ret);
/* Chooses and scores every strategy; `ret` as rr_commit_types() left it. */
RR_CHECKED enum rr_status rr_committing_find(const struct rr_demand *d, const struct rr_committing_options *opt, struct rr_arena *arena,
                                             struct rr_committing *ret);
#endif
