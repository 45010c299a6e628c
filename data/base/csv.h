/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/base/csv.h - streaming CSV (RFC 4180 and what really comes): quotes, "" inside them, CRLF, BOM, embedded newlines, rows of any
 * length up to a stated limit, .gz and .zst. One scalar pass, no copy of unquoted cells. */
#ifndef RR_BASE_CSV_H
#define RR_BASE_CSV_H
#include "data/base/input.h"
#include "data/base/text.h"

struct rr_csv;
struct rr_csv_row {
    const struct rr_slice *cell; /* [n], borrowed until the next call */
    size_t n;
    int64_t line; /* 1-based line on which the row starts */
};
struct rr_csv_options {
    char separator;  /* 0 = ',' */
    bool spaces;     /* cells are separated by runs of blanks (SWF); no quotes then */
    char comment;    /* a line that starts with it is skipped; 0 = none */
    size_t most_row; /* bytes in one row, 0 = 64 MiB; longer: RR_EINPUT with file:line */
};
RR_CHECKED enum rr_status rr_csv_open(const char *path, struct rr_csv_options opt, struct rr_csv **ret);
void rr_csv_close(struct rr_csv *c); /* takes NULL */
/* The next row that is not blank; ret->n = 0 at the end. An unclosed quote or text after a closing quote is RR_EINPUT "PATH:LINE: ...". */
RR_CHECKED enum rr_status rr_csv_next(struct rr_csv *c, struct rr_csv_row *ret);
const char *rr_csv_path(const struct rr_csv *c);
RR_CHECKED enum rr_status rr_csv_sha256(struct rr_csv *c, char hex[65]);
/* The first row read as a header: index of `name` in it (trimmed, case as written), or -1. */
int rr_csv_find(const struct rr_csv_row *header, const char *name);
#endif
