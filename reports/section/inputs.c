/* SPDX-License-Identifier: GPL-3.0-or-later
 * reports/section/inputs.c - what was read, so that the run can be made again. */
#include "reports/doc.h"

static void fill(const struct rr_store *s, struct rr_doc *d)
{
    rr_doc_heading(d, 2, "How to make it again");
    rr_doc_para(d, "rackrate %s, scenario %s, seed %lld, %lld replication%s. The same inputs and seed give the same bytes.", s->version,
                s->scenario_path, (long long)s->seed, (long long)s->replications, s->replications == 1 ? "" : "s");
    if (s->summary_only)
        rr_doc_para(d, "This report was made from results.json alone. Pools, job classes, cost lines, curves over time, jobs, leases and "
                       "charges are in results.db, which was not there; \"rackrate run\" with the same inputs makes it again.");
    if (s->n_inputs == 0) return;
    struct rr_table *t = rr_doc_table(d, "Files read.");
    rr_table_column(t, "File", false);
    rr_table_column(t, "SHA-256", false);
    for (size_t i = 0; i < s->n_inputs; i++) {
        rr_table_row(t);
        rr_table_cell(t, s->input[i].path);
        rr_table_cell(t, s->input[i].sha256);
    }
}

const struct rr_section rr_section_inputs = {"inputs", fill};
