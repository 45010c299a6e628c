/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/store_load.c - a results.db back into memory. Jobs stay in the file (data/store_jobs.c). */
#include "data/store_db.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Reads rows in the order of saving. Texts that repeat (types, units) are kept once: charges come by the million. */
enum { KEPT = 32, MOST_NODES = 1 << 24 };
struct loader {
    sqlite3 *db;
    struct rr_arena *arena;
    struct rr_store *s;
    const char *kept[KEPT];
    size_t n_kept, next_kept;
    int rc;
};

static const char *text(struct loader *l, struct rr_sql *q)
{
    const char *s = rr_sql_gets(q);
    for (size_t i = 0; i < l->n_kept; i++)
        if (strcmp(l->kept[i], s) == 0) return l->kept[i];
    const char *copy = rr_strdup(l->arena, s);
    l->kept[l->next_kept] = copy;
    l->next_kept = (l->next_kept + 1) % KEPT;
    if (l->n_kept < KEPT) l->n_kept++;
    return copy;
}

static struct rr_money money(struct rr_sql *q) { return (struct rr_money){rr_sql_geti(q)}; }

static struct rr_rate rate(struct rr_sql *q)
{
    struct rr_rate r = {.nano = rr_sql_geti(q)};
    const int64_t per = rr_sql_geti(q), time = rr_sql_geti(q);
    r.per = per >= 0 && per <= RR_PER_MTOKEN ? (enum rr_per)per : RR_PER_ONCE;
    r.time = time >= 0 && time <= RR_YEAR ? (enum rr_per_time)time : RR_EVER;
    return r;
}

static struct rr_stat stat_of(struct rr_sql *q)
{
    struct rr_stat t = {.n = (int)rr_sql_geti(q)};
    double *const d[] = {&t.mean, &t.stddev, &t.ci95, &t.min, &t.p10, &t.p50, &t.p90, &t.max};
    for (size_t i = 0; i < sizeof d / sizeof *d; i++) *d[i] = rr_sql_getd(q);
    return t;
}

/* A query over the rows of one alternative (or all with id < -1), and an array for them. */
static void *rows(struct loader *l, struct rr_sql *q, const char *what, const char *where, int64_t id, size_t size, size_t *n)
{
    *n = 0;
    struct rr_sql count;
    char sql[160];
    snprintf(sql, sizeof sql, "SELECT count(*) FROM %s %s", what, where);
    rr_sql_open(&count, l->db, sql);
    if (*where) rr_sql_i(&count, id);
    count.column = 0;
    if (rr_sql_next(&count)) *n = (size_t)rr_sql_geti(&count);
    if (count.rc != SQLITE_OK) l->rc = count.rc;
    rr_sql_close(&count);
    const char *order = strcmp(what, "pools") == 0 ? "alternative, pool" : strcmp(what, "points") == 0 ? "series, i" : "rowid";
    snprintf(sql, sizeof sql, "SELECT * FROM %s %s ORDER BY %s", what, where, order);
    rr_sql_open(q, l->db, sql);
    if (*where) rr_sql_i(q, id);
    return rr_alloc(l->arena, *n + 1, size);
}

/* To the first column behind `alternative`; false at the end or past the rows counted. */
static bool row(struct loader *l, struct rr_sql *q, size_t i, size_t n)
{
    if (l->rc == SQLITE_OK && i < n && rr_sql_next(q)) {
        q->column = 1;
        return true;
    }
    if (q->rc != SQLITE_OK) l->rc = q->rc;
    rr_sql_close(q);
    return false;
}
#define OF "WHERE alternative = ?"

static void load_months(struct loader *l, int64_t id, struct rr_alternative *a)
{
    struct rr_sql q;
    struct rr_month_row *r = rows(l, &q, "monthly", OF, id, sizeof *r, &a->n_months);
    a->month = r;
    for (size_t i = 0; row(l, &q, i, a->n_months); i++) {
        r[i].month = text(l, &q);
        r[i].from_us = rr_sql_geti(&q);
        r[i].to_us = rr_sql_geti(&q);
        r[i].effective = money(&q);
        r[i].billed = money(&q);
        r[i].used_gpu_hours = rr_sql_getd(&q);
        r[i].held_gpu_hours = rr_sql_getd(&q);
    }
}

