/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/study/finance.h - what the charges mean to a finance lead: sheets of periods, returns, bridges, and what would change the verdict.
 *
 * All of it looks at replication 1, whose leases and charges are kept; decisions are held fixed where prices are changed. Flow i of a monthly
 * series falls on the start of month i of the horizon; what is due at a month's end is in the next one. */
#ifndef RR_SIM_FINANCE_H
#define RR_SIM_FINANCE_H
#include "data/base/vec.h"
#include "data/uncertain.h"
#include "sim/study/parts.h"
#include <string.h>

/* Replication 1 of a variant. */
struct rr_books {
    const struct rr_alternative *alt;
    const struct rr_billing *billing; /* its scenario has the uncertain inputs as they were drawn */
    const struct rr_ledger *ledger;
    const struct rr_run *run;
    const double *metric; /* [RR_METRICS] */
};
struct rr_finance_view {
    const struct rr_scenario_set *set;
    struct rr_arena *arena;      /* of what is told */
    const struct rr_books *book; /* [n], in the order of the store's alternatives */
    size_t n;
    const struct rr_store *store; /* judged: verdict, criterion, baseline */
    bool again;                   /* the leases are few enough to be priced a hundred times again */
};
enum { RR_MOST_AGAIN = 200000 }; /* leases */
struct rr_sheets {
    RR_VEC(struct rr_sheet) list;
};

/* Each adds its sheets, or none where it has nothing to say. */
RR_CHECKED enum rr_status rr_finance_returns(const struct rr_finance_view *v, struct rr_sheets *out); /* NPV, IRR, payback, tax */
RR_CHECKED enum rr_status rr_finance_periods(const struct rr_finance_view *v, struct rr_sheets *out); /* months, quarters, fiscal years */
RR_CHECKED enum rr_status rr_finance_bridge(const struct rr_finance_view *v, struct rr_sheets *out);  /* price, volume, mix */
RR_CHECKED enum rr_status rr_finance_showback(const struct rr_finance_view *v, struct rr_sheets *out);
RR_CHECKED enum rr_status rr_finance_flips(const struct rr_finance_view *v, struct rr_sheets *out); /* strongest inputs, rents */

RR_CHECKED enum rr_status rr_finance_register(const struct rr_finance_view *v, struct rr_sheets *out); /* every input, and its effect */

/* All of them into the store. */
RR_CHECKED enum rr_status rr_tell_finance(const struct rr_finance_view *v, struct rr_store *store);

/* The place of the verdict's best and second best, and of the baseline; n when there is none. */
size_t rr_finance_best(const struct rr_finance_view *v);
size_t rr_finance_second(const struct rr_finance_view *v, int criterion);
size_t rr_finance_base(const struct rr_finance_view *v);
int rr_finance_criterion(const struct rr_finance_view *v); /* RR_M_NPV_COST or RR_M_COST_TOTAL */

/* Loans and what they cost: no part of a project's own flows. */
static inline bool rr_is_financing(const struct rr_charge *c)
{
    return c->line && (strncmp(c->line, "loan", 4) == 0 || strcmp(c->line, "interest") == 0);
}
/* Whole months from the start of its fiscal year to the month of t: 0..11. The clock is anchored. */
int rr_fiscal_months(const struct rr_scenario *s, int64_t t_us);

/* A purchase: cash for something that is written off. */
static inline bool rr_is_capex(const struct rr_charge *c) { return c->line && strcmp(c->line, "depreciation") == 0; }

/* Billed again with some inputs of the document changed; m[RR_METRICS] holds replication 1's figures with the money ones made anew. */
RR_CHECKED enum rr_status rr_rebill(const struct rr_scenario_set *set, const struct rr_books *book, const struct rr_edit *edit, size_t n,
                                    double *m);
#endif
