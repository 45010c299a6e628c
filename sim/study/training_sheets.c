/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/study/training_sheets.c - planned training runs for the report: what was found, when they are done, what the step and the memory are made of. */
#include "sim/study/training_sheets.h"
#include "sim/study/training_parts.h"
#include <math.h>
#include <string.h>

enum { RUNS = 12, TOP = 3, STAGES = 16, FAULTS = 4 };

/* ---- what they share ---- */

void rr_tell_sheet(struct rr_telling *t, struct rr_sheet_maker *m)
{
    struct rr_sheet s = rr_sheet_end(m);
    if (s.n_rows > 0) t->sheet[t->n_sheets++] = s;
}

const char *rr_tell_layout(struct rr_arena *a, const struct rr_layout *l)
{
    struct rr_buf b = {0};
    rr_layout_text(&b, l);
    const char *text = rr_strdup(a, rr_buf_text(&b));
    rr_buf_done(&b);
    return text;
}

double rr_tell_failures(const struct rr_scenario *s, const struct rr_machine *m, double *detect_s)
{
    const struct rr_failures *f = s->failures;
    const double node_hours = m->gpus_per_node * 3600e6; // microseconds of a node for each GPU-hour
    double rate = 0;
    *detect_s = f ? rr_dist_mean(&f->detect_us) / 1e6 : 0;
    if (!f) return INFINITY;
    const double node_us = f->has_node ? rr_dist_mean(&f->node_us) : (double)f->node_mtbf_us;
    if (node_us > 0) rate += 3600e6 / node_us / m->gpus_per_node;
    if (f->gpu_mtbf_us > 0) rate += 3600e6 / (double)f->gpu_mtbf_us;
    if (f->network_mtbf_us > 0) rate += 3600e6 / (double)f->network_mtbf_us / m->gpus_per_node;
    for (int k = 0; k < RR_DOMAINS; k++)
        if (f->domain[k].mtbf_us > 0 && f->domain[k].nodes > 0)
            rate += 3600e6 * 3600e6 / (double)f->domain[k].mtbf_us / (double)f->domain[k].nodes / node_hours;
    return rate > 0 ? 1 / rate : INFINITY;
}

static const char *name_of(const struct rr_telling *t, const struct rr_scenario *s, const struct rr_workload *w)
{
    size_t n = 0;
    for (size_t i = 0; i < s->n_workloads; i++) n += s->workload[i].training != NULL;
    if (t->set->n_variants == 1) return w->name;
    return n == 1 ? s->variant : rr_strf(t->a, "%s, %s", s->variant, w->name);
}

static bool is_told(const struct rr_telling *t, const struct rr_scenario *s, const struct rr_workload *w)
{
    for (size_t i = 0; i < t->n; i++) {
        const struct rr_told_run *r = &t->run[i];
        if (strcmp(r->workload->name, w->name) == 0 && strcmp(r->workload->training_text, w->training_text) == 0 &&
            r->scenario->decision_hash == s->decision_hash)
            return true;
    }
    return t->n == RUNS;
}

static enum rr_status add_run(struct rr_telling *t, size_t variant, const struct rr_workload *w)
{
    const struct rr_scenario *s = t->set->variant[variant];
    struct rr_told_run *r = &t->run[t->n];
    double detect_s;
    if (is_told(t, s, w)) return RR_OK;
    *r = (struct rr_told_run){.scenario = s, .workload = w, .variant = variant, .name = name_of(t, s, w)};
    RR_TRY(rr_size_make(w->training->at, &t->facts, t->set->catalog, t->a, &t->unheard, false, &r->size));
    const double gpu_hours = rr_tell_failures(s, &r->size.machine, &detect_s);
    rr_sizing_fail(&r->size, gpu_hours, detect_s);
    RR_TRY(rr_size_find(&r->size, 1, &r->answer));
    t->n++;
    return RR_OK;
}

/* ---- sheets ---- */

