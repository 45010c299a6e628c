/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/scenario_metric.c - limits on metrics: "service" and "gates", in the metric's own unit. */
#include "data/scenario_rows.h"
#include <stdio.h>
#include <string.h>

static const char *example_of(enum rr_metric_unit unit)
{
    switch (unit) {
    case RR_U_MONEY: return "\"$1.2M\"";
    case RR_U_MONEY_PER_GPU_HOUR: return "\"$2.10/gpu/h\"";
    case RR_U_MONEY_PER_MONTH: return "\"$40,000/month\"";
    case RR_U_MONEY_PER_JOB: return "\"$12\"";
    case RR_U_SECONDS: return "\"4 h\"";
    case RR_U_KWH: return "\"12 MWh\"";
    default: return "0.99";
    }
}

static enum rr_status read_amount(const struct rr_scenario *s, struct rr_slice text, double *ret)
{
    struct rr_amount amount;
    struct rr_money m;
    RR_TRY(rr_unit_money(text, &amount.money, amount.currency));
    RR_TRY(rr_scenario_money(s, amount, &m));
    *ret = rr_money_double(m);
    return RR_OK;
}

// "$2.10/gpu/h", or a plain amount: the metric says per what.
static enum rr_status read_rate(const struct rr_scenario *s, struct rr_slice text, enum rr_per per, enum rr_per_time time, double *ret)
{
    if (!memchr(text.at, '/', text.n)) return read_amount(s, text, ret);
    struct rr_price price;
    struct rr_rate rate;
    RR_TRY(rr_unit_rate(text, &price.rate, price.currency));
    if (price.rate.per != per || price.rate.time != time) return rr_fail(RR_EINPUT, "\"%.*s\" is per something else", (int)text.n, text.at);
    RR_TRY(rr_scenario_rate(s, price, &rate));
    *ret = (double)rate.nano / 1e9;
    return RR_OK;
}

static enum rr_status read_limit(const struct rr_scenario *s, struct rr_slice text, enum rr_metric_unit unit, double *ret)
{
    int64_t us;
    switch (unit) {
    case RR_U_MONEY:
    case RR_U_MONEY_PER_JOB: return read_amount(s, text, ret);
    case RR_U_MONEY_PER_GPU_HOUR: return read_rate(s, text, RR_PER_GPU, RR_HOUR, ret);
    case RR_U_MONEY_PER_MONTH: return read_rate(s, text, RR_PER_ONCE, RR_MONTH, ret);
    case RR_U_SECONDS:
        RR_TRY(rr_unit_time(text, &us));
        *ret = (double)us / 1e6;
        return RR_OK;
    case RR_U_KWH:
        RR_TRY(rr_unit_energy(text, ret));
        *ret /= 3.6e6;
        return RR_OK;
    case RR_U_RATIO: return rr_unit_ratio(text, ret);
    default: return rr_text_double(text, ret);
    }
}

static bool plain_number(enum rr_metric_unit u) { return u == RR_U_GPU_HOURS || u == RR_U_COUNT || u == RR_U_RATIO || u == RR_U_KG; }

static enum rr_status fail_limit(const struct rr_reading *r, const cJSON *node, const char *pointer, int metric)
{
    char reason[RR_REASON_MAX];
    snprintf(reason, sizeof reason, "%s", rr_reason());
    return rr_json_fail(RR_EINPUT, r->param.json, node, pointer, "%s; a limit on %s is written such as %s", reason,
                        rr_metric_info[metric].name, example_of(rr_metric_info[metric].unit));
}

enum rr_status rr_metric_read(const struct rr_reading *r, const cJSON *at, const char *pointer, const char *name, int *ret)
{
    *ret = rr_metric_find(name);
    if (*ret >= 0) return RR_OK;
    const char *names[RR_METRICS];
    for (int i = 0; i < RR_METRICS; i++) names[i] = rr_metric_info[i].name;
    const char *near = rr_did_you_mean(r->param.arena, name, names, RR_METRICS);
    return rr_json_fail_key(RR_EINPUT, r->param.json, at, pointer, "\"%.64s\" is no metric%s", name,
                            *near ? near : "; see `rackrate list metrics`");
}

/* ---- service ---- */

static enum rr_status read_service(const struct rr_reading *r, const cJSON *m, const struct rr_scenario *s, struct rr_limit *l)
{
    l->pointer = rr_pointer_join(r->param.arena, "/service", m->string);
    RR_TRY(rr_metric_read(r, m, l->pointer, m->string, &l->metric));
    RR_TRY(rr_param_check_wrapper(r->param.json, m, l->pointer));
    const cJSON *v = rr_param_unwrap(m);
    const enum rr_metric_unit unit = rr_metric_info[l->metric].unit;
    const char *text = cJSON_IsString(v) ? v->valuestring : "";
    text += strspn(text, " ");
    l->at_least = strncmp(text, ">=", 2) == 0;
    if (!l->at_least && strncmp(text, "<=", 2) != 0)
        return rr_json_fail(RR_EINPUT, r->param.json, v, l->pointer, "%s given; a limit is expected, such as \"<= %.*s\"",
                            rr_param_shown(v, r->param.arena), (int)strcspn(example_of(unit) + (*example_of(unit) == '"'), "\""),
                            example_of(unit) + (*example_of(unit) == '"'));
    if (read_limit(s, rr_trim(rr_slice(text + 2, strlen(text + 2))), unit, &l->limit) != RR_OK)
        return fail_limit(r, v, l->pointer, l->metric);
    l->text = rr_strdup(r->param.arena, text);
    return RR_OK;
}

