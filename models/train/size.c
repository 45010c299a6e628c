/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/train/size.c - from words to a search and a time to train. */
#include "models/train/size.h"
#include "models/train/accuracy.h"
#include "data/base/fmath.h"
#include "data/base/units.h"
#include "data/hf_config.h"
#include "models/train/arch.h"
#include "models/train/measured.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Doubts, as standard deviations of logarithms. A step: as far as published rows of the framework on the family lie from a fit that did not see them
 * (data/facts/train_accuracy.csv), which holds the doubt of its coefficients too; 10 % without that table, and at least 20 % where the coefficients are
 * those of another machine. Bandwidth between nodes: RR_NETWORK_DOUBT. After one run of one's own what is left is the spread from run to run. */
#define DOUBT_MODEL    0.10
#define DOUBT_RELATIVE 0.20
#define DOUBT_MEASURED 0.03
#define DOUBT_COEF     0.05
/* Of memory: three to nine published rows of ten lie within a tenth of their prediction, by framework; runs of one layout differ by little. */
#define MARGIN_MODEL    0.10
#define MARGIN_MEASURED 0.03
#define YEAR_S          (365.25 * 86400)
#define MOST_S          (250000 * YEAR_S)

struct making {
    const struct rr_training_run *t;
    const struct rr_train_facts *f;
    const struct rr_catalog *catalog;
    struct rr_arena *a;
    struct rr_notes *notes;
    struct rr_size *s;
    bool wide, relative;
};

static const void *part(const struct rr_records *r, const void *none) { return r ? r->at : none; }

/* ---- model ---- */

static enum rr_status find_model(struct making *x)
{
    const struct rr_training_run *t = x->t;
    const struct rr_arch *known;
    if ((t->model != NULL) == (t->config != NULL))
        return rr_fail(RR_EINPUT, "%s; give \"model\", such as \"llama-3-70b\", or \"config\", the config.json of a model",
                       t->model ? "both \"model\" and \"config\"" : "no model");
    if (t->config) {
        RR_TRY(rr_hf_config_read(t->config, x->a, &x->s->arch));
    } else {
        RR_TRY(rr_train_facts_arch(x->f, x->a, t->model, &known));
        x->s->arch = *known;
    }
    if (t->lora_rank > 0) x->s->arch.lora_rank = (int32_t)t->lora_rank;
    return RR_OK;
}

/* ---- machine ---- */

/* Nothing gets through a bandwidth of 0: no time is the answer, and none is what divides by it. */
static enum rr_status bandwidth(const char *text, const char *key, double *ret_b_s)
{
    const enum rr_status st = rr_unit_bandwidth(rr_slice(text, strlen(text)), ret_b_s);
    if (st != RR_OK) return rr_fail_in(st, "%s", key);
    if (!(*ret_b_s > 0)) return rr_fail(RR_EINPUT, "%s: \"%s\": more than 0 is expected, such as \"400 Gb/s\" or \"50 GB/s\"", key, text);
    return RR_OK;
}

static enum rr_status what_if(struct making *x, const char *text, const char *key, double *gb_s)
{
    double b;
    if (!text) return RR_OK;
    RR_TRY(bandwidth(text, rr_strf(x->a, "machine: %s", key), &b));
    *gb_s = b / 1e9;
    rr_note(x->notes, RR_NOTE_GIVEN, "", "", "%s of %s instead of the machine's own", key, text);
    return RR_OK;
}

/* Vendors print twice the rate for products with half of the weights zero (2:4 sparsity); no training run has these. */
static enum rr_status what_if_peak(struct making *x, const char *text)
{
    double flops;
    struct rr_machine *m = &x->s->machine;
    if (!text) return RR_OK;
    const enum rr_status st = rr_unit_flops(rr_slice(text, strlen(text)), &flops);
    if (st != RR_OK) return rr_fail_in(st, "machine: peak");
    if (!(flops > 0))
        return rr_fail(RR_EINPUT, "machine: peak: \"%s\": more than 0 is expected, such as \"%g TFLOP/s\"", text, m->bf16_tflops);
    const double ratio = flops / 1e12 / m->bf16_tflops, of[] = {m->bf16_tflops, m->fp8_tflops, m->fp4_tflops};
    static const char *const bits[] = {"16", "8", "4"};
    for (int i = 0; i < 3; i++)
        if (of[i] > 0 && flops / 1e12 > 1.8 * of[i] && flops / 1e12 < 2.2 * of[i])
            return rr_fail(
                RR_EINPUT,
                "machine: peak: %s is the figure of %s with sparsity, in %s bits; training runs dense, and in 16 bits that is %g "
                "TFLOP/s",
                text, m->id, bits[i], m->bf16_tflops);
    if (ratio > 1.8)
        rr_note(x->notes, RR_NOTE_WARNING, "", "", "a peak %.2g times the %g TFLOP/s of %s: is it dense, and of 16-bit products?", ratio,
                m->bf16_tflops, m->id);
    m->bf16_tflops *= ratio, m->fp8_tflops *= ratio, m->fp4_tflops *= ratio, m->tf32_tflops *= ratio;
    rr_note(x->notes, RR_NOTE_GIVEN, "", "", "a dense peak of %s instead of the machine's own; other precisions in proportion", text);
    return RR_OK;
}

