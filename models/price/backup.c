/* SPDX-License-Identifier: GPL-3.0-or-later
 * models/price/backup.c - snapshots and off-site backup: one full copy and the changes of each day that are still kept.
 *
 * On day d since the start, size x (1 + change x min(d, keep)) is stored; copies that go off-site are paid by the GB as well: the full
 * one on the first day, each day's changes after it. The cost is part of cost.storage. */
#include "models/price/around.h"
#include <math.h>

struct backup {
    uint64_t given;
    int64_t size_bytes, keep_days;
    double change;
    struct rr_price rate, copy_rate;
    /* resolved */
    struct rr_tariff tariff, copies;
};
enum { P_SIZE, P_CHANGE, P_KEEP, P_RATE, P_COPY_RATE };
#define GB 1000000000

static const struct rr_param rows[] = {
    [P_SIZE] = {.name = "size",
                .type = RR_P_BYTES,
                .offset = offsetof(struct backup, size_bytes),
                .unit = "bytes",
                .help = "data that is backed up",
                .flags = RR_PF_REQUIRED},
    [P_CHANGE] = {.name = "change_per_day",
                  .type = RR_P_SHARE,
                  .offset = offsetof(struct backup, change),
                  .unit = "share",
                  .def = "0",
                  .least = 0,
                  .most = 1,
                  .help = "share of it that changes each day"},
    [P_KEEP] = {.name = "keep_days",
                .type = RR_P_INT,
                .offset = offsetof(struct backup, keep_days),
                .unit = "days",
                .def = "30",
                .least = 0,
                .most = 36500,
                .help = "how many days of changes are kept"},
    [P_RATE] = {.name = "rate",
                .type = RR_P_RATE,
                .offset = offsetof(struct backup, rate),
                .unit = "",
                .help = "of storing, such as \"$0.05/GB/month\""},
    [P_COPY_RATE] = {.name = "copy_rate",
                     .type = RR_P_RATE,
                     .offset = offsetof(struct backup, copy_rate),
                     .unit = "",
                     .help = "of sending off-site, such as \"$0.02/GB\"; absent: it stays where it is"},
};

static enum rr_status backup_resolve(void *params, const struct rr_scenario *s, const struct rr_pool *pool, const char *pointer,
                                     const struct rr_catalog *catalog, struct rr_arena *arena, struct rr_notes *notes)
{
    struct backup *bk = params;
    (void)pool, (void)pointer, (void)catalog, (void)notes;
    RR_TRY(rr_around_check(s));
    RR_TRY(rr_tariff_make(s, rr_given(bk, P_RATE) ? &bk->rate : NULL, NULL, RR_TIER_BYTES, RR_PER_GB, RR_MONTH, "$0.05/GB/month", arena,
                          &bk->tariff));
    if (!rr_given(bk, P_COPY_RATE)) return RR_OK;
    return rr_tariff_make(s, &bk->copy_rate, NULL, RR_TIER_BYTES, RR_PER_GB, RR_EVER, "$0.02/GB", arena, &bk->copies);
}

/* Of a month: byte-microseconds stored, bytes sent. */
static void add_days(const struct backup *bk, struct rr_month_part part, rr_i128 *stored, rr_i128 *sent)
{
    const int64_t change = llround(bk->change * 1e9);
    const rr_i128 a_day = (rr_i128)bk->size_bytes * change / 1000000000;
    for (int64_t at = part.from_us; at < part.to_us;) {
        const int64_t day = at / RR_D, next = (day + 1) * RR_D < part.to_us ? (day + 1) * RR_D : part.to_us;
        *stored += (bk->size_bytes + a_day * (day < bk->keep_days ? day : bk->keep_days)) * (next - at);
        if (at == day * RR_D) *sent += day == 0 ? bk->size_bytes : a_day;
        at = next;
    }
}

static enum rr_status backup_bill(const void *params, const struct rr_billing *b, size_t entry, struct rr_sink *sink)
{
    const struct backup *bk = params;
    struct rr_months m;
    RR_TRY(rr_months_of(b, &m));
    for (size_t i = 0; i < m.n; i++) {
        rr_i128 stored = 0, sent = 0;
        add_days(bk, m.part[i], &stored, &sent);
        const struct rr_charge c = rr_month_charge(&m, i, rr_price_storage.kind.name, b->scenario->charge[entry].name, "GB-month");
        RR_TRY(rr_tariff_charge(&bk->tariff, stored, 1, (rr_i128)GB * m.length_us[i], c, sink));
        if (bk->copies.n > 0)
            RR_TRY(rr_tariff_charge(&bk->copies, sent, 1, GB, rr_month_charge(&m, i, rr_price_storage.kind.name, "copies", "GB"), sink));
    }
    return RR_OK;
}

const struct rr_price_plan rr_price_backup = {
    .kind = {.name = "backup",
             .summary = "snapshots and off-site backup: a full copy and the changes of the days that are kept",
             .params = rows,
             .n_params = sizeof rows / sizeof *rows,
             .params_size = sizeof(struct backup),
             .use = RR_USE_CHARGE},
    .resolve = backup_resolve,
    .bill = backup_bill,
};
