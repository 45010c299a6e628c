/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/cli/size_text.c - the answer of `rackrate size` for people. */
#include "models/train/arch.h"
#include "models/train/measured.h"
#include "sim/cli/size.h"
#include "data/base/fmath.h"
#include "data/base/units.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

#define MOST_DAYS_S 9e12 /* of int64 us */

void rr_size_put_days(struct rr_buf *b, double s)
{
    if (!(s < MOST_DAYS_S))
        rr_buf_puts(b, "never");
    else
        rr_buf_time_short(b, (int64_t)(s * 1e6));
}

void rr_size_put_money(struct rr_buf *b, double v, const char *currency)
{
    if (isnan(v))
        rr_buf_puts(b, "-");
    else
        rr_buf_money(b, (struct rr_money){(int64_t)llround(v * 1e6)}, currency, fabs(v) < 1000 ? 2 : 0);
}

void rr_size_put_count(struct rr_buf *b, double n)
{
    static const char *const unit[] = {"", " k", " M", " B", " T"};
    int i = 0;
    for (; i < 4 && n >= 999.5; i++) n /= 1000;
    rr_buf_putf(b, "%.3g%s", n, unit[i]);
}

/* So many digits, but never an exponent; to the right of `wide` columns. */
static void put_number(struct rr_buf *b, int wide, int digits, double v)
{
    const double size = fabs(v);
    if (size >= 0.99995e4 || (digits == 3 && size >= 999.5))
        rr_buf_putf(b, "%*.0f", wide, v);
    else if (size > 0 && size < 1e-4)
        rr_buf_putf(b, "%*.7f", wide, v);
    else
        rr_buf_putf(b, "%*.*g", wide, digits, v);
}

/* `fill` writes into a cell of a table, padded to the right by `wide`. */
static void cell(struct rr_buf *b, int wide, void (*fill)(struct rr_buf *, double), double v)
{
    struct rr_buf c = {0};
    fill(&c, v);
    rr_buf_putf(b, " %*s", wide, rr_buf_text(&c));
    rr_buf_done(&c);
}

static void cell_money(struct rr_buf *b, int wide, double v, const char *currency)
{
    struct rr_buf c = {0};
    rr_size_put_money(&c, v, currency);
    rr_buf_putf(b, " %*s", wide, rr_buf_text(&c));
    rr_buf_done(&c);
}

static void put_signed_days(struct rr_buf *b, double s)
{
    if (isnan(s)) {
        rr_buf_puts(b, "-");
        return;
    }
    rr_buf_puts(b, s < 0 ? "-" : "");
    rr_size_put_days(b, fabs(s));
}

/* ---- head ---- */

static void put_model(struct rr_buf *b, const struct rr_size *z)
{
    const struct rr_params n = rr_arch_params(&z->arch);
    rr_buf_putf(b, "%s, ", z->arch.name);
    rr_size_put_count(b, n.total);
    rr_buf_puts(b, " parameters");
    if (n.active < n.total) {
        rr_buf_puts(b, ", ");
        rr_size_put_count(b, n.active);
        rr_buf_puts(b, " active");
    }
    if (z->arch.lora_rank) {
        rr_buf_putf(b, ", LoRA of rank %d: ", z->arch.lora_rank);
        rr_size_put_count(b, n.trained);
        rr_buf_puts(b, " trained");
    }
    rr_buf_puts(b, "; ");
    rr_size_put_count(b, z->tokens_counted ? z->samples * z->search.base.seq : z->samples);
    rr_buf_putf(b, z->tokens_counted ? " tokens" : z->arch.sample_gflop > 0 ? " samples" : " sequences of %d tokens", z->search.base.seq);
    rr_buf_putf(b, " in steps of %d", z->search.base.global_batch);
    if (z->tokens_counted) rr_buf_putf(b, " x %d", z->search.base.seq); // a config's default may be a model's longest
    rr_buf_puts(b, "\n");
}

/* The utilisation is of the peak of 16-bit products; where the run has another one, of that too. */
static void put_own_peak(struct rr_buf *b, const struct rr_sizing_point *p)
{
    const struct rr_machine *m = &p->size.machine;
    const enum rr_precision own = (enum rr_precision)p->training.precision;
    const double peak16 = m->bf16_tflops * 1e12, peak = rr_machine_peak_flops(m, own);
    if (peak <= 0 || fabs(peak / peak16 - 1) < 1e-9) return;
    rr_buf_putf(b, " of the 16-bit peak (%.1f %% of %s's)", 100 * p->answer->step.mfu / p->size.scale * peak16 / peak,
                rr_precision_name[own]);
}

