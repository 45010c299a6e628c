/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/unit/price_case.h - a small world to price: pools, leases and commitments by hand, plans from JSON, charges into an array. */
#ifndef RR_TESTS_PRICE_CASE_H
#define RR_TESTS_PRICE_CASE_H
#include "models/price/price.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define CASE_POOLS  6
#define CASE_LEASES 4096

struct price_case {
    struct rr_sink sink; /* first: emit() finds the case by it */
    struct rr_arena *arena;
    struct rr_json *json;
    struct rr_catalog catalog;
    struct rr_scenario s;
    struct rr_pool pool[CASE_POOLS];
    struct rr_commitment commitment[CASE_POOLS], around[CASE_POOLS];
    struct rr_instance instance;
    struct rr_node_shape shape[CASE_POOLS];
    struct rr_notes notes;
    struct rr_lease lease[CASE_LEASES];
    size_t n_leases, pool_lease[CASE_POOLS + 1];
    int32_t node_gpus[CASE_LEASES];
    const struct rr_call *call; /* or NULL */
    size_t n_calls;
    RR_VEC(struct rr_charge) charge;
    RR_VEC(struct rr_cover) cover;
    struct rr_billing billing;
};

static inline enum rr_status case_emit(struct rr_sink *sink, const struct rr_charge *c)
{
    struct price_case *x = (struct price_case *)(void *)sink;
    assert_true(c->from_us < c->to_us);
    rr_vec_push(&x->charge, *c);
    return RR_OK;
}

static inline enum rr_status case_cover(struct rr_sink *sink, const struct rr_cover *c)
{
    rr_vec_push(&((struct price_case *)(void *)sink)->cover, *c);
    return RR_OK;
}

/* `start` a date, or NULL for no calendar. The horizon is written into the scenario. No facts. */
static inline struct price_case *case_bare(const char *start, int64_t horizon_us)
{
    struct price_case *x = calloc(1, sizeof *x);
    assert_non_null(x);
    x->sink.emit = case_emit;
    x->sink.cover = case_cover;
    x->arena = rr_arena_create();
    x->json = rr_json_create();
    x->notes.arena = x->arena;
    x->s = (struct rr_scenario){.currency = "USD",
                                .horizon_us = horizon_us,
                                .has_horizon = true,
                                .pool = x->pool,
                                .commitment = x->commitment,
                                .charge = x->around};
    if (start != NULL) {
        x->s.clock.anchored = true;
        assert_int_equal(rr_date_parse(rr_slice(start, strlen(start)), &x->s.clock.start_us), RR_OK);
    }
    for (size_t i = 0; i < CASE_LEASES; i++) x->node_gpus[i] = 8;
    return x;
}

/* The same with the shipped facts. */
static inline struct price_case *case_new(const char *start, int64_t horizon_us)
{
    struct price_case *x = case_bare(start, horizon_us);
    const char *dir;
    assert_int_equal(rr_data_dir(x->arena, &dir), RR_OK);
    if (rr_catalog_load(dir, x->arena, &x->catalog) != RR_OK) fail_msg("%s", rr_reason());
    return x;
}

static inline void case_free(struct price_case *x)
{
    rr_vec_done(&x->charge);
    rr_vec_done(&x->cover);
    rr_notes_done(&x->notes);
    rr_json_free(x->json);
    rr_arena_free(x->arena);
    free(x);
}

/* "$.." in the texts of plans are as a scenario has them. */
static inline void *case_params(struct price_case *x, const struct rr_kind *kind, const char *pointer, const char *text)
{
    cJSON *object = NULL;
    void *params = rr_alloc(x->arena, 1, kind->params_size);
    const struct rr_param_ctx ctx = {.json = x->json, .arena = x->arena, .base = "."};
    if (rr_json_parse(x->json, "test", text, false, &object) != RR_OK) fail_msg("%s", rr_reason());
    if (rr_params_read(&ctx, kind->params, kind->n_params, object, pointer, NULL, params) != RR_OK) fail_msg("%s", rr_reason());
    cJSON_Delete(object);
    return params;
}

/* A pool of 8-GPU nodes of an instance (or NULL), plan by its word. */
static inline struct rr_pool *case_pool(struct price_case *x, const char *instance, const char *plan, const char *params)
{
    const size_t p = x->s.n_pools++;
    struct rr_pool *pool = &x->pool[p];
    assert_true(p < CASE_POOLS);
    x->shape[p] = (struct rr_node_shape){.gpus = 8};
    *pool = (struct rr_pool){.name = rr_strf(x->arena, "pool%zu", p),
                             .pointer = rr_strf(x->arena, "/pools/pool%zu", p),
                             .region = "us-east-1",
                             .instance_id = instance,
                             .shape = &x->shape[p],
                             .n_shapes = 1,
                             .nodes_max = 100};
    pool->plan = rr_kind_find(rr_price_plans, plan);
    assert_non_null(pool->plan);
    pool->plan_params = case_params(x, pool->plan, pool->pointer, params);
    for (size_t i = p + 1; i <= CASE_POOLS; i++) x->pool_lease[i] = x->n_leases;
    return pool;
}

