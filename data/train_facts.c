/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/train_facts.c - models.csv, machines.csv, train_coefficients.csv and train_sets.csv, read and checked.
 *
 * As in catalog_load.c a column is a row of a table here; an empty cell is 0 or "", and every table ends in source, date and note. */
#include "data/train_facts.h"
#include "data/base/csv.h"
#include <stdlib.h>
#include <string.h>

enum cell_type { TEXT, REAL, COUNT };
struct column {
    const char *name;
    enum cell_type type;
    size_t at;
    bool needed;
};
struct table {
    const char *file;
    const struct column *column;
    size_t n, row_size, fact_at, key_at;
};
#define MAX_COLUMN 48
#define A(f)       #f, COUNT, offsetof(struct rr_arch, f), false
#define M(f)       #f, REAL, offsetof(struct rr_machine, f)
#define S(f, t)    #f, t, offsetof(struct rr_train_set, f), false

static const struct column arch_columns[] = {
    {"name", TEXT, offsetof(struct rr_arch, name), true},
    {"aliases", TEXT, offsetof(struct rr_arch, aliases), false},
    {"layers", COUNT, offsetof(struct rr_arch, layers), true},
    {A(hidden)},
    {A(heads)},
    {A(kv_heads)},
    {A(head_dim)},
    {A(ffn)},
    {A(gated)},
    {A(vocab)},
    {A(tied)},
    {A(positions)},
    {A(seq)},
    {A(encoder)},
    {A(window)},
    {A(window_layers)},
    {A(experts)},
    {A(top_k)},
    {A(expert_ffn)},
    {A(shared_ffn)},
    {A(dense_layers)},
    {A(q_lora)},
    {A(kv_lora)},
    {A(rope_dim)},
    {A(nope_dim)},
    {A(v_dim)},
    {A(attention_layers)},
    {A(mamba_layers)},
    {A(ffn_layers)},
    {A(mamba_inner)},
    {A(mamba_state)},
    {A(mamba_groups)},
    {A(latent)},
    {A(mtp)},
    {"sample_gflop", REAL, offsetof(struct rr_arch, sample_gflop), false},
    {"sample_mb", REAL, offsetof(struct rr_arch, sample_mb), false},
    {"params_m", REAL, offsetof(struct rr_arch, params_m), false},
};
static const struct column machine_columns[] = {
    {"id", TEXT, offsetof(struct rr_machine, id), true},
    {"aliases", TEXT, offsetof(struct rr_machine, aliases), false},
    {"gpu", TEXT, offsetof(struct rr_machine, gpu), false},
    {"family", TEXT, offsetof(struct rr_machine, family), true},
    {"gpus_per_node", COUNT, offsetof(struct rr_machine, gpus_per_node), true},
    {"domain", COUNT, offsetof(struct rr_machine, domain), false},
    {"sms", COUNT, offsetof(struct rr_machine, sms), true},
    {M(fp32_tflops), false},
    {M(tf32_tflops), false},
    {M(bf16_tflops), true},
    {M(fp8_tflops), false},
    {M(fp4_tflops), false},
    {M(memory_gib), true},
    {M(memory_gb_s), true},
    {M(link_gb_s), true},
    {M(net_gb_s), true},
    {M(power_w), false},
};
static const struct column coef_columns[] = {
    {"profile", TEXT, offsetof(struct rr_coef_row, profile), true},
    {"coefficient", TEXT, offsetof(struct rr_coef_row, coefficient), true},
    {"value", REAL, offsetof(struct rr_coef_row, value), true},
    {"unit", TEXT, offsetof(struct rr_coef_row, unit), true},
};
static const struct column set_columns[] = {
    {"prefix", TEXT, offsetof(struct rr_train_set, prefix), true},
    {"model", TEXT, offsetof(struct rr_train_set, model), false},
    {"name", TEXT, offsetof(struct rr_train_set, name), true},
    {"framework", TEXT, offsetof(struct rr_train_set, framework), true},
    {S(net_gb_s, REAL)},
    {S(flash, COUNT)},
    {S(sequence_parallel, COUNT)},
    {S(tp_overlap, COUNT)},
    {S(dp_overlap, COUNT)},
    {S(balanced, COUNT)},
    {S(gated, COUNT)},
    {S(tied, COUNT)},
    {S(positions, COUNT)},
    {S(zero, COUNT)},
    {S(vocab, COUNT)},
    {S(recompute, TEXT)},
};
#define TABLE(file, cols, type, key)                                                                                            \
    {                                                                                                                           \
        file, cols, sizeof(cols) / sizeof *(cols), sizeof(struct type), offsetof(struct type, fact), offsetof(struct type, key) \
    }