static void put_verdict(struct rr_buf *b, const struct rr_size_question *q, const struct rr_sizing_point *p)
{
    const struct rr_size_answer *x = p->answer;
    rr_buf_putf(b, "%" PRId64 " x %s, %s: done in ", p->training.gpus, p->size.machine.id, rr_precision_name[p->training.precision]);
    rr_size_put_days(b, x->band.p50_s);
    rr_buf_puts(b, " (P50; P10 ");
    rr_size_put_days(b, x->band.p10_s);
    rr_buf_puts(b, ", P90 ");
    rr_size_put_days(b, x->band.p90_s);
    rr_buf_puts(b, "); in ");
    rr_size_put_days(b, x->time.total_s);
    rr_buf_puts(b, " if all comes as predicted, as the tables below have it\n");
    if (q->start_us) {
        const double at[] = {x->band.p10_s, x->band.p50_s, x->band.p90_s};
        for (int i = 0; i < 3; i++) {
            rr_buf_puts(b, i == 0 ? "done on " : i == 1 ? " (P10), " : " (P50), ");
            rr_buf_date(b, q->start_us + (int64_t)(ceil(at[i] / 86400) * 86400e6));
        }
        rr_buf_puts(b, " (P90)\n");
    }
    rr_buf_puts(b, "step ");
    put_number(b, 0, 4, x->found.best[0].step_s);
    rr_buf_puts(b, " s (P10 ");
    put_number(b, 0, 4, x->band.step_p10_s);
    rr_buf_puts(b, ", P90 ");
    put_number(b, 0, 4, x->band.step_p90_s);
    rr_buf_putf(b, "), MFU %.1f %%", 100 * x->step.mfu / p->size.scale);
    put_own_peak(b, p);
    rr_buf_putf(b, ", %.0f %s/s a GPU; tuned ", x->step.tokens_per_s_per_gpu / p->size.scale,
                p->size.arch.sample_gflop > 0 ? "samples" : "tokens");
    rr_size_put_days(b, x->band.tuned_s);
    rr_buf_puts(b, ", first months on a new cluster ");
    if (x->band.first_months_s < MOST_DAYS_S)
        rr_size_put_days(b, x->band.first_months_s);
    else
        rr_buf_puts(b, "without an end: interruptions come faster than restarts");
    rr_buf_puts(b, "\n");
}

/* A run on more nodes than its profile measured: said with the answer, not only among the assumptions. */
static void put_beyond(struct rr_buf *b, const struct rr_calibrated *k)
{
    if (k->beyond > 0)
        rr_buf_putf(b, "warning: %s (bandwidth between nodes by a further factor of %.2f, one standard deviation)\n", k->beyond_text,
                    rr_exp(k->beyond_sd));
}

static const char *why_as_wide(const struct rr_size *z)
{
    if (z->measured.doubt > z->unmeasured.model) return "the measured steps are too few or too uneven to narrow it";
    if (z->doubt.model >= z->unmeasured.model) return "published runs lie as near their prediction as one own run can tell";
    if (z->measured.layout.gpus != z->search.base.gpus)
        return "it is of another number of GPUs, whose network is as much in doubt as before";
    return "most of it are the failures, which one step says nothing of";
}

/* How wide the band is now, or why it is as wide as before. */
static void put_band_change(struct rr_buf *b, const struct rr_sizing_point *p)
{
    const struct rr_size_measured *m = &p->size.measured;
    const double now = 100 * (p->answer->band.p90_s / p->answer->band.p10_s - 1),
                 was = 100 * (p->answer->band_before.p90_s / p->answer->band_before.p10_s - 1);
    if (rr_measured_is_far(m)) {
        rr_buf_putf(b, "; the band stays %.0f %% wide\n  warning: far outside the band: check layout, batch, GPUs", was);
        rr_buf_putf(b, "; published runs take %.1f to %.1f times their prediction\n", RR_MEASURED_LEAST, RR_MEASURED_MOST);
    } else if (now < was - 0.5) {
        rr_buf_putf(b, "; the band is now %.0f %% wide instead of %.0f %%\n", now, was);
    } else {
        rr_buf_putf(b, "; the band stays %.0f %% wide: %s\n", was, why_as_wide(&p->size));
    }
}

