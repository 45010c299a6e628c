/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/facts_table.c - a table of data/facts, cell by cell. */
#include "data/facts_table.h"
#include "data/base/csv.h"
#include <stdlib.h>
#include <string.h>

/* ---- cells ---- */

static enum rr_status cell_count(struct rr_slice s, int digits, int64_t *ret)
{
    int64_t v;
    RR_TRY(rr_text_scaled(s, digits, &v));
    if (v <= 0 || v > INT32_MAX)
        return rr_fail(RR_EINPUT, "%.*s is out of range; leave the cell empty when it is not known", (int)s.n, s.at);
    *ret = v;
    return RR_OK;
}

static enum rr_status cell_positive(struct rr_slice s, int digits, int64_t *ret)
{
    int64_t v;
    RR_TRY(rr_text_scaled(s, digits, &v));
    if (v <= 0) return rr_fail(RR_EINPUT, "%.*s is no price; leave the cell empty when it is not known", (int)s.n, s.at);
    *ret = v;
    return RR_OK;
}

static enum rr_status cell_currency(struct rr_slice s, char ret[4])
{
    bool good = s.n == 3;
    for (size_t i = 0; good && i < 3; i++) good = s.at[i] >= 'A' && s.at[i] <= 'Z';
    if (!good) return rr_fail(RR_EINPUT, "\"%.*s\" is no currency code such as USD", (int)s.n, s.at);
    memcpy(ret, s.at, 3);
    return RR_OK;
}

static enum rr_status cell_real(struct rr_slice s, double *ret)
{
    double v;
    RR_TRY(rr_text_double(s, &v));
    if (!(v > 0)) return rr_fail(RR_EINPUT, "%.*s is not above 0; leave the cell empty when it is not known", (int)s.n, s.at);
    *ret = v;
    return RR_OK;
}

static enum rr_status cell_read(const struct rr_facts_column *col, struct rr_slice s, struct rr_arena *a, char *row)
{
    void *field = row + col->at;
    int64_t v = 0;
    if (col->type == RR_FACTS_TEXT) {
        *(const char **)field = rr_strndup(a, s.at, s.n);
        return RR_OK;
    }
    if (s.n == 0) return RR_OK;
    switch (col->type) {
    case RR_FACTS_REAL: return cell_real(s, field);
    case RR_FACTS_COUNT:
        RR_TRY(rr_text_i64(s, &v));
        RR_TRY(cell_count(s, 0, &v));
        break;
    case RR_FACTS_REAL0:
        RR_TRY(rr_text_double(s, field));
        return *(double *)field >= 0 ? RR_OK : rr_fail(RR_EINPUT, "%.*s is below 0", (int)s.n, s.at);
    case RR_FACTS_COUNT0:
        RR_TRY(rr_text_i64(s, &v));
        if (v < 0 || v > INT32_MAX) return rr_fail(RR_EINPUT, "%.*s is out of range", (int)s.n, s.at);
        break;
    case RR_FACTS_MILLI: RR_TRY(cell_count(s, 3, &v)); break;
    case RR_FACTS_MIB:
        RR_TRY(cell_count(s, 0, &v));
        if (v > INT32_MAX / 1024) return rr_fail(RR_EINPUT, "%.*s GiB is out of range", (int)s.n, s.at);
        v *= 1024;
        break;
    case RR_FACTS_CURRENCY: return cell_currency(s, field);
    case RR_FACTS_MONEY: return cell_positive(s, 6, &((struct rr_amount *)field)->money.micro);
    case RR_FACTS_HOURLY:
        ((struct rr_price *)field)->rate = (struct rr_rate){.per = RR_PER_NODE, .time = RR_HOUR};
        return cell_positive(s, 9, &((struct rr_price *)field)->rate.nano);
    case RR_FACTS_TEXT: break;
    }
    *(int32_t *)field = (int32_t)v;
    return RR_OK;
}

/* ---- rows ---- */

