/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/price/savings_plan.c - so much money an hour promised for a term, spent on machines at lower rates.
 *
 * A billing overlay: in each clock hour the commitment pays for usage of the pools that it has a rate for, where it saves the largest share
 * of what they cost otherwise first (equal: the lower rate, then the pools' order). What it does not reach stays with the pool's plan;
 * what is left of it at the end of the hour is lost. Sources: AWS, "How Savings Plans apply to your usage"; Azure savings plans do the
 * same. Payment and accrual as with reserved machines (term.h). */
#include "models/price/path.h"
#include "models/price/term.h"
#include <string.h>

struct savings_plan {
    uint64_t given;
    struct rr_price commit;
    struct rr_term term;
    int payment;
    const struct rr_price_map *rates;
    double discount;
    const char *region;
    struct rr_sold sold;
    /* resolved */
    struct rr_term_price pay;
    int64_t commit_nano; /* an hour */
    int64_t *rate;       /* [n_pools] nano per node-hour; -1: by share; -2: the pool is not covered */
    double *share;       /* [n_pools] off the pool's list price */
};
enum { P_COMMIT, P_TERM, P_PAYMENT, P_RATES, P_DISCOUNT };
#define BY_SHARE    (-1)
#define NOT_COVERED (-2)

static const struct rr_param rows[] = {
    [P_COMMIT] = {.name = "commit",
                  .type = RR_P_RATE,
                  .offset = offsetof(struct savings_plan, commit),
                  .unit = "an hour",
                  .help = "money promised for each hour of the term, such as \"$100/h\"",
                  .flags = RR_PF_REQUIRED},
    [P_TERM] = {.name = "term",
                .type = RR_P_DURATION,
                .offset = offsetof(struct savings_plan, term.length),
                .unit = "",
                .help = "length of one term, such as \"1 year\" or \"3 years\"",
                .flags = RR_PF_REQUIRED},
    [P_PAYMENT] = {.name = "payment",
                   .type = RR_P_WORD,
                   .offset = offsetof(struct savings_plan, payment),
                   .unit = "",
                   .def = "\"no_upfront\"",
                   .help = "monthly, half and half, or all at the start of the term",
                   .words = rr_payment_words},
    [P_RATES] = {.name = "rates",
                 .type = RR_P_PRICES,
                 .offset = offsetof(struct savings_plan, rates),
                 .unit = "per node or GPU, and hour, or share",
                 .help = "by instance or family (\"aws/p5\"): the rate under the plan, or the share off the list price (\"30 %\")"},
    [P_DISCOUNT] =
        {.name = "discount",
         .type = RR_P_SHARE,
         .offset = offsetof(struct savings_plan, discount),
         .unit = "share",
         .least = 0,
         .most = 1,
         .help =
             "share off the list price of everything that \"rates\" does not name; without both: the facts' reserved prices of the term"},
    {.name = "region",
     .type = RR_P_TEXT,
     .offset = offsetof(struct savings_plan, region),
     .unit = "",
     .help = "covers pools of this region (with its zones) alone; all when absent"},
    {.name = "from",
     .type = RR_P_DURATION,
     .offset = offsetof(struct savings_plan, term.from),
     .unit = "",
     .def = "\"0 s\"",
     .help = "start of the first term after the scenario's start"},
    {.name = "renew",
     .type = RR_P_BOOL,
     .offset = offsetof(struct savings_plan, term.renew),
     .unit = "",
     .def = "true",
     .help = "a new term follows each"},
    RR_SOLD_ROWS(struct savings_plan, sold),
};

/* ---- at load ---- */

/* The instance itself, else the longest family that it belongs to: "aws/p5" of "aws/p5.48xlarge". */
static const struct rr_price_entry *entry_of(const struct rr_price_map *rates, const char *instance)
{
    const struct rr_price_entry *best = NULL;
    for (size_t i = 0; rates != NULL && i < rates->n; i++) {
        const struct rr_price_entry *e = &rates->entry[i];
        const size_t n = strlen(e->key);
        if (strncmp(instance, e->key, n) != 0 || (instance[n] != '\0' && instance[n] != '.' && instance[n] != '-')) continue;
        if (best == NULL || n > strlen(best->key)) best = e;
    }
    return best;
}

struct load { /* where a resolve stands */
    const struct rr_scenario *s;
    const char *pointer;
    const struct rr_catalog *catalog;
    struct rr_arena *arena;
    struct rr_notes *notes;
    bool *used; /* entries of "rates" that a pool is of */
};

/* What nobody gave: the reserved price of the same instance and term, where the facts have one. */
static enum rr_status rate_from_facts(struct savings_plan *sp, const struct load *l, size_t p)
{
    const struct rr_pool *pool = &l->s->pool[p];
    const struct rr_duration d = sp->term.length;
    const char *term = d.us != 0 ? "" : d.months == 12 ? "1 year" : d.months == 36 ? "3 years" : "";
    const char *payment = rr_payment_words[sp->payment], *region = pool->region ? pool->region : "";
    const struct rr_price_row *row;
    if (*term == '\0' || rr_catalog_price(l->catalog, pool->instance_id, region, "reserved", term, payment, &row) != RR_OK) return RR_OK;
    if (row->upfront.money.micro > 0) return RR_OK; // its rate is not the whole price
    rr_note(l->notes, RR_NOTE_ASSUMED, l->pointer, rr_fact_text(l->arena, &row->fact),
            "no \"rates\" or \"discount\": %s in %s at its reserved price for %s", row->instance, row->region, term);
    return rr_instance_rate(l->s, row->rate, l->catalog, pool->instance_id, &sp->rate[p]);
}

static enum rr_status rate_of(struct savings_plan *sp, const struct load *l, size_t p)
{
    const struct rr_pool *pool = &l->s->pool[p];
    sp->rate[p] = NOT_COVERED;
    if (pool->instance_id == NULL || pool->plan == NULL || ((const struct rr_price_plan *)pool->plan)->meter == NULL) return RR_OK;
    if (sp->region != NULL && !rr_region_holds(sp->region, pool->region)) return RR_OK;
    if (sp->rates == NULL && !rr_given(sp, P_DISCOUNT)) return rate_from_facts(sp, l, p);
    const struct rr_price_entry *e = entry_of(sp->rates, pool->instance_id);
    if (e == NULL && !rr_given(sp, P_DISCOUNT)) return RR_OK;
    if (e != NULL) l->used[e - sp->rates->entry] = true;
    if (e != NULL && e->kind == RR_ENTRY_MONEY)
        return rr_fail(RR_EINPUT, "\"rates\": \"%s\" is a rate or a share, such as \"$60/h\" or \"30 %%\"", e->key);
    if (e == NULL || e->kind == RR_ENTRY_SHARE) {
        sp->rate[p] = BY_SHARE;
        sp->share[p] = e ? e->share : sp->discount;
        return RR_OK;
    }
    const enum rr_status st = rr_instance_rate(l->s, e->rate, l->catalog, pool->instance_id, &sp->rate[p]);
    return st == RR_OK ? RR_OK : rr_fail_in(st, "\"rates\": \"%s\"", e->key);
}

static enum rr_status check_use(const struct savings_plan *sp, const struct load *l)
{
    size_t covered = 0;
    for (size_t p = 0; p < l->s->n_pools; p++) covered += sp->rate[p] != NOT_COVERED;
    if (covered == 0 && sp->rates == NULL && !rr_given(sp, P_DISCOUNT))
        return rr_fail(RR_EINPUT,
                       "what does it save? Give \"rates\" by instance or family, such as {\"aws/p5\": \"30 %%\"}, or \"discount\"");
    if (covered == 0) rr_note(l->notes, RR_NOTE_WARNING, l->pointer, "", "no pool is covered: this commitment is paid for and never used");
    for (size_t i = 0; sp->rates != NULL && i < sp->rates->n; i++)
        if (!l->used[i]) rr_note(l->notes, RR_NOTE_WARNING, l->pointer, "", "\"rates\": no pool is of \"%s\"", sp->rates->entry[i].key);
    return RR_OK;
}

static enum rr_status savings_plan_resolve(void *params, const struct rr_scenario *s, const struct rr_pool *pool, const char *pointer,
                                           const struct rr_catalog *catalog, struct rr_arena *arena, struct rr_notes *notes)
{
    struct savings_plan *sp = params;
    struct rr_rate commit;
    (void)pool;
    RR_TRY(rr_sold_check(&sp->sold, sp->region));
    RR_TRY(rr_term_check(&sp->term, s));
    RR_TRY(rr_scenario_rate(s, sp->commit, &commit));
    if (commit.per != RR_PER_NODE || commit.time != RR_HOUR || commit.nano <= 0)
        return rr_fail(RR_EINPUT, "\"commit\" is money an hour above 0, such as \"$100/h\"");
    sp->commit_nano = commit.nano;
    sp->pay.count = 1;
    rr_term_pay(&sp->pay, sp->payment, commit.nano);
    sp->rate = RR_NEWS(arena, int64_t, s->n_pools);
    sp->share = RR_NEWS(arena, double, s->n_pools);
    const struct load l = {s, pointer, catalog, arena, notes, RR_NEWS(arena, bool, sp->rates ? sp->rates->n : 1)};
    for (size_t p = 0; p < s->n_pools; p++) RR_TRY(rate_of(sp, &l, p));
    return check_use(sp, &l);
}

/* ---- cover ---- */

struct target { /* a pool, as an hour sees it */
    size_t i;   /* of the pools that are covered */
    int64_t nano, otherwise;
};

static enum rr_status price_target(const struct savings_plan *sp, const struct rr_billing *b, size_t pool, int64_t at_us, struct target *t)
{
    const struct rr_pool *p = &b->scenario->pool[pool];
    const struct rr_price_plan *plan = (const struct rr_price_plan *)p->plan;
    int64_t list;
    if (at_us < 0) at_us = 0;
    RR_TRY(plan->quote(p->plan_params, at_us, &t->otherwise));
    t->nano = sp->rate[pool];
    if (t->nano != BY_SHARE) return RR_OK;
    list = t->otherwise;
    if (plan->list != NULL) RR_TRY(plan->list(p->plan_params, at_us, &list));
    return rr_rate_less(list, sp->share[pool], &t->nano);
}

/* a goes before b: the larger share saved, then the lower rate. */
static bool before(const struct target *a, const struct target *b)
{
    const rr_i128 x = (rr_i128)a->nano * b->otherwise, y = (rr_i128)b->nano * a->otherwise;
    return x != y ? x < y : a->nano < b->nano;
}

static void sort(struct target *t, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        const struct target x = t[i];
        size_t k = i;
        for (; k > 0 && before(&x, &t[k - 1]); k--) t[k] = t[k - 1];
        t[k] = x;
    }
}

