/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/base/json.c - documents with positions, pointers and merge patches on cJSON trees.
 *
 * cJSON 1.7.15 keeps `valueint` and frees and copies `valuestring` of every node, whatever its type (cJSON_Delete, cJSON_Duplicate); that
 * is where a node's position (index + 1, 0 = none) and a number's text live. */
#include "data/base/json.h"
#include "data/base/input.h"
#include "data/base/json_scan.h"
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct rr_json {
    struct rr_arena *arena; // names
    struct rr_json_positions pos;
    RR_VEC(const char *) name; // by document
};

struct rr_json *rr_json_create(void)
{
    struct rr_json *j = rr_xrealloc(NULL, 1, sizeof *j);
    *j = (struct rr_json){.arena = rr_arena_create()};
    return j;
}

void rr_json_free(struct rr_json *j)
{
    if (!j) return;
    rr_arena_free(j->arena);
    rr_vec_done(&j->pos);
    rr_vec_done(&j->name);
    free(j);
}

/* Both trees are walked in pre-order: cJSON's nodes and the scan's positions. */
struct walk {
    const struct rr_json *json;
    const char *text;   // blanked
    const char *number; // where the search for the next number's text goes on
    size_t next;
};

// Numbers come in order, so one forward search outside of strings finds them all.
static struct rr_slice next_number(struct walk *w)
{
    const char *s = w->number;
    while (*s != '-' && !(*s >= '0' && *s <= '9')) {
        if (*s++ != '"') continue;
        while (*s != '"') s += *s == '\\' ? 2 : 1;
        s++;
    }
    const size_t n = strspn(s, "0123456789+-.eE");
    w->number = s + n;
    return rr_slice(s, n);
}

static enum rr_status mark(struct walk *w, cJSON *node)
{
    assert(w->next < w->json->pos.n);
    node->valueint = (int)++w->next;
    if (cJSON_IsNumber(node)) {
        const struct rr_slice text = next_number(w);
        if (!isfinite(node->valuedouble))
            return rr_json_fail(RR_EINPUT, w->json, node, "", "%.*s is too large for a number", (int)text.n, text.at);
        node->valuestring = rr_xrealloc(NULL, text.n + 1, 1);
        memcpy(node->valuestring, text.at, text.n);
        node->valuestring[text.n] = '\0';
    }
    for (cJSON *c = node->child; c; c = c->next) RR_TRY(mark(w, c));
    return RR_OK;
}

// Takes text[n], NUL behind it; changes it.
static enum rr_status parse(struct rr_json *j, const char *name, char *text, size_t n, cJSON **ret)
{
    const size_t before = j->pos.n;
    rr_vec_push(&j->name, rr_strdup(j->arena, name));
    enum rr_status st = rr_json_scan(name, text, n, (uint32_t)(j->name.n - 1), &j->pos);
    if (st == RR_OK && j->pos.n >= INT32_MAX) st = rr_fail(RR_EINPUT, "%s: too many values in all documents together", name);
    if (st != RR_OK) {
        j->pos.n = before;
        return st;
    }
    cJSON *root = cJSON_ParseWithLength(text, n + 1);
    if (!root) return rr_fail(RR_EINTERNAL, "%s: cJSON refused what the scan took: a bug, or out of memory", name);
    struct walk w = {j, text, text, before};
    st = mark(&w, root);
    if (st != RR_OK) {
        cJSON_Delete(root);
        return st;
    }
    assert(w.next == j->pos.n);
    *ret = root;
    return RR_OK;
}

enum rr_status rr_json_read(struct rr_json *j, const char *path, cJSON **ret)
{
    struct rr_input *in = NULL;
    char *text = NULL;
    size_t n = 0;
    RR_TRY(rr_input_open(path, &in));
    enum rr_status st = rr_input_all(in, RR_JSON_MAX, &text, &n);
    rr_input_close(in);
    RR_TRY(st);
    st = parse(j, strcmp(path, "-") == 0 ? "stdin" : path, text, n, ret);
    free(text);
    return st;
}

cJSON *rr_json_make_number(const char *text)
{
    cJSON *node = cJSON_CreateNumber(strtod(text, NULL));
    const size_t n = strlen(text) + 1;
    node->valuestring = memcpy(rr_xrealloc(NULL, n, 1), text, n);
    node->valueint = 0;
    return node;
}

static cJSON *text_node(struct rr_json *j, const char *name, const char *text)
{
    cJSON *node = cJSON_CreateString(text);
    if (!node) return NULL;
    rr_vec_push(&j->name, rr_strdup(j->arena, name));
    const struct rr_json_pos pos = {.doc = (uint32_t)(j->name.n - 1), .line = 1, .column = 1};
    rr_vec_push(&j->pos, pos);
    node->valueint = (int)j->pos.n;
    return node;
}

