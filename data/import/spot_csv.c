/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/import/spot_csv.c - our own series: `time,price` or `time,nodes`, and perhaps `zone`.
 *
 * `time` is seconds from the start, or a date with its zone ("2026-01-01T08:30:00Z"), one form in the whole file. `price` is per node-hour
 * in the "currency" of the plan (USD). A last line with an empty value is the end of what is known. */
#include "data/base/csv.h"
#include "data/spot.h"
#include <string.h>

static bool csv_sniff(const char *head, size_t n)
{
    const char *end = memchr(head, '\n', n);
    const struct rr_slice line = {head, end ? (size_t)(end - head) : n};
    bool time = false, value = false;
    for (size_t i = 0, from = 0; i <= line.n; i++) {
        if (i < line.n && line.at[i] != ',' && line.at[i] != '\r') continue;
        const struct rr_slice cell = rr_trim(rr_slice(line.at + from, i - from));
        time |= rr_slice_is(cell, "time");
        value |= rr_slice_is(cell, "price") || rr_slice_is(cell, "nodes");
        from = i + 1;
    }
    return time && value;
}

struct columns {
    int time, value, zone;
};

static enum rr_status find_columns(struct rr_spot_input *in, const struct rr_csv_row *head, struct columns *c)
{
    const char *want = in->of == RR_SPOT_PRICES ? "price" : "nodes";
    *c = (struct columns){rr_csv_find(head, "time"), rr_csv_find(head, want), rr_csv_find(head, "zone")};
    if (c->time < 0 || c->value < 0)
        return rr_fail(RR_EINPUT, "%s:%lld: the columns time,%s are expected", in->file->path, (long long)head->line, want);
    return RR_OK;
}

static struct rr_slice cell(const struct rr_csv_row *row, int i)
{
    return i >= 0 && (size_t)i < row->n ? rr_trim(row->cell[i]) : rr_slice("", 0);
}

static enum rr_status read_time(struct rr_spot_input *in, const struct rr_csv_row *row, struct rr_slice text, int64_t *ret)
{
    const bool first = in->point.n == 0 && in->end_us == 0;
    bool date = false;
    if (rr_text_scaled(text, 6, ret) != RR_OK) {
        date = true;
        if (rr_date_parse(text, ret) != RR_OK)
            return rr_fail(RR_EINPUT, "%s:%lld: time is neither seconds nor a date such as \"2026-01-01T08:30:00Z\"", in->file->path,
                           (long long)row->line);
    }
    if (first) in->absolute = date;
    if (date != in->absolute) return rr_fail(RR_EINPUT, "%s:%lld: seconds and dates in one series", in->file->path, (long long)row->line);
    return RR_OK;
}

static enum rr_status read_row(struct rr_spot_input *in, const struct rr_csv_row *row, const struct columns *c)
{
    const struct rr_slice zone = cell(row, c->zone), value = cell(row, c->value);
    const char *want = in->file->zone;
    struct rr_spot_point p;
    if (want && *want && !rr_slice_is(zone, want)) return RR_OK;
    if (!in->zone) in->zone = rr_strndup(in->arena, zone.at, zone.n);
    if (!rr_slice_is(zone, in->zone))
        return rr_fail(RR_EINPUT, "%s:%lld: several zones: say which with \"zone\"", in->file->path, (long long)row->line);
    RR_TRY(read_time(in, row, cell(row, c->time), &p.at_us));
    if (value.n == 0) {
        in->end_us = p.at_us;
        return RR_OK;
    }
    const enum rr_status st = in->of == RR_SPOT_PRICES ? rr_text_scaled(value, 9, &p.value) : rr_text_i64(value, &p.value);
    if (st != RR_OK)
        return rr_fail(RR_EINPUT, "%s:%lld: %s is no number such as %s", in->file->path, (long long)row->line,
                       in->of == RR_SPOT_PRICES ? "price" : "nodes", in->of == RR_SPOT_PRICES ? "1.1409" : "16");
    rr_vec_push(&in->point, p);
    return RR_OK;
}

static enum rr_status csv_read(struct rr_spot_input *in)
{
    struct rr_csv *csv;
    struct rr_csv_row row;
    struct columns c;
    enum rr_status st;
    RR_TRY(rr_csv_open(in->file->path, (struct rr_csv_options){.comment = '#'}, &csv));
    RR_GO(rr_csv_next(csv, &row));
    RR_GO(find_columns(in, &row, &c));
    for (;;) {
        RR_GO(rr_csv_next(csv, &row));
        if (row.n == 0) break;
        RR_GO(read_row(in, &row, &c));
    }
out:
    rr_csv_close(csv);
    return st;
}

const struct rr_spot_reader rr_spot_reader_spot_csv = {
    .name = "spot_csv", .summary = "our own: time,price or time,nodes", .of = RR_SPOT_PRICES, .sniff = csv_sniff, .read = csv_read};
