/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/param_read.c - one value into one field, by the row's type. */
#include "data/param_field.h"
#include <assert.h>
#include <stdio.h>
#include <string.h>

struct expected {
    const char *what, *example;
};
static const struct expected expected[] = {
    [RR_P_BOOL] = {"true or false, without quotes,", NULL},
    [RR_P_INT] = {"a whole number", NULL},
    [RR_P_REAL] = {"a number", NULL},
    [RR_P_SHARE] = {"a share", "0.3 or \"30 %\""},
    [RR_P_TEXT] = {"a text in double quotes", NULL},
    [RR_P_PATH] = {"a file name in double quotes", NULL},
    [RR_P_WORD] = {"a word in double quotes", NULL},
    [RR_P_TIME] = {"a time with its unit", "\"5 min\""},
    [RR_P_DURATION] = {"a duration with its unit", "\"36 months\""},
    [RR_P_DATE] = {"a date", "\"2026-01-01\" or \"2026-01-01T08:30:00Z\""},
    [RR_P_MONEY] = {"an amount with its currency", "\"$400,000\""},
    [RR_P_RATE] = {"a price with its currency and what it is per", "\"$2.10/gpu/h\""},
    [RR_P_BYTES] = {"a size with its unit", "\"80 GiB\""},
    [RR_P_POWER] = {"a power with its unit", "\"10.2 kW\""},
    [RR_P_FREQUENCY] = {"a frequency with its unit", "\"0.5/s\""},
    [RR_P_DIST_TIME] = {"a time with its unit or a distribution", "\"2 h\" or {\"exponential\": {\"mean\": \"2 h\"}}"},
    [RR_P_DIST_REAL] = {"a number or a distribution", "8 or {\"choice\": {\"1\": 0.6, \"8\": 0.4}}"},
    [RR_P_OBJECT] = {"an object {...}", NULL},
    [RR_P_SPOT_PRICES] = {"a price, a file or a model",
                          "\"$1.2/h\", \"prices.csv\" or {\"file\": \"prices.json\", \"zone\": \"us-east-1a\"}"},
    [RR_P_SPOT_NODES] = {"a file or a model", "\"nodes.csv\" or {\"hazard\": \"5-10 %\"}"},
    [RR_P_WEEK] = {"a list of windows", "[{\"days\": \"Mon-Fri\", \"from\": \"09:00\", \"to\": \"18:00\", \"nodes\": 8}]"},
    [RR_P_ZONE] = {"a time zone", "\"Europe/Berlin\""},
    [RR_P_CHANGE] = {"a change", "-0.3 or \"-30 %\""},
    [RR_P_TIERS] = {"a list of tiers", "[{\"up_to\": \"10 TB\", \"rate\": \"$0.09/GB\"}, {\"rate\": \"$0.07/GB\"}]"},
    [RR_P_PRICES] = {"a price or a share in double quotes by each name", "{\"aws/p5\": \"30 %\"} or {\"2026-07-01\": \"$1.80/gpu/h\"}"},
    [RR_P_RECORD] = {"an object {...}", NULL},
    [RR_P_LIST] = {"a list of objects [{...}]", NULL},
    [RR_P_NAMED] = {"an object by each name {\"name\": {...}}", NULL},
};

enum rr_status rr_field_fail(const struct rr_field *f, const cJSON *at, const char *fmt, ...)
{
    char text[RR_REASON_MAX];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return rr_json_fail(RR_EINPUT, f->ctx->json, at, f->pointer, "%s", text);
}

static bool needs_unit(enum rr_param_type t) { return t >= RR_P_TIME && t <= RR_P_DIST_TIME; }

enum rr_status rr_field_wrong(const struct rr_field *f, const cJSON *at, enum rr_param_type type)
{
    const struct expected *e = &expected[type];
    const char *shown = rr_param_shown(at, f->ctx->arena);
    const char *what = cJSON_IsNumber(at) && needs_unit(type) && type != RR_P_DATE ? " has no unit" : " given";
    const bool text = type == RR_P_TEXT && f->row->type == RR_P_TEXT && f->row->help; // of which kind, the row says
    return rr_field_fail(f, at, "%s%s; %s is expected%s%s", shown, what, e->what,
                         e->example ? ", such as "
                         : text     ? ": "
                                    : "",
                         e->example ? e->example
                         : text     ? f->row->help
                                    : "");
}

