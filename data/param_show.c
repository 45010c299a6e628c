/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/param_show.c - a field back to text, and a row as JSON Schema. */
#include "data/base/tz.h"
#include "data/param_field.h"
#include "data/prices.h"
#include "data/week.h"
#include "data/spot_feed.h"
#include <inttypes.h>
#include <string.h>

static size_t field_size(enum rr_param_type t)
{
    switch (t) {
    case RR_P_BOOL: return sizeof(bool);
    case RR_P_WORD: return sizeof(int);
    case RR_P_REAL:
    case RR_P_SHARE:
    case RR_P_CHANGE:
    case RR_P_POWER:
    case RR_P_FREQUENCY: return sizeof(double);
    case RR_P_TEXT:
    case RR_P_PATH: return sizeof(const char *);
    case RR_P_DURATION: return sizeof(struct rr_duration);
    case RR_P_MONEY: return sizeof(struct rr_amount);
    case RR_P_RATE: return sizeof(struct rr_price);
    case RR_P_DIST_TIME:
    case RR_P_DIST_REAL: return sizeof(struct rr_dist);
    case RR_P_WEEK:
    case RR_P_TIERS:
    case RR_P_PRICES:
    case RR_P_RECORD:
    case RR_P_LIST:
    case RR_P_NAMED:
    case RR_P_ZONE: return sizeof(const void *);
    case RR_P_SPOT_PRICES:
    case RR_P_SPOT_NODES:
    case RR_P_OBJECT: return sizeof(const cJSON *); // feeds: their first member
    default: return sizeof(int64_t);
    }
}

bool rr_param_is_zero(const struct rr_param *row, const void *into)
{
    const char *p = (const char *)into + row->offset;
    for (size_t i = 0; i < field_size(row->type); i++)
        if (p[i]) return false;
    return true;
}

static void put_value(struct rr_buf *b, bool time, double v)
{
    if (!time) {
        rr_buf_double(b, v);
        return;
    }
    rr_buf_puts(b, "\"");
    rr_buf_time(b, (int64_t)v);
    rr_buf_puts(b, "\"");
}

static void put_members(struct rr_buf *b, bool time, const char *name, const char *first, double v1, const char *second, bool time2,
                        double v2)
{
    rr_buf_putf(b, "{\"%s\": {\"%s\": ", name, first);
    put_value(b, time, v1);
    if (second) {
        rr_buf_putf(b, ", \"%s\": ", second);
        put_value(b, time2, v2);
    }
    rr_buf_puts(b, "}}");
}

static void put_list(struct rr_buf *b, bool time, const char *name, const double *v, int n)
{
    rr_buf_putf(b, "{\"%s\": [", name);
    for (int i = 0; i < n; i++) {
        if (i) rr_buf_puts(b, ", ");
        put_value(b, time, v[i]);
    }
    rr_buf_puts(b, "]}");
}

static void put_choice(struct rr_buf *b, bool time, const struct rr_dist *d)
{
    rr_buf_puts(b, "{\"choice\": {");
    for (size_t i = 0; i < d->n; i++) {
        rr_buf_puts(b, i ? ", " : "");
        if (!time) rr_buf_puts(b, "\"");
        put_value(b, time, d->value[i]);
        rr_buf_putf(b, "%s: %.6g", time ? "" : "\"", d->upto[i] - (i ? d->upto[i - 1] : 0));
    }
    rr_buf_puts(b, "}}");
}

static void put_dist(struct rr_buf *b, bool time, const struct rr_dist *d)
{
    switch (d->kind) {
    case RR_DIST_CONSTANT:
        if (time)
            rr_buf_time(b, (int64_t)d->a);
        else
            rr_buf_double(b, d->a);
        break;
    case RR_DIST_EXPONENTIAL: put_members(b, time, "exponential", "mean", d->a, NULL, false, 0); break;
    case RR_DIST_LOGNORMAL: put_members(b, time, "lognormal", "median", d->a, "sigma", false, d->b); break;
    case RR_DIST_WEIBULL: put_members(b, time, "weibull", "scale", d->a, "shape", false, d->b); break;
    case RR_DIST_NORMAL: put_members(b, time, "normal", "mean", d->a, "sd", time, d->b); break;
    case RR_DIST_UNIFORM: put_list(b, time, "uniform", (double[]){d->a, d->b}, 2); break;
    case RR_DIST_TRIANGULAR: put_list(b, time, "triangular", (double[]){d->a, d->b, d->c}, 3); break;
    case RR_DIST_CHOICE: put_choice(b, time, d); break;
    }
}