static void put_measured_step(struct rr_buf *b, const struct rr_sizing_point *p)
{
    const struct rr_size_measured *m = &p->size.measured;
    rr_buf_puts(b, "measured: a step of ");
    put_number(b, 0, 4, m->step_s);
    rr_buf_puts(b, " s where ");
    put_number(b, 0, 4, m->predicted_s);
    rr_buf_puts(b, " s was predicted (");
    rr_layout_text(b, &m->layout);
    rr_buf_putf(b, "): everything times %.3f\n  before: P10 ", p->size.scale);
    rr_size_put_days(b, p->answer->band_before.p10_s);
    rr_buf_puts(b, ", P50 ");
    rr_size_put_days(b, p->answer->band_before.p50_s);
    rr_buf_puts(b, ", P90 ");
    rr_size_put_days(b, p->answer->band_before.p90_s);
    put_band_change(b, p);
}

static void put_measured_memory(struct rr_buf *b, const struct rr_size_measured *m)
{
    rr_buf_puts(b, m->step_s > 0 ? "  memory: " : "measured: ");
    rr_buf_putf(b, "%.1f GB measured, %.1f GB predicted", m->memory_bytes / 1e9, m->predicted_bytes / 1e9);
    if (!(m->step_s > 0)) {
        rr_buf_puts(b, " (");
        rr_layout_text(b, &m->layout);
        rr_buf_puts(b, ")");
    }
    if (m->of_allocator) rr_buf_puts(b, ", of the allocator: without CUDA and NCCL");
    rr_buf_puts(b, "\n    ");
    if (m->memory_offset_bytes > 0 || m->memory_offset_bytes < 0)
        rr_buf_putf(b, "%+.1f GB on every GPU, now %.1f GB: what moves is too small a part of it for a factor\n",
                    m->memory_offset_bytes / 1e9, m->after_bytes / 1e9);
    else
        rr_buf_putf(b, "activations, logits and buffers times %.3f, now %.1f GB: states follow from the number of parameters\n",
                    m->memory_scale, m->after_bytes / 1e9);
}

static void put_measured(struct rr_buf *b, const struct rr_sizing_point *p)
{
    const struct rr_size_measured *m = &p->size.measured;
    if (m->step_s > 0) put_measured_step(b, p);
    if (m->memory_bytes > 0) put_measured_memory(b, m);
}

/* Spare nodes; how long it takes where that is not the time above. */
static void put_spend(struct rr_buf *b, const struct rr_sizing_point *p, const struct rr_spend *x)
{
    rr_buf_putf(b, "  %" PRId64 " x %s", x->nodes, x->machine);
    if (p->size.plan.spares > 0) rr_buf_putf(b, " (%d spare)", p->size.plan.spares);
    if (x->wall_s > 1.0005 * p->answer->time.total_s) {
        rr_buf_puts(b, "; done in ");
        rr_size_put_days(b, x->wall_s);
    }
    if (x->reclaims >= 0.05) {
        rr_buf_puts(b, "; taken back ");
        put_number(b, 0, 3, x->reclaims);
        rr_buf_puts(b, " times");
    }
    if (x->held_s < 0.9995 * x->wall_s) rr_buf_putf(b, ", held %.0f %% of the time", 100 * x->held_s / x->wall_s);
    if (rr_money_double(x->billed) > 1.001 * rr_money_double(x->cost)) {
        rr_buf_puts(b, "; paid in all ");
        rr_size_put_money(b, rr_money_double(x->billed), x->currency);
    }
    rr_buf_puts(b, "\n");
}

/* A plan of another provider: what the first plan costs there, as most of the difference may be the provider's. */
static void put_elsewhere(struct rr_buf *b, const struct rr_size_question *q, const struct rr_sizing_point *p, size_t i)
{
    if (isnan(p->first_there[i])) return;
    rr_buf_puts(b, "                another provider: ");
    rr_buf_putf(b, "%s is ", *q->ask.plan[0] == '{' ? "the first plan" : q->ask.plan[0]);
    rr_size_put_money(b, p->first_there[i], p->spend[i].currency);
    rr_buf_puts(b, "/gpu/h there\n");
}