// What a limit reads like in the row's own words: 0.3 of a share, 5 min of a time.
static void put_limit(struct rr_buf *b, const struct rr_param *row, double v)
{
    const bool time = row->type == RR_P_TIME || row->type == RR_P_DURATION || row->type == RR_P_DIST_TIME;
    if (time && v > -9e18 && v < 9e18)
        rr_buf_time(b, (int64_t)v);
    else
        rr_buf_double(b, v);
    if (!time && row->unit && *row->unit) rr_buf_putf(b, " %s", row->unit);
}

enum rr_status rr_field_limits(const struct rr_field *f, const cJSON *at, double v)
{
    double least = f->row->least, most = f->row->most;
    if (least == 0 && most == 0) {
        if (f->row->type != RR_P_SHARE) return RR_OK;
        most = 1;
    }
    if (v >= least && v <= most) return RR_OK;
    struct rr_buf b = {0};
    put_limit(&b, f->row, v < least ? least : most);
    const enum rr_status st = rr_field_fail(f, at, "%s given; %s %s is expected", rr_param_shown(at, f->ctx->arena),
                                            v < least ? "at least" : "at most", rr_buf_text(&b));
    rr_buf_done(&b);
    return st;
}

static enum rr_status read_int(const struct rr_field *f, int64_t *ret)
{
    if (!cJSON_IsNumber(f->node)) return rr_field_wrong(f, f->node, RR_P_INT);
    if (rr_text_i64(rr_json_number(f->node), ret) != RR_OK) return rr_field_wrong(f, f->node, RR_P_INT);
    return rr_field_limits(f, f->node, (double)*ret);
}

static enum rr_status read_real(const struct rr_field *f, double *ret)
{
    if (!cJSON_IsNumber(f->node)) return rr_field_wrong(f, f->node, RR_P_REAL);
    if (rr_text_double(rr_json_number(f->node), ret) != RR_OK) return rr_field_wrong(f, f->node, RR_P_REAL);
    return rr_field_limits(f, f->node, *ret);
}

// The unit parsers name the right form themselves.
static enum rr_status unit_failed(const struct rr_field *f)
{
    char reason[RR_REASON_MAX];
    snprintf(reason, sizeof reason, "%s", rr_reason());
    return rr_field_fail(f, f->node, "%s", reason);
}

static struct rr_slice text_of(const cJSON *node) { return rr_slice(node->valuestring, strlen(node->valuestring)); }

static enum rr_status read_share(const struct rr_field *f, double *ret)
{
    if (cJSON_IsNumber(f->node)) {
        if (rr_text_double(rr_json_number(f->node), ret) != RR_OK) return rr_field_wrong(f, f->node, RR_P_SHARE);
    } else if (!cJSON_IsString(f->node)) {
        return rr_field_wrong(f, f->node, RR_P_SHARE);
    } else if (rr_unit_share(text_of(f->node), ret) != RR_OK) {
        return unit_failed(f);
    }
    return rr_field_limits(f, f->node, *ret);
}

static enum rr_status read_word(const struct rr_field *f, int *ret)
{
    if (!cJSON_IsString(f->node)) return rr_field_wrong(f, f->node, RR_P_WORD);
    const char *const *words = f->row->words;
    int n = 0;
    for (; words[n]; n++)
        if (strcmp(words[n], f->node->valuestring) == 0) {
            *ret = n;
            return RR_OK;
        }
    struct rr_buf all = {0};
    for (int i = 0; i < n; i++) rr_buf_putf(&all, "%s%s", i == 0 ? "" : i == n - 1 ? " or " : ", ", words[i]);
    const enum rr_status st = rr_field_fail(f, f->node, "%s given; %s is expected%s", rr_param_shown(f->node, f->ctx->arena),
                                            rr_buf_text(&all), rr_did_you_mean(f->ctx->arena, f->node->valuestring, words, (size_t)n));
    rr_buf_done(&all);
    return st;
}

static const char *joined_path(const struct rr_param_ctx *ctx, const char *path)
{
    const bool as_is = *path == '/' || !ctx->base || !*ctx->base || strcmp(ctx->base, ".") == 0 || strcmp(path, "-") == 0;
    return as_is ? rr_strdup(ctx->arena, path) : rr_strf(ctx->arena, "%s/%s", ctx->base, path);
}

