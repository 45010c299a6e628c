/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/study/reprice.c - a stored document read again, its plans resolved with other prices, its leases billed. */
#include "sim/study/reprice.h"
#include "sim/study/parts.h"
#include <stdlib.h>
#include <string.h>

/* ---- the document ---- */

/* Keys of the study, not of a bill. */
static const char *const of_the_study[] = {"uncertainty", "until", "gates", "service", "baseline", "alternatives", "sweep", NULL};

static const char *absolute(const char *path, struct rr_arena *a)
{
    char *real = realpath(path, NULL);
    const char *kept = rr_strdup(a, real ? real : path); // one that is not there: said when it is read
    free(real);
    return kept;
}

static void put_books(cJSON *document, const struct rr_reprice_options *opt, struct rr_arena *a)
{
    if (opt->n_books == 0) return;
    cJSON *books = cJSON_CreateArray(), *old = cJSON_DetachItemFromObjectCaseSensitive(document, "prices");
    for (size_t i = 0; i < opt->n_books; i++) cJSON_AddItemToArray(books, cJSON_CreateString(absolute(opt->book[i], a)));
    while (cJSON_IsArray(old) && old->child) cJSON_AddItemToArray(books, cJSON_DetachItemFromArray(old, 0));
    cJSON_Delete(old);
    cJSON_AddItemToObject(document, "prices", books);
}

static size_t with_own_rate(const cJSON *document)
{
    static const char *const priced[] = {"rate", "price", "upfront", "discount", NULL};
    size_t n = 0;
    for (const cJSON *p = rr_json_member(document, "pools") ? rr_json_member(document, "pools")->child : NULL; p; p = p->next)
        for (const char *const *k = priced; *k; k++)
            if (rr_json_member(rr_json_member(p, "plan"), *k)) {
                n++;
                break;
            }
    for (const cJSON *c = rr_json_member(document, "commitments") ? rr_json_member(document, "commitments")->child : NULL; c; c = c->next)
        for (const char *const *k = priced; *k; k++)
            if (rr_json_member(c, *k)) {
                n++;
                break;
            }
    return n;
}

/* Settings of this alternative: a pointer into a pool or commitment that it does not have is for another one. */
static const char **settings_for(const cJSON *document, const struct rr_reprice_options *opt, struct rr_arena *a, size_t *n,
                                 const bool **ret_applied)
{
    const char **set = RR_NEWS(a, const char *, opt->n_set + 1);
    bool *applied = RR_NEWS(a, bool, opt->n_set + 1);
    *n = 0;
    *ret_applied = applied;
    for (size_t i = 0; i < opt->n_set; i++) {
        const char *pointer = rr_strndup(a, opt->set[i], strcspn(opt->set[i], "="));
        applied[i] = *pointer != '/' || rr_scenario_has_part(document, pointer, a);
        if (applied[i]) set[(*n)++] = opt->set[i];
    }
    return set;
}

static enum rr_status read_document(const struct rr_store *s, const struct rr_alternative *alt, const struct rr_reprice_options *opt,
                                    const struct rr_registry *reg, const struct rr_catalog *catalog, struct rr_arena *a,
                                    struct rr_scenario_set **ret, struct rr_repriced *out)
{
    cJSON *document = cJSON_Parse(alt->document);
    if (!cJSON_IsObject(document)) {
        cJSON_Delete(document);
        return rr_fail(RR_EINPUT, "the document of \"%s\" in the result is damaged", alt->name);
    }
    for (const char *const *k = of_the_study; *k; k++) cJSON_DeleteItemFromObjectCaseSensitive(document, *k);
    put_books(document, opt, a);
    struct rr_scenario_options load = {.seed = s->seed, .reps = 1, .priced_only = true};
    load.set = settings_for(document, opt, a, &load.n_set, &out->applied);
    out->own_rates = with_own_rate(document);
    char *text = cJSON_PrintUnformatted(document);
    load.text = rr_strdup(a, text ? text : "{}");
    cJSON_free(text);
    cJSON_Delete(document);
    return rr_scenario_load(s->scenario_path, &load, reg, catalog, ret);
}

/* ---- the bill ---- */

/* Pools whose nodes come from a file: the sizes that the leases tell. */
static void take_shapes(struct rr_scenario *s, const struct rr_alternative *alt, struct rr_arena *a)
{
    for (size_t p = 0; p < s->n_pools; p++) {
        struct rr_pool *pool = &s->pool[p];
        if (!pool->nodes_file || pool->n_shapes > 0) continue;
        struct rr_node_shape *shape = RR_NEWS(a, struct rr_node_shape, alt->n_leases + 1);
        for (size_t i = 0; i < alt->n_leases; i++)
            if (alt->lease[i].pool == p)
                shape[pool->n_shapes++] = (struct rr_node_shape){.gpus = alt->node_gpus[alt->lease[i].node], .gpu = "", .name = pool->name};
        pool->shape = shape;
        pool->nodes_min = pool->nodes_max = (int64_t)pool->n_shapes;
    }
}