static void put_object(struct rr_buf *b, const cJSON *node)
{
    char *text = node ? cJSON_PrintUnformatted(node) : NULL;
    rr_buf_puts(b, text ? text : "-");
    cJSON_free(text);
}

void rr_param_text(struct rr_buf *b, const struct rr_param *row, const void *into)
{
    const void *at = (const char *)into + row->offset;
    switch (row->type) {
    case RR_P_BOOL: rr_buf_puts(b, *(const bool *)at ? "true" : "false"); break;
    case RR_P_INT: rr_buf_putf(b, "%" PRId64, *(const int64_t *)at); break;
    case RR_P_REAL:
    case RR_P_CHANGE:
    case RR_P_SHARE: rr_buf_double(b, *(const double *)at); break;
    case RR_P_TEXT:
    case RR_P_PATH: rr_buf_puts(b, *(const char *const *)at ? *(const char *const *)at : "-"); break;
    case RR_P_WORD: rr_buf_puts(b, row->words[*(const int *)at]); break;
    case RR_P_TIME: rr_buf_time(b, *(const int64_t *)at); break;
    case RR_P_DURATION: rr_buf_duration(b, *(const struct rr_duration *)at); break;
    case RR_P_DATE: rr_buf_date(b, *(const int64_t *)at); break;
    case RR_P_MONEY: {
        const struct rr_amount *m = at;
        if (*m->currency) rr_buf_putf(b, "%s ", m->currency);
        rr_buf_money_plain(b, m->money);
        break;
    }
    case RR_P_RATE: {
        const struct rr_price *p = at;
        rr_buf_rate(b, p->rate, p->currency);
        break;
    }
    case RR_P_BYTES: rr_buf_bytes(b, *(const int64_t *)at); break;
    case RR_P_POWER: rr_buf_putf(b, "%.9g W", *(const double *)at); break;
    case RR_P_FREQUENCY: rr_buf_putf(b, "%.9g/s", *(const double *)at); break;
    case RR_P_DIST_TIME: put_dist(b, true, at); break;
    case RR_P_DIST_REAL: put_dist(b, false, at); break;
    case RR_P_WEEK: put_object(b, *(const void *const *)at ? (*(const struct rr_week *const *)at)->json : NULL); break;
    case RR_P_TIERS: put_object(b, *(const void *const *)at ? (*(const struct rr_tiers *const *)at)->json : NULL); break;
    case RR_P_PRICES: put_object(b, *(const void *const *)at ? (*(const struct rr_price_map *const *)at)->json : NULL); break;
    case RR_P_RECORD:
    case RR_P_LIST:
    case RR_P_NAMED: put_object(b, *(const void *const *)at ? (*(const struct rr_records *const *)at)->json : NULL); break;
    case RR_P_ZONE: rr_buf_puts(b, *(const void *const *)at ? (*(const struct rr_zone *const *)at)->name : "-"); break;
    case RR_P_SPOT_PRICES:
    case RR_P_SPOT_NODES: // their first member
    case RR_P_OBJECT: put_object(b, *(const cJSON *const *)at); break;
    }
}

/* ---- JSON Schema ---- */

static void put_text(cJSON *o, const char *key, const char *text) { cJSON_AddStringToObject(o, key, text); }

static cJSON *of_type(const char *type)
{
    cJSON *o = cJSON_CreateObject();
    put_text(o, "type", type);
    return o;
}

static cJSON *reference(const char *to)
{
    cJSON *o = cJSON_CreateObject();
    put_text(o, "$ref", to);
    return o;
}

