/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/cli/training.c - published training measurements as runs. */
#include "sim/cli/training.h"
#include "sim/cli/cli.h"
#include <stdlib.h>

static int by_print(const void *x, const void *y)
{
    const uint64_t a = (*(const struct rr_train_row *const *)x)->print, b = (*(const struct rr_train_row *const *)y)->print;
    return (a > b) - (a < b);
}

/* The rows of a file in the order of their prints. */
static const struct rr_train_row **sorted(const struct rr_train_rows *rows, struct rr_arena *a)
{
    const struct rr_train_row **ret = RR_NEWS(a, const struct rr_train_row *, rows->n + 1);
    for (size_t i = 0; i < rows->n; i++) ret[i] = &rows->at[i];
    qsort(ret, rows->n, sizeof *ret, by_print);
    return ret;
}

struct reading {
    const struct rr_train_rows *rows;
    const struct rr_train_row ***order; /* of each file read so far */
};

/* The first file before `file` that has the row; NULL = none. */
static const char *earlier(const struct reading *x, size_t file, const struct rr_train_row *row)
{
    for (size_t i = 0; i < file; i++)
        if (x->rows[i].n > 0 && x->rows[i].at[0].table == row->table &&
            bsearch(&row, x->order[i], x->rows[i].n, sizeof *x->order[i], by_print))
            return x->rows[i].at[0].path;
    return NULL;
}

static enum rr_status file_runs(const struct reading *x, size_t file, const struct rr_train_facts *facts, struct rr_arena *a,
                                struct rr_training *ret)
{
    const struct rr_train_rows *rows = &x->rows[file];
    for (size_t k = 0; k < rows->n; k++) {
        const struct rr_train_row *row = &rows->at[k];
        const char *before = earlier(x, file, row);
        if (before) {
            ret->twice[file] = before, ret->n_twice[file]++;
            continue;
        }
        const enum rr_status st = rr_published_make(facts, a, row, &ret->run[ret->n++]);
        if (st != RR_OK) return rr_fail_in(st, "%s:%lld", row->path, (long long)row->line);
    }
    return RR_OK;
}

enum rr_status rr_training_read(const char *const *path, size_t n_paths, struct rr_arena *a, struct rr_train_facts *facts,
                                struct rr_training *ret)
{
    const char *dir;
    struct rr_train_rows *rows = RR_NEWS(a, struct rr_train_rows, n_paths + 1);
    const struct reading x = {rows, RR_NEWS(a, const struct rr_train_row **, n_paths + 1)};
    *ret = (struct rr_training){
        .twice = RR_NEWS(a, const char *, n_paths + 1), .n_twice = RR_NEWS(a, size_t, n_paths + 1), .path = path, .n_files = n_paths};
    RR_TRY(rr_data_dir(a, &dir));
    RR_TRY(rr_train_facts_load(dir, a, facts));
    for (size_t i = 0; i < n_paths; i++) {
        RR_TRY(rr_train_rows_read(path[i], a, &rows[i]));
        x.order[i] = sorted(&rows[i], a);
        ret->twice[i] = "";
        ret->n_read += rows[i].n;
    }
    ret->run = RR_NEWS(a, struct rr_published, ret->n_read + 1);
    for (size_t i = 0; i < n_paths; i++) RR_TRY(file_runs(&x, i, facts, a, ret));
    return RR_OK;
}
