/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/scenario.c - from a file to its variants: alternatives, sweep points, --values, --set; then each document is read. */
#include "data/scenario.h"
#include "data/base/input.h"
#include "data/base/json_scan.h"
#include "data/register.h"
#include "data/scenario_rows.h"
#include "data/uncertain.h"
#include <stdio.h>
#include <string.h>

#define MOST_VARIANTS 4096

struct setting {      /* --set, or a row of a register */
    const char *from; /* "--set", "register.csv:12" */
    const char *pointer;
    const cJSON *value;
    const char *only; /* variants that it is for, parted by "; "; NULL = all */
    bool applied;
};
struct axis { /* one pointer of "sweep" */
    const char *pointer;
    const cJSON *values;
};
struct loading {
    struct rr_scenario_set set; // first: what the caller gets
    struct rr_reading reading;
    struct rr_spot_kept *spot; // series read so far
    struct rr_books_read books;
    RR_VEC(cJSON *) tree; // all documents, freed with the set
    RR_VEC(struct rr_scenario *) variant;
    struct setting *setting;
    const cJSON **values; // --values, without the keys of the whole study
    size_t n_settings, n_values;
    struct axis *axis;
    size_t n_axes;
    cJSON *root;       // as in set.root
    const cJSON *base; // root without alternatives, sweep and gates
};

static cJSON *keep(struct loading *l, cJSON *tree)
{
    rr_vec_push(&l->tree, tree);
    return tree;
}

/* ---- the file ---- */

static enum rr_status read_text(const char *path, char **ret, char sha256[65])
{
    struct rr_input *in = NULL;
    size_t n = 0;
    RR_TRY(rr_input_open(path, &in));
    enum rr_status st = rr_input_all(in, RR_JSON_MAX, ret, &n);
    if (st == RR_OK) st = rr_input_sha256(in, sha256);
    if (st == RR_OK && strlen(*ret) != n) st = rr_fail(RR_EINPUT, "%s: a NUL byte in a JSON document", path);
    rr_input_close(in);
    return st;
}

static enum rr_status read_root(struct loading *l, const char *path, const char *given)
{
    char *text = NULL;
    cJSON *root = NULL;
    const char *shown = strcmp(path, "-") == 0 ? "stdin" : path;
    enum rr_status st = given ? RR_OK : read_text(path, &text, l->set.sha256);
    if (st == RR_OK) st = rr_json_parse(l->set.json, shown, given ? given : text, false, &root);
    free(text);
    RR_TRY(st);
    l->root = keep(l, root);
    if (cJSON_IsObject(root)) return RR_OK;
    return rr_json_fail(RR_EINPUT, l->set.json, root, "", "%s given; a scenario is an object {...}", rr_param_shown(root, l->set.arena));
}

static const char *folder_of(struct rr_arena *a, const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash) return "";
    return slash == path ? "/" : rr_strndup(a, path, (size_t)(slash - path));
}

static const char *stem_of(struct rr_arena *a, const char *path)
{
    if (strcmp(path, "-") == 0) return "stdin";
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
    return dot && dot > name ? rr_strndup(a, name, (size_t)(dot - name)) : rr_strdup(a, name);
}

/* ---- --values and --set ---- */

static const char *const root_keys[] = {"alternatives", "sweep", "gates"};
#define N_ROOT_KEYS (sizeof root_keys / sizeof *root_keys)

static bool is_one_of(const char *const *words, const char *word)
{
    for (; *words; words++)
        if (strcmp(*words, word) == 0) return true;
    return false;
}

// First reference token of a pointer; no key of a scenario needs an escape.
static const char *first_token(struct rr_arena *a, const char *pointer)
{
    return *pointer == '/' ? rr_strndup(a, pointer + 1, strcspn(pointer + 1, "/")) : "";
}

