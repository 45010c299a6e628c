/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/param.c - an object against its table of rows: unknown keys, wrappers, required rows, defaults. */
#include "data/param.h"
#include "data/param_field.h"
#include <assert.h>
#include <string.h>
#ifndef RR_VERSION
#define RR_VERSION "0.1.0"
#endif

static const char *const wrapper_keys[] = {"value", "source", "owner", "as_of"};
#define N_WRAPPER (sizeof wrapper_keys / sizeof *wrapper_keys)

const cJSON *rr_param_unwrap(const cJSON *node)
{
    const cJSON *value = rr_json_member(node, "value");
    return value ? value : node;
}

const char *rr_param_source(const cJSON *node, struct rr_arena *a)
{
    if (!rr_json_member(node, "value")) return "";
    const char *text = "";
    for (size_t i = 1; i < N_WRAPPER; i++) {
        const cJSON *m = rr_json_member(node, wrapper_keys[i]);
        if (cJSON_IsString(m)) text = *text ? rr_strf(a, "%s, %s", text, m->valuestring) : m->valuestring;
    }
    return text;
}

enum rr_status rr_param_check_wrapper(const struct rr_json *json, const cJSON *node, const char *pointer)
{
    if (!rr_json_member(node, "value")) return RR_OK;
    for (const cJSON *m = node->child; m; m = m->next) {
        size_t i = 0;
        while (i < N_WRAPPER && strcmp(wrapper_keys[i], m->string) != 0) i++;
        if (i == N_WRAPPER)
            return rr_json_fail_key(RR_EINPUT, json, m, pointer, "a value with its source has the keys value, source, owner and as_of");
        if (i > 0 && !cJSON_IsString(m)) return rr_json_fail(RR_EINPUT, json, m, pointer, "\"%s\" is a text in double quotes", m->string);
        if (i == 0 && rr_json_member(m, "value"))
            return rr_json_fail(RR_EINPUT, json, m, pointer, "a value with its source inside another");
    }
    return RR_OK;
}

const char *rr_pointer_join(struct rr_arena *a, const char *pointer, const char *key)
{
    struct rr_buf b = {0};
    rr_json_escape(&b, key);
    const char *joined = rr_strf(a, "%s/%s", pointer, rr_buf_text(&b));
    rr_buf_done(&b);
    return joined;
}

enum rr_status rr_param_later(const struct rr_json *json, const cJSON *node, const char *pointer, const char *name)
{
    return rr_json_fail_key(RR_EINPUT, json, node, pointer, "\"%s\" is not built yet in rackrate " RR_VERSION, name);
}

const char *rr_param_shown(const cJSON *node, struct rr_arena *a)
{
    if (cJSON_IsNumber(node)) return node->valuestring ? rr_strdup(a, node->valuestring) : rr_strf(a, "%g", node->valuedouble);
    if (cJSON_IsBool(node)) return cJSON_IsTrue(node) ? "true" : "false";
    if (cJSON_IsObject(node)) return "an object";
    if (cJSON_IsArray(node)) return "a list";
    if (!cJSON_IsString(node)) return "null";
    size_t n = strlen(node->valuestring);
    const bool cut = n > 60;
    if (cut) n = 60;
    while (cut && n > 0 && ((unsigned char)node->valuestring[n] & 0xc0) == 0x80) n--; // not inside a character
    return rr_strf(a, "\"%.*s%s\"", (int)n, node->valuestring, cut ? "..." : "");
}

static bool skipped(const char *const *skip, const char *key)
{
    for (; skip && *skip; skip++)
        if (strcmp(*skip, key) == 0) return true;
    return false;
}

static size_t row_of(const struct rr_param *table, size_t n, const char *key)
{
    size_t i = 0;
    while (i < n && strcmp(table[i].name, key) != 0) i++;
    return i;
}

