/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/study/capacity.c - bracket, bisect, and look one node below. */
#include "sim/study/capacity.h"
#include "data/uncertain.h"
#include "models/price/price.h"
#include "sim/study/study.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

struct search {
    struct rr_scenario_set *set;
    const struct rr_catalog *catalog;
    const struct rr_capacity_options *opt;
    struct rr_scenario_set one; /* the variant alone */
    struct rr_scenario *scenario;
    size_t pool[2];
    double rejected; /* on pools of any size: what nothing can mend */
    RR_VEC(struct rr_capacity_point) tried;
};

/* ---- what is searched ---- */

static enum rr_status pick_variant(struct search *s)
{
    const char *name = s->opt->alternative;
    if (!name && s->set->n_variants > 1)
        return rr_fail(RR_EINPUT, "%s: %zu alternatives: say which one with --alternative, such as \"%s\"", s->set->path,
                       s->set->n_variants, s->set->variant[0]->variant);
    for (size_t i = 0; i < s->set->n_variants && !s->scenario; i++) {
        struct rr_scenario *v = s->set->variant[i];
        if (!name || strcmp(v->variant, name) == 0 || strcmp(v->alternative, name) == 0) s->scenario = v;
    }
    if (!s->scenario) return rr_fail(RR_EINPUT, "%s: there is no alternative \"%s\"", s->set->path, name);
    s->one = *s->set;
    s->one.variant = &s->scenario;
    s->one.n_variants = 1;
    s->one.n_gates = 0;
    s->one.baseline = s->scenario->variant;
    if (s->scenario->n_service == 0)
        return rr_fail(RR_EINPUT, "%s: /service: there is nothing to meet: add a limit, such as \"service\": {\"wait.p95\": \"<= 4 h\"}",
                       s->set->path);
    return RR_OK;
}

// A size that is searched cannot vary by itself.
static enum rr_status refuse_uncertain(const struct search *s, const struct rr_pool *pool)
{
    const struct rr_uncertainty *u = s->set->uncertainty;
    const char *nodes = rr_strf(s->set->arena, "%s/nodes", pool->pointer);
    for (size_t i = 0; u && i < u->n; i++)
        if (strncmp(u->input[i].path, nodes, strlen(nodes)) == 0)
            return rr_json_fail(
                RR_EINPUT, s->set->json, u->input[i].json, u->input[i].pointer,
                "\"%s\" varies the nodes of pool \"%s\", which are what is searched: take it out, or search another pool with --pool",
                u->input[i].name, pool->name);
    return RR_OK;
}

static enum rr_status pick_pool(struct search *s, size_t k)
{
    const struct rr_scenario *v = s->scenario;
    const char *name = s->opt->pools[k];
    for (size_t p = 0; p < v->n_pools; p++) {
        const struct rr_pool *pool = &v->pool[p];
        if (strcmp(pool->name, name) != 0) continue;
        if (pool->nodes_min != pool->nodes_max || pool->nodes_file)
            return rr_fail(RR_EINPUT, "%s: pool \"%s\" has no fixed number of like nodes: its size cannot be searched", pool->pointer,
                           name);
        RR_TRY(refuse_uncertain(s, pool));
        s->pool[k] = p;
        return RR_OK;
    }
    return rr_fail(RR_EINPUT, "%s: alternative \"%s\" has no pool \"%s\"", s->set->path, v->variant, name);
}

/* ---- one look ---- */

// Samples of uncertain inputs are read from the document again.
static enum rr_status set_document(struct search *s, struct rr_pool *p, int64_t nodes)
{
    if (!s->set->uncertainty) return RR_OK;
    cJSON *node = rr_json_make_number(rr_strf(s->set->arena, "%" PRId64, nodes));
    RR_TRY(rr_json_set((cJSON *)(uintptr_t)s->scenario->document, rr_strf(s->set->arena, "%s/nodes", p->pointer), false, node));
    p->nodes_json = node;
    return RR_OK;
}

static enum rr_status set_nodes(struct search *s, const int64_t *nodes)
{
    for (size_t k = 0; k < s->opt->n_pools; k++) {
        struct rr_pool *p = &s->scenario->pool[s->pool[k]];
        p->nodes_min = p->nodes_max = nodes[k];
        RR_TRY(set_document(s, p, nodes[k]));
    }
    struct rr_notes none = {.arena = s->set->arena}; // told once, when the scenario was loaded
    const enum rr_status st = rr_price_resolve(s->scenario, s->catalog, s->set->arena, &none);
    rr_notes_done(&none);
    return st;
}

static const char *breaks(struct search *s, const struct rr_alternative *a)
{
    const double rejected = a->metric[RR_M_JOBS_REJECTED].mean;
    if (rejected > s->rejected) return rr_strf(s->set->arena, "%.6g jobs more than on a larger pool can never fit", rejected - s->rejected);
    return a->meets_service ? "" : rr_strdup(s->set->arena, a->service_detail);
}

