/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/scenario_uncertain.c - "uncertainty" and "until": what varies over replications, and when there are enough of them. */
#include "data/param_field.h"
#include "data/scenario_rows.h"
#include "data/uncertain.h"
#include <stdio.h>
#include <string.h>

#define AT(type, field) offsetof(struct type, field)
#define ROWS(table)     table, sizeof table / sizeof *table

static const struct rr_param input[] = {
    {.name = "path",
     .type = RR_P_TEXT,
     .offset = AT(rr_uncertain, path),
     .help = "JSON pointer of the value that varies, such as \"/finance/electricity\"",
     .flags = RR_PF_REQUIRED},
    {.name = "whole",
     .type = RR_P_BOOL,
     .offset = AT(rr_uncertain, whole),
     .def = "false",
     .help = "round sampled values to whole numbers, such as of nodes"},
    {.name = "correlation",
     .type = RR_P_OBJECT,
     .offset = AT(rr_uncertain, correlation_json),
     .help = "with other inputs, such as {\"demand\": 0.6}: of the normal numbers of a Gaussian copula"},
};
static const char *const distributions[] = {"uniform", "triangular", "normal",    "lognormal", "exponential",
                                            "weibull", "choice",     "empirical", NULL};
const struct rr_rows rr_rows_uncertain = {ROWS(input), distributions};

static const struct rr_param until[] = {
    {.name = "metric",
     .type = RR_P_TEXT,
     .offset = AT(rr_until, metric_name),
     .help = "a metric, such as \"cost.total\"",
     .flags = RR_PF_REQUIRED},
    {.name = "half_width",
     .type = RR_P_SHARE,
     .offset = AT(rr_until, half_width),
     .least = 1e-6,
     .most = 1,
     .help = "half width of the 95 % confidence interval of its mean, as a share of the mean, such as \"1 %\"",
     .flags = RR_PF_REQUIRED},
    {.name = "alternative",
     .type = RR_P_TEXT,
     .offset = AT(rr_until, alternative),
     .help = "alternative that it is about; all when absent"},
};
const struct rr_rows rr_rows_until = {ROWS(until), NULL};

/* ---- numbers with a unit ---- */

struct unit {
    bool any, text;
    const char *before, *after;
    int decimals;
};

static bool digit(char c) { return c >= '0' && c <= '9'; }

// "$1,200.5/h": "$", 1200.5, "/h". False when there is not exactly one number.
static bool split(const char *text, struct rr_arena *a, struct unit *ret, char number[64])
{
    size_t from = 0, n = 0;
    while (text[from] && !digit(text[from]) && !(strchr("-.", text[from]) && digit(text[from + 1]))) from++;
    size_t to = from;
    if (text[to] == '-') number[n++] = text[to++];
    bool point = false;
    ret->decimals = 0;
    for (; digit(text[to]) || (digit(text[to + 1]) && (text[to] == ',' || (text[to] == '.' && !point))); to++) {
        point |= text[to] == '.';
        if (text[to] != ',' && n < 40) number[n++] = text[to];
        ret->decimals += point && text[to] != '.';
    }
    number[n] = '\0';
    ret->before = rr_strndup(a, text, from);
    ret->after = rr_strdup(a, text + to);
    for (const char *c = ret->after; *c; c++)
        if (digit(*c)) return false;
    return n > 0 && n < 40;
}

static enum rr_status one_unit(const struct rr_reading *r, cJSON *m, const char *pointer, struct unit *u)
{
    struct unit own = {.text = cJSON_IsString(m), .before = "", .after = ""};
    char number[64];
    if (!own.text && !cJSON_IsNumber(m))
        return rr_json_fail(RR_EINPUT, r->param.json, m, pointer, "%s given; a number or a text with one number and its unit is expected",
                            rr_param_shown(m, r->param.arena));
    if (own.text && !split(m->valuestring, r->param.arena, &own, number))
        return rr_json_fail(RR_EINPUT, r->param.json, m, pointer, "%s given; one number and its unit are expected, such as \"$0.08/kWh\"",
                            rr_param_shown(m, r->param.arena));
    if (u->any && (own.text != u->text || strcmp(own.before, u->before) != 0 || strcmp(own.after, u->after) != 0))
        return rr_json_fail(RR_EINPUT, r->param.json, m, pointer, "%s has another unit than the value before it; all have the same one",
                            rr_param_shown(m, r->param.arena));
    if (own.decimals < u->decimals) own.decimals = u->decimals;
    own.any = true;
    *u = own;
    if (!own.text) return RR_OK;
    m->type = cJSON_Number; // in place: the reader of distributions takes plain numbers
    double v = 0;
    RR_TRY(rr_text_double(rr_slice(number, strlen(number)), &v));
    m->valuedouble = v;
    strcpy(m->valuestring, number); // never longer than it was
    return RR_OK;
}

static bool plain_member(const cJSON *m) { return m->string && (strcmp(m->string, "sigma") == 0 || strcmp(m->string, "shape") == 0); }

/* ---- one input ---- */

