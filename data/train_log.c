/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/train_log.c - numbers behind known words in training logs.
 *
 * A row of `words` is what a framework prints before a number; each has a series of its own, and the one that tells most about the steps is
 * taken: times before rates of samples, those before rates of tokens, then the longest. */
#include "data/train_log.h"
#include "data/base/input.h"
#include "data/base/text.h"
#include "data/train_log_series.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MIB       1048576.0
#define GIB       1073741824.0
#define SIZE(x)   ((enum rr_log_what)(RR_LOG_SIZE + (int)(x)))
#define N_OF(x)   (sizeof(x) / sizeof *(x))
#define MOST_LINE 8192 /* what lies behind it is not looked at */

static const struct rr_log_word words[] = {
    {"megatron", "elapsed time per iteration (ms)", RR_LOG_STEP, 1e-3, false, NULL},
    {"megatron", "elapsed time per iteration (s)", RR_LOG_STEP, 1, false, NULL},
    {"megatron", "global batch size", RR_LOG_BATCH, 1, false, NULL},
    {"megatron", "max allocated", RR_LOG_MEMORY, MIB, false, NULL}, // divided by 1024 x 1024 there
    {"megatron bridge", "Step Time", RR_LOG_STEP, 1, false, "s"},
    {"megatron", "world size", SIZE(RR_LOG_GPUS), 1, false, NULL},
    {"megatron", "world_size", SIZE(RR_LOG_GPUS), 1, false, NULL},
    {"megatron", "seq_length", SIZE(RR_LOG_SEQ), 1, false, NULL},
    {"megatron", "num_layers", SIZE(RR_LOG_LAYERS), 1, false, NULL},
    {"megatron", "hidden_size", SIZE(RR_LOG_HIDDEN), 1, false, NULL},
    {"megatron", "tensor_model_parallel_size", SIZE(RR_LOG_TP), 1, false, NULL},
    {"megatron", "pipeline_model_parallel_size", SIZE(RR_LOG_PP), 1, false, NULL},
    {"megatron", "virtual_pipeline_model_parallel_size", SIZE(RR_LOG_VPP), 1, false, NULL},
    {"megatron", "context_parallel_size", SIZE(RR_LOG_CP), 1, false, NULL},
    {"megatron", "expert_model_parallel_size", SIZE(RR_LOG_EP), 1, false, NULL},
    {"megatron", "micro_batch_size", SIZE(RR_LOG_MICRO_BATCH), 1, false, NULL},
    {"megatron", "data_parallel_size", SIZE(RR_LOG_DP), 1, false, NULL},
    {"megatron", "data-parallel size", SIZE(RR_LOG_DP), 1, false, NULL}, // of the line that begins with "using world size"
    {"megatron", "data-parallel-size", SIZE(RR_LOG_DP), 1, false, NULL},
    {"megatron", "tensor-model-parallel size", SIZE(RR_LOG_TP), 1, false, NULL},
    {"megatron", "Nonetensor-model-parallel size", SIZE(RR_LOG_TP), 1, false, NULL}, // some versions lack the comma
    {"megatron", "pipeline-model-parallel size", SIZE(RR_LOG_PP), 1, false, NULL},
    {"megatron", "context-parallel size", SIZE(RR_LOG_CP), 1, false, NULL},
    {"megatron", "expert-model-parallel size", SIZE(RR_LOG_EP), 1, false, NULL},
    {"deepspeed", "iter time (s)", RR_LOG_STEP, 1, false, NULL},
    {"deepspeed", "CurrSamplesPerSec", RR_LOG_SAMPLES, 1, false, NULL},
    {"deepspeed", "SamplesPerSec", RR_LOG_SAMPLES, 1, false, NULL},
    {"deepspeed", "train_batch_size", RR_LOG_BATCH, 1, false, NULL},
    {"deepspeed", "MaxMemAllocated", RR_LOG_MEMORY, GIB, false, NULL},
    {"deepspeed", "Max_MA", RR_LOG_MEMORY, GIB, false, NULL},
    {"torchtitan", "tps", RR_LOG_TOKENS, 1, false, NULL},
    {"torchtitan", "wps", RR_LOG_TOKENS, 1, false, NULL},
    {"torchtitan", "memory", RR_LOG_MEMORY, GIB, false, "GiB"},
    {"nemo", "train_step_timing in s", RR_LOG_STEP, 1, false, NULL},
    {"nemo", "train_step_timing", RR_LOG_STEP, 1, false, NULL},
    {"nemo", "global_batch_size", RR_LOG_BATCH, 1, false, NULL},
    {"nemo", "max_memory_allocated", RR_LOG_MEMORY, 1, false, NULL},
    {"nemo", "peak_memory_usage", RR_LOG_MEMORY, 1, false, NULL},
    {"composer", "throughput/batches_per_sec", RR_LOG_STEP, 1, true, NULL},
    {"composer", "throughput/samples_per_sec", RR_LOG_SAMPLES, 1, false, NULL},
    {"composer", "memory/peak_allocated_mem", RR_LOG_MEMORY, 1e9, false, NULL},
    {"huggingface", "train_steps_per_second", RR_LOG_STEP, 1, true, NULL},
    {"huggingface", "Total train batch size (w. parallel, distributed & accumulation)", RR_LOG_BATCH, 1, false, NULL},
    {"mlperf", "train_step_time", RR_LOG_STEP, 1, false, NULL},
    {"mlperf", "global_batch_size\", \"value", RR_LOG_BATCH, 1, false, NULL},
};
/* The last resort: what a bar shows is smoothed, and one of its iterations may be a micro batch. */
static const struct rr_log_word bar_seconds = {"progress bar", "s/it", RR_LOG_STEP, 1, false, NULL},
                                bar_rate = {"progress bar", "it/s", RR_LOG_STEP, 1, true, NULL};
