/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/bill.c - headers told apart, cells brought into one form, rows rejected and counted. */
#include "data/bill.h"
#include "data/base/time.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

const char *const rr_bill_field_name[RR_BILL_FIELDS] = {
#define X(name, what) #name,
    RR_BILL_TABLE
#undef X
};

#define X(name) &rr_bill_##name,
const struct rr_bill_format *const rr_bill_formats[] = {
#include "data/import/bill_list.h"
    NULL};
#undef X

struct reader {
    const struct rr_bill_options *opt;
    const struct rr_bill_format *format;
    struct rr_arena *arena, *scratch;
    const char *path;
    int at[RR_BILL_FIELDS];
    struct rr_bill_report *report;
    size_t rows, rejected; /* of this file */
    char currency[8];
    enum rr_status (*each)(void *ctx, const struct rr_bill_row *row);
    void *ctx;
};

/* ---- small things ---- */

static bool same_word(const char *a, const char *b)
{
    for (;; a++, b++) {
        while (*a && !((*a | 0x20) >= 'a' && (*a | 0x20) <= 'z')) a++;
        while (*b && !((*b | 0x20) >= 'a' && (*b | 0x20) <= 'z')) b++;
        if ((*a | 0x20) != (*b | 0x20)) return false;
        if (!*a) return true;
    }
}

const char *rr_bill_word(const char *text, const char *const *words)
{
    for (; *text && *words; words++)
        if (same_word(text, *words)) return *words;
    return NULL;
}

const char *rr_bill_member(const char *text, const char *key, struct rr_arena *a)
{
    if (*text != '{') return "";
    cJSON *o = cJSON_Parse(text);
    const cJSON *m = cJSON_GetObjectItemCaseSensitive(o, key);
    const char *found = "";
    if (cJSON_IsString(m)) found = rr_strdup(a, m->valuestring);
    if (cJSON_IsNumber(m)) found = rr_strf(a, "%.15g", m->valuedouble);
    cJSON_Delete(o);
    return found;
}

bool rr_bill_amount(const char *text, rr_i128 *ret)
{
    *ret = 0;
    return *text && rr_focus_decimal(rr_slice(text, strlen(text)), ret) == RR_OK;
}

/* ---- the header ---- */

static int column_of(const struct rr_csv_row *head, const char *name)
{
    for (size_t i = 0; i < head->n; i++)
        if (rr_slice_is_nocase(rr_trim(head->cell[i]), name)) return (int)i;
    return -1;
}

static bool tells(const struct rr_bill_format *f, const struct rr_csv_row *head)
{
    for (int i = 0; i < RR_BILL_TELLS && f->tell[i]; i++) {
        const char *names = f->tell[i]; // "a|b": either
        bool any = false;
        while (*names) {
            const size_t n = strcspn(names, "|");
            char one[96];
            snprintf(one, sizeof one, "%.*s", (int)n, names);
            any |= column_of(head, one) >= 0;
            names += n + (names[n] != '\0');
        }
        if (!any) return false;
    }
    return f->tell[0] != NULL;
}

static const struct rr_bill_format by_columns = {.name = "columns", .summary = "as \"--column\" says"};

static enum rr_status find_format(struct reader *r, const struct rr_csv_row *head)
{
    const char *words[16];
    size_t n = 0;
    const char *want = r->opt->format && strcmp(r->opt->format, "auto") != 0 ? r->opt->format : NULL;
    r->format = NULL;
    for (const struct rr_bill_format *const *f = rr_bill_formats; *f; f++) {
        words[n++] = (*f)->name;
        if (want ? strcmp(want, (*f)->name) == 0 : !r->format && tells(*f, head)) r->format = *f;
    }
    if (r->format) return RR_OK;
    if (want)
        return rr_fail(RR_EUSAGE, "\"%s\" is no format of bills%s (rackrate list bills)", want,
                       rr_did_you_mean(r->scratch, want, words, n));
    if (r->opt->columns) {
        r->format = &by_columns;
        return RR_OK;
    }
    return rr_fail(
        RR_EINPUT,
        "%s:%lld: the header is of no known format of bills (FOCUS, AWS CUR, Azure, Aliyun): name one with --format, or say which "
        "column is what with --column",
        r->path, (long long)head->line);
}

