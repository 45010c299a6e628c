/* SPDX-License-Identifier: GPL-3.0-or-later
 * reports/markdown.c - the document as Markdown with pipe tables (GitHub's kind). */
#include "reports/doc.h"
#include <string.h>

// A digit, a + or a - that begins a line would begin a list.
static void text_at_start(struct rr_buf *b, const char *s)
{
    size_t digits = strspn(s, "0123456789");
    if (digits && (s[digits] == '.' || s[digits] == ')')) {
        rr_buf_put(b, s, digits);
        rr_buf_puts(b, "\\");
        s += digits;
    } else if (*s == '+' || *s == '-' || *s == '~' || *s == '=') {
        rr_buf_puts(b, "\\");
    }
    rr_buf_markdown(b, s);
}

static void cells(struct rr_buf *b, const struct rr_table *t, const struct rr_row *r)
{
    for (size_t i = 0; i < t->column.n; i++) {
        rr_buf_puts(b, i ? " | " : "| ");
        const struct rr_doc_cell *c = i < r->cell.n ? &r->cell.at[i] : NULL;
        const bool strong = c && *c->text && (c->mark == RR_MARK_BEST || c->mark == RR_MARK_TOTAL || c->mark == RR_MARK_BAD);
        if (strong) rr_buf_puts(b, "**");
        if (c) rr_buf_markdown(b, c->text);
        if (strong) rr_buf_puts(b, "**");
    }
    rr_buf_puts(b, " |\n");
}

static void table(struct rr_buf *b, const struct rr_table *t)
{
    if (t->row.n == 0) return;
    for (size_t i = 0; i < t->column.n; i++) {
        rr_buf_puts(b, i ? " | " : "| ");
        rr_buf_markdown(b, t->column.at[i].title);
    }
    rr_buf_puts(b, " |\n");
    for (size_t i = 0; i < t->column.n; i++) rr_buf_puts(b, t->column.at[i].number ? "|---:" : "|:---");
    rr_buf_puts(b, "|\n");
    for (size_t i = 0; i < t->row.n; i++) cells(b, t, &t->row.at[i]);
    rr_buf_puts(b, "\n*");
    rr_buf_markdown(b, t->caption);
    rr_buf_puts(b, "*\n\n");
}

static void block(struct rr_buf *b, const struct rr_doc *d, const struct rr_block *k, bool last_item)
{
    switch (k->kind) {
    case RR_BLOCK_HEADING:
        rr_buf_putf(b, "%.*s ", k->level, "######");
        rr_buf_markdown(b, k->text);
        rr_buf_puts(b, "\n\n");
        break;
    case RR_BLOCK_LEAD:
        rr_buf_puts(b, "**");
        rr_buf_markdown(b, k->text);
        rr_buf_puts(b, "**\n\n");
        break;
    case RR_BLOCK_PARA:
        text_at_start(b, k->text);
        rr_buf_puts(b, "\n\n");
        break;
    case RR_BLOCK_WARNING:
        rr_buf_puts(b, "> Warning: ");
        rr_buf_markdown(b, k->text);
        rr_buf_puts(b, "\n\n");
        break;
    case RR_BLOCK_ITEM:
        rr_buf_puts(b, "- ");
        text_at_start(b, k->text);
        if (*k->note) {
            rr_buf_puts(b, " (");
            rr_buf_markdown(b, k->note);
            rr_buf_puts(b, ")");
        }
        rr_buf_puts(b, last_item ? "\n\n" : "\n");
        break;
    case RR_BLOCK_TABLE: table(b, &k->table); break;
    case RR_BLOCK_FIGURE:
        if (!d->figure_files) break;
        rr_buf_puts(b, "![");
        rr_buf_markdown(b, k->figure->alt);
        rr_buf_putf(b, "](plots/%s.svg)\n\n*", k->figure->name);
        rr_buf_markdown(b, k->figure->caption);
        rr_buf_puts(b, "*\n\n");
        break;
    }
}

void rr_markdown(const struct rr_doc *d, struct rr_buf *b)
{
    for (size_t i = 0; i < d->block.n; i++) {
        const bool last_item = i + 1 == d->block.n || d->block.at[i + 1].kind != RR_BLOCK_ITEM;
        block(b, d, &d->block.at[i], last_item);
    }
    while (b->n > 1 && b->at[b->n - 1] == '\n' && b->at[b->n - 2] == '\n') b->at[--b->n] = '\0';
}
