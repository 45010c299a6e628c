/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/scenario_training.c - planned training runs of a workload as jobs: run time, gang and checkpoints from the model.
 *
 * The model is handed down in the registry. A run becomes a generated job of constant length (the work without interruptions; of varying length with
 * several replications); what failures and checkpoints add, the replay makes happen: by a class of the workload's name. */
#include "data/scenario_rows.h"
#include <string.h>

static bool taken_over(const struct rr_reading *r, const struct rr_scenario *s, struct rr_workload *w, const char *text)
{
    for (size_t i = 0; r->like && i < r->like->n_workloads; i++) {
        const struct rr_workload *old = &r->like->workload[i];
        if (!old->training_text || r->like->profiles != s->profiles || strcmp(old->name, w->name) != 0 ||
            strcmp(old->training_text, text) != 0)
            continue;
        w->training_plan = old->training_plan;
        return true;
    }
    return false;
}

static enum rr_status fail_because(const struct rr_reading *r, const struct rr_workload *w)
{
    char reason[RR_REASON_MAX];
    strncpy(reason, rr_reason(), sizeof reason - 1);
    reason[sizeof reason - 1] = '\0';
    return rr_json_fail(RR_EINPUT, r->param.json, w->training->json, rr_pointer_join(r->param.arena, w->pointer, "training"), "%s", reason);
}

enum rr_status rr_trainings_read(const struct rr_reading *r, struct rr_scenario *s, struct rr_workload *w)
{
    struct rr_training_run *t = w->training->at;
    struct rr_training_plan *p = &w->training_plan;
    char *text = cJSON_PrintUnformatted(w->training->json);
    w->training_text = rr_strdup(r->param.arena, text ? text : "");
    cJSON_free(text);
    t->profiles = s->profiles;
    if (!r->reg->plan_training)
        return rr_param_later(r->param.json, w->training->json, rr_pointer_join(r->param.arena, w->pointer, "training"), "training");
    if (!taken_over(r, s, w, w->training_text) && r->reg->plan_training(t, r->catalog, r->param.arena, &s->notes, p) != RR_OK)
        return fail_because(r, w);
    w->generates = true;
    w->generate = (struct rr_generate){.count = t->count,
                                       .before_us = t->submit_us - t->every_us,
                                       .gap_us = {.kind = RR_DIST_CONSTANT, .a = (double)t->every_us},
                                       .duration_us = {.kind = RR_DIST_CONSTANT, .a = (double)p->work_us},
                                       .gpus = {.kind = RR_DIST_CONSTANT, .a = (double)t->gpus},
                                       .deadline_us = t->deadline_us};
    if (s->replications > 1 && p->sigma > 0)
        w->generate.duration_us = (struct rr_dist){.kind = RR_DIST_LOGNORMAL, .a = (double)p->median_us, .b = p->sigma};
    rr_note(&s->notes, RR_NOTE_ASSUMED, rr_pointer_join(r->param.arena, w->pointer, "training"), "", "%s", p->summary);
    return RR_OK;
}

/* ---- the class ---- */

static void put_checkpoint(const struct rr_workload *w, struct rr_arena *a, struct rr_checkpoint *c)
{
    const struct rr_training_plan *p = &w->training_plan;
    c->rule = p->interval_us > 0 ? RR_INTERVAL_FIXED : RR_INTERVAL_BEST;
    c->interval = p->interval_us > 0 ? rr_strf(a, "%lld us", (long long)p->interval_us) : "best";
    c->interval_us = p->interval_us;
    c->write_us = p->write_us;
    c->restore_us = p->restore_us;
    c->restore = (struct rr_dist){.kind = RR_DIST_CONSTANT, .a = (double)p->restore_us};
    c->start_us = p->start_us;
}

/* Pools that have its GPU, or do not say what they have. */
static enum rr_status choose_pools(const struct rr_reading *r, const struct rr_scenario *s, const struct rr_workload *w, struct rr_class *c)
{
    bool *may = RR_NEWS(r->param.arena, bool, s->n_pools + 1), any = false;
    for (size_t i = 0; i < s->n_pools; i++) {
        const char *gpu = s->pool[i].gpu ? s->pool[i].gpu : "";
        may[i] = (!c->may_use || c->may_use[i]) && (*gpu == '\0' || strcmp(gpu, w->training_plan.gpu) == 0);
        any |= may[i];
    }
    if (!any)
        return rr_json_fail(RR_EINPUT, r->param.json, w->training->json, rr_pointer_join(r->param.arena, w->pointer, "training"),
                            "no pool has the GPU that it is planned on, %s", w->training_plan.gpu);
    c->may_use = may;
    return RR_OK;
}

