/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/param_records.c - objects with a table of rows of their own inside a parameter: one, a list of them, or some by name. */
#include "data/param_field.h"
#include <assert.h>
#include <stdio.h>
#include <string.h>

static size_t word_of(const struct rr_field *f)
{
    size_t i = 0;
    while (f->row->words && f->row->words[i] && strcmp(f->row->words[i], f->node->valuestring) != 0) i++;
    return i;
}

static enum rr_status read_one(const struct rr_field *f, const cJSON *node, const char *key, struct rr_records *r)
{
    const struct rr_param_table *of = f->row->of;
    const char *pointer = key ? rr_pointer_join(f->ctx->arena, f->pointer, key) : f->pointer;
    RR_TRY(rr_params_read(f->ctx, of->row, of->n, node, pointer, NULL, (char *)r->at + r->n * of->size));
    r->key[r->n++] = key ? rr_strdup(f->ctx->arena, key) : "";
    return RR_OK;
}

static enum rr_status read_all(const struct rr_field *f, struct rr_records *r)
{
    char index[24];
    for (const cJSON *m = f->node->child; m; m = m->next) {
        snprintf(index, sizeof index, "%zu", r->n);
        RR_TRY(read_one(f, m, f->row->type == RR_P_NAMED ? m->string : index, r));
    }
    return RR_OK;
}

enum rr_status rr_field_records(const struct rr_field *f, const struct rr_records **ret)
{
    const bool list = f->row->type == RR_P_LIST;
    struct rr_records *r = RR_NEW(f->ctx->arena, struct rr_records);
    assert(f->row->of);
    r->json = f->node;
    r->word = -1;
    if (cJSON_IsString(f->node) && f->row->words) {
        r->word = (int)word_of(f);
        if (f->row->words[r->word] == NULL) return rr_field_wrong(f, f->node, f->row->type);
        *ret = r;
        return RR_OK;
    }
    if (list ? !cJSON_IsArray(f->node) : !cJSON_IsObject(f->node)) return rr_field_wrong(f, f->node, f->row->type);
    if (f->row->type != RR_P_RECORD && !f->node->child) return rr_field_wrong(f, f->node, f->row->type);
    const size_t room = f->row->type == RR_P_RECORD ? 1 : (size_t)cJSON_GetArraySize(f->node);
    r->at = rr_alloc(f->ctx->arena, room, f->row->of->size);
    r->key = RR_NEWS(f->ctx->arena, const char *, room);
    RR_TRY(f->row->type == RR_P_RECORD ? read_one(f, f->node, NULL, r) : read_all(f, r));
    *ret = r;
    return RR_OK;
}

static cJSON *of_type(const char *type)
{
    cJSON *o = cJSON_CreateObject();
    cJSON_AddStringToObject(o, "type", type);
    return o;
}

cJSON *rr_records_schema(const struct rr_param *row)
{
    cJSON *one = rr_params_schema(row->of->row, row->of->n), *all = one;
    if (row->type == RR_P_LIST) {
        all = of_type("array");
        cJSON_AddNumberToObject(all, "minItems", 1);
        cJSON_AddItemToObject(all, "items", one);
    } else if (row->type == RR_P_NAMED) {
        all = of_type("object");
        cJSON_AddNumberToObject(all, "minProperties", 1);
        cJSON_AddItemToObject(all, "additionalProperties", one);
    }
    if (!row->words) return all;
    cJSON *o = cJSON_CreateObject(), *any = cJSON_AddArrayToObject(o, "anyOf"), *text = cJSON_CreateObject();
    cJSON *words = cJSON_AddArrayToObject(text, "enum");
    for (size_t i = 0; row->words[i]; i++) cJSON_AddItemToArray(words, cJSON_CreateString(row->words[i]));
    cJSON_AddItemToArray(any, all);
    cJSON_AddItemToArray(any, text);
    return o;
}
