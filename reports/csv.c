/* SPDX-License-Identifier: GPL-3.0-or-later
 * reports/csv.c - cells straight into the output's buffer: a million rows of jobs.csv in well under a second. */
#include "reports/csv.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_CELL = 64 }; // of a number

// Bytes that need neither quotes nor a guard: anywhere in a cell (2), or between two such (1).
static const unsigned char plain[256] = {
    ['0' ... '9'] = 2, ['A' ... 'Z'] = 2, ['a' ... 'z'] = 2, ['.'] = 2, ['_'] = 2, ['/'] = 2, [':'] = 2, ['$'] = 2, ['-'] = 1, [' '] = 1,
};

static void comma(struct rr_cells *c)
{
    if (c->first) {
        c->first = false;
        return;
    }
    *rr_outfile_room(c->out, 1) = ',';
    rr_outfile_used(c->out, 1);
}

void rr_out_text(struct rr_cells *c, const char *text)
{
    comma(c);
    if (!text) return;
    size_t n = 0;
    while (plain[(unsigned char)text[n]]) n++;
    if (text[n] == '\0' && (n == 0 || (plain[(unsigned char)text[0]] == 2 && plain[(unsigned char)text[n - 1]] == 2))) {
        rr_outfile_put(c->out, text, n);
        return;
    }
    struct rr_buf b = {0};
    rr_buf_csv(&b, text);
    rr_outfile_put(c->out, rr_buf_text(&b), b.n);
    rr_buf_done(&b);
}

// Decimal digits of v from the right; returns where they begin.
static char *digits_before(char *end, unsigned __int128 v)
{
    while (v > UINT64_MAX) {
        *--end = (char)('0' + (int)(v % 10));
        v /= 10;
    }
    uint64_t w = (uint64_t)v;
    do *--end = (char)('0' + (int)(w % 10));
    while (w /= 10);
    return end;
}

void rr_out_scaled(struct rr_cells *c, __int128 v, int digits)
{
    comma(c);
    char text[MOST_CELL];
    char *const end = text + sizeof text;
    char *at = digits_before(end, v < 0 ? -(unsigned __int128)v : (unsigned __int128)v);
    while (end - at <= digits) *--at = '0'; // at least one digit before the point
    char *last = end;
    while (digits > 0 && last[-1] == '0' && last > end - digits) last--;
    char *const out = rr_outfile_room(c->out, MOST_CELL + 2);
    size_t n = 0;
    if (v < 0) out[n++] = '-';
    const size_t whole = (size_t)(end - digits - at);
    memcpy(out + n, at, whole);
    n += whole;
    if (last > end - digits) {
        out[n++] = '.';
        memcpy(out + n, end - digits, (size_t)(last - (end - digits)));
        n += (size_t)(last - (end - digits));
    }
    rr_outfile_used(c->out, n);
}

void rr_out_time(struct rr_cells *c, int64_t us)
{
    if (us == RR_NEVER)
        comma(c);
    else
        rr_out_scaled(c, us, 6);
}

void rr_out_double(struct rr_cells *c, double v)
{
    comma(c);
    if (!isfinite(v)) return;
    char text[RR_DOUBLE_MAX];
    rr_double_text(v, text);
    rr_outfile_put(c->out, text, strlen(text));
}

// A number of things for people: to 9 decimals, without the noise of a sum of doubles behind them.
static void cell_quantity(struct rr_cells *c, double v)
{
    if (fabs(v) < 9e9)
        rr_out_scaled(c, llround(v * 1e9), 9);
    else
        rr_out_double(c, v);
}

void rr_out_row(struct rr_cells *c)
{
    rr_outfile_put(c->out, "\n", 1);
    c->first = true;
}

static void header(struct rr_outfile *out, const char *line) { rr_outfile_put(out, line, strlen(line)); }

