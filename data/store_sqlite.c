/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/store_sqlite.c - a run into results.db.
 *
 * One transaction without a journal: the file is made beside its name and thrown away when anything fails, so there is nothing to roll
 * back. The same run gives the same bytes. */
#include "data/outfile.h"
#include "data/store_db.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

// Places of the columns of `names` that hold a trace's users, accounts and classes.
struct bases {
    const struct rr_trace *trace;
    int64_t user, account, klass;
};
struct saver {
    sqlite3 *db;
    const struct rr_store *s;
    int64_t names; // rows in `names` so far
    int64_t series;
};

static void put_meta(struct rr_sql *q, const char *key, const char *text)
{
    rr_sql_s(q, key);
    rr_sql_s(q, text);
    rr_sql_step(q);
}

static void put_meta_i(struct rr_sql *q, const char *key, int64_t v)
{
    rr_sql_s(q, key);
    rr_sql_i(q, v);
    rr_sql_step(q);
}

static int save_meta(struct saver *v)
{
    const struct rr_store *s = v->s;
    struct rr_sql q;
    if (rr_sql_open(&q, v->db, "INSERT INTO meta VALUES (?, ?)") != SQLITE_OK) return q.rc;
    put_meta(&q, "schema", s->schema);
    put_meta(&q, "name", s->name);
    put_meta(&q, "version", s->version);
    put_meta(&q, "currency", s->currency);
    put_meta(&q, "scenario_path", s->scenario_path);
    put_meta(&q, "baseline", s->baseline);
    put_meta(&q, "verdict", s->verdict);
    put_meta(&q, "criterion", s->criterion);
    put_meta(&q, "best", s->best);
    put_meta_i(&q, "seed", s->seed);
    put_meta_i(&q, "replications", s->replications);
    put_meta_i(&q, "anchored", s->anchored);
    put_meta_i(&q, "start_us", s->start_us);
    rr_sql_s(&q, "horizon_s");
    rr_sql_d(&q, s->horizon_s);
    rr_sql_step(&q);
    rr_sql_close(&q);
    return q.rc;
}

static int save_inputs(struct saver *v)
{
    struct rr_sql q;
    if (rr_sql_open(&q, v->db, "INSERT INTO inputs VALUES (?, ?)") != SQLITE_OK) return q.rc;
    for (size_t i = 0; i < v->s->n_inputs; i++) {
        rr_sql_s(&q, v->s->input[i].path);
        rr_sql_s(&q, v->s->input[i].sha256);
        rr_sql_step(&q);
    }
    rr_sql_close(&q);
    return q.rc;
}

static void put_note(struct rr_sql *q, int64_t alternative, const char *kind, const struct rr_note *n)
{
    rr_sql_i(q, alternative);
    rr_sql_s(q, kind);
    rr_sql_s(q, n->where);
    rr_sql_s(q, n->text);
    rr_sql_s(q, n->source);
    rr_sql_step(q);
}

static int save_notes(struct saver *v)
{
    const struct rr_store *s = v->s;
    struct rr_sql q;
    if (rr_sql_open(&q, v->db, "INSERT INTO notes VALUES (?, ?, ?, ?, ?)") != SQLITE_OK) return q.rc;
    for (size_t i = 0; i < s->n_headline; i++) put_note(&q, -1, "headline", &(struct rr_note){.text = s->headline[i]});
    for (size_t i = 0; i < s->n_varied; i++) put_note(&q, -1, "varied", &(struct rr_note){.text = s->varied[i]});
    for (size_t i = 0; i < s->n_notes; i++) put_note(&q, -1, rr_note_kinds[s->note[i].kind], &s->note[i]);
    for (size_t a = 0; a < s->n_alternatives; a++)
        for (size_t i = 0; i < s->alternative[a].n_notes; i++)
            put_note(&q, (int64_t)a, rr_note_kinds[s->alternative[a].note[i].kind], &s->alternative[a].note[i]);
    rr_sql_close(&q);
    return q.rc;
}

