/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/cli/size_json.c - the answer of `rackrate size` as one document, rackrate.size/1. */
#include "models/train/arch.h"
#include "sim/cli/size.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

static void number(struct rr_buf *b, const char *key, double v)
{
    rr_buf_putf(b, "\"%s\": ", key);
    rr_buf_double(b, v);
}

static void text(struct rr_buf *b, const char *key, const char *v)
{
    rr_buf_putf(b, "\"%s\": ", key);
    rr_buf_json(b, v);
}

static void put_layout(struct rr_buf *b, const struct rr_layout *l)
{
    rr_buf_putf(
        b, "{\"tp\": %d, \"pp\": %d, \"vpp\": %d, \"ends\": %d, \"dp\": %d, \"cp\": %d, \"ep\": %d, \"zero\": %d, \"micro_batch\": %d, ",
        l->tp, l->pp, l->vpp, l->pp > 1 ? l->ends : 0, l->dp, l->cp, l->ep, l->zero, l->micro_batch);
    rr_buf_putf(b,
                "\"global_batch\": %d, \"seq\": %d, \"recompute\": \"%s\", \"recompute_layers\": %d, \"precision\": \"%s\", "
                "\"sequence_parallel\": %s, ",
                l->global_batch, l->seq, rr_recompute_name[l->recompute], l->recompute_layers, rr_precision_name[l->precision],
                l->sequence_parallel ? "true" : "false");
    rr_buf_putf(b, "\"tp_overlap\": %s, \"dp_overlap\": %s, \"flash\": %s}", l->tp_overlap ? "true" : "false",
                l->dp_overlap ? "true" : "false", l->flash ? "true" : "false");
}

static void put_layouts(struct rr_buf *b, const struct rr_size_question *q, const struct rr_sizing_point *p)
{
    const struct rr_search_result *r = &p->answer->found;
    rr_buf_putf(b, "\"layouts\": {\"tried\": %" PRId64 ", \"fit\": %" PRId64 ", \"best\": [", r->tried, r->fit);
    for (int32_t i = 0; i < r->n && i < q->top; i++) {
        rr_buf_puts(b, i ? ", {" : "{");
        number(b, "step_s", r->best[i].step_s);
        rr_buf_puts(b, ", ");
        number(b, "memory_bytes", r->best[i].memory_bytes);
        rr_buf_puts(b, ", \"layout\": ");
        put_layout(b, &r->best[i].layout);
        rr_buf_puts(b, "}");
    }
    rr_buf_puts(b, "], \"rejected\": [");
    for (int i = 1, n = 0; i < RR_FAULT_N; i++) {
        if (r->fault[i] == 0) continue;
        struct rr_buf say = {0};
        rr_search_say(&say, &p->size.search, r, (enum rr_layout_fault)i);
        rr_buf_putf(b, "%s{\"count\": %" PRId64 ", ", n++ ? ", " : "", r->fault[i]);
        text(b, "reason", rr_layout_fault_help[i]);
        rr_buf_puts(b, ", ");
        text(b, "such_as", rr_buf_text(&say));
        rr_buf_puts(b, "}");
        rr_buf_done(&say);
    }
    rr_buf_puts(b, "]}");
}

