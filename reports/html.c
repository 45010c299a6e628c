/* SPDX-License-Identifier: GPL-3.0-or-later
 * reports/html.c - the document as one HTML file: no script, no outside link, readable on a phone, in print, in light and in dark. */
#include "reports/doc.h"
#include "reports/html_style.h"
#include <string.h>

enum { MANY_COLUMNS = 8 }; // set closer

struct writer {
    struct rr_buf *b;
    const struct rr_doc *d;
    int section;  // of level 2, for anchors
    bool in_list; // an open <ul>
};

static void put(struct writer *w, const char *s) { rr_buf_puts(w->b, s); }

// A number keeps its per cent sign on its line.
static void text(struct writer *w, const char *s)
{
    struct rr_buf b = {0};
    rr_buf_html(&b, s);
    const char *at = rr_buf_text(&b);
    for (const char *sign; (sign = strstr(at, " %")); at = sign + 1) {
        rr_buf_put(w->b, at, (size_t)(sign - at));
        put(w, "&nbsp;");
    }
    put(w, at);
    rr_buf_done(&b);
}

static void wrapped(struct writer *w, const char *open, const char *s, const char *close)
{
    put(w, open);
    text(w, s);
    put(w, close);
}

static void contents(struct writer *w)
{
    int n = 0;
    put(w, "<nav aria-label=\"Contents\">");
    for (size_t i = 0; i < w->d->block.n; i++) {
        const struct rr_block *h = &w->d->block.at[i];
        if (h->kind != RR_BLOCK_HEADING || h->level != 2) continue;
        rr_buf_putf(w->b, "<a href=\"#s%d\">", ++n);
        wrapped(w, "", h->text, "</a> ");
    }
    put(w, "</nav>\n");
}

// The answer comes first; the way to the rest stands between.
static void heading(struct writer *w, const struct rr_block *k)
{
    if (k->level == 2 && w->section == 0) contents(w);
    if (k->level == 2)
        rr_buf_putf(w->b, "<h2 id=\"s%d\">", ++w->section);
    else
        rr_buf_putf(w->b, "<h%d>", k->level);
    text(w, k->text);
    rr_buf_putf(w->b, "</h%d>\n", k->level);
}

static const char *class_of(const struct rr_doc_cell *c, bool number)
{
    static const char *const name[][2] = {[RR_MARK_NONE] = {"", " class=\"n\""},
                                          [RR_MARK_BEST] = {" class=\"best\"", " class=\"n best\""},
                                          [RR_MARK_GOOD] = {" class=\"good\"", " class=\"n good\""},
                                          [RR_MARK_BAD] = {" class=\"bad\"", " class=\"n bad\""},
                                          [RR_MARK_MUTED] = {" class=\"muted\"", " class=\"n muted\""},
                                          [RR_MARK_TOTAL] = {" class=\"total\"", " class=\"n total\""}};
    if (c->mark == RR_MARK_NONE && !number && strlen(c->text) >= 40 && !strchr(c->text, ' ')) return " class=\"hash\"";
    return name[c->mark][number];
}

static void cell(struct writer *w, const struct rr_table *t, const struct rr_doc_cell *c, size_t column)
{
    const bool head = column == 0;
    put(w, head ? "<th scope=\"row\"" : "<td");
    put(w, class_of(c, t->column.at[column].number));
    if (c->bar > 0) rr_buf_putf(w->b, " style=\"--b:%.1f%%\"", 100 * c->bar);
    const char *spread = strstr(c->text, " \xc2\xb1 "); // a line of its own on a phone
    if (spread) {
        struct rr_arena *a = t->arena;
        wrapped(w, ">", rr_strndup(a, c->text, (size_t)(spread - c->text)), " <span>");
        wrapped(w, "", spread + 1, head ? "</span></th>" : "</span></td>");
    } else {
        wrapped(w, ">", c->text, head ? "</th>" : "</td>");
    }
}