static enum rr_status cover_hour(const struct savings_plan *sp, const struct rr_billing *b, struct rr_covering *c, int64_t span_us,
                                 size_t h, struct target *target)
{
    const struct rr_usage *grid = &b->usage[c->pool[0]];
    rr_i128 budget = (rr_i128)sp->commit_nano * span_us;
    size_t n = 0;
    for (size_t i = 0; i < c->n; i++) {
        if (b->usage[c->pool[i]].node_us[h] == 0) continue;
        target[n].i = i;
        RR_TRY(price_target(sp, b, c->pool[i], h + 1 == grid->n_hours ? b->horizon_us : grid->grid_us + (int64_t)h * RR_H, &target[n++]));
    }
    sort(target, n);
    for (size_t k = 0; k < n; k++) {
        const int64_t used = b->usage[c->pool[target[k].i]].node_us[h], nano = target[k].nano;
        const rr_i128 reach = nano > 0 ? budget / nano : used;
        const int64_t take = reach < used ? (int64_t)reach : used;
        rr_covering_take(c, b, h, target[k].i, take, (rr_i128)take * nano);
        budget -= (rr_i128)take * nano;
    }
    return RR_OK;
}

static enum rr_status savings_plan_cover(const void *params, const struct rr_billing *b, size_t commitment, struct rr_sink *sink)
{
    const struct savings_plan *sp = params;
    const struct rr_scenario *s = b->scenario;
    size_t *pool = RR_NEWS(b->arena, size_t, s->n_pools + 1), n = 0;
    struct target *target = RR_NEWS(b->arena, struct target, s->n_pools + 1);
    struct rr_charge c = {.type = rr_price_savings_plan.kind.name,
                          .line = "commitment",
                          .commitment = s->commitment[commitment].name,
                          .unit = "hour",
                          .pricing = RR_PRICING_COMMITTED};
    struct rr_term_span span;
    struct rr_covering covering;
    for (size_t p = 0; p < s->n_pools; p++)
        if (sp->rate[p] != NOT_COVERED && b->usage[p].node_us != NULL && !b->usage[p].per_gpu) pool[n++] = p;
    RR_TRY(rr_term_span(&sp->term, b, &span));
    RR_TRY(rr_covering_begin(b, &span, pool, n, &covering));
    for (size_t h = 0; n > 0 && h < b->usage[pool[0]].n_hours; h++) {
        const int64_t us = rr_term_hour(&span, &b->usage[pool[0]], h);
        if (us > 0) RR_TRY(cover_hour(sp, b, &covering, us, h, target));
    }
    RR_TRY(rr_covering_tell(&covering, b, c.commitment, (rr_i128)sp->commit_nano * RR_H, 1, "hour", 1000 * RR_H, sink));
    c.pool = n == 1 ? (int)pool[0] : -1;
    return rr_term_charge(&sp->term, &sp->pay, c, b, sink);
}

const struct rr_price_plan rr_price_savings_plan = {
    .kind = {.name = "savings_plan",
             .summary = "money promised by the hour for a term, spent on machines at lower rates; unused money is lost",
             .params = rows,
             .n_params = sizeof rows / sizeof *rows,
             .params_size = sizeof(struct savings_plan),
             .use = RR_USE_COMMITMENT},
    .resolve = savings_plan_resolve,
    .cover = savings_plan_cover,
};
