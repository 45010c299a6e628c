/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/train_facts.c - models.csv, machines.csv and the tables train_*.csv, read and checked.
 *
 * The tables are read by data/facts_table.h; here stand their columns, and what must hold between rows. */
#include "data/train_facts.h"
#include "data/facts_table.h"
#include <string.h>

#define A(f)    #f, RR_FACTS_COUNT0, offsetof(struct rr_arch, f), false
#define M(f)    #f, RR_FACTS_REAL0, offsetof(struct rr_machine, f)
#define S(f, t) #f, RR_FACTS_##t, offsetof(struct rr_train_set, f), false

static const struct rr_facts_column arch_columns[] = {
    {"name", RR_FACTS_TEXT, offsetof(struct rr_arch, name), true},
    {"aliases", RR_FACTS_TEXT, offsetof(struct rr_arch, aliases), false},
    {"layers", RR_FACTS_COUNT0, offsetof(struct rr_arch, layers), true},
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
    {A(ends)},
    {"sample_gflop", RR_FACTS_REAL0, offsetof(struct rr_arch, sample_gflop), false},
    {"sample_mb", RR_FACTS_REAL0, offsetof(struct rr_arch, sample_mb), false},
    {"params_m", RR_FACTS_REAL0, offsetof(struct rr_arch, params_m), false},
};
static const struct rr_facts_column machine_columns[] = {
    {"id", RR_FACTS_TEXT, offsetof(struct rr_machine, id), true},
    {"aliases", RR_FACTS_TEXT, offsetof(struct rr_machine, aliases), false},
    {"gpu", RR_FACTS_TEXT, offsetof(struct rr_machine, gpu), false},
    {"family", RR_FACTS_TEXT, offsetof(struct rr_machine, family), true},
    {"gpus_per_node", RR_FACTS_COUNT0, offsetof(struct rr_machine, gpus_per_node), true},
    {"domain", RR_FACTS_COUNT0, offsetof(struct rr_machine, domain), false},
    {"sms", RR_FACTS_COUNT0, offsetof(struct rr_machine, sms), true},
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
static const struct rr_facts_column coef_columns[] = {
    {"profile", RR_FACTS_TEXT, offsetof(struct rr_coef_row, profile), true},
    {"coefficient", RR_FACTS_TEXT, offsetof(struct rr_coef_row, coefficient), true},
    {"value", RR_FACTS_REAL0, offsetof(struct rr_coef_row, value), true},
    {"unit", RR_FACTS_TEXT, offsetof(struct rr_coef_row, unit), true},
};
static const struct rr_facts_column set_columns[] = {
    {"prefix", RR_FACTS_TEXT, offsetof(struct rr_train_set, prefix), true},
    {"model", RR_FACTS_TEXT, offsetof(struct rr_train_set, model), false},
    {"name", RR_FACTS_TEXT, offsetof(struct rr_train_set, name), true},
    {"framework", RR_FACTS_TEXT, offsetof(struct rr_train_set, framework), true},
    {S(net_gb_s, REAL0)},
    {S(flash, COUNT0)},
    {S(sequence_parallel, COUNT0)},
    {S(tp_overlap, COUNT0)},
    {S(dp_overlap, COUNT0)},
    {S(balanced, COUNT0)},
    {S(gated, COUNT0)},
    {S(tied, COUNT0)},
    {S(positions, COUNT0)},
    {S(zero, COUNT0)},
    {S(vocab, COUNT0)},
    {S(recompute, TEXT)},
};
static const struct rr_facts_column accuracy_columns[] = {
    {"set", RR_FACTS_TEXT, offsetof(struct rr_train_accuracy, set), true},
    {"measure", RR_FACTS_TEXT, offsetof(struct rr_train_accuracy, measure), true},
    {"framework", RR_FACTS_TEXT, offsetof(struct rr_train_accuracy, framework), false},
    {"family", RR_FACTS_TEXT, offsetof(struct rr_train_accuracy, family), false},
    {"rows", RR_FACTS_COUNT, offsetof(struct rr_train_accuracy, rows), true},
    {"mape", RR_FACTS_REAL0, offsetof(struct rr_train_accuracy, mape), true},
    {"median_error", RR_FACTS_REAL0, offsetof(struct rr_train_accuracy, median_error), true},
    {"mean", RR_FACTS_REAL, offsetof(struct rr_train_accuracy, mean), true},
    {"p10", RR_FACTS_REAL, offsetof(struct rr_train_accuracy, p10), true},
    {"p50", RR_FACTS_REAL, offsetof(struct rr_train_accuracy, p50), true},
    {"p90", RR_FACTS_REAL, offsetof(struct rr_train_accuracy, p90), true},
    {"left_out", RR_FACTS_COUNT0, offsetof(struct rr_train_accuracy, left_out), true},
    {"left_out_mape", RR_FACTS_REAL0, offsetof(struct rr_train_accuracy, left_out_mape), false},
    {"left_out_median_error", RR_FACTS_REAL0, offsetof(struct rr_train_accuracy, left_out_median_error), false},
    {"left_out_p10", RR_FACTS_REAL, offsetof(struct rr_train_accuracy, left_out_p10), false},
    {"left_out_p50", RR_FACTS_REAL, offsetof(struct rr_train_accuracy, left_out_p50), false},
    {"left_out_p90", RR_FACTS_REAL, offsetof(struct rr_train_accuracy, left_out_p90), false},
};
static const struct rr_facts_table arch_table = RR_FACTS_TABLE("models.csv", arch_columns, rr_arch);
static const struct rr_facts_table machine_table = RR_FACTS_TABLE("machines.csv", machine_columns, rr_machine);
static const struct rr_facts_table coef_table = RR_FACTS_TABLE("train_coefficients.csv", coef_columns, rr_coef_row);
static const struct rr_facts_table accuracy_table = RR_FACTS_TABLE("train_accuracy.csv", accuracy_columns, rr_train_accuracy);
static const struct rr_facts_table set_table = RR_FACTS_TABLE("train_sets.csv", set_columns, rr_train_set);

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
    RR_TRY(rr_facts_read(data_dir, &arch_table, a, &f.arch, &f.n_archs));
    RR_TRY(rr_facts_read(data_dir, &machine_table, a, &f.machine, &f.n_machines));
    RR_TRY(rr_facts_read(data_dir, &coef_table, a, &f.coef, &f.n_coefs));
    RR_TRY(rr_facts_read(data_dir, &set_table, a, &f.set, &f.n_sets));
    RR_TRY(rr_facts_read(data_dir, &accuracy_table, a, &f.accuracy, &f.n_accuracies));
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

#define MOST_NAMES 64 /* of one thing */

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
    return rr_fail(RR_EINPUT, "no model is called \"%s\"%s (rackrate list models)", name, rr_did_you_mean(a, name, words, n));
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
    return rr_fail(RR_EINPUT, "no machine has a GPU called \"%s\"%s (rackrate list machines)", name, rr_did_you_mean(a, name, words, n));
}

const struct rr_train_set *rr_train_facts_set(const struct rr_train_facts *f, const char *source, const char *model)
{
    for (size_t i = 0; i < f->n_sets; i++) {
        const struct rr_train_set *s = &f->set[i];
        if (strncmp(source, s->prefix, strlen(s->prefix)) == 0 && strncmp(model, s->model, strlen(s->model)) == 0) return s;
    }
    return NULL;
}
