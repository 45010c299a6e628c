/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/train_rows.c - reads the tables of published measurements. */
#include "data/train_rows.h"
#include "data/base/csv.h"
#include "data/names.h"
#include <stdlib.h>
#include <string.h>

enum cell_type { TEXT, REAL, COUNT, STAGE, OOM, FLAG };
struct column {
    const char *name;
    enum cell_type type;
    size_t at;
    bool needed;
};
#define C(name, type, field, needed)                             \
    {                                                            \
        name, type, offsetof(struct rr_train_row, field), needed \
    }
/* needed: without it a row could mean many things. What else is missing is as an empty cell. */
#define SHARED                                                                                                                  \
    C("tp", COUNT, tp, true), C("pp", COUNT, pp, true), C("dp", COUNT, dp, false), C("micro_batch", COUNT, micro_batch, false), \
        C("seq_len", COUNT, seq_len, true)
#define PLACED                                                                                                                             \
    C("source", TEXT, source, false), C("model", TEXT, model, true), C("layers", COUNT, layers, false), C("hidden", COUNT, hidden, false), \
        C("heads", COUNT, heads, false), C("ffn_hidden", COUNT, ffn_hidden, false), C("vocab", COUNT, vocab, false),                       \
        C("gpu", TEXT, gpu, true), C("gpus", COUNT, gpus, true), C("zero_stage", STAGE, zero_stage, false),                                \
        C("precision", TEXT, precision, false), C("recompute", TEXT, recompute, false), C("notes", TEXT, notes, false)

static const struct column times[] = {
    SHARED,
    PLACED,
    C("params_b", REAL, params_b, false),
    C("kv_heads", COUNT, kv_heads, false),
    C("gpus_per_node", COUNT, gpus_per_node, false),
    C("vpp", COUNT, vpp, false),
    C("ep", COUNT, ep, false),
    C("cp", COUNT, cp, false),
    C("global_batch", COUNT, global_batch, true),
    C("iter_time_s", REAL, iter_time_s, false),
    C("tokens_per_s_per_gpu", REAL, tokens_per_s_gpu, false),
    C("tflops_per_gpu", REAL, tflops_gpu, false),
    C("mfu", REAL, mfu, false),
    C("time_to_train_h", REAL, time_to_train_h, false),
};
static const struct column memory[] = {
    SHARED,
    PLACED,
    C("peak_mem_gb", REAL, peak_mem_gb, false),
    C("oom", OOM, oom, false),
};
static const struct column mlperf[] = {
    SHARED,
    C("round", TEXT, source, true),
    C("benchmark", TEXT, model, true),
    C("accelerator", TEXT, gpu, true),
    C("accelerators_per_node", COUNT, gpus_per_node, true),
    C("count", COUNT, gpus, true),
    C("minutes", REAL, minutes, false),
    C("global_batch", COUNT, global_batch, true),
    C("vpp", COUNT, vpp, true),
    C("cp", COUNT, cp, true),
    C("fp8", FLAG, precision, true),
    C("fp4", FLAG, recompute, true), // read into a spare field, see mlperf_finish()
    C("iter_time_s", REAL, iter_time_s, false),
    C("samples_to_target", REAL, samples_to_target, false),
    C("eval_count_per_run", REAL, evaluations, false),
    C("eval_s", REAL, evaluation_s, false),
    C("layout_source", TEXT, notes, true),
};
#define MOST 40

struct kind {
    enum rr_train_table table;
    const char *telling[3]; /* columns that no table above has: one of them is there */
    const struct column *column;
    size_t n;
};
static const struct kind kinds[] = {
    {RR_TRAIN_MEMORY, {"peak_mem_gb", "oom"}, memory, sizeof memory / sizeof *memory},
    {RR_TRAIN_MLPERF, {"samples_to_target", "benchmark"}, mlperf, sizeof mlperf / sizeof *mlperf},
    {RR_TRAIN_TIMES, {"tokens_per_s_per_gpu", "iter_time_s", "tflops_per_gpu"}, times, sizeof times / sizeof *times},
};