static const struct table arch_table = TABLE("models.csv", arch_columns, rr_arch, name);
static const struct table machine_table = TABLE("machines.csv", machine_columns, rr_machine, id);
static const struct table coef_table = TABLE("train_coefficients.csv", coef_columns, rr_coef_row, profile);
static const struct table set_table = TABLE("train_sets.csv", set_columns, rr_train_set, prefix);

static enum rr_status cell_read(const struct column *col, struct rr_slice s, struct rr_arena *a, char *row)
{
    void *field = row + col->at;
    int64_t v;
    if (col->type == TEXT) {
        *(const char **)field = rr_strndup(a, s.at, s.n);
        return RR_OK;
    }
    if (s.n == 0) return RR_OK;
    if (col->type == REAL) {
        RR_TRY(rr_text_double(s, field));
        return *(double *)field >= 0 ? RR_OK : rr_fail(RR_EINPUT, "%.*s is below 0", (int)s.n, s.at);
    }
    RR_TRY(rr_text_i64(s, &v));
    if (v < 0 || v > INT32_MAX) return rr_fail(RR_EINPUT, "%.*s is out of range", (int)s.n, s.at);
    *(int32_t *)field = (int32_t)v;
    return RR_OK;
}

/* index[i] = cell of column i, then source, date, note. */
static enum rr_status header_read(const struct table *t, const struct rr_csv_row *head, struct rr_arena *a, int index[MAX_COLUMN])
{
    const char *name[MAX_COLUMN];
    for (size_t i = 0; i < t->n; i++) name[i] = t->column[i].name;
    name[t->n] = "source", name[t->n + 1] = "date", name[t->n + 2] = "note";
    for (size_t i = 0; i < t->n + 3; i++) {
        index[i] = rr_csv_find(head, name[i]);
        if (index[i] < 0) return rr_fail(RR_EINPUT, "column \"%s\" is missing", name[i]);
    }
    if (head->n == t->n + 3) return RR_OK;
    for (size_t k = 0; k < head->n; k++) {
        bool used = false;
        for (size_t i = 0; i < t->n + 3 && !used; i++) used = index[i] == (int)k;
        const char *cell = rr_strndup(a, head->cell[k].at, head->cell[k].n);
        if (!used)
            return rr_fail(RR_EINPUT, "column \"%s\" is not known or stands there twice%s", cell, rr_did_you_mean(a, cell, name, t->n + 3));
    }
    return RR_OK;
}

