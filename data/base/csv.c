/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/base/csv.c - one pass over the bytes: a bit mask of the stops in 64 bytes, then from stop to stop.
 *
 * A stop is a separator, a newline or a quote. Finding them 64 at a time and walking the bits costs one hard-to-predict branch a row
 * instead of one a cell (the idea of simdjson, Langdale and Lemire, VLDB J. 28 (2019), section 3.1, without its carry-less product:
 * quotes are rare in traces and are walked one by one). A newline stands behind the last byte as a sentinel, so that the walk needs
 * no bound. A row that crosses the end of the block is moved to the front and read again; quotes are therefore undone only
 * once the whole row is there. */
#include "data/base/csv.h"
#include "data/base/vec.h"
#include <assert.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define BLOCK    ((size_t)512 << 10)
#define SLACK    128 /* behind the data: the sentinel and what a mask may look at */
#define MOST_ROW ((size_t)64 << 20)

struct cursor {
    const char *base; // of the 64 bytes that `mask` tells about
    uint64_t mask;    // stops not walked yet
};

struct rr_csv {
    struct rr_input *in;
    struct rr_csv_options opt;
    char *path;
    char *buf; // [cap + SLACK]
    size_t cap, at, end;
    size_t row_at; // where the last row began
    bool input_end;
    bool any_doubled; // a cell of this row holds "" for a quote
    int64_t line;     // of `at`
    struct cursor cur;
    RR_VEC(struct rr_slice) cell;
};

/* Bit i: p[i] is a, b or c. */
#ifdef __SSE2__
static inline uint64_t find_stops(const char *p, char a, char b, char c)
{
    const __m128i va = _mm_set1_epi8(a), vb = _mm_set1_epi8(b), vc = _mm_set1_epi8(c);
    uint64_t mask = 0;
    for (int k = 0; k < 4; k++) {
        const __m128i x = _mm_loadu_si128((const __m128i *)(const void *)(p + 16 * k));
        const __m128i hit = _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(x, va), _mm_cmpeq_epi8(x, vb)), _mm_cmpeq_epi8(x, vc));
        mask |= (uint64_t)(uint32_t)_mm_movemask_epi8(hit) << (16 * k);
    }
    return mask;
}
#else
static inline uint64_t find_stops(const char *p, char a, char b, char c)
{
    uint64_t mask = 0;
    for (unsigned i = 0; i < 64; i++) mask |= (uint64_t)(p[i] == a || p[i] == b || p[i] == c) << i;
    return mask;
}
#endif

static void look_from(struct rr_csv *c, size_t at)
{
    c->cur.base = c->buf + at;
    c->cur.mask = find_stops(c->cur.base, c->opt.separator, '\n', '"');
}

static inline const char *next_stop(struct cursor *cur, char separator)
{
    while (cur->mask == 0) {
        cur->base += 64;
        cur->mask = find_stops(cur->base, separator, '\n', '"');
    }
    const char *p = cur->base + __builtin_ctzll(cur->mask);
    cur->mask &= cur->mask - 1;
    return p;
}

/* Moves the row under way to the front and reads more behind it. */
static enum rr_status more(struct rr_csv *c)
{
    if (c->at > 0) {
        memmove(c->buf, c->buf + c->at, c->end - c->at);
        c->end -= c->at;
        c->at = 0;
    } else if (c->end == c->cap) {
        if (c->cap >= c->opt.most_row)
            return rr_fail(RR_EINPUT, "%s:%lld: a row is longer than %zu bytes: is a quote left open?", c->path, (long long)c->line,
                           c->opt.most_row);
        c->cap = c->cap * 2 < c->opt.most_row ? c->cap * 2 : c->opt.most_row;
        c->buf = rr_xrealloc(c->buf, c->cap + SLACK, 1);
    }
    // To the brim, even where a pipe gives little at a time: a long row is read again after each call, so calls must get rarer.
    while (c->end < c->cap && !c->input_end) {
        size_t got = 0;
        RR_TRY(rr_input_read(c->in, c->buf + c->end, c->cap - c->end, &got));
        c->input_end = got == 0;
        c->end += got;
    }
    memset(c->buf + c->end, 0, SLACK);
    c->buf[c->end] = '\n';
    look_from(c, 0);
    return RR_OK;
}

static enum rr_status skip_mark(struct rr_csv *c)
{
    while (c->end < 3 && !c->input_end) RR_TRY(more(c));
    if (memcmp(c->buf, "\xff\xfe", 2) == 0 || memcmp(c->buf, "\xfe\xff", 2) == 0)
        return rr_fail(RR_EINPUT, "%s:1: the file is UTF-16; save it as UTF-8", c->path);
    if (memcmp(c->buf, "\xef\xbb\xbf", 3) == 0) c->at = 3;
    look_from(c, c->at);
    return RR_OK;
}