static void put_costs(struct rr_buf *b, const struct rr_size_question *q, const struct rr_sizing_point *p)
{
    const struct rr_ttt *t = &p->answer->time;
    const double at[] = {t->total_s, p->answer->band.p10_s, p->answer->band.p50_s, p->answer->band.p90_s};
    rr_buf_puts(b, "\nCost            as predicted          P10          P50          P90  a GPU-hour\n");
    for (size_t i = 0; i < q->ask.n_plans; i++) {
        const char *plan = q->ask.plan[i];
        rr_buf_putf(b, "  %-12.12s", *plan == '{' ? "own plan" : plan);
        if (p->unpriced[i]) {
            rr_buf_putf(b, " not priced: %s\n", p->unpriced[i]);
            continue;
        }
        for (int k = 0; k < 4; k++) cell_money(b, k ? 12 : 13, rr_sizing_cost_at(p, i, at[k]), q->market.currency);
        cell_money(b, 11, p->spend[i].per_gpu_hour, q->market.currency);
        put_spend(b, p, &p->spend[i]);
        put_elsewhere(b, q, p, i);
    }
    rr_buf_puts(b, "  ");
    rr_size_put_count(b, t->gpu_hours);
    rr_buf_puts(b, " GPU-hours");
    if (!isnan(t->kwh)) {
        rr_buf_puts(b, ", ");
        rr_size_put_count(b, t->kwh);
        rr_buf_puts(b, " kWh");
    }
    rr_buf_puts(b, p->size.plan.spares > 0 ? ", without the spares\n" : "\n");
}

/* ---- layouts ---- */

static void put_layout_notes(struct rr_buf *b, const struct rr_size *z, const struct rr_layout *l)
{
    struct rr_buf notes = {0};
    rr_layout_notes(&notes, &z->arch, &z->machine, l);
    for (const char *p = rr_buf_text(&notes); *p;) {
        const size_t n = strcspn(p, "\n");
        rr_buf_putf(b, "  the first: %.*s\n", (int)n, p);
        p += n + (p[n] == '\n');
    }
    rr_buf_done(&notes);
}

/* Flags in which it differs from the best. */
static void put_flags(struct rr_buf *b, const struct rr_layout *l, const struct rr_layout *best)
{
    if (l->sequence_parallel != best->sequence_parallel && (l->tp > 1 || best->tp == 1))
        rr_buf_puts(b, l->sequence_parallel ? ", sequence parallel" : ", no sequence parallel");
    if (l->tp_overlap != best->tp_overlap && l->tp > 1) rr_buf_puts(b, l->tp_overlap ? ", tp overlap" : ", no tp overlap");
    if (l->dp_overlap != best->dp_overlap) rr_buf_puts(b, l->dp_overlap ? ", dp overlap" : ", no dp overlap");
}

static void put_layouts(struct rr_buf *b, const struct rr_size_question *q, const struct rr_sizing_point *p)
{
    const struct rr_search_result *r = &p->answer->found;
    const double usable = rr_memory_usable_bytes(&p->size.machine);
    rr_buf_putf(b, "\nLayouts: %" PRId64 " tried, %" PRId64 " legal and fit in %.1f GB; the fastest of each tp, pp, cp, ep first\n",
                r->tried, r->fit, usable / 1e9);
    rr_buf_puts(b, "        step     MFU  memory GB  layout\n");
    for (int32_t i = 0; i < r->n && i < q->top; i++) {
        const struct rr_candidate *c = &r->best[i];
        const double mfu = p->answer->step.mfu / p->size.scale * r->best[0].step_s / c->step_s;
        rr_buf_puts(b, "  ");
        put_number(b, 8, 4, c->step_s);
        rr_buf_putf(b, " s  %5.1f %%  %9.1f  ", 100 * mfu, c->memory_bytes / 1e9);
        rr_layout_text(b, &c->layout);
        put_flags(b, &c->layout, &r->best[0].layout);
        rr_buf_puts(b, "\n");
    }
    put_layout_notes(b, &p->size, &r->best[0].layout);
    for (int i = 1; i < RR_FAULT_N; i++) {
        if (r->fault[i] == 0) continue;
        rr_buf_putf(b, "  %" PRId64 " not: ", r->fault[i]);
        rr_search_say(b, &p->size.search, r, (enum rr_layout_fault)i);
        rr_buf_puts(b, "\n");
    }
}

