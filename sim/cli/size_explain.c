/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/cli/size_explain.c - `rackrate size --explain`: each term, its formula and the facts under it.
 *
 * Which coefficients a term rests on is found by moving each of them and looking at what changes, so that the list cannot go out of date. */
#include "models/train/arch.h"
#include "sim/cli/size.h"
#include <math.h>
#include <string.h>

static const struct rr_coef_row *row_of(const struct rr_size_question *q, const char *profile, const char *name)
{
    for (size_t i = 0; i < q->facts.n_coefs; i++)
        if (strcmp(q->facts.coef[i].profile, profile) == 0 && strcmp(q->facts.coef[i].coefficient, name) == 0) return &q->facts.coef[i];
    return NULL;
}

/* What a profile measured of it, NULL: nothing. */
static const struct rr_calibrated_row *measured_of(const struct rr_size *z, int at)
{
    for (size_t i = 0; i < z->calibrated.n; i++)
        if (z->calibrated.row[i].coef == (enum rr_coef)at) return &z->calibrated.row[i];
    return NULL;
}

static void put_measured(struct rr_buf *b, const struct rr_calibrated_row *m)
{
    const struct rr_coef_info *c = &rr_coef_info[m->coef];
    rr_buf_putf(b, "      %s = %.4g", c->name, m->before);
    if (!rr_calibrated_same(m)) rr_buf_putf(b, " -> %.4g", m->after);
    rr_buf_putf(b, " %s%s (5 to 95 %%: %.4g to %.4g), %s; measured: %.4g %s, profile %s", c->unit,
                rr_calibrated_same(m) ? ", as its reference" : "", m->p05, m->p95, c->help, m->measured, rr_calibrated_unit[m->quantity],
                m->profile->name);
    if (*m->profile->date) rr_buf_putf(b, ", %s %s", rr_profile_dated(m->profile), m->profile->date);
    rr_buf_putf(b, ", %s", m->source);
    if (*m->reference_text)
        rr_buf_putf(b, "; behind the coefficient: %.4g, %s\n", m->reference, m->reference_text);
    else
        rr_buf_puts(b, "; nothing to compare with: the measurement as it is\n");
}

static void put_coef(struct rr_buf *b, const struct rr_size_question *q, const struct rr_size *z, int at)
{
    const struct rr_coef_info *c = &rr_coef_info[at];
    const struct rr_coef_row *row = row_of(q, z->coefs.profile, c->name);
    if (measured_of(z, at)) {
        put_measured(b, measured_of(z, at));
        return;
    }
    rr_buf_putf(b, "      %s = %.4g %s, %s; ", c->name, z->coefs.v[at], c->unit, c->help);
    if (row)
        rr_buf_putf(b, "%s, %s (%s:%lld)\n", row->fact.source, row->fact.date, row->fact.path, (long long)row->fact.line);
    else
        rr_buf_puts(b, "not fitted: the default of models/train/coef.h\n");
}

