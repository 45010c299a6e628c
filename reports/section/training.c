/* SPDX-License-Identifier: GPL-3.0-or-later
 * reports/section/training.c - planned training runs: what was predicted, what the step and the memory are made of, what more GPUs bring. */
#include "reports/doc.h"
#include <string.h>

static void sheet(const struct rr_store *s, struct rr_doc *d, const char *name)
{
    for (size_t i = 0; i < s->n_sheets; i++)
        if (strcmp(s->sheet[i].name, name) == 0 && s->sheet[i].n_rows > 0) rr_doc_sheet(d, s, &s->sheet[i]);
}

static void fill(const struct rr_store *s, struct rr_doc *d)
{
    bool any = false;
    for (size_t i = 0; i < s->n_sheets; i++) any |= strncmp(s->sheet[i].name, "training.", 9) == 0 && s->sheet[i].n_rows > 0;
    if (!any) return;
    rr_doc_heading(d, 2, "Time to train");
    sheet(s, d, "training.runs");
    sheet(s, d, "training.done");
    sheet(s, d, "training.bill");
    sheet(s, d, "training.layouts");
    sheet(s, d, "training.rejected");
    rr_doc_figure(d, "step");
    sheet(s, d, "training.step");
    rr_doc_figure(d, "memory");
    sheet(s, d, "training.memory");
    rr_doc_figure(d, "scaling");
    sheet(s, d, "training.scaling");
    rr_doc_figure(d, "roofline");
    sheet(s, d, "training.roofline");
}

const struct rr_section rr_section_training = {"training", fill};
