/* SPDX-License-Identifier: GPL-3.0-or-later
 * reports/svg.c - gnuplot's SVG made into a file with a title, and into a piece of the page that follows its colours.
 *
 * What gnuplot writes around the drawing (its version, point symbols, ids that would clash on one page) is left out, so that the same store gives
 * the same bytes and several drawings live in one page. */
#include "reports/draw.h"
#include <stdio.h>
#include <string.h>

enum { TITLE = 36 }; // pixels above the drawing of a file

struct swap {
    char from[24], to[48];
};
enum { PAGE_COLOURS = 4, SWAPS = 2 * (2 * RR_COLOURS + PAGE_COLOURS) };

static void add_colour(struct swap *s, size_t *n, const char *hex, const char *to)
{
    unsigned r, g, b;
    if (sscanf(hex, "#%2x%2x%2x", &r, &g, &b) != 3) return;
    for (int form = 0; form < 2; form++) {
        snprintf(s[*n].from, sizeof s->from, form ? "rgb(%u,%u,%u)" : "rgb(%3u, %3u, %3u)", r & 255, g & 255, b & 255);
        snprintf(s[(*n)++].to, sizeof s->to, "%s", to);
    }
}

// Stripes: a place-holder's colour becomes a pattern of this drawing.
static size_t hatches_of(struct swap *s, const char *name)
{
    size_t n = 0;
    for (int c = 0; c < RR_COLOURS; c++) {
        char to[48];
        snprintf(to, sizeof to, "url(#%.24s_hatch%d)", name, c);
        add_colour(s, &n, rr_hatch[c], to);
    }
    return n;
}

// gnuplot writes colours as rgb(  0, 114, 178), those of texts without blanks; the page has names for them.
static size_t swaps_of(struct swap *s, size_t n)
{
    static const char *const fixed[PAGE_COLOURS][2] = {
        {"#1b1f24", "var(--ink)"}, {"#5b6470", "var(--muted)"}, {"#e3e7eb", "var(--grid)"}, {"#ffffff", "var(--bg)"}};
    for (int c = 0; c < RR_COLOURS; c++) {
        char to[20];
        snprintf(to, sizeof to, "var(--c%d)", c);
        add_colour(s, &n, rr_colour[c], to);
    }
    for (size_t i = 0; i < PAGE_COLOURS; i++) add_colour(s, &n, fixed[i][0], fixed[i][1]);
    return n;
}

// The patterns that the drawing asks for; `page`: in the colours of the style sheet.
static void put_hatches(struct rr_buf *b, const char *name, bool page)
{
    const size_t end = b->n;
    bool begun = false;
    for (int c = 0; c < RR_COLOURS; c++) {
        char id[48], colour[24];
        snprintf(id, sizeof id, "url(#%.24s_hatch%d)", name, c);
        const char *found = strstr(rr_buf_text(b), id);
        if (!found || found >= rr_buf_text(b) + end) continue;
        if (page)
            snprintf(colour, sizeof colour, "var(--c%d)", c);
        else
            snprintf(colour, sizeof colour, "%s", rr_colour[c]);
        rr_buf_puts(b, begun ? "" : "<defs>\n");
        rr_buf_putf(b,
                    "<pattern id=\"%.24s_hatch%d\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\" "
                    "patternTransform=\"rotate(45)\"><rect width=\"5\" height=\"5\" fill=\"%s\"/><rect width=\"2\" height=\"5\" "
                    "fill=\"%s\"/></pattern>\n",
                    name, c, page ? "var(--bg)" : "#ffffff", colour);
        begun = true;
    }
    if (begun) rr_buf_puts(b, "</defs>\n");
}

