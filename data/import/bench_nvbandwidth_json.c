/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/import/bench_nvbandwidth_json.c - `nvbandwidth -j`: the same matrices as JSON, their cells as texts. */
#include "data/bench_help.h"
#include <string.h>

struct reader {
    const struct rr_bench_text *t;
    struct rr_sample_sink *sink;
    struct rr_json *json;
    const char *op;
    struct rr_bench_title says;
};

static const char *text_of(const cJSON *o, const char *key)
{
    const cJSON *m = rr_json_member(o, key);
    return cJSON_IsString(m) ? m->valuestring : "";
}

static void take_cell(struct reader *r, const cJSON *cell, int32_t row, int32_t column, int64_t line)
{
    const bool cpu = r->says.row_is_cpu, left = r->says.to_row;
    struct rr_sample s = rr_sample_none(RR_SAMPLE_TRANSFER);
    double v = 0;
    if (cJSON_IsString(cell) && strcmp(cell->valuestring, "N/A") == 0) return;
    const bool number = cJSON_IsNumber(cell);
    if (number) v = cell->valuedouble;
    if (!number && (!cJSON_IsString(cell) || rr_text_double(rr_slice(cell->valuestring, strlen(cell->valuestring)), &v) != RR_OK)) {
        rr_sink_refuse(r->sink, line, "%s[%d][%d] is neither a number nor N/A", r->op, (int)row, (int)column);
        return;
    }
    if (v == 0 && !cpu && row == column) return;
    if (!(v > 0)) {
        rr_sink_refuse(r->sink, line, "%s[%d][%d] must be above 0", r->op, (int)row, (int)column);
        return;
    }
    s.op = r->op, s.line = line;
    s.from = left ? column : cpu ? -1 : row;
    s.to = !left ? column : cpu ? -1 : row;
    if (r->says.latency)
        s.us = v / 1e3;
    else
        s.gb_s = v;
    rr_sink_add(r->sink, &s);
}

static void take_case(struct reader *r, const cJSON *test, size_t *waived)
{
    const cJSON *matrix = rr_json_member(test, "bandwidth_matrix"), *row, *cell;
    const char *status = text_of(test, "status");
    const int64_t line = rr_bench_json_line(r->json, test, r->t->arena);
    r->op = rr_strdup(r->t->arena, text_of(test, "name"));
    const char *title = text_of(test, "bandwidth_description");
    if (strcmp(status, "Waived") == 0) {
        ++*waived;
        return;
    }
    if (!cJSON_IsArray(matrix) || strcmp(status, "Passed") != 0) {
        rr_sink_refuse(r->sink, line, "%s: status \"%s\" %s", r->op, status, text_of(test, "error"));
        return;
    }
    if (!*r->op || !rr_bench_title(rr_slice(title, strlen(title)), &r->says)) {
        rr_sink_refuse(r->sink, line, "%s: \"name\" and \"bandwidth_description\" must say what, which way and in which unit: \"%s\"",
                       r->op, title);
        return;
    }
    int32_t i = 0;
    cJSON_ArrayForEach(row, matrix)
    {
        int32_t k = 0;
        cJSON_ArrayForEach(cell, row) take_cell(r, cell, i, k++, rr_bench_json_line(r->json, row, r->t->arena));
        i++;
    }
}

static enum rr_status read_json(const struct rr_bench_text *t, struct rr_sample_sink *sink)
{
    struct reader r = {.t = t, .sink = sink, .json = rr_json_create()};
    cJSON *root = NULL;
    enum rr_status st;
    size_t waived = 0;
    RR_GO(rr_json_parse(r.json, t->path, t->text, false, &root));
    const cJSON *top = rr_json_member(root, "nvbandwidth"), *tests = rr_json_member(top, "testcases"), *test;
    if (!cJSON_IsArray(tests)) {
        st = rr_fail(RR_EINPUT, "%s: nvbandwidth measured nothing: \"%s\"", t->path, text_of(top, "error"));
        goto out;
    }
    struct rr_machine_info *m = rr_sink_machine(sink);
    if (*text_of(top, "Driver Version")) m->driver = rr_strdup(t->arena, text_of(top, "Driver Version"));
    const cJSON *cuda = rr_json_member(top, "CUDA Runtime Version");
    if (cJSON_IsNumber(cuda)) m->cuda = rr_strf(t->arena, "%d.%d", (int)cuda->valuedouble / 1000, (int)cuda->valuedouble % 1000 / 10);
    rr_sink_file(sink)->tool = rr_strf(t->arena, "nvbandwidth %s", text_of(top, "version"));
    cJSON_ArrayForEach(test, tests) take_case(&r, test, &waived);
    if (waived) rr_sink_note(sink, 0, "%zu tests were waived: this machine cannot run them", waived);
    rr_sink_file(sink)->complete = true;
out:
    cJSON_Delete(root);
    rr_json_free(r.json);
    return st;
}

static int sniff(const char *text, size_t n)
{
    return rr_bench_text_has(text, n, "\"nvbandwidth\"", NULL) && rr_bench_text_has(text, n, "\"testcases\"", NULL) ? 92 : 0;
}

const struct rr_bench_format rr_bench_nvbandwidth_json = {
    .name = "nvbandwidth-json",
    .summary = "nvbandwidth -j",
    .source = "NVIDIA/nvbandwidth json_output.cpp",
    .sniff = sniff,
    .read = read_json,
};
