/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/train/spend.c - a scenario of one pool, made in memory, and its bill.
 *
 * All nodes and spares are held from the first moment to the last, but for spot machines, which a market may take. The machine is the cheapest
 * an hour and GPU of those whose price the facts or a book have. */
#include "models/train/spend.h"
#include "data/base/units.h"
#include "data/price_book.h"
#include "models/price/price.h"
#include "models/price/spot.h"
#include "models/price/usage.h"
#include "models/train/market.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_LEASES 4000000 /* nodes times stretches of a market */

struct till { /* sums what is charged */
    struct rr_sink sink;
    struct rr_money billed, effective;
};

static enum rr_status ring(struct rr_sink *sink, const struct rr_charge *c)
{
    struct till *t = (struct till *)(void *)sink;
    RR_TRY(rr_money_add(&t->billed, c->billed));
    return rr_money_add(&t->effective, c->effective);
}

struct spending {
    const struct rr_spend_ask *ask;
    struct rr_arena *a;
    struct rr_notes *notes;
    struct rr_json *json;
    cJSON *object; /* of the plan */
    const char *type;
    struct rr_scenario s;
    struct rr_pool pool;
    struct rr_commitment commitment;
    struct rr_node_shape shape;
    struct rr_catalog priced; /* with the books in front */
    struct rr_market_hold *hold;
    size_t n_holds;
    struct rr_spend *ret;
};

/* ---- which machine ---- */

struct offer {
    const struct rr_price_row *row; /* NULL: none */
    const struct rr_instance *instance;
    double per_gpu;         /* nano-units an hour, what is paid up front spread over its term */
    const char *no_rate_of; /* a currency in which there were prices that nothing converts; NULL: none */
};

static int32_t run_gpus(const struct spending *x) { return x->ask->size->search.base.gpus; }

static bool region_is(const char *region, const char *wanted)
{
    const size_t n = strlen(wanted);
    return n == 0 || strcmp(region, "all") == 0 || (strncmp(region, wanted, n) == 0 && (region[n] == '\0' || region[n] == '/'));
}

/* An hour of a node with its share of what is paid up front; NaN: no rate for its currency, or none by the hour. */
static double node_hour(const struct spending *x, const struct rr_price_row *r, int64_t gpus)
{
    struct rr_rate rate;
    struct rr_money upfront;
    struct rr_duration term = {0};
    int64_t nano;
    if (rr_scenario_rate(&x->s, r->rate, &rate) != RR_OK || rr_scenario_money(&x->s, r->upfront, &upfront) != RR_OK) return NAN;
    if (rr_rate_node_hour(rate, gpus, &nano) != RR_OK) return NAN;
    if (upfront.micro == 0) return (double)nano;
    if (rr_unit_duration(rr_slice(r->term, strlen(r->term)), &term) != RR_OK) return NAN;
    const double hours = (double)term.months * 730.5 + (double)term.us / 3.6e9;
    return hours > 0 ? (double)nano + (double)upfront.micro * 1000 / hours : NAN;
}

/* The price that holds under a key is one to choose from. */
static void consider(const struct spending *x, const char *instance, const char *region, const char *plan, const char *term,
                     const char *payment, struct offer *best)
{
    const struct rr_machine *m = &x->ask->size->machine;
    const struct rr_instance *in;
    const struct rr_price_row *r;
    if (!region_is(region, x->ask->region)) return;
    if (x->ask->instance && strcmp(instance, x->ask->instance) != 0) return;
    if (rr_catalog_instance(&x->priced, instance, &in) != RR_OK || strcmp(in->gpu, m->gpu) != 0) return;
    if (in->gpus < m->gpus_per_node && run_gpus(x) >= m->gpus_per_node) return;
    if (rr_catalog_price(&x->priced, instance, region, plan, term, payment, &r) != RR_OK) return;
    const double rate = node_hour(x, r, in->gpus) / in->gpus;
    if (isnan(rate) && strcmp(r->rate.currency, x->s.currency) != 0) best->no_rate_of = r->rate.currency;
    if (!(rate > 0) || (best->row && rate >= best->per_gpu)) return;
    best->row = r, best->instance = in, best->per_gpu = rate;
}

