/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/cli/plan_commitments.c - `rackrate plan FILE --commitments`: how many machines to reserve for which term, and what savings plan. */
#include "data/base/units.h"
#include "data/price_book.h"
#include "models/price/price.h"
#include "sim/cli/cli.h"
#include "sim/cli/plan.h"
#include "sim/study/committing.h"
#include "sim/study/study.h"
#include <math.h>
#include <string.h>

/* ---- the demand ---- */

static bool is_table(const char *path)
{
    const size_t n = strlen(path);
    return (n > 4 && strcmp(path + n - 4, ".csv") == 0) || (n > 7 && strcmp(path + n - 7, ".csv.gz") == 0);
}

/* Leases on machines that a commitment could pay for, by the clock hours of replication 1. */
static enum rr_status add_leases(const struct rr_scenario *s, const struct rr_alternative *a, struct rr_demand_sum *sum)
{
    for (size_t i = 0; i < a->n_leases; i++) {
        const struct rr_lease *l = &a->lease[i];
        const struct rr_pool *pool = &s->pool[l->pool];
        const struct rr_price_plan *plan = (const struct rr_price_plan *)(const void *)pool->plan;
        const int64_t end = l->end_us < a->end_us ? l->end_us : a->end_us;
        if (!plan || !plan->meter || !pool->instance_id || end <= l->start_us) continue;
        RR_TRY(rr_demand_add(sum, pool->instance_id, pool->region ? pool->region : "", s->start_us + l->start_us, s->start_us + end,
                             (double)(end - l->start_us) / (double)RR_H));
    }
    return RR_OK;
}

static enum rr_status simulated(const struct rr_scenario_set *set, const char *alternative, int threads, struct rr_arena *arena,
                                const struct rr_scenario **scenario, struct rr_demand *ret)
{
    struct rr_study *study = NULL;
    const struct rr_study_options opt = {.threads = threads, .keep_jobs = true};
    size_t v = set->n_variants;
    for (size_t i = 0; i < set->n_variants; i++)
        if (alternative ? !strcmp(set->variant[i]->variant, alternative) || !strcmp(set->variant[i]->alternative, alternative)
                        : set->n_variants == 1)
            v = i;
    if (v == set->n_variants)
        return alternative
                   ? rr_fail(RR_EINPUT, "%s: there is no alternative \"%s\"", set->path, alternative)
                   : rr_fail(RR_EUSAGE, "plan: %zu alternatives: say which demand is meant with --alternative NAME", set->n_variants);
    struct rr_demand_sum *sum = rr_demand_begin();
    enum rr_status st = rr_study_run(set, &opt, &study);
    if (st == RR_OK) st = add_leases(set->variant[v], &rr_study_store(study)->alternative[v], sum);
    if (st == RR_OK) st = rr_demand_finish(sum, arena, ret);
    if (st == RR_EINPUT && study)
        st = rr_fail(RR_EINPUT,
                     "%s: no machine of \"%s\" is rented in a way that a commitment could pay for: pools need an \"instance\" and a "
                     "plan such as \"on_demand\"",
                     set->path, set->variant[v]->variant);
    rr_demand_free(sum);
    rr_study_free(study);
    ret->spread = 0; // leases hold a whole number of machines all along
    *scenario = set->variant[v];
    return st;
}

/* ---- the answer ---- */

static void put_money(struct rr_buf *b, double v, const char *currency)
{
    rr_buf_money(b, (struct rr_money){llround(v) * 1000000}, currency, 0);
}

static double share(double part, double whole) { return whole > 0 ? 100 * part / whole : NAN; }

static void put_share(struct rr_buf *b, double v, int width)
{
    if (isnan(v))
        rr_buf_putf(b, "%*s", width, "-");
    else
        rr_buf_putf(b, "%*.1f %%", width - 2, v);
}

static void put_amount(struct rr_buf *b, double v, const char *currency, int width)
{
    struct rr_buf x = {0};
    if (isnan(v))
        rr_buf_puts(&x, "-");
    else
        put_money(&x, v, currency);
    rr_buf_putf(b, "%*s", width, rr_buf_text(&x));
    rr_buf_done(&x);
}

static void put_types(struct rr_buf *b, const struct rr_committing *c)
{
    rr_buf_puts(b, "Machine                               On demand/h   Savings plan/h   1 year/h   3 years/h\n");
    for (size_t i = 0; i < c->n_types; i++) {
        const struct rr_commit_type *t = &c->type[i];
        const double rate[] = {t->on_demand, t->savings, t->term[0].rate, t->term[1].rate};
        static const int width[] = {13, 17, 11, 12};
        struct rr_buf name = {0};
        rr_buf_putf(&name, "%s%s%s", t->instance, *t->region ? ", " : "", t->region);
        rr_buf_putf(b, "%-36s", rr_buf_text(&name));
        rr_buf_done(&name);
        for (int k = 0; k < 4; k++) {
            if (rate[k] > 0)
                rr_buf_putf(b, "%*.4f", width[k], rate[k]);
            else
                rr_buf_putf(b, "%*s", width[k], "-");
        }
        rr_buf_puts(b, "\n");
    }
}

