/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/scenario_show.c - `check --print`: every parameter with its value, unit, given or default, and where it comes from. */
#include "data/scenario_rows.h"
#include <inttypes.h>
#include <string.h>

struct line {
    const char *pointer, *value, *unit, *origin, *source;
};
struct table {
    struct rr_arena *arena;
    const struct rr_scenario *s;
    RR_VEC(struct line) line;
};

static void add(struct table *t, const char *pointer, const char *value, const char *unit, const char *origin, const char *source)
{
    const struct line l = {pointer, value, unit ? unit : "", origin, source ? source : ""};
    rr_vec_push(&t->line, l);
}

// A member as the document has it: for what no row describes.
static void add_node(struct table *t, const char *pointer, const cJSON *node, const char *otherwise)
{
    const cJSON *v = rr_param_unwrap(node);
    char *text = v && !cJSON_IsString(v) ? cJSON_PrintUnformatted(v) : NULL;
    const char *value = text ? rr_strdup(t->arena, text) : v && v->valuestring ? v->valuestring : otherwise;
    add(t, pointer, value, "", node ? "given" : "default", rr_param_source(node, t->arena));
    cJSON_free(text);
}

// Where a value that nobody gave came from: the notes that were made when it was filled in.
static const char *source_of(const struct table *t, const char *pointer)
{
    for (size_t i = 0; i < t->s->notes.list.n; i++)
        if (strcmp(t->s->notes.list.at[i].where, pointer) == 0) return t->s->notes.list.at[i].source;
    return "";
}

static void add_rows(struct table *t, const char *pointer, const struct rr_param *rows, size_t n, const void *into, const cJSON *object)
{
    for (size_t i = 0; i < n; i++) {
        const struct rr_param *row = &rows[i];
        if (row->flags & RR_PF_LATER || row->type == RR_P_OBJECT) continue;
        const bool given = rr_json_member(object, row->name) != NULL;
        const char *at = rr_pointer_join(t->arena, pointer, row->name);
        struct rr_buf b = {0};
        const bool none = !given && !row->def && rr_param_is_zero(row, into);
        if (none)
            rr_buf_puts(&b, "-");
        else
            rr_param_text(&b, row, into);
        const char *source = given         ? rr_param_source(rr_json_member(object, row->name), t->arena)
                             : row->source ? row->source
                                           : source_of(t, at);
        add(t, at, rr_strdup(t->arena, rr_buf_text(&b)), none ? "" : row->unit, given ? "given" : none ? "none" : "default", source);
        rr_buf_done(&b);
    }
}

static void add_kind(struct table *t, const char *pointer, const struct rr_kind *kind, const void *params, const cJSON *object)
{
    add(t, rr_pointer_join(t->arena, pointer, "type"), kind ? kind->name : "unpriced", "", "given", "");
    if (kind) add_rows(t, pointer, kind->params, kind->n_params, params, object);
}

static void add_autoscale(struct table *t, const struct rr_autoscale *a)
{
    if (!a->policy) return;
    add(t, rr_pointer_join(t->arena, a->pointer, "policy"), a->policy->name, "", "given", "");
    add_rows(t, a->pointer, a->policy->params, a->policy->n_params, a->params, a->json);
}

static void add_workload(struct table *t, const struct rr_workload *w, const cJSON *object)
{
    add_rows(t, w->pointer, rr_rows_workload.at, rr_rows_workload.n, w, object);
    if (w->columns) add_node(t, rr_pointer_join(t->arena, w->pointer, "columns"), rr_json_member(object, "columns"), "");
    if (!w->generates || w->training) return;
    const char *pointer = rr_pointer_join(t->arena, w->pointer, "generate");
    const struct rr_generate_rows rows = {.count = w->generate.count, .duration_us = w->generate.duration_us, .gpus = w->generate.gpus};
    add_rows(t, pointer, rr_rows_generate.at, rr_rows_generate.n, &rows, w->generate_json);
    add_node(t, rr_pointer_join(t->arena, pointer, "arrival"), rr_json_member(w->generate_json, "arrival"), "");
}

