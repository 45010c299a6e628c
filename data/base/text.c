/* SPDX-License-Identifier: MIT
 * data/base/text.c - slices, the nearest word, growing texts, file names. (Numbers: number.c; escapes: escape.c.) */
#include "data/base/text.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LETTERS_MOST 64 // longer words get no suggestion

static int lower(char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : (unsigned char)c; }

bool rr_slice_is(struct rr_slice s, const char *word) { return strlen(word) == s.n && (s.n == 0 || memcmp(s.at, word, s.n) == 0); }

bool rr_slice_is_nocase(struct rr_slice s, const char *word)
{
    size_t i = 0;
    while (i < s.n && word[i] && lower(s.at[i]) == lower(word[i])) i++;
    return i == s.n && !word[i];
}

static bool blank(char c) { return c == ' ' || c == '\t'; }

struct rr_slice rr_trim(struct rr_slice s)
{
    while (s.n && blank(s.at[0])) s.at++, s.n--;
    while (s.n && blank(s.at[s.n - 1])) s.n--;
    return s;
}

static size_t least3(size_t a, size_t b, size_t c)
{
    const size_t m = a < b ? a : b;
    return m < c ? m : c;
}

/* Optimal string alignment distance, case ignored: insert, delete, replace, swap two neighbours. Both at most LETTERS_MOST long. */
static size_t edits(const char *a, size_t na, const char *b, size_t nb)
{
    size_t row[3][LETTERS_MOST + 1];
    for (size_t j = 0; j <= nb; j++) row[0][j] = j;
    for (size_t i = 1; i <= na; i++) {
        size_t *now = row[i % 3];
        const size_t *before = row[(i + 2) % 3], *before2 = row[(i + 1) % 3];
        now[0] = i;
        for (size_t j = 1; j <= nb; j++) {
            const size_t replace = before[j - 1] + (lower(a[i - 1]) != lower(b[j - 1]));
            now[j] = least3(before[j] + 1, now[j - 1] + 1, replace);
            const bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]);
            if (swapped && before2[j - 2] + 1 < now[j]) now[j] = before2[j - 2] + 1;
        }
    }
    return row[na % 3][nb];
}

const char *rr_nearest(const char *word, const char *const *words, size_t n)
{
    const size_t len = strlen(word);
    const char *best = NULL;
    size_t least = SIZE_MAX;
    if (len > LETTERS_MOST) return NULL;
    for (size_t i = 0; i < n; i++) {
        const size_t other = strlen(words[i]);
        if (other > LETTERS_MOST) continue;
        const size_t e = edits(word, len, words[i], other);
        if (e <= (len > other ? len : other) / 3 && e < least) {
            least = e;
            best = words[i];
        }
    }
    return best;
}

const char *rr_did_you_mean(struct rr_arena *a, const char *word, const char *const *words, size_t n)
{
    const char *best = rr_nearest(word, words, n);
    return best ? rr_strf(a, ", did you mean \"%s\"?", best) : "";
}

void rr_buf_done(struct rr_buf *b)
{
    free(b->at);
    *b = (struct rr_buf){0};
}

static void make_room(struct rr_buf *b, size_t more)
{
    if (b->cap - b->n > more) return; // one byte is for the NUL
    size_t cap = b->cap ? b->cap : 64;
    while (cap - b->n <= more) cap = cap > SIZE_MAX / 4 ? SIZE_MAX / 2 : cap * 2; // rr_xrealloc refuses what is too large
    b->at = rr_xrealloc(b->at, cap, 1);
    b->cap = cap;
}

void rr_buf_put(struct rr_buf *b, const char *s, size_t n)
{
    make_room(b, n);
    if (n) memcpy(b->at + b->n, s, n);
    b->n += n;
    b->at[b->n] = '\0';
}

void rr_buf_puts(struct rr_buf *b, const char *s) { rr_buf_put(b, s, strlen(s)); }

void rr_buf_putf(struct rr_buf *b, const char *fmt, ...)
{
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    const int n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    if (n > 0) {
        make_room(b, (size_t)n);
        vsnprintf(b->at + b->n, (size_t)n + 1, fmt, again);
        b->n += (size_t)n;
    }
    va_end(again);
}

const char *rr_buf_text(const struct rr_buf *b) { return b->at ? b->at : ""; }

static bool plain_in_file_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
}

char *rr_file_name(struct rr_arena *a, const char *name)
{
    size_t n = strlen(name);
    if (n > 200) n = 200; // file systems stop at 255, suffixes are added
    if (n == 0) return rr_strdup(a, "unnamed");
    char *s = rr_strndup(a, name, n);
    for (size_t i = 0; i < n; i++)
        if (!plain_in_file_name(s[i])) s[i] = '_';
    if (s[0] == '-' || s[0] == '.') s[0] = '_'; // no option, no hidden file, no "." or ".."
    return s;
}
