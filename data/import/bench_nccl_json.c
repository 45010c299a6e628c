/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/import/bench_nccl_json.c - the file that nccl-tests writes with -J: the table as objects, with every iteration where they were timed. */
#include "data/bench_help.h"
#include <stdlib.h>
#include <string.h>

struct reader {
    const struct rr_bench_text *t;
    struct rr_sample_sink *sink;
    struct rr_json *json;
    const char *op;
    int32_t ranks, nodes;
};

static double number_of(const cJSON *o, const char *key)
{
    const cJSON *m = rr_json_member(o, key);
    return cJSON_IsNumber(m) ? m->valuedouble : -1;
}

static const char *text_of(const cJSON *o, const char *key)
{
    const cJSON *m = rr_json_member(o, key);
    return cJSON_IsString(m) ? m->valuestring : "";
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void take_iterations(struct reader *r, const cJSON *list, struct rr_sample *s)
{
    const int n = cJSON_GetArraySize(list);
    const cJSON *m;
    size_t k = 0;
    if (n <= 0) return;
    double *all = RR_NEWS(r->t->arena, double, (size_t)n);
    cJSON_ArrayForEach(m, list) if (cJSON_IsNumber(m) && m->valuedouble > 0) all[k++] = m->valuedouble;
    qsort(all, k, sizeof *all, by_value);
    s->all = all, s->n_all = k;
}

static void take_half(struct reader *r, const cJSON *row, bool in_place, int64_t line)
{
    const cJSON *half = rr_json_member(row, in_place ? "in_place" : "out_of_place");
    struct rr_sample s = rr_sample_none(RR_SAMPLE_COLLECTIVE);
    if (cJSON_IsNull(half)) return;
    if (!cJSON_IsObject(half)) {
        rr_sink_refuse(r->sink, line, "a result has \"out_of_place\" and \"in_place\", each an object or null");
        return;
    }
    s.us = number_of(half, "time");
    if (s.us < 0) s.us = number_of(half, "cpu_time");
    s.gb_s = number_of(half, "alg_bw"), s.bus_gb_s = number_of(half, "bus_bw");
    const double size = number_of(row, "size");
    s.bytes = size >= 0 && size < 9e18 ? (int64_t)size : -1;
    s.type = rr_strdup(r->t->arena, text_of(row, "type"));
    s.in_place = in_place, s.line = line, s.op = r->op, s.ranks = r->ranks, s.nodes = r->nodes;
    if (!(s.us > 0) || s.bytes < 0 || s.gb_s < 0 || s.bus_gb_s < 0)
        rr_sink_refuse(r->sink, line, "size, time, alg_bw and bus_bw must be numbers, the time above 0");
    else if (number_of(half, "nwrong") >= 1)
        rr_sink_refuse(r->sink, line, "%g wrong results: the time of a wrong collective says nothing", number_of(half, "nwrong"));
    else {
        take_iterations(r, rr_json_member(rr_json_member(row, in_place ? "in_place_per_iter" : "out_of_place_per_iter"), "times_us"), &s);
        rr_sink_add(r->sink, &s);
    }
}

/* One device a process is listed; a process drives nthreads x ngpus of them. */
static void count_ranks(struct reader *r, const cJSON *config)
{
    const cJSON *devices = rr_json_member(config, "devices"), *d;
    const double each = number_of(config, "nthreads") * number_of(config, "ngpus");
    const char *last = "";
    r->ranks = r->t->opt->ranks;
    if (r->ranks == 0 && each >= 1 && each < 1e6)
        r->ranks = (int32_t)(each * cJSON_GetArraySize(devices) < 1e8 ? each * cJSON_GetArraySize(devices) : 0);
    cJSON_ArrayForEach(d, devices)
    {
        struct rr_machine_info *m = rr_sink_machine(r->sink);
        if (strcmp(last, text_of(d, "hostname")) != 0) r->nodes++;
        last = text_of(d, "hostname");
        if (!*m->gpu) m->gpu = rr_strdup(r->t->arena, text_of(d, "device_info"));
    }
}

static enum rr_status find_op(struct reader *r, const cJSON *root)
{
    const cJSON *args = rr_json_member(root, "args");
    const cJSON *first = cJSON_GetArrayItem(args, 0);
    const char *program = cJSON_IsString(first) ? first->valuestring : "", *slash = strrchr(program, '/');
    r->op = rr_bench_op_word(r->t->opt->op && *r->t->opt->op ? r->t->opt->op : slash ? slash + 1 : program);
    if (!*r->op) r->op = rr_bench_op_of_path(r->t->path);
    return *r->op ? RR_OK : rr_fail(RR_EINPUT, "%s: the program in \"args\" names no operation: say which with --op", r->t->path);
}

static enum rr_status read_json(const struct rr_bench_text *t, struct rr_sample_sink *sink)
{
    struct reader r = {.t = t, .sink = sink, .json = rr_json_create()};
    cJSON *root = NULL;
    enum rr_status st;
    RR_GO(rr_json_parse(r.json, t->path, t->text, false, &root));
    RR_GO(find_op(&r, root));
    count_ranks(&r, rr_json_member(root, "config"));
    const double code = number_of(root, "nccl_version");
    if (code >= 20000 && code < 1e7)
        rr_sink_machine(sink)->nccl = rr_strf(t->arena, "%d.%d.%d", (int)code / 10000, (int)code / 100 % 100, (int)code % 100);
    rr_sink_file(sink)->tool = "nccl-tests";
    rr_sink_file(sink)->date = rr_strdup(t->arena, text_of(root, "start_time"));
    const cJSON *row;
    cJSON_ArrayForEach(row, rr_json_member(root, "results"))
    {
        const int64_t line = rr_bench_json_line(r.json, row, t->arena);
        take_half(&r, row, false, line);
        take_half(&r, row, true, line);
    }
    RR_GO(rr_bench_check_rates(sink));
    rr_sink_file(sink)->complete = rr_json_member(root, "end_time") != NULL;
out:
    cJSON_Delete(root);
    rr_json_free(r.json);
    return st;
}

static int sniff(const char *text, size_t n)
{
    return rr_bench_text_has(text, n, "\"nccl_version\"", NULL) && rr_bench_text_has(text, n, "\"results\"", NULL) ? 92 : 0;
}

const struct rr_bench_format rr_bench_nccl_json = {
    .name = "nccl-tests-json",
    .summary = "the file that nccl-tests -J writes",
    .source = "NVIDIA/nccl-tests src/util.cu",
    .sniff = sniff,
    .read = read_json,
};
