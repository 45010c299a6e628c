/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/demand.c - node-hours by clock hour and type. */
#include "data/demand.h"
#include "data/base/csv.h"
#include "data/base/time.h"
#include "data/base/vec.h"
#include "data/focus.h"
#include <assert.h>
#include <math.h>
#include <string.h>

enum { MOST_HOURS = 876600, MOST_SERIES = 10000 }; // 100 years

struct hours {
    const char *instance, *region;
    int64_t first; /* hour since the epoch */
    RR_VEC(double) node;
};
struct rr_demand_sum {
    struct rr_arena *arena;
    RR_VEC(struct hours) series;
    size_t last; /* added to */
    int64_t first, end;
    size_t spread;
};

static int64_t floor_hour(int64_t us) { return us / RR_H - (us % RR_H < 0); }

struct rr_demand_sum *rr_demand_begin(void)
{
    struct rr_demand_sum *d = rr_xrealloc(NULL, 1, sizeof *d);
    *d = (struct rr_demand_sum){.arena = rr_arena_create()};
    return d;
}

void rr_demand_free(struct rr_demand_sum *d)
{
    if (!d) return;
    for (size_t i = 0; i < d->series.n; i++) rr_vec_done(&d->series.at[i].node);
    rr_vec_done(&d->series);
    rr_arena_free(d->arena);
    free(d);
}

static bool is_series(const struct hours *h, const char *instance, const char *region)
{
    return strcmp(h->instance, instance) == 0 && strcmp(h->region, region) == 0;
}

static struct hours *series_of(struct rr_demand_sum *d, const char *instance, const char *region, int64_t hour)
{
    for (size_t i = 0; i < d->series.n; i++) {
        const size_t k = (d->last + i) % d->series.n; // rows of a type come together
        if (!is_series(&d->series.at[k], instance, region)) continue;
        d->last = k;
        return &d->series.at[k];
    }
    const struct hours h = {rr_strdup(d->arena, instance), rr_strdup(d->arena, region), hour, {0}};
    rr_vec_push(&d->series, h);
    d->last = d->series.n - 1;
    return &d->series.at[d->last];
}

/* Room for hours [from, to). */
static void make_room(struct hours *h, int64_t from, int64_t to)
{
    if (from < h->first) {
        const size_t more = (size_t)(h->first - from), n = h->node.n;
        rr_vec_reserve(&h->node, n + more);
        for (size_t i = n; i-- > 0;) h->node.at[i + more] = h->node.at[i];
        for (size_t i = 0; i < more; i++) h->node.at[i] = 0;
        h->node.n = n + more;
        h->first = from;
    }
    while (h->first + (int64_t)h->node.n < to) rr_vec_push(&h->node, 0.0);
}

enum rr_status rr_demand_add(struct rr_demand_sum *d, const char *instance, const char *region, int64_t from_us, int64_t to_us,
                             double node_hours)
{
    assert(from_us < to_us);
    const int64_t from = floor_hour(from_us), to = floor_hour(to_us - 1) + 1;
    const bool any = d->series.n > 0;
    const int64_t first = any && d->first < from ? d->first : from, end = any && d->end > to ? d->end : to;
    if (end - first > MOST_HOURS) return rr_fail(RR_EINPUT, "demand over more than 100 years: a date is wrong");
    if (d->series.n >= MOST_SERIES) return rr_fail(RR_EINPUT, "demand for more than %d types of machines", MOST_SERIES);
    struct hours *h = series_of(d, instance, region, from);
    make_room(h, from, to);
    d->first = first;
    d->end = end;
    d->spread += to_us - from_us > RR_H;
    for (int64_t k = from; k < to; k++) {
        const int64_t a = k * RR_H > from_us ? k * RR_H : from_us, b = (k + 1) * RR_H < to_us ? (k + 1) * RR_H : to_us;
        h->node.at[k - h->first] += node_hours * ((double)(b - a) / (double)(to_us - from_us));
    }
    return RR_OK;
}

static int compare(const void *x, const void *y)
{
    const struct rr_demand_series *a = x, *b = y;
    const int c = strcmp(a->instance, b->instance);
    return c ? c : strcmp(a->region, b->region);
}