static enum rr_status oom_read(struct rr_slice s, enum rr_train_oom *ret)
{
    static const char *const word[] = {"", "no", "yes", "crashed or oom", "computed"};
    for (int i = 0; i < 5; i++)
        if (rr_slice_is(s, word[i])) {
            *ret = (enum rr_train_oom)i;
            return RR_OK;
        }
    return rr_fail(RR_EINPUT, "\"%.*s\" is none of no, yes, crashed or oom, computed", (int)s.n, s.at);
}

static enum rr_status cell_read(const struct column *col, struct rr_slice s, struct rr_arena *a, char *row)
{
    void *field = row + col->at;
    int64_t v = 0;
    switch (col->type) {
    case TEXT:
    case FLAG: *(const char **)field = rr_strndup(a, s.at, s.n); return RR_OK;
    case OOM: return oom_read(s, field);
    case REAL:
        if (s.n == 0) return RR_OK;
        RR_TRY(rr_text_double(s, field));
        return *(double *)field >= 0 ? RR_OK : rr_fail(RR_EINPUT, "%.*s is below 0", (int)s.n, s.at);
    case STAGE:
        *(int32_t *)field = -1;
        if (s.n == 0) return RR_OK;
        RR_TRY(rr_text_i64(s, &v));
        if (v < 0 || v > 3) return rr_fail(RR_EINPUT, "%.*s is no ZeRO stage, 0 to 3", (int)s.n, s.at);
        break;
    case COUNT:
        if (s.n == 0) return RR_OK;
        RR_TRY(rr_text_i64(s, &v));
        if (v < 1 || v > INT32_MAX)
            return rr_fail(RR_EINPUT, "%.*s is no count from 1 on; leave the cell empty when it is not known", (int)s.n, s.at);
        break;
    }
    *(int32_t *)field = (int32_t)v;
    return RR_OK;
}

bool rr_train_noted(const struct rr_train_row *r, const char *words) { return strstr(r->notes, words) != NULL; }

double rr_train_note(const struct rr_train_row *r, const char *key, double otherwise)
{
    const char *p = strstr(r->notes, key);
    double v;
    if (!p) return otherwise;
    p += strlen(key);
    size_t n = strspn(p, "0123456789.");
    while (n > 0 && p[n - 1] == '.') n--;
    return n > 0 && rr_text_double(rr_slice(p, n), &v) == RR_OK ? v : otherwise;
}

static bool truth(const char *s) { return strcmp(s, "True") == 0 || strcmp(s, "true") == 0 || strcmp(s, "1") == 0; }

static void mlperf_finish(struct rr_train_row *r, struct rr_arena *a)
{
    const bool fp8 = truth(r->precision), fp4 = truth(r->recompute);
    r->source = rr_strf(a, "MLPerf layouts %s", r->source);
    r->precision = fp4 ? "nvfp4" : fp8 ? "fp8" : strcmp(r->model, "bert") == 0 ? "fp16" : "bf16";
    r->recompute = "";
    r->zero_stage = -1;
}

static void row_finish(struct rr_train_row *r, struct rr_arena *a)
{
    const char **text[] = {&r->source, &r->model, &r->gpu, &r->precision, &r->recompute, &r->notes};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++)
        if (!*text[i]) *text[i] = "";
    if (r->table == RR_TRAIN_MLPERF) mlperf_finish(r, a);
    if (r->iter_time_s > 0 || r->table != RR_TRAIN_TIMES) return;
    r->derived = true;
    r->iter_time_s = rr_train_note(r, "derived_iter_time_s=", 0);
    if (r->iter_time_s <= 0 && r->tokens_per_s_gpu > 0 && r->gpus > 0)
        r->iter_time_s = (double)r->global_batch * r->seq_len / (r->tokens_per_s_gpu * r->gpus);
}

static bool tells(const struct rr_csv_row *head, const struct kind *k)
{
    for (size_t i = 0; i < 3 && k->telling[i]; i++)
        if (rr_csv_find(head, k->telling[i]) >= 0) return true;
    return false;
}