static void consider_facts(const struct spending *x, const char *plan, struct offer *best)
{
    for (size_t i = 0; i < x->priced.n_instances; i++) {
        const char *id = x->priced.instance[i].id;
        if (strcmp(x->priced.instance[i].gpu, x->ask->size->machine.gpu) != 0) continue;
        for (size_t p = 0; p < x->priced.n_prices; p++) {
            const struct rr_price_row *r = &x->priced.price[p];
            if (strcmp(r->instance, id) == 0 && strcmp(r->plan, plan) == 0) consider(x, id, r->region, plan, r->term, r->payment, best);
        }
    }
}

static void consider_book(const struct spending *x, const struct rr_price_book *b, const char *plan, struct offer *best)
{
    for (size_t g = 0; g < b->n_groups; g++) {
        const struct rr_book_group *group = &b->group[g];
        if (strcmp(group->plan, plan) != 0 || strcmp(group->product, "compute") != 0 || !*group->instance) continue;
        for (uint32_t k = 0; k < group->n; k++) {
            const struct rr_book_series *s = &b->series[group->first + k];
            if (strcmp(b->row[b->order[s->first]].gpu, x->ask->size->machine.gpu) != 0) continue;
            const char *region = *s->zone ? rr_strf(x->a, "%s/%s", s->region, s->zone) : *s->region ? s->region : "all";
            consider(x, group->instance, region, plan, group->term, group->payment, best);
        }
    }
}

static enum rr_status no_price(const struct spending *x, const char *word, const struct offer *none)
{
    const struct rr_machine *m = &x->ask->size->machine;
    if (none->no_rate_of)
        return rr_fail(RR_EINPUT, "%s: the prices of machines with %s are in %s, and nothing says what that is in %s: --fx %s=RATE@DATE",
                       x->type, m->id, none->no_rate_of, x->s.currency, none->no_rate_of);
    return rr_fail(
        RR_EINPUT,
        "%s: no %s price of a machine with %s (%s)%s%s in data/facts/prices.csv%s; name another --plan, give the plan as JSON, or a "
        "price book with --prices",
        x->type, word, m->id, *m->gpu ? m->gpu : "not in the facts", *x->ask->region ? " in " : "", x->ask->region,
        x->s.n_books ? " or the books given" : "");
}

static enum rr_status rent(struct spending *x, const char *word)
{
    struct offer best = {0};
    for (size_t i = 0; i < x->s.n_books; i++) consider_book(x, &x->s.book[i]->book, word, &best);
    consider_facts(x, word, &best);
    if (!best.row) return no_price(x, word, &best);
    if (best.no_rate_of)
        rr_note(x->notes, RR_NOTE_WARNING, "", "", "prices in %s are left out: nothing says what that is in %s (--fx)", best.no_rate_of,
                x->s.currency);
    x->pool.instance = best.instance, x->pool.instance_id = best.instance->id, x->pool.region = best.row->region;
    x->shape.gpus = best.instance->gpus;
    x->ret->machine = best.instance->id;
    if (strcmp(word, "reserved") == 0)
        x->commitment =
            (struct rr_commitment){.name = "reserved", .pointer = "/commitments/reserved", .params = (void *)(uintptr_t)best.row};
    return RR_OK;
}

/* ---- how often the market takes them ---- */

static int by_size(const void *a, const void *b)
{
    const double p = *(const double *)a, q = *(const double *)b;
    return (p > q) - (p < q);
}

/* Median share a month over the facts' rows of machines with that GPU, of all where there are none. */
static double usual_share(const struct spending *x, size_t *n)
{
    const struct rr_catalog *c = &x->priced;
    double *share = RR_NEWS(x->a, double, c->n_spot + 1);
    *n = 0;
    for (int all = 0; all < 2 && *n == 0; all++)
        for (size_t i = 0; i < c->n_spot; i++) {
            const struct rr_instance *in;
            if (all || (rr_catalog_instance(c, c->spot[i].instance, &in) == RR_OK && strcmp(in->gpu, x->ask->size->machine.gpu) == 0))
                share[(*n)++] = c->spot[i].share;
        }
    qsort(share, *n, sizeof *share, by_size);
    return *n ? share[*n / 2] : 0;
}