enum rr_status rr_demand_finish(const struct rr_demand_sum *d, struct rr_arena *arena, struct rr_demand *ret)
{
    if (d->series.n == 0) return rr_fail(RR_EINPUT, "there is no use of machines by the hour in it: no demand");
    const size_t n_hours = (size_t)(d->end - d->first);
    struct rr_demand_series *s = RR_NEWS(arena, struct rr_demand_series, d->series.n);
    for (size_t i = 0; i < d->series.n; i++) {
        const struct hours *h = &d->series.at[i];
        double *nodes = RR_NEWS(arena, double, n_hours);
        memcpy(nodes + (h->first - d->first), h->node.at, h->node.n * sizeof *nodes);
        s[i] = (struct rr_demand_series){rr_strdup(arena, h->instance), rr_strdup(arena, h->region), nodes};
    }
    qsort(s, d->series.n, sizeof *s, compare);
    *ret = (struct rr_demand){d->first * RR_H, n_hours, s, d->series.n, d->spread};
    return RR_OK;
}

void rr_demand_csv(const struct rr_demand *d, struct rr_buf *b)
{
    rr_buf_puts(b, "hour,instance,region,nodes\n");
    for (size_t h = 0; h < d->n_hours; h++) {
        const struct rr_civil c = rr_civil_of(d->start_us + (int64_t)h * RR_H);
        for (size_t i = 0; i < d->n; i++) {
            rr_buf_putf(b, "%04d-%02d-%02dT%02d:00:00Z,", (int)c.year, c.month, c.day, c.hour);
            rr_buf_csv(b, d->series[i].instance);
            rr_buf_puts(b, ",");
            rr_buf_csv(b, d->series[i].region);
            rr_buf_puts(b, ",");
            rr_buf_focus(b, (rr_i128)llround(d->series[i].nodes[h] * 1e9) * (RR_FOCUS_UNIT / 1000000000)); // to 9 digits
            rr_buf_puts(b, "\n");
        }
    }
}

/* ---- reading ---- */

enum { HOUR, INSTANCE, REGION, NODES, COLUMNS };

static enum rr_status read_row(struct rr_demand_sum *d, const struct rr_csv_row *row, const int *at, struct rr_arena *scratch)
{
    static const struct rr_slice none = {"", 0};
    struct rr_slice cell[COLUMNS];
    int64_t hour_us;
    rr_i128 nodes;
    for (int k = 0; k < COLUMNS; k++) cell[k] = at[k] >= 0 && (size_t)at[k] < row->n ? rr_trim(row->cell[at[k]]) : none;
    RR_TRY(rr_focus_time(cell[HOUR], false, &hour_us));
    RR_TRY(rr_focus_decimal(cell[NODES], &nodes));
    if (hour_us % RR_H != 0) return rr_fail(RR_EINPUT, "\"hour\" is no full hour");
    if (nodes < 0) return rr_fail(RR_EINPUT, "\"nodes\" is negative");
    if (cell[INSTANCE].n == 0) return rr_fail(RR_EINPUT, "\"instance\" is empty");
    return rr_demand_add(d, rr_strndup(scratch, cell[INSTANCE].at, cell[INSTANCE].n), rr_strndup(scratch, cell[REGION].at, cell[REGION].n),
                         hour_us, hour_us + RR_H, rr_focus_double(nodes));
}

static enum rr_status read_all(struct rr_csv *csv, struct rr_demand_sum *d, struct rr_arena *scratch)
{
    static const char *const name[COLUMNS] = {"hour", "instance", "region", "nodes"};
    struct rr_csv_row row;
    int at[COLUMNS];
    RR_TRY(rr_csv_next(csv, &row));
    for (int k = 0; k < COLUMNS; k++) {
        at[k] = rr_csv_find(&row, name[k]);
        if (at[k] < 0 && k != REGION)
            return rr_fail(RR_EINPUT, "%s: the columns hour,instance,region,nodes are expected", rr_csv_path(csv));
    }
    for (;;) {
        RR_TRY(rr_csv_next(csv, &row));
        if (row.n == 0) return RR_OK;
        const enum rr_status st = read_row(d, &row, at, scratch);
        if (st != RR_OK) return rr_fail_in(st, "%s:%lld", rr_csv_path(csv), (long long)row.line);
        rr_arena_reset(scratch);
    }
}

enum rr_status rr_demand_read(const char *path, struct rr_arena *arena, struct rr_demand *ret)
{
    struct rr_csv *csv;
    RR_TRY(rr_csv_open(path, (struct rr_csv_options){0}, &csv));
    struct rr_demand_sum *d = rr_demand_begin();
    struct rr_arena *scratch = rr_arena_create();
    enum rr_status st = read_all(csv, d, scratch);
    if (st == RR_OK && (st = rr_demand_finish(d, arena, ret)) != RR_OK) st = rr_fail_in(st, "%s", path);
    rr_arena_free(scratch);
    rr_demand_free(d);
    rr_csv_close(csv);
    return st;
}