static enum rr_status read_values(struct loading *l, const struct rr_scenario_options *opt)
{
    l->values = RR_NEWS(l->set.arena, const cJSON *, opt->n_values);
    for (size_t i = 0; i < opt->n_values; i++) {
        cJSON *patch = NULL;
        RR_TRY(rr_json_read(l->set.json, opt->values[i], &patch));
        keep(l, patch);
        if (!cJSON_IsObject(patch)) return rr_json_fail(RR_EINPUT, l->set.json, patch, "", "--values takes a file with an object {...}");
        cJSON *of_root = keep(l, cJSON_CreateObject());
        for (size_t k = 0; k < N_ROOT_KEYS; k++) {
            cJSON *part = cJSON_DetachItemFromObjectCaseSensitive(patch, root_keys[k]);
            if (part) cJSON_AddItemToObject(of_root, root_keys[k], part);
        }
        if (of_root->child) l->root = keep(l, rr_json_merge(l->root, of_root));
        l->values[l->n_values++] = patch;
    }
    return RR_OK;
}

static enum rr_status add_setting(struct loading *l, const char *from, const char *name, const char *pointer, const char *text)
{
    cJSON *value = NULL;
    RR_TRY(rr_json_parse(l->set.json, name, text, true, &value));
    keep(l, value);
    const char *first = first_token(l->set.arena, pointer);
    for (size_t k = 0; k < N_ROOT_KEYS; k++)
        if (strcmp(first, root_keys[k]) == 0) {
            const enum rr_status st = rr_json_set(l->root, pointer, strcmp(first, "sweep") == 0, cJSON_Duplicate(value, true));
            return st == RR_OK ? st : rr_fail_in(st, "%s", from);
        }
    l->setting[l->n_settings++] = (struct setting){.from = from, .pointer = pointer, .value = value};
    return RR_OK;
}

static void put_member(struct rr_buf *b, const char *key, const char *text)
{
    if (*text == '\0') return;
    rr_buf_putf(b, ", \"%s\": ", key);
    rr_buf_json(b, text);
}

/* A cell as JSON: what is none is a text. */
static void put_value(struct rr_buf *b, const char *text)
{
    cJSON *node = cJSON_ParseWithOpts(text, NULL, true);
    if (node)
        rr_buf_puts(b, text);
    else
        rr_buf_json(b, text);
    cJSON_Delete(node);
}

/* The uncertain input of that pointer which the scenario has already, or NULL. */
static const cJSON *varied(const struct loading *l, const char *pointer)
{
    const cJSON *all = rr_json_member(l->root, "uncertainty");
    for (const cJSON *m = all ? all->child : NULL; m; m = m->next) {
        const cJSON *path = rr_json_member(m, "path");
        if (cJSON_IsString(path) && strcmp(path->valuestring, pointer) == 0) return m;
    }
    return NULL;
}

/* {"path": ..., "triangular": [low, mode, high]}, correlated as before. */
static enum rr_status add_range(struct loading *l, const char *from, const struct rr_register_row *r)
{
    struct rr_arena *a = l->set.arena;
    const cJSON *before = varied(l, r->pointer), *correlation = before ? rr_json_member(before, "correlation") : NULL;
    char *name = rr_strdup(a, before ? before->string : r->pointer + 1), *kept = correlation ? cJSON_PrintUnformatted(correlation) : NULL;
    for (char *c = name; *c && !before; c++)
        if (*c == '/') *c = ' ';
    struct rr_buf b = {0};
    rr_buf_puts(&b, "{\"path\": ");
    rr_buf_json(&b, r->pointer);
    rr_buf_puts(&b, ", \"triangular\": [");
    put_value(&b, r->low);
    rr_buf_puts(&b, ", ");
    put_value(&b, *r->mode ? r->mode : r->value);
    rr_buf_puts(&b, ", ");
    put_value(&b, r->high);
    rr_buf_puts(&b, "]");
    if (kept) rr_buf_putf(&b, ", \"correlation\": %s", kept);
    rr_buf_puts(&b, "}");
    cJSON_free(kept);
    const enum rr_status st = add_setting(l, from, from, rr_pointer_join(a, "/uncertainty", name), rr_buf_text(&b));
    rr_buf_done(&b);
    return st;
}

