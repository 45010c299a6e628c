/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/store_priced.c - what a run was priced by, into results.db: its documents, the GPU time of its pools by month, covered usage. */
#include "data/store_db.h"

static int save_document(sqlite3 *db, int64_t id, const struct rr_alternative *a)
{
    struct rr_sql q;
    if (rr_sql_open(&q, db, "INSERT INTO documents VALUES (?, ?)") != SQLITE_OK) return q.rc;
    rr_sql_i(&q, id);
    rr_sql_s(&q, a->document);
    rr_sql_step(&q);
    rr_sql_close(&q);
    return q.rc;
}

static int save_used(sqlite3 *db, int64_t id, const struct rr_alternative *a)
{
    enum { MILLI_US_IN_GPU_S = 1000000000 };
    struct rr_sql q;
    if (rr_sql_open(&q, db, "INSERT INTO used_months VALUES (?, ?, ?, ?, ?)") != SQLITE_OK) return q.rc;
    for (size_t p = 0; p < a->n_pools; p++)
        for (size_t m = 0; m < a->n_used_months; m++) {
            rr_sql_i(&q, id);
            rr_sql_i(&q, (int64_t)p);
            rr_sql_i(&q, (int64_t)m);
            rr_sql_i(&q, (int64_t)(a->used_month[p][m] / MILLI_US_IN_GPU_S));
            rr_sql_i(&q, (int64_t)(a->used_month[p][m] % MILLI_US_IN_GPU_S));
            rr_sql_step(&q);
        }
    rr_sql_close(&q);
    return q.rc;
}

static int save_covers(sqlite3 *db, int64_t id, const struct rr_alternative *a)
{
    struct rr_sql q;
    if (rr_sql_open(&q, db, "INSERT INTO covers VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)") != SQLITE_OK) return q.rc;
    for (size_t i = 0; i < a->n_covers; i++) {
        const struct rr_cover *c = &a->cover[i];
        rr_sql_i(&q, id);
        rr_sql_s(&q, c->commitment);
        rr_sql_i(&q, c->pool);
        rr_sql_i(&q, c->from_us);
        rr_sql_i(&q, c->to_us);
        rr_sql_i(&q, c->part);
        rr_sql_d(&q, c->quantity);
        rr_sql_s(&q, c->unit);
        rr_sql_i(&q, c->rate.nano);
        rr_sql_i(&q, c->rate.per);
        rr_sql_i(&q, c->rate.time);
        rr_sql_i(&q, c->list_nano);
        rr_sql_step(&q);
    }
    rr_sql_close(&q);
    return q.rc;
}

int rr_save_priced(sqlite3 *db, int64_t id, const struct rr_alternative *a)
{
    int rc = save_covers(db, id, a);
    if (rc == SQLITE_OK && a->document) rc = save_document(db, id, a);
    if (rc == SQLITE_OK && a->used_month) rc = save_used(db, id, a);
    return rc;
}
