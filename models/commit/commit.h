/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/commit/commit.h - how much of a demand to commit to: units to reserve, and the level of a savings plan.
 *
 * A demand curve says, for each hour and machine type, how many node-hours are wanted. Reserved units (integers) serve it first; what is left may be
 * paid out of a savings plan's commitment, dearest against its plan rate first; the rest is on demand. All rates are money per node-hour in one currency,
 * effective (an upfront payment spread over its term).
 *
 *   cost(u, S) = sum_j u_j rate_j hours_j + S hours + sum_h on_demand_h(u, S)
 *
 * is convex and piecewise linear, so its minimum over integers u >= 0 and S >= 0 is found exactly by cutting planes (Benders' decomposition; the
 * L-shaped method, Van Slyke and Wets, SIAM J. Appl. Math. 17(4), 1969), solved by GLPK. Without a savings plan it is the newsvendor rule: reserve the
 * k-th unit while the share of hours with a demand of at least k exceeds its rate over the on-demand rate. */
#ifndef RR_MODELS_COMMIT_H
#define RR_MODELS_COMMIT_H
#include "data/base/arena.h"
#include "data/base/status.h"
#include <stdbool.h>
#include <stddef.h>

struct rr_commit_offer {
    size_t type;     /* what it serves */
    size_t from, to; /* hours [from, to) of the curve that it is paid for and serves */
    double rate;     /* per node and hour, used or not, > 0 */
};
struct rr_commit_problem {
    size_t n_hours, n_types, n_offers;
    const double *demand;                /* [n_hours][n_types] node-hours wanted, >= 0 */
    const double *on_demand;             /* [n_types] per node-hour, > 0 */
    const struct rr_commit_offer *offer; /* [n_offers] */
    const double *savings;               /* [n_types] rate under the savings plan, 0 = not eligible; NULL = no plan is offered */
};
/* Where the money goes. */
struct rr_commit_cost {
    double total, reserved, savings_plan, on_demand; /* money; disjoint parts and their sum */
    double wanted, by_reserved, by_savings_plan;     /* node-hours */
    double reserved_hours;                           /* paid for, used or not */
    double savings_used;                             /* money of the savings plan that served something */
};
struct rr_commit_answer {
    double *units; /* [n_offers], whole numbers */
    double commit; /* savings plan, money an hour */
    struct rr_commit_cost cost;
    double bound; /* no choice costs less; equal to cost.total to 1e-9 of it */
    int rounds;
};
/* `units` [n_offers] and `commit` under the problem's demand times `scale`. */
void rr_commit_cost(const struct rr_commit_problem *p, const double *units, double commit, double scale, struct rr_arena *scratch,
                    struct rr_commit_cost *ret);
/* The cheapest choice; of equally cheap ones, one. RR_EINTERNAL when GLPK gives up. */
RR_CHECKED enum rr_status rr_commit_best(const struct rr_commit_problem *p, struct rr_arena *arena, struct rr_commit_answer *ret);
#endif
