/* SPDX-License-Identifier: GPL-3.0-or-later
 * reports/draw.c - axes, legends and texts of the figures. */
#include "reports/draw.h"
#include "reports/show.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const rr_colour[RR_COLOURS] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7a6a00", "#8a939c"};
const char *const rr_hatch[RR_COLOURS] = {"#fe0100", "#fe0101", "#fe0102", "#fe0103", "#fe0104", "#fe0105", "#fe0106", "#fe0107"};
const char *const rr_dash[RR_CURVES] = {"1", "(14,7)", "(3,5)", "(14,5,3,5)", "(7,5)", "(18,4,3,4,3,4)", "(2,8)"};

static void number(struct rr_buf *b, double v)
{
    if (isfinite(v))
        rr_buf_double(b, v);
    else
        rr_buf_puts(b, "NaN");
}

void rr_draw_begin(struct rr_drawing *d, int height)
{
    d->height = height;
    rr_buf_putf(&d->script,
                "reset\nset terminal svg size %d,%d dynamic noenhanced font \"sans-serif,14\" name \"%s\" background \"#ffffff\"\n"
                "set output '%s.svg'\nset encoding utf8\nset datafile missing \"NaN\"\nset samples 2\nunset key\n"
                "set border 3 lc rgb \"#5b6470\" lw 1\nset tics nomirror out scale 0.5 textcolor rgb \"#5b6470\"\n"
                "set grid ytics lc rgb \"#e3e7eb\" lt 1 lw 1\n",
                d->width, height, d->name, d->name);
}

void rr_draw_quoted(struct rr_drawing *d, const char *text)
{
    rr_buf_puts(&d->script, "\"");
    rr_buf_gnuplot(&d->script, text);
    rr_buf_puts(&d->script, "\"");
}

void rr_draw_area(struct rr_drawing *d, int left, int right, int top, int bottom)
{
    rr_buf_putf(&d->script,
                "set lmargin at screen %.5f\nset rmargin at screen %.5f\nset tmargin at screen %.5f\nset bmargin at screen %.5f\n",
                (double)left / d->width, 1 - (double)right / d->width, 1 - (double)top / d->height, (double)bottom / d->height);
}

void rr_draw_text(struct rr_drawing *d, double x, double y, const char *align, const char *colour, const char *text)
{
    rr_buf_puts(&d->script, "set label ");
    rr_draw_quoted(d, text);
    rr_buf_putf(&d->script, " at screen %.5f,%.5f %s textcolor rgb \"%s\" front\n", x / d->width, 1 - y / d->height, align, colour);
}

void rr_draw_swatch(struct rr_drawing *d, double x, double y, double width, double height, const char *colour)
{
    rr_buf_putf(&d->script, "set object rectangle from screen %.5f,%.5f to screen %.5f,%.5f fc rgb \"%s\" fs solid 1 noborder front\n",
                x / d->width, 1 - y / d->height, (x + width) / d->width, 1 - (y + height) / d->height, colour);
}

static int characters(const char *s)
{
    int n = 0;
    for (; *s; s++) n += ((unsigned char)*s & 0xc0) != 0x80;
    return n;
}

double rr_draw_text_width(const char *text)
{
    int wide = 0;
    for (const char *p = text; *p; p++) wide += strchr("mwMW%@", *p) != NULL;
    return 7.6 * characters(text) + 3.5 * wide;
}

const char *rr_draw_short(struct rr_arena *a, const char *name, int most)
{
    if (!name) return "";
    if (characters(name) <= most) return rr_strdup(a, name);
    const char *end = name;
    for (int n = 0; n < most; end++) n += ((unsigned char)*end & 0xc0) != 0x80;
    return rr_strf(a, "%.*s\xe2\x80\xa6", (int)(end - 1 - name), name); // up to the start of character `most`, which gives way
}

static void sample(struct rr_drawing *d, double x, double y, const char *colour, const char *dash)
{
    rr_buf_putf(&d->script, "set arrow from screen %.5f,%.5f to screen %.5f,%.5f nohead lw 2.6 dt %s lc rgb \"%s\" front\n", x / d->width,
                1 - y / d->height, (x + 34) / d->width, 1 - y / d->height, dash, colour);
}

