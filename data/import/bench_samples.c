/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/import/bench_samples.c - "rackrate.samples/1", what rackrate-probe and `rackrate import profiles` write; data/samples.h describes it. */
#include "data/bench_help.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    const struct rr_bench_text *t;
    struct rr_sample_sink *sink;
    struct rr_json *json;
};

enum kind { TEXT, NUMBER, BOOLEAN, TIMES };
#define AT(member) offsetof(struct rr_sample, member)
/* Members of a sample; where a number goes, and how. */
static const struct {
    const char *key;
    enum kind kind;
    size_t at;
    char as; /* i int32, l int64, d double, s text, b bool */
} members[] = {
    {"op", TEXT, AT(op), 's'},
    {"algorithm", TEXT, AT(algorithm), 's'},
    {"protocol", TEXT, AT(protocol), 's'},
    {"type", TEXT, AT(type), 's'},
    {"ranks", NUMBER, AT(ranks), 'i'},
    {"nodes", NUMBER, AT(nodes), 'i'},
    {"from", NUMBER, AT(from), 'i'},
    {"to", NUMBER, AT(to), 'i'},
    {"bytes", NUMBER, AT(bytes), 'l'},
    {"line", NUMBER, AT(line), 'l'},
    {"log", NUMBER, AT(log), 'i'},
    {"m", NUMBER, AT(m), 'l'},
    {"n", NUMBER, AT(n), 'l'},
    {"k", NUMBER, AT(k), 'l'},
    {"flops", NUMBER, AT(flops), 'd'},
    {"in_place", BOOLEAN, AT(in_place), 'b'},
    {"power_w", NUMBER, AT(power_w), 'd'},
    {"clock_mhz", NUMBER, AT(clock_mhz), 'd'},
    {"predicted_us", NUMBER, AT(predicted_us), 'd'},
    {"gb_s", NUMBER, AT(gb_s), 'd'},
    {"p05_gb_s", NUMBER, AT(p05_gb_s), 'd'},
    {"p95_gb_s", NUMBER, AT(p95_gb_s), 'd'},
};
#undef AT

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* "us": a number or all repeats; the median stands for them. */
static bool set_times(struct reader *r, const cJSON *node, struct rr_sample *s)
{
    const cJSON *m;
    if (cJSON_IsNumber(node)) {
        s->us = node->valuedouble;
        return s->us > 0;
    }
    const int n = cJSON_IsArray(node) ? cJSON_GetArraySize(node) : 0;
    size_t k = 0;
    if (n <= 0) return false;
    double *all = RR_NEWS(r->t->arena, double, (size_t)n);
    cJSON_ArrayForEach(m, node)
    {
        if (!cJSON_IsNumber(m) || !(m->valuedouble > 0)) return false;
        all[k++] = m->valuedouble;
    }
    qsort(all, k, sizeof *all, by_value);
    s->all = all, s->n_all = k;
    s->us = k % 2 ? all[k / 2] : (all[k / 2 - 1] + all[k / 2]) / 2;
    return true;
}

static bool set_member(struct reader *r, const cJSON *m, struct rr_sample *s)
{
    if (strcmp(m->string, "us") == 0) return set_times(r, m, s);
    if (strcmp(m->string, "kind") == 0 || strcmp(m->string, "check") == 0) return cJSON_IsString(m);
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        if (strcmp(m->string, members[i].key) != 0) continue;
        char *to = (char *)s + members[i].at;
        const double v = m->valuedouble;
        if (members[i].kind == NUMBER && (!cJSON_IsNumber(m) || !(fabs(v) < 9e18) || v < -1)) return false;
        if (members[i].kind == TEXT && !cJSON_IsString(m)) return false;
        if (members[i].kind == BOOLEAN && !cJSON_IsBool(m)) return false;
        if ((members[i].as == 'i' && (v != floor(v) || v > 1e9)) || (members[i].as == 'l' && v != floor(v))) return false;
        if (members[i].as == 's') *(const char **)(void *)to = rr_strdup(r->t->arena, m->valuestring);
        if (members[i].as == 'i') *(int32_t *)(void *)to = (int32_t)v;
        if (members[i].as == 'l') *(int64_t *)(void *)to = (int64_t)v;
        if (members[i].as == 'd') *(double *)(void *)to = v;
        if (members[i].as == 'b') *(bool *)(void *)to = cJSON_IsTrue(m);
        return true;
    }
    return false;
}