static void put_stat(struct rr_sql *q, const struct rr_stat *t)
{
    rr_sql_i(q, t->n);
    const double d[] = {t->mean, t->stddev, t->ci95, t->min, t->p10, t->p50, t->p90, t->max};
    for (size_t i = 0; i < sizeof d / sizeof *d; i++) rr_sql_d(q, d[i]);
}

static int save_alternatives(struct saver *v)
{
    struct rr_sql q, m;
    if (rr_sql_open(&q, v->db, "INSERT INTO alternatives VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)") != SQLITE_OK) return q.rc;
    if (rr_sql_open(&m, v->db, "INSERT INTO metrics VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)") != SQLITE_OK) q.rc = m.rc;
    for (size_t i = 0; i < v->s->n_alternatives && m.rc == SQLITE_OK; i++) {
        const struct rr_alternative *a = &v->s->alternative[i];
        rr_sql_i(&q, (int64_t)i);
        rr_sql_s(&q, a->name);
        rr_sql_s(&q, a->alternative);
        rr_sql_i(&q, a->unpriced);
        rr_sql_i(&q, a->meets_service);
        rr_sql_i(&q, a->same_work);
        rr_sql_s(&q, a->service_detail);
        rr_sql_i(&q, a->end_us);
        rr_sql_i(&q, a->not_submitted);
        rr_sql_step(&q);
        for (int k = 0; k < RR_METRICS; k++) {
            rr_sql_i(&m, (int64_t)i);
            rr_sql_s(&m, rr_metric_info[k].name);
            put_stat(&m, &a->metric[k]);
            rr_sql_step(&m);
        }
    }
    rr_sql_close(&q);
    rr_sql_close(&m);
    return q.rc != SQLITE_OK ? q.rc : m.rc;
}

static int save_monthly(struct saver *v, int64_t id, const struct rr_alternative *a)
{
    struct rr_sql q;
    if (rr_sql_open(&q, v->db, "INSERT INTO monthly VALUES (?, ?, ?, ?, ?, ?, ?, ?)") != SQLITE_OK) return q.rc;
    for (size_t i = 0; i < a->n_months; i++) {
        const struct rr_month_row *r = &a->month[i];
        rr_sql_i(&q, id);
        rr_sql_s(&q, r->month);
        rr_sql_i(&q, r->from_us);
        rr_sql_i(&q, r->to_us);
        rr_sql_i(&q, r->effective.micro);
        rr_sql_i(&q, r->billed.micro);
        rr_sql_d(&q, r->used_gpu_hours);
        rr_sql_d(&q, r->held_gpu_hours);
        rr_sql_step(&q);
    }
    rr_sql_close(&q);
    return q.rc;
}

static void put_rate(struct rr_sql *q, struct rr_rate r)
{
    rr_sql_i(q, r.nano);
    rr_sql_i(q, r.per);
    rr_sql_i(q, r.time);
}

static int save_lines(struct saver *v, int64_t id, const struct rr_alternative *a)
{
    struct rr_sql q;
    if (rr_sql_open(&q, v->db, "INSERT INTO cost_lines VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)") != SQLITE_OK) return q.rc;
    for (size_t i = 0; i < a->n_lines; i++) {
        const struct rr_cost_line *l = &a->line[i];
        rr_sql_i(&q, id);
        rr_sql_s(&q, l->type);
        rr_sql_s(&q, l->line);
        rr_sql_s(&q, l->pool);
        rr_sql_s(&q, l->commitment);
        rr_sql_i(&q, l->billed.micro);
        rr_sql_i(&q, l->effective.micro);
        rr_sql_i(&q, l->after_horizon.micro);
        rr_sql_d(&q, l->quantity);
        rr_sql_s(&q, l->unit);
        put_rate(&q, l->rate);
        rr_sql_step(&q);
    }
    rr_sql_close(&q);
    return q.rc;
}

