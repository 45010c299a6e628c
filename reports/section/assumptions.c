/* SPDX-License-Identifier: GPL-3.0-or-later
 * reports/section/assumptions.c - what varied, what was assumed, what the data left out. */
#include "reports/doc.h"
#include <string.h>

static bool same(const struct rr_note *a, const struct rr_note *b)
{
    return a->kind == b->kind && strcmp(a->text, b->text) == 0 && strcmp(a->where, b->where) == 0 && strcmp(a->source, b->source) == 0;
}

static bool has(const struct rr_alternative *a, const struct rr_note *note)
{
    for (size_t i = 0; i < a->n_notes; i++)
        if (same(&a->note[i], note)) return true;
    return false;
}

// "own, rent: " when some alternatives have the note and others do not.
static const char *whose(const struct rr_store *s, struct rr_arena *arena, const struct rr_note *note)
{
    struct rr_buf b = {0};
    size_t n = 0;
    for (size_t i = 0; i < s->n_alternatives; i++) {
        if (!has(&s->alternative[i], note)) continue;
        if (n < 3) rr_buf_putf(&b, "%s%s", n ? ", " : "", s->alternative[i].name);
        n++;
    }
    if (n > 3) rr_buf_putf(&b, " and %zu more", n - 3);
    rr_buf_puts(&b, ": ");
    const char *text = n == s->n_alternatives ? "" : rr_strdup(arena, rr_buf_text(&b));
    rr_buf_done(&b);
    return text;
}

static void item(struct rr_doc *d, const char *whom, const struct rr_note *note)
{
    const char *dot = *note->where && *note->source ? "; " : "";
    rr_doc_item(d, rr_strf(d->arena, "%s%s", whom, note->text), rr_strf(d->arena, "%s%s%s", note->where, dot, note->source));
}

/* Each note once, with the alternatives it holds for. */
static void list(const struct rr_store *s, struct rr_doc *d, enum rr_note_kind kind, const char *title)
{
    bool headed = false;
    for (size_t i = 0; i < s->n_notes; i++) {
        if (s->note[i].kind != kind) continue;
        if (!headed) rr_doc_heading(d, 3, title);
        headed = true;
        item(d, "", &s->note[i]);
    }
    for (size_t a = 0; a < s->n_alternatives; a++)
        for (size_t i = 0; i < s->alternative[a].n_notes; i++) {
            const struct rr_note *note = &s->alternative[a].note[i];
            bool told = note->kind != kind;
            for (size_t k = 0; k < a && !told; k++) told = has(&s->alternative[k], note);
            for (size_t k = 0; k < s->n_notes && !told; k++) told = same(&s->note[k], note);
            if (told) continue;
            if (!headed) rr_doc_heading(d, 3, title);
            headed = true;
            item(d, whose(s, d->arena, note), note);
        }
}

static const struct rr_note *note_at(const struct rr_alternative *a, size_t i)
{
    return a->note[i].kind == RR_NOTE_GIVEN ? &a->note[i] : NULL;
}

/* Prices and other money inputs that are the scenario's own: each once, with the alternatives it holds for. */
static void given(const struct rr_store *s, struct rr_doc *d)
{
    struct rr_table *t = NULL;
    for (size_t a = 0; a < s->n_alternatives; a++)
        for (size_t i = 0; i < s->alternative[a].n_notes; i++) {
            const struct rr_note *note = note_at(&s->alternative[a], i);
            for (size_t k = 0; k < a && note; k++)
                if (has(&s->alternative[k], note)) note = NULL;
            if (!note) continue;
            if (!t) {
                rr_doc_heading(d, 3, "Given in the scenario");
                t = rr_doc_table(d, "Prices, rates and other money inputs of the scenario's own, in place of the catalogue's.");
                static const char *const title[] = {"Where", "Value", "Source", "In"};
                for (size_t k = 0; k < sizeof title / sizeof *title; k++) rr_table_column(t, title[k], k == 1);
            }
            const char *whom = whose(s, d->arena, note);
            rr_table_row(t);
            rr_table_cell(t, note->where);
            rr_table_cell(t, note->text);
            rr_table_cell(t, *note->source ? note->source : "none named");
            if (!*note->source) rr_table_mark(t, RR_MARK_MUTED);
            rr_table_cell(t, *whom ? rr_strndup(d->arena, whom, strlen(whom) - 2) : "all");
        }
}

static void fill(const struct rr_store *s, struct rr_doc *d)
{
    rr_doc_heading(d, 2, "What this rests on");
    rr_doc_heading(d, 3, "What varied");
    for (size_t i = 0; i < s->n_varied; i++) rr_doc_item(d, s->varied[i], "");
    if (s->n_varied == 0) rr_doc_para(d, "Nothing: one world was replayed, so there is no spread to show.");
    given(s, d);
    list(s, d, RR_NOTE_ASSUMED, "What was assumed");
    list(s, d, RR_NOTE_WARNING, "Warnings");
    list(s, d, RR_NOTE_DATA, "The data");
}

const struct rr_section rr_section_assumptions = {"assumptions", fill};
