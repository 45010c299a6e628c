/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/cli/training_peers.c - peers' predictions, matched by model, GPUs and measured time. */
#include "sim/cli/training_peers.h"
#include "data/base/csv.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const rr_peer_name[RR_PEERS] = {"calculon", "simumax"};

struct guess {
    const char *model;
    double gpus, measured, predicted, tp, pp, dp, micro_batch, memory_gib; /* 0 = empty */
};
enum { COLUMNS = 9 };
struct table {
    const char *folder; /* whose tables these are; NULL: none were read yet */
    struct guess *at[RR_PEERS];
    size_t n[RR_PEERS];
};

static enum rr_status row_read(const struct rr_csv_row *r, const int *col, struct rr_arena *a, struct guess *g)
{
    g->model = rr_strndup(a, r->cell[col[0]].at, r->cell[col[0]].n);
    double *const field[] = {&g->gpus, &g->measured, &g->predicted, &g->tp, &g->pp, &g->dp, &g->micro_batch, &g->memory_gib};
    for (int i = 0; i < COLUMNS - 1; i++) {
        const struct rr_slice cell = rr_trim(r->cell[col[i + 1]]);
        *field[i] = 0;
        if (cell.n > 0 || i < 3) RR_TRY(rr_text_double(cell, field[i]));
    }
    return RR_OK;
}

static enum rr_status rows_read(struct rr_csv *csv, int peer, struct rr_arena *a, struct table *t)
{
    struct rr_csv_row r = {0};
    RR_TRY(rr_csv_next(csv, &r));
    const char *step = rr_strf(a, "%s_iter_s", rr_peer_name[peer]), *memory = rr_strf(a, "%s_mem_gib", rr_peer_name[peer]);
    const char *const names[COLUMNS] = {"model", "gpus", "measured_iter_s", step, "tp", "pp", "dp", "micro_batch", memory};
    int col[COLUMNS];
    for (int i = 0; i < COLUMNS; i++)
        if ((col[i] = rr_csv_find(&r, names[i])) < 0)
            return rr_fail(RR_EINPUT, "%s:1: column \"%s\" is missing", rr_csv_path(csv), names[i]);
    const size_t width = r.n;
    t->at[peer] = RR_NEWS(a, struct guess, 8192);
    while (t->n[peer] < 8192) {
        RR_TRY(rr_csv_next(csv, &r));
        if (r.n == 0) return RR_OK;
        const enum rr_status st =
            r.n == width ? row_read(&r, col, a, &t->at[peer][t->n[peer]]) : rr_fail(RR_EINPUT, "%zu cells, the header has %zu", r.n, width);
        if (st != RR_OK) return rr_fail_in(st, "%s:%lld", rr_csv_path(csv), (long long)r.line);
        t->n[peer]++;
    }
    return RR_OK;
}

static enum rr_status table_read(const char *folder, struct rr_arena *a, struct table *t)
{
    *t = (struct table){.folder = folder};
    for (int i = 0; i < RR_PEERS; i++) {
        const char *path = rr_strf(a, "%speer_accuracy_%s.csv", folder, rr_peer_name[i]);
        struct rr_csv *csv = NULL;
        if (access(path, R_OK) != 0) continue;
        RR_TRY(rr_csv_open(path, (struct rr_csv_options){0}, &csv));
        const enum rr_status st = rows_read(csv, i, a, t);
        rr_csv_close(csv);
        RR_TRY(st);
    }
    return RR_OK;
}

/* The tables beside the row's file. */
static enum rr_status tables_of(struct rr_arena *a, const struct rr_train_row *row, const struct table **ret)
{
    static struct table t;
    const char *slash = strrchr(row->path, '/');
    const char *folder = slash ? rr_strndup(a, row->path, (size_t)(slash + 1 - row->path)) : "";
    if (!t.folder || strcmp(t.folder, folder) != 0) RR_TRY(table_read(folder, a, &t));
    *ret = &t;
    return RR_OK;
}

enum rr_status rr_peers_find(struct rr_arena *a, const struct rr_train_row *row, double ret[RR_PEERS])
{
    const struct table *t;
    RR_TRY(tables_of(a, row, &t));
    for (int i = 0; i < RR_PEERS; i++) {
        ret[i] = NAN;
        for (size_t k = 0; k < t->n[i]; k++) {
            const struct guess *g = &t->at[i][k];
            if (g->gpus != row->gpus || fabs(g->measured / row->iter_time_s - 1) > 2e-3 || strcmp(g->model, row->model) != 0) continue;
            if (isnan(ret[i]) || fabs(g->predicted / row->iter_time_s - 1) < fabs(ret[i] / row->iter_time_s - 1)) ret[i] = g->predicted;
        }
    }
    return RR_OK;
}

static bool same_layout(const struct guess *g, const struct rr_train_row *r)
{
    const double off =
        fabs(g->gpus - r->gpus) + fabs(g->tp - r->tp) + fabs(g->pp - r->pp) + fabs(g->dp - r->dp) + fabs(g->micro_batch - r->micro_batch);
    return off < 0.5 && strcmp(g->model, r->model) == 0;
}

enum rr_status rr_peers_memory(struct rr_arena *a, const struct rr_train_row *row, double measured_bytes, double ret[RR_PEERS])
{
    const struct table *t;
    RR_TRY(tables_of(a, row, &t));
    for (int i = 0; i < RR_PEERS; i++) {
        ret[i] = NAN;
        for (size_t k = 0; k < t->n[i]; k++) {
            const double bytes = t->at[i][k].memory_gib * 1073741824.0;
            if (bytes <= 0 || !same_layout(&t->at[i][k], row)) continue;
            if (isnan(ret[i]) || fabs(bytes - measured_bytes) < fabs(ret[i] - measured_bytes)) ret[i] = bytes;
        }
    }
    return RR_OK;
}