static void tell_runs(struct rr_telling *t)
{
    struct rr_sheet_maker m =
        rr_sheet_begin(t->a, "training.runs", "Planned runs",
                       "Predicted. P10 and P90 of the step: the doubt of the model, of its coefficients and of the network between nodes. "
                       "Work is steps and evaluations alone, without failures, checkpoints, start-up and queues.");
    rr_sheet_column(&m, "Run", RR_SHEET_TEXT);
    rr_sheet_column(&m, "On", RR_SHEET_TEXT);
    rr_sheet_column(&m, "Step", RR_SHEET_SECONDS);
    rr_sheet_column(&m, "P10", RR_SHEET_SECONDS);
    rr_sheet_column(&m, "P90", RR_SHEET_SECONDS);
    rr_sheet_column(&m, "Steps", RR_SHEET_NUMBER);
    rr_sheet_column(&m, "Work", RR_SHEET_SECONDS);
    rr_sheet_column(&m, "MFU", RR_SHEET_SHARE);
    rr_sheet_column(&m, "Most of the step", RR_SHEET_TEXT);
    rr_sheet_column(&m, "Checkpoint", RR_SHEET_BYTES);
    for (size_t i = 0; i < t->n; i++) {
        const struct rr_told_run *r = &t->run[i];
        const struct rr_size_answer *x = &r->answer;
        int most = 0;
        for (int k = 1; k < RR_STEP_N; k++)
            if (x->step.term_s[k] > x->step.term_s[most]) most = k;
        rr_sheet_row(&m);
        rr_sheet_text(&m, r->name);
        rr_sheet_text(&m, rr_strf(t->a, "%d x %s, %s", r->size.search.base.gpus, r->size.machine.id,
                                  rr_precision_name[r->size.search.base.precision]));
        rr_sheet_number(&m, x->found.best[0].step_s);
        rr_sheet_number(&m, x->band.step_p10_s);
        rr_sheet_number(&m, x->band.step_p90_s);
        rr_sheet_number(&m, ceil(x->time.steps));
        rr_sheet_number(&m, (x->time.train_s + x->time.eval_s) * r->size.plan.reruns);
        rr_sheet_number(&m, x->step.mfu / r->size.scale);
        rr_sheet_text(&m, rr_strf(t->a, "%s, %.0f %%", rr_step_name[most], 100 * x->step.term_s[most] / x->step.total_s));
        rr_sheet_number(&m, r->size.plan.checkpoint_bytes);
    }
    rr_tell_sheet(t, &m);
}

static const char *date_of(const struct rr_telling *t, const struct rr_scenario *s, double after_s)
{
    if (!t->store->anchored || !(after_s < 3e9)) return "";
    struct rr_buf b = {0};
    const int64_t at = s->start_us + (int64_t)(after_s * 1e6), day = 86400 * RR_S, into = ((at % day) + day) % day;
    rr_buf_date(&b, at - into);
    if (after_s < 3 * 86400) rr_buf_putf(&b, " %02d:%02d", (int)(into / (3600 * RR_S)), (int)(into / (60 * RR_S) % 60));
    const char *text = rr_strdup(t->a, rr_buf_text(&b));
    rr_buf_done(&b);
    return text;
}

/* Its alternative's makespan is the run's own time. */
static bool is_alone(const struct rr_told_run *r)
{
    return r->scenario->n_workloads == 1 && ((const struct rr_training_run *)r->workload->training->at)->count == 1;
}

static void columns3(struct rr_sheet_maker *m, const char *what, enum rr_sheet_unit unit, bool many, struct rr_arena *a)
{
    rr_sheet_column(m, many ? rr_strf(a, "%s P10", what) : what, unit);
    if (many) rr_sheet_column(m, "P50", unit);
    if (many) rr_sheet_column(m, "P90", unit);
}

/* P10, P50, P90 over the replications, or what the one replication has. Nothing where other jobs are in it. */
static void put3(struct rr_sheet_maker *m, const struct rr_told_run *r, const struct rr_stat *s, bool many)
{
    const bool spread = !isnan(s->p10), alone = is_alone(r);
    if (many) rr_sheet_number(m, !alone ? NAN : spread ? s->p10 : s->mean);
    rr_sheet_number(m, !alone ? NAN : spread ? s->p50 : s->mean);
    if (many) rr_sheet_number(m, !alone ? NAN : spread ? s->p90 : s->mean);
}

static double deadline_of(const struct rr_told_run *r)
{
    return (double)((const struct rr_training_run *)r->workload->training->at)->deadline_us / 1e6;
}