static void put_step(struct rr_buf *b, const struct rr_sizing_point *p)
{
    const struct rr_step *s = &p->answer->step;
    rr_buf_puts(b, "\nThe step, on the slowest stage\n");
    for (int i = 0; i < RR_STEP_N; i++) {
        const double share = s->term_s[i] / s->total_s;
        if (share < 0.0005) continue;
        char bar[41] = {0};
        for (int k = 0; k < 40 && k < share * 40 + 0.5; k++) bar[k] = '#';
        rr_buf_putf(b, "  %-22s ", rr_step_name[i]);
        put_number(b, 9, 4, s->term_s[i] * p->size.scale);
        rr_buf_putf(b, " s  %5.1f %%  %s\n", 100 * share, bar);
    }
}

static void put_memory(struct rr_buf *b, const struct rr_sizing_point *p)
{
    const struct rr_size_answer *x = p->answer;
    rr_buf_puts(b, "\nMemory of a GPU, GB\n  stage");
    for (int i = 0; i < RR_MEMORY_N; i++) rr_buf_putf(b, " %11s", rr_memory_name[i]);
    rr_buf_puts(b, "       total\n");
    for (int32_t s = 0; s < x->n_memory; s++) {
        if (x->n_memory > 6 && s >= 3 && s < x->n_memory - 2) {
            if (s == 3) rr_buf_puts(b, "    ...\n");
            continue;
        }
        rr_buf_putf(b, "  %5d", s);
        for (int i = 0; i < RR_MEMORY_N; i++) rr_buf_putf(b, " %11.2f", x->memory[s].term_bytes[i] / 1e9);
        rr_buf_putf(b, " %11.2f\n", x->memory[s].total_bytes / 1e9);
    }
}

static void put_part(struct rr_buf *b, const char *name, double s, double of, const char *detail)
{
    rr_buf_putf(b, "  %-22s", name);
    cell(b, 9, rr_size_put_days, s);
    rr_buf_putf(b, "  %5.1f %%%s%s\n", of > 0 ? 100 * s / of : 0, *detail ? "  " : "", detail);
}

/* What the band is made of. */
static void put_band(struct rr_buf *b, const struct rr_ttt_band *d)
{
    const double *const part[] = {d->by_step, d->by_failures};
    static const char *const name[] = {"  P10 to P90 if only the step were in doubt ", ", if only the failures were "};
    for (int i = 0; i < 2; i++) {
        rr_buf_puts(b, name[i]);
        rr_size_put_days(b, part[i][0]);
        rr_buf_puts(b, " to ");
        rr_size_put_days(b, part[i][1]);
    }
    rr_buf_puts(b, "\n");
}

static void put_time(struct rr_buf *b, const struct rr_sizing_point *p)
{
    const struct rr_ttt *t = &p->answer->time;
    struct rr_buf d = {0};
    rr_buf_puts(b, "\nThe time\n");
    rr_buf_putf(&d, "%.0f steps%s", t->steps, t->warmup_steps > 0 ? ", the batch grows at first" : "");
    put_part(b, "training", t->train_s, t->total_s, rr_buf_text(&d));
    put_part(b, "evaluations", t->eval_s, t->total_s, t->eval_s > 0 ? "" : "none: --set /evaluation/every=1000 adds them");
    d.n = 0;
    put_number(&d, 0, 3, p->size.plan.checkpoint_bytes / 1e9);
    rr_buf_puts(&d, " GB, ");
    put_number(&d, 0, 3, t->stall_s);
    rr_buf_puts(&d, " s each");
    if (t->interval_s > 0) {
        rr_buf_puts(&d, ", every ");
        put_number(&d, 0, 3, t->interval_s / 60);
        rr_buf_puts(&d, " min of work");
    }
    put_part(b, "checkpoints", t->checkpoint_s, t->total_s, rr_buf_text(&d));
    d.n = 0;
    if (t->failures > 0) {
        put_number(&d, 0, 3, t->failures);
        rr_buf_puts(&d, " interruptions, one in ");
        put_number(&d, 0, 3, t->mtbf_s / 3600);
        rr_buf_puts(&d, " h; ");
        put_number(&d, 0, 3, t->down_s / 60);
        rr_buf_putf(&d, " min down with %d spare nodes, ", p->size.plan.spares);
        put_number(&d, 0, 3, t->restore_s / 60);
        rr_buf_puts(&d, " min to restore");
    }
    put_part(b, "failures", t->lost_s, t->total_s, rr_buf_text(&d));
    put_part(b, "start", t->startup_s, t->total_s, "");
    if (t->rerun_s > 0) put_part(b, "reruns", t->rerun_s, t->total_s, "");
    rr_buf_done(&d);
    put_band(b, &p->answer->band);
}

