/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/store_read.c - a results.json back into memory: what it holds, and nothing more. What it writes again has the same bytes. */
#include "data/base/json.h"
#include "data/store.h"
#include <math.h>
#include <string.h>

struct reader {
    struct rr_json *json;
    struct rr_arena *arena;
    const cJSON *bad; /* the first node that is not what it should be */
    const char *why;
};

static void refuse(struct reader *r, const cJSON *node, const char *why)
{
    if (r->why) return;
    r->bad = node;
    r->why = why;
}

static const cJSON *member(struct reader *r, const cJSON *object, const char *key)
{
    const cJSON *v = rr_json_member(object, key);
    if (!v) refuse(r, object, rr_strf(r->arena, "the key \"%s\" is missing here", key));
    return v;
}

static const char *text(struct reader *r, const cJSON *object, const char *key)
{
    const cJSON *v = member(r, object, key);
    if (v && !cJSON_IsString(v)) refuse(r, v, "a text is wanted here");
    return v && cJSON_IsString(v) ? rr_strdup(r->arena, v->valuestring) : "";
}

// null is NaN.
static double number_of(struct reader *r, const cJSON *v)
{
    if (v && !cJSON_IsNumber(v) && !cJSON_IsNull(v)) refuse(r, v, "a number or null is wanted here");
    return v && cJSON_IsNumber(v) ? v->valuedouble : (double)NAN;
}
static double number(struct reader *r, const cJSON *object, const char *key) { return number_of(r, member(r, object, key)); }

static int64_t scaled(struct reader *r, const cJSON *object, const char *key, int digits)
{
    const cJSON *v = member(r, object, key);
    int64_t n = 0;
    const bool whole = digits == 0 && cJSON_IsNumber(v) && memchr(rr_json_number(v).at, '.', rr_json_number(v).n) == NULL;
    if (v && (!cJSON_IsNumber(v) || (digits == 0 && !whole) || rr_text_scaled(rr_json_number(v), digits, &n) != RR_OK))
        refuse(r, v, digits ? "an amount of money is wanted here" : "a whole number is wanted here");
    return n;
}
static int64_t whole(struct reader *r, const cJSON *object, const char *key) { return scaled(r, object, key, 0); }
static struct rr_money money(struct reader *r, const cJSON *object, const char *key)
{
    return (struct rr_money){scaled(r, object, key, 6)};
}

static bool flag(struct reader *r, const cJSON *object, const char *key)
{
    const cJSON *v = member(r, object, key);
    if (v && !cJSON_IsBool(v)) refuse(r, v, "true or false is wanted here");
    return cJSON_IsTrue(v);
}

// The first element of a list, and how many there are.
static const cJSON *list(struct reader *r, const cJSON *object, const char *key, size_t *n)
{
    const cJSON *v = member(r, object, key);
    *n = 0;
    if (v && !cJSON_IsArray(v)) refuse(r, v, "a list is wanted here");
    for (const cJSON *e = cJSON_IsArray(v) ? v->child : NULL; e; e = e->next) ++*n;
    return *n ? v->child : NULL;
}

static const char *const *texts(struct reader *r, const cJSON *object, const char *key, size_t *n)
{
    const cJSON *e = list(r, object, key, n);
    const char **line = RR_NEWS(r->arena, const char *, *n + 1);
    for (size_t i = 0; i < *n; i++, e = e->next) {
        if (!cJSON_IsString(e)) refuse(r, e, "a text is wanted here");
        line[i] = cJSON_IsString(e) ? rr_strdup(r->arena, e->valuestring) : "";
    }
    return line;
}

static const struct rr_note *warnings(struct reader *r, const cJSON *object, size_t *n)
{
    const char *const *line = texts(r, object, "warnings", n);
    struct rr_note *note = RR_NEWS(r->arena, struct rr_note, *n + 1);
    for (size_t i = 0; i < *n; i++) note[i] = (struct rr_note){RR_NOTE_WARNING, "", line[i], ""};
    return note;
}

