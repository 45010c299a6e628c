/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/import/prices_csv.c - price books in our own columns, and plain lists whose columns are named by --column OURS=THEIRS.
 *
 * With neither --set nor --column the columns must be ours, none unknown. Otherwise what the options do not name is looked for under our own
 * name, and other columns are left alone. */
#include "data/base/csv.h"
#include "data/price_import.h"
#include <string.h>

enum {
    PROVIDER,
    PRODUCT,
    INSTANCE,
    GPU,
    GPU_COUNT,
    UNIT,
    REGION,
    ZONE,
    PLAN,
    TERM,
    PAYMENT,
    CURRENCY,
    PRICE,
    UPFRONT,
    VALID_FROM,
    SOURCE,
    NOTE,
    COLUMNS
};
static const char *const ours[COLUMNS + 1] = {"provider", "product", "instance",   "gpu",    "gpu_count", "unit",
                                              "region",   "zone",    "plan",       "term",   "payment",   "currency",
                                              "price",    "upfront", "valid_from", "source", "note",      NULL};
static const bool needed[COLUMNS] = {
    [PROVIDER] = true, [UNIT] = true, [CURRENCY] = true, [PRICE] = true, [VALID_FROM] = true, [SOURCE] = true};

static int csv_sniff(const char *head, size_t n)
{
    const char *end = memchr(head, '\n', n);
    const struct rr_slice line = {head, end ? (size_t)(end - head) : n};
    bool price = false, currency = false, unit = false;
    for (size_t i = 0, from = 0; i <= line.n; i++) {
        if (i < line.n && line.at[i] != ',' && line.at[i] != '\r') continue;
        const struct rr_slice cell = rr_trim(rr_slice(line.at + from, i - from));
        price |= rr_slice_is(cell, "price");
        currency |= rr_slice_is(cell, "currency");
        unit |= rr_slice_is(cell, "unit");
        from = i + 1;
    }
    return price && currency && unit ? 90 : 0;
}

struct table {
    struct rr_price_import *in;
    int at[COLUMNS]; /* -1: not there */
    const char *fixed[COLUMNS];
    bool mapped;
    const struct rr_csv_row *row;
    const char *empty;
    struct last { /* dates, terms and units repeat: the last one read of each */
        const char *text;
        int64_t value;
    } date, unit;
    struct seen { /* the last text of a column: most repeat the row before */
        const char *text;
        size_t n;
    } seen[COLUMNS];
};

static int column_of(const char *key)
{
    for (int i = 0; i < COLUMNS; i++)
        if (strcmp(ours[i], key) == 0) return i;
    return -1;
}

static enum rr_status name_columns(struct table *t, const struct rr_csv_row *head, const char *theirs[COLUMNS])
{
    const struct rr_price_options *o = t->in->opt;
    for (int i = 0; i < COLUMNS; i++) theirs[i] = ours[i];
    for (size_t i = 0; o && i < o->n_columns; i++) {
        const int k = column_of(o->column[i].key);
        if (k < 0)
            return rr_fail(RR_EUSAGE, "--column %s: we have no such column%s", o->column[i].key,
                           rr_did_you_mean(t->in->arena, o->column[i].key, ours, COLUMNS));
        theirs[k] = o->column[i].value;
        if (rr_csv_find(head, theirs[k]) < 0) return rr_price_fail(t->in, head->line, "there is no column \"%s\"", theirs[k]);
    }
    for (int i = 0; i < COLUMNS; i++) t->fixed[i] = rr_price_set(t->in, ours[i], NULL);
    t->mapped = o && (o->n_columns > 0 || o->n_set > 0);
    return RR_OK;
}

