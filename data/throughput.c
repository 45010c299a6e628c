/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/throughput.c - reads the table of throughputs; every row counts, so one bad row is an error. */
#include "data/throughput.h"
#include "data/base/csv.h"
#include "data/base/vec.h"
#include <string.h>

#define MOST_ROWS 100000
static const char *const columns[] = {"class", "gpu", "throughput"};
enum { CLASS, GPU, THROUGHPUT, COLUMNS };

struct reader {
    const char *path;
    struct rr_csv *csv;
    struct rr_arena *arena;
    const struct rr_catalog *catalog;
    int at[COLUMNS];
    RR_VEC(struct rr_throughput_row) rows;
};

// The id of the facts for a spelling that they know, else the name itself.
static const char *gpu_id(const struct rr_catalog *catalog, const char *name)
{
    for (size_t i = 0; catalog && i < catalog->n_gpus; i++)
        if (rr_gpu_is(&catalog->gpu[i], name)) return catalog->gpu[i].id;
    return name;
}

static enum rr_status find_columns(struct reader *r, const struct rr_csv_row *header)
{
    for (int i = 0; i < COLUMNS; i++)
        if ((r->at[i] = rr_csv_find(header, columns[i])) < 0)
            return rr_fail(RR_EINPUT, "%s:%lld: no column \"%s\"; a table of throughputs has class,gpu,throughput", r->path,
                           (long long)header->line, columns[i]);
    return RR_OK;
}

static enum rr_status read_row(struct reader *r, const struct rr_csv_row *row)
{
    struct rr_slice cell[COLUMNS];
    for (int i = 0; i < COLUMNS; i++) {
        if ((size_t)r->at[i] >= row->n) return rr_fail(RR_EINPUT, "%s:%lld: no %s in this row", r->path, (long long)row->line, columns[i]);
        cell[i] = rr_trim(row->cell[r->at[i]]);
        if (cell[i].n == 0) return rr_fail(RR_EINPUT, "%s:%lld: the %s is empty", r->path, (long long)row->line, columns[i]);
    }
    struct rr_throughput_row x = {.job_class = rr_strndup(r->arena, cell[CLASS].at, cell[CLASS].n), .line = row->line};
    x.gpu = gpu_id(r->catalog, rr_strndup(r->arena, cell[GPU].at, cell[GPU].n));
    if (rr_text_double(cell[THROUGHPUT], &x.value) != RR_OK || !(x.value > 0) || x.value > 1e15)
        return rr_fail(RR_EINPUT, "%s:%lld: throughput \"%.*s\"; a number above 0 is expected", r->path, (long long)row->line,
                       cell[THROUGHPUT].n < 40 ? (int)cell[THROUGHPUT].n : 40, cell[THROUGHPUT].at);
    for (size_t i = 0; i < r->rows.n; i++)
        if (strcmp(r->rows.at[i].job_class, x.job_class) == 0 && strcmp(r->rows.at[i].gpu, x.gpu) == 0)
            return rr_fail(RR_EINPUT, "%s:%lld: class %s on %s stands already on line %lld", r->path, (long long)row->line, x.job_class,
                           x.gpu, (long long)r->rows.at[i].line);
    if (r->rows.n >= MOST_ROWS) return rr_fail(RR_EINPUT, "%s:%lld: more than %d rows", r->path, (long long)row->line, MOST_ROWS);
    rr_vec_push(&r->rows, x);
    return RR_OK;
}

static enum rr_status read_rows(struct reader *r)
{
    struct rr_csv_row row;
    RR_TRY(rr_csv_next(r->csv, &row));
    if (row.n == 0) return rr_fail(RR_EINPUT, "%s: the table of throughputs is empty", r->path);
    RR_TRY(find_columns(r, &row));
    for (;;) {
        RR_TRY(rr_csv_next(r->csv, &row));
        if (row.n == 0) break;
        RR_TRY(read_row(r, &row));
    }
    return r->rows.n ? RR_OK : rr_fail(RR_EINPUT, "%s: no row below the header", r->path);
}

enum rr_status rr_throughput_read(const char *path, const struct rr_catalog *catalog, struct rr_arena *arena, struct rr_throughput *ret)
{
    struct reader r = {.path = path, .arena = arena, .catalog = catalog};
    struct rr_throughput t = {.path = rr_strdup(arena, path), .catalog = catalog};
    RR_TRY(rr_csv_open(path, (struct rr_csv_options){.comment = '#'}, &r.csv));
    enum rr_status st = read_rows(&r);
    if (st == RR_OK) st = rr_csv_sha256(r.csv, t.sha256);
    if (st == RR_OK) {
        struct rr_throughput_row *row = RR_NEWS(arena, struct rr_throughput_row, r.rows.n);
        memcpy(row, r.rows.at, r.rows.n * sizeof *row);
        t.row = row;
        t.n = r.rows.n;
        *ret = t;
    }
    rr_csv_close(r.csv);
    rr_vec_done(&r.rows);
    return st;
}

double rr_throughput_of(const struct rr_throughput *t, const char *job_class, const char *gpu)
{
    const char *id = gpu_id(t->catalog, gpu);
    double any = 0, own = 0;
    bool known = false;
    for (size_t i = 0; i < t->n; i++) {
        const bool mine = strcmp(t->row[i].job_class, job_class) == 0;
        known |= mine;
        if (strcmp(t->row[i].gpu, id) != 0) continue;
        if (mine) own = t->row[i].value;
        if (strcmp(t->row[i].job_class, "*") == 0) any = t->row[i].value;
    }
    return known ? own : any;
}

bool rr_throughput_has_gpu(const struct rr_throughput *t, const char *gpu)
{
    const char *id = gpu_id(t->catalog, gpu);
    for (size_t i = 0; i < t->n; i++)
        if (strcmp(t->row[i].gpu, id) == 0) return true;
    return false;
}
