/* SPDX-License-Identifier: GPL-3.0-or-later
 * reports/figure_cost.c - cumulative effective cost over time, and the dates when another alternative becomes the cheapest. */
#include "reports/csv.h"
#include "reports/draw.h"
#include "reports/show.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HEIGHT = 460, LEFT = 96, TOP = 16, BOTTOM = 62, MOST_MARKS = 3, LABEL_GAP = 18 };

struct curve {
    const struct rr_series *r;
    const char *name;
    int colour;
    double label_y; // pixels
};
struct plot {
    struct curve curve[RR_CURVES];
    size_t n;
    double from, to, most, least, divide;
    const char *unit;
};

static double value_at(const struct rr_series *r, double x)
{
    if (x <= r->x[0]) return r->mean[0];
    size_t low = 0, high = r->n - 1;
    if (x >= r->x[high]) return r->mean[high];
    while (high - low > 1) {
        const size_t mid = (low + high) / 2;
        if (r->x[mid] <= x)
            low = mid;
        else
            high = mid;
    }
    const double span = r->x[high] - r->x[low];
    return span > 0 ? r->mean[low] + (r->mean[high] - r->mean[low]) * (x - r->x[low]) / span : r->mean[high];
}

static bool collect(struct rr_drawing *d, struct plot *p)
{
    *p = (struct plot){.from = INFINITY, .to = -INFINITY};
    for (size_t i = 0; i < d->n; i++) {
        const struct rr_alternative *a = &d->s->alternative[d->chosen[i]];
        const struct rr_series *r = rr_series_find(a, "cost_effective");
        if (a->unpriced || !r || r->n < 2) continue;
        p->curve[p->n++] =
            (struct curve){.r = r,
                           .name = rr_draw_short(d->arena, rr_show_name(d->s, d->arena, d->chosen[i]), rr_draw_is_narrow(d) ? 12 : 18),
                           .colour = (int)i};
        p->from = fmin(p->from, r->x[0]);
        p->to = fmax(p->to, r->x[r->n - 1]);
        for (size_t k = 0; k < r->n; k++) {
            p->most = fmax(p->most, r->mean[k]);
            p->least = fmin(p->least, r->mean[k]);
        }
    }
    return p->n > 0 && p->to > p->from && p->most > p->least;
}

static size_t cheapest_at(const struct plot *p, double x)
{
    size_t best = 0;
    for (size_t i = 1; i < p->n; i++)
        if (value_at(p->curve[i].r, x) < value_at(p->curve[best].r, x)) best = i;
    return best;
}

struct mark {
    double x, y;
    size_t was, now;
};

/* Changes of the cheapest after the first 2 % of the time, where all curves are near 0; found on a grid, then by bisection. */
static size_t find_marks(const struct plot *p, struct mark *mark)
{
    enum { GRID = 720 };
    size_t n = 0;
    const double span = p->to - p->from;
    double before = p->from + 0.02 * span;
    size_t was = cheapest_at(p, before);
    for (int i = 1; i <= GRID; i++) {
        const double x = p->from + span * (0.02 + 0.98 * i / GRID);
        const size_t now = cheapest_at(p, x);
        if (now != was) {
            double low = before, high = x;
            for (int k = 0; k < 40; k++) {
                const double mid = 0.5 * (low + high);
                if (cheapest_at(p, mid) == was)
                    low = mid;
                else
                    high = mid;
            }
            if (n == MOST_MARKS) memmove(mark, mark + 1, --n * sizeof *mark); // the last ones count
            mark[n++] = (struct mark){high, value_at(p->curve[now].r, high), was, now};
        }
        was = now;
        before = x;
    }
    return n;
}

static void draw_marks(struct rr_drawing *d, const struct plot *p, const struct mark *mark, size_t n, double top)
{
    for (size_t i = 0; i < n; i++) {
        const double share = (mark[i].x - p->from) / (p->to - p->from);
        rr_buf_putf(&d->script, "set arrow from %.9g,graph 0 to %.9g,graph 1 nohead dt 3 lw 1.2 lc rgb \"#5b6470\"\n", mark[i].x,
                    mark[i].x);
        rr_buf_putf(
            &d->script,
            "set object circle at first %.9g,%.9g size screen 0.0055 fc rgb \"#ffffff\" fs solid 1 border lc rgb \"#1b1f24\" lw 1.6 "
            "front\nset label ",
            mark[i].x, mark[i].y / p->divide);
        rr_draw_quoted(d, rr_strf(d->arena, "%s: %s becomes the cheapest", rr_draw_month(d, mark[i].x), p->curve[mark[i].now].name));
        rr_buf_putf(&d->script, " at first %.9g,%.9g %s offset character %s,0 textcolor rgb \"#1b1f24\" front\n", mark[i].x,
                    top * (0.965 - 0.06 * (double)i), share > 0.45 ? "right" : "left", share > 0.45 ? "-0.6" : "0.6");
    }
}

static int by_label(const void *x, const void *y)
{
    const struct curve *const *a = x, *const *b = y;
    if ((*a)->label_y != (*b)->label_y) return (*a)->label_y < (*b)->label_y ? -1 : 1;
    return (*a)->colour - (*b)->colour;
}

