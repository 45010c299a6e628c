/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/train/measured.c - a run of one's own beside its prediction. */
#include "models/train/measured.h"
#include "data/base/units.h"
#include "data/train_log.h"
#include <string.h>

struct word {
    const char *name;
    size_t at; /* of an int32_t in struct rr_layout */
};
#define W(field)                                  \
    {                                             \
#field, offsetof(struct rr_layout, field) \
    }
static const struct word words[] = {
    W(gpus), W(tp), W(pp), W(vpp), W(cp), W(ep), W(zero), W(micro_batch), W(global_batch), W(seq), W(recompute_layers)};

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
        if (!equals) return rr_fail(RR_EINPUT, "measured: \"%s\": NAME=VALUE is expected, such as \"tp=8, step=12.3 s\"", p);
        char *end = equals;
        while (end > p && end[-1] == ' ') end--;
        *end = '\0';
        const struct rr_slice v = rr_trim(rr_slice(equals + 1, strlen(equals + 1)));
        RR_TRY(pair(a, p, rr_strndup(a, v.at, v.n), m));
    }
    return RR_OK;
}

static enum rr_status read_log(const char *path, struct rr_notes *notes, struct rr_size_measured *m)
{
    struct rr_train_log log;
    struct rr_layout *l = &m->layout;
    RR_TRY(rr_train_log_read(path, &log));
    if (log.global_batch > 0) l->global_batch = (int32_t)log.global_batch;
    if (log.step_s > 0)
        m->step_s = log.step_s;
    else if (log.samples_s > 0)
        m->step_s = l->global_batch / log.samples_s;
    else
        m->step_s = (double)l->global_batch * l->seq / l->gpus / log.tokens_s_per_gpu;
    if (log.memory_bytes > 0 && m->memory_bytes <= 0) m->memory_bytes = log.memory_bytes, m->of_allocator = true; // words come first
    rr_note(
        notes, RR_NOTE_GIVEN, path, "",
        "%zu steps of a %s log, median %.4g s without %zu of warm-up and %zu after an evaluation or a checkpoint; %zu of the rest are far "
        "from it",
        log.steps, log.format, m->step_s, log.warmup, log.beside, log.outliers);
    if (strcmp(log.format, "progress bar") == 0)
        rr_note(notes, RR_NOTE_WARNING, path, "", "a progress bar's iterations are taken for steps: they may be micro batches");
    return RR_OK;
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
            rr_buf_putf(&b, "tp x pp x cp does not divide %d GPUs", l->gpus);
        const enum rr_status st = rr_fail(RR_EINPUT, "measured: %s", rr_buf_text(&b));
        rr_buf_done(&b);
        return st;
    }
    *l = r.best[0].layout;
    m->predicted_s = r.best[0].step_s;
    m->predicted_bytes = r.best[0].memory_bytes;
    return RR_OK;
}

enum rr_status rr_measured_make(const struct rr_training_run *t, const struct rr_size *s, struct rr_arena *a, struct rr_notes *notes,
                                struct rr_size_measured *ret)
{
    struct rr_size_measured m = {.given = true, .layout = {.zero = -1, .recompute = RR_RECOMPUTE_N}};
    m.layout.gpus = s->search.base.gpus;
    m.layout.global_batch = s->search.base.global_batch;
    m.layout.seq = s->search.base.seq;
    if (t->measured) RR_TRY(read_pairs(t->measured, a, &m));
    if (t->log) RR_TRY(read_log(t->log, notes, &m));
    if (!(m.step_s > 0) && !(m.memory_bytes > 0))
        return rr_fail(RR_EINPUT, "measured: no step time and no memory; such as \"step=12.3 s\" or \"memory=71 GB\" is expected");
    RR_TRY(complete(s, &m));
    *ret = m;
    return RR_OK;
}
