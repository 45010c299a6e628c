/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/study/training_trust.c - the published measurements that the coefficients of a planned run were held against (data/facts/train_accuracy.csv). */
#include "sim/study/training_parts.h"
#include <math.h>
#include <string.h>

static bool rests_on(const struct rr_told_run *r, const struct rr_train_accuracy *x)
{
    return strcmp(r->size.framework, x->framework) == 0 && strcmp(r->size.machine.family, x->family) == 0;
}

static size_t rows_of(const struct rr_telling *t, const struct rr_told_run *r)
{
    size_t n = 0;
    for (size_t i = 0; i < t->facts.n_accuracies; i++) n += rests_on(r, &t->facts.accuracy[i]);
    return n;
}

static void columns(struct rr_sheet_maker *m, const char *first)
{
    static const char *const share[] = {"As shipped", "Rows left out", "Groups left out", "Median", "Bias"}, *const ratio[] = {"P10", "P50",
                                                                                                                               "P90"};
    if (first) rr_sheet_column(m, first, RR_SHEET_TEXT);
    rr_sheet_column(m, "Published rows", RR_SHEET_TEXT);
    rr_sheet_column(m, "Of", RR_SHEET_TEXT);
    rr_sheet_column(m, "Rows", RR_SHEET_NUMBER);
    for (size_t i = 0; i < sizeof share / sizeof *share; i++) rr_sheet_column(m, share[i], RR_SHEET_SHARE);
    for (size_t i = 0; i < sizeof ratio / sizeof *ratio; i++) rr_sheet_column(m, ratio[i], RR_SHEET_NUMBER);
}

static double tenths(double share) { return floor(1000 * share + 0.5) / 1000; }

static void put_row(struct rr_sheet_maker *m, const char *first, const struct rr_train_accuracy *x)
{
    const bool out = x->left_out > 0,
               groups = strcmp(x->measure, "memory") != 0; // models/train/accuracy.h: what is left out of which measure
    rr_sheet_row(m);
    if (first) rr_sheet_text(m, first);
    rr_sheet_text(m, x->set);
    rr_sheet_text(m, x->measure);
    rr_sheet_number(m, x->rows);
    rr_sheet_number(m, x->mape);
    rr_sheet_number(m, out && !groups ? x->left_out_mape : NAN);
    rr_sheet_number(m, out && groups ? x->left_out_mape : NAN);
    rr_sheet_number(m, x->median_error);
    rr_sheet_number(m, tenths(x->mean - 1));
    rr_sheet_number(m, out ? x->left_out_p10 : x->p10);
    rr_sheet_number(m, out ? x->left_out_p50 : x->p50);
    rr_sheet_number(m, out ? x->left_out_p90 : x->p90);
}

/* Runs of one framework and GPU together: their rows once. */
static void put_run(struct rr_telling *t, struct rr_sheet_maker *m, size_t i)
{
    const struct rr_told_run *r = &t->run[i];
    for (size_t k = 0; k < i; k++)
        if (strcmp(t->run[k].size.framework, r->size.framework) == 0 && strcmp(t->run[k].size.machine.family, r->size.machine.family) == 0)
            return;
    const char *name = rr_strf(t->a, "%s on %s", r->size.framework, r->size.machine.family);
    for (size_t k = 0; k < t->facts.n_accuracies; k++)
        if (rests_on(r, &t->facts.accuracy[k])) put_row(m, name, &t->facts.accuracy[k]);
    if (rows_of(t, r) > 0) return;
    rr_sheet_row(m);
    rr_sheet_text(m, name);
    rr_sheet_text(m, strcmp(r->size.framework, "default") == 0 ? "none: its coefficients are not fitted to any"
                                                               : "none with this GPU: coefficients of a related one");
}

void rr_tell_trust(struct rr_telling *t)
{
    struct rr_sheet_maker m = rr_sheet_begin(
        t->a, "training.trust", "What the predictions rest on",
        "Mean errors on published measurements of the same framework and GPU. As shipped: by the coefficients as they are, which saw them "
        "all. Rows left out: memory, by a fit without the row's fifth. Groups left out: times, by a fit without all rows of the same "
        "model, "
        "number of GPUs and precision. Median and bias: as shipped. P10, P50, P90: of predicted / measured, left out where there is such a "
        "fit.");
    columns(&m, "Coefficients");
    for (size_t i = 0; i < t->n; i++) put_run(t, &m, i);
    rr_tell_sheet(t, &m);
    m = rr_sheet_begin(t->a, "training.accuracy", "All published sets",
                       "As above, of whole sets: each row of a set counts, whatever framework and GPU. Here: a run of this report rests on "
                       "some of them. `make validate-training` finds them anew.");
    columns(&m, NULL);
    rr_sheet_column(&m, "Here", RR_SHEET_TEXT);
    for (size_t k = 0; k < t->facts.n_accuracies; k++) {
        const struct rr_train_accuracy *x = &t->facts.accuracy[k];
        if (*x->framework) continue;
        bool ours = false;
        for (size_t j = 0; j < t->facts.n_accuracies; j++)
            for (size_t i = 0; i < t->n; i++)
                ours |= strcmp(t->facts.accuracy[j].set, x->set) == 0 && rests_on(&t->run[i], &t->facts.accuracy[j]);
        put_row(&m, NULL, x);
        rr_sheet_text(&m, ours ? "yes" : "");
    }
    rr_tell_sheet(t, &m);
}
