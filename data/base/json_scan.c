/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/base/json_scan.c - strict JSON with comments, one pass, recursive to a fixed depth. */
#include "data/base/json_scan.h"
#include "data/base/text.h"
#include <stdio.h>
#include <string.h>

struct key {
    size_t at, n; /* in scan.keys */
    size_t offset;
};
struct frame { /* an open object or array */
    size_t first_key;
    size_t index; /* of the array's element now read; SIZE_MAX = an object */
};
struct scan {
    const char *name;
    char *s;
    size_t n, p; // p <= n, s[n] = 0
    uint32_t doc;
    struct rr_json_positions *pos;
    struct rr_buf keys;     // decoded keys of all open objects
    RR_VEC(struct key) key; // those of the innermost one last
    struct frame frame[RR_JSON_DEPTH];
    size_t depth;
    size_t seen;                // line and column were counted up to here
    uint32_t line, column;      // of `seen`
    size_t key_offset;          // of the member whose value comes next; SIZE_MAX = none
    uint32_t key_line, key_col; // of key_offset
};

// How far a byte moves the column: a CR and the further bytes of a character do not.
static uint32_t width(char ch) { return ch != '\r' && ((unsigned char)ch & 0xc0) != 0x80; }

// Forward only: offsets are noted in ascending order, so that a document on one line costs no more than another.
static void count_to(struct scan *c, size_t offset)
{
    for (; c->seen < offset; c->seen++) {
        const bool newline = c->s[c->seen] == '\n';
        c->line += newline;
        c->column = newline ? 1 : c->column + width(c->s[c->seen]);
    }
}

static void put_pointer(const struct scan *c, struct rr_buf *b)
{
    for (size_t d = 0; d < c->depth; d++) {
        const struct frame *f = &c->frame[d];
        if (f->index != SIZE_MAX) {
            rr_buf_putf(b, "/%zu", f->index);
            continue;
        }
        const size_t end = d + 1 < c->depth ? c->frame[d + 1].first_key : c->key.n;
        if (end == f->first_key) continue;
        const struct key *k = &c->key.at[end - 1];
        rr_buf_puts(b, "/");
        for (size_t i = 0; i < k->n && i < RR_JSON_KEY_SHOW; i++) {
            const char ch = c->keys.at[k->at + i];
            if (ch == '~' || ch == '/')
                rr_buf_puts(b, ch == '~' ? "~0" : "~1");
            else
                rr_buf_put(b, &ch, 1);
        }
        if (k->n > RR_JSON_KEY_SHOW) rr_buf_puts(b, "...");
    }
}

static void place_of(const struct scan *c, size_t offset, uint32_t *line, uint32_t *column)
{
    *line = *column = 1;
    for (size_t i = 0; i < offset; i++) {
        const bool newline = c->s[i] == '\n';
        *line += newline;
        *column = newline ? 1 : *column + width(c->s[i]);
    }
}

static enum rr_status fail_at(struct scan *c, size_t offset, const char *fmt, ...) RR_PRINTF(3, 4);
static enum rr_status fail_at(struct scan *c, size_t offset, const char *fmt, ...)
{
    char reason[400];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(reason, sizeof reason, fmt, ap);
    va_end(ap);
    uint32_t line, column;
    place_of(c, offset, &line, &column);
    struct rr_buf pointer = {0};
    put_pointer(c, &pointer);
    const char *shown = rr_buf_text(&pointer);
    if (strlen(shown) > 400) shown = ""; // deep or long: the position says it
    const enum rr_status st = rr_fail(RR_EINPUT, "%s:%u:%u: %s%s%s", c->name, line, column, shown, *shown ? ": " : "", reason);
    rr_buf_done(&pointer);
    return st;
}

// Length of the UTF-8 sequence at s[i], 0 when it is not one (RFC 3629: no overlong form, no surrogate, at most U+10FFFF).
static size_t utf8_length(const char *s, size_t n, size_t i)
{
    const unsigned char *u = (const unsigned char *)s + i;
    const size_t left = n - i;
    if (u[0] < 0x80) return 1;
    if (u[0] >= 0xc2 && u[0] <= 0xdf) return left > 1 && (u[1] & 0xc0) == 0x80 ? 2 : 0;
    if (u[0] >= 0xe0 && u[0] <= 0xef) {
        if (left < 3 || (u[1] & 0xc0) != 0x80 || (u[2] & 0xc0) != 0x80) return 0;
        if ((u[0] == 0xe0 && u[1] < 0xa0) || (u[0] == 0xed && u[1] > 0x9f)) return 0;
        return 3;
    }
    if (u[0] >= 0xf0 && u[0] <= 0xf4) {
        if (left < 4 || (u[1] & 0xc0) != 0x80 || (u[2] & 0xc0) != 0x80 || (u[3] & 0xc0) != 0x80) return 0;
        if ((u[0] == 0xf0 && u[1] < 0x90) || (u[0] == 0xf4 && u[1] > 0x8f)) return 0;
        return 4;
    }
    return 0;
}

