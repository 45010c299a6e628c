/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/study/committing.c - prices of what may be committed to, and the choice of each strategy. */
#include "sim/study/committing.h"
#include "data/base/units.h"
#include "models/finance/annuity.h"
#include "models/price/usage.h"
#include <math.h>
#include <string.h>

const char *const rr_commit_terms[2] = {"1 year", "3 years"};
static const double term_months[2] = {12, 36};
#define HOURS_A_MONTH (8766.0 / 12) // a year of 365.25 days
const char *const rr_strategy_names[RR_STRATEGIES] = {"all on demand", "reserved 1 year", "reserved 3 years", "savings plan",
                                                      "all together"};
const double rr_falls[RR_FALLS] = {0.1, 0.3, 0.5};

/* ---- prices ---- */

struct pricing {
    const struct rr_scenario *scenario; /* or NULL */
    const struct rr_catalog *catalog;
    const struct rr_committing_options *opt;
    struct rr_arena *arena;
    const char *currency; /* NULL until the first price without a scenario */
};

static enum rr_status in_currency(struct pricing *p, struct rr_price price, int64_t gpus, double *ret)
{
    struct rr_rate rate = price.rate;
    int64_t nano;
    if (p->scenario) {
        RR_TRY(rr_scenario_rate(p->scenario, price, &rate));
    } else if (!p->currency) {
        p->currency = rr_strdup(p->arena, price.currency);
    } else if (strcmp(p->currency, price.currency) != 0) {
        return rr_fail(RR_EINPUT, "prices are in %s and in %s: name a scenario with exchange rates, or prices in one currency", p->currency,
                       price.currency);
    }
    RR_TRY(rr_rate_node_hour(rate, gpus, &nano));
    *ret = (double)nano / 1e9;
    return RR_OK;
}

/* The rate of the scenario's own pool of that machine, now. */
static bool pool_price(const struct pricing *p, struct rr_commit_type *t)
{
    for (size_t i = 0; p->scenario && i < p->scenario->n_pools; i++) {
        const struct rr_pool *pool = &p->scenario->pool[i];
        const struct rr_price_plan *plan = (const struct rr_price_plan *)(const void *)pool->plan;
        int64_t nano;
        if (!plan || !plan->meter || !plan->quote || !pool->instance_id || strcmp(pool->instance_id, t->instance) != 0 ||
            strcmp(pool->region ? pool->region : "", t->region) != 0)
            continue;
        if (plan->quote(pool->plan_params, 0, &nano) != RR_OK || nano <= 0) continue;
        t->on_demand = (double)nano / 1e9;
        t->on_demand_from = rr_strf(p->arena, "pool \"%s\"", pool->name);
        return true;
    }
    return false;
}

static int64_t gpus_of(const struct pricing *p, const char *instance)
{
    const struct rr_instance *i;
    return rr_catalog_instance(p->catalog, instance, &i) == RR_OK ? i->gpus : -1;
}

static enum rr_status on_demand_price(struct pricing *p, struct rr_commit_type *t)
{
    const struct rr_price_row *row;
    if (pool_price(p, t)) return RR_OK;
    RR_TRY(rr_catalog_price(p->catalog, t->instance, t->region, "on_demand", "", "", &row));
    RR_TRY(in_currency(p, row->rate, gpus_of(p, t->instance), &t->on_demand));
    t->on_demand_from = rr_fact_text(p->arena, &row->fact);
    return RR_OK;
}

/* An upfront amount as money an hour of the term. */
static double spread_upfront(const struct pricing *p, double upfront, int term)
{
    const double months = term_months[term], hours = months * HOURS_A_MONTH;
    if (p->opt->discount_rate <= 0) return upfront / hours;
    return upfront * rr_recovery_factor(rr_month_rate(p->opt->discount_rate), months) * months / hours;
}