static void table(struct writer *w, const struct rr_table *t)
{
    if (t->row.n == 0) return;
    if (t->fold)
        wrapped(w, "<details><summary>", t->caption, "</summary>\n");
    else
        wrapped(w, "<figure class=\"table\"><figcaption>", t->caption, "</figcaption>\n");
    put(w, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"");
    text(w, t->caption);
    put(w, t->column.n > MANY_COLUMNS ? "\"><table class=\"dense\">\n<thead><tr>" : "\"><table>\n<thead><tr>");
    for (size_t i = 0; i < t->column.n; i++)
        wrapped(w, t->column.at[i].number ? "<th scope=\"col\" class=\"n\">" : "<th scope=\"col\">", t->column.at[i].title, "</th>");
    put(w, "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < t->row.n; i++) {
        const struct rr_row *r = &t->row.at[i];
        const bool total = r->cell.n && r->cell.at[0].mark == RR_MARK_TOTAL;
        put(w, total ? "<tr class=\"total\">" : "<tr>");
        for (size_t k = 0; k < r->cell.n && k < t->column.n; k++) cell(w, t, &r->cell.at[k], k);
        put(w, "</tr>\n");
    }
    rr_buf_putf(w->b, "</tbody></table></div></%s>\n", t->fold ? "details" : "figure");
}

// Two drawings of the same: the style sheet shows the one that is readable on this width.
static void figure(struct writer *w, const struct rr_figure *f)
{
    wrapped(w, "<figure class=\"plot\"><h3>", f->title, "</h3>\n");
    if (f->narrow) {
        put(w, "<div class=\"wide\">");
        put(w, f->inlined);
        put(w, "</div><div class=\"narrow\">");
        put(w, f->narrow);
        put(w, "</div>");
    } else {
        put(w, f->inlined);
    }
    wrapped(w, "<figcaption>", f->caption, "</figcaption></figure>\n");
}

static void item(struct writer *w, const struct rr_block *k)
{
    if (!w->in_list) put(w, "<ul>\n");
    wrapped(w, "<li>", k->text, "");
    if (*k->note) wrapped(w, " <small>", k->note, "</small>");
    put(w, "</li>\n");
}

static void block(struct writer *w, const struct rr_block *k)
{
    const bool is_item = k->kind == RR_BLOCK_ITEM;
    if (w->in_list && !is_item) put(w, "</ul>\n");
    switch (k->kind) {
    case RR_BLOCK_HEADING: heading(w, k); break;
    case RR_BLOCK_LEAD: wrapped(w, "<p class=\"lead\">", k->text, "</p>\n"); break;
    case RR_BLOCK_PARA: wrapped(w, "<p>", k->text, "</p>\n"); break;
    case RR_BLOCK_WARNING: wrapped(w, "<p class=\"warning\" role=\"note\"><strong>Warning</strong> ", k->text, "</p>\n"); break;
    case RR_BLOCK_ITEM: item(w, k); break;
    case RR_BLOCK_TABLE: table(w, &k->table); break;
    case RR_BLOCK_FIGURE: figure(w, k->figure); break;
    }
    w->in_list = is_item;
}

/* The policy keeps the page from loading or running anything, even if a text got through unescaped. */
void rr_html(const struct rr_doc *d, const char *title, struct rr_buf *b)
{
    struct writer w = {.b = b, .d = d};
    put(&w,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n"
        "<meta name=\"generator\" content=\"rackrate\">\n");
    wrapped(&w, "<title>", title, " \xe2\x80\x93 rackrate</title>\n");
    put(&w, "<style>\n");
    put(&w, rr_html_style);
    put(&w, "</style>\n</head>\n<body>\n<main>\n");
    for (size_t i = 0; i < d->block.n; i++) block(&w, &d->block.at[i]);
    if (w.in_list) put(&w, "</ul>\n");
    put(&w, "</main>\n</body>\n</html>\n");
}