static enum rr_status header_read(const struct rr_csv_row *head, const struct kind **kind, int index[MOST])
{
    *kind = NULL;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && !*kind; i++)
        if (tells(head, &kinds[i])) *kind = &kinds[i];
    if (!*kind)
        return rr_fail(RR_EINPUT,
                       "no table of training measurements: one of the columns iter_time_s, tokens_per_s_per_gpu, tflops_per_gpu (times), "
                       "peak_mem_gb, oom (memory) and samples_to_target (MLPerf layouts) must be there");
    for (size_t i = 0; i < (*kind)->n; i++) {
        index[i] = rr_csv_find(head, (*kind)->column[i].name);
        if (index[i] < 0 && (*kind)->column[i].needed) return rr_fail(RR_EINPUT, "column \"%s\" is missing", (*kind)->column[i].name);
    }
    return RR_OK;
}

static enum rr_status row_read(const struct kind *k, const struct rr_csv_row *r, const int *index, struct rr_arena *a,
                               struct rr_train_row *ret)
{
    for (size_t i = 0; i < k->n; i++) {
        if (index[i] < 0) continue;
        const enum rr_status st = cell_read(&k->column[i], rr_trim(r->cell[index[i]]), a, (char *)ret);
        if (st != RR_OK) return rr_fail_in(st, "column \"%s\"", k->column[i].name);
        const struct rr_slice cell = rr_trim(r->cell[index[i]]);
        const uint64_t key[] = {ret->print, i, rr_hash(cell.at, cell.n)};
        if (cell.n > 0) ret->print = rr_hash((const char *)key, sizeof key);
    }
    row_finish(ret, a);
    return RR_OK;
}

struct grow {
    struct rr_train_row *at;
    size_t n, cap;
};

static enum rr_status rows_read(struct rr_csv *csv, struct rr_arena *a, struct grow *g)
{
    struct rr_csv_row r = {0};
    const struct kind *kind = NULL;
    int index[MOST];
    RR_TRY(rr_csv_next(csv, &r));
    enum rr_status st = r.n == 0 ? rr_fail(RR_EINPUT, "the file is empty") : header_read(&r, &kind, index);
    if (st != RR_OK) return rr_fail_in(st, "%s:1", rr_csv_path(csv));
    const size_t width = r.n;
    for (;;) {
        RR_TRY(rr_csv_next(csv, &r));
        if (r.n == 0) return RR_OK;
        if (g->n == g->cap) {
            g->cap = g->cap ? g->cap * 2 : 256;
            g->at = rr_xrealloc(g->at, g->cap, sizeof *g->at);
        }
        struct rr_train_row *row = &g->at[g->n++];
        *row = (struct rr_train_row){.table = kind->table, .path = rr_csv_path(csv), .line = r.line, .zero_stage = -1};
        st = r.n == width ? row_read(kind, &r, index, a, row) : rr_fail(RR_EINPUT, "%zu cells, the header has %zu", r.n, width);
        if (st != RR_OK) return rr_fail_in(st, "%s:%lld", rr_csv_path(csv), (long long)r.line);
    }
}

enum rr_status rr_train_rows_read(const char *path, struct rr_arena *a, struct rr_train_rows *ret)
{
    struct rr_csv *csv = NULL;
    struct grow g = {0};
    RR_TRY(rr_csv_open(path, (struct rr_csv_options){0}, &csv));
    const enum rr_status st = rows_read(csv, a, &g);
    if (st == RR_OK) {
        struct rr_train_row *copy = RR_NEWS(a, struct rr_train_row, g.n + 1);
        if (g.n > 0) memcpy(copy, g.at, g.n * sizeof *copy);
        const char *kept = rr_strdup(a, path);
        for (size_t i = 0; i < g.n; i++) copy[i].path = kept;
        *ret = (struct rr_train_rows){copy, g.n};
    }
    free(g.at);
    rr_csv_close(csv);
    return st;
}