/* A market of which nothing is known is like the known ones, not like one that never takes a machine back. */
static enum rr_status assume_reclaims(struct spending *x)
{
    size_t n;
    if (rr_json_member(x->object, "availability") || rr_catalog_spot(&x->priced, x->pool.instance_id, x->pool.region)) return RR_OK;
    const double share = usual_share(x, &n);
    if (n == 0) return RR_OK;
    if (!x->object) x->object = cJSON_CreateObject();
    cJSON *o = cJSON_AddObjectToObject(x->object, "availability");
    cJSON_AddStringToObject(o, "monthly", rr_strf(x->a, "%.6g %%", 100 * share));
    cJSON_AddStringToObject(o, "evidence",
                            rr_strf(x->a, "nothing is known of %s: the median of %zu markets of data/facts/spot.csv", x->ret->machine, n));
    return RR_OK;
}

static enum rr_status buy(struct spending *x)
{
    const struct rr_catalog *c = x->ask->catalog;
    for (size_t i = 0; i < c->n_hardware; i++) {
        const struct rr_hardware *h = &c->hardware[i];
        if (strcmp(h->gpu, x->ask->size->machine.gpu) != 0 || h->price.money.micro <= 0) continue;
        if (x->ask->instance && strcmp(h->id, x->ask->instance) != 0) continue;
        x->pool.hardware = h, x->pool.hardware_id = h->id;
        x->shape.gpus = h->gpus;
        x->ret->machine = h->id;
        return RR_OK;
    }
    return rr_fail(RR_EINPUT, "owned: no server with %s in data/facts/hardware.csv; price it in a scenario with \"purchase\"",
                   x->ask->size->machine.id);
}

/* ---- the plan ---- */

static enum rr_status read_params(struct spending *x, const struct rr_kind *kind, const char *pointer, const cJSON *object, void **ret)
{
    static const char *const skip[] = {"type", NULL};
    const struct rr_param_ctx ctx = {.json = x->json, .arena = x->a, .base = "."};
    *ret = rr_alloc(x->a, 1, kind->params_size > sizeof(uint64_t) ? kind->params_size : sizeof(uint64_t));
    return rr_params_read(&ctx, kind->params, kind->n_params, object, pointer, skip, *ret);
}

/* A reservation covers all nodes; its first term is the row's. */
static enum rr_status promise(struct spending *x)
{
    const struct rr_price_row *row = x->commitment.params;
    cJSON *o = NULL;
    const char *text =
        rr_strf(x->a, "{\"instance\": \"%s\", \"region\": \"%s\", \"count\": %lld, \"term\": \"%s\"%s%s%s}", row->instance, row->region,
                (long long)x->ret->nodes, row->term, *row->payment ? ", \"payment\": \"" : "", row->payment, *row->payment ? "\"" : "");
    x->commitment.plan = rr_kind_find(rr_price_plans, "reserved");
    RR_TRY(rr_json_parse(x->json, "--plan", text, false, &o));
    const enum rr_status st = read_params(x, x->commitment.plan, x->commitment.pointer, o, &x->commitment.params);
    cJSON_Delete(o);
    RR_TRY(st);
    x->s.commitment = &x->commitment;
    x->s.n_commitments = 1;
    return RR_OK;
}

static enum rr_status find_plan(struct spending *x)
{
    const char *text = x->ask->plan;
    x->type = text;
    if (*text == '{') {
        RR_TRY(rr_json_parse(x->json, "--plan", text, false, &x->object));
        const cJSON *type = rr_json_member(x->object, "type");
        if (!cJSON_IsString(type)) return rr_fail(RR_EINPUT, "--plan: no \"type\"; such as {\"type\": \"owned\"} is expected");
        x->type = rr_strdup(x->a, type->valuestring);
    }
    const bool reserved = strcmp(x->type, "reserved") == 0 && !x->object;
    x->pool.plan = rr_kind_find(rr_price_plans, reserved ? "on_demand" : x->type);
    if (x->pool.plan && x->pool.plan->use & RR_USE_POOL) {
        RR_TRY(strcmp(x->type, "owned") == 0 ? buy(x)
                                             : rent(x, reserved                       ? "reserved"
                                                       : strcmp(x->type, "spot") == 0 ? "spot"
                                                                                      : "on_demand"));
        if (strcmp(x->type, "spot") == 0) RR_TRY(assume_reclaims(x));
        return read_params(x, x->pool.plan, "/pools/gpus/plan", x->object, &x->pool.plan_params);
    }
    const char *words[32];
    size_t n = 0;
    for (size_t i = 0; i < rr_price_plans.n && n < 31; i++)
        if (rr_price_plans.at[i]->use & RR_USE_POOL) words[n++] = rr_price_plans.at[i]->name;
    words[n++] = "reserved";
    return rr_fail(RR_EINPUT, "--plan: \"%s\" is no plan for a pool of machines%s", x->type, rr_did_you_mean(x->a, x->type, words, n));
}

