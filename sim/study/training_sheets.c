/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/study/training_sheets.c - planned training runs for the report: what was found, what the step and the memory are made of, what more GPUs bring. */
#include "sim/study/training_sheets.h"
#include "models/train/arch.h"
#include "models/train/layer.h"
#include "sim/study/sizing.h"
#include <math.h>
#include <string.h>

enum { RUNS = 12, TOP = 3, STAGES = 16, SHEETS = 6, MOST_LAYOUTS = 4000000 };

struct run {
    const char *alternative;
    const struct rr_workload *workload;
    struct rr_size size;
    struct rr_size_answer answer;
};
struct telling {
    const struct rr_scenario_set *set;
    struct rr_arena *a;
    struct rr_train_facts facts;
    struct rr_notes unheard;
    struct run *run;
    size_t n;
    struct rr_sheet sheet[SHEETS];
    size_t n_sheets;
};

static enum rr_status add_run(struct telling *t, const struct rr_scenario *s, const struct rr_workload *w)
{
    struct run *r = &t->run[t->n];
    for (size_t i = 0; i < t->n; i++)
        if (strcmp(t->run[i].workload->name, w->name) == 0 && strcmp(t->run[i].workload->training_text, w->training_text) == 0)
            return RR_OK;
    if (t->n == RUNS) return RR_OK;
    *r = (struct run){.alternative = s->variant, .workload = w};
    RR_TRY(rr_size_make(w->training->at, &t->facts, t->set->catalog, t->a, &t->unheard, false, &r->size));
    RR_TRY(rr_size_find(&r->size, 1, &r->answer));
    t->n++;
    return RR_OK;
}

static const char *name_of(struct telling *t, const struct run *r) { return t->set->n_variants > 1 ? r->alternative : r->workload->name; }

static const char *layout_text(struct rr_arena *a, const struct rr_layout *l)
{
    struct rr_buf b = {0};
    rr_layout_text(&b, l);
    const char *text = rr_strdup(a, rr_buf_text(&b));
    rr_buf_done(&b);
    return text;
}

static void keep(struct telling *t, struct rr_sheet_maker *m) { t->sheet[t->n_sheets++] = rr_sheet_end(m); }

/* ---- sheets ---- */

static void tell_runs(struct telling *t)
{
    struct rr_sheet_maker m =
        rr_sheet_begin(t->a, "training.runs", "Planned runs",
                       "Predicted. P10 and P90: the doubt of the model, of its coefficients and of the network between nodes. "
                       "Days of work are without failures, checkpoints and queues, which the replay adds.");
    static const char *const number[] = {"Step, s", "P10", "P90", "Steps", "Days of work", "Checkpoint, GB"};
    rr_sheet_column(&m, "Run", RR_SHEET_TEXT);
    rr_sheet_column(&m, "On", RR_SHEET_TEXT);
    for (size_t i = 0; i < sizeof number / sizeof *number; i++) rr_sheet_column(&m, number[i], RR_SHEET_NUMBER);
    rr_sheet_column(&m, "MFU", RR_SHEET_SHARE);
    rr_sheet_column(&m, "Bound by", RR_SHEET_TEXT);
    for (size_t i = 0; i < t->n; i++) {
        const struct run *r = &t->run[i];
        const struct rr_size_answer *x = &r->answer;
        const double v[] = {x->found.best[0].step_s,
                            x->band.step_p10_s,
                            x->band.step_p90_s,
                            x->time.steps,
                            (x->time.train_s + x->time.eval_s) / 86400,
                            r->size.plan.checkpoint_bytes / 1e9};
        int most = 0;
        for (int k = 1; k < RR_STEP_N; k++)
            if (x->step.term_s[k] > x->step.term_s[most]) most = k;
        rr_sheet_row(&m);
        rr_sheet_text(&m, name_of(t, r));
        rr_sheet_text(&m, rr_strf(t->a, "%d x %s, %s", r->size.search.base.gpus, r->size.machine.id,
                                  rr_precision_name[r->size.search.base.precision]));
        for (size_t k = 0; k < sizeof v / sizeof *v; k++) rr_sheet_number(&m, v[k]);
        rr_sheet_number(&m, x->step.mfu / r->size.scale);
        rr_sheet_text(&m, rr_step_name[most]);
    }
    keep(t, &m);
}