/* A row of a register is a value with its source, and an uncertain input when it has a range. */
static enum rr_status add_register_row(struct loading *l, const char *path, const struct rr_register_row *r)
{
    struct rr_arena *a = l->set.arena;
    const char *from = rr_strf(a, "%s:%lld", path, (long long)r->line);
    const size_t first = l->n_settings;
    struct rr_buf b = {0};
    if (r->unchanged) return RR_OK;
    if (*r->low == '\0' && varied(l, r->pointer))
        return rr_fail(RR_EINPUT, "%s: %s varies in the scenario (\"%s\"): give \"low\" and \"high\" too", from, r->pointer,
                       varied(l, r->pointer)->string);
    rr_buf_puts(&b, "{\"value\": ");
    put_value(&b, r->value);
    put_member(&b, "source", r->source);
    put_member(&b, "owner", r->owner);
    put_member(&b, "as_of", r->as_of);
    rr_buf_puts(&b, "}");
    const enum rr_status st = add_setting(l, from, from, r->pointer, rr_buf_text(&b));
    rr_buf_done(&b);
    RR_TRY(st);
    if (*r->alternatives && rr_json_member(l->root, "alternatives") && l->n_settings > first) l->setting[first].only = r->alternatives;
    return *r->low ? add_range(l, from, r) : RR_OK;
}

bool rr_plan_has_row(const struct rr_registry *reg, const cJSON *document, const char *pointer, struct rr_arena *a)
{
    const char *last = strrchr(pointer, '/');
    const cJSON *object = rr_json_at(document, rr_strndup(a, pointer, (size_t)(last - pointer)));
    const cJSON *type = rr_json_member(object, "type");
    const struct rr_kind *kind = cJSON_IsString(type) ? rr_kind_find(reg->plans, type->valuestring) : NULL;
    for (size_t i = 0; kind && i < kind->n_params; i++)
        if (strcmp(kind->params[i].name, last + 1) == 0) return true;
    return kind == NULL;
}

static enum rr_status read_settings(struct loading *l, const struct rr_scenario_options *opt)
{
    struct rr_arena *a = l->set.arena;
    struct rr_register *reg = RR_NEWS(a, struct rr_register, opt->n_registers + 1);
    size_t n_rows = 0;
    for (size_t i = 0; i < opt->n_registers; i++) {
        RR_TRY(rr_register_read(opt->registers[i], a, &reg[i]));
        n_rows += reg[i].n;
    }
    l->setting = RR_NEWS(a, struct setting, opt->n_set + 2 * n_rows + 2);
    for (size_t i = 0; i < opt->n_registers; i++)
        for (size_t k = 0; k < reg[i].n; k++) RR_TRY(add_register_row(l, reg[i].path, &reg[i].row[k]));
    for (size_t i = 0; i < opt->n_set; i++) {
        const char *equals = strchr(opt->set[i], '=');
        if (!equals || *opt->set[i] != '/')
            return rr_fail(RR_EUSAGE, "--set %s: POINTER=VALUE is expected, such as /pools/own/nodes=4", opt->set[i]);
        const char *pointer = rr_strndup(a, opt->set[i], (size_t)(equals - opt->set[i]));
        RR_TRY(add_setting(l, "--set", rr_strf(a, "--set %s", pointer), pointer, equals + 1));
    }
    if (opt->seed >= 0) RR_TRY(add_setting(l, "--set", "--seed", "/seed", rr_strf(a, "%lld", (long long)opt->seed)));
    if (opt->reps >= 0) RR_TRY(add_setting(l, "--set", "--reps", "/replications", rr_strf(a, "%lld", (long long)opt->reps)));
    return RR_OK;
}

bool rr_pointer_is_for(struct rr_arena *a, const cJSON *document, const char *pointer)
{
    if (!is_one_of(rr_named_sections, first_token(a, pointer))) return true;
    const char *second = strchr(pointer + 1, '/'), *third = second ? strchr(second + 1, '/') : NULL;
    return !third || rr_json_at(document, rr_strndup(a, pointer, (size_t)(third - pointer))) != NULL;
}

bool rr_scenario_has_part(const cJSON *document, const char *pointer, struct rr_arena *a)
{
    return rr_pointer_is_for(a, document, pointer);
}

/* One of the names in a list parted by "; ". */
static bool names(const char *list, const char *variant)
{
    const size_t n = strlen(variant);
    for (const char *at = list; at; at = strstr(at, "; ") ? strstr(at, "; ") + 2 : NULL)
        if (strncmp(at, variant, n) == 0 && (at[n] == '\0' || strncmp(at + n, "; ", 2) == 0)) return true;
    return false;
}

