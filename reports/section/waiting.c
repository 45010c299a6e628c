/* SPDX-License-Identifier: GPL-3.0-or-later
 * reports/section/waiting.c - how long jobs waited and took, and what became of them. */
#include "reports/doc.h"
#include "reports/show.h"
#include <math.h>
#include <string.h>

enum { MOST = 24, MOST_PAIRS = 4 };

static void times(const struct rr_store *s, struct rr_doc *d, const size_t *chosen, size_t n)
{
    static const struct {
        int metric;
        const char *title;
    } column[] = {{RR_M_WAIT_MEAN, "Wait, mean"}, {RR_M_WAIT_P50, "median"},         {RR_M_WAIT_P95, "95 %"},
                  {RR_M_WAIT_P99, "99 %"},        {RR_M_WAIT_MAX, "longest"},        {RR_M_JCT_P50, "Completion, median"},
                  {RR_M_JCT_P95, "95 %"},         {RR_M_BSLD_MEAN, "Slowdown, mean"}};
    struct rr_table *t =
        rr_doc_table(d, "Waiting is from submit to first start; completion from submit to last end; slowdown is completion "
                        "over run time, at least 1, runs below 10 s taken as 10 s.");
    rr_table_column(t, "Alternative", false);
    for (size_t k = 0; k < sizeof column / sizeof *column; k++) rr_table_column(t, column[k].title, true);
    for (size_t i = 0; i < n; i++) {
        const struct rr_alternative *a = &s->alternative[chosen[i]];
        rr_table_row(t);
        rr_table_cell(t, rr_show_name(s, t->arena, (size_t)(a - s->alternative)));
        for (size_t k = 0; k < sizeof column / sizeof *column; k++)
            rr_table_cell(t,
                          rr_show_metric(d->arena, rr_metric_info[column[k].metric].unit, a->metric[column[k].metric].mean, s->currency));
    }
}

static void states(const struct rr_store *s, struct rr_doc *d, const size_t *chosen, size_t n)
{
    static const int column[] = {RR_M_JOBS_SUBMITTED, RR_M_JOBS_FINISHED, RR_M_JOBS_FAILED, RR_M_JOBS_KILLED,
                                 RR_M_JOBS_REJECTED,  RR_M_JOBS_WAITING,  RR_M_JOBS_RUNNING};
    static const char *const title[] = {"Submitted", "Finished", "Failed", "Killed", "Rejected", "Waiting", "Running"};
    struct rr_table *t = rr_doc_table(d, "Jobs at the horizon: submitted = finished + failed + killed + rejected + waiting + running.");
    rr_table_column(t, "Alternative", false);
    for (size_t k = 0; k < sizeof title / sizeof *title; k++) rr_table_column(t, title[k], true);
    rr_table_column(t, "Work finished", true);
    for (size_t i = 0; i < n; i++) {
        const struct rr_alternative *a = &s->alternative[chosen[i]];
        rr_table_row(t);
        rr_table_cell(t, rr_show_name(s, t->arena, (size_t)(a - s->alternative)));
        for (size_t k = 0; k < sizeof column / sizeof *column; k++) {
            rr_table_cell(t, rr_show_number(d->arena, a->metric[column[k]].mean));
            if (a->metric[column[k]].mean == 0) rr_table_mark(t, RR_MARK_MUTED);
        }
        rr_table_cell(t, rr_show_share(d->arena, a->metric[RR_M_WORK_FINISHED_SHARE].mean));
    }
}

struct waited {
    double jobs, gpus;
};

static struct waited sum_of(const struct rr_alternative *a)
{
    struct waited w = {0, 0};
    for (size_t k = 0; k < a->n_bounds; k++) w = (struct waited){w.jobs + a->bound[k].job_hours, w.gpus + a->bound[k].gpu_hours};
    return w;
}

static const struct rr_bound_row *bound_of(const struct rr_alternative *a, const char *bound)
{
    for (size_t k = 0; k < a->n_bounds; k++)
        if (strcmp(a->bound[k].bound, bound) == 0) return &a->bound[k];
    return NULL;
}

// Of the GPU-hours asked for; of the jobs where nobody asks for GPUs.
static void share_cells(struct rr_table *t, const struct rr_alternative *a, const struct rr_bound_row *b)
{
    const struct waited all = sum_of(a);
    if (!b) {
        rr_table_cell(t, RR_SHOW_NONE);
        rr_table_mark(t, RR_MARK_MUTED);
        rr_table_cell(t, "");
        return;
    }
    const double share = all.gpus > 0 ? b->gpu_hours / all.gpus : b->job_hours / all.jobs;
    rr_table_cell(t, rr_show_number(t->arena, all.gpus > 0 ? b->gpu_hours : b->job_hours));
    rr_table_cell(t, rr_show_share(t->arena, share));
    rr_table_bar(t, share);
}

/* A row for each thing that somebody waited for, two columns an alternative. */
static void waited_for(const struct rr_store *s, struct rr_doc *d, const size_t *chosen, size_t n)
{
    struct rr_table *t = NULL;
    const size_t shown = n < MOST_PAIRS ? n : MOST_PAIRS;
    for (size_t i = 0; i < shown; i++)
        for (size_t k = 0; k < s->alternative[chosen[i]].n_bounds; k++) {
            const struct rr_bound_row *b = &s->alternative[chosen[i]].bound[k];
            bool told = false;
            for (size_t before = 0; before < i; before++) told |= bound_of(&s->alternative[chosen[before]], b->bound) != NULL;
            if (told) continue;
            if (!t) {
                t = rr_doc_table(d, "What jobs waited for, replication 1: all waiting inside the horizon, in GPU-hours asked for, by what "
                                    "held each job back, looked at a few times in each time bin.");
                rr_table_column(t, "Jobs waited for", false);
                for (size_t c = 0; c < shown; c++) {
                    rr_table_column(t, rr_show_name(s, d->arena, chosen[c]), true);
                    rr_table_column(t, "share", true);
                }
            }
            rr_table_row(t);
            rr_table_cell(t, b->what);
            for (size_t c = 0; c < shown; c++) share_cells(t, &s->alternative[chosen[c]], bound_of(&s->alternative[chosen[c]], b->bound));
        }
    if (t && shown < n) rr_doc_para(d, "The table shows %zu of %zu alternatives; results.json has all.", shown, s->n_alternatives);
}

static void fill(const struct rr_store *s, struct rr_doc *d)
{
    size_t chosen[MOST];
    const size_t n = rr_show_chosen(s, MOST, false, chosen);
    if (n == 0) return;
    rr_doc_heading(d, 2, "When it is done");
    rr_doc_figure(d, "wait");
    times(s, d, chosen, n);
    rr_doc_figure(d, "queue");
    waited_for(s, d, chosen, n);
    states(s, d, chosen, n);
}

const struct rr_section rr_section_waiting = {"waiting", fill};