static int save_classes(struct saver *v, int64_t id, const struct rr_alternative *a)
{
    struct rr_sql q;
    if (rr_sql_open(&q, v->db, "INSERT INTO classes VALUES (?, ?, ?, ?, ?, ?, ?, ?)") != SQLITE_OK) return q.rc;
    for (size_t i = 0; i < a->n_classes; i++) {
        const struct rr_class_row *c = &a->class_row[i];
        rr_sql_i(&q, id);
        rr_sql_s(&q, c->name);
        rr_sql_i(&q, c->jobs);
        rr_sql_i(&q, c->finished);
        rr_sql_d(&q, c->used_gpu_hours);
        rr_sql_i(&q, c->effective.micro);
        rr_sql_i(&q, c->billed.micro);
        rr_sql_d(&q, c->wait_mean_s);
        rr_sql_step(&q);
    }
    rr_sql_close(&q);
    return q.rc;
}

static int save_pools(struct saver *v, int64_t id, const struct rr_alternative *a)
{
    struct rr_sql q;
    if (rr_sql_open(&q, v->db, "INSERT INTO pools VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)") != SQLITE_OK) return q.rc;
    for (size_t i = 0; i < a->n_pools; i++) {
        const struct rr_pool_row *p = &a->pool[i];
        rr_sql_i(&q, id);
        rr_sql_i(&q, (int64_t)i);
        rr_sql_s(&q, p->name);
        rr_sql_s(&q, p->what);
        rr_sql_s(&q, p->plan);
        rr_sql_i(&q, p->nodes_min);
        rr_sql_i(&q, p->nodes_max);
        rr_sql_i(&q, p->nodes_peak);
        const double hours[] = {p->held, p->used, p->lost, p->idle, p->starting, p->down};
        for (size_t k = 0; k < sizeof hours / sizeof *hours; k++) rr_sql_d(&q, hours[k]);
        rr_sql_i(&q, p->effective.micro);
        rr_sql_i(&q, p->billed.micro);
        rr_sql_step(&q);
    }
    rr_sql_close(&q);
    return q.rc;
}

static int save_laws(struct saver *v, int64_t id, const struct rr_alternative *a)
{
    struct rr_sql q;
    if (rr_sql_open(&q, v->db, "INSERT INTO laws VALUES (?, ?, ?, ?)") != SQLITE_OK) return q.rc;
    for (size_t i = 0; i < a->n_laws; i++) {
        rr_sql_i(&q, id);
        rr_sql_s(&q, a->law[i].law);
        rr_sql_i(&q, a->law[i].holds);
        rr_sql_s(&q, a->law[i].detail);
        rr_sql_step(&q);
    }
    rr_sql_close(&q);
    return q.rc;
}

static void put_points(struct rr_sql *q, int64_t id, const struct rr_series *r)
{
    for (size_t i = 0; i < r->n; i++) {
        rr_sql_i(q, id);
        rr_sql_i(q, (int64_t)i);
        rr_sql_d(q, r->x[i]);
        rr_sql_d(q, r->mean[i]);
        rr_sql_d(q, r->min ? r->min[i] : (double)NAN);
        rr_sql_d(q, r->max ? r->max[i] : (double)NAN);
        rr_sql_step(q);
    }
}

static int save_series(struct saver *v, int64_t id, const struct rr_alternative *a)
{
    struct rr_sql q, p;
    if (rr_sql_open(&q, v->db, "INSERT INTO series VALUES (?, ?, ?, ?, ?, ?, ?)") != SQLITE_OK) return q.rc;
    if (rr_sql_open(&p, v->db, "INSERT INTO points VALUES (?, ?, ?, ?, ?, ?)") != SQLITE_OK) q.rc = p.rc;
    for (size_t i = 0; i < a->n_series && p.rc == SQLITE_OK; i++) {
        const struct rr_series *r = &a->series[i];
        rr_sql_i(&q, ++v->series);
        rr_sql_i(&q, id);
        rr_sql_s(&q, r->name);
        rr_sql_s(&q, r->x_unit);
        rr_sql_s(&q, r->y_unit);
        rr_sql_i(&q, (int64_t)r->n);
        rr_sql_i(&q, (r->min ? 1 : 0) | (r->max ? 2 : 0));
        rr_sql_step(&q);
        put_points(&p, v->series, r);
    }
    rr_sql_close(&q);
    rr_sql_close(&p);
    return q.rc != SQLITE_OK ? q.rc : p.rc;
}