static enum rr_status apply_settings(struct loading *l, const char *variant, cJSON *document)
{
    for (size_t i = 0; i < l->n_settings; i++) {
        struct setting *s = &l->setting[i];
        if (!rr_pointer_is_for(l->set.arena, document, s->pointer) || (s->only && !names(s->only, variant))) continue;
        if (s->from[0] != '-' && !rr_plan_has_row(l->reading.reg, document, s->pointer, l->set.arena)) continue;
        s->applied = true;
        const enum rr_status st = rr_json_set(document, s->pointer, true, cJSON_Duplicate(s->value, true));
        if (st != RR_OK) return rr_fail_in(st, "%s", s->from);
    }
    return RR_OK;
}

static enum rr_status all_applied(const struct loading *l)
{
    for (size_t i = 0; i < l->n_settings; i++) {
        if (l->setting[i].applied) continue;
        cJSON *copy = cJSON_Duplicate(l->base, true);
        enum rr_status st = rr_json_set(copy, l->setting[i].pointer, false, cJSON_CreateTrue());
        cJSON_Delete(copy);
        if (st == RR_OK) st = rr_fail(RR_EINPUT, "%s: no alternative has it", l->setting[i].pointer);
        return rr_fail_in(st, "%s", l->setting[i].from);
    }
    return RR_OK;
}

/* ---- sweep ---- */

static const char *value_name(struct rr_arena *a, const cJSON *node)
{
    const cJSON *v = rr_param_unwrap(node);
    if (cJSON_IsString(v)) return v->valuestring;
    if (cJSON_IsNumber(v) && v->valuestring) return v->valuestring;
    char *text = cJSON_PrintUnformatted(v);
    const char *name = rr_strdup(a, text ? text : "?");
    cJSON_free(text);
    return name;
}

static enum rr_status check_axis(const struct loading *l, const cJSON *m)
{
    const struct rr_json *json = l->set.json;
    struct rr_arena *a = l->set.arena;
    const char *pointer = rr_pointer_join(a, "/sweep", m->string);
    if (*m->string != '/') return rr_json_fail_key(RR_EINPUT, json, m, pointer, "a JSON pointer is expected, such as \"/pools/own/nodes\"");
    if (is_one_of(rr_study_keys, first_token(a, m->string)))
        return rr_json_fail_key(RR_EINPUT, json, m, pointer, "\"%s\" is the same for the whole study", first_token(a, m->string));
    if (!cJSON_IsArray(m) || !m->child) return rr_json_fail(RR_EINPUT, json, m, pointer, "a list of values is expected, such as [2, 4, 8]");
    for (const cJSON *x = m->child; x; x = x->next)
        for (const cJSON *y = m->child; y != x; y = y->next)
            if (strcmp(value_name(a, x), value_name(a, y)) == 0)
                return rr_json_fail(RR_EINPUT, json, x, pointer, "%s stands twice", rr_param_shown(x, a));
    for (size_t i = 0; i < l->n_settings; i++)
        if (strcmp(l->setting[i].pointer, m->string) == 0)
            return rr_json_fail(RR_EINPUT, json, m, pointer, "it is swept and given by --set as well; give one of them");
    for (size_t i = 0; i < l->n_values; i++)
        if (rr_json_at(l->values[i], m->string))
            return rr_json_fail(RR_EINPUT, json, m, pointer, "it is swept and given by --values as well; give one of them");
    return RR_OK;
}

static enum rr_status read_sweep(struct loading *l)
{
    const cJSON *sweep = rr_json_member(l->root, "sweep");
    if (!sweep) return RR_OK;
    if (!cJSON_IsObject(sweep))
        return rr_json_fail(RR_EINPUT, l->set.json, sweep, "/sweep",
                            "values by pointer are expected, such as {\"/pools/own/nodes\": [2, 4, 8]}");
    l->axis = RR_NEWS(l->set.arena, struct axis, (size_t)cJSON_GetArraySize(sweep));
    double points = 1;
    for (const cJSON *m = sweep->child; m; m = m->next) {
        points *= cJSON_GetArraySize(m);
        if (points > MOST_VARIANTS) return rr_json_fail(RR_EINPUT, l->set.json, sweep, "/sweep", "more than %d points", MOST_VARIANTS);
        RR_TRY(check_axis(l, m));
        l->axis[l->n_axes++] = (struct axis){m->string, m};
    }
    return RR_OK;
}