/* The drawing with its colours swapped, inside tags alone: texts stay as they are. */
static void put_body(struct rr_buf *b, const char *from, const char *end, const char *name, const struct swap *swap, size_t n)
{
    static const char canvas[] = "\"gnuplot_canvas\"";
    bool in_tag = false;
    for (const char *at = from; at < end; at++) {
        if (*at == '<') in_tag = true;
        if (*at == '>') in_tag = false;
        size_t i = n;
        if (in_tag)
            for (i = 0; i < n && strncmp(at, swap[i].from, strlen(swap[i].from)) != 0; i++) {}
        if (in_tag && i < n) {
            rr_buf_puts(b, swap[i].to);
            at += strlen(swap[i].from) - 1;
        } else if (in_tag && strncmp(at, canvas, sizeof canvas - 1) == 0) {
            rr_buf_putf(b, "\"%s_canvas\"", name);
            at += sizeof canvas - 2;
        } else {
            rr_buf_put(b, at, 1);
        }
    }
}

struct parts {
    const char *canvas, *defs, *defs_end, *end;
};

/* The canvas begins with its background, up to the defs. */
static bool parts_of(const char *raw, struct parts *p)
{
    p->canvas = strstr(raw, "<g id=\"gnuplot_canvas\">");
    p->defs = p->canvas ? strstr(p->canvas, "<defs>") : NULL;
    p->defs_end = p->defs ? strstr(p->defs, "</defs>") : NULL;
    p->end = p->defs_end ? strstr(p->defs_end, "</svg>") : NULL;
    return p->end != NULL;
}

static const char *kept(struct rr_arena *a, struct rr_buf *b)
{
    const char *s = rr_strdup(a, rr_buf_text(b));
    rr_buf_done(b);
    return s;
}

static const char *as_file(struct rr_arena *a, const struct parts *p, int height, const struct rr_figure *f)
{
    struct rr_buf b = {0};
    rr_buf_putf(&b,
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                "viewBox=\"0 %d %d %d\" role=\"img\">\n<title>",
                RR_DRAW_WIDTH, height + TITLE, -TITLE, RR_DRAW_WIDTH, height + TITLE);
    rr_buf_html(&b, f->title);
    rr_buf_puts(&b, "</title>\n<desc>");
    rr_buf_html(&b, f->alt);
    rr_buf_putf(&b,
                "</desc>\n<rect x=\"0\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n<text x=\"16\" y=\"%d\" "
                "font-family=\"sans-serif\" font-size=\"17\" font-weight=\"bold\" fill=\"#1b1f24\">",
                -TITLE, RR_DRAW_WIDTH, height + TITLE, -TITLE + 24);
    rr_buf_html(&b, f->title);
    rr_buf_putf(&b, "</text>\n<g id=\"%s_canvas\">\n", f->name);
    struct swap swap[SWAPS];
    put_body(&b, p->defs_end + strlen("</defs>"), p->end, f->name, swap, hatches_of(swap, f->name));
    put_hatches(&b, f->name, false);
    rr_buf_puts(&b, "</svg>\n");
    return kept(a, &b);
}

static const char *as_piece(struct rr_arena *a, const struct parts *p, int width, int height, const struct rr_figure *f)
{
    const char *id = width < RR_DRAW_WIDTH ? rr_strf(a, "%s_narrow", f->name) : f->name;
    struct swap swap[SWAPS];
    const size_t n = swaps_of(swap, hatches_of(swap, id));
    struct rr_buf b = {0};
    rr_buf_putf(&b, "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"", width, height);
    rr_buf_html(&b, f->alt);
    rr_buf_putf(&b, "\">\n<g id=\"%s_canvas\">\n", id);
    put_body(&b, p->defs_end + strlen("</defs>"), p->end, id, swap, n);
    put_hatches(&b, id, true);
    rr_buf_puts(&b, "</svg>\n");
    return kept(a, &b);
}

bool rr_svg_finish(struct rr_arena *a, const char *raw, int height, struct rr_figure *f)
{
    struct parts p;
    if (!parts_of(raw, &p)) return false;
    f->svg = as_file(a, &p, height, f);
    f->inlined = as_piece(a, &p, RR_DRAW_WIDTH, height, f);
    return true;
}

bool rr_svg_finish_narrow(struct rr_arena *a, const char *raw, int height, struct rr_figure *f)
{
    struct parts p;
    if (!parts_of(raw, &p)) return false;
    f->narrow = as_piece(a, &p, RR_DRAW_NARROW, height, f);
    return true;
}
