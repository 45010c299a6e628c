/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/failures.c - causes of failures in words, and traces of failures. */
#include "data/failures.h"
#include "data/cell.h"
#include "data/base/csv.h"
#include "data/base/vec.h"
#include <assert.h>

const char *const rr_cause_names[] = {"node", "gpu", "network", "power", "software", NULL};
const char *const rr_domain_names[] = {"switch", "rack", "power", NULL};

enum rr_reason rr_cause_reason(enum rr_fail_cause c)
{
    static const enum rr_reason reason[RR_CAUSES] = {RR_WHY_NODE_FAILURE, RR_WHY_GPU_FAILURE, RR_WHY_NETWORK_FAILURE, RR_WHY_POWER_FAILURE,
                                                     RR_WHY_SOFTWARE_FAILURE};
    assert(c < RR_CAUSES);
    return reason[c];
}

enum column { TIME, POOL, NODE, DURATION, CAUSE, COLUMNS };
static const char *const columns[COLUMNS] = {"time_s", "pool", "node", "duration_s", "cause"};
struct reader {
    const char *path;
    struct rr_csv *csv;
    struct rr_arena *arena;
    const char *const *pool;
    const int64_t *nodes;
    size_t n_pools;
    int at[COLUMNS]; // -1: not there
    size_t width;
    RR_VEC(struct rr_fail_event) event;
};

static enum rr_status bad_cell(const struct reader *r, const struct rr_csv_row *row, enum column c, const char *why, const char *hint)
{
    const struct rr_slice s = row->cell[r->at[c]];
    return rr_fail(RR_EINPUT, "%s:%lld: %s %s: \"%.*s\"%s", r->path, (long long)row->line, columns[c], why, s.n < 40 ? (int)s.n : 40, s.at,
                   hint);
}

static bool is_word(struct rr_slice s, const char *word) { return s.n == strlen(word) && memcmp(s.at, word, s.n) == 0; }

static enum rr_status read_pool(const struct reader *r, const struct rr_csv_row *row, uint32_t *ret)
{
    const struct rr_slice s = rr_trim(row->cell[r->at[POOL]]);
    size_t i = 0;
    while (i < r->n_pools && !is_word(s, r->pool[i])) i++;
    *ret = (uint32_t)i;
    if (i < r->n_pools) return RR_OK;
    return bad_cell(r, row, POOL, "is no pool of the scenario",
                    rr_did_you_mean(r->arena, rr_strndup(r->arena, s.at, s.n), r->pool, r->n_pools));
}

static enum rr_status read_cause(const struct reader *r, const struct rr_csv_row *row, uint8_t *ret)
{
    *ret = RR_CAUSE_NODE;
    const struct rr_slice s = r->at[CAUSE] < 0 ? rr_slice("", 0) : rr_trim(row->cell[r->at[CAUSE]]);
    if (s.n == 0) return RR_OK;
    for (*ret = 0; *ret < RR_CAUSES; ++*ret)
        if (is_word(s, rr_cause_names[*ret])) return RR_OK;
    return bad_cell(r, row, CAUSE, "is not node, gpu, network, power or software", "");
}

static enum rr_status read_event(struct reader *r, const struct rr_csv_row *row)
{
    if (row->n < r->width)
        return rr_fail(RR_EINPUT, "%s:%lld: %zu cells, the header has %zu", r->path, (long long)row->line, row->n, r->width);
    struct rr_fail_event e = {0};
    int64_t node;
    if (!rr_cell_scaled(rr_trim(row->cell[r->at[TIME]]), 6, &e.at_us) || e.at_us < 0)
        return bad_cell(r, row, TIME, "is no time in seconds from 0 on", "");
    if (!rr_cell_scaled(rr_trim(row->cell[r->at[DURATION]]), 6, &e.duration_us) || e.duration_us < 0)
        return bad_cell(r, row, DURATION, "is no time in seconds", "");
    RR_TRY(read_pool(r, row, &e.pool));
    if (!rr_cell_whole(rr_trim(row->cell[r->at[NODE]]), &node) || node < 0 || node >= r->nodes[e.pool])
        return bad_cell(r, row, NODE, "is no node of the pool",
                        rr_strf(r->arena, "; 0 to %lld are there", (long long)r->nodes[e.pool] - 1));
    e.node = (uint32_t)node;
    RR_TRY(read_cause(r, row, &e.cause));
    rr_vec_push(&r->event, e);
    return RR_OK;
}

static enum rr_status read_rows(struct reader *r)
{
    struct rr_csv_row row;
    RR_TRY(rr_csv_next(r->csv, &row));
    if (row.n == 0) return rr_fail(RR_EINPUT, "%s: the file is empty", r->path);
    r->width = row.n;
    for (int i = 0; i < COLUMNS; i++) {
        r->at[i] = rr_csv_find(&row, columns[i]);
        if (r->at[i] < 0 && i != CAUSE)
            return rr_fail(RR_EINPUT, "%s:%lld: no column \"%s\"; a trace of failures has time_s,pool,node,duration_s and perhaps cause",
                           r->path, (long long)row.line, columns[i]);
    }
    for (;;) {
        RR_TRY(rr_csv_next(r->csv, &row));
        if (row.n == 0) return RR_OK;
        RR_TRY(read_event(r, &row));
    }
}

static int by_time(const void *a, const void *b)
{
    const struct rr_fail_event *x = a, *y = b;
    if (x->at_us != y->at_us) return x->at_us < y->at_us ? -1 : 1;
    if (x->pool != y->pool) return x->pool < y->pool ? -1 : 1;
    if (x->node != y->node) return x->node < y->node ? -1 : 1;
    if (x->duration_us != y->duration_us) return x->duration_us < y->duration_us ? -1 : 1;
    return (x->cause > y->cause) - (x->cause < y->cause);
}

enum rr_status rr_fail_trace_read(const char *path, struct rr_arena *a, const char *const *pool, const int64_t *nodes, size_t n_pools,
                                  struct rr_failures *into)
{
    struct reader r = {.arena = a, .pool = pool, .nodes = nodes, .n_pools = n_pools};
    char sha256[65] = "";
    RR_TRY(rr_csv_open(path, (struct rr_csv_options){0}, &r.csv));
    r.path = rr_csv_path(r.csv);
    enum rr_status st = read_rows(&r);
    if (st == RR_OK) st = rr_csv_sha256(r.csv, sha256);
    if (st == RR_OK) {
        struct rr_fail_event *event = RR_NEWS(a, struct rr_fail_event, r.event.n + 1);
        if (r.event.n) memcpy(event, r.event.at, r.event.n * sizeof *event);
        qsort(event, r.event.n, sizeof *event, by_time);
        into->event = event;
        into->n_events = r.event.n;
        into->trace_sha256 = rr_strdup(a, sha256);
    }
    rr_vec_done(&r.event);
    rr_csv_close(r.csv);
    return st;
}
