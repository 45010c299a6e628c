/* SPDX-License-Identifier: GPL-3.0-or-later
 * sim/study/training_profiles.c - what profiles measured of the machines that planned runs are on, and what that changed. */
#include "sim/study/training_parts.h"
#include <math.h>
#include <string.h>

static void put_row(struct rr_sheet_maker *m, const struct rr_machine *on, const struct rr_calibrated_row *r)
{
    rr_sheet_row(m);
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
    rr_sheet_text(m, r->profile->date);
    rr_sheet_text(m, "measured");
    rr_sheet_text(m, r->source);
}

/* A profile that is of a datasheet has one row: that it changed nothing. */
static void put_datasheet(struct rr_sheet_maker *m, const struct rr_machine *on, const struct rr_profile *p)
{
    rr_sheet_row(m);
    rr_sheet_text(m, on->id);
    rr_sheet_text(m, "none");
    for (int i = 0; i < 4; i++) rr_sheet_number(m, NAN);
    rr_sheet_text(m, "");
    for (int i = 0; i < 2; i++) rr_sheet_number(m, NAN);
    rr_sheet_text(m, "");
    rr_sheet_text(m, p->name);
    rr_sheet_text(m, p->date);
    rr_sheet_text(m, "datasheet, not measured");
    rr_sheet_text(m, "");
}

static bool told_before(const struct rr_telling *t, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (t->run[k].size.calibrated.set == t->run[i].size.calibrated.set &&
            strcmp(t->run[k].size.framework, t->run[i].size.framework) == 0 &&
            strcmp(t->run[k].size.machine.id, t->run[i].size.machine.id) == 0)
            return true;
    return false;
}

void rr_tell_profiles(struct rr_telling *t)
{
    static const char *const first[] = {"Before", "After", "P5", "P95"};
    static const char *const last[] = {"Of", "Profile", "Date", "Measured?", "Row of the profile"};
    struct rr_sheet_maker m = rr_sheet_begin(
        t->a, "training.profiles", "What was measured of the machines",
        "Coefficients that profiles changed. A rate changes by its ratio to what the machines behind the published rows reach in "
        "the same test, a latency by the difference; without such a reference the rate itself holds. P5 and P95: over the worlds "
        "that the profile's error bars make, one a replication.");
    rr_sheet_column(&m, "Machine", RR_SHEET_TEXT);
    rr_sheet_column(&m, "Coefficient", RR_SHEET_TEXT);
    for (size_t i = 0; i < sizeof first / sizeof *first; i++) rr_sheet_column(&m, first[i], RR_SHEET_NUMBER);
    rr_sheet_column(&m, "Unit", RR_SHEET_TEXT);
    rr_sheet_column(&m, "Measured", RR_SHEET_NUMBER);
    rr_sheet_column(&m, "Reference", RR_SHEET_NUMBER);
    for (size_t i = 0; i < sizeof last / sizeof *last; i++) rr_sheet_column(&m, last[i], RR_SHEET_TEXT);
    for (size_t i = 0; i < t->n; i++) {
        const struct rr_calibrated *k = &t->run[i].size.calibrated;
        if (!k->set || told_before(t, i)) continue;
        for (size_t r = 0; r < k->n; r++) put_row(&m, &t->run[i].size.machine, &k->row[r]);
        for (size_t p = 0; p < k->set->n; p++)
            if (k->used[p] && !k->set->at[p].measured) put_datasheet(&m, &t->run[i].size.machine, &k->set->at[p]);
    }
    rr_tell_sheet(t, &m);
}