static enum rr_status map_own(struct reader *r, const struct rr_csv_row *head)
{
    for (const cJSON *m = r->opt->columns ? r->opt->columns->child : NULL; m; m = m->next) {
        int field = -1;
        for (int k = 0; k < RR_BILL_FIELDS; k++)
            if (strcmp(m->string, rr_bill_field_name[k]) == 0) field = k;
        if (field < 0)
            return rr_fail(RR_EINPUT, "--column: \"%.40s\" is no field of a bill%s", m->string,
                           rr_did_you_mean(r->scratch, m->string, rr_bill_field_name, RR_BILL_FIELDS));
        if (!cJSON_IsString(m)) return rr_fail(RR_EINPUT, "--column: \"%.40s\" must be the name of a column", m->string);
        r->at[field] = column_of(head, m->valuestring);
        if (r->at[field] < 0)
            return rr_fail(RR_EINPUT, "%s:%lld: there is no column \"%.60s\", which --column names", r->path, (long long)head->line,
                           m->valuestring);
    }
    return RR_OK;
}

static enum rr_status read_header(struct reader *r, const struct rr_csv_row *head)
{
    RR_TRY(find_format(r, head));
    for (int k = 0; k < RR_BILL_FIELDS; k++) {
        r->at[k] = -1;
        for (int i = 0; i < RR_BILL_NAMES && r->format->column[k][i] && r->at[k] < 0; i++)
            r->at[k] = column_of(head, r->format->column[k][i]);
    }
    RR_TRY(map_own(r, head));
    if (r->at[RR_BILL_from] < 0 && r->at[RR_BILL_day] < 0)
        return rr_fail(RR_EINPUT, "%s:%lld: no column says when a charge was (\"%s\")", r->path, (long long)head->line,
                       r->format->column[RR_BILL_from][0] ? r->format->column[RR_BILL_from][0] : "from");
    if (r->at[RR_BILL_billed] < 0 && r->at[RR_BILL_effective] < 0)
        return rr_fail(RR_EINPUT, "%s:%lld: no column says what a charge costs (\"%s\")", r->path, (long long)head->line,
                       r->format->column[RR_BILL_billed][0] ? r->format->column[RR_BILL_billed][0] : "billed");
    return RR_OK;
}

/* ---- a row ---- */

static bool two_digits(const char *s, size_t n, int *ret)
{
    *ret = 0;
    for (size_t i = 0; i < n; i++) {
        if (s[i] < '0' || s[i] > '9') return false;
        *ret = *ret * 10 + (s[i] - '0');
    }
    return n > 0 && n <= 4;
}

/* "09/18/2024", "9/18/2024". */
static bool american_date(const char *s, int64_t *ret_us)
{
    int month, day, year;
    const size_t a = strcspn(s, "/");
    if (s[a] != '/') return false;
    const size_t b = strcspn(s + a + 1, "/");
    if (s[a + 1 + b] != '/' || strlen(s + a + b + 2) != 4) return false;
    if (!two_digits(s, a, &month) || !two_digits(s + a + 1, b, &day) || !two_digits(s + a + b + 2, 4, &year)) return false;
    if (month > 12 || day > 31) return false;
    char text[40];
    snprintf(text, sizeof text, "%04d-%02d-%02d", year, month, day);
    return rr_date_parse(rr_slice(text, 10), ret_us) == RR_OK;
}

/* A time of the format's zone, where it names none itself. */
static enum rr_status time_of(const struct reader *r, const char *text, int64_t *ret_us)
{
    if (r->format->american && strchr(text, '/')) {
        if (!american_date(text, ret_us)) return rr_fail(RR_EINPUT, "\"%.40s\" is no date such as 09/18/2024", text);
        *ret_us -= r->format->zone_us;
        return RR_OK;
    }
    RR_TRY(rr_focus_time(rr_slice(text, strlen(text)), false, ret_us));
    const size_t n = strlen(text);
    const bool zoned = n > 10 && (text[n - 1] == 'Z' || strchr("+-", text[n - 6]));
    if (!zoned) *ret_us -= r->format->zone_us;
    return RR_OK;
}

