/* SPDX-License-Identifier: GPL-3.0-or-later
 * reports/section/trust.c - how far the predictions of planned training runs can be trusted: published measurements that they were held against. */
#include "reports/doc.h"
#include <string.h>

static void fill(const struct rr_store *s, struct rr_doc *d)
{
    const struct rr_sheet *trust = NULL, *all = NULL, *profiles = NULL;
    for (size_t i = 0; i < s->n_sheets; i++) {
        if (strcmp(s->sheet[i].name, "training.trust") == 0 && s->sheet[i].n_rows > 0) trust = &s->sheet[i];
        if (strcmp(s->sheet[i].name, "training.accuracy") == 0 && s->sheet[i].n_rows > 0) all = &s->sheet[i];
        if (strcmp(s->sheet[i].name, "training.profiles") == 0 && s->sheet[i].n_rows > 0) profiles = &s->sheet[i];
    }
    if (!trust) return;
    rr_doc_heading(d, 2, "How far to trust this");
    rr_doc_sheet(d, s, trust);
    if (profiles) rr_doc_sheet(d, s, profiles);
    rr_doc_figure(d, "trust");
    if (all) rr_doc_sheet(d, s, all);
}

const struct rr_section rr_section_trust = {"trust", fill};