static void tell_layouts(struct telling *t)
{
    struct rr_sheet_maker m =
        rr_sheet_begin(t->a, "training.layouts", "Layouts",
                       "The fastest that are legal and fit. tp, pp, cp, dp, ep: tensor, pipeline, context, data and expert parallel; "
                       "vpp: chunks a stage.");
    rr_sheet_column(&m, "Run", RR_SHEET_TEXT);
    rr_sheet_column(&m, "Layout", RR_SHEET_TEXT);
    rr_sheet_column(&m, "Step, s", RR_SHEET_NUMBER);
    rr_sheet_column(&m, "Memory, GB", RR_SHEET_NUMBER);
    rr_sheet_column(&m, "Of memory", RR_SHEET_SHARE);
    rr_sheet_column(&m, "Tried", RR_SHEET_NUMBER);
    rr_sheet_column(&m, "Fit", RR_SHEET_NUMBER);
    for (size_t i = 0; i < t->n; i++) {
        const struct rr_search_result *f = &t->run[i].answer.found;
        for (int32_t k = 0; k < f->n && k < TOP; k++) {
            rr_sheet_row(&m);
            rr_sheet_text(&m, name_of(t, &t->run[i]));
            rr_sheet_text(&m, layout_text(t->a, &f->best[k].layout));
            rr_sheet_number(&m, f->best[k].step_s);
            rr_sheet_number(&m, f->best[k].memory_bytes / 1e9);
            rr_sheet_number(&m, f->best[k].memory_bytes / rr_memory_usable_bytes(&t->run[i].size.machine));
            rr_sheet_number(&m, k ? NAN : (double)f->tried);
            rr_sheet_number(&m, k ? NAN : (double)f->fit);
        }
    }
    keep(t, &m);
}

static void tell_step(struct telling *t)
{
    struct rr_sheet_maker m = rr_sheet_begin(t->a, "training.step", "The step, s", "Of the slowest stage, as predicted.");
    rr_sheet_column(&m, "Run", RR_SHEET_TEXT);
    for (int k = 0; k < RR_STEP_N; k++) rr_sheet_column(&m, rr_step_name[k], RR_SHEET_NUMBER);
    for (size_t i = 0; i < t->n; i++) {
        rr_sheet_row(&m);
        rr_sheet_text(&m, name_of(t, &t->run[i]));
        for (int k = 0; k < RR_STEP_N; k++) rr_sheet_number(&m, t->run[i].answer.step.term_s[k]);
    }
    keep(t, &m);
}

static void tell_memory(struct telling *t)
{
    const struct run *r = &t->run[0];
    struct rr_sheet_maker m = rr_sheet_begin(t->a, "training.memory", "Memory of a GPU, GB",
                                             rr_strf(t->a, "%s, by pipeline stage; %s has %.1f GB for it.", name_of(t, r),
                                                     r->size.machine.id, rr_memory_usable_bytes(&r->size.machine) / 1e9));
    rr_sheet_column(&m, "Stage", RR_SHEET_TEXT);
    for (int k = 0; k < RR_MEMORY_N; k++) rr_sheet_column(&m, rr_memory_name[k], RR_SHEET_NUMBER);
    for (int32_t i = 0; i < r->answer.n_memory && i < STAGES; i++) {
        rr_sheet_row(&m);
        rr_sheet_text(&m, rr_strf(t->a, "stage %d", i));
        for (int k = 0; k < RR_MEMORY_N; k++) rr_sheet_number(&m, r->answer.memory[i].term_bytes[k] / 1e9);
    }
    keep(t, &m);
}

/* The first run on an eighth to eight times as many GPUs. */
static enum rr_status tell_scaling(struct telling *t)
{
    const struct run *r = &t->run[0];
    static const char *const plan[] = {"on_demand"};
    struct rr_training_run wanted = *(const struct rr_training_run *)r->workload->training->at;
    int64_t count[8];
    size_t n = 0;
    if (r->answer.found.tried > MOST_LAYOUTS || wanted.measured || wanted.log) return RR_OK;
    for (int64_t f = 8; f >= 2; f /= 2)
        if (wanted.gpus % f == 0) count[n++] = wanted.gpus / f;
    for (int64_t f = 2; f <= 8; f *= 2) count[n++] = wanted.gpus * f;
    wanted.layout = NULL; // free on other numbers
    const struct rr_sizing_ask ask = {.training = &wanted,
                                      .facts = &t->facts,
                                      .catalog = t->set->catalog,
                                      .count = count,
                                      .n_count = n,
                                      .plan = plan,
                                      .n_plans = 1,
                                      .region = "",
                                      .seed = 1};
    struct rr_sizing s;
    RR_TRY(rr_sizing_make(&ask, t->a, &t->unheard, &s));
    struct rr_sheet_maker m = rr_sheet_begin(
        t->a, "training.scaling", "Fewer and more GPUs",
        rr_strf(t->a,
                "%s with the same batch, the best layout of each, with failures and checkpoints in the mean; cost on demand at the "
                "facts' cheapest price.",
                name_of(t, r)));
    rr_sheet_column(&m, "GPUs", RR_SHEET_NUMBER);
    rr_sheet_column(&m, "Days", RR_SHEET_NUMBER);
    rr_sheet_column(&m, "P90", RR_SHEET_NUMBER);
    rr_sheet_column(&m, "Cost", RR_SHEET_MONEY);
    rr_sheet_column(&m, "For the last more", RR_SHEET_MONEY);
    rr_sheet_column(&m, "Layout", RR_SHEET_TEXT);
    for (int64_t last = 0;;) { // by number
        const struct rr_sizing_point *p = NULL;
        for (size_t i = 0; i < s.n; i++)
            if (s.at[i].training.gpus > last && (!p || s.at[i].training.gpus < p->training.gpus)) p = &s.at[i];
        if (!p) break;
        last = p->training.gpus;
        rr_sheet_row(&m);
        rr_sheet_number(&m, (double)last);
        rr_sheet_number(&m, p->answer ? p->answer->time.total_s / 86400 : NAN);
        rr_sheet_number(&m, p->answer ? p->answer->band.p90_s / 86400 : NAN);
        rr_sheet_number(&m, rr_sizing_cost(p));
        rr_sheet_number(&m, p->marginal_cost);
        rr_sheet_text(&m, p->answer ? layout_text(t->a, &p->answer->found.best[0].layout) : p->reason);
    }
    keep(t, &m);
    return RR_OK;
}