static enum rr_status read_times(const struct reader *r, struct rr_bill_row *row)
{
    if (*row->text[RR_BILL_from]) {
        RR_TRY(time_of(r, row->text[RR_BILL_from], &row->from_us));
        row->to_us = row->from_us + RR_H;
        if (*row->text[RR_BILL_to]) RR_TRY(time_of(r, row->text[RR_BILL_to], &row->to_us));
    } else if (*row->text[RR_BILL_day]) {
        RR_TRY(time_of(r, row->text[RR_BILL_day], &row->from_us));
        row->to_us = row->from_us + RR_D;
    } else {
        return rr_fail(RR_EINPUT, "says not when it was");
    }
    if (row->to_us == row->from_us) row->to_us = row->from_us + RR_S; // an instant, as purchases have it
    return row->to_us > row->from_us ? RR_OK : rr_fail(RR_EINPUT, "ends before it starts");
}

static enum rr_status read_amount(const struct rr_bill_row *row, enum rr_bill_field k, rr_i128 *ret, bool *has)
{
    const char *text = row->text[k];
    *has = *text != '\0';
    if (!*has) return RR_OK;
    const enum rr_status st = rr_focus_decimal(rr_slice(text, strlen(text)), ret);
    return st == RR_OK ? st : rr_fail_in(st, "%s", rr_bill_field_name[k]);
}

static enum rr_status make_row(struct reader *r, const struct rr_csv_row *in, struct rr_bill_row *row)
{
    for (int k = 0; k < RR_BILL_FIELDS; k++) {
        const struct rr_slice s = r->at[k] >= 0 && (size_t)r->at[k] < in->n ? rr_trim(in->cell[r->at[k]]) : rr_slice("", 0);
        row->text[k] = rr_focus_is_null(s) ? "" : rr_strndup(r->scratch, s.at, s.n);
    }
    if (r->format->provider && !*row->text[RR_BILL_provider]) row->text[RR_BILL_provider] = r->format->provider;
    RR_TRY(read_times(r, row));
    RR_TRY(read_amount(row, RR_BILL_quantity, &row->quantity, &row->has_quantity));
    RR_TRY(read_amount(row, RR_BILL_list, &row->list, &row->has_list));
    RR_TRY(read_amount(row, RR_BILL_contracted, &row->contracted, &row->has_contracted));
    RR_TRY(read_amount(row, RR_BILL_effective, &row->effective, &row->has_effective));
    RR_TRY(read_amount(row, RR_BILL_billed, &row->billed, &row->has_billed));
    if (r->format->fix) RR_TRY(r->format->fix(row));
    if (!row->has_billed && !row->has_effective) return rr_fail(RR_EINPUT, "has no cost");
    if (!row->has_effective) row->effective = row->billed, row->has_effective = true;
    if (!row->has_billed) row->billed = row->effective, row->has_billed = true;
    if (!*row->text[RR_BILL_charge]) row->text[RR_BILL_charge] = "Usage";
    return RR_OK;
}

/* Amounts of several currencies are never added up. */
static enum rr_status check_currency(struct reader *r, const struct rr_bill_row *row)
{
    const char *is = row->text[RR_BILL_currency];
    if (!*is) return RR_OK;
    if (!*r->currency) {
        snprintf(r->currency, sizeof r->currency, "%.7s", is);
        r->report->currency = rr_strdup(r->arena, r->currency);
    }
    if (strcmp(r->currency, is) == 0) return RR_OK;
    return rr_fail(RR_EINPUT, "%s:%lld: currency %.7s, but %s before it: a bill is in one currency; split the file", row->path,
                   (long long)row->line, is, r->currency);
}

static void reject(struct reader *r, int64_t line)
{
    struct rr_bill_report *p = r->report;
    r->rejected++;
    p->rejected++;
    if (p->n_first < sizeof p->first / sizeof *p->first)
        p->first[p->n_first++] = rr_strf(r->arena, "%s:%lld: %s", r->path, (long long)line, rr_reason());
}

static enum rr_status take_row(struct reader *r, const struct rr_csv_row *in)
{
    struct rr_bill_row row = {.path = r->path, .line = in->line, .arena = r->scratch};
    struct rr_bill_report *p = r->report;
    r->rows++;
    p->rows++;
    if (make_row(r, in, &row) != RR_OK) {
        reject(r, in->line);
        return RR_OK;
    }
    RR_TRY(check_currency(r, &row));
    p->list += row.list;
    p->contracted += row.contracted;
    p->effective += row.effective;
    p->billed += row.billed;
    p->no_contracted += !row.has_list || !row.has_contracted;
    return r->each(r->ctx, &row);
}

/* ---- files ---- */