static enum rr_status find_machine(struct making *x)
{
    static const struct rr_training_machine plain;
    const struct rr_training_machine *w = part(x->t->machine, &plain);
    const struct rr_machine *known;
    if (!x->t->gpu) return rr_fail(RR_EINPUT, "no \"gpu\"; such as \"h100-sxm\" is expected");
    RR_TRY(rr_train_facts_machine(x->f, x->a, x->t->gpu, &known));
    x->s->machine = *known;
    RR_TRY(what_if(x, w->network, "network", &x->s->machine.net_gb_s));
    RR_TRY(what_if(x, w->link, "link", &x->s->machine.link_gb_s));
    RR_TRY(what_if(x, w->memory_bandwidth, "memory_bandwidth", &x->s->machine.memory_gb_s));
    if (w->memory_bytes > 0) x->s->machine.memory_gib = (double)w->memory_bytes / 1073741824.0;
    return what_if_peak(x, w->peak);
}

/* One framework for all machines that are compared, or the differences would be those of frameworks. */
static const char *usual_framework(const struct making *x)
{
    const char **family = RR_NEWS(x->a, const char *, x->t->n_beside + 1);
    size_t n = 0;
    family[n++] = x->s->machine.family;
    for (size_t i = 0; i < x->t->n_beside; i++) {
        const struct rr_machine *m;
        if (rr_train_facts_machine(x->f, x->a, x->t->beside[i], &m) == RR_OK) family[n++] = m->family; // else said where its turn comes
    }
    return rr_coefs_usual(x->f, &x->s->arch, family, n);
}

static enum rr_status find_coefs(struct making *x)
{
    const char *note = "";
    x->s->framework = x->t->framework ? x->t->framework : usual_framework(x);
    if (x->f->n_coefs == 0 || (x->s->arch.sample_gflop > 0 && !x->t->framework)) {
        rr_coefs_default(&x->s->coefs);
        x->s->coefs.v[RR_COEF_STEP_MS] = x->s->coefs.v[RR_COEF_MICRO_MS] = 0; // one graph a step, images loaded behind it
        x->s->framework = "default";
        rr_note(x->notes, RR_NOTE_ASSUMED, "", "models/train/coef.h",
                "no coefficients are fitted to %s: products and memory reach three quarters of peak", x->s->arch.name);
        return RR_OK;
    } else {
        RR_TRY(rr_coefs_find(x->f, x->a, x->s->framework, x->s->machine.family, &x->s->coefs, &note));
    }
    if (*note == '\0' && rr_coefs_runs(x->f, x->s->framework, x->s->machine.family) == 0)
        note =
            rr_strf(x->a, "no published runs of %s on %s: its coefficients are those of a relative", x->s->framework, x->s->machine.family);
    x->s->borrowed = note;
    x->relative = *note != '\0';
    if (x->relative) rr_note(x->notes, RR_NOTE_WARNING, "", "", "%s", note);
    if (!x->t->framework)
        rr_note(x->notes, RR_NOTE_ASSUMED, "", "data/facts/train_coefficients.csv", "framework %s (its coefficients for %s)",
                x->s->framework, x->s->machine.family);
    return RR_OK;
}

/* ---- profiles ---- */

/* The machine as it was measured; what-ifs of the words come before, as shares of them are measured. */
static enum rr_status find_profiles(struct making *x)
{
    struct rr_size *s = x->s;
    if (!x->t->profiles || x->t->profiles->n == 0) return RR_OK;
    return rr_calibrate(x->t->profiles, &s->machine, s->framework, x->t->gpus, x->a, x->notes, &s->coefs, &s->calibrated);
}

