/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/import/qos.c - what `sacctmgr show qos -P` prints. */
#include "data/qos.h"
#include "data/base/csv.h"
#include "data/base/time.h"
#include "data/base/vec.h"
#include <string.h>

static const char *const limits[] = {"GrpTRES", "GrpTRESMins",    "GrpTRESRunMins", "GrpJobs",  "GrpSubmit", "GrpWall",
                                     "MaxTRES", "MaxTRESPerNode", "MaxTRESMins",    "MaxWall",  "MaxTRESPU", "MaxJobsPU",
                                     "MaxJobs", "MaxSubmitPU",    "MaxTRESPA",      "MaxJobsPA"};
#define N_LIMITS (sizeof limits / sizeof *limits)

struct row {
    struct rr_qos qos;
    const char *preempt; // names separated by commas
};
struct reader {
    struct rr_csv *csv;
    struct rr_arena *arena;
    int name, priority, preempt, limit[N_LIMITS];
    size_t width;
    RR_VEC(struct row) rows;
};

static enum rr_status read_header(struct reader *r)
{
    struct rr_csv_row h;
    RR_TRY(rr_csv_next(r->csv, &h));
    r->width = h.n;
    r->name = h.n ? rr_csv_find(&h, "Name") : -1;
    r->priority = h.n ? rr_csv_find(&h, "Priority") : -1;
    r->preempt = h.n ? rr_csv_find(&h, "Preempt") : -1;
    for (size_t i = 0; i < N_LIMITS; i++) r->limit[i] = h.n ? rr_csv_find(&h, limits[i]) : -1;
    if (r->name >= 0 && h.n > 1) return RR_OK;
    return rr_fail(RR_EINPUT, "%s:1: no column Name between |: not what `sacctmgr show qos -P` prints", rr_csv_path(r->csv));
}

static struct rr_slice cell(const struct rr_csv_row *in, int at) { return at < 0 ? rr_slice("", 0) : rr_trim(in->cell[at]); }

// A number of GPUs behind "gres/gpu=", cut out of the list; the rest of it, other resources, in *rest. Kinds of GPUs ("gres/gpu:a100") are no such limit.
static int64_t take_gpus(struct rr_arena *a, struct rr_slice list, const char **rest)
{
    static const struct rr_slice key = {"gres/gpu=", 9};
    int64_t gpus = -1;
    *rest = "";
    for (size_t from = 0; from < list.n;) {
        size_t to = from;
        while (to < list.n && list.at[to] != ',') to++;
        const struct rr_slice part = rr_slice(list.at + from, to - from);
        int64_t v;
        if (gpus < 0 && part.n > key.n && memcmp(part.at, key.at, key.n) == 0 &&
            rr_text_i64(rr_slice(part.at + key.n, part.n - key.n), &v) == RR_OK && v >= 0)
            gpus = v;
        else
            *rest = rr_strf(a, "%s%s%.*s", *rest, **rest ? "," : "", (int)part.n, part.at);
        from = to + 1;
    }
    return gpus;
}

// Slurm's "days-hours:minutes:seconds", "hours:minutes:seconds", "minutes:seconds" or "minutes"; 0 when it is none.
static int64_t wall_of(struct rr_slice text)
{
    int64_t days = 0, part[4] = {0};
    size_t n = 0, from = 0;
    const char *dash = memchr(text.at, '-', text.n);
    if (dash) {
        if (rr_text_i64(rr_slice(text.at, (size_t)(dash - text.at)), &days) != RR_OK || days < 0 || days > 36500) return 0;
        from = (size_t)(dash - text.at) + 1;
    }
    for (size_t at = from; at <= text.n; at++) {
        if (at < text.n && text.at[at] != ':') continue;
        if (n == 3 || rr_text_i64(rr_slice(text.at + from, at - from), &part[n]) != RR_OK || part[n] < 0 || part[n] > 10000000) return 0;
        n++;
        from = at + 1;
    }
    const int64_t seconds = dash || n == 3 ? part[0] * 3600 + part[1] * 60 + part[2] : part[0] * 60 + part[1];
    return (days * 86400 + seconds) * RR_S;
}

static void add_limit(struct reader *r, struct rr_qos *q, const char *name, const char *value, size_t n)
{
    if (n > 0 && n < 1000) q->limits = rr_strf(r->arena, "%s%s%s=%.*s", q->limits, *q->limits ? ", " : "", name, (int)n, value);
}

