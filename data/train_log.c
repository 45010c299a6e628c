/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/train_log.c - numbers behind known words in training logs.
 *
 * A row of `words` is what a framework prints before a number. The first word of steps or rates that is found tells the framework. Terminal
 * colours between word and number are passed over. */
#include "data/train_log.h"
#include "data/base/csv.h"
#include "data/base/json.h"
#include "data/base/vec.h"
#include <stdlib.h>
#include <string.h>

enum what { STEP, SAMPLES, TOKENS, BATCH, MEMORY, WHATS };
static const struct word {
    const char *format, *text;
    enum what what;
    double unit; /* of what: s, 1/s, sequences, bytes */
} words[] = {
    {"megatron", "elapsed time per iteration (ms):", STEP, 1e-3},
    {"megatron", "global batch size:", BATCH, 1},
    {"megatron", "max allocated:", MEMORY, 1048576}, // divided by 1024 x 1024 there
    {"deepspeed", "iter time (s):", STEP, 1},
    {"deepspeed", "CurrSamplesPerSec=", SAMPLES, 1},
    {"deepspeed", "MaxMemAllocated=", MEMORY, 1073741824.0},
    {"torchtitan", "tps:", TOKENS, 1},
    {"torchtitan", "memory:", MEMORY, 1073741824.0},
    {"nemo", "train_step_timing in s:", STEP, 1},
    {"nemo", "train_step_timing in s=", STEP, 1},
    {"nemo", "train_step_timing=", STEP, 1},
};
static const struct word columns[] = {
    {"csv", "step_time_s", STEP, 1},   {"csv", "samples_per_s", SAMPLES, 1}, {"csv", "tokens_per_s_per_gpu", TOKENS, 1},
    {"csv", "global_batch", BATCH, 1}, {"csv", "memory_gb", MEMORY, 1e9},
};

struct gathered {
    const char *format;
    RR_VEC(double) v[WHATS];
};

static void gather(struct gathered *g, const struct word *w, double v)
{
    if (!(v > 0)) return;
    if (w->what == STEP || w->what == SAMPLES || w->what == TOKENS) {
        if (g->format && strcmp(g->format, w->format) != 0) return;
        g->format = w->format;
    }
    rr_vec_push(&g->v[w->what], v * w->unit);
}

/* The number that follows: blanks and colours before it, commas inside it. false: there is none. */
static bool number_after(const char *p, double *ret)
{
    char digits[40];
    size_t n = 0;
    for (;;) {
        while (*p == ' ' || *p == '\t') p++;
        if (*p != '\033') break;
        while (*p && *p != 'm') p++;
        if (*p) p++;
    }
    for (; n + 1 < sizeof digits && ((*p >= '0' && *p <= '9') || strchr(".,eE+-", *p)) && *p; p++)
        if (*p != ',') digits[n++] = *p;
    while (n > 0 && (digits[n - 1] == '.' || digits[n - 1] == '-' || digits[n - 1] == '+')) n--;
    return rr_text_double(rr_slice(digits, n), ret) == RR_OK;
}

static void read_text(const char *text, struct gathered *g)
{
    for (const char *line = text; *line;) {
        const size_t n = strcspn(line, "\n");
        for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
            const char *at = memmem(line, n, words[i].text, strlen(words[i].text));
            double v;
            if (at && number_after(at + strlen(words[i].text), &v)) gather(g, &words[i], v);
        }
        line += n + (line[n] == '\n');
    }
}

static enum rr_status read_csv(const char *path, struct gathered *g)
{
    struct rr_csv *c = NULL;
    struct rr_csv_row row;
    int at[sizeof columns / sizeof *columns];
    enum rr_status st;
    RR_TRY(rr_csv_open(path, (struct rr_csv_options){0}, &c));
    RR_GO(rr_csv_next(c, &row));
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) at[i] = rr_csv_find(&row, columns[i].text);
    for (;;) {
        RR_GO(rr_csv_next(c, &row));
        if (row.n == 0) break;
        for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
            double v;
            if (at[i] < 0 || (size_t)at[i] >= row.n || rr_trim(row.cell[at[i]]).n == 0) continue;
            st = rr_text_double(rr_trim(row.cell[at[i]]), &v);
            if (st != RR_OK) {
                st = rr_fail_in(st, "%s:%lld: %s", path, (long long)row.line, columns[i].text);
                goto out;
            }
            gather(g, &columns[i], v);
        }
    }