/* In closed form, and as it was replayed. */
static void tell_done(struct rr_telling *t)
{
    const bool many = t->store->replications > 1;
    struct rr_sheet_maker m =
        rr_sheet_begin(t->a, "training.done", "When they are done",
                       many ? "Predicted in closed form from the step's doubt and the scenario's rate of failures, without queues, and the "
                              "day that makes it; "
                              "replayed: over the replications, with queues."
                            : "Predicted in closed form from the step's doubt and the scenario's rate of failures, without queues, and the "
                              "day that makes it; "
                              "replayed: with queues. One replication has the middle prediction; more of them (\"replications\") vary it.");
    bool dated = false;
    for (size_t i = 0; i < t->n; i++) dated |= deadline_of(&t->run[i]) > 0;
    rr_sheet_column(&m, "Run", RR_SHEET_TEXT);
    columns3(&m, "Predicted", RR_SHEET_SECONDS, true, t->a);
    columns3(&m, "Replayed", RR_SHEET_SECONDS, many, t->a);
    if (t->store->anchored) rr_sheet_column(&m, "Done, P50", RR_SHEET_TEXT);
    if (t->store->anchored) rr_sheet_column(&m, "Done, P90", RR_SHEET_TEXT);
    if (dated) rr_sheet_column(&m, "Deadline", RR_SHEET_SECONDS);
    if (dated) rr_sheet_column(&m, "Missed", RR_SHEET_SHARE);
    for (size_t i = 0; i < t->n; i++) {
        const struct rr_told_run *r = &t->run[i];
        const struct rr_ttt_band *b = &r->answer.band;
        const double submit_s = (double)((const struct rr_training_run *)r->workload->training->at)->submit_us / 1e6;
        rr_sheet_row(&m);
        rr_sheet_text(&m, r->name);
        rr_sheet_number(&m, b->p10_s);
        rr_sheet_number(&m, b->p50_s);
        rr_sheet_number(&m, b->p90_s);
        put3(&m, r, &t->store->alternative[r->variant].metric[RR_M_MAKESPAN], many);
        if (t->store->anchored) {
            rr_sheet_text(&m, date_of(t, r->scenario, submit_s + b->p50_s));
            rr_sheet_text(&m, date_of(t, r->scenario, submit_s + b->p90_s));
        }
        if (!dated) continue;
        const double deadline_s = deadline_of(r);
        rr_sheet_number(&m, deadline_s > 0 ? deadline_s : NAN);
        rr_sheet_number(&m, deadline_s > 0 && is_alone(r) ? t->store->alternative[r->variant].metric[RR_M_DEADLINE_MISSED].mean : NAN);
    }
    rr_tell_sheet(t, &m);
}

static void tell_bill(struct rr_telling *t)
{
    struct rr_sheet_maker m =
        rr_sheet_begin(t->a, "training.bill", "What they cost", "Over the replications: the alternative with the run in it.");
    bool any = false;
    for (size_t i = 0; i < t->n; i++) any |= is_alone(&t->run[i]) && !t->store->alternative[t->run[i].variant].unpriced;
    if (t->store->replications < 2 || !any) return;
    rr_sheet_column(&m, "Run", RR_SHEET_TEXT);
    columns3(&m, "Effective cost", RR_SHEET_MONEY, true, t->a);
    columns3(&m, "Cash", RR_SHEET_MONEY, true, t->a);
    for (size_t i = 0; i < t->n; i++) {
        const struct rr_stat *of = t->store->alternative[t->run[i].variant].metric;
        rr_sheet_row(&m);
        rr_sheet_text(&m, t->run[i].name);
        put3(&m, &t->run[i], &of[RR_M_COST_TOTAL], true);
        put3(&m, &t->run[i], &of[RR_M_CASH_TOTAL], true);
    }
    rr_tell_sheet(t, &m);
}