/* Where a term comes from, and who published the idea. */
static const char *const formula[RR_STEP_N] = {
    [RR_STEP_GEMM] =
        ("2 (m n + lost waves) (k + depth) / (gemm_eff x peak), at least its bytes / bandwidth; models/train/layer.c; roofline: "
         "Williams et al. 2009"),
    [RR_STEP_ATTENTION] =
        ("2 x tokens x context x heads x (query + value width) FLOPs, half where causal and flash, 2.5 times backward, / (attn_eff "
         "x peak); models/train/layer.c; Dao 2023 (FlashAttention-2)"),
    [RR_STEP_MEMORY] = "bytes / (mem_eff x bandwidth), mem_passes of the hidden state a layer; models/train/layer.c",
    [RR_STEP_LOGITS] = "the product tokens x vocabulary, and the loss's bytes; models/train/layer.c",
    [RR_STEP_RECOMPUTE] = "the forward passes again; models/train/step.c; Korthikanti et al. 2022",
    [RR_STEP_LAUNCH] = "what the host takes longer than the device; models/train/step.c",
    [RR_STEP_TP] = "2 (n - 1) / n x bytes / (link_eff x link) + latency, two a layer and pass; models/train/network.c; Shoeybi et al. 2019",
    [RR_STEP_CP] = "keys and values (n - 1) / n around the ring; models/train/network.c; Liu et al. 2023",
    [RR_STEP_EP] = "all-to-all of (n - 1) / n of the tokens x experts a token, twice a pass; models/train/layer.c; Lepikhin et al. 2020",
    [RR_STEP_PP] = "a micro batch's hidden state at each border of stages; models/train/step.c; Narayanan et al. 2021",
    [RR_STEP_BUBBLE] = "1F1B played stage by stage; models/train/pipeline.c; Narayanan et al. 2021, figure 4",
    [RR_STEP_DP] =
        "reduce-scatter and all-gather, (n - 1) / n x bytes each, less what passes hide; models/train/step.c; Rajbhandari et al. 2020",
    [RR_STEP_OPTIMIZER] = "parameters of a rank x opt_bytes / (mem_eff x bandwidth); models/train/step.c; Kingma and Ba 2015",
    [RR_STEP_FIXED] = "step_ms; models/train/step.c",
    [RR_STEP_STRAGGLER] = "straggle x log2(nodes) of all above, and stalls; models/train/step.c",
};
/* Figures of the machine; what_if: row of "machine" that replaces it. */
static const struct figure {
    const char *name, *unit;
    size_t at;
    unsigned what_if;
} figures[] = {{"dense peak", "TFLOP/s", offsetof(struct rr_machine, bf16_tflops), 3},
               {"memory bandwidth", "GB/s", offsetof(struct rr_machine, memory_gb_s), 2},
               {"link", "GB/s, one way", offsetof(struct rr_machine, link_gb_s), 1},
               {"network", "GB/s a GPU, one way", offsetof(struct rr_machine, net_gb_s), 0}};
#define FIGURES (sizeof figures / sizeof *figures)

struct moved { /* the term changes with it */
    bool coef[RR_STEP_N][RR_COEF_N], figure[RR_STEP_N][FIGURES];
};

static bool differs(const struct rr_step *now, const struct rr_step *then, int t)
{
    return fabs(then->term_s[t] - now->term_s[t]) > 1e-4 * fabs(now->term_s[t]);
}

static double *figure_of(struct rr_machine *m, size_t i) { return (double *)(void *)((char *)m + figures[i].at); }

static void find_moved(const struct rr_size *z, const struct rr_layout *l, struct moved *ret)
{
    struct rr_step now, then;
    rr_step_time(&z->arch, &z->machine, &z->coefs, l, false, &now);
    for (int c = 0; c < RR_COEF_N; c++) {
        struct rr_coefs other = z->coefs;
        other.v[c] = other.v[c] * 1.01 + 1e-9;
        rr_step_time(&z->arch, &z->machine, &other, l, false, &then);
        for (int t = 0; t < RR_STEP_N; t++) ret->coef[t][c] = differs(&now, &then, t);
    }
    for (size_t i = 0; i < FIGURES; i++) {
        struct rr_machine other = z->machine;
        *figure_of(&other, i) *= 1.01;
        if (i == 0) other.fp32_tflops *= 1.01, other.tf32_tflops *= 1.01, other.fp8_tflops *= 1.01, other.fp4_tflops *= 1.01;
        rr_step_time(&z->arch, &other, &z->coefs, l, false, &then);
        for (int t = 0; t < RR_STEP_N; t++) ret->figure[t][i] = differs(&now, &then, t);
    }
}

static void put_figure(struct rr_buf *b, const struct rr_size_question *q, const struct rr_size *z, size_t i)
{
    struct rr_machine m = z->machine;
    const struct rr_records *w = q->training.machine;
    const double v = i == 0 ? rr_machine_peak_flops(&m, z->search.base.precision) / 1e12 : *figure_of(&m, i);
    rr_buf_putf(b, "      %s = %.6g %s", figures[i].name, v, figures[i].unit);
    if (w && rr_given(w->at, figures[i].what_if))
        rr_buf_puts(b, ", as given\n");
    else
        rr_buf_putf(b, " (%s:%lld)\n", m.fact.path, (long long)m.fact.line);
}