static void put_step(struct rr_buf *b, const struct rr_sizing_point *p)
{
    const struct rr_step *s = &p->answer->step;
    rr_buf_puts(b, "\"step\": {");
    number(b, "step_s", p->answer->found.best[0].step_s);
    rr_buf_puts(b, ", ");
    number(b, "predicted_s", s->total_s);
    rr_buf_puts(b, ", ");
    number(b, "scale", p->size.scale);
    rr_buf_puts(b, ", ");
    number(b, "mfu", s->mfu / p->size.scale);
    rr_buf_puts(b, ", ");
    const double peak = rr_machine_peak_flops(&p->size.machine, (enum rr_precision)p->training.precision);
    number(b, "mfu_of_own_peak", peak > 0 ? s->model_flops / ((double)p->training.gpus * peak * p->answer->found.best[0].step_s) : NAN);
    rr_buf_puts(b, ", ");
    number(b, "tokens_per_s_per_gpu", s->tokens_per_s_per_gpu / p->size.scale);
    rr_buf_puts(b, ", ");
    number(b, "model_flops", s->model_flops);
    rr_buf_puts(b, ", \"terms_s\": {");
    for (int i = 0; i < RR_STEP_N; i++) {
        rr_buf_puts(b, i ? ", " : "");
        number(b, rr_step_name[i], s->term_s[i]);
    }
    rr_buf_puts(b, "}}, \"memory_bytes\": [");
    for (int32_t k = 0; k < p->answer->n_memory; k++) {
        rr_buf_puts(b, k ? ", {" : "{");
        for (int i = 0; i < RR_MEMORY_N; i++) {
            number(b, rr_memory_name[i], p->answer->memory[k].term_bytes[i]);
            rr_buf_puts(b, ", ");
        }
        number(b, "total", p->answer->memory[k].total_bytes);
        rr_buf_puts(b, "}");
    }
    rr_buf_puts(b, "]");
}

/* How sure it is that the best layout fits, and what a measured run says of memory. */
static void put_fit(struct rr_buf *b, const struct rr_sizing_point *p)
{
    const struct rr_size_measured *m = &p->size.measured;
    const double best = p->answer->found.best[0].memory_bytes, usable = rr_memory_usable_bytes(&p->size.machine);
    rr_buf_puts(b, ", \"memory_fit\": {");
    number(b, "usable_bytes", usable);
    rr_buf_puts(b, ", ");
    number(b, "margin", p->size.memory_margin);
    rr_buf_putf(b, ", \"may_run_out\": %s", best * (1 + p->size.memory_margin) > usable ? "true" : "false");
    const struct {
        const char *key;
        double v;
    } row[] = {{"measured_bytes", m->memory_bytes},
               {"predicted_bytes", m->predicted_bytes},
               {"after_bytes", m->after_bytes},
               {"scale", m->memory_scale},
               {"offset_bytes", m->memory_offset_bytes}};
    for (size_t i = 0; m->memory_bytes > 0 && i < sizeof row / sizeof *row; i++) {
        rr_buf_puts(b, ", ");
        number(b, row[i].key, row[i].v);
    }
    rr_buf_puts(b, "}");
}

static void put_time(struct rr_buf *b, const struct rr_sizing_point *p)
{
    const struct rr_ttt *t = &p->answer->time;
    const struct rr_ttt_band *d = &p->answer->band;
    const struct {
        const char *key;
        double v;
    } row[] = {{"steps", t->steps},
               {"training_s", t->train_s},
               {"evaluations_s", t->eval_s},
               {"checkpoints_s", t->checkpoint_s},
               {"failures_s", t->lost_s},
               {"start_s", t->startup_s},
               {"reruns_s", t->rerun_s},
               {"total_s", t->total_s},
               {"goodput", t->goodput},
               {"mtbf_s", t->mtbf_s},
               {"checkpoint_interval_s", t->interval_s},
               {"failures", t->failures},
               {"spare_nodes", p->size.plan.spares},
               {"gpu_hours", t->gpu_hours},
               {"energy_kwh", t->kwh},
               {"p10_s", d->p10_s},
               {"p50_s", d->p50_s},
               {"p90_s", d->p90_s},
               {"p10_by_step_s", d->by_step[0]},
               {"p90_by_step_s", d->by_step[1]},
               {"p10_by_failures_s", d->by_failures[0]},
               {"p90_by_failures_s", d->by_failures[1]},
               {"step_p10_s", d->step_p10_s},
               {"step_p50_s", d->step_p50_s},
               {"step_p90_s", d->step_p90_s},
               {"tuned_s", d->tuned_s},
               {"first_months_s", d->first_months_s}};
    rr_buf_puts(b, "\"time\": {");
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        rr_buf_puts(b, i ? ", " : "");
        number(b, row[i].key, row[i].v);
    }
    rr_buf_puts(b, "}");
    put_fit(b, p);
    if (!(p->size.measured.step_s > 0)) return;
    rr_buf_puts(b, ", \"before_measured\": {");
    number(b, "p10_s", p->answer->band_before.p10_s);
    rr_buf_puts(b, ", ");
    number(b, "p50_s", p->answer->band_before.p50_s);
    rr_buf_puts(b, ", ");
    number(b, "p90_s", p->answer->band_before.p90_s);
    rr_buf_puts(b, "}");
}