static enum rr_status put_job(void *ctx, const struct rr_job_view *j)
{
    struct rr_cells *c = ctx;
    rr_out_text(c, j->id);
    rr_out_text(c, j->user);
    rr_out_text(c, j->account);
    rr_out_text(c, j->class_name);
    rr_out_scaled(c, j->gpus_milli, 3);
    const int64_t times[] = {j->submit_us, j->start_us, j->end_us, j->wait_us, j->jct_us, j->run_us, j->lost_us};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) rr_out_time(c, times[i]);
    rr_out_scaled(c, j->attempts, 0);
    rr_out_text(c, j->status);
    rr_out_text(c, j->pool);
    rr_out_text(c, j->reason);
    rr_out_text(c, j->alternative);
    rr_out_scaled(c, j->replication, 0);
    rr_out_row(c);
    return RR_OK;
}

enum rr_status rr_csv_jobs(const struct rr_store *s, const char *db_path, struct rr_outfile *out)
{
    struct rr_cells c = {out, true};
    header(out, "job_id,user,account,class,gpus,submit_s,start_s,end_s,wait_s,jct_s,run_s,lost_s,attempts,status,pool,reason,alternative,"
                "replication\n");
    return rr_store_jobs(s, db_path, put_job, &c);
}

static enum rr_status put_attempt(void *ctx, const struct rr_attempt_view *x)
{
    struct rr_cells *c = ctx;
    rr_out_text(c, x->job_id);
    rr_out_scaled(c, x->attempt, 0);
    rr_out_text(c, x->pool);
    rr_out_scaled(c, x->node, 0);
    rr_out_scaled(c, x->nodes, 0);
    rr_out_scaled(c, x->gpus_milli, 3);
    rr_out_time(c, x->start_us);
    rr_out_time(c, x->end_us);
    rr_out_scaled(c, x->used_milli_us, 9);
    rr_out_scaled(c, x->lost_milli_us, 9);
    rr_out_text(c, x->reason);
    rr_out_text(c, x->alternative);
    rr_out_row(c);
    return RR_OK;
}

enum rr_status rr_csv_attempts(const struct rr_store *s, const char *db_path, struct rr_outfile *out)
{
    struct rr_cells c = {out, true};
    header(out, "job_id,attempt,pool,node,nodes,gpus,start_s,end_s,used_gpu_s,lost_gpu_s,reason,alternative\n");
    return rr_store_attempts(s, db_path, put_attempt, &c);
}

static void put_lease(struct rr_cells *c, const struct rr_alternative *a, const struct rr_lease *l)
{
    rr_out_text(c, a->name);
    rr_out_scaled(c, 1, 0);
    rr_out_text(c, rr_store_pool_name(a, l->pool));
    rr_out_scaled(c, l->node, 0);
    rr_out_text(c, a->node_name ? a->node_name[l->node] : NULL);
    rr_out_time(c, l->start_us);
    rr_out_time(c, l->ready_us);
    rr_out_time(c, l->end_us);
    rr_out_scaled(c, (__int128)l->end_us - l->start_us, 6);
    rr_out_scaled(c, l->used_milli_us, 9);
    rr_out_scaled(c, l->down_milli_us, 9);
    rr_out_row(c);
}

enum rr_status rr_csv_leases(const struct rr_store *s, const char *db_path, struct rr_outfile *out)
{
    (void)db_path;
    struct rr_cells c = {out, true};
    header(out, "alternative,replication,pool,node,node_name,start_s,ready_s,end_s,held_s,used_gpu_s,down_gpu_s\n");
    for (size_t i = 0; i < s->n_alternatives; i++)
        for (size_t k = 0; k < s->alternative[i].n_leases; k++) put_lease(&c, &s->alternative[i], &s->alternative[i].lease[k]);
    return RR_OK;
}

/* Texts of times and rates, which repeat from charge to charge. */
enum { DATES = 64 };
struct told {
    const struct rr_store *s;
    struct {
        int64_t us;
        char text[40];
    } date[DATES];
    struct rr_rate rate;
    char rate_text[64];
};

