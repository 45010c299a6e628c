/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/param_prices.c - tiers, prices by name or date, and changes in per cent, from a scenario. */
#include "data/param_field.h"
#include "data/prices.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define MOST_TIERS 32

struct tier_rows {
    uint64_t given;
    struct rr_price rate;
    double share;
};
enum { T_RATE, T_SHARE };
static const struct rr_param tier_rows[] = {
    [T_RATE] = {.name = "rate", .type = RR_P_RATE, .offset = offsetof(struct tier_rows, rate), .help = "price in this tier"},
    [T_SHARE] = {.name = "share",
                 .type = RR_P_SHARE,
                 .offset = offsetof(struct tier_rows, share),
                 .least = 0,
                 .most = 1,
                 .help = "share of the amount, or taken off the rate, in this tier"},
};
#define N_ROWS (sizeof tier_rows / sizeof *tier_rows)

static struct rr_slice text_of(const cJSON *node) { return rr_slice(node->valuestring, strlen(node->valuestring)); }

/* ---- tiers ---- */

static enum rr_status limit_number(const cJSON *node, double scale, int64_t *ret)
{
    double v;
    if (rr_text_double(rr_json_number(node), &v) != RR_OK || !(v * scale < 9e18)) return rr_fail(RR_EINPUT, "the limit does not fit");
    return rr_text_times(rr_json_number(node), (uint64_t)scale, ret, NULL);
}

static enum rr_status limit_share(struct rr_slice s, int64_t *ret)
{
    double v;
    RR_TRY(rr_unit_share(s, &v));
    *ret = llround(v * 1e9);
    return RR_OK;
}

static enum rr_status read_limit(const struct rr_field *f, const cJSON *node, struct rr_tier *t)
{
    enum rr_status st = RR_EINPUT;
    char first[RR_REASON_MAX] = "";
    if (cJSON_IsNumber(node)) {
        t->by = RR_TIER_NUMBER;
        st = limit_number(node, 1e6, &t->up_to);
    } else if (cJSON_IsString(node) && strchr(node->valuestring, '%')) {
        t->by = RR_TIER_SHARE;
        st = limit_share(text_of(node), &t->up_to);
    } else if (cJSON_IsString(node)) {
        struct rr_money m;
        t->by = RR_TIER_BYTES;
        if ((st = rr_unit_bytes(text_of(node), &t->up_to)) != RR_OK) {
            t->by = RR_TIER_MONEY;
            if ((st = rr_unit_money(text_of(node), &m, t->currency)) == RR_OK) t->up_to = m.micro;
        }
    }
    if (st == RR_OK && t->up_to > 0) return RR_OK;
    if (st != RR_OK) snprintf(first, sizeof first, "%s given; ", rr_param_shown(node, f->ctx->arena));
    return rr_field_fail(f, node, "\"up_to\": %sa limit above 0 is expected, such as \"10 TB\", \"$10,000\", \"25 %%\" or 5000", first);
}

static enum rr_status read_tier(const struct rr_field *f, const cJSON *node, size_t i, struct rr_tier *t)
{
    static const char *const limit_apart[] = {"up_to", NULL};
    struct tier_rows rows = {0};
    char index[24];
    snprintf(index, sizeof index, "%zu", i);
    RR_TRY(rr_params_read(f->ctx, tier_rows, N_ROWS, node, rr_pointer_join(f->ctx->arena, f->pointer, index), limit_apart, &rows));
    const cJSON *given = rr_json_member(node, "up_to"), *limit = rr_param_unwrap(given);
    if (given) RR_TRY(rr_param_check_wrapper(f->ctx->json, given, rr_pointer_join(f->ctx->arena, f->pointer, index)));
    if (limit) RR_TRY(read_limit(f, limit, t));
    if (rr_given(&rows, T_RATE) == rr_given(&rows, T_SHARE)) return rr_field_fail(f, node, "a tier has a \"rate\" or a \"share\"");
    if (rows.rate.rate.nano < 0) return rr_field_fail(f, node, "the rate is negative");
    t->has_rate = rr_given(&rows, T_RATE);
    t->rate = rows.rate;
    t->share = rows.share;
    return RR_OK;
}

/* Limits ascend, are of one kind, and only the last tier has none. */
static enum rr_status check_tier(const struct rr_field *f, const cJSON *node, const struct rr_tiers *t, size_t i)
{
    const struct rr_tier *now = &t->tier[i], *before = i ? &t->tier[i - 1] : now;
    const bool last = node->next == NULL;
    if (last != (now->by == RR_TIER_OPEN))
        return rr_field_fail(f, node,
                             last ? "the last tier has no \"up_to\": it holds for all that is left"
                                  : "\"up_to\" is missing: only the last tier holds for all that is left");
    if (now->has_rate != before->has_rate) return rr_field_fail(f, node, "all tiers have a \"rate\", or all have a \"share\"");
    if (last || i == 0) return RR_OK;
    if (now->by != before->by || strcmp(now->currency, before->currency) != 0)
        return rr_field_fail(f, node, "\"up_to\" is another kind of limit than in the tier before");
    if (now->up_to <= before->up_to)
        return rr_field_fail(f, node, "\"up_to\": %s is not above the limit of the tier before: limits must ascend",
                             rr_param_shown(rr_param_unwrap(rr_json_member(node, "up_to")), f->ctx->arena));
    return RR_OK;
}