/* ---- variants ---- */

static struct rr_scenario *new_variant(struct loading *l, const cJSON *document, const char *alternative, const char *name)
{
    struct rr_scenario *s = RR_NEW(l->set.arena, struct rr_scenario);
    s->variant = name;
    s->alternative = alternative;
    s->document = document;
    s->json = l->set.json;
    s->notes.arena = l->set.arena;
    return s;
}

static enum rr_status last_changes(struct loading *l, const char *variant, cJSON **document)
{
    for (size_t i = 0; i < l->n_values; i++) *document = keep(l, rr_json_merge(*document, l->values[i]));
    return apply_settings(l, variant, *document);
}

// Is it the patch that brought this about, or would the scenario without it be refused for the same reason?
static bool is_of_the_base(struct loading *l, const char *reason)
{
    cJSON *document = keep(l, cJSON_Duplicate(l->base, true));
    if (last_changes(l, "base", &document) != RR_OK) return false;
    struct rr_scenario *s = new_variant(l, document, "base", "base");
    const bool refused = rr_scenario_read(&l->reading, document, s) != RR_OK && strcmp(rr_reason(), reason) == 0;
    rr_notes_done(&s->notes);
    return refused;
}

// "...: /pools/own/plan/price: unknown key ...": does the base have it, so that it only fits the patched neighbours no more?
static bool is_left_over(const struct loading *l, const char *reason)
{
    const char *at = strstr(reason, ": /"), *end = strstr(reason, ": unknown key ");
    return at && end && at < end && rr_json_at(l->base, rr_strndup(l->set.arena, at + 2, (size_t)(end - at - 2)));
}

// A reason about one of several alternatives says which.
static enum rr_status in_alternative(struct loading *l, enum rr_status st, const char *variant)
{
    if (!rr_json_member(l->root, "alternatives") && l->n_axes == 0) return st;
    const char *reason = rr_strdup(l->set.arena, rr_reason());
    if (is_of_the_base(l, reason)) return rr_fail(st, "%s", reason);
    return rr_fail(st, "%s (in alternative \"%s\"%s)", reason, variant,
                   is_left_over(l, reason) ? "; a patch keeps what it does not name: set to null what must go" : "");
}

static enum rr_status add_variant(struct loading *l, cJSON *document, const char *alternative, const char *name)
{
    for (size_t i = 0; i < l->variant.n; i++)
        if (strcmp(l->variant.at[i]->variant, name) == 0)
            return rr_json_fail(RR_EINPUT, l->set.json, rr_json_member(l->root, "alternatives"), "/alternatives", "\"%s\" stands twice",
                                name);
    RR_TRY(last_changes(l, name, &document));
    struct rr_scenario *s = new_variant(l, document, alternative, name);
    const enum rr_status st = rr_scenario_read(&l->reading, document, s);
    if (st != RR_OK) {
        rr_notes_done(&s->notes);
        return in_alternative(l, st, name);
    }
    if (!s->name) s->name = stem_of(l->set.arena, l->set.path);
    rr_vec_push(&l->variant, s);
    return RR_OK;
}

// One point of the product: at[i] is the value of axis i. Axes that this alternative lacks have `used` false.
static enum rr_status add_point(struct loading *l, const cJSON *document, const char *alternative, const bool *used, const int *at)
{
    struct rr_arena *a = l->set.arena;
    cJSON *copy = keep(l, cJSON_Duplicate(document, true));
    struct rr_buf name = {0};
    rr_buf_puts(&name, alternative);
    bool any = false;
    enum rr_status st = RR_OK;
    for (size_t i = 0; i < l->n_axes && st == RR_OK; i++) {
        if (!used[i]) continue;
        const cJSON *value = cJSON_GetArrayItem(l->axis[i].values, at[i]);
        rr_buf_putf(&name, "%s%s=%s", any ? "," : "[", l->axis[i].pointer, value_name(a, value));
        any = true;
        st = rr_json_set(copy, l->axis[i].pointer, true, cJSON_Duplicate(value, true));
        if (st != RR_OK) st = rr_fail_in(st, "%s: /sweep", rr_json_where_key(l->set.json, l->axis[i].values, a));
    }
    if (any) rr_buf_puts(&name, "]");
    const char *variant = rr_strdup(a, rr_buf_text(&name));
    rr_buf_done(&name);
    return st == RR_OK ? add_variant(l, copy, alternative, variant) : st;
}