static void put_costs(struct rr_buf *b, const struct rr_size_question *q, const struct rr_sizing_point *p)
{
    rr_buf_puts(b, "\"costs\": [");
    for (size_t i = 0; i < q->ask.n_plans; i++) {
        const struct rr_spend *x = &p->spend[i];
        rr_buf_puts(b, i ? ", {" : "{");
        text(b, "plan", q->ask.plan[i]);
        rr_buf_puts(b, ", ");
        number(b, "effective", p->unpriced[i] ? NAN : rr_money_double(x->cost));
        rr_buf_puts(b, ", ");
        number(b, "p10", rr_sizing_cost_at(p, i, p->answer->band.p10_s));
        rr_buf_puts(b, ", ");
        number(b, "p50", rr_sizing_cost_at(p, i, p->answer->band.p50_s));
        rr_buf_puts(b, ", ");
        number(b, "p90", rr_sizing_cost_at(p, i, p->answer->band.p90_s));
        rr_buf_puts(b, ", ");
        number(b, "billed", p->unpriced[i] ? NAN : rr_money_double(x->billed));
        rr_buf_puts(b, ", ");
        number(b, "per_gpu_hour", p->unpriced[i] ? NAN : x->per_gpu_hour);
        rr_buf_puts(b, ", ");
        number(b, "first_plan_there_per_gpu_hour", p->first_there[i]);
        rr_buf_puts(b, ", ");
        number(b, "time_s", p->unpriced[i] ? NAN : x->wall_s);
        rr_buf_puts(b, ", ");
        number(b, "held_s", p->unpriced[i] ? NAN : x->held_s);
        rr_buf_puts(b, ", ");
        number(b, "reclaims", p->unpriced[i] ? NAN : x->reclaims);
        rr_buf_puts(b, ", ");
        number(b, "nodes", p->unpriced[i] ? NAN : (double)x->nodes);
        rr_buf_puts(b, ", ");
        text(b, p->unpriced[i] ? "not_priced" : "machine", p->unpriced[i] ? p->unpriced[i] : x->machine);
        rr_buf_puts(b, "}");
    }
    rr_buf_puts(b, "]");
}

/* What a profile changed: coefficient before and after, with the measurement and what it was compared with. */
static void put_profiles(struct rr_buf *b, const struct rr_calibrated *k)
{
    rr_buf_puts(b, "\"profiles\": [");
    for (size_t i = 0; i < k->n; i++) {
        const struct rr_calibrated_row *r = &k->row[i];
        const struct {
            const char *key, *v;
        } words[] = {{"coefficient", rr_coef_info[r->coef].name},
                     {"unit", rr_coef_info[r->coef].unit},
                     {"profile", r->profile->name},
                     {"date", r->profile->date},
                     {"date_is", rr_profile_dated(r->profile)},
                     {"source", r->source},
                     {"measured_unit", rr_calibrated_unit[r->quantity]},
                     {"reference_source", r->reference_text}};
        const struct {
            const char *key;
            double v;
        } numbers[] = {{"before", r->before}, {"after", r->after},       {"p05", r->p05},
                       {"p95", r->p95},       {"measured", r->measured}, {"reference", *r->reference_text ? r->reference : NAN}};
        rr_buf_puts(b, i ? ",\n    {" : "\n    {");
        for (size_t w = 0; w < sizeof words / sizeof *words; w++) text(b, words[w].key, words[w].v), rr_buf_puts(b, ", ");
        for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++) {
            if (n) rr_buf_puts(b, ", ");
            number(b, numbers[n].key, numbers[n].v);
        }
        rr_buf_puts(b, "}");
    }
    rr_buf_puts(b, "]");
}