enum rr_status rr_trainings_classes(const struct rr_reading *r, struct rr_scenario *s)
{
    size_t n = 0;
    for (size_t i = 0; i < s->n_workloads; i++) n += s->workload[i].training != NULL;
    if (n == 0) return RR_OK;
    struct rr_class *all = RR_NEWS(r->param.arena, struct rr_class, s->n_classes + n);
    if (s->n_classes) memcpy(all, s->classes, s->n_classes * sizeof *all);
    s->classes = all;
    for (size_t i = 0; i < s->n_workloads; i++) {
        const struct rr_workload *w = &s->workload[i];
        size_t k = 0;
        if (!w->training) continue;
        while (k < s->n_classes && strcmp(all[k].name, w->name) != 0) k++;
        struct rr_class *c = &all[k];
        if (k == s->n_classes) {
            *c = (struct rr_class){.name = w->name, .pointer = w->pointer, .interruptible = true, .checkpoint = s->checkpoint};
            s->n_classes++;
        }
        if (!c->checkpoint_json) put_checkpoint(w, r->param.arena, &c->checkpoint);
        RR_TRY(choose_pools(r, s, w, c));
    }
    return RR_OK;
}

/* ---- failures ---- */

/* "failures" as it was written in the run; NULL: it says nothing, or that nothing fails. */
static const struct rr_training_failures *asked(const struct rr_workload *w)
{
    if (!w->training || !rr_json_member(w->training->json, "failures")) return NULL;
    const struct rr_training_failures *f = ((const struct rr_training_run *)w->training->at)->failures->at;
    return f->none ? NULL : f;
}

static const char *failures_at(const struct rr_reading *r, const struct rr_workload *w)
{
    return rr_pointer_join(r->param.arena, rr_pointer_join(r->param.arena, w->pointer, "training"), "failures");
}

static cJSON *write_failures(const struct rr_workload *w, struct rr_arena *a)
{
    const struct rr_training_failures *f = asked(w);
    const struct rr_training_restart *b = ((const struct rr_training_run *)w->training->at)->restart->at;
    cJSON *o = cJSON_CreateObject();
    if (f->gpu_hours > 0)
        cJSON_AddStringToObject(o, "gpu_mtbf", rr_strf(a, "%.9g h", f->gpu_hours));
    else
        cJSON_AddStringToObject(o, "like", f->like);
    cJSON_AddStringToObject(o, "detect", rr_strf(a, "%.9g s", (double)b->detect_us / 1e6));
    cJSON_AddStringToObject(o, "repair", rr_strf(a, "%.9g s", (double)b->repair_us / 1e6));
    return o;
}

enum rr_status rr_trainings_failures(const struct rr_reading *r, struct rr_scenario *s, cJSON **ret)
{
    const struct rr_workload *first = NULL;
    bool any = false;
    *ret = NULL;
    for (size_t i = 0; i < s->n_workloads; i++) {
        const struct rr_workload *w = &s->workload[i];
        const struct rr_training_failures *f = asked(w);
        any |= w->training != NULL;
        if (f && s->failures_json)
            rr_note(&s->notes, RR_NOTE_WARNING, failures_at(r, w), "",
                    "the scenario's own \"failures\" hold, not those of the planned run");
        if (!f || s->failures_json) continue;
        if (first && (asked(first)->gpu_hours != f->gpu_hours || strcmp(asked(first)->like, f->like) != 0))
            return rr_json_fail(RR_EINPUT, r->param.json, rr_json_member(w->training->json, "failures"), failures_at(r, w),
                                "other failures than those of workload %s, and machines have one rate: give the scenario \"failures\"",
                                first->name);
        first = first ? first : w;
    }
    if (first) *ret = write_failures(first, r->param.arena);
    if (any && !first && !s->failures_json)
        rr_note(&s->notes, RR_NOTE_ASSUMED, "/failures", "",
                "nothing interrupts the planned runs: \"failures\": {\"like\": \"llama-3.1-405b\"} is how often a published system failed");
    return RR_OK;
}