static void put_strategies(struct rr_buf *b, const struct rr_committing *c)
{
    const bool scores = c->n_learn < c->n_hours;
    rr_buf_putf(b, "\n%-18s%15s%10s%10s%s   If demand falls by 10 / 30 / 50 %%, dearer than on demand by\n", "Strategy", "Cost", "Coverage",
                "Used", scores ? "     Cost, rest         Regret" : "");
    for (int s = 0; s < RR_STRATEGIES; s++) {
        const struct rr_commit_strategy *x = &c->strategy[s];
        if (!x->offered) continue;
        const struct rr_commit_cost *l = &x->learnt;
        rr_buf_putf(b, "%-18s", rr_strategy_names[s]);
        put_amount(b, l->total, c->currency, 15);
        put_share(b, share(l->by_reserved + l->by_savings_plan, l->wanted), 10);
        const double paid = l->reserved + l->savings_plan,
                     used = l->reserved_hours > 0 ? l->reserved * l->by_reserved / l->reserved_hours : 0;
        put_share(b, s == RR_COMMIT_NONE ? NAN : share(used + l->savings_used, paid), 10);
        if (scores) {
            put_amount(b, x->scored.total, c->currency, 15);
            put_amount(b, x->regret, c->currency, 15);
        }
        for (int k = 0; k < RR_FALLS && s != RR_COMMIT_NONE; k++) put_amount(b, x->loss[k], c->currency, 15);
        rr_buf_puts(b, "\n");
    }
}

static void put_choice(struct rr_buf *b, const struct rr_committing *c, int s)
{
    const struct rr_commit_strategy *x = &c->strategy[s];
    if (!x->offered || s == RR_COMMIT_NONE) return;
    rr_buf_putf(b, "\n%s:", rr_strategy_names[s]);
    size_t n = 0;
    for (size_t i = 0; i < c->n_types; i++)
        for (int k = 0; k < 2; k++) {
            if (x->units[k][i] <= 0) continue;
            rr_buf_putf(b, "%s %.0f x %s%s%s for %s", n++ ? "," : "", x->units[k][i], c->type[i].instance, *c->type[i].region ? ", " : "",
                        c->type[i].region, rr_commit_terms[k]);
        }
    if (x->commit > 0) rr_buf_putf(b, "%s a savings plan of %.4f %s/h", n++ ? "," : "", x->commit, c->currency);
    if (n == 0) rr_buf_puts(b, " nothing");
}

static void put_text(struct rr_buf *b, const struct rr_committing *c, const struct rr_demand *d)
{
    put_types(b, c);
    put_strategies(b, c);
    for (int s = 0; s < RR_STRATEGIES; s++) put_choice(b, c, s);
    rr_buf_putf(b, "\n\nChosen on the first %zu of %zu hours", c->n_learn, c->n_hours);
    if (c->n_learn < c->n_hours) rr_buf_puts(b, ", scored on the rest: regret is what knowing that part would have saved");
    rr_buf_puts(
        b, ". Coverage is the share of node-hours that commitments pay for, used the share of committed money that paid for something.\n");
    if (c->n_learn < 8760) rr_buf_puts(b, "The curve is shorter than a year: demand is taken to go on alike through the terms.\n");
    for (size_t i = 0; i < c->n_types; i++)
        for (int k = 0; k < 2; k++)
            if (c->type[i].term[k].rate >= c->type[i].on_demand)
                rr_buf_putf(b, "%s for %s costs no less than on demand: %s against %s.\n", c->type[i].instance, rr_commit_terms[k],
                            c->type[i].term[k].from, c->type[i].on_demand_from);
    if (d->spread) rr_buf_putf(b, "%zu pieces of the demand were longer than an hour and lie evenly over it.\n", d->spread);
}