// The day (and hour) of a time, empty without a start.
static void cell_date(struct rr_cells *c, struct told *told, int64_t us)
{
    const size_t k = (size_t)((uint64_t)us / 1000000 * 0x9e3779b97f4a7c15u >> 58);
    if (told->s->anchored && (told->date[k].us != us || !told->date[k].text[0])) {
        struct rr_buf b = {0};
        rr_buf_date(&b, told->s->start_us + us);
        snprintf(told->date[k].text, sizeof told->date[k].text, "%s", rr_buf_text(&b));
        told->date[k].us = us;
        rr_buf_done(&b);
    }
    rr_out_text(c, told->date[k].text);
}

static void cell_rate(struct rr_cells *c, struct told *told, struct rr_rate r)
{
    if (r.nano && (r.nano != told->rate.nano || r.per != told->rate.per || r.time != told->rate.time)) {
        struct rr_buf b = {0};
        rr_buf_rate(&b, r, told->s->currency);
        snprintf(told->rate_text, sizeof told->rate_text, "%s", rr_buf_text(&b));
        told->rate = r;
        rr_buf_done(&b);
    }
    rr_out_text(c, r.nano ? told->rate_text : "");
}

static void put_charge(struct rr_cells *c, struct told *told, const struct rr_alternative *a, const struct rr_charge *x)
{
    rr_out_text(c, a->name);
    rr_out_scaled(c, 1, 0);
    rr_out_text(c, rr_store_pool_name(a, x->pool));
    rr_out_text(c, x->type);
    rr_out_text(c, x->line);
    rr_out_text(c, x->commitment);
    const int64_t times[] = {x->from_us, x->to_us, x->due_us};
    for (size_t i = 0; i < 3; i++) rr_out_time(c, times[i]);
    for (size_t i = 0; i < 3; i++) cell_date(c, told, times[i]);
    rr_out_scaled(c, x->billed.micro, 6);
    rr_out_scaled(c, x->effective.micro, 6);
    rr_out_scaled(c, x->after_horizon.micro, 6);
    rr_out_text(c, told->s->currency);
    cell_quantity(c, x->quantity);
    rr_out_text(c, x->unit);
    cell_rate(c, told, x->rate);
    rr_out_row(c);
}

enum rr_status rr_csv_charges(const struct rr_store *s, const char *db_path, struct rr_outfile *out)
{
    (void)db_path;
    struct rr_cells c = {out, true};
    struct told told = {.s = s};
    header(out, "alternative,replication,pool,type,line,commitment,from_s,to_s,due_s,from,to,due,billed,effective,after_horizon,currency,"
                "quantity,unit,rate\n");
    for (size_t i = 0; i < s->n_alternatives; i++)
        for (size_t k = 0; k < s->alternative[i].n_charges; k++) put_charge(&c, &told, &s->alternative[i], &s->alternative[i].charge[k]);
    return RR_OK;
}

enum rr_status rr_csv_assumptions(const struct rr_store *s, const char *db_path, struct rr_outfile *out)
{
    (void)db_path;
    struct rr_cells c = {out, true};
    for (size_t i = 0; i < s->n_sheets; i++) {
        const struct rr_sheet *x = &s->sheet[i];
        if (strcmp(x->name, "register") != 0) continue;
        for (size_t k = 0; k < x->n_columns; k++) rr_out_text(&c, x->head[k].title);
        rr_out_row(&c);
        for (size_t k = 0; k < x->n_rows * x->n_columns; k++) {
            if (x->cell[k].text)
                rr_out_text(&c, x->cell[k].text);
            else
                rr_out_double(&c, x->cell[k].number);
            if ((k + 1) % x->n_columns == 0) rr_out_row(&c);
        }
    }
    return RR_OK;
}

const struct rr_series *rr_series_find(const struct rr_alternative *a, const char *name)
{
    for (size_t i = 0; i < a->n_series; i++)
        if (strcmp(a->series[i].name, name) == 0) return &a->series[i];
    return NULL;
}
