/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/import/prices_spot_log.c - logs of price changes: a row where the spot or on-demand price of a machine in a zone has changed.
 *
 *     unix_ts,instance_type,accelerator,count,region,az_id,ondemand_usd_h,spot_usd_h
 *     observed_at,instance_type,accelerator,accelerator_count,zone_or_region,ondemand_usd_per_hour,spot_usd_per_hour
 *
 * A row holds until the next one of the same machine and zone. A blank price is the end of that offer. Every row carries both prices; one that
 * has not changed makes no row here. AWS zones are ids ("use1-az4"), whose region is known by their first part. */
#include "data/base/csv.h"
#include "data/import/prices_skypilot.h"
#include <stdio.h>
#include <string.h>

enum { WHEN, INSTANCE, ACCELERATOR, COUNT, REGION, ZONE, PRICE, SPOT, COLUMNS };
static const char *const names[COLUMNS][2] = {{"unix_ts", "observed_at"},
                                              {"instance_type", "instance_type"},
                                              {"accelerator", "accelerator"},
                                              {"count", "accelerator_count"},
                                              {"region", "zone_or_region"},
                                              {"az_id", "zone_or_region"},
                                              {"ondemand_usd_h", "ondemand_usd_per_hour"},
                                              {"spot_usd_h", "spot_usd_per_hour"}};

struct log {
    struct rr_price_import *in;
    const char *provider, *source;
    int form, at[COLUMNS];
    struct rr_names key;  /* machine and zone, then plan */
    RR_VEC(int64_t) last; /* [key] nanos of its last row; RR_BOOK_NO_PRICE: none */
};

static int log_sniff(const char *head, size_t n)
{
    const char *end = memchr(head, '\n', n);
    const size_t line = end ? (size_t)(end - head) : n;
    const bool machine = memmem(head, line, "instance_type", 13), spot = memmem(head, line, "spot_usd_", 9);
    return machine && spot && (memmem(head, line, "unix_ts", 7) || memmem(head, line, "observed_at", 11)) ? 95 : 0;
}

/* "apne1-az4" -> "ap-northeast-1"; what is no zone id stays. Local zones ("use1-atl2-az1") belong to their parent region. */
static const char *region_of_id(struct rr_slice id, char text[48])
{
    static const char *const way[][2] = {{"ne", "northeast"}, {"se", "southeast"}, {"nw", "northwest"}, {"sw", "southwest"}, {"n", "north"},
                                         {"s", "south"},      {"e", "east"},       {"w", "west"},       {"c", "central"}};
    for (size_t i = 0; id.n > 4 && memmem(id.at, id.n, "-az", 3) && i < sizeof way / sizeof *way; i++) {
        const size_t n = strlen(way[i][0]);
        if (id.n < n + 4 || memcmp(id.at + 2, way[i][0], n) != 0 || id.at[2 + n] < '0' || id.at[2 + n] > '9') continue;
        snprintf(text, 48, "%.2s-%s-%c", id.at, way[i][1], id.at[2 + n]);
        return text;
    }
    return NULL;
}

/* Region and zone of a cell that is one or the other. */
static void place(struct log *l, struct rr_slice s, struct rr_book_row *r)
{
    char text[48];
    const char *region = region_of_id(s, text);
    const bool gcp_zone = strcmp(l->provider, "gcp") == 0 && s.n > 2 && s.at[s.n - 2] == '-';
    if (region) {
        r->region = rr_price_word(l->in, region);
        r->zone = rr_price_text(l->in, s);
    } else {
        r->region = rr_price_text(l->in, gcp_zone ? rr_slice(s.at, s.n - 2) : s);
        r->zone = gcp_zone ? rr_price_text(l->in, s) : rr_price_word(l->in, "");
    }
}

static struct rr_slice cell(const struct log *l, const struct rr_csv_row *row, int i)
{
    return (size_t)l->at[i] < row->n ? rr_trim(row->cell[l->at[i]]) : rr_slice("", 0);
}

static enum rr_status changed(struct log *l, const struct rr_book_row *base, const char *plan, int64_t nano)
{
    struct rr_book_row r = *base;
    if (nano == 0) {
        rr_price_leave(l->in, base->line, "a price of 0");
        return RR_OK;
    }
    const char *name = rr_strf(l->in->arena, "%s|%s|%s|%s|%s", r.instance, r.gpu, r.region, r.zone, plan);
    const uint32_t k = rr_names_add(&l->key, rr_slice(name, strlen(name)));
    while (l->last.n <= k) rr_vec_push(&l->last, RR_BOOK_NO_PRICE);
    if (l->last.at[k] == nano) {
        rr_price_leave(l->in, base->line, strcmp(plan, "spot") == 0 ? "spot as before" : "on demand as before");
        return RR_OK;
    }
    l->last.at[k] = nano;
    r.plan = rr_price_word(l->in, plan);
    r.nano = nano;
    return rr_price_add(l->in, &r);
}