static enum rr_status refuse_parquet(const char *path)
{
    char head[4] = "";
    if (strcmp(path, "-") == 0) return RR_OK;
    FILE *f = fopen(path, "rb");
    if (!f) return rr_fail(RR_EIO, "%s: %s", path, strerror(errno));
    const size_t n = fread(head, 1, sizeof head, f);
    fclose(f);
    if (n < 4 || memcmp(head, "PAR1", 4) != 0) return RR_OK;
    return rr_fail(RR_EINPUT, "%s: is a Parquet file, of which a CSV is needed: duckdb -c \"COPY (FROM '%s') TO '%s.csv' (HEADER)\"", path,
                   path, path);
}

static enum rr_status read_rows(struct reader *r, struct rr_csv *csv)
{
    struct rr_csv_row row;
    RR_TRY(rr_csv_next(csv, &row));
    if (row.n == 0) return rr_fail(RR_EINPUT, "%s: is empty; a header and rows of a bill are expected", r->path);
    RR_TRY(read_header(r, &row));
    r->report->format = r->format->name;
    for (;;) {
        RR_TRY(rr_csv_next(csv, &row));
        if (row.n == 0) break;
        const enum rr_status st = take_row(r, &row);
        rr_arena_reset(r->scratch);
        RR_TRY(st);
    }
    if ((double)r->rejected <= r->opt->max_rejected * (double)r->rows) return RR_OK;
    return rr_fail(RR_EINPUT, "%s: %zu of %zu rows are damaged, more than %.3g %% (--max-rejected); the first: %s", r->path, r->rejected,
                   r->rows, 100 * r->opt->max_rejected, r->report->n_first ? r->report->first[0] : "");
}

static enum rr_status read_file(struct reader *r, const char *path)
{
    struct rr_csv *csv;
    r->path = rr_strdup(r->arena, path);
    r->rows = r->rejected = 0;
    RR_TRY(refuse_parquet(path));
    RR_TRY(rr_csv_open(path, (struct rr_csv_options){0}, &csv));
    const enum rr_status st = read_rows(r, csv);
    rr_csv_close(csv);
    return st;
}

enum rr_status rr_bill_read(const char *const *path, size_t n, const struct rr_bill_options *opt, struct rr_arena *arena,
                            enum rr_status (*each)(void *ctx, const struct rr_bill_row *row), void *ctx, struct rr_bill_report *ret)
{
    struct rr_bill_report report = {.format = "", .currency = ""};
    struct reader r = {.opt = opt, .arena = arena, .scratch = rr_arena_create(), .report = &report, .each = each, .ctx = ctx};
    enum rr_status st = RR_OK;
    for (size_t i = 0; i < n && st == RR_OK; i++, report.files++) st = read_file(&r, path[i]);
    rr_arena_free(r.scratch);
    if (st == RR_OK) *ret = report;
    return st;
}

/* ---- our CSV ---- */

void rr_bill_header(struct rr_buf *b)
{
    for (int k = 0; k < RR_BILL_OURS; k++) rr_buf_putf(b, "%s%s", k ? "," : "", rr_bill_field_name[k]);
    rr_buf_puts(b, "\n");
}

static void put_time(struct rr_buf *b, int64_t us)
{
    const struct rr_civil c = rr_civil_of(us);
    rr_buf_putf(b, "%04d-%02d-%02dT%02d:%02d:%02dZ", (int)c.year, c.month, c.day, c.hour, c.minute, c.second);
}

static void put_amount(struct rr_buf *b, bool has, rr_i128 v)
{
    if (has) rr_buf_focus(b, v);
}

void rr_bill_put(struct rr_buf *b, const struct rr_bill_row *row)
{
    for (int k = 0; k < RR_BILL_OURS; k++) {
        if (k) rr_buf_puts(b, ",");
        switch (k) {
        case RR_BILL_from: put_time(b, row->from_us); break;
        case RR_BILL_to: put_time(b, row->to_us); break;
        case RR_BILL_quantity: put_amount(b, row->has_quantity, row->quantity); break;
        case RR_BILL_list: put_amount(b, row->has_list, row->list); break;
        case RR_BILL_contracted: put_amount(b, row->has_contracted, row->contracted); break;
        case RR_BILL_effective: put_amount(b, row->has_effective, row->effective); break;
        case RR_BILL_billed: put_amount(b, row->has_billed, row->billed); break;
        default: rr_buf_csv(b, row->text[k]);
        }
    }
    rr_buf_puts(b, "\n");
}