static const char *const step_words[] = {"global_step", "iteration", "steps", "step", "[batch"};
static const char *const pauses[] = {"validation loss at",
                                     "validation ",
                                     "Validation",
                                     "evaluat",
                                     "Evaluat",
                                     "eval_",
                                     "Eval ",
                                     "validate step",
                                     "saving checkpoint",
                                     "saved checkpoint",
                                     "Saving a checkpoint",
                                     "Saving the checkpoint",
                                     "Saving model checkpoint",
                                     "Checkpoint saved",
                                     "checkpoint saved",
                                     "Saving checkpoint"};

/* ---- series ---- */

static struct rr_log_series *series_of(struct rr_log_read *r, const struct rr_log_word *word)
{
    for (size_t i = 0; i < r->series.n; i++)
        if (r->series.at[i].word == word) return &r->series.at[i];
    return NULL;
}

bool rr_log_add(struct rr_log_read *r, const struct rr_log_word *word, double v, int64_t step, bool beside)
{
    struct rr_log_series *s = series_of(r, word);
    if (!(v > 0) || !isfinite(v) || (word->over && !isfinite(1 / v))) return word->what > RR_LOG_TOKENS || !s;
    if (!s) {
        rr_vec_push(&r->series, ((struct rr_log_series){.word = word}));
        s = &r->series.at[r->series.n - 1];
    }
    if (step >= 0 && s->list.n > 0 && s->list.at[s->list.n - 1].step == step) return true;
    const struct rr_log_value value = {word->over ? word->unit / v : v * word->unit, step, beside};
    rr_vec_push(&s->list, value);
    return true;
}

void rr_log_done(struct rr_log_read *r)
{
    for (size_t i = 0; i < r->series.n; i++) rr_vec_done(&r->series.at[i].list);
    rr_vec_done(&r->series);
    rr_arena_free(r->arena);
}

/* ---- a line ---- */

static bool in_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* `word` as a whole one; NULL: not there. "encoder-tensor-model-parallel size" is another one than without "encoder-". */
static const char *find_word(const char *line, const char *word)
{
    const bool hyphens = strstr(word, "-parallel") != NULL;
    for (const char *at = line; (at = strstr(at, word)) != NULL; at++)
        if ((at == line || !(in_word(at[-1]) || (hyphens && at[-1] == '-')) || !in_word(*word)) && !in_word(at[strlen(word)])) return at;
    return NULL;
}

static const char *skip_to_number(const char *p)
{
    while (*p && (strchr(" \t:='\"", *p) || (*p == '.' && !isdigit((unsigned char)p[1])))) p++;
    return p;
}

static bool is_thousands(const char *comma)
{
    size_t n = 0;
    while (isdigit((unsigned char)comma[n + 1])) n++;
    return n == 3;
}

/* The number that follows, behind blanks, quotes, ':', '=' and a row of dots; commas before three digits in it. NULL: there is none; else what is
 * behind it. */