static const char *example_of(enum rr_param_type t)
{
    switch (t) {
    case RR_P_TIME: return "5 min";
    case RR_P_DURATION: return "36 months";
    case RR_P_DATE: return "2026-01-01";
    case RR_P_MONEY: return "$400,000";
    case RR_P_RATE: return "$2.10/gpu/h";
    case RR_P_BYTES: return "80 GiB";
    case RR_P_POWER: return "10.2 kW";
    case RR_P_FREQUENCY: return "0.5/s";
    case RR_P_ZONE: return "Europe/Berlin";
    default: return NULL;
    }
}

static cJSON *number_schema(const struct rr_param *row, const char *type)
{
    cJSON *o = of_type(type);
    if (row->least == 0 && row->most == 0) return o;
    if (row->least > -1e15) cJSON_AddNumberToObject(o, "minimum", row->least);
    if (row->most < 1e15) cJSON_AddNumberToObject(o, "maximum", row->most);
    return o;
}

static cJSON *share_schema(const struct rr_param *row)
{
    struct rr_param limits = *row;
    if (limits.least == 0 && limits.most == 0) limits.most = 1;
    cJSON *o = cJSON_CreateObject(), *any = cJSON_AddArrayToObject(o, "anyOf"), *text = of_type("string");
    put_text(text, "pattern", "^[0-9.]+ *%?$");
    cJSON_AddItemToArray(any, number_schema(&limits, "number"));
    cJSON_AddItemToArray(any, text);
    return o;
}

static cJSON *change_schema(const struct rr_param *row)
{
    cJSON *o = cJSON_CreateObject(), *any = cJSON_AddArrayToObject(o, "anyOf"), *text = of_type("string");
    put_text(text, "pattern", "^[-+]? *[0-9.]+ *%?$");
    cJSON_AddItemToArray(any, number_schema(row, "number"));
    cJSON_AddItemToArray(any, text);
    return o;
}

static cJSON *type_schema(const struct rr_param *row)
{
    switch (row->type) {
    case RR_P_BOOL: return of_type("boolean");
    case RR_P_INT: return number_schema(row, "integer");
    case RR_P_REAL: return number_schema(row, "number");
    case RR_P_SHARE: return share_schema(row);
    case RR_P_WORD: {
        cJSON *o = cJSON_CreateObject(), *words = cJSON_AddArrayToObject(o, "enum");
        for (size_t i = 0; row->words[i]; i++) cJSON_AddItemToArray(words, cJSON_CreateString(row->words[i]));
        return o;
    }
    case RR_P_DIST_TIME: return reference("#/$defs/dist_time");
    case RR_P_DIST_REAL: return reference("#/$defs/dist_real");
    case RR_P_OBJECT: return of_type("object");
    case RR_P_SPOT_PRICES: return rr_spot_feed_schema(RR_SPOT_PRICES);
    case RR_P_WEEK: return rr_week_schema();
    case RR_P_SPOT_NODES: return rr_spot_feed_schema(RR_SPOT_NODES);
    case RR_P_CHANGE: return change_schema(row);
    case RR_P_TIERS: return rr_tiers_schema();
    case RR_P_PRICES: return rr_prices_schema();
    case RR_P_RECORD:
    case RR_P_LIST:
    case RR_P_NAMED: return rr_records_schema(row);
    default: break;
    }
    cJSON *o = of_type("string");
    const char *example = example_of(row->type);
    if (example) cJSON_AddItemToArray(cJSON_AddArrayToObject(o, "examples"), cJSON_CreateString(example));
    return o;
}

static void describe(cJSON *o, const struct rr_param *row)
{
    struct rr_buf b = {0};
    rr_buf_puts(&b, row->help ? row->help : "");
    if (row->unit && *row->unit) rr_buf_putf(&b, " (%s)", row->unit);
    if (row->flags & RR_PF_LATER) rr_buf_puts(&b, " (not built yet)");
    put_text(o, "description", rr_buf_text(&b));
    rr_buf_done(&b);
    cJSON *def = row->def ? cJSON_Parse(row->def) : NULL;
    if (def) cJSON_AddItemToObject(o, "default", def);
}

