/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/scenario_failures.c - "failures": its rows, and what no row says. */
#include "data/scenario_rows.h"
#include <string.h>

#define AT(type, field) offsetof(struct type, field)
#define ROWS(table)     table, sizeof table / sizeof *table

static const struct rr_param failures[] = {
    {.name = "like",
     .type = RR_P_TEXT,
     .offset = AT(rr_failures, like),
     .help = "rate and causes of a published system, such as \"llama-3.1-405b\"; what stands beside it wins"},
    {.name = "node_mtbf",
     .type = RR_P_TIME,
     .offset = AT(rr_failures, node_mtbf_us),
     .least = 1e6,
     .most = 9e18,
     .help = "mean time between failures of one node, exponential"},
    {.name = "node",
     .type = RR_P_DIST_TIME,
     .offset = AT(rr_failures, node_us),
     .least = 1e6,
     .most = 9e18,
     .help = "time between failures of one node, such as {\"weibull\": {\"scale\": \"6000 h\", \"shape\": 0.7}}"},
    {.name = "gpu_mtbf",
     .type = RR_P_TIME,
     .offset = AT(rr_failures, gpu_mtbf_us),
     .least = 1e6,
     .most = 9e18,
     .help = "mean time between failures of one GPU, exponential; one takes its node"},
    {.name = "network_mtbf",
     .type = RR_P_TIME,
     .offset = AT(rr_failures, network_mtbf_us),
     .least = 1e6,
     .most = 9e18,
     .help = "mean time between failures of a node's network, exponential"},
    {.name = "causes",
     .type = RR_P_OBJECT,
     .offset = AT(rr_failures, causes_json),
     .help = "shares of the causes node, gpu, network, power and software; software needs no repair"},
    {.name = "domains",
     .type = RR_P_OBJECT,
     .offset = AT(rr_failures, domains_json),
     .help = "what takes several nodes at once: switch, rack, power"},
    {.name = "detect",
     .type = RR_P_DIST_TIME,
     .offset = AT(rr_failures, detect_us),
     .def = "\"10 min\"",
     .least = 0,
     .most = 9e18,
     .help = "from a failure until jobs are restarted; they hold their GPUs meanwhile",
     .source = "default NCCL timeout of PyTorch"},
    {.name = "spares",
     .type = RR_P_INT,
     .offset = AT(rr_failures, spares),
     .def = "0",
     .least = 0,
     .most = 1e6,
     .help = "nodes of each static pool that are kept aside, down, and take the place of failed ones"},
    {.name = "maintenance",
     .type = RR_P_OBJECT,
     .offset = AT(rr_failures, maintenance_json),
     .help = "planned maintenance by name, such as {\"monthly\": {\"every\": \"30 days\", \"length\": \"4 h\"}}"},
    {.name = "trace",
     .type = RR_P_PATH,
     .offset = AT(rr_failures, trace),
     .help = "failures as they were: time_s,pool,node,duration_s and perhaps cause"},
};
static const char *const skip[] = {"repair", "pools", NULL};
const struct rr_rows rr_rows_failures = {ROWS(failures), skip};

static const struct rr_param repair[] = {
    {.name = "minutes",
     .type = RR_P_DIST_TIME,
     .offset = AT(rr_fail_repair, minutes_us),
     .def = "\"1 h\"",
     .least = 0,
     .most = 9e18,
     .help = "most repairs",
     .source = "planning value"},
    {.name = "days",
     .type = RR_P_DIST_TIME,
     .offset = AT(rr_fail_repair, days_us),
     .def = "\"3 days\"",
     .least = 0,
     .most = 9e18,
     .help = "the others: parts, returns",
     .source = "planning value"},
    {.name = "share", .type = RR_P_SHARE, .offset = AT(rr_fail_repair, share), .def = "0", .help = "share of the long ones"},
};
const struct rr_rows rr_rows_fail_repair = {ROWS(repair), NULL};