static const char *counted(struct rr_arena *a, const struct rr_node_shape *s)
{
    const char *cpus = s->cpus_milli ? rr_strf(a, ", %g CPUs", (double)s->cpus_milli / 1000) : ", CPUs not counted";
    return s->memory_mib ? rr_strf(a, "%s, %g GiB", cpus, (double)s->memory_mib / 1024) : rr_strf(a, "%s, memory not counted", cpus);
}

static void add_image(struct table *t, const struct rr_pool *p)
{
    for (size_t i = 0; i < rr_rows_image.n; i++) {
        const struct rr_param *row = &rr_rows_image.at[i];
        const char *at = rr_pointer_join(t->arena, rr_pointer_join(t->arena, p->pointer, "image"), row->name);
        add_node(t, at, rr_json_member(p->image_json, row->name), row->def);
    }
}

static void add_pool(struct table *t, const struct rr_pool *p, const cJSON *object)
{
    const char *nodes = rr_pointer_join(t->arena, p->pointer, "nodes");
    add_rows(t, p->pointer, rr_rows_pool.at, rr_rows_pool.n, p, object);
    if (p->nodes_file) {
        add(t, nodes, rr_strf(t->arena, "%" PRId64 " from %s (%s)", p->nodes_min, p->nodes_file, p->nodes_format), "nodes", "given", "");
    } else if (p->nodes_min == p->nodes_max) {
        add(t, nodes, rr_strf(t->arena, "%" PRId64, p->nodes_min), "nodes", "given",
            rr_param_source(rr_json_member(object, "nodes"), t->arena));
    } else {
        const bool min = rr_json_member(p->nodes_json, "min") != NULL;
        add(t, rr_pointer_join(t->arena, nodes, "min"), rr_strf(t->arena, "%" PRId64, p->nodes_min), "nodes", min ? "given" : "default",
            "");
        add(t, rr_pointer_join(t->arena, nodes, "max"),
            p->nodes_max == INT64_MAX ? "unlimited" : rr_strf(t->arena, "%" PRId64, p->nodes_max), "nodes", "given", "");
    }
    if (p->slice)
        add(t, rr_pointer_join(t->arena, p->pointer, "mig"), rr_strf(t->arena, "%" PRId64 " x %s", p->slices, p->slice), "a GPU", "given",
            "");
    if (p->n_shapes == 1 && !p->nodes_file) {
        const struct rr_fact *f = p->hardware ? &p->hardware->fact : p->instance ? &p->instance->fact : NULL;
        add(t, rr_strf(t->arena, "%s (a node)", p->pointer),
            rr_strf(t->arena, "%" PRId32 " GPUs %s%s", p->shape->gpus, p->gpu, counted(t->arena, p->shape)), "", f ? "facts" : "given",
            f && f->path ? rr_strf(t->arena, "%s:%" PRId64 ", %s, %s", f->path, f->line, f->source, f->date) : "");
    }
    if (p->autoscale.json != t->s->autoscale.json) add_autoscale(t, &p->autoscale);
    if (p->image_json) add_image(t, p);
    add_kind(t, rr_pointer_join(t->arena, p->pointer, "plan"), p->plan, p->plan_params, p->plan_json);
}

static void add_spread(struct table *t, const cJSON *object)
{
    const double *f = t->s->scheduler.spread.factor;
    const struct rr_spread_rows rows = {0, f[RR_REACH_SWITCH], f[RR_REACH_RACK], f[RR_REACH_POOL]};
    add_rows(t, "/scheduler/spread_slowdown", rr_rows_spread.at, rr_rows_spread.n, &rows, object);
}

static void add_scheduler(struct table *t, const cJSON *object)
{
    const struct rr_scheduler *s = &t->s->scheduler;
    const struct rr_scheduler_rows rows = {s->given,   s->policy_name, s->placement_name, s->order,
                                           s->overrun, s->blocking,    s->round_us,       NULL};
    add_rows(t, "/scheduler", rr_rows_scheduler.at, rr_rows_scheduler.n, &rows, object);
    add_node(t, "/scheduler/estimate", rr_json_member(object, "estimate"), "user");
    if (s->spread.given) add_spread(t, rr_param_unwrap(rr_json_member(object, "spread_slowdown")));
    add_rows(t, "/scheduler", s->policy->params, s->policy->n_params, s->policy_params, object);
    add_rows(t, "/scheduler", s->placement->params, s->placement->n_params, s->placement_params, object);
}