static int metric(struct reader *r, const cJSON *object)
{
    const int k = rr_metric_find(text(r, object, "metric"));
    if (k < 0) refuse(r, rr_json_member(object, "metric"), "no metric of this version (rackrate list metrics)");
    return k < 0 ? 0 : k;
}

// --- alternatives ---

static struct rr_stat stat_of(struct reader *r, const cJSON *v)
{
    struct rr_stat t = {.n = (int)whole(r, v, "n")};
    static const char *const name[] = {"mean", "stddev", "ci95", "min", "p10", "p50", "p90", "max"};
    double *const d[] = {&t.mean, &t.stddev, &t.ci95, &t.min, &t.p10, &t.p50, &t.p90, &t.max};
    for (size_t i = 0; i < sizeof d / sizeof *d; i++) *d[i] = number(r, v, name[i]);
    return t;
}

// A metric of a later version is passed over, one that is not there is null.
static void read_metrics(struct reader *r, const cJSON *v, struct rr_alternative *a)
{
    const cJSON *all = member(r, v, "metrics");
    for (int k = 0; k < RR_METRICS; k++) a->metric[k] = (struct rr_stat){0, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    for (const cJSON *e = cJSON_IsObject(all) ? all->child : NULL; e; e = e->next) {
        const int k = rr_metric_find(e->string);
        if (k >= 0) a->metric[k] = stat_of(r, e);
    }
}

static void read_months(struct reader *r, const cJSON *v, struct rr_alternative *a)
{
    const cJSON *e = list(r, v, "monthly", &a->n_months);
    struct rr_month_row *m = RR_NEWS(r->arena, struct rr_month_row, a->n_months + 1);
    for (size_t i = 0; i < a->n_months; i++, e = e->next)
        m[i] = (struct rr_month_row){.month = text(r, e, "month"),
                                     .effective = money(r, e, "effective"),
                                     .billed = money(r, e, "billed"),
                                     .used_gpu_hours = number(r, e, "used_gpu_hours"),
                                     .held_gpu_hours = number(r, e, "held_gpu_hours")};
    a->month = m;
}

static void read_laws(struct reader *r, const cJSON *v, struct rr_alternative *a)
{
    const cJSON *e = list(r, v, "laws", &a->n_laws);
    struct rr_law_result *law = RR_NEWS(r->arena, struct rr_law_result, a->n_laws + 1);
    for (size_t i = 0; i < a->n_laws; i++, e = e->next)
        law[i] = (struct rr_law_result){text(r, e, "law"), flag(r, e, "holds"), text(r, e, "detail")};
    a->law = law;
}

static void read_losses(struct reader *r, const cJSON *v, struct rr_alternative *a)
{
    const cJSON *e = list(r, v, "losses", &a->n_losses);
    struct rr_loss_row *l = RR_NEWS(r->arena, struct rr_loss_row, a->n_losses + 1);
    for (size_t i = 0; i < a->n_losses; i++, e = e->next)
        l[i] = (struct rr_loss_row){.reason = text(r, e, "reason"),
                                    .attempts = whole(r, e, "attempts"),
                                    .nodes = whole(r, e, "nodes"),
                                    .events = whole(r, e, "events"),
                                    .gpu_hours = number(r, e, "gpu_hours")};
    a->loss = l;
}

static void read_bounds(struct reader *r, const cJSON *v, struct rr_alternative *a)
{
    const cJSON *e = list(r, v, "waited_for", &a->n_bounds);
    struct rr_bound_row *b = RR_NEWS(r->arena, struct rr_bound_row, a->n_bounds + 1);
    for (size_t i = 0; i < a->n_bounds; i++, e = e->next)
        b[i] = (struct rr_bound_row){text(r, e, "bound"), text(r, e, "what"), number(r, e, "job_hours"), number(r, e, "gpu_hours")};
    a->bound = b;
}

static void read_alternative(struct reader *r, const cJSON *v, struct rr_alternative *a)
{
    a->name = text(r, v, "name");
    a->alternative = text(r, v, "alternative");
    a->unpriced = flag(r, v, "unpriced");
    a->meets_service = flag(r, v, "meets_service");
    a->same_work = flag(r, v, "same_work");
    a->service_detail = text(r, v, "service_detail");
    a->not_submitted = whole(r, v, "not_submitted");
    read_metrics(r, v, a);
    read_months(r, v, a);
    read_laws(r, v, a);
    read_losses(r, v, a);
    read_bounds(r, v, a);
    a->note = warnings(r, v, &a->n_notes);
}

// --- the study ---

static void read_inputs(struct reader *r, const cJSON *root, struct rr_store *s)
{
    const cJSON *e = list(r, root, "inputs", &s->n_inputs);
    struct rr_input_file *f = RR_NEWS(r->arena, struct rr_input_file, s->n_inputs + 1);
    for (size_t i = 0; i < s->n_inputs; i++, e = e->next) f[i] = (struct rr_input_file){text(r, e, "path"), text(r, e, "sha256")};
    s->input = f;
}

static void read_pairs(struct reader *r, const cJSON *root, struct rr_store *s)
{
    const cJSON *e = list(r, root, "pairs", &s->n_pairs);
    struct rr_pair *p = RR_NEWS(r->arena, struct rr_pair, s->n_pairs + 1);
    for (size_t i = 0; i < s->n_pairs; i++, e = e->next) {
        const cJSON *d = member(r, e, "diff");
        p[i] = (struct rr_pair){.a = text(r, e, "a"),
                                .b = text(r, e, "b"),
                                .metric = metric(r, e),
                                .diff = {.n = (int)s->replications,
                                         .mean = number(r, d, "mean"),
                                         .stddev = NAN,
                                         .ci95 = number(r, d, "ci95"),
                                         .min = NAN,
                                         .p10 = number(r, d, "p10"),
                                         .p50 = number(r, d, "p50"),
                                         .p90 = number(r, d, "p90"),
                                         .max = NAN},
                                .prob_a_cheaper = number(r, e, "prob_a_cheaper")};
    }
    s->pair = p;
}

static void read_gates(struct reader *r, const cJSON *root, struct rr_store *s)
{
    const cJSON *e = list(r, root, "gates", &s->n_gates);
    struct rr_gate_result *g = RR_NEWS(r->arena, struct rr_gate_result, s->n_gates + 1);
    for (size_t i = 0; i < s->n_gates; i++, e = e->next)
        g[i] = (struct rr_gate_result){.name = text(r, e, "name"),
                                       .alternative = text(r, e, "alternative"),
                                       .metric = metric(r, e),
                                       .stat = text(r, e, "stat"),
                                       .is_max = strcmp(text(r, e, "bound"), "max") == 0,
                                       .limit = number(r, e, "limit"),
                                       .value = number(r, e, "value"),
                                       .result = text(r, e, "result")};
    s->gate = g;
}

// --- sheets ---

static enum rr_sheet_unit unit(struct reader *r, const cJSON *column)
{
    const char *word = text(r, column, "unit");
    for (int k = 0; k < RR_SHEET_UNITS; k++)
        if (strcmp(word, rr_sheet_units[k]) == 0) return (enum rr_sheet_unit)k;
    refuse(r, rr_json_member(column, "unit"), "no unit of this version");
    return RR_SHEET_TEXT;
}

static struct rr_sheet read_sheet(struct reader *r, const cJSON *v)
{
    size_t columns, rows, cells;
    const cJSON *column = list(r, v, "columns", &columns), *row = list(r, v, "rows", &rows);
    struct rr_sheet_maker m = rr_sheet_begin(r->arena, text(r, v, "name"), text(r, v, "title"), text(r, v, "note"));
    for (; column; column = column->next) rr_sheet_column(&m, text(r, column, "title"), unit(r, column));
    for (; row; row = row->next) {
        cells = 0;
        rr_sheet_row(&m);
        for (const cJSON *c = row->child; c && cells < columns; c = c->next, cells++) {
            if (cJSON_IsString(c))
                rr_sheet_text(&m, c->valuestring);
            else
                rr_sheet_number(&m, number_of(r, c));
        }
        if (cells < columns) refuse(r, row, "a cell for each column is wanted here");
    }
    return rr_sheet_end(&m);
}

// A study too large for them leaves them out.
static void read_sheets(struct reader *r, const cJSON *root, struct rr_store *s)
{
    if (!rr_json_member(root, "sheets")) return;
    const cJSON *e = list(r, root, "sheets", &s->n_sheets);
    struct rr_sheet *sheet = RR_NEWS(r->arena, struct rr_sheet, s->n_sheets + 1);
    for (size_t i = 0; i < s->n_sheets; i++, e = e->next) sheet[i] = read_sheet(r, e);
    s->sheet = sheet;
}

static void read_start(struct reader *r, const cJSON *root, struct rr_store *s)
{
    const cJSON *v = member(r, root, "start");
    s->anchored = cJSON_IsString(v);
    if (s->anchored && rr_date_parse(rr_slice(v->valuestring, strlen(v->valuestring)), &s->start_us) != RR_OK)
        refuse(r, v, "a date or null is wanted here");
}

static void read_all(struct reader *r, const cJSON *root, struct rr_store *s)
{
    const cJSON *verdict = member(r, root, "verdict");
    *s = (struct rr_store){.schema = text(r, root, "schema"),
                           .name = text(r, root, "name"),
                           .version = text(r, root, "version"),
                           .seed = whole(r, root, "seed"),
                           .replications = whole(r, root, "replications"),
                           .currency = text(r, root, "currency"),
                           .horizon_s = number(r, root, "horizon_s"),
                           .scenario_path = text(r, root, "scenario"),
                           .baseline = text(r, root, "baseline"),
                           .verdict = text(r, verdict, "text"),
                           .criterion = text(r, verdict, "criterion"),
                           .best = text(r, verdict, "best"),
                           .summary_only = true};
    s->headline = texts(r, verdict, "headline", &s->n_headline);
    s->varied = texts(r, verdict, "varied", &s->n_varied);
    s->note = warnings(r, root, &s->n_notes);
    read_start(r, root, s);
    read_inputs(r, root, s);
    const cJSON *e = list(r, root, "alternatives", &s->n_alternatives);
    struct rr_alternative *a = RR_NEWS(r->arena, struct rr_alternative, s->n_alternatives + 1);
    for (size_t i = 0; i < s->n_alternatives; i++, e = e->next) read_alternative(r, e, &a[i]);
    s->alternative = a;
    read_pairs(r, root, s);
    read_gates(r, root, s);
    read_sheets(r, root, s);
}

enum rr_status rr_store_read_json(const char *path, struct rr_arena *arena, struct rr_store *ret)
{
    struct reader r = {.json = rr_json_create(), .arena = arena};
    struct rr_store s = {0};
    cJSON *root = NULL;
    enum rr_status st = rr_json_read(r.json, path, &root);
    const cJSON *schema = st == RR_OK ? rr_json_member(root, "schema") : NULL;
    if (st == RR_OK && (!cJSON_IsString(schema) || strcmp(schema->valuestring, "rackrate.results/1") != 0))
        st = rr_json_fail(RR_EINPUT, r.json, schema ? schema : root, "/schema",
                          "is no results.json of a version that this one reads: rackrate.results/1");
    if (st == RR_OK) read_all(&r, root, &s);
    if (st == RR_OK && r.why) st = rr_json_fail(RR_EINPUT, r.json, r.bad, NULL, "%s", r.why);
    cJSON_Delete(root);
    rr_json_free(r.json);
    if (st == RR_OK) *ret = s;
    return st;
}
