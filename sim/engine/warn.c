/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/engine/warn.c - what the scenario gives and nothing in this replay looks at: told, so that nothing is ignored in silence. */
#include "sim/autoscale/autoscale.h"
#include "sim/engine/sim.h"
#include <stdio.h>
#include <string.h>

static bool gives(const cJSON *object, const char *key) { return object && rr_json_member(object, key) != NULL; }

// --- the scheduler ---

static void warn_unread(struct rr_sim *s, const cJSON *scheduler)
{
    static const struct {
        const char *key;
        unsigned reads;
    } keys[] = {{"order", RR_READS_ORDER}, {"blocking", RR_READS_BLOCKING}, {"estimate", RR_READS_ESTIMATE}};
    unsigned reads = s->policy->reads;
    if (s->how->order == 1 && reads & RR_READS_ORDER) reads |= RR_READS_ESTIMATE;
    if (s->how->overrun) reads |= RR_READS_ESTIMATE;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        char where[40];
        snprintf(where, sizeof where, "/scheduler/%s", keys[i].key);
        if (gives(scheduler, keys[i].key) && !(reads & keys[i].reads))
            rr_sim_warn(s, where, "\"%s\" of the scheduler is not used: the policy \"%s\" does not look at it", keys[i].key,
                        s->policy->kind.name);
    }
}

static void warn_priorities(struct rr_sim *s)
{
    const struct rr_scenario *sc = s->world->scenario;
    char where[300];
    if (s->policy->reads & RR_READS_PRIORITY) {
        for (uint32_t j = 1; j < s->trace->n; j++)
            if (rr_sim_priority(s, j) != rr_sim_priority(s, 0)) return;
        if (s->trace->n > 1)
            rr_sim_warn(
                s, "/scheduler/policy",
                "all jobs have the same priority, so they go in order of arrival: give \"priority\" in \"classes\", or in the trace");
        return;
    }
    const cJSON *classes = rr_json_member(sc->document, "classes");
    for (size_t k = 0; k < sc->n_classes; k++) {
        if (!gives(rr_json_member(classes, sc->classes[k].name), "priority")) continue;
        snprintf(where, sizeof where, "%s/priority", sc->classes[k].pointer);
        rr_sim_warn(s, where, "the priority of class \"%s\" is not used: the policy \"%s\" does not look at it", sc->classes[k].name,
                    s->policy->kind.name);
    }
}

static void warn_deadlines(struct rr_sim *s)
{
    const struct rr_trace *t = s->trace;
    size_t without = 0;
    if (!(s->policy->reads & RR_READS_DEADLINE)) return;
    for (size_t j = 0; j < t->n; j++) without += !t->deadline_us || t->deadline_us[j] == RR_NEVER;
    if (without == t->n && t->n > 0)
        rr_sim_warn(s, "/scheduler/policy", "no job has a deadline, so they go in order of arrival: the trace's column is deadline_s");
    else if (without)
        rr_sim_warn(s, "/scheduler/policy", "%zu of %zu jobs have no deadline: they go last", without, t->n);
}

// --- classes ---

static void warn_empty_classes(struct rr_sim *s)
{
    const struct rr_scenario *sc = s->world->scenario;
    size_t *n = rr_xrealloc(NULL, sc->n_classes + 1, sizeof *n);
    memset(n, 0, (sc->n_classes + 1) * sizeof *n);
    for (size_t j = 0; j < s->trace->n; j++)
        if (s->class_of[j] != RR_NO_CLASS) n[s->class_of[j]]++;
    for (size_t k = 0; k < sc->n_classes; k++) {
        const struct rr_class *c = &sc->classes[k];
        if (n[k]) continue;
        if (c->where)
            rr_sim_warn(s, c->pointer,
                        "class \"%s\" does nothing: none of %zu jobs is of it; \"%s\" is true of none, or of those of a class before it",
                        c->name, s->trace->n, c->where_text);
        else
            rr_sim_warn(s, c->pointer, "class \"%s\" does nothing: none of %zu jobs is of a class of that name, and it has no \"where\"",
                        c->name, s->trace->n);
    }
    free(n);
}

// --- checkpoints and pools ---

static void warn_checkpoint(struct rr_sim *s)
{
    const cJSON *given = rr_json_member(s->world->scenario->document, "checkpoint");
    if (gives(given, "restore") && !s->attempts)
        rr_sim_warn(
            s, "/checkpoint/restore",
            "\"restore\" of the checkpoint is not used: nothing interrupts a job here, neither the scheduler nor failures nor a market");
    if (gives(given, "write") && !s->attempts)
        rr_sim_warn(s, "/checkpoint/write",
                    "\"write\" of the checkpoint is not used: none is written without an \"interval\", and nothing interrupts a job here");
}

static void warn_boot(struct rr_sim *s)
{
    const cJSON *pools = rr_json_member(s->world->scenario->document, "pools");
    for (size_t i = 0; i < s->n_pools && !(s->policy->reads & RR_READS_BOOT); i++) {
        const struct rr_pool *p = &s->world->scenario->pool[i];
        char where[300];
        if (s->books[i].elastic || !gives(rr_json_member(pools, p->name), "boot")) continue;
        snprintf(where, sizeof where, "%s/boot", p->pointer);
        rr_sim_warn(s, where, "\"boot\" of pool \"%s\" is not used: it always holds the same nodes, which are ready at the start", p->name);
    }
}

// --- jobs ---

const char *rr_job_text(const struct rr_trace *t, size_t job, char buf[200])
{
    char id[24];
    const double gpus = t->gpus_milli[job] / 1000.0;
    int n = snprintf(buf, 200, "job %.60s (%g %s", rr_trace_id(t, job, id), gpus, gpus == 1 ? "GPU" : "GPUs");
    const char *between = " of ";
    for (size_t i = 0; t->gpu_types && i < t->n_gpu_types && i < 64 && n < 160; i++)
        if (t->gpu_types[job] >> i & 1) {
            n += snprintf(buf + n, (size_t)(200 - n), "%s%.30s", between, t->gpu_type_name[i]);
            between = "|";
        }
    snprintf(buf + n, (size_t)(200 - n), ")");
    return buf;
}

void rr_sim_warn_rejected(struct rr_sim *s)
{
    size_t n[RR_WHYS] = {0}, first[RR_WHYS] = {0};
    for (uint32_t j = 0; j < s->trace->n; j++) {
        const uint32_t ask = rr_ask_of(&s->asks, j); // may move the table
        const enum rr_reason why = s->asks.ask.at[ask].why;
        if (why == RR_WHY_NONE || (s->trace->state && s->trace->state[j] == RR_TRACE_NEVER_STARTED)) continue;
        if (n[why]++ == 0) first[why] = j;
    }
    char text[200];
    for (int k = 0; k < RR_WHYS; k++)
        if (n[k])
            rr_sim_warn(s, "", "%zu of %zu jobs will be rejected at once: %s, such as for %s", n[k], s->trace->n,
                        rr_why_text((enum rr_reason)k), rr_job_text(s->trace, first[k], text));
}

void rr_sim_warn_unused(struct rr_sim *s)
{
    const cJSON *document = s->world->scenario->document;
    if (s->class_of) warn_empty_classes(s);
    warn_deadlines(s);
    if (!document) return; // a test's own
    warn_unread(s, rr_json_member(document, "scheduler"));
    warn_priorities(s);
    warn_checkpoint(s);
    warn_boot(s);
}
