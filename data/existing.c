/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/existing.c - rows of what is there already. */
#include "data/existing.h"
#include "data/base/csv.h"
#include "data/base/vec.h"
#include <inttypes.h>
#include <string.h>

enum {
    C_KIND,
    C_NAME,
    C_DATE,
    C_COST,
    C_CURRENCY,
    C_LIFE,
    C_BOOK,
    C_KW,
    C_ENDS,
    C_RECURRING,
    C_SOURCE,
    C_INSTANCE,
    C_REGION,
    C_COUNT,
    COLUMNS
};
static const char *const names[] = {"kind",   "name",       "date",   "cost",  "currency",
                                    "life",   "book_value", "kw",     "ends",  "recurring_per_hour",
                                    "source", "instance",   "region", "count", NULL};

struct reader {
    struct rr_csv *csv;
    struct rr_arena *arena;
    int at[COLUMNS]; /* -1: the file has none */
    RR_VEC(struct rr_existing_row) row;
};

static enum rr_status read_header(struct reader *r)
{
    struct rr_csv_row head;
    RR_TRY(rr_csv_next(r->csv, &head));
    for (int c = 0; c < COLUMNS; c++) r->at[c] = rr_csv_find(&head, names[c]);
    for (size_t i = 0; i < head.n; i++) {
        const struct rr_slice s = rr_trim(head.cell[i]);
        const char *word = rr_strf(r->arena, "%.*s", (int)s.n, s.at);
        int c = 0;
        while (c < COLUMNS && strcmp(names[c], word) != 0) c++;
        if (c == COLUMNS)
            return rr_fail(RR_EINPUT, "%s:%" PRId64 ": unknown column \"%s\"%s", rr_csv_path(r->csv), head.line, word,
                           rr_did_you_mean(r->arena, word, names, COLUMNS));
    }
    for (int c = 0; c <= C_DATE; c++)
        if (r->at[c] < 0)
            return rr_fail(RR_EINPUT, "%s: the column \"%s\" is missing; kind, name, date and what goes with them are expected",
                           rr_csv_path(r->csv), names[c]);
    return RR_OK;
}

/* The cell's text; "" when there is none. */
static const char *cell(const struct reader *r, const struct rr_csv_row *row, int c)
{
    if (r->at[c] < 0 || (size_t)r->at[c] >= row->n) return "";
    const struct rr_slice s = rr_trim(row->cell[r->at[c]]);
    return rr_strf(r->arena, "%.*s", (int)s.n, s.at);
}

static struct rr_slice slice_of(const char *s) { return rr_slice(s, strlen(s)); }

static enum rr_status read_money(const struct reader *r, const struct rr_csv_row *row, int c, struct rr_amount *ret, bool *has)
{
    const char *text = cell(r, row, c), *currency = cell(r, row, C_CURRENCY);
    if (!*text) return RR_OK;
    if (!*currency) return rr_fail(RR_EINPUT, "\"%s\" has no currency: fill in the column \"currency\"", names[c]);
    RR_TRY(rr_unit_money(slice_of(rr_strf(r->arena, "%s %s", currency, text)), &ret->money, ret->currency));
    *has = true;
    return ret->money.micro >= 0 ? RR_OK : rr_fail(RR_EINPUT, "\"%s\" is negative", names[c]);
}

/* What a commitment covers. */
static enum rr_status read_cover(const struct reader *r, const struct rr_csv_row *row, struct rr_existing_row *e)
{
    const char *count = cell(r, row, C_COUNT);
    e->instance = cell(r, row, C_INSTANCE);
    e->region = cell(r, row, C_REGION);
    if ((*e->instance == '\0') != (*count == '\0')) return rr_fail(RR_EINPUT, "\"instance\" and \"count\" go together");
    if (*count == '\0') return RR_OK;
    if (!e->commitment) return rr_fail(RR_EINPUT, "instance and count are a commitment's; \"%s\" is a server", e->name);
    if (rr_text_i64(slice_of(count), &e->count) != RR_OK || e->count < 1 || e->count > 1000000)
        return rr_fail(RR_EINPUT, "count \"%.32s\" given; a number of nodes is expected, such as 2", count);
    return RR_OK;
}

