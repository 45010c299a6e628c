/* SPDX-License-Identifier: GPL-3.0-or-later
 * reports/doc.h - a report as a list of blocks, before it is Markdown or HTML.
 *
 * Texts are plain: markdown.c and html.c escape every one of them, so that a section needs no care. All memory in the document's arena; texts
 * given are copied, or formatted, into it. */
#ifndef RR_REPORTS_DOC_H
#define RR_REPORTS_DOC_H
#include "data/base/vec.h"
#include "data/store.h"

enum rr_mark { RR_MARK_NONE, RR_MARK_BEST, RR_MARK_GOOD, RR_MARK_BAD, RR_MARK_MUTED, RR_MARK_TOTAL };
struct rr_doc_cell {
    const char *text;
    enum rr_mark mark;
    double bar; /* share of a bar behind the number, 0..1; 0 = none */
};
struct rr_column {
    const char *title;
    bool number; /* right-aligned, tabular figures */
};
struct rr_row {
    RR_VEC(struct rr_doc_cell) cell;
};
struct rr_table {
    struct rr_arena *arena;
    const char *caption;
    bool fold; /* long detail: closed at first where the format can */
    RR_VEC(struct rr_column) column;
    RR_VEC(struct rr_row) row;
};
enum rr_block_kind { RR_BLOCK_HEADING, RR_BLOCK_LEAD, RR_BLOCK_PARA, RR_BLOCK_WARNING, RR_BLOCK_ITEM, RR_BLOCK_TABLE, RR_BLOCK_FIGURE };
struct rr_block {
    enum rr_block_kind kind;
    int level;             /* of a heading: 1 = the title */
    const char *text;      /* heading, lead, paragraph, warning, item */
    const char *note;      /* of an item: its source or place, "" = none */
    struct rr_table table; /* of a table */
    const struct rr_figure *figure;
};

/* A plot. `svg` is the file, `inlined` the same without fixed size and with the page's colours, `narrow` (NULL: none) drawn again for a phone; all
 * trusted, for plot.c escaped their texts. */
struct rr_figure {
    const char *name; /* "cost": plots/cost.svg */
    const char *title, *caption, *alt;
    const char *svg, *inlined, *narrow;
};
struct rr_figures {
    size_t n;
    struct rr_figure at[16];
};

struct rr_doc {
    struct rr_arena *arena;
    const struct rr_figures *figures;
    bool figure_files; /* plots/NAME.svg lie beside the report */
    RR_VEC(struct rr_block) block;
};
void rr_doc_done(struct rr_doc *d);
void rr_doc_heading(struct rr_doc *d, int level, const char *text);
void rr_doc_lead(struct rr_doc *d, const char *text);
void rr_doc_para(struct rr_doc *d, const char *fmt, ...) RR_PRINTF(2, 3);
void rr_doc_warning(struct rr_doc *d, const char *fmt, ...) RR_PRINTF(2, 3);
void rr_doc_item(struct rr_doc *d, const char *text, const char *note);
void rr_doc_figure(struct rr_doc *d, const char *name); /* nothing when there is no such plot */

/* Its title as a heading of the third level, its note as the caption; a long one is folded. */
void rr_doc_sheet(struct rr_doc *d, const struct rr_store *s, const struct rr_sheet *x);

/* The table stays valid until the next block is added. */
struct rr_table *rr_doc_table(struct rr_doc *d, const char *caption);
void rr_table_column(struct rr_table *t, const char *title, bool number);
void rr_table_row(struct rr_table *t);
void rr_table_cell(struct rr_table *t, const char *text);
void rr_table_cellf(struct rr_table *t, const char *fmt, ...) RR_PRINTF(2, 3);
void rr_table_mark(struct rr_table *t, enum rr_mark mark); /* the last cell */
void rr_table_bar(struct rr_table *t, double share);       /* the last cell */

void rr_markdown(const struct rr_doc *d, struct rr_buf *b);
void rr_html(const struct rr_doc *d, const char *title, struct rr_buf *b);

/* A section of the report: what it is called and what it adds. */
struct rr_section {
    const char *name;
    void (*fill)(const struct rr_store *s, struct rr_doc *d); /* adds its own heading, or nothing when it has nothing to say */
};
#define X(name) extern const struct rr_section rr_section_##name;
#include "reports/section/list.h"
#undef X
void rr_doc_fill(struct rr_doc *d, const struct rr_store *s); /* all sections in the order of list.h */
#endif