static void put_point(struct rr_buf *b, const struct rr_size_question *q, const struct rr_sizing_point *p)
{
    rr_buf_puts(b, "{");
    text(b, "gpu", p->answer ? p->size.machine.id : p->training.gpu);
    rr_buf_putf(b, ", \"gpus\": %" PRId64 ", \"precision\": \"%s\", ", p->training.gpus, rr_precision_name[p->training.precision]);
    if (!p->answer) {
        text(b, "reason", p->reason);
        rr_buf_puts(b, "}");
        return;
    }
    text(b, "framework", p->size.framework);
    rr_buf_putf(b, ", \"pareto\": %s, ", p->pareto ? "true" : "false");
    number(b, "marginal_cost", p->marginal_cost);
    rr_buf_puts(b, ", ");
    number(b, "marginal_s", p->marginal_s);
    rr_buf_puts(b, ",\n  ");
    put_time(b, p);
    rr_buf_puts(b, ",\n  ");
    put_costs(b, q, p);
    rr_buf_puts(b, ",\n  ");
    put_layouts(b, q, p);
    rr_buf_puts(b, ",\n  ");
    put_step(b, p);
    rr_buf_puts(b, ",\n  ");
    put_profiles(b, &p->size.calibrated);
    rr_buf_puts(b, ",\n  \"levers\": [");
    for (size_t i = 0; i < p->answer->n_levers; i++) {
        const struct rr_lever *x = &p->answer->lever[i];
        rr_buf_puts(b, i ? ", {" : "{");
        text(b, "coefficient", rr_coef_info[x->coef].name);
        rr_buf_puts(b, ", ");
        number(b, "faster", x->faster);
        rr_buf_puts(b, ", ");
        number(b, "slower", x->slower);
        rr_buf_putf(b, ", \"changes_best\": %s}", x->changes_best ? "true" : "false");
    }
    rr_buf_puts(b, "]}");
}

static void put_notes(struct rr_buf *b, const struct rr_notes *notes)
{
    static const char *const kind[] = {"assumed", "warning", "data", "given"};
    rr_buf_puts(b, "\"notes\": [");
    for (size_t i = 0; i < notes->list.n; i++) {
        rr_buf_puts(b, i ? ",\n  {" : "\n  {");
        text(b, "kind", kind[notes->list.at[i].kind]);
        rr_buf_puts(b, ", ");
        text(b, "text", notes->list.at[i].text);
        rr_buf_puts(b, ", ");
        text(b, "source", notes->list.at[i].source);
        rr_buf_puts(b, "}");
    }
    rr_buf_puts(b, "]");
}

void rr_size_json(struct rr_buf *b, const struct rr_size_question *q, const struct rr_sizing *s)
{
    const struct rr_size *z = &s->at[0].size;
    const struct rr_params n = rr_arch_params(&z->arch);
    rr_buf_puts(b, "{\"schema\": \"rackrate.size/1\", ");
    if (q->name) {
        text(b, "workload", q->name);
        rr_buf_puts(b, ", ");
    }
    text(b, "model", z->arch.name);
    rr_buf_puts(b, ", ");
    number(b, "parameters", n.total);
    rr_buf_puts(b, ", ");
    number(b, "active_parameters", n.active);
    rr_buf_puts(b, ", ");
    number(b, "trained_parameters", n.trained);
    rr_buf_puts(b, ", ");
    number(b, "samples", z->samples);
    rr_buf_puts(b, ", ");
    number(b, "tokens", z->samples * z->search.base.seq);
    rr_buf_puts(b, ", ");
    text(b, "currency", q->market.currency);
    rr_buf_putf(b, ", \"fastest\": %d, \"cheapest\": %d, \"meets_deadline\": %d, \"meets_budget\": %d, \"meets_both\": %d, ", s->fastest,
                s->cheapest, s->meets_deadline, s->meets_budget, s->meets_both);
    number(b, "would_do_gpus", s->would_do ? (double)s->would_do->training.gpus : NAN);
    rr_buf_puts(b, ",\n \"points\": [");
    for (size_t i = 0; i < s->n; i++) {
        rr_buf_puts(b, i ? ",\n " : "\n ");
        put_point(b, q, &s->at[i]);
    }
    rr_buf_puts(b, "],\n ");
    put_notes(b, &q->notes);
    rr_buf_puts(b, "}\n");
}
