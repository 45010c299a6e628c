/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/train/measured.c - a run of one's own beside its prediction. */
#include "models/train/measured.h"
#include "data/base/units.h"
#include "data/train_log.h"
#include <math.h>
#include <string.h>

#define MOST_STEP_S 86400.0

struct word {
    const char *name;
    size_t at; /* of an int32_t in struct rr_layout */
};
#define W(field)                                  \
    {                                             \
#field, offsetof(struct rr_layout, field) \
    }
static const struct word words[] = {W(gpus), W(tp),   W(pp),          W(dp),           W(vpp), W(cp),
                                    W(ep),   W(zero), W(micro_batch), W(global_batch), W(seq), W(recompute_layers)};

static enum rr_status pair(struct rr_arena *a, char *key, const char *value, struct rr_size_measured *m)
{
    const char *known[sizeof words / sizeof *words + 3];
    int64_t v;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        known[i] = words[i].name;
        if (strcmp(words[i].name, key) != 0) continue;
        if (rr_text_i64(rr_slice(value, strlen(value)), &v) != RR_OK || v < (strcmp(key, "zero") == 0 ? 0 : 1) || v > 1 << 30)
            return rr_fail(RR_EINPUT, "measured: %s=%s: a whole number is expected", key, value);
        *(int32_t *)(void *)((char *)&m->layout + words[i].at) = (int32_t)v;
        return RR_OK;
    }
    if (strcmp(key, "step") == 0) {
        int64_t us;
        const enum rr_status st = rr_unit_time(rr_slice(value, strlen(value)), &us);
        if (st != RR_OK) return rr_fail_in(st, "measured: step");
        if (us <= 0) return rr_fail(RR_EINPUT, "measured: step=%s: more than nothing is expected, such as 4.3 s", value);
        m->step_s = (double)us / 1e6;
        return RR_OK;
    }
    if (strcmp(key, "recompute") == 0) return rr_recompute_parse(value, &m->layout.recompute);
    if (strcmp(key, "memory") == 0) {
        int64_t bytes;
        const enum rr_status st = rr_unit_bytes(rr_slice(value, strlen(value)), &bytes);
        if (st != RR_OK) return rr_fail_in(st, "measured: memory");
        if (bytes <= 0) return rr_fail(RR_EINPUT, "measured: memory=%s: more than nothing is expected, such as 71 GB", value);
        m->memory_bytes = (double)bytes;
        return RR_OK;
    }
    known[sizeof words / sizeof *words + 2] = "memory";
    known[sizeof words / sizeof *words] = "step";
    known[sizeof words / sizeof *words + 1] = "recompute";
    return rr_fail(RR_EINPUT, "measured: unknown word \"%s\"%s", key, rr_did_you_mean(a, key, known, sizeof known / sizeof *known));
}

static enum rr_status read_pairs(const char *text, struct rr_arena *a, struct rr_size_measured *m)
{
    char *copy = rr_strdup(a, text), *save = NULL;
    for (char *p = strtok_r(copy, ",", &save); p; p = strtok_r(NULL, ",", &save)) {
        char *equals = strchr(p, '=');
        while (*p == ' ') p++;
        if (!equals) return rr_fail(RR_EINPUT, "measured: \"%s\": NAME=VALUE is expected, such as \"tp=8, step=4.3 s\"", p);
        char *end = equals;
        while (end > p && end[-1] == ' ') end--;
        *end = '\0';
        const struct rr_slice v = rr_trim(rr_slice(equals + 1, strlen(equals + 1)));
        RR_TRY(pair(a, p, rr_strndup(a, v.at, v.n), m));
    }
    return RR_OK;
}

/* Warm-up is left out from three steps on; fewer may be nothing else. */
#define LEAST_STEPS 3
/* Few steps have a spread of their own that they do not show. */
#define FEW_STEPS  5
#define FEW_SPREAD 0.10

