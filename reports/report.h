/* SPDX-License-Identifier: GPL-3.0-or-later
 * reports/report.h - files for people, from the store alone.
 *
 * A section is one constant in one file, reports/section/NAME.c, and one row in reports/section/list.h. Its fill() adds blocks (heading,
 * paragraph, table, figure) to a document; markdown.c and html.c render them. No string reaches HTML, Markdown, a gnuplot command or a shell unescaped. */
#ifndef RR_REPORTS_REPORT_H
#define RR_REPORTS_REPORT_H
#include "data/store.h"

enum {                        /* what to write; --format LIST */
       RR_FORMAT_JSON = 1u,   /* results.json */
       RR_FORMAT_MD = 2u,     /* report.md */
       RR_FORMAT_HTML = 4u,   /* report.html */
       RR_FORMAT_CSV = 8u,    /* jobs.csv, leases.csv, charges.csv, timeline.csv */
       RR_FORMAT_DB = 16u,    /* results.db */
       RR_FORMAT_PLOTS = 32u, /* plots/NAME.svg */
       RR_FORMAT_ALL = 63u,
       RR_FORMAT_FOCUS = 256u, /* bill.focus.csv; on request alone */
};
/* "html,md" -> bits; RR_EUSAGE with the nearest right word. */
RR_CHECKED enum rr_status rr_format_parse(const char *list, unsigned *ret);

/* Write into `dir` (made when missing, with its parents): each file beside and renamed, results.json last; files that are not ours stay, those that an
 * earlier run left and this one does not write are removed (not for a loaded store). When gnuplot is missing everything else is written and RR_EMISSING says what to install. RR_EIO: nothing half written stays under a final name.
 * `db_path`: the database a loaded store came from, or NULL. */
RR_CHECKED enum rr_status rr_report_write(const struct rr_store *s, const char *dir, unsigned formats, const char *db_path);

/* The headline and the table, as plain text for a terminal of `width` columns (0 = 80). */
void rr_report_headline(const struct rr_store *s, struct rr_buf *b, int width);
#endif
