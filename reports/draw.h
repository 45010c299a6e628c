/* SPDX-License-Identifier: GPL-3.0-or-later
 * reports/draw.h - what the figures share: the script of one gnuplot figure, its data, its axes and legends.
 *
 * A figure is one file reports/figure_NAME.c with a function that fills a drawing, and one row of `figures` in plot.c. Every text in a script goes
 * through rr_draw_quoted; numbers are written with a point whatever the locale. */
#ifndef RR_REPORTS_DRAW_H
#define RR_REPORTS_DRAW_H
#include "reports/doc.h"

enum {
    RR_CURVES = 7,  /* alternatives drawn, by colour */
    RR_COLOURS = 8, /* the last one is grey: "other" */
    RR_DRAW_WIDTH = 960,
    RR_DRAW_NARROW = 460, /* for a phone: the same letters, less room */
};
extern const char *const rr_colour[RR_COLOURS]; /* "#0072b2": Okabe and Ito's palette */
extern const char *const rr_hatch[RR_COLOURS];  /* stands for stripes of that colour: gnuplot has no patterns in SVG, svg.c puts them in */
extern const char *const rr_dash[RR_CURVES];    /* gnuplot's dash types: where curves coincide, each shows through the next */

struct rr_drawing {
    const struct rr_store *s;
    struct rr_arena *arena;
    const char *name;
    size_t chosen[RR_CURVES]; /* alternatives drawn; position = colour */
    size_t n;
    int width, height; /* pixels; the width is given */
    struct rr_buf script, data;
    int blocks; /* of data, finished */
};

void rr_draw_begin(struct rr_drawing *d, int height);                              /* terminal, output and common style */
void rr_draw_quoted(struct rr_drawing *d, const char *text);                       /* "text" with its quotes, made harmless */
void rr_draw_area(struct rr_drawing *d, int left, int right, int top, int bottom); /* margins in pixels */
/* A text at pixel x, y (from the upper left); align "left", "center", "right"; colour as "#5b6470". */
void rr_draw_text(struct rr_drawing *d, double x, double y, const char *align, const char *colour, const char *text);
void rr_draw_swatch(struct rr_drawing *d, double x, double y, double width, double height, const char *colour);
/* Swatches with texts from x on, wrapped before `right`; returns the y below. */
double rr_draw_legend(struct rr_drawing *d, double x, double y, double right, const char *const *text, const char *const *colour, size_t n);
/* The same with pieces of lines, colour[i] drawn as dash[i]. */
double rr_draw_lines_legend(struct rr_drawing *d, double x, double y, double right, const char *const *text, const char *const *colour,
                            const char *const *dash, size_t n);
static inline bool rr_draw_is_narrow(const struct rr_drawing *d) { return d->width < RR_DRAW_WIDTH; }
double rr_draw_text_width(const char *text);                               /* about, in pixels */
const char *rr_draw_short(struct rr_arena *a, const char *name, int most); /* at most so many characters, an ellipsis at the end */

void rr_draw_point(struct rr_drawing *d, const double *v, size_t n); /* a row of data */
int rr_draw_block(struct rr_drawing *d);                             /* ends a block of data; its index */
/* Tics and label of a time axis in seconds from the start. */
void rr_draw_time_axis(struct rr_drawing *d, double from_s, double to_s, bool label);
const char *rr_draw_month(const struct rr_drawing *d, double at_s); /* "Jul 2027", "day 81" without a start */
/* Unit of an amount axis: *divide is 1, 1e3, 1e6 or 1e9; returns "million USD". */
const char *rr_draw_money_unit(struct rr_arena *a, double most, const char *currency, double *divide);
/* Tics of a number axis "x" or "y" at round steps, thousands set apart. */
void rr_draw_tics(struct rr_drawing *d, const char *axis, double from, double to, int most);
double rr_draw_step(double span, int most); /* 1, 2 or 5 times a power of ten, at most `most` steps in the span */

/* Each returns false when the store has nothing to draw; fills title, caption and alt. */
bool rr_figure_cost(struct rr_drawing *d, struct rr_figure *f);
bool rr_figure_breakdown(struct rr_drawing *d, struct rr_figure *f);
bool rr_figure_gpus(struct rr_drawing *d, struct rr_figure *f);
bool rr_figure_wait(struct rr_drawing *d, struct rr_figure *f);
bool rr_figure_queue(struct rr_drawing *d, struct rr_figure *f);
bool rr_figure_step(struct rr_drawing *d, struct rr_figure *f);
bool rr_figure_memory(struct rr_drawing *d, struct rr_figure *f);
bool rr_figure_scaling(struct rr_drawing *d, struct rr_figure *f);
bool rr_figure_roofline(struct rr_drawing *d, struct rr_figure *f);
bool rr_figure_trust(struct rr_drawing *d, struct rr_figure *f);
bool rr_figure_gantt(struct rr_drawing *d, struct rr_figure *f);

/* When another alternative became the cheapest by cumulative effective cost: "rent is the cheapest until Sep 2026, then own"; "" when none did. */
const char *rr_cost_crossings(const struct rr_store *s, struct rr_arena *a);

/* gnuplot's SVG into the file (title, size) and the page's form (no defs, colours of the style sheet); the narrow one into the page's form alone.
 * False: it is no SVG as expected. */
bool rr_svg_finish(struct rr_arena *a, const char *raw, int height, struct rr_figure *f);
bool rr_svg_finish_narrow(struct rr_arena *a, const char *raw, int height, struct rr_figure *f);
#endif
