/* SPDX-License-Identifier: MIT
 * data/base/escape.c - text from a trace or a scenario made harmless for the language that it is written into.
 *
 * One loop over UTF-8 characters; what differs is how one ASCII character is written. Bad UTF-8 becomes U+FFFD, so that no
 * output file is broken by its input, and no overlong form hides a quote. */
#include "data/base/text.h"
#include <string.h>

/* Length of the well-formed UTF-8 character at s (1..4), or 0: no overlong form, no surrogate, none above U+10FFFF. */
static size_t utf8_length(const unsigned char *s)
{
    if (s[0] < 0x80) return 1;
    const size_t n = s[0] >= 0xc2 && s[0] <= 0xdf ? 2 : (s[0] & 0xf0) == 0xe0 ? 3 : s[0] >= 0xf0 && s[0] <= 0xf4 ? 4 : 0;
    for (size_t i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80) return 0; // the closing NUL stops this as well
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f)) return 0;
    if ((s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f)) return 0;
    return n;
}

static bool control(char c) { return (unsigned char)c < 0x20 || c == 0x7f; }

/* `ascii` writes one ASCII character, control characters included. */
static void each(struct rr_buf *b, const char *s, void (*ascii)(struct rr_buf *, char))
{
    while (*s) {
        const size_t n = utf8_length((const unsigned char *)s);
        if (n == 0)
            rr_buf_puts(b, "\xef\xbf\xbd");
        else if (n == 1)
            ascii(b, *s);
        else
            rr_buf_put(b, s, n);
        s += n ? n : 1;
    }
}

static void plain_ascii(struct rr_buf *b, char c)
{
    if (control(c)) c = ' ';
    rr_buf_put(b, &c, 1);
}

static void html_ascii(struct rr_buf *b, char c)
{
    switch (c) {
    case '&': rr_buf_puts(b, "&amp;"); break;
    case '<': rr_buf_puts(b, "&lt;"); break;
    case '>': rr_buf_puts(b, "&gt;"); break;
    case '"': rr_buf_puts(b, "&quot;"); break;
    case '\'': rr_buf_puts(b, "&#39;"); break;
    default: plain_ascii(b, c);
    }
}

static void json_ascii(struct rr_buf *b, char c)
{
    if (c == '"' || c == '\\')
        rr_buf_putf(b, "\\%c", c);
    else if (control(c))
        rr_buf_putf(b, "\\u%04x", (unsigned)c);
    else
        rr_buf_put(b, &c, 1);
}

static void csv_ascii(struct rr_buf *b, char c)
{
    if (c == '"') rr_buf_puts(b, "\"");
    plain_ascii(b, c);
}

static void markdown_ascii(struct rr_buf *b, char c)
{
    if (c != '\0' && strchr("\\`*_|<>[]#", c)) rr_buf_puts(b, "\\");
    plain_ascii(b, c);
}

/* A backquote inside double quotes starts a shell command in gnuplot: it never gets there. */
static void gnuplot_ascii(struct rr_buf *b, char c)
{
    if (c == '"' || c == '\\') rr_buf_puts(b, "\\");
    plain_ascii(b, c == '`' ? '\'' : c);
}

void rr_buf_html(struct rr_buf *b, const char *s) { each(b, s, html_ascii); }
void rr_buf_markdown(struct rr_buf *b, const char *s) { each(b, s, markdown_ascii); }
void rr_buf_gnuplot(struct rr_buf *b, const char *s) { each(b, s, gnuplot_ascii); }

void rr_buf_json(struct rr_buf *b, const char *s)
{
    rr_buf_puts(b, "\"");
    each(b, s, json_ascii);
    rr_buf_puts(b, "\"");
}

void rr_buf_csv(struct rr_buf *b, const char *s)
{
    struct rr_buf cell = {0};
    double number;
    if (*s && strchr("=+-@\t\r", *s) && rr_text_double(rr_slice(s, strlen(s)), &number) != RR_OK) rr_buf_puts(&cell, "'");
    each(&cell, s, csv_ascii);
    const char *text = rr_buf_text(&cell);
    const bool quote = cell.n && (strpbrk(text, ",\";") || text[0] == ' ' || text[cell.n - 1] == ' ');
    if (quote) rr_buf_puts(b, "\"");
    rr_buf_put(b, text, cell.n);
    if (quote) rr_buf_puts(b, "\"");
    rr_buf_done(&cell);
}