static enum rr_status row_read(const struct table *t, const struct rr_csv_row *r, const int *index, struct rr_arena *a, char *row)
{
    for (size_t i = 0; i < t->n; i++) {
        const struct rr_slice cell = rr_trim(r->cell[index[i]]);
        if (t->column[i].needed && cell.n == 0) return rr_fail(RR_EINPUT, "column \"%s\" is empty", t->column[i].name);
        const enum rr_status st = cell_read(&t->column[i], cell, a, row);
        if (st != RR_OK) return rr_fail_in(st, "column \"%s\"", t->column[i].name);
    }
    struct rr_fact *f = (struct rr_fact *)(void *)(row + t->fact_at);
    const char **text[] = {&f->source, &f->date, &f->note};
    for (size_t i = 0; i < 3; i++) {
        const struct rr_slice cell = rr_trim(r->cell[index[t->n + i]]);
        *text[i] = rr_strndup(a, cell.at, cell.n);
    }
    f->path = rr_strf(a, "data/facts/%s", t->file);
    f->line = r->line;
    if (*f->source == '\0') return rr_fail(RR_EINPUT, "the row has no source");
    if (*f->date < '0' || *f->date > '9') return rr_fail(RR_EINPUT, "date \"%s\" is not YYYY, YYYY-MM or YYYY-MM-DD", f->date);
    return RR_OK;
}

struct rows {
    char *at;
    size_t n, cap;
};

static enum rr_status rows_read(const struct table *t, struct rr_csv *csv, struct rr_arena *a, struct rows *rows)
{
    struct rr_csv_row r = {0};
    int index[MAX_COLUMN];
    RR_TRY(rr_csv_next(csv, &r));
    enum rr_status st = r.n == 0 ? rr_fail(RR_EINPUT, "the file is empty") : header_read(t, &r, a, index);
    if (st != RR_OK) return rr_fail_in(st, "%s:1", rr_csv_path(csv));
    const size_t width = r.n;
    for (;;) {
        RR_TRY(rr_csv_next(csv, &r));
        if (r.n == 0) return RR_OK;
        if (rows->n == rows->cap) {
            rows->cap = rows->cap ? rows->cap * 2 : 64;
            rows->at = rr_xrealloc(rows->at, rows->cap, t->row_size);
        }
        char *row = rows->at + rows->n++ * t->row_size;
        memset(row, 0, t->row_size);
        st = r.n == width ? row_read(t, &r, index, a, row) : rr_fail(RR_EINPUT, "%zu cells, the header has %zu", r.n, width);
        if (st != RR_OK) return rr_fail_in(st, "%s:%lld", rr_csv_path(csv), (long long)r.line);
    }
}

static enum rr_status table_read(const char *dir, const struct table *t, struct rr_arena *a, const void *ret_rows, size_t *ret_n)
{
    struct rr_csv *csv = NULL;
    struct rows rows = {0};
    RR_TRY(rr_csv_open(rr_strf(a, "%s/facts/%s", dir, t->file), (struct rr_csv_options){0}, &csv));
    const enum rr_status st = rows_read(t, csv, a, &rows);
    if (st == RR_OK) {
        void *copy = rr_alloc(a, rows.n + 1, t->row_size);
        if (rows.n > 0) memcpy(copy, rows.at, rows.n * t->row_size);
        *(void **)ret_rows = copy;
        *ret_n = rows.n;
    }
    free(rows.at);
    rr_csv_close(csv);
    return st;
}

/* ---- names ---- */

static bool among(const char *aliases, const char *name)
{
    for (const char *p = aliases; *p != '\0';) {
        const size_t n = strcspn(p, "|");
        if (rr_slice_is_nocase(rr_slice(p, n), name)) return true;
        p += n + (p[n] == '|');
    }
    return false;
}

static bool called(const char *id, const char *aliases, const char *name)
{
    return rr_slice_is_nocase(rr_slice(id, strlen(id)), name) || among(aliases, name);
}