enum rr_status rr_service_read(const struct rr_reading *r, const cJSON *document, struct rr_scenario *s)
{
    const cJSON *all = rr_json_member(document, "service");
    if (!all) return RR_OK;
    if (!cJSON_IsObject(all))
        return rr_json_fail(RR_EINPUT, r->param.json, all, "/service", "limits by metric are expected, such as {\"wait.p95\": \"<= 4 h\"}");
    s->service = RR_NEWS(r->param.arena, struct rr_limit, (size_t)cJSON_GetArraySize(all));
    for (const cJSON *m = all->child; m; m = m->next) RR_TRY(read_service(r, m, s, &s->service[s->n_service++]));
    return RR_OK;
}

/* ---- gates ---- */

static enum rr_status read_bound(const struct rr_reading *r, const cJSON *gate, const char *key, const struct rr_scenario *s,
                                 const struct rr_gate *g, bool *has, double *ret)
{
    const cJSON *member = rr_json_member(gate, key);
    if (!member) return RR_OK;
    const char *pointer = rr_pointer_join(r->param.arena, g->pointer, key);
    RR_TRY(rr_param_check_wrapper(r->param.json, member, pointer));
    const cJSON *v = rr_param_unwrap(member);
    const enum rr_metric_unit unit = rr_metric_info[g->metric].unit;
    *has = true;
    enum rr_status st;
    if (cJSON_IsString(v))
        st = read_limit(s, rr_slice(v->valuestring, strlen(v->valuestring)), unit, ret);
    else if (cJSON_IsNumber(v) && plain_number(unit))
        st = rr_text_double(rr_json_number(v), ret);
    else
        st = rr_fail(RR_EINPUT, "%s %s", rr_param_shown(v, r->param.arena), cJSON_IsNumber(v) ? "has no unit" : "given");
    return st == RR_OK ? RR_OK : fail_limit(r, v, pointer, g->metric);
}

enum rr_status rr_alternative_find(const struct rr_reading *r, const cJSON *object, const char *pointer, const char *name,
                                   const struct rr_scenario_set *set)
{
    const char **words = RR_NEWS(r->param.arena, const char *, set->n_variants * 2);
    for (size_t i = 0; i < set->n_variants; i++) {
        words[2 * i] = set->variant[i]->alternative;
        words[2 * i + 1] = set->variant[i]->variant;
        if (strcmp(words[2 * i], name) == 0 || strcmp(words[2 * i + 1], name) == 0) return RR_OK;
    }
    return rr_json_fail(RR_EINPUT, r->param.json, rr_param_unwrap(rr_json_member(object, "alternative")),
                        rr_pointer_join(r->param.arena, pointer, "alternative"), "there is no alternative \"%.64s\"%s", name,
                        rr_did_you_mean(r->param.arena, name, words, set->n_variants * 2));
}

static enum rr_status read_gate(const struct rr_reading *r, const cJSON *m, const struct rr_scenario_set *set, struct rr_gate *g)
{
    g->name = rr_strdup(r->param.arena, m->string);
    g->pointer = rr_pointer_join(r->param.arena, "/gates", m->string);
    RR_TRY(rr_named(r, m, g->pointer));
    struct rr_gate_rows rows = {0};
    RR_TRY(rr_rows_read(r, &rr_rows_gate, m, g->pointer, &rows));
    g->alternative = rows.alternative;
    g->stat = rr_stat_names[rows.stat];
    g->waived = rows.waived;
    if (g->waived && !*g->waived) return rr_json_fail(RR_EINPUT, r->param.json, m, g->pointer, "\"waived\" says why, in a few words");
    RR_TRY(rr_metric_read(r, rr_json_member(m, "metric"), rr_pointer_join(r->param.arena, g->pointer, "metric"), rows.metric, &g->metric));
    if (g->alternative) RR_TRY(rr_alternative_find(r, m, g->pointer, g->alternative, set));
    RR_TRY(read_bound(r, m, "max", set->variant[0], g, &g->has_max, &g->max));
    RR_TRY(read_bound(r, m, "min", set->variant[0], g, &g->has_min, &g->min));
    if (g->has_max || g->has_min) return RR_OK;
    return rr_json_fail(RR_EINPUT, r->param.json, m, g->pointer, "no limit; give \"max\" or \"min\", such as \"max\": %s",
                        example_of(rr_metric_info[g->metric].unit));
}

enum rr_status rr_gates_read(const struct rr_reading *r, const cJSON *gates, struct rr_scenario_set *set)
{
    if (!gates) return RR_OK;
    if (!cJSON_IsObject(gates))
        return rr_json_fail(RR_EINPUT, r->param.json, gates, "/gates",
                            "gates by name are expected, such as {\"budget\": {\"metric\": \"cost.total\", \"max\": \"$1.2M\"}}");
    set->gate = RR_NEWS(r->param.arena, struct rr_gate, (size_t)cJSON_GetArraySize(gates));
    for (const cJSON *m = gates->child; m; m = m->next) RR_TRY(read_gate(r, m, set, &set->gate[set->n_gates++]));
    return RR_OK;
}
