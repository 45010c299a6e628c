/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/param_dist.c - {"lognormal": {"median": "1 h", "sigma": 1.3}} into a struct rr_dist. */
#include "data/param_field.h"
#include <stdio.h>
#include <string.h>

/* A distribution's numbers: an object of two at most, or a list. `value` members have the parameter's unit, the others none. */
struct shape {
    const char *name;
    enum rr_dist_kind kind;
    const char *member[2]; // NULL: a list of `n`
    int n;
    bool unit[2];           // the member has the parameter's unit
    double above[2];        // > this ...
    bool or_equal[2];       // ... or >=
    const char *example[2]; // for a plain number, for a time
};
static const struct shape shapes[] = {
    {"exponential", RR_DIST_EXPONENTIAL, {"mean"}, 1, {true}, {0}, {false}, {"{\"mean\": 2}", "{\"mean\": \"2 h\"}"}},
    {"lognormal",
     RR_DIST_LOGNORMAL,
     {"median", "sigma"},
     2,
     {true, false},
     {0, 0},
     {false, true},
     {"{\"median\": 2, \"sigma\": 1.3}", "{\"median\": \"1 h\", \"sigma\": 1.3}"}},
    {"weibull",
     RR_DIST_WEIBULL,
     {"scale", "shape"},
     2,
     {true, false},
     {0, 0},
     {false, false},
     {"{\"scale\": 2, \"shape\": 0.7}", "{\"scale\": \"1 h\", \"shape\": 0.7}"}},
    {"uniform", RR_DIST_UNIFORM, {NULL}, 2, {true}, {0}, {0}, {"[2, 5]", "[\"1 h\", \"2 h\"]"}},
    {"triangular", RR_DIST_TRIANGULAR, {NULL}, 3, {true}, {0}, {0}, {"[2, 3, 5]", "[\"1 h\", \"2 h\", \"4 h\"]"}},
    {"normal",
     RR_DIST_NORMAL,
     {"mean", "sd"},
     2,
     {true, true},
     {-1e300, 0},
     {true, true},
     {"{\"mean\": 2, \"sd\": 0.3}", "{\"mean\": \"2 h\", \"sd\": \"10 min\"}"}},
};
#define N_SHAPES (sizeof shapes / sizeof *shapes)
static const char *const words[] = {"exponential", "lognormal", "weibull", "uniform", "triangular", "normal", "choice", "empirical"};

static enum rr_status unit_failed(const struct rr_field *f, const cJSON *at)
{
    char reason[RR_REASON_MAX];
    snprintf(reason, sizeof reason, "%s", rr_reason());
    return rr_field_fail(f, at, "%s", reason);
}

// One number of the parameter's dimension: a time in microseconds, or plain.
static enum rr_status value_of(const struct rr_field *f, const cJSON *node, bool time, double *ret)
{
    const cJSON *v = rr_param_unwrap(node);
    if (!time) {
        if (!cJSON_IsNumber(v)) return rr_field_wrong(f, v, RR_P_REAL);
        return rr_text_double(rr_json_number(v), ret) == RR_OK ? RR_OK : rr_field_wrong(f, v, RR_P_REAL);
    }
    int64_t us;
    if (!cJSON_IsString(v)) return rr_field_wrong(f, v, RR_P_TIME);
    if (rr_unit_time(rr_slice(v->valuestring, strlen(v->valuestring)), &us) != RR_OK) return unit_failed(f, v);
    *ret = (double)us;
    return RR_OK;
}

static enum rr_status wrong_form(const struct rr_field *f, const cJSON *at, const struct shape *s, bool time)
{
    return rr_field_fail(f, at, "\"%s\" takes %s", s->name, s->example[time]);
}

static enum rr_status read_members(const struct rr_field *f, const cJSON *object, const struct shape *s, bool time, double v[3])
{
    if (!cJSON_IsObject(object) || cJSON_GetArraySize(object) != s->n) return wrong_form(f, object, s, time);
    for (int i = 0; i < s->n; i++) {
        const cJSON *m = rr_json_member(object, s->member[i]);
        if (!m) return wrong_form(f, object, s, time);
        RR_TRY(value_of(f, m, time && s->unit[i], &v[i]));
        if (v[i] < s->above[i] || (v[i] == s->above[i] && !s->or_equal[i]))
            return rr_field_fail(f, m, "%s given; \"%s\" must be %s 0", rr_param_shown(m, f->ctx->arena), s->member[i],
                                 s->or_equal[i] ? "at least" : "above");
    }
    return RR_OK;
}