static enum rr_status reserved_price(struct pricing *p, struct rr_commit_type *t, int term)
{
    static const char *const payments[] = {"no_upfront", "partial_upfront", "all_upfront"};
    for (size_t k = 0; k < sizeof payments / sizeof *payments; k++) {
        const struct rr_price_row *row;
        double rate = 0;
        if (rr_catalog_price(p->catalog, t->instance, t->region, "reserved", rr_commit_terms[term], payments[k], &row) != RR_OK) continue;
        if (row->rate.rate.nano > 0) RR_TRY(in_currency(p, row->rate, gpus_of(p, t->instance), &rate));
        if (row->upfront.money.micro > 0) {
            const struct rr_price upfront = {{row->upfront.money.micro * 1000, RR_PER_NODE, RR_HOUR}, ""};
            struct rr_price as_rate = upfront;
            double amount;
            memcpy(as_rate.currency, row->upfront.currency, sizeof as_rate.currency);
            RR_TRY(in_currency(p, as_rate, 1, &amount));
            rate += spread_upfront(p, amount, term);
        }
        if (rate <= 0 || (t->term[term].rate > 0 && rate >= t->term[term].rate)) continue;
        t->term[term].rate = rate;
        t->term[term].payment = *row->payment ? row->payment : "effective";
        t->term[term].from = rr_fact_text(p->arena, &row->fact);
    }
    return RR_OK;
}

/* "30 %" for all, or "aws/p5=35 %" for an instance or a family; the longest name that fits holds. */
static enum rr_status savings_share(const struct pricing *p, const char *instance, double *ret)
{
    size_t best = 0;
    *ret = NAN;
    for (size_t i = 0; i < p->opt->n_savings; i++) {
        const char *s = p->opt->savings[i], *equals = strchr(s, '='), *number = equals ? equals + 1 : s;
        const size_t n = equals ? (size_t)(equals - s) : 0;
        double share;
        if (rr_unit_share(rr_slice(number, strlen(number)), &share) != RR_OK || share <= 0 || share >= 1)
            return rr_fail(RR_EUSAGE, "--savings \"%s\": a share between 0 and 1 is expected, such as \"30 %%\" or \"aws/p5=35 %%\"", s);
        const bool fits = strncmp(instance, s, n) == 0 && (n == 0 || instance[n] == '\0' || instance[n] == '.' || instance[n] == '-');
        if (!fits || (n < best && !isnan(*ret))) continue;
        best = n;
        *ret = share;
    }
    return RR_OK;
}

enum rr_status rr_commit_types(const struct rr_demand *d, const struct rr_scenario *scenario, const struct rr_catalog *catalog,
                               const struct rr_committing_options *opt, struct rr_arena *arena, struct rr_committing *ret)
{
    struct pricing p = {scenario, catalog, opt, arena, scenario ? scenario->currency : NULL};
    struct rr_commit_type *type = RR_NEWS(arena, struct rr_commit_type, d->n + 1);
    bool any = false;
    for (size_t i = 0; i < d->n; i++) {
        struct rr_commit_type *t = &type[i];
        double share;
        t->instance = d->series[i].instance;
        t->region = d->series[i].region;
        enum rr_status st = on_demand_price(&p, t);
        for (int k = 0; k < 2 && st == RR_OK; k++) st = reserved_price(&p, t, k);
        if (st == RR_OK) st = savings_share(&p, t->instance, &share);
        if (st != RR_OK) return rr_fail_in(st, "demand for %s%s%s", t->instance, *t->region ? " in " : "", t->region);
        if (!isnan(share)) t->savings = t->on_demand * (1 - share);
        any |= !isnan(share);
    }
    if (opt->n_savings && !any) return rr_fail(RR_EINPUT, "--savings: none of the machines in demand is of a family that it names");
    *ret = (struct rr_committing){.type = type, .n_types = d->n, .n_hours = d->n_hours, .currency = p.currency ? p.currency : "USD"};
    return RR_OK;
}

/* ---- choice ---- */

static bool takes_term(enum rr_strategy s, int term)
{
    return s == RR_COMMIT_ALL || (s == RR_COMMIT_1_YEAR && term == 0) || (s == RR_COMMIT_3_YEARS && term == 1);
}