/* A lease of the pool that was made last, after its earlier ones. */
static inline void case_lease(struct price_case *x, int64_t start_us, int64_t end_us)
{
    assert_true(x->n_leases < CASE_LEASES && x->s.n_pools > 0);
    x->lease[x->n_leases++] =
        (struct rr_lease){.start_us = start_us, .ready_us = start_us, .end_us = end_us, .pool = (uint16_t)(x->s.n_pools - 1)};
    for (size_t i = x->s.n_pools; i <= CASE_POOLS; i++) x->pool_lease[i] = x->n_leases;
}

static inline void case_commitment(struct price_case *x, const char *type, const char *name, const char *params)
{
    struct rr_commitment *c = &x->commitment[x->s.n_commitments++];
    *c = (struct rr_commitment){.name = name, .pointer = rr_strf(x->arena, "/commitments/%s", name)};
    c->plan = rr_kind_find(rr_price_plans, type);
    assert_non_null(c->plan);
    c->params = case_params(x, c->plan, c->pointer, params);
}

static inline void case_commit(struct price_case *x, const char *name, const char *params) { case_commitment(x, "reserved", name, params); }

/* An entry of "charges". */
static inline void case_around(struct price_case *x, const char *type, const char *name, const char *params)
{
    struct rr_commitment *c = &x->around[x->s.n_charges++];
    *c = (struct rr_commitment){.name = name, .pointer = rr_strf(x->arena, "/charges/%s", name)};
    c->plan = rr_kind_find(rr_price_plans, type);
    assert_non_null(c->plan);
    c->params = case_params(x, c->plan, c->pointer, params);
}

static inline enum rr_status case_resolve(struct price_case *x) { return rr_price_resolve(&x->s, &x->catalog, x->arena, &x->notes); }

static inline enum rr_status case_billed(struct price_case *x)
{
    if (case_resolve(x) != RR_OK) fail_msg("%s", rr_reason());
    x->charge.n = x->cover.n = 0;
    x->billing = (struct rr_billing){.scenario = &x->s,
                                     .horizon_us = x->s.horizon_us,
                                     .lease = x->lease,
                                     .pool_lease = x->pool_lease,
                                     .node_gpus = x->node_gpus,
                                     .call = x->call,
                                     .n_calls = x->n_calls,
                                     .arena = x->arena};
    return rr_bill(&x->billing, &x->sink);
}

static inline void case_bill(struct price_case *x)
{
    if (case_billed(x) != RR_OK) fail_msg("%s", rr_reason());
}

static inline void case_refused_bill(struct price_case *x, const char *why)
{
    assert_int_equal(case_billed(x), RR_EINPUT);
    if (strstr(rr_reason(), why) == NULL) fail_msg("\"%s\" lacks \"%s\"", rr_reason(), why);
}

/* The scenario is refused, for a reason that has `why` in it. */
static inline void case_refused(struct price_case *x, const char *why)
{
    assert_int_equal(case_resolve(x), RR_EINPUT);
    if (strstr(rr_reason(), why) == NULL) fail_msg("\"%s\" lacks \"%s\"", rr_reason(), why);
}

/* Sums over charges of a line (NULL = all). */
struct case_sum {
    int64_t billed, effective, after;
    double quantity;
    size_t n;
};
static inline struct case_sum case_sum(const struct price_case *x, const char *line)
{
    struct case_sum sum = {0};
    for (size_t i = 0; i < x->charge.n; i++) {
        const struct rr_charge *c = &x->charge.at[i];
        if (line != NULL && strcmp(c->line, line) != 0) continue;
        sum.billed += c->billed.micro;
        sum.effective += c->effective.micro;
        sum.after += c->after_horizon.micro;
        sum.quantity += c->quantity;
        sum.n++;
    }
    return sum;
}

static inline size_t case_notes(const struct price_case *x, enum rr_note_kind kind, const char *text)
{
    size_t n = 0;
    for (size_t i = 0; i < x->notes.list.n; i++) n += x->notes.list.at[i].kind == kind && strstr(x->notes.list.at[i].text, text) != NULL;
    return n;
}

/* Of charges of a type. */
static inline int64_t case_type(const struct price_case *x, const char *type, bool billed)
{
    int64_t sum = 0;
    for (size_t i = 0; i < x->charge.n; i++)
        if (strcmp(x->charge.at[i].type, type) == 0) sum += billed ? x->charge.at[i].billed.micro : x->charge.at[i].effective.micro;
    return sum;
}

/* Microseconds from the scenario's start to a date. */
static inline int64_t case_at(const struct price_case *x, const char *date)
{
    int64_t epoch = 0;
    assert_int_equal(rr_date_parse(rr_slice(date, strlen(date)), &epoch), RR_OK);
    return epoch - x->s.clock.start_us;
}
#endif