static enum rr_status read_cells(const struct reader *r, const struct rr_csv_row *row, struct rr_existing_row *e)
{
    const char *kind = cell(r, row, C_KIND), *life = cell(r, row, C_LIFE), *kw = cell(r, row, C_KW), *ends = cell(r, row, C_ENDS),
               *recurring = cell(r, row, C_RECURRING), *currency = cell(r, row, C_CURRENCY);
    e->commitment = strcmp(kind, "commitment") == 0;
    if (!e->commitment && strcmp(kind, "server") != 0)
        return rr_fail(RR_EINPUT, "kind \"%.32s\" given; server or commitment is expected", kind);
    e->name = cell(r, row, C_NAME);
    RR_TRY(rr_date_parse(slice_of(cell(r, row, C_DATE)), &e->date_us));
    if (*ends) RR_TRY(rr_date_parse(slice_of(ends), &e->ends_us));
    if (*life) RR_TRY(rr_unit_duration(slice_of(life), &e->life));
    RR_TRY(read_money(r, row, C_COST, &e->cost, &e->has_cost));
    RR_TRY(read_money(r, row, C_BOOK, &e->book, &e->has_book));
    if (*kw && (rr_text_double(slice_of(kw), &e->kw) != RR_OK || !(e->kw >= 0 && e->kw <= 1e6)))
        return rr_fail(RR_EINPUT, "kw \"%.32s\" given; a power in kW is expected, such as 10.2", kw);
    if (*recurring && !*currency) return rr_fail(RR_EINPUT, "\"recurring_per_hour\" has no currency: fill in the column \"currency\"");
    if (*recurring)
        RR_TRY(rr_unit_rate(slice_of(rr_strf(r->arena, "%s %s/h", currency, recurring)), &e->recurring.rate, e->recurring.currency));
    if (e->recurring.rate.nano < 0) return rr_fail(RR_EINPUT, "\"recurring_per_hour\" is negative");
    return read_cover(r, row, e);
}

static enum rr_status check(const struct rr_existing_row *e)
{
    const bool life = e->life.months > 0 || e->life.us > 0;
    if (!*e->name) return rr_fail(RR_EINPUT, "a row without a name");
    if (e->commitment) {
        if (e->ends_us == 0) return rr_fail(RR_EINPUT, "the commitment \"%s\" has no end: fill in \"ends\"", e->name);
        if (e->ends_us <= e->date_us) return rr_fail(RR_EINPUT, "the commitment \"%s\" ends before it begins", e->name);
        if (life || e->has_book || e->kw > 0)
            return rr_fail(RR_EINPUT, "life, book_value and kw are a server's; \"%s\" is a commitment", e->name);
        return RR_OK;
    }
    if (e->ends_us != 0 || e->recurring.rate.nano > 0)
        return rr_fail(RR_EINPUT, "ends and recurring_per_hour are a commitment's; \"%s\" is a server", e->name);
    if (!e->has_cost && !e->has_book) return rr_fail(RR_EINPUT, "the server \"%s\" has no \"cost\" and no \"book_value\"", e->name);
    if (!life) return rr_fail(RR_EINPUT, "the server \"%s\" has no \"life\", such as 5 years", e->name);
    return RR_OK;
}

static enum rr_status read_rows(struct reader *r)
{
    struct rr_csv_row row;
    RR_TRY(read_header(r));
    for (;;) {
        struct rr_existing_row e = {0};
        RR_TRY(rr_csv_next(r->csv, &row));
        if (row.n == 0) return RR_OK;
        e.line = row.line;
        enum rr_status st = read_cells(r, &row, &e);
        if (st == RR_OK) st = check(&e);
        if (st != RR_OK) return rr_fail_in(st, "%s:%" PRId64, rr_csv_path(r->csv), row.line);
        rr_vec_push(&r->row, e);
    }
}

enum rr_status rr_existing_read(const char *path, struct rr_arena *a, struct rr_existing *ret)
{
    struct reader r = {.arena = a};
    RR_TRY(rr_csv_open(path, (struct rr_csv_options){0}, &r.csv));
    enum rr_status st = read_rows(&r);
    *ret = (struct rr_existing){.path = rr_strdup(a, path)};
    if (st == RR_OK) st = rr_csv_sha256(r.csv, ret->sha256);
    if (st == RR_OK) {
        struct rr_existing_row *kept = RR_NEWS(a, struct rr_existing_row, r.row.n);
        if (r.row.n > 0) memcpy(kept, r.row.at, r.row.n * sizeof *kept);
        ret->row = kept;
        ret->n = r.row.n;
    }
    rr_vec_done(&r.row);
    rr_csv_close(r.csv);
    return st;
}