static const char *number_after(const char *p, double *ret)
{
    char digits[48];
    size_t n = 0;
    for (p = skip_to_number(p); *p && n + 1 < sizeof digits; p++) {
        const bool sign = (*p == '-' || *p == '+') && (n == 0 || digits[n - 1] == 'e' || digits[n - 1] == 'E');
        const bool exponent = n > 0 && (*p == 'e' || *p == 'E') && (isdigit((unsigned char)p[1]) || p[1] == '-' || p[1] == '+');
        if (*p == ',' && n > 0 && is_thousands(p)) continue;
        if (!isdigit((unsigned char)*p) && !sign && !exponent && !(*p == '.' && isdigit((unsigned char)p[1]))) break;
        digits[n++] = *p;
    }
    return n > 0 && rr_text_double(rr_slice(digits, n), ret) == RR_OK ? p : NULL;
}

/* What stands where the number should, up to a blank or a bracket; a unit may hang on to a number, another digit behind that is damage. */
static size_t token_length(const char *p) { return strcspn(p, " \t,|()[]{}<>;\"'/:=%\\"); }

static bool is_damaged(const struct rr_log_word *w, const char *token, const char *behind)
{
    const bool own_unit = strchr(w->text, '(') != NULL;
    if (!isdigit((unsigned char)*token)) return false;
    if (!behind) return true; // "43.2.4"
    for (size_t n = token_length(behind); n > 0; n--, behind++)
        if (isdigit((unsigned char)*behind) || (own_unit && isalpha((unsigned char)*behind))) return true;
    return own_unit && *behind == ',' && isdigit((unsigned char)behind[1]);
}

static int64_t step_of(const char *line)
{
    for (size_t i = 0; i < N_OF(step_words); i++) {
        double v;
        const char *at = find_word(line, step_words[i]);
        if (at && number_after(at + strlen(step_words[i]), &v) && v >= 0 && v < 1e15) return (int64_t)v;
    }
    return -1;
}

static bool begins(const char *p, const char *with) { return strncmp(p, with, strlen(with)) == 0; }

struct text {
    struct rr_log_read *r;
    int64_t batch; /* of Composer, which prints its number on a line of its own; -1 = none */
    bool beside;   /* a pause since the last step */
    bool cut;      /* the line ends where the file does, without a newline */
};

/* "10.82s/it" or "1.48it/s" inside "[...]". */
static void read_bar(struct text *t, const char *line, int64_t step)
{
    const char *open = strchr(line, '|') ? strrchr(line, '[') : NULL, *unit = open ? strstr(open, "s/it") : NULL;
    const struct rr_log_word *word = &bar_seconds;
    double v;
    if (open && !unit) unit = strstr(open, "it/s"), word = &bar_rate;
    if (!unit || unit == open) return;
    const char *from = unit;
    while (from > open + 1 && (isdigit((unsigned char)from[-1]) || from[-1] == '.')) from--;
    if (number_after(from, &v) == unit) (void)rr_log_add(t->r, word, v, step, t->beside);
}

static bool is_pause(const char *line)
{
    for (size_t i = 0; i < N_OF(pauses); i++)
        if (strstr(line, pauses[i])) return true;
    return false;
}

/* A word of a step with its unit has no other use than before a number. */
static bool needs_number(const struct rr_log_word *w) { return w->what == RR_LOG_STEP && strchr(w->text, '(') != NULL; }

static void refuse(struct text *t, const struct rr_log_word *w, const char *token, const char *why)
{
    struct rr_log_read *r = t->r;
    if (r->bad_line) return;
    r->bad_line = r->lines;
    const size_t n = strcspn(token, " \t|");
    r->bad = rr_strf(r->arena, "\"%s\" %s \"%.*s\"", w->text, why, n < 40 ? (int)n : 40, token);
}

/* A number behind a word, or why there is none. true: one of a step was taken. */
static bool take_word(struct text *t, const struct rr_log_word *w, const char *after, int64_t step)
{
    double v;
    const char *token = skip_to_number(after), *behind = number_after(after, &v);
    if (w->behind && (!behind || !begins(behind, w->behind))) {
        const size_t n = token_length(token), unit = strlen(w->behind);
        if (isdigit((unsigned char)*token) && n > unit && begins(token + n - unit, w->behind))
            refuse(t, w, token, "with a damaged number:");
        return false;
    }
    if (t->cut && (!behind || *behind == '\0') && (!behind || series_of(t->r, w))) return false;
    if (!w->behind && is_damaged(w, token, behind))
        refuse(t, w, token, "with a damaged number:");
    else if (!behind && needs_number(w))
        refuse(t, w, token, "without a number behind it, but");
    if (!behind) return false;
    if (!rr_log_add(t->r, w, v, step, t->beside)) refuse(t, w, token, "is more than 0 in each step, not");
    return w->what <= RR_LOG_TOKENS;
}