static void load_lines(struct loader *l, int64_t id, struct rr_alternative *a)
{
    struct rr_sql q;
    struct rr_cost_line *r = rows(l, &q, "cost_lines", OF, id, sizeof *r, &a->n_lines);
    a->line = r;
    for (size_t i = 0; row(l, &q, i, a->n_lines); i++) {
        r[i].type = text(l, &q);
        r[i].line = text(l, &q);
        r[i].pool = text(l, &q);
        r[i].commitment = text(l, &q);
        r[i].billed = money(&q);
        r[i].effective = money(&q);
        r[i].after_horizon = money(&q);
        r[i].quantity = rr_sql_getd(&q);
        r[i].unit = text(l, &q);
        r[i].rate = rate(&q);
    }
}

static void load_classes(struct loader *l, int64_t id, struct rr_alternative *a)
{
    struct rr_sql q;
    struct rr_class_row *r = rows(l, &q, "classes", OF, id, sizeof *r, &a->n_classes);
    a->class_row = r;
    for (size_t i = 0; row(l, &q, i, a->n_classes); i++) {
        r[i].name = text(l, &q);
        r[i].jobs = rr_sql_geti(&q);
        r[i].finished = rr_sql_geti(&q);
        r[i].used_gpu_hours = rr_sql_getd(&q);
        r[i].effective = money(&q);
        r[i].billed = money(&q);
        r[i].wait_mean_s = rr_sql_getd(&q);
    }
}

static void load_pools(struct loader *l, int64_t id, struct rr_alternative *a)
{
    struct rr_sql q;
    struct rr_pool_row *r = rows(l, &q, "pools", OF, id, sizeof *r, &a->n_pools);
    a->pool = r;
    for (size_t i = 0; row(l, &q, i, a->n_pools); i++) {
        q.column = 2; // behind the index
        r[i].name = text(l, &q);
        r[i].what = text(l, &q);
        r[i].plan = text(l, &q);
        r[i].nodes_min = rr_sql_geti(&q);
        r[i].nodes_max = rr_sql_geti(&q);
        r[i].nodes_peak = rr_sql_geti(&q);
        double *const hours[] = {&r[i].held, &r[i].used, &r[i].lost, &r[i].idle, &r[i].starting, &r[i].down};
        for (size_t k = 0; k < sizeof hours / sizeof *hours; k++) *hours[k] = rr_sql_getd(&q);
        r[i].effective = money(&q);
        r[i].billed = money(&q);
    }
}

static void load_laws(struct loader *l, int64_t id, struct rr_alternative *a)
{
    struct rr_sql q;
    struct rr_law_result *r = rows(l, &q, "laws", OF, id, sizeof *r, &a->n_laws);
    a->law = r;
    for (size_t i = 0; row(l, &q, i, a->n_laws); i++) {
        r[i].law = text(l, &q);
        r[i].holds = rr_sql_geti(&q) != 0;
        r[i].detail = text(l, &q);
    }
}

static int kind_of(const char *word)
{
    for (int k = 0; k < RR_NOTE_KINDS; k++)
        if (strcmp(word, rr_note_kinds[k]) == 0) return k;
    return -1;
}

// The notes of an alternative, or (id -1) of the study with its headline and what varied.
static const struct rr_note *load_notes(struct loader *l, int64_t id, size_t *ret_n)
{
    struct rr_sql q;
    size_t n, kept = 0;
    struct rr_note *r = rows(l, &q, "notes", OF, id, sizeof *r, &n);
    const char **headline = RR_NEWS(l->arena, const char *, n + 1), **varied = RR_NEWS(l->arena, const char *, n + 1);
    for (size_t i = 0; row(l, &q, i, n); i++) {
        const char *kind = text(l, &q), *place = text(l, &q), *line = text(l, &q), *source = text(l, &q);
        const int k = kind_of(kind);
        if (k >= 0)
            r[kept++] = (struct rr_note){(enum rr_note_kind)k, place, line, source};
        else if (id < 0 && strcmp(kind, "headline") == 0)
            headline[l->s->n_headline++] = line;
        else if (id < 0 && strcmp(kind, "varied") == 0)
            varied[l->s->n_varied++] = line;
    }
    if (id < 0) l->s->headline = headline;
    if (id < 0) l->s->varied = varied;
    *ret_n = kept;
    return r;
}

