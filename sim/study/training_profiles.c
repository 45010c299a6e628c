/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/study/training_profiles.c - what profiles measured of the machines that planned runs are on, and what that changed. */
#include "sim/study/training_parts.h"
#include <math.h>
#include <string.h>

static const char *dated(struct rr_arena *a, const struct rr_profile *p)
{
    return *p->date ? rr_strf(a, "%s %s", rr_profile_dated(p), p->date) : "";
}

static const char *what_it_did(struct rr_arena *a, const struct rr_calibrated_row *r)
{
    const struct rr_coef_info *c = &rr_coef_info[r->coef];
    if (fabs(r->held - r->after) > 1e-9) return rr_strf(a, "measured: %.4g, held within %.4g to %.4g", r->held, c->least, c->most);
    return rr_calibrated_same(r) ? "measured: as its reference" : "measured";
}

static void put_row(struct rr_telling *t, struct rr_sheet_maker *m, const char *runs, const struct rr_machine *on,
                    const struct rr_calibrated_row *r)
{
    rr_sheet_row(m);
    rr_sheet_text(m, runs);
    rr_sheet_text(m, on->id);
    rr_sheet_text(m, rr_coef_info[r->coef].name);
    rr_sheet_number(m, r->before);
    rr_sheet_number(m, r->after);
    rr_sheet_number(m, r->p05);
    rr_sheet_number(m, r->p95);
    rr_sheet_text(m, rr_coef_info[r->coef].unit);
    rr_sheet_number(m, r->measured);
    rr_sheet_number(m, *r->reference_text ? r->reference : NAN);
    rr_sheet_text(m, rr_calibrated_unit[r->quantity]);
    rr_sheet_text(m, r->profile->name);
    rr_sheet_text(m, dated(t->a, r->profile));
    rr_sheet_text(m, what_it_did(t->a, r));
    rr_sheet_text(m, r->source);
}

/* A profile that is of a datasheet has one row: that it changed nothing. */
static void put_datasheet(struct rr_telling *t, struct rr_sheet_maker *m, const char *runs, const struct rr_machine *on,
                          const struct rr_profile *p)
{
    rr_sheet_row(m);
    rr_sheet_text(m, runs);
    rr_sheet_text(m, on->id);
    rr_sheet_text(m, "none");
    for (int i = 0; i < 4; i++) rr_sheet_number(m, NAN);
    rr_sheet_text(m, "");
    for (int i = 0; i < 2; i++) rr_sheet_number(m, NAN);
    rr_sheet_text(m, "");
    rr_sheet_text(m, p->name);
    rr_sheet_text(m, dated(t->a, p));
    rr_sheet_text(m, "datasheet, not measured");
    rr_sheet_text(m, "");
}

/* Does a row of this run say what `r` of another one does, bars and all? */
static bool has_row(const struct rr_told_run *x, const char *machine, const struct rr_calibrated_row *r)
{
    const struct rr_calibrated *k = &x->size.calibrated;
    if (!k->set || strcmp(x->size.machine.id, machine) != 0) return false;
    for (size_t i = 0; i < k->n; i++) {
        const struct rr_calibrated_row *y = &k->row[i];
        const double off = fabs(y->before - r->before) + fabs(y->after - r->after) + fabs(y->p05 - r->p05) + fabs(y->p95 - r->p95);
        if (y->coef == r->coef && strcmp(y->profile->name, r->profile->name) == 0 && off <= 1e-9 * (1 + fabs(r->after))) return true;
    }
    return false;
}

static bool has_datasheet(const struct rr_told_run *x, const char *machine, const char *profile)
{
    const struct rr_calibrated *k = &x->size.calibrated;
    for (size_t p = 0; k->set && strcmp(x->size.machine.id, machine) == 0 && p < k->set->n; p++)
        if (k->used[p] && !k->set->at[p].measured && strcmp(k->set->at[p].name, profile) == 0) return true;
    return false;
}

/* The runs from i on of which one row holds: "shared EFA; TCPX". NULL: an earlier run has told it. `r` NULL: a datasheet's. */
static const char *runs_of(const struct rr_telling *t, size_t i, const struct rr_calibrated_row *r, const char *datasheet)
{
    const char *machine = t->run[i].size.machine.id, *names = "";
    for (size_t k = 0; k < t->n; k++) {
        if (r ? !has_row(&t->run[k], machine, r) : !has_datasheet(&t->run[k], machine, datasheet)) continue;
        if (k < i) return NULL;
        names = rr_strf(t->a, "%s%s%s", names, *names ? "; " : "", t->run[k].name);
    }
    return names;
}

static void put_run(struct rr_telling *t, struct rr_sheet_maker *m, size_t i)
{
    const struct rr_calibrated *k = &t->run[i].size.calibrated;
    const struct rr_machine *on = &t->run[i].size.machine;
    for (size_t r = 0; k->set && r < k->n; r++) {
        const char *runs = runs_of(t, i, &k->row[r], NULL);
        if (runs) put_row(t, m, runs, on, &k->row[r]);
    }
    for (size_t p = 0; k->set && p < k->set->n; p++) {
        const char *runs = k->used[p] && !k->set->at[p].measured ? runs_of(t, i, NULL, k->set->at[p].name) : NULL;
        if (runs) put_datasheet(t, m, runs, on, &k->set->at[p]);
    }
}

void rr_tell_profiles(struct rr_telling *t)
{
    static const char *const first[] = {"Before", "After", "P5", "P95"};
    static const char *const last[] = {"Of", "Profile", "Dated", "Measured?", "Row of the profile"};
    struct rr_sheet_maker m = rr_sheet_begin(
        t->a, "training.profiles", "What was measured of the machines",
        "Coefficients that profiles changed. A rate changes by its ratio to what the machines behind the published rows reach in "
        "the same test, a latency by the difference; without such a reference the rate itself holds. P5 and P95: over the worlds "
        "that the profile's error bars make, one a replication.");
    rr_sheet_column(&m, "Run", RR_SHEET_TEXT);
    rr_sheet_column(&m, "Machine", RR_SHEET_TEXT);
    rr_sheet_column(&m, "Coefficient", RR_SHEET_TEXT);
    for (size_t i = 0; i < sizeof first / sizeof *first; i++) rr_sheet_column(&m, first[i], RR_SHEET_NUMBER);
    rr_sheet_column(&m, "Unit", RR_SHEET_TEXT);
    rr_sheet_column(&m, "Measured", RR_SHEET_NUMBER);
    rr_sheet_column(&m, "Reference", RR_SHEET_NUMBER);
    for (size_t i = 0; i < sizeof last / sizeof *last; i++) rr_sheet_column(&m, last[i], RR_SHEET_TEXT);
    for (size_t i = 0; i < t->n; i++) put_run(t, &m, i);
    rr_tell_sheet(t, &m);
}
