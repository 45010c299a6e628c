/* SPDX-License-Identifier: GPL-3.0-or-later
 * reports/headline.c - the answer on a terminal. */
#include "reports/report.h"
#include "reports/show.h"
#include <math.h>
#include <string.h>

static const struct {
    int metric;
    const char *title;
    bool share;
} column[] = {{RR_M_COST_TOTAL, "cost", false},
              {RR_M_NPV_COST, "npv", false},
              {RR_M_COST_PER_GPU_HOUR_USED, "per GPU-h", false},
              {RR_M_WAIT_P50, "wait p50", false},
              {RR_M_WAIT_P95, "wait p95", false},
              {RR_M_WORK_FINISHED_SHARE, "finished", true},
              {RR_M_GPU_ALLOCATED_SHARE, "allocated", true}};
enum { COLUMNS = sizeof column / sizeof *column, MOST_ROWS = 40, LEAST_NAME = 8, WIDE_NAME = 26, WIDE = 80 };

// Columns on the screen: one a UTF-8 character.
static int width_of(const char *s)
{
    int n = 0;
    for (; *s; s++) n += ((unsigned char)*s & 0xc0) != 0x80;
    return n;
}

static void padded(struct rr_buf *b, const char *s, int width, bool right)
{
    const int gap = width > width_of(s) ? width - width_of(s) : 0;
    if (right) rr_buf_putf(b, "%*s", gap, "");
    rr_buf_puts(b, s);
    if (!right) rr_buf_putf(b, "%*s", gap, "");
}

// A terminal obeys control characters: none gets through. Long names end in "..".
static const char *short_name(struct rr_arena *a, const char *name, int most)
{
    char *s = rr_strdup(a, name ? name : "");
    int n = 0;
    for (char *p = s; *p; p++) {
        if ((unsigned char)*p < 0x20 || *p == 0x7f) *p = '?';
        if (((unsigned char)*p & 0xc0) != 0x80 && ++n > most) {
            *p = '\0';
            return rr_strf(a, "%.*s..", (int)(p - s) - 2 > 0 ? (int)(p - s) - 2 : 0, s);
        }
    }
    return s;
}

static void wrapped(struct rr_buf *b, struct rr_arena *a, const char *first, const char *text, int width)
{
    const char *indent = rr_strf(a, "%*s", width_of(first), "");
    const char *s = short_name(a, text, 100000);
    rr_buf_puts(b, first);
    int at = width_of(first);
    while (*s) {
        const size_t n = strcspn(s, " ");
        const char *word = rr_strndup(a, s, n);
        if (at > width_of(first) && at + 1 + width_of(word) > width) {
            rr_buf_putf(b, "\n%s", indent);
            at = width_of(first);
        } else if (at > width_of(first)) {
            rr_buf_puts(b, " ");
            at++;
        }
        rr_buf_puts(b, word);
        at += width_of(word);
        s += n;
        s += strspn(s, " ");
    }
    rr_buf_puts(b, "\n");
}

static const char *value(const struct rr_store *s, struct rr_arena *a, const struct rr_alternative *alt, int k)
{
    const double v = alt->metric[column[k].metric].mean;
    if (column[k].share) return rr_show_share(a, v);
    return rr_show_metric(a, rr_metric_info[column[k].metric].unit, v, s->currency);
}

struct layout {
    size_t chosen[MOST_ROWS], n;
    int wide[COLUMNS]; // 0: not shown
    int name;
};

static void measure(const struct rr_store *s, struct rr_arena *a, struct layout *l)
{
    l->n = rr_show_chosen(s, MOST_ROWS, false, l->chosen);
    l->name = LEAST_NAME;
    for (size_t i = 0; i < l->n; i++) {
        const int w = width_of(rr_show_name(s, a, l->chosen[i]));
        if (w > l->name) l->name = w;
    }
    for (int k = 0; k < COLUMNS; k++) {
        bool told = false;
        l->wide[k] = width_of(column[k].title);
        for (size_t i = 0; i < l->n; i++) {
            const struct rr_alternative *alt = &s->alternative[l->chosen[i]];
            const int w = width_of(value(s, a, alt, k));
            told |= !isnan(alt->metric[column[k].metric].mean);
            if (w > l->wide[k]) l->wide[k] = w;
        }
        l->wide[k] = told ? l->wide[k] + 2 : 0;
    }
}

/* A terminal too narrow for all: first the columns that can best be missed, then the names' ends. */
static void fit(struct layout *l, int width)
{
    static const int missed[] = {6, 3, 2, 5};
    const int name = l->name < WIDE_NAME ? l->name : WIDE_NAME;
    int all = 0;
    for (int k = 0; k < COLUMNS; k++) all += l->wide[k];
    for (size_t i = 0; i < sizeof missed / sizeof *missed && name + all > width; i++) {
        all -= l->wide[missed[i]];
        l->wide[missed[i]] = 0;
    }
    for (int k = COLUMNS - 1; k > 0 && LEAST_NAME + all > width; k--) {
        all -= l->wide[k];
        l->wide[k] = 0;
    }
    if (l->name > width - all) l->name = width - all > LEAST_NAME ? width - all : LEAST_NAME;
}