static enum rr_status add_points(struct loading *l, const cJSON *document, const char *alternative)
{
    struct rr_arena *a = l->set.arena;
    bool *used = RR_NEWS(a, bool, l->n_axes);
    int *at = RR_NEWS(a, int, l->n_axes);
    for (size_t i = 0; i < l->n_axes; i++) used[i] = rr_pointer_is_for(a, document, l->axis[i].pointer);
    for (;;) {
        if (l->variant.n == MOST_VARIANTS)
            return rr_fail(RR_EINPUT, "%s: more than %d alternatives and sweep points", l->set.path, MOST_VARIANTS);
        RR_TRY(add_point(l, document, alternative, used, at));
        size_t i = l->n_axes; // the last axis runs fastest
        while (i > 0 && (!used[i - 1] || ++at[i - 1] == cJSON_GetArraySize(l->axis[i - 1].values))) at[--i] = 0;
        if (i == 0) return RR_OK;
    }
}

// An axis that no alternative has is a mistyped pointer.
static enum rr_status check_axes(const struct loading *l)
{
    for (size_t i = 0; i < l->n_axes; i++) {
        bool any = false;
        for (size_t v = 0; v < l->variant.n && !any; v++)
            any = rr_pointer_is_for(l->set.arena, l->variant.at[v]->document, l->axis[i].pointer);
        if (any) continue;
        cJSON *copy = cJSON_Duplicate(l->base, true);
        enum rr_status st = rr_json_set(copy, l->axis[i].pointer, false, cJSON_CreateTrue());
        cJSON_Delete(copy);
        if (st == RR_OK) st = rr_fail(RR_EINPUT, "%s: no alternative has it", l->axis[i].pointer);
        return rr_fail_in(st, "%s: /sweep", rr_json_where_key(l->set.json, l->axis[i].values, l->set.arena));
    }
    return RR_OK;
}

static enum rr_status add_alternative(struct loading *l, const cJSON *patch)
{
    const char *pointer = rr_pointer_join(l->set.arena, "/alternatives", patch->string);
    RR_TRY(rr_named(&l->reading, patch, pointer));
    for (const cJSON *m = patch->child; m; m = m->next)
        if (is_one_of(rr_study_keys, m->string))
            return rr_json_fail_key(RR_EINPUT, l->set.json, m, rr_pointer_join(l->set.arena, pointer, m->string),
                                    "\"%s\" is the same for all alternatives; put it at the top of the scenario", m->string);
    return add_points(l, keep(l, rr_json_merge(l->base, patch)), patch->string);
}

static enum rr_status make_variants(struct loading *l)
{
    cJSON *base = keep(l, cJSON_Duplicate(l->root, true));
    for (size_t k = 0; k < N_ROOT_KEYS; k++) cJSON_DeleteItemFromObjectCaseSensitive(base, root_keys[k]);
    l->base = base;
    RR_TRY(read_sweep(l));
    const cJSON *alternatives = rr_json_member(l->root, "alternatives");
    if (alternatives && !cJSON_IsObject(alternatives))
        return rr_json_fail(RR_EINPUT, l->set.json, alternatives, "/alternatives",
                            "patches by name are expected, such as {\"buy\": {...}}");
    if (!alternatives || !alternatives->child) RR_TRY(add_points(l, base, "base"));
    for (const cJSON *m = alternatives ? alternatives->child : NULL; m; m = m->next) RR_TRY(add_alternative(l, m));
    RR_TRY(check_axes(l));
    RR_TRY(all_applied(l));
    l->set.variant = RR_NEWS(l->set.arena, struct rr_scenario *, l->variant.n);
    memcpy(l->set.variant, l->variant.at, l->variant.n * sizeof *l->variant.at);
    l->set.n_variants = l->variant.n;
    return RR_OK;
}

/* ---- the whole ---- */

