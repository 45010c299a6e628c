/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/scenario_autoscale.c - "autoscale" of the scenario and of pools: a pool's own, else the scenario's. */
#include "data/scenario_rows.h"
#include <string.h>

static bool needs_calendar(const struct rr_kind *k)
{
    for (size_t i = 0; i < k->n_params; i++)
        if (k->params[i].type == RR_P_WEEK) return true;
    return false;
}

// {"policy": ..., own rows}
static enum rr_status read_one(const struct rr_reading *r, const struct rr_scenario *s, const cJSON *object, const char *pointer,
                               struct rr_autoscale *ret)
{
    static const char *const policy_alone[] = {"policy", NULL};
    const struct rr_json *json = r->param.json;
    if (!cJSON_IsObject(object))
        return rr_json_fail(RR_EINPUT, json, object, pointer, "%s given; an object is expected, such as {\"policy\": \"utilization\"}",
                            rr_param_shown(object, r->param.arena));
    const cJSON *word = rr_param_unwrap(rr_json_member(object, "policy"));
    if (!word)
        return rr_json_fail(RR_EINPUT, json, object, pointer,
                            "\"policy\" is missing: who grows and shrinks pools, such as \"utilization\"; see `rackrate list autoscalers`");
    const struct rr_kind *k = cJSON_IsString(word) ? rr_kind_find(r->reg->autoscalers, word->valuestring) : NULL;
    const char *at = rr_pointer_join(r->param.arena, pointer, "policy");
    if (!k) return rr_unknown_kind(r, word, at, "autoscaler", r->reg->autoscalers, 0);
    if (needs_calendar(k) && !s->clock.anchored)
        return rr_json_fail(RR_EINPUT, json, word, at, "\"%s\" follows a calendar; add \"start\", such as \"start\": \"2026-01-01\"",
                            k->name);
    *ret = (struct rr_autoscale){.policy = k, .pointer = pointer, .json = object};
    ret->params = rr_alloc(r->param.arena, 1, k->params_size > sizeof(uint64_t) ? k->params_size : sizeof(uint64_t));
    return rr_params_read(&r->param, k->params, k->n_params, object, pointer, policy_alone, ret->params);
}

static bool is_elastic(const struct rr_pool *p) { return p->nodes_min != p->nodes_max || p->reclaimable; }

// What does nothing is told: how nodes come to a pool that never asks for one, and what an autoscaler does not go by.
static void note_unused(const struct rr_reading *r, struct rr_scenario *s, const cJSON *pool, const struct rr_pool *p)
{
    static const char *const keys[] = {"idle_timeout", "idle_align", "refuse", "retry", "quota", "image"};
    const struct rr_kind *k = p->autoscale.policy;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const char *at = rr_pointer_join(r->param.arena, p->pointer, keys[i]);
        if (!rr_json_member(pool, keys[i])) continue;
        if (!is_elastic(p))
            rr_note(&s->notes, RR_NOTE_WARNING, at, "", "\"%s\" of pool \"%s\" is not used: it always holds the same nodes", keys[i],
                    p->name);
        else if (i < 2 && k && !(k->use & RR_USE_IDLES))
            rr_note(&s->notes, RR_NOTE_WARNING, at, "", "\"%s\" of pool \"%s\" is not used: the autoscaler \"%s\" says which nodes leave",
                    keys[i], p->name, k->name);
    }
}

// The scenario's, where no pool goes by it.
static void note_nobodys(struct rr_scenario *s)
{
    size_t fixed = 0, own = 0;
    for (size_t i = 0; i < s->n_pools; i++) {
        fixed += !is_elastic(&s->pool[i]);
        own += is_elastic(&s->pool[i]) && s->pool[i].autoscale.pointer != s->autoscale.pointer;
    }
    if (s->autoscale.policy && fixed + own == s->n_pools)
        rr_note(&s->notes, RR_NOTE_WARNING, "/autoscale", "",
                "\"autoscale\" is not used: %zu of %zu pools always hold the same nodes, and %zu have an autoscaler of their own", fixed,
                s->n_pools, own);
}

static enum rr_status read_own(const struct rr_reading *r, const struct rr_scenario *s, const cJSON *pool, struct rr_pool *p)
{
    const cJSON *object = rr_json_member(pool, "autoscale");
    p->autoscale = s->autoscale;
    if (!object) return RR_OK;
    const char *pointer = rr_pointer_join(r->param.arena, p->pointer, "autoscale");
    if (p->nodes_min == p->nodes_max)
        return rr_json_fail(RR_EINPUT, r->param.json, object, pointer,
                            "the pool always has the same nodes; say how far it may go, such as \"nodes\": {\"min\": 0, \"max\": 32}");
    return read_one(r, s, object, pointer, &p->autoscale);
}

enum rr_status rr_autoscale_read(const struct rr_reading *r, const cJSON *document, struct rr_scenario *s)
{
    const cJSON *all = rr_json_member(document, "autoscale"), *pools = rr_json_member(document, "pools");
    if (all) RR_TRY(read_one(r, s, all, "/autoscale", &s->autoscale));
    for (size_t i = 0; i < s->n_pools; i++) {
        const cJSON *pool = rr_json_member(pools, s->pool[i].name);
        RR_TRY(read_own(r, s, pool, &s->pool[i]));
        note_unused(r, s, pool, &s->pool[i]);
    }
    note_nobodys(s);
    return RR_OK;
}