static enum rr_status find_columns(struct table *t, const struct rr_csv_row *head)
{
    const char *theirs[COLUMNS];
    RR_TRY(name_columns(t, head, theirs));
    for (int i = 0; i < COLUMNS; i++) {
        t->at[i] = t->fixed[i] ? -1 : rr_csv_find(head, theirs[i]);
        if (needed[i] && t->at[i] < 0 && !t->fixed[i])
            return rr_price_fail(t->in, head->line, "column \"%s\" is missing%s", ours[i],
                                 t->mapped ? rr_strf(t->in->arena, "; --column %s=THEIRS or --set %s=VALUE", ours[i], ours[i]) : "");
    }
    for (size_t k = 0; k < head->n && !t->mapped; k++) {
        bool used = false;
        for (int i = 0; i < COLUMNS && !used; i++) used = t->at[i] == (int)k;
        const char *cell = rr_strndup(t->in->arena, head->cell[k].at, head->cell[k].n);
        if (!used)
            return rr_price_fail(t->in, head->line, "column \"%.60s\" is not known or stands there twice%s", cell,
                                 rr_did_you_mean(t->in->arena, cell, ours, COLUMNS));
    }
    return RR_OK;
}

static struct rr_slice cell(const struct table *t, int column)
{
    const char *fixed = t->fixed[column];
    if (fixed) return rr_slice(fixed, strlen(fixed));
    const int i = t->at[column];
    return i >= 0 && (size_t)i < t->row->n ? rr_trim(t->row->cell[i]) : rr_slice("", 0);
}

static const char *text(struct table *t, int column)
{
    const struct rr_slice s = cell(t, column);
    struct seen *seen = &t->seen[column];
    if (s.n == 0) return t->empty;
    if (s.n == seen->n && memcmp(s.at, seen->text, s.n) == 0) return seen->text;
    const char *kept = rr_price_text(t->in, s);
    *seen = (struct seen){kept, strlen(kept) == s.n ? s.n : 0}; // a NUL cuts a text short
    return kept;
}

/* "1 year", "12 months" and "1 years" are one term. */
static enum rr_status read_term(struct table *t, struct rr_book_row *r)
{
    const struct rr_slice s = cell(t, TERM);
    struct rr_duration d;
    r->term = t->empty;
    if (s.n == 0) return RR_OK;
    if (rr_unit_duration(s, &d) != RR_OK || d.months < 0 || d.us < 0 || (d.months > 0) == (d.us > 0))
        return rr_price_fail(t->in, r->line, "term \"%.*s\" is no span such as \"1 year\", \"1 month\" or \"14 days\"", (int)s.n, s.at);
    struct rr_buf b = {0};
    if (d.months > 0 && d.months % 12 == 0)
        rr_buf_putf(&b, "%lld year%s", (long long)(d.months / 12), d.months == 12 ? "" : "s");
    else if (d.months > 0)
        rr_buf_putf(&b, "%lld month%s", (long long)d.months, d.months == 1 ? "" : "s");
    else
        rr_buf_duration(&b, d);
    r->term = rr_price_word(t->in, rr_buf_text(&b));
    rr_buf_done(&b);
    return RR_OK;
}

static enum rr_status read_unit(struct table *t, struct rr_book_row *r)
{
    const char *word = text(t, UNIT);
    if (word == t->unit.text) {
        r->unit = (enum rr_book_unit)t->unit.value;
        return RR_OK;
    }
    for (int i = 0; i < RR_BOOK_UNITS; i++)
        if (strcmp(rr_book_units[i], word) == 0) {
            r->unit = (enum rr_book_unit)i;
            t->unit = (struct last){word, i};
            return RR_OK;
        }
    return rr_price_fail(t->in, r->line, "unit \"%.60s\" is not known%s", word,
                         *rr_did_you_mean(t->in->arena, word, rr_book_units, RR_BOOK_UNITS)
                             ? rr_did_you_mean(t->in->arena, word, rr_book_units, RR_BOOK_UNITS)
                             : "; instance-hour, GPU-hour, GPU-second, request, million-tokens, GB-month or GB is expected");
}

static enum rr_status read_date(struct table *t, struct rr_book_row *r)
{
    const char *word = text(t, VALID_FROM);
    if (word != t->date.text) {
        int64_t us;
        if (!*word) return rr_price_fail(t->in, r->line, "valid_from is empty: of which day is the price?");
        if (rr_price_when(rr_slice(word, strlen(word)), &us) != RR_OK) return rr_price_fail(t->in, r->line, "%s", rr_reason());
        t->date = (struct last){word, us};
    }
    r->valid_us = t->date.value;
    return RR_OK;
}

