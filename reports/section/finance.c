/* SPDX-License-Identifier: GPL-3.0-or-later
 * reports/section/finance.c - sheets as tables: rates of return, periods, obligations, bridges, what would change the verdict. */
#include "reports/doc.h"
#include <string.h>

static void fill(const struct rr_store *s, struct rr_doc *d)
{
    bool any = false;
    for (size_t i = 0; i < s->n_sheets; i++) {
        const struct rr_sheet *x = &s->sheet[i];
        if (x->n_rows == 0 || strncmp(x->name, "finance.", 8) != 0) continue;
        if (!any) rr_doc_heading(d, 2, "Finance");
        any = true;
        rr_doc_sheet(d, s, x);
    }
}

const struct rr_section rr_section_finance = {"finance", fill};