static bool json_number(const char *text)
{
    double v;
    return rr_text_double(rr_slice(text, strlen(text)), &v) == RR_OK;
}

// Values as they are written; the distribution is over their places.
static enum rr_status take_choices(const struct rr_reading *r, cJSON *copy, struct rr_uncertain *x)
{
    struct rr_arena *a = r->param.arena;
    if (!cJSON_IsObject(copy) || !copy->child) return RR_OK; // the reader says what is wrong
    const char **choices = RR_NEWS(a, const char *, (size_t)cJSON_GetArraySize(copy));
    size_t n = 0, numbers = 0;
    for (cJSON *m = copy->child; m; m = m->next) {
        choices[n] = rr_strdup(a, m->string);
        numbers += json_number(m->string);
        char place[24];
        const size_t size = (size_t)snprintf(place, sizeof place, "%zu", n++) + 1;
        cJSON_free(m->string);
        m->string = memcpy(rr_xrealloc(NULL, size, 1), place, size);
    }
    if (numbers != 0 && numbers != n)
        return rr_json_fail(RR_EINPUT, r->param.json, copy, x->pointer, "numbers and texts are mixed; all values have the same unit");
    x->text = numbers == 0;
    x->choice = choices;
    return RR_OK;
}

static enum rr_status take_numbers(const struct rr_reading *r, cJSON *copy, struct rr_uncertain *x)
{
    struct unit u = {.before = "", .after = ""};
    for (cJSON *m = copy->child; m; m = m->next)
        if (!plain_member(m)) RR_TRY(one_unit(r, m, x->pointer, &u));
    x->text = u.text;
    x->before = u.before;
    x->after = u.after;
    x->decimals = u.decimals + 4 < 6 ? 6 : u.decimals + 4 > 9 ? 9 : u.decimals + 4; // money has 6, rates 9
    return RR_OK;
}

static enum rr_status read_distribution(const struct rr_reading *r, const cJSON *node, struct rr_uncertain *x)
{
    for (const cJSON *m = node->child; m; m = m->next) {
        bool is = false;
        for (size_t i = 0; distributions[i]; i++) is |= strcmp(distributions[i], m->string) == 0;
        if (!is) continue;
        if (x->json)
            return rr_json_fail_key(RR_EINPUT, r->param.json, m, x->pointer, "a second distribution, \"%s\" beside \"%s\"; one is expected",
                                    m->string, x->json->string);
        x->json = m;
    }
    if (!x->json)
        return rr_json_fail(RR_EINPUT, r->param.json, node, x->pointer,
                            "a distribution is missing: uniform, triangular, normal, lognormal, exponential, weibull or choice, such as "
                            "\"triangular\": [\"$0.06/kWh\", \"$0.08/kWh\", \"$0.14/kWh\"]");
    static const struct rr_param row = {.name = "", .type = RR_P_DIST_REAL};
    cJSON *object = cJSON_CreateObject(), *copy = cJSON_Duplicate(x->json, true);
    cJSON_AddItemToObject(object, x->json->string, copy);
    const bool is_choice = strcmp(x->json->string, "choice") == 0;
    enum rr_status st = is_choice ? take_choices(r, copy, x) : take_numbers(r, copy, x);
    const struct rr_field f = {&r->param, &row, object, rr_pointer_join(r->param.arena, x->pointer, x->json->string)};
    if (st == RR_OK) st = rr_field_dist(&f, false, &x->dist);
    cJSON_Delete(object);
    return st;
}

static enum rr_status check_path(const struct rr_reading *r, const cJSON *node, const struct rr_uncertain *x)
{
    static const char *const of_workload[] = {"load_scale", "time_scale", "generate", NULL};
    struct rr_arena *a = r->param.arena;
    const cJSON *at = rr_param_unwrap(rr_json_member(node, "path"));
    const char *pointer = rr_pointer_join(a, x->pointer, "path");
    if (*x->path != '/')
        return rr_json_fail(RR_EINPUT, r->param.json, at, pointer, "%s given; a JSON pointer is expected, such as \"/finance/electricity\"",
                            rr_param_shown(at, a));
    const char *first = rr_strndup(a, x->path + 1, strcspn(x->path + 1, "/"));
    for (size_t i = 0; rr_study_keys[i]; i++)
        if (strcmp(first, rr_study_keys[i]) == 0)
            return rr_json_fail(RR_EINPUT, r->param.json, at, pointer, "\"%s\" is the same for the whole study", first);
    const char *name = strcmp(first, "workload") == 0 ? strchr(x->path + 1, '/') : NULL, *key = name ? strchr(name + 1, '/') : NULL;
    if (strcmp(first, "workload") != 0) return RR_OK;
    for (size_t i = 0; key && of_workload[i]; i++)
        if (strcmp(rr_strndup(a, key + 1, strcspn(key + 1, "/")), of_workload[i]) == 0) return RR_OK;
    return rr_json_fail(RR_EINPUT, r->param.json, at, pointer,
                        "of a workload, load_scale, time_scale and numbers of \"generate\" may vary; its trace is read once");
}

