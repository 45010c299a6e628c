/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/study/finance_register.c - the register of assumptions: every money input with its source, and what a tenth of it is worth.
 *
 * The sheet "register" becomes assumptions.csv, in the columns that `--assumptions` reads. */
#include "data/register.h"
#include "sim/study/finance.h"
#include "sim/study/inputs.h"
#include <math.h>
#include <string.h>

struct entry {
    struct rr_input_row in;
    const struct rr_books *book; /* that it moves most */
    const char *where;           /* alternatives that have it */
};
struct entries {
    struct entry at[RR_MOST_INPUTS];
    size_t n;
};

/* From 90 to 110 % of it; NaN where the document takes no other value, or there are too many leases. */
static double swing(const struct rr_finance_view *v, const struct rr_books *b, const struct rr_input_row *x, int criterion)
{
    double end[2], of[2], m[RR_METRICS];
    if (!v->again) return NAN;
    rr_input_ends(x, &end[0], &end[1]);
    for (int k = 0; k < 2; k++) {
        cJSON *node = rr_input_node(x->row, x->params, end[k]);
        const struct rr_edit edit = {x->pointer, node};
        const enum rr_status st = rr_rebill(v->set, b, &edit, 1, m);
        cJSON_Delete(node);
        if (st != RR_OK) return NAN;
        of[k] = m[criterion];
    }
    return fabs(of[1] - of[0]);
}

static struct entry *entry_of(struct entries *e, const struct rr_input_row *x)
{
    for (size_t i = 0; i < e->n; i++)
        if (strcmp(e->at[i].in.pointer, x->pointer) == 0) return &e->at[i];
    if (e->n == RR_MOST_INPUTS) return NULL;
    e->at[e->n] = (struct entry){*x, NULL, ""};
    e->at[e->n].in.swing = NAN;
    return &e->at[e->n++];
}

static void gather(const struct rr_finance_view *v, int criterion, struct entries *e)
{
    struct rr_inputs *in = RR_NEW(v->arena, struct rr_inputs);
    for (size_t i = 0; i < v->n; i++) {
        const struct rr_books *b = &v->book[i];
        if (b->alt->unpriced) continue;
        in->arena = v->arena;
        in->n = 0;
        rr_inputs_add(in, b->billing->scenario);
        for (size_t k = 0; k < in->n; k++) {
            struct entry *x = entry_of(e, &in->at[k]);
            if (!x) continue;
            const double s = swing(v, b, &in->at[k], criterion);
            x->where = *x->where ? rr_strf(v->arena, "%s; %s", x->where, b->alt->name) : b->alt->name;
            if (!x->book || s > x->in.swing) {
                x->book = b;
                x->in = in->at[k];
                x->in.swing = s;
            }
        }
    }
}

static int by_effect(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    const double p = isnan(x->in.swing) ? -1 : x->in.swing, q = isnan(y->in.swing) ? -1 : y->in.swing;
    if (p != q) return p < q ? 1 : -1;
    return strcmp(x->in.pointer, y->in.pointer);
}

/* ---- the register ---- */

static const char *text_at(const cJSON *node, const char *key)
{
    const cJSON *m = rr_json_member(node, key);
    return cJSON_IsString(m) ? m->valuestring : "";
}

static const char *written(struct rr_arena *a, const cJSON *v)
{
    if (cJSON_IsString(v)) return v->valuestring;
    if (cJSON_IsNumber(v)) return rr_strndup(a, rr_json_number(v).at, rr_json_number(v).n);
    return "";
}

/* As the document has it, else as it was taken from the facts. */
static const char *value_text(const struct rr_finance_view *v, const struct entry *x, const cJSON *node)
{
    const char *text = written(v->arena, rr_param_unwrap(node));
    if (*text) return text;
    cJSON *made = rr_input_node(x->in.row, x->in.params, rr_input_value(x->in.row, x->in.params));
    text = rr_strdup(v->arena, made ? written(v->arena, made) : "");
    cJSON_Delete(made);
    return text;
}

/* As `as_run` has it. */
static const char *put_value(const struct rr_finance_view *v, struct rr_sheet_maker *m, const char *pointer, const char *value)
{
    const char *of[3];
    const struct rr_uncertainty *u = v->set->uncertainty;
    const cJSON *range = NULL;
    for (size_t i = 0; u && i < u->n; i++)
        if (strcmp(u->input[i].path, pointer) == 0 && strcmp(u->input[i].json->string, "triangular") == 0) range = u->input[i].json;
    rr_sheet_text(m, value);
    for (int k = 0; k < 3; k++) {
        of[k] = cJSON_IsArray(range) && cJSON_GetArraySize(range) == 3 ? written(v->arena, cJSON_GetArrayItem(range, k)) : "";
        rr_sheet_text(m, of[k]);
    }
    return rr_register_as_run(v->arena, value, of[0], of[1], of[2]);
}

