/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/study/reprice.h - stored leases under other prices.
 *
 * What machines were held, and when, stays as the run has it; only the bill is made again. A scheduler or autoscaler that looks at prices
 * might have decided otherwise: that is another run. */
#ifndef RR_SIM_STUDY_REPRICE_H
#define RR_SIM_STUDY_REPRICE_H
#include "data/store.h"
#include "data/scenario.h"

struct rr_repriced {
    struct rr_money billed, effective, after_horizon; /* replication 1, inside the horizon */
    const struct rr_cost_line *line;                  /* by type, line, pool and commitment */
    size_t n_lines;
    const struct rr_note *note; /* what prices were taken */
    size_t n_notes;
    const bool *applied; /* [n_set] of the options: the settings that are for this alternative */
    size_t own_rates;    /* plans and commitments that give their own price, which no book replaces */
};
struct rr_reprice_options {
    const char *db_path;     /* of the store: plans that price calls look at the jobs in it */
    const char *const *book; /* [n_books] price books in front of the scenario's own */
    size_t n_books;
    const char *const *set; /* "PTR=VALUE" [n_set]; those for another alternative are passed over */
    size_t n_set;
};
/* Alternative i of a store that was loaded from its results.db. Everything in `arena`. The same prices as in the run give the same charges.
 * RR_EINPUT: the result keeps no leases or document, a price is missing; RR_EINTERNAL when a law of money does not hold. */
RR_CHECKED enum rr_status rr_reprice(const struct rr_store *s, size_t i, const struct rr_reprice_options *opt,
                                     const struct rr_registry *reg, const struct rr_catalog *catalog, struct rr_arena *arena,
                                     struct rr_repriced *ret);
/* What the run itself charged, in the same form. */
RR_CHECKED enum rr_status rr_reprice_as_run(const struct rr_store *s, size_t i, struct rr_arena *arena, struct rr_repriced *ret);
#endif
