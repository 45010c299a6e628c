/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/store_db.c - SQLite statements with less ceremony. */
#include "data/store_db.h"
#include <errno.h>
#include <math.h>
#include <string.h>

const char *const rr_note_kinds[RR_NOTE_KINDS] = {
    [RR_NOTE_ASSUMED] = "assumed", [RR_NOTE_WARNING] = "warning", [RR_NOTE_DATA] = "data", [RR_NOTE_GIVEN] = "given"};

enum rr_status rr_sql_fail(sqlite3 *db, const char *path, int rc)
{
    const int system = db ? sqlite3_system_errno(db) : 0;
    if ((rc & 0xff) == SQLITE_FULL) return rr_fail(RR_EIO, "%s: %s", path, strerror(ENOSPC));
    if ((rc & 0xff) == SQLITE_IOERR && system) return rr_fail(RR_EIO, "%s: %s", path, strerror(system));
    return rr_fail(RR_EIO, "%s: %s", path, db ? sqlite3_errmsg(db) : sqlite3_errstr(rc));
}

int rr_sql_open(struct rr_sql *q, sqlite3 *db, const char *sql)
{
    *q = (struct rr_sql){.db = db};
    q->rc = sqlite3_prepare_v2(db, sql, -1, &q->st, NULL);
    return q->rc;
}

void rr_sql_close(struct rr_sql *q)
{
    sqlite3_finalize(q->st);
    q->st = NULL;
}

static void keep(struct rr_sql *q, int rc)
{
    if (rc != SQLITE_OK && q->rc == SQLITE_OK) q->rc = rc;
}

void rr_sql_i(struct rr_sql *q, int64_t v) { keep(q, sqlite3_bind_int64(q->st, ++q->column, v)); }

void rr_sql_time(struct rr_sql *q, int64_t us)
{
    if (us == RR_NEVER)
        keep(q, sqlite3_bind_null(q->st, ++q->column));
    else
        rr_sql_i(q, us);
}

void rr_sql_d(struct rr_sql *q, double v)
{
    if (isnan(v))
        keep(q, sqlite3_bind_null(q->st, ++q->column));
    else
        keep(q, sqlite3_bind_double(q->st, ++q->column, v));
}

void rr_sql_s(struct rr_sql *q, const char *s) { keep(q, sqlite3_bind_text(q->st, ++q->column, rr_or_empty(s), -1, SQLITE_STATIC)); }

void rr_sql_step(struct rr_sql *q)
{
    if (q->rc != SQLITE_OK) return;
    const int rc = sqlite3_step(q->st);
    if (rc != SQLITE_DONE) q->rc = rc;
    sqlite3_reset(q->st);
    q->column = 0;
}

bool rr_sql_next(struct rr_sql *q)
{
    if (q->rc != SQLITE_OK) return false;
    const int rc = sqlite3_step(q->st);
    q->column = 0;
    if (rc == SQLITE_ROW) return true;
    if (rc != SQLITE_DONE) q->rc = rc;
    return false;
}

int64_t rr_sql_geti(struct rr_sql *q) { return sqlite3_column_int64(q->st, q->column++); }

int64_t rr_sql_gettime(struct rr_sql *q)
{
    if (sqlite3_column_type(q->st, q->column) != SQLITE_NULL) return rr_sql_geti(q);
    q->column++;
    return RR_NEVER;
}

double rr_sql_getd(struct rr_sql *q)
{
    const bool none = sqlite3_column_type(q->st, q->column) == SQLITE_NULL;
    const double v = sqlite3_column_double(q->st, q->column++);
    return none ? (double)NAN : v;
}

const char *rr_sql_gets(struct rr_sql *q) { return rr_or_empty((const char *)sqlite3_column_text(q->st, q->column++)); }
