/* SPDX-License-Identifier: GPL-3.0-or-later
 * reports/html.c - the document as one HTML file. */
#include "reports/doc.h"
void rr_html(const struct rr_doc *d, const char *title, struct rr_buf *b)
{
    (void)d;
    rr_buf_html(b, title);
}
