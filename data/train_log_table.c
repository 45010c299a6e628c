/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/train_log_table.c - training logs as tables: a CSV by the names of its columns, the trainer's JSON of Hugging Face. */
#include "data/base/csv.h"
#include "data/base/json.h"
#include "data/train_log_series.h"
#include <ctype.h>
#include <math.h>
#include <string.h>

#define N_OF(x) (sizeof(x) / sizeof *(x))

/* ---- columns ---- */

/* The name without its unit, in small letters, '_' for all that is neither letter nor digit. */
static const struct name {
    const char *text;
    enum rr_log_what what;
    bool over;       /* steps a second */
    bool needs_unit; /* a time or a size that does not say which is refused */
} names[] = {
    {"step_time", RR_LOG_STEP, false, true},
    {"step_timing", RR_LOG_STEP, false, true},
    {"train_step_timing", RR_LOG_STEP, false, true},
    {"train_step_timing_in", RR_LOG_STEP, false, true},
    {"iteration_time", RR_LOG_STEP, false, true},
    {"iter_time", RR_LOG_STEP, false, true},
    {"elapsed_time_per_iteration", RR_LOG_STEP, false, true},
    {"time_per_iteration", RR_LOG_STEP, false, true},
    {"time_per_step", RR_LOG_STEP, false, true},
    {"batch_time", RR_LOG_STEP, false, true},
    {"throughput_batches_per_sec", RR_LOG_STEP, true, false},
    {"batches_per_sec", RR_LOG_STEP, true, false},
    {"steps_per_second", RR_LOG_STEP, true, false},
    {"train_steps_per_second", RR_LOG_STEP, true, false},
    {"steps_per_s", RR_LOG_STEP, true, false},
    {"samples_per_s", RR_LOG_SAMPLES, false, false},
    {"samples_per_sec", RR_LOG_SAMPLES, false, false},
    {"samples_per_second", RR_LOG_SAMPLES, false, false},
    {"throughput_samples_per_sec", RR_LOG_SAMPLES, false, false},
    {"tokens_per_s_per_gpu", RR_LOG_TOKENS, false, false},
    {"tokens_per_sec_per_gpu", RR_LOG_TOKENS, false, false},
    {"tokens_per_second_per_gpu", RR_LOG_TOKENS, false, false},
    {"throughput_device_tokens_per_sec", RR_LOG_TOKENS, false, false},
    {"throughput_tps", RR_LOG_TOKENS, false, false}, // torchtitan: throughput(tps)
    {"global_batch", RR_LOG_BATCH, false, false},
    {"global_batch_size", RR_LOG_BATCH, false, false},
    {"memory", RR_LOG_MEMORY, false, true},
    {"peak_memory", RR_LOG_MEMORY, false, true},
    {"max_memory", RR_LOG_MEMORY, false, true},
    {"memory_max_reserved", RR_LOG_MEMORY, false, true},
    {"memory_max_active", RR_LOG_MEMORY, false, true},
    {"memory_peak_allocated_mem", RR_LOG_MEMORY, false, true},
};
static const struct unit {
    const char *text;
    enum rr_log_what what;
    double unit;
} units[] = {
    {"ms", RR_LOG_STEP, 1e-3},   {"s", RR_LOG_STEP, 1},
    {"sec", RR_LOG_STEP, 1},     {"seconds", RR_LOG_STEP, 1},
    {"us", RR_LOG_STEP, 1e-6},   {"min", RR_LOG_STEP, 60},
    {"gb", RR_LOG_MEMORY, 1e9},  {"gib", RR_LOG_MEMORY, 1073741824.0},
    {"mb", RR_LOG_MEMORY, 1e6},  {"mib", RR_LOG_MEMORY, 1048576.0},
    {"bytes", RR_LOG_MEMORY, 1}, {"b", RR_LOG_MEMORY, 1},
};

enum { MOST_COLUMNS = 4096, NAME = 128 };

struct column {
    struct rr_log_word word;
    const char *shown;
};
struct table {
    const char *path;
    struct rr_arena *a;
    struct rr_log_read *r;
    struct column *column; /* [n] word.text NULL: of no use */
    size_t n;
    int step, runtime; /* "_step", "_runtime": time per step as their differences; -1 = none */
    double last_step, last_runtime;
};