/* A product of m x k by k x n: where it lies under the roof, and what it reaches. */
static void put_product(struct rr_sheet_maker *s, const struct rr_place *p, const char *name, double m, double n, double k)
{
    const double flops = 2 * m * n * k, bytes = p->element * (m * k + k * n + m * n), peak = p->wide_f_s, at = flops / bytes;
    rr_sheet_row(s);
    rr_sheet_text(s, name);
    rr_sheet_number(s, at);
    rr_sheet_number(s, flops / rr_gemm_s(p, m, n, k, false) / 1e12);
    rr_sheet_number(s, fmin(peak, at * p->m->memory_gb_s * 1e9) / 1e12);
    rr_sheet_number(s, p->m->memory_gb_s / 1e3);
}

static void tell_roofline(struct telling *t)
{
    const struct run *r = &t->run[0];
    const struct rr_arch *a = &r->size.arch;
    const struct rr_layout *l = &r->answer.found.best[0].layout;
    struct rr_place p;
    if (a->sample_gflop > 0 || a->kv_lora || a->mamba_layers) return; // products of other shapes
    rr_place_make(a, &r->size.machine, &r->size.coefs, l, &p);
    struct rr_sheet_maker m = rr_sheet_begin(
        t->a, "training.roofline", "Products under the roof",
        rr_strf(
            t->a,
            "%s, forward products of one layer on a GPU (%s): FLOPs a byte, what the model says they reach, and the least of dense peak "
            "and memory bandwidth.",
            name_of(t, r), l->precision == RR_BF16 || l->precision == RR_FP16 ? "16 bits" : "in 16 bits or more"));
    rr_sheet_column(&m, "Product", RR_SHEET_TEXT);
    rr_sheet_column(&m, "FLOP a byte", RR_SHEET_NUMBER);
    rr_sheet_column(&m, "TFLOP/s", RR_SHEET_NUMBER);
    rr_sheet_column(&m, "Roof, TFLOP/s", RR_SHEET_NUMBER);
    rr_sheet_column(&m, "Memory, TB/s", RR_SHEET_NUMBER);
    const double d = rr_arch_head_dim(a), h = a->hidden, tp = l->tp, gates = a->gated ? 2 : 1;
    put_product(&m, &p, "queries, keys, values", p.tokens, d * (a->heads + 2.0 * a->kv_heads) / tp, h);
    put_product(&m, &p, "attention out", p.tokens, h, d * a->heads / tp);
    if (a->ffn) put_product(&m, &p, "MLP up", p.tokens, gates * a->ffn / tp, h);
    if (a->ffn) put_product(&m, &p, "MLP down", p.tokens, h, a->ffn / tp);
    if (a->experts) put_product(&m, &p, "an expert's up", p.tokens * a->top_k * l->ep / a->experts, gates * a->expert_ffn / tp, h);
    put_product(&m, &p, "vocabulary", p.tokens, a->vocab / tp, h);
    keep(t, &m);
}

/* ---- all ---- */

static enum rr_status collect(struct telling *t)
{
    for (size_t v = 0; v < t->set->n_variants; v++) {
        const struct rr_scenario *s = t->set->variant[v];
        for (size_t i = 0; i < s->n_workloads; i++)
            if (s->workload[i].training) RR_TRY(add_run(t, s, &s->workload[i]));
    }
    return RR_OK;
}

static enum rr_status all_sheets(struct telling *t)
{
    RR_TRY(collect(t));
    tell_runs(t);
    tell_layouts(t);
    tell_step(t);
    tell_memory(t);
    RR_TRY(tell_scaling(t));
    tell_roofline(t);
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
    struct telling t = {.set = set, .a = a, .unheard = {.arena = a}};
    const char *dir;
    if (!any_training(set)) return RR_OK;
    t.run = RR_NEWS(a, struct run, RUNS + 1);
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