static void add_class(struct table *t, const struct rr_class *c, const cJSON *object)
{
    add_rows(t, c->pointer, rr_rows_class.at, rr_rows_class.n, c, object);
    if (c->may_use) add_node(t, rr_pointer_join(t->arena, c->pointer, "pools"), rr_json_member(object, "pools"), "");
    if (c->checkpoint_json) // what it leaves out is the scenario's
        add_rows(t, rr_pointer_join(t->arena, c->pointer, "checkpoint"), rr_rows_checkpoint.at, rr_rows_checkpoint.n, &c->checkpoint,
                 c->checkpoint_json);
}

static void add_failures(struct table *t)
{
    const struct rr_failures *f = t->s->failures;
    const cJSON *object = t->s->failures_json;
    if (!f) return;
    add_rows(t, "/failures", rr_rows_failures.at, rr_rows_failures.n, f, object);
    if (f->has_causes) {
        const char *text = "";
        for (int i = 0; i < RR_CAUSES; i++)
            text = rr_strf(t->arena, "%s%s%s %.4g", text, i ? ", " : "", rr_cause_names[i],
                           f->causes_upto[i] - (i ? f->causes_upto[i - 1] : 0));
        add(t, "/failures/causes", text, "", f->causes_json ? "given" : "default", f->causes_json ? "" : f->like);
    }
    if (f->repair.share > 0)
        add_rows(t, "/failures/repair", rr_rows_fail_repair.at, rr_rows_fail_repair.n, &f->repair, rr_json_member(object, "repair"));
    else
        add_rows(t, "/failures", rr_rows_fail_repair_plain.at, rr_rows_fail_repair_plain.n, &f->repair, object);
    for (int k = 0; k < RR_DOMAINS; k++)
        if (f->domain[k].mtbf_us)
            add_rows(t, rr_strf(t->arena, "/failures/domains/%s", rr_domain_names[k]), rr_rows_fail_domain.at, rr_rows_fail_domain.n,
                     &f->domain[k], rr_json_member(f->domains_json, rr_domain_names[k]));
    for (size_t i = 0; i < f->n_maintenance; i++)
        add_rows(t, f->maintenance[i].pointer, rr_rows_maintenance.at, rr_rows_maintenance.n, &f->maintenance[i],
                 rr_json_member(f->maintenance_json, f->maintenance[i].name));
    if (f->pool) add_node(t, "/failures/pools", rr_json_member(object, "pools"), "");
}

static const char *shown_json(struct table *t, const cJSON *node)
{
    char *text = cJSON_PrintUnformatted(node);
    const char *copy = rr_strdup(t->arena, text ? text : "");
    cJSON_free(text);
    return copy;
}

static void add_study(struct table *t)
{
    const struct rr_scenario *s = t->s;
    for (const cJSON *m = s->uncertainty_json ? s->uncertainty_json->child : NULL; m; m = m->next) {
        const cJSON *path = rr_param_unwrap(rr_json_member(m, "path"));
        add(t, rr_pointer_join(t->arena, "/uncertainty", m->string), shown_json(t, m), cJSON_IsString(path) ? path->valuestring : "",
            "given", "");
    }
    if (s->until_json) add(t, "/until", shown_json(t, s->until_json), "", "given", "");
}

static void add_head(struct table *t)
{
    const struct rr_scenario *s = t->s;
    add_rows(t, "", rr_rows_scenario.at, rr_rows_scenario.n, s, s->document);
    for (size_t i = 0; i < s->n_fx; i++) {
        const struct rr_fx *x = &s->fx[i];
        struct rr_buf b = {0};
        rr_buf_money_plain(&b, (struct rr_money){x->rate_nano / 1000});
        const char *value =
            x->rate_nano % 1000 ? rr_strf(t->arena, "%.9f", (double)x->rate_nano / 1e9) : rr_strdup(t->arena, rr_buf_text(&b));
        add(t, rr_strf(t->arena, "/fx/%s", x->from), value, rr_strf(t->arena, "%s per %s", s->currency, x->from), "given",
            rr_strf(t->arena, "%s %s", x->date, x->source));
        rr_buf_done(&b);
    }
}

