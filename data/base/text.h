/* SPDX-License-Identifier: MIT
 * data/base/text.h - slices, numbers and escapes, the same under every locale. */
#ifndef RR_BASE_TEXT_H
#define RR_BASE_TEXT_H
#include "data/base/arena.h"
#include <stdbool.h>
#include <stdint.h>

struct rr_slice {
    const char *at; /* borrowed, not NUL-terminated */
    size_t n;
};
static inline struct rr_slice rr_slice(const char *s, size_t n) { return (struct rr_slice){s, n}; }
bool rr_slice_is(struct rr_slice s, const char *word);        /* equal, byte for byte */
bool rr_slice_is_nocase(struct rr_slice s, const char *word); /* ASCII case ignored */
struct rr_slice rr_trim(struct rr_slice s);                   /* without spaces and tabs at both ends */

/* The whole slice is one number, or RR_EINPUT. No locale, no hex, no inf or nan; `1e300` is a legal double but not a legal
 * int64 (RR_EINPUT). A leading '+' is refused, leading zeros and "1e3" for an integer are taken if the value is whole. */
RR_CHECKED enum rr_status rr_text_i64(struct rr_slice s, int64_t *ret);
RR_CHECKED enum rr_status rr_text_double(struct rr_slice s, double *ret);
/* A decimal number times 10^digits as an exact integer, e.g. "2.385" with digits 6 -> 2385000. Exponents ("1e-3") are understood.
 * Digits past the scale are rounded half-even; RR_EINPUT when not a number, or out of int64 after scaling. */
RR_CHECKED enum rr_status rr_text_scaled(struct rr_slice s, int digits, int64_t *ret);
/* The number times `factor` as an integer, rounded half-even; *ret_exact (may be NULL) tells whether nothing was rounded off: "1.5" with
 * factor 3600 -> 5400. RR_EINPUT as above. Slower than rr_text_scaled: for scenarios, not for traces. */
RR_CHECKED enum rr_status rr_text_times(struct rr_slice s, uint64_t factor, int64_t *ret, bool *ret_exact);

/* Shortest decimal text that reads back as the same double ("0.1", "1e+300"); buf of RR_DOUBLE_MAX bytes; returns buf. */
#define RR_DOUBLE_MAX 32
char *rr_double_text(double v, char buf[RR_DOUBLE_MAX]);

/* The word of words[n] nearest to `word` (Damerau-Levenshtein, at most 1 edit in 3 letters), or NULL. */
const char *rr_nearest(const char *word, const char *const *words, size_t n);
/* ", did you mean \"X\"?" or "" (allocated in `a`). */
const char *rr_did_you_mean(struct rr_arena *a, const char *word, const char *const *words, size_t n);

/* A growing NUL-terminated text that owns its heap block; {0} is empty. `at` may be NULL while n == 0: use rr_buf_text(). */
struct rr_buf {
    char *at;
    size_t n, cap;
};
void rr_buf_done(struct rr_buf *b);
void rr_buf_put(struct rr_buf *b, const char *s, size_t n);
void rr_buf_puts(struct rr_buf *b, const char *s);
void rr_buf_putf(struct rr_buf *b, const char *fmt, ...) RR_PRINTF(2, 3);
const char *rr_buf_text(const struct rr_buf *b); /* never NULL */

/* Escapes; bad UTF-8 becomes U+FFFD, control characters a space (JSON: \u00XX). */
void rr_buf_html(struct rr_buf *b, const char *s);     /* text and attribute values: & < > " ' */
void rr_buf_json(struct rr_buf *b, const char *s);     /* with the quotes around it */
void rr_buf_csv(struct rr_buf *b, const char *s);      /* quoted when needed; a leading = + - @ tab CR gets a ' in front unless
                                                        * the whole text is a plain number */
void rr_buf_markdown(struct rr_buf *b, const char *s); /* in a table cell or paragraph: \ ` * _ | < > [ ] # escaped */
void rr_buf_gnuplot(struct rr_buf *b, const char *s);  /* inside a double-quoted gnuplot string of the SVG terminal, enhanced text off */
void rr_buf_double(struct rr_buf *b, double v);        /* rr_double_text; NaN and infinities are written null */

/* NAME reduced to [A-Za-z0-9._-], never empty, never "." or "..", for file names. */
char *rr_file_name(struct rr_arena *a, const char *name);
#endif