static int save_pairs(struct saver *v)
{
    struct rr_sql q;
    if (rr_sql_open(&q, v->db, "INSERT INTO pairs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)") != SQLITE_OK) return q.rc;
    for (size_t i = 0; i < v->s->n_pairs; i++) {
        const struct rr_pair *p = &v->s->pair[i];
        rr_sql_s(&q, p->a);
        rr_sql_s(&q, p->b);
        rr_sql_s(&q, rr_metric_info[p->metric].name);
        rr_sql_d(&q, p->prob_a_cheaper);
        put_stat(&q, &p->diff);
        rr_sql_step(&q);
    }
    rr_sql_close(&q);
    return q.rc;
}

static int save_gates(struct saver *v)
{
    struct rr_sql q;
    if (rr_sql_open(&q, v->db, "INSERT INTO gates VALUES (?, ?, ?, ?, ?, ?, ?, ?)") != SQLITE_OK) return q.rc;
    for (size_t i = 0; i < v->s->n_gates; i++) {
        const struct rr_gate_result *g = &v->s->gate[i];
        rr_sql_s(&q, g->name);
        rr_sql_s(&q, g->alternative);
        rr_sql_s(&q, rr_metric_info[g->metric].name);
        rr_sql_s(&q, g->stat);
        rr_sql_i(&q, g->is_max);
        rr_sql_d(&q, g->limit);
        rr_sql_d(&q, g->value);
        rr_sql_s(&q, g->result);
        rr_sql_step(&q);
    }
    rr_sql_close(&q);
    return q.rc;
}

static int64_t put_names(struct saver *v, struct rr_sql *q, const char *const *name, size_t n)
{
    const int64_t base = v->names;
    for (size_t i = 0; i < n; i++) {
        rr_sql_i(q, base + (int64_t)i);
        rr_sql_s(q, name ? name[i] : "");
        rr_sql_step(q);
    }
    v->names += (int64_t)n;
    return base;
}

static int save_names(struct saver *v, const struct rr_trace *t, struct bases *b)
{
    struct rr_sql q;
    if (rr_sql_open(&q, v->db, "INSERT INTO names VALUES (?, ?)") != SQLITE_OK) return q.rc;
    b->trace = t;
    b->user = put_names(v, &q, t->user_name, t->n_users);
    b->account = put_names(v, &q, t->account_name, t->n_accounts);
    b->klass = put_names(v, &q, t->class_name, t->n_classes);
    rr_sql_close(&q);
    return q.rc;
}

// The row of `names`; "" is stored as NULL.
static void put_name(struct rr_sql *q, int64_t base, const char *const *name, int64_t i, size_t n)
{
    rr_sql_time(q, i >= 0 && (size_t)i < n && name && *name[i] ? base + i : RR_NEVER); // no name is NULL
}

static int save_jobs(struct saver *v, int64_t id, const struct rr_alternative *a, const struct bases *b)
{
    const struct rr_trace *t = a->trace;
    struct rr_sql q;
    if (rr_sql_open(&q, v->db, "INSERT INTO jobs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)") != SQLITE_OK) return q.rc;
    for (size_t i = 0; i < t->n && q.rc == SQLITE_OK; i++) {
        const struct rr_outcome *o = &a->outcome[i];
        struct rr_job_view job;
        char name[24];
        if (!rr_job_view_of(a, i, name, &job)) continue;
        rr_sql_i(&q, id);
        if (t->id_at)
            rr_sql_s(&q, job.id);
        else
            rr_sql_i(&q, (int64_t)i + 1);
        put_name(&q, b->user, t->user_name, t->user_id ? t->user_id[i] : 0, t->n_users);
        put_name(&q, b->account, t->account_name, t->account_id ? t->account_id[i] : 0, t->n_accounts);
        put_name(&q, b->klass, t->class_name, t->class_id ? t->class_id[i] : 0, t->n_classes);
        rr_sql_i(&q, job.gpus_milli);
        rr_sql_i(&q, job.submit_us);
        rr_sql_time(&q, job.start_us);
        rr_sql_time(&q, job.end_us);
        rr_sql_time(&q, job.run_us);
        rr_sql_i(&q, job.lost_us);
        rr_sql_i(&q, job.attempts);
        rr_sql_s(&q, job.status);
        rr_sql_i(&q, o->pool == UINT16_MAX ? -1 : o->pool);
        rr_sql_s(&q, job.reason);
        rr_sql_step(&q);
    }
    rr_sql_close(&q);
    return q.rc;
}

