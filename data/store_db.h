/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/store_db.h - what the files behind store.h share: SQLite statements with less ceremony, names, checked indexes. */
#ifndef RR_DATA_STORE_DB_H
#define RR_DATA_STORE_DB_H
#include "data/store.h"
#include <sqlite3.h>

enum { RR_DB_APPLICATION = 0x7272746c, RR_DB_VERSION = 3 }; /* pragmas application_id ("rrtl") and user_version */

/* A statement, bound from the left. The first error sticks in `rc`. */
struct rr_sql {
    sqlite3 *db;
    sqlite3_stmt *st;
    int column, rc;
};
enum rr_status rr_sql_fail(sqlite3 *db, const char *path, int rc); /* RR_EIO "PATH: reason" */
int rr_sql_open(struct rr_sql *q, sqlite3 *db, const char *sql);
void rr_sql_close(struct rr_sql *q);
void rr_sql_i(struct rr_sql *q, int64_t v);
void rr_sql_time(struct rr_sql *q, int64_t us); /* RR_NEVER is NULL */
void rr_sql_d(struct rr_sql *q, double v);      /* NaN is NULL */
void rr_sql_s(struct rr_sql *q, const char *s); /* NULL is ""; the text stays valid until the step */
void rr_sql_step(struct rr_sql *q);             /* insert, and start again at column 0 */
bool rr_sql_next(struct rr_sql *q);             /* the next row of a query */
int64_t rr_sql_geti(struct rr_sql *q);          /* columns from the left */
int64_t rr_sql_gettime(struct rr_sql *q);       /* NULL is RR_NEVER */
double rr_sql_getd(struct rr_sql *q);           /* NULL is NaN */
const char *rr_sql_gets(struct rr_sql *q);      /* never NULL; until the next row */

extern const char *const rr_note_kinds[RR_NOTE_KINDS]; /* by enum rr_note_kind */
static inline const char *rr_or_empty(const char *s) { return s ? s : ""; }

int rr_save_attempts(sqlite3 *db, int64_t id, const struct rr_alternative *a);
int rr_save_priced(sqlite3 *db, int64_t id, const struct rr_alternative *a); /* what the leases are priced by, and what covers them */
int rr_save_losses(sqlite3 *db, int64_t id, const struct rr_alternative *a);
int rr_save_bounds(sqlite3 *db, int64_t id, const struct rr_alternative *a);
int rr_save_sheets(sqlite3 *db, const struct rr_store *s);
int rr_load_sheets(sqlite3 *db, struct rr_arena *a, struct rr_store *s);
void rr_put_sheets(struct rr_buf *b, const struct rr_store *s); /* ,"sheets": [...] of results.json */
int rr_save_bars(sqlite3 *db, int64_t id, const struct rr_alternative *a);

/* Job i of an alternative in memory; false when it was never submitted. */
bool rr_job_view_of(const struct rr_alternative *a, size_t i, char id[24], struct rr_job_view *ret);
#endif