enum rr_status rr_csv_open(const char *path, struct rr_csv_options opt, struct rr_csv **ret)
{
    struct rr_input *in;
    RR_TRY(rr_input_open(path, &in));
    if (!opt.separator) opt.separator = opt.spaces ? ' ' : ',';
    if (!opt.most_row) opt.most_row = MOST_ROW;
    const size_t cap = opt.most_row < BLOCK ? opt.most_row : BLOCK;
    struct rr_csv *c = rr_xrealloc(NULL, 1, sizeof *c);
    *c = (struct rr_csv){.in = in, .opt = opt, .cap = cap, .line = 1};
    const char *shown = strcmp(path, "-") == 0 ? "stdin" : path;
    c->path = memcpy(rr_xrealloc(NULL, strlen(shown) + 1, 1), shown, strlen(shown) + 1);
    c->buf = rr_xrealloc(NULL, cap + SLACK, 1);
    memset(c->buf, 0, SLACK);
    const enum rr_status st = skip_mark(c);
    if (st != RR_OK)
        rr_csv_close(c);
    else
        *ret = c;
    return st;
}

void rr_csv_close(struct rr_csv *c)
{
    if (!c) return;
    rr_input_close(c->in);
    rr_vec_done(&c->cell);
    free(c->buf);
    free(c->path);
    free(c);
}

const char *rr_csv_path(const struct rr_csv *c) { return c->path; }

enum rr_status rr_csv_sha256(struct rr_csv *c, char hex[65]) { return rr_input_sha256(c->in, hex); }

/* How reading one row may end. */
enum outcome { WHOLE, NEEDS_MORE, OPEN_QUOTE, AFTER_QUOTE };

/* From an opening quote to the stop behind the cell. A quote inside is doubled; whatever else comes behind the closing one is
 * told as AFTER_QUOTE. The cell is noted as it stands, doubled quotes and all, with a mark in any_doubled. */
static enum outcome quoted_cell(struct rr_csv *c, const char *open, struct rr_slice *cell, const char **stop, int64_t *lines)
{
    const char *const end = c->buf + c->end;
    const char *p = next_stop(&c->cur, c->opt.separator); // the opening quote itself
    assert(p == open);
    for (;;) {
        p = next_stop(&c->cur, c->opt.separator);
        if (p >= end) return c->input_end ? OPEN_QUOTE : NEEDS_MORE;
        *lines += *p == '\n';
        if (*p != '"') continue;
        if (p[1] != '"' || p + 1 >= end) break;
        next_stop(&c->cur, c->opt.separator); // its twin
        c->any_doubled = true;
    }
    *cell = rr_slice(open + 1, (size_t)(p - open - 1));
    const char *const close = p;
    p = next_stop(&c->cur, c->opt.separator);
    if (p >= end && !c->input_end) return NEEDS_MORE;
    *stop = p;
    return p == close + 1 || (p == close + 2 && close[1] == '\r' && *p == '\n') ? WHOLE : AFTER_QUOTE;
}

/* What a row's loop needs at hand is in locals: through `c` each store of a cell might change it. */
static enum outcome split_row(struct rr_csv *c, const char **row_end, int64_t *lines)
{
    const char *cell = c->buf + c->at;
    const char *const end = c->buf + c->end;
    const char separator = c->opt.separator;
    struct cursor cur = c->cur;
    struct rr_slice *out = c->cell.at;
    size_t n = 0, cap = c->cell.cap;
    const char *stop;
    for (;; cell = stop + 1) {
        if (n == cap) {
            rr_vec_reserve(&c->cell, n + 1);
            out = c->cell.at;
            cap = c->cell.cap;
        }
        if (*cell == '"' && cell < end) {
            c->cur = cur;
            const enum outcome o = quoted_cell(c, cell, &out[n], &stop, lines);
            if (o != WHOLE) return o;
            cur = c->cur;
        } else {
            do stop = next_stop(&cur, separator);
            while (*stop == '"'); // inside an unquoted cell it is a letter like others
            out[n] = rr_slice(cell, (size_t)(stop - cell));
        }
        n++;
        if (*stop == '\n') break;
    }
    if (stop == end && !c->input_end) return NEEDS_MORE;
    struct rr_slice *last = &out[n - 1];
    if (last->at + last->n == stop && last->n > 0 && stop[-1] == '\r') last->n--;
    *row_end = stop;
    (*lines)++;
    c->cur = cur;
    c->cell.n = n;
    return WHOLE;
}