/* A document whose pools are others than those of the leases would bill nonsense. */
static enum rr_status same_pools(const struct rr_scenario *s, const struct rr_alternative *alt)
{
    bool same = s->n_pools == alt->n_pools;
    for (size_t p = 0; same && p < s->n_pools; p++) same = strcmp(s->pool[p].name, alt->pool[p].name) == 0;
    return same ? RR_OK
                : rr_fail(RR_EINPUT, "\"%s\": the leases are of other pools than the document has: only prices may be set", alt->name);
}

static size_t *pool_leases(const struct rr_alternative *alt, size_t n_pools, struct rr_arena *a)
{
    size_t *first = RR_NEWS(a, size_t, n_pools + 1);
    for (size_t i = 0; i < alt->n_leases; i++)
        if (alt->lease[i].pool < n_pools) first[alt->lease[i].pool + 1]++;
    for (size_t p = 0; p < n_pools; p++) first[p + 1] += first[p];
    return first;
}

/* Sums by type, line, pool and commitment, in order of appearance. */
static enum rr_status add_lines(const struct rr_alternative *alt, const struct rr_charge *charge, size_t n, struct rr_arena *a,
                                struct rr_repriced *ret)
{
    struct rr_cost_line *line = RR_NEWS(a, struct rr_cost_line, n + 1);
    for (size_t i = 0; i < n; i++) {
        const struct rr_charge *c = &charge[i];
        const char *pool = rr_store_pool_name(alt, c->pool), *commitment = c->commitment ? c->commitment : "";
        size_t k = 0;
        while (k < ret->n_lines && (strcmp(line[k].type, c->type) != 0 || strcmp(line[k].line, c->line) != 0 ||
                                    strcmp(line[k].pool, pool) != 0 || strcmp(line[k].commitment, commitment) != 0))
            k++;
        if (k == ret->n_lines)
            line[ret->n_lines++] = (struct rr_cost_line){.type = rr_strdup(a, c->type),
                                                         .line = rr_strdup(a, c->line),
                                                         .pool = rr_strdup(a, pool),
                                                         .commitment = rr_strdup(a, commitment),
                                                         .unit = rr_strdup(a, c->unit ? c->unit : ""),
                                                         .rate = c->rate};
        RR_TRY(rr_money_add(&line[k].billed, c->billed));
        RR_TRY(rr_money_add(&line[k].effective, c->effective));
        RR_TRY(rr_money_add(&line[k].after_horizon, c->after_horizon));
        line[k].quantity += c->quantity;
        RR_TRY(rr_money_add(&ret->billed, c->billed));
        RR_TRY(rr_money_add(&ret->effective, c->effective));
        RR_TRY(rr_money_add(&ret->after_horizon, c->after_horizon));
    }
    ret->line = line;
    return RR_OK;
}

static void copy_notes(const struct rr_notes *from, struct rr_arena *a, struct rr_repriced *ret)
{
    struct rr_note *note = RR_NEWS(a, struct rr_note, from->list.n + 1);
    for (size_t i = 0; i < from->list.n; i++) {
        const struct rr_note *n = &from->list.at[i];
        note[i] = (struct rr_note){n->kind, rr_strdup(a, n->where), rr_strdup(a, n->text), rr_strdup(a, n->source)};
    }
    ret->note = note;
    ret->n_notes = from->list.n;
}

/* ---- when jobs held GPUs, for plans that price calls or hours ---- */

struct held {
    const struct rr_alternative *alt;
    const struct rr_scenario *s;
    RR_VEC(struct rr_span) span;
    RR_VEC(struct rr_call) call;
};

static void add_held(struct held *h, const char *alternative, const char *pool, int64_t from_us, int64_t to_us, int64_t gpus_milli,
                     bool finished)
{
    if (strcmp(alternative, h->alt->name) != 0) return;
    for (size_t p = 0; p < h->s->n_pools; p++) {
        if (strcmp(pool, h->s->pool[p].name) != 0) continue;
        const int64_t slices = rr_pool_slices(&h->s->pool[p]);
        const struct rr_call call = {from_us, to_us, (gpus_milli + slices / 2) / slices, (uint16_t)p, finished};
        const struct rr_span span = {from_us, to_us, gpus_milli, (uint16_t)p};
        rr_vec_push(&h->call, call);
        rr_vec_push(&h->span, span);
    }
}

