/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/notes.c - the list of notes. */
#include "data/notes.h"
#include <stdio.h>
#include <string.h>

void rr_note(struct rr_notes *n, enum rr_note_kind kind, const char *where, const char *source, const char *fmt, ...)
{
    char text[1024];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    for (size_t i = 0; i < n->list.n; i++) {
        const struct rr_note *o = &n->list.at[i];
        if (o->kind == kind && strcmp(o->where, where) == 0 && strcmp(o->text, text) == 0) return;
    }
    const struct rr_note note = {kind, rr_strdup(n->arena, where), rr_strdup(n->arena, text), rr_strdup(n->arena, source)};
    rr_vec_push(&n->list, note);
}

void rr_notes_done(struct rr_notes *n) { rr_vec_done(&n->list); }