/* What `run --values` takes: the commitments of a strategy. */
static void put_patch(struct rr_buf *b, const struct rr_committing *c, int s)
{
    const struct rr_commit_strategy *x = &c->strategy[s];
    static const char *const payment[] = {"no_upfront", "partial_upfront", "all_upfront"};
    size_t n = 0;
    rr_buf_puts(b, "{\"commitments\": {");
    for (size_t i = 0; i < c->n_types; i++)
        for (int k = 0; k < 2; k++) {
            if (!x->offered || x->units[k][i] <= 0) continue;
            const struct rr_commit_type *t = &c->type[i];
            const char *pay = payment[0];
            for (int j = 0; j < 3; j++)
                if (strcmp(t->term[k].payment, payment[j]) == 0) pay = payment[j];
            rr_buf_putf(b, "%s\n    \"reserved-%zu\": {\"type\": \"reserved\", \"instance\": ", n ? "," : "", n + 1);
            rr_buf_json(b, t->instance);
            rr_buf_puts(b, ", \"region\": ");
            rr_buf_json(b, t->region);
            rr_buf_putf(b, ", \"count\": %.0f, \"term\": \"%s\", \"payment\": \"%s\"}", x->units[k][i], rr_commit_terms[k], pay);
            n++;
        }
    if (x->offered && x->commit > 0) {
        rr_buf_putf(b, "%s\n    \"savings\": {\"type\": \"savings_plan\", \"commit\": \"%.6f %s/h\", \"term\": \"1 year\", \"rates\": {",
                    n ? "," : "", x->commit, c->currency);
        bool first = true;
        for (size_t i = 0; i < c->n_types; i++) {
            if (c->type[i].savings <= 0) continue;
            rr_buf_puts(b, first ? "" : ", ");
            rr_buf_json(b, c->type[i].instance);
            rr_buf_putf(b, ": %.6g", 1 - c->type[i].savings / c->type[i].on_demand);
            first = false;
        }
        rr_buf_puts(b, "}}");
    }
    rr_buf_puts(b, "}}");
}

static void put_cost(struct rr_buf *b, const struct rr_commit_cost *c)
{
    static const char *const key[] = {"total",       "reserved",        "savings_plan",   "on_demand",   "node_hours",
                                      "by_reserved", "by_savings_plan", "reserved_hours", "savings_used"};
    const double value[] = {c->total,       c->reserved,        c->savings_plan,   c->on_demand,   c->wanted,
                            c->by_reserved, c->by_savings_plan, c->reserved_hours, c->savings_used};
    rr_buf_puts(b, "{");
    for (size_t k = 0; k < sizeof value / sizeof *value; k++) {
        rr_buf_putf(b, "%s\"%s\": ", k ? ", " : "", key[k]);
        rr_buf_double(b, value[k]);
    }
    rr_buf_puts(b, "}");
}

static void put_json_strategy(struct rr_buf *b, const struct rr_committing *c, int s)
{
    const struct rr_commit_strategy *x = &c->strategy[s];
    rr_buf_putf(b, "{\"name\": \"%s\", \"savings_plan\": ", rr_strategy_names[s]);
    rr_buf_double(b, x->commit);
    rr_buf_puts(b, ", \"reserve\": [");
    size_t n = 0;
    for (size_t i = 0; i < c->n_types; i++)
        for (int k = 0; k < 2; k++) {
            if (x->units[k][i] <= 0) continue;
            rr_buf_puts(b, n++ ? ", {\"instance\": " : "{\"instance\": ");
            rr_buf_json(b, c->type[i].instance);
            rr_buf_puts(b, ", \"region\": ");
            rr_buf_json(b, c->type[i].region);
            rr_buf_putf(b, ", \"term\": \"%s\", \"count\": %.0f}", rr_commit_terms[k], x->units[k][i]);
        }
    rr_buf_puts(b, "],\n   \"learnt\": ");
    put_cost(b, &x->learnt);
    rr_buf_puts(b, ",\n   \"scored\": ");
    if (c->n_learn < c->n_hours)
        put_cost(b, &x->scored);
    else
        rr_buf_puts(b, "null");
    rr_buf_puts(b, ", \"regret\": ");
    rr_buf_double(b, x->regret);
    rr_buf_puts(b, ",\n   \"loss_if_demand_falls\": {");
    for (int k = 0; k < RR_FALLS; k++) {
        rr_buf_putf(b, "%s\"%.1f\": ", k ? ", " : "", rr_falls[k]);
        rr_buf_double(b, x->loss[k]);
    }
    rr_buf_puts(b, "}, \"values\": ");
    put_patch(b, c, s);
    rr_buf_puts(b, "}");
}

static void put_json(struct rr_buf *b, const struct rr_committing *c)
{
    rr_buf_puts(b, "{\"schema\": \"rackrate.commitments/1\", \"currency\": ");
    rr_buf_json(b, c->currency);
    rr_buf_putf(b, ", \"hours\": %zu, \"learn_hours\": %zu,\n \"machines\": [", c->n_hours, c->n_learn);
    for (size_t i = 0; i < c->n_types; i++) {
        const struct rr_commit_type *t = &c->type[i];
        rr_buf_puts(b, i ? ",\n  {\"instance\": " : "\n  {\"instance\": ");
        rr_buf_json(b, t->instance);
        rr_buf_puts(b, ", \"region\": ");
        rr_buf_json(b, t->region);
        static const char *const key[] = {"on_demand", "savings_plan", "reserved_1_year", "reserved_3_years"};
        const double rate[] = {t->on_demand, t->savings, t->term[0].rate, t->term[1].rate};
        for (int k = 0; k < 4; k++) {
            rr_buf_putf(b, ", \"%s\": ", key[k]);
            rr_buf_double(b, rate[k] > 0 ? rate[k] : (double)NAN);
        }
        rr_buf_puts(b, ", \"on_demand_from\": ");
        rr_buf_json(b, t->on_demand_from);
        rr_buf_puts(b, "}");
    }
    rr_buf_puts(b, "],\n \"strategies\": [");
    bool first = true;
    for (int s = 0; s < RR_STRATEGIES; s++) {
        if (!c->strategy[s].offered) continue;
        rr_buf_puts(b, first ? "\n  " : ",\n  ");
        put_json_strategy(b, c, s);
        first = false;
    }
    rr_buf_puts(b, "]}\n");
}