/* ---- target and batch ---- */

static enum rr_status count(const char *key, const char *text, double *ret)
{
    const enum rr_status st = rr_count_parse(text, ret);
    return st == RR_OK ? st : rr_fail_in(st, "%s", key);
}

static enum rr_status find_target(struct making *x)
{
    const struct rr_training_run *t = x->t;
    const double seq = x->s->search.base.seq;
    const int given = (t->tokens != NULL) + (t->samples != NULL) + (t->epochs > 0);
    double n;
    if (given != 1)
        return rr_fail(RR_EINPUT, "%s; give one of \"tokens\" (\"15T\"), \"samples\" (\"45M\") and \"epochs\" with \"dataset\"",
                       given ? "more than one target" : "no target");
    x->s->tokens_counted = t->samples == NULL && x->s->arch.sample_gflop <= 0;
    if (t->epochs > 0) {
        if (!t->dataset) return rr_fail(RR_EINPUT, "\"epochs\" without \"dataset\"; what one epoch has, such as \"300B\", is expected");
        RR_TRY(count("dataset", t->dataset, &n));
        n *= t->epochs;
    } else {
        RR_TRY(count(t->tokens ? "tokens" : "samples", t->tokens ? t->tokens : t->samples, &n));
    }
    if (t->tokens && x->s->arch.sample_gflop > 0)
        return rr_fail(RR_EINPUT, "\"tokens\": %s has none; give \"samples\", such as \"45M\"", x->s->arch.name);
    x->s->samples = x->s->tokens_counted ? n / seq : n;
    return RR_OK;
}

/* About 4 million tokens (256 samples a GPU where there are none), as a whole number for as many of the GPUs as can share it. */
static int32_t usual_batch(const struct rr_arch *a, int32_t gpus, int32_t seq)
{
    const double want = a->sample_gflop > 0 ? 256.0 * gpus : a->encoder ? 56.0 * gpus : 4194304.0 / seq;
    int32_t ranks = 1;
    for (int32_t d = 1; d <= gpus && d <= want; d++)
        if (gpus % d == 0) ranks = d;
    const double n = floor(want / ranks + 0.5);
    return (int32_t)(n > 1 ? n : 1) * ranks;
}

static void find_batch(struct making *x)
{
    struct rr_layout *l = &x->s->search.base;
    l->gpus = (int32_t)x->t->gpus;
    l->seq = x->t->seq ? (int32_t)x->t->seq : x->s->arch.seq > 0 ? x->s->arch.seq : 1;
    if (x->t->global_batch) {
        l->global_batch = (int32_t)x->t->global_batch;
        return;
    }
    l->global_batch = usual_batch(&x->s->arch, l->gpus, l->seq);
    const double tokens = (double)l->global_batch * l->seq;
    rr_note(x->notes, RR_NOTE_ASSUMED, "", "", "a global batch of %d %s (%.3g %s tokens)", l->global_batch,
            x->s->arch.sample_gflop > 0 ? "samples" : "sequences", tokens < 999.5e6 ? tokens / 1e6 : tokens / 1e9,
            tokens < 999.5e6 ? "M" : "B");
}

/* ---- layout ---- */

static void one(struct rr_axis *x, int64_t v)
{
    if (v > 0) x->at[0] = (int32_t)v, x->n = 1;
}

static const struct rr_train_set *framework_set(const struct making *x)
{
    for (size_t i = 0; i < x->f->n_sets; i++)
        if (strcmp(x->f->set[i].framework, x->s->framework) == 0) return &x->f->set[i];
    return NULL;
}

/* Attention that never writes its scores is what runs of today have: older published runs, whose framework nobody asked for by name, do not say
 * otherwise. Their coefficients are then those of another kind of run. */
static bool find_flash(struct making *x, const struct rr_training_layout *w, const struct rr_train_set *set)
{
    if (rr_given(w, 11)) return w->flash;
    if (!set || set->flash) return true;
    if (x->t->framework) {
        rr_note(x->notes, RR_NOTE_ASSUMED, "", "data/facts/train_sets.csv",
                "attention writes its scores, as in the published runs of %s: "
                "--layout flash=true is otherwise",
                x->s->framework);
        return false;
    }
    x->relative = true;
    rr_note(x->notes, RR_NOTE_WARNING, "", "data/facts/train_sets.csv",
            "the published runs of %s on %s had no flash attention; it is taken here, with a wider band: --layout flash=false is otherwise",
            x->s->framework, x->s->machine.family);
    return true;
}