static void table(const struct rr_store *s, struct rr_arena *a, struct rr_buf *b, int width)
{
    struct layout l;
    measure(s, a, &l);
    fit(&l, width);
    padded(b, "", l.name, false);
    for (int k = 0; k < COLUMNS; k++)
        if (l.wide[k]) padded(b, column[k].title, l.wide[k], true);
    rr_buf_puts(b, "\n");
    for (size_t i = 0; i < l.n; i++) {
        padded(b, short_name(a, rr_show_name(s, a, l.chosen[i]), l.name), l.name, false);
        for (int k = 0; k < COLUMNS; k++)
            if (l.wide[k]) padded(b, value(s, a, &s->alternative[l.chosen[i]], k), l.wide[k], true);
        rr_buf_puts(b, "\n");
    }
    if (l.n < s->n_alternatives) rr_buf_putf(b, "(%zu of %zu alternatives)\n", l.n, s->n_alternatives);
}

/* ---- planned runs: when they are done, and what they cost ---- */

static const struct rr_sheet *find_sheet(const struct rr_store *s, const char *name)
{
    for (size_t i = 0; i < s->n_sheets; i++)
        if (strcmp(s->sheet[i].name, name) == 0) return &s->sheet[i];
    return NULL;
}

/* P10, P50 and P90 stand in the columns from here on; -1: there are none. */
static int quantiles_at(const struct rr_sheet *s, const char *title)
{
    for (size_t c = 0; s && c + 2 < s->n_columns; c++)
        if (strcmp(s->head[c].title, title) == 0) return (int)c;
    return -1;
}

static double cell_at(const struct rr_sheet *s, size_t row, int c)
{
    return c < 0 || row >= s->n_rows ? NAN : s->cell[row * s->n_columns + (size_t)c].number;
}

enum { TIME_WIDE = 10, COST_WIDE = 14 };

static int longest_name(const struct rr_sheet *s)
{
    int most = LEAST_NAME;
    for (size_t r = 0; r < s->n_rows && r < MOST_ROWS; r++) {
        const char *run = s->cell[r * s->n_columns].text;
        if (run && width_of(run) > most) most = width_of(run);
    }
    return most;
}

/* As replayed over the replications, with queues; where there is one replication, or other jobs are beside them, as predicted. */
static void planned(const struct rr_store *s, struct rr_arena *a, struct rr_buf *b, int width)
{
    static const char *const title[] = {"done P10", "P50", "P90"};
    const struct rr_sheet *done = find_sheet(s, "training.done"), *bill = find_sheet(s, "training.bill");
    const int replayed = quantiles_at(done, "Replayed P10"), predicted = quantiles_at(done, "Predicted P10");
    if (predicted < 0) return;
    const int cost = quantiles_at(bill, "Effective cost P10"), all = longest_name(done), some = all < WIDE_NAME ? all : WIDE_NAME;
    const bool priced = cost >= 0 && some + 3 * TIME_WIDE + 2 * COST_WIDE <= width, wide = LEAST_NAME + 3 * TIME_WIDE <= width;
    const int room = width - (wide ? 3 : 1) * TIME_WIDE - (priced ? 2 * COST_WIDE : 0), name = all < room ? all : room;
    rr_buf_puts(b, "\n");
    padded(b, "", name, false);
    for (int k = 0; k < 3; k++)
        if (wide || k == 1) padded(b, title[k], TIME_WIDE, true);
    if (priced) padded(b, "cost P10", COST_WIDE, true), padded(b, "P90", COST_WIDE, true);
    rr_buf_puts(b, "\n");
    for (size_t r = 0; r < done->n_rows && r < MOST_ROWS; r++) {
        padded(b, short_name(a, done->cell[r * done->n_columns].text, name), name, false);
        for (int k = 0; k < 3; k++) {
            const double v = cell_at(done, r, replayed < 0 ? -1 : replayed + k);
            if (wide || k == 1) padded(b, rr_show_time(a, isnan(v) ? cell_at(done, r, predicted + k) : v), TIME_WIDE, true);
        }
        for (int k = 0; k <= 2 && priced; k += 2) padded(b, rr_show_amount(a, cell_at(bill, r, cost + k), s->currency), COST_WIDE, true);
        rr_buf_puts(b, "\n");
    }
}

void rr_report_headline(const struct rr_store *s, struct rr_buf *b, int width)
{
    struct rr_arena *a = rr_arena_create();
    if (width <= 0) width = WIDE;
    const size_t n = s->verdict ? strlen(s->verdict) : 0;
    if (n) wrapped(b, a, "", rr_strf(a, "%s%s", s->verdict, s->verdict[n - 1] == '.' ? "" : "."), width);
    const char *const *warning;
    const size_t warnings = rr_show_headline(s, a, &warning);
    for (size_t i = 0; i < warnings; i++) wrapped(b, a, "warning: ", warning[i], width);
    if (b->n) rr_buf_puts(b, "\n");
    table(s, a, b, width);
    planned(s, a, b, width);
    rr_arena_free(a);
}