/* The hours [from, to) of the curve under a strategy's offers. */
static struct rr_commit_problem problem_of(const struct rr_committing *c, const double *demand, size_t from, size_t to, enum rr_strategy s,
                                           struct rr_arena *a)
{
    double *on_demand = RR_NEWS(a, double, c->n_types + 1), *savings = RR_NEWS(a, double, c->n_types + 1);
    struct rr_commit_offer *offer = RR_NEWS(a, struct rr_commit_offer, 2 * c->n_types + 1);
    struct rr_commit_problem p = {
        .n_hours = to - from, .n_types = c->n_types, .demand = demand + from * c->n_types, .on_demand = on_demand};
    bool any = false;
    for (size_t i = 0; i < c->n_types; i++) {
        on_demand[i] = c->type[i].on_demand;
        savings[i] = c->type[i].savings;
        any |= savings[i] > 0;
        for (int k = 0; k < 2; k++)
            if (takes_term(s, k) && c->type[i].term[k].rate > 0)
                offer[p.n_offers++] = (struct rr_commit_offer){i, 0, to - from, c->type[i].term[k].rate};
    }
    p.offer = offer;
    if (any && (s == RR_COMMIT_SAVINGS || s == RR_COMMIT_ALL)) p.savings = savings;
    return p;
}

static void keep_units(const struct rr_committing *c, enum rr_strategy s, const double *units, struct rr_commit_strategy *ret)
{
    size_t n = 0;
    for (size_t i = 0; i < c->n_types; i++)
        for (int k = 0; k < 2; k++)
            if (takes_term(s, k) && c->type[i].term[k].rate > 0) ret->units[k][i] = units[n++];
}

static enum rr_status choose(const struct rr_committing *c, const double *demand, enum rr_strategy s, struct rr_arena *a,
                             struct rr_commit_strategy *ret)
{
    const struct rr_commit_problem learn = problem_of(c, demand, 0, c->n_learn, s, a);
    struct rr_commit_answer best;
    for (int k = 0; k < 2; k++) ret->units[k] = RR_NEWS(a, double, c->n_types + 1);
    ret->regret = NAN;
    ret->offered = s == RR_COMMIT_NONE || learn.n_offers > 0 || learn.savings;
    if (!ret->offered) return RR_OK;
    RR_TRY(rr_commit_best(&learn, a, &best));
    ret->commit = best.commit;
    ret->learnt = best.cost;
    ret->rounds = best.rounds;
    keep_units(c, s, best.units, ret);
    double *nothing = RR_NEWS(a, double, learn.n_offers + 1);
    for (int k = 0; k < RR_FALLS; k++) {
        struct rr_commit_cost with, without;
        rr_commit_cost(&learn, best.units, best.commit, 1 - rr_falls[k], a, &with);
        rr_commit_cost(&learn, nothing, 0, 1 - rr_falls[k], a, &without);
        ret->loss[k] = with.total - without.total;
    }
    if (c->n_learn == c->n_hours) return RR_OK;
    const struct rr_commit_problem rest = problem_of(c, demand, c->n_learn, c->n_hours, s, a);
    struct rr_commit_answer known;
    rr_commit_cost(&rest, best.units, best.commit, 1, a, &ret->scored);
    RR_TRY(rr_commit_best(&rest, a, &known));
    ret->regret = ret->scored.total - known.cost.total;
    return RR_OK;
}

enum rr_status rr_committing_find(const struct rr_demand *d, const struct rr_committing_options *opt, struct rr_arena *arena,
                                  struct rr_committing *ret)
{
    double *demand = RR_NEWS(arena, double, d->n_hours * d->n + 1);
    for (size_t i = 0; i < d->n; i++)
        for (size_t t = 0; t < d->n_hours; t++) demand[t * d->n + i] = d->series[i].nodes[t];
    ret->n_learn = (size_t)ceil((double)d->n_hours * opt->learn - 1e-9);
    if (ret->n_learn < 1) ret->n_learn = 1;
    if (ret->n_learn > d->n_hours) ret->n_learn = d->n_hours;
    for (int s = 0; s < RR_STRATEGIES; s++) RR_TRY(choose(ret, demand, (enum rr_strategy)s, arena, &ret->strategy[s]));
    return RR_OK;
}
