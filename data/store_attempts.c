/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/store_attempts.c - attempts one by one, from memory or from a results.db; what was lost and waited for, into one. */
#include "data/store_db.h"
#include <stdlib.h>

/* Counts the attempts of each job, and tells attempt i. */
struct teller {
    const struct rr_alternative *a;
    uint16_t *count; /* [trace->n] */
    char id[24];
};

static struct teller teller_of(const struct rr_alternative *a)
{
    struct teller t = {.a = a, .count = rr_xrealloc(NULL, a->trace->n + 1, sizeof *t.count)};
    for (size_t i = 0; i < a->trace->n; i++) t.count[i] = 0;
    return t;
}

static struct rr_attempt_view tell(struct teller *t, size_t i)
{
    const struct rr_attempt *x = &t->a->attempt[i];
    return (struct rr_attempt_view){.job_id = rr_trace_id(t->a->trace, x->job, t->id),
                                    .pool = rr_store_pool_name(t->a, x->pool),
                                    .reason = rr_why_text(x->reason),
                                    .alternative = t->a->name,
                                    .attempt = ++t->count[x->job],
                                    .node = x->node,
                                    .nodes = x->nodes,
                                    .gpus_milli = x->gpus_milli,
                                    .start_us = x->start_us,
                                    .end_us = x->end_us,
                                    .used_milli_us = (__int128)x->gpus_milli * (x->end_us - x->start_us - x->lost_us),
                                    .lost_milli_us = (__int128)x->gpus_milli * x->lost_us};
}

int rr_save_attempts(sqlite3 *db, int64_t id, const struct rr_alternative *a)
{
    struct rr_sql q;
    if (!a->attempt || !a->trace) return SQLITE_OK;
    if (rr_sql_open(&q, db, "INSERT INTO attempts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)") != SQLITE_OK) return q.rc;
    struct teller t = teller_of(a);
    for (size_t i = 0; i < a->n_attempts && q.rc == SQLITE_OK; i++) {
        const struct rr_attempt_view x = tell(&t, i);
        rr_sql_i(&q, id);
        if (a->trace->id_at)
            rr_sql_s(&q, x.job_id);
        else
            rr_sql_i(&q, (int64_t)a->attempt[i].job + 1);
        const int64_t whole[] = {x.attempt,
                                 a->attempt[i].pool,
                                 x.node,
                                 x.nodes,
                                 x.gpus_milli,
                                 x.start_us,
                                 x.end_us,
                                 (int64_t)x.used_milli_us,
                                 (int64_t)x.lost_milli_us};
        for (size_t k = 0; k < sizeof whole / sizeof *whole; k++) rr_sql_i(&q, whole[k]);
        rr_sql_s(&q, x.reason);
        rr_sql_step(&q);
    }
    free(t.count);
    rr_sql_close(&q);
    return q.rc;
}

int rr_save_losses(sqlite3 *db, int64_t id, const struct rr_alternative *a)
{
    struct rr_sql q;
    if (rr_sql_open(&q, db, "INSERT INTO losses VALUES (?, ?, ?, ?, ?, ?)") != SQLITE_OK) return q.rc;
    for (size_t i = 0; i < a->n_losses; i++) {
        rr_sql_i(&q, id);
        rr_sql_s(&q, a->loss[i].reason);
        rr_sql_i(&q, a->loss[i].attempts);
        rr_sql_i(&q, a->loss[i].nodes);
        rr_sql_i(&q, a->loss[i].events);
        rr_sql_d(&q, a->loss[i].gpu_hours);
        rr_sql_step(&q);
    }
    rr_sql_close(&q);
    return q.rc;
}

int rr_save_bounds(sqlite3 *db, int64_t id, const struct rr_alternative *a)
{
    struct rr_sql q;
    if (rr_sql_open(&q, db, "INSERT INTO waited_for VALUES (?, ?, ?, ?, ?)") != SQLITE_OK) return q.rc;
    for (size_t i = 0; i < a->n_bounds; i++) {
        rr_sql_i(&q, id);
        rr_sql_s(&q, a->bound[i].bound);
        rr_sql_s(&q, a->bound[i].what);
        rr_sql_d(&q, a->bound[i].job_hours);
        rr_sql_d(&q, a->bound[i].gpu_hours);
        rr_sql_step(&q);
    }
    rr_sql_close(&q);
    return q.rc;
}