static void load_points(struct loader *l, int64_t id, int64_t band, struct rr_series *ret)
{
    struct rr_sql q;
    size_t n;
    rows(l, &q, "points", "WHERE series = ?", id, 1, &n);
    double *const v = RR_NEWS(l->arena, double, 4 * n + 1);
    *ret = (struct rr_series){ret->name, ret->x_unit, ret->y_unit, n, v, v + n, band & 1 ? v + 2 * n : NULL, band & 2 ? v + 3 * n : NULL};
    for (size_t i = 0; row(l, &q, i, n); i++) {
        q.column = 2; // behind series and i
        for (size_t k = 0; k < 4; k++) v[k * n + i] = rr_sql_getd(&q);
    }
}

static void load_series(struct loader *l, int64_t id, struct rr_alternative *a)
{
    struct rr_sql q;
    struct rr_series *r = rows(l, &q, "series", OF, id, sizeof *r, &a->n_series);
    a->series = r;
    for (size_t i = 0; row(l, &q, i, a->n_series); i++) {
        q.column = 0;
        const int64_t series = rr_sql_geti(&q);
        q.column = 2;
        r[i].name = text(l, &q);
        r[i].x_unit = text(l, &q);
        r[i].y_unit = text(l, &q);
        q.column = 6;
        load_points(l, series, rr_sql_geti(&q), &r[i]);
    }
}

static void load_losses(struct loader *l, int64_t id, struct rr_alternative *a)
{
    struct rr_sql q;
    struct rr_loss_row *r = rows(l, &q, "losses", OF, id, sizeof *r, &a->n_losses);
    a->loss = r;
    for (size_t i = 0; row(l, &q, i, a->n_losses); i++) {
        r[i].reason = text(l, &q);
        r[i].attempts = rr_sql_geti(&q);
        r[i].nodes = rr_sql_geti(&q);
        r[i].events = rr_sql_geti(&q);
        r[i].gpu_hours = rr_sql_getd(&q);
    }
}

static void load_bounds(struct loader *l, int64_t id, struct rr_alternative *a)
{
    struct rr_sql q;
    struct rr_bound_row *r = rows(l, &q, "waited_for", OF, id, sizeof *r, &a->n_bounds);
    a->bound = r;
    for (size_t i = 0; row(l, &q, i, a->n_bounds); i++) {
        r[i].bound = text(l, &q);
        r[i].what = text(l, &q);
        r[i].job_hours = rr_sql_getd(&q);
        r[i].gpu_hours = rr_sql_getd(&q);
    }
}

static void load_bars(struct loader *l, int64_t id, struct rr_alternative *a)
{
    struct rr_sql q;
    struct rr_bar *r = rows(l, &q, "bars", OF, id, sizeof *r, &a->n_bars);
    a->bar = r;
    for (size_t i = 0; row(l, &q, i, a->n_bars); i++) {
        r[i].job_id = text(l, &q);
        r[i].class_name = text(l, &q);
        r[i].node = (uint32_t)rr_sql_geti(&q);
        r[i].from_gpu = rr_sql_getd(&q);
        r[i].gpus = rr_sql_getd(&q);
        r[i].start_us = rr_sql_geti(&q);
        r[i].end_us = rr_sql_geti(&q);
        r[i].interrupted = rr_sql_geti(&q) != 0;
    }
}

// The attempts stay in the file (data/store_attempts.c): how many there are is told.
static void count_attempts(struct loader *l, int64_t id, struct rr_alternative *a)
{
    struct rr_sql q;
    rows(l, &q, "attempts", OF, id, 1, &a->n_attempts);
    rr_sql_close(&q);
}

/* GPUs by node from those by lease. */
static void index_gpus(struct loader *l, struct rr_alternative *a, const int32_t *gpus)
{
    uint32_t most = 0;
    for (size_t i = 0; i < a->n_leases; i++)
        if (a->lease[i].node > most) most = a->lease[i].node;
    if (most >= MOST_NODES) return;
    int32_t *by_node = RR_NEWS(l->arena, int32_t, (size_t)most + 1);
    for (size_t i = 0; i < a->n_leases; i++) by_node[a->lease[i].node] = gpus[i];
    a->node_gpus = by_node;
}

