/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/scenario_read.c - one validated document into struct rr_scenario: everything but pools and metrics. */
#include "data/price_book.h"
#include "data/scenario_rows.h"
#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#ifndef RR_VERSION
#define RR_VERSION "0.1.0"
#endif

enum rr_status rr_rows_read(const struct rr_reading *r, const struct rr_rows *rows, const cJSON *object, const char *pointer, void *into)
{
    return rr_params_read(&r->param, rows->at, rows->n, object, pointer, rows->skip, into);
}

enum rr_status rr_named(const struct rr_reading *r, const cJSON *node, const char *pointer)
{
    const size_t n = strlen(node->string);
    if (n == 0 || n > 64) return rr_json_fail_key(RR_EINPUT, r->param.json, node, "", "a name of %zu bytes; 1 to 64 are expected", n);
    for (const char *c = node->string; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            return rr_json_fail_key(RR_EINPUT, r->param.json, node, pointer, "a control character in a name");
    if (!cJSON_IsObject(node))
        return rr_json_fail(RR_EINPUT, r->param.json, node, pointer, "%s given; an object {...} is expected",
                            rr_param_shown(node, r->param.arena));
    return RR_OK;
}

enum rr_status rr_file_there(const struct rr_reading *r, const cJSON *node, const char *pointer, const char *path)
{
    struct stat st;
    if (r->any_path || strcmp(path, "-") == 0) return RR_OK;
    if (stat(path, &st) != 0) return rr_json_fail(RR_EINPUT, r->param.json, node, pointer, "%s: %s", path, strerror(errno));
    if (S_ISDIR(st.st_mode)) return rr_json_fail(RR_EINPUT, r->param.json, node, pointer, "%s is a directory; a file is expected", path);
    if (access(path, R_OK) != 0) return rr_json_fail(RR_EIO, r->param.json, node, pointer, "%s: %s", path, strerror(errno));
    return RR_OK;
}

enum rr_status rr_unknown_word(const struct rr_reading *r, const cJSON *node, const char *pointer, const char *what,
                               const char *const *words, size_t n)
{
    struct rr_arena *a = r->param.arena;
    const char *word = cJSON_IsString(node) ? node->valuestring : "";
    const char *near = rr_did_you_mean(a, word, words, n);
    if (*near) return rr_json_fail(RR_EINPUT, r->param.json, node, pointer, "%s is no %s%s", rr_param_shown(node, a), what, near);
    struct rr_buf all = {0};
    for (size_t i = 0; i < n; i++) rr_buf_putf(&all, "%s%s", i ? ", " : "", words[i]);
    const enum rr_status st = rr_json_fail(RR_EINPUT, r->param.json, node, pointer, "%s is no %s; known: %s", rr_param_shown(node, a), what,
                                           all.n ? rr_buf_text(&all) : "none");
    rr_buf_done(&all);
    return st;
}

enum rr_status rr_unknown_kind(const struct rr_reading *r, const cJSON *node, const char *pointer, const char *what, struct rr_kinds kinds,
                               unsigned use)
{
    const char **words = RR_NEWS(r->param.arena, const char *, kinds.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < kinds.n; i++)
        if (use == 0 || kinds.at[i]->use & use) words[n++] = kinds.at[i]->name;
    if (use & RR_USE_POOL) words[n++] = "unpriced";
    return rr_unknown_word(r, node, pointer, what, words, n);
}

/* ---- head ---- */

static enum rr_status check_format(const struct rr_reading *r, const cJSON *document, const struct rr_scenario *s)
{
    if (s->format == 1) return RR_OK;
    return rr_json_fail(RR_EINPUT, r->param.json, rr_json_member(document, "rackrate"), "/rackrate",
                        "format %lld is not known; rackrate " RR_VERSION " reads 1", (long long)s->format);
}

static bool is_currency(const char *c) { return strlen(c) == 3 && strspn(c, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == 3; }

static enum rr_status read_horizon(const struct rr_reading *r, const cJSON *document, struct rr_scenario *s)
{
    const cJSON *node = rr_json_member(document, "horizon");
    s->has_horizon = node != NULL;
    s->horizon_us = RR_NEVER;
    if (!node) return RR_OK;
    if (s->horizon.months != 0 && !s->clock.anchored)
        return rr_json_fail(RR_EINPUT, r->param.json, node, "/horizon",
                            "%s needs a calendar; add when time 0 is, such as \"start\": \"2026-01-01\", or give the horizon in days",
                            rr_param_shown(rr_param_unwrap(node), r->param.arena));
    if (rr_time_add(&s->clock, 0, s->horizon, &s->horizon_us) != RR_OK)
        return rr_json_fail(RR_EINPUT, r->param.json, node, "/horizon", "%s is too long",
                            rr_param_shown(rr_param_unwrap(node), r->param.arena));
    if (s->horizon_us <= 0) return rr_json_fail(RR_EINPUT, r->param.json, node, "/horizon", "the horizon must be longer than 0");
    if (s->horizon_us > 1000 * RR_YEAR_US) return rr_json_fail(RR_EINPUT, r->param.json, node, "/horizon", "at most 1000 years");
    if (s->warmup_us >= s->horizon_us)
        return rr_json_fail(RR_EINPUT, r->param.json, rr_json_member(document, "warmup"), "/warmup", "it must end before the horizon");
    return RR_OK;
}

static enum rr_status read_head(const struct rr_reading *r, const cJSON *document, struct rr_scenario *s)
{
    RR_TRY(rr_rows_read(r, &rr_rows_scenario, document, "", s));
    RR_TRY(check_format(r, document, s));
    if (!is_currency(s->currency))
        return rr_json_fail(RR_EINPUT, r->param.json, rr_json_member(document, "currency"), "/currency",
                            "a code of three capital letters is expected, such as \"USD\"");
    s->clock = (struct rr_clock){rr_json_member(document, "start") != NULL, s->start_us};
    return read_horizon(r, document, s);
}

static enum rr_status read_fx(const struct rr_reading *r, const cJSON *document, struct rr_scenario *s)
{
    const cJSON *fx = rr_json_member(document, "fx");
    if (fx && !cJSON_IsObject(fx))
        return rr_json_fail(RR_EINPUT, r->param.json, fx, "/fx",
                            "rates by currency are expected, such as {\"EUR\": {\"rate\": 1.08, \"date\": \"2026-01-02\"}}");
    s->fx = RR_NEWS(r->param.arena, struct rr_fx, (size_t)(fx ? cJSON_GetArraySize(fx) : 0));
    for (const cJSON *m = fx ? fx->child : NULL; m; m = m->next) {
        const char *pointer = rr_pointer_join(r->param.arena, "/fx", m->string);
        if (!cJSON_IsObject(m))
            return rr_json_fail(RR_EINPUT, r->param.json, m, pointer,
                                "%s given; a dated rate is expected, such as {\"rate\": 1.08, \"date\": \"2026-01-02\"}",
                                rr_param_shown(m, r->param.arena));
        RR_TRY(rr_named(r, m, pointer));
        if (!is_currency(m->string) || strcmp(m->string, s->currency) == 0)
            return rr_json_fail_key(RR_EINPUT, r->param.json, m, pointer,
                                    "a code of three capital letters is expected, other than the scenario's own %s", s->currency);
        struct rr_fx_rows rows = {0};
        RR_TRY(rr_rows_read(r, &rr_rows_fx, m, pointer, &rows));
        struct rr_fx *x = &s->fx[s->n_fx++];
        memcpy(x->from, m->string, 4);
        RR_TRY(rr_text_scaled(rr_json_number(rr_param_unwrap(rr_json_member(m, "rate"))), 9, &x->rate_nano));
        x->date = rr_strdup(r->param.arena, rr_param_unwrap(rr_json_member(m, "date"))->valuestring);
        x->source = rows.source;
    }
    return RR_OK;
}

/* ---- workload ---- */

// Above one GPU a number must be whole: checked where it is written out, drawn numbers are rounded by the generator.
static enum rr_status check_gpus(const struct rr_reading *r, const cJSON *node, const char *pointer, const struct rr_dist *d)
{
    const size_t n = d->kind == RR_DIST_CHOICE ? d->n : d->kind == RR_DIST_CONSTANT ? 1 : 0;
    for (size_t i = 0; i < n; i++) {
        const double v = d->kind == RR_DIST_CHOICE ? d->value[i] : d->a;
        if (v > 1 && v != floor(v))
            return rr_json_fail(RR_EINPUT, r->param.json, node, pointer, "%g GPUs: a share of one below 1, above 1 a whole number", v);
    }
    return RR_OK;
}

static enum rr_status read_arrival(const struct rr_reading *r, const cJSON *arrival, const char *pointer, struct rr_dist *ret)
{
    const cJSON *m = arrival->child;
    if (!m || m->next || strcmp(m->string, "poisson") != 0)
        return rr_json_fail(RR_EINPUT, r->param.json, m ? m : arrival, pointer,
                            "one arrival process is expected: {\"poisson\": {\"rate\": \"0.5/s\"}}");
    struct rr_poisson_rows rows = {0};
    RR_TRY(rr_rows_read(r, &rr_rows_poisson, m, rr_pointer_join(r->param.arena, pointer, m->string), &rows));
    *ret = (struct rr_dist){.kind = RR_DIST_EXPONENTIAL, .a = 1e6 / rows.rate_per_s};
    return RR_OK;
}

static enum rr_status read_generate(const struct rr_reading *r, struct rr_workload *w)
{
    struct rr_arena *a = r->param.arena;
    const char *pointer = rr_pointer_join(a, w->pointer, "generate");
    struct rr_generate_rows rows = {0};
    RR_TRY(rr_rows_read(r, &rr_rows_generate, w->generate_json, pointer, &rows));
    RR_TRY(check_gpus(r, rr_json_member(w->generate_json, "gpus"), rr_pointer_join(a, pointer, "gpus"), &rows.gpus));
    w->generate = (struct rr_generate){.count = rows.count, .duration_us = rows.duration_us, .gpus = rows.gpus};
    w->generates = true;
    return read_arrival(r, rows.arrival, rr_pointer_join(a, pointer, "arrival"), &w->generate.gap_us);
}

static enum rr_status check_trace(const struct rr_reading *r, const cJSON *node, const struct rr_workload *w)
{
    struct rr_arena *a = r->param.arena;
    const cJSON *format = rr_param_unwrap(rr_json_member(node, "format"));
    if (strcmp(w->format, "auto") != 0 && !rr_kind_find(r->reg->importers, w->format))
        return rr_unknown_kind(r, format, rr_pointer_join(a, w->pointer, "format"), "trace format", r->reg->importers, 0);
    return rr_file_there(r, rr_param_unwrap(rr_json_member(node, "trace")), rr_pointer_join(a, w->pointer, "trace"), w->trace);
}

static enum rr_status read_workload(const struct rr_reading *r, const cJSON *node, struct rr_scenario *s, struct rr_workload *w)
{
    const struct rr_json *json = r->param.json;
    w->name = rr_strdup(r->param.arena, node->string);
    w->pointer = rr_pointer_join(r->param.arena, "/workload", node->string);
    RR_TRY(rr_named(r, node, w->pointer));
    RR_TRY(rr_rows_read(r, &rr_rows_workload, node, w->pointer, w));
    RR_TRY(rr_where_read(r, node, w->pointer, "where", w->where_text, &w->where));
    const int sources = (w->trace != NULL) + (w->generate_json != NULL) + (w->training != NULL);
    if (sources != 1)
        return rr_json_fail(RR_EINPUT, json, node, w->pointer, "%s; give \"trace\": \"FILE\", \"generate\": {...} or \"training\": {...}",
                            sources ? "more than one of \"trace\", \"generate\" and \"training\"" : "no jobs");
    if (w->repeat && !s->has_horizon)
        return rr_json_fail(RR_EINPUT, json, rr_json_member(node, "repeat"), w->pointer,
                            "\"repeat\" without an end; add \"horizon\", such as \"horizon\": \"90 days\"");
    if (w->resample && !s->has_horizon)
        return rr_json_fail(RR_EINPUT, json, rr_json_member(node, "resample"), w->pointer,
                            "\"resample\" without an end; add \"horizon\", such as \"horizon\": \"90 days\"");
    if (w->trace) return check_trace(r, node, w);
    if (w->where)
        return rr_json_fail(RR_EINPUT, json, rr_json_member(node, "where"), w->pointer,
                            "\"where\" chooses from a trace; these jobs are made");
    if (w->repeat)
        return rr_json_fail(RR_EINPUT, json, rr_json_member(node, "repeat"), w->pointer,
                            "\"repeat\" is for traces; raise \"count\" instead");
    if (w->resample)
        return rr_json_fail(RR_EINPUT, json, rr_json_member(node, "resample"), w->pointer,
                            "\"resample\" is for traces; these jobs are drawn anew in each replication");
    return w->training ? rr_trainings_read(r, s, w) : read_generate(r, w);
}

static enum rr_status read_workloads(const struct rr_reading *r, const cJSON *document, struct rr_scenario *s)
{
    const cJSON *all = rr_json_member(document, "workload");
    if (!cJSON_IsObject(all) || !all->child)
        return rr_json_fail(RR_EINPUT, r->param.json, all ? all : document, "/workload",
                            "no workload; such as {\"prod\": {\"trace\": \"jobs.csv\"}} is expected");
    s->workload = RR_NEWS(r->param.arena, struct rr_workload, (size_t)cJSON_GetArraySize(all));
    for (const cJSON *m = all->child; m; m = m->next) RR_TRY(read_workload(r, m, s, &s->workload[s->n_workloads++]));
    return RR_OK;
}

/* ---- scheduler ---- */

static enum rr_status read_estimate(const struct rr_reading *r, const cJSON *scheduler, struct rr_scheduler *s)
{
    static const char pointer[] = "/scheduler/estimate";
    const struct rr_json *json = r->param.json;
    const cJSON *member = rr_json_member(scheduler, "estimate");
    RR_TRY(rr_param_check_wrapper(json, member, pointer));
    const cJSON *e = rr_param_unwrap(member), *noise = rr_json_member(e, "noise"), *factor = noise ? noise : rr_json_member(e, "factor");
    s->estimate_json = e;
    s->estimate_factor = 1;
    if (!e || (cJSON_IsString(e) && strcmp(e->valuestring, "user") == 0)) return RR_OK;
    if (cJSON_IsString(e) && strcmp(e->valuestring, "exact") == 0) {
        s->estimate = RR_ESTIMATE_EXACT;
        return RR_OK;
    }
    if (!factor || factor->next || e->child != factor || !cJSON_IsNumber(rr_param_unwrap(factor)))
        return rr_json_fail(RR_EINPUT, json, e, pointer, "%s given; \"user\", \"exact\", {\"factor\": 2} or {\"noise\": 0.3} is expected",
                            rr_param_shown(e, r->param.arena));
    s->estimate = noise ? RR_ESTIMATE_NOISE : RR_ESTIMATE_FACTOR;
    s->estimate_factor = rr_param_unwrap(factor)->valuedouble;
    if (noise && (!(s->estimate_factor >= 0) || s->estimate_factor > 10))
        return rr_json_fail(RR_EINPUT, json, factor, pointer, "%g given; a sigma of the logarithm from 0 to 10 is expected",
                            s->estimate_factor);
    if (!noise && (!(s->estimate_factor > 0) || s->estimate_factor > 1e6))
        return rr_json_fail(RR_EINPUT, json, factor, pointer, "%g given; a factor above 0 and at most 1000000 is expected",
                            s->estimate_factor);
    return RR_OK;
}

// Names of the rows that other tables read from the same object.
static const char *const *skip_list(const struct rr_reading *r, const struct rr_rows *own, const struct rr_kind *a, const struct rr_kind *b)
{
    size_t n = 0, most = own->n + (a ? a->n_params : 0) + (b ? b->n_params : 0) + 2;
    const char **list = RR_NEWS(r->param.arena, const char *, most);
    for (size_t i = 0; own->skip[i]; i++) list[n++] = own->skip[i];
    for (size_t i = 0; a && i < a->n_params; i++) list[n++] = a->params[i].name;
    for (size_t i = 0; b && i < b->n_params; i++) list[n++] = b->params[i].name;
    return list;
}

static void *kind_params(const struct rr_reading *r, const struct rr_kind *kind)
{
    return rr_alloc(r->param.arena, 1, kind->params_size > sizeof(uint64_t) ? kind->params_size : sizeof(uint64_t));
}

// Every key of the object is known by now; only this kind's own rows are looked at.
static enum rr_status read_kind(const struct rr_reading *r, const struct rr_kind *kind, const cJSON *object, void **ret)
{
    size_t n = 0;
    const char **skip = RR_NEWS(r->param.arena, const char *, (size_t)(object ? cJSON_GetArraySize(object) : 0) + 1);
    for (const cJSON *m = object ? object->child : NULL; m; m = m->next) {
        bool own = false;
        for (size_t i = 0; i < kind->n_params && !own; i++) own = strcmp(kind->params[i].name, m->string) == 0;
        if (!own) skip[n++] = m->string;
    }
    *ret = kind_params(r, kind);
    return rr_params_read(&r->param, kind->params, kind->n_params, object, "/scheduler", skip, *ret);
}

// A policy brings its own keys, so it is found before the keys are looked at; what is no text fails there.
static enum rr_status find_kind(const struct rr_reading *r, const cJSON *scheduler, const char *key, const char *otherwise,
                                const char *what, struct rr_kinds kinds, const struct rr_kind **ret)
{
    const cJSON *node = rr_param_unwrap(rr_json_member(scheduler, key));
    *ret = rr_kind_find(kinds, cJSON_IsString(node) ? node->valuestring : otherwise);
    if (*ret || (node && !cJSON_IsString(node))) return RR_OK;
    return rr_unknown_kind(r, node, rr_pointer_join(r->param.arena, "/scheduler", key), what, kinds, 0);
}

static enum rr_status read_scheduler(const struct rr_reading *r, const cJSON *document, struct rr_scenario *s)
{
    struct rr_scheduler *sch = &s->scheduler;
    const cJSON *object = rr_json_member(document, "scheduler");
    RR_TRY(find_kind(r, object, "policy", "fifo", "scheduling policy", r->reg->policies, &sch->policy));
    RR_TRY(find_kind(r, object, "placement", "pack", "placement", r->reg->placements, &sch->placement));
    struct rr_rows rows = rr_rows_scheduler;
    rows.skip = skip_list(r, &rr_rows_scheduler, sch->policy, sch->placement);
    struct rr_scheduler_rows read = {0};
    RR_TRY(rr_rows_read(r, &rows, object, "/scheduler", &read));
    sch->given = read.given;
    sch->policy_name = sch->policy->name;
    sch->placement_name = sch->placement->name;
    sch->order = read.order;
    sch->blocking = read.blocking;
    sch->overrun = read.overrun;
    sch->round_us = read.round_us;
    RR_TRY(read_estimate(r, object, sch));
    RR_TRY(read_kind(r, sch->policy, object, &sch->policy_params));
    return read_kind(r, sch->placement, object, &sch->placement_params);
}

/* ---- finance ---- */

/* "04-01": the month of the first day of the fiscal year. */
static enum rr_status read_fiscal_year(const struct rr_reading *r, const cJSON *object, struct rr_finance *f)
{
    const char *s = f->fiscal_year_start;
    const bool digits = strlen(s) == 5 && s[0] >= '0' && s[0] <= '1' && s[1] >= '0' && s[1] <= '9' && strcmp(s + 2, "-01") == 0;
    f->fiscal_month = digits ? (s[0] - '0') * 10 + s[1] - '0' : 0;
    if (f->fiscal_month >= 1 && f->fiscal_month <= 12) return RR_OK;
    return rr_json_fail(RR_EINPUT, r->param.json, rr_param_unwrap(rr_json_member(object, "fiscal_year_start")),
                        "/finance/fiscal_year_start", "\"%s\" given; the first day of a month is expected, such as \"04-01\"", s);
}

static enum rr_status read_tax(const struct rr_reading *r, struct rr_finance *f)
{
    if (!f->tax_json) return RR_OK;
    f->tax = RR_NEW(r->param.arena, struct rr_tax_rules);
    return rr_rows_read(r, &rr_rows_tax, f->tax_json, "/finance/tax", f->tax);
}

static enum rr_status read_finance(const struct rr_reading *r, const cJSON *document, struct rr_scenario *s)
{
    const cJSON *object = rr_json_member(document, "finance");
    RR_TRY(rr_rows_read(r, &rr_rows_finance, object, "/finance", &s->finance));
    s->finance.has_discount_rate = rr_json_member(object, "discount_rate") != NULL;
    if (!rr_json_member(object, "reinvest_rate")) s->finance.reinvest_rate = s->finance.discount_rate;
    if (!rr_json_member(object, "finance_rate")) s->finance.finance_rate = s->finance.discount_rate;
    if (!rr_json_member(object, "exit_resale")) s->finance.exit_resale = (double)NAN;
    RR_TRY(read_fiscal_year(r, object, &s->finance));
    RR_TRY(read_tax(r, &s->finance));
    const struct rr_rate e = s->finance.electricity.rate;
    if (rr_json_member(object, "electricity") && (e.per != RR_PER_KWH || e.time != RR_EVER))
        return rr_json_fail(RR_EINPUT, r->param.json, rr_param_unwrap(rr_json_member(object, "electricity")), "/finance/electricity",
                            "electricity is priced per kWh, such as \"$0.08/kWh\"");
    return RR_OK;
}

enum rr_status rr_scenario_read(const struct rr_reading *reading, const cJSON *document, struct rr_scenario *s)
{
    struct rr_reading with_books = *reading;
    struct rr_catalog catalog;
    const struct rr_reading *r = reading;
    RR_TRY(read_head(r, document, s));
    RR_TRY(read_fx(r, document, s));
    RR_TRY(rr_prices_read(r, document, s));
    if (s->n_books > 0) {
        rr_catalog_with_books(reading->catalog, s, r->param.arena, &catalog);
        with_books.catalog = &catalog;
        r = &with_books;
    }
    RR_TRY(rr_profiles_read(r, document, s));
    RR_TRY(read_workloads(r, document, s));
    RR_TRY(rr_pools_read(r, document, s));
    RR_TRY(rr_autoscale_read(r, document, s));
    RR_TRY(rr_classes_read(r, document, s));
    RR_TRY(rr_trainings_classes(r, s));
    RR_TRY(rr_commitments_read(r, document, s));
    RR_TRY(read_scheduler(r, document, s));
    RR_TRY(rr_speeds_read(r, document, s));
    RR_TRY(rr_failures_read(r, s));
    RR_TRY(read_finance(r, document, s));
    RR_TRY(rr_service_read(r, document, s));
    s->decision_hash = rr_scenario_hash(s);
    return RR_OK;
}