static enum rr_status read_list(const struct rr_field *f, const cJSON *list, const struct shape *s, bool time, double v[3])
{
    if (!cJSON_IsArray(list) || cJSON_GetArraySize(list) != s->n) return wrong_form(f, list, s, time);
    int i = 0;
    for (const cJSON *m = list->child; m; m = m->next, i++) {
        RR_TRY(value_of(f, m, time, &v[i]));
        RR_TRY(rr_field_limits(f, m, v[i]));
        if (i > 0 && v[i] < v[i - 1])
            return rr_field_fail(f, m, "the numbers of \"%s\" must not fall; such as %s", s->name, s->example[time]);
    }
    return RR_OK;
}

static enum rr_status choice_value(const struct rr_field *f, const cJSON *m, bool time, double *ret)
{
    const struct rr_slice key = rr_slice(m->string, strlen(m->string));
    int64_t us = 0;
    const enum rr_status st = time ? rr_unit_time(key, &us) : rr_text_double(key, ret);
    if (st != RR_OK) return unit_failed(f, m);
    if (time) *ret = (double)us;
    return rr_field_limits(f, &(cJSON){.type = cJSON_String, .valuestring = m->string, .valueint = m->valueint}, *ret);
}

static enum rr_status read_choice(const struct rr_field *f, const cJSON *object, bool time, struct rr_dist *ret)
{
    const char *example = time ? "{\"1 h\": 0.6, \"8 h\": 0.4}" : "{\"1\": 0.6, \"8\": 0.4}";
    if (!cJSON_IsObject(object) || !object->child)
        return rr_field_fail(f, object, "\"choice\" takes values and their weights, such as %s", example);
    const size_t n = (size_t)cJSON_GetArraySize(object);
    double *value = RR_NEWS(f->ctx->arena, double, n), *upto = RR_NEWS(f->ctx->arena, double, n), sum = 0;
    size_t i = 0;
    for (const cJSON *m = object->child; m; m = m->next, i++) {
        double weight;
        RR_TRY(choice_value(f, m, time, &value[i]));
        RR_TRY(value_of(f, m, false, &weight));
        if (weight < 0) return rr_field_fail(f, m, "%s given; a weight must be at least 0", rr_param_shown(m, f->ctx->arena));
        upto[i] = sum += weight;
    }
    if (!(sum > 0) || sum > 1e300) return rr_field_fail(f, object, "the weights of \"choice\" add up to %g; such as %s", sum, example);
    for (i = 0; i < n; i++) upto[i] /= sum;
    for (i = n; i > 0 && upto[i - 1] == upto[n - 1]; i--) upto[i - 1] = 1; // also the last ones of weight 0
    *ret = (struct rr_dist){.kind = RR_DIST_CHOICE, .n = n, .value = value, .upto = upto};
    return RR_OK;
}

static enum rr_status read_distribution(const struct rr_field *f, bool time, struct rr_dist *ret)
{
    const cJSON *d = f->node->child;
    if (!d || d->next) return rr_field_wrong(f, f->node, f->row->type);
    if (strcmp(d->string, "choice") == 0) return read_choice(f, d, time, ret);
    if (strcmp(d->string, "empirical") == 0) return rr_param_later(f->ctx->json, d, f->pointer, "empirical");
    for (const struct shape *s = shapes; s < shapes + N_SHAPES; s++) {
        if (strcmp(s->name, d->string) != 0) continue;
        double v[3] = {0};
        if (s->member[0])
            RR_TRY(read_members(f, d, s, time, v));
        else
            RR_TRY(read_list(f, d, s, time, v));
        if (s->member[0] && s->kind != RR_DIST_NORMAL) RR_TRY(rr_field_limits(f, d->child, v[0]));
        *ret = (struct rr_dist){.kind = s->kind, .a = v[0], .b = v[1], .c = v[2]};
        return RR_OK;
    }
    return rr_json_fail_key(RR_EINPUT, f->ctx->json, d, f->pointer, "unknown distribution \"%.60s\"%s", d->string,
                            rr_did_you_mean(f->ctx->arena, d->string, words, sizeof words / sizeof *words));
}

enum rr_status rr_field_dist(const struct rr_field *f, bool time, struct rr_dist *ret)
{
    if (cJSON_IsObject(f->node)) return read_distribution(f, time, ret);
    if (time ? !cJSON_IsString(f->node) : !cJSON_IsNumber(f->node)) return rr_field_wrong(f, f->node, f->row->type);
    double v;
    RR_TRY(value_of(f, f->node, time, &v));
    RR_TRY(rr_field_limits(f, f->node, v));
    *ret = (struct rr_dist){.kind = RR_DIST_CONSTANT, .a = v};
    return RR_OK;
}