static int save_leases(struct saver *v, int64_t id, const struct rr_alternative *a)
{
    struct rr_sql q;
    if (rr_sql_open(&q, v->db, "INSERT INTO leases VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)") != SQLITE_OK) return q.rc;
    for (size_t i = 0; i < a->n_leases && q.rc == SQLITE_OK; i++) {
        const struct rr_lease *l = &a->lease[i];
        rr_sql_i(&q, id);
        rr_sql_i(&q, l->pool);
        rr_sql_i(&q, l->node);
        rr_sql_i(&q, l->start_us);
        rr_sql_i(&q, l->ready_us);
        rr_sql_i(&q, l->end_us);
        rr_sql_i(&q, l->used_milli_us);
        rr_sql_i(&q, l->down_milli_us);
        rr_sql_i(&q, a->node_gpus ? a->node_gpus[l->node] : 0);
        rr_sql_i(&q, l->why);
        rr_sql_step(&q);
    }
    rr_sql_close(&q);
    return q.rc;
}

// Names of the nodes that the leases speak of, once each.
static int save_nodes(struct saver *v, int64_t id, const struct rr_alternative *a)
{
    uint32_t most = 0;
    for (size_t i = 0; i < a->n_leases; i++)
        if (a->lease[i].node >= most) most = a->lease[i].node + 1;
    struct rr_sql q;
    if (rr_sql_open(&q, v->db, "INSERT INTO nodes VALUES (?, ?, ?)") != SQLITE_OK) return q.rc;
    bool *named = rr_xrealloc(NULL, (size_t)most + 1, sizeof *named);
    for (uint32_t k = 0; k < most; k++) named[k] = false;
    for (size_t i = 0; i < a->n_leases; i++) {
        const uint32_t k = a->lease[i].node;
        if (named[k] || !a->node_name[k]) continue;
        named[k] = true;
        rr_sql_i(&q, id);
        rr_sql_i(&q, k);
        rr_sql_s(&q, a->node_name[k]);
        rr_sql_step(&q);
    }
    free(named);
    rr_sql_close(&q);
    return q.rc;
}

static int save_charges(struct saver *v, int64_t id, const struct rr_alternative *a)
{
    struct rr_sql q;
    if (rr_sql_open(&q, v->db, "INSERT INTO charges VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)") != SQLITE_OK)
        return q.rc;
    for (size_t i = 0; i < a->n_charges && q.rc == SQLITE_OK; i++) {
        const struct rr_charge *c = &a->charge[i];
        rr_sql_i(&q, id);
        rr_sql_i(&q, c->pool);
        rr_sql_s(&q, c->type);
        rr_sql_s(&q, c->line);
        rr_sql_s(&q, c->commitment);
        rr_sql_i(&q, c->energy);
        rr_sql_i(&q, c->from_us);
        rr_sql_i(&q, c->to_us);
        rr_sql_i(&q, c->due_us);
        rr_sql_i(&q, c->billed.micro);
        rr_sql_i(&q, c->effective.micro);
        rr_sql_i(&q, c->after_horizon.micro);
        rr_sql_d(&q, c->quantity);
        rr_sql_s(&q, c->unit);
        put_rate(&q, c->rate);
        rr_sql_i(&q, c->list_nano);
        rr_sql_i(&q, c->pricing);
        rr_sql_i(&q, c->until_us);
        rr_sql_step(&q);
    }
    rr_sql_close(&q);
    return q.rc;
}