static const struct rr_param repair_plain[] = {{.name = "repair",
                                                .type = RR_P_DIST_TIME,
                                                .offset = AT(rr_fail_repair, minutes_us),
                                                .def = "\"1 h\"",
                                                .least = 0,
                                                .most = 9e18,
                                                .help = "how long a node is down",
                                                .source = "planning value"}};

static const struct rr_param domain[] = {
    {.name = "mtbf",
     .type = RR_P_TIME,
     .offset = AT(rr_fail_domain, mtbf_us),
     .least = 1e6,
     .most = 9e18,
     .help = "mean time between failures of one of them, exponential, such as \"5000 d\"",
     .flags = RR_PF_REQUIRED},
    {.name = "nodes",
     .type = RR_P_INT,
     .offset = AT(rr_fail_domain, nodes),
     .least = 1,
     .most = 1e7,
     .help = "nodes of a pool that share one, such as 16",
     .flags = RR_PF_REQUIRED},
    {.name = "repair",
     .type = RR_P_DIST_TIME,
     .offset = AT(rr_fail_domain, repair_us),
     .least = 0,
     .most = 9e18,
     .help = "how long its nodes are down; as a node's when absent"},
};
const struct rr_rows rr_rows_fail_domain = {ROWS(domain), NULL};

static const struct rr_param maintenance[] = {
    {.name = "every",
     .type = RR_P_TIME,
     .offset = AT(rr_maintenance, every_us),
     .least = 1e6,
     .most = 9e18,
     .help = "from one to the next, such as \"30 days\"",
     .flags = RR_PF_REQUIRED},
    {.name = "length",
     .type = RR_P_TIME,
     .offset = AT(rr_maintenance, length_us),
     .least = 1,
     .most = 9e18,
     .help = "how long a node is down for it, such as \"4 h\"",
     .flags = RR_PF_REQUIRED},
    {.name = "first",
     .type = RR_P_TIME,
     .offset = AT(rr_maintenance, first_us),
     .least = 0,
     .most = 9e18,
     .help = "when the first one begins; `every` after the start when absent"},
    {.name = "notice",
     .type = RR_P_TIME,
     .offset = AT(rr_maintenance, notice_us),
     .def = "\"0 s\"",
     .least = 0,
     .most = 9e18,
     .help = "no job starts on the node this long before; jobs that still run then are interrupted"},
    {.name = "at_once",
     .type = RR_P_INT,
     .offset = AT(rr_maintenance, at_once),
     .least = 1,
     .most = 1e7,
     .help = "nodes of a pool at a time, one batch after the other; all when absent"},
};
const struct rr_rows rr_rows_maintenance = {ROWS(maintenance), NULL};

#define TOP "/failures"

const struct rr_rows rr_rows_fail_repair_plain = {ROWS(repair_plain), NULL};

static const char *join(const struct rr_reading *r, const char *pointer, const char *key)
{
    return rr_pointer_join(r->param.arena, pointer, key);
}

/* ---- repair, domains, causes, maintenance ---- */

static enum rr_status read_repair(const struct rr_reading *r, const cJSON *object, struct rr_failures *f)
{
    const cJSON *m = rr_json_member(object, "repair");
    f->repair_json = m;
    const bool mixture = rr_json_member(m, "minutes") || rr_json_member(m, "days") || rr_json_member(m, "share");
    if (mixture || (cJSON_IsObject(m) && !m->child)) {
        RR_TRY(rr_rows_read(r, &rr_rows_fail_repair, m, TOP "/repair", &f->repair));
        if (f->repair.share > 0 || !rr_json_member(m, "days")) return RR_OK;
        return rr_json_fail(RR_EINPUT, r->param.json, m, TOP "/repair", "\"days\" without their \"share\", such as \"share\": 0.1");
    }
    const char **others = RR_NEWS(r->param.arena, const char *, (size_t)cJSON_GetArraySize(object) + 1);
    size_t n = 0;
    for (const cJSON *o = object->child; o; o = o->next)
        if (strcmp(o->string, "repair") != 0) others[n++] = o->string;
    return rr_params_read(&r->param, repair_plain, 1, object, TOP, others, &f->repair);
}