/* What a log's dump of arguments, or its line of sizes, says of the run is as if it had been told in words, which come first and must not say otherwise. */
static enum rr_status take_sizes(const char *path, const struct rr_train_log *log, const struct rr_arch *a, struct rr_layout *l)
{
    const struct {
        enum rr_log_size from;
        const char *word;
        int32_t *to;
    } row[] = {{RR_LOG_GPUS, "gpus", &l->gpus}, {RR_LOG_SEQ, "seq", &l->seq}, {RR_LOG_TP, "tp", &l->tp},
               {RR_LOG_PP, "pp", &l->pp},       {RR_LOG_DP, "dp", &l->dp},    {RR_LOG_VPP, "vpp", &l->vpp},
               {RR_LOG_CP, "cp", &l->cp},       {RR_LOG_EP, "ep", &l->ep},    {RR_LOG_MICRO_BATCH, "micro_batch", &l->micro_batch}};
    const int64_t layers = log->size[RR_LOG_LAYERS], hidden = log->size[RR_LOG_HIDDEN];
    if (layers > 0 && a->layers > 0 && layers != a->layers)
        return rr_fail(RR_EINPUT, "%s: a log of another model: it has %lld layers, %s %d", path, (long long)layers, a->name, a->layers);
    if (hidden > 0 && a->hidden > 0 && hidden != a->hidden)
        return rr_fail(RR_EINPUT, "%s: a log of another model: its hidden size is %lld, that of %s %d", path, (long long)hidden, a->name,
                       a->hidden);
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const int64_t v = log->size[row[i].from];
        if (v > 0 && *row[i].to > 0 && v != *row[i].to)
            return rr_fail(RR_EINPUT, "measured: %s=%d, but %s says %lld", row[i].word, *row[i].to, path, (long long)v);
        if (v > 0 && v <= 1 << 30) *row[i].to = (int32_t)v;
    }
    if (log->global_batch > 0 && l->global_batch > 0 && log->global_batch != l->global_batch)
        return rr_fail(RR_EINPUT, "measured: global_batch=%d, but %s says %.0f", l->global_batch, path, log->global_batch);
    if (log->global_batch > 0) l->global_batch = (int32_t)log->global_batch;
    return RR_OK;
}

static enum rr_status read_log(const char *path, const struct rr_arch *a, struct rr_train_log *log, struct rr_size_measured *m)
{
    RR_TRY(rr_train_log_read(path, log));
    if (log->steps < LEAST_STEPS && !log->average)
        return rr_fail(RR_EINPUT, "%s: %zu step%s, and the first ones are warm-up: %d or more are expected, or --measured \"step=4.3 s\"",
                       path, log->steps, log->steps > 1 ? "s" : "", LEAST_STEPS);
    return take_sizes(path, log, a, &m->layout);
}

/* The step that a log says, when the sizes are known, and how sure its median is. */
static void step_of_log(const char *path, const struct rr_train_log *log, struct rr_notes *notes, struct rr_size_measured *m)
{
    const struct rr_layout *l = &m->layout;
    const double spread = log->used < FEW_STEPS && !log->average ? fmax(log->spread, FEW_SPREAD) : log->spread;
    if (log->step_s > 0)
        m->step_s = log->step_s;
    else if (log->samples_s > 0)
        m->step_s = l->global_batch / log->samples_s;
    else
        m->step_s = (double)l->global_batch * l->seq / l->gpus / log->tokens_s_per_gpu;
    m->doubt = 1.2533 * spread / sqrt((double)log->used); // of a median over normal steps
    if (log->memory_bytes > 0 && m->memory_bytes <= 0) m->memory_bytes = log->memory_bytes, m->of_allocator = true; // words come first
    if (log->average)
        rr_note(notes, RR_NOTE_GIVEN, path, "", "an average over a whole %s run, %.4g s a step", log->format, m->step_s);
    else
        rr_note(notes, RR_NOTE_GIVEN, path, "",
                "%zu steps of a %s log, median %.4g s +- %.2g %% without %zu of warm-up and %zu after an evaluation or a checkpoint; %zu "
                "of the "
                "rest are far from it",
                log->steps, log->format, m->step_s, 100 * m->doubt, log->warmup, log->beside, log->outliers);
    if (log->smaller > 0)
        rr_note(notes, RR_NOTE_GIVEN, path, "", "%zu steps before these had another batch than the last, %.0f", log->smaller,
                log->global_batch);
    if (log->used < FEW_STEPS && !log->average)
        rr_note(notes, RR_NOTE_WARNING, path, "", "only %zu steps behind the warm-up: taken as %.0f %% apart, so the band is wider",
                log->used, 100 * spread);
    if (strcmp(log->format, "progress bar") == 0)
        rr_note(notes, RR_NOTE_WARNING, path, "", "a progress bar's iterations are taken for steps: they may be micro batches");
}

/* Of the plan what neither words nor a log say, and a line where these say otherwise: the step is compared with one of theirs. */
static void take_plan(const struct rr_layout *plan, struct rr_notes *notes, struct rr_layout *l)
{
    const struct {
        const char *name;
        int32_t plan, *run;
    } row[] = {{"GPUs", plan->gpus, &l->gpus},
               {"sequences a step", plan->global_batch, &l->global_batch},
               {"tokens a sequence", plan->seq, &l->seq}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        if (*row[i].run <= 0) *row[i].run = row[i].plan;
        if (*row[i].run != row[i].plan)
            rr_note(notes, RR_NOTE_WARNING, "", "",
                    "the measured run had %d %s, the plan has %d: its step is compared with a prediction for %d", *row[i].run, row[i].name,
                    row[i].plan, *row[i].run);
    }
}