static int save_records(struct saver *v, int64_t id, const struct rr_alternative *a, struct bases *b)
{
    int rc = SQLITE_OK;
    if (a->trace && a->outcome) {
        if (b->trace != a->trace) rc = save_names(v, a->trace, b);
        if (rc == SQLITE_OK) rc = save_jobs(v, id, a, b);
    }
    if (rc == SQLITE_OK) rc = rr_save_attempts(v->db, id, a);
    if (rc == SQLITE_OK) rc = save_leases(v, id, a);
    if (rc == SQLITE_OK && a->node_name) rc = save_nodes(v, id, a);
    if (rc == SQLITE_OK) rc = save_charges(v, id, a);
    if (rc == SQLITE_OK) rc = rr_save_priced(v->db, id, a);
    return rc;
}

static int save_all(struct saver *v)
{
    static int (*const whole[])(struct saver *) = {save_meta, save_inputs, save_notes, save_alternatives, save_pairs, save_gates};
    static int (*const each[])(struct saver *, int64_t, const struct rr_alternative *) = {save_monthly, save_lines, save_classes,
                                                                                          save_pools,   save_laws,  save_series};
    int rc = rr_save_sheets(v->db, v->s);
    struct bases bases = {0};
    for (size_t k = 0; k < sizeof whole / sizeof *whole && rc == SQLITE_OK; k++) rc = whole[k](v);
    for (size_t i = 0; i < v->s->n_alternatives; i++) {
        for (size_t k = 0; k < sizeof each / sizeof *each && rc == SQLITE_OK; k++) rc = each[k](v, (int64_t)i, &v->s->alternative[i]);
        static int (*const more[])(sqlite3 *, int64_t, const struct rr_alternative *) = {rr_save_losses, rr_save_bounds, rr_save_bars};
        for (size_t k = 0; k < sizeof more / sizeof *more && rc == SQLITE_OK; k++) rc = more[k](v->db, (int64_t)i, &v->s->alternative[i]);
        if (rc == SQLITE_OK) rc = save_records(v, (int64_t)i, &v->s->alternative[i], &bases);
    }
    return rc;
}

static int run(sqlite3 *db, const char *sql) { return sqlite3_exec(db, sql, NULL, NULL, NULL); }

static int save_into(sqlite3 *db, const struct rr_store *s)
{
    char pragmas[256];
    snprintf(pragmas, sizeof pragmas,
             "PRAGMA page_size=16384; PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE;"
             "PRAGMA application_id=%d; PRAGMA user_version=%d; BEGIN",
             RR_DB_APPLICATION, RR_DB_VERSION);
    struct saver v = {.db = db, .s = s};
    const char *const indexes = strstr(rr_store_sql, "CREATE INDEX"); // sorted once instead of row by row
    char *tables = strndup(rr_store_sql, (size_t)(indexes - rr_store_sql));
    int rc = tables ? run(db, pragmas) : SQLITE_NOMEM;
    if (rc == SQLITE_OK) rc = run(db, tables);
    free(tables);
    if (rc == SQLITE_OK) rc = save_all(&v);
    if (rc == SQLITE_OK) rc = run(db, indexes);
    if (rc == SQLITE_OK) rc = run(db, "COMMIT");
    return rc;
}

enum rr_status rr_store_save(const struct rr_store *s, const char *path)
{
    struct rr_outfile *file;
    RR_TRY(rr_outfile_adopt(path, &file));
    enum rr_status st = RR_OK;
    sqlite3 *db = NULL;
    int rc = sqlite3_open_v2(rr_outfile_beside(file), &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL);
    if (rc == SQLITE_OK) rc = save_into(db, s);
    if (rc != SQLITE_OK) st = rr_sql_fail(db, path, rc);
    rc = sqlite3_close(db);
    if (st == RR_OK && rc != SQLITE_OK) st = rr_sql_fail(NULL, path, rc);
    if (st == RR_OK) st = rr_outfile_finish(file);
    if (st == RR_OK) st = rr_outfile_publish(file);
    rr_outfile_free(file);
    return st;
}