/* ---- how long they are held ---- */

static int64_t us_of(double s) { return (int64_t)(s * 1e6); }

static enum rr_status one_hold(struct spending *x)
{
    if (!(x->ret->held_s > 0) || !(x->ret->held_s * 1e6 <= 1000.0 * (double)RR_YEAR_US))
        return rr_fail(RR_EINPUT, "%s: no time that could be priced", x->type);
    x->hold = RR_NEW(x->a, struct rr_market_hold);
    x->hold[0] = (struct rr_market_hold){0, us_of(x->ret->held_s)};
    x->n_holds = 1;
    x->ret->wall_s = x->ret->held_s;
    return RR_OK;
}

/* The run with the reclaims of a spot market among what stops it. */
static void time_on_market(const struct spending *x, const struct rr_spot_terms *t, struct rr_ttt *ret)
{
    const struct rr_size *z = x->ask->size;
    const struct rr_candidate *best = &x->ask->answer->found.best[0];
    const double notice_s = (double)t->notice_us / 1e6;
    struct rr_ttt_plan p = z->plan;
    p.reclaim_s = rr_market_reclaim_s(t, x->ret->nodes - p.spares);
    p.reclaim_down_s = p.requeue_s + p.image_s + (p.reclaim_s > 0 ? rr_market_back_s(t) : 0);
    p.reclaim_saved = x->ask->answer->time.stall_s <= notice_s;
    rr_ttt_make(&p, &z->arch, &z->machine, &z->coefs, &best->layout, best->step_s, ret);
}

/* Reclaims at random make the work longer; a price limit or a series of capacity lets it stand still between stretches of it. */
static enum rr_status hold_on_market(struct spending *x, const struct rr_spot_terms *t)
{
    const struct rr_ttt_plan *p = &x->ask->size->plan;
    struct rr_ttt with;
    time_on_market(x, t, &with);
    if (!(with.total_s * 1e6 < 1000.0 * (double)RR_YEAR_US))
        return rr_fail(RR_EINPUT, "spot: it never ends: machines are taken back every %.3g min, less than a restart takes",
                       rr_market_reclaim_s(t, x->ret->nodes - p->spares) / 60);
    const double lost = with.stall_s <= (double)t->notice_us / 1e6 ? 0 : with.interval_s / 2;
    const int64_t again = us_of(lost + with.restore_s + p->requeue_s + p->image_s);
    const enum rr_status st = rr_market_hold(t, x->ret->nodes, (uint64_t)x->s.seed, 0, us_of(with.total_s), again,
                                             (size_t)(MOST_LEASES / x->ret->nodes) + 1, x->a, &x->hold, &x->n_holds);
    if (st != RR_OK) return rr_fail_in(st, "spot");
    x->ret->held_s = 0;
    for (size_t i = 0; i < x->n_holds; i++) x->ret->held_s += (double)(x->hold[i].to_us - x->hold[i].from_us) / 1e6;
    x->ret->wall_s = (double)x->hold[x->n_holds - 1].to_us / 1e6;
    x->ret->reclaims = with.reclaims + (double)(x->n_holds - 1);
    return RR_OK;
}

/* ---- the bill ---- */