static enum rr_status read_text(const struct rr_field *f, const char **ret)
{
    const bool path = f->row->type == RR_P_PATH;
    if (!cJSON_IsString(f->node)) return rr_field_wrong(f, f->node, f->row->type);
    if (path && !*f->node->valuestring) return rr_field_fail(f, f->node, "an empty file name");
    *ret = path ? joined_path(f->ctx, f->node->valuestring) : rr_strdup(f->ctx->arena, f->node->valuestring);
    return RR_OK;
}

// 30.4375 days a month: for limits alone, never for a date.
static double about_us(struct rr_duration d) { return (double)d.months * (double)RR_YEAR_US / 12 + (double)d.us; }

static enum rr_status read_quantity(const struct rr_field *f, void *at)
{
    if (!cJSON_IsString(f->node)) return rr_field_wrong(f, f->node, f->row->type);
    const struct rr_slice s = text_of(f->node);
    enum rr_status st = RR_OK;
    double v = 0;
    switch (f->row->type) {
    case RR_P_TIME:
        if ((st = rr_unit_time(s, at)) == RR_OK) v = (double)*(int64_t *)at;
        break;
    case RR_P_DURATION:
        if ((st = rr_unit_duration(s, at)) == RR_OK) v = about_us(*(struct rr_duration *)at);
        break;
    case RR_P_DATE: st = rr_date_parse(s, at); break;
    case RR_P_MONEY: {
        struct rr_amount *m = at;
        if ((st = rr_unit_money(s, &m->money, m->currency)) == RR_OK) v = rr_money_double(m->money);
        break;
    }
    case RR_P_RATE: {
        struct rr_price *p = at;
        if ((st = rr_unit_rate(s, &p->rate, p->currency)) == RR_OK) v = (double)p->rate.nano / 1e9;
        break;
    }
    case RR_P_BYTES:
        if ((st = rr_unit_bytes(s, at)) == RR_OK) v = (double)*(int64_t *)at;
        break;
    case RR_P_POWER:
        if ((st = rr_unit_power(s, at)) == RR_OK) v = *(double *)at;
        break;
    case RR_P_FREQUENCY:
        if ((st = rr_unit_frequency(s, at)) == RR_OK) v = *(double *)at;
        break;
    default: assert(false);
    }
    if (st != RR_OK) return unit_failed(f);
    return f->row->type == RR_P_DATE ? RR_OK : rr_field_limits(f, f->node, v);
}

enum rr_status rr_field_read(const struct rr_field *f, void *into)
{
    void *at = (char *)into + f->row->offset;
    switch (f->row->type) {
    case RR_P_BOOL:
        if (!cJSON_IsBool(f->node)) return rr_field_wrong(f, f->node, RR_P_BOOL);
        *(bool *)at = cJSON_IsTrue(f->node);
        return RR_OK;
    case RR_P_INT: return read_int(f, at);
    case RR_P_REAL: return read_real(f, at);
    case RR_P_SHARE: return read_share(f, at);
    case RR_P_TEXT:
    case RR_P_PATH: return read_text(f, at);
    case RR_P_WORD: return read_word(f, at);
    case RR_P_DIST_TIME: return rr_field_dist(f, true, at);
    case RR_P_DIST_REAL: return rr_field_dist(f, false, at);
    case RR_P_SPOT_PRICES: return rr_field_spot(f, RR_SPOT_PRICES, at);
    case RR_P_SPOT_NODES: return rr_field_spot(f, RR_SPOT_NODES, at);
    case RR_P_WEEK: return rr_field_week(f, at);
    case RR_P_ZONE: return rr_field_zone(f, at);
    case RR_P_CHANGE: return rr_field_change(f, at);
    case RR_P_TIERS: return rr_field_tiers(f, at);
    case RR_P_PRICES: return rr_field_prices(f, at);
    case RR_P_RECORD:
    case RR_P_LIST:
    case RR_P_NAMED: return rr_field_records(f, at);
    case RR_P_OBJECT:
        if (!cJSON_IsObject(f->node)) return rr_field_wrong(f, f->node, RR_P_OBJECT);
        *(const cJSON **)at = f->node;
        return RR_OK;
    default: return read_quantity(f, at);
    }
}
