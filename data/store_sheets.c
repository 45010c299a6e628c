/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/store_sheets.c - sheets into results.db and results.json, and back. */
#include "data/store_db.h"
#include <math.h>
#include <string.h>

/* ---- results.db ---- */

static void save_heads(struct rr_sql *q, int64_t id, const struct rr_sheet *s)
{
    for (size_t k = 0; k < s->n_columns; k++) {
        rr_sql_i(q, id);
        rr_sql_i(q, (int64_t)k);
        rr_sql_s(q, s->head[k].title);
        rr_sql_s(q, rr_sheet_units[s->head[k].unit]);
        rr_sql_step(q);
    }
}

static void save_cells(struct rr_sql *q, int64_t id, const struct rr_sheet *s)
{
    for (size_t k = 0; k < s->n_rows * s->n_columns; k++) {
        rr_sql_i(q, id);
        rr_sql_i(q, (int64_t)(k / s->n_columns));
        rr_sql_i(q, (int64_t)(k % s->n_columns));
        rr_sql_d(q, s->cell[k].number);
        rr_sql_s(q, s->cell[k].text);
        rr_sql_step(q);
    }
}

int rr_save_sheets(sqlite3 *db, const struct rr_store *s)
{
    struct rr_sql q, h, c;
    if (rr_sql_open(&q, db, "INSERT INTO sheets VALUES (?, ?, ?, ?, ?, ?)") != SQLITE_OK) return q.rc;
    if (rr_sql_open(&h, db, "INSERT INTO sheet_columns VALUES (?, ?, ?, ?)") != SQLITE_OK) q.rc = h.rc;
    if (rr_sql_open(&c, db, "INSERT INTO sheet_cells VALUES (?, ?, ?, ?, ?)") != SQLITE_OK) q.rc = c.rc;
    for (size_t i = 0; i < s->n_sheets && q.rc == SQLITE_OK && h.rc == SQLITE_OK && c.rc == SQLITE_OK; i++) {
        const struct rr_sheet *x = &s->sheet[i];
        rr_sql_i(&q, (int64_t)i);
        rr_sql_s(&q, x->name);
        rr_sql_s(&q, x->title);
        rr_sql_s(&q, x->note);
        rr_sql_i(&q, (int64_t)x->n_columns);
        rr_sql_i(&q, (int64_t)x->n_rows);
        rr_sql_step(&q);
        save_heads(&h, (int64_t)i, x);
        save_cells(&c, (int64_t)i, x);
    }
    rr_sql_close(&q);
    rr_sql_close(&h);
    rr_sql_close(&c);
    return q.rc != SQLITE_OK ? q.rc : h.rc != SQLITE_OK ? h.rc : c.rc;
}

static enum rr_sheet_unit unit_of(const char *text)
{
    for (int i = 0; i < RR_SHEET_UNITS; i++)
        if (strcmp(rr_sheet_units[i], text) == 0) return (enum rr_sheet_unit)i;
    return RR_SHEET_NUMBER;
}

static int load_heads(sqlite3 *db, struct rr_arena *a, int64_t id, struct rr_sheet *s)
{
    struct rr_sql q;
    struct rr_sheet_head *head = RR_NEWS(a, struct rr_sheet_head, s->n_columns + 1);
    rr_sql_open(&q, db, "SELECT title, unit FROM sheet_columns WHERE sheet = ? ORDER BY i");
    rr_sql_i(&q, id);
    size_t n = 0;
    for (; n < s->n_columns && rr_sql_next(&q); n++) {
        head[n].title = rr_strdup(a, rr_sql_gets(&q));
        head[n].unit = unit_of(rr_sql_gets(&q));
    }
    s->n_columns = n;
    s->head = head;
    rr_sql_close(&q);
    return q.rc;
}

static int load_cells(sqlite3 *db, struct rr_arena *a, int64_t id, struct rr_sheet *s)
{
    struct rr_sql q;
    const size_t most = s->n_rows * s->n_columns;
    struct rr_sheet_cell *cell = RR_NEWS(a, struct rr_sheet_cell, most + 1);
    rr_sql_open(&q, db, "SELECT number, text FROM sheet_cells WHERE sheet = ? ORDER BY row, col");
    rr_sql_i(&q, id);
    size_t n = 0;
    for (; n < most && rr_sql_next(&q); n++) {
        cell[n].number = rr_sql_getd(&q);
        const char *text = rr_sql_gets(&q);
        cell[n].text = *text ? rr_strdup(a, text) : NULL;
    }
    for (; n < most; n++) cell[n].number = NAN;
    s->cell = cell;
    rr_sql_close(&q);
    return q.rc;
}