static enum rr_status read_input(const struct rr_reading *r, const cJSON *node, struct rr_uncertain *x)
{
    x->name = rr_strdup(r->param.arena, node->string);
    x->pointer = rr_pointer_join(r->param.arena, "/uncertainty", node->string);
    RR_TRY(rr_named(r, node, x->pointer));
    RR_TRY(rr_rows_read(r, &rr_rows_uncertain, node, x->pointer, x));
    RR_TRY(check_path(r, node, x));
    return read_distribution(r, node, x);
}

/* ---- correlations ---- */

static enum rr_status find_input(const struct rr_reading *r, const cJSON *m, const char *pointer, const struct rr_uncertainty *u,
                                 size_t *ret)
{
    const char **names = RR_NEWS(r->param.arena, const char *, u->n);
    for (size_t i = 0; i < u->n; i++) {
        names[i] = u->input[i].name;
        if (strcmp(names[i], m->string) != 0) continue;
        *ret = i;
        return RR_OK;
    }
    return rr_json_fail_key(RR_EINPUT, r->param.json, m, pointer, "there is no uncertain input \"%.64s\"%s", m->string,
                            rr_did_you_mean(r->param.arena, m->string, names, u->n));
}

static enum rr_status read_correlation(const struct rr_reading *r, size_t i, struct rr_uncertainty *u)
{
    const struct rr_uncertain *x = &u->input[i];
    for (const cJSON *m = x->correlation_json ? x->correlation_json->child : NULL; m; m = m->next) {
        size_t k = 0;
        const char *pointer = rr_pointer_join(r->param.arena, rr_pointer_join(r->param.arena, x->pointer, "correlation"), m->string);
        RR_TRY(find_input(r, m, pointer, u, &k));
        const cJSON *v = rr_param_unwrap(m);
        if (k == i) return rr_json_fail_key(RR_EINPUT, r->param.json, m, pointer, "an input and itself");
        if (!cJSON_IsNumber(v) || !(v->valuedouble > -1 && v->valuedouble < 1))
            return rr_json_fail(RR_EINPUT, r->param.json, v, pointer, "%s given; a number between -1 and 1 is expected",
                                rr_param_shown(v, r->param.arena));
        double *there = &u->root[i * u->n + k];
        if (*there != 0 && *there != v->valuedouble)
            return rr_json_fail(RR_EINPUT, r->param.json, v, pointer, "%s given, but \"%s\" says %g", rr_param_shown(v, r->param.arena),
                                m->string, *there);
        u->root[i * u->n + k] = u->root[k * u->n + i] = v->valuedouble;
    }
    return RR_OK;
}

static enum rr_status read_correlations(const struct rr_reading *r, const cJSON *all, struct rr_uncertainty *u)
{
    u->root = RR_NEWS(r->param.arena, double, u->n * u->n);
    for (size_t i = 0; i < u->n; i++) u->root[i * u->n + i] = 1;
    for (size_t i = 0; i < u->n; i++) RR_TRY(read_correlation(r, i, u));
    if (rr_cholesky(u->root, u->n)) return RR_OK;
    return rr_json_fail(RR_EINPUT, r->param.json, all, "/uncertainty",
                        "the correlations contradict each other (their matrix is not positive definite): make them smaller");
}

/* ---- the sections ---- */

enum rr_status rr_uncertainty_read(const struct rr_reading *r, const cJSON *all, struct rr_scenario_set *set)
{
    if (!all || !all->child) return RR_OK;
    struct rr_uncertainty *u = RR_NEW(r->param.arena, struct rr_uncertainty);
    const int n = cJSON_GetArraySize(all);
    if (n > RR_MOST_UNCERTAIN)
        return rr_json_fail(RR_EINPUT, r->param.json, all, "/uncertainty", "%d inputs; at most %d", n, RR_MOST_UNCERTAIN);
    u->input = RR_NEWS(r->param.arena, struct rr_uncertain, (size_t)n);
    for (const cJSON *m = all->child; m; m = m->next) {
        struct rr_uncertain *x = &u->input[u->n++];
        RR_TRY(read_input(r, m, x));
        for (size_t i = 0; i + 1 < u->n; i++)
            if (strcmp(u->input[i].path, x->path) == 0)
                return rr_json_fail(RR_EINPUT, r->param.json, rr_json_member(m, "path"), x->pointer, "\"%s\" varies %s already",
                                    u->input[i].name, x->path);
    }
    RR_TRY(read_correlations(r, all, u));
    set->uncertainty = u;
    return RR_OK;
}

enum rr_status rr_until_read(const struct rr_reading *r, const cJSON *object, struct rr_scenario_set *set)
{
    if (!object) return RR_OK;
    struct rr_until *u = RR_NEW(r->param.arena, struct rr_until);
    RR_TRY(rr_rows_read(r, &rr_rows_until, object, "/until", u));
    RR_TRY(rr_metric_read(r, rr_json_member(object, "metric"), "/until/metric", u->metric_name, &u->metric));
    if (u->alternative) RR_TRY(rr_alternative_find(r, object, "/until", u->alternative, set));
    set->until = u;
    return RR_OK;
}