/* As it was written, not as replication 1 drew it. */
static const cJSON *document_of(const struct rr_finance_view *v, const struct rr_books *b)
{
    for (size_t i = 0; i < v->set->n_variants; i++)
        if (strcmp(v->set->variant[i]->variant, b->alt->name) == 0) return v->set->variant[i]->document;
    return b->billing->scenario->document;
}

static void put_entry(const struct rr_finance_view *v, struct rr_sheet_maker *m, const struct entry *x)
{
    const cJSON *node = rr_json_at(document_of(v, x->book), x->in.pointer);
    rr_sheet_row(m);
    rr_sheet_text(m, x->in.pointer);
    const char *as_run = put_value(v, m, x->in.pointer, value_text(v, x, node));
    rr_sheet_text(m, x->in.row->unit ? x->in.row->unit : "");
    rr_sheet_text(m, *text_at(node, "source") ? text_at(node, "source")
                     : x->in.given            ? ""
                     : x->in.row->source      ? x->in.row->source
                                              : "default");
    rr_sheet_text(m, text_at(node, "owner"));
    rr_sheet_text(m, text_at(node, "as_of"));
    rr_sheet_text(m, x->in.given ? "given" : "not given");
    rr_sheet_text(m, x->where);
    rr_sheet_number(m, x->in.swing);
    rr_sheet_text(m, as_run);
}

static struct rr_sheet register_of(const struct rr_finance_view *v, const struct entries *e)
{
    static const char *const column[] = {"pointer", "value", "low",   "mode",  "high",        "unit",
                                         "source",  "owner", "as_of", "given", "alternatives"};
    struct rr_sheet_maker m = rr_sheet_begin(v->arena, "register", "Assumptions", "");
    for (size_t k = 0; k < sizeof column / sizeof *column; k++) rr_sheet_column(&m, column[k], RR_SHEET_TEXT);
    rr_sheet_column(&m, "effect", RR_SHEET_MONEY);
    rr_sheet_column(&m, "as_run", RR_SHEET_TEXT);
    for (size_t i = 0; i < e->n; i++) put_entry(v, &m, &e->at[i]);
    return rr_sheet_end(&m);
}

/* What nobody gave, by what it is worth. */
static struct rr_sheet not_given(const struct rr_finance_view *v, const struct entries *e, int criterion)
{
    struct rr_sheet_maker m = rr_sheet_begin(v->arena, "finance.assumed", "What nobody gave, by its effect",
                                             rr_strf(v->arena,
                                                     "Defaults and values from the facts, and how far %s moves when one of them goes from "
                                                     "90 to 110 %%. assumptions.csv has all inputs; change "
                                                     "it and give it back with --assumptions.",
                                                     rr_metric_info[criterion].name));
    rr_sheet_column(&m, "Input", RR_SHEET_TEXT);
    rr_sheet_column(&m, "Taken as", RR_SHEET_TEXT);
    rr_sheet_column(&m, "Alternatives", RR_SHEET_TEXT);
    rr_sheet_column(&m, "Effect", RR_SHEET_MONEY);
    for (size_t i = 0; i < e->n; i++) {
        const struct entry *x = &e->at[i];
        if (x->in.given || !(x->in.swing > 0)) continue;
        rr_sheet_row(&m);
        rr_sheet_text(&m, x->in.pointer);
        rr_sheet_text(&m, rr_input_shown(v->arena, &x->in, rr_input_value(x->in.row, x->in.params)));
        rr_sheet_text(&m, x->where);
        rr_sheet_number(&m, x->in.swing);
    }
    return rr_sheet_end(&m);
}

enum rr_status rr_finance_register(const struct rr_finance_view *v, struct rr_sheets *out)
{
    const int criterion = rr_finance_criterion(v);
    struct entries *e = RR_NEW(v->arena, struct entries);
    gather(v, criterion, e);
    qsort(e->at, e->n, sizeof *e->at, by_effect);
    const struct rr_sheet assumed = not_given(v, e, criterion), all = register_of(v, e);
    if (assumed.n_rows) rr_vec_push(&out->list, assumed);
    if (all.n_rows) rr_vec_push(&out->list, all);
    return RR_OK;
}
