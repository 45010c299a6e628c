/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/train/spend.c - a scenario of one pool, made in memory, and its bill.
 *
 * All nodes are held from the first moment to the last. The machine is the cheapest an hour of those whose price the facts (or a book) have. */
#include "models/train/spend.h"
#include "data/price_book.h"
#include <string.h>

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
    struct rr_spend *ret;
};

/* ---- which machine ---- */

/* The cheapest row an hour and GPU under the plan's word; NULL: none. */
static const struct rr_price_row *cheapest(const struct rr_spend_ask *k, const char *plan, const struct rr_instance **instance)
{
    const struct rr_price_row *best = NULL;
    double least = 0;
    for (size_t i = 0; i < k->catalog->n_instances; i++) {
        const struct rr_instance *in = &k->catalog->instance[i];
        if (strcmp(in->gpu, k->machine->gpu) != 0 || (in->gpus < k->machine->gpus_per_node && k->gpus >= k->machine->gpus_per_node))
            continue;
        for (size_t p = 0; p < k->catalog->n_prices; p++) {
            const struct rr_price_row *r = &k->catalog->price[p], *now;
            if (strcmp(r->instance, in->id) != 0 || strcmp(r->plan, plan) != 0 || strcmp(r->rate.currency, "USD") != 0) continue;
            if (*k->region && strcmp(r->region, k->region) != 0 && strcmp(r->region, "all") != 0) continue;
            if (rr_catalog_price(k->catalog, in->id, r->region, plan, r->term, r->payment, &now) != RR_OK || now != r)
                continue; // an older one
            const double rate = (double)r->rate.rate.nano / in->gpus;
            if (rate > 0 && (!best || rate < least)) best = r, least = rate, *instance = in;
        }
    }
    return best;
}

static enum rr_status rent(struct spending *x, const char *word)
{
    const struct rr_instance *in = NULL;
    const struct rr_price_row *row = cheapest(x->ask, word, &in);
    if (!row)
        return rr_fail(
            RR_EINPUT,
            "%s: no %s price of a machine with %s (%s)%s%s in data/facts/prices.csv; name another --plan, or give the plan as JSON",
            x->type, word, x->ask->machine->id, *x->ask->machine->gpu ? x->ask->machine->gpu : "not in the facts",
            *x->ask->region ? " in " : "", x->ask->region);
    x->pool.instance = in, x->pool.instance_id = in->id, x->pool.region = row->region;
    x->shape.gpus = in->gpus;
    x->ret->machine = in->id;
    if (strcmp(word, "reserved") == 0)
        x->commitment = (struct rr_commitment){.name = "reserved", .pointer = "/commitments/reserved", .params = (void *)(uintptr_t)row};
    return RR_OK;
}

static enum rr_status buy(struct spending *x)
{
    const struct rr_catalog *c = x->ask->catalog;
    for (size_t i = 0; i < c->n_hardware; i++) {
        const struct rr_hardware *h = &c->hardware[i];
        if (strcmp(h->gpu, x->ask->machine->gpu) != 0 || h->price.money.micro <= 0) continue;
        x->pool.hardware = h, x->pool.hardware_id = h->id;
        x->shape.gpus = h->gpus;
        x->ret->machine = h->id;
        return RR_OK;
    }
    return rr_fail(RR_EINPUT, "owned: no server with %s in data/facts/hardware.csv; price it in a scenario with \"purchase\"",
                   x->ask->machine->id);
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
        return read_params(x, x->pool.plan, "/pools/gpus/plan", x->object, &x->pool.plan_params);
    }
    const char *words[32];
    size_t n = 0;
    for (size_t i = 0; i < rr_price_plans.n && n < 31; i++)
        if (rr_price_plans.at[i]->use & RR_USE_POOL) words[n++] = rr_price_plans.at[i]->name;
    words[n++] = "reserved";
    return rr_fail(RR_EINPUT, "--plan: \"%s\" is no plan for a pool of machines%s", x->type, rr_did_you_mean(x->a, x->type, words, n));
}

/* ---- the bill ---- */

static enum rr_status bill(struct spending *x)
{
    const int64_t nodes = x->ret->nodes;
    struct till till = {.sink = {.emit = ring}};
    struct rr_lease *lease = RR_NEWS(x->a, struct rr_lease, (size_t)nodes);
    int32_t *gpus = RR_NEWS(x->a, int32_t, (size_t)nodes);
    size_t *at = RR_NEWS(x->a, size_t, 2);
    for (int64_t i = 0; i < nodes; i++) {
        gpus[i] = (int32_t)x->shape.gpus;
        lease[i] = (struct rr_lease){.end_us = x->ask->us, .node = (uint32_t)i, .used_milli_us = x->ask->us * 1000 * gpus[i]};
    }
    at[1] = (size_t)nodes;
    struct rr_billing b = {.scenario = &x->s, .horizon_us = x->ask->us, .lease = lease, .pool_lease = at, .node_gpus = gpus, .arena = x->a};
    RR_TRY(rr_price_resolve(&x->s, x->ask->catalog, x->a, x->notes));
    RR_TRY(rr_bill(&b, &till.sink));
    x->ret->cost = till.effective;
    x->ret->billed = till.billed;
    if (x->ret->cost.micro == 0)
        return rr_fail(RR_EINPUT, "%s: the machines would cost nothing; give a plan that charges for time held", x->type);
    x->ret->per_gpu_hour = rr_money_double(till.effective) / ((double)x->ask->gpus * (double)x->ask->us / 3.6e9);
    memcpy(x->ret->currency, x->s.currency, 4);
    return RR_OK;
}

static enum rr_status spend(struct spending *x)
{
    if (x->ask->us <= 0 || x->ask->us > 1000 * RR_YEAR_US) return rr_fail(RR_EINPUT, "no time that could be priced");
    x->s = (struct rr_scenario){.name = "size",
                                .variant = "base",
                                .alternative = "base",
                                .currency = "USD",
                                .clock = {true, x->ask->start_us},
                                .start_us = x->ask->start_us,
                                .horizon_us = x->ask->us,
                                .has_horizon = true,
                                .seed = 1,
                                .pool = &x->pool,
                                .n_pools = 1,
                                .book = x->ask->book,
                                .n_books = x->ask->n_books};
    x->pool = (struct rr_pool){.name = "gpus", .pointer = "/pools/gpus", .region = "", .shape = &x->shape, .n_shapes = 1};
    RR_TRY(find_plan(x));
    x->ret->nodes = (x->ask->gpus + x->shape.gpus - 1) / x->shape.gpus;
    x->pool.nodes_min = x->pool.nodes_max = x->ret->nodes;
    if (x->commitment.name) RR_TRY(promise(x));
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