/* ---- other numbers of GPUs ---- */

/* Why a kind of GPU other than the first has no cost, once each. */
static void put_unpriced(struct rr_buf *b, const struct rr_sizing *s)
{
    for (size_t i = 1; i < s->n; i++) {
        const struct rr_sizing_point *p = &s->at[i];
        bool told = !p->answer || !p->unpriced[0];
        for (size_t k = 0; k < i && !told; k++) told = s->at[k].answer && strcmp(s->at[k].training.gpu, p->training.gpu) == 0;
        if (!told) rr_buf_putf(b, "  %s is not priced: %s\n", p->size.machine.id, p->unpriced[0]);
    }
}

/* By GPU and precision as they were asked for, then by number; the one asked for first has its place among them. */
static void in_order(const struct rr_sizing *s, size_t at[RR_SIZING_POINTS])
{
    size_t n = 0;
    bool put[RR_SIZING_POINTS] = {false};
    for (size_t i = 0; i < s->n; i++) {
        if (put[i]) continue;
        for (const struct rr_sizing_point *kind = &s->at[i];;) {
            size_t next = s->n;
            for (size_t k = i; k < s->n; k++)
                if (!put[k] && strcmp(s->at[k].training.gpu, kind->training.gpu) == 0 &&
                    s->at[k].training.precision == kind->training.precision &&
                    (next == s->n || s->at[k].training.gpus < s->at[next].training.gpus))
                    next = k;
            if (next == s->n) break;
            put[next] = true, at[n++] = next;
        }
    }
}

static void put_point(struct rr_buf *b, const struct rr_size_question *q, const struct rr_sizing_point *p, bool asked)
{
    rr_buf_putf(b, "%s %s %17s %8" PRId64 " %10s", asked ? ">" : " ", p->pareto ? "*" : " ",
                p->size.machine.id ? p->size.machine.id : p->training.gpu, p->training.gpus, rr_precision_name[p->training.precision]);
    if (!p->answer) {
        rr_buf_putf(b, "  %.*s\n", (int)strcspn(p->reason, ";"), p->reason); // what else there is: in --json
        return;
    }
    cell(b, 9, rr_size_put_days, rr_sizing_time_s(p));
    cell(b, 9, rr_size_put_days, rr_sizing_p90_s(p));
    cell_money(b, 16, rr_sizing_cost(p), q->market.currency);
    cell_money(b, 16, rr_sizing_cost_p90(p), q->market.currency);
    cell_money(b, 16, p->marginal_cost, q->market.currency);
    cell(b, 9, put_signed_days, p->marginal_s);
    rr_buf_puts(b, "\n");
}

static void put_points(struct rr_buf *b, const struct rr_size_question *q, const struct rr_sizing *s)
{
    size_t at[RR_SIZING_POINTS] = {0};
    if (s->n < 2) return;
    rr_buf_puts(
        b, "\nOther GPUs and numbers (> what was asked for; * nothing is both quicker and cheaper; the last two columns: than the next "
           "smaller number)\n"
           "                  GPU   number  precision      time       P90             cost         its P90       costs more     saves\n");
    in_order(s, at);
    for (size_t i = 0; i < s->n; i++) put_point(b, q, &s->at[at[i]], at[i] == 0);
    put_unpriced(b, s);
}

static void put_number_of(struct rr_buf *b, const struct rr_sizing_point *p)
{
    rr_buf_putf(b, "%" PRId64 " x %s (%s), ", p->training.gpus, p->size.machine.id, rr_precision_name[p->training.precision]);
}

static void put_choice(struct rr_buf *b, const struct rr_size_question *q, const struct rr_sizing *s, const char *what, int at,
                       const char *none)
{
    rr_buf_putf(b, "%s: ", what);
    if (at < 0) {
        rr_buf_putf(b, "%s\n", none);
        return;
    }
    const struct rr_sizing_point *p = &s->at[at];
    put_number_of(b, p);
    rr_size_put_days(b, rr_sizing_time_s(p));
    rr_buf_puts(b, " (P90 ");
    rr_size_put_days(b, rr_sizing_p90_s(p));
    rr_buf_puts(b, "), ");
    rr_size_put_money(b, rr_sizing_cost(p), q->market.currency);
    if (!isnan(rr_sizing_cost(p))) {
        rr_buf_puts(b, " (P90 ");
        rr_size_put_money(b, rr_sizing_cost_p90(p), q->market.currency);
        rr_buf_puts(b, ")");
    }
    rr_buf_puts(b, "\n");
}