static enum rr_status read_domains(const struct rr_reading *r, struct rr_failures *f)
{
    size_t n = 0;
    while (rr_domain_names[n]) n++;
    for (const cJSON *m = f->domains_json ? f->domains_json->child : NULL; m; m = m->next) {
        const char *pointer = join(r, TOP "/domains", m->string);
        size_t k = 0;
        while (k < n && strcmp(rr_domain_names[k], m->string) != 0) k++;
        if (k == n)
            return rr_json_fail_key(RR_EINPUT, r->param.json, m, pointer, "\"%.60s\" is no domain of failure; known: switch, rack, power",
                                    m->string);
        RR_TRY(rr_named(r, m, pointer));
        RR_TRY(rr_rows_read(r, &rr_rows_fail_domain, m, pointer, &f->domain[k]));
        f->domain[k].has_repair = rr_json_member(m, "repair") != NULL;
    }
    return RR_OK;
}

static void cumulate(struct rr_failures *f, const double share[RR_CAUSES])
{
    double sum = 0, upto = 0;
    for (int i = 0; i < RR_CAUSES; i++) sum += share[i];
    for (int i = 0; i < RR_CAUSES; i++) f->causes_upto[i] = (upto += share[i]) / sum;
    f->causes_upto[RR_CAUSES - 1] = 1;
    f->has_causes = true;
}

static enum rr_status read_causes(const struct rr_reading *r, struct rr_failures *f)
{
    double share[RR_CAUSES] = {0}, sum = 0;
    for (const cJSON *m = f->causes_json->child; m; m = m->next) {
        const char *pointer = join(r, TOP "/causes", m->string);
        const cJSON *v = rr_param_unwrap(m);
        int k = 0;
        while (k < RR_CAUSES && strcmp(rr_cause_names[k], m->string) != 0) k++;
        if (k == RR_CAUSES)
            return rr_json_fail_key(RR_EINPUT, r->param.json, m, pointer,
                                    "\"%.60s\" is no cause; known: node, gpu, network, power, software", m->string);
        RR_TRY(rr_param_check_wrapper(r->param.json, m, pointer));
        if (!cJSON_IsNumber(v) || !(v->valuedouble >= 0) || v->valuedouble > 1e9)
            return rr_json_fail(RR_EINPUT, r->param.json, v, pointer, "%s given; a share or a count, at least 0, is expected, such as 0.6",
                                rr_param_shown(v, r->param.arena));
        sum += share[k] = v->valuedouble;
    }
    if (!(sum > 0)) return rr_json_fail(RR_EINPUT, r->param.json, f->causes_json, TOP "/causes", "the shares add up to 0");
    cumulate(f, share);
    return RR_OK;
}

static enum rr_status read_maintenance(const struct rr_reading *r, struct rr_failures *f)
{
    f->maintenance = RR_NEWS(r->param.arena, struct rr_maintenance, (size_t)cJSON_GetArraySize(f->maintenance_json) + 1);
    for (const cJSON *m = f->maintenance_json ? f->maintenance_json->child : NULL; m; m = m->next) {
        struct rr_maintenance *x = &f->maintenance[f->n_maintenance++];
        x->name = rr_strdup(r->param.arena, m->string);
        x->pointer = join(r, TOP "/maintenance", m->string);
        RR_TRY(rr_named(r, m, x->pointer));
        RR_TRY(rr_rows_read(r, &rr_rows_maintenance, m, x->pointer, x));
        if (x->length_us >= x->every_us)
            return rr_json_fail(RR_EINPUT, r->param.json, rr_json_member(m, "length"), join(r, x->pointer, "length"),
                                "it must be shorter than \"every\", from one to the next");
        if (x->notice_us >= x->every_us)
            return rr_json_fail(RR_EINPUT, r->param.json, rr_json_member(m, "notice"), join(r, x->pointer, "notice"),
                                "it must be shorter than \"every\", from one to the next");
        if (!rr_json_member(m, "first")) x->first_us = x->every_us;
        if (x->first_us < x->notice_us)
            return rr_json_fail(RR_EINPUT, r->param.json, rr_json_member(m, "first"), join(r, x->pointer, "first"),
                                "its \"notice\" would be given before the start");
    }
    return RR_OK;
}

