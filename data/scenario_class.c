/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/scenario_class.c - "checkpoint", "classes", and expressions over jobs. */
#include "data/scenario_rows.h"
#include <stdio.h>
#include <string.h>

#define AT(type, field) offsetof(struct type, field)
#define ROWS(table)     table, sizeof table / sizeof *table

static const char *const preempts[] = {"save", "lose", NULL};
enum { C_INTERVAL, C_WRITE, C_RESTORE, C_START, C_ON_PREEMPT, C_ON_NOTICE, C_SIZE, C_BANDWIDTH }; // rows, in order
static const struct rr_param checkpoint[] = {
    {.name = "interval",
     .type = RR_P_TEXT,
     .offset = AT(rr_checkpoint, interval),
     .def = "\"none\"",
     .help = "work between two checkpoints: a time such as \"30 min\", none, or what follows from the failures: young, daly, best",
     .flags = RR_PF_DECIDES},
    {.name = "write",
     .type = RR_P_TIME,
     .offset = AT(rr_checkpoint, write_us),
     .def = "\"0 s\"",
     .least = 0,
     .most = 3e16,
     .help = "writing a checkpoint; the job stands still",
     .flags = RR_PF_DECIDES},
    {.name = "restore",
     .type = RR_P_DIST_TIME,
     .offset = AT(rr_checkpoint, restore),
     .def = "\"0 s\"",
     .least = 0,
     .most = 3e16,
     .help = "reading it again, at every start that goes on from one; a time or a distribution",
     .flags = RR_PF_DECIDES},
    {.name = "start",
     .type = RR_P_TIME,
     .offset = AT(rr_checkpoint, start_us),
     .def = "\"0 s\"",
     .least = 0,
     .most = 3e16,
     .help = "overhead of every start",
     .flags = RR_PF_DECIDES},
    {.name = "on_preempt",
     .type = RR_P_WORD,
     .offset = AT(rr_checkpoint, on_preempt),
     .def = "\"save\"",
     .words = preempts,
     .help = "what becomes of work when the scheduler interrupts: save keeps it and costs one write",
     .flags = RR_PF_DECIDES},
    {.name = "on_notice",
     .type = RR_P_BOOL,
     .offset = AT(rr_checkpoint, on_notice),
     .def = "true",
     .help = "save when capacity is taken back with a notice longer than a write",
     .flags = RR_PF_DECIDES},
    {.name = "size",
     .type = RR_P_BYTES,
     .offset = AT(rr_checkpoint, bytes),
     .unit = "bytes",
     .least = 0,
     .most = 9e18,
     .help = "bytes of a checkpoint, such as \"2 TB\": over \"bandwidth\" they are \"write\" and \"restore\", where those are not given",
     .flags = RR_PF_DECIDES},
    {.name = "bandwidth",
     .type = RR_P_TEXT,
     .offset = AT(rr_checkpoint, bandwidth),
     .help = "how fast a job writes and reads its checkpoint, such as \"20 GB/s\"",
     .flags = RR_PF_DECIDES},
};
const struct rr_rows rr_rows_checkpoint = {ROWS(checkpoint), NULL};

static const struct rr_param class_rows[] = {
    {.name = "where",
     .type = RR_P_TEXT,
     .offset = AT(rr_class, where_text),
     .help = "which jobs, such as \"gpus >= 64\"; those of that class in the trace when absent",
     .flags = RR_PF_DECIDES},
    {.name = "interruptible",
     .type = RR_P_BOOL,
     .offset = AT(rr_class, interruptible),
     .def = "true",
     .help = "false: never preempted, never on machines that may be taken away",
     .flags = RR_PF_DECIDES},
    {.name = "priority",
     .type = RR_P_INT,
     .offset = AT(rr_class, priority),
     .def = "0",
     .least = -1e9,
     .most = 1e9,
     .help = "for policies that look at it: larger goes first",
     .flags = RR_PF_DECIDES},
    {.name = "limit",
     .type = RR_P_TIME,
     .offset = AT(rr_class, limit_us),
     .least = 1,
     .most = 3e16,
     .help = "a job of it is killed once it has run so long; beside the trace's own limits",
     .flags = RR_PF_DECIDES},
    {.name = "waiting_cost",
     .type = RR_P_RATE,
     .offset = AT(rr_class, waiting_given),
     .unit = "per job and hour",
     .least = 0,
     .most = 1e6,
     .help = "what an hour of waiting of one job costs, such as \"$2/h\"; cost.waiting, beside the total",
     .flags = RR_PF_DECIDES}, // cost.waiting is worked out with the replay
    {.name = "checkpoint",
     .type = RR_P_OBJECT,
     .offset = AT(rr_class, checkpoint_json),
     .help = "as \"checkpoint\" of the scenario, whose values hold where this says nothing",
     .flags = RR_PF_DECIDES},
};
static const char *const class_skip[] = {"pools", NULL};
const struct rr_rows rr_rows_class = {ROWS(class_rows), class_skip};