double rr_draw_lines_legend(struct rr_drawing *d, double x, double y, double right, const char *const *text, const char *const *colour,
                            const char *const *dash, size_t n)
{
    const double room = dash ? 42 : 20;
    double at = x;
    for (size_t i = 0; i < n; i++) {
        const double width = room + rr_draw_text_width(text[i]);
        if (at > x && at + width > right) {
            at = x;
            y += 22;
        }
        if (dash)
            sample(d, at, y, colour[i], dash[i]);
        else
            rr_draw_swatch(d, at, y - 6, 14, 12, colour[i]);
        rr_draw_text(d, at + room, y, "left", "#1b1f24", text[i]);
        at += width + 18;
    }
    return y + 22;
}

double rr_draw_legend(struct rr_drawing *d, double x, double y, double right, const char *const *text, const char *const *colour, size_t n)
{
    return rr_draw_lines_legend(d, x, y, right, text, colour, NULL, n);
}

void rr_draw_point(struct rr_drawing *d, const double *v, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (i) rr_buf_puts(&d->data, " ");
        number(&d->data, v[i]);
    }
    rr_buf_puts(&d->data, "\n");
}

int rr_draw_block(struct rr_drawing *d)
{
    rr_buf_puts(&d->data, "\n\n");
    return d->blocks++;
}

double rr_draw_step(double span, int most)
{
    if (!(span > 0)) return 1;
    const double least = span / most;
    double power = 1;
    while (power < least) power *= 10;
    while (power >= 10 * least) power /= 10;
    static const double parts[] = {0.1, 0.2, 0.5, 1};
    for (size_t i = 0; i < 4; i++)
        if (parts[i] * power >= least * (1 - 1e-9)) return parts[i] * power;
    return power;
}

static const char *grouped(struct rr_arena *a, double v)
{
    if (v == 0) return "0"; // not -0
    return v == floor(v) && fabs(v) >= 1000 ? rr_show_number(a, v) : rr_strf(a, "%.9g", v);
}

void rr_draw_tics(struct rr_drawing *d, const char *axis, double from, double to, int most)
{
    const double step = rr_draw_step(to - from, most), first = ceil(from / step - 1e-9);
    rr_buf_putf(&d->script, "set %stics (", axis);
    for (int k = 0; k <= most + 1 && (first + k) * step <= to + 1e-9 * step; k++) {
        const double at = (first + k) * step;
        rr_buf_putf(&d->script, "%s\"%s\" %.9g", k ? ", " : "", grouped(d->arena, at), at);
    }
    rr_buf_puts(&d->script, ")\n");
}

const char *rr_draw_money_unit(struct rr_arena *a, double most, const char *currency, double *divide)
{
    static const struct {
        double from, divide;
        const char *word;
    } unit[] = {{2e9, 1e9, "billion "}, {2e6, 1e6, "million "}, {2e4, 1e3, "thousand "}, {-1, 1, ""}};
    size_t i = 0;
    while (i < 3 && !(most >= unit[i].from)) i++;
    *divide = unit[i].divide;
    return rr_strf(a, "%s%s", unit[i].word, currency ? currency : "");
}

