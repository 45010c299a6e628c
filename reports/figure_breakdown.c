/* SPDX-License-Identifier: GPL-3.0-or-later
 * reports/figure_breakdown.c - what the cost is made of: a stacked bar an alternative. */
#include "reports/draw.h"
#include "reports/show.h"
#include <math.h>
#include <string.h>

enum { BAR = 42, LEGEND = 20, BOTTOM = 62, MOST_PARTS = 64, OTHER = RR_COLOURS - 1 };

struct part {
    const char *type, *line;
    double sum; // over the alternatives drawn: large parts keep their own colour
    int colour;
};
struct plot {
    struct part part[MOST_PARTS];
    size_t n_parts;
    size_t shown[RR_CURVES], n; // positions in `chosen`
    double most, least, divide;
};

static struct part *part_of(struct plot *p, const struct rr_cost_line *l)
{
    for (size_t i = 0; i < p->n_parts; i++)
        if (strcmp(p->part[i].type, l->type) == 0 && strcmp(p->part[i].line, l->line) == 0) return &p->part[i];
    return NULL;
}

static void collect(struct rr_drawing *d, struct plot *p)
{
    memset(p, 0, sizeof *p);
    for (size_t i = 0; i < d->n; i++) {
        const struct rr_alternative *a = &d->s->alternative[d->chosen[i]];
        double above = 0, below = 0;
        for (size_t k = 0; k < a->n_lines && !a->unpriced; k++) {
            const double v = rr_money_double(a->line[k].effective);
            if (!part_of(p, &a->line[k]) && p->n_parts < MOST_PARTS)
                p->part[p->n_parts++] = (struct part){.type = a->line[k].type, .line = a->line[k].line};
            if (part_of(p, &a->line[k])) part_of(p, &a->line[k])->sum += fabs(v);
            *(v > 0 ? &above : &below) += v;
        }
        if (above == 0 && below == 0) continue;
        p->shown[p->n++] = i;
        p->most = fmax(p->most, above);
        p->least = fmin(p->least, below);
    }
}

/* The seven largest parts in order of appearance get colours, the rest is grey. */
static void colour(struct plot *p)
{
    int next = 0;
    for (size_t i = 0; i < p->n_parts; i++) {
        int larger = 0;
        for (size_t k = 0; k < p->n_parts; k++) larger += p->part[k].sum > p->part[i].sum || (p->part[k].sum == p->part[i].sum && k < i);
        p->part[i].colour = larger < OTHER && p->part[i].sum > 0 ? next++ : OTHER;
    }
}

static double sum_of(const struct rr_alternative *a, const struct plot *p, int c)
{
    double sum = 0;
    for (size_t k = 0; k < a->n_lines; k++) {
        const struct part *q = part_of((struct plot *)p, &a->line[k]);
        if ((q ? q->colour : OTHER) == c) sum += rr_money_double(a->line[k].effective);
    }
    return sum;
}

// Bars from the top down: alternative i lies at y = n - i.
static void draw_bars(struct rr_drawing *d, const struct plot *p)
{
    for (int c = 0; c < RR_COLOURS; c++) {
        for (size_t i = 0; i < p->n; i++) {
            const struct rr_alternative *a = &d->s->alternative[d->chosen[p->shown[i]]];
            const double v = sum_of(a, p, c) / p->divide, y = (double)(p->n - i);
            double from = 0;
            for (int k = 0; k < c; k++) {
                const double before = sum_of(a, p, k) / p->divide;
                if ((before > 0) == (v > 0)) from += before;
            }
            rr_draw_point(d, (double[]){from + v / 2, y, from, from + v, y - 0.36, y + 0.36}, 6);
        }
        rr_draw_block(d);
    }
    rr_buf_puts(&d->script, "plot ");
    for (int c = 0; c < RR_COLOURS; c++)
        rr_buf_putf(&d->script, "%s'%s.dat' index %d using 1:2:3:4:5:6 with boxxyerror fc rgb \"%s\" fs solid 1 noborder notitle",
                    c ? ", " : "", d->name, c, rr_colour[c]);
    rr_buf_puts(&d->script, "\n");
}

static int most_name(const struct rr_drawing *d) { return rr_draw_is_narrow(d) ? 12 : 22; }