cJSON *rr_param_schema(const struct rr_param *row)
{
    cJSON *o = cJSON_CreateObject();
    describe(o, row);
    if (row->flags & RR_PF_LATER) return o; // its own rules come with it
    cJSON *any = cJSON_AddArrayToObject(o, "anyOf");
    cJSON_AddItemToArray(any, type_schema(row));
    cJSON_AddItemToArray(any, reference("#/$defs/sourced"));
    return o;
}

cJSON *rr_params_schema(const struct rr_param *table, size_t n)
{
    cJSON *o = of_type("object"), *required = cJSON_CreateArray();
    cJSON *properties = cJSON_AddObjectToObject(o, "properties");
    for (size_t i = 0; i < n; i++) {
        cJSON_AddItemToObject(properties, table[i].name, rr_param_schema(&table[i]));
        if (table[i].flags & RR_PF_REQUIRED) cJSON_AddItemToArray(required, cJSON_CreateString(table[i].name));
    }
    if (required->child)
        cJSON_AddItemToObject(o, "required", required);
    else
        cJSON_Delete(required);
    cJSON_AddFalseToObject(o, "additionalProperties");
    return o;
}

/* Written out: a distribution's form is the same for every row, only the numbers' type differs. */
static const char defs_text[] =
    "{\"sourced\": {\"description\": \"a value with where it comes from\", \"type\": \"object\", \"required\": [\"value\"],"
    " \"properties\": {\"value\": {}, \"source\": {\"type\": \"string\"}, \"owner\": {\"type\": \"string\"}, \"as_of\": {\"type\": "
    "\"string\"}},"
    " \"additionalProperties\": false}}";
static const char dist_text[] =
    "{\"anyOf\": [{\"type\": \"VALUE\"}, {\"type\": \"object\", \"minProperties\": 1, \"maxProperties\": 1, \"additionalProperties\": "
    "false,"
    " \"properties\": {"
    "\"exponential\": {\"type\": \"object\", \"required\": [\"mean\"], \"additionalProperties\": false,"
    " \"properties\": {\"mean\": {\"type\": \"VALUE\"}}},"
    "\"lognormal\": {\"type\": \"object\", \"required\": [\"median\", \"sigma\"], \"additionalProperties\": false,"
    " \"properties\": {\"median\": {\"type\": \"VALUE\"}, \"sigma\": {\"type\": \"number\", \"minimum\": 0}}},"
    "\"weibull\": {\"type\": \"object\", \"required\": [\"scale\", \"shape\"], \"additionalProperties\": false,"
    " \"properties\": {\"scale\": {\"type\": \"VALUE\"}, \"shape\": {\"type\": \"number\", \"exclusiveMinimum\": 0}}},"
    "\"uniform\": {\"type\": \"array\", \"items\": {\"type\": \"VALUE\"}, \"minItems\": 2, \"maxItems\": 2},"
    "\"triangular\": {\"type\": \"array\", \"items\": {\"type\": \"VALUE\"}, \"minItems\": 3, \"maxItems\": 3},"
    "\"normal\": {\"type\": \"object\", \"required\": [\"mean\", \"sd\"], \"additionalProperties\": false,"
    " \"properties\": {\"mean\": {\"type\": \"VALUE\"}, \"sd\": {\"type\": \"VALUE\"}}},"
    "\"choice\": {\"type\": \"object\", \"minProperties\": 1, \"additionalProperties\": {\"type\": \"number\", \"minimum\": 0}},"
    "\"empirical\": {\"type\": \"string\", \"description\": \"a file (not built yet)\"}}}]}";

static cJSON *dist_schema(const char *value)
{
    struct rr_buf b = {0};
    const char *s = dist_text;
    for (const char *at; (at = strstr(s, "VALUE")); s = at + 5) {
        rr_buf_put(&b, s, (size_t)(at - s));
        rr_buf_puts(&b, value);
    }
    rr_buf_puts(&b, s);
    cJSON *o = cJSON_Parse(rr_buf_text(&b));
    rr_buf_done(&b);
    return o;
}

cJSON *rr_param_schema_defs(void)
{
    cJSON *o = cJSON_Parse(defs_text);
    cJSON_AddItemToObject(o, "dist_time", dist_schema("string"));
    cJSON_AddItemToObject(o, "dist_real", dist_schema("number"));
    return o;
}