static enum rr_status check_utf8(struct scan *c)
{
    for (size_t i = 0; i < c->n;) {
        const size_t len = utf8_length(c->s, c->n, i);
        if (!len) return fail_at(c, i, "byte 0x%02x is not UTF-8; save the file as UTF-8", (unsigned char)c->s[i]);
        i += len;
    }
    return RR_OK;
}

// The comment at p becomes blanks, line ends stay; CR for a byte that has no width, so that columns behind it stay right.
static void blank(struct scan *c, size_t end)
{
    for (; c->p < end; c->p++)
        if (c->s[c->p] != '\n') c->s[c->p] = width(c->s[c->p]) ? ' ' : '\r';
}

static enum rr_status blank_comment(struct scan *c)
{
    const char *from = c->s + c->p;
    const bool block = from[1] == '*';
    const char *end = block ? memmem(from + 2, c->n - c->p - 2, "*/", 2) : memchr(from, '\n', c->n - c->p);
    if (block && !end) return fail_at(c, c->p, "this comment is never closed; write */");
    blank(c, end ? (size_t)(end - c->s) + (block ? 2 : 0) : c->n);
    return RR_OK;
}

static enum rr_status skip_space(struct scan *c)
{
    for (;;) {
        const char ch = c->s[c->p];
        if (ch == ' ' || ch == '\t' || ch == '\n' || ch == '\r')
            c->p++;
        else if (ch == '/' && c->p + 1 < c->n && (c->s[c->p + 1] == '/' || c->s[c->p + 1] == '*'))
            RR_TRY(blank_comment(c));
        else
            return RR_OK;
    }
}

static int hex4(const char *s)
{
    int v = 0;
    for (int i = 0; i < 4; i++) {
        const char ch = s[i];
        const int d = ch >= '0' && ch <= '9'   ? ch - '0'
                      : ch >= 'a' && ch <= 'f' ? ch - 'a' + 10
                      : ch >= 'A' && ch <= 'F' ? ch - 'A' + 10
                                               : -1;
        if (d < 0) return -1;
        v = v * 16 + d;
    }
    return v;
}

static void put_utf8(struct rr_buf *b, unsigned cp)
{
    char u[4];
    size_t n = 1;
    if (cp < 0x80) {
        u[0] = (char)cp;
    } else if (cp < 0x800) {
        u[0] = (char)(0xc0 | cp >> 6);
        n = 2;
    } else if (cp < 0x10000) {
        u[0] = (char)(0xe0 | cp >> 12);
        n = 3;
    } else {
        u[0] = (char)(0xf0 | cp >> 18);
        n = 4;
    }
    for (size_t i = 1; i < n; i++) u[i] = (char)(0x80 | (cp >> 6 * (n - 1 - i) & 0x3f));
    rr_buf_put(b, u, n);
}

// \uXXXX at p (on the backslash), with its second half when it is a surrogate.
static enum rr_status scan_unicode(struct scan *c, struct rr_buf *out)
{
    const int hi = hex4(c->s + c->p + 2); // stops at the NUL behind the text
    if (hi < 0) return fail_at(c, c->p, "\\u takes four hexadecimal digits");
    if (hi == 0) return fail_at(c, c->p, "\\u0000 may not stand in a text");
    unsigned cp = (unsigned)hi;
    const size_t at = c->p;
    c->p += 6;
    if (hi >= 0xdc00 && hi <= 0xdfff) return fail_at(c, at, "\\u%04x is half a character without its first half", (unsigned)hi);
    if (hi >= 0xd800 && hi <= 0xdbff) {
        const int lo = c->s[c->p] == '\\' && c->s[c->p + 1] == 'u' ? hex4(c->s + c->p + 2) : -1;
        if (lo < 0xdc00 || lo > 0xdfff) return fail_at(c, at, "\\u%04x is half a character without its second half", (unsigned)hi);
        cp = 0x10000u + (((unsigned)hi & 0x3ffu) << 10) + ((unsigned)lo & 0x3ffu);
        c->p += 6;
    }
    if (out) put_utf8(out, cp);
    return RR_OK;
}

static enum rr_status scan_escape(struct scan *c, struct rr_buf *out)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    const char ch = c->s[c->p + 1];
    if (ch == 'u') return scan_unicode(c, out);
    const char *at = ch ? strchr(from, ch) : NULL;
    if (!at) return fail_at(c, c->p, "unknown escape in a text; a backslash is written \\\\");
    if (out) rr_buf_put(out, &to[at - from], 1);
    c->p += 2;
    return RR_OK;
}

