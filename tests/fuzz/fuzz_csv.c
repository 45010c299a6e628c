/* SPDX-License-Identifier: GPL-3.0-or-later
 * tests/fuzz/fuzz_csv.c - rows of any bytes: the same cells as a reader that goes byte by byte, or one line of reason.
 *
 * The first byte picks the options; with few bytes allowed in a row, the block's edge falls everywhere. */
#include "data/base/csv.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

struct slow {
    const char *s;
    size_t n, i;
    char separator;
};

/* The next cell into `b`; what ended it: separator, '\n' (also the end) or 0 for a malformed one. */
static char slow_cell(struct slow *w, struct rr_buf *b, bool *quoted)
{
    b->n = 0;
    *quoted = w->i < w->n && w->s[w->i] == '"';
    if (*quoted) {
        for (w->i++;; w->i++) {
            if (w->i >= w->n) return 0;
            if (w->s[w->i] == '"' && !(w->i + 1 < w->n && w->s[w->i + 1] == '"')) break;
            w->i += w->s[w->i] == '"';
            rr_buf_put(b, &w->s[w->i], 1);
        }
        w->i++;
        if (w->i + 1 < w->n && w->s[w->i] == '\r' && w->s[w->i + 1] == '\n') w->i++;
        if (w->i + 1 == w->n && w->s[w->i] == '\r') w->i++;
    } else {
        while (w->i < w->n && w->s[w->i] != w->separator && w->s[w->i] != '\n') rr_buf_put(b, &w->s[w->i++], 1);
    }
    if (w->i >= w->n) return '\n';
    const char end = w->s[w->i++];
    return end == w->separator || end == '\n' ? end : 0;
}

/* Reads one row the slow way and compares; false when the row is malformed. Blank rows are skipped. */
static bool same_row(struct slow *w, const struct rr_csv_row *row)
{
    struct rr_buf b = {0};
    for (;;) {
        size_t cells = 0;
        bool quoted = false, good = true, blank = true;
        char end = 0;
        const size_t from = w->i;
        if (w->i >= w->n) break;
        do {
            end = slow_cell(w, &b, &quoted);
            good &= end != 0;
            if (!good) break;
            if (end == '\n' && !quoted && b.n > 0 && b.at[b.n - 1] == '\r') b.n--;
            blank &= !quoted && rr_trim(rr_slice(rr_buf_text(&b), b.n)).n == 0;
            if (row && cells < row->n && !(cells == 0 && blank && end == '\n') &&
                !(row->cell[cells].n == b.n && memcmp(row->cell[cells].at, rr_buf_text(&b), b.n) == 0))
                abort();
            cells++;
        } while (end == w->separator);
        if (good && cells == 1 && blank) continue;
        if (good && row && row->n != cells) abort();
        if (!good) w->i = from;
        rr_buf_done(&b);
        return good;
    }
    rr_buf_done(&b);
    if (row && row->n > 0) abort();
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    if (n == 0) return 0;
    const uint8_t pick = *data++;
    n--;
    const struct rr_csv_options opt = {.separator = pick & 1 ? ';' : ',',
                                       .spaces = (pick & 6) == 6,
                                       .comment = pick & 8 ? ';' : 0,
                                       .most_row = pick & 16 ? 16 + (pick >> 5) : 0};
    char path[64];
    const int fd = memfd_create("rows", 0);
    if (fd < 0 || write(fd, data, n) != (ssize_t)n) abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    const bool packed = n >= 2 && ((data[0] == 0x1f && data[1] == 0x8b) || (data[0] == 0x28 && data[1] == 0xb5));
    const bool compare = !opt.spaces && !opt.comment && !packed;
    struct slow w = {
        .s = (const char *)data, .n = n, .i = n >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0 ? 3 : 0, .separator = opt.separator};
    struct rr_csv *c;
    if (rr_csv_open(path, opt, &c) == RR_OK) {
        struct rr_csv_row row = {.n = 1};
        int64_t line = 0;
        while (row.n > 0) {
            const enum rr_status st = rr_csv_next(c, &row);
            if (st != RR_OK) {
                if (strchr(rr_reason(), '\n') || strlen(rr_reason()) == 0) abort();
                if (compare && !opt.most_row && same_row(&w, NULL)) abort();
                break;
            }
            if (compare && !same_row(&w, &row)) abort();
            if (row.n > 0 && row.line <= line) abort();
            line = row.line;
        }
        rr_csv_close(c);
    }
    close(fd);
    return 0;
}