/* Flags as the framework's published runs had them, where nobody says. */
static void framework_flags(struct making *x, const struct rr_training_layout *w, struct rr_layout *l)
{
    const struct rr_train_set *set = framework_set(x);
    l->flash = find_flash(x, w, set);
    l->tp_overlap = rr_given(w, 9) ? w->tp_overlap : set ? set->tp_overlap != 0 : true;
    l->dp_overlap = rr_given(w, 10) ? w->dp_overlap : set ? set->dp_overlap != 0 : true;
    l->sequence_parallel = rr_given(w, 8) ? w->sequence_parallel : set ? set->sequence_parallel != 0 : true;
    l->balanced = set && set->balanced != 0;
    if (x->wide || rr_given(w, 6)) return;
    const int32_t full[] = {0, 2, 3}, usual[] = {0, 1};
    struct rr_axis *zero = &x->s->search.zero;
    const bool sharded = set && set->zero >= 3;
    memcpy(zero->at, sharded ? full : usual, sharded ? sizeof full : sizeof usual);
    zero->n = sharded ? 3 : 2;
}

/* bfloat16 came with TF32 (A100), scales for parts of a tensor with 4-bit products (B200). */
static enum rr_status has_precision(const struct rr_machine *m, enum rr_precision p)
{
    const bool bf16 = m->tf32_tflops > 0 || m->fp8_tflops > 0;
    if (p == RR_BF16 && !bf16) return rr_fail(RR_EINPUT, "precision: %s has no bf16; fp16 is its 16-bit precision", m->id);
    if (p == RR_MXFP8 && m->fp4_tflops <= 0 && m->fp8_tflops > 0)
        return rr_fail(RR_EINPUT, "precision: %s has no mxfp8; fp8 is its 8-bit precision", m->id);
    if (rr_machine_peak_flops(m, p) <= 0) return rr_fail(RR_EINPUT, "precision: %s has no %s", m->id, rr_precision_name[p]);
    return RR_OK;
}

static enum rr_status find_layout(struct making *x)
{
    static const struct rr_training_layout plain;
    const struct rr_training_layout *w = part(x->t->layout, &plain);
    struct rr_search *q = &x->s->search;
    q->arch = &x->s->arch, q->machine = &x->s->machine, q->coefs = &x->s->coefs;
    q->base.precision = (enum rr_precision)x->t->precision;
    RR_TRY(has_precision(&x->s->machine, q->base.precision));
    one(&q->tp, w->tp), one(&q->pp, w->pp), one(&q->vpp, w->vpp), one(&q->cp, w->cp), one(&q->ep, w->ep),
        one(&q->micro_batch, w->micro_batch);
    q->dp = x->t->other_number ? 0 : (int32_t)w->dp;
    if (rr_given(w, 6)) q->zero.at[0] = (int32_t)w->zero, q->zero.n = 1;
    if (rr_given(w, 7)) q->recompute.at[0] = w->recompute, q->recompute.n = 1;
    q->some_layers = !rr_given(w, 7);
    if (w->recompute_layers > 0) {
        q->base.recompute_layers = (int32_t)w->recompute_layers;
        q->base.recompute = rr_given(w, 7) ? (enum rr_recompute)w->recompute : RR_RECOMPUTE_FULL;
        q->recompute.at[0] = (int32_t)q->base.recompute, q->recompute.n = 1;
    }
    if (rr_given(w, 8)) q->sequence_parallel.at[0] = w->sequence_parallel, q->sequence_parallel.n = 1;
    q->ends_given = rr_given(w, 12);
    q->base.ends = q->ends_given ? (int32_t)w->ends : x->s->arch.ends;
    framework_flags(x, w, &q->base);
    (x->wide ? rr_search_widen : rr_search_axes)(q);
    return RR_OK;
}

/* ---- what surrounds the steps ---- */

static const struct rr_failure_rate *failure_row(const struct making *x, const char *id)
{
    for (size_t i = 0; i < x->catalog->n_failure_rates; i++)
        if (strcmp(x->catalog->failure_rate[i].id, id) == 0) return &x->catalog->failure_rate[i];
    return NULL;
}

