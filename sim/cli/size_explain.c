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
    rr_buf_putf(b, "      %s = %.4g -> %.4g %s (5 to 95 %%: %.4g to %.4g), %s; measured: %.4g %s, profile %s of %s, %s", c->name, m->before,
                m->after, c->unit, m->p05, m->p95, c->help, m->measured, rr_calibrated_unit[m->quantity], m->profile->name,
                *m->profile->date ? m->profile->date : "no date", m->source);
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

/* moved[term][coefficient]: the term changes with it. */
static void find_moved(const struct rr_size *z, const struct rr_layout *l, bool moved[RR_STEP_N][RR_COEF_N])
{
    struct rr_step now, then;
    rr_step_time(&z->arch, &z->machine, &z->coefs, l, false, &now);
    for (int c = 0; c < RR_COEF_N; c++) {
        struct rr_coefs other = z->coefs;
        other.v[c] = other.v[c] * 1.01 + 1e-9;
        rr_step_time(&z->arch, &z->machine, &other, l, false, &then);
        for (int t = 0; t < RR_STEP_N; t++) moved[t][c] = fabs(then.term_s[t] - now.term_s[t]) > 1e-4 * fabs(now.term_s[t]);
    }
}

static void put_steps(struct rr_buf *b, const struct rr_size_question *q, const struct rr_sizing_point *p)
{
    bool moved[RR_STEP_N][RR_COEF_N];
    const struct rr_size *z = &p->size;
    find_moved(z, &p->answer->found.best[0].layout, moved);
    rr_buf_puts(b, "\nStep, s (models/train/step.c)\n");
    for (int t = 0; t < RR_STEP_N; t++) {
        if (p->answer->step.term_s[t] == 0) continue;
        rr_buf_putf(b, "  %-22s %12.6g s  %s\n", rr_step_name[t], p->answer->step.term_s[t], rr_step_help[t]);
        if (t == RR_STEP_STRAGGLER || t == RR_STEP_FIXED || t == RR_STEP_BUBBLE) {
            if (t == RR_STEP_STRAGGLER) put_coef(b, q, z, RR_COEF_STRAGGLE);
            if (t == RR_STEP_FIXED) put_coef(b, q, z, RR_COEF_STEP_MS);
            if (t == RR_STEP_BUBBLE) rr_buf_puts(b, "      1F1B played stage by stage; Narayanan et al. 2021, figure 4\n");
            continue;
        }
        for (int c = 0; c < RR_COEF_N; c++)
            if (moved[t][c]) put_coef(b, q, z, c);
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

static void put_time(struct rr_buf *b, const struct rr_sizing_point *p)
{
    const struct rr_ttt *t = &p->answer->time;
    const struct rr_ttt_plan *w = &p->size.plan;
    rr_buf_puts(b, "\nTime to train (models/train/ttt.c)\n");
    rr_buf_putf(b, "  %-22s %12.0f    samples %.6g / batch %d\n", "steps", t->steps, w->samples, p->size.search.base.global_batch);
    rr_buf_putf(b, "  %-22s %12.6g s  steps x step\n", "training", t->train_s);
    rr_buf_putf(b, "  %-22s %12.6g s  every %g steps: %g samples forward, and %g s\n", "evaluations", t->eval_s, w->eval_every,
                w->eval_samples, w->eval_s);
    rr_buf_putf(b, "  %-22s %12.6g s  %.4g GB at %.4g GB/s%s\n", "writing a checkpoint", t->write_s, w->checkpoint_bytes / 1e9,
                w->storage_b_s / 1e9, w->host_b_s > 0 ? ", while training goes on" : "");
    rr_buf_putf(b, "  %-22s %12.6g s  the part that training waits for\n", "of which", t->stall_s);
    rr_buf_putf(b, "  %-22s %12.6g s  %.6g GPU-hours / GPUs (data/facts/failure_rates.csv; %.6g to %.6g)\n", "between failures", t->mtbf_s,
                w->failure_gpu_hours, w->failure_least, w->failure_most);
    rr_buf_putf(b, "  %-22s %12.6g s  %s\n", "between checkpoints", t->interval_s,
                w->interval_s > 0 ? "as given" : "the best for these: Daly 2006, minimised (models/checkpoint.h)");
    rr_buf_putf(b, "  %-22s %12.6g s  detect %g, requeue %g, image %g, and a repair of %g with %d spares\n", "down", t->down_s, w->detect_s,
                w->requeue_s, w->image_s, w->repair_s, w->spares);
    rr_buf_putf(b, "  %-22s %12.6g s  load %.4g, compile %g\n", "restoring", t->restore_s, t->write_s, w->compile_s);
    rr_buf_putf(b, "  %-22s %12.6g s  (M + D) e^(R/M) (e^((w + C)/M) - 1) / w of the work, less the work and checkpoints: Daly 2006\n",
                "lost to failures", t->lost_s);
    rr_buf_putf(b, "  %-22s %12.6g s\n", "checkpoints", t->checkpoint_s);
    rr_buf_putf(b, "  %-22s %12.6g s  image and compile\n", "start", t->startup_s);
    if (t->rerun_s > 0) rr_buf_putf(b, "  %-22s %12.6g s  %g runs in all\n", "reruns", t->rerun_s, w->reruns);
    rr_buf_putf(b, "  %-22s %12.6g s  goodput %.1f %%\n", "total", t->total_s, 100 * t->goodput);
}

static void put_doubt(struct rr_buf *b, const struct rr_size *z)
{
    rr_buf_putf(b,
                "\nBand: %d draws. A step %.0f %% (%s), each coefficient %.0f %%, bandwidth between nodes %.0f %% (standard deviations of\n"
                "logarithms); failures between the best and the worst published system; as many of them as chance has it\n",
                RR_TTT_DRAWS, 100 * z->doubt.model,
                z->measured.step_s > 0 ? "from run to run" : "the error over published rows: rackrate validate training",
                100 * z->doubt.coef, 100 * z->doubt.network);
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
    put_time(b, p);
    put_doubt(b, &p->size);
}