// A string at p, on its first quote; decoded into `out` unless NULL.
static enum rr_status scan_string(struct scan *c, struct rr_buf *out)
{
    const size_t start = c->p++;
    for (;;) {
        const unsigned char ch = (unsigned char)c->s[c->p];
        if (ch == '"') break;
        if (ch == '\\') {
            RR_TRY(scan_escape(c, out));
            continue;
        }
        if (c->p >= c->n || ch == '\n') return fail_at(c, start, "this text is never closed; its last \" is missing");
        if (ch < 0x20 || ch == 0x7f) return fail_at(c, c->p, "control character 0x%02x in a text", ch);
        if (out) rr_buf_put(out, &c->s[c->p], 1);
        c->p++;
    }
    c->p++;
    return RR_OK;
}

static bool is_digit(char ch) { return ch >= '0' && ch <= '9'; }
static bool is_word(char ch) { return is_digit(ch) || (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || ch == '_' || (ch & 0x80); }

static enum rr_status scan_digits(struct scan *c, size_t start)
{
    if (!is_digit(c->s[c->p]))
        return fail_at(c, start, "not a number as JSON writes it: a digit must stand on both sides of the point and behind - and e");
    while (is_digit(c->s[c->p])) c->p++;
    return RR_OK;
}

static enum rr_status scan_number(struct scan *c)
{
    const size_t start = c->p;
    if (c->s[c->p] == '-') c->p++;
    if (c->s[c->p] == '0' && is_digit(c->s[c->p + 1])) return fail_at(c, start, "a number has no leading zeros");
    RR_TRY(scan_digits(c, start));
    if (c->s[c->p] == '.') {
        c->p++;
        RR_TRY(scan_digits(c, start));
    }
    if (c->s[c->p] == 'e' || c->s[c->p] == 'E') {
        c->p++;
        if (c->s[c->p] == '+' || c->s[c->p] == '-') c->p++;
        RR_TRY(scan_digits(c, start));
    }
    if (is_word(c->s[c->p])) return fail_at(c, start, "a quantity with its unit is written as text, in double quotes");
    if (c->s[c->p] == '.') return fail_at(c, start, "not a number: it has two points");
    if (c->p - start > RR_JSON_NUMBER) return fail_at(c, start, "a number of %zu characters; at most %d", c->p - start, RR_JSON_NUMBER);
    return RR_OK;
}

static enum rr_status scan_word(struct scan *c)
{
    static const char *const words[] = {"true", "false", "null"};
    const size_t start = c->p;
    size_t n = 0;
    while (is_word(c->s[start + n])) n++;
    for (size_t i = 0; i < 3; i++)
        if (strlen(words[i]) == n && memcmp(c->s + start, words[i], n) == 0) {
            c->p += n;
            return RR_OK;
        }
    const char ch = c->s[start];
    if (ch == '\'') return fail_at(c, start, "a text takes double quotes, not single ones");
    if (ch == '+' || ch == '.') return fail_at(c, start, "a number starts with a digit or -");
    if (ch == ',') return fail_at(c, start, "a value is missing before this comma");
    if (start >= c->n) return fail_at(c, start, "the document ends where a value was expected");
    if (n > 0 && n <= 60) return fail_at(c, start, "%.*s is no JSON value; a text takes double quotes", (int)n, c->s + start);
    return fail_at(c, start, "a value was expected: a number, \"text\", true, false, null, {...} or [...]");
}

static void note_value(struct scan *c)
{
    struct rr_json_pos pos = {.doc = c->doc};
    if (c->key_offset != SIZE_MAX) {
        pos.key_line = c->key_line;
        pos.key_column = c->key_col;
    }
    count_to(c, c->p);
    pos.line = c->line;
    pos.column = c->column;
    c->key_offset = SIZE_MAX;
    rr_vec_push(c->pos, pos);
}

static int by_text(const void *x, const void *y, void *ctx)
{
    const struct key *a = x, *b = y;
    const char *text = ((const struct rr_buf *)ctx)->at;
    const size_t least = a->n < b->n ? a->n : b->n;
    const int order = least ? memcmp(text + a->at, text + b->at, least) : 0;
    if (order) return order;
    if (a->n != b->n) return a->n < b->n ? -1 : 1;
    return a->offset < b->offset ? -1 : a->offset > b->offset;
}

static enum rr_status check_duplicates(struct scan *c, size_t first)
{
    const size_t n = c->key.n - first;
    if (n < 2) return RR_OK;
    struct key *k = c->key.at + first;
    qsort_r(k, n, sizeof *k, by_text, &c->keys);
    const struct key *again = NULL, *before = NULL;
    for (size_t i = 1; i < n; i++) {
        if (k[i].n != k[i - 1].n || (k[i].n && memcmp(c->keys.at + k[i].at, c->keys.at + k[i - 1].at, k[i].n) != 0)) continue;
        if (again && again->offset < k[i].offset) continue;
        again = &k[i];
        before = &k[i - 1];
    }
    if (!again) return RR_OK;
    uint32_t line, column;
    place_of(c, before->offset, &line, &column);
    struct key dup = *again;
    c->key.n = first; // the pointer in the message is then the object's: its last key is the one repeated
    rr_vec_push(&c->key, dup);
    return fail_at(c, dup.offset, "this key was already used at %u:%u; each key may stand once", line, column);
}

static enum rr_status scan_value(struct scan *c);

static enum rr_status scan_member(struct scan *c)
{
    if (c->s[c->p] != '"') return fail_at(c, c->p, "a key in double quotes was expected");
    count_to(c, c->p);
    struct key k = {c->keys.n, 0, c->p};
    c->key_line = c->line;
    c->key_col = c->column;
    const size_t offset = c->p;
    RR_TRY(scan_string(c, &c->keys));
    k.n = c->keys.n - k.at;
    rr_vec_push(&c->key, k);
    RR_TRY(skip_space(c));
    if (c->s[c->p] != ':') return fail_at(c, c->p, "a colon was expected behind the key");
    c->p++;
    RR_TRY(skip_space(c));
    c->key_offset = offset;
    return scan_value(c);
}

static enum rr_status scan_list(struct scan *c, char close)
{
    if (c->depth == RR_JSON_DEPTH) return fail_at(c, c->p, "more than %d levels of nesting", RR_JSON_DEPTH);
    const size_t open = c->p++, keys = c->keys.n;
    struct frame *f = &c->frame[c->depth++];
    *f = (struct frame){c->key.n, close == ']' ? 0 : SIZE_MAX};
    RR_TRY(skip_space(c));
    while (c->s[c->p] != close) {
        if (c->p >= c->n) return fail_at(c, open, "this %c is never closed", c->s[open]);
        RR_TRY(close == '}' ? scan_member(c) : scan_value(c));
        RR_TRY(skip_space(c));
        if (c->s[c->p] == close) break;
        if (c->p >= c->n) return fail_at(c, open, "this %c is never closed", c->s[open]);
        if (c->s[c->p] != ',')
            return fail_at(c, c->p, "a comma or %c was expected%s", close,
                           is_word(c->s[c->p]) ? "; a quantity with its unit takes double quotes" : "");
        const size_t comma = c->p++;
        RR_TRY(skip_space(c));
        if (c->s[c->p] == close) return fail_at(c, comma, "a comma before %c; remove it", close);
        if (close == ']') f->index++;
    }
    c->p++;
    if (close == '}') RR_TRY(check_duplicates(c, f->first_key));
    c->key.n = f->first_key;
    c->keys.n = keys;
    c->depth--;
    return RR_OK;
}

static enum rr_status scan_value(struct scan *c)
{
    note_value(c);
    const char ch = c->s[c->p];
    if (ch == '{') return scan_list(c, '}');
    if (ch == '[') return scan_list(c, ']');
    if (ch == '"') return scan_string(c, NULL);
    if (ch == '-' || is_digit(ch)) return scan_number(c);
    return scan_word(c);
}

static enum rr_status scan_document(struct scan *c)
{
    if (c->n > RR_JSON_MAX) return rr_fail(RR_EINPUT, "%s: %zu bytes of JSON; at most 16 MiB", c->name, c->n);
    RR_TRY(check_utf8(c));
    if (c->n >= 3 && memcmp(c->s, "\xef\xbb\xbf", 3) == 0) {
        memset(c->s, ' ', 3);
        c->p = c->seen = 3;
    }
    RR_TRY(skip_space(c));
    if (c->p >= c->n) return fail_at(c, 0, "empty; a JSON document was expected");
    RR_TRY(scan_value(c));
    RR_TRY(skip_space(c));
    if (c->s[c->p] == '}' || c->s[c->p] == ']') return fail_at(c, c->p, "this %c closes nothing", c->s[c->p]);
    if (c->p < c->n) return fail_at(c, c->p, "the document is over; nothing may follow it");
    return RR_OK;
}

enum rr_status rr_json_scan(const char *name, char *text, size_t n, uint32_t doc, struct rr_json_positions *pos)
{
    struct scan c = {.name = name, .s = text, .n = n, .doc = doc, .pos = pos, .line = 1, .column = 1, .key_offset = SIZE_MAX};
    const enum rr_status st = scan_document(&c);
    rr_buf_done(&c.keys);
    rr_vec_done(&c.key);
    return st;
}