/* Sizes that neither the measurement nor the plan tells: the fastest legal ones that fit, as somebody would have run it. */
static enum rr_status complete(const struct rr_size *s, struct rr_size_measured *m)
{
    struct rr_search q = s->search;
    struct rr_search_result r;
    struct rr_layout *l = &m->layout;
    struct {
        struct rr_axis *axis;
        int32_t v;
    } known[] = {{&q.tp, l->tp}, {&q.pp, l->pp}, {&q.vpp, l->vpp}, {&q.cp, l->cp}, {&q.ep, l->ep}, {&q.micro_batch, l->micro_batch}};
    q.dp = l->dp;
    q.base.gpus = l->gpus, q.base.global_batch = l->global_batch, q.base.seq = l->seq;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (known[i].axis->n != 1) known[i].axis->n = 0; // axes of another number of GPUs
        if (known[i].v > 0) known[i].axis->at[0] = known[i].v, known[i].axis->n = 1;
    }
    if (l->zero >= 0) q.zero.at[0] = l->zero, q.zero.n = 1;
    if (l->recompute_layers > 0 && l->recompute == RR_RECOMPUTE_N) l->recompute = RR_RECOMPUTE_FULL;
    if (l->recompute != RR_RECOMPUTE_N) q.recompute.at[0] = (int32_t)l->recompute, q.recompute.n = 1;
    if (l->recompute != RR_RECOMPUTE_N) q.base.recompute = l->recompute, q.base.recompute_layers = l->recompute_layers;
    if (l->recompute != RR_RECOMPUTE_N) q.some_layers = false;
    rr_search_axes(&q);
    rr_search_run(&q, &r);
    if (r.n == 0) {
        q.usable_bytes = 1e18; // it ran, whatever is predicted
        rr_search_run(&q, &r);
    }
    if (r.n == 0) {
        struct rr_buf b = {0};
        int i = 1;
        while (i < RR_FAULT_N - 1 && r.fault[i] == 0) i++;
        if (r.tried)
            rr_search_say(&b, &q, &r, (enum rr_layout_fault)i);
        else
            rr_search_say_world(&b, &q);
        const enum rr_status st = rr_fail(RR_EINPUT, "measured: %s", rr_buf_text(&b));
        rr_buf_done(&b);
        return st;
    }
    *l = r.best[0].layout;
    m->predicted_s = r.best[0].step_s;
    m->predicted_bytes = r.best[0].memory_bytes;
    return RR_OK;
}

/* A step that no run has, or that few have. */
static enum rr_status check_step(const struct rr_size *s, const struct rr_size_measured *m, struct rr_notes *notes)
{
    struct rr_step step;
    const double scale = m->step_s / m->predicted_s;
    if (!(m->step_s <= MOST_STEP_S)) return rr_fail(RR_EINPUT, "measured: a step of %.4g s: no more than a day is expected", m->step_s);
    rr_step_time(&s->arch, &s->machine, &s->coefs, &m->layout, true, &step);
    const double peak = rr_machine_peak_flops(&s->machine, m->layout.precision);
    const double share = step.model_flops / (m->layout.gpus * peak * m->step_s);
    if (peak > 0 && share > 1)
        return rr_fail(
            RR_EINPUT,
            "measured: a step of %.4g s would be %.3g times the dense %s peak of %d GPUs: is it of this model, %d sequences of %d and so "
            "many GPUs?",
            m->step_s, share, rr_precision_name[m->layout.precision], m->layout.gpus, m->layout.global_batch, m->layout.seq);
    if (rr_measured_is_far(m))
        rr_note(notes, RR_NOTE_WARNING, "", "",
                "the measured step is %.3g times the predicted one, outside of the %.1f to %.1f of published runs, so the band stays as it "
                "was: "
                "check its batch, sequence length, number of GPUs, layout and unit, and that it is of this model",
                scale, RR_MEASURED_LEAST, RR_MEASURED_MOST);
    return RR_OK;
}

enum rr_status rr_measured_make(const struct rr_training_run *t, const struct rr_size *s, struct rr_arena *a, struct rr_notes *notes,
                                struct rr_size_measured *ret)
{
    struct rr_size_measured m = {.given = true, .layout = {.zero = -1, .recompute = RR_RECOMPUTE_N}};
    struct rr_train_log log;
    if (t->measured) RR_TRY(read_pairs(t->measured, a, &m));
    if (t->log) RR_TRY(read_log(t->log, &s->arch, &log, &m));
    take_plan(&s->search.base, notes, &m.layout);
    if (t->log) step_of_log(t->log, &log, notes, &m);
    if (!(m.step_s > 0) && !(m.memory_bytes > 0))
        return rr_fail(RR_EINPUT, "measured: no step time and no memory; such as \"step=4.3 s\" or \"memory=71 GB\" is expected");
    RR_TRY(complete(s, &m));
    if (m.step_s > 0) RR_TRY(check_step(s, &m, notes));
    *ret = m;
    return RR_OK;
}
