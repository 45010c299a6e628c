/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/uncertain.h - "uncertainty": inputs of the scenario that vary over replications.
 *
 *     "power price": {"path": "/finance/electricity", "triangular": ["$0.06/kWh", "$0.08/kWh", "$0.14/kWh"], "correlation": {"pue": 0.6}}
 *
 * Input i of replication r draws a normal number from the stream (seed, r, RR_RNG_INPUT, i): every alternative sees the same values.
 * Correlated inputs share them by a Gaussian copula: z = L e with L the Cholesky factor of the correlations of the normal numbers, and the
 * value is the distribution's quantile at Phi(z). */
#ifndef RR_DATA_UNCERTAIN_H
#define RR_DATA_UNCERTAIN_H
#include "data/dist.h"
#include "data/scenario.h"

#define RR_MOST_UNCERTAIN 100

struct rr_uncertain {
    uint64_t given;
    const char *name, *pointer; /* "power price", "/uncertainty/power price" */
    const char *path;           /* of the value that varies */
    bool whole;                 /* sampled values are rounded to whole numbers */
    const cJSON *correlation_json;
    const cJSON *json;   /* its distribution, as written */
    struct rr_dist dist; /* of the number between `before` and `after`; of an index into `choice` when there is one */
    bool text;           /* the value is a text: before + number + after */
    const char *before, *after;
    int decimals;              /* of a number in a text */
    const char *const *choice; /* [dist.n] values as written, or NULL */
};
struct rr_uncertainty {
    struct rr_uncertain *input;
    size_t n;
    double *root; /* [n * n] lower triangular Cholesky factor, by rows */
};

/* Standard normal distribution function, |error| < 1e-15 (Hart 1968 algorithm 5666, as in West, Better approximations to cumulative normal
 * functions, 2005): the same bits on every processor. */
double rr_phi(double z);
/* The value below which a share rr_phi(z) of `d` lies; rises with z. */
double rr_dist_at(const struct rr_dist *d, double z);
/* Lower factor of a symmetric matrix [n * n] in place, the upper triangle set to 0. False when it is not positive definite. */
bool rr_cholesky(double *m, size_t n);

/* z[n] of one replication. */
void rr_uncertain_draw(const struct rr_uncertainty *u, uint64_t seed, uint32_t replication, double *z);
/* The value of an input at z as the scenario would write it, in `a`: 1.25 or "$0.0813/kWh" (without the quotes). */
const char *rr_uncertain_value(const struct rr_uncertain *x, double z, struct rr_arena *a);

/* A variant with one replication's values, read and checked like the variant itself. Prices are not resolved. */
struct rr_sample {
    struct rr_scenario *scenario;
    cJSON *document; /* the scenario points into it */
};
/* Memory in `arena`. May be called from several threads at once. RR_EINPUT names the input, its value and the replication. */
RR_CHECKED enum rr_status rr_sample_make(const struct rr_scenario_set *set, const struct rr_scenario *variant, uint32_t replication,
                                         struct rr_arena *arena, struct rr_sample *ret);
/* A variant with some values set to others, read and checked like the variant itself; a pointer that means nothing to it, or to its plan there, is passed over. Prices are
 * not resolved. */
struct rr_edit {
    const char *pointer;
    const cJSON *value; /* copied */
};
RR_CHECKED enum rr_status rr_sample_edit(const struct rr_scenario_set *set, const struct rr_scenario *variant, const struct rr_edit *edit,
                                         size_t n, struct rr_arena *arena, struct rr_sample *ret);
void rr_sample_done(struct rr_sample *s); /* takes a zeroed struct */
#endif
