/* SPDX-License-Identifier: GPL-3.0-or-later
 * reports/figure_gantt.c - a small run, node by node: which job held which GPUs when. Of the best alternative, else the first one. */
#include "reports/draw.h"
#include "reports/show.h"
#include <math.h>
#include <string.h>

enum {
    CLASSES = RR_CURVES,
    OTHER = RR_COLOURS - 1,
    LEGEND = 18,
    BOTTOM = 60,
    LEFT = 84,
    RIGHT = 44,
    MOST_BARS = 4000,
    MOST_NARROW = 800,
    GAP = 4
};

struct rows {
    uint32_t node[RR_BAR_NODES];
    double gpus[RR_BAR_NODES]; /* as many as were ever in use */
    double y[RR_BAR_NODES];    /* of its first GPU, from the bottom up, in pixels */
    size_t n;
    double height;
};

static const struct rr_alternative *shown(const struct rr_drawing *d, size_t *at)
{
    const struct rr_alternative *first = NULL;
    for (size_t i = 0; i < d->s->n_alternatives; i++) {
        const struct rr_alternative *a = &d->s->alternative[i];
        if (a->n_bars == 0 || a->n_bars > MOST_BARS) continue;
        const bool best = d->s->best && strcmp(d->s->best, a->name) == 0;
        if (!first || best) *at = i;
        if (!first) first = a;
        if (best) return a;
    }
    return first;
}

static size_t row_of(const struct rows *r, uint32_t node)
{
    size_t i = 0;
    while (i < r->n && r->node[i] != node) i++;
    return i;
}

static bool collect(const struct rr_alternative *a, struct rows *r)
{
    *r = (struct rows){0};
    for (size_t i = 0; i < a->n_bars; i++) {
        const struct rr_bar *b = &a->bar[i];
        size_t k = row_of(r, b->node);
        if (k == r->n && r->n == RR_BAR_NODES) return false;
        if (k == r->n) { // in the order of their ids
            for (; k > 0 && r->node[k - 1] > b->node; k--) r->node[k] = r->node[k - 1], r->gpus[k] = r->gpus[k - 1];
            r->node[k] = b->node;
            r->gpus[k] = 0;
            r->n++;
        }
        r->gpus[k] = fmax(r->gpus[k], ceil(b->from_gpu + b->gpus));
    }
    double all = 0;
    for (size_t i = 0; i < r->n; i++) all += r->gpus[i];
    const double unit = fmax(2, fmin(10, 520 / fmax(1, all)));
    for (size_t i = r->n; i-- > 0;) {
        r->y[i] = r->height;
        r->gpus[i] *= unit;
        r->height += fmax(3, r->gpus[i]) + GAP;
    }
    for (size_t i = 0; i < r->n; i++) r->gpus[i] = unit; // from here on: pixels a GPU
    return r->n > 0;
}

// Colour of a job: its class, in order of appearance.
static size_t class_of(const char **name, size_t *n, const char *of)
{
    for (size_t i = 0; i < *n; i++)
        if (strcmp(name[i], of) == 0) return i;
    if (*n == CLASSES) return OTHER;
    name[*n] = of;
    return (*n)++;
}

// `thin`: a gap on either side, in seconds.
static void put_bars(struct rr_drawing *d, const struct rr_alternative *a, const struct rows *r, double thin, const char **name, size_t *n)
{
    for (size_t c = 0; c <= OTHER; c++)
        for (int cut = 0; cut < 2; cut++) {
            for (size_t i = 0; i < a->n_bars; i++) {
                const struct rr_bar *b = &a->bar[i];
                if (b->interrupted != cut || class_of(name, n, b->class_name) != c || b->gpus <= 0) continue;
                const size_t k = row_of(r, b->node);
                const double from = (double)b->start_us / 1e6, end = (double)b->end_us / 1e6, gap = fmin(0.2 * (end - from), thin);
                const double x = from + gap, to = end - gap; // neighbours stay apart
                const double low = r->y[k] + b->from_gpu * r->gpus[k] + 0.3, high = low + b->gpus * r->gpus[k] - 0.6;
                rr_draw_point(d, (double[]){(x + to) / 2, (low + high) / 2, x, to, low, high}, 6);
            }
            rr_draw_point(d, (double[]){NAN, NAN, NAN, NAN, NAN, NAN}, 6); // a block is never empty
            rr_draw_block(d);
        }
}

