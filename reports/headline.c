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
enum { COLUMNS = sizeof column / sizeof *column, MOST_ROWS = 40, LEAST_NAME = 8, WIDE = 80 };

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

static void table(const struct rr_store *s, struct rr_arena *a, struct rr_buf *b, int width)
{
    size_t chosen[MOST_ROWS];
    const size_t n = rr_show_chosen(s, MOST_ROWS, false, chosen);
    int wide[COLUMNS], name = LEAST_NAME, all = 0;
    for (int k = 0; k < COLUMNS; k++) {
        bool told = false;
        wide[k] = width_of(column[k].title);
        for (size_t i = 0; i < n; i++) {
            const struct rr_alternative *alt = &s->alternative[chosen[i]];
            const int w = width_of(value(s, a, alt, k));
            told |= !isnan(alt->metric[column[k].metric].mean);
            if (w > wide[k]) wide[k] = w;
            if (width_of(alt->name) > name) name = width_of(alt->name);
        }
        if (!told) wide[k] = 0;
        all += wide[k] ? wide[k] + 2 : 0;
    }
    if (name > width - all) name = width - all > LEAST_NAME ? width - all : LEAST_NAME;
    padded(b, "", name, false);
    for (int k = 0, left = width - name; k < COLUMNS; k++) {
        if (wide[k] && (left -= wide[k] + 2) < 0) wide[k] = 0; // the last columns go first when the terminal is narrow
        if (wide[k]) padded(b, column[k].title, wide[k] + 2, true);
    }
    rr_buf_puts(b, "\n");
    for (size_t i = 0; i < n; i++) {
        const struct rr_alternative *alt = &s->alternative[chosen[i]];
        padded(b, short_name(a, alt->name, name), name, false);
        for (int k = 0; k < COLUMNS; k++)
            if (wide[k]) padded(b, value(s, a, alt, k), wide[k] + 2, true);
        rr_buf_puts(b, "\n");
    }
    if (n < s->n_alternatives) rr_buf_putf(b, "(%zu of %zu alternatives)\n", n, s->n_alternatives);
}

void rr_report_headline(const struct rr_store *s, struct rr_buf *b, int width)
{
    struct rr_arena *a = rr_arena_create();
    if (width <= 0) width = WIDE;
    const size_t n = s->verdict ? strlen(s->verdict) : 0;
    if (n) wrapped(b, a, "", rr_strf(a, "%s%s", s->verdict, s->verdict[n - 1] == '.' ? "" : "."), width);
    for (size_t i = 0; i < s->n_headline; i++) wrapped(b, a, "warning: ", s->headline[i], width);
    if (b->n) rr_buf_puts(b, "\n");
    table(s, a, b, width);
    rr_arena_free(a);
}