static void read_limit(struct reader *r, struct rr_qos *q, const char *name, struct rr_slice v)
{
    const char *rest = "";
    const bool group = strcmp(name, "GrpTRES") == 0, user = strcmp(name, "MaxTRESPU") == 0;
    if (group || user) {
        *(group ? &q->gpus : &q->gpus_a_user) = take_gpus(r->arena, v, &rest);
        add_limit(r, q, name, rest, strlen(rest));
    } else if (strcmp(name, "MaxWall") == 0 && v.n > 0 && (q->wall_us = wall_of(v)) > 0) {
        return;
    } else {
        add_limit(r, q, name, v.at, v.n);
    }
}

static enum rr_status read_row(struct reader *r, const struct rr_csv_row *in)
{
    struct row row = {.qos = {.limits = "", .gpus = -1, .gpus_a_user = -1}};
    const struct rr_slice name = cell(in, r->name), priority = cell(in, r->priority), preempt = cell(in, r->preempt);
    if (in->n < r->width)
        return rr_fail(RR_EINPUT, "%s:%lld: %zu cells, the header has %zu", rr_csv_path(r->csv), (long long)in->line, in->n, r->width);
    if (name.n == 0) return rr_fail(RR_EINPUT, "%s:%lld: Name is empty", rr_csv_path(r->csv), (long long)in->line);
    if (priority.n > 0 && (rr_text_i64(priority, &row.qos.priority) != RR_OK || row.qos.priority < 0 || row.qos.priority > UINT32_MAX))
        return rr_fail(RR_EINPUT, "%s:%lld: Priority is no whole number from 0: \"%.*s\"", rr_csv_path(r->csv), (long long)in->line,
                       priority.n < 40 ? (int)priority.n : 40, priority.at);
    row.qos.name = rr_strndup(r->arena, name.at, name.n);
    row.preempt = rr_strndup(r->arena, preempt.n ? preempt.at : "", preempt.n);
    for (size_t i = 0; i < N_LIMITS; i++) read_limit(r, &row.qos, limits[i], cell(in, r->limit[i]));
    for (size_t i = 0; i < r->rows.n; i++)
        if (strcmp(r->rows.at[i].qos.name, row.qos.name) == 0)
            return rr_fail(RR_EINPUT, "%s:%lld: two are named \"%s\"", rr_csv_path(r->csv), (long long)in->line, row.qos.name);
    rr_vec_push(&r->rows, row);
    return RR_OK;
}

static bool names(const char *list, const char *name)
{
    const size_t n = strlen(name);
    for (const char *p = list; *p; p += strcspn(p, ","), p += *p == ',')
        if (strcspn(p, ",") == n && memcmp(p, name, n) == 0) return true;
    return false;
}

static enum rr_status read_rows(struct reader *r)
{
    RR_TRY(read_header(r));
    for (;;) {
        struct rr_csv_row in;
        RR_TRY(rr_csv_next(r->csv, &in));
        if (in.n == 0) break;
        RR_TRY(read_row(r, &in));
        if (r->rows.n > 10000) return rr_fail(RR_EINPUT, "%s: more than 10,000 qualities of service", rr_csv_path(r->csv));
    }
    if (r->rows.n == 0) return rr_fail(RR_EINPUT, "%s: there is no row behind the header", rr_csv_path(r->csv));
    for (size_t i = 0; i < r->rows.n; i++)
        for (size_t k = 0; k < r->rows.n; k++) r->rows.at[i].qos.preempted |= names(r->rows.at[k].preempt, r->rows.at[i].qos.name);
    return RR_OK;
}

enum rr_status rr_qos_read(const char *path, struct rr_arena *arena, struct rr_qos **ret, size_t *ret_n)
{
    struct reader r = {.arena = arena};
    RR_TRY(rr_csv_open(path, (struct rr_csv_options){.separator = '|'}, &r.csv));
    const enum rr_status st = read_rows(&r);
    if (st == RR_OK) {
        *ret = RR_NEWS(arena, struct rr_qos, r.rows.n);
        for (size_t i = 0; i < r.rows.n; i++) (*ret)[i] = r.rows.at[i].qos;
        *ret_n = r.rows.n;
    }
    rr_vec_done(&r.rows);
    rr_csv_close(r.csv);
    return st;
}