static void take_sample(struct reader *r, const cJSON *o)
{
    const int64_t line = rr_bench_json_line(r->json, o, r->t->arena);
    const cJSON *kind = rr_json_member(o, "kind"), *check = rr_json_member(o, "check"), *m;
    struct rr_sample s = rr_sample_none(RR_SAMPLE_COLLECTIVE);
    int k = 0;
    while (k < RR_SAMPLE_KIND_N && (!cJSON_IsString(kind) || strcmp(kind->valuestring, rr_sample_kind_name[k]) != 0)) k++;
    if (k == RR_SAMPLE_KIND_N) {
        rr_sink_refuse(r->sink, line, "\"kind\" must be collective, gemm, memory, transfer, kernel, launch, storage or step");
        return;
    }
    s.kind = (enum rr_sample_kind)k, s.line = line;
    cJSON_ArrayForEach(m, o) if (!set_member(r, m, &s))
    {
        rr_sink_refuse(r->sink, line, "\"%.40s\" is not known in a sample, or not of its kind", m->string);
        return;
    }
    if (s.line < 0 || s.log < 0)
        rr_sink_refuse(r->sink, line, "\"line\" and \"log\" count from 1");
    else if (cJSON_IsString(check) && strcmp(check->valuestring, "ok") != 0)
        rr_sink_refuse(r->sink, line, "the result was wrong (check \"%.40s\"): its time says nothing", check->valuestring);
    else if (!(s.us > 0) && !(s.gb_s > 0))
        rr_sink_refuse(r->sink, line, "a sample needs \"us\" (or \"gb_s\") above 0");
    else if (k == RR_SAMPLE_COLLECTIVE && (rr_bus_factor(s.op, 2) == 0 || s.bytes < 0))
        rr_sink_refuse(r->sink, line, "\"op\" of a collective must be all_reduce, all_gather, reduce_scatter, alltoall, broadcast, ...");
    else if (k == RR_SAMPLE_GEMM && (s.m <= 0 || s.n <= 0 || s.k <= 0))
        rr_sink_refuse(r->sink, line, "a gemm needs m, n and k above 0");
    else
        rr_sink_add(r->sink, &s);
}

static void take_hardware(struct reader *r, const cJSON *hw)
{
    struct rr_machine_info *m = rr_sink_machine(r->sink);
    const struct {
        const char *key;
        const char **to;
    } texts[] = {{"gpu", &m->gpu},   {"network", &m->network}, {"driver", &m->driver},
                 {"cuda", &m->cuda}, {"nccl", &m->nccl},       {"host", &m->host}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const cJSON *v = rr_json_member(hw, texts[i].key);
        if (cJSON_IsString(v)) *texts[i].to = rr_strdup(r->t->arena, v->valuestring);
    }
    const cJSON *v = rr_json_member(hw, "gpus_per_node");
    if (cJSON_IsNumber(v) && v->valuedouble >= 0 && v->valuedouble < 1e6) m->gpus_per_node = (int32_t)v->valuedouble;
    v = rr_json_member(hw, "nodes");
    if (cJSON_IsNumber(v) && v->valuedouble >= 0 && v->valuedouble < 1e6) m->nodes = (int32_t)v->valuedouble;
    v = rr_json_member(hw, "sms");
    if (cJSON_IsNumber(v) && v->valuedouble >= 0 && v->valuedouble < 1e6) m->sms = (int32_t)v->valuedouble;
    v = rr_json_member(hw, "memory_gib");
    if (cJSON_IsNumber(v)) m->memory_gib = v->valuedouble;
    v = rr_json_member(hw, "power_limit_w");
    if (cJSON_IsNumber(v)) m->power_limit_w = v->valuedouble;
}

static const char *top_text(const struct reader *r, const cJSON *root, const char *key)
{
    const cJSON *v = rr_json_member(root, key);
    return cJSON_IsString(v) ? rr_strdup(r->t->arena, v->valuestring) : "";
}

static enum rr_status read_json(const struct rr_bench_text *t, struct rr_sample_sink *sink)
{
    struct reader r = {.t = t, .sink = sink, .json = rr_json_create()};
    cJSON *root = NULL;
    const cJSON *o;
    enum rr_status st;
    RR_GO(rr_json_parse(r.json, t->path, t->text, false, &root));
    const cJSON *schema = rr_json_member(root, "schema"), *list = rr_json_member(root, "samples");
    if (!cJSON_IsString(schema) || strcmp(schema->valuestring, "rackrate.samples/1") != 0 || !cJSON_IsArray(list)) {
        st = rr_fail(RR_EINPUT, "%s: \"schema\" must be \"rackrate.samples/1\" and \"samples\" a list", t->path);
        goto out;
    }
    take_hardware(&r, rr_json_member(root, "hardware"));
    const char *topology = top_text(&r, root, "topology");
    if (*topology) rr_sink_machine(sink)->topology = topology;
    rr_sink_file(sink)->tool = top_text(&r, root, "tool");
    rr_sink_file(sink)->date = top_text(&r, root, "date");
    cJSON_ArrayForEach(o, list) take_sample(&r, o);
    cJSON_ArrayForEach(o, rr_json_member(root, "skipped"))
    {
        const cJSON *part = rr_json_member(o, "part"), *why = rr_json_member(o, "why");
        if (cJSON_IsString(part) && cJSON_IsString(why))
            rr_sink_note(sink, 0, "%s was not measured: %s", part->valuestring, why->valuestring);
    }
    rr_sink_file(sink)->complete = true;
out:
    cJSON_Delete(root);
    rr_json_free(r.json);
    return st;
}

static int sniff(const char *text, size_t n) { return rr_bench_text_has(text, n, "\"rackrate.samples/1\"", NULL) ? 99 : 0; }

const struct rr_bench_format rr_bench_samples = {
    .name = "samples",
    .summary = "rackrate.samples/1: rackrate-probe, rackrate import profiles",
    .source = "data/samples.h",
    .sniff = sniff,
    .read = read_json,
};