static void node_tics(struct rr_drawing *d, const struct rr_alternative *a, const struct rows *r)
{
    rr_buf_puts(&d->script, "set ytics (");
    const size_t every = r->n > 32 ? 8 : r->n > 16 ? 4 : 1;
    for (size_t i = 0, told = 0; i < r->n; i += every) {
        rr_buf_puts(&d->script, told++ ? ", " : "");
        const char *given = a->node_name ? a->node_name[r->node[i]] : NULL;
        rr_draw_quoted(d, rr_draw_short(d->arena, given ? given : rr_strf(d->arena, "%u", r->node[i]), 9));
        rr_buf_putf(&d->script, " %.9g", r->y[i] + r->gpus[i] / 2);
    }
    rr_buf_puts(&d->script, ")\n");
}

static double draw_legend(struct rr_drawing *d, const char *const *name, size_t n, bool cut)
{
    const char *text[CLASSES + 2], *colour[CLASSES + 2];
    for (size_t i = 0; i < n; i++) {
        text[i] = *name[i] ? rr_draw_short(d->arena, name[i], 24) : "jobs";
        colour[i] = rr_colour[i];
    }
    if (cut) {
        text[n] = "striped: interrupted";
        colour[n++] = rr_hatch[OTHER];
    }
    return rr_draw_legend(d, LEFT, LEGEND, d->width - RIGHT, text, colour, n);
}

// What was interrupted is striped, with an outline.
static void draw_bars(struct rr_drawing *d)
{
    rr_buf_puts(&d->script, "plot ");
    for (int c = 0; c <= OTHER; c++)
        for (int cut = 0; cut < 2; cut++) {
            rr_buf_putf(&d->script, "%s'%s.dat' index %d using 1:2:3:4:5:6 with boxxyerror lc rgb \"%s\" lw 1.4 fs ", c + cut ? ", " : "",
                        d->name, 2 * c + cut, cut ? rr_hatch[c] : rr_colour[c]);
            if (cut)
                rr_buf_putf(&d->script, "solid border lc rgb \"%s\" notitle", rr_colour[c]);
            else
                rr_buf_puts(&d->script, "transparent solid 0.75 noborder notitle");
        }
    rr_buf_puts(&d->script, "\n");
}

bool rr_figure_gantt(struct rr_drawing *d, struct rr_figure *f)
{
    struct rows r;
    size_t at = 0, n = 0;
    const char *name[CLASSES] = {0};
    const struct rr_alternative *a = shown(d, &at);
    if (!a || (rr_draw_is_narrow(d) && a->n_bars > MOST_NARROW) || !collect(a, &r)) return false;
    double until = (double)a->end_us / 1e6;
    bool cut = false;
    for (size_t i = 0; i < a->n_bars; i++) {
        until = fmax(until, (double)a->bar[i].end_us / 1e6);
        cut |= a->bar[i].interrupted;
    }
    put_bars(d, a, &r, until / 2400, name, &n);
    struct rr_drawing trial = {.s = d->s, .arena = d->arena, .width = d->width, .height = 100};
    const int top = (int)draw_legend(&trial, name, n, cut);
    rr_buf_done(&trial.script);
    rr_draw_begin(d, top + (int)r.height + BOTTOM);
    draw_legend(d, name, n, cut);
    rr_draw_area(d, LEFT, RIGHT, top, BOTTOM);
    rr_draw_time_axis(d, 0, until, true);
    rr_buf_putf(&d->script, "set yrange [%d:%.9g]\nset ylabel \"node\" textcolor rgb \"#5b6470\" offset 0.5,0\n", -GAP, r.height);
    node_tics(d, a, &r);
    draw_bars(d);
    f->title = "Node by node";
    f->caption = rr_strf(d->arena, "Each bar is a job on a node of %s, as high as the GPUs it holds there%s. Replication 1.",
                         rr_show_name(d->s, d->arena, at), cut ? "; striped: it was interrupted" : "");
    f->alt = "Gantt chart of the nodes: a bar for each job that held GPUs; jobs.csv and attempts.csv have the times";
    return true;
}