/* Names beside the ends of their curves, pushed apart where they would overlap. */
static void draw_names(struct rr_drawing *d, struct plot *p, double bottom, double top, double right)
{
    struct curve *order[RR_CURVES];
    const double area = HEIGHT - TOP - BOTTOM;
    for (size_t i = 0; i < p->n; i++) {
        const double end = p->curve[i].r->mean[p->curve[i].r->n - 1] / p->divide;
        p->curve[i].label_y = TOP + area * (1 - (end - bottom) / (top - bottom));
        order[i] = &p->curve[i];
    }
    qsort(order, p->n, sizeof *order, by_label);
    for (size_t i = 1; i < p->n; i++) order[i]->label_y = fmax(order[i]->label_y, order[i - 1]->label_y + LABEL_GAP);
    for (size_t i = p->n; i-- > 0;) {
        const double limit = i + 1 == p->n ? HEIGHT - BOTTOM : order[i + 1]->label_y - LABEL_GAP;
        order[i]->label_y = fmin(order[i]->label_y, limit);
        rr_draw_text(d, right, order[i]->label_y, "left", rr_colour[order[i]->colour], order[i]->name);
    }
}

static void draw_curves(struct rr_drawing *d, const struct plot *p)
{
    for (size_t i = 0; i < p->n; i++) {
        const struct rr_series *r = p->curve[i].r;
        for (size_t k = 0; k < r->n; k++) rr_draw_point(d, (double[]){r->x[k], r->mean[k] / p->divide}, 2);
        rr_draw_block(d);
    }
    rr_buf_puts(&d->script, "plot ");
    for (size_t i = 0; i < p->n; i++)
        rr_buf_putf(&d->script, "%s'%s.dat' index %zu using 1:2 with lines lw 2.6 dt %s lc rgb \"%s\" notitle", i ? ", " : "", d->name, i,
                    rr_dash[p->curve[i].colour], rr_colour[p->curve[i].colour]);
    rr_buf_puts(&d->script, "\n");
}

// "rent is the cheapest until Sep 2026, then own", "" when it never changes.
static const char *told_marks(struct rr_drawing *d, const struct plot *p, const struct mark *mark, size_t n)
{
    struct rr_buf b = {0};
    for (size_t i = 0; i < n; i++)
        rr_buf_putf(&b, "%s%s%s until %s", i ? ", then " : "", p->curve[mark[i].was].name, i ? "" : " is the cheapest",
                    rr_draw_month(d, mark[i].x));
    if (n) rr_buf_putf(&b, ", then %s", p->curve[mark[n - 1].now].name);
    const char *text = rr_strdup(d->arena, rr_buf_text(&b));
    rr_buf_done(&b);
    return text;
}

const char *rr_cost_crossings(const struct rr_store *s, struct rr_arena *a)
{
    struct rr_drawing d = {.s = s, .arena = a, .width = RR_DRAW_WIDTH};
    struct plot p;
    struct mark mark[MOST_MARKS];
    d.n = rr_show_chosen(s, RR_CURVES, false, d.chosen);
    return collect(&d, &p) ? told_marks(&d, &p, mark, find_marks(&p, mark)) : "";
}

static const char *alt_text(struct rr_drawing *d, const struct plot *p, const struct mark *mark, size_t n)
{
    struct rr_buf b = {0};
    rr_buf_puts(&b, "Line chart of cumulative effective cost. At the end:");
    for (size_t i = 0; i < p->n; i++)
        rr_buf_putf(&b, "%s %s %s", i ? "," : "", p->curve[i].name,
                    rr_show_amount(d->arena, p->curve[i].r->mean[p->curve[i].r->n - 1], d->s->currency));
    if (n) rr_buf_putf(&b, "; %s", told_marks(d, p, mark, n));
    const char *text = rr_strdup(d->arena, rr_buf_text(&b));
    rr_buf_done(&b);
    return text;
}

bool rr_figure_cost(struct rr_drawing *d, struct rr_figure *f)
{
    struct plot p;
    struct mark mark[MOST_MARKS];
    if (!collect(d, &p)) return false;
    double wide = 0;
    for (size_t i = 0; i < p.n; i++) wide = fmax(wide, rr_draw_text_width(p.curve[i].name));
    const int right = (int)wide + 22;
    p.unit = rr_draw_money_unit(d->arena, p.most, d->s->currency, &p.divide);
    const double top = 1.06 * p.most / p.divide, bottom = p.least < 0 ? 1.06 * p.least / p.divide : 0;
    const size_t marks = find_marks(&p, mark);
    rr_draw_begin(d, HEIGHT);
    rr_draw_area(d, LEFT, right, TOP, BOTTOM);
    rr_draw_time_axis(d, p.from, p.to, true);
    rr_buf_putf(&d->script, "set yrange [%.9g:%.9g]\n", bottom, top);
    rr_draw_tics(d, "y", bottom, top, 7);
    rr_buf_puts(&d->script, "set ylabel ");
    rr_draw_quoted(d, rr_strf(d->arena, "cumulative cost (%s)", p.unit));
    rr_buf_puts(&d->script, " textcolor rgb \"#5b6470\" offset 0.5,0\n");
    draw_marks(d, &p, mark, marks, top);
    draw_names(d, &p, bottom, top, d->width - right + 8);
    draw_curves(d, &p);
    f->title = "Cumulative effective cost";
    const char *told = told_marks(d, &p, mark, marks);
    f->caption = *told ? rr_strf(d->arena, "Effective cost since the start, replication 1: so far, %s (dotted).", told)
                       : "Effective cost since the start, replication 1.";
    f->alt = alt_text(d, &p, mark, marks);
    return true;
}