/* What the target would have to be cut to. */
static void put_share(struct rr_buf *b, const struct rr_size *z, double share)
{
    rr_size_put_count(b, share * (z->tokens_counted ? z->samples * z->search.base.seq : z->samples));
    rr_buf_puts(b, " of the ");
    rr_size_put_count(b, z->tokens_counted ? z->samples * z->search.base.seq : z->samples);
    rr_buf_puts(b, z->tokens_counted ? " tokens" : z->arch.sample_gflop > 0 ? " samples" : " sequences");
}

static void put_missed_one(struct rr_buf *b, const struct rr_size_question *q, const struct rr_sizing *s, bool deadline)
{
    const int at = deadline ? s->nearest_deadline : s->nearest_budget;
    if (at < 0) {
        rr_buf_puts(b, "none of these has a price");
        return;
    }
    const struct rr_sizing_point *p = &s->at[at];
    const double share = deadline ? q->ask.deadline_s / rr_sizing_p90_s(p) : q->ask.budget / rr_sizing_cost_p90(p);
    rr_buf_putf(b, "none of these: the %s, %" PRId64 " x %s, ", deadline ? "quickest" : "cheapest", p->training.gpus, p->size.machine.id);
    if (deadline) {
        rr_buf_puts(b, "has a P90 of ");
        rr_size_put_days(b, rr_sizing_p90_s(p));
    } else {
        rr_buf_puts(b, "costs ");
        rr_size_put_money(b, rr_sizing_cost_p90(p), q->market.currency);
        rr_buf_puts(b, " at P90");
    }
    rr_buf_puts(b, ", ");
    put_number(b, 0, 4, 1 / share);
    rr_buf_puts(b, " times as much as there is; in that it trains about ");
    put_share(b, &p->size, share);
}

/* Each is met by some, both by none. */
static void put_missed_both(struct rr_buf *b, const struct rr_size_question *q, const struct rr_sizing *s)
{
    const struct rr_sizing_point *p = &s->at[s->nearest_both];
    rr_buf_puts(b, "none of these; nearest is ");
    put_number_of(b, p);
    rr_buf_puts(b, "with a P90 of ");
    rr_size_put_days(b, rr_sizing_p90_s(p));
    rr_buf_puts(b, " and ");
    rr_size_put_money(b, rr_sizing_cost_p90(p), q->market.currency);
    rr_buf_puts(b, ", ");
    put_number(b, 0, 4, rr_sizing_over(&q->ask, p));
    rr_buf_puts(b, " times what there is");
}

/* The number that would do, or how far it was looked for. */
static void put_would_do(struct rr_buf *b, const struct rr_sizing *s)
{
    const struct rr_sizing_point *p = s->would_do;
    if (p)
        rr_buf_putf(b, "; %" PRId64 " x %s would do", p->training.gpus, p->size.machine.id);
    else if (s->least_tried == s->most_tried && s->most_tried > 0)
        rr_buf_putf(b, "; nor do %" PRId64, s->most_tried);
    else if (s->most_tried > 0)
        rr_buf_putf(b, "; nor does any number from %" PRId64 " to %" PRId64 " that was tried", s->least_tried, s->most_tried);
}

bool rr_size_put_missed(struct rr_buf *b, const struct rr_size_question *q, const struct rr_sizing *s)
{
    const bool late = q->ask.deadline_s > 0 && s->meets_deadline<0, dear = q->ask.budget> 0 &&
                      s->meets_budget<0, both = q->ask.deadline_s> 0 && q->ask.budget > 0 && s->meets_both < 0;
    if (late) rr_buf_puts(b, "deadline: "), put_missed_one(b, q, s, true);
    if (late && dear) rr_buf_puts(b, "; ");
    if (dear) rr_buf_puts(b, "budget: "), put_missed_one(b, q, s, false);
    if (both && !late && !dear) rr_buf_puts(b, "deadline and budget: "), put_missed_both(b, q, s);
    if (late || dear || both) put_would_do(b, s);
    return late || dear || both;
}