/* "run-7 - Perf/Step time (ms)" -> "perf_step_time_ms". Weights & Biases puts the run before " - ". */
static void normal(struct rr_slice head, char to[NAME])
{
    size_t n = 0, from = 0;
    for (size_t i = 0; i + 3 <= head.n; i++)
        if (memcmp(head.at + i, " - ", 3) == 0) from = i + 3;
    for (size_t i = from; i < head.n && n + 1 < NAME; i++) {
        const unsigned char c = (unsigned char)head.at[i];
        if (isalnum(c))
            to[n++] = (char)tolower(c);
        else if (n > 0 && to[n - 1] != '_')
            to[n++] = '_';
    }
    while (n > 0 && to[n - 1] == '_') n--;
    to[n] = '\0';
}

static bool named(const char *name, const char *known)
{
    static const char *const prefix[] = {"", "train_", "perf_", "time_metrics_", "throughput_", "timers_"};
    for (size_t i = 0; i < N_OF(prefix); i++) {
        const size_t n = strlen(prefix[i]);
        if (strncmp(name, prefix[i], n) == 0 && strcmp(name + n, known) == 0) return true;
    }
    return false;
}

/* Cuts a unit of its kind off the end of a name. */
static const struct unit *unit_of(char *name, enum rr_log_what what)
{
    char *last = strrchr(name, '_');
    for (size_t i = 0; last && i < N_OF(units); i++) {
        if (units[i].what != what || strcmp(last + 1, units[i].text) != 0) continue;
        *last = '\0';
        return &units[i];
    }
    return NULL;
}

static const struct name *name_of(const char *text, const struct unit **unit)
{
    for (size_t i = 0; i < N_OF(names); i++) {
        char cut[NAME];
        strcpy(cut, text);
        *unit = names[i].needs_unit ? unit_of(cut, names[i].what) : NULL;
        if (named(cut, names[i].text)) return &names[i];
    }
    return NULL;
}

static enum rr_status take_column(struct table *t, size_t i, struct rr_slice head, int64_t line)
{
    char text[NAME];
    const struct unit *unit;
    struct column *c = &t->column[i];
    normal(head, text);
    c->shown = rr_strndup(t->a, head.at, head.n);
    if (strcmp(text, "step") == 0) t->step = (int)i;
    if (strcmp(text, "_runtime") == 0 || strcmp(text, "runtime") == 0) t->runtime = (int)i;
    const struct name *n = name_of(text, &unit);
    if (!n || strstr(c->shown, "__MIN") || strstr(c->shown, "__MAX")) return RR_OK;
    if (n->needs_unit && !unit)
        return rr_fail(RR_EINPUT, "%s:%lld: the column \"%s\" has no unit in its name; such as %s is expected", t->path, (long long)line,
                       c->shown, n->what == RR_LOG_MEMORY ? "memory_gb" : "step_time_s or \"step time (ms)\"");
    for (size_t k = 0; k < i && n->what <= RR_LOG_TOKENS; k++)
        if (t->column[k].word.text && t->column[k].word.what == n->what && strcmp(t->column[k].word.format, n->text) == 0)
            return rr_fail(RR_EINPUT, "%s:%lld: two columns say the same, \"%s\" and \"%s\": leave one run in the file", t->path,
                           (long long)line, t->column[k].shown, c->shown);
    c->word = (struct rr_log_word){n->text, c->shown, n->what, unit ? unit->unit : 1, n->over, NULL};
    return RR_OK;
}

static enum rr_status take_head(struct table *t, const struct rr_csv_row *row)
{
    t->n = row->n < MOST_COLUMNS ? row->n : MOST_COLUMNS;
    t->column = RR_NEWS(t->a, struct column, t->n + 1);
    for (size_t i = 0; i < t->n; i++) RR_TRY(take_column(t, i, rr_trim(row->cell[i]), row->line));
    for (size_t i = 0; i < t->n; i++) t->column[i].word.format = "csv";
    return RR_OK;
}

/* Empty cells and NaN are steps at which it was not logged. */
static bool is_there(const struct rr_csv_row *row, int at)
{
    if (at < 0 || (size_t)at >= row->n) return false;
    const struct rr_slice s = rr_trim(row->cell[at]);
    return s.n > 0 && !rr_slice_is(s, "NaN") && !rr_slice_is(s, "nan") && !rr_slice_is(s, "null");
}

static enum rr_status cell(const struct table *t, const struct rr_csv_row *row, int at, double *ret)
{
    const enum rr_status st = rr_text_double(rr_trim(row->cell[at]), ret);
    return st == RR_OK ? st : rr_fail_in(st, "%s:%lld: %s", t->path, (long long)row->line, t->column[at].shown);
}