static void put_rests(struct rr_buf *b, const struct rr_size_question *q, const struct rr_size *z, const struct moved *moved, int t)
{
    if (t == RR_STEP_BUBBLE) return; // of all that a stage does
    if (t == RR_STEP_STRAGGLER) {
        static const int own[] = {RR_COEF_STRAGGLE, RR_COEF_STALL_MS, RR_COEF_PP_STALL_MS};
        for (size_t i = 0; i < sizeof own / sizeof *own; i++)
            if (moved->coef[t][own[i]] && z->coefs.v[own[i]] != 0) put_coef(b, q, z, own[i]);
        return;
    }
    for (size_t i = 0; i < FIGURES; i++)
        if (moved->figure[t][i]) put_figure(b, q, z, i);
    for (int c = 0; c < RR_COEF_N; c++)
        if (moved->coef[t][c]) put_coef(b, q, z, c);
}

static void put_steps(struct rr_buf *b, const struct rr_size_question *q, const struct rr_sizing_point *p)
{
    struct moved moved;
    const struct rr_size *z = &p->size;
    find_moved(z, &p->answer->found.best[0].layout, &moved);
    rr_buf_puts(b, "\nStep, s (models/train/step.c)\n");
    for (int t = 0; t < RR_STEP_N; t++) {
        if (p->answer->step.term_s[t] == 0) continue;
        rr_buf_putf(b, "  %-22s %12.6g s  %s\n      %s\n", rr_step_name[t], p->answer->step.term_s[t], rr_step_help[t], formula[t]);
        put_rests(b, q, z, &moved, t);
    }
    rr_buf_putf(b, "  %-22s %12.6g s  their sum\n", "step, predicted", p->answer->step.total_s);
    if (z->measured.step_s > 0)
        rr_buf_putf(b, "  %-22s %12.6g    a measured step of %.6g s over a predicted one of %.6g s\n", "times", z->scale,
                    z->measured.step_s, z->measured.predicted_s);
}

static void put_flops(struct rr_buf *b, const struct rr_sizing_point *p)
{
    const struct rr_size *z = &p->size;
    const struct rr_layout *l = &p->answer->found.best[0].layout;
    rr_buf_puts(b, "\nFLOPs of a step (models/train/arch.c)\n");
    for (int r = 0; r < RR_FLOP_RULE_N; r++) {
        const double f = l->global_batch * rr_arch_flops(&z->arch, l->seq, (enum rr_flop_rule)r);
        rr_buf_putf(b, "  %12.6g  %s: %.1f %% of the dense peak\n", f, rr_flop_rule_name[r],
                    100 * f / (p->answer->step.total_s * z->scale * l->gpus * z->machine.bf16_tflops * 1e12));
    }
}

static void put_machine(struct rr_buf *b, const struct rr_size *z)
{
    const struct rr_machine *m = &z->machine;
    rr_buf_putf(b, "\nMachine %s: %s, %s (%s:%lld)\n", m->id, m->fact.source, m->fact.date, m->fact.path, (long long)m->fact.line);
    rr_buf_putf(b,
                "  %g TFLOP/s dense in 16 bits, %g in 8, %g in 4; %g GiB at %g GB/s; %g GB/s inside %d GPUs, %g GB/s between nodes, a GPU, "
                "one way\n",
                m->bf16_tflops, m->fp8_tflops, m->fp4_tflops, m->memory_gib, m->memory_gb_s, m->link_gb_s,
                m->domain ? m->domain : m->gpus_per_node, m->net_gb_s);
    rr_buf_putf(b, "Model %s: %s, %s (%s:%lld)\n", z->arch.name, z->arch.fact.source, z->arch.fact.date, z->arch.fact.path,
                (long long)z->arch.fact.line);
}