static void read_line(struct text *t, const char *line)
{
    const char *batch = strstr(line, "[batch=");
    int64_t step = step_of(line);
    bool stepped = false;
    if (batch) t->batch = step;
    if (step < 0) step = t->batch;
    for (size_t i = 0; i < N_OF(words); i++) {
        const char *at = find_word(line, words[i].text);
        if (at) stepped |= take_word(t, &words[i], at + strlen(words[i].text), step);
    }
    if (stepped)
        t->beside = false;
    else if (is_pause(line))
        t->beside = true;
    else
        read_bar(t, line, step);
}

/* Without colours ("\033[31m"). */
static void copy_plain(const char *from, size_t n, char *to)
{
    size_t k = 0;
    for (size_t i = 0; i < n && k + 1 < MOST_LINE; i++) {
        if (from[i] == '\033') {
            while (i < n && !isalpha((unsigned char)from[i])) i++;
            continue;
        }
        to[k++] = from[i] == '\0' ? ' ' : from[i];
    }
    to[k] = '\0';
}

/* A bar redraws its line behind a carriage return: each drawing is a line here. */
static void read_text(const char *text, size_t n, struct rr_log_read *r)
{
    struct text t = {.r = r, .batch = -1};
    char line[MOST_LINE];
    for (size_t i = 0; i < n;) {
        size_t end = i;
        while (end < n && text[end] != '\n' && text[end] != '\r') end++;
        r->lines += i == 0 || text[i - 1] == '\n';
        copy_plain(text + i, end - i, line);
        t.cut = end == n;
        read_line(&t, line);
        i = end + 1;
    }
}

/* ---- what they say ---- */

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_of(double *at, size_t n)
{
    if (n == 0) return 0;
    qsort(at, n, sizeof *at, by_size);
    return n % 2 ? at[n / 2] : (at[n / 2 - 1] + at[n / 2]) / 2;
}

static size_t warmup_of(size_t n) { return n >= 5 ? (n + 9) / 10 > 2 ? (n + 9) / 10 : 2 : n > 2 ? 1 : 0; }

/* Median without warm-up, without steps before `from` and without steps beside a pause, unless nothing else is left. */
static double usual(const struct rr_log_series *s, int64_t from, struct rr_train_log *ret)
{
    size_t first = 0, k = 0;
    while (first + 1 < s->list.n && s->list.at[first].step >= 0 && s->list.at[first].step < from) first++;
    const size_t n = s->list.n - first, skip = first + warmup_of(n);
    double *at = rr_xrealloc(NULL, n, sizeof *at);
    for (size_t i = skip; i < s->list.n; i++)
        if (!s->list.at[i].beside) at[k++] = s->list.at[i].v;
    const size_t beside = s->list.n - skip - k;
    for (size_t i = skip; k == 0 && i < s->list.n; i++) at[i - skip] = s->list.at[i].v;
    if (k == 0) k = s->list.n - skip;
    const double m = median_of(at, k);
    if (ret) {
        ret->steps = n, ret->smaller = first, ret->warmup = skip - first;
        ret->beside = beside < s->list.n - skip ? beside : 0, ret->outliers = 0;
        for (size_t i = 0; i < k; i++) ret->outliers += at[i] > 1.5 * m || at[i] < m / 1.5;
        ret->used = k;
        for (size_t i = 0; i < k; i++) at[i] = fabs(at[i] - m);
        ret->spread = 1.4826 * median_of(at, k) / m;
    }
    free(at);
    return m;
}

static const struct rr_log_series *longest(const struct rr_log_read *r, enum rr_log_what what, bool bars)
{
    const struct rr_log_series *best = NULL;
    for (size_t i = 0; i < r->series.n; i++) {
        const struct rr_log_series *s = &r->series.at[i];
        const bool bar = s->word == &bar_seconds || s->word == &bar_rate;
        if (s->word->what == what && bar == bars && (!best || s->list.n > best->list.n)) best = s;
    }
    return best;
}

static const struct rr_log_series *chosen(const struct rr_log_read *r)
{
    for (int what = RR_LOG_STEP; what <= RR_LOG_TOKENS; what++) {
        const struct rr_log_series *s = longest(r, (enum rr_log_what)what, false);
        if (s) return s;
    }
    return longest(r, RR_LOG_STEP, true);
}