/* ---- pools, trace, facts ---- */

static enum rr_status read_pools(const struct rr_reading *r, const cJSON *list, const struct rr_scenario *s, struct rr_failures *f)
{
    if (!list) return RR_OK;
    if (!cJSON_IsArray(list) || !list->child)
        return rr_json_fail(RR_EINPUT, r->param.json, list, TOP "/pools", "a list of pools is expected, such as [\"own\"]");
    const char **names = RR_NEWS(r->param.arena, const char *, s->n_pools);
    for (size_t i = 0; i < s->n_pools; i++) names[i] = s->pool[i].name;
    f->pool = RR_NEWS(r->param.arena, bool, s->n_pools);
    for (const cJSON *m = list->child; m; m = m->next) {
        size_t i = 0;
        while (i < s->n_pools && !(cJSON_IsString(m) && strcmp(names[i], m->valuestring) == 0)) i++;
        if (i == s->n_pools) return rr_unknown_word(r, m, TOP "/pools", "pool", names, s->n_pools);
        f->pool[i] = true;
    }
    return RR_OK;
}

// A sample takes the events of its variant: the same file about the same pools.
static bool took_events(const struct rr_reading *r, const struct rr_scenario *s, struct rr_failures *f)
{
    const struct rr_failures *old = r->like ? r->like->failures : NULL;
    if (!old || !old->trace || strcmp(old->trace, f->trace) != 0 || r->like->n_pools != s->n_pools) return false;
    for (size_t i = 0; i < s->n_pools; i++)
        if (strcmp(r->like->pool[i].name, s->pool[i].name) != 0 || r->like->pool[i].nodes_max != s->pool[i].nodes_max) return false;
    f->event = old->event;
    f->n_events = old->n_events;
    f->trace_sha256 = old->trace_sha256;
    return true;
}

static enum rr_status read_trace(const struct rr_reading *r, const cJSON *object, const struct rr_scenario *s, struct rr_failures *f)
{
    if (!f->trace) return RR_OK;
    if (took_events(r, s, f)) return RR_OK;
    const cJSON *node = rr_param_unwrap(rr_json_member(object, "trace"));
    RR_TRY(rr_file_there(r, node, TOP "/trace", f->trace));
    f->trace_sha256 = "";
    if (r->any_path) return RR_OK;
    const char **names = RR_NEWS(r->param.arena, const char *, s->n_pools);
    int64_t *nodes = RR_NEWS(r->param.arena, int64_t, s->n_pools);
    for (size_t i = 0; i < s->n_pools; i++) names[i] = s->pool[i].name, nodes[i] = s->pool[i].nodes_max;
    const enum rr_status st = rr_fail_trace_read(f->trace, r->param.arena, names, nodes, s->n_pools, f);
    if (st != RR_EINPUT) return st;
    const char *reason = rr_strdup(r->param.arena, rr_reason());
    return rr_json_fail(RR_EINPUT, r->param.json, node, TOP "/trace", "%s", reason);
}

static void note_like(struct rr_scenario *s, const struct rr_failure_rate *x, const char *source)
{
    rr_note(&s->notes, RR_NOTE_ASSUMED, TOP "/gpu_mtbf", source,
            "failures as of %s: one in %.0f GPU-hours (published ones go from %.0f to %.0f)", x->id, x->gpu_hours, x->least, x->most);
}