static void put_memory(struct rr_buf *b, const struct rr_sizing_point *p)
{
    struct rr_memory m;
    rr_memory_peak(&p->size.arch, &p->size.coefs, &p->answer->found.best[0].layout, &m);
    rr_buf_putf(b, "\nMemory of stage %d, the fullest, GB (models/train/memory.c)\n", m.stage);
    for (int i = 0; i < RR_MEMORY_N; i++)
        rr_buf_putf(b, "  %-22s %12.4f GB  %s\n", rr_memory_name[i], m.term_bytes[i] / 1e9, rr_memory_help[i]);
    rr_buf_putf(b, "  %-22s %12.4f GB  of %.1f GB\n", "total", m.total_bytes / 1e9, rr_memory_usable_bytes(&p->size.machine) / 1e9);
}

/* Where a value of the section comes from: given, or the row's default with its source. */
static void put_param(struct rr_buf *b, const struct rr_param_table *t, const void *record, const char *name)
{
    for (size_t i = 0; i < t->n; i++) {
        const struct rr_param *r = &t->row[i];
        if (strcmp(r->name, name) != 0) continue;
        rr_buf_putf(b, "      %s: ", name);
        if (rr_given(record, i))
            rr_buf_puts(b, "as given\n");
        else
            rr_buf_putf(b, "%s, %s%s\n", r->def ? r->def : "chosen here", r->source ? "" : "assumed; ", r->source ? r->source : r->help);
    }
}

static void put_failure_fact(struct rr_buf *b, const struct rr_size_question *q)
{
    const struct rr_training_failures *w = q->training.failures->at;
    for (size_t i = 0; i < q->catalog.n_failure_rates && !w->none && w->gpu_hours <= 0; i++) {
        const struct rr_failure_rate *r = &q->catalog.failure_rate[i];
        if (strcmp(r->id, w->like) == 0)
            rr_buf_putf(b, "      %s: %s, %s (%s:%lld)\n", r->id, r->fact.source, r->fact.date, r->fact.path, (long long)r->fact.line);
    }
}

static void put_checkpoint(struct rr_buf *b, const struct rr_size_question *q, const struct rr_sizing_point *p)
{
    const struct rr_ttt *t = &p->answer->time;
    const struct rr_ttt_plan *w = &p->size.plan;
    const struct rr_training_checkpoint *c = q->training.checkpoint->at;
    rr_buf_putf(b, "  %-22s %12.6g s  %.4g GB at %.4g GB/s", "writing a checkpoint", t->write_s, w->checkpoint_bytes / 1e9,
                w->storage_b_s / 1e9);
    if (c->shared_by > 1) rr_buf_putf(b, ", %s shared by %lld jobs", c->storage, (long long)c->shared_by);
    rr_buf_puts(b, w->host_b_s > 0 ? ", while training goes on\n" : "\n");
    put_param(b, &rr_training_checkpoint_table, c, "bytes_per_parameter");
    put_param(b, &rr_training_checkpoint_table, c, "storage");
    rr_buf_putf(b, "  %-22s %12.6g s  the part that training waits for\n", "of which", t->stall_s);
    if (w->host_b_s > 0) put_param(b, &rr_training_checkpoint_table, c, "host");
}

static void put_down(struct rr_buf *b, const struct rr_size_question *q, const struct rr_sizing_point *p)
{
    const struct rr_ttt *t = &p->answer->time;
    const struct rr_ttt_plan *w = &p->size.plan;
    static const char *const of[] = {"detect", "requeue", "image", "repair", "spares", "compile"};
    rr_buf_putf(b, "  %-22s %12.6g s  detect %g, requeue %g, image %g, and %.4g of waiting for one of %d spares\n", "down", t->down_s,
                w->detect_s, w->requeue_s, w->image_s, t->down_s > 0 ? t->down_s - w->detect_s - w->requeue_s - w->image_s : 0, w->spares);
    rr_buf_puts(b, "      waiting: nodes in repair are Poisson with mean repair / M; P(no spare) x repair / (spares + 1)\n");
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) put_param(b, &rr_training_restart_table, q->training.restart->at, of[i]);
    rr_buf_putf(b, "  %-22s %12.6g s  load %.4g, compile %g\n", "restoring", t->restore_s, t->write_s, w->compile_s);
}