static double most_of(const struct rr_log_read *r, enum rr_log_what what)
{
    double most = 0;
    for (size_t i = 0; i < r->series.n; i++)
        for (size_t k = 0; r->series.at[i].word->what == what && k < r->series.at[i].list.n; k++)
            most = fmax(most, r->series.at[i].list.at[k].v);
    return most;
}

/* What a dump of arguments says, where it says one number. */
static int64_t size_of(const struct rr_log_read *r, enum rr_log_size which)
{
    double v = 0;
    for (size_t i = 0; i < r->series.n; i++)
        for (size_t k = 0; r->series.at[i].word->what == SIZE(which) && k < r->series.at[i].list.n; k++) {
            const double next = r->series.at[i].list.at[k].v;
            if ((v > 0 && next != v) || next != floor(next) || next > 1e9) return 0;
            v = next;
        }
    return (int64_t)v;
}

/* The last one said: it grows at first. Or what times and rates of samples make of it. */
static double batch_of(const struct rr_log_read *r)
{
    const struct rr_log_series *said = longest(r, RR_LOG_BATCH, false), *step = longest(r, RR_LOG_STEP, false),
                               *samples = longest(r, RR_LOG_SAMPLES, false);
    if (said) return said->list.at[said->list.n - 1].v;
    if (!step || !samples || strcmp(step->word->format, samples->word->format) != 0) return 0;
    return floor(usual(step, 0, NULL) * usual(samples, 0, NULL) + 0.5);
}

/* The step from which on the batch is the last one said: it may have grown before. */
static int64_t whole_from(const struct rr_log_read *r)
{
    const struct rr_log_series *said = longest(r, RR_LOG_BATCH, false);
    if (!said) return 0;
    size_t i = said->list.n - 1;
    while (i > 0 && said->list.at[i - 1].v == said->list.at[i].v) i--;
    return i > 0 ? said->list.at[i].step : 0;
}

static enum rr_status tell(const char *path, const struct rr_log_read *r, struct rr_train_log *ret)
{
    const struct rr_log_series *s = chosen(r);
    if (r->bad_line) return rr_fail(RR_EINPUT, "%s:%lld: %s", path, (long long)r->bad_line, r->bad);
    if (!s)
        return rr_fail(
            RR_EINPUT,
            "%s: no step times in %lld lines; looked for \"elapsed time per iteration (ms):\" (Megatron), \"CurrSamplesPerSec=\" and "
            "\"iter time (s):\" (DeepSpeed), \"tps:\" (torchtitan), \"train_step_timing in s\" (NeMo), \"throughput/batches_per_sec:\" "
            "(Composer), \"train_steps_per_second\" (Hugging Face, its trainer_state.json), \"train_step_time\" (MLPerf), a progress "
            "bar's \"s/it\", or a .csv with step_time_s, samples_per_s or tokens_per_s_per_gpu",
            path, (long long)r->lines);
    *ret = (struct rr_train_log){.format = s->word->format, .global_batch = batch_of(r), .memory_bytes = most_of(r, RR_LOG_MEMORY)};
    double *const to[] = {&ret->step_s, &ret->samples_s, &ret->tokens_s_per_gpu};
    *to[s->word->what] = usual(s, whole_from(r), ret);
    ret->average = strcmp(s->word->format, "huggingface") == 0;
    for (int i = 0; i < RR_LOG_SIZES; i++) ret->size[i] = size_of(r, (enum rr_log_size)i);
    return RR_OK;
}

static bool ends_in(const char *path, const char *end)
{
    const size_t n = strlen(path), m = strlen(end);
    return n >= m && strcmp(path + n - m, end) == 0;
}

static enum rr_status read_any(const char *path, struct rr_log_read *r)
{
    struct rr_input *in = NULL;
    char *text = NULL;
    size_t n = 0;
    if (ends_in(path, ".csv") || ends_in(path, ".csv.gz")) return rr_log_read_csv(path, r);
    if (ends_in(path, ".json")) return rr_log_read_json(path, r);
    RR_TRY(rr_input_open(path, &in));
    const enum rr_status st = rr_input_all(in, (size_t)1 << 30, &text, &n);
    rr_input_close(in);
    if (st == RR_OK) read_text(text, n, r);
    free(text);
    return st;
}

enum rr_status rr_train_log_read(const char *path, struct rr_train_log *ret)
{
    struct rr_log_read r = {.arena = rr_arena_create()};
    enum rr_status st = read_any(path, &r);
    if (st == RR_OK) st = tell(path, &r, ret);
    rr_log_done(&r);
    return st;
}