static void load_leases(struct loader *l, int64_t id, struct rr_alternative *a)
{
    struct rr_sql q;
    struct rr_lease *r = rows(l, &q, "leases", OF, id, sizeof *r, &a->n_leases);
    int32_t *gpus = RR_NEWS(l->arena, int32_t, a->n_leases + 1);
    a->lease = r;
    for (size_t i = 0; row(l, &q, i, a->n_leases); i++) {
        r[i].pool = (uint16_t)rr_sql_geti(&q);
        r[i].node = (uint32_t)rr_sql_geti(&q);
        r[i].start_us = rr_sql_geti(&q);
        r[i].ready_us = rr_sql_geti(&q);
        r[i].end_us = rr_sql_geti(&q);
        r[i].used_milli_us = rr_sql_geti(&q);
        r[i].down_milli_us = rr_sql_geti(&q);
        const int64_t n = rr_sql_geti(&q), why = rr_sql_geti(&q);
        gpus[i] = n >= 0 && n <= INT32_MAX ? (int32_t)n : 0;
        r[i].why = (uint8_t)(why >= 0 && why < RR_WHYS ? why : RR_WHY_NONE);
    }
    index_gpus(l, a, gpus);
}

/* node_name[] reaches as far as the leases do; a lease of a node without a name is possible. */
static void load_nodes(struct loader *l, int64_t id, struct rr_alternative *a)
{
    struct rr_sql q;
    size_t n;
    rows(l, &q, "nodes", OF, id, 1, &n);
    uint32_t most = 0;
    for (size_t i = 0; i < a->n_leases; i++)
        if (a->lease[i].node > most) most = a->lease[i].node;
    const char **name = n > 0 && most < MOST_NODES ? RR_NEWS(l->arena, const char *, (size_t)most + 1) : NULL;
    for (size_t i = 0; row(l, &q, i, n); i++) {
        const int64_t node = rr_sql_geti(&q);
        if (name && node >= 0 && node <= most) name[node] = text(l, &q);
    }
    a->node_name = name;
}

static void load_charges(struct loader *l, int64_t id, struct rr_alternative *a)
{
    struct rr_sql q;
    struct rr_charge *r = rows(l, &q, "charges", OF, id, sizeof *r, &a->n_charges);
    a->charge = r;
    for (size_t i = 0; row(l, &q, i, a->n_charges); i++) {
        r[i].pool = (int)rr_sql_geti(&q);
        r[i].type = text(l, &q);
        r[i].line = text(l, &q);
        r[i].commitment = text(l, &q);
        r[i].energy = rr_sql_geti(&q) != 0;
        r[i].from_us = rr_sql_geti(&q);
        r[i].to_us = rr_sql_geti(&q);
        r[i].due_us = rr_sql_geti(&q);
        r[i].billed = money(&q);
        r[i].effective = money(&q);
        r[i].after_horizon = money(&q);
        r[i].quantity = rr_sql_getd(&q);
        r[i].unit = text(l, &q);
        r[i].rate = rate(&q);
        r[i].list_nano = rr_sql_geti(&q);
        const int64_t pricing = rr_sql_geti(&q);
        r[i].until_us = rr_sql_geti(&q);
        r[i].pricing = pricing >= 0 && pricing <= RR_PRICING_OTHER ? (enum rr_pricing)pricing : RR_PRICING_STANDARD;
    }
}

static void load_covers(struct loader *l, int64_t id, struct rr_alternative *a)
{
    struct rr_sql q;
    struct rr_cover *r = rows(l, &q, "covers", OF, id, sizeof *r, &a->n_covers);
    a->cover = r;
    for (size_t i = 0; row(l, &q, i, a->n_covers); i++) {
        r[i].commitment = text(l, &q);
        r[i].pool = (int)rr_sql_geti(&q);
        r[i].from_us = rr_sql_geti(&q);
        r[i].to_us = rr_sql_geti(&q);
        r[i].part = rr_sql_geti(&q);
        r[i].quantity = rr_sql_getd(&q);
        r[i].unit = text(l, &q);
        r[i].rate = rate(&q);
        r[i].list_nano = rr_sql_geti(&q);
    }
}