enum rr_status rr_field_tiers(const struct rr_field *f, const struct rr_tiers **ret)
{
    if (!cJSON_IsArray(f->node) || !f->node->child) return rr_field_wrong(f, f->node, RR_P_TIERS);
    if (cJSON_GetArraySize(f->node) > MOST_TIERS) return rr_field_fail(f, f->node, "at most %d tiers", MOST_TIERS);
    struct rr_tiers *t = RR_NEW(f->ctx->arena, struct rr_tiers);
    t->json = f->node;
    t->tier = RR_NEWS(f->ctx->arena, struct rr_tier, MOST_TIERS);
    for (const cJSON *m = f->node->child; m; m = m->next, t->n++) {
        RR_TRY(read_tier(f, m, t->n, &t->tier[t->n]));
        RR_TRY(check_tier(f, m, t, t->n));
    }
    t->by = t->tier[0].by;
    t->has_rates = t->tier[0].has_rate;
    *ret = t;
    return RR_OK;
}

cJSON *rr_tiers_schema(void)
{
    cJSON *o = cJSON_CreateObject(), *tier = rr_params_schema(tier_rows, N_ROWS), *limit = cJSON_CreateObject();
    cJSON *any = cJSON_AddArrayToObject(limit, "type");
    cJSON_AddItemToArray(any, cJSON_CreateString("number"));
    cJSON_AddItemToArray(any, cJSON_CreateString("string"));
    cJSON_AddStringToObject(limit, "description", "where the tier ends: a size, an amount, a share or a number; absent in the last one");
    cJSON_AddItemToObject(cJSON_GetObjectItem(tier, "properties"), "up_to", limit);
    cJSON_AddStringToObject(o, "type", "array");
    cJSON_AddNumberToObject(o, "minItems", 1);
    cJSON_AddNumberToObject(o, "maxItems", MOST_TIERS);
    cJSON_AddItemToObject(o, "items", tier);
    return o;
}

/* ---- prices by name ---- */

static enum rr_status read_entry(const struct rr_field *f, const cJSON *node, struct rr_price_entry *e)
{
    e->key = rr_strdup(f->ctx->arena, node->string);
    RR_TRY(rr_param_check_wrapper(f->ctx->json, node, rr_pointer_join(f->ctx->arena, f->pointer, node->string)));
    const cJSON *value = rr_param_unwrap(node);
    if (!cJSON_IsString(value)) return rr_field_wrong(f, value, RR_P_PRICES);
    const struct rr_slice s = text_of(value);
    char reason[RR_REASON_MAX];
    e->kind = strchr(value->valuestring, '%') ? RR_ENTRY_SHARE : strchr(value->valuestring, '/') ? RR_ENTRY_RATE : RR_ENTRY_MONEY;
    const enum rr_status st = e->kind == RR_ENTRY_SHARE  ? rr_unit_share(s, &e->share)
                              : e->kind == RR_ENTRY_RATE ? rr_unit_rate(s, &e->rate.rate, e->rate.currency)
                                                         : rr_unit_money(s, &e->money.money, e->money.currency);
    if (st != RR_OK) {
        snprintf(reason, sizeof reason, "%s", rr_reason());
        return rr_field_fail(f, value, "\"%.60s\": %s", e->key, reason);
    }
    if (e->rate.rate.nano < 0 || e->money.money.micro < 0) return rr_field_fail(f, value, "\"%.60s\": a price is not negative", e->key);
    return RR_OK;
}

enum rr_status rr_field_prices(const struct rr_field *f, const struct rr_price_map **ret)
{
    if (!cJSON_IsObject(f->node) || !f->node->child) return rr_field_wrong(f, f->node, RR_P_PRICES);
    struct rr_price_map *p = RR_NEW(f->ctx->arena, struct rr_price_map);
    p->json = f->node;
    p->entry = RR_NEWS(f->ctx->arena, struct rr_price_entry, (size_t)cJSON_GetArraySize(f->node));
    for (const cJSON *m = f->node->child; m; m = m->next) RR_TRY(read_entry(f, m, &p->entry[p->n++]));
    *ret = p;
    return RR_OK;
}

cJSON *rr_prices_schema(void)
{
    cJSON *o = cJSON_CreateObject(), *value = cJSON_AddObjectToObject(o, "additionalProperties");
    cJSON *any = cJSON_AddArrayToObject(value, "anyOf"), *text = cJSON_CreateObject(), *sourced = cJSON_CreateObject();
    cJSON_AddStringToObject(text, "type", "string");
    cJSON_AddStringToObject(sourced, "$ref", "#/$defs/sourced");
    cJSON_AddItemToArray(any, text);
    cJSON_AddItemToArray(any, sourced);
    cJSON_AddStringToObject(o, "type", "object");
    cJSON_AddNumberToObject(o, "minProperties", 1);
    return o;
}

/* ---- changes ---- */

enum rr_status rr_field_change(const struct rr_field *f, double *ret)
{
    double sign = 1, v;
    if (cJSON_IsNumber(f->node)) {
        if (rr_text_double(rr_json_number(f->node), ret) != RR_OK) return rr_field_wrong(f, f->node, RR_P_CHANGE);
        return rr_field_limits(f, f->node, *ret);
    }
    if (!cJSON_IsString(f->node)) return rr_field_wrong(f, f->node, RR_P_CHANGE);
    struct rr_slice s = rr_trim(text_of(f->node));
    if (s.n > 0 && (s.at[0] == '-' || s.at[0] == '+')) {
        sign = s.at[0] == '-' ? -1 : 1;
        s = rr_trim(rr_slice(s.at + 1, s.n - 1));
    }
    if (rr_unit_ratio(s, &v) != RR_OK) return rr_field_wrong(f, f->node, RR_P_CHANGE);
    *ret = sign * v;
    return rr_field_limits(f, f->node, *ret);
}