static const char *const month_name[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

static struct rr_civil civil_at(const struct rr_drawing *d, double at_s)
{
    return rr_civil_of(d->s->start_us + (int64_t)llround(at_s * 1e6));
}

const char *rr_draw_month(const struct rr_drawing *d, double at_s)
{
    if (!d->s->anchored) return rr_strf(d->arena, "day %.0f", floor(at_s / 86400) + 1);
    const struct rr_civil c = civil_at(d, at_s);
    return rr_strf(d->arena, "%s %lld", month_name[c.month - 1], (long long)c.year);
}

struct tics {
    struct rr_drawing *d;
    bool named; // false: tics without a text
    size_t n;
};

static void tic(struct tics *t, double at_s, const char *text)
{
    rr_buf_puts(&t->d->script, t->n++ ? ", " : "set xtics (");
    rr_draw_quoted(t->d, t->named ? text : "");
    rr_buf_puts(&t->d->script, " ");
    number(&t->d->script, at_s);
}

/* Months apart: a tic at the start of every `every`-th month; January says its year. */
static void month_tics(struct tics *t, double from_s, double to_s, int every)
{
    const struct rr_drawing *d = t->d;
    struct rr_civil c = {.year = civil_at(d, from_s).year, .month = 1, .day = 1};
    for (;;) {
        const double at = (double)(rr_epoch_of(c) - d->s->start_us) / 1e6;
        if (at > to_s + 1) break;
        const bool year = every >= 12;
        if (at >= from_s - 1)
            tic(t, at,
                year                        ? rr_strf(d->arena, "%lld", (long long)c.year)
                : c.month == 1 || t->n == 0 ? rr_strf(d->arena, "%s %lld", month_name[c.month - 1], (long long)c.year)
                                            : month_name[c.month - 1]);
        c.month += every;
        c.year += (c.month - 1) / 12;
        c.month = (c.month - 1) % 12 + 1;
    }
}

static void day_tics(struct tics *t, double from_s, double to_s, double every_s)
{
    const struct rr_drawing *d = t->d;
    const double epoch = (double)d->s->start_us / 1e6;
    for (double at = ceil((epoch + from_s) / every_s) * every_s - epoch; at <= to_s + 1e-6; at += every_s) {
        const struct rr_civil c = civil_at(d, at);
        if (every_s >= 86400 || (c.hour == 0 && c.minute == 0))
            tic(t, at, rr_strf(d->arena, "%d %s", c.day, month_name[c.month - 1]));
        else
            tic(t, at, rr_strf(d->arena, "%02d:%02d", c.hour, c.minute));
    }
}

static const char *dated_tics(struct tics *t, double from_s, double to_s)
{
    const double days = (to_s - from_s) / 86400, dense = days * RR_DRAW_WIDTH / t->d->width; // as if it were on the full width
    if (days > 62) {
        const int every = dense > 25 * 366 ? 60 : dense > 6 * 366 ? 12 : dense > 1000 ? 6 : dense > 640 ? 3 : dense > 400 ? 2 : 1;
        month_tics(t, from_s, to_s, every);
        return "date (UTC)";
    }
    const double every = dense > 70    ? 14
                         : dense > 16  ? 7
                         : dense > 9   ? 2
                         : dense > 2   ? 1
                         : dense > 1   ? 0.25
                         : dense > 0.4 ? 1 / 12.
                                       : 1 / 48.;
    if (days < 0.1) return NULL; // minutes: counted from the start
    day_tics(t, from_s, to_s, floor(every * 86400 + 0.5));
    return "date and time (UTC)";
}

static const char *counted_tics(struct tics *t, double from_s, double to_s)
{
    static const struct {
        double s;
        const char *name;
    } unit[] = {{365.25 * 86400, "years"}, {86400, "days"}, {3600, "hours"}, {60, "minutes"}, {1, "seconds"}};
    size_t i = 0;
    while (i < 4 && (to_s - from_s) < (i == 0 ? 4 : 3) * unit[i].s) i++;
    const double step = rr_draw_step((to_s - from_s) / unit[i].s, rr_draw_is_narrow(t->d) ? 5 : 10);
    for (int k = 0; k <= 12; k++) {
        const double at = ceil(from_s / unit[i].s / step) * step + k * step;
        if (at * unit[i].s > to_s * (1 + 1e-9)) break;
        tic(t, at * unit[i].s, rr_strf(t->d->arena, "%g", at));
    }
    return rr_strf(t->d->arena, "%s from the start", unit[i].name);
}

void rr_draw_time_axis(struct rr_drawing *d, double from_s, double to_s, bool label)
{
    struct tics t = {d, label, 0};
    const char *words = d->s->anchored ? dated_tics(&t, from_s, to_s) : NULL;
    if (!words || t.n == 0) words = counted_tics(&t, from_s, to_s);
    rr_buf_puts(&d->script, ")\nset xrange [");
    number(&d->script, from_s);
    rr_buf_puts(&d->script, ":");
    number(&d->script, to_s > from_s ? to_s : from_s + 1);
    rr_buf_puts(&d->script, "]\n");
    if (!label) return;
    rr_buf_puts(&d->script, "set xlabel ");
    rr_draw_quoted(d, words);
    rr_buf_puts(&d->script, " textcolor rgb \"#5b6470\" offset 0,0.5\n");
}