static enum rr_status take_row(struct table *t, const struct rr_csv_row *row)
{
    static const struct rr_log_word between = {"csv", "_runtime", RR_LOG_STEP, 1, false, NULL};
    double v, step = -1;
    if (is_there(row, t->step)) RR_TRY(cell(t, row, t->step, &step));
    for (size_t i = 0; i < t->n; i++) {
        if (!t->column[i].word.text || !is_there(row, (int)i)) continue;
        RR_TRY(cell(t, row, (int)i, &v));
        const bool time = t->column[i].word.what == RR_LOG_STEP && !t->column[i].word.over;
        if (!rr_log_add(t->r, &t->column[i].word, v, -1, false) || (time && v <= 0))
            return rr_fail(RR_EINPUT, "%s:%lld: %s: %g; more than 0 is expected of each step", t->path, (long long)row->line,
                           t->column[i].shown, v);
    }
    if (step < 0 || !is_there(row, t->runtime)) return RR_OK;
    RR_TRY(cell(t, row, t->runtime, &v));
    if (step > t->last_step && t->last_step >= 0 && v > t->last_runtime)
        (void)rr_log_add(t->r, &between, (v - t->last_runtime) / (step - t->last_step), -1, false);
    t->last_step = step, t->last_runtime = v;
    return RR_OK;
}

enum rr_status rr_log_read_csv(const char *path, struct rr_log_read *ret)
{
    struct rr_csv *c = NULL;
    struct rr_csv_row row;
    struct table t = {.path = path, .a = ret->arena, .r = ret, .step = -1, .runtime = -1, .last_step = -1};
    enum rr_status st;
    RR_GO(rr_csv_open(path, (struct rr_csv_options){0}, &c));
    RR_GO(rr_csv_next(c, &row));
    RR_GO(take_head(&t, &row));
    for (;;) {
        RR_GO(rr_csv_next(c, &row));
        if (row.n == 0) break;
        ret->lines = row.line;
        RR_GO(take_row(&t, &row));
    }
out:
    if (c) rr_csv_close(c);
    return st;
}

/* ---- Hugging Face ---- */

static double number_of(const cJSON *o, const char *key)
{
    const cJSON *m = rr_json_member(o, key);
    return cJSON_IsNumber(m) ? m->valuedouble : 0;
}

/* The trainer's last entry has the time of the whole run, evaluations included: these are taken off. */
static void take_entry(const cJSON *e, double evaluations_s, struct rr_log_read *r)
{
    static const struct rr_log_word whole = {"huggingface", "train_runtime", RR_LOG_STEP, 1, false, NULL},
                                    rate = {"huggingface", "train_steps_per_second", RR_LOG_STEP, 1, true, NULL},
                                    samples = {"huggingface", "train_samples_per_second", RR_LOG_SAMPLES, 1, false, NULL};
    const double s = number_of(e, "train_runtime"), steps_s = number_of(e, "train_steps_per_second"),
                 samples_s = number_of(e, "train_samples_per_second");
    if (!(steps_s > 0)) return;
    const double training_s = s - evaluations_s, steps = number_of(e, "step");
    if (steps > 0 && training_s > 0)
        (void)rr_log_add(r, &whole, training_s / steps, -1, false);
    else
        (void)rr_log_add(r, &rate, steps_s, -1, false);
    (void)rr_log_add(r, &samples, samples_s * (training_s > 0 && s > 0 ? s / training_s : 1), -1, false);
}

enum rr_status rr_log_read_json(const char *path, struct rr_log_read *ret)
{
    struct rr_json *json = rr_json_create();
    cJSON *root = NULL;
    const cJSON *e;
    double evaluations_s = 0;
    const enum rr_status st = rr_json_read(json, path, &root);
    const cJSON *history = st == RR_OK && cJSON_IsObject(root) ? rr_json_member(root, "log_history") : NULL;
    cJSON_ArrayForEach(e, history) evaluations_s += fmax(0, number_of(e, "eval_runtime"));
    cJSON_ArrayForEach(e, history) take_entry(e, evaluations_s, ret);
    if (st == RR_OK && cJSON_IsObject(root) && !history) take_entry(root, 0, ret); // train_results.json
    cJSON_Delete(root);
    rr_json_free(json);
    return st;
}