static void load_document(struct loader *l, int64_t id, struct rr_alternative *a)
{
    struct rr_sql q;
    rr_sql_open(&q, l->db, "SELECT document FROM documents WHERE alternative = ?");
    rr_sql_i(&q, id);
    q.column = 0;
    if (rr_sql_next(&q)) a->document = rr_strdup(l->arena, rr_sql_gets(&q));
    if (q.rc != SQLITE_OK) l->rc = q.rc;
    rr_sql_close(&q);
}

/* Rows by pool, then month: as many of each pool. */
static void load_used(struct loader *l, int64_t id, struct rr_alternative *a)
{
    struct rr_sql q;
    size_t n;
    rows(l, &q, "used_months", OF, id, 1, &n);
    rr_i128 *all = RR_NEWS(l->arena, rr_i128, n + 1);
    for (size_t i = 0; row(l, &q, i, n); i++) {
        q.column = 3; // behind pool and month
        const int64_t gpu_s = rr_sql_geti(&q);
        all[i] = (rr_i128)gpu_s * 1000000000 + rr_sql_geti(&q);
    }
    if (a->n_pools == 0 || n == 0 || n % a->n_pools != 0) return;
    a->n_used_months = n / a->n_pools;
    const rr_i128 **used = RR_NEWS(l->arena, const rr_i128 *, a->n_pools);
    for (size_t p = 0; p < a->n_pools; p++) used[p] = all + p * a->n_used_months;
    a->used_month = used;
}

static void load_metrics(struct loader *l, int64_t id, struct rr_alternative *a)
{
    for (int k = 0; k < RR_METRICS; k++) a->metric[k] = (struct rr_stat){0, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    struct rr_sql q;
    rr_sql_open(&q, l->db, "SELECT * FROM metrics WHERE alternative = ?");
    rr_sql_i(&q, id);
    for (size_t i = 0; row(l, &q, i, SIZE_MAX); i++) {
        const int k = rr_metric_find(rr_sql_gets(&q));
        if (k >= 0) a->metric[k] = stat_of(&q);
    }
}

static void load_alternatives(struct loader *l)
{
    static void (*const parts[])(struct loader *, int64_t, struct rr_alternative *) = {
        load_metrics, load_months,    load_lines,  load_classes, load_pools,   load_laws,   load_series,   load_losses, load_bounds,
        load_bars,    count_attempts, load_leases, load_nodes,   load_charges, load_covers, load_document, load_used};
    struct rr_sql q;
    struct rr_alternative *r = rows(l, &q, "alternatives", "", 0, sizeof *r, &l->s->n_alternatives);
    l->s->alternative = r;
    for (size_t i = 0; row(l, &q, i, l->s->n_alternatives); i++) {
        r[i].name = text(l, &q);
        r[i].alternative = text(l, &q);
        r[i].unpriced = rr_sql_geti(&q) != 0;
        r[i].meets_service = rr_sql_geti(&q) != 0;
        r[i].same_work = rr_sql_geti(&q) != 0;
        r[i].service_detail = text(l, &q);
        r[i].end_us = rr_sql_geti(&q);
        r[i].not_submitted = rr_sql_geti(&q);
        for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) parts[k](l, (int64_t)i, &r[i]);
        r[i].note = load_notes(l, (int64_t)i, &r[i].n_notes);
    }
}

static void load_inputs(struct loader *l)
{
    struct rr_sql q;
    struct rr_input_file *r = rows(l, &q, "inputs", "", 0, sizeof *r, &l->s->n_inputs);
    l->s->input = r;
    for (size_t i = 0; row(l, &q, i, l->s->n_inputs); i++) {
        q.column = 0;
        r[i].path = text(l, &q);
        r[i].sha256 = text(l, &q);
    }
}

static void load_pairs(struct loader *l)
{
    struct rr_sql q;
    size_t n, kept = 0;
    struct rr_pair *r = rows(l, &q, "pairs", "", 0, sizeof *r, &n);
    for (size_t i = 0; row(l, &q, i, n); i++) {
        q.column = 0;
        struct rr_pair p = {.a = text(l, &q), .b = text(l, &q), .metric = rr_metric_find(rr_sql_gets(&q))};
        p.prob_a_cheaper = rr_sql_getd(&q);
        p.diff = stat_of(&q);
        if (p.metric >= 0) r[kept++] = p;
    }
    l->s->pair = r;
    l->s->n_pairs = kept;
}

