/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/notes.h - what the user must be told beside the numbers: assumptions made, warnings, counts by reason. */
#ifndef RR_DATA_NOTES_H
#define RR_DATA_NOTES_H
#include "data/base/vec.h"

enum rr_note_kind {
    RR_NOTE_ASSUMED, /* a value that nobody gave: what it is, its source and date */
    RR_NOTE_WARNING, /* something that may change the answer */
    RR_NOTE_DATA,    /* a count about input data: "12 rows rejected: negative duration" */
    RR_NOTE_GIVEN,   /* a price, rate or other money input that the scenario gives, with the source that it names */
    RR_NOTE_KINDS,
};
struct rr_note {
    enum rr_note_kind kind;
    const char *where;  /* a JSON pointer, "PATH:LINE" or "" */
    const char *text;   /* one line, no trailing period */
    const char *source; /* "data/facts/instances.csv:12, 2026-05" or "" */
};
struct rr_notes {
    struct rr_arena *arena; /* texts are copied into it */
    RR_VEC(struct rr_note) list;
};
/* Adds once: the same kind, where and text again is ignored. The texts are copied. */
void rr_note(struct rr_notes *n, enum rr_note_kind kind, const char *where, const char *source, const char *fmt, ...) RR_PRINTF(5, 6);
void rr_notes_done(struct rr_notes *n);
#endif