static void put_time(struct rr_buf *b, const struct rr_size_question *q, const struct rr_sizing_point *p)
{
    const struct rr_ttt *t = &p->answer->time;
    const struct rr_ttt_plan *w = &p->size.plan;
    rr_buf_puts(b, "\nTime to train (models/train/ttt.c)\n");
    rr_buf_putf(b, "  %-22s %12.0f    samples %.6g / batch %d", "steps", t->steps, w->samples, p->size.search.base.global_batch);
    if (t->warmup_steps > 0)
        rr_buf_putf(b, "; %.0f of them while the batch grows from %d over %.6g samples, 16 levels", t->warmup_steps, w->warmup_batch,
                    w->warmup_samples);
    rr_buf_putf(b, "\n  %-22s %12.6g s  steps x step\n", "training", t->train_s);
    if (w->eval_every > 0)
        rr_buf_putf(b, "  %-22s %12.6g s  every %g steps: %g samples forward, a third of a step's time each, and %g s\n", "evaluations",
                    t->eval_s, w->eval_every, w->eval_samples, w->eval_s);
    put_checkpoint(b, q, p);
    if (w->failure_gpu_hours > 0) {
        rr_buf_putf(b, "  %-22s %12.6g s  M = %.6g GPU-hours / GPUs\n", "between failures", t->mtbf_s, w->failure_gpu_hours);
        put_failure_fact(b, q);
        rr_buf_putf(b, "  %-22s %12.6g s  w, %s\n", "between checkpoints", t->interval_s,
                    w->interval_s > 0 ? "as given" : "the best for these: Daly 2006, minimised (models/checkpoint.h)");
        put_down(b, q, p);
        rr_buf_putf(b,
                    "  %-22s %12.6g s  (M + D) e^(R/M) (e^((w + C)/M) - 1) / w of the work, less the work and checkpoints: Daly 2006; %.4g "
                    "failures\n",
                    "lost to failures", t->lost_s, t->failures);
    }
    rr_buf_putf(b, "  %-22s %12.6g s  work / w x what training waits for\n", "checkpoints", t->checkpoint_s);
    rr_buf_putf(b, "  %-22s %12.6g s  image and compile\n", "start", t->startup_s);
    if (t->rerun_s > 0) rr_buf_putf(b, "  %-22s %12.6g s  %g runs in all\n", "reruns", t->rerun_s, w->reruns);
    rr_buf_putf(b, "  %-22s %12.6g s  goodput %.1f %%\n", "total", t->total_s, 100 * t->goodput);
}

static void put_doubt(struct rr_buf *b, const struct rr_size *z)
{
    rr_buf_putf(b,
                "\nBand: %d draws. A step %.0f %% (%s), each coefficient %.0f %%, bandwidth between nodes %.0f %% (standard deviations of\n"
                "logarithms); GPU-hours a failure times or over %.2g (one standard deviation between published systems), as many as chance "
                "has it\n",
                RR_TTT_DRAWS, 100 * z->doubt.model,
                z->measured.step_s > 0 ? "from run to run" : "the error over published rows: rackrate validate training",
                100 * z->doubt.coef, 100 * z->doubt.network, exp(z->plan.failure_sd));
}

void rr_size_explain(struct rr_buf *b, const struct rr_size_question *q, const struct rr_sizing *s)
{
    const struct rr_sizing_point *p = &s->at[0];
    rr_buf_putf(b, "%lld x %s, ", (long long)p->training.gpus, p->size.machine.id);
    rr_layout_text(b, &p->answer->found.best[0].layout);
    rr_buf_puts(b, "\n");
    put_machine(b, &p->size);
    put_flops(b, p);
    put_steps(b, q, p);
    put_memory(b, p);
    put_time(b, q, p);
    put_doubt(b, &p->size);
}