// Rate and causes of a published system, where the scenario has none of its own.
static enum rr_status read_like(const struct rr_reading *r, const cJSON *object, struct rr_scenario *s, struct rr_failures *f)
{
    if (!f->like) return RR_OK;
    const struct rr_catalog *c = r->catalog;
    const cJSON *node = rr_param_unwrap(rr_json_member(object, "like"));
    const char **ids = RR_NEWS(r->param.arena, const char *, c->n_failure_rates + 1);
    size_t k = c->n_failure_rates;
    for (size_t i = 0; i < c->n_failure_rates; i++) {
        ids[i] = c->failure_rate[i].id;
        if (strcmp(ids[i], f->like) == 0) k = i;
    }
    if (k == c->n_failure_rates) return rr_unknown_word(r, node, TOP "/like", "system with a published failure rate", ids, k);
    const struct rr_failure_rate *x = &c->failure_rate[k];
    if (!f->node_mtbf_us && !f->has_node && !f->gpu_mtbf_us) {
        f->gpu_mtbf_us = (int64_t)(x->gpu_hours * (double)RR_H);
        note_like(s, x, rr_fact_text(r->param.arena, &x->fact));
    }
    double share[RR_CAUSES] = {0};
    bool any = false;
    for (size_t i = 0; i < c->n_failure_causes; i++) {
        const struct rr_failure_cause *y = &c->failure_cause[i];
        if (strcmp(y->id, f->like) != 0) continue;
        any = true;
        for (int q = 0; q < RR_CAUSES; q++)
            if (strcmp(rr_cause_names[q], y->kind) == 0) share[q] += y->count;
    }
    if (any && !f->causes_json) cumulate(f, share);
    return RR_OK;
}

static enum rr_status check(const struct rr_reading *r, const cJSON *object, const struct rr_scenario *s, const struct rr_failures *f)
{
    const struct rr_json *json = r->param.json;
    if (f->has_node && f->node_mtbf_us)
        return rr_json_fail(RR_EINPUT, json, object, TOP, "both \"node\" and \"node_mtbf\"; one of them is expected");
    bool any = f->has_node || f->node_mtbf_us || f->gpu_mtbf_us || f->network_mtbf_us || f->trace || f->n_maintenance > 0;
    for (int k = 0; k < RR_DOMAINS; k++) any |= f->domain[k].mtbf_us > 0;
    if (!any)
        return rr_json_fail(RR_EINPUT, json, object, TOP,
                            "nothing fails; such as \"node_mtbf\": \"6000 h\" or \"like\": \"llama-3.1-405b\" is expected");
    bool held = f->spares == 0;
    for (size_t i = 0; i < s->n_pools; i++) {
        if (f->spares == 0 || (f->pool && !f->pool[i]) || s->pool[i].nodes_min < s->pool[i].nodes_max) continue;
        held = true;
        if (f->spares >= s->pool[i].nodes_min)
            return rr_json_fail(RR_EINPUT, json, rr_json_member(object, "spares"), TOP "/spares",
                                "%lld given; fewer than the %lld nodes of pool %s are expected", (long long)f->spares,
                                (long long)s->pool[i].nodes_min, s->pool[i].name);
    }
    if (!held)
        return rr_json_fail(RR_EINPUT, json, rr_json_member(object, "spares"), TOP "/spares",
                            "spares are nodes of static pools, and there is none");
    return RR_OK;
}

static enum rr_status read_failures(const struct rr_reading *r, const cJSON *object, struct rr_scenario *s)
{
    struct rr_failures *f = RR_NEW(r->param.arena, struct rr_failures);
    RR_TRY(rr_rows_read(r, &rr_rows_failures, object, TOP, f));
    f->has_node = rr_json_member(object, "node") != NULL;
    RR_TRY(read_repair(r, object, f));
    RR_TRY(read_domains(r, f));
    if (f->causes_json) RR_TRY(read_causes(r, f));
    RR_TRY(read_maintenance(r, f));
    RR_TRY(read_pools(r, rr_json_member(object, "pools"), s, f));
    RR_TRY(read_trace(r, object, s, f));
    RR_TRY(read_like(r, object, s, f));
    RR_TRY(check(r, object, s, f));
    s->failures = f;
    return RR_OK;
}

enum rr_status rr_failures_read(const struct rr_reading *r, struct rr_scenario *s)
{
    cJSON *planned;
    RR_TRY(rr_trainings_failures(r, s, &planned));
    if (s->failures_json) return read_failures(r, s->failures_json, s);
    const enum rr_status st = planned ? read_failures(r, planned, s) : RR_OK;
    cJSON_Delete(planned);
    return st;
}