/* ---- checkpoint ---- */

static enum rr_status read_interval(const struct rr_reading *r, const cJSON *object, const char *pointer, struct rr_checkpoint *c)
{
    static const struct {
        const char *word;
        int rule;
    } rules[] = {{"none", RR_INTERVAL_NONE},
                 {"young", RR_INTERVAL_YOUNG},
                 {"young_daly", RR_INTERVAL_YOUNG}, // as the formula of first order is called too
                 {"daly", RR_INTERVAL_DALY},
                 {"best", RR_INTERVAL_BEST}};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (strcmp(rules[i].word, c->interval) == 0) {
            c->rule = rules[i].rule;
            return RR_OK;
        }
    c->rule = RR_INTERVAL_FIXED;
    if (rr_unit_time(rr_slice(c->interval, strlen(c->interval)), &c->interval_us) == RR_OK && c->interval_us > 0) return RR_OK;
    return rr_json_fail(RR_EINPUT, r->param.json, rr_param_unwrap(rr_json_member(object, "interval")),
                        rr_pointer_join(r->param.arena, pointer, "interval"),
                        "\"%s\" given; a time above 0 such as \"30 min\" is expected, or none, young, daly, best", c->interval);
}

static enum rr_status fail_because(const struct rr_reading *r, const cJSON *node, const char *pointer)
{
    char reason[RR_REASON_MAX];
    snprintf(reason, sizeof reason, "%s", rr_reason());
    return rr_json_fail(RR_EINPUT, r->param.json, node, pointer, "%s", reason);
}

// `given`: what of `object`, which may be a class's own, stands beside what `c` has already.
static enum rr_status read_size(const struct rr_reading *r, const cJSON *object, const char *pointer, const struct rr_checkpoint *given,
                                struct rr_checkpoint *c)
{
    const bool size = rr_given(given, C_SIZE), speed = rr_given(given, C_BANDWIDTH);
    double bytes_s;
    if (!size && !speed) return RR_OK;
    if (!c->bandwidth || !rr_given(c, C_SIZE))
        return rr_json_fail(RR_EINPUT, r->param.json, object, pointer, "\"%s\" stands without \"%s\"", size ? "size" : "bandwidth",
                            size ? "bandwidth" : "size");
    const cJSON *node = rr_param_unwrap(rr_json_member(object, speed ? "bandwidth" : "size"));
    const char *at = rr_pointer_join(r->param.arena, pointer, speed ? "bandwidth" : "size");
    if (rr_unit_bandwidth(rr_slice(c->bandwidth, strlen(c->bandwidth)), &bytes_s) != RR_OK) return fail_because(r, node, at);
    if (!(bytes_s >= 1) || (double)c->bytes / bytes_s > 3e10)
        return rr_json_fail(RR_EINPUT, r->param.json, node, at, "at least 1 B/s is expected, and a write of less than 900 years");
    const int64_t us = (int64_t)((double)c->bytes / bytes_s * 1e6 + 0.5);
    if (!rr_given(given, C_WRITE)) c->write_us = us;
    if (!rr_given(given, C_RESTORE)) c->restore = (struct rr_dist){.kind = RR_DIST_CONSTANT, .a = (double)us}, c->restore_us = us;
    return RR_OK;
}

static enum rr_status read_checkpoint(const struct rr_reading *r, const cJSON *object, const char *pointer, struct rr_checkpoint *c)
{
    RR_TRY(rr_rows_read(r, &rr_rows_checkpoint, object, pointer, c));
    c->restore_us = (int64_t)(rr_dist_mean(&c->restore) + 0.5);
    return read_interval(r, object, pointer, c);
}

// A class says what differs from the scenario's.
static enum rr_status read_own_checkpoint(const struct rr_reading *r, const struct rr_checkpoint *of_all, struct rr_class *c)
{
    struct rr_checkpoint own = {0};
    c->checkpoint = *of_all;
    if (!c->checkpoint_json) return RR_OK;
    const char *pointer = rr_pointer_join(r->param.arena, c->pointer, "checkpoint");
    RR_TRY(read_checkpoint(r, c->checkpoint_json, pointer, &own));
    if (rr_given(&own, C_INTERVAL)) {
        c->checkpoint.interval = own.interval;
        c->checkpoint.rule = own.rule;
        c->checkpoint.interval_us = own.interval_us;
    }
    if (rr_given(&own, C_WRITE)) c->checkpoint.write_us = own.write_us;
    if (rr_given(&own, C_RESTORE)) {
        c->checkpoint.restore = own.restore;
        c->checkpoint.restore_us = own.restore_us;
    }
    if (rr_given(&own, C_START)) c->checkpoint.start_us = own.start_us;
    if (rr_given(&own, C_ON_PREEMPT)) c->checkpoint.on_preempt = own.on_preempt;
    if (rr_given(&own, C_ON_NOTICE)) c->checkpoint.on_notice = own.on_notice;
    if (rr_given(&own, C_SIZE)) c->checkpoint.bytes = own.bytes;
    if (rr_given(&own, C_BANDWIDTH)) c->checkpoint.bandwidth = own.bandwidth;
    c->checkpoint.given |= own.given & (UINT64_C(1) << C_SIZE);
    return read_size(r, c->checkpoint_json, pointer, &own, &c->checkpoint);
}