/* Standard deviation of ln(GPU-hours a failure) over the systems of the row's kind: those that have its range. */
static double spread_of(const struct making *x, const struct rr_failure_rate *row, size_t *n)
{
    double sum = 0, squares = 0;
    *n = 0;
    for (size_t i = 0; i < x->catalog->n_failure_rates; i++) {
        const struct rr_failure_rate *r = &x->catalog->failure_rate[i];
        if (r->least != row->least || r->most != row->most) continue;
        const double v = rr_log(r->gpu_hours);
        sum += v, squares += v * v, ++*n;
    }
    const double k = (double)*n;
    return *n > 1 ? sqrt(fmax(0, (squares - sum * sum / k) / (k - 1))) : 0;
}

static enum rr_status plan_failures(struct making *x, struct rr_ttt_plan *p)
{
    const struct rr_training_failures *w = x->t->failures->at;
    if (w->none) return RR_OK;
    const struct rr_failure_rate *row = failure_row(x, w->like);
    if (!row) {
        const char **words = RR_NEWS(x->a, const char *, x->catalog->n_failure_rates + 1);
        for (size_t i = 0; i < x->catalog->n_failure_rates; i++) words[i] = x->catalog->failure_rate[i].id;
        return rr_fail(RR_EINPUT, "failures: like: no system is called \"%s\"%s", w->like,
                       rr_did_you_mean(x->a, w->like, words, x->catalog->n_failure_rates));
    }
    size_t peers = 0;
    p->failure_gpu_hours = w->gpu_hours > 0 ? w->gpu_hours : row->gpu_hours;
    p->failure_least = row->least < p->failure_gpu_hours ? row->least : p->failure_gpu_hours;
    p->failure_most = row->most > p->failure_gpu_hours ? row->most : p->failure_gpu_hours;
    p->failure_sd = w->gpu_hours > 0 ? 0 : spread_of(x, row, &peers);
    if (w->gpu_hours <= 0)
        rr_note(
            x->notes, RR_NOTE_ASSUMED, "", rr_fact_text(x->a, &row->fact),
            "an interruption every %.0f GPU-hours, as %s, times or over %.2g (one standard deviation of the logarithm over %zu "
            "published systems, %.0f to %.0f); \"tuned\" is the last of these and the step's P10, \"first months\" the first and its P90",
            row->gpu_hours, row->id, rr_exp(p->failure_sd), peers, row->least, row->most);
    return RR_OK;
}

/* What a profile measured of storage and of the way to the host, where nobody gave it. One node's rate says nothing of what all of them get together:
 * the default stays the most. */
static void take_rates(struct making *x, const struct rr_training_checkpoint *w, double *storage, double *host)
{
    const struct rr_calibrated *k = &x->s->calibrated;
    const double nodes = ceil((double)x->t->gpus / x->s->machine.gpus_per_node);
    if (!rr_given(w, 0) && k->storage_b_s > 0) {
        *storage = k->storage_b_s * nodes < *storage ? k->storage_b_s * nodes : *storage;
        rr_note(x->notes, RR_NOTE_GIVEN, "", k->storage_source,
                "checkpoints go to storage of %.4g GB/s: what one node reads, on %g nodes, %s at most", *storage / 1e9, nodes, w->storage);
    }
    if (!rr_given(w, 3) && w->async && k->host_b_s > 0) {
        *host = k->host_b_s;
        rr_note(x->notes, RR_NOTE_GIVEN, "", k->host_source, "a GPU copies to its host's memory at %.4g GB/s", *host / 1e9);
    }
}

static enum rr_status plan_checkpoints(struct making *x, struct rr_ttt_plan *p)
{
    const struct rr_training_checkpoint *w = x->t->checkpoint->at;
    double storage, host;
    RR_TRY(bandwidth(w->storage, "checkpoint: storage", &storage));
    RR_TRY(bandwidth(w->host, "checkpoint: host", &host));
    take_rates(x, w, &storage, &host);
    p->checkpoint_bytes = w->bytes_per_parameter * rr_arch_params(&x->s->arch).trained;
    p->storage_b_s = storage / (double)w->shared_by;
    p->host_b_s = w->async ? host : 0;
    p->interval_s = (double)w->interval_us / 1e6;
    if (!rr_given(w, 0) && x->s->calibrated.storage_b_s <= 0)
        rr_note(x->notes, RR_NOTE_ASSUMED, "", "bigscience chronicles, 2022", "checkpoints go to storage of %s", w->storage);
    return RR_OK;
}