static enum rr_status options_of(const struct rr_args *a, const struct rr_scenario *s, struct rr_committing_options *opt)
{
    const size_t savings = rr_option_index(&rr_command_plan, "savings");
    const char *learn = rr_arg(&rr_command_plan, a, "learn", "50 %");
    if (rr_unit_share(rr_slice(learn, strlen(learn)), &opt->learn) != RR_OK || opt->learn <= 0)
        return rr_fail(RR_EUSAGE, "plan: --learn \"%s\": the share of the hours that the choice sees is expected, such as \"50 %%\"",
                       learn);
    opt->savings = a->value[savings];
    opt->n_savings = a->n_values[savings];
    opt->discount_rate = s ? s->finance.discount_rate : 0;
    return RR_OK;
}

static enum rr_status decide(const struct rr_args *a, const struct rr_scenario *s, const struct rr_catalog *catalog,
                             const struct rr_demand *d)
{
    struct rr_committing_options opt = {0};
    struct rr_committing c;
    struct rr_buf b = {0};
    RR_TRY(options_of(a, s, &opt));
    RR_TRY(rr_commit_types(d, s, catalog, &opt, a->arena, &c));
    RR_TRY(rr_committing_find(d, &opt, a->arena, &c));
    (rr_arg_given(&rr_command_plan, a, "json") ? put_json(&b, &c) : put_text(&b, &c, d));
    rr_say(rr_buf_text(&b));
    rr_buf_done(&b);
    return RR_OK;
}

/* Books of --prices before the facts, at the start of the curve. */
static enum rr_status with_books(const struct rr_args *a, const struct rr_catalog *catalog, const struct rr_demand *d,
                                 struct rr_catalog *ret)
{
    const size_t prices = rr_option_index(&rr_command_plan, "prices"), n = a->n_values[prices];
    const struct rr_shelf_book **book = RR_NEWS(a->arena, const struct rr_shelf_book *, n + 1);
    struct rr_shelf *shelf = RR_NEW(a->arena, struct rr_shelf);
    *ret = *catalog;
    for (size_t i = 0; i < n; i++) {
        struct rr_shelf_book *b = RR_NEW(a->arena, struct rr_shelf_book);
        RR_TRY(rr_book_read(a->value[prices][i], catalog, a->arena, &b->book));
        book[i] = b;
    }
    *shelf = (struct rr_shelf){.book = book, .n = n, .at_us = d->start_us, .arena = a->arena};
    if (n) ret->shelf = shelf;
    return RR_OK;
}

enum rr_status rr_cli_plan_commitments(const struct rr_args *a, const struct rr_scenario_options *load, const struct rr_catalog *catalog,
                                       int threads)
{
    struct rr_demand d;
    if (is_table(a->operand[0])) {
        struct rr_catalog priced;
        RR_TRY(rr_demand_read(a->operand[0], a->arena, &d));
        RR_TRY(with_books(a, catalog, &d, &priced));
        return decide(a, NULL, &priced, &d);
    }
    if (rr_arg_given(&rr_command_plan, a, "prices"))
        return rr_fail(RR_EUSAGE, "plan: --prices goes with a demand curve; a scenario names its books in \"prices\"");
    struct rr_scenario_set *set = NULL;
    const struct rr_scenario *s = NULL;
    RR_TRY(rr_scenario_load(a->operand[0], load, &rr_registry, catalog, &set));
    enum rr_status st = RR_OK;
    for (size_t v = 0; v < set->n_variants && st == RR_OK; v++)
        st = rr_price_resolve(set->variant[v], catalog, set->arena, &set->variant[v]->notes);
    if (st == RR_OK) st = simulated(set, rr_arg(&rr_command_plan, a, "alternative", NULL), threads, a->arena, &s, &d);
    if (st == RR_OK) {
        struct rr_catalog priced;
        rr_catalog_with_books(catalog, s, a->arena, &priced);
        st = decide(a, s, &priced, &d);
    }
    rr_scenario_set_free(set);
    return st;
}