static enum rr_status unknown_key(const struct rr_param_ctx *ctx, const struct rr_param *table, size_t n, const char *const *skip,
                                  const cJSON *member, const char *pointer)
{
    size_t n_skip = 0;
    while (skip && skip[n_skip]) n_skip++;
    const char **words = RR_NEWS(ctx->arena, const char *, n + n_skip + 1);
    struct rr_buf all = {0};
    for (size_t i = 0; i < n + n_skip; i++) {
        words[i] = i < n_skip ? skip[i] : table[i - n_skip].name;
        rr_buf_putf(&all, "%s%s", i ? ", " : "", words[i]);
    }
    const char *near = rr_nearest(member->string, words, n + n_skip);
    const char *shown = rr_param_shown(&(cJSON){.type = cJSON_String, .valuestring = member->string}, ctx->arena);
    enum rr_status st;
    if (near)
        st = rr_json_fail_key(RR_EINPUT, ctx->json, member, pointer, "unknown key %s; did you mean \"%s\"?", shown, near);
    else if (all.n == 0)
        st = rr_json_fail_key(RR_EINPUT, ctx->json, member, pointer, "unknown key %s; there are no keys here", shown);
    else
        st = rr_json_fail_key(RR_EINPUT, ctx->json, member, pointer, "unknown key %s; known here: %s", shown, rr_buf_text(&all));
    rr_buf_done(&all);
    return st;
}

static enum rr_status read_member(const struct rr_param_ctx *ctx, const struct rr_param *row, const cJSON *member, const char *pointer,
                                  void *into)
{
    const char *at = rr_pointer_join(ctx->arena, pointer, row->name);
    if (row->flags & RR_PF_LATER) return rr_param_later(ctx->json, member, at, row->name);
    RR_TRY(rr_param_check_wrapper(ctx->json, member, at));
    const struct rr_field f = {ctx, row, rr_param_unwrap(member), at};
    return rr_field_read(&f, into);
}

// A default that its own row refuses is a bug of ours: tests read every table with no object.
static enum rr_status read_default(const struct rr_param_ctx *ctx, const struct rr_param *row, const char *pointer, void *into)
{
    struct rr_json *json = rr_json_create();
    const struct rr_param_ctx own = {.json = json, .arena = ctx->arena, .base = ctx->base, .no_files = ctx->no_files};
    cJSON *value = NULL;
    enum rr_status st = rr_json_parse(json, row->name, row->def, false, &value);
    if (st == RR_OK) {
        const struct rr_field f = {&own, row, value, rr_pointer_join(ctx->arena, pointer, row->name)};
        st = rr_field_read(&f, into);
    }
    cJSON_Delete(value);
    rr_json_free(json);
    return st == RR_OK ? RR_OK : rr_fail_in(RR_EINTERNAL, "the default of \"%s\"", row->name);
}

enum rr_status rr_params_read(const struct rr_param_ctx *ctx, const struct rr_param *table, size_t n, const cJSON *object,
                              const char *pointer, const char *const *skip, void *into)
{
    assert(n <= 64);
    if (object && !cJSON_IsObject(object))
        return rr_json_fail(RR_EINPUT, ctx->json, object, pointer, "%s given; an object {...} is expected",
                            rr_param_shown(object, ctx->arena));
    uint64_t given = 0;
    for (const cJSON *m = object ? object->child : NULL; m; m = m->next) {
        const size_t i = row_of(table, n, m->string);
        if (i == n && skipped(skip, m->string)) continue;
        if (i == n) return unknown_key(ctx, table, n, skip, m, rr_pointer_join(ctx->arena, pointer, m->string));
        RR_TRY(read_member(ctx, &table[i], m, pointer, into));
        given |= UINT64_C(1) << i;
    }
    for (size_t i = 0; i < n; i++) {
        if (given >> i & 1u) continue;
        if (table[i].flags & RR_PF_REQUIRED)
            return rr_json_fail(RR_EINPUT, ctx->json, object, pointer, "\"%s\" is missing: %s", table[i].name, table[i].help);
        if (table[i].def && !(table[i].flags & RR_PF_LATER)) RR_TRY(read_default(ctx, &table[i], pointer, into));
    }
    memcpy(into, &given, sizeof given);
    return RR_OK;
}

const struct rr_kind *rr_kind_find(struct rr_kinds kinds, const char *name)
{
    for (size_t i = 0; i < kinds.n; i++)
        if (strcmp(kinds.at[i]->name, name) == 0) return kinds.at[i];
    return NULL;
}