static enum rr_status plan_power(struct making *x, struct rr_ttt_plan *p)
{
    const struct rr_machine *m = &x->s->machine;
    const struct rr_default *pue = rr_catalog_default(x->catalog, "owned", "pue");
    double v = 0;
    if (pue && rr_text_double(rr_slice(pue->value, strlen(pue->value)), &v) == RR_OK) p->pue = v;
    p->node_w = m->power_w * m->gpus_per_node;
    for (size_t i = 0; i < x->catalog->n_hardware; i++) {
        const struct rr_hardware *h = &x->catalog->hardware[i];
        if (strcmp(h->gpu, m->gpu) == 0 && h->power_w > 0) {
            p->node_w = h->power_w * m->gpus_per_node / h->gpus;
            rr_note(x->notes, RR_NOTE_ASSUMED, "", rr_fact_text(x->a, &h->fact), "energy at the full load of %s, PUE %g", h->id, p->pue);
            return RR_OK;
        }
    }
    rr_note(x->notes, RR_NOTE_ASSUMED, "", rr_fact_text(x->a, &m->fact),
            "energy at the GPUs' board limit alone, PUE %g: hosts are not included", p->pue);
    return RR_OK;
}

/* Megatron-LM's default is --eval-iters 100. */
static void plan_evaluations(struct making *x, const struct rr_training_evaluation *e, struct rr_ttt_plan *p)
{
    if (!e) {
        rr_note(x->notes, RR_NOTE_ASSUMED, "", "bigscience chronicles, 2022; mlcommons training_results v5",
                "no evaluations: published runs spend 0.7 %% (BLOOM) to 5.6 %% (MLPerf, Llama 3.1 405B) of their time on them");
        return;
    }
    p->eval_every = (double)e->every, p->eval_samples = (double)e->samples, p->eval_s = (double)e->time_us / 1e6;
    if (rr_given(e, 1) || rr_given(e, 2)) return;
    p->eval_samples = 100.0 * x->s->search.base.global_batch;
    rr_note(x->notes, RR_NOTE_ASSUMED, "", "Megatron-LM, --eval-iters", "an evaluation of 100 global batches, %.0f %s", p->eval_samples,
            x->s->arch.sample_gflop > 0 ? "samples" : "sequences");
}

static enum rr_status find_plan(struct making *x)
{
    const struct rr_training_restart *w = x->t->restart->at;
    const struct rr_training_evaluation *e = part(x->t->evaluation, NULL);
    const struct rr_training_warmup *b = part(x->t->warmup, NULL);
    struct rr_ttt_plan *p = &x->s->plan;
    *p = (struct rr_ttt_plan){.samples = x->s->samples,
                              .reruns = x->t->reruns > 0 ? x->t->reruns : 1,
                              .detect_s = (double)w->detect_us / 1e6,
                              .requeue_s = (double)w->requeue_us / 1e6,
                              .image_s = (double)w->image_us / 1e6,
                              .compile_s = (double)w->compile_us / 1e6,
                              .repair_s = (double)w->repair_us / 1e6,
                              .spares = (int32_t)w->spares};
    p->startup_s = p->image_s + p->compile_s;
    plan_evaluations(x, e, p);
    if (b) {
        RR_TRY(count("batch_warmup: over", b->over, &p->warmup_samples));
        if (x->s->tokens_counted) p->warmup_samples /= x->s->search.base.seq;
        p->warmup_batch = b->from < x->s->search.base.global_batch ? (int32_t)b->from : x->s->search.base.global_batch;
    }
    RR_TRY(plan_failures(x, p));
    RR_TRY(plan_checkpoints(x, p));
    if (!rr_given(w, 5)) p->spares = rr_ttt_spares(p, x->s->search.base.gpus, x->s->machine.gpus_per_node);
    return plan_power(x, p);
}

/* ---- a run of one's own ---- */

static struct rr_ttt_doubt doubt_published(const struct making *x)
{
    const struct rr_size *s = x->s;
    struct rr_ttt_doubt d = {.model = x->relative ? DOUBT_RELATIVE : DOUBT_MODEL,
                             .coef = DOUBT_COEF,
                             .network = s->search.base.gpus > s->machine.gpus_per_node ? RR_NETWORK_DOUBT : 0,
                             .calibrated = s->calibrated.n > 0};
    int32_t rows;
    const double shown = rr_accuracy_doubt(x->f, s->framework, s->machine.family, &rows);
    if (shown <= 0) return d;
    d.model = x->relative && shown < DOUBT_RELATIVE ? DOUBT_RELATIVE : shown;
    d.coef = 0;
    return d;
}

