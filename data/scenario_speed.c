/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/scenario_speed.c - what makes a job faster or slower than in its trace: other GPUs ("throughput"), and nodes far apart
 * ("spread_slowdown"). */
#include "data/scenario_rows.h"
#include <stdio.h>
#include <string.h>

#define AT(type, field) offsetof(struct type, field)
#define ROWS(table)     table, sizeof table / sizeof *table
#define FACTOR(word, field, text)                                                                                     \
    {                                                                                                                 \
        .name = word, .type = RR_P_REAL, .offset = AT(rr_spread_rows, field), .least = 1, .most = 1000, .help = text, \
        .flags = RR_PF_DECIDES                                                                                        \
    }
static const struct rr_param spread[] = {
    FACTOR("nodes", nodes, "run time of a job over several nodes of one switch, over that in the trace; 1 when absent"),
    FACTOR("switch", switches, "the same over several switches of one rack; as nodes when absent"),
    FACTOR("rack", racks, "the same over several racks; as switch when absent"),
};
const struct rr_rows rr_rows_spread = {ROWS(spread), NULL};

enum rr_status rr_spread_read(const struct rr_reading *r, const cJSON *object, const char *pointer, struct rr_spread *ret)
{
    struct rr_spread_rows rows = {0};
    RR_TRY(rr_rows_read(r, &rr_rows_spread, object, pointer, &rows));
    struct rr_spread s = {.given = object != NULL, .factor = {1, rows.nodes, rows.switches, rows.racks}};
    for (int i = 1; i < RR_REACHES; i++)
        if (s.factor[i] == 0) s.factor[i] = s.factor[i - 1];
    *ret = s;
    return RR_OK;
}

// Run times of all workloads were measured on one GPU: jobs of several would need a reference each.
static enum rr_status find_reference(const struct rr_reading *r, const cJSON *document, struct rr_scenario *s)
{
    const cJSON *all = rr_json_member(document, "workload");
    for (size_t i = 0; i < s->n_workloads; i++) {
        const struct rr_workload *w = &s->workload[i];
        const cJSON *node = rr_json_member(all, w->name);
        const char *pointer = rr_pointer_join(r->param.arena, w->pointer, "reference_gpu");
        if (w->reference_gpu && !s->throughput_path)
            rr_note(&s->notes, RR_NOTE_WARNING, pointer, "",
                    "without \"throughput\", the table that says how fast jobs run on other GPUs than %s, they run as long as in the trace "
                    "on all",
                    w->reference_gpu);
        if (!s->throughput_path) continue;
        if (!w->reference_gpu)
            return rr_json_fail(RR_EINPUT, r->param.json, node, w->pointer,
                                "\"reference_gpu\" is missing: the GPU that its run times were measured on, as \"throughput\" names it");
        if (s->reference_gpu && strcmp(s->reference_gpu, w->reference_gpu) != 0)
            return rr_json_fail(RR_EINPUT, r->param.json, rr_json_member(node, "reference_gpu"), pointer,
                                "%s, but that of workload %s is %s; one reference for all workloads is expected", w->reference_gpu,
                                s->workload[0].name, s->reference_gpu);
        s->reference_gpu = w->reference_gpu;
    }
    return RR_OK;
}

static enum rr_status read_throughput(const struct rr_reading *r, const cJSON *document, struct rr_scenario *s)
{
    const cJSON *node = rr_param_unwrap(rr_json_member(document, "throughput"));
    RR_TRY(find_reference(r, document, s));
    if (!s->throughput_path || r->any_path) return RR_OK;
    if (r->like && r->like->throughput_path && strcmp(r->like->throughput_path, s->throughput_path) == 0) {
        s->throughput = r->like->throughput;
        return RR_OK;
    }
    RR_TRY(rr_file_there(r, node, "/throughput", s->throughput_path));
    struct rr_throughput *t = RR_NEW(r->param.arena, struct rr_throughput);
    const enum rr_status st = rr_throughput_read(s->throughput_path, r->catalog, r->param.arena, t);
    if (st == RR_EINPUT) {
        char reason[RR_REASON_MAX];
        snprintf(reason, sizeof reason, "%s", rr_reason());
        return rr_json_fail(RR_EINPUT, r->param.json, node, "/throughput", "%s", reason);
    }
    RR_TRY(st);
    s->throughput = t;
    if (rr_throughput_has_gpu(t, s->reference_gpu)) return RR_OK;
    return rr_json_fail(RR_EINPUT, r->param.json, rr_json_member(rr_json_member(document, "workload"), s->workload[0].name),
                        rr_pointer_join(r->param.arena, s->workload[0].pointer, "reference_gpu"), "%s has no row in %s", s->reference_gpu,
                        s->throughput_path);
}

enum rr_status rr_speeds_read(const struct rr_reading *r, const cJSON *document, struct rr_scenario *s)
{
    const cJSON *scheduler = rr_json_member(document, "scheduler");
    RR_TRY(rr_spread_read(r, rr_param_unwrap(rr_json_member(scheduler, "spread_slowdown")), "/scheduler/spread_slowdown",
                          &s->scheduler.spread));
    return read_throughput(r, document, s);
}