/* ---- classes ---- */

enum rr_status rr_where_read(const struct rr_reading *r, const cJSON *object, const char *pointer, const char *key, const char *text,
                             const struct rr_where **ret)
{
    if (!text || rr_where_parse(text, r->param.arena, ret) == RR_OK) return RR_OK;
    return fail_because(r, rr_param_unwrap(rr_json_member(object, key)), rr_pointer_join(r->param.arena, pointer, key));
}

static enum rr_status read_pools(const struct rr_reading *r, const cJSON *node, const struct rr_scenario *s, struct rr_class *c)
{
    const char *pointer = rr_pointer_join(r->param.arena, c->pointer, "pools");
    const cJSON *list = rr_json_member(node, "pools");
    if (!list) return RR_OK;
    if (!cJSON_IsArray(list) || !list->child)
        return rr_json_fail(RR_EINPUT, r->param.json, list, pointer, "a list of pools is expected, such as [\"own\"]");
    const char **names = RR_NEWS(r->param.arena, const char *, s->n_pools);
    for (size_t i = 0; i < s->n_pools; i++) names[i] = s->pool[i].name;
    c->may_use = RR_NEWS(r->param.arena, bool, s->n_pools);
    for (const cJSON *m = list->child; m; m = m->next) {
        size_t i = 0;
        while (i < s->n_pools && (!cJSON_IsString(m) || strcmp(names[i], m->valuestring) != 0)) i++;
        if (i == s->n_pools) return rr_unknown_word(r, m, pointer, "pool", names, s->n_pools);
        c->may_use[i] = true;
    }
    return RR_OK;
}

static enum rr_status read_waiting(const struct rr_reading *r, const cJSON *node, const struct rr_scenario *s, struct rr_class *c)
{
    const cJSON *given = rr_json_member(node, "waiting_cost");
    if (!given) return RR_OK;
    const struct rr_rate rate = c->waiting_given.rate;
    if (rate.time != RR_HOUR || rate.per != RR_PER_NODE)
        return rr_json_fail(RR_EINPUT, r->param.json, rr_param_unwrap(given), rr_pointer_join(r->param.arena, c->pointer, "waiting_cost"),
                            "waiting is priced per job and hour, such as \"$2/h\"");
    if (rr_scenario_rate(s, c->waiting_given, &c->waiting) == RR_OK) return RR_OK;
    return fail_because(r, rr_param_unwrap(given), rr_pointer_join(r->param.arena, c->pointer, "waiting_cost"));
}

static enum rr_status read_class(const struct rr_reading *r, const cJSON *node, const struct rr_scenario *s, struct rr_class *c)
{
    c->name = rr_strdup(r->param.arena, node->string);
    c->pointer = rr_pointer_join(r->param.arena, "/classes", node->string);
    RR_TRY(rr_named(r, node, c->pointer));
    RR_TRY(rr_rows_read(r, &rr_rows_class, node, c->pointer, c));
    RR_TRY(rr_where_read(r, node, c->pointer, "where", c->where_text, &c->where));
    RR_TRY(read_own_checkpoint(r, &s->checkpoint, c));
    RR_TRY(read_waiting(r, node, s, c));
    return read_pools(r, node, s, c);
}

enum rr_status rr_classes_read(const struct rr_reading *r, const cJSON *document, struct rr_scenario *s)
{
    const cJSON *all = rr_json_member(document, "classes");
    const cJSON *of_all = rr_json_member(document, "checkpoint");
    RR_TRY(read_checkpoint(r, of_all, "/checkpoint", &s->checkpoint));
    RR_TRY(read_size(r, of_all, "/checkpoint", &s->checkpoint, &s->checkpoint));
    if (!all) return RR_OK;
    if (!cJSON_IsObject(all))
        return rr_json_fail(RR_EINPUT, r->param.json, all, "/classes",
                            "classes by name are expected, such as {\"large\": {\"where\": \"gpus >= 64\"}}");
    const int n = cJSON_GetArraySize(all);
    if (n > 1000) return rr_json_fail(RR_EINPUT, r->param.json, all, "/classes", "%d classes; at most 1000", n);
    s->classes = RR_NEWS(r->param.arena, struct rr_class, (size_t)n);
    for (const cJSON *m = all->child; m; m = m->next) RR_TRY(read_class(r, m, s, &s->classes[s->n_classes++]));
    return RR_OK;
}
