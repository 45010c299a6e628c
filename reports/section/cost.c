/* SPDX-License-Identifier: GPL-3.0-or-later
 * reports/section/cost.c - cumulative cost, and what it is made of. */
#include "reports/draw.h"
#include "reports/show.h"
#include <math.h>
#include <string.h>

enum { MOST = 4, MOST_LINES = 400 };

struct key {
    const char *type, *line;
};

static struct rr_money sum_of(const struct rr_alternative *a, const struct key *k)
{
    struct rr_money sum = {0};
    for (size_t i = 0; i < a->n_lines; i++)
        if (!k || (strcmp(a->line[i].type, k->type) == 0 && strcmp(a->line[i].line, k->line) == 0)) sum.micro += a->line[i].effective.micro;
    return sum;
}

static bool has(const struct key *key, size_t n, const struct rr_cost_line *l)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(key[i].type, l->type) == 0 && strcmp(key[i].line, l->line) == 0) return true;
    return false;
}

// Every plan type and line that one of the chosen has, in order of appearance, the lines of one type together.
static size_t keys_of(const struct rr_store *s, const size_t *chosen, size_t n, struct key *key)
{
    size_t keys = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < s->alternative[chosen[i]].n_lines && keys < MOST_LINES; k++) {
            const struct rr_cost_line *l = &s->alternative[chosen[i]].line[k];
            if (has(key, keys, l)) continue;
            size_t at = keys;
            for (size_t j = 0; j < keys; j++)
                if (strcmp(key[j].type, l->type) == 0) at = j + 1;
            memmove(&key[at + 1], &key[at], (keys - at) * sizeof *key);
            key[at] = (struct key){l->type, l->line};
            keys++;
        }
    return keys;
}

static void breakdown(const struct rr_store *s, struct rr_doc *d, const size_t *chosen, size_t n)
{
    struct key *key = RR_NEWS(d->arena, struct key, MOST_LINES + 1);
    const size_t keys = keys_of(s, chosen, n, key);
    struct rr_table *t = rr_doc_table(d, "Effective cost inside the horizon by plan and line, replication 1.");
    rr_table_column(t, "Plan", false);
    rr_table_column(t, "Line", false);
    for (size_t i = 0; i < n; i++) rr_table_column(t, rr_show_name(s, d->arena, chosen[i]), true);
    for (size_t k = 0; k < keys; k++) {
        rr_table_row(t);
        rr_table_cell(t, k && strcmp(key[k].type, key[k - 1].type) == 0 ? "" : rr_show_word(d->arena, key[k].type));
        rr_table_cell(t, rr_show_word(d->arena, key[k].line));
        for (size_t i = 0; i < n; i++) {
            const struct rr_alternative *a = &s->alternative[chosen[i]];
            const struct rr_money v = sum_of(a, &key[k]), whole = sum_of(a, NULL);
            rr_table_cell(t, v.micro ? rr_show_money(d->arena, v, s->currency) : RR_SHOW_NONE);
            if (!v.micro) rr_table_mark(t, RR_MARK_MUTED);
            if (whole.micro > 0) rr_table_bar(t, (double)v.micro / (double)whole.micro);
        }
    }
    rr_table_row(t);
    rr_table_cell(t, "Total");
    rr_table_mark(t, RR_MARK_TOTAL);
    rr_table_cell(t, "");
    rr_table_mark(t, RR_MARK_TOTAL);
    for (size_t i = 0; i < n; i++) {
        rr_table_cell(t, rr_show_money(d->arena, sum_of(&s->alternative[chosen[i]], NULL), s->currency));
        rr_table_mark(t, RR_MARK_TOTAL);
    }
}

// From results.json alone: by plan, for the lines are not there.
static void by_plan(const struct rr_store *s, struct rr_doc *d, const size_t *chosen, size_t n)
{
    struct rr_table *t = rr_doc_table(d, "Effective cost by plan.");
    rr_table_column(t, "Plan", false);
    for (size_t i = 0; i < n; i++) rr_table_column(t, rr_show_name(s, d->arena, chosen[i]), true);
    for (int k = RR_M_COST_ON_DEMAND; k < RR_M_COST_ENERGY; k++) {
        bool told = false;
        for (size_t i = 0; i < n; i++) told |= s->alternative[chosen[i]].metric[k].mean > 0 || s->alternative[chosen[i]].metric[k].mean < 0;
        if (!told) continue;
        rr_table_row(t);
        rr_table_cell(t, rr_show_word(d->arena, rr_metric_info[k].name + strlen("cost.")));
        for (size_t i = 0; i < n; i++) rr_table_cell(t, rr_show_amount(d->arena, s->alternative[chosen[i]].metric[k].mean, s->currency));
    }
}

