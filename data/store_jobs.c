/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/store_jobs.c - jobs one by one, from memory or from a results.db. */
#include "data/store_db.h"
#include <stdlib.h>

const char *rr_store_pool_name(const struct rr_alternative *a, int64_t i)
{
    return i >= 0 && (uint64_t)i < a->n_pools ? rr_or_empty(a->pool[i].name) : "";
}

static const char *name_at(const char *const *name, size_t n, uint32_t i) { return name && i < n ? rr_or_empty(name[i]) : ""; }

static void derive(struct rr_job_view *j, bool over)
{
    j->wait_us = j->start_us == RR_NEVER ? RR_NEVER : j->start_us - j->submit_us;
    j->jct_us = over && j->start_us != RR_NEVER && j->end_us != RR_NEVER ? j->end_us - j->submit_us : RR_NEVER;
    j->replication = 1;
}

bool rr_job_view_of(const struct rr_alternative *a, size_t i, char id[24], struct rr_job_view *ret)
{
    const struct rr_trace *t = a->trace;
    const struct rr_outcome *o = &a->outcome[i];
    if (o->state == RR_JOB_NOT_SUBMITTED) return false;
    const bool ran = !t->state || t->state[i] != RR_TRACE_NEVER_STARTED;
    *ret = (struct rr_job_view){
        .id = rr_trace_id(t, i, id),
        .user = name_at(t->user_name, t->n_users, t->user_id ? t->user_id[i] : 0),
        .account = name_at(t->account_name, t->n_accounts, t->account_id ? t->account_id[i] : 0),
        .class_name = name_at(t->class_name, t->n_classes, t->class_id ? t->class_id[i] : 0),
        .pool = rr_store_pool_name(a, o->pool == UINT16_MAX ? -1 : o->pool),
        .reason = rr_why_text(o->reason),
        .status = rr_job_state_text(o->state),
        .alternative = a->name,
        .gpus_milli = t->gpus_milli[i],
        .submit_us = t->submit_us[i],
        .start_us = o->start_us,
        .end_us = o->end_us,
        .run_us = ran ? t->run_us[i] : RR_NEVER,
        .lost_us = o->lost_us,
        .attempts = o->attempts,
    };
    derive(ret, o->state == RR_JOB_FINISHED || o->state == RR_JOB_FAILED || o->state == RR_JOB_KILLED);
    return true;
}

static enum rr_status jobs_in_memory(const struct rr_alternative *a, enum rr_status (*each)(void *, const struct rr_job_view *), void *ctx)
{
    for (size_t i = 0; i < a->trace->n; i++) {
        struct rr_job_view job;
        char id[24];
        if (rr_job_view_of(a, i, id, &job)) RR_TRY(each(ctx, &job));
    }
    return RR_OK;
}

static int64_t count_names(sqlite3 *db)
{
    struct rr_sql q;
    int64_t n = 0;
    if (rr_sql_open(&q, db, "SELECT max(id) + 1 FROM names") == SQLITE_OK && rr_sql_next(&q)) n = rr_sql_geti(&q);
    rr_sql_close(&q);
    return n;
}

struct names {
    struct rr_arena *arena;
    const char **text;
    int64_t n;
};

static int read_names(sqlite3 *db, struct names *ret)
{
    const int64_t n = count_names(db);
    if (n < 0 || n > INT32_MAX) return SQLITE_CORRUPT;
    ret->n = n;
    ret->text = RR_NEWS(ret->arena, const char *, (size_t)n + 1);
    struct rr_sql q;
    rr_sql_open(&q, db, "SELECT id, text FROM names");
    while (rr_sql_next(&q)) {
        const int64_t id = rr_sql_geti(&q);
        if (id >= 0 && id < n) ret->text[id] = rr_strdup(ret->arena, rr_sql_gets(&q));
    }
    rr_sql_close(&q);
    return q.rc;
}

static const char *name_of(const struct names *names, struct rr_sql *q)
{
    const int64_t id = rr_sql_gettime(q); // NULL is RR_NEVER, past the end
    return id >= 0 && id < names->n ? rr_or_empty(names->text[id]) : "";
}

static void read_job(struct rr_sql *q, const struct rr_store *s, const struct names *names, struct rr_job_view *ret)
{
    const int64_t alternative = rr_sql_geti(q);
    const struct rr_alternative *a = alternative >= 0 && (uint64_t)alternative < s->n_alternatives ? &s->alternative[alternative] : NULL;
    *ret = (struct rr_job_view){.alternative = a ? a->name : "", .id = rr_sql_gets(q)};
    ret->user = name_of(names, q);
    ret->account = name_of(names, q);
    ret->class_name = name_of(names, q);
    ret->gpus_milli = rr_sql_geti(q);
    ret->submit_us = rr_sql_geti(q);
    ret->start_us = rr_sql_gettime(q);
    ret->end_us = rr_sql_gettime(q);
    ret->run_us = rr_sql_gettime(q);
    ret->lost_us = rr_sql_geti(q);
    ret->attempts = rr_sql_geti(q);
    ret->status = rr_sql_gets(q);
    const int64_t pool = rr_sql_geti(q);
    ret->pool = a ? rr_store_pool_name(a, pool) : "";
    ret->reason = rr_sql_gets(q);
    derive(ret, ret->status[0] == 'f' || ret->status[0] == 'k'); // finished, failed, killed
}

static enum rr_status jobs_in_db(sqlite3 *db, const char *path, const struct rr_store *s,
                                 enum rr_status (*each)(void *, const struct rr_job_view *), void *ctx)
{
    enum rr_status st = RR_OK;
    struct names names = {.arena = rr_arena_create()};
    struct rr_sql q = {0};
    int rc = read_names(db, &names);
    if (rc == SQLITE_OK) rc = rr_sql_open(&q, db, "SELECT * FROM jobs ORDER BY rowid");
    while (rc == SQLITE_OK && st == RR_OK && rr_sql_next(&q)) {
        struct rr_job_view job;
        read_job(&q, s, &names, &job);
        st = each(ctx, &job);
    }
    if (rc == SQLITE_OK) rc = q.rc;
    if (st == RR_OK && rc != SQLITE_OK) st = rr_sql_fail(db, path, rc);
    rr_sql_close(&q);
    rr_arena_free(names.arena);
    return st;
}

enum rr_status rr_store_jobs(const struct rr_store *s, const char *db_path,
                             enum rr_status (*each)(void *ctx, const struct rr_job_view *job), void *ctx)
{
    if (db_path) {
        sqlite3 *db = NULL;
        const int rc = sqlite3_open_v2(db_path, &db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL);
        const enum rr_status st = rc == SQLITE_OK ? jobs_in_db(db, db_path, s, each, ctx) : rr_sql_fail(db, db_path, rc);
        sqlite3_close(db);
        return st;
    }
    for (size_t i = 0; i < s->n_alternatives; i++)
        if (s->alternative[i].trace && s->alternative[i].outcome) RR_TRY(jobs_in_memory(&s->alternative[i], each, ctx));
    return RR_OK;
}