// What is held to the end costs by the end: with several ends, the one that is meant must be written (DESIGN.md section 4).
static enum rr_status check_horizon(const struct loading *l)
{
    const struct rr_scenario_set *set = &l->set;
    if (set->n_variants == 1 && set->variant[0]->replications == 1) return RR_OK;
    for (size_t v = 0; v < set->n_variants; v++) {
        const struct rr_scenario *s = set->variant[v];
        if (s->has_horizon) continue;
        const char *held = s->n_commitments ? s->commitment[0].pointer : NULL;
        for (size_t p = 0; p < s->n_pools; p++)
            if (s->pool[p].plan && s->pool[p].nodes_min > 0) held = s->pool[p].pointer;
        if (held)
            return rr_json_fail(
                RR_EINPUT, set->json, s->document, "/horizon",
                "\"horizon\" is missing: %s is paid up to the end, and that differs between alternatives or replications; add "
                "such as \"horizon\": \"90 days\"",
                held);
    }
    return RR_OK;
}

static enum rr_status find_baseline(struct loading *l)
{
    struct rr_scenario_set *set = &l->set;
    const char *name = set->variant[0]->baseline;
    set->baseline = set->variant[0]->variant;
    if (!name) return RR_OK;
    const char **words = RR_NEWS(set->arena, const char *, set->n_variants);
    for (size_t i = 0; i < set->n_variants; i++) {
        words[i] = set->variant[i]->alternative;
        if (strcmp(name, words[i]) != 0 && strcmp(name, set->variant[i]->variant) != 0) continue;
        set->baseline = set->variant[i]->variant;
        return RR_OK;
    }
    return rr_json_fail(RR_EINPUT, set->json, rr_json_member(set->variant[0]->document, "baseline"), "/baseline",
                        "there is no alternative \"%.64s\"%s", name, rr_did_you_mean(set->arena, name, words, set->n_variants));
}

// What varies may be given by nothing else, and some alternative must have it.
static enum rr_status check_input(const struct loading *l, const struct rr_uncertain *x)
{
    const struct rr_scenario_set *set = &l->set;
    const char *by = NULL;
    bool any = false;
    for (size_t i = 0; i < l->n_axes; i++)
        if (strcmp(l->axis[i].pointer, x->path) == 0) by = "swept";
    for (size_t i = 0; i < l->n_settings; i++)
        if (strcmp(l->setting[i].pointer, x->path) == 0 && l->setting[i].from[0] == '-') by = "given by --set";
    if (by)
        return rr_json_fail_key(RR_EINPUT, set->json, x->json, x->pointer, "%s is %s as well; take one of them out (--set '%s=null')",
                                x->path, by, x->pointer);
    for (size_t v = 0; v < set->n_variants; v++) any |= rr_pointer_is_for(set->arena, set->variant[v]->document, x->path);
    if (any) return RR_OK;
    cJSON *copy = cJSON_Duplicate(l->base, true);
    enum rr_status st = rr_json_set(copy, x->path, false, cJSON_CreateTrue());
    cJSON_Delete(copy);
    if (st == RR_OK) st = rr_fail(RR_EINPUT, "%s: no alternative has it", x->path);
    return rr_fail_in(st, "%s: %s", rr_json_where_key(set->json, x->json, set->arena), x->pointer);
}

static enum rr_status read_study(struct loading *l)
{
    struct rr_scenario_set *set = &l->set;
    RR_TRY(rr_profiles_check(&l->reading, set));
    RR_TRY(rr_until_read(&l->reading, set->variant[0]->until_json, set));
    RR_TRY(rr_uncertainty_read(&l->reading, set->variant[0]->uncertainty_json, set));
    if (!set->uncertainty) return RR_OK;
    for (size_t i = 0; i < set->uncertainty->n; i++) RR_TRY(check_input(l, &set->uncertainty->input[i]));
    struct rr_arena *scratch = rr_arena_create();
    enum rr_status st = RR_OK;
    for (size_t v = 0; v < set->n_variants && st == RR_OK; v++) {
        st = rr_uncertainty_try(set, set->variant[v], scratch);
        rr_arena_reset(scratch);
    }
    rr_arena_free(scratch);
    return st;
}