static enum rr_status names_check(const struct rr_train_facts *f)
{
    for (size_t i = 0; i < f->n_archs; i++)
        for (size_t k = 0; k < i; k++)
            if (called(f->arch[k].name, f->arch[k].aliases, f->arch[i].name))
                return rr_fail(RR_EINPUT, "%s:%lld: \"%s\" was already used on line %lld", f->arch[i].fact.path,
                               (long long)f->arch[i].fact.line, f->arch[i].name, (long long)f->arch[k].fact.line);
    for (size_t i = 0; i < f->n_machines; i++)
        for (size_t k = 0; k < i; k++)
            if (called(f->machine[k].id, f->machine[k].aliases, f->machine[i].id))
                return rr_fail(RR_EINPUT, "%s:%lld: \"%s\" was already used on line %lld", f->machine[i].fact.path,
                               (long long)f->machine[i].fact.line, f->machine[i].id, (long long)f->machine[k].fact.line);
    for (size_t i = 0; i < f->n_coefs; i++)
        for (size_t k = 0; k < i; k++)
            if (strcmp(f->coef[k].profile, f->coef[i].profile) == 0 && strcmp(f->coef[k].coefficient, f->coef[i].coefficient) == 0)
                return rr_fail(RR_EINPUT, "%s:%lld: %s of %s stands on line %lld too", f->coef[i].fact.path,
                               (long long)f->coef[i].fact.line, f->coef[i].coefficient, f->coef[i].profile,
                               (long long)f->coef[k].fact.line);
    return RR_OK;
}

enum rr_status rr_train_facts_load(const char *data_dir, struct rr_arena *a, struct rr_train_facts *ret)
{
    struct rr_train_facts f = {0};
    RR_TRY(table_read(data_dir, &arch_table, a, &f.arch, &f.n_archs));
    RR_TRY(table_read(data_dir, &machine_table, a, &f.machine, &f.n_machines));
    RR_TRY(table_read(data_dir, &coef_table, a, &f.coef, &f.n_coefs));
    RR_TRY(table_read(data_dir, &set_table, a, &f.set, &f.n_sets));
    RR_TRY(names_check(&f));
    *ret = f;
    return RR_OK;
}

/* The id and each alias as words to choose the nearest from. */
static size_t put_words(struct rr_arena *a, const char *id, const char *aliases, const char **word, size_t n)
{
    word[n++] = id;
    for (const char *p = aliases; *p != '\0';) {
        const size_t k = strcspn(p, "|");
        word[n++] = rr_strndup(a, p, k);
        p += k + (p[k] == '|');
    }
    return n;
}

#define MOST_NAMES 16 /* of one thing */

enum rr_status rr_train_facts_arch(const struct rr_train_facts *f, struct rr_arena *a, const char *name, const struct rr_arch **ret)
{
    const char **words = RR_NEWS(a, const char *, MOST_NAMES * f->n_archs + 1);
    size_t n = 0;
    for (size_t i = 0; i < f->n_archs; i++) {
        n = put_words(a, f->arch[i].name, f->arch[i].aliases, words, n);
        if (called(f->arch[i].name, f->arch[i].aliases, name)) {
            *ret = &f->arch[i];
            return RR_OK;
        }
    }
    return rr_fail(RR_EINPUT, "no model is called \"%s\"%s", name, rr_did_you_mean(a, name, words, n));
}

enum rr_status rr_train_facts_machine(const struct rr_train_facts *f, struct rr_arena *a, const char *name, const struct rr_machine **ret)
{
    const char **words = RR_NEWS(a, const char *, MOST_NAMES * f->n_machines + 1);
    size_t n = 0;
    for (size_t i = 0; i < f->n_machines; i++) {
        n = put_words(a, f->machine[i].id, f->machine[i].aliases, words, n);
        if (called(f->machine[i].id, f->machine[i].aliases, name)) {
            *ret = &f->machine[i];
            return RR_OK;
        }
    }
    return rr_fail(RR_EINPUT, "no machine has a GPU called \"%s\"%s", name, rr_did_you_mean(a, name, words, n));
}

const struct rr_train_set *rr_train_facts_set(const struct rr_train_facts *f, const char *source, const char *model)
{
    for (size_t i = 0; i < f->n_sets; i++) {
        const struct rr_train_set *s = &f->set[i];
        if (strncmp(source, s->prefix, strlen(s->prefix)) == 0 && strncmp(model, s->model, strlen(s->model)) == 0) return s;
    }
    return NULL;
}