out:
    rr_csv_close(c);
    return st;
}

/* The trainer's last entry has the rate of the whole run. */
static enum rr_status read_state(const char *path, struct gathered *g)
{
    static const struct word rate = {"huggingface", "train_steps_per_second", STEP, 1};
    struct rr_json *json = rr_json_create();
    cJSON *root = NULL;
    const cJSON *e;
    const enum rr_status st = rr_json_read(json, path, &root);
    const cJSON *history = st == RR_OK ? rr_json_member(root, "log_history") : NULL;
    cJSON_ArrayForEach(e, history)
    {
        const cJSON *m = rr_json_member(e, rate.text);
        if (cJSON_IsNumber(m) && m->valuedouble > 0) gather(g, &rate, 1 / m->valuedouble);
    }
    cJSON_Delete(root);
    rr_json_free(json);
    return st;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Without the first, which loads and compiles, where there are others. */
static double median(struct gathered *g, enum what w)
{
    const size_t n = g->v[w].n, skip = n > 2 ? 1 : 0;
    double *at = g->v[w].at;
    if (n == 0) return 0;
    qsort(at + skip, n - skip, sizeof *at, by_size);
    const size_t k = n - skip;
    return k % 2 ? at[skip + k / 2] : (at[skip + k / 2 - 1] + at[skip + k / 2]) / 2;
}

static bool ends_in(const char *path, const char *end)
{
    const size_t n = strlen(path), m = strlen(end);
    return n >= m && strcmp(path + n - m, end) == 0;
}

static enum rr_status read_any(const char *path, struct gathered *g)
{
    struct rr_input *in = NULL;
    char *text = NULL;
    size_t n;
    if (ends_in(path, ".csv")) return read_csv(path, g);
    if (ends_in(path, ".json")) return read_state(path, g);
    RR_TRY(rr_input_open(path, &in));
    const enum rr_status st = rr_input_all(in, (size_t)1 << 30, &text, &n);
    rr_input_close(in);
    if (st == RR_OK) read_text(text, g);
    free(text);
    return st;
}

enum rr_status rr_train_log_read(const char *path, struct rr_train_log *ret)
{
    struct gathered g = {0};
    enum rr_status st = read_any(path, &g);
    if (st == RR_OK && !g.format)
        st = rr_fail(
            RR_EINPUT,
            "%s: no step times: lines of Megatron, DeepSpeed, torchtitan or NeMo, a trainer_state.json of a finished run, or a CSV with "
            "step_time_s, samples_per_s or tokens_per_s_per_gpu are expected",
            path);
    if (st == RR_OK) {
        const size_t steps = g.v[STEP].n, samples = g.v[SAMPLES].n, tokens = g.v[TOKENS].n;
        double most = 0;
        for (size_t i = 0; i < g.v[MEMORY].n; i++)
            if (g.v[MEMORY].at[i] > most) most = g.v[MEMORY].at[i];
        *ret = (struct rr_train_log){.format = g.format, .steps = steps ? steps : samples ? samples : tokens, .memory_bytes = most};
        ret->step_s = median(&g, STEP);
        ret->samples_s = median(&g, SAMPLES);
        ret->tokens_s_per_gpu = median(&g, TOKENS);
        ret->global_batch = g.v[BATCH].n ? g.v[BATCH].at[g.v[BATCH].n - 1] : 0;
    }
    for (int i = 0; i < WHATS; i++) rr_vec_done(&g.v[i]);
    return st;
}