enum rr_status rr_json_parse(struct rr_json *j, const char *name, const char *text, bool bare, cJSON **ret)
{
    const size_t n = strlen(text);
    char *copy = rr_xrealloc(NULL, n + 1, 1);
    memcpy(copy, text, n + 1);
    enum rr_status st = parse(j, name, copy, n, ret);
    free(copy);
    const char first = text[strspn(text, " \t\r\n")];
    if (st != RR_EINPUT || !bare || first == '{' || first == '[' || first == '"') return st;
    *ret = text_node(j, name, text);
    return *ret ? RR_OK : rr_fail(RR_EINTERNAL, "%s: out of memory", name);
}

static const struct rr_json_pos *position(const struct rr_json *j, const cJSON *node)
{
    if (!j || !node || node->valueint < 1 || (size_t)node->valueint > j->pos.n) return NULL;
    return &j->pos.at[node->valueint - 1];
}

const char *rr_json_where(const struct rr_json *j, const cJSON *node, struct rr_arena *a)
{
    const struct rr_json_pos *p = position(j, node);
    return p ? rr_strf(a, "%s:%u:%u", j->name.at[p->doc], p->line, p->column) : "";
}

const char *rr_json_where_key(const struct rr_json *j, const cJSON *node, struct rr_arena *a)
{
    const struct rr_json_pos *p = position(j, node);
    return p && p->key_line ? rr_strf(a, "%s:%u:%u", j->name.at[p->doc], p->key_line, p->key_column) : rr_json_where(j, node, a);
}

static enum rr_status fail_with(enum rr_status st, const struct rr_json *j, const cJSON *node, bool key, const char *pointer,
                                const char *fmt, va_list ap)
{
    char text[RR_REASON_MAX];
    vsnprintf(text, sizeof text, fmt, ap);
    const char *colon = pointer && *pointer ? ": " : "";
    if (!pointer) pointer = "";
    const struct rr_json_pos *p = position(j, node);
    if (!p) return rr_fail(st, "%s%s%s", pointer, colon, text);
    key = key && p->key_line;
    return rr_fail(st, "%s:%u:%u: %s%s%s", j->name.at[p->doc], key ? p->key_line : p->line, key ? p->key_column : p->column, pointer, colon,
                   text);
}

enum rr_status rr_json_fail(enum rr_status st, const struct rr_json *j, const cJSON *node, const char *pointer, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    st = fail_with(st, j, node, false, pointer, fmt, ap);
    va_end(ap);
    return st;
}

enum rr_status rr_json_fail_key(enum rr_status st, const struct rr_json *j, const cJSON *node, const char *pointer, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    st = fail_with(st, j, node, true, pointer, fmt, ap);
    va_end(ap);
    return st;
}

struct rr_slice rr_json_number(const cJSON *node)
{
    assert(cJSON_IsNumber(node));
    return node->valuestring ? rr_slice(node->valuestring, strlen(node->valuestring)) : rr_slice("", 0);
}

const cJSON *rr_json_member(const cJSON *object, const char *key)
{
    return cJSON_IsObject(object) ? cJSON_GetObjectItemCaseSensitive(object, key) : NULL;
}

// The reference token at *at ("/pools" without its slash), unescaped, heap; *at moves behind it.
static char *token(const char **at)
{
    const char *s = *at + 1;
    const size_t n = strcspn(s, "/");
    char *t = rr_xrealloc(NULL, n + 1, 1), *o = t;
    for (size_t i = 0; i < n; i++) {
        const bool escaped = s[i] == '~' && i + 1 < n && (s[i + 1] == '0' || s[i + 1] == '1');
        *o++ = !escaped ? s[i] : s[i + 1] == '0' ? '~' : '/';
        i += escaped;
    }
    *o = '\0';
    *at = s + n;
    return t;
}

// RFC 6901: digits without a leading zero; -1 = none.
static int array_index(const char *t)
{
    const size_t n = strspn(t, "0123456789");
    if (n == 0 || t[n] || n > 8 || (t[0] == '0' && n > 1)) return -1;
    return (int)strtol(t, NULL, 10);
}

static cJSON *child(const cJSON *node, const char *t)
{
    if (cJSON_IsObject(node)) return cJSON_GetObjectItemCaseSensitive(node, t);
    const int i = cJSON_IsArray(node) ? array_index(t) : -1;
    return i < 0 ? NULL : cJSON_GetArrayItem(node, i);
}

cJSON *rr_json_at(const cJSON *root, const char *pointer)
{
    const cJSON *node = root;
    while (node && *pointer == '/') {
        char *t = token(&pointer);
        node = child(node, t);
        free(t);
    }
    return *pointer && node ? NULL : (cJSON *)node;
}

static enum rr_status no_such_member(const cJSON *object, const char *t, const char *pointer)
{
    const char **words = rr_xrealloc(NULL, (size_t)cJSON_GetArraySize(object) + 1, sizeof *words);
    size_t n = 0;
    for (const cJSON *c = object->child; c; c = c->next) words[n++] = c->string;
    const char *near = rr_nearest(t, words, n);
    const enum rr_status st = rr_fail(RR_EINPUT, "%s: there is no \"%s\"%s%s%s", pointer, t, near ? "; did you mean \"" : "",
                                      near ? near : "", near ? "\"?" : "");
    free(words);
    return st;
}