int rr_load_sheets(sqlite3 *db, struct rr_arena *a, struct rr_store *s)
{
    enum { MOST_SHEETS = 10000, MOST_CELLS = 1 << 22 };
    RR_VEC(struct rr_sheet) list = {0};
    struct rr_sql q;
    int rc = SQLITE_OK;
    rr_sql_open(&q, db, "SELECT id, name, title, note, columns, rows FROM sheets ORDER BY id");
    while (list.n < MOST_SHEETS && rc == SQLITE_OK && rr_sql_next(&q)) {
        const int64_t id = rr_sql_geti(&q);
        struct rr_sheet x = {.name = rr_strdup(a, rr_sql_gets(&q))};
        x.title = rr_strdup(a, rr_sql_gets(&q));
        x.note = rr_strdup(a, rr_sql_gets(&q));
        const int64_t columns = rr_sql_geti(&q), rows = rr_sql_geti(&q);
        const bool sane = columns > 0 && columns < 1000 && rows >= 0 && rows * columns < MOST_CELLS;
        x.n_columns = sane ? (size_t)columns : 0;
        x.n_rows = sane ? (size_t)rows : 0;
        rc = load_heads(db, a, id, &x);
        if (rc == SQLITE_OK) rc = load_cells(db, a, id, &x);
        rr_vec_push(&list, x);
    }
    rr_sql_close(&q);
    struct rr_sheet *kept = RR_NEWS(a, struct rr_sheet, list.n + 1);
    if (list.n) memcpy(kept, list.at, list.n * sizeof *kept);
    s->sheet = kept;
    s->n_sheets = list.n;
    rr_vec_done(&list);
    return rc != SQLITE_OK ? rc : q.rc;
}

/* ---- results.json ---- */

static void put_cell(struct rr_buf *b, const struct rr_sheet_cell *c)
{
    if (c->text)
        rr_buf_json(b, c->text);
    else
        rr_buf_double(b, c->number);
}

static void put_sheet(struct rr_buf *b, const struct rr_sheet *s)
{
    rr_buf_puts(b, "{\"name\": ");
    rr_buf_json(b, s->name);
    rr_buf_puts(b, ", \"title\": ");
    rr_buf_json(b, s->title);
    rr_buf_puts(b, ", \"note\": ");
    rr_buf_json(b, s->note);
    rr_buf_puts(b, ",\n      \"columns\": [");
    for (size_t k = 0; k < s->n_columns; k++) {
        rr_buf_puts(b, k ? ", {\"title\": " : "{\"title\": ");
        rr_buf_json(b, s->head[k].title);
        rr_buf_puts(b, ", \"unit\": ");
        rr_buf_json(b, rr_sheet_units[s->head[k].unit]);
        rr_buf_puts(b, "}");
    }
    rr_buf_puts(b, "],\n      \"rows\": [");
    for (size_t i = 0; i < s->n_rows; i++) {
        rr_buf_puts(b, i ? ",\n        [" : "\n        [");
        for (size_t k = 0; k < s->n_columns; k++) {
            if (k) rr_buf_puts(b, ", ");
            put_cell(b, &s->cell[i * s->n_columns + k]);
        }
        rr_buf_puts(b, "]");
    }
    rr_buf_puts(b, "]}");
}

/* The register is a file of its own, assumptions.csv. */
static bool is_in_json(const struct rr_sheet *s) { return strcmp(s->name, "register") != 0; }

void rr_put_sheets(struct rr_buf *b, const struct rr_store *s)
{
    rr_buf_puts(b, ",\n  \"sheets\": [");
    bool first = true;
    for (size_t i = 0; i < s->n_sheets; i++) {
        if (!is_in_json(&s->sheet[i])) continue;
        rr_buf_puts(b, first ? "\n    " : ",\n    ");
        put_sheet(b, &s->sheet[i]);
        first = false;
    }
    rr_buf_puts(b, "]");
}