static void tell_layouts(struct rr_telling *t)
{
    struct rr_sheet_maker m =
        rr_sheet_begin(t->a, "training.layouts", "Layouts",
                       "The fastest that are legal and fit. tp, pp, cp, dp, ep: tensor, pipeline, context, data and expert parallel; "
                       "vpp: chunks a stage; zero: what is sharded over dp.");
    rr_sheet_column(&m, "Run", RR_SHEET_TEXT);
    rr_sheet_column(&m, "Layout", RR_SHEET_TEXT);
    rr_sheet_column(&m, "Step", RR_SHEET_SECONDS);
    rr_sheet_column(&m, "Memory", RR_SHEET_BYTES);
    rr_sheet_column(&m, "Of a GPU", RR_SHEET_SHARE);
    for (size_t i = 0; i < t->n; i++) {
        const struct rr_search_result *f = &t->run[i].answer.found;
        for (int32_t k = 0; k < f->n && k < TOP; k++) {
            rr_sheet_row(&m);
            rr_sheet_text(&m, k ? "" : t->run[i].name);
            rr_sheet_text(&m, rr_tell_layout(t->a, &f->best[k].layout));
            rr_sheet_number(&m, f->best[k].step_s);
            rr_sheet_number(&m, f->best[k].memory_bytes);
            rr_sheet_number(&m, f->best[k].memory_bytes / rr_memory_usable_bytes(&t->run[i].size.machine));
        }
    }
    rr_tell_sheet(t, &m);
}

static const char *fault_text(struct rr_telling *t, const struct rr_told_run *r, enum rr_layout_fault k)
{
    struct rr_buf b = {0};
    struct rr_search q = r->size.search;
    q.arch = &r->size.arch, q.machine = &r->size.machine, q.coefs = &r->size.coefs;
    rr_search_say(&b, &q, &r->answer.found, k);
    const char *text = rr_strdup(t->a, rr_buf_text(&b));
    rr_buf_done(&b);
    return text;
}

/* Of each run the reasons with most layouts. */
static void tell_rejected(struct rr_telling *t)
{
    struct rr_sheet_maker m = rr_sheet_begin(t->a, "training.rejected", "Layouts that were tried",
                                             "Each by what is wrong with it first; one of them stands for all with that reason.");
    rr_sheet_column(&m, "Run", RR_SHEET_TEXT);
    rr_sheet_column(&m, "Layouts", RR_SHEET_NUMBER);
    rr_sheet_column(&m, "", RR_SHEET_TEXT);
    for (size_t i = 0; i < t->n; i++) {
        const struct rr_told_run *r = &t->run[i];
        const int64_t *fault = r->answer.found.fault;
        int64_t above = INT64_MAX, other = r->answer.found.tried - r->answer.found.fit;
        rr_sheet_row(&m);
        rr_sheet_text(&m, r->name);
        rr_sheet_number(&m, (double)r->answer.found.fit);
        rr_sheet_text(&m, "are legal and fit");
        for (int n = 0, last = 0; n < FAULTS; n++) {
            int most = 0;
            for (int k = 1; k < RR_FAULT_N; k++)
                if (fault[k] > (most ? fault[most] : 0) && (fault[k] < above || (fault[k] == above && k > last))) most = k;
            if (!most) break;
            rr_sheet_row(&m);
            rr_sheet_text(&m, "");
            rr_sheet_number(&m, (double)fault[most]);
            rr_sheet_text(&m, fault_text(t, r, (enum rr_layout_fault)most));
            above = fault[most], last = most, other -= fault[most];
        }
        if (other <= 0) continue;
        rr_sheet_row(&m);
        rr_sheet_text(&m, "");
        rr_sheet_number(&m, (double)other);
        rr_sheet_text(&m, "for other reasons");
    }
    rr_tell_sheet(t, &m);
}

/* A row for each term that any run has, the runs side by side. */
static void tell_step(struct rr_telling *t)
{
    struct rr_sheet_maker m = rr_sheet_begin(t->a, "training.step", "The terms of a step",
                                             "On the slowest stage, as predicted; terms that no run has are left out.");
    rr_sheet_column(&m, "Term", RR_SHEET_TEXT);
    for (size_t i = 0; i < t->n; i++) rr_sheet_column(&m, t->run[i].name, RR_SHEET_SECONDS);
    for (int k = 0; k < RR_STEP_N; k++) {
        bool any = false;
        for (size_t i = 0; i < t->n; i++) any |= t->run[i].answer.step.term_s[k] >= 1e-6;
        if (!any) continue;
        rr_sheet_row(&m);
        rr_sheet_text(&m, rr_step_name[k]);
        for (size_t i = 0; i < t->n; i++)
            rr_sheet_number(&m, t->run[i].answer.step.term_s[k] < 1e-6 ? NAN : t->run[i].answer.step.term_s[k]);
    }
    rr_sheet_row(&m);
    rr_sheet_text(&m, "total");
    for (size_t i = 0; i < t->n; i++) rr_sheet_number(&m, t->run[i].answer.step.total_s);
    rr_tell_sheet(t, &m);
}