static enum rr_status put(cJSON *parent, const char *t, const char *pointer, cJSON *value)
{
    if (cJSON_IsObject(parent)) {
        const bool there = cJSON_GetObjectItemCaseSensitive(parent, t) != NULL;
        if (cJSON_IsNull(value)) {
            cJSON_DeleteItemFromObjectCaseSensitive(parent, t);
            cJSON_Delete(value);
        } else if (there) {
            cJSON_ReplaceItemInObjectCaseSensitive(parent, t, value);
        } else {
            cJSON_AddItemToObject(parent, t, value);
        }
        return RR_OK;
    }
    const int n = cJSON_GetArraySize(parent), i = array_index(t);
    const bool append = strcmp(t, "-") == 0 || i == n;
    if (!append && (i < 0 || i > n)) {
        cJSON_Delete(value);
        return rr_fail(RR_EINPUT, "%s: \"%s\" is no place in an array of %d; 0 to %d, or - for one more", pointer, t, n, n - 1);
    }
    if (append)
        cJSON_AddItemToArray(parent, value);
    else
        cJSON_ReplaceItemInArray(parent, i, value);
    return RR_OK;
}

// The object or array that holds the last token, which is left in *at; objects that are made take the place of `value`.
static enum rr_status parent_of(cJSON *root, const char *pointer, bool make, const cJSON *value, const char **at, cJSON **ret)
{
    cJSON *node = root;
    for (*at = pointer; strchr(*at + 1, '/');) {
        char *t = token(at);
        cJSON *next = child(node, t);
        enum rr_status st = RR_OK;
        if (!next && cJSON_IsObject(node) && make) {
            next = cJSON_AddObjectToObject(node, t);
            if (next)
                next->valueint = value->valueint;
            else
                st = rr_fail(RR_EINTERNAL, "out of memory");
        } else if (!next && cJSON_IsObject(node)) {
            st = no_such_member(node, t, pointer);
        } else if (!next) {
            st = rr_fail(RR_EINPUT, "%s: there is no \"%s\"", pointer, t);
        }
        free(t);
        RR_TRY(st);
        node = next;
    }
    if (!cJSON_IsObject(node) && !cJSON_IsArray(node))
        return rr_fail(RR_EINPUT, "%s: what holds \"%s\" is neither an object nor an array", pointer, *at + 1);
    *ret = node;
    return RR_OK;
}

static size_t tokens(const char *pointer)
{
    size_t n = 0;
    for (; *pointer; pointer++) n += *pointer == '/';
    return n;
}

enum rr_status rr_json_set(cJSON *root, const char *pointer, bool make, cJSON *value)
{
    enum rr_status st = RR_OK;
    const char *at = pointer;
    cJSON *parent = NULL;
    if (*pointer != '/')
        st = rr_fail(RR_EINPUT, "\"%s\" is no JSON pointer; it starts with /, such as /pools/own/nodes", pointer);
    else if (tokens(pointer) > RR_JSON_DEPTH)
        st = rr_fail(RR_EINPUT, "%.60s...: more than %d levels", pointer, RR_JSON_DEPTH);
    else
        st = parent_of(root, pointer, make, value, &at, &parent);
    if (st != RR_OK) {
        cJSON_Delete(value);
        return st;
    }
    char *t = token(&at);
    st = put(parent, t, pointer, value);
    free(t);
    return st;
}

// Patches `target` (an object) in place.
static void merge_into(cJSON *target, const cJSON *patch)
{
    for (const cJSON *p = patch->child; p; p = p->next) {
        cJSON *old = cJSON_GetObjectItemCaseSensitive(target, p->string);
        if (cJSON_IsNull(p)) {
            cJSON_DeleteItemFromObjectCaseSensitive(target, p->string);
        } else if (cJSON_IsObject(p) && cJSON_IsObject(old)) {
            merge_into(old, p);
        } else {
            cJSON *value = rr_json_merge(NULL, p);
            if (old)
                cJSON_ReplaceItemInObjectCaseSensitive(target, p->string, value);
            else
                cJSON_AddItemToObject(target, p->string, value);
        }
    }
}

cJSON *rr_json_merge(const cJSON *target, const cJSON *patch)
{
    if (!cJSON_IsObject(patch)) return cJSON_Duplicate(patch, true);
    cJSON *result = cJSON_IsObject(target) ? cJSON_Duplicate(target, true) : cJSON_CreateObject();
    if (!result) return NULL;
    if (!cJSON_IsObject(target)) result->valueint = patch->valueint;
    merge_into(result, patch);
    return result;
}

void rr_json_escape(struct rr_buf *b, const char *key)
{
    for (; *key; key++) {
        if (*key == '~' || *key == '/')
            rr_buf_puts(b, *key == '~' ? "~0" : "~1");
        else
            rr_buf_put(b, key, 1);
    }
}