static void put_choices(struct rr_buf *b, const struct rr_size_question *q, const struct rr_sizing *s)
{
    struct rr_buf none = {0};
    const bool deadline = q->ask.deadline_s > 0, budget = q->ask.budget > 0;
    rr_buf_puts(b, "\n");
    if (deadline && budget) {
        put_missed_both(&none, q, s);
        put_choice(b, q, s, "In time and within the budget with 90 % chance, at the least cost", s->meets_both, rr_buf_text(&none));
        none.n = 0;
    }
    if (deadline) {
        put_missed_one(&none, q, s, true);
        put_choice(b, q, s, "In time with 90 % chance, at the least cost", s->meets_deadline, rr_buf_text(&none));
        none.n = 0;
    }
    if (budget) {
        put_missed_one(&none, q, s, false);
        put_choice(b, q, s, "Within the budget with 90 % chance, the quickest", s->meets_budget, rr_buf_text(&none));
    }
    rr_buf_done(&none);
    if (s->n < 2) return;
    put_choice(b, q, s, "Quickest", s->fastest, "none");
    put_choice(b, q, s, "Cheapest", s->cheapest, "none has a price");
}

/* ---- what it hangs on ---- */

static void put_bound(struct rr_buf *b, const struct rr_sizing_point *p)
{
    const struct rr_step *s = &p->answer->step;
    int first = 0, second = -1;
    for (int i = 1; i < RR_STEP_N; i++)
        if (s->term_s[i] > s->term_s[first]) first = i;
    for (int i = 0; i < RR_STEP_N; i++)
        if (i != first && (second < 0 || s->term_s[i] > s->term_s[second])) second = i;
    rr_buf_putf(b, "Bound by %s (%.0f %%), then %s (%.0f %%); %.0f %% of the memory is used\n", rr_step_name[first],
                100 * s->term_s[first] / s->total_s, rr_step_name[second], 100 * s->term_s[second] / s->total_s,
                100 * p->answer->found.best[0].memory_bytes / rr_memory_usable_bytes(&p->size.machine));
    const double most = p->answer->found.best[0].memory_bytes * (1 + p->size.memory_margin),
                 usable = rr_memory_usable_bytes(&p->size.machine);
    if (most > usable)
        rr_buf_putf(b, "It may run out of memory: up to %.1f of %.1f GB within a margin of %.0f %%%s\n", most / 1e9, usable / 1e9,
                    100 * p->size.memory_margin, p->size.measured.memory_bytes > 0 ? "" : "; the memory of one own run would make it 3 %");
}

static void put_levers(struct rr_buf *b, const struct rr_sizing_point *p)
{
    if (p->answer->n_levers == 0) return;
    rr_buf_puts(b, "Measure first: what would change the answer most, if it were 10 % off\n");
    for (size_t i = 0; i < p->answer->n_levers; i++) {
        const struct rr_lever *x = &p->answer->lever[i];
        const struct rr_coef_info *c = &rr_coef_info[x->coef];
        rr_buf_putf(b, "  %-13s %9.4g %-9s  step %+.1f .. %+.1f %%  %s%s\n", c->name, p->size.coefs.v[x->coef], c->unit,
                    100 * (x->faster - 1), 100 * (x->slower - 1), c->help, x->changes_best ? "; another layout would be the best" : "");
    }
}

static void put_notes(struct rr_buf *b, const struct rr_notes *notes)
{
    if (notes->list.n == 0) return;
    rr_buf_puts(b, "\nAssumed\n");
    for (size_t i = 0; i < notes->list.n; i++) {
        const struct rr_note *n = &notes->list.at[i];
        rr_buf_putf(b, "  %s%s%s%s%s%s\n", n->kind == RR_NOTE_WARNING ? "warning: " : "", *n->where ? n->where : "", *n->where ? ": " : "",
                    n->text, *n->source ? "; " : "", n->source);
    }
}

void rr_size_text(struct rr_buf *b, const struct rr_size_question *q, const struct rr_sizing *s)
{
    const struct rr_sizing_point *p = &s->at[0];
    if (q->name) rr_buf_putf(b, "%s: ", q->name);
    put_model(b, &p->size);
    put_verdict(b, q, p);
    put_beyond(b, &p->size.calibrated);
    put_measured(b, p);
    put_bound(b, p);
    put_costs(b, q, p);
    put_layouts(b, q, p);
    put_step(b, p);
    put_memory(b, p);
    put_time(b, p);
    put_points(b, q, s);
    put_choices(b, q, s);
    put_levers(b, p);
    put_notes(b, &q->notes);
}