static void collect(struct table *t)
{
    const struct rr_scenario *s = t->s;
    const cJSON *d = s->document;
    add_head(t);
    for (size_t i = 0; i < s->n_workloads; i++)
        add_workload(t, &s->workload[i], rr_json_member(rr_json_member(d, "workload"), s->workload[i].name));
    for (size_t i = 0; i < s->n_pools; i++) add_pool(t, &s->pool[i], rr_json_member(rr_json_member(d, "pools"), s->pool[i].name));
    for (size_t i = 0; i < s->n_commitments; i++) {
        const struct rr_commitment *c = &s->commitment[i];
        add_kind(t, c->pointer, c->plan, c->params, rr_json_member(rr_json_member(d, "commitments"), c->name));
    }
    for (size_t i = 0; i < s->n_charges; i++) {
        const struct rr_commitment *c = &s->charge[i];
        add_kind(t, c->pointer, c->plan, c->params, rr_json_member(rr_json_member(d, "charges"), c->name));
    }
    add_scheduler(t, rr_json_member(d, "scheduler"));
    add_rows(t, "/checkpoint", rr_rows_checkpoint.at, rr_rows_checkpoint.n, &s->checkpoint, rr_json_member(d, "checkpoint"));
    for (size_t i = 0; i < s->n_classes; i++)
        add_class(t, &s->classes[i], rr_json_member(rr_json_member(d, "classes"), s->classes[i].name));
    add_failures(t);
    add_autoscale(t, &s->autoscale);
    for (size_t i = 0; i < s->n_service; i++) add(t, s->service[i].pointer, s->service[i].text, "", "given", "");
    add_study(t);
    add_rows(t, "/finance", rr_rows_finance.at, rr_rows_finance.n, &s->finance, rr_json_member(d, "finance"));
    if (s->finance.tax)
        add_rows(t, "/finance/tax", rr_rows_tax.at, rr_rows_tax.n, s->finance.tax, rr_json_member(rr_json_member(d, "finance"), "tax"));
}

// Columns counted in characters; what is longer than `most` pushes its row to the right.
static size_t characters(const char *s)
{
    size_t n = 0;
    for (; *s; s++) n += ((unsigned char)*s & 0xc0) != 0x80;
    return n;
}

static void put_cell(struct rr_buf *b, const char *text, size_t width)
{
    for (const char *c = text; *c; c++) {
        const char shown = (unsigned char)*c < 0x20 || *c == 0x7f ? ' ' : *c;
        rr_buf_put(b, &shown, 1);
    }
    rr_buf_puts(b, "  ");
    for (size_t n = characters(text); n < width; n++) rr_buf_puts(b, " ");
}

static void put_table(struct rr_buf *b, const struct table *t)
{
    const struct line head = {"POINTER", "VALUE", "UNIT", "FROM", "SOURCE"};
    size_t width[4] = {7, 5, 4, 7};
    for (size_t i = 0; i < t->line.n; i++) {
        const struct line *l = &t->line.at[i];
        const size_t n[4] = {characters(l->pointer), characters(l->value), characters(l->unit), characters(l->origin)};
        for (size_t k = 0; k < 4; k++)
            if (n[k] > width[k] && n[k] <= 48) width[k] = n[k];
    }
    for (size_t i = 0; i <= t->line.n; i++) {
        const struct line *l = i ? &t->line.at[i - 1] : &head;
        put_cell(b, l->pointer, width[0]);
        put_cell(b, l->value, width[1]);
        put_cell(b, l->unit, width[2]);
        put_cell(b, l->origin, width[3]);
        put_cell(b, l->source, 0);
        while (b->n > 0 && b->at[b->n - 1] == ' ') b->n--;
        rr_buf_puts(b, "\n");
    }
}

void rr_scenario_print(struct rr_buf *b, const struct rr_scenario *s, const struct rr_registry *reg)
{
    (void)reg; // the variant knows its plans and policies
    struct table t = {.arena = rr_arena_create(), .s = s};
    collect(&t);
    rr_buf_putf(b, "%s, alternative %s\n", s->name, s->variant);
    put_table(b, &t);
    rr_buf_puts(b, "\n");
    rr_vec_done(&t.line);
    rr_arena_free(t.arena);
}