static void beside(const struct rr_store *s, struct rr_doc *d, const size_t *chosen, size_t n)
{
    static const struct {
        int metric;
        const char *title;
    } row[] = {{RR_M_COST_ENERGY, "Of which energy"},
               {RR_M_COST_AFTER_HORIZON, "Prepaid or committed beyond the horizon"},
               {RR_M_VALUE_TERMINAL, "Value left at the horizon"},
               {RR_M_COST_WAITING, "Cost of waiting, beside the total"},
               {RR_M_COST_PER_MONTH, "Cost per month"},
               {RR_M_COST_PER_JOB_FINISHED, "Cost per finished job"}};
    struct rr_table *t = rr_doc_table(d, "Beside the total.");
    rr_table_column(t, "", false);
    for (size_t i = 0; i < n; i++) rr_table_column(t, rr_show_name(s, d->arena, chosen[i]), true);
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        bool told = false;
        for (size_t i = 0; i < n; i++) {
            const double v = s->alternative[chosen[i]].metric[row[k].metric].mean;
            told |= !isnan(v) && v != 0;
        }
        if (!told) continue;
        rr_table_row(t);
        rr_table_cell(t, row[k].title);
        for (size_t i = 0; i < n; i++)
            rr_table_cell(t, rr_show_amount(d->arena, s->alternative[chosen[i]].metric[row[k].metric].mean, s->currency));
    }
}

// "36 months", but "1 month" and "7 kWh".
static const char *plural(const struct rr_cost_line *l)
{
    const bool word = l->unit[strspn(l->unit, "abcdefghijklmnopqrstuvwxyz-")] == '\0';
    return word && l->quantity != 1 ? "s" : "";
}

static void detail_row(const struct rr_store *s, struct rr_doc *d, struct rr_table *t, const struct rr_alternative *a,
                       const struct rr_cost_line *l)
{
    struct rr_buf rate = {0};
    if (l->rate.nano) rr_buf_rate(&rate, l->rate, s->currency);
    rr_table_row(t);
    rr_table_cell(t, rr_show_name(s, t->arena, (size_t)(a - s->alternative)));
    rr_table_cellf(t, "%s, %s", rr_show_word(d->arena, l->type), rr_show_word(d->arena, l->line));
    rr_table_cell(t, l->commitment && *l->commitment ? l->commitment : l->pool);
    if (l->unit && *l->unit)
        rr_table_cellf(t, "%s %s%s", rr_show_number(d->arena, l->quantity), l->unit, plural(l));
    else
        rr_table_cell(t, "");
    rr_table_cell(t, rr_buf_text(&rate));
    rr_table_cell(t, rr_show_money(d->arena, l->billed, s->currency));
    rr_table_cell(t, rr_show_money(d->arena, l->effective, s->currency));
    rr_buf_done(&rate);
}

static void detail(const struct rr_store *s, struct rr_doc *d, const size_t *chosen, size_t n)
{
    struct rr_table *t = rr_doc_table(d, "Every cost line with its quantity and rate, replication 1.");
    t->fold = true;
    static const char *const title[] = {"Alternative", "Line", "Pool or commitment", "Quantity", "Rate", "Billed", "Effective"};
    for (size_t i = 0; i < sizeof title / sizeof *title; i++) rr_table_column(t, title[i], i > 2);
    size_t rows = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < s->alternative[chosen[i]].n_lines && rows < MOST_LINES; k++, rows++)
            detail_row(s, d, t, &s->alternative[chosen[i]], &s->alternative[chosen[i]].line[k]);
}

static void fill(const struct rr_store *s, struct rr_doc *d)
{
    size_t chosen[MOST];
    const size_t n = rr_show_chosen(s, MOST, true, chosen);
    if (n == 0) return;
    rr_doc_heading(d, 2, "What it costs, and why");
    if (n < s->n_alternatives) rr_doc_para(d, "The tables of this part show %zu of %zu alternatives.", n, s->n_alternatives);
    rr_doc_figure(d, "cost");
    const char *crossings = rr_cost_crossings(s, d->arena);
    if (*crossings) rr_doc_para(d, "By what each has cost so far, %s.", crossings);
    rr_doc_figure(d, "breakdown");
    if (s->summary_only)
        by_plan(s, d, chosen, n);
    else
        breakdown(s, d, chosen, n);
    beside(s, d, chosen, n);
    if (!s->summary_only) detail(s, d, chosen, n);
    rr_doc_para(
        d, "Effective cost accrues over the time it pays for and counts inside the horizon; billed cost is cash on the day it is due.");
}

const struct rr_section rr_section_cost = {"cost", fill};