static enum rr_status bill(struct spending *x)
{
    const size_t nodes = (size_t)x->ret->nodes, n = nodes * x->n_holds;
    struct till till = {.sink = {.emit = ring}};
    struct rr_lease *lease = RR_NEWS(x->a, struct rr_lease, n);
    int32_t *gpus = RR_NEWS(x->a, int32_t, nodes);
    size_t *at = RR_NEWS(x->a, size_t, 2);
    for (size_t i = 0; i < nodes; i++) gpus[i] = (int32_t)x->shape.gpus;
    for (size_t i = 0; i < n; i++) {
        const struct rr_market_hold *h = &x->hold[i / nodes];
        lease[i] = (struct rr_lease){.start_us = h->from_us,
                                     .ready_us = h->from_us,
                                     .end_us = h->to_us,
                                     .node = (uint32_t)(i % nodes),
                                     .used_milli_us = (h->to_us - h->from_us) * 1000 * x->shape.gpus};
    }
    at[1] = n;
    struct rr_billing b = {
        .scenario = &x->s, .horizon_us = x->s.horizon_us, .lease = lease, .pool_lease = at, .node_gpus = gpus, .arena = x->a};
    RR_TRY(rr_bill(&b, &till.sink));
    x->ret->cost = till.effective;
    x->ret->billed = till.billed;
    if (x->ret->cost.micro == 0)
        return rr_fail(RR_EINPUT, "%s: the machines would cost nothing; give a plan that charges for time held", x->type);
    x->ret->per_gpu_hour = rr_money_double(till.effective) / ((double)x->ret->nodes * (double)x->shape.gpus * x->ret->held_s / 3600);
    memcpy(x->ret->currency, x->s.currency, 4);
    return RR_OK;
}

static enum rr_status find_holds(struct spending *x)
{
    struct rr_notes unheard = {.arena = x->a};
    x->s.horizon_us = us_of(x->ret->held_s);
    RR_TRY(rr_price_resolve(&x->s, x->ask->catalog, x->a, x->notes));
    const struct rr_spot_terms *terms = rr_spot_terms_of(&x->pool);
    if (!terms) return RR_OK;
    RR_TRY(hold_on_market(x, terms));
    x->s.horizon_us = us_of(x->ret->wall_s) + 1;
    const enum rr_status st = rr_price_resolve(&x->s, x->ask->catalog, x->a, &unheard); // prices until then
    rr_notes_done(&unheard);
    return st;
}

static enum rr_status spend(struct spending *x)
{
    const struct rr_spend_market *m = &x->ask->market;
    x->s = (struct rr_scenario){.name = "size",
                                .variant = "base",
                                .alternative = "base",
                                .currency = m->currency ? m->currency : "USD",
                                .fx = (struct rr_fx *)(uintptr_t)m->fx,
                                .n_fx = m->n_fx,
                                .clock = {true, x->ask->start_us},
                                .start_us = x->ask->start_us,
                                .has_horizon = true,
                                .seed = 1,
                                .pool = &x->pool,
                                .n_pools = 1,
                                .book = m->book,
                                .n_books = m->n_books};
    x->pool = (struct rr_pool){.name = "gpus", .pointer = "/pools/gpus", .region = "", .shape = &x->shape, .n_shapes = 1};
    rr_catalog_with_books(x->ask->catalog, &x->s, x->a, &x->priced);
    x->ret->held_s = x->ask->answer->time.total_s;
    RR_TRY(one_hold(x));
    RR_TRY(find_plan(x));
    x->ret->nodes = (run_gpus(x) + x->shape.gpus - 1) / x->shape.gpus + x->ask->size->plan.spares;
    x->pool.nodes_min = x->pool.nodes_max = x->ret->nodes;
    if (x->commitment.name) RR_TRY(promise(x));
    RR_TRY(find_holds(x));
    return bill(x);
}

enum rr_status rr_train_spend(const struct rr_spend_ask *ask, struct rr_arena *a, struct rr_notes *notes, struct rr_spend *ret)
{
    struct rr_spend spent = {0};
    struct spending x = {.ask = ask, .a = a, .notes = notes, .json = rr_json_create(), .ret = &spent};
    const enum rr_status st = spend(&x);
    cJSON_Delete(x.object);
    rr_json_free(x.json);
    if (st == RR_OK) *ret = spent;
    return st;
}