static void draw_names(struct rr_drawing *d, const struct plot *p, double left, double top, double area)
{
    for (size_t i = 0; i < p->n; i++) {
        const struct rr_alternative *a = &d->s->alternative[d->chosen[p->shown[i]]];
        double total = 0;
        for (int c = 0; c < RR_COLOURS; c++) total += sum_of(a, p, c);
        rr_draw_text(d, left - 10, top + area * ((double)i + 0.6) / ((double)p->n + 0.2), "right", "#1b1f24",
                     rr_draw_short(d->arena, rr_show_name(d->s, d->arena, d->chosen[p->shown[i]]), most_name(d)));
        rr_buf_puts(&d->script, "set label ");
        rr_draw_quoted(d, rr_show_amount(d->arena, total, d->s->currency));
        rr_buf_putf(&d->script, " at first %.9g,%zu left offset character 0.6,0 textcolor rgb \"#1b1f24\" front\n",
                    fmax(0, total) / p->divide, p->n - i);
    }
}

static double draw_legend(struct rr_drawing *d, const struct plot *p)
{
    const char *text[RR_COLOURS], *of[RR_COLOURS];
    size_t n = 0;
    bool other = false;
    for (size_t i = 0; i < p->n_parts; i++) {
        if (p->part[i].colour == OTHER) {
            other |= p->part[i].sum > 0;
            continue;
        }
        text[n] = rr_draw_short(
            d->arena, rr_strf(d->arena, "%s, %s", rr_show_word(d->arena, p->part[i].type), rr_show_word(d->arena, p->part[i].line)), 34);
        of[n++] = rr_colour[p->part[i].colour];
    }
    if (other) {
        text[n] = "other";
        of[n++] = rr_colour[OTHER];
    }
    return rr_draw_legend(d, 16, LEGEND, d->width - 16, text, of, n);
}

bool rr_figure_breakdown(struct rr_drawing *d, struct rr_figure *f)
{
    struct plot p;
    collect(d, &p);
    if (p.n == 0) return false;
    colour(&p);
    const char *unit = rr_draw_money_unit(d->arena, fmax(p.most, -p.least), d->s->currency, &p.divide);
    double wide = 40;
    for (size_t i = 0; i < p.n; i++)
        wide = fmax(wide, rr_draw_text_width(rr_draw_short(d->arena, rr_show_name(d->s, d->arena, d->chosen[p.shown[i]]), most_name(d))));
    const double left = wide + 26, area = BAR * (double)p.n + 10;
    int rows = 1; // of the legend, measured on a drawing that is thrown away
    struct rr_drawing trial = {.s = d->s, .arena = d->arena, .width = d->width, .height = 100};
    rows = (int)((draw_legend(&trial, &p) - LEGEND) / 22 + 0.5);
    rr_buf_done(&trial.script);
    const double top = LEGEND + 22 * rows;
    rr_draw_begin(d, (int)(top + area + BOTTOM));
    draw_legend(d, &p);
    rr_draw_area(d, (int)left, 24, (int)top, BOTTOM);
    const double most = (rr_draw_is_narrow(d) ? 1.42 : 1.14) * p.most / p.divide, // room for the sum behind the bar
        least = p.least / p.divide * 1.05;
    rr_buf_putf(&d->script,
                "set border 1 lc rgb \"#5b6470\"\nunset ytics\nset grid noytics xtics lc rgb \"#e3e7eb\" lt 1 lw 1\n"
                "set xrange [%.9g:%.9g]\nset yrange [0.4:%zu.6]\n",
                least, most > least ? most : least + 1, p.n);
    rr_draw_tics(d, "x", least, most > least ? most : least + 1, rr_draw_is_narrow(d) ? 4 : 9);
    rr_buf_puts(&d->script, "set xlabel ");
    rr_draw_quoted(d, rr_strf(d->arena, rr_draw_is_narrow(d) ? "effective cost (%s)" : "effective cost inside the horizon (%s)", unit));
    rr_buf_puts(&d->script, " textcolor rgb \"#5b6470\" offset 0,0.5\n");
    draw_names(d, &p, left, top, area);
    draw_bars(d, &p);
    f->title = "What the cost is made of";
    f->caption = "Effective cost by plan and line, replication 1.";
    f->alt = "Stacked bars of the effective cost by plan and line; the table below has the numbers";
    return true;
}