static enum rr_status read_when(const struct log *l, const struct rr_csv_row *row, int64_t *ret)
{
    const struct rr_slice s = cell(l, row, WHEN);
    if (l->form == 1) return rr_date_parse(s, ret) == RR_OK ? RR_OK : rr_price_fail(l->in, row->line, "%s", rr_reason());
    if (rr_text_scaled(s, 6, ret) == RR_OK && *ret >= 0 && *ret < INT64_C(1) << 56) return RR_OK;
    return rr_price_fail(l->in, row->line, "unix_ts \"%.*s\" is no number of seconds since 1970", (int)(s.n < 60 ? s.n : 60), s.at);
}

static enum rr_status read_row(struct log *l, const struct rr_csv_row *row)
{
    struct rr_price_import *in = l->in;
    const struct rr_slice type = cell(l, row, INSTANCE), gpu = cell(l, row, ACCELERATOR), count = cell(l, row, COUNT);
    int64_t milli = 0, price, spot;
    struct rr_book_row r = {.provider = l->provider, .source = l->source, .unit = RR_BOOK_INSTANCE_HOUR, .currency = "USD"};
    r.line = (int32_t)(row->line < INT32_MAX ? row->line : INT32_MAX);
    if (count.n && (rr_text_scaled(count, 3, &milli) != RR_OK || milli < 0 || milli > INT32_MAX))
        return rr_price_fail(in, row->line, "count \"%.*s\" is no number such as 8", (int)(count.n < 60 ? count.n : 60), count.at);
    if (type.n == 0 && gpu.n == 0) return rr_price_fail(in, row->line, "neither instance_type nor accelerator");
    r.product = rr_price_word(in, type.n ? "compute" : "accelerator");
    r.instance = type.n ? rr_price_id(in, l->provider, type)
                        : rr_price_word(in, rr_strf(in->arena, "%s/%.*s:%d", l->provider, (int)gpu.n, gpu.at, (int)(milli / 1000)));
    r.gpu = rr_skypilot_gpu(in, l->provider, type, gpu);
    r.gpus_milli = rr_skypilot_gpus(type, gpu, milli);
    r.note = rr_price_word(in, "");
    if (l->form == 0) {
        r.region = rr_price_text(in, cell(l, row, REGION));
        r.zone = rr_price_text(in, cell(l, row, ZONE));
    } else {
        place(l, cell(l, row, ZONE), &r);
    }
    RR_TRY(read_when(l, row, &r.valid_us));
    RR_TRY(rr_price_nano(in, row->line, cell(l, row, PRICE), false, &price));
    RR_TRY(rr_price_nano(in, row->line, cell(l, row, SPOT), false, &spot));
    if (price > 0 && spot > 0 && (rr_i128)spot * 100000 > (rr_i128)price * 100001) rr_price_keep(in, row->line, "spot above on demand");
    RR_TRY(changed(l, &r, "on_demand", price));
    return changed(l, &r, "spot", spot);
}

static enum rr_status find_columns(struct log *l, const struct rr_csv_row *head)
{
    l->form = rr_csv_find(head, "unix_ts") >= 0 ? 0 : 1;
    for (int i = 0; i < COLUMNS; i++) {
        l->at[i] = rr_csv_find(head, names[i][l->form]);
        if (l->at[i] < 0) return rr_price_fail(l->in, head->line, "column \"%s\" is missing", names[i][l->form]);
    }
    return RR_OK;
}

static enum rr_status log_read(struct rr_price_import *in)
{
    struct rr_csv *csv;
    struct rr_csv_row row;
    struct log l = {.in = in, .provider = rr_price_provider(in), .key = {.arena = in->arena}};
    const char *slash = strrchr(in->path, '/');
    enum rr_status st;
    l.source = rr_price_word(in, rr_price_set(in, "source", rr_strf(in->arena, "price log %s", slash ? slash + 1 : in->path)));
    RR_TRY(rr_csv_open(in->path, (struct rr_csv_options){0}, &csv));
    RR_GO(rr_csv_next(csv, &row));
    RR_GO(row.n == 0 ? rr_price_fail(in, 0, "the file is empty") : find_columns(&l, &row));
    for (;;) {
        RR_GO(rr_csv_next(csv, &row));
        if (row.n == 0) break;
        RR_GO(read_row(&l, &row));
        in->read++;
    }
    RR_GO(rr_csv_sha256(csv, in->sha256));
out:
    rr_csv_close(csv);
    rr_vec_done(&l.last);
    rr_names_done(&l.key);
    return st;
}

const struct rr_price_reader rr_price_reader_spot_log = {.name = "price-log",
                                                         .summary = "logs of changed spot and on-demand prices, zone by zone",
                                                         .sniff = log_sniff,
                                                         .read = log_read,
                                                         .keys = "provider source"};