static enum rr_status read_gpus(struct table *t, struct rr_book_row *r)
{
    const struct rr_slice s = cell(t, GPU_COUNT);
    int64_t milli = 0;
    if (s.n > 0 && (rr_text_scaled(s, 3, &milli) != RR_OK || milli < 0 || milli > INT32_MAX))
        return rr_price_fail(t->in, r->line, "gpu_count \"%.*s\" is no number such as 8", (int)(s.n < 60 ? s.n : 60), s.at);
    r->gpus_milli = (int32_t)milli;
    return RR_OK;
}

static enum rr_status read_price(struct table *t, struct rr_book_row *r)
{
    const struct rr_slice up = cell(t, UPFRONT), currency = cell(t, CURRENCY), price = cell(t, PRICE);
    RR_TRY(rr_price_nano(t->in, r->line, price, true, &r->nano));
    if (currency.n != 3)
        return rr_price_fail(t->in, r->line, "\"%.*s\" is no currency code such as USD", (int)(currency.n < 20 ? currency.n : 20),
                             currency.at);
    memcpy(r->currency, currency.at, 3);
    if (up.n == 0) return RR_OK;
    if (rr_text_scaled(up, 6, &r->upfront.micro) != RR_OK || r->upfront.micro <= 0)
        return rr_price_fail(t->in, r->line, "upfront \"%.*s\" is no amount such as 1200", (int)(up.n < 60 ? up.n : 60), up.at);
    return RR_OK;
}

/* A region called any or all is every region. */
static const char *place(struct table *t, int column)
{
    const struct rr_slice s = cell(t, column);
    return rr_slice_is(s, "any") || rr_slice_is(s, "all") ? t->empty : text(t, column);
}

static enum rr_status read_row(struct table *t)
{
    struct rr_book_row r = {.line = (int32_t)(t->row->line < INT32_MAX ? t->row->line : INT32_MAX)};
    r.provider = text(t, PROVIDER);
    if (!*r.provider) return rr_price_fail(t->in, r.line, "provider is empty");
    r.product = text(t, PRODUCT);
    r.instance = rr_price_id(t->in, r.provider, cell(t, INSTANCE));
    r.gpu = text(t, GPU);
    r.region = place(t, REGION);
    r.zone = place(t, ZONE);
    r.plan = text(t, PLAN);
    if (!*r.plan) r.plan = rr_price_word(t->in, "on_demand");
    r.payment = text(t, PAYMENT);
    r.source = text(t, SOURCE);
    r.note = text(t, NOTE);
    if (!*r.source) return rr_price_fail(t->in, r.line, "the row has no source");
    RR_TRY(read_term(t, &r));
    RR_TRY(read_unit(t, &r));
    RR_TRY(read_date(t, &r));
    RR_TRY(read_gpus(t, &r));
    RR_TRY(read_price(t, &r));
    return rr_price_add(t->in, &r);
}

static enum rr_status csv_read(struct rr_price_import *in)
{
    struct rr_csv *csv;
    struct rr_csv_row row;
    struct table t = {.in = in, .row = &row, .empty = rr_price_text(in, rr_slice("", 0))};
    enum rr_status st;
    RR_TRY(rr_csv_open(in->path, (struct rr_csv_options){.comment = '#'}, &csv));
    RR_GO(rr_csv_next(csv, &row));
    RR_GO(row.n == 0 ? rr_price_fail(in, 0, "the file is empty") : find_columns(&t, &row));
    const size_t width = row.n;
    for (;;) {
        RR_GO(rr_csv_next(csv, &row));
        if (row.n == 0) break;
        RR_GO(row.n == width ? read_row(&t) : rr_price_fail(in, row.line, "%zu cells, the header has %zu", row.n, width));
        in->read++;
    }
    RR_GO(rr_csv_sha256(csv, in->sha256));
out:
    rr_csv_close(csv);
    return st;
}

const struct rr_price_reader rr_price_reader_csv = {.name = "csv",
                                                    .summary = "price books of our own columns, and lists whose columns --column names",
                                                    .sniff = csv_sniff,
                                                    .read = csv_read,
                                                    .keys = "provider product instance gpu gpu_count unit region zone plan term payment "
                                                            "currency price upfront valid_from source note"};