static void load_gates(struct loader *l)
{
    struct rr_sql q;
    size_t n, kept = 0;
    struct rr_gate_result *r = rows(l, &q, "gates", "", 0, sizeof *r, &n);
    for (size_t i = 0; row(l, &q, i, n); i++) {
        q.column = 0;
        struct rr_gate_result g = {.name = text(l, &q), .alternative = text(l, &q), .metric = rr_metric_find(rr_sql_gets(&q))};
        g.stat = text(l, &q);
        g.is_max = rr_sql_geti(&q) != 0;
        g.limit = rr_sql_getd(&q);
        g.value = rr_sql_getd(&q);
        g.result = text(l, &q);
        if (g.metric >= 0) r[kept++] = g;
    }
    l->s->gate = r;
    l->s->n_gates = kept;
}

static void load_meta(struct loader *l)
{
    struct rr_store *s = l->s;
    const struct {
        const char *key, **ret;
    } texts[] = {{"schema", &s->schema},
                 {"name", &s->name},
                 {"version", &s->version},
                 {"currency", &s->currency},
                 {"scenario_path", &s->scenario_path},
                 {"baseline", &s->baseline},
                 {"verdict", &s->verdict},
                 {"criterion", &s->criterion},
                 {"best", &s->best}};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) *texts[k].ret = "";
    s->horizon_s = NAN;
    struct rr_sql q;
    rr_sql_open(&q, l->db, "SELECT key, value FROM meta");
    while (rr_sql_next(&q)) {
        const char *key = rr_sql_gets(&q);
        for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
            if (strcmp(key, texts[k].key) == 0) *texts[k].ret = text(l, &q);
        q.column = 1;
        if (strcmp(key, "seed") == 0)
            s->seed = rr_sql_geti(&q);
        else if (strcmp(key, "replications") == 0)
            s->replications = rr_sql_geti(&q);
        else if (strcmp(key, "anchored") == 0)
            s->anchored = rr_sql_geti(&q) != 0;
        else if (strcmp(key, "start_us") == 0)
            s->start_us = rr_sql_geti(&q);
        else if (strcmp(key, "horizon_s") == 0)
            s->horizon_s = rr_sql_getd(&q);
    }
    if (q.rc != SQLITE_OK) l->rc = q.rc;
    rr_sql_close(&q);
}

static int64_t pragma(sqlite3 *db, const char *sql)
{
    struct rr_sql q;
    int64_t v = -1;
    if (rr_sql_open(&q, db, sql) == SQLITE_OK && rr_sql_next(&q)) v = rr_sql_geti(&q);
    rr_sql_close(&q);
    return v;
}

static enum rr_status load_from(struct loader *l, const char *path)
{
    if (pragma(l->db, "PRAGMA application_id") != RR_DB_APPLICATION) return rr_fail(RR_EINPUT, "%s: is no results.db of rackrate", path);
    if (pragma(l->db, "PRAGMA user_version") != RR_DB_VERSION)
        return rr_fail(RR_EINPUT, "%s: is of another version of rackrate: this one reads schema rackrate.results/1", path);
    load_meta(l);
    load_inputs(l);
    load_alternatives(l);
    l->s->note = load_notes(l, -1, &l->s->n_notes);
    load_pairs(l);
    load_gates(l);
    if (l->rc == SQLITE_OK) l->rc = rr_load_sheets(l->db, l->arena, l->s);
    if (l->rc != SQLITE_OK) return rr_fail(RR_EINPUT, "%s: damaged: %s", path, sqlite3_errmsg(l->db));
    return RR_OK;
}

enum rr_status rr_store_load(const char *path, struct rr_arena *arena, struct rr_store *ret)
{
    struct stat is;
    if (stat(path, &is) < 0) return rr_fail(RR_EIO, "%s: %s", path, strerror(errno));
    struct rr_store s = {0};
    struct loader l = {.arena = arena, .s = &s};
    const int rc = sqlite3_open_v2(path, &l.db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL);
    const enum rr_status st = rc == SQLITE_OK ? load_from(&l, path) : rr_sql_fail(l.db, path, rc);
    sqlite3_close(l.db);
    if (st == RR_OK) *ret = s;
    return st;
}