/* index[i] = cell of column i, then source, date, note. Every column must be there, and none that we do not know. */
static enum rr_status header_read(const struct rr_facts_table *t, const struct rr_csv_row *head, struct rr_arena *a,
                                  int index[RR_FACTS_COLUMNS])
{
    const char *name[RR_FACTS_COLUMNS];
    for (size_t i = 0; i < t->n; i++) name[i] = t->column[i].name;
    name[t->n] = "source", name[t->n + 1] = "date", name[t->n + 2] = "note";
    for (size_t i = 0; i < t->n + 3; i++) {
        index[i] = rr_csv_find(head, name[i]);
        if (index[i] < 0) return rr_fail(RR_EINPUT, "column \"%s\" is missing", name[i]);
    }
    for (size_t k = 0; k < head->n; k++) {
        bool used = false;
        for (size_t i = 0; i < t->n + 3 && !used; i++) used = index[i] == (int)k;
        const char *cell = rr_strndup(a, head->cell[k].at, head->cell[k].n);
        if (!used)
            return rr_fail(RR_EINPUT, "column \"%s\" is not known or stands there twice%s", cell, rr_did_you_mean(a, cell, name, t->n + 3));
    }
    return RR_OK;
}

static bool date_good(const char *s)
{
    static const char shape[] = "dddd-dd-dd";
    const size_t n = strlen(s);
    if (n != 4 && n != 7 && n != 10) return false;
    for (size_t i = 0; i < n; i++)
        if (shape[i] == 'd' ? s[i] < '0' || s[i] > '9' : s[i] != '-') return false;
    return true;
}

static enum rr_status row_read(const struct rr_facts_table *t, const struct rr_csv_row *r, const int *index, struct rr_arena *a, char *row)
{
    for (size_t i = 0; i < t->n; i++) {
        const struct rr_slice cell = rr_trim(r->cell[index[i]]);
        if (t->column[i].needed && cell.n == 0) return rr_fail(RR_EINPUT, "column \"%s\" is empty", t->column[i].name);
        const enum rr_status st = cell_read(&t->column[i], cell, a, row);
        if (st != RR_OK) return rr_fail_in(st, "column \"%s\"", t->column[i].name);
    }
    struct rr_fact *f = (struct rr_fact *)(void *)(row + t->fact_at);
    const char **text[] = {&f->source, &f->date, &f->note};
    for (size_t i = 0; i < 3; i++) {
        const struct rr_slice cell = rr_trim(r->cell[index[t->n + i]]);
        *text[i] = rr_strndup(a, cell.at, cell.n);
    }
    f->path = rr_strf(a, "data/facts/%s", t->file);
    f->line = r->line;
    if (*f->source == '\0') return rr_fail(RR_EINPUT, "the row has no source");
    if (!date_good(f->date)) return rr_fail(RR_EINPUT, "date \"%s\" is not YYYY, YYYY-MM or YYYY-MM-DD", f->date);
    return RR_OK;
}

struct rows {
    char *at;
    size_t n, cap;
};

static enum rr_status rows_read(const struct rr_facts_table *t, struct rr_csv *csv, struct rr_arena *a, struct rows *rows)
{
    struct rr_csv_row r = {0};
    int index[RR_FACTS_COLUMNS];
    RR_TRY(rr_csv_next(csv, &r));
    enum rr_status st = r.n == 0 ? rr_fail(RR_EINPUT, "the file is empty") : header_read(t, &r, a, index);
    if (st != RR_OK) return rr_fail_in(st, "%s:1", rr_csv_path(csv));
    const size_t width = r.n;
    for (;;) {
        RR_TRY(rr_csv_next(csv, &r));
        if (r.n == 0) return RR_OK;
        if (rows->n == rows->cap) {
            rows->cap = rows->cap ? rows->cap * 2 : 64;
            rows->at = rr_xrealloc(rows->at, rows->cap, t->row_size);
        }
        char *row = rows->at + rows->n++ * t->row_size;
        memset(row, 0, t->row_size);
        st = r.n == width ? row_read(t, &r, index, a, row) : rr_fail(RR_EINPUT, "%zu cells, the header has %zu", r.n, width);
        if (st != RR_OK) return rr_fail_in(st, "%s:%lld", rr_csv_path(csv), (long long)r.line);
    }
}

enum rr_status rr_facts_read(const char *data_dir, const struct rr_facts_table *t, struct rr_arena *a, const void *ret_rows, size_t *ret_n)
{
    struct rr_csv *csv = NULL;
    struct rows rows = {0};
    RR_TRY(rr_csv_open(rr_strf(a, "%s/facts/%s", data_dir, t->file), (struct rr_csv_options){0}, &csv));
    const enum rr_status st = rows_read(t, csv, a, &rows);
    if (st == RR_OK) {
        void *copy = rr_alloc(a, rows.n + 1, t->row_size);
        if (rows.n > 0) memcpy(copy, rows.at, rows.n * t->row_size);
        *(void **)ret_rows = copy;
        *ret_n = rows.n;
    }
    free(rows.at);
    rr_csv_close(csv);
    return st;
}