static bool in_memory(const struct rr_told_run *r, int k)
{
    for (int32_t i = 0; i < r->answer.n_memory && i < STAGES; i++)
        if (r->answer.memory[i].term_bytes[k] >= 1e5) return true;
    return false;
}

static void tell_memory(struct rr_telling *t)
{
    const struct rr_told_run *r = &t->run[0];
    const double usable = rr_memory_usable_bytes(&r->size.machine);
    struct rr_sheet_maker m =
        rr_sheet_begin(t->a, "training.memory", "Memory of a GPU",
                       rr_strf(t->a, "%s, by pipeline stage; a GPU of %s has %.1f GB for it.", r->name, r->size.machine.id, usable / 1e9));
    rr_sheet_column(&m, "Stage", RR_SHEET_TEXT);
    for (int k = 0; k < RR_MEMORY_N; k++)
        if (in_memory(r, k)) rr_sheet_column(&m, rr_memory_name[k], RR_SHEET_BYTES);
    rr_sheet_column(&m, "total", RR_SHEET_BYTES);
    rr_sheet_column(&m, "of a GPU", RR_SHEET_SHARE);
    for (int32_t i = 0; i < r->answer.n_memory && i < STAGES; i++) {
        const struct rr_memory *x = &r->answer.memory[i];
        rr_sheet_row(&m);
        rr_sheet_text(&m, rr_strf(t->a, "stage %d", i));
        for (int k = 0; k < RR_MEMORY_N; k++)
            if (in_memory(r, k)) rr_sheet_number(&m, x->term_bytes[k] < 1e5 ? NAN : x->term_bytes[k]);
        rr_sheet_number(&m, x->total_bytes);
        rr_sheet_number(&m, x->total_bytes / usable);
    }
    rr_tell_sheet(t, &m);
}

/* ---- all ---- */

static enum rr_status all_sheets(struct rr_telling *t)
{
    for (size_t v = 0; v < t->set->n_variants; v++) {
        const struct rr_scenario *s = t->set->variant[v];
        for (size_t i = 0; i < s->n_workloads; i++)
            if (s->workload[i].training) RR_TRY(add_run(t, v, &s->workload[i]));
    }
    tell_runs(t);
    tell_done(t);
    tell_bill(t);
    tell_layouts(t);
    tell_rejected(t);
    tell_step(t);
    tell_memory(t);
    RR_TRY(rr_tell_scaling(t));
    rr_tell_roofline(t);
    rr_tell_trust(t);
    rr_tell_profiles(t);
    return RR_OK;
}

static bool any_training(const struct rr_scenario_set *set)
{
    for (size_t v = 0; v < set->n_variants; v++)
        for (size_t i = 0; i < set->variant[v]->n_workloads; i++)
            if (set->variant[v]->workload[i].training) return true;
    return false;
}

enum rr_status rr_tell_training(const struct rr_scenario_set *set, struct rr_arena *a, struct rr_store *store)
{
    struct rr_telling t = {.set = set, .store = store, .a = a, .unheard = {.arena = a}};
    const char *dir;
    if (!any_training(set)) return RR_OK;
    t.run = RR_NEWS(a, struct rr_told_run, RUNS + 1);
    RR_TRY(rr_data_dir(a, &dir));
    RR_TRY(rr_train_facts_load(dir, a, &t.facts));
    const enum rr_status st = all_sheets(&t);
    rr_notes_done(&t.unheard);
    if (st != RR_OK) return st;
    struct rr_sheet *all = RR_NEWS(a, struct rr_sheet, store->n_sheets + t.n_sheets);
    if (store->n_sheets) memcpy(all, store->sheet, store->n_sheets * sizeof *all);
    memcpy(all + store->n_sheets, t.sheet, t.n_sheets * sizeof *all);
    store->sheet = all;
    store->n_sheets += t.n_sheets;
    return RR_OK;
}