int rr_save_bars(sqlite3 *db, int64_t id, const struct rr_alternative *a)
{
    struct rr_sql q;
    if (rr_sql_open(&q, db, "INSERT INTO bars VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)") != SQLITE_OK) return q.rc;
    for (size_t i = 0; i < a->n_bars; i++) {
        const struct rr_bar *b = &a->bar[i];
        rr_sql_i(&q, id);
        rr_sql_s(&q, b->job_id);
        rr_sql_s(&q, b->class_name);
        rr_sql_i(&q, b->node);
        rr_sql_d(&q, b->from_gpu);
        rr_sql_d(&q, b->gpus);
        rr_sql_i(&q, b->start_us);
        rr_sql_i(&q, b->end_us);
        rr_sql_i(&q, b->interrupted);
        rr_sql_step(&q);
    }
    rr_sql_close(&q);
    return q.rc;
}

static enum rr_status in_memory(const struct rr_alternative *a, enum rr_status (*each)(void *, const struct rr_attempt_view *), void *ctx)
{
    struct teller t = teller_of(a);
    enum rr_status st = RR_OK;
    for (size_t i = 0; i < a->n_attempts && st == RR_OK; i++) {
        const struct rr_attempt_view x = tell(&t, i);
        st = each(ctx, &x);
    }
    free(t.count);
    return st;
}

static struct rr_attempt_view read(struct rr_sql *q, const struct rr_store *s)
{
    const int64_t alternative = rr_sql_geti(q);
    const struct rr_alternative *a = alternative >= 0 && (uint64_t)alternative < s->n_alternatives ? &s->alternative[alternative] : NULL;
    struct rr_attempt_view x = {.alternative = a ? a->name : "", .job_id = rr_sql_gets(q)};
    x.attempt = rr_sql_geti(q);
    const int64_t pool = rr_sql_geti(q);
    x.pool = a ? rr_store_pool_name(a, pool) : "";
    x.node = rr_sql_geti(q);
    x.nodes = rr_sql_geti(q);
    x.gpus_milli = rr_sql_geti(q);
    x.start_us = rr_sql_geti(q);
    x.end_us = rr_sql_geti(q);
    x.used_milli_us = rr_sql_geti(q);
    x.lost_milli_us = rr_sql_geti(q);
    x.reason = rr_sql_gets(q);
    return x;
}

static enum rr_status in_db(const struct rr_store *s, const char *path, enum rr_status (*each)(void *, const struct rr_attempt_view *),
                            void *ctx)
{
    sqlite3 *db = NULL;
    struct rr_sql q = {0};
    enum rr_status st = RR_OK;
    int rc = sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL);
    if (rc == SQLITE_OK) rc = rr_sql_open(&q, db, "SELECT * FROM attempts ORDER BY rowid");
    while (rc == SQLITE_OK && st == RR_OK && rr_sql_next(&q)) {
        const struct rr_attempt_view x = read(&q, s);
        st = each(ctx, &x);
    }
    if (rc == SQLITE_OK) rc = q.rc;
    if (st == RR_OK && rc != SQLITE_OK) st = rr_sql_fail(db, path, rc);
    rr_sql_close(&q);
    sqlite3_close(db);
    return st;
}

enum rr_status rr_store_attempts(const struct rr_store *s, const char *db_path,
                                 enum rr_status (*each)(void *ctx, const struct rr_attempt_view *attempt), void *ctx)
{
    if (db_path) return in_db(s, db_path, each, ctx);
    for (size_t i = 0; i < s->n_alternatives; i++)
        if (s->alternative[i].trace && s->alternative[i].attempt) RR_TRY(in_memory(&s->alternative[i], each, ctx));
    return RR_OK;
}

bool rr_store_has_attempts(const struct rr_store *s)
{
    for (size_t i = 0; i < s->n_alternatives; i++)
        if (s->alternative[i].n_attempts) return true;
    return false;
}