/* SWF and its like: runs of blanks between cells, none at either end, no quotes. */
static enum outcome split_blanks(struct rr_csv *c, const char **row_end, int64_t *lines)
{
    const char *const begin = c->buf + c->at;
    const char *const nl = memchr(begin, '\n', c->end - c->at + 1); // at the latest the sentinel
    if (nl == c->buf + c->end && !c->input_end) return NEEDS_MORE;
    c->cell.n = 0;
    for (const char *p = begin; p < nl;) {
        while (p < nl && (*p == ' ' || *p == '\t' || *p == '\r')) p++;
        const char *const cell = p;
        while (p < nl && !(*p == ' ' || *p == '\t' || *p == '\r')) p++;
        if (p > cell) rr_vec_push(&c->cell, rr_slice(cell, (size_t)(p - cell)));
    }
    *row_end = nl;
    (*lines)++;
    return WHOLE;
}

static void undouble_quotes(struct rr_csv *c)
{
    const char *const row = c->buf + c->row_at;
    for (size_t i = 0; i < c->cell.n; i++) {
        struct rr_slice *s = &c->cell.at[i];
        if (s->at == row || s->at[-1] != '"') continue; // an unquoted cell
        char *const to = c->buf + (s->at - c->buf);
        size_t n = 0;
        for (size_t k = 0; k < s->n; k++) {
            to[n++] = s->at[k];
            k += s->at[k] == '"';
        }
        s->n = n;
    }
}

/* A line that starts with the comment sign: -1 not known yet (more bytes needed), else how many bytes with its newline, 0 none. */
static ptrdiff_t comment_bytes(const struct rr_csv *c)
{
    if (!c->opt.comment || c->buf[c->at] != c->opt.comment || c->at == c->end) return 0;
    const char *const nl = memchr(c->buf + c->at, '\n', c->end - c->at + 1);
    if (nl == c->buf + c->end && !c->input_end) return -1;
    return nl + 1 - (c->buf + c->at);
}

static bool is_blank(const struct rr_csv *c)
{
    if (c->cell.n > 1) return false;
    return c->cell.n == 0 || (c->buf[c->row_at] != '"' && rr_trim(c->cell.at[0]).n == 0);
}

static enum rr_status one_row(struct rr_csv *c, int64_t *lines)
{
    for (;;) {
        const char *row_end = NULL;
        *lines = 0;
        c->any_doubled = false;
        switch (c->opt.spaces ? split_blanks(c, &row_end, lines) : split_row(c, &row_end, lines)) {
        case WHOLE:
            c->row_at = c->at;
            if (c->any_doubled) undouble_quotes(c);
            c->at = (size_t)(row_end - c->buf) + 1;
            return RR_OK;
        case NEEDS_MORE: RR_TRY(more(c)); break;
        case OPEN_QUOTE: return rr_fail(RR_EINPUT, "%s:%lld: a quote is never closed", c->path, (long long)c->line);
        case AFTER_QUOTE:
            return rr_fail(RR_EINPUT, "%s:%lld: text behind a closing quote; a quote inside a quoted cell is written twice", c->path,
                           (long long)c->line + *lines);
        }
    }
}

enum rr_status rr_csv_next(struct rr_csv *c, struct rr_csv_row *ret)
{
    for (;;) {
        if (c->at >= c->end) {
            c->at = c->end; // a last line without its newline ended on the sentinel
            if (!c->input_end) RR_TRY(more(c));
            if (c->at >= c->end && c->input_end) break;
            continue;
        }
        const ptrdiff_t comment = comment_bytes(c);
        if (comment < 0) {
            RR_TRY(more(c));
            continue;
        }
        if (comment > 0) {
            c->at += (size_t)comment;
            c->line++;
            if (c->at < c->end) look_from(c, c->at);
            continue;
        }
        int64_t lines;
        RR_TRY(one_row(c, &lines));
        const int64_t line = c->line;
        c->line += lines;
        if (is_blank(c)) continue;
        *ret = (struct rr_csv_row){.cell = c->cell.at, .n = c->cell.n, .line = line};
        return RR_OK;
    }
    *ret = (struct rr_csv_row){.line = c->line};
    return RR_OK;
}

int rr_csv_find(const struct rr_csv_row *header, const char *name)
{
    for (size_t i = 0; i < header->n; i++)
        if (rr_slice_is(rr_trim(header->cell[i]), name)) return (int)i;
    return -1;
}
