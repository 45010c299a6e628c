/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/register.c - reading an assumption register. */
#include "data/register.h"
#include "data/base/csv.h"
#include "data/base/vec.h"
#include <inttypes.h>
#include <string.h>

static const char *const column_names[] = {"pointer", "value", "low", "mode", "high", "source", "owner", "as_of", "alternatives", "as_run"};
enum { COLUMNS = sizeof column_names / sizeof *column_names };

/* A cell as text; the ' that keeps spreadsheets from running it is taken off. */
static const char *cell(struct rr_arena *a, const struct rr_csv_row *row, int column)
{
    if (column < 0 || (size_t)column >= row->n) return "";
    struct rr_slice s = rr_trim(row->cell[column]);
    if (s.n > 1 && s.at[0] == '\'' && strchr("=+-@", s.at[1])) s = rr_slice(s.at + 1, s.n - 1);
    return rr_strndup(a, s.at, s.n);
}

static enum rr_status check(const struct rr_register_row *r, const struct rr_register_row *before, size_t n, const char *path)
{
    if (*r->pointer != '/')
        return rr_fail(RR_EINPUT, "%s:%" PRId64 ": pointer \"%s\": a JSON pointer is expected, such as /finance/electricity", path, r->line,
                       r->pointer);
    if (*r->value == '\0')
        return rr_fail(RR_EINPUT, "%s:%" PRId64 ": %s has no value; delete the row to leave it as the scenario has it", path, r->line,
                       r->pointer);
    if ((*r->low == '\0') != (*r->high == '\0') || (*r->low == '\0' && *r->mode != '\0'))
        return rr_fail(RR_EINPUT, "%s:%" PRId64 ": %s: an uncertain value needs both \"low\" and \"high\"", path, r->line, r->pointer);
    for (size_t i = 0; i < n; i++)
        if (strcmp(before[i].pointer, r->pointer) == 0)
            return rr_fail(RR_EINPUT, "%s:%" PRId64 ": %s stands on line %" PRId64 " already", path, r->line, r->pointer, before[i].line);
    return RR_OK;
}

const char *rr_register_as_run(struct rr_arena *a, const char *value, const char *low, const char *mode, const char *high)
{
    return *low || *high ? rr_strf(a, "%s (%s; %s; %s)", value, low, mode, high) : value;
}

struct rows {
    RR_VEC(struct rr_register_row) list;
};

static enum rr_status read_rows(struct rr_csv *csv, struct rr_arena *a, const char *path, struct rows *rows)
{
    struct rr_csv_row row;
    int column[COLUMNS];
    RR_TRY(rr_csv_next(csv, &row));
    for (size_t k = 0; k < COLUMNS; k++) column[k] = row.n ? rr_csv_find(&row, column_names[k]) : -1;
    if (column[0] < 0 || column[1] < 0)
        return rr_fail(RR_EINPUT, "%s:1: a register has the columns pointer,value and, optional, low,mode,high,unit,source,owner,as_of",
                       path);
    for (;;) {
        RR_TRY(rr_csv_next(csv, &row));
        if (row.n == 0) return RR_OK;
        const char *text[COLUMNS];
        for (size_t k = 0; k < COLUMNS; k++) text[k] = cell(a, &row, column[k]);
        struct rr_register_row r = {text[0], text[1], text[2], text[3], text[4], text[5], text[6], text[7], .line = row.line};
        r.alternatives = text[8];
        r.unchanged = *text[9] && strcmp(text[9], rr_register_as_run(a, r.value, r.low, r.mode, r.high)) == 0;
        RR_TRY(check(&r, rows->list.at, rows->list.n, path));
        rr_vec_push(&rows->list, r);
    }
}

enum rr_status rr_register_read(const char *path, struct rr_arena *a, struct rr_register *ret)
{
    struct rr_csv *csv = NULL;
    struct rows rows = {0};
    RR_TRY(rr_csv_open(path, (struct rr_csv_options){0}, &csv));
    const enum rr_status st = read_rows(csv, a, path, &rows);
    rr_csv_close(csv);
    if (st == RR_OK) {
        struct rr_register_row *kept = RR_NEWS(a, struct rr_register_row, rows.list.n + 1);
        if (rows.list.n) memcpy(kept, rows.list.at, rows.list.n * sizeof *kept);
        *ret = (struct rr_register){path, kept, rows.list.n};
    }
    rr_vec_done(&rows.list);
    return st;
}