/* Of a machine that is compared with the measured one it is no wonder: the same run has to fit there otherwise. */
static enum rr_status check_memory(const struct making *x)
{
    const double measured = x->s->measured.memory_bytes, has = x->s->machine.memory_gib * 1073741824.0;
    const bool own = x->t->n_beside == 0 || strcmp(x->t->beside[0], x->t->gpu) == 0;
    if (measured <= has || !own) return RR_OK;
    return rr_fail(RR_EINPUT,
                   "measured: memory of %.1f GB is more than the %.1f GB that a GPU of %s has: is it of one GPU, and of this kind?",
                   measured / 1e9, has / 1e9, x->s->machine.id);
}

static enum rr_status find_measured(struct making *x)
{
    struct rr_size *s = x->s;
    s->scale = 1;
    s->doubt = s->unmeasured = doubt_published(x);
    s->memory_margin = MARGIN_MODEL;
    if (!x->t->measured && !x->t->log) return RR_OK;
    RR_TRY(rr_measured_make(x->t, s, x->a, x->notes, &s->measured));
    if (s->measured.memory_bytes > 0) {
        RR_TRY(check_memory(x));
        RR_TRY(rr_measured_memory(&s->arch, &s->coefs, &s->measured));
        s->memory_margin = MARGIN_MEASURED;
    }
    if (!(s->measured.step_s > 0)) return RR_OK;
    s->scale = s->measured.step_s / s->measured.predicted_s;
    if (rr_measured_is_far(&s->measured)) return RR_OK;
    const bool same = s->measured.layout.gpus == s->search.base.gpus;
    s->doubt = (struct rr_ttt_doubt){.model = fmin(fmax(DOUBT_MEASURED, s->unmeasured.model),
                                                   sqrt(DOUBT_MEASURED * DOUBT_MEASURED + s->measured.doubt * s->measured.doubt)),
                                     .coef = same ? 0 : DOUBT_COEF,
                                     .network = same ? 0 : s->doubt.network,
                                     .calibrated = !same && s->calibrated.n > 0};
    return RR_OK;
}

enum rr_status rr_size_make(const struct rr_training_run *t, const struct rr_train_facts *f, const struct rr_catalog *catalog,
                            struct rr_arena *a, struct rr_notes *notes, bool wide, struct rr_size *ret)
{
    struct making x = {.t = t, .f = f, .catalog = catalog, .a = a, .notes = notes, .s = ret, .wide = wide};
    memset(ret, 0, sizeof *ret);
    ret->training = t, ret->borrowed = "";
    RR_TRY(find_model(&x));
    RR_TRY(find_machine(&x));
    RR_TRY(find_coefs(&x));
    RR_TRY(find_profiles(&x));
    find_batch(&x);
    RR_TRY(find_target(&x));
    RR_TRY(find_layout(&x));
    RR_TRY(find_plan(&x));
    RR_TRY(find_measured(&x));
    if (t->reruns <= 0)
        rr_note(notes, RR_NOTE_ASSUMED, "", "", "reruns and ablations are not included: \"reruns\": 1.5 adds half of the run again");
    return RR_OK;
}

/* ---- the answer ---- */

/* What is wrong with any layout before what another split of batch and stages would cure; memory before all: the rest was legal. */
static const enum rr_layout_fault telling[] = {
    RR_FAULT_MEMORY,     RR_FAULT_PRECISION,  RR_FAULT_RECOMPUTE, RR_FAULT_HEAD_DIM, RR_FAULT_HEADS, RR_FAULT_KV_HEADS, RR_FAULT_FFN,
    RR_FAULT_NO_EXPERTS, RR_FAULT_EXPERTS,    RR_FAULT_SP_ALONE,  RR_FAULT_LAYERS,   RR_FAULT_EP,    RR_FAULT_SEQ,      RR_FAULT_BATCH,
    RR_FAULT_ZERO,       RR_FAULT_INTERLEAVE, RR_FAULT_VOCAB,     RR_FAULT_SIZE,     RR_FAULT_WORLD,
};