static enum rr_status check_name(const struct loading *l)
{
    const char *name = l->set.variant[0]->name;
    const size_t n = strlen(name);
    bool control = false;
    for (const char *c = name; *c; c++) control |= (unsigned char)*c < 0x20 || *c == 0x7f;
    if (n > 0 && n <= 200 && !control) return RR_OK;
    return rr_json_fail(RR_EINPUT, l->set.json, rr_json_member(l->set.variant[0]->document, "name"), "/name",
                        "a name of 1 to 200 bytes without control characters is expected");
}

static enum rr_status load(struct loading *l, const char *path, const struct rr_scenario_options *opt)
{
    RR_TRY(read_root(l, path, opt->text));
    RR_TRY(read_values(l, opt));
    RR_TRY(read_settings(l, opt));
    l->set.root = l->root;
    RR_TRY(make_variants(l));
    RR_TRY(check_name(l));
    l->set.name = l->set.variant[0]->name;
    RR_TRY(check_horizon(l));
    RR_TRY(find_baseline(l));
    RR_TRY(read_study(l));
    return rr_gates_read(&l->reading, rr_json_member(l->root, "gates"), &l->set);
}

enum rr_status rr_scenario_load(const char *path, const struct rr_scenario_options *opt, const struct rr_registry *reg,
                                const struct rr_catalog *catalog, struct rr_scenario_set **ret)
{
    static const struct rr_scenario_options none = {.seed = -1, .reps = -1};
    if (!opt) opt = &none;
    struct rr_arena *a = rr_arena_create();
    struct loading *l = rr_xrealloc(NULL, 1, sizeof *l);
    *l = (struct loading){.set = {.arena = a, .json = rr_json_create(), .path = rr_strdup(a, path), .notes.arena = a}};
    l->reading = (struct rr_reading){
        {l->set.json, a, folder_of(a, path), opt->any_path, &l->spot, false}, reg, catalog, opt->any_path, false, &l->books, NULL};
    l->reading.any_path |= opt->priced_only;
    l->reading.priced = opt->priced_only;
    l->set.reading = &l->reading;
    l->set.catalog = catalog;
    const enum rr_status st = load(l, path, opt);
    if (st != RR_OK) {
        rr_scenario_set_free(&l->set);
        return st;
    }
    *ret = &l->set;
    return RR_OK;
}

void rr_scenario_set_free(struct rr_scenario_set *s)
{
    if (!s) return;
    struct loading *l = (struct loading *)s;
    for (size_t i = 0; i < l->variant.n; i++) rr_notes_done(&l->variant.at[i]->notes);
    for (size_t i = 0; i < l->tree.n; i++) cJSON_Delete(l->tree.at[i]);
    rr_vec_done(&l->books.list);
    rr_vec_done(&l->tree);
    rr_vec_done(&l->variant);
    rr_notes_done(&s->notes);
    rr_json_free(s->json);
    rr_arena_free(s->arena);
    free(l);
}

/* ---- currencies ---- */

static enum rr_status convert(const struct rr_scenario *s, int64_t in, const char *currency, int64_t *ret)
{
    if (strcmp(currency, s->currency) == 0 || (in == 0 && !*currency)) {
        *ret = in;
        return RR_OK;
    }
    for (size_t i = 0; i < s->n_fx; i++)
        if (strcmp(s->fx[i].from, currency) == 0) return rr_round_div((rr_i128)in * s->fx[i].rate_nano, 1000000000, ret);
    return rr_fail(RR_EINPUT,
                   "no rate for %s in /fx; add what 1 %s is worth in %s and when, such as \"fx\": {\"%s\": {\"rate\": 1.08, \"date\": "
                   "\"2026-01-02\", \"source\": \"...\"}}",
                   currency, currency, s->currency, currency);
}

enum rr_status rr_scenario_money(const struct rr_scenario *s, struct rr_amount in, struct rr_money *ret)
{
    return convert(s, in.money.micro, in.currency, &ret->micro);
}

enum rr_status rr_scenario_rate(const struct rr_scenario *s, struct rr_price in, struct rr_rate *ret)
{
    int64_t nano;
    RR_TRY(convert(s, in.rate.nano, in.currency, &nano));
    *ret = (struct rr_rate){nano, in.rate.per, in.rate.time};
    return RR_OK;
}