static enum rr_status add_attempt(void *ctx, const struct rr_attempt_view *x)
{
    add_held(ctx, x->alternative, x->pool, x->start_us, x->end_us, x->gpus_milli, *x->reason == '\0');
    return RR_OK;
}

static enum rr_status add_job(void *ctx, const struct rr_job_view *j)
{
    const struct held *h = ctx;
    const int64_t end = j->end_us < h->alt->end_us ? j->end_us : h->alt->end_us;
    if (j->start_us != RR_NEVER)
        add_held(ctx, j->alternative, j->pool, j->start_us, end, j->gpus_milli, strcmp(j->status, "finished") == 0);
    return RR_OK;
}

/* As the run had them: from attempts where they are kept, else from jobs. */
static enum rr_status read_held(const struct rr_store *s, const struct rr_reprice_options *opt, struct held *h)
{
    if (!opt->db_path || (!rr_needs_calls(h->s) && !rr_needs_hours(h->s))) return RR_OK;
    if (h->alt->n_attempts > 0) return rr_store_attempts(s, opt->db_path, add_attempt, h);
    return rr_store_jobs(s, opt->db_path, add_job, h);
}

static enum rr_status bill(struct rr_scenario *s, const struct rr_alternative *alt, const struct held *held, struct rr_arena *a,
                           struct rr_repriced *ret)
{
    struct rr_arena *scratch = rr_arena_create();
    struct rr_billing b = {.scenario = s,
                           .horizon_us = alt->end_us,
                           .lease = alt->lease,
                           .pool_lease = pool_leases(alt, s->n_pools, scratch),
                           .node_gpus = alt->node_gpus,
                           .used_month = alt->used_month,
                           .arena = scratch};
    struct rr_ledger l;
    struct rr_buf detail = {0};
    rr_ledger_init(&l);
    if (held->call.n > 0 && rr_needs_calls(s)) b.call = held->call.at, b.n_calls = held->call.n;
    if (held->span.n > 0 && rr_needs_hours(s)) rr_spans_by_hour(s, held->span.at, held->span.n, alt->end_us, scratch, &b);
    enum rr_status st = rr_bill(&b, &l.sink);
    if (st == RR_OK) st = rr_check_money(&b, &l, &detail);
    if (st == RR_OK) st = rr_check_payer(&b, &detail);
    if (st == RR_OK) st = add_lines(alt, l.charge.at, l.charge.n, a, ret);
    rr_ledger_done(&l);
    rr_buf_done(&detail);
    rr_arena_free(scratch);
    return st;
}

enum rr_status rr_reprice(const struct rr_store *s, size_t i, const struct rr_reprice_options *opt, const struct rr_registry *reg,
                          const struct rr_catalog *catalog, struct rr_arena *arena, struct rr_repriced *ret)
{
    const struct rr_alternative *alt = &s->alternative[i];
    struct rr_scenario_set *set = NULL;
    struct rr_repriced out = {0};
    if (!alt->document || !alt->node_gpus)
        return rr_fail(RR_EINPUT, "\"%s\": the result keeps no leases to price again: run it with --format db or all formats", alt->name);
    RR_TRY(read_document(s, alt, opt, reg, catalog, arena, &set, &out));
    struct rr_scenario *v = set->variant[0];
    v->notes.arena = set->arena;
    take_shapes(v, alt, set->arena);
    enum rr_status st = same_pools(v, alt);
    if (st == RR_OK) st = rr_price_resolve(v, catalog, set->arena, &v->notes);
    struct held held = {.alt = alt, .s = v};
    if (st == RR_OK) st = read_held(s, opt, &held);
    if (st == RR_OK) st = bill(v, alt, &held, arena, &out);
    rr_vec_done(&held.call);
    rr_vec_done(&held.span);
    if (st == RR_OK) copy_notes(&v->notes, arena, &out);
    rr_scenario_set_free(set);
    if (st == RR_OK) *ret = out;
    return st == RR_OK ? st : rr_fail_in(st, "alternative \"%s\"", alt->name);
}

enum rr_status rr_reprice_as_run(const struct rr_store *s, size_t i, struct rr_arena *arena, struct rr_repriced *ret)
{
    const struct rr_alternative *alt = &s->alternative[i];
    struct rr_repriced out = {0};
    RR_TRY(add_lines(alt, alt->charge, alt->n_charges, arena, &out));
    *ret = out;
    return RR_OK;
}