static enum rr_status no_layout(const struct rr_size *s, const struct rr_search_result *r)
{
    struct rr_buf b = {0};
    const struct rr_search *q = &s->search;
    if (r->tried == 0) rr_search_say_world(&b, q);
    const bool chunks = q->vpp.n > 1 && r->like[RR_FAULT_LAYERS].layout.vpp > 1; // stages do divide: interleaving does not, and need not be
    for (size_t k = 0, n = 0; k < 2 * (sizeof telling / sizeof *telling); k++) {
        const enum rr_layout_fault i = telling[k % (sizeof telling / sizeof *telling)];
        const bool late = i == RR_FAULT_LAYERS && chunks;
        if (r->fault[i] == 0 || late != (k >= sizeof telling / sizeof *telling)) continue;
        if (n++) rr_buf_puts(&b, n == 2 ? " (and beside " : ", ");
        if (n > 1)
            rr_buf_putf(&b, "%lld: %s", (long long)r->fault[i], rr_layout_fault_help[i]);
        else
            rr_search_say(&b, q, r, i);
        if (n == 1 && r->fault[i] < r->tried) rr_buf_putf(&b, "; so are %lld of %lld layouts", (long long)r->fault[i], (long long)r->tried);
    }
    if (strstr(rr_buf_text(&b), " (and beside ")) rr_buf_puts(&b, ")");
    const enum rr_status st = rr_fail(RR_EINPUT, "%s", rr_buf_text(&b));
    rr_buf_done(&b);
    return st;
}

/* Times are counted in int64 us; a P90 that never comes is that of a run that fails faster than it works. */
static enum rr_status check_ends(const struct rr_size_answer *x)
{
    if (!(x->time.total_s < MOST_S))
        return rr_fail(RR_EINPUT, "it never ends: %.0f steps of %.0f s, more than %.0f years", x->time.steps, x->found.best[0].step_s,
                       MOST_S / YEAR_S);
    if (!(x->band.p50_s < MOST_S && x->band.p90_s < MOST_S))
        return rr_fail(RR_EINPUT,
                       "it may never end: at P90 of step and failures an interruption comes before a checkpoint interval of %.0f min and a "
                       "restart of %.0f min are over; an own \"interval\", faster storage or fewer failures are expected",
                       x->time.interval_s / 60, (x->time.restore_s + x->time.down_s) / 60);
    return RR_OK;
}

enum rr_status rr_size_find(const struct rr_size *s, uint64_t seed, struct rr_size_answer *ret)
{
    struct rr_search q = s->search; // its pointers: a struct rr_size may have been copied since
    q.arch = &s->arch, q.machine = &s->machine, q.coefs = &s->coefs;
    memset(ret, 0, sizeof *ret);
    rr_search_run(&q, &ret->found);
    if (ret->found.n == 0) return no_layout(s, &ret->found);
    for (int32_t i = 0; i < ret->found.n; i++) ret->found.best[i].step_s *= s->scale;
    const struct rr_layout *l = &ret->found.best[0].layout;
    rr_step_time(q.arch, q.machine, q.coefs, l, true, &ret->step);
    for (int32_t i = 0; i < l->pp && i < 64; i++) rr_memory_stage(q.arch, q.coefs, l, i, &ret->memory[ret->n_memory++]);
    rr_ttt_make(&s->plan, q.arch, q.machine, q.coefs, l, ret->found.best[0].step_s, &ret->time);
    if (ret->time.hopeless)
        return rr_fail(
            RR_EINPUT,
            "it never ends: %d GPUs fail every %.0f min, less than a checkpoint interval of %.0f min and a restart of %.0f min take",
            l->gpus, ret->time.mtbf_s / 60, ret->time.interval_s / 60, (ret->time.restore_s + ret->time.down_s) / 60);
    struct rr_ttt_doubt doubt = s->doubt, before = s->unmeasured;
    before.network = l->gpus > s->machine.gpus_per_node ? RR_NETWORK_DOUBT : 0;
    doubt.profile = s->doubt.calibrated ? &s->calibrated : NULL;
    before.profile = s->calibrated.n > 0 ? &s->calibrated : NULL;
    rr_ttt_band(&s->plan, &doubt, q.arch, q.machine, q.coefs, l, ret->found.best[0].step_s, seed, &ret->band);
    RR_TRY(check_ends(ret));
    if (s->measured.step_s > 0) rr_ttt_band(&s->plan, &before, q.arch, q.machine, q.coefs, l, ret->step.total_s, seed, &ret->band_before);
    ret->n_levers = rr_search_levers(&q, &ret->found, 0.1, ret->lever, RR_SIZE_LEVERS);
    return RR_OK;
}