static enum rr_status look(struct search *s, const int64_t *nodes, struct rr_capacity_point *ret)
{
    for (size_t i = 0; i < s->tried.n; i++)
        if (memcmp(s->tried.at[i].nodes, nodes, sizeof ret->nodes) == 0) {
            *ret = s->tried.at[i];
            return RR_OK;
        }
    struct rr_study *study = NULL;
    RR_TRY(set_nodes(s, nodes));
    RR_TRY(rr_study_run(&s->one, &(struct rr_study_options){.threads = s->opt->threads}, &study));
    const struct rr_alternative *a = &rr_study_store(study)->alternative[0];
    const char *detail = breaks(s, a);
    *ret = (struct rr_capacity_point){.nodes = {nodes[0], nodes[1]},
                                      .good = *detail == '\0',
                                      .detail = detail,
                                      .cost = a->metric[RR_M_COST_TOTAL].mean,
                                      .wait_p95_s = a->metric[RR_M_WAIT_P95].mean,
                                      .allocated_share = a->metric[RR_M_GPU_ALLOCATED_SHARE].mean};
    rr_study_free(study);
    rr_vec_push(&s->tried, *ret);
    if (s->opt->progress) s->opt->progress(s->opt->ctx, s->tried.n);
    return RR_OK;
}

/* Jobs that no number of nodes can hold: what a replay on pools as large as allowed rejects. */
static enum rr_status learn_rejected(struct search *s)
{
    struct rr_study *study = NULL;
    int64_t nodes[2] = {s->opt->most, s->opt->n_pools > 1 ? s->opt->most : 0};
    RR_TRY(set_nodes(s, nodes));
    RR_TRY(rr_study_run(&s->one, &(struct rr_study_options){.threads = s->opt->threads}, &study));
    s->rejected = rr_study_store(study)->alternative[0].metric[RR_M_JOBS_REJECTED].mean;
    rr_study_free(study);
    return RR_OK;
}

/* ---- search ---- */

/* The least nodes[k] in [from, most] that is good, the others as they are. RR_EINPUT when even `most` is not; *ret is then that look. */
static enum rr_status least(struct search *s, int64_t *nodes, size_t k, int64_t from, struct rr_capacity_point *ret)
{
    int64_t bad = from - 1, step = 1;
    struct rr_capacity_point p;
    for (nodes[k] = from;; nodes[k] = bad + step > s->opt->most ? s->opt->most : bad + step) {
        RR_TRY(look(s, nodes, &p));
        if (p.good) break;
        if (nodes[k] == s->opt->most) {
            *ret = p;
            return rr_fail(RR_EINPUT, "%" PRId64 " nodes of pool \"%s\" are not enough: %s; raise --most, or see what binds", s->opt->most,
                           s->opt->pools[k], p.detail);
        }
        bad = nodes[k];
        step *= 2;
    }
    for (*ret = p; ret->nodes[k] - bad > 1;) {
        nodes[k] = bad + (ret->nodes[k] - bad) / 2;
        RR_TRY(look(s, nodes, &p));
        if (p.good)
            *ret = p;
        else
            bad = nodes[k];
    }
    nodes[k] = ret->nodes[k];
    return RR_OK;
}

static bool cheaper(const struct rr_capacity_point *a, const struct rr_capacity_point *b)
{
    if (!isnan(a->cost) && !isnan(b->cost) && a->cost != b->cost) return a->cost < b->cost;
    return a->nodes[0] + a->nodes[1] < b->nodes[0] + b->nodes[1];
}

/* Along the edge of the good region: the fewer of the first pool, the more of the second. */
static enum rr_status cheapest_mix(struct search *s, struct rr_capacity_point *best)
{
    int64_t nodes[2] = {0, 0};
    struct rr_capacity_point p;
    RR_TRY(least(s, nodes, 0, 0, best));
    for (nodes[0] = best->nodes[0] - 1; nodes[0] >= 0; nodes[0]--) {
        const int64_t first = nodes[0];
        if (least(s, nodes, 1, nodes[1], &p) != RR_OK) break; // the second pool alone cannot make up for it
        nodes[0] = first;
        if (cheaper(&p, best)) *best = p;
    }
    return RR_OK;
}

static enum rr_status search(struct search *s, struct rr_capacity *ret)
{
    int64_t nodes[2] = {0, 0};
    RR_TRY(learn_rejected(s));
    if (s->opt->n_pools == 1)
        RR_TRY(least(s, nodes, 0, 0, &ret->best));
    else
        RR_TRY(cheapest_mix(s, &ret->best));
    const size_t k = ret->best.nodes[0] > 0 ? 0 : 1;
    ret->below = (struct rr_capacity_point){.nodes = {-1, -1}, .detail = ""};
    memcpy(nodes, ret->best.nodes, sizeof nodes);
    if (--nodes[k] < 0) return RR_OK;
    return look(s, nodes, &ret->below);
}

static int by_nodes(const void *a, const void *b)
{
    const struct rr_capacity_point *x = a, *y = b;
    for (int k = 0; k < 2; k++)
        if (x->nodes[k] != y->nodes[k]) return x->nodes[k] < y->nodes[k] ? -1 : 1;
    return 0;
}

enum rr_status rr_capacity_find(struct rr_scenario_set *set, const struct rr_catalog *catalog, const struct rr_capacity_options *opt,
                                struct rr_capacity *ret)
{
    struct search s = {.set = set, .catalog = catalog, .opt = opt};
    struct rr_capacity found = {0};
    RR_TRY(pick_variant(&s));
    for (size_t k = 0; k < opt->n_pools; k++) RR_TRY(pick_pool(&s, k));
    const enum rr_status st = search(&s, &found);
    if (st == RR_OK) {
        found.tried = RR_NEWS(set->arena, struct rr_capacity_point, s.tried.n);
        memcpy(found.tried, s.tried.at, s.tried.n * sizeof *found.tried);
        found.n_tried = s.tried.n;
        qsort(found.tried, found.n_tried, sizeof *found.tried, by_nodes);
        *ret = found;
    }
    rr_vec_done(&s.tried);
    return st;
}
